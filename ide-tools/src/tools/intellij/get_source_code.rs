//! `get_source_code`: the source of a class or a member, with its documentation and annotations.

use ide_model::{Symbol, TextContext, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{InProject, LineRange, kind, qualified};
use crate::ToolError;
use crate::session::Session;
use crate::tool::{Call, Tool};

pub(crate) struct GetSourceCode;

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
    name: String,
    kind: String,
    class_name: String,
    source_code: String,
    file_path: String,
    line_range: LineRange,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl Tool for GetSourceCode {
    const NAME: &'static str = "get_source_code";
    const ABOUT: &'static str =
        "The source of a class, or of one method or field of it, with comment and annotations.";
    const SAME_AS: Option<&'static str> = Some("ide_find_definition");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let symbol = session.only_named(&args.class_name, args.member_name.as_deref())?;
        let text = session.text(&symbol.file)?;
        let range = session.with_comment(&symbol)?;
        let source = text.slice(range).unwrap_or("");
        let limit = session.services.response_budget().saturating_sub(1_000).max(1_000);
        let end = source.char_indices().nth(limit).map_or(source.len(), |(at, _)| at);
        let line_range = session.lines_of(&symbol.file, range)?.unwrap_or_else(|| LineRange::new(1, 1));
        let class = if symbol.kind.is_type() {
            Some(qualified(&symbol))
        } else {
            session.containing_class(&symbol)?
        };
        Ok(Output {
            name: symbol.name.to_string(),
            kind: kind(symbol.kind),
            class_name: class.unwrap_or_else(|| args.class_name.trim().to_owned()),
            source_code: source[..end].to_owned(),
            file_path: session.absolute_path(&symbol.file),
            line_range,
            truncated: end < source.len(),
        })
    }
}

impl Session<'_> {
    /// A declaration with the comments in the lines right above it, from the beginning of its line.
    fn with_comment(&self, symbol: &Symbol) -> Result<TextRange, ToolError> {
        let text = self.text(&symbol.file)?;
        let line_start = |line| text.lines.line_range(line).map_or(0, |range| range.start);
        let mut first = text.position(symbol.full_range.start).line;
        while first > 1 {
            let above = text.line(first - 1).unwrap_or("");
            if above.trim().is_empty() {
                break;
            }
            let at = line_start(first - 1) + (above.len() - above.trim_start().len()) as u32;
            if self.snapshot.text_contexts(&symbol.file, &[at])?[..] != [TextContext::Comment] {
                break;
            }
            first -= 1;
        }
        let start = line_start(first);
        // Code before it on its own line belongs to something else.
        let before = text.slice(TextRange::new(start, symbol.full_range.start)).unwrap_or("");
        let is_alone = first < text.position(symbol.full_range.start).line || before.trim().is_empty();
        Ok(TextRange::new(if is_alone { start } else { symbol.full_range.start }, symbol.full_range.end))
    }
}
