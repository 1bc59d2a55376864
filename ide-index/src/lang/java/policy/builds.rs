//! Modules of Maven and Gradle and what they depend on, as far as it decides which of several declarations of one qualified
//! name a file sees.

use ide_model::{SourceKind, paths};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::resolve::{FileView, Resolver};
use crate::world::FileId;

/// Further dependencies are not looked at.
const FURTHEST: u32 = 32;

/// One module.
#[derive(Default)]
struct Module {
    directory: String,
    /// By whatever others call it: `:path` in Gradle, the artifact in Maven.
    name: String,
    /// Names of other modules, and whether only tests need them.
    dependencies: Vec<(String, bool)>,
    /// The module whose dependencies it has too.
    parent: Option<String>,
    /// Whether the modules below may have its dependencies: `subprojects { dependencies { … } }`.
    is_shared: bool,
    /// Whether it has source sets for several platforms, in their usual order.
    has_common_sets: bool,
}

/// The modules of a world.
pub(in crate::lang) struct Builds {
    modules: Vec<Module>,
    by_name: FxHashMap<String, usize>,
    by_directory: FxHashMap<String, usize>,
}

/// How far a declaration is from who names it, by the modules of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::lang) enum Distance {
    /// In this module, or so many dependencies away.
    Seen(u32),
    /// Nothing is known of one of both.
    Unknown,
    /// The module has nothing to do with that of the declaration.
    Unseen,
}

impl Builds {
    fn find(rx: &Resolver) -> Self {
        let world = rx.world();
        let mut modules = Vec::new();
        let mut moved = FxHashMap::default();
        let mut roots = Vec::new();
        let files = (0..world.file_count()).map(|id| world.file(FileId(id)).path.as_str());
        let common: FxHashSet<&str> =
            files.filter_map(|path| Some(path.split_once(COMMON)?.0.trim_end_matches('/'))).collect();
        for path in world.configurations() {
            let directory = paths::directory(&path);
            let name = path.rsplit('/').next().unwrap_or(&path);
            let text = || world.configuration(&path).unwrap_or_default();
            match name {
                "pom.xml" => modules.extend(maven(directory, &text())),
                "build.gradle" | "build.gradle.kts" => {
                    let text = text();
                    modules.push(Module {
                        directory: directory.to_owned(),
                        dependencies: gradle(&text),
                        is_shared: configures_others(&text),
                        has_common_sets: common.contains(directory) && !orders_sets(&text),
                        ..Module::default()
                    });
                }
                "settings.gradle" | "settings.gradle.kts" => {
                    roots.push(directory.to_owned());
                    let places = project_directories(&text());
                    moved.extend(places.into_iter().map(|(name, at)| (joined(directory, &at), name)));
                }
                _ => {}
            }
        }
        for module in modules.iter_mut().filter(|module| module.name.is_empty()) {
            let above = roots.iter().filter_map(|root| Some((root.len(), below(&module.directory, root)?)));
            let inside =
                above.max_by_key(|(depth, _)| *depth).map_or(&*module.directory, |(_, inside)| inside);
            let usual = || format!(":{}", inside.replace('/', ":"));
            module.name = moved.get(&module.directory).cloned().unwrap_or_else(usual);
        }
        let shared: Vec<(String, String)> = modules
            .iter()
            .filter(|module| module.is_shared)
            .map(|module| (module.directory.clone(), module.name.clone()))
            .collect();
        for module in modules.iter_mut().filter(|module| module.parent.is_none()) {
            let above = shared.iter().filter(|(directory, name)| {
                *name != module.name && below(&module.directory, directory).is_some()
            });
            module.parent = above.max_by_key(|(directory, _)| directory.len()).map(|(_, name)| name.clone());
        }
        let index = |key: fn(&Module) -> &String| {
            modules.iter().enumerate().map(|(i, module)| (key(module).clone(), i)).collect()
        };
        let (by_name, by_directory) = (index(|m| &m.name), index(|m| &m.directory));
        Self { modules, by_name, by_directory }
    }

    fn of_world(rx: &Resolver) -> &Self {
        rx.of_world(Self::find)
    }

    /// The module in whose directory a file lies.
    fn module_of(&self, path: &str) -> Option<usize> {
        let mut directory = paths::directory(path);
        loop {
            if let Some(module) = self.by_directory.get(directory) {
                return Some(*module);
            }
            if directory.is_empty() {
                return None;
            }
            directory = paths::directory(directory);
        }
    }

    /// The source set of Kotlin Multiplatform in which a file of a module lies: `jvmMain`.
    fn source_set<'p>(&self, module: usize, path: &'p str) -> Option<&'p str> {
        let module = &self.modules[module];
        let inside = below(path, &module.directory)?.strip_prefix("src/")?;
        let set = inside.split_once('/')?.0;
        (module.has_common_sets && (set.ends_with("Main") || set.ends_with("Test"))).then_some(set)
    }

    fn dependencies(&self, module: usize, with_tests: bool) -> Vec<usize> {
        let mut found = Vec::new();
        let mut of = Some(module);
        let mut seen = FxHashSet::default();
        while let Some(module) = of.filter(|module| seen.insert(*module)) {
            let module = &self.modules[module];
            let wanted = module.dependencies.iter().filter(|(_, is_test)| with_tests || !is_test);
            found.extend(wanted.filter_map(|(name, _)| self.by_name.get(name).copied()));
            of = module.parent.as_ref().and_then(|parent| self.by_name.get(parent).copied());
        }
        found
    }
}

/// How far a file is from another that names what it declares.
pub(in crate::lang) fn distance(rx: &Resolver, from: &FileView, to: FileId) -> Distance {
    let builds = Builds::of_world(rx);
    let world = rx.world();
    let target = world.file(to);
    if builds.modules.is_empty() || target.source == SourceKind::Library {
        return Distance::Unknown;
    }
    let (Some(own), Some(other)) = (builds.module_of(&from.path), builds.module_of(&target.path.0)) else {
        return Distance::Unknown;
    };
    let is_test = world.file(from.id).source == SourceKind::Test;
    let in_tests = target.source == SourceKind::Test;
    if own == other {
        return match (builds.source_set(own, &from.path), builds.source_set(own, &target.path.0)) {
            (Some(own), Some(other)) => between_sets(own, other),
            _ if in_tests && !is_test => Distance::Unseen,
            _ => Distance::Seen(0),
        };
    }
    let mut seen = FxHashSet::from_iter([own]);
    let mut reached = builds.dependencies(own, is_test);
    for far in 1..FURTHEST {
        if reached.contains(&other) {
            // The tests of another module are seen only where a build says so, which is rare.
            return if in_tests { Distance::Unseen } else { Distance::Seen(far) };
        }
        reached.retain(|module| seen.insert(*module));
        reached = reached.iter().flat_map(|module| builds.dependencies(*module, false)).collect();
        if reached.is_empty() {
            break;
        }
    }
    Distance::Unseen
}

/// The source set of Kotlin Multiplatform that all others see, behind the directory of its module.
const COMMON: &str = "src/commonMain/";

/// Platforms that share no code but the common one. All others, such as `ios` and `native`, may share more.
const APART: [&str; 5] = ["jvm", "android", "js", "wasmJs", "wasmWasi"];

/// How far a source set of Kotlin Multiplatform is from another one of its module.
fn between_sets(from: &str, to: &str) -> Distance {
    if from == to {
        return Distance::Seen(0);
    }
    let platform = |set| str::strip_suffix(set, "Main").or_else(|| set.strip_suffix("Test"));
    let (Some(own), Some(other)) = (platform(from), platform(to)) else { return Distance::Unknown };
    if to.ends_with("Test") && !from.ends_with("Test") {
        return Distance::Unseen;
    }
    if own == other || other == "common" {
        return Distance::Seen(1);
    }
    let is_apart = APART.contains(&own) && APART.contains(&other);
    if own == "common" || is_apart { Distance::Unseen } else { Distance::Unknown }
}

/// Leaves out what files of modules declare with which the file has nothing to do, if something is left then.
pub(in crate::lang) fn seen_by_module<T>(
    rx: &Resolver,
    from: &FileView,
    all: &mut Vec<T>,
    file: impl Fn(&T) -> FileId,
) {
    let first = all.first().map(&file);
    if all.iter().all(|one| Some(file(one)) == first) {
        return;
    }
    let is_seen: Vec<bool> =
        all.iter().map(|one| distance(rx, from, file(one)) != Distance::Unseen).collect();
    if is_seen.contains(&true) {
        let mut seen = is_seen.into_iter();
        all.retain(|_| seen.next().unwrap_or(true));
    }
}

fn joined(directory: &str, inside: &str) -> String {
    let inside = inside.trim_start_matches("./");
    if directory.is_empty() { inside.to_owned() } else { format!("{directory}/{inside}") }
}

fn below<'p>(path: &'p str, root: &str) -> Option<&'p str> {
    if root.is_empty() {
        return Some(path);
    }
    let inside = path.strip_prefix(root)?;
    if inside.is_empty() { Some(inside) } else { inside.strip_prefix('/') }
}

fn without_comments(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.split(" //").next().unwrap_or(line)).filter(|line| {
        let line = line.trim_start();
        !line.starts_with("//") && !line.starts_with('*')
    })
}

/// The text between the first quotes.
fn quoted(text: &str) -> Option<&str> {
    let start = text.find(['"', '\''])?;
    let quote = text[start..].chars().next()?;
    text[start + 1..].split(quote).next()
}

/// Whether a build script of Gradle gives its source sets an order of its own.
fn orders_sets(text: &str) -> bool {
    without_comments(text).any(|line| line.contains("dependsOn"))
}

/// Whether a build script of Gradle configures the projects below.
fn configures_others(text: &str) -> bool {
    without_comments(text).any(|line| ["subprojects", "allprojects"].iter().any(|word| line.contains(word)))
}

/// The projects that a build script of Gradle names in its configurations.
fn gradle(text: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    for line in without_comments(text) {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let configuration = line.trim_start();
        let end = configuration.find(|c| !is_word(c)).unwrap_or(configuration.len());
        let is_test = configuration[..end].to_ascii_lowercase().contains("test");
        for (at, word) in line.match_indices("project") {
            let inside = line[at + word.len()..].trim_start();
            let is_whole = !line[..at].ends_with(is_word) && inside.starts_with(['(', ':', '"', '\'']);
            let name = if is_whole { quoted(inside.split(')').next().unwrap_or(inside)) } else { None };
            found.extend(name.filter(|name| name.starts_with(':')).map(|name| (name.to_owned(), is_test)));
        }
        for (at, _) in line.match_indices("projects.") {
            if line[..at].ends_with(|c: char| is_word(c) || c == '.') {
                continue;
            }
            let name = line[at + "projects.".len()..].split(|c: char| !is_word(c) && c != '.').next();
            found.extend(name.map(|name| (accessor_path(name), is_test)));
        }
    }
    found
}

/// `coreUi.api` stands for `:core-ui:api`.
fn accessor_path(accessor: &str) -> String {
    let mut path = String::from(":");
    for c in accessor.chars() {
        match c {
            '.' => path.push(':'),
            c if c.is_uppercase() => {
                path.push('-');
                path.extend(c.to_lowercase());
            }
            c => path.push(c),
        }
    }
    path
}

/// The directories of Gradle projects that do not lie where their names say: `project(":a").projectDir = file("b")`.
fn project_directories(text: &str) -> Vec<(String, String)> {
    let lines = without_comments(text).filter(|line| line.contains("projectDir"));
    let places = lines.filter_map(|line| {
        let (project, place) = line.split_once("projectDir")?;
        Some((quoted(project)?.to_owned(), quoted(place)?.to_owned()))
    });
    places.collect()
}

/// A project of Maven.
fn maven(directory: &str, text: &str) -> Option<Module> {
    let mut module = Module { directory: directory.to_owned(), ..Module::default() };
    let mut open: Vec<&str> = Vec::new();
    let (mut artifact, mut is_test) = (String::new(), false);
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let value = rest[..start].trim();
        rest = &rest[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, behind)| behind);
            continue;
        }
        let (tag, behind) = rest[1..].split_once('>')?;
        rest = behind;
        if tag.starts_with(['?', '!']) || tag.ends_with('/') {
            continue;
        }
        let Some(closed) = tag.strip_prefix('/') else {
            open.push(tag.split_whitespace().next().unwrap_or(tag));
            continue;
        };
        match open[..] {
            ["project", "artifactId"] => module.name = value.to_owned(),
            ["project", "parent", "artifactId"] => module.parent = Some(value.to_owned()),
            ["project", "dependencies", "dependency", "artifactId"] => artifact = value.to_owned(),
            ["project", "dependencies", "dependency", "scope"] => is_test = value == "test",
            ["project", "dependencies", "dependency"] => {
                module.dependencies.push((std::mem::take(&mut artifact), is_test));
                is_test = false;
            }
            _ => {}
        }
        if open.last() == Some(&closed.trim()) {
            open.pop();
        }
    }
    (!module.name.is_empty()).then_some(module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_are_named_in_all_forms() {
        let text = "dependencies {\n  implementation(project(\":z\"))\n  testImplementation project(path: ':t')\n  \
            // api(project(\":no\"))\n  api(projects.coreUi.api)\n}";
        let found = gradle(text);
        let found: Vec<_> = found.iter().map(|(name, test)| (name.as_str(), *test)).collect();
        assert_eq!(found, [(":z", false), (":t", true), (":core-ui:api", false)]);
    }

    #[test]
    fn settings_say_where_projects_lie() {
        let text = "include(\":z\")\nproject(\":z\").projectDir = file(\"libs/z\")";
        assert_eq!(project_directories(text), [(":z".to_owned(), "libs/z".to_owned())]);
    }

    #[test]
    fn artifacts_of_a_project_its_parent_and_its_dependencies_are_told_apart() {
        let text = "<project><parent><artifactId>p</artifactId></parent><artifactId>m</artifactId><!-- <x> -->
            <dependencyManagement><dependencies><dependency><artifactId>no</artifactId></dependency></dependencies>
            </dependencyManagement><dependencies><dependency><artifactId>z</artifactId></dependency>
            <dependency><artifactId>t</artifactId><scope>test</scope></dependency></dependencies></project>";
        let module = maven("m", text).unwrap();
        assert_eq!((module.name.as_str(), module.parent.as_deref()), ("m", Some("p")));
        assert_eq!(module.dependencies, [("z".to_owned(), false), ("t".to_owned(), true)]);
    }
}
