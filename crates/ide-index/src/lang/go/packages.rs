//! Go's packages and modules: import paths to directories, files to packages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::Language;
use rustc_hash::FxHashMap;

use crate::library::LIBRARY_SCHEME;
use crate::resolve::Resolver;
use crate::world::FileId;

/// Where the declarations of the standard library lie.
const STANDARD: &str = "lib://go/std";

/// Files of one directory by package name, production before test, ordered.
type Named = BTreeMap<Box<str>, Vec<FileId>>;

/// Where packages lie, derived from `go.mod` files and directories once per world.
pub(super) struct Packages {
    /// Module path and directory (`""` is the root), longest directory first.
    modules: Vec<(String, String)>,
    by_directory: FxHashMap<Arc<str>, Arc<Named>>,
    /// Directories of libraries, as far as they were asked for.
    of_libraries: Mutex<FxHashMap<Box<str>, Arc<Named>>>,
}

impl Packages {
    pub(super) fn of(rx: &Resolver) -> Arc<Self> {
        rx.extension(Self::read)
    }

    fn read(rx: &Resolver) -> Self {
        let world = rx.world();
        let mut modules: Vec<(String, String)> = Vec::new();
        for path in world.configurations() {
            if path.rsplit('/').next() != Some("go.mod") {
                continue;
            }
            let text = world.configuration(&path);
            let module = text.as_deref().and_then(module_path);
            modules.extend(module.map(|module| (module.to_owned(), directory_of(&path).to_owned())));
        }
        modules.sort_by_key(|(_, directory)| std::cmp::Reverse(directory.len()));
        let mut by_directory: FxHashMap<Arc<str>, Named> = FxHashMap::default();
        for id in (0..world.file_count()).map(FileId) {
            let entry = world.file(id);
            if entry.language != Some(Language::Go) {
                continue;
            }
            let facts = world.facts(id);
            let Some(package) = facts.package else { continue };
            let directory = directory_of(entry.path.as_str());
            let packages = by_directory.entry(directory.into()).or_default();
            packages.entry(facts.name(package).into()).or_default().push(id);
        }
        let by_directory = by_directory.into_iter().map(|(dir, named)| (dir, Arc::new(named))).collect();
        Self { modules, by_directory, of_libraries: Mutex::default() }
    }

    /// The packages of a directory.
    fn named(&self, rx: &Resolver, directory: &str) -> Option<Arc<Named>> {
        if !directory.starts_with(LIBRARY_SCHEME) {
            return self.by_directory.get(directory).cloned();
        }
        let known = || self.of_libraries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(named) = known().get(directory) {
            return Some(named.clone());
        }
        let mut named = Named::new();
        for id in rx.world().directory(directory)?.files {
            let facts = rx.world().facts(id);
            if let Some(package) = facts.package {
                named.entry(facts.name(package).into()).or_default().push(id);
            }
        }
        let named = Arc::new(named);
        known().insert(directory.into(), named.clone());
        Some(named)
    }

    /// The directory that an import path means: below the module that claims it, of the standard library, vendored, or
    /// (without any `go.mod`) the directory that the path ends with.
    pub(super) fn directory(&self, rx: &Resolver, path: &str) -> Option<Arc<str>> {
        let known =
            |directory: String| self.by_directory.get_key_value(&*directory).map(|(key, _)| key.clone());
        for (module, directory) in &self.modules {
            let Some(rest) = path.strip_prefix(module.as_str()) else { continue };
            let rest = match rest.strip_prefix('/') {
                Some(rest) => rest,
                None if rest.is_empty() => "",
                None => continue,
            };
            if let Some(found) = known(join(directory, rest)) {
                return Some(found);
            }
        }
        let standard = join(STANDARD, path);
        if rx.world().directory(&standard).is_some_and(|found| !found.files.is_empty()) {
            return Some(standard.into());
        }
        let roots = self.modules.iter().map(|(_, directory)| directory.as_str()).chain([""]);
        for root in roots {
            if let Some(found) = known(join(&join(root, "vendor"), path)) {
                return Some(found);
            }
        }
        if !self.modules.is_empty() {
            return None;
        }
        let is_suffix = |directory: &str| {
            !directory.is_empty() && path.strip_suffix(directory).is_some_and(|head| head.ends_with('/'))
        };
        let mut suffixes: Vec<&Arc<str>> = self.by_directory.keys().filter(|d| is_suffix(d)).collect();
        suffixes.sort_by_key(|d| std::cmp::Reverse(d.len()));
        suffixes.first().map(|d| (*d).clone())
    }

    /// The import path of a directory.
    pub(super) fn import_path(&self, directory: &str) -> String {
        if let Some(path) = directory.strip_prefix(STANDARD) {
            return path.trim_start_matches('/').to_owned();
        }
        for (module, root) in &self.modules {
            let rest = if root.is_empty() {
                Some(directory)
            } else if directory == root {
                Some("")
            } else {
                directory.strip_prefix(root.as_str()).and_then(|rest| rest.strip_prefix('/'))
            };
            if let Some(rest) = rest {
                return join(module, rest);
            }
        }
        directory.to_owned()
    }

    /// Files of the package that an importer of the directory sees: not the tests of the package, not its `_test` twin.
    pub(super) fn imported(&self, rx: &Resolver, directory: &str) -> Vec<FileId> {
        let Some(packages) = self.named(rx, directory) else { return Vec::new() };
        let outside: Vec<FileId> = packages
            .iter()
            .filter(|(name, _)| !name.ends_with("_test") && (packages.len() == 1 || &***name != "main"))
            .flat_map(|(_, files)| files.iter().copied())
            .filter(|id| !rx.world().file(*id).path.as_str().ends_with("_test.go"))
            .collect();
        if outside.is_empty() { packages.values().flatten().copied().collect() } else { outside }
    }

    /// The name that the package in a directory gives itself.
    pub(super) fn name_of(&self, rx: &Resolver, directory: &str) -> Option<Box<str>> {
        let packages = self.named(rx, directory)?;
        packages.keys().find(|n| !n.ends_with("_test")).or_else(|| packages.keys().next()).cloned()
    }

    /// Files of one package: the same directory and the same name.
    pub(super) fn siblings(&self, rx: &Resolver, path: &str, package: &str) -> Vec<FileId> {
        self.named(rx, directory_of(path)).and_then(|p| p.get(package).cloned()).unwrap_or_default()
    }
}

pub(super) fn directory_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

fn join(directory: &str, rest: &str) -> String {
    match (directory.is_empty(), rest.is_empty()) {
        (true, _) => rest.to_owned(),
        (_, true) => directory.to_owned(),
        _ => format!("{directory}/{rest}"),
    }
}

/// The path in the `module` line.
fn module_path(text: &str) -> Option<&str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(line).trim())
        .find_map(|line| line.strip_prefix("module").filter(|rest| rest.starts_with([' ', '\t', '"'])))
        .map(|rest| rest.trim().trim_matches('"'))
}
