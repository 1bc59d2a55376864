//! Text search with lists gives the answers of text search without, and reads less.

#![expect(clippy::disallowed_methods, reason = "fixtures are written to a real disk")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ide_model::{Cx, Snapshot, Stop, TextQuery};

use super::{Trigrams, build};
use crate::{Options, ProjectBackend, StoreSnapshot};

const WORDS: &[&str] =
    &["alpha", "Beta", "gamma", "ERROR", "xError", "\u{17f}et", "\u{212a}ilo", "größe", "if (a) {"];

/// Files of words, each in its own order and with its own line endings, and some that are no texts.
fn fill(root: &Path) {
    for i in 0..40 {
        let glue = ["\n", "\r\n", " "][i % 3];
        let words: Vec<&str> =
            (0..i % 7 + 1).map(|at| WORDS[(i * 5 + at * (i % 4 + 1)) % WORDS.len()]).collect();
        std::fs::write(root.join(format!("f{i}.txt")), words.join(glue)).unwrap();
    }
    std::fs::write(root.join("binary"), b"alpha\0beta").unwrap();
    std::fs::write(root.join("latin"), b"gr\xf6\xdfe alpha").unwrap();
    let utf16: Vec<u8> = "\u{feff}alpha Beta".encode_utf16().flat_map(u16::to_le_bytes).collect();
    std::fs::write(root.join("utf16"), utf16).unwrap();
}

fn query(pattern: &str, is_regex: bool, case_sensitive: bool) -> TextQuery<'_> {
    TextQuery {
        beside: &[],
        pattern,
        is_regex,
        case_sensitive,
        whole_word: false,
        context: None,
        filter: &|_| true,
        limit: 1_000,
    }
}

fn snapshot(backend: &ProjectBackend) -> Arc<StoreSnapshot> {
    let stop = Stop::new();
    backend.store_snapshot(Cx::new(&stop)).unwrap()
}

/// Every answer as text, and how many files had to be looked at.
fn answers(snapshot: &StoreSnapshot) -> (Vec<String>, usize) {
    let stop = Stop::new();
    let patterns =
        ["alpha", "error", "ERROR", "set", "KILO", "größe", "GRÖSSE", "gamma", "nowhere", "al", "??"];
    let expressions =
        ["alpha|gamma", r"x?Error", r"alpha\s+Beta", "^Beta$", "[ab]eta", "a.*a", r"\w{6}", "(?i)GAMMA"];
    let mut looked_at = 0;
    let mut all = Vec::new();
    for (pattern, is_regex) in patterns.map(|p| (p, false)).into_iter().chain(expressions.map(|e| (e, true)))
    {
        for case_sensitive in [false, true] {
            let query = query(pattern, is_regex, case_sensitive);
            looked_at += snapshot.files_to_search(&query).len();
            let found = snapshot.search_text(Cx::new(&stop), &query).unwrap().value;
            all.push(format!("{pattern} {case_sensitive}: {found:?}"));
        }
    }
    (all, looked_at)
}

#[test]
fn answers_are_the_same_with_lists_and_after_changes() {
    let dir = tempfile::tempdir().unwrap();
    let (root, lists) = (dir.path().join("p"), dir.path().join("lists"));
    std::fs::create_dir_all(&root).unwrap();
    std::fs::create_dir_all(&lists).unwrap();
    fill(&root);
    let open = || {
        let options = Options { text_lists_from: 0, build_id: Some(1), ..Options::default() };
        ProjectBackend::open(&root, options).unwrap()
    };
    let (with, without) = (open(), open());
    let (plain, all_looks) = answers(&snapshot(&without));
    snapshot(&with);
    with.shared.renew_lists(&lists, i64::MAX);
    let (listed, looks) = answers(&snapshot(&with));
    assert_eq!(listed, plain);
    assert!(looks * 3 < all_looks * 2, "{looks} of {all_looks}: the lists rule nothing out");

    std::fs::write(root.join("f3.txt"), "nowhere until now, größe").unwrap();
    std::fs::write(root.join("new.txt"), "gamma").unwrap();
    std::fs::write(root.join("binary"), "alpha, a text now").unwrap();
    std::fs::remove_file(root.join("f4.txt")).unwrap();
    assert_eq!(answers(&snapshot(&with)).0, answers(&snapshot(&without)).0, "old lists, new files");
    with.shared.renew_lists(&lists, i64::MAX);
    assert_eq!(answers(&snapshot(&with)).0, answers(&snapshot(&without)).0, "new lists");

    // Files that may change without a new stamp are not ruled out.
    let third = open();
    snapshot(&third);
    third.shared.renew_lists(&lists, 0);
    let (young, looks) = answers(&snapshot(&third));
    assert_eq!(young, answers(&snapshot(&without)).0);
    assert!(looks > all_looks / 10 * 9, "{looks} of {all_looks}");
}

#[test]
fn damaged_lists_are_no_lists() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path());
    let backend = ProjectBackend::open(dir.path(), Options::default()).unwrap();
    let snapshot = snapshot(&backend);
    let bytes = build(dir.path(), snapshot.index().rows(), i64::MAX, &AtomicBool::new(false)).unwrap();
    assert!(Trigrams::open(Arc::new(bytes.clone())).is_some());
    for at in 0..bytes.len() {
        let mut bad = bytes.clone();
        bad[at] ^= 0x10;
        assert!(Trigrams::open(Arc::new(bad)).is_none(), "byte {at}");
        assert!(Trigrams::open(Arc::new(bytes[..at].to_vec())).is_none(), "cut at {at}");
    }
}
