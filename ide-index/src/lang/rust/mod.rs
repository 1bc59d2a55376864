//! Rust: text to facts (editions 2015 to 2024), and the rules by which names resolve.
//!
//! Conventions on top of `facts.rs`:
//! - A path is a chain of references. `crate`, `self`, `super`, `$crate` and a leading `::` are [`crate::Expr::Text`]
//!   where a path begins with them, `Self` and `<T as Trait>` are [`crate::Expr::Type`]; what stands before `::` has
//!   [`crate::RefFlags::TYPE_ONLY`].
//! - `self` as a value is [`crate::Expr::This`], and no parameter; a function of an `impl` or a trait that takes none is
//!   [`crate::DefFlags::STATIC`].
//! - The value that a pattern takes apart is a [`crate::Expr::Cast`] to the type that it names; its parts are items,
//!   elements and keys of that. The `call` of a key is the literal or pattern that it belongs to.
//! - Lifetimes and labels are declarations named with their quote; lifetimes are not among the type parameters.
//! - An associated type in the arguments of a bound (`Item = T`) is a [`crate::TypeExpr::Indexed`] among them.
//! - Bounds are the type of a type parameter, those of a `where` clause included (of `T::Item: A` among those of `T`, as
//!   [`crate::TypeExpr::Indexed`]); what a trait asks of an associated type is that alias's type, in
//!   [`crate::TypeExpr::Bounds`].
//! - Fields of tuple structs are declared without a name of their own, as `0`, `1`, …, at their types.
//! - Code that `cfg` leaves out on Linux with any features is [`crate::DefFlags::NOT_BUILT`]; conditions are among
//!   the decorators, words as references, `key = "value"` as a comparison.
//! - The tokens of a macro call are read as statements and values as far as they are such
//!   ([`crate::RefFlags::IN_MACRO`]), names in format strings too; the rules of a `macro_rules!` are not read, but one that
//!   gives what a good variant of its argument holds has [`crate::Expr::Try`] for its value, and calls that are items
//!   declare what the rules of the file name by an argument (`fn $name`).
//! - A call of a macro whose rules the file has, or gets of other files, is read as what it stands for: what comes of the
//!   rules has an empty range there. Macros that other files may call are [`crate::Export`]s: their value is the text of
//!   their rules, behind `pub ` where other crates see them.
//! - The argument of an `include!` among the items of a module is an [`crate::Expr::Text`].
//! - Among the tokens of a macro call `if #[cfg(…)] { … } else { … }` are items of the place around, `pattern = value => …`
//!   binds what is awaited, and `struct Name: u8 { const A = …; }` has constants of its own type.
//! - A method whose `self` is a pointer to the type, and a static of `thread_local!`, has [`crate::DefFlags::DELEGATED`], what is `pub(super)`
//!   [`crate::DefFlags::INNER`].
//! - A type that `#[pin_project]` makes (`project = Name`) is an alias of the one that it is made for.
//!
//! Intended differences from the grammar tables: lifetimes and labels are declarations and references; `_` is no
//! name; the trait in `<T as Trait>::f` and the arguments of `f::<T>` are types; names in attributes have the role
//! that they have elsewhere, primitive types there are none; associated types that a bound names are keys; imports
//! inside of functions and macros are imports; a path has no receiver before its first name.

mod adapters;
mod aliases;
mod arguments;
mod attributes;
mod conditions;
mod crates;
mod dependencies;
mod derives;
mod expand;
mod expected;
mod expr;
mod fragments;
mod front;
mod guesses;
mod implementations;
mod infer;
mod items;
mod knowledge;
mod lexer;
mod library;
mod macros;
mod makers;
mod members;
mod moves;
mod names;
mod outside;
mod outside_members;
mod outside_names;
mod outside_types;
mod patterns;
mod policy;
mod predicates;
mod refactor;
mod rules;
mod seen;
mod shapes;
mod sharing;
mod skimming;
mod statements;
#[cfg(test)]
mod tests;
mod types;
mod uses;
mod variables;
mod variants;

pub(super) use crates::{declared_modules, unread_files};

/// The names of crates that a file may use.
pub(super) fn crates_seen(
    rx: &crate::resolve::Resolver,
    file: crate::world::FileId,
) -> Vec<std::sync::Arc<str>> {
    let crates = crates::Crates::of(rx);
    crates.seen(crates.of_file(file))
}
pub(super) use front::Rust;
pub(super) use implementations::{impl_sites, other_names};
pub(super) use library::{is_method, is_standard, may_declare};
pub(super) use members::pointees;
pub(super) use moves::new_module;
pub(super) use outside_members::names_of_members;
pub(super) use policy::RustPolicy;
pub(super) use refactor::{is_outside, word_of_export};
pub(super) use sharing::{macros_of, meant};

use crate::facts::DefFlags;

/// A method whose `self` is a pointer to the type: `self: Pin<&mut Self>`.
const BEHIND_POINTER: DefFlags = DefFlags::DELEGATED;

/// A static of `thread_local!`, which is a key of what its type says.
const THREAD_LOCAL: DefFlags = DefFlags::DELEGATED;

/// `pub(super)`.
const SEEN_ABOVE: DefFlags = DefFlags::INNER;

/// `#[macro_use]` on a module: its macros are in scope behind it.
const MACRO_USE: DefFlags = DefFlags::INLINE;
