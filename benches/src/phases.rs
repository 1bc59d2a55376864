//! The rows: each runs in a process of its own and prints its values.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_index::lang::{front_end, own_front_end};
use ide_model::{Cx, Language, Stop};
use ide_store::{Options, ProjectBackend, StoreSnapshot, is_read};

use crate::machine::{Took, memory, took};
use crate::{Failure, grammars, questions};

/// The phase that is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Phase {
    /// Every source file is read by one thread.
    Read,
    /// Every file is listed and its metadata read, by all threads, as the index does it but for the comparison.
    Walk,
    /// Files are parsed by tree-sitter, by one thread, and nothing is done with the trees: those of the main language, then
    /// those of all languages that the index reads and a grammar is there for.
    Parse,
    /// Files of the main language become facts by their front end, one thread.
    Facts,
    /// Nothing is there, until the index is on disk; then until all facts are.
    Cold,
    /// Everything is there, until the first answer, which describes what is on disk then.
    Warm,
    /// Every reference of the main language is resolved, for profiles.
    Resolve,
    /// Questions to a running index.
    Questions,
}

pub(crate) fn run(phase: Phase, root: &Path, language: &str, cache: &Path) -> Result<(), Failure> {
    let language = Language::by_name(language).ok_or("no such language")?;
    match phase {
        Phase::Read => read(root),
        Phase::Walk => {
            let (_, time) = took(|| Ok(walk(root)))?;
            print_time("walk", time);
            Ok(())
        }
        Phase::Parse => {
            each_of(root, |of| of == language, "parse", grammars::parse)?;
            each_of(root, |of| front_end(of).is_some(), "parse all", grammars::parse)
        }
        Phase::Facts => {
            let front = front_end(language).ok_or("no front end")?;
            println!("hand-written {}", u8::from(own_front_end(language).is_some()));
            let is_main = |of| of == language;
            each_of(root, is_main, "facts", |_, path, text| {
                drop(std::hint::black_box(front.facts(path, text)));
                true
            })?;
            each_of(root, is_main, "sketches", |_, path, text| {
                if std::hint::black_box(front.sketch(path, text)).is_none() {
                    std::hint::black_box(front.facts(path, text));
                }
                true
            })
        }
        Phase::Cold => cold(root, cache),
        Phase::Warm => {
            let (backend, time) = took(|| {
                let backend = open(root, cache, LISTS_FROM)?;
                ask(&backend)?;
                Ok(backend)
            })?;
            print_time("warm", time);
            println!("idle {}", memory("RssAnon")?);
            drop(backend);
            Ok(())
        }
        Phase::Resolve => {
            let backend = open(root, cache, u64::MAX)?;
            fill(&backend)?;
            questions::everything(&*ask(&backend)?, language)
        }
        Phase::Questions => questions::ask_all(root, language, cache),
    }
}

pub(crate) fn print_time(name: &str, time: Took) {
    println!("{name} wall {}", time.wall);
    println!("{name} cpu {}", time.cpu);
}

/// Bytes from which on text search keeps lists, as the server has it.
pub(crate) const LISTS_FROM: u64 = 30_000_000;

pub(crate) fn open(root: &Path, cache: &Path, text_lists_from: u64) -> Result<ProjectBackend, Failure> {
    let cache_dir = Some(cache.to_owned());
    let options = Options { cache_dir, build_id: Some(1), text_lists_from, ..Options::default() };
    Ok(ProjectBackend::open(root, options)?)
}

pub(crate) fn ask(backend: &ProjectBackend) -> Result<Arc<StoreSnapshot>, Failure> {
    let stop = Stop::new();
    Ok(backend.store_snapshot(Cx::new(&stop)).map_err(|error| format!("{error:?}"))?)
}

/// Reads and keeps all facts.
pub(crate) fn fill(backend: &ProjectBackend) -> Result<(), Failure> {
    let stop = Stop::new();
    Ok(backend.fill(Cx::new(&stop)).map_err(|error| format!("{error:?}"))?)
}

fn read(root: &Path) -> Result<(), Failure> {
    let files = sources(root, |language| front_end(language).is_some());
    let ((lines, bytes), time) = took(|| {
        let (mut lines, mut bytes) = (0, 0);
        for file in &files {
            let text = std::fs::read(file)?;
            lines += text.iter().filter(|byte| **byte == b'\n').count();
            bytes += text.len();
        }
        Ok((lines, bytes))
    })?;
    println!("files {}\nlines {lines}\nbytes {bytes}", files.len());
    print_time("read", time);
    Ok(())
}

/// Hands every file of the languages that are wanted to `each`, which says whether it did anything; reading is not measured.
fn each_of(
    root: &Path,
    wanted: impl Fn(Language) -> bool,
    name: &str,
    mut each: impl FnMut(Language, &str, &str) -> bool,
) -> Result<(), Failure> {
    let mut total = Took::default();
    let mut bytes = 0;
    for file in sources(root, wanted) {
        let path = file.to_string_lossy().into_owned();
        let Some(language) = Language::of_path(&path) else { continue };
        let content = std::fs::read(&file)?;
        if is_read(language, &content) {
            let text = String::from_utf8_lossy(&content);
            let (is_done, time) = took(|| Ok(each(language, &path, &text)))?;
            if is_done {
                total = Took { wall: total.wall + time.wall, cpu: total.cpu + time.cpu };
                bytes += text.len();
            }
        }
    }
    println!("{name} bytes {bytes}");
    print_time(name, total);
    Ok(())
}

fn cold(root: &Path, cache: &Path) -> Result<(), Failure> {
    if cache.exists() {
        std::fs::remove_dir_all(cache)?;
    }
    let before = memory("VmRSS")?;
    let (backend, first) = took(|| {
        let backend = open(root, cache, LISTS_FROM)?;
        ask(&backend)?;
        Ok(backend)
    })?;
    let symbols: u64 = ask(&backend)?.index().rows().map(|row| u64::from(row.symbols)).sum();
    let ((), rest) = took(|| {
        drop(backend);
        Ok(())
    })?;
    print_time("first", first);
    print_time("cold", Took { wall: first.wall + rest.wall, cpu: first.cpu + rest.cpu });
    let at_once = memory("VmHWM")?.saturating_sub(before);
    let backend = open(root, cache, LISTS_FROM)?;
    ask(&backend)?;
    let ((), filled) = took(|| fill(&backend))?;
    drop(backend);
    print_time("fill", filled);
    println!("peak {at_once}\nlater peak {}", memory("VmHWM")?.saturating_sub(before));
    println!("disk {}\nsymbols {symbols}", walk(cache).iter().map(|(_, size)| size).sum::<u64>());
    Ok(())
}

/// Files whose language is wanted, in order.
pub(crate) fn sources(root: &Path, wanted: impl Fn(Language) -> bool) -> Vec<PathBuf> {
    let is_wanted = |path: &Path| Language::of_path(&path.to_string_lossy()).is_some_and(&wanted);
    let mut files: Vec<PathBuf> =
        walk(root).into_iter().map(|(path, _)| path).filter(|path| is_wanted(path)).collect();
    files.sort();
    files
}

/// Every file with its size, by all threads.
pub(crate) fn walk(root: &Path) -> Vec<(PathBuf, u64)> {
    let (send, receive) = std::sync::mpsc::channel();
    ignore::WalkBuilder::new(root).hidden(false).build_parallel().run(|| {
        let send = send.clone();
        Box::new(move |entry| {
            if let Ok(entry) = entry
                && let Ok(meta) = entry.metadata()
                && meta.is_file()
            {
                send.send((entry.into_path(), meta.len())).expect("the receiver waits");
            }
            ignore::WalkState::Continue
        })
    });
    drop(send);
    receive.into_iter().collect()
}
