//! Positions and addresses of the protocol, and those of the model.

use std::path::{Path, PathBuf};

use gen_lsp_types::{Position, Range, Uri};
use ide_model::{FilePath, FileText, LineColumn, TextRange};

/// The unit that a character of a position counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    #[default]
    Utf16,
}

impl Encoding {
    /// The byte offset of a position; behind the end of a line or of the text that end.
    pub(crate) fn offset(self, text: &FileText, at: Position) -> u32 {
        let line = at.line.saturating_add(1);
        let Some(range) = text.lines.line_range(line) else { return text.text.len() as u32 };
        let end = range.start + text.line(line).map_or(0, str::len) as u32;
        match self {
            Self::Utf16 => {
                let column = at.character.saturating_add(1);
                text.offset(LineColumn { line, column }).unwrap_or(end)
            }
            Self::Utf8 => {
                let wanted = range.start.saturating_add(at.character).min(end);
                text.text.floor_char_boundary(wanted as usize) as u32
            }
        }
    }

    pub(crate) fn position(self, text: &FileText, offset: u32) -> Position {
        let at = text.position(offset);
        let start = text.lines.line_range(at.line).map_or(0, |range| range.start);
        let character = match self {
            Self::Utf16 => at.column - 1,
            Self::Utf8 => (text.text.floor_char_boundary(offset as usize) as u32).saturating_sub(start),
        };
        Position { line: at.line - 1, character }
    }

    /// The bytes of a range; an inverted range is empty.
    pub(crate) fn bytes(self, text: &FileText, range: Range) -> TextRange {
        let start = self.offset(text, range.start);
        TextRange::new(start, self.offset(text, range.end).max(start))
    }

    pub(crate) fn range(self, text: &FileText, range: TextRange) -> Range {
        Range { start: self.position(text, range.start), end: self.position(text, range.end) }
    }
}

/// The address of a file of a project; files of archives have none.
pub(crate) fn uri_of(root: &Path, file: &FilePath) -> Option<String> {
    if file.as_str().contains("!/") || file.as_str().contains("://") {
        return None;
    }
    // An absolute path replaces the root.
    Some(Uri::from_file_path(root.join(file.as_str())).ok()?.to_string())
}

/// The file of an address as the project names it.
pub(crate) fn file_of(root: &Path, uri: &Uri) -> Option<FilePath> {
    let path: PathBuf = (uri.scheme() == "file").then(|| uri.to_file_path().ok())??;
    let inside = path.strip_prefix(root).map(Path::to_owned).or_else(|_| {
        // Some servers follow links, and some do not.
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        real.strip_prefix(root).map(Path::to_owned).map_err(|_| ())
    });
    let name = inside.unwrap_or(path);
    Some(FilePath::new(name.to_str()?.replace(std::path::MAIN_SEPARATOR, "/")))
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
        let uri = uri_of(root, &FilePath::new("src/ü.ts")).unwrap();
        assert_eq!(uri, "file:///a/b%20c/src/%C3%BC.ts");
        assert_eq!(file_of(root, &uri.parse().unwrap()).unwrap().as_str(), "src/ü.ts");
        assert_eq!(file_of(root, &"file:///lib/x.py".parse().unwrap()).unwrap().as_str(), "/lib/x.py");
        assert_eq!(uri_of(root, &FilePath::new("lib://rust!/core.rs")), None);
        assert_eq!(file_of(root, &"jdt://contents/x".parse().unwrap()), None);
    }
}
