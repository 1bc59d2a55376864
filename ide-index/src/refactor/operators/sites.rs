//! Places in the tree of a file where a method may be called without its name.

use ide_model::TextRange;

use super::super::tree::{NodeId, Syntax, has};
use super::table::{Place, Side, Way};

/// Such a place.
pub(super) struct Site<'w> {
    pub(super) way: &'w Way,
    /// The object.
    pub(super) object: NodeId,
    /// The other operand.
    pub(super) other: Option<NodeId>,
    /// The token, or what stands for it.
    pub(super) mark: TextRange,
    /// The name that the object must not have.
    pub(super) missing: Option<TextRange>,
    /// The function that must be of the library.
    pub(super) function: Option<TextRange>,
}

/// The places of one file, in order.
pub(super) fn sites<'w>(syntax: &Syntax, ways: &'w [Way]) -> Vec<Site<'w>> {
    let mut found = Vec::new();
    for node in syntax.below(syntax.root()) {
        let kind = syntax.kind(node);
        let is_call = syntax.is_in(node, syntax.shape.calls) || kind == "macro_invocation";
        for way in ways {
            if way.side == Side::Argument {
                if is_call {
                    arguments(syntax, node, way, &mut found);
                }
            } else if has(way.kinds, kind) && way.places.iter().all(|place| stands(syntax, node, *place)) {
                add(syntax, node, way, &mut found);
            }
        }
    }
    found.sort_by_key(|site| site.mark);
    found
}

fn add<'w>(syntax: &Syntax, node: NodeId, way: &'w Way, found: &mut Vec<Site<'w>>) {
    let missing = way.places.contains(&Place::Missing).then(|| {
        let name = ["name", "attribute"].iter().find_map(|field| syntax.field(node, field));
        name.map(|name| syntax.range(name))
    });
    let missing = missing.flatten();
    let site = |object, other, mark| Site { way, object, other, mark, missing, function: None };
    let named: Vec<NodeId> = syntax.named(node).collect();
    match way.side {
        Side::Before | Side::Behind => {
            let is_token = |id: &NodeId| {
                let token = syntax.node(*id);
                !token.is_named && is_spelled(token.kind, way.token)
            };
            for token in syntax.children(node).iter().copied().filter(is_token) {
                let mark = syntax.range(token);
                let behind = named.partition_point(|id| syntax.range(*id).start < mark.start);
                let before = behind.checked_sub(1).and_then(|at| named.get(at)).copied();
                let after = named.get(behind).copied();
                let (object, other) =
                    if way.side == Side::Before { (before, after) } else { (after, before) };
                found.extend(object.map(|object| site(object, other, mark)));
            }
        }
        Side::Callee => {
            let callee = syntax.field(node, "function").or(named.first().copied());
            let given = named.iter().find(|id| Some(**id) != callee);
            // A plain name of PHP is that of a function.
            let callee = callee.filter(|id| !has("name qualified_name relative_scope", syntax.kind(*id)));
            if let Some((callee, given)) = callee.zip(given) {
                let start = syntax.range(*given).start;
                found.push(site(callee, None, TextRange::new(start, start + 1)));
            }
        }
        Side::First => {
            let value = syntax.field(node, "value").or(named.first().copied());
            let value = value.map(|value| match syntax.kind(value) {
                "as_pattern" => syntax.named(value).next().unwrap_or(value),
                _ => value,
            });
            found.extend(value.map(|value| site(value, None, syntax.range(value))));
        }
        Side::Each => {
            let parts = named.into_iter().flat_map(|id| match syntax.kind(id) {
                "sequence_expression" => syntax.named(id).collect(),
                _ => vec![id],
            });
            let is_value = |id: &NodeId| !has(TEXT_PARTS, syntax.kind(*id));
            found.extend(parts.filter(is_value).map(|id| site(id, None, syntax.range(id))));
        }
        Side::Argument => {}
    }
}

/// Parts of texts that are no values.
const TEXT_PARTS: &str = "string_content escape_sequence heredoc_start";

/// Arguments of a call of a function of the library.
fn arguments<'w>(syntax: &Syntax, call: NodeId, way: &'w Way, found: &mut Vec<Site<'w>>) {
    let named: Vec<NodeId> = syntax.named(call).collect();
    let callee = ["function", "macro"].iter().find_map(|field| syntax.field(call, field));
    let Some(callee) = callee.or(named.first().copied()).filter(|id| syntax.text_of(*id) == way.token) else {
        return;
    };
    let Some(list) = named
        .iter()
        .copied()
        .find(|id| has("argument_list arguments value_arguments macro_arguments", syntax.kind(*id)))
    else {
        return;
    };
    for argument in syntax.named(list) {
        let object = match syntax.kind(argument) {
            "argument" | "value_argument" => syntax.named(argument).last().unwrap_or(argument),
            "keyword_argument" | "format_text" | "list_splat" | "dictionary_splat" => continue,
            _ => argument,
        };
        let function = Some(syntax.range(callee));
        let mark = syntax.range(object);
        found.push(Site { way, object, other: None, mark, missing: None, function });
    }
}

/// Whether a token is that of a row, in which `_` stands for a blank.
fn is_spelled(kind: &str, token: &str) -> bool {
    kind == token || kind.contains(' ') && kind.replace(' ', "_") == token
}

fn stands(syntax: &Syntax, node: NodeId, place: Place) -> bool {
    let is_async = || {
        syntax.ancestors(node).take(3).any(|up| {
            has("for_statement for_in_clause with_statement", syntax.kind(up))
                && syntax.children(up).iter().any(|id| syntax.kind(*id) == "async")
        })
    };
    match place {
        Place::Read | Place::Written | Place::Deleted | Place::Tested => {
            uses(syntax, node).contains(&Some(place))
        }
        Place::TakenApart => syntax
            .field(node, "left")
            .is_some_and(|left| has("pattern_list tuple_pattern list_pattern", syntax.kind(left))),
        Place::Variable => syntax
            .parent(node)
            .is_some_and(|up| syntax.children(up).iter().any(|id| syntax.kind(*id) == "var")),
        Place::Async => is_async(),
        Place::NotAsync => !is_async(),
        Place::Missing => true,
        Place::ToText => syntax.field(node, "type").is_some_and(|ty| syntax.text_of(ty) == "string"),
    }
}

/// Lists in which a place that is written to may stand.
const LISTS: &str =
    "pattern_list tuple_pattern list_pattern expression_list parenthesized_expression list_literal";

/// The uses that are made of the value at a place, at most two.
fn uses(syntax: &Syntax, node: NodeId) -> [Option<Place>; 2] {
    let mut at = node;
    while let Some(list) = syntax.parent(at).filter(|up| has(LISTS, syntax.kind(*up))) {
        at = list;
    }
    let read = [Some(Place::Read), None];
    let Some(place) = syntax.parent(at) else { return read };
    let is_first = syntax.named(place).next() == Some(at);
    match syntax.kind(place) {
        "assignment" | "assignment_expression" if is_first => match syntax.operator(place) {
            Some("=") | None => [Some(Place::Written), None],
            // `a: int = 1` of Python.
            Some(":") => [Some(Place::Written), None],
            Some(_) => [Some(Place::Read), Some(Place::Written)],
        },
        "augmented_assignment" | "augmented_assignment_expression" | "compound_assignment_expr"
            if is_first =>
        {
            [Some(Place::Read), Some(Place::Written)]
        }
        "update_expression" => [Some(Place::Read), Some(Place::Written)],
        "unary_expression" if has("++ --", syntax.operator(place).unwrap_or("")) => {
            [Some(Place::Read), Some(Place::Written)]
        }
        "for_statement" | "for_in_clause" if syntax.node(at).field == "left" => [Some(Place::Written), None],
        "as_pattern_target" => [Some(Place::Written), None],
        "delete_statement" | "unset_statement" => [Some(Place::Deleted), None],
        "argument" => {
            let call = syntax.parent(place).and_then(|list| syntax.parent(list));
            let name = call.and_then(|call| syntax.field(call, "function")).map(|id| syntax.text_of(id));
            match name.map(str::to_ascii_lowercase).as_deref() {
                Some("isset") => [Some(Place::Tested), None],
                Some("empty") => [Some(Place::Tested), Some(Place::Read)],
                _ => read,
            }
        }
        _ => read,
    }
}
