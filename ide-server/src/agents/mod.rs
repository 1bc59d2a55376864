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
pub struct Reach<'a> {
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

impl Reach<'_> {
    fn args(&self) -> Vec<&str> {
        let project = self.project.into_iter().flat_map(|project| ["--project", project]);
        ["stdio"].into_iter().chain(project).collect()
    }
}

/// The user's directories, as agents look for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Homes {
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

impl Homes {
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
    files: fn(&Homes) -> Vec<PathBuf>,
    /// A directory that shows that it is installed.
    sign: fn(&Homes) -> PathBuf,
    syntax: Syntax,
    /// The object that holds servers by name.
    table: &'static str,
    entry: fn(&Reach<'_>) -> Value,
    /// A command that does the same, where the agent has one.
    command: Option<fn(&Reach<'_>) -> String>,
    /// The file in a project that it reads as rules.
    rules: &'static str,
    /// The directory in which it finds skills.
    skills: Option<fn(&Homes) -> PathBuf>,
    /// Instructions for a person, where there is no file to write.
    by_hand: &'static str,
}

impl Agent {
    /// The file with its settings: the one that is there, else the preferred one.
    pub fn file(&self, homes: &Homes) -> Option<PathBuf> {
        let files = (self.files)(homes);
        files.iter().find(|file| file.exists()).or(files.first()).cloned()
    }

    /// Whether it seems to be installed.
    pub fn is_there(&self, homes: &Homes) -> bool {
        (self.sign)(homes).exists()
    }

    /// The server's entry in the settings, as text to paste.
    pub fn snippet(&self, reach: &Reach<'_>) -> String {
        let entry = (self.entry)(reach);
        match self.syntax {
            Syntax::Json => format!("{:#}", json!({ self.table: { reach.name: entry } })),
            Syntax::Toml => edit::set(Syntax::Toml, "", self.table, reach.name, &entry).unwrap_or_default(),
        }
    }

    /// A command that adds the server, where the agent has one.
    pub fn command(&self, reach: &Reach<'_>) -> Option<String> {
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
fn started(reach: &Reach<'_>) -> Value {
    json!({"command": reach.binary, "args": reach.args()})
}

/// An entry that names its transport by `type`.
fn typed(reach: &Reach<'_>) -> Value {
    if reach.stdio {
        json!({"type": "stdio", "command": reach.binary, "args": reach.args()})
    } else {
        json!({"type": "http", "url": reach.url})
    }
}

/// An entry with the address under some key.
fn addressed(reach: &Reach<'_>, key: &str) -> Value {
    if reach.stdio { started(reach) } else { json!({ key: reach.url }) }
}

fn claude_dir(homes: &Homes) -> PathBuf {
    homes.claude.clone().unwrap_or_else(|| homes.home.join(".claude"))
}

fn codex_dir(homes: &Homes) -> PathBuf {
    homes.codex.clone().unwrap_or_else(|| homes.home.join(".codex"))
}

fn zed_dir(homes: &Homes) -> PathBuf {
    if cfg!(windows) { homes.application.join("Zed") } else { homes.config.join("zed") }
}

const AGENTS_MD: &str = "AGENTS.md";

/// An agent with its settings in JSON below the home directory, from which rows differ.
const JSON: Agent = Agent {
    id: "",
    aliases: &[],
    title: "",
    files: |_| Vec::new(),
    sign: |homes| homes.home.clone(),
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
        files: |homes| {
            let own = homes.claude.as_ref().map(|dir| dir.join(".claude.json"));
            own.into_iter().chain([homes.home.join(".claude.json")]).take(1).collect()
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
        skills: Some(|homes| claude_dir(homes).join("skills")),
        ..JSON
    },
    Agent {
        id: "claude-desktop",
        title: "Claude Desktop",
        files: |homes| vec![homes.application.join("Claude/claude_desktop_config.json")],
        sign: |homes| homes.application.join("Claude"),
        entry: started,
        ..JSON
    },
    Agent {
        id: "codex",
        title: "Codex CLI",
        files: |homes| vec![codex_dir(homes).join("config.toml")],
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
        skills: Some(|homes| codex_dir(homes).join("skills")),
        ..JSON
    },
    Agent {
        id: "cursor",
        title: "Cursor",
        files: |homes| vec![homes.home.join(".cursor/mcp.json")],
        sign: |homes| homes.home.join(".cursor"),
        entry: |reach| addressed(reach, "url"),
        ..JSON
    },
    Agent {
        id: "vscode",
        aliases: &["vs-code", "code"],
        title: "VS Code",
        files: |homes| vec![homes.application.join("Code/User/mcp.json")],
        sign: |homes| homes.application.join("Code"),
        table: "servers",
        ..JSON
    },
    Agent {
        id: "windsurf",
        title: "Windsurf",
        files: |homes| vec![homes.home.join(".codeium/windsurf/mcp_config.json")],
        sign: |homes| homes.home.join(".codeium/windsurf"),
        entry: |reach| addressed(reach, "serverUrl"),
        ..JSON
    },
    Agent {
        id: "gemini-cli",
        aliases: &["gemini"],
        title: "Gemini CLI",
        files: |homes| vec![homes.home.join(".gemini/settings.json")],
        sign: |homes| homes.home.join(".gemini"),
        entry: |reach| addressed(reach, "httpUrl"),
        rules: "GEMINI.md",
        skills: Some(|homes| homes.home.join(".gemini/skills")),
        ..JSON
    },
    Agent {
        id: "qwen-code",
        aliases: &["qwen"],
        title: "Qwen Code",
        files: |homes| vec![homes.home.join(".qwen/settings.json")],
        sign: |homes| homes.home.join(".qwen"),
        entry: |reach| addressed(reach, "httpUrl"),
        rules: "QWEN.md",
        skills: Some(|homes| homes.home.join(".qwen/skills")),
        ..JSON
    },
    Agent {
        id: "opencode",
        title: "opencode",
        files: |homes| {
            ["opencode.json", "opencode.jsonc", "config.json"]
                .map(|name| homes.config.join("opencode").join(name))
                .into()
        },
        sign: |homes| homes.config.join("opencode"),
        table: "mcp",
        entry: |reach| {
            if reach.stdio {
                let command: Vec<&str> = [reach.binary].into_iter().chain(reach.args()).collect();
                json!({"type": "local", "command": command, "enabled": true})
            } else {
                json!({"type": "remote", "url": reach.url, "enabled": true})
            }
        },
        skills: Some(|homes| homes.config.join("opencode/skills")),
        ..JSON
    },
    Agent {
        id: "copilot-cli",
        aliases: &["copilot"],
        title: "Copilot CLI",
        files: |homes| vec![homes.home.join(".copilot/mcp-config.json")],
        sign: |homes| homes.home.join(".copilot"),
        entry: |reach| {
            if reach.stdio {
                json!({"type": "local", "command": reach.binary, "args": reach.args(), "tools": ["*"]})
            } else {
                json!({"type": "http", "url": reach.url, "tools": ["*"]})
            }
        },
        skills: Some(|homes| homes.home.join(".copilot/skills")),
        ..JSON
    },
    Agent {
        id: "crush",
        title: "Crush",
        files: |homes| vec![homes.config.join("crush/crush.json")],
        sign: |homes| homes.config.join("crush"),
        table: "mcp",
        skills: Some(|homes| homes.config.join("crush/skills")),
        ..JSON
    },
    Agent {
        id: "zed",
        title: "Zed",
        files: |homes| vec![zed_dir(homes).join("settings.json")],
        sign: zed_dir,
        table: "context_servers",
        entry: |reach| addressed(reach, "url"),
        ..JSON
    },
    Agent {
        id: "jetbrains",
        aliases: &["ai-assistant", "jetbrains-ai-assistant"],
        title: "JetBrains AI Assistant",
        sign: |homes| homes.application.join("JetBrains"),
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
fn shown(path: &Path, homes: &Homes) -> String {
    match path.strip_prefix(&homes.home) {
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
            let reach = Reach {
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
