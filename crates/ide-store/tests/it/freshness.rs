//! Every change that happened before a question is in its answer.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;

use ide_model::{Backend, Cx, QueryError, Snapshot, Stop};
use ide_store::ProjectBackend;

use crate::tree::{Tree, ask, options};

fn edit_and_ask(seed: u64, watch: bool) {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), seed);
    let backend = ProjectBackend::open(&tree.root, options(Some(&dir.path().join("c")), watch)).unwrap();
    for step in 0..200 {
        let what = tree.change();
        tree.check(&ask(&backend), &format!("step {step} of {seed}: {what}"));
    }
    assert_eq!(backend.status().kind_of_freshness, if watch { "watch" } else { "walk" });
}

#[test]
fn two_hundred_changes_are_seen_at_once_with_a_watcher() {
    for seed in [1, 2, 3] {
        edit_and_ask(seed, cfg!(target_os = "linux"));
    }
}

#[test]
fn two_hundred_changes_are_seen_at_once_without_a_watcher() {
    for seed in [4, 5] {
        edit_and_ask(seed, false);
    }
}

#[test]
fn many_changes_between_two_questions_are_all_seen() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 77);
    let backend = ProjectBackend::open(&tree.root, options(None, true)).unwrap();
    for round in 0..12 {
        let steps: Vec<String> = (0..20).map(|_| tree.change()).collect();
        tree.check(&ask(&backend), &format!("round {round}: {}", steps.join("; ")));
    }
}

#[test]
fn two_backends_of_one_project_stay_right() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 5);
    let cache = dir.path().join("c");
    let first = ProjectBackend::open(&tree.root, options(Some(&cache), true)).unwrap();
    for _ in 0..30 {
        tree.change();
    }
    tree.check(&ask(&first), "first");
    let second = ProjectBackend::open(&tree.root, options(Some(&cache), true)).unwrap();
    for step in 0..30 {
        let what = tree.change();
        tree.check(&ask(&first), &format!("first, {step}: {what}"));
        tree.check(&ask(&second), &format!("second, {step}: {what}"));
    }
    drop(first);
    for step in 0..30 {
        let what = tree.change();
        tree.check(&ask(&second), &format!("alone, {step}: {what}"));
    }
    drop(second);
    tree.change();
    let third = ProjectBackend::open(&tree.root, options(Some(&cache), true)).unwrap();
    tree.check(&ask(&third), "third");
}

#[test]
fn a_root_that_goes_is_an_error_and_not_an_empty_project() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 6);
    tree.write("A.java", "class A { }");
    let backend = ProjectBackend::open(&tree.root, options(None, true)).unwrap();
    tree.check(&ask(&backend), "start");
    let away = dir.path().join("away");
    fs::rename(&tree.root, &away).unwrap();
    let stop = Stop::new();
    assert!(matches!(backend.snapshot(Cx::new(&stop)), Err(QueryError::Failed { .. })));
    fs::rename(&away, &tree.root).unwrap();
    tree.write("B.java", "class B { }");
    tree.check(&ask(&backend), "back");
    // Another directory takes its place.
    fs::rename(&tree.root, &away).unwrap();
    tree.files.clear();
    fs::create_dir(&tree.root).unwrap();
    tree.write("C.java", "class Cc { }");
    tree.check(&ask(&backend), "replaced");
    tree.write("d/D.java", "class D { }");
    tree.check(&ask(&backend), "and watched");
}

#[test]
fn a_text_is_that_of_the_snapshot_or_an_error() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 7);
    tree.write("A.java", "class A { }");
    let backend = ProjectBackend::open(&tree.root, options(None, true)).unwrap();
    let snapshot = ask(&backend);
    let path = ide_model::FilePath::new("A.java");
    tree.write("A.java", "class B { }");
    assert!(matches!(snapshot.text(&path), Err(QueryError::Failed { .. })));
    let snapshot = ask(&backend);
    assert_eq!(&*snapshot.text(&path).unwrap().text, "class B { }");
    tree.write("A.java", "class C { }");
    assert_eq!(&*snapshot.text(&path).unwrap().text, "class B { }", "was read before");
    assert!(matches!(snapshot.text(&ide_model::FilePath::new("none")), Err(QueryError::NoFile { .. })));
}

#[test]
fn questions_in_parallel_get_their_own_changes() {
    let dir = tempfile::tempdir().unwrap();
    let tree = Tree::new(&dir.path().join("p"), 8);
    let backend = ProjectBackend::open(&tree.root, options(None, true)).unwrap();
    std::thread::scope(|scope| {
        for t in 0..8 {
            let (root, backend) = (&tree.root, &backend);
            scope.spawn(move || {
                for i in 0..40 {
                    let name = format!("T{t}_{}.java", i % 3);
                    fs::write(root.join(&name), format!("class T{t}x{i} {{}}")).unwrap();
                    let snapshot = ask(backend);
                    let found = ide_index::World::declarations(&**snapshot.index(), &format!("T{t}x{i}"));
                    assert_eq!(found.len(), 1, "thread {t}, step {i}");
                }
            });
        }
    });
}
