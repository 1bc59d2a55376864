//! Two calls that write to one project, one a random time after the other.
//!
//! The tree that each pair leaves when one follows the other is found out first, both ways. A round in which both run
//! at once must leave one of these two trees, and the answers that belong to it: a tree of neither is torn.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, ensure};
use clap::Parser;
use serde_json::{Value, json};

use crate::ci::Counts;
use crate::mcp::Client;
use crate::repo;

#[derive(Parser)]
pub(crate) struct Options {
    /// The server; without it the one of this tree is built.
    #[arg(long)]
    pub(super) binary: Option<PathBuf>,
    /// Rounds in one server, and as many in two.
    #[arg(long, default_value_t = 200)]
    pub(super) rounds: usize,
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
}

/// Files that use what is renamed.
const USERS: usize = 40;
/// The second call begins within so many microseconds of the first.
const DISTANCE: u64 = 30_000;
const TIMEOUT: Duration = Duration::from_secs(60);

type Tree = BTreeMap<String, String>;
/// Whether each of the two calls succeeded, and what is left.
type Outcome = ([bool; 2], Tree);

fn files() -> Tree {
    let user = |n| (format!("use{n}.py"), format!("from lib import hello, Box\n\nv{n} = hello(Box({n}))\n"));
    let mut files: Tree = (0..USERS).map(user).collect();
    files.insert("lib.py".to_owned(), "class Box:\n    pass\n\n\ndef hello(x):\n    return x\n".to_owned());
    files
}

fn calls() -> Vec<(&'static str, Value)> {
    let rename = |name: &str| json!({"file": "lib.py", "line": 5, "column": 5, "newName": name});
    vec![
        ("ide_refactor_rename", rename("first")),
        ("ide_refactor_rename", rename("second")),
        ("ide_refactor_rename", json!({"language": "Python", "symbol": "lib.Box", "newName": "Crate"})),
        (
            "ide_replace_text_in_file",
            json!({"file": "use3.py", "search": "hello", "replace": "other", "all": true}),
        ),
        ("ide_create_file", json!({"file": "use99.py", "content": "from lib import hello\n\nhello(1)\n"})),
        ("ide_refactor_safe_delete", json!({"file": "use5.py", "line": 3, "column": 1})),
    ]
}

pub(crate) fn run(options: &Options) -> Result<Counts> {
    let binary = options.binary.clone().map_or_else(|| repo::server_binary(false), Ok)?.canonicalize()?;
    let home = repo::cache("attack-writers")?;
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    let project = home.join("project");
    fs::create_dir_all(&project)?;
    reset(&project)?;
    let tools: Vec<&str> = calls().iter().map(|(tool, _)| *tool).collect();
    let settings = home.join("settings.toml");
    let state = home.join("state");
    fs::write(
        &settings,
        format!("enabled_tools = {tools:?}\nstate_dir = {state:?}\nprojects = [{project:?}]\n"),
    )?;
    let start = |cache: &str| {
        let mut command = Command::new(&binary);
        command.arg("--config").arg(&settings).arg("stdio").current_dir(&project);
        Client::start(command.env("XDG_CACHE_HOME", home.join(cache)), TIMEOUT)
    };
    let (mut one, mut two) = (start("one")?, start("two")?);
    let mut serial: BTreeMap<(usize, usize), [Outcome; 2]> = BTreeMap::new();
    let mut random = options.seed;
    let mut counts = Counts::default();
    for round in 0..options.rounds * 2 {
        let mut next = |below: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % below
        };
        let many = calls().len() as u64;
        let pair = (next(many) as usize, next(many) as usize);
        let distance = Duration::from_micros(next(DISTANCE));
        if let Entry::Vacant(entry) = serial.entry(pair) {
            entry.insert(both_ways(&mut one, &project, pair)?);
        }
        reset(&project)?;
        let calls = calls();
        let (a, b) = (&calls[pair.0], &calls[pair.1]);
        let is_one = round < options.rounds;
        let first = one.begin(a.0, &a.1)?;
        std::thread::sleep(distance);
        let done = if is_one {
            let second = one.begin(b.0, &b.1)?;
            [!one.end(first)?.is_error, !one.end(second)?.is_error]
        } else {
            let second = two.begin(b.0, &b.1)?;
            [!one.end(first)?.is_error, !two.end(second)?.is_error]
        };
        let found = (done, tree(&project)?);
        if serial[&pair].contains(&found) {
            counts.passed += 1;
        } else {
            counts.failed += 1;
            let servers = if is_one { "one server" } else { "two servers" };
            println!("torn, {servers}, {distance:?}: {} {} and {} {}: {found:?}", a.0, a.1, b.0, b.1);
        }
    }
    println!(
        "writers: {} rounds in one server and {} in two, {} torn",
        options.rounds, options.rounds, counts.failed
    );
    Ok(counts)
}

/// The trees that a pair leaves when the first goes before the second, and when it goes after it.
fn both_ways(client: &mut Client, project: &Path, (a, b): (usize, usize)) -> Result<[Outcome; 2]> {
    let calls = calls();
    let mut after = |first: usize, second: usize| -> Result<Outcome> {
        reset(project)?;
        let mut call = |n: usize| client.call(calls[n].0, &calls[n].1).map(|answer| !answer.is_error);
        let done = [call(first)?, call(second)?];
        ensure!(done[0], "{} {} alone is refused", calls[first].0, calls[first].1);
        Ok((done, tree(project)?))
    };
    let forth = after(a, b)?;
    let (done, tree) = after(b, a)?;
    Ok([forth, ([done[1], done[0]], tree)])
}

/// Writes the project as it is before each round.
fn reset(project: &Path) -> Result<()> {
    let wanted = files();
    for path in tree(project)?.keys().filter(|path| !wanted.contains_key(*path)) {
        fs::remove_file(project.join(path))?;
    }
    let inner = project.join("inner");
    if inner.exists() {
        fs::remove_dir(inner)?;
    }
    for (path, text) in wanted {
        let path = project.join(path);
        if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            fs::write(&path, text)?;
        }
    }
    Ok(())
}

fn tree(project: &Path) -> Result<Tree> {
    let mut files = Tree::new();
    for path in repo::walk(project, |_| false)? {
        files.insert(path.to_string_lossy().into_owned(), fs::read_to_string(project.join(&path))?);
    }
    Ok(files)
}
