//! The bytes and texts that the index reads.

use std::ops::Range;
use std::sync::Arc;

use ide_index::query::{Resolvers, declaration, definition_at, symbol};
use ide_index::{
    FileEntry, FileFacts, FileId, IndexSnapshot, KeptWriter, Segment, SegmentBuilder, Stamp, Unit, World,
    class_facts, decode, encode, journal_record, journal_records, lang,
};
use ide_model::{FilePath, SourceKind, SymbolKey, TextRange};
use xxhash_rust::xxh3::xxh3_64;

use crate::damage::{Damage, SourceFile};

const BUILD: u64 = 7;

/// Spans lie inside the text and on characters.
fn check_spans(text: &str, facts: &FileFacts) {
    let inside = |range: TextRange| text.get(range.start as usize..range.end as usize).is_some();
    for def in &facts.defs {
        assert!(inside(def.name_range) && inside(def.range), "{def:?}");
    }
    for reference in &facts.refs {
        assert!(inside(reference.range), "{reference:?}");
    }
    for scope in &facts.scopes {
        assert!(inside(scope.range), "{scope:?}");
    }
}

fn facts_of(file: &SourceFile<'_>) -> Option<FileFacts> {
    lang::front_end(file.language).map(|front| front.facts(&file.path, &file.text))
}

/// Every front end reads every text to its end; what it says can be written and read, and a sketch says no other.
pub(crate) fn front_end(input: &[u8]) {
    let file = SourceFile::read(input);
    let fronts = [lang::own_front_end(file.language), lang::table_front_end(file.language)];
    for front in fronts.into_iter().flatten() {
        let facts = front.facts(&file.path, &file.text);
        check_spans(&file.text, &facts);
        if let Some(sketch) = front.sketch(&file.path, &file.text) {
            let agrees = sketch.agrees_with(&file.path.as_str().into(), &facts);
            agrees.expect("a sketch says of the outside of functions what the facts say");
        }
        let bytes = encode(&facts);
        let again = decode(&bytes).expect("written facts can be read");
        assert_eq!(encode(&again), bytes);
    }
}

/// Damaged facts are refused or are facts.
pub(crate) fn facts(input: &[u8]) {
    let damage = Damage::read(input);
    if let Ok(read) = decode(damage.source) {
        decode(&encode(&read)).expect("facts that were read can be written");
    }
    let Some(facts) = facts_of(&SourceFile::read(damage.source)) else { return };
    let mut bytes = encode(&facts);
    damage.apply(&mut bytes);
    if let Ok(read) = decode(&bytes) {
        decode(&encode(&read)).expect("facts that were read can be written");
    }
}

fn unit(path: &str, file: &SourceFile<'_>) -> Unit {
    Unit {
        entry: FileEntry {
            path: FilePath::new(path),
            language: Some(file.language),
            source: SourceKind::Other,
            is_generated: false,
            size: file.text.len() as u64,
            content_hash: 0,
        },
        stamp: Stamp::default(),
        facts: facts_of(file),
        configuration: None,
    }
}

/// A segment of two files, one of which has no facts.
fn segment_of(source: &[u8]) -> Vec<u8> {
    let file = SourceFile::read(source);
    let plain = Unit { facts: None, ..unit("go.mod", &file) };
    let plain = Unit { configuration: Some("module m\n".into()), ..plain };
    let units = [unit(&file.path, &file), plain];
    SegmentBuilder::build(&units, &["gone".into()], BUILD, |unit, builder| Some(builder.encode(unit.clone())))
        .expect("two files are not too large")
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().expect("eight bytes")))
}

/// Makes every checksum right again. The first section begins where the header ends; its table has a place, a length and
/// a sum for each section, from the fifth word on.
fn seal(bytes: &mut [u8], header: usize) {
    for at in (32..header - 8).step_by(24) {
        let place = word(bytes, at).zip(word(bytes, at + 8));
        let range: Option<Range<usize>> = place.and_then(|(start, len)| {
            let start = usize::try_from(start).ok()?;
            Some(start..start.checked_add(usize::try_from(len).ok()?)?)
        });
        let sum = range.and_then(|range| bytes.get(range)).map(xxh3_64);
        if let (Some(sum), Some(place)) = (sum, bytes.get_mut(at + 16..at + 24)) {
            place.copy_from_slice(&sum.to_le_bytes());
        }
    }
    let sum = xxh3_64(&bytes[..header - 8]);
    bytes[header - 8..header].copy_from_slice(&sum.to_le_bytes());
}

/// Everything that can be asked of a segment.
fn walk(segment: Arc<Segment>) {
    let mut names = vec!["a".to_owned(), "m".to_owned()];
    for file in 0..segment.rows().len() {
        let file = u32::try_from(file).expect("few files");
        if let Ok(Some(facts)) = segment.facts(file) {
            decode(&encode(&facts)).expect("facts that were read can be written");
            names.extend(facts.names.iter().take(50).map(str::to_owned));
        }
    }
    let snapshot = IndexSnapshot::new("/p", [segment], BUILD, Arc::default(), None, 0);
    for name in &names {
        let files = snapshot.file_count();
        assert!(snapshot.files_mentioning(name).iter().all(|id| id.0 < files));
        for site in snapshot.declarations(name) {
            assert!(site.at.file.0 < files);
        }
    }
    for id in (0..snapshot.file_count()).map(FileId) {
        let entry = snapshot.file(id);
        assert_eq!(snapshot.file_by_path(entry.path.as_str()), Some(id));
        if let Some(language) = entry.language {
            drop(snapshot.files_of_package(language.family(), "m"));
        }
        drop(snapshot.facts(id));
    }
    for path in snapshot.configurations() {
        assert!(snapshot.configuration(&path).is_some());
    }
    drop(snapshot.directory(""));
    if let Ok(merged) = snapshot.merged() {
        drop(snapshot.open_segment(Arc::new(merged.into_bytes())));
    }
}

/// A segment whose checksums are right and whose content is not: refused, or readable without a panic.
pub(crate) fn segment(input: &[u8]) {
    let damage = Damage::read(input);
    drop(Segment::open(Arc::new(damage.source.to_vec()), BUILD));
    let mut bytes = segment_of(damage.source);
    let header = usize::try_from(word(&bytes, 32).expect("a header")).expect("small");
    damage.apply(&mut bytes);
    seal(&mut bytes, header);
    if let Ok(segment) = Segment::open(Arc::new(bytes), BUILD) {
        walk(Arc::new(segment));
    }
}

/// Facts beside a segment, whose checksum is right and whose content is not: refused, or readable without a panic.
pub(crate) fn kept(input: &[u8]) {
    let damage = Damage::read(input);
    let file = SourceFile::read(damage.source);
    let Some(front) = lang::front_end(file.language) else { return };
    let Some(sketch) = front.sketch(&file.path, &file.text) else { return };
    let build = || {
        let units = [Unit { facts: None, ..unit(&file.path, &file) }];
        let encode =
            |unit: &Unit, builder: &SegmentBuilder| Some(builder.encode_sketch(unit.clone(), &sketch));
        let bytes = SegmentBuilder::build(&units, &[], BUILD, encode).expect("a file is not too large");
        Arc::new(Segment::open(Arc::new(bytes), BUILD).expect("just built"))
    };
    let facts = front.facts(&file.path, &file.text);
    let segment = build();
    let mut kept = KeptWriter::new(&segment, Vec::new()).expect("just built");
    kept.put(Some(&facts)).expect("memory takes everything");
    let mut bytes = kept.finish().expect("memory takes everything");
    segment.keep_facts(Arc::new(bytes.clone())).expect("just written");
    let read = segment.facts(0).expect("just written").expect("a file with facts");
    assert_eq!(encode(&read), encode(&facts));
    damage.apply(&mut bytes);
    // The last word is the checksum of the tables, which begin where the word before says.
    let end = bytes.len() - 8;
    let tables = word(&bytes, end - 8).and_then(|at| usize::try_from(at).ok());
    if let Some(sum) = tables.and_then(|at| bytes.get(at..end)).map(xxh3_64) {
        bytes[end..].copy_from_slice(&sum.to_le_bytes());
    }
    let segment = build();
    if segment.keep_facts(Arc::new(bytes)).is_ok() {
        walk(segment);
    }
}

/// A damaged journal gives the records before the damage, unchanged.
pub(crate) fn journal(input: &[u8]) {
    let damage = Damage::read(input);
    let (_, kept) = journal_records(damage.source, BUILD);
    assert!(kept <= damage.source.len());
    let segment = Segment::open(Arc::new(segment_of(damage.source)), BUILD).expect("just built");
    let record = journal_record(&segment).expect("small");
    let mut bytes = [&*record, &*record, &*record].concat();
    damage.apply(&mut bytes);
    let (segments, kept) = journal_records(&bytes, BUILD);
    assert_eq!(kept, segments.len() * record.len());
    for (read, _) in segments.iter().zip(0..) {
        assert_eq!(read.bytes(), segment.bytes(), "a record that passed is whole");
    }
}

/// Every reference of any text is looked up without a panic and in time.
pub(crate) fn resolve(input: &[u8]) {
    let file = SourceFile::read(input);
    if file.text.len() > 4096 {
        return;
    }
    let bytes = segment_of(input);
    let segment = Segment::open(Arc::new(bytes), BUILD).expect("just built");
    let snapshot = IndexSnapshot::new("/p", [Arc::new(segment)], BUILD, Arc::default(), None, 0);
    let world: Arc<dyn World> = Arc::new(snapshot);
    let Some(id) = world.file_by_path(&file.path) else { return };
    let facts = world.facts(id);
    let pool = Resolvers::new(world);
    pool.with(|rx| {
        let of_refs = facts.refs.iter().map(|reference| reference.range.start);
        let of_defs = facts.defs.iter().map(|def| def.name_range.start);
        for offset in of_refs.chain(of_defs) {
            if let Ok(resolution) = definition_at(rx, id, offset) {
                for def in resolution.defs() {
                    // of this file or of a bundled library: there it is, in either
                    std::hint::black_box(rx.def_name(def));
                }
            }
        }
    });
}

/// The key of a symbol, of a client's making, leads to a declaration of the index or nowhere.
pub(crate) fn symbol_key(input: &[u8]) {
    const SOURCE: &[u8] =
        b"\0package p; class A { int f; void m(int x) { class L {} } class B<T> { void m() {} } }";
    let Ok(text) = std::str::from_utf8(input) else { return };
    let segment = Segment::open(Arc::new(segment_of(SOURCE)), BUILD).expect("just built");
    let snapshot = IndexSnapshot::new("/p", [Arc::new(segment)], BUILD, Arc::default(), None, 0);
    let pool = Resolvers::new(Arc::new(snapshot));
    pool.with(|rx| {
        if let Ok((file, Some(def))) = declaration(rx, &SymbolKey(text.into())) {
            assert_eq!(def.file, file);
            let again = symbol(rx, def).key;
            assert_eq!(declaration(rx, &again), Ok((file, Some(def))));
        }
    });
}

/// Compiled classes, which others wrote.
pub(crate) fn class_file(input: &[u8]) {
    let (cut, bytes) = input.split_first().unwrap_or((&0, &[]));
    let (first, second) = bytes.split_at((usize::from(*cut) * 16).min(bytes.len()));
    for classes in [&[bytes][..], &[first, second]] {
        if let Ok(facts) = class_facts(classes) {
            decode(&encode(&facts)).expect("facts can be written and read");
        }
    }
}
