//! Diagnostics, pulled by the editor or pushed to it.

use gen_lsp_types::{
    Diagnostic, DiagnosticSeverity, DocumentDiagnosticParams, DocumentDiagnosticReport,
    FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
};
use ide_model::Severity;

use crate::query::{Failure, Place, Query, SILENT, or_nothing};

/// The name under which editors show them.
const SOURCE: &str = "ide-index";

pub(crate) fn of(q: &Query<'_>, place: &Place) -> Result<Vec<Diagnostic>, Failure> {
    let found = or_nothing(place.snapshot.diagnostics(q.cx, &place.file))?.map(|answer| answer.value);
    let one = |diagnostic: ide_model::Diagnostic| Diagnostic {
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
            Severity::WeakWarning => DiagnosticSeverity::Information,
            Severity::Info => DiagnosticSeverity::Hint,
        }),
        code: Some(diagnostic.code.to_owned().into()),
        source: Some(SOURCE.to_owned()),
        range: place.range(diagnostic.range),
        message: diagnostic.message.into(),
        code_description: None,
        tags: None,
        related_information: None,
        data: None,
    };
    Ok(found.unwrap_or_default().into_iter().map(one).collect())
}

pub(crate) fn pull(
    q: &Query<'_>,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReport, Failure> {
    let items = match q.file(&params.text_document.uri) {
        Err(Failure { code: SILENT, .. }) => Vec::new(),
        place => of(q, &place?)?,
    };
    Ok(RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: None, items },
    }
    .into())
}
