//! Every read tool, and every write tool without writing, at one project.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use crate::mcp::{Client, ToolAnswer};
use crate::repo;

/// A project of one file and the server for it.
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    pub(crate) built: PathBuf,
    pub(crate) deadline: Duration,
}

/// The results of the questions.
#[derive(Default)]
pub(crate) struct Asked {
    /// Seconds by tool.
    seconds: Vec<(&'static str, f64)>,
    pub(crate) failures: Vec<String>,
    /// Tools that said that they had no time left.
    late: usize,
    incomplete: usize,
}

impl Asked {
    pub(crate) fn slowest(&self) -> (&'static str, f64) {
        self.seconds.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or(("nothing", 0.0))
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tool, seconds) = self.slowest();
        let all: f64 = self.seconds.iter().map(|(_, seconds)| seconds).sum();
        write!(f, "{seconds:6.2} s {tool} ({all:.1} s in all")?;
        if self.late > 0 {
            write!(f, ", {} gave up", self.late)?;
        }
        if self.incomplete > 0 {
            write!(f, ", {} incomplete", self.incomplete)?;
        }
        f.write_str(")")?;
        self.failures.iter().try_for_each(|failure| write!(f, "\n       {failure}"))
    }
}

/// A tool and what it is asked.
pub(crate) type Question = (&'static str, Value);

fn dry(mut arguments: Value) -> Value {
    arguments["dryRun"] = json!(true);
    arguments
}

/// Every tool that takes a position.
pub(crate) fn at(file: &str, line: usize, column: usize) -> Vec<Question> {
    let questions = [
        ("ide_find_definition", json!({})),
        ("ide_symbol_info", json!({})),
        ("ide_find_references", json!({})),
        ("ide_find_implementations", json!({})),
        ("ide_find_super_methods", json!({})),
        ("ide_type_hierarchy", json!({})),
        ("ide_call_hierarchy", json!({"direction": "callers"})),
        ("ide_call_hierarchy", json!({"direction": "callees"})),
        ("ide_code_completions", json!({})),
        ("ide_list_quick_fixes", json!({})),
        ("ide_refactor_rename", dry(json!({"newName": "renamed"}))),
        ("ide_refactor_safe_delete", dry(json!({}))),
        ("ide_refactor_inline", dry(json!({}))),
        ("ide_refactor_extract_variable", dry(json!({"variableName": "extracted"}))),
        ("ide_change_signature", dry(json!({"newName": "changed"}))),
        ("ide_refactor_move", dry(json!({"targetFile": "moved/there"}))),
        ("ide_edit_member", dry(json!({"content": "target"}))),
        ("ide_replace_member", dry(json!({"content": "target"}))),
        ("ide_insert_member", dry(json!({"content": "target", "position": "after"}))),
    ];
    let mut placed = Vec::from(questions.map(|(tool, mut arguments)| {
        arguments["line"] = json!(line);
        arguments["column"] = json!(column);
        (tool, arguments)
    }));
    let lines = json!({"startLine": line, "endLine": line + 1});
    placed.push(("ide_read_file", lines.clone()));
    let mut method = dry(lines);
    method["methodName"] = json!("extracted");
    placed.push(("ide_refactor_extract_method", method));
    placed.iter_mut().for_each(|(_, arguments)| arguments["file"] = json!(file));
    placed
}

/// Every tool that takes a file.
pub(crate) fn of_file(file: &str) -> Vec<Question> {
    vec![
        ("ide_file_structure", json!({"file": file})),
        ("ide_diagnostics", json!({"file": file})),
        ("ide_optimize_imports", json!({"file": file, "dryRun": true})),
        ("ide_move_file", json!({"file": file, "destination": "moved/", "dryRun": true})),
        ("ide_refactor_safe_delete", json!({"file": file, "targetType": "file", "dryRun": true})),
        ("ide_list_tests", json!({"file": file})),
    ]
}

/// Every tool that searches, asked for a word.
pub(crate) fn for_word(word: &str) -> Vec<Question> {
    vec![
        ("ide_find_symbol", json!({"query": word})),
        ("ide_find_class", json!({"query": word})),
        ("ide_find_file", json!({"query": word})),
        ("ide_search_text", json!({"query": format!("({word}|a[0-9]+)+b"), "regex": true})),
        (
            "ide_structural_search_replace",
            json!({"pattern": format!("{word}($A)"), "rewrite": "b($A)", "dryRun": true}),
        ),
    ]
}

impl Project {
    /// Writes the file, starts a server and asks it everything.
    pub(crate) fn ask(&self, file: &str, text: &str) -> Result<Asked> {
        let path = self.root.join("project").join(file);
        fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
        fs::write(&path, text)?;
        let mut asked = Asked::default();
        if let Err(error) = self.ask_all(file, text, &mut asked) {
            let log = fs::read_to_string(self.root.join("server.log")).unwrap_or_default();
            let last = log.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            asked.failures.push(format!("{error:#}; the log ends with: {last:.200}"));
        }
        Ok(asked)
    }

    fn ask_all(&self, file: &str, text: &str, asked: &mut Asked) -> Result<()> {
        let config = self.root.join("config.toml");
        let seconds = self.deadline.as_secs();
        fs::write(&config, format!("enabled_tools = [\"*\"]\ncall_timeout_seconds = {seconds}\n"))?;
        let mut command = repo::isolated(&self.built)?;
        command.env("HOME", self.root.join("home")).args(["stdio", "--config"]).arg(&config);
        command.arg("--project").arg(self.root.join("project"));
        command.stderr(fs::File::create(self.root.join("server.log"))?);
        // Later than its own deadline, a server does not answer at all.
        let mut client = Client::start(&mut command, self.deadline + Duration::from_secs(5))?;
        let mut ask = |tool: &'static str, arguments: &Value| -> Result<()> {
            let begun = Instant::now();
            let answer = client.call(tool, arguments)?;
            asked.seconds.push((tool, begun.elapsed().as_secs_f64()));
            asked.note(tool, &answer);
            Ok(())
        };
        for (tool, arguments) in of_file(file) {
            ask(tool, &arguments)?;
        }
        for (line, column) in places(text) {
            for (tool, arguments) in at(file, line, column) {
                ask(tool, &arguments)?;
            }
        }
        for (tool, arguments) in for_word("target") {
            ask(tool, &arguments)?;
        }
        ask("ide_structural_search_replace", &json!({"pattern": pattern(text)}))
    }
}

impl Asked {
    fn note(&mut self, tool: &str, answer: &ToolAnswer) {
        let text = answer.value.to_string();
        if answer.is_error && answer.value["error"] == "internal" {
            self.failures.push(format!("{tool}: {text:.200}"));
        }
        self.late += usize::from(answer.is_error && answer.value["error"] == "timeout");
        self.incomplete += usize::from(text.contains("incompleteBecause") || text.contains("not followed"));
    }
}

/// The file itself as a pattern, as far as a pattern may be long.
fn pattern(text: &str) -> String {
    text.chars().take(20_000).collect()
}

/// Line and column of the first and the last `target`.
fn places(text: &str) -> Vec<(usize, usize)> {
    let at = |offset: usize| {
        let before = &text[..offset];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, text[line..offset].encode_utf16().count() + 1)
    };
    let (first, last) = (text.find("target"), text.rfind("target"));
    let last = last.filter(|last| Some(*last) != first);
    first.into_iter().chain(last).map(at).collect()
}
