//! What is enumerated, and what is not.

use std::path::Path;

use ide_model::{Cx, QueryError, Stop, StopReason};
use ide_project_resolver::{Area, Exclusions, PathGlobs, Project, Root};
use ide_store::{Listing, OsFs, walk};

use crate::fill;

fn open(root: &Path) -> Project {
    Project::open(&OsFs, root.to_str().expect("a plain path"), &[], Exclusions::default()).expect("it exists")
}

fn listed(project: &Project, globs: &[&str]) -> Listing {
    let globs = (!globs.is_empty()).then(|| PathGlobs::parse(globs).expect("good globs"));
    walk(project, globs.as_ref(), Cx::new(&Stop::new())).expect("nobody stops it")
}

fn paths(listing: &Listing) -> Vec<&str> {
    listing.files.iter().map(|f| f.path.as_str()).collect()
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
    let listing = listed(&open(dir.path()), &[]);
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
    assert_eq!((listing.problems.as_slice(), listing.unnamable), (&[][..], 0));
    let main = listing.files.iter().find(|f| f.path == "src/main.rs").unwrap();
    let facts = std::fs::metadata(dir.path().join("src/main.rs")).unwrap();
    let nanos = facts.modified().unwrap().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    assert_eq!((main.size, u128::try_from(main.mtime_ns).unwrap()), (12, nanos));
    let class = |path: &str| listing.files.iter().find(|f| f.path == path).unwrap().class.area;
    assert_eq!(class("core/src/main/java/com/x/target/T.java"), Area::Production);
    assert_eq!(class("core/pom.xml"), Area::NonSource);
    let directories: Vec<&str> = listing.directories.iter().map(|d| d.path.as_str()).collect();
    assert_eq!(directories[..4], ["", ".github", ".github/workflows", "core"]);
    assert!(!directories.contains(&"build"));
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
    let project = open(dir.path());
    assert_eq!(paths(&listed(&project, &[])), [".claude/settings.json", "src/a.rs", "sub/.git", "sub/s.rs"]);
    assert_eq!(paths(&listed(&project, &["elsewhere/w1/src"])), ["elsewhere/w1/src/a.rs"]);
    let copy = open(&dir.path().join("elsewhere/w2"));
    assert_eq!(paths(&listed(&copy, &[])), [".git", "src/a.rs"], "a copy opened by itself is a project");
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
    let project = open(dir.path());
    for (globs, want) in [
        (&["node_modules/pad/*.js"][..], &["node_modules/pad/index.js"][..]),
        (
            &["**/node_modules/pad/*.js"],
            &["node_modules/pad/index.js", "packages/a/node_modules/pad/index.js"],
        ),
        (&["packages/**/*.js"], &["packages/a/src/gen/x.js", "packages/a/src/index.js"]),
        (&["packages"], &["packages/a/src/gen/x.js", "packages/a/src/index.js"]),
        (&["gen/**", "!**/*.md"], &["gen/api/x.ts"]),
        (&[".env"], &[".env"]),
        (&[".venv/lib"], &[".venv/lib/m.py"]),
        (&[".hidden"], &[".hidden/h.txt"]),
        (&["**/*.ts"], &[]),
        (&["!packages"], &[".gitignore"]),
        (&["../**", "nowhere"], &[]),
    ] {
        assert_eq!(paths(&listed(&project, globs)), want, "{globs:?}");
    }
}

#[test]
fn a_root_that_its_surroundings_ignore_is_listed() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            (".git/HEAD", "x"),
            (".gitignore", "*\n"),
            ("plain/a.txt", "x"),
            ("own/.git/HEAD", "x"),
            ("own/b.txt", "x"),
        ],
    );
    assert_eq!(paths(&listed(&open(&dir.path().join("plain")), &[])), ["a.txt"]);
    assert_eq!(paths(&listed(&open(&dir.path().join("own")), &[])), ["b.txt"]);
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[(".git/HEAD", "x"), (".gitignore", "*.tmp\n"), ("part/a.txt", "x"), ("part/b.tmp", "x")],
    );
    assert_eq!(
        paths(&listed(&open(&dir.path().join("part")), &[])),
        ["a.txt"],
        "a part follows its checkout"
    );
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
    let project = open(dir.path());
    assert_eq!(paths(&listed(&project, &[])), ["a/x.txt"]);
    assert_eq!(paths(&listed(&project, &["out/**"])), [""; 0], "not even when a glob names the link");
    let through = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(dir.path(), through.path().join("link")).unwrap();
    assert_eq!(paths(&listed(&open(&through.path().join("link")), &[])), ["a/x.txt"], "a root may be a link");
}

#[test]
#[cfg(unix)]
fn what_cannot_be_read_is_said() {
    use std::os::unix::ffi::OsStrExt as _;
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("a.txt", "x"), ("closed/b.txt", "x")]);
    std::fs::write(dir.path().join(std::ffi::OsStr::from_bytes(b"\xff.txt")), "x").unwrap();
    let closed = dir.path().join("closed");
    let mode = |mode| std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o000);
    let readable = std::fs::read_dir(&closed).is_ok();
    let listing = listed(&open(dir.path()), &[]);
    mode(0o755);
    assert_eq!(listing.unnamable, 1);
    // the superuser may read everything
    let expected = if readable { (vec!["a.txt", "closed/b.txt"], 0) } else { (vec!["a.txt"], 1) };
    assert_eq!((paths(&listing), listing.problems.len()), expected, "{:?}", listing.problems);
}

#[test]
fn outer_content_roots_are_listed_by_absolute_path() {
    let dir = tempfile::tempdir().unwrap();
    fill(
        dir.path(),
        &[
            ("app/settings.gradle", "includeBuild '../lib'\ninclude 'core'"),
            ("app/core/src/main/java/C.java", "x"),
            ("lib/settings.gradle", "include 'inner'"),
            ("lib/inner/src/test/java/T.java", "x"),
        ],
    );
    let root = dir.path().canonicalize().unwrap();
    let root = root.to_str().unwrap();
    let trusted = [Root::open(&OsFs, root).unwrap()];
    let project = Project::open(&OsFs, &format!("{root}/app"), &trusted, Exclusions::default()).unwrap();
    let listing = listed(&project, &[]);
    let test = format!("{root}/lib/inner/src/test/java/T.java");
    let settings = format!("{root}/lib/settings.gradle");
    assert_eq!(paths(&listing), [test.as_str(), &settings, "core/src/main/java/C.java", "settings.gradle"]);
    assert_eq!(listing.files[0].class.area, Area::Test);
}

#[test]
fn a_stopped_walk_gives_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fill(dir.path(), &[("a.txt", "x")]);
    let stop = Stop::new();
    stop.stop(StopReason::Cancelled);
    assert_eq!(walk(&open(dir.path()), None, Cx::new(&stop)), Err(QueryError::Cancelled));
}
