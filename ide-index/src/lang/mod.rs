//! The languages: one directory each, and the tables that say which front end reads which language.

use std::sync::Arc;

use ide_model::{Family, FilePath, Language, TextRange};

use crate::FrontEnd;
use crate::facts::{FileFacts, NameId};
use crate::impl_sites::{DeclaredModule, FileImplSite, OtherName};
use crate::macros::{FileMacros, Shared};
use crate::resolve::{Policy, Resolver, Ty};
use crate::structure;
use crate::world::{FileId, GlobalDef};

pub(crate) use go::addressed::AddressedPlaces;
pub(crate) use judges::{CODES as STATEMENT_CODES, judge, refused_by_types};
pub(crate) use php::by_reference::takes_reference;

mod certainty;
mod ecma;
pub(crate) mod forbidden;
mod go;
pub(crate) mod imports;
mod java;
mod judges;
pub(crate) mod kotlin;
pub(crate) mod names;
mod php;
pub(crate) mod places;
mod plain;
mod python;
mod rust;
pub(crate) mod scoping;

/// The front end that reads a language, `None` when the index has none: its own, or else the grammar tables.
pub fn front_end(language: Language) -> Option<&'static dyn FrontEnd> {
    own_front_end(language).or_else(|| table_front_end(language))
}

/// The abstract method of an interface of Java or Kotlin that has exactly one.
pub(crate) fn functional_method(rx: &Resolver, ty: &Ty) -> Option<GlobalDef> {
    java::members::functional_method(rx, ty).map(|(method, _)| method)
}

/// Whether calls of a class of Python give its fields values by their place.
pub(crate) fn takes_fields_by_place(rx: &Resolver, class: GlobalDef) -> bool {
    python::takes_fields_by_place(rx, class)
}

/// Whether the values of a class of Python are tuples of its fields.
pub(crate) fn is_named_tuple(rx: &Resolver, class: GlobalDef) -> bool {
    python::is_named_tuple(rx, class)
}

/// The fields that such a class takes, in their order.
pub(crate) fn initialised_fields(rx: &Resolver, class: GlobalDef) -> Vec<Arc<str>> {
    python::initialised_fields(rx, class)
}

/// The front end written for this language.
pub fn own_front_end(language: Language) -> Option<&'static dyn FrontEnd> {
    FRONT_ENDS.iter().find(|(l, _)| *l == language).map(|(_, front)| *front)
}

/// The grammar tables of a language: what reads it until it has a front end of its own, and the oracle of that.
#[cfg(feature = "tree-sitter")]
pub fn table_front_end(language: Language) -> Option<&'static dyn FrontEnd> {
    crate::tables::front_end(language)
}

/// Parses a file by its grammar and drops the tree, to be measured beside; false when the language has no grammar.
#[cfg(feature = "tree-sitter")]
pub fn parse_only(language: Language, path: &str, text: &str) -> bool {
    crate::tables::parse_only(language, path, text)
}

/// Without the feature `tree-sitter` there are no tables.
#[cfg(not(feature = "tree-sitter"))]
pub fn table_front_end(_language: Language) -> Option<&'static dyn FrontEnd> {
    None
}

/// Languages with a front end of their own. The rest is read by grammar tables where those are built in.
static FRONT_ENDS: &[(Language, &dyn FrontEnd)] = &[
    (Language::Go, &go::Go),
    (Language::Java, &java::Java),
    (Language::JavaScript, &ecma::Ecma),
    (Language::Kotlin, &kotlin::Kotlin),
    (Language::TypeScript, &ecma::Ecma),
    (Language::Vue, &ecma::Ecma),
    (Language::Svelte, &ecma::Ecma),
    (Language::Astro, &ecma::Ecma),
    (Language::Php, &php::Php),
    (Language::Python, &python::PythonFrontEnd),
    (Language::Rust, &rust::Rust),
    (Language::Markdown, &structure::MARKDOWN),
    (Language::Json, &structure::JSON),
    (Language::Yaml, &structure::YAML),
    (Language::Toml, &structure::TOML),
    (Language::Css, &structure::CSS),
    (Language::Html, &structure::HTML),
    (Language::Xml, &structure::XML),
    (Language::Sql, &structure::SQL),
];

/// Whether files of a language use macros of one another.
pub(crate) fn shares_macros(language: Language) -> bool {
    language == Language::Rust
}

/// The implementation sites of a file, in the order of the declarations.
pub(crate) fn impl_sites(facts: &FileFacts) -> Vec<FileImplSite<NameId>> {
    if facts.language == Language::Rust { rust::impl_sites(facts) } else { Vec::new() }
}

/// Whether configuration outside of code names the classes of a language.
pub(crate) fn is_configured_by_name(language: Language) -> bool {
    matches!(language, Language::Java | Language::Kotlin)
}

/// Functions whose first argument is the dotted name of a module or of what it declares, as a text.
pub(crate) fn takers_of_dotted_names(language: Language) -> &'static [&'static str] {
    if language == Language::Python { python::TAKERS_OF_NAMES } else { &[] }
}

/// The dotted name of the module at a path, in a language in which texts may say it.
pub(crate) fn dotted_name_of(rx: &Resolver, path: &str) -> Option<String> {
    let language = Language::of_path(path)?;
    (!takers_of_dotted_names(language).is_empty()).then(|| python::name_of_module(rx, path))
}

/// The places in descriptions of packages where the paths of files stand that move, with the new ones; `None` where one
/// cannot be written.
pub(crate) fn manifests_naming(
    rx: &Resolver,
    family: Family,
    moves: &dyn Fn(&str) -> Option<String>,
) -> Vec<(FileId, TextRange, Option<String>)> {
    if family == Family::Ecma { ecma::followed(rx, moves) } else { Vec::new() }
}

/// Whether the language's own declarations are in the way of others of their names.
pub(crate) fn has_taken_names(language: Language) -> bool {
    language == Language::Php
}

/// The names of what a file declares that the language declares itself.
pub(crate) fn taken_names(rx: &Resolver, facts: &FileFacts) -> Vec<String> {
    if has_taken_names(facts.language) { php::taken_names(rx, facts) } else { Vec::new() }
}

/// The classes that a file makes, by the names that configuration has for them, in the order of their declarations.
pub(crate) fn class_names(path: &FilePath, facts: &FileFacts) -> Vec<String> {
    if is_configured_by_name(facts.language) { java::class_names(path, facts) } else { Vec::new() }
}

/// The further names that types may show.
pub(crate) fn other_names(facts: &FileFacts) -> Arc<[OtherName]> {
    if facts.language == Language::Rust { rust::other_names(facts) } else { Arc::default() }
}

/// The modules that a file declares, in their order, then the files that it includes.
pub(crate) fn declared_modules(facts: &FileFacts) -> Arc<[DeclaredModule]> {
    if facts.language == Language::Rust { rust::declared_modules(facts) } else { Arc::default() }
}

/// The macros of a file that other files use, and its uses of theirs.
pub(crate) fn macros_of(path: &Arc<str>, facts: &FileFacts) -> Option<Box<FileMacros>> {
    shares_macros(facts.language).then(|| rust::macros_of(path, facts)).flatten()
}

/// Which of the macros of one name a file means; `krate` as of [`crate::front::Others`].
pub(crate) fn meant_macro<'s>(path: &str, krate: Option<&str>, all: &'s [Shared]) -> Option<&'s Shared> {
    rust::meant(path, krate, all)
}

/// The resolver's rules for a language. Languages without rules of their own resolve scopes and same-file names only.
pub fn policy(language: Language) -> &'static dyn Policy {
    POLICIES.iter().find(|(l, _)| *l == language).map_or(&plain::Plain, |(_, policy)| *policy)
}

/// Whether a language has rules of its own; without them nothing is certain enough to be changed by meaning.
pub fn has_policy(language: Language) -> bool {
    POLICIES.iter().any(|(l, _)| *l == language)
}

/// The languages with rules of their own.
pub fn with_policy() -> Vec<Language> {
    POLICIES.iter().map(|(l, _)| *l).collect()
}

const POLICIES: &[(Language, &dyn Policy)] = &[
    (Language::Go, &go::GoPolicy),
    (Language::Java, &java::JavaPolicy),
    (Language::JavaScript, &ecma::EcmaPolicy),
    (Language::Kotlin, &kotlin::KotlinPolicy),
    (Language::TypeScript, &ecma::EcmaPolicy),
    (Language::Vue, &ecma::EcmaPolicy),
    (Language::Svelte, &ecma::EcmaPolicy),
    (Language::Astro, &ecma::EcmaPolicy),
    (Language::Php, &php::PhpPolicy),
    (Language::Python, &python::Python),
    (Language::Rust, &rust::RustPolicy),
];
