//! `rename_symbol`: another name for a class or a member and everything that means it.

use ide_model::{Refactoring, Related};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{InProject, qualified};
use crate::ToolError;
use crate::edits::{Force, WRITES, WriteArgs};
use crate::tool::{Call, Hints, Tool};

pub(crate) struct RenameSymbol;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Qualified
    class_name: String,
    /// Method or field; add(int) for one overload
    member_name: Option<String>,
    new_name: String,
    dry_run: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    class_name: String,
    old_name: String,
    new_name: String,
    success: bool,
    message: String,
    affected_files: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

impl Tool for RenameSymbol {
    const NAME: &'static str = "rename_symbol";
    const ABOUT: &'static str = "Renames a class, or a method or field of it, with all uses; nothing is written when \
        something speaks against it.";
    const HINTS: Hints = WRITES;
    const SAME_AS: Option<&'static str> = Some("ide_refactor_rename");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let new_name = args.new_name.trim();
        let symbol = session.only_named(&args.class_name, args.member_name.as_deref())?;
        if *symbol.name == *new_name {
            return Err(ToolError::argument(format!("`{new_name}` is the name that it has"))
                .with("parameter", "newName"));
        }
        let class = if symbol.kind.is_type() {
            Some(qualified(&symbol))
        } else {
            session.containing_class(&symbol)?
        };
        let what =
            Refactoring::Rename { symbol: &symbol, new_name, with_family: true, related: Related::default() };
        let planned = session.plan(&what, Force::None)?;
        let write = WriteArgs { dry_run: args.dry_run, ..WriteArgs::default() };
        let result = session.carry_out(planned.plan, &write, planned.warnings)?;
        Ok(Output {
            class_name: class.unwrap_or_else(|| args.class_name.clone()),
            old_name: symbol.name.to_string(),
            new_name: new_name.to_owned(),
            success: result.success,
            message: result.message,
            affected_files: result.affected_files,
            warnings: result.warnings,
        })
    }
}
