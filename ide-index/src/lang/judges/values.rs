//! Literals where a value of another type is wanted: given to variables, parameters and fields, and returned.
//!
//! Only types that a language has by itself are looked at, and only literals that no rule of the language turns into them.

use ide_model::{Language, SymbolKind, TextRange, counted};
use rustc_hash::FxHashMap;

use super::statements::{LITERAL_FIELDS, TYPE_MISMATCH, VALUE_COUNT, child, children, refuse};
use super::{NamedTree, is_own};
use crate::check::{Judge, Refused, declared_arity};
use crate::facts::{DefFlags, DefId, Expr, Literal, RefId, TypeExpr, TypeId};
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Int,
    Float,
    Bool,
    Null,
    /// The result of a function that returns nothing.
    Void,
}

/// Where a literal stands: what it is given to, by the node that names that.
pub(super) enum Place {
    Declared(NodeId),
    Written(NodeId),
    Returned(NodeId),
    /// One of several values that a function returns.
    Among(NodeId, usize),
    Named(NodeId),
    Argument {
        callee: NodeId,
        index: usize,
        count: usize,
    },
}

/// A file with its names by where they begin.
pub(super) struct Values<'a> {
    pub(super) rx: &'a Resolver,
    pub(super) file: &'a FileView,
    judge: &'static dyn Judge,
    pub(super) tree: &'a Syntax,
    names: NamedTree<'a>,
    defs: FxHashMap<u32, DefId>,
}

/// Reports the literals of a file that have another type than their places.
pub(super) fn report(names: NamedTree<'_>, judge: &'static dyn Judge, found: &mut Vec<Refused>) {
    let NamedTree { rx, file, tree, .. } = names;
    let is_typed = |id: &DefId| file.def(*id).ty.is_some() && !file.def(*id).name_range.is_empty();
    let defs = file.def_ids().filter(is_typed).map(|id| (file.def(id).name_range.start, id)).collect();
    let values = Values { rx, file, judge, tree, names, defs };
    for node in tree.all().filter(|id| tree.node(*id).is_named) {
        values.operands(node, found);
        if file.language() == Language::TypeScript && tree.kind(node) == "object" {
            values.object(node, found);
        } else if file.language() == Language::Go
            && tree.is_in(node, "short_var_declaration assignment_statement var_spec")
        {
            values.count(node, found);
        } else if let Some((wanted, range)) = values.mismatch(node).or_else(|| values.other(node))
            && !values.is_rewritten(node)
        {
            let given = tree.slice(range).lines().next().unwrap_or_default();
            let message = mismatch_of(&wanted, given);
            refuse(found, TYPE_MISMATCH, range, message);
        }
    }
}

fn mismatch_of(wanted: &str, given: &str) -> String {
    format!("`{given}` is not a value of type `{wanted}`")
}

/// Begins the names of types of the project that no literal is a value of.
pub(super) const OF_PROJECT: char = '@';

/// Whether a type of the project is one of objects or of structures, under its own name. A type of Go may be a number or a text.
fn holds_no_literal(rx: &Resolver, of: GlobalDef) -> bool {
    match rx.language_of(of) {
        Language::Go => super::has_fields(rx, of),
        _ => matches!(
            rx.kind(of),
            SymbolKind::Class
                | SymbolKind::AbstractClass
                | SymbolKind::Struct
                | SymbolKind::Enum
                | SymbolKind::Record
        ),
    }
}

/// Types of the libraries that hold values, of which no literal is one.
pub(super) const CONTAINERS: &str = "[] Option Result Vec HashMap BTreeMap HashSet VecDeque list dict set tuple frozenset List Map Set \
    ArrayList MutableList MutableMap MutableSet Array";

/// Types of numbers, by language, and those that hold whole numbers only.
const JAVA_NUMBERS: &str = "int long short byte float double Integer Long Short Byte Float Double AtomicInteger AtomicLong BigDecimal";
const JAVA_WHOLE: &str = "int long short byte Integer Long Short Byte";
const JAVA_PLAIN: &str = "int long short byte float double boolean char";
const KOTLIN_NUMBERS: &str = "Int Long Short Byte Float Double UInt ULong";
pub(super) const GO_NUMBERS: &str =
    "int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 float32 float64 byte rune uintptr";
pub(super) const RUST_WHOLE: &str = "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize";

/// Whether no literal of a kind is a value of a type that has this name in a language.
pub(super) fn refuses(language: Language, wanted: &str, kind: Kind, text: &str, is_strict: bool) -> bool {
    use Kind::{Bool, Float, Int, Null, Text, Void};
    let has = crate::refactor::tree::has;
    if kind == Void {
        return true;
    }
    if has(CONTAINERS, wanted) && (language != Language::TypeScript || wanted == "[]") {
        return kind != Null || language == Language::Kotlin;
    }
    if wanted.starts_with(OF_PROJECT) {
        return match language {
            Language::Kotlin | Language::Php | Language::Go | Language::Rust => true,
            Language::Java => kind != Null,
            _ => false,
        };
    }
    match language {
        Language::Java => {
            let is_long = text.ends_with(['l', 'L']) && kind == Int;
            let is_number = has(JAVA_NUMBERS, wanted);
            let is_text = wanted == "String";
            let is_truth = has("boolean Boolean", wanted);
            match kind {
                Text => is_number || is_truth || has("char Character", wanted),
                Int if is_long => is_text || is_truth || has("int short byte Integer Short Byte", wanted),
                Int => is_text || is_truth || has("Long Double Float", wanted),
                Float => is_text || is_truth || has(JAVA_WHOLE, wanted),
                Bool => is_number || is_text || has("char Character", wanted),
                Null | Void => has(JAVA_PLAIN, wanted),
            }
        }
        Language::Kotlin => {
            let is_number = has(KOTLIN_NUMBERS, wanted);
            let is_other = |other: &str| has("String Boolean Char", wanted) && wanted != other;
            match kind {
                Text => is_number || is_other("String"),
                Int => is_other("") || has("Float Double", wanted),
                Float => is_other("") || has("Int Long Short Byte", wanted),
                Bool => is_number || is_other("Boolean"),
                Null | Void => is_number || is_other(""),
            }
        }
        Language::TypeScript => match kind {
            Text => has("number boolean bigint", wanted),
            Int | Float => has("string boolean", wanted),
            Bool => has("string number bigint", wanted),
            Null | Void => false,
        },
        Language::Go => match kind {
            Text => has(GO_NUMBERS, wanted) || wanted == "bool",
            Float if text.trim_end_matches('0').ends_with('.') || text.contains(['e', 'E', 'p', 'i']) => {
                has("string bool", wanted)
            }
            Float => has("string bool", wanted) || has(GO_NUMBERS, wanted) && !wanted.starts_with("float"),
            Int => has("string bool", wanted),
            Bool => has(GO_NUMBERS, wanted) || wanted == "string",
            Null | Void => has(GO_NUMBERS, wanted) || has("string bool", wanted),
        },
        Language::Rust => {
            let is_whole = has(RUST_WHOLE, wanted);
            let is_text = has("String &str str char", wanted);
            match kind {
                Text => is_whole || has("f32 f64 bool char String", wanted),
                Int => is_text || has("f32 f64 bool", wanted),
                Float => is_text || is_whole || wanted == "bool",
                Bool => is_text || is_whole || has("f32 f64", wanted),
                Null | Void => false,
            }
        }
        Language::Python => match kind {
            Text => has("int float bool bytes complex", wanted),
            Int | Float | Bool => has("str bytes", wanted),
            Null | Void => false,
        },
        Language::Php => {
            let wanted = wanted.to_ascii_lowercase();
            let is_number = has("int float", &wanted);
            let is_numeric = text
                .trim_matches(['\'', '"', ' '])
                .starts_with(|c: char| c.is_ascii_digit() || ".+-".contains(c));
            let has_code = text.starts_with('"') && text.contains(['$', '\\']);
            match kind {
                Text => wanted == "array" || is_number && (is_strict || !is_numeric && !has_code),
                Int | Float => wanted == "array" || is_strict && has("string bool", &wanted),
                Bool => wanted == "array" || is_strict && (is_number || wanted == "string"),
                Null | Void => is_number || has("string bool array", &wanted),
            }
        }
        _ => false,
    }
}

impl Values<'_> {
    /// The type that is wanted where a literal of another one stands, and its place.
    fn mismatch(&self, node: NodeId) -> Option<(String, TextRange)> {
        let kind = self.kind(node)?;
        let place = self.place(node)?;
        if let (Place::Declared(name) | Place::Returned(name), Kind::Text, Language::TypeScript) =
            (&place, kind, self.file.language())
            && let Some(def) = self.defs.get(&self.tree.range(*name).start)
            && let Some(ty) = self.file.def(*def).ty
            && let Some(wanted) = self.other_text(self.file, ty, node)
        {
            return Some((wanted, self.tree.range(node)));
        }
        let wanted = self.wanted(&place, kind)?;
        let text = self.tree.text_of(node);
        // PHP never converts initial values; elsewhere it does, but for files that say otherwise.
        let is_strict = matches!(place, Place::Declared(_))
            || self.tree.text_of(self.tree.root()).contains("strict_types=1");
        let is_refused = |(name, is_nullable): &(String, bool)| {
            !(*is_nullable && kind == Kind::Null)
                && refuses(self.file.language(), name, kind, text, is_strict)
        };
        let shown = |(name, _): (String, bool)| {
            (name.trim_start_matches(OF_PROJECT).to_owned(), self.tree.range(node))
        };
        wanted.iter().all(is_refused).then(|| wanted.into_iter().next())?.map(shown)
    }

    /// Reports a call of Go that gives more or fewer values than there are names for them.
    fn count(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let (names, values) = match tree.kind(node) {
            "var_spec" => {
                let names = tree.children(node).iter().filter(|id| tree.node(**id).field == "name");
                let names = names.filter(|id| tree.node(**id).is_named).count();
                (names, tree.field(node, "value")?)
            }
            _ => (tree.named(tree.field(node, "left")?).count(), tree.field(node, "right")?),
        };
        let is_plain = tree.kind(node) != "assignment_statement" || tree.operator(node) == Some("=");
        let mut all = tree.named(values);
        let (Some(call), None) = (all.next(), all.next()) else { return None };
        if !is_plain || tree.kind(call) != "call_expression" {
            return None;
        }
        let callee = tree.field(call, "function")?;
        let function = self.rx.resolve(self.file.global_ref(self.named(callee)?)).resolution.certain_def()?;
        let is_function = matches!(self.rx.kind(function), SymbolKind::Function | SymbolKind::Method);
        if !is_function || !is_own(self.rx, function) {
            return None;
        }
        let view = self.rx.file(function.file);
        let given = match view.def(function.def).ty.map(|ty| view.ty(ty)) {
            None => 0,
            Some(TypeExpr::Tuple(items)) => items.len as usize,
            Some(TypeExpr::Unknown) => return None,
            Some(_) => 1,
        };
        if given != names {
            let message =
                format!("`{}` gives {}, not {names}", tree.text_of(callee), counted(given, "value"));
            refuse(found, VALUE_COUNT, tree.range(callee), message);
        }
        Some(())
    }

    /// Reports the keys of a literal that its interface does not have, and what it lacks of that.
    fn object(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let tree = self.tree;
        let place = self.place(node)?;
        let (Place::Declared(name) | Place::Returned(name)) = place else { return None };
        let def = self.defs.get(&tree.range(name).start)?;
        let is_async =
            self.file.has_flag(*def, DefFlags::ASYNC) || self.file.has_flag(*def, DefFlags::GENERATOR);
        let TypeExpr::Named { name: of, args } = self.file.ty(self.file.def(*def).ty?) else { return None };
        let interface = self.rx.resolve(self.file.global_ref(of)).resolution.certain_def()?;
        let members = members(self.rx, interface).filter(|_| args.is_empty() && !is_async)?;
        let mut given = Vec::new();
        for part in tree.named(node) {
            let key = match tree.kind(part) {
                "pair" => tree.field(part, "key")?,
                "shorthand_property_identifier" => part,
                "method_definition" => tree.field(part, "name")?,
                _ => return None,
            };
            if !tree.is_in(key, "property_identifier shorthand_property_identifier string") {
                return None;
            }
            given.push((
                key,
                tree.text_of(key).trim_matches(['"', '\'']).to_owned(),
                tree.field(part, "value"),
            ));
        }
        let who = self.rx.def_name(interface);
        for (key, name, value) in &given {
            let Some((_, _, member)) = members.iter().find(|(member, _, _)| member == name) else {
                refuse(found, LITERAL_FIELDS, tree.range(*key), format!("`{who}` has no `{name}`"));
                continue;
            };
            if let Some(value) = value
                && let Some(wanted) = self.other_value(*member, *value)
            {
                let given = tree.text_of(*value).lines().next().unwrap_or_default();
                let message = mismatch_of(&wanted, given);
                refuse(found, TYPE_MISMATCH, tree.range(*value), message);
            }
        }
        let is_lacking = |(member, is_needed, _): &&(String, bool, GlobalDef)| {
            *is_needed && !given.iter().any(|(_, name, _)| name == member)
        };
        let lacking: Vec<String> =
            members.iter().filter(is_lacking).take(5).map(|(name, _, _)| format!("`{name}`")).collect();
        if !lacking.is_empty() {
            let head = TextRange::new(tree.range(node).start, tree.range(node).start + 1);
            refuse(found, LITERAL_FIELDS, head, format!("`{who}` needs {}", lacking.join(", ")));
        }
        Some(())
    }

    /// The type of a property, where a literal is none of its values.
    fn other_value(&self, property: GlobalDef, value: NodeId) -> Option<String> {
        let (view, def) = (self.rx.file(property.file), self.rx.def(property));
        let ty = def.ty.filter(|_| !def.kind.is_callable() && view.language() == Language::TypeScript)?;
        let kind = self.kind(value)?;
        if let Some(wanted) = self.other_text(view, ty, value).filter(|_| kind == Kind::Text) {
            return Some(wanted);
        }
        let (name, is_nullable) = self.name_of_type(view, ty)?;
        let is_refused = refuses(Language::TypeScript, &name, kind, self.tree.text_of(value), false);
        (is_refused && !is_nullable).then_some(name)
    }

    /// The type of a declaration that is one of some texts and has not the one of a literal.
    fn other_text(&self, view: &FileView, ty: TypeId, node: NodeId) -> Option<String> {
        let (view, ty, name) = match view.ty(ty) {
            TypeExpr::Named { name, args } if args.is_empty() => {
                let alias = self.rx.resolve(view.global_ref(name)).resolution.certain_def()?;
                let own = self.rx.def(alias);
                let is_alias =
                    own.kind == SymbolKind::TypeAlias && own.type_params.is_empty() && is_own(self.rx, alias);
                let home = self.rx.file(alias.file);
                (home, own.ty.filter(|_| is_alias)?, view.ref_name(name).to_owned())
            }
            _ => (view, ty, String::new()),
        };
        let TypeExpr::Union(parts) = view.ty(ty) else { return None };
        let texts: Option<Vec<&str>> = view
            .list(parts)
            .map(|part| match view.ty(part) {
                TypeExpr::Literal(text) => Some(view.name(text)),
                _ => None,
            })
            .collect();
        // Numbers and truths are written as texts are.
        let is_text = |text: &&str| {
            text.starts_with(char::is_alphabetic) && !matches!(*text, "true" | "false" | "null")
        };
        let texts = texts.filter(|texts| texts.iter().all(is_text))?;
        let quotes = ['"', '\''];
        let written = self.tree.text_of(node);
        let is_plain = self.tree.kind(node) == "string" && !written.contains('\\');
        let is_one = texts.contains(&written.trim_matches(quotes));
        let name = if name.is_empty() { texts.join(" | ") } else { name };
        (is_plain && !is_one).then_some(name)
    }

    pub(super) fn kind(&self, node: NodeId) -> Option<Kind> {
        let tree = self.tree;
        if !tree.node(node).is_named {
            return None;
        }
        let text = tree.text_of(node);
        let language = self.file.language();
        match tree.kind(node) {
            "string" if language == Language::Python => {
                let prefix = text.split(['"', '\'']).next().unwrap_or("");
                (!prefix.contains(['b', 'B', 't'])).then_some(Kind::Text)
            }
            "string_literal"
            | "multiline_string_literal"
            | "raw_string_literal"
            | "interpreted_string_literal"
            | "string"
            | "template_string"
            | "encapsed_string" => (!text.starts_with(['b', 'c'])).then_some(Kind::Text),
            "integer_literal" if text.ends_with("f32") || text.ends_with("f64") => Some(Kind::Float),
            "decimal_integer_literal"
            | "hex_integer_literal"
            | "octal_integer_literal"
            | "binary_integer_literal"
            | "number_literal"
            | "integer"
            | "int_literal"
            | "integer_literal"
            | "number" => Some(Kind::Int),
            "decimal_floating_point_literal" | "hex_floating_point_literal" | "float_literal" | "float" => {
                Some(Kind::Float)
            }
            "true" | "false" | "boolean" | "boolean_literal" => Some(Kind::Bool),
            "null_literal" | "null" | "nil" | "none" => Some(Kind::Null),
            "identifier" if language == Language::Kotlin => match text {
                "true" | "false" => Some(Kind::Bool),
                "null" => Some(Kind::Null),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn place(&self, node: NodeId) -> Option<Place> {
        let tree = self.tree;
        let mut inner = node;
        let mut up = tree.parent(node)?;
        const LISTS: &str = "arguments argument_list value_arguments expression_list";
        if tree.is_in(up, LISTS) && tree.children(up).len() > LONGEST_LIST {
            return None;
        }
        while tree.is_in(up, "parenthesized_expression literal_element expression_list")
            && tree.named(up).count() == 1
        {
            inner = up;
            up = tree.parent(up)?;
        }
        let is_kotlin = self.file.language() == Language::Kotlin;
        let field = tree.node(inner).field;
        let first_name = |of: NodeId| child(tree, of, "identifier");
        match tree.kind(up) {
            "variable_declarator"
            | "public_field_definition"
            | "required_parameter"
            | "let_declaration"
            | "const_item"
            | "static_item"
            | "typed_default_parameter"
            | "property_element"
            | "simple_parameter"
            | "property_promotion_parameter"
            | "var_spec"
            | "const_spec" => {
                let is_value =
                    matches!(field, "value" | "default_value") && tree.field(up, "dimensions").is_none();
                let name = tree.field(up, "name").or_else(|| tree.field(up, "pattern"))?;
                is_value.then_some(Place::Declared(name))
            }
            "property_declaration" => {
                let variable = child(tree, up, "variable_declaration")?;
                first_name(variable).map(Place::Declared)
            }
            "class_parameter" => first_name(up).filter(|name| *name != inner).map(Place::Declared),
            "function_value_parameters" => {
                let before = tree.named(up).take_while(|id| *id != inner).last()?;
                first_name(before).filter(|_| tree.kind(before) == "parameter").map(Place::Declared)
            }
            "assignment" if !is_kotlin && tree.field(up, "type").is_some() => {
                tree.field(up, "left").filter(|_| field == "right").map(Place::Declared)
            }
            "assignment" | "assignment_expression" | "assignment_statement" => {
                let is_plain = field == "right" && tree.operator(up) == Some("=");
                tree.field(up, "left").filter(|_| is_plain).map(Place::Written)
            }
            "expression_list" if tree.parent(up).is_some_and(|up| tree.kind(up) == "return_statement") => {
                let index = tree.named(up).position(|id| id == inner)?;
                match self.name_of_function(tree.function_of(up)?)? {
                    Place::Returned(name) if self.file.language() == Language::Go => {
                        Some(Place::Among(name, index))
                    }
                    _ => None,
                }
            }
            "return_statement" | "return_expression" => {
                let is_plain = tree.field(up, "label").is_none() && !tree.text_of(up).starts_with("return@");
                self.name_of_function(tree.function_of(up).filter(|_| is_plain)?)
            }
            "function_body" => self.name_of_function(tree.parent(up)?),
            "block" if tree.named(up).last() == Some(inner) => {
                let function = tree.parent(up).filter(|id| tree.kind(*id) == "function_item")?;
                self.name_of_function(function)
            }
            "value_argument" if tree.named(up).count() == 2 => first_name(up).map(Place::Named),
            "argument" if tree.field(up, "name").is_some() => tree.field(up, "name").map(Place::Named),
            "value_argument" | "argument" => self.argument(up, tree.parent(up)?),
            "argument_list" | "arguments" => self.argument(inner, up),
            "keyword_argument" => tree.field(up, "name").map(Place::Named),
            "field_initializer" => tree.field(up, "field").map(Place::Named),
            "keyed_element" if field == "value" => {
                let key = tree.field(up, "key").and_then(|key| tree.named(key).next())?;
                (tree.kind(key) == "identifier").then_some(Place::Named(key))
            }
            _ => None,
        }
    }

    fn name_of_function(&self, function: NodeId) -> Option<Place> {
        let is_function = self.tree.is_in(
            function,
            "method_declaration function_declaration function_definition function_item method_definition",
        );
        self.tree.field(function, "name").filter(|_| is_function).map(Place::Returned)
    }

    fn argument(&self, argument: NodeId, list: NodeId) -> Option<Place> {
        const OTHERS: &str = "spread_element list_splat dictionary_splat keyword_argument variadic_argument \
            variadic_unpacking variadic_placeholder attribute_item spread_expression";
        let tree = self.tree;
        let all: Vec<NodeId> = tree.named(list).collect();
        let index = all.iter().position(|id| *id == argument)?;
        let is_odd = |id: &NodeId| {
            let is_named = tree.kind(*id) == "value_argument" && tree.named(*id).count() > 1
                || tree.kind(*id) == "argument" && tree.field(*id, "name").is_some();
            is_named
                || tree.is_in(*id, OTHERS)
                || tree.named(*id).next().is_some_and(|inner| tree.is_in(inner, OTHERS))
        };
        if all.iter().any(is_odd) {
            return None;
        }
        let call = tree.parent(list)?;
        let callee = match tree.kind(call) {
            "method_invocation"
            | "member_call_expression"
            | "nullsafe_member_call_expression"
            | "scoped_call_expression" => tree.field(call, "name"),
            "object_creation_expression" => tree.field(call, "type").or_else(|| tree.named(call).next()),
            "call_expression" | "call" | "function_call_expression" => {
                tree.field(call, "function").or_else(|| tree.named(call).next())
            }
            "new_expression" => tree.field(call, "constructor"),
            _ => None,
        };
        let count = all.len() + children(tree, call, "annotated_lambda").count();
        Some(Place::Argument { callee: callee?, index, count })
    }

    /// The name at the end of a path or of a chain of members.
    pub(super) fn named(&self, node: NodeId) -> Option<RefId> {
        let tree = self.tree;
        let mut at = node;
        loop {
            at = match tree.kind(at) {
                "navigation_expression" | "scoped_type_identifier" | "qualified_name" => {
                    tree.named(at).last()?
                }
                "member_expression" => tree.field(at, "property")?,
                "attribute" => tree.field(at, "attribute")?,
                "selector_expression" | "field_expression" | "field_access" => tree.field(at, "field")?,
                "member_access_expression" | "scoped_identifier" => tree.field(at, "name")?,
                "generic_function" => tree.field(at, "function")?,
                "generic_type" => tree.named(at).next()?,
                _ => break,
            };
        }
        const NAMES: &str = "identifier type_identifier field_identifier property_identifier \
            shorthand_field_identifier private_property_identifier name variable_name";
        self.names.at(at).filter(|_| tree.is_in(at, NAMES))
    }

    /// The types of which one is wanted at a place, each by its name and whether it may be nothing.
    pub(super) fn wanted(&self, place: &Place, kind: Kind) -> Option<Vec<(String, bool)>> {
        let (rx, file) = (self.rx, self.file);
        match place {
            Place::Declared(name) | Place::Returned(name) => {
                let start = self.tree.range(*name).start;
                let def = self.defs.get(&start).or_else(|| self.defs.get(&(start + 1)))?;
                // A parameter of PHP with nothing as its value may be nothing.
                let is_parameter = file.def(*def).kind == SymbolKind::Parameter;
                let is_said = kind == Kind::Null && file.language() == Language::Php && is_parameter;
                (!is_said).then(|| self.type_of_def(file.global(*def), kind).map(|one| vec![one])).flatten()
            }
            Place::Among(name, index) => {
                let def = file.def(*self.defs.get(&self.tree.range(*name).start)?);
                let TypeExpr::Tuple(items) = file.ty(def.ty?) else { return None };
                Some(vec![self.name_of_type(file, file.list(items).nth(*index)?)?])
            }
            Place::Written(name) | Place::Named(name) => {
                let def = rx.resolve(file.global_ref(self.named(*name)?)).resolution.certain_def()?;
                let is_variable = matches!(
                    rx.kind(def),
                    SymbolKind::Variable | SymbolKind::Parameter | SymbolKind::Field | SymbolKind::Property
                );
                let is_accessor = [DefFlags::GETTER, DefFlags::SETTER, DefFlags::PROPERTY, DefFlags::VARARG]
                    .iter()
                    .any(|flag| rx.has_flag(def, *flag));
                // A key of a map of Go may be any variable.
                let is_key = matches!(place, Place::Named(_)) && file.language() == Language::Go;
                let may_be_other = is_key && rx.kind(def) != SymbolKind::Field;
                (is_variable && is_own(rx, def) && !is_accessor && !may_be_other)
                    .then(|| self.type_of_def(def, kind).map(|one| vec![one]))
                    .flatten()
            }
            Place::Argument { callee, index, count } => self.wanted_argument(*callee, (*index, *count), kind),
        }
    }

    fn wanted_argument(
        &self,
        callee: NodeId,
        (index, count): (usize, usize),
        kind: Kind,
    ) -> Option<Vec<(String, bool)>> {
        let (rx, file) = (self.rx, self.file);
        let callee = self.named(callee)?;
        let call = file.reference(callee).call?;
        let found = rx.resolve(file.global_ref(callee)).resolution;
        let meant: Option<Vec<GlobalDef>> = found
            .targets
            .iter()
            .map(|target| match target {
                Target::Def(def) if rx.kind(*def).is_callable() => Some(*def),
                Target::Def(def) if rx.kind(*def).is_type() => self.judge.initializer(rx, *def),
                _ => None,
            })
            .collect();
        let mut meant = meant.filter(|meant| !meant.is_empty() && found.confidence.is_certain())?;
        for function in &meant {
            self.judge.arity(rx, file, call, *function)?;
        }
        // Another function of the name may be meant that is not seen to be: one below, or one of other types.
        let is_plain =
            |def: &GlobalDef| rx.kind(*def) == SymbolKind::Function && rx.owner_class(*def).is_none();
        let has_overloads = matches!(file.language(), Language::Java | Language::Kotlin);
        if has_overloads || !meant.iter().all(is_plain) {
            let sites = rx.world().declarations(file.ref_name(callee));
            if sites.len() > MOST_NAMESAKES {
                return None;
            }
            meant.extend(sites.into_iter().map(|site| site.at).filter(|def| rx.kind(*def).is_callable()));
        }
        let mut wanted = Vec::new();
        for function in meant {
            let view = rx.file(function.file);
            let given = self.judge.filled_parameters(view.def(function.def));
            if !declared_arity(rx, function, given).takes(count) {
                continue;
            }
            let params: Vec<DefId> = view.list(view.def(function.def).params).skip(given).collect();
            let is_many = |id: &DefId| {
                [DefFlags::VARARG, DefFlags::KEYWORD_VARARG].iter().any(|flag| view.has_flag(*id, *flag))
            };
            if params.iter().any(is_many) {
                return None;
            }
            wanted.push(self.type_of_def(view.global(*params.get(index)?), kind)?);
        }
        (!wanted.is_empty()).then_some(wanted)
    }

    pub(super) fn type_of_def(&self, def: GlobalDef, kind: Kind) -> Option<(String, bool)> {
        let (view, own) = (self.rx.file(def.file), self.rx.def(def));
        let is_nothing = own.init.is_some_and(|init| matches!(view.expr(init), Expr::Literal(Literal::Null)));
        // The initial value itself says nothing of a parameter that is given another one.
        let is_given = own.kind == SymbolKind::Parameter && self.file.language() == Language::Php;
        if kind == Kind::Null && is_nothing && is_given || view.language() != self.file.language() {
            return None;
        }
        // The comment of PHP says which type it is, and the code that nothing may stand for it.
        let may_be_null = |head: &str| head.contains(['?', '|']) || head.contains("mixed");
        let is_in_doubt = kind == Kind::Null && view.language() == Language::Php && view.id == self.file.id;
        if is_in_doubt && may_be_null(self.head(def.def)) {
            return None;
        }
        self.name_of_type(view, own.ty?).filter(|(name, _)| self.is_in_code(view, def.def, name))
    }

    /// Whether a type stands in code, and not only in a comment, which may say more or less of a value in PHP than holds.
    fn is_in_code(&self, view: &FileView, id: DefId, name: &str) -> bool {
        let def = view.def(id);
        if view.language() != Language::Php {
            return true;
        }
        if view.id != self.file.id {
            let around = view.scope(def.scope).owner;
            return def.doc.is_none() && around.is_none_or(|function| view.def(function).doc.is_none());
        }
        let head = self.head(id);
        let written = name.trim_start_matches(OF_PROJECT);
        head.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word.eq_ignore_ascii_case(written))
    }

    /// The text of a declaration in which its type stands: before the name of a variable, behind the parameters of a function.
    fn head(&self, id: DefId) -> &str {
        let def = self.file.def(id);
        if !def.kind.is_callable() {
            return self.tree.slice(TextRange::new(def.range.start, def.name_range.start));
        }
        let head = self.tree.slice(TextRange::new(def.name_range.end, def.range.end));
        head.split_once(')').map_or("", |(_, rest)| rest.split(['{', ';']).next().unwrap_or(""))
    }

    pub(super) fn name_of_type(&self, view: &FileView, ty: TypeId) -> Option<(String, bool)> {
        match view.ty(ty) {
            TypeExpr::Primitive(name) => Some((view.name(name).to_owned(), false)),
            TypeExpr::Nullable(inner) => self.name_of_type(view, inner).map(|(name, _)| (name, true)),
            TypeExpr::Reference(inner) => {
                let (name, _) = self.name_of_type(view, inner)?;
                (name == "str").then(|| ("&str".to_owned(), false))
            }
            TypeExpr::Array(_) | TypeExpr::Slice(_) if view.language() != Language::Php => {
                Some(("[]".to_owned(), false))
            }
            TypeExpr::Named { name, args }
                if args.is_empty() || crate::refactor::tree::has(CONTAINERS, view.ref_name(name)) =>
            {
                let found = self.rx.resolve(view.global_ref(name)).resolution;
                let is_plain = view.reference(name).receiver.is_none();
                if !is_plain {
                    return None;
                }
                let mut own = found.defs().filter(|def| is_own(self.rx, *def)).peekable();
                if own.peek().is_none() {
                    return Some((view.ref_name(name).to_owned(), false));
                }
                own.all(|def| holds_no_literal(self.rx, def) && args.is_empty())
                    .then(|| (format!("{OF_PROJECT}{}", view.ref_name(name)), false))
            }
            _ => None,
        }
    }
}

/// Lists with more children are not looked at.
const LONGEST_LIST: usize = 512;

/// Functions of one name that are looked at.
const MOST_NAMESAKES: usize = 64;

/// The members of an interface of the project and whether a value must have them; `None` where others may be.
pub(super) fn members(rx: &Resolver, interface: GlobalDef) -> Option<Vec<(String, bool, GlobalDef)>> {
    let of = Ty::instance(interface);
    if rx.kind(interface) != SymbolKind::Interface || !super::knows_supers(rx, &of) {
        return None;
    }
    let mut all = Vec::new();
    for part in rx.linearization(&of).iter().filter_map(Ty::def) {
        let view = rx.file(part.file);
        let own = view.def(part.def);
        let is_plain = rx.kind(part) == SymbolKind::Interface
            && is_own(rx, part)
            && own.type_params.is_empty()
            && rx.world().declarations(rx.def_name(part)).len() == 1
            && view.named_in_scope(own.scope, rx.def_name(part)).len() == 1
            && super::ecma::is_closed(rx, part);
        for id in view.all_in_scope(own.body.filter(|_| is_plain)?) {
            let member = view.def(*id);
            let name = view.def_name(*id);
            let is_member = matches!(
                member.kind,
                SymbolKind::Field | SymbolKind::Property | SymbolKind::Method | SymbolKind::Function
            );
            // Calls, constructors and indexes have no name of their own.
            if !is_member || name.is_empty() || member.name_range.is_empty() {
                return None;
            }
            let name = name.trim_matches(['"', '\'']).to_owned();
            all.push((name, !member.flags.has(DefFlags::OPTIONAL), view.global(*id)));
        }
    }
    (!all.is_empty()).then_some(all)
}
