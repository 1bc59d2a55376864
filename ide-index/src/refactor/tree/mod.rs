//! The syntax of one file for changes inside of code: nodes of its grammar, and what the language's table says of them.
//!
//! Facts know names; they do not know where an expression or a statement begins and ends. That comes from here, and from
//! nowhere else: the algorithms ask [`Syntax`] and the [`Shape`] of the language, so that each is written once.

mod brackets;
mod damaged;
mod go;
mod java;
mod kotlin;
mod macros;
mod shape;
mod shapes;

use std::sync::Arc;

use ide_model::{Language, QueryError, TextRange};

pub(super) use brackets::{DOCUMENTATION, PROLONGED, QUOTES, SPELLED_OUT};
pub(crate) use macros::ValueMacros;
pub(crate) use shape::has;
pub(super) use shape::{Brackets, Shape, Wrap};
pub(super) use shapes::{DEFAULT, META, ROUND};

/// Position of a node in its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NodeId(u32);

/// Files that nest deeper are not changed: what plans a change goes down and up their trees.
const MAX_LEVELS: usize = 1_000;

/// One node. Punctuation and keywords are nodes too, not named ones.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: &'static str,
    /// The name of its place in the parent; empty where it has none.
    pub(crate) field: &'static str,
    pub(crate) range: TextRange,
    pub(crate) is_named: bool,
    /// A comment.
    pub(crate) is_extra: bool,
    /// Something that the grammar misses there.
    is_missing: bool,
    /// How many nodes are around it.
    level: usize,
    parent: Option<NodeId>,
    children: Vec<NodeId>,
}

/// A parsed file.
pub(crate) struct Syntax {
    pub(crate) shape: &'static Shape,
    pub(super) text: Arc<str>,
    /// Not all of the text has nodes that are its own.
    pub(crate) is_damaged: bool,
    nodes: Vec<Node>,
}

impl Syntax {
    /// Reads a file. `defines` says whether the project has a macro of a name itself, which may be any; `parts` gives the
    /// ranges of its declarations that are not inside of functions.
    ///
    /// # Errors
    /// [`QueryError::Unsupported`] for languages without a table, and in builds without grammars.
    pub(crate) fn read(
        language: Language,
        path: &str,
        text: Arc<str>,
        defines: &dyn Fn(&str) -> bool,
        parts: &dyn Fn() -> Vec<TextRange>,
    ) -> Result<Self, QueryError> {
        let unsupported = || QueryError::Unsupported {
            query: "changing the inside of code",
            language: Some(language),
            supported: shapes::SHAPES.iter().map(|shape| shape.language).collect(),
        };
        let shape = shapes::SHAPES.iter().find(|shape| shape.language == language).ok_or_else(unsupported)?;
        let readable = shape.readable.and_then(|readable| readable(&text));
        let readable = readable.as_deref().unwrap_or(&text);
        let mut read = nodes(language, path, readable).ok_or_else(unsupported)?;
        let is_damaged = damaged::is_damaged(&read);
        if is_damaged {
            let is_read =
                |text: &str| nodes(language, path, text).is_some_and(|all| !damaged::is_damaged(&all));
            let sound = damaged::without_damage(readable, parts(), &is_read);
            read = sound.and_then(|sound| nodes(language, path, &sound)).unwrap_or(read);
        }
        macros::read_arguments(&mut read, shape, &text, defines, &|text| nodes(language, path, text));
        let nodes = read;
        if nodes.iter().any(|node| node.level > MAX_LEVELS) {
            let because = format!("nests more than {MAX_LEVELS} levels deep");
            return Err(QueryError::NotRead { path: path.to_owned(), because });
        }
        Ok(Self { shape, text, is_damaged, nodes })
    }

    pub(crate) fn root(&self) -> NodeId {
        NodeId(0)
    }

    /// Every node, outer ones before inner ones, in source order.
    pub(crate) fn all(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn kind(&self, id: NodeId) -> &'static str {
        self.node(id).kind
    }

    pub(crate) fn range(&self, id: NodeId) -> TextRange {
        self.node(id).range
    }

    pub(crate) fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent
    }

    pub(crate) fn slice(&self, range: TextRange) -> &str {
        self.text.get(range.start as usize..range.end as usize).unwrap_or("")
    }

    pub(crate) fn text_of(&self, id: NodeId) -> &str {
        self.slice(self.range(id))
    }

    /// Whether a sign stands right behind a node.
    pub(crate) fn is_followed_by(&self, id: NodeId, sign: char) -> bool {
        self.text.get(self.range(id).end as usize..).is_some_and(|behind| behind.starts_with(sign))
    }

    /// All children, punctuation and comments too.
    pub(crate) fn children(&self, id: NodeId) -> &[NodeId] {
        &self.node(id).children
    }

    /// Children that are neither punctuation nor comments.
    pub(crate) fn named(&self, id: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + '_ {
        self.children(id)
            .iter()
            .copied()
            .filter(|child| self.node(*child).is_named && !self.node(*child).is_extra)
    }

    pub(crate) fn field(&self, id: NodeId, field: &str) -> Option<NodeId> {
        self.children(id).iter().copied().find(|child| self.node(*child).field == field)
    }

    /// The node and those around it, innermost first.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(Some(id), |id| self.parent(*id))
    }

    /// The node and all below it, in source order.
    pub(crate) fn below(&self, id: NodeId) -> Vec<NodeId> {
        let mut all = Vec::new();
        let mut todo = vec![id];
        while let Some(next) = todo.pop() {
            all.push(next);
            todo.extend(self.children(next).iter().rev());
        }
        all
    }

    /// The nodes below a node that run when it runs: nothing inside of functions that it only makes.
    pub(crate) fn run_by(&self, id: NodeId) -> Vec<NodeId> {
        let mut all = Vec::new();
        let mut todo = vec![id];
        while let Some(next) = todo.pop() {
            all.push(next);
            if next == id || !self.is_in(next, self.shape.functions) {
                todo.extend(self.children(next).iter().rev());
            }
        }
        all
    }

    pub(crate) fn is_in(&self, id: NodeId, kinds: &str) -> bool {
        has(kinds, self.kind(id))
    }

    /// Whether quotes in a value at this place would end the text around it: in an f-string before Python 3.12, in `"{$x}"`
    /// of PHP, in every text without places for code.
    pub(crate) fn is_in_quotes(&self, id: NodeId) -> bool {
        let mut around = self.ancestors(id).take_while(|up| !self.is_in(*up, self.shape.code_in_strings));
        around.any(|up| self.is_in(up, self.shape.strings))
    }

    /// Whether the type of the value at this place is told at run time, see [`Shape::type_tests`](shape::Shape::type_tests).
    pub(super) fn is_tested(&self, id: NodeId) -> bool {
        let mut around =
            self.ancestors(id).skip_while(|up| has("identifier parenthesized_expression", self.kind(*up)));
        around.next().is_some_and(|up| self.is_in(up, self.shape.type_tests))
    }

    /// Whether the text of the code at this place is part of the value around it: `f"{x = }"` of Python.
    pub(super) fn is_spelled_out(&self, id: NodeId) -> bool {
        let spells = |up: NodeId| {
            self.kind(up) == "interpolation" && self.children(up).iter().any(|child| self.kind(*child) == "=")
        };
        self.ancestors(id).any(spells)
    }

    /// Whether a text that is a statement by itself documents what it stands in.
    pub(super) fn is_documentation(&self, id: NodeId) -> bool {
        let is_text = |id: NodeId| self.kind(id) == "string";
        let only = self.named(id).next().filter(|_| self.kind(id) == self.shape.expression_statement);
        let of_statement = self.parent(id).is_some_and(|up| self.kind(up) == self.shape.expression_statement);
        self.shape.by_indent && (is_text(id) && of_statement || only.is_some_and(is_text))
    }

    /// Whether a node stands in one of the places of a list: `kind`, `kind.field`, `kind.-` (in no field), `kind.=` (a
    /// value in no field), `kind.+` (not the first), with `:op,op` only under one of these operators.
    pub(super) fn stands_in(&self, id: NodeId, places: &str) -> bool {
        let Some(parent) = self.parent(id) else { return false };
        let (kind, field) = (self.kind(parent), self.node(id).field);
        places.split_ascii_whitespace().any(|place| {
            let (place, operators) = match place.split_once(':') {
                Some((place, operators)) if !operators.is_empty() => (place, Some(operators)),
                _ => (place, None),
            };
            let fits = match place.split_once('.') {
                Some((of, "-")) => of == kind && field.is_empty(),
                Some((of, "=")) => {
                    of == kind && field.is_empty() && has(self.shape.expressions, self.kind(id))
                }
                Some((of, "+")) => of == kind && self.named(parent).next() != Some(id),
                Some((of, at)) => of == kind && at == field,
                None => place == kind,
            };
            fits && operators
                .is_none_or(|operators| operators.split(',').any(|op| self.operator(parent) == Some(op)))
        })
    }

    /// Whether a node is written to, or wants a place and no value, by itself or in a list.
    pub(super) fn is_place(&self, id: NodeId) -> bool {
        let list = self.parent(id).filter(|up| has("expression_list pattern_list", self.kind(*up)));
        self.stands_in(id, self.shape.places)
            || list.is_some_and(|list| self.stands_in(list, self.shape.places))
    }

    /// The operator of an expression.
    pub(crate) fn operator(&self, id: NodeId) -> Option<&str> {
        let by_field = self.field(id, "operator");
        let token = |child: &NodeId| {
            let node = self.node(*child);
            !node.is_named && !node.is_extra && !["(", ")"].contains(&node.kind)
        };
        let node = by_field.or_else(|| self.children(id).iter().copied().find(token))?;
        Some(self.text_of(node))
    }

    /// The smallest named node that encloses a range.
    pub(super) fn around(&self, range: TextRange) -> NodeId {
        let mut at = self.root();
        loop {
            // Children stand one behind the other.
            let before = self.children(at).partition_point(|child| self.range(*child).end < range.end);
            let near = self.children(at)[before..].iter().copied();
            let inner = near
                .take_while(|child| self.range(*child).start <= range.start)
                .filter(|child| self.node(*child).is_named && !self.node(*child).is_extra)
                .find(|child| self.range(*child).encloses(range));
            match inner {
                Some(inner) => at = inner,
                None => return at,
            }
        }
    }

    pub(super) fn is_expression(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.is_named
            && has(self.shape.expressions, node.kind)
            && !self.stands_in(id, self.shape.not_expressions)
    }

    /// Whether a node is a statement of a list of statements. The value that a case compares with stands before
    /// its list.
    pub(super) fn is_statement(&self, id: NodeId) -> bool {
        let node = self.node(id);
        node.is_named
            && !node.is_extra
            && node.field != "value"
            && self.parent(id).is_some_and(|parent| self.is_in(parent, self.shape.blocks))
    }

    /// The function, method or lambda whose code a node is part of.
    pub(crate) fn function_of(&self, id: NodeId) -> Option<NodeId> {
        self.ancestors(id).skip(1).find(|id| self.is_in(*id, self.shape.functions))
    }

    /// The outermost function or method around a node that is not inside of another one.
    pub(super) fn member_of(&self, id: NodeId) -> Option<NodeId> {
        let around: Vec<NodeId> = self.ancestors(id).collect();
        let mut found = None;
        for at in around {
            if self.is_in(at, self.shape.types) && found.is_some() {
                break;
            }
            if self.is_in(at, self.shape.functions) && !self.is_in(at, self.shape.lambdas) {
                found = Some(at);
            }
        }
        found
    }

    /// Whether a node is a literal with no code in it.
    pub(super) fn is_constant(&self, id: NodeId) -> bool {
        self.is_in(id, self.shape.literals) && self.codes_in_text(id).next().is_none()
    }

    /// The pieces of code in a text.
    pub(super) fn codes_in_text(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        const CODE: &str = "interpolation template_substitution";
        self.below(id).into_iter().filter(|part| has(CODE, self.kind(*part)))
    }

    /// Whether something is called, written or waited for when a node runs.
    pub(super) fn has_effects(&self, id: NodeId) -> bool {
        self.run_by(id).into_iter().any(|id| self.is_in(id, self.shape.effects))
    }

    /// The blanks before the first word of a line.
    pub(super) fn indent_at(&self, offset: u32) -> &str {
        let start = self.line_start(offset) as usize;
        let line = &self.text[start..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    pub(super) fn line_start(&self, offset: u32) -> u32 {
        self.text[..offset as usize].rfind('\n').map_or(0, |at| at as u32 + 1)
    }

    /// One level of indentation, as most of the file has it.
    pub(super) fn indent_unit(&self) -> String {
        let mut steps = std::collections::BTreeMap::<String, usize>::new();
        let mut before = String::new();
        for line in self.text.lines().filter(|line| !line.trim().is_empty()) {
            let blank = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
            if let Some(step) =
                blank.strip_prefix(before.as_str()).filter(|step| !step.is_empty() && step.len() <= 8)
            {
                *steps.entry(step.to_owned()).or_default() += 1;
            }
            before = blank.to_owned();
        }
        let most = steps.into_iter().max_by_key(|(step, count)| (*count, step.len() > 1 || step == "\t"));
        most.map_or_else(|| self.shape.indent.to_owned(), |(step, _)| step)
    }

    /// The words of a node, comments and blanks left out: equal for expressions that read the same.
    pub(crate) fn words(&self, id: NodeId) -> Vec<&str> {
        let leaf = |id: &NodeId| self.children(*id).is_empty() || self.is_in(*id, self.shape.strings);
        let mut words = Vec::new();
        let mut todo = vec![id];
        while let Some(next) = todo.pop() {
            if self.node(next).is_extra {
                continue;
            }
            if leaf(&next) {
                words.push(self.text_of(next));
            } else {
                todo.extend(self.children(next).iter().rev());
            }
        }
        words
    }
}

#[cfg(feature = "tree-sitter")]
fn nodes(language: Language, path: &str, text: &str) -> Option<Vec<Node>> {
    let (tree, grammar) = crate::tables::tree_with_grammar(language, path, text)?;
    let field = |id: std::num::NonZeroU16| grammar.field_name_for_id(id.get());
    let mut cursor = tree.walk();
    let mut nodes: Vec<Node> = Vec::new();
    let mut parents: Vec<NodeId> = Vec::new();
    loop {
        let node = cursor.node();
        let id = NodeId(nodes.len() as u32);
        let parent = parents.last().copied();
        if let Some(parent) = parent {
            nodes[parent.0 as usize].children.push(id);
        }
        nodes.push(Node {
            kind: grammar.node_kind_for_id(node.kind_id()).unwrap_or(""),
            field: cursor.field_id().and_then(field).unwrap_or(""),
            range: TextRange::new(node.start_byte() as u32, node.end_byte() as u32),
            is_named: node.is_named(),
            is_extra: node.is_extra(),
            is_missing: node.is_missing(),
            level: parents.len(),
            parent,
            children: Vec::new(),
        });
        if cursor.goto_first_child() {
            parents.push(id);
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(nodes);
            }
            parents.pop();
        }
    }
}

/// Without the feature `tree-sitter` there are no trees.
#[cfg(not(feature = "tree-sitter"))]
fn nodes(_language: Language, _path: &str, _text: &str) -> Option<Vec<Node>> {
    None
}
