//! `ide_search_text`: text in all files.

use std::collections::BTreeSet;

use ide_model::{Completeness, FileMeta, TextContext, TextMatch, TextQuery, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{PageArgs, ProjectArg, ScopeArgs};
use crate::filter::Filter;
use crate::page::{HARD_CAP, Page, ResultSet, paged};
use crate::session::Session;
use crate::symbols::reason;
use crate::tool::{Call, Tool, missing};

pub(crate) struct SearchText;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    query: Option<String>,
    regex: Option<bool>,
    /// Context of the matches
    #[schemars(extend("enum" = ["all", "code", "comments", "strings"]))]
    context: Option<String>,
    /// Default true
    case_sensitive: Option<bool>,
    whole_word: Option<bool>,
    /// Name masks: *.java,!*Test.java
    file_pattern: Option<String>,
    /// Globs below the project, ! excludes
    paths: Option<Vec<String>>,
    #[serde(flatten)]
    scope: ScopeArgs,
    /// Lines around each match, 0-5
    context_lines: Option<i64>,
    count_only: Option<bool>,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    matches: Vec<Match>,
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    page: Page,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Head {
    query: String,
    file_count: usize,
    /// Files passed over: binary or too large
    #[serde(skip_serializing_if = "is_zero")]
    skipped_files: usize,
    /// Why there may be more
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_because: Option<String>,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    file: String,
    line: u32,
    column: u32,
    context: String,
    context_type: &'static str,
    /// Only for a regex
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<u32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    before: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    after: Vec<String>,
}

impl Tool for SearchText {
    const NAME: &'static str = "ide_search_text";
    const ABOUT: &'static str = "Literal or regex search over all text files, ignored directories left out unless `paths` names \
        them; one \
        match per line. For uses of a symbol prefer \
        ide_find_references.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let cut = paged(&session, Self::NAME, &args.page, 100, || search(&session, &args))?;
        let mut output = Output { matches: cut.items, head: cut.head, page: cut.page };
        if args.count_only.unwrap_or(false) {
            output.matches.clear();
            output.page.page_size = 0;
            output.page.next_cursor = None;
            output.page.has_more = false;
            output.page.truncated = !output.page.total_is_exact;
        }
        Ok(output)
    }

    fn text(output: &Output) -> Option<String> {
        let Head { query, file_count, skipped_files, incomplete_because } = &output.head;
        let at_least = if output.page.total_is_exact { "" } else { "at least " };
        let mut text = format!(
            "{at_least}{} of `{query}` in {}",
            counted(output.page.total_count, "match"),
            counted(*file_count, "file")
        );
        if *skipped_files > 0 {
            text.push_str(&format!(
                ", {} skipped (binary, too large or unreadable)",
                counted(*skipped_files, "file")
            ));
        }
        if let Some(reason) = incomplete_because {
            text.push_str(&format!("; incomplete: {reason}"));
        }
        text.push('\n');
        let mut file = "";
        let mut shown_to: Option<(&str, u32)> = None;
        for found in &output.matches {
            if found.file != file {
                file = &found.file;
                text.push_str(&format!("{file}\n"));
            }
            let first = found.line - found.before.len() as u32;
            let last = found.end_line.unwrap_or(found.line) + 1;
            let around = |text: &mut String, from: u32, lines: &[String]| {
                (from..).zip(lines).for_each(|(number, line)| text.push_str(&format!(" {number}- {line}\n")));
            };
            if shown_to.is_some_and(|(of, line)| of == file && line < first) && found.has_context() {
                text.push_str(" --\n");
            }
            around(&mut text, first, &found.before);
            text.push_str(&format!(" {}:{} {}\n", found.line, found.column, found.context));
            around(&mut text, last, &found.after);
            shown_to = Some((file, last + found.after.len() as u32));
        }
        output.page.write_end(&mut text);
        Some(text)
    }
}

fn search(session: &Session<'_>, args: &Args) -> Result<ResultSet<Head, Match>, ToolError> {
    // Blanks at the ends of a text query are part of it.
    let query = args.query.as_deref().ok_or_else(|| missing("query"))?;
    let masks = args.file_pattern.as_deref().map(|masks| session.project.name_filter(masks)).transpose()?;
    let filter = Filter::new(session, &args.scope, true, args.paths.as_deref())?.and(masks);
    let admits = |file: &FileMeta| filter.admits(file);
    let is_regex = args.regex.unwrap_or(false);
    let beside = match &args.paths {
        Some(globs) => session.project.left_out(session.cx, &*session.snapshot, globs)?,
        None => Vec::new(),
    };
    let answer = session.snapshot.search_text(
        session.cx,
        &TextQuery {
            pattern: query,
            is_regex,
            case_sensitive: args.case_sensitive.unwrap_or(true),
            whole_word: args.whole_word.unwrap_or(false),
            context: args.context.as_deref().and_then(context),
            filter: &admits,
            beside: &beside,
            limit: HARD_CAP + 1,
        },
    )?;
    let found = answer.value;
    let is_exact = answer.completeness == Completeness::Exact && !found.matches.cut;
    let files: BTreeSet<_> = found.matches.items.iter().map(|found| &found.file).collect();
    let head = Head {
        query: query.to_owned(),
        file_count: files.len(),
        skipped_files: found.skipped_files,
        incomplete_because: reason(answer.completeness),
    };
    let around = args.context_lines.unwrap_or(0).clamp(0, 5) as u32;
    let mut rows = Vec::with_capacity(found.matches.items.len());
    for in_file in found.matches.items.chunk_by(|a, b| a.file == b.file) {
        session.cx.check()?;
        let offsets: Vec<u32> = in_file.iter().map(|found| found.range.start).collect();
        let contexts = session.snapshot.text_contexts(&in_file[0].file, &offsets)?;
        let first = rows.len();
        for (found, context) in in_file.iter().zip(contexts) {
            rows.push(row(session, found, context, is_regex, around)?);
        }
        merge(&mut rows[first..]);
    }
    Ok(ResultSet::new(session, head, rows, is_exact))
}

/// Leaves out of the lines around the matches of a file those that another match shows: each stands once, with the
/// match before it, and no line of a match stands around another one.
fn merge(matches: &mut [Match]) {
    for n in 1..matches.len() {
        let (head, tail) = matches.split_at_mut(n);
        let (before, next) = (&mut head[n - 1], &mut tail[0]);
        let own = before.end_line.unwrap_or(before.line);
        let room = next.line.saturating_sub(own + 1) as usize;
        before.after.truncate(room);
        let shown_to = own + before.after.len() as u32;
        let free = next.line.saturating_sub(shown_to + 1) as usize;
        let over = next.before.len().saturating_sub(free);
        next.before.drain(..over);
    }
}

impl Match {
    fn has_context(&self) -> bool {
        !self.before.is_empty() || !self.after.is_empty()
    }
}

fn row(
    session: &Session<'_>,
    found: &TextMatch,
    context: TextContext,
    is_regex: bool,
    around: u32,
) -> Result<Match, ToolError> {
    let TextMatch { file, range } = found;
    let text = session.text(file)?;
    let place = session.place(file, range.start)?;
    let end = is_regex.then(|| text.position(range.end));
    let lines = |numbers: std::ops::RangeInclusive<u32>| {
        numbers.filter_map(|n| text.line(n)).map(|line| line.trim_end().to_owned()).collect::<Vec<_>>()
    };
    let last = end.map_or(place.line, |end| end.line);
    let after = (last + around).min(text.lines.line_count());
    Ok(Match {
        context: session.context(file, range.start)?,
        context_type: context_word(context),
        matched_text: if is_regex { text.slice(*range).map(str::to_owned) } else { None },
        end_line: end.map(|end| end.line),
        end_column: end.map(|end| end.column),
        before: if around > 0 {
            lines(place.line.saturating_sub(around).max(1)..=place.line - 1)
        } else {
            Vec::new()
        },
        after: if around > 0 { lines(last + 1..=after) } else { Vec::new() },
        file: place.file,
        line: place.line,
        column: place.column,
    })
}

fn context(word: &str) -> Option<TextContext> {
    match word {
        "code" => Some(TextContext::Code),
        "comments" => Some(TextContext::Comment),
        "strings" => Some(TextContext::StringLiteral),
        _ => None,
    }
}

fn context_word(context: TextContext) -> &'static str {
    match context {
        TextContext::Code => "CODE",
        TextContext::Comment => "COMMENT",
        TextContext::StringLiteral => "STRING_LITERAL",
    }
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::TestServer;

    const SOURCE: &str = "
//- src/a.py
one
  needle two
three
//- src/b.txt
needle
//- lib/c.py
a needle
";

    fn run(extra: Value) -> Value {
        let mut args = json!({"query": "needle"});
        args.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        TestServer::new(SOURCE).ok("ide_search_text", args)
    }

    #[test]
    fn matches_carry_the_contract() {
        let result = run(json!({}));
        assert_eq!(result["totalCount"], 3);
        assert_eq!(result["fileCount"], 3);
        let expected = json!({"file": "src/a.py", "line": 2, "column": 3, "context": "needle two", "contextType": "CODE"});
        assert_eq!(result["matches"][1], expected);
    }

    #[test]
    fn each_parameter_matters() {
        let files = |extra| crate::testing::names(&run(extra)["matches"], "file");
        assert_eq!(files(json!({"paths": ["src"]})), ["src/a.py", "src/b.txt"]);
        assert_eq!(files(json!({"filePattern": "*.txt"})), ["src/b.txt"]);
        let around = run(json!({"contextLines": 9, "filePattern": "a.py"}));
        assert_eq!(
            (&around["matches"][0]["before"], &around["matches"][0]["after"]),
            (&json!(["one"]), &json!(["three"]))
        );
        let count = run(json!({"countOnly": true}));
        assert_eq!(
            (&count["totalCount"], &count["matches"], &count["hasMore"]),
            (&json!(3), &json!([]), &json!(false))
        );
    }

    #[test]
    fn lines_around_matches_stand_once_and_with_their_numbers() {
        let source = "//- a.txt\none\nneedle 2\nthree\nneedle 4\nfive\nsix\nseven\neight\nneedle 9\n";
        let args = json!({"query": "needle", "contextLines": 2});
        let server = TestServer::new(source);
        let text = server.call("ide_search_text", args).text.unwrap();
        let expected = "3 matches of `needle` in 1 file\na.txt\n 1- one\n 2:1 needle 2\n 3- three\n 4:1 needle 4\n \
            5- five\n 6- six\n 7- seven\n 8- eight\n 9:1 needle 9\n";
        assert_eq!(text, expected);
        let text =
            server.call("ide_search_text", json!({"query": "needle", "contextLines": 1})).text.unwrap();
        assert!(text.contains(" 5- five\n --\n 8- eight\n"), "{text}");
    }

    #[test]
    fn bad_queries_are_refused() {
        let server = TestServer::new(SOURCE);
        let error = server.err("ide_search_text", json!({"query": "x", "context": "everywhere"}));
        assert_eq!(error["supportedValues"], json!(["all", "code", "comments", "strings"]));
        assert_eq!(
            server.err("ide_search_text", json!({"query": "("  , "regex": true}))["error"],
            "invalid_argument"
        );
        assert!(server.err("ide_search_text", json!({}))["message"].as_str().unwrap().contains("`query`"));
    }
}
