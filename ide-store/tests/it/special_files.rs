//! Files that are not plain source text.

use std::fs;

use ide_index::{Quality, World};
use ide_model::{FilePath, Snapshot, SourceKind};
use ide_store::{ProjectBackend, StoreSnapshot};

use crate::tree::{Tree, ask, options};

fn quality(snapshot: &StoreSnapshot, path: &str) -> Quality {
    let id = snapshot.index().file_by_path(path).unwrap_or_else(|| panic!("{path} is not known"));
    snapshot.index().facts(id).quality
}

#[test]
fn what_cannot_be_read_as_source_is_known_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 1);
    let root = tree.root.clone();
    tree.write("ok.java", "class Ok {}");
    tree.write("long.java", &format!("class Long {{ String s = \"{}\"; }}", "x".repeat(30_000)));
    tree.write("large.java", &"class Large {}\n".repeat(600_000));
    fs::write(root.join("binary.java"), b"class B\0{}").unwrap();
    fs::write(root.join("wide.java"), b"\xff\xfec\0l\0a\0s\0s\0 \0W\0 \0{\0}\0").unwrap();
    fs::write(root.join("latin.java"), b"class L { /* \xe9 */ }").unwrap();
    fs::File::create(root.join("huge.bin")).unwrap().set_len(100 << 20).unwrap();
    tree.write("src/test/java/T.java", "class T {}");
    tree.write("gen.java", "// @generated\nclass G {}");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&root, root.join("loop")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.join("outside.java")).unwrap();
    }
    let backend = ProjectBackend::open(&root, options(None, true)).unwrap();
    let snapshot = ask(&backend);
    let index = snapshot.index();
    assert_eq!(index.rows().len(), 9, "links are not followed");
    assert_eq!(quality(&snapshot, "ok.java"), Quality::Full);
    for path in ["long.java", "large.java", "binary.java", "huge.bin"] {
        assert_eq!(quality(&snapshot, path), Quality::Skipped, "{path}");
    }
    assert_eq!(index.declarations("W").len(), 1);
    assert_eq!(index.declarations("L").len(), 1);
    let text = snapshot.text(&FilePath::new("latin.java")).unwrap();
    assert_eq!(&*text.text, "class L { /* ? */ }");
    assert!(snapshot.text(&FilePath::new("binary.java")).is_err());
    let row = |path: &str| index.row(index.file_by_path(path).unwrap()).entry.clone();
    assert!(row("gen.java").is_generated && !row("ok.java").is_generated);
    assert_eq!(row("huge.bin").size, 100 << 20);
}

#[test]
fn what_a_file_is_for_follows_the_build_files() {
    let dir = tempfile::tempdir().expect("a directory");
    let mut tree = Tree::new(&dir.path().join("p"), 1);
    tree.write("m/src/test/java/T.java", "class T {}");
    tree.write("m/src/main/java/P.java", "class P {}");
    let backend = ProjectBackend::open(&tree.root, options(None, true)).expect("opens");
    let source = |path: &str| {
        let snapshot = ask(&backend);
        let id = snapshot.index().file_by_path(path).expect("is there");
        snapshot.index().row(id).entry.source
    };
    assert_eq!(source("m/src/test/java/T.java"), SourceKind::Production, "nothing says otherwise");
    tree.write("pom.xml", "<project><modules><module>m</module></modules></project>");
    tree.write("m/pom.xml", "<project/>");
    assert_eq!(source("m/src/test/java/T.java"), SourceKind::Test);
    assert_eq!(source("m/src/main/java/P.java"), SourceKind::Production);
    tree.write("m/src/test/resources/deep/R.java", "class R {}");
    assert_eq!(source("m/src/test/resources/deep/R.java"), SourceKind::Test, "a root that came later");
}

#[test]
fn excluded_and_ignored_directories_are_not_entered() {
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 1);
    for path in ["node_modules/m/A.java", "a/.venv/B.java", ".git/C.java", "out/D.java", "logs/E.java"] {
        tree.write(path, "class X {}");
    }
    tree.write(".gitignore", "logs/\n");
    tree.write("target/F.java", "class F {}");
    tree.write("sub/target/G.java", "class G {}");
    let backend = ProjectBackend::open(&tree.root, options(None, true)).unwrap();
    let paths = |backend: &ProjectBackend| -> Vec<String> {
        ask(backend).index().rows().map(|row| row.entry.path.to_string()).collect()
    };
    assert_eq!(paths(&backend), [".gitignore", "sub/target/G.java"]);
    tree.write("sub/pom.xml", "<project/>");
    assert_eq!(paths(&backend), [".gitignore", "sub/pom.xml"], "the build file makes it build output");
}

#[cfg(unix)]
#[test]
fn a_file_that_becomes_readable_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 1);
    tree.write("A.java", "class A {}");
    let set = |mode| fs::set_permissions(tree.root.join("A.java"), fs::Permissions::from_mode(mode)).unwrap();
    set(0o000);
    let backend = ProjectBackend::open(&tree.root, options(None, true)).unwrap();
    let before = ask(&backend).index().declarations("A").len();
    set(0o644);
    assert_eq!(ask(&backend).index().declarations("A").len(), 1);
    // The superuser may read it all the time.
    assert!(before <= 1);
}
