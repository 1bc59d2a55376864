//! Types of expressions in a tree, as the resolver knows them.

use std::cell::OnceCell;

use ide_model::TextRange;
use rustc_hash::FxHashMap;

use super::super::tree::{NodeId, Syntax, has};
use super::table::Operators;
use crate::facts::{BinaryOp, Expr, ExprId, Literal, RefId, Role, TypeExpr, UnaryOp};
use crate::guard;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// Values that the language makes itself, which call no operator of a type of the project.
const PLAIN: &str = "list dictionary set tuple list_comprehension set_comprehension dictionary_comprehension \
    generator_expression lambda lambda_literal anonymous_function closure_expression arrow_function array_expression \
    array_creation_expression tuple_expression unit_expression range_expression comparison_operator not_operator in_expression \
    is_expression instanceof_expression async_block callable_reference";

/// Wrappers of one value that keep what it is.
const WRAPPERS: &str = "parenthesized_expression reference_expression named_expression expression_statement";

pub(super) struct Values<'a> {
    pub(super) rx: &'a Resolver,
    pub(super) file: &'a FileView,
    pub(super) syntax: &'a Syntax,
    row: &'static Operators,
    exprs: OnceCell<FxHashMap<RefId, ExprId>>,
}

impl<'a> Values<'a> {
    pub(super) fn new(
        rx: &'a Resolver,
        file: &'a FileView,
        syntax: &'a Syntax,
        row: &'static Operators,
    ) -> Self {
        Self { rx, file, syntax, row, exprs: OnceCell::new() }
    }

    /// The type of a value; [`Ty::Nothing`] for one that no declared type has.
    pub(super) fn of(&self, node: NodeId) -> Ty {
        guard::deeper(|| self.of_node(node)).unwrap_or(Ty::Unknown)
    }

    fn of_node(&self, node: NodeId) -> Ty {
        let (rx, file, syntax) = (self.rx, self.file, self.syntax);
        let (shape, kind) = (syntax.shape, syntax.kind(node));
        let policy = rx.policy(file);
        if has(shape.literals, kind) || has(shape.strings, kind) {
            let known = policy.literal(rx, file, literal(kind));
            return if known.is_unknown() { Ty::Nothing } else { known };
        }
        if has(shape.this, syntax.text_of(node)) || has(shape.this, kind) {
            let Some(scope) = file.scope_around(syntax.range(node)) else { return Ty::Unknown };
            let is_super = kind.starts_with("super");
            return if is_super { policy.super_of(rx, file, scope) } else { policy.this(rx, file, scope) };
        }
        if has(WRAPPERS, kind) {
            let value = syntax.field(node, "value").or_else(|| syntax.named(node).last());
            return value.map_or(Ty::Unknown, |value| self.of(value));
        }
        if has(shape.awaits, kind) || has("await await_expression", kind) {
            let value = syntax.named(node).next();
            return value.map_or(Ty::Unknown, |value| policy.awaited(rx, &self.of(value)));
        }
        if has("subscript subscript_expression index_expression", kind) {
            let mut named = syntax.named(node);
            let base = named.next().map_or(Ty::Unknown, |base| self.of(base));
            let index = named.next().map_or(Ty::Unknown, |index| self.of(index));
            return match self.given_by(&base, self.row.called(kind, "<", "[").take(1)) {
                Ty::Unknown => policy.index(rx, file, &base, &index),
                known => known,
            };
        }
        if has("conditional_expression if_expression ternary_expression", kind) {
            return self.of_branches(node);
        }
        if has("as_expression type_cast_expression", kind) {
            return syntax.named(node).last().map_or(Ty::Unknown, |ty| self.of_type(ty));
        }
        if has("object_creation_expression struct_expression", kind) {
            return self.of_type(node);
        }
        if has(PLAIN, kind) {
            return Ty::Nothing;
        }
        if has(shape.binary, kind) || kind == "range_expression" {
            return self.of_binary(node);
        }
        if has(shape.unary, kind) || has("unary_op_expression cast_expression", kind) {
            return self.of_unary(node);
        }
        if let Some(index) = syntax.field(node, "field").filter(|id| syntax.kind(*id) == "integer_literal") {
            let object = syntax.field(node, "value").map_or(Ty::Unknown, |value| self.of(value));
            return self.of_field(&object, syntax.text_of(index));
        }
        self.of_name(node)
    }

    /// The type of a field of an object.
    fn of_field(&self, object: &Ty, name: &str) -> Ty {
        if let (Ty::Tuple(items), Ok(at)) = (object, name.parse::<usize>()) {
            return items.get(at).cloned().unwrap_or(Ty::Unknown);
        }
        let members = self.rx.policy(self.file).members(self.rx, self.file, object, name);
        let Some((member, def)) = members.first().and_then(|member| Some((member, member.def()?))) else {
            return Ty::Unknown;
        };
        self.rx.def_type(def).substitute(&self.rx.arguments_of(&member.owner))
    }

    /// The result of the first of some methods that a value has.
    fn given_by(&self, ty: &Ty, mut names: impl Iterator<Item = &'static str>) -> Ty {
        let given = |name| Some(self.given(ty, name)).filter(|ty| !ty.is_unknown());
        names.find_map(given).unwrap_or(Ty::Unknown)
    }

    /// The result of a method of a value.
    pub(super) fn given(&self, ty: &Ty, name: &str) -> Ty {
        let members = self.rx.policy(self.file).operators(self.rx, self.file, ty, name);
        let Some((member, def)) = members.first().and_then(|member| Some((member, member.def()?))) else {
            return Ty::Unknown;
        };
        self.rx.return_type(def).substitute(&self.rx.arguments_of(&member.owner))
    }

    fn of_branches(&self, node: NodeId) -> Ty {
        let syntax = self.syntax;
        let named: Vec<NodeId> = syntax.named(node).collect();
        let condition = syntax.field(node, "condition");
        let branches: Vec<NodeId> = match condition {
            Some(condition) => named.into_iter().filter(|id| *id != condition).collect(),
            // `a if test else b`.
            None => named.first().into_iter().chain(named.last()).copied().collect(),
        };
        if branches
            .iter()
            .any(|id| syntax.is_in(*id, syntax.shape.blocks) || syntax.kind(*id) == "else_clause")
        {
            return Ty::Unknown;
        }
        Ty::union(branches.into_iter().map(|id| self.of(id)))
    }

    /// The type that the last name of a type means.
    fn of_type(&self, node: NodeId) -> Ty {
        let (file, syntax) = (self.file, self.syntax);
        let ty = syntax.field(node, "name").or_else(|| {
            let is_type = |id: &NodeId| !has("arguments field_initializer_list", syntax.kind(*id));
            syntax.named(node).find(is_type)
        });
        let range = syntax.range(ty.unwrap_or(node));
        let names = file.by_place().refs.within(range);
        let is_type = |r: &RefId| matches!(file.reference(*r).role, Role::New | Role::Type | Role::Call);
        names
            .filter(is_type)
            .last()
            .map_or(Ty::Unknown, |name| self.rx.named_type(file, name, Default::default()))
    }

    fn of_binary(&self, node: NodeId) -> Ty {
        let (rx, file, syntax) = (self.rx, self.file, self.syntax);
        let mut operands = syntax.named(node);
        let (Some(left), Some(right)) = (operands.next(), operands.next()) else { return Ty::Unknown };
        let operator = syntax.operator(node).unwrap_or("");
        let op = match operator {
            "+" => BinaryOp::Plus,
            "&&" | "and" => BinaryOp::And,
            "||" | "or" => BinaryOp::Or,
            "?:" | "??" => BinaryOp::Coalesce,
            "<" | ">" | "<=" | ">=" | "==" | "!=" | "===" | "!==" | "<=>" => BinaryOp::Compare,
            "<<" | ">>" => BinaryOp::Shift,
            "&" | "|" | "^" => BinaryOp::Bits,
            "." => return Ty::Nothing,
            _ => BinaryOp::Arithmetic,
        };
        let left = self.of(left);
        match self.given_by(&left, self.row.called(syntax.kind(node), "<", operator)) {
            Ty::Unknown => {}
            known => return known,
        }
        rx.policy(file).binary(rx, file, op, &left, &self.of(right))
    }

    fn of_unary(&self, node: NodeId) -> Ty {
        let (rx, file, syntax) = (self.rx, self.file, self.syntax);
        let operator = syntax.operator(node).unwrap_or("");
        let value = syntax.field(node, "argument").or_else(|| syntax.named(node).last());
        let value = value.map_or(Ty::Unknown, |value| self.of(value));
        let policy = rx.policy(file);
        match operator {
            "*" => policy.deref(rx, &value),
            "&" | "!!" | "++" | "--" => value,
            "!" | "-" | "+" | "~" => {
                let op = if operator == "!" { UnaryOp::Not } else { UnaryOp::Arithmetic };
                match self.given_by(&value, self.row.called(syntax.kind(node), ">", operator)) {
                    Ty::Unknown => policy.unary(rx, file, op, &value),
                    known => known,
                }
            }
            _ => Ty::Unknown,
        }
    }

    /// The type of a name, a member or a call.
    fn of_name(&self, node: NodeId) -> Ty {
        let (rx, file) = (self.rx, self.file);
        let Some((name, is_call)) = self.last_name(node) else { return Ty::Unknown };
        let value = if is_call { file.reference(name).call } else { self.exprs().get(&name).copied() };
        let known = match value {
            Some(expr) => rx.expr_type(file, expr),
            None if is_call => Ty::Unknown,
            None => rx.value_of(&rx.resolve(file.global_ref(name))),
        };
        if known.is_unknown() && self.is_scalar(name) { Ty::Nothing } else { known }
    }

    /// Whether a name is declared with a type of the language that has no members, in languages that know no such types.
    fn is_scalar(&self, name: RefId) -> bool {
        let resolved = self.rx.resolve(self.file.global_ref(name));
        let mut defs = resolved.resolution.defs().peekable();
        defs.peek().is_some()
            && defs.all(|def| {
                let home = self.rx.file(def.file);
                let ty = home.def(def.def).ty.map(|ty| home.ty(ty));
                matches!(ty, Some(TypeExpr::Primitive(name)) if has("int float string bool array void", home.name(name)))
            })
    }

    fn exprs(&self) -> &FxHashMap<RefId, ExprId> {
        self.exprs.get_or_init(|| {
            let all = self.file.exprs.iter().zip((0..).map(ExprId));
            let names = all.filter_map(|(expr, id)| match expr {
                Expr::Ref(name) => Some((*name, id)),
                _ => None,
            });
            names.collect()
        })
    }

    /// The reference of a name.
    pub(super) fn name_at(&self, range: TextRange) -> Option<RefId> {
        let refs = &self.file.by_place().refs;
        let here = refs.at(range).next();
        here.or_else(|| {
            // Without the sigil.
            let mut inside = refs.within(range);
            inside.next().filter(|r| self.file.reference(*r).range.end == range.end)
        })
    }

    /// The reference of the name that decides what a chain of members and calls is, and whether it is called.
    fn last_name(&self, node: NodeId) -> Option<(RefId, bool)> {
        let syntax = self.syntax;
        let is_call = |id: NodeId| syntax.is_in(id, syntax.shape.calls);
        let mut at = node;
        if is_call(at) {
            let callee = ["function", "name"].iter().find_map(|field| syntax.field(at, field));
            at = callee.or_else(|| syntax.named(at).next())?;
            // The result of a call is called.
            if is_call(at) || has("parenthesized_expression subscript subscript_expression", syntax.kind(at))
            {
                return None;
            }
        }
        let fields = ["field", "property", "name", "attribute", "function"];
        for _ in 0..4 {
            let inner = fields.iter().find_map(|field| syntax.field(at, field));
            let last = || syntax.named(at).last().filter(|_| syntax.kind(at) == "navigation_expression");
            match inner.filter(|_| !syntax.children(at).is_empty()).or_else(last) {
                Some(inner) => at = inner,
                None => break,
            }
        }
        Some((self.name_at(syntax.range(at))?, is_call(node)))
    }

    /// Whether a type is, or inherits, another.
    pub(super) fn is_a(&self, ty: &Ty, wanted: GlobalDef) -> bool {
        self.rx.linearization(ty).iter().any(|above| above.def() == Some(wanted))
    }
}

fn literal(kind: &str) -> Literal {
    match kind {
        "none" | "null" => Literal::Null,
        "true" | "false" | "boolean" | "boolean_literal" => Literal::Bool,
        _ if kind.contains("float") => Literal::Float,
        _ if kind.contains("char") => Literal::Char,
        _ if kind.contains("int") || kind.contains("number") => Literal::Int,
        _ => Literal::String,
    }
}
