//! Symbol search and the structure of files against compilers' parsers: `proof/accuracy/symbols/*.jsonl` and its figures in
//! `proof/accuracy/symbols.csv`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::Result;
use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::Server;
use super::figures::{self, Figures, Head};
use super::score::Counts;
use super::truth::{Lines, Project};

const GROUP: &str = "symbols";

#[derive(Deserialize, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[serde(rename_all = "lowercase")]
enum Ask {
    /// All declarations of exactly a name.
    Symbols,
    /// All types of exactly a name.
    Classes,
    /// All declarations of a file; lines stand under names instead of files.
    Structure,
    /// The beginning, the initials, a part of a name: whether the first page has the declaration.
    Typed,
}

const ALL: [Ask; 4] = [Ask::Symbols, Ask::Classes, Ask::Structure, Ask::Typed];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: Ask,
    query: String,
    want: Lines,
    /// Neither right nor wrong; in a structure `*` is every name.
    #[serde(default)]
    neutral: Lines,
}

/// Whether the parser read a file, by the end of its name, and neither it nor the server leaves it out.
fn reads(head: &Head, file: &str) -> bool {
    head.read.iter().any(|end| file.ends_with(end.as_str())) && !head.unread.iter().any(|one| one == file)
}

/// Asks everything that is known of a project; each disagreement is printed.
pub(super) fn measure(project: &Project, server: &mut Server) -> Result<Vec<(String, Counts)>> {
    let Some((head, questions)) = figures::questions::<Question>(GROUP, &project.id)? else {
        return Ok(Vec::new());
    };
    let mut sums: BTreeMap<Ask, Counts> = BTreeMap::new();
    for Question { ask, query, want, neutral } in questions {
        let want = figures::places(want);
        let is_neutral = |key: &str, line: u32| neutral.get(key).is_some_and(|lines| lines.contains(&line));
        let is_asked = |key: &str, line: u32| match ask {
            Ask::Structure => !is_neutral(key, line) && !is_neutral("*", line),
            _ => reads(&head, key) && !is_neutral(key, line),
        };
        let mut got = answered(ask, &query, &project.lang, server)?;
        got.retain(|place| want.contains(place) || ask != Ask::Typed && is_asked(&place.0, place.1));
        sums.entry(ask).or_default().add_answer(&format!("{ask:?} {query}"), &got, &want);
    }
    Ok(sums.into_iter().map(|(ask, counts)| (key(&project.id, ask), counts)).collect())
}

fn key(project: &str, ask: Ask) -> String {
    format!("{project},{ask:?}").to_lowercase()
}

/// The answer as lines under files, in a structure under names.
fn answered(ask: Ask, query: &str, language: &str, server: &mut Server) -> Result<BTreeSet<(String, u32)>> {
    let exact = || json!({"query": query, "matchMode": "exact", "language": language, "includeGenerated": true, "pageSize": 500});
    let rows = match ask {
        Ask::Symbols => server.rows("ide_find_symbol", "symbols", "", exact())?,
        Ask::Classes => server.rows("ide_find_class", "classes", "", exact())?,
        Ask::Structure => {
            let arguments = json!({"file": query, "format": "tree"});
            let mut rows = server.rows("ide_file_structure", "nodes", "children", arguments)?;
            rows.retain(|row| row["kind"] != "IMPL");
            rows
        }
        Ask::Typed => {
            let arguments = json!({"query": query, "language": language, "includeGenerated": true});
            server.page("ide_find_symbol", "symbols", "", &arguments)?.0
        }
    };
    let place = |row: &Value| match ask {
        Ask::Structure => {
            Some((row["name"].as_str()?.to_owned(), u32::try_from(row["line"].as_u64()?).ok()?))
        }
        _ => server.place(row),
    };
    Ok(rows.iter().filter_map(place).collect())
}

pub(super) fn read() -> Result<Figures> {
    Figures::read(GROUP, "project,ask")
}

/// The figures for people.
pub(super) fn document(figures: &Figures) -> String {
    let mut text = String::from(DOCUMENT_HEAD);
    let projects: BTreeSet<&str> = figures.rows.keys().filter_map(|key| key.split(',').next()).collect();
    for project in projects {
        write!(text, "| {project} |").expect("writing to a string");
        for ask in ALL {
            let Some(counts) = figures.rows.get(&key(project, ask)) else {
                text.push_str(" – |");
                continue;
            };
            let (total, p, r) = (counts.found + counts.missed, counts.precision(), counts.recall());
            let cell = match ask {
                Ask::Typed => format!(" {r:.3} of {total} |"),
                _ => format!(" {p:.3} / {r:.3} of {total} |"),
            };
            text.push_str(&cell);
        }
        text.push('\n');
    }
    text
}

const DOCUMENT_HEAD: &str = "
## Symbol search

Declarations of exactly a name, of types alone, and of whole files against the parsers of the compilers: precision / recall of how
many declarations. Typed: how often a declaration is on the first page when the beginning of its name, its initials, or a word
out of its middle is typed.

| project | symbols | classes | structure of files | typed |
|---|---:|---:|---:|---:|
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accuracy::truth::projects;
    use crate::repo;

    #[test]
    fn every_project_is_asked_everything() {
        let projects = projects().unwrap();
        for project in &projects {
            let (head, questions) =
                figures::questions::<Question>(GROUP, &project.id).unwrap().expect("questions");
            let asks: BTreeSet<Ask> = questions.iter().map(|question| question.ask).collect();
            assert!(asks.len() >= 3 && questions.len() > 30, "{}: {asks:?}", project.id);
            assert!(questions.iter().all(|question| !question.want.is_empty()), "{}", project.id);
            assert!(!head.read.is_empty(), "{}", project.id);
        }
        let files = std::fs::read_dir(repo::root().join("proof/accuracy/symbols")).unwrap().count();
        assert_eq!(files, projects.len());
    }

    #[test]
    fn the_table_has_a_column_for_each_kind_of_question() {
        let mut figures = Figures::read(GROUP, "project,ask").unwrap();
        figures.rows.retain(|key, _| key.starts_with("flask,"));
        let table = document(&figures);
        let row = table.lines().last().unwrap();
        assert!(row.starts_with("| flask | ") && row.matches('|').count() == 6, "{row}");
    }
}
