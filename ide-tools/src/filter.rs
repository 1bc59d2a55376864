//! Scope, generated code and path globs as one filter over files.

use ide_model::{FileMeta, Scope};

use crate::args::{SCOPES, ScopeArgs};
use crate::session::Session;
use crate::{PathFilter, ToolError};

/// Which files a call looks at.
pub(crate) struct Filter {
    scope: Scope,
    include_generated: bool,
    paths: Vec<PathFilter>,
}

impl Filter {
    /// `generated` is what the tool does when it is not told (it differs per tool).
    ///
    /// # Errors
    /// `invalid_argument` for globs.
    pub(crate) fn new(
        session: &Session<'_>,
        scope: &ScopeArgs,
        generated: bool,
        paths: Option<&[String]>,
    ) -> Result<Self, ToolError> {
        let paths = paths.map(|globs| session.project.path_filter(globs)).transpose()?;
        Ok(Self {
            scope: scope.scope.as_deref().map_or(Scope::ProjectFiles, scope_of),
            include_generated: scope.include_generated.unwrap_or(generated),
            paths: paths.into_iter().collect(),
        })
    }

    /// Narrows the filter further.
    pub(crate) fn and(mut self, filter: Option<PathFilter>) -> Self {
        self.paths.extend(filter);
        self
    }

    pub(crate) fn scope(&self) -> Scope {
        self.scope
    }

    pub(crate) fn admits(&self, file: &FileMeta) -> bool {
        self.scope.admits(file.source)
            && (self.include_generated || !file.is_generated)
            && self.paths.iter().all(|path| path(file))
    }
}

fn scope_of(word: &str) -> Scope {
    let scopes = [
        Scope::ProjectFiles,
        Scope::ProjectAndLibraries,
        Scope::ProjectProductionFiles,
        Scope::ProjectTestFiles,
    ];
    let at = SCOPES.iter().position(|known| *known == word);
    scopes[at.expect("other words were refused before")]
}
