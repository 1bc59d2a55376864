//! From declarations to the nodes that hold them, with what belongs to them.

use std::ops::Range;

use ide_model::{FilePath, Language, Symbol, SymbolKind, TextEdit, TextRange, moved_offset};
use rustc_hash::FxHashSet;
use tree_sitter::{Node, Tree};

use super::layout::{Unit, begins_line, line_end};
use super::syntax::{COMMENTS, Form, HEADS, MARKS, Syntax};
use crate::facts::{Def, DefFlags, FileFacts};
use crate::front::FrontEnd;
use crate::guard;
use crate::tables;

/// A file that is written to.
pub(super) struct Source<'a> {
    pub(super) path: FilePath,
    pub(super) language: Language,
    pub(super) syntax: &'static Syntax,
    pub(super) text: &'a str,
    pub(super) tree: Tree,
    pub(super) facts: FileFacts,
    pub(super) unit: Unit,
    front_end: &'static dyn FrontEnd,
    /// The parts that cannot be read before anything is changed.
    errors: Vec<Problem>,
}

/// Something that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) at: u32,
    pub(super) message: String,
    /// Only the grammar says so, which knows less of its language than the front end.
    pub(super) is_doubt: bool,
}

/// A declaration in its list.
#[derive(Clone)]
pub(super) struct Member<'t> {
    pub(super) node: Node<'t>,
    pub(super) list: Node<'t>,
    pub(super) form: Form,
    /// With the comments, annotations and the separator of statements that belong to it.
    pub(super) extent: Range<usize>,
}

impl<'a> Source<'a> {
    /// `None` without a grammar for the language.
    pub(super) fn new(
        path: &FilePath,
        syntax: &'static Syntax,
        language: Language,
        front_end: &'static dyn FrontEnd,
        text: &'a str,
    ) -> Option<Self> {
        let tree = tables::tree(language, path.as_str(), text)?;
        let facts = front_end.facts(path.as_str(), text);
        let unit = Unit::of_file(syntax, language, text);
        let errors = problems(&tree, &facts, text);
        Some(Self { path: path.clone(), language, syntax, text, tree, facts, unit, front_end, errors })
    }

    /// The tree and the facts of the text after edits, and what of it cannot be read that could before. `new` is what
    /// the edits wrote, in the text after.
    pub(super) fn after(&self, text: &str, edits: &[TextEdit], new: &[Range<usize>]) -> Option<After> {
        let tree = tables::tree(self.language, self.path.as_str(), text)?;
        let facts = self.front_end.facts(self.path.as_str(), text);
        let found = problems(&tree, &facts, text);
        let stays = |problem: &&Problem| !edits.iter().any(|e| e.range.contains(problem.at));
        let known: FxHashSet<u32> =
            self.errors.iter().filter(stays).map(|problem| moved_offset(edits, problem.at)).collect();
        let is_more = found.len() > known.len();
        let is_new = |problem: &Problem| {
            let is_written = new.iter().any(|range| range.contains(&(problem.at as usize)));
            !known.contains(&problem.at) && (is_more || is_written)
        };
        let problems = found.into_iter().filter(is_new).collect();
        Some(After { tree, facts, problems })
    }

    /// The node of a declaration in its list.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn member(&self, symbol: &Symbol) -> Result<Member<'_>, String> {
        let leaf = self.leaf(symbol).ok_or_else(|| format!("`{}` has no text of its own", symbol.name))?;
        let mut node = leaf;
        for list in self.above(leaf) {
            if list.is_error() {
                break;
            }
            if let Some(form) = self.form(list) {
                return self.checked(self.member_of(node, list, form), symbol);
            }
            node = list;
        }
        let line = self.line(symbol);
        Err(format!(
            "the code around `{}` (line {line}) cannot be parsed: correct it as text first",
            symbol.name
        ))
    }

    /// The nodes around one of this tree, innermost first.
    pub(super) fn above<'t>(&'t self, node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
        above(self.tree.root_node(), node)
    }

    /// A member whose node is the declaration, the whole of it and nothing else: a grammar may read a language wrongly and
    /// not say so. Text before the declaration that the grammar left out is put back.
    fn checked<'t>(&self, mut member: Member<'t>, symbol: &Symbol) -> Result<Member<'t>, String> {
        let own = as_usize(symbol.full_range);
        let node = member.node.byte_range();
        let end = node.start + self.text[node.clone()].trim_end().len();
        if self.syntax.is_exact && own.start < node.start && own.end == end {
            member.extent.start = self.with_comments(own.start);
        }
        let takes_others = || {
            let own_scope = self.declared(symbol).map(|def| def.scope);
            self.facts.defs.iter().any(|def| {
                Some(def.scope) == own_scope
                    && is_outside(&as_usize(def.range), &own)
                    && !is_outside(&as_usize(def.range), &member.extent)
            })
        };
        let is_whole = match self.syntax.is_exact {
            true => own == (member.node.start_byte().min(own.start)..end) && !member.node.is_error(),
            false => !is_outside(&own, &member.extent) && (is_value(symbol.kind) || !takes_others()),
        };
        if is_whole { Ok(member) } else { Err(self.unclear(symbol, &member)) }
    }

    fn unclear(&self, symbol: &Symbol, member: &Member<'_>) -> String {
        let (name, line) = (&symbol.name, self.line(symbol));
        let mut above = self.leaf(symbol).into_iter().flat_map(|leaf| self.above(leaf));
        let pattern = above.find(|node| node.kind() == "multi_variable_declaration");
        let others = self.shared(symbol, member);
        if pattern.is_some() && !others.is_empty() {
            let others = others.join("`, `");
            return format!("`{name}` (line {line}) is declared together with `{others}`: change it as text");
        }
        format!("the beginning and end of `{name}` (line {line}) are not known: change it as text")
    }

    fn line(&self, symbol: &Symbol) -> usize {
        self.text[..symbol.name_range.start as usize].matches('\n').count() + 1
    }

    /// The front end's declaration of a symbol.
    pub(super) fn declared(&self, symbol: &Symbol) -> Option<&Def> {
        let mut defs = self.facts.defs.iter();
        defs.find(|def| def.name_range == symbol.name_range && def.range == symbol.full_range)
    }

    /// The start of the comments right above a declaration, or of the declaration itself.
    pub(super) fn with_comments(&self, mut start: usize) -> usize {
        while let Some(last) = self.text[..start].trim_end().len().checked_sub(1) {
            let leaf = self.tree.root_node().descendant_for_byte_range(last, last + 1);
            let Some(leaf) = leaf.filter(|leaf| self.belongs(*leaf, start)) else { break };
            start = leaf.start_byte();
        }
        start
    }

    /// The node of a name; of a nameless declaration its own.
    pub(super) fn leaf(&self, symbol: &Symbol) -> Option<Node<'_>> {
        let range = if symbol.name_range.is_empty() { symbol.full_range } else { symbol.name_range };
        self.tree.root_node().descendant_for_byte_range(range.start as usize, range.end as usize)
    }

    /// How a node holds declarations.
    pub(super) fn form(&self, node: Node<'_>) -> Option<Form> {
        // A keyword (`object`) may be spelled like a list of another grammar.
        let form = self.syntax.form(node.kind()).filter(|_| node.is_named())?;
        let is_group = self.syntax.groups.contains(&node.kind());
        let is_other = matches!(node.kind(), "const_declaration" | "type_declaration") && !is_group;
        let is_open = !is_group || children(node).any(|child| child.kind() == "(");
        (is_open && !is_other).then_some(form)
    }

    pub(super) fn member_of<'t>(&self, node: Node<'t>, list: Node<'t>, form: Form) -> Member<'t> {
        let mut start = node.start_byte();
        let mut before = node.prev_sibling();
        while let Some(sibling) = before.filter(|sibling| self.belongs(*sibling, start)) {
            start = sibling.start_byte();
            before = sibling.prev_sibling();
        }
        let mut end = start + self.text[start..node.end_byte()].trim_end().len();
        if form != Form::Commas
            && let Some(next) = node.next_sibling().filter(|next| matches!(next.kind(), ";" | ","))
            && self.text[end..next.start_byte()].trim().is_empty()
        {
            end = next.end_byte();
        }
        Member { node, list, form, extent: start..end }
    }

    /// Whether a node before a declaration belongs to it: attributes always, comments right above.
    fn belongs(&self, before: Node<'_>, start: usize) -> bool {
        let text = &self.text[before.byte_range()];
        if MARKS.contains(&before.kind()) {
            return true;
        }
        let is_inner = text.starts_with("//!") || text.starts_with("/*!") || text.starts_with("#!");
        let end = before.start_byte() + text.trim_end().len();
        COMMENTS.contains(&before.kind())
            && !is_inner
            && self.text[end..start].matches('\n').count() <= 1
            && begins_line(self.text, before.start_byte())
    }

    /// Everything that is declared in a list, in order.
    pub(super) fn members<'t>(&self, list: Node<'t>) -> Vec<Member<'t>> {
        let Some(form) = self.form(list) else { return Vec::new() };
        let mut is_head = true;
        let mut found = Vec::new();
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            if COMMENTS.contains(&child.kind()) || MARKS.contains(&child.kind()) {
                continue;
            }
            is_head = is_head && self.is_head(child);
            if !is_head {
                found.push(self.member_of(child, list, form));
            }
        }
        found
    }

    /// The last node in a list before all declarations.
    pub(super) fn head<'t>(&self, list: Node<'t>) -> Option<Node<'t>> {
        let mut cursor = list.walk();
        let named = list.named_children(&mut cursor).filter(|child| !MARKS.contains(&child.kind()));
        let heads = named.take_while(|child| COMMENTS.contains(&child.kind()) || self.is_head(*child));
        heads.filter(|child| !COMMENTS.contains(&child.kind())).last()
    }

    fn is_head(&self, node: Node<'_>) -> bool {
        let is_string = node.kind() == "expression_statement"
            && node.named_child_count() == 1
            && node.named_child(0).is_some_and(|child| child.kind() == "string");
        let is_open_namespace =
            node.kind() == "namespace_definition" && node.child_by_field_name("body").is_none();
        let is_module_line = node.kind() == "mod_item" && node.child_by_field_name("body").is_none();
        HEADS.contains(&node.kind()) || is_string || is_open_namespace || is_module_line
    }

    /// The end of a comment that follows on the same line, or `end` itself; `None` when code follows on the
    /// line.
    pub(super) fn tail(&self, end: usize) -> Option<usize> {
        let line = line_end(self.text, end);
        let rest = self.text[end..line].trim_start();
        if rest.is_empty() {
            return Some(line);
        }
        let at = line - rest.len();
        let node = self.tree.root_node().descendant_for_byte_range(at, at + 1)?;
        (COMMENTS.contains(&node.kind()) && node.end_byte() >= line && node.start_byte() == at)
            .then_some(line)
    }

    /// The list of what a node declares: of the node that has one nearest below.
    pub(super) fn list_below<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        if let Some(body) = node.child_by_field_name("body").filter(|body| self.form(*body).is_some()) {
            return Some(body);
        }
        let mut level = vec![node];
        while !level.is_empty() {
            let below: Vec<Node<'t>> = level.iter().flat_map(|node| children(*node)).collect();
            let is_list = |child: &&Node<'t>| self.form(**child).is_some_and(|form| form != Form::Inline);
            if let Some(list) = below.iter().find(is_list) {
                return Some(*list);
            }
            level = below.into_iter().filter(|child| self.form(*child).is_none()).collect();
        }
        None
    }

    /// The body of a declaration, or its initial value.
    pub(super) fn body<'t>(&'t self, symbol: &Symbol, member: &Member<'t>) -> Option<Node<'t>> {
        let leaf = self.leaf(symbol)?;
        for node in std::iter::once(leaf).chain(self.above(leaf)) {
            let fields = ["body", "value", "right", "default_value"];
            let by_field = fields.iter().find_map(|field| node.child_by_field_name(field));
            let found =
                by_field.filter(|found| found.start_byte() >= symbol.name_range.end as usize).or_else(|| {
                    let kinds = ["function_body", "class_body", "enum_class_body"];
                    children(node).find(|child| kinds.contains(&child.kind()))
                });
            let found = found.or_else(|| {
                let equals = children(node).find(|child| child.kind() == "=")?;
                equals.next_named_sibling()
            });
            // A property without a value of its own has a getter, which may stand behind it.
            let found = found.or_else(|| {
                if node != member.node || symbol.kind != SymbolKind::Property {
                    return None;
                }
                let getter = children(node).find(|child| child.kind() == "getter");
                let getter =
                    getter.or_else(|| node.next_named_sibling().filter(|next| next.kind() == "getter"));
                let body = |getter: Node<'t>| children(getter).find(|child| child.kind() == "function_body");
                getter.and_then(body)
            });
            match found {
                Some(found) => return Some(found),
                None if symbol.kind.is_type() && self.list_below(node).is_some() => {
                    return self.list_below(node);
                }
                None if node == member.node => return None,
                None => {}
            }
        }
        None
    }

    /// The names that stand in one declaration with another: `int a, b;`.
    pub(super) fn shared(&self, symbol: &Symbol, member: &Member<'_>) -> Vec<&str> {
        self.declared_beside(symbol, member).into_iter().map(|def| self.facts.name(def.name)).collect()
    }

    /// The value of one of several names that stand before one list of values, or together get the parts of one value:
    /// `var a, b = 1, 2`.
    ///
    /// # Errors
    /// Why it cannot be replaced alone.
    pub(super) fn own_value<'t>(
        &'t self,
        symbol: &Symbol,
        member: &Member<'t>,
        value: Node<'t>,
    ) -> Result<Node<'t>, String> {
        let mut names = vec![symbol.name_range.start];
        let inside = value.byte_range();
        let (mut is_inside, mut others) = (false, Vec::new());
        for other in self.declared_beside(symbol, member) {
            let range = as_usize(other.name_range);
            let leaf = self.tree.root_node().descendant_for_byte_range(range.start, range.end);
            let above = leaf.into_iter().flat_map(|leaf| std::iter::once(leaf).chain(self.above(leaf)));
            let end = member.node.parent();
            let within = above.take_while(|node| Some(*node) != end);
            let is_within_value = inside.contains(&range.start);
            is_inside |= is_within_value;
            if is_within_value || within.into_iter().find_map(value_of) == Some(value) {
                names.push(other.name_range.start);
                others.push(self.facts.name(other.name));
            }
        }
        if others.is_empty() {
            return Ok(value);
        }
        names.sort_unstable();
        let place = names.iter().position(|start| *start == symbol.name_range.start).unwrap_or(0);
        let values: Vec<Node<'t>> = children(value).filter(Node::is_named).collect();
        if value.kind() == "expression_list" && values.len() == names.len() && !is_inside {
            return Ok(values[place]);
        }
        let others = others.join("`, `");
        Err(format!("`{}` gets its value together with `{others}`: change it as text", symbol.name))
    }

    fn declared_beside(&self, symbol: &Symbol, member: &Member<'_>) -> Vec<&Def> {
        let own =
            self.facts.defs.iter().find(|def| def.name_range == symbol.name_range && is_value(def.kind));
        let Some(own) = own.filter(|own| !own.name_range.is_empty()) else { return Vec::new() };
        let range = TextRange::new(member.node.start_byte() as u32, member.node.end_byte() as u32);
        const ELSEWHERE: DefFlags = DefFlags(
            DefFlags::ATTRIBUTE.0 | DefFlags::HOISTED.0 | DefFlags::SYNTHETIC.0 | DefFlags::PROMOTED.0,
        );
        let beside = self.facts.defs.iter().filter(|def| {
            def.scope == own.scope
                && is_value(def.kind)
                && !def.name_range.is_empty()
                && def.name_range != own.name_range
                && range.encloses(def.name_range)
                && def.flags.0 & ELSEWHERE.0 == 0
        });
        beside.collect()
    }
}

/// The value that a node gives the names in it.
fn value_of(node: Node<'_>) -> Option<Node<'_>> {
    let by_field = ["value", "right"].iter().find_map(|field| node.child_by_field_name(field));
    by_field.or_else(|| children(node).find(|child| child.kind() == "=")?.next_named_sibling())
}

fn as_usize(range: TextRange) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn is_outside(range: &Range<usize>, of: &Range<usize>) -> bool {
    range.start < of.start || range.end > of.end
}

fn is_value(kind: SymbolKind) -> bool {
    use SymbolKind::{Constant, Field, Property, Variable};
    matches!(kind, Constant | Field | Property | Variable)
}

/// A file after edits.
pub(super) struct After {
    pub(super) tree: Tree,
    pub(super) facts: FileFacts,
    pub(super) problems: Vec<Problem>,
}

impl After {
    /// Whether new code stands in the list that it was written into, and closes and opens nothing around it.
    pub(super) fn is_within(&self, list: (usize, &str), new: &Range<usize>) -> bool {
        let root = self.tree.root_node();
        let Some(inner) = root.descendant_for_byte_range(new.start, new.end) else { return false };
        for node in std::iter::once(inner).chain(above(root, inner)) {
            let is_inside = node.start_byte() >= new.start && node.end_byte() <= new.end;
            if is_inside || (node.start_byte(), node.kind()) == list {
                return true;
            }
            // Wrappers around the whole of the new code are its own.
            if node.start_byte() < list.0 {
                return false;
            }
        }
        false
    }
}

/// The nodes around a node, innermost first. To ask each for its parent would go down from the root every time.
fn above<'t>(root: Node<'t>, node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let down = |at: &Node<'t>| {
        guard::tick();
        at.child_with_descendant(node).filter(|next| *next != node)
    };
    let path: Vec<Node<'t>> = std::iter::successors((root != node).then_some(root), down).collect();
    path.into_iter().rev()
}

pub(super) fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    // A child by its number is looked for from the first one on.
    node.children(&mut node.walk()).collect::<Vec<_>>().into_iter()
}

/// The parts that the grammar and the front end cannot read, ordered.
fn problems(tree: &Tree, facts: &FileFacts, text: &str) -> Vec<Problem> {
    let mut found: Vec<Problem> = facts
        .errors
        .iter()
        .map(|error| Problem { at: error.range.start, message: error.message.clone(), is_doubt: false })
        .collect();
    let mut todo = vec![tree.root_node()];
    while let Some(node) = todo.pop() {
        let at = node.start_byte() as u32;
        if node.is_missing() {
            found.push(Problem { at, message: format!("`{}` is missing", node.kind()), is_doubt: true });
        } else if node.is_error() {
            let line = text[node.byte_range()].lines().next().unwrap_or("").trim();
            let shown: String = line.chars().take(40).collect();
            found.push(Problem { at, message: format!("`{shown}` cannot be read"), is_doubt: true });
        } else if node.has_error() {
            todo.extend(children(node));
        }
    }
    found.sort_by_key(|problem| (problem.at, problem.is_doubt));
    found
}
