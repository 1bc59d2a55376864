//! Macros of other files: an index that was edited step by step equals one that was built at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_index::{
    FileEntry, FileId, FilePart, IndexSnapshot, Macros, MemoryWorld, SegmentBuilder, Stamp, Unit, World,
    encode, lang,
};
use ide_model::{FilePath, Language, SourceKind};
use proptest::prelude::*;

const BUILD: u64 = 42;
const PATHS: &[&str] =
    &["src/lib.rs", "src/a.rs", "src/b/mod.rs", "src/b/c.rs", "tests/t.rs", "other/src/lib.rs"];
const TEXTS: &[&str] = &[
    "",
    "macro_rules! made { ($n:ident) => { pub struct $n; helped!($n); } }",
    "#[macro_export] macro_rules! made { ($n:ident) => { pub fn $n() {} } }",
    "macro_rules! helped { ($n:ident) => { impl $n { fn help(&self) {} } } }",
    "macro_rules! helped { ($n:ident) => { again! { macro_rules! made { () => {} } } } }",
    "made!(One); fn f(one: One) { one.help(); helped!(two); }",
    "use crate::other::made; made!(Two);",
    "other::made!(three); crate::made!(Four);",
    "again! { macro_rules! made { ($n:ident) => { pub enum $n {} } } } macro_rules! again { ($($t:tt)*) => { $($t)* } }",
];

type Files = BTreeMap<&'static str, &'static str>;

fn unit(path: &str, text: &str, macros: Option<&Macros<'_>>) -> Unit {
    let front_end = lang::front_end(Language::Rust).expect("there is one");
    let facts = Macros::facts(macros, front_end, path, text);
    Unit {
        entry: FileEntry {
            path: FilePath::new(path),
            language: Some(Language::Rust),
            source: SourceKind::Production,
            is_generated: false,
            size: text.len() as u64,
            content_hash: u128::from(text.len() as u64) + 1,
        },
        stamp: Stamp::default(),
        facts: Some(facts),
        configuration: None,
    }
}

fn changed(
    index: &IndexSnapshot,
    files: &Files,
    changed: &[&'static str],
    removed: &[Arc<str>],
) -> IndexSnapshot {
    let read = |path: &&'static str, b: &SegmentBuilder| Some(b.encode(unit(path, files[path], None)));
    let again = |path: &Arc<str>, b: &SegmentBuilder, macros: &Macros<'_>| -> Option<FilePart> {
        Some(b.encode(unit(path, files.get(&**path)?, Some(macros))))
    };
    index.changed(changed, removed, read, again).expect("small").0
}

fn built(files: &Files) -> IndexSnapshot {
    let paths: Vec<&'static str> = files.keys().copied().collect();
    changed(&IndexSnapshot::new("/p", [], BUILD, Arc::default(), None, 1), files, &paths, &[])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn editing_step_by_step_equals_building_at_once(
        start in proptest::collection::vec((0..PATHS.len(), 0..TEXTS.len()), 0..8),
        batches in proptest::collection::vec(
            proptest::collection::vec((0..PATHS.len(), proptest::option::of(0..TEXTS.len())), 1..3),
            0..10,
        ),
    ) {
        let mut files: Files = start.into_iter().map(|(p, t)| (PATHS[p], TEXTS[t])).collect();
        let mut index = built(&files);
        for batch in batches {
            let (mut edited, mut removed) = (Vec::new(), Vec::new());
            for (p, text) in batch.into_iter().collect::<BTreeMap<_, _>>() {
                match text {
                    Some(t) => {
                        files.insert(PATHS[p], TEXTS[t]);
                        edited.push(PATHS[p]);
                    }
                    None => {
                        files.remove(PATHS[p]);
                        removed.push(PATHS[p].into());
                    }
                }
            }
            index = changed(&index, &files, &edited, &removed);
        }
        let texts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let memory = MemoryWorld::new(texts, lang::front_end);
        for id in (0..memory.file_count()).map(FileId) {
            prop_assert!(encode(&index.facts(id)) == encode(&memory.facts(id)), "{}", memory.file(id).path.as_str());
        }
        let bytes = |index: &IndexSnapshot| index.merged().expect("small").into_bytes();
        prop_assert!(bytes(&index) == bytes(&built(&files)), "the history shows in the bytes");
    }
}
