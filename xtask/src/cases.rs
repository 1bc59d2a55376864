//! `cargo xtask cases DIR`: small projects, each with an `EXPECT.txt` of commands, what is expected of them and what once
//! came, run by the built binary on copies, as a table to read.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::{foreign, repo};

/// The folder of cases, and which of them.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// The folder of the cases.
    dir: PathBuf,
    /// Only cases whose names contain this.
    only: Option<String>,
}

/// A command with what is expected of it.
#[derive(Debug, Default, PartialEq, Eq)]
struct Case {
    command: String,
    expected: String,
    before: String,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let binary = repo::server_binary(false)?;
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(&options.dir)?.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    folders.sort();
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(text) = std::fs::read_to_string(folder.join("EXPECT.txt")) else { continue };
        if options.only.as_ref().is_some_and(|only| !name.contains(only)) {
            continue;
        }
        println!("== {name}");
        for case in cases(&text) {
            println!("command:  {}", case.command);
            println!("expected: {}", case.expected);
            println!("before:   {}", shortened(&case.before));
            println!("now:      {}\n", shortened(&outcome(&binary, &folder, &case.command)?));
        }
    }
    Ok(())
}

/// The commands of an `EXPECT.txt`. Lines that begin with no word of their own go on with the one before.
fn cases(text: &str) -> Vec<Case> {
    let mut found: Vec<Case> = Vec::new();
    let mut part = "";
    for line in text.lines() {
        let labelled = ["command:", "expected:", "got:"]
            .into_iter()
            .find_map(|label| Some((label, line.strip_prefix(label)?.trim())));
        let (label, rest) = labelled.unwrap_or((part, line));
        part = label;
        if labelled.is_some() && label == "command:" {
            found.push(Case::default());
        }
        let Some(case) = found.last_mut() else { continue };
        let into = match label {
            "command:" => &mut case.command,
            "expected:" => &mut case.expected,
            _ => &mut case.before,
        };
        if !into.is_empty() {
            into.push('\n');
        }
        into.push_str(rest);
    }
    for case in &mut found {
        case.command = case.command.trim().to_owned();
        case.expected = case.expected.trim().to_owned();
        case.before = case.before.trim().to_owned();
    }
    found
}

/// The output of a command, and its changes of a copy of the project.
fn outcome(binary: &Path, folder: &Path, command: &str) -> Result<String> {
    let Some(arguments) = command.lines().next().and_then(|line| line.trim().strip_prefix("ide-index-mcp "))
    else {
        return Ok("(to be run by hand)".to_owned());
    };
    if !(arguments.starts_with("call ") || arguments.contains("stdio < ")) {
        return Ok("(to be run by hand)".to_owned());
    }
    let work = repo::cache("cases")?;
    let (old, new) = (work.join("old"), work.join("new"));
    for copy in [&old, &new] {
        if copy.exists() {
            std::fs::remove_dir_all(copy)?;
        }
        foreign::copy_folder(folder, copy)?;
    }
    let mut shell = repo::isolated(Path::new("timeout"))?;
    shell.arg("120").env("BINARY", binary).current_dir(&new);
    if arguments.starts_with("call ") {
        shell.arg(binary).args(words(arguments));
    } else {
        shell.args(["sh", "-c", &format!("\"$BINARY\" {arguments}")]);
    }
    let output = shell.output().context("cannot run the command")?;
    let mut text = format!("rc {}: ", output.status.code().unwrap_or(-1));
    text.push_str(String::from_utf8_lossy(&output.stdout).trim());
    if output.stdout.is_empty() {
        text.push_str(String::from_utf8_lossy(&output.stderr).trim());
    }
    let difference = Command::new("diff").args(["-ruN", "old", "new"]).current_dir(&work).output()?;
    let difference = String::from_utf8_lossy(&difference.stdout);
    for line in difference.lines().filter(|line| line.starts_with(['+', '-']) && !line.starts_with("---")) {
        text.push_str(&format!("\n   {line}"));
    }
    Ok(text)
}

/// The arguments of a command line without quotes: a JSON value may contain blanks.
fn words(arguments: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in arguments.split(' ').filter(|word| !word.is_empty()) {
        match words.last_mut() {
            Some(value) if is_unfinished(value) => {
                value.push(' ');
                value.push_str(word);
            }
            _ => words.push(word.to_owned()),
        }
    }
    words
}

fn is_unfinished(word: &str) -> bool {
    word.starts_with(['[', '{']) && serde_json::from_str::<serde_json::Value>(word).is_err()
}

/// As much of a text as a person reads.
fn shortened(text: &str) -> String {
    const MOST: usize = 1_200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_json_value_is_one_argument() {
        assert_eq!(
            words(r#"call x --parameters [{"name": "n"}, {"name": "m"}] --json"#),
            ["call", "x", "--parameters", r#"[{"name": "n"}, {"name": "m"}]"#, "--json"]
        );
    }

    #[test]
    fn commands_and_what_goes_on_over_lines() {
        let text = "A note.\n\ncommand:  ide-index-mcp call x\nexpected: one\ngot:      rc 0\n   +more\n\ncommand: y\nexpected: two\ngot: z\n";
        let found = cases(text);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].command, "ide-index-mcp call x");
        assert_eq!((found[0].expected.as_str(), found[0].before.as_str()), ("one", "rc 0\n   +more"));
        assert_eq!(found[1].expected, "two");
    }
}
