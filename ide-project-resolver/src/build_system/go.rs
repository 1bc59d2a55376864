//! Go: `go.mod` and the `use` lines of `go.work`.

use std::io;

use super::{At, Described};
use crate::model::RootKind;

pub(super) fn read(at: &At<'_>, described: &mut Described) -> io::Result<()> {
    if let Some(module) = at.text("go.mod")? {
        described.roots.push((String::new(), RootKind::Source));
        described.name = directives(&module, "module").into_iter().next();
    }
    if let Some(workspace) = at.text("go.work")? {
        described.members = directives(&workspace, "use");
    }
    Ok(())
}

/// The arguments of a directive, in its one-line and its block form.
fn directives(text: &str, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        let argument = if in_block {
            in_block = line != ")";
            line
        } else {
            match line.strip_prefix(name).filter(|rest| rest.starts_with([' ', '\t', '('])).map(str::trim) {
                Some("(") => {
                    in_block = true;
                    continue;
                }
                Some(argument) => argument,
                None => continue,
            }
        };
        let argument = argument.trim_matches(['"', '`']);
        if !matches!(argument, "" | ")") {
            found.push(argument.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::directives;

    #[test]
    fn line_and_block() {
        let work = "go 1.24\nuse ./a // one\nuse (\n\t./b\n\n\t\"./c d\"\n)\nuser ./no\nreplace x => ./y\n";
        assert_eq!(directives(work, "use"), ["./a", "./b", "./c d"]);
        assert_eq!(directives("module example.com/m\n", "module"), ["example.com/m"]);
    }
}
