//! The problems that the index itself finds in a file.

use ide_model::{Cx, Diagnostic, FilePath, QueryError, Severity};

use super::{Resolvers, file_id};
use crate::check;

/// Syntax errors, and everything that is wrong for certain, ordered by place. `text` is that of the file.
pub fn diagnostics(
    pool: &Resolvers,
    cx: Cx<'_>,
    path: &FilePath,
    text: &str,
) -> Result<Vec<Diagnostic>, QueryError> {
    cx.check()?;
    pool.with(|rx| {
        let file = rx.file(file_id(rx.world(), path)?);
        let mut found: Vec<Diagnostic> = file
            .errors
            .iter()
            .map(|error| Diagnostic {
                range: error.range,
                severity: Severity::Error,
                code: check::SYNTAX,
                message: error.message.clone(),
            })
            .collect();
        found.extend(check::findings(rx, cx, file, text)?);
        found.sort_by(|a, b| (a.range, a.severity, a.code).cmp(&(b.range, b.severity, b.code)));
        found.dedup();
        Ok(found)
    })
}
