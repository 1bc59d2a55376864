//! Projects that were made to have us read what is not theirs, or read for ever.

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
