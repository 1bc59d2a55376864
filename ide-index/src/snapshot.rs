//! One immutable state of an index.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use ide_model::{Family, Language, SymbolKind, TextRange, paths};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::builder::FactBuilder;
use crate::cache::FactsCache;
use crate::codec::Corrupt;
use crate::facts::{DefFlags, FileFacts, Quality};
use crate::impl_sites::{DeclaredModule, ImplSite, OtherName};
use crate::library::Lasting;
use crate::macros::Macros;
use crate::overlay::{Layer, Layers, Slot};
use crate::segment::{
    Assembled, FilePart, FileRow, IndexError, Posting, Segment, SegmentBuilder, SegmentBytes,
};
use crate::sketch::FactSource;
use crate::world::{DeclarationSite, Directory, FileEntry, FileId, GlobalDef, World};

type Packages = FxHashMap<(Family, Arc<str>), Vec<u32>>;

/// The facts of a project at one moment, over mapped and small in-memory segments. Cheap to clone and to change: changing
/// makes a new one that shares everything untouched.
#[derive(Clone, Debug)]
pub struct IndexSnapshot {
    layers: Layers,
    shared: Arc<Shared>,
    generation: u64,
    packages: OnceLock<Arc<Packages>>,
    /// A file of which there is a sketch only that is no longer what this index knows.
    changed: Arc<OnceLock<Arc<str>>>,
    configurations: Arc<BTreeMap<Arc<str>, Arc<str>>>,
}

/// Layers beyond which a change waits until some of them are merged.
const MOST_LAYERS: usize = 16;

/// Layers of an index, and the one that they make together.
#[derive(Debug)]
pub struct Thin {
    at: usize,
    old: Vec<Arc<Segment>>,
    merged: Arc<Segment>,
}

/// The parts that the snapshots of one index share.
#[derive(Debug)]
struct Shared {
    /// The absolute path of the project.
    root: Box<str>,
    build_id: u64,
    cache: Arc<FactsCache>,
    source: Option<Arc<dyn FactSource>>,
    lasting: Lasting,
    /// Set when bytes were met that the checksums had let through.
    damaged: AtomicBool,
}

impl IndexSnapshot {
    /// An index of the project at the absolute path `root`, over segments, the lowest first. `cache` keeps the
    /// decoded facts of this snapshot and all made from it; `source` reads those of which there are sketches only.
    pub fn new(
        root: &str,
        segments: impl IntoIterator<Item = Arc<Segment>>,
        build_id: u64,
        cache: Arc<FactsCache>,
        source: Option<Arc<dyn FactSource>>,
        generation: u64,
    ) -> Self {
        let shared = Shared {
            root: root.into(),
            build_id,
            cache,
            source,
            lasting: Lasting::default(),
            damaged: AtomicBool::new(false),
        };
        Self::over(Layers::of(segments), Arc::new(shared), generation)
    }

    fn over(layers: Layers, shared: Arc<Shared>, generation: u64) -> Self {
        let mut configurations = BTreeMap::new();
        for layer in layers.iter() {
            for (local, text) in layer.segment.configurations() {
                if layer.number(*local).is_some() {
                    let path = &layer.segment.rows()[*local as usize].entry.path;
                    configurations.insert(path.0.clone(), text.clone());
                }
            }
        }
        Self {
            layers,
            shared,
            generation,
            packages: OnceLock::new(),
            changed: Arc::default(),
            configurations: Arc::new(configurations),
        }
    }

    /// A path, perhaps absolute or leading out of the project by `../`, as files are called here.
    fn spelled<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let root = &*self.shared.root;
        if path.starts_with("../") {
            let absolute = paths::normal(&format!("{root}/{path}"));
            return Cow::Owned(below(&absolute, root).unwrap_or(&absolute).to_owned());
        }
        Cow::Borrowed(below(path, root).unwrap_or(path))
    }

    /// Grows with every change.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The row of the manifest for a file.
    pub fn row(&self, id: FileId) -> &FileRow {
        let slot = self.slot(id);
        &self.layers.segment(slot).rows()[slot.local as usize]
    }

    /// True when a front end has read the file.
    pub fn has_facts(&self, id: FileId) -> bool {
        self.row(id).has_facts
    }

    /// The rows of all files, ordered by path.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &FileRow> {
        (0..self.file_count()).map(|number| self.row(FileId(number)))
    }

    /// The rows from the first path on that is not below `path`, ordered.
    pub fn rows_from(&self, path: &str) -> impl Iterator<Item = &FileRow> {
        let (Ok(at) | Err(at)) = self.layers.find(path);
        (at as u32..self.file_count()).map(|number| self.row(FileId(number)))
    }

    /// True once damaged data was met; the index must be rebuilt.
    pub fn is_damaged(&self) -> bool {
        self.shared.damaged.load(Ordering::Relaxed)
    }

    /// A file whose facts could not be read because it changed since this index was made: what was answered from it may be
    /// wrong, and the file must be read anew.
    pub fn changed_file(&self) -> Option<&Arc<str>> {
        self.changed.get()
    }

    /// The segments, the lowest first.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = &Arc<Segment>> {
        self.layers.segments()
    }

    /// How many changed and removed files stand above the lowest segment.
    pub fn overlay_size(&self) -> usize {
        self.layers.overlay_size()
    }

    /// This index after a change, and the segment that holds the change. The change is visible in the new value only.
    /// Parameters as of [`Self::assemble`].
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn changed<I: Sync>(
        &self,
        inputs: &[I],
        removed: &[Arc<str>],
        read: impl Fn(&I, &SegmentBuilder) -> Option<FilePart> + Sync,
        again: impl Fn(&Arc<str>, &SegmentBuilder, &Macros<'_>) -> Option<FilePart> + Sync,
    ) -> Result<(Self, Arc<Segment>), IndexError> {
        let assembled = self.assemble(inputs, removed, read, again)?;
        let segment = self.open_segment(Arc::new(assembled.into_bytes()))?;
        Ok((self.with(segment.clone())?, segment))
    }

    /// The segment of a change, not yet written. `read` encodes the file of each input, in parallel on the current rayon
    /// pool; `again` those of them, and files beside them, that need macros of others; `removed` are paths that are gone.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn assemble<I: Sync>(
        &self,
        inputs: &[I],
        removed: &[Arc<str>],
        read: impl Fn(&I, &SegmentBuilder) -> Option<FilePart> + Sync,
        again: impl Fn(&Arc<str>, &SegmentBuilder, &Macros<'_>) -> Option<FilePart> + Sync,
    ) -> Result<Assembled, IndexError> {
        let mut removed = removed.to_vec();
        removed.sort_unstable();
        removed.dedup();
        let builder = SegmentBuilder::new();
        let mut parts = builder.read_all(inputs, read);
        let before = (self.file_count() > 0).then_some(self as &dyn World);
        let macros = Macros::after(before, parts.iter().map(FilePart::macros), &removed);
        let readers = macros.readers(parts.iter().map(FilePart::macros));
        let mut others = builder.read_all(&readers, |path, builder| again(path, builder, &macros));
        // A file that was written meanwhile is a change of its own, which comes later.
        let hashes: FxHashMap<&str, u128> =
            parts.iter().map(|part| (&*part.row().entry.path.0, part.row().entry.content_hash)).collect();
        others.retain(|part| {
            let entry = &part.row().entry;
            let old = || self.file_by_path(entry.path.as_str()).map(|id| self.file(id).content_hash);
            hashes.get(entry.path.as_str()).copied().or_else(old) == Some(entry.content_hash)
        });
        if !others.is_empty() {
            let again: FxHashSet<Arc<str>> =
                others.iter().map(|part| part.row().entry.path.0.clone()).collect();
            parts.retain(|part| !again.contains(&part.row().entry.path.0));
            parts.append(&mut others);
        }
        Ok(builder.finish(parts, &removed, self.shared.build_id)?)
    }

    /// This index with a segment of changes on top. Layers are merged when they become too many; see [`Self::thin`].
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn with(&self, segment: Arc<Segment>) -> Result<Self, IndexError> {
        // A defect of this state is a defect of the states made from it.
        let changed = self.changed.clone();
        let over = Self::over(self.layers.with(segment), self.shared.clone(), self.generation + 1);
        let next = Self { changed, ..over };
        let is_thick = next.layers.segments().len() > MOST_LAYERS;
        match is_thick.then(|| next.thin()).transpose()?.flatten() {
            Some(thin) => Ok(next.with_thin(&thin)),
            None => Ok(next),
        }
    }

    /// Whether [`Self::thin`] has something to do.
    pub fn is_thick(&self) -> bool {
        self.layers.due() < self.layers.segments().len()
    }

    /// Small layers made one; `None` as long as there are few. Every question costs a little for each layer.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn thin(&self) -> Result<Option<Thin>, IndexError> {
        let due = self.layers.due();
        let old: Vec<Arc<Segment>> = self.layers.segments().skip(due).cloned().collect();
        if old.is_empty() {
            return Ok(None);
        }
        let bytes = self.layers.merged(due, self.shared.build_id)?.into_bytes();
        let merged = self.open_segment(Arc::new(bytes))?;
        Ok(Some(Thin { at: due, old, merged }))
    }

    /// The same state with what [`Self::thin`] made of it, or of an earlier one on which only changes were laid since; as
    /// it is when it is another one.
    #[must_use]
    pub fn with_thin(&self, thin: &Thin) -> Self {
        let here = self.layers.segments().skip(thin.at);
        if here.len() < thin.old.len() || !here.zip(&thin.old).all(|(a, b)| Arc::ptr_eq(a, b)) {
            return self.clone();
        }
        let layers = self.layers.replaced(thin.at..thin.at + thin.old.len(), thin.merged.clone());
        Self { layers, ..self.clone() }
    }

    /// One segment that holds this whole state, not yet written: the same bytes whatever the history of the index was.
    ///
    /// # Errors
    /// See [`IndexError`].
    pub fn merged(&self) -> Result<Assembled, IndexError> {
        self.layers.merged(0, self.shared.build_id)
    }

    /// The same state over one segment that [`Self::merged`] made.
    #[must_use]
    pub fn rebased(&self, merged: Arc<Segment>) -> Self {
        Self::over(Layers::of([merged]), self.shared.clone(), self.generation)
    }

    /// An index without files, of a later generation and without the memory of damage.
    #[must_use]
    pub fn emptied(&self) -> Self {
        let (cache, source) = (self.shared.cache.clone(), self.shared.source.clone());
        Self::new(&self.shared.root, [], self.shared.build_id, cache, source, self.generation + 1)
    }

    /// The same state without the memory of [`Self::changed_file`].
    #[must_use]
    pub fn with_no_changed_file(&self) -> Self {
        Self { changed: Arc::default(), generation: self.generation + 1, ..self.clone() }
    }

    /// The same state with a later generation.
    #[must_use]
    pub fn at_generation(&self, generation: u64) -> Self {
        Self { generation, ..self.clone() }
    }

    /// The segment that [`Self::merged`] makes, opened.
    ///
    /// # Errors
    /// [`IndexError::Corrupt`] when the bytes are not a segment of this build.
    pub fn open_segment(&self, bytes: SegmentBytes) -> Result<Arc<Segment>, IndexError> {
        Ok(Arc::new(Segment::open(bytes, self.shared.build_id)?))
    }

    pub(crate) fn layers(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter()
    }

    /// Notes damage; for lookups that have no way to report it.
    pub(crate) fn or_damaged<T: Default>(&self, result: Result<T, Corrupt>) -> T {
        result.unwrap_or_else(|Corrupt| {
            self.shared.damaged.store(true, Ordering::Relaxed);
            T::default()
        })
    }

    fn slot(&self, id: FileId) -> Slot {
        self.layers.slots()[id.0 as usize]
    }

    fn collect<T>(
        &self,
        name: &str,
        mut visit: impl FnMut(&Layer, u32, &mut Vec<T>) -> Result<(), Corrupt>,
        order: impl Fn(&T) -> GlobalDef,
    ) -> Vec<T> {
        let mut found = Vec::new();
        let mut hits = 0;
        for layer in self.layers.iter() {
            let before = found.len();
            let result = layer.segment.rank(name).and_then(|rank| match rank {
                Some(rank) => visit(layer, rank, &mut found),
                None => Ok(()),
            });
            self.or_damaged(result);
            hits += usize::from(found.len() > before);
        }
        if hits > 1 {
            found.sort_by_key(order);
        }
        found
    }

    fn files_with(&self, name: &str, wanted: impl Fn(Posting) -> bool) -> Vec<FileId> {
        self.collect(
            name,
            |layer, rank, found| {
                for posting in layer.segment.postings(rank)? {
                    let posting = posting?;
                    found.extend(layer.number(posting.file).filter(|_| wanted(posting)));
                }
                Ok(())
            },
            |id| GlobalDef { file: *id, def: crate::facts::DefId(0) },
        )
    }

    fn packages(&self) -> &Packages {
        self.packages.get_or_init(|| {
            let mut packages = Packages::default();
            for number in 0..self.file_count() {
                let row = self.row(FileId(number));
                if let (Some(package), Some(language)) = (&row.package, row.entry.language) {
                    packages.entry((language.family(), package.clone())).or_default().push(number);
                }
            }
            Arc::new(packages)
        })
    }
}

/// The rest of a path below a directory.
fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    path.strip_prefix(directory)?.strip_prefix('/').filter(|_| !directory.is_empty())
}

impl World for IndexSnapshot {
    fn file_count(&self) -> u32 {
        self.layers.slots().len() as u32
    }

    fn file(&self, id: FileId) -> &FileEntry {
        &self.row(id).entry
    }

    fn file_by_path(&self, path: &str) -> Option<FileId> {
        self.layers.find(&self.spelled(path)).ok().map(|at| FileId(at as u32))
    }

    fn facts(&self, id: FileId) -> Arc<FileFacts> {
        let slot = self.slot(id);
        let segment = self.layers.segment(slot);
        let nothing = || {
            let entry = self.file(id);
            let len = u32::try_from(entry.size).unwrap_or(u32::MAX);
            let mut empty = FactBuilder::new(entry.language.unwrap_or(Language::PlainText), len);
            empty.set_quality(Quality::Skipped);
            // A declaration in the tables exists, whatever the file has become.
            for _ in 0..self.row(id).defs {
                let nameless = empty.def("", TextRange::new(0, 0), SymbolKind::Variable);
                empty.def_mut(nameless).flags.set(DefFlags::ANONYMOUS);
            }
            empty.finish()
        };
        let load = || {
            let row = self.row(id);
            let kept = segment.facts(slot.local).map_err(Some)?;
            if kept.is_some() || !row.is_sketch {
                return Ok(kept.unwrap_or_else(nothing));
            }
            let read = self.shared.source.as_ref().and_then(|source| source.facts(&row.entry));
            read.ok_or_else(|| {
                self.changed.get_or_init(|| row.entry.path.0.clone());
                None
            })
        };
        self.shared.cache.get(segment.uid(), slot.local, load).unwrap_or_else(|failure| {
            if let Some(corrupt) = failure {
                self.or_damaged::<()>(Err(corrupt));
            }
            Arc::new(nothing())
        })
    }

    fn kept_facts(&self, id: FileId) -> Option<Arc<FileFacts>> {
        let slot = self.slot(id);
        let segment = self.layers.segment(slot);
        let load = || self.or_damaged(segment.facts(slot.local)).ok_or(());
        self.shared.cache.get(segment.uid(), slot.local, load).ok()
    }

    fn given_macros(&self, id: FileId) -> Arc<[Arc<str>]> {
        self.row(id).macros.clone()
    }

    fn files_mentioning(&self, name: &str) -> Vec<FileId> {
        self.files_with(name, |_| true)
    }

    fn files_renaming(&self, name: &str) -> Vec<FileId> {
        self.files_with(name, |posting| posting.renames)
    }

    fn spellings(&self, name: &str) -> Vec<Arc<str>> {
        let mut all: Vec<Arc<str>> = Vec::new();
        for layer in self.layers.iter() {
            let found = layer.segment.spellings(name).map(|found| all.extend(found.map(Arc::from)));
            self.or_damaged(found);
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    fn declarations(&self, name: &str) -> Vec<DeclarationSite> {
        self.collect(
            name,
            |layer, rank, found| {
                for row in layer.segment.declarations(rank)? {
                    let row = row?;
                    found.extend(layer.number(row.file).map(|file| DeclarationSite {
                        at: GlobalDef { file, def: row.def },
                        kind: row.kind,
                        flags: row.flags,
                        is_nested: row.container.is_some(),
                        is_member: row.is_member,
                    }));
                }
                Ok(())
            },
            |site| site.at,
        )
    }

    fn impl_sites(&self, name: &str) -> Vec<ImplSite> {
        self.collect(
            name,
            |layer, rank, found| {
                for row in layer.segment.impl_sites(rank)? {
                    let row = row?;
                    let Some(file) = layer.number(row.file) else { continue };
                    let role = row.role.try_map(|rank| layer.segment.name(rank).map(Arc::from))?;
                    found.push(ImplSite { at: GlobalDef { file, def: row.def }, role });
                }
                Ok(())
            },
            |site| site.at,
        )
    }

    fn other_names(&self, id: FileId) -> Arc<[OtherName]> {
        self.row(id).other_names.clone()
    }

    fn lasting(&self) -> Option<&Lasting> {
        Some(&self.shared.lasting)
    }

    fn declared_modules(&self, id: FileId) -> Arc<[DeclaredModule]> {
        self.row(id).modules.clone()
    }

    fn files_of_package(&self, family: Family, package: &str) -> Vec<FileId> {
        let files = self.packages().get(&(family, package.into()));
        files.map(|files| files.iter().copied().map(FileId).collect()).unwrap_or_default()
    }

    fn package(&self, id: FileId) -> Option<Arc<str>> {
        self.row(id).package.clone()
    }

    fn directory(&self, path: &str) -> Option<Directory> {
        let slots = self.layers.slots();
        let path = self.spelled(path);
        let prefix = if path.is_empty() { String::new() } else { format!("{path}/") };
        let mut at = slots.partition_point(|slot| self.layers.path(*slot) < prefix.as_str());
        let mut directory = Directory::default();
        while let Some(rest) = slots.get(at).and_then(|slot| self.layers.path(*slot).strip_prefix(&prefix)) {
            let Some((name, _)) = rest.split_once('/') else {
                directory.files.push(FileId(at as u32));
                at += 1;
                continue;
            };
            // Files below other content roots have no name below this one.
            if !name.is_empty() {
                directory.directories.push(name.into());
            }
            let inside = format!("{prefix}{name}/");
            at += slots[at..].partition_point(|slot| self.layers.path(*slot).starts_with(&inside));
        }
        let is_empty = directory.files.is_empty() && directory.directories.is_empty();
        (!is_empty).then_some(directory)
    }

    fn configuration(&self, path: &str) -> Option<Arc<str>> {
        self.configurations.get(&*self.spelled(path)).cloned()
    }

    fn configurations(&self) -> Vec<Arc<str>> {
        self.configurations.keys().cloned().collect()
    }
}
