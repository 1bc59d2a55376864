//! All or nothing, and nothing but what the plan says.

use ide_edit::content_hash;
use ide_model::{
    ChangeKind, Cx, EditError, EditPlan, Editor, FileChange, FilePath, QueryError, RefusalReason, Stop,
    StopReason, TextEdit, TextRange,
};

use crate::{Home, create, tree, write};

fn refusals(error: EditError) -> Vec<(String, RefusalReason)> {
    match error {
        EditError::Refused(all) => all.into_iter().map(|r| (r.file.to_string(), r.reason)).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_plan_is_carried_out_whole() {
    let home = Home::new(&[("a.txt", "one two\r\n"), ("gone.txt", "x"), ("old/b.txt", "bb")]);
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let mut plan = EditPlan::new("test");
    let edits = vec![TextEdit::new(TextRange::new(4, 7), "2")];
    plan.changes = vec![
        FileChange::Edit { file: FilePath::new("a.txt"), before: content_hash(b"one two\r\n"), edits },
        FileChange::Delete { file: FilePath::new("gone.txt"), before: content_hash(b"x") },
        FileChange::Move {
            from: FilePath::new("old/b.txt"),
            to: FilePath::new("new/deep/b.txt"),
            before: content_hash(b"bb"),
            edits: vec![TextEdit::insert(1, "-")],
        },
        create("made.txt", "made\n"),
    ];
    let seen = home.editor.preview(cx, &plan).unwrap();
    assert_eq!(home.tree().len(), 4, "a preview writes nothing");
    let step = home.editor.apply(cx, &plan).unwrap();
    assert_eq!(step.files, seen);
    let kinds: Vec<(&str, ChangeKind)> = step.files.iter().map(|f| (f.file.as_str(), f.kind)).collect();
    use ChangeKind::{Changed, Created, Deleted};
    let wanted = [
        ("a.txt", Changed),
        ("gone.txt", Deleted),
        ("made.txt", Created),
        ("new/deep/b.txt", Created),
        ("old/b.txt", Deleted),
    ];
    assert_eq!(kinds, wanted);
    let names: Vec<String> = home.tree().into_keys().collect();
    assert_eq!(names, ["a.txt", "made.txt", "new/", "new/deep/", "new/deep/b.txt", "old/"]);
    assert_eq!(home.read("a.txt"), b"one 2\r\n");
    assert_eq!(home.read("new/deep/b.txt"), b"b-b");
}

#[test]
fn everything_in_the_way_is_listed_and_nothing_written() {
    let home = Home::new(&[("fine", "1"), ("changed", "2"), ("there", "3"), ("locked", "4"), ("d/x", "5")]);
    let locked = home.root().join("locked");
    let mut mode = std::fs::metadata(&locked).unwrap().permissions();
    mode.set_readonly(true);
    std::fs::set_permissions(&locked, mode).unwrap();
    let mut plan = home.replacing(&[("fine", "9"), ("changed", "9"), ("locked", "9")]);
    write(&home.root().join("changed"), b"by someone else");
    let file = |name: &str| FilePath::new(name);
    plan.changes.push(create("there", "9"));
    plan.changes.push(create("../outside", "9"));
    plan.changes.push(create(".git/hooks/x", "9"));
    plan.changes.push(FileChange::Delete { file: file("missing"), before: content_hash(b"") });
    plan.changes.push(FileChange::Delete { file: file("d"), before: content_hash(b"") });
    let before = tree(home.dir.path());
    let stop = Stop::new();
    let mut all = refusals(home.editor.apply(Cx::new(&stop), &plan).unwrap_err());
    all.sort();
    use RefusalReason::{Changed, Exists, Missing, NotAFile, Outside, ReadOnly};
    let wanted = [
        ("../outside", Outside),
        (".git/hooks/x", Outside),
        ("changed", Changed),
        ("d", NotAFile),
        ("locked", ReadOnly),
        ("missing", Missing),
        ("there", Exists),
    ];
    assert_eq!(all, wanted.map(|(file, reason)| (file.to_owned(), reason)));
    let mut after = tree(home.dir.path());
    after.retain(|name, _| !name.starts_with("state"));
    assert_eq!(after, before);
}

#[test]
fn a_step_that_fails_in_the_middle_is_taken_back() {
    // The second file cannot be staged: a directory is in the way of its staged content.
    let home = Home::new(&[("a", "1"), ("d/b", "2")]);
    let before = home.tree();
    let plan = home.replacing(&[("a", "x"), ("d/b", "y")]);
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    home.editor.apply(cx, &home.replacing(&[("a", "1")])).unwrap();
    let name = std::fs::read_dir(home.dir.path().join("state")).unwrap().next().unwrap().unwrap().file_name();
    let tag = format!(".ide-edit-{}-2-1.tmp", &name.to_str().unwrap()[8..]);
    std::fs::create_dir_all(home.root().join("d").join(&tag).join("x")).unwrap();
    let error = home.editor.apply(cx, &plan).unwrap_err();
    assert!(matches!(error, EditError::Failed { .. }), "{error:?}");
    std::fs::remove_dir_all(home.root().join("d").join(&tag)).unwrap();
    assert_eq!(home.tree(), before);
    home.editor.apply(cx, &plan).unwrap();
    assert_eq!(home.read("d/b"), b"y", "the next step works");
}

#[test]
fn a_call_that_was_taken_back_never_writes() {
    let home = Home::new(&[("a", "1")]);
    let before = home.tree();
    let stop = Stop::new();
    stop.stop(StopReason::Cancelled);
    let error = home.editor.apply(Cx::new(&stop), &home.replacing(&[("a", "2")])).unwrap_err();
    assert_eq!(error, EditError::Stopped(QueryError::Cancelled));
    assert_eq!(home.tree(), before);
}

#[test]
fn writers_take_turns() {
    let home = Home::new(&[("count", "0")]);
    let root = home.root();
    let state = home.dir.path().join("state");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            // Two editors of one project, as two processes have them.
            scope.spawn(|| {
                let editor = crate::open(&root, &state);
                let stop = Stop::new();
                let mut done = 0;
                while done < 5 {
                    let old = std::fs::read_to_string(root.join("count")).unwrap();
                    let new = (old.parse::<u32>().unwrap() + 1).to_string();
                    let mut plan = EditPlan::new("count");
                    let whole = TextRange::new(0, old.len() as u32);
                    let edits = vec![TextEdit::new(whole, new)];
                    plan.edit(&FilePath::new("count"), content_hash(old.as_bytes()), edits).unwrap();
                    match editor.apply(Cx::new(&stop), &plan) {
                        Ok(_) => done += 1,
                        Err(EditError::Refused(_)) => {}
                        Err(error) => panic!("{error:?}"),
                    }
                }
            });
        }
    });
    assert_eq!(home.read("count"), b"20", "no update was lost");
}

#[test]
#[cfg(unix)]
fn permissions_and_links_stay() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let home = Home::new(&[("run.sh", "old"), ("real/file", "old")]);
    std::fs::set_permissions(home.root().join("run.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    symlink("real/file", home.root().join("link")).unwrap();
    symlink(home.dir.path(), home.root().join("away")).unwrap();
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    home.editor.apply(cx, &home.replacing(&[("run.sh", "new"), ("link", "new")])).unwrap();
    let mode = std::fs::metadata(home.root().join("run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
    assert_eq!(home.read("real/file"), b"new", "what the link leads to was changed");
    assert!(home.root().join("link").symlink_metadata().unwrap().is_symlink());
    let mut plan = EditPlan::new("through links");
    plan.changes = vec![
        create("away/x", "outside"),
        FileChange::Delete { file: FilePath::new("link"), before: content_hash(b"new") },
    ];
    let mut all = refusals(home.editor.apply(cx, &plan).unwrap_err());
    all.sort();
    assert_eq!(
        all,
        [("away/x".to_owned(), RefusalReason::Outside), ("link".to_owned(), RefusalReason::NotAFile)]
    );
}

#[test]
fn a_name_that_the_disk_refuses_changes_nothing() {
    let home = Home::new(&[("a", "1")]);
    let before = home.tree();
    let mut plan = home.replacing(&[("a", "2")]);
    plan.changes.push(create(&format!("{}/x", "n".repeat(300)), "9"));
    let stop = Stop::new();
    let error = home.editor.apply(Cx::new(&stop), &plan).unwrap_err();
    assert!(matches!(error, EditError::Failed { .. } | EditError::Refused(_)), "{error:?}");
    assert_eq!(home.tree(), before);
}

#[test]
#[cfg(target_os = "linux")]
fn a_directory_that_becomes_a_link_meanwhile_leads_nowhere() {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let home = Home::new(&[("d/x", "0"), ("other", "1")]);
    let (root, outside) = (home.root(), home.dir.path().join("outside"));
    write(&outside.join("x"), b"0");
    let before = tree(&outside);
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let edit = |to: &str| {
        let mut plan = EditPlan::new("test");
        let edits = vec![TextEdit::new(TextRange::new(0, 1), to)];
        plan.changes = vec![
            FileChange::Edit { file: FilePath::new("d/x"), before: content_hash(b"0"), edits },
            create("d/deep/er/new", "n"),
        ];
        plan
    };
    let (d, link) = (root.join("d"), root.join("link"));
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    for _ in 0..60 {
        let is_over = AtomicBool::new(false);
        let is_done = std::thread::scope(|scope| {
            scope.spawn(|| {
                // In one step: the editor would make a directory that is away.
                let swap = || renameat_with(CWD, &d, CWD, &link, RenameFlags::EXCHANGE);
                while !is_over.load(Ordering::Relaxed) {
                    if swap().and_then(|()| swap()).is_err() {
                        return;
                    }
                }
            });
            // Nothing may panic here: the scope waits for the swaps.
            let is_done = home.editor.apply(cx, &edit("2")).is_ok()
                && !(0..20).any(|_| home.editor.undo(cx, None, false).is_ok());
            is_over.store(true, Ordering::Relaxed);
            is_done
        });
        if is_done && let Err(error) = home.editor.undo(cx, None, false) {
            // An undo was torn by the swaps: the directory was a link when its files had to go back.
            refusals(error);
            write(&d.join("x"), b"0");
            drop(std::fs::remove_dir_all(d.join("deep")));
        }
    }
    assert_eq!(tree(&outside), before);
}
