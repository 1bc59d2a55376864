//! Packages, crates and their module trees, from `Cargo.toml` files and `mod` declarations.

use std::any::Any;
use std::collections::VecDeque;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

use ide_model::{Language, SymbolKind, paths};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use semver::Version;
use smallvec::{SmallVec, smallvec};
use toml::{Table, Value};

use super::conditions;
use super::dependencies::{self, Dependencies, Dependency};
use crate::facts::{DefFlags, DefId, Expr, FileFacts, ScopeId};
use crate::impl_sites::DeclaredModule;
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef, World, is_configuration};

/// A module: a file, or the braces of an inline one, and what is included there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ModuleId(u32);

pub(super) struct Module {
    pub(super) file: FileId,
    pub(super) parent: Option<ModuleId>,
    /// The declaration of an inline module.
    pub(super) inline: Option<DefId>,
    /// Files whose items belong to it too.
    pub(super) included: Vec<FileId>,
    /// The directory of the modules below it.
    pub(super) directory: String,
    krate: usize,
}

impl Module {
    /// The scope of what it declares in its own file.
    pub(super) fn scope(&self, facts: &FileFacts) -> ScopeId {
        self.inline.and_then(|def| facts.defs.get(def.index())?.body).unwrap_or(ScopeId(0))
    }
}

/// A dependency, or another crate of the same package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Extern {
    /// A crate of the world, by its root.
    Local(ModuleId),
    /// A crate that is not, by its name.
    Foreign(Arc<str>),
}

struct Krate {
    root: ModuleId,
    package: Option<PackageId>,
    /// A program, test or example: no other crate can name what it has.
    is_final: bool,
}

/// A package, by its number among [`Crates::packages`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PackageId(u32);

/// The package that a file belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Home {
    package: PackageId,
    /// Other packages cannot name what the file has.
    is_final: bool,
}

/// A module's place for the declarations of others, while crates are read.
struct Body {
    module: ModuleId,
    file: FileId,
    /// The module with braces.
    inline: Option<DefId>,
    /// The directory of the modules below it.
    directory: String,
    /// The directory of the file.
    here: String,
}

struct Package {
    directory: String,
    name: String,
    library_name: String,
    version: Option<Version>,
    dependencies: Dependencies,
    is_edition_2015: bool,
    /// Features that are on by default; `None` when the package says nothing of features.
    features: Option<Arc<[String]>>,
    /// Features that packages ask for which depend on it.
    asked: Arc<[String]>,
    library: Option<ModuleId>,
    /// A bit for each package that it depends on, itself included, once asked for.
    reached: OnceLock<Box<[u64]>>,
}

/// All crates of a world.
#[derive(Default)]
pub(super) struct Crates {
    packages: Vec<Package>,
    /// Packages by their names: several when there are several versions.
    named: FxHashMap<String, Vec<PackageId>>,
    /// Packages by their directories.
    directories: FxHashMap<String, PackageId>,
    krates: Vec<Krate>,
    modules: Vec<Module>,
    files: FxHashMap<FileId, ModuleId>,
    /// Modules by their declarations, inline or not.
    declared: FxHashMap<GlobalDef, ModuleId>,
    /// Crates that include something which is not read as Rust, with the files; `None` for one that is not there.
    unread: FxHashMap<usize, Vec<Option<FileId>>>,
}

/// Directories of a package in which each file is the root of a crate.
const FOUND_IN: [&str; 4] = ["src/bin", "tests", "examples", "benches"];

/// The reason against changes in a crate that includes what is not read.
pub(super) const UNREAD: &str =
    "belongs to a crate that includes something that cannot be read: that may use it";

/// The files that are not read as Rust and that the crate of a file includes, where all of them are there.
pub(in crate::lang) fn unread_files(rx: &Resolver, file: FileId) -> Option<Vec<FileId>> {
    Crates::of(rx).unread_files(file)
}

/// Crates that come with the compiler.
pub(super) const STANDARD: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

impl Crates {
    pub(super) fn of(rx: &Resolver) -> &Self {
        lasting(rx, |_| {}, Self::read)
    }

    pub(super) fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }

    /// The bodies of a module, which hold its items: its own scope, then the files that it includes.
    pub(super) fn bodies<'r>(
        &self,
        rx: &'r Resolver,
        id: ModuleId,
    ) -> SmallVec<[(&'r FileView, ScopeId); 1]> {
        let m = self.module(id);
        let own = rx.file(m.file);
        let scope = m.scope(own);
        let included = m.included.iter().map(|file| (rx.file(*file), ScopeId(0)));
        std::iter::once((own, scope)).chain(included).collect()
    }

    /// The module that a file is, or that includes it.
    pub(super) fn of_file(&self, file: FileId) -> Option<ModuleId> {
        self.files.get(&file).copied()
    }

    /// Whether the crate of a file includes something that is not read, which may use what the file declares.
    pub(super) fn includes_unread(&self, file: FileId) -> bool {
        self.unread(file).is_some()
    }

    fn unread(&self, file: FileId) -> Option<&Vec<Option<FileId>>> {
        self.of_file(file).and_then(|module| self.unread.get(&self.module(module).krate))
    }

    /// The files that are not read and that the crate of a file includes, where all of them are there.
    pub(super) fn unread_files(&self, file: FileId) -> Option<Vec<FileId>> {
        self.unread(file)?.iter().copied().collect()
    }

    /// The module that a `mod` declares.
    pub(super) fn of_declaration(&self, def: GlobalDef) -> Option<ModuleId> {
        self.declared.get(&def).copied()
    }

    /// The `mod` declarations that lead to a file, ordered.
    pub(super) fn declarations_of(&self, file: FileId) -> Vec<GlobalDef> {
        let leads = |id: &ModuleId| {
            let module = self.module(*id);
            module.file == file && module.inline.is_none()
        };
        let mut found: Vec<GlobalDef> =
            self.declared.iter().filter(|(_, id)| leads(id)).map(|(def, _)| *def).collect();
        found.sort_unstable();
        found
    }

    /// The modules whose children have their files in a directory.
    pub(super) fn in_directory<'c>(&'c self, directory: &'c str) -> impl Iterator<Item = ModuleId> + 'c {
        let all = (0..self.modules.len() as u32).map(ModuleId);
        all.filter(move |id| self.module(*id).directory == directory)
    }

    pub(super) fn parent(&self, module: ModuleId) -> Option<ModuleId> {
        self.module(module).parent
    }

    pub(super) fn root(&self, module: ModuleId) -> ModuleId {
        self.krates[self.module(module).krate].root
    }

    /// Whether no other crate can name what the crate of a module has.
    pub(super) fn is_final(&self, module: ModuleId) -> bool {
        self.krates[self.module(module).krate].is_final
    }

    /// Whether cargo finds a crate of its own at a path, in the directories that it looks into.
    pub(super) fn is_target(&self, path: &str) -> bool {
        self.directories.keys().any(|package| {
            let inside = if package.is_empty() { Some(path) } else { path.strip_prefix(&**package) };
            let inside = inside.map(|inside| inside.trim_start_matches('/'));
            inside.is_some_and(|inside| FOUND_IN.contains(&paths::directory(inside)) || inside == "build.rs")
        })
    }

    pub(super) fn same_crate(&self, a: ModuleId, b: ModuleId) -> bool {
        self.module(a).krate == self.module(b).krate
    }

    /// The module is `ancestor`, or lies inside of it.
    pub(super) fn is_inside(&self, module: ModuleId, ancestor: ModuleId) -> bool {
        std::iter::successors(Some(module), |m| self.parent(*m)).any(|m| m == ancestor)
    }

    /// Names from the crate's root, the crate's own name first.
    pub(super) fn path(&self, rx: &Resolver, module: ModuleId) -> Vec<String> {
        let mut path: Vec<String> =
            std::iter::successors(Some(module), |m| self.parent(*m)).map(|m| self.name(rx, m)).collect();
        path.reverse();
        path
    }

    fn name(&self, rx: &Resolver, module: ModuleId) -> String {
        let m = self.module(module);
        if let Some(def) = m.inline {
            return rx.file(m.file).def_name(def).to_owned();
        }
        let path = rx.world().file(m.file).path.clone();
        if m.parent.is_some() {
            let by_decl = self.declared.iter().find(|(_, id)| **id == module);
            return by_decl.map_or_else(
                || paths::stem(path.as_str()).to_owned(),
                |(def, _)| rx.def_name(*def).to_owned(),
            );
        }
        match self.package(module) {
            Some(p) if p.library == Some(module) => p.library_name.clone(),
            Some(p) if path.as_str().ends_with("src/main.rs") => identifier(&p.name),
            _ => identifier(paths::stem(path.as_str())),
        }
    }

    pub(super) fn is_edition_2015(&self, module: ModuleId) -> bool {
        self.package(module).is_some_and(|p| p.is_edition_2015)
    }

    fn package(&self, module: ModuleId) -> Option<&Package> {
        self.krates[self.module(module).krate].package.map(|id| &self.packages[id.0 as usize])
    }

    /// The package that a file's crate belongs to.
    pub(super) fn home(&self, file: FileId) -> Option<Home> {
        let krate = &self.krates[self.module(self.of_file(file)?).krate];
        Some(Home { package: krate.package?, is_final: krate.is_final })
    }

    /// The files that may use what some others have, in order; `None` when any may.
    pub(super) fn files_seeing(&self, world: &dyn World, others: &[FileId]) -> Option<Vec<FileId>> {
        let homes = others.iter().map(|file| self.home(*file)).collect::<Option<FxHashSet<_>>>()?;
        let sees: Vec<bool> = (0..self.packages.len() as u32)
            .map(|from| homes.iter().any(|home| self.package_sees(PackageId(from), *home)))
            .collect();
        if sees.iter().all(|sees| *sees) {
            return None;
        }
        let may_use = |file: &FileId| {
            world.file(*file).language == Some(Language::Rust)
                && self.home(*file).is_none_or(|from| sees[from.package.0 as usize])
        };
        Some((0..world.file_count()).map(FileId).filter(may_use).collect())
    }

    /// Whether code of a package may use what another has: whether it depends on it, however indirectly. So may, and may be
    /// used, what belongs to none.
    pub(super) fn sees(&self, from: Option<Home>, other: Option<Home>) -> bool {
        from.zip(other).is_none_or(|(from, other)| self.package_sees(from.package, other))
    }

    fn package_sees(&self, from: PackageId, other: Home) -> bool {
        let Home { package: PackageId(package), is_final } = other;
        let reached = || self.packages[from.0 as usize].reached.get_or_init(|| self.reached_from(from));
        from.0 == package || !is_final && reached()[package as usize / 64] >> (package % 64) & 1 != 0
    }

    fn reached_from(&self, start: PackageId) -> Box<[u64]> {
        let mut reached = vec![0_u64; self.packages.len().div_ceil(64)];
        let mut todo = vec![start];
        while let Some(id) = todo.pop() {
            let (word, bit) = (&mut reached[id.0 as usize / 64], 1 << (id.0 % 64));
            if *word & bit == 0 {
                *word |= bit;
                let all = self.packages[id.0 as usize].dependencies.values();
                let used = all.filter(|dependency| dependency.is_passed_on || id == start);
                todo.extend(used.flat_map(|dependency| self.meant(dependency)));
            }
        }
        reached.into()
    }

    /// The packages that a dependency may be, the likeliest first.
    fn meant(&self, dependency: &Dependency) -> SmallVec<[PackageId; 1]> {
        let package = |id: &PackageId| &self.packages[id.0 as usize];
        let at = dependency.directory.as_ref().and_then(|directory| self.directories.get(directory));
        if let Some(id) = at.filter(|id| package(id).name == dependency.package) {
            return smallvec![*id];
        }
        let named = self.named.get(&dependency.package).map_or(&[][..], Vec::as_slice);
        let fits = |id: &&PackageId| dependency.fits(package(id).version.as_ref());
        let mut fitting: SmallVec<[PackageId; 1]> = named.iter().filter(fits).copied().collect();
        if fitting.is_empty() {
            return SmallVec::from_slice(named);
        }
        fitting.sort_by(|a, b| package(b).version.cmp(&package(a).version));
        fitting
    }

    /// The meaning of a crate's name in a module.
    pub(super) fn external(&self, module: ModuleId, name: &str) -> Option<Extern> {
        if STANDARD.contains(&name) {
            return Some(Extern::Foreign(name.into()));
        }
        let package = self.package(module)?;
        if package.library_name == name {
            return package.library.map(Extern::Local);
        }
        let wanted = package.dependencies.get(name)?;
        let local = self.meant(wanted).first().and_then(|id| self.packages[id.0 as usize].library);
        Some(local.map_or_else(|| Extern::Foreign(identifier(&wanted.package).into()), Extern::Local))
    }

    /// The names of crates that a module may use.
    pub(super) fn seen(&self, module: Option<ModuleId>) -> Vec<Arc<str>> {
        let package = module.and_then(|module| self.package(module));
        let asked = package.into_iter().flat_map(|package| {
            let library = package.library.map(|_| package.library_name.as_str());
            package.dependencies.keys().map(String::as_str).chain(library)
        });
        // The others that come with the compiler need a word first.
        asked.chain(STANDARD[..2].iter().copied()).map(Arc::from).collect()
    }

    /// A library of the world by its name in code.
    pub(super) fn library_named(&self, name: &str) -> Option<ModuleId> {
        self.packages.iter().find(|p| p.library_name == name).and_then(|p| p.library)
    }

    /// Whether some package asks for a feature of the package of a module.
    pub(super) fn is_asked(&self, module: ModuleId, name: &str) -> bool {
        self.package(module).is_some_and(|package| is_among(&package.asked, name))
    }

    /// A feature is on in the default build of a module's package. Without a manifest all are.
    pub(super) fn has_feature(&self, module: ModuleId, name: &str) -> bool {
        self.package(module).and_then(|p| p.features.as_ref()).is_none_or(|on| is_among(on, name))
    }

    // ---- reading ------------------------------------------------------------------------------------------------

    fn read(world: &dyn World) -> Self {
        let mut crates = Self::default();
        let manifests = manifests(world);
        let workspace: Vec<(&str, Dependencies)> = manifests
            .iter()
            .filter_map(|(dir, table)| Some((dir.as_str(), dependencies::of_workspace(table, dir)?)))
            .collect();
        let mut asked: FxHashMap<String, Vec<String>> = FxHashMap::default();
        for (package, feature) in manifests.iter().flat_map(|(_, table)| dependencies::asked_features(table))
        {
            asked.entry(package).or_default().push(feature);
        }
        for (directory, table) in &manifests {
            crates.add_package(directory, table, &workspace, &asked);
        }
        // Libraries first: a file that several crates have counts for the library.
        let mut roots: Vec<(PackageId, FileId, bool)> = Vec::new();
        for (i, (_, table)) in manifests.iter().filter(|(_, t)| t.contains_key("package")).enumerate() {
            let (id, package) = (PackageId(i as u32), &crates.packages[i]);
            roots.extend(targets(world, &package.directory, table).into_iter().map(|(f, lib)| (id, f, lib)));
        }
        roots.sort_by_key(|(package, _, is_library)| (!is_library, package.0));
        for (package, file, is_library) in roots {
            let root = crates.add_crate(world, file, Some(package), !is_library);
            if is_library && let Some(root) = root {
                crates.packages[package.0 as usize].library = Some(root);
            }
        }
        crates.add_rest(world);
        crates
    }

    /// Files that no manifest leads to: roots by their names, then whatever is left on its own.
    fn add_rest(&mut self, world: &dyn World) {
        let files: Vec<FileId> = (0..world.file_count())
            .map(FileId)
            .filter(|id| world.file(*id).language == Some(Language::Rust))
            .collect();
        for is_root in [true, false] {
            for id in &files {
                let name = world.file(*id).path.file_name();
                if is_root == matches!(name, "lib.rs" | "main.rs") && !self.files.contains_key(id) {
                    let package = self.package_around(world.file(*id).path.as_str());
                    self.add_crate(world, *id, package, false);
                }
            }
        }
    }

    /// The package in whose directory a file lies.
    fn package_around(&self, path: &str) -> Option<PackageId> {
        let inner = path.rmatch_indices('/').map(|(end, _)| &path[..end]);
        inner.chain([""]).find_map(|directory| self.directories.get(directory)).copied()
    }

    /// `asked` are the features that others ask for, by package.
    fn add_package(
        &mut self,
        directory: &str,
        table: &Table,
        workspace: &[(&str, Dependencies)],
        asked: &FxHashMap<String, Vec<String>>,
    ) {
        let Some(package) = table.get("package").and_then(Value::as_table) else { return };
        let text = |key: &str| package.get(key).and_then(Value::as_str);
        let name = text("name").unwrap_or_default().to_owned();
        let library = table.get("lib").and_then(|lib| lib.get("name")).and_then(Value::as_str);
        let shared: Vec<&Dependencies> = workspace
            .iter()
            .filter(|(root, _)| root.is_empty() || directory.starts_with(root))
            .map(|(_, names)| names)
            .collect();
        let asked = asked.get(&name).and_then(|asked| conditions::features_with(table, asked));
        let id = PackageId(self.packages.len() as u32);
        self.named.entry(name.clone()).or_default().push(id);
        self.directories.insert(directory.to_owned(), id);
        self.packages.push(Package {
            directory: directory.to_owned(),
            library_name: library.map_or_else(|| identifier(&name), str::to_owned),
            name,
            version: dependencies::version_of(package),
            dependencies: dependencies::of_package(table, directory, &shared),
            is_edition_2015: match package.get("edition") {
                None => true,
                Some(edition) => edition.as_str() == Some("2015"),
            },
            features: conditions::features_with(table, &["default".to_owned()]),
            asked: asked.unwrap_or_default(),
            library: None,
            reached: OnceLock::new(),
        });
    }

    fn add_crate(
        &mut self,
        world: &dyn World,
        file: FileId,
        package: Option<PackageId>,
        is_final: bool,
    ) -> Option<ModuleId> {
        if self.files.contains_key(&file) {
            return None;
        }
        let krate = self.krates.len();
        let directory = paths::directory(world.file(file).path.as_str()).to_owned();
        let root = self.add_module(Module {
            file,
            parent: None,
            inline: None,
            included: Vec::new(),
            directory: directory.clone(),
            krate,
        });
        self.krates.push(Krate { root, package, is_final });
        self.files.insert(file, root);
        self.add_children(world, root, &directory);
        Some(root)
    }

    fn add_module(&mut self, module: Module) -> ModuleId {
        let id = ModuleId(self.modules.len() as u32);
        self.modules.push(module);
        id
    }

    /// The modules that a module declares. `here` is where its file lies.
    fn add_children(&mut self, world: &dyn World, start: ModuleId, here: &str) {
        let Module { file, inline, ref directory, .. } = *self.module(start);
        let start = Body { module: start, file, inline, directory: directory.clone(), here: here.to_owned() };
        let mut todo = vec![start];
        // Last: what a `mod` leads to is a module of its own, though others include its file.
        let mut included = VecDeque::new();
        loop {
            while let Some(body) = todo.pop() {
                self.add_declared(world, &body, &mut todo, &mut included);
            }
            let Some((module, file)) = included.pop_front() else { return };
            todo.extend(self.include(world, module, file));
        }
    }

    fn add_declared(
        &mut self,
        world: &dyn World,
        body: &Body,
        todo: &mut Vec<Body>,
        included: &mut VecDeque<(ModuleId, FileId)>,
    ) {
        let Body { module, file, inline, ref directory, ref here } = *body;
        let krate = self.module(module).krate;
        for declared in world.declared_modules(file).iter().filter(|declared| declared.around == inline) {
            let Some(def) = declared.def else {
                match included_file(world, declared, here) {
                    Some(file) => included.push_back((module, file)),
                    None => {
                        let path = declared.path.as_ref().map(|path| paths::normal(&paths::join(here, path)));
                        let file = path.and_then(|path| world.file_by_path(&path));
                        self.unread.entry(krate).or_default().push(file);
                    }
                }
                continue;
            };
            let at = GlobalDef { file, def };
            let (file, inline, directory, here) = if declared.has_body {
                // A file that several modules include.
                if self.declared.contains_key(&at) {
                    continue;
                }
                (file, Some(def), paths::join(directory, &declared.name), here.clone())
            } else {
                let Some(target) = module_file(world, declared, directory, here) else { continue };
                let known = self.files.get(&target).filter(|known| self.module(**known).file == target);
                if let Some(known) = known {
                    self.declared.entry(at).or_insert(*known);
                    continue;
                }
                let path = world.file(target).path.clone();
                let here = paths::directory(path.as_str()).to_owned();
                let is_own_directory = path.file_name() == "mod.rs" || declared.path.is_some();
                let directory = if is_own_directory {
                    here.clone()
                } else {
                    paths::join(&here, paths::stem(path.as_str()))
                };
                (target, None, directory, here)
            };
            let child = self.add_module(Module {
                file,
                parent: Some(module),
                inline,
                included: Vec::new(),
                directory: directory.clone(),
                krate,
            });
            if inline.is_none() {
                self.files.insert(file, child);
            }
            self.declared.insert(at, child);
            todo.push(Body { module: child, file, inline, directory, here });
        }
    }

    /// Gives a module the items of a file; `None` when it has them.
    fn include(&mut self, world: &dyn World, module: ModuleId, file: FileId) -> Option<Body> {
        let m = &mut self.modules[module.0 as usize];
        if m.file == file || m.included.contains(&file) {
            return None;
        }
        m.included.push(file);
        self.files.entry(file).or_insert(module);
        let here = paths::directory(world.file(file).path.as_str()).to_owned();
        Some(Body { module, file, inline: None, directory: here.clone(), here })
    }
}

/// Whether a sorted list of features has one.
fn is_among(features: &[String], name: &str) -> bool {
    features.binary_search_by(|feature| feature.as_str().cmp(name)).is_ok()
}

/// The module scope that a scope lies in.
pub(super) fn nearest_module(facts: &FileFacts, scope: ScopeId) -> ScopeId {
    use crate::facts::ScopeKind;
    facts
        .scope_chain(scope)
        .find(|s| matches!(facts.scope(*s).kind, ScopeKind::File | ScopeKind::Module))
        .unwrap_or(ScopeId(0))
}

/// The path in a module's `#[path]`.
pub(super) fn path_of(facts: &FileFacts, def: DefId) -> Option<&str> {
    match facts.expr(facts.def(def).init?) {
        Expr::Text(path) => Some(facts.name(path)),
        _ => None,
    }
}

/// Data from manifests, `mod` declarations, other names of types, places of files, and other hashed input: kept as
/// long as all that is the same.
pub(super) fn lasting<T: Any + Send + Sync>(
    rx: &Resolver,
    hash: impl FnOnce(&mut FxHasher),
    read: impl FnOnce(&dyn World) -> T,
) -> &T {
    /// Of all that.
    struct Origin(u64);
    rx.shared_by_worlds(|rx| {
        let world = rx.world();
        let Some(memory) = world.lasting() else { return Arc::new(read(world)) };
        let mut hasher = FxHasher::default();
        rx.of_world(|_| Origin(origin(world))).0.hash(&mut hasher);
        hash(&mut hasher);
        memory.kept(hasher.finish(), || read(world))
    })
}

fn origin(world: &dyn World) -> u64 {
    let mut hasher = FxHasher::default();
    for id in (0..world.file_count()).map(FileId) {
        let entry = world.file(id);
        let (path, language) = (entry.path.as_str(), entry.language.map(|language| language as u8));
        (path, language, &*world.declared_modules(id), &*world.other_names(id)).hash(&mut hasher);
        if is_configuration(path) {
            entry.content_hash.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// The modules that a file declares, in their order, then the files that it includes.
pub(in crate::lang) fn declared_modules(facts: &FileFacts) -> Arc<[DeclaredModule]> {
    let modules = facts.def_ids().filter(|def| facts.def(*def).kind == SymbolKind::Module);
    modules.map(|def| declared_module(facts, def)).chain(included_files(facts)).collect()
}

pub(super) fn declared_module(facts: &FileFacts, def: DefId) -> DeclaredModule {
    let d = facts.def(def);
    DeclaredModule {
        def: Some(def),
        name: facts.name(d.name).into(),
        path: path_of(facts, def).map(Box::from),
        around: facts.scope(nearest_module(facts, d.scope)).owner,
        has_body: d.body.is_some(),
        is_nested: d.scope != ScopeId(0),
        is_local: d.flags.has(DefFlags::LOCAL),
    }
}

/// `include!("…")` among the items of modules.
pub(super) fn included_files(facts: &FileFacts) -> impl Iterator<Item = DeclaredModule> {
    let name = facts.names.ids().find(|name| facts.name(*name) == "include");
    let calls = name.map_or(&[][..], |name| facts.refs_named(name));
    calls.iter().filter_map(|call| {
        let r = facts.reference(*call);
        let Expr::Macro { args, .. } = facts.expr(r.call?) else { return None };
        let Expr::Text(path) = facts.expr(facts.list(args).next()?) else { return None };
        Some(DeclaredModule {
            def: None,
            name: Box::default(),
            path: Some(facts.name(path).into()),
            around: facts.scope(r.scope).owner,
            has_body: false,
            is_nested: r.scope != ScopeId(0),
            is_local: false,
        })
    })
}

/// The file that an `include!` in a directory names.
pub(super) fn included_file(world: &dyn World, included: &DeclaredModule, here: &str) -> Option<FileId> {
    let file = world.file_by_path(&paths::normal(&paths::join(here, included.path.as_ref()?)))?;
    (world.file(file).language == Some(Language::Rust)).then_some(file)
}

/// The file of a module that is declared without a body. `here` is where the file that declares it lies, `directory` where
/// files of its modules do.
pub(super) fn module_file(
    world: &dyn World,
    module: &DeclaredModule,
    directory: &str,
    here: &str,
) -> Option<FileId> {
    if let Some(path) = &module.path {
        let from = if module.is_nested { directory } else { here };
        return world.file_by_path(&paths::normal(&paths::join(from, path)));
    }
    if module.is_local {
        return None;
    }
    let name = &module.name;
    let beside = world.file_by_path(&paths::join(directory, &format!("{name}.rs")));
    beside.or_else(|| world.file_by_path(&paths::join(directory, &format!("{name}/mod.rs"))))
}

/// Readable manifests with their directories. One that is no TOML is left out: its files are then on their own.
fn manifests(world: &dyn World) -> Vec<(String, Table)> {
    world
        .configurations()
        .iter()
        .filter(|path| path.rsplit('/').next() == Some("Cargo.toml"))
        .filter_map(|path| {
            let table = world.configuration(path)?.parse::<Table>().ok()?;
            Some((paths::directory(path).to_owned(), table))
        })
        .collect()
}

/// Root files of a package's targets, and which of them is the library.
fn targets(world: &dyn World, directory: &str, table: &Table) -> Vec<(FileId, bool)> {
    let mut found: Vec<(FileId, bool)> = Vec::new();
    let mut add = |path: &str, is_library: bool| {
        if let Some(file) = world.file_by_path(&paths::normal(&paths::join(directory, path)))
            && !found.iter().any(|(f, _)| *f == file)
        {
            found.push((file, is_library));
        }
    };
    let library = table.get("lib").and_then(|lib| lib.get("path")).and_then(Value::as_str);
    add(library.unwrap_or("src/lib.rs"), true);
    add("src/main.rs", false);
    let build = table.get("package").and_then(|p| p.get("build")).and_then(Value::as_str);
    add(build.unwrap_or("build.rs"), false);
    for key in ["bin", "test", "example", "bench"] {
        for target in table.get(key).and_then(Value::as_array).into_iter().flatten() {
            if let Some(path) = target.get("path").and_then(Value::as_str) {
                add(path, false);
            }
        }
    }
    let prefix = if directory.is_empty() { 0 } else { directory.len() + 1 };
    for folder in FOUND_IN {
        let Some(listing) = world.directory(&paths::join(directory, folder)) else { continue };
        for file in listing.files {
            let path = world.file(file).path.clone();
            if path.as_str().ends_with(".rs") {
                add(&path.as_str()[prefix..], false);
            }
        }
        for inner in listing.directories {
            add(&format!("{folder}/{inner}/main.rs"), false);
        }
    }
    found
}

/// The name of a package in code.
pub(super) fn identifier(name: &str) -> String {
    name.replace('-', "_")
}
