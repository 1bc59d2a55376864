//! The committed corpus, replayed: seeds, and everything that fuzzing ever found.
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "reads the corpus")]

use std::fs;
use std::path::{Path, PathBuf};

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_target_takes_its_corpus_and_nothing_at_all() {
    for target in fuzz::TARGETS {
        (target.run)(b"");
        let files = corpus(target.name);
        assert!(!files.is_empty(), "corpus/{} is empty", target.name);
        for file in files {
            let input = fs::read(&file).unwrap();
            let outcome = std::panic::catch_unwind(|| (target.run)(&input));
            assert!(outcome.is_ok(), "{} finds something in {}", target.name, file.display());
        }
    }
}

#[test]
fn every_corpus_belongs_to_a_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(fuzz::TARGETS.iter().any(|target| target.name == name), "no target {name}");
    }
}
