//! Import statements and paths that lead to a declaration on its way, and those that it takes along.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{ConflictKind, QueryError, SymbolKind, TextRange};

use super::shift::{Shift, leads_to, path_before};
use crate::facts::{DefFlags, Expr, ImportFlags, ImportId, ImportKind, RefFlags, RefId};
use crate::lang::imports::Imports;
use crate::refactor::RefactorContext;
use crate::refactor::draft::Piece;
use crate::refactor::imports::{Habit, single};
use crate::refactor::move_file::target_of;
use crate::refactor::scene::Scene;
use crate::refactor::tree::{NodeId, Syntax, has};
use crate::resolve::{FileView, Resolution, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// Nodes that hold what one statement imports.
const LISTS: &str = "named_imports export_clause import_from_statement use_list import_clause";
/// Import statements, and those that pass on.
const STATEMENTS: &str = "import_statement export_statement use_declaration";

/// The change of a place: what is gone, and what stands there.
pub(super) type Change = (TextRange, Vec<Piece>);

/// The statement that binds a declaration of a module under its own name, in the way of a file.
pub(super) fn statement(
    ctx: &RefactorContext<'_>,
    (like, else_like): (&FileView, &FileView),
    row: &Imports,
    module: &str,
    name: &str,
    kind: SymbolKind,
) -> String {
    let text_of = |view: &FileView| (ctx.text)(view.id).map(|text| text.text.clone());
    let habit = text_of(like).map(|text| Habit::of(&text)).ok();
    let habit =
        habit.filter(|habit| habit.is_seen).or_else(|| text_of(else_like).map(|text| Habit::of(&text)).ok());
    let habit = habit.unwrap_or_default();
    let is_type = matches!(kind, SymbolKind::Interface | SymbolKind::TypeAlias) && row.type_word.is_some();
    let template = if is_type { row.type_word.unwrap_or(row.from_module) } else { row.from_module };
    let module = if row.makes_module { format!("{0}{module}{0}", habit.quote) } else { module.to_owned() };
    let end = if row.makes_module && habit.has_semicolons { ";" } else { "" };
    format!("{}{end}", template.replace("{module}", &module).replace("{name}", name))
}

/// How one file says where the declarations lie afterwards, given how it says it now.
fn module_for(shift: &Shift<'_>, view: &FileView, written: &str) -> Result<String, String> {
    let (path, from, to) = (&*view.path, shift.scene.view.path.clone(), shift.to.path.clone());
    shift.ctx.pool.with(|rx| {
        let policy = rx.policy(view);
        match policy.module_path(rx, written, (path, path), (&from, to.as_str())) {
            Some(new) => Ok(new),
            None => policy.module_name(rx, view, path, to.as_str()),
        }
    })
}

/// An import of what goes leads to its new place.
pub(super) fn retarget(
    shift: &mut Shift<'_>,
    view: &Arc<FileView>,
    reference: RefId,
    root: GlobalDef,
) -> Result<(), QueryError> {
    let r = *view.reference(reference);
    if r.flags.has(RefFlags::IMPLICIT) {
        return Ok(());
    }
    let from = shift.scene.file;
    let Some(import) = view.import_by_member(reference).map(|import| *view.import(import)) else {
        return through_a_type(shift, view, reference);
    };
    let leads = match view.list(import.path).last() {
        Some(last) => leads_to(shift, view, last, from),
        None => true,
    };
    // Another module may pass it on to the file in which it arrives.
    let arrives = view.id == shift.to.id && shift.row.makes_module;
    if !leads && !arrives || view.id == from {
        return Ok(());
    }
    if let Some(why) = shift.ctx.pool.with(|rx| rx.policy_of(root).not_importable(rx, root)) {
        let name = view.ref_name(reference).to_owned();
        shift.refuse(ConflictKind::Form, format!("`{name}` {why}, and imported here"), view.id, r.range);
        return Ok(());
    }
    let name = view.ref_name(reference).to_owned();
    let bound = import.def.map(|def| view.def_name(def).to_owned());
    let bound = bound.or_else(|| import.exported_as.map(|name| view.name(name).to_owned()));
    let alias = bound.filter(|bound| *bound != name);
    let scene = Scene::open(shift.ctx, view.id)?;
    let Some(place) = Place::of(&scene.syntax, r.range) else {
        shift.refuse(ConflictKind::Form, "the import is not understood", view.id, r.range);
        return Ok(());
    };
    if view.id == shift.to.id {
        if alias.is_some() {
            let message = format!("`{name}` is imported there under another name");
            shift.refuse(ConflictKind::Form, message, view.id, r.range);
        }
        let range = match place.cut(&scene.syntax) {
            Some(range) => range,
            None => scene.lines(scene.syntax.range(place.statement)),
        };
        shift.draft.replace(view.id, range, Vec::new());
        shift.importers.insert(view.id);
        return Ok(());
    }
    let said = match alias {
        Some(alias) => format!("{name} as {alias}"),
        None => name,
    };
    match place.changes(shift, view, &scene, &said) {
        Ok(changes) => {
            for (range, new) in changes {
                shift.draft.replace(view.id, range, vec![Piece::new(new)]);
            }
            shift.importers.insert(view.id);
        }
        Err(message) => shift.refuse(ConflictKind::Form, message, view.id, r.range),
    }
    Ok(())
}

/// A type in the middle of the path of an import: what stands before it leads to its new place.
fn through_a_type(shift: &mut Shift<'_>, view: &Arc<FileView>, reference: RefId) -> Result<(), QueryError> {
    let r = *view.reference(reference);
    let Some(range) = qualifier(shift, view, reference) else { return Ok(()) };
    let text = (shift.ctx.text)(view.id)?;
    let written = text.slice(range).unwrap_or("");
    if written.contains(['{', ',']) || shift.row.separator != "::" {
        shift.refuse(ConflictKind::Form, "an import in a group leads through what moves", view.id, r.range);
        return Ok(());
    }
    match module_for(shift, view, "") {
        Ok(module) => {
            shift.draft.replace(view.id, range, vec![Piece::new(format!("{module}::"))]);
            shift.importers.insert(view.id);
        }
        Err(message) => shift.refuse(ConflictKind::Form, message, view.id, r.range),
    }
    Ok(())
}

/// The place in a statement where something is imported.
struct Place {
    statement: NodeId,
    /// The entry of a list to remove, and the list's entries; `None` when the statement imports nothing else.
    entry: Option<(NodeId, Vec<NodeId>)>,
    /// The node that says it, with its words.
    says: NodeId,
}

impl Place {
    fn of(syntax: &Syntax, range: TextRange) -> Option<Self> {
        let mut at = syntax.around(range);
        let mut says = None;
        let mut entry = None;
        loop {
            let parent = syntax.parent(at)?;
            let is_from = syntax.kind(parent) == "import_from_statement";
            if has(LISTS, syntax.kind(parent)) {
                says = says.or(Some(at));
                let is_entry = |node: &NodeId| !is_from || syntax.node(*node).field == "name";
                let all: Vec<NodeId> = syntax.named(parent).filter(is_entry).collect();
                if all.len() > 1 && entry.is_none() {
                    entry = Some((at, all));
                }
            }
            if is_from || has(STATEMENTS, syntax.kind(parent)) {
                return Some(Self { statement: parent, entry, says: says.unwrap_or(at) });
            }
            at = parent;
        }
    }

    /// The text of the entry with a comma.
    fn cut(&self, syntax: &Syntax) -> Option<TextRange> {
        let (entry, all) = self.entry.as_ref()?;
        let at = all.iter().position(|node| node == entry)?;
        let own = syntax.range(*entry);
        Some(match (all.get(at + 1), at.checked_sub(1).map(|i| all[i])) {
            (Some(next), _) => TextRange::new(own.start, syntax.range(*next).start),
            (None, Some(before)) => TextRange::new(syntax.range(before).end, own.end),
            (None, None) => own,
        })
    }

    /// The edits that let it lead elsewhere: the path where it says nothing else, else a statement of its own.
    fn changes(
        &self,
        shift: &Shift<'_>,
        view: &FileView,
        scene: &Scene<'_>,
        said: &str,
    ) -> Result<Vec<(TextRange, String)>, String> {
        let syntax = &scene.syntax;
        let whole = syntax.range(self.statement);
        let text = syntax.text_of(self.statement);
        let is_path = shift.row.separator == "::";
        let source = ["source", "module_name"].iter().find_map(|field| syntax.field(self.statement, field));
        let written = source.map_or("", |source| syntax.text_of(source));
        let bare = written.trim_matches(['"', '\'']);
        let module = module_for(shift, view, bare)?;
        let Some(cut) = self.cut(syntax) else {
            if is_path {
                let argument =
                    syntax.field(self.statement, "argument").ok_or("the import is not understood")?;
                return Ok(vec![(syntax.range(argument), format!("{module}::{said}"))]);
            }
            let source = syntax.range(source.ok_or("the import is not understood")?);
            let inner = written.find(bare).unwrap_or(0) as u32;
            let range = TextRange::new(source.start + inner, source.start + inner + bare.len() as u32);
            return Ok(vec![(range, module)]);
        };
        let new = if is_path {
            let head = text.find("use ").map_or("use ", |at| &text[..at + 4]);
            format!("{head}{module}::{said};")
        } else if shift.row.makes_module {
            let word = if text.starts_with("export") { "export" } else { "import" };
            let is_type = text[word.len()..].trim_start().starts_with("type ")
                || syntax.text_of(self.says).starts_with("type ");
            let quote = written.chars().next().unwrap_or('\'');
            let end = if text.ends_with(';') { ";" } else { "" };
            let ty = if is_type { "type " } else { "" };
            format!("{word} {ty}{{ {said} }} from {quote}{module}{quote}{end}")
        } else {
            format!("from {module} import {said}")
        };
        let rest = &syntax.text[whole.end as usize..];
        let line = rest.find('\n').unwrap_or(rest.len());
        let line = if rest[..line].ends_with('\r') { line - 1 } else { line };
        let at = whole.end + line as u32;
        let newline = if syntax.text.contains("\r\n") { "\r\n" } else { "\n" };
        let indent = syntax.indent_at(whole.start);
        Ok(vec![(cut, String::new()), (TextRange::new(at, at), format!("{newline}{indent}{new}"))])
    }
}

/// The text before a name that leads to the old file: names, and the word for a root before them.
pub(super) fn qualifier(shift: &Shift<'_>, view: &FileView, reference: RefId) -> Option<TextRange> {
    let r = view.reference(reference);
    match path_before(view, reference) {
        Some((first, last)) => {
            let leads = leads_to(shift, view, last, shift.scene.file);
            let start = root_of(shift, view, first)
                .map_or(view.reference(first).range.start, |(range, _)| range.start);
            leads.then(|| TextRange::new(start, r.range.start))
        }
        None => root_of(shift, view, reference).map(|(range, _)| TextRange::new(range.start, r.range.start)),
    }
}

/// The word for a root before a name (`crate`, `super::super`), and where it stands.
fn root_of(shift: &Shift<'_>, view: &FileView, first: RefId) -> Option<(TextRange, String)> {
    let r = view.reference(first);
    let root = match view.expr(r.receiver?) {
        Expr::Block { value, .. } => view.expr(value),
        other => other,
    };
    let Expr::Text(root) = root else { return None };
    if shift.row.separator != "::" {
        return None;
    }
    let root = view.name(root).to_owned();
    let text = (shift.ctx.text)(view.id).ok()?;
    let before = text.text.get(..r.range.start as usize)?;
    let before = before.strip_suffix("::").unwrap_or(before);
    let start = before.strip_suffix(root.as_str())?.len();
    Some((TextRange::new(start as u32, (start + root.len()) as u32), root))
}

/// Changes the qualifier of a use so that it leads to the new place.
pub(super) fn requalify(
    shift: &mut Shift<'_>,
    view: &Arc<FileView>,
    root: GlobalDef,
    range: TextRange,
) -> Result<(), QueryError> {
    if view.id == shift.to.id || shift.row.separator != "::" {
        let syntax = Scene::open(shift.ctx, view.id)?.syntax;
        if syntax.ancestors(syntax.around(range)).any(|id| syntax.kind(id) == "import_alias") {
            let message = "only a member of a namespace has another name by `import … =`";
            shift.refuse(ConflictKind::Form, message, view.id, range);
        }
        shift.draft.replace(view.id, range, Vec::new());
        if let Some(behind) = bracket_behind(&(shift.ctx.text)(view.id)?.text, range) {
            shift.draft.replace(view.id, behind, Vec::new());
        }
        if view.id != shift.to.id {
            shift.ask(view.id, root, range);
        }
        return Ok(());
    }
    match module_for(shift, view, "") {
        Ok(module) => shift.draft.replace(view.id, range, vec![Piece::new(format!("{module}::"))]),
        Err(message) => shift.refuse(ConflictKind::Form, message, view.id, range),
    }
    Ok(())
}

/// The rest of `module["name"]` behind the name, where the qualifier before it ends with a bracket and a quote.
fn bracket_behind(text: &str, qualifier: TextRange) -> Option<TextRange> {
    let quote = text.get(qualifier.start as usize..qualifier.end as usize)?.chars().last()?;
    let rest = text.get(qualifier.end as usize..).filter(|_| matches!(quote, '"' | '\'' | '`'))?;
    let close = rest.find(quote)?;
    let blank = rest[close + 1..].find(']').filter(|at| rest[close + 1..][..*at].trim().is_empty())?;
    let start = qualifier.end + close as u32;
    Some(TextRange::new(start, start + blank as u32 + 2))
}

/// In the text that goes: a root that means another module where it goes to.
pub(super) fn relative_root(shift: &mut Shift<'_>, view: &FileView, reference: RefId) -> Option<Change> {
    let (range, root) = root_of(shift, view, reference)?;
    let words: Vec<&str> = root.split("::").collect();
    if !words.iter().all(|word| matches!(*word, "self" | "super")) {
        return None;
    }
    let up = words.iter().filter(|word| **word == "super").count();
    let own = shift.ctx.pool.with(|rx| rx.policy(view).module_name(rx, view, &view.path, &view.path));
    match own {
        Ok(own) => {
            let parts: Vec<&str> = own.split("::").collect();
            let kept = parts.len().checked_sub(up).filter(|kept| *kept > 0)?;
            Some((range, vec![Piece::new(parts[..kept].join("::"))]))
        }
        Err(message) => {
            shift.refuse(ConflictKind::Form, message, view.id, range);
            None
        }
    }
}

/// In the text that goes: a name of the new file that is said through its module.
pub(super) fn own_qualifier(shift: &Shift<'_>, view: &FileView, reference: RefId) -> Option<TextRange> {
    if !shift.by_file || shift.row.separator == "::" || shift.to.view.is_none() {
        return None;
    }
    let (first, last) = path_before(view, reference)?;
    let range = TextRange::new(view.reference(first).range.start, view.reference(reference).range.start);
    leads_to(shift, view, last, shift.to.id).then_some(range)
}

/// In the text that goes: an import of its own, whose path may say where the file lies.
pub(super) fn local_import(shift: &mut Shift<'_>, reference: RefId) -> Result<Vec<Change>, QueryError> {
    let view = shift.scene.view.clone();
    if shift.row.separator == "::" {
        return Ok(relative_root(shift, &view, reference).into_iter().collect());
    }
    let of = |id: &ImportId| {
        let import = view.import(*id);
        match view.list(import.path).last() {
            Some(last) => last == reference,
            None => import.member == Some(reference),
        }
    };
    let Some(id) = (0..view.imports.len() as u32).map(ImportId).find(of) else { return Ok(Vec::new()) };
    if !shift.by_file {
        return Ok(Vec::new());
    }
    let text = shift.scene.syntax.text.clone();
    let Some(path) = written_path(&view, id, &text) else {
        if view.import(id).level > 0 {
            shift.refuse(
                ConflictKind::Form,
                "the import cannot be rewritten",
                view.id,
                view.reference(reference).range,
            );
        }
        return Ok(Vec::new());
    };
    let written = &text[path.start as usize..path.end as usize];
    match rebased(shift, &view, id, written) {
        Some(new) if new != written => Ok(vec![(path, vec![Piece::new(new)])]),
        Some(_) => Ok(Vec::new()),
        None => {
            shift.refuse(ConflictKind::Form, format!("`{written}` cannot be rewritten"), view.id, path);
            Ok(Vec::new())
        }
    }
}

/// The range in which an import names its module: dots and all, without quotes.
fn written_path(view: &FileView, id: ImportId, text: &str) -> Option<TextRange> {
    let import = view.import(id);
    let path: Vec<RefId> = view.list(import.path).collect();
    let (first, last) = (*path.first()?, *path.last()?);
    let start = view.reference(first).range.start.saturating_sub(u32::from(import.level));
    let range = TextRange::new(start, view.reference(last).range.end);
    let written = text.get(range.start as usize..range.end as usize)?;
    let bare = written.trim_matches(['"', '\'', '`']);
    let inner = written.find(bare)? as u32;
    Some(TextRange::new(range.start + inner, range.start + inner + bare.len() as u32))
}

/// The path of an import as it is said from the new place.
fn rebased(shift: &Shift<'_>, view: &FileView, id: ImportId, written: &str) -> Option<String> {
    let (from, to) = (&*view.path, shift.to.path.as_str());
    shift.ctx.pool.with(|rx| {
        let policy = rx.policy(view);
        if let Some((target, _)) = target_of(rx, view, id) {
            let path = rx.world().file(target).path.clone();
            return policy.module_path(rx, written, (from, to), (path.as_str(), path.as_str())).or_else(
                || {
                    // A path found by configuration is found from everywhere.
                    (!written.starts_with('.')).then(|| written.to_owned())
                },
            );
        }
        if !written.starts_with('.') {
            return Some(written.to_owned());
        }
        let place = relative_place(from, written, view.import(id).level)?;
        policy.module_path(rx, written, (from, to), (&place, &place))
    })
}

/// The path that a relative import means, of whatever lies there.
fn relative_place(from: &str, written: &str, level: u8) -> Option<String> {
    let mut folders: Vec<&str> = from.split('/').collect();
    folders.pop();
    if level > 0 {
        let rest = written.trim_start_matches('.');
        folders.truncate(folders.len().checked_sub(usize::from(level) - 1)?);
        folders.extend(rest.split('.').filter(|part| !part.is_empty()));
        return Some(format!("{}/__init__.py", folders.join("/")));
    }
    for part in written.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()?),
            name => folders.push(name),
        }
    }
    Some(folders.join("/"))
}

/// The imports by which elements of JSX in the text that goes are made, though they do not name them.
pub(super) fn makers_of_elements(shift: &Shift<'_>, view: &FileView) -> Vec<ImportId> {
    const ELEMENTS: &str = "jsx_element jsx_self_closing_element jsx_fragment";
    let syntax = &shift.scene.syntax;
    let is_element = |id: NodeId| has(ELEMENTS, syntax.kind(id)) && shift.goes(view.id, syntax.range(id));
    if !shift.row.makes_module || !syntax.all().any(is_element) {
        return Vec::new();
    }
    shift.ctx.pool.with(|rx| {
        let makes = |id: &ImportId| {
            view.import(*id).def.is_some() && rx.policy(view).import_works_unnamed(rx, view, *id)
        };
        (0..view.imports.len() as u32).map(ImportId).filter(makes).collect()
    })
}

/// The imports that the text needs where it goes.
pub(super) fn carry(shift: &mut Shift<'_>, needed: &BTreeSet<ImportId>) -> Result<(), QueryError> {
    let view = shift.scene.view.clone();
    for id in needed {
        let import = *view.import(*id);
        let at = import.def.map_or_else(TextRange::default, |def| view.def(def).name_range);
        if shift.ctx.pool.with(|rx| is_there(shift, rx, &view, *id)) {
            continue;
        }
        match own_of_landing(shift, &view, *id) {
            Some(true) => continue,
            Some(false) => {
                shift.refuse(ConflictKind::Form, "it has another name where it is declared", view.id, at);
                continue;
            }
            None => {}
        }
        let from = shift.ctx.pool.with(|rx| target_of(rx, &view, *id));
        if shift.row.makes_module && from.is_some_and(|(module, _)| module == shift.to.id) {
            let message = "it is only passed on where it would be used";
            shift.refuse(ConflictKind::Form, message, view.id, at);
            continue;
        }
        if let Some(rival) = rival(shift, &view, *id) {
            let name = import.def.map_or("", |def| view.def_name(def)).to_owned();
            shift.refuse(
                ConflictKind::Collision,
                format!("`{name}` means something else there"),
                rival.0,
                rival.1,
            );
            continue;
        }
        match carried(shift, &view, *id) {
            Ok(statement) => {
                shift.imports.entry(shift.to.id).or_default().add.insert(statement);
            }
            Err(message) => shift.refuse(ConflictKind::Form, message, view.id, at),
        }
    }
    Ok(())
}

/// Whether the new file has an import that binds the same.
fn is_there(shift: &Shift<'_>, rx: &Resolver, view: &FileView, id: ImportId) -> bool {
    let Some(there) = &shift.to.view else { return false };
    let import = view.import(id);
    let is_top =
        |other: &&crate::facts::Import| there.scope(other.scope).kind == crate::facts::ScopeKind::File;
    let module = |view: &FileView, import: &crate::facts::Import| {
        let member = import.member.map(|member| view.ref_name(member).to_owned());
        (view.name(import.module).to_owned(), import.level, member, import.kind)
    };
    if import.def.is_none() {
        return there.imports.iter().filter(is_top).any(|other| module(there, other) == module(view, import));
    }
    let name = import.def.map(|def| view.def_name(def));
    let meant = |view: &FileView, import: &crate::facts::Import| {
        import.def.map(|def| rx.through_imports(Resolution::def(view.global(def))).targets)
    };
    let targets = meant(view, import).filter(|targets| !targets.is_empty());
    there.imports.iter().filter(is_top).any(|other| {
        // `export * as name` binds nothing in its file.
        let own = other.def.filter(|def| !there.has_flag(*def, DefFlags::ANONYMOUS));
        let binds = own.map(|def| there.def_name(def)) == name;
        let same_target = targets.is_some() && meant(there, other) == targets;
        binds
            && (same_target
                || import.level == 0
                    && !view.name(import.module).starts_with('.')
                    && module(there, other) == module(view, import))
    })
}

/// Whether an import is of something that the new file declares itself, under the name that it has there.
fn own_of_landing(shift: &Shift<'_>, view: &FileView, id: ImportId) -> Option<bool> {
    let import = view.import(id);
    let def = import.def?;
    shift.ctx.pool.with(|rx| {
        let found = rx.through_imports(Resolution::def(view.global(def)));
        if found.targets.contains(&Target::Module(shift.to.id)) {
            return Some(true);
        }
        // A part of another declaration is seen by its name only with an import, in its own file too.
        let is_top = |found: &GlobalDef| {
            let home = rx.file(found.file);
            home.scope(home.def(found.def).scope).kind == crate::facts::ScopeKind::File
        };
        let own = found.defs().find(|found| {
            found.file == shift.to.id && rx.def(*found).kind != SymbolKind::Import && is_top(found)
        })?;
        Some(*rx.shared_name(own) == *view.def_name(def))
    })
}

/// The declaration in the new file that has the name of an import and means something else.
fn rival(shift: &Shift<'_>, view: &FileView, id: ImportId) -> Option<(FileId, TextRange)> {
    let there = shift.to.view.as_ref()?;
    let name = view.def_name(view.import(id).def?);
    let is_top = |def: &crate::facts::DefId| {
        there.scope(there.def(*def).scope).kind == crate::facts::ScopeKind::File
            && there.def_name(*def) == name
    };
    let def = there.def_ids().find(is_top)?;
    Some((there.id, there.def(def).name_range))
}

/// The statement of an import as the new file writes it.
fn carried(shift: &Shift<'_>, view: &FileView, id: ImportId) -> Result<String, String> {
    let import = view.import(id);
    let text = shift.scene.syntax.text.clone();
    let name = import.def.map_or("", |def| view.def_name(def));
    let unclear = || format!("the import of `{name}` cannot be taken along");
    if shift.row.separator == "::" {
        return path_statement(shift, view, id).ok_or_else(unclear);
    }
    if import.flags.has(ImportFlags::DYNAMIC) {
        return Err(format!("`{name}` comes from `require`, and does not go along"));
    }
    let statement = single(view, shift.row, &text, id).or_else(|| conditional(shift, view, id, &text));
    let statement = statement.ok_or_else(unclear)?;
    if !shift.by_file {
        return Ok(statement);
    }
    let path = match written_path(view, id, &text) {
        Some(path) => text[path.start as usize..path.end as usize].to_owned(),
        None => ".".repeat(usize::from(import.level)),
    };
    let new = rebased(shift, view, id, &path).ok_or_else(unclear)?;
    if new == path {
        return Ok(statement);
    }
    let (old, new) = if shift.row.makes_module {
        let quote = statement.chars().rev().find(|c| matches!(c, '"' | '\'')).unwrap_or('\'');
        (format!("{quote}{path}{quote}"), format!("{quote}{new}{quote}"))
    } else {
        (format!("from {path} "), format!("from {new} "))
    };
    if statement.contains(&old) { Ok(statement.replacen(&old, &new, 1)) } else { Err(unclear()) }
}

/// The statement of an import that stands under a condition, without it.
fn conditional(shift: &Shift<'_>, view: &FileView, id: ImportId, text: &str) -> Option<String> {
    if !shift.row.copies_values {
        return None;
    }
    let import = view.import(id);
    let path = match written_path(view, id, text) {
        Some(path) => text[path.start as usize..path.end as usize].to_owned(),
        None => ".".repeat(usize::from(import.level)),
    };
    let bound = import.def.map(|def| view.def_name(def))?;
    match import.member {
        Some(member) => {
            let name = view.ref_name(member);
            let alias = if name == bound { String::new() } else { format!(" as {bound}") };
            Some(format!("from {path} import {name}{alias}"))
        }
        None if import.kind == ImportKind::Star => Some(format!("from {path} import *")),
        None if path.split('.').next() == Some(bound) => Some(format!("import {path}")),
        None => Some(format!("import {path} as {bound}")),
    }
}

/// A `use` with a path from the root of the crate, or from another crate.
fn path_statement(shift: &Shift<'_>, view: &FileView, id: ImportId) -> Option<String> {
    let import = view.import(id);
    let mut segments: Vec<RefId> = view.list(import.path).collect();
    segments.extend(import.member);
    let first = *segments.first()?;
    let own = || shift.ctx.pool.with(|rx| rx.policy(view).module_name(rx, view, &view.path, &view.path)).ok();
    let root = match root_of(shift, view, first) {
        Some((_, root)) if root.split("::").any(|word| matches!(word, "self" | "super")) => {
            let up = root.split("::").filter(|word| *word == "super").count();
            let own = own()?;
            let parts: Vec<&str> = own.split("::").collect();
            let kept = parts.len().checked_sub(up).filter(|kept| *kept > 0)?;
            Some(parts[..kept].join("::"))
        }
        Some((_, root)) => Some(root),
        None => {
            let resolved = shift.ctx.pool.with(|rx| rx.resolve(view.global_ref(first)).resolution);
            let declares = |def: GlobalDef| def.file == view.id;
            let is_below = |target: &Target| match target {
                Target::Module(file) => shift
                    .ctx
                    .pool
                    .with(|rx| rx.policy(view).declarations_of_module(rx, *file))
                    .into_iter()
                    .any(declares),
                Target::Def(def) => declares(*def),
                _ => false,
            };
            if resolved.targets.iter().any(is_below) { Some(own()?) } else { None }
        }
    };
    let names: Vec<&str> = segments.iter().map(|segment| view.ref_name(*segment)).collect();
    let mut path = names.join("::");
    if let Some(root) = root {
        path = if root == "::" { format!("::{path}") } else { format!("{root}::{path}") };
    }
    if import.kind == ImportKind::Star {
        return Some(format!("use {path}::*;"));
    }
    let bound = import.def.map(|def| view.def_name(def))?;
    let alias = if names.last() == Some(&bound) { String::new() } else { format!(" as {bound}") };
    Some(format!("use {path}{alias};"))
}
