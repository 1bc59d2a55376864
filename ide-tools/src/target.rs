//! From the selectors of a call to the declaration it means (index-tools §7.3).

use ide_model::{
    Answer, Confidence, FileMeta, FilePath, Language, MatchMode, QueryError, SearchKind, Symbol, SymbolQuery,
    Target,
};

use serde_json::Value;

use crate::ToolError;
use crate::args::TargetArgs;
use crate::error::{ambiguous, candidate};
use crate::schema::symbol_languages;
use crate::session::{Session, expired_id, parse_symbol_id};

/// Most names that an error suggests.
const MAX_NEAR: usize = 5;

/// What a call points at.
pub(crate) struct Resolved {
    pub(crate) symbol: Symbol,
    pub(crate) confidence: Confidence,
    /// Further declarations of equal right.
    pub(crate) alternatives: Vec<(Symbol, Confidence)>,
}

impl TargetArgs {
    /// The declaration that the selectors mean.
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
        resolve(session, &self.selected(session)?)
    }

    /// [`Self::resolve`], where an import may declare a variable of its own.
    ///
    /// # Errors
    /// Those of [`Self::resolve`].
    pub(crate) fn variable(&self, session: &Session<'_>) -> Result<Resolved, ToolError> {
        match self.position(session)? {
            Some((file, offset)) => resolve(session, &Target::Variable { file, offset }),
            None => self.resolve(session),
        }
    }

    /// [`Self::resolve`], where what the compiler makes is declared by what it is made from.
    ///
    /// # Errors
    /// Those of [`Self::resolve`].
    pub(crate) fn declaration(&self, session: &Session<'_>) -> Result<Resolved, ToolError> {
        self.resolve(session).or_else(|error| {
            let made = match self.position(session)? {
                Some((file, offset)) => {
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
        if self.symbol_id.is_some() {
            return Ok(None);
        }
        Ok(match self.selected(session)? {
            Target::Position { file, offset } => Some((file, offset)),
            _ => None,
        })
    }

    /// True when nothing at all selects a declaration.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { file, line, column, language, symbol, symbol_id } = self;
        [file, language, symbol, symbol_id].iter().all(|given| given.is_none())
            && line.is_none()
            && column.is_none()
    }

    fn selected(&self, session: &Session<'_>) -> Result<Target, ToolError> {
        let has_position = self.file.is_some() || self.line.is_some() || self.column.is_some();
        match (&self.file, self.line, self.column, &self.language, &self.symbol) {
            (_, _, _, Some(_), Some(_)) if has_position => {
                Err(ToolError::new("conflicting_target", "both a position and a symbol are given")
                    .hint("give file, line and column, or language and symbol"))
            }
            (Some(file), Some(line), Some(column), _, _) => {
                let file = session.project.locate(file)?;
                let offset = session.offset(&file, line, column)?;
                Ok(Target::Position { file, offset })
            }
            (_, _, _, Some(language), Some(symbol)) => named(language, symbol),
            _ => Err(self.incomplete(has_position)),
        }
    }

    fn incomplete(&self, has_position: bool) -> ToolError {
        let mut wanted = Vec::new();
        if has_position {
            let given = [
                ("file", self.file.is_none()),
                ("line", self.line.is_none()),
                ("column", self.column.is_none()),
            ];
            wanted.extend(given.into_iter().filter(|(_, is_missing)| *is_missing).map(|(name, _)| name));
        } else if self.symbol.is_some() {
            wanted.push("language");
        } else if self.language.is_some() {
            wanted.push("symbol");
        }
        let message = match &wanted[..] {
            [] => "no target: which symbol is meant?".to_owned(),
            names => format!("the target is incomplete: `{}` is missing", names.join("`, `")),
        };
        ToolError::argument(message).hint("give file, line and column, or language and symbol, or symbolId")
    }
}

/// The target of a name in the grammar of a language.
pub(crate) fn named(language: &str, symbol: &str) -> Result<Target, ToolError> {
    let known = Language::by_name(language.trim()).filter(|language| language.is_resolved());
    let language = known.ok_or_else(|| {
        ToolError::new("unsupported_language", format!("symbols of `{language}` cannot be addressed by name"))
            .hint("give file, line and column, or use ide_find_symbol")
            .with("supportedValues", symbol_languages())
    })?;
    Ok(Target::Named { language, symbol: symbol.trim().into() })
}

/// What a target means, the best first.
pub(crate) fn resolve(session: &Session<'_>, target: &Target) -> Result<Resolved, ToolError> {
    let answer = match (session.snapshot.resolve(session.cx, target), target) {
        (Err(QueryError::NotFound { what, similar }), Target::Named { language, symbol })
            if similar.is_empty() =>
        {
            let similar = session.near_misses(symbol, SearchKind::All, Some(*language))?;
            Err(QueryError::NotFound { what, similar })
        }
        (answer, _) => answer,
    };
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
    /// Those of the search.
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

    fn candidate(&self, symbol: &Symbol) -> Result<Value, ToolError> {
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

fn describe(session: &Session<'_>, target: &Target) -> String {
    match target {
        Target::Position { file, offset } | Target::Variable { file, offset } => {
            match session.place(file, *offset) {
                Ok(place) => format!("{}:{}:{}", place.file, place.line, place.column),
                Err(_) => file.to_string(),
            }
        }
        Target::Named { symbol, .. } => format!("`{symbol}`"),
        Target::Key(_) => "the symbol handle".to_owned(),
    }
}
