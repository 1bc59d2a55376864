//! Segments: immutable, self-contained bytes that hold the facts of many files and the indexes over them.
//!
//! The base of an index is one large segment in a mapped file; every batch of changes is a small one in memory. All are
//! made by the same assembler from the same inputs, so merging layers gives the very bytes that indexing the merged
//! state afresh gives.

mod build;
mod intern;
mod item;
mod journal;
mod kept;
mod merge;
mod read;

pub use build::{Assembled, FilePart, SegmentBuilder, TooLarge, Unit};
pub use journal::{journal_record, journal_records};
pub use kept::KeptWriter;
pub use merge::IndexError;
pub(crate) use merge::merge;
pub use read::{Segment, SegmentBytes};

use std::sync::Arc;

use ide_model::SymbolKind;

use crate::facts::{DefFlags, DefId, Quality};
use crate::impl_sites::{DeclaredModule, ImplRole, OtherName};
use crate::world::FileEntry;

/// How a file was recognised on disk when its facts were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stamp {
    /// When the content was written, in nanoseconds since the epoch. Programs may set it to anything.
    pub mtime_ns: i64,
    /// When the file was last touched in any way, where the system tells: no program can set it back. Else 0.
    pub ctime_ns: i64,
    pub inode: u64,
    /// The file was so young when it was read that a later change could carry the same time.
    pub is_racy: bool,
}

/// The row of a file in the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRow {
    pub entry: FileEntry,
    pub stamp: Stamp,
    pub quality: Quality,
    /// A front end has read the file.
    pub has_facts: bool,
    /// The facts are not in the segment, which was made from a [`crate::Sketch`] of the file. They may lie beside it.
    pub is_sketch: bool,
    /// How many declarations symbol search knows of.
    pub symbols: u32,
    /// The tables of the segment name declarations below this [`DefId`] only.
    pub defs: u32,
    pub package: Option<Arc<str>>,
    /// See [`crate::World::given_macros`].
    pub macros: Arc<[Arc<str>]>,
    /// See [`crate::World::declared_modules`].
    pub modules: Arc<[DeclaredModule]>,
    /// See [`crate::World::other_names`].
    pub other_names: Arc<[OtherName]>,
}

/// A file that mentions a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Posting {
    /// Number of the file within the segment.
    pub(crate) file: u32,
    pub(crate) declares: bool,
    /// See [`crate::World::files_renaming`].
    pub(crate) renames: bool,
}

/// A declaration as the table of a segment holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeclRow {
    /// Number of the file within the segment.
    pub(crate) file: u32,
    pub(crate) def: DefId,
    pub(crate) kind: SymbolKind,
    pub(crate) flags: DefFlags,
    /// See [`crate::DeclarationSite::is_member`].
    pub(crate) is_member: bool,
    /// Rank of the name of the nearest enclosing declaration with a name.
    pub(crate) container: Option<u32>,
}

/// The role of a declaration in implementations under a name, as the table of a segment holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ImplRow {
    /// Number of the file within the segment.
    pub(crate) file: u32,
    pub(crate) def: DefId,
    /// Names by their ranks.
    pub(crate) role: ImplRole<u32>,
}

/// Sections in file order. Offsets are little-endian `u32`, one more than there are items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
enum Section {
    /// The distinct names, sorted by bytes, one after the other.
    Names,
    NameOffsets,
    /// [`ide_model::letter_mask`] of each name, little-endian `u64`.
    Masks,
    /// Per name: files that mention it, as distances; the lowest bit says that the file declares it.
    Postings,
    PostingOffsets,
    /// Per name: its declarations by file, then definition.
    Declarations,
    DeclarationOffsets,
    /// Per name: what it has to do with implementations, by file, then definition.
    ImplSites,
    ImplSiteOffsets,
    Manifest,
    /// Texts of configuration files.
    Configurations,
    /// Paths that this segment takes away from those below it.
    Removed,
    /// Per file: its names as ranks, then its facts, [`item::packed`]. As large as all others together: it is laid out where
    /// it stays, and its checksum in the header is 0.
    Facts,
    FactOffsets,
    /// Per file: the [`checksum`] of its item in [`Self::Facts`], little-endian.
    FactChecksums,
}

/// Added to the kind of a declaration that is a member.
const MEMBER: u8 = 1 << 6;
const _: () = assert!(SymbolKind::ALL.len() <= MEMBER as usize);

/// The byte that says of a declaration its kind and whether it is a member.
fn kind_byte(kind: SymbolKind, is_member: bool) -> u8 {
    kind as u8 | if is_member { MEMBER } else { 0 }
}

/// The input of [`kind_byte`]; `None` where no kind has the byte.
fn kind_of_byte(byte: u8) -> Option<(SymbolKind, bool)> {
    Some((SymbolKind::from_u8(byte & !MEMBER)?, byte & MEMBER != 0))
}

const SECTIONS: usize = Section::FactChecksums as usize + 1;

const MAGIC: [u8; 8] = *b"IDEIDX\x1a\n";
/// Magic, schema, build, number of files, sections with offset, length and checksum each, checksum of all this.
const HEADER: usize = 8 + 8 + 8 + 8 + SECTIONS * 24 + 8;
