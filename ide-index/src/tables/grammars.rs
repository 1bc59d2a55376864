//! The grammars, and the rules that go with each.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use ide_model::Language;
use rustc_hash::FxHashMap;
use tree_sitter::{Language as Grammar, ParseOptions, ParseState, Parser, Tree};
#[cfg(test)]
use tree_sitter_language::LanguageFn;

use super::rules::{Table, compile};
use super::walk::walk;
use crate::builder::FactBuilder;
use crate::facts::FileFacts;
use crate::front::FrontEnd;
use crate::guard;

/// A front end made of a grammar and rules.
pub(crate) struct TableFrontEnd {
    pub(crate) language: Language,
    variants: &'static [Variant],
}

/// A dialect: the first whose extension fits reads a file, the last one reads the rest.
struct Variant {
    extensions: &'static [&'static str],
    #[cfg(test)]
    grammar: LanguageFn,
    #[cfg(test)]
    rules: &'static [&'static str],
    table: LazyLock<Table, fn() -> Table>,
}

const ECMA: &str = include_str!("rules/ecma.rules");
#[cfg(feature = "other-grammars")]
const C_FAMILY: &str = include_str!("rules/c.rules");

macro_rules! tables {
    ($($(#[$condition:meta])? $language:ident: $([$($ext:literal)*] $grammar:expr, $rules:expr);+;)*) => {
        /// Every language that a grammar reads.
        pub(crate) static TABLES: &[TableFrontEnd] = &[$($(#[$condition])? TableFrontEnd {
            language: Language::$language,
            variants: {
                static VARIANTS: [Variant; [$(stringify!($rules)),+].len()] = [$(Variant {
                    extensions: &[$($ext),*],
                    #[cfg(test)]
                    grammar: $grammar,
                    #[cfg(test)]
                    rules: $rules,
                    table: LazyLock::new(|| compile($grammar.into(), $rules).0),
                }),+];
                &VARIANTS
            },
        }),*];
    };
}

tables! {
    Java: [] tree_sitter_java::LANGUAGE, &[include_str!("rules/java.rules")];
    Kotlin: [] tree_sitter_kotlin_ng::LANGUAGE, &[include_str!("rules/kotlin.rules")];
    Python: [] tree_sitter_python::LANGUAGE, &[include_str!("rules/python.rules")];
    JavaScript: [] tree_sitter_javascript::LANGUAGE, &[ECMA, "%attributes this"];
    TypeScript: ["tsx"] tree_sitter_typescript::LANGUAGE_TSX, &[ECMA];
        [] tree_sitter_typescript::LANGUAGE_TYPESCRIPT, &[ECMA];
    Go: [] tree_sitter_go::LANGUAGE, &[include_str!("rules/go.rules")];
    Php: [] tree_sitter_php::LANGUAGE_PHP, &[include_str!("rules/php.rules")];
    Rust: [] tree_sitter_rust::LANGUAGE, &[include_str!("rules/rust.rules")];
    #[cfg(feature = "other-grammars")]
    C: [] tree_sitter_c::LANGUAGE, &[C_FAMILY];
    #[cfg(feature = "other-grammars")]
    Cpp: [] tree_sitter_cpp::LANGUAGE, &[C_FAMILY];
    #[cfg(feature = "other-grammars")]
    CSharp: [] tree_sitter_c_sharp::LANGUAGE, &[include_str!("rules/csharp.rules")];
    #[cfg(feature = "other-grammars")]
    Ruby: [] tree_sitter_ruby::LANGUAGE, &[include_str!("rules/ruby.rules")];
    #[cfg(feature = "other-grammars")]
    Swift: [] tree_sitter_swift::LANGUAGE, &[include_str!("rules/swift.rules")];
    #[cfg(feature = "other-grammars")]
    Scala: [] tree_sitter_scala::LANGUAGE, &[include_str!("rules/scala.rules")];
    #[cfg(feature = "other-grammars")]
    Shell: [] tree_sitter_bash::LANGUAGE, &[include_str!("rules/shell.rules")];
}

/// The tables of a language.
pub(crate) fn front_end(language: Language) -> Option<&'static dyn FrontEnd> {
    TABLES.iter().find(|t| t.language == language).map(|t| t as &dyn FrontEnd)
}

thread_local! {
    // A parser keeps its stacks between files; making one a file costs more than small files do.
    static PARSERS: RefCell<FxHashMap<usize, Parser>> = RefCell::default();
}

/// Parses a file and does nothing with the tree: what every index made of these trees pays at least. False without a
/// grammar for the language.
pub(crate) fn parse_only(language: Language, path: &str, text: &str) -> bool {
    TABLES.iter().find(|t| t.language == language).is_some_and(|t| t.tree(path, text).1.is_some())
}

/// The tree of a file; `None` without a grammar for the language.
pub(crate) fn tree(language: Language, path: &str, text: &str) -> Option<Tree> {
    TABLES.iter().find(|t| t.language == language)?.tree(path, text).1
}

/// The grammar that reads a file; `None` without one for the language.
pub(crate) fn grammar(language: Language, path: &str) -> Option<&'static tree_sitter::Language> {
    Some(&TABLES.iter().find(|t| t.language == language)?.variant(path).table.grammar)
}

/// The tree of a text by a grammar of ours.
pub(crate) fn tree_by(grammar: &tree_sitter::Language, text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(grammar).expect("the grammar crates fit the library, see the tests");
    parse(&mut parser, text)
}

/// `None` when nobody waits for the tree any more.
fn parse(parser: &mut Parser, text: &str) -> Option<Tree> {
    let mut look = |_: &ParseState| match guard::is_waited_for() {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut look);
    let bytes = text.as_bytes();
    let tree =
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree
}

/// Whether a tree is deeper than so many levels.
pub(crate) fn is_deeper_than(tree: &Tree, levels: u32) -> bool {
    let mut cursor = tree.walk();
    loop {
        if cursor.depth() > levels {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// The languages that grammars read.
pub(crate) fn languages() -> Vec<Language> {
    TABLES.iter().map(|table| table.language).collect()
}

/// The tree of a file with its grammar, which knows the names of kinds and fields; `None` without a grammar for the
/// language.
pub(crate) fn tree_with_grammar(
    language: Language,
    path: &str,
    text: &str,
) -> Option<(Tree, &'static Grammar)> {
    let (table, tree) = TABLES.iter().find(|t| t.language == language)?.tree(path, text);
    tree.map(|tree| (tree, &table.grammar))
}

impl TableFrontEnd {
    fn variant(&self, path: &str) -> &'static Variant {
        let extension = path.rsplit_once('.').map_or("", |(_, ext)| ext);
        self.variants
            .iter()
            .find(|v| v.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension)))
            .or(self.variants.last())
            .expect("a table has a variant")
    }

    fn tree(&self, path: &str, text: &str) -> (&'static Table, Option<Tree>) {
        let variant = self.variant(path);
        let table = &*variant.table;
        let tree = PARSERS.with_borrow_mut(|parsers| {
            let parser = parsers.entry(std::ptr::from_ref(variant) as usize).or_insert_with(|| {
                let mut parser = Parser::new();
                parser
                    .set_language(&table.grammar)
                    .expect("the grammar crates fit the library, see the tests");
                parser
            });
            parse(parser, text)
        });
        (table, tree)
    }
}

impl FrontEnd for TableFrontEnd {
    fn facts(&self, path: &str, text: &str) -> FileFacts {
        let (table, tree) = self.tree(path, text);
        match tree {
            Some(tree) => walk(table, self.language, text, &tree),
            None => FactBuilder::new(self.language, text.len() as u32).finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_fits_a_grammar_that_uses_it() {
        let mut unknown: FxHashMap<&str, usize> = FxHashMap::default();
        let mut uses: FxHashMap<&str, usize> = FxHashMap::default();
        for variant in TABLES.iter().flat_map(|t| t.variants) {
            for text in variant.rules {
                for line in compile(variant.grammar.into(), &[text]).1 {
                    *unknown.entry(line).or_default() += 1;
                }
                for line in text.lines() {
                    *uses.entry(line.trim()).or_default() += 1;
                }
            }
        }
        let mut useless: Vec<_> =
            unknown.into_iter().filter(|(line, n)| uses[line] == *n).map(|(line, _)| line).collect();
        useless.sort_unstable();
        assert!(useless.is_empty(), "no grammar knows {useless:#?}");
    }
}
