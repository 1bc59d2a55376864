//! `ide_refactor_move`: a declaration in another file, or a static member in another type.

use ide_model::{FilePath, MoveTo, Refactoring, Symbol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::edits::{EditResult, Force, WRITES, WriteArgs, symbol_lines};
use crate::services::EntryKind;
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Hints, Tool};

pub(crate) struct RefactorMove;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    /// For a package or module; types may get a file of their name
    target_directory: Option<String>,
    /// Made when it is missing
    target_file: Option<String>,
    /// Qualified name of a type, for a static member
    target_class: Option<String>,
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
    /// `file:line` after the change; not in a dry run
    #[serde(skip_serializing_if = "Option::is_none")]
    new_location: Option<String>,
    /// After the change; in a dry run before it
    moved_symbol: ResolvedSymbol,
}

/// The destination of a declaration in a call.
enum Destination {
    File(FilePath),
    Directory(FilePath),
    Type(Box<Symbol>),
}

impl Tool for RefactorMove {
    const NAME: &'static str = "ide_refactor_move";
    const ABOUT: &'static str = "Moves a top-level type, function or constant to another file or package, or a static member to \
         another type; uses and imports follow. Refused where names would not mean the same.";
    const HINTS: Hints = WRITES;
    const DEFAULT_ON: bool = false;
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let found = args.target.resolve(&session)?;
        let given = args.given(&session, &found.symbol)?;
        let to = match &given {
            Destination::File(path) => MoveTo::File(path),
            Destination::Directory(path) => MoveTo::Directory(path),
            Destination::Type(class) => MoveTo::Type(class),
        };
        let what = Refactoring::MoveSymbol { symbol: &found.symbol, to };
        let planned = session.plan(&what, Force::Argument(args.force))?;
        let before = session.resolved_symbol(&found.symbol, found.confidence)?;
        let (result, declared) = session.carry_out_declared(planned, &args.write)?;
        let new_location = declared.as_ref().map(|symbol| match symbol.line {
            Some(line) => format!("{}:{line}", symbol.file),
            None => symbol.file.clone(),
        });
        Ok(Output { result, new_location, moved_symbol: declared.unwrap_or(before) })
    }

    fn text(output: &Output) -> Option<String> {
        Some(output.result.text() + &symbol_lines([&output.moved_symbol]))
    }
}

impl Args {
    fn given(&self, session: &Session<'_>, symbol: &Symbol) -> Result<Destination, ToolError> {
        let text = |given: &Option<String>| {
            let given = given.as_deref().map(str::trim).filter(|text| !text.is_empty());
            given.map(str::to_owned)
        };
        match (text(&self.target_directory), text(&self.target_file), text(&self.target_class)) {
            (Some(file), None, None) if is_source_file(session, &file, symbol) => {
                Ok(Destination::File(there_or_free(session, &file)?))
            }
            (Some(directory), None, None) => {
                let directory = directory.trim_end_matches(['/', '\\']);
                let name = symbol.file.file_name();
                let inside = match directory {
                    "" | "." => name.to_owned(),
                    directory => format!("{directory}/{name}"),
                };
                let inside = there_or_free(session, &inside)?;
                let folder = inside.as_str().strip_suffix(name).unwrap_or_default().trim_end_matches('/');
                Ok(Destination::Directory(FilePath::new(folder)))
            }
            (None, Some(file), None) => Ok(Destination::File(there_or_free(session, &file)?)),
            (None, None, Some(class)) => {
                let found = session.resolve_name(Some(symbol.language.name()), &class)?;
                Ok(Destination::Type(Box::new(found.symbol)))
            }
            (None, None, None) => Err(ToolError::argument("the destination is missing")
                .hint("give targetFile, targetDirectory or targetClass")),
            _ => Err(ToolError::argument("more than one target is given")
                .hint("give one of targetFile, targetDirectory and targetClass")),
        }
    }
}

/// Whether a path that was given for a directory is one of a file: `destination` of other tools may be either.
fn is_source_file(session: &Session<'_>, path: &str, symbol: &Symbol) -> bool {
    let extension = |path: &str| path.rsplit_once('.').map(|(_, extension)| extension.to_owned());
    match session.project.entry(path) {
        Ok((_, Some(kind))) => kind == EntryKind::File,
        Ok((_, None)) => extension(path) == extension(symbol.file.file_name()),
        Err(_) => false,
    }
}

/// The path of a file, whether there is one or not.
fn there_or_free(session: &Session<'_>, path: &str) -> Result<FilePath, ToolError> {
    session.project.locate(path).or_else(|_| session.project.place(path))
}
