//! Plans carried out: what every tool that writes has in common.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    Conflict, ContentHash, Cx, EditError, EditPlan, EditStep, FileChange, FileDiff, FilePath, Landmark,
    Provided, QueryError, Refactored, Refactoring, Refusal, RefusalReason, Snapshot, Target, counted, edited,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::session::Session;
use crate::speculation::Foresight;
use crate::symbols::ResolvedSymbol;
use crate::tool::Hints;

/// Tools that change files.
pub(crate) const WRITES: Hints =
    Hints { read_only: false, destructive: true, idempotent: false, open_world: false };

/// Syntax errors that are quoted in a warning.
const QUOTED: usize = 3;

/// Arguments of the tools that go one step through the history of changes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StepArgs {
    #[serde(flatten)]
    pub(crate) project: ProjectArg,
    /// Fail unless this is the step
    pub(crate) edit_id: Option<String>,
    #[serde(flatten)]
    pub(crate) write: WriteArgs,
}

/// Parameters of every tool that writes.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WriteArgs {
    pub(crate) dry_run: Option<bool>,
    pub(crate) include_diff: Option<bool>,
    /// Files whose diffs were shown already
    #[schemars(extend("x-hidden" = true))]
    pub(crate) diff_offset: Option<i64>,
}

impl WriteArgs {
    pub(crate) fn is_dry(&self) -> bool {
        self.dry_run.unwrap_or(false)
    }
}

/// The result of a change.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EditResult {
    pub(crate) success: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) dry_run: bool,
    pub(crate) affected_files: Vec<String>,
    pub(crate) changes_count: usize,
    pub(crate) message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) warnings: Vec<String>,
    pub(crate) edits: Vec<FileEdit>,
    #[serde(flatten)]
    pub(crate) foresight: Foresight,
    /// For ide_undo
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit_id: Option<String>,
}

impl EditResult {
    /// The result of a change that would change nothing.
    pub(crate) fn unchanged(message: String, args: &WriteArgs, warnings: Vec<String>) -> Self {
        Self {
            success: true,
            dry_run: args.is_dry(),
            affected_files: Vec::new(),
            changes_count: 0,
            message,
            warnings,
            edits: Vec::new(),
            foresight: Foresight::default(),
            edit_id: None,
        }
    }

    /// The result for reading, diffs as they are.
    pub(crate) fn text(&self) -> String {
        self.text_before("ide_undo takes it back")
    }

    /// [`Self::text`] with what can be done with the step next.
    pub(crate) fn text_before(&self, next: &str) -> String {
        let mut text = format!("{}\n", self.message);
        for warning in &self.warnings {
            text.push_str(&format!("warning: {warning}\n"));
        }
        for FileEdit { file, change, count, diff } in &self.edits {
            let count = count.map_or_else(String::new, |count| format!(" ({})", counted(count, "edit")));
            text.push_str(&format!("{change} {file}{count}\n{}", diff.as_deref().unwrap_or_default()));
        }
        text.push_str(&self.foresight.text());
        if let Some(id) = &self.edit_id {
            text.push_str(&format!("editId {id}: {next}\n"));
        }
        text
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileEdit {
    file: String,
    change: &'static str,
    /// Text edits in this file
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// The first answer with the name of who gave it; those who gave none become warnings that they did not do it.
pub(crate) fn first_said<T>(
    all: Vec<Provided<T>>,
    what: &str,
    warnings: &mut Vec<String>,
) -> Option<(String, T)> {
    for Provided { name, said, .. } in all {
        match said {
            Ok(value) => return Some((name, value)),
            Err(because) => warnings.push(format!("{name} did not {what}: {because}")),
        }
    }
    None
}

/// A line for each symbol that a result is about.
pub(crate) fn symbol_lines<'s>(symbols: impl IntoIterator<Item = &'s ResolvedSymbol>) -> String {
    symbols.into_iter().map(|symbol| format!("symbol: {}\n", symbol.text())).collect()
}

impl Session<'_> {
    /// Carries a plan out, or says what it would do. The index has taken the change in when this returns, and what is on
    /// disk was compared with what was planned.
    pub(crate) fn carry_out(
        &self,
        mut plan: EditPlan,
        args: &WriteArgs,
        mut warnings: Vec<String>,
    ) -> Result<EditResult, ToolError> {
        plan.tidy().map_err(|error| edit_error(error.into()))?;
        let editor = self.project.editor()?;
        let counts = counts(&plan);
        let foresight = self.foresee(&plan)?;
        let (files, id) = if args.is_dry() {
            (editor.preview(self.cx, &plan).map_err(edit_error)?, None)
        } else {
            let errors_before = self.syntax_errors(&*self.snapshot, &plan);
            let EditStep { id, files, .. } = editor.apply(self.cx, &plan).map_err(edit_error)?;
            self.prove(&plan, &errors_before, &id, &mut warnings)?;
            self.remove_emptied(&plan);
            (files, Some(id))
        };
        let verb = if args.is_dry() { "would: " } else { "" };
        Ok(EditResult {
            success: true,
            dry_run: args.is_dry(),
            affected_files: shown_files(&files),
            changes_count: plan.change_count(),
            message: format!("{verb}{}", plan.title),
            edits: self.rows(files, &counts, args),
            foresight: if args.is_dry() { foresight } else { foresight.made() },
            warnings,
            edit_id: id,
        })
    }

    /// Removes the directories whose last files have moved away. Undo makes them again.
    fn remove_emptied(&self, plan: &EditPlan) {
        let left = plan.changes.iter().filter_map(|change| match change {
            FileChange::Move { from, .. } => Some(from.directory()),
            _ => None,
        });
        let left: BTreeSet<&str> = left.filter(|directory| !directory.is_empty()).collect();
        for directory in left.into_iter().rev() {
            if self.project.files_below(directory, 1).is_ok_and(|files| files.is_empty()) {
                // A directory that stays holds nothing, so it does no harm.
                self.project.remove_directories(directory).ok();
            }
        }
    }

    /// Holds the files of a plan that was carried out against what they should be, in the index of now. Files with more
    /// syntax errors than before are warned of.
    fn prove(
        &self,
        plan: &EditPlan,
        errors_before: &BTreeMap<FilePath, usize>,
        id: &str,
        warnings: &mut Vec<String>,
    ) -> Result<(), ToolError> {
        // The change is on disk: running out of time now must not look as if it were not.
        let now = match self.project.backend().snapshot(self.cx) {
            Err(QueryError::Cancelled | QueryError::DeadlineExceeded) => {
                warnings.push(
                    "the change is written; the time limit was reached before the index was updated"
                        .to_owned(),
                );
                return Ok(());
            }
            other => other?,
        };
        for change in &plan.changes {
            let Some(file) = self.is_otherwise(&*now, change) else { continue };
            // Others may have written before this step, or on top of it; its record knows what it left.
            match self.project.editor()?.undo(self.cx, Some(id), true) {
                Ok(_) => {}
                Err(EditError::NoStep { .. }) => {
                    warnings.push(format!("`{file}` was changed again by a step that followed"));
                }
                Err(_) => {
                    return Err(ToolError::new(
                        "changed_meanwhile",
                        format!("`{file}` was written, but has been changed again since"),
                    )
                    .hint(format!("look at it, then ide_undo with editId {id} if the change is not wanted"))
                    .with("editId", id));
                }
            }
        }
        for (file, count) in self.syntax_errors(&*now, plan) {
            let before = errors_before.get(&file).copied().unwrap_or(0);
            if count > before {
                warnings.push(format!(
                    "`{file}` has {} new syntax errors{}",
                    count - before,
                    self.quoted(&*now, &file)
                ));
            }
        }
        Ok(())
    }

    /// The file of a change that is not as the change leaves it. Files that the index does not list say nothing.
    fn is_otherwise(&self, now: &dyn Snapshot, change: &FileChange) -> Option<FilePath> {
        let (gone, there, wanted) = match change {
            FileChange::Delete { file, .. } => (Some(file), None, None),
            FileChange::Create { file, text } => (None, Some(file), Some(text.to_string())),
            FileChange::Edit { file, edits, .. } => {
                let old = self.snapshot.text(file).ok();
                (None, Some(file), old.and_then(|old| edited(&old.text, edits)))
            }
            FileChange::Move { from, to, edits, .. } => {
                let old = self.snapshot.text(from).ok();
                (Some(from), Some(to), old.and_then(|old| edited(&old.text, edits)))
            }
        };
        if let Some(file) = gone.filter(|file| now.file(file).is_some()) {
            return Some(file.clone());
        }
        let (file, wanted) = (there.filter(|file| now.file(file).is_some())?, wanted?);
        let is_same = now.text(file).is_ok_and(|text| *text.text == *wanted);
        (!is_same).then(|| file.clone())
    }

    /// The hash of a file whose text the snapshot has, for edits that were made from that text.
    ///
    /// # Errors
    /// `changed_meanwhile` where the file is another one by now.
    pub(crate) fn hash_of_text(&self, file: &FilePath) -> Result<ContentHash, ToolError> {
        let now = self.project.read(file)?;
        if *now.text == *self.snapshot.text(file)?.text {
            return Ok(now.hash);
        }
        let message = format!("nothing was changed: `{file}` is being written by someone else");
        Err(ToolError::new("changed_meanwhile", message).hint("repeat the call").retryable())
    }

    /// How many syntax errors the files that a plan leaves have in a snapshot.
    fn syntax_errors(&self, snapshot: &dyn Snapshot, plan: &EditPlan) -> BTreeMap<FilePath, usize> {
        let left = plan.changes.iter().flat_map(|change| match change {
            FileChange::Move { from, to, .. } => vec![from, to],
            FileChange::Delete { .. } => Vec::new(),
            other => vec![other.file()],
        });
        let count = |file: &FilePath| Some((file.clone(), syntax(snapshot, self.cx, file)?.len()));
        left.filter_map(count).collect()
    }

    fn quoted(&self, snapshot: &dyn Snapshot, file: &FilePath) -> String {
        let Some(messages) = syntax(snapshot, self.cx, file) else { return String::new() };
        let shown: Vec<String> = messages.into_iter().take(QUOTED).collect();
        format!(": {}", shown.join("; "))
    }

    /// Takes the newest step back, or does it again.
    pub(crate) fn turn(
        &self,
        id: Option<&str>,
        args: &WriteArgs,
        is_undo: bool,
    ) -> Result<EditResult, ToolError> {
        let editor = self.project.editor()?;
        let turn = |id: Option<&str>, dry| {
            let turned = if is_undo { editor.undo(self.cx, id, dry) } else { editor.redo(self.cx, id, dry) };
            turned.map_err(edit_error)
        };
        let mut step = turn(id, true)?;
        let mut foresight = self.foresee_step(&step.files)?;
        if !args.is_dry() {
            step = turn(Some(&step.id), false)?;
            foresight = foresight.made();
        }
        let EditStep { id, title, files } = step;
        let mut warnings = Vec::new();
        if let Err(QueryError::Cancelled | QueryError::DeadlineExceeded) =
            self.project.backend().snapshot(self.cx)
        {
            warnings.push(
                "the change is written; the time limit was reached before the index was updated".to_owned(),
            );
        }
        let verb = if is_undo { "undone: " } else { "done again: " };
        let would = if args.is_dry() { "would be " } else { "" };
        Ok(EditResult {
            success: true,
            dry_run: args.is_dry(),
            affected_files: shown_files(&files),
            changes_count: files.len(),
            message: format!("{would}{verb}{title}"),
            warnings,
            edits: self.rows(files, &BTreeMap::new(), args),
            foresight,
            edit_id: Some(id),
        })
    }
}

/// The messages of the syntax errors of a file; `None` when it is not analysed.
fn syntax(snapshot: &dyn Snapshot, cx: Cx<'_>, file: &FilePath) -> Option<Vec<String>> {
    if snapshot.is_sound(file) {
        return Some(Vec::new());
    }
    let found = snapshot.diagnostics(cx, file).ok()?.value;
    let text = snapshot.text(file).ok()?;
    let line = |offset| text.position(offset).line;
    let errors = found.into_iter().filter(|problem| problem.code == "syntax");
    Some(errors.map(|problem| format!("line {}: {}", line(problem.range.start), problem.message)).collect())
}

fn counts(plan: &EditPlan) -> BTreeMap<FilePath, usize> {
    let row = |change: &FileChange| {
        let file = match change {
            FileChange::Move { to, .. } => to,
            other => other.file(),
        };
        (!change.edits().is_empty()).then(|| (file.clone(), change.edits().len()))
    };
    plan.changes.iter().filter_map(row).collect()
}

/// Most files that a result lists.
const MAX_FILES: usize = 500;

fn shown_files(files: &[FileDiff]) -> Vec<String> {
    files.iter().take(MAX_FILES).map(|file| file.file.to_string()).collect()
}

impl Session<'_> {
    /// A row a file, as many as a result lists, with as many diffs as the response has room for. Left out diffs are
    /// reported.
    fn rows(
        &self,
        files: Vec<FileDiff>,
        counts: &BTreeMap<FilePath, usize>,
        args: &WriteArgs,
    ) -> Vec<FileEdit> {
        let with_diff = args.include_diff.unwrap_or(false);
        let offset = usize::try_from(args.diff_offset.unwrap_or(0)).unwrap_or(0);
        let count = files.len();
        let mut room = self.services.response_budget() / 3;
        let mut cut_at = None;
        let mut rows = Vec::new();
        for (n, file) in files.into_iter().enumerate() {
            let is_wanted = with_diff && n >= offset && cut_at.is_none();
            let diff = is_wanted.then(|| file.unified()).and_then(|diff| {
                if diff.len() <= room {
                    room -= diff.len();
                    return Some(diff);
                }
                // The first one is shown as far as there is room; others wait for the next call.
                cut_at = Some(n + usize::from(n == offset));
                (n == offset).then(|| head_of(&diff, room))
            });
            if n < MAX_FILES || diff.is_some() {
                rows.push(FileEdit {
                    count: counts.get(&file.file).copied(),
                    change: file.kind.as_str(),
                    diff,
                    file: file.file.to_string(),
                });
            }
        }
        if count > MAX_FILES {
            self.told.note(format!("{MAX_FILES} of {count} files are listed; all of them are changed"));
        }
        if let Some(next) = cut_at.filter(|next| *next < count) {
            let how = if args.is_dry() { "repeat the call" } else { "a dry run of ide_undo" };
            self.told.note(format!(
                "diffs from file {} of {count} on: {how} with includeDiff and diffOffset {next}",
                next + 1
            ));
        }
        rows
    }
}

/// The first lines of a diff that is too long.
fn head_of(diff: &str, room: usize) -> String {
    let end = (0..=room.min(diff.len())).rev().find(|end| diff.is_char_boundary(*end)).unwrap_or(0);
    let end = diff[..end].rfind('\n').map_or(end, |newline| newline + 1);
    let left = diff[end..].lines().count();
    format!("{}… {left} more lines; ide_read_file shows the file\n", &diff[..end])
}

/// Why nothing was written, with the next step.
pub(crate) fn edit_error(error: EditError) -> ToolError {
    match error {
        EditError::Refused(refusals) => refused(&refusals),
        EditError::Plan(error) => ToolError::argument(format!("the file `{}` {}", error.file, error.message))
            .hint("make the edits of one file not overlap"),
        EditError::NoStep { message } => ToolError::new("nothing_to_undo", message),
        EditError::Stopped(error) => error.into(),
        EditError::Failed { message } => {
            ToolError::new("write_failed", format!("nothing was changed: {message}"))
                .hint("see that the disk has room and the directory can be written to, then repeat the call")
        }
        EditError::Torn { message } => ToolError::new(
            "write_failed",
            format!("files were changed, and not all of them could be put back: {message}"),
        )
        .hint("where the disk failed, repeat the call when it works: the files are put back first")
        .retryable(),
    }
}

fn refused(refusals: &[Refusal]) -> ToolError {
    let slug = match refusals.first().map(|refusal| refusal.reason) {
        Some(RefusalReason::ReadOnly) => "read_only",
        Some(RefusalReason::Exists) => "file_exists",
        Some(RefusalReason::Missing | RefusalReason::Outside) => "file_not_found",
        Some(RefusalReason::Changed) => "changed_meanwhile",
        _ => "not_editable",
    };
    let rows: Vec<Value> = refusals
        .iter()
        .map(|refusal| json!({"file": refusal.file.as_str(), "reason": refusal.reason.as_str()}))
        .collect();
    let first = refusals.first().map_or_else(String::new, |r| format!("`{}` {}", r.file, r.reason.as_str()));
    let more = if refusals.len() > 1 { format!(", and {} more", refusals.len() - 1) } else { String::new() };
    let error = ToolError::new(slug, format!("nothing was changed: {first}{more}")).with("files", rows);
    match slug {
        "changed_meanwhile" => error.hint("read the file again, then repeat the call").retryable(),
        "file_exists" => error.hint("choose another name, or edit the file that is there"),
        _ => error,
    }
}

/// Conflicts that an answer lists.
const LISTED: usize = 20;

/// The arguments of a tool by which it goes on in spite of doubts.
#[derive(Clone, Copy)]
pub(crate) enum Force {
    None,
    /// `force`.
    Argument(Option<bool>),
    /// `force` and `includeUnresolved`.
    OfRename(Option<bool>),
}

impl Force {
    fn is_on(self) -> bool {
        match self {
            Self::None => false,
            Self::Argument(on) | Self::OfRename(on) => on.unwrap_or(false),
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::None => "look at the places in `conflicts`, and change them first",
            Self::Argument(_) => "look at the places in `conflicts`; `force` goes on in spite of them",
            Self::OfRename(_) => {
                "look at the places in `conflicts`; `force` goes on in spite of them, `includeUnresolved` changes them too"
            }
        }
    }
}

impl Session<'_> {
    /// The plan of a refactoring, if nothing stands in its way. `force` sets doubts aside; they become warnings.
    pub(crate) fn plan(&self, what: &Refactoring<'_>, force: Force) -> Result<Refactored, ToolError> {
        self.settled(self.snapshot.refactor(self.cx, what)?.value, force)
    }

    /// A plan without conflicts; with `force` doubts become warnings.
    pub(crate) fn settled(&self, mut planned: Refactored, force: Force) -> Result<Refactored, ToolError> {
        let (doubts, firm): (Vec<Conflict>, Vec<Conflict>) =
            std::mem::take(&mut planned.conflicts).into_iter().partition(|conflict| conflict.kind.is_doubt());
        if firm.is_empty() && (doubts.is_empty() || force.is_on()) {
            for doubt in doubts.iter().take(LISTED) {
                let place =
                    self.place_of_conflict(doubt)?.map_or_else(String::new, |place| format!("{place}: "));
                planned.warnings.push(format!("{place}{}", doubt.message));
            }
            if doubts.len() > LISTED {
                planned.warnings.push(format!("and {} more of this kind", doubts.len() - LISTED));
            }
            return Ok(planned);
        }
        let all: Vec<&Conflict> = firm.iter().chain(&doubts).collect();
        let error = conflict_error(self, &all)?;
        Err(if firm.is_empty() {
            error.hint(force.hint())
        } else {
            error.hint("resolve every entry of `conflicts`, or make another change")
        })
    }

    fn place_of_conflict(&self, conflict: &Conflict) -> Result<Option<String>, ToolError> {
        let Some(at) = &conflict.at else { return Ok(None) };
        let place = self.place(&at.file, at.range.start)?;
        Ok(Some(format!("{}:{}:{}", place.file, place.line, place.column)))
    }

    /// Carries out what was planned and finds what it declares; nothing is found in a dry run.
    pub(crate) fn carry_out_declared(
        &self,
        planned: Refactored,
        args: &WriteArgs,
    ) -> Result<(EditResult, Option<ResolvedSymbol>), ToolError> {
        let result = self.carry_out(planned.plan, args, planned.warnings)?;
        let declared = match planned.landmarks.get(..1) {
            Some(first) if !args.is_dry() => self.found_again(first, result.edit_id.as_deref())?.pop(),
            _ => None,
        };
        Ok((result, declared))
    }

    /// Finds the declarations of a change that was made, in the index of now.
    pub(crate) fn found_again(
        &self,
        landmarks: &[Landmark],
        id: Option<&str>,
    ) -> Result<Vec<ResolvedSymbol>, ToolError> {
        let now = Session {
            snapshot: self.project.backend().snapshot(self.cx)?,
            texts: RefCell::default(),
            project: self.project.clone(),
            told: self.told.clone(),
            ..*self
        };
        let mut all = Vec::new();
        for landmark in landmarks {
            let target = Target::Position { file: landmark.file.clone(), offset: landmark.offset };
            let found = now.snapshot.resolve(self.cx, &target);
            let symbol = found.ok().and_then(|answer| answer.value.into_iter().next());
            match symbol {
                Some((symbol, confidence)) if *symbol.name == *landmark.name => {
                    all.push(now.resolved_symbol(&symbol, confidence)?);
                }
                _ => {
                    return Err(ToolError::new(
                        "not_proved",
                        format!(
                            "the change is written, but `{}` is not found at its place in {}",
                            landmark.name, landmark.file
                        ),
                    )
                    .hint("look at the file; ide_undo takes the change back")
                    .with("editId", id.unwrap_or("")));
                }
            }
        }
        Ok(all)
    }
}

/// Nothing was changed, because of these.
pub(crate) fn conflict_error(session: &Session<'_>, all: &[&Conflict]) -> Result<ToolError, ToolError> {
    let row = |conflict: &&Conflict| {
        let mut row = json!({"kind": conflict.kind.as_str(), "message": conflict.message});
        if let Some(place) = session.place_of_conflict(conflict)? {
            row["at"] = place.into();
        }
        Ok(row)
    };
    let rows: Result<Vec<Value>, ToolError> = all.iter().take(LISTED).map(row).collect();
    let first = all.first().map_or("", |conflict| &conflict.message);
    Ok(ToolError::new("refactoring_conflict", format!("nothing was changed: {first}"))
        .with("conflicts", rows?)
        .with("conflictCount", all.len()))
}
