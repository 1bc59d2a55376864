//! Go's packages and modules: import paths to directories, files to packages.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ide_model::{Family, Language, paths};
use rustc_hash::FxHashMap;

use crate::check::is_misspelt;
use crate::kit::scan;
use crate::library::LIBRARY_SCHEME;
use crate::resolve::Resolver;
use crate::world::{FileId, RootKind};

/// The directory of the standard library's declarations.
pub(super) const STANDARD: &str = "lib://go!/std";

/// Files of one directory by package name, production before test, ordered.
type Named = BTreeMap<Arc<str>, Vec<FileId>>;

/// A module that others require, and where its files are.
struct Required {
    path: String,
    place: Place,
}

enum Place {
    /// A directory of the project, by `replace`.
    Directory(String),
    /// Below the module cache: path and version, as directories are called there.
    Cached(String),
}

/// The directories of packages, derived from `go.mod` files and directories once per world.
pub(super) struct Packages {
    /// Module path and directory (`""` is the root), longest directory first.
    modules: Vec<(String, String)>,
    /// Modules that those require, longest path first.
    required: Vec<Required>,
    /// Directories of libraries: the language's own, the cache of modules.
    standard: Option<Arc<str>>,
    cache: Option<Arc<str>>,
    by_directory: FxHashMap<Arc<str>, Arc<Named>>,
    /// Directories of libraries, as far as they were asked for.
    of_libraries: Mutex<FxHashMap<Box<str>, Arc<Named>>>,
    /// The meanings of import paths, and the names that importers of a directory see, as far as it was asked
    /// for.
    directories: Mutex<FxHashMap<Box<str>, Option<Arc<str>>>>,
    imported: Mutex<FxHashMap<Box<str>, Arc<[FileId]>>>,
    standard_paths: OnceLock<Vec<String>>,
}

/// Directories of the standard library that are looked at for packages.
const MOST_STANDARD: usize = 1_000;

impl Packages {
    pub(super) fn of(rx: &Resolver) -> &Self {
        rx.of_world(Self::read)
    }

    fn read(rx: &Resolver) -> Self {
        let world = rx.world();
        let mut modules: Vec<(String, String)> = Vec::new();
        let mut required: Vec<Required> = Vec::new();
        for path in world.configurations() {
            if path.rsplit('/').next() != Some("go.mod") {
                continue;
            }
            let text = world.configuration(&path);
            let module = text.as_deref().and_then(module_path);
            // The paths of the standard library's own packages do not begin with its name.
            let module = module.map(|module| if module == "std" { "" } else { module });
            modules.extend(module.map(|module| (module.to_owned(), paths::directory(&path).to_owned())));
            required.extend(
                text.as_deref().map(|text| requirements(text, paths::directory(&path))).unwrap_or_default(),
            );
        }
        required.sort_by_key(|module| std::cmp::Reverse(module.path.len()));
        let roots = world.library_roots(Family::Go);
        let root = |kind| roots.iter().find(|root| root.kind == kind).map(|root| root.path.clone());
        let (standard, cache) = (root(RootKind::Standard), root(RootKind::Cache));
        modules.sort_by_key(|(_, directory)| std::cmp::Reverse(directory.len()));
        let mut by_directory: FxHashMap<Arc<str>, Named> = FxHashMap::default();
        for id in (0..world.file_count()).map(FileId) {
            let entry = world.file(id);
            if entry.language != Some(Language::Go) {
                continue;
            }
            let Some(package) = world.package(id) else { continue };
            let directory = paths::directory(entry.path.as_str());
            by_directory.entry(directory.into()).or_default().entry(package).or_default().push(id);
        }
        let by_directory = by_directory.into_iter().map(|(dir, named)| (dir, Arc::new(named))).collect();
        Self {
            modules,
            required,
            standard,
            cache,
            by_directory,
            of_libraries: Mutex::default(),
            directories: Mutex::default(),
            imported: Mutex::default(),
            standard_paths: OnceLock::new(),
        }
    }

    /// The import paths of the standard library's packages that programs may import.
    pub(super) fn standard_paths(&self, rx: &Resolver) -> &[String] {
        self.standard_paths.get_or_init(|| {
            let root = self.standard.as_deref().unwrap_or(STANDARD);
            let (mut open, mut found) = (vec![String::new()], Vec::new());
            while let Some(path) = open.pop().filter(|_| found.len() < MOST_STANDARD) {
                let Some(directory) = rx.world().directory(&paths::join(root, &path)) else { continue };
                let is_hidden =
                    |name: &str| matches!(name, "internal" | "vendor" | "testdata" | "cmd" | "builtin");
                let below = directory.directories.iter().filter(|name| !is_hidden(name));
                open.extend(below.map(|name| paths::join(&path, name)));
                if !path.is_empty() && !directory.files.is_empty() {
                    found.push(path);
                }
            }
            found
        })
    }

    /// Whether an import path leads nowhere and is nearly one of the standard library, which alone may begin with no domain. Modules
    /// of the project and those that they require may have any path.
    pub(super) fn is_misspelt(&self, rx: &Resolver, path: &str) -> bool {
        let first = |path: &str| path.split('/').next().unwrap_or("").to_owned();
        let claimed = self.modules.iter().map(|(module, _)| module);
        let mut claimed = claimed.chain(self.required.iter().map(|module| &module.path));
        !self.modules.is_empty()
            && !first(path).contains('.')
            && !claimed.any(|module| module.is_empty() || first(module) == first(path))
            && self.directory(rx, path).is_none()
            && self.standard_paths(rx).iter().any(|known| is_misspelt(path, known))
    }

    /// The packages of a directory.
    fn named(&self, rx: &Resolver, directory: &str) -> Option<Arc<Named>> {
        if let Some(named) = self.by_directory.get(directory) {
            return Some(named.clone());
        }
        if !self.is_library(directory) {
            return None;
        }
        if let Some(named) = locked(&self.of_libraries).get(directory) {
            return Some(named.clone());
        }
        let mut named = Named::new();
        for id in rx.world().directory(directory)?.files {
            if rx.world().file(id).path.as_str().ends_with("_test.go") {
                continue;
            }
            if let Some(package) = package_of(rx, id) {
                named.entry(package).or_default().push(id);
            }
        }
        let named = Arc::new(named);
        locked(&self.of_libraries).insert(directory.into(), named.clone());
        Some(named)
    }

    /// Directories of the project that hold packages.
    pub(super) fn directories(&self) -> impl Iterator<Item = &str> {
        self.by_directory.keys().map(|directory| &**directory).filter(|directory| !self.is_library(directory))
    }

    fn is_library(&self, directory: &str) -> bool {
        let below =
            |root: &Option<Arc<str>>| root.as_ref().is_some_and(|root| directory.starts_with(&**root));
        directory.starts_with(LIBRARY_SCHEME)
            || below(&self.standard)
            || below(&self.cache)
            || directory.split('/').any(|part| part == "vendor")
    }

    /// A directory with files of a library.
    fn in_library(rx: &Resolver, directory: String) -> Option<Arc<str>> {
        let found = rx.world().directory(&directory)?;
        (!found.files.is_empty()).then(|| directory.into())
    }

    /// The directory of a package of a module that is required: vendored, replaced, or cached.
    fn required_directory(&self, rx: &Resolver, path: &str) -> Option<Arc<str>> {
        for required in &self.required {
            let Some(rest) = path.strip_prefix(required.path.as_str()) else { continue };
            if !rest.is_empty() && !rest.starts_with('/') {
                continue;
            }
            let rest = rest.trim_start_matches('/');
            match &required.place {
                Place::Directory(directory) => {
                    let key = paths::join(directory, rest);
                    if let Some((key, _)) = self.by_directory.get_key_value(&*key) {
                        return Some(key.clone());
                    }
                }
                Place::Cached(module) => {
                    let root = self.cache.as_ref()?;
                    if let Some(found) = Self::in_library(rx, paths::join(&format!("{root}/{module}"), rest))
                    {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// The directory that an import path means: below the module that claims it, of the standard library, vendored, or
    /// (without any `go.mod`) the directory that the path ends with.
    pub(super) fn directory(&self, rx: &Resolver, path: &str) -> Option<Arc<str>> {
        if let Some(known) = locked(&self.directories).get(path) {
            return known.clone();
        }
        let found = self.find_directory(rx, path);
        locked(&self.directories).insert(path.into(), found.clone());
        found
    }

    fn find_directory(&self, rx: &Resolver, path: &str) -> Option<Arc<str>> {
        let known =
            |directory: String| self.by_directory.get_key_value(&*directory).map(|(key, _)| key.clone());
        for (module, directory) in &self.modules {
            let Some(rest) = path.strip_prefix(module.as_str()) else { continue };
            let rest = match rest.strip_prefix('/') {
                Some(rest) => rest,
                None if rest.is_empty() || module.is_empty() => rest,
                None => continue,
            };
            if let Some(found) = known(paths::join(directory, rest)) {
                return Some(found);
            }
        }
        // The installation that is there is the one that builds.
        let standard = [self.standard.as_deref(), Some(STANDARD)].into_iter().flatten();
        if let Some(found) = standard.filter_map(|root| Self::in_library(rx, paths::join(root, path))).next()
        {
            return Some(found);
        }
        let roots = self.modules.iter().map(|(_, directory)| directory.as_str()).chain([""]);
        for root in roots {
            let vendored = paths::join(&paths::join(root, "vendor"), path);
            if let Some(found) = known(vendored.clone()).or_else(|| Self::in_library(rx, vendored)) {
                return Some(found);
            }
        }
        if let Some(found) = self.required_directory(rx, path) {
            return Some(found);
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
        let below = |root: &Option<Arc<str>>| {
            let rest = directory.strip_prefix(&**root.as_ref()?)?;
            Some(rest.trim_start_matches('/').to_owned())
        };
        if let Some(path) = below(&self.standard) {
            return path;
        }
        if let Some(path) = below(&self.cache) {
            return unescaped(&path);
        }
        if let Some((_, path)) = directory.rsplit_once("vendor/").filter(|_| self.is_library(directory)) {
            return path.to_owned();
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
                return paths::join(module, rest);
            }
        }
        directory.to_owned()
    }

    /// Files of the package that an importer of the directory sees: not the tests of the package, not its `_test` twin.
    pub(super) fn imported(&self, rx: &Resolver, directory: &str) -> Arc<[FileId]> {
        if let Some(known) = locked(&self.imported).get(directory) {
            return known.clone();
        }
        let found: Arc<[FileId]> = self.find_imported(rx, directory).into();
        locked(&self.imported).insert(directory.into(), found.clone());
        found
    }

    /// Files of the package of a directory, its tests among them.
    pub(super) fn with_tests(&self, rx: &Resolver, directory: &str) -> Vec<FileId> {
        let Some(packages) = self.named(rx, directory) else { return Vec::new() };
        let own = packages.iter().filter(|(name, _)| !name.ends_with("_test"));
        own.flat_map(|(_, files)| files.iter().copied()).collect()
    }

    fn find_imported(&self, rx: &Resolver, directory: &str) -> Vec<FileId> {
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
    pub(super) fn name_of(&self, rx: &Resolver, directory: &str) -> Option<Arc<str>> {
        let packages = self.named(rx, directory)?;
        // A program beside a package is left out of builds: `//go:build ignore`.
        let mut names = packages.keys().filter(|name| !name.ends_with("_test"));
        let main = names.clone().find(|name| ***name == *"main");
        names.find(|name| ***name != *"main").or(main).or_else(|| packages.keys().next()).cloned()
    }

    /// Files of one package: the same directory and the same name.
    pub(super) fn siblings(&self, rx: &Resolver, path: &str, package: &str) -> Vec<FileId> {
        self.named(rx, paths::directory(path)).and_then(|p| p.get(package).cloned()).unwrap_or_default()
    }
}

/// The package that a file declares. Of libraries nothing else is read: a package may have hundreds of files, one for each
/// system.
fn package_of(rx: &Resolver, file: FileId) -> Option<Arc<str>> {
    let clause = |text: Option<Result<Arc<str>, String>>| package_clause(&text?.ok()?).map(Arc::from);
    let named = clause(rx.world().library_head(file));
    named.or_else(|| clause(rx.world().library_text(file))).or_else(|| rx.world().package(file))
}

/// The name in the clause with which a file begins, behind comments; `None` for a file that begins otherwise.
fn package_clause(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    while let Some(comment) = rest.strip_prefix('/') {
        let (_, behind) = match comment.as_bytes().first()? {
            b'/' => comment.split_once('\n')?,
            b'*' => comment[1..].split_once("*/")?,
            _ => return None,
        };
        rest = behind.trim_start();
    }
    let named = rest.strip_prefix("package")?;
    let name = named.trim_start_matches([' ', '\t']);
    let end = scan::word(name, 0, false);
    (name.len() < named.len() && end > 0).then(|| &name[..end])
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The requirements of a `go.mod`, with its replacements.
fn requirements(text: &str, directory: &str) -> Vec<Required> {
    let mut required: Vec<(String, String)> = Vec::new();
    let mut replaced: Vec<(String, String, Option<String>)> = Vec::new();
    let mut block = String::new();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or(line).trim();
        if line == ")" {
            block.clear();
            continue;
        }
        if let Some(head) = line.strip_suffix('(') {
            head.trim().clone_into(&mut block);
            continue;
        }
        let mut words = line.split_whitespace().map(|word| word.trim_matches('"'));
        let kind = if block.is_empty() { words.next().unwrap_or("") } else { block.as_str() };
        let words: Vec<&str> = words.collect();
        match (kind, &words[..]) {
            ("require", [path, version, ..]) => required.push(((*path).to_owned(), (*version).to_owned())),
            ("replace", [path, rest @ ..]) => {
                if let Some(at) = rest.iter().position(|word| *word == "=>")
                    && let Some(target) = rest.get(at + 1)
                {
                    let version = rest.get(at + 2).map(|version| (*version).to_owned());
                    replaced.push(((*path).to_owned(), (*target).to_owned(), version));
                }
            }
            _ => {}
        }
    }
    let place = |path: &str, version: &str| match replaced.iter().find(|(from, ..)| from == path) {
        Some((_, target, Some(version))) => Place::Cached(format!("{}@{version}", escaped(target))),
        Some((_, target, None)) => Place::Directory(paths::normal(&paths::join(directory, target))),
        None => Place::Cached(format!("{}@{}", escaped(path), escaped(version))),
    };
    required.into_iter().map(|(path, version)| Required { place: place(&path, &version), path }).collect()
}

/// A path as the module cache spells it, for disks that take no notice of case.
fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if c.is_ascii_uppercase() {
            out.push('!');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// The import path of a directory of the module cache: capitals again, without the version.
fn unescaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        match c {
            '!' => out.extend(chars.next().map(|c| c.to_ascii_uppercase())),
            c => out.push(c),
        }
    }
    match out.split_once('@') {
        Some((module, rest)) => paths::join(module, rest.split_once('/').map_or("", |(_, inside)| inside)),
        None => out,
    }
}

/// The path in the `module` line.
fn module_path(text: &str) -> Option<&str> {
    text.lines()
        .map(|line| line.split("//").next().unwrap_or(line).trim())
        .find_map(|line| line.strip_prefix("module").filter(|rest| rest.starts_with([' ', '\t', '"'])))
        .map(|rest| rest.trim().trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::package_clause;

    #[test]
    fn the_package_is_told_by_the_head_of_a_file() {
        for (text, expected) in [
            ("package a", Some("a")),
            ("// Copyright\n\n//go:build ignore\n\npackage main\nimport \"os\"\n", Some("main")),
            ("/* package b */ /**/\r\npackage\tc // package d\n", Some("c")),
            ("// only a comment", None),
            ("/* open\npackage a\n", None),
            ("packaged a", None),
            ("package 1", None),
            ("import \"a\"\npackage a", None),
            ("", None),
        ] {
            assert_eq!(package_clause(text), expected, "{text}");
        }
    }
}
