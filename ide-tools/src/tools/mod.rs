//! The list of tools.

use std::sync::LazyLock;

use crate::ToolError;
use crate::args::nearest;
use crate::tool::{Catalogue, ToolSpec};

mod add_inline_comment;
mod analyze_code;
mod apply_quick_fix;
mod build_project;
mod call_hierarchy;
mod change_signature;
mod close_project;
mod code_completions;
mod create_file;
mod delete_file;
mod diagnostics;
mod edit_member;
mod file_structure;
mod find_class;
mod find_definition;
mod find_file;
mod find_implementations;
mod find_references;
mod find_super_methods;
mod find_symbol;
mod get_active_file;
mod index_status;
mod insert_member;
mod intellij;
mod list_dependencies;
mod list_quick_fixes;
mod list_tests;
mod move_file;
mod open_file;
mod open_project;
mod optimize_imports;
mod preview_edits;
mod project_diagnostics;
mod project_status;
mod project_structure;
mod read_file;
mod redo;
mod refactor_extract_method;
mod refactor_extract_variable;
mod refactor_inline;
mod refactor_move;
mod refactor_rename;
mod refactor_safe_delete;
mod reformat_code;
mod reload_project;
mod replace_member;
mod replace_text_in_file;
mod run_tests;
mod search_text;
mod set_selection;
mod structural_search_replace;
mod symbol_info;
mod symbol_search;
mod sync_files;
mod type_hierarchy;
mod undo;

pub(crate) use intellij::in_its_words as intellij_words;

macro_rules! tools {
    ($($module:ident => $tool:ident,)*) => {
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
    build_project => BuildProject,
    list_tests => ListTests,
    run_tests => RunTests,
    get_active_file => GetActiveFile,
    open_file => OpenFile,
    set_selection => SetSelection,
    add_inline_comment => AddInlineComment,
    code_completions => CodeCompletions,
    project_structure => ProjectStructure,
    list_dependencies => ListDependencies,
    open_project => OpenProject,
    close_project => CloseProject,
    reload_project => ReloadProject,
}

/// Every tool, in the order in which they are listed.
pub fn all() -> &'static [ToolSpec] {
    &TOOLS
}

/// The word by which the settings switch the tools of [`Catalogue::Intellij`] on.
pub const GROUP: &str = "intellij";

/// The tools of the other catalogue, in the order in which they are listed.
pub fn intellij() -> &'static [ToolSpec] {
    intellij::all()
}

/// The tool of a catalogue with this name.
///
/// # Errors
/// `unknown_tool` with the nearest name.
pub fn find_in(catalogue: Catalogue, name: &str) -> Result<&'static ToolSpec, ToolError> {
    match catalogue {
        Catalogue::Ide => find(name),
        Catalogue::Intellij => intellij().iter().find(|tool| tool.name == name).ok_or_else(|| {
            let error = ToolError::new("unknown_tool", format!("there is no tool `{name}`"));
            match nearest(name, intellij().iter().map(|tool| tool.name)) {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error.hint("ask tools/list"),
            }
        }),
    }
}

/// The tool of any catalogue that was called by a name, as histories hold it.
///
/// # Errors
/// `unknown_tool` with the nearest name.
pub fn find_any(name: &str) -> Result<&'static ToolSpec, ToolError> {
    let mut both = TOOLS.iter().chain(intellij());
    both.find(|tool| tool.name == name).map_or_else(|| find(name), Ok)
}

/// The tool with this name, today's or an old one.
///
/// # Errors
/// `unknown_tool` with the nearest name.
pub fn find(name: &str) -> Result<&'static ToolSpec, ToolError> {
    let today = OLD_NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, today)| today);
    TOOLS.iter().find(|tool| tool.name == today).ok_or_else(|| {
        if let Some((_, instead)) = ELSEWHERE.iter().find(|(names, _)| names.contains(&name)) {
            let message = format!("`{name}` needs an IDE, and this server runs without one");
            return ToolError::new("unknown_tool", message).hint(*instead);
        }
        let error = ToolError::new("unknown_tool", format!("there is no tool `{name}`"));
        match nearest(name, TOOLS.iter().map(|tool| tool.name)) {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("ask tools/list"),
        }
    })
}

/// Tools of the IDE plugin that mean nothing without an IDE, and what to do instead.
const ELSEWHERE: &[(&[&str], &str)] = &[
    (
        &["ide_convert_java_to_kotlin"],
        "the converter is a part of the IDE: use the tool of the IDE plugin, or Code > Convert Java File to Kotlin File",
    ),
    (
        &["ide_open_workspace", "ide_import_modules", "ide_create_module"],
        "several projects may be open side by side: ide_open_project opens each, and `project_path` says which a call means",
    ),
    (
        &["ide_link_build_system"],
        "build files are found by themselves; ide_project_structure shows them, ide_reload_project reads them again",
    ),
    (
        &[
            "ide_set_project_mode",
            "ide_set_all_project_modes",
            "ide_get_project_modes",
            "ide_enroll_all_projects",
            "ide_release_project",
            "ide_release_all_projects",
            "ide_set_power_save_mode",
        ],
        "idle projects give their memory back and wake by themselves; ide_close_project closes one, `max_open_projects` in \
         the settings bounds how many stay open",
    ),
    (
        &["ide_lifecycle_log", "ide_set_lifecycle_log_file"],
        "ide_project_status shows the open projects; the server's log is its standard error",
    ),
    (&["ide_install_plugin", "ide_restart"], "there is no IDE to install into or to restart"),
];

/// Names of earlier catalogues, accepted in calls and never listed.
const OLD_NAMES: &[(&str, &str)] = &[
    ("ide_get_completions", "ide_code_completions"),
    ("ide_get_project_structure", "ide_project_structure"),
    ("ide_get_dependencies", "ide_list_dependencies"),
    ("ide_extract_method", "ide_refactor_extract_method"),
    ("ide_extract_variable", "ide_refactor_extract_variable"),
    ("ide_inline", "ide_refactor_inline"),
    ("ide_safe_delete", "ide_refactor_safe_delete"),
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
            "inputSchema": tool.input_schema(),
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
            .filter(|name| !["mod", "symbol_search", "intellij"].contains(&name.as_str()))
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
            for schema in [tool.input_schema(), tool.output_schema()] {
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
                entry["outputSchema"] = tool.output_schema();
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
        for (old, today) in OLD_NAMES {
            assert_eq!((find(old).unwrap().name, find(today).unwrap().name), (*today, *today));
        }
        for name in ELSEWHERE.iter().flat_map(|(names, _)| *names) {
            let error = find(name).map(|tool| tool.name).unwrap_err();
            assert!(error.hint.is_some() && error.message.contains("needs an IDE"), "{name}");
        }
        let error = find("ide_find_refrences").map(|tool| tool.name).unwrap_err();
        assert_eq!(error.slug, "unknown_tool");
        assert_eq!(error.hint.as_deref(), Some("did you mean `ide_find_references`?"));
    }
}
