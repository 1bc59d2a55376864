//! Programs that behave and programs that do not, run for real.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that cannot set its scene has failed; the scene is on disk and in processes"
)]

mod left_behind;
mod runs;
