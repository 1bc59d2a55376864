//! `ide_replace_member`: another body or initial value for a member; its head stays.

use ide_model::MemberPlace;

use super::edit_member::{Args, replace};
use crate::ToolError;
use crate::edits::WRITES;
use crate::members::MemberOutput;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct ReplaceMember;

impl Tool for ReplaceMember {
    const NAME: &'static str = "ide_replace_member";
    const ABOUT: &'static str = "Replaces the body of a function or type, or the initial value of a field or variable; \
        signature, annotations and documentation stay. Give it without braces and without =.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = MemberOutput;

    fn run(call: &Call<'_>, args: Args) -> Result<MemberOutput, ToolError> {
        replace(call, args, |symbol| MemberPlace::Body(symbol))
    }

    fn text(output: &MemberOutput) -> Option<String> {
        Some(output.text())
    }
}
