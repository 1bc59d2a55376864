//! Packages that are installed, and which of their files a specifier means.

use std::sync::Arc;

use ide_model::Family;
use serde_json::Value;

use super::paths::{Configuration, around, entry_of, exported_targets, file_or_directory, join};
use crate::world::{FileId, World};

/// A version of the TypeScript compiler: what packages declare may depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Compiler(u32, u32);

/// The version whose library is bundled.
impl Default for Compiler {
    fn default() -> Self {
        Self(5, 9)
    }
}

impl Compiler {
    /// The installed one; the default where none is, or its manifest cannot be read.
    pub(super) fn of(world: &dyn World) -> Self {
        let manifest = described(world, "node_modules/typescript/package.json")
            .and_then(|text| serde_json::from_str::<Value>(&text).ok());
        manifest.and_then(|manifest| Self::read(manifest["version"].as_str()?)).unwrap_or_default()
    }

    fn read(version: &str) -> Option<Self> {
        let mut numbers = version.trim().split(['.', '-']).map(str::parse);
        let major = numbers.next()?.ok()?;
        Some(Self(major, numbers.next().and_then(Result::ok).unwrap_or(0)))
    }

    /// Whether a range of versions (`<=5.0`, `>=4.7 <5.2`, `4.*`, `*`) has it. One that is not understood does not.
    pub(super) fn is_one_of(self, versions: &str) -> bool {
        let holds = |range: &str| {
            let number = range.trim_start_matches(['<', '>', '=', '~', '^']);
            let Some(bound) = Self::read(number) else { return number == "*" };
            match &range[..range.len() - number.len()] {
                "<" => self < bound,
                "<=" => self <= bound,
                ">" => self > bound,
                ">=" => self >= bound,
                "^" => self.0 == bound.0 && self >= bound,
                _ if number.contains('*') => self.0 == bound.0,
                _ => self == bound,
            }
        };
        versions.split("||").any(|range| range.split_whitespace().all(holds))
    }
}

/// The text of a small file that describes a package.
fn described(world: &dyn World, path: &str) -> Option<Arc<str>> {
    let of_library = || world.library_text(world.file_by_path(path)?)?.ok();
    world.configuration(path).or_else(of_library)
}

/// A file of an installed package: of the nearest `node_modules` that has it, what declares it before what it runs.
pub(super) fn installed(
    world: &dyn World,
    directory: &str,
    config: Option<&Configuration>,
    specifier: &str,
    is_required: bool,
) -> Option<FileId> {
    let specifier = specifier.strip_prefix("node:").unwrap_or(specifier);
    let (name, rest) = package_of(specifier);
    let types = format!("@types/{}", name.trim_start_matches('@').replacen('/', "__", 1));
    let above = world.library_roots(Family::Ecma);
    let around = around(directory)
        .filter(|at| at.rsplit('/').next() != Some("node_modules"))
        .map(|at| if at.is_empty() { "node_modules".to_owned() } else { format!("{at}/node_modules") });
    let places: Vec<String> = around.chain(above.iter().map(|root| root.path.to_string())).collect();
    let mut runs = None;
    for place in &places {
        for package in [name, types.as_str()] {
            let root = format!("{place}/{package}");
            match in_package(world, &root, rest, config, is_required) {
                Some(file) if is_declaring(world, file) => return Some(file),
                Some(file) => {
                    runs.get_or_insert(file);
                }
                None => {}
            }
        }
        if runs.is_some() {
            return runs;
        }
    }
    // The runtime's own modules.
    places.iter().find_map(|place| world.file_by_path(&format!("{place}/@types/node/{specifier}.d.ts")))
}

/// A file of the package in a directory.
pub(super) fn in_package(
    world: &dyn World,
    root: &str,
    rest: &str,
    config: Option<&Configuration>,
    is_required: bool,
) -> Option<FileId> {
    let manifest = described(world, &format!("{root}/package.json"))
        .and_then(|text| serde_json::from_str::<Value>(&text).ok());
    match manifest {
        Some(manifest) => of_installed(world, root, &manifest, rest, config, is_required),
        None => declaring(world, &join(root, if rest.is_empty() { "index" } else { rest })),
    }
}

/// The name of a package, and the path inside it.
pub(super) fn package_of(specifier: &str) -> (&str, &str) {
    let segments = if specifier.starts_with('@') { 2 } else { 1 };
    let end = specifier.match_indices('/').nth(segments - 1).map_or(specifier.len(), |(at, _)| at);
    let (name, rest) = specifier.split_at(end);
    (name, rest.trim_start_matches('/'))
}

pub(super) fn is_declaring(world: &dyn World, file: FileId) -> bool {
    let name = world.file(file).path.file_name();
    [".ts", ".mts", ".cts", ".tsx", ".vue", ".svelte", ".astro"].iter().any(|ending| name.ends_with(ending))
}

/// A file of a package by its manifest.
fn of_installed(
    world: &dyn World,
    root: &str,
    manifest: &Value,
    rest: &str,
    config: Option<&Configuration>,
    is_required: bool,
) -> Option<FileId> {
    let otherwise = Configuration::default();
    let config = config.unwrap_or(&otherwise);
    let by_exports = || {
        // An export under a condition for the other way of asking is taken where nothing else is there.
        let other_way = if is_required || config.makes_common_modules() { "import" } else { "require" };
        [other_way, ""].iter().find_map(|other| {
            let holds = |condition: &str| condition != *other && config.meets(condition);
            let exported = exported_targets(manifest, rest, &holds);
            preferred(world, exported.iter().filter_map(|target| declaring(world, &join(root, target))))
        })
    };
    let by_fields = || of_fields(world, root, manifest, rest, config);
    if config.reads_exports() {
        return by_exports().or_else(by_fields);
    }
    let declares = |file: &FileId| is_declaring(world, *file);
    by_fields().filter(declares).or_else(by_exports).or_else(by_fields)
}

/// A file of a package by its path, or by what its manifest names outside of `exports`.
fn of_fields(
    world: &dyn World,
    root: &str,
    manifest: &Value,
    rest: &str,
    config: &Configuration,
) -> Option<FileId> {
    if !rest.is_empty() {
        let path = typed_version(manifest, rest, config.compiler).unwrap_or_else(|| rest.to_owned());
        return declaring(world, &join(root, &path)).or_else(|| declaring(world, &join(root, rest)));
    }
    let mains = ["types", "typings", "module", "main"];
    let named = mains.iter().filter_map(|field| declaring(world, &join(root, manifest[*field].as_str()?)));
    preferred(world, named.chain(declaring(world, &join(root, "index"))))
}

/// The first that declares, else the first.
fn preferred(world: &dyn World, found: impl Iterator<Item = FileId>) -> Option<FileId> {
    let mut first = None;
    for file in found {
        if is_declaring(world, file) {
            return Some(file);
        }
        first.get_or_insert(file);
    }
    first
}

/// The path that `typesVersions` gives for a path, by the first table that holds.
fn typed_version(manifest: &Value, rest: &str, compiler: Compiler) -> Option<String> {
    let tables = manifest["typesVersions"].as_object()?;
    let (_, table) = tables.iter().find(|(versions, _)| compiler.is_one_of(versions))?;
    let (targets, star) = entry_of(table, rest)?;
    Some(targets.as_array()?.first()?.as_str()?.replacen('*', &star, 1))
}

/// A file of a package: the declarations beside what is named, before it.
fn declaring(world: &dyn World, path: &str) -> Option<FileId> {
    const DECLARATIONS: &[(&str, &str)] =
        &[(".mjs", ".d.mts"), (".cjs", ".d.cts"), (".js", ".d.ts"), (".jsx", ".d.ts")];
    let beside = DECLARATIONS
        .iter()
        .find_map(|(runs, declares)| world.file_by_path(&format!("{}{declares}", path.strip_suffix(runs)?)));
    let declared = || {
        [".d.ts", "/index.d.ts", ".d.mts", ".d.cts"]
            .iter()
            .find_map(|e| world.file_by_path(&format!("{path}{e}")))
    };
    beside.or_else(declared).or_else(|| file_or_directory(world, path))
}

#[cfg(test)]
mod tests {
    use super::Compiler;

    #[test]
    fn versions_of_the_compiler() {
        let compiler = Compiler::read("5.9.3").unwrap();
        for (versions, holds) in [
            ("<=5.0", false),
            (">=4.7", true),
            (">=4.7 <5.2", false),
            ("<5.2 || >=5.9", true),
            ("*", true),
            ("5.9", true),
            ("^5.1", true),
            ("4.*", false),
            ("latest", false),
        ] {
            assert_eq!(compiler.is_one_of(versions), holds, "{versions}");
        }
        assert!(Compiler::read("5.0.4").unwrap().is_one_of("<=5.0"));
    }
}
