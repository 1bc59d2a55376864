//! Composer: autoload directories and path repositories.

use std::io;

use super::{At, Described, strings};
use crate::model::RootKind;

pub(super) fn read(at: &At<'_>, described: &mut Described) -> io::Result<()> {
    let Some(package) = at.json("composer.json")? else { return Ok(()) };
    described.name = package["name"].as_str().map(str::to_owned);
    for (section, kind) in [("autoload", RootKind::Source), ("autoload-dev", RootKind::Test)] {
        let autoload = &package[section];
        let prefixed = ["psr-4", "psr-0"].iter().filter_map(|rule| autoload[*rule].as_object());
        let dirs = prefixed.flat_map(|map| map.values()).flat_map(|dirs| strings(Some(dirs)));
        let dirs = dirs.chain(strings(autoload.get("classmap"))).map(|dir| dir.trim_matches('/'));
        described.roots.extend(dirs.filter(|dir| at.is_dir(dir)).map(|dir| (dir.to_owned(), kind)));
    }
    if described.roots.is_empty() {
        described.roots.push((String::new(), RootKind::Source));
    }
    described.roots.extend(at.existing(&["tests", "test", "spec"], RootKind::Test));
    // an array, or an object whose keys are names
    let repositories: Vec<&serde_json::Value> = match &package["repositories"] {
        serde_json::Value::Array(list) => list.iter().collect(),
        serde_json::Value::Object(map) => map.values().collect(),
        _ => Vec::new(),
    };
    let paths = repositories.iter().filter(|r| r["type"] == "path").filter_map(|r| r["url"].as_str());
    described.members = at.members(paths, &["composer.json"]);
    Ok(())
}
