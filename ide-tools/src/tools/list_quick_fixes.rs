//! `ide_list_quick_fixes`: changes that take away the problems at a place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::session::Session;
use crate::tool::{Call, Tool};

pub(crate) struct ListQuickFixes;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    line: i64,
    column: i64,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    fixes: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    /// For ide_apply_quick_fix, while the file stays as it is
    id: String,
    name: String,
    /// Code of the problem
    description: String,
    is_preferred: bool,
    /// Provider that offers it untried; absent: the index tried it
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

impl Tool for ListQuickFixes {
    const NAME: &'static str = "ide_list_quick_fixes";
    const ABOUT: &'static str = "Changes that take away the problems at a place, each tried in memory: the problem is gone \
        and no new one appears; then those that an IDE or a language server offers.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.indexed(&args.file)?;
        let offset = session.offset(&file, args.line, args.column)?;
        let row = |named: crate::fixes::NamedFix| Row {
            id: named.id,
            name: named.fix.title,
            description: format!("for {}", named.fix.code),
            is_preferred: named.fix.is_preferred,
            by: named.fix.by,
        };
        Ok(Output { fixes: session.fixes_at(&file, offset)?.into_iter().map(row).collect() })
    }
}
