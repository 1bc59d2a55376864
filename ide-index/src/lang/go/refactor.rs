//! The facts that refactorings of Go need.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{FilePath, paths};

use super::packages::Packages;
use crate::facts::{ImportId, Role};
use crate::library::LIBRARY_SCHEME;
use crate::resolve::{FileView, PackagePlace, Resolver};
use crate::world::FileId;

/// C, and packages whose name is not that of their path, or not known.
pub(super) fn import_works_unnamed(rx: &Resolver, file: &FileView, id: ImportId) -> bool {
    let import = file.import(id);
    let path = file.name(import.module);
    let Some(def) = import.def else { return true };
    let is_named = file.def(def).name_range.end
        < file.list(import.path).last().map_or(0, |p| file.reference(p).range.start);
    if path == "C" {
        return true;
    }
    if is_named {
        return false;
    }
    let packages = Packages::of(rx);
    let plain = || {
        file.ref_ids().filter(|r| {
            let r = file.reference(*r);
            r.receiver.is_none() && !matches!(r.role, Role::Import | Role::Package | Role::Key | Role::Label)
        })
    };
    match packages.directory(rx, path).and_then(|directory| packages.name_of(rx, &directory)) {
        Some(name) => *name != *file.def_name(def) && plain().any(|r| file.ref_name(r) == &*name),
        None => plain().any(|r| rx.resolve(file.global_ref(r)).resolution.is_unknown()),
    }
}

/// The packages of a file before and after it moves.
///
/// # Errors
/// Why they cannot be told.
pub(super) fn packages_of_move(
    rx: &Resolver,
    file: &FileView,
    to: &FilePath,
) -> Result<(PackagePlace, PackagePlace), String> {
    let packages = Packages::of(rx);
    let own = file.package.map(|package| file.name(package)).ok_or("the file names no package")?;
    let (before, after) = (paths::directory(&file.path), paths::directory(to.as_str()));
    let place = |name: &str, directory: &str| PackagePlace {
        name: name.to_owned(),
        path: packages.import_path(directory),
        directory: directory.to_owned(),
    };
    let from = place(own, before);
    if before == after {
        return Ok((from.clone(), from));
    }
    let is_outside = own.ends_with("_test") && file.path.ends_with("_test.go");
    let known = packages.name_of(rx, after).map(|name| name.to_string());
    let last = after.rsplit('/').next().unwrap_or(after);
    let name = match known {
        Some(name) => name,
        None if last.chars().all(|c| c.is_alphanumeric() || c == '_') && !last.is_empty() => last.to_owned(),
        None => return Err(format!("no package can be called like the directory `{after}`")),
    };
    let name = if is_outside { format!("{}_test", name.trim_end_matches("_test")) } else { name };
    Ok((from, place(&name, after)))
}

/// Why the imports of a file are not allowed: its package is imported by what it imports, is a program, or lies in the
/// inside of another tree.
pub(super) fn import_problem(rx: &Resolver, file: FileId) -> Option<String> {
    let packages = Packages::of(rx);
    let view = rx.file(file);
    let home = paths::directory(&view.path);
    let name = view.package.map_or("", |package| view.name(package));
    let own = packages.import_path(home);
    for import in &view.imports {
        let path = view.name(import.module);
        let Some(directory) = packages.directory(rx, path) else { continue };
        if directory.starts_with(LIBRARY_SCHEME) {
            continue;
        }
        if packages.name_of(rx, &directory).as_deref() == Some("main") {
            return Some(format!("`{path}` is a program and cannot be imported"));
        }
        if let Some(outer) = path.split("/internal").next().filter(|outer| *outer != path)
            && !own.starts_with(outer)
        {
            return Some(format!("`{path}` is internal to `{outer}`"));
        }
    }
    if name.ends_with("_test") {
        return None;
    }
    let mut seen: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut todo: Vec<FileId> = vec![file];
    while let Some(next) = todo.pop() {
        let view = rx.file(next);
        for import in &view.imports {
            let Some(directory) = packages.directory(rx, view.name(import.module)) else { continue };
            if &*directory == home {
                return Some(format!("the package `{own}` would import itself through others"));
            }
            if !directory.starts_with(LIBRARY_SCHEME) && seen.insert(directory.clone()) {
                todo.extend(&*packages.imported(rx, &directory));
            }
        }
    }
    None
}
