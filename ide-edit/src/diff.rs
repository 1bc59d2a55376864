//! Changes of a file as unified diffs.

use std::borrow::Cow;
use std::ops::Range;

use ide_model::{ChangeKind, FileDiff, FilePath};
use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

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
    let names = [name("a", before.is_some()), name("b", after.is_some())];
    unified(&old, &new, 3, &names)
}

/// The unified diff of two texts with `context` lines around each change, under the two names; empty for equal texts.
pub fn unified(before: &str, after: &str, context: u32, names: &[String; 2]) -> String {
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let hunks: Vec<Hunk> = diff.hunks().collect();
    let mut text = String::new();
    if !hunks.is_empty() {
        let [old, new] = names;
        text.push_str(&format!("--- {old}\n+++ {new}\n"));
    }
    for group in hunks.chunk_by(|one, next| next.before.start - one.before.end <= 2 * context) {
        let (first, last) = (&group[0], &group[group.len() - 1]);
        let lead = context.min(first.before.start);
        let tail = context.min(input.before.len() as u32 - last.before.end);
        let mut shown = first.before.start - lead;
        let old = numbers(shown..last.before.end + tail);
        let new = numbers(first.after.start - lead..last.after.end + tail);
        text.push_str(&format!("@@ -{old} +{new} @@\n"));
        let mut add = |mark: &str, tokens: &[imara_diff::Token], lines: Range<u32>| {
            for token in &tokens[lines.start as usize..lines.end as usize] {
                let line = input.interner[*token];
                let end = if line.ends_with('\n') { "" } else { "\n\\ No newline at end of file\n" };
                text.extend([mark, line, end]);
            }
        };
        for hunk in group {
            add(" ", &input.before, shown..hunk.before.start);
            add("-", &input.before, hunk.before.clone());
            add("+", &input.after, hunk.after.clone());
            shown = hunk.before.end;
        }
        add(" ", &input.before, shown..shown + tail);
    }
    text
}

/// Lines as the head of a hunk gives them: the first one, from 1, and the count unless it is 1; of no lines the one before.
fn numbers(lines: Range<u32>) -> String {
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
