//! A process that is killed at any moment leaves a cache from which the next one starts right.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use ide_index::World;
use ide_model::{Cx, Stop};
use ide_store::{ProjectBackend, StoreSnapshot};

use crate::tree::{Tree, ask, options};

const PROJECT: &str = "IDE_STORE_TEST_PROJECT";

/// Held while processes are started or a cache changes hands: what is to become a child holds the locks of its parent
/// until it runs.
static STARTS: Mutex<()> = Mutex::new(());

/// Not a test of its own: the body of the process that is killed. Writes many files, asks, and says so, for ever.
#[test]
fn killed_process() {
    #[expect(clippy::disallowed_methods, reason = "tells the process to be killed from a run of all tests")]
    let Ok(directory) = std::env::var(PROJECT) else { return };
    let directory = Path::new(&directory);
    let backend =
        ProjectBackend::open(&directory.join("p"), options(Some(&directory.join("c")), true)).unwrap();
    for round in 0.. {
        for i in 0..90 {
            let text = format!("class R{round}x{i} {{}}\n");
            std::fs::write(directory.join(format!("p/F{i}.java")), text).unwrap();
        }
        let snapshot = ask(&backend);
        if round % 3 == 1 {
            assert!(!snapshot.index().is_damaged());
            let stop = Stop::new();
            backend.fill(Cx::new(&stop)).unwrap();
        }
        println!("round {round}");
    }
}

#[test]
fn a_kill_at_any_moment_is_survived() {
    let _alone = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("p");
    std::fs::create_dir(&root).unwrap();
    for rounds in [0, 1, 2, 3, 5, 8, 13, 4, 1, 0, 6] {
        #[expect(clippy::disallowed_methods, reason = "a process is needed to be killed")]
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "crash::killed_process", "--nocapture"])
            .env(PROJECT, dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let seen = lines.map_while(Result::ok).filter(|line| line.starts_with("round")).take(rounds).count();
        assert_eq!(seen, rounds, "the process works");
        child.kill().unwrap();
        child.wait().unwrap();
        let mut tree = Tree::new(&root, 1);
        for entry in std::fs::read_dir(&root).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            // It may have been killed while it wrote.
            tree.files.insert(name, if text.contains(' ') { text } else { "an empty file".to_owned() });
        }
        let cut: Vec<String> = tree
            .files
            .iter()
            .filter(|(_, text)| *text == "an empty file")
            .map(|(name, _)| name.clone())
            .collect();
        for name in cut {
            tree.write(&name, "class Cut {}\n");
        }
        let backend = ProjectBackend::open(&root, options(Some(&dir.path().join("c")), true)).unwrap();
        tree.check(&ask(&backend), &format!("killed after {rounds} rounds"));
    }
}

/// The names of all definitions; `None` when the index turns out to be damaged.
fn definitions(snapshot: &StoreSnapshot) -> Option<Vec<String>> {
    let index = snapshot.index();
    let files = (0..index.file_count()).map(ide_index::FileId);
    let names = files.flat_map(|file| {
        let facts = index.facts(file);
        facts.defs.iter().map(|def| facts.name(def.name).to_owned()).collect::<Vec<_>>()
    });
    let names = names.collect();
    (!index.is_damaged()).then_some(names)
}

#[test]
fn a_damaged_cache_gives_no_wrong_answer_and_is_replaced() {
    damage(false);
    damage(true);
}

/// Flips bits of a base or, when it `is_filled`, of the facts beside it.
#[expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]
fn damage(is_filled: bool) {
    let _alone = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 1);
    for name in ["A", "B"] {
        tree.write(&format!("{name}.java"), &format!("class {name} {{ void f() {{ g(1); }} }}\n"));
    }
    let cache = dir.path().join("c");
    let open = || ProjectBackend::open(&tree.root, options(Some(&cache), true)).unwrap();
    let wanted = definitions(&ask(&open())).unwrap();
    if is_filled {
        let stop = Stop::new();
        open().fill(Cx::new(&stop)).unwrap();
    }
    let base = crate::tree::base(&cache);
    let good = std::fs::read(&base).unwrap();
    let facts = crate::tree::facts(&cache).map(|path| (std::fs::read(&path).unwrap(), path));
    assert_eq!(facts.is_some(), is_filled);
    let (damaged, path) = facts.clone().unwrap_or_else(|| (good.clone(), base.clone()));
    for at in (0..damaged.len()).step_by(17) {
        let mut bad = damaged.clone();
        bad[at] ^= 0x10;
        std::fs::write(&base, &good).unwrap();
        std::fs::write(&path, bad).unwrap();
        let backend = open();
        let names = definitions(&ask(&backend)).or_else(|| definitions(&ask(&backend)));
        assert_eq!(names.as_ref(), Some(&wanted), "byte {at}");
        drop(backend);
        assert_eq!(definitions(&ask(&open())).as_ref(), Some(&wanted), "byte {at}, and the next process");
    }
}

/// Every file of a cache, cut off, overwritten or lengthened anywhere.
#[test]
fn a_file_of_a_cache_that_is_spoiled_in_any_way_gives_no_wrong_answer() {
    let _alone = STARTS.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = tempfile::tempdir().unwrap();
    let mut tree = Tree::new(&dir.path().join("p"), 1);
    for name in ["A", "B", "C"] {
        tree.write(&format!("{name}.java"), &format!("class {name} {{ void f() {{ g(1); }} }}\n"));
    }
    let cache = dir.path().join("c");
    let open = |tree: &Tree| ProjectBackend::open(&tree.root, options(Some(&cache), true)).unwrap();
    ask(&open(&tree));
    let stop = Stop::new();
    open(&tree).fill(Cx::new(&stop)).unwrap();
    // A later change goes into a journal.
    tree.write("D.java", "class D { int n; }\n");
    let wanted = definitions(&ask(&open(&tree))).unwrap();
    let folder = crate::tree::base(&cache).parent().unwrap().to_owned();
    let kept: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (std::fs::read(&path).unwrap(), path))
        .collect();
    let spoilt: Vec<_> = kept.iter().filter(|(bytes, _)| !bytes.is_empty()).collect();
    assert!(spoilt.len() >= 3, "{:?}", kept.iter().map(|(_, path)| path).collect::<Vec<_>>());
    let mut state = 7_u64;
    let mut below = |limit: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % limit
    };
    for round in 0..60 {
        for entry in std::fs::read_dir(&folder).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
        kept.iter().for_each(|(bytes, path)| std::fs::write(path, bytes).unwrap());
        let (bytes, path) = spoilt[below(spoilt.len())];
        let (mut bytes, at, way) = (bytes.clone(), below(bytes.len()), below(4));
        match way {
            0 => bytes.truncate(at),
            1 => {
                let end = bytes.len().min(at + 1 + below(64));
                bytes[at..end].fill(0xff);
            }
            2 => bytes.extend_from_within(at..),
            _ => (0..8).for_each(|_| bytes[below(at + 1)] ^= 1 << below(8)),
        }
        std::fs::write(path, bytes).unwrap();
        let context = format!("round {round}: {} at {at}, way {way}", path.display());
        let backend = open(&tree);
        let names = definitions(&ask(&backend)).or_else(|| definitions(&ask(&backend)));
        assert_eq!(names.as_ref(), Some(&wanted), "{context}");
        drop(backend);
        assert_eq!(
            definitions(&ask(&open(&tree))).as_ref(),
            Some(&wanted),
            "{context}, and the next process"
        );
    }
}
