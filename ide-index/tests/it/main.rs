//! Tests of the index through its public names. The program `fixtures` beside it holds it to what its fixtures
//! claim.

mod alias;
mod allowed;
mod asked;
mod calls;
mod checks;
mod collisions;
mod compiled;
mod completions;
mod components;
mod configured;
mod context;
mod declared_again;
mod deletions;
mod directories;
mod dotted;
mod edits;
mod forbidden;
mod front_ends;
mod given_names;
mod importable;
mod imports;
mod incremental;
mod inlining;
mod inside;
mod judged;
mod kinds;
mod loaded;
mod made_names;
mod many;
mod modules;
mod moves;
mod named_files;
mod operators;
mod outer;
mod parts;
mod passed_on;
mod platforms;
mod positions;
mod precedence;
mod reach;
mod refactor;
mod related;
mod relocate;
mod run_order;
mod search;
mod shapes;
mod shared_macros;
mod sight;
mod signatures;
mod sketches;
mod texts;
mod toy;
mod unsound;
mod variants;
mod wildcards;

/// The fixtures of every language.
fn fixture_files() -> Vec<std::path::PathBuf> {
    test_fixture::files(&std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lang"))
}
