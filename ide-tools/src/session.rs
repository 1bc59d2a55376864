//! One tool call on one snapshot of one project, and the conversion of positions at its edge.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use ide_model::{Cx, FilePath, FileText, LineColumn, QueryError, Snapshot, Symbol, SymbolKey, counted};

use crate::args::{ProjectArg, edit_distance};
use crate::target::MAX_NEAR;
use crate::tool::CallFacts;
use crate::{Call, Project, Services, ToolError};

/// Longest source line that is shown whole, in characters.
const MAX_CONTEXT: usize = 240;

pub(crate) struct Session<'a> {
    pub(crate) services: &'a dyn Services,
    pub(crate) cx: Cx<'a>,
    pub(crate) told: Rc<CallFacts>,
    pub(crate) project: Arc<dyn Project>,
    pub(crate) snapshot: Arc<dyn Snapshot>,
    pub(crate) texts: RefCell<HashMap<FilePath, FileText>>,
}

/// A place as tools print it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub(crate) file: String,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

impl<'a> Session<'a> {
    /// Opens the project that the call means. A symbol handle alone also selects it.
    pub(crate) fn open(
        call: &Call<'a>,
        project: &ProjectArg,
        symbol_id: Option<&str>,
    ) -> Result<Self, ToolError> {
        let project = call.project(project, symbol_id)?;
        let snapshot = project.backend().snapshot(call.cx)?;
        let told = call.told.clone();
        told.asks(&snapshot);
        Ok(Self { services: call.services, cx: call.cx, told, project, snapshot, texts: RefCell::default() })
    }

    /// The file of the project that a path means.
    ///
    /// # Errors
    /// `file_not_found` with the nearest paths, `ambiguous_path`.
    pub(crate) fn locate(&self, path: &str) -> Result<FilePath, ToolError> {
        self.project.locate(path).map_err(|error| self.with_near_paths(error, path))
    }

    /// [`Self::locate`], of a file that the index has.
    ///
    /// # Errors
    /// The errors of [`Self::locate`]; `file_excluded` with the rule for a file that is left out of the
    /// index.
    pub(crate) fn indexed(&self, path: &str) -> Result<FilePath, ToolError> {
        let file = self.locate(path)?;
        // A backend knows the names of a library file, although the file is in no list.
        let is_known = || !matches!(self.snapshot.name_at(&file, 0), Err(QueryError::NoFile { .. }));
        if self.snapshot.file(&file).is_some() || is_known() {
            return Ok(file);
        }
        match self.project.why_left_out(&file) {
            Some(rule) => {
                let read = "read it with ide_read_file, search it with ide_search_text and `paths`";
                let is_ours = rule.starts_with("the exclusion");
                let lifted = if is_ours { "; `includes` in the settings file takes it in" } else { "" };
                let message = format!("`{file}` exists and is left out of the index by {rule}");
                Err(ToolError::new("file_excluded", message).hint(format!("{read}{lifted}")))
            }
            None => Ok(file),
        }
    }

    /// A `file_not_found` with the paths of the project that are most like the one that is not there.
    pub(crate) fn with_near_paths(&self, error: ToolError, path: &str) -> ToolError {
        if error.slug != "file_not_found" || error.details.contains_key("similar") {
            return error;
        }
        let near = self.near_paths(path);
        if near.is_empty() {
            error
        } else {
            error.hint("did you mean one of `similar`?").with("similar", near)
        }
    }

    /// Paths like one that no file has: the same name elsewhere first, then names a typing error away.
    fn near_paths(&self, path: &str) -> Vec<String> {
        let files = self.snapshot.files(self.cx, &|_| true).unwrap_or_default();
        let (folder, name) = path.trim().trim_end_matches('/').rsplit_once('/').unwrap_or(("", path.trim()));
        let stem = |name: &str| name.split('.').next().unwrap_or(name).to_lowercase();
        let allowed = (name.chars().count() / 3).max(1);
        let mut near: Vec<(usize, usize, &str)> = Vec::new();
        for file in &files {
            let (own_folder, own) = file.path.as_str().rsplit_once('/').unwrap_or(("", file.path.as_str()));
            let differ = own.chars().count().abs_diff(name.chars().count());
            let edits = if own.eq_ignore_ascii_case(name) {
                0
            } else if differ <= allowed {
                edit_distance(own, name)
            } else {
                usize::MAX
            };
            let edits = if edits > allowed && stem(own) == stem(name) { allowed } else { edits };
            if edits <= allowed {
                near.push((edits, edit_distance(own_folder, folder), file.path.as_str()));
            }
        }
        near.sort();
        near.into_iter().take(MAX_NEAR).map(|(_, _, path)| path.to_owned()).collect()
    }

    /// The text of a file as of this call's snapshot.
    pub(crate) fn text(&self, file: &FilePath) -> Result<FileText, QueryError> {
        if let Some(text) = self.texts.borrow().get(file) {
            return Ok(text.clone());
        }
        let text = self.snapshot.text(file)?;
        self.texts.borrow_mut().insert(file.clone(), text.clone());
        Ok(text)
    }

    pub(crate) fn place(&self, file: &FilePath, offset: u32) -> Result<Place, QueryError> {
        let at = self.text(file)?.position(offset);
        Ok(Place { file: file.to_string(), line: at.line, column: at.column })
    }

    /// The place of a declaration's name.
    pub(crate) fn place_of(&self, symbol: &Symbol) -> Result<Place, QueryError> {
        self.place(&symbol.file, symbol.name_range.start)
    }

    /// A symbol in a text that can be read: of a compiled class in its source, or in its declarations written out.
    pub(crate) fn in_source(&self, symbol: &Symbol) -> Result<Symbol, QueryError> {
        let source = match self.snapshot.source(self.cx, symbol) {
            // The archive is gone or damaged; the index knows the class all the same.
            Err(QueryError::Failed { .. }) => None,
            source => source?,
        };
        let Some(source) = source else { return Ok(symbol.clone()) };
        self.texts.borrow_mut().insert(source.file.clone(), source.text);
        let (name_range, full_range) = (source.name_range, source.full_range);
        Ok(Symbol { file: source.file, name_range, full_range, ..symbol.clone() })
    }

    /// The trimmed line of an offset; of a very long one the part around the offset, with `…` where it was cut.
    pub(crate) fn context(&self, file: &FilePath, offset: u32) -> Result<String, QueryError> {
        let text = self.text(file)?;
        let at = text.position(offset);
        let line = text.line(at.line).unwrap_or("");
        let column = offset.saturating_sub(text.lines.line_range(at.line).map_or(0, |range| range.start));
        Ok(excerpt(line, column as usize))
    }

    /// The byte offset of a 1-based position.
    ///
    /// # Errors
    /// `file_not_found`, `invalid_argument` for a position outside the file.
    pub(crate) fn offset(&self, file: &FilePath, line: i64, column: i64) -> Result<u32, ToolError> {
        let text = self.text(file)?;
        let at = LineColumn { line: position("line", line)?, column: position("column", column)? };
        text.offset(at).ok_or_else(|| {
            let lines = counted(text.lines.line_count() as usize, "line");
            ToolError::argument(format!("line {line} is past the end of `{file}`, which has {lines}"))
        })
    }

    /// The handle of a declaration.
    pub(crate) fn symbol_id(&self, symbol: &Symbol) -> String {
        format!("{}.{}", project_tag(self.project.root()), printable(&symbol.key.0))
    }

    /// Names of the declarations around an offset, outermost first, `symbol` itself left out.
    pub(crate) fn ast_path(
        &self,
        file: &FilePath,
        offset: u32,
        without: Option<&Symbol>,
    ) -> Result<Vec<String>, QueryError> {
        let enclosing = self.snapshot.enclosing(file, offset)?;
        let others = enclosing.iter().filter(|symbol| without.is_none_or(|own| own.key != symbol.key));
        Ok(others.map(|symbol| symbol.name.to_string()).collect())
    }
}

/// A short stable name of a project, by which symbol handles remember it.
pub fn project_tag(root: &str) -> String {
    let hash = root
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{:06x}", (hash ^ (hash >> 24)) & 0xff_ffff)
}

/// Project tag and key of a symbol handle.
pub(crate) fn parse_symbol_id(id: &str) -> Result<(&str, SymbolKey), ToolError> {
    let parts = id.trim().split_once('.').filter(|(tag, key)| tag.len() == 6 && !key.is_empty());
    let key = parts.and_then(|(tag, key)| Some((tag, from_printable(key)?)));
    let (tag, key) = key.ok_or_else(|| expired_id(id))?;
    Ok((tag, SymbolKey(key.into())))
}

/// A key without control characters, which models do not copy reliably: `~` and the letter of the caret notation.
fn printable(key: &str) -> String {
    let mut text = String::with_capacity(key.len() + 8);
    for c in key.chars() {
        match c {
            '~' => text.push_str("~~"),
            '\0'..='\x1f' => text.extend(['~', char::from(c as u8 + b'@')]),
            _ => text.push(c),
        }
    }
    text
}

/// The key of a printable one; `None` for what [`printable`] would not have written.
fn from_printable(text: &str) -> Option<String> {
    let mut key = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        key.push(match (c, c == '~') {
            (_, false) => c,
            _ => match chars.next()? {
                '~' => '~',
                letter @ '@'..='_' => char::from(letter as u8 - b'@'),
                _ => return None,
            },
        });
    }
    Some(key)
}

/// A handle that means no declaration any more.
pub(crate) fn expired_id(id: &str) -> ToolError {
    ToolError::new("symbol_id_expired", format!("`{id}` does not name a declaration any more"))
        .hint("find the symbol again by position or by `language` and `symbol`")
}

/// A 1-based line or column.
pub(crate) fn position(name: &str, value: i64) -> Result<u32, ToolError> {
    u32::try_from(value).ok().filter(|value| *value >= 1).ok_or_else(|| {
        ToolError::argument(format!("`{name}` counts from 1, got {value}")).with("parameter", name)
    })
}

/// The line without surrounding blanks, or the part around `column` (bytes) if it is very long.
pub(crate) fn excerpt(line: &str, column: usize) -> String {
    let trimmed = line.trim();
    if trimmed.chars().count() <= MAX_CONTEXT {
        return trimmed.to_owned();
    }
    let lead = line.len() - line.trim_start().len();
    let at = trimmed.char_indices().take_while(|(i, _)| *i + lead < column).count();
    let start = at.saturating_sub(MAX_CONTEXT / 3);
    let shown: String = trimmed.chars().skip(start).take(MAX_CONTEXT).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if start + MAX_CONTEXT < trimmed.chars().count() { "…" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_match_and_say_so() {
        assert_eq!(excerpt("   a b \t", 3), "a b");
        let line = format!("  {}X{}", "a".repeat(1000), "b".repeat(1000));
        let shown = excerpt(&line, 1002);
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains('X'), "{shown}");
        assert_eq!(shown.chars().count(), MAX_CONTEXT + 2);
        assert!(excerpt(&line, 0).starts_with('a'));
    }

    #[test]
    fn handles_name_their_project() {
        let tag = project_tag("/home/me/project");
        assert_ne!(tag, project_tag("/home/me/project2"));
        for key in ["a/b.py#C.d", "a~b.py\u{1f}C.d\u{1f}3", "~"] {
            let id = format!("{tag}.{}", printable(key));
            assert!(!id.contains(char::is_control), "{id}");
            assert_eq!(parse_symbol_id(&id).unwrap(), (tag.as_str(), SymbolKey(key.into())));
        }
        assert_eq!(parse_symbol_id(&format!("{tag}.a~x")).unwrap_err().slug, "symbol_id_expired");
        assert_eq!(parse_symbol_id("nonsense").unwrap_err().slug, "symbol_id_expired");
    }
}
