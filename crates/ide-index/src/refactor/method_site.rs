//! What becomes a function, and where that goes.

use ide_model::TextRange;

use super::extract_variable::trimmed;
use super::scene::{Refused, Scene};
use super::tree::NodeId;

/// What is taken out.
pub(super) struct Part {
    pub(super) range: TextRange,
    /// The statements, or the expression.
    pub(super) nodes: Vec<NodeId>,
    pub(super) is_value: bool,
    /// The innermost function or lambda around.
    pub(super) function: NodeId,
}

impl Part {
    pub(super) fn select(scene: &Scene<'_>, range: TextRange) -> Result<Self, Refused> {
        let syntax = &scene.syntax;
        let range = trimmed(&syntax.text, range);
        if range.is_empty() {
            return scene.form("nothing is selected", range);
        }
        let inner = syntax.around(range);
        let same = || syntax.ancestors(inner).take_while(|id| syntax.range(*id) == range);
        let block = syntax.ancestors(inner).find(|id| {
            syntax.is_in(*id, syntax.shape.blocks)
                && (syntax.range(*id) != range || syntax.named(*id).count() > 0)
        });
        let value = same().find(|id| syntax.is_expression(*id) && !syntax.is_statement(*id));
        // What is only run is a statement, with or without the mark at its end.
        let run = value.and_then(|value| syntax.parent(value));
        let run = run
            .filter(|id| syntax.kind(*id) == syntax.shape.expression_statement && syntax.is_statement(*id));
        let value = value.filter(|_| run.is_none());
        let range = run.map_or(range, |id| syntax.range(id));
        let nodes: Vec<NodeId> = match (value, block) {
            _ if run.is_some() => run.into_iter().collect(),
            (Some(value), _) => vec![value],
            (None, Some(block)) => {
                let meets =
                    |id: &NodeId| syntax.range(*id).start < range.end && range.start < syntax.range(*id).end;
                syntax.named(block).filter(meets).collect()
            }
            (None, None) => Vec::new(),
        };
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
            return scene.form("there are no whole statements here", range);
        };
        let own = TextRange::new(syntax.range(*first).start, syntax.range(*last).end);
        let cut = own.start < range.start || own.end > range.end;
        if cut && value.is_none() {
            return scene.form("the selection cuts through a statement", range);
        }
        let Some(function) = syntax.function_of(*first) else {
            return scene.form("it is not part of a function", range);
        };
        let range = TextRange::new(range.start.min(own.start), range.end.max(own.end));
        Ok(Self { range, nodes, is_value: value.is_some(), function })
    }
}

/// Where the new function goes: behind a member of a type, or behind something at the top.
pub(super) struct Site {
    pub(super) node: NodeId,
    /// The function that a member is, or that stands at the top.
    pub(super) member: Option<NodeId>,
    /// The type, when it becomes a member.
    pub(super) owner: Option<NodeId>,
}

impl Site {
    pub(super) fn of(scene: &Scene<'_>, part: &Part) -> Result<Self, Refused> {
        let syntax = &scene.syntax;
        let mut node = part.function;
        let owner = loop {
            let Some(parent) = syntax.parent(node) else {
                return scene.form("there is no place for a function here", part.range);
            };
            let holder = if syntax.shape.by_indent && syntax.kind(parent) == "block" {
                syntax.parent(parent)
            } else {
                Some(parent)
            };
            if let Some(holder) = holder.filter(|id| syntax.is_in(*id, syntax.shape.types)) {
                break Some(holder);
            }
            if parent == syntax.root() || syntax.kind(parent) == "namespace_definition" {
                break None;
            }
            node = parent;
        };
        let below = [node].into_iter().chain(syntax.named(node));
        let member = below.into_iter().find(|id| {
            syntax.is_in(*id, syntax.shape.functions)
                && syntax.range(*id).encloses(syntax.range(part.function))
        });
        Ok(Self { node, member, owner })
    }
}

/// How the part is left.
pub(super) enum Exit {
    /// Nothing comes back.
    Nothing,
    /// The value of the expression.
    Value(NodeId),
    /// What the function gives back, which is given on.
    Return { has_value: bool },
    /// Variables.
    Results,
}

/// How the object that a method works on takes part.
pub(super) struct Receiver {
    /// Before the name in the call.
    pub(super) call: String,
    /// In the list of parameters, or before the name of the method.
    pub(super) parameter: Option<String>,
    pub(super) is_member: bool,
    pub(super) is_static: bool,
}
