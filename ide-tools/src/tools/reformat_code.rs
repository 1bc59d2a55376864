//! `ide_reformat_code`: a file, or lines of it, as the project's own formatter writes them.

use ide_model::{
    EditPlan, Engine, FileChange, FilePath, FormatOrder, LineIndex, Refactoring, TextEdit, TextRange,
    counted, edited,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use similar::DiffOp;
use similar::algorithms::{Capture, Compact, Replace, myers};

use crate::args::ProjectArg;
use crate::edits::{EditResult, Force, WRITES, WriteArgs, first_said};
use crate::session::{Session, position};
use crate::tool::{Call, Hints, Tool};
use crate::{Formatted, ToolError};

pub(crate) struct ReformatCode;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    file: String,
    /// With endLine: change these lines only
    start_line: Option<i64>,
    end_line: Option<i64>,
    /// Default true
    optimize_imports: Option<bool>,
    #[schemars(extend("x-hidden" = true))]
    rearrange_code: Option<bool>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    changed: bool,
    formatter: String,
}

impl Tool for ReformatCode {
    const NAME: &'static str = "ide_reformat_code";
    const ABOUT: &'static str = "Formats a file, or lines of it, as the IDE does; without one with the formatter that the project \
        is set up for (rustfmt, gofmt, black, ruff, prettier, biome, google-java-format, ktfmt, ktlint, php-cs-fixer, pint, mago), else a \
        language server. May run that program. Undone with ide_undo.";
    const HINTS: Hints = Hints { idempotent: true, ..WRITES };
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, None)?;
        let file = session.locate(&args.file)?;
        let content = session.project.read(&file)?;
        // The mark at the start of a file is not the formatter's business.
        let text = content.text.strip_prefix('\u{feff}').unwrap_or(&content.text);
        let mark = (content.text.len() - text.len()) as u32;
        let lines = args.lines(LineIndex::new(text).line_count())?;
        let mut warnings = Vec::new();
        let order =
            FormatOrder { file, text: text.into(), lines, rearrange: args.rearrange_code.unwrap_or(false) };
        let with_imports = args.optimize_imports.unwrap_or(true);
        let Formatted { text: formatted, by } = session.formatted(&order, with_imports, &mut warnings)?;
        let file = order.file;
        let formatted = formatted.strip_prefix('\u{feff}').unwrap_or(&formatted);
        let edits = line_edits(text, formatted, lines, mark);
        if edits.is_empty() {
            let result = EditResult::unchanged(format!("{file} is formatted already"), &args.write, warnings);
            return Ok(Output { result, changed: false, formatter: by });
        }
        let mut plan = EditPlan::new(format!("format {file}"));
        plan.edit(&file, content.hash, edits).map_err(|error| ToolError::argument(error.message))?;
        let result = session.carry_out(plan, &args.write, warnings)?;
        Ok(Output { result, changed: true, formatter: by })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text())
    }
}

impl Session<'_> {
    /// A text in the form that the IDE gives it; without one as the project's own formatter writes it, else a language server.
    fn formatted(
        &self,
        order: &FormatOrder,
        with_imports: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Formatted, ToolError> {
        if with_imports && order.lines.is_some() {
            warnings.push("imports were not changed: only some lines are formatted".to_owned());
        }
        let with_imports = with_imports && order.lines.is_none();
        if let Some(done) = self.formatted_by(Engine::Ide, order, with_imports, warnings)? {
            return Ok(done);
        }
        let FormatOrder { file, text, lines, rearrange } = order;
        let mut own = Vec::new();
        if *rearrange {
            own.push("declarations were not rearranged: only an IDE does that".to_owned());
        }
        let tidied = match with_imports {
            true => self.with_tidy_imports(file, text).map_err(|error| {
                own.push(format!("imports were not changed: {}", error.message));
            }),
            false => Err(()),
        };
        let input = tidied.as_deref().unwrap_or(text);
        match self.project.format(self.cx, file, input, *lines) {
            Err(mut error) if error.slug == "no_formatter" => {
                let plain = FormatOrder { rearrange: false, ..order.clone() };
                let done = self.formatted_by(Engine::LanguageServer, &plain, with_imports, warnings)?;
                done.ok_or_else(|| {
                    error.message = [&[error.message.clone()], &warnings[..]].concat().join("; ");
                    error
                })
            }
            done => {
                warnings.append(&mut own);
                done
            }
        }
    }

    fn formatted_by(
        &self,
        engine: Engine,
        order: &FormatOrder,
        with_imports: bool,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Formatted>, ToolError> {
        let Some(providers) = self.snapshot.providers() else { return Ok(None) };
        let all = providers.formatted(self.cx, engine, order)?;
        let Some((by, text)) = first_said(all, "format", warnings) else { return Ok(None) };
        if !with_imports {
            return Ok(Some(Formatted { text, by }));
        }
        let shared = text.as_str().into();
        let all = providers.with_imports(self.cx, engine, &order.file, &shared)?;
        let tidied = match first_said(all, "put the imports in order", warnings) {
            Some((_, tidied)) => Ok(tidied),
            None => self.with_tidy_imports(&order.file, &text),
        };
        let text = tidied.unwrap_or_else(|error| {
            warnings.push(format!("imports were not changed: {}", error.message));
            text
        });
        Ok(Some(Formatted { text, by }))
    }

    /// A text of a file without the imports that nothing uses, and with the others in order.
    fn with_tidy_imports(&self, file: &FilePath, text: &str) -> Result<String, ToolError> {
        let known = self.text(file)?.text;
        let mark = known.strip_prefix('\u{feff}').map_or("", |_| "\u{feff}");
        let marked = format!("{mark}{text}");
        let snapshot = match *known == *marked {
            true => self.snapshot.clone(),
            false => self.snapshot.with_texts(self.cx, &[(file.clone(), Some(marked.as_str().into()))])?,
        };
        let planned = snapshot.refactor(self.cx, &Refactoring::OptimizeImports { file })?.value;
        let planned = self.settled(planned, Force::None)?;
        let change = planned.plan.changes.iter().find(|change| change.file() == file);
        let edits = change.map_or(&[][..], FileChange::edits);
        let tidied = edited(&marked, edits)
            .ok_or_else(|| ToolError::new("changed_meanwhile", "the file was changed meanwhile"))?;
        Ok(tidied.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(tidied))
    }
}

impl Args {
    /// First and last line that are meant; `None` for the whole file.
    fn lines(&self, line_count: u32) -> Result<Option<(u32, u32)>, ToolError> {
        let (start, end) = match (self.start_line, self.end_line) {
            (None, None) => return Ok(None),
            (Some(start), Some(end)) => (start, end),
            (Some(_), None) => return Err(ToolError::argument("`startLine` needs `endLine`")),
            (None, Some(_)) => return Err(ToolError::argument("`endLine` needs `startLine`")),
        };
        let (first, last) = (position("startLine", start)?, position("endLine", end)?);
        if last < first {
            return Err(ToolError::argument(format!("`endLine` {last} is before `startLine` {first}")));
        }
        if first > line_count {
            let message = format!(
                "`startLine` {first} is past the end: the file has {}",
                counted(line_count as usize, "line")
            );
            return Err(ToolError::argument(message));
        }
        Ok(Some((first, last.min(line_count))))
    }
}

/// The edits, whole lines each, that make one text of another: with `lines` only those inside. Offsets are `shift` more
/// than those in the text.
pub(super) fn line_edits(old: &str, new: &str, lines: Option<(u32, u32)>, shift: u32) -> Vec<TextEdit> {
    let lines_of = |text| str::split_inclusive(text, '\n').collect::<Vec<_>>();
    let (old_lines, new_lines) = (lines_of(old), lines_of(new));
    let mut found = Compact::new(Replace::new(Capture::new()), &*old_lines, &*new_lines);
    let all = (0..old_lines.len(), 0..new_lines.len());
    let Ok(()) = myers::diff(&mut found, &*old_lines, all.0, &*new_lines, all.1);
    let index = LineIndex::new(old);
    let start = |line: usize| index.line_range(line as u32 + 1).map_or(old.len() as u32, |range| range.start);
    let is_meant = |op: &DiffOp| {
        let range = op.old_range();
        let first = range.start as u32 + 1;
        let last = first.max(range.end as u32);
        lines.is_none_or(|(from, to)| first >= from && last <= to)
    };
    let edit = |op: DiffOp| {
        let range = op.old_range();
        let text = new_lines[op.new_range()].concat();
        TextEdit::new(TextRange::new(start(range.start) + shift, start(range.end) + shift), text)
    };
    let ops = found.into_inner().into_inner().into_ops().into_iter();
    ops.filter(|op| !matches!(op, DiffOp::Equal { .. })).filter(is_meant).map(edit).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::TestServer;

    #[test]
    fn edits_are_whole_lines_and_those_of_other_lines_are_left_out() {
        let (old, new) = ("a\n b\nc\n\n\nd\ne", "a\nb\nc\n\nd\ne\n");
        let apply = |lines| edited(old, &line_edits(old, new, lines, 0)).unwrap();
        assert_eq!(apply(None), new);
        assert_eq!(apply(Some((1, 3))), "a\nb\nc\n\n\nd\ne");
        assert_eq!(apply(Some((4, 6))), "a\n b\nc\n\nd\ne");
        assert_eq!(apply(Some((7, 7))), "a\n b\nc\n\n\nd\ne\n");
        assert!(line_edits(old, old, None, 0).is_empty());
        let marked = line_edits("x \n", "x\n", None, 3);
        assert_eq!(edited("\u{feff}x \n", &marked).unwrap(), "\u{feff}x\n");
    }

    #[test]
    fn wrong_lines_are_named() {
        let server = TestServer::new("\n//- a.py\nx = 1\ny = 2\n");
        let message = |args| server.err("ide_reformat_code", args)["message"].as_str().unwrap().to_owned();
        assert!(message(json!({"file": "a.py", "startLine": 1})).contains("needs `endLine`"));
        assert!(message(json!({"file": "a.py", "endLine": 1})).contains("needs `startLine`"));
        assert!(message(json!({"file": "a.py", "startLine": 0, "endLine": 1})).contains("counts from 1"));
        assert!(message(json!({"file": "a.py", "startLine": 2, "endLine": 1})).contains("before"));
        assert!(message(json!({"file": "a.py", "startLine": 9, "endLine": 9})).contains("has 2 lines"));
        assert!(message(json!({"file": "b.py"})).contains("no file"));
        assert!(message(json!({"file": "a.py"})).contains("no formatter"));
    }
}
