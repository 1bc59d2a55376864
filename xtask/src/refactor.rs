//! `cargo xtask refactor`: random changes of real projects, judged by compilers, then taken back byte for byte. A change is
//! a rename, the imports of a file tidied, or a file moved to another directory.
//!
//! A name in the source is picked at random, its declaration is asked for, and that gets a new name that occurs nowhere.
//! After some renames the compiler or type checker of the language looks at the tree; a rename after which it finds more
//! errors than before is unsound. A refusal for a doubt is put to the test too: the rename is forced, and if the compiler
//! then finds nothing the refusal was wrong. Everything is undone, and the tree must be what it was.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::{mcp, repo};

/// How to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Languages; none means all.
    langs: Vec<String>,
    /// Changes; none means all.
    #[arg(long = "change", value_enum)]
    changes: Vec<Change>,
    /// Names or files to try in each project.
    #[arg(long, default_value_t = 100)]
    count: usize,
    /// Renames between two looks of the compiler.
    #[arg(long, default_value_t = 10)]
    batch: usize,
    /// Start of the random sequence; printed with the figures.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the figures into accuracy/refactor.csv.
    #[arg(long)]
    update: bool,
}

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Change {
    Rename,
    Imports,
    Move,
}

impl Change {
    const ALL: [Self; 3] = [Self::Rename, Self::Imports, Self::Move];

    fn name(self) -> &'static str {
        match self {
            Self::Rename => "rename",
            Self::Imports => "imports",
            Self::Move => "move",
        }
    }
}

/// Reads PHP and prints the names that nothing declares.
const PHP_NAMES: &str = include_str!("../assets/names.php");

/// A project and what judges it.
struct Subject {
    lang: &'static str,
    /// Of accuracy/projects.json.
    project: &'static str,
    /// Where names are picked, and what files.
    sources: &'static str,
    endings: &'static [&'static str],
    /// The judge, run in the project; what it prints is counted by `mark`.
    judge: &'static str,
    mark: &'static str,
}

const SUBJECTS: &[Subject] = &[
    Subject {
        lang: "java",
        project: "jsoup",
        sources: "src/main/java",
        endings: &[".java"],
        judge: "find src/main/java -name '*.java' ! -name module-info.java > $OUT/files; javac -d $OUT/classes -proc:none -nowarn -Xmaxerrs 9999 @$OUT/files",
        mark: "error:",
    },
    Subject {
        lang: "python",
        project: "requests",
        sources: "",
        endings: &[".py"],
        judge: "$TOOLS/node_modules/.bin/pyright .",
        mark: " - error",
    },
    Subject {
        lang: "typescript",
        project: "rxjs",
        sources: "src/internal",
        endings: &[".ts"],
        judge: "$TOOLS/node_modules/.bin/tsc --noEmit -p tsconfig.json",
        mark: "error TS",
    },
    Subject {
        lang: "go",
        project: "cobra",
        sources: "",
        endings: &[".go"],
        judge: "go vet ./...",
        mark: ".go:",
    },
    Subject {
        lang: "php",
        project: "monolog",
        sources: "src",
        endings: &[".php"],
        judge: "php $TOOLS/names.php src",
        mark: ": unknown ",
    },
    Subject {
        lang: "rust",
        project: "serde_json",
        sources: "src",
        endings: &[".rs"],
        judge: "CARGO_TARGET_DIR=$OUT/target cargo check -q --message-format short",
        mark: ": error",
    },
];

/// What became of the names that were tried.
#[derive(Default)]
struct Tally {
    asked: usize,
    sound: usize,
    unsound: usize,
    refused: usize,
    refused_wrongly: usize,
    reasons: BTreeMap<String, usize>,
    bad: Vec<String>,
}

/// A change that was carried out and not judged yet.
struct Done {
    what: String,
    was_forced: bool,
}

/// Runs and prints; an error when a rename was unsound or an undo left a difference.
pub(crate) fn run(options: &Options) -> Result<()> {
    let work = repo::cache("refactor")?;
    let tools = judges(&work)?;
    let mut rows = Vec::new();
    let mut bad = Vec::new();
    for subject in SUBJECTS {
        if !options.langs.is_empty() && !options.langs.iter().any(|lang| lang == subject.lang) {
            continue;
        }
        for change in Change::ALL {
            if !options.changes.is_empty() && !options.changes.contains(&change) {
                continue;
            }
            let tally = measure(subject, change, options, &work, &tools)
                .with_context(|| format!("{} of {}", change.name(), subject.project))?;
            let row = tally.row(subject, change, options.seed);
            println!("{HEAD}\n{row}\n  reasons of refusals: {:?}", tally.reasons);
            bad.extend(tally.bad.iter().map(|what| format!("{}: {what}", subject.project)));
            rows.push(row);
        }
    }
    if options.update {
        let file = repo::root().join("accuracy/refactor.csv");
        let text = merged(&fs::read_to_string(&file)?, &rows);
        fs::write(file, text)?;
    }
    ensure!(bad.is_empty(), "unsound:\n  {}", bad.join("\n  "));
    Ok(())
}

/// The table with new rows in the place of those about the same change of the same project; other rows stay.
fn merged(table: &str, new: &[String]) -> String {
    let subject = |row: &str| row.splitn(4, ',').take(3).collect::<Vec<_>>().join(",");
    let kept = table.lines().skip(1).filter(|old| !new.iter().any(|row| subject(row) == subject(old)));
    let rows: Vec<&str> = kept.chain(new.iter().map(String::as_str)).collect();
    format!("{HEAD}\n{}\n", rows.join("\n"))
}

const HEAD: &str = "language,project,change,seed,tried,sound,unsound,refused,refused wrongly";

impl Tally {
    fn row(&self, subject: &Subject, change: Change, seed: u64) -> String {
        let Self { asked, sound, unsound, refused, refused_wrongly, .. } = self;
        let Subject { lang, project, .. } = subject;
        let change = change.name();
        format!("{lang},{project},{change},{seed},{asked},{sound},{unsound},{refused},{refused_wrongly}")
    }
}

/// The type checkers that come as packages.
fn judges(work: &Path) -> Result<PathBuf> {
    let tools = work.join("tools");
    if !tools.join("node_modules/.bin/pyright").exists() {
        fs::create_dir_all(&tools)?;
        fs::write(tools.join("package.json"), "{\"private\":true}")?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund", "pyright@1.1.400", "typescript@5.8"]);
        repo::run(npm.current_dir(&tools))?;
    }
    fs::write(tools.join("names.php"), PHP_NAMES)?;
    Ok(tools)
}

/// One project under test.
struct Run<'r> {
    subject: &'r Subject,
    root: PathBuf,
    tools: &'r Path,
    client: mcp::Client,
    random: u64,
}

fn measure(subject: &Subject, change: Change, options: &Options, work: &Path, tools: &Path) -> Result<Tally> {
    let source = crate::accuracy::tree(subject.project)?;
    let root = work.join(subject.project);
    if root.exists() {
        fs::remove_dir_all(&root)?;
    }
    copy(&source, &root)?;
    let config = work.join("config.toml");
    fs::write(&config, "enabled_tools = [\"ide_undo\", \"ide_optimize_imports\"]\n")?;
    repo::empty_home()?;
    let mut command = repo::isolated(&repo::server_binary(false)?)?;
    command.args(["stdio", "--config"]).arg(&config).arg("--project").arg(&root);
    command.stderr(fs::File::create(work.join("server.log"))?);
    let client = mcp::Client::start(&mut command, Duration::from_secs(300))?;
    let random = options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut run = Run { subject, root, tools, client, random };
    let before = run.digest()?;
    let base = run.errors()?;
    let names = run.names()?;
    let files = run.files()?;
    let mut tally = Tally::default();
    let mut batch: Vec<Done> = Vec::new();
    while tally.asked < options.count {
        let done = match change {
            Change::Rename => {
                let (file, line, column) = names[run.next() as usize % names.len()].clone();
                let number = tally.asked;
                run.rename(&file, line, column, number, &mut tally)?
            }
            Change::Imports | Change::Move => run.change_file(change, &files, &mut tally)?,
        };
        batch.extend(done);
        if batch.len() == options.batch || tally.asked == options.count {
            run.judge(base, std::mem::take(&mut batch), &mut tally)?;
            ensure!(run.digest()? == before, "the undo history left a difference");
        }
    }
    Ok(tally)
}

impl Run<'_> {
    /// A xorshift step.
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random
    }

    fn files(&self) -> Result<Vec<PathBuf>> {
        let from = self.root.join(self.subject.sources);
        let mut files = repo::walk(&from, |_| false)?;
        files.retain(|f| self.subject.endings.iter().any(|e| f.to_string_lossy().ends_with(e)));
        Ok(files.into_iter().map(|file| from.join(file)).collect())
    }

    /// Every word of the sources with its 1-based place.
    fn names(&self) -> Result<Vec<(String, usize, usize)>> {
        let mut names = Vec::new();
        for file in self.files()? {
            let text = fs::read_to_string(&file)?;
            let path = file.strip_prefix(&self.root)?.to_string_lossy().into_owned();
            for (i, line) in text.lines().enumerate().filter(|(_, line)| line.is_ascii()) {
                let is_word = |c: char| c.is_alphanumeric() || c == '_';
                let mut at = 0;
                for word in line.split(|c| !is_word(c)) {
                    if word.len() > 1 && !word.starts_with(|c: char| c.is_ascii_digit()) {
                        names.push((path.clone(), i + 1, at + 1));
                    }
                    at += word.len() + 1;
                }
            }
        }
        ensure!(!names.is_empty(), "no names in {}", self.root.display());
        Ok(names)
    }

    /// Tries to rename what a name means. A name that means nothing in the project does not count.
    fn rename(
        &mut self,
        file: &str,
        line: usize,
        column: usize,
        number: usize,
        tally: &mut Tally,
    ) -> Result<Option<Done>> {
        let found = self.client.call(
            "ide_find_definition",
            &json!({"project_path": self.root, "file": file, "line": line, "column": column}),
        )?;
        let at = found.value;
        let (Some(home), Some(name)) = (at["file"].as_str(), at["symbolName"].as_str()) else {
            return Ok(None);
        };
        // What stands there now may have moved by earlier renames of the batch: a keyword, a comment.
        let is_ours =
            !found.is_error && home.starts_with(self.subject.sources) && !Path::new(home).is_absolute();
        if !is_ours || name.starts_with('<') || name.contains("Zq") {
            return Ok(None);
        }
        tally.asked += 1;
        let new_name = format!("{name}Zq{number}");
        let mut arguments = json!({
            "project_path": self.root, "file": at["file"], "line": at["line"], "column": at["column"],
            "newName": new_name,
        });
        let what = format!("{name} at {home}:{}:{}", at["line"], at["column"]);
        let answer = self.client.call("ide_refactor_rename", &arguments)?;
        if !answer.is_error {
            return Ok(Some(Done { what, was_forced: false }));
        }
        let kind = reason(&answer.value);
        *tally.reasons.entry(kind.clone()).or_default() += 1;
        let is_wrong_by_itself = ["collision", "meaning_changes", "syntax", "unsupported_form"]
            .contains(&&*kind)
            || answer.value["error"] != "refactoring_conflict";
        if kind == "unresolved_use" {
            arguments["force"] = true.into();
            if !self.client.call("ide_refactor_rename", &arguments)?.is_error {
                return Ok(Some(Done { what, was_forced: true }));
            }
        }
        if is_wrong_by_itself {
            // The new name occurs nowhere, so nothing can be in its way.
            println!("  refused wrongly: {what}: {}", answer.value);
            tally.refused_wrongly += 1;
        } else {
            tally.refused += 1;
        }
        Ok(None)
    }

    /// Tidies the imports of a file, or moves it to where another one lies. A file that is not there any more, or would
    /// not move, does not count.
    fn change_file(&mut self, change: Change, files: &[PathBuf], tally: &mut Tally) -> Result<Option<Done>> {
        let pick = |run: &mut Self| files[run.next() as usize % files.len()].clone();
        let (file, other) = (pick(self), pick(self));
        let (Ok(path), Some(folder)) = (file.strip_prefix(&self.root), other.parent()) else {
            return Ok(None);
        };
        let folder = folder.strip_prefix(&self.root)?;
        let is_there =
            file.exists() && !self.root.join(folder).join(file.file_name().unwrap_or_default()).exists();
        if change == Change::Move && !is_there || !file.exists() {
            return Ok(None);
        }
        tally.asked += 1;
        let what = match change {
            Change::Move => format!("{} to {}", path.display(), folder.display()),
            _ => format!("imports of {}", path.display()),
        };
        let destination = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let answer = match change {
            Change::Move => self.client.call(
                "ide_move_file",
                &json!({"project_path": self.root, "file": path, "destination": destination}),
            )?,
            _ => {
                self.client.call("ide_optimize_imports", &json!({"project_path": self.root, "file": path}))?
            }
        };
        if answer.is_error {
            println!("  refused: {what}: {}", answer.value["message"]);
            *tally.reasons.entry(reason(&answer.value)).or_default() += 1;
            tally.refused += 1;
            return Ok(None);
        }
        if answer.value["changesCount"] == 0 {
            tally.sound += 1;
            return Ok(None);
        }
        Ok(Some(Done { what, was_forced: false }))
    }

    /// Asks the compiler about the changes that were made, and takes them back.
    fn judge(&mut self, base: usize, mut batch: Vec<Done>, tally: &mut Tally) -> Result<()> {
        let mut errors = if batch.is_empty() { base } else { self.errors()? };
        while let Some(done) = batch.pop() {
            let undone = self.client.call("ide_undo", &json!({"project_path": self.root}))?;
            ensure!(!undone.is_error, "{} cannot be undone: {}", done.what, undone.value);
            // Sound changes change no count, so there is no need to look while the count is that of the start.
            let without = if errors == base { base } else { self.errors()? };
            match (errors > without, done.was_forced) {
                (false, false) => tally.sound += 1,
                (true, false) => {
                    tally.unsound += 1;
                    tally.bad.push(done.what);
                }
                (false, true) => {
                    println!("  refused wrongly: {}: a doubt without cause", done.what);
                    tally.refused_wrongly += 1;
                }
                (true, true) => tally.refused += 1,
            }
            errors = without;
        }
        Ok(())
    }

    /// How many errors the judge finds.
    fn errors(&self) -> Result<usize> {
        let out = self.root.with_extension("out");
        fs::create_dir_all(&out)?;
        let mut shell = Command::new("sh");
        shell.args(["-c", self.subject.judge]).current_dir(&self.root);
        let output = shell.env("OUT", &out).env("TOOLS", self.tools).output()?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        let count = text.lines().filter(|line| line.contains(self.subject.mark)).count();
        if !output.status.success() && count == 0 {
            bail!("the judge failed: {text:.2000}");
        }
        Ok(count)
    }

    /// A hash over all files with their paths.
    fn digest(&self) -> Result<u128> {
        let mut all = Vec::new();
        for file in repo::walk(&self.root, |_| false)? {
            all.extend_from_slice(file.as_os_str().as_encoded_bytes());
            all.extend_from_slice(&xxh3_64(&fs::read(self.root.join(&file))?).to_le_bytes());
        }
        Ok(xxh3_128(&all))
    }
}

/// The kind of the first conflict, else the word of the error.
fn reason(error: &Value) -> String {
    let kind = error["conflicts"][0]["kind"].as_str().or_else(|| error["error"].as_str());
    kind.unwrap_or("unknown").to_owned()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for file in repo::walk(from, |folder| folder == "target")? {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().context("a file lies in a folder")?)?;
        fs::copy(from.join(&file), &target)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_one_language_keeps_the_rows_of_the_others() {
        let table = format!("{HEAD}\ngo,cobra,move,1,30,29,0,1,0\njava,jsoup,move,1,30,28,0,0,2\n");
        let new = ["go,cobra,move,2,60,60,0,0,0".to_owned()];
        assert_eq!(
            merged(&table, &new),
            format!("{HEAD}\njava,jsoup,move,1,30,28,0,0,2\ngo,cobra,move,2,60,60,0,0,0\n")
        );
    }
}
