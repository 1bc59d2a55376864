//! Where two contents differ: places that can be kept or taken back one by one, byte by byte.

use std::iter;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Larger contents are kept or taken back as a whole.
const LARGEST: usize = 2 << 20;
/// After so long the differences are as good as they are.
const PATIENCE: Duration = Duration::from_secs(1);
/// Lines around a place, for reading.
const AROUND: usize = 3;

/// One place that differs, in bytes and in lines that count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
    before_lines: Range<usize>,
    after_lines: Range<usize>,
}

/// The places that differ; `None` for contents that are no lines of text.
pub(crate) fn hunks(before: &[u8], after: &[u8]) -> Option<Vec<Hunk>> {
    if [before, after].iter().any(|bytes| bytes.len() > LARGEST || bytes.contains(&0)) {
        return None;
    }
    let (old, new) = (lines(before).collect::<Vec<_>>(), lines(after).collect::<Vec<_>>());
    let (olds, news) = (starts(&old), starts(&new));
    let changes = ide_edit::line_changes(&old, &new, Some(Instant::now() + PATIENCE)).into_iter();
    let found = changes.map(|change| Hunk {
        before: olds[change.before.start]..olds[change.before.end],
        after: news[change.after.start]..news[change.after.end],
        before_lines: change.before,
        after_lines: change.after,
    });
    Some(found.collect())
}

fn lines(bytes: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n')
}

/// The offset of each line, and of the end.
fn starts(lines: &[&[u8]]) -> Vec<usize> {
    let ends = lines.iter().scan(0, |end, line| {
        *end += line.len();
        Some(*end)
    });
    iter::once(0).chain(ends).collect()
}

/// The first lines that both have, at most [`AROUND`].
fn agreeing<'a>(
    before: impl Iterator<Item = &'a [u8]>,
    after: impl Iterator<Item = &'a [u8]>,
) -> Vec<&'a [u8]> {
    before.zip(after).take(AROUND).take_while(|(old, new)| old == new).map(|(old, _)| old).collect()
}

impl Hunk {
    /// `into` with its part of this place as `from` has it.
    pub(crate) fn taken(into: &[u8], place: &Range<usize>, from: &[u8], part: &Range<usize>) -> Vec<u8> {
        [&into[..place.start], &from[part.clone()], &into[place.end..]].concat()
    }

    /// The place as a unified diff, for reading.
    pub(crate) fn text(&self, before: &[u8], after: &[u8]) -> String {
        // Only as far as both sides agree: behind that lies another place.
        let mut lead =
            agreeing(lines(&before[..self.before.start]).rev(), lines(&after[..self.after.start]).rev());
        lead.reverse();
        let rest = agreeing(lines(&before[self.before.end..]), lines(&after[self.after.end..]));
        let around = lead.len() + rest.len();
        let mut text = format!(
            "@@ -{},{} +{},{} @@\n",
            self.before_lines.start - lead.len() + 1,
            around + self.before_lines.len(),
            self.after_lines.start - lead.len() + 1,
            around + self.after_lines.len()
        );
        let mut add = |mark: char, lines: &mut dyn Iterator<Item = &[u8]>| {
            for line in lines {
                let line = String::from_utf8_lossy(line);
                let shown = line.strip_suffix('\n').unwrap_or(&line);
                let no_end = if line.ends_with('\n') { "" } else { "\n\\ no newline at the end" };
                // a carriage return that only one side has is a difference that a person should see
                text.push_str(&format!("{mark}{}{no_end}\n", shown.replace('\r', "\u{240d}")));
            }
        };
        add(' ', &mut lead.into_iter());
        add('-', &mut lines(&before[self.before.clone()]));
        add('+', &mut lines(&after[self.after.clone()]));
        add(' ', &mut rest.into_iter());
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_and_put_back_byte_by_byte() {
        let before: &[u8] = b"a\nb\r\nc\nd\ne\nf\ng\nh\xff\n";
        let after: &[u8] = b"a\nB\r\nc\nd\nnew\ne\nf\ng";
        let found = hunks(before, after).unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
        let mut left = after.to_vec();
        for hunk in found.iter().rev() {
            left = Hunk::taken(&left, &hunk.after, before, &hunk.before);
        }
        assert_eq!(left, before);
        let text = found[0].text(before, after);
        assert!(text.starts_with("@@ -1,4 +1,4 @@\n a\n-b\u{240d}\n+B\u{240d}\n c\n"), "{text}");
    }

    #[test]
    fn lines_around_a_place_are_those_of_both_sides() {
        let (before, after): (&[u8], &[u8]) = (b"a\nb\nc\nx\ny\nv\nw\n", b"x\nz\nv\n");
        let texts: Vec<String> =
            hunks(before, after).unwrap().iter().map(|h| h.text(before, after)).collect();
        assert_eq!(
            texts,
            [
                "@@ -1,4 +1,1 @@\n-a\n-b\n-c\n x\n",
                "@@ -4,3 +1,3 @@\n x\n-y\n+z\n v\n",
                "@@ -6,2 +3,1 @@\n v\n-w\n"
            ]
        );
    }

    #[test]
    fn what_is_no_text_is_one_thing() {
        assert!(hunks(b"a\0", b"b").is_none());
        assert!(hunks(b"", b"x\n").is_some_and(|found| found.len() == 1));
        assert_eq!(hunks(b"same", b"same"), Some(Vec::new()));
    }
}
