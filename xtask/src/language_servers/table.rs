//! `cargo xtask language-servers --table`: our server beside those of the languages, on the same real projects, at the same
//! places: time to the first answer, times of answers, memory, and the rank of the name that really stands at a place among
//! the completions there. The table goes between the marks in `docs/language-servers.md`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::client::{Client, url};
use crate::{accuracy, repo};

/// A project and the server of its language. On none of them were weights of completion fitted.
struct Row {
    project: &'static str,
    /// Where it comes from; without it, it is one of the accuracy table.
    package: Option<[&'static str; 3]>,
    language: &'static str,
    extension: &'static str,
    server: &'static str,
    /// Empty where no registry has a server.
    command: &'static [&'static str],
}

const ROWS: [Row; 9] = [
    Row {
        project: "requests",
        package: None,
        language: "python",
        extension: "py",
        server: "pyright",
        command: &["pyright-langserver", "--stdio"],
    },
    Row {
        project: "express",
        package: None,
        language: "javascript",
        extension: "js",
        server: "typescript-language-server",
        command: &["typescript-language-server", "--stdio"],
    },
    Row {
        project: "query-core",
        package: Some(["npm", "@tanstack/query-core", "5.90.2"]),
        language: "typescript",
        extension: "ts",
        server: "typescript-language-server",
        command: &["typescript-language-server", "--stdio"],
    },
    Row {
        project: "cobra",
        package: None,
        language: "go",
        extension: "go",
        server: "gopls",
        command: &["gopls"],
    },
    Row {
        project: "serde_json",
        package: None,
        language: "rust",
        extension: "rs",
        server: "rust-analyzer",
        command: &["rust-analyzer"],
    },
    Row {
        project: "jsoup",
        package: None,
        language: "java",
        extension: "java",
        server: "jdtls",
        command: &["jdtls"],
    },
    Row {
        project: "kotlinpoet",
        package: Some(["maven", "com.squareup:kotlinpoet-jvm", "2.2.0"]),
        language: "kotlin",
        extension: "kt",
        server: "",
        command: &[],
    },
    Row {
        project: "wire-schema",
        package: Some(["maven", "com.squareup.wire:wire-schema-jvm", "5.3.1"]),
        language: "kotlin",
        extension: "kt",
        server: "",
        command: &[],
    },
    Row {
        project: "monolog",
        package: None,
        language: "php",
        extension: "php",
        server: "intelephense",
        command: &["intelephense", "--stdio"],
    },
];

/// Places at which completion is asked for, and how many of them for definitions and for references.
#[derive(Clone, Copy)]
struct Places {
    completion: usize,
    definition: usize,
    references: usize,
}

impl Places {
    fn new(all: usize) -> Self {
        Self { completion: all, definition: all.min(200), references: all.min(40) }
    }
}
/// How long a server may take to be ready.
const READY: Duration = Duration::from_secs(180);
const PATIENCE: Duration = Duration::from_secs(20);

/// A name in a file.
#[derive(Clone)]
struct Name {
    file: PathBuf,
    line: usize,
    character: usize,
    text: String,
}

/// The figures of one server.
struct Figures {
    first: Duration,
    definition: Vec<Duration>,
    references: Vec<Duration>,
    completion: Vec<Duration>,
    memory: u64,
    /// Definitions and references that had any answer.
    found: (usize, usize),
    ranked: [usize; 3],
    places: usize,
}

/// Measures, and writes the document.
pub(super) fn run(search_path: &OsStr, only: &[String], places: usize) -> Result<()> {
    let binary = repo::server_binary(true)?;
    let places = Places::new(places.max(10));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let both = std::env::join_paths(std::env::split_paths(search_path).chain(std::env::split_paths(&path)))?;
    let mut lines: Vec<String> = Vec::new();
    for row in ROWS.iter().filter(|row| only.is_empty() || only.iter().any(|name| name == row.project)) {
        let tree = match row.package {
            Some([client, name, version]) => {
                accuracy::package(client, name, version, &repo::cache("proof/language-servers/packages")?)
            }
            None => accuracy::tree(row.project),
        };
        let root = match tree {
            Ok(root) => root,
            Err(why) => {
                println!("SKIPPED {}: {why:#}", row.project);
                continue;
            }
        };
        // Outside of the repository, which ignores its caches.
        let home = std::env::temp_dir().join(format!("ide-index-table-{}", std::process::id()));
        let copy = home.join(row.project);
        crate::foreign::copy_folder(&root, &copy)?;
        let copy = copy.canonicalize()?;
        let names = names(&binary, &copy, row, &home, places.completion)?;
        let mut ours = Command::new(&binary);
        ours.arg("lsp");
        let mut theirs = Command::new("env");
        theirs.args(row.command);
        let both_servers = [("ide-index-mcp", &mut ours), (row.server, &mut theirs)];
        for (name, command) in both_servers.into_iter().filter(|(name, _)| !name.is_empty()) {
            command.env("PATH", &both).env("XDG_CACHE_HOME", home.join("cache")).current_dir(&copy);
            match measure(command, &copy, row.language, &names, places) {
                Ok(figures) => {
                    let line = shown(row, name, &figures);
                    println!("{line}");
                    lines.push(line);
                }
                Err(error) => println!("FAILED {name} on {}: {error:#}", row.project),
            }
        }
        fs::remove_dir_all(&home)?;
    }
    write(lines)
}

const MARKS: [&str; 2] = ["<!-- measured -->\n", "<!-- /measured -->"];

/// Puts rows in the place of those of the same projects.
fn write(mut rows: Vec<String>) -> Result<()> {
    let document = repo::root().join("docs/language-servers.md");
    let text = fs::read_to_string(&document)?;
    let (before, rest) = text.split_once(MARKS[0]).context("the document has a mark")?;
    let (old, behind) = rest.split_once(MARKS[1]).context("the document has a second mark")?;
    let place = |line: &str| ROWS.iter().position(|row| line.starts_with(&format!("| {} |", row.project)));
    let is_measured = |at| rows.iter().any(|row| place(row) == at);
    let kept: Vec<String> = old
        .lines()
        .filter(|line| place(line).is_some() && !is_measured(place(line)))
        .map(str::to_owned)
        .collect();
    rows.extend(kept);
    rows.sort_by_key(|row| place(row));
    let rows = rows.join("\n");
    let head = "| project | server | first answer | definition p50/p99 | references p50/p99 | completion p50/p99 | memory | \
                definitions found | uses found | name first | in ten | listed | load |\n\
                | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    fs::write(&document, format!("{before}{}{head}{rows}\n{}{behind}", MARKS[0], MARKS[1]))?;
    Ok(())
}

fn shown(row: &Row, server: &str, figures: &Figures) -> String {
    let mut line = format!("| {} | {server} | {:.2} s |", row.project, figures.first.as_secs_f64());
    for times in [&figures.definition, &figures.references, &figures.completion] {
        let mut times = times.clone();
        times.sort_unstable();
        let at = |share: usize| times.get(times.len() * share / 100).map_or(0.0, Duration::as_secs_f64) * 1e3;
        // Text can always be written to a string.
        let _ = write!(line, " {:.1} / {:.1} ms |", at(50), at(99));
    }
    let share = |n: usize, of: usize| n as f64 / of.max(1) as f64;
    let [first, ten, listed] = figures.ranked.map(|n| share(n, figures.places));
    let definitions = share(figures.found.0, figures.definition.len());
    let uses = share(figures.found.1, figures.references.len());
    let memory = figures.memory >> 20;
    let _ =
        write!(line, " {memory} MiB | {definitions:.2} | {uses:.2} | {first:.2} | {ten:.2} | {listed:.2} |");
    let _ = write!(line, " {} |", load());
    line
}

/// The processes that wait for a core, on the average of the last minute, for each core.
fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let waiting: Option<f64> = text.split(' ').next().and_then(|number| number.parse().ok());
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    waiting.map_or_else(|| "?".to_owned(), |waiting| format!("{:.1}", waiting / cores as f64))
}

/// Names that are used in the project, drawn at random with a seed: by our server's semantic tokens.
fn names(binary: &Path, root: &Path, row: &Row, home: &Path, places: usize) -> Result<Vec<Name>> {
    let mut command = Command::new(binary);
    command.arg("lsp").env("XDG_CACHE_HOME", home.join("cache"));
    let mut client = Client::start(&mut command, root)?;
    let mut all: Vec<Name> = Vec::new();
    for file in repo::walk(root, |name| name == "node_modules" || name == ".git")? {
        let text = match fs::read_to_string(root.join(&file)) {
            Ok(text) if file.extension().is_some_and(|e| e == row.extension) && text.len() < 200_000 => text,
            _ => continue,
        };
        let params = json!({ "textDocument": { "uri": url(&root.join(&file)) } });
        let tokens = client.ask("textDocument/semanticTokens/full", &params, PATIENCE)?;
        let numbers: Vec<usize> = tokens["data"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|n| Some(n.as_u64()? as usize))
            .collect();
        let (mut line, mut character) = (0, 0);
        let lines: Vec<&str> = text.lines().collect();
        for token in numbers.chunks_exact(5) {
            character = if token[0] == 0 { character + token[1] } else { token[1] };
            line += token[0];
            let units: Vec<u16> = lines.get(line).map(|l| l.encode_utf16().collect()).unwrap_or_default();
            let word = units.get(character..character + token[2]).map(String::from_utf16_lossy);
            let Some(text) = word.filter(|word| word.chars().all(|c| c.is_alphanumeric() || c == '_')) else {
                continue;
            };
            if token[4] & 1 == 0 && !text.is_empty() {
                all.push(Name { file: file.clone(), line, character, text });
            }
        }
    }
    client.end();
    ensure!(!all.is_empty(), "no names in {}", row.project);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        all[(random % all.len() as u64) as usize].clone()
    };
    Ok((0..places).map(|_| draw()).collect())
}

fn measure(
    command: &mut Command,
    root: &Path,
    language: &str,
    names: &[Name],
    places: Places,
) -> Result<Figures> {
    let begun = Instant::now();
    let mut client = Client::start(command, root)?;
    let mut open: BTreeMap<PathBuf, (String, i64)> = BTreeMap::new();
    let mut show = |client: &mut Client, file: &Path| -> Result<String> {
        if let Some((text, _)) = open.get(file) {
            return Ok(text.clone());
        }
        let text = fs::read_to_string(root.join(file))?;
        let document =
            json!({ "uri": url(&root.join(file)), "languageId": language, "version": 1, "text": text });
        client.tell("textDocument/didOpen", &json!({ "textDocument": document }))?;
        open.insert(file.to_owned(), (text.clone(), 1));
        Ok(text)
    };
    let at = |name: &Name| {
        json!({
            "textDocument": { "uri": url(&root.join(&name.file)) },
            "position": { "line": name.line, "character": name.character },
        })
    };
    let is_some = |answer: &Value| !answer.is_null() && answer.as_array().is_none_or(|list| !list.is_empty());
    // Ready is who gives the definition of one of a few names.
    let first = 'ready: loop {
        for name in &names[..10] {
            show(&mut client, &name.file)?;
            if client.ask("textDocument/definition", &at(name), PATIENCE).is_ok_and(|found| is_some(&found)) {
                break 'ready begun.elapsed();
            }
        }
        ensure!(begun.elapsed() < READY, "it gives no definition within {READY:?}");
        std::thread::sleep(Duration::from_millis(50));
    };
    let mut figures = Figures {
        first,
        definition: Vec::new(),
        references: Vec::new(),
        completion: Vec::new(),
        memory: 0,
        found: (0, 0),
        ranked: [0; 3],
        places: 0,
    };
    for name in &names[..places.definition] {
        show(&mut client, &name.file)?;
        let asked = Instant::now();
        let found = client.ask("textDocument/definition", &at(name), PATIENCE);
        figures.definition.push(asked.elapsed());
        figures.found.0 += usize::from(found.is_ok_and(|found| is_some(&found)));
    }
    for name in &names[..places.references] {
        let mut params = at(name);
        params["context"] = json!({ "includeDeclaration": true });
        let asked = Instant::now();
        let found = client.ask("textDocument/references", &params, PATIENCE);
        figures.references.push(asked.elapsed());
        figures.found.1 += usize::from(found.is_ok_and(|found| is_some(&found)));
    }
    for name in names {
        let text = show(&mut client, &name.file)?;
        let uri = url(&root.join(&name.file));
        let change = |client: &mut Client, version: i64, text: &str| {
            let document = json!({ "uri": uri, "version": version });
            let changes = json!([{ "text": text }]);
            client.tell(
                "textDocument/didChange",
                &json!({ "textDocument": document, "contentChanges": changes }),
            )
        };
        figures.places += 1;
        let version = 2 * figures.places as i64;
        change(&mut client, version, &without(&text, name))?;
        let asked = Instant::now();
        let list = client.ask("textDocument/completion", &at(name), PATIENCE);
        figures.completion.push(asked.elapsed());
        if let Some(rank) = list.ok().and_then(|list| rank(list, &name.text)) {
            figures.ranked[0] += usize::from(rank == 0);
            figures.ranked[1] += usize::from(rank < 10);
            figures.ranked[2] += 1;
        }
        change(&mut client, version + 1, &text)?;
    }
    figures.memory = client.memory();
    client.end();
    Ok(figures)
}

/// The text with the name taken out.
fn without(text: &str, name: &Name) -> String {
    let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
    let units: Vec<u16> = lines[name.line].encode_utf16().collect();
    let end = name.character + name.text.encode_utf16().count();
    let kept: Vec<u16> = [&units[..name.character], &units[end..]].concat();
    lines[name.line] = String::from_utf16_lossy(&kept);
    lines.join("\n")
}

/// The place of a name in a list as an editor orders it.
fn rank(list: Value, name: &str) -> Option<usize> {
    let items = if list.is_array() { list } else { list["items"].clone() };
    let mut items: Vec<(String, String)> = items
        .as_array()?
        .iter()
        .map(|item| {
            let label = item["label"].as_str().unwrap_or_default();
            (item["sortText"].as_str().unwrap_or(label).to_owned(), label.to_owned())
        })
        .collect();
    items.sort_by(|a, b| a.0.cmp(&b.0));
    let word = |label: &str| {
        let bare = label.trim_start_matches(['$', '.', '•', ' ']);
        bare.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>()
    };
    items.iter().position(|(_, label)| word(label) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_ordered_as_an_editor_does() {
        let list = json!({ "items": [
            { "label": "b()", "sortText": "2" }, { "label": "$a", "sortText": "1" }, { "label": "c" },
        ] });
        assert_eq!(rank(list.clone(), "a"), Some(0));
        assert_eq!(rank(list.clone(), "b"), Some(1));
        assert_eq!(rank(list, "d"), None);
        let name = Name { file: PathBuf::new(), line: 1, character: 2, text: "bc".to_owned() };
        assert_eq!(without("x\na.bc.d\n", &name), "x\na..d\n");
    }
}
