//! Making the lists: every text is read once, by one thread that nobody waits for.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use ide_index::FileRow;
use xxhash_rust::xxh3::xxh3_64;

use super::plan::{fold, trigram};
use super::{HEADER, Kind, MAGIC, key};
use crate::decode::decode;
use crate::directory::stamp;
use crate::extract::read;
use crate::text_search::MAX_TEXT_BYTES;

/// Why there are no lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GivenUp {
    /// The process ends.
    Stopped,
    /// Their places would not fit into 32 bits.
    TooLarge,
}

/// Pairs of trigram and file that are sorted at once: 16 MB of them.
const PAIRS: usize = 2 << 20;

/// The lists of some files below `root`. Files touched at or after `young_from`, in nanoseconds since the epoch, are not
/// sure to keep a later change from hiding behind the same stamp.
pub(crate) fn build<'r>(
    root: &Path,
    rows: impl Iterator<Item = &'r FileRow>,
    young_from: i64,
    stop: &AtomicBool,
) -> Result<Vec<u8>, GivenUp> {
    let mut runs = Vec::new();
    let mut pairs = Vec::with_capacity(PAIRS + PAIRS / 8);
    let mut seen = TrigramSet::default();
    let (mut keys, mut kinds) = (Vec::new(), Vec::new());
    for row in rows {
        if stop.load(Ordering::Acquire) {
            return Err(GivenUp::Stopped);
        }
        let number = kinds.len() as u64;
        let (kind, text) = text_of(root, row, young_from);
        keys.extend_from_slice(&key(row).to_le_bytes());
        kinds.push(kind as u8);
        seen.add(&text);
        pairs.extend(seen.drain().map(|trigram| u64::from(trigram) << 32 | number));
        if pairs.len() >= PAIRS {
            runs.push(Run::of(&mut pairs));
        }
    }
    runs.push(Run::of(&mut pairs));
    lay_out(&keys, &kinds, &runs)
}

/// The kind of a file, and its text folded. The text counts only when the file still is in the state that the row
/// names.
fn text_of(root: &Path, row: &FileRow, young_from: i64) -> (Kind, Vec<u8>) {
    let unknown = (Kind::Unknown, Vec::new());
    if row.entry.size > MAX_TEXT_BYTES {
        return unknown;
    }
    let Ok((bytes, meta)) = read(&root.join(row.entry.path.as_str())) else { return unknown };
    let now = stamp(&meta);
    let same = [now.mtime_ns, now.ctime_ns] == [row.stamp.mtime_ns, row.stamp.ctime_ns]
        && (now.inode, meta.len()) == (row.stamp.inode, row.entry.size);
    let is_young = now.mtime_ns.max(now.ctime_ns) >= young_from;
    if !same || is_young || bytes.len() as u64 != meta.len() {
        return unknown;
    }
    match decode(&bytes) {
        None => (Kind::Binary, Vec::new()),
        Some(text) if text.is_ascii() => (Kind::Listed, text.to_ascii_lowercase().into_bytes()),
        Some(text) => (Kind::Listed, text.chars().map(fold).collect::<String>().into_bytes()),
    }
}

/// The lists of some files that follow one another.
struct Run {
    lists: Vec<List>,
    bytes: Vec<u8>,
}

/// One list of a run: its first and last file; the distances of all but the first end at `end`, where those of the next
/// begin.
#[derive(Clone, Copy)]
struct List {
    trigram: u32,
    first: u32,
    last: u32,
    end: usize,
}

impl Run {
    /// Takes the pairs.
    fn of(pairs: &mut Vec<u64>) -> Self {
        pairs.sort_unstable();
        let mut run = Self { lists: Vec::new(), bytes: Vec::new() };
        for pair in pairs.drain(..) {
            let (trigram, file) = ((pair >> 32) as u32, pair as u32);
            match run.lists.last_mut() {
                Some(list) if list.trigram == trigram => {
                    put(&mut run.bytes, file - list.last);
                    (list.last, list.end) = (file, run.bytes.len());
                }
                _ => run.lists.push(List { trigram, first: file, last: file, end: run.bytes.len() }),
            }
        }
        run
    }

    /// The distances of a list but the first.
    fn rest(&self, i: usize) -> &[u8] {
        let start = if i == 0 { 0 } else { self.lists[i - 1].end };
        &self.bytes[start..self.lists[i].end]
    }
}

fn put(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// The distinct trigrams of one text: a bit for each that there may be, and a list of those that were met.
struct TrigramSet {
    bits: Vec<u64>,
    met: Vec<u32>,
}

impl Default for TrigramSet {
    fn default() -> Self {
        Self { bits: vec![0; 1 << 18], met: Vec::new() }
    }
}

impl TrigramSet {
    fn add(&mut self, text: &[u8]) {
        for three in text.windows(3) {
            let Some(trigram) = trigram([three[0], three[1], three[2]]) else { continue };
            let (word, bit) = (&mut self.bits[trigram as usize >> 6], 1 << (trigram & 63));
            if *word & bit == 0 {
                *word |= bit;
                self.met.push(trigram);
            }
        }
    }

    fn drain(&mut self) -> impl Iterator<Item = u32> + '_ {
        for trigram in &self.met {
            self.bits[*trigram as usize >> 6] = 0;
        }
        self.met.drain(..)
    }
}

fn lay_out(keys: &[u8], kinds: &[u8], runs: &[Run]) -> Result<Vec<u8>, GivenUp> {
    // A trigram's lists in the order of the runs, which is that of the files.
    let mut order: Vec<(u32, u32, u32)> = Vec::new();
    for (run, lists) in runs.iter().enumerate() {
        let lists = lists.lists.iter().enumerate();
        order.extend(lists.map(|(i, list)| (list.trigram, run as u32, i as u32)));
    }
    order.sort_unstable();
    let (mut trigrams, mut starts, mut bytes) = (Vec::new(), Vec::new(), Vec::new());
    let mut before = (None, 0);
    let mut count = 0_u64;
    for (trigram, run, i) in order {
        let run = &runs[run as usize];
        let list = run.lists[i as usize];
        if before.0 != Some(trigram) {
            before = (Some(trigram), 0);
            count += 1;
            trigrams.extend_from_slice(&trigram.to_le_bytes());
            starts
                .extend_from_slice(&u32::try_from(bytes.len()).map_err(|_| GivenUp::TooLarge)?.to_le_bytes());
        }
        put(&mut bytes, list.first - before.1);
        bytes.extend_from_slice(run.rest(i as usize));
        before.1 = list.last;
    }
    starts.extend_from_slice(&u32::try_from(bytes.len()).map_err(|_| GivenUp::TooLarge)?.to_le_bytes());
    let parts = [keys, kinds, &trigrams, &starts, &bytes];
    let mut out = Vec::with_capacity(HEADER + parts.iter().map(|part| part.len()).sum::<usize>());
    out.extend_from_slice(&MAGIC);
    for size in [kinds.len() as u64, count, bytes.len() as u64, 0] {
        out.extend_from_slice(&size.to_le_bytes());
    }
    parts.iter().for_each(|part| out.extend_from_slice(part));
    let sum = xxh3_64(&out[HEADER..]);
    out[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
    Ok(out)
}
