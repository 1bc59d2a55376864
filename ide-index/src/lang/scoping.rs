//! Rules of single languages about what may be called like what, and about what a text needs around it.

use ide_model::{Family, Language, TextRange};

use super::{java, python};
use crate::facts::DefId;
use crate::resolve::{FileView, Resolver};

/// Why a declaration or import at the top of a file would not be what its name means if it were this name; a message.
pub(crate) fn bound_anew(rx: &Resolver, file: &FileView, def: DefId, new_name: &str) -> Option<String> {
    match file.language() {
        Language::Python => python::stars::hidden(rx, file, def, new_name),
        _ => None,
    }
}

/// Whether a local of a lambda may not have the name that one around the lambda has, which is known there.
pub(crate) fn hides_wrongly(file: &FileView, inner: DefId, outer: DefId) -> bool {
    file.language() == Language::Java && java::names::hides_wrongly(file, inner, outer)
}

/// Words by which code in a type names that type, one above it, or what was made of it.
#[cfg_attr(not(feature = "tree-sitter"), expect(dead_code, reason = "only moves of declarations ask"))]
pub(crate) fn words_for_type(language: Language) -> &'static [&'static str] {
    match language.family() {
        Family::Php => &["self", "static", "parent", "__CLASS__"],
        Family::Ecma | Family::Jvm => &["this", "super"],
        Family::Rust => &["Self"],
        Family::Python => &["__class__", "super"],
        _ => &[],
    }
}

/// Statements of a file that change how the text of some ranges is read, and that a new file needs for it; `there` is the
/// file that it goes to where there is one.
///
/// # Errors
/// Why that file cannot hold the text without them, and a place in the text.
#[cfg_attr(not(feature = "tree-sitter"), expect(dead_code, reason = "only moves of declarations ask"))]
pub(crate) fn switches_for(
    rx: &Resolver,
    file: &FileView,
    ranges: &[TextRange],
    there: Option<&FileView>,
) -> Result<Vec<String>, (String, TextRange)> {
    match file.language() {
        Language::Python => python::refactor::switches_for(rx, file, ranges, there),
        _ => Ok(Vec::new()),
    }
}
