//! Changes of a file as unified diffs.

use std::borrow::Cow;

use ide_model::{ChangeKind, FileDiff, FilePath};
use similar::TextDiff;

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
    FileDiff::new(file.clone(), kind, move || unified(&path, before.bytes(), after.bytes()))
        .leaving(move || text(Some(left.bytes()?)).map(Into::into))
}

fn unified(file: &FilePath, before: Option<&[u8]>, after: Option<&[u8]>) -> String {
    let (old, new) = (text(before), text(after));
    let (Some(old), Some(new)) = (old, new) else {
        return format!("{file} is not text, or too large to be compared\n");
    };
    let name =
        |side: &str, there: bool| if there { format!("{side}/{file}") } else { "/dev/null".to_owned() };
    TextDiff::from_lines(&*old, &*new)
        .unified_diff()
        .context_radius(3)
        .header(&name("a", before.is_some()), &name("b", after.is_some()))
        .to_string()
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
        let created = file_diff(&file, &State::Absent, &state("a\n"));
        assert_eq!(
            (created.kind, created.unified().starts_with("--- /dev/null\n")),
            (ChangeKind::Created, true)
        );
        let binary = file_diff(&file, &state("a\0b"), &State::Absent);
        assert_eq!(binary.kind, ChangeKind::Deleted);
        assert!(binary.unified().contains("not text"));
    }
}
