//! The language servers of a project: which, from the settings; started by `ide-toolchain`, so that none outlives us.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ide_lsp::{KNOWN, KnownServer, LanguageServer, Launcher, Options, RunningProgram, ServerSpec, Streams};
use ide_model::{Language, Provider};
use ide_toolchain::{Process, Program};

use crate::config::{Config, LanguageServerCommand};
use crate::trust::Trust;

/// The word for every known server.
const ALL: &str = "*";

/// How long an answer of the user's about trust is believed without a look into the file.
const TRUST_KEPT: Duration = Duration::from_secs(2);

/// Whether the settings want any.
pub(crate) fn are_wanted(config: &Config) -> bool {
    !config.language_servers.is_empty() || !config.language_server_commands.is_empty()
}

/// The servers that the settings want for the project at a real path, the ones that are asked first in front.
pub(crate) fn of_project(root: &Path, config: &Config) -> Vec<Arc<dyn Provider>> {
    let search_path: Vec<PathBuf> =
        std::env::var_os("PATH").map_or_else(Vec::new, |path| std::env::split_paths(&path).collect());
    let options = options(root, config);
    let mut providers: Vec<Arc<dyn Provider>> = Vec::new();
    let mut taken: Vec<Language> = Vec::new();
    for (name, LanguageServerCommand { command, languages }) in &config.language_server_commands {
        let languages: Vec<Language> = languages.iter().filter_map(|name| Language::by_name(name)).collect();
        let server = match ServerSpec::custom(name, command, &languages, &search_path) {
            Ok(spec) => {
                taken.extend(&languages);
                LanguageServer::new(spec, options.clone())
            }
            Err(because) => LanguageServer::missing(name, &languages, options.clone(), because),
        };
        providers.push(Arc::new(server));
    }
    let wants_all = config.language_servers.iter().any(|name| name == ALL);
    let is_named = |known: &KnownServer| config.language_servers.iter().any(|name| name == known.name);
    for known in KNOWN.iter().filter(|known| wants_all || is_named(known)) {
        let cache = cache_of(root, config, known.name);
        match known.spec(&search_path, &cache) {
            Ok(_) if known.languages.iter().all(|language| taken.contains(language)) => {}
            Ok(spec) => {
                taken.extend(known.languages);
                providers.push(Arc::new(LanguageServer::new(spec, options.clone())));
            }
            Err(because) if is_named(known) => {
                let missing = LanguageServer::missing(known.name, known.languages, options.clone(), because);
                providers.push(Arc::new(missing));
            }
            // Not installed, and nobody asked for this one.
            Err(_) => {}
        }
    }
    providers
}

fn options(root: &Path, config: &Config) -> Options {
    let trust = Trust::new(config.state_dir.as_deref(), &config.trusted_projects);
    let (place, last) = (root.to_owned(), Mutex::new(None::<(Instant, bool)>));
    let allowed = move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        match *last {
            Some((at, answer)) if at.elapsed() < TRUST_KEPT => answer,
            _ => last.insert((Instant::now(), trust.holds(&place))).1,
        }
    };
    Options {
        root: root.to_owned(),
        patience: Duration::from_secs(config.call_timeout_seconds.min(30)),
        start: Duration::from_secs(600),
        idle: Duration::from_secs(config.language_server_idle_minutes.saturating_mul(60)),
        memory: config.language_server_memory_mib << 20,
        allowed: Arc::new(allowed),
        launcher: Arc::new(Toolchain),
        client_version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// A directory for what a server keeps of a project.
fn cache_of(root: &Path, config: &Config, name: &str) -> PathBuf {
    let base = config.cache_dir.clone().unwrap_or_else(|| std::env::temp_dir().join("ide-index"));
    let tag = ide_tools::project_tag(&root.display().to_string());
    base.join("language-servers").join(format!("{name}-{tag}"))
}

/// Starts servers as programs that end with us.
struct Toolchain;

struct Running(Process);

impl Launcher for Toolchain {
    fn start(&self, spec: &ServerSpec, folder: &Path) -> io::Result<(Box<dyn RunningProgram>, Streams)> {
        let mut program = Program::new(&spec.program, folder).args(&spec.args);
        program.env.extend(spec.env.iter().map(|(name, value)| (name.into(), Some(value.into()))));
        let mut process = Process::start(&program)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (process.stdin.take(), process.stdout.take(), process.stderr.take())
        else {
            return Err(io::Error::other("it has no pipes"));
        };
        Ok((Box::new(Running(process)), (Box::new(stdin), Box::new(stdout), Box::new(stderr))))
    }
}

impl RunningProgram for Running {
    fn has_ended(&mut self) -> bool {
        self.0.has_ended().unwrap_or(true)
    }

    fn memory(&self) -> Option<u64> {
        self.0.memory()
    }

    fn end(&mut self) {
        // It is gone, or the system does not say how it went.
        drop(self.0.end());
    }
}

#[cfg(test)]
mod tests {
    use ide_model::Standing;

    use super::*;

    #[test]
    fn nothing_runs_without_a_word_of_the_user() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        assert!(!are_wanted(&Config::default()));
        let text = "[language_server_commands.clangd]\ncommand = [\"sh\"]\nlanguages = [\"C\", \"C++\"]\n";
        let config = Config { state_dir: Some(root.join("state")), ..Config::parse(text).unwrap() };
        assert!(are_wanted(&config));
        let providers = of_project(&root, &config);
        assert_eq!(providers.len(), 1);
        assert_eq!(providers[0].standing(Language::Cpp, true), Standing::Absent);
        let state = providers[0].states().remove(0);
        assert!(state.note.unwrap().contains("ide-index-mcp trust"), "the project is not trusted");
        assert_eq!(state.languages, [Language::C, Language::Cpp]);
    }

    #[test]
    fn what_is_missing_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let text = "[language_server_commands.x]\ncommand = [\"no-such-program\"]\nlanguages = [\"Ruby\"]\n";
        let config = Config::parse(text).unwrap();
        let state = of_project(dir.path(), &config)[0].states().remove(0);
        assert_eq!(state.note.unwrap(), "`no-such-program` is not on the search path");
        let text = "[language_server_commands.x]\ncommand = [\"sh\"]\nlanguages = [\"Cobol\"]\n";
        assert!(Config::parse(text).unwrap_err().contains("Cobol"));
        let config = Config { language_servers: vec!["goplz".to_owned()], ..Config::default() };
        assert!(config.check().unwrap_err().contains("gopls"));
    }
}
