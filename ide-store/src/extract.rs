//! One file from disk to facts.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ide_index::guard;
use ide_index::lang::own_front_end;
use ide_index::{
    FactBuilder, FactSource, FileEntry, FileFacts, FilePart, FrontEnd, IndexSnapshot, Macros, Quality,
    SegmentBuilder, Stamp, Unit, World, is_configuration,
};
use ide_model::{FilePath, Language};
use ide_project_resolver::Classifier;
#[cfg(target_os = "linux")]
use rustix::{buffer::spare_capacity, io::Errno};
use xxhash_rust::xxh3::xxh3_128;

use crate::classify::{classify, says_generated};
use crate::decode::{SNIFFED, decode};
use crate::directory::stamp;
use crate::open::open_real;
use crate::text_search::MAX_TEXT_BYTES;
use crate::unread::Unread;

/// Bytes of the largest files that are read for facts: larger ones are known by name and searched as text. Front ends of
/// our own are many times as fast as grammars.
pub(crate) fn largest(language: Option<Language>) -> u64 {
    match language.and_then(own_front_end) {
        Some(_) => 8 << 20,
        None => 1 << 20,
    }
}

/// A changed file of more bytes is read as those of a first index are: what its functions say when somebody asks.
const LARGE: usize = 16 << 10;
/// Lines longer than this are not written by people, and a file that is mostly of such lines is not either.
pub(crate) const MAX_LINE: usize = 20_000;
/// Two writes so close may carry the same time.
pub(crate) const RACY_NS: i64 = 2_000_000_000;

/// Finds the front end of a language.
pub(crate) type FrontEnds = dyn Fn(Language) -> Option<&'static dyn FrontEnd> + Send + Sync;
/// Receives what a person should know and no caller waits for.
pub type Log = dyn Fn(&str) + Send + Sync;

/// Reads the facts of single files.
pub(crate) struct FactReader {
    pub(crate) root: PathBuf,
    pub(crate) front_ends: Box<FrontEnds>,
    pub(crate) log: Arc<Log>,
    pub(crate) unread: Arc<Unread>,
}

impl std::fmt::Debug for FactReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactReader").field("root", &self.root).finish_non_exhaustive()
    }
}

impl FactReader {
    /// The result of `read` with the front end of the text's language. A front end that panics, or gives facts that
    /// do not hold together, costs the facts of one file.
    fn with_front_end<T>(
        &self,
        language: Option<Language>,
        path: &str,
        read: impl FnOnce(&dyn FrontEnd) -> T,
    ) -> Option<T> {
        let front_end = language.and_then(|language| (self.front_ends)(language))?;
        let read = catch_unwind(AssertUnwindSafe(|| guard::reading(u64::MAX, || read(front_end)).0));
        read.map_err(|_| (self.log)(&format!("the front end failed on {path}; the file has no facts"))).ok()
    }
}

impl FactSource for FactReader {
    fn facts(&self, file: &FileEntry) -> Option<FileFacts> {
        let path = file.path.as_str();
        let (bytes, _) = read_up_to(&self.root.join(path), largest(file.language)).ok()?;
        let bytes = bytes.filter(|bytes| xxh3_128(bytes) == file.content_hash)?;
        let text = decode(&bytes)?;
        let facts = self.with_front_end(file.language, path, |front_end| front_end.facts(path, &text));
        Some(facts.unwrap_or_else(|| {
            let language = file.language.unwrap_or(Language::PlainText);
            let mut nothing = FactBuilder::new(language, text.len() as u32);
            nothing.set_quality(Quality::Skipped);
            nothing.finish()
        }))
    }
}

/// Reads files into units.
#[derive(Clone)]
pub(crate) struct Extractor {
    pub(crate) reader: Arc<FactReader>,
    pub(crate) model: Arc<Classifier>,
}

/// How a file is read.
#[derive(Clone, Copy)]
enum ReadMode<'m> {
    /// By itself, and as a sketch if it is large.
    Alone,
    /// By itself, without its facts where a sketch does.
    Sketch,
    /// With what macros of other files make of it.
    Among(&'m Macros<'m>),
}

impl Extractor {
    /// True when a file is read for more than its name.
    pub(crate) fn wants(&self, path: &str, size: u64) -> bool {
        let language = Language::of_path(path);
        let has_front_end = language.is_some_and(|l| (self.reader.front_ends)(l).is_some());
        size <= largest(language) && (has_front_end || is_configuration(path))
    }

    /// A file as it is now, encoded; `None` when it is gone. Facts of the same content in `before` are used again. Large
    /// files become sketches.
    pub(crate) fn part(
        &self,
        path: &Arc<str>,
        before: &IndexSnapshot,
        builder: &SegmentBuilder,
    ) -> Option<FilePart> {
        self.read(path, before, builder, ReadMode::Alone)
    }

    /// A file of a first index, of which a sketch is enough.
    pub(crate) fn first_part(
        &self,
        path: &Arc<str>,
        before: &IndexSnapshot,
        builder: &SegmentBuilder,
    ) -> Option<FilePart> {
        self.read(path, before, builder, ReadMode::Sketch)
    }

    /// As [`Self::part`], with what macros of other files make of it.
    pub(crate) fn part_among(
        &self,
        path: &Arc<str>,
        before: &IndexSnapshot,
        builder: &SegmentBuilder,
        macros: &Macros<'_>,
    ) -> Option<FilePart> {
        self.read(path, before, builder, ReadMode::Among(macros))
    }

    fn read(
        &self,
        path: &Arc<str>,
        before: &IndexSnapshot,
        builder: &SegmentBuilder,
        how: ReadMode<'_>,
    ) -> Option<FilePart> {
        let full = self.reader.root.join(&**path);
        let language = Language::of_path(path);
        let class = classify(&self.model, path);
        let unit = |meta: &Metadata| Unit {
            entry: FileEntry {
                path: FilePath(path.clone()),
                language,
                source: class.source,
                is_generated: class.is_generated,
                size: meta.len(),
                content_hash: 0,
            },
            stamp: fresh(stamp(meta)),
            facts: None,
            configuration: None,
        };
        let unread = || full.symlink_metadata().ok().filter(Metadata::is_file).as_ref().map(unit);
        if !self.wants(path, 0) {
            return unread().map(|unit| builder.encode(unit));
        }
        match read_up_to(&full, largest(language)) {
            Ok((bytes, meta)) => {
                self.reader.unread.note_file(path, None);
                let mut unit = unit(&meta);
                let Some(bytes) = bytes else { return Some(builder.encode(unit)) };
                unit.entry.content_hash = xxh3_128(&bytes);
                Some(self.encode(unit, &bytes, before, builder, how))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                (self.reader.log)(&format!("cannot read {path}: {error}"));
                let mut unit = unread()?;
                self.reader.unread.note_file(path, Some(&error));
                // Looked at again each time: a change of permissions does not show in the stamp.
                unit.stamp.is_racy = true;
                Some(builder.encode(unit))
            }
        }
    }

    fn encode(
        &self,
        mut unit: Unit,
        bytes: &[u8],
        before: &IndexSnapshot,
        builder: &SegmentBuilder,
        how: ReadMode<'_>,
    ) -> FilePart {
        let Some(text) = decode(bytes) else { return builder.encode(unit) };
        unit.entry.is_generated |= says_generated(&text);
        let path = unit.entry.path.clone();
        if is_configuration(path.as_str()) {
            unit.configuration = Some(text.as_ref().into());
        }
        let known = before.file_by_path(path.as_str()).filter(|id| {
            let row = before.row(*id);
            row.entry.content_hash == unit.entry.content_hash
                && row.entry.language == unit.entry.language
                && row.has_facts
                && !row.is_sketch
        });
        let macros = match how {
            ReadMode::Among(macros) => Some(macros),
            ReadMode::Alone | ReadMode::Sketch => None,
        };
        if let Some(id) = known.filter(|_| macros.is_none()) {
            unit.facts = Some((*before.facts(id)).clone());
            return builder.encode(unit);
        }
        if has_long_lines(bytes) {
            return builder.encode(unit);
        }
        let path = path.as_str();
        let encoded = self.reader.with_front_end(unit.entry.language, path, |front_end| {
            let sketch = || front_end.sketch(path, &text);
            let sketch = match how {
                ReadMode::Sketch => sketch(),
                // When macros change, those of before must be known although the file is another one then.
                ReadMode::Alone if text.len() > LARGE => sketch().filter(|sketch| !sketch.gives_macros()),
                ReadMode::Alone | ReadMode::Among(_) => None,
            };
            if let Some(sketch) = sketch {
                return builder.encode_sketch(unit.clone(), &sketch);
            }
            let facts = Some(Macros::facts(macros, front_end, path, &text));
            builder.encode(Unit { facts, ..unit.clone() })
        });
        encoded.unwrap_or_else(|| builder.encode(unit))
    }
}

/// Whether a file with these bytes is read for its declarations: unless it is too large, or not written by people.
pub fn is_read(language: Language, bytes: &[u8]) -> bool {
    bytes.len() as u64 <= largest(Some(language)) && !has_long_lines(bytes)
}

/// Whether more than half of a file is in lines of more than [`MAX_LINE`] bytes.
pub(crate) fn has_long_lines(mut rest: &[u8]) -> bool {
    let half = rest.len() / 2;
    let mut long = 0;
    while rest.len() > MAX_LINE {
        let (near, far) = rest.split_at(MAX_LINE + 1);
        if let Some(end) = memchr::memrchr(b'\n', near) {
            rest = &rest[end + 1..];
            continue;
        }
        let end = near.len() + memchr::memchr(b'\n', far).unwrap_or(far.len());
        long += end;
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    long > half
}

/// The bytes of a file, and the metadata from just before they were read: a change in between shows later.
pub(crate) fn read(path: &Path) -> std::io::Result<(Vec<u8>, Metadata)> {
    let (bytes, meta) = read_up_to(path, MAX_TEXT_BYTES)?;
    Ok((bytes.ok_or(ErrorKind::FileTooLarge)?, meta))
}

/// The first bytes of a file, as many as tell whether it is a text.
pub(crate) fn read_head(path: &Path) -> std::io::Result<(Vec<u8>, Metadata)> {
    let (file, meta) = open(path)?;
    let mut bytes = Vec::with_capacity(SNIFFED);
    file.take(SNIFFED as u64).read_to_end(&mut bytes)?;
    Ok((bytes, meta))
}

/// [`read`], but for the bytes of a file of more than `most`.
fn read_up_to(path: &Path, most: u64) -> std::io::Result<(Option<Vec<u8>>, Metadata)> {
    let (file, meta) = open(path)?;
    if meta.len() > most {
        return Ok((None, meta));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0) + 1);
    if read_once(&file, &mut bytes)? != meta.len() {
        // One that grows while it is read is bounded too.
        file.take(most.saturating_add(1).saturating_sub(bytes.len() as u64)).read_to_end(&mut bytes)?;
    }
    Ok(((bytes.len() as u64 <= most).then_some(bytes), meta))
}

/// A path that exists and is not a regular file counts as not found.
fn open(path: &Path) -> std::io::Result<(File, Metadata)> {
    open_real(path).map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => ErrorKind::NotFound.into(),
        _ => error,
    })
}

/// Reads what fits with one call, and says how much it was: all, when it is as much as the file has and there was room for
/// more.
#[cfg(target_os = "linux")]
pub(crate) fn read_once(file: &File, bytes: &mut Vec<u8>) -> std::io::Result<u64> {
    match rustix::io::read(file, spare_capacity(bytes)) {
        Err(Errno::INTR) => Ok(0),
        read => Ok(read? as u64),
    }
}

/// Leaves it to who asks.
#[cfg(not(target_os = "linux"))]
pub(crate) fn read_once(_file: &File, _bytes: &mut Vec<u8>) -> std::io::Result<u64> {
    Ok(0)
}

/// Marks a stamp as racy when the file was written just now.
pub(crate) fn fresh(mut stamp: Stamp) -> Stamp {
    stamp.is_racy = stamp.mtime_ns.max(stamp.ctime_ns) > now_ns() - RACY_NS;
    stamp
}

/// Nanoseconds since the epoch.
pub(crate) fn now_ns() -> i64 {
    #[expect(clippy::disallowed_methods, reason = "file times are compared with the wall clock")]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE, has_long_lines};

    #[test]
    fn only_lines_beyond_the_limit_are_long() {
        let lines = |lens: &[usize]| lens.iter().map(|len| "x".repeat(*len)).collect::<Vec<_>>().join("\n");
        let (short, long) = (MAX_LINE, MAX_LINE + 1);
        for (lens, expected) in [
            (&[][..], false),
            (&[short], false),
            (&[long], true),
            (&[short, short, 0], false),
            (&[long, 0], true),
            (&[5, short, long], false),
            (&[5, long, 10], true),
            (&[short, long, long, 0], true),
            (&[short, short, short, 2 * long], false),
        ] {
            assert_eq!(has_long_lines(lines(lens).as_bytes()), expected, "{lens:?}");
        }
    }
}
