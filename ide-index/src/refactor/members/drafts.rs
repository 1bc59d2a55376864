//! Code put into its place: one way after another in which it may be meant.

use std::ops::Range;

use ide_model::{Owner, Symbol};
use tree_sitter::Node;

use super::layout::{Code, begins_line, blank_lines, indent_at, line_ending, line_start};
use super::place::{Member, Source, children};
use super::syntax::{COMMENTS, ENTRIES, FUNCTIONS, Form};
use crate::tables;

/// One way to write an edit.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) range: Range<usize>,
    pub(super) text: String,
    /// The part of the text that the caller wrote.
    pub(super) code: Range<usize>,
    /// The start of the list that the code belongs to, and the kind of its node.
    pub(super) list: Option<(usize, String)>,
    /// A separator that the one before the code did not have.
    pub(super) separator: Option<(usize, &'static str)>,
}

/// Why code cannot be put there.
pub(super) enum Refusal {
    Form(String),
    /// Several places are meant: the ranges of their declarations.
    Ambiguous(Vec<Range<usize>>),
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self::Form(message)
    }
}

/// Before or behind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

impl Source<'_> {
    /// Code in the place of a declaration.
    pub(super) fn whole(&self, symbol: &Symbol, text: &str) -> Result<Vec<Draft>, Refusal> {
        let member = self.member(symbol)?;
        let shared = self.shared(symbol, &member);
        if !shared.is_empty() {
            let message = format!(
                "`{}` is declared together with `{}`: one of them cannot be replaced alone",
                symbol.name,
                shared.join("`, `")
            );
            return Err(message.into());
        }
        let mut code = self.placed(text, indent_at(self.text, member.extent.start), false);
        match member.form {
            Form::Commas | Form::Inline => code.truncate(code.trim_end_matches(',').len()),
            _ if self.text[member.extent.clone()].ends_with(';') && !code.ends_with([';', '}']) => {
                code.push(';')
            }
            _ => {}
        }
        Ok(vec![self.draft(member.extent.clone(), "", &code, "", Some(member.list))])
    }

    /// Code in the place of a body or an initial value.
    pub(super) fn inner(&self, symbol: &Symbol, text: &str) -> Result<Vec<Draft>, Refusal> {
        let member = self.member(symbol)?;
        let body = self
            .body(symbol, &member)
            .ok_or_else(|| format!("`{}` has neither a body nor an initial value to replace", symbol.name))?;
        let body = self.own_value(symbol, &member, body)?;
        let indent = indent_at(self.text, line_start_of(self, &member, body));
        if self.syntax.is_indented && body.kind() == "block" {
            return Ok(vec![self.block(body, indent, text)]);
        }
        let open = children(body).find(|child| child.kind() == "{").filter(|_| body.kind() != "object");
        if let Some(open) = open.filter(|_| !FUNCTIONS.contains(&body.kind())) {
            return Ok(vec![self.braced(body, open.start_byte()..body.end_byte(), indent, text)]);
        }
        if body.kind() == "function_body" && self.text[body.byte_range()].starts_with('{') {
            return Ok(vec![self.braced(
                body.named_child(0).unwrap_or(body),
                body.byte_range(),
                indent,
                text,
            )]);
        }
        if body.kind() == "function_body" {
            return self.value_or_block(symbol, body, indent, text);
        }
        let value = self.value(body, indent, text);
        // For a function that is a value its body is meant, unless the new code is a function itself.
        let function = body.child_by_field_name("body").filter(|_| FUNCTIONS.contains(&body.kind()));
        let Some(inner) = function.filter(|_| !self.is_function(&value)) else { return Ok(vec![value]) };
        if self.text[inner.byte_range()].starts_with('{') {
            return Ok(vec![self.braced(inner, inner.byte_range(), indent, text)]);
        }
        let list = Some(inner.parent().unwrap_or(inner));
        Ok(vec![self.value(inner, indent, text), self.new_block(inner.byte_range(), indent, text, list)])
    }

    /// Code in the place of a value that is the whole body of a function: a value again, or statements in braces.
    fn value_or_block(
        &self,
        symbol: &Symbol,
        body: Node<'_>,
        indent: &str,
        text: &str,
    ) -> Result<Vec<Draft>, Refusal> {
        let value = self.value(body, indent, text);
        let returns = self.code(text, true).within_braces().trim_start().starts_with("return");
        let head = &self.text[symbol.name_range.end as usize..body.start_byte()];
        let behind_parameters = head.rsplit(')').next().unwrap_or(head);
        // The type of a property stands before its getter.
        if !behind_parameters.contains(':') && !head.trim_start().starts_with(':') {
            if returns {
                let message =
                    format!("the result of `{}` is not written, which a body in braces needs", symbol.name);
                return Err(message.into());
            }
            return Ok(vec![value]);
        }
        let block = self.new_block(body.byte_range(), indent, text, body.parent());
        Ok(if returns { vec![block] } else { vec![value, block] })
    }

    /// Statements in new braces in the place of a value.
    fn new_block(&self, range: Range<usize>, indent: &str, text: &str, list: Option<Node<'_>>) -> Draft {
        let text = self.code(text, true).within_braces();
        let inner = format!("{indent}{}", self.unit.levels(1));
        let code = self.placed(text, &inner, true);
        if code.contains('\n') {
            self.draft(range, &format!("{{\n{inner}"), &code, &format!("\n{indent}}}"), list)
        } else {
            self.draft(range, "{ ", &code, " }", list)
        }
    }

    /// Statements in the place of what stands in braces.
    fn braced(&self, body: Node<'_>, range: Range<usize>, indent: &str, text: &str) -> Draft {
        let list = Some(body.parent().unwrap_or(body));
        let text = self.code(text, true).within_braces();
        let inner = self.body_indent(body, indent);
        let code = self.placed(text, &inner, true);
        if code.is_empty() {
            self.draft(range, "{", "", "}", list)
        } else if !self.text[range.clone()].contains('\n') && !code.contains('\n') {
            self.draft(range, "{ ", &code, " }", list)
        } else {
            self.draft(range, &format!("{{\n{inner}"), &code, &format!("\n{indent}}}"), list)
        }
    }

    /// An expression in the place of another.
    fn value(&self, old: Node<'_>, indent: &str, text: &str) -> Draft {
        let code = self.placed(text, indent, false);
        let code = code.strip_prefix("=>").or_else(|| code.strip_prefix('=')).unwrap_or(&code).trim_start();
        let ends = self.text[old.end_byte()..].trim_start().starts_with([';', ',', ')']);
        let code = if ends { code.trim_end_matches([';', ',']) } else { code };
        // A body that is an expression has the sign before it with it.
        let sign =
            if self.text[old.byte_range()].starts_with('=') && !code.starts_with('{') { "= " } else { "" };
        self.draft(old.byte_range(), sign, code, "", Some(old.parent().unwrap_or(old)))
    }

    /// Whether the code of a draft is read as one function.
    fn is_function(&self, draft: &Draft) -> bool {
        let start = draft.range.start + draft.code.start;
        let range = start..start + draft.code.len();
        let text =
            format!("{}{}{}", &self.text[..draft.range.start], draft.text, &self.text[draft.range.end..]);
        tables::tree(self.language, self.path.as_str(), &text).is_some_and(|tree| {
            let node = tree.root_node().descendant_for_byte_range(range.start, range.end);
            node.is_some_and(|node| {
                node.byte_range() == range && FUNCTIONS.contains(&node.kind()) && !node.has_error()
            })
        })
    }

    /// Statements in the place of an indented block; its documentation stays unless the new ones have their own.
    fn block(&self, body: Node<'_>, indent: &str, text: &str) -> Draft {
        let inner = self.body_indent(body, indent);
        let code = self.placed(text, &inner, true);
        let begins_with_text = |code: &str| {
            let code = code.trim_start_matches(['r', 'R', 'u', 'U']);
            code.starts_with("\"\"\"") || code.starts_with("'''")
        };
        let first = body.named_child(0);
        let doc = first
            .filter(|first| begins_with_text(&self.text[first.byte_range()]) && !begins_with_text(&code));
        let doc = doc.filter(|doc| doc.kind() == "expression_statement");
        let start = match doc {
            Some(doc) => doc.end_byte(),
            None => self.text[..body.start_byte()].trim_end().len(),
        };
        // Comments between the head and the first statement stay where they are.
        let start = if doc.is_none() && begins_line(self.text, body.start_byte()) {
            line_start(self.text, body.start_byte()).saturating_sub(1)
        } else {
            start
        };
        let start = if self.text[..start].ends_with('\r') { start - 1 } else { start };
        let mut end = body.end_byte();
        end = start.max(self.text[..end].trim_end().len());
        self.draft(start..end, &format!("\n{inner}"), &code, "", body.parent())
    }

    /// Code beside a declaration.
    pub(super) fn beside(&self, symbol: &Symbol, side: Side, text: &str) -> Result<Vec<Draft>, Refusal> {
        let member = self.member(symbol)?;
        if member.form == Form::Inline {
            return Err(format!("`{}` stands in a list of parameters", symbol.name).into());
        }
        Ok(vec![self.next_to(&member, side, text)])
    }

    fn next_to(&self, member: &Member<'_>, side: Side, text: &str) -> Draft {
        let members = self.members(member.list);
        let at = members.iter().position(|other| other.extent.start == member.extent.start);
        let neighbour = |n: Option<usize>| n.and_then(|n| members.get(n));
        match side {
            Side::Before => {
                self.before(member, neighbour(at.and_then(|at| at.checked_sub(1))), &members, text)
            }
            Side::After => self.behind(member, neighbour(at.map(|at| at + 1)), &members, text),
        }
    }

    fn before(
        &self,
        member: &Member<'_>,
        above: Option<&Member<'_>>,
        all: &[Member<'_>],
        text: &str,
    ) -> Draft {
        let start = member.extent.start;
        let own_line = begins_line(self.text, start);
        let indent = self.list_indent(member, own_line);
        let mut code = self.placed(text, &indent, false);
        let gap = self.gap(all, member, member, &code);
        if member.form == Form::Commas {
            code.truncate(code.trim_end_matches(',').len());
            let after = if own_line { format!(",\n{}{indent}", "\n".repeat(gap)) } else { ", ".to_owned() };
            return self.draft(start..start, "", &code, &after, Some(member.list));
        }
        let after = format!("\n{}{indent}", "\n".repeat(gap));
        if !own_line {
            return self.draft(start..start, "", &code, &after, Some(member.list));
        }
        let more = above.map_or(0, |above| {
            let wanted = self.gap(all, member, above, &code);
            wanted.saturating_sub(blank_lines(self.text, above.extent.end, start))
        });
        let line = start - indent_at(self.text, start).len();
        let before = format!("{}{indent}", "\n".repeat(more));
        let mut draft = self.draft(line..line, &before, &code, &after, Some(member.list));
        // The indentation of the declaration is there already.
        draft.text.truncate(draft.text.len() - indent.len());
        draft
    }

    fn behind(
        &self,
        member: &Member<'_>,
        below: Option<&Member<'_>>,
        all: &[Member<'_>],
        text: &str,
    ) -> Draft {
        let own_line = begins_line(self.text, member.extent.start);
        let indent = self.list_indent(member, own_line);
        let mut code = self.placed(text, &indent, false);
        let gap = self.gap(all, member, member, &code);
        let (mut end, mut separator, mut after) = (member.extent.end, None, String::new());
        if member.form == Form::Commas {
            code.truncate(code.trim_end_matches(',').len());
            let comma = member.node.next_sibling().filter(|next| next.kind() == ",");
            match comma {
                Some(comma) => {
                    end = comma.end_byte();
                    code.push(',');
                }
                None => separator = Some((end, ",")),
            }
            if !own_line && !code.contains('\n') {
                let before = if comma.is_some() { " " } else { "" };
                let mut draft = self.draft(end..end, before, &code, "", Some(member.list));
                if separator.is_some() {
                    draft = self.draft(end..end, ", ", &code, "", Some(member.list));
                }
                return draft;
            }
        }
        let (range, closes) = match self.tail(end) {
            Some(tail) => (tail..tail, false),
            None => {
                let blanks = self.text[end..].len() - self.text[end..].trim_start_matches([' ', '\t']).len();
                (end..end + blanks, true)
            }
        };
        if closes {
            let outer = indent_at(self.text, line_start_end(self.text, member.list.start_byte()));
            after = format!("\n{outer}");
        } else if let Some(below) = below {
            let wanted = self.gap(all, member, below, &code);
            after =
                "\n".repeat(wanted.saturating_sub(blank_lines(self.text, range.start, below.extent.start)));
        }
        let mut before = format!("\n{}{indent}", "\n".repeat(gap));
        if separator.is_some_and(|(at, _)| at == range.start) {
            separator = None;
            before.insert(0, ',');
        }
        let mut draft = self.draft(range, &before, &code, &after, Some(member.list));
        draft.separator = separator;
        draft
    }

    /// Code before or behind everything that is declared in something.
    pub(super) fn within(&self, owner: Owner<'_>, side: Side, text: &str) -> Result<Vec<Draft>, Refusal> {
        let symbol = match owner {
            Owner::File(_) => return Ok(vec![self.in_list(self.tree.root_node(), side, text)]),
            Owner::Symbol(symbol) => symbol,
        };
        let member = self.member(symbol)?;
        let node = if symbol.name_range.is_empty() { member.node } else { self.declaring(symbol, &member) };
        let mut drafts = Vec::new();
        match self.list_below(node) {
            Some(list) => drafts.extend(self.in_type(list, side, text)),
            None if symbol.kind.is_type() && !self.syntax.is_indented => {
                drafts.push(self.new_body(&member, text))
            }
            None => {}
        }
        drafts.extend(self.elsewhere(symbol, &member, side, text)?);
        if drafts.is_empty() {
            return Err(format!("nothing can be declared in `{}`", symbol.name).into());
        }
        Ok(drafts)
    }

    /// The node that a name declares, below wrappers like decorators and `export`.
    fn declaring<'t>(&'t self, symbol: &Symbol, member: &Member<'t>) -> Node<'t> {
        let mut last = member.node;
        for node in self.leaf(symbol).into_iter().flat_map(|leaf| self.above(leaf)) {
            last = node;
            if node == member.node || self.list_below(node).is_some() {
                break;
            }
        }
        last
    }

    /// Into a list: among the constants of an enumeration, then among its members; else simply into it.
    fn in_type(&self, list: Node<'_>, side: Side, text: &str) -> Vec<Draft> {
        let entries: Vec<Member<'_>> = children(list)
            .filter(|child| ENTRIES.contains(&child.kind()))
            .map(|child| self.member_of(child, list, Form::Commas))
            .collect();
        if entries.is_empty() {
            return vec![self.in_list(list, side, text)];
        }
        let end = if side == Side::Before { entries.first() } else { entries.last() };
        let entry = end.expect("there is one");
        let beside = match side {
            Side::Before => self.before(entry, None, &entries, text),
            Side::After => self.behind(entry, None, &entries, text),
        };
        vec![beside, self.behind_constants(list, &entries, side, text)]
    }

    /// Among the members of an enumeration, which stand behind a semicolon.
    fn behind_constants(&self, list: Node<'_>, entries: &[Member<'_>], side: Side, text: &str) -> Draft {
        let last = entries.last().expect("an enumeration without constants is a plain list");
        let inner = children(list).find(|child| child.kind() == "enum_body_declarations");
        let is_rest = |child: &Node<'_>| {
            child.is_named() && !ENTRIES.contains(&child.kind()) && !COMMENTS.contains(&child.kind())
        };
        let rest: Vec<Member<'_>> = match inner {
            Some(inner) => self.members(inner),
            None => {
                children(list).filter(is_rest).map(|child| self.member_of(child, list, Form::Lines)).collect()
            }
        };
        if let (Some(first), Some(end)) = (rest.first(), rest.last()) {
            return match side {
                Side::Before => self.before(first, None, &rest, text),
                Side::After => self.behind(end, None, &rest, text),
            };
        }
        let own_line = begins_line(self.text, last.extent.start);
        let indent = self.list_indent(last, own_line);
        let code = self.placed(text, &indent, false);
        let comma = last.node.next_sibling().filter(|next| next.kind() == ",");
        let mut end = comma.map_or(last.extent.end, |comma| comma.end_byte());
        let semicolon = self.text[end..]
            .trim_start()
            .starts_with(';')
            .then(|| end + self.text[end..].find(';').unwrap_or(0) + 1);
        let mark = if semicolon.is_some() { "" } else { ";" };
        end = semicolon.unwrap_or(end);
        let tail = self.tail(end).filter(|_| mark.is_empty());
        let outer = indent_at(self.text, line_start_end(self.text, list.start_byte()));
        let range = match tail {
            Some(tail) => tail..tail,
            None => {
                end..end + self.text[end..].len() - self.text[end..].trim_start_matches([' ', '\t']).len()
            }
        };
        let after = if self.text[range.end..].starts_with(['\n', '\r']) {
            String::new()
        } else {
            format!("\n{outer}")
        };
        self.draft(range, &format!("{mark}\n\n{indent}"), &code, &after, Some(inner.unwrap_or(list)))
    }

    fn in_list(&self, list: Node<'_>, side: Side, text: &str) -> Draft {
        let mut members = self.members(list);
        let is_file = list.parent().is_none();
        if is_file && side == Side::After {
            // A declaration behind the guard of a script does not exist yet when the guard runs.
            let is_guard = |member: &Member<'_>| self.text[member.extent.clone()].starts_with("if __name__");
            let guard = members.iter().position(|member| self.syntax.is_indented && is_guard(member));
            if let Some(guard) = guard.filter(|at| *at > 0) {
                members.truncate(guard);
            }
        }
        let is_placeholder = |member: &Member<'_>| {
            self.syntax.is_indented && !is_file && matches!(&self.text[member.extent.clone()], "pass" | "...")
        };
        if let [only] = &members[..]
            && is_placeholder(only)
        {
            let code = self.placed(text, indent_at(self.text, only.extent.start), false);
            return self.draft(only.extent.clone(), "", &code, "", Some(list));
        }
        match (members.first(), members.last(), side) {
            (Some(first), _, Side::Before) => self.before(first, None, &members, text),
            (_, Some(last), Side::After) => self.next_to(last, Side::After, text),
            _ => self.in_empty(list, is_file, text),
        }
    }

    fn in_empty(&self, list: Node<'_>, is_file: bool, text: &str) -> Draft {
        if let Some(head) = self.head(list) {
            let indent = if is_file { "" } else { indent_at(self.text, head.start_byte()) };
            let code = self.placed(text, indent, false);
            let end = head.start_byte() + self.text[head.byte_range()].trim_end().len();
            let at = self.tail(end).unwrap_or(end);
            let blanks = if is_file { self.syntax.blanks } else { 1 };
            return self.draft(at..at, &format!("\n{}{indent}", "\n".repeat(blanks)), &code, "", Some(list));
        }
        if is_file {
            let code = self.placed(text, "", false);
            let at = self.text.len();
            let before =
                if self.text.is_empty() || self.text.ends_with(['\n', '\u{feff}']) { "" } else { "\n" };
            return self.draft(at..at, before, &code, "\n", None);
        }
        let outer = indent_at(self.text, line_start_end(self.text, list.start_byte()));
        let indent = format!("{outer}{}", self.unit.levels(1));
        let code = self.placed(text, &indent, false);
        let code = if self.form(list) == Some(Form::Commas) {
            code.trim_end_matches(',').to_owned() + ","
        } else {
            code
        };
        let open = children(list)
            .find(|child| matches!(child.kind(), "{" | "("))
            .map_or(list.start_byte(), |n| n.end_byte());
        let close = children(list).filter(|child| matches!(child.kind(), "}" | ")")).last();
        let close = close.map_or(list.end_byte(), |n| n.start_byte());
        let kept = self.text[open..close].trim_end();
        let start = open + kept.len();
        self.draft(start..close, &format!("\n{indent}"), &code, &format!("\n{outer}"), Some(list))
    }

    /// A body for a type that has none.
    fn new_body(&self, member: &Member<'_>, text: &str) -> Draft {
        let outer = indent_at(self.text, member.extent.start);
        let indent = format!("{outer}{}", self.unit.levels(1));
        let code = self.placed(text, &indent, false);
        let end = member.node.start_byte() + self.text[member.node.byte_range()].trim_end().len();
        self.draft(end..end, &format!(" {{\n{indent}"), &code, &format!("\n{outer}}}"), None)
    }

    /// Members of a type outside of its own list: blocks that implement it, functions with a receiver.
    fn elsewhere(
        &self,
        symbol: &Symbol,
        member: &Member<'_>,
        side: Side,
        text: &str,
    ) -> Result<Vec<Draft>, Refusal> {
        if !symbol.kind.is_type() {
            return Ok(Vec::new());
        }
        let is_named = |node: Node<'_>, name: &str| {
            let written = self.text[node.byte_range()].trim_start_matches(['(', '*', '&']);
            let written = written.trim_end_matches(')').split(['<', '[']).next().unwrap_or("");
            written.split(|c: char| !(c.is_alphanumeric() || c == '_')).next_back() == Some(name)
        };
        let beside: Vec<Node<'_>> = children(member.list).collect();
        let of = |field: &str, kind: &str| -> Vec<Node<'_>> {
            let has = |node: &&Node<'_>| {
                node.kind() == kind
                    && node.child_by_field_name(field).is_some_and(|ty| is_named(ty, &symbol.name))
            };
            beside.iter().filter(has).copied().collect()
        };
        let blocks = of("type", "impl_item");
        let own: Vec<Node<'_>> =
            blocks.iter().filter(|block| block.child_by_field_name("trait").is_none()).copied().collect();
        let chosen = if own.is_empty() { &blocks } else { &own };
        match &chosen[..] {
            [] => {}
            [block] => {
                return Ok(self
                    .list_below(*block)
                    .map(|list| self.in_list(list, side, text))
                    .into_iter()
                    .collect());
            }
            several => return Err(Refusal::Ambiguous(several.iter().map(Node::byte_range).collect())),
        }
        let methods = of("receiver", "method_declaration");
        let anchor = if side == Side::Before { None } else { methods.last() };
        let has_methods = !methods.is_empty() || self.syntax.groups.contains(&member.node.kind());
        let is_receiver = text.contains("func");
        Ok(match anchor {
            Some(last) => {
                vec![self.next_to(&self.member_of(*last, member.list, Form::Lines), Side::After, text)]
            }
            None if (has_methods || !self.syntax.groups.is_empty()) && is_receiver => {
                vec![self.next_to(member, Side::After, text)]
            }
            None => Vec::new(),
        })
    }

    fn placed(&self, text: &str, indent: &str, is_block: bool) -> String {
        self.code(text, is_block).placed(indent, self.unit)
    }

    fn code<'t>(&self, text: &'t str, is_block: bool) -> Code<'t> {
        Code { syntax: self.syntax, language: self.language, text, is_block }
    }

    fn draft(
        &self,
        range: Range<usize>,
        before: &str,
        code: &str,
        after: &str,
        list: Option<Node<'_>>,
    ) -> Draft {
        let ending = line_ending(self.text, range.start);
        let [before, code, after] = [before, code, after].map(|text| text.replace('\n', ending));
        let list = list.map(|list| (list.start_byte(), list.kind().to_owned()));
        let at = before.len();
        Draft {
            range,
            code: at..at + code.len(),
            text: format!("{before}{code}{after}"),
            list,
            separator: None,
        }
    }

    fn is_long(&self, member: &Member<'_>) -> bool {
        self.text[member.extent.clone()].contains('\n')
    }

    /// Blank lines between new code and a declaration of a list: as they are seen most often there, between two of which
    /// one is long, or none.
    fn gap(&self, all: &[Member<'_>], of: &Member<'_>, beside: &Member<'_>, code: &str) -> usize {
        let is_long = self.is_long(beside) || code.contains('\n');
        let mut counts = [0_usize; 4];
        for pair in all.windows(2) {
            if (self.is_long(&pair[0]) || self.is_long(&pair[1])) == is_long {
                let n = blank_lines(self.text, pair[0].extent.end, pair[1].extent.start);
                counts[n.min(3)] += 1;
            }
        }
        let seen = (0..counts.len()).rev().max_by_key(|n| counts[*n]).filter(|n| counts[*n] > 0);
        let is_file = of.list.parent().is_none();
        let is_mixed = is_file && code.ends_with('}') != self.text[beside.extent.clone()].ends_with('}');
        seen.unwrap_or(match of.form {
            Form::Lines if is_long && is_file => self.syntax.blanks,
            Form::Lines if is_long || is_mixed => 1,
            _ => 0,
        })
    }

    /// How far in the declarations of a list stand.
    fn list_indent(&self, member: &Member<'_>, own_line: bool) -> String {
        let own = indent_at(self.text, member.extent.start);
        if own_line { own.to_owned() } else { format!("{own}{}", self.unit.levels(1)) }
    }

    /// How far in the statements of a body stand.
    fn body_indent(&self, body: Node<'_>, outer: &str) -> String {
        let mut cursor = body.walk();
        let first = body.named_children(&mut cursor).find(|child| begins_line(self.text, child.start_byte()));
        match first {
            Some(first) => indent_at(self.text, first.start_byte()).to_owned(),
            None => format!("{outer}{}", self.unit.levels(1)),
        }
    }
}

/// The start of the code on the line of the declaration that has a body: of several on one path the
/// innermost.
fn line_start_of(source: &Source<'_>, member: &Member<'_>, body: Node<'_>) -> usize {
    let mut node = body;
    for parent in source.above(body) {
        if begins_line(source.text, node.start_byte()) && node != body || node == member.node {
            break;
        }
        node = parent;
    }
    node.start_byte()
}

/// The end of the white space at the start of the line of an offset.
fn line_start_end(text: &str, at: usize) -> usize {
    let start = line_start(text, at);
    let line = &text[start..at];
    start + line.len() - line.trim_start().len()
}
