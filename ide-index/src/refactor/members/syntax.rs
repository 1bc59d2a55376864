//! The nodes that hold declarations in the trees of grammars, as data.

use ide_model::Language;

/// How a list of declarations is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Each on lines of its own, a blank line between long ones.
    Lines,
    /// Each on lines of its own, close together.
    Tight,
    /// Separated by commas.
    Commas,
    /// Parameters: nothing is put between them.
    Inline,
}

/// The syntax of a language where it differs from [`LISTS`], and its habits.
pub(super) struct Syntax {
    language: Language,
    lists: &'static [(&'static str, Form)],
    /// Lists only where they have an opening parenthesis.
    pub(super) groups: &'static [&'static str],
    /// Blank lines between long declarations of a file, when the file has none to show.
    pub(super) blanks: usize,
    /// One level of indentation, when the file has none to show; empty for a tab.
    pub(super) unit: usize,
    /// The text before code that is parsed by itself.
    pub(super) opening: &'static str,
    /// Blocks have no brackets.
    pub(super) is_indented: bool,
    /// The front end and the grammar begin and end every declaration at the same places; where they do not, the grammar
    /// has misread it.
    pub(super) is_exact: bool,
}

const fn plain(language: Language) -> Syntax {
    Syntax {
        language,
        lists: &[],
        groups: &[],
        blanks: 1,
        unit: 4,
        opening: "",
        is_indented: false,
        is_exact: false,
    }
}

/// The languages whose declarations are written to.
pub(super) const SYNTAXES: &[Syntax] = &[
    plain(Language::Java),
    Syntax { is_exact: true, ..plain(Language::Kotlin) },
    Syntax { blanks: 2, is_indented: true, ..plain(Language::Python) },
    Syntax { unit: 2, ..plain(Language::JavaScript) },
    Syntax { unit: 2, ..plain(Language::TypeScript) },
    Syntax { groups: &["const_declaration", "type_declaration"], unit: 0, ..plain(Language::Go) },
    Syntax { opening: "<?php ", ..plain(Language::Php) },
    Syntax { lists: &[("field_declaration_list", Form::Commas)], ..plain(Language::Rust) },
];

/// Nodes that hold declarations one by one, by the names that grammars give them.
const LISTS: &[(&str, Form)] = &[
    ("program", Form::Lines),
    ("source_file", Form::Lines),
    ("module", Form::Lines),
    ("class_body", Form::Lines),
    ("interface_body", Form::Lines),
    ("annotation_type_body", Form::Lines),
    ("enum_body_declarations", Form::Lines),
    ("enum_class_body", Form::Lines),
    ("declaration_list", Form::Lines),
    ("enum_declaration_list", Form::Lines),
    ("block", Form::Lines),
    ("constructor_body", Form::Lines),
    ("compound_statement", Form::Lines),
    ("statement_block", Form::Lines),
    ("statement_list", Form::Lines),
    ("object_type", Form::Tight),
    ("interface_type", Form::Tight),
    ("field_declaration_list", Form::Tight),
    ("property_hook_list", Form::Tight),
    ("var_spec_list", Form::Tight),
    ("const_declaration", Form::Tight),
    ("type_declaration", Form::Tight),
    ("enum_body", Form::Commas),
    ("enum_variant_list", Form::Commas),
    ("object", Form::Commas),
    ("formal_parameters", Form::Inline),
    ("class_parameters", Form::Inline),
    ("function_value_parameters", Form::Inline),
    ("parameters", Form::Inline),
    ("ordered_field_declaration_list", Form::Inline),
];

/// Nodes that stand before a declaration and belong to it.
pub(super) const MARKS: &[&str] = &["attribute_item", "decorator"];
pub(super) const COMMENTS: &[&str] = &["comment", "line_comment", "block_comment", "html_comment"];
/// The constants of an enumeration.
pub(super) const ENTRIES: &[&str] = &["enum_constant", "enum_entry"];
/// The nodes at the head of a file or of a type, before all declarations.
pub(super) const HEADS: &[&str] = &[
    "package_declaration",
    "package_header",
    "package_clause",
    "import",
    "import_declaration",
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "namespace_use_declaration",
    "php_tag",
    "declare_statement",
    "use_declaration",
    "extern_crate_declaration",
    "inner_attribute_item",
    "file_annotation",
    "shebang",
    "hash_bang_line",
];
/// Values that are functions.
pub(super) const FUNCTIONS: &[&str] = &[
    "arrow_function",
    "function_expression",
    "generator_function",
    "func_literal",
    "closure_expression",
    "lambda_expression",
    "anonymous_function",
];

/// The row of a language; `None` where declarations are not written to.
pub(super) fn syntax_of(language: Language) -> Option<&'static Syntax> {
    SYNTAXES.iter().find(|syntax| syntax.language == language)
}

/// The languages with a row.
pub(super) fn supported() -> Vec<Language> {
    SYNTAXES.iter().map(|syntax| syntax.language).collect()
}

impl Syntax {
    /// How a list of this kind is written; `None` for what is no list.
    pub(super) fn form(&self, kind: &str) -> Option<Form> {
        let of = |rows: &[(&str, Form)]| rows.iter().find(|(name, _)| *name == kind).map(|(_, form)| *form);
        of(self.lists).or_else(|| of(LISTS))
    }
}
