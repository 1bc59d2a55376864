//! `ide_find_file`: files by name.

use ide_model::{FileMeta, MatchMode, NameMatcher, NameScore, SourceKind, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{PageArgs, ProjectArg, ScopeArgs};
use crate::filter::Filter;
use crate::page::{Page, ResultSet, paged};
use crate::session::Session;
use crate::tool::{Call, Tool, missing};
use crate::tools::symbol_search::matchable;

pub(crate) struct FindFile;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Name, humps, *.ext, or a part of the path with /
    query: Option<String>,
    #[serde(flatten)]
    scope: ScopeArgs,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    files: Vec<Row>,
    #[serde(flatten)]
    head: Head,
    #[serde(flatten)]
    page: Page,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Head {
    query: String,
}

#[derive(Clone, Serialize, JsonSchema)]
struct Row {
    name: String,
    path: String,
    directory: String,
    /// Only for matches with a typing error
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    approximate: bool,
}

impl Tool for FindFile {
    const NAME: &'static str = "ide_find_file";
    const ABOUT: &'static str = "Files by name or path, best match first; e.g. USJ finds UserService.java.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let cut = paged(&session, Self::NAME, &args.page, 25, || search(&session, &args))?;
        Ok(Output { files: cut.items, head: cut.head, page: cut.page })
    }

    fn text(output: &Output) -> Option<String> {
        let count = output.page.total_count;
        let verb = if count == 1 { "matches" } else { "match" };
        let mut text = format!("{} {verb} `{}`\n", counted(count, "file"), output.head.query);
        for row in &output.files {
            text.push_str(&row.path);
            text.push_str(if row.approximate { " (approximate)\n" } else { "\n" });
        }
        output.page.write_end(&mut text);
        Some(text)
    }
}

fn search(session: &Session<'_>, args: &Args) -> Result<ResultSet<Head, Row>, ToolError> {
    let query = args.query.as_deref().ok_or_else(|| missing("query"))?.trim();
    matchable(query, "give a part of the name or path, e.g. `*.py` or `src/`")?;
    let filter = Filter::new(session, &args.scope, false, None)?;
    let files = session.snapshot.files(session.cx, &|file| filter.admits(file))?;
    let pattern = query.replace('\\', "/");
    let matcher = NameMatcher::plain(&pattern, MatchMode::Substring);
    let by_name = |file: &FileMeta| matcher.score(file.path.file_name());
    let by_path = |file: &FileMeta| matcher.score(file.path.as_str());
    let typo = |file: &FileMeta| matcher.approximate(file.path.file_name(), "");
    let mut found = if pattern.contains('/') { Vec::new() } else { ranked(&files, by_name) };
    for search in [&by_path as &dyn Fn(&FileMeta) -> Option<NameScore>, &typo] {
        if found.is_empty() {
            found = ranked(&files, search);
        }
    }
    let rows = found.into_iter().map(|(score, file)| {
        let path = file.path.as_str();
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        Row {
            name: name.to_owned(),
            path: path.to_owned(),
            directory: directory.to_owned(),
            approximate: score.is_approximate(),
        }
    });
    Ok(ResultSet::new(session, Head { query: query.to_owned() }, rows.collect(), true))
}

/// The files that match: best match, project before library, production before test, path.
fn ranked(files: &[FileMeta], score: impl Fn(&FileMeta) -> Option<NameScore>) -> Vec<(NameScore, &FileMeta)> {
    let mut found: Vec<_> = files.iter().filter_map(|file| Some((score(file)?, file))).collect();
    let key = |(score, file): &(NameScore, &FileMeta)| {
        (*score, file.source == SourceKind::Library, file.source == SourceKind::Test, file.path.clone())
    };
    found.sort_by_cached_key(key);
    found
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{TestServer, names};

    const FILES: &str = "
        //- src/UserService.java
        //- src/app/build.gradle
        //- src/test/UserServiceTest.java
        //- docs/user.md
        //- gen/UserServiceJ.java
    ";

    fn paths(args: Value) -> Vec<String> {
        names(&TestServer::new(FILES).ok("ide_find_file", args)["files"], "path")
    }

    #[test]
    fn names_paths_and_masks() {
        assert_eq!(paths(json!({"query": "USJ"})), ["src/UserService.java", "src/test/UserServiceTest.java"]);
        assert_eq!(paths(json!({"query": "BG"})), ["src/app/build.gradle"]);
        assert_eq!(paths(json!({"query": "*Test.java"})), ["src/test/UserServiceTest.java"]);
        assert_eq!(paths(json!({"query": "app/build"})), ["src/app/build.gradle"]);
        assert_eq!(paths(json!({"query": "app\\build"})), ["src/app/build.gradle"]);
        assert_eq!(
            paths(json!({"query": "docs"})),
            ["docs/user.md"],
            "no name matches, so the path is looked at"
        );
        assert_eq!(paths(json!({"query": "USJ", "includeGenerated": true})).len(), 3);
        assert_eq!(paths(json!({"query": "USJ", "scope": "project_test_files"})).len(), 1);
        assert_eq!(paths(json!({"query": "zzz"})), Vec::<String>::new());
    }

    #[test]
    fn rows_carry_the_contract() {
        let result = TestServer::new(FILES).ok("ide_find_file", json!({"query": "UserServcie.java"}));
        let row = json!({"name": "UserService.java", "path": "src/UserService.java", "directory": "src", "approximate": true});
        assert_eq!(result["files"][0], row);
        assert_eq!(result["query"], "UserServcie.java");
    }
}
