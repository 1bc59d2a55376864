//! Arguments of macros that take values like functions do: their tokens as the expressions that they are.

use ide_model::TextRange;
use rustc_hash::FxHashMap;

use super::{Node, NodeId, Shape, has};

/// Macros in the arguments of macros are read to this depth.
const MAX_NESTING: u8 = 16;

/// The kind of the arguments of a macro.
const ARGUMENTS: &str = "macro_arguments";
/// The kind of those arguments that a macro does not always evaluate.
const SKIPPED: &str = "skipped_arguments";
/// The kind of the text that says how values are formatted: it must be a literal.
const FORMAT: &str = "format_text";

/// Macros whose arguments are values.
pub(crate) struct ValueMacros {
    pub(crate) names: &'static str,
    /// How many of the first arguments are always evaluated.
    pub(crate) eager: usize,
    /// The argument that must be a literal.
    pub(crate) format: Option<usize>,
}

/// Replaces the tokens of such macros by expressions, as `parse` reads them. A macro that the project `defines` under the same
/// name may do anything with its tokens.
pub(super) fn read_arguments(
    nodes: &mut Vec<Node>,
    shape: &Shape,
    text: &str,
    defines: &dyn Fn(&str) -> bool,
    parse: &dyn Fn(&str) -> Option<Vec<Node>>,
) {
    if shape.macros.is_empty() {
        return;
    }
    let mut own: FxHashMap<&str, bool> = FxHashMap::default();
    let mut todo: Vec<(usize, u8)> = (0..nodes.len()).map(|at| (at, 0)).collect();
    while let Some((at, nesting)) = todo.pop() {
        if nesting == MAX_NESTING || nodes[at].kind != "macro_invocation" {
            continue;
        }
        let child = |wanted: &dyn Fn(&Node) -> bool| {
            nodes[at].children.iter().copied().find(|id| wanted(&nodes[id.0 as usize]))
        };
        let slice = |range: TextRange| text.get(range.start as usize..range.end as usize).unwrap_or("");
        let name = child(&|node| node.field == "macro").map_or("", |id| slice(nodes[id.0 as usize].range));
        let name = name.rsplit("::").next().unwrap_or(name).trim();
        let row = shape.macros.iter().find(|row| has(row.names, name));
        let mut is_own = || {
            *own.entry(name)
                .or_insert_with(|| text.contains(&format!("macro_rules! {name}")) || defines(name))
        };
        let Some((row, tokens)) = row.filter(|_| !is_own()).zip(child(&|node| node.kind == "token_tree"))
        else {
            continue;
        };
        let range = nodes[tokens.0 as usize].range;
        let Some((parsed, list, shift)) = arguments(slice(range), parse) else { continue };
        let shift = i64::from(range.start) - shift;
        let first = nodes.len();
        replace(nodes, tokens, (&parsed, list), shift, row);
        todo.extend((first..nodes.len()).map(|at| (at, nesting + 1)));
    }
}

/// The tree in which tokens with their brackets are arguments or the items of an array, the node that those are, and where the
/// brackets begin in it.
fn arguments(tokens: &str, parse: &dyn Fn(&str) -> Option<Vec<Node>>) -> Option<(Vec<Node>, NodeId, i64)> {
    let inner = tokens.get(1..tokens.len().checked_sub(1)?)?;
    let forms = [("fn f(){f", '(', ')', "arguments"), ("fn f(){(", '[', ']', "array_expression")];
    forms.into_iter().find_map(|(before, open, close, kind)| {
        let behind = if open == '[' { ");}" } else { ";}" };
        let nodes = parse(&format!("{before}{open}{inner}{close}{behind}"))?;
        let start = before.len() as u32;
        let whole = TextRange::new(start, start + tokens.len() as u32);
        let list = nodes.iter().position(|node| node.kind == kind && node.range == whole)?;
        let is_wrong = |node: &Node| node.kind == "ERROR" || node.range.is_empty();
        (!nodes.iter().any(is_wrong)).then(|| (nodes, NodeId(list as u32), i64::from(start)))
    })
}

/// Puts the children of a list in the place of those of a node.
fn replace(
    nodes: &mut Vec<Node>,
    at: NodeId,
    (parsed, list): (&[Node], NodeId),
    shift: i64,
    row: &ValueMacros,
) {
    let level = nodes[at.0 as usize].level;
    nodes[at.0 as usize].kind = ARGUMENTS;
    nodes[at.0 as usize].children.clear();
    let children = &parsed[list.0 as usize].children;
    let is_value = |id: &NodeId| {
        let node = &parsed[id.0 as usize];
        node.is_named && !node.is_extra
    };
    let skipped: Vec<NodeId> = children.iter().copied().filter(is_value).skip(row.eager).collect();
    let last = children.iter().rposition(|id| skipped.last() == Some(id));
    let mut parent = at;
    let mut count = 0;
    for (place, child) in children.iter().enumerate() {
        if Some(child) == skipped.first() {
            let end = skipped.last().unwrap_or(child);
            let range =
                TextRange::new(parsed[child.0 as usize].range.start, parsed[end.0 as usize].range.end);
            parent = push(
                nodes,
                at,
                Node {
                    kind: SKIPPED,
                    field: "",
                    range: moved(range, shift),
                    is_named: true,
                    is_extra: false,
                    is_missing: false,
                    level: level + 1,
                    parent: Some(at),
                    children: Vec::new(),
                },
            );
        }
        let copied = copy(nodes, parent, parsed, *child, shift);
        if is_value(child) {
            if row.format == Some(count) {
                nodes[copied.0 as usize].kind = FORMAT;
            }
            count += 1;
        }
        if last == Some(place) {
            parent = at;
        }
    }
}

fn moved(range: TextRange, shift: i64) -> TextRange {
    let by = |at: u32| u32::try_from(i64::from(at) + shift).unwrap_or_default();
    TextRange::new(by(range.start), by(range.end))
}

fn push(nodes: &mut Vec<Node>, parent: NodeId, node: Node) -> NodeId {
    let id = NodeId(nodes.len() as u32);
    nodes[parent.0 as usize].children.push(id);
    nodes.push(node);
    id
}

/// Copies a node and all below it to a parent.
fn copy(nodes: &mut Vec<Node>, parent: NodeId, parsed: &[Node], top: NodeId, shift: i64) -> NodeId {
    let first = NodeId(nodes.len() as u32);
    let mut todo = vec![(top, parent)];
    while let Some((id, parent)) = todo.pop() {
        let node = &parsed[id.0 as usize];
        let new = push(
            nodes,
            parent,
            Node {
                kind: node.kind,
                field: node.field,
                range: moved(node.range, shift),
                is_named: node.is_named,
                is_extra: node.is_extra,
                is_missing: false,
                level: nodes[parent.0 as usize].level + 1,
                parent: Some(parent),
                children: Vec::new(),
            },
        );
        todo.extend(node.children.iter().rev().map(|child| (*child, new)));
    }
    first
}
