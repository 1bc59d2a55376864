//! Random changes, taken back and made again in random order, by servers that are killed at random moments.
//!
//! Each round writes with every tool that writes, at random names of all languages. Some servers are killed while they write. At the
//! end of a round the answers are those of a fresh index, and once everything is taken back the tree is what it was, byte by
//! byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use clap::Parser;
use serde_json::json;

use super::asking::{self, Question};
use super::damage::{Place, count};
use crate::ci::Counts;
use crate::repo;
use crate::syntax::{Random, tokens};

#[derive(Parser)]
pub(super) struct Options {
    /// The server; without it the one of this tree is built.
    #[arg(long)]
    pub(super) binary: Option<PathBuf>,
    #[arg(long, default_value_t = 50)]
    pub(super) rounds: usize,
    /// Servers that change the project in a round, one after the other.
    #[arg(long, default_value_t = 4)]
    pub(super) servers: usize,
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
}

/// A server that is killed is killed within so many microseconds after it was asked.
const UNTIL_KILLED: usize = 60_000;
/// More changes are not made in a round.
const MOST_CHANGES: usize = 500;

/// The bytes of every file.
type Tree = BTreeMap<PathBuf, Vec<u8>>;

impl Options {
    pub(super) fn run(&self) -> Result<Counts> {
        let binary = self.binary.clone().map_or_else(|| repo::server_binary(false), Ok)?.canonicalize()?;
        let root = repo::cache("attack-undo")?;
        fs::remove_dir_all(&root)?;
        let place = Place { binary, root };
        let mut random = Random(self.seed);
        let mut counts = Counts::default();
        let mut changes = 0;
        for round in 0..self.rounds {
            place.reset()?;
            let before = tree(&place)?;
            let mut done = Vec::new();
            for _ in 0..self.servers {
                done.push(changed(&place, &mut random).with_context(|| format!("round {round}"))?);
            }
            let told = place.answers("home").map(|(answers, _)| answers);
            place.empty("fresh")?;
            let wanted = place.answers("fresh")?.0;
            let done = done.join("; ");
            count(&mut counts, round, &done, told, &wanted);
            let undone = all_undone(&place).and_then(|n| {
                changes += n;
                let after = tree(&place)?;
                ensure!(after == before, "the tree differs in {}", differences(&before, &after));
                Ok(Vec::new())
            });
            count(&mut counts, round, &done, undone, &[]);
        }
        println!(
            "undo: {} rounds, {changes} changes taken back at their ends, {} wrong",
            self.rounds, counts.failed
        );
        Ok(counts)
    }
}

fn tree(place: &Place) -> Result<Tree> {
    let project = place.root.join("project");
    let files = repo::walk(&project, |_| false)?.into_iter();
    files.map(|file| Ok((file.clone(), fs::read(project.join(file))?))).collect()
}

fn differences(before: &Tree, after: &Tree) -> String {
    let differs = |file: &&PathBuf| before.get(*file) != after.get(*file);
    let all: std::collections::BTreeSet<&PathBuf> =
        before.keys().chain(after.keys()).filter(differs).collect();
    let shown = |file: &&PathBuf| {
        let text = |tree: &Tree| tree.get(*file).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        format!("{}: {:?} became {:?}", file.display(), text(before), text(after))
    };
    all.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// Some changes by one server that is then ended, or killed while it makes the last one.
fn changed(place: &Place, random: &mut Random) -> Result<String> {
    let mut client = place.start("home")?;
    let mut done = Vec::new();
    for _ in 0..1 + random.below(6) {
        let (tool, arguments) = match random.below(8) {
            0 | 1 => ("ide_undo", json!({})),
            2 => ("ide_redo", json!({})),
            _ => change(place, random)?,
        };
        let is_killed = random.below(12) == 0;
        let asked = client.begin(tool, &arguments)?;
        if is_killed {
            std::thread::sleep(Duration::from_micros(random.below(UNTIL_KILLED) as u64));
            client.kill();
            done.push(format!("{tool} {arguments} killed"));
            return Ok(done.join(", "));
        }
        let answer = client.end(asked).with_context(|| format!("{}, {tool} {arguments}", done.join(", ")))?;
        ensure!(answer.value["error"] != "internal", "{tool} {arguments}: {}", answer.value);
        if !answer.is_error {
            done.push(format!("{tool} {arguments}"));
        }
    }
    Ok(done.join(", "))
}

/// A tool that writes, at a name of some file.
fn change(place: &Place, random: &mut Random) -> Result<Question> {
    let all = tree(place)?;
    let texts: Vec<(&PathBuf, &str)> = all
        .iter()
        .filter_map(|(file, bytes)| Some((file, std::str::from_utf8(bytes).ok()?)))
        .filter(|(_, text)| !tokens(text).is_empty())
        .collect();
    if texts.is_empty() {
        return Ok(("ide_create_file", json!({"file": "again.py", "content": "def target():\n    pass\n"})));
    }
    let (file, text) = *random.of(&texts);
    let (start, _) = *random.of(&tokens(text));
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let column = text[line..start].encode_utf16().count() + 1;
    let name = file.to_string_lossy();
    let mut questions = asking::at(&name, text[..start].matches('\n').count() + 1, column);
    questions.extend(asking::of_file(&name));
    questions.retain(|(_, arguments)| arguments["dryRun"] == true);
    let fresh = random.below(1_000);
    questions.push((
        "ide_create_file",
        json!({"file": format!("new{fresh}.py"), "content": "from lib import make\n\nmake()\n"}),
    ));
    questions.push(("ide_delete_file", json!({"file": name})));
    questions.push((
        "ide_replace_text_in_file",
        json!({"file": name, "search": "1", "replace": "2", "all": true}),
    ));
    let (tool, mut arguments) = random.of(&questions).clone();
    if let Some(arguments) = arguments.as_object_mut() {
        arguments.remove("dryRun");
        for key in ["newName", "variableName", "methodName"] {
            arguments.entry(key).and_modify(|name| *name = json!(format!("name{fresh}")));
        }
    }
    Ok((tool, arguments))
}

/// Takes back everything that can be taken back; says how much that was.
fn all_undone(place: &Place) -> Result<usize> {
    let mut client = place.start("home")?;
    for n in 0..MOST_CHANGES {
        let answer = client.call("ide_undo", &json!({}))?;
        if answer.is_error {
            let error = answer.value["error"].as_str().unwrap_or_default();
            ensure!(error == "nothing_to_undo", "after {n} changes: {}", answer.value);
            return Ok(n);
        }
    }
    bail!("there is always one more change to take back")
}
