//! The files that enumeration lists and leaves out.
#![expect(clippy::disallowed_methods, reason = "fixtures are written to a real disk")]

use std::path::Path;
use std::sync::Arc;

use ide_model::{Cx, QueryError, Stop, StopReason};
use ide_project_resolver::{Exclusions, PathGlobs};

use super::{Enumerator, Listing, named_files};
use crate::ignored::Rules;

fn fill(root: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().expect("below the root")).expect("the directory is new");
        std::fs::write(path, text).expect("the file is new");
    }
}

fn project(root: &Path, outer: &[&str]) -> Enumerator {
    let root = root.canonicalize().expect("it exists");
    let outer = outer.iter().map(|root| (*root).to_owned()).collect();
    Enumerator { root, outer, exclusions: Arc::new(Exclusions::default()) }
}

fn listed(root: &Path) -> Listing {
    project(root, &[]).tree("", true, None)
}

fn paths(listing: &Listing) -> Vec<&str> {
    listing.files.iter().map(|file| &*file.path).collect()
}

fn named(root: &Path, globs: &[&str]) -> Vec<Arc<str>> {
    let project = project(root, &[]);
    let all = project.tree("", false, None);
    let is_listed = |path: &str| all.files.iter().any(|file| &*file.path == path);
    let globs = PathGlobs::parse(globs).expect("good globs");
    let stop = Stop::new();
    named_files(&project.root, &project.exclusions, &globs, &is_listed, Cx::new(&stop))
        .expect("nobody stops it")
}

#[test]
fn exclusions_ignore_files_and_hidden_directories() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            (".gitignore", "*.log\n/private\n"),
            (".git/config", "x"),
            (".github/workflows/ci.yml", "x"),
            (".cache/x", "x"),
            (".env.example", "x"),
            ("src/main.rs", "fn main() {}"),
            ("src/build/mod.rs", "x"),
            ("src/debug.log", "x"),
            ("src/.gitignore", "secret.rs\n"),
            ("src/secret.rs", "x"),
            ("build/out.o", "x"),
            ("private/key", "x"),
            ("web/node_modules/dep/index.js", "x"),
            ("web/.ignore", "skip.ts\n"),
            ("web/skip.ts", "x"),
            ("web/app.ts", "x"),
            ("svc/go.mod", "module m"),
            ("svc/vendor/dep/d.go", "x"),
            ("vendor/ours.js", "x"),
            ("core/pom.xml", "<project/>"),
            ("core/target/X.class", "x"),
            ("core/src/main/java/com/x/target/T.java", "x"),
        ],
    );
    let listing = listed(dir.path());
    assert_eq!(
        paths(&listing),
        [
            ".env.example",
            ".github/workflows/ci.yml",
            ".gitignore",
            "core/pom.xml",
            "core/src/main/java/com/x/target/T.java",
            "src/.gitignore",
            "src/build/mod.rs",
            "src/main.rs",
            "svc/go.mod",
            "vendor/ours.js",
            "web/.ignore",
            "web/app.ts",
        ]
    );
    assert_eq!(listing.problems, [""; 0]);
    let main = listing.files.iter().find(|file| &*file.path == "src/main.rs").unwrap();
    let facts = std::fs::metadata(dir.path().join("src/main.rs")).unwrap();
    assert_eq!(main.state, Some((12, crate::directory::stamp(&facts))));

    let project = project(dir.path(), &[]);
    let flat = project.flat("web");
    assert_eq!((paths(&flat), flat.directories.len()), (vec!["web/.ignore", "web/app.ts"], 0));
    assert_eq!(project.flat("").directories, [".github", "core", "src", "svc", "vendor", "web"]);
    assert_eq!(paths(&project.tree("core/src", false, None)), ["core/src/main/java/com/x/target/T.java"]);
    for left_out in
        ["private", "build", "web/node_modules/dep", "none", ".cache", "svc/vendor/dep", "src/main.rs"]
    {
        assert_eq!(paths(&project.flat(left_out)), [""; 0], "{left_out}");
        assert_eq!(paths(&project.tree(left_out, true, None)), [""; 0], "{left_out}");
    }
}

#[test]
fn copies_of_the_tree_are_not_part_of_it() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("src/a.rs", "x"), ("sub/.git", "gitdir: ../.git/modules/sub"), ("sub/s.rs", "x")]);
    for n in 0..5 {
        let gitdir = format!("gitdir: /r/.git/worktrees/w{n}\n");
        fill(
            dir.path(),
            &[
                (&format!(".claude/worktrees/w{n}/src/a.rs"), "x"),
                (&format!(".worktrees/w{n}/src/a.rs"), "x"),
                (&format!("elsewhere/w{n}/.git"), &gitdir),
                (&format!("elsewhere/w{n}/src/a.rs"), "x"),
            ],
        );
    }
    fill(dir.path(), &[(".claude/settings.json", "{}")]);
    let listing = listed(dir.path());
    assert_eq!(paths(&listing), [".claude/settings.json", "src/a.rs", "sub/.git", "sub/s.rs"]);
    assert_eq!(project(dir.path(), &[]).flat("elsewhere").directories, [""; 0]);
    assert_eq!(paths(&project(dir.path(), &[]).tree("elsewhere/w1/src", true, None)), [""; 0]);
    assert_eq!(named(dir.path(), &["elsewhere/w1/src"]), ["elsewhere/w1/src/a.rs".into()]);
    let copy = listed(&dir.path().join("elsewhere/w2"));
    assert_eq!(paths(&copy), [".git", "src/a.rs"], "a copy opened by itself is a project");
}

#[test]
fn a_glob_that_names_a_place_brings_it_back() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            (".gitignore", "node_modules\n/gen\n.env\n"),
            ("node_modules/pad/.gitignore", "*"),
            ("node_modules/pad/index.js", "x"),
            ("node_modules/other/index.js", "x"),
            ("packages/a/node_modules/pad/index.js", "x"),
            ("packages/a/src/index.js", "x"),
            ("packages/a/src/gen/x.js", "x"),
            ("gen/api/x.ts", "x"),
            (".env", "x"),
            (".venv/lib/m.py", "x"),
            (".hidden/h.txt", "x"),
        ],
    );
    for (globs, want) in [
        (&["node_modules/pad/*.js"][..], &["node_modules/pad/index.js"][..]),
        (
            &["**/node_modules/pad/*.js"],
            &["node_modules/pad/index.js", "packages/a/node_modules/pad/index.js"],
        ),
        (&["packages/**/*.js"], &[]),
        (&["packages"], &[]),
        (&["gen/**", "!**/*.md"], &["gen/api/x.ts"]),
        (&["gen/**", "!**/*.ts"], &[]),
        (&[".env"], &[".env"]),
        (&[".venv/lib"], &[".venv/lib/m.py"]),
        (&[".hidden"], &[".hidden/h.txt"]),
        (&["**/*.ts"], &[]),
        (&["!packages"], &[]),
        (&["../**", "nowhere"], &[]),
    ] {
        assert_eq!(
            named(dir.path(), globs).iter().map(|path| &**path).collect::<Vec<_>>(),
            want,
            "{globs:?}"
        );
    }
}

#[test]
fn a_root_that_its_surroundings_ignore_is_listed() {
    for rules in ["*\n", "plain/\nown\n", "/plain\nown\n"] {
        let dir = tempfile::tempdir().unwrap();
        fill(
            dir.path(),
            &[
                (".git/HEAD", "x"),
                (".gitignore", rules),
                ("plain/a.txt", "x"),
                ("plain/deep/b.txt", "x"),
                ("own/.git/HEAD", "x"),
                ("own/b.txt", "x"),
            ],
        );
        assert_eq!(paths(&listed(&dir.path().join("plain"))), ["a.txt", "deep/b.txt"]);
        assert_eq!(paths(&project(&dir.path().join("plain"), &[]).flat("deep")), ["deep/b.txt"]);
        assert_eq!(paths(&listed(&dir.path().join("plain/deep"))), ["b.txt"]);
        assert_eq!(paths(&listed(&dir.path().join("own"))), ["b.txt"]);
    }
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[(".git/HEAD", "x"), (".gitignore", "*.tmp\n"), ("part/a.txt", "x"), ("part/b.tmp", "x")],
    );
    assert_eq!(paths(&listed(&dir.path().join("part"))), ["a.txt"], "a part follows its checkout");
}

#[test]
#[cfg(unix)]
fn links_are_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("a/x.txt", "x")]);
    fill(outside.path(), &[("secret.txt", "x")]);
    std::os::unix::fs::symlink(dir.path(), dir.path().join("a/cycle")).unwrap();
    std::os::unix::fs::symlink("cycle2", dir.path().join("a/cycle2")).unwrap();
    std::os::unix::fs::symlink(outside.path(), dir.path().join("out")).unwrap();
    std::os::unix::fs::symlink("x.txt", dir.path().join("a/alias.txt")).unwrap();
    assert_eq!(paths(&listed(dir.path())), ["a/x.txt"]);
    for link in ["out", "a/cycle", "a/cycle/a"] {
        assert_eq!(paths(&project(dir.path(), &[]).flat(link)), [""; 0]);
    }
    assert!(named(dir.path(), &["out/**"]).is_empty(), "not even when a glob names the link");
    assert!(named(dir.path(), &["a/alias.txt"]).is_empty());
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_said() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("a.txt", "x"), ("closed/b.txt", "x"), (".gitignore", "*.tmp\n")]);
    for name in [b"\xff.txt", b"\xff.tmp"] {
        std::fs::write(dir.path().join(std::ffi::OsStr::from_bytes(name)), "x").unwrap();
    }
    let closed = dir.path().join("closed");
    let mode = |mode| std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    let readable = std::fs::read_dir(&closed).is_ok();
    let listing = listed(dir.path());
    mode(0o755);
    // The superuser may read everything.
    let expected = if readable {
        (vec![".gitignore", "a.txt", "closed/b.txt"], 1)
    } else {
        (vec![".gitignore", "a.txt"], 2)
    };
    assert_eq!((paths(&listing), listing.problems.len()), expected, "{:?}", listing.problems);
}

#[test]
fn outer_content_roots_are_listed_by_absolute_path() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[("app/C.java", "x"), ("lib/.gitignore", "*.tmp\n"), ("lib/x.tmp", "x"), ("lib/inner/T.java", "x")],
    );
    let root = dir.path().canonicalize().unwrap();
    let lib = format!("{}/lib", root.display());
    let outer = project(&root.join("app"), &[&lib]);
    let test = format!("{lib}/inner/T.java");
    let ignore = format!("{lib}/.gitignore");
    assert_eq!(paths(&outer.tree("", true, None)), [&ignore, &test, "C.java"]);
    let inner = format!("{lib}/inner");
    assert_eq!(paths(&outer.flat(&inner)), [&test]);
    assert_eq!(outer.flat(&lib).directories, [&*inner]);
    let around = project(&root.join("app"), &[root.to_str().unwrap()]);
    let all = around.tree("", true, None);
    assert_eq!(paths(&all), [&ignore, &test, "C.java"], "the project inside of it is listed once");
}

#[test]
fn a_stopped_walk_gives_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("build/a.txt", "x")]);
    let stop = Stop::new();
    stop.stop(StopReason::Cancelled);
    let globs = PathGlobs::parse(&["build"]).unwrap();
    let found = named_files(dir.path(), &Exclusions::default(), &globs, &|_| false, Cx::new(&stop));
    assert_eq!(found, Err(QueryError::Cancelled));
}

#[test]
fn the_nearest_rule_of_each_kind_counts() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            (".gitignore", "*.log\n/out\n!kept.txt\ndirs/\n"),
            (".ignore", "!wanted.log\n"),
            ("a/.gitignore", "!loud.log\n*.txt\n"),
            (".git/info/exclude", "*.mine\n"),
        ],
    );
    let root = dir.path().to_str().unwrap();
    let there = |dir: String| move |name: &str| Path::new(&dir).join(name).exists();
    let outer = Rules::inside(root, None, there(root.to_owned())).unwrap();
    let inner = Rules::inside(&format!("{root}/a"), Some(&outer), there(format!("{root}/a"))).unwrap();
    assert!(Arc::ptr_eq(&Rules::inside(&format!("{root}/b"), Some(&outer), |_| false).unwrap(), &outer));
    for (rules, path, is_directory, is_ignored) in [
        (&outer, "x.log", false, true),
        (&outer, "b/x.log", false, true),
        (&outer, "b/wanted.log", false, false),
        (&outer, "out", true, true),
        (&outer, "b/out", true, false),
        (&outer, "dirs", true, true),
        (&outer, "dirs", false, false),
        (&outer, "x.mine", false, true),
        (&inner, "a/loud.log", false, false),
        (&inner, "a/other.log", false, true),
        (&inner, "a/b/c.txt", false, true),
        (&inner, "a/kept.txt", false, true),
        (&inner, "a/out", true, false),
    ] {
        assert_eq!(rules.ignore(&format!("{root}/{path}"), is_directory), is_ignored, "{path}");
    }
}

#[test]
fn a_linked_worktree_has_the_exclude_file_of_its_repository() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            ("r/.git/info/exclude", "x\n"),
            ("r/.git/worktrees/w/commondir", "../..\n"),
            ("w/.git", "gitdir: ../r/.git/worktrees/w\n"),
            ("m/.git", "gitdir: ../r/.git/modules/m\n"),
        ],
    );
    let rules = |of: &str| Rules::inside(dir.path().join(of).to_str().unwrap(), None, |_| true);
    assert!(rules("r").is_some() && rules("w").is_some() && rules("m").is_none());
}
