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
    index_status => IndexStatus,
    project_status => ProjectStatus,
    sync_files => SyncFiles,
}

/// Every tool, in the order in which they are listed.
pub fn all() -> &'static [ToolSpec] {
    &TOOLS
}

/// The tool with this name, today's or an old one (index-tools §6).
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
const OLD_NAMES: [(&str, &str); 9] = [
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
