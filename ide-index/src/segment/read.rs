//! Reading segments.

use std::borrow::Cow;
use std::fmt;
use std::hash::Hasher;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use ide_model::{FilePath, Language, SourceKind};
use rustc_hash::FxHasher;
use xxhash_rust::xxh3::xxh3_64;

use super::kept::Kept;
use super::{
    DeclRow, FileRow, HEADER, ImplRow, MAGIC, Posting, SECTIONS, Section, Stamp, item, kind_of_byte,
};
use crate::codec::{Corrupt, Reader, SCHEMA, decode_body, width_of};
use crate::facts::{DefFlags, DefId, FileFacts, Quality};
use crate::impl_sites::{DeclaredModule, ImplRole, Shown};
use crate::names::Names;
use crate::world::FileEntry;

/// The owner of the bytes of a segment: a vector, a mapped file.
pub type SegmentBytes = Arc<dyn AsRef<[u8]> + Send + Sync>;

/// The names of a file, and its facts without names.
pub(crate) type Encoded<'s> = (Vec<NameIn<'s>>, &'s [u8]);

/// A name of facts as it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum NameIn<'s> {
    /// By its rank among those of the segment.
    Segment(u32),
    /// One that the segment does not have: of facts that lie beside it.
    Text(&'s str),
}

/// A segment opened for reading.
pub struct Segment {
    bytes: SegmentBytes,
    sections: [(usize, usize); SECTIONS],
    /// The checksum in the header: names the content.
    checksum: u64,
    /// Different for every segment opened by this process.
    uid: u64,
    rows: Vec<FileRow>,
    /// Number of a file and the place of its text.
    configurations: Vec<(u32, Arc<str>)>,
    removed: Vec<Arc<str>>,
    names: u32,
    /// The ranks by hashes of their names without case, ordered, once somebody asked.
    folded: OnceLock<Box<[(u32, u32)]>>,
    /// The facts of files of which this has sketches, once they are kept.
    kept: OnceLock<Kept>,
}

impl fmt::Debug for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Segment").field("files", &self.rows.len()).field("names", &self.names).finish()
    }
}

impl Segment {
    /// Checks the checksums and reads the manifest. The facts of a file are checked when they are asked for.
    ///
    /// # Errors
    /// [`Corrupt`] for anything but an undamaged segment of this schema and build.
    pub fn open(bytes: SegmentBytes, build_id: u64) -> Result<Self, Corrupt> {
        Self::read(bytes, build_id, true)
    }

    /// [`Self::open`] for bytes that this process has just written: the sections are not read again.
    ///
    /// # Errors
    /// [`Corrupt`] for anything but the beginning of a segment of this schema and build.
    pub fn open_written(bytes: SegmentBytes, build_id: u64) -> Result<Self, Corrupt> {
        Self::read(bytes, build_id, false)
    }

    fn read(bytes: SegmentBytes, build_id: u64, is_checked: bool) -> Result<Self, Corrupt> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let all = (*bytes).as_ref();
        let header = all.get(..HEADER).ok_or(Corrupt)?;
        let word = |i: usize| -> u64 {
            let at = i * 8;
            u64::from_le_bytes(header[at..at + 8].try_into().expect("eight bytes"))
        };
        let checksum = word(HEADER / 8 - 1);
        let is_ours = header[..8] == MAGIC && word(1) == u64::from(SCHEMA) && word(2) == build_id;
        if !is_ours || xxh3_64(&header[..HEADER - 8]) != checksum {
            return Err(Corrupt);
        }
        let mut sections = [(0, 0); SECTIONS];
        let mut expected = HEADER as u64;
        for (i, section) in sections.iter_mut().enumerate() {
            let (at, len, sum) = (word(4 + i * 3), word(5 + i * 3), word(6 + i * 3));
            if at != expected {
                return Err(Corrupt);
            }
            expected = at.checked_add(len).ok_or(Corrupt)?;
            let range = (at as usize)..usize::try_from(expected).map_err(|_| Corrupt)?;
            let section_bytes = all.get(range.clone()).ok_or(Corrupt)?;
            if is_checked && i != Section::Facts as usize && xxh3_64(section_bytes) != sum {
                return Err(Corrupt);
            }
            *section = (range.start, range.end);
        }
        if expected != all.len() as u64 {
            return Err(Corrupt);
        }
        let mut segment = Self {
            bytes: bytes.clone(),
            sections,
            checksum,
            uid: NEXT.fetch_add(1, Ordering::Relaxed),
            rows: Vec::new(),
            configurations: Vec::new(),
            removed: Vec::new(),
            names: 0,
            folded: OnceLock::new(),
            kept: OnceLock::new(),
        };
        segment.load(usize::try_from(word(3)).map_err(|_| Corrupt)?)?;
        Ok(segment)
    }

    fn load(&mut self, files: usize) -> Result<(), Corrupt> {
        let names = self.section(Section::Masks).len() / 8;
        let tables = [
            (Section::NameOffsets, names),
            (Section::PostingOffsets, names),
            (Section::DeclarationOffsets, names),
            (Section::ImplSiteOffsets, names),
            (Section::FactOffsets, files),
        ];
        let is_whole = |(section, items): &(Section, usize)| {
            let len = items.checked_add(1).and_then(|items| items.checked_mul(4));
            len == Some(self.section(*section).len())
        };
        if !tables.iter().all(is_whole) {
            return Err(Corrupt);
        }
        self.names = u32::try_from(names).map_err(|_| Corrupt)?;
        let mut reader = Reader::new(self.section(Section::Manifest));
        let mut rows: Vec<FileRow> = Vec::with_capacity(files);
        let mut path = String::new();
        for _ in 0..files {
            let row = read_row(&mut reader, &mut path)?;
            if rows.last().is_some_and(|before| before.entry.path >= row.entry.path) {
                return Err(Corrupt);
            }
            rows.push(row);
        }
        let mut reader = Reader::new(self.section(Section::Configurations));
        let mut configurations = Vec::new();
        while !reader.is_empty() {
            let file = reader.take_u32()?;
            if file as usize >= files {
                return Err(Corrupt);
            }
            configurations.push((file, reader.text()?.into()));
        }
        let mut reader = Reader::new(self.section(Section::Removed));
        let mut removed = Vec::new();
        path.clear();
        while !reader.is_empty() {
            front_coded(&mut reader, &mut path)?;
            removed.push(path.as_str().into());
        }
        self.rows = rows;
        self.configurations = configurations;
        self.removed = removed;
        Ok(())
    }

    /// The files, ordered by path.
    pub fn rows(&self) -> &[FileRow] {
        &self.rows
    }

    /// Paths that this segment takes away from those below it, ordered.
    pub fn removed(&self) -> &[Arc<str>] {
        &self.removed
    }

    /// Names the content: equal for equal segments.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    /// The whole segment.
    pub fn bytes(&self) -> &[u8] {
        (*self.bytes).as_ref()
    }

    pub(crate) fn uid(&self) -> u64 {
        self.uid
    }

    pub(crate) fn configurations(&self) -> &[(u32, Arc<str>)] {
        &self.configurations
    }

    /// Number of distinct names.
    pub(crate) fn name_count(&self) -> u32 {
        self.names
    }

    /// The name of a rank.
    pub(crate) fn name(&self, rank: u32) -> Result<&str, Corrupt> {
        std::str::from_utf8(self.item(Section::Names, Section::NameOffsets, rank)?).map_err(|_| Corrupt)
    }

    /// The letter masks of a range of ranks, in order.
    pub(crate) fn masks(&self, ranks: Range<u32>) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.section(Section::Masks)[ranks.start as usize * 8..ranks.end as usize * 8]
            .chunks_exact(8)
            .map(|mask| u64::from_le_bytes(mask.try_into().expect("eight bytes")))
    }

    /// The rank of a name.
    pub(crate) fn rank(&self, name: &str) -> Result<Option<u32>, Corrupt> {
        let rank = self.first_rank(name.as_bytes())?;
        let is_it = rank < self.names && self.name(rank)? == name;
        Ok(is_it.then_some(rank))
    }

    /// The first rank whose name is not below these bytes.
    pub(crate) fn first_rank(&self, bytes: &[u8]) -> Result<u32, Corrupt> {
        let (mut low, mut high) = (0, self.names);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.item(Section::Names, Section::NameOffsets, middle)? < bytes {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        Ok(low)
    }

    /// The names that differ from this one in the case of ASCII letters alone.
    pub(crate) fn spellings<'s>(
        &'s self,
        name: &'s str,
    ) -> Result<impl Iterator<Item = &'s str> + 's, Corrupt> {
        let folded = match self.folded.get() {
            Some(folded) => folded,
            None => {
                let bytes = |rank| self.item(Section::Names, Section::NameOffsets, rank);
                let hashed = (0..self.names).map(|rank| Ok((folded_hash(bytes(rank)?), rank)));
                let mut all: Vec<(u32, u32)> = hashed.collect::<Result<_, Corrupt>>()?;
                all.sort_unstable();
                self.folded.get_or_init(|| all.into())
            }
        };
        let hash = folded_hash(name.as_bytes());
        let start = folded.partition_point(|(of, _)| *of < hash);
        let alike = folded[start..].iter().take_while(move |(of, _)| *of == hash);
        let names = alike.filter_map(|(_, rank)| self.name(*rank).ok());
        Ok(names.filter(move |other| *other != name && other.eq_ignore_ascii_case(name)))
    }

    /// The entries of a name in a list. Each begins with the distance from the file before, above so many bits of its own,
    /// which `entry` gets with the file.
    fn entries<T>(
        &self,
        (list, offsets): (Section, Section),
        rank: u32,
        bits: u32,
        entry: impl Fn(&mut Reader<'_>, u32, u64) -> Result<T, Corrupt>,
    ) -> Result<impl Iterator<Item = Result<T, Corrupt>>, Corrupt> {
        let mut reader = Reader::new(self.item(list, offsets, rank)?);
        let mut file = 0_u32;
        Ok(std::iter::from_fn(move || {
            (!reader.is_empty()).then(|| {
                let first = reader.take()?;
                let distance = u32::try_from(first >> bits).map_err(|_| Corrupt)?;
                file = self.known(file.checked_add(distance).ok_or(Corrupt)?)?;
                entry(&mut reader, file, first & ((1 << bits) - 1))
            })
        })
        .fuse())
    }

    /// The files that mention a name.
    pub(crate) fn postings(
        &self,
        rank: u32,
    ) -> Result<impl Iterator<Item = Result<Posting, Corrupt>>, Corrupt> {
        self.entries((Section::Postings, Section::PostingOffsets), rank, 2, |_, file, bits| {
            Ok(Posting { file, declares: bits & 1 == 1, renames: bits >> 1 == 1 })
        })
    }

    /// Whether something is declared under a name.
    pub(crate) fn declares(&self, rank: u32) -> Result<bool, Corrupt> {
        Ok(!self.item(Section::Declarations, Section::DeclarationOffsets, rank)?.is_empty())
    }

    /// The declarations of a name.
    pub(crate) fn declarations(
        &self,
        rank: u32,
    ) -> Result<impl Iterator<Item = Result<DeclRow, Corrupt>>, Corrupt> {
        self.entries((Section::Declarations, Section::DeclarationOffsets), rank, 0, |reader, file, _| {
            let def = DefId(reader.take_u32()?);
            let kind = u8::try_from(reader.take()?).map_err(|_| Corrupt)?;
            let (kind, is_member) = kind_of_byte(kind).ok_or(Corrupt)?;
            let flags = DefFlags(reader.take()?);
            let container = reader.take_u32()?.checked_sub(1);
            Ok(DeclRow { file, def, kind, flags, is_member, container })
        })
    }

    /// The implementation sites of a name.
    pub(crate) fn impl_sites(
        &self,
        rank: u32,
    ) -> Result<impl Iterator<Item = Result<ImplRow, Corrupt>>, Corrupt> {
        self.entries((Section::ImplSites, Section::ImplSiteOffsets), rank, 0, |reader, file, _| {
            let (def, role) = ImplRole::unpacked([reader.take()?, reader.take()?])?;
            Ok(ImplRow { file, def, role })
        })
    }

    /// Whether there are files whose facts are neither in the segment nor beside it.
    pub fn lacks_facts(&self) -> bool {
        self.kept.get().is_none() && self.rows.iter().any(|row| row.is_sketch)
    }

    /// Takes the facts that a [`super::KeptWriter`] wrote for this segment. The first ones stay.
    ///
    /// # Errors
    /// [`Corrupt`] for anything else. Damage of the facts themselves is found when they are asked for.
    pub fn keep_facts(&self, bytes: SegmentBytes) -> Result<(), Corrupt> {
        let kept = Kept::open(bytes, self)?;
        self.kept.get_or_init(|| kept);
        Ok(())
    }

    /// The item of a file, from the segment or from beside it; `None` for a file without facts.
    pub(crate) fn fact_item(&self, file: u32) -> Result<Option<Cow<'_, [u8]>>, Corrupt> {
        let is_sketch = self.rows.get(file as usize).is_some_and(|row| row.is_sketch);
        let (packed, sum) = match self.kept.get().filter(|_| is_sketch) {
            Some(kept) => kept.item(file)?,
            None => {
                let sums = self.section(Section::FactChecksums);
                let sum = sums.get(file as usize * 4..).and_then(<[u8]>::first_chunk).ok_or(Corrupt)?;
                (self.item(Section::Facts, Section::FactOffsets, file)?, *sum)
            }
        };
        if packed.is_empty() {
            return Ok(None);
        }
        if sum != item::checksum(packed).to_le_bytes() {
            return Err(Corrupt);
        }
        item::unpacked(packed).map(Some)
    }

    /// The content of a [`Self::fact_item`]: the names of the file and its encoded facts.
    pub(crate) fn encoded<'i>(&self, item: &'i [u8]) -> Result<Encoded<'i>, Corrupt> {
        let mut reader = Reader::new(item);
        let count = usize::try_from(reader.take()?).map_err(|_| Corrupt)?;
        let numbers = reader.packed(count, width_of(self.names))?;
        let name = |number: u32| match number.checked_sub(1) {
            Some(rank) if rank < self.names => Ok(NameIn::Segment(rank)),
            Some(_) => Err(Corrupt),
            None => Ok(NameIn::Text(reader.text()?)),
        };
        let names = numbers.map(name).collect::<Result<Vec<_>, _>>()?;
        Ok((names, reader.rest()))
    }

    /// The facts of a file; `None` for a file without facts.
    ///
    /// # Errors
    /// [`Corrupt`].
    pub fn facts(&self, file: u32) -> Result<Option<FileFacts>, Corrupt> {
        let Some(item) = self.fact_item(file)? else {
            return Ok(None);
        };
        let (names, body) = self.encoded(&item)?;
        let text_of = |name| match name {
            NameIn::Segment(rank) => self.item(Section::Names, Section::NameOffsets, rank),
            NameIn::Text(text) => Ok(text.as_bytes()),
        };
        let names = Names::of_texts(names.into_iter().map(text_of))?;
        decode_body(body, names).map(Some)
    }

    fn known(&self, file: u32) -> Result<u32, Corrupt> {
        if (file as usize) < self.rows.len() { Ok(file) } else { Err(Corrupt) }
    }

    fn section(&self, section: Section) -> &[u8] {
        let (start, end) = self.sections[section as usize];
        &self.bytes()[start..end]
    }

    fn item(&self, blob: Section, offsets: Section, index: u32) -> Result<&[u8], Corrupt> {
        let offsets = self.section(offsets);
        let offset = |i: usize| -> Result<usize, Corrupt> {
            let raw = offsets.get(i * 4..i * 4 + 4).ok_or(Corrupt)?;
            Ok(u32::from_le_bytes(raw.try_into().expect("four bytes")) as usize)
        };
        let index = index as usize;
        self.section(blob).get(offset(index)?..offset(index + 1)?).ok_or(Corrupt)
    }
}

fn folded_hash(name: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    name.iter().for_each(|byte| hasher.write_u8(byte.to_ascii_lowercase()));
    hasher.finish() as u32
}

fn front_coded(reader: &mut Reader<'_>, path: &mut String) -> Result<(), Corrupt> {
    let shared = reader.take_u32()? as usize;
    if !path.is_char_boundary(shared) {
        return Err(Corrupt);
    }
    path.truncate(shared);
    path.push_str(reader.text()?);
    Ok(())
}

fn read_row(reader: &mut Reader<'_>, path: &mut String) -> Result<FileRow, Corrupt> {
    front_coded(reader, path)?;
    let size = reader.take()?;
    let mtime_ns = reader.take()? as i64;
    let ctime_ns = mtime_ns.wrapping_add(reader.take()? as i64);
    let inode = reader.take()?;
    let content_hash = u128::from_le_bytes(reader.take_bytes(16)?.try_into().expect("sixteen bytes"));
    let language = match reader.take()? {
        0 => None,
        raw => Some(u8::try_from(raw - 1).ok().and_then(Language::from_u8).ok_or(Corrupt)?),
    };
    let kinds = [SourceKind::Production, SourceKind::Test, SourceKind::Other, SourceKind::Library];
    let source = *kinds.get(reader.take()? as usize).ok_or(Corrupt)?;
    let symbols = reader.take_u32()?;
    let defs = reader.take_u32()?;
    let flags = reader.take()?;
    let qualities = [Quality::Full, Quality::Damaged, Quality::Names, Quality::Skipped];
    let quality = qualities[(flags >> 2 & 3) as usize];
    let package = if flags >> 4 & 1 == 1 { Some(reader.text()?.into()) } else { None };
    let macros = list(reader, |reader| Ok(reader.text()?.into()))?;
    let modules = list(reader, read_module)?;
    let other_names = list(reader, |reader| {
        let mut shown = || Ok(Shown::unpacked(reader.take()?));
        Ok((shown()?, shown()?))
    })?;
    Ok(FileRow {
        entry: FileEntry {
            path: FilePath::new(path.as_str()),
            language,
            source,
            is_generated: flags & 1 == 1,
            size,
            content_hash,
        },
        stamp: Stamp { mtime_ns, ctime_ns, inode, is_racy: flags >> 1 & 1 == 1 },
        quality,
        has_facts: flags >> 5 & 1 == 1,
        is_sketch: flags >> 6 & 1 == 1,
        symbols,
        defs,
        package,
        macros,
        modules,
        other_names,
    })
}

fn list<'r, T>(
    reader: &mut Reader<'r>,
    mut item: impl FnMut(&mut Reader<'r>) -> Result<T, Corrupt>,
) -> Result<Arc<[T]>, Corrupt> {
    match reader.count()? {
        // Most are empty: that costs no allocation.
        0 => Ok(Arc::default()),
        count => (0..count).map(|_| item(reader)).collect(),
    }
}

fn read_module(reader: &mut Reader<'_>) -> Result<DeclaredModule, Corrupt> {
    let def = reader.take_u32()?.checked_sub(1).map(DefId);
    let name = reader.text()?.into();
    let flags = reader.take()?;
    let path = if flags >> 3 & 1 == 1 { Some(reader.text()?.into()) } else { None };
    let around = reader.take_u32()?.checked_sub(1).map(DefId);
    Ok(DeclaredModule {
        def,
        name,
        path,
        around,
        has_body: flags & 1 == 1,
        is_nested: flags >> 1 & 1 == 1,
        is_local: flags >> 2 & 1 == 1,
    })
}
