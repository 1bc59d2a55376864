//! The module system: from dotted names to files and directories, and what a module gives to others.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ide_model::{Family, Language, SymbolKind, paths};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{DefFlags, DefId, Expr, ImportId, ImportKind, RefId, Role, ScopeId};
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

use super::library;

/// The module that a dotted name means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Module {
    File(FileId),
    /// A directory without `__init__.py`, by its path.
    Directory(Arc<str>),
    External,
}

/// The directory that packages are installed from where it is no package itself.
pub(super) const SOURCES: &str = "src";

/// Data derived once from the paths of a world.
pub(super) struct Modules {
    /// Directories from which absolute names start, best first, without trailing slash; `""` is the project's root.
    roots: Vec<Arc<str>>,
    /// The roots that are parts of the names of the packages below them, though some import these without.
    namespaces: FxHashSet<Arc<str>>,
    /// Directories that hold Python files, directly or below.
    directories: FxHashSet<Arc<str>>,
    /// Directories of installed packages, first found first.
    installed: OnceLock<Vec<Arc<str>>>,
    /// The modules of absolute names, by the directory of the importing file.
    absolute: ModuleCache,
    /// The modules of names below a directory.
    below: ModuleCache,
}

/// Modules by a directory and their dotted name.
#[derive(Default)]
struct ModuleCache(Mutex<FxHashMap<Box<str>, ByName>>);

type ByName = FxHashMap<Box<str>, Module>;

impl ModuleCache {
    fn get(&self, dir: &str, module: &str, find: impl FnOnce() -> Module) -> Module {
        let all = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = all().get(dir).and_then(|names| names.get(module)) {
            return found.clone();
        }
        let found = find();
        let mut all = all();
        if !all.contains_key(dir) {
            all.insert(dir.into(), ByName::default());
        }
        if let Some(names) = all.get_mut(dir) {
            names.insert(module.into(), found.clone());
        }
        found
    }
}

/// A path that begins with a directory; all do with the project's own.
fn is_below(path: &str, dir: &str) -> bool {
    dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

pub(super) fn modules(rx: &Resolver) -> &Modules {
    rx.of_world(Modules::new)
}

/// The directories from which the names of a repository's projects start: beside each `pyproject.toml`, `setup.cfg` or
/// `setup.py` that one, or its [`SOURCES`].
fn project_roots(
    rx: &Resolver,
    directories: &FxHashSet<Arc<str>>,
    is_package: &FxHashSet<&str>,
) -> Vec<Arc<str>> {
    let world = rx.world();
    let is_description =
        |path: &&Arc<str>| matches!(path.rsplit('/').next(), Some("pyproject.toml" | "setup.cfg"));
    let configurations = world.configurations();
    let described = configurations.iter().filter(is_description);
    let mut homes: Vec<String> = described.map(|path| paths::directory(path).to_owned()).collect();
    let scripts = (0..world.file_count()).map(|id| world.file(FileId(id)));
    let scripts = scripts.filter(|file| file.path.file_name() == "setup.py");
    homes.extend(scripts.map(|file| paths::directory(file.path.as_str()).to_owned()));
    homes.sort_by_key(|dir| (dir.matches('/').count(), dir.clone()));
    homes.dedup();
    let root = |home: &String| -> Option<Arc<str>> {
        let sources = paths::join(home, SOURCES);
        let dir = if directories.contains(&*sources) { sources } else { home.clone() };
        let is_root = !home.is_empty() && directories.contains(&*dir) && !is_package.contains(&*dir);
        is_root.then(|| dir.into())
    };
    homes.iter().filter_map(root).collect()
}

impl Modules {
    fn new(rx: &Resolver) -> Self {
        let world = rx.world();
        let mut directories: FxHashSet<Arc<str>> = FxHashSet::default();
        let mut packages: Vec<Arc<str>> = Vec::new();
        for id in 0..world.file_count() {
            let file = world.file(FileId(id));
            if file.language != Some(Language::Python) {
                continue;
            }
            let path = file.path.as_str();
            let mut dir = paths::directory(path);
            if matches!(file.path.file_name(), "__init__.py" | "__init__.pyi") {
                packages.push(dir.into());
            }
            while !dir.is_empty() && directories.insert(dir.into()) {
                dir = paths::directory(dir);
            }
        }
        let is_package: FxHashSet<&str> = packages.iter().map(|p| &**p).collect();
        let mut roots: Vec<Arc<str>> = vec!["".into()];
        if directories.contains(SOURCES) && !is_package.contains(SOURCES) {
            roots.push(SOURCES.into());
        }
        let mut further: Vec<&str> = packages
            .iter()
            .filter(|p| !p.is_empty())
            .map(|p| paths::directory(p))
            .filter(|parent| !is_package.contains(parent) && !roots.iter().any(|r| &**r == *parent))
            .collect();
        further.sort_by_key(|dir| (dir.matches('/').count(), *dir));
        further.dedup();
        let projects = project_roots(rx, &directories, &is_package);
        roots.extend(projects.iter().filter(|root| !further.contains(&&***root)).cloned());
        // A directory between the sources and a package is a namespace, and no place that names start from.
        let is_sources = |root: &&Arc<str>| root.rsplit('/').next() == Some(SOURCES);
        let sources: Vec<Arc<str>> = roots.iter().chain(&projects).filter(is_sources).cloned().collect();
        let is_namespace = |dir: &&&str| sources.iter().any(|root| **dir != &**root && is_below(dir, root));
        let namespaces = further.iter().filter(is_namespace).map(|dir| Arc::from(*dir)).collect();
        roots.extend(further.into_iter().map(Arc::from));
        let (absolute, below) = (ModuleCache::default(), ModuleCache::default());
        Self { roots, namespaces, directories, installed: OnceLock::new(), absolute, below }
    }

    /// Whether a file is installed as part of what lies in [`SOURCES`].
    pub(super) fn is_in_sources(&self, path: &str) -> bool {
        is_below(path, SOURCES) && self.roots.iter().any(|root| **root == *SOURCES)
    }

    fn installed(&self, rx: &Resolver) -> &[Arc<str>] {
        let roots = || rx.world().library_roots(Family::Python).into_iter().map(|root| root.path).collect();
        self.installed.get_or_init(roots)
    }

    /// The directory of installed packages that holds a directory.
    fn installed_root(&self, rx: &Resolver, dir: &str) -> Option<&str> {
        let holds = |root: &&str| is_below(dir, root);
        self.installed(rx).iter().map(|root| &**root).find(holds)
    }

    /// Names of modules and packages directly below the places where the search of a file at a path begins, and whether those are
    /// libraries.
    pub(super) fn seen(&self, rx: &Resolver, path: &str) -> Vec<(Arc<str>, bool)> {
        let world = rx.world();
        let own = Some(paths::directory(path)).filter(|dir| !self.is_package(rx, dir));
        let roots = self.roots.iter().map(|root| &**root).chain(own).map(|root| (root, false));
        let installed = self.installed(rx).iter().map(|root| &**root);
        let libraries = installed.chain([library::ROOT]).map(|root| (root, true));
        let mut names: Vec<(Arc<str>, bool)> = Vec::new();
        for (root, is_library) in roots.chain(libraries) {
            let Some(directory) = world.directory(root) else { continue };
            let files = directory.files.iter().map(|file| world.file(*file));
            let modules = files.filter(|file| file.language == Some(Language::Python));
            let stems = modules.map(|file| Arc::from(file.path.stem()));
            names.extend(stems.chain(directory.directories).map(|name| (name, is_library)));
        }
        let is_name = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        // A library's modules with such names are its own business.
        let is_hidden = |name: &str, is_library: bool| {
            name == "__init__" || is_library && name.starts_with('_') && name != "__future__"
        };
        names.retain(|(name, is_library)| is_name(name) && !is_hidden(name, *is_library));
        names
    }

    /// The module of an import statement, leading dots counted in `level`.
    pub(super) fn resolve(&self, rx: &Resolver, from: &FileView, module: &str, level: u8) -> Module {
        let dir = paths::directory(&from.path);
        if level > 0 {
            let mut base = dir;
            for _ in 1..level {
                if base.is_empty() {
                    return Module::External;
                }
                base = paths::directory(base);
            }
            return self.below(rx, base, module);
        }
        self.absolute.get(dir, module, || self.absolute(rx, dir, module))
    }

    fn absolute(&self, rx: &Resolver, dir: &str, module: &str) -> Module {
        let first = module.split('.').next().unwrap_or(module);
        if dir.starts_with(library::ROOT) {
            return self.below(rx, library::ROOT, module);
        }
        let is_standard = library::is_standard_module(rx, first);
        if self.installed_root(rx, dir).is_some() {
            // An installed package does not look into the project.
            let standard = is_standard.then(|| self.below(rx, library::ROOT, module));
            return standard.unwrap_or_else(|| self.package(rx, module));
        }
        let is_script = !self.is_package(rx, dir);
        let own = is_script.then_some(dir).filter(|_| !is_standard);
        let roots = self.roots.iter().map(|r| &**r);
        let mut namespace = None;
        for root in roots.chain(own) {
            let is_main = root.is_empty() || root == SOURCES || Some(root) == own;
            // A root deeper down hides nothing of the standard library.
            if is_standard && !is_main {
                continue;
            }
            // Beside packages deeper down a directory of scripts is no package.
            match self.below(rx, root, module) {
                Module::File(file) => return Module::File(file),
                Module::Directory(found) if !is_standard && is_main => {
                    namespace.get_or_insert(found);
                }
                _ => {}
            }
        }
        match namespace {
            Some(directory) => Module::Directory(directory),
            None if is_standard => self.below(rx, library::ROOT, module),
            None => self.package(rx, module),
        }
    }

    /// A module of an installed package; stubs that were installed for it come first.
    fn package(&self, rx: &Resolver, module: &str) -> Module {
        let (first, rest) = module.split_once('.').map_or((module, ""), |(first, rest)| (first, rest));
        let stubs = if rest.is_empty() { format!("{first}-stubs") } else { format!("{first}-stubs.{rest}") };
        let mut namespace = None;
        for root in self.installed(rx) {
            for name in [stubs.as_str(), module] {
                match self.below(rx, root, name) {
                    Module::File(file) => return Module::File(file),
                    Module::Directory(found) if name == module => {
                        namespace.get_or_insert(found);
                    }
                    _ => {}
                }
            }
        }
        namespace.map_or(Module::External, Module::Directory)
    }

    /// Whether a file is found under its short name only from a directory that is part of the names of the packages in it.
    pub(super) fn is_in_namespace(&self, path: &str) -> bool {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
        self.namespaces.contains(paths::directory(stem))
    }

    /// A dotted name from any root.
    pub(super) fn below_roots(&self, rx: &Resolver, module: &str) -> Module {
        let roots = self.roots.iter().map(|root| &**root).chain([library::ROOT]);
        let found = roots.map(|root| self.below(rx, root, module));
        found.into_iter().find(|m| matches!(m, Module::File(_))).unwrap_or(Module::External)
    }

    fn is_package(&self, rx: &Resolver, dir: &str) -> bool {
        ["__init__.py", "__init__.pyi"]
            .iter()
            .any(|f| rx.world().file_by_path(&paths::join(dir, f)).is_some())
    }

    /// A dotted name below a directory; the directory itself for an empty one.
    pub(super) fn below(&self, rx: &Resolver, dir: &str, module: &str) -> Module {
        self.below.get(dir, module, || self.look_below(rx, dir, module))
    }

    fn look_below(&self, rx: &Resolver, dir: &str, module: &str) -> Module {
        let path =
            if module.is_empty() { dir.to_owned() } else { paths::join(dir, &module.replace('.', "/")) };
        let world = rx.world();
        let installed = self.installed_root(rx, dir).is_some();
        // Of what is installed the stubs say more; a project's own stubs lie beside what people mean.
        let endings = match (module.is_empty(), installed) {
            (true, false) => &["/__init__.py", "/__init__.pyi"][..],
            (true, true) => &["/__init__.pyi", "/__init__.py"],
            (false, false) => &["/__init__.py", ".py", "/__init__.pyi", ".pyi"],
            (false, true) => &["/__init__.pyi", ".pyi", "/__init__.py", ".py"],
        };
        for ending in endings {
            let file = format!("{path}{ending}");
            if let Some(file) =
                world.file_by_path(file.trim_start_matches(if path.is_empty() { "/" } else { "" }))
            {
                return Module::File(file);
            }
        }
        let is_directory = self.directories.contains(&*path) || installed && world.directory(&path).is_some();
        if is_directory { Module::Directory(path.into()) } else { Module::External }
    }

    /// A module directly below a package, if the module is one.
    pub(super) fn submodule(&self, rx: &Resolver, package: &Module, name: &str) -> Option<Module> {
        let dir: Arc<str> = match package {
            Module::File(file) => {
                let path = &rx.world().file(*file).path;
                if !matches!(path.file_name(), "__init__.py" | "__init__.pyi") {
                    return None;
                }
                paths::directory(path.as_str()).into()
            }
            Module::Directory(dir) => dir.clone(),
            Module::External => return None,
        };
        Some(self.below(rx, &dir, name)).filter(|m| *m != Module::External)
    }

    /// The dotted name of a file, from the root that is nearest to it.
    pub(super) fn name_of(&self, path: &str) -> String {
        let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
        let stem = stem.strip_suffix("/__init__").unwrap_or(stem);
        if let Some(module) = stem.strip_prefix(library::ROOT) {
            return module.trim_start_matches('/').replace('/', ".");
        }
        let inside = |root: &&Arc<str>| is_below(stem, root) && !self.namespaces.contains(*root);
        let installed = self.installed.get().map_or(&[][..], Vec::as_slice);
        let root =
            self.roots.iter().chain(installed).filter(inside).max_by_key(|r| r.len()).map_or("", |r| &**r);
        stem[root.len()..].trim_start_matches('/').replace('/', ".")
    }
}

impl Module {
    pub(super) fn target(&self, name: &str) -> Target {
        match self {
            Self::File(file) => Target::Module(*file),
            Self::Directory(dir) => Target::Package(dir.clone()),
            Self::External => Target::External(name.into()),
        }
    }
}

/// The declarations of a name at the top of a module, best first. `except` is left out: the import that asks.
pub(super) fn top_level(
    rx: &Resolver,
    file: FileId,
    name: &str,
    except: Option<GlobalDef>,
) -> Vec<GlobalDef> {
    let view = rx.file(file);
    let mut defs: Vec<GlobalDef> =
        rx.top_level(file, name).into_iter().filter(|def| Some(*def) != except).collect();
    defs.sort_by_key(|def| precedence(view, def.def));
    defs
}

/// The order of a name's declarations in one scope: what may not run and what is made inside functions comes last.
pub(super) fn precedence(file: &FileView, def: DefId) -> (bool, bool) {
    (file.has_flag(def, DefFlags::NOT_BUILT), file.has_flag(def, DefFlags::HOISTED))
}

/// The module below a package that a file imports by its whole name: it hides what the package itself binds under the
/// name.
pub(super) fn imported_part(rx: &Resolver, from: &FileView, package: &Ty, name: &str) -> Option<Target> {
    let Ty::Module(file) = package else { return None };
    let modules = modules(rx);
    let part = modules.submodule(rx, &Module::File(*file), name)?;
    let whole = format!("{}.{name}", modules.name_of(&rx.file(*file).path));
    let names_it = |import: &crate::facts::Import| {
        let written = from.name(import.module).strip_prefix(&*whole);
        import.member.is_none()
            && import.kind != ImportKind::Star
            && written.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    from.imports.iter().any(names_it).then(|| part.target(name))
}

/// Star imports nested deeper than this are not followed.
const MAX_STARS: usize = 8;

/// The meaning of a name in a module: its own declaration, a submodule, or something passed on by a star
/// import.
pub(super) fn module_member(
    rx: &Resolver,
    module: &Module,
    name: &str,
    except: Option<GlobalDef>,
) -> Option<Target> {
    if let Module::File(file) = module {
        if let Some(def) = left(rx, &top_level(rx, *file, name, except)) {
            return Some(Target::Def(def));
        }
        // A module that takes the name from here has it of an earlier star.
        let view = rx.file(*file);
        let mut given = stars(view).into_iter().rev().filter_map(|star| given_by_star(rx, view, star, name));
        if let Some(found) = given.find(|found| !comes_back(rx, module, found, name)) {
            return Some(found);
        }
    }
    modules(rx).submodule(rx, module, name).map(|found| found.target(name))
}

/// Whether something is what an import takes from a module under its own name.
fn comes_back(rx: &Resolver, module: &Module, found: &Target, name: &str) -> bool {
    let Target::Def(def) = found else { return false };
    let Some(import) = rx.import_of(*def) else { return false };
    let view = rx.file(def.file);
    let member = view.import(import).member.map(|member| view.ref_name(member));
    member == Some(name) && imported_module(rx, view, import, None).0 == *module
}

/// The declaration that stands for a name with several: the first, but an import that leads nowhere gives way.
pub(super) fn preferred(rx: &Resolver, defs: &[GlobalDef]) -> Option<GlobalDef> {
    let first = *defs.first()?;
    if defs.len() == 1 || !is_import(rx, first) {
        return Some(first);
    }
    let may_run = |def: &GlobalDef| !rx.file(def.file).has_flag(def.def, DefFlags::NOT_BUILT);
    let runs = may_run(&first);
    let is_inside = |def: &GlobalDef| {
        !is_import(rx, *def) || {
            let targets = rx.through_imports(Resolution::def(*def)).targets;
            !targets.is_empty() && !targets.iter().any(|t| matches!(t, Target::External(_)))
        }
    };
    let is_better = |def: &&GlobalDef| is_import(rx, **def) && may_run(def) == runs && is_inside(def);
    Some(defs.iter().find(is_better).copied().unwrap_or(first))
}

/// The declaration that a name means after its module has run: the last of several functions and classes, but for
/// those that only handle an exception; otherwise the [`preferred`].
fn left(rx: &Resolver, defs: &[GlobalDef]) -> Option<GlobalDef> {
    let first = preferred(rx, defs)?;
    if defs.len() == 1 {
        return Some(first);
    }
    let view = rx.file(first.file);
    let weak = DefFlags::HOISTED.0 | DefFlags::OPTIONAL.0 | DefFlags::SIGNATURE.0;
    let not_built = view.has_flag(first.def, DefFlags::NOT_BUILT);
    let is_made = |def: &&GlobalDef| {
        let d = view.def(def.def);
        (d.kind == SymbolKind::Function || d.kind.is_type())
            && d.flags.0 & weak == 0
            && d.flags.has(DefFlags::NOT_BUILT) == not_built
    };
    let has_overloads = defs.iter().any(|def| view.has_flag(def.def, DefFlags::SIGNATURE));
    let last = defs.iter().filter(is_made).max_by_key(|def| view.def(def.def).name_range.start);
    Some(last.filter(|_| !has_overloads).copied().unwrap_or(first))
}

fn is_import(rx: &Resolver, def: GlobalDef) -> bool {
    rx.file(def.file).def(def.def).kind == SymbolKind::Import
}

/// The binding of a name by the star imports of a file; the last one wins.
pub(super) fn star_member(rx: &Resolver, file: FileId, name: &str, depth: usize) -> Option<Target> {
    let view = rx.file(file);
    stars(view).into_iter().rev().find_map(|id| of_star(rx, view, id, name, depth))
}

/// The star imports of a file outside of functions.
fn stars(view: &FileView) -> Vec<ImportId> {
    let is_star =
        |i: &ImportId| view.import(*i).kind == ImportKind::Star && view.import(*i).scope == ScopeId(0);
    (0..view.imports.len() as u32).map(ImportId).filter(is_star).collect()
}

/// The binding of a name by one star import.
pub(super) fn given_by_star(rx: &Resolver, view: &FileView, star: ImportId, name: &str) -> Option<Target> {
    of_star(rx, view, star, name, MAX_STARS)
}

fn of_star(rx: &Resolver, view: &FileView, star: ImportId, name: &str, depth: usize) -> Option<Target> {
    let import = view.import(star);
    let module = modules(rx).resolve(rx, view, view.name(import.module), import.level);
    let Module::File(source) = module else { return None };
    if source == view.id || depth == 0 || !exports(rx, source, name) {
        return None;
    }
    match left(rx, &top_level(rx, source, name, None)) {
        Some(def) => Some(Target::Def(def)),
        None => star_member(rx, source, name, depth - 1),
    }
}

/// Whether a star import takes this name from a module.
fn exports(rx: &Resolver, file: FileId, name: &str) -> bool {
    let view = rx.file(file);
    if view.exports.is_empty() {
        return !name.starts_with('_');
    }
    view.exports.iter().any(|e| view.name(e.name) == name)
        || has_other_exports(view) && !name.starts_with('_')
}

/// Whether `__all__` is more than the names that are written there: `__all__ = a.__all__ + […]`.
fn has_other_exports(view: &FileView) -> bool {
    let is_put_together = |def: &DefId| {
        let init = view.def(*def).init.map(|init| view.expr(init));
        matches!(init, Some(Expr::Binary { .. } | Expr::Call { .. } | Expr::Ref(_)))
    };
    let is_of_another = |id: RefId| {
        let reference = view.reference(id);
        view.ref_name(id) == "__all__" && (reference.receiver.is_some() || reference.role == Role::Import)
    };
    view.named_in_scope(ScopeId(0), "__all__").iter().any(is_put_together)
        || view.ref_ids().any(is_of_another)
}

/// The module that an import names, as far as its path segment `upto` (all for `None`).
pub(super) fn imported_module(
    rx: &Resolver,
    file: &FileView,
    import: ImportId,
    upto: Option<usize>,
) -> (Module, String) {
    let import = file.import(import);
    let whole = file.name(import.module);
    let modules = modules(rx);
    let full = modules.resolve(rx, file, whole, import.level);
    let Some(upto) = upto else { return (full, whole.to_owned()) };
    let end = whole.match_indices('.').nth(upto).map(|(at, _)| at);
    let Some(part) = end.map(|end| whole[..end].to_owned()) else { return (full, whole.to_owned()) };
    if full == Module::External
        && import.level == 0
        && modules.resolve(rx, file, &part, 0) == Module::External
    {
        return (Module::External, part);
    }
    (modules.resolve(rx, file, &part, import.level), part)
}

/// The target that an import binds.
pub(super) fn imported(rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
    let i = *file.import(import);
    if let Some(member) = i.member {
        let (module, name) = imported_module(rx, file, import, None);
        let member = file.ref_name(member);
        if module == Module::File(file.id)
            && let Some(own) = modules(rx).submodule(rx, &module, member)
        {
            // `from . import part` in a package's own file means the part, not what the file makes of it.
            return Resolution::exact(own.target(member));
        }
        return match module_member(rx, &module, member, i.def.map(|def| file.global(def))) {
            Some(target) => Resolution::exact(target),
            None if module == Module::External => Resolution::external(external_name(&name, i.level, member)),
            None => Resolution::unknown(Reason::NotFound),
        };
    }
    // `import a.b` binds `a`, `import a.b as c` binds `a.b`.
    let first = file.list(i.path).next();
    let has_alias = match (i.def, first) {
        (Some(def), Some(first)) => file.def(def).name_range != file.reference(first).range,
        _ => true,
    };
    let (module, name) = imported_module(rx, file, import, if has_alias { None } else { Some(0) });
    Resolution::exact(module.target(&name))
}

/// The name of something that an import takes from a library.
fn external_name(module: &str, level: u8, member: &str) -> Arc<str> {
    match (level, module) {
        (0, module) => format!("{module}.{member}").into(),
        (_, "") => member.into(),
        (_, module) => format!("{module}.{member}").into(),
    }
}

/// The path of a module for an importer, after one of both moved: dots and names as in an import. A path from the root of
/// the sources stays one, a relative one stays relative.
pub(super) fn moved(written: &str, importer: &str, (before, after): (&str, &str)) -> Option<String> {
    let names = |path: &str| -> Option<Vec<String>> {
        let path = path.strip_suffix(".pyi").or_else(|| path.strip_suffix(".py"))?;
        let path = path.strip_suffix("/__init__").unwrap_or(path);
        Some(path.split('/').map(str::to_owned).collect())
    };
    let (old, new) = (names(before)?, names(after)?);
    if written.starts_with('.') {
        let folders: Vec<&str> = importer.split('/').collect();
        let folders = &folders[..folders.len() - 1];
        let shared = folders.iter().zip(&new).take_while(|(a, b)| **a == b.as_str()).count();
        let rest = new[shared..].join(".");
        return Some(format!("{}{rest}", ".".repeat(folders.len() - shared + 1)));
    }
    let segments: Vec<&str> = written.split('.').map(str::trim).collect();
    let root = old.len().checked_sub(segments.len())?;
    let is_path = old[root..].iter().zip(&segments).all(|(a, b)| a == b);
    (is_path && new.len() > root && new[..root] == old[..root]).then(|| new[root..].join("."))
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_follow_a_move() {
        let moved = |written, importer, before, after| super::moved(written, importer, (before, after));
        assert_eq!(moved("p.a", "src/main.py", "src/p/a.py", "src/p/q/b.py").as_deref(), Some("p.q.b"));
        assert_eq!(moved(".a", "p/m.py", "p/a.py", "p/q/a.py").as_deref(), Some(".q.a"));
        assert_eq!(moved(".a", "p/q/m.py", "p/a.py", "p/a.py").as_deref(), Some("..a"));
        assert_eq!(moved("x.a", "main.py", "src/p/a.py", "src/p/b.py"), None);
    }
}
