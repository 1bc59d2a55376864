//! The problems of many files, one after the other, as far as a limit allows.

use ide_model::{Answer, Cx, Diagnostic, FileMeta, FilePath, QueryError, SourceKind};

use crate::ToolError;
use crate::session::Session;

/// The end of a look at one file.
pub(crate) enum FileVisit {
    Analyzed(Answer<Vec<Diagnostic>>),
    /// Nothing can be said of the file, for a reason.
    Skipped(String),
    Failed(ToolError),
}

/// Files that wait for their turn.
#[derive(Clone, Debug)]
pub(crate) struct Survey {
    /// The next one last.
    left: Vec<FilePath>,
}

/// Why a survey was left.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SurveyEnd {
    /// No file is left.
    Done,
    /// As many files as were asked for have been looked at.
    Enough,
    /// Time ran out.
    Late,
}

impl Survey {
    /// Files in an order.
    pub(crate) fn of(mut files: Vec<FilePath>) -> Self {
        files.reverse();
        Self { left: files }
    }

    pub(crate) fn left(&self) -> usize {
        self.left.len()
    }

    /// The files that nothing was asked of, in their order.
    pub(crate) fn into_left(mut self) -> Vec<FilePath> {
        self.left.reverse();
        self.left
    }

    /// Looks at files until none is left, `limit` is reached or so many bytes were looked at; at one at least. A file at which
    /// time runs out is the next one again.
    pub(crate) fn go_on(
        &mut self,
        session: &Session<'_>,
        limit: Cx<'_>,
        most_bytes: u64,
        each: &mut dyn FnMut(FilePath, FileVisit) -> Result<(), ToolError>,
    ) -> Result<SurveyEnd, ToolError> {
        let mut bytes = 0;
        while let Some(file) = self.left.last().cloned() {
            let is_late =
                match session.cx.check().and_then(|()| if bytes > 0 { limit.check() } else { Ok(()) }) {
                    Err(QueryError::DeadlineExceeded) => true,
                    checked => {
                        checked?;
                        false
                    }
                };
            if is_late {
                return Ok(SurveyEnd::Late);
            }
            if bytes >= most_bytes {
                return Ok(SurveyEnd::Enough);
            }
            let look = match session.snapshot.diagnostics(session.cx, &file) {
                Ok(answer) => FileVisit::Analyzed(answer),
                Err(QueryError::DeadlineExceeded) => return Ok(SurveyEnd::Late),
                Err(error @ QueryError::Cancelled) => return Err(error.into()),
                Err(error @ (QueryError::NotRead { .. } | QueryError::Unsupported { .. })) => {
                    FileVisit::Skipped(ToolError::from(error).message)
                }
                Err(error) => FileVisit::Failed(error.into()),
            };
            bytes += session.snapshot.file(&file).map_or(0, |meta| meta.size).max(1);
            self.left.pop();
            each(file, look)?;
        }
        Ok(SurveyEnd::Done)
    }
}

impl Session<'_> {
    /// The files of the project that can be analysed and that a filter takes, by path.
    pub(crate) fn code(
        &self,
        is_meant: &(dyn Fn(&FileMeta) -> bool + Sync),
    ) -> Result<Vec<FilePath>, QueryError> {
        let is_code = |file: &FileMeta| {
            file.source != SourceKind::Library
                && file.language.is_some_and(|language| language.family() != ide_model::Family::None)
                && is_meant(file)
        };
        Ok(self.snapshot.files(self.cx, &is_code)?.into_iter().map(|file| file.path).collect())
    }
}
