//! A sketch of a file says of its declarations and names what its facts say.

#![expect(clippy::disallowed_methods, reason = "reads the fixtures")]

use std::sync::Arc;

use ide_index::lang;
use ide_model::Language;
use test_fixture::Fixture;

use crate::fixtures::fixture_files;

/// Every file of every fixture, as it is and with one character of punctuation taken out.
#[test]
fn a_sketch_agrees_with_the_facts() {
    let (mut sketched, mut saved) = (0, 0);
    let mut failed = Vec::new();
    for fixture in fixture_files() {
        let source = std::fs::read_to_string(&fixture).unwrap();
        for file in Fixture::parse(&source).files() {
            let Some(front_end) = Language::of_path(&file.path).and_then(lang::front_end) else { continue };
            let path: Arc<str> = file.path.as_str().into();
            for text in std::iter::once(file.text.clone()).chain(damaged(&file.text)) {
                let Some(sketch) = front_end.sketch(&path, &text) else { continue };
                let facts = front_end.facts(&path, &text);
                sketched += 1;
                saved += facts.refs.len() - sketch.facts().refs.len();
                if let Err(why) = sketch.agrees_with(&path, &facts) {
                    failed.push(format!("{} {path}: {why}", fixture.display()));
                    break;
                }
            }
        }
    }
    assert!(sketched > 300, "{sketched} sketches were compared");
    assert!(saved > 0, "bodies are stepped over");
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
