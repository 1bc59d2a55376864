//! The list of tools.

use std::sync::LazyLock;

use crate::ToolError;
use crate::args::nearest;
use crate::tool::ToolSpec;

mod symbol_search;

macro_rules! tools {
    ($($module:ident => $tool:ident,)*) => {
        $(mod $module;)*

        static TOOLS: LazyLock<Vec<ToolSpec>> = LazyLock::new(|| vec![$(ToolSpec::of::<$module::$tool>()),*]);

        /// The modules of the list, for the test that no file was forgotten.
        #[cfg(test)]
        const MODULES: &[&str] = &[$(stringify!($module)),*];
    };
}

tools! {
    find_references => FindReferences,
    find_definition => FindDefinition,
    find_class => FindClass,
    find_symbol => FindSymbol,
    find_file => FindFile,
    search_text => SearchText,
    read_file => ReadFile,
    file_structure => FileStructure,
    symbol_info => SymbolInfo,
    find_implementations => FindImplementations,
    find_super_methods => FindSuperMethods,
    type_hierarchy => TypeHierarchy,
    call_hierarchy => CallHierarchy,
    diagnostics => Diagnostics,
    project_diagnostics => ProjectDiagnostics,
    analyze_code => AnalyzeCode,
    list_quick_fixes => ListQuickFixes,
    apply_quick_fix => ApplyQuickFix,
    index_status => IndexStatus,
    project_status => ProjectStatus,
    sync_files => SyncFiles,
    refactor_rename => RefactorRename,
    refactor_extract_variable => RefactorExtractVariable,
    refactor_inline => RefactorInline,
    refactor_move => RefactorMove,
    refactor_extract_method => RefactorExtractMethod,
    change_signature => ChangeSignature,
    refactor_safe_delete => RefactorSafeDelete,
    move_file => MoveFile,
    optimize_imports => OptimizeImports,
    create_file => CreateFile,
    replace_text_in_file => ReplaceTextInFile,
    preview_edits => PreviewEdits,
    edit_member => EditMember,
    insert_member => InsertMember,
    replace_member => ReplaceMember,
    reformat_code => ReformatCode,
    structural_search_replace => StructuralSearchReplace,
    delete_file => DeleteFile,
    undo => Undo,
    redo => Redo,
    get_active_file => GetActiveFile,
    open_file => OpenFile,
    set_selection => SetSelection,
    add_inline_comment => AddInlineComment,
}

/// Every tool, in the order in which they are listed.
pub fn all() -> &'static [ToolSpec] {
    &TOOLS
}

/// The tool with this name, today's or an old one.
///
/// # Errors
/// `unknown_tool` with the nearest name.
pub fn find(name: &str) -> Result<&'static ToolSpec, ToolError> {
    let today = OLD_NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, today)| today);
    TOOLS.iter().find(|tool| tool.name == today).ok_or_else(|| {
        let error = ToolError::new("unknown_tool", format!("there is no tool `{name}`"));
        match nearest(name, TOOLS.iter().map(|tool| tool.name)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("ask tools/list"),
        }
    })
}

/// Names of earlier catalogues, accepted in calls and never listed.
const OLD_NAMES: [(&str, &str); 12] = [
    ("ide_move_element", "ide_refactor_move"),
    ("safe_delete", "ide_refactor_safe_delete"),
    ("rename_symbol", "ide_refactor_rename"),
    ("find_usages", "ide_find_references"),
    ("find_definition", "ide_find_definition"),
    ("type_hierarchy", "ide_type_hierarchy"),
    ("call_hierarchy", "ide_call_hierarchy"),
    ("find_implementations", "ide_find_implementations"),
    ("ide_inspect_symbol", "ide_symbol_info"),
    ("ide_get_symbol_info", "ide_symbol_info"),
    ("ide_get_inspections", "ide_diagnostics"),
    ("ide_get_file_structure", "ide_file_structure"),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;

    /// The entry of a tool in tools/list.
    fn listed(tool: &ToolSpec) -> Value {
        let hints = tool.hints;
        json!({
            "name": tool.name,
            "description": tool.about,
            "inputSchema": tool.input_schema,
            "annotations": {
                "readOnlyHint": hints.read_only,
                "destructiveHint": hints.destructive,
                "idempotentHint": hints.idempotent,
                "openWorldHint": hints.open_world,
            },
        })
    }

    #[test]
    fn every_tool_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tools");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .map(|name| name.trim_end_matches(".rs").to_owned())
            .filter(|name| !["mod", "symbol_search"].contains(&name.as_str()))
            .collect();
        let listed: BTreeSet<String> = MODULES.iter().map(|module| (*module).to_owned()).collect();
        assert_eq!(files, listed);
        let names: BTreeSet<String> = all().iter().map(|tool| tool.name.replacen("ide_", "", 1)).collect();
        assert_eq!(names, listed, "file, module and wire name are the same word");
    }

    #[test]
    fn descriptions_are_short_sentences() {
        for tool in all() {
            assert!(tool.about.chars().count() <= 600 && tool.about.ends_with('.'), "{}", tool.name);
            assert!(tool.about.is_ascii() && !tool.about.contains("  "), "{}: {}", tool.name, tool.about);
            for (name, schema) in tool.properties() {
                let text = schema.get("description").and_then(Value::as_str).unwrap_or("");
                assert!(!text.ends_with('.') && text.len() <= 80, "{} {name}: {text}", tool.name);
                assert!(schema["type"].is_string(), "{} {name} has one type: {schema}", tool.name);
            }
        }
    }

    #[test]
    fn schemas_are_flat() {
        for tool in all() {
            for schema in [&tool.input_schema, &tool.output_schema] {
                assert_eq!(schema["type"], "object", "{}", tool.name);
                for word in ["anyOf", "oneOf", "allOf", "$ref", "$defs"] {
                    assert!(
                        !schema.to_string().contains(&format!("\"{word}\"")),
                        "{}: {word} in {schema}",
                        tool.name
                    );
                }
            }
        }
    }

    #[test]
    fn the_default_list_costs_less_than_four_thousand_tokens() {
        let listed: Vec<Value> =
            all().iter().filter(|tool| tool.default_on && !tool.needs_surface).map(listed).collect();
        let bytes = json!({ "tools": listed }).to_string().len();
        assert!(bytes / 4 < 4_000, "{} tokens", bytes / 4);
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a golden file is read and, when asked for, rewritten")]
    fn the_manifest_is_the_golden_one() {
        let tools: Vec<Value> = all()
            .iter()
            .map(|tool| {
                let mut entry = listed(tool);
                entry["outputSchema"] = tool.output_schema.clone();
                entry["default"] = tool.default_on.into();
                entry["listedTokens"] = (listed(tool).to_string().len() / 4).into();
                entry
            })
            .collect();
        let default = all()
            .iter()
            .filter(|tool| tool.default_on && !tool.needs_surface)
            .map(listed)
            .collect::<Vec<_>>();
        let manifest = json!({
            "defaultListTokens": json!({ "tools": default }).to_string().len() / 4,
            "oldNames": OLD_NAMES.iter().map(|(old, new)| format!("{old} -> {new}")).collect::<Vec<_>>(),
            "tools": tools,
        });
        let text = format!("{:#}\n", manifest);
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/manifest.json");
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(path, &text).unwrap();
        }
        let golden = std::fs::read_to_string(path).expect("the golden manifest exists");
        assert!(golden == text, "tests/golden/manifest.json differs: read the diff after UPDATE_GOLDEN=1");
    }

    #[test]
    fn old_names_and_near_misses_lead_to_tools() {
        assert_eq!(find("find_usages").unwrap().name, "ide_find_references");
        for (_, today) in OLD_NAMES {
            assert_eq!(find(today).unwrap().name, today);
        }
        let error = find("ide_find_refrences").map(|tool| tool.name).unwrap_err();
        assert_eq!(error.slug, "unknown_tool");
        assert_eq!(error.hint.as_deref(), Some("did you mean `ide_find_references`?"));
    }
}
