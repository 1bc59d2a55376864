//! The dependencies of a project, from its build files, lock files and the local repositories of its package managers; and
//! how much of each is at hand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ide_project_resolver::{BuildSystem, Dependency, DependencyReport, Module, Project, dependencies};

use crate::dependencies::{Places, python_roots, subdirectories};
use crate::jars::{JarCaches, JvmDependency};
use crate::os_fs::OsFs;

/// The part of a dependency that is on this machine, where answers lead into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Availability {
    /// Its source.
    Source,
    /// Its compiled classes, of which declarations are known.
    Declarations,
    /// Nothing.
    Missing,
}

/// A dependency and what is at hand of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedDependency {
    /// The dependency.
    pub dependency: Dependency,
    /// The part of it that is at hand.
    pub available: Availability,
}

/// Everything that the modules of a project depend on, ordered by name; `name` narrows it to modules of that name.
#[must_use]
pub fn list_dependencies(
    project: &Project,
    places: &Places,
    name: Option<&str>,
) -> (Vec<ListedDependency>, DependencyReport) {
    let mut report = dependencies(&OsFs, project, name);
    let mut caches = JarCaches::new(places);
    for module in project.modules().iter().filter(|module| name.is_none_or(|name| module.name == name)) {
        if module.build.contains(&BuildSystem::Maven) {
            maven(project, module, &mut caches, &mut report);
        }
        gradle(module, &mut caches, &mut report);
    }
    report.dependencies.sort();
    report.dependencies.dedup();
    report.unlocked.dedup();
    let mut finder = Finder { project, places, caches, python: None };
    let listed = std::mem::take(&mut report.dependencies).into_iter().map(|dependency| {
        let available =
            if dependency.is_module { Availability::Source } else { finder.available(&dependency) };
        ListedDependency { dependency, available }
    });
    (listed.collect(), report)
}

fn dependency(
    module: &Module,
    build: BuildSystem,
    one: JvmDependency,
    is_direct: bool,
    is_module: bool,
) -> Dependency {
    Dependency {
        name: one.name,
        build,
        declared: one.declared,
        version: one.version,
        scope: one.scope,
        is_direct,
        is_module,
        module: module.name.clone(),
        module_root: module.root.clone(),
    }
}

fn maven(project: &Project, module: &Module, caches: &mut JarCaches<'_>, report: &mut DependencyReport) {
    let Some(direct) = caches.asked_by_pom(Path::new(module.root.as_str())) else { return };
    let modules: BTreeSet<&str> = project.modules().iter().map(|module| module.name.as_str()).collect();
    let is_module = |name: &str| {
        name.split_once(':')
            .is_some_and(|(_, artifact)| artifact != module.name && modules.contains(artifact))
    };
    let outer: Vec<JvmDependency> = direct.iter().filter(|one| !is_module(&one.name)).cloned().collect();
    let (in_turn, is_whole) = caches.needed_in_turn(&outer);
    if !is_whole {
        report.unlocked.push((module.name.clone(), BuildSystem::Maven));
    }
    let all = direct.into_iter().map(|one| (one, true)).chain(in_turn.into_iter().map(|one| (one, false)));
    report.dependencies.extend(all.map(|(one, is_direct)| {
        let is_module = is_module(&one.name);
        dependency(module, BuildSystem::Maven, one, is_direct, is_module)
    }));
}

/// Adds the packages that the dependencies of a Gradle module need in turn, where no lock file says them.
fn gradle(module: &Module, caches: &mut JarCaches<'_>, report: &mut DependencyReport) {
    let key = (module.name.clone(), BuildSystem::Gradle);
    if !report.unlocked.contains(&key) {
        return;
    }
    let own = report
        .dependencies
        .iter()
        .filter(|one| one.module_root == module.root && one.build == BuildSystem::Gradle && !one.is_module);
    let direct: Vec<JvmDependency> = own
        .map(|one| JvmDependency {
            name: one.name.clone(),
            declared: one.declared.clone(),
            version: one.version.clone(),
            scope: one.scope,
        })
        .collect();
    let (in_turn, is_whole) = caches.needed_in_turn(&direct);
    if is_whole {
        report.unlocked.retain(|known| *known != key);
    }
    let found = in_turn.into_iter().map(|one| dependency(module, BuildSystem::Gradle, one, false, false));
    report.dependencies.extend(found);
}

struct Finder<'p> {
    project: &'p Project,
    places: &'p Places,
    caches: JarCaches<'p>,
    /// Names of installed distributions, with their versions.
    python: Option<BTreeMap<String, Vec<String>>>,
}

impl Finder<'_> {
    fn available(&mut self, of: &Dependency) -> Availability {
        let is_here = match of.build {
            BuildSystem::Maven | BuildSystem::Gradle => {
                return match self.caches.jars_of(&of.name, of.version.as_deref()) {
                    (_, Some(_)) => Availability::Source,
                    (Some(_), None) => Availability::Declarations,
                    (None, None) => Availability::Missing,
                };
            }
            BuildSystem::Node => self.around(of).any(|dir| dir.join("node_modules").join(&of.name).is_dir()),
            BuildSystem::Cargo => self.crate_source(of),
            BuildSystem::Go => self.go_source(of),
            BuildSystem::Python => self.python_source(of),
            BuildSystem::Composer => self.around(of).any(|dir| dir.join("vendor").join(&of.name).is_dir()),
        };
        if is_here { Availability::Source } else { Availability::Missing }
    }

    /// The module's directory and those around it, up to the root of the project.
    fn around(&self, of: &Dependency) -> impl Iterator<Item = PathBuf> {
        let root = PathBuf::from(self.project.root().canonical().as_str());
        let dirs: Vec<PathBuf> = Path::new(of.module_root.as_str()).ancestors().map(Path::to_owned).collect();
        dirs.into_iter().take_while(move |dir| dir.starts_with(&root))
    }

    fn crate_source(&self, of: &Dependency) -> bool {
        let name = format!("{}-{}", of.name, of.version.as_deref().unwrap_or_default());
        let registries =
            self.places.cargo_home.iter().flat_map(|home| subdirectories(&home.join("registry/src")));
        let vendored = || self.around(of).map(|dir| dir.join("vendor"));
        registries.into_iter().any(|dir| dir.join(&name).is_dir())
            || vendored().any(|dir| dir.join(&of.name).is_dir() || dir.join(&name).is_dir())
    }

    /// Capitals are written with `!` in the module cache, which must do on disks that ignore case.
    fn go_source(&self, of: &Dependency) -> bool {
        let mut path = String::new();
        for c in of.name.chars() {
            if c.is_ascii_uppercase() {
                path.push('!');
            }
            path.push(c.to_ascii_lowercase());
        }
        let version = of.version.as_deref().unwrap_or_default();
        let cached = self.places.go_modules.as_ref().map(|at| at.join(format!("{path}@{version}")));
        cached.is_some_and(|at| at.is_dir())
            || self.around(of).any(|dir| dir.join("vendor").join(&of.name).is_dir())
    }

    fn python_source(&mut self, of: &Dependency) -> bool {
        let (project, places) = (self.project, self.places);
        let installed = self.python.get_or_insert_with(|| {
            let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
            let root = Path::new(project.root().canonical().as_str());
            for site in python_roots(root, places) {
                for dir in subdirectories(&site.real) {
                    let name = dir
                        .file_name()
                        .and_then(|name| name.to_str())
                        .and_then(|name| name.strip_suffix(".dist-info"));
                    if let Some((name, version)) = name.and_then(|name| name.split_once('-')) {
                        let name = name.to_lowercase().replace(['_', '.'], "-");
                        found.entry(name).or_default().push(version.to_owned());
                    }
                }
            }
            found
        });
        let versions = installed.get(&of.name);
        versions.is_some_and(|all| of.version.as_ref().is_none_or(|version| all.contains(version)))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "fixtures are written to a real disk")]
mod tests {
    use ide_project_resolver::Exclusions;

    use super::*;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("a file has a directory")).expect("the disk takes it");
        std::fs::write(path, text).expect("the disk takes it");
    }

    fn rows(root: &Path, places: &Places) -> Vec<String> {
        let root = root.canonicalize().expect("it was made");
        let root = root.to_str().expect("a plain path");
        let project = Project::open(&OsFs, root, &[], Exclusions::default()).expect("it is a directory");
        let (listed, report) = list_dependencies(&project, places, None);
        let mut rows: Vec<String> = listed
            .into_iter()
            .map(|ListedDependency { dependency: d, available }| {
                let version = d.version.as_deref().unwrap_or("?");
                let how = if d.is_direct { "direct" } else { "in turn" };
                let kind = if d.is_module { " module" } else { "" };
                format!("{} {version} {} {how}{kind} {available:?}", d.name, d.scope)
            })
            .collect();
        rows.extend(report.unlocked.iter().map(|(module, build)| format!("unlocked {module} {build}")));
        rows
    }

    #[test]
    fn maven_takes_versions_and_scopes_from_parents_and_follows_what_is_cached() {
        let dir = tempfile::tempdir().expect("a place");
        let (project, repository) = (dir.path().join("p"), dir.path().join("m2"));
        put(
            &project,
            "pom.xml",
            "<project><groupId>g</groupId><artifactId>top</artifactId><version>1</version>\
            <properties><v>2.0</v></properties><modules><module>core</module><module>app</module></modules>\
            <dependencyManagement><dependencies>\
            <dependency><groupId>o</groupId><artifactId>lib</artifactId><version>${v}</version></dependency>\
            <dependency><groupId>o</groupId><artifactId>tests</artifactId><version>3</version><scope>test</scope></dependency>\
            </dependencies></dependencyManagement></project>",
        );
        let parent = "<parent><groupId>g</groupId><artifactId>top</artifactId><version>1</version></parent>";
        put(&project, "core/pom.xml", &format!("<project>{parent}<artifactId>core</artifactId></project>"));
        put(
            &project,
            "app/pom.xml",
            &format!(
                "<project>{parent}<artifactId>app</artifactId><dependencies>\
            <dependency><groupId>g</groupId><artifactId>core</artifactId><version>${{project.version}}</version></dependency>\
            <dependency><groupId>o</groupId><artifactId>lib</artifactId></dependency>\
            <dependency><groupId>o</groupId><artifactId>tests</artifactId></dependency>\
            </dependencies></project>"
            ),
        );
        put(
            &repository,
            "o/lib/2.0/lib-2.0.pom",
            "<project><groupId>o</groupId><artifactId>lib</artifactId><version>2.0</version>\
            <dependencies><dependency><groupId>o</groupId><artifactId>deep</artifactId><version>1.1</version><scope>runtime</scope></dependency>\
            <dependency><groupId>o</groupId><artifactId>not</artifactId><version>1</version><scope>test</scope></dependency></dependencies></project>",
        );
        put(&repository, "o/lib/2.0/lib-2.0.jar", "");
        put(&repository, "o/lib/2.0/lib-2.0-sources.jar", "");
        put(
            &repository,
            "o/deep/1.1/deep-1.1.pom",
            "<project><groupId>o</groupId><artifactId>deep</artifactId><version>1.1</version></project>",
        );
        put(&repository, "o/deep/1.1/deep-1.1.jar", "");
        let places = Places { maven_repository: Some(repository), ..Places::default() };
        assert_eq!(
            rows(&project, &places),
            [
                "g:core 1 COMPILE direct module Source",
                "o:deep 1.1 RUNTIME in turn Declarations",
                "o:lib 2.0 COMPILE direct Source",
                "o:tests 3 TEST direct Missing",
                "unlocked app maven",
            ]
        );
    }

    #[test]
    fn what_is_installed_is_at_hand() {
        let dir = tempfile::tempdir().expect("a place");
        let root = dir.path();
        put(root, "web/package.json", r#"{"name": "web", "dependencies": {"a": "^1", "b": "^1"}}"#);
        put(root, "web/node_modules/a/package.json", "{}");
        put(root, "py/pyproject.toml", "[project]\nname='py'\ndependencies=['Foo_Bar==1.0', 'baz']\n");
        put(root, ".venv/pyvenv.cfg", "");
        put(root, ".venv/lib/python3.12/site-packages/foo_bar-1.0.dist-info/METADATA", "");
        put(root, "php/composer.json", r#"{"name": "x/php", "require": {"php": ">=8", "v/w": "^1"}}"#);
        put(root, "php/vendor/v/w/a.php", "");
        put(
            root,
            "go/go.mod",
            "module m\nrequire github.com/Big/x v1.0.0\nrequire y.org/z v0.1.0 // indirect\n",
        );
        put(root, "cache/github.com/!big/x@v1.0.0/x.go", "");
        put(root, "rs/Cargo.toml", "[package]\nname='rs'\n[dependencies]\nserde='1'\n");
        put(
            root,
            "rs/Cargo.lock",
            "[[package]]\nname='rs'\nversion='0.1.0'\ndependencies=['serde']\n[[package]]\nname='serde'\nversion='1.0.9'\nsource='registry'\n",
        );
        put(root, "cargo/registry/src/r/serde-1.0.9/lib.rs", "");
        let places = Places {
            go_modules: Some(root.join("cache")),
            cargo_home: Some(root.join("cargo")),
            ..Places::default()
        };
        assert_eq!(
            rows(root, &places),
            [
                "a ? COMPILE direct Source",
                "b ? COMPILE direct Missing",
                "baz ? COMPILE direct Missing",
                "foo-bar 1.0 COMPILE direct Source",
                "github.com/Big/x v1.0.0 COMPILE direct Source",
                "serde 1.0.9 COMPILE direct Source",
                "v/w ? COMPILE direct Source",
                "y.org/z v0.1.0 COMPILE in turn Missing",
                "unlocked x/php composer",
                "unlocked py python",
                "unlocked web node",
            ]
        );
    }
}
