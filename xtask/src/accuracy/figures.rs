//! The common parts of the hierarchy tools and symbol search: questions that have sets of places as answers, and
//! their committed figures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write as _};
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::answers::Server;
use super::score::Counts;
use super::truth::Lines;
use crate::repo;

/// The first row of a file of questions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    #[expect(dead_code, reason = "for who reads the file")]
    oracle: String,
    /// Which files the oracle read, as the group of questions says it.
    pub(super) read: Vec<String>,
    /// The files among them that it or the server leaves out.
    pub(super) unread: Vec<String>,
}

/// The first row of a project's file of questions and the others, `None` when there is no such file.
pub(super) fn questions<Q: DeserializeOwned>(folder: &str, project: &str) -> Result<Option<(Head, Vec<Q>)>> {
    let file = repo::root().join(format!("proof/accuracy/{folder}/{project}.jsonl"));
    if !file.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let mut lines = text.lines();
    let head = serde_json::from_str(lines.next().unwrap_or(""))
        .with_context(|| format!("the first row of {}", file.display()))?;
    let row = |line| serde_json::from_str(line).with_context(|| format!("in {}: {line}", file.display()));
    Ok(Some((head, lines.map(row).collect::<Result<_>>()?)))
}

/// Lines under their keys, one by one.
pub(super) fn places(lines: Lines) -> BTreeSet<(String, u32)> {
    lines
        .into_iter()
        .flat_map(|(key, lines)| lines.into_iter().map(move |line| (key.clone(), line)))
        .collect()
}

impl Counts {
    /// Adds one answer; a disagreement is printed under the name of its question.
    pub(super) fn add_answer<T: Ord + Debug>(
        &mut self,
        question: &str,
        got: &BTreeSet<T>,
        want: &BTreeSet<T>,
    ) {
        self.found += got.intersection(want).count();
        self.wrong += got.difference(want).count();
        self.missed += want.difference(got).count();
        if got != want {
            let extra: Vec<_> = got.difference(want).collect();
            let missed: Vec<_> = want.difference(got).collect();
            println!("  {question}: false {extra:?}, missed {missed:?}");
        }
    }
}

impl Server {
    /// The rows of one page under a key of the answer, and those nested in them under another; the cursor to the next.
    pub(super) fn page(
        &mut self,
        tool: &str,
        list: &str,
        nested: &str,
        arguments: &Value,
    ) -> Result<(Vec<Value>, Option<String>)> {
        let answer = self.ask(tool, arguments.clone())?;
        ensure!(!answer.is_error, "{tool} of {arguments}: {}", answer.value);
        ensure!(answer.value[list].is_array(), "{tool} of {arguments} has no `{list}`: {}", answer.value);
        let mut rows = Vec::new();
        flatten(&answer.value[list], nested, &mut rows);
        Ok((rows, answer.value["nextCursor"].as_str().map(str::to_owned)))
    }

    /// The rows of all pages.
    pub(super) fn rows(
        &mut self,
        tool: &str,
        list: &str,
        nested: &str,
        mut arguments: Value,
    ) -> Result<Vec<Value>> {
        let mut rows = Vec::new();
        loop {
            let (page, next) = self.page(tool, list, nested, &arguments)?;
            rows.extend(page);
            match next {
                Some(cursor) => arguments["cursor"] = cursor.into(),
                None => return Ok(rows),
            }
        }
    }
}

/// Rows and those in them, outer ones first.
pub(super) fn flatten(value: &Value, nested: &str, into: &mut Vec<Value>) {
    for row in value.as_array().into_iter().flatten() {
        into.push(row.clone());
        flatten(&row[nested], nested, into);
    }
}

/// The committed figures of one group of questions, by what their first columns say.
#[derive(Debug)]
pub(super) struct Figures {
    group: &'static str,
    /// The head of the first columns.
    keys: &'static str,
    pub(super) rows: BTreeMap<String, Counts>,
}

impl Figures {
    /// Reads `proof/accuracy/<group>.csv`.
    pub(super) fn read(group: &'static str, keys: &'static str) -> Result<Self> {
        let text =
            std::fs::read_to_string(file(group)).with_context(|| format!("cannot read {group}.csv"))?;
        Self::parse(group, keys, &text)
    }

    fn parse(group: &'static str, keys: &'static str, text: &str) -> Result<Self> {
        let mut lines = text.lines();
        ensure!(lines.next() == Some(&*head(keys)), "the head line of {group}.csv is not `{}`", head(keys));
        let row = |line: &str| -> Result<(String, Counts)> {
            let cells: Vec<&str> = line.rsplitn(4, ',').collect();
            let [missed, wrong, found, key] = cells[..] else { anyhow::bail!("in `{line}`") };
            let counts = Counts { found: found.parse()?, wrong: wrong.parse()?, missed: missed.parse()? };
            Ok((key.to_owned(), counts))
        };
        Ok(Self { group, keys, rows: lines.map(row).collect::<Result<_>>()? })
    }

    pub(super) fn write(&self) -> Result<()> {
        std::fs::write(file(self.group), self.text())
            .with_context(|| format!("cannot write {}.csv", self.group))
    }

    fn text(&self) -> String {
        let mut text = format!("{}\n", head(self.keys));
        for (key, Counts { found, wrong, missed }) in &self.rows {
            writeln!(text, "{key},{found},{wrong},{missed}").expect("writing to a string");
        }
        text
    }

    /// Takes over measurements; those that are worse than before, in words, are not taken over unless `accept`.
    pub(super) fn compare(&mut self, new: Vec<(String, Counts)>, accept: bool) -> Vec<String> {
        let mut worse = Vec::new();
        for (key, new) in new {
            let old = self.rows.get(&key).filter(|old| new.wrong > old.wrong || new.missed > old.missed);
            match old {
                Some(old) if !accept => {
                    worse.push(format!("{}, {key}: {new:?}, was {old:?}", self.group));
                }
                _ => drop(self.rows.insert(key, new)),
            }
        }
        worse
    }
}

fn head(keys: &str) -> String {
    format!("{keys},found,false,missed")
}

fn file(group: &str) -> PathBuf {
    repo::root().join(format!("proof/accuracy/{group}.csv"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_worse_figure_is_not_taken_over() {
        let read = |text| Figures::parse("symbols", "project,ask", text);
        let mut figures = read("project,ask,found,false,missed\nflask,typed,10,1,0\n").unwrap();
        let key = || "flask,typed".to_owned();
        let better = vec![(key(), Counts { found: 11, wrong: 0, missed: 0 })];
        assert!(figures.compare(better, false).is_empty());
        let worse = || vec![(key(), Counts { found: 10, wrong: 0, missed: 1 })];
        assert!(figures.compare(worse(), false)[0].contains("flask"));
        assert_eq!(figures.text(), "project,ask,found,false,missed\nflask,typed,11,0,0\n");
        assert!(figures.compare(worse(), true).is_empty());
        assert_eq!(figures.text(), "project,ask,found,false,missed\nflask,typed,10,0,1\n");
        assert!(read("x\n").is_err());
    }

    #[test]
    fn rows_are_taken_out_of_their_trees() {
        let mut rows = Vec::new();
        let tree = json!([{"line": 1, "up": [{"line": 2, "up": [{"line": 3}]}]}, {"line": 4}]);
        flatten(&tree, "up", &mut rows);
        assert_eq!(rows.iter().map(|row| row["line"].as_u64()).collect::<Vec<_>>(), [1, 2, 3, 4].map(Some));
    }
}
