//! Moving a file whose directory is the namespace of what it declares: the line that says so, those who name its
//! declarations by it, and those who saw them because they were in the same one.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    ConflictKind, FilePath, QueryError, SourceKind, SymbolKind, TextEdit, TextRange, Visibility,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::doubt::could_mean;
use super::facades;
use super::imports::{self, ImportChange, package_range};
use super::move_file::{Relocation, shown_names};
use super::rename::occurrences;
use super::{RefactorContext, conflict};
use crate::facts::{DefFlags, Expr, ImportId, ImportKind, RefFlags, RefId, Role, ScopeKind};
use crate::lang::imports::{Imports, imports as row_of};
use crate::query::hierarchy::{direct_subtypes, overridden};
use crate::query::references::sought_of;
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Files on their way from one namespace to another; the fields from `file` to `sought` are those of the one at hand.
struct Move<'a> {
    ctx: &'a RefactorContext<'a>,
    /// Every file that moves, with its namespaces before and after.
    files: BTreeMap<FileId, (String, String)>,
    /// Namespaces none of whose files stays, with the one where all of them go.
    whole: BTreeMap<String, String>,
    file: FileId,
    row: &'static Imports,
    from: String,
    to: String,
    /// The declarations that others can name.
    defs: Vec<GlobalDef>,
    /// The starts of paths that are relative to namespaces and lead to the same declarations afterwards.
    kept: BTreeSet<(FileId, u32)>,
    /// Namespaces in which nothing is left, whose imports are seen to.
    emptied: BTreeSet<String>,
    imports: BTreeMap<FileId, ImportChange>,
    /// Where the files go, and all that follows from it.
    plan: &'a mut Relocation,
}

/// Plans that files lie elsewhere, in other namespaces perhaps: in that of the file `like`, or in those of their new
/// directories.
pub(super) fn relocate(
    ctx: &RefactorContext<'_>,
    files: &[FileId],
    like: Option<&FilePath>,
    plan: &mut Relocation,
) -> Result<(), QueryError> {
    let like = like.and_then(|path| ctx.pool.world().file_by_path(path.as_str()));
    let mut namespaces = BTreeMap::new();
    for file in files {
        let view = ctx.pool.with(|rx| rx.shared_file(*file));
        let Some(path) = plan.effect.moves.get(file).cloned() else { continue };
        let named = ctx.pool.with(|rx| must_be_called(rx, &view));
        let to = ctx.pool.with(|rx| match like.map(|id| rx.file(id)) {
            Some(like) => Ok(like.package.map_or("", |package| like.name(package)).to_owned()),
            None => rx.policy(&view).namespace_at(rx, &view, &path),
        });
        let to = match (named, to) {
            (Some(name), _) if *name != *path.stem() => {
                let message =
                    format!("the file must be named after the type `{name}` that it declares; rename that");
                Err(message)
            }
            (_, to) => to,
        };
        match to {
            Ok(to) => {
                let from = view.package.map_or("", |package| view.name(package)).to_owned();
                namespaces.insert(*file, (from, to));
            }
            Err(message) => plan.conflicts.push(conflict(ConflictKind::Form, message, None)),
        }
    }
    let Some(row) = files.first().and_then(|file| row_of(ctx.pool.with(|rx| rx.file(*file).language())))
    else {
        return Ok(());
    };
    facades::follow(ctx, &namespaces, plan)?;
    let whole = whole_namespaces(ctx, &namespaces);
    let changed: Vec<FileId> =
        namespaces.iter().filter(|(_, (from, to))| from != to).map(|(file, _)| *file).collect();
    // With the same namespace elsewhere a file lies in another module or source set.
    for (file, _) in namespaces.iter().filter(|(_, (from, to))| from == to) {
        plan.names.extend(shown_names(ctx, *file));
    }
    let mut moving = Move {
        ctx,
        files: namespaces,
        whole,
        file: FileId(0),
        row,
        from: String::new(),
        to: String::new(),
        defs: Vec::new(),
        kept: BTreeSet::new(),
        emptied: BTreeSet::new(),
        imports: BTreeMap::new(),
        plan,
    };
    for file in &changed {
        moving.turn_to(*file);
        moving.package_line()?;
        moving.collisions();
        moving.users()?;
    }
    for file in &changed {
        moving.turn_to(*file);
        moving.siblings()?;
        moving.hidden()?;
    }
    moving.write_imports()
}

/// The namespaces all of whose files go to one other namespace. A single file moves no whole namespace.
fn whole_namespaces(
    ctx: &RefactorContext<'_>,
    files: &BTreeMap<FileId, (String, String)>,
) -> BTreeMap<String, String> {
    let mut whole = BTreeMap::new();
    if files.len() < 2 {
        return whole;
    }
    for (file, (from, to)) in files.iter().filter(|(_, (from, to))| from != to && !from.is_empty()) {
        let family = ctx.pool.with(|rx| rx.file(*file).family());
        let mut all = ctx.pool.world().files_of_package(family, from).into_iter();
        if all.all(|other| files.get(&other).is_some_and(|(_, there)| there == to)) {
            whole.insert(from.clone(), to.clone());
        }
    }
    whole
}

/// The name that the file must have, because of a type that it declares.
fn must_be_called(rx: &Resolver, view: &FileView) -> Option<String> {
    let stem = view.path.rsplit('/').next()?.split('.').next()?;
    let of_file = |def: &GlobalDef| {
        rx.shared_name(*def).as_ref() == stem && rx.policy_of(*def).names_its_file(rx, *def)
    };
    declared(rx, view).iter().any(of_file).then(|| stem.to_owned())
}

/// The declarations of a file that its namespace is part of the name of.
pub(super) fn declared(rx: &Resolver, view: &FileView) -> Vec<GlobalDef> {
    view.def_ids().map(|def| view.global(def)).filter(|def| is_at_top(rx, *def)).collect()
}

/// Whether a declaration stands in its namespace directly.
pub(super) fn is_at_top(rx: &Resolver, def: GlobalDef) -> bool {
    let view = rx.file(def.file);
    let d = view.def(def.def);
    let scope = view.scope(d.scope);
    let is_top = scope.kind == ScopeKind::File
        || scope.kind == ScopeKind::Module
            && scope.parent.is_some_and(|p| view.scope(p).kind == ScopeKind::File);
    let is_other = matches!(
        d.kind,
        SymbolKind::Import
            | SymbolKind::Namespace
            | SymbolKind::Module
            | SymbolKind::Parameter
            | SymbolKind::Constructor
    );
    is_top
        && !is_other
        && !d.flags.has(DefFlags::ANONYMOUS)
        && !d.flags.has(DefFlags::LOCAL)
        && !d.name_range.is_empty()
}

/// Methods that may override, and be overridden.
pub(super) fn members(rx: &Resolver, defs: &[GlobalDef]) -> Vec<GlobalDef> {
    let inside = |def: &GlobalDef| {
        let view = rx.file(def.file);
        let body = view.def(def.def).body;
        let all: Vec<GlobalDef> = body
            .into_iter()
            .flat_map(|body| view.all_in_scope(body).to_vec())
            .map(|member| view.global(member))
            .filter(|member| rx.def(*member).kind == SymbolKind::Method)
            .collect();
        all
    };
    defs.iter().flat_map(inside).collect()
}

/// The first and the last reference of what stands before a name.
pub(super) fn chain(file: &FileView, reference: RefId) -> Option<(RefId, RefId)> {
    let before = |r: RefId| match file.reference(r).receiver.map(|expr| file.expr(expr)) {
        Some(Expr::Ref(before)) => Some(before),
        _ => None,
    };
    let last = before(reference)?;
    let first = std::iter::successors(Some(last), |r| before(*r)).last()?;
    Some((first, last))
}

fn is_package(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let resolved = rx.resolve(file.global_ref(reference));
    resolved.resolution.targets.iter().any(|target| matches!(target, Target::Package(_)))
}

impl Move<'_> {
    /// Makes a file the one at hand.
    fn turn_to(&mut self, file: FileId) {
        let view = self.ctx.pool.with(|rx| rx.shared_file(file));
        if let Some((from, to)) = self.files.get(&file) {
            (self.from, self.to) = (from.clone(), to.clone());
        }
        self.row = row_of(view.language()).unwrap_or(self.row);
        self.file = file;
        self.defs = self.ctx.pool.with(|rx| declared(rx, &view));
    }

    /// The namespace of a file afterwards.
    fn home_after<'v>(&'v self, view: &'v FileView) -> &'v str {
        match self.files.get(&view.id) {
            Some((_, to)) => to,
            None => view.package.map_or("", |package| view.name(package)),
        }
    }

    /// Whether a file is in the namespace of the file at hand afterwards.
    fn goes_along(&self, rx: &Resolver, file: FileId) -> bool {
        self.home_after(rx.file(file)) == self.to
    }

    fn refuse(&mut self, kind: ConflictKind, message: String, file: FileId, range: TextRange) {
        self.plan.conflicts.push(conflict(kind, message, Some(self.ctx.at(file, range))));
    }

    fn edit(&mut self, file: FileId, range: TextRange, text: String) {
        self.plan.effect.edits.entry(file).or_default().push(TextEdit::new(range, text));
        self.plan.effect.repathed.entry(file).or_default().push(range);
    }

    /// The line in which the file names its namespace.
    fn package_line(&mut self) -> Result<(), QueryError> {
        let text = (self.ctx.text)(self.file)?;
        let view = self.ctx.pool.with(|rx| rx.shared_file(self.file));
        let word = self.row.package_word;
        match package_range(self.row, &view, &text.text) {
            Some(range) if self.to.is_empty() => {
                let line =
                    text.text[range.end as usize..].split_inclusive('\n').take_while(|l| l.trim().is_empty());
                let end = range.end + line.map(str::len).sum::<usize>() as u32;
                self.edit(self.file, TextRange::new(range.start, end), String::new());
            }
            Some(range) => {
                let written = text.slice(range).unwrap_or("");
                let end = if written.ends_with(';') { ";" } else { "" };
                let new = format!("{word} {}{end}", self.to);
                if written.contains('{') {
                    self.refuse(
                        ConflictKind::Form,
                        "its namespace cannot be rewritten".to_owned(),
                        self.file,
                        range,
                    );
                }
                self.edit(self.file, range, new);
            }
            None if self.from.is_empty() => {
                let opening = self.row.opening;
                let open = text.text.find(opening).map_or(0, |i| i + opening.len());
                let (before, behind) = if open > 0 { ("\n\n", "") } else { ("", "\n\n") };
                let end = if self.row.statement[0].ends_with(';') { ";" } else { "" };
                let at = TextRange::new(open as u32, open as u32);
                self.edit(self.file, at, format!("{before}{word} {}{end}{behind}", self.to));
            }
            None => {
                let message = "the line that names its namespace is not found".to_owned();
                self.plan.conflicts.push(conflict(ConflictKind::Form, message, None));
            }
        }
        Ok(())
    }

    /// Declarations of the same name where the file goes.
    fn collisions(&mut self) {
        let mut found = Vec::new();
        self.ctx.pool.with(|rx| {
            let family = rx.file(self.file).family();
            // The first of each name.
            let mine: FxHashMap<&str, GlobalDef> =
                self.defs.iter().rev().map(|mine| (rx.def_name(*mine), *mine)).collect();
            for other in rx.world().files_of_package(family, &self.to) {
                let view = rx.file(other);
                if self.home_after(view) != self.to {
                    continue;
                }
                for def in declared(rx, view) {
                    let twin = mine.get(rx.def_name(def));
                    let collides = |mine: &&GlobalDef| {
                        let (a, b) = (rx.def(**mine), rx.def(def));
                        (!a.kind.is_callable() || !b.kind.is_callable())
                            && a.visibility != Some(Visibility::Private)
                            && rx.policy_of(**mine).collides(rx, **mine, def)
                    };
                    if twin.filter(collides).is_some() {
                        found.push((other, rx.def(def).name_range, rx.shared_name(def)));
                    }
                }
            }
        });
        for (file, range, name) in found {
            self.refuse(ConflictKind::Collision, format!("`{name}` is declared there already"), file, range);
        }
    }

    /// Everyone who names what the file declares.
    fn users(&mut self) -> Result<(), QueryError> {
        let ctx = self.ctx;
        let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &self.defs))?;
        self.plan.names.extend(sought.names.iter().cloned());
        self.plan.names.extend(self.defs.iter().map(|def| ctx.pool.with(|rx| rx.shared_name(*def))));
        self.plan.members.extend(ctx.pool.with(|rx| members(rx, &self.defs)));
        let all = occurrences(ctx, &sought, None)?;
        let is_far = |file: FileId| ctx.pool.with(|rx| !self.goes_along(rx, file));
        let doubts: Vec<_> = all.iter().filter(|o| !o.is_certain && is_far(o.file)).collect();
        for doubt in doubts {
            let found = ctx.pool.with(|rx| {
                let view = rx.file(doubt.file);
                let r = *view.reference(doubt.reference);
                let is_plain = r.receiver.is_none() && !r.flags.has(RefFlags::IN_DOC);
                let may_be = is_plain && could_mean(rx, &self.defs, None, doubt);
                may_be.then(|| (r.range, view.ref_name(doubt.reference).to_owned()))
            });
            if let Some((range, name)) = found {
                let message =
                    format!("this `{name}` may be a use of the moved declaration; its meaning is not known");
                self.refuse(ConflictKind::Unresolved, message, doubt.file, range);
            }
        }
        for use_ in all.iter().filter(|o| o.is_certain) {
            self.user(use_.file, use_.reference)?;
        }
        // Imports of everything in a namespace in which nothing is left.
        let stays = ctx.pool.with(|rx| {
            let family = rx.file(self.file).family();
            let mut rest = rx.world().files_of_package(family, &self.from).into_iter();
            rest.any(|other| other != self.file && !self.whole.contains_key(&self.from))
        });
        if !stays && !self.from.is_empty() && self.emptied.insert(self.from.clone()) {
            self.empty_stars()?;
        }
        Ok(())
    }

    fn empty_stars(&mut self) -> Result<(), QueryError> {
        for id in (0..self.ctx.pool.world().file_count()).map(FileId) {
            self.ctx.cx.check()?;
            let entry = self.ctx.pool.world().file(id);
            let family = self.ctx.pool.with(|rx| rx.file(self.file).family());
            if entry.language.is_none_or(|l| l.family() != family) || entry.source == SourceKind::Library {
                continue;
            }
            let view = self.ctx.pool.with(|rx| rx.shared_file(id));
            let stars = (0..view.imports.len() as u32).map(ImportId).filter(|i| {
                let import = view.import(*i);
                import.kind == ImportKind::Star && view.name(import.module) == self.from
            });
            let stars: Vec<ImportId> = stars.collect();
            match self.whole.get(&self.from).cloned() {
                Some(to) if !to.is_empty() => self.redirect(&view, &stars, &to),
                _ => self.imports.entry(id).or_default().drop.extend(stars),
            }
        }
        self.imports.retain(|_, change| !change.drop.is_empty() || !change.add.is_empty());
        Ok(())
    }

    /// Lets imports of everything in a namespace name another one.
    fn redirect(&mut self, view: &FileView, stars: &[ImportId], to: &str) {
        for star in stars {
            let path: Vec<RefId> = view.list(view.import(*star).path).collect();
            let (Some(first), Some(last)) = (path.first(), path.last()) else { continue };
            let range = TextRange::new(view.reference(*first).range.start, view.reference(*last).range.end);
            self.edit(view.id, range, to.to_owned());
            self.plan.effect.imports.insert(view.id);
        }
    }

    /// Whether a file sees the whole namespace at hand, before and after.
    fn has_star(&self, view: &FileView) -> bool {
        let is_star = |import: &crate::facts::Import| {
            import.kind == ImportKind::Star && view.name(import.module) == self.from
        };
        self.whole.get(&self.from).is_some_and(|to| !to.is_empty()) && view.imports.iter().any(is_star)
    }

    fn user(&mut self, file: FileId, reference: RefId) -> Result<(), QueryError> {
        let ctx = self.ctx;
        let view = ctx.pool.with(|rx| rx.shared_file(file));
        let text = (ctx.text)(file)?;
        let r = *view.reference(reference);
        let Some(def) = ctx.pool.with(|rx| self.meant(rx, &view, reference)) else { return Ok(()) };
        let chain = chain(&view, reference);
        if chain.is_some_and(|(_, last)| ctx.pool.with(|rx| facades::is_of(rx, &view, last, self.file))) {
            return Ok(());
        }
        if let Some((first, last)) = chain
            && (r.role == Role::Import || ctx.pool.with(|rx| is_package(rx, &view, last)))
        {
            let (start, end) = (view.reference(first).range.start, view.reference(last).range.end);
            let gap = text.slice(TextRange::new(end, r.range.start)).unwrap_or("").trim();
            let path = text.slice(TextRange::new(start, r.range.start)).unwrap_or("");
            let import = imports_of(&view, reference);
            let is_grouped = gap != self.row.separator || path.contains('{');
            if r.role == Role::Import && (is_grouped || self.to.is_empty()) {
                // A group of imports, or a name that needs none any more.
                if let Some(import) = import {
                    let change = self.imports.entry(file).or_default();
                    change.drop.insert(import);
                    let bound = view.import(import).def.filter(|d| view.def(*d).name_range != r.range);
                    self.add_import(file, def, bound.map(|def| view.def_name(def)));
                }
                return Ok(());
            }
            let start = self.start_of(&view, first, &text.text);
            let is_absolute = view.reference(first).flags.has(RefFlags::ABSOLUTE) || r.role == Role::Import;
            if !is_absolute && self.is_kept(&view, first, path) {
                self.kept.insert((file, view.reference(first).range.start));
                let path = TextRange::new(view.reference(first).range.start, end);
                self.plan.effect.repathed.entry(file).or_default().push(path);
                return Ok(());
            }
            let root = if is_absolute { "" } else { self.row.root };
            if self.to.is_empty() {
                self.edit(file, TextRange::new(start, r.range.start), root.to_owned());
            } else {
                self.edit(file, TextRange::new(start, end), format!("{root}{}", self.to));
            }
            if import.is_some() {
                self.plan.effect.imports.insert(file);
            }
            return Ok(());
        }
        let is_extension = ctx.pool.with(|rx| rx.def(def).flags.has(DefFlags::EXTENSION));
        if r.role == Role::Import {
            // `import D`, from the root.
            if let Some(import) = imports_of(&view, reference).filter(|_| self.from.is_empty()) {
                self.imports.entry(file).or_default().drop.insert(import);
                self.add_import(file, def, None);
            }
            return Ok(());
        }
        if r.flags.has(RefFlags::RELATIVE) && chain.is_none() {
            if ctx.pool.with(|rx| !self.goes_along(rx, file)) {
                self.write_from_root(file, &view, reference, &text.text, &self.to.clone());
            }
            return Ok(());
        }
        if r.flags.has(RefFlags::ABSOLUTE) && chain.is_none() {
            let at = TextRange::new(r.range.start, r.range.start);
            self.edit(file, at, self.row.join(&self.to, ""));
            return Ok(());
        }
        // Another language sees what stands outside of types through the class of its file.
        let is_through_class =
            ctx.pool.with(|rx| rx.language_of(def) != view.language() && !rx.def(def).kind.is_type());
        if r.receiver.is_some() && !is_extension || is_through_class {
            return Ok(());
        }
        if !self.has_star(&view)
            && !ctx.pool.with(|rx| self.is_imported(rx, &view, def, view.ref_name(reference)))
        {
            self.add_import(file, def, None);
        }
        Ok(())
    }

    /// Whether a path that begins with a part of the file's own namespace leads to the file at hand after both moved.
    fn is_kept(&self, view: &FileView, first: RefId, path: &str) -> bool {
        let Some((from, to)) = self.files.get(&view.id) else { return false };
        let r = view.reference(first);
        let name = view.ref_name(first);
        let is_alias =
            view.imports.iter().filter_map(|i| i.def).any(|d| view.def_name(d).eq_ignore_ascii_case(name));
        let written = path.trim_end_matches(self.row.separator);
        !self.row.root.is_empty()
            && !is_alias
            && !r.flags.has(RefFlags::RELATIVE)
            && self.row.join(from, written).eq_ignore_ascii_case(&self.from)
            && self.row.join(to, written).eq_ignore_ascii_case(&self.to)
    }

    /// The start of a name, with the words that say that it is meant from the namespace around.
    fn start_of(&self, view: &FileView, first: RefId, text: &str) -> u32 {
        let r = view.reference(first);
        let before = &text[..r.range.start as usize];
        match before.strip_suffix(self.row.separator).filter(|_| r.flags.has(RefFlags::RELATIVE)) {
            Some(head) => head.trim_end_matches(char::is_alphabetic).len() as u32,
            None => r.range.start,
        }
    }

    /// Writes a name that is meant from the namespace around from the root.
    fn write_from_root(&mut self, file: FileId, view: &FileView, first: RefId, text: &str, namespace: &str) {
        let range = TextRange::new(self.start_of(view, first, text), view.reference(first).range.start);
        self.edit(file, range, format!("{}{}", self.row.root, self.row.join(namespace, "")));
    }

    /// The declaration at the top of the file that a reference means.
    fn meant(&self, rx: &Resolver, view: &FileView, reference: RefId) -> Option<GlobalDef> {
        let resolved = rx.resolve(view.global_ref(reference));
        let mut named =
            resolved.resolution.defs().filter_map(|def| named_for(rx, def, view.ref_name(reference)));
        named.find(|def| self.defs.contains(def))
    }

    /// Whether an import of the file binds this name to this declaration.
    fn is_imported(&self, rx: &Resolver, view: &FileView, def: GlobalDef, name: &str) -> bool {
        view.imports.iter().filter_map(|import| import.def).any(|bound| {
            view.def_name(bound).eq_ignore_ascii_case(name) && {
                let found = rx.through_imports(crate::resolve::Resolution::def(view.global(bound)));
                let same: FxHashSet<Target> =
                    rx.policy_of(def).same_symbol(rx, def).into_iter().map(Target::Def).collect();
                found.targets.iter().any(|target| same.contains(target))
            }
        })
    }

    /// Imports a declaration of the moved file into another file, under another name perhaps.
    fn add_import(&mut self, file: FileId, def: GlobalDef, alias: Option<&str>) {
        let view = self.ctx.pool.with(|rx| rx.shared_file(file));
        if self.home_after(&view) == self.to && alias.is_none() || file == self.file {
            return;
        }
        let (kind, name) = self.ctx.pool.with(|rx| (rx.def(def).kind, rx.shared_name(def)));
        if self.to.is_empty() && self.row.root.is_empty() {
            let message = format!("`{name}` cannot be imported from the unnamed namespace");
            self.refuse(ConflictKind::Form, message, file, TextRange::default());
            return;
        }
        let path = self.row.join(&self.to, &name);
        let path = alias.map_or_else(|| path.clone(), |alias| format!("{path} as {alias}"));
        // Files of another language write the statement in its way.
        let line = row_of(view.language()).unwrap_or(self.row).statement_of(kind, &path);
        self.imports.entry(file).or_default().add.insert(line);
    }

    /// The names that the file itself saw because it was in the same namespace.
    fn siblings(&mut self) -> Result<(), QueryError> {
        let ctx = self.ctx;
        let view = ctx.pool.with(|rx| rx.shared_file(self.file));
        for reference in view.ref_ids() {
            let r = *view.reference(reference);
            if matches!(r.role, Role::Import | Role::Key | Role::Label) {
                continue;
            }
            if r.role == Role::Package {
                self.relative_path(&view, reference)?;
                continue;
            }
            let found = ctx.pool.with(|rx| {
                let resolved = rx.resolve(view.global_ref(reference));
                resolved.resolution.defs().find_map(|def| {
                    let def = named_for(rx, def, view.ref_name(reference))?;
                    let is_free = r.receiver.is_none() || rx.def(def).flags.has(DefFlags::EXTENSION);
                    let other = rx.file(def.file);
                    let home = other.package.map_or("", |package| other.name(package));
                    let is_sibling = is_free
                        && !self.goes_along(rx, def.file)
                        && home == self.from
                        && !r.flags.has(RefFlags::ABSOLUTE)
                        && is_at_top(rx, def)
                        && !self.is_imported(rx, &view, def, view.ref_name(reference));
                    is_sibling.then(|| (rx.def(def).kind, rx.shared_name(def)))
                })
            });
            let Some((kind, name)) = found else { continue };
            if r.flags.has(RefFlags::RELATIVE) {
                let text = (ctx.text)(self.file)?;
                let from = self.from.clone();
                self.write_from_root(self.file, &view, reference, &text.text, &from);
                self.plan.names.insert(name);
                continue;
            }
            if self.from.is_empty() && self.row.root.is_empty() {
                let message = format!("`{name}` cannot be imported from the unnamed namespace");
                self.refuse(ConflictKind::Form, message, self.file, r.range);
                continue;
            }
            let line = self.row.statement_of(kind, &self.row.join(&self.from, &name));
            self.imports.entry(self.file).or_default().add.insert(line);
            self.plan.names.insert(name);
        }
        Ok(())
    }

    /// A name of the file that begins with a part of its own namespace is written from the root.
    fn relative_path(&mut self, view: &FileView, reference: RefId) -> Result<(), QueryError> {
        let r = *view.reference(reference);
        let is_first = r.receiver.is_none() && !r.flags.has(RefFlags::ABSOLUTE);
        let text = (self.ctx.text)(self.file)?;
        let in_line = package_range(self.row, view, &text.text).is_some_and(|range| range.encloses(r.range));
        if self.row.root.is_empty() || !is_first || in_line {
            return Ok(());
        }
        let name = view.ref_name(reference);
        let is_alias =
            view.imports.iter().filter_map(|i| i.def).any(|d| view.def_name(d).eq_ignore_ascii_case(name));
        let is_kept = self.kept.contains(&(self.file, r.range.start));
        let is_touched = is_kept
            || self.plan.effect.edits.get(&self.file).is_some_and(|edits| {
                edits.iter().any(|edit| edit.range.start <= r.range.start && r.range.start < edit.range.end)
            });
        if r.flags.has(RefFlags::RELATIVE) && !is_touched {
            let from = self.from.clone();
            self.write_from_root(self.file, view, reference, &text.text, &from);
        } else if !is_alias && !is_touched {
            let at = TextRange::new(r.range.start, r.range.start);
            self.edit(self.file, at, format!("{}{}", self.row.root, self.row.join(&self.from, "")));
        }
        Ok(())
    }

    /// Names that only the old namespace may say, across the new border.
    fn hidden(&mut self) -> Result<(), QueryError> {
        let ctx = self.ctx;
        let family = ctx.pool.with(|rx| rx.file(self.file).family());
        let mut files = ctx.pool.world().files_of_package(family, &self.from);
        files.push(self.file);
        let mut found = Vec::new();
        for file in files {
            ctx.cx.check()?;
            ctx.pool.with(|rx| {
                let view = rx.file(file);
                for reference in view.ref_ids() {
                    let resolved = rx.resolve(view.global_ref(reference));
                    let hidden = resolved.resolution.defs().find(|def| {
                        let other = rx.file(def.file);
                        let crosses = self.home_after(other) != self.home_after(view);
                        let home = other.package.map_or("", |package| other.name(package));
                        crosses && home == self.from && is_hidden(rx, view, reference, *def)
                    });
                    let r = view.reference(reference);
                    if hidden.is_some() && !r.flags.has(RefFlags::IN_DOC) && r.role != Role::Import {
                        found.push((file, r.range, view.ref_name(reference).to_owned()));
                    }
                }
            });
        }
        found.extend(self.torn_methods()?);
        for (file, range, name) in found {
            let message = format!("`{name}` is visible in its own package only");
            self.refuse(ConflictKind::Meaning, message, file, range);
        }
        self.sealed()
    }

    /// Methods of the file which override one that only the package sees, or are overridden as such, across the new border.
    fn torn_methods(&self) -> Result<Vec<(FileId, TextRange, String)>, QueryError> {
        let ctx = self.ctx;
        ctx.pool.with(|rx| {
            // One of another namespace was never overridden.
            let mut staying = rx.world().files_of_package(rx.file(self.file).family(), &self.from);
            staying.retain(|file| !self.goes_along(rx, *file));
            let methods_of = |file: FileId| {
                let view = rx.file(file);
                let methods = view.def_ids().filter(|def| view.def(*def).kind == SymbolKind::Method);
                methods.map(|def| view.global(def)).collect::<Vec<_>>()
            };
            let others: Vec<GlobalDef> = staying.into_iter().flat_map(methods_of).collect();
            let names: FxHashSet<&str> = others.iter().map(|def| rx.def_name(*def)).collect();
            let mut own = members(rx, &self.defs);
            own.retain(|method| names.contains(rx.def_name(*method)));
            let names: FxHashSet<&str> = own.iter().map(|def| rx.def_name(*def)).collect();
            let is_hidden = |def: GlobalDef| rx.def(def).visibility == Some(Visibility::Package);
            let crosses = |from: &FxHashSet<GlobalDef>, method: GlobalDef| {
                let above = overridden(rx, method).into_iter();
                above.filter(|base| is_hidden(*base) && from.contains(base)).collect::<Vec<_>>()
            };
            let mut torn = BTreeSet::new();
            let there = others.iter().copied().collect();
            for method in &own {
                ctx.cx.check()?;
                torn.extend(crosses(&there, *method).first().map(|_| *method));
            }
            let here = own.iter().copied().collect();
            for method in others.iter().filter(|method| names.contains(rx.def_name(**method))) {
                ctx.cx.check()?;
                torn.extend(crosses(&here, *method));
            }
            let place = |def: GlobalDef| (self.file, rx.def(def).name_range, rx.shared_name(def).to_string());
            Ok(torn.into_iter().map(place).collect())
        })
    }

    /// A subtype of a sealed type lies in its package.
    fn sealed(&mut self) -> Result<(), QueryError> {
        let ctx = self.ctx;
        let mut found = Vec::new();
        for def in self.defs.iter().copied() {
            found.extend(ctx.pool.with(|rx| {
                let is_sealed = |def: GlobalDef| rx.def(def).flags.has(DefFlags::SEALED);
                let above =
                    rx.supers(def).iter().filter_map(Ty::def).filter(|above| is_sealed(*above)).collect();
                let mut torn: Vec<GlobalDef> = above;
                if is_sealed(def) {
                    torn.extend(direct_subtypes(rx, ctx.cx, def)?.into_iter().map(|(below, _)| below));
                }
                torn.retain(|other| !self.goes_along(rx, other.file));
                let name = |def| rx.shared_name(def).to_string();
                Ok::<_, QueryError>(
                    torn.first().map(|other| (name(def), name(*other), rx.def(def).name_range)),
                )
            })?);
        }
        for (name, other, range) in found {
            let message = format!("`{name}` and `{other}` must lie in one package: one of them is sealed");
            self.refuse(ConflictKind::Meaning, message, self.file, range);
        }
        Ok(())
    }

    fn write_imports(&mut self) -> Result<(), QueryError> {
        for (file, change) in std::mem::take(&mut self.imports) {
            let edits = imports::edits(self.ctx, file, &change)?;
            self.plan.effect.edits.entry(file).or_default().extend(edits);
            self.plan.effect.imports.insert(file);
        }
        for edits in self.plan.effect.edits.values_mut() {
            edits.sort();
            edits.dedup();
        }
        Ok(())
    }
}

/// The declaration whose name a use of another one writes: the type of a constructor, or of a companion
/// object.
fn named_for(rx: &Resolver, def: GlobalDef, name: &str) -> Option<GlobalDef> {
    if rx.def(def).kind == SymbolKind::Constructor {
        return rx.owner_class(def);
    }
    let stands_for = |owner: &GlobalDef| {
        *rx.shared_name(*owner) == *name && rx.policy_of(*owner).used_indirectly(rx, *owner).contains(&def)
    };
    rx.owner_class(def).filter(stands_for).or(Some(def))
}

/// The import whose member, or last segment, a reference is; of a longer path the import that it is part of.
fn imports_of(view: &FileView, reference: RefId) -> Option<ImportId> {
    view.import_by_segment(reference)
}

/// Whether a reference may say a name only because it is in the same package.
fn is_hidden(rx: &Resolver, view: &FileView, reference: RefId, def: GlobalDef) -> bool {
    let d = rx.def(def);
    match d.visibility {
        Some(Visibility::Package) => !d.flags.has(DefFlags::LOCAL),
        Some(Visibility::Protected) => {
            let scope = view.reference(reference).scope;
            let Some(owner) = rx.member_owner(def) else { return false };
            let around = view.scope_chain(scope).filter_map(|s| view.scope(s).owner).map(|o| view.global(o));
            !around.into_iter().any(|class| class == owner || rx.ancestors(class).contains(&owner))
        }
        _ => false,
    }
}
