//! The line that declares a module: cut out of one file, put among those of another.

use std::sync::Arc;

use ide_model::{ConflictKind, QueryError, SymbolKind, TextEdit, TextRange, Visibility};

use super::moving::Moving;
use crate::facts::{RefId, Role};
use crate::refactor::RefactorContext;
use crate::refactor::scene::Scene;
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::{FileView, ModulePath, Resolution, Target};
use crate::world::FileId;

const MODULE: &str = "mod_item";

impl Moving<'_> {
    /// The declarations that have the name already where it goes.
    pub(super) fn collisions(&mut self) {
        let (declaration, new) = (self.way.declaration, self.new_name().to_owned());
        let there = self.view(self.way.parent);
        let found: Vec<_> = self.ctx.pool.with(|rx| {
            let named = there.named_in_scope(crate::facts::ScopeId(0), &new).iter();
            named
                .map(|def| there.global(*def))
                .filter(|def| *def != declaration)
                .filter(|def| {
                    let d = rx.def(*def);
                    if d.kind == SymbolKind::Import {
                        // The module itself, for which the declaration stands afterwards.
                        let bound = rx.through_imports(Resolution::def(*def));
                        return !bound.targets.contains(&Target::Module(self.file))
                            || d.visibility != Some(Visibility::Private)
                            || d.import.is_some_and(|import| there.import(import).member.is_none());
                    }
                    d.kind.is_type() || d.kind == SymbolKind::Module
                })
                .map(|def| (def.file, rx.def(def).name_range))
                .collect()
        });
        for (file, range) in found {
            self.refuse(ConflictKind::Collision, format!("`{new}` is declared there already"), file, range);
        }
    }

    /// Cuts the line out and puts it down.
    pub(super) fn line(&mut self) -> Result<(), QueryError> {
        let def = self.way.declaration;
        let scene = self.scene(def.file)?;
        let syntax = &scene.syntax;
        let name = scene.view.def(def.def).name_range;
        let node = syntax.ancestors(syntax.around(name)).find(|node| syntax.kind(*node) == MODULE);
        let Some(node) = node.filter(|node| syntax.text_of(*node).ends_with(';')) else {
            let message = "the line that declares the module stands in a macro, or is not understood";
            self.refuse(ConflictKind::Form, message, def.file, name);
            return Ok(());
        };
        let new = self.new_name().to_owned();
        if self.old_parent() == self.new_parent() {
            if self.old_name() != new {
                self.draft.rename(def.file, name, &new);
            }
            return Ok(());
        }
        let whole = syntax.range(node);
        let rest = syntax.text[whole.end as usize..].split(['\r', '\n']).next().unwrap_or("");
        let tail = if rest.trim_start().starts_with("//") { rest.trim_end() } else { "" };
        let extent = TextRange::new(marks_start(syntax, node), whole.end + tail.len() as u32);
        let modifier = syntax.named(node).find(|child| syntax.kind(*child) == "visibility_modifier");
        let written = modifier.map_or("", |modifier| syntax.text_of(modifier)).to_owned();
        let Some(seen) = self.visibility(&written, def.file, name)? else { return Ok(()) };
        let old_indent = syntax.indent_at(whole.start).to_owned();
        let marks = syntax.slice(TextRange::new(extent.start, whole.start));
        let marks: String = marks.split_inclusive('\n').map(|line| unindented(line, &old_indent)).collect();
        let space = if seen.is_empty() { "" } else { " " };
        let Some(lost) = self.conditions(name)? else { return Ok(()) };
        let lost: String = lost.iter().map(|condition| format!("{condition}\n")).collect();
        if conditions_in(&marks, "#[cfg_attr(").iter().any(|mark| mark.contains("path =")) {
            let message = "an attribute says where the file of the module lies";
            self.refuse(ConflictKind::Form, message, def.file, name);
        }
        let line = format!("{marks}{lost}{seen}{space}mod {new};{tail}");
        self.replace(def.file, scene.paragraph(extent), "");
        let there = self.scene(self.way.parent)?;
        let after = self.last_macro(&there);
        let (at, before, behind) = landing(&there, &new, written.is_empty(), after);
        let newline = if there.syntax.text.contains("\r\n") { "\r\n" } else { "\n" };
        let text = format!("{before}{line}{behind}").replace("\r\n", "\n").replace('\n', newline);
        self.replace(self.way.parent, TextRange::new(at, at), text);
        Ok(())
    }

    /// The conditions under which the module is built that stand above its old parents and not above the new ones. Where
    /// the new parents have others, there is nothing to be done.
    fn conditions(&mut self, at: TextRange) -> Result<Option<Vec<String>>, QueryError> {
        let old = self.conditions_of(self.way.declaration.file)?;
        let new = self.conditions_of(self.way.parent)?;
        if let Some(more) = new.iter().find(|condition| !old.contains(condition)) {
            let message = format!("{} is compiled under `{more}` only", self.ctx.path(self.way.parent));
            self.refuse(ConflictKind::Form, message, self.way.declaration.file, at);
            return Ok(None);
        }
        Ok(Some(old.into_iter().filter(|condition| !new.contains(condition)).collect()))
    }

    /// The conditions above the declarations of a module and of those around it.
    fn conditions_of(&self, file: FileId) -> Result<Vec<String>, QueryError> {
        let mut found = Vec::new();
        let mut at = file;
        loop {
            let view = self.view(at);
            let text = (self.ctx.text)(at)?;
            found.extend(conditions_in(&text.text, "#![cfg(").into_iter().map(|c| c.replacen("#!", "#", 1)));
            let declared = self.ctx.pool.with(|rx| rx.policy(&view).declarations_of_module(rx, at));
            let Some(first) = declared.first() else { return Ok(found) };
            let mut each = Vec::new();
            for def in &declared {
                let text = (self.ctx.text)(def.file)?;
                let d = self.ctx.pool.with(|rx| rx.def(*def).clone());
                let own = TextRange::new(d.range.start, d.name_range.start);
                each.push(conditions_in(text.slice(own).unwrap_or(""), "#[cfg("));
            }
            if each.len() == 1 || !is_either(&each) {
                found.extend(each.into_iter().flatten());
            }
            at = first.file;
        }
    }

    /// The visibility that the declaration has in its new place: as narrow as it was, or as wide as its uses need.
    fn visibility(
        &mut self,
        written: &str,
        file: FileId,
        at: TextRange,
    ) -> Result<Option<String>, QueryError> {
        let parent = self.new_parent().to_vec();
        self.way_is_seen()?;
        if self.users.iter().any(|user| user.within.is_none()) && written != "pub" {
            let message = format!("`{}` is used where only `pub` items are visible", self.old_name());
            self.refuse(ConflictKind::Meaning, message, file, at);
            return Ok(None);
        }
        if written == "pub" || written == "pub(crate)" {
            return Ok(Some(written.to_owned()));
        }
        let users: Vec<&ModulePath> = self.users.iter().filter_map(|user| user.within.as_ref()).collect();
        let is_enough = |seen: &[String]| users.iter().all(|user| self.after(user).starts_with(seen));
        let above = &parent[..parent.len() - 1];
        Ok(Some(if is_enough(&parent) {
            String::new()
        } else if !above.is_empty() && is_enough(above) {
            "pub(super)".to_owned()
        } else {
            "pub(crate)".to_owned()
        }))
    }

    /// Every module on the new path must be seen by all who name the module.
    fn way_is_seen(&mut self) -> Result<(), QueryError> {
        let mut hidden = Vec::new();
        for file in self.files() {
            let view = self.view(file);
            for def in view.def_ids().filter(|def| view.def(*def).kind == SymbolKind::Module) {
                let Some(home) = self.module_at(&view, view.def(def).scope) else { continue };
                let path: ModulePath = home.iter().cloned().chain([view.def_name(def).to_owned()]).collect();
                if !self.new_parent().starts_with(&path) {
                    continue;
                }
                let Some(seen) = self.ctx.seen_within(view.global(def))? else { continue };
                let is_hidden = |within: &Option<ModulePath>| {
                    within.as_ref().is_none_or(|within| !self.after(within).starts_with(&seen))
                };
                let users = self.users.iter().filter(|user| is_hidden(&user.within));
                hidden.extend(users.map(|user| (path.clone(), user.file, user.range)));
            }
        }
        for (path, file, range) in hidden {
            let name = path.last().map_or("", String::as_str);
            let message =
                format!("the module `{name}` is not visible here, and `{}` would lie in it", self.new_name());
            self.refuse(ConflictKind::Meaning, message, file, range);
        }
        Ok(())
    }

    /// Behind the last thing in the new parent whose macros the module uses.
    fn last_macro(&self, there: &Scene<'_>) -> u32 {
        let used = self.carried_files().into_iter().flat_map(|file| {
            let view = self.view(file);
            let all: Vec<_> = view.ref_ids().collect();
            all.into_iter().map(move |reference| (view.clone(), reference))
        });
        last_macro(self.ctx, there.file, used, |file| self.moves(file))
    }
}

/// The line that declares a module of a file, put among those that are there, behind all whose macros some code uses.
#[cfg_attr(not(feature = "tree-sitter"), expect(dead_code, reason = "only moves of declarations ask"))]
pub(in crate::refactor) fn declare(
    ctx: &RefactorContext<'_>,
    parent: FileId,
    (seen, name): (&str, &str),
    used: impl Iterator<Item = (Arc<FileView>, RefId)>,
) -> Result<TextEdit, QueryError> {
    let there = Scene::open(ctx, parent)?;
    let after = last_macro(ctx, parent, used, |_| false);
    let (at, before, behind) = landing(&there, name, seen.is_empty(), after);
    let space = if seen.is_empty() { "" } else { " " };
    let newline = if there.syntax.text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = format!("{before}{seen}{space}mod {name};{behind}").replace('\n', newline);
    Ok(TextEdit::new(TextRange::new(at, at), line))
}

/// The end of the last thing in a file whose macros some code uses.
fn last_macro(
    ctx: &RefactorContext<'_>,
    there: FileId,
    used: impl Iterator<Item = (Arc<FileView>, RefId)>,
    moves: impl Fn(FileId) -> bool,
) -> u32 {
    let mut after = 0;
    ctx.pool.with(|rx| {
        for (view, reference) in used.filter(|(view, r)| view.reference(*r).role == Role::Macro) {
            for def in rx.resolve(view.global_ref(reference)).resolution.defs() {
                if rx.def(def).kind != SymbolKind::Macro || moves(def.file) {
                    continue;
                }
                let mut at = def;
                while at.file != there {
                    let holders = rx.policy(&view).declarations_of_module(rx, at.file);
                    let Some(holder) = holders.first() else { break };
                    at = *holder;
                }
                if at.file == there {
                    after = after.max(rx.def(at).range.end);
                }
            }
        }
    });
    after
}

/// The start of a declaration with its comments and attributes.
fn marks_start(syntax: &Syntax, node: NodeId) -> u32 {
    let own = syntax.range(node).start;
    let Some(parent) = syntax.parent(node) else { return own };
    let all = syntax.children(parent);
    let at = all.iter().position(|child| *child == node).unwrap_or(0);
    let (mut start, mut plain, mut reached) = (own, own, own);
    let mut is_behind = false;
    for above in all[..at].iter().rev() {
        let (kind, range, text) = (syntax.kind(*above), syntax.range(*above), syntax.text_of(*above));
        let gap = &syntax.text[(range.start as usize + text.trim_end().len())..reached as usize];
        let is_mark = kind == "attribute_item";
        let is_comment = matches!(kind, "line_comment" | "block_comment");
        let is_inner = text.starts_with("//!") || text.starts_with("/*!");
        if gap.matches('\n').count() > 1 || !(is_mark || is_comment && !is_behind) || is_inner {
            break;
        }
        reached = range.start;
        // A comment behind an attribute goes with it, and one behind anything else stays.
        is_behind = is_comment
            && !syntax.slice(TextRange::new(syntax.line_start(range.start), range.start)).trim().is_empty();
        if is_mark || text.starts_with("///") || text.starts_with("/**") {
            start = reached;
        }
        if !is_behind {
            plain = reached;
        }
    }
    // A comment above several declarations speaks of all of them.
    let rest = syntax.text[syntax.range(node).end as usize..].split('\n').nth(1).unwrap_or("");
    let is_alone = rest.trim().is_empty() || rest.trim_start().starts_with("//");
    let comments = &syntax.text[plain as usize..start as usize];
    if is_alone && comments.trim_start().starts_with("//") { plain } else { start }
}

/// Whether one of two lines is always there.
fn is_either(each: &[Vec<String>]) -> bool {
    let inner = |one: &Vec<String>| match &one[..] {
        [condition] => {
            let inner = condition.strip_prefix("#[cfg(").and_then(|rest| rest.strip_suffix(")]"));
            inner.map(str::to_owned)
        }
        _ => None,
    };
    let all: Vec<String> = each.iter().filter_map(inner).collect();
    each.iter().any(Vec::is_empty) || all.iter().any(|one| all.contains(&format!("not({one})")))
}

/// The attributes of a text that begin so.
pub(super) fn conditions_in(text: &str, opening: &str) -> Vec<String> {
    let found = text.match_indices(opening);
    found.filter_map(|(at, _)| text[at..].split_once(")]").map(|(inner, _)| format!("{inner})]"))).collect()
}

fn unindented(line: &str, indent: &str) -> String {
    line.strip_prefix(indent).unwrap_or(line).to_owned()
}

/// The lines that declare modules with files in a file: name, whether private, where it begins and ends.
fn lines(syntax: &Syntax) -> Vec<(String, bool, TextRange)> {
    let mut found = Vec::new();
    for node in syntax.named(syntax.root()) {
        if syntax.kind(node) != MODULE || !syntax.text_of(node).ends_with(';') {
            continue;
        }
        let Some(name) = syntax.field(node, "name") else { continue };
        let is_private = !syntax.text_of(node).starts_with("pub");
        let range = TextRange::new(marks_start(syntax, node), syntax.range(node).end);
        found.push((syntax.text_of(name).to_owned(), is_private, range));
    }
    found
}

/// The place of the line, with the text before and behind it.
fn landing(there: &Scene<'_>, name: &str, is_private: bool, after: u32) -> (u32, String, String) {
    let syntax = &there.syntax;
    let all = lines(syntax);
    let usable: Vec<&(String, bool, TextRange)> = all.iter().filter(|line| line.2.end >= after).collect();
    let same: Vec<_> = usable.iter().copied().filter(|line| line.1 == is_private).collect();
    let among = if same.is_empty() { usable } else { same };
    let is_sorted = among.windows(2).all(|pair| pair[0].0 <= pair[1].0);
    let next = among.iter().find(|line| is_sorted && *line.0 > *name && line.2.start >= after);
    let indent = |at: u32| syntax.indent_at(at).to_owned();
    if let Some(next) = next {
        return (next.2.start, String::new(), format!("\n{}", indent(next.2.start)));
    }
    if let Some(last) = among.last() {
        let rest = &syntax.text[last.2.end as usize..];
        let line = rest.split(['\r', '\n']).next().map_or(0, str::len) as u32;
        return (last.2.end + line, format!("\n{}", indent(last.2.start)), String::new());
    }
    let is_head = |node: &NodeId| {
        let text = syntax.text_of(*node);
        matches!(syntax.kind(*node), "inner_attribute_item" | "shebang" | "extern_crate_declaration")
            || text.starts_with("//!")
            || text.starts_with("/*!")
            || syntax.range(*node).start < after
    };
    let children = syntax.children(syntax.root());
    let head = children.iter().rposition(is_head).map_or(0, |last| last + 1);
    let first = children.get(head).map(|node| syntax.range(*node).start);
    match first {
        Some(at) => (at, String::new(), "\n\n".to_owned()),
        None => {
            let text = syntax.text.trim_end();
            let before = if text.is_empty() { "" } else { "\n\n" };
            let behind = if syntax.text[text.len()..].starts_with(['\r', '\n']) { "" } else { "\n" };
            (text.len() as u32, before.to_owned(), behind.to_owned())
        }
    }
}
