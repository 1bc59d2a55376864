//! Problems of files as results show them.

use ide_model::{Diagnostic, FilePath, FileText, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A problem at its place.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) severity: &'static str,
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
    pub(crate) code: String,
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
            end_line: end.line,
            end_column: end.column,
            code: diagnostic.code.to_owned(),
            enclosing_symbol: None,
        }
    }

    /// The problem for reading, on one line.
    pub(crate) fn text(&self) -> String {
        format!(
            "{} {}:{}:{} [{}] {}",
            self.severity, self.file, self.line, self.column, self.code, self.message
        )
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
