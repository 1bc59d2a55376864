//! Building segments: each file is encoded at once, only its bytes are kept.

use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::sync::Arc;

use ide_model::letter_mask;
use rayon::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use super::intern::{Interned, Interner};
use super::{FileRow, HEADER, MAGIC, Section, item, kind_byte};
use crate::Stamp;
use crate::codec::{SCHEMA, Writer, encode_body, packed_size, width_of};
use crate::facts::{DefId, FileFacts, NameId, Quality};
use crate::impl_sites::{DeclaredModule, FileImplSite};
use crate::lang;
use crate::macros::FileMacros;
use crate::parallel::divided;
use crate::sketch::Sketch;
use crate::world::{FileEntry, FileId, declaration_sites, declared_package, mentioned_names, renamed_names};

/// A segment would exceed the 4 GiB that its offsets reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the project exceeds what one index segment can hold (4 GiB of facts)")
    }
}

impl std::error::Error for TooLarge {}

/// A file as it is handed to the builder.
#[derive(Clone, Debug)]
pub struct Unit {
    pub entry: FileEntry,
    pub stamp: Stamp,
    /// `None` for files that only text search sees.
    pub facts: Option<FileFacts>,
    /// The text of a file that [`crate::is_configuration`].
    pub configuration: Option<Arc<str>>,
}

/// A file in its encoded form, with names as provisional numbers.
#[derive(Debug)]
pub struct FilePart {
    pub(super) row: FileRow,
    /// The names of the file in their own order.
    pub(super) names: Vec<u32>,
    /// `number * 2 + declared here` of each name under which the file can be found.
    pub(super) mentions: Vec<u32>,
    pub(super) decls: Vec<PartDecl>,
    pub(super) impl_sites: Vec<FileImplSite<u32>>,
    /// Facts without names; `None` for a file without facts.
    pub(super) body: Option<Box<[u8]>>,
    pub(super) configuration: Option<Arc<str>>,
    /// See [`crate::macros`].
    pub(super) macros: Option<Box<FileMacros>>,
}

impl FilePart {
    /// Without what its facts say, which are handed back.
    fn of(unit: Unit) -> (Self, Option<FileFacts>) {
        let row = FileRow {
            entry: unit.entry,
            stamp: unit.stamp,
            quality: Quality::Skipped,
            has_facts: false,
            is_sketch: false,
            symbols: 0,
            defs: 0,
            package: None,
            macros: Arc::default(),
            modules: Arc::default(),
            other_names: Arc::default(),
        };
        (Self { configuration: unit.configuration, ..Self::from(row) }, unit.facts)
    }

    /// The path, and what the file has to do with macros of others.
    pub(crate) fn macros(&self) -> (&Arc<str>, Option<&FileMacros>) {
        (&self.row.entry.path.0, self.macros.as_deref())
    }

    /// The row of the file in the manifest.
    pub(crate) fn row(&self) -> &FileRow {
        &self.row
    }
}

impl From<FileRow> for FilePart {
    /// A file of which nothing else is known.
    fn from(row: FileRow) -> Self {
        Self {
            row,
            names: Vec::new(),
            mentions: Vec::new(),
            decls: Vec::new(),
            impl_sites: Vec::new(),
            body: None,
            configuration: None,
            macros: None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PartDecl {
    pub(super) name: u32,
    pub(super) def: DefId,
    /// [`kind_byte`].
    pub(super) kind: u8,
    pub(super) flags: u64,
    /// The name of what it stands in.
    pub(super) container: Option<u32>,
}

/// Encodes files, from many threads if wished, then assembles them into a segment.
#[derive(Debug)]
pub struct SegmentBuilder {
    pub(super) names: Interner,
}

impl Default for SegmentBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl SegmentBuilder {
    pub fn new() -> Self {
        Self { names: Interner::new() }
    }

    /// The bytes of what [`Self::assemble`] makes.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn build<I: Sync>(
        inputs: &[I],
        removed: &[Arc<str>],
        build_id: u64,
        read: impl Fn(&I, &Self) -> Option<FilePart> + Sync,
    ) -> Result<Vec<u8>, TooLarge> {
        Ok(Self::assemble(inputs, removed, build_id, read)?.into_bytes())
    }

    /// Makes a whole segment from what `read` makes of each input with [`Self::encode`], in parallel on the current rayon
    /// pool. Inputs for which it gives `None` are left out. `removed` are paths that the segment takes away from those below it.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn assemble<I: Sync>(
        inputs: &[I],
        removed: &[Arc<str>],
        build_id: u64,
        read: impl Fn(&I, &Self) -> Option<FilePart> + Sync,
    ) -> Result<Assembled, TooLarge> {
        let builder = Self::new();
        let parts = builder.read_all(inputs, read);
        builder.finish(parts, removed, build_id)
    }

    /// The results of `read` for each input, in parallel on the current rayon pool.
    pub(crate) fn read_all<I: Sync>(
        &self,
        inputs: &[I],
        read: impl Fn(&I, &Self) -> Option<FilePart> + Sync,
    ) -> Vec<FilePart> {
        // Left alone, rayon gives out quarters: one thread would wait while the other reads the last one.
        let all = || inputs.par_iter().with_max_len(8).map(|input| read(input, self)).collect();
        let parts: Vec<Option<FilePart>> = divided(all);
        parts.into_iter().flatten().collect()
    }

    /// Encodes one file.
    ///
    /// # Panics
    /// When an id of the facts lies outside its table: the mistake of a front end.
    pub fn encode(&self, unit: Unit) -> FilePart {
        self.encode_keeping(unit).0
    }

    /// [`Self::encode`] for those who go on with the facts.
    ///
    /// # Panics
    /// As [`Self::encode`].
    pub fn encode_keeping(&self, unit: Unit) -> (FilePart, Option<FileFacts>) {
        let (mut part, facts) = FilePart::of(unit);
        if let Some(facts) = &facts {
            self.tell(facts, mentioned_names(facts), &mut part);
            let mut body = Writer::with_capacity(8 * facts.refs.len() + 16 * facts.defs.len());
            encode_body(facts, &mut body);
            part.body = Some(body.into_bytes().into_boxed_slice());
        }
        (part, facts)
    }

    /// Encodes a file by its sketch, without facts.
    ///
    /// # Panics
    /// As [`Self::encode`].
    pub fn encode_sketch(&self, unit: Unit, sketch: &Sketch) -> FilePart {
        let (mut part, _) = FilePart::of(unit);
        part.row.is_sketch = true;
        self.tell(&sketch.facts, sketch.mentioned_names(), &mut part);
        part
    }

    /// Puts into the part what the tables of a segment hold of a file.
    fn tell(&self, facts: &FileFacts, mentioned: impl Iterator<Item = NameId>, part: &mut FilePart) {
        part.row.has_facts = true;
        part.row.quality = facts.quality;
        part.row.package = declared_package(facts);
        part.row.modules = lang::declared_modules(facts);
        part.row.other_names = lang::other_names(facts);
        part.names = self.names.intern_all(&facts.names);
        let number = |name: NameId| part.names[name.index()];
        let sites = lang::impl_sites(facts).into_iter();
        part.impl_sites = sites
            .map(|site| FileImplSite { name: number(site.name), def: site.def, role: site.role.map(number) })
            .collect();
        let mut declared = vec![false; facts.names.len()];
        part.decls.reserve(facts.defs.len());
        for (_, site) in declaration_sites(FileId(0), facts) {
            let def = facts.def(site.at.def);
            declared[def.name.index()] = true;
            let container = facts.enclosing_def(def.scope).map(|id| part.names[facts.def(id).name.index()]);
            part.decls.push(PartDecl {
                name: part.names[def.name.index()],
                def: site.at.def,
                kind: kind_byte(def.kind, site.is_member),
                flags: site.flags.0,
                container,
            });
        }
        part.row.symbols = part.decls.len() as u32;
        part.row.defs = facts.defs.len() as u32;
        part.macros = lang::macros_of(&part.row.entry.path.0, facts);
        part.row.macros = part.macros.iter().flat_map(|macros| macros.given_names()).collect();
        part.mentions.reserve(facts.names.len());
        let renamed = renamed_names(facts);
        part.mentions
            .extend(mentioned.map(|name| {
                mention(part.names[name.index()], declared[name.index()], renamed[name.index()])
            }));
        part.mentions.shrink_to_fit();
        part.decls.shrink_to_fit();
    }

    /// Assembles encoded files; `removed` are paths that the segment takes away from those below it. The order of
    /// `parts` does not matter.
    ///
    /// # Errors
    /// [`TooLarge`].
    pub fn finish(
        self,
        mut parts: Vec<FilePart>,
        removed: &[Arc<str>],
        build_id: u64,
    ) -> Result<Assembled, TooLarge> {
        parts.par_sort_unstable_by(|a, b| a.row.entry.path.cmp(&b.row.entry.path));
        let names = self.names.into_names();
        let (sorted, ranks) = rank_names(&names, &parts);
        let count = sorted.len();
        let width = width_of(count as u32);
        let is_large = parts.len() > FEW;
        let rows = || (manifest(&parts), configurations(&parts), offsets_reach(&parts, width));
        let declared = || (declarations(&parts, &ranks, count), impl_sites(&parts, &ranks, count));
        let (postings, ((declarations, impl_sites), (texts, rows))) = both(
            is_large,
            || postings(&parts, &ranks, count),
            || {
                let texts = || both(is_large, || name_texts(sorted, names), rows);
                both(is_large, declared, texts)
            },
        );
        let (manifest, configurations, offsets_reach) = rows;
        offsets_reach?;
        for part in &mut parts {
            (part.mentions, part.decls, part.impl_sites) = (Vec::new(), Vec::new(), Vec::new());
        }
        let (texts, masks) = texts?;
        let mut sections: [Vec<u8>; Section::Facts as usize] = Default::default();
        let mut put = |section: Section, bytes: Vec<u8>| sections[section as usize] = bytes;
        put(Section::Names, texts.bytes);
        put(Section::NameOffsets, texts.offsets);
        put(Section::Masks, masks);
        let postings = postings?;
        put(Section::Postings, postings.bytes);
        put(Section::PostingOffsets, postings.offsets);
        let declarations = declarations?;
        put(Section::Declarations, declarations.bytes);
        put(Section::DeclarationOffsets, declarations.offsets);
        let impl_sites = impl_sites?;
        put(Section::ImplSites, impl_sites.bytes);
        put(Section::ImplSiteOffsets, impl_sites.offsets);
        put(Section::Manifest, manifest);
        put(Section::Configurations, configurations);
        put(Section::Removed, paths(removed.iter().map(|path| &**path)));
        Ok(Assembled { sections, parts, ranks, width, build_id })
    }
}

/// Files for which no second thread is woken.
const FEW: usize = 64;

/// Runs two functions, on two threads if the work is large.
fn both<A: Send, B: Send>(
    is_much: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    if is_much { divided(|| rayon::join(a, b)) } else { (a(), b()) }
}

/// The names that the parts use, sorted, and the rank of each provisional number.
fn rank_names(names: &Interned, parts: &[FilePart]) -> (Vec<u32>, Ranks) {
    let mut used = vec![false; names.end()];
    for part in parts {
        let mut uses = |id: u32| used[id as usize] = true;
        // A name in the tables of a layer need not be a name of the file's facts, when those were read later.
        part.names.iter().for_each(|id| uses(*id));
        part.mentions.iter().for_each(|mention| uses(mention >> 2));
        for decl in &part.decls {
            uses(decl.name);
            decl.container.into_iter().for_each(&mut uses);
        }
        for site in &part.impl_sites {
            uses(site.name);
            let _same_role = site.role.map(&mut uses);
        }
    }
    // Most names differ in their first eight bytes: only the rest of them is looked up.
    let head = |name: &str| {
        let mut head = [0; 8];
        let len = name.len().min(8);
        head[..len].copy_from_slice(&name.as_bytes()[..len]);
        u64::from_be_bytes(head)
    };
    let ids = (0..used.len() as u32).filter(|id| used[*id as usize]);
    let mut sorted: Vec<(u64, u32)> = ids.map(|id| (head(names.get(id)), id)).collect();
    sorted.par_sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| names.get(a.1).cmp(names.get(b.1))));
    let mut ranks = vec![None; used.len()];
    for (rank, (_, id)) in sorted.iter().enumerate() {
        ranks[*id as usize] = Some(rank as u32);
    }
    (sorted.into_iter().map(|(_, id)| id).collect(), Ranks(ranks))
}

/// The ranks of names by their provisional numbers; names that no part uses have none.
#[derive(Debug)]
pub(super) struct Ranks(Vec<Option<u32>>);

impl Ranks {
    /// The rank of a name that some part uses.
    pub(super) fn of(&self, name: u32) -> u32 {
        self.0[name as usize].expect("all names of the parts are ranked")
    }
}

/// Items of unlike length, one after the other, with the offsets of where each begins and the last one ends.
struct Blob {
    bytes: Vec<u8>,
    offsets: Vec<u8>,
}

/// The texts of the names and the letters that each of them has.
fn name_texts(sorted: Vec<u32>, names: Interned) -> Result<(Blob, Vec<u8>), TooLarge> {
    let mut blob = Blob { bytes: Vec::new(), offsets: Vec::with_capacity(4 * (sorted.len() + 1)) };
    let mut masks = Vec::new();
    let mut mark = |at: usize| -> Result<(), TooLarge> {
        blob.offsets.extend_from_slice(&u32::try_from(at).map_err(|_| TooLarge)?.to_le_bytes());
        Ok(())
    };
    for id in sorted {
        let name = names.get(id);
        mark(blob.bytes.len())?;
        blob.bytes.extend_from_slice(name.as_bytes());
        masks.extend_from_slice(&letter_mask(name).to_le_bytes());
    }
    mark(blob.bytes.len())?;
    Ok((blob, masks))
}

/// A mention of a name by its provisional number: see [`Posting`].
pub(super) fn mention(name: u32, declares: bool, renames: bool) -> u32 {
    name << 2 | u32::from(renames) << 1 | u32::from(declares)
}

/// For each name the files that mention it.
fn postings(parts: &[FilePart], ranks: &Ranks, names: usize) -> Result<Blob, TooLarge> {
    let rank = |mention: &u32| ranks.of(mention >> 2);
    let fields = |mention: &u32, step| [u64::from(step) << 2 | u64::from(mention & 3)];
    lists(parts, names, |part| &part.mentions, rank, fields)
}

/// For each name what is declared under it; within a file as the part has it, which is by id.
fn declarations(parts: &[FilePart], ranks: &Ranks, names: usize) -> Result<Blob, TooLarge> {
    let fields = |decl: &PartDecl, step| {
        let container = decl.container.map_or(0, |name| u64::from(ranks.of(name)) + 1);
        [u64::from(step), u64::from(decl.def.0), u64::from(decl.kind), decl.flags, container]
    };
    lists(parts, names, |part| &part.decls, |decl| ranks.of(decl.name), fields)
}

/// For each name what it has to do with implementations; within a file as the part has it.
fn impl_sites(parts: &[FilePart], ranks: &Ranks, names: usize) -> Result<Blob, TooLarge> {
    let fields = |site: &FileImplSite<u32>, step| {
        let [def, other] = site.role.map(|name| ranks.of(name)).packed(site.def);
        [u64::from(step), def, other]
    };
    lists(parts, names, |part| &part.impl_sites, |site| ranks.of(site.name), fields)
}

/// The entries of each name in the order of the parts: what `fields` makes of an entry and of how many parts further it
/// is than the one before. They are measured first, then each is written where it belongs.
fn lists<T, const N: usize>(
    parts: &[FilePart],
    names: usize,
    entries: impl Fn(&FilePart) -> &Vec<T>,
    rank: impl Fn(&T) -> u32,
    fields: impl Fn(&T, u32) -> [u64; N],
) -> Result<Blob, TooLarge> {
    #[derive(Clone, Copy, Default)]
    struct List {
        /// The part of the last entry.
        last: u32,
        /// The length so far; then where the next entry goes.
        at: u32,
    }
    let mut lists = vec![List::default(); names];
    for (file, part) in (0..).zip(parts) {
        for entry in entries(part) {
            let list = &mut lists[rank(entry) as usize];
            let size: usize = fields(entry, file - list.last).into_iter().map(Writer::size).sum();
            *list = List { last: file, at: list.at.saturating_add(size as u32) };
        }
    }
    let mut offsets = Vec::with_capacity(4 * (names + 1));
    let mut end = 0u32;
    for list in &mut lists {
        offsets.extend_from_slice(&end.to_le_bytes());
        let start = end;
        end = end.checked_add(list.at).ok_or(TooLarge)?;
        *list = List { last: 0, at: start };
    }
    offsets.extend_from_slice(&end.to_le_bytes());
    let mut bytes = vec![0; end as usize];
    for (file, part) in (0..).zip(parts) {
        for entry in entries(part) {
            let list = &mut lists[rank(entry) as usize];
            for field in fields(entry, file - list.last) {
                list.at += Writer::put_at(&mut bytes[list.at as usize..], field) as u32;
            }
            list.last = file;
        }
    }
    Ok(Blob { bytes, offsets })
}

/// Whether the offsets of [`Section::Facts`] can tell where the last facts end.
fn offsets_reach(parts: &[FilePart], width: u32) -> Result<(), TooLarge> {
    let size = |part: &FilePart| {
        let names = part.names.len();
        part.body.as_ref().map_or(0, |body| {
            (Writer::size(names as u64) + packed_size(names, width) + body.len() + item::OVERHEAD) as u64
        })
    };
    u32::try_from(parts.iter().map(size).sum::<u64>()).map_or(Err(TooLarge), |_| Ok(()))
}

/// Sorted paths, each as the length shared with the one before and the rest.
fn paths<'p>(sorted: impl Iterator<Item = &'p str>) -> Vec<u8> {
    let mut out = Writer::new();
    let mut before = "";
    for path in sorted {
        front_coded(&mut out, before, path);
        before = path;
    }
    out.into_bytes()
}

fn front_coded(out: &mut Writer, before: &str, path: &str) {
    let mut shared = before.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
    while !path.is_char_boundary(shared) {
        shared -= 1;
    }
    out.put(shared as u64);
    out.text(&path[shared..]);
}

fn manifest(parts: &[FilePart]) -> Vec<u8> {
    let mut out = Writer::new();
    let mut before = "";
    for FilePart { row, .. } in parts {
        let path = row.entry.path.as_str();
        front_coded(&mut out, before, path);
        before = path;
        out.put(row.entry.size);
        out.put(row.stamp.mtime_ns as u64);
        out.put(row.stamp.ctime_ns.wrapping_sub(row.stamp.mtime_ns) as u64);
        out.put(row.stamp.inode);
        out.raw_bytes(&row.entry.content_hash.to_le_bytes());
        out.put(row.entry.language.map_or(0, |language| language as u64 + 1));
        out.put(row.entry.source as u64);
        out.put(u64::from(row.symbols));
        out.put(u64::from(row.defs));
        out.put(
            u64::from(row.entry.is_generated)
                | u64::from(row.stamp.is_racy) << 1
                | (row.quality as u64) << 2
                | u64::from(row.package.is_some()) << 4
                | u64::from(row.has_facts) << 5
                | u64::from(row.is_sketch) << 6,
        );
        if let Some(package) = &row.package {
            out.text(package);
        }
        out.put(row.macros.len() as u64);
        row.macros.iter().for_each(|name| out.text(name));
        out.put(row.modules.len() as u64);
        row.modules.iter().for_each(|module| put_module(&mut out, module));
        out.put(row.other_names.len() as u64);
        for (name, other) in row.other_names.iter() {
            out.put(name.packed());
            out.put(other.packed());
        }
    }
    out.into_bytes()
}

fn put_module(out: &mut Writer, module: &DeclaredModule) {
    out.put(module.def.map_or(0, |def| u64::from(def.0) + 1));
    out.text(&module.name);
    out.put(
        u64::from(module.has_body)
            | u64::from(module.is_nested) << 1
            | u64::from(module.is_local) << 2
            | u64::from(module.path.is_some()) << 3,
    );
    if let Some(path) = &module.path {
        out.text(path);
    }
    out.put(module.around.map_or(0, |def| u64::from(def.0) + 1));
}

fn configurations(parts: &[FilePart]) -> Vec<u8> {
    let mut out = Writer::new();
    for (file, part) in parts.iter().enumerate() {
        if let Some(text) = &part.configuration {
            out.put(file as u64);
            out.text(text);
        }
    }
    out.into_bytes()
}

/// The facts of some files as they are written.
#[derive(Default)]
struct Items {
    bytes: Vec<u8>,
    /// The end of each within the bytes, and its checksum.
    ends: Vec<(usize, u32)>,
}

impl Items {
    /// Bytes that are laid out while others are written.
    const SIZE: usize = 1 << 20;

    /// The items of the next parts; there are none when no part is left.
    fn of(parts: &mut impl Iterator<Item = FilePart>, ranks: &Ranks, width: u32) -> Self {
        let mut items = Self::default();
        while items.bytes.len() < Self::SIZE
            && let Some(part) = parts.next()
        {
            let mut item = Writer::new();
            if let Some(body) = part.body {
                item.put(part.names.len() as u64);
                // Zero is for names that are written out, which there are beside segments only.
                item.pack(part.names.iter().map(|id| ranks.of(*id) + 1), width);
                item.raw_bytes(&body);
            }
            let item = item::packed(item.as_slice());
            items.bytes.extend_from_slice(&item);
            items.ends.push((items.bytes.len(), item::checksum(&item)));
        }
        items
    }
}

/// A segment that has not been written yet.
#[derive(Debug)]
pub struct Assembled {
    /// The sections before the facts.
    sections: [Vec<u8>; Section::Facts as usize],
    /// By path.
    parts: Vec<FilePart>,
    ranks: Ranks,
    /// The bits that a rank takes in the facts.
    width: u32,
    build_id: u64,
}

impl Assembled {
    /// The segment in memory.
    pub fn into_bytes(self) -> Vec<u8> {
        let size = HEADER + self.sections.iter().map(Vec::len).sum::<usize>();
        let mut out = Cursor::new(Vec::with_capacity(size));
        self.write(&mut out).expect("memory takes everything");
        out.into_inner()
    }

    /// Writes the segment from the place on where `out` stands, which is the beginning: the header comes last.
    /// Written sections are freed.
    ///
    /// # Errors
    /// The errors of `out`.
    pub fn write(self, out: &mut (impl Write + Seek + Send)) -> io::Result<()> {
        let mut header = Vec::with_capacity(HEADER);
        header.extend_from_slice(&MAGIC);
        for word in [u64::from(SCHEMA), self.build_id, self.parts.len() as u64] {
            header.extend_from_slice(&word.to_le_bytes());
        }
        let mut at = HEADER;
        let mut place = |len: usize, checksum: u64| {
            for word in [at as u64, len as u64, checksum] {
                header.extend_from_slice(&word.to_le_bytes());
            }
            at += len;
        };
        out.write_all(&[0; HEADER])?;
        for section in self.sections {
            place(section.len(), xxh3_64(&section));
            out.write_all(&section)?;
        }
        let count = 4 * self.parts.len();
        let (mut offsets, mut checksums) = (Vec::with_capacity(4 + count), Vec::with_capacity(count));
        let mut mark = |at: usize| {
            // The possible offsets were checked before.
            offsets
                .extend_from_slice(&u32::try_from(at).map_err(|_| io::Error::other(TooLarge))?.to_le_bytes());
            io::Result::Ok(())
        };
        mark(0)?;
        let mut facts = 0;
        let is_large = self.parts.len() > FEW;
        let mut parts = self.parts.into_iter();
        let mut ready = Items::of(&mut parts, &self.ranks, self.width);
        while !ready.ends.is_empty() {
            for (end, checksum) in &ready.ends {
                mark(facts + end)?;
                checksums.extend_from_slice(&checksum.to_le_bytes());
            }
            facts += ready.bytes.len();
            let next = || Items::of(&mut parts, &self.ranks, self.width);
            let (written, next) = both(is_large, || out.write_all(&ready.bytes), next);
            written?;
            ready = next;
        }
        place(facts, 0);
        for table in [offsets, checksums] {
            place(table.len(), xxh3_64(&table));
            out.write_all(&table)?;
        }
        header.extend_from_slice(&xxh3_64(&header).to_le_bytes());
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&header)?;
        out.flush()
    }
}
