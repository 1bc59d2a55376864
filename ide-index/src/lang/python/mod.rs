//! Python: text to facts (3.8 to 3.14, and what is left of Python 2), and the rules by which names resolve.
//!
//! Conventions on top of `facts.rs`:
//! - The first binding of a name in a scope declares; later ones are [`crate::Role::Write`]. Functions, classes and imports
//!   declare each time. `self.x = …` declares in the class ([`crate::DefFlags::ATTRIBUTE`]), an assignment to a `global` in
//!   the file ([`crate::DefFlags::HOISTED`]); a declaration in place follows such a one as a declaration of its own.
//! - A branch that no supported version on Linux runs, or only a type checker skips, declares what is
//!   [`crate::DefFlags::NOT_BUILT`]; what an exception's handler declares is [`crate::DefFlags::OPTIONAL`].
//! - Blocks make scopes inside functions only, and hold no names: they tell which assignments reach a place.
//! - `Assign::at` and the end of an assigned declaration's range are where the value starts to count.
//! - The names of an import are references with the role `Import`; the bound name is a declaration at the same place.
//! - Types stand in annotations, the arguments of `cast`, `NewType` and `TypeVar`, and special forms of `typing`
//!   anywhere; strings there are code. A metaclass is a super edge of the kind `Other`.
//! - A guard's class that is a `Spread` is what the value itself derives from (`issubclass`).
//! - One that is a `Deref` is what a called function may promise of its argument (`TypeGuard`).
//! - A generator expression is a [`crate::Collection::Array`]; a number as a subscript is an `Item` of the number.
//! - The `call` of a named argument's key is the call that it belongs to.
//!
//! Intended differences from the grammar tables: names in strings, type comments, `__future__` and `__all__`; the
//! roles of types as values, of class patterns, of deletions, of a subscript's base (read, not written) and of a
//! called item; the kinds of properties, enumerations, protocols and abstract classes, `__init__` (a method); names
//! bound by `with` and in nested tuples; members of an import have no receiver, members of literals and calls do.

mod aliases;
mod annotations;
mod calls;
mod class_tests;
mod conditions;
mod defs;
mod expr;
mod fixture_strings;
mod flow;
mod imports;
mod lexer;
mod library;
mod members;
mod modules;
mod parser;
mod patterns;
mod policy;
mod pytest;
pub(super) mod refactor;
mod skimming;
pub(super) mod stars;
mod stmts;
mod targets;
#[cfg(test)]
mod tests;
mod types;
mod values;

use std::sync::Arc;

use ide_model::Language;

use crate::builder::FactBuilder;
use crate::facts::FileFacts;
use crate::front::FrontEnd;
use crate::resolve::{Resolver, Ty};
use crate::sketch::Sketch;
use crate::world::{FileId, GlobalDef};

pub(super) use calls::is_bound;
pub(super) use library::ROOT as STANDARD;
pub(super) use members::as_class;
pub(super) use policy::Python;

/// Whether a file is found under its short name only from a directory that is part of the names of the packages in it:
/// `src/company/tool.py` as `tool`, which may as well be an installed package.
pub(super) fn is_in_namespace(rx: &Resolver, file: FileId) -> bool {
    modules::modules(rx).is_in_namespace(rx.world().file(file).path.as_str())
}

/// Whether calls of a class give its fields values by their place.
pub(super) fn takes_fields_by_place(rx: &Resolver, class: GlobalDef) -> bool {
    members::gets_initialiser(rx, class) || is_named_tuple(rx, class)
}

/// Whether the values of a class are tuples of its fields.
pub(super) fn is_named_tuple(rx: &Resolver, class: GlobalDef) -> bool {
    members::is_named_tuple(rx, class)
}

/// The fields that such a class takes, in their order.
pub(super) fn initialised_fields(rx: &Resolver, class: GlobalDef) -> Vec<Arc<str>> {
    let all = members::initialised_fields(rx, &Ty::instance(class));
    all.into_iter().map(|(name, _)| name).collect()
}

/// Functions whose first argument is the dotted name of a module or of what it declares, as a text.
pub(super) const TAKERS_OF_NAMES: &[&str] = &[
    "patch",
    "patch.dict",
    "patch.multiple",
    "spy",
    "setattr",
    "delattr",
    "import_module",
    "__import__",
    "importorskip",
    "find_spec",
    "resolve_name",
    "import_string",
];

/// Names of modules that a file may import without dots, and whether they are libraries.
pub(super) fn modules_seen(rx: &Resolver, file: &crate::resolve::FileView) -> Vec<(Arc<str>, bool)> {
    modules::modules(rx).seen(rx, &file.path)
}

/// The dotted name of the module at a path.
pub(super) fn name_of_module(rx: &Resolver, path: &str) -> String {
    modules::modules(rx).name_of(path)
}

/// The front end for `.py` and `.pyi`.
#[derive(Debug)]
pub(super) struct PythonFrontEnd;

impl FrontEnd for PythonFrontEnd {
    fn facts(&self, path: &str, text: &str) -> FileFacts {
        let builder = FactBuilder::new(Language::Python, text.len() as u32);
        parser::Parser::new(path, text, lexer::tokens(text), builder, None).read().finish()
    }

    fn sketch(&self, path: &str, text: &str) -> Option<Sketch> {
        let tokens = lexer::tokens(text);
        let skim = skimming::Skimmed::new(&tokens)?;
        let builder = FactBuilder::sketch(Language::Python, text.len() as u32);
        Some(parser::Parser::new(path, text, tokens, builder, Some(skim)).read().finish_sketch())
    }
}
