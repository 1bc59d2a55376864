//! Inlining in small projects: `inlining.txt` holds each with its result, or with the reason of the refusal.

use std::fmt::Write as _;

use crate::inside::inline;

/// The result for a project, in the notation of the file.
fn outcome(source: &str) -> String {
    let outcome = inline(source);
    if let Some(conflict) = outcome.refactored.conflicts.first() {
        return format!("refused: {}\n", conflict.message);
    }
    let mut text = String::new();
    for (file, after) in &outcome.changed {
        write!(text, "--- {file}\n{after}").expect("writing to a string");
    }
    text
}

#[test]
fn every_project_becomes_what_is_written() {
    let cases = include_str!("inlining.txt").split("\n==== ").skip(1);
    let (mut count, mut wrong) = (0, String::new());
    for case in cases {
        let (name, rest) = case.split_once('\n').unwrap_or((case, ""));
        let (source, wanted) = rest.split_once("=>\n").unwrap_or((rest, ""));
        let (found, wanted) = (outcome(source), wanted.trim_end().to_owned() + "\n");
        if found != wanted {
            write!(wrong, "==== {name}\n{found}\nand not\n{wanted}").expect("writing to a string");
        }
        count += 1;
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(count > 20, "{count}");
}
