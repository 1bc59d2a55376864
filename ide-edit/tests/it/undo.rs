//! Steps taken back and done again, by this process and by the next one.

use ide_edit::content_hash;
use ide_model::{Cx, EditError, EditPlan, Editor, FileChange, FilePath, RefusalReason, Stop};

use crate::{Home, create, write};

#[test]
fn steps_go_back_and_forth_byte_by_byte_also_after_a_restart() {
    let mut home = Home::new(&[("a", "0"), ("d/b", "\u{feff}x\r\ny")]);
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let mut trees = vec![home.tree()];
    let mut steps = Vec::new();
    for n in 1..4 {
        let mut plan = home.replacing(&[("a", &n.to_string())]);
        plan.changes.push(create(&format!("new{n}/deep/f"), "made"));
        let step = home.editor.apply(cx, &plan).unwrap();
        assert_eq!(home.editor.step(&step.id, false).unwrap(), step);
        steps.push(step);
        trees.push(home.tree());
    }
    home.restart();
    for n in (0..3).rev() {
        let dry = home.editor.undo(cx, None, true).unwrap();
        assert_eq!(home.tree(), trees[n + 1]);
        assert_eq!(home.editor.undo(cx, Some(&dry.id), false).unwrap(), dry);
        assert_eq!(home.editor.step(&dry.id, true).unwrap(), dry, "it is known when it was taken back");
        assert_eq!(home.editor.step("x", true), None);
        assert_eq!(home.tree(), trees[n], "directories are gone too");
    }
    assert!(matches!(home.editor.undo(cx, None, false), Err(EditError::NoStep { .. })));
    home.restart();
    for tree in &trees[1..3] {
        home.editor.redo(cx, None, false).unwrap();
        assert_eq!(home.tree(), *tree);
    }
    home.editor.apply(cx, &home.replacing(&[("a", "another way")])).unwrap();
    let error = home.editor.redo(cx, None, false).unwrap_err();
    assert!(matches!(error, EditError::NoStep { .. }), "what was taken back before cannot be done any more");
    assert_eq!(home.editor.step(&steps[2].id, false).as_ref(), steps.get(2), "it can be looked at still");
    let other = home.editor.undo(cx, None, false).unwrap();
    assert_eq!(home.tree(), trees[2]);
    assert_eq!(home.editor.redo(cx, None, false).unwrap().id, other.id);
}

/// The directory that a build file is moved to is a content root of the next process, which has a file of that name.
#[test]
fn a_moved_build_file_comes_back_after_a_restart() {
    let mut home = Home::new(&[("go.mod", "module m\n"), ("main.go", "package main\n")]);
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let before = home.tree();
    let mut plan = EditPlan::new("move");
    plan.changes.push(FileChange::Move {
        from: FilePath::new("go.mod"),
        to: FilePath::new("moved/go.mod"),
        before: content_hash(&home.read("go.mod")),
        edits: Vec::new(),
    });
    home.editor.apply(cx, &plan).unwrap();
    home.restart();
    home.editor.undo(cx, None, false).unwrap();
    assert_eq!(home.tree(), before);
}

#[test]
fn a_file_changed_since_is_not_overwritten() {
    let home = Home::new(&[("a", "0"), ("b", "0")]);
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let step = home.editor.apply(cx, &home.replacing(&[("a", "1"), ("b", "1")])).unwrap();
    write(&home.root().join("b"), b"by someone else");
    let before = home.tree();
    let EditError::Refused(all) = home.editor.undo(cx, None, false).unwrap_err() else { panic!() };
    assert_eq!((all.len(), all[0].file.as_str(), all[0].reason), (1, "b", RefusalReason::Changed));
    assert_eq!(home.tree(), before);
    write(&home.root().join("b"), b"1");
    let wrong = home.editor.undo(cx, Some("77"), false).unwrap_err();
    let EditError::NoStep { message } = wrong else { panic!("{wrong:?}") };
    assert!(message.contains("77") && message.contains(&step.id));
    home.editor.undo(cx, Some(&step.id), false).unwrap();
    assert_eq!((home.read("a"), home.read("b")), (b"0".to_vec(), b"0".to_vec()));
}
