//! Declarations cut out of one file and put down in another one: their text, the imports that it needs there, the imports
//! that nobody needs here any more, and everyone who asks the old file for them.
//!
//! Where files of one namespace or package see each other, nobody else is concerned; between namespaces what is cut out
//! into a file of its own is moved like any file (see [`super`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ide_model::{
    Conflict, ConflictKind, EditPlan, FilePath, FileText, Landmark, QueryError, Refactored, SourceKind,
    TextRange, Visibility,
};

use super::importers;
use crate::facts::{DefFlags, ImportFlags, ImportId, RefFlags, RefId, Role, ScopeId};
use crate::lang::imports::{Imports, imports as row_of};
use crate::lang::scoping;
use crate::query::references::sought_of;
use crate::refactor::doubt::could_mean;
use crate::refactor::draft::{Draft, Piece};
use crate::refactor::imports::{self, ImportChange};
use crate::refactor::in_macros::named_in_macros;
use crate::refactor::members::Declarations;
use crate::refactor::namespace::{chain, members};
use crate::refactor::rename::occurrences;
use crate::refactor::scene::Scene;
use crate::refactor::verify::Verification;
use crate::refactor::{RefactorContext, Rewrite, conflict, write_up};
use crate::resolve::{FileView, ModulePath, Place, Resolution, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// The id of the file that is made; no file of a world has it.
pub(super) const CREATED: FileId = FileId(u32::MAX);

/// Declarations on their way.
pub(super) struct Shift<'a> {
    pub(super) ctx: &'a RefactorContext<'a>,
    pub(super) scene: Scene<'a>,
    pub(super) row: &'static Imports,
    pub(super) roots: Vec<GlobalDef>,
    /// The text that goes, in order.
    pub(super) extents: Vec<TextRange>,
    pub(super) to: Landing,
    pub(super) draft: Draft,
    pub(super) imports: BTreeMap<FileId, ImportChange>,
    /// Files in which import statements are written anew.
    pub(super) importers: BTreeSet<FileId>,
    pub(super) conflicts: Vec<Conflict>,
    pub(super) names: BTreeSet<Arc<str>>,
    /// Whether importers name the file.
    pub(super) by_file: bool,
    /// Words that let other modules have declarations of the old file, by their places.
    pub(super) shown: BTreeMap<u32, &'static str>,
    /// Names in the text that goes of what stays behind.
    pub(super) left: Vec<(GlobalDef, RefId)>,
}

/// The destination.
pub(super) struct Landing {
    pub(super) id: FileId,
    pub(super) path: FilePath,
    /// The file as it is; `None` when it is made.
    pub(super) view: Option<Arc<FileView>>,
    pub(super) text: Option<FileText>,
}

fn refused(kind: ConflictKind, message: impl Into<String>) -> Refactored {
    Refactored { conflicts: vec![conflict(kind, message, None)], ..Refactored::default() }
}

/// Plans that declarations of one file stand in another. `roots` lie in one file, the one that is asked for first.
pub(super) fn shift(
    ctx: &RefactorContext<'_>,
    roots: &[GlobalDef],
    to: &FilePath,
    title: &str,
) -> Result<Refactored, QueryError> {
    let from = roots[0].file;
    let scene = Scene::open(ctx, from)?;
    let language = scene.view.language();
    let Some(row) = row_of(language) else {
        return Err(QueryError::Unsupported {
            query: "moving declarations",
            language: Some(language),
            supported: Vec::new(),
        });
    };
    let text = scene.syntax.text.clone();
    let extents = match cut(ctx, roots, from, &text)? {
        Ok(extents) => extents,
        Err(message) => return Ok(refused(ConflictKind::Form, message)),
    };
    let there = ctx.pool.world().file_by_path(to.as_str());
    let landing = match there {
        Some(id) => {
            let view = ctx.pool.with(|rx| rx.shared_file(id));
            if view.language().family() != language.family() || id == from {
                return Ok(refused(
                    ConflictKind::Form,
                    format!("{to} is not another file of the same language"),
                ));
            }
            Landing { id, path: to.clone(), view: Some(view), text: Some((ctx.text)(id)?) }
        }
        None => Landing { id: CREATED, path: to.clone(), view: None, text: None },
    };
    let place = ctx.pool.with(|rx| rx.policy(&scene.view).place());
    let names = roots.iter().map(|def| ctx.pool.with(|rx| rx.shared_name(*def))).collect();
    let mut shift = Shift {
        ctx,
        scene,
        row,
        roots: roots.to_vec(),
        extents,
        to: landing,
        draft: Draft::default(),
        imports: BTreeMap::new(),
        importers: BTreeSet::new(),
        conflicts: Vec::new(),
        names,
        by_file: matches!(place, Place::Path | Place::Tree),
        shown: BTreeMap::new(),
        left: Vec::new(),
    };
    shift.collisions();
    shift.users()?;
    shift.barrels()?;
    shift.named_by_texts()?;
    let inner = shift.moved_text()?;
    shift.borders()?;
    shift.write(inner, title)
}

/// The text of each declaration, or why it cannot be cut out.
fn cut(
    ctx: &RefactorContext<'_>,
    roots: &[GlobalDef],
    file: FileId,
    text: &str,
) -> Result<Result<Vec<TextRange>, String>, QueryError> {
    let declarations = Declarations::read(ctx, file, text)?;
    let mut extents: Vec<TextRange> = Vec::new();
    for root in roots {
        let name = ctx.pool.with(|rx| rx.shared_name(*root));
        let extent = match declarations.extent(ctx, *root) {
            Ok(extent) => extent,
            Err(message) => return Ok(Err(message)),
        };
        if !extent.is_at_top {
            return Ok(Err(format!("`{name}` is not declared at the top of its file")));
        }
        let moves = |other: &String| roots.iter().any(|r| ctx.pool.with(|rx| *rx.shared_name(*r) == **other));
        if let Some(other) = extent.beside.iter().find(|other| !moves(other)) {
            return Ok(Err(format!("`{name}` is declared together with `{other}`")));
        }
        let before = text[..extent.range.start as usize].rsplit('\n').next().unwrap_or("");
        let after = text[extent.range.end as usize..].split('\n').next().unwrap_or("");
        if !before.trim().is_empty() && before != "\u{feff}" || !after.trim().is_empty() {
            return Ok(Err(format!("`{name}` shares its lines with other code")));
        }
        extents.push(extent.range);
    }
    extents.sort();
    extents.dedup();
    Ok(Ok(extents))
}

impl Shift<'_> {
    pub(super) fn refuse(
        &mut self,
        kind: ConflictKind,
        message: impl Into<String>,
        file: FileId,
        at: TextRange,
    ) {
        self.ctx.refuse(&mut self.conflicts, kind, message, file, at);
    }

    pub(super) fn goes(&self, file: FileId, range: TextRange) -> bool {
        file == self.scene.file && self.extents.iter().any(|extent| extent.encloses(range))
    }

    /// Whether a declaration is in the text that goes.
    pub(super) fn is_carried(&self, def: GlobalDef) -> bool {
        let d = self.ctx.pool.with(|rx| rx.def(def).clone());
        self.goes(def.file, if d.name_range.is_empty() { d.range } else { d.name_range })
    }

    /// The declarations that have the name already where it goes.
    fn collisions(&mut self) {
        let Some(there) = self.to.view.clone() else { return };
        let mut found = Vec::new();
        self.ctx.pool.with(|rx| {
            for root in self.roots.iter().filter(|root| rx.def(**root).receiver.is_none()) {
                let d = rx.def(*root);
                if d.name_range.is_empty() {
                    continue;
                }
                let name = rx.shared_name(*root);
                let top = there.def_ids().filter(|def| {
                    let other = there.def(*def);
                    there.scope(other.scope).kind == crate::facts::ScopeKind::File
                        && there.def_name(*def) == &*name
                });
                for def in top.map(|def| there.global(def)) {
                    let is_import = rx.def(def).kind == ide_model::SymbolKind::Import;
                    let leads_here = || {
                        let found = rx.through_imports(Resolution::def(def));
                        found.defs().any(|def| self.roots.contains(&def))
                    };
                    if is_import && leads_here() {
                        continue;
                    }
                    if is_import || rx.policy_of(*root).collides(rx, *root, def) {
                        found.push((def.file, rx.def(def).name_range, name.clone()));
                    }
                }
            }
        });
        for (file, range, name) in found {
            self.refuse(ConflictKind::Collision, format!("`{name}` is declared there already"), file, range);
        }
    }

    /// Everyone who asks the old file.
    fn users(&mut self) -> Result<(), QueryError> {
        if !self.by_file {
            return Ok(());
        }
        let ctx = self.ctx;
        let named: Vec<GlobalDef> = self
            .roots
            .iter()
            .copied()
            .filter(|def| {
                ctx.pool.with(|rx| {
                    let d = rx.def(*def);
                    !d.name_range.is_empty() && d.kind != ide_model::SymbolKind::Impl
                })
            })
            .collect();
        let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &named))?;
        self.names.extend(sought.names.iter().cloned());
        let all = occurrences(ctx, &sought, None)?;
        for use_ in &all {
            let view = ctx.pool.with(|rx| rx.shared_file(use_.file));
            let r = *view.reference(use_.reference);
            if self.goes(use_.file, r.range) {
                continue;
            }
            if !use_.is_certain {
                let is_plain = r.receiver.is_none() && !r.flags.has(RefFlags::IN_DOC);
                if is_plain
                    && use_.file != self.scene.file
                    && ctx.pool.with(|rx| could_mean(rx, &named, None, use_))
                {
                    let message = format!(
                        "this `{}` may be a use of the moved declaration; its meaning is not known",
                        view.ref_name(use_.reference)
                    );
                    self.refuse(ConflictKind::Unresolved, message, use_.file, r.range);
                }
                continue;
            }
            self.user(&view, use_.reference)?;
        }
        for (file, range) in named_in_macros(ctx, &named, None)? {
            if !self.goes(file, range) {
                let message = "a macro may use the moved declaration".to_owned();
                self.refuse(ConflictKind::Unresolved, message, file, range);
            }
        }
        Ok(())
    }

    fn user(&mut self, view: &Arc<FileView>, reference: RefId) -> Result<(), QueryError> {
        let r = *view.reference(reference);
        let Some(root) = self.meant(view, reference) else { return Ok(()) };
        if r.role == Role::Import {
            return importers::retarget(self, view, reference, root);
        }
        if r.role == Role::Key && r.receiver.is_some() {
            return Ok(());
        }
        let range = importers::qualifier(self, view, reference);
        if let Some(range) = range {
            return importers::requalify(self, view, root, range);
        }
        let is_own = view.id == self.scene.file;
        if is_own && r.receiver.is_none() && !r.flags.has(RefFlags::IN_DOC) {
            self.ask(view.id, root, r.range);
        }
        Ok(())
    }

    /// The declaration that goes which a reference means.
    fn meant(&self, view: &FileView, reference: RefId) -> Option<GlobalDef> {
        self.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(reference));
            resolved.resolution.defs().find_map(|def| {
                let is_constructor = rx.def(def).kind == ide_model::SymbolKind::Constructor;
                let owner = if is_constructor { rx.owner_class(def)? } else { def };
                self.roots.contains(&owner).then_some(owner)
            })
        })
    }

    /// Lets a file import what goes from its new place.
    pub(super) fn ask(&mut self, file: FileId, root: GlobalDef, at: TextRange) {
        if file == self.to.id {
            return;
        }
        let path = self.to.path.clone();
        let like = self.ctx.pool.with(|rx| rx.shared_file(file));
        match self.binds(&like, root) {
            None => self.import(file, &like, root, &path, at),
            Some(true) => {}
            Some(false) => {
                self.refuse(
                    ConflictKind::Form,
                    "it is imported here as a type only, and used otherwise",
                    file,
                    at,
                );
            }
        }
    }

    /// Whether a file imports a declaration by its own name for every use, where it imports it at all: that import leads to
    /// the new place by itself.
    fn binds(&self, view: &FileView, root: GlobalDef) -> Option<bool> {
        self.ctx.pool.with(|rx| {
            let name = rx.shared_name(root);
            let is_it = |import: &&crate::facts::Import| {
                import.member.is_some()
                    && import.scope == ScopeId(0)
                    && import.def.is_some_and(|def| {
                        let meant = rx.through_imports(Resolution::def(view.global(def)));
                        view.def_name(def) == &*name && meant.defs().any(|def| def == root)
                    })
            };
            let found = view.imports.iter().find(is_it)?;
            Some(!found.flags.has(ImportFlags::TYPE_ONLY))
        })
    }

    /// Imports a declaration into a file from the module that lies at a path.
    pub(super) fn import(
        &mut self,
        file: FileId,
        like: &FileView,
        def: GlobalDef,
        module: &FilePath,
        at: TextRange,
    ) {
        let importer = if file == self.to.id { self.to.path.clone() } else { self.ctx.path(file) };
        let hides = self.ctx.pool.with(|rx| rx.policy_of(def).not_importable(rx, def)).is_some();
        let is_shown = hides && self.show_all(def);
        let stays = !self.is_carried(def);
        let statement = self.ctx.pool.with(|rx| {
            let is_default = stays && rx.has_flag(def, DefFlags::DEFAULT_EXPORT);
            if let Some(why) = rx.policy_of(def).not_importable(rx, def).filter(|_| !is_shown && !is_default)
            {
                return Err(format!("`{}` {why}", rx.shared_name(def)));
            }
            let module = rx.policy(like).module_name(rx, like, importer.as_str(), module.as_str())?;
            let statement = importers::statement(
                self.ctx,
                (like, &self.scene.view),
                self.row,
                &module,
                &rx.shared_name(def),
                rx.def(def).kind,
            );
            Ok(if is_default { statement.replacen("{ ", "", 1).replacen(" }", "", 1) } else { statement })
        });
        match statement {
            Ok(statement) => {
                self.imports.entry(file).or_default().add.insert(statement);
            }
            Err(message) => {
                let home = if file == self.to.id { self.scene.file } else { file };
                self.refuse(ConflictKind::Form, message, home, at);
            }
        }
    }

    /// The references to others in the moved text, and the changes inside of it.
    pub(super) fn moved_text(&mut self) -> Result<Vec<(TextRange, Vec<Piece>)>, QueryError> {
        let view = self.scene.view.clone();
        let mut inner: Vec<(TextRange, Vec<Piece>)> = Vec::new();
        let mut needed: BTreeSet<ImportId> = BTreeSet::new();
        let mut wanting: BTreeSet<ScopeId> = BTreeSet::new();
        for reference in view.ref_ids() {
            let r = *view.reference(reference);
            if !self.goes(view.id, r.range)
                || matches!(r.role, Role::Label)
                || r.role == Role::Key && r.receiver.is_some()
            {
                continue;
            }
            if r.role == Role::Import {
                inner.extend(importers::local_import(self, reference)?);
                continue;
            }
            if let Some(change) = importers::relative_root(self, &view, reference) {
                inner.push(change);
                continue;
            }
            if let Some(range) = importers::own_qualifier(self, &view, reference) {
                inner.push((range, Vec::new()));
                continue;
            }
            if r.receiver.is_some() {
                needed.extend(self.extension_import(&view, reference));
                continue;
            }
            if let Some(import) = self.bound_by(&view, reference) {
                needed.insert(import);
                continue;
            }
            if r.flags.has(RefFlags::IN_DOC) || r.role == Role::Key {
                continue;
            }
            if self.sibling(&view, reference) {
                wanting.extend(std::iter::successors(Some(r.scope), |scope| view.scope(*scope).parent));
            }
        }
        let stars = (0..view.imports.len() as u32).map(ImportId);
        // One in another module says nothing about these names.
        let is_star = |id: &ImportId| {
            let import = view.import(*id);
            import.kind == crate::facts::ImportKind::Star
                && wanting.contains(&import.scope)
                && !self.goes_import(*id)
        };
        if !wanting.is_empty() {
            let here = Target::Module(self.to.id);
            let is_own = |id: &ImportId| {
                self.ctx.pool.with(|rx| rx.policy(&view).import(rx, &view, *id).targets.contains(&here))
            };
            needed.extend(stars.filter(is_star).filter(|id| !is_own(id)));
        }
        needed.extend(importers::makers_of_elements(self, &view));
        importers::carry(self, &needed)?;
        self.switches(&view);
        inner.sort_by_key(|(range, _)| *range);
        inner.dedup_by_key(|(range, _)| *range);
        Ok(inner)
    }

    /// Statements that change how the file that holds them is read.
    fn switches(&mut self, view: &FileView) {
        let there = self.to.view.as_deref();
        let wanted = self.ctx.pool.with(|rx| scoping::switches_for(rx, view, &self.extents, there));
        match wanted {
            Ok(statements) => {
                self.imports.entry(self.to.id).or_default().add.extend(statements);
            }
            Err((message, at)) => self.refuse(ConflictKind::Form, message, view.id, at),
        }
    }

    /// Whether an import stands in the text that goes.
    fn goes_import(&self, id: ImportId) -> bool {
        let view = &self.scene.view;
        let import = view.import(id);
        let at = import.def.map(|def| view.def(def).name_range);
        let at = at.or_else(|| Some(view.reference(import.member.or(view.list(import.path).last())?).range));
        at.is_some_and(|at| self.goes(view.id, at))
    }

    /// The import at the top of the file by which a name is known in the text that goes.
    pub(super) fn bound_by(&self, view: &FileView, reference: RefId) -> Option<ImportId> {
        let name = view.ref_name(reference);
        let is_named = |id: &ImportId| {
            view.import(*id).def.is_some_and(|def| {
                let bound = view.def_name(def);
                bound == name || self.row.ignores_case && bound.eq_ignore_ascii_case(name)
            })
        };
        self.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(reference));
            let defs: Vec<GlobalDef> = resolved.resolution.defs().collect();
            let own = defs.iter().filter(|def| def.file == view.id);
            if let Some(import) = own.clone().find_map(|def| view.def(def.def).import) {
                return (!self.goes_import(import)).then_some(import);
            }
            if own.count() > 0 {
                return None;
            }
            let all = (0..view.imports.len() as u32).map(ImportId);
            let mut named = all.filter(is_named).filter(|id| !self.goes_import(*id));
            let first = named.clone().next();
            let same = |id: &ImportId| {
                let bound = view.import(*id).def.map(|def| view.global(def));
                let found = bound.map(|def| rx.through_imports(Resolution::def(def)));
                found.is_some_and(|found| found.targets == resolved.resolution.targets)
            };
            named.find(same).or(first)
        })
    }

    /// The import that lets a name behind an object mean what is declared outside of its type.
    fn extension_import(&self, view: &FileView, reference: RefId) -> Option<ImportId> {
        let import = self.bound_by(view, reference)?;
        self.ctx.pool.with(|rx| {
            let bound = view.global(view.import(import).def?);
            let imported = rx.through_imports(Resolution::def(bound));
            let resolved = rx.resolve(view.global_ref(reference));
            let mut meant = resolved.resolution.defs();
            let is_it = |def: GlobalDef| {
                rx.def(def).flags.has(DefFlags::EXTENSION) && imported.defs().any(|other| other == def)
            };
            meant.any(is_it).then_some(import)
        })
    }

    /// A name that the old file declares itself, or sees without naming it in an import; true where star imports may be
    /// why it does.
    fn sibling(&mut self, view: &Arc<FileView>, reference: RefId) -> bool {
        let r = *view.reference(reference);
        let ctx = self.ctx;
        let targets: Vec<Target> =
            ctx.pool.with(|rx| rx.resolve(view.global_ref(reference)).resolution.targets.to_vec());
        let mut wants_stars = targets.is_empty();
        for target in targets {
            let Target::Def(def) = target else {
                wants_stars |= matches!(target, Target::External(_));
                continue;
            };
            let (d, is_library) = ctx.pool.with(|rx| {
                let is_library = rx.world().file(def.file).source == SourceKind::Library;
                (rx.def(def).clone(), is_library)
            });
            if def.file != view.id || self.is_carried(def) {
                wants_stars |=
                    def.file != view.id && def.file != self.to.id && (!self.by_file || !is_library);
                continue;
            }
            if !self.by_file
                || d.flags.has(DefFlags::LOCAL)
                || ctx.pool.with(|rx| rx.member_owner(def)).is_some()
            {
                continue;
            }
            let writes = matches!(r.role, Role::Write | Role::ReadWrite);
            let is_rebound = self.row.copies_values
                && view.named_in_scope(d.scope, view.def_name(def.def)).len() > 1
                && d.kind == ide_model::SymbolKind::Variable;
            if writes && (self.row.copies_values || self.row.makes_module) || is_rebound {
                let message = format!("`{}` stays behind and gets new values", view.ref_name(reference));
                self.refuse(ConflictKind::Form, message, view.id, r.range);
                continue;
            }
            let like = self.to.view.clone().unwrap_or_else(|| view.clone());
            let home = ctx.path(view.id);
            self.left.push((def, reference));
            let is_there = self.to.view.as_deref().and_then(|there| self.binds(there, def));
            if is_there == Some(true) {
                continue;
            }
            self.import(self.to.id, &like, def, &home, r.range);
        }
        wants_stars
    }

    /// Names that only their own file, or module, may say, across the new border.
    pub(super) fn borders(&mut self) -> Result<(), QueryError> {
        let ctx = self.ctx;
        let mut files: BTreeSet<FileId> = self.importers.clone();
        files.insert(self.scene.file);
        files.extend(self.names.iter().flat_map(|name| ctx.pool.world().files_mentioning(name)));
        let ways = self.ways()?;
        self.restricted_visibilities();
        let mut found = Vec::new();
        for file in files {
            ctx.cx.check()?;
            let view = ctx.pool.with(|rx| rx.shared_file(file));
            if view.family() != self.scene.view.family() {
                continue;
            }
            for reference in view.ref_ids() {
                let r = view.reference(reference);
                let goes = self.goes(file, r.range);
                if !goes && r.flags.has(RefFlags::IN_DOC) {
                    continue;
                }
                if let Some(module) = (!goes).then(|| self.hidden_by(&ways, &view, reference)).flatten() {
                    let message = format!("the module `{module}` is not visible here");
                    self.refuse(ConflictKind::Meaning, message, file, r.range);
                    continue;
                }
                let hidden: Vec<GlobalDef> = ctx.pool.with(|rx| {
                    let resolved = rx.resolve(view.global_ref(reference));
                    let is_hidden = |def: &GlobalDef| {
                        let def = *def;
                        let d = rx.def(def);
                        let is_hidden = match d.visibility {
                            Some(Visibility::Private) => true,
                            // Its user has said that it may, for its own file.
                            Some(Visibility::Internal) => {
                                goes && rx.world().file(def.file).source == SourceKind::Library
                            }
                            _ => false,
                        };
                        // The items of a trait are seen with it.
                        let is_private = is_hidden
                            && !rx.is_of_trait(def)
                            && !d.flags.has(DefFlags::LOCAL)
                            && d.kind != ide_model::SymbolKind::Import;
                        let carried = self.is_carried(def);
                        if !is_private || carried == goes {
                            return false;
                        }
                        let (user, home) = if goes { (self.to.id, def.file) } else { (file, self.to.id) };
                        let known = self.to.view.is_some();
                        user != home
                            && !(known && rx.policy(&view).sees_private_of(rx, user, home))
                            && crate::query::hierarchy::overridden(rx, def).is_empty()
                    };
                    resolved.resolution.defs().filter(is_hidden).collect()
                });
                if hidden.into_iter().any(|def| !self.show(def)) {
                    found.push((file, r.range, view.ref_name(reference).to_owned()));
                }
            }
        }
        for (file, range, name) in found {
            let message = format!("`{name}` is private, and would be used from outside");
            self.refuse(ConflictKind::Meaning, message, file, range);
        }
        Ok(())
    }

    /// The modules on the way to the new place, each with the module all of whose code may say it.
    fn ways(&self) -> Result<Vec<(Arc<str>, ModulePath)>, QueryError> {
        let (ctx, mut ways) = (self.ctx, Vec::new());
        let mut at = self.to.id;
        while self.to.view.is_some() {
            let holder = ctx.pool.with(|rx| {
                let holders = rx.policy(&self.scene.view).declarations_of_module(rx, at);
                holders.first().map(|holder| (*holder, rx.shared_name(*holder)))
            });
            let Some((holder, name)) = holder.filter(|(holder, _)| holder.file != at) else { break };
            ways.extend(ctx.seen_within(holder)?.map(|seen| (name, seen)));
            at = holder.file;
        }
        Ok(ways)
    }

    /// The imports that only the text that goes needs.
    pub(super) fn drop_unneeded(&mut self) -> Result<(), QueryError> {
        let view = self.scene.view.clone();
        let text = self.scene.syntax.text.clone();
        let mut used: BTreeSet<ImportId> = BTreeSet::new();
        for reference in view.ref_ids().filter(|r| self.goes(view.id, view.reference(*r).range)) {
            used.extend(self.bound_by(&view, reference));
        }
        let gone =
            self.ctx.pool.with(|rx| imports::unneeded(rx, &view, self.row, &text, &self.extents, &used));
        if !gone.is_empty() {
            self.imports.entry(view.id).or_default().drop.extend(gone);
        }
        Ok(())
    }

    /// Whether nothing but the package and imports is left of the old file.
    fn leaves_nothing(&self) -> Result<bool, QueryError> {
        let text = self.scene.syntax.text.clone();
        let declarations = Declarations::read(self.ctx, self.scene.file, &text)?;
        let all = declarations.outermost().all;
        Ok(!self.by_file && all.iter().all(|range| self.extents.iter().any(|extent| extent.encloses(*range))))
    }

    fn write(
        mut self,
        mut inner: Vec<(TextRange, Vec<Piece>)>,
        title: &str,
    ) -> Result<Refactored, QueryError> {
        self.order_of_modules();
        let moment = self.moment()?;
        for (at, word) in std::mem::take(&mut self.shown) {
            let place = TextRange::new(at, at);
            match self.goes(self.scene.file, place) {
                true => inner.push((place, vec![Piece::new(word)])),
                false => self.draft.insert(self.scene.file, at, vec![Piece::new(word)]),
            }
        }
        inner.sort_by_key(|(range, _)| *range);
        let is_emptied = self.leaves_nothing()?;
        if !is_emptied {
            self.drop_unneeded()?;
            self.cut_out();
        }
        let head = self.write_imports()?;
        self.paste(&inner, &head, moment)?;
        self.prove(title, is_emptied)
    }

    /// Takes the text away from its old place.
    pub(super) fn cut_out(&mut self) {
        for extent in self.extents.clone() {
            self.draft.replace(self.scene.file, self.scene.paragraph(extent), Vec::new());
        }
    }

    /// Writes the changes of imports; gives back those of the file that is made.
    pub(super) fn write_imports(&mut self) -> Result<String, QueryError> {
        let mut head = String::new();
        for (file, change) in std::mem::take(&mut self.imports) {
            if file == CREATED {
                let mut lines: Vec<String> = change.add.into_iter().collect();
                lines.sort_by_key(|line| !line.starts_with("from __future__ "));
                head = lines.into_iter().map(|line| line + "\n").collect();
                continue;
            }
            for edit in imports::edits(self.ctx, file, &change)? {
                self.draft.replace(file, edit.range, vec![Piece::new(&*edit.text)]);
            }
            self.importers.insert(file);
        }
        Ok(head)
    }

    /// Holds what was drafted against the world that it leaves. `is_emptied` says that the old file goes.
    pub(super) fn prove(mut self, title: &str, is_emptied: bool) -> Result<Refactored, QueryError> {
        let ctx = self.ctx;
        let mut conflicts = std::mem::take(&mut self.conflicts);
        let (mut effect, _) = std::mem::take(&mut self.draft).finish(ctx, &mut conflicts)?;
        effect.imports = std::mem::take(&mut self.importers);
        effect.loses_links = true;
        if self.to.view.is_none() {
            effect.created.insert(CREATED, self.to.path.clone());
        }
        if is_emptied {
            effect.gone.insert(self.scene.file);
        }
        for extent in &self.extents {
            let removed = effect.removed.entry(self.scene.file).or_default();
            removed.push(*extent);
        }
        let (plan, rewrites) = write_up(ctx, title.to_owned(), &effect, &mut conflicts)?;
        let landmarks = self.landmarks(&effect);
        if conflicts.iter().any(|c| !c.kind.is_doubt()) {
            return Ok(Refactored { plan: EditPlan::new(title), conflicts, ..Refactored::default() });
        }
        let after = (ctx.scratch)(&rewrites)?;
        conflicts.extend(new_problem(ctx, &after, &rewrites));
        let check = Verification::new(ctx, after, &effect);
        let renamed = ctx.pool.with(|rx| members(rx, &self.roots));
        conflicts.extend(check.run(&self.names, &BTreeSet::from([self.scene.file]), &renamed)?);
        conflicts.dedup();
        Ok(Refactored { plan, conflicts, landmarks, ..Refactored::default() })
    }

    fn landmarks(&self, effect: &crate::refactor::verify::Effect) -> Vec<Landmark> {
        let landmark = |def: &GlobalDef| {
            let (d, name) = self.ctx.pool.with(|rx| (rx.def(*def).clone(), rx.shared_name(*def)));
            let copy = effect.copies.iter().find(|c| c.from == def.file && c.range.encloses(d.name_range))?;
            let offset = copy.at + (d.name_range.start - copy.range.start);
            let is_named = !d.name_range.is_empty() && d.kind != ide_model::SymbolKind::Impl;
            is_named.then(|| Landmark { file: self.to.path.clone(), offset, name: name.to_string() })
        };
        self.roots.first().and_then(landmark).into_iter().collect()
    }
}

/// Imports that the language does not allow, in files that did not have them.
fn new_problem(
    ctx: &RefactorContext<'_>,
    after: &crate::query::Resolvers,
    rewrites: &[Rewrite],
) -> Option<Conflict> {
    let touched = rewrites.iter().filter_map(|rewrite| rewrite.becomes.as_ref().map(|(path, _)| path));
    let mut problems = touched.filter_map(|path| {
        let of = |rx: &Resolver| {
            let id = rx.world().file_by_path(path.as_str());
            id.map_or_else(Vec::new, |id| rx.policy(rx.file(id)).import_problems(rx, id))
        };
        let (was, now) = (ctx.pool.with(of), after.with(of));
        now.into_iter().find(|problem| !was.contains(problem))
    });
    problems.next().map(|message| conflict(ConflictKind::Form, message, None))
}

/// Whether what stands before a name leads to a file, by its path or as a namespace.
pub(super) fn leads_to(shift: &Shift<'_>, view: &FileView, reference: RefId, file: FileId) -> bool {
    let resolved = shift.ctx.pool.with(|rx| rx.resolve(view.global_ref(reference)).resolution);
    resolved.targets.contains(&Target::Module(file))
}

/// The first and last name of what stands before a name.
pub(super) fn path_before(view: &FileView, reference: RefId) -> Option<(RefId, RefId)> {
    chain(view, reference)
}
