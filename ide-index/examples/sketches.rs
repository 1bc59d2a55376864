//! Holds sketches against the facts of real source: `cargo run --release --example sketches -- DIR…`.
//!
//! Prints, for each language, how many files were sketched, how much more names they mention, what both take, and every
//! file whose sketch disagrees; fails when there is one.

#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "reads what it is told to, and reports")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide_index::{lang, mentioned_names};
use ide_model::Language;

#[derive(Default)]
struct Sum {
    files: usize,
    sketched: usize,
    names: usize,
    more: usize,
    facts: Duration,
    sketches: Duration,
    wrong: Vec<String>,
}

fn main() -> ExitCode {
    let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
    for root in std::env::args().skip(1) {
        walk(Path::new(&root), &mut |path| compare(path, &mut sums));
    }
    for (language, sum) in &sums {
        sum.wrong.iter().take(40).for_each(|wrong| println!("{wrong}"));
        println!(
            "{language}: {} of {} files sketched, {} disagree; {} names more than {}; sketches {:.3} s, facts {:.3} s",
            sum.sketched,
            sum.files,
            sum.wrong.len(),
            sum.more,
            sum.names,
            sum.sketches.as_secs_f64(),
            sum.facts.as_secs_f64()
        );
    }
    if sums.values().all(|sum| sum.wrong.is_empty()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn walk(at: &Path, each: &mut impl FnMut(&Path)) {
    match std::fs::read_dir(at) {
        Ok(entries) => entries.flatten().for_each(|entry| walk(&entry.path(), each)),
        Err(_) => each(at),
    }
}

fn compare(file: &Path, sums: &mut BTreeMap<&'static str, Sum>) {
    let path = file.to_string_lossy().into_owned();
    let Some(language) = Language::of_path(&path) else { return };
    let Some(front_end) = lang::own_front_end(language) else { return };
    let Ok(text) = std::fs::read_to_string(file) else { return };
    if text.len() > 8 << 20 {
        return;
    }
    let sum = sums.entry(language.name()).or_default();
    sum.files += 1;
    // The first pass pays for the memory.
    std::hint::black_box(front_end.facts(&path, &text));
    let started = Instant::now();
    let sketch = front_end.sketch(&path, &text);
    let sketched = started.elapsed();
    let facts = front_end.facts(&path, &text);
    sum.facts += started.elapsed() - sketched;
    sum.sketches += sketched;
    let Some(sketch) = sketch else { return };
    sum.sketched += 1;
    let names = mentioned_names(&facts).count();
    sum.names += names;
    sum.more += sketch.mentioned_names().count().saturating_sub(names);
    let shared: Arc<str> = path.as_str().into();
    if let Err(why) = sketch.agrees_with(&shared, &facts) {
        sum.wrong.push(format!("{path}: {why}"));
    }
}
