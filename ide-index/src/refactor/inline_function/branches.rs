//! Bodies that leave early become branches: what comes behind an early end is what happens else.

use ide_model::TextRange;

use super::super::calls::reindent;
use super::super::draft::Piece;
use super::super::scene::Scene;
use super::super::tree::{NodeId, Syntax};
use super::Function;
use super::body::left_by;
use super::leaving::result_of;
use super::site::{Site, Takes};
use super::substitution::Substitution;

/// Statements that run one after the other, and how they end.
pub(super) struct Run {
    /// Statements that cannot leave.
    plain: Option<TextRange>,
    end: End,
}

enum End {
    /// Nothing more happens.
    Open,
    /// This value is given, if any.
    Leaves(Option<NodeId>),
    Branch {
        whole: NodeId,
        condition: NodeId,
        then: Box<Run>,
        other: Box<Run>,
    },
}

impl Run {
    /// The branches that statements come to, if every one of them is of that form.
    pub(super) fn of(syntax: &Syntax, statements: &[NodeId]) -> Option<Self> {
        let leaving = statements.iter().position(|id| leaves(syntax, *id));
        let Some(at) = leaving else { return Some(Self { plain: span(syntax, statements), end: End::Open }) };
        let plain = match before(syntax, statements[at]) {
            Some(end) => Some(TextRange::new(lead(syntax, statements[0]), end)),
            None => span(syntax, &statements[..at]),
        };
        let (run, rest) = (inner(syntax, statements[at]), &statements[at + 1..]);
        if syntax.is_in(run, syntax.shape.returns) {
            let mut values = syntax.named(run);
            let value = values.next().map(|id| match syntax.kind(id) {
                "expression_list" if syntax.named(id).count() == 1 => syntax.named(id).next().unwrap_or(id),
                _ => id,
            });
            let is_one =
                values.next().is_none() && value.is_none_or(|id| syntax.kind(id) != "expression_list");
            return (is_one && rest.is_empty()).then_some(Self { plain, end: End::Leaves(value) });
        }
        if !["if_statement", "if_expression"].contains(&syntax.kind(run)) {
            return None;
        }
        let mut parts = syntax.named(run).filter(|id| syntax.node(*id).field != "initializer");
        let condition = syntax.field(run, "condition").or_else(|| parts.next())?;
        let fields = ["consequence", "body"].iter().find_map(|field| syntax.field(run, field));
        let then = fields.or_else(|| {
            syntax.named(run).find(|id| syntax.range(*id).start >= syntax.range(condition).end)
        })?;
        let head = |id: NodeId| id == condition || syntax.node(id).field == "initializer";
        let is_alone = syntax.named(run).all(|id| head(id) || id == then);
        let then = Self::of(syntax, &listed(syntax, then))?;
        // Comments between the branches would be lost.
        let plain_text = syntax.below(statements[at]).into_iter().all(|id| !syntax.node(id).is_extra);
        let other = Self::of(syntax, rest)?;
        let ends = !matches!(then.end, End::Open) && is_alone && plain_text;
        ends.then(|| Self {
            plain,
            end: End::Branch { whole: run, condition, then: Box::new(then), other: Box::new(other) },
        })
    }

    /// Whether every end gives a value, or none does.
    fn gives(&self, value: bool) -> bool {
        match &self.end {
            End::Open => !value,
            End::Leaves(given) => given.is_some() == value,
            End::Branch { then, other, .. } => then.gives(value) && other.gives(value),
        }
    }

    /// The values that it gives.
    pub(super) fn values(&self) -> Vec<NodeId> {
        match &self.end {
            End::Open | End::Leaves(None) => Vec::new(),
            End::Leaves(Some(value)) => vec![*value],
            End::Branch { then, other, .. } => [then.values(), other.values()].concat(),
        }
    }

    fn is_empty(&self) -> bool {
        self.plain.is_none() && matches!(self.end, End::Open | End::Leaves(None))
    }
}

/// The statement that an expression is run by.
fn inner(syntax: &Syntax, statement: NodeId) -> NodeId {
    let run = Some(statement).filter(|id| syntax.kind(*id) == syntax.shape.expression_statement);
    run.and_then(|id| syntax.named(id).next()).unwrap_or(statement)
}

fn leaves(syntax: &Syntax, statement: NodeId) -> bool {
    left_by(syntax, statement).is_some()
}

fn span(syntax: &Syntax, statements: &[NodeId]) -> Option<TextRange> {
    let (first, last) = (statements.first()?, statements.last()?);
    let (start, mut end) = (lead(syntax, *first), syntax.range(*last).end);
    if syntax.text[end as usize..].starts_with(';') {
        end += 1;
    }
    Some(TextRange::new(start, end))
}

/// The start of the comments right before a statement.
fn lead(syntax: &Syntax, statement: NodeId) -> u32 {
    let siblings = syntax.parent(statement).map_or(&[][..], |parent| syntax.children(parent));
    let before = siblings.iter().take_while(|id| **id != statement);
    let comments: Vec<_> = before.copied().collect();
    let comments = comments.into_iter().rev().take_while(|id| syntax.node(*id).is_extra);
    comments.last().map_or(syntax.range(statement).start, |id| syntax.range(id).start)
}

/// The end of the comments right before a statement, if there are any.
fn before(syntax: &Syntax, statement: NodeId) -> Option<u32> {
    let range = TextRange::new(lead(syntax, statement), syntax.range(statement).start);
    (!range.is_empty()).then(|| range.start + syntax.slice(range).trim_end().len() as u32)
}

/// The statements of a branch.
fn listed(syntax: &Syntax, branch: NodeId) -> Vec<NodeId> {
    let list = syntax.named(branch).find(|id| syntax.is_in(*id, syntax.shape.blocks));
    match syntax.is_in(branch, syntax.shape.blocks) {
        true => syntax.named(branch).collect(),
        false => match list {
            Some(list) => syntax.named(list).collect(),
            None if syntax.kind(branch) == "block" => Vec::new(),
            None => vec![branch],
        },
    }
}

/// The writer of the branches at a call.
struct Writer<'a> {
    function: &'a Function<'a>,
    scene: &'a Scene<'a>,
    substitution: &'a Substitution,
    /// The code that takes a value, before and behind it.
    takes: Option<(Vec<Piece>, Vec<Piece>)>,
}

impl Function<'_> {
    /// The branches of the body, when the call is a statement or all that one assigns.
    pub(super) fn branches(&self, site: &Site) -> Option<Run> {
        self.body.leaves?;
        let wants_value = !site.is_run;
        let is_fit = site.wrap.is_none_or(|wrap| wrap.lead.is_empty() && wrap.instead_of.is_empty())
            && (site.is_run || !matches!(site.takes, Takes::Other))
            && (site.is_run || !self.home.syntax.shape.block_value);
        let run = Run::of(&self.home.syntax, &self.body.statements).filter(|_| is_fit)?;
        let first_typed =
            !matches!(site.takes, Takes::New(_)) || self.home.syntax.shape.bind.contains("{type}");
        let has_type = result_of(self.home, self.node).is_some();
        let is_free = self.home.syntax.shape.bind.starts_with(['{', '$'])
            && !self.home.syntax.shape.bind.contains("{type}");
        (run.gives(wants_value)
            && (site.is_run || is_free || !first_typed || has_type || matches!(site.takes, Takes::Place)))
        .then_some(run)
    }

    /// The text of the branches in the place of the statement of a call.
    pub(super) fn branch_pieces(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        site: &Site,
        (run, substitution): (&Run, &Substitution),
        to: &str,
    ) -> Vec<Piece> {
        let syntax = &scene.syntax;
        let (at, whole) = (syntax.range(call), syntax.range(site.statement));
        let mut pieces = Vec::new();
        let behind = TextRange::new(at.end, whole.end);
        let takes = match site.takes {
            _ if site.is_run => None,
            Takes::New(name) => {
                pieces.extend(self.declaration(scene, name, site));
                if !pieces.is_empty() {
                    pieces.push(Piece::new(format!("\n{to}")));
                }
                let word = Piece::new(format!("{} = ", syntax.text_of(name)));
                Some((vec![word], vec![Piece::new(syntax.shape.end)]))
            }
            _ => {
                let before = TextRange::new(whole.start, at.start);
                Some((vec![Piece::Old(scene.file, before)], vec![Piece::Old(scene.file, behind)]))
            }
        };
        let writer = Writer { function: self, scene, substitution, takes };
        pieces.extend(writer.write(run, to));
        pieces
    }

    /// The declaration of a variable that gets its value in the branches.
    fn declaration(&self, scene: &Scene<'_>, name: NodeId, site: &Site) -> Vec<Piece> {
        let (syntax, shape) = (&scene.syntax, scene.syntax.shape);
        let word = syntax.text_of(name);
        let said = syntax
            .parent(name)
            .and_then(|up| syntax.field(up, "type"))
            .or_else(|| syntax.field(site.statement, "type"));
        let said = said.filter(|id| syntax.text_of(*id) != "var");
        let ty = match said {
            Some(id) => Some(Piece::Old(scene.file, syntax.range(id))),
            None => result_of(self.home, self.node).map(|ty| Piece::Old(self.home.file, ty)),
        };
        let template = if shape.bind_written.is_empty() { shape.bind } else { shape.bind_written };
        let Some((head, _)) = template.split_once(" = ").filter(|_| template.contains("{type}")) else {
            return Vec::new();
        };
        let mut pieces = Vec::new();
        for part in head.split_inclusive('}') {
            let (before, hole) = part.split_once('{').unwrap_or((part, ""));
            pieces.push(Piece::new(before));
            match hole {
                "name}" => pieces.push(Piece::Old(scene.file, syntax.range(name))),
                "type}" => pieces.extend(ty.clone()),
                _ => {}
            }
        }
        pieces.push(Piece::new(format!("{}{}", if word.is_empty() { " " } else { "" }, shape.end)));
        pieces
    }
}

impl Writer<'_> {
    fn write(&self, run: &Run, to: &str) -> Vec<Piece> {
        let home = &self.function.home.syntax;
        let mut pieces = Vec::new();
        if let Some(plain) = run.plain {
            pieces.extend(self.moved(plain, home.indent_at(plain.start), to));
        }
        let line = |pieces: &mut Vec<Piece>| {
            if !pieces.is_empty() {
                pieces.push(Piece::new(format!("\n{to}")));
            }
        };
        match &run.end {
            End::Open | End::Leaves(None) => {}
            End::Leaves(Some(value)) => {
                line(&mut pieces);
                if let Some((before, behind)) = &self.takes {
                    pieces.extend(before.iter().cloned());
                    let range = home.range(*value);
                    pieces.extend(self.moved(range, home.indent_at(range.start), to));
                    pieces.extend(behind.iter().cloned());
                }
            }
            End::Branch { whole, condition, then, other } => {
                line(&mut pieces);
                pieces.extend(self.branch((*whole, *condition), then, other, to));
            }
        }
        pieces
    }

    fn branch(&self, (whole, condition): (NodeId, NodeId), then: &Run, other: &Run, to: &str) -> Vec<Piece> {
        let home = &self.function.home.syntax;
        let by_indent = home.shape.by_indent;
        let (open, close) =
            if by_indent { (":".to_owned(), String::new()) } else { (" {".to_owned(), format!("\n{to}}}")) };
        let inner = format!("{to}{}", self.scene.syntax.indent_unit());
        let indent = home.indent_at(home.range(whole).start);
        let asked = home.range(condition);
        let head = TextRange::new(home.range(whole).start, asked.start);
        let mut pieces = self.moved(head, indent, to);
        let negated = then.is_empty();
        let asks = self.moved(asked, indent, to);
        if negated {
            let is_bracketed = condition_is_bracketed(home, condition);
            let not = if by_indent { "not " } else { "!" };
            let (before, behind) = match (is_bracketed, home.is_in(condition, home.shape.atoms)) {
                (true, _) => (format!("({not}"), ")"),
                (false, true) => (not.to_owned(), ""),
                (false, false) => (format!("{not}("), ")"),
            };
            pieces.push(Piece::new(before));
            pieces.extend(asks);
            pieces.push(Piece::new(behind));
        } else {
            pieces.extend(asks);
        }
        // A bracket around the condition that is no part of it.
        let after = home.text[asked.end as usize..].trim_start();
        if !condition_is_bracketed(home, condition)
            && after.starts_with(')')
            && home.slice(head).trim_end().ends_with('(')
        {
            pieces.push(Piece::new(")"));
        }
        let first = if negated { other } else { then };
        pieces.push(Piece::new(format!("{open}\n{inner}")));
        pieces.extend(self.write(first, &inner));
        pieces.push(Piece::new(close.clone()));
        if !negated
            && let (None, End::Branch { whole, condition, then, other }) = (other.plain, &other.end)
            && !then.is_empty()
        {
            pieces.push(Piece::new(if by_indent { format!("\n{to}el") } else { " else ".to_owned() }));
            pieces.extend(self.branch((*whole, *condition), then, other, to));
        } else if !negated && !other.is_empty() {
            let word = if by_indent { format!("\n{to}else:") } else { " else {".to_owned() };
            pieces.push(Piece::new(format!("{word}\n{inner}")));
            pieces.extend(self.write(other, &inner));
            pieces.push(Piece::new(close));
        }
        pieces.retain(|piece| !matches!(piece, Piece::New(text) if text.is_empty()));
        pieces
    }

    /// A part of the body at another indentation.
    fn moved(&self, part: TextRange, from: &str, to: &str) -> Vec<Piece> {
        let home = self.function.home;
        reindent(
            &home.syntax,
            self.function.substituted(self.scene, part, self.substitution),
            home.file,
            from,
            to,
        )
    }
}

fn condition_is_bracketed(syntax: &Syntax, condition: NodeId) -> bool {
    syntax.kind(condition).starts_with("parenthesized")
}
