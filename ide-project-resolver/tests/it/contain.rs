//! Containment: what is inside, what is refused, and that nobody can tell refused from missing.

use ide_project_resolver::{Access, Case, FileError, Fs, Libraries, MemoryFs, Origin, read_only};

use crate::project;

fn disk() -> MemoryFs {
    MemoryFs::default()
        .file("/w/app/src/main.rs", "")
        .file("/w/app/a\\b.txt", "")
        .file("/w/app/lib/in.jar", "")
        .file("/w/app/.git/config", "")
        .file("/w/app/sub/.git", "gitdir: ../.git/modules/sub")
        .file("/w/application/secret", "")
        .file("/etc/passwd", "root")
        .file("/cache/dep.jar", "")
        .file("/cache/other.jar", "")
        .file("/goroot/fmt/print.go", "")
        .link("/w/app/etc", "/etc")
        .link("/w/app/passwd", "/etc/passwd")
        .link("/w/app/dangling", "/etc/new")
        .link("/w/app/dangling-inside", "src/new.rs")
        .link("/w/app/dep.jar", "/cache/other.jar")
        .link("/w/app/alias.rs", "src/main.rs")
        .link("/w/app/loop", "loop")
        .link("/w/app/up", "..")
        .link("/link-to-app", "/w/app")
}

fn libraries(fs: &MemoryFs) -> Libraries {
    let mut libraries = Libraries::default();
    libraries.add_archive(fs, "/cache/dep.jar").expect("the archive exists");
    libraries.add_directory(fs, "/goroot").expect("the directory exists");
    libraries
}

/// Every way out that we know of. A tool's path parameters are tested with the same list.
const TRAVERSAL: &[&str] = &[
    "../application/secret",
    "..",
    "../",
    "../app/../application/secret",
    "src/../../application/secret",
    "./../../etc/passwd",
    "..\\application\\secret",
    "src\\..\\..\\application\\secret",
    "/etc/passwd",
    "//etc/passwd",
    "/w/app/../application/secret",
    "/w/application/secret",
    "/w/app/../../etc/passwd",
    "etc/passwd",
    "etc",
    "passwd",
    "/w/app/passwd",
    "up/application/secret",
    "up/../etc/passwd",
    "loop",
    "loop/x",
    "/link-to-app/../etc/passwd",
    "src/main.rs/../../../application/secret",
    "src/main.rs/x",
    "src/main.rs\0.txt",
    "~/secret",
    "~",
    "file:///etc/passwd",
    "jar:///etc/passwd",
    "jar:///etc/passwd!/x",
    "/cache/other.jar",
    "/cache/other.jar!/a",
    "jar:///cache/other.jar!/a",
    "dep.jar!/a",
    "/cache/../etc/passwd!/a",
    "/cache/dep.jar!/../../etc/passwd",
    "/cache/dep.jar!/a/../../b",
    "/cache/dep.jar!//etc/passwd",
    "/cache/dep.jar!/a/./b",
    "/cache/dep.jar!/C:/x",
    "/cache/dep.jar!/a\\..\\b!/..",
    "lib/in.jar!/../x",
    "src!/main.rs",
    "missing.rs",
    "",
    "   ",
];

#[test]
fn nothing_escapes_and_refused_looks_like_missing() {
    let fs = disk();
    let (app, libraries) = (project(&fs, "/w/app"), libraries(&fs));
    for path in TRAVERSAL {
        let home = Some("/w");
        let answer = app.resolve_file(&fs, &libraries, path, home, Access::Read);
        assert_eq!(answer, Err(FileError::NotFound { path: (*path).to_owned() }), "{path:?}");
    }
    for path in TRAVERSAL.iter().filter(|path| **path != "missing.rs") {
        let answer = app.resolve_file(&fs, &libraries, path, Some("/w"), Access::Write);
        assert!(answer.is_err(), "{path:?} may be written: {answer:?}");
    }
}

#[test]
fn what_is_inside_is_found_and_comes_back() {
    let fs = disk();
    let (app, libraries) = (project(&fs, "/link-to-app"), libraries(&fs));
    for (given, real, shown, entry, origin) in [
        ("src/main.rs", "/w/app/src/main.rs", "src/main.rs", None, Origin::Project),
        ("src\\main.rs", "/w/app/src/main.rs", "src/main.rs", None, Origin::Project),
        ("./src//main.rs", "/w/app/src/main.rs", "src/main.rs", None, Origin::Project),
        ("src/../src/main.rs", "/w/app/src/main.rs", "src/main.rs", None, Origin::Project),
        ("alias.rs", "/w/app/src/main.rs", "src/main.rs", None, Origin::Project),
        ("/w/app/src/main.rs", "/w/app/src/main.rs", "src/main.rs", None, Origin::Project),
        ("/link-to-app/src/main.rs", "/w/app/src/main.rs", "src/main.rs", None, Origin::Project),
        ("~/app/src/main.rs", "/w/app/src/main.rs", "src/main.rs", None, Origin::Project),
        ("a\\b.txt", "/w/app/a\\b.txt", "a\\b.txt", None, Origin::Project),
        ("/w/app", "/w/app", ".", None, Origin::Project),
        ("up/app/src", "/w/app/src", "src", None, Origin::Project),
        (
            "lib/in.jar!/x/Y.class",
            "/w/app/lib/in.jar",
            "jar:///w/app/lib/in.jar!/x/Y.class",
            Some("x/Y.class"),
            Origin::Project,
        ),
        (
            "/cache/dep.jar!/a/B.java",
            "/cache/dep.jar",
            "jar:///cache/dep.jar!/a/B.java",
            Some("a/B.java"),
            Origin::Library,
        ),
        (
            "jar:file:///cache/dep.jar!/B.java",
            "/cache/dep.jar",
            "jar:///cache/dep.jar!/B.java",
            Some("B.java"),
            Origin::Library,
        ),
        ("/cache/dep.jar", "/cache/dep.jar", "/cache/dep.jar", None, Origin::Library),
        ("/goroot/fmt/print.go", "/goroot/fmt/print.go", "/goroot/fmt/print.go", None, Origin::Library),
    ] {
        let read = |path: &str| app.resolve_file(&fs, &libraries, path, Some("/w"), Access::Read).unwrap();
        let found = read(given);
        assert_eq!(
            (found.path.as_str(), found.shown.as_str(), found.entry.as_deref(), found.origin),
            (real, shown, entry, origin),
            "{given}"
        );
        assert_eq!(read(&found.shown), found, "what is printed is accepted back");
    }
}

#[test]
fn new_files_are_placed_inside_only() {
    let fs = disk();
    let (app, libraries) = (project(&fs, "/w/app"), libraries(&fs));
    let write = |path: &str| app.resolve_file(&fs, &libraries, path, None, Access::Write);
    let made = write("src/new/deep.rs").unwrap();
    assert_eq!(
        (made.path.as_str(), made.shown.as_str(), made.kind),
        ("/w/app/src/new/deep.rs", "src/new/deep.rs", None)
    );
    assert!(write("/w/app/x.txt").is_ok());
    for refused in [
        "dangling",
        "dangling/x",
        "dangling-inside",
        "etc/new",
        "src/main.rs/new",
        "new/../../x",
        "new/../x",
        ".git/hooks/post-checkout",
        ".git/config",
        "sub/.GIT/hooks/x",
        "/goroot/fmt/print.go",
        "/cache/dep.jar",
        "/cache/dep.jar!/a",
        "a\nb",
    ] {
        assert!(write(refused).is_err(), "{refused}");
    }
}

#[test]
fn windows_tricks() {
    let fs = MemoryFs::new(Case::Insensitive, true).file("C:/w/App/src/Main.java", "").file("C:/secret", "");
    let app = project(&fs, "C:\\w\\app".replace('\\', "/").as_str());
    let resolve = |path: &str, access| app.resolve_file(&fs, &Libraries::default(), path, None, access);
    for path in ["SRC\\main.java", "c:/W/APP/src/Main.java", "C:\\w\\App\\src\\..\\src\\Main.java"] {
        assert_eq!(resolve(path, Access::Read).unwrap().shown, "src/Main.java", "{path}");
    }
    for path in [
        "C:/secret",
        "..\\..\\secret",
        "C:secret",
        "src/Main.java:stream",
        "\\secret",
        "/w/App/src/Main.java",
    ] {
        assert!(resolve(path, Access::Read).is_err(), "{path}");
        assert!(resolve(path, Access::Write).is_err(), "{path}");
    }
    for path in ["NUL", "src/con.txt", "src/x.", "src/a:b"] {
        assert!(resolve(path, Access::Write).is_err(), "{path}");
    }
    assert_eq!(resolve("src/New.java", Access::Write).unwrap().path.as_str(), "C:/w/App/src/New.java");
}

#[test]
fn equal_relative_paths_in_two_roots_are_ambiguous() {
    let fs = MemoryFs::default()
        .file("/w/mono/package.json", r#"{"workspaces": ["packages/*"]}"#)
        .file("/w/mono/packages/a/package.json", "{}")
        .file("/w/mono/packages/a/src/index.ts", "")
        .file("/w/mono/packages/a/src/only.ts", "")
        .file("/w/mono/packages/b/package.json", "{}")
        .file("/w/mono/packages/b/src/index.ts", "");
    let mono = project(&fs, "/w/mono");
    let resolve = |path: &str, access| mono.resolve_file(&fs, &Libraries::default(), path, None, access);
    for access in [Access::Read, Access::Write] {
        let error = resolve("src/index.ts", access).unwrap_err();
        assert_eq!(error.slug(), "ambiguous_path");
        assert_eq!(
            error,
            FileError::Ambiguous {
                path: "src/index.ts".into(),
                candidates: vec![
                    "/w/mono/packages/a/src/index.ts".into(),
                    "/w/mono/packages/b/src/index.ts".into()
                ],
            }
        );
        assert_eq!(resolve("src/only.ts", access).unwrap().shown, "packages/a/src/only.ts");
        assert_eq!(
            resolve("package.json", access).unwrap().shown,
            "package.json",
            "the project root goes first"
        );
    }
    assert_eq!(resolve("src/new.ts", Access::Write).unwrap().shown, "src/new.ts");
}

#[test]
fn read_only_files_are_named_before_the_first_write() {
    let fs = MemoryFs::default().file("/p/a", "").read_only_file("/p/b", "").dir("/p/c");
    let paths: Vec<_> =
        ["/p/a", "/p/b", "/p/new"].iter().map(|p| ide_project_resolver::AbsPath::new(p).unwrap()).collect();
    let refused: Vec<&str> = read_only(&fs, &paths).unwrap().into_iter().map(|p| p.as_str()).collect();
    assert_eq!(refused, ["/p/b"]);
    assert!(fs.metadata("/p/c").is_ok());
}

#[test]
fn data_of_version_control_is_found_by_following_it() {
    let fs = MemoryFs::default()
        .file("/w/file/.git", "gitdir: ../data/repo\n")
        .file("/w/data/repo/HEAD", "ref: refs/heads/main")
        .file("/w/data/repo/commondir", "../common")
        .file("/w/data/common/hooks/a", "")
        .file("/w/data/code.rs", "")
        .file("/w/link/store/config", "")
        .link("/w/link/.git", "store")
        .file("/w/hooked/.git/config", "")
        .file("/w/hooked/scripts/run", "")
        .link("/w/hooked/.git/hooks", "../scripts")
        .file("/w/bare/any/HEAD", "ref: refs/heads/main")
        .dir("/w/bare/any/objects")
        .dir("/w/bare/any/refs")
        .file("/w/bare/any/tree/.git", "gitdir: ../worktrees/tree")
        .file("/w/bare/any/tree/main.rs", "")
        .file("/w/shared/.hg/sharedpath", "/w/shared/other\n")
        .file("/w/shared/other/hgrc", "")
        .file("/w/jj/.jj/repo", "../../jj-data/repo")
        .file("/w/jj-data/repo/x", "");
    let write = |root: &str, path: &str| {
        let (project, libraries) = (project(&fs, root), Libraries::default());
        project.resolve_file(&fs, &libraries, path, None, Access::Write).is_ok()
    };
    for (root, refused) in [
        ("/w/file", ".git"),
        ("/w/link", "store/config"),
        ("/w/link", "store/hooks/pre-commit"),
        ("/w/hooked", "scripts/run"),
        ("/w/hooked", "scripts/pre-commit"),
        ("/w/bare", "any/hooks/post-checkout"),
        ("/w/bare", "any/config"),
        ("/w/shared", "other/hgrc"),
        ("/w/shared", ".hg/hgrc"),
        ("/w/jj", ".jj/x"),
        ("/w", "data/repo/hooks/a"),
        ("/w", "a/.svn/x"),
        ("/w", "a/.BZR/x"),
    ] {
        assert!(!write(root, refused), "{root}: {refused}");
    }
    for (root, fine) in [
        ("/w/link", ".gitignore"),
        ("/w/link", "storefront/config"),
        ("/w/hooked", "scripts2/run"),
        ("/w/bare", "any/tree/main.rs"),
        ("/w", "data/code.rs"),
    ] {
        assert!(write(root, fine), "{root}: {fine}");
    }
}

#[test]
fn a_member_inside_of_version_control_gives_no_way_in() {
    let fs = MemoryFs::default()
        .file("/w/.git/config", "")
        .file("/w/.git/hooks/Cargo.toml", "[package]\nname = 'x'")
        .file("/w/app/Cargo.toml", "[workspace]\nmembers = ['../.git/hooks']");
    let trusted = [ide_project_resolver::Root::open(&fs, "/w").expect("it is there")];
    let exclusions = ide_project_resolver::Exclusions::default();
    let project =
        ide_project_resolver::Project::open(&fs, "/w/app", &trusted, exclusions).expect("it is there");
    let resolve = |path, access| project.resolve_file(&fs, &Libraries::default(), path, None, access);
    assert!(resolve("/w/.git/hooks/pre-commit", Access::Write).is_err());
    assert!(resolve("/w/.git/hooks/Cargo.toml", Access::Write).is_err());
}
