//! The files of a snapshot that a text search has to look at.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::{Arc, PoisonError};

use ide_index::query::file_meta;
use ide_model::{Cx, FileFilter, FileMeta, FilePath, Language, QueryError, SourceKind, TextQuery};

use super::StoreSnapshot;
use crate::text_search::{SearchFile, TextPattern, TextPatternOptions, stream_text};
use crate::trigrams::{FileNumbers, Need, Treatment};

impl StoreSnapshot {
    /// The lists of text search for the files of this snapshot; `None` without lists.
    pub(crate) fn known(&self) -> Option<Arc<FileNumbers>> {
        let lists = self.texts.lists()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(known) if Arc::ptr_eq(&known.trigrams, &lists) => Some(known.clone()),
            _ => Some(known.insert(Arc::new(FileNumbers::new(lists, self.index.rows()))).clone()),
        }
    }

    /// The files that a text search has to look at.
    pub(crate) fn files_to_search(&self, query: &TextQuery<'_>) -> Vec<SearchFile> {
        let expression =
            if query.is_regex { query.pattern.into() } else { regex_syntax::escape(query.pattern) };
        let known = self.known();
        let looks =
            known.as_ref().and_then(|known| known.looks(&Need::of(&expression, query.case_sensitive)));
        let mut files = Vec::new();
        for (number, row) in self.index.rows().enumerate() {
            let look = looks.as_ref().map_or(Treatment::Read, |look| look(number));
            if look != Treatment::Skip && (query.filter)(&file_meta(&row.entry)) {
                let path = row.entry.path.clone();
                let absolute = self.texts.root.join(path.as_str());
                let held = self.texts.unsaved(row.entry.content_hash).cloned();
                files.push(SearchFile { path, absolute, is_binary: look == Treatment::Binary, held });
            }
        }
        let beside = query.beside.iter().map(meta_beside).filter(|meta| (query.filter)(meta));
        files.extend(beside.map(|FileMeta { path, .. }| {
            let absolute = self.texts.root.join(path.as_str());
            SearchFile { path, absolute, is_binary: false, held: None }
        }));
        files
    }

    /// The files of code that hold a name before a quotation mark.
    pub(super) fn files_quoting(
        &self,
        cx: Cx<'_>,
        name: &str,
        filter: FileFilter<'_>,
    ) -> Result<BTreeSet<FilePath>, QueryError> {
        let expression = format!("{}[\"']", regex_syntax::escape(name));
        let options =
            TextPatternOptions { is_regex: true, case_sensitive: true, whole_word: false, context: None };
        let pattern = TextPattern::new(&expression, options)?;
        let is_code = |meta: &FileMeta| meta.language.is_some() && filter(meta);
        let query = TextQuery {
            pattern: &expression,
            is_regex: true,
            case_sensitive: true,
            whole_word: false,
            context: None,
            filter: &is_code,
            beside: &[],
            limit: usize::MAX,
        };
        let files = self.files_to_search(&query);
        let mut holding = BTreeSet::new();
        stream_text(cx, &files, &pattern, Some(1), &|_, _, _| Vec::new(), &mut |found| {
            holding.insert(found.file);
            ControlFlow::Continue(())
        })?;
        Ok(holding)
    }
}

/// A file that is left out of the project.
fn meta_beside(path: &FilePath) -> FileMeta {
    FileMeta {
        path: path.clone(),
        language: Language::of_path(path.as_str()),
        source: SourceKind::Other,
        is_generated: false,
        size: 0,
    }
}
