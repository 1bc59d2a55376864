//! `cargo xtask alarms`: what `ide_project_diagnostics` reports of code that compiles. Every finding of a check that is an error
//! is a false alarm; unused imports may be right, and stand in a column of their own.

mod lines;
mod mutations;
mod words;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::mcp::Client;
use crate::repo;

/// The trees to look at.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Trees that compile, each `NAME=DIR`.
    #[arg(required = true, value_name = "NAME=DIR")]
    trees: Vec<String>,
    /// Write the table of docs/alarms.md, too.
    #[arg(long)]
    write: bool,
    /// Make this many mistakes of each kind in each language of each tree instead, and count which are found.
    #[arg(long, default_value_t = 0)]
    mutations: usize,
    /// Show this many findings of each check, and of the mistakes that are not found.
    #[arg(long, default_value_t = 0)]
    show: usize,
}

/// False alarms that a check may raise in ten thousand lines.
const MOST: f64 = 1.0;
/// The code of what may be right in code that compiles.
const WARNING: &str = "unused-import";

/// The findings in a tree, by language and check.
#[derive(Default)]
struct Tree {
    name: String,
    lines: BTreeMap<&'static str, usize>,
    found: BTreeMap<(&'static str, String), usize>,
}

const LANGUAGES: [(&str, &[&str]); 8] = [
    ("Java", &["java"]),
    ("Kotlin", &["kt", "kts"]),
    ("Python", &["py"]),
    ("JavaScript", &["js", "jsx", "mjs", "cjs"]),
    ("TypeScript", &["ts", "tsx", "mts", "cts"]),
    ("Go", &["go"]),
    ("PHP", &["php"]),
    ("Rust", &["rs"]),
];

fn language_of(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?;
    LANGUAGES.iter().find(|(_, endings)| endings.contains(&ending)).map(|(name, _)| *name)
}

fn names_of() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().flat_map(|(_, endings)| endings.iter().copied())
}

/// Folders of what is installed or built, and code that no build takes.
fn is_passed_over(name: &OsStr) -> bool {
    ["node_modules", ".git", "target", "testdata"].iter().any(|folder| name == *folder)
}

/// A server on a tree.
fn client(binary: &Path, dir: &Path) -> Result<Client> {
    repo::empty_home()?;
    let config = repo::cache("alarms")?.join("config.toml");
    std::fs::write(&config, "enabled_tools = [\"ide_project_diagnostics\"]\n")?;
    let mut command = repo::isolated(binary)?;
    command.args(["stdio", "--config"]).arg(&config).arg("--project").arg(dir);
    Client::start(&mut command, Duration::from_secs(600))
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let binary = repo::server_binary(false)?;
    if options.mutations > 0 {
        return mutations(options, &binary);
    }
    let mut trees = Vec::new();
    for tree in &options.trees {
        let (name, dir) = tree.split_once('=').context("a tree is given as NAME=DIR")?;
        trees.push(
            measured(name, &PathBuf::from(dir), &binary, options.show).with_context(|| name.to_owned())?,
        );
    }
    let text = document(&trees);
    println!("{text}");
    if options.write {
        let document = repo::root().join("docs/alarms.md");
        let old = std::fs::read_to_string(&document)?;
        let rest = old.find(MARKS[0]).map(|at| format!("\n{}", &old[at..])).unwrap_or_default();
        std::fs::write(&document, text + &rest)?;
    }
    for (language, _) in LANGUAGES {
        let (lines, alarms) = sums(&trees, language);
        let rate = alarms as f64 * 10_000.0 / lines.max(1) as f64;
        ensure!(rate <= MOST, "{language}: {rate:.2} false alarms in 10,000 lines");
    }
    Ok(())
}

/// The parts of docs/alarms.md between which the table of mistakes stands.
const MARKS: [&str; 2] = ["<!-- mistakes -->\n", "<!-- /mistakes -->\n"];

/// Measures which mistakes are found.
fn mutations(options: &Options, binary: &Path) -> Result<()> {
    let mut shares = mutations::Shares::new();
    for tree in &options.trees {
        let (name, dir) = tree.split_once('=').context("a tree is given as NAME=DIR")?;
        let how = (options.mutations, options.show);
        mutations::measure(name, Path::new(dir), binary, how, &mut shares)?;
    }
    let table = mutations::table(&shares);
    println!("{table}");
    if options.write {
        let document = repo::root().join("docs/alarms.md");
        let text = std::fs::read_to_string(&document)?;
        let (before, _, behind) = parts(&text).context("docs/alarms.md has no marks for the table")?;
        std::fs::write(&document, format!("{before}{}{table}{}{behind}", MARKS[0], MARKS[1]))?;
    }
    Ok(())
}

/// The text before, between and behind the marks.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once(MARKS[0])?;
    let (between, behind) = rest.split_once(MARKS[1])?;
    Some((before, between, behind))
}

/// The lines of a language in all trees, and the errors reported there.
fn sums(trees: &[Tree], language: &str) -> (usize, usize) {
    let lines = trees.iter().filter_map(|tree| tree.lines.get(language)).sum();
    let alarms = trees
        .iter()
        .flat_map(|tree| &tree.found)
        .filter(|((of, code), _)| *of == language && code != WARNING)
        .map(|(_, count)| count)
        .sum();
    (lines, alarms)
}

fn measured(name: &str, dir: &Path, binary: &Path, show: usize) -> Result<Tree> {
    let mut tree = Tree { name: name.to_owned(), ..Tree::default() };
    for path in repo::walk(dir, is_passed_over)? {
        if let (Some(language), Ok(text)) = (language_of(&path), std::fs::read_to_string(dir.join(&path))) {
            *tree.lines.entry(language).or_default() += text.lines().count();
        }
    }
    let mut client = client(binary, dir)?;
    let mut asked = json!({"maxFiles": 10_000, "maxProblems": 5_000});
    let report = loop {
        let answer = client.call("ide_project_diagnostics", &asked)?;
        ensure!(!answer.is_error, "{}", answer.value);
        match answer.value["analysisId"].as_str() {
            Some(id) => asked = json!({"analysisId": id}),
            None => break answer.value,
        }
    };
    ensure!(report["problemsTruncated"] == Value::Bool(false), "more problems than a report lists");
    let mut shown: BTreeMap<String, usize> = BTreeMap::new();
    for problem in report["problems"].as_array().context("no problems")? {
        let (file, code) =
            (problem["file"].as_str().context("no file")?, problem["code"].as_str().unwrap_or(""));
        let is_left_out = Path::new(file).iter().any(is_passed_over);
        let Some(language) = language_of(Path::new(file)).filter(|_| !is_left_out) else { continue };
        *tree.found.entry((language, code.to_owned())).or_default() += 1;
        let count = shown.entry(code.to_owned()).or_default();
        *count += 1;
        if *count <= show {
            println!("  {file}:{} [{code}] {}", problem["line"], problem["message"]);
        }
    }
    Ok(tree)
}

fn document(trees: &[Tree]) -> String {
    let mut text = String::from(
        "# False alarms\n\nThe checks that need no compiler, on code that compiles: every error they report there is a false \
         alarm. Unused imports\nmay be right. Dependencies of the projects are not installed. `cargo xtask alarms NAME=DIR… --write` \
         measures again.\n\n| project | language | lines | false alarms | in 10,000 lines | by check | unused imports |\n\
         |---|---|---:|---:|---:|---|---:|\n",
    );
    for tree in trees {
        for (language, lines) in &tree.lines {
            let of = |(other, _): &(&str, String)| other == language;
            let errors: Vec<(&str, usize)> = tree
                .found
                .iter()
                .filter(|(key, _)| of(key) && key.1 != WARNING)
                .map(|((_, code), count)| (code.as_str(), *count))
                .collect();
            let alarms: usize = errors.iter().map(|(_, count)| count).sum();
            let by: Vec<String> = errors.iter().map(|(code, count)| format!("{code} {count}")).collect();
            let unused = tree.found.get(&(*language, WARNING.to_owned())).copied().unwrap_or(0);
            let rate = alarms as f64 * 10_000.0 / (*lines).max(1) as f64;
            let name = &tree.name;
            writeln!(
                text,
                "| {name} | {language} | {lines} | {alarms} | {rate:.2} | {} | {unused} |",
                by.join(", ")
            )
            .expect("writing to a string");
        }
    }
    text.push_str("\n| language | lines | false alarms | in 10,000 lines |\n|---|---:|---:|---:|\n");
    for (language, _) in LANGUAGES {
        let (lines, alarms) = sums(trees, language);
        let rate = alarms as f64 * 10_000.0 / lines.max(1) as f64;
        writeln!(text, "| {language} | {lines} | {alarms} | {rate:.2} |").expect("writing to a string");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_alarms_and_unused_imports_are_not() {
        let mut tree = Tree { name: "t".to_owned(), ..Tree::default() };
        tree.lines.insert("Go", 20_000);
        tree.found.insert(("Go", "unresolved-name".to_owned()), 3);
        tree.found.insert(("Go", WARNING.to_owned()), 4);
        assert_eq!(sums(&[tree], "Go"), (20_000, 3));
    }
}
