//! The capabilities of the server, as `initialize` announces them.

use gen_lsp_types::{PositionEncodingKind, ServerCapabilities};
use serde_json::json;

use crate::position::Encoding;
use crate::tokens::{MODIFIERS, TYPES};

/// Characters behind which an editor asks for completions by itself.
const TRIGGERS: [&str; 5] = [".", ":", ">", "$", "\\"];

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
                "source.organizeImports", "refactor.extract", "refactor.inline", "quickfix"
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
            "full": true,
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
