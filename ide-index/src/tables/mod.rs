//! Facts by tree-sitter grammars: one walk for every language, rules as data.
//!
//! These tables serve every language that has no front end of its own, and are the oracle of those that have: see
//! [`crate::differential`]. They say nothing about flow and little about values, so their facts are of
//! [`crate::Quality::Names`].
//!
//! # What is a declaration, what is a reference
//!
//! Every identifier token of the code is the name of exactly one declaration, or exactly one reference, or neither.
//!
//! * **Neither**: keywords, primitive types, `_` where it cannot be used again (Go, Kotlin), Rust lifetimes and
//!   labels, the fragments of `macro_rules!`, PHP's `self`, `static`, `parent` and `$this`.
//! * **Declarations**: types, functions, members, variables, parameters, type parameters, enum cases, labels, names
//!   bound by imports, keys of object literals. In languages without declarations (Python, PHP) the first binding of
//!   a name in a scope declares it, later ones are references with [`crate::Role::Write`]; names in `global` and
//!   `nonlocal` statements are references, and assignments to them as well. The first `self.x = …` of a class declares
//!   a field of it, unless the class body declared the name above.
//! * **Both**: an imported name without alias is a reference (to what is imported) and a declaration (of the name
//!   here); a promoted parameter is a parameter and a member, both declarations.
//! * A string that names a module is one reference, named by the whole specifier.
//! * Named arguments, keys of patterns and of typed literals (Go, Rust) are references with [`crate::Role::Key`].
//! * The callee of a call has [`crate::Role::Call`], the class after `new` [`crate::Role::New`], in heads of types
//!   [`crate::Role::Extends`] and [`crate::Role::Implements`]; a decorator or annotation has
//!   [`crate::Role::Annotation`] with or without arguments. Segments before the last of a qualified type have
//!   [`crate::Role::Type`], of a qualified value [`crate::Role::Read`].
//! * Names and their ranges are without quotes, backticks, `$`, `r#`.
//!
//! # Scopes
//!
//! A type or callable opens its scope behind its name: type parameters, supertypes, parameters and the result type
//! are inside; annotations, decorators and the supertypes of Python are outside. The block that is the body of a
//! callable is the callable's own scope. Python and PHP have no block scopes.

mod grammars;
mod imports;
mod names;
mod rules;
mod values;
mod walk;

#[cfg(test)]
pub(crate) use grammars::TABLES;
pub(crate) use grammars::{
    front_end, grammar, is_deeper_than, languages, parse_only, tree, tree_by, tree_with_grammar,
};

#[cfg(test)]
#[cfg(feature = "other-grammars")]
mod tests;
