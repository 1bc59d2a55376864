//! Namespaces by directories, as `composer.json` says (PSR-4).

use ide_model::{FilePath, paths};
use serde_json::Value;

use crate::lang::places::namespace_by_directories;
use crate::resolve::{FileView, Resolver};

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

/// Directories with the namespaces that begin there.
fn roots(rx: &Resolver) -> Vec<(String, String)> {
    let mut roots = Vec::new();
    for path in rx.world().configurations() {
        let Some(home) = path.strip_suffix("composer.json") else { continue };
        let text = rx.world().configuration(&path);
        let Some(config) = text.and_then(|text| serde_json::from_str::<Value>(&text).ok()) else { continue };
        for key in ["autoload", "autoload-dev"] {
            let Some(map) = config[key]["psr-4"].as_object() else { continue };
            for (prefix, directories) in map {
                let all = match directories {
                    Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
                    other => other.as_str().into_iter().collect::<Vec<_>>(),
                };
                let place = |directory: &str| format!("{home}{directory}").trim_end_matches('/').to_owned();
                roots.extend(all.into_iter().map(|directory| (place(directory), prefix.clone())));
            }
        }
    }
    roots
}
