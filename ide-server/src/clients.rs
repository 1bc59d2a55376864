//! Configuration of agents, ready to paste (index-tools §7.10).

use serde_json::{Value, json};

/// The name under which agents know the server.
pub(crate) const NAME: &str = "ide-index";

/// How an agent reaches the server.
pub(crate) struct Reach<'a> {
    /// The address of Streamable HTTP.
    pub(crate) url: &'a str,
    /// The path of this binary, for agents that start it themselves.
    pub(crate) binary: &'a str,
    /// The project for such agents.
    pub(crate) project: &'a str,
}

/// One agent: where its configuration lives, and what goes there.
pub(crate) struct Client {
    /// Word on the command line.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// File or place of the snippet.
    pub(crate) place: &'static str,
    snippet: fn(&Reach<'_>) -> String,
}

impl Client {
    pub(crate) fn snippet(&self, reach: &Reach<'_>) -> String {
        (self.snippet)(reach)
    }

    /// The configuration with which the agent starts the server itself.
    pub(crate) fn started(&self, reach: &Reach<'_>) -> String {
        let line = format!("{} stdio --project {}", reach.binary, reach.project);
        match self.id {
            "claude-code" => format!("claude mcp add --scope user {NAME} -- {line}"),
            "codex" => format!("codex mcp add {NAME} -- {line}"),
            "codex-file" => format!(
                "[mcp_servers.{NAME}]\ncommand = {:?}\nargs = [\"stdio\", \"--project\", {:?}]",
                reach.binary, reach.project
            ),
            "vscode" => servers("servers", &started(reach)),
            _ => servers("mcpServers", &started(reach)),
        }
    }
}

/// Every agent we know, in the order in which they are shown.
pub(crate) const CLIENTS: &[Client] = &[
    Client {
        id: "claude-code",
        title: "Claude Code",
        place: "run in a terminal",
        snippet: |reach| {
            format!(
                "claude mcp remove {NAME} >/dev/null 2>&1 ; claude mcp add --transport http --scope user {NAME} {}",
                reach.url
            )
        },
    },
    Client {
        id: "claude-code-file",
        title: "Claude Code, per project",
        place: ".mcp.json",
        snippet: |reach| servers("mcpServers", &json!({"type": "http", "url": reach.url})),
    },
    Client {
        id: "codex",
        title: "Codex CLI",
        place: "run in a terminal",
        snippet: |reach| {
            format!("codex mcp remove {NAME} >/dev/null 2>&1 ; codex mcp add {NAME} --url {}", reach.url)
        },
    },
    Client {
        id: "codex-file",
        title: "Codex CLI, file",
        place: "~/.codex/config.toml",
        snippet: |reach| format!("[mcp_servers.{NAME}]\nurl = \"{}\"", reach.url),
    },
    Client {
        id: "gemini",
        title: "Gemini CLI",
        place: "~/.gemini/settings.json",
        snippet: |reach| servers("mcpServers", &json!({"httpUrl": reach.url})),
    },
    Client {
        id: "cursor",
        title: "Cursor",
        place: ".cursor/mcp.json or ~/.cursor/mcp.json",
        snippet: |reach| servers("mcpServers", &json!({"url": reach.url})),
    },
    Client {
        id: "vscode",
        title: "VS Code",
        place: ".vscode/mcp.json",
        snippet: |reach| servers("servers", &json!({"type": "http", "url": reach.url})),
    },
    Client {
        id: "windsurf",
        title: "Windsurf",
        place: "~/.codeium/windsurf/mcp_config.json",
        snippet: |reach| servers("mcpServers", &json!({"serverUrl": reach.url})),
    },
    Client {
        id: "claude-desktop",
        title: "Claude Desktop",
        place: "claude_desktop_config.json",
        snippet: stdio,
    },
    Client {
        id: "stdio",
        title: "Any agent, standard input and output",
        place: "its MCP file",
        snippet: stdio,
    },
    Client {
        id: "stdio-bridge",
        title: "Any agent without HTTP, through a bridge",
        place: "its MCP file",
        snippet: |reach| {
            servers(
                "mcpServers",
                &json!({"command": "npx", "args": ["-y", "mcp-remote", reach.url, "--allow-http"]}),
            )
        },
    },
];

fn stdio(reach: &Reach<'_>) -> String {
    servers("mcpServers", &started(reach))
}

fn started(reach: &Reach<'_>) -> Value {
    json!({"command": reach.binary, "args": ["stdio", "--project", reach.project]})
}

fn servers(table: &str, server: &Value) -> String {
    format!("{:#}", json!({ table: { NAME: server } }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_snippet_names_the_server_and_how_to_reach_it() {
        let reach = Reach { url: "http://127.0.0.1:29190/mcp", binary: "/bin/ide-index-mcp", project: "/p" };
        for client in CLIENTS {
            let snippet = client.snippet(&reach);
            assert!(snippet.contains(NAME), "{}", client.id);
            assert!(snippet.contains(reach.url) || snippet.contains(reach.binary), "{}", client.id);
            assert!(client.started(&reach).contains("/bin/ide-index-mcp"), "{}", client.id);
            if client.place.ends_with("json") {
                serde_json::from_str::<Value>(&snippet).unwrap();
            }
        }
    }
}
