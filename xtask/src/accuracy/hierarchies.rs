//! The hierarchy tools against compilers: `accuracy/hierarchies/*.jsonl` and its figures in `accuracy/hierarchies.csv`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::Server;
use super::score::Counts;
use super::truth::{Lines, Place};
use crate::repo;

/// What is asked of the declaration at a place. Everything transitive, within the project.
#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
enum Ask {
    Supertypes,
    Subtypes,
    /// Subtypes that nobody wrote down (Go).
    Implementations,
    /// The methods that a method overrides or implements.
    Overridden,
    /// The methods that override or implement a method.
    Overriding,
    /// The declarations that call a function, also by what it overrides; what is only possible is left out.
    Callers,
    /// The declarations that a function calls.
    Callees,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: Ask,
    at: Place,
    name: String,
    want: Lines,
}

/// The first row of a file: which compiler, and which files it read. Answers elsewhere are neither right nor wrong.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    #[expect(dead_code, reason = "for who reads the file")]
    oracle: String,
    read: Vec<String>,
    unread: Vec<String>,
}

struct Truth {
    head: Head,
    questions: Vec<Question>,
}

/// The questions about a project, `None` when there are none.
fn truth(project: &str) -> Result<Option<Truth>> {
    let file = repo::root().join(format!("accuracy/hierarchies/{project}.jsonl"));
    if !file.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut lines = text.lines();
    let head = serde_json::from_str(lines.next().unwrap_or(""))
        .with_context(|| format!("the first row of {}", file.display()))?;
    let row = |line| serde_json::from_str(line).with_context(|| format!("in {}: {line}", file.display()));
    Ok(Some(Truth { head, questions: lines.map(row).collect::<Result<_>>()? }))
}

/// Asks everything that is known of a project; each disagreement is printed. `None` when nothing is.
pub(super) fn measure(project: &str, server: &mut Server) -> Result<Option<Counts>> {
    let Some(Truth { head, questions }) = truth(project)? else { return Ok(None) };
    let is_read = |file: &str| {
        let is_outside = file.starts_with('/') || file.contains("://");
        !is_outside
            && head.read.iter().any(|prefix| file.starts_with(prefix))
            && !head.unread.iter().any(|one| one == file)
    };
    let mut sum = Counts::default();
    for Question { ask, at, name, want } in questions {
        let rows = server.rows(ask, &at)?;
        let got: BTreeSet<(String, u32)> = rows
            .iter()
            .filter(|row| row["name"] != "<anonymous>" && !is_possible(ask, row))
            .filter_map(|row| server.place(row))
            .filter(|(file, _)| is_read(file))
            .collect();
        let want: BTreeSet<(String, u32)> = want
            .into_iter()
            .filter(|(file, _)| is_read(file))
            .flat_map(|(file, lines)| lines.into_iter().map(move |line| (file.clone(), line)))
            .collect();
        sum.found += got.intersection(&want).count();
        sum.wrong += got.difference(&want).count();
        sum.missed += want.difference(&got).count();
        if got != want {
            let extra: Vec<_> = got.difference(&want).collect();
            let missed: Vec<_> = want.difference(&got).collect();
            println!("  {ask:?} of {name} at {at:?}: false {extra:?}, missed {missed:?}");
        }
    }
    Ok(Some(sum))
}

fn tool(ask: Ask) -> &'static str {
    match ask {
        Ask::Supertypes | Ask::Subtypes => "ide_type_hierarchy",
        Ask::Implementations | Ask::Overriding => "ide_find_implementations",
        Ask::Overridden => "ide_find_super_methods",
        Ask::Callers | Ask::Callees => "ide_call_hierarchy",
    }
}

/// Where the tool's answer has the rows; rows may nest in lists of the same name.
fn list(ask: Ask) -> &'static str {
    match ask {
        Ask::Supertypes => "supertypes",
        Ask::Subtypes => "subtypes",
        Ask::Implementations | Ask::Overriding => "implementations",
        Ask::Overridden => "hierarchy",
        Ask::Callers | Ask::Callees => "calls",
    }
}

fn is_of_calls(ask: Ask) -> bool {
    matches!(ask, Ask::Callers | Ask::Callees)
}

/// Whether the server doubts a call, or it is one of what a variable holds.
fn is_possible(ask: Ask, row: &Value) -> bool {
    let kind = row["kind"].as_str().unwrap_or("");
    let is_value = matches!(kind, "FIELD" | "PROPERTY" | "VARIABLE" | "CONSTANT" | "PARAMETER");
    is_of_calls(ask) && !row["confidence"].is_null() || ask == Ask::Callees && is_value
}

impl Server {
    /// The rows of all pages, nested ones too.
    fn rows(&mut self, ask: Ask, at: &Place) -> Result<Vec<Value>> {
        let (tool, list) = (tool(ask), list(ask));
        let Place(file, line, column) = at;
        let mut rows = Vec::new();
        let mut arguments = json!({"file": file, "line": line, "column": column});
        if is_of_calls(ask) {
            arguments["direction"] = json!(if ask == Ask::Callers { "callers" } else { "callees" });
            arguments["depth"] = json!(1);
        }
        loop {
            let answer = self.ask(tool, arguments)?;
            ensure!(!answer.is_error, "{tool} at {at:?}: {}", answer.value);
            flatten(&answer.value[list], list, &mut rows);
            match answer.value["nextCursor"].as_str() {
                Some(cursor) => arguments = json!({"cursor": cursor}),
                None => return Ok(rows),
            }
        }
    }
}

fn flatten(value: &Value, list: &str, into: &mut Vec<Value>) {
    for row in value.as_array().into_iter().flatten() {
        into.push(row.clone());
        flatten(&row[list], list, into);
    }
}

/// The committed figures, by project.
#[derive(Default, PartialEq, Eq, Debug)]
pub(super) struct Figures(BTreeMap<String, Counts>);

const HEAD: &str = "project,found,false,missed";

impl Figures {
    pub(super) fn read() -> Result<Self> {
        let text = std::fs::read_to_string(file()).context("cannot read accuracy/hierarchies.csv")?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        ensure!(lines.next() == Some(HEAD), "the head line of accuracy/hierarchies.csv is not `{HEAD}`");
        let row = |line: &str| -> Result<(String, Counts)> {
            let cells: Vec<&str> = line.split(',').collect();
            let [project, found, wrong, missed] = cells[..] else { anyhow::bail!("in `{line}`") };
            let counts = Counts { found: found.parse()?, wrong: wrong.parse()?, missed: missed.parse()? };
            Ok((project.to_owned(), counts))
        };
        Ok(Self(lines.map(row).collect::<Result<_>>()?))
    }

    pub(super) fn write(&self) -> Result<()> {
        std::fs::write(file(), self.text()).context("cannot write accuracy/hierarchies.csv")
    }

    fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for (project, Counts { found, wrong, missed }) in &self.0 {
            writeln!(text, "{project},{found},{wrong},{missed}").expect("writing to a string");
        }
        text
    }

    /// Takes over a measurement; what is worse than before, in words, and then nothing is taken over unless `accept`.
    pub(super) fn compare(&mut self, project: &str, new: Counts, accept: bool) -> Option<String> {
        let old = self.0.get(project).copied();
        let worse = old.is_some_and(|old| new.wrong > old.wrong || new.missed > old.missed);
        if worse && !accept {
            return old.map(|old| format!("{project} hierarchies: {new:?}, was {old:?}"));
        }
        self.0.insert(project.to_owned(), new);
        None
    }

    /// The figures for people.
    pub(super) fn document(&self) -> String {
        let mut text = String::from(DOCUMENT_HEAD);
        for (project, counts) in &self.0 {
            let total = counts.found + counts.missed;
            let (p, r) = (counts.precision(), counts.recall());
            writeln!(text, "| {project} | {total} | {p:.3} | {r:.3} |").expect("writing to a string");
        }
        text
    }
}

const DOCUMENT_HEAD: &str = "
## Hierarchies

Supertypes, subtypes, overridden and overriding methods, all of them transitive, against the compilers themselves; for some
projects who calls a function and what it calls, one level.

| project | relatives | precision | recall |
|---|---:|---:|---:|
";

fn file() -> PathBuf {
    repo::root().join("accuracy/hierarchies.csv")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::truth::projects;

    #[test]
    fn every_file_has_a_project_and_asks_all_that_its_language_has() {
        let projects = projects().unwrap();
        let mut n = 0;
        for project in &projects {
            let Some(Truth { head, questions }) = truth(&project.id).unwrap() else { continue };
            n += 1;
            let asks: BTreeSet<Ask> = questions.iter().map(|question| question.ask).collect();
            assert!(asks.len() >= 3 && questions.len() > 50, "{}: {asks:?}", project.id);
            assert!(questions.iter().any(|question| question.want.is_empty()), "{}", project.id);
            assert!(!head.read.is_empty(), "{}", project.id);
        }
        assert_eq!(std::fs::read_dir(repo::root().join("accuracy/hierarchies")).unwrap().count(), n);
    }

    #[test]
    fn a_worse_figure_is_not_taken_over() {
        let mut figures = Figures::parse("project,found,false,missed\nflask,10,1,0\n").unwrap();
        assert_eq!(figures.compare("flask", Counts { found: 11, wrong: 0, missed: 0 }, false), None);
        let worse = figures.compare("flask", Counts { found: 10, wrong: 0, missed: 1 }, false);
        assert!(worse.unwrap().contains("flask"));
        assert_eq!(figures.text(), "project,found,false,missed\nflask,11,0,0\n");
        figures.compare("flask", Counts { found: 10, wrong: 0, missed: 1 }, true);
        assert_eq!(figures.text(), "project,found,false,missed\nflask,10,0,1\n");
        assert!(Figures::parse("x\n").is_err());
    }

    #[test]
    fn rows_are_taken_out_of_their_trees() {
        let mut rows = Vec::new();
        flatten(
            &json!([{"line": 1, "up": [{"line": 2, "up": [{"line": 3}]}]}, {"line": 4}]),
            "up",
            &mut rows,
        );
        assert_eq!(rows.iter().map(|row| row["line"].as_u64()).collect::<Vec<_>>(), [1, 2, 3, 4].map(Some));
    }
}
