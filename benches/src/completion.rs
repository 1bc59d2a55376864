//! How often the name that really stands somewhere is among the first that are proposed there.
//!
//! Names are drawn at random, with a seed, from the references of a tree; each is taken out of its file and asked for with
//! nothing typed yet.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ide_model::{Backend as _, Cx, FilePath, Language, Stop, StopReason, TextRange};
use ide_store::{Options, ProjectBackend};

use crate::Failure;

/// Names asked for in one list.
const ASKED: usize = 100;
/// A list that takes longer counts as empty.
const PATIENCE: Duration = Duration::from_secs(5);

/// Prints the share of places at which the name comes first, in the first five and in the first ten.
pub(crate) fn completion(root: &Path, language: &str, places: usize) -> Result<(), Failure> {
    let language = Language::by_name(language).ok_or_else(|| format!("no language is called {language}"))?;
    let backend = ProjectBackend::open(root, Options { watch: false, ..Options::default() })?;
    let never = Stop::new();
    let cx = Cx::new(&never);
    let snapshot = backend.snapshot(cx).map_err(|error| format!("{error:?}"))?;
    let files = snapshot
        .files(cx, &|meta| meta.language == Some(language) && meta.size < 200_000)
        .map_err(|error| format!("{error:?}"))?;
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |n: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % n.max(1) as u64) as usize
    };
    let (mut first, mut five, mut ten, mut asked) = (0, 0, 0, 0);
    let mut times = Vec::new();
    while asked < places {
        let file = &files[draw(files.len())].path;
        let whole = TextRange::new(0, u32::MAX);
        let Ok(names) = snapshot.names(cx, file, whole) else { continue };
        let uses: Vec<TextRange> =
            names.value.iter().filter(|name| !name.is_declaration).map(|name| name.range).collect();
        if uses.is_empty() {
            continue;
        }
        let place = uses[draw(uses.len())];
        let text = snapshot.text(file).map_err(|error| format!("{error:?}"))?.text;
        let Some(name) = text.get(place.start as usize..place.end as usize) else { continue };
        // The address of a module in a string is not a name.
        if !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        asked += 1;
        let without: Arc<str> = [&text[..place.start as usize], &text[place.end as usize..]].concat().into();
        let began = Instant::now();
        let rank = rank(&*snapshot, file, without, place.start, name);
        times.push(began.elapsed());
        first += usize::from(rank == Some(0));
        five += usize::from(rank.is_some_and(|rank| rank < 5));
        ten += usize::from(rank.is_some_and(|rank| rank < 10));
        if std::env::var_os("MISSES").is_some() && rank.is_none_or(|rank| rank >= 10) {
            let line = text[..place.start as usize].rsplit('\n').next().unwrap_or_default();
            println!("{file}: {} | {name} ({rank:?})", line.trim());
        }
    }
    times.sort_unstable();
    let share = |n: usize| n as f64 / asked as f64;
    println!(
        "{}: first {:.2}, first five {:.2}, first ten {:.2} of {asked}; p50 {:.1} ms, p99 {:.1} ms",
        language.name(),
        share(first),
        share(five),
        share(ten),
        times[times.len() / 2].as_secs_f64() * 1e3,
        times[times.len() * 99 / 100].as_secs_f64() * 1e3,
    );
    Ok(())
}

fn rank(
    snapshot: &dyn ide_model::Snapshot,
    file: &FilePath,
    text: Arc<str>,
    offset: u32,
    name: &str,
) -> Option<usize> {
    let stop = Stop::new();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let end = Instant::now() + PATIENCE;
            while Instant::now() < end && !done.load(std::sync::atomic::Ordering::Relaxed) {
                std::thread::park_timeout(Duration::from_millis(5));
            }
            stop.stop(StopReason::Late);
        });
        let cx = Cx::new(&stop);
        let list = snapshot
            .with_texts(cx, &[(file.clone(), Some(text))])
            .and_then(|over| over.complete(cx, file, offset, ASKED));
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        list.ok()?.value.items.iter().position(|item| &*item.name == name)
    })
}
