//! The table of `docs/growth.md`: a row for each shape. Rows of shapes that are not asked stay, and so does the text around the table.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::asking::{Asked, Said};

/// The parts of the page between which the table stands.
const MARKS: [&str; 2] =
    ["<!-- table: written by `cargo xtask attack growth` -->\n", "<!-- end of table -->\n"];
const HEAD: &str = "| file | shape | n | indexing n | indexing 2n | slowest at n | slowest at 2n | of the answers |\n\
                    |---|---|---:|---:|---:|---|---|---|\n";

type Rows = BTreeMap<(String, String), String>;

/// A page with the table, which several runs may fill at once.
pub(super) struct Table {
    path: PathBuf,
}

impl Table {
    pub(super) fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    pub(super) fn has(&self, file: &str, name: &str) -> Result<bool> {
        Ok(rows(&self.text()?).contains_key(&key(file, name)))
    }

    /// Replaces or adds the row of a shape.
    pub(super) fn put(&self, file: &str, name: &str, asked: &[(usize, Asked)]) -> Result<()> {
        let text = self.text()?;
        let (before, rest) = text.split_once(MARKS[0]).context("the page has no mark for a table")?;
        let (old, behind) =
            rest.split_once(MARKS[1]).context("the page has no mark for the end of a table")?;
        let mut rows = rows(old);
        rows.insert(key(file, name), cells(asked));
        let mut table = HEAD.to_owned();
        for ((file, name), cells) in &rows {
            writeln!(table, "| `{file}` | {name} | {cells}")?;
        }
        fs::write(&self.path, format!("{before}{}{table}{}{behind}", MARKS[0], MARKS[1]))?;
        Ok(())
    }

    fn text(&self) -> Result<String> {
        fs::read_to_string(&self.path).with_context(|| format!("cannot read {}", self.path.display()))
    }
}

/// The cells by file and name.
fn rows(text: &str) -> Rows {
    let row = |line: &str| {
        let (file, rest) = line.strip_prefix("| `")?.split_once("` | ")?;
        let (name, cells) = rest.split_once(" | ")?;
        Some(((file.to_owned(), name.to_owned()), cells.to_owned()))
    };
    text.lines().filter_map(row).collect()
}

/// A name as a cell can hold it.
fn key(file: &str, name: &str) -> (String, String) {
    (file.to_owned(), name.replace('|', "&#124;").replace(['\n', '<'], " ").trim_end().to_owned())
}

fn cells(asked: &[(usize, Asked)]) -> String {
    let cell = |of: fn(&Asked) -> String| {
        let both = (0..2).map(|at| asked.get(at).map_or("–".to_owned(), |(_, asked)| of(asked)));
        both.collect::<Vec<_>>().join(" | ")
    };
    let indexing = cell(|asked| format!("{:.2}", asked.indexing));
    let slowest = cell(|asked| {
        let Some(slowest) = asked.by_time().first().copied() else { return "–".to_owned() };
        let said = match slowest.said {
            Said::Everything => "",
            Said::Incomplete => ", incomplete",
            Said::Late => ", gave up",
        };
        format!("{:.2} {}{said}", slowest.seconds, slowest.tool.trim_start_matches("ide_"))
    });
    let size = asked.first().map_or(0, |(size, _)| *size);
    format!("{size} | {indexing} | {slowest} | {} |", sums(asked))
}

/// The answers at the first size that are not everything, and what failed at any.
fn sums(asked: &[(usize, Asked)]) -> String {
    let Some((_, first)) = asked.first() else { return String::new() };
    let counts = [
        (first.count(Said::Incomplete), "incomplete"),
        (first.count(Said::Late), "gave up"),
        (first.left, "not asked"),
    ];
    let mut said: Vec<String> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, of)| format!("{count} {of}")).collect();
    let failures = asked.iter().flat_map(|(_, asked)| &asked.failures);
    said.extend(failures.map(|failure| format!("**{}**", failure.replace(['|', '\n'], " "))));
    if said.is_empty() { "whole".to_owned() } else { said.join(", ") }
}
