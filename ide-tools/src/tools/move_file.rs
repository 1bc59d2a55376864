//! `ide_move_file`: another place or name for a file or directory, and its importers told so.

use std::collections::BTreeSet;

use ide_model::{
    EditPlan, FileChange, FilePath, Language, Refactored, Refactoring, SourceKind, TextEdit, TextMatch,
    TextQuery,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{EditResult, Force, WRITES, WriteArgs};
use crate::services::EntryKind;
use crate::session::Session;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct MoveFile;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    /// New path, or a directory to move into
    destination: String,
    #[schemars(extend("x-hidden" = true))]
    update_references: Option<bool>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// False: only the file was moved
    references_updated: bool,
}

impl Tool for MoveFile {
    const NAME: &'static str = "ide_move_file";
    const ABOUT: &'static str = "Moves or renames a file or directory; imports, packages and namespaces follow. Refuses to break names.";
    const HINTS: Hints = WRITES;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let update = args.update_references.unwrap_or(true);
        let (from, moving) = match session.locate(&args.file) {
            Ok(from) => {
                let to = match session.project.entry(&args.destination) {
                    Ok((directory, Some(EntryKind::Directory))) => inside(&directory, &from),
                    _ => target(&from, &args.destination),
                };
                let moving = session.plan_move(&from, &session.project.place(&to)?, update)?;
                (from, moving)
            }
            Err(error) => match session.project.entry(&args.file) {
                Ok((from, Some(EntryKind::Directory))) => {
                    let to = match session.project.entry(&args.destination) {
                        Ok((directory, Some(EntryKind::Directory))) => inside(&directory, &from),
                        _ => args.destination.trim_end_matches(['/', '\\']).to_owned(),
                    };
                    let to = session.project.place(&to)?;
                    let moving = session.plan_move_of_directory(&from, &to, update)?;
                    (from, moving)
                }
                _ => return Err(error),
            },
        };
        let Moving { plan, mut warnings, references_updated } = moving;
        warnings.extend(session.mentions_of(&from, &plan)?);
        let result = session.carry_out(plan, &args.write, warnings)?;
        if !result.dry_run && session.project.files_below(&args.file, 1).is_ok_and(|files| files.is_empty()) {
            // A directory that stays holds nothing, so it does no harm.
            session.project.remove_directories(&args.file).ok();
        }
        Ok(Output { result, references_updated })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text())
    }
}

/// The plan of a move, and whether others follow it.
pub(crate) struct Moving {
    pub(crate) plan: EditPlan,
    pub(crate) warnings: Vec<String>,
    pub(crate) references_updated: bool,
}

impl Session<'_> {
    /// Plans that a file lies elsewhere. A file of a kind that is not understood moves alone.
    pub(crate) fn plan_move(
        &self,
        from: &FilePath,
        to: &FilePath,
        update: bool,
    ) -> Result<Moving, ToolError> {
        let mut warnings = Vec::new();
        if update && self.snapshot.file(from).is_some() {
            match self.plan(&Refactoring::MoveFile { from, to }, Force::None) {
                Ok(planned) => {
                    let Refactored { plan, warnings, .. } = planned;
                    return Ok(Moving { plan, warnings, references_updated: true });
                }
                Err(error)
                    if error.slug == "unsupported_language"
                        && Language::of_path(from.as_str()) == Language::of_path(to.as_str()) =>
                {
                    warnings.push(
                        "only the file was moved: references in this kind of file are not known".to_owned(),
                    );
                }
                Err(error) => return Err(error),
            }
        }
        let mut plan = EditPlan::new(format!("move {from} to {to}"));
        let before = self.project.hash(from)?;
        plan.changes.push(FileChange::Move { from: from.clone(), to: to.clone(), before, edits: Vec::new() });
        Ok(Moving { plan, warnings, references_updated: false })
    }
}

/// The most files that a directory may hold to be moved.
const MOST: usize = 5_000;

/// The most places that are looked at, and shown, in which an old path is written.
const MOST_MENTIONS: usize = 200;
const SHOWN_MENTIONS: usize = 5;

impl Session<'_> {
    /// Says where else the old path is written: in build files, scripts and documents, which are not changed.
    fn mentions_of(&self, from: &FilePath, plan: &EditPlan) -> Result<Option<String>, ToolError> {
        if !from.as_str().contains('/') {
            return Ok(None);
        }
        let query = TextQuery {
            beside: &[],
            pattern: from.as_str(),
            is_regex: false,
            case_sensitive: true,
            whole_word: true,
            context: None,
            filter: &|file| file.source != SourceKind::Library,
            limit: MOST_MENTIONS,
        };
        let is_planned = |hit: &TextMatch| {
            let mut of_file = plan.changes.iter().filter(|change| *change.file() == hit.file);
            let overlaps =
                |edit: &TextEdit| edit.range.start < hit.range.end && hit.range.start < edit.range.end;
            of_file.any(|change| change.edits().iter().any(overlaps))
        };
        let mut left = self.snapshot.search_text(self.cx, &query)?.value.matches.items;
        left.retain(|hit| !is_planned(hit));
        let mut places = Vec::new();
        for hit in left.iter().take(SHOWN_MENTIONS) {
            let place = self.place(&hit.file, hit.range.start)?;
            places.push(format!("{}:{}", place.file, place.line));
        }
        let more = match left.len().saturating_sub(SHOWN_MENTIONS) {
            0 => String::new(),
            more => format!(" and {more} more places"),
        };
        Ok((!places.is_empty())
            .then(|| format!("`{from}` is also written in {}{more}: not changed", places.join(", "))))
    }

    /// Plans that a directory lies elsewhere, with all that is in it.
    fn plan_move_of_directory(
        &self,
        from: &FilePath,
        to: &FilePath,
        update: bool,
    ) -> Result<Moving, ToolError> {
        let below = format!("{from}/");
        let all = self.project.files_below(from.as_str(), MOST + 1)?;
        if all.len() > MOST {
            return Err(ToolError::argument(format!("`{from}` holds more than {MOST} files"))
                .hint("move its directories one by one"));
        }
        let is_known = |file: &FilePath| self.snapshot.file(file).is_some();
        let known = update && all.iter().any(is_known);
        let Refactored { mut plan, warnings, .. } = match known {
            true => self.plan(&Refactoring::MoveFile { from, to }, Force::None)?,
            false => {
                let plan = EditPlan::new(format!("move {from} to {to}"));
                Refactored { plan, ..Refactored::default() }
            }
        };
        for change in &mut plan.changes {
            // The index does not read such files, so it does not know what is in them.
            if let FileChange::Move { from, before, edits, .. } = change
                && edits.is_empty()
                && Language::of_path(from.as_str()).is_none()
            {
                *before = self.project.hash(from)?;
            }
        }
        let planned: BTreeSet<FilePath> = plan.changes.iter().map(|change| change.file().clone()).collect();
        for file in all.into_iter().filter(|file| !planned.contains(file)) {
            self.cx.check()?;
            let Some(rest) = file.as_str().strip_prefix(&below) else { continue };
            let (to, before) = (FilePath::new(format!("{to}/{rest}")), self.project.hash(&file)?);
            plan.changes.push(FileChange::Move { from: file, to, before, edits: Vec::new() });
        }
        if plan.changes.is_empty() {
            return Err(ToolError::argument(format!("`{from}` holds no files")));
        }
        Ok(Moving { plan, warnings, references_updated: known })
    }
}

/// A place of the same name in a directory.
fn inside(directory: &FilePath, from: &FilePath) -> String {
    match directory.as_str() {
        "" | "." => from.file_name().to_owned(),
        directory => format!("{directory}/{}", from.file_name()),
    }
}

/// A destination with the ending of the file, or of another source file, is the new path; any other one a directory.
fn target(from: &FilePath, destination: &str) -> String {
    let ending = from.file_name().rsplit_once('.').map(|(_, ending)| format!(".{ending}"));
    let name = destination.rsplit(['/', '\\']).next().unwrap_or(destination);
    let has_ending = ending.is_some_and(|ending| name.len() > ending.len() && name.ends_with(&ending));
    if has_ending || Language::of_path(name).is_some() {
        return destination.to_owned();
    }
    inside(&FilePath::new(destination.trim_end_matches(['/', '\\'])), from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_are_directories_or_paths() {
        let from = FilePath::new("a/b.d.ts");
        assert_eq!(target(&from, "lib/"), "lib/b.d.ts");
        assert_eq!(target(&from, "."), "b.d.ts");
        assert_eq!(target(&from, "lib/c.ts"), "lib/c.ts");
        assert_eq!(target(&FilePath::new("a/b.js"), "lib/c.ts"), "lib/c.ts");
        assert_eq!(target(&FilePath::new("Makefile"), "x"), "x/Makefile");
    }
}
