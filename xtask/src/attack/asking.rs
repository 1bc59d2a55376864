//! Every read tool, and every write tool without writing, at one project.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::mcp::{Client, ToolAnswer};
use crate::{hunt, repo};

/// A project of one shape and the server for it.
pub(crate) struct Project {
    pub(crate) root: PathBuf,
    pub(crate) built: PathBuf,
    pub(crate) deadline: Duration,
    /// Nothing more is asked when all together took so long.
    pub(crate) patience: Duration,
}

/// The seconds of a call, by the clock or by the processor, whichever is less: others may have the processors, too.
struct Watch {
    begun: Instant,
    processor: f64,
}

impl Watch {
    fn start(client: &Client) -> Self {
        Self { begun: Instant::now(), processor: hunt::processor(client.id()) }
    }

    fn seconds(&self, client: &Client) -> f64 {
        let by_clock = self.begun.elapsed().as_secs_f64();
        // Elsewhere the system does not tell.
        if cfg!(target_os = "linux") {
            by_clock.min(hunt::processor(client.id()) - self.processor)
        } else {
            by_clock
        }
    }
}

/// The way in which an answer says how much of it there is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    Everything,
    Incomplete,
    /// That there was no time left.
    Late,
}

/// A question and its answer.
pub(crate) struct Answered {
    /// Its place among all questions.
    pub(crate) at: usize,
    pub(crate) tool: &'static str,
    pub(crate) seconds: f64,
    pub(crate) said: Said,
}

/// The results of the questions.
#[derive(Default)]
pub(crate) struct Asked {
    /// Seconds from the start of the server until it knows all files.
    pub(crate) indexing: f64,
    pub(crate) answered: Vec<Answered>,
    pub(crate) failures: Vec<String>,
    /// Questions that were not asked any more.
    pub(crate) left: usize,
}

impl Asked {
    pub(crate) fn slowest(&self) -> (&'static str, f64) {
        self.by_time().first().map_or(("nothing", 0.0), |answered| (answered.tool, answered.seconds))
    }

    /// The slowest first.
    pub(crate) fn by_time(&self) -> Vec<&Answered> {
        let mut answered: Vec<&Answered> = self.answered.iter().collect();
        answered.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
        answered
    }

    pub(crate) fn count(&self, said: Said) -> usize {
        self.answered.iter().filter(|answered| answered.said == said).count()
    }

    /// Whether every answer came within so many seconds, or said that it is not everything.
    pub(crate) fn is_fine(&self, slow: f64) -> bool {
        let is_late = |a: &Answered| a.seconds > slow && a.said == Said::Everything;
        self.failures.is_empty() && self.indexing <= slow && !self.answered.iter().any(is_late)
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (tool, seconds) = self.slowest();
        let all: f64 = self.answered.iter().map(|answered| answered.seconds).sum();
        write!(f, "{:6.2} s indexing, {seconds:6.2} s {tool} ({all:.1} s in all", self.indexing)?;
        let counts = [
            (self.count(Said::Late), "gave up"),
            (self.count(Said::Incomplete), "incomplete"),
            (self.left, "not asked"),
        ];
        for (count, of) in counts.iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} {of}")?;
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
    /// Writes the files, starts a server and asks it everything, or only what is given.
    pub(crate) fn ask(&self, file: &str, text: &str, only: Option<&[usize]>) -> Result<Asked> {
        // A checkout has one writer, and other projects may be asked beside this one.
        fs::create_dir_all(self.root.join("project/.git"))?;
        let files = write(&self.root.join("project"), file, text)?;
        let mut questions: Vec<(usize, Question)> = everything(&files).into_iter().enumerate().collect();
        questions.retain(|(at, _)| only.is_none_or(|only| only.contains(at)));
        let mut asked = Asked::default();
        if let Err(error) = self.ask_all(&questions, &mut asked) {
            let log = fs::read_to_string(self.root.join("server.log")).unwrap_or_default();
            let last = log.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
            asked.failures.push(format!("{error:#}; the log ends with: {last:.200}"));
        }
        Ok(asked)
    }

    fn ask_all(&self, questions: &[(usize, Question)], asked: &mut Asked) -> Result<()> {
        let config = self.root.join("config.toml");
        let seconds = self.deadline.as_secs();
        fs::write(&config, format!("enabled_tools = [\"*\"]\ncall_timeout_seconds = {seconds}\n"))?;
        let mut command = repo::isolated(&self.built)?;
        command.env("HOME", self.root.join("home")).args(["stdio", "--config"]).arg(&config);
        command.arg("--project").arg(self.root.join("project"));
        command.stderr(fs::File::create(self.root.join("server.log"))?);
        let watch = Watch { begun: Instant::now(), processor: 0.0 };
        // Later than that, a server does not answer at all: others may have the processors.
        let mut client = Client::start(&mut command, self.deadline * 2 + Duration::from_secs(5))?;
        client.call("ide_find_file", &json!({"query": "nothing is called so"}))?;
        asked.indexing = watch.seconds(&client);
        for (done, (at, (tool, arguments))) in questions.iter().enumerate() {
            if watch.seconds(&client) > self.patience.as_secs_f64() {
                asked.left = questions.len() - done;
                break;
            }
            let watch = Watch::start(&client);
            let answer = client.call(tool, arguments).with_context(|| format!("{tool} {arguments:.200}"))?;
            let (seconds, by_clock) = (watch.seconds(&client), watch.begun.elapsed());
            asked.note((*at, tool), seconds, &answer);
            // As much of it as the processors worked for the server.
            let late = by_clock.saturating_sub(self.deadline).mul_f64(seconds / by_clock.as_secs_f64());
            if late > Duration::from_secs(1) {
                asked.failures.push(format!("{tool}: {late:.1?} beyond the deadline"));
            }
        }
        Ok(())
    }
}

impl Asked {
    fn note(&mut self, (at, tool): (usize, &'static str), seconds: f64, answer: &ToolAnswer) {
        let text = answer.value.to_string();
        if answer.is_error && answer.value["error"] == "internal" {
            self.failures.push(format!("{tool}: {text:.200}"));
        }
        let said = match () {
            () if answer.is_error && answer.value["error"] == "timeout" => Said::Late,
            () if text.contains("incompleteBecause") || text.contains("not followed") => Said::Incomplete,
            () => Said::Everything,
        };
        self.answered.push(Answered { at, tool, seconds, said });
    }
}

/// Writes the files of a text below a folder.
pub(crate) fn write<'t>(root: &Path, file: &'t str, text: &'t str) -> Result<Vec<(&'t str, &'t str)>> {
    let files = files(file, text);
    for (file, text) in &files {
        let path = root.join(file);
        fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
        fs::write(&path, text)?;
    }
    Ok(files)
}

/// The files of a text: the first part is the file that is named, each other one follows a line with `¶` and its name.
fn files<'t>(file: &'t str, text: &'t str) -> Vec<(&'t str, &'t str)> {
    let mut parts = text.split('¶');
    let first = parts.next().filter(|first| !first.trim().is_empty()).map(|first| (file, first));
    first.into_iter().chain(parts.map(|part| part.split_once('\n').unwrap_or((part, "")))).collect()
}

/// All questions, at the first and the last `target`.
fn everything(files: &[(&str, &str)]) -> Vec<Question> {
    let (file, text) = files[0];
    let mut questions = of_file(file);
    for (file, line, column) in places(files) {
        questions.extend(at(file, line, column));
    }
    questions.extend(for_word("target"));
    questions.push(("ide_structural_search_replace", json!({"pattern": pattern(text)})));
    questions
}

/// The file itself as a pattern, as far as a pattern may be long.
fn pattern(text: &str) -> String {
    text.chars().take(20_000).collect()
}

/// File, line and column of the first and the last `target`.
fn places<'t>(files: &[(&'t str, &'t str)]) -> Vec<(&'t str, usize, usize)> {
    let at = |(file, text): (&'t str, &str), offset: usize| {
        let before = &text[..offset];
        let line = before.rfind('\n').map_or(0, |at| at + 1);
        (file, before.matches('\n').count() + 1, text[line..offset].encode_utf16().count() + 1)
    };
    let first = files.iter().find_map(|file| Some(at(*file, file.1.find("target")?)));
    let last = files.iter().rev().find_map(|file| Some(at(*file, file.1.rfind("target")?)));
    let last = last.filter(|last| Some(*last) != first);
    first.into_iter().chain(last).collect()
}
