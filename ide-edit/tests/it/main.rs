//! The editor on real directories.

#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot set its scene has failed; the scene is on disk"
)]

mod apply;
mod carried;
mod crash;
mod undo;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ide_edit::{DiskEditor, content_hash};
use ide_model::{EditPlan, FileChange, FilePath, TextEdit, TextRange};
use ide_project_resolver::{Exclusions, Project};
use ide_store::OsFs;
use tempfile::TempDir;

/// A project and a state directory.
struct Home {
    dir: TempDir,
    editor: DiskEditor,
}

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("p");
        std::fs::create_dir(&root).unwrap();
        for (path, text) in files {
            write(&root.join(path), text.as_bytes());
        }
        let editor = open(&root, &dir.path().join("state"));
        Self { dir, editor }
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("p")
    }

    fn read(&self, path: &str) -> Vec<u8> {
        std::fs::read(self.root().join(path)).unwrap()
    }

    /// Every file below the root with its bytes; directories end in `/`.
    fn tree(&self) -> BTreeMap<String, Vec<u8>> {
        tree(&self.root())
    }

    /// A plan that replaces whole files.
    fn replacing(&self, files: &[(&str, &str)]) -> EditPlan {
        let mut plan = EditPlan::new("replace");
        for (path, text) in files {
            let old = self.read(path);
            let whole = TextRange::new(0, old.len() as u32);
            plan.edit(&FilePath::new(*path), content_hash(&old), vec![TextEdit::new(whole, *text)]).unwrap();
        }
        plan
    }

    /// The editor as a process finds it that starts now.
    fn restart(&mut self) {
        self.editor = open(&self.root(), &self.dir.path().join("state"));
    }
}

fn open(root: &Path, state: &Path) -> DiskEditor {
    let layout = Project::open(&OsFs, root.to_str().unwrap(), &[], Exclusions::default()).unwrap();
    DiskEditor::open(Arc::new(layout), Arc::new(OsFs), state).unwrap()
}

fn write(path: &Path, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn tree(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut todo = vec![root.to_owned()];
    while let Some(directory) = todo.pop() {
        for entry in std::fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                found.insert(format!("{name}/"), Vec::new());
                todo.push(path);
            } else {
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn create(file: &str, text: &str) -> FileChange {
    FileChange::Create { file: FilePath::new(file), text: text.into() }
}
