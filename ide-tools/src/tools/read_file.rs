//! `ide_read_file`: the text of a file or of some of its lines.

use ide_model::{Language, LineIndex, QueryError, Target, TextRange, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::args::ProjectArg;
use crate::session::{Session, position};
use crate::tool::{Call, Tool};
use crate::{Project, ToolError};

/// Most bytes of text in one result.
pub(crate) const MAX_BYTES: usize = 256 * 1024;

pub(crate) struct ReadFile;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Relative to the project, or absolute
    file: Option<String>,
    /// Instead of file: the file that declares it
    qualified_name: Option<String>,
    /// Default 1
    start_line: Option<i64>,
    /// Default the last
    end_line: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    file: String,
    pub(crate) content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<&'static str>,
    pub(crate) line_count: u32,
    pub(crate) start_line: u32,
    pub(crate) end_line: u32,
    is_library_file: bool,
    encoding: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) truncated: bool,
}

impl Tool for ReadFile {
    const NAME: &'static str = "ide_read_file";
    const ABOUT: &'static str = "Text of a file or of lines startLine..endLine, numbered; a long one is cut after a line and says so.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let project = call.project(&args.project, None)?;
        let file = match (&args.qualified_name, &args.file) {
            (Some(name), _) => declaring_file(&Session::open(call, &args.project, None)?, name)?,
            // A file is read before the index is there; only who mistypes has to wait for it.
            (None, Some(file)) => match project.locate(file) {
                Err(error) if error.slug == "file_not_found" => {
                    let session = Session::open(call, &args.project, None);
                    return Err(session.map_or(error.clone(), |session| session.with_near_paths(error, file)));
                }
                found => found?,
            },
            (None, None) => return Err(ToolError::argument("no file: give `file` or `qualifiedName`")),
        };
        let limit = MAX_BYTES.min(call.services.response_budget());
        let output = read(&*project, &file, args.start_line, args.end_line, limit)?;
        Ok(output)
    }

    fn text(output: &Output) -> Option<String> {
        let Output { file, content, line_count, start_line, end_line, truncated, .. } = output;
        let mut text = format!("{file} lines {start_line}-{end_line} of {line_count}\n");
        let width = end_line.to_string().len();
        for (number, line) in (*start_line..).zip(content.lines()) {
            text.push_str(&format!("{number:width$}\t{line}\n"));
        }
        if *truncated {
            text.push_str(&format!("cut: go on with startLine {}\n", end_line + 1));
        }
        Some(text)
    }
}

/// Lines of a file, as much as fits the limit.
pub(crate) fn read(
    project: &dyn Project,
    file: &ide_model::FilePath,
    start_line: Option<i64>,
    end_line: Option<i64>,
    limit: usize,
) -> Result<Output, ToolError> {
    let content = project.read(file)?;
    let lines = LineIndex::new(&content.text);
    let line_count = lines.line_count();
    let (first, last) = wanted_lines(start_line, end_line, line_count)?;
    let bytes = |line| lines.line_range(line).unwrap_or_default();
    let range = TextRange::new(bytes(first).start, bytes(last).end.max(bytes(first).start));
    let mut text = &content.text[range.start as usize..range.end as usize];
    let truncated = text.len() > limit;
    if truncated {
        let end = (0..=limit).rev().find(|end| text.is_char_boundary(*end)).expect("0 is a boundary");
        // After a whole line where there is one, so that the next call starts behind `endLine`.
        text = &text[..text[..end].rfind('\n').map_or(end, |newline| newline + 1)];
    }
    Ok(Output {
        file: file.to_string(),
        language: Language::of_path(file.as_str()).map(Language::name),
        line_count,
        start_line: first,
        end_line: if truncated {
            lines.line_of(range.start + text.len().saturating_sub(1) as u32)
        } else {
            last
        },
        content: text.to_owned(),
        is_library_file: content.is_library,
        encoding: content.encoding,
        truncated,
    })
}

/// First and last line asked for.
fn wanted_lines(start: Option<i64>, end: Option<i64>, line_count: u32) -> Result<(u32, u32), ToolError> {
    let first = start.map_or(Ok(1), |start| position("startLine", start))?;
    let last = end.map_or(Ok(line_count), |end| position("endLine", end))?;
    if first > line_count.max(1) {
        return Err(ToolError::argument(format!(
            "`startLine` {first} is past the end: the file has {}",
            counted(line_count as usize, "line")
        )));
    }
    if last < first {
        return Err(ToolError::argument(format!("`endLine` {last} is before `startLine` {first}")));
    }
    Ok((first, last.min(line_count)))
}

/// The file of the one declaration with this name, in whatever language it is.
fn declaring_file(session: &Session<'_>, name: &str) -> Result<ide_model::FilePath, ToolError> {
    let mut found = Vec::new();
    for row in ide_model::LANGUAGES.iter().filter(|row| row.language.is_resolved()) {
        let target = Target::Named { language: row.language, symbol: name.trim().into() };
        match session.snapshot.resolve(session.cx, &target) {
            Ok(answer) => found.extend(answer.value.into_iter().map(|(symbol, _)| symbol)),
            Err(QueryError::Ambiguous { candidates, .. }) => found.extend(candidates),
            Err(
                QueryError::NotFound { .. } | QueryError::Grammar { .. } | QueryError::Unsupported { .. },
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let Some(first) = found.first() else {
        return Ok(session.resolve_name(None, name)?.symbol.file);
    };
    if found.iter().any(|other| other.file != first.file) {
        return Err(session.told_apart(QueryError::Ambiguous { what: name.to_owned(), candidates: found }));
    }
    Ok(first.file.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::TestServer;

    const SOURCE: &str = "
//- a.py
class A:
#     ^ def a.A
    one
    two
    three
";

    #[test]
    fn whole_files_lines_and_symbols() {
        let server = TestServer::new(SOURCE);
        let read = |args: Value| server.ok("ide_read_file", args);
        let whole = read(json!({"file": "a.py"}));
        assert_eq!(whole["content"], "class A:\n    one\n    two\n    three\n");
        assert_eq!((&whole["lineCount"], &whole["language"]), (&json!(4), &json!("Python")));
        assert!(whole["startLine"] == 1 && whole["endLine"] == 4 && whole.get("truncated").is_none());
        assert_eq!(read(json!({"file": "a.py", "startLine": 3}))["content"], "    two\n    three\n");
        assert_eq!(read(json!({"file": "a.py", "endLine": 1}))["content"], "class A:\n");
        assert_eq!(
            read(json!({"file_path": "a.py", "offset": 2, "limit": 2}))["content"],
            "    one\n    two\n"
        );
        assert_eq!(read(json!({"file": "a.py:4"}))["content"], "    three\n");
        let text = server.call("ide_read_file", json!({"file": "a.py", "startLine": 2, "endLine": 3})).text;
        assert_eq!(text.unwrap(), "a.py lines 2-3 of 4\n2\t    one\n3\t    two\n");
        let some = read(json!({"file": "a.py", "startLine": 3, "endLine": 99}));
        assert_eq!((&some["content"], &some["endLine"]), (&json!("    two\n    three\n"), &json!(4)));
        assert_eq!(read(json!({"qualifiedName": "a.A"}))["file"], "a.py");
    }

    #[test]
    fn a_large_file_is_cut_and_says_so() {
        let source = format!("//- big.txt\n{}", "0123456789abcdé\n".repeat(20_000));
        let result = TestServer::new(&source).ok("ide_read_file", json!({"file": "big.txt"}));
        assert_eq!(result["truncated"], true);
        assert!(result["content"].as_str().unwrap().len() <= 60_000, "the budget of a response");
        assert_eq!(result["lineCount"], 20_000);
        let last = result["endLine"].as_u64().unwrap();
        let next = json!({"file": "big.txt", "startLine": last + 1, "endLine": 20_000});
        let next = TestServer::new(&source).ok("ide_read_file", next);
        let shown = |page: &Value| page["content"].as_str().unwrap().lines().count() as u64;
        assert_eq!((shown(&result), next["startLine"].as_u64()), (last, Some(last + 1)));
    }

    #[test]
    fn wrong_ranges_are_named() {
        let server = TestServer::new(SOURCE);
        let message = |args: Value| server.err("ide_read_file", args)["message"].as_str().unwrap().to_owned();
        assert!(message(json!({})).contains("no file"));
        assert!(message(json!({"file": "a.py", "startLine": 0})).contains("counts from 1"));
        assert!(message(json!({"file": "a.py", "startLine": 3, "endLine": 2})).contains("before"));
        assert!(message(json!({"file": "a.py", "startLine": 9})).contains("has 4 lines"));
        assert!(message(json!({"file": "../etc/passwd"})).contains("no file"));
        assert!(message(json!({"qualifiedName": "a.B"})).contains("nothing is called `a.B`"));
    }
}
