//! Reads paths from standard input and prints each with the number of errors of its file and the first of them.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a program for the terminal")]

use ide_model::{Cx, Language, Stop};

fn main() {
    for path in std::io::stdin().lines().map_while(Result::ok) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let checked = Language::of_path(&path)
            .and_then(|language| ide_syntax::check(Cx::new(&Stop::new()), language, &path, &text));
        match checked {
            None => println!("{path}\t-\t"),
            Some(checked) => {
                let first = checked.errors.first();
                let shown = first.map_or_else(String::new, |e| format!("{}: {}", e.range.start, e.message));
                println!("{path}\t{}\t{}", checked.errors.len(), shown.replace('\n', " "));
            }
        }
    }
}
