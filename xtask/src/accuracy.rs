//! `cargo xtask accuracy`: the server's answers against what compilers say, on real projects.
//!
//! `proof/accuracy/README.md` explains the data. The figures of a run are held against `proof/accuracy/baseline.csv`, which may
//! only get better.

mod answers;
mod baseline;
mod fetch;
mod figures;
mod hierarchies;
mod score;
mod symbols;
mod truth;
mod unread;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{mcp, repo};
use answers::Server;
use baseline::Baseline;
use score::{Counts, Item, Scores};
use truth::{Project, Question};

/// How to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Projects of accuracy/projects.json; none means all.
    ids: Vec<String>,
    /// Only the projects of this language.
    #[arg(long)]
    lang: Option<String>,
    /// Use only the trees that are already there.
    #[arg(long)]
    no_fetch: bool,
    /// Fetch the trees and stop.
    #[arg(long, conflicts_with = "no_fetch")]
    fetch_only: bool,
    /// Write figures that got better into the baseline; worse ones still fail.
    #[arg(long)]
    update: bool,
    /// Write every figure into the baseline, better or worse: the diff is there to be reviewed.
    #[arg(long)]
    accept: bool,
    /// Measure the server as it is shipped.
    #[arg(long)]
    release: bool,
    /// Ask this server instead of ours (`{root}` is the project); nothing is compared or written.
    #[arg(long, conflicts_with_all = ["update", "accept", "release"])]
    server: Option<String>,
}

impl Options {
    /// The short run of `ci`: these projects against the baseline.
    pub(crate) fn smoke(ids: Vec<String>) -> Self {
        Self {
            ids,
            lang: None,
            no_fetch: true,
            fetch_only: false,
            update: false,
            accept: false,
            release: false,
            server: None,
        }
    }
}

/// Measures and compares; an error when a figure is below the baseline.
pub(crate) fn run(options: &Options) -> Result<()> {
    let projects = selected(options)?;
    let work = work_dir()?;
    if !options.no_fetch {
        let fetched =
            projects.iter().map(|p| fetch::fetch(p, &work).with_context(|| format!("cannot fetch {}", p.id)));
        let failed: Vec<String> = fetched.filter_map(|r| r.err().map(|e| format!("{e:#}"))).collect();
        ensure!(failed.is_empty(), "{}", failed.join("\n"));
    }
    for project in &projects {
        fetch::verify(project, &work)?;
    }
    if options.fetch_only {
        return Ok(());
    }
    let binary = if options.server.is_none() { Some(repo::server_binary(options.release)?) } else { None };
    let mut all = Vec::new();
    let (mut relatives, mut declarations) = (Vec::new(), Vec::new());
    for project in &projects {
        let root = fetch::tree(&work, project);
        let command = server_command(options, binary.as_deref(), &root)?;
        let started = Instant::now();
        let measured =
            measure(project, &root, command).with_context(|| format!("measuring {}", project.id))?;
        let scores = Scores::of(&measured.items);
        println!("{:16} {scores}  ({:.1} s)", project.id, started.elapsed().as_secs_f64());
        print_sets("hierarchies", &measured.relatives);
        print_sets("symbol search", &measured.declarations);
        relatives.extend(measured.relatives);
        declarations.extend(measured.declarations);
        all.push((project, scores, measured.items));
    }
    write_items(&all)?;
    print_languages(&all);
    if options.server.is_some() {
        return Ok(());
    }
    let mut baseline = Baseline::read()?;
    let mut worse = baseline.compare(all.iter().map(|(p, s, _)| (*p, s)), options.update, options.accept);
    let (mut hierarchies, mut symbols) = (hierarchies::read()?, symbols::read()?);
    worse.extend(hierarchies.compare(relatives, options.accept));
    worse.extend(symbols.compare(declarations, options.accept));
    if options.update || options.accept {
        baseline.write()?;
        hierarchies.write()?;
        symbols.write()?;
        std::fs::write(repo::root().join("docs/accuracy.md"), document()?)?;
    }
    ensure!(
        worse.is_empty(),
        "below proof/accuracy/baseline.csv:\n  {}\nevery question: .cache/accuracy/items.jsonl",
        worse.join("\n  ")
    );
    Ok(())
}

/// The document `docs/accuracy.md` as the committed baseline gives it.
pub(crate) fn document() -> Result<String> {
    Ok(Baseline::read()?.document()
        + &hierarchies::document(&hierarchies::read()?)
        + &symbols::document(&symbols::read()?))
}

/// Fetches these projects; with each the reason why it cannot be had on this machine, if so.
pub(crate) fn fetched(ids: &[&str]) -> Result<Vec<(String, Option<String>)>> {
    let work = work_dir()?;
    let asked = truth::projects()?.into_iter().filter(|p| ids.contains(&&*p.id));
    Ok(asked.map(|p| (p.id.clone(), fetch::fetch(&p, &work).err().map(|e| format!("{e:#}")))).collect())
}

/// The tree of one project, fetched when it is not there.
pub(crate) fn tree(id: &str) -> Result<PathBuf> {
    let work = work_dir()?;
    let all = truth::projects()?;
    let project = all.iter().find(|p| p.id == id).with_context(|| format!("unknown project {id}"))?;
    fetch::fetch(project, &work)?;
    Ok(fetch::tree(&work, project))
}

/// The tree of any package, below `work`. `client` is one of [`truth::Via`], in lower case.
pub(crate) fn package(client: &str, name: &str, version: &str, work: &Path) -> Result<PathBuf> {
    let id = name.replace(['/', ':', '@'], "_");
    let project: Project = serde_json::from_value(serde_json::json!({
        "id": id, "lang": "", "via": client, "name": name, "version": version, "files": 0, "digest": ""
    }))?;
    fetch::fetch(&project, work)?;
    Ok(fetch::tree(work, &project))
}

fn selected(options: &Options) -> Result<Vec<Project>> {
    let all = truth::projects()?;
    for id in &options.ids {
        ensure!(
            all.iter().any(|p| p.id == *id),
            "unknown project {id}; known: {}",
            all.iter().map(|p| &*p.id).collect::<Vec<_>>().join(" ")
        );
    }
    let wanted = |p: &Project| {
        (options.ids.is_empty() || options.ids.contains(&p.id))
            && options.lang.as_ref().is_none_or(|l| *l == p.lang)
    };
    let chosen: Vec<Project> = all.into_iter().filter(wanted).collect();
    ensure!(!chosen.is_empty(), "no project has this language");
    Ok(chosen)
}

/// Brings the trees that `benches` measures, as `benches/corpora.json` pins them.
pub(crate) fn fetch_corpora(ids: &[String]) -> Result<()> {
    let text = std::fs::read_to_string(repo::root().join("benches/corpora.json"))?;
    let packages: Vec<Project> = serde_json::from_str(&text)?;
    let work = repo::cache("speed")?;
    let mut failed = Vec::new();
    for package in packages.iter().filter(|package| ids.is_empty() || ids.contains(&package.id)) {
        let fetched = fetch::fetch(package, &work).and_then(|()| fetch::verify(package, &work));
        match fetched {
            Ok(()) => println!("{}: {} files", package.title.as_ref().unwrap_or(&package.id), package.files),
            Err(error) => failed.push(format!("{}: {error:#}", package.id)),
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

/// The directory of the trees: `$ACCURACY_WORK`, else a cache folder of the repository.
fn work_dir() -> Result<PathBuf> {
    std::env::var_os("ACCURACY_WORK").map_or_else(|| repo::cache("accuracy"), |dir| Ok(PathBuf::from(dir)))
}

fn server_command(options: &Options, binary: Option<&Path>, root: &Path) -> Result<Command> {
    let log = std::fs::File::create(repo::cache("accuracy")?.join("server.log"))?;
    let mut command = match (&options.server, binary) {
        (Some(line), _) => {
            let line = line.replace("{root}", &root.to_string_lossy());
            let mut words = line.split_whitespace();
            let mut command = Command::new(words.next().context("--server is empty")?);
            command.args(words);
            command
        }
        (None, Some(binary)) => {
            repo::empty_home()?;
            let mut command = repo::isolated(binary)?;
            command.args(["stdio", "--project"]).arg(root);
            command
        }
        (None, None) => bail!("neither a server command nor a binary"),
    };
    command.stderr(Stdio::from(log));
    Ok(command)
}

/// The answers to a project's questions.
struct Measured {
    items: Vec<Item>,
    relatives: Vec<(String, Counts)>,
    declarations: Vec<(String, Counts)>,
}

fn print_sets(group: &str, sets: &[(String, Counts)]) {
    for (key, counts) in sets {
        let (p, r) = (counts.precision(), counts.recall());
        println!("{key:28} {group} P {p:.3} R {r:.3} of {}", counts.found + counts.missed);
    }
}

fn measure(project: &Project, root: &Path, mut command: Command) -> Result<Measured> {
    let client = mcp::Client::start(&mut command, Duration::from_secs(60))?;
    let mut server = Server::ready(client, root)?;
    let reads = unread::Reads::of(root)?;
    let mut items = Vec::new();
    for question in truth::questions(&project.id)? {
        let started = Instant::now();
        let item = match question {
            Question::Definition(asked) => {
                let answer = server.definition(&asked.at);
                Item::definition(asked, answer, started.elapsed())
            }
            Question::References(asked) => {
                let mut answer = server.references(&asked.at);
                if let Ok(answer) = &mut answer {
                    // Neither confirmed nor denied; what the truth has all the same must be found.
                    answer.found.retain(|f| asked.uses.contains_key(&f.file) || reads.has(&f.file));
                }
                Item::references(asked, answer, started.elapsed())
            }
        };
        items.push(item);
    }
    let relatives = hierarchies::measure(&project.id, &mut server)?;
    let declarations = symbols::measure(project, &mut server)?;
    Ok(Measured { items, relatives, declarations })
}

fn write_items(all: &[(&Project, Scores, Vec<Item>)]) -> Result<()> {
    let mut text = String::new();
    for (project, _, items) in all {
        for item in items {
            text += &item.line(&project.id);
            text.push('\n');
        }
    }
    let file = repo::cache("accuracy")?.join("items.jsonl");
    std::fs::write(&file, text)?;
    println!("every question, what was wanted and what was got: {}", file.display());
    Ok(())
}

fn print_languages(all: &[(&Project, Scores, Vec<Item>)]) {
    let mut languages: Vec<&str> = all.iter().map(|(p, ..)| &*p.lang).collect();
    languages.dedup();
    for language in languages {
        let items = all.iter().filter(|(p, ..)| p.lang == language).flat_map(|(_, _, items)| items);
        println!("{language:16} {}", Scores::of(items));
    }
}
