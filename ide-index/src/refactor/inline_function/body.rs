//! The body of a function as it can replace a call: its statements, and the value that it gives.

use ide_model::TextRange;

use super::super::scene::{Refused, Scene};
use super::super::tree::{NodeId, Syntax};

/// The code of a function that takes the place of a call.
#[derive(Default)]
pub(super) struct Body {
    /// The statements that run before the value is computed.
    pub(super) statements: Vec<NodeId>,
    pub(super) value: Option<NodeId>,
    /// From the first statement to the end of the last one, with comments that follow it.
    pub(super) part: TextRange,
    /// A place where it leaves the function before its end, or gives what no one value can stand for. All is in the
    /// statements then.
    pub(super) leaves: Option<TextRange>,
    /// The comment behind the last statement on its line, with the blanks before it.
    pub(super) remark: Option<TextRange>,
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
            syntax.kind(*id) == "expression_statement"
                && syntax.shape.by_indent
                && syntax.named(*id).next().is_some_and(|child| syntax.kind(child) == "string")
        };
        if statements.first().is_some_and(is_doc) {
            statements.remove(0);
        }
        statements.retain(|id| syntax.kind(*id) != "pass_statement");
        let is_bare =
            |id: &NodeId| syntax.is_in(*id, syntax.shape.returns) && syntax.named(*id).next().is_none();
        statements.pop_if(|id| is_bare(id));
        let last = statements.last().copied();
        let given = last.map_or(Given::Nothing, |last| given_by(syntax, node, last));
        let inner = &statements[..statements.len() - usize::from(!matches!(given, Given::Nothing))];
        let mut leaves = inner.iter().find_map(|id| left_by(syntax, *id));
        let value = match given {
            Given::Value(value) if leaves.is_none() => Some(value),
            Given::Several => {
                leaves = leaves.or(last.map(|id| syntax.range(id)));
                None
            }
            Given::Nothing | Given::Value(_) => None,
        };
        if value.is_some() {
            statements.pop();
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
        let remark = remark_behind(syntax, list, part.end);
        Ok(Self { statements, value, part, leaves, remark })
    }

    /// Whether it may stand where a value is asked for.
    pub(super) fn gives(&self) -> bool {
        self.value.is_some() || self.leaves.is_some()
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

/// The comment that follows on the same line.
fn remark_behind(syntax: &Syntax, list: NodeId, end: u32) -> Option<TextRange> {
    let all = syntax.parent(list).map_or_else(Vec::new, |around| syntax.below(around));
    let comments = all.into_iter().filter(|id| syntax.node(*id).is_extra).map(|id| syntax.range(id));
    let mut behind = comments.filter(|at| {
        let gap = syntax.slice(TextRange::new(end, at.start.max(end)));
        at.start >= end && gap.trim().is_empty() && !gap.contains('\n')
    });
    behind
        .next()
        .filter(|at| end > 0 && !syntax.slice(*at).contains('\n'))
        .map(|at| TextRange::new(end, at.end))
}

/// The result of a function's last statement.
enum Given {
    Nothing,
    Value(NodeId),
    /// Several values, or an end without one.
    Several,
}

fn given_by(syntax: &Syntax, node: NodeId, last: NodeId) -> Given {
    let is_tail = syntax.shape.this == "self" && syntax.is_expression(last);
    let has_result = syntax.field(node, "return_type").is_some();
    // A block in Rust ends with its result: an expression, or a `return` that needs no `;`.
    let run = Some(last).filter(|id| syntax.kind(*id) == syntax.shape.expression_statement);
    let run = run.and_then(|id| syntax.named(id).next()).unwrap_or(last);
    if !syntax.is_in(run, syntax.shape.returns) {
        return if is_tail && has_result { Given::Value(last) } else { Given::Nothing };
    }
    let mut values = syntax.named(run);
    let mut value = values.next();
    if let Some(list) = value.filter(|id| syntax.kind(*id) == "expression_list") {
        let mut listed = syntax.named(list);
        value = listed.next().filter(|_| listed.next().is_none());
    }
    value.filter(|_| values.next().is_none()).map_or(Given::Several, Given::Value)
}

/// The range in which a statement leaves the function around it.
pub(super) fn left_by(syntax: &Syntax, statement: NodeId) -> Option<TextRange> {
    // A `return` in a lambda of Kotlin leaves the function around it.
    let lambda = |id: NodeId| syntax.kind(id) == "lambda_literal";
    let all = syntax.below(statement).into_iter().filter(|id| {
        syntax.is_in(*id, syntax.shape.returns)
            || syntax.is_in(*id, "try_expression defer_statement") && syntax.is_in(*id, syntax.shape.escapes)
    });
    let own = |id: &NodeId| {
        let mut around = syntax.ancestors(*id).skip(1).take_while(|up| *up != statement);
        !syntax.is_in(statement, syntax.shape.functions)
            && around.all(|up| !syntax.is_in(up, syntax.shape.functions) || lambda(up))
    };
    all.into_iter().find(own).map(|id| syntax.range(id))
}
