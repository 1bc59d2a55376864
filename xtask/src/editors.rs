//! `cargo xtask editors`: editors and client libraries that others wrote use the built binary as their language server.
//!
//! Each project below `proof/editors/projects` is edited in the same way by each client; `scenarios.json` names the places.
//! The clients print what they saw, and it is judged here. A relay between client and server records what they say, for the
//! test `ide-server/tests/it/recorded.rs`.

mod relay;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ci::Counts;
use crate::e2e::{Runtime, program};
use crate::foreign::{self, Missing};
use crate::{dashboard, debian, repo};

pub(crate) use relay::{body, run as relay};

#[derive(Args, Default)]
pub(crate) struct Options {
    /// Clients or projects, by name; none means all.
    only: Vec<String>,
    /// Also keep what client and server say, for the test that replays it.
    #[arg(long)]
    record: bool,
}

/// A client, and the script that leads it.
struct Client {
    name: &'static str,
    folder: &'static str,
    runtime: Runtime,
    script: &'static str,
    needs: Option<Needs>,
}

/// A program that is none of a package registry; the script finds it in the environment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Browser,
    Helix,
}

impl Needs {
    fn variable(self) -> &'static str {
        match self {
            Self::Browser => "CHROMIUM",
            Self::Helix => "HELIX",
        }
    }

    fn find(self) -> Result<Result<PathBuf, Missing>> {
        match self {
            Self::Browser => {
                Ok(dashboard::browser().ok_or_else(|| Missing(dashboard::NO_BROWSER.to_owned())))
            }
            Self::Helix => Ok(debian::program("hx")?.map(|bin| bin.join("hx"))),
        }
    }
}

const CLIENTS: [Client; 4] = [
    Client {
        name: "neovim",
        folder: "proof/editors/python",
        runtime: Runtime::Python,
        script: "neovim",
        needs: None,
    },
    Client {
        name: "pytest-lsp",
        folder: "proof/editors/python",
        runtime: Runtime::Python,
        script: "protocol",
        needs: None,
    },
    Client {
        name: "helix",
        folder: "proof/editors/python",
        runtime: Runtime::Python,
        script: "helix",
        needs: Some(Needs::Helix),
    },
    Client {
        name: "vscode",
        folder: "proof/editors/vscode",
        runtime: Runtime::Node,
        script: "run",
        needs: Some(Needs::Browser),
    },
];

impl Client {
    /// The command, without what a run is about.
    fn command(&self) -> Result<Result<Program, Missing>> {
        let needed = match self.needs.map(Needs::find).transpose()? {
            Some(Err(missing)) => return Ok(Err(missing)),
            found => found.and_then(Result::ok),
        };
        let environment = self.needs.map(Needs::variable).zip(needed);
        let words = program(self.folder, self.runtime, self.script)?;
        Ok(words.map(|words| Program { words, environment }))
    }
}

struct Program {
    words: Vec<PathBuf>,
    environment: Option<(&'static str, PathBuf)>,
}

/// One client with one project.
const DEADLINE: Duration = Duration::from_secs(120);

/// Places are `file:text` with `|` where the caret is.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    project: String,
    language: String,
    editing: String,
    /// A use of a method that another file declares, its declaration and all uses.
    #[serde(rename = "use")]
    usage: String,
    declaration: String,
    uses: Vec<String>,
    hover: Vec<String>,
    call: String,
    signature: String,
    typed: Typed,
    unsaved: Unsaved,
    broken: Broken,
    unused: Unused,
    /// The method's new name.
    name: String,
}

/// A text that ends where members are completed.
#[derive(Deserialize)]
struct Typed {
    at: String,
    text: String,
    offers: Vec<String>,
    not: Vec<String>,
}

/// A method that is on no disk yet.
#[derive(Deserialize)]
struct Unsaved {
    at: String,
    text: String,
    name: String,
}

#[derive(Deserialize)]
struct Broken {
    at: String,
    text: String,
    says: String,
}

/// An import that organizing removes.
#[derive(Deserialize)]
struct Unused {
    text: String,
    /// The error about it, where it is one in the language.
    error: Option<String>,
}

/// A place as the protocol counts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct At {
    file: String,
    line: usize,
    character: usize,
}

impl At {
    fn find(project: &Path, place: &str) -> Result<Self> {
        let (file, needle) = place.split_once(':').context("a place is `file:text`")?;
        let (before, behind) = needle.split_once('|').with_context(|| format!("{place} has no caret"))?;
        let text = fs::read_to_string(project.join(file)).with_context(|| file.to_owned())?;
        let found = text.find(&format!("{before}{behind}")).with_context(|| format!("{place} is nowhere"))?;
        let above = &text[..found + before.len()];
        let line = above.rsplit('\n').next().unwrap_or_default();
        let character = line.encode_utf16().count();
        Ok(Self { file: file.to_owned(), line: above.matches('\n').count(), character })
    }

    fn step(&self, what: &str) -> Value {
        json!({ "do": what, "file": self.file, "line": self.line, "character": self.character })
    }

    fn shown(&self) -> String {
        format!("{}:{}:{}", self.file, self.line, self.character)
    }
}

fn with(mut step: Value, key: &str, value: &str) -> Value {
    step[key] = value.into();
    step
}

impl Scenario {
    /// The steps, in an order in which each finds the project as it expects it.
    fn steps(&self, project: &Path) -> Result<Vec<Value>> {
        let find = |place: &str| At::find(project, place);
        let (usage, call) = (find(&self.usage)?, find(&self.call)?);
        let (typed, unsaved) = (find(&self.typed.at)?, find(&self.unsaved.at)?);
        let broken = find(&self.broken.at)?;
        let editing = |what: &str| json!({ "do": what, "file": self.editing });
        let clean = || with(editing("problems"), "besides", self.unused.error.as_deref().unwrap_or_default());
        let organize = At { file: self.editing.clone(), line: 0, character: 0 };
        Ok(vec![
            usage.step("hover"),
            usage.step("definition"),
            usage.step("references"),
            call.step("signature"),
            clean(),
            with(broken.step("type"), "text", &self.broken.text),
            with(editing("problems"), "says", &self.broken.says),
            editing("revert"),
            clean(),
            with(typed.step("complete"), "text", &self.typed.text),
            editing("revert"),
            with(unsaved.step("type"), "text", &self.unsaved.text),
            with(typed.step("complete"), "text", &self.typed.text),
            editing("revert"),
            json!({ "do": "revert", "file": unsaved.file }),
            with(organize.step("action"), "kind", "source.organizeImports"),
            editing("revert"),
            with(usage.step("rename"), "name", &self.name),
            usage.step("references"),
        ])
    }

    fn declared_and_used(&self, project: &Path) -> Result<Vec<At>> {
        let mut all = vec![At::find(project, &self.declaration)?];
        for usage in &self.uses {
            all.push(At::find(project, usage)?);
        }
        all.sort();
        Ok(all)
    }

    /// Holds what a client saw against what is right; `before` is the project as it was.
    fn judge(&self, seen: &[Value], before: &Path, after: &Path) -> Result<()> {
        let [
            hover,
            definition,
            references,
            signature,
            clean,
            _,
            broken,
            _,
            mended,
            completed,
            _,
            _,
            again,
            _,
            _,
            organized,
            _,
            _,
            last,
        ] = seen
        else {
            bail!("{} steps were done", seen.len())
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let hover = text(hover);
        for part in &self.hover {
            ensure!(hover.contains(part), "hover: no `{part}` in\n{hover}");
        }
        let declaration = At::find(before, &self.declaration)?;
        ensure!(*definition == json!([declaration.shown()]), "definition: {definition}");
        let all = self.declared_and_used(before)?;
        let expected: Vec<String> = all.iter().map(At::shown).collect();
        ensure!(sorted(references) == expected, "references: {references} and not {expected:?}");
        let signature = text(signature);
        ensure!(signature.contains(&self.signature), "signature: {signature}");
        let errors = |found: &Value| {
            let is_error =
                |one: &&Value| one[1] == 1 && one[2].as_str().map(str::to_owned) != self.unused.error;
            found.as_array().map(|found| found.iter().filter(is_error).cloned().collect::<Vec<_>>())
        };
        ensure!(errors(clean) == Some(Vec::new()), "problems of what is right: {clean}");
        let first = At::find(before, &self.broken.at)?.line;
        let found = errors(broken).unwrap_or_default();
        let lines = first + 1..=first + self.broken.text.matches('\n').count();
        let is_there = |one: &Value| {
            one[0].as_u64().is_some_and(|line| lines.contains(&(line as usize)))
                && text(&one[2]).contains(&self.broken.says)
        };
        ensure!(!found.is_empty() && found.iter().all(is_there), "problems: {broken}");
        ensure!(mended == clean, "problems after the mistake is gone: {mended} and not {clean}");
        let offered = |list: &Value| -> Vec<String> {
            list.as_array().into_iter().flatten().map(&text).map(|label| name_of(&label)).collect()
        };
        let first_list = offered(completed);
        let mut wanted = self.typed.offers.clone();
        for list in [&first_list, &offered(again)] {
            let lacks: Vec<&String> = wanted.iter().filter(|name| !list.contains(name)).collect();
            ensure!(lacks.is_empty(), "completion: no {lacks:?} in {list:?}");
            let odd: Vec<&String> = self.typed.not.iter().filter(|name| list.contains(name)).collect();
            ensure!(odd.is_empty(), "completion: {odd:?} in {list:?}");
            wanted.push(self.unsaved.name.clone());
        }
        ensure!(!first_list.contains(&self.unsaved.name), "completion: what was not there yet");
        let saved = fs::read_to_string(before.join(&self.editing))?;
        let expected = saved.replacen(&self.unused.text, "", 1);
        ensure!(text(organized) == expected, "organized imports:\n{}", text(organized));
        let renamed = self.renamed(before, &all)?;
        for file in repo::walk(before, |_| false)? {
            let name = file.to_string_lossy().into_owned();
            let known = renamed.iter().find(|(path, _)| *path == name);
            let expected = match known {
                Some((_, text)) => text.clone(),
                None => fs::read_to_string(before.join(&file))?,
            };
            let found = fs::read_to_string(after.join(&file))?;
            ensure!(found == expected, "{name} after the rename:\n{found}");
        }
        // No two of them stand on one line, so that places are as before.
        let expected: Vec<String> = all.iter().map(At::shown).collect();
        ensure!(sorted(last) == expected, "references after the rename: {last}");
        Ok(())
    }

    /// The files that a rename changes, with their new text.
    fn renamed(&self, project: &Path, all: &[At]) -> Result<Vec<(String, String)>> {
        let mut texts: Vec<(String, String)> = Vec::new();
        for at in all {
            if !texts.iter().any(|(file, _)| *file == at.file) {
                texts.push((at.file.clone(), fs::read_to_string(project.join(&at.file))?));
            }
            let (_, text) = texts.iter_mut().find(|(file, _)| *file == at.file).context("was just put")?;
            let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
            let units: Vec<u16> = lines[at.line].encode_utf16().collect();
            let (head, tail) = units.split_at(at.character);
            let (head, tail) = (String::from_utf16(head)?, String::from_utf16(tail)?);
            let old = tail.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(tail.len());
            lines[at.line] = format!("{head}{}{}", self.name, &tail[old..]);
            *text = lines.join("\n");
        }
        Ok(texts)
    }
}

/// The name in a label such as `add(…)`.
fn name_of(label: &str) -> String {
    label.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

fn sorted(places: &Value) -> Vec<String> {
    let mut all: Vec<String> =
        places.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    all.sort();
    all
}

/// A folder outside of the repository, whose ignored folders are nobody's project; gone when dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let folder = env::temp_dir().join(format!("ide-index-editors-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        Ok(Self(folder.canonicalize()?))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A leftover below the system's folder for such is nobody's harm.
        drop(fs::remove_dir_all(&self.0));
    }
}

pub(crate) fn in_ci() -> Result<Counts> {
    run(&Options::default())
}

/// Every client with every project.
pub(crate) fn run(options: &Options) -> Result<Counts> {
    let mut counts = Counts::default();
    let binary = repo::server_binary(false)?;
    let proof = repo::root().join("proof/editors");
    let text = fs::read_to_string(proof.join("scenarios.json"))?;
    let scenarios: Vec<Scenario> = serde_json::from_str(&text).context("in scenarios.json")?;
    let scratch = Scratch::new()?;
    let is_wanted = |client: &str, project: &str| {
        options.only.is_empty() || options.only.iter().any(|only| only == client || only == project)
    };
    for client in &CLIENTS {
        let mut wanted =
            scenarios.iter().filter(|scenario| is_wanted(client.name, &scenario.project)).peekable();
        if wanted.peek().is_none() {
            continue;
        }
        let program = match client.command()? {
            Ok(program) => program,
            Err(Missing(why)) => {
                counts.add(Counts::skipped(client.name, &why));
                continue;
            }
        };
        for scenario in wanted {
            let begun = Instant::now();
            let name = format!("{}-{}", client.name, scenario.project);
            match one(&program, scenario, &binary, &scratch.0.join(&name), options.record.then_some(&*name)) {
                Ok(()) => {
                    println!("ok {name}: {:.1} s", begun.elapsed().as_secs_f64());
                    counts.passed += 1;
                }
                Err(error) => counts.add(Counts::failed(&name, &format!("{error:#}"))),
            }
        }
    }
    Ok(counts)
}

fn one(
    program: &Program,
    scenario: &Scenario,
    binary: &Path,
    scratch: &Path,
    record: Option<&str>,
) -> Result<()> {
    let before = repo::root().join("proof/editors/projects").join(&scenario.project);
    let project = scratch.join("shop");
    foreign::copy_folder(&before, &project)?;
    let steps = scratch.join("steps.json");
    let asked = json!({ "language": scenario.language, "steps": scenario.steps(&before)? });
    fs::write(&steps, asked.to_string())?;
    let mut command = Command::new(&program.words[0]);
    command.args(&program.words[1..]).arg(&project).arg(&steps).arg("--");
    let recording = scratch.join("said.jsonl");
    if record.is_some() {
        command.arg(env::current_exe()?).args(["relay".as_ref(), recording.as_os_str(), project.as_os_str()]);
    }
    command.arg(binary).arg("lsp").current_dir(scratch);
    command.envs(program.environment.clone());
    for (place, folder) in [
        ("HOME", ""),
        ("XDG_CACHE_HOME", "cache"),
        ("XDG_CONFIG_HOME", "config"),
        ("XDG_STATE_HOME", "state"),
    ] {
        command.env(place, scratch.join("home").join(folder));
    }
    let said = foreign::output_within(&mut command, DEADLINE, &scratch.join("log"))?;
    let line = said.lines().last().context("the client printed nothing")?;
    let report: Value =
        serde_json::from_str(line).with_context(|| format!("the client printed {line:.300}"))?;
    let seen = report["seen"].as_array().context("no steps were seen")?;
    scenario.judge(seen, &before, &project)?;
    if let Some(name) = record {
        let kept = repo::root().join("ide-server/tests/recorded").join(format!("{name}.jsonl"));
        fs::create_dir_all(kept.parent().context("has a folder")?)?;
        fs::copy(&recording, &kept)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_as_the_protocol_does() {
        let folder = tempfile::tempdir().expect("there is a temporary folder");
        fs::write(folder.path().join("a.py"), "one\n\"🛒\" + two()\n").expect("is written");
        let at = At::find(folder.path(), "a.py:+ t|wo(").expect("is there");
        assert_eq!(at.shown(), "a.py:1:8");
        assert!(At::find(folder.path(), "a.py:th|ree").is_err());
    }
}
