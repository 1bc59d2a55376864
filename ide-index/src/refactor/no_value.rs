//! Expressions by their form that give nothing which a variable could hold.

use ide_model::{Family, SymbolKind, TextRange};

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
    if gives_two(syntax, id) {
        return Some("it gives two values here, of which the second tells whether the first is there");
    }
    if is_read_as_constant(syntax, id) {
        return Some("`as const` reads its type from the way in which it is written here");
    }
    let parent = syntax.parent(id);
    let is_rust = syntax.shape.this == "self";
    match syntax.kind(id) {
        "string" if !syntax.shape.declare_typed.is_empty() && is_name_of_type(syntax, id) => {
            Some("the compiler reads the type that `typeof` is compared with from its text")
        }
        "call_expression"
            if syntax.field(id, "function").is_some_and(|callee| syntax.kind(callee) == "super") =>
        {
            Some("the call of the other constructor is a statement of its own")
        }
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

/// Whether a value of Go is taken with a second one: `v, ok := m[k]`.
pub(super) fn gives_two(syntax: &Syntax, id: NodeId) -> bool {
    const DECLARE: &str = "short_var_declaration assignment_statement var_spec";
    let may_give = has("type_assertion_expression index_expression", syntax.kind(id))
        || syntax.kind(id) == "unary_expression" && syntax.text_of(id).starts_with("<-");
    let list = syntax.parent(id).filter(|up| syntax.kind(*up) == "expression_list");
    let statement = list.and_then(|list| syntax.parent(list)).filter(|up| syntax.is_in(*up, DECLARE));
    let (Some(list), Some(statement)) = (list.filter(|_| may_give), statement) else { return false };
    let before = TextRange::new(syntax.range(statement).start, syntax.range(list).start);
    syntax.named(list).count() == 1 && syntax.slice(before).contains(',')
}

/// Whether `as const` narrows a value of TypeScript, or an array or object that is a part of one.
fn is_read_as_constant(syntax: &Syntax, id: NodeId) -> bool {
    const LITERALS: &str = "object array template_string";
    let is_part = |up: &NodeId| has("parenthesized_expression pair object array", syntax.kind(*up));
    let mut around = syntax.ancestors(id).skip(1);
    let holder = around.find(|up| !is_part(up));
    let is_constant =
        |up: NodeId| syntax.kind(up) == "as_expression" && syntax.words(up).ends_with(&["as", "const"]);
    let is_whole = || syntax.ancestors(id).skip(1).find(|up| syntax.kind(*up) != "parenthesized_expression");
    holder.is_some_and(is_constant) && (has(LITERALS, syntax.kind(id)) || is_whole() == holder)
}

/// Whether a text is compared with `typeof x`.
fn is_name_of_type(syntax: &Syntax, id: NodeId) -> bool {
    let is_typeof = |side: NodeId| syntax.text_of(side).starts_with("typeof ");
    syntax.parent(id).is_some_and(|up| {
        syntax.kind(up) == "binary_expression" && syntax.named(up).any(|side| side != id && is_typeof(side))
    })
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
