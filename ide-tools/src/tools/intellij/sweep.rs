//! The problems of many files, as far as time allows.

use ide_model::{Cx, Diagnostic, FileMeta, FilePath, QueryError, SourceKind};

use crate::ToolError;
use crate::session::Session;

/// The problems of the files that were looked at, and how many these were.
pub(crate) struct Sweep {
    pub(crate) found: Vec<(FilePath, Vec<Diagnostic>)>,
    pub(crate) analyzed: usize,
    pub(crate) total: usize,
    /// Whether time ran out.
    pub(crate) is_late: bool,
    /// Files that nothing can be said of, the first few.
    pub(crate) failed: Vec<String>,
}

impl Sweep {
    pub(crate) fn is_complete(&self) -> bool {
        self.analyzed == self.total
    }
}

/// Files without an answer that are named.
const NAMED: usize = 5;

impl Session<'_> {
    /// The problems of files, of all of the project that can be analysed where none are given. `limit` ends it early, and the
    /// end of the call does too.
    pub(crate) fn sweep(&self, files: Option<Vec<FilePath>>, limit: Cx<'_>) -> Result<Sweep, ToolError> {
        let files = match files {
            Some(files) => files,
            None => {
                let is_code = |file: &FileMeta| {
                    file.source != SourceKind::Library && file.language.is_some_and(|own| own.is_resolved())
                };
                let files = self.snapshot.files(self.cx, &is_code)?;
                files.into_iter().map(|file| file.path).collect()
            }
        };
        let mut sweep =
            Sweep { found: Vec::new(), analyzed: 0, total: files.len(), is_late: false, failed: Vec::new() };
        for file in files {
            match self.cx.check().and_then(|()| limit.check()) {
                Err(QueryError::DeadlineExceeded) => {
                    sweep.is_late = true;
                    break;
                }
                checked => checked?,
            }
            match self.snapshot.diagnostics(limit, &file) {
                Ok(answer) => {
                    sweep.analyzed += 1;
                    if !answer.value.is_empty() {
                        sweep.found.push((file, answer.value));
                    }
                }
                Err(QueryError::DeadlineExceeded) => {
                    sweep.is_late = true;
                    break;
                }
                Err(
                    QueryError::NotRead { .. } | QueryError::Unsupported { .. } | QueryError::NoFile { .. },
                ) => {
                    if sweep.failed.len() < NAMED {
                        sweep.failed.push(file.to_string());
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        if !sweep.failed.is_empty() {
            self.told.note(format!("not analysed: {}", sweep.failed.join(", ")));
        }
        Ok(sweep)
    }
}
