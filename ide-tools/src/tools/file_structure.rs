//! `ide_file_structure`: the declarations of a file (index-tools §3.22, §9).

use ide_model::{Answer, FileText, OutlineNode, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::args::ProjectArg;
use crate::session::Session;
use crate::tool::{Call, Tool};
use crate::ToolError;

/// Most nodes that get a handle.
const MAX_IDS: usize = 500;

pub(crate) struct FileStructure;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    /// tree adds nodes with ranges and handles
    #[schemars(extend("enum" = ["text", "tree"]))]
    format: Option<String>,
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
}

impl Tool for FileStructure {
    const NAME: &'static str = "ide_file_structure";
    const ABOUT: &'static str = "Outline of a file: every declaration with signature and lines. Use it before \
        reading a long file.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.project.locate(&args.file)?;
        let Answer { value: outline, .. } = session.snapshot.outline(&file)?;
        let text = session.text(&file)?;
        let mut structure = format!("{}\n\n", file.file_name());
        outline.iter().for_each(|node| write_node(node, &text, 0, &mut structure));
        let mut n_ids = 0;
        let nodes = (args.format.as_deref() == Some("tree"))
            .then(|| outline.iter().map(|node| tree(&session, node, &text, &mut n_ids)).collect());
        let diagnostics = session.snapshot.diagnostics(session.cx, &file)?.value;
        let errors = diagnostics.iter().filter(|d| d.code == "syntax" && d.severity == Severity::Error).count();
        let language = session.snapshot.file(&file).and_then(|meta| meta.language);
        Ok(Output {
            file: file.to_string(),
            language: language.map_or("Text", |language| language.name()),
            structure,
            nodes,
            symbol_ids_truncated: n_ids > MAX_IDS,
            symbol_ids_omitted: (n_ids > MAX_IDS).then(|| n_ids - MAX_IDS),
            parse_errors: (errors > 0).then_some(errors),
        })
    }

    fn text(output: &Output) -> Option<String> {
        let mut text = output.structure.clone();
        if let Some(n) = output.parse_errors {
            text.push_str(&format!("({n} syntax errors: the outline may have gaps)\n"));
        }
        output.nodes.is_none().then_some(text)
    }
}

/// `kind modifiers name signature (line N)` or `(lines N-M)`, two spaces per level.
fn write_node(node: &OutlineNode, text: &FileText, level: usize, out: &mut String) {
    let (first, last) = lines(node, text);
    let mut words = vec![&*node.keyword];
    words.extend(node.modifiers.iter().copied().filter(|word| *word != &*node.keyword));
    words.push(&node.symbol.name);
    let words = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let glue = if node.signature.is_empty() || node.signature.starts_with(['(', '<', ':', '[']) { "" } else { " " };
    let place = if first == last { format!("line {first}") } else { format!("lines {first}-{last}") };
    out.push_str(&format!("{:1$}{words}{glue}{2} ({place})\n", "", level * 2, node.signature));
    node.children.iter().for_each(|child| write_node(child, text, level + 1, out));
}

fn tree(session: &Session<'_>, node: &OutlineNode, text: &FileText, n_ids: &mut usize) -> Map<String, Value> {
    let symbol = &node.symbol;
    let at = text.position(symbol.name_range.start);
    let mut object = Map::new();
    object.insert("name".to_owned(), json!(&*symbol.name));
    object.insert("kind".to_owned(), json!(symbol.kind.as_str()));
    object.insert("signature".to_owned(), json!(&*node.signature));
    object.insert("modifiers".to_owned(), json!(node.modifiers));
    object.insert("line".to_owned(), json!(at.line));
    object.insert("column".to_owned(), json!(at.column));
    object.insert("endLine".to_owned(), json!(lines(node, text).1));
    *n_ids += 1;
    if *n_ids <= MAX_IDS {
        object.insert("symbolId".to_owned(), json!(session.symbol_id(symbol)));
    }
    let children: Vec<_> = node.children.iter().map(|child| tree(session, child, text, n_ids)).collect();
    if !children.is_empty() {
        object.insert("children".to_owned(), json!(children));
    }
    object
}

/// First and last line of a declaration.
fn lines(node: &OutlineNode, text: &FileText) -> (u32, u32) {
    let range = node.symbol.full_range;
    (text.position(range.start).line, text.position(range.end.saturating_sub(1).max(range.start)).line)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::House;

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
        let result = House::new(SOURCE).ok("ide_file_structure", json!({"file": "src/a.py"}));
        let expected = "a.py\n\nclass A (lines 1-3)\n  def run(self, n: int) (lines 2-3)\ndef last(): ??? (line 4)\n";
        assert_eq!(result["structure"], expected);
        assert_eq!((&result["language"], &result["parseErrors"]), (&json!("Python"), &json!(1)));
        assert!(result.get("nodes").is_none());
    }

    #[test]
    fn the_node_tree_has_handles_that_work() {
        let house = House::new(SOURCE);
        let result = house.ok("ide_file_structure", json!({"file": "src/a.py", "format": "tree"}));
        let run = &result["nodes"][0]["children"][0];
        assert_eq!((&run["name"], &run["kind"], &run["line"], &run["endLine"]), (&json!("run"), &json!("METHOD"), &json!(2), &json!(3)));
        let found = house.ok("ide_find_definition", json!({"symbolId": run["symbolId"]}));
        assert_eq!((&found["line"], &found["column"]), (&run["line"], &run["column"]));
    }
}
