//! Which files can hold a text: lists of files by trigram, beside the index.
//!
//! The lists only rule files out. All other files are read and searched as always, so an answer is the same with them
//! and without. They know a file by its path and its stamp together: a file that was changed, or that they were not
//! made of, is simply not known and always read. That makes them independent of segments and builds, and leaves
//! nothing to keep in step.
//!
//! The file: magic, sizes, a checksum of the rest; then per file its key and its kind, the trigrams in order, where the
//! list of each begins, and the lists as distances.

mod build;
mod plan;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ide_index::{FileRow, SegmentBytes};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

pub(crate) use build::{GivenUp, build};
pub(crate) use plan::Need;

const MAGIC: [u8; 8] = *b"IDETRI\x01\n";
/// Magic, number of files, of trigrams, bytes of lists, checksum.
const HEADER: usize = 5 * 8;

/// The knowledge about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// The lists tell what it holds.
    Listed = 0,
    /// Not a text.
    Binary = 1,
    /// It could not be read when the lists were made, or was too young to be sure of.
    Unknown = 2,
}

/// Names one state of a file.
pub(crate) fn key(row: &FileRow) -> u64 {
    let mut bytes = Vec::with_capacity(row.entry.path.as_str().len() + 33);
    for number in [row.entry.size, row.stamp.mtime_ns as u64, row.stamp.ctime_ns as u64, row.stamp.inode] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    bytes.extend_from_slice(row.entry.path.as_str().as_bytes());
    xxh3_64(&bytes)
}

/// The lists of a project, opened for reading.
pub(crate) struct Trigrams {
    bytes: SegmentBytes,
    files: usize,
    trigrams: usize,
    numbers: FxHashMap<u64, u32>,
}

impl Trigrams {
    /// `None` for anything but undamaged lists.
    pub(crate) fn open(bytes: SegmentBytes) -> Option<Self> {
        let all = (*bytes).as_ref();
        let word = |i: usize| -> Option<u64> {
            Some(u64::from_le_bytes(all.get(i * 8..i * 8 + 8)?.try_into().expect("eight bytes")))
        };
        let size = |i: usize| usize::try_from(word(i)?).ok();
        let (files, trigrams, lists) = (size(1)?, size(2)?, size(3)?);
        let expected =
            files.checked_mul(9)?.checked_add(trigrams.checked_mul(8)?)?.checked_add(4 + HEADER)?;
        let is_ours = all[..8] == MAGIC && expected.checked_add(lists)? == all.len();
        if !is_ours || xxh3_64(&all[HEADER..]) != word(4)? {
            return None;
        }
        let keys = all[HEADER..HEADER + files * 8].chunks_exact(8);
        let numbers = keys
            .enumerate()
            .map(|(i, key)| (u64::from_le_bytes(key.try_into().expect("eight bytes")), i as u32))
            .collect();
        Some(Self { bytes, files, trigrams, numbers })
    }

    fn all(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    /// The number of a file, when this state of it is known.
    pub(crate) fn number(&self, row: &FileRow) -> Option<u32> {
        self.numbers.get(&key(row)).copied()
    }

    pub(crate) fn kind(&self, number: u32) -> Kind {
        match self.all()[HEADER + self.files * 8 + number as usize] {
            0 => Kind::Listed,
            1 => Kind::Binary,
            _ => Kind::Unknown,
        }
    }

    /// A `u32` of the tables of trigrams and of where their lists begin.
    fn table(&self, i: usize) -> u32 {
        let at = HEADER + self.files * 9 + i * 4;
        u32::from_le_bytes(self.all()[at..at + 4].try_into().expect("four bytes"))
    }

    /// The encoded list of a trigram; empty when no file holds it.
    fn list(&self, trigram: u32) -> &[u8] {
        let (mut low, mut high) = (0, self.trigrams);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.table(middle) < trigram {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == self.trigrams || self.table(low) != trigram {
            return &[];
        }
        let lists = &self.all()[HEADER + self.files * 9 + self.trigrams * 8 + 4..];
        let (start, end) = (self.table(self.trigrams + low), self.table(self.trigrams + low + 1));
        lists.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Which files may hold what is needed, by number; `None` when all may.
    pub(crate) fn candidates(&self, need: &Need) -> Option<Vec<bool>> {
        match need {
            Need::Anything => None,
            Need::Trigram(trigram) => {
                let mut found = vec![false; self.files];
                decode(self.list(*trigram), |number| {
                    if let Some(file) = found.get_mut(number) {
                        *file = true;
                    }
                });
                Some(found)
            }
            Need::All(needs) => self.all_of(needs),
            Need::Any(needs) => {
                let mut found = vec![false; self.files];
                for need in needs {
                    for (found, more) in found.iter_mut().zip(self.candidates(need)?) {
                        *found |= more;
                    }
                }
                Some(found)
            }
        }
    }

    /// The shortest lists come first: they rule most files out, and the rest often need not be looked at.
    fn all_of(&self, needs: &[Need]) -> Option<Vec<bool>> {
        let mut needs: Vec<(usize, &Need)> = needs.iter().map(|need| (self.weight(need), need)).collect();
        needs.sort_by_key(|(weight, _)| *weight);
        let mut found: Option<Vec<bool>> = None;
        for (weight, need) in needs {
            let left = found.as_ref().map_or(self.files, |found| found.iter().filter(|file| **file).count());
            if left == 0 || weight > left * WORTH {
                break;
            }
            let Some(more) = self.candidates(need) else { continue };
            match &mut found {
                Some(found) => found.iter_mut().zip(more).for_each(|(found, more)| *found &= more),
                None => found = Some(more),
            }
        }
        found
    }

    /// Bytes of lists to be read for a need.
    fn weight(&self, need: &Need) -> usize {
        match need {
            Need::Anything => usize::MAX,
            Need::Trigram(trigram) => self.list(*trigram).len(),
            Need::All(needs) => needs.iter().map(|need| self.weight(need)).min().unwrap_or(0),
            Need::Any(needs) => needs.iter().fold(0, |sum, need| sum.saturating_add(self.weight(need))),
        }
    }
}

/// To read a file costs about as much as so many entries of a list.
const WORTH: usize = 4_000;

/// Calls `each` with the numbers of a list.
fn decode(list: &[u8], mut each: impl FnMut(usize)) {
    let (mut number, mut value, mut shift) = (0, 0, 0);
    for byte in list {
        value |= usize::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            number += value;
            each(number);
            (value, shift) = (0, 0);
        } else {
            // Lists have passed the checksum; a longer number cannot be in them.
            shift = (shift + 7).min(28);
        }
    }
}

/// The files of a snapshot as the lists number them.
pub(crate) struct FileNumbers {
    pub(crate) trigrams: Arc<Trigrams>,
    /// Per file of the snapshot, [`UNKNOWN`] for files that must be read.
    numbers: Vec<u32>,
}

const UNKNOWN: u32 = u32::MAX;

/// The treatment of a file in a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    Read,
    /// It cannot hold a match.
    Skip,
    /// It is not a text, and counted as such.
    Binary,
}

impl FileNumbers {
    pub(crate) fn new<'r>(trigrams: Arc<Trigrams>, rows: impl Iterator<Item = &'r FileRow>) -> Self {
        let numbers: Vec<u32> = rows
            .map(|row| trigrams.number(row).filter(|n| trigrams.kind(*n) != Kind::Unknown).unwrap_or(UNKNOWN))
            .collect();
        Self { trigrams, numbers }
    }

    /// The treatment of each file of the snapshot; `None` when the pattern rules nothing out.
    pub(crate) fn looks<'k>(&'k self, need: &Need) -> Option<impl Fn(usize) -> Treatment + use<'k>> {
        let candidates = self.trigrams.candidates(need)?;
        Some(move |file: usize| match self.numbers[file] {
            UNKNOWN => Treatment::Read,
            number if self.trigrams.kind(number) == Kind::Binary => Treatment::Binary,
            number if candidates[number as usize] => Treatment::Read,
            _ => Treatment::Skip,
        })
    }
}
