//! `ide_refactor_rename`: another name for a symbol and everything that means it.

use ide_model::{
    EditPlan, FileChange, FilePath, OutlineNode, QueryError, Refactoring, Related, Symbol, TextContext,
    TextEdit, TextQuery, TextRange,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::edits::{EditResult, Force, WRITES, WriteArgs, symbol_lines};
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Hints, Tool};
use crate::tools::move_file::Moving;

/// Most text occurrences that are looked at.
const MAX_TEXT: usize = 5_000;
/// Files that a warning names.
const SHOWN: usize = 5;

pub(crate) struct RefactorRename;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    new_name: String,
    /// Default: a symbol where a place is given, else the file
    #[schemars(extend("enum" = ["symbol", "file"], "x-hidden" = true))]
    target_type: Option<String>,
    /// Default rename_base: overridden and overriding methods too
    #[schemars(extend("enum" = ["rename_base", "rename_only_current"], "x-hidden" = true))]
    override_strategy: Option<String>,
    /// Default none: what is called after it too
    #[schemars(extend("enum" = ["all", "none", "accessors_and_tests"], "x-hidden" = true))]
    related_renaming_strategy: Option<String>,
    #[schemars(extend("x-hidden" = true))]
    include_text: Option<bool>,
    /// Uses whose meaning is not known too; errors list them
    #[schemars(extend("x-hidden" = true))]
    include_unresolved: Option<bool>,
    /// In spite of doubtful uses; errors name it
    #[schemars(extend("x-hidden" = true))]
    force: Option<bool>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// After the change; in a dry run before it. Not of a file, nor of an import's alias
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_symbol: Option<ResolvedSymbol>,
}

impl Tool for RefactorRename {
    const NAME: &'static str = "ide_refactor_rename";
    const ABOUT: &'static str = "Renames a symbol with all uses, overriding methods and its file where needed; conflicts \
        are found beforehand, then nothing is written.";
    const HINTS: Hints = WRITES;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let new_name = args.new_name.trim();
        if args.is_of_file()? {
            return session.rename_file(&args, new_name);
        }
        if let Some(output) = session.rename_alias(&args, new_name)? {
            return Ok(output);
        }
        let found = args.target.bearer(&session)?;
        let symbol = found.symbol;
        let with_family = args.override_strategy.as_deref() != Some("rename_only_current");
        let related = args.related();
        let what = Refactoring::Rename { symbol: &symbol, new_name, with_family, related };
        let mut planned = session.plan(&what, Force::OfRename(args.force))?;
        let rest = session.text_occurrences(&symbol, &planned.plan)?;
        if args.include_text.unwrap_or(false) {
            session.add_text(&mut planned.plan, &rest, new_name)?;
        } else if let Some(warning) = told(&rest, &symbol) {
            planned.warnings.push(warning);
        }
        let (result, declared) = session.carry_out_declared(planned, &args.write)?;
        let updated_symbol = match declared {
            None if args.write.is_dry() => Some(session.resolved_symbol(&symbol, found.confidence)?),
            declared => declared,
        };
        Ok(Output { result, updated_symbol })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text() + &symbol_lines(output.updated_symbol.as_ref()))
    }
}

impl Args {
    /// Whether the file is meant and not something in it.
    fn is_of_file(&self) -> Result<bool, ToolError> {
        let target = &self.target;
        let has_place = target.line.is_some() || target.column.is_some();
        match self.target_type.as_deref() {
            Some("file") => Ok(true),
            Some("symbol") => Ok(false),
            Some(other) => {
                Err(ToolError::argument(format!("`targetType` is `symbol` or `file`, not `{other}`")))
            }
            None => Ok(!has_place
                && target.name.is_none()
                && target.symbol.is_none()
                && target.symbol_id.is_none()
                && target.file.is_some()),
        }
    }
}

impl Args {
    /// The declarations to rename along with the symbol.
    fn related(&self) -> Related {
        let (accessors, tests) = (true, true);
        let unresolved = self.include_unresolved.unwrap_or(false);
        match self.related_renaming_strategy.as_deref() {
            Some("all") => Related { accessors, tests, parameters: true, unresolved },
            Some("accessors_and_tests") => Related { accessors, tests, parameters: false, unresolved },
            _ => Related { unresolved, ..Related::default() },
        }
    }
}

impl Session<'_> {
    /// Renames the alias of an import, where one stands or is used at the position that is given.
    fn rename_alias(&self, args: &Args, new_name: &str) -> Result<Option<Output>, ToolError> {
        let Some((file, offset)) = args.target.position(self)? else { return Ok(None) };
        let what = Refactoring::RenameAlias { file: &file, offset, new_name };
        let drafted = match self.snapshot.refactor(self.cx, &what) {
            Err(QueryError::NothingHere { .. } | QueryError::Unsupported { .. }) => return Ok(None),
            drafted => drafted?.value,
        };
        let planned = self.settled(drafted, Force::OfRename(args.force))?;
        let result = self.carry_out(planned.plan, &args.write, planned.warnings)?;
        Ok(Some(Output { result, updated_symbol: None }))
    }

    /// Gives a file another name, and the type that is called like it where the file must be named after that.
    fn rename_file(&self, args: &Args, new_name: &str) -> Result<Output, ToolError> {
        let file = args.target.file.as_deref().ok_or_else(|| crate::tool::missing("file"))?;
        let from = self.locate(file)?;
        if new_name.is_empty() || new_name.contains(['/', '\\']) {
            return Err(ToolError::argument("`newName` is the name of a file, without directories")
                .hint("ide_move_file moves it to another directory"));
        }
        let name = with_ending(from.file_name(), new_name);
        if name == from.file_name() {
            return Err(ToolError::argument(format!("`{name}` is the file's present name")));
        }
        let to = self.project.place(from.with_file_name(&name).as_str())?;
        let Moving { plan, warnings, .. } = match self.rename_type_of(args, &from, &to)? {
            Some(moving) => moving,
            None => self.plan_move(&from, &to, true)?,
        };
        Ok(Output { result: self.carry_out(plan, &args.write, warnings)?, updated_symbol: None })
    }

    /// The rename of the type that a file is called like, if the file goes along.
    fn rename_type_of(
        &self,
        args: &Args,
        from: &FilePath,
        to: &FilePath,
    ) -> Result<Option<Moving>, ToolError> {
        let outline = match self.snapshot.outline(self.cx, from) {
            Ok(outline) => outline.value,
            Err(QueryError::NoFile { .. } | QueryError::Unsupported { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let is_it = |node: &&OutlineNode| node.symbol.kind.is_type() && *node.symbol.name == *from.stem();
        let Some(node) = outline.iter().find(is_it) else { return Ok(None) };
        let new_name = to.stem();
        let related = args.related();
        let what = Refactoring::Rename { symbol: &node.symbol, new_name, with_family: true, related };
        // A declaration whose name the language does not tie to its file is left alone.
        let draft = match self.snapshot.refactor(self.cx, &what) {
            Ok(draft) => draft.value,
            Err(QueryError::Unsupported { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let follows = |change: &FileChange| matches!(change, FileChange::Move { from: f, to: t, .. } if f == from && t == to);
        if !draft.plan.changes.iter().any(follows) && draft.conflicts.is_empty() {
            return Ok(None);
        }
        let moves = |change: &FileChange| matches!(change, FileChange::Move { .. });
        if !draft.plan.changes.iter().any(moves) {
            return Ok(None);
        }
        let planned = self.plan(&what, Force::None)?;
        Ok(Some(Moving { plan: planned.plan, warnings: planned.warnings, references_updated: true }))
    }
}

/// A new name of a file; one without an ending keeps what the old one had.
fn with_ending(old: &str, new: &str) -> String {
    match old.split_once('.') {
        Some((_, ending)) if !new.contains('.') && !old.starts_with('.') => format!("{new}.{ending}"),
        _ => new.to_owned(),
    }
}

/// The name in comments and strings.
struct TextOccurrence {
    file: FilePath,
    range: TextRange,
}

impl Session<'_> {
    /// The occurrences of a symbol's name as a whole word in comments and strings, outside of what a plan changes
    /// already.
    fn text_occurrences(&self, symbol: &Symbol, plan: &EditPlan) -> Result<Vec<TextOccurrence>, ToolError> {
        let is_planned = |file: &FilePath, range: TextRange| {
            let change = plan.changes.iter().find(|change| change.file() == file);
            change.is_some_and(|change| {
                change.edits().iter().any(|e| e.range.start < range.end && range.start < e.range.end)
            })
        };
        let mut found = Vec::new();
        for context in [TextContext::Comment, TextContext::StringLiteral] {
            let query = TextQuery {
                beside: &[],
                pattern: symbol.name.trim_start_matches('$'),
                is_regex: false,
                case_sensitive: true,
                whole_word: true,
                context: Some(context),
                filter: &|file| {
                    file.language.is_some_and(|language| language.family() == symbol.language.family())
                },
                limit: MAX_TEXT,
            };
            for hit in self.snapshot.search_text(self.cx, &query)?.value.matches.items {
                if !is_planned(&hit.file, hit.range) {
                    found.push(TextOccurrence { file: hit.file, range: hit.range });
                }
            }
        }
        Ok(found)
    }

    fn add_text(
        &self,
        plan: &mut EditPlan,
        occurrences: &[TextOccurrence],
        new_name: &str,
    ) -> Result<(), ToolError> {
        for found in occurrences {
            let hash = self.hash_of_text(&found.file)?;
            let edit = TextEdit::new(found.range, new_name);
            plan.edit(&found.file, hash, vec![edit])
                .map_err(|error| ToolError::argument(format!("`{}` {}", error.file, error.message)))?;
        }
        Ok(())
    }
}

fn told(rest: &[TextOccurrence], symbol: &Symbol) -> Option<String> {
    let mut files: Vec<&str> = rest.iter().map(|found| found.file.as_str()).collect();
    files.dedup();
    let shown = files.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    (!files.is_empty()).then(|| {
        format!(
            "`{}` stays in {} comments and strings ({shown}); `includeText` changes them too",
            symbol.name,
            rest.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::with_ending;

    #[test]
    fn endings_are_kept() {
        assert_eq!(with_ending("a.d.ts", "b"), "b.d.ts");
        assert_eq!(with_ending("a.ts", "b.js"), "b.js");
        assert_eq!(with_ending("Makefile", "b"), "b");
        assert_eq!(with_ending(".env", "b"), "b");
    }
}
