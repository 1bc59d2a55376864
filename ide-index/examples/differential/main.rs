//! Holds the front end of a language against its grammar tables over a directory, and fails when more than one fact
//! in a thousand differs in a way that [`named`] does not explain.
//!
//! ```text
//! cargo run --release -p ideindex-index --features tree-sitter --example differential -- java path/to/project
//!     [--page]          print the result as a section of `docs/front-ends.md`
//!     [--mutate SEED]   delete one random punctuation character a file, and compare how many facts each side loses
//!     [--render]        print the facts of one file by the tables instead
//!     [--speed]         print the speed of the tables
//! ```

#![expect(clippy::print_stdout, reason = "a program for people")]

mod named;

use std::path::Path;
use std::time::{Duration, Instant};

use ide_index::{FileFacts, FrontEnd, compare, lang, render};
use ide_model::Language;

use named::Report;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [language, root, rest @ ..] = &args[..] else {
        return Err(
            "usage: differential LANGUAGE DIRECTORY [--page] [--mutate SEED] [--render] [--speed]".into()
        );
    };
    let language = Language::by_name(language).ok_or("no such language")?;
    let oracle = lang::table_front_end(language).ok_or("this language has no tables")?;
    let has = |flag: &str| rest.iter().any(|arg| arg == flag);
    let mut files = Vec::new();
    collect(Path::new(root), language, &mut files)?;
    if has("--render") {
        for (path, text) in &files {
            println!("{}", render(&oracle.facts(path, text)));
        }
        return Ok(());
    }
    if has("--speed") {
        return speed(&files, oracle);
    }
    let front = lang::own_front_end(language).ok_or("this language has no front end of its own")?;
    match rest.iter().position(|arg| arg == "--mutate") {
        Some(at) => {
            let seed = rest.get(at + 1).ok_or("--mutate takes a seed")?.parse()?;
            mutate(&files, oracle, front, seed);
        }
        None => {
            let report = differences(&files, oracle, front, Report::new(language)?);
            println!("{}", if has("--page") { report.page(language) } else { report.listing() });
            if !report.passes() {
                return Err(
                    "differences without a name, or in which the front end is wrong, exceed the limit".into(),
                );
            }
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a measuring tool reads what it measures")]
fn collect(at: &Path, language: Language, files: &mut Vec<(String, String)>) -> std::io::Result<()> {
    if at.is_dir() {
        let mut entries = std::fs::read_dir(at)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            collect(&entry.path(), language, files)?;
        }
        return Ok(());
    }
    let path = at.to_string_lossy().into_owned();
    if Language::of_path(&path) == Some(language)
        && let Ok(text) = String::from_utf8(std::fs::read(at)?)
    {
        files.push((path, text));
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "a measuring tool reads the clock")]
fn timed<T>(spent: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    *spent += start.elapsed();
    done
}

fn speed(files: &[(String, String)], oracle: &dyn FrontEnd) -> Result<(), Box<dyn std::error::Error>> {
    let (mut whole, mut facts, mut damaged) = (Duration::ZERO, 0, 0);
    for (path, text) in files {
        let got = timed(&mut whole, || oracle.facts(path, text));
        facts += got.defs.len() + got.refs.len();
        damaged += usize::from(!got.errors.is_empty());
    }
    let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
    println!(
        "{} files, {bytes} bytes, {facts} facts, {damaged} damaged, {:.1} MB/s parse and walk",
        files.len(),
        bytes as f64 / 1e6 / whole.as_secs_f64(),
    );
    Ok(())
}

/// Beyond these the index reads words only, so there is nothing to compare.
const MAX_FILE: usize = 1 << 20;
const MAX_LINE: usize = 20_000;

fn is_within_limits(text: &str) -> bool {
    text.len() <= MAX_FILE && text.lines().all(|line| line.len() <= MAX_LINE)
}

fn differences(
    files: &[(String, String)],
    oracle: &dyn FrontEnd,
    front: &dyn FrontEnd,
    mut report: Report,
) -> Report {
    for (path, text) in files {
        if !is_within_limits(text) {
            report.beyond_limits += 1;
            continue;
        }
        let want = timed(&mut report.slow, || oracle.facts(path, text));
        let have = timed(&mut report.fast, || front.facts(path, text));
        if want.errors.is_empty() {
            report.add(path, text, &compare(&want, &have));
        } else {
            report.unreadable += 1;
        }
    }
    report
}

/// Deletes one punctuation character of each file, and counts the facts that each side loses against its own reading
/// of the whole file.
fn mutate(files: &[(String, String)], oracle: &dyn FrontEnd, front: &dyn FrontEnd, seed: u64) {
    let mut random = seed | 1;
    let mut next = move || {
        // xorshift: the same seed gives the same mutants everywhere.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random
    };
    let (mut mutants, mut facts) = (0usize, [0usize; 2]);
    let mut lost = [0usize; 2];
    for (path, text) in files {
        let places: Vec<usize> =
            text.bytes().enumerate().filter(|(_, b)| b"(){}[];,.<>=:".contains(b)).map(|(i, _)| i).collect();
        if places.is_empty() {
            continue;
        }
        mutants += 1;
        let at = places[(next() % places.len() as u64) as usize];
        let mutant = format!("{}{}", &text[..at], &text[at + 1..]);
        for (i, front) in [oracle, front].into_iter().enumerate() {
            let (whole, broken) = (front.facts(path, text), front.facts(path, &mutant));
            facts[i] += whole.defs.len() + whole.refs.len();
            lost[i] += lost_facts(&whole, broken, at as u32);
        }
    }
    let share = |i: usize| 100.0 * lost[i] as f64 / facts[i].max(1) as f64;
    println!(
        "{mutants} mutants: the tables lose {:.3} % of their facts, the front end {:.3} %",
        share(0),
        share(1)
    );
}

/// Facts of the whole text that the broken one does not have; positions behind the deletion are moved back.
fn lost_facts(whole: &FileFacts, mut broken: FileFacts, at: u32) -> usize {
    let moved = |offset: u32| if offset >= at { offset + 1 } else { offset };
    for def in &mut broken.defs {
        def.name_range.start = moved(def.name_range.start);
        def.name_range.end = moved(def.name_range.end.saturating_sub(1)) + u32::from(def.name_range.end > 0);
    }
    for reference in &mut broken.refs {
        reference.range.start = moved(reference.range.start);
        reference.range.end =
            moved(reference.range.end.saturating_sub(1)) + u32::from(reference.range.end > 0);
    }
    let found = compare(whole, &broken);
    found.facts - found.equal
}
