//! The one place for settings: a TOML file, changed by the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ide_tools::Catalogue;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::keys::SCHEMA;

/// Everything that can be set. Every field has a default, so the file and every line of it are optional.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The schema of the file, written by `settings set`.
    pub schema_version: u32,
    /// As which product the server appears: under which name and on which port.
    pub product: String,
    /// Address to listen on; anything but a loopback address needs `token_file`.
    pub host: String,
    /// Port to listen on; 0 takes a free one.
    pub port: u16,
    /// A file that holds a bearer token, which every HTTP request must then carry.
    pub token_file: Option<PathBuf>,
    /// Sessions for HTTP clients of older revisions: needed only by clients that want to be told of changes.
    pub sessions: bool,
    /// Whether coding agents on the command line find an editor here: `serve` then writes lock files for them.
    pub companion: bool,
    /// Projects that are open from the start.
    pub projects: Vec<PathBuf>,
    /// The directory the program was started in: meant by a call that names no project, when there is no project in
    /// `projects` and the client says of no folder that it works there.
    #[serde(skip)]
    pub working_dir: Option<PathBuf>,
    /// The settings file: the one that was read, or the one that would be.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// Directories below which a project is opened when a call first names it. Default: the home directory.
    pub allowed_roots: Option<Vec<PathBuf>>,
    /// Directories below which build files may name modules that lie outside of their project. Without it these count only in
    /// the rest of the project's own checkout and in `projects`: a repository must not decide what else is read and written.
    pub workspace_roots: Vec<PathBuf>,
    /// Projects whose own programs may be run, such as a formatter that they install, besides those that
    /// `ide-index-mcp trust` named.
    pub trusted_projects: Vec<PathBuf>,
    /// Language servers that answer beside the index in trusted projects, by name (`gopls`, `pyright`, `rust-analyzer`, `jdtls`,
    /// `typescript-language-server`, `intelephense`, …), or `"*"` for each known one that is installed. They are programs of
    /// the user's search path, started by the first question about their language.
    pub language_servers: Vec<String>,
    /// Language servers that are not known by name: a table each, with `command` and `languages`.
    pub language_server_commands: BTreeMap<String, LanguageServerCommand>,
    /// Milliseconds that an answer of a language server is waited for, once until it answers again; then the index answers alone.
    pub language_server_wait_ms: u64,
    /// Mebibytes beyond which a language server is ended.
    pub language_server_memory_mib: u64,
    /// Minutes without a question after which a language server is ended.
    pub language_server_idle_minutes: u64,
    /// Directories that are not indexed, besides the built-in ones: `/x` at the root only, `x` anywhere.
    pub excludes: Vec<String>,
    /// Built-in exclusions that do not hold.
    pub includes: Vec<String>,
    /// Tools that are switched off.
    pub disabled_tools: Vec<String>,
    /// Tools that are switched on although they are off by default; `"*"` stands for all of them, `"intellij"` for a second set
    /// of names for the same, those of the intellij-mcp server (also at `/intellij/mcp` whatever stands here).
    pub enabled_tools: Vec<String>,
    /// How results are written.
    pub response_format: ResponseFormat,
    /// Whether `tools/list` carries the schemas of results too (they double its size).
    pub output_schemas: bool,
    /// Soft limit of an answer in characters: pages shrink to it.
    pub max_response_chars: usize,
    /// Other settings for clients whose names begin so.
    pub clients: BTreeMap<String, ClientSettings>,
    /// Seconds after which a call ends with an error.
    pub call_timeout_seconds: u64,
    /// Calls that run at the same time; 0 means twice the number of cores.
    pub workers: usize,
    /// Projects that stay open; the least recently used one is closed first.
    pub max_open_projects: usize,
    /// The directory of indexes. Default: `$XDG_CACHE_HOME/ide-index`, else `~/.cache/ide-index`, on every system.
    pub cache_dir: Option<PathBuf>,
    /// Calls that the history holds of each project while the server runs: 10 to 10000, or 0 for no history at all.
    pub max_history_size: usize,
    /// Calls that the history on disk holds; 0 for none.
    pub max_history_stored: usize,
    /// The directory of the history and of the records by which changes of files are undone. Default:
    /// `$XDG_STATE_HOME/ide-index-mcp`, else `~/.local/state/ide-index-mcp`, on every system.
    pub state_dir: Option<PathBuf>,
}

/// Other settings for one client.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ClientSettings {
    /// Whether it is sent structured content.
    pub structured_content: Option<bool>,
    /// Soft limit of an answer in characters.
    pub max_response_chars: Option<usize>,
}

/// A language server that the user describes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct LanguageServerCommand {
    /// The program, by an absolute path or on the search path, and its arguments.
    pub command: Vec<String>,
    /// Names of languages.
    pub languages: Vec<String>,
}

/// How results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResponseFormat {
    /// Structured content for clients that take it, with a short text beside it; JSON as text for all others.
    Auto,
    /// The text block is always the JSON object; structured content as above.
    Json,
    /// Only the short text, no structured content: fewest tokens.
    Text,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            schema_version: SCHEMA,
            product: "headless".to_owned(),
            host: "127.0.0.1".to_owned(),
            port: 29190,
            token_file: None,
            sessions: false,
            companion: true,
            projects: Vec::new(),
            working_dir: None,
            file: None,
            allowed_roots: None,
            workspace_roots: Vec::new(),
            trusted_projects: Vec::new(),
            language_servers: Vec::new(),
            language_server_commands: BTreeMap::new(),
            language_server_wait_ms: 2_000,
            language_server_memory_mib: 4_096,
            language_server_idle_minutes: 30,
            excludes: Vec::new(),
            includes: Vec::new(),
            disabled_tools: Vec::new(),
            enabled_tools: Vec::new(),
            response_format: ResponseFormat::Auto,
            output_schemas: false,
            max_response_chars: 10_000,
            clients: BTreeMap::new(),
            call_timeout_seconds: 55,
            workers: 0,
            max_open_projects: 16,
            cache_dir: None,
            max_history_size: 100,
            max_history_stored: 20_000,
            state_dir: None,
        }
    }
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", .path.display(), .message.trim_end())]
pub struct ConfigError {
    path: PathBuf,
    message: String,
}

impl Config {
    /// Reads a file that must exist.
    ///
    /// # Errors
    /// When it cannot be read, is not TOML, or has a key that means nothing.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let error = |message: String| ConfigError { path: path.to_owned(), message };
        let text = std::fs::read_to_string(path).map_err(|e| error(e.to_string()))?;
        Self::parse(&text).map_err(error)
    }

    /// The file that was named, else the user's own if there is one, else the defaults.
    ///
    /// # Errors
    /// See [`Config::read`].
    pub fn load(named: Option<&Path>, places: &Places) -> Result<Self, ConfigError> {
        let file = named.or(places.config_file.as_deref());
        let read = match file {
            Some(path) if named.is_some() || path.exists() => Self::read(path)?,
            _ => Self::default(),
        };
        Ok(Self { file: file.map(Path::to_owned), ..read })
    }

    /// The text of a settings file, empty where there is none.
    #[cfg(feature = "cli")]
    pub(crate) fn text_of(file: &Path) -> Result<String, String> {
        match std::fs::read_to_string(file) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
            other => other.map_err(|error| format!("{}: {error}", file.display())),
        }
    }

    /// Sets one key of a settings file, or takes it out, and gives its name. Everything else in the file stays as it is.
    #[cfg(feature = "cli")]
    pub(crate) fn change_file(file: &Path, key: &str, value: Option<&[String]>) -> Result<String, String> {
        let key = Self::key(key)?;
        let changed = Self::changed(&Self::text_of(file)?, &key, value)?;
        crate::agents::write_whole(file, &changed).map_err(|error| format!("{}: {error}", file.display()))?;
        Ok(key)
    }

    pub(crate) fn check(&self) -> Result<(), String> {
        let is_group = |name: &str| name == "*" || name == ide_tools::GROUP;
        for name in self.disabled_tools.iter().chain(&self.enabled_tools).filter(|name| !is_group(name)) {
            ide_tools::find_in(Catalogue::Intellij, name)
                .or_else(|_| ide_tools::find(name))
                .map_err(|error| error.message)?;
        }
        for name in self.language_servers.iter().filter(|name| *name != "*") {
            if ide_lsp::KnownServer::of(name).is_none() {
                let known: Vec<&str> = ide_lsp::KNOWN.iter().map(|known| known.name).collect();
                return Err(format!("no language server `{name}` is known; those are: {}", known.join(", ")));
            }
        }
        for (name, server) in &self.language_server_commands {
            let unknown = server.languages.iter().find(|name| ide_model::Language::by_name(name).is_none());
            if let Some(language) = unknown {
                return Err(format!("`language_server_commands.{name}`: there is no language `{language}`"));
            }
        }
        if self.call_timeout_seconds == 0 {
            return Err("`call_timeout_seconds` must be at least 1".to_owned());
        }
        Ok(())
    }

    /// Whether a tool is offered.
    pub fn offers(&self, tool: &ide_tools::ToolSpec) -> bool {
        let has = |list: &[String], word: &str| list.iter().any(|name| name == word);
        let is_on = match tool.catalogue {
            Catalogue::Ide => tool.default_on || has(&self.enabled_tools, "*"),
            // "*" does not mean a second set of names for the same.
            Catalogue::Intellij => has(&self.enabled_tools, ide_tools::GROUP),
        };
        !has(&self.disabled_tools, tool.name) && (is_on || has(&self.enabled_tools, tool.name))
    }
}

/// The user's directories, after the XDG rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub home: Option<PathBuf>,
    pub config_file: Option<PathBuf>,
    pub cache_dir: Option<PathBuf>,
    pub state_dir: Option<PathBuf>,
    /// The directory with the files that a program without the feature `bundled-libraries` is shipped with.
    pub assets_dir: Option<PathBuf>,
}

impl Places {
    /// Reads the environment.
    pub fn from_environment() -> Self {
        let absolute =
            |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = absolute("HOME").or_else(|| absolute("USERPROFILE"));
        let below = |variable: &str, folder: &str| {
            absolute(variable).or_else(|| home.as_ref().map(|home| home.join(folder)))
        };
        Self {
            config_file: below("XDG_CONFIG_HOME", ".config").map(|dir| dir.join("ide-index-mcp/config.toml")),
            cache_dir: below("XDG_CACHE_HOME", ".cache").map(|dir| dir.join("ide-index")),
            state_dir: below("XDG_STATE_HOME", ".local/state").map(|dir| dir.join("ide-index-mcp")),
            home,
            assets_dir: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Config, ConfigError> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        Config::read(&path)
    }

    #[test]
    fn every_line_is_optional_and_typing_errors_are_refused() {
        assert_eq!(read("").unwrap(), Config::default());
        let config = read("port = 0\nresponse_format = \"json\"\nprojects = [\"/a\"]").unwrap();
        assert_eq!((config.port, config.response_format), (0, ResponseFormat::Json));
        let error = read("prot = 1").unwrap_err().to_string();
        assert!(error.contains("config.toml") && error.contains("unknown field `prot`"), "{error}");
        let error = read("disabled_tools = [\"ide_find_refrences\"]").unwrap_err().to_string();
        assert!(error.contains("no tool `ide_find_refrences`"), "{error}");
    }

    #[test]
    fn switches_decide_about_tools() {
        let tool = ide_tools::find("ide_find_class").unwrap();
        assert!(Config::default().offers(tool));
        let off = Config { disabled_tools: vec![tool.name.to_owned()], ..Config::default() };
        assert!(!off.offers(tool));
        let undo = ide_tools::find("ide_create_file").unwrap();
        assert!(!Config::default().offers(undo));
        let all = read("enabled_tools = [\"*\"]\ndisabled_tools = [\"ide_find_class\"]").unwrap();
        assert!(all.offers(undo) && !all.offers(tool));
    }
}
