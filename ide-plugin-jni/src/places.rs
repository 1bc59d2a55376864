//! Between places of the IDE (absolute paths, lines and columns in UTF-16) and places of a snapshot (its own names, bytes).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use ide_model::{FilePath, LineColumn, LineIndex, Location, QueryError, Snapshot, TextRange};
use serde_json::{Value, json};

/// A text whose lines are counted as the IDE counts them: they end at `\r` too.
pub(crate) struct Lines<'t> {
    text: Cow<'t, str>,
    index: LineIndex,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        Self::new(Cow::Borrowed(text))
    }

    fn new(text: Cow<'_, str>) -> Lines<'_> {
        let bytes = text.as_bytes();
        let is_lone = |(i, byte): (usize, &u8)| *byte == b'\r' && bytes.get(i + 1) != Some(&b'\n');
        // Both are one byte, so offsets stay what they are.
        let text = if bytes.iter().enumerate().any(is_lone) {
            let mut changed = text.clone().into_owned().into_bytes();
            let lone: Vec<usize> =
                bytes.iter().enumerate().filter(|at| is_lone(*at)).map(|(i, _)| i).collect();
            lone.into_iter().for_each(|i| changed[i] = b'\n');
            Cow::Owned(String::from_utf8(changed).expect("one ASCII character for another"))
        } else {
            text
        };
        let index = LineIndex::new(&text);
        Lines { text, index }
    }

    pub(crate) fn position(&self, offset: u32) -> LineColumn {
        self.index.position(&self.text, offset)
    }

    /// The offset of a position; `None` outside of the text.
    pub(crate) fn offset(&self, at: LineColumn) -> Option<u32> {
        // To the IDE there is a line behind the last line ending.
        let end = self.text.len() as u32;
        let behind = self.index.position(&self.text, end);
        if at.line == behind.line && self.text.ends_with('\n') && !self.text.is_empty() {
            return Some(end);
        }
        self.index.offset(&self.text, at)
    }

    /// The range of a place; `None` when it is not one of this text.
    pub(crate) fn range(&self, place: &Value) -> Option<TextRange> {
        let at = |line: &str, column: &str| {
            Some(LineColumn { line: number(&place[line])?, column: number(&place[column])? })
        };
        let start = self.offset(at("line", "column")?)?;
        let end = match at("endLine", "endColumn") {
            Some(end) => self.offset(end)?,
            None => start,
        };
        (start <= end).then(|| TextRange::new(start, end))
    }
}

/// The items of a list that the contract promises.
///
/// # Errors
/// [`QueryError::Failed`] when it is no list: nothing found is an empty one.
pub(crate) fn items(list: &Value) -> Result<&Vec<Value>, QueryError> {
    list.as_array().ok_or_else(|| QueryError::Failed { message: "its answer lacks a list".to_owned() })
}

pub(crate) fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// The absolute path of a file of a snapshot; URLs stay as they are.
pub(crate) fn absolute(root: &str, file: &FilePath) -> String {
    let path = file.as_str();
    if is_outside(path) { path.to_owned() } else { format!("{}/{path}", root.trim_end_matches('/')) }
}

/// The name of a file in a snapshot: relative below the root.
pub(crate) fn named(root: &str, path: &str) -> FilePath {
    let inside = path.strip_prefix(root.trim_end_matches('/')).and_then(|rest| rest.strip_prefix('/'));
    FilePath::new(inside.unwrap_or(path))
}

fn is_outside(path: &str) -> bool {
    path.starts_with('/') || path.contains("://") || path.as_bytes().get(1) == Some(&b':')
}

/// An entry of an archive or of the JDK: no file on disk.
fn is_entry(path: &str) -> bool {
    path.contains("://")
}

/// The arguments that name an offset of a file.
pub(crate) fn at(
    root: &str,
    snapshot: &dyn Snapshot,
    file: &FilePath,
    offset: u32,
) -> Result<Value, QueryError> {
    let text = snapshot.text(file)?;
    let LineColumn { line, column } = Lines::of(&text.text).position(offset);
    Ok(json!({"project": root, "path": absolute(root, file), "line": line, "column": column}))
}

/// Turns places of an answer into locations. The text of each file is read once.
pub(crate) struct Reader<'s> {
    root: &'s str,
    snapshot: &'s dyn Snapshot,
    texts: BTreeMap<FilePath, Option<Lines<'static>>>,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(root: &'s str, snapshot: &'s dyn Snapshot) -> Self {
        Self { root, snapshot, texts: BTreeMap::new() }
    }

    /// The lines of a file as the snapshot has it, else as it is on disk.
    pub(crate) fn lines(&mut self, file: &FilePath) -> Option<&Lines<'static>> {
        let (root, snapshot) = (self.root, self.snapshot);
        let read = || {
            let text = match snapshot.text(file) {
                Ok(text) => text.text.to_string(),
                Err(_) => ide_server::text_on_disk(Path::new(&absolute(root, file)))?,
            };
            Some(Lines::new(Cow::Owned(text)))
        };
        self.texts.entry(file.clone()).or_insert_with(read).as_ref()
    }

    /// The location of a place.
    ///
    /// # Errors
    /// When it is not one of the text that we have: the IDE knows another state of the file.
    pub(crate) fn location(&mut self, place: &Value) -> Result<Location, QueryError> {
        let path = place["path"].as_str().unwrap_or_default();
        let file = named(self.root, path);
        if is_entry(path) {
            return Ok(Location { file, range: TextRange::new(0, 0) });
        }
        let range = self.range(&file, place)?;
        Ok(Location { file, range })
    }

    /// The range of a place in a file.
    ///
    /// # Errors
    /// See [`Self::location`].
    pub(crate) fn range(&mut self, file: &FilePath, place: &Value) -> Result<TextRange, QueryError> {
        let range = self.lines(file).and_then(|lines| lines.range(place));
        range.ok_or_else(|| QueryError::Failed {
            message: format!("it answers for another state of {file}, which may not be saved"),
        })
    }

    /// Every location of a list of places.
    ///
    /// # Errors
    /// See [`Self::location`].
    pub(crate) fn locations(&mut self, places: &Value) -> Result<Vec<Location>, QueryError> {
        items(places)?.iter().map(|place| self.location(place)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(at: [u32; 4]) -> Value {
        json!({"line": at[0], "column": at[1], "endLine": at[2], "endColumn": at[3]})
    }

    #[test]
    fn lines_are_counted_as_the_ide_counts_them() {
        let text = "a𝒳b\r\ncd\ref\n";
        let lines = Lines::of(text);
        let range = |at| lines.range(&place(at)).and_then(|r| text.get(r.start as usize..r.end as usize));
        assert_eq!(range([1, 4, 1, 5]), Some("b"), "two units for the character outside of the first plane");
        assert_eq!(range([1, 2, 1, 4]), Some("𝒳"));
        assert_eq!(range([2, 1, 2, 3]), Some("cd"), "a line ends at a lone return");
        assert_eq!(range([3, 1, 4, 1]), Some("ef\n"), "there is a line behind the last ending");
        assert_eq!(range([4, 1, 4, 1]), Some(""));
        assert_eq!(range([5, 1, 5, 1]), None);
        assert_eq!(range([3, 1, 2, 1]), None, "it ends before it begins");
        assert_eq!(lines.position(6 + 2), LineColumn { line: 2, column: 1 });
        let offsets = (0..text.len() as u32).filter(|at| text.is_char_boundary(*at as usize));
        for offset in offsets.filter(|at| !text[*at as usize..].starts_with('\n')) {
            assert_eq!(lines.offset(lines.position(offset)), Some(offset), "{offset}");
        }
        assert_eq!(Lines::of("").offset(LineColumn { line: 1, column: 1 }), Some(0));
    }

    #[test]
    fn names_go_there_and_back() {
        for (root, path, name) in [
            ("/w/p", "/w/p/a/b.rs", "a/b.rs"),
            ("/w/p/", "/w/p/c", "c"),
            ("/w/p", "/w/pp/c", "/w/pp/c"),
            ("C:/w", "C:/w/x.kt", "x.kt"),
            ("C:/w", "D:/w/x.kt", "D:/w/x.kt"),
            ("/w", "jar:///a.jar!/b.class", "jar:///a.jar!/b.class"),
        ] {
            assert_eq!(named(root, path).as_str(), name);
            assert_eq!(absolute(root, &named(root, path)), path);
        }
    }
}
