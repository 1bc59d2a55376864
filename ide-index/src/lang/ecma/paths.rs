//! From module specifiers to files: relative paths, `paths` and `baseUrl` of the nearest configuration, packages of the
//! workspace.
//!
//! A package that names itself is found as the compiler finds it: by those conditions of its `exports` that hold, and
//! from a target that was not built yet to its source by `outDir` and `rootDir`. Other packages of the workspace would
//! be reached through links that a bare checkout does not have; for them the likeliest source is taken. Other
//! specifiers are looked for in `node_modules`: declarations first, then `@types`, then the code that runs.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Family, SymbolKind, paths};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::packages::{Compiler, installed, is_declaring, package_of};
use crate::facts::ImportId;
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, World};

/// Tried behind a specifier, in this order.
const EXTENSIONS: &[&str] = &[
    "ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "d.mts", "d.cts", "vue", "svelte", "astro",
    "json",
];
/// Endings that the path of a module may leave out or write.
const CODE: [&str; 8] = ["js", "mjs", "cjs", "ts", "tsx", "jsx", "mts", "cts"];
/// Endings of output that stand for those of its source.
const OUTPUT: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
    (".jsx", &[".tsx"]),
    (".d.ts", &[".ts", ".tsx"]),
    (".ts", &[".tsx", ".d.ts"]),
];

/// Prefixes of specifiers with the folders that they stand for where nothing else is configured.
const CONVENTIONS: &[(&str, &[&str])] =
    &[("@", &["src", "app", "."]), ("~", &["src", "app", "."]), ("$lib", &["src/lib"])];

/// Directories that a relative specifier goes up at most.
const MAX_WAY_UP: usize = 9;
/// Configurations that extend one another further than this are a cycle.
const MAX_EXTENDS: usize = 8;

/// The configuration files of the world, as far as they concern modules; read once.
pub(super) struct Paths {
    /// By directory of the configuration.
    configurations: FxHashMap<String, Configuration>,
    /// Workspace packages by name: directory and manifest.
    packages: FxHashMap<String, (String, Value)>,
    known: Mutex<ResolvedModules>,
}

/// Files by the directory of who asks, the specifier, whether declarations are asked for, and whether by `require`.
type ResolvedModules = FxHashMap<(Box<str>, Box<str>, (bool, bool)), Option<FileId>>;

/// The content of a `tsconfig.json` or `jsconfig.json`, what it extends included.
#[derive(Clone, Default)]
pub(super) struct Configuration {
    base: Option<String>,
    /// Patterns with their substitutions, resolved against the base.
    paths: Vec<(String, Vec<String>)>,
    module: Option<String>,
    resolution: Option<String>,
    conditions: Vec<String>,
    out: Option<String>,
    root: Option<String>,
    jsx: Option<String>,
    factory: Option<String>,
    fragment: Option<String>,
    jsx_source: Option<String>,
    /// The packages that declare globals, besides those below `@types`.
    types: Vec<String>,
    pub(super) compiler: Compiler,
}

impl Configuration {
    /// Whether the compiler asks the `exports` of a manifest.
    pub(super) fn reads_exports(&self) -> bool {
        match (self.resolution.as_deref(), self.module.as_deref()) {
            (Some(resolution), _) => !matches!(resolution, "node" | "node10" | "classic"),
            (None, Some(module)) => !matches!(module, "commonjs" | "amd" | "umd" | "system"),
            (None, None) => true,
        }
    }

    /// Whether imports become calls of `require`.
    pub(super) fn makes_common_modules(&self) -> bool {
        self.module.as_deref() == Some("commonjs")
    }

    /// Whether a key of `exports` or `imports` holds.
    pub(super) fn meets(&self, condition: &str) -> bool {
        let node = self.resolution.as_deref() != Some("bundler");
        match condition {
            "types" | "import" | "require" | "default" => true,
            "node" => node,
            other => match other.strip_prefix("types@") {
                Some(versions) => self.compiler.is_one_of(versions),
                None => self.conditions.iter().any(|c| c == other),
            },
        }
    }

    /// The source from which a build makes a target.
    fn source_of(&self, world: &dyn World, path: &str) -> Option<FileId> {
        let inside = path.strip_prefix(self.out.as_deref()?)?.strip_prefix('/')?;
        let stem = OUTPUT
            .iter()
            .flat_map(|(end, others)| others.iter().chain([end]))
            .find_map(|end| inside.strip_suffix(end))?;
        let path = join(self.root.as_deref()?, stem);
        EXTENSIONS.iter().find_map(|e| world.file_by_path(&format!("{path}.{e}")))
    }
}

impl Paths {
    pub(super) fn of(rx: &Resolver) -> &Self {
        rx.of_world(|rx| Self::read(rx.world()))
    }

    /// The package of the project that has a name: its directory and manifest.
    pub(super) fn package(&self, name: &str) -> Option<(&str, &Value)> {
        self.packages.get(name).map(|(root, manifest)| (root.as_str(), manifest))
    }

    /// The manifest in a directory.
    pub(super) fn manifest_at(&self, directory: &str) -> Option<(&str, &Value)> {
        let found = self.packages.values().find(|(root, _)| root == directory);
        found.map(|(root, manifest)| (root.as_str(), manifest))
    }

    /// The base of paths in the configuration of a directory.
    pub(super) fn base_of(&self, directory: &str) -> Option<&str> {
        self.configurations.get(directory)?.base.as_deref()
    }

    /// Whether the configuration of a directory has a specifier for an alias of a file.
    pub(super) fn has_exact_alias(&self, directory: &str, specifier: &str, target: &str) -> bool {
        self.configurations.get(directory).is_some_and(|config| {
            let mut paths = config.paths.iter().filter(|(pattern, _)| pattern == specifier);
            paths.any(|(_, targets)| targets.iter().any(|to| to == target))
        })
    }

    fn read(world: &dyn World) -> Self {
        let compiler = Compiler::of(world);
        let mut configurations = FxHashMap::default();
        let mut packages = FxHashMap::default();
        for path in world.configurations() {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
            if name == "package.json" {
                let Some(text) = world.configuration(&path) else { continue };
                let Ok(manifest) = serde_json::from_str::<Value>(&text) else { continue };
                if let Some(name) = manifest["name"].as_str() {
                    packages.insert(name.to_owned(), (directory.to_owned(), manifest));
                }
            } else if (name == "tsconfig.json"
                || name == "jsconfig.json" && !configurations.contains_key(directory))
                && let Some(config) = configuration(world, &path, MAX_EXTENDS)
            {
                configurations.insert(directory.to_owned(), Configuration { compiler, ..config });
            }
        }
        Self { configurations, packages, known: Mutex::default() }
    }

    /// Everything that may be written for a file: the end of its path behind the way to it, a configured prefix or the name
    /// of a package; the name alone of a package that it is in.
    pub(super) fn specifiers(&self, path: &str) -> Vec<Arc<str>> {
        let bare = EXTENSIONS.iter().filter_map(|e| path.strip_suffix(e)?.strip_suffix('.'));
        let bare = bare.min_by_key(|bare| bare.len()).unwrap_or(path);
        let mut ends: Vec<String> = OUTPUT.iter().map(|(end, _)| format!("{bare}{end}")).collect();
        ends.extend([path, bare].map(str::to_owned));
        let folder = bare.strip_suffix("index").filter(|folder| folder.is_empty() || folder.ends_with('/'));
        ends.extend(folder.map(str::to_owned));
        let ways = (1..=MAX_WAY_UP).map(|up| "../".repeat(up)).chain(["./".to_owned(), String::new()]);
        let patterns = || {
            self.configurations.values().flat_map(|config| config.paths.iter().map(|(pattern, _)| pattern))
        };
        let configured = patterns().filter_map(|pattern| Some(pattern.split_once('*')?.0.to_owned()));
        let conventions = CONVENTIONS.iter().map(|(head, _)| format!("{head}/"));
        let heads: BTreeSet<String> = ways
            .chain(configured)
            .chain(conventions)
            .chain(self.packages.keys().map(|name| format!("{name}/")))
            .collect();
        let cuts = |end: &String| -> Vec<usize> {
            end.match_indices('/').map(|(slash, _)| slash + 1).chain([0]).collect()
        };
        let rests: BTreeSet<&str> =
            ends.iter().flat_map(|end| cuts(end).into_iter().map(|at| &end[at..])).collect();
        let mut found: BTreeSet<Arc<str>> = BTreeSet::new();
        for head in &heads {
            for rest in &rests {
                let whole = format!("{head}{rest}");
                found.extend([whole.trim_end_matches('/').into(), whole.as_str().into()]);
            }
        }
        let is_around = |directory: &str| directory.is_empty() || path.starts_with(&format!("{directory}/"));
        let around =
            self.packages.iter().filter(|(_, (directory, _))| is_around(directory)).map(|(name, _)| name);
        found.extend(
            around
                .chain(patterns().filter(|pattern| !pattern.contains('*')))
                .map(|name| name.as_str().into()),
        );
        found.retain(|name| !name.is_empty());
        found.into_iter().collect()
    }

    /// The package from which elements of JSX in a file are made.
    pub(super) fn jsx_source(&self, path: &str) -> &str {
        let config = around(paths::directory(path)).find_map(|at| self.configurations.get(at));
        config.and_then(|config| config.jsx_source.as_deref()).unwrap_or("react")
    }

    /// Directories of packages and configurations, the outermost first.
    pub(super) fn directories(&self) -> BTreeSet<&str> {
        let packages = self.packages.values().map(|(directory, _)| directory.as_str());
        packages.chain(self.configurations.keys().map(String::as_str)).chain([""]).collect()
    }

    /// The packages in `types` of the configuration of a directory.
    pub(super) fn types_named_in(&self, directory: &str) -> &[String] {
        self.configurations.get(directory).map_or(&[], |config| &config.types)
    }

    /// The declarations beside a file that runs: they may declare types that it does not have.
    pub(super) fn described_by(world: &dyn World, path: &str) -> Option<FileId> {
        let ends = [(".js", ".d.ts"), (".mjs", ".d.mts"), (".cjs", ".d.cts")];
        let (stem, end) = ends.iter().find_map(|(from, to)| Some((path.strip_suffix(from)?, to)))?;
        world.file_by_path(&format!("{stem}{end}"))
    }

    /// The file that a specifier means in a file; `None` outside the world.
    pub(super) fn resolve(&self, world: &dyn World, from: &str, specifier: &str) -> Option<FileId> {
        self.resolve_as(world, from, specifier, false)
    }

    /// [`Self::resolve`], where a module may be asked for by `require`.
    pub(super) fn resolve_as(
        &self,
        world: &dyn World,
        from: &str,
        specifier: &str,
        is_required: bool,
    ) -> Option<FileId> {
        let directory = paths::directory(from);
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        // A typed file asks for declarations before the JavaScript beside them.
        let is_typed = [".ts", ".tsx", ".mts", ".cts"].iter().any(|ending| from.ends_with(ending));
        let key = (directory.into(), specifier.into(), (is_typed, is_required));
        if let Some(found) = known().get(&key) {
            return *found;
        }
        let names_output = specifier.starts_with('.')
            && [".js", ".mjs", ".cjs", ".jsx"].iter().any(|end| specifier.ends_with(end));
        let declared = (is_typed && names_output)
            .then(|| source_of_output(world, &join(directory, specifier)))
            .flatten()
            .filter(|file| is_declaring(world, *file));
        let found = declared.or_else(|| self.found(world, directory, specifier, is_required));
        known().insert(key, found);
        found
    }

    fn found(
        &self,
        world: &dyn World,
        directory: &str,
        specifier: &str,
        is_required: bool,
    ) -> Option<FileId> {
        if specifier.starts_with('.') {
            let path = join(directory, specifier);
            return file_or_directory(world, &path).or_else(|| of_folder(world, &path));
        }
        let config = around(directory).find_map(|at| self.configurations.get(at));
        config
            .and_then(|config| by_configuration(world, config, specifier))
            .or_else(|| self.by_package(world, directory, config, specifier))
            .or_else(|| installed(world, directory, config, specifier, is_required))
            .or_else(|| declared_module(world, specifier))
            .or_else(|| by_convention(world, directory, specifier))
    }

    /// A package of this world by its name, or an `imports` entry of the package around.
    fn by_package(
        &self,
        world: &dyn World,
        directory: &str,
        config: Option<&Configuration>,
        specifier: &str,
    ) -> Option<FileId> {
        let owner = around(directory)
            .find_map(|at| self.packages.values().find(|(root, _)| root == at))
            .map(|(root, manifest)| (root.as_str(), manifest));
        if specifier.starts_with('#') {
            let (root, manifest) = owner?;
            let (entry, star) = entry_of(&manifest["imports"], specifier)?;
            let mut targets = Vec::new();
            collect_targets(entry, &|condition| config.is_none_or(|c| c.meets(condition)), &mut targets);
            return targets.iter().find_map(|t| source_of(world, root, &t.replacen('*', &star, 1)));
        }
        let (name, rest) = package_of(specifier);
        let (root, manifest) = self.packages.get(name)?;
        match config {
            Some(config) if owner.is_some_and(|(at, _)| at == root) => {
                of_itself(world, root, manifest, rest, config)
            }
            _ => of_workspace(world, root, manifest, rest),
        }
    }
}

/// A directory and those around it, innermost first.
pub(super) fn around(directory: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory), |at| (!at.is_empty()).then(|| paths::directory(at)))
}

fn by_configuration(world: &dyn World, config: &Configuration, specifier: &str) -> Option<FileId> {
    for (pattern, substitutions) in &config.paths {
        let matched = match pattern.split_once('*') {
            Some((head, tail)) => {
                specifier.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)).map(str::to_owned)
            }
            None => (pattern == specifier).then(String::new),
        };
        let Some(star) = matched else { continue };
        let found = substitutions.iter().find_map(|s| file_or_directory(world, &s.replacen('*', &star, 1)));
        if found.is_some() {
            return found;
        }
    }
    file_or_directory(world, &join(config.base.as_deref()?, specifier))
}

/// The meaning of a prefix that frameworks use and no file states: the folder of the sources in a directory
/// around.
fn by_convention(world: &dyn World, directory: &str, specifier: &str) -> Option<FileId> {
    let (rest, folders) = CONVENTIONS.iter().find_map(|(head, folders)| {
        let rest = specifier.strip_prefix(head)?;
        (rest.is_empty() || rest.starts_with('/')).then(|| (rest.trim_start_matches('/'), folders))
    })?;
    around(directory).find_map(|at| {
        folders.iter().find_map(|folder| file_or_directory(world, &join(&join(at, folder), rest)))
    })
}

/// The file with `declare module "specifier"`.
fn declared_module(world: &dyn World, specifier: &str) -> Option<FileId> {
    let sites = world.declarations(specifier).into_iter();
    let mut declared = sites.filter(|site| site.kind == SymbolKind::Module).map(|site| site.at.file);
    declared.find(|file| world.file(*file).language.is_some_and(|language| language.family() == Family::Ecma))
}

/// The targets in `exports` for the path `rest` inside a package, by the conditions that hold.
pub(super) fn exported_targets(manifest: &Value, rest: &str, holds: &dyn Fn(&str) -> bool) -> Vec<String> {
    let exports = &manifest["exports"];
    let key = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
    let entry = match exports {
        Value::Object(table) if table.keys().any(|k| k.starts_with('.')) => entry_of(exports, &key),
        other if rest.is_empty() => Some((other, String::new())),
        _ => None,
    };
    let Some((entry, star)) = entry else { return Vec::new() };
    let mut targets = Vec::new();
    collect_targets(entry, holds, &mut targets);
    targets.iter().map(|t| t.replacen('*', &star, 1)).collect()
}

/// A file of the package that names itself.
fn of_itself(
    world: &dyn World,
    root: &str,
    manifest: &Value,
    rest: &str,
    config: &Configuration,
) -> Option<FileId> {
    if !config.reads_exports() {
        return None;
    }
    let targets = exported_targets(manifest, rest, &|condition| config.meets(condition));
    targets.iter().find_map(|target| {
        let path = join(root, target);
        config.source_of(world, &path).or_else(|| file_of_output(world, &path))
    })
}

/// A file of another package of the workspace.
fn of_workspace(world: &dyn World, root: &str, manifest: &Value, rest: &str) -> Option<FileId> {
    let targets = exported_targets(manifest, rest, &|_| true);
    // An existing file comes before the source that a build would make a target from.
    let existing = targets.iter().find_map(|t| file_or_directory(world, &join(root, t)));
    if let Some(found) = existing.or_else(|| targets.iter().find_map(|t| source_of(world, root, t))) {
        return Some(found);
    }
    if !rest.is_empty() {
        return file_or_directory(world, &join(root, rest));
    }
    let mains = ["source", "types", "typings", "module", "main"];
    mains
        .iter()
        .filter_map(|field| manifest[*field].as_str())
        .find_map(|target| source_of(world, root, target))
        .or_else(|| file_or_directory(world, &join(root, "src/index")))
        .or_else(|| file_or_directory(world, &join(root, "index")))
}

/// The main module of a folder by its own manifest.
fn of_folder(world: &dyn World, path: &str) -> Option<FileId> {
    let text = world.configuration(&join(path, "package.json"))?;
    let manifest = serde_json::from_str::<Value>(&text).ok()?;
    let mains = ["types", "typings", "source", "module", "main"];
    mains.iter().find_map(|field| source_of(world, path, manifest[*field].as_str()?))
}

/// The configuration at a path, over the one that it extends.
fn configuration(world: &dyn World, path: &str, hops: usize) -> Option<Configuration> {
    let directory = paths::directory(path);
    let config = serde_json::from_str::<Value>(&without_comments(&world.configuration(path)?)).ok()?;
    let extended: Vec<&str> = match &config["extends"] {
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        other => other.as_str().into_iter().collect(),
    };
    let mut merged = Configuration::default();
    for base in extended {
        let found =
            Some(join(directory, base)).filter(|_| hops > 0 && base.starts_with('.')).and_then(|base| {
                [base.clone(), format!("{base}.json")]
                    .into_iter()
                    .find_map(|p| configuration(world, &p, hops - 1))
            });
        merged = found.unwrap_or(merged);
    }
    let options = &config["compilerOptions"];
    let text = |key: &str| options[key].as_str().map(str::to_ascii_lowercase);
    let place = |key: &str| options[key].as_str().map(|path| join(directory, path));
    merged.base = place("baseUrl").or(merged.base);
    merged.module = text("module").or(merged.module);
    merged.resolution = text("moduleResolution").or(merged.resolution);
    merged.out = place("outDir").or(merged.out);
    merged.jsx = text("jsx").or(merged.jsx);
    merged.jsx_source = options["jsxImportSource"].as_str().map(str::to_owned).or(merged.jsx_source);
    merged.factory = options["jsxFactory"].as_str().map(str::to_owned).or(merged.factory);
    merged.fragment = options["jsxFragmentFactory"].as_str().map(str::to_owned).or(merged.fragment);
    merged.root = place("rootDir").or_else(|| merged.root.or(Some(directory.to_owned())));
    if let Some(types) = options["types"].as_array() {
        merged.types = types.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    if let Some(conditions) = options["customConditions"].as_array() {
        merged.conditions = conditions.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    if let Some(paths) = options["paths"].as_object() {
        let root = merged.base.clone().unwrap_or_else(|| directory.to_owned());
        merged.paths = paths
            .iter()
            .map(|(pattern, targets)| {
                let targets = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
                (pattern.clone(), targets.map(|t| join(&root, t)).collect())
            })
            .collect();
    }
    Some(merged)
}

/// The entry of a key in `exports` or `imports`, with what a pattern's star stands for.
pub(super) fn entry_of<'a>(table: &'a Value, key: &str) -> Option<(&'a Value, String)> {
    let table = table.as_object()?;
    if let Some(entry) = table.get(key) {
        return Some((entry, String::new()));
    }
    table.iter().find_map(|(pattern, entry)| {
        let (head, tail) = pattern.split_once('*')?;
        Some((entry, key.strip_prefix(head)?.strip_suffix(tail)?.to_owned()))
    })
}

/// The targets under the conditions that hold, in their order.
fn collect_targets<'a>(entry: &'a Value, holds: &dyn Fn(&str) -> bool, into: &mut Vec<&'a str>) {
    match entry {
        Value::String(target) => into.push(target),
        Value::Array(all) => all.iter().for_each(|e| collect_targets(e, holds, into)),
        Value::Object(conditions) => {
            conditions.iter().filter(|(c, _)| holds(c)).for_each(|(_, e)| collect_targets(e, holds, into));
        }
        _ => {}
    }
}

/// The source file behind a target of a package: the target itself, or what a build made it from.
fn source_of(world: &dyn World, root: &str, target: &str) -> Option<FileId> {
    let path = join(root, target);
    if let Some(found) = file_or_directory(world, &path) {
        return Some(found);
    }
    let inside = path.strip_prefix(root)?.trim_start_matches('/');
    let (first, rest) = inside.split_once('/').unwrap_or(("", inside));
    const BUILT: &[&str] = &["dist", "build", "lib", "out", "es", "esm", "cjs", "types", "umd", ""];
    let rest = if BUILT.contains(&first) { rest } else { inside };
    let stem = rest.split('.').next()?;
    ["src", "lib", "source"]
        .iter()
        .find_map(|dir| file_or_directory(world, &join(root, &format!("{dir}/{stem}"))))
}

/// A file by its path, or the source of the output that the path names.
fn file_of_output(world: &dyn World, path: &str) -> Option<FileId> {
    world.file_by_path(path).or_else(|| source_of_output(world, path))
}

/// The source of the output that a path names, or what declares it.
fn source_of_output(world: &dyn World, path: &str) -> Option<FileId> {
    OUTPUT.iter().find_map(|(from, to)| {
        let stem = path.strip_suffix(from)?;
        to.iter().find_map(|ending| world.file_by_path(&format!("{stem}{ending}")))
    })
}

pub(super) fn file_or_directory(world: &dyn World, path: &str) -> Option<FileId> {
    let extended = || EXTENSIONS.iter().find_map(|e| world.file_by_path(&format!("{path}.{e}")));
    let index = || {
        let base = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
        EXTENSIONS.iter().find_map(|e| world.file_by_path(&format!("{base}.{e}")))
    };
    file_of_output(world, path).or_else(extended).or_else(index)
}

/// The path that a relative path means in a directory.
pub(super) fn join(directory: &str, path: &str) -> String {
    paths::normal(&paths::join(directory, path))
}

/// Comments and trailing commas out of a configuration file.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut in_string = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                in_string = !in_string;
                out.push(c);
            }
            '\\' if in_string => {
                out.push(c);
                out.extend(chars.next());
            }
            '/' if !in_string && chars.peek() == Some(&'/') => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
            }
            '/' if !in_string && chars.peek() == Some(&'*') => {
                let mut last = ' ';
                for c in chars.by_ref().skip(1) {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' if !in_string => {
                while out.ends_with(char::is_whitespace) {
                    out.pop();
                }
                if out.ends_with(',') {
                    out.pop();
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// The specifier of a module for an importer, after one of both moved; endings stay as they were written. Specifiers that
/// are not relative lead somewhere by configuration.
pub(super) fn moved(written: &str, importer: &str, (before, after): (&str, &str)) -> Option<String> {
    if !written.starts_with('.') {
        return if before == after {
            Some(written.to_owned())
        } else {
            moved_below_prefix(written, before, after)
        };
    }
    let last = written.rsplit('/').next().unwrap_or(written);
    let mut target = after.to_owned();
    let names_directory = paths::stem(before) == "index" && paths::stem(last) != "index";
    let directory = target.strip_suffix(target.rsplit('/').next()?)?;
    if names_directory && paths::stem(after) == "index" {
        target = directory.trim_end_matches('/').to_owned();
    } else if names_directory {
        target = format!("{directory}{}", paths::stem(after));
    } else {
        let ending = last.strip_prefix(paths::stem(last)).unwrap_or("");
        target = format!("{directory}{}{ending}", paths::stem(after));
    }
    let from: Vec<&str> = importer.split('/').collect();
    let to: Vec<&str> = target.split('/').collect();
    let folders = &from[..from.len() - 1];
    let shared = folders.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = folders.len() - shared;
    let head = if up == 0 { "./".to_owned() } else { "../".repeat(up) };
    Some(format!("{head}{}", to[shared..].join("/")))
}

/// `@/ui/box` as long as the file stays in the folder that the prefix stands for.
fn moved_below_prefix(written: &str, before: &str, after: &str) -> Option<String> {
    let last = written.rsplit('/').next()?;
    let ending = last.strip_prefix(paths::stem(last))?;
    let bare = |path: &str| {
        let name = path.rsplit('/').next().unwrap_or(path);
        path[..path.len() - name.len() + paths::stem(name).len()].to_owned()
    };
    let (old, new) = (bare(before), bare(after));
    written.match_indices('/').find_map(|(slash, _)| {
        let (head, rest) = written.split_at(slash + 1);
        let folder = old.strip_suffix(rest.strip_suffix(ending)?)?;
        let is_whole = folder.is_empty() || folder.ends_with('/');
        let rest = new.strip_prefix(folder).filter(|_| is_whole)?;
        Some(format!("{head}{rest}{ending}"))
    })
}

/// Files that are looked at for how they write specifiers.
const MAX_EXAMPLES: usize = 300;

/// The specifier of a module of the project, with the ending that relative ones have in the files around.
///
/// # Errors
/// When modules are asked for by `require`.
pub(super) fn specifier(
    rx: &Resolver,
    like: &FileView,
    importer: &str,
    module: &str,
) -> Result<String, String> {
    use crate::facts::ImportFlags;
    let is_static = |import: &&crate::facts::Import| !import.flags.has(ImportFlags::DYNAMIC);
    if like.imports.iter().any(|i| !is_static(&i)) && !like.imports.iter().any(|i| is_static(&i)) {
        return Err(format!("{} asks for modules by `require`", like.path));
    }
    // The style of the importer itself comes first, then that of the files beside it, then that of its package.
    let world = rx.world();
    let directory = paths::directory(importer);
    let is_package = |at: &&str| world.configuration(&join(at, "package.json")).is_some();
    let package = around(directory).find(is_package).unwrap_or_default();
    let files = |is_near: &dyn Fn(&str) -> bool| -> Vec<FileId> {
        let is_ecma = |id: &FileId| world.file(*id).language.is_some_and(|l| l.family() == Family::Ecma);
        let near = (0..world.file_count()).map(FileId).filter(is_ecma);
        near.filter(|id| is_near(world.file(*id).path.as_str())).take(MAX_EXAMPLES).collect()
    };
    let beside = || files(&|path| paths::directory(path) == directory);
    let within = || files(&|path| package.is_empty() || path.starts_with(&format!("{package}/")));
    let written = |view: &FileView| {
        let mut all = view.imports.iter().filter(is_static).map(|import| view.name(import.module).to_owned());
        all.find(|module| module.starts_with('.'))
    };
    let example = written(like)
        .or_else(|| beside().into_iter().find_map(|id| written(rx.file(id))))
        .or_else(|| within().into_iter().find_map(|id| written(rx.file(id))));
    let ending = example
        .and_then(|example| Some(example.rsplit('/').next()?.split_once('.')?.1.to_owned()))
        .filter(|ending| CODE.contains(&ending.as_str()))
        .map_or_else(String::new, |ending| format!(".{ending}"));
    // With endings, the file of a directory is named too.
    let before = if ending.is_empty() { module } else { "x" };
    moved(&format!("./x{ending}"), importer, (before, module))
        .ok_or_else(|| format!("how {module} is imported is not known"))
}

/// The relative specifier of a module that moved, for an importer that named it by a path that configuration gives it; `None`
/// where they are parts of different packages.
pub(super) fn anew(
    rx: &Resolver,
    file: &FileView,
    importer: &str,
    (before, after): (&str, &str),
) -> Option<String> {
    let home = |path: &str| {
        let mut directories = around(paths::directory(path)).map(str::to_owned);
        directories.find(|at| rx.world().configuration(&join(at, "package.json")).is_some())
    };
    let package = home(importer);
    if home(before) != package || home(after) != package {
        return None;
    }
    // Only the ending of a file of code may be left out.
    let (_, ending) = after.rsplit_once('.')?;
    if !CODE.contains(&ending) {
        return moved(&format!("./x.{ending}"), importer, (after, after));
    }
    specifier(rx, file, importer, after).ok().or_else(|| moved("./x", importer, (after, after)))
}

/// Names that elements of JSX are made by, unless the configuration says that they are imported by the compiler.
const FACTORIES: &[&str] = &["React", "Preact", "h", "Fragment", "jsx"];

/// Whether an import has an effect without being named: JSX is made with it.
pub(super) fn import_works_unnamed(rx: &Resolver, file: &FileView, id: ImportId) -> bool {
    let Some(def) = file.import(id).def else { return true };
    makes_elements(rx, file, file.def_name(def))
}

/// Whether elements of JSX in a file are made by what is called so.
pub(super) fn makes_elements(rx: &Resolver, file: &FileView, name: &str) -> bool {
    if ![".tsx", ".jsx", ".js"].iter().any(|end| file.path.ends_with(end)) {
        return false;
    }
    let paths = Paths::of(rx);
    let directory = paths::directory(&file.path);
    let config = around(directory).find_map(|at| paths.configurations.get(at));
    let by_compiler = config.and_then(|c| c.jsx.as_deref()).is_some_and(|jsx| jsx.starts_with("react-jsx"));
    let told = config.into_iter().flat_map(|c| [&c.factory, &c.fragment]);
    let mut told = told.flatten().filter_map(|factory| factory.split('.').next());
    !by_compiler && (FACTORIES.contains(&name) || told.any(|factory| factory == name))
}

#[cfg(test)]
mod tests {
    #[test]
    fn specifiers_follow_a_move() {
        let moved = |written, importer, before, after| super::moved(written, importer, (before, after));
        assert_eq!(moved("./a", "src/b.ts", "src/a.ts", "src/lib/a.ts").as_deref(), Some("./lib/a"));
        assert_eq!(moved("./a.js", "src/x/b.ts", "src/x/a.ts", "src/c.ts").as_deref(), Some("../c.js"));
        assert_eq!(
            moved("./ui", "src/b.ts", "src/ui/index.ts", "src/new/index.ts").as_deref(),
            Some("./new")
        );
        assert_eq!(
            moved("./ui", "src/b.ts", "src/ui/index.ts", "src/new/main.ts").as_deref(),
            Some("./new/main")
        );
        assert_eq!(moved("@app/a", "src/b.ts", "src/a.ts", "src/c.ts").as_deref(), Some("@app/c"));
        let vue = |after| moved("@/ui/Box.vue", "src/b.ts", "src/ui/Box.vue", after);
        assert_eq!(vue("src/Pot.vue").as_deref(), Some("@/Pot.vue"));
        assert_eq!(vue("lib/Box.vue"), None);
        assert_eq!(moved("box", "src/b.ts", "node/box.ts", "node/pot.ts"), None);
    }
}
