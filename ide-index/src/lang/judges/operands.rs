//! Operands and conditions of types that an operator does not take, and values of one plain type where another is wanted.
//!
//! Only literals and declarations with a built-in type count: a project cannot give these types operators, except in Kotlin,
//! where it must not declare a function for the operator (`operator fun String.minus(…)`).

use ide_model::{Language, SymbolKind, TextRange};

use super::statements::{NOT_CALLABLE, TYPE_MISMATCH, is_in_macro, may_be_rewritten, refuse};
use super::values::{CONTAINERS, GO_NUMBERS, Kind, OF_PROJECT, RUST_WHOLE, Values, refuses};
use super::{MOST_NAMESAKES, is_own};
use crate::check::{Refused, is_certain_value};
use crate::facts::{Def, DefFlags, Expr, ExprId, Literal, RefId, Role, TypeExpr};
use crate::refactor::tree::{NodeId, has};
use crate::resolve::FileView;
use crate::world::GlobalDef;

/// A value of a known kind, with the name of its type where it is declared with one.
#[derive(Clone)]
struct Given {
    kind: Kind,
    ty: Option<String>,
}

impl Given {
    fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Int | Kind::Float)
    }

    fn is_like(&self, other: &Self) -> bool {
        self.kind == other.kind || self.is_number() && other.is_number()
    }

    fn is_text(&self) -> bool {
        self.kind == Kind::Text
    }

    fn shown(&self) -> String {
        let plain = match self.kind {
            Kind::Text => "a string",
            Kind::Int => "an integer",
            Kind::Float => "a number",
            Kind::Bool => "a boolean",
            Kind::Null | Kind::Void => "nothing",
        };
        self.ty.as_ref().map_or_else(|| plain.to_owned(), |ty| format!("`{ty}`"))
    }
}

/// The kind of the values of a type that a language has by itself.
fn kind_of(language: Language, name: &str) -> Option<Kind> {
    if name == "void" {
        return Some(Kind::Void);
    }
    let (text, whole, float, truth) = match language {
        Language::Java => {
            ("String", "int long short Integer Long Short", "float double Float Double", "boolean Boolean")
        }
        Language::Kotlin => ("String", "Int Long Short", "Float Double", "Boolean"),
        Language::Go => ("string", GO_NUMBERS, "", "bool"),
        Language::Rust => ("String &str str", RUST_WHOLE, "f32 f64", "bool"),
        Language::TypeScript => ("string", "", "number", "boolean"),
        Language::Python => ("str", "int", "float", ""),
        _ => return None,
    };
    let kinds = [(text, Kind::Text), (whole, Kind::Int), (float, Kind::Float), (truth, Kind::Bool)];
    let (_, kind) = kinds.into_iter().find(|(names, _)| has(names, name))?;
    Some(if name.starts_with("float") { Kind::Float } else { kind })
}

/// Whether an operator takes no operand of a kind, whatever the other one is.
fn refuses_one(language: Language, op: &str, is_left: bool, of: &Given) -> bool {
    let is_logical = matches!(op, "&&" | "||");
    let is_plain = matches!(op, "-" | "*" | "/" | "%");
    let (is_text, is_truth) = (of.is_text(), of.kind == Kind::Bool);
    match language {
        Language::Java | Language::Go => is_logical && !is_truth || is_plain && (is_text || is_truth),
        Language::Kotlin => is_logical && !is_truth || is_left && is_plain && (is_text || is_truth),
        Language::Rust => is_logical && !is_truth,
        Language::TypeScript => (is_plain || op == "**") && (is_text || is_truth),
        _ => false,
    }
}

/// Whether an operator does not take two operands of two kinds together.
fn refuses_both(language: Language, op: &str, a: &Given, b: &Given) -> bool {
    use Kind::{Bool, Null};
    if a.kind == Null || b.kind == Null {
        return false;
    }
    let is_other = !a.is_like(b);
    let has_text = a.is_text() || b.is_text();
    let is_truth = a.kind == Bool || b.kind == Bool;
    let is_equality = matches!(op, "==" | "!=" | "===" | "!==");
    let is_order = matches!(op, "<" | ">" | "<=" | ">=");
    let is_plain = matches!(op, "-" | "*" | "/" | "%");
    if !(is_equality || is_order || is_plain || op == "+") {
        return false;
    }
    // In languages that convert no numbers.
    let is_exact = || match (&a.ty, &b.ty) {
        (Some(a), Some(b)) if language == Language::Go => alias_of(a) != alias_of(b),
        (Some(a), Some(b)) => a != b && !has_text,
        _ => language == Language::Rust && a.kind != b.kind,
    };
    match language {
        Language::Java if op == "+" => !has_text && is_truth,
        Language::Java => is_other || is_order && (has_text || is_truth),
        Language::Kotlin if op == "+" => !a.is_text() && (is_other || is_truth),
        Language::Kotlin => is_other,
        Language::Go => is_other || is_exact() || is_truth && !is_equality,
        Language::Rust if has_text && op == "+" => {
            let is_owned = |given: &Given| given.ty.as_deref() == Some("String");
            is_other || !is_owned(a) || is_owned(b)
        }
        Language::Rust => is_other || is_exact() || is_plain && (is_text_or_truth(a) || is_text_or_truth(b)),
        Language::TypeScript if op == "+" => !has_text && is_truth,
        Language::TypeScript => is_other,
        Language::Python => match op {
            "+" => is_other && has_text,
            "-" | "/" => has_text,
            _ => is_order && is_other && has_text,
        },
        _ => false,
    }
}

fn is_text_or_truth(of: &Given) -> bool {
    of.is_text() || of.kind == Kind::Bool
}

fn alias_of(name: &str) -> &str {
    match name {
        "byte" => "uint8",
        "rune" => "int32",
        name => name,
    }
}

/// Whether a value of a plain type is none of another one.
fn refuses_value(language: Language, wanted: &str, given: &Given) -> bool {
    if given.kind == Kind::Void && language == Language::Java {
        return wanted != "void";
    }
    if wanted.starts_with(OF_PROJECT) || has(CONTAINERS, wanted) {
        return refuses(language, wanted, given.kind, "", false);
    }
    let Some(kind) = kind_of(language, wanted) else { return false };
    if !given.is_like(&Given { kind, ty: None }) {
        return true;
    }
    let Some(ty) = &given.ty else { return false };
    match language {
        Language::Java => {
            let rank = |name: &str| ["int", "long", "float", "double"].iter().position(|one| *one == name);
            rank(ty).zip(rank(wanted)).is_some_and(|(given, wanted)| given > wanted)
        }
        Language::Kotlin => ty != wanted,
        Language::Go => alias_of(ty) != alias_of(wanted),
        Language::Rust => ty != wanted,
        _ => false,
    }
}

impl Values<'_> {
    /// Reports the operands of an operator, or the condition of a statement, that have the wrong type.
    pub(super) fn operands(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        const ASSIGNMENTS: &str = "assignment assignment_expression assignment_statement compound_assignment_expr \
            augmented_assignment augmented_assignment_expression";
        let (tree, language) = (self.tree, self.file.language());
        let kind = tree.kind(node);
        let (range, message) = if kind.starts_with("binary_") || kind == "comparison_operator" {
            self.binary(node, tree.operator(node)?)?
        } else if has(ASSIGNMENTS, kind) {
            self.binary(node, tree.operator(node)?.strip_suffix('=').filter(|op| !op.is_empty())?)?
        } else if kind.starts_with("unary_") {
            self.unary(node)?
        } else if has("call_expression call method_invocation type_arguments", kind) {
            return self.call(node, found);
        } else {
            const CONDITIONAL: &str = "if_statement while_statement do_statement for_statement for_clause \
                ternary_expression if_expression while_expression do_while_statement";
            let is_strict =
                matches!(language, Language::Java | Language::Kotlin | Language::Go | Language::Rust);
            let condition = tree.field(node, "condition").filter(|_| is_strict && has(CONDITIONAL, kind))?;
            let given = self.given(condition)?;
            if given.kind == Kind::Bool || given.kind == Kind::Null {
                return None;
            }
            (tree.range(condition), format!("the condition is {}, not a boolean", given.shown()))
        };
        self.refuse_plainly(node, range, message, found)
    }

    /// Whether the code at a place may not run as it is written: a macro rewrites it, or a test expects it to fail.
    pub(super) fn is_rewritten(&self, node: NodeId) -> bool {
        let tree = self.tree;
        match self.file.language() {
            Language::Rust => is_in_macro(tree, node) || may_be_rewritten(tree, node),
            Language::Python => tree.ancestors(node).any(|up| tree.kind(up) == "with_statement"),
            _ => false,
        }
    }

    fn refuse_plainly(
        &self,
        node: NodeId,
        range: TextRange,
        message: String,
        found: &mut Vec<Refused>,
    ) -> Option<()> {
        if !self.is_rewritten(node) {
            refuse(found, TYPE_MISMATCH, range, message);
        }
        Some(())
    }

    fn binary(&self, node: NodeId, op: &str) -> Option<(TextRange, String)> {
        let (tree, language) = (self.tree, self.file.language());
        let sides = match (tree.field(node, "left"), tree.field(node, "right")) {
            (Some(left), Some(right)) => (left, right),
            _ => {
                let mut all = tree.named(node);
                let (left, right, None) = (all.next()?, all.next()?, all.next()) else { return None };
                (left, right)
            }
        };
        // `call<Type>(…)` may be read as two comparisons.
        let is_order = |side: NodeId| {
            tree.kind(side) == "binary_expression"
                && tree.operator(side).is_some_and(|op| matches!(op, "<" | ">"))
        };
        if matches!(op, "<" | ">") && (is_order(sides.0) || is_order(sides.1)) {
            return None;
        }
        let (a, b) = (self.given(sides.0), self.given(sides.1));
        let is_truth = |of: &Option<Given>| of.as_ref().is_some_and(|of| of.kind == Kind::Bool);
        if matches!(op, "<" | ">") && (is_truth(&a) || is_truth(&b)) {
            return None;
        }
        let one = |of: &Option<Given>, is_left| {
            of.as_ref().is_some_and(|of| refuses_one(language, op, is_left, of))
        };
        let is_refused = one(&a, true)
            || one(&b, false)
            || a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| refuses_both(language, op, a, b));
        if !is_refused || self.has_operator(op) {
            return None;
        }
        let of =
            |given: Option<Given>| given.map_or_else(|| "another value".to_owned(), |given| given.shown());
        Some((tree.range(node), format!("`{op}` cannot be applied to {} and {}", of(a), of(b))))
    }

    /// A call of a value that is no function, a method of a value that has none, and type arguments of Java that are no classes.
    fn call(&self, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
        let (rx, file, tree) = (self.rx, self.file, self.tree);
        match file.language() {
            Language::Java if tree.kind(node) == "type_arguments" => {
                let plain = tree
                    .named(node)
                    .find(|of| tree.is_in(*of, "integral_type floating_point_type boolean_type"))?;
                let message =
                    format!("the primitive type `{}` cannot be a type argument", tree.text_of(plain));
                refuse(found, TYPE_MISMATCH, tree.range(plain), message);
            }
            Language::Java => {
                let given = self.given(tree.field(node, "object")?)?;
                let plain = given.ty.filter(|ty| has("int long short float double boolean", ty))?;
                let message = format!("`{plain}` has no methods");
                refuse(found, "unresolved-member", tree.range(tree.field(node, "name")?), message);
            }
            Language::Go | Language::Rust | Language::Python => {
                let callee = tree.field(node, "function").or_else(|| tree.named(node).next())?;
                // `x.len()` of Rust never calls a field.
                let may_be_value = file.language() != Language::Rust || tree.kind(callee) == "identifier";
                let name = self.named(callee).filter(|_| may_be_value)?;
                let is_property = |def: &GlobalDef| {
                    file.language() == Language::Python && rx.has_flag(*def, DefFlags::PROPERTY)
                };
                let given = match self.meant(name).filter(is_property) {
                    Some(def) => self.type_of_def(def, Kind::Int).and_then(|(ty, _)| self.of_type(ty)),
                    None => self.variable(name),
                }?;
                if given.kind != Kind::Null && !self.is_rewritten(node) {
                    let message = format!("`{}` is {}, not a function", file.ref_name(name), given.shown());
                    refuse(found, NOT_CALLABLE, file.reference(name).range, message);
                }
            }
            _ => {}
        }
        Some(())
    }

    fn unary(&self, node: NodeId) -> Option<(TextRange, String)> {
        let (tree, language) = (self.tree, self.file.language());
        let op = tree.operator(node)?;
        let of = tree.named(node).next()?;
        if !tree.text_of(node).starts_with(op) {
            return None;
        }
        // The grammar of Kotlin takes `!text.isEmpty()` for `(!text).isEmpty()`.
        let is_first = |up| tree.is_in(up, "navigation_expression call_expression index_expression");
        if tree.parent(node).is_some_and(is_first) {
            return None;
        }
        let given = self.given(of).filter(|given| given.kind != Kind::Null)?;
        let is_typed = matches!(language, Language::Java | Language::Kotlin | Language::Go | Language::Rust);
        let is_refused = match op {
            "!" if language == Language::Rust => given.is_text() || given.kind == Kind::Float,
            "!" => is_typed && given.kind != Kind::Bool,
            "-" => is_typed && is_text_or_truth(&given) || language == Language::Python && given.is_text(),
            _ => false,
        };
        (is_refused && !self.has_operator(op))
            .then(|| (tree.range(of), format!("`{op}` cannot be applied to {}", given.shown())))
    }

    /// Whether a project of Kotlin, or what a file of it imports, may have a function for an operator.
    fn has_operator(&self, op: &str) -> bool {
        let names: &[&str] = match op {
            "+" => &["plus", "plusAssign"],
            "-" => &["minus", "minusAssign", "unaryMinus"],
            "*" => &["times", "timesAssign"],
            "/" => &["div", "divAssign"],
            "%" => &["rem", "remAssign"],
            "!" => &["not"],
            "<" | ">" | "<=" | ">=" => &["compareTo"],
            _ => &[],
        };
        let (rx, file) = (self.rx, self.file);
        let is_extension = |name: &&str| {
            let sites = rx.world().declarations(name);
            sites.len() > MOST_NAMESAKES
                || sites.iter().any(|site| is_own(rx, site.at) && rx.has_flag(site.at, DefFlags::EXTENSION))
                || file
                    .imports
                    .iter()
                    .any(|import| import.member.is_some_and(|member| file.ref_name(member) == *name))
        };
        file.language() == Language::Kotlin
            && (names.iter().any(is_extension) || !super::knows_stars(rx, file))
    }

    /// The kind of a value, as far as it is known.
    fn given(&self, node: NodeId) -> Option<Given> {
        let tree = self.tree;
        let language = self.file.language();
        let truth = || Some(Given { kind: Kind::Bool, ty: None });
        if let Some(kind) = self.kind(node) {
            // Numbers of Rust and Kotlin may say their type.
            return Some(Given { kind, ty: None })
                .filter(|_| !has("character_literal char_literal rune_literal", tree.kind(node)));
        }
        match tree.kind(node) {
            "parenthesized_expression" => {
                let mut all = tree.named(node);
                let (Some(only), None) = (all.next(), all.next()) else { return None };
                self.given(only)
            }
            "binary_expression" => match tree.operator(node)? {
                "==" | "!=" | "<" | ">" | "<=" | ">=" | "===" | "!==" => truth(),
                "&&" | "||" if language != Language::TypeScript => truth(),
                _ => None,
            },
            "unary_expression" if tree.operator(node) == Some("!") && language != Language::Rust => truth(),
            "call_expression" | "call" => {
                self.called(tree.field(node, "function").or_else(|| tree.named(node).next())?)
            }
            "method_invocation" => self.called(tree.field(node, "name")?),
            _ => self.variable(self.named(node)?),
        }
    }

    fn called(&self, callee: NodeId) -> Option<Given> {
        let (rx, file) = (self.rx, self.file);
        let name = self.named(callee)?;
        let function = self
            .meant(name)
            .filter(|def| matches!(rx.kind(*def), SymbolKind::Function | SymbolKind::Method))?;
        let sites = rx.world().declarations(file.ref_name(name));
        let result = |def: GlobalDef| {
            let odd = [DefFlags::ASYNC, DefFlags::GENERATOR];
            let own = rx.def(def);
            let is_plain = own.type_params.is_empty() && !odd.iter().any(|flag| own.flags.has(*flag));
            self.type_of_def(def, Kind::Int).filter(|(_, is_nullable)| is_plain && !is_nullable)
        };
        let (ty, _) = result(function)?;
        let mut all = sites.iter().filter(|site| site.kind.is_callable());
        let is_same = sites.len() <= MOST_NAMESAKES
            && all.all(|site| {
                rx.language_of(site.at) != file.language()
                    || result(site.at).is_some_and(|(other, _)| other == ty)
            });
        self.of_type(ty).filter(|_| is_same)
    }

    fn of_type(&self, ty: String) -> Option<Given> {
        let kind = kind_of(self.file.language(), &ty)?;
        Some(Given { kind, ty: Some(ty) })
    }

    /// The declaration that a name means for certain, on a value that is certain.
    fn meant(&self, name: RefId) -> Option<GlobalDef> {
        let (rx, file) = (self.rx, self.file);
        let is_known = file.reference(name).receiver.is_none_or(|of| is_certain_value(rx, file, of));
        let def = rx.resolve(file.global_ref(name)).resolution.certain_def().filter(|_| is_known)?;
        let may_be_library = file.language() == Language::Python;
        let is_here = rx.language_of(def) == file.language();
        // Another one may stand in its place under another condition: then both have one name.
        let view = rx.file(def.file);
        let is_alone = file.language() != Language::Rust
            || rx.has_flag(def, DefFlags::LOCAL)
            || view.in_scope(rx.def(def).scope, rx.def(def).name).len() == 1;
        (is_here && is_alone && (may_be_library || is_own(rx, def))).then_some(def)
    }

    fn variable(&self, name: RefId) -> Option<Given> {
        let (rx, file) = (self.rx, self.file);
        let def = self.meant(name)?;
        let (view, own) = (rx.file(def.file), rx.def(def));
        let is_kind = matches!(
            own.kind,
            SymbolKind::Variable
                | SymbolKind::Parameter
                | SymbolKind::Field
                | SymbolKind::Property
                | SymbolKind::Constant
        );
        let odd = [
            DefFlags::VARARG,
            DefFlags::KEYWORD_VARARG,
            DefFlags::OPTIONAL,
            DefFlags::MATCHED,
            DefFlags::GETTER,
            DefFlags::SETTER,
            DefFlags::EXTENSION,
        ];
        let is_odd = odd.iter().any(|flag| own.flags.has(*flag));
        // A name may stand for several declarations of one scope, one behind the other.
        let is_alone = own.flags.has(DefFlags::LOCAL) && view.in_scope(own.scope, own.name).len() == 1
            || !own.flags.has(DefFlags::LOCAL);
        if !is_kind
            || is_odd
            || !is_alone
            || !is_own(rx, def)
            || file.language() == Language::Python && !is_steady(view, own)
        {
            return None;
        }
        if own.ty.is_none() {
            return self.initial(view, own);
        }
        let (ty, is_nullable) = self.type_of_def(def, Kind::Int)?;
        self.of_type(ty).filter(|_| !is_nullable)
    }

    /// The kind of a variable that has its type from the literal that it begins with.
    fn initial(&self, view: &FileView, own: &Def) -> Option<Given> {
        let language = self.file.language();
        if view.id != self.file.id || language == Language::Python {
            return None;
        }
        if let (Expr::Try(call), Language::Rust) = (view.expr(own.init?), language) {
            return self.tried(call);
        }
        let kind = match view.expr(own.init?) {
            Expr::Literal(Literal::String) | Expr::Text(_) => Kind::Text,
            Expr::Literal(Literal::Int | Literal::Long) => Kind::Int,
            Expr::Literal(Literal::Float | Literal::SmallFloat) => Kind::Float,
            Expr::Literal(Literal::Bool) => Kind::Bool,
            _ => return None,
        };
        let text = self.tree.text_of(self.tree.root());
        let (before, behind) = (
            text.get(..own.name_range.start as usize)?.trim_end(),
            text.get(own.name_range.end as usize..)?.trim_start(),
        );
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let is_said = has("let const var val mut", word) && behind.starts_with('=');
        let is_short = language == Language::Go && behind.starts_with(":=") && !before.ends_with(',');
        let ty = (kind == Kind::Text && language == Language::Rust).then(|| "&str".to_owned());
        (is_said || is_short).then_some(Given { kind, ty })
    }

    /// The value of `call()?` of Rust.
    fn tried(&self, call: ExprId) -> Option<Given> {
        let (rx, file) = (self.rx, self.file);
        let Expr::Call { callee, .. } = file.expr(call) else { return None };
        let function = self.meant(rx.expr_ref(file, callee)?)?;
        let (view, own) = (rx.file(function.file), rx.def(function));
        let TypeExpr::Named { name, args } = view.ty(own.ty?) else { return None };
        let is_plain = own.type_params.is_empty() && !own.flags.has(DefFlags::ASYNC);
        let ty = view.list(args).next().filter(|_| is_plain && has("Result Option", view.ref_name(name)))?;
        self.name_of_type(view, ty).and_then(|(ty, _)| self.of_type(ty))
    }

    /// The type that is wanted where a value of another one stands.
    pub(super) fn other(&self, node: NodeId) -> Option<(String, TextRange)> {
        const LANGUAGES: [Language; 5] =
            [Language::Java, Language::Kotlin, Language::Go, Language::Rust, Language::TypeScript];
        const VALUES: &str = "identifier field_access navigation_expression selector_expression field_expression \
            member_expression binary_expression unary_expression call_expression method_invocation";
        let (tree, language) = (self.tree, self.file.language());
        if !tree.is_in(node, VALUES) || !LANGUAGES.contains(&language) || self.kind(node).is_some() {
            return None;
        }
        let place = self.place(node)?;
        let given = self.given(node)?;
        let wanted = self.wanted(&place, given.kind)?;
        let is_refused = wanted.iter().all(|(name, _)| refuses_value(language, name, &given));
        let (name, _) = wanted.into_iter().next().filter(|_| is_refused)?;
        Some((name.trim_start_matches(OF_PROJECT).to_owned(), tree.range(node)))
    }
}

/// Whether a variable of Python gets no other value and is not asked for its type.
fn is_steady(view: &FileView, own: &Def) -> bool {
    own.kind == SymbolKind::Parameter
        && own.init.is_none()
        && view.name_id("isinstance").is_none()
        && view.refs_named(own.name).len() <= MOST_NAMESAKES
        && view.in_scope(own.scope, own.name).len() == 1
        && view
            .refs_named(own.name)
            .iter()
            .all(|id| view.reference(*id).role == Role::Read || view.reference(*id).scope != own.scope)
}
