//! Files of which the index keeps sketches are answered about as if it kept their facts.

use ide_index::World;
use ide_model::{Cx, FilePath, MatchMode, QueryError, SearchKind, Snapshot, Stop, SymbolQuery, Target};
use ide_store::{ProjectBackend, StoreSnapshot};

use crate::tree::{Tree, ask, options};

/// A project of two classes; the call of one stands in a body of the other.
fn project(dir: &std::path::Path) -> Tree {
    let mut tree = Tree::new(&dir.join("p"), 3);
    tree.write("A.java", "class A { void f() { int local = 1; } }\n");
    tree.write("B.java", "class B { void g(A a) { a.f(); } }\n");
    tree
}

fn lacks_facts(snapshot: &StoreSnapshot) -> bool {
    snapshot.index().segments().any(|segment| segment.lacks_facts())
}

/// How many references the method `A.f` has.
fn uses(snapshot: &StoreSnapshot) -> Result<usize, QueryError> {
    let stop = Stop::new();
    let (file, offset) = (FilePath::new("A.java"), 15);
    let (method, _) = snapshot.resolve(Cx::new(&stop), &Target::Position { file, offset })?.value.remove(0);
    Ok(snapshot.references(Cx::new(&stop), &method, &|_| true, usize::MAX)?.value.references.len())
}

#[test]
fn a_sketch_is_answered_from_and_becomes_facts() {
    let dir = tempfile::tempdir().unwrap();
    let tree = project(dir.path());
    let open = || ProjectBackend::open(&tree.root, options(Some(&dir.path().join("c")), true)).unwrap();
    let (stop, backend) = (Stop::new(), open());
    let first = ask(&backend);
    assert!(lacks_facts(&first));
    assert_eq!(uses(&first), Ok(1));
    backend.fill(Cx::new(&stop)).unwrap();
    let filled = ask(&backend);
    assert!(!lacks_facts(&filled));
    assert_eq!(uses(&filled), Ok(1));
    assert_eq!(uses(&first), Ok(1), "the older snapshot goes on");
    for id in [0, 1].map(ide_index::FileId) {
        let bytes = |snapshot: &StoreSnapshot| ide_index::encode(&snapshot.index().facts(id));
        assert!(bytes(&first) == bytes(&filled), "the facts are the same");
        assert_eq!(first.index().row(id).symbols, filled.index().row(id).symbols);
    }
    drop((filled, first, backend));
    assert!(!lacks_facts(&ask(&open())), "they are kept");
}

#[test]
fn a_file_that_changed_before_its_facts_were_read_is_no_empty_answer() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = project(dir.path());
    let backend = ProjectBackend::open(&tree.root, options(Some(&dir.path().join("c")), true)).unwrap();
    let first = ask(&backend);
    tree.write("B.java", "class B { void g(A a) { a.f(); a.f(); } }\n");
    assert_eq!(uses(&first), Err(QueryError::Changed { path: "B.java".to_owned() }));
    assert_eq!(uses(&ask(&backend)), Ok(2));
    // Neither does one that no event told of: the times are those of before.
    let backend = ProjectBackend::open(&tree.root, options(None, false)).unwrap();
    assert_eq!(uses(&ask(&backend)), Ok(2));
}

#[test]
fn what_was_declared_in_a_file_that_changed_before_its_facts_were_read_is_not_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 3);
    let text = "mod b; struct A; impl A { fn g(&self) {} } fn f(a: A) { a.g(); }\n";
    tree.write("src/lib.rs", text);
    tree.write(
        "src/b.rs",
        "mod c { pub trait C { fn g(&self) {} } } impl<T> c::C for T { fn g(&self) {} }\n",
    );
    let backend = ProjectBackend::open(&tree.root, options(Some(&dir.path().join("c")), true)).unwrap();
    let first = ask(&backend);
    tree.write("src/b.rs", "\n");
    let (stop, file) = (Stop::new(), FilePath::new("src/lib.rs"));
    let target = Target::Position { file, offset: text.find("g();").unwrap() as u32 };
    let found =
        |snapshot: &StoreSnapshot| snapshot.resolve(Cx::new(&stop), &target).map(|found| found.value.len());
    assert_eq!(found(&first), Err(QueryError::Changed { path: "src/b.rs".to_owned() }));
}

#[test]
fn sketches_and_changes_are_merged() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = project(dir.path());
    for i in 0..200 {
        tree.write(&format!("C{i}.java"), &format!("class C{i} {{ void h(A a) {{ a.f(); }} }}\n"));
    }
    let open = || ProjectBackend::open(&tree.root, options(Some(&dir.path().join("c")), true)).unwrap();
    drop(open());
    let backend = open();
    assert_eq!(uses(&ask(&backend)), Ok(201));
    // More than a twentieth of the files, so that the layers become one segment.
    for i in 0..100 {
        let text = format!("class C{i} {{ void h(A a) {{ a.f(); a.f(); }} }}\n");
        std::fs::write(tree.root.join(format!("C{i}.java")), text).unwrap();
    }
    assert_eq!(uses(&ask(&backend)), Ok(301));
    drop(backend);
    let backend = open();
    let merged = ask(&backend);
    assert!(lacks_facts(&merged), "those of the files that did not change");
    assert_eq!(uses(&merged), Ok(301));
    backend.fill(Cx::new(&Stop::new())).unwrap();
    assert_eq!((lacks_facts(&merged), uses(&ask(&backend))), (false, Ok(301)));
    // Now every file has facts, beside the base or in a change: they come into the next base.
    for i in 0..100 {
        std::fs::write(tree.root.join(format!("C{i}.java")), "class C {}\n").unwrap();
    }
    assert_eq!(uses(&ask(&backend)), Ok(101));
    drop((merged, backend));
    let last = ask(&open());
    assert_eq!((lacks_facts(&last), uses(&last)), (false, Ok(101)));
    assert!(last.index().rows().all(|row| !row.is_sketch));
}

#[test]
fn what_a_macro_made_is_gone_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 3);
    tree.write("src/lib.rs", "macro_rules! make { ($n:ident) => { pub struct $n; } }\nmod a; mod user;\n");
    tree.write("src/a.rs", "make!(Made);\n");
    tree.write("src/user.rs", "use crate::a::Made;\n");
    let backend = ProjectBackend::open(&tree.root, options(Some(&dir.path().join("c")), true)).unwrap();
    let made = || {
        let snapshot = ask(&backend);
        let target = Target::Position { file: FilePath::new("src/user.rs"), offset: 11 };
        let module = snapshot.resolve(Cx::new(&Stop::new()), &target);
        (snapshot.index().declarations("Made").len(), module.map(|found| found.value.len()))
    };
    assert_eq!(ask(&backend).index().declarations("Made").len(), 1);
    tree.write("src/lib.rs", "mod a; mod user;\n");
    assert_eq!(made(), (0, Ok(1)));
}

#[test]
fn what_is_found_by_name_in_a_file_that_changed_is_no_failure() {
    let only = "class E { int a; int b; void only(int x) {} }\n";
    let at = |offset| Target::Position { file: FilePath::new("C.java"), offset };
    let query = SymbolQuery {
        pattern: "only",
        mode: MatchMode::Prefix,
        kind: SearchKind::All,
        language: None,
        filter: &|_| true,
        with_libraries: false,
        limit: 9,
    };
    type Ask<'a> = &'a dyn Fn(&StoreSnapshot, Cx<'_>) -> Result<usize, QueryError>;
    let questions: [(&str, Ask<'_>); 4] = [
        ("E.java", &|snapshot, cx| Ok(snapshot.resolve(cx, &at(30))?.value.len())),
        ("E.java", &|snapshot, cx| Ok(snapshot.resolve(cx, &at(40))?.value.len())),
        ("E.java", &|snapshot, cx| Ok(snapshot.search(cx, &query)?.value.items.len())),
        ("e.json", &|snapshot, cx| Ok(snapshot.search(cx, &query)?.value.items.len())),
    ];
    for (file, question) in questions {
        let dir = tempfile::tempdir().unwrap();
        let mut tree = project(dir.path());
        tree.write("C.java", "class C { void h() { unknown.only(1); } E e; }\n");
        tree.write("E.java", only);
        tree.write("e.json", "{\"only\": 1}\n");
        let cache = dir.path().join("c");
        let backend = ProjectBackend::open(&tree.root, options(Some(&cache), true)).unwrap();
        let first = ask(&backend);
        tree.write(file, "\n");
        let changed = QueryError::Changed { path: file.to_owned() };
        assert_eq!(question(&first, Cx::new(&Stop::new())), Err(changed));
    }
}
