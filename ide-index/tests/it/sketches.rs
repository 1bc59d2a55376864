//! A sketch of a file says of its declarations and names what its facts say.

#![expect(clippy::disallowed_methods, reason = "reads the fixtures")]

use std::sync::Arc;

use ide_index::lang;
use ide_model::Language;
use rustc_hash::FxHashMap;
use test_fixture::Fixture;

use crate::fixture_files;

/// Every file of every fixture, as it is and with one character of punctuation taken out.
#[test]
fn a_sketch_agrees_with_the_facts() {
    let (mut sketched, mut saved) = (0, FxHashMap::<Language, usize>::default());
    let mut failed = Vec::new();
    for fixture in fixture_files() {
        let source = std::fs::read_to_string(&fixture).unwrap();
        for file in Fixture::parse(&source).files() {
            let Some(language) = Language::of_path(&file.path) else { continue };
            let Some(front_end) = lang::front_end(language) else { continue };
            let path: Arc<str> = file.path.as_str().into();
            for text in std::iter::once(file.text.clone()).chain(damaged(&file.text)) {
                let Some(sketch) = front_end.sketch(&path, &text) else { continue };
                let facts = front_end.facts(&path, &text);
                sketched += 1;
                *saved.entry(language).or_default() += facts.refs.len() - sketch.facts().refs.len();
                if let Err(why) = sketch.agrees_with(&path, &facts) {
                    failed.push(format!("{} {path}: {why}", fixture.display()));
                    break;
                }
            }
        }
    }
    assert!(sketched > 1000, "{sketched} sketches were compared");
    use Language::{Go, Java, JavaScript, Kotlin, Php, Python, Rust, TypeScript};
    for language in [Go, Java, JavaScript, Kotlin, Php, Python, Rust, TypeScript] {
        assert!(
            saved.get(&language).is_some_and(|saved| *saved > 0),
            "bodies of {language:?} are stepped over"
        );
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The text without one of its characters of punctuation, for some of these.
fn damaged(text: &str) -> Vec<String> {
    let places: Vec<usize> = text
        .bytes()
        .enumerate()
        .filter(|(_, b)| b.is_ascii_punctuation() && *b != b'_')
        .map(|(i, _)| i)
        .collect();
    let step = places.len() / 16 + 1;
    places.iter().step_by(step).map(|at| format!("{}{}", &text[..*at], &text[at + 1..])).collect()
}
