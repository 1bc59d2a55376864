//! From module specifiers to files: relative paths, `paths` and `baseUrl` of the nearest configuration, packages of the
//! workspace.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::resolve::Resolver;
use crate::world::{FileId, World};

/// Tried behind a specifier, in this order.
const EXTENSIONS: &[&str] = &[
    "ts", "tsx", "d.ts", "mts", "cts", "js", "jsx", "mjs", "cjs", "d.mts", "d.cts", "vue", "svelte", "json",
];
/// Endings of output that stand for those of its source.
const OUTPUT: &[(&str, &[&str])] = &[
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
    (".jsx", &[".tsx"]),
];

/// What the configuration files of the world say about modules, read once.
pub(super) struct Paths {
    /// By directory of the configuration: patterns with their substitutions, resolved against its base.
    configurations: FxHashMap<String, Configuration>,
    /// Workspace packages by name: directory and manifest.
    packages: FxHashMap<String, (String, Value)>,
}

#[derive(Default)]
struct Configuration {
    base: Option<String>,
    paths: Vec<(String, Vec<String>)>,
}

impl Paths {
    pub(super) fn of(rx: &Resolver) -> Arc<Self> {
        rx.extension(|rx| Self::read(rx.world()))
    }

    fn read(world: &dyn World) -> Self {
        let mut configurations = FxHashMap::default();
        let mut packages = FxHashMap::default();
        for path in world.configurations() {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
            let Some(text) = world.configuration(&path) else { continue };
            if name == "package.json" {
                let Ok(manifest) = serde_json::from_str::<Value>(&text) else { continue };
                if let Some(name) = manifest["name"].as_str() {
                    packages.insert(name.to_owned(), (directory.to_owned(), manifest));
                }
            } else if name == "tsconfig.json" || name == "jsconfig.json" {
                let Ok(config) = serde_json::from_str::<Value>(&without_comments(&text)) else { continue };
                configurations
                    .entry(directory.to_owned())
                    .or_insert_with(|| configuration(directory, &config));
            }
        }
        Self { configurations, packages }
    }

    /// The file that a specifier means in a file; `None` outside the world.
    pub(super) fn resolve(&self, world: &dyn World, from: &str, specifier: &str) -> Option<FileId> {
        let directory = from.rsplit_once('/').map_or("", |(directory, _)| directory);
        if specifier.starts_with('.') {
            return file_or_directory(world, &join(directory, specifier)?);
        }
        self.by_configuration(world, directory, specifier)
            .or_else(|| self.by_package(world, directory, specifier))
    }

    fn by_configuration(&self, world: &dyn World, directory: &str, specifier: &str) -> Option<FileId> {
        let mut at = Some(directory);
        let config = loop {
            let here = at?;
            if let Some(config) = self.configurations.get(here) {
                break config;
            }
            at = if here.is_empty() {
                None
            } else {
                Some(here.rsplit_once('/').map_or("", |(parent, _)| parent))
            };
        };
        for (pattern, substitutions) in &config.paths {
            let matched = match pattern.split_once('*') {
                Some((head, tail)) => {
                    specifier.strip_prefix(head).and_then(|rest| rest.strip_suffix(tail)).map(str::to_owned)
                }
                None => (pattern == specifier).then(String::new),
            };
            let Some(star) = matched else { continue };
            let found =
                substitutions.iter().find_map(|s| file_or_directory(world, &s.replacen('*', &star, 1)));
            if found.is_some() {
                return found;
            }
        }
        file_or_directory(world, &join(config.base.as_deref()?, specifier)?)
    }

    /// A package of this world by its name, or an `imports` entry of the package around.
    fn by_package(&self, world: &dyn World, directory: &str, specifier: &str) -> Option<FileId> {
        if specifier.starts_with('#') {
            let owner = self.packages.values().filter(|(root, _)| {
                directory == root || directory.starts_with(&format!("{root}/")) || root.is_empty()
            });
            let (root, manifest) = owner.max_by_key(|(root, _)| root.len())?;
            let (entry, star) = entry_of(&manifest["imports"], specifier)?;
            let mut targets = Vec::new();
            collect_targets(entry, &mut targets);
            return targets.iter().find_map(|t| source_of(world, root, &t.replacen('*', &star, 1)));
        }
        let segments = if specifier.starts_with('@') { 2 } else { 1 };
        let end = specifier.match_indices('/').nth(segments - 1).map_or(specifier.len(), |(at, _)| at);
        let (name, rest) = specifier.split_at(end);
        let (root, manifest) = self.packages.get(name)?;
        let rest = rest.trim_start_matches('/');
        let key = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        let exports = &manifest["exports"];
        let entry = match exports {
            Value::Object(table) if table.keys().any(|k| k.starts_with('.')) => entry_of(exports, &key),
            other if rest.is_empty() => Some((other, String::new())),
            _ => None,
        };
        if let Some((entry, star)) = entry {
            let mut targets = Vec::new();
            collect_targets(entry, &mut targets);
            let paths = || targets.iter().map(|t| t.replacen('*', &star, 1));
            // What exists comes before what a build would make of a source.
            let existing = paths().find_map(|t| file_or_directory(world, &join(root, &t)?));
            if let Some(found) = existing.or_else(|| paths().find_map(|t| source_of(world, root, &t))) {
                return Some(found);
            }
        }
        if !rest.is_empty() {
            return file_or_directory(world, &join(root, rest)?);
        }
        let mains = ["source", "types", "typings", "module", "main"];
        mains
            .iter()
            .filter_map(|field| manifest[*field].as_str())
            .find_map(|target| source_of(world, root, target))
            .or_else(|| file_or_directory(world, &join(root, "src/index")?))
            .or_else(|| file_or_directory(world, &join(root, "index")?))
    }
}

fn configuration(directory: &str, config: &Value) -> Configuration {
    let options = &config["compilerOptions"];
    let base = options["baseUrl"].as_str().and_then(|base| join(directory, base));
    let root = base.clone().unwrap_or_else(|| directory.to_owned());
    let paths = options["paths"].as_object().into_iter().flatten();
    let paths = paths
        .map(|(pattern, targets)| {
            let targets = targets.as_array().into_iter().flatten().filter_map(Value::as_str);
            (pattern.clone(), targets.filter_map(|t| join(&root, t)).collect())
        })
        .collect();
    Configuration { base, paths }
}

/// The entry of a key in `exports` or `imports`, with what a pattern's star stands for.
fn entry_of<'a>(table: &'a Value, key: &str) -> Option<(&'a Value, String)> {
    let table = table.as_object()?;
    if let Some(entry) = table.get(key) {
        return Some((entry, String::new()));
    }
    table.iter().find_map(|(pattern, entry)| {
        let (head, tail) = pattern.split_once('*')?;
        Some((entry, key.strip_prefix(head)?.strip_suffix(tail)?.to_owned()))
    })
}

/// The targets of nested conditions, in their order.
fn collect_targets<'a>(entry: &'a Value, into: &mut Vec<&'a str>) {
    match entry {
        Value::String(target) => into.push(target),
        Value::Array(all) => all.iter().for_each(|e| collect_targets(e, into)),
        Value::Object(conditions) => conditions.values().for_each(|e| collect_targets(e, into)),
        _ => {}
    }
}

/// The source file behind a target of a package: the target itself, or what a build made it from.
fn source_of(world: &dyn World, root: &str, target: &str) -> Option<FileId> {
    let path = join(root, target)?;
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
        .find_map(|dir| file_or_directory(world, &join(root, &format!("{dir}/{stem}"))?))
}

fn file_or_directory(world: &dyn World, path: &str) -> Option<FileId> {
    let exact = world.file_by_path(path);
    let output = || {
        OUTPUT.iter().find_map(|(from, to)| {
            let stem = path.strip_suffix(from)?;
            to.iter().find_map(|ending| world.file_by_path(&format!("{stem}{ending}")))
        })
    };
    let extended = || EXTENSIONS.iter().find_map(|e| world.file_by_path(&format!("{path}.{e}")));
    let index = || {
        let base = if path.is_empty() { "index".to_owned() } else { format!("{path}/index") };
        EXTENSIONS.iter().find_map(|e| world.file_by_path(&format!("{base}.{e}")))
    };
    exact.or_else(output).or_else(extended).or_else(index)
}

/// `None` when the path leads out of the project.
fn join(directory: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = directory.split('/').filter(|p| !p.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            other => parts.push(other),
        }
    }
    Some(parts.join("/"))
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
