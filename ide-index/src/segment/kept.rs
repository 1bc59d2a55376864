//! The facts of files of which a segment has sketches: a file of their own beside it, written when there is time.
//!
//! It holds an item for each file of the segment, as the facts in a segment, then their offsets, their checksums, and at its
//! end what it belongs to.

use std::hash::BuildHasher;
use std::io::{self, Write};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use xxhash_rust::xxh3::xxh3_64;

use super::read::{Segment, SegmentBytes};
use super::{TooLarge, item};
use crate::codec::{Corrupt, SCHEMA, Writer, encode_body, width_of};
use crate::facts::FileFacts;

const MAGIC: [u8; 8] = *b"IDEFCT\x1a\n";
/// Magic, schema, checksum of the segment, number of files, where the tables begin, checksum of all this and of the tables.
const FOOTER: usize = 6 * 8;

/// Facts beside a segment.
pub(super) struct Kept {
    bytes: SegmentBytes,
    files: usize,
    /// The start of the offsets, behind which the checksums stand.
    tables: usize,
}

impl Kept {
    pub(super) fn open(bytes: SegmentBytes, segment: &Segment) -> Result<Self, Corrupt> {
        let all = (*bytes).as_ref();
        let footer = all.len().checked_sub(FOOTER).ok_or(Corrupt)?;
        let word = |i: usize| all[footer + i * 8..].first_chunk().copied().map_or(0, u64::from_le_bytes);
        let files = segment.rows().len();
        let tables = usize::try_from(word(4)).map_err(|_| Corrupt)?;
        let is_ours = all[footer..].starts_with(&MAGIC)
            && (word(1), word(2), word(3)) == (u64::from(SCHEMA), segment.checksum(), files as u64)
            && tables.checked_add(files * 8 + 4) == Some(footer);
        if !is_ours || xxh3_64(&all[tables..footer + 5 * 8]) != word(5) {
            return Err(Corrupt);
        }
        Ok(Self { bytes, files, tables })
    }

    /// The item of a file and its checksum.
    pub(super) fn item(&self, file: u32) -> Result<(&[u8], [u8; 4]), Corrupt> {
        let (all, file) = ((*self.bytes).as_ref(), file as usize);
        let entry = |at: usize| -> Result<[u8; 4], Corrupt> {
            all.get(self.tables + at * 4..).and_then(<[u8]>::first_chunk).copied().ok_or(Corrupt)
        };
        let offset = |at: usize| Ok(u32::from_le_bytes(entry(at)?) as usize);
        let item = all.get(offset(file)?..offset(file + 1)?).ok_or(Corrupt)?;
        Ok((item, entry(self.files + 1 + file)?))
    }
}

/// Writes facts for [`Segment::keep_facts`], those of one file after the other.
pub struct KeptWriter<'s, W> {
    segment: &'s Segment,
    /// The ranks of the segment's names by these.
    ranks: HashTable<u32>,
    out: W,
    at: u32,
    offsets: Vec<u8>,
    checksums: Vec<u8>,
}

impl<'s, W: Write> KeptWriter<'s, W> {
    /// # Errors
    /// [`Corrupt`] when the names of the segment are damaged.
    pub fn new(segment: &'s Segment, out: W) -> Result<Self, Corrupt> {
        let mut ranks = HashTable::with_capacity(segment.name_count() as usize);
        let hash = |rank: &u32| segment.name(*rank).map_or(0, |name| FxBuildHasher.hash_one(name));
        for rank in 0..segment.name_count() {
            segment.name(rank)?;
            ranks.insert_unique(hash(&rank), rank, hash);
        }
        let files = segment.rows().len();
        let (offsets, checksums) = (Vec::with_capacity(4 * files + 4), Vec::with_capacity(4 * files));
        Ok(Self { segment, ranks, out, at: 0, offsets, checksums })
    }

    /// The next file of the segment; `None` for one whose facts are not to be had.
    ///
    /// # Errors
    /// The errors of the writer, and when all exceed 4 GiB.
    pub fn put(&mut self, facts: Option<&FileFacts>) -> io::Result<()> {
        let mut item = Writer::new();
        if let Some(facts) = facts {
            let number = |name: &str| {
                let is_it = |rank: &u32| self.segment.name(*rank) == Ok(name);
                self.ranks.find(FxBuildHasher.hash_one(name), is_it).map_or(0, |rank| rank + 1)
            };
            let numbers: Vec<u32> = facts.names.iter().map(number).collect();
            item.put(numbers.len() as u64);
            item.pack(numbers.iter().copied(), width_of(self.segment.name_count()));
            let unknown = facts.names.iter().zip(numbers).filter(|(_, number)| *number == 0);
            unknown.for_each(|(name, _)| item.text(name));
            encode_body(facts, &mut item);
        }
        let item = item::packed(item.as_slice());
        self.offsets.extend_from_slice(&self.at.to_le_bytes());
        self.checksums.extend_from_slice(&item::checksum(&item).to_le_bytes());
        let end = u32::try_from(item.len()).ok().and_then(|len| self.at.checked_add(len));
        self.at = end.ok_or_else(|| io::Error::other(TooLarge))?;
        self.out.write_all(&item)
    }

    /// The writer, after every file was put.
    ///
    /// # Errors
    /// The errors of the writer.
    pub fn finish(mut self) -> io::Result<W> {
        let mut end = self.offsets;
        end.extend_from_slice(&self.at.to_le_bytes());
        end.append(&mut self.checksums);
        end.extend_from_slice(&MAGIC);
        let files = self.segment.rows().len() as u64;
        for word in [u64::from(SCHEMA), self.segment.checksum(), files, u64::from(self.at)] {
            end.extend_from_slice(&word.to_le_bytes());
        }
        let checksum = xxh3_64(&end);
        end.extend_from_slice(&checksum.to_le_bytes());
        self.out.write_all(&end)?;
        Ok(self.out)
    }
}
