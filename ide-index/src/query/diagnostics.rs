//! The problems of a file that the index itself finds.

use ide_model::{Cx, Diagnostic, FilePath, QueryError, Severity};

use super::{Resolvers, file_id};
use crate::facts::ImportKind;
use crate::resolve::{Reason, Resolution};

/// Syntax errors, and imports of project modules or members that do not exist, ordered by place. Imports that lead out
/// of the project are not judged.
pub fn diagnostics(pool: &Resolvers, cx: Cx<'_>, path: &FilePath) -> Result<Vec<Diagnostic>, QueryError> {
    cx.check()?;
    pool.with(|rx| {
        let file = rx.file(file_id(rx.world(), path)?);
        let mut found: Vec<Diagnostic> = file
            .errors
            .iter()
            .map(|error| Diagnostic {
                range: error.range,
                severity: Severity::Error,
                code: "syntax",
                message: error.message.clone(),
            })
            .collect();
        for import in &file.imports {
            let Some(at) = import.member.or_else(|| file.list(import.path).last()) else { continue };
            let resolution = match import.def {
                Some(def) => rx.through_imports(Resolution::def(file.global(def))),
                None => rx.resolve(file.global_ref(at)).resolution,
            };
            if resolution.is_unknown()
                && resolution.reason == Reason::NotFound
                && import.kind != ImportKind::SideEffect
            {
                let module = file.name(import.module);
                let message = match import.member {
                    Some(member) => format!("`{module}` has no `{}`", file.ref_name(member)),
                    None => format!("no module `{module}` in the project"),
                };
                found.push(Diagnostic {
                    range: file.reference(at).range,
                    severity: Severity::Warning,
                    code: "unresolved-import",
                    message,
                });
            }
        }
        found.sort_by_key(|d| (d.range, d.severity));
        found.dedup();
        Ok(found)
    })
}
