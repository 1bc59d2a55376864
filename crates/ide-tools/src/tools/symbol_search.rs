//! What `ide_find_class` and `ide_find_symbol` share: search by name, pages of declarations.

use ide_model::{Completeness, Confidence, FileMeta, Language, MatchMode, SearchKind, SymbolQuery};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{PageArgs, ProjectArg, ScopeArgs};
use crate::filter::Filter;
use crate::page::{Cut, HARD_CAP, Held, paged};
use crate::session::Session;
use crate::symbols::{SymbolRow, reason};
use crate::tool::{Call, missing};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// camelCase humps, substring, *, or Outer.member
    query: Option<String>,
    #[schemars(extend("enum" = ["substring", "prefix", "exact"]))]
    match_mode: Option<String>,
    language: Option<String>,
    #[serde(flatten)]
    scope: ScopeArgs,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Head {
    pub(crate) query: String,
    /// Why there may be more
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_because: Option<String>,
}

/// A page of the declarations that match.
pub(crate) fn search(
    call: &Call<'_>,
    tool: &'static str,
    args: &Args,
    kind: SearchKind,
) -> Result<Cut<Head, SymbolRow>, ToolError> {
    let session = Session::open(call, &args.project, None)?;
    paged(&session, tool, &args.page, 25, || collect(&session, args, kind))
}

fn collect(session: &Session<'_>, args: &Args, kind: SearchKind) -> Result<Held<Head, SymbolRow>, ToolError> {
    let query = args.query.as_deref().ok_or_else(|| missing("query"))?.trim();
    let filter = Filter::new(session, &args.scope, false, None)?;
    let admits = |file: &FileMeta| filter.admits(file);
    let answer = session.snapshot.search(
        session.cx,
        &SymbolQuery {
            pattern: query,
            mode: match_mode(args.match_mode.as_deref()),
            kind,
            language: args.language.as_deref().map(language).transpose()?,
            filter: &admits,
            limit: HARD_CAP + 1,
        },
    )?;
    let is_exact = answer.completeness == Completeness::Exact && !answer.value.cut;
    let head = Head { query: query.to_owned(), incomplete_because: reason(answer.completeness) };
    let mut rows = Vec::with_capacity(answer.value.items.len());
    for hit in &answer.value.items {
        session.cx.check()?;
        rows.push(session.symbol_row(&hit.symbol, Confidence::Exact, hit.approximate)?);
    }
    Ok(Held::new(session, head, rows, is_exact))
}

fn match_mode(word: Option<&str>) -> MatchMode {
    match word {
        Some("exact") => MatchMode::Exact,
        Some("prefix") => MatchMode::Prefix,
        _ => MatchMode::Substring,
    }
}

/// A language by name.
pub(crate) fn language(name: &str) -> Result<Language, ToolError> {
    Language::by_name(name.trim()).ok_or_else(|| {
        let known: Vec<&str> = ide_model::LANGUAGES.iter().map(|row| row.name).collect();
        ToolError::new("unsupported_language", format!("`{name}` is not a language we know"))
            .with("supportedValues", known)
    })
}
