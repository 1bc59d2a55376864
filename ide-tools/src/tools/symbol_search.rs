//! The common parts of `ide_find_class` and `ide_find_symbol`: search by name, pages of declarations.

use std::collections::HashSet;

use ide_model::{
    Completeness, Confidence, FileMeta, Language, MatchMode, SearchKind, SourceKind, Symbol, SymbolQuery,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{PageArgs, ProjectArg, ScopeArgs};
use crate::filter::Filter;
use crate::names::segments;
use crate::page::{Cut, HARD_CAP, Page, ResultSet, paged};
use crate::session::Session;
use crate::symbols::{SymbolRow, lines, reason};
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

/// A page as people and models read it.
pub(crate) fn text(noun: &str, rows: &[SymbolRow], head: &Head, page: &Page) -> String {
    let mut text = format!("{} {noun} match `{}`\n", page.total_count, head.query);
    text.push_str(&lines(rows));
    if let Some(reason) = &head.incomplete_because {
        text.push_str(&format!("incomplete: {reason}\n"));
    }
    page.write_end(&mut text);
    text
}

fn collect(
    session: &Session<'_>,
    args: &Args,
    kind: SearchKind,
) -> Result<ResultSet<Head, SymbolRow>, ToolError> {
    let query = args.query.as_deref().ok_or_else(|| missing("query"))?.trim();
    matchable(query, "give a part of the name, e.g. `Serv*`")?;
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
            with_libraries: filter.scope().admits(SourceKind::Library),
            limit: HARD_CAP + 1,
        },
    )?;
    let is_exact = answer.completeness == Completeness::Exact && !answer.value.cut;
    let head = Head { query: query.to_owned(), incomplete_because: reason(answer.completeness) };
    let named = named(session, args, kind, &filter)?;
    let hits = answer.value.items.iter().filter(|hit| named.is_empty() || !hit.approximate);
    let is_hit = |symbol: &Symbol| answer.value.items.iter().any(|hit| hit.symbol.key == symbol.key);
    let missed = named.iter().filter(|symbol| !is_hit(symbol)).map(|symbol| (symbol, false));
    let mut rows = Vec::with_capacity(answer.value.items.len());
    // Several declarations by one macro call stand at one place.
    let mut shown = HashSet::new();
    for (symbol, is_approximate) in missed.chain(hits.map(|hit| (&hit.symbol, hit.approximate))) {
        session.cx.check()?;
        if !shown.insert((&symbol.file, symbol.name_range.start, &symbol.name)) {
            continue;
        }
        rows.push(session.symbol_row(symbol, Confidence::Exact, is_approximate)?);
    }
    Ok(ResultSet::new(session, head, rows, is_exact))
}

/// The declarations of a qualified name that stand in its text in another order or way than around them: `Type::method` of an
/// implementation, `(*T).M`, `src/a.ts#name`.
fn named(
    session: &Session<'_>,
    args: &Args,
    kind: SearchKind,
    filter: &Filter,
) -> Result<Vec<Symbol>, ToolError> {
    let query = args.query.as_deref().unwrap_or("");
    if segments(query).len() < 2 || query.contains('*') && !query.contains("(*") {
        return Ok(Vec::new());
    }
    let language = args.language.as_deref().map(language).transpose()?;
    let mut found = session.ending_like(language, query, false)?;
    if filter.scope().admits(SourceKind::Library) {
        found.extend(session.ending_like(language, query, true)?);
    }
    found.retain(|symbol| {
        (kind != SearchKind::Types || symbol.kind.is_type())
            && language.is_none_or(|language| symbol.language == language)
            && session.snapshot.file(&symbol.file).is_none_or(|file| filter.admits(&file))
    });
    Ok(found)
}

fn match_mode(word: Option<&str>) -> MatchMode {
    match word {
        Some("exact") => MatchMode::Exact,
        Some("prefix") => MatchMode::Prefix,
        _ => MatchMode::Substring,
    }
}

/// Refuses a query of wildcards and separators alone, which no name matches.
pub(crate) fn matchable(query: &str, hint: &str) -> Result<(), ToolError> {
    if !query.chars().all(|c| "*.#:/\\".contains(c)) {
        return Ok(());
    }
    Err(ToolError::argument(format!("`{query}` holds nothing to match"))
        .hint(hint)
        .with("parameter", "query"))
}

/// A language by name.
pub(crate) fn language(name: &str) -> Result<Language, ToolError> {
    Language::by_name(name.trim()).ok_or_else(|| {
        let known: Vec<&str> = ide_model::LANGUAGES.iter().map(|row| row.name).collect();
        ToolError::new("unsupported_language", format!("`{name}` is not a known language"))
            .with("supportedValues", known)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{TestServer, names};

    const SOURCE: &str = r#"
//- src/UserService.java
class UserService {
//    ^^^^^^^^^^^ def com.UserService
  void save() {}
  //   ^^^^ def com.UserService.save
}
//- src/UserStore.java
interface UserStore {
//        ^^^^^^^^^ def com.UserStore
}
//- src/test/UserServiceTest.py
class UserServiceTest:
#     ^^^^^^^^^^^^^^^ def test.UserServiceTest
    pass
//- gen/UserServiceStub.java
class UserServiceStub {
//    ^^^^^^^^^^^^^^^ def gen.UserServiceStub
}
"#;

    fn found(tool: &str, args: Value) -> Vec<String> {
        let result = TestServer::new(SOURCE).ok(tool, args);
        let rows = result.get("classes").or(result.get("symbols")).unwrap();
        names(rows, "name")
    }

    #[test]
    fn classes_are_ranked_and_each_parameter_matters() {
        let class = |args| found("ide_find_class", args);
        assert_eq!(class(json!({"query": "USvc"})), ["UserService", "UserServiceTest"]);
        assert_eq!(class(json!({"query": "User", "language": "python"})), ["UserServiceTest"]);
        assert_eq!(class(json!({"query": "UserService", "matchMode": "exact"})), ["UserService"]);
        assert_eq!(class(json!({"query": "Store", "matchMode": "prefix"})), Vec::<String>::new());
        assert_eq!(class(json!({"query": "Stub", "includeGenerated": true})), ["UserServiceStub"]);
        assert_eq!(class(json!({"query": "Stub"})), Vec::<String>::new());
        assert_eq!(class(json!({"query": "User", "scope": "project_test_files"})), ["UserServiceTest"]);
        assert_eq!(class(json!({"query": "save"})), Vec::<String>::new(), "not a type");
        assert_eq!(class(json!({"query": "User", "limit": 1})), ["UserStore"]);
    }

    #[test]
    fn a_query_that_can_match_nothing_is_refused() {
        for query in ["*", "**", ".", "::"] {
            for tool in ["ide_find_class", "ide_find_symbol", "ide_find_file"] {
                assert_eq!(
                    TestServer::new(SOURCE).err(tool, json!({"query": query}))["parameter"],
                    "query",
                    "{tool} {query}"
                );
            }
        }
    }

    #[test]
    fn a_place_is_listed_once_under_a_name() {
        let made = "
//- src/made.rs
steps!(A, B);
//<- def made.A.step, def made.B.step
";
        let result = TestServer::new(made).ok("ide_find_symbol", json!({"query": "step"}));
        assert_eq!(
            (names(&result["symbols"], "name"), &result["totalCount"]),
            (vec!["step".to_owned()], &json!(1))
        );
    }

    #[test]
    fn symbols_may_be_qualified() {
        assert_eq!(found("ide_find_symbol", json!({"query": "UserService.save"})), ["save"]);
        assert_eq!(found("ide_find_symbol", json!({"query": "Other.save"})), Vec::<String>::new());
    }

    #[test]
    fn a_name_is_found_as_it_is_for_its_definition() {
        let source = "
//- src/dev.go
func (t *T) M() {}
//          ^ def m.T.M
//- src/kt.kt
fun Dev.extra(a: Int) = 2
//      ^^^^^ def x.extra
fun dev(): Dev.Part = extra()
//  ^^^ def x.dev
//- src/dev.rs
impl Run for Dev { fn go(&self) {} }
//                    ^^ def r.Dev.go
";
        let found = |query: &str| {
            let result = TestServer::new(source).ok("ide_find_symbol", json!({ "query": query }));
            names(&result["symbols"], "qualifiedName")
        };
        for (query, name) in [
            ("(*T).M", "m.T.M"),
            ("src/dev.go#M", "m.T.M"),
            ("<Dev as Run>::go", "r.Dev.go"),
            ("Dev.extra", "x.extra"),
        ] {
            assert_eq!(found(query), [name], "{query}");
        }
        assert_eq!(found("Dev.dev"), Vec::<String>::new());
        assert_eq!(found("Run.go*"), Vec::<String>::new());
    }

    #[test]
    fn typing_errors_are_forgiven_and_flagged() {
        let result = TestServer::new(SOURCE).ok("ide_find_class", json!({"query": "UserServcie"}));
        assert_eq!(result["classes"][0]["name"], "UserService");
        assert_eq!(result["classes"][0]["approximate"], true);
    }

    #[test]
    fn rows_carry_the_contract() {
        let result = TestServer::new(SOURCE).ok("ide_find_symbol", json!({"query": "save"}));
        let row = &result["symbols"][0];
        assert_eq!(row["qualifiedName"], "com.UserService.save");
        assert_eq!((&row["kind"], &row["language"]), (&json!("METHOD"), &json!("Java")));
        assert_eq!((&row["line"], &row["column"]), (&json!(2), &json!(8)));
        assert_eq!((&row["containerName"], &result["query"]), (&json!("com.UserService"), &json!("save")));
        let blank = TestServer::new(SOURCE).err("ide_find_class", json!({"query": "  "}));
        assert!(blank["message"].as_str().unwrap().contains("`query`"));
        let unknown =
            TestServer::new(SOURCE).err("ide_find_class", json!({"query": "x", "language": "cobol"}));
        assert_eq!(unknown["error"], "unsupported_language");
    }
}
