//! From the selectors of a call to the declaration it means.

use std::borrow::Cow;

use ide_model::{
    Answer, Confidence, FileMeta, FilePath, Language, MatchMode, QueryError, SearchKind, Symbol, SymbolQuery,
    Target,
};

use serde_json::Value;

use crate::ToolError;
use crate::args::TargetArgs;
use crate::error::{ambiguous, candidate};
use crate::schema::symbol_languages;
use crate::session::{Session, expired_id, parse_symbol_id, position};

/// Most names that an error suggests.
pub(crate) const MAX_NEAR: usize = 5;

/// The declaration that a call points at.
pub(crate) struct Resolved {
    pub(crate) symbol: Symbol,
    pub(crate) confidence: Confidence,
    /// Further declarations of equal right.
    pub(crate) alternatives: Vec<(Symbol, Confidence)>,
}

/// A position that a call points at.
struct At {
    file: FilePath,
    offset: u32,
    is_on_name: bool,
}

/// How a call selects a declaration.
enum Selected<'s> {
    At(At),
    Named(Option<&'s str>, Cow<'s, str>),
}

impl TargetArgs {
    /// The declaration that the selectors mean. A call that writes is refused where no name stands at the position; one
    /// that looks takes the declaration around it, and the result says so.
    ///
    /// # Errors
    /// `conflicting_target`, `invalid_argument` naming what is missing, `symbol_not_found`, `ambiguous_match`,
    /// `unsupported_language`, `symbol_id_expired`.
    pub(crate) fn resolve(&self, session: &Session<'_>) -> Result<Resolved, ToolError> {
        if let Some(id) = &self.symbol_id {
            let key = parse_symbol_id(id)?.1;
            return resolve(session, &Target::Key(key)).map_err(|error| match error.slug {
                "symbol_not_found" | "ambiguous_match" => expired_id(id),
                _ => error,
            });
        }
        match self.selected(session)? {
            Selected::At(at) => session.resolved_at(at, |file, offset| Target::Position { file, offset }),
            Selected::Named(language, symbol) => session.resolve_name(language, &symbol),
        }
    }

    /// [`Self::resolve`], where an import may declare a variable of its own.
    ///
    /// # Errors
    /// The errors of [`Self::resolve`].
    pub(crate) fn variable(&self, session: &Session<'_>) -> Result<Resolved, ToolError> {
        match self.at(session)? {
            Some(at) => session.resolved_at(at, |file, offset| Target::Variable { file, offset }),
            None => self.resolve(session),
        }
    }

    /// [`Self::resolve`] of what is called by the name at a position: of a construction the class.
    ///
    /// # Errors
    /// The errors of [`Self::resolve`].
    pub(crate) fn bearer(&self, session: &Session<'_>) -> Result<Resolved, ToolError> {
        match self.at(session)? {
            Some(at) => session.resolved_at(at, |file, offset| Target::Name { file, offset }),
            None => self.resolve(session),
        }
    }

    /// [`Self::resolve`] of a name, never of what stands around a position; what the compiler makes is declared by what
    /// it is made from.
    ///
    /// # Errors
    /// The errors of [`Self::resolve`].
    pub(crate) fn declaration(&self, session: &Session<'_>) -> Result<Resolved, ToolError> {
        let at = self.at(session)?;
        if let Some(at) = at.as_ref().filter(|at| !at.is_on_name) {
            return Err(session.not_on_a_name(at));
        }
        self.resolve(session).or_else(|error| {
            let made = match at {
                Some(At { file, offset, .. }) => {
                    session.snapshot.resolve(session.cx, &Target::Position { file, offset })
                }
                None => return Err(error),
            };
            let Err(QueryError::Made { from, .. }) = made else { return Err(error) };
            let mut found = from.into_iter().map(|symbol| (symbol, Confidence::Exact));
            let (symbol, confidence) = found.next().ok_or(error)?;
            Ok(Resolved { symbol, confidence, alternatives: found.collect() })
        })
    }

    /// The position that is given, and no name or handle instead of it.
    pub(crate) fn position(&self, session: &Session<'_>) -> Result<Option<(FilePath, u32)>, ToolError> {
        Ok(self.at(session)?.map(|at| (at.file, at.offset)))
    }

    fn at(&self, session: &Session<'_>) -> Result<Option<At>, ToolError> {
        if self.symbol_id.is_some() {
            return Ok(None);
        }
        Ok(match self.selected(session)? {
            Selected::At(at) => Some(at),
            Selected::Named(..) => None,
        })
    }

    /// True when nothing at all selects a declaration.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { file, line, column, name, language, symbol, symbol_id } = self;
        [file, name, language, symbol, symbol_id].iter().all(|given| given.is_none())
            && line.is_none()
            && column.is_none()
    }

    fn selected(&self, session: &Session<'_>) -> Result<Selected<'_>, ToolError> {
        let has_position = self.line.is_some() || self.column.is_some() || self.name.is_some();
        match (&self.file, self.line, self.column, &self.name, &self.symbol) {
            (.., Some(_)) if has_position => {
                Err(ToolError::new("conflicting_target", "both a position and a symbol are given")
                    .hint("give file, line and column, or language and symbol"))
            }
            // A name that is looked for in one file.
            (Some(file), .., Some(symbol)) => {
                let file = session.indexed(file)?;
                Ok(Selected::Named(self.language.as_deref(), format!("{file}#{}", symbol.trim()).into()))
            }
            (None, .., Some(symbol)) => Ok(Selected::Named(self.language.as_deref(), symbol.trim().into())),
            (Some(file), line, column, Some(name), _) => {
                let file = session.indexed(file)?;
                session.by_name(file, name.trim(), line, column).map(Selected::At)
            }
            (Some(file), Some(line), Some(column), ..) => {
                let file = session.indexed(file)?;
                session.by_column(file, line, column).map(Selected::At)
            }
            _ => Err(self.incomplete()),
        }
    }

    fn incomplete(&self) -> ToolError {
        let mut wanted = Vec::new();
        let is_placed =
            self.file.is_some() || self.line.is_some() || self.column.is_some() || self.name.is_some();
        if is_placed {
            let given = [
                ("file", self.file.is_none()),
                ("line", self.line.is_none()),
                ("column", self.column.is_none() && self.name.is_none()),
            ];
            wanted.extend(given.into_iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| name));
        } else if self.language.is_some() {
            wanted.push("symbol");
        }
        let message = match &wanted[..] {
            [] => "no target: which symbol is meant?".to_owned(),
            names => format!("the target is incomplete: `{}` is missing", names.join("`, `")),
        };
        ToolError::argument(message)
            .hint("give file, line and column, or file and name, or language and symbol, or symbolId")
    }
}

/// A language whose symbols can be addressed by name.
pub(crate) fn known_language(name: &str) -> Result<Language, ToolError> {
    let known = Language::by_name(name.trim()).filter(|language| language.is_resolved());
    known.ok_or_else(|| {
        ToolError::new("unsupported_language", format!("symbols of `{name}` cannot be addressed by name"))
            .hint("give file, line and column, or use ide_find_symbol")
            .with("supportedValues", symbol_languages())
    })
}

/// Resolves a target; the best meaning comes first.
pub(crate) fn resolve(session: &Session<'_>, target: &Target) -> Result<Resolved, ToolError> {
    let answer = session.snapshot.resolve(session.cx, target);
    let Answer { value, .. } = answer.map_err(|error| session.told_apart(error))?;
    let mut found = value.into_iter();
    let Some((symbol, confidence)) = found.next() else {
        return Err(QueryError::NothingHere { what: describe(session, target) }.into());
    };
    Ok(Resolved { symbol, confidence, alternatives: found.collect() })
}

impl Session<'_> {
    /// Qualified names like a name that nothing has, the likeliest first: a part of it, or a typing error away.
    ///
    /// # Errors
    /// The errors of the search.
    pub(crate) fn near_misses(
        &self,
        pattern: &str,
        kind: SearchKind,
        language: Option<Language>,
    ) -> Result<Vec<String>, ToolError> {
        let last = pattern.split('(').next().unwrap_or(pattern);
        let last = last.rsplit(['.', '#', ':', '/', '\\']).next().unwrap_or(last);
        let filter = |_: &FileMeta| true;
        let query = SymbolQuery {
            pattern: last,
            mode: MatchMode::Substring,
            kind,
            language,
            filter: &filter,
            with_libraries: false,
            limit: MAX_NEAR,
        };
        let found = self.snapshot.search(self.cx, &query)?.value.items;
        let name = |symbol: Symbol| symbol.qualified_name.unwrap_or(symbol.name).to_string();
        Ok(found.into_iter().map(|hit| name(hit.symbol)).collect())
    }

    /// The error of a query; candidates of an ambiguous name get what tells them apart and selects one.
    pub(crate) fn told_apart(&self, error: QueryError) -> ToolError {
        let QueryError::Ambiguous { what, candidates } = error else { return error.into() };
        let rows: Result<Vec<Value>, ToolError> =
            candidates.iter().map(|symbol| self.candidate(symbol)).collect();
        rows.map_or_else(|error| error, |rows| ambiguous(&what, rows))
    }

    pub(crate) fn candidate(&self, symbol: &Symbol) -> Result<Value, ToolError> {
        let mut row = candidate(symbol);
        row["symbolId"] = self.symbol_id(symbol).into();
        if let Some(place) = self.place_if_readable(symbol)? {
            row["line"] = place.line.into();
        }
        match self.snapshot.describe(self.cx, symbol) {
            Ok(Answer { value, .. }) => row["signature"] = (*value.signature).into(),
            Err(QueryError::Unsupported { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(row)
    }
}

impl Session<'_> {
    /// Resolves a position; the result says when no name stands there.
    fn resolved_at(&self, at: At, target: impl Fn(FilePath, u32) -> Target) -> Result<Resolved, ToolError> {
        if !at.is_on_name && self.told.writes.get() {
            return Err(self.not_on_a_name(&at));
        }
        let found = resolve(self, &target(at.file.clone(), at.offset))?;
        if !at.is_on_name {
            let symbol = self.resolved_symbol(&found.symbol, found.confidence)?;
            let place = self.place(&at.file, at.offset)?;
            self.told.note(format!(
                "no name stands at {}:{}:{}; the declaration around it was taken: {}",
                place.file,
                place.line,
                place.column,
                symbol.text()
            ));
        }
        Ok(found)
    }

    fn not_on_a_name(&self, at: &At) -> ToolError {
        let place = describe(self, &Target::Position { file: at.file.clone(), offset: at.offset });
        let changed = if self.told.writes.get() { "nothing was changed: " } else { "" };
        let error = ToolError::new("symbol_not_found", format!("{changed}no name stands at {place}"));
        let around = self.snapshot.enclosing(&at.file, at.offset).ok().and_then(|mut around| around.pop());
        match around.map(|symbol| self.candidate(&symbol)) {
            Some(Ok(row)) => error
                .hint("point at a name, or pass `name`; for the declaration around it, the symbolId in `enclosing`")
                .with("enclosing", row),
            _ => error.hint("point at a name, or pass `name`, or `language` and `symbol`"),
        }
    }

    /// The position of a line and a column. A column that names one thing in UTF-16 units and another one in characters
    /// is not taken by a call that writes.
    fn by_column(&self, file: FilePath, line: i64, column: i64) -> Result<At, ToolError> {
        let offset = self.offset(&file, line, column)?;
        let here = self.snapshot.name_at(&file, offset)?;
        if let Some((other, shown)) = self.in_characters(&file, line, column)?
            && let Some(there) = self.snapshot.name_at(&file, other)?
            && here.is_none_or(|here| here.range != there.range)
        {
            let text = self.text(&file)?;
            let name =
                |range: ide_model::TextRange| text.text[range.start as usize..range.end as usize].to_owned();
            let of_here = here.map_or("no name".to_owned(), |here| format!("`{}`", name(here.range)));
            let what = format!(
                "columns count UTF-16 units: {file}:{line}:{column} holds {of_here}, while `{}` stands at column {shown}",
                name(there.range)
            );
            if self.told.writes.get() {
                let hint = "pass `name` too, which decides";
                return Err(ToolError::argument(format!("nothing was changed: {what}")).hint(hint));
            }
            self.told.note(what);
        }
        Ok(At { file, offset, is_on_name: here.is_some() })
    }

    /// The offset of a column that counts characters, and that column in UTF-16 units, where the line has characters that
    /// make the two differ.
    fn in_characters(
        &self,
        file: &FilePath,
        line: i64,
        column: i64,
    ) -> Result<Option<(u32, u32)>, ToolError> {
        let text = self.text(file)?;
        let (line, column) = (position("line", line)?, position("column", column)?);
        let (Some(range), Some(own)) = (text.lines.line_range(line), text.line(line)) else {
            return Ok(None);
        };
        let before = own.char_indices().take(column as usize - 1);
        let (mut bytes, mut units) = (0, 1);
        for (at, c) in before {
            bytes = at + c.len_utf8();
            units += c.len_utf16() as u32;
        }
        Ok((units != column).then_some((range.start + bytes as u32, units)))
    }

    /// The place of a name in a file, on a line or anywhere, when all that it could be is one thing.
    fn by_name(
        &self,
        file: FilePath,
        name: &str,
        line: Option<i64>,
        column: Option<i64>,
    ) -> Result<At, ToolError> {
        let bare = name.trim_start_matches(['$', '#', '@']).trim_matches('`');
        let all = self.occurrences(&file, bare)?;
        let text = self.text(&file)?;
        let at = |offset: u32| At { file: file.clone(), offset, is_on_name: true };
        let not_there = |place: String| {
            let lines: Vec<u32> =
                all.iter().take(LISTED).map(|(offset, _)| text.position(*offset).line).collect();
            let error = ToolError::new("symbol_not_found", format!("no name `{name}` {place}"));
            if lines.is_empty() {
                error.hint("look with ide_file_structure")
            } else {
                error.hint("`lines` have it").with("lines", lines)
            }
        };
        let Some(line) = line else {
            let declared: Vec<u32> =
                all.iter().filter(|(_, declares)| *declares).map(|(offset, _)| *offset).collect();
            let of =
                if declared.is_empty() { all.iter().map(|(offset, _)| *offset).collect() } else { declared };
            return match self.one_thing(&file, &of)? {
                Ok(Some(offset)) => Ok(at(offset)),
                Ok(None) => Err(not_there(format!("in {file}"))),
                Err(candidates) => {
                    Err(self.told_apart(QueryError::Ambiguous { what: name.to_owned(), candidates }))
                }
            };
        };
        let on_line: Vec<u32> = (all.iter().map(|(offset, _)| *offset))
            .filter(|offset| i64::from(text.position(*offset).line) == line)
            .collect();
        if let Some(column) = column {
            let offset = self.offset(&file, line, column)?;
            let touches = |start: &&u32| (**start..=**start + bare.len() as u32).contains(&offset);
            if let Some(start) = on_line.iter().find(touches) {
                return Ok(at(*start));
            }
            if let [only] = on_line[..] {
                let column = text.position(only).column;
                self.told.note(format!("`{name}` stands at column {column} of line {line}, which was taken"));
                return Ok(at(only));
            }
        }
        match self.one_thing(&file, &on_line)? {
            Ok(Some(offset)) if column.is_none() => Ok(at(offset)),
            Ok(None) => Err(not_there(format!("at line {line} of {file}"))),
            _ => {
                let columns: Vec<u32> = on_line.iter().map(|offset| text.position(*offset).column).collect();
                Err(ToolError::new(
                    "ambiguous_match",
                    format!("`{name}` stands at several places of line {line}"),
                )
                .hint("pass `column`, one of `columns`")
                .with("columns", columns))
            }
        }
    }

    /// The occurrences of a name in a file, and whether each declares something.
    fn occurrences(&self, file: &FilePath, bare: &str) -> Result<Vec<(u32, bool)>, ToolError> {
        let text = self.text(file)?;
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let mut found = Vec::new();
        if bare.is_empty() {
            return Ok(found);
        }
        for (at, _) in text.text.match_indices(bare) {
            self.cx.check()?;
            let before = text.text[..at].chars().next_back().is_some_and(is_word);
            let after = text.text[at + bare.len()..].chars().next().is_some_and(is_word);
            if before || after {
                continue;
            }
            let (start, end) = (at as u32, (at + bare.len()) as u32);
            if let Some(here) =
                self.snapshot.name_at(file, start)?.filter(|n| n.range.start <= start && end <= n.range.end)
            {
                found.push((start, here.is_declaration));
            }
        }
        Ok(found)
    }

    /// The first of some places when all of them mean the same; else what they mean.
    fn one_thing(
        &self,
        file: &FilePath,
        offsets: &[u32],
    ) -> Result<Result<Option<u32>, Vec<Symbol>>, ToolError> {
        let mut meant: Vec<Symbol> = Vec::new();
        for offset in offsets {
            let target = Target::Position { file: file.clone(), offset: *offset };
            let Ok(answer) = self.snapshot.resolve(self.cx, &target) else { continue };
            if let Some((symbol, _)) = answer.value.into_iter().next()
                && meant.iter().all(|known| known.key != symbol.key)
            {
                meant.push(symbol);
            }
        }
        Ok(if meant.len() > 1 { Err(meant) } else { Ok(offsets.first().copied()) })
    }
}

/// Most lines that an error lists.
const LISTED: usize = 20;

fn describe(session: &Session<'_>, target: &Target) -> String {
    match target {
        Target::Position { file, offset }
        | Target::Variable { file, offset }
        | Target::Name { file, offset } => match session.place(file, *offset) {
            Ok(place) => format!("{}:{}:{}", place.file, place.line, place.column),
            Err(_) => file.to_string(),
        },
        Target::Named { symbol, .. } => format!("`{symbol}`"),
        Target::File(file) => file.to_string(),
        Target::Key(_) => "the symbol handle".to_owned(),
    }
}
