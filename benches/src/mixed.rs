//! Sixty-four clients of one server, each reading and writing without a pause: how long every kind of call takes then,
//! and that no edit is lost.
//!
//! The calls go to the built program over stdio, so many at once as there are clients; files and names are taken from the
//! tree itself. In the end every file must hold what its writers were told that it holds.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use ide_model::Language;
use serde_json::{Value, json};

use crate::Failure;
use crate::phases::{LISTS_FROM, ask, open};
use crate::questions::{copy_tree, places};

const CLIENTS: usize = 64;
/// Files that clients share for writing.
const SHARED: usize = 16;
/// The client that does not write lines but renames.
const RENAMER: usize = 0;
const RENAME: &str = "ide_refactor_rename";

/// Calls of one kind.
#[derive(Default)]
struct Row {
    times: Vec<Duration>,
    /// Answers that said that another writer was first.
    again: usize,
}

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Server {
    fn start(program: &Path, project: &Path, home: &Path) -> Result<Self, Failure> {
        let config = home.join("config.toml");
        std::fs::write(&config, "enabled_tools = [\"ide_replace_text_in_file\"]\n")?;
        let mut child = Command::new(program)
            .args(["stdio", "--config"])
            .arg(&config)
            .arg("--project")
            .arg(project)
            .env("HOME", home)
            .env_remove("XDG_CACHE_HOME")
            .env_remove("XDG_STATE_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let input = child.stdin.take().ok_or("no standard input")?;
        let output = BufReader::new(child.stdout.take().ok_or("no standard output")?);
        let mut server = Self { child, input, output };
        server.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "benches", "version": "1"}}}))?;
        server.answer()?;
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(server)
    }

    fn send(&mut self, message: &Value) -> Result<(), Failure> {
        writeln!(self.input, "{message}")?;
        Ok(self.input.flush()?)
    }

    fn ask(&mut self, id: usize, call: &Call) -> Result<(), Failure> {
        let name = call.tool.split(',').next();
        let params = json!({"name": name, "arguments": call.arguments});
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}))
    }

    /// The next answer to a call.
    fn answer(&mut self) -> Result<Value, Failure> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err("the server has ended".into());
            }
            let message: Value = serde_json::from_str(&line)?;
            if message.get("id").is_some() && message.get("method").is_none() {
                return Ok(message);
            }
        }
    }
}

struct Call {
    tool: &'static str,
    arguments: Value,
    is_write: bool,
}

/// A name somewhere in the project.
struct Place {
    file: String,
    line: u32,
    column: u32,
    word: String,
}

impl Place {
    fn rename(&self, new_name: &str, is_dry: bool) -> Call {
        let Self { file, line, column, .. } = self;
        Call {
            tool: if is_dry { "ide_refactor_rename, dry" } else { RENAME },
            arguments: json!({"file": file, "line": line, "column": column, "newName": new_name, "dryRun": is_dry}),
            is_write: !is_dry,
        }
    }
}

/// A project that clients ask about.
struct Project {
    /// Files that are written to, with their text before.
    shared: Vec<(PathBuf, String)>,
    places: Vec<Place>,
    /// The place that the first client renames, there and back.
    renamed: Option<Place>,
    comment: &'static str,
}

/// `benches mixed`: prints the table and gives it back.
pub(crate) fn mixed(program: &Path, root: &Path, language: &str, seconds: u64) -> Result<String, Failure> {
    let scratch = tempfile::tempdir()?;
    let copy = scratch.path().join("project");
    copy_tree(root, &copy)?;
    let mut project = Project::read(&copy, language, scratch.path())?;
    let mut server = Server::start(program, &copy, scratch.path())?;
    project.choose_renamed(&mut server)?;
    let (mut rows, mut counts) = (BTreeMap::<&str, Row>::new(), [0_usize; CLIENTS]);
    let started = Instant::now();
    let mut open: BTreeMap<usize, (Call, Instant)> = BTreeMap::new();
    let mut turns = [0_usize; CLIENTS];
    for client in 0..CLIENTS {
        let call = project.call(client, 0, 0);
        server.ask(client, &call)?;
        open.insert(client, (call, Instant::now()));
    }
    while !open.is_empty() {
        let answer = server.answer()?;
        let client = usize::try_from(answer["id"].as_u64().ok_or("an answer without a number")?)?;
        let (call, asked) = open.remove(&client).ok_or("an answer to no call")?;
        let row = rows.entry(call.tool).or_default();
        let result = &answer["result"];
        let is_refused = result["isError"] == true;
        if is_refused && result["structuredContent"]["retryable"] == true {
            row.again += 1;
        } else if result.is_null() || is_refused && call.is_write {
            return Err(format!("{} {}: {answer}", call.tool, call.arguments).into());
        } else {
            // That nothing is known of a place is an answer to a question.
            row.times.push(asked.elapsed());
            counts[client] += usize::from(call.is_write);
            turns[client] += 1;
        }
        let is_away = client == RENAMER && !counts[RENAMER].is_multiple_of(2);
        if is_away || started.elapsed() < Duration::from_secs(seconds) {
            let call = project.call(client, turns[client], counts[client]);
            server.ask(client, &call)?;
            open.insert(client, (call, Instant::now()));
        }
    }
    project.compare(&counts)?;
    let table = table(rows, counts.iter().sum(), started.elapsed());
    println!("{table}");
    Ok(table)
}

impl Project {
    /// Chooses places and files, and gives every client its line at the end of a file.
    fn read(root: &Path, language: &str, scratch: &Path) -> Result<Self, Failure> {
        let language = Language::by_name(language).ok_or("no such language")?;
        let backend = open(root, &scratch.join("choose"), LISTS_FROM)?;
        let snapshot = ask(&backend)?;
        let (mut found, mut files) = (Vec::new(), Vec::new());
        for (file, offset) in places(&snapshot, language, 400) {
            let text = std::fs::read_to_string(root.join(file.as_str()))?;
            let (before, behind) = text.split_at(offset as usize);
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |tail| tail.encode_utf16().count()) + 1;
            let word = behind.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
            if word.len() > 3 {
                let (line, column) = (u32::try_from(line)?, u32::try_from(column)?);
                found.push(Place { file: file.to_string(), line, column, word: word.to_owned() });
            }
            if files.len() < SHARED && files.iter().all(|(path, _)| *path != root.join(file.as_str())) {
                files.push((root.join(file.as_str()), text));
            }
        }
        if files.len() < SHARED || found.is_empty() {
            return Err("the tree is too small".into());
        }
        let comment = if language.name() == "Python" { "#" } else { "//" };
        let project = Self { shared: files, places: found, renamed: None, comment };
        for file in 0..SHARED {
            std::fs::write(&project.shared[file].0, project.wanted(file, &[0; CLIENTS]))?;
        }
        Ok(project)
    }

    /// The first name of the tree that stands in several files and can be renamed.
    fn choose_renamed(&mut self, server: &mut Server) -> Result<(), Failure> {
        for nth in 0..self.places.len() {
            let place = &self.places[nth];
            server.ask(nth, &place.rename(&format!("{}Mixed", place.word), true))?;
            let answer = server.answer()?;
            let files = &answer["result"]["structuredContent"]["affectedFiles"];
            if files.as_array().is_some_and(|files| files.len() > 2) {
                self.renamed = Some(self.places.swap_remove(nth));
                return Ok(());
            }
        }
        Err("nothing can be renamed".into())
    }

    fn line(&self, client: usize, count: usize) -> String {
        format!("{} client {client} wrote {count} times.", self.comment)
    }

    /// The text of a shared file after so many writes of each client.
    fn wanted(&self, file: usize, counts: &[usize; CLIENTS]) -> String {
        let lines = (0..CLIENTS).filter(|client| *client != RENAMER && client % SHARED == file);
        let lines: String = lines.map(|client| format!("\n{}", self.line(client, counts[client]))).collect();
        format!("{}{lines}\n", self.shared[file].1)
    }

    /// Nothing is lost, and what was renamed has its name again.
    fn compare(&self, counts: &[usize; CLIENTS]) -> Result<(), Failure> {
        for (file, (path, _)) in self.shared.iter().enumerate() {
            if std::fs::read_to_string(path)? != self.wanted(file, counts) {
                return Err(format!("an edit of {} is lost", path.display()).into());
            }
        }
        Ok(())
    }

    /// The next call of a client: three to read, one to write.
    fn call(&self, client: usize, turn: usize, count: usize) -> Call {
        let nth = client.wrapping_mul(7919) + turn.wrapping_mul(104_729);
        let place = &self.places[nth % self.places.len()];
        let Place { file, line, column, word } = place;
        let read = |tool, arguments| Call { tool, arguments, is_write: false };
        let at = || json!({"file": file, "line": line, "column": column});
        if let Some(renamed) = self.renamed.as_ref().filter(|_| client == RENAMER && turn % 4 == 3) {
            let new =
                if count.is_multiple_of(2) { format!("{}Mixed", renamed.word) } else { renamed.word.clone() };
            return renamed.rename(&new, false);
        }
        if turn % 4 == 3 {
            let path = self.shared[client % SHARED].0.to_string_lossy();
            return Call {
                tool: "ide_replace_text_in_file",
                arguments: json!({"file": path, "search": self.line(client, count),
                    "replace": self.line(client, count + 1)}),
                is_write: true,
            };
        }
        match (client + turn) % 8 {
            0 => read("ide_find_definition", at()),
            6 => read("ide_find_references", at()),
            // The slowest question, and the rarest.
            7 if client % 8 == 7 => place.rename(&format!("{word}Mixed"), true),
            7 => read("ide_read_file", json!({"file": file})),
            1 => read("ide_find_symbol", json!({"query": word})),
            2 => read("ide_search_text", json!({"query": word})),
            3 => read("ide_file_structure", json!({"file": file})),
            4 => read("ide_diagnostics", json!({"file": file})),
            _ => read("ide_find_class", json!({"query": word})),
        }
    }
}

fn table(rows: BTreeMap<&str, Row>, written: usize, time: Duration) -> String {
    let calls: usize = rows.values().map(|row| row.times.len()).sum();
    let mut out = format!(
        "{calls} calls in {:.0} s, {written} of them writes, none lost.\n\n\
         | tool | calls | half, ms | 99 of 100, ms | slowest, ms | asked again |\n|---|---:|---:|---:|---:|---:|\n",
        time.as_secs_f64()
    );
    for (tool, mut row) in rows {
        row.times.sort();
        let at = |share: usize| {
            row.times
                .get((row.times.len().max(1) - 1) * share / 100)
                .map_or(f64::NAN, |t| t.as_secs_f64() * 1e3)
        };
        out.push_str(&format!(
            "| `{tool}` | {} | {:.1} | {:.1} | {:.1} | {} |\n",
            row.times.len(),
            at(50),
            at(99),
            at(100),
            row.again
        ));
    }
    out
}
