//! Moving a file between packages that are directories: its package clause, the qualifiers before what it declares and
//! before what it uses, and the imports that these need.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ide_model::{
    Conflict, ConflictKind, FilePath, QueryError, Refactored, SourceKind, SymbolKind, TextEdit, TextRange,
    Visibility,
};

use super::imports::{self, ImportChange};
use super::move_file::{Relocation, forbidden_import};
use super::namespace::{chain, declared, members};
use super::rename::occurrences;
use super::verify::{Effect, Verification};
use super::{RefactorContext, conflict, write_up};
use crate::facts::{DefFlags, DefId, ImportId, RefId, Role};
use crate::query::references::sought_of;
use crate::resolve::{FileView, PackagePlace};
use crate::world::{FileId, GlobalDef};

/// A file on its way from one package to another.
struct Move<'a> {
    ctx: &'a RefactorContext<'a>,
    file: FileId,
    from: PackagePlace,
    to: PackagePlace,
    defs: Vec<GlobalDef>,
    effect: Effect,
    /// References that are written anew, of each file: their qualifiers no longer need their imports.
    rewritten: BTreeMap<FileId, BTreeSet<RefId>>,
    imports: BTreeMap<FileId, ImportChange>,
    conflicts: Vec<Conflict>,
    names: BTreeSet<Arc<str>>,
}

/// Plans that a file lies elsewhere, in another package perhaps.
pub(super) fn move_file(
    ctx: &RefactorContext<'_>,
    file: FileId,
    path: &FilePath,
) -> Result<Refactored, QueryError> {
    let view = ctx.pool.with(|rx| rx.shared_file(file));
    let title = format!("move {} to {path}", view.path);
    let places = ctx.pool.with(|rx| rx.policy(&view).packages_of_move(rx, &view, path));
    let (from, to) = match places {
        Ok(places) => places,
        Err(message) => {
            let conflicts = vec![conflict(ConflictKind::Form, message, None)];
            return Ok(Refactored { conflicts, ..Refactored::default() });
        }
    };
    let defs = ctx.pool.with(|rx| declared(rx, &view));
    let mut effect = Effect::default();
    effect.moves.insert(file, path.clone());
    let is_move = from != to;
    let names = defs.iter().map(|def| ctx.pool.with(|rx| rx.shared_name(*def))).collect();
    let mut moving = Move {
        ctx,
        file,
        from,
        to,
        defs,
        effect,
        rewritten: BTreeMap::new(),
        imports: BTreeMap::new(),
        conflicts: Vec::new(),
        names,
    };
    if is_move {
        moving.clause();
        moving.torn_types();
        moving.collisions();
        moving.users()?;
        moving.uses();
        moving.hidden()?;
        moving.write_imports()?;
    }
    let Move { effect, mut conflicts, names, defs, .. } = moving;
    let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
    if conflicts.is_empty() {
        let after = (ctx.scratch)(&rewrites)?;
        if let Some(forbidden) = forbidden_import(ctx, &after, &rewrites) {
            conflicts.push(forbidden);
            return Ok(Refactored { plan, conflicts, ..Refactored::default() });
        }
        let check = Verification::new(ctx, after, &effect);
        let members = ctx.pool.with(|rx| members(rx, &defs));
        conflicts.extend(check.run(&names, &BTreeSet::from([file]), &members)?);
    }
    Ok(Refactored { plan, conflicts, ..Refactored::default() })
}

impl Move<'_> {
    fn refuse(&mut self, kind: ConflictKind, message: String, file: FileId, range: TextRange) {
        self.conflicts.push(conflict(kind, message, Some(self.ctx.at(file, range))));
    }

    fn edit(&mut self, file: FileId, range: TextRange, text: String) {
        self.effect.edits.entry(file).or_default().push(TextEdit::new(range, text));
        self.effect.repathed.entry(file).or_default().push(range);
    }

    fn view(&self, file: FileId) -> Arc<FileView> {
        self.ctx.pool.with(|rx| rx.shared_file(file))
    }

    fn clause(&mut self) {
        let view = self.view(self.file);
        let clause = view.ref_ids().map(|r| view.reference(r)).find(|r| r.role == Role::Package);
        let Some(range) = clause.map(|r| r.range) else { return };
        self.effect.repathed.entry(self.file).or_default().push(range);
        if self.from.name != self.to.name {
            self.edit(self.file, range, self.to.name.clone());
        }
    }

    /// Types and their methods must lie in one package.
    fn torn_types(&mut self) {
        let view = self.view(self.file);
        let mut torn = Vec::new();
        self.ctx.pool.with(|rx| {
            for def in view.def_ids().filter(|def| view.def(*def).receiver.is_some()) {
                let owner = rx.member_owner(view.global(def));
                if owner.is_none_or(|owner| owner.file != self.file) {
                    torn.push((self.file, view.def(def).name_range));
                }
            }
            let family = view.family();
            for other in rx.world().files_of_package(family, &self.from.name) {
                let other = rx.file(other);
                for def in other.def_ids().filter(|def| other.def(*def).receiver.is_some()) {
                    let is_ours =
                        rx.member_owner(other.global(def)).is_some_and(|owner| owner.file == self.file);
                    if is_ours && other.id != self.file {
                        torn.push((other.id, other.def(def).name_range));
                    }
                }
            }
        });
        for (file, range) in torn {
            let message = "a method and its type would lie in different packages".to_owned();
            self.refuse(ConflictKind::Form, message, file, range);
        }
    }

    fn collisions(&mut self) {
        let mut found = Vec::new();
        self.ctx.pool.with(|rx| {
            let family = rx.file(self.file).family();
            for other in rx.world().files_of_package(family, &self.to.name) {
                if !self.to.holds(rx.file(other)) {
                    continue;
                }
                for def in declared(rx, rx.file(other)) {
                    let name = rx.shared_name(def);
                    let is_plain = rx.def(def).receiver.is_none() && &*name != "init" && &*name != "_";
                    let is_taken =
                        |mine: &GlobalDef| rx.def(*mine).receiver.is_none() && rx.shared_name(*mine) == name;
                    if is_plain && self.defs.iter().any(is_taken) {
                        found.push((other, rx.def(def).name_range, name));
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
        let defs: Vec<GlobalDef> = self
            .defs
            .iter()
            .copied()
            .filter(|def| ctx.pool.with(|rx| rx.def(*def).receiver.is_none()))
            .collect();
        let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &defs))?;
        for use_ in occurrences(ctx, &sought, None)?.into_iter().filter(|o| o.is_certain) {
            if use_.file == self.file {
                continue;
            }
            let view = self.view(use_.file);
            let r = *view.reference(use_.reference);
            if r.role == Role::Key || r.role == Role::Import {
                continue;
            }
            match chain(&view, use_.reference) {
                None if r.receiver.is_none() => self.qualify(&view, use_.reference, &self.to.clone()),
                Some((first, last)) if first == last && self.is_qualifier(&view, last) => {
                    self.requalify(&view, last, use_.reference, &self.to.clone());
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The uses that the file itself makes of both packages.
    fn uses(&mut self) {
        let view = self.view(self.file);
        for reference in view.ref_ids() {
            let r = *view.reference(reference);
            if matches!(r.role, Role::Import | Role::Package | Role::Key | Role::Label) {
                continue;
            }
            let found = self.ctx.pool.with(|rx| {
                let resolved = rx.resolve(view.global_ref(reference));
                let mut defs = resolved.resolution.defs();
                defs.find(|def| def.file != self.file && rx.def(*def).kind != SymbolKind::Import)
                    .map(|def| (rx.shared_file(def.file), def))
            });
            let Some((home, def)) = found else { continue };
            let chain = chain(&view, reference);
            let is_top = self.ctx.pool.with(|rx| declared(rx, &home).contains(&def));
            if chain.is_none() && r.receiver.is_none() && is_top && self.from.holds(&home) {
                self.names.insert(self.ctx.pool.with(|rx| rx.shared_name(def)));
                self.qualify(&view, reference, &self.from.clone());
            } else if let Some((first, last)) = chain
                && first == last
                && self.to.holds(&home)
                && self.is_qualifier(&view, last)
            {
                self.requalify(&view, last, reference, &self.to.clone());
            }
        }
    }

    /// The import by which a name stands for a package.
    fn import_of(&self, view: &FileView, reference: RefId) -> Option<ImportId> {
        self.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(reference));
            resolved.resolution.defs().find_map(|def| {
                let is_own = def.file == view.id;
                is_own.then(|| view.def(def.def).import).flatten()
            })
        })
    }

    fn is_qualifier(&self, view: &FileView, reference: RefId) -> bool {
        self.import_of(view, reference).is_some()
    }

    /// Puts the name of a package before a name that had none.
    fn qualify(&mut self, view: &FileView, reference: RefId, package: &PackagePlace) {
        if package.holds(view) && view.id != self.file {
            return;
        }
        let at = view.reference(reference).range.start;
        let name = self.name_in(view, package);
        self.edit(view.id, TextRange::new(at, at), format!("{name}."));
    }

    /// Changes the name of a package before a name, or takes it away.
    fn requalify(&mut self, view: &FileView, qualifier: RefId, reference: RefId, package: &PackagePlace) {
        let range = view.reference(qualifier).range;
        let is_home = view.id == self.file || package.holds(view);
        if is_home {
            let end = view.reference(reference).range.start;
            self.edit(view.id, TextRange::new(range.start, end), String::new());
        } else {
            let name = self.name_in(view, package);
            self.edit(view.id, range, name);
        }
        self.rewritten.entry(view.id).or_default().insert(qualifier);
    }

    /// The name of a package in a file, imported where it is not yet.
    fn name_in(&mut self, view: &FileView, package: &PackagePlace) -> String {
        let imported = view.imports.iter().find(|import| view.name(import.module) == package.path);
        match imported.and_then(|import| import.def) {
            Some(def) if view.def_name(def) != package.name && is_renamed(view, def) => {
                view.def_name(def).to_owned()
            }
            Some(_) => package.name.clone(),
            None => {
                let line = format!("import \"{}\"", package.path);
                self.imports.entry(view.id).or_default().add.insert(line);
                package.name.clone()
            }
        }
    }

    /// Names that only their own package may say, across the new border; what cannot be imported at all.
    fn hidden(&mut self) -> Result<(), QueryError> {
        let ctx = self.ctx;
        let family = self.view(self.file).family();
        let mut files = ctx.pool.world().files_of_package(family, &self.from.name);
        files.push(self.file);
        let mut found = Vec::new();
        for file in files {
            ctx.cx.check()?;
            let view = self.view(file);
            if file != self.file && !self.from.holds(&view) {
                continue;
            }
            ctx.pool.with(|rx| {
                for reference in view.ref_ids() {
                    let resolved = rx.resolve(view.global_ref(reference));
                    let is_hidden = |def: &GlobalDef| {
                        let d = rx.def(*def);
                        let crosses = (def.file == self.file) != (file == self.file);
                        let home = rx.file(def.file);
                        crosses
                            && self.from.holds(home)
                            && d.visibility == Some(Visibility::Package)
                            && !d.flags.has(DefFlags::LOCAL)
                            && d.kind != SymbolKind::Import
                    };
                    let r = view.reference(reference);
                    if resolved.resolution.defs().any(|def| is_hidden(&def)) {
                        found.push((file, r.range, view.ref_name(reference).to_owned()));
                    }
                }
            });
        }
        for (file, range, name) in found {
            let message = format!("`{name}` is visible in its own package only");
            self.refuse(ConflictKind::Meaning, message, file, range);
        }
        Ok(())
    }

    fn write_imports(&mut self) -> Result<(), QueryError> {
        for (file, rewritten) in std::mem::take(&mut self.rewritten) {
            let view = self.view(file);
            let gone: BTreeSet<ImportId> =
                rewritten.iter().filter_map(|qualifier| self.import_of(&view, *qualifier)).collect();
            for import in gone {
                let is_needed = view.ref_ids().any(|r| {
                    view.reference(r).receiver.is_none()
                        && !rewritten.contains(&r)
                        && view.reference(r).role != Role::Import
                        && self.import_of(&view, r) == Some(import)
                });
                if !is_needed {
                    self.imports.entry(file).or_default().drop.insert(import);
                }
            }
        }
        for (file, change) in std::mem::take(&mut self.imports) {
            let edits = imports::edits(self.ctx, file, &change)?;
            self.effect.edits.entry(file).or_default().extend(edits);
            self.effect.imports.insert(file);
        }
        for edits in self.effect.edits.values_mut() {
            edits.sort();
            edits.dedup();
        }
        Ok(())
    }
}

/// Whether an import gives its package another name.
fn is_renamed(view: &FileView, def: DefId) -> bool {
    let import = view.def(def).import.map(|import| *view.import(import));
    let path = import.and_then(|import| view.list(import.path).last());
    path.is_some_and(|path| view.def(def).name_range.end < view.reference(path).range.start)
}

/// Plans that whole packages lie in other directories. One that is named after its directory gets the directory's new name.
pub(super) fn relocate(
    ctx: &RefactorContext<'_>,
    files: &[FileId],
    plan: &mut Relocation,
) -> Result<(), QueryError> {
    let mut packages: BTreeMap<String, (PackagePlace, PackagePlace)> = BTreeMap::new();
    for file in files {
        let view = ctx.pool.with(|rx| rx.shared_file(*file));
        let Some(path) = plan.effect.moves.get(file).cloned() else { continue };
        let places = ctx.pool.with(|rx| rx.policy(&view).packages_of_move(rx, &view, &path));
        let (from, mut to) = match places {
            Ok(places) => places,
            Err(message) => {
                plan.conflicts.push(conflict(ConflictKind::Form, message, None));
                return Ok(());
            }
        };
        // Another name than that of the directory is there on purpose, and tests beside a package are named after it.
        let outside = from.name.strip_suffix("_test").filter(|_| view.path.ends_with("_test.go"));
        let is_named_so = from.directory.rsplit('/').next() == Some(outside.unwrap_or(&from.name));
        if !is_named_so {
            to.name.clone_from(&from.name);
        }
        let clause = view.ref_ids().map(|r| view.reference(r)).find(|r| r.role == Role::Package);
        if let Some(range) = clause.map(|r| r.range) {
            plan.effect.repathed.entry(*file).or_default().push(range);
            if from.name != to.name {
                plan.effect.edits.entry(*file).or_default().push(TextEdit::new(range, to.name.clone()));
            }
        }
        if outside.is_none() || !packages.contains_key(&from.path) {
            packages.insert(from.path.clone(), (from, to));
        }
    }
    let family = files.first().map(|file| ctx.pool.with(|rx| rx.file(*file).family()));
    for id in (0..ctx.pool.world().file_count()).map(FileId) {
        ctx.cx.check()?;
        let entry = ctx.pool.world().file(id);
        if entry.language.map(|language| language.family()) == family && entry.source != SourceKind::Library {
            follow_packages(ctx, id, &packages, plan)?;
        }
    }
    let names = packages.values().flat_map(|(from, to)| [&from.name, &to.name]);
    plan.names.extend(names.map(|name| Arc::from(name.as_str())));
    Ok(())
}

/// Lets the imports of a file name packages by their new paths, and its qualifiers by their new names.
fn follow_packages(
    ctx: &RefactorContext<'_>,
    id: FileId,
    packages: &BTreeMap<String, (PackagePlace, PackagePlace)>,
    plan: &mut Relocation,
) -> Result<(), QueryError> {
    let view = ctx.pool.with(|rx| rx.shared_file(id));
    for import in &view.imports {
        let Some((from, to)) = packages.get(view.name(import.module)) else { continue };
        let Some(path) = view.list(import.path).last().map(|r| view.reference(r).range) else { continue };
        let text = (ctx.text)(id)?;
        let written = text.slice(path).unwrap_or("");
        let inner = written.find(&from.path).unwrap_or(0) as u32;
        let range = TextRange::new(path.start + inner, path.start + inner + from.path.len() as u32);
        let mut edits = vec![TextEdit::new(range, to.path.clone())];
        plan.effect.repathed.entry(id).or_default().push(path);
        plan.whole.insert(id);
        let Some(def) = import.def.filter(|def| from.name != to.name && !is_renamed(&view, *def)) else {
            plan.effect.edits.entry(id).or_default().extend(edits);
            continue;
        };
        let (old, new) = (from.name.trim_end_matches("_test"), to.name.trim_end_matches("_test"));
        ctx.pool.with(|rx| {
            let used = view.written_refs().filter(|r| {
                let r_ = view.reference(*r);
                r_.receiver.is_none() && r_.role != Role::Import && view.ref_name(*r) == old
            });
            for reference in used {
                let resolved = rx.resolve(view.global_ref(reference));
                if resolved.resolution.defs().any(|found| found == view.global(def)) {
                    edits.push(TextEdit::new(view.reference(reference).range, new));
                }
            }
        });
        plan.effect.edits.entry(id).or_default().extend(edits);
    }
    if let Some(edits) = plan.effect.edits.get_mut(&id) {
        edits.sort();
        edits.dedup();
    }
    Ok(())
}
