//! Kotlin code that the grammar reads only with other line ends.

use ide_model::{Language, TextContext};

use crate::classify::contexts_at;
use crate::lang::kotlin::older;

/// The lines of values that end with their declaration are not longer.
const LONG_LINE: usize = 500;

/// The same code for the grammar, offset by offset: a line ends before each `}` in an enum, behind the last member, before a
/// `}` on the line of a declaration with a value, and between the accessors of a property, where `;` may stand as well; and
/// see [`older`]. `None` where nothing is different.
pub(super) fn readable(text: &str) -> Option<String> {
    let older = older(text);
    with_line_ends(older.as_deref().unwrap_or(text)).or(older)
}

fn with_line_ends(text: &str) -> Option<String> {
    let next_word = |at: usize| {
        let rest = text[at..].trim_start_matches([' ', '\t']);
        ["set", "get", "private set", "protected set", "internal set"].iter().any(|word| {
            rest.strip_prefix(word).is_some_and(|rest| rest.starts_with(['(', ' ', '\n', '\r', '}']))
        })
    };
    let is_between = |at: usize| text.as_bytes()[at] == b';' && next_word(at + 1);
    let has_enum = text.contains("enum class");
    // `class A { fun f() = 1 }`.
    let ends_value = |at: usize| {
        let bytes = text.as_bytes();
        let near = &bytes[at.saturating_sub(LONG_LINE)..at];
        let line = near.iter().rposition(|byte| *byte == b'\n').map_or(near, |end| &near[end..]);
        bytes[at] == b'}' && line.ends_with(b" ") && line.windows(3).any(|part| part == b" = ")
    };
    let wanted =
        |(at, byte): &(usize, u8)| has_enum && b"{};".contains(byte) || is_between(*at) || ends_value(*at);
    let marks: Vec<(usize, u8)> = text.bytes().enumerate().filter(wanted).collect();
    if marks.is_empty() {
        return None;
    }
    let places: Vec<u32> = marks.iter().map(|(at, _)| *at as u32).collect();
    let contexts = contexts_at(Language::Kotlin, text, &places);
    let mut out = text.as_bytes().to_vec();
    let mut around: Vec<bool> = Vec::new();
    let mut before = 0;
    for ((at, byte), _) in
        marks.into_iter().zip(contexts).filter(|(_, context)| *context == TextContext::Code)
    {
        match byte {
            b'{' => around.push(text[before..at].contains("enum class")),
            b'}' => {
                let is_in_enum = around.contains(&true);
                around.pop();
                if (is_in_enum || ends_value(at)) && matches!(out[at - 1], b' ' | b'\t') {
                    out[at - 1] = b'\n';
                }
            }
            _ if next_word(at + 1) => out[at] = b'\n',
            _ => {}
        }
        before = at + 1;
    }
    String::from_utf8(out).ok().filter(|out| out != text)
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn lines_end_where_the_grammar_needs_it() {
        let same = |text: &str, wanted: &str| assert_eq!(readable(text).as_deref().unwrap_or(text), wanted);
        same("enum class E { A; fun f() { \"}\" } }", "enum class E { A; fun f() { \"}\"\n}\n}");
        same(
            "enum class E { A { fun f() = 1 }; fun f(): Int }",
            "enum class E { A { fun f() = 1\n}; fun f(): Int\n}",
        );
        same("class C { fun f() { \"enum class\" } }", "class C { fun f() { \"enum class\" } }");
        same("class C { fun f() = 1 }\nval s = \" = }\"", "class C { fun f() = 1\n}\nval s = \" = }\"");
        same(
            "class C { var a get() = 1; set(v) { b(\"; set(\") } }",
            "class C { var a get() = 1\n set(v) { b(\"; set(\")\n}\n}",
        );
    }
}
