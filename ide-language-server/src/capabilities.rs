//! The capabilities of the client that matter, and those of the server, as `initialize` announces them.

use gen_lsp_types::{ClientCapabilities, PositionEncodingKind, ServerCapabilities};
use serde_json::json;

use crate::position::Encoding;
use crate::tokens::{MODIFIERS, TYPES};

/// Characters behind which an editor asks for completions by itself.
const TRIGGERS: [&str; 5] = [".", ":", ">", "$", "\\"];

/// The capabilities of the client that matter here.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Client {
    pub(crate) pulls_diagnostics: bool,
    /// The server may ask the client to pull diagnostics again.
    pub(crate) refreshes_diagnostics: bool,
    pub(crate) shows_progress: bool,
    pub(crate) takes_document_changes: bool,
    /// Completions may have places for arguments.
    pub(crate) takes_snippets: bool,
    /// Completions may say what they would replace instead of being put in.
    pub(crate) takes_replacements: bool,
    /// The imports of a completion may be left out until it is chosen.
    pub(crate) resolves_imports: bool,
    /// Actions that cannot be done may be listed with the reason.
    pub(crate) shows_disabled: bool,
}

impl Client {
    pub(crate) fn of(capabilities: &ClientCapabilities) -> Self {
        let text = capabilities.text_document.as_ref();
        let edit = capabilities.workspace.as_ref().and_then(|workspace| workspace.workspace_edit.as_ref());
        let item = text.and_then(|text| text.completion.as_ref()?.completion_item.as_ref());
        let lazily = item.and_then(|item| item.resolve_support.as_ref());
        let action = text.and_then(|text| text.code_action.as_ref());
        Self {
            pulls_diagnostics: text.is_some_and(|text| text.diagnostic.is_some()),
            refreshes_diagnostics: capabilities
                .workspace
                .as_ref()
                .and_then(|workspace| workspace.diagnostics.as_ref()?.refresh_support)
                == Some(true),
            shows_progress: capabilities.window.as_ref().and_then(|w| w.work_done_progress) == Some(true),
            takes_document_changes: edit.and_then(|edit| edit.document_changes) == Some(true),
            takes_snippets: item.and_then(|item| item.snippet_support) == Some(true),
            takes_replacements: item.and_then(|item| item.insert_replace_support) == Some(true),
            resolves_imports: lazily
                .is_some_and(|lazily| lazily.properties.iter().any(|name| name == "additionalTextEdits")),
            shows_disabled: action.and_then(|action| action.disabled_support) == Some(true),
        }
    }
}

pub(crate) fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let files = json!({ "filters": [{ "scheme": "file", "pattern": { "glob": "**" } }] });
    let value = json!({
        "positionEncoding": match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        },
        "textDocumentSync": { "openClose": true, "change": 2, "save": { "includeText": false } },
        "completionProvider": { "triggerCharacters": TRIGGERS, "resolveProvider": true },
        "hoverProvider": true,
        "signatureHelpProvider": { "triggerCharacters": ["(", ","], "retriggerCharacters": [")"] },
        "declarationProvider": true,
        "definitionProvider": true,
        "typeDefinitionProvider": true,
        "implementationProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": { "resolveProvider": false },
        "codeActionProvider": {
            "codeActionKinds": [
                "source.organizeImports", "refactor.extract", "refactor.inline", "refactor.rewrite", "quickfix"
            ],
            "resolveProvider": true,
        },
        "renameProvider": { "prepareProvider": true },
        "callHierarchyProvider": true,
        "typeHierarchyProvider": true,
        "foldingRangeProvider": true,
        "selectionRangeProvider": true,
        "inlayHintProvider": true,
        "semanticTokensProvider": {
            "legend": { "tokenTypes": TYPES, "tokenModifiers": MODIFIERS },
            "range": true,
            "full": { "delta": true },
        },
        "diagnosticProvider": { "interFileDependencies": true, "workspaceDiagnostics": false },
        "workspace": {
            "workspaceFolders": { "supported": true, "changeNotifications": true },
            "fileOperations": { "willRename": files },
        },
    });
    serde_json::from_value(value).expect("the object above has the shape of the capabilities")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_announced_has_the_shape_of_the_protocol() {
        let capabilities = serde_json::to_value(capabilities(Encoding::Utf16)).expect("serializes");
        assert_eq!(capabilities["positionEncoding"], "utf-16");
        assert_eq!(capabilities["renameProvider"]["prepareProvider"], true);
        assert_eq!(capabilities["semanticTokensProvider"]["legend"]["tokenTypes"][0], TYPES[0]);
    }
}
