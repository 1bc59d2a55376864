//! `ide_find_definition`: where a symbol is declared.

use ide_model::{Confidence, QueryError, Symbol, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::session::{Place, Session, excerpt};
use crate::symbols::doubt;
use crate::tool::{Call, Tool};

pub(crate) struct FindDefinition;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    /// Whole declaration instead of 4 lines
    full_element_preview: Option<bool>,
    /// Default 50
    max_preview_lines: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    file: String,
    line: u32,
    column: u32,
    preview: String,
    symbol_name: String,
    kind: &'static str,
    ast_path: Vec<String>,
    symbol_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    preview_truncated: bool,
    /// Only when it is a guess
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    alternatives: Vec<Alternative>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Alternative {
    file: String,
    line: u32,
    column: u32,
    symbol_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
}

impl Tool for FindDefinition {
    const NAME: &'static str = "ide_find_definition";
    const ABOUT: &'static str = "The declaration of a symbol, with its source. Target: file+line+column of any use, \
        language+symbol, or symbolId. fullElementPreview returns the whole body, so the file need not be read. \
        `confidence` marks a guess.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let target = args.target.declaration(&session)?;
        let symbol = &target.symbol;
        let shown = &session.in_source(symbol)?;
        let place = place(&session, shown)?;
        let max_lines = args.max_preview_lines.unwrap_or(50).clamp(1, 500) as u32;
        let preview = if args.full_element_preview.unwrap_or(false) {
            whole(&session, shown, max_lines)?
        } else {
            window(&session, shown, place.line)?
        };
        let mut alternatives = Vec::new();
        for (symbol, confidence) in &target.alternatives {
            alternatives.push(alternative(&session, symbol, *confidence)?);
        }
        Ok(Output {
            file: place.file,
            line: place.line,
            column: place.column,
            preview: preview.text,
            symbol_name: symbol.name.to_string(),
            kind: symbol.kind.as_str(),
            ast_path: session.ast_path(&symbol.file, symbol.name_range.start, Some(symbol))?,
            symbol_id: session.symbol_id(symbol),
            qualified_name: symbol.qualified_name.as_deref().map(str::to_owned),
            end_line: preview.end_line,
            preview_truncated: preview.is_cut,
            confidence: doubt(target.confidence),
            alternatives,
        })
    }
}

struct Preview {
    text: String,
    /// Last line of the declaration; only for whole ones.
    end_line: Option<u32>,
    is_cut: bool,
}

fn place(session: &Session<'_>, symbol: &Symbol) -> Result<Place, ToolError> {
    match session.place_of(symbol) {
        Ok(place) => Ok(place),
        // A package is its directory.
        Err(QueryError::NoFile { .. } | QueryError::NotRead { .. })
            if symbol.full_range == TextRange::default() =>
        {
            Ok(Place { file: symbol.file.to_string(), line: 1, column: 1 })
        }
        Err(QueryError::NoFile { .. }) if symbol.is_library => {
            let name = symbol.qualified_name.as_ref().unwrap_or(&symbol.name);
            Err(QueryError::OutsideIndex { qualified_name: name.to_string() }.into())
        }
        Err(error) => Err(error.into()),
    }
}

fn alternative(
    session: &Session<'_>,
    symbol: &Symbol,
    confidence: Confidence,
) -> Result<Alternative, ToolError> {
    let Place { file, line, column } = place(session, &session.in_source(symbol)?)?;
    let symbol_name = symbol.qualified_name.as_ref().unwrap_or(&symbol.name).to_string();
    Ok(Alternative { file, line, column, symbol_name, confidence: doubt(confidence) })
}

/// One line before to two lines after.
fn window(session: &Session<'_>, symbol: &Symbol, line: u32) -> Result<Preview, ToolError> {
    let (text, _, is_cut) = numbered(session, symbol, line.saturating_sub(1).max(1), line + 2)?;
    Ok(Preview { text, end_line: None, is_cut })
}

/// The declaration with its body.
fn whole(session: &Session<'_>, symbol: &Symbol, max_lines: u32) -> Result<Preview, ToolError> {
    let file = match session.text(&symbol.file) {
        Err(QueryError::NoFile { .. } | QueryError::NotRead { .. })
            if symbol.full_range == TextRange::default() =>
        {
            return Ok(Preview { text: String::new(), end_line: None, is_cut: false });
        }
        other => other?,
    };
    let range = symbol.full_range;
    let first = file.position(range.start).line;
    let last = file.position(range.end.saturating_sub(1).max(range.start)).line;
    let (mut text, shown_to, is_line_cut) =
        numbered(session, symbol, first, last.min(first + max_lines - 1))?;
    if shown_to < last {
        text.push_str(&format!(
            "\n… {} of {} lines shown; ide_read_file with startLine {} goes on",
            shown_to - first + 1,
            last - first + 1,
            shown_to + 1
        ));
    }
    Ok(Preview { text, end_line: Some(last), is_cut: is_line_cut || shown_to < last })
}

/// Longest line of a preview, in characters.
const MAX_LINE: usize = 1_000;

/// Lines `first..=last`, as far as the file has them and the response has room, each behind its number; the last that is
/// shown, and whether a line is cut.
fn numbered(
    session: &Session<'_>,
    symbol: &Symbol,
    first: u32,
    last: u32,
) -> Result<(String, u32, bool), ToolError> {
    let file = match session.text(&symbol.file) {
        Err(QueryError::NoFile { .. } | QueryError::NotRead { .. })
            if symbol.full_range == TextRange::default() =>
        {
            return Ok((String::new(), last, false));
        }
        other => other?,
    };
    let name = file.position(symbol.name_range.start);
    let budget = session.services.response_budget() / 3;
    let (mut text, mut is_cut, mut shown_to) = (String::new(), false, first);
    for number in first..=last.min(file.lines.line_count()) {
        let line = file.line(number).unwrap_or("");
        if !text.is_empty() && text.len() + line.len().min(4 * MAX_LINE) > budget {
            break;
        }
        // A line without end is shown around the name.
        let is_long = line.chars().count() > MAX_LINE;
        let shown = match is_long {
            true if number == name.line => {
                let start = file.lines.line_range(number).map_or(0, |range| range.start);
                excerpt(line, symbol.name_range.start.saturating_sub(start) as usize)
            }
            true => line.chars().take(MAX_LINE).chain(['…']).collect(),
            false => line.to_owned(),
        };
        is_cut |= is_long;
        shown_to = number;
        text.push_str(&format!("{}{number}: {shown}", if text.is_empty() { "" } else { "\n" }));
    }
    Ok((text, shown_to, is_cut))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::TestServer;

    const SOURCE: &str = r#"
//- a.py
import b
class Greeter:
#     ^^^^^^^ def a.Greeter
    def greet(self):
    #   ^^^^^ def a.Greeter.greet
        one()
        two()
        return 3
//- b.py
g.greet()
# ^^^^^ call a.Greeter.greet
x.greet(); y = 1
# ^^^^^ wrong: call a.Greeter.greet, ref a.Greeter
"#;

    #[test]
    fn the_window_and_the_whole_declaration() {
        let server = TestServer::new(SOURCE);
        let at = json!({"file": "b.py", "line": 1, "column": 3});
        let result = server.ok("ide_find_definition", at.clone());
        assert_eq!(
            (&result["file"], &result["line"], &result["column"]),
            (&json!("a.py"), &json!(3), &json!(9))
        );
        assert_eq!(
            result["preview"],
            "2: class Greeter:\n3:     def greet(self):\n4:         one()\n5:         two()"
        );
        assert_eq!(result["symbolName"], "greet");
        assert_eq!(result["astPath"], json!(["Greeter"]));
        assert!(result.get("confidence").is_none());

        let whole = |lines: Value| {
            let mut args = at.clone();
            args["fullElementPreview"] = true.into();
            args["maxPreviewLines"] = lines;
            server.ok("ide_find_definition", args)
        };
        let all = whole(json!(50));
        assert_eq!(all["endLine"], 6);
        assert!(all["preview"].as_str().unwrap().ends_with("6:         return 3"));
        assert!(all.get("previewTruncated").is_none());
        let cut = whole(json!(0));
        assert_eq!(
            cut["preview"],
            "3:     def greet(self):\n… 1 of 4 lines shown; ide_read_file with startLine 4 goes on"
        );
        assert_eq!(cut["previewTruncated"], true);
    }

    #[test]
    fn guesses_and_alternatives_are_marked() {
        let result = TestServer::new(SOURCE)
            .ok("ide_find_definition", json!({"file": "b.py", "line": 2, "column": 4}));
        assert_eq!(result["confidence"], "name_only");
        assert_eq!(result["alternatives"][0]["symbolName"], "a.Greeter");
        assert_eq!(result["alternatives"][0]["line"], 2);
    }

    #[test]
    fn what_the_answer_needs_beside_it_is_a_note() {
        let source = format!("{SOURCE}//- REMARKS\nby one and the index\n");
        let result = TestServer::new(&source)
            .ok("ide_find_definition", json!({"file": "b.py", "line": 1, "column": 3}));
        assert_eq!(result["notes"], json!(["by one and the index"]));
    }

    #[test]
    fn nothing_at_a_position_is_an_error() {
        let error = TestServer::new(SOURCE)
            .err("ide_find_definition", json!({"file": "a.py", "line": 1, "column": 1}));
        assert_eq!(error["error"], "symbol_not_found");
        assert!(error["message"].as_str().unwrap().contains("a.py:1:1"));
    }
}
