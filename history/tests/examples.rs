//! The examples run, and assert what they show.

#[path = "../examples/pages.rs"]
mod pages;

#[test]
fn pages_are_kept_and_found() {
    assert_eq!(pages::main(), Ok(()));
}
