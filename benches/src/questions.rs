//! Questions to a running index, each asked many times or of many places; half and nearly all of them are faster than
//! what is printed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ide_index::{FileId, GlobalRef, RefId, World};
use ide_model::{
    Cx, FilePath, Language, MatchMode, SearchKind, Snapshot, Stop, Symbol, SymbolQuery, Target, TextQuery,
};
use ide_store::{ProjectBackend, StoreSnapshot};

use crate::Failure;
use crate::machine::{foreign, median, memory, print_spread, took};
use crate::phases::{LISTS_FROM, ask, fill, open, print_time, sources};

/// Patterns of symbol search: a letter, beginnings, humps, letters here and there, containers, a typing error.
const SYMBOLS: [&str; 8] = ["e", "get", "Handler", "rT", "gNm", "resolveType", "Base.run", "handelr"];
/// Literals of text search that stand nearly everywhere.
const COMMON: [&str; 2] = ["return", "the"];
const EXPRESSIONS: [&str; 2] = [r"[a-z]+Error", r"\bget[A-Z]\w+\("];

/// The number of references that a search finds at least before it gives its first page.
const FIRST_PAGE: usize = 101;

pub(crate) fn ask_all(root: &Path, language: Language, cache: &Path) -> Result<(), Failure> {
    let scratch = tempfile::tempdir()?;
    let copy = scratch.path().join("project");
    copy_tree(root, &copy)?;
    let cache = &cache.join("questions");
    if cache.exists() {
        std::fs::remove_dir_all(cache)?;
    }
    let backend = open(&copy, cache, u64::MAX)?;
    fill(&backend)?;
    saves(&backend, &copy, language)?;
    let snapshot = ask(&backend)?;
    let rare = rare_names(&snapshot, language);
    texts("text", &snapshot, &copy, &rare)?;
    definitions(&snapshot, language)?;
    references(&snapshot, language, "references", usize::MAX)?;
    references(&snapshot, language, "first references", FIRST_PAGE)?;
    symbols(&snapshot)?;
    everything(&snapshot, language)?;
    println!("busy {}", memory("RssAnon")?);
    drop((snapshot, backend));
    let backend = open(&copy, cache, LISTS_FROM)?;
    ask(&backend)?;
    let started = Instant::now();
    while !has_lists(cache) {
        if started.elapsed() > Duration::from_secs(60) {
            // Too small for lists.
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let sizes = crate::phases::walk(cache).into_iter().filter(|(path, _)| path.ends_with("text.tri"));
    println!("lists {}", sizes.map(|(_, size)| size).sum::<u64>());
    texts("lists", &*ask(&backend)?, &copy, &rare)
}

/// One file is written, then the index is asked.
fn saves(backend: &ProjectBackend, root: &Path, language: Language) -> Result<(), Failure> {
    ask(backend)?;
    let files = sources(root, |of| of == language);
    let step = (files.len() / 100).max(1);
    let files: Vec<&PathBuf> = files.iter().step_by(step).collect();
    print_spread("save", files.len(), |i| {
        let mut text = std::fs::read(files[i])?;
        text.push(b'\n');
        std::fs::write(files[i], text)?;
        took(|| ask(backend).map(drop)).map(|(_, time)| time)
    })?;
    print_spread("unchanged", 200, |_| took(|| ask(backend).map(drop)).map(|(_, time)| time))
}

/// References all over the project, a few of a file.
pub(crate) fn places(snapshot: &StoreSnapshot, language: Language, wanted: usize) -> Vec<(FilePath, u32)> {
    let index = snapshot.index();
    let files: Vec<FileId> = (0..index.file_count())
        .map(FileId)
        .filter(|id| index.file(*id).language == Some(language) && index.has_facts(*id))
        .collect();
    let step = (files.len() / wanted).max(1);
    let in_file = |(n, id): (usize, &FileId)| {
        let facts = index.facts(*id);
        let at = facts.refs.get(n.wrapping_mul(7919) % facts.refs.len().max(1))?;
        Some((index.file(*id).path.clone(), at.range.start))
    };
    files.iter().step_by(step).enumerate().filter_map(in_file).collect()
}

fn definitions(snapshot: &StoreSnapshot, language: Language) -> Result<(), Failure> {
    let places = places(snapshot, language, 500);
    let stop = Stop::new();
    print_spread("definition", places.len(), |i| {
        let (file, offset) = places[i].clone();
        let target = Target::Position { file, offset };
        // An unresolved name is an answer too.
        took(|| Ok(std::hint::black_box(snapshot.resolve(Cx::new(&stop), &target).is_ok())))
            .map(|(_, time)| time)
    })
}

fn references(
    snapshot: &StoreSnapshot,
    language: Language,
    name: &str,
    enough: usize,
) -> Result<(), Failure> {
    let stop = Stop::new();
    let symbol = |(file, offset): (FilePath, u32)| -> Option<Symbol> {
        let found = snapshot.resolve(Cx::new(&stop), &Target::Position { file, offset }).ok()?;
        found.value.into_iter().next().map(|(symbol, _)| symbol).filter(|symbol| !symbol.is_library)
    };
    let symbols: Vec<Symbol> = places(snapshot, language, 300).into_iter().filter_map(symbol).collect();
    let mut uses = 0;
    print_spread(name, symbols.len(), |i| {
        let (found, time) = took(|| {
            snapshot
                .references(Cx::new(&stop), &symbols[i], &|_| true, enough)
                .map_err(|error| format!("{error:?}").into())
        })?;
        uses += found.value.references.len();
        Ok(time)
    })?;
    println!("{name} found {uses}");
    Ok(())
}

fn symbols(snapshot: &StoreSnapshot) -> Result<(), Failure> {
    let stop = Stop::new();
    print_spread("symbols", SYMBOLS.len() * 5, |i| {
        let query = SymbolQuery {
            pattern: SYMBOLS[i % SYMBOLS.len()],
            mode: MatchMode::Substring,
            kind: SearchKind::All,
            language: None,
            filter: &|_| true,
            with_libraries: false,
            limit: 25,
        };
        let found =
            took(|| snapshot.index().search(Cx::new(&stop), &query).map_err(|e| format!("{e:?}").into()))?;
        Ok(found.1)
    })
}

/// Every reference of the main language is resolved, by one thread.
pub(crate) fn everything(snapshot: &StoreSnapshot, language: Language) -> Result<(), Failure> {
    let index = snapshot.index();
    let (count, time) = took(|| {
        let mut count = 0_u64;
        for file in
            (0..index.file_count()).map(FileId).filter(|id| index.file(*id).language == Some(language))
        {
            let refs = index.facts(file).refs.len() as u32;
            count += u64::from(refs);
            snapshot.resolvers().with(|rx| {
                for reference in (0..refs).map(RefId) {
                    std::hint::black_box(rx.resolve(GlobalRef { file, reference }));
                }
            });
        }
        Ok(count)
    })?;
    println!("resolved {count}");
    print_time("resolve", time);
    Ok(())
}

/// Text search beside ripgrep.
fn texts(name: &str, snapshot: &StoreSnapshot, root: &Path, rare: &[String]) -> Result<(), Failure> {
    let groups: [(&str, Vec<String>, bool); 3] = [
        ("rare", rare.to_vec(), false),
        ("common", COMMON.map(str::to_owned).to_vec(), false),
        ("regex", EXPRESSIONS.map(str::to_owned).to_vec(), true),
    ];
    for (group, patterns, is_regex) in &groups {
        text_rows(&format!("{name} {group}"), snapshot, root, patterns, *is_regex)?;
    }
    Ok(())
}

fn has_lists(cache: &Path) -> bool {
    crate::phases::walk(cache).iter().any(|(path, _)| path.ends_with("text.tri"))
}

/// Names that few files mention.
fn rare_names(snapshot: &StoreSnapshot, language: Language) -> Vec<String> {
    let index = snapshot.index();
    let mut names = Vec::new();
    for (file, offset) in places(snapshot, language, 400) {
        let Some(id) = index.file_by_path(file.as_str()) else { continue };
        let facts = index.facts(id);
        let Some(at) = facts.refs.iter().find(|at| at.range.start == offset) else { continue };
        let name = facts.name(at.name);
        let is_rare = (2..=20).contains(&index.files_mentioning(name).len());
        if name.len() > 6 && is_rare && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
        if names.len() == 3 {
            break;
        }
    }
    names
}

/// Ours and ripgrep in turns; per pattern the medians, then the mean over the patterns.
fn text_rows(
    name: &str,
    snapshot: &StoreSnapshot,
    root: &Path,
    patterns: &[String],
    is_regex: bool,
) -> Result<(), Failure> {
    let stop = Stop::new();
    let mut sums = [0.0; 4];
    for pattern in patterns {
        let query = TextQuery {
            beside: &[],
            pattern,
            is_regex,
            case_sensitive: true,
            whole_word: false,
            context: None,
            filter: &|_| true,
            limit: usize::MAX - 1,
        };
        let mut times: [Vec<f64>; 4] = Default::default();
        for _ in 0..3 {
            let (_, ours) = took(|| {
                snapshot.search_text(Cx::new(&stop), &query).map_err(|error| format!("{error:?}").into())
            })?;
            let fixed: &[&str] = if is_regex { &[] } else { &["--fixed-strings"] };
            let arguments = [&["--line-number", "--hidden"], fixed, &["--", pattern, "."]].concat();
            let theirs = foreign("rg", &arguments, root, &[0, 1])?;
            let theirs = theirs.ok_or("ripgrep is not installed (Debian: ripgrep)")?;
            for (times, value) in times.iter_mut().zip([ours.wall, ours.cpu, theirs.wall, theirs.cpu]) {
                times.push(value);
            }
        }
        for (sum, times) in sums.iter_mut().zip(times) {
            *sum += median(times) / patterns.len() as f64;
        }
    }
    for (what, value) in ["wall", "cpu", "rg wall", "rg cpu"].iter().zip(sums) {
        println!("{name} {what} {value}");
    }
    Ok(())
}

pub(crate) fn copy_tree(from: &Path, to: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else if kind.is_file() {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
