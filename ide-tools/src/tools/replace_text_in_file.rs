//! `ide_replace_text_in_file`: literal or regex replacement, several at once, in one file or many.

use std::collections::BTreeMap;

use ide_model::{ContentHash, EditPlan, FilePath, FileText, TextEdit, TextRange, counted, with_line_endings};
use regex::{Captures, Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, WRITES, WriteArgs};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool, missing};

/// Most places that an answer lists.
const MAX_PLACES: usize = 100;

pub(crate) struct ReplaceTextInFile;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: Option<String>,
    search: Option<String>,
    /// Taken byte for byte; with regex `$1` is a group
    replace: Option<String>,
    regex: Option<bool>,
    /// Every match; else there must be exactly one
    all: Option<bool>,
    /// Several at once: the same parameters per entry
    edits: Option<Vec<Edit>>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edit {
    file: Option<String>,
    search: String,
    replace: Option<String>,
    regex: Option<bool>,
    all: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// Places of the replaced text, in the old text
    places: Vec<String>,
    truncated: bool,
}

/// A file that is edited.
struct Old {
    text: FileText,
    hash: ContentHash,
}

impl Tool for ReplaceTextInFile {
    const NAME: &'static str = "ide_replace_text_in_file";
    const ABOUT: &'static str = "Replaces text in files: one edit, or several in one call that happen together or not at \
        all. Encoding and line endings stay. Undone with ide_undo.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let wanted = match (args.edits, args.search) {
            (Some(edits), None) => edits,
            (None, Some(search)) => {
                vec![Edit { file: None, search, replace: args.replace, regex: args.regex, all: args.all }]
            }
            (Some(_), Some(_)) => {
                return Err(
                    ToolError::argument("both `search` and `edits` are given").hint("give one of them")
                );
            }
            (None, None) => return Err(missing("search")),
        };
        let (plan, mut places) = planned(&session, args.file.as_deref(), &wanted)?;
        let truncated = places.len() > MAX_PLACES;
        places.truncate(MAX_PLACES);
        Ok(Output { result: session.carry_out(plan, &args.write, Vec::new())?, places, truncated })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text())
    }
}

/// The plan of some edits, and where they are; `file` is meant by those that name none.
pub(super) fn planned(
    session: &Session<'_>,
    file: Option<&str>,
    wanted: &[Edit],
) -> Result<(EditPlan, Vec<String>), ToolError> {
    let mut files: BTreeMap<FilePath, Old> = BTreeMap::new();
    let mut plan = EditPlan::new("");
    let mut places = Vec::new();
    for edit in wanted {
        let path = edit.file.as_deref().or(file).ok_or_else(|| missing("file"))?;
        let file = session.locate(path)?;
        if !files.contains_key(&file) {
            let content = session.project.read(&file)?;
            files.insert(file.clone(), Old { text: FileText::new(content.text), hash: content.hash });
        }
        let old = &files[&file];
        let edits = edit.find(&file, &old.text)?;
        places.extend(edits.iter().map(|e| format!("{file}:{}", old.text.position(e.range.start).line)));
        plan.edit(&file, old.hash, edits).map_err(|error| ToolError::argument(error.message))?;
    }
    plan.title =
        format!("replace text at {} in {}", counted(places.len(), "place"), counted(files.len(), "file"));
    Ok((plan, places))
}

impl Edit {
    /// The edits that it means in a text: one, or with `all` at least one.
    fn find(&self, file: &FilePath, old: &FileText) -> Result<Vec<TextEdit>, ToolError> {
        let is_regex = self.regex.unwrap_or(false);
        let search =
            if is_regex { self.search.clone().into() } else { with_line_endings(&old.text, &self.search) };
        let replace = with_line_endings(&old.text, self.replace.as_deref().unwrap_or(""));
        let pattern = if is_regex { search.to_string() } else { regex::escape(&search) };
        let pattern = RegexBuilder::new(&pattern).multi_line(true).build();
        let pattern: Regex = pattern.map_err(|error| {
            ToolError::argument(format!("`search` is not a regular expression: {error}"))
                .hint("set `regex` to false to search the text as it is")
        })?;
        let edit = |found: Captures<'_>| {
            let whole = found.get(0).expect("a match has a whole");
            let mut text = String::new();
            if is_regex {
                found.expand(&replace, &mut text);
            } else {
                text.push_str(&replace);
            }
            TextEdit::new(TextRange::new(whole.start() as u32, whole.end() as u32), text)
        };
        let edits: Vec<TextEdit> = pattern.captures_iter(&old.text).map(edit).collect();
        let line = |edit: &TextEdit| old.position(edit.range.start).line;
        match (edits.len(), self.all.unwrap_or(false)) {
            (0, _) => Err(ToolError::new("no_match", format!("`search` does not occur in `{file}`"))
                .hint("read the file again; the text must match exactly, whitespace included")),
            (1, _) | (_, true) => Ok(edits),
            (n, false) => {
                Err(ToolError::new("ambiguous_match", format!("`search` occurs {n} times in `{file}`"))
                    .hint("make it longer, or set `all`")
                    .with("lines", edits.iter().take(MAX_PLACES).map(line).collect::<Vec<u32>>()))
            }
        }
    }
}
