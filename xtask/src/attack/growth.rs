//! Shapes of any size: every tool is asked about generated files, at one size and at twice that.
//!
//! A process that dies, an answer that comes later than its deadline and an internal error are failures, and so is an answer that
//! takes longer than is said.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;

use super::asking::{self, Asked, Project};
use super::table::Table;
use super::{shapes, soup};
use crate::ci::Counts;
use crate::repo;

#[derive(Parser)]
pub(super) struct Options {
    /// The server; without it the one of this tree is built.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Build the server as it is shipped.
    #[arg(long)]
    release: bool,
    #[arg(long, default_value_t = 10_000)]
    size: usize,
    /// Ask at one size only.
    #[arg(long)]
    once: bool,
    /// Shapes whose file or name has one of these in it; none means all.
    #[arg(long)]
    only: Vec<String>,
    /// Seconds that a call may take.
    #[arg(long, default_value_t = 55)]
    deadline: u64,
    /// Seconds beyond which an answer is listed.
    #[arg(long, default_value_t = 2.0)]
    slow: f64,
    /// Seconds after which a shape is asked nothing more.
    #[arg(long, default_value_t = 3_600)]
    patience: u64,
    /// Shapes of which the table has a row already are not asked again.
    #[arg(long, requires = "table")]
    missing: bool,
    /// Write the projects into this folder, and ask nothing.
    #[arg(long)]
    write: Option<PathBuf>,
    /// Write the rows of the shapes into this table (`docs/growth.md`).
    #[arg(long)]
    table: Option<PathBuf>,
}

/// Questions that are asked at twice the size: those that took longest.
const AGAIN: usize = 6;

/// A project of one shape, and how it is called in the table.
struct Case {
    file: String,
    name: String,
    at_most: usize,
    text: Box<dyn Fn(usize) -> String>,
}

/// The part that `cargo xtask ci` runs: what nests and what grows by itself, small but deeper than any limit, and some of what
/// once took the square of its size.
pub(super) fn in_ci() -> Result<Counts> {
    let of = |size, only: &[&str]| Options {
        binary: None,
        release: false,
        size,
        once: true,
        only: only.iter().map(|only| (*only).to_owned()).collect(),
        deadline: 20,
        slow: 20.0,
        patience: 600,
        missing: false,
        write: None,
        table: None,
    };
    let mut counts = of(3_000, &["brackets", "growing", "openers of", "lifetimes", "labels"]).run()?;
    counts.add(of(10_000, &LINEAR).run()?);
    Ok(counts)
}

/// Shapes that are answered in a moment when nothing goes through all of them for each part.
const LINEAR: [&str; 3] = ["A.java arrays", "a.kt annotations", "a.php heredocs"];

impl Options {
    pub(super) fn run(&self) -> Result<Counts> {
        let table = self.table.as_deref().map(Table::at);
        let mut counts = Counts::default();
        let is_wanted = |case: &Case| {
            let called = format!("{} {}", case.file, case.name);
            self.only.is_empty() || self.only.iter().any(|only| called.contains(only))
        };
        let mut cases: Vec<Case> = cases().filter(is_wanted).collect();
        ensure!(!cases.is_empty(), "no shape is called so");
        if self.missing
            && let Some(table) = &table
        {
            let known = cases.iter().map(|case| table.has(&case.file, &case.name));
            let mut known = known.collect::<Result<Vec<bool>>>()?.into_iter();
            cases.retain(|_| !known.next().unwrap_or_default());
        }
        if let Some(folder) = &self.write {
            for case in &cases {
                let text = (case.text)(self.size.min(case.at_most));
                asking::write(
                    &folder.join(format!("{} {}", case.file, case.name).replace('/', "-")),
                    &case.file,
                    &text,
                )?;
            }
            return Ok(counts);
        }
        let built = self.binary.clone().map_or_else(|| repo::server_binary(self.release), Ok)?;
        for case in &cases {
            let asked = self.at_sizes(&built, case).with_context(|| case.name.clone())?;
            let mut line = format!("{:14} {:28}", case.file, case.name);
            asked.iter().for_each(|(size, asked)| line += &format!(" {size:>8}: {asked}"));
            if asked.iter().all(|(_, asked)| asked.is_fine(self.slow)) {
                println!("ok   {line}");
                counts.passed += 1;
            } else {
                counts.add(Counts::failed("attack growth", &line));
            }
            if let Some(table) = &table {
                table.put(&case.file, &case.name, &asked)?;
            }
        }
        Ok(counts)
    }

    /// A shape at one size, and at twice that as far as there is more of it.
    fn at_sizes(&self, built: &Path, case: &Case) -> Result<Vec<(usize, Asked)>> {
        let size = self.size.min(case.at_most);
        let asked = self.ask(built, case, size, None)?;
        let again: Vec<usize> = asked.by_time().iter().take(AGAIN).map(|answered| answered.at).collect();
        let mut all = vec![(size, asked)];
        let twice = (self.size * 2).min(case.at_most);
        if !self.once && twice > size {
            all.push((twice, self.ask(built, case, twice, Some(&again))?));
        }
        Ok(all)
    }

    fn ask(&self, built: &Path, case: &Case, size: usize, only: Option<&[usize]>) -> Result<Asked> {
        // Several may run at once.
        let root = repo::cache("attack")?.join(std::process::id().to_string());
        let project = Project {
            root: root.clone(),
            built: built.to_owned(),
            deadline: Duration::from_secs(self.deadline),
            patience: Duration::from_secs(self.patience),
        };
        let asked = project.ask(&case.file, &(case.text)(size), only);
        fs::remove_dir_all(root)?;
        asked
    }
}

fn cases() -> impl Iterator<Item = Case> {
    let shapes = shapes::all().map(|shape| Case {
        file: shape.file.to_owned(),
        name: shape.name.to_owned(),
        at_most: shape.at_most,
        text: Box::new(|size| shape.text(size)),
    });
    let soups = soup::all().map(|(file, seed)| Case {
        file: file.to_owned(),
        name: format!("token soup {seed}"),
        at_most: usize::MAX,
        text: Box::new(move |size| soup::text(file, seed, size)),
    });
    let openers = soup::openers().map(|(file, opener)| Case {
        file: file.to_owned(),
        name: format!("openers {opener}"),
        at_most: usize::MAX,
        text: Box::new(move |size| format!("{}\n", opener.repeat(20)).repeat(size / 20)),
    });
    shapes.chain(soups).chain(openers)
}
