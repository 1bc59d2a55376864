//! Every change that happened before a question is in its answer.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::fs;

use ide_index::World;
use ide_model::{Backend, Cx, QueryError, Snapshot, SourceKind, Stop};
use ide_project_resolver::Root;
use ide_store::{Options, OsFs, ProjectBackend};

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

/// The files of a project with a module beside it, each as the index names it.
fn with_an_outer_root(watch: bool) {
    let dir = tempfile::tempdir().unwrap();
    let top = fs::canonicalize(dir.path()).unwrap();
    let pom = "<project><modules><module>../lib</module></modules></project>";
    crate::fill(
        &top,
        &[("p/A.java", "class A { }"), ("p/z/Z.java", ""), ("lib/src/test/java/b/B.java", "class B { }")],
    );
    crate::fill(&top, &[("lib/pom.xml", "<project/>"), ("lib/.gitignore", "*.log"), ("lib/x.log", "")]);
    let trusted = vec![Root::open(&OsFs, top.to_str().unwrap()).unwrap()];
    let backend = ProjectBackend::open(&top.join("p"), Options { trusted, ..options(None, watch) }).unwrap();
    let lib = |path: &str| format!("{}/lib/{path}", top.display());
    let check = |wanted: &[String], when: &str| {
        let snapshot = ask(&backend);
        let mut found: Vec<String> = snapshot.index().rows().map(|row| row.entry.path.to_string()).collect();
        found.sort();
        let mut wanted = wanted.to_vec();
        wanted.sort();
        assert_eq!(found, wanted, "{when}");
        let root = snapshot.index().directory("").unwrap();
        assert!(root.directories.iter().all(|name| !name.is_empty()), "{when}: {root:?}");
        for path in wanted.iter().filter(|path| path.ends_with("B.java")) {
            let text = snapshot.text(&ide_model::FilePath::new(path.as_str())).unwrap();
            assert_eq!(*text.text, fs::read_to_string(path).unwrap(), "{when}");
            let row = snapshot.index().row(snapshot.index().file_by_path(path).unwrap());
            assert_eq!(row.entry.source, SourceKind::Test, "{when}");
        }
    };
    let own = |more: &[String]| [&["A.java".to_owned(), "z/Z.java".to_owned()], more].concat();
    check(&own(&[]), "nothing names it");
    fs::write(top.join("p/pom.xml"), pom).unwrap();
    let own = |more: &[String]| own(&[&["pom.xml".to_owned()], more].concat());
    let of_lib = [lib(".gitignore"), lib("pom.xml"), lib("src/test/java/b/B.java")];
    check(&own(&of_lib), "a build file names it");
    fs::write(top.join("lib/src/test/java/b/B.java"), "class Bb { }").unwrap();
    crate::fill(&top, &[("lib/new/deep/C.java", "class C { }")]);
    let more = [&of_lib[..], &[lib("new/deep/C.java")]].concat();
    check(&own(&more), "changed");
    fs::rename(top.join("lib"), top.join("away")).unwrap();
    check(&own(&[]), "gone");
    fs::rename(top.join("away"), top.join("lib")).unwrap();
    check(&own(&more), "back");
    fs::remove_dir_all(top.join("lib/new")).unwrap();
    check(&own(&of_lib), "watched again");
    fs::write(top.join("p/pom.xml"), "<project/>").unwrap();
    check(&own(&[]), "not named any more");
}

#[test]
fn content_roots_outside_of_the_project_are_as_fresh_as_the_rest() {
    with_an_outer_root(true);
    with_an_outer_root(false);
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
    assert!(matches!(snapshot.text(&path), Err(QueryError::Changed { .. })));
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
                    let found = World::declarations(&**snapshot.index(), &format!("T{t}x{i}"));
                    assert_eq!(found.len(), 1, "thread {t}, step {i}");
                }
            });
        }
    });
}
