//! Positions and addresses of the protocol, and those of the model.

use std::path::{Path, PathBuf};

use gen_lsp_types::{Position, Range, Uri};
use ide_model::{FilePath, FileText, LineColumn, TextRange};

/// The unit in which a position counts characters, as `initialize` agreed on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    #[default]
    Utf16,
}

impl Encoding {
    /// The byte offset of a position. A character behind the end of its line means the end of the line, and a line behind
    /// the end of the text the end of the text.
    pub(crate) fn offset(self, text: &FileText, at: Position) -> u32 {
        let line = at.line.saturating_add(1);
        let Some(range) = text.lines.line_range(line) else { return text.text.len() as u32 };
        match self {
            Self::Utf16 => {
                let column = at.character.saturating_add(1);
                text.offset(LineColumn { line, column }).unwrap_or(range.end)
            }
            Self::Utf8 => {
                let visible = text.line(line).map_or(0, str::len);
                let wanted = range.start as usize + (at.character as usize).min(visible);
                text.text.floor_char_boundary(wanted) as u32
            }
        }
    }

    pub(crate) fn position(self, text: &FileText, offset: u32) -> Position {
        let at = text.position(offset);
        let character = match self {
            Self::Utf16 => at.column - 1,
            Self::Utf8 => {
                let start = text.lines.line_range(at.line).map_or(0, |range| range.start);
                (text.text.floor_char_boundary(offset as usize) as u32).saturating_sub(start)
            }
        };
        Position { line: at.line - 1, character }
    }

    pub(crate) fn range(self, text: &FileText, range: TextRange) -> Range {
        Range { start: self.position(text, range.start), end: self.position(text, range.end) }
    }

    /// The bytes of a range; an inverted range is empty.
    pub(crate) fn bytes(self, text: &FileText, range: Range) -> TextRange {
        let start = self.offset(text, range.start);
        TextRange::new(start, self.offset(text, range.end).max(start))
    }
}

/// The path of a `file:` address.
pub(crate) fn path_of(uri: &Uri) -> Option<PathBuf> {
    (uri.scheme() == "file").then(|| uri.to_file_path().ok())?
}

/// The address of a file of a project. Files inside archives have none that an editor could open.
pub(crate) fn uri_of(root: &Path, file: &FilePath) -> Option<Uri> {
    // An absolute path replaces the root.
    let path = root.join(file.as_str());
    (!file.as_str().contains("!/") && !file.as_str().contains("://"))
        .then(|| Uri::from_file_path(path).ok())?
}

/// A path as the project names the file.
pub(crate) fn file_of(root: &Path, path: &Path) -> FilePath {
    let inside = path.strip_prefix(root).unwrap_or(path);
    FilePath::new(inside.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_are_counted_as_agreed() {
        let text = FileText::new("a😀b\r\nc");
        let at = |line, character| Position { line, character };
        assert_eq!(Encoding::Utf16.offset(&text, at(0, 3)), 5);
        assert_eq!(Encoding::Utf8.offset(&text, at(0, 5)), 5);
        assert_eq!(Encoding::Utf8.offset(&text, at(0, 3)), 1, "inside a character means its start");
        assert_eq!(Encoding::Utf8.offset(&text, at(0, 99)), 6);
        assert_eq!(Encoding::Utf16.offset(&text, at(7, 0)), 9);
        assert_eq!(Encoding::Utf16.position(&text, 5), at(0, 3));
        assert_eq!(Encoding::Utf8.position(&text, 5), at(0, 5));
        assert_eq!(Encoding::Utf8.position(&text, 8), at(1, 0));
    }

    #[test]
    fn addresses_lead_to_files_and_back() {
        let root = Path::new("/a/b c");
        let uri = uri_of(root, &FilePath::new("src/ü.ts")).expect("is a file");
        assert_eq!(uri.as_str(), "file:///a/b%20c/src/%C3%BC.ts");
        assert_eq!(file_of(root, &path_of(&uri).expect("is a path")).as_str(), "src/ü.ts");
        assert_eq!(uri_of(root, &FilePath::new("lib://rust!/core.rs")), None);
        assert_eq!(path_of(&"untitled:one".parse().expect("is an address")), None);
    }
}
