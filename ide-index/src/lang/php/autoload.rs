//! Namespaces by directories, as `composer.json` says (PSR-4).

use ide_model::{Family, FilePath, SymbolKind, paths};
use serde_json::Value;

use crate::facts::{Def, DefFlags, FileFacts};
use crate::lang::places::namespace_by_directories;
use crate::library::bundled::path_in;
use crate::resolve::{FileView, Resolver};
use crate::world::GlobalDef;

/// The namespace of a file that lies at a path. Files without one stay without.
///
/// # Errors
/// Why it cannot be told.
pub(super) fn namespace_at(rx: &Resolver, file: &FileView, to: &FilePath) -> Result<String, String> {
    if file.package.is_none() {
        return Ok(String::new());
    }
    let directory = paths::directory(to.as_str());
    if directory == paths::directory(&file.path) {
        return namespace_by_directories(rx, file, to, "\\");
    }
    let mut found: Option<(usize, String)> = None;
    for (root, prefix) in roots(rx) {
        let rest = if root.is_empty() { Some(directory) } else { directory.strip_prefix(root.as_str()) };
        let Some(rest) = rest.filter(|rest| root.is_empty() || rest.is_empty() || rest.starts_with('/'))
        else {
            continue;
        };
        if found.as_ref().is_none_or(|(len, _)| *len < root.len()) {
            let parts: Vec<&str> =
                prefix.split('\\').chain(rest.split('/')).filter(|part| !part.is_empty()).collect();
            found = Some((root.len(), parts.join("\\")));
        }
    }
    match found {
        Some((_, namespace)) => Ok(namespace),
        None => namespace_by_directories(rx, file, to, "\\"),
    }
}

/// Whether `composer.json` says that a file is loaded when a declaration in it is needed, or always.
pub(super) fn loads(rx: &Resolver, def: GlobalDef, to: &FilePath) -> bool {
    let is_class = rx.def(def).kind.is_type();
    let covers = |home: &str, directory: &str| {
        let place = paths::join(home, directory.trim_start_matches("./").trim_end_matches('/'));
        let place = place.trim_end_matches('/');
        place.is_empty()
            || to.as_str().strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    configurations(rx).iter().any(|(home, config)| {
        let named = AUTOLOADS.iter().flat_map(|key| {
            let kinds = ["psr-4", "psr-0", "classmap"].into_iter().filter(|_| is_class).chain(["files"]);
            kinds.flat_map(move |kind| texts(&config[key][kind]))
        });
        { named }.any(|place| covers(home, place))
    })
}

/// Whether a class by its whole name would have to lie in a directory of this application, and does not. The namespaces of a library
/// may go on in others.
pub(in crate::lang) fn lacks_class(rx: &Resolver, full: &str) -> bool {
    let full = full.trim_start_matches('\\');
    let is_application = |config: &Value| config["type"].as_str() == Some("project");
    let mut places = Vec::new();
    for (home, config) in configurations(rx) {
        for key in AUTOLOADS {
            let Some(map) = config[key]["psr-4"].as_object() else { continue };
            for (prefix, directories) in map {
                let Some(rest) = full.strip_prefix(prefix.as_str()).filter(|_| !prefix.is_empty()) else {
                    continue;
                };
                if !is_application(&config) && !prefix.starts_with("App\\") {
                    return false;
                }
                let rest = rest.replace('\\', "/");
                places.extend(texts(directories).into_iter().map(|directory| {
                    let directory = directory.trim_start_matches("./").trim_end_matches('/');
                    paths::join(&home, &paths::join(directory, &rest))
                }));
            }
        }
    }
    let world = rx.world();
    let is_there = |place: &String| {
        let (directory, name) = place.rsplit_once('/').unwrap_or(("", place));
        let is_named = |id: &crate::world::FileId| {
            world
                .file(*id)
                .path
                .file_name()
                .split('.')
                .next()
                .is_some_and(|stem| stem.eq_ignore_ascii_case(name))
        };
        world.directory(place).is_some()
            || world.directory(directory).is_some_and(|found| found.files.iter().any(is_named))
    };
    !places.is_empty() && !places.iter().any(is_there)
}

/// The classes, functions and constants of a file that PHP itself declares too, with their namespaces: a file may not.
pub(crate) fn taken_names(rx: &Resolver, facts: &FileFacts) -> Vec<String> {
    let of = |d: &Def| {
        let is_alias = matches!(d.kind, SymbolKind::TypeAlias | SymbolKind::TypeParameter);
        let is_class = d.kind.is_type() && !is_alias;
        let is_outer = is_class || is_value(d.kind);
        let is_odd = [DefFlags::ANONYMOUS, DefFlags::LOCAL].iter().any(|flag| d.flags.has(*flag));
        let namespace = match facts.enclosing_def(d.scope) {
            None => facts.package.map_or("", |package| facts.name(package)),
            Some(around) if facts.def(around).kind == SymbolKind::Namespace => facts.def_name(around),
            Some(_) => return None,
        };
        let name = facts.name(d.name);
        let is_taken = is_outer && !is_odd && namespace.is_empty() && is_built_in(rx, name, d.kind);
        is_taken.then(|| name.to_owned())
    };
    facts.defs.iter().filter_map(of).collect()
}

/// Extensions that no build of PHP can leave out.
const ALWAYS_THERE: [&str; 9] =
    ["Core", "Reflection", "SPL", "date", "hash", "json", "pcre", "random", "standard"];

fn is_value(kind: SymbolKind) -> bool {
    matches!(kind, SymbolKind::Function | SymbolKind::Constant)
}

/// Whether PHP itself declares a class, function or constant of this name.
fn is_built_in(rx: &Resolver, name: &str, kind: SymbolKind) -> bool {
    let sites = rx.world().library_declarations(Family::Php, name);
    sites.into_iter().any(|site| {
        let home = rx.file(site.at.file);
        let is_same = if kind.is_type() { site.kind.is_type() } else { site.kind == kind };
        is_same
            && home.package.is_none()
            && rx.member_owner(site.at).is_none()
            && path_in("php", &home.path).is_some_and(|path| {
                let part = path.strip_prefix("stubs/").and_then(|rest| rest.split('/').next());
                part.is_some_and(|part| ALWAYS_THERE.contains(&part))
            })
    })
}

const AUTOLOADS: [&str; 2] = ["autoload", "autoload-dev"];

/// The texts in lists and maps of them.
fn texts(value: &Value) -> Vec<&str> {
    fn listed(value: &Value) -> Vec<&str> {
        match value {
            Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
            other => other.as_str().into_iter().collect(),
        }
    }
    match value {
        Value::Object(map) => map.values().flat_map(listed).collect(),
        other => listed(other),
    }
}

/// The directories of `composer.json` files, and what those say.
fn configurations(rx: &Resolver) -> Vec<(String, Value)> {
    let all = rx.world().configurations().into_iter();
    let read = |path: std::sync::Arc<str>| {
        let home = path.strip_suffix("composer.json")?;
        let text = rx.world().configuration(&path)?;
        Some((home.to_owned(), serde_json::from_str::<Value>(&text).ok()?))
    };
    all.filter_map(read).collect()
}

/// Directories with the namespaces that begin there.
fn roots(rx: &Resolver) -> Vec<(String, String)> {
    let mut roots = Vec::new();
    for (home, config) in configurations(rx) {
        for key in AUTOLOADS {
            let Some(map) = config[key]["psr-4"].as_object() else { continue };
            for (prefix, directories) in map {
                let place = |directory: &str| format!("{home}{directory}").trim_end_matches('/').to_owned();
                roots.extend(
                    texts(directories).into_iter().map(|directory| (place(directory), prefix.clone())),
                );
            }
        }
    }
    roots
}
