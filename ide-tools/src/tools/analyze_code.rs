//! `ide_analyze_code`: the problems of one file, the short form of `ide_diagnostics`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diagnostics::{self, Diagnostics};
use crate::ToolError;
use crate::args::ProjectArg;
use crate::problems::Problem;
use crate::tool::{Call, Tool};

pub(crate) struct AnalyzeCode;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    start_line: Option<i64>,
    end_line: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    problems: Vec<Problem>,
    total_count: usize,
    analysis_fresh: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis_message: Option<String>,
}

impl Tool for AnalyzeCode {
    const NAME: &'static str = "ide_analyze_code";
    const ABOUT: &'static str = "Problems of one file, as ide_diagnostics finds them.";
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let asked = diagnostics::Args::of_file(args.project, args.file, args.start_line, args.end_line);
        let found = Diagnostics::run(call, asked)?;
        Ok(Output {
            problems: found.problems,
            total_count: found.problem_count,
            analysis_fresh: found.analysis_fresh,
            analysis_message: found.analysis_message,
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    #[test]
    fn it_is_a_short_view_of_diagnostics() {
        let server = TestServer::new("//- a.py\nx = ???\ny = ???\n");
        let result = server.ok("ide_analyze_code", json!({"file": "a.py", "startLine": 2}));
        assert_eq!((&result["totalCount"], &result["analysisFresh"]), (&json!(1), &json!(true)));
        assert_eq!(result["problems"][0]["line"], 2);
    }
}
