//! The jars that a Maven or Gradle project uses: what its build files name with a version that can be read, and what that
//! needs in turn, as far as the caches of those tools hold it. Builds are never run.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::{Path, PathBuf};

use ide_index::Stamp;
use ide_project_resolver::DependencyScope;
use quick_xml::Reader;
use quick_xml::events::Event;

use crate::dependencies::Places;
use crate::directory::stamp;
use crate::open::read_regular;

/// Directories below the project are looked into this deep for build files and jars.
const MAX_DEPTH: usize = 5;
/// Larger build files are not read.
const MAX_BUILD_FILE: u64 = 4 << 20;
/// Parents of a description further up than this are a cycle.
const MAX_PARENTS: usize = 12;

/// The jars that were found, and the places that were looked at to find them.
pub(crate) struct Jars {
    pub(crate) files: Vec<PathBuf>,
    looked_at: BTreeMap<PathBuf, Option<Stamp>>,
}

impl Jars {
    /// Whether finding them again would give the same.
    pub(crate) fn is_current(&self) -> bool {
        self.looked_at.iter().all(|(path, before)| stamp_of(path) == *before)
    }
}

fn stamp_of(path: &Path) -> Option<Stamp> {
    fs::metadata(path).ok().map(|meta| stamp(&meta))
}

/// Group, artifact, version; an empty version is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Coordinate {
    group: String,
    artifact: String,
    version: String,
}

impl Coordinate {
    fn parse(text: &str) -> Option<Self> {
        let text = text.split('@').next().unwrap_or(text);
        let mut parts = text.split(':');
        let (group, artifact) = (parts.next()?, parts.next()?);
        let is_name = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
        };
        (is_name(group) && is_name(artifact)).then(|| Self {
            group: group.to_owned(),
            artifact: artifact.to_owned(),
            version: parts.next().unwrap_or("").to_owned(),
        })
    }
}

/// The content of a `pom.xml`.
#[derive(Clone, Debug, Default)]
struct Pom {
    group: String,
    artifact: String,
    version: String,
    parent: Option<Coordinate>,
    properties: BTreeMap<String, String>,
    modules: Vec<String>,
    managed: Vec<Dependency>,
    dependencies: Vec<Dependency>,
}

#[derive(Clone, Debug, Default)]
struct Dependency {
    at: BTreeMap<String, String>,
}

impl Dependency {
    fn get(&self, key: &str) -> &str {
        self.at.get(key).map_or("", String::as_str)
    }

    /// Whether who uses the project's dependency gets this one too.
    fn is_passed_on(&self) -> bool {
        !matches!(self.get("scope"), "test" | "provided" | "system") && self.get("optional") != "true"
    }
}

impl Pom {
    fn parse(text: &str) -> Option<Self> {
        let mut pom = Self::default();
        let mut reader = Reader::from_str(text);
        let mut path: Vec<String> = Vec::new();
        let mut value = String::new();
        loop {
            match reader.read_event().ok()? {
                Event::Start(start) => {
                    path.push(String::from_utf8_lossy(start.local_name().as_ref()).into_owned());
                    value.clear();
                    match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                        ["project", "dependencies", "dependency"] => {
                            pom.dependencies.push(Dependency::default());
                        }
                        ["project", "dependencyManagement", "dependencies", "dependency"] => {
                            pom.managed.push(Dependency::default());
                        }
                        _ => {}
                    }
                }
                Event::Text(text) => value.push_str(&text.decode().ok()?),
                Event::End(_) => {
                    pom.take(&path, value.trim());
                    value.clear();
                    path.pop();
                }
                Event::Eof => return path.is_empty().then_some(pom),
                _ => {}
            }
        }
    }

    fn take(&mut self, path: &[String], value: &str) {
        let parent = || Coordinate { group: String::new(), artifact: String::new(), version: String::new() };
        match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["project", "groupId"] => value.clone_into(&mut self.group),
            ["project", "artifactId"] => value.clone_into(&mut self.artifact),
            ["project", "version"] => value.clone_into(&mut self.version),
            ["project", "parent", part] => {
                let parent = self.parent.get_or_insert_with(parent);
                match part {
                    "groupId" => value.clone_into(&mut parent.group),
                    "artifactId" => value.clone_into(&mut parent.artifact),
                    "version" => value.clone_into(&mut parent.version),
                    _ => {}
                }
            }
            ["project", "properties", name] => {
                self.properties.insert(name.to_owned(), value.to_owned());
            }
            ["project", "modules", "module"] => self.modules.push(value.to_owned()),
            ["project", "dependencies", "dependency", key] => {
                if let Some(last) = self.dependencies.last_mut() {
                    last.at.insert(key.to_owned(), value.to_owned());
                }
            }
            ["project", "dependencyManagement", "dependencies", "dependency", key] => {
                if let Some(last) = self.managed.last_mut() {
                    last.at.insert(key.to_owned(), value.to_owned());
                }
            }
            _ => {}
        }
    }

    /// A text with its `${…}` replaced; one that is not known stays.
    fn filled(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for _ in 0..MAX_PARENTS {
            let Some((before, rest)) = text.split_once("${") else { break };
            let Some((name, after)) = rest.split_once('}') else { break };
            let value = match name {
                "project.version" | "pom.version" | "version" => &self.version,
                "project.groupId" | "pom.groupId" | "groupId" => &self.group,
                name => match self.properties.get(name) {
                    Some(value) => value,
                    None => break,
                },
            };
            text = format!("{before}{value}{after}");
        }
        text
    }
}

/// Something on the JVM that a module depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JvmDependency {
    /// `group:artifact`.
    pub(crate) name: String,
    /// The version as the module's own description writes it.
    pub(crate) declared: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) scope: DependencyScope,
}

impl JvmDependency {
    fn coordinate(&self) -> Option<Coordinate> {
        Coordinate::parse(&format!("{}:{}", self.name, self.version.as_deref().unwrap_or_default()))
    }
}

/// The local repositories of Maven and Gradle.
pub(crate) struct JarCaches<'p>(Finder<'p>);

impl<'p> JarCaches<'p> {
    pub(crate) fn new(places: &'p Places) -> Self {
        Self(Finder { places, looked_at: BTreeMap::new() })
    }

    /// The requirements of the `pom.xml` in a directory, with versions and scopes as far as its parents and imports are at
    /// hand. `None` when it cannot be read.
    pub(crate) fn asked_by_pom(&mut self, directory: &Path) -> Option<Vec<JvmDependency>> {
        let pom = self.0.effective(&directory.join("pom.xml"), 0)?;
        let mut wanted: Vec<JvmDependency> =
            pom.dependencies.iter().filter_map(|asked| wanted(&pom, asked)).collect();
        let mut seen = BTreeSet::new();
        // The module's own go before those of its parents.
        wanted.retain(|one| seen.insert(one.name.clone()));
        Some(wanted)
    }

    /// The artifacts that these need in turn, as far as their descriptions are in the local repositories; and whether all were.
    pub(crate) fn needed_in_turn(&mut self, direct: &[JvmDependency]) -> (Vec<JvmDependency>, bool) {
        let mut seen: BTreeSet<String> = direct.iter().map(|one| one.name.clone()).collect();
        let mut todo: VecDeque<JvmDependency> = direct.iter().cloned().collect();
        let (mut found, mut is_whole) = (Vec::new(), true);
        while let Some(next) = todo.pop_front() {
            let known = next.coordinate().and_then(|wanted| self.0.with_version(wanted));
            let pom =
                known.and_then(|known| self.0.cached(&known, "pom")).and_then(|at| self.0.effective(&at, 0));
            let Some(pom) = pom else {
                is_whole = false;
                continue;
            };
            for asked in pom.dependencies.iter().filter(|asked| asked.is_passed_on()) {
                let Some(mut one) = wanted(&pom, asked).filter(|one| seen.insert(one.name.clone())) else {
                    continue;
                };
                one.scope = one.scope.max(next.scope);
                one.declared = None;
                found.push(one.clone());
                todo.push_back(one);
            }
        }
        (found, is_whole)
    }

    /// The jar of an artifact and the jar with its sources, where the local repositories have them. Without a version the one
    /// that is there counts, if there is only one.
    pub(crate) fn jars_of(
        &mut self,
        name: &str,
        version: Option<&str>,
    ) -> (Option<PathBuf>, Option<PathBuf>) {
        let wanted = Coordinate::parse(&format!("{name}:{}", version.unwrap_or_default()));
        let Some(known) = wanted.and_then(|wanted| self.0.with_version(wanted)) else { return (None, None) };
        (self.0.cached(&known, "jar"), self.0.cached_as(&known, "-sources.jar"))
    }
}

/// A dependency of a description with its scope.
fn wanted(pom: &Pom, asked: &Dependency) -> Option<JvmDependency> {
    let found = coordinate(pom, asked)?;
    let scope = match asked.get("scope") {
        "" => {
            let is_it = |managed: &&Dependency| {
                pom.filled(managed.get("groupId")) == found.group
                    && pom.filled(managed.get("artifactId")) == found.artifact
            };
            pom.managed.iter().find(is_it).map_or("", |managed| managed.get("scope")).to_owned()
        }
        scope => pom.filled(scope),
    };
    let scope = match scope.as_str() {
        "runtime" => DependencyScope::Runtime,
        "provided" | "system" => DependencyScope::Provided,
        "test" => DependencyScope::Test,
        _ => DependencyScope::Compile,
    };
    let declared = asked.get("version");
    let is_known = !found.version.is_empty() && !found.version.contains(['$', '[', '(', ',']);
    Some(JvmDependency {
        name: format!("{}:{}", found.group, found.artifact),
        declared: (!declared.is_empty()).then(|| declared.to_owned()),
        version: is_known.then_some(found.version),
        scope,
    })
}

/// Looks at files and remembers which.
struct Finder<'p> {
    places: &'p Places,
    looked_at: BTreeMap<PathBuf, Option<Stamp>>,
}

/// The jars of the project in a directory.
pub(crate) fn jars(project: &Path, places: &Places) -> Jars {
    let mut finder = Finder { places, looked_at: BTreeMap::new() };
    let mut files = Vec::new();
    let mut wanted: VecDeque<Coordinate> = VecDeque::new();
    finder.directory(project, 0, &mut wanted, &mut files);
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    while let Some(next) = wanted.pop_front() {
        if !seen.insert((next.group.clone(), next.artifact.clone())) {
            continue;
        }
        let Some(next) = finder.with_version(next) else { continue };
        files.extend(finder.cached(&next, "jar"));
        if let Some(pom) = finder.cached(&next, "pom").and_then(|path| finder.effective(&path, 0)) {
            let passed_on = pom.dependencies.iter().filter(|dependency| dependency.is_passed_on());
            wanted.extend(passed_on.filter_map(|dependency| coordinate(&pom, dependency)));
        }
    }
    files.dedup();
    Jars { files, looked_at: finder.looked_at }
}

/// The coordinate of a dependency in a description, with versions from its managed dependencies.
fn coordinate(pom: &Pom, dependency: &Dependency) -> Option<Coordinate> {
    let (group, artifact) = (pom.filled(dependency.get("groupId")), pom.filled(dependency.get("artifactId")));
    let managed = || {
        let is_it = |managed: &&Dependency| {
            pom.filled(managed.get("groupId")) == group && pom.filled(managed.get("artifactId")) == artifact
        };
        pom.managed.iter().find(is_it).map(|managed| pom.filled(managed.get("version")))
    };
    let version = match dependency.get("version") {
        "" => managed().unwrap_or_default(),
        version => pom.filled(version),
    };
    Coordinate::parse(&format!("{group}:{artifact}:{version}"))
}

impl Finder<'_> {
    fn note(&mut self, path: &Path) {
        self.looked_at.insert(path.to_owned(), stamp_of(path));
    }

    /// The text of a build file; versions and names are ASCII whatever its encoding is. `None` when it cannot be
    /// read.
    fn text(&mut self, path: &Path) -> Option<String> {
        self.note(path);
        Some(String::from_utf8_lossy(&read_regular(path, MAX_BUILD_FILE).ok()?).into_owned())
    }

    /// Build files and jars in a directory of the project and below.
    fn directory(
        &mut self,
        directory: &Path,
        depth: usize,
        wanted: &mut VecDeque<Coordinate>,
        files: &mut Vec<PathBuf>,
    ) {
        let Ok(entries) = fs::read_dir(directory) else { return };
        // Links are not followed: they may lead out of the project, and in circles.
        let kind = |entry: &fs::DirEntry| entry.file_type().ok().filter(|kind| !kind.is_symlink());
        let entries = entries.flatten().filter_map(|entry| Some((entry.path(), kind(&entry)?.is_dir())));
        let mut entries: Vec<(PathBuf, bool)> = entries.collect();
        entries.sort();
        let of_jars = directory.file_name().is_some_and(|name| name == "lib" || name == "libs");
        for (path, is_directory) in entries {
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if is_directory {
                let is_passed_over = name.starts_with('.')
                    || matches!(name, "node_modules" | "build" | "target" | "src" | "out" | "bin" | "vendor");
                if !is_passed_over && depth < MAX_DEPTH {
                    self.directory(&path, depth + 1, wanted, files);
                }
                continue;
            }
            match name {
                "pom.xml" => {
                    if let Some(pom) = self.effective(&path, 0) {
                        let all = pom.dependencies.iter().filter_map(|d| coordinate(&pom, d));
                        wanted.extend(all);
                    }
                }
                "build.gradle" | "build.gradle.kts" | "gradle.lockfile" => {
                    if let Some(text) = self.text(&path) {
                        let known = self.gradle_values(directory, &text);
                        wanted.extend(gradle_coordinates(&text, &known));
                    }
                }
                name if name.ends_with(".versions.toml") => {
                    wanted.extend(self.text(&path).iter().flat_map(|text| catalogue(text)));
                }
                name if of_jars && name.ends_with(".jar") => {
                    self.note(&path);
                    files.push(path);
                }
                _ => {}
            }
        }
    }

    /// Names with values that a Gradle script and the properties around it set.
    fn gradle_values(&mut self, directory: &Path, script: &str) -> BTreeMap<String, String> {
        let mut known = BTreeMap::new();
        for around in directory.ancestors().take(MAX_DEPTH) {
            let path = around.join("gradle.properties");
            if path.is_file()
                && let Some(text) = self.text(&path)
            {
                known.extend(assignments(&text));
            }
        }
        known.extend(assignments(script));
        known
    }

    /// A description with what its parents say, and with the versions that it imports.
    fn effective(&mut self, path: &Path, depth: usize) -> Option<Pom> {
        let mut pom = Pom::parse(&self.text(path)?)?;
        if depth >= MAX_PARENTS {
            return Some(pom);
        }
        if let Some(parent) = pom.parent.clone() {
            let beside = path.parent().and_then(Path::parent).map(|dir| dir.join("pom.xml"));
            let at = self.cached(&parent, "pom").or(beside.filter(|path| path.is_file()));
            let above = at
                .and_then(|at| self.effective(&at, depth + 1))
                .filter(|found| found.artifact == parent.artifact || parent.artifact.is_empty());
            if pom.group.is_empty() {
                pom.group.clone_from(&parent.group);
            }
            if pom.version.is_empty() {
                pom.version.clone_from(&parent.version);
            }
            if let Some(above) = above {
                for (name, value) in above.properties {
                    pom.properties.entry(name).or_insert(value);
                }
                pom.managed.extend(above.managed);
                pom.dependencies.extend(above.dependencies);
            }
        }
        let imported: Vec<Coordinate> = pom
            .managed
            .iter()
            .filter(|managed| managed.get("scope") == "import")
            .filter_map(|managed| coordinate(&pom, managed))
            .collect();
        for one in imported {
            if let Some(found) = self.cached(&one, "pom").and_then(|at| self.effective(&at, depth + 1)) {
                // In terms of its own properties.
                let filled = found.managed.iter().map(|managed| Dependency {
                    at: managed.at.iter().map(|(k, v)| (k.clone(), found.filled(v))).collect(),
                });
                pom.managed.extend(filled);
            }
        }
        Some(pom)
    }

    /// A coordinate with its version; one without takes the version that the caches have, if there is only one.
    fn with_version(&mut self, wanted: Coordinate) -> Option<Coordinate> {
        if !wanted.version.is_empty() && !wanted.version.contains(['$', '[', '+']) {
            return Some(wanted);
        }
        let mut versions: BTreeSet<String> = BTreeSet::new();
        for directory in self.directories(&wanted) {
            self.note(&directory);
            let Ok(entries) = fs::read_dir(directory) else { continue };
            let entries = entries.flatten().filter(|entry| entry.path().is_dir());
            versions.extend(entries.filter_map(|entry| entry.file_name().into_string().ok()));
        }
        let only = versions.pop_first().filter(|_| versions.is_empty())?;
        Some(Coordinate { version: only, ..wanted })
    }

    /// The directories in which the caches keep the versions of an artifact.
    fn directories(&self, of: &Coordinate) -> Vec<PathBuf> {
        let maven = self.places.maven_repository.as_ref();
        let maven = maven.map(|at| at.join(of.group.replace('.', "/")).join(&of.artifact));
        let gradle = self.places.gradle_home.as_ref();
        let gradle =
            gradle.map(|at| at.join("caches/modules-2/files-2.1").join(&of.group).join(&of.artifact));
        maven.into_iter().chain(gradle).collect()
    }

    /// A file of an artifact in the caches.
    fn cached(&mut self, of: &Coordinate, ending: &str) -> Option<PathBuf> {
        self.cached_as(of, &format!(".{ending}"))
    }

    /// The file of an artifact that ends so behind its name and version.
    fn cached_as(&mut self, of: &Coordinate, ending: &str) -> Option<PathBuf> {
        let name = format!("{}-{}{ending}", of.artifact, of.version);
        for directory in self.directories(of) {
            let version = directory.join(&of.version);
            let plain = version.join(&name);
            if plain.is_file() {
                self.note(&plain);
                return Some(plain);
            }
            self.note(&version);
            // Gradle puts each file into a directory called after its hash.
            let Ok(entries) = fs::read_dir(&version) else { continue };
            let mut hashed = entries.flatten().map(|entry| entry.path().join(&name));
            if let Some(found) = hashed.find(|path| path.is_file()) {
                return Some(found);
            }
        }
        None
    }
}

/// `name = value` of a script or a file of properties, where the value is constant.
fn assignments(text: &str) -> impl Iterator<Item = (String, String)> {
    text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        let name = name.split(':').next()?.trim().rsplit([' ', '.']).next()?;
        let value = value.trim().trim_matches(['"', '\'']);
        let is_plain = |text: &str| {
            !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_'))
        };
        (is_plain(name) && is_plain(value)).then(|| (name.to_owned(), value.to_owned()))
    })
}

/// `group:artifact:version` in the strings of a Gradle script, or in the lines of a lock file.
fn gradle_coordinates(text: &str, known: &BTreeMap<String, String>) -> Vec<Coordinate> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
        let quoted = line.split(['"', '\'']).skip(1).step_by(2);
        let locked =
            line.split_once('=').map(|(coordinate, _)| coordinate).filter(|_| !line.contains(['"', '\'']));
        for text in quoted.chain(locked).filter(|text| text.contains(':')) {
            let mut text = text.to_owned();
            for (name, value) in known {
                text = text.replace(&format!("${{{name}}}"), value);
                if text.ends_with(&format!("${name}")) {
                    text = text.replace(&format!("${name}"), value);
                }
            }
            found.extend(Coordinate::parse(&text));
        }
    }
    found
}

/// The libraries of a version catalogue.
fn catalogue(text: &str) -> Vec<Coordinate> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let versions = table.get("versions").and_then(toml::Value::as_table);
    let libraries = table.get("libraries").and_then(toml::Value::as_table);
    let text =
        |value: &toml::Value, key: &str| value.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let library = |value: &toml::Value| {
        if let Some(whole) = value.as_str() {
            return Coordinate::parse(whole);
        }
        let module = text(value, "module")
            .or_else(|| Some(format!("{}:{}", text(value, "group")?, text(value, "name")?)))?;
        let version = value.get("version").and_then(|version| match version.as_str() {
            Some(plain) => Some(plain.to_owned()),
            None => versions?.get(version.get("ref")?.as_str()?)?.as_str().map(str::to_owned),
        });
        Coordinate::parse(&format!("{module}:{}", version.unwrap_or_default()))
    };
    libraries.into_iter().flatten().filter_map(|(_, value)| library(value)).collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "fixtures are written to a real disk")]
mod tests {
    use super::*;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn versions_come_from_properties_parents_boms_and_what_dependencies_need() {
        let dir = tempfile::tempdir().unwrap();
        let (project, m2) = (dir.path().join("p"), dir.path().join("m2"));
        put(
            &project,
            "pom.xml",
            "<project><groupId>g</groupId><artifactId>p</artifactId><version>1</version>
             <properties><a.version>2.0</a.version></properties>
             <dependencyManagement><dependencies><dependency><groupId>x</groupId><artifactId>bom</artifactId>
               <version>5</version><scope>import</scope></dependency></dependencies></dependencyManagement>
             <dependencies>
               <dependency><groupId>com.a</groupId><artifactId>a</artifactId><version>${a.version}</version></dependency>
               <dependency><groupId>x</groupId><artifactId>managed</artifactId></dependency>
             </dependencies></project>",
        );
        let pom = |inner: &str| format!("<project>{inner}</project>");
        put(&m2, "com/a/a/2.0/a-2.0.jar", "");
        put(
            &m2,
            "com/a/a/2.0/a-2.0.pom",
            &pom("<parent><groupId>com.a</groupId><artifactId>up</artifactId><version>9</version></parent>
                  <artifactId>a</artifactId><dependencies>
                  <dependency><groupId>n</groupId><artifactId>needed</artifactId><version>${n}</version></dependency>
                  <dependency><groupId>n</groupId><artifactId>tests</artifactId><version>1</version><scope>test</scope></dependency>
                  </dependencies>"),
        );
        put(
            &m2,
            "com/a/up/9/up-9.pom",
            &pom(
                "<groupId>com.a</groupId><artifactId>up</artifactId><version>9</version><properties><n>3</n></properties>",
            ),
        );
        put(&m2, "n/needed/3/needed-3.jar", "");
        put(&m2, "n/tests/1/tests-1.jar", "");
        put(
            &m2,
            "x/bom/5/bom-5.pom",
            &pom("<version>5</version><dependencyManagement><dependencies><dependency><groupId>x</groupId>
                  <artifactId>managed</artifactId><version>${project.version}</version></dependency></dependencies></dependencyManagement>"),
        );
        put(&m2, "x/managed/5/managed-5.jar", "");
        put(&project, "app/libs/own.jar", "");
        let places = Places { maven_repository: Some(m2.clone()), ..Places::default() };
        let found = jars(&project, &places);
        let mut names: Vec<_> =
            found.files.iter().map(|p| p.file_name().unwrap().to_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["a-2.0.jar", "managed-5.jar", "needed-3.jar", "own.jar"]);
        assert!(found.is_current());
        put(&project, "pom.xml", "<project></project>");
        assert!(!found.is_current());
    }

    #[test]
    fn gradle_scripts_catalogues_and_lock_files() {
        let dir = tempfile::tempdir().unwrap();
        let (project, home) = (dir.path().join("p"), dir.path().join("gradle"));
        put(
            &project,
            "build.gradle.kts",
            "val okio = \"3.1\"\ndependencies {\n  implementation(\"a.b:okio:$okio\")\n  // api(\"a.b:not:1\")\n  api(libs.one)\n  api(\"a.b:only\")\n}\n",
        );
        put(
            &project,
            "gradle/libs.versions.toml",
            "[versions]\nv = \"7\"\n[libraries]\none = { module = \"a.b:one\", version.ref = \"v\" }\n",
        );
        put(&project, "gradle.lockfile", "a.b:locked:1.5=compileClasspath\nempty=\n");
        for (artifact, version) in
            [("okio", "3.1"), ("not", "1"), ("one", "7"), ("only", "2"), ("locked", "1.5")]
        {
            put(
                &home,
                &format!("caches/modules-2/files-2.1/a.b/{artifact}/{version}/hash/{artifact}-{version}.jar"),
                "",
            );
        }
        let places = Places { gradle_home: Some(home), ..Places::default() };
        let found = jars(&project, &places);
        let mut names: Vec<_> =
            found.files.iter().map(|p| p.file_name().unwrap().to_str().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["locked-1.5.jar", "okio-3.1.jar", "one-7.jar", "only-2.jar"]);
    }
}
