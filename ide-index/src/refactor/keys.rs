//! Texts that are keys of a type for certain, by the type of what they are used with: `d["name"]`, `Pick<T, "name">`.

use std::sync::Arc;

use ide_model::TextRange;

use super::scene::Scene;
use super::shapes::has_one_of;
use super::tree::{NodeId, has};
use crate::facts::{Expr, ExprId};
use crate::resolve::Ty;
use crate::world::GlobalDef;

/// Methods that take a key of their object.
const KEY_METHODS: &str = "get pop setdefault";

/// Functions that take an object and the name of one of its attributes.
const ATTRIBUTE_FUNCTIONS: &str = "getattr setattr hasattr delattr";

/// Methods of test libraries that take an object and the name of a member to replace.
pub(crate) const SPIES: &str = "spyOn replaceProperty stub spy method";

/// Types made of another one and some of its keys.
const OF_KEYS: &str = "Pick Omit";

/// Members of one name, and the types that have them.
pub(super) struct Keys<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) members: &'a [GlobalDef],
    pub(super) owners: &'a [(GlobalDef, Arc<str>)],
}

impl Keys<'_> {
    /// Whether the text at a place is a key of one of the types.
    pub(super) fn is_key(&self, range: TextRange) -> bool {
        let syntax = &self.scene.syntax;
        let mut around = syntax.ancestors(syntax.around(range));
        let Some(text) = around.find(|id| syntax.is_in(*id, syntax.shape.strings)) else { return false };
        let Some(parent) = syntax.parent(text).filter(|_| syntax.range(text).len() == range.len() + 2) else {
            return false;
        };
        let named: Vec<NodeId> = syntax.named(parent).collect();
        match syntax.kind(parent) {
            "subscript" => named.len() == 2 && named[1] == text && self.has_type(named[0]),
            "comparison_operator" | "binary_expression" => {
                let is_test = syntax
                    .operator(parent)
                    .is_some_and(|word| has("in not", word.split(' ').next().unwrap_or("")));
                is_test && named.len() == 2 && named[0] == text && self.has_type(named[1])
            }
            "argument_list" | "arguments" => self.is_argument(parent, text, &named),
            "pair" => named.first() == Some(&text) && self.is_expected(parent),
            "literal_type" => self.is_in_type(parent),
            "variable_declarator" => self.is_annotated(parent),
            "array" => syntax.parent(parent).is_some_and(|up| self.is_annotated(up)),
            _ => false,
        }
    }

    /// Whether a name in this file is that of one of the types.
    fn names_owner(&self, name: &str) -> bool {
        let view = &self.scene.view;
        self.owners.iter().any(|(owner, own)| {
            let means_it = || {
                self.scene.ctx.pool.with(|rx| {
                    let all = view.name_id(name).map_or(&[][..], |id| view.refs_named(id));
                    let mut all = all.iter().filter(|r| view.reference(**r).receiver.is_none()).peekable();
                    all.peek().is_some()
                        && all.all(|r| {
                            rx.resolve(view.global_ref(*r)).resolution.defs().any(|def| def == *owner)
                        })
                })
            };
            **own == *name && means_it()
        })
    }

    /// Whether a name, or a path, is a value that has one of the members.
    fn has_type(&self, value: NodeId) -> bool {
        let (view, range) = (&self.scene.view, self.scene.syntax.range(value));
        let mut inside = view.by_place().refs.within(range);
        let Some(last) = inside.find(|r| view.reference(*r).range.end == range.end) else { return false };
        let Some(name) = self.members.first() else { return false };
        let of = |expr: &Expr| *expr == Expr::Ref(last);
        let Some(expr) = view.exprs.iter().position(of) else { return false };
        self.scene.ctx.pool.with(|rx| {
            let ty = rx.expr_type(view, ExprId(expr as u32));
            let name = rx.shared_name(*name);
            let has_it = |part: &Ty| has_one_of(rx, view, part, self.members, &name);
            !ty.parts().is_empty() && ty.parts().iter().all(has_it)
        })
    }

    fn is_argument(&self, list: NodeId, text: NodeId, named: &[NodeId]) -> bool {
        let syntax = &self.scene.syntax;
        let Some(call) = syntax.parent(list) else { return false };
        let Some(name) = super::calls::callee_name(syntax, call) else { return false };
        let word = syntax.slice(name);
        match super::calls::object_of(syntax, call) {
            Some(_) if has(SPIES, word) => named.get(1) == Some(&text) && self.has_type(named[0]),
            Some(object) => has(KEY_METHODS, word) && named.first() == Some(&text) && self.has_type(object),
            None => has(ATTRIBUTE_FUNCTIONS, word) && named.get(1) == Some(&text) && self.has_type(named[0]),
        }
    }

    /// Whether a dictionary is declared, or given back, as one of the types.
    fn is_expected(&self, pair: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let Some(dictionary) = syntax.parent(pair).filter(|id| syntax.kind(*id) == "dictionary") else {
            return false;
        };
        let Some(up) = syntax.parent(dictionary) else { return false };
        let said = match syntax.kind(up) {
            "assignment" => syntax.field(up, "type"),
            "return_statement" => syntax.function_of(up).and_then(|id| syntax.field(id, "return_type")),
            _ => None,
        };
        said.is_some_and(|ty| self.names_owner(syntax.text_of(ty).trim()))
    }

    /// Whether a literal type picks a key: `T["name"]`, `Pick<T, "name">`, `Extract<keyof T, "name">`.
    fn is_in_type(&self, literal: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let mut at = literal;
        while let Some(up) = syntax.parent(at).filter(|up| syntax.kind(*up) == "union_type") {
            at = up;
        }
        let Some(up) = syntax.parent(at) else { return false };
        let named: Vec<NodeId> = syntax.named(up).collect();
        let is_second = named.len() == 2 && named[1] == at;
        match syntax.kind(up) {
            "lookup_type" => is_second && self.names_owner(syntax.text_of(named[0])),
            "type_arguments" => {
                let word = syntax
                    .parent(up)
                    .and_then(|ty| syntax.named(ty).next())
                    .map_or("", |id| syntax.text_of(id));
                let of_keys = has(OF_KEYS, word) && is_second && self.names_owner(syntax.text_of(named[0]));
                of_keys || has("Extract Exclude", word) && is_second && self.lists_keys(named[0])
            }
            _ => false,
        }
    }

    /// Whether a type is that of the keys of one of the types.
    fn lists_keys(&self, ty: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        syntax.kind(ty) == "index_type_query"
            && syntax.named(ty).next().is_some_and(|of| self.names_owner(syntax.text_of(of)))
    }

    /// Whether a variable is declared to hold keys, or a list of them.
    fn is_annotated(&self, declarator: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let Some(ty) = syntax.field(declarator, "type") else { return false };
        let plain = has("type_annotation parenthesized_type array_type readonly_type", syntax.kind(ty));
        let wraps = |id: &NodeId| has("parenthesized_type array_type readonly_type", syntax.kind(*id));
        let mut at = if plain { syntax.named(ty).next() } else { Some(ty) };
        while let Some(inner) = at.filter(wraps) {
            at = syntax.named(inner).next();
        }
        at.is_some_and(|ty| self.lists_keys(ty))
    }
}
