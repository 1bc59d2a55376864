//! Refuses plans that leave a file with new syntax errors.

use ide_model::{
    Conflict, ConflictKind, Cx, FileChange, FilePath, FileText, Language, QueryError, Refactored, edited,
};

/// Adds a conflict to a plan for every file in which it makes new syntax errors. Files that have no strict parser, or that are too
/// large or too deeply nested for it, are not held against it.
///
/// # Errors
/// When the question is stopped.
pub(crate) fn refuse_unreadable(
    cx: Cx<'_>,
    mut done: Refactored,
    text: impl Fn(&FilePath) -> Result<FileText, QueryError>,
) -> Result<Refactored, QueryError> {
    if !done.conflicts.is_empty() {
        return Ok(done);
    }
    for change in &done.plan.changes {
        cx.check()?;
        let (old, path, new) = match change {
            FileChange::Edit { edits, .. } | FileChange::Move { edits, .. } if edits.is_empty() => continue,
            FileChange::Create { file, text } => (None, file, Some(text.to_string())),
            FileChange::Edit { file, edits, .. } | FileChange::Move { from: file, edits, .. } => {
                let old = text(file)?.text;
                let to = if let FileChange::Move { to, .. } = change { to } else { file };
                let new = edited(&old, edits);
                (Some(old), to, new)
            }
            FileChange::Delete { .. } => continue,
        };
        let (Some(language), Some(new)) = (Language::of_path(path.as_str()), new) else { continue };
        let errors = |text: &str| {
            ide_syntax::check(cx, language, path.as_str(), text)
                .map_or_else(Vec::new, |checked| checked.errors)
        };
        let now = errors(&new);
        cx.check()?;
        let Some(first) = now.first() else { continue };
        if old.is_some_and(|old| errors(&old).len() >= now.len()) {
            continue;
        }
        cx.check()?;
        let line = FileText::new(new.as_str()).position(first.range.start).line;
        let message = format!("{path} would not parse, line {line}: {}", first.message);
        done.conflicts.push(Conflict { kind: ConflictKind::Form, message, at: None });
    }
    // A stopped check reports no errors.
    cx.check().map(|()| done)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ide_model::{ContentHash, EditPlan, Stop, TextEdit, TextRange};

    use super::*;

    fn conflicts(path: &str, old: &str, range: (u32, u32), new: &str) -> usize {
        let mut plan = EditPlan::new("change");
        let edits = vec![TextEdit::new(TextRange::new(range.0, range.1), new)];
        plan.changes.push(FileChange::Edit { file: FilePath::new(path), before: ContentHash(0), edits });
        let done = Refactored { plan, ..Refactored::default() };
        let text = |_: &FilePath| Ok(FileText::new(Arc::from(old)));
        refuse_unreadable(Cx::new(&Stop::new()), done, text).expect("it is not stopped").conflicts.len()
    }

    #[test]
    fn a_change_may_not_leave_new_syntax_errors() {
        assert_eq!(conflicts("a.js", "const o = { a, b, c };\n", (15, 16), ""), 1);
        assert_eq!(conflicts("a.js", "const o = { a, b, c };\n", (15, 17), ""), 0);
        assert_eq!(conflicts("a.rs", "fn f() { 1 }\n", (9, 10), "1 +"), 1);
        assert_eq!(conflicts("a.py", "x = 1\n", (4, 5), "(1"), 1);
    }

    #[test]
    fn errors_that_were_there_before_are_no_hindrance() {
        assert_eq!(conflicts("a.js", "const o = { , };\nlet a;\n", (21, 22), "b"), 0);
        assert_eq!(conflicts("notes.txt", "(", (0, 1), "(("), 0);
    }
}
