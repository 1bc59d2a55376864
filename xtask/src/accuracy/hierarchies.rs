//! The hierarchy tools against compilers: `proof/accuracy/hierarchies/*.jsonl` and its figures in `proof/accuracy/hierarchies.csv`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::Server;
use super::figures::{self, Figures};
use super::score::Counts;
use super::truth::{Lines, Place};

const GROUP: &str = "hierarchies";

/// The question about the declaration at a place. Everything transitive, within the project.
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

/// Asks everything that is known of a project; each disagreement is printed.
pub(super) fn measure(project: &str, server: &mut Server) -> Result<Vec<(String, Counts)>> {
    let Some((head, questions)) = figures::questions::<Question>(GROUP, project)? else {
        return Ok(Vec::new());
    };
    // Answers in files that the compiler did not read are neither right nor wrong.
    let is_read = |file: &str| {
        let is_outside = file.starts_with('/') || file.contains("://");
        !is_outside
            && head.read.iter().any(|prefix| file.starts_with(prefix))
            && !head.unread.iter().any(|one| one == file)
    };
    let mut sum = Counts::default();
    for Question { ask, at, name, want } in questions {
        let rows = server.rows(tool(ask), list(ask), list(ask), arguments(ask, &at))?;
        let got: BTreeSet<(String, u32)> = rows
            .iter()
            .filter(|row| row["name"] != "<anonymous>" && !is_possible(ask, row))
            .filter_map(|row| server.place(row))
            .filter(|(file, _)| is_read(file))
            .collect();
        let mut want = figures::places(want);
        want.retain(|(file, _)| is_read(file));
        sum.add_answer(&format!("{ask:?} of {name} at {at:?}"), &got, &want);
    }
    Ok(vec![(project.to_owned(), sum)])
}

fn tool(ask: Ask) -> &'static str {
    match ask {
        Ask::Supertypes | Ask::Subtypes => "ide_type_hierarchy",
        Ask::Implementations | Ask::Overriding => "ide_find_implementations",
        Ask::Overridden => "ide_find_super_methods",
        Ask::Callers | Ask::Callees => "ide_call_hierarchy",
    }
}

/// The member of the tool's answer that has the rows; rows may nest in lists of the same name.
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

/// The arguments of the tool for a question.
fn arguments(ask: Ask, Place(file, line, column): &Place) -> Value {
    let mut arguments = json!({"file": file, "line": line, "column": column});
    if is_of_calls(ask) {
        arguments["direction"] = json!(if ask == Ask::Callers { "callers" } else { "callees" });
        arguments["depth"] = json!(1);
    }
    arguments
}

pub(super) fn read() -> Result<Figures> {
    Figures::read(GROUP, "project")
}

/// The figures for people.
pub(super) fn document(figures: &Figures) -> String {
    let mut text = String::from(DOCUMENT_HEAD);
    for (project, counts) in &figures.rows {
        let total = counts.found + counts.missed;
        let (p, r) = (counts.precision(), counts.recall());
        writeln!(text, "| {project} | {total} | {p:.3} | {r:.3} |").expect("writing to a string");
    }
    text
}

const DOCUMENT_HEAD: &str = "
## Hierarchies

Supertypes, subtypes, overridden and overriding methods, all of them transitive, against the compilers themselves; for some
projects who calls a function and what it calls, one level.

| project | relatives | precision | recall |
|---|---:|---:|---:|
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::truth::projects;
    use crate::repo;

    #[test]
    fn every_file_has_a_project_and_asks_all_that_its_language_has() {
        let projects = projects().unwrap();
        let mut n = 0;
        for project in &projects {
            let asked = figures::questions::<Question>(GROUP, &project.id).unwrap();
            let Some((head, questions)) = asked else { continue };
            n += 1;
            let asks: BTreeSet<Ask> = questions.iter().map(|question| question.ask).collect();
            assert!(asks.len() >= 3 && questions.len() > 50, "{}: {asks:?}", project.id);
            assert!(questions.iter().any(|question| question.want.is_empty()), "{}", project.id);
            assert!(!head.read.is_empty(), "{}", project.id);
        }
        assert_eq!(std::fs::read_dir(repo::root().join("proof/accuracy/hierarchies")).unwrap().count(), n);
    }
}
