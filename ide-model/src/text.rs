//! Byte ranges, and the one conversion between byte offsets and lines with UTF-16 columns.

use std::sync::Arc;

/// A half-open range of byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TextRange {
    pub start: u32,
    pub end: u32,
}

impl TextRange {
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end);
        Self { start, end }
    }

    pub fn contains(self, offset: u32) -> bool {
        self.start <= offset && offset < self.end
    }

    /// Like [`Self::contains`], and true at the end too: where a caret may stand and still mean this name.
    pub fn touches(self, offset: u32) -> bool {
        self.start <= offset && offset <= self.end
    }

    pub fn encloses(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    pub fn len(self) -> u32 {
        self.end - self.start
    }

    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// A 1-based line and a 1-based column in UTF-16 code units: the positions of every tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

/// The starts of the lines of a text. Lines end at `\n`; a `\r` before it belongs to the line but not to its
/// visible part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<u32>,
    len: u32,
}

impl LineIndex {
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        Self { starts, len: text.len() as u32 }
    }

    /// Number of lines; a text that ends in a newline has an empty last line, which counts only when the text
    /// is otherwise empty.
    pub fn line_count(&self) -> u32 {
        let n = self.starts.len() as u32;
        if n > 1 && self.starts[n as usize - 1] == self.len { n - 1 } else { n }
    }

    /// The 1-based line of an offset; offsets past the end belong to the last line.
    pub fn line_of(&self, offset: u32) -> u32 {
        self.starts.partition_point(|start| *start <= offset) as u32
    }

    /// The bytes of a 1-based line with its line ending; `None` outside the text.
    pub fn line_range(&self, line: u32) -> Option<TextRange> {
        let i = line.checked_sub(1)? as usize;
        let start = *self.starts.get(i)?;
        let end = self.starts.get(i + 1).copied().unwrap_or(self.len);
        Some(TextRange::new(start, end))
    }

    /// The position of a byte offset. An offset inside a character means that character's start.
    pub fn position(&self, text: &str, offset: u32) -> LineColumn {
        let line = self.line_of(offset);
        let start = self.starts[line as usize - 1] as usize;
        let mut end = (offset as usize).clamp(start, text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let head = &text[start..end];
        let column = if head.is_ascii() { head.len() } else { head.encode_utf16().count() };
        LineColumn { line, column: column as u32 + 1 }
    }

    /// The byte offset of a position. A column beyond the line's visible end is clamped to it; a line outside
    /// the text gives `None`.
    pub fn offset(&self, text: &str, at: LineColumn) -> Option<u32> {
        if at.line > self.line_count().max(1) {
            return None;
        }
        let range = self.line_range(at.line)?;
        let line = text.get(range.start as usize..range.end as usize)?.trim_end_matches(['\n', '\r']);
        let mut units = at.column.saturating_sub(1) as usize;
        for (i, c) in line.char_indices() {
            if units < c.len_utf16() {
                return Some(range.start + i as u32);
            }
            units -= c.len_utf16();
        }
        Some(range.start + line.len() as u32)
    }
}

/// The text of one file as of a snapshot, with its lines.
#[derive(Clone, Debug)]
pub struct FileText {
    pub text: Arc<str>,
    pub lines: Arc<LineIndex>,
}

impl FileText {
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let lines = Arc::new(LineIndex::new(&text));
        Self { text, lines }
    }

    /// The text of a range, `None` when it does not lie inside on character boundaries.
    pub fn slice(&self, range: TextRange) -> Option<&str> {
        self.text.get(range.start as usize..range.end as usize)
    }

    /// A 1-based line without its line ending.
    pub fn line(&self, line: u32) -> Option<&str> {
        Some(self.slice(self.lines.line_range(line)?)?.trim_end_matches(['\n', '\r']))
    }

    pub fn position(&self, offset: u32) -> LineColumn {
        self.lines.position(&self.text, offset)
    }

    pub fn offset(&self, at: LineColumn) -> Option<u32> {
        self.lines.offset(&self.text, at)
    }
}

/// A count and its noun: `1 use`, `3 uses`, `2 matches`, `2 entries`. Takes the singular of a noun with a regular plural.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{count} {stem}ies"),
        _ if ["ch", "sh", "s", "x"].iter().any(|end| noun.ends_with(end)) => format!("{count} {noun}es"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_take_the_number_of_their_noun() {
        let all = [(0, "use"), (1, "match"), (2, "match"), (2, "entry"), (2, "key"), (2, "changed file")];
        let told = all.map(|(count, noun)| counted(count, noun));
        assert_eq!(told, ["0 uses", "1 match", "2 matches", "2 entries", "2 keys", "2 changed files"]);
    }

    #[test]
    fn columns_count_utf16_units_and_clamp_at_the_line_end() {
        let file = FileText::new("a😀b\r\nsecond");
        let at = |line, column| file.offset(LineColumn { line, column });
        assert_eq!(at(1, 1), Some(0));
        assert_eq!(at(1, 2), Some(1));
        assert_eq!(at(1, 3), Some(1), "inside the surrogate pair means its start");
        assert_eq!(at(1, 4), Some(5));
        assert_eq!(at(1, 99), Some(6), "before the carriage return");
        assert_eq!(at(2, 1), Some(8));
        assert_eq!(at(3, 1), None);
        assert_eq!(file.position(5), LineColumn { line: 1, column: 4 });
        assert_eq!(file.position(3), LineColumn { line: 1, column: 2 });
        assert_eq!(file.position(8), LineColumn { line: 2, column: 1 });
        assert_eq!(file.line(1), Some("a😀b"));
    }

    #[test]
    fn a_final_newline_is_not_a_line() {
        assert_eq!(LineIndex::new("").line_count(), 1);
        assert_eq!(LineIndex::new("a\n").line_count(), 1);
        assert_eq!(LineIndex::new("a\nb").line_count(), 2);
        assert_eq!(LineIndex::new("\n\n").line_count(), 2);
    }
}
