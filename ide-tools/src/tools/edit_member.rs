//! `ide_edit_member`: other code in the place of a whole member.

use ide_model::{MemberEdit, MemberPlace};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{Force, WRITES, WriteArgs};
use crate::members::{MemberArgs, MemberOutput, one_or_many};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool, missing};

pub(crate) struct EditMember;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    edit: Edit,
    /// Several at once: the same parameters per entry
    edits: Option<Vec<Map<String, Value>>>,
    /// Although the grammar cannot read it; errors name it
    #[schemars(extend("x-hidden" = true))]
    force: Option<bool>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Edit {
    /// Name of the member, with file
    pub(crate) member: Option<String>,
    #[serde(flatten)]
    pub(crate) which: MemberArgs,
    /// Indented for you
    pub(crate) content: Option<String>,
}

impl Tool for EditMember {
    const NAME: &'static str = "ide_edit_member";
    const ABOUT: &'static str = "Replaces a whole member (function, method, field, type, ...) with its comments and annotations \
        by new code, found by name instead of by lines. The result must parse. Undone with ide_undo.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = MemberOutput;

    fn run(call: &Call<'_>, args: Args) -> Result<MemberOutput, ToolError> {
        replace(call, args, |symbol| MemberPlace::Whole(symbol))
    }

    fn text(output: &MemberOutput) -> Option<String> {
        Some(output.text())
    }
}

/// New code for members, in places that are made from them.
pub(crate) fn replace(
    call: &Call<'_>,
    args: Args,
    place: for<'s> fn(&'s ide_model::Symbol) -> MemberPlace<'s>,
) -> Result<MemberOutput, ToolError> {
    let session = Session::open(call, &args.project, args.edit.which.target.symbol_id.as_deref())?;
    let file = args.edit.which.target.file.clone();
    let is_one = args.edit.content.is_some();
    let edits = one_or_many(args.edit, is_one, file.as_deref(), args.edits)?;
    let mut found = Vec::new();
    for edit in &edits {
        let symbol = edit.which.member(&session, edit.member.as_deref(), "member")?.0;
        found.push((symbol, edit.content.as_deref().ok_or_else(|| missing("content"))?));
    }
    let edits: Vec<MemberEdit<'_>> =
        found.iter().map(|(symbol, text)| MemberEdit { place: place(symbol), text }).collect();
    let shown = found.first().map(|(symbol, _)| symbol);
    session.edit_members(&edits, Force::Argument(args.force), &args.write, shown)
}
