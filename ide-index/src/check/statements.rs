//! Statements that cannot stand where they stand: found on the tree of the file, by the language.

use std::sync::Arc;

use ide_model::QueryError;

use super::{Check, Finding};
use crate::lang;
use crate::refactor::tree::Syntax;

/// The code of the check as a whole. No finding shows it: each carries the code of its own kind.
pub(super) const CODE: &str = "statements";

/// Everything that the language finds on the tree. Files of which a part is not read have no findings.
pub(super) fn refused(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let text = Arc::from(check.text);
    // A macro of the project may be any.
    let read = Syntax::read(check.file.language(), &check.file.path, text, &|_| true, &Vec::new);
    let Some(tree) = read.ok().filter(|tree| !tree.is_damaged) else { return check.cx.check() };
    let mut all = Vec::new();
    check.judge.refused_statements(check.file, &tree, &mut all);
    lang::refused_by_types(check.rx, check.file, &tree, &mut all);
    found.extend(all.into_iter().map(|refused| Finding {
        range: refused.range,
        message: refused.message,
        code: Some(refused.code),
    }));
    check.cx.check()
}
