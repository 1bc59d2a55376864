//! Fixtures: a source text, a line of `=`, and its facts as [`crate::render`] writes them. And what must hold for any
//! text.

use ide_model::Language;
use proptest::prelude::*;

use super::{TABLES, front_end};
use crate::facts::{FileFacts, Quality};
use crate::{compare, render};

const FIXTURES: &[(&str, &str)] = &[
    ("A.java", include_str!("fixtures/java.txt")),
    ("a.kt", include_str!("fixtures/kotlin.txt")),
    ("a.py", include_str!("fixtures/python.txt")),
    ("a.js", include_str!("fixtures/javascript.txt")),
    ("a.ts", include_str!("fixtures/typescript.txt")),
    ("a.tsx", include_str!("fixtures/tsx.txt")),
    ("a.go", include_str!("fixtures/go.txt")),
    ("a.php", include_str!("fixtures/php.txt")),
    ("a.rs", include_str!("fixtures/rust.txt")),
    ("a.c", include_str!("fixtures/c.txt")),
    ("a.cpp", include_str!("fixtures/cpp.txt")),
    ("a.cs", include_str!("fixtures/csharp.txt")),
    ("a.rb", include_str!("fixtures/ruby.txt")),
    ("a.swift", include_str!("fixtures/swift.txt")),
    ("a.scala", include_str!("fixtures/scala.txt")),
    ("a.sh", include_str!("fixtures/shell.txt")),
];

const RULER: &str = "\n=====\n";

fn facts(path: &str, text: &str) -> FileFacts {
    let language = Language::of_path(path).unwrap();
    front_end(language).unwrap().facts(path, text)
}

#[test]
fn fixtures_give_the_facts_written_below_them() {
    for (path, fixture) in FIXTURES {
        let (source, want) = fixture.split_once(RULER).unwrap();
        let have = facts(path, source);
        assert_eq!(have.errors, [], "{path}");
        assert_eq!(have.quality, Quality::Names, "{path}");
        assert_eq!(render(&have), want, "{path}");
        let again = compare(&have, &have);
        assert_eq!((again.equal, again.count()), (again.facts, 0), "{path}");
    }
}

#[test]
fn every_table_has_a_fixture() {
    for table in TABLES {
        assert!(
            FIXTURES.iter().any(|(path, _)| Language::of_path(path) == Some(table.language)),
            "{} has none",
            table.language.name()
        );
    }
}

fn assert_sound(facts: &FileFacts, text: &str) {
    let inside = |start: u32, end: u32| {
        start <= end && text.is_char_boundary(start as usize) && text.is_char_boundary(end as usize)
    };
    for def in &facts.defs {
        assert!(inside(def.name_range.start, def.name_range.end) && inside(def.range.start, def.range.end));
    }
    for reference in &facts.refs {
        assert!(inside(reference.range.start, reference.range.end));
        assert!(!reference.range.is_empty());
    }
    for scope in &facts.scopes {
        assert!(scope.range.end as usize <= text.len());
    }
}

#[test]
fn a_broken_file_keeps_most_of_its_facts_and_says_so() {
    let source = FIXTURES[0].1.split_once(RULER).unwrap().0;
    let broken = source.replacen("(String each : lines)", "(String each : lines", 1);
    let have = facts("A.java", &broken);
    assert_eq!(have.quality, Quality::Damaged);
    assert!(!have.errors.is_empty());
    let whole = facts("A.java", source);
    assert!(have.refs.len() * 10 > whole.refs.len() * 9);
}

#[test]
fn deep_nesting_neither_overflows_nor_takes_long() {
    for (path, open, close, times) in [
        ("a.js", "[", "]", 100_000),
        ("a.py", "(", ")", 20_000),
        ("A.java", "class A {", "}", 5_000),
        ("a.rs", "mod a {", "}", 5_000),
        ("a.kt", "{", "", 1_000),
        ("a.go", "func(){", "", 1_000),
    ] {
        let text = open.repeat(times) + &close.repeat(times);
        assert_sound(&facts(path, &text), &text);
    }
}

#[test]
fn quotes_without_a_name_are_a_reference_of_some_length() {
    for (path, text) in [
        ("a.go", "package a\nimport \""),
        ("a.go", "package a\nimport \"\""),
        ("a.c", "#include \"\"\n"),
        ("a.js", "import ''"),
    ] {
        assert_sound(&facts(path, text), text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_gives_sound_facts(text in "\\PC{0,60}", table in 0..TABLES.len()) {
        let front = TABLES[table].language;
        assert_sound(&front_end(front).unwrap().facts("", &text), &text);
    }

    #[test]
    fn cut_and_spliced_sources_give_sound_facts(
        fixture in 0..FIXTURES.len(),
        cut in 0.0..1.0f64,
        len in 0usize..20,
        splice in "[(){}\\[\\]<>;:.,=\"'`@#é \n]{0,6}",
    ) {
        let (path, fixture) = FIXTURES[fixture];
        let source = fixture.split_once(RULER).unwrap().0;
        let boundary = |mut i: usize| {
            i = i.min(source.len());
            while !source.is_char_boundary(i) {
                i -= 1;
            }
            i
        };
        let from = boundary((source.len() as f64 * cut) as usize);
        let to = boundary(from + len);
        let text = format!("{}{splice}{}", &source[..from], &source[to.max(from)..]);
        assert_sound(&facts(path, &text), &text);
    }
}
