//! `find_usages`: the uses of a class or a member.

use ide_model::{Access, FileMeta, Reference, ReferenceKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{InProject, LineRange, kind, qualified};
use crate::ToolError;
use crate::page::HARD_CAP;
use crate::session::Session;
use crate::symbols::{doubt, reason};
use crate::tool::{Call, Tool};

pub(crate) struct FindUsages;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Qualified
    class_name: String,
    /// Method, field or inner class; add(int) for one overload
    member_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    symbol: SymbolInfo,
    usages: Vec<Usage>,
    total_usages: usize,
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SymbolInfo {
    name: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    containing_class: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Usage {
    file_path: String,
    line_range: Option<LineRange>,
    context: String,
    usage_type: &'static str,
    containing_class: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    containing_method: Option<String>,
    /// Only when it is not certain
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
}

impl Tool for FindUsages {
    const NAME: &'static str = "find_usages";
    const ABOUT: &'static str =
        "All uses of a class, or of a method or field of it, resolved, not matched by text.";
    const SAME_AS: Option<&'static str> = Some("ide_find_references");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let found = session.named(&args.class_name, args.member_name.as_deref())?;
        let symbol = found.first();
        session.note_overloads(&found, &symbol.name);
        let everywhere = |_: &FileMeta| true;
        let mut references: Vec<Reference> = Vec::new();
        for symbol in &found.all {
            let answer = session.snapshot.references(session.cx, symbol, &everywhere, usize::MAX)?;
            if answer.value.unresolved_same_name > 0 {
                let n = answer.value.unresolved_same_name;
                session.told.note(format!("{n} occurrences of the name could not be resolved"));
            }
            if let Some(because) = reason(answer.completeness) {
                session.told.note(format!("there may be more: {because}"));
            }
            references.extend(answer.value.references);
        }
        references.sort_by(|a, b| (&a.file, a.range, a.confidence).cmp(&(&b.file, b.range, b.confidence)));
        references.dedup_by(|a, b| (&a.file, a.range.start) == (&b.file, b.range.start));
        let total_usages = references.len();
        references.truncate(HARD_CAP);
        let mut usages = Vec::with_capacity(references.len());
        for reference in &references {
            session.cx.check()?;
            usages.push(session.usage_row(reference)?);
        }
        Ok(Output {
            symbol: SymbolInfo {
                name: symbol.name.to_string(),
                kind: kind(symbol.kind),
                containing_class: session.containing_class(symbol)?,
            },
            truncated: total_usages > usages.len(),
            total_usages,
            usages,
        })
    }
}

impl Session<'_> {
    fn usage_row(&self, reference: &Reference) -> Result<Usage, ToolError> {
        let Reference { file, range, kind, access, confidence, .. } = reference;
        let (class, method) = self.around(file, range.start, None)?;
        Ok(Usage {
            file_path: self.absolute_path(file),
            line_range: self.lines_of(file, *range)?,
            context: self.context(file, range.start)?,
            usage_type: usage_type(*kind, *access),
            containing_class: class.as_ref().map(qualified),
            containing_method: method.map(|method| method.name.to_string()),
            confidence: doubt(*confidence),
        })
    }
}

fn usage_type(kind: ReferenceKind, access: Access) -> &'static str {
    match (kind, access) {
        (ReferenceKind::Import, _) | (_, Access::Import) => "import",
        (_, Access::Doc) => "reference",
        (_, Access::Inheritance) => "inheritance",
        (_, Access::Annotation) => "annotation",
        (_, Access::Write | Access::ReadWrite) => "write",
        (ReferenceKind::MethodCall | ReferenceKind::Operator, _) => "call",
        _ => "reference",
    }
}
