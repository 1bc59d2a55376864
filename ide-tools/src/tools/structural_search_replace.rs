//! `ide_structural_search_replace`: code found, and rewritten, by its shape.

use std::collections::BTreeMap;

use ide_model::{
    EditPlan, FileMeta, FilePath, LANGUAGES, Language, StructureMatch, StructureQuery, StructureResult,
    TextEdit, TextRange, counted,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{PageArgs, ProjectArg, ScopeArgs};
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::filter::Filter;
use crate::page::{HARD_CAP, Page, ResultSet, paged};
use crate::session::{Session, excerpt};
use crate::tool::{Call, Hints, Tool, missing};

/// Files that an error names.
const SHOWN: usize = 5;

pub(crate) struct StructuralSearchReplace;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Code; $NAME is one piece of code, $$$NAME any number, $_ and $$$ unnamed
    pattern: Option<String>,
    /// Replaces matches; $NAME as in the pattern
    rewrite: Option<String>,
    /// Language of the pattern, e.g. Java
    language: Option<String>,
    /// Globs below the project, ! excludes
    paths: Option<Vec<String>>,
    #[serde(flatten)]
    scope: ScopeArgs,
    #[serde(flatten)]
    page: PageArgs,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    /// Without rewrite
    #[serde(skip_serializing_if = "Option::is_none")]
    matches: Option<Vec<Match>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files_searched: Option<usize>,
    #[serde(flatten)]
    page: Option<Page>,
    #[serde(flatten)]
    result: Option<EditResult>,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    context: String,
    /// Texts that the names of the pattern match
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    captures: BTreeMap<String, String>,
}

impl Tool for StructuralSearchReplace {
    const NAME: &'static str = "ide_structural_search_replace";
    const ABOUT: &'static str = "Finds code by its structure, ignoring whitespace, comments and line breaks: the pattern is code with \
        holes, e.g. foo($A, $$$REST). With rewrite every match is replaced at once, all files or none, and nothing \
        when the result would not parse. Undone with ide_undo.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        if args.rewrite.is_some() && args.page.cursor.is_none() {
            let result = replace(&session, &args)?;
            return Ok(Output { matches: None, files_searched: None, page: None, result: Some(result) });
        }
        let cut = paged(&session, Self::NAME, &args.page, 100, || search(&session, &args))?;
        Ok(Output {
            matches: Some(cut.items),
            files_searched: Some(cut.head),
            page: Some(cut.page),
            result: None,
        })
    }

    fn text(output: &Output) -> Option<String> {
        let (Some(matches), Some(page)) = (&output.matches, &output.page) else {
            return output.result.as_ref().map(EditResult::text);
        };
        let mut text = format!("{}\n", counted(page.total_count, "match"));
        for Match { file, line, column, context, .. } in matches {
            text.push_str(&format!("{file}:{line}:{column} {context}\n"));
        }
        page.write_end(&mut text);
        Some(text)
    }
}

impl Session<'_> {
    fn shapes(&self, args: &Args) -> Result<StructureResult, ToolError> {
        let pattern = args.pattern.as_deref().ok_or_else(|| missing("pattern"))?;
        let name = args.language.as_deref().ok_or_else(|| missing("language"))?;
        let language = Language::by_name(name.trim()).ok_or_else(|| {
            let names: Vec<&str> = LANGUAGES.iter().map(|row| row.name).collect();
            ToolError::new("unsupported_language", format!("`{name}` is not a known language"))
                .with("supportedValues", names)
        })?;
        let filter = Filter::new(self, &args.scope, true, args.paths.as_deref())?;
        let admits = |file: &FileMeta| filter.admits(file);
        let rewrite = args.rewrite.as_deref();
        let query = StructureQuery { language, pattern, rewrite, filter: &admits, limit: HARD_CAP + 1 };
        Ok(self.snapshot.search_structure(self.cx, &query)?.value)
    }
}

fn search(session: &Session<'_>, args: &Args) -> Result<ResultSet<usize, Match>, ToolError> {
    let StructureResult { matches, files, .. } = session.shapes(args)?;
    let row = |found: &StructureMatch| -> Result<Match, ToolError> {
        let text = session.text(&found.file)?;
        let (at, end) = (text.position(found.range.start), text.position(found.range.end));
        let slice = |range: TextRange| excerpt(text.slice(range).unwrap_or(""), 0);
        let captures = found.captures.iter().map(|(name, range)| (name.to_string(), slice(*range)));
        Ok(Match {
            file: found.file.to_string(),
            line: at.line,
            column: at.column,
            end_line: end.line,
            context: session.context(&found.file, found.range.start)?,
            captures: captures.collect(),
        })
    };
    let rows: Result<Vec<Match>, ToolError> = matches.items.iter().map(row).collect();
    Ok(ResultSet::new(session, files, rows?, !matches.cut))
}

fn replace(session: &Session<'_>, args: &Args) -> Result<EditResult, ToolError> {
    let StructureResult { matches, files, broken } = session.shapes(args)?;
    if matches.items.is_empty() {
        return Err(ToolError::new(
            "no_match",
            format!("nothing in {} matches `pattern`", counted(files, "file")),
        )
        .hint(
            "search without `rewrite` and with a simpler pattern; `paths` and `scope` may leave files out",
        ));
    }
    if !broken.is_empty() {
        let shown: Vec<String> =
            broken.iter().take(SHOWN).map(|(file, line)| format!("{file}:{line}")).collect();
        let message = format!(
            "nothing was changed: code would fall apart or could not be read any more, at {} ({} in all)",
            shown.join(", "),
            broken.len()
        );
        return Err(ToolError::new("refactoring_conflict", message)
            .hint("correct `rewrite`, with braces around several statements, or narrow `paths`"));
    }
    let mut edits: BTreeMap<&FilePath, Vec<TextEdit>> = BTreeMap::new();
    let mut inner = 0;
    for found in &matches.items {
        match &found.replacement {
            Some(text) => {
                edits.entry(&found.file).or_default().push(TextEdit::new(found.range, text.clone()))
            }
            None => inner += 1,
        }
    }
    let mut plan = EditPlan::new("");
    let mut n = 0;
    for (file, edits) in edits {
        // An edit that changes nothing is left out.
        let text = session.text(file)?;
        let edits: Vec<TextEdit> =
            edits.into_iter().filter(|e| text.slice(e.range) != Some(&*e.text)).collect();
        n += edits.len();
        plan.edit(file, session.hash_of_text(file)?, edits)
            .map_err(|error| ToolError::argument(format!("`{}` {}", error.file, error.message)))?;
    }
    plan.title = format!("rewrite {} in {}", counted(n, "place"), counted(plan.changes.len(), "file"));
    let mut warnings = Vec::new();
    if inner > 0 {
        warnings.push(format!(
            "left within others that were rewritten: {}; call again for those",
            counted(inner, "match")
        ));
    }
    session.carry_out(plan, &args.write, warnings)
}
