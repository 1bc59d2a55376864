//! Forms of newer releases of languages that grammars do not read: who parses the code writes other letters there.

/// The offsets of each `new` of Go that is given a value (Go 1.26) and not a type: `new(f(1))`.
pub fn new_of_values(text: &str) -> Vec<usize> {
    const CALL: &str = "new(";
    let of_value = |at: &usize| {
        let before = text[..*at].chars().next_back();
        !before.is_some_and(|c| is_part(c) || c == '.') && is_value(text[at + CALL.len()..].trim_start())
    };
    text.match_indices(CALL).map(|(at, _)| at).filter(of_value).collect()
}

/// The offsets of each `when` of Java that is a name, and not the word between a pattern and its condition.
pub fn when_names(text: &str) -> Vec<usize> {
    const WORD: &str = "when";
    const BEHIND_NAMES: [char; 11] = ['=', ';', '.', ')', ',', '[', ':', '&', '|', '?', '<'];
    let is_name = |at: &usize| {
        let behind = text[at + WORD.len()..].trim_start();
        let is_word = !text[..*at].chars().next_back().is_some_and(|c| is_part(c) || c == '$');
        is_word && (behind.starts_with(BEHIND_NAMES) || behind.starts_with("!="))
    };
    text.match_indices(WORD).map(|(at, _)| at).filter(is_name).collect()
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a text begins with a value of Go that cannot be read as a type.
fn is_value(text: &str) -> bool {
    let word = text.find(|c: char| !is_part(c) && c != '.').unwrap_or(text.len());
    let (word, behind) = (&text[..word], text[word..].trim_start());
    match word {
        "" => text.starts_with(['"', '\'', '`', '-', '+', '!', '^', '&']),
        "func" | "map" | "chan" | "struct" | "interface" => false,
        _ if word.starts_with(|c: char| c.is_ascii_digit()) => true,
        // `G[int]` may be a type, `a[i].b` is none.
        _ if behind.starts_with('[') => {
            behind_brackets(behind).starts_with('.') || is_applied(behind_brackets(behind))
        }
        _ => is_applied(behind),
    }
}

/// Whether a text goes on as only a value does.
fn is_applied(text: &str) -> bool {
    text.starts_with(['(', '{', '+', '-', '*', '/', '%', '&', '|', '^', '<', '>', '=', '!'])
}

/// The text behind the brackets that it begins with; nothing where they are not closed.
fn behind_brackets(text: &str) -> &str {
    let mut depth = 0_u32;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].trim_start();
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_from_types() {
        for text in [
            "new(uint64(3))",
            "new( x + 1)",
            "new(\"a\")",
            "new(T{A: 2})",
            "new(-1)",
            "new(a.B(c))",
            "new(a[i].B())",
        ] {
            assert_eq!(new_of_values(text), [0], "{text}");
        }
        for text in ["new(T)", "new(pkg.T)", "new([]int)", "new(map[string]T)", "new(*T)", "new(G[int])"] {
            assert!(new_of_values(text).is_empty(), "{text}");
        }
        assert!(new_of_values("renew(1) x.new(2) new(struct{ a int }) new(func(int) T)").is_empty());
    }

    #[test]
    fn names_are_told_from_conditions() {
        assert_eq!(when_names("A when = o.when; f(when, b)"), [2, 11, 19]);
        assert_eq!(when_names("for (A when : all) when != null"), [7, 19]);
        let guards = "case A a when (a.b) -> 1; case A a when !c -> 2; case A a when a.b -> 3; whenever = 1;";
        assert!(when_names(guards).is_empty());
    }
}
