//! Differences of texts, and changes of a file as unified diffs.

use std::borrow::Cow;
use std::ops::Range;
use std::time::Instant;

use ide_model::{ChangeKind, FileDiff, FilePath};
use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};

use crate::disk::State;

/// Files larger than this are not compared line by line.
const MAX_COMPARED: usize = 4 << 20;

/// The change of a file.
pub(crate) fn file_diff(file: &FilePath, before: &State, after: &State) -> FileDiff {
    let kind = match (before, after) {
        (State::Absent, _) => ChangeKind::Created,
        (_, State::Absent) => ChangeKind::Deleted,
        _ => ChangeKind::Changed,
    };
    let (path, before, after) = (file.clone(), before.clone(), after.clone());
    let left = after.clone();
    FileDiff::new(file.clone(), kind, move || shown(&path, before.bytes(), after.bytes()))
        .leaving(move || text(Some(left.bytes()?)).map(Into::into))
}

fn shown(file: &FilePath, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let (Some(old), Some(new)) = (text(before), text(after)) else {
        return format!("{file} is not text, or too large to be compared\n");
    };
    let name =
        |side: &str, there: bool| if there { format!("{side}/{file}") } else { "/dev/null".to_owned() };
    unified(&old, &new, 3, [&name("a", before.is_some()), &name("b", after.is_some())])
}

/// Lines that differ between two texts, counted from 0. One of the ranges may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineChange {
    pub before: Range<usize>,
    pub after: Range<usize>,
}

/// The lines that differ, in order. When `until` has passed, the changes found are larger than they need be.
pub fn line_changes(before: &[&[u8]], after: &[&[u8]], until: Option<Instant>) -> Vec<LineChange> {
    let mut found = Compact::new(Replace::new(Capture::new()), before, after);
    let Ok(()) = myers::diff_deadline(&mut found, before, 0..before.len(), after, 0..after.len(), until);
    let ops = found.into_inner().into_inner().into_ops();
    let differ = ops.into_iter().filter(|op| !matches!(op, DiffOp::Equal { .. }));
    differ.map(|op| LineChange { before: op.old_range(), after: op.new_range() }).collect()
}

/// The unified diff of two texts with `context` lines around each change, under the two names; empty for equal texts.
pub fn unified(before: &str, after: &str, context: usize, names: [&str; 2]) -> String {
    let lines = |text| str::split_inclusive(text, '\n').map(str::as_bytes).collect::<Vec<_>>();
    let (before, after) = (lines(before), lines(after));
    let changes = line_changes(&before, &after, None);
    let mut text = String::new();
    if !changes.is_empty() {
        let [old, new] = names;
        text.push_str(&format!("--- {old}\n+++ {new}\n"));
    }
    for group in changes.chunk_by(|one, next| next.before.start - one.before.end <= 2 * context) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let lead = context.min(first.before.start);
        let tail = context.min(before.len() - last.before.end);
        let mut shown = first.before.start - lead;
        let old = numbers(shown..last.before.end + tail);
        let new = numbers(first.after.start - lead..last.after.end + tail);
        text.push_str(&format!("@@ -{old} +{new} @@\n"));
        let mut add = |mark: &str, lines: &[&[u8]]| {
            for line in lines {
                let end = if line.ends_with(b"\n") { "" } else { "\n\\ No newline at end of file\n" };
                text.extend([mark, &String::from_utf8_lossy(line), end]);
            }
        };
        for change in group {
            add(" ", &before[shown..change.before.start]);
            add("-", &before[change.before.clone()]);
            add("+", &after[change.after.clone()]);
            shown = change.before.end;
        }
        add(" ", &before[shown..shown + tail]);
    }
    text
}

/// Lines as the head of a hunk gives them: the first one, from 1, and the count unless it is 1; of no lines the one before.
fn numbers(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// The text for reading; a diff is shown, never applied, so that what is no character may be replaced.
fn text(bytes: Option<&[u8]>) -> Option<Cow<'_, str>> {
    let decode = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, _) = bytes.as_chunks::<2>();
        let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
        Cow::Owned(String::from_utf16_lossy(&units))
    };
    match bytes.unwrap_or_default() {
        bytes if bytes.len() > MAX_COMPARED => None,
        [0xff, 0xfe, rest @ ..] => Some(decode(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Some(decode(rest, u16::from_be_bytes)),
        bytes if bytes.contains(&0) => None,
        bytes => Some(String::from_utf8_lossy(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Mode;

    #[test]
    fn diffs_are_unified() {
        let state = |text: &str| State::File { bytes: text.as_bytes().into(), mode: Mode::default() };
        let file = FilePath::new("d/f.txt");
        let changed = file_diff(&file, &state("a\nb\nc\n"), &state("a\nB\nc"));
        assert_eq!(changed.kind, ChangeKind::Changed);
        assert_eq!(
            changed.unified(),
            "--- a/d/f.txt\n+++ b/d/f.txt\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n\\ No newline at end of file\n"
        );
        let far = |edge: &str| state(&format!("{edge}\n1\n2\n3\n4\n5\n6\n7\n{edge}\n"));
        assert_eq!(
            file_diff(&file, &far("a"), &far("b")).unified(),
            "--- a/d/f.txt\n+++ b/d/f.txt\n@@ -1,4 +1,4 @@\n-a\n+b\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-a\n+b\n"
        );
        let created = file_diff(&file, &State::Absent, &state("a\n"));
        assert_eq!(
            (created.kind, created.unified().as_str()),
            (ChangeKind::Created, "--- /dev/null\n+++ b/d/f.txt\n@@ -0,0 +1 @@\n+a\n")
        );
        let binary = file_diff(&file, &state("a\0b"), &State::Absent);
        assert_eq!(binary.kind, ChangeKind::Deleted);
        assert!(binary.unified().contains("not text"));
    }
}
