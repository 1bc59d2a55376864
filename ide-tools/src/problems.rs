//! Problems of files as results show them.

use ide_model::{Diagnostic, FilePath, FileText, Severity, ToolMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
