//! Names with so many declarations that they are not compared one by one: the answers are those that few of them have.

use crate::refactor::{refuses, renames};

/// `line` so often, with the caret in the middle one.
fn lines(line: &str, count: usize) -> String {
    let plain = line.replace('|', "").repeat(count / 2);
    format!("{plain}{}{plain}", line.replace('|', "<caret>"))
}

fn rename_all(path: &str, head: &str, line: &str, tail: &str) {
    let source = format!("{head}{}{tail}", lines(line, 600));
    let wanted = source.replace("<caret>", "").replace("run", "went");
    renames(&format!("//- {path}\n{source}"), "went", &[(path, &wanted)]);
}

#[test]
fn locals_that_are_declared_again_are_renamed_together() {
    rename_all("src/lib.rs", "fn f(run: u8) -> u8 {\n", "let |run = run + 1;\n", "run\n}\n");
}

#[test]
fn functions_that_are_defined_again_are_renamed_together() {
    rename_all("a.py", "", "def |run(): pass\n", "run()\n");
}

#[test]
fn macros_are_found_by_the_words_in_their_bodies() {
    let macros: String =
        (0..100).map(|i| format!("macro_rules! m{i} {{ () => {{ m{}!() }} }}\n", i + 1)).collect();
    let source = format!("fn <caret>run() {{}}\n{macros}macro_rules! m100 {{ () => {{ crate::run() }} }}\n");
    // It is not known what a word means in a macro that others name.
    refuses(&format!("//- src/lib.rs\n{source}"), "went", &["unresolved_use"]);
}
