//! Types as a file could write them: of variables, and of expressions. A type that is not known for certain is not
//! written.

use ide_model::{Family, Language, SymbolKind, TextRange, paths};

use super::RefactorContext;
use super::tree::{NodeId, Syntax, has};
use crate::facts::{Def, DefFlags, Expr, ExprId, Import, ImportKind, RefId, Role, TypeExpr, TypeId};
use crate::query::definition::{At, target_at};
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// How a language writes types that are not names.
pub(super) struct Words {
    language: Language,
    boolean: &'static str,
    string: &'static str,
    /// `kind=type` for literals.
    literals: &'static str,
    /// Around the arguments of a generic type; empty where resolved types say too little to be written: there references
    /// or `null` are part of a type, and the resolver does not keep them.
    arguments: &'static str,
    array: &'static str,
    pointer: &'static str,
    /// The type of a variadic parameter in its function, and the types that are packed into a list of their own.
    varargs: &'static str,
    packed: &'static str,
    /// Kinds of nodes that are types, where they have no field of their own.
    types: &'static str,
    /// A type that says that the value says it.
    inferred: &'static str,
    /// Types of numbers from narrow to wide, where an operation on two has the wider one.
    ranks: &'static str,
    /// `letter=type` for the ends of numbers.
    suffixes: &'static str,
    /// The side of `+` that makes a text of both.
    joins: &'static str,
    /// `name=type` for methods of the standard library that give the same whatever they are called on.
    methods: &'static str,
    /// `name` for functions of a type that give a value of it.
    makers: &'static str,
    /// Names of other packages stand behind the name of their package.
    pub(super) is_qualified: bool,
}

impl Words {
    fn list_of(&self, item: &str) -> String {
        if has(self.packed, item) { format!("{item}Array") } else { self.varargs.replace("{type}", item) }
    }
}

/// Operators that give a truth value.
const COMPARE: &str = "== != < > <= >= && || ! === !== in is instanceof !in !is and or not";

const WORDS: &[Words] = &[
    Words {
        language: Language::Java,
        boolean: "boolean",
        string: "String",
        literals: "decimal_integer_literal=int string_literal=String true=boolean false=boolean character_literal=char \
            hex_integer_literal=int octal_integer_literal=int binary_integer_literal=int \
            decimal_floating_point_literal=double",
        arguments: "<>",
        array: "[]",
        pointer: "",
        varargs: "{type}[]",
        packed: "",
        types: "",
        inferred: "var",
        ranks: "int long float double",
        suffixes: "l=long f=float d=double",
        joins: "left right",
        methods: "",
        makers: "",
        is_qualified: false,
    },
    Words {
        language: Language::Kotlin,
        boolean: "Boolean",
        string: "String",
        literals: "number_literal=Int string_literal=String multiline_string_literal=String character_literal=Char \
            float_literal=Double",
        arguments: "",
        array: "",
        pointer: "",
        varargs: "Array<out {type}>",
        packed: "Boolean Byte Char Double Float Int Long Short UByte UInt ULong UShort",
        types: "user_type nullable_type function_type parenthesized_type non_nullable_type",
        inferred: "",
        ranks: "",
        suffixes: "l=Long f=Float",
        joins: "left",
        methods: "",
        makers: "",
        is_qualified: false,
    },
    Words {
        language: Language::TypeScript,
        boolean: "boolean",
        string: "string",
        literals: "string=string number=number true=boolean false=boolean template_string=string regex=RegExp",
        arguments: "",
        array: "",
        pointer: "",
        varargs: "{type}",
        packed: "",
        types: "",
        inferred: "",
        ranks: "",
        suffixes: "n=bigint",
        joins: "",
        methods: "",
        makers: "",
        is_qualified: false,
    },
    Words {
        language: Language::Go,
        boolean: "bool",
        string: "string",
        literals: "int_literal=int float_literal=float64 interpreted_string_literal=string raw_string_literal=string \
            rune_literal=rune true=bool false=bool",
        arguments: "[]",
        array: "",
        pointer: "*",
        varargs: "[]{type}",
        packed: "",
        types: "",
        inferred: "",
        ranks: "",
        suffixes: "",
        joins: "",
        methods: "",
        makers: "",
        is_qualified: true,
    },
    Words {
        language: Language::Rust,
        boolean: "bool",
        string: "",
        literals: "boolean_literal=bool char_literal=char string_literal=&str raw_string_literal=&str",
        arguments: "",
        array: "",
        pointer: "",
        varargs: "{type}",
        packed: "",
        types: "",
        inferred: "_",
        ranks: "",
        suffixes: "",
        joins: "",
        methods: "len=usize capacity=usize count=usize leading_zeros=u32 trailing_zeros=u32 leading_ones=u32 \
            trailing_ones=u32 count_ones=u32 count_zeros=u32 to_string=String is_empty=bool is_some=bool is_none=bool \
            is_ok=bool is_err=bool starts_with=bool ends_with=bool contains=bool contains_key=bool eq=bool ne=bool",
        makers: "default from",
        is_qualified: false,
    },
];

/// Types whose operators give the type of their left side.
const RUST_NUMBERS: &str = "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64";

/// Writes types for one file.
pub(super) struct TypeWriter<'a> {
    pub(super) ctx: &'a RefactorContext<'a>,
    pub(super) rx: &'a Resolver,
    pub(super) file: &'a FileView,
    pub(super) syntax: &'a Syntax,
}

/// Deeper initial values are not followed.
pub(super) const MAX_DEPTH: u32 = 8;

/// Patterns that take a value apart: a type beside them is not that of the names in them.
const PARTS: &str = "tuple_pattern tuple_struct_pattern struct_pattern slice_pattern reference_pattern object_pattern \
    array_pattern";

impl TypeWriter<'_> {
    pub(super) fn words(&self) -> Option<&'static Words> {
        WORDS.iter().find(|words| words.language == self.file.language())
    }

    /// The type of a local variable.
    pub(super) fn of_variable(&self, name: TextRange) -> Option<String> {
        self.of_variable_at(name, 0)
    }

    fn of_variable_at(&self, name: TextRange, depth: u32) -> Option<String> {
        let words = self.words()?;
        let node = self.syntax.around(name);
        if let Some(written) = self.declared(node).filter(|written| written != words.inferred) {
            return Some(written);
        }
        if let Some(value) = self.initial(node)
            && let Some(ty) = self.of_value_at(value, depth + 1)
        {
            return Some(ty);
        }
        if let Some(ty) = self.of_binding(node, depth) {
            return Some(ty);
        }
        let At::Def(def) = target_at(self.file, name.start)? else { return None };
        self.written(&self.rx.def_type(self.file.global(def)))
    }

    /// The type that stands beside a name that is declared.
    fn declared(&self, name: NodeId) -> Option<String> {
        let syntax = self.syntax;
        let words = self.words()?;
        for at in syntax.ancestors(name).skip(1).take(3) {
            if [syntax.shape.functions, syntax.shape.blocks, PARTS]
                .iter()
                .any(|kinds| syntax.is_in(at, kinds))
            {
                return None;
            }
            let plain = syntax.field(at, "type").or_else(|| {
                let is_type =
                    |child: &NodeId| syntax.is_in(*child, words.types) || syntax.kind(*child) == "catch_type";
                syntax.named(at).find(is_type)
            });
            let spread = || {
                let is_type = |id: &NodeId| !has("modifiers variable_declarator", syntax.kind(*id));
                (syntax.kind(at) == "spread_parameter").then(|| syntax.named(at).find(is_type)).flatten()
            };
            if let Some(ty) = plain.or_else(spread) {
                let text = syntax.text_of(ty).trim_start_matches(':').trim();
                let dimensions = syntax
                    .ancestors(name)
                    .take(3)
                    .find_map(|id| syntax.field(id, "dimensions"))
                    .map(|id| syntax.text_of(id));
                if text.contains('|') && syntax.kind(ty) == "catch_type" {
                    return None;
                }
                let optional = if syntax.kind(at) == "optional_parameter" { " | undefined" } else { "" };
                let ends_open = syntax.named(ty).last().or(Some(ty)).is_some_and(|id| {
                    has("function_type constructor_type conditional_type infer_type", syntax.kind(id))
                });
                let text =
                    if ends_open && !optional.is_empty() { format!("({text})") } else { text.to_owned() };
                let text = if self.is_vararg(at) { words.list_of(&text) } else { text };
                return Some(format!("{text}{}{optional}", dimensions.unwrap_or("")));
            }
        }
        None
    }

    /// Whether a parameter takes any number of values.
    fn is_vararg(&self, parameter: NodeId) -> bool {
        let syntax = self.syntax;
        if has("spread_parameter variadic_parameter_declaration", syntax.kind(parameter))
            || syntax.children(parameter).iter().any(|child| syntax.kind(*child) == "vararg")
        {
            return true;
        }
        let Some(list) = syntax.parent(parameter).filter(|_| syntax.kind(parameter) == "parameter") else {
            return false;
        };
        let before = syntax.named(list).take_while(|id| *id != parameter).last();
        let modifiers = before.filter(|id| syntax.kind(*id) == "parameter_modifiers");
        modifiers.is_some_and(|id| syntax.text_of(id).split_whitespace().any(|word| word == "vararg"))
    }

    /// The value that a declaration of this one name starts with.
    fn initial(&self, name: NodeId) -> Option<NodeId> {
        let syntax = self.syntax;
        // A parameter without a type has that of its default value.
        let parameter =
            syntax.parent(name).filter(|id| has("required_parameter optional_parameter", syntax.kind(*id)));
        if let Some(value) = parameter.and_then(|id| syntax.field(id, "value")) {
            return Some(value);
        }
        let declarator =
            syntax.ancestors(name).take(4).find(|id| syntax.is_in(*id, syntax.shape.declarators))?;
        initial_value(syntax, declarator, name)
    }

    /// The type of an expression.
    pub(super) fn of_value(&self, node: NodeId) -> Option<String> {
        let ty = self.of_value_at(node, 0).filter(|ty| !self.loses_wildcard(node, ty))?;
        // The class of an object may be one below that of its type.
        let is_class_of = self.syntax.kind(node) == "method_invocation"
            && self.syntax.field(node, "name").is_some_and(|name| self.syntax.text_of(name) == "getClass");
        match ty.strip_prefix("Class<").filter(|_| is_class_of) {
            Some(of) if of.starts_with('?') => Some(ty),
            Some(of) if of.contains('<') => None,
            Some(of) => Some(format!("Class<? extends {of}")),
            None => Some(ty),
        }
    }

    /// Whether a type argument of the object of a call or field is a wildcard that the type of the value says like a type.
    fn loses_wildcard(&self, node: NodeId, ty: &str) -> bool {
        let (rx, syntax) = (self.rx, self.syntax);
        let Some((_, arguments)) = ty.split_once('<').filter(|_| !ty.contains('?')) else { return false };
        let object = syntax.field(node, "object").filter(|_| syntax.shape.declare.contains("{type}"));
        let Some(object) = object.map(|object| syntax.range(object)) else { return false };
        let is_said = |bound: &str| arguments.split(|c: char| !c.is_alphanumeric()).any(|word| word == bound);
        self.file.by_place().refs.within(object).any(|r| {
            let meant = rx.resolve(self.file.global_ref(r)).resolution;
            meant.defs().any(|def| {
                let view = rx.file(def.file);
                let mut todo: Vec<(TypeId, u32)> = rx.def(def).ty.map(|ty| (ty, 0)).into_iter().collect();
                while let Some((ty, depth)) = todo.pop().filter(|(_, depth)| *depth <= MAX_DEPTH) {
                    match view.ty(ty) {
                        TypeExpr::Wildcard(None) if is_said("Object") => return true,
                        TypeExpr::Wildcard(Some(bound)) => match view.ty(bound) {
                            TypeExpr::Named { name, .. } if is_said(view.ref_name(name)) => return true,
                            _ => {}
                        },
                        TypeExpr::Named { args, .. } => {
                            todo.extend(view.list(args).map(|arg| (arg, depth + 1)));
                        }
                        TypeExpr::Array(inner) => todo.push((inner, depth + 1)),
                        _ => {}
                    }
                }
                false
            })
        })
    }

    pub(super) fn of_value_at(&self, node: NodeId, depth: u32) -> Option<String> {
        let syntax = self.syntax;
        let words = self.words()?;
        if depth > MAX_DEPTH {
            return None;
        }
        let kind = syntax.kind(node);
        let text = syntax.text_of(node);
        if let Some((_, ty)) = words
            .literals
            .split_ascii_whitespace()
            .filter_map(|row| row.split_once('='))
            .find(|(k, _)| *k == kind)
        {
            return literal_type(words, ty, text);
        }
        match kind {
            "parenthesized_expression" => return self.of_value_at(syntax.named(node).next()?, depth + 1),
            "cast_expression"
            | "type_assertion_expression"
            | "type_cast_expression"
            | "composite_literal"
            | "struct_expression" => {
                let ty = syntax.field(node, "type").or_else(|| syntax.field(node, "name"))?;
                let text = syntax.text_of(ty);
                let is_cut = text.contains("...") || kind == "struct_expression" && text.contains("::<");
                return (!is_cut).then(|| text.to_owned());
            }
            "object_creation_expression" => {
                let text = syntax.text_of(syntax.field(node, "type")?);
                let is_plain = !text.contains("<>")
                    && !syntax.named(node).any(|child| syntax.kind(child) == "class_body");
                return is_plain.then(|| text.to_owned());
            }
            "as_expression" if !words.types.is_empty() => {
                let ty = syntax.text_of(syntax.named(node).nth(1)?);
                return Some(if text.contains("as?") { format!("{ty}?") } else { ty.to_owned() });
            }
            "instanceof_expression" | "is_expression" | "in_expression" | "comparison_operator" => {
                return Some(words.boolean.to_owned());
            }
            _ => {}
        }
        if syntax.is_in(node, syntax.shape.binary) || syntax.is_in(node, syntax.shape.unary) {
            return self.of_operation(node, words, depth);
        }
        self.of_form(node, depth).or_else(|| self.of_name(node, depth))
    }

    fn of_operation(&self, node: NodeId, words: &Words, depth: u32) -> Option<String> {
        let syntax = self.syntax;
        let operator = syntax.operator(node)?;
        if has(COMPARE, operator) {
            return Some(words.boolean.to_owned());
        }
        let mut operands = syntax.named(node);
        let left = operands.next().and_then(|operand| self.of_value_at(operand, depth + 1));
        let Some(right) = operands.next() else {
            return match operator {
                "&" => left
                    .filter(|ty| !ty.starts_with('&'))
                    .map(|ty| format!("{}{ty}", if words.pointer.is_empty() { "&" } else { "*" })),
                "-" | "+" | "~" if !matches!(left.as_deref(), Some("byte" | "short" | "char")) => left,
                "*" => left?.strip_prefix('*').map(str::to_owned),
                _ => None,
            };
        };
        let right = self.of_value_at(right, depth + 1);
        let is_string = |side: &Option<String>| side.as_deref() == Some(words.string);
        if operator == "+"
            && (has(words.joins, "left") && is_string(&left)
                || has(words.joins, "right") && is_string(&right))
        {
            return Some(words.string.to_owned());
        }
        let is_literal =
            |side: Option<NodeId>| side.is_some_and(|side| syntax.is_in(side, syntax.shape.literals));
        if words.inferred == "_" {
            let number = if is_literal(syntax.named(node).next()) { right } else { left };
            return number.filter(|ty| has(RUST_NUMBERS, ty));
        }
        let (left, right) = (left?, right?);
        // Constants take the type of the other side.
        let is_left = is_literal(syntax.named(node).last()) || has("<< >>", operator);
        if words.is_qualified && is_left {
            return Some(left);
        }
        if words.is_qualified && is_literal(syntax.named(node).next()) {
            return Some(right);
        }
        if words.ranks.is_empty() {
            return (left == right).then_some(left);
        }
        let ranks: Vec<&str> = words.ranks.split_ascii_whitespace().collect();
        let rank = |ty: &str| match ty {
            "byte" | "short" | "char" => Some(0),
            other => ranks.iter().position(|rank| *rank == other),
        };
        let (a, b) = (rank(&left)?, rank(&right)?);
        Some(ranks[if has("<< >> >>>", operator) { a } else { a.max(b) }].to_owned())
    }

    /// The type of a call that needs no look at what is called: of methods that give the same everywhere, and of functions
    /// that make a value of the type before them.
    fn of_known_call(&self, reference: RefId) -> Option<String> {
        let (words, name) = (self.words()?, self.file.ref_name(reference));
        let receiver = self.file.reference(reference).receiver?;
        if has(words.makers, name) {
            let Expr::Ref(owner) = self.file.expr(receiver) else { return None };
            let resolved = self.rx.resolve(self.file.global_ref(owner));
            let is_plain = |target: &Target| match target {
                Target::Def(def) => self.rx.def(*def).kind.is_type() && self.rx.type_params(*def).is_empty(),
                _ => false,
            };
            let is_type = resolved.resolution.confidence.is_certain()
                && matches!(&resolved.resolution.targets[..], [target] if is_plain(target));
            return is_type.then(|| self.syntax.slice(self.file.reference(owner).range).to_owned());
        }
        let mut rows = words.methods.split_ascii_whitespace().filter_map(|row| row.split_once('='));
        rows.find(|(method, _)| *method == name).map(|(_, ty)| ty.to_owned())
    }

    /// The type of a name, a member or a call.
    fn of_name(&self, node: NodeId, depth: u32) -> Option<String> {
        let reference = self.last_name(node)?;
        let file = self.file;
        let resolved = self.rx.resolve(file.global_ref(reference));
        let is_ours = |target: &Target| matches!(target, Target::Def(_));
        let is_outside = !resolved.resolution.targets.iter().any(is_ours);
        if is_outside && self.syntax.is_in(node, self.syntax.shape.calls) {
            return self.of_known_call(reference);
        }
        if !resolved.resolution.confidence.is_certain() {
            return None;
        }
        let is_call = self.syntax.is_in(node, self.syntax.shape.calls);
        if let [Target::Def(def)] = &resolved.resolution.targets[..]
            && let Some(written) = self.of_declaration(*def, is_call, depth)
        {
            return Some(written);
        }
        let expr = if is_call { file.reference(reference).call } else { self.value_of_ref(reference) }?;
        self.written(&self.rx.expr_type(file, expr))
    }

    fn value_of_ref(&self, reference: RefId) -> Option<ExprId> {
        let at = self.file.exprs.iter().position(|expr| *expr == Expr::Ref(reference))?;
        Some(ExprId(at as u32))
    }

    /// The reference of the name that decides what a chain of members and calls is.
    pub(super) fn last_name(&self, node: NodeId) -> Option<RefId> {
        let syntax = self.syntax;
        let mut at = node;
        for _ in 0..4 {
            if let Some(callee) = ["function", "name"]
                .iter()
                .find_map(|field| syntax.field(at, field))
                .filter(|_| syntax.is_in(at, syntax.shape.calls))
            {
                at = callee;
            } else if let Some(member) =
                ["field", "property", "name", "attribute"].iter().find_map(|field| syntax.field(at, field))
            {
                at = member;
            } else if has("call_expression navigation_expression", syntax.kind(at)) {
                let named: Vec<NodeId> = syntax.named(at).collect();
                at = if syntax.kind(at) == "call_expression" { *named.first()? } else { *named.last()? };
            } else {
                break;
            }
        }
        let range = syntax.range(at);
        self.file.ref_ids().find(|r| {
            let reference = self.file.reference(*r);
            reference.range == range
                && matches!(reference.role, Role::Read | Role::Call | Role::New | Role::ReadWrite)
        })
    }

    /// The type that a declaration says, if this file can say it too.
    fn of_declaration(&self, def: GlobalDef, is_call: bool, depth: u32) -> Option<String> {
        let d = self.rx.def(def);
        if d.kind.is_callable() != is_call || d.kind == SymbolKind::Constructor {
            return None;
        }
        if d.flags.has(DefFlags::ASYNC) || d.flags.has(DefFlags::SUSPEND) && !is_call {
            return None;
        }
        if def.file == self.file.id && !is_call {
            return self.of_variable_at(d.name_range, depth + 1);
        }
        if def.file == self.file.id {
            return self.result_type(self.rx.file(def.file), self.syntax, d);
        }
        let (home, syntax) = self.home_of(def)?;
        if is_call {
            return self.result_type(home, &syntax, d);
        }
        let name = syntax.around(d.name_range);
        let words = self.words()?;
        let beside = |id: NodeId| {
            let is_type = |child: &NodeId| {
                syntax.is_in(*child, words.types) && syntax.range(*child).start >= d.name_range.end
            };
            syntax.field(id, "type").or_else(|| syntax.named(id).find(is_type))
        };
        let ty = syntax.ancestors(name).skip(1).take(2).find_map(beside)?;
        self.sayable(home, &syntax, ty)
    }

    /// The result type of a function as it is written there.
    fn result_type(&self, home: &FileView, syntax: &Syntax, d: &Def) -> Option<String> {
        let name = syntax.around(d.name_range);
        let function = syntax.parent(name)?;
        let ty = ["return_type", "result", "type"]
            .iter()
            .find_map(|field| syntax.field(function, field))
            .or_else(|| {
                let words = self.words()?;
                syntax.named(function).find(|child| syntax.is_in(*child, words.types))
            })?;
        if syntax.kind(ty) == "parameter_list" || syntax.text_of(ty) == "void" {
            return None;
        }
        self.sayable(home, syntax, ty)
    }

    /// The text of a type of some file, if every name in it means the same in this file.
    pub(super) fn sayable(&self, home: &FileView, syntax: &Syntax, ty: NodeId) -> Option<String> {
        let range = syntax.range(ty);
        let inside = home.by_place().refs.within(range);
        let mut is_same = true;
        let mut packages: Vec<(u32, String)> = Vec::new();
        for r in inside.filter(|r| !self.is_qualifier(home, syntax, *r)) {
            let resolved = self.rx.resolve(home.global_ref(r));
            let targets = &resolved.resolution.targets;
            let name = home.ref_name(r);
            let is_parameter = targets.iter().any(|target| match target {
                Target::Def(def) => self.rx.def(*def).kind == SymbolKind::TypeParameter,
                _ => false,
            });
            let is_here = match home.reference(r).receiver {
                Some(_) => targets.iter().any(|target| self.has_same_qualifier(home, syntax, r, target)),
                None => targets.iter().any(|target| self.is_known(name, target)),
            };
            if !is_here
                && home.reference(r).receiver.is_none()
                && let Some(package) = targets.iter().find_map(|target| self.qualifier(target))
            {
                packages.push((home.reference(r).range.start - range.start, package));
                continue;
            }
            is_same &= !is_parameter && is_here;
        }
        let mut text = syntax.text_of(ty).to_owned();
        for (at, package) in packages.iter().rev() {
            text.insert_str(*at as usize, &format!("{package}."));
        }
        let text = text.trim_start_matches(':').trim();
        let is_own =
            has("Self this", text) || text.contains("Self") || text.contains("impl ") || text.contains('\'');
        (is_same && !is_own).then(|| text.to_owned())
    }

    /// Whether a name of this file means a target.
    fn is_known(&self, name: &str, target: &Target) -> bool {
        let file = self.file;
        let used = file.name_id(name).is_some_and(|id| {
            file.ref_ids().any(|r| {
                file.reference(r).name == id
                    && file.reference(r).receiver.is_none()
                    && self.rx.resolve(file.global_ref(r)).resolution.targets.contains(target)
            })
        });
        let near = match target {
            Target::Def(def) if def.file == file.id => self.rx.member_owner(*def).is_none(),
            Target::Def(def) => {
                let home = self.rx.file(def.file);
                let has_packages = matches!(file.family(), Family::Jvm | Family::Go);
                let package = |view: &FileView| view.package.map(|name| view.name(name).to_owned());
                let policy = self.rx.policy(file);
                let is_implied =
                    package(home).is_some_and(|package| policy.implied_packages().contains(&&*package));
                // A name from a star import gives way to a name of the file's own package.
                let is_starred = || {
                    let star = |import: &Import| {
                        import.kind == ImportKind::Star
                            && Some(file.name(import.module)) == package(home).as_deref()
                    };
                    let own =
                        package(file).map_or_else(|| name.to_owned(), |package| format!("{package}.{name}"));
                    let is_own = |found: &GlobalDef| {
                        package(self.rx.file(found.file)) == package(file)
                            && self.rx.member_owner(*found).is_none()
                    };
                    let found = || policy.by_qualified_name(self.rx, &own);
                    let is_taken = || found().is_ok_and(|found| found.iter().any(is_own));
                    file.family() == Family::Jvm && file.imports.iter().any(star) && !is_taken()
                };
                let is_beside = has_packages
                    && package(home) == package(file)
                    && (file.family() == Family::Jvm
                        || paths::directory(&home.path) == paths::directory(&file.path));
                self.rx.member_owner(*def).is_none() && (is_beside || is_implied || is_starred())
            }
            Target::External(qualified) => {
                qualified.starts_with("java.lang.")
                    || self.is_qualified() && qualified.starts_with("builtin.")
            }
            _ => false,
        };
        used || near
    }

    /// A resolved type in the words of this file.
    pub(super) fn written(&self, ty: &Ty) -> Option<String> {
        let words = self.words()?;
        if words.arguments.is_empty() {
            return None;
        }
        match ty {
            Ty::Primitive(name) if &**name != "void" => Some(name.to_string()),
            Ty::Instance(def, args) => {
                let d = self.rx.def(*def);
                let name = self.rx.shared_name(*def);
                let params = self.rx.type_params(*def).len();
                if d.flags.has(DefFlags::ANONYMOUS)
                    || !self.is_known(&name, &Target::Def(*def))
                    || params != args.len()
                {
                    return None;
                }
                let args: Option<Vec<String>> = args.iter().map(|arg| self.argument(arg)).collect();
                let args = args?;
                let (open, close) = words.arguments.split_at(1);
                Some(if args.is_empty() {
                    name.to_string()
                } else {
                    format!("{name}{open}{}{close}", args.join(", "))
                })
            }
            Ty::Array(item) if !words.array.is_empty() => {
                Some(format!("{}{}", self.written(item)?, words.array))
            }
            Ty::Pointer(to) if !words.pointer.is_empty() => {
                Some(format!("{}{}", words.pointer, self.written(to)?))
            }
            Ty::Param(def) if def.file == self.file.id => Some(self.rx.shared_name(*def).to_string()),
            _ => None,
        }
    }

    fn argument(&self, ty: &Ty) -> Option<String> {
        let written = self.written(ty)?;
        let is_boxed = self.words().is_some_and(|words| !words.ranks.is_empty());
        (!(is_boxed && matches!(ty, Ty::Primitive(_)))).then_some(written)
    }
}

fn literal_type(words: &Words, ty: &str, text: &str) -> Option<String> {
    let suffix = text.chars().last().filter(char::is_ascii_alphabetic).map(|c| c.to_ascii_lowercase());
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let is_hex = text.starts_with("0x") || text.starts_with("0X");
    let Some(suffix) = suffix.filter(|c| is_number && (!is_hex || *c == 'l')) else {
        return Some(ty.to_owned());
    };
    let rows = words.suffixes.split_ascii_whitespace().filter_map(|row| row.split_once('='));
    rows.into_iter().find(|(letter, _)| letter.starts_with(suffix)).map(|(_, ty)| ty.to_owned())
}

/// The value that the declaration of a single name starts with.
pub(super) fn initial_value(syntax: &Syntax, declarator: NodeId, name: NodeId) -> Option<NodeId> {
    let shape = syntax.shape;
    let (name, range) = (syntax.range(name), syntax.range(declarator));
    let value = if shape.value_field.is_empty() {
        let named: Vec<NodeId> = syntax.named(declarator).collect();
        let last = *named.last()?;
        let follows = syntax.children(declarator).iter().any(|child| syntax.kind(*child) == "=");
        (follows && syntax.range(last).start > name.end).then_some(last)?
    } else {
        syntax.field(declarator, shape.value_field).or_else(|| syntax.field(declarator, "value"))?
    };
    // Several names on the left share the values on the right.
    let left = ["name", "left", "pattern"].iter().find_map(|field| syntax.field(declarator, field));
    let is_single =
        left.is_none_or(|left| syntax.range(left) == name || syntax.range(left).len() <= name.len() + 1);
    if !is_single || !range.encloses(name) {
        return None;
    }
    if syntax.kind(value) == "expression_list" {
        let mut values = syntax.named(value);
        let only = values.next()?;
        return values.next().is_none().then_some(only);
    }
    Some(value)
}
