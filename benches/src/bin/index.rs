//! Measures the index on a directory: `cargo run -p benches --release --bin index -- DIR`.
//!
//! The directory is copied first, because one of the measurements edits a file. Ratios between the rows are what counts:
//! they were taken on the same machine in one go.

#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock and the disk")]
#![expect(clippy::print_stdout, reason = "the result of a measurement is printed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ide_index::World;
use ide_model::{Cx, Language, MatchMode, SearchKind, Stop, SymbolQuery};
use ide_store::{Options, ProjectBackend, StoreSnapshot};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let source = std::env::args().nth(1).ok_or("usage: index DIR")?;
    let scratch = tempfile::tempdir()?;
    let root = scratch.path().join("project");
    copy(Path::new(&source), &root)?;
    let files = sources(&root);
    let (lines, bytes) = read_all(&files)?;
    println!("{} source files, {:.3} M lines, {:.1} MB", files.len(), lines as f64 / 1e6, bytes as f64 / 1e6);
    let mloc = lines as f64 / 1e6;

    row("read all source files, one thread", || read_all(&files).map(drop))?;
    row("walk and stat, all threads", || {
        walk(&root);
        Ok(())
    })?;
    row("front ends alone, one thread", || parse(&files, ide_index::lang::own_front_end))?;
    if cfg!(feature = "tree-sitter") {
        row("grammar tables alone, one thread", || parse(&files, ide_index::lang::table_front_end))?;
    }

    let cache = scratch.path().join("cache");
    let options = || Options { cache_dir: Some(cache.clone()), build_id: Some(1), ..Options::default() };
    forget_peak()?;
    let before = memory("VmRSS")?;
    let mut cold = None;
    row("cold: until the first answer", || {
        let backend = ProjectBackend::open(&root, options())?;
        ask(&backend)?;
        cold = Some(backend);
        Ok(())
    })?;
    row("cold: until it is on disk", || {
        drop(cold.take());
        Ok(())
    })?;
    let peak = memory("VmHWM")?.saturating_sub(before);
    println!("{:<44} {:>9.1} MB {:>9.1} MB/MLOC", "peak memory above the start", mb(peak), mb(peak) / mloc);
    let disk: u64 = walk(&cache).iter().map(|(_, size)| size).sum();
    println!("{:<44} {:>9.1} MB {:>9.1} MB/MLOC", "on disk", mb(disk), mb(disk) / mloc);

    let mut warm = None;
    for _ in 0..2 {
        drop(warm.take());
        row("warm: until the first answer", || {
            let backend = ProjectBackend::open(&root, options())?;
            ask(&backend)?;
            warm = Some(backend);
            Ok(())
        })?;
    }
    let backend = warm.ok_or("there is a backend")?;
    questions(&backend, &files)
}

/// What is asked of an index that is there.
fn questions(backend: &ProjectBackend, files: &[PathBuf]) -> Result<(), Failure> {
    spread("question without a change", 200, |_| ask(backend).map(drop))?;
    let step = (files.len() / 100).max(1);
    let some: Vec<&PathBuf> = files.iter().step_by(step).collect();
    spread("one file written, then a question", some.len(), |i| {
        let mut text = fs::read(some[i])?;
        text.push(b'\n');
        fs::write(some[i], text)?;
        ask(backend).map(drop)
    })?;
    let snapshot = ask(backend)?;
    let index = snapshot.index();
    let symbols: u64 = index.rows().map(|row| u64::from(row.symbols)).sum();
    println!("{} files, {symbols} symbols", index.file_count());
    for pattern in ["e", "get", "Handler", "gNm", "resolveType", "Base.run", "handelr"] {
        spread(&format!("symbol search `{pattern}`"), 10, |_| search(&snapshot, pattern))?;
    }
    let step = (files.len() / 300).max(1) as u32;
    let ids: Vec<u32> = (0..index.file_count()).step_by(step as usize).collect();
    spread("facts of a file, decoded", ids.len(), |i| {
        index.facts(ide_index::FileId(ids[i]));
        Ok(())
    })
}

fn search(snapshot: &StoreSnapshot, pattern: &str) -> Result<(), Failure> {
    let stop = Stop::new();
    let query = SymbolQuery {
        pattern,
        mode: MatchMode::Substring,
        kind: SearchKind::All,
        language: None,
        filter: &|_| true,
        limit: 25,
    };
    snapshot.index().search(Cx::new(&stop), &query).map_err(|error| format!("{error:?}"))?;
    Ok(())
}

fn ask(backend: &ProjectBackend) -> Result<std::sync::Arc<StoreSnapshot>, Failure> {
    let stop = Stop::new();
    Ok(backend.store_snapshot(Cx::new(&stop)).map_err(|error| format!("{error:?}"))?)
}

fn row(name: &str, run: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let (wall, cpu) = (Instant::now(), cpu()?);
    run()?;
    let (wall, cpu) = (wall.elapsed(), self::cpu()?.saturating_sub(cpu));
    println!("{name:<44} {:>9.3} s wall {:>9.2} s CPU", wall.as_secs_f64(), cpu.as_secs_f64());
    Ok(())
}

fn spread(
    name: &str,
    times: usize,
    mut run: impl FnMut(usize) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut all = Vec::with_capacity(times);
    for i in 0..times {
        let start = Instant::now();
        run(i)?;
        all.push(start.elapsed());
    }
    all.sort_unstable();
    let at = |share: usize| all[(all.len() - 1) * share / 100].as_secs_f64() * 1e3;
    println!("{name:<44} {:>9.3} ms p50 {:>9.3} ms p99", at(50), at(99));
    Ok(())
}

fn parse<'f>(
    files: &[PathBuf],
    front_end: impl Fn(Language) -> Option<&'f dyn ide_index::FrontEnd>,
) -> Result<(), Failure> {
    for file in files {
        let path = file.to_string_lossy();
        if let Some(front) = Language::of_path(&path).and_then(&front_end) {
            let bytes = fs::read(file)?;
            let text = String::from_utf8_lossy(&bytes);
            if bytes.len() <= 1 << 20 {
                std::hint::black_box(front.facts(&path, &text));
            }
        }
    }
    Ok(())
}

/// Files that the index reads for facts.
fn sources(root: &Path) -> Vec<PathBuf> {
    let has_front_end = |path: &Path| {
        Language::of_path(&path.to_string_lossy()).is_some_and(|l| ide_index::lang::front_end(l).is_some())
    };
    let mut files: Vec<PathBuf> =
        walk(root).into_iter().map(|(path, _)| path).filter(|path| has_front_end(path)).collect();
    files.sort();
    files
}

fn read_all(files: &[PathBuf]) -> Result<(usize, u64), Failure> {
    let (mut lines, mut bytes) = (0, 0);
    for file in files {
        let text = fs::read(file)?;
        lines += text.iter().filter(|byte| **byte == b'\n').count();
        bytes += text.len() as u64;
    }
    Ok((lines, bytes))
}

fn walk(root: &Path) -> Vec<(PathBuf, u64)> {
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

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() && entry.file_name() != ".git" {
            copy(&entry.path(), &target)?;
        } else if kind.is_file() {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// CPU time of this process, all threads.
fn cpu() -> Result<Duration, Failure> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks: u64 = fields[11].parse::<u64>()? + fields[12].parse::<u64>()?;
    Ok(Duration::from_millis(ticks * 10))
}

/// A line of `/proc/self/status`, in bytes.
fn memory(field: &str) -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(field)).ok_or("no such field")?;
    Ok(line.split_whitespace().nth(1).ok_or("no value")?.parse::<u64>()? * 1024)
}

/// Starts the count of peak memory anew.
fn forget_peak() -> Result<(), Failure> {
    Ok(fs::write("/proc/self/clear_refs", "5")?)
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
