//! Tests of the index through its public names. `fixtures` holds it to what its fixtures claim: every file below
//! `src/lang/*/fixtures`, each a project in one string.

mod alias;
#[cfg(feature = "tree-sitter")]
mod allowed;
mod calls;
mod checks;
mod components;
mod configured;
#[cfg(feature = "tree-sitter")]
mod deletions;
mod directories;
#[cfg(feature = "tree-sitter")]
mod edits;
mod fixtures;
mod front_ends;
mod given_names;
mod imports;
mod incremental;
#[cfg(feature = "tree-sitter")]
mod inlining;
#[cfg(feature = "tree-sitter")]
mod inside;
#[cfg(feature = "tree-sitter")]
mod judged;
#[cfg(feature = "tree-sitter")]
mod kinds;
#[cfg(feature = "tree-sitter")]
mod modules;
mod moves;
#[cfg(feature = "tree-sitter")]
mod platforms;
#[cfg(feature = "tree-sitter")]
mod precedence;
mod reach;
mod refactor;
mod related;
#[cfg(feature = "tree-sitter")]
mod relocate;
mod search;
mod shapes;
mod shared_macros;
#[cfg(feature = "tree-sitter")]
mod signatures;
mod sketches;
#[cfg(feature = "tree-sitter")]
mod texts;
mod toy;
mod variants;
