//! `ide_file_structure`: the declarations of a file.

use std::borrow::Cow;

use ide_model::{Answer, FilePath, FileText, OutlineNode, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::args::ProjectArg;
use crate::page::cursor_error;
use crate::session::Session;
use crate::tool::{Call, Tool};
use crate::{CursorProblem, ToolError};

/// Most nodes that get a handle.
const MAX_IDS: usize = 500;

pub(crate) struct FileStructure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    /// tree adds nodes with ranges and handles
    format: Option<Format>,
    /// nextCursor of a part
    cursor: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Format {
    Text,
    Tree,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    file: String,
    language: &'static str,
    structure: String,
    /// {name, kind, signature, modifiers, line, column, endLine, symbolId?, children}
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<Vec<Map<String, Value>>>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    symbol_ids_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    symbol_ids_omitted: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parse_errors: Option<usize>,
    /// Declarations of the file
    total_count: usize,
    /// For what comes next, where the file has more
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A part of an outline: what is passed over, and what there is room for.
struct Part<'s> {
    session: &'s Session<'s>,
    text: &'s FileText,
    /// Declarations to pass over.
    skip: usize,
    /// Declarations met.
    met: usize,
    /// Characters left.
    room: usize,
    /// The first declaration there is no room for.
    end: Option<usize>,
    n_ids: usize,
}

impl Tool for FileStructure {
    const NAME: &'static str = "ide_file_structure";
    const ABOUT: &'static str = "Outline of a file: every declaration with signature and lines. Use it before \
        reading a long file.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.indexed(&args.file)?;
        let Answer { value: outline, .. } = session.snapshot.outline(session.cx, &file)?;
        let text = session.text(&file)?;
        let skip = args.cursor.as_deref().map_or(Ok(0), |cursor| cursor.trim().parse::<usize>());
        let skip = skip.map_err(|_| cursor_error(CursorProblem::Malformed, Self::NAME))?;
        let is_tree = args.format == Some(Format::Tree);
        let room = call.services.response_budget() / 2;
        let part = || Part { session: &session, text: &text, skip, met: 0, room, end: None, n_ids: 0 };
        let mut tree = part();
        let nodes: Option<Vec<_>> =
            is_tree.then(|| outline.iter().filter_map(|node| tree.node(node)).collect());
        // Both show the same part.
        let mut lines = Part { end: tree.end, room: if is_tree { usize::MAX } else { room }, ..part() };
        let mut structure = format!("{}\n\n", file.file_name());
        outline.iter().for_each(|node| lines.write(node, 0, &mut structure));
        let errors = if session.snapshot.is_sound(&file) { 0 } else { syntax_errors(&session, &file)? };
        let end = lines.end;
        let language = session.snapshot.file(&file).and_then(|meta| meta.language);
        Ok(Output {
            file: file.to_string(),
            language: language.map_or("Text", |language| language.name()),
            structure,
            nodes,
            symbol_ids_truncated: tree.n_ids > MAX_IDS,
            symbol_ids_omitted: (tree.n_ids > MAX_IDS).then(|| tree.n_ids - MAX_IDS),
            parse_errors: (errors > 0).then_some(errors),
            total_count: lines.met,
            next_cursor: end.map(|end| end.to_string()),
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut text = output.structure.clone();
        if let Some(n) = output.parse_errors {
            text.push_str(&format!("({n} syntax errors: the outline may have gaps)\n"));
        }
        if let Some(cursor) = &output.next_cursor {
            text.push_str(&format!("of {} declarations, more: cursor={cursor}\n", output.total_count));
        }
        output.nodes.is_none().then_some(text)
    }
}

fn syntax_errors(session: &Session<'_>, file: &FilePath) -> Result<usize, ToolError> {
    let found = session.snapshot.diagnostics(session.cx, file)?.value;
    Ok(found.iter().filter(|d| d.code == "syntax" && d.severity == Severity::Error).count())
}

/// `kind modifiers name signature (line N)` or `(lines N-M)`, two spaces per level.
fn line_of(node: &OutlineNode, text: &FileText, level: usize) -> String {
    let (first, last) = lines(node, text);
    let mut words = vec![&*node.keyword];
    words.extend(node.modifiers.iter().copied().filter(|word| *word != &*node.keyword));
    words.push(&node.symbol.name);
    let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let glue =
        if node.signature.is_empty() || node.signature.starts_with(['(', '<', ':', '[']) { "" } else { " " };
    let place = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    let signature = cut(&node.signature);
    format!("{:1$}{words}{glue}{signature} ({place})\n", "", level * 2)
}

/// A signature, as much of it as is read.
fn cut(signature: &str) -> Cow<'_, str> {
    match signature.char_indices().nth(MAX_SIGNATURE) {
        Some((end, _)) => format!("{}…", &signature[..end]).into(),
        None => signature.into(),
    }
}

/// Longest signature that an outline shows, in characters.
const MAX_SIGNATURE: usize = 500;

impl Part<'_> {
    /// Whether the next declaration stands in this part, given how many characters it takes.
    fn takes(&mut self, size: usize) -> bool {
        let n = self.met;
        self.met += 1;
        if n < self.skip || self.end.is_some_and(|end| n >= end) {
            return false;
        }
        // The first one is always shown, so that every part goes on.
        if size > self.room && n > self.skip {
            self.end = Some(n);
            return false;
        }
        self.room = self.room.saturating_sub(size);
        true
    }

    fn write(&mut self, node: &OutlineNode, level: usize, out: &mut String) {
        let line = line_of(node, self.text, level);
        if self.takes(line.len()) {
            out.push_str(&line);
        }
        node.children.iter().for_each(|child| self.write(child, level + 1, out));
    }

    /// The node of a declaration of this part, or of one that holds such.
    fn node(&mut self, node: &OutlineNode) -> Option<Map<String, Value>> {
        let symbol = &node.symbol;
        let at = self.text.position(symbol.name_range.start);
        let mut object = Map::new();
        object.insert("name".to_owned(), json!(&*symbol.name));
        object.insert("kind".to_owned(), json!(symbol.kind.as_str()));
        object.insert("signature".to_owned(), json!(cut(&node.signature)));
        object.insert("modifiers".to_owned(), json!(node.modifiers));
        object.insert("line".to_owned(), json!(at.line));
        object.insert("column".to_owned(), json!(at.column));
        object.insert("endLine".to_owned(), json!(lines(node, self.text).1));
        self.n_ids += 1;
        if self.n_ids <= MAX_IDS {
            object.insert("symbolId".to_owned(), json!(self.session.symbol_id(symbol)));
        }
        let is_shown = self.takes(200 + 2 * node.signature.len().min(MAX_SIGNATURE));
        let children: Vec<_> = node.children.iter().filter_map(|child| self.node(child)).collect();
        let has_children = !children.is_empty();
        if has_children {
            object.insert("children".to_owned(), json!(children));
        }
        (is_shown || has_children).then_some(object)
    }
}

/// First and last line of a declaration.
fn lines(node: &OutlineNode, text: &FileText) -> (u32, u32) {
    let range = node.symbol.full_range;
    (text.position(range.start).line, text.position(range.end.saturating_sub(1).max(range.start)).line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    const SOURCE: &str = "
//- src/a.py
class A:
#     ^ def A
    def run(self, n: int):
    #   ^^^ def A.run
        pass
def last(): ???
#   ^^^^ def last
";

    #[test]
    fn the_text_tree() {
        let result = TestServer::new(SOURCE).ok("ide_file_structure", json!({"file": "src/a.py"}));
        let expected =
            "a.py\n\nclass A (lines 1-3)\n  def run(self, n: int) (lines 2-3)\ndef last(): ??? (line 4)\n";
        assert_eq!(result["structure"], expected);
        assert_eq!((&result["language"], &result["parseErrors"]), (&json!("Python"), &json!(1)));
        assert!(result.get("nodes").is_none());
    }

    #[test]
    fn a_long_outline_comes_in_parts_that_make_up_the_whole() {
        let mut source = "//- a.py\n".to_owned();
        for n in 0..300 {
            source.push_str(&format!(
                "def f{n}(): pass\n#   {} def f{n}\n",
                "^".repeat(1 + n.to_string().len())
            ));
        }
        let mut server = TestServer::new(&source);
        server.budget = 2_000;
        for format in ["text", "tree"] {
            let (mut cursor, mut seen) = (String::new(), Vec::new());
            for _ in 0..300 {
                let args = json!({"file": "a.py", "format": format, "cursor": cursor});
                let reply = server.call("ide_file_structure", args);
                assert!(reply.json.len() < 2_500, "{}", reply.json.len());
                let part: serde_json::Value = serde_json::from_str(&reply.json).unwrap();
                seen.extend(part["structure"].as_str().unwrap().lines().skip(2).map(str::to_owned));
                match part["nextCursor"].as_str() {
                    Some(next) => cursor = next.to_owned(),
                    None => break,
                }
            }
            assert_eq!(seen.len(), 300, "{format}");
            assert!(seen[299].starts_with("def f299"), "{}", seen[299]);
        }
    }

    #[test]
    fn the_node_tree_has_handles_that_work() {
        let server = TestServer::new(SOURCE);
        let result = server.ok("ide_file_structure", json!({"file": "src/a.py", "format": "tree"}));
        let run = &result["nodes"][0]["children"][0];
        assert_eq!(
            (&run["name"], &run["kind"], &run["line"], &run["endLine"]),
            (&json!("run"), &json!("METHOD"), &json!(2), &json!(3))
        );
        let found = server.ok("ide_find_definition", json!({"symbolId": run["symbolId"]}));
        assert_eq!((&found["line"], &found["column"]), (&run["line"], &run["column"]));
    }
}
