//! `get_definition`: the place of the declaration of a class or a member.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::words::{InProject, LineRange, kind};
use crate::ToolError;
use crate::tool::{Call, Tool};

pub(crate) struct GetDefinition;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Qualified
    class_name: String,
    /// Method, field or inner class; add(int) for one overload
    member_name: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    definition: Definition,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Definition {
    name: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    containing_class: Option<String>,
    file_path: String,
    line_range: Option<LineRange>,
}

impl Tool for GetDefinition {
    const NAME: &'static str = "get_definition";
    const ABOUT: &'static str =
        "The file and the lines in which a class, or a method or field of it, is declared.";
    const SAME_AS: Option<&'static str> = Some("ide_find_definition");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let found = session.named(&args.class_name, args.member_name.as_deref())?;
        let symbol = found.first();
        if found.all.len() > 1 {
            let n = found.all.len();
            session.told.note(format!(
                "the first of {n} overloads; pass its parameter types, as in `{}(int)`, for another",
                symbol.name
            ));
        }
        Ok(Output {
            definition: Definition {
                name: symbol.name.to_string(),
                kind: kind(symbol.kind),
                containing_class: session.containing_class(symbol)?,
                file_path: session.absolute_path(&symbol.file),
                line_range: session.lines_of_symbol(symbol)?,
            },
        })
    }
}
