//! Failures of a tool as data and as text that an agent can act on.

use ide_model::{Language, QueryError, Symbol};
use serde_json::{Map, Value, json};

/// Why a tool call failed. Shown as a normal result with `isError`, never as a protocol error.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError {
    /// Stable machine name (`symbol_not_found`).
    pub slug: &'static str,
    /// Number of the error in older versions of the tools, where it had one.
    pub code: Option<i32>,
    /// The problem; names the offending value.
    pub message: String,
    /// One next step.
    pub hint: Option<String>,
    /// True when the same call may succeed later.
    pub retryable: bool,
    /// Further fields of this case (`candidates`, `supportedValues`).
    pub details: Box<Map<String, Value>>,
}

impl ToolError {
    pub fn new(slug: &'static str, message: impl Into<String>) -> Self {
        Self {
            slug,
            code: code_of(slug),
            message: message.into(),
            hint: None,
            retryable: false,
            details: Box::default(),
        }
    }

    /// A wrong argument.
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new("invalid_argument", message)
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.retryable = true;
        self
    }

    /// Adds a field of this case.
    #[must_use]
    pub fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.details.insert(field.to_owned(), value.into());
        self
    }

    /// The payload of the result: `error`, `code`?, `message`, `hint`?, `retryable`, then the case fields.
    pub fn to_json(&self) -> String {
        let mut object = Map::new();
        object.insert("error".to_owned(), self.slug.into());
        if let Some(code) = self.code {
            object.insert("code".to_owned(), code.into());
        }
        object.insert("message".to_owned(), self.message.as_str().into());
        if let Some(hint) = &self.hint {
            object.insert("hint".to_owned(), hint.as_str().into());
        }
        object.insert("retryable".to_owned(), self.retryable.into());
        object.extend(self.details.as_ref().clone());
        Value::Object(object).to_string()
    }
}

/// The slug of errors that say that files changed under a call.
pub(crate) const CHANGED: &str = "changed_meanwhile";

fn code_of(slug: &str) -> Option<i32> {
    match slug {
        "index_not_ready" => Some(-32001),
        "file_not_found" => Some(-32002),
        "symbol_not_found" => Some(-32003),
        "refactoring_conflict" => Some(-32004),
        _ => None,
    }
}

impl From<QueryError> for ToolError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::NotFound { what, similar } => not_found(&what, similar),
            QueryError::Ambiguous { what, candidates } => {
                ambiguous(&what, candidates.iter().map(candidate).collect())
            }
            QueryError::Grammar { what, examples } => Self::new(
                "unsupported_grammar",
                format!("`{what}` is not a qualified name of its language"),
            )
            .hint("find its qualified name with ide_find_symbol")
            .with("examples", examples),
            QueryError::NothingHere { what } => Self::new("symbol_not_found", format!("no symbol at {what}"))
                .hint("point at an identifier, or pass `language` and `symbol`"),
            QueryError::Unsupported { query, language, supported } => {
                unsupported(query, language, &supported)
            }
            QueryError::NoFile { path } => file_not_found(&path),
            QueryError::NotRead { path, because } => {
                Self::new("file_not_indexed", format!("`{path}` is not indexed: it {because}"))
                    .hint("search it with ide_search_text, or read it with ide_read_file")
            }
            QueryError::NotReady { what } => {
                Self::new("index_not_ready", format!("the index is still being built: {what}"))
                    .hint("ask ide_index_status every 5-10 s, then repeat the call")
                    .retryable()
            }
            QueryError::DeadlineExceeded => Self::new("timeout", "the call reached its time limit")
                .hint("narrow it with `paths` or `scope`")
                .retryable(),
            QueryError::Cancelled => Self::new("cancelled", "the call was cancelled").retryable(),
            QueryError::OutsideIndex { qualified_name } => external(qualified_name),
            QueryError::Made { qualified_name, from } => Self::new(
                "symbol_not_found",
                format!(
                    "`{qualified_name}` is not in the source: the compiler generates it from the declaration in `madeFrom`"
                ),
            )
            .hint("ask for that declaration; ide_search_text finds the uses of this name")
            .with("madeFrom", from.iter().map(candidate).collect::<Vec<_>>()),
            QueryError::BadPattern { message } => {
                Self::argument(format!("the pattern cannot be read: {message}"))
            }
            QueryError::Changed { path } => {
                Self::new(CHANGED, format!("`{path}` was changed while the call ran"))
                    .hint("repeat the call")
                    .retryable()
            }
            QueryError::Failed { message } => Self::new(
                "engine_unavailable",
                format!("the engine failed: {message}"),
            )
            .hint(
                "repeat the call; ide_index_status says what is wrong, and ide_search_text may still answer",
            )
            .retryable(),
        }
    }
}

/// A path that is unknown, gone or outside: one message for all three.
pub fn file_not_found(path: &str) -> ToolError {
    ToolError::new("file_not_found", format!("no file `{path}` in the project"))
        .hint("find the right path with ide_find_file")
}

fn not_found(what: &str, mut similar: Vec<String>) -> ToolError {
    let what = if what.starts_with('`') { what.to_owned() } else { format!("`{what}`") };
    similar.dedup();
    let error = ToolError::new("symbol_not_found", format!("nothing is called {what}"));
    if similar.is_empty() {
        return error.hint("search it with ide_find_symbol");
    }
    error.hint("did you mean one of `similar`?").with("similar", similar)
}

/// Several declarations of equal right, as rows that tell them apart.
pub(crate) fn ambiguous(what: &str, candidates: Vec<Value>) -> ToolError {
    let what = what.trim_matches('`');
    ToolError::new("ambiguous_match", format!("`{what}` matches {} symbols", candidates.len()))
        .hint("pass the `symbolId` of one of `candidates`")
        .with("candidates", candidates)
}

/// A candidate by name and place.
pub(crate) fn candidate(symbol: &Symbol) -> Value {
    let name = symbol.qualified_name.as_ref().unwrap_or(&symbol.name);
    json!({"symbol": &**name, "kind": symbol.kind.as_str(), "file": symbol.file.as_str()})
}

fn unsupported(query: &str, language: Option<Language>, supported: &[Language]) -> ToolError {
    let supported: Vec<&str> = supported.iter().map(|language| language.name()).collect();
    let language = language.map_or("this file", Language::name);
    ToolError::new("unsupported_language", format!("{query} is not available for {language}"))
        .hint("use ide_search_text instead")
        .with("supportedValues", supported)
}

fn external(symbol: String) -> ToolError {
    let message = format!("`{symbol}` is declared in a library whose source is not at hand");
    let hint =
        "once the project's dependencies are installed, ask again; where it is used, ide_search_text tells";
    ToolError::new("symbol_not_found", message).hint(hint).with("external", true).with("symbol", symbol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_symbol_with_near_misses_stays_small() {
        let error = ToolError::from(QueryError::NotFound {
            what: "com.acme.UserServise".to_owned(),
            similar: ["com.acme.UserService", "com.acme.UserServiceImpl", "com.acme.user.UserServices"]
                .map(str::to_owned)
                .to_vec(),
        });
        let json = error.to_json();
        assert!(json.len() / 4 <= 120, "{} bytes: {json}", json.len());
        assert!(json.contains(r#""code":-32003"#) && json.contains("com.acme.UserService"));
        let why = ToolError::from(QueryError::NotFound {
            what: "`x` (it is dynamic)".to_owned(),
            similar: Vec::new(),
        });
        assert!(why.to_json().contains("nothing is called `x` (it is dynamic)\""));
    }

    #[test]
    fn every_query_error_says_what_next_or_what_is_wrong() {
        let not_ready = ToolError::from(QueryError::NotReady { what: "12 of 40 files".to_owned() });
        assert!(not_ready.retryable && not_ready.to_json().contains("ide_index_status"));
        let external =
            ToolError::from(QueryError::OutsideIndex { qualified_name: "java.util.List#add".to_owned() });
        assert_eq!(
            external.to_json(),
            r#"{"error":"symbol_not_found","code":-32003,"message":"`java.util.List#add` is declared in a library whose source is not at hand","hint":"once the project's dependencies are installed, ask again; where it is used, ide_search_text tells","retryable":false,"external":true,"symbol":"java.util.List#add"}"#
        );
    }
}
