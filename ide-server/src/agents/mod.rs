//! Agents that use the server: where each keeps its settings, and what goes there. One row an agent.

mod edit;
mod install;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

pub use install::{Change, Plan, Wanted, plan, uninstall};
pub(crate) use install::{SKILL, write as write_whole};

/// The name of the skill, and of the server where the settings say no other.
pub(crate) const NAME: &str = "ide-index";

/// How an agent reaches the server.
#[derive(Clone, Copy, Debug)]
pub struct ServerEndpoint<'a> {
    /// The name under which the agent knows the server.
    pub name: &'a str,
    /// The address of Streamable HTTP.
    pub url: &'a str,
    /// The path of this binary, for agents that start it themselves.
    pub binary: &'a str,
    /// The project for such agents; without one they say it themselves.
    pub project: Option<&'a str>,
    /// Whether the agent is to start the server itself, where it can do both.
    pub stdio: bool,
}

impl ServerEndpoint<'_> {
    fn args(&self) -> Vec<&str> {
        let project = self.project.into_iter().flat_map(|project| ["--project", project]);
        ["stdio"].into_iter().chain(project).collect()
    }
}

/// The user's directories, as agents look for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserDirectories {
    /// The home directory.
    pub home: PathBuf,
    /// The directory of programs' settings: `XDG_CONFIG_HOME`, or `.config` in the home directory.
    pub config: PathBuf,
    /// The same for programs that follow their system: `Library/Application Support`, `APPDATA`, or `config`.
    pub application: PathBuf,
    /// `CODEX_HOME`, where it is set.
    pub codex: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`, where it is set.
    pub claude: Option<PathBuf>,
}

impl UserDirectories {
    /// The directories that the environment names; `variable` reads it.
    pub fn new(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<Self> {
        let path = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = path("HOME").or_else(|| path("USERPROFILE"))?;
        let config = path("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let application = if cfg!(target_os = "macos") {
            home.join("Library/Application Support")
        } else if cfg!(windows) {
            path("APPDATA").unwrap_or_else(|| home.join("AppData/Roaming"))
        } else {
            config.clone()
        };
        Some(Self { config, application, codex: path("CODEX_HOME"), claude: path("CLAUDE_CONFIG_DIR"), home })
    }
}

/// The syntax of a settings file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// JSON, with comments where there are any.
    Json,
    Toml,
}

/// One agent.
pub struct Agent {
    /// Word on the command line.
    pub id: &'static str,
    /// Other words for it.
    pub aliases: &'static [&'static str],
    /// Its name.
    pub title: &'static str,
    /// The possible files of its settings, the preferred file first; empty for agents that keep them to
    /// themselves.
    files: fn(&UserDirectories) -> Vec<PathBuf>,
    /// A directory that shows that it is installed.
    sign: fn(&UserDirectories) -> PathBuf,
    syntax: Syntax,
    /// The object that holds servers by name.
    table: &'static str,
    entry: fn(&ServerEndpoint<'_>) -> Value,
    /// A command that does the same, where the agent has one.
    command: Option<fn(&ServerEndpoint<'_>) -> String>,
    /// The file in a project that it reads as rules.
    rules: &'static str,
    /// The directory in which it finds skills.
    skills: Option<fn(&UserDirectories) -> PathBuf>,
    /// Instructions for a person, where there is no file to write.
    by_hand: &'static str,
}

impl Agent {
    /// The file with its settings: the one that is there, else the preferred one.
    pub fn file(&self, directories: &UserDirectories) -> Option<PathBuf> {
        let files = (self.files)(directories);
        files.iter().find(|file| file.exists()).or(files.first()).cloned()
    }

    /// Whether it seems to be installed.
    pub fn is_there(&self, directories: &UserDirectories) -> bool {
        (self.sign)(directories).exists()
    }

    /// The server's entry in the settings, as text to paste.
    pub fn snippet(&self, reach: &ServerEndpoint<'_>) -> String {
        let entry = (self.entry)(reach);
        match self.syntax {
            Syntax::Json => format!("{:#}", json!({ self.table: { reach.name: entry } })),
            Syntax::Toml => edit::set(Syntax::Toml, "", self.table, reach.name, &entry).unwrap_or_default(),
        }
    }

    /// A command that adds the server, where the agent has one.
    pub fn command(&self, reach: &ServerEndpoint<'_>) -> Option<String> {
        self.command.map(|command| command(reach))
    }

    /// Instructions for a person, where there is no file to write.
    pub fn by_hand(&self) -> &'static str {
        self.by_hand
    }

    /// The agent of that name.
    pub fn of(id: &str) -> Option<&'static Agent> {
        AGENTS.iter().find(|agent| agent.id == id || agent.aliases.contains(&id))
    }
}

/// `{"command": …, "args": […]}`.
fn started(reach: &ServerEndpoint<'_>) -> Value {
    json!({"command": reach.binary, "args": reach.args()})
}

/// An entry that names its transport by `type`.
fn typed(reach: &ServerEndpoint<'_>) -> Value {
    if reach.stdio {
        json!({"type": "stdio", "command": reach.binary, "args": reach.args()})
    } else {
        json!({"type": "http", "url": reach.url})
    }
}

/// An entry with the address under some key.
fn addressed(reach: &ServerEndpoint<'_>, key: &str) -> Value {
    if reach.stdio { started(reach) } else { json!({ key: reach.url }) }
}

fn claude_dir(directories: &UserDirectories) -> PathBuf {
    directories.claude.clone().unwrap_or_else(|| directories.home.join(".claude"))
}

fn codex_dir(directories: &UserDirectories) -> PathBuf {
    directories.codex.clone().unwrap_or_else(|| directories.home.join(".codex"))
}

fn zed_dir(directories: &UserDirectories) -> PathBuf {
    if cfg!(windows) { directories.application.join("Zed") } else { directories.config.join("zed") }
}

const AGENTS_MD: &str = "AGENTS.md";

/// An agent with its settings in JSON below the home directory, from which rows differ.
const JSON: Agent = Agent {
    id: "",
    aliases: &[],
    title: "",
    files: |_| Vec::new(),
    sign: |directories| directories.home.clone(),
    syntax: Syntax::Json,
    table: "mcpServers",
    entry: typed,
    command: None,
    rules: AGENTS_MD,
    skills: None,
    by_hand: "",
};

/// Every agent we know, in the order in which they are shown.
pub static AGENTS: &[Agent] = &[
    Agent {
        id: "claude-code",
        aliases: &["claude"],
        title: "Claude Code",
        files: |directories| {
            let own = directories.claude.as_ref().map(|dir| dir.join(".claude.json"));
            own.into_iter().chain([directories.home.join(".claude.json")]).take(1).collect()
        },
        sign: claude_dir,
        command: Some(|reach| {
            let server = if reach.stdio {
                format!("-- {} {}", reach.binary, reach.args().join(" "))
            } else {
                reach.url.to_owned()
            };
            let (name, transport) = (reach.name, if reach.stdio { "stdio" } else { "http" });
            format!(
                "claude mcp remove {name} >/dev/null 2>&1 ; claude mcp add --transport {transport} --scope user {name} {server}"
            )
        }),
        rules: "CLAUDE.md",
        skills: Some(|directories| claude_dir(directories).join("skills")),
        ..JSON
    },
    Agent {
        id: "claude-desktop",
        title: "Claude Desktop",
        files: |directories| vec![directories.application.join("Claude/claude_desktop_config.json")],
        sign: |directories| directories.application.join("Claude"),
        entry: started,
        ..JSON
    },
    Agent {
        id: "codex",
        title: "Codex CLI",
        files: |directories| vec![codex_dir(directories).join("config.toml")],
        sign: codex_dir,
        syntax: Syntax::Toml,
        table: "mcp_servers",
        entry: |reach| addressed(reach, "url"),
        command: Some(|reach| {
            let server = if reach.stdio {
                format!("-- {} {}", reach.binary, reach.args().join(" "))
            } else {
                format!("--url {}", reach.url)
            };
            let name = reach.name;
            format!("codex mcp remove {name} >/dev/null 2>&1 ; codex mcp add {name} {server}")
        }),
        skills: Some(|directories| codex_dir(directories).join("skills")),
        ..JSON
    },
    Agent {
        id: "cursor",
        title: "Cursor",
        files: |directories| vec![directories.home.join(".cursor/mcp.json")],
        sign: |directories| directories.home.join(".cursor"),
        entry: |reach| addressed(reach, "url"),
        ..JSON
    },
    Agent {
        id: "vscode",
        aliases: &["vs-code", "code"],
        title: "VS Code",
        files: |directories| vec![directories.application.join("Code/User/mcp.json")],
        sign: |directories| directories.application.join("Code"),
        table: "servers",
        ..JSON
    },
    Agent {
        id: "windsurf",
        title: "Windsurf",
        files: |directories| vec![directories.home.join(".codeium/windsurf/mcp_config.json")],
        sign: |directories| directories.home.join(".codeium/windsurf"),
        entry: |reach| addressed(reach, "serverUrl"),
        ..JSON
    },
    Agent {
        id: "gemini-cli",
        aliases: &["gemini"],
        title: "Gemini CLI",
        files: |directories| vec![directories.home.join(".gemini/settings.json")],
        sign: |directories| directories.home.join(".gemini"),
        entry: |reach| addressed(reach, "httpUrl"),
        rules: "GEMINI.md",
        skills: Some(|directories| directories.home.join(".gemini/skills")),
        ..JSON
    },
    Agent {
        id: "qwen-code",
        aliases: &["qwen"],
        title: "Qwen Code",
        files: |directories| vec![directories.home.join(".qwen/settings.json")],
        sign: |directories| directories.home.join(".qwen"),
        entry: |reach| addressed(reach, "httpUrl"),
        rules: "QWEN.md",
        skills: Some(|directories| directories.home.join(".qwen/skills")),
        ..JSON
    },
    Agent {
        id: "opencode",
        title: "opencode",
        files: |directories| {
            ["opencode.json", "opencode.jsonc", "config.json"]
                .map(|name| directories.config.join("opencode").join(name))
                .into()
        },
        sign: |directories| directories.config.join("opencode"),
        table: "mcp",
        entry: |reach| {
            if reach.stdio {
                let command: Vec<&str> = [reach.binary].into_iter().chain(reach.args()).collect();
                json!({"type": "local", "command": command, "enabled": true})
            } else {
                json!({"type": "remote", "url": reach.url, "enabled": true})
            }
        },
        skills: Some(|directories| directories.config.join("opencode/skills")),
        ..JSON
    },
    Agent {
        id: "copilot-cli",
        aliases: &["copilot"],
        title: "Copilot CLI",
        files: |directories| vec![directories.home.join(".copilot/mcp-config.json")],
        sign: |directories| directories.home.join(".copilot"),
        entry: |reach| {
            if reach.stdio {
                json!({"type": "local", "command": reach.binary, "args": reach.args(), "tools": ["*"]})
            } else {
                json!({"type": "http", "url": reach.url, "tools": ["*"]})
            }
        },
        skills: Some(|directories| directories.home.join(".copilot/skills")),
        ..JSON
    },
    Agent {
        id: "crush",
        title: "Crush",
        files: |directories| vec![directories.config.join("crush/crush.json")],
        sign: |directories| directories.config.join("crush"),
        table: "mcp",
        skills: Some(|directories| directories.config.join("crush/skills")),
        ..JSON
    },
    Agent {
        id: "zed",
        title: "Zed",
        files: |directories| vec![zed_dir(directories).join("settings.json")],
        sign: zed_dir,
        table: "context_servers",
        entry: |reach| addressed(reach, "url"),
        ..JSON
    },
    Agent {
        id: "jetbrains",
        aliases: &["ai-assistant", "jetbrains-ai-assistant"],
        title: "JetBrains AI Assistant",
        sign: |directories| directories.application.join("JetBrains"),
        entry: |reach| addressed(reach, "url"),
        by_hand: "paste this in Settings | Tools | AI Assistant | Model Context Protocol (MCP), Add, As JSON",
        ..JSON
    },
    Agent {
        id: "claude-code-file",
        title: "Claude Code, per project",
        by_hand: "paste this in .mcp.json of the project",
        ..JSON
    },
    Agent {
        id: "stdio",
        title: "Any agent, standard input and output",
        entry: started,
        by_hand: "paste this in its MCP file",
        ..JSON
    },
    Agent {
        id: "stdio-bridge",
        title: "Any agent without HTTP, through a bridge",
        entry: |reach| json!({"command": "npx", "args": ["-y", "mcp-remote", reach.url, "--allow-http"]}),
        by_hand: "paste this in its MCP file",
        ..JSON
    },
];

/// A path for messages.
fn shown(path: &Path, directories: &UserDirectories) -> String {
    match path.strip_prefix(&directories.home) {
        Ok(below) => format!("~/{}", below.display()),
        Err(_) => path.display().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_snippet_names_the_server_and_how_to_reach_it() {
        for stdio in [false, true] {
            let reach = ServerEndpoint {
                name: NAME,
                url: "http://127.0.0.1:29190/mcp",
                binary: "/bin/ide-index-mcp",
                project: Some("/p"),
                stdio,
            };
            for agent in AGENTS {
                let snippet = agent.snippet(&reach);
                assert!(snippet.contains(NAME), "{}", agent.id);
                assert!(snippet.contains(reach.url) || snippet.contains(reach.binary), "{}", agent.id);
                match agent.syntax {
                    Syntax::Json => drop(serde_json::from_str::<Value>(&snippet).unwrap()),
                    Syntax::Toml => drop(toml::from_str::<toml::Value>(&snippet).unwrap()),
                }
            }
        }
    }

    #[test]
    fn agents_are_found_by_every_word_for_them_and_no_word_means_two() {
        let words = || AGENTS.iter().flat_map(|agent| [&[agent.id][..], agent.aliases].concat());
        for word in words() {
            assert_eq!(words().filter(|other| *other == word).count(), 1, "{word}");
            assert!(Agent::of(word).is_some());
        }
        assert!(Agent::of("emacs").is_none());
    }
}
