//! Projects that were made to have us read what is not theirs, or read for ever.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use ide_model::{Backend, Cx, FilePath, Stop};
use ide_store::{Options, ProjectBackend};

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn files(root: &Path) -> Vec<String> {
    let backend = ProjectBackend::open(root, Options::default()).unwrap();
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let snapshot = backend.snapshot(cx).unwrap();
    snapshot.files(cx, &|_| true).unwrap().into_iter().map(|file| file.path.to_string()).collect()
}

#[test]
fn ignore_files_that_never_end_say_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("p");
    write(&root, "a.py", "a = 1\n");
    write(&root, "sub/b.py", "b = 1\n");
    std::fs::create_dir(dir.path().join(".git")).unwrap();
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    // Above the project, in it, and below.
    symlink("/dev/zero", dir.path().join(".gitignore")).unwrap();
    symlink("/dev/zero", root.join(".gitignore")).unwrap();
    symlink("/dev/zero", root.join(".ignore")).unwrap();
    pipe(&root.join("sub/.gitignore"));
    pipe(&root.join("pipe.py"));
    symlink("/dev/zero", root.join("package.json")).unwrap();
    pipe(&root.join("Cargo.toml"));
    symlink("/dev/zero", root.join("pom.xml")).unwrap();
    std::fs::create_dir_all(dir.path().join(".git/info")).unwrap();
    symlink("/dev/zero", dir.path().join(".git/info/exclude")).unwrap();
    assert_eq!(files(&root), ["a.py", "sub/b.py"]);
}

#[test]
fn links_in_circles_cost_nothing() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "src/main/java/A.java",
        "class A { java.util.List<String> x; int y() { return x.size(); } }\n",
    );
    write(dir.path(), "pom.xml", "<project></project>");
    for n in 0..10 {
        symlink(".", dir.path().join(format!("l{n}"))).unwrap();
        symlink("..", dir.path().join(format!("src/u{n}"))).unwrap();
    }
    let begun = Instant::now();
    let backend = ProjectBackend::open(dir.path(), Options::default()).unwrap();
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let snapshot = backend.snapshot(cx).unwrap();
    let file = FilePath::new("src/main/java/A.java");
    let text = snapshot.text(&file).unwrap().text.to_string();
    let offset = u32::try_from(text.find("size").unwrap()).unwrap();
    drop(snapshot.resolve(cx, &ide_model::Target::Position { file, offset }));
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[test]
fn packages_that_are_links_lead_out_of_the_project_only_to_where_tools_keep_packages() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    write(&root, "secrets/id_rsa", "KEY");
    write(&root, "secrets/conf.py", "password = 1\n");
    write(&root, "kept/lib/python3.12/site-packages/six.py", "def u(x):\n    return x\n");
    write(&root, "kept/lib/python3.12/site-packages/id_rsa", "KEY");
    write(&root, "p/a.py", "import conf\nimport six\n\nconf.password\nsix.u(1)\n");
    write(&root, "p/.venv/pyvenv.cfg", "");
    std::fs::create_dir_all(root.join("p/.venv/lib/python3.12")).unwrap();
    symlink(root.join("secrets"), root.join("p/.venv/lib/python3.12/site-packages")).unwrap();
    let text_of = |places: ide_store::Places, path: &str| {
        let options = Options { places, ..Options::default() };
        let backend = ProjectBackend::open(&root.join("p"), options).unwrap();
        let stop = Stop::new();
        let snapshot = backend.snapshot(Cx::new(&stop)).unwrap();
        snapshot.text(&FilePath::new(root.join(path).to_str().unwrap())).is_ok()
    };
    let none = ide_store::Places::default();
    assert!(!text_of(none.clone(), "secrets/conf.py") && !text_of(none.clone(), "secrets/id_rsa"));
    std::fs::remove_dir_all(root.join("p/.venv")).unwrap();
    symlink(root.join("kept"), root.join("p/.venv")).unwrap();
    write(&root, "kept/pyvenv.cfg", "");
    let package = "kept/lib/python3.12/site-packages/six.py";
    assert!(!text_of(none, package));
    let kept = ide_store::Places { linked: vec![root.join("kept")], ..ide_store::Places::default() };
    assert!(text_of(kept.clone(), package), "the user keeps environments there");
    assert!(!text_of(kept, "kept/lib/python3.12/site-packages/id_rsa"), "no source");
}

const AS_NOBODY: &str = "IDE_STORE_TEST_UNREADABLE";

/// Root reads everything, so that the test is run again as someone else where it is run as root.
#[test]
fn what_cannot_be_read_is_not_absent() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let is_root = std::fs::read("/proc/self/stat").is_ok()
        && std::os::unix::fs::MetadataExt::uid(&std::fs::metadata("/proc/self").unwrap()) == 0;
    if let Some(root) = std::env::var_os(AS_NOBODY) {
        return unreadable_places(Path::new(&root));
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    if !is_root {
        return unreadable_places(dir.path());
    }
    // The program must be one that anybody may start.
    let program = dir.path().join("again");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut again = Command::new(&program);
    again.args(["--exact", "hostile::what_cannot_be_read_is_not_absent", "--nocapture"]);
    let done = again.env(AS_NOBODY, dir.path()).current_dir("/").uid(65534).gid(65534).output().unwrap();
    let said = String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
}

fn unreadable_places(dir: &Path) {
    use ide_model::{Completeness, QueryError, Refactoring, Related, Target};
    use std::os::unix::fs::PermissionsExt as _;
    let root = dir.join("p").canonicalize().unwrap_or_else(|_| dir.join("p"));
    write(&root, "lib.py", "def hello():\n    pass\n");
    write(&root, "a.py", "from lib import hello\n\nhello()\n");
    write(&root, "b.py", "from lib import hello\n\nhello()\n");
    write(&root, "sub/c.py", "from lib import hello\n\nhello()\n");
    write(&root, "key.pem", "nobody's business\n");
    let mode = |path: &str, bits| {
        std::fs::set_permissions(root.join(path), std::fs::Permissions::from_mode(bits)).unwrap();
    };
    let backend = ProjectBackend::open(&root, Options::default()).unwrap();
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let ask = || {
        let snapshot = backend.snapshot(cx).unwrap();
        let at = Target::Position { file: FilePath::new("lib.py"), offset: 4 };
        let symbol = snapshot.resolve(cx, &at).unwrap().value.remove(0).0;
        let found = snapshot.references(cx, &symbol, &|_| true, 1000).unwrap();
        let what = Refactoring::Rename {
            symbol: &symbol,
            new_name: "howdy",
            with_family: true,
            related: Related::default(),
        };
        let refused = match snapshot.refactor(cx, &what) {
            Err(QueryError::NotRead { path, .. }) => Some(path),
            Err(other) => panic!("{other:?}"),
            Ok(_) => None,
        };
        (found.value.references.len(), found.completeness, refused, backend.status().completeness)
    };
    let all = ask();
    assert_eq!((all.0, &all.1, &all.2), (6, &Completeness::Exact, &None));
    mode("key.pem", 0);
    assert_eq!(ask(), all, "a file that nobody would look into");
    let is_told =
        |(_, completeness, refused, status): (usize, Completeness, Option<String>, Completeness),
         path: &str| {
            for said in [completeness, status] {
                let Completeness::AtLeast { because } = said else {
                    panic!("{path} is missing and nobody says so")
                };
                assert!(because.contains(path) && because.contains("Permission denied"), "{because}");
            }
            assert!(refused.is_some_and(|refused| refused.contains(path)));
        };
    mode("b.py", 0);
    write(&root, "b.py2", "");
    is_told(ask(), "b.py");
    mode("b.py", 0o644);
    assert_eq!(ask(), all);
    // Unreadable from the start.
    mode("sub", 0);
    let backend = ProjectBackend::open(&root, Options::default()).unwrap();
    let snapshot = backend.snapshot(cx).unwrap();
    let at = Target::Position { file: FilePath::new("lib.py"), offset: 4 };
    let found = snapshot.resolve(cx, &at).unwrap();
    assert!(
        matches!(&found.completeness, Completeness::AtLeast { because } if because.contains("sub")),
        "{found:?}"
    );
    mode("sub", 0o755);
    let found = backend.snapshot(cx).unwrap().resolve(cx, &at).unwrap();
    assert_eq!(found.completeness, Completeness::Exact);
}
