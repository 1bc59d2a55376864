//! `cargo xtask syntax`: single tokens are deleted from real files and inserted into them; what the compiler of the
//! language then refuses as syntax must be found by `ide_diagnostics`, and nothing in the files as they were.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::mcp::Client;
use crate::{accuracy, foreign, repo};

/// The languages, the number of changes, and the source of the files.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Languages; none means all.
    langs: Vec<String>,
    /// Changed files per language.
    #[arg(long, default_value_t = 200)]
    count: usize,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Files from here instead: `go=/usr/local/go/src/net`; may be repeated.
    #[arg(long, value_name = "LANG=DIR")]
    dir: Vec<String>,
    /// Write the table of docs/syntax.md, too.
    #[arg(long)]
    write: bool,
    /// Show what was not found.
    #[arg(long)]
    show: bool,
}

/// A language: where its files come from, and the shell command that prints the paths of `$LIST` that its compiler refuses.
struct Lang {
    name: &'static str,
    ending: &'static str,
    project: &'static str,
    compiler: &'static str,
    judge: &'static str,
}

const fn each(
    name: &'static str,
    ending: &'static str,
    project: &'static str,
    compiler: &'static str,
    judge: &'static str,
) -> Lang {
    Lang { name, ending, project, compiler, judge }
}

const LANGS: [Lang; 7] = [
    each("java", "java", "commons-lang3", "javac, parsed only", "java $TOOLS/Parse.java $LIST"),
    each("python", "py", "django", "python3, compile()", "python3 $TOOLS/parse.py $LIST"),
    each(
        "javascript",
        "js",
        "eslint",
        "node --check",
        r#"xargs -a $LIST -P2 -I{} sh -c 'node --check "{}" >/dev/null 2>&1 || echo "{}"'"#,
    ),
    each("typescript", "ts", "rxjs", "tsc, parsed only", "node $TOOLS/parse.cjs $LIST"),
    each(
        "go",
        "go",
        "gin",
        "gofmt -e",
        r#"xargs -a $LIST -P2 -I{} sh -c 'gofmt -e "{}" >/dev/null 2>&1 || echo "{}"'"#,
    ),
    each(
        "php",
        "php",
        "twig",
        "php -l",
        r#"xargs -a $LIST -P2 -I{} sh -c 'php -l "{}" >/dev/null 2>&1 || echo "{}"'"#,
    ),
    each(
        "rust",
        "rs",
        "regex-automata",
        "rustc -Zparse-crate-root-only",
        r#"xargs -a $LIST -P2 -I{} sh -c 'RUSTC_BOOTSTRAP=1 rustc --edition 2021 -Zparse-crate-root-only "{}" >/dev/null 2>&1 || echo "{}"'"#,
    ),
];

/// Files beyond this are not changed, in bytes.
const MAX_BYTES: u64 = 40_000;
/// Files as they were that must be without errors.
const SOUND: usize = 200;

/// The result for one language.
struct Row {
    name: &'static str,
    compiler: &'static str,
    refused: usize,
    found: usize,
    sound: usize,
    alarms: usize,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let tools = foreign::npm_folder("proof/syntax")?.map_err(|missing| anyhow::anyhow!(missing.0))?;
    let binary = repo::server_binary(false)?;
    let mut rows = Vec::new();
    for lang in
        LANGS.iter().filter(|lang| options.langs.is_empty() || options.langs.iter().any(|l| l == lang.name))
    {
        let row = measured(lang, options, &tools, &binary).with_context(|| lang.name.to_owned())?;
        println!(
            "{}: {} of {} found ({:.1} %), {} false alarms in {} files",
            row.name,
            row.found,
            row.refused,
            percent(&row),
            row.alarms,
            row.sound
        );
        rows.push(row);
    }
    if options.write {
        std::fs::write(repo::root().join("docs/syntax.md"), document(&rows, options))?;
    }
    ensure!(rows.iter().all(|row| row.alarms == 0), "there are false alarms");
    Ok(())
}

fn percent(row: &Row) -> f64 {
    100.0 * row.found as f64 / row.refused.max(1) as f64
}

fn measured(lang: &Lang, options: &Options, tools: &Path, binary: &Path) -> Result<Row> {
    let prefix = format!("{}=", lang.name);
    let from = match options.dir.iter().find_map(|dir| dir.strip_prefix(&prefix)) {
        Some(dir) => PathBuf::from(dir),
        None => accuracy::tree(lang.project)?,
    };
    let work = repo::cache(&format!("syntax/{}", lang.name))?;
    std::fs::remove_dir_all(&work)?;
    std::fs::create_dir(&work)?;
    let mut random =
        Random(options.seed ^ lang.name.bytes().fold(7, |hash, byte| hash * 31 + u64::from(byte)));
    let whole = copies(lang, &from, &work, &mut random)?;
    let refused = judge(lang, tools, &work, &whole)?;
    let sound: Vec<PathBuf> = whole.into_iter().filter(|path| !refused.contains(path)).collect();
    ensure!(sound.len() > 5, "only {} files of {} can be changed", sound.len(), from.display());
    let mut changed = Vec::new();
    for n in 0..options.count {
        let text = std::fs::read_to_string(random.of(&sound))?;
        let path = work.join(format!("changed{n}.{}", lang.ending));
        std::fs::write(&path, change(&text, &mut random))?;
        changed.push(path);
    }
    let refused = judge(lang, tools, &work, &changed)?;
    let all: Vec<&PathBuf> = sound.iter().chain(&refused).collect();
    let told = told(binary, &work, &all)?;
    for path in sound.iter().filter(|path| told.contains(*path)) {
        println!("  false alarm: {}", path.display());
    }
    if options.show {
        refused
            .iter()
            .filter(|path| !told.contains(*path))
            .for_each(|path| println!("  not found: {}", path.display()));
    }
    Ok(Row {
        name: lang.name,
        compiler: lang.compiler,
        refused: refused.len(),
        found: refused.iter().filter(|path| told.contains(*path)).count(),
        alarms: sound.iter().filter(|path| told.contains(*path)).count(),
        sound: sound.len(),
    })
}

/// Copies of some files of a tree.
fn copies(lang: &Lang, from: &Path, work: &Path, random: &mut Random) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in repo::walk(from, |name| name == "node_modules" || name == ".git")? {
        let is_meant = path.extension().is_some_and(|ending| ending == lang.ending)
            && !path.to_string_lossy().ends_with(".d.ts");
        let size = if is_meant { std::fs::metadata(from.join(&path))?.len() } else { 0 };
        if (200..MAX_BYTES).contains(&size) {
            found.push(path);
        }
    }
    let mut copies = Vec::new();
    while copies.len() < SOUND && !found.is_empty() {
        let path = found.swap_remove(random.below(found.len()));
        if let Ok(text) = std::fs::read_to_string(from.join(&path)) {
            let copy = work.join(format!("whole{}.{}", copies.len(), lang.ending));
            std::fs::write(&copy, text)?;
            copies.push(copy);
        }
    }
    Ok(copies)
}

/// The files that the compiler refuses.
fn judge(lang: &Lang, tools: &Path, work: &Path, files: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let list = work.join("list");
    let lines: String = files.iter().map(|path| format!("{}\n", path.display())).collect();
    std::fs::write(&list, lines)?;
    let mut shell = Command::new("sh");
    shell.args(["-c", lang.judge]).env("LIST", &list).env("TOOLS", tools).current_dir(tools);
    let out = shell.output().with_context(|| format!("cannot run {}", lang.compiler))?;
    let printed = String::from_utf8_lossy(&out.stdout);
    let refused: BTreeSet<PathBuf> = printed.lines().map(PathBuf::from).collect();
    ensure!(
        refused.len() < files.len(),
        "{} refuses everything: {}",
        lang.compiler,
        String::from_utf8_lossy(&out.stderr)
    );
    std::fs::remove_file(list)?;
    Ok(refused)
}

/// The files in which `ide_diagnostics` finds a syntax error.
fn told(binary: &Path, work: &Path, files: &[&PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut command = repo::isolated(binary)?;
    command.args(["stdio", "--project"]).arg(work);
    let mut client = Client::start(&mut command, Duration::from_secs(300))?;
    let mut told = BTreeSet::new();
    for some in files.chunks(50) {
        let names: Vec<&str> = some.iter().filter_map(|path| path.file_name()?.to_str()).collect();
        let answer = client.call("ide_diagnostics", &json!({"files": names, "maxProblems": 5000}))?;
        ensure!(!answer.is_error, "{}", answer.value);
        let problems = answer.value["problems"].as_array().context("no problems")?;
        let syntax = problems.iter().filter(|problem| problem["code"] == "syntax");
        told.extend(syntax.filter_map(|problem| Some(work.join(problem["file"].as_str()?))));
    }
    Ok(told)
}

/// A text without one of its tokens, or with another one of them before it.
fn change(text: &str, random: &mut Random) -> String {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return text.to_owned();
    }
    let (start, end) = *random.of(&tokens);
    if random.below(2) == 0 {
        // A blank keeps its neighbours apart.
        return format!("{} {}", &text[..start], &text[end..]);
    }
    let (from, to) = *random.of(&tokens);
    format!("{}{} {}", &text[..start], &text[from..to], &text[start..])
}

/// Words, numbers, strings and single signs, comments left out, roughly: what a compiler takes is not counted.
pub(crate) fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let length = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if rest.starts_with("//") || c == '#' && !rest.starts_with("#[") {
            at += rest.find('\n').unwrap_or(rest.len());
            continue;
        } else if rest.starts_with("/*") {
            at += rest.find("*/").map_or(rest.len(), |end| end + 2);
            continue;
        } else if is_word(c) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if c == '"' || c == '\'' {
            let line = rest[1..].find(['\n', c]).unwrap_or(rest.len() - 1);
            if rest[1 + line..].starts_with(c) { line + 2 } else { 1 }
        } else {
            c.len_utf8()
        };
        found.push((at, at + length));
        at += length;
    }
    found
}

/// Numbers that a seed decides.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }

    pub(crate) fn of<'t, T>(&mut self, among: &'t [T]) -> &'t T {
        &among[self.below(among.len())]
    }
}

fn document(rows: &[Row], options: &Options) -> String {
    let mut text = format!(
        "# Syntax errors\n\nHow many of the files that a compiler refuses as syntax `ide_diagnostics` finds fault with. Single \
         tokens were\ndeleted from real files and inserted into them, {} times a language (seed {}); the compiler decided which \
         of these\nfiles it refuses. The files as they were must be without errors. `cargo xtask syntax --write` measures \
         again.\n\n| language | compiler | refused | found | | files as they were | false alarms |\n|---|---|---|---|---|---|---|\n",
        options.count, options.seed
    );
    for row in rows {
        let Row { name, compiler, refused, found, sound, alarms } = row;
        writeln!(
            text,
            "| {name} | {compiler} | {refused} | {found} | {:.1} % | {sound} | {alarms} |",
            percent(row)
        )
        .expect("writing to a string");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_those_of_one_token() {
        let text = "let a = \"x y\"; // no\n/* nor */ f(1)\n";
        let words: Vec<&str> = tokens(text).iter().map(|(start, end)| &text[*start..*end]).collect();
        assert_eq!(words, ["let", "a", "=", "\"x y\"", ";", "f", "(", "1", ")"]);
        let mut random = Random(3);
        for _ in 0..50 {
            let changed = change(text, &mut random);
            let differ = tokens(&changed).len().abs_diff(words.len());
            assert!(changed != text && differ <= 1, "{changed}");
        }
    }
}
