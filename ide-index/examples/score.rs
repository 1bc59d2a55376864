//! Scores the resolver on a tree with known answers: `score TREE TRUTH.jsonl [--show N] [--all]`; `score TREE
//! FILE:LINE:COLUMN…` says what stands there.
//!
//! The truth is a file of `accuracy/truth`. Prints shares per class and the questions that were answered
//! otherwise, for people who work on a resolver; the committed figures come from `cargo xtask accuracy`.

#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for people, with files and a clock"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::{MemoryWorld, World, is_configuration, lang};
use ide_model::{Access, Confidence, Cx, FilePath, FileText, LineColumn, QueryError, Stop, Target};
use serde_json::Value;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let [_, root, truth, rest @ ..] = &args[..] else { panic!("usage: score TREE TRUTH.jsonl [--show N]") };
    let show: usize = rest.get(1).map_or(20, |n| n.parse().expect("a number"));
    let mut files = Vec::new();
    read_tree(Path::new(root), "", &mut files);
    if truth.contains(':') {
        let world = Arc::new(MemoryWorld::new(files, lang::front_end));
        let pool = Resolvers::new(world.clone());
        return args[2..].iter().for_each(|at| say(&world, &pool, at));
    }
    let truth = std::fs::read_to_string(truth).expect("truth");
    let truth: Vec<Value> = truth.lines().map(|row| serde_json::from_str(row).expect("JSON")).collect();
    let started = std::time::Instant::now();
    let world = Arc::new(MemoryWorld::new(files, lang::front_end));
    println!("{} files read in {:?}", world.file_count(), started.elapsed());
    let pool = Resolvers::new(world.clone());
    let started = std::time::Instant::now();
    definitions(&world, &pool, &truth, show);
    println!("definitions in {:?}", started.elapsed());
    let started = std::time::Instant::now();
    references(&world, &pool, &truth, show);
    println!("references in {:?}", started.elapsed());
    if rest.iter().any(|a| a == "--all") {
        resolve_all(&world);
    }
}

fn say(world: &MemoryWorld, pool: &Resolvers, at: &str) {
    let mut parts = at.rsplitn(3, ':');
    let mut number = || parts.next().and_then(|n| n.parse().ok()).expect("FILE:LINE:COLUMN");
    let (column, line) = (number(), number());
    let file = parts.next().expect("FILE:LINE:COLUMN");
    println!("{at}: {:?}", ask(world, pool, file, line, column));
}

fn resolve_all(world: &Arc<MemoryWorld>) {
    let started = std::time::Instant::now();
    let world = Arc::new(ide_index::LayeredWorld::new(world.clone(), []));
    let rx = ide_index::resolve::Resolver::new(world.clone());
    let (mut known, mut all) = (0, 0);
    for id in 0..world.file_count() {
        let file = rx.file(ide_index::FileId(id));
        for reference in file.ref_ids() {
            all += 1;
            known += usize::from(!rx.resolve(file.global_ref(reference)).resolution.is_unknown());
        }
    }
    println!("resolved {known} of {all} references in {:?}", started.elapsed());
}

fn read_tree(dir: &Path, prefix: &str, into: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(dir).expect("a directory").map(|e| e.expect("entry")).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let kind = entry.file_type().expect("type");
        if kind.is_dir() && !name.starts_with('.') && name != "node_modules" {
            read_tree(&entry.path(), &path, into);
        } else if kind.is_file()
            && (ide_model::Language::of_path(&name).is_some() || is_configuration(&name))
            && let Ok(text) = std::fs::read_to_string(entry.path())
        {
            into.push((path, text));
        }
    }
}

fn position(world: &MemoryWorld, file: &str, line: u64, column: u64) -> Option<(FilePath, u32)> {
    let id = world.file_by_path(file)?;
    let text = FileText::new(world.text(id).clone());
    let offset = text.offset(LineColumn { line: line as u32, column: column as u32 })?;
    Some((FilePath::new(file), offset))
}

fn line_of(world: &MemoryWorld, file: &FilePath, offset: u32) -> u64 {
    let id = world.file_by_path(file.as_str()).expect("answers lie in the world");
    u64::from(FileText::new(world.text(id).clone()).position(offset).line)
}

/// An answer: file and line, best first, with how it is known.
type Answers = Result<Vec<(String, u64, Confidence)>, String>;

fn ask(world: &MemoryWorld, pool: &Resolvers, file: &str, line: u64, column: u64) -> Answers {
    let stop = Stop::new();
    let (file, offset) = position(world, file, line, column).ok_or("no such position")?;
    match query::resolve(pool, Cx::new(&stop), &Target::Position { file, offset }) {
        Ok(found) => Ok(found
            .iter()
            .map(|(s, c)| match s.is_library {
                true => (format!("/{}", s.file), 1, *c),
                false => (s.file.to_string(), line_of(world, &s.file, s.name_range.start), *c),
            })
            .collect()),
        Err(QueryError::OutsideIndex { qualified_name }) => {
            Ok(vec![(format!("/{qualified_name}"), 1, Confidence::Exact)])
        }
        Err(error) => Err(format!("{error:?}")),
    }
}

fn definitions(world: &MemoryWorld, pool: &Resolvers, truth: &[Value], show: usize) {
    let mut counts: BTreeMap<(String, &str), usize> = BTreeMap::new();
    let mut totals: BTreeMap<String, usize> = BTreeMap::new();
    let mut shown = 0;
    for r in truth.iter().filter(|r| r["ask"] == "definition") {
        let text = |key: &str| r[key].as_str().unwrap_or("").to_owned();
        let place = |at: &Value| (at[0].as_str().unwrap_or("").to_owned(), at[1].as_u64().unwrap_or(0));
        let class = text("class");
        let external = class == "external";
        let (file, line) = place(&r["at"]);
        let column = r["at"][2].as_u64().unwrap_or(0);
        let wanted: Vec<_> = r["want"].as_array().into_iter().flatten().map(place).collect();
        let answers = ask(world, pool, &file, line, column);
        let verdict = match answers.as_deref() {
            Err(_) | Ok([]) => "none",
            Ok([(file, line, confidence), ..]) => {
                let right = if external {
                    file.starts_with('/')
                } else if text("kind") == "module" {
                    wanted.iter().any(|w| w.0 == *file)
                } else {
                    wanted.contains(&(file.clone(), *line))
                };
                match (right, confidence.is_certain()) {
                    (true, true) => "right",
                    (true, false) => "right, possible",
                    (false, true) => "WRONG",
                    (false, false) => "wrong, possible",
                }
            }
        };
        *counts.entry((class.clone(), verdict)).or_default() += 1;
        *totals.entry(class.clone()).or_default() += 1;
        let counts_as_failure = !(verdict.starts_with("right") || external && verdict == "none");
        if counts_as_failure && shown < show {
            shown += 1;
            println!(
                "  {verdict} {class} {} {file}:{line}:{column} `{}` wanted {:?} got {:?}",
                text("kind"),
                text("name"),
                wanted.first(),
                answers
            );
        }
    }
    for ((class, verdict), n) in &counts {
        println!("{class:9} {verdict:16} {n:5} {:.4}", *n as f64 / totals[class] as f64);
    }
}

fn references(world: &MemoryWorld, pool: &Resolvers, truth: &[Value], show: usize) {
    let (mut sums, mut certain_sums) = ([0usize; 3], [0usize; 3]);
    let mut shown = 0;
    for d in truth.iter().filter(|d| d["ask"] == "references") {
        let file = d["at"][0].as_str().expect("file");
        let (line, column) = (d["at"][1].as_u64().expect("line"), d["at"][2].as_u64().expect("column"));
        let places = |key: &str| -> BTreeSet<(String, u64)> {
            let files = d[key].as_object().into_iter().flatten();
            let lines = |(file, lines): (&String, &Value)| {
                let lines: Vec<u64> =
                    lines.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
                lines.into_iter().map(|line| (file.clone(), line)).collect::<Vec<_>>()
            };
            files.flat_map(lines).collect()
        };
        let (must, mut may) = (places("uses"), places("neutral"));
        let own = (file.to_owned(), line);
        may.insert(own.clone());
        let uses = uses(world, pool, file, line, column);
        let all: BTreeSet<(String, u64)> = uses.iter().map(|(f, l, _)| (f.clone(), *l)).collect();
        let certain: BTreeSet<(String, u64)> =
            uses.iter().filter(|(_, _, c)| c.is_certain()).map(|(f, l, _)| (f.clone(), *l)).collect();
        for (got, sums) in [(&all, &mut sums), (&certain, &mut certain_sums)] {
            sums[0] += got.intersection(&must).count();
            sums[1] += got.iter().filter(|g| !must.contains(*g) && !may.contains(*g)).count();
            sums[2] += must.iter().filter(|m| !got.contains(*m) && **m != own).count();
        }
        let is_certain = |g: &&(String, u64)| certain.contains(*g);
        let extra = all.iter().filter(|g| !must.contains(*g) && !may.contains(*g));
        let (extra, possible): (Vec<_>, Vec<_>) = extra.partition(is_certain);
        let missing: Vec<_> = must.iter().filter(|m| !all.contains(*m) && **m != own).collect();
        if (!extra.is_empty() || !possible.is_empty() || !missing.is_empty()) && shown < show {
            shown += 1;
            println!(
                "  refs of {} {file}:{line}:{column} {} extra {:?} possible {:?} missing {:?}",
                d["kind"],
                d["name"],
                &extra[..extra.len().min(3)],
                &possible[..possible.len().min(3)],
                &missing[..missing.len().min(3)],
            );
        }
    }
    for (what, [tp, fp, missed]) in [("exact and possible", sums), ("exact", certain_sums)] {
        let precision = tp as f64 / (tp + fp).max(1) as f64;
        let recall = tp as f64 / (tp + missed).max(1) as f64;
        println!(
            "references, {what}: P {precision:.4} R {recall:.4} F1 {:.4}",
            2.0 * precision * recall / (precision + recall)
        );
    }
}

fn uses(
    world: &MemoryWorld,
    pool: &Resolvers,
    file: &str,
    line: u64,
    column: u64,
) -> Vec<(String, u64, Confidence)> {
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let Some((path, offset)) = position(world, file, line, column) else { return Vec::new() };
    let Ok(found) = query::resolve(pool, cx, &Target::Position { file: path, offset }) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (symbol, _) in found.iter().take(1) {
        let Ok(set) = query::references(pool, cx, symbol, &|_| true, usize::MAX) else { continue };
        for r in set.references.iter().filter(|r| r.access != Access::Doc) {
            all.push((r.file.to_string(), line_of(world, &r.file, r.range.start), r.confidence));
        }
    }
    all
}
