//! Steps whose files somebody else writes.

use std::path::Path;
use std::sync::{Arc, Mutex};

use ide_edit::{CarriedFile, Carrier, CarryError, CarryWay, DiskEditor};
use ide_model::{Cx, EditError, Editor, FileChange, FilePath, Stop};
use ide_project_resolver::{Exclusions, Project};
use ide_store::OsFs;

use super::{Home, create};

/// The behaviour when it is asked to write.
#[derive(Clone, Copy, PartialEq)]
enum Does {
    Write,
    Refuse,
    Nothing,
    /// It writes one file, then fails.
    Half,
    /// It writes something else.
    Otherwise,
    Unable,
}

struct Ide {
    does: Mutex<Does>,
    seen: Mutex<Vec<String>>,
}

fn put(file: &CarriedFile<'_>, text: Option<&str>) {
    match text {
        Some(text) => std::fs::write(file.path, text).unwrap(),
        None => std::fs::remove_file(file.path).unwrap(),
    }
}

impl Carrier for Ide {
    fn carry(
        &self,
        _: Cx<'_>,
        way: CarryWay,
        title: &str,
        files: &[CarriedFile<'_>],
    ) -> Result<(), CarryError> {
        self.seen.lock().unwrap().push(format!("{way:?} {title} {}", files.len()));
        match *self.does.lock().unwrap() {
            Does::Write => files.iter().for_each(|file| put(file, file.after)),
            Does::Refuse => return Err(CarryError::Changed(files[0].path.to_owned())),
            Does::Nothing => {}
            Does::Half => {
                put(&files[0], files[0].after);
                return Err(CarryError::Failed("it broke".to_owned()));
            }
            Does::Otherwise => put(&files[0], Some("else")),
            Does::Unable => return Err(CarryError::Unable),
        }
        Ok(())
    }
}

fn home() -> (Home, Arc<Ide>) {
    let mut home = Home::new(&[("a", "one\n"), ("b", "two\n")]);
    let ide = Arc::new(Ide { does: Mutex::new(Does::Write), seen: Mutex::default() });
    home.editor = open(&home.root(), &home.dir.path().join("state"), ide.clone());
    (home, ide)
}

fn open(root: &Path, state: &Path, ide: Arc<Ide>) -> DiskEditor {
    let layout = Project::open(&OsFs, root.to_str().unwrap(), &[], Exclusions::default()).unwrap();
    DiskEditor::carried(Arc::new(layout), Arc::new(OsFs), state, Some(ide)).unwrap()
}

fn plan(home: &Home) -> ide_model::EditPlan {
    let mut plan = home.replacing(&[("a", "ONE\n"), ("b", "TWO\n")]);
    plan.changes.push(create("c/d", "new\n"));
    plan
}

#[test]
fn steps_are_carried_there_and_back() {
    let (home, ide) = home();
    let (stop, before) = (Stop::new(), home.tree());
    home.editor.apply(Cx::new(&stop), &plan(&home)).unwrap();
    let after = home.tree();
    assert_eq!((home.read("a"), home.read("c/d")), (b"ONE\n".to_vec(), b"new\n".to_vec()));
    home.editor.undo(Cx::new(&stop), None, false).unwrap();
    assert_eq!(home.tree(), before);
    home.editor.redo(Cx::new(&stop), None, false).unwrap();
    assert_eq!(home.tree(), after);
    let seen = ide.seen.lock().unwrap();
    assert_eq!(*seen, ["Forward replace 3", "Back replace 3", "Forward replace 3"]);
}

#[test]
fn a_step_that_is_not_carried_leaves_nothing() {
    let (home, ide) = home();
    let (stop, before) = (Stop::new(), home.tree());
    for does in [Does::Refuse, Does::Nothing, Does::Half] {
        *ide.does.lock().unwrap() = does;
        let error = home.editor.apply(Cx::new(&stop), &plan(&home)).unwrap_err();
        assert_eq!(does == Does::Refuse, matches!(error, EditError::Refused(_)), "{error:?}");
        assert_eq!(home.tree(), before);
        let undo = home.editor.undo(Cx::new(&stop), None, false);
        assert!(matches!(undo, Err(EditError::NoStep { .. })), "it is no step");
    }
}

#[test]
fn what_somebody_else_wrote_is_left_and_told() {
    let (home, ide) = home();
    *ide.does.lock().unwrap() = Does::Otherwise;
    let stop = Stop::new();
    let error = home.editor.apply(Cx::new(&stop), &home.replacing(&[("a", "ONE\n")])).unwrap_err();
    assert!(
        matches!(&error, EditError::Failed { message } if message.contains("something else")),
        "{error:?}"
    );
    assert_eq!(home.read("a"), b"else");
}

#[test]
fn what_cannot_be_carried_is_written_by_us() {
    let (home, ide) = home();
    let stop = Stop::new();
    *ide.does.lock().unwrap() = Does::Unable;
    home.editor.apply(Cx::new(&stop), &home.replacing(&[("a", "ONE\n")])).unwrap();
    assert_eq!(home.read("a"), b"ONE\n");
    // bytes that are no text never get there
    *ide.does.lock().unwrap() = Does::Refuse;
    std::fs::write(home.root().join("b"), [0xff, 0xfe, b'x', 0]).unwrap();
    let before = ide_edit::content_hash(&home.read("b"));
    let mut plan = ide_model::EditPlan::new("delete");
    plan.changes.push(FileChange::Delete { file: FilePath::new("b"), before });
    home.editor.apply(Cx::new(&stop), &plan).unwrap();
    assert!(!home.root().join("b").exists());
}
