//! The facts that moving a module to another parent needs: the place of its declaration, and the visibility
//! of names.

use std::collections::BTreeMap;

use ide_model::{FilePath, SourceKind, SymbolKind, Visibility, paths};

use super::crates::{Crates, ModuleId, path_of};
use super::members::{container, trait_of};
use super::names::module_of;
use crate::facts::{DefFlags, ExprId, ScopeId};
use crate::resolve::{FileView, ModuleMove, ModulePath, ModulePlace, NewModule, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// See [`crate::resolve::Policy::module_move`].
///
/// # Errors
/// Why the file cannot lie there.
pub(super) fn module_move(rx: &Resolver, file: FileId, to: &FilePath) -> Result<ModuleMove, String> {
    let crates = Crates::of(rx);
    let path = rx.world().file(file).path.clone();
    let module = crates.of_file(file).ok_or_else(|| format!("no `mod` leads to {path}"))?;
    let declaration = match crates.declarations_of(file)[..] {
        [one] if crates.parent(module).is_some() => one,
        [_] | [] => return Err(format!("{path} is the root of a crate, or no `mod` leads to it")),
        _ => return Err(format!("several `mod` lines lead to {path}")),
    };
    if path_of(rx.file(declaration.file), declaration.def).is_some() {
        return Err(format!("`#[path]` leads to {path}"));
    }
    if crates.includes_unread(file) {
        return Err("its crate includes something that cannot be read: that may use the module".to_owned());
    }
    let (name, below) = named_by(crates, to)?;
    let parent = new_parent(rx, crates, module, paths::directory(&below))?;
    if crates.is_inside(parent, module) {
        let path = &rx.world().file(crates.module(parent).file).path;
        return Err(format!("{path} lies inside of the module that would move"));
    }
    for around in [crates.parent(module), Some(parent)].into_iter().flatten() {
        let mut chain = std::iter::successors(Some(around), |id| crates.parent(*id));
        if let Some(shared) = chain.find(|id| is_shared(rx, crates, *id)) {
            let shared = &rx.world().file(crates.module(shared).file).path;
            return Err(format!("several modules have the file {shared}"));
        }
    }
    let from = module_path(rx, crates, module);
    let mut target = module_path(rx, crates, parent);
    target.push(name);
    let files = files_below(rx, crates, module, &below, to)?;
    Ok(ModuleMove { declaration, from, to: target, parent: crates.module(parent).file, files })
}

/// See [`crate::lang::places::new_module`].
///
/// # Errors
/// Why no module can have its file there.
pub(in crate::lang) fn new_module(rx: &Resolver, from: FileId, to: &FilePath) -> Result<NewModule, String> {
    let crates = Crates::of(rx);
    let path = &rx.world().file(from).path;
    let module = crates.of_file(from).ok_or_else(|| format!("no `mod` leads to {path}"))?;
    let (name, below) = named_by(crates, to)?;
    let parent = new_parent(rx, crates, module, paths::directory(&below))?;
    let file = crates.module(parent).file;
    if is_shared(rx, crates, parent) {
        return Err(format!("several modules have the file {}", rx.world().file(file).path));
    }
    let view = rx.file(file);
    let mut is_declared = false;
    for def in view.named_in_scope(ScopeId(0), &name) {
        let d = view.def(*def);
        let is_line = d.kind == SymbolKind::Module && d.body.is_none();
        let is_free =
            is_line && path_of(view, *def).is_none() && crates.of_declaration(view.global(*def)).is_none();
        if !is_free && (d.kind.is_type() || matches!(d.kind, SymbolKind::Module | SymbolKind::Import)) {
            let parent = &rx.world().file(file).path;
            return Err(format!("{parent} has a `{name}` already"));
        }
        is_declared |= is_free;
    }
    Ok(NewModule { name, parent: file, is_declared, is_final: crates.is_final(module) })
}

/// The name of the module whose file lies at a path, and the directory of those below it.
fn named_by(crates: &Crates, to: &FilePath) -> Result<(String, String), String> {
    if matches!(to.file_name(), "lib.rs" | "main.rs") || crates.is_target(to.as_str()) {
        return Err(format!("{to} would be the root of a crate"));
    }
    let below = match to.file_name() {
        "mod.rs" => to.directory().to_owned(),
        _ => paths::join(to.directory(), to.stem()),
    };
    let name = below.rsplit('/').next().unwrap_or(&below).to_owned();
    Ok((name, below))
}

/// Whether several modules have the file of a module: lines that say so stand in more than one place.
fn is_shared(rx: &Resolver, crates: &Crates, module: ModuleId) -> bool {
    let declared = crates.declarations_of(crates.module(module).file);
    let homes = declared.iter().map(|def| module_of(rx, rx.file(def.file), rx.def(*def).scope));
    let mut homes: Vec<Option<ModuleId>> = homes.collect();
    homes.dedup();
    homes.len() > 1
}

/// The module of the same crate whose children lie in a directory.
fn new_parent(rx: &Resolver, crates: &Crates, module: ModuleId, directory: &str) -> Result<ModuleId, String> {
    let path = |id: ModuleId| rx.world().file(crates.module(id).file).path.clone();
    let shown = if directory.is_empty() { "the root" } else { directory };
    let has_file = |id: &ModuleId| crates.module(*id).inline.is_none();
    let (own, others): (Vec<ModuleId>, Vec<ModuleId>) =
        crates.in_directory(directory).partition(|id| crates.same_crate(*id, module));
    if let Some(found) = own.iter().copied().find(has_file) {
        return Ok(found);
    }
    if let Some(inline) = own.first() {
        return Err(format!(
            "the module of {shown} is written inside of {}: give it a file of its own first",
            path(*inline)
        ));
    }
    if let Some(other) = others.iter().copied().find(has_file) {
        let root = path(crates.root(other));
        return Err(format!("{shown} belongs to another crate ({root}), which would not see what it uses"));
    }
    let name = directory.rsplit('/').next().unwrap_or(directory);
    Err(format!(
        "no module has its files in {shown}: create {directory}.rs, and declare `mod {name};` where that belongs, first"
    ))
}

/// The new places of the files of a module and of those below it.
fn files_below(
    rx: &Resolver,
    crates: &Crates,
    module: ModuleId,
    below: &str,
    to: &FilePath,
) -> Result<BTreeMap<FileId, FilePath>, String> {
    let m = crates.module(module);
    let mut files = BTreeMap::new();
    for id in (0..rx.world().file_count()).map(FileId) {
        let entry = rx.world().file(id);
        let inside = entry.path.as_str().strip_prefix(&*m.directory).and_then(|rest| rest.strip_prefix('/'));
        let is_part = crates.of_file(id).is_some_and(|other| crates.is_inside(other, module));
        match inside {
            _ if id == m.file || entry.source == SourceKind::Library => {}
            Some(rest) => {
                if !is_part && crates.of_file(id).is_some_and(|other| crates.same_crate(other, module)) {
                    return Err(format!("{} lies below the module and belongs to another one", entry.path));
                }
                files.insert(id, FilePath::new(format!("{below}/{rest}")));
            }
            None if is_part => {
                return Err(format!("{} is part of the module and lies elsewhere", entry.path));
            }
            None => {}
        }
    }
    files.insert(m.file, to.clone());
    Ok(files)
}

/// The directory of the files of an inline module, where its name makes it.
pub(super) fn directory_of_inline(rx: &Resolver, def: GlobalDef) -> Option<String> {
    let crates = Crates::of(rx);
    let module = crates.module(crates.of_declaration(def)?);
    let is_named = module.directory.rsplit('/').next() == Some(rx.def_name(def));
    (module.inline == Some(def.def) && is_named).then(|| module.directory.clone())
}

fn module_path(rx: &Resolver, crates: &Crates, module: ModuleId) -> ModulePath {
    let mut path = crates.path(rx, module);
    path[0] = rx.world().file(crates.module(crates.root(module)).file).path.to_string();
    path
}

pub(super) fn place_of(rx: &Resolver, module: ModuleId) -> ModulePlace {
    let crates = Crates::of(rx);
    let m = crates.module(module);
    ModulePlace { path: module_path(rx, crates, module), file: m.file, scope: m.scope(rx.file(m.file)) }
}

pub(super) fn module_of_value(rx: &Resolver, file: &FileView, value: ExprId) -> Option<ModulePlace> {
    let crates = Crates::of(rx);
    let module = match rx.expr_type(file, value) {
        Ty::Module(file) => crates.of_file(file)?,
        Ty::Class(def, _) => crates.of_declaration(def)?,
        _ => return None,
    };
    Some(place_of(rx, module))
}

/// See [`crate::resolve::Policy::seen_within`].
pub(super) fn seen_within(rx: &Resolver, def: GlobalDef, text: &str) -> Option<ModulePath> {
    let view = rx.file(def.file);
    let d = view.def(def.def);
    let is_item = !matches!(
        d.kind,
        SymbolKind::Parameter
            | SymbolKind::Variable
            | SymbolKind::TypeParameter
            | SymbolKind::Label
            | SymbolKind::Macro
            | SymbolKind::EnumCase
            | SymbolKind::Impl
    );
    if !is_item || d.flags.has(DefFlags::LOCAL) {
        return None;
    }
    // An item of a trait or a variant is as visible as its owner.
    let belongs = |owner: GlobalDef| match rx.def(owner).kind {
        SymbolKind::Trait | SymbolKind::EnumCase | SymbolKind::Enum => true,
        SymbolKind::Impl => trait_of(rx, owner).is_some(),
        _ => false,
    };
    if container(rx, def).or_else(|| rx.owner_class(def)).is_some_and(belongs) {
        return None;
    }
    let home = place_of(rx, module_of(rx, view, d.scope)?).path;
    match d.visibility? {
        Visibility::Private => Some(home),
        Visibility::Public => None,
        _ => restricted(&home, text.get(..d.name_range.start as usize)?),
    }
}

/// The module to which the last `pub(…)` before a name restricts it.
fn restricted(home: &ModulePath, before: &str) -> Option<ModulePath> {
    let written = &before[before.rfind("pub")? + 3..];
    let inner = written.trim_start().strip_prefix('(')?.split(')').next()?.trim();
    let inner = inner.strip_prefix("in ").unwrap_or(inner).trim().trim_start_matches("::");
    let mut path = home.clone();
    for (i, word) in inner.split("::").map(str::trim).enumerate() {
        match word {
            "crate" => path.truncate(1),
            "self" => {}
            "super" => drop(path.pop()),
            name => {
                if i == 0 {
                    path.truncate(1);
                }
                path.push(name.to_owned());
            }
        }
    }
    Some(path)
}
