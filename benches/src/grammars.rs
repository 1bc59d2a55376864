//! Grammars of the languages that the index reads without one, so that parsing is measured on all that it reads.

use std::cell::RefCell;
use std::collections::HashMap;

use ide_index::lang::parse_only;
use ide_model::Language;
use tree_sitter::Parser;
use tree_sitter_language::LanguageFn;

thread_local! {
    static PARSERS: RefCell<HashMap<Language, Option<Parser>>> = RefCell::default();
}

/// Parses a file and does nothing with the tree. False without a grammar for its language.
pub(crate) fn parse(language: Language, path: &str, text: &str) -> bool {
    parse_only(language, path, text)
        || PARSERS.with_borrow_mut(|parsers| {
            let parser = parsers.entry(language).or_insert_with(|| parser(language));
            parser.as_mut().is_some_and(|parser| parser.parse(text, None).is_some())
        })
}

const GRAMMARS: &[(Language, LanguageFn)] = &[
    (Language::Css, tree_sitter_css::LANGUAGE),
    (Language::Html, tree_sitter_html::LANGUAGE),
    (Language::Json, tree_sitter_json::LANGUAGE),
    (Language::Markdown, tree_sitter_md::LANGUAGE),
    (Language::Toml, tree_sitter_toml_ng::LANGUAGE),
    (Language::Xml, tree_sitter_xml::LANGUAGE_XML),
    (Language::Yaml, tree_sitter_yaml::LANGUAGE),
];

fn parser(language: Language) -> Option<Parser> {
    let (_, grammar) = GRAMMARS.iter().find(|(of, _)| *of == language)?;
    let mut parser = Parser::new();
    parser.set_language(&(*grammar).into()).ok()?;
    Some(parser)
}
