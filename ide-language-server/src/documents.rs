//! The buffers that the editor has open.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gen_lsp_types::TextDocumentContentChangeEvent;
use ide_model::FileText;

use crate::position::Encoding;

#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) version: i32,
    pub(crate) text: FileText,
}

/// Open buffers by absolute path. Cheap to clone: a request keeps those of the moment it was made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Documents {
    open: Arc<BTreeMap<PathBuf, Document>>,
    /// Grows with every change of a buffer.
    pub(crate) revision: u64,
}

impl Documents {
    pub(crate) fn get(&self, path: &Path) -> Option<&Document> {
        self.open.get(path)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&PathBuf, &Document)> {
        self.open.iter()
    }

    pub(crate) fn open(&mut self, path: PathBuf, version: i32, text: &str) {
        self.revision += 1;
        Arc::make_mut(&mut self.open).insert(path, Document { version, text: FileText::new(text) });
    }

    pub(crate) fn close(&mut self, path: &Path) {
        self.revision += 1;
        Arc::make_mut(&mut self.open).remove(path);
    }

    /// Changes in order, each in terms of the text after the one before it. A change of a buffer that is not open is
    /// ignored, as the protocol forbids it.
    pub(crate) fn change(
        &mut self,
        path: &Path,
        version: i32,
        changes: &[TextDocumentContentChangeEvent],
        encoding: Encoding,
    ) {
        self.revision += 1;
        let Some(document) = Arc::make_mut(&mut self.open).get_mut(path) else { return };
        document.version = version;
        for change in changes {
            document.text = match change {
                TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let range = encoding.bytes(&document.text, part.range);
                    let (before, behind) = document.text.text.split_at(range.start as usize);
                    let behind = &behind[range.len() as usize..];
                    FileText::new([before, &part.text, behind].concat())
                }
                TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(whole) => {
                    FileText::new(whole.text.as_str())
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_apply_one_after_the_other() {
        let path = Path::new("/a.py");
        let mut documents = Documents::default();
        documents.open(path.to_owned(), 1, "one\ntwo\n");
        let changes = serde_json::json!([
            { "range": { "start": { "line": 0, "character": 3 }, "end": { "line": 1, "character": 0 } }, "text": " " },
            { "range": { "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 7 } }, "text": "2" },
        ]);
        let changes: Vec<TextDocumentContentChangeEvent> =
            serde_json::from_value(changes).expect("are changes");
        let before = documents.clone();
        documents.change(path, 2, &changes, Encoding::Utf16);
        let text = |documents: &Documents| documents.get(path).expect("is open").text.text.to_string();
        assert_eq!((text(&before), text(&documents)), ("one\ntwo\n".to_owned(), "one 2\n".to_owned()));
    }
}
