//! Counts what the checks find in a tree that is known to compile: `alarms TREE [--show N] [CODE]`.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for people, with files and a clock"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::{FileId, MemoryWorld, World, is_configuration, lang};
use ide_model::{Cx, FileText, Language, Stop};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let show: usize =
        args.iter().position(|a| a == "--show").map_or(5, |i| args[i + 1].parse().expect("a number"));
    let only = args.last().filter(|last| ide_index::check::codes().any(|code| code == *last));
    let mut files = Vec::new();
    read_tree(Path::new(&args[1]), "", &mut files);
    let texts: BTreeMap<String, String> = files.iter().cloned().collect();
    let world = Arc::new(MemoryWorld::new(files, lang::front_end));
    let pool = Resolvers::new(world.clone());
    let stop = Stop::new();
    let mut lines: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    let mut slowest = Vec::new();
    for id in 0..world.file_count() {
        let entry = world.file(FileId(id));
        let Some(language) = entry.language.filter(|l| lang::own_front_end(*l).is_some()) else { continue };
        if !lang::has_policy(language) {
            continue;
        }
        let name = language_name(language);
        let text = &texts[entry.path.as_str()];
        *lines.entry(name).or_default() += text.lines().count();
        let started = std::time::Instant::now();
        let problems = query::diagnostics(&pool, Cx::new(&stop), &entry.path, text).expect("an answer");
        slowest.push((started.elapsed(), entry.path.to_string()));
        let text = FileText::new(text.as_str());
        for problem in problems {
            let line = text.position(problem.range.start).line;
            let row = format!(
                "{}:{line} {} | {}",
                entry.path,
                problem.message,
                text.line(line).unwrap_or("").trim()
            );
            found.entry((name, problem.code)).or_default().push(row);
        }
    }
    slowest.sort();
    let median = slowest.get(slowest.len() / 2).map(|s| s.0).unwrap_or_default();
    println!("lines: {lines:?}; median {median:?}; slowest {:?}", slowest.last());
    for ((language, code), rows) in found {
        println!("{language} {code}: {}", rows.len());
        if only.is_none_or(|only| only == code) {
            let step = (rows.len() / show.max(1)).max(1);
            rows.iter()
                .step_by(step)
                .take(show)
                .for_each(|row| println!("    {}", row.chars().take(200).collect::<String>()));
        }
    }
}

fn language_name(language: Language) -> &'static str {
    ide_model::LANGUAGES.iter().find(|row| row.language == language).map_or("", |row| row.name)
}

fn read_tree(dir: &Path, prefix: &str, into: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(dir).expect("a directory").map(|e| e.expect("entry")) {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if prefix.is_empty() { name.clone() } else { format!("{prefix}/{name}") };
        let kind = entry.file_type().expect("type");
        if kind.is_dir() && !name.starts_with('.') && name != "node_modules" && name != "target" {
            read_tree(&entry.path(), &path, into);
        } else if kind.is_file()
            && (Language::of_path(&path).is_some() || is_configuration(&path))
            && let Ok(text) = std::fs::read_to_string(entry.path())
            && text.len() < 1_000_000
        {
            into.push((path, text));
        }
    }
}
