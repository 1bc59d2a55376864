//! What a call of a function can become: its statements, and the value that it gives.

use ide_model::TextRange;

use super::super::scene::{Refused, Scene};
use super::super::tree::{NodeId, Syntax};

/// The code of a function that takes the place of a call.
#[derive(Default)]
pub(super) struct Body {
    /// What runs before the value is made.
    pub(super) statements: Vec<NodeId>,
    pub(super) value: Option<NodeId>,
    /// From the first statement to the end of the last one, with comments that follow it.
    pub(super) part: TextRange,
}

impl Body {
    /// Reads what a function does.
    ///
    /// # Errors
    /// It has no body, or one that can leave before its end.
    pub(super) fn of(home: &Scene<'_>, node: NodeId) -> Result<Self, Refused> {
        let syntax = &home.syntax;
        let at = syntax.range(node);
        let body = syntax
            .field(node, "body")
            .or_else(|| syntax.named(node).find(|id| syntax.kind(*id) == "function_body"));
        let Some(mut body) = body else { return home.form("it has no body", at) };
        if syntax.kind(body) == "function_body" {
            body = match syntax.named(body).next() {
                Some(inner) => inner,
                None => return home.form("it has no body", at),
            };
        }
        let inner = || syntax.named(body).find(|id| syntax.is_in(*id, syntax.shape.blocks));
        let is_block = syntax.kind(body) == "block";
        let is_list = syntax.is_in(body, syntax.shape.blocks);
        let list = if is_list { Some(body) } else { inner().filter(|_| is_block) };
        let Some(list) = list else {
            return Ok(if is_block { Self::default() } else { Self::value(body) });
        };
        let mut statements: Vec<NodeId> = syntax.named(list).collect();
        let is_doc = |id: &NodeId| {
            syntax.shape.by_indent
                && syntax.named(*id).next().is_some_and(|child| syntax.kind(child) == "string")
        };
        if statements.first().is_some_and(is_doc) {
            statements.remove(0);
        }
        statements.retain(|id| syntax.kind(*id) != "pass_statement");
        let last = statements.last().copied();
        let value = match last {
            Some(last) => given_by(home, node, last)?,
            None => None,
        };
        if value.is_some() {
            statements.pop();
        }
        let returns = |id: &NodeId| syntax.is_in(*id, syntax.shape.returns);
        if let Some(found) = statements.iter().flat_map(|id| syntax.run_by(*id)).find(returns) {
            return home.form("its body waits, yields, or leaves early", syntax.range(found));
        }
        let part = match (statements.first(), statements.last(), last) {
            (Some(first), Some(before), Some(last)) => {
                let start = syntax.range(*first).start;
                let end = match value {
                    Some(_) => {
                        let text = syntax.slice(TextRange::new(start, syntax.range(last).start));
                        start + text.trim_end().len() as u32
                    }
                    None => syntax.range(*before).end,
                };
                TextRange::new(start, end)
            }
            _ => TextRange::default(),
        };
        Ok(Self { statements, value, part })
    }

    fn value(value: NodeId) -> Self {
        Self { value: Some(value), ..Self::default() }
    }

    /// From its first statement or its value to the end of the last one.
    pub(super) fn range(&self, syntax: &Syntax) -> TextRange {
        match (self.statements.is_empty(), self.value) {
            (true, None) => TextRange::default(),
            (true, Some(value)) => syntax.range(value),
            (false, None) => self.part,
            (false, Some(value)) => TextRange::new(self.part.start, syntax.range(value).end),
        }
    }
}

/// The value that the last statement of a function gives.
fn given_by(home: &Scene<'_>, node: NodeId, last: NodeId) -> Result<Option<NodeId>, Refused> {
    let syntax = &home.syntax;
    let is_tail = syntax.shape.this == "self" && syntax.is_expression(last);
    let has_result = syntax.field(node, "return_type").is_some();
    // What a block gives in Rust: an expression, or a `return` that needs no `;`.
    let run = Some(last).filter(|id| syntax.kind(*id) == syntax.shape.expression_statement);
    let run = run.and_then(|id| syntax.named(id).next()).unwrap_or(last);
    if !syntax.is_in(run, syntax.shape.returns) {
        return Ok(Some(last).filter(|_| is_tail && has_result));
    }
    let mut values = syntax.named(run);
    let mut value = values.next();
    if let Some(list) = value.filter(|id| syntax.kind(*id) == "expression_list") {
        let mut listed = syntax.named(list);
        value = listed.next().filter(|_| listed.next().is_none());
    }
    match value.filter(|_| values.next().is_none()) {
        Some(value) => Ok(Some(value)),
        None => home.form("it gives several values, or none", syntax.range(last)),
    }
}
