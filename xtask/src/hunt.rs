//! `cargo xtask hunt`: packages of all languages from the registries, in each every tool at random places.
//!
//! `proof/hunt/packages.csv` names the packages, `proof/hunt/results.csv` holds the result for each, and a run goes on where the last
//! one ended. Crashes, hangs, internal errors and slow answers go to `proof/hunt/findings.csv` with the question that led there.

mod record;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::json;

use crate::attack::asking::{self, Question};
use crate::mcp::{Client, ToolAnswer};
use crate::syntax::{Random, tokens};
use crate::{accuracy, repo};
pub(crate) use record::document;
use record::{Finding, Kind, Package, Row};

/// The packages, and how they are asked.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Packages whose name or language contains one of these; none means all.
    #[arg(long)]
    only: Vec<String>,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// So many packages at most.
    #[arg(long, default_value_t = usize::MAX)]
    packages: usize,
    /// Places in each package.
    #[arg(long, default_value_t = 8)]
    places: usize,
    /// Ask packages again that have a result.
    #[arg(long)]
    again: bool,
    /// The server; without it the one of this tree is built, optimised.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Write nothing into `proof/hunt`, and keep the trees.
    #[arg(long)]
    dry_run: bool,
}

/// The limit that the server is told for a call, and the time after which it is hung.
const LIMIT: Duration = Duration::from_secs(20);
const HUNG: Duration = Duration::from_secs(30);
/// Other programs may have the processors: so long an answer is waited for, and only the part of the time beyond the limit
/// counts in which the server worked.
const PATIENCE: Duration = Duration::from_secs(180);
/// An answer that takes longer is a finding.
const SLOW: Duration = Duration::from_secs(1);
/// Larger files are not asked about.
const MAX_BYTES: u64 = 2_000_000;
/// Servers that may die in one package before it is given up.
const MOST_SERVERS: usize = 5;

pub(crate) fn run(options: &Options) -> Result<()> {
    let binary = options.binary.clone().map_or_else(|| repo::server_binary(true), Ok)?.canonicalize()?;
    let done = if options.again { Vec::new() } else { record::rows()? };
    let is_wanted = |package: &Package| {
        let called = format!("{} {}", package.language, package.name);
        options.only.is_empty() || options.only.iter().any(|only| called.contains(&**only))
    };
    let is_done = |package: &Package| done.iter().any(|row| row.is_of(package) && row.seed == options.seed);
    let wanted: Vec<Package> = record::packages()?
        .into_iter()
        .filter(|package| is_wanted(package) && !is_done(package))
        .take(options.packages)
        .collect();
    println!("{} packages", wanted.len());
    let work = repo::cache("hunt")?;
    let mut failed = 0;
    for (package, tree) in fetched(wanted, work.clone()) {
        let tree = match tree {
            Ok(tree) => tree,
            Err(error) => {
                failed += 1;
                println!("{}: cannot be fetched: {error:#}", package.name);
                continue;
            }
        };
        let hunt = Hunt { binary: &binary, work: &work, tree: &tree, options };
        let (row, findings) = hunt.through(&package).with_context(|| package.name.clone())?;
        println!("{row}");
        findings.iter().for_each(|finding| println!("  {finding}"));
        if options.dry_run {
            continue;
        }
        record::add(&row, &findings)?;
        fs::remove_dir_all(&tree)?;
    }
    println!("{failed} packages could not be fetched");
    Ok(())
}

/// The trees of the packages, the next ones fetched while one is asked.
fn fetched(packages: Vec<Package>, work: PathBuf) -> Receiver<(Package, Result<PathBuf>)> {
    let (send, trees) = sync_channel(3);
    std::thread::spawn(move || {
        for package in packages {
            let tree = accuracy::package(&package.client, &package.name, &package.version, &work);
            if send.send((package, tree)).is_err() {
                break;
            }
        }
    });
    trees
}

/// One package and the server that is asked about it.
struct Hunt<'h> {
    binary: &'h Path,
    work: &'h Path,
    tree: &'h Path,
    options: &'h Options,
}

impl Hunt<'_> {
    fn through(&self, package: &Package) -> Result<(Row, Vec<Finding>)> {
        let seed = package
            .name
            .bytes()
            .fold(self.options.seed, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
        let mut random = Random(seed);
        let before = repo::walk(self.tree, |_| false)?;
        let endings = record::endings(&package.language);
        let mut files: Vec<&PathBuf> = Vec::new();
        for file in &before {
            let is_source = file.extension().is_some_and(|ending| endings.iter().any(|e| ending == *e));
            if is_source && fs::metadata(self.tree.join(file))?.len() <= MAX_BYTES {
                files.push(file);
            }
        }
        let questions = self.questions(&files, &mut random)?;
        let mut row = Row::of(package, self.options.seed, files.len());
        let mut findings = Vec::new();
        let mut left = &questions[..];
        for _ in 0..MOST_SERVERS {
            left = self.asked(left, &mut row, &mut findings)?;
            if left.is_empty() {
                break;
            }
        }
        ensure!(repo::walk(self.tree, |_| false)? == before, "a dry run wrote files");
        Ok((row, findings))
    }

    /// Every tool at random places of random files, and about words there.
    fn questions(&self, files: &[&PathBuf], random: &mut Random) -> Result<Vec<Question>> {
        let mut questions = vec![
            ("ide_index_status", json!({})),
            ("ide_project_structure", json!({})),
            ("ide_list_dependencies", json!({})),
            ("ide_project_diagnostics", json!({"maxFiles": 50})),
        ];
        if files.is_empty() {
            return Ok(questions);
        }
        for _ in 0..self.options.places {
            let file = random.of(files);
            let bytes = fs::read(self.tree.join(file))?;
            let Ok(text) = std::str::from_utf8(&bytes) else { continue };
            let all = tokens(text);
            let words: Vec<_> = all.iter().filter(|(start, _)| starts_word(&text[*start..])).collect();
            if words.is_empty() {
                continue;
            }
            let (start, end) = **random.of(&words);
            // One place of eight is anywhere: in a comment, a string, or behind the end of a line.
            let offset = if random.below(8) == 0 { random.below(text.len()) } else { start };
            let offset = (0..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            let line = text[..offset].rfind('\n').map_or(0, |at| at + 1);
            let column = text[line..offset].encode_utf16().count() + 1;
            let file = file.to_string_lossy();
            questions.extend(asking::at(&file, text[..offset].matches('\n').count() + 1, column));
            questions.extend(asking::of_file(&file));
            questions.extend(asking::for_word(text[start..end].trim_matches('$')));
        }
        Ok(questions)
    }

    /// Asks until the server dies; gives the questions that are left.
    fn asked<'q>(
        &self,
        questions: &'q [Question],
        row: &mut Row,
        findings: &mut Vec<Finding>,
    ) -> Result<&'q [Question]> {
        let home = self.work.join("home");
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        fs::create_dir_all(&home)?;
        let config = self.work.join("config.toml");
        let limit = LIMIT.as_secs();
        fs::write(&config, format!("enabled_tools = [\"*\"]\ncall_timeout_seconds = {limit}\n"))?;
        let log = self.work.join("server.log");
        let mut command = repo::isolated(self.binary)?;
        command.env("HOME", &home).args(["stdio", "--config"]).arg(&config);
        command.arg("--project").arg(self.tree).stderr(fs::File::create(&log)?);
        let mut client = Client::start(&mut command, PATIENCE)?;
        let begun = Instant::now();
        // The first answer waits for the index.
        let mut opened = client.call("ide_find_file", &json!({"query": "a"}));
        while matches!(&opened, Ok(answer) if answer.value["error"] == "index_not_ready" || answer.value["error"] == "timeout")
            && begun.elapsed() < HUNG * 4
        {
            opened = client.call("ide_find_file", &json!({"query": "a"}));
        }
        row.opened(begun.elapsed());
        let mut rest = questions;
        while let Some(((tool, arguments), others)) = rest.split_first() {
            rest = others;
            let mut finding = |kind, seconds, processor, note: String| {
                findings.push(Finding::new(row, kind, tool, arguments, (seconds, processor), &note));
            };
            let (begun, used) = (Instant::now(), processor(client.id()));
            let answer = client.call(tool, arguments);
            let taken = begun.elapsed();
            let used = processor(client.id()) - used;
            let worked = (used / taken.as_secs_f64()).min(1.0);
            let late = taken.saturating_sub(LIMIT).mul_f64(worked);
            let kind = match &answer {
                Err(_) if taken >= PATIENCE => Some(Kind::Hang),
                Err(_) => Some(Kind::Crash),
                Ok(_) if late > HUNG - LIMIT => Some(Kind::Hang),
                Ok(answer) if answer.is_error && answer.value["error"] == "internal" => Some(Kind::Internal),
                Ok(_) if taken > SLOW => Some(Kind::Slow),
                Ok(_) => None,
            };
            if let Some(kind) = kind {
                let note =
                    answer.as_ref().map_or_else(|error| format!("{error:#}; {}", last_line(&log)), noted);
                finding(kind, taken.as_secs_f64(), used, note);
            }
            row.answered(kind, taken);
            if answer.is_err() {
                break;
            }
        }
        row.memory(peak(client.id()));
        // A panic beside the calls, such as one of the indexer.
        let panics = fs::read_to_string(&log).unwrap_or_default();
        if let Some(panic) = panics.lines().find(|line| line.contains("panicked"))
            && !findings.iter().any(|finding| finding.kind == Kind::Internal)
        {
            findings.push(Finding::new(row, Kind::Internal, "the log", &json!({}), (0.0, 0.0), panic));
            row.found[Kind::Internal as usize] += 1;
        }
        Ok(rest)
    }
}

fn starts_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
}

/// An answer in a few words: its error, or how much it holds.
fn noted(answer: &ToolAnswer) -> String {
    let value = &answer.value;
    match value["error"].as_str() {
        Some(error) => format!("{error}: {}", value["message"].as_str().unwrap_or_default()),
        None => format!("{} bytes", value.to_string().len()),
    }
}

fn last_line(log: &Path) -> String {
    let log = fs::read_to_string(log).unwrap_or_default();
    log.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().chars().take(200).collect()
}

/// Seconds of the processor that a process has used, where the system tells.
pub(crate) fn processor(id: u32) -> f64 {
    let Ok(text) = fs::read_to_string(format!("/proc/{id}/stat")) else { return 0.0 };
    let behind_name = text.rsplit(')').next().unwrap_or_default();
    let fields = behind_name.split_whitespace().skip(11).take(2);
    // Hundredths of seconds on every Linux.
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The most memory that a process had, in megabytes.
fn peak(id: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|n| n.parse::<u64>().ok()).unwrap_or(0) / 1024
}
