//! Packages by the names that qualify what they declare, for code that is written anew.

use std::collections::BTreeSet;

use ide_model::{SourceKind, paths};

use super::packages::{Packages, STANDARD};
use super::policy::GoPolicy;
use crate::resolve::{FileView, Resolver};
use crate::world::FileId;

/// So many directories of the standard library are gone through.
const MAX_DIRECTORIES: usize = 2000;

/// The import path of the package that a qualifier means in code that is put into a file; `None` where the file has such a
/// name already. `like` are files in which it may be imported.
///
/// # Errors
/// Why it cannot be told.
pub(super) fn import_for(
    rx: &Resolver,
    file: &FileView,
    qualifier: &str,
    like: &[FileId],
) -> Result<Option<String>, String> {
    let declares = |def| file.def_name(def) == qualifier;
    if file.def_ids().any(declares)
        || GoPolicy::import_by_package_name(rx, file, qualifier).is_some()
        || GoPolicy::in_files(rx, &GoPolicy::siblings(rx, file), qualifier).is_some()
    {
        return Ok(None);
    }
    let sources = [
        like.iter().filter_map(|id| imported(rx, rx.file(*id), qualifier)).collect(),
        by_others(rx, qualifier),
        of_project(rx, qualifier),
        standard(rx, qualifier),
    ];
    let found: BTreeSet<String> = sources.into_iter().find(|paths| !paths.is_empty()).unwrap_or_default();
    let mut paths = found.into_iter();
    match (paths.next(), paths.next()) {
        (Some(path), None) => Ok(Some(path)),
        (Some(one), Some(other)) => {
            Err(format!("`{qualifier}` may be \"{one}\" or \"{other}\" in {}", file.path))
        }
        (None, _) => Err(format!("no package is known that `{qualifier}` could mean in {}", file.path)),
    }
}

/// The path that a file imports under a name, whatever else it is called.
fn imported(rx: &Resolver, file: &FileView, name: &str) -> Option<String> {
    let packages = Packages::of(rx);
    let import = file.imports.iter().find(|import| {
        let is_bound = import.def.is_some_and(|def| file.def_name(def) == name);
        let own = || {
            let directory = packages.directory(rx, file.name(import.module))?;
            packages.name_of(rx, &directory)
        };
        is_bound || own().is_some_and(|own| *own == *name)
    })?;
    Some(file.name(import.module).to_owned())
}

fn by_others(rx: &Resolver, name: &str) -> BTreeSet<String> {
    let files = rx.world().files_mentioning(name).into_iter();
    let own = files.filter(|id| {
        let entry = rx.world().file(*id);
        entry.source != SourceKind::Library && entry.language == Some(ide_model::Language::Go)
    });
    own.filter_map(|id| imported(rx, rx.file(id), name)).collect()
}

fn of_project(rx: &Resolver, name: &str) -> BTreeSet<String> {
    let packages = Packages::of(rx);
    let own = packages
        .directories()
        .filter(|directory| packages.name_of(rx, directory).as_deref() == Some(name) && name != "main");
    own.map(|directory| packages.import_path(directory)).collect()
}

/// Packages of the standard library whose paths end with a name.
fn standard(rx: &Resolver, name: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut todo = vec![STANDARD.to_owned()];
    let mut seen = 0;
    while let Some(directory) = todo.pop().filter(|_| seen < MAX_DIRECTORIES) {
        seen += 1;
        let Some(entries) = rx.world().directory(&directory) else { continue };
        let last = directory.rsplit('/').next().unwrap_or("");
        let path = directory.strip_prefix(STANDARD).unwrap_or("").trim_start_matches('/');
        let is_open = !path.split('/').any(|part| matches!(part, "internal" | "vendor" | "cmd"));
        if last == name && !entries.files.is_empty() && !path.is_empty() && is_open {
            found.insert(path.to_owned());
        }
        if is_open {
            let inner = entries.directories.iter().map(|inner| {
                let inner = inner.rsplit('/').next().unwrap_or(inner);
                paths::join(&directory, inner)
            });
            todo.extend(inner);
        }
    }
    found
}
