//! Places of files and modules, and the facts that a policy gets about a word in a macro.

use std::collections::BTreeMap;

use ide_model::{FilePath, TextRange, paths};

use crate::facts::ScopeId;
use crate::resolve::FileView;
use crate::world::{FileId, GlobalDef};

/// The relation between the path of a file and its declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing is known of that.
    Unknown,
    /// Importers name the path.
    Path,
    /// A line in the file names the namespace, which follows from the directory.
    Namespace,
    /// All files of a directory are one package.
    Package,
    /// A file is a module because its parent says so.
    Tree,
}

/// A module of a tree: the path of the file at the root of its crate, then the names that lead to it.
pub type ModulePath = Vec<String>;

/// The place that declares a module of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModulePlace {
    pub path: ModulePath,
    pub file: FileId,
    pub scope: ScopeId,
}

/// A module on its way to another place in its tree.
#[derive(Clone, Debug)]
pub struct ModuleMove {
    /// The declaration of the module.
    pub declaration: GlobalDef,
    pub from: ModulePath,
    pub to: ModulePath,
    /// The file of the module that it is declared in afterwards.
    pub parent: FileId,
    /// The new paths of its file and of those below it.
    pub files: BTreeMap<FileId, FilePath>,
}

/// A module that a new file of a tree is.
#[derive(Clone, Debug)]
pub struct NewModule {
    pub name: String,
    /// The file of the module that it is declared in.
    pub parent: FileId,
    /// Whether that declares it already, without a file.
    pub is_declared: bool,
    /// Whether nobody outside can name what the program has.
    pub is_final: bool,
}

/// A package that is a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackagePlace {
    /// As its files call it.
    pub name: String,
    /// As importers call it.
    pub path: String,
    pub directory: String,
}

impl PackagePlace {
    /// Whether a file belongs to the package.
    pub fn holds(&self, file: &FileView) -> bool {
        paths::directory(&file.path) == self.directory
            && file.package.is_some_and(|package| file.name(package) == self.name)
    }
}

/// The place that gives another name to something that has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenName {
    pub file: FileId,
    pub range: TextRange,
}

/// A word in the body of a macro.
pub struct MacroWord<'a> {
    /// The macro.
    pub of: GlobalDef,
    /// Whether other macros name it in their bodies, so that its uses are not all known.
    pub is_nested: bool,
    /// The text before and behind the word.
    pub around: (&'a str, &'a str),
}

/// Said of what another build has in the place of something else.
pub(crate) const ANOTHER_BUILD: &str =
    "is there only where something else of its place is not: uses of that may mean it";
