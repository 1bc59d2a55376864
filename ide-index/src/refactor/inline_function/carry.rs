//! The additions that names of a body need to mean the same in another file: imports, and the type of a
//! static member.

use std::collections::BTreeSet;

use ide_model::{Family, SymbolKind, TextRange};

use super::super::imports::{ImportChange, single};
use super::super::scene::{Refused, Scene};
use super::super::tree::NodeId;
use super::Function;
use crate::facts::{DefFlags, ImportId, RefFlags, RefId, Role};
use crate::lang::imports::imports;
use crate::resolve::{FileView, Target};

/// Code that goes to another file.
pub(in crate::refactor) struct Carried<'a> {
    pub(in crate::refactor) home: &'a Scene<'a>,
    pub(in crate::refactor) parts: Vec<TextRange>,
}

impl Carried<'_> {
    /// The imports that the code needs in a file.
    pub(in crate::refactor) fn imports(&self, scene: &Scene<'_>, change: &mut ImportChange) {
        if scene.file == self.home.file {
            return;
        }
        for name in self.plain_names() {
            let word = self.home.view.ref_name(name);
            // A declaration of the name there is reported as a conflict later.
            if scene.view.def_ids().any(|def| scene.view.def_name(def) == word) {
                continue;
            }
            if let Some(import) = self.import_of(word) {
                change.add.extend(self.statement(scene, import));
                continue;
            }
            change.add.extend(self.of_package(scene, name));
        }
    }

    /// Names that stand for themselves.
    fn plain_names(&self) -> Vec<RefId> {
        let view = &self.home.view;
        let is_plain = |id: &RefId| {
            let r = view.reference(*id);
            r.receiver.is_none() && !r.flags.has(RefFlags::IN_DOC)
        };
        let there = self.parts.iter().flat_map(|part| view.by_place().refs.within(*part));
        let plain: BTreeSet<RefId> = there.filter(is_plain).collect();
        plain.into_iter().collect()
    }

    fn import_of(&self, word: &str) -> Option<ImportId> {
        let view = &self.home.view;
        let binds = |id: &ImportId| view.import(*id).def.is_some_and(|def| view.def_name(def) == word);
        (0..view.imports.len() as u32).map(ImportId).find(binds)
    }

    /// An import of the home of the function as the file of a call writes it.
    fn statement(&self, scene: &Scene<'_>, import: ImportId) -> Option<String> {
        let view = &self.home.view;
        let row = imports(view.language())?;
        let statement = single(view, row, &self.home.syntax.text, import)?;
        let folder = |view: &FileView| view.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let is_near = view.import(import).level > 0 || view.name(view.import(import).module).starts_with('.');
        if row.separator == "::" {
            return None;
        }
        if !is_near || folder(view) == folder(&scene.view) {
            return Some(statement);
        }
        let quote = statement.chars().rev().find(|c| matches!(c, '"' | '\''))?;
        let path = view.name(view.import(import).module);
        let new = rebased(&folder(view), path, &folder(&scene.view))?;
        let (old, new) = (format!("{quote}{path}{quote}"), format!("{quote}{new}{quote}"));
        statement.contains(&old).then(|| statement.replacen(&old, &new, 1))
    }

    /// The import of a type that needs none in its own package.
    fn of_package(&self, scene: &Scene<'_>, name: RefId) -> Option<String> {
        let view = &self.home.view;
        if view.family() != Family::Jvm {
            return None;
        }
        self.home.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(name));
            let mut defs = resolved.resolution.defs();
            let mut def = defs.next()?;
            if rx.def(def).kind == SymbolKind::Constructor {
                def = rx.member_owner(def)?;
            } else if defs.next().is_some() {
                return None;
            }
            let home = rx.file(def.file);
            let d = rx.def(def);
            let package = home.package.map(|package| home.name(package).to_owned())?;
            let there = scene.view.package.map(|package| scene.view.name(package).to_owned());
            let is_top = rx.member_owner(def).is_none() && d.kind.is_type() && !d.flags.has(DefFlags::LOCAL);
            (is_top && there.as_ref() != Some(&package))
                .then(|| format!("import {package}.{}{}", home.def_name(def.def), scene.syntax.shape.end))
        })
    }
}

impl<'a> Function<'a> {
    fn carried_code(&self) -> Carried<'a> {
        let types = self.params.iter().filter_map(|param| param.ty);
        Carried { home: self.home, parts: types.chain([self.body.range(&self.home.syntax)]).collect() }
    }

    /// The imports that the body needs in the file of a call.
    pub(super) fn carried(&self, scene: &Scene<'_>, change: &mut ImportChange) {
        self.carried_code().imports(scene, change);
    }

    /// A name of the body must not be the name of a variable of the caller.
    pub(super) fn check_shadows(&self, scene: &Scene<'_>, call: NodeId) -> Result<(), Refused> {
        let Some(member) = scene.syntax.member_of(call) else { return Ok(()) };
        let (around, view) = (scene.syntax.range(member), &self.home.view);
        let locals = scene.view.by_place().names.within(around).filter(|def| {
            let d = scene.view.def(*def);
            d.flags.has(DefFlags::LOCAL) && d.kind != SymbolKind::Label
        });
        let words: Vec<&str> = locals.map(|def| scene.view.def_name(def)).collect();
        let own = self.home.syntax.range(self.node);
        let is_other = |id: &RefId| {
            words.contains(&view.ref_name(*id))
                && !matches!(view.reference(*id).role, Role::Key | Role::Label)
                && self.home.ctx.pool.with(|rx| {
                    let resolved = rx.resolve(view.global_ref(*id));
                    let is_outer = |target: &Target| match target {
                        Target::Def(def) => {
                            let d = rx.def(*def);
                            // A local that both see is the same for both.
                            let is_shared = d.flags.has(DefFlags::LOCAL) && d.kind != SymbolKind::Import;
                            !(is_shared || def.file == self.home.file && own.encloses(d.name_range))
                        }
                        _ => true,
                    };
                    resolved.resolution.targets.iter().any(is_outer)
                })
        };
        let sigil = scene.syntax.shape.sigil;
        match self.carried_code().plain_names().into_iter().filter(|_| sigil.is_empty()).find(is_other) {
            Some(name) => {
                let message = format!("`{}` means something else here", view.ref_name(name));
                scene.form(message, scene.syntax.range(call))
            }
            None => Ok(()),
        }
    }

    /// Static members that are named by themselves, with the type before whose dot they stand in another type.
    pub(super) fn owners(&self, scene: &Scene<'_>) -> Vec<(TextRange, String)> {
        if scene.file == self.home.file || !scene.syntax.shape.declare.contains("{type}") {
            return Vec::new();
        }
        let (view, code) = (&self.home.view, self.carried_code());
        let owner = |name: RefId| {
            self.home.ctx.pool.with(|rx| {
                let resolved = rx.resolve(view.global_ref(name));
                let mut defs = resolved.resolution.defs();
                let def = defs.next().filter(|_| defs.next().is_none())?;
                let d = rx.def(def);
                let owner = rx.member_owner(def).filter(|owner| rx.member_owner(*owner).is_none())?;
                let is_static = d.flags.has(DefFlags::STATIC) && !d.kind.is_type();
                // An import may name it already.
                let is_imported = code.import_of(view.ref_name(name)).is_some();
                (is_static && !is_imported).then(|| rx.shared_name(owner).to_string())
            })
        };
        let found = code.plain_names().into_iter().filter_map(|name| {
            let at = view.reference(name).range;
            Some((TextRange::new(at.start, at.start), owner(name)?))
        });
        found.collect()
    }
}

/// A path that begins at one folder as it is written in another one.
fn rebased(from: &str, path: &str, to: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    let there: Vec<&str> = to.split('/').filter(|part| !part.is_empty()).collect();
    let shared = parts.iter().zip(&there).take_while(|(a, b)| a == b).count();
    let up = "../".repeat(there.len() - shared);
    let down = parts[shared..].join("/");
    Some(if up.is_empty() { format!("./{down}") } else { format!("{up}{down}") })
}
