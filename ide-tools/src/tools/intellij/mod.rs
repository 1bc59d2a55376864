//! The tools of another server by their own names, parameters and results, over the same operations as the `ide_*` tools:
//! symbols by the name of their class, paths absolute, no pages.

use std::sync::LazyLock;

use crate::tool::{Catalogue, ToolSpec};

mod add_inline_comment;
mod create_file_or_directory;
mod delete_file_or_directory;
mod described;
mod extract_method;
mod find_class;
mod find_file;
mod find_usages;
mod get_call_hierarchy;
mod get_class_structure;
mod get_definition;
mod get_diagnostics;
mod get_documentation;
mod get_implementations;
mod get_project_dependencies;
mod get_project_modules;
mod get_source_code;
mod get_type_hierarchy;
mod list_projects;
mod named;
mod open_file;
mod optimize_imports;
mod read_file;
mod rename_symbol;
mod run_inspection;
mod search_symbol;
mod search_text;
mod words;

macro_rules! tools {
    ($($module:ident => $tool:ident,)*) => {
        static TOOLS: LazyLock<Vec<ToolSpec>> =
            LazyLock::new(|| vec![$(ToolSpec::of::<$module::$tool>().of_catalogue(Catalogue::Intellij)),*]);

        /// The modules of the list, for the test that no file was forgotten.
        #[cfg(test)]
        const MODULES: &[&str] = &[$(stringify!($module)),*];
    };
}

tools! {
    list_projects => ListProjects,
    find_file => FindFile,
    open_file => OpenFile,
    read_file => ReadFile,
    get_project_modules => GetProjectModules,
    get_project_dependencies => GetProjectDependencies,
    find_class => FindClass,
    search_symbol => SearchSymbol,
    search_text => SearchText,
    find_usages => FindUsages,
    get_class_structure => GetClassStructure,
    get_definition => GetDefinition,
    get_source_code => GetSourceCode,
    get_call_hierarchy => GetCallHierarchy,
    get_type_hierarchy => GetTypeHierarchy,
    get_implementations => GetImplementations,
    get_documentation => GetDocumentation,
    get_diagnostics => GetDiagnostics,
    run_inspection => RunInspection,
    rename_symbol => RenameSymbol,
    extract_method => ExtractMethod,
    optimize_imports => OptimizeImports,
    add_inline_comment => AddInlineComment,
    create_file_or_directory => CreateFileOrDirectory,
    delete_file_or_directory => DeleteFileOrDirectory,
}

pub(crate) fn all() -> &'static [ToolSpec] {
    &TOOLS
}

/// Names of `ide_*` tools in messages, and what they are called here.
const SAME: &[(&str, &str)] = &[
    ("ide_find_symbol", "search_symbol"),
    ("ide_find_class", "find_class"),
    ("ide_find_file", "find_file"),
    ("ide_search_text", "search_text"),
    ("ide_read_file", "read_file"),
    ("ide_find_references", "find_usages"),
    ("ide_find_definition", "get_definition"),
    ("ide_find_implementations", "get_implementations"),
    ("ide_project_structure", "get_project_modules"),
    ("ide_project_status", "list_projects"),
    ("`project_path`", "`projectPath`"),
    ("pass `language` and `symbol`", "pass `className` and `memberName`"),
];

/// A message with the names of the tools and parameters of this catalogue.
pub(crate) fn in_its_words(message: &str) -> String {
    SAME.iter().fold(message.to_owned(), |text, (ide, own)| text.replace(ide, own))
}

#[cfg(test)]
mod tests;
