//! Language servers that find problems, that end, and ours that ends with theirs running: over MCP, with the built binary.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use crate::ci::Counts;
use crate::{foreign, mcp, repo};

/// How long an answer of a language server is waited for when the index has one; the setting's default.
const WAIT: Duration = Duration::from_secs(2);
/// The time for the rest of an answer on a busy machine.
const SLACK: Duration = Duration::from_secs(3);
/// Servers are gone so long after our end.
const GONE: Duration = Duration::from_secs(1);
const START: Duration = Duration::from_secs(120);

/// A server with a project below `proof/editors/projects`, a use in it, and how many uses there are.
struct Row {
    server: &'static str,
    project: &'static str,
    place: (&'static str, u32, u32),
    uses: usize,
    /// Lines whose last one has an error that only a compiler knows.
    mistake: &'static str,
    /// Whether our ends are tried with it: one for each way in which servers start processes of their own.
    tries_ends: bool,
}

const ROWS: [Row; 4] = [
    Row {
        server: "pyright",
        project: "python",
        place: ("shop/pricing.py", 6, 18),
        uses: 2,
        mistake: "\n\ndef wrong() -> int:\n    return \"many\"\n",
        tries_ends: true,
    },
    Row {
        server: "typescript-language-server",
        project: "typescript",
        place: ("src/pricing.ts", 5, 16),
        uses: 2,
        mistake: "\nexport const wrong: number = \"many\";\n",
        tries_ends: false,
    },
    Row {
        server: "gopls",
        project: "go",
        place: ("pricing.go", 5, 15),
        uses: 2,
        mistake: "\nvar wrong int = \"many\"\n",
        tries_ends: true,
    },
    Row {
        server: "rust-analyzer",
        project: "rust",
        place: ("src/pricing.rs", 7, 11),
        uses: 2,
        mistake: "\npub fn wrong() -> u32 { u32::pow(1) }\n",
        tries_ends: false,
    },
];

/// The ways in which our process ends: `None` is the end of its input, as a client leaves it; ABRT is what a panic that
/// nobody catches does.
const WAYS: [Option<&str>; 5] = [None, Some("TERM"), Some("INT"), Some("KILL"), Some("ABRT")];

/// Every way, for the servers that are installed.
pub(super) fn run(installed: &BTreeSet<&str>, search_path: &OsStr) -> Result<Counts> {
    if !cfg!(target_os = "linux") {
        return Ok(Counts::skipped("the ends of servers", "processes are looked for in /proc"));
    }
    let binary = repo::server_binary(false)?;
    let mut counts = Counts::default();
    for row in ROWS.iter().filter(|row| installed.contains(row.server)) {
        let mut check = |what: String, done: Result<()>| match done {
            Ok(()) => counts.passed += 1,
            Err(error) => {
                counts.add(Counts::failed(&format!("{}, {what}", row.server), &format!("{error:#}")));
            }
        };
        check("its problems".to_owned(), finds(row, &binary, search_path));
        check("killed in a query".to_owned(), dies(row, &binary, search_path, true));
        check("stopped in a query".to_owned(), dies(row, &binary, search_path, false));
        for way in WAYS.iter().filter(|_| row.tries_ends) {
            check(format!("{} to us", way.unwrap_or("end of input")), end(row, &binary, search_path, *way));
        }
    }
    Ok(counts)
}

/// Our server on a copy of the project, with the language server at work.
struct Running {
    client: mcp::Client,
    arguments: Value,
    folder: Scratch,
}

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover below the system's folder for such is nobody's harm.
        drop(fs::remove_dir_all(&self.0));
    }
}

impl Running {
    fn start(row: &Row, binary: &Path, search_path: &OsStr) -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("ide-index-ends-{}", std::process::id()));
        let folder = Scratch(folder);
        let project = folder.0.join("shop");
        foreign::copy_folder(&repo::root().join("proof/editors/projects").join(row.project), &project)?;
        let project = project.canonicalize()?;
        let settings = folder.0.join("settings.toml");
        let text = format!(
            "language_servers = [{:?}]\ntrusted_projects = [{:?}]\n",
            row.server,
            project.display().to_string()
        );
        fs::write(&settings, text)?;
        let mut command = repo::isolated(binary)?;
        if let Some(home) = std::env::var_os("HOME") {
            for (name, place) in [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")] {
                if std::env::var_os(name).is_none() {
                    command.env(name, Path::new(&home).join(place));
                }
            }
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let both = std::env::split_paths(search_path).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(both)?);
        command.args(["stdio", "--config"]).arg(&settings).arg("--project").arg(&project);
        command.stderr(fs::File::create(folder.0.join("log"))?);
        let client = mcp::Client::start(&mut command, START)?;
        let (file, line, column) = row.place;
        let arguments = json!({ "file": file, "line": line, "column": column });
        let mut running = Self { client, arguments, folder };
        let until = Instant::now() + START;
        loop {
            let answer = running.ask()?;
            count(&answer, row)?;
            if answer.to_string().contains(&format!("by {}", row.server)) {
                return Ok(running);
            }
            ensure!(Instant::now() < until, "it never answers: {answer}");
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn ask(&mut self) -> Result<Value> {
        let answer = self.client.call("ide_find_references", &self.arguments)?;
        ensure!(!answer.is_error, "{}", answer.value);
        Ok(answer.value)
    }
}

/// An error that is written to a file is shown, in its line and by the name of the server, and is gone with its cause.
fn finds(row: &Row, binary: &Path, search_path: &OsStr) -> Result<()> {
    let mut running = Running::start(row, binary, search_path)?;
    let path = running.folder.0.join("shop").join(row.place.0);
    let text = fs::read_to_string(&path)?;
    let with_mistake = format!("{text}{}", row.mistake);
    let line = with_mistake.lines().count();
    let mut shown = |text: &str| -> Result<Value> {
        fs::write(&path, text)?;
        let until = Instant::now() + START;
        loop {
            let answer = running.client.call("ide_diagnostics", &json!({ "file": row.place.0 }))?;
            ensure!(!answer.is_error, "{}", answer.value);
            // The first answers of a server that has just started may come too late.
            if answer.value["analysisFresh"] == true {
                return Ok(answer.value);
            }
            ensure!(Instant::now() < until, "it has no verdict: {}", answer.value);
            std::thread::sleep(Duration::from_millis(200));
        }
    };
    let by_server = |answer: &Value| -> Vec<u64> {
        let problems = answer["problems"].as_array().into_iter().flatten();
        let theirs =
            problems.filter(|problem| problem["source"] != "index" && problem["severity"] == "ERROR");
        theirs.filter_map(|problem| problem["line"].as_u64()).collect()
    };
    let wrong = shown(&with_mistake)?;
    ensure!(wrong["analysisMode"] == "embedded+language-server", "{wrong}");
    ensure!(by_server(&wrong) == [line as u64], "an error is in line {line}: {wrong}");
    let mended = shown(&text)?;
    ensure!(by_server(&mended).is_empty(), "{mended}");
    Ok(())
}

fn count(answer: &Value, row: &Row) -> Result<()> {
    let found = answer["usages"].as_array().map(Vec::len);
    ensure!(found == Some(row.uses), "{} uses are there: {answer}", row.uses);
    Ok(())
}

/// The processes that one of ours started and that still run, and what they started.
fn started_by(ours: u32) -> Vec<u32> {
    let mark = format!("IDE_TOOLCHAIN_RUN={ours}-");
    let Ok(listed) = fs::read_dir("/proc") else { return Vec::new() };
    let pids = listed.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let holds = |pid: &u32| {
        let is_marked = |file: &str| {
            let text = fs::read(format!("/proc/{pid}/{file}")).unwrap_or_default();
            text.split(|byte| *byte == 0).any(|entry| entry.starts_with(mark.as_bytes()))
        };
        is_marked("environ") || is_marked("cmdline")
    };
    pids.filter(holds).collect()
}

fn signal(name: &str, pids: &[u32]) -> Result<()> {
    for pid in pids {
        // One may be gone with the one before it.
        Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).output()?;
    }
    Ok(())
}

/// The server stands still, is asked, and is then killed or never wakes: the index answers in time and says so.
fn dies(row: &Row, binary: &Path, search_path: &OsStr, is_killed: bool) -> Result<()> {
    let mut running = Running::start(row, binary, search_path)?;
    let servers: Vec<u32> = started_by(running.client.id())
        .into_iter()
        .filter(|pid| {
            !fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|words| words.starts_with(b"/bin/sh\0-c"))
        })
        .collect();
    ensure!(!servers.is_empty(), "no server is running");
    signal("STOP", &servers)?;
    let begun = Instant::now();
    let id = running.client.begin("ide_find_references", &running.arguments)?;
    if is_killed {
        std::thread::sleep(Duration::from_millis(200));
        signal("KILL", &servers)?;
    }
    let answer = running.client.end(id)?;
    let took = begun.elapsed();
    signal("CONT", &servers)?;
    ensure!(!answer.is_error, "{}", answer.value);
    count(&answer.value, row)?;
    ensure!(took < WAIT + SLACK, "the answer took {took:?}");
    let says = format!("{} did not", row.server);
    ensure!(answer.value.to_string().contains(&says), "it does not say so: {}", answer.value);
    println!("{}: the index answered {:.1} s after the question", row.server, took.as_secs_f64());
    Ok(())
}

/// We end, and nothing that we started is there a second later.
fn end(row: &Row, binary: &Path, search_path: &OsStr, way: Option<&str>) -> Result<()> {
    let mut running = Running::start(row, binary, search_path)?;
    let ours = running.client.id();
    ensure!(!started_by(ours).is_empty(), "no server is running");
    match way {
        Some(name) => signal(name, &[ours])?,
        None => running.client.close(),
    }
    let until = Instant::now() + START;
    while !running.client.has_ended()? {
        if Instant::now() > until {
            bail!("we did not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = Instant::now();
    loop {
        let left = started_by(ours);
        if left.is_empty() {
            return Ok(());
        }
        if ended.elapsed() > GONE {
            let words = left.iter().map(|pid| fs::read_to_string(format!("/proc/{pid}/cmdline")));
            let words: Vec<String> = words.filter_map(Result::ok).collect();
            bail!("still there: {}", words.join(", ").replace('\0', " "));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}
