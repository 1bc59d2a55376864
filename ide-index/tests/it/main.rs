//! Tests of the index through its public names. The program `fixtures` beside it holds it to what its fixtures
//! claim.

mod alias;
#[cfg(feature = "tree-sitter")]
mod allowed;
#[cfg(feature = "tree-sitter")]
mod asked;
mod calls;
mod checks;
mod collisions;
#[cfg(feature = "tree-sitter")]
mod compiled;
mod completions;
mod components;
mod configured;
mod declared_again;
#[cfg(feature = "tree-sitter")]
mod deletions;
mod directories;
mod dotted;
#[cfg(feature = "tree-sitter")]
mod edits;
mod forbidden;
mod front_ends;
mod given_names;
mod importable;
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
mod loaded;
#[cfg(feature = "tree-sitter")]
mod made_names;
#[cfg(feature = "tree-sitter")]
mod many;
#[cfg(feature = "tree-sitter")]
mod modules;
mod moves;
#[cfg(feature = "tree-sitter")]
mod named_files;
#[cfg(feature = "tree-sitter")]
mod operators;
#[cfg(feature = "tree-sitter")]
mod outer;
#[cfg(feature = "tree-sitter")]
mod parts;
#[cfg(feature = "tree-sitter")]
mod passed_on;
#[cfg(feature = "tree-sitter")]
mod platforms;
mod positions;
#[cfg(feature = "tree-sitter")]
mod precedence;
mod reach;
mod refactor;
mod related;
#[cfg(feature = "tree-sitter")]
mod relocate;
#[cfg(feature = "tree-sitter")]
mod run_order;
mod search;
mod shapes;
mod shared_macros;
#[cfg(feature = "tree-sitter")]
mod signatures;
mod sketches;
#[cfg(feature = "tree-sitter")]
mod texts;
mod toy;
#[cfg(feature = "tree-sitter")]
mod unsound;
mod variants;
#[cfg(feature = "tree-sitter")]
mod wildcards;
mod workshop;

/// The fixtures of every language.
fn fixture_files() -> Vec<std::path::PathBuf> {
    test_fixture::files(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang"))
}
