//! `find_file`: files by a name with wildcards.

use ide_model::{FileMeta, Language, SourceKind};
use regex::{Regex, RegexBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::InProject;
use crate::tool::{Call, Tool};
use crate::{Project, ToolError};

const DEFAULT: i64 = 100;
const MOST: i64 = 5_000;

pub(crate) struct FindFile;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Whole name; * and ? are wildcards
    file_name: String,
    include_libraries: Option<bool>,
    /// Default 100
    max_results: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    pattern: String,
    include_libraries: bool,
    total_results: usize,
    truncated: bool,
    files: Vec<Row>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Row {
    path: String,
    relative_path: String,
    name: String,
    extension: String,
    /// Bytes
    size: u64,
    file_type: String,
}

impl Tool for FindFile {
    const NAME: &'static str = "find_file";
    const ABOUT: &'static str = "Files by their whole name; * stands for any text and ? for one character.";
    const SAME_AS: Option<&'static str> = Some("ide_find_file");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let pattern = args.file_name.trim().replace('\\', "/");
        let include_libraries = args.include_libraries.unwrap_or(false);
        let max = args.max_results.unwrap_or(DEFAULT).clamp(1, MOST) as usize;
        let admits = |file: &FileMeta| include_libraries || file.source != SourceKind::Library;
        let files = session.snapshot.files(session.cx, &admits)?;
        let matching = |ignores_case| -> Result<Vec<&FileMeta>, ToolError> {
            let glob = whole(&pattern, ignores_case)?;
            let of = |file: &FileMeta| {
                if pattern.contains('/') {
                    file.path.as_str().to_owned()
                } else {
                    file.path.file_name().to_owned()
                }
            };
            Ok(files.iter().filter(|file| glob.is_match(&of(file))).collect())
        };
        let mut found = matching(false)?;
        if found.is_empty() {
            found = matching(true)?;
        }
        Ok(Output {
            pattern: args.file_name,
            include_libraries,
            total_results: found.len(),
            truncated: found.len() > max,
            files: found.into_iter().take(max).map(|file| row(&*session.project, file)).collect(),
        })
    }
}

/// A pattern with wildcards that must match all of a name; with `/` in it the end of a path.
fn whole(pattern: &str, ignores_case: bool) -> Result<Regex, ToolError> {
    let mut expression = String::from(if pattern.contains('/') { "(?:^|/)" } else { "^" });
    for c in pattern.trim_start_matches('/').chars() {
        match c {
            '*' => expression.push_str(".*"),
            '?' => expression.push('.'),
            c => expression.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    expression.push('$');
    RegexBuilder::new(&expression).case_insensitive(ignores_case).dot_matches_new_line(true).build().map_err(
        |error| ToolError::argument(format!("`fileName` is too long: {error}")).with("parameter", "fileName"),
    )
}

fn row(project: &dyn Project, file: &FileMeta) -> Row {
    let name = file.path.file_name();
    let extension =
        name.rsplit_once('.').map_or("", |(stem, extension)| if stem.is_empty() { "" } else { extension });
    let relative = file.path.as_str().strip_prefix(project.root()).map(|rest| rest.trim_start_matches('/'));
    Row {
        path: crate::surface::absolute(project, &file.path),
        relative_path: relative.unwrap_or(file.path.as_str()).to_owned(),
        name: name.to_owned(),
        extension: extension.to_owned(),
        size: file.size,
        file_type: file
            .language
            .or_else(|| Language::of_path(name))
            .map_or("Text", Language::name)
            .to_owned(),
    }
}
