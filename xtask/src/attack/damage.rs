//! Damaged caches, and edits with restarts between them: a server that starts from what lies there answers as one that
//! starts from nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Parser;
use serde_json::{Value, json};

use crate::ci::Counts;
use crate::mcp::Client;
use crate::repo;
use crate::syntax::Random;

#[derive(Parser)]
pub(super) struct Options {
    /// The server; without it the one of this tree is built.
    #[arg(long)]
    pub(super) binary: Option<PathBuf>,
    /// Rounds with a damaged file, and as many with edits.
    #[arg(long, default_value_t = 200)]
    pub(super) rounds: usize,
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
}

const TIMEOUT: Duration = Duration::from_secs(60);

const FILES: [(&str, &str); 14] = [
    (
        "lib.py",
        "class Box:\n    def target(self):\n        return 1\n\n\ndef make():\n    return Box().target()\n",
    ),
    ("use.py", "from lib import Box, make\n\nprint(make(), Box().target())\n"),
    ("A.java", "class A {\n    int target() { return 1; }\n}\n"),
    ("B.java", "class B extends A {\n    int target() { return super.target() + new A().target(); }\n}\n"),
    ("a.ts", "export function target(n: number) {\n    return n;\n}\n"),
    ("b.ts", "import { target } from './a';\n\nexport const two = target(2);\n"),
    ("go.mod", "module m\n\ngo 1.20\n"),
    ("a.go", "package m\n\nfunc target() int { return 1 }\n\nfunc Use() int { return target() }\n"),
    ("a.php", "<?php\nfunction target() { return 1; }\necho target();\n"),
    (
        "c.js",
        "export function target(n) {\n    return n;\n}\n\nclass Box {\n    get() {\n        return target(1);\n    }\n}\n",
    ),
    ("Cargo.toml", "[package]\nname = \"m\"\nversion = \"0.1.0\"\n"),
    (
        "src/lib.rs",
        "mod deep;\n\npub struct Box;\n\nimpl Box {\n    pub fn target(&self) -> i32 {\n        deep::aim()\n    }\n}\n",
    ),
    ("src/deep.rs", "pub fn aim() -> i32 {\n    1 + 1\n}\n"),
    ("K.kt", "fun target(n: Int) = n\n\nval two = target(2)\n"),
];

/// A server's home and the project.
pub(super) struct Place {
    pub(super) binary: PathBuf,
    pub(super) root: PathBuf,
}

impl Options {
    pub(super) fn run(&self) -> Result<Counts> {
        let binary = self.binary.clone().map_or_else(|| repo::server_binary(false), Ok)?.canonicalize()?;
        let root = repo::cache("attack-damage")?;
        fs::remove_dir_all(&root)?;
        let place = Place { binary, root };
        place.reset()?;
        let mut random = Random(self.seed);
        let mut counts = Counts::default();
        let wanted = place.answers("fresh")?.0;
        let mut rebuilt = 0;
        for round in 0..self.rounds {
            place.answers("home")?;
            let what = damage(&place.root.join("home"), &mut random)?;
            let told = place.answers("home").with_context(|| format!("round {round}: {what}"));
            rebuilt += usize::from(matches!(&told, Ok((_, true))));
            count(&mut counts, round, &what, told.map(|(answers, _)| answers), &wanted);
        }
        println!(
            "damage: {} rounds, {} wrong, {rebuilt} times the index was built anew",
            self.rounds, counts.failed
        );
        let before = counts.failed;
        place.reset()?;
        for round in 0..self.rounds {
            let what = place.edits(&mut random).with_context(|| format!("round {round}"))?;
            let told = place.answers("home").map(|(answers, _)| answers);
            place.empty("fresh")?;
            let wanted = place.answers("fresh")?.0;
            count(&mut counts, round, &what, told, &wanted);
        }
        println!("edits: {} rounds, {} wrong", self.rounds, counts.failed - before);
        Ok(counts)
    }
}

pub(super) fn count(
    counts: &mut Counts,
    round: usize,
    what: &str,
    told: Result<Vec<String>>,
    wanted: &[String],
) {
    let wrong = match told {
        Ok(told) if told == wanted => None,
        Ok(told) => {
            let differ = told.iter().zip(wanted).find(|(told, wanted)| told != wanted);
            Some(differ.map_or_else(String::new, |(told, wanted)| format!("got {told}\n  wanted {wanted}")))
        }
        Err(error) => Some(format!("{error:#}")),
    };
    match wrong {
        None => counts.passed += 1,
        Some(wrong) => counts.add(Counts::failed(&format!("round {round}, {what}"), &wrong)),
    }
}

/// Damages one file of a home; says which and how.
fn damage(home: &Path, random: &mut Random) -> Result<String> {
    let mut files = repo::walk(home, |_| false)?;
    files.retain(|file| fs::metadata(home.join(file)).is_ok_and(|data| data.len() > 0));
    let file = random.of(&files);
    let mut bytes = fs::read(home.join(file))?;
    let at = random.below(bytes.len());
    let how = match random.below(5) {
        0 => {
            bytes.truncate(at);
            "cut"
        }
        1 => {
            let end = bytes.len().min(at + 1 + random.below(64));
            bytes[at..end].fill(0);
            "zeroed"
        }
        2 => {
            bytes.extend_from_within(at..);
            "repeated"
        }
        _ => {
            for _ in 0..1 + random.below(8) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            "flipped"
        }
    };
    fs::write(home.join(file), bytes)?;
    Ok(format!("{} {how} at {at}", file.display()))
}

impl Place {
    /// The project as it is at first, and no home.
    pub(super) fn reset(&self) -> Result<()> {
        self.empty("project")?;
        self.empty("home")?;
        self.empty("fresh")?;
        for (path, text) in FILES {
            let path = self.root.join("project").join(path);
            fs::create_dir_all(path.parent().expect("a file lies in a folder"))?;
            fs::write(path, text)?;
        }
        Ok(())
    }

    pub(super) fn empty(&self, folder: &str) -> Result<()> {
        let folder = self.root.join(folder);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        Ok(fs::create_dir_all(&folder)?)
    }

    pub(super) fn start(&self, home: &str) -> Result<Client> {
        let config = self.root.join("config.toml");
        fs::write(&config, "enabled_tools = [\"*\"]\n")?;
        let mut command = repo::isolated(&self.binary)?;
        command.env("HOME", self.root.join(home)).args(["stdio", "--config"]).arg(&config);
        command.arg("--project").arg(self.root.join("project"));
        command.stderr(fs::File::create(self.root.join("server.log"))?);
        Client::start(&mut command, TIMEOUT)
    }

    /// The answers of a server with this home, and whether it says that it built its index anew.
    pub(super) fn answers(&self, home: &str) -> Result<(Vec<String>, bool)> {
        let mut client = self.start(home)?;
        let mut answers = Vec::new();
        let symbol = |language: &str, symbol: &str| json!({"language": language, "symbol": symbol});
        let questions = [
            ("ide_find_symbol", json!({"query": "*", "pageSize": 100})),
            ("ide_find_file", json!({"query": "*.*"})),
            ("ide_find_references", symbol("Python", "lib.Box.target")),
            ("ide_find_references", symbol("Java", "A#target")),
            ("ide_find_implementations", symbol("Java", "A#target")),
            ("ide_find_references", symbol("TypeScript", "a.ts#target")),
            ("ide_find_references", symbol("Go", "m.target")),
            ("ide_find_references", symbol("PHP", "target")),
            ("ide_find_references", symbol("Kotlin", "target")),
            ("ide_find_references", symbol("JavaScript", "c.js#target")),
            ("ide_find_references", symbol("Rust", "m::Box::target")),
            ("ide_search_text", json!({"query": "target"})),
        ];
        for (tool, arguments) in questions {
            let mut answer = client.call(tool, &arguments)?;
            // An index that turns out to be damaged in the middle of a question says so once.
            if answer.is_error && answer.value["retryable"] == true {
                answer = client.call(tool, &arguments)?;
            }
            answers.push(format!("{tool} {}", answer.value));
        }
        let status = client.call("ide_index_status", &json!({}))?.value.to_string();
        drop(client);
        let log = fs::read_to_string(self.root.join("server.log"))?;
        let panic = log.lines().find(|line| line.contains("panicked"));
        anyhow::ensure!(panic.is_none(), "{}", panic.unwrap_or_default());
        Ok((answers, status.contains("rebuiltBecause")))
    }

    /// Some writes, some taken back or made again, by one server that is then ended or killed.
    fn edits(&self, random: &mut Random) -> Result<String> {
        let mut client = self.start("home")?;
        let mut done = Vec::new();
        for _ in 0..1 + random.below(4) {
            let name = ["target", "aim", "goal"][random.below(3)];
            let old = *random.of(&["lib.Box.target", "lib.Box.aim", "lib.Box.goal"]);
            let (tool, arguments): (&str, Value) = match random.below(8) {
                0 => ("ide_refactor_rename", json!({"language": "Python", "symbol": old, "newName": name})),
                1 => {
                    ("ide_refactor_rename", json!({"file": "a.go", "line": 3, "column": 6, "newName": name}))
                }
                2 => (
                    "ide_replace_text_in_file",
                    json!({"file": "K.kt", "search": "Int", "replace": "Long", "all": true}),
                ),
                3 => (
                    "ide_create_file",
                    json!({"file": format!("{name}.py"), "content": "from lib import make\n\nmake()\n"}),
                ),
                4 => ("ide_delete_file", json!({"file": format!("{name}.py")})),
                5 => ("ide_redo", json!({})),
                _ => ("ide_undo", json!({})),
            };
            let answer = client.call(tool, &arguments)?;
            done.push(format!("{tool} {}", if answer.is_error { "refused" } else { "done" }));
        }
        if random.below(2) == 0 {
            client.kill();
        }
        Ok(done.join(", "))
    }
}
