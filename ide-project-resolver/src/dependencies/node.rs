//! npm, pnpm, yarn and bun: `package.json`; their lock files are read by [`super::node_locks`].

use std::io;

use serde_json::Value;

use super::node_locks;
use super::{Declared, DependencyScope, Findings, Folder};

const SECTIONS: [(&str, DependencyScope); 4] = [
    ("dependencies", DependencyScope::Compile),
    ("optionalDependencies", DependencyScope::Runtime),
    ("peerDependencies", DependencyScope::Provided),
    ("devDependencies", DependencyScope::Test),
];

pub(super) fn read(folder: &Folder<'_>, found: &mut Findings) -> io::Result<()> {
    let Some(package) = folder.json("package.json")? else { return Ok(()) };
    found.declared = declared(folder, &package);
    found.locked = node_locks::read(folder, &found.declared)?;
    Ok(())
}

fn declared(folder: &Folder<'_>, package: &Value) -> Vec<Declared> {
    let mut all: Vec<Declared> = Vec::new();
    for (section, scope) in SECTIONS {
        for (name, requirement) in package[section].as_object().into_iter().flatten() {
            // npm takes the optional one where a name stands in both.
            if all.iter().any(|known| known.name == *name) {
                continue;
            }
            let requirement = requirement.as_str();
            let is_here = requirement.is_some_and(|text| {
                ["workspace:", "file:", "link:", "portal:"].iter().any(|way| text.starts_with(way))
            });
            let asks = Declared::new(name.as_str(), scope).asks(requirement);
            all.push(if folder.is_module(name) || is_here { asks.module() } else { asks });
        }
    }
    all
}
