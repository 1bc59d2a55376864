//! The global declarations of installed packages, and the modules that they declare: the packages below `@types`,
//! those that `types` of a configuration names, and what they refer to (TypeScript's handbook, "What is a
//! tsconfig.json", on `types` and `typeRoots`).

use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use ide_model::{Family, SourceKind, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::packages::in_package;
use super::paths::Paths;
use super::policy::EcmaPolicy;
use crate::facts::{ImportKind, ScopeId};
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef};

/// Files of declarations are followed up to this many; what further ones declare is not known, as if not installed.
const MAX_FILES: usize = 2_000;

#[derive(Default)]
pub(super) struct Ambient {
    globals: FxHashMap<Box<str>, Vec<GlobalDef>>,
    /// The blocks `declare module "…"`, which are one module.
    modules: FxHashMap<Box<str>, Vec<GlobalDef>>,
    /// The files with `export as namespace …`.
    umd: FxHashMap<Box<str>, FileId>,
}

impl Ambient {
    pub(super) fn of(rx: &Resolver) -> Arc<Self> {
        /// The one of a world.
        struct Here(Arc<Ambient>);
        let here = rx.of_world(|rx| {
            let paths = Paths::of(rx);
            let mut hasher = FxHasher::default();
            for directory in paths.directories() {
                (directory, paths.types_named_in(directory)).hash(&mut hasher);
            }
            let memory = rx.world().library_memory(Family::Ecma);
            let read = || Self::read(rx, paths);
            Here(memory.map_or_else(|| Arc::new(read()), |memory| memory.kept(hasher.finish(), read)))
        });
        here.0.clone()
    }

    /// Declarations of a name of the global scope.
    pub(super) fn globals(&self, name: &str) -> &[GlobalDef] {
        self.globals.get(name).map_or(&[], Vec::as_slice)
    }

    /// The file that stands for a module which is no file: the first with a block of it.
    pub(super) fn module(&self, specifier: &str) -> Option<FileId> {
        self.blocks(specifier).first().map(|block| block.file)
    }

    /// The blocks that declare a module which is no file.
    pub(super) fn blocks(&self, specifier: &str) -> &[GlobalDef] {
        self.modules.get(specifier).map_or(&[], Vec::as_slice)
    }

    /// The module that scripts see under a global name.
    pub(super) fn umd(&self, name: &str) -> Option<FileId> {
        self.umd.get(name).copied()
    }

    /// Files of the project are left out: their declarations are found by name.
    fn read(rx: &Resolver, paths: &Paths) -> Self {
        let mut all = Self::default();
        let mut seen = FxHashSet::default();
        let mut queue = VecDeque::from(Self::entries(rx, paths));
        while let Some(file) = queue.pop_front().filter(|_| seen.len() < MAX_FILES) {
            if rx.world().file(file).source != SourceKind::Library || !seen.insert(file) {
                continue;
            }
            let home = rx.file(file);
            all.add(home);
            for import in home.imports.iter() {
                let found = paths.resolve(rx.world(), &home.path, home.name(import.module));
                let follows = |file: &FileId| {
                    import.kind == ImportKind::Directive
                        || rx.world().file(*file).path.as_str().contains("/@types/")
                };
                queue.extend(found.filter(follows));
            }
        }
        all
    }

    /// The files by which the packages are entered.
    fn entries(rx: &Resolver, paths: &Paths) -> Vec<FileId> {
        let world = rx.world();
        let directories = paths.directories();
        let places = directories.iter().map(|directory| match *directory {
            "" => "node_modules".to_owned(),
            directory => format!("{directory}/node_modules"),
        });
        let above = world.library_roots(Family::Ecma);
        let mut names = FxHashSet::default();
        let mut entries = Vec::new();
        for place in places.chain(above.iter().map(|root| root.path.to_string())) {
            let Some(types) = world.directory(&format!("{place}/@types")) else { continue };
            for package in types.directories {
                if names.insert(package.clone()) {
                    entries.extend(in_package(world, &format!("{place}/@types/{package}"), "", None, false));
                }
            }
        }
        for directory in directories {
            let from = format!("{directory}/tsconfig.json");
            let named = paths.types_named_in(directory).iter();
            entries.extend(named.filter_map(|name| paths.resolve(world, from.trim_start_matches('/'), name)));
        }
        entries
    }

    fn add(&mut self, home: &FileView) {
        let is_script = EcmaPolicy::is_script(home);
        for import in home.imports.iter().filter(|i| i.kind == ImportKind::UmdGlobal) {
            let name = import.exported_as.map_or("", |name| home.name(name));
            self.umd.entry(name.into()).or_insert(home.id);
        }
        let mut scopes = vec![ScopeId(0)];
        while let Some(scope) = scopes.pop() {
            let in_global = home.scope(scope).owner.is_some_and(|owner| home.def_name(owner) == "global");
            for def in home.all_in_scope(scope) {
                let d = home.def(*def);
                let name = home.def_name(*def);
                let is_block = scope == ScopeId(0) && d.kind == SymbolKind::Module || name == "global";
                if is_block {
                    scopes.extend(d.body);
                }
                if d.kind == SymbolKind::Module && is_script {
                    self.modules.entry(name.into()).or_default().push(home.global(*def));
                }
                let is_global = in_global || is_script && scope == ScopeId(0);
                if is_global && !is_block && d.kind != SymbolKind::Import {
                    self.globals.entry(name.into()).or_default().push(home.global(*def));
                }
            }
        }
    }
}
