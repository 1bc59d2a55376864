//! `ide_insert_member`: a new member beside another, in a type or in a file.

use ide_model::{FilePath, MemberEdit, MemberPlace, Symbol};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::ToolError;
use crate::args::ProjectArg;
use crate::edits::{Force, WRITES, WriteArgs};
use crate::members::{MemberArgs, MemberOutput, one_or_many, owner_of};
use crate::session::Session;
use crate::tool::{Call, Hints, Tool, missing};

pub(crate) struct InsertMember;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    edit: Insertion,
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
pub(crate) struct Insertion {
    /// Default last; before and after need an anchor
    #[schemars(extend("enum" = ["before", "after", "first", "last"]))]
    position: Option<String>,
    /// Name of the member beside which, with file
    anchor: Option<String>,
    #[serde(flatten)]
    which: MemberArgs,
    /// Indented for you, blank lines as its neighbours
    content: Option<String>,
}

/// The place that an insertion is relative to.
enum Anchor {
    Beside(Symbol),
    Within(Option<Symbol>, FilePath),
}

impl Tool for InsertMember {
    const NAME: &'static str = "ide_insert_member";
    const ABOUT: &'static str = "Inserts a new member before or after an anchor, or first or last in a class (with class) or \
        in a file. The result must parse. Undone with ide_undo.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = MemberOutput;

    fn run(call: &Call<'_>, args: Args) -> Result<MemberOutput, ToolError> {
        let session = Session::open(call, &args.project, args.edit.which.target.symbol_id.as_deref())?;
        let file = args.edit.which.target.file.clone();
        let is_one = args.edit.content.is_some();
        let edits = one_or_many(args.edit, is_one, file.as_deref(), args.edits)?;
        let mut found = Vec::new();
        for edit in &edits {
            found.push((edit.place(&session)?, edit.content.as_deref().ok_or_else(|| missing("content"))?));
        }
        let edits: Vec<MemberEdit<'_>> = found
            .iter()
            .map(|((anchor, is_first), text)| {
                let place = match (anchor, is_first) {
                    (Anchor::Beside(symbol), true) => MemberPlace::Before(symbol),
                    (Anchor::Beside(symbol), false) => MemberPlace::After(symbol),
                    (Anchor::Within(owner, file), true) => MemberPlace::First(owner_of(owner.as_ref(), file)),
                    (Anchor::Within(owner, file), false) => MemberPlace::Last(owner_of(owner.as_ref(), file)),
                };
                MemberEdit { place, text }
            })
            .collect();
        session.edit_members(&edits, Force::Argument(args.force), &args.write, None)
    }

    fn text(output: &MemberOutput) -> Option<String> {
        Some(output.text())
    }
}

impl Insertion {
    /// The anchor, and whether the new code stands before it.
    fn place(&self, session: &Session<'_>) -> Result<(Anchor, bool), ToolError> {
        let position =
            self.position.as_deref().unwrap_or(if self.anchor.is_some() { "after" } else { "last" });
        let is_first = matches!(position, "before" | "first");
        if matches!(position, "before" | "after") {
            let anchor = self.which.member(session, self.anchor.as_deref(), "anchor")?.0;
            return Ok((Anchor::Beside(anchor), is_first));
        }
        if self.anchor.is_some() {
            let message = format!("`anchor` is of no use with `position` {position}");
            return Err(ToolError::argument(message).hint("set `position` to before or after"));
        }
        if self.which.is_file_only() {
            return Ok((Anchor::Within(None, self.which.file(session)?), is_first));
        }
        let owner = self.which.owner(session)?;
        let file = owner.file.clone();
        Ok((Anchor::Within(Some(owner), file), is_first))
    }
}
