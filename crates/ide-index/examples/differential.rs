//! Holds the front end of a language against its grammar tables over a directory.
//!
//! ```text
//! cargo run --release -p ideindex-index --features tree-sitter --example differential -- java path/to/project
//!     [--mutate SEED]   delete one random punctuation character a file, and compare how many facts each side loses
//!     [--render]        print the facts of one file by the tables instead
//!     [--speed]         print the speed of the tables
//! ```

#![expect(clippy::print_stdout, reason = "a program for people")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use ide_index::{FileFacts, FrontEnd, compare, lang, render};
use ide_model::{Language, LineIndex};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [language, root, rest @ ..] = &args[..] else {
        return Err("usage: differential LANGUAGE DIRECTORY [--mutate SEED] [--render] [--speed]".into());
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
        None => differences(&files, oracle, front),
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

fn differences(files: &[(String, String)], oracle: &dyn FrontEnd, front: &dyn FrontEnd) {
    let (mut facts, mut equal) = (0, 0);
    let mut classes: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    let (mut slow, mut fast, mut skipped) = (Duration::ZERO, Duration::ZERO, 0);
    for (path, text) in files {
        let want = timed(&mut slow, || oracle.facts(path, text));
        let have = timed(&mut fast, || front.facts(path, text));
        if !want.errors.is_empty() {
            // The oracle could not read it: nothing to hold against.
            skipped += 1;
            continue;
        }
        let found = compare(&want, &have);
        facts += found.facts;
        equal += found.equal;
        let lines = LineIndex::new(text);
        for (name, class) in found.classes {
            let entry = classes.entry(name).or_default();
            entry.0 += class.count;
            for at in class.samples.iter().take(3) {
                if entry.1.len() < 6 {
                    let line = lines.line_of(*at);
                    let range = lines.line_range(line).expect("a line of the text");
                    let shown = text[range.start as usize..range.end as usize].trim();
                    entry.1.push(format!("{path}:{}: {shown:.100}", line));
                }
            }
        }
    }
    let mut by_count: Vec<_> = classes.into_iter().collect();
    by_count.sort_by_key(|(name, (count, _))| (std::cmp::Reverse(*count), name.clone()));
    for (name, (count, samples)) in by_count {
        println!("{count:>8} {name}");
        for sample in samples {
            println!("             {sample}");
        }
    }
    println!(
        "{} files ({skipped} skipped, unreadable for the oracle), {facts} facts, {equal} equal: {:.3} %; front end {:.1} x as fast",
        files.len(),
        100.0 * equal as f64 / facts.max(1) as f64,
        slow.as_secs_f64() / fast.as_secs_f64().max(1e-9),
    );
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
