//! How long the history takes to find a call among 100,000: `cargo run --release -p ideindex-history --features sqlite
//! --example search`. With a name the database stays there, for a server
//! to be tried with, and is used again.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a program that measures, for people"
)]

use std::path::Path;
use std::time::{Duration, Instant};

use history::{Client, Database, Entry, Filter, Group, NewCall, Outcome, Page, Received, Status};
use serde_json::json;

const ENTRIES: u64 = 100_000;
const ROUNDS: usize = 9;
const WORDS: [&str; 12] = [
    "order",
    "Customer",
    "invoice",
    "find",
    "Handler",
    "parse",
    "Config",
    "stream",
    "cart",
    "Repository",
    "update",
    "session",
];

/// Lines as tools answer them, different from call to call.
fn answer(n: u64) -> String {
    let mut state = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most
    };
    let mut text = String::new();
    for _ in 0..8 + next(20) {
        let (a, b) = (WORDS[next(12) as usize], WORDS[next(12) as usize]);
        text.push_str(&format!(
            "src/{a}/{b}{}.java\n {}:{} {a}.{b}: {a}{b}(x{});\n",
            next(500),
            next(900),
            next(80),
            next(10_000)
        ));
    }
    text
}

fn entry(n: u64) -> Entry {
    let call = NewCall {
        tool_name: ["ide_find_references", "ide_find_symbol", "ide_search_text"][n as usize % 3].to_owned(),
        parameters: json!({"query": format!("{}{n}", WORDS[n as usize % 12])}),
        project_path: Some(format!("/home/me/project{}", n % 5)),
        client: Some(Client {
            name: ["codex", "opencode"][n as usize % 2].to_owned(),
            version: "1".to_owned(),
        }),
        replay_of: None,
    };
    let mut entry = Entry::new(call, n * 1_000, n.into());
    let text = answer(n);
    entry.end(Outcome {
        result: if n.is_multiple_of(50) { Err(format!("no symbol {n}")) } else { Ok(text) },
        structured: None,
        received: Received::Text,
        duration: Duration::from_millis(n % 90),
        affected_files: None,
        project_path: None,
    });
    entry
}

/// Kilobytes of memory of this process, on Linux.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let kept = std::env::args_os().nth(1).map(std::path::PathBuf::from);
    let file = kept.unwrap_or_else(|| folder.path().join("history.sqlite"));
    let mut database = Database::open(&file).unwrap();
    if database.count().unwrap() == 0 {
        fill(&mut database, &file);
    }
    ask(&database);
}

/// Stores every call, and says what that cost.
fn fill(database: &mut Database, file: &Path) {
    let started = Instant::now();
    let mut early = None;
    for from in (0..ENTRIES).step_by(100) {
        let entries: Vec<Entry> = (from..from + 100).map(entry).collect();
        database.put(&entries.iter().collect::<Vec<_>>()).unwrap();
        if from >= ENTRIES / 10 {
            early = early.or_else(resident);
        }
    }
    if let (Some(early), Some(late)) = (early, resident()) {
        println!(
            "{:.1} MiB of memory after a tenth, {:.1} MiB at the end",
            early as f64 / 1024.0,
            late as f64 / 1024.0
        );
    }
    let took = started.elapsed();
    let size = std::fs::metadata(file).unwrap().len() >> 20;
    println!(
        "{ENTRIES} calls stored in {:.1} s, {:.2} ms each, {size} MiB",
        took.as_secs_f64(),
        took.as_secs_f64() * 1e3 / ENTRIES as f64
    );
}

fn ask(database: &Database) {
    let none = Filter::default();
    let text = |text| Filter { text: Some(text), ..none };
    let page = Page { before: None, limit: 50, with_results: false };
    let old = entry(50).id;
    let last = Page { before: Some(&old), ..page };
    for (what, filter) in [
        ("the newest page", none),
        ("a word that occurs once", text("customer77773")),
        ("a part of a word that occurs once", text("ustomer7777")),
        ("a word in every call", text("repository")),
        ("two words in a row", text("cart.invoice")),
        ("nothing", text("no such words anywhere")),
        ("letters that stand in every call, not in a row", text("cartfindorders")),
        ("two letters", text("77")),
        ("errors of one client", Filter { status: Some(Status::Error), client: Some("codex"), ..none }),
        ("a word in every call, the last page", text("repository")),
        ("two letters that no call has", text("qz")),
        (
            "a word in every call, of a tool that nobody calls",
            Filter { tool: Some("ide_none"), ..text("repository") },
        ),
        ("a word in every call, of errors", Filter { status: Some(Status::Error), ..text("repository") }),
        (
            "a word in every call, of a client that nobody is",
            Filter { client: Some("nobody"), ..text("repository") },
        ),
        (
            "letters of every call, not in a row, of one project",
            Filter { project: Some("/home/me/project3"), ..text("sitory.carrepo") },
        ),
        (
            "a text of one tool and project",
            Filter {
                tool: Some("ide_find_symbol"),
                project: Some("/home/me/project3"),
                ..text("handler123")
            },
        ),
    ] {
        let page = if what.contains("the last page") { last } else { page };
        measured(what, || database.list(filter, page).unwrap().len());
    }
    measured("the number of all calls", || database.count().unwrap());
    measured("figures of every tool", || database.statistics(None, Group::Tool).unwrap().len());
    measured("figures of every client", || database.statistics(None, Group::Client).unwrap().len());
}

fn measured(what: &str, ask: impl Fn() -> usize) {
    let mut found = 0;
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            found = ask();
            started.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    println!(
        "{:>8.2} ms median {:>8.2} ms most  {found:>6} found  {what}",
        times[times.len() / 2],
        times[times.len() - 1]
    );
}
