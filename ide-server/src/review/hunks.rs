//! Where two contents differ: places that can be kept or taken back one by one, byte by byte.

use std::ops::Range;
use std::time::{Duration, Instant};

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};

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
    let (old, new) = (lines(before), lines(after));
    let until = Instant::now() + PATIENCE;
    let ops = capture_diff_slices_deadline(Algorithm::Patience, &old, &new, Some(until));
    let mut found: Vec<Hunk> = Vec::new();
    for op in ops {
        let DiffOp::Equal { .. } = op else {
            let (before_lines, after_lines) = (op.old_range(), op.new_range());
            match found.last_mut().filter(|last| {
                last.before_lines.end == before_lines.start && last.after_lines.end == after_lines.start
            }) {
                Some(last) => {
                    (last.before_lines.end, last.after_lines.end) = (before_lines.end, after_lines.end)
                }
                None => found.push(Hunk { before: 0..0, after: 0..0, before_lines, after_lines }),
            }
            continue;
        };
    }
    let bytes = |lines: &[&[u8]], of: &Range<usize>| {
        let start = lines[..of.start].iter().map(|line| line.len()).sum();
        start..start + lines[of.clone()].iter().map(|line| line.len()).sum::<usize>()
    };
    for hunk in &mut found {
        hunk.before = bytes(&old, &hunk.before_lines);
        hunk.after = bytes(&new, &hunk.after_lines);
    }
    Some(found)
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split_inclusive(|byte| *byte == b'\n').collect()
}

impl Hunk {
    /// `into` with its part of this place as `from` has it.
    pub(crate) fn taken(into: &[u8], place: &Range<usize>, from: &[u8], part: &Range<usize>) -> Vec<u8> {
        [&into[..place.start], &from[part.clone()], &into[place.end..]].concat()
    }

    /// The place as a unified diff, for reading.
    pub(crate) fn text(&self, before: &[u8], after: &[u8]) -> String {
        let (old, new) = (lines(before), lines(after));
        let head = self.before_lines.start.saturating_sub(AROUND);
        let lead = self.before_lines.start - head;
        let tail = (self.after_lines.end + AROUND).min(new.len());
        let (olds, news) = (self.before_lines.len(), self.after_lines.len());
        let rest = tail - self.after_lines.end;
        let mut text = format!(
            "@@ -{},{} +{},{} @@\n",
            head + 1,
            lead + olds + rest,
            self.after_lines.start - lead + 1,
            lead + news + rest
        );
        let mut add = |mark: char, lines: &[&[u8]]| {
            for line in lines {
                let line = String::from_utf8_lossy(line);
                let shown = line.strip_suffix('\n').unwrap_or(&line);
                let no_end = if line.ends_with('\n') { "" } else { "\n\\ no newline at the end" };
                // a carriage return that only one side has is a difference that a person should see
                text.push_str(&format!("{mark}{}{no_end}\n", shown.replace('\r', "\u{240d}")));
            }
        };
        add(' ', &old[head..self.before_lines.start]);
        add('-', &old[self.before_lines.clone()]);
        add('+', &new[self.after_lines.clone()]);
        add(' ', &new[self.after_lines.end..tail]);
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
        assert!(text.starts_with("@@ -1,5 +1,5 @@\n a\n-b\u{240d}\n+B\u{240d}\n c\n"), "{text}");
    }

    #[test]
    fn what_is_no_text_is_one_thing() {
        assert!(hunks(b"a\0", b"b").is_none());
        assert!(hunks(b"", b"x\n").is_some_and(|found| found.len() == 1));
        assert_eq!(hunks(b"same", b"same"), Some(Vec::new()));
    }
}
