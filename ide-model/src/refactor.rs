//! Changes of code by meaning: what is asked for, and what a plan for it says.

use crate::{EditPlan, FilePath, Importable, Location, Symbol, TextRange};

/// A change of code by meaning.
#[derive(Clone, Copy, Debug)]
pub enum Refactoring<'a> {
    /// Gives a declaration, and all that must carry the same name, another name.
    Rename {
        symbol: &'a Symbol,
        new_name: &'a str,
        /// Whether methods that it overrides, and that override it, are renamed too.
        with_family: bool,
        related: Related,
    },
    /// Gives what an import calls something in its own file another name: the alias that stands, or is used, at an offset.
    /// Where there is none, that is [`crate::QueryError::NothingHere`].
    RenameAlias { file: &'a FilePath, offset: u32, new_name: &'a str },
    /// Removes a declaration that nothing uses; a symbol that stands for a file removes the file. With `in_spite` uses are
    /// reported and not minded.
    SafeDelete { symbol: &'a Symbol, in_spite: bool },
    /// Moves a file, or a directory with all its files, and lets those who import them find them again.
    MoveFile { from: &'a FilePath, to: &'a FilePath },
    /// Takes a declaration out of its file, or a static member out of its type, and puts it down elsewhere, with all that
    /// uses it.
    MoveSymbol { symbol: &'a Symbol, to: MoveTo<'a> },
    /// Writes declarations as text: in the place of others, of their bodies, or beside them. All of it or nothing.
    Members { edits: &'a [MemberEdit<'a>] },
    /// Removes the imports of a file that nothing uses, and puts the others in the order of the project. No change is an
    /// empty plan.
    OptimizeImports { file: &'a FilePath },
    /// Imports a declaration of another file, which is going to be written in a place as `written` says. The plan has only the
    /// import.
    Import { file: &'a FilePath, place: TextRange, what: &'a Importable },
    /// Puts the value of a local variable, or the body of a function, where it is used, and removes the declaration.
    Inline { symbol: &'a Symbol },
    /// Makes the statements or the expression in a range a function of their own, called where they stood.
    ExtractMethod { file: &'a FilePath, range: TextRange, name: &'a str },
    /// Another name, result, visibility or list of parameters for a function, all that overrides it, and every call.
    ChangeSignature { symbol: &'a Symbol, change: &'a SignatureChange },
    /// Moves or removes one parameter of a function, with the arguments of every call. A parameter that has no place to go to
    /// is [`crate::QueryError::NothingHere`].
    Parameter { symbol: &'a Symbol, shift: ParameterShift },
    /// Gives the value at a place a name: a variable before its statement. An empty range means the innermost expression
    /// there, another one exactly the expression that it spans. With `replace_all` equal expressions use it too.
    ExtractVariable { file: &'a FilePath, range: TextRange, name: &'a str, replace_all: bool },
}

/// Declarations named after a symbol by convention, which can be renamed along with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Related {
    /// For a field: the methods of its type that get and set it (`getName`, `set_name`).
    pub accessors: bool,
    /// Types and functions that use it and have its name between the marks of a test (`FooTest`, `test_foo`).
    pub tests: bool,
    /// For a parameter: the parameters at its place in overriding and overridden methods. For a field: the parameters
    /// of the same name of its type's methods and constructors.
    pub parameters: bool,
    /// Uses that may mean the symbol, though it is not known what they mean.
    pub unresolved: bool,
}

/// The destination of a declaration.
#[derive(Clone, Copy, Debug)]
pub enum MoveTo<'a> {
    /// A file, which is made when it is missing.
    File(&'a FilePath),
    /// A file of a directory, called as the language and the declaration ask for; made when it is missing.
    Directory(&'a FilePath),
    /// A type, which gets a static member.
    Type(&'a Symbol),
}

/// Code to be written at a place that syntax names. It is indented as its place is; what stands in strings of several
/// lines is not touched.
#[derive(Clone, Copy, Debug)]
pub struct MemberEdit<'a> {
    pub place: MemberPlace<'a>,
    pub text: &'a str,
}

/// The place for new code. A declaration has with it the comments right above it, its annotations, decorators
/// and attributes.
#[derive(Clone, Copy, Debug)]
pub enum MemberPlace<'a> {
    /// Instead of a declaration.
    Whole(&'a Symbol),
    /// Instead of what a declaration does or is at first: its body or its initial value.
    Body(&'a Symbol),
    Before(&'a Symbol),
    After(&'a Symbol),
    /// Before or behind everything that is declared in a type, or in a file.
    First(Owner<'a>),
    Last(Owner<'a>),
}

/// An owner of members: a type or a file.
#[derive(Clone, Copy, Debug)]
pub enum Owner<'a> {
    Symbol(&'a Symbol),
    File(&'a FilePath),
}

/// A change of a signature; `None` keeps a part as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SignatureChange {
    pub new_name: Option<String>,
    /// As the language writes it.
    pub return_type: Option<String>,
    pub visibility: Option<String>,
    /// All parameters in their new order, without the object of a method; those that are missing are removed.
    pub parameters: Option<Vec<NewParameter>>,
}

/// A parameter of a new signature.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewParameter {
    pub name: String,
    /// The name that it has now; absent when it keeps its name, or is new.
    pub was: Option<String>,
    /// Needed for new ones where the language writes types.
    pub ty: Option<String>,
    /// Default value in the declaration of a new one.
    pub default: Option<String>,
    /// The argument that calls pass for a new parameter.
    pub value: Option<String>,
}

/// The way that a parameter goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterShift {
    Left,
    Right,
    Away,
}

/// The result of planning a refactoring. With conflicts it must not be done as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refactored {
    pub plan: EditPlan,
    pub conflicts: Vec<Conflict>,
    /// Facts about the outcome that the user may want to know; they do not stop the change.
    pub warnings: Vec<String>,
    /// Declarations with their names after the change, to be looked up again when it is done.
    pub landmarks: Vec<Landmark>,
}

/// A declaration as it must be found after the change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Landmark {
    pub file: FilePath,
    /// The start of its name.
    pub offset: u32,
    pub name: String,
}

/// Why a refactoring should not be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConflictKind {
    /// The new name cannot be a name there.
    InvalidName,
    /// Something else has the name already.
    Collision,
    /// A name would mean something else than before.
    Meaning,
    /// A name that may be a use of the symbol; nothing certain is known of it.
    Unresolved,
    /// Code that is not in the project takes part.
    Outside,
    /// The result would not parse, or declares other things than before.
    Syntax,
    /// The grammar cannot read the result, and may know less than the language.
    Unread,
    /// A use that cannot be written in the new form.
    Form,
    /// A use of what is to go away.
    InUse,
}

impl ConflictKind {
    /// Stable machine name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidName => "invalid_name",
            Self::Collision => "collision",
            Self::Meaning => "meaning_changes",
            Self::Unresolved => "unresolved_use",
            Self::Outside => "outside_project",
            Self::Syntax => "syntax",
            Self::Unread => "grammar",
            Self::Form => "unsupported_form",
            Self::InUse => "in_use",
        }
    }

    /// True for doubts that a caller who knows better may set aside.
    pub fn is_doubt(self) -> bool {
        matches!(self, Self::Unresolved | Self::Unread)
    }
}

/// One reason why a refactoring should not be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub kind: ConflictKind,
    pub message: String,
    pub at: Option<Location>,
}
