//! Classes and functions of packages that Composer installed, by the rules of its autoloader: PSR-4, PSR-0, class maps, and
//! files that are always loaded.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use serde_json::Value;

use ide_model::paths;

use crate::resolve::Resolver;
use crate::world::{FileId, World};

/// The content of a project's `vendor/composer`.
#[derive(Default)]
pub(super) struct Composer {
    /// Prefixes of namespaces with their directories, longest first.
    psr4: Vec<(String, String)>,
    psr0: Vec<(String, String)>,
    /// By the class's name in lower case.
    classes: FxHashMap<String, String>,
    /// Files that declare functions and constants.
    files: Vec<String>,
    known: Mutex<FxHashMap<Box<str>, Arc<[FileId]>>>,
}

impl Composer {
    pub(super) fn of(rx: &Resolver) -> &Self {
        rx.of_world(|rx| Self::read(rx.world()))
    }

    fn read(world: &dyn World) -> Self {
        let mut composer = Self::default();
        for path in world.configurations() {
            let Some(root) = path.strip_suffix("composer.json") else { continue };
            if !(root.is_empty() || root.ends_with('/')) {
                continue;
            }
            let at = format!("{root}vendor/composer");
            if let Some(list) = text(world, &format!("{at}/installed.json")) {
                composer.packages(&at, &list);
            }
            if let Some(map) = text(world, &format!("{at}/autoload_classmap.php")) {
                composer.class_map(&format!("{root}vendor"), &map);
            }
        }
        composer.psr4.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        composer
    }

    fn packages(&mut self, at: &str, list: &str) {
        // A list that cannot be read is one of no packages: the class map may still lead to them.
        let Ok(list) = serde_json::from_str::<Value>(list) else { return };
        let packages = list["packages"].as_array().or(list.as_array());
        for package in packages.into_iter().flatten() {
            let place = match (package["install-path"].as_str(), package["name"].as_str()) {
                (Some(path), _) => paths::normal(&format!("{at}/{path}")),
                (None, Some(name)) => paths::normal(&format!("{at}/../{name}")),
                (None, None) => continue,
            };
            let autoload = &package["autoload"];
            for (key, into) in [("psr-4", &mut self.psr4), ("psr-0", &mut self.psr0)] {
                for (prefix, directories) in autoload[key].as_object().into_iter().flatten() {
                    let one = directories.as_str().into_iter();
                    let all = directories.as_array().into_iter().flatten().filter_map(Value::as_str);
                    into.extend(
                        one.chain(all).map(|dir| (prefix.clone(), paths::normal(&format!("{place}/{dir}")))),
                    );
                }
            }
            let files = autoload["files"].as_array().into_iter().flatten().filter_map(Value::as_str);
            self.files.extend(files.map(|file| paths::normal(&format!("{place}/{file}"))));
        }
    }

    /// The lines `'Name' => $vendorDir . '/path',` of the file that the autoloader is made of.
    fn class_map(&mut self, vendor: &str, text: &str) {
        for line in text.lines() {
            let Some((name, place)) = line.trim().split_once(" => $vendorDir . '") else { continue };
            let name = name.trim_matches('\'').replace("\\\\", "\\").to_lowercase();
            let place = place.trim_end_matches("',");
            self.classes.insert(name, paths::normal(&format!("{vendor}{place}")));
        }
    }

    /// The files that may declare a class with this qualified name.
    pub(super) fn class_files(&self, rx: &Resolver, name: &str) -> Arc<[FileId]> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(name) {
            return found.clone();
        }
        let world = rx.world();
        let mut found: Vec<FileId> = Vec::new();
        let mut add = |path: &str| found.extend(world.file_by_path(path));
        if let Some(path) = self.classes.get(&name.to_lowercase()) {
            add(path);
        }
        for (prefix, directory) in &self.psr4 {
            if let Some(rest) = name.strip_prefix(prefix.as_str()) {
                add(&format!("{directory}/{}.php", rest.replace('\\', "/")));
            }
        }
        for (_, directory) in self.psr0.iter().filter(|(prefix, _)| name.starts_with(prefix.as_str())) {
            let (namespace, class) = name.rsplit_once('\\').unwrap_or(("", name));
            let namespace = if namespace.is_empty() {
                String::new()
            } else {
                format!("{}/", namespace.replace('\\', "/"))
            };
            add(&format!("{directory}/{namespace}{}.php", class.replace('_', "/")));
        }
        let found: Arc<[FileId]> = found.into();
        known().insert(name.into(), found.clone());
        found
    }

    /// The files that are always loaded and in which a name occurs.
    pub(super) fn files_with(&self, rx: &Resolver, name: &str) -> Vec<FileId> {
        let world = rx.world();
        let files = self.files.iter().filter_map(|path| world.file_by_path(path));
        files
            .filter(|file| matches!(world.library_text(*file), Some(Ok(text)) if text.contains(name)))
            .collect()
    }
}

fn text(world: &dyn World, path: &str) -> Option<Arc<str>> {
    world.library_text(world.file_by_path(path)?)?.ok()
}
