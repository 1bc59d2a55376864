//! Problems of files as results show them.

use ide_model::{
    Cx, Diagnostic, FilePath, FileText, Provided, ProviderDiagnostic, QueryError, Severity, ToolMessage,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::session::Session;

/// The source of the problems that the index finds itself.
pub(crate) const INDEX: &str = "index";

/// A problem at its place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) severity: &'static str,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// index, or the compiler, linter or language server that says it
    pub(crate) source: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) enclosing_symbol: Option<String>,
}

impl Problem {
    /// A problem without what is around it.
    pub(crate) fn of(file: &FilePath, text: &FileText, diagnostic: &Diagnostic) -> Self {
        let (start, end) = (text.position(diagnostic.range.start), text.position(diagnostic.range.end));
        Self {
            message: diagnostic.message.clone(),
            severity: word(diagnostic.severity),
            file: file.to_string(),
            line: start.line,
            column: start.column,
            end_line: Some(end.line),
            end_column: Some(end.column),
            code: Some(diagnostic.code.to_owned()),
            source: INDEX.to_owned(),
            enclosing_symbol: None,
        }
    }

    /// A problem that the provider of this name reports.
    fn provided(file: &FilePath, text: &FileText, by: &str, problem: ProviderDiagnostic) -> Self {
        let (start, end) = (text.position(problem.range.start), text.position(problem.range.end));
        Self {
            message: problem.message,
            severity: word(problem.severity),
            file: file.to_string(),
            line: start.line,
            column: start.column,
            end_line: Some(end.line),
            end_column: Some(end.column),
            code: problem.code,
            source: problem.source.unwrap_or_else(|| by.to_owned()),
            enclosing_symbol: None,
        }
    }

    /// A problem that a program of the machine reports of a place; `None` for one without a place.
    pub(crate) fn said(said: &ToolMessage) -> Option<Self> {
        Some(Self {
            message: said.message.clone(),
            severity: word(said.severity),
            file: said.file.as_ref()?.to_string(),
            line: said.line?,
            column: said.column.unwrap_or(1),
            end_line: said.end_line,
            end_column: said.end_column,
            code: said.code.clone(),
            source: said.source.to_owned(),
            enclosing_symbol: None,
        })
    }

    /// The problem for reading, on one line.
    pub(crate) fn text(&self) -> String {
        let by = self.code.as_ref().unwrap_or(&self.source);
        format!("{} {}:{}:{} [{by}] {}", self.severity, self.file, self.line, self.column, self.message)
    }
}

/// The problems of a file as the index and the providers of its language see them.
pub(crate) struct FileProblems {
    /// Each with the offset at which it begins, in no order.
    pub(crate) found: Vec<(Problem, u32)>,
    /// The providers that have a verdict on the text as it is.
    pub(crate) by: Vec<String>,
    /// Their engines.
    pub(crate) engines: Vec<&'static str>,
    /// Why others have none.
    pub(crate) silent: Option<String>,
}

impl Session<'_> {
    /// Adds the problems of providers to those that the index found. Of two at the same place with the same severity the
    /// provider's stands: it has compiled the file. Past `limit` no provider is waited for.
    ///
    /// # Errors
    /// The call was stopped.
    pub(crate) fn all_problems(
        &self,
        limit: Cx<'_>,
        file: &FilePath,
        own: &[Diagnostic],
        wanted: Option<Admitted>,
    ) -> Result<FileProblems, ToolError> {
        let all = match self.snapshot.providers().map(|providers| providers.all_diagnostics(limit, file)) {
            None => Ok(Vec::new()),
            Some(Err(QueryError::DeadlineExceeded)) => {
                self.cx.check()?;
                Err("no time was left to ask language servers or the IDE".to_owned())
            }
            Some(answer) => Ok(answer?),
        };
        let (all, mut silent) = all.map_or_else(|why| (Vec::new(), vec![why]), |all| (all, Vec::new()));
        let mut problems =
            FileProblems { found: Vec::new(), by: Vec::new(), engines: Vec::new(), silent: None };
        // There may be no text of a file that nobody looked at.
        if all.is_empty() && own.is_empty() {
            problems.silent = joined(silent);
            return Ok(problems);
        }
        let text = self.text(file)?;
        for Provided { by, name, said } in all {
            match said {
                Ok(said) => {
                    for problem in said.into_iter().filter(|problem| admits(wanted, problem.severity)) {
                        let start = problem.range.start;
                        problems.found.push((Problem::provided(file, &text, &name, problem), start));
                    }
                    problems.by.push(name);
                    problems.engines.push(by.as_str());
                }
                Err(because) => silent.push(format!("{name} did not look at it: {because}")),
            }
        }
        let is_told = |problems: &FileProblems, own: &Diagnostic| {
            let same = |(problem, start): &(Problem, u32)| {
                *start == own.range.start && problem.severity == word(own.severity)
            };
            problems.found.iter().any(same)
        };
        let own: Vec<&Diagnostic> =
            own.iter().filter(|own| admits(wanted, own.severity) && !is_told(&problems, own)).collect();
        problems.found.extend(own.into_iter().map(|own| (Problem::of(file, &text, own), own.range.start)));
        problems.silent = joined(silent);
        Ok(problems)
    }
}

fn joined(reasons: Vec<String>) -> Option<String> {
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The word that results use.
pub(crate) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "ERROR",
        Severity::Warning => "WARNING",
        Severity::WeakWarning => "WEAK_WARNING",
        Severity::Info => "INFO",
    }
}

// No documentation: it would be published with the parameter.
#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Admitted {
    All,
    Errors,
    Warnings,
}

/// Whether a problem is one that the call wants.
pub(crate) fn admits(wanted: Option<Admitted>, severity: Severity) -> bool {
    match wanted {
        Some(Admitted::Errors) => severity == Severity::Error,
        Some(Admitted::Warnings) => severity == Severity::Warning,
        _ => true,
    }
}
