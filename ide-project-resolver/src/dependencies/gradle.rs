//! Gradle: the dependency blocks of build scripts as far as they are constant, version catalogues, and `gradle.lockfile`.

use std::collections::BTreeMap;
use std::io;

use super::{Declared, DependencyScope, Findings, Folder, Graph, invalid};
use crate::build_system::gradle::{Token, tokens};

pub(super) fn read(folder: &Folder<'_>, found: &mut Findings) -> io::Result<()> {
    let values = values(folder)?;
    let catalogues = catalogues(folder)?;
    for name in ["build.gradle.kts", "build.gradle"] {
        let Some(mut script) = folder.text(name)? else { continue };
        let mut known = values.clone();
        known.extend(assignments(&script));
        for (name, value) in known.iter().rev() {
            script = script
                .replace(&format!("${{{name}}}"), value)
                .replace(&format!("${name}\""), &format!("{value}\""));
            script = script.replace(&format!("${name}:"), &format!("{value}:"));
        }
        Script { folder, tokens: &tokens(&script), catalogues: &catalogues }.read(&mut found.declared);
    }
    if let Some(text) = folder.text("gradle.lockfile")? {
        found.locked = Some(locked(&text, &found.declared));
    }
    Ok(())
}

/// When something in a configuration is there; `None` for what is no configuration of dependencies.
fn scope_of(configuration: &str) -> Option<DependencyScope> {
    let lower = configuration.to_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| lower.ends_with(ending));
    let is_test = lower.contains("test");
    if !ends(&[
        "implementation",
        "api",
        "compileonly",
        "runtimeonly",
        "compile",
        "runtime",
        "classpath",
        "provided",
        "kapt",
        "ksp",
        "annotationprocessor",
    ]) {
        return None;
    }
    Some(if is_test {
        DependencyScope::Test
    } else if ends(&["compileonly", "provided", "kapt", "ksp", "annotationprocessor"]) {
        DependencyScope::Provided
    } else if ends(&["runtimeonly", "runtime"]) && !lower.contains("classpath") {
        DependencyScope::Runtime
    } else {
        DependencyScope::Compile
    })
}

struct Script<'s> {
    folder: &'s Folder<'s>,
    tokens: &'s [Token],
    catalogues: &'s [Catalogue],
}

impl Script<'_> {
    fn text(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Text(text)) => Some(text),
            _ => None,
        }
    }

    fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn mark(&self, at: usize, c: char) -> bool {
        self.tokens.get(at) == Some(&Token::Mark(c))
    }

    /// Reads the blocks called `dependencies`, but for those of the build itself.
    fn read(&self, declared: &mut Vec<Declared>) {
        let mut open: Vec<&str> = Vec::new();
        for at in 0..self.tokens.len() {
            if self.mark(at, '{') {
                let name = if at > 0 && self.mark(at - 1, ')') {
                    ""
                } else {
                    at.checked_sub(1).and_then(|at| self.word(at)).unwrap_or("")
                };
                open.push(name);
            } else if self.mark(at, '}') {
                open.pop();
            } else if open.contains(&"dependencies")
                && !open
                    .iter()
                    .any(|name| matches!(*name, "buildscript" | "dependencyManagement" | "constraints"))
                && let Some(scope) = self.word(at).and_then(scope_of)
                && !self.mark(at + 1, '.')
            {
                let first = if self.mark(at + 1, '(') { at + 2 } else { at + 1 };
                self.argument(first, scope, declared);
            } else if open.contains(&"dependencies")
                // a configuration that is named by a string
                && let Some(scope) = self.text(at).and_then(scope_of)
                && self.mark(at + 1, '(')
            {
                self.argument(at + 2, scope, declared);
            }
        }
    }

    fn argument(&self, at: usize, scope: DependencyScope, declared: &mut Vec<Declared>) {
        if let Some(text) = self.text(at) {
            declared.extend(coordinate(text, scope));
            // Groovy takes several behind commas.
            let mut next = at + 1;
            while self.mark(next, ',') && self.text(next + 1).is_some_and(|text| text.contains(':')) {
                declared.extend(self.text(next + 1).and_then(|text| coordinate(text, scope)));
                next += 2;
            }
            return;
        }
        match self.word(at) {
            Some("platform" | "enforcedPlatform" | "testFixtures") if self.mark(at + 1, '(') => {
                self.argument(at + 2, scope, declared);
            }
            Some("project") if self.mark(at + 1, '(') => {
                // project(":a:b") or project(path: ":a:b")
                let path = (at + 2..at + 6).find_map(|at| self.text(at));
                declared.extend(path.map(|path| self.project(path, scope)));
            }
            Some("projects") => {
                let (path, _) = self.path(at);
                let path: Vec<String> = path[1..].iter().map(|word| kebab(word)).collect();
                declared.push(self.project(&path.join(":"), scope));
            }
            Some("kotlin") if self.mark(at + 1, '(') => {
                if let Some(module) = self.text(at + 2) {
                    let mut asks = Declared::new(format!("org.jetbrains.kotlin:kotlin-{module}"), scope);
                    if self.mark(at + 3, ',') {
                        asks = asks.asks(self.text(at + 4));
                        asks.version.clone_from(&asks.requirement);
                    }
                    declared.push(asks);
                }
            }
            Some("group") => {
                // group: 'g', name: 'n', version: 'v'
                let part = |name: &str| {
                    (at..at + 14).find(|at| self.word(*at) == Some(name)).and_then(|at| self.text(at + 2))
                };
                if let (Some(group), Some(name)) = (part("group"), part("name")) {
                    let version = part("version").map_or_else(String::new, |version| format!(":{version}"));
                    declared.extend(coordinate(&format!("{group}:{name}{version}"), scope));
                }
            }
            Some(name) => {
                if let Some(catalogue) = self.catalogues.iter().find(|catalogue| catalogue.name == name) {
                    let (path, _) = self.path(at);
                    let key: Vec<&str> =
                        path[1..].iter().map(|word| &**word).filter(|word| *word != "get").collect();
                    declared.extend(catalogue.meant(&key.join("-"), scope));
                }
            }
            None => {}
        }
    }

    /// The words of `a.b.c`, and where they end.
    fn path(&self, at: usize) -> (Vec<String>, usize) {
        let mut words = Vec::new();
        let mut next = at;
        while let Some(word) = self.word(next) {
            words.push(word.to_owned());
            next += 1;
            if !self.mark(next, '.') {
                break;
            }
            next += 1;
        }
        (words, next)
    }

    fn project(&self, path: &str, scope: DependencyScope) -> Declared {
        let last = path.rsplit(':').next().unwrap_or(path);
        let dir = path.trim_start_matches(':').replace(':', "/");
        let module = self.folder.module_below_root(&dir);
        Declared::new(module.unwrap_or(last), scope).module()
    }
}

/// `fooBar` as the name of a directory.
fn kebab(word: &str) -> String {
    let mut text = String::new();
    for c in word.chars() {
        if c.is_uppercase() {
            text.push('-');
        }
        text.extend(c.to_lowercase());
    }
    text
}

/// A dependency as `group:artifact:version`.
fn coordinate(text: &str, scope: DependencyScope) -> Option<Declared> {
    let text = text.split('@').next().unwrap_or(text);
    let mut parts = text.split(':');
    let (group, artifact) = (parts.next()?, parts.next()?);
    if group.is_empty() || artifact.is_empty() || text.contains(char::is_whitespace) {
        return None;
    }
    let mut asks = Declared::new(format!("{group}:{artifact}"), scope).asks(parts.next());
    asks.version = asks
        .requirement
        .clone()
        .filter(|version| !version.contains(['+', '[', '(', '$', ',']) && !version.starts_with("latest."));
    Some(asks)
}

/// The names with constant values of the script and of the files of properties around it.
fn values(folder: &Folder<'_>) -> io::Result<BTreeMap<String, String>> {
    let mut around = folder.around("gradle.properties")?;
    around.reverse();
    let mut known: BTreeMap<String, String> = around.iter().flat_map(|(_, text)| assignments(text)).collect();
    if let Some(text) = folder.text("gradle.properties")? {
        known.extend(assignments(&text));
    }
    Ok(known)
}

/// `name = value`, where the value is constant.
fn assignments(text: &str) -> Vec<(String, String)> {
    let plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'))
    };
    let of_line = |line: &str| {
        let (name, value) = line.split_once('=')?;
        let name = name.split(':').next()?.trim().rsplit([' ', '.']).next()?;
        let value = value.trim().trim_matches(['"', '\'']);
        (plain(name) && plain(value)).then(|| (name.to_owned(), value.to_owned()))
    };
    text.lines().filter_map(of_line).collect()
}

/// A catalogue of versions, under the name that scripts use.
struct Catalogue {
    name: String,
    /// By alias, with `-` between its words: module and version.
    libraries: BTreeMap<String, (String, Option<String>)>,
    /// Aliases of libraries, by the alias of their bundle.
    bundles: BTreeMap<String, Vec<String>>,
}

impl Catalogue {
    fn meant(&self, alias: &str, scope: DependencyScope) -> Vec<Declared> {
        let one = |alias: &str| {
            let (module, version) = self.libraries.get(alias)?;
            let mut asks = Declared::new(module.as_str(), scope).asks(version.as_deref());
            asks.version.clone_from(version);
            Some(asks)
        };
        match alias.strip_prefix("bundles-") {
            Some(bundle) => {
                self.bundles.get(bundle).into_iter().flatten().filter_map(|alias| one(alias)).collect()
            }
            None => one(alias).into_iter().collect(),
        }
    }
}

/// The catalogues of the build: `gradle/NAME.versions.toml` here or around.
fn catalogues(folder: &Folder<'_>) -> io::Result<Vec<Catalogue>> {
    let mut found = Vec::new();
    for (name, text) in folder.catalogues()? {
        let table: toml::Table = text.parse().map_err(|e| invalid(&name, &e))?;
        found.push(catalogue(name.trim_end_matches(".versions.toml"), &table));
    }
    Ok(found)
}

fn catalogue(name: &str, table: &toml::Table) -> Catalogue {
    let part = |key: &str| table.get(key).and_then(toml::Value::as_table);
    let text =
        |value: &toml::Value, key: &str| value.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let of_version = |value: &toml::Value| -> Option<String> {
        let rich =
            |value: &toml::Value| ["strictly", "require", "prefer"].iter().find_map(|key| text(value, key));
        match value.as_str() {
            Some(plain) => Some(plain.to_owned()),
            None => match text(value, "ref") {
                Some(name) => {
                    let named = part("versions")?.get(&name)?;
                    named.as_str().map(str::to_owned).or_else(|| rich(named))
                }
                None => rich(value),
            },
        }
    };
    let alias = |key: &str| key.replace(['_', '.'], "-");
    let mut libraries = BTreeMap::new();
    for (key, value) in part("libraries").into_iter().flatten() {
        let whole = value.as_str().map(|text| text.splitn(3, ':').collect::<Vec<_>>());
        let (module, version) = match whole.as_deref() {
            Some([group, artifact, version]) => {
                (Some(format!("{group}:{artifact}")), Some((*version).to_owned()))
            }
            Some(_) => (None, None),
            None => {
                let parts = || Some(format!("{}:{}", text(value, "group")?, text(value, "name")?));
                (text(value, "module").or_else(parts), value.get("version").and_then(of_version))
            }
        };
        libraries.extend(module.map(|module| (alias(key), (module, version))));
    }
    let bundles = part("bundles").into_iter().flatten().map(|(key, list)| {
        let list = list.as_array().into_iter().flatten().filter_map(toml::Value::as_str).map(alias);
        (alias(key), list.collect())
    });
    Catalogue { name: name.to_owned(), libraries, bundles: bundles.collect() }
}

/// `group:artifact:version=configurations` of a lock file.
fn locked(text: &str, declared: &[Declared]) -> Graph {
    let mut graph = Graph::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((coordinate, configurations)) = line.split_once('=') else { continue };
        let Some((name, version)) = coordinate.rsplit_once(':') else { continue };
        let has = |word: &str| configurations.split(',').any(|c| c.trim() == word);
        let scope = if has("compileClasspath") {
            if has("runtimeClasspath") { DependencyScope::Compile } else { DependencyScope::Provided }
        } else if has("runtimeClasspath") {
            DependencyScope::Runtime
        } else {
            DependencyScope::Test
        };
        let at = graph.add(name, version);
        graph.direct.insert(name.to_owned(), at);
        if declared.iter().all(|declared| declared.name != name) {
            graph.others.push((at, scope));
        }
    }
    graph
}
