//! `search_text`: text in all files, every match of a line.

use ide_model::{FileMeta, TextQuery, counted};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::ToolError;
use crate::page::HARD_CAP;
use crate::session::Session;
use crate::tool::{Call, Tool, missing};

const DEFAULT: i64 = 100;
/// Longest line and longest match that are shown whole, in characters.
const MAX_SHOWN: usize = 1_000;

pub(crate) struct SearchText;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    search_text: String,
    use_regex: Option<bool>,
    /// Default false
    case_sensitive: Option<bool>,
    /// Name masks: *.java
    file_pattern: Option<String>,
    /// Default 100
    max_results: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    search_text: String,
    use_regex: bool,
    case_sensitive: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_pattern: Option<String>,
    total_matches: usize,
    truncated: bool,
    matches: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    file_path: String,
    line: u32,
    column: u32,
    matched_text: String,
    line_content: String,
}

impl Tool for SearchText {
    const NAME: &'static str = "search_text";
    const ABOUT: &'static str =
        "Text or a regular expression in all files of a project, in any case unless told otherwise.";
    const SAME_AS: Option<&'static str> = Some("ide_search_text");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        if args.search_text.is_empty() {
            return Err(missing("searchText"));
        }
        let use_regex = args.use_regex.unwrap_or(false);
        let case_sensitive = args.case_sensitive.unwrap_or(false);
        let max = args.max_results.unwrap_or(DEFAULT).clamp(1, HARD_CAP as i64) as usize;
        let masks =
            args.file_pattern.as_deref().map(|masks| session.project.name_filter(masks)).transpose()?;
        let admits = |file: &FileMeta| masks.as_ref().is_none_or(|masks| masks(file));
        let query = TextQuery {
            pattern: &args.search_text,
            is_regex: use_regex,
            case_sensitive,
            whole_word: false,
            context: None,
            filter: &admits,
            beside: &[],
            limit: HARD_CAP + 1,
        };
        let found = session.snapshot.search_text(session.cx, &query)?.value;
        if found.skipped_files > 0 {
            session
                .told
                .note(format!("{} passed over: binary, or too large", counted(found.skipped_files, "file")));
        }
        let every = every_match(&args.search_text, use_regex, case_sensitive)?;
        let (mut matches, mut total) = (Vec::new(), 0);
        for line in &found.matches.items {
            session.cx.check()?;
            total += session.matches_of_line(line, &every, max, &mut matches)?;
        }
        let is_cut = found.matches.cut;
        if is_cut {
            session.told.note(format!("more than {HARD_CAP} lines match; the count is a lower bound"));
        }
        Ok(Output {
            truncated: is_cut || total > matches.len(),
            search_text: args.search_text,
            use_regex,
            case_sensitive,
            file_pattern: args.file_pattern,
            total_matches: total,
            matches,
        })
    }
}

/// The expression that finds the matches behind the first one of a line.
fn every_match(pattern: &str, is_regex: bool, case_sensitive: bool) -> Result<Regex, ToolError> {
    let pattern = if is_regex { pattern.to_owned() } else { regex::escape(pattern) };
    RegexBuilder::new(&pattern).case_insensitive(!case_sensitive).multi_line(true).crlf(true).build().map_err(
        |error| {
            ToolError::argument(format!("`searchText` is no regular expression: {error}"))
                .with("parameter", "searchText")
        },
    )
}

impl Session<'_> {
    /// The number of matches that begin on the line of the first one; they are added while there is room.
    fn matches_of_line(
        &self,
        first: &ide_model::TextMatch,
        every: &Regex,
        max: usize,
        rows: &mut Vec<Row>,
    ) -> Result<usize, ToolError> {
        let text = self.text(&first.file)?;
        let line = text.position(first.range.start).line;
        let end = text.lines.line_range(line).map_or(first.range.end, |range| range.end);
        let content = text.line(line).unwrap_or("").trim_end_matches(['\r', '\n']);
        let cut = |text: &str| text.chars().take(MAX_SHOWN).collect::<String>();
        let (mut at, mut n) = (first.range, 0);
        loop {
            n += 1;
            if rows.len() < max {
                rows.push(Row {
                    file_path: self.absolute_path(&first.file),
                    line,
                    column: text.position(at.start).column,
                    matched_text: cut(text.slice(at).unwrap_or("")),
                    line_content: cut(content),
                });
            }
            // A match of nothing would be found at the same place again.
            let from = at.end.max(at.start + 1) as usize;
            let next = text.text.get(from..).and_then(|_| every.find_at(&text.text, from));
            match next.filter(|next| (next.start() as u32) < end) {
                Some(next) => at = ide_model::TextRange::new(next.start() as u32, next.end() as u32),
                None => return Ok(n),
            }
        }
    }
}
