//! The list of packages, the result for each, what was found, and the document made of them.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::repo;

const RESULTS_HEAD: &str =
    "language,name,version,seed,files,questions,crashes,hangs,internal,slow,slowest,open,memory";
const FINDINGS_HEAD: &str = "name,seed,kind,seconds,processor,tool,note,arguments";

/// A package of the list.
#[derive(Clone)]
pub(super) struct Package {
    pub(super) language: String,
    /// The client of its registry.
    pub(super) client: String,
    pub(super) name: String,
    pub(super) version: String,
}

/// A finding's kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Crash,
    Hang,
    Internal,
    Slow,
}

/// The result for one package.
#[derive(Default)]
pub(super) struct Row {
    language: String,
    name: String,
    version: String,
    pub(super) seed: u64,
    files: usize,
    questions: usize,
    /// Crashes, hangs, internal errors, slow answers.
    pub(super) found: [usize; 4],
    /// Seconds of the slowest answer, and until the first one.
    slowest: f64,
    open: f64,
    /// Megabytes at most.
    memory: u64,
}

pub(super) struct Finding {
    name: String,
    seed: u64,
    pub(super) kind: Kind,
    seconds: (f64, f64),
    tool: String,
    note: String,
    arguments: String,
}

impl Kind {
    const ALL: [(Self, &'static str); 4] =
        [(Self::Crash, "crash"), (Self::Hang, "hang"), (Self::Internal, "internal"), (Self::Slow, "slow")];

    fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl Row {
    pub(super) fn of(package: &Package, seed: u64, files: usize) -> Self {
        let Package { language, name, version, .. } = package.clone();
        Self { language, name, version, seed, files, ..Self::default() }
    }

    pub(super) fn is_of(&self, package: &Package) -> bool {
        (&self.language, &self.name) == (&package.language, &package.name)
    }

    pub(super) fn opened(&mut self, taken: Duration) {
        self.open = self.open.max(taken.as_secs_f64());
    }

    pub(super) fn answered(&mut self, kind: Option<Kind>, taken: Duration) {
        self.questions += 1;
        self.slowest = self.slowest.max(taken.as_secs_f64());
        if let Some(kind) = kind {
            self.found[kind as usize] += 1;
        }
    }

    pub(super) fn memory(&mut self, megabytes: u64) {
        self.memory = self.memory.max(megabytes);
    }

    fn line(&self) -> String {
        let Self { language, name, version, seed, files, questions, found, slowest, open, memory } = self;
        let [crashes, hangs, internal, slow] = found;
        format!(
            "{language},{name},{version},{seed},{files},{questions},{crashes},{hangs},{internal},{slow},{slowest:.2},{open:.2},{memory}"
        )
    }

    fn read(line: &str) -> Result<Self> {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |n: usize| -> Result<f64> { Ok(fields.get(n).context("too few fields")?.parse()?) };
        let count = |n: usize| -> Result<usize> { Ok(number(n)? as usize) };
        Ok(Self {
            language: fields[0].to_owned(),
            name: fields.get(1).context("no name")?.to_string(),
            version: fields.get(2).context("no version")?.to_string(),
            seed: number(3)? as u64,
            files: count(4)?,
            questions: count(5)?,
            found: [count(6)?, count(7)?, count(8)?, count(9)?],
            slowest: number(10)?,
            open: number(11)?,
            memory: number(12)? as u64,
        })
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { language, name, files, questions, found, slowest, open, memory, .. } = self;
        let [crashes, hangs, internal, slow] = found;
        write!(
            f,
            "{language:10} {name:44} {files:5} files {questions:4} questions; {crashes} crashes, {hangs} hangs, {internal} internal, \
             {slow} slow; slowest {slowest:.2} s, first {open:.2} s, {memory} MB"
        )
    }
}

impl Finding {
    pub(super) fn new(
        row: &Row,
        kind: Kind,
        tool: &str,
        arguments: &Value,
        seconds: (f64, f64),
        note: &str,
    ) -> Self {
        let note = note.replace(['\n', ','], " ").chars().take(200).collect();
        Self {
            name: row.name.clone(),
            seed: row.seed,
            kind,
            seconds,
            tool: tool.to_owned(),
            note,
            arguments: arguments.to_string(),
        }
    }

    fn line(&self) -> String {
        let Self { name, seed, kind, seconds, tool, note, arguments } = self;
        format!("{name},{seed},{},{:.2},{:.2},{tool},{note},{arguments}", kind.name(), seconds.0, seconds.1)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.line())
    }
}

fn folder() -> PathBuf {
    repo::root().join("proof/hunt")
}

/// The lines of a file behind its first.
fn lines(file: &str) -> Result<Vec<String>> {
    let path = folder().join(file);
    if !path.exists() {
        return Ok(Vec::new());
    }
    Ok(fs::read_to_string(path)?.lines().skip(1).map(str::to_owned).collect())
}

pub(super) fn packages() -> Result<Vec<Package>> {
    let read = |line: String| {
        let fields: Vec<&str> = line.split(',').collect();
        let [language, client, name, version] = fields[..] else {
            anyhow::bail!("{line}: not four fields");
        };
        let [language, client, name, version] = [language, client, name, version].map(str::to_owned);
        Ok(Package { language, client, name, version })
    };
    lines("packages.csv")?.into_iter().map(read).collect()
}

pub(super) fn rows() -> Result<Vec<Row>> {
    lines("results.csv")?.iter().map(|line| Row::read(line).with_context(|| line.clone())).collect()
}

/// Adds a result; an earlier one for the same package and its findings go.
pub(super) fn add(row: &Row, findings: &[Finding]) -> Result<()> {
    let mut results = lines("results.csv")?;
    results.retain(|line| {
        Row::read(line).is_ok_and(|old| (&old.language, &old.name) != (&row.language, &row.name))
    });
    results.push(row.line());
    write("results.csv", RESULTS_HEAD, results)?;
    let mut found = lines("findings.csv")?;
    let of_package = format!("{},", row.name);
    found.retain(|line| !line.starts_with(&of_package));
    found.extend(findings.iter().map(Finding::line));
    write("findings.csv", FINDINGS_HEAD, found)
}

fn write(file: &str, head: &str, mut lines: Vec<String>) -> Result<()> {
    lines.sort();
    let mut out = fs::File::create(folder().join(file))?;
    writeln!(out, "{head}")?;
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(())
}

/// The endings of a language's files.
pub(super) fn endings(language: &str) -> &'static [&'static str] {
    match language {
        "java" => &["java"],
        "kotlin" => &["kt", "kts"],
        "python" => &["py", "pyi"],
        "javascript" => &["js", "mjs", "cjs", "jsx"],
        "typescript" => &["ts", "tsx", "mts", "cts"],
        "go" => &["go"],
        "php" => &["php", "inc"],
        "rust" => &["rs"],
        _ => &[],
    }
}

/// `docs/hunt.md`.
pub(crate) fn document() -> Result<String> {
    let rows = rows()?;
    let found: Vec<String> = lines("findings.csv")?;
    let busy: Vec<Vec<&str>> = found
        .iter()
        .map(|line| line.splitn(8, ',').collect::<Vec<&str>>())
        .filter(|fields| !only_waited(fields))
        .collect();
    let mut text = String::from(
        "# Hunt\n\nGenerated by `cargo xtask docs` from `proof/hunt`, which `cargo xtask hunt` fills. Packages of the registries were asked\n\
         with every tool that reads, and every tool that writes as a dry run, at random places. A *crash* ends the server, a *hang* goes\n\
         on for 10 s of work beyond its limit of 20 s, an *internal error* is the server's own word for a bug. An answer is *slow* when it takes longer than 1 s by the\n\
         clock and by the processor time of the server; *late* ones took 1 s by the clock only, as other programs had the processors.\n\n\
         | language | packages | files | questions | crashes | hangs | internal errors | slow | late | first answer, median and worst |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n",
    );
    let mut languages: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        languages.entry(&row.language).or_default().push(row);
    }
    languages.insert("~", rows.iter().collect());
    for (language, rows) in languages {
        let slow =
            busy.iter().filter(|fields| fields[2] == "slow" && rows.iter().any(|row| row.name == fields[0]));
        line_of(&mut text, if language == "~" { "all" } else { language }, &rows, slow.count());
    }
    text +=
        "\n## Slow answers\n\n| package | tool | seconds | processor | result |\n|---|---|---:|---:|---|\n";
    for fields in busy {
        if let [name, _, kind, seconds, processor, tool, note, _] = fields[..] {
            let kind = if kind == "slow" { String::new() } else { format!("{kind}: ") };
            let note = note.replace('|', "\\|");
            writeln!(text, "| {name} | `{tool}` | {seconds} | {processor} | {kind}{note} |")?;
        }
    }
    Ok(text)
}

/// Whether a finding is an answer that was late by the clock alone.
fn only_waited(fields: &[&str]) -> bool {
    fields.get(2) == Some(&"slow")
        && fields.get(4).and_then(|seconds| seconds.parse::<f64>().ok()).is_some_and(|seconds| seconds < 1.0)
}

fn line_of(text: &mut String, language: &str, rows: &[&Row], slow: usize) {
    let sum = |of: fn(&Row) -> usize| rows.iter().map(|row| of(row)).sum::<usize>();
    let mut first: Vec<f64> = rows.iter().map(|row| row.open).collect();
    first.sort_by(f64::total_cmp);
    let middle = first.get(first.len() / 2).copied().unwrap_or(0.0);
    let worst = first.last().copied().unwrap_or(0.0);
    writeln!(
        text,
        "| {language} | {} | {} | {} | {} | {} | {} | {slow} | {} | {middle:.1} s, {worst:.1} s |",
        rows.len(),
        sum(|row| row.files),
        sum(|row| row.questions),
        sum(|row| row.found[0]),
        sum(|row| row.found[1]),
        sum(|row| row.found[2]),
        sum(|row| row.found[3]) - slow,
    )
    .expect("writing to a string");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let line = "go,a.b/c,v1,1,10,200,0,1,0,2,1.50,0.25,80";
        assert_eq!(Row::read(line).unwrap().line(), line);
        assert!(Row::read("go,a").is_err());
    }

    #[test]
    fn every_language_has_packages_and_endings() {
        let packages = packages().unwrap();
        assert!(packages.len() >= 300, "{}", packages.len());
        for package in &packages {
            assert!(!endings(&package.language).is_empty(), "{}", package.language);
            let others = packages
                .iter()
                .filter(|other| (&other.language, &other.name) == (&package.language, &package.name));
            assert_eq!(others.count(), 1, "{} stands twice", package.name);
        }
        let languages: std::collections::BTreeSet<&str> =
            packages.iter().map(|package| &*package.language).collect();
        assert_eq!(languages.len(), 8);
    }
}
