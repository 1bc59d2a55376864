//! `ide_refactor_safe_delete`: removes what nothing uses.

use ide_model::{Conflict, ConflictKind, Refactoring, Symbol, Target, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::edits::{EditResult, WRITES, WriteArgs, conflict_error};
use crate::session::Session;
use crate::target::resolve;
use crate::tool::{Call, Hints, Tool};

/// Uses that an answer lists.
const LISTED: usize = 20;

pub(crate) struct RefactorSafeDelete;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    #[schemars(extend("enum" = ["symbol", "file"]))]
    target_type: Option<String>,
    /// In spite of uses
    force: Option<bool>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    success: bool,
    can_delete: bool,
    element_name: String,
    element_type: &'static str,
    usage_count: usize,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    blocking_usages: Vec<Usage>,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<EditResult>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Usage {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    context: String,
}

impl Tool for RefactorSafeDelete {
    const NAME: &'static str = "ide_refactor_safe_delete";
    const ABOUT: &'static str = "Deletes a symbol or file that nothing uses, else lists the uses.";
    const HINTS: Hints = WRITES;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let symbol = session.to_delete(&args)?;
        let in_spite = args.force.unwrap_or(false);
        let what = Refactoring::SafeDelete { symbol: &symbol, in_spite };
        let planned = session.snapshot.refactor(session.cx, &what)?.value;
        let is_use = |conflict: &&Conflict| conflict.kind == ConflictKind::InUse || conflict.kind.is_doubt();
        let uses: Vec<&Conflict> = planned.conflicts.iter().filter(is_use).collect();
        let usage_count = uses.len();
        let blocking_usages: Result<Vec<Usage>, ToolError> =
            uses.iter().take(LISTED).map(|conflict| session.usage(conflict)).collect();
        let (element_name, element_type) = (symbol.name.to_string(), symbol.kind.as_str());
        let blocking_usages = blocking_usages?;
        if usage_count > 0 && !in_spite {
            return Ok(Output {
                success: false,
                can_delete: false,
                message: format!("`{element_name}` is not deleted: it has {}", counted(usage_count, "use")),
                element_name,
                element_type,
                usage_count,
                blocking_usages,
                result: None,
            });
        }
        let firm: Vec<&Conflict> = planned.conflicts.iter().filter(|conflict| !is_use(conflict)).collect();
        if !firm.is_empty() {
            return Err(
                conflict_error(&session, &firm)?.hint("delete the text with ide_replace_text_in_file")
            );
        }
        let result = session.carry_out(planned.plan, &args.write, planned.warnings)?;
        Ok(Output {
            success: true,
            can_delete: true,
            message: result.message.clone(),
            element_name,
            element_type,
            usage_count,
            blocking_usages,
            result: Some(result),
        })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.as_ref()?.text())
    }
}

impl Session<'_> {
    /// The symbol, or the file as one. A position beside every name means nothing: what encloses it is not deleted.
    fn to_delete(&self, args: &Args) -> Result<Symbol, ToolError> {
        if args.target_type.as_deref() == Some("file") {
            let file = args.target.file.as_deref().ok_or_else(|| crate::tool::missing("file"))?;
            let file = self.locate(file)?;
            return Ok(resolve(self, &Target::File(file))?.symbol);
        }
        let symbol = args.target.resolve(self)?.symbol;
        if let (None, Some(file), Some(line), Some(column)) =
            (&args.target.symbol_id, &args.target.file, args.target.line, args.target.column)
        {
            let file = self.locate(file)?;
            let offset = self.offset(&file, line, column)?;
            let text = self.text(&file)?;
            let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
            let around = text.text.get(..offset as usize).and_then(|head| head.chars().next_back());
            let here = text.text.get(offset as usize..).and_then(|tail| tail.chars().next());
            if !around.is_some_and(is_name) && !here.is_some_and(is_name) {
                return Err(ToolError::new("symbol_not_found", "no name stands at the position")
                    .hint("point at the name of the declaration")
                    .with("nearest", &*symbol.name));
            }
        }
        Ok(symbol)
    }

    fn usage(&self, conflict: &Conflict) -> Result<Usage, ToolError> {
        let Some(at) = &conflict.at else {
            let context = conflict.message.clone();
            return Ok(Usage { kind: conflict.kind.as_str(), file: None, line: None, column: None, context });
        };
        let place = self.place(&at.file, at.range.start)?;
        Ok(Usage {
            kind: conflict.kind.as_str(),
            file: Some(place.file),
            line: Some(place.line),
            column: Some(place.column),
            context: self.context(&at.file, at.range.start)?,
        })
    }
}
