//! Two writers of one project at once: what is left is what one would have left after the other.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::Duration;

use ide_server::{AppState, Config, Places, embedded};
use serde_json::{Value, json};
use tempfile::TempDir;
use test_fixture::scaled;

use crate::support::write;

/// Files that use what is renamed.
const USERS: usize = 8;

type Tree = BTreeMap<String, String>;

fn files() -> Tree {
    let mut files: Tree = (0..USERS)
        .map(|n| (format!("use{n}.py"), format!("from lib import hello, Box\n\nv{n} = hello(Box({n}))\n")))
        .collect();
    files.insert("lib.py".to_owned(), "class Box:\n    pass\n\n\ndef hello(x):\n    return x\n".to_owned());
    files
}

/// Calls that write, each in a way of its own.
fn calls() -> Vec<(&'static str, Value)> {
    let rename = |name: &str| json!({"file": "lib.py", "line": 5, "column": 5, "newName": name});
    vec![
        ("ide_refactor_rename", rename("first")),
        ("ide_refactor_rename", rename("second")),
        ("ide_refactor_rename", json!({"language": "Python", "symbol": "lib.Box", "newName": "Crate"})),
        ("ide_move_file", json!({"file": "lib.py", "destination": "inner"})),
        (
            "ide_replace_text_in_file",
            json!({"file": "use3.py", "search": "hello", "replace": "other", "all": true}),
        ),
        ("ide_create_file", json!({"file": "use99.py", "content": "from lib import hello\n\nhello(1)\n"})),
        ("ide_refactor_safe_delete", json!({"file": "use5.py", "line": 3, "column": 1})),
    ]
}

struct Scene {
    dir: TempDir,
    state: TempDir,
}

impl Scene {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap(), state: tempfile::tempdir().unwrap() }
    }

    /// A server of its own over the project, as another process would have.
    fn app(&self) -> Arc<AppState> {
        let config = Config {
            projects: vec![self.dir.path().to_owned()],
            state_dir: Some(self.state.path().to_owned()),
            enabled_tools: ide_tools::all().iter().map(|tool| tool.name.to_owned()).collect(),
            ..Config::default()
        };
        AppState::new(config, &Places::default(), Box::new(embedded)).unwrap()
    }

    fn reset(&self) {
        let wanted = files();
        for path in tree(self.dir.path()).keys().filter(|path| !wanted.contains_key(*path)) {
            std::fs::remove_file(self.dir.path().join(path)).unwrap();
        }
        wanted.iter().for_each(|(path, text)| write(self.dir.path(), path, text));
    }
}

fn tree(root: &Path) -> Tree {
    let mut files = Tree::new();
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                files.insert(name, std::fs::read_to_string(&path).unwrap());
            }
        }
    }
    files
}

/// Whether it succeeded.
fn call(app: &Arc<AppState>, (tool, args): &(&'static str, Value)) -> bool {
    let reply = app.session("test", Vec::new()).call(ide_tools::find(tool).unwrap(), args.clone(), None);
    !reply.is_error
}

#[test]
fn two_writers_leave_what_one_after_the_other_leaves() {
    let scene = Scene::new();
    scene.reset();
    let (one, two) = (scene.app(), scene.app());
    let calls = calls();
    let serial = |first: usize, second: usize| {
        scene.reset();
        let done = (call(&one, &calls[first]), call(&one, &calls[second]));
        (done, tree(scene.dir.path()))
    };
    for a in 0..calls.len() {
        for b in (a..calls.len()).filter(|b| (a + b) % scaled(5, 1) == 0) {
            let (forth, back) = (serial(a, b), serial(b, a));
            let back = ((back.0.1, back.0.0), back.1);
            // The second in the same server, then in another one and a little later.
            for round in 0..2_u64 {
                let other = if round % 2 == 0 { &one } else { &two };
                scene.reset();
                let barrier = Barrier::new(2);
                let done = std::thread::scope(|scope| {
                    let first = scope.spawn(|| {
                        barrier.wait();
                        call(&one, &calls[a])
                    });
                    barrier.wait();
                    let begun = std::time::Instant::now();
                    while begun.elapsed() < Duration::from_micros(round * 700) {
                        std::hint::spin_loop();
                    }
                    let second = call(other, &calls[b]);
                    (first.join().unwrap(), second)
                });
                let found = (done, tree(scene.dir.path()));
                assert!(
                    found == forth || found == back,
                    "{:?} and {:?} in round {round}: {found:#?}\nneither {forth:#?}\nnor {back:#?}",
                    calls[a],
                    calls[b]
                );
            }
        }
    }
}

#[test]
fn readers_see_the_old_tree_or_the_new_one() {
    let scene = Scene::new();
    scene.reset();
    let (one, two) = (scene.app(), scene.app());
    let uses = |app: &Arc<AppState>, name: &str| {
        let args = json!({"query": format!("{name}\\("), "regex": true, "pageSize": 100});
        let session = app.session("reader", Vec::new());
        let reply = session.call(ide_tools::find("ide_search_text").unwrap(), args, None);
        let found: Value = serde_json::from_str(&reply.json).unwrap();
        found["matches"].as_array().unwrap_or_else(|| panic!("{found}")).len()
    };
    // Its uses and its declaration.
    assert_eq!(uses(&two, "hello"), USERS + 1);
    for round in 0..6 {
        let (from, to) = if round % 2 == 0 { ("hello", "howdy") } else { ("howdy", "hello") };
        std::thread::scope(|scope| {
            let rename = json!({"language": "Python", "symbol": format!("lib.{from}"), "newName": to});
            let writer = scope.spawn(|| assert!(call(&one, &("ide_refactor_rename", rename))));
            while !writer.is_finished() {
                let found = uses(if round < 3 { &two } else { &one }, from);
                assert!(found == 0 || found == USERS + 1, "{found} of {}", USERS + 1);
            }
            writer.join().unwrap();
        });
        assert_eq!((uses(&two, from), uses(&two, to)), (0, USERS + 1));
    }
}
