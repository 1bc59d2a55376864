//! `ide_change_signature`: another signature for a function, and for every call of it.

use ide_model::{NewParameter, Refactoring, SignatureChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::edits::{EditResult, Force, WRITES, WriteArgs};
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct ChangeSignature;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    new_name: Option<String>,
    return_type: Option<String>,
    visibility: Option<String>,
    /// All parameters in the new order; those left out are removed
    parameters: Option<Vec<Parameter>>,
    /// Remove all parameters
    no_parameters: Option<bool>,
    /// In spite of doubtful uses; errors name it
    #[schemars(extend("x-hidden" = true))]
    force: Option<bool>,
    #[serde(flatten)]
    write: WriteArgs,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Parameter {
    name: String,
    /// Its name now, if that changes
    old_name: Option<String>,
    #[serde(rename = "type")]
    ty: Option<String>,
    /// Default value of a new parameter, in the declaration
    default_value: Option<String>,
    /// Argument that calls pass for a new parameter
    call_value: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    #[serde(flatten)]
    result: EditResult,
    /// Before the change
    target: ResolvedSymbol,
}

impl Tool for ChangeSignature {
    const NAME: &'static str = "ide_change_signature";
    const ABOUT: &'static str = "Renames, reorders, adds or removes parameters of a function, or changes its name, result type or \
        visibility, with overriding methods and all calls. Refused where a call's arguments are not known.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let found = args.target.resolve(&session)?;
        let target = session.resolved_symbol(&found.symbol, found.confidence)?;
        let given =
            |text: Option<String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let parameter = |parameter: Parameter| NewParameter {
            name: parameter.name.trim().to_owned(),
            was: given(parameter.old_name),
            ty: given(parameter.ty),
            default: given(parameter.default_value),
            value: given(parameter.call_value),
        };
        let none = args.no_parameters.unwrap_or(false).then(Vec::new);
        let change = SignatureChange {
            new_name: given(args.new_name).filter(|name| **name != *found.symbol.name),
            return_type: given(args.return_type),
            visibility: given(args.visibility),
            parameters: args.parameters.map(|all| all.into_iter().map(parameter).collect()).or(none),
        };
        if change == SignatureChange::default() {
            return Err(ToolError::argument("nothing is to be changed")
                .hint("give newName, returnType, visibility, parameters or noParameters"));
        }
        let what = Refactoring::ChangeSignature { symbol: &found.symbol, change: &change };
        let planned = session.plan(&what, Force::Argument(args.force))?;
        let result = session.carry_out(planned.plan, &args.write, planned.warnings)?;
        Ok(Output { result, target })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text())
    }
}
