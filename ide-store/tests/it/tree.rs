//! A directory that is changed at random, and a plain list of what it must hold.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_index::World;
use ide_model::{Cx, Stop};
use ide_store::{Options, ProjectBackend, StoreSnapshot};

pub(crate) const BUILD: u64 = 9;

/// A project on disk and what is known to be in it.
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    pub(crate) files: BTreeMap<String, String>,
    ignored: bool,
    state: u64,
    serial: u32,
}

const DIRECTORIES: &[&str] = &["", "a", "a/b", "a/b/c", "d", "e/f", "ign"];
const NAMES: &[&str] = &["A.java", "B.java", "C.java", "note.txt"];

impl Tree {
    pub(crate) fn new(root: &Path, seed: u64) -> Self {
        fs::create_dir_all(root).unwrap();
        Self { root: root.to_owned(), files: BTreeMap::new(), ignored: false, state: seed | 1, serial: 0 }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state =
            self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) as usize % limit
    }

    /// Text of constant length, so that sizes never give a change away.
    fn text(&mut self) -> String {
        self.serial += 1;
        format!("class C{:06} {{ }}\n", self.serial)
    }

    fn any_path(&mut self) -> String {
        let directory = DIRECTORIES[self.below(DIRECTORIES.len())];
        let name = NAMES[self.below(NAMES.len())];
        if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
    }

    fn known_path(&mut self) -> Option<String> {
        let at = self.below(self.files.len().max(1));
        self.files.keys().filter(|path| *path != ".gitignore").nth(at).cloned()
    }

    pub(crate) fn write(&mut self, path: &str, text: &str) {
        let full = self.root.join(path);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        fs::write(full, text).unwrap();
        self.files.insert(path.to_owned(), text.to_owned());
    }

    fn move_all(&mut self, from: &str, to: &str) {
        fs::rename(self.root.join(from), self.root.join(to)).unwrap();
        let inside = format!("{from}/");
        let moved: Vec<_> =
            self.files.keys().filter(|p| *p == from || p.starts_with(&inside)).cloned().collect();
        for path in moved {
            let text = self.files.remove(&path).unwrap();
            self.files.insert(format!("{to}{}", &path[from.len()..]), text);
        }
    }

    /// One change of any kind.
    pub(crate) fn change(&mut self) -> String {
        match self.below(10) {
            0..=2 => {
                let (path, text) = (self.any_path(), self.text());
                self.write(&path, &text);
                format!("write {path}")
            }
            3 => {
                let (path, text) = (self.any_path(), self.text());
                self.write(&path, "");
                self.write(&path, &text);
                let at = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
                fs::File::options()
                    .write(true)
                    .open(self.root.join(&path))
                    .unwrap()
                    .set_modified(at)
                    .unwrap();
                format!("write {path} and set its time back")
            }
            4 => {
                let (path, text) = (self.any_path(), self.text());
                self.write("saved.tmp", &text);
                fs::create_dir_all(self.root.join(&path).parent().unwrap()).unwrap();
                self.move_all("saved.tmp", &path);
                format!("replace {path}")
            }
            5 => {
                let Some(path) = self.known_path() else { return "nothing".to_owned() };
                fs::remove_file(self.root.join(&path)).unwrap();
                self.files.remove(&path);
                format!("remove {path}")
            }
            6 => {
                let Some(from) = self.known_path() else { return "nothing".to_owned() };
                let to = format!("moved{}.java", self.serial);
                self.serial += 1;
                self.move_all(&from, &to);
                format!("rename {from} to {to}")
            }
            7 => {
                let (from, to) = (["a", "a/b", "d", "x"][self.below(4)], ["x", "d/y", "a/z"][self.below(3)]);
                let (source, target) = (self.root.join(from), self.root.join(to));
                if !source.is_dir() || target.exists() || to.starts_with(&format!("{from}/")) {
                    return "nothing".to_owned();
                }
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                self.move_all(from, to);
                let path = format!("{to}/After.java");
                let text = self.text();
                self.write(&path, &text);
                format!("move {from} to {to} and write into it")
            }
            8 => {
                let directory = ["a", "a/b", "d", "x", "e"][self.below(5)];
                if !self.root.join(directory).is_dir() {
                    return "nothing".to_owned();
                }
                fs::remove_dir_all(self.root.join(directory)).unwrap();
                let inside = format!("{directory}/");
                self.files.retain(|path, _| !path.starts_with(&inside));
                format!("remove {directory} and all in it")
            }
            _ => {
                self.ignored = !self.ignored;
                self.write(".gitignore", if self.ignored { "ign/\n" } else { "# none\n" });
                format!("ignore: {}", self.ignored)
            }
        }
    }

    /// Compares a snapshot with what must be there.
    pub(crate) fn check(&self, snapshot: &StoreSnapshot, after: &str) {
        let index = snapshot.index();
        let visible = |path: &&String| !(self.ignored && path.starts_with("ign/"));
        let wanted: Vec<&String> = self.files.keys().filter(visible).collect();
        let found: Vec<&str> = index.rows().map(|row| row.entry.path.as_str()).collect();
        assert_eq!(found, wanted, "after: {after}");
        for path in wanted.iter().filter(|path| path.ends_with(".java")) {
            let id = index.file_by_path(path).unwrap();
            let class = self.files[*path].split(' ').nth(1).unwrap();
            let sites = index.declarations(class);
            assert!(sites.iter().any(|site| site.at.file == id), "{path} declares {class}, after: {after}");
        }
    }
}

pub(crate) fn options(cache: Option<&Path>, watch: bool) -> Options {
    Options {
        cache_dir: cache.map(Path::to_owned),
        build_id: Some(BUILD),
        watch,
        threads: 2,
        ..Options::default()
    }
}

pub(crate) fn ask(backend: &ProjectBackend) -> Arc<StoreSnapshot> {
    let stop = Stop::new();
    backend.store_snapshot(Cx::new(&stop)).expect("the project is there")
}

/// The kept index in a cache of one project.
pub(crate) fn base(cache: &Path) -> PathBuf {
    let only = |directory: &Path| fs::read_dir(directory).unwrap().next().unwrap().unwrap().path();
    only(&only(cache)).join("base.seg")
}

/// The facts beside it.
pub(crate) fn facts(cache: &Path) -> Option<PathBuf> {
    let all = fs::read_dir(base(cache).parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("facts-")).max()
}
