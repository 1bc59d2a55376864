//! The law of the store: an index that was edited step by step equals one that was built at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_index::query::Resolvers;
use ide_index::{
    FileId, FrontEnd, GlobalRef, IndexSnapshot, MemoryWorld, RefId, Segment, SegmentBuilder, Unit, World,
    lang,
};
use ide_model::{Family, Language};
use proptest::prelude::*;

use crate::toy::{Toy, unit};

const BUILD: u64 = 42;
const PATHS: &[&str] = &[
    "a.java",
    "a/b.java",
    "a/b/c.kt",
    "a-b.java",
    "a/b.py",
    "go.mod",
    "b/go.mod",
    "README.txt",
    "z/é.py",
    "z/ü/x.ts",
];
const TEXTS: &[&str] = &[
    "",
    "package p class A { def f g h }",
    "package p class B { A f }",
    "package q.r def f def f class Ää { x }",
    "A B f g zz9",
];

fn open(bytes: Vec<u8>) -> Arc<Segment> {
    Arc::new(Segment::open(Arc::new(bytes), BUILD).expect("just built"))
}

fn build(files: &BTreeMap<&'static str, &'static str>) -> Vec<u8> {
    let inputs: Vec<_> = files.iter().rev().collect();
    SegmentBuilder::build(&inputs, &[], BUILD, |(path, text), b| Some(b.encode(unit(path, text, 1))))
        .expect("small")
}

fn snapshot(bytes: Vec<u8>) -> IndexSnapshot {
    IndexSnapshot::new("/p", [open(bytes)], BUILD, Arc::default(), None, 1)
}

fn memory(files: &BTreeMap<&'static str, &'static str>) -> MemoryWorld {
    let texts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    MemoryWorld::new(texts, |language| Language::is_resolved(language).then_some(&Toy as &dyn FrontEnd))
}

/// Asks both worlds everything that the trait offers.
fn assert_same(index: &IndexSnapshot, memory: &MemoryWorld) {
    assert_eq!(index.file_count(), memory.file_count());
    for id in (0..memory.file_count()).map(FileId) {
        let path = memory.file(id).path.as_str();
        assert_eq!(index.file(id).path.as_str(), path);
        assert_eq!(index.file_by_path(path), Some(id));
        assert_eq!(index.configuration(path), memory.configuration(path));
        let (mut ours, theirs) = ((*index.facts(id)).clone(), memory.facts(id));
        ours.quality = theirs.quality;
        assert_eq!(ours, *theirs, "{path}");
    }
    assert_eq!(index.configurations(), memory.configurations());
    for name in ["A", "B", "f", "g", "Ää", "zz9", "p", "nowhere"] {
        assert_eq!(index.files_mentioning(name), memory.files_mentioning(name), "{name}");
        assert_eq!(index.declarations(name), memory.declarations(name), "{name}");
    }
    for package in ["p", "q.r", "none"] {
        for family in [Family::Jvm, Family::Python] {
            assert_eq!(index.files_of_package(family, package), memory.files_of_package(family, package));
        }
    }
    for directory in ["", "a", "a/b", "b", "z", "z/ü", "nowhere"] {
        let ours = index.directory(directory).map(|d| (d.files, d.directories));
        let theirs = memory.directory(directory).map(|d| (d.files, d.directories));
        assert_eq!(ours, theirs, "{directory}");
    }
    assert!(!index.is_damaged());
}

#[test]
fn a_fresh_index_says_what_the_files_say() {
    let files: BTreeMap<_, _> = PATHS.iter().zip(TEXTS.iter().cycle()).map(|(p, t)| (*p, *t)).collect();
    assert_same(&snapshot(build(&files)), &memory(&files));
    assert_same(&snapshot(build(&BTreeMap::new())), &memory(&BTreeMap::new()));
}

#[test]
fn damaged_bytes_are_refused() {
    let files = BTreeMap::from([("a.java", TEXTS[1]), ("go.mod", "module m")]);
    let good = build(&files);
    assert!(Segment::open(Arc::new(good.clone()), BUILD + 1).is_err(), "another build");
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x10;
        let is_refused = match Segment::open(Arc::new(bad), BUILD) {
            Ok(segment) => (0..2).any(|file| segment.facts(file).is_err()),
            Err(_) => true,
        };
        assert!(is_refused, "byte {at}");
        assert!(Segment::open(Arc::new(good[..at].to_vec()), BUILD).is_err(), "cut at {at}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn editing_step_by_step_equals_building_at_once(
        start in proptest::collection::vec((0..PATHS.len(), 0..TEXTS.len()), 0..8),
        batches in proptest::collection::vec(
            (
                proptest::collection::vec((0..PATHS.len(), proptest::option::of(0..TEXTS.len())), 1..4),
                // Merged after this change, and for how many changes that takes.
                proptest::option::of(0..4_usize),
            ),
            0..24,
        ),
    ) {
        let mut files: BTreeMap<_, _> = start.into_iter().map(|(p, t)| (PATHS[p], TEXTS[t])).collect();
        let mut index = snapshot(build(&files));
        let mut thins = Vec::new();
        for (step, (batch, merge)) in batches.into_iter().enumerate() {
            let (mut changed, mut removed) = (Vec::new(), Vec::new());
            for (p, text) in batch.into_iter().collect::<BTreeMap<_, _>>() {
                match text {
                    Some(t) => {
                        files.insert(PATHS[p], TEXTS[t]);
                        changed.push((PATHS[p], TEXTS[t]));
                    }
                    None => {
                        files.remove(PATHS[p]);
                        removed.push(PATHS[p].into());
                    }
                }
            }
            let before = index.generation();
            index = index.changed(&changed, &removed, |(path, text), b| Some(b.encode(unit(path, text, 1))), |_, _, _| None).unwrap().0;
            prop_assert!(index.generation() > before);
            thins.extend(merge.map(|takes| (step + takes, index.thin().unwrap())));
            for (_, thin) in thins.extract_if(.., |(at, _)| *at <= step) {
                index = thin.map_or(index.clone(), |thin| index.with_thin(&thin));
            }
            prop_assert!(index.segments().len() <= 16, "layers are merged as they come");
        }
        assert_same(&index, &memory(&files));
        let merged = index.merged().unwrap().into_bytes();
        prop_assert!(merged == build(&files), "the history shows in the bytes");
        assert_same(&index.rebased(index.open_segment(Arc::new(merged)).unwrap()), &memory(&files));
    }
}

/// Rust files, and what each change writes or takes away.
const IMPLEMENTING: [&[(&str, Option<&str>)]; 12] = [
    &[
        ("Cargo.toml", Some("[package]\nname = \"p\"")),
        (
            "src/lib.rs",
            Some("mod a; use a::{T, Tr}; fn f(t: T, u: &u8) { t.go(); t.way(); u.way(); t.later(); }"),
        ),
        ("src/a.rs", Some("pub struct T; pub trait Tr { fn way(&self) {} }")),
        (
            "src/other.rs",
            Some("use crate::a::{T as U, Tr}; impl Tr for U {} fn g() { impl T { fn hid(&self) {} } }"),
        ),
    ],
    &[("src/a.rs", Some("pub struct T; impl T { pub fn go(&self) {} } pub trait Tr { fn way(&self) {} }"))],
    &[(
        "src/a.rs",
        Some("pub struct S; pub struct T; impl T { pub fn go(&self) {} } pub trait Tr { fn way(&self); }"),
    )],
    &[(
        "src/lib.rs",
        Some("mod a; #[path = \"other.rs\"] mod b; use a::{T, Tr}; fn f(t: T) { t.way(); t.hid(); t.go(); }"),
    )],
    &[(
        "src/c.rs",
        Some(
            "use crate::a::*; type V = T; impl V { pub fn later(&self) { self.go(); } } impl<X> Tr for X {}",
        ),
    )],
    &[(
        "src/lib.rs",
        Some("mod a; mod c { pub mod d {} } mod b; use a::*; fn f(t: T, u: &u8) { t.later(); u.way(); }"),
    )],
    &[
        (
            "src/lib.rs",
            Some(
                "mod a; mod c; mod other; use a::*; fn f(t: T, u: &u8) { t.later(); t.way(); u.way(); t.hid(); }",
            ),
        ),
        (
            "src/b.rs",
            Some("macro_rules! m { ($t:ty) => { impl $t { fn go(&self) {} } } } m!(super::T); m!(u8);"),
        ),
    ],
    &[("src/other.rs", None)],
    &[
        ("src/c.rs", Some("include!(\"d.rs\"); pub fn now() { later(); V::hid(); }")),
        ("src/d.rs", Some("use crate::a::T; pub type V = T; fn later() { now(); } mod e;")),
        ("src/e.rs", Some("impl super::V { pub fn hid() { super::later(); } }")),
    ],
    &[(
        "src/d.rs",
        Some("use crate::a::U; include!(\"f.rs\"); pub type V = U; pub mod e { impl U { fn hid() {} } }"),
    )],
    &[("src/f.rs", Some("fn later() { now(); V::hid(); }"))],
    &[("src/f.rs", None), ("src/c.rs", Some("mod d; pub fn now() { later(); d::V::hid(); }"))],
];

/// The meanings of every name of every file.
fn meanings(world: Arc<dyn World>) -> Vec<String> {
    let pool = Resolvers::new(world.clone());
    let files = (0..world.file_count()).map(FileId);
    let of_file = |file| {
        let refs = world.facts(file).refs.len() as u32;
        pool.with(|rx| {
            let at = |reference| GlobalRef { file, reference };
            (0..refs).map(|id| format!("{file:?} {id} {:?}", rx.resolve(at(RefId(id))).resolution)).collect()
        })
    };
    files.flat_map(|file| -> Vec<String> { of_file(file) }).collect()
}

#[test]
fn implementations_and_modules_are_those_of_the_files_after_every_change() {
    let encode = |(path, text): &(&str, &str), b: &SegmentBuilder| {
        let facts = Language::of_path(path)
            .and_then(lang::front_end)
            .filter(|_| path.ends_with(".rs"))
            .map(|front_end| front_end.facts(path, text));
        Some(b.encode(Unit { facts, ..unit(path, text, 1) }))
    };
    let mut files: BTreeMap<&str, &str> = BTreeMap::new();
    let mut index = IndexSnapshot::new("/p", [], BUILD, Arc::default(), None, 1);
    for change in IMPLEMENTING {
        let (mut written, mut removed) = (Vec::new(), Vec::new());
        for (path, text) in change {
            match text {
                Some(text) => {
                    written.push((*path, *text));
                    files.insert(path, text);
                }
                None => {
                    removed.push(Arc::from(*path));
                    files.remove(path);
                }
            }
        }
        index = index.changed(&written, &removed, encode, |_, _, _| None).unwrap().0;
        let texts = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
        let memory = Arc::new(MemoryWorld::new(texts, lang::front_end));
        for name in ["T", "Tr", "U", "V", "go", "way", "hid", "later", "u8"] {
            assert_eq!(index.impl_sites(name), memory.impl_sites(name), "{name}");
        }
        for id in (0..memory.file_count()).map(FileId) {
            assert_eq!(index.declared_modules(id), memory.declared_modules(id));
            assert_eq!(index.other_names(id), memory.other_names(id));
        }
        assert_eq!(meanings(Arc::new(index.clone())), meanings(memory));
        let merged = index.merged().unwrap().into_bytes();
        let inputs: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, *text)).collect();
        assert!(merged == SegmentBuilder::build(&inputs, &[], BUILD, encode).unwrap());
    }
}
