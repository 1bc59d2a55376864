//! Java code that the grammar reads only with other names.

use ide_model::newer::when_names;

/// The same code for the grammar, offset by offset: the name in a record pattern, `Outer.Inner(…)`, is a single word. `None`
/// where nothing is different.
pub(super) fn readable(text: &str) -> Option<String> {
    let mut dots = Vec::new();
    for word in ["case", "instanceof"] {
        for (at, _) in text.match_indices(word) {
            let behind = &text[at + word.len()..];
            let is_word = !text[..at].ends_with(is_part) && behind.starts_with([' ', '\t', '\n', '\r', '(']);
            if is_word {
                patterns(behind, at + word.len(), &mut dots);
            }
        }
    }
    let names = when_names(text);
    if dots.is_empty() && names.is_empty() {
        return None;
    }
    let mut out = text.as_bytes().to_vec();
    dots.into_iter().for_each(|at| out[at] = b'_');
    names.into_iter().for_each(|at| out[at] = b'W');
    String::from_utf8(out).ok()
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The places of the dots in the names of record patterns that a text begins with, which stands at an offset.
fn patterns(text: &str, offset: usize, dots: &mut Vec<usize>) {
    let mut depth = 0_u32;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let name = text[at..].find(|c| !is_part(c) && c != '.').unwrap_or(text.len() - at);
        if name > 0 && c != '.' {
            let (word, behind) = (&text[at..at + name], text[at + name..].trim_start());
            if word == "when" {
                return;
            }
            if behind.starts_with('(') {
                dots.extend(word.match_indices('.').map(|(dot, _)| offset + at + dot));
            }
            at += name;
            continue;
        }
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ',' | '<' | '>' | '?' | '[' | ']' | '@' if depth > 0 || c != '?' => {}
            c if c.is_whitespace() => {}
            // The end of the pattern.
            _ => return,
        }
        at += c.len_utf8();
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_in_record_patterns_are_single_words() {
        for (text, wanted) in [
            ("case I.Sq(double s, J.K(var x)) -> a.b(1);", "case I_Sq(double s, J_K(var x)) -> a.b(1);"),
            ("o instanceof I.Sq(var a) && a.g(b.c(1))", "o instanceof I_Sq(var a) && a.g(b.c(1))"),
            ("case P.Q<R.S[]>(var y) -> y;", "case P.Q<R.S[]>(var y) -> y;"),
            ("A when = o.when; f(when, when.b)", "A When = o.When; f(When, When.b)"),
            ("for (A when : all) when != null", "for (A When : all) When != null"),
        ] {
            assert_eq!(readable(text).as_deref().unwrap_or(text), wanted);
        }
    }

    #[test]
    fn other_code_stays_as_it_is() {
        for text in [
            "case A.B -> a.b(1);",
            "case X: a.b(1);",
            "case 1 -> c.d();",
            "if (o instanceof A.B) { a.b(1); }",
            "case A a when a.f(1) -> b.c();",
            "case A a when (a.b) -> 1; case A a when !c -> 2; whenever = 1;",
            "lowercase a.b(1)",
            "o instanceof A.B ? a.b(1) : c.d(2)",
        ] {
            assert_eq!(readable(text), None, "{text}");
        }
    }
}
