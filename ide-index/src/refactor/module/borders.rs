//! Visibility across the border of a module that moves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ide_model::{ConflictKind, QueryError, SymbolKind, TextRange};

use super::moving::Moving;
use crate::facts::{
    DefFlags, DefId, ImportFlags, ImportId, ImportKind, RefFlags, RefId, Role, ScopeKind, TypeExpr, TypeId,
};
use crate::resolve::{FileView, Resolution, Resolver, Target};
use crate::world::{FileId, GlobalDef};

impl Moving<'_> {
    pub(super) fn borders(&mut self) -> Result<(), QueryError> {
        if self.old_parent() == self.new_parent() {
            return Ok(());
        }
        let hidden = self.hidden_members()?;
        for file in self.carried_files() {
            self.ctx.cx.check()?;
            let view = self.view(file);
            for reference in view.written_refs() {
                self.outward(&view, reference, &hidden)?;
            }
            self.stars(&view)?;
        }
        self.inward()
    }

    /// Whether the module can no longer say what only the code of a module around it may.
    fn is_lost(&self, def: GlobalDef) -> Result<bool, QueryError> {
        let seen = self.ctx.seen_within(def)?;
        Ok(seen.is_some_and(|seen| self.way.from.starts_with(&seen) && !self.way.to.starts_with(&seen)))
    }

    /// Members of types around the module that it can no longer say.
    fn hidden_members(&self) -> Result<BTreeSet<Arc<str>>, QueryError> {
        let mut names = BTreeSet::new();
        for file in self.files() {
            let view = self.view(file);
            let Some(path) = self.module_at(&view, crate::facts::ScopeId(0)) else { continue };
            let is_left = self.way.from.starts_with(&path) && !self.way.to.starts_with(&path);
            if !is_left || self.moves(file) {
                continue;
            }
            for def in view.def_ids().map(|def| view.global(def)) {
                let is_member = self.ctx.pool.with(|rx| rx.member_owner(def).is_some());
                if is_member && self.is_lost(def)? {
                    names.insert(self.ctx.pool.with(|rx| rx.shared_name(def)));
                }
            }
        }
        Ok(names)
    }

    /// The uses of the surroundings in the module.
    fn outward(
        &mut self,
        view: &Arc<FileView>,
        reference: RefId,
        hidden: &BTreeSet<Arc<str>>,
    ) -> Result<(), QueryError> {
        let r = *view.reference(reference);
        if r.role == Role::Label {
            return Ok(());
        }
        let name = view.ref_name(reference).to_owned();
        let (targets, is_certain) = self.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(reference));
            (resolved.resolution.targets.clone(), resolved.resolution.confidence.is_certain())
        });
        if r.receiver.is_some() && (!is_certain || targets.is_empty()) && hidden.contains(name.as_str()) {
            let message = format!("this `{name}` may be one that is private to a module around");
            self.refuse(ConflictKind::Unresolved, message, view.id, r.range);
        }
        for target in &targets {
            let defs: Vec<GlobalDef> = match target {
                Target::Def(def) => vec![*def],
                Target::Module(file) => {
                    self.ctx.pool.with(|rx| rx.policy(view).declarations_of_module(rx, *file))
                }
                _ => Vec::new(),
            };
            for def in defs {
                if self.moves(def.file) || def == self.way.declaration {
                    continue;
                }
                if self.is_lost(def)? {
                    let home = self.ctx.path(def.file);
                    let message = format!("`{name}` is private in {home}, and would be used from outside");
                    self.refuse(ConflictKind::Meaning, message, view.id, r.range);
                } else if let Some(field) = self.hidden_field(view, def, reference)? {
                    let message = format!("the field `{field}` of `{name}` is private to its module");
                    self.refuse(ConflictKind::Meaning, message, view.id, r.range);
                }
            }
        }
        self.through_private_import(view, reference, &name)
    }

    /// A field without which a value of a type can be neither made nor taken apart.
    fn hidden_field(
        &self,
        user: &FileView,
        def: GlobalDef,
        reference: RefId,
    ) -> Result<Option<Arc<str>>, QueryError> {
        let r = user.reference(reference);
        let d = self.ctx.pool.with(|rx| rx.def(def).clone());
        let is_value = !matches!(
            r.role,
            Role::Type | Role::Import | Role::Extends | Role::Implements | Role::Annotation | Role::Package
        ) && !r.flags.has(RefFlags::TYPE_ONLY);
        let is_it = |ty: TypeId| matches!(user.ty(ty), TypeExpr::Named { name, .. } if name == reference);
        let has_self = || -> Result<bool, QueryError> {
            let mut implementations = user.defs.iter().filter(|def| def.kind == SymbolKind::Impl);
            let text = (self.ctx.text)(user.id)?;
            let makes_self = ["Self(", "Self {"].iter().any(|word| text.text.contains(word));
            Ok(makes_self && implementations.any(|def| def.ty.is_some_and(is_it)))
        };
        if d.kind != SymbolKind::Struct || !is_value && !has_self()? {
            return Ok(None);
        }
        let view = self.view(def.file);
        for field in d.body.into_iter().flat_map(|body| view.all_in_scope(body)) {
            let field = view.global(*field);
            let is_field = self.ctx.pool.with(|rx| rx.def(field).kind == SymbolKind::Field);
            if is_field && self.is_lost(field)? {
                return Ok(Some(self.ctx.pool.with(|rx| rx.shared_name(field))));
            }
        }
        Ok(None)
    }

    /// A name that a module around imports for itself only.
    fn through_private_import(
        &mut self,
        view: &FileView,
        reference: RefId,
        name: &str,
    ) -> Result<(), QueryError> {
        let r = *view.reference(reference);
        let Some(receiver) = r.receiver else { return Ok(()) };
        let imports: Vec<GlobalDef> = self.ctx.pool.with(|rx| {
            let Some(place) = rx.policy(view).module_of_value(rx, view, receiver) else {
                return Vec::new();
            };
            let there = rx.file(place.file);
            let named = there.named_in_scope(place.scope, name).iter().map(|def| there.global(*def));
            named.collect()
        });
        let is_import = |def: &GlobalDef| self.ctx.pool.with(|rx| rx.def(*def).kind == SymbolKind::Import);
        if imports.is_empty() || !imports.iter().all(is_import) {
            return Ok(());
        }
        for def in imports {
            if !self.moves(def.file) && self.is_lost(def)? {
                let home = self.ctx.path(def.file);
                let message = format!("`{name}` is what {home} imports for itself only");
                self.refuse(ConflictKind::Meaning, message, view.id, r.range);
            }
        }
        Ok(())
    }

    /// A glob of a module around took its private imports along; those of traits need no name to be used.
    fn stars(&mut self, view: &FileView) -> Result<(), QueryError> {
        let all = (0..view.imports.len() as u32).map(ImportId);
        for star in all.filter(|id| view.import(*id).kind == ImportKind::Star) {
            let Some((file, path)) = self.module_of_star(view, star) else { continue };
            let is_left = self.way.from.starts_with(&path) && !self.way.to.starts_with(&path);
            if !is_left || self.moves(file) {
                continue;
            }
            let there = self.view(file);
            let at = view.scope(view.import(star).scope).range;
            let mut exported = self.ctx.pool.with(|rx| exported_by(rx, &there, view));
            for def in there.def_ids().filter(|def| there.def(*def).kind == SymbolKind::Trait) {
                if is_lent(&there, def, view) && self.is_lost(there.global(def))? {
                    exported.push(there.def_name(def).to_owned());
                }
            }
            for name in exported {
                let message =
                    format!("`{name}` came with the glob of a module around, which has it for itself only");
                self.refuse(ConflictKind::Unresolved, message, view.id, at);
            }
        }
        Ok(())
    }

    /// The uses of the module by others when only its parent sees it: all of the crate sees it afterwards.
    fn inward(&mut self) -> Result<(), QueryError> {
        let mut sought: BTreeMap<GlobalDef, TextRange> = BTreeMap::new();
        for file in self.carried_files() {
            let view = self.view(file);
            let text = (self.ctx.text)(file)?;
            for def in view.def_ids().map(|def| view.global(def)) {
                let before = &text.text[..view.def(def.def).name_range.start as usize];
                let Some(at) = before.rfind("pub").filter(|at| before[*at..].starts_with(OF_PARENT)) else {
                    continue;
                };
                if self.ctx.seen_within(def)?.as_deref() == Some(self.old_parent()) {
                    sought.insert(def, TextRange::new(at as u32, (at + OF_PARENT.len()) as u32));
                }
            }
        }
        let names: BTreeSet<Arc<str>> =
            self.ctx.pool.with(|rx| sought.keys().map(|def| rx.shared_name(*def)).collect());
        let mut wider: BTreeSet<(FileId, TextRange)> = BTreeSet::new();
        for file in self.files() {
            if names.is_empty() || self.moves(file) {
                continue;
            }
            self.ctx.cx.check()?;
            let view = self.view(file);
            for reference in view.ref_ids().filter(|r| names.contains(view.ref_name(*r))) {
                let r = *view.reference(reference);
                let user = self.module_at(&view, r.scope).unwrap_or_default();
                if user.starts_with(self.new_parent()) {
                    continue;
                }
                let (meant, is_certain) = self.ctx.pool.with(|rx| {
                    let resolved = rx.resolve(view.global_ref(reference));
                    let meant: Vec<GlobalDef> =
                        resolved.resolution.defs().filter(|def| sought.contains_key(def)).collect();
                    (meant, resolved.resolution.confidence.is_certain())
                });
                wider.extend(meant.iter().map(|def| (def.file, sought[def])));
                if meant.is_empty()
                    && !is_certain
                    && r.receiver.is_some()
                    && user.starts_with(self.old_parent())
                {
                    let message = format!(
                        "this `{}` may be one that only the module around its own sees",
                        view.ref_name(reference)
                    );
                    self.refuse(ConflictKind::Unresolved, message, file, r.range);
                }
            }
        }
        for (file, range) in wider {
            self.replace(file, range, "pub(crate)");
        }
        Ok(())
    }
}

/// How a declaration says that it is seen from the module around its own.
const OF_PARENT: &str = "pub(super)";

fn is_named(user: &FileView, name: &str) -> bool {
    user.ref_ids().any(|r| user.ref_name(r) == name)
}

/// Whether a declaration is a trait, and a file says a name that is one of its members'.
fn is_lent(home: &FileView, def: DefId, user: &FileView) -> bool {
    let d = home.def(def);
    let mut members = d.body.into_iter().flat_map(|body| home.all_in_scope(body));
    d.kind == SymbolKind::Trait && members.any(|member| is_named(user, home.def_name(*member)))
}

/// Names of traits that a file imports for itself and another one may use without saying them.
fn exported_by(rx: &Resolver, there: &FileView, user: &FileView) -> Vec<String> {
    let named = |name: &str| is_named(user, name);
    let mut exported = Vec::new();
    for import in &there.imports {
        if import.kind == ImportKind::Star && !import.flags.has(ImportFlags::EXPORTED) {
            let is_at_top = there.scope(import.scope).kind == ScopeKind::File;
            exported.extend(is_at_top.then(|| format!("{}::*", there.name(import.module))));
            continue;
        }
        let Some(def) = import.def.filter(|_| !import.flags.has(ImportFlags::EXPORTED)) else { continue };
        let name = there.def_name(def);
        let found = rx.through_imports(Resolution::def(there.global(def)));
        let is_lent = found.targets.iter().any(|target| match target {
            Target::Def(def) => is_lent(rx.file(def.file), def.def, user),
            Target::External(_) => {
                name.starts_with(char::is_uppercase) && !named(name) && !is_type_of_value(there, name)
            }
            _ => false,
        });
        if is_lent && !there.has_flag(def, DefFlags::LOCAL) {
            exported.push(name.to_owned());
        }
    }
    exported
}

/// Whether a field or variable of a file is of the type with this name, so that it is no trait.
fn is_type_of_value(file: &FileView, name: &str) -> bool {
    let is_value = |kind: SymbolKind| {
        matches!(
            kind,
            SymbolKind::Field | SymbolKind::Parameter | SymbolKind::Variable | SymbolKind::TypeAlias
        )
    };
    let mut values = file.defs.iter().filter(|def| is_value(def.kind)).filter_map(|def| def.ty);
    values.any(|ty| matches!(file.ty(ty), TypeExpr::Named { name: of, .. } if file.ref_name(of) == name))
}
