//! The context of an editor that Gemini CLI and Qwen Code receive, and the place where they find it. They speak MCP
//! over Streamable HTTP with it: the host has the server, here is what it says.

use ide_model::{EditorSurface, LineColumn, OpenEditor};
use serde_json::{Value, json};

use crate::Secret;
use crate::text::head;

/// The name of the editor that the clients show. Without one Qwen Code takes no editor but VS Code.
const EDITOR: &str = "IDE index";
/// Most files of one update.
const MOST_FILES: usize = 10;
/// Most bytes of the selection in one update.
const MAX_SELECTED: usize = 16 << 10;
/// Updates are sent when nothing has moved for so many milliseconds.
pub const GEMINI_DEBOUNCE_MS: u64 = 50;

/// The parameters of `ide/contextUpdate`. Here, other than elsewhere, positions count from 1.
pub fn context_update(surface: &dyn EditorSurface) -> Value {
    let mut editors = surface.open_editors();
    editors.sort_by_key(|editor| (!editor.is_active, std::cmp::Reverse(editor.active_at)));
    let file = |editor: &OpenEditor| {
        let mut file =
            json!({"path": &*editor.path, "timestamp": editor.active_at, "isActive": editor.is_active});
        if editor.is_active
            && let Some(selection) = editor.selection
        {
            let LineColumn { line, column } = selection.end;
            file["cursor"] = json!({"line": line, "character": column});
            if !editor.selected_text.is_empty() {
                file["selectedText"] = head(&editor.selected_text, MAX_SELECTED).into();
            }
        }
        file
    };
    let files: Vec<Value> = editors.iter().take(MOST_FILES).map(file).collect();
    json!({"workspaceState": {"openFiles": files, "isTrusted": true}})
}

/// The program that asks. Both introduce themselves by the same name, so each finds a secret of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeminiFlavour {
    Gemini,
    /// Has a notification of its own for diffs that nobody decided.
    Qwen,
}

impl GeminiFlavour {
    /// Every program.
    pub const ALL: [Self; 2] = [Self::Gemini, Self::Qwen];

    /// The program's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gemini => "Gemini CLI",
            Self::Qwen => "Qwen Code",
        }
    }

    /// The notification about a diff that was closed and not decided.
    pub fn closed(self) -> &'static str {
        match self {
            Self::Gemini => "ide/diffRejected",
            Self::Qwen => "ide/diffClosed",
        }
    }
}

/// The files by which a server of these clients is found.
#[derive(Clone, Debug)]
pub struct Discovery {
    pub port: u16,
    pub pid: u32,
    pub workspace_folders: Vec<String>,
    /// The secrets of [`GeminiFlavour::ALL`], in that order.
    pub secrets: [Secret; 2],
}

impl Discovery {
    /// The files that tell of it, below the folder for temporary files and the home directory, with what they hold.
    pub fn files(&self, separator: char) -> Vec<(DiscoveryFolder, String, Value)> {
        let workspace = self.workspace_folders.join(&separator.to_string());
        let [gemini, qwen] = self.secrets.each_ref().map(|secret| {
            json!({"port": self.port, "workspacePath": workspace, "authToken": secret.reveal(), "ppid": self.pid,
                "ideName": EDITOR, "ideInfo": {"name": "ide-index", "displayName": EDITOR}})
        });
        vec![
            (
                DiscoveryFolder::Temporary,
                format!("gemini/ide/gemini-ide-server-{}-{}.json", self.pid, self.port),
                gemini,
            ),
            (DiscoveryFolder::Temporary, format!("qwen-code-ide-server-{}.json", self.port), qwen.clone()),
            (DiscoveryFolder::Home, format!(".qwen/ide/{}.lock", self.port), qwen),
        ]
    }
}

/// Below which folder a file is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiscoveryFolder {
    Temporary,
    Home,
}
