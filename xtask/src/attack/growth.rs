//! Shapes of any size: every tool is asked about generated files, at one size and at twice that.
//!
//! A process that dies, an answer that comes later than its deadline and an internal error are failures, and so is an answer that
//! takes longer than is said.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Parser;

use super::asking::{Asked, Project};
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
}

/// A project of one file, and how it is called in the table.
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
    };
    let mut counts = of(3_000, &["brackets", "growing", "openers of", "lifetimes", "labels"]).run()?;
    counts.add(of(20_000, &LINEAR).run()?);
    Ok(counts)
}

/// Shapes that are answered in a moment when nothing goes through all of them for each part.
const LINEAR: [&str; 3] = ["A.java arrays", "a.kt annotations", "a.php heredocs"];

impl Options {
    pub(super) fn run(&self) -> Result<Counts> {
        let built = self.binary.clone().map_or_else(|| repo::server_binary(self.release), Ok)?;
        let mut counts = Counts::default();
        let is_wanted = |case: &Case| {
            let called = format!("{} {}", case.file, case.name);
            self.only.is_empty() || self.only.iter().any(|only| called.contains(only))
        };
        let cases: Vec<Case> = cases().filter(is_wanted).collect();
        ensure!(!cases.is_empty(), "no shape is called so");
        for case in &cases {
            let mut line = format!("{:14} {:28}", case.file, case.name);
            let mut is_fine = true;
            let sizes = [self.size, self.size * 2];
            for size in &sizes[..if self.once { 1 } else { 2 }] {
                let size = (*size).min(case.at_most);
                let asked = self.ask(&built, case, size).with_context(|| case.name.clone())?;
                line += &format!(" {:>8}: {asked}", size);
                is_fine &= asked.failures.is_empty() && asked.slowest().1 <= self.slow;
            }
            if is_fine {
                println!("ok   {line}");
                counts.passed += 1;
            } else {
                counts.add(Counts::failed("attack growth", &line));
            }
        }
        Ok(counts)
    }

    fn ask(&self, built: &std::path::Path, case: &Case, size: usize) -> Result<Asked> {
        let root = repo::cache("attack")?;
        if root.exists() {
            fs::remove_dir_all(&root)?;
        }
        let text = (case.text)(size);
        let project = Project { root, built: built.to_owned(), deadline: Duration::from_secs(self.deadline) };
        project.ask(&case.file, &text)
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
