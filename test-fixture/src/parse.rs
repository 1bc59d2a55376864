//! From the string to files and claims.

use crate::{Claim, File, Fixture, Role, Spot};

const CARET: &str = "<caret>";

/// The marks that open a comment line with a claim.
const LEADERS: [&str; 8] = ["//", "#", "--", "<!--", "/*", "*", ";", "%"];

pub(crate) fn parse(source: &str) -> Result<Fixture, String> {
    let mut fixture = Fixture { files: Vec::new(), claims: Vec::new(), caret: None };
    let indent = shared_indent(source);
    // Offset and text of the last line that belongs to a file.
    let mut above: Option<(usize, String)> = None;
    for (number, line) in source.trim_end().lines().enumerate() {
        let line = line.get(indent..).unwrap_or("");
        let at = |message: String| format!("line {}: {message}", number + 1);
        if let Some(path) = line.strip_prefix("//- ") {
            let path = path.trim().to_owned();
            if fixture.files.iter().any(|file| file.path == path) {
                return Err(at(format!("{path} stands twice")));
            }
            fixture.files.push(File { path, text: String::new() });
            above = None;
            continue;
        }
        let Some(file) = fixture.files.last_mut() else {
            if line.trim().is_empty() {
                continue;
            }
            return Err(at("text before the first `//- path`".to_owned()));
        };
        if let Some(marker) = Marker::of(line) {
            let (start, text) =
                above.as_ref().ok_or_else(|| at("a claim without a line above".to_owned()))?;
            let range = marker.range(text).map_err(at)?;
            let spot = Spot {
                path: file.path.clone(),
                start: (start + range.start) as u32,
                end: (start + range.end) as u32,
            };
            claims(marker.facts, &spot, &mut fixture.claims).map_err(at)?;
            continue;
        }
        let start = file.text.len();
        let mut line = line.to_owned();
        if let Some(column) = line.find(CARET) {
            line.replace_range(column..column + CARET.len(), "");
            let offset = (start + column) as u32;
            let spot = Spot { path: file.path.clone(), start: offset, end: offset };
            if fixture.caret.replace(spot).is_some() || line.contains(CARET) {
                return Err(at("a second <caret>".to_owned()));
            }
        }
        file.text.push_str(&line);
        file.text.push('\n');
        above = Some((start, line));
    }
    if fixture.files.is_empty() {
        return Err("no file: start one with `//- path`".to_owned());
    }
    Ok(fixture)
}

/// Number of spaces that begin every line that is not blank.
fn shared_indent(source: &str) -> usize {
    let lines = source.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| line.len() - line.trim_start_matches(' ').len()).min().unwrap_or(0)
}

/// A comment line that claims something.
struct Marker<'a> {
    /// Column of the comment leader, in characters.
    leader: usize,
    /// Columns of the carets; `None` for `<-`.
    carets: Option<(usize, usize)>,
    facts: &'a str,
}

impl<'a> Marker<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let body = line.trim_start();
        let leader = LEADERS.iter().find(|leader| body.starts_with(**leader))?;
        let content = body[leader.len()..].trim_start();
        let column = |rest: &str| line[..line.len() - rest.len()].chars().count();
        if let Some(facts) = content.strip_prefix("<-") {
            return Some(Self { leader: column(body), carets: None, facts });
        }
        let facts = content.trim_start_matches('^');
        let n_carets = content.len() - facts.len();
        (n_carets > 0).then(|| Self {
            leader: column(body),
            carets: Some((column(content), column(facts))),
            facts,
        })
    }

    /// The bytes of the line above that are claimed.
    fn range(&self, above: &str) -> Result<std::ops::Range<usize>, String> {
        let byte = |column: usize| match above.char_indices().nth(column) {
            Some((byte, _)) => Some(byte),
            None => (above.chars().count() == column).then_some(above.len()),
        };
        let beyond = || format!("carets beyond the line above: `{above}`");
        if let Some((start, end)) = self.carets {
            return Ok(byte(start).ok_or_else(beyond)?..byte(end).ok_or_else(beyond)?);
        }
        let start = byte(self.leader).ok_or_else(beyond)?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let rest = &above[start..];
        let end = start + rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if start == end {
            return Err(format!("`<-` points at no identifier in `{above}`"));
        }
        Ok(start..end)
    }
}

/// Reads `role label, role label`.
fn claims(facts: &str, spot: &Spot, out: &mut Vec<Claim>) -> Result<(), String> {
    let facts = facts.trim().trim_end_matches("*/").trim_end_matches("-->");
    for fact in facts.split(',').map(str::trim) {
        let (is_wrong, fact) = match fact.strip_prefix("wrong:") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, fact),
        };
        let (word, label) = fact.split_once(char::is_whitespace).unwrap_or((fact, ""));
        let role = Role::ALL.iter().find(|(_, name)| *name == word).map(|(role, _)| *role);
        let role = role.ok_or_else(|| {
            let names: Vec<&str> = Role::ALL.iter().map(|(_, name)| *name).collect();
            format!("unknown role `{word}`, expected one of {}", names.join(", "))
        })?;
        let label = label.trim().to_owned();
        if label.is_empty() {
            return Err(format!("`{word}` without a label"));
        }
        out.push(Claim { spot: spot.clone(), role, label, is_wrong });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> String {
        parse(source).expect_err("the fixture is wrong")
    }

    #[test]
    fn files_claims_and_caret_are_taken_apart() {
        let fixture = parse(
            "
            //- src/greeter.py
            def greet(name): pass
            #   ^^^^^ def greet
            //- src/main.py
            greet('x')
            # <- ref greet
            def other(): gr<caret>eet('é', größe)
            #            ^^^^^ call greet, wrong: ref other
            #                       ^^^^^ not greet
            ",
        )
        .unwrap();
        assert_eq!(fixture.text("src/greeter.py"), "def greet(name): pass\n");
        assert_eq!(fixture.text("src/main.py"), "greet('x')\ndef other(): greet('é', größe)\n");
        let main = |start, end| Spot { path: "src/main.py".to_owned(), start, end };
        assert_eq!(fixture.caret(), &main(26, 26));
        let shown: Vec<_> =
            fixture.claims().iter().map(|c| (c.role, c.label.as_str(), fixture.show(&c.spot))).collect();
        assert_eq!(
            shown,
            [
                (Role::Def, "greet", "src/greeter.py:1:5 `greet`".to_owned()),
                (Role::Ref, "greet", "src/main.py:1:1 `greet`".to_owned()),
                (Role::Call, "greet", "src/main.py:2:14 `greet`".to_owned()),
                (Role::Ref, "other", "src/main.py:2:14 `greet`".to_owned()),
                (Role::Not, "greet", "src/main.py:2:25 `größe`".to_owned()),
            ]
        );
        assert!(fixture.claims()[3].is_wrong);
    }

    #[test]
    fn other_comments_and_nested_indentation_survive() {
        let fixture = parse("//- A.java\nclass A {\n  // a comment\n  int x;\n  //  ^ def x\n}\n").unwrap();
        assert_eq!(fixture.text("A.java"), "class A {\n  // a comment\n  int x;\n}\n");
        assert_eq!(fixture.show(&fixture.claims()[0].spot), "A.java:3:7 `x`");
    }

    #[test]
    fn mistakes_are_refused() {
        assert!(error("x\n//- a\n").contains("before the first"));
        assert!(error("//- a\nx\n//- a\n").contains("stands twice"));
        assert!(error("//- a\n<caret>x<caret>\n").contains("second <caret>"));
        assert!(error("//- a\n<caret>x\n//- b\n<caret>\n").contains("second <caret>"));
        assert!(error("//- a\nabc\n//   ^ def x\n").contains("beyond the line"));
        assert!(error("//- a\nabcdefg\n// ^ deff x\n").contains("unknown role `deff`"));
        assert!(error("//- a\nabcdefg\n// ^ def\n").contains("without a label"));
        assert!(error("//- a\n// ^ def x\n").contains("without a line above"));
        assert!(error("//- a\n  +\n  // <- def x\n").contains("no identifier"));
        assert!(error("").contains("no file"));
    }
}
