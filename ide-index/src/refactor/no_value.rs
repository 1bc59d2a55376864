//! Expressions by their form that give nothing which a variable could hold.

use ide_model::{Family, SymbolKind};

use super::tree::{NodeId, Syntax, has};
use crate::resolve::{FileView, Resolver, Target};

/// Why an expression is no value of its own, if it is none.
pub(super) fn why_no_value(
    rx: &Resolver,
    view: &FileView,
    syntax: &Syntax,
    id: NodeId,
) -> Option<&'static str> {
    if names_type(rx, view, syntax, id) {
        return Some("it names a type or a package, which is no value");
    }
    let parent = syntax.parent(id);
    let is_rust = syntax.shape.this == "self";
    match syntax.kind(id) {
        "if_expression" if !is_rust => {
            let has_else = syntax.children(id).iter().any(|child| syntax.text_of(*child) == "else");
            (!has_else).then_some("without an `else` it gives no value")
        }
        kind if is_rust && has(BLOCKS, kind) => {
            let is_run = parent.is_some_and(|up| {
                syntax.kind(up) == "expression_statement" && !syntax.text_of(up).ends_with(';')
            });
            (is_run || syntax.is_statement(id)).then_some("it is a statement of its own")
        }
        "call_expression"
            if parent.is_some_and(|up| has("go_statement defer_statement", syntax.kind(up))) =>
        {
            Some("it runs at another time, and what runs must be a call")
        }
        _ if syntax.shape.sigil == "$" => {
            is_asked_for(syntax, id).then_some("it is asked for, and may not be there")
        }
        _ => None,
    }
}

/// Parts of arrays and objects.
pub(super) const PARTS: &str = "subscript_expression member_access_expression nullsafe_member_access_expression \
    scoped_property_access_expression";

/// Whether an expression of PHP, or what it is the beginning of, is only asked for by `isset`, `empty` or `unset`.
fn is_asked_for(syntax: &Syntax, id: NodeId) -> bool {
    let is_part = |up: &NodeId, at: NodeId| syntax.is_in(*up, PARTS) && syntax.named(*up).next() == Some(at);
    let mut at = id;
    while let Some(up) = syntax.parent(at).filter(|up| is_part(up, at)) {
        at = up;
    }
    let Some(up) = syntax.parent(at) else { return false };
    let list = Some(up).filter(|up| syntax.kind(*up) == "argument").and_then(|up| syntax.parent(up));
    let call = list.and_then(|list| syntax.parent(list));
    let callee = call.and_then(|call| syntax.field(call, "function"));
    let name = callee.map_or("", |callee| syntax.text_of(callee)).to_ascii_lowercase();
    syntax.kind(up) == "unset_statement" || has("isset empty", &name)
}

/// Expressions of Rust that need no `;` behind them.
const BLOCKS: &str =
    "if_expression match_expression block unsafe_block loop_expression while_expression for_expression";

/// Whether an expression ends with the name of a type or a package, where those are no values.
fn names_type(rx: &Resolver, view: &FileView, syntax: &Syntax, id: NodeId) -> bool {
    let range = syntax.range(id);
    if !matches!(view.family(), Family::Jvm | Family::Go | Family::Php) {
        return false;
    }
    let last = view.ref_ids().filter(|r| {
        let at = view.reference(*r).range;
        at.end == range.end && range.encloses(at)
    });
    last.into_iter().any(|r| {
        let meant = rx.resolve(view.global_ref(r)).resolution;
        !meant.targets.is_empty()
            && meant.targets.iter().all(|target| match target {
                Target::Def(def) => rx.kind(*def).is_type() && rx.kind(*def) != SymbolKind::Object,
                Target::Package(_) | Target::Module(_) => true,
                Target::External(_) => false,
            })
    })
}
