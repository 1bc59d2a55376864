//! A process that is killed at any moment leaves, once the next one has started, the old tree or the new one.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use ide_edit::content_hash;
use ide_model::{Cx, EditPlan, Editor, FileChange, FilePath, Stop, TextEdit, TextRange};
use test_fixture::scaled;

use crate::{create, open, tree, write};

const PROJECT: &str = "IDE_EDIT_TEST_PROJECT";
const FILES: usize = 100;

fn text(generation: usize, file: usize) -> String {
    format!("file {file} of generation {generation}\n")
}

/// The place of a file in a generation: every tenth one moves.
fn place(generation: usize, file: usize) -> String {
    match file % 10 {
        0 => format!("moved{}/f{file}", generation % 2),
        _ => format!("d{}/f{file}", file % 7),
    }
}

/// The whole project in a generation.
fn project(generation: usize) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, Vec<u8>> =
        (0..FILES).map(|i| (place(generation, i), text(generation, i).into_bytes())).collect();
    files.insert(format!("only/in{generation}"), b"x".to_vec());
    files
}

/// From a generation to the next one: edits, moves, a creation and a deletion.
fn plan(from: usize) -> EditPlan {
    let to = from + 1;
    let mut plan = EditPlan::new(format!("generation {to}"));
    for i in 0..FILES {
        let (old, new) = (text(from, i), text(to, i));
        let before = content_hash(old.as_bytes());
        let edits = vec![TextEdit::new(TextRange::new(0, old.len() as u32), new)];
        let file = FilePath::new(place(from, i));
        plan.changes.push(if place(to, i) == place(from, i) {
            FileChange::Edit { file, before, edits }
        } else {
            FileChange::Move { from: file, to: FilePath::new(place(to, i)), before, edits }
        });
    }
    plan.changes.push(create(&format!("only/in{to}"), "x"));
    let gone = FilePath::new(format!("only/in{from}"));
    plan.changes.push(FileChange::Delete { file: gone, before: content_hash(b"x") });
    plan
}

/// The generation on disk, if it is one.
fn generation_of(root: &Path) -> usize {
    let mut found = tree(root);
    found.retain(|name, _| !name.ends_with('/'));
    let mark = found.keys().find_map(|name| name.strip_prefix("only/in")).expect("one generation is there");
    let generation = mark.parse().unwrap();
    assert!(found == project(generation), "a mixture: {:?}", found.keys().collect::<Vec<_>>());
    generation
}

/// Not a test of its own: the body of the process that is killed. Goes forward, back, and forward again.
#[test]
fn killed_process() {
    let Ok(directory) = std::env::var(PROJECT) else { return };
    let root = Path::new(&directory).join("p");
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let editor = open(&root, &Path::new(&directory).join("state"));
    for generation in generation_of(&root).. {
        println!("apply");
        editor.apply(cx, &plan(generation)).unwrap();
        println!("undo");
        editor.undo(cx, None, false).unwrap();
        println!("redo");
        editor.redo(cx, None, false).unwrap();
    }
}

#[test]
fn a_kill_at_any_moment_leaves_one_generation() {
    // Kills do not lose what the system has in memory, so a disk in memory is as good and much faster.
    let memory = Path::new("/dev/shm");
    let dir = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.unwrap();
    let root = dir.path().join("p");
    for (path, bytes) in project(0) {
        write(&root.join(path), &bytes);
    }
    let (mut torn, mut step) = (0, Duration::from_millis(16));
    for round in 0..scaled(30, 300) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::killed_process", "--nocapture"])
            .env(PROJECT, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                lines
                    .filter(|line| ["apply", "undo", "redo"].contains(&&**line))
                    .try_for_each(|l| send.send(l))
            });
            receive.recv_timeout(Duration::from_secs(60)).expect("the process works");
            for _ in 0..round % 3 {
                let begun = Instant::now();
                receive.recv_timeout(Duration::from_secs(60)).expect("the process works");
                step = begun.elapsed();
            }
            // Somewhere in the step that has just begun, which takes about as long as the one before.
            let part = (round * 7_919 % 1_000) as u32;
            drop(receive.recv_timeout(step * part / 1_000));
            child.kill().unwrap();
            child.wait().unwrap();
        });
        let names: Vec<String> = tree(&root).into_keys().collect();
        torn += usize::from(names.iter().any(|name| name.contains(".ide-edit-")));
        drop(open(&root, &dir.path().join("state")));
        generation_of(&root);
    }
    // How many depends on how busy the machine is.
    assert!(torn > 0, "no kill hit a step in the middle");
}
