//! `ide_code_completions`: the names that could stand at a place.

use ide_model::{Completion, QueryError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::session::Session;
use crate::symbols::{doubt, reason};
use crate::tool::{Call, Tool};

const DEFAULT: i64 = 50;
const MOST: i64 = 500;
/// Characters of documentation that a row shows.
const MAX_DOC: usize = 200;

pub(crate) struct CodeCompletions;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    line: i64,
    /// Behind what is typed already
    column: i64,
    /// Default 50
    max_results: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    completions: Vec<Row>,
    total_count: usize,
    /// There are more
    is_incomplete: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_because: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    text: String,
    insert_text: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
}

impl Tool for CodeCompletions {
    const NAME: &'static str = "ide_code_completions";
    const ABOUT: &'static str = "Names that could stand at a place, the likeliest first: members of the value before \
        a dot, else what is in scope, and keywords.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.indexed(&args.file)?;
        let offset = session.offset(&file, args.line, args.column)?;
        let limit = args.max_results.unwrap_or(DEFAULT).clamp(1, MOST) as usize;
        let answer = session.snapshot.complete(session.cx, &file, offset, limit)?;
        let found = answer.value;
        let rows = found.items.iter().map(|completion| session.completion_row(completion));
        let completions = rows.collect::<Result<Vec<Row>, ToolError>>()?;
        Ok(Output {
            total_count: completions.len(),
            completions,
            is_incomplete: found.cut,
            incomplete_because: reason(answer.completeness),
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut text = String::new();
        for row in &output.completions {
            let detail = row.detail.as_ref().map_or_else(String::new, |detail| format!(": {detail}"));
            text.push_str(&format!("{} {}{detail}\n", row.r#type, row.text));
        }
        if output.completions.is_empty() {
            text.push_str("nothing is known that could stand there\n");
        }
        if output.is_incomplete {
            text.push_str("there are more: type on, or raise maxResults\n");
        }
        Some(text)
    }
}

impl Session<'_> {
    fn completion_row(&self, completion: &Completion) -> Result<Row, ToolError> {
        let about = match &completion.symbol {
            None => None,
            Some(symbol) => match self.snapshot.describe(self.cx, symbol) {
                Ok(answer) => Some(answer.value),
                Err(
                    QueryError::Unsupported { .. } | QueryError::NoFile { .. } | QueryError::NotRead { .. },
                ) => None,
                Err(error) => return Err(error.into()),
            },
        };
        let r#type = match &completion.symbol {
            Some(symbol) => symbol.kind.as_str(),
            None if completion.is_keyword => "KEYWORD",
            None => "NAME",
        };
        let documentation = about.as_ref().and_then(|about| about.documentation.as_deref());
        Ok(Row {
            text: completion.name.to_string(),
            insert_text: format!("{}{}", completion.name, completion.mark),
            r#type,
            detail: about.as_ref().map(|about| about.signature.to_string()).filter(|text| !text.is_empty()),
            documentation: documentation.map(|text| text.chars().take(MAX_DOC).collect()),
            confidence: doubt(completion.confidence),
        })
    }
}
