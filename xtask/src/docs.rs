//! `cargo xtask docs`: the documents that follow from code and data.

use std::fmt::Write as _;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{accuracy, hunt, refactor, repo};

/// Between these lines of the README stands the table of tools.
const TABLE: [&str; 2] = ["<!-- tools: written by `cargo xtask docs` -->", "<!-- end of tools -->"];

/// The meaning of parameters that explain themselves to models, whose lists of tools are kept short.
const MEANINGS: [(&str, &str); 33] = [
    ("project_path", "Root of an open project; may be left out where only one is open"),
    ("file", "Path below the project, absolute, or a `file://` address; `path:line:column` too"),
    ("filePath", "Path below the project, absolute, or a `file://` address"),
    ("line", "Counts from 1"),
    ("column", "Counts characters from 1"),
    ("startLine", "First line, from 1"),
    ("endLine", "Last line, included"),
    ("endColumn", "Column behind the last character"),
    ("name", "The name at the place; without `line` and `column` it is looked for in `file`"),
    ("language", "The language whose declarations count"),
    ("scope", "Which files count; `project_files` if left out"),
    ("includeGenerated", "Generated files count too"),
    ("pageSize", "The most entries of one answer"),
    ("cursor", "`nextCursor` of the answer before, alone"),
    ("dryRun", "Plans and says which problems would be new, without writing"),
    ("includeDiff", "The answer has the change as a unified diff"),
    ("severity", "The mildest problems that count"),
    ("regex", "The text is a regular expression"),
    ("newName", "The name afterwards"),
    ("variableName", "The name of the new variable"),
    ("methodName", "The name of the new function"),
    ("visibility", "The visibility afterwards"),
    ("returnType", "The result type afterwards"),
    ("targetType", "The type that the member moves to"),
    ("matchMode", "How `query` is compared with names"),
    ("framework", "The test runner, where the project has several"),
    ("wholeWord", "No letter or digit stands beside a match"),
    ("includeRawOutput", "The answer has the program's whole output"),
    ("countOnly", "The answer has the number of matches only"),
    ("paths", "Globs below the project, `!` excludes"),
    ("query", "The text that is looked for"),
    ("search", "The text that is looked for"),
    ("moduleName", "A module of the project, all of them if left out"),
];

/// A tool as the binary describes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tool {
    name: String,
    description: String,
    input_schema: Value,
    /// Listed without being asked for.
    default: bool,
    /// Listed only while an editor is attached.
    needs_editor: bool,
    read_only: bool,
    destructive: bool,
    idempotent: bool,
    open_world: bool,
}

#[derive(Deserialize)]
struct Manifest {
    tools: Vec<Tool>,
}

/// Writes every generated document; with `check`, fails where one is out of date instead.
pub(crate) fn run(check: bool) -> Result<()> {
    let tools = manifest()?;
    let mut documents = vec![
        ("docs/accuracy.md", accuracy::document()?),
        ("docs/hunt.md", hunt::document()?),
        ("docs/refactoring.md", refactor::document()?),
        ("docs/settings.md", settings_document()?),
        ("docs/tools.md", tools_document(&tools)),
    ];
    let readme = repo::root().join("README.md");
    if readme.exists() {
        documents.push(("README.md", with_table(&std::fs::read_to_string(readme)?, &tools)?));
    }
    let mut stale = Vec::new();
    for (path, text) in documents {
        let file = repo::root().join(path);
        if std::fs::read_to_string(&file).ok().as_ref() == Some(&text) {
            continue;
        }
        if check {
            stale.push(path);
        } else {
            std::fs::write(&file, text).with_context(|| format!("cannot write {path}"))?;
            println!("wrote {path}");
        }
    }
    ensure!(stale.is_empty(), "out of date, `cargo xtask docs` writes them: {}", stale.join(", "));
    Ok(())
}

/// The settings as the schema of their file describes them.
fn settings_document() -> Result<String> {
    let mut server = repo::isolated(&repo::server_binary(false)?)?;
    let schema = serde_json::from_str(&repo::output(server.args(["settings", "schema"]))?)
        .context("the schema of the settings is not JSON")?;
    let mut text = String::from(
        "# Settings\n\nA TOML file, `~/.config/ide-index-mcp/config.toml` or the one that `--config` names. Every line is \
         optional; flags of the\ncommand line go before it. `ide-index-mcp doctor` says which file was read, and \
         `ide-index-mcp settings schema` prints its JSON\nschema. `NAME` stands for a name of your choice.\n\n\
         | key | type | default | meaning |\n|---|---|---|---|\n",
    );
    setting_rows(&schema, &schema, "", &mut text);
    Ok(text)
}

/// A row for each setting of a table; settings of the tables in it follow theirs.
fn setting_rows(schema: &Value, table: &Value, path: &str, text: &mut String) {
    let resolved = |part: &Value| match part["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
        Some(to) => schema.pointer(to).cloned().unwrap_or_default(),
        None => part.clone(),
    };
    for (name, part) in table["properties"].as_object().into_iter().flatten() {
        let whole = resolved(part);
        let tables = resolved(&part["additionalProperties"]);
        let about = part["description"].as_str().or(whole["description"].as_str()).unwrap_or_default();
        let kind = if tables.is_object() { "tables".to_owned() } else { type_of(&whole) };
        let default = match &part["default"] {
            Value::Object(_) | Value::Null => String::new(),
            set => format!("`{set}`"),
        };
        let about = about.replace('\n', " ").replace('|', "\\|");
        writeln!(text, "| `{path}{name}` | {kind} | {default} | {about} |").expect("writing to a string");
        setting_rows(schema, &tables, &format!("{path}{name}.NAME."), text);
    }
}

fn manifest() -> Result<Vec<Tool>> {
    let mut server = repo::isolated(&repo::server_binary(false)?)?;
    let text = repo::output(server.args(["tools", "list", "--json"]))?;
    let manifest: Manifest =
        serde_json::from_str(&text).context("the manifest of the binary has another form")?;
    Ok(manifest.tools)
}

fn with_table(readme: &str, tools: &[Tool]) -> Result<String> {
    let (before, rest) =
        readme.split_once(TABLE[0]).with_context(|| format!("README.md has no `{}`", TABLE[0]))?;
    let (_, after) = rest.split_once(TABLE[1]).with_context(|| format!("README.md has no `{}`", TABLE[1]))?;
    Ok(format!("{before}{}\n{}{}{after}", TABLE[0], table(tools, "docs/tools.md"), TABLE[1]))
}

fn table(tools: &[Tool], document: &str) -> String {
    let mut text = String::from("| tool | what it answers or does | listed |\n|---|---|---|\n");
    for tool in tools {
        let first = first_sentence(&tool.description);
        let listed = match (tool.default, tool.needs_editor) {
            (true, true) => "while an editor is attached",
            (true, false) => "yes",
            (false, true) => "when enabled, while an editor is attached",
            (false, false) => "when enabled",
        };
        writeln!(text, "| [`{0}`]({document}#{0}) | {first} | {listed} |", tool.name)
            .expect("writing to a string");
    }
    text
}

fn tools_document(tools: &[Tool]) -> String {
    let mut text =
        String::from("# Tools\n\nGenerated by `cargo xtask docs` from the binary's own descriptions.\n\n");
    text += &table(tools, "");
    for tool in tools {
        write!(text, "\n## {}\n\n{}\n\n", tool.name, tool.description).expect("writing to a string");
        let hints = [
            (tool.read_only, "only reads"),
            (tool.destructive, "changes files"),
            (tool.idempotent, "may be repeated"),
            (tool.open_world, "reaches beyond the project"),
        ];
        let said: Vec<&str> = hints.iter().filter(|(holds, _)| *holds).map(|(_, words)| *words).collect();
        if !said.is_empty() {
            writeln!(text, "It {}.\n", said.join(", ")).expect("writing to a string");
        }
        text += &parameters(&tool.input_schema);
    }
    text
}

fn parameters(schema: &Value) -> String {
    let none = Map::new();
    let properties = schema["properties"].as_object().unwrap_or(&none);
    if properties.is_empty() {
        return "No parameters.\n".to_owned();
    }
    let required: Vec<&str> = schema["required"]
        .as_array()
        .map_or(&[][..], Vec::as_slice)
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut text = String::from("| parameter | type | required | meaning |\n|---|---|---|---|\n");
    for (name, property) in properties {
        let needed = if required.contains(&&**name) { "yes" } else { "" };
        let general = MEANINGS.iter().find(|(of, _)| *of == name).map(|(_, meaning)| *meaning);
        let meaning = property["description"].as_str().or(general).unwrap_or_default().replace('|', "\\|");
        writeln!(text, "| `{name}` | {} | {needed} | {meaning} |", type_of(property))
            .expect("writing to a string");
    }
    text
}

fn type_of(property: &Value) -> String {
    if let Some(words) = property["enum"].as_array() {
        let words: Vec<String> = words
            .iter()
            .map(|w| format!("`{}`", w.as_str().map_or_else(|| w.to_string(), str::to_owned)))
            .collect();
        return words.join(" · ");
    }
    if let Some(variants) = property["oneOf"].as_array() {
        return variants
            .iter()
            .filter_map(|v| v["const"].as_str())
            .map(|w| format!("`{w}`"))
            .collect::<Vec<_>>()
            .join(" · ");
    }
    let kinds: Vec<&str> = match &property["type"] {
        Value::Array(kinds) => {
            kinds.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect()
        }
        kind => kind.as_str().into_iter().collect(),
    };
    match (&*kinds, &property["anyOf"]) {
        (["array"], _) => match &*type_of(&property["items"]) {
            words if words.starts_with('`') => format!("list of {words}"),
            kind => format!("list of {kind}s"),
        },
        ([], Value::Array(choices)) => choices.iter().map(type_of).collect::<Vec<_>>().join(" or "),
        ([], _) => "any".to_owned(),
        (kinds, _) => kinds.join(" or "),
    }
}

/// The first clause.
fn first_sentence(text: &str) -> &str {
    let end = [". ", ": ", "; "].iter().filter_map(|stop| text.find(stop)).min();
    end.map_or(text, |at| &text[..at]).trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools() -> Vec<Tool> {
        let tool = json!([{
            "name": "find", "description": "Finds it: now. Always.", "default": true, "needsEditor": false, "readOnly": true, "destructive": false, "idempotent": false, "openWorld": false,
            "inputSchema": {"type": "object", "required": ["query"], "properties": {
                "query": {"type": "string", "description": "a|b"},
                "mode": {"enum": ["x", "y"], "type": "string"},
                "paths": {"type": "array", "items": {"type": "string"}}
            }}
        }]);
        serde_json::from_value(tool).unwrap()
    }

    #[test]
    fn a_tool_is_described_by_its_own_words() {
        let want = "\n## find\n\nFinds it: now. Always.\n\nIt only reads.\n\n| parameter | type | required | meaning |\n|---|---|---|---|\n\
                    | `query` | string | yes | a\\|b |\n| `mode` | `x` · `y` |  |  |\n| `paths` | list of strings |  | Globs below the project, `!` excludes |\n";
        let document = tools_document(&tools());
        assert!(document.ends_with(want), "{document}");
    }

    #[test]
    fn the_table_replaces_what_stood_between_the_marks() {
        let readme = format!("a\n{}\nold\n{}\nb\n", TABLE[0], TABLE[1]);
        let once = with_table(&readme, &tools()).unwrap();
        assert!(
            once.contains("| [`find`](docs/tools.md#find) | Finds it | yes |\n") && !once.contains("old"),
            "{once}"
        );
        assert_eq!(with_table(&once, &tools()).unwrap(), once);
        assert!(with_table("no marks", &tools()).is_err());
    }
}
