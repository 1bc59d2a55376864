//! How deep the constructs of a text may be nested, at most, told from its tokens.

/// A bound for the depth of nesting: the brackets that are open, and what stands in each since the last sign that ends a
/// construct. Strings and comments are not told apart from code, which only makes the bound larger.
pub(crate) fn bound(text: &str) -> usize {
    let bytes = text.as_bytes();
    // Tokens since the last end, one for each bracket that is open.
    let mut open = vec![0_usize];
    let (mut sum, mut deepest) = (0_usize, 0_usize);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'(' | b'[' | b'{' => {
                sum += 1;
                open.push(0);
            }
            b')' | b']' | b'}' => {
                if open.len() > 1 {
                    sum -= 1 + open.pop().unwrap_or(0);
                }
                let is_end = *byte == b'}' && ends_behind(text, at);
                end_or_count(&mut open, &mut sum, is_end);
            }
            b';' => end_or_count(&mut open, &mut sum, !goes_on(text, at)),
            b',' => end_or_count(&mut open, &mut sum, true),
            b'\n' => {
                let before = text[..start].trim_end().as_bytes().last().copied().unwrap_or(b' ');
                let is_whole = before.is_ascii_alphanumeric() || b"_)]\"'`;}".contains(&before);
                if is_whole && ends_behind(text, at) {
                    end_or_count(&mut open, &mut sum, true);
                }
            }
            b if b.is_ascii_whitespace() => {}
            b if b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80 => {
                while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b >= 0x80) {
                    at += 1;
                }
                end_or_count(&mut open, &mut sum, false);
            }
            _ => end_or_count(&mut open, &mut sum, false),
        }
        deepest = deepest.max(sum);
    }
    deepest
}

fn end_or_count(open: &mut [usize], sum: &mut usize, is_end: bool) {
    let Some(last) = open.last_mut() else { return };
    if is_end {
        *sum -= *last;
        *last = 0;
    } else {
        *last += 1;
        *sum += 1;
    }
}

/// Whether what follows begins something new.
fn ends_behind(text: &str, at: usize) -> bool {
    let next = text[at..].trim_start();
    let is_word =
        next.starts_with(|c: char| c.is_alphanumeric() || "_@#}$\"'".contains(c)) || next.is_empty();
    is_word && !goes_on(text, at)
}

/// Whether the next word goes on with what stands before it.
fn goes_on(text: &str, at: usize) -> bool {
    let next = text[at..].trim_start();
    let end = next.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(next.len());
    matches!(
        &next[..end],
        "else"
            | "catch"
            | "finally"
            | "while"
            | "as"
            | "satisfies"
            | "in"
            | "of"
            | "instanceof"
            | "is"
            | "extends"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_files_are_shallow_and_chains_are_deep() {
        let file =
            "fn f(a: u8) -> u8 {\n    if a == 1 {\n        g(a, h(2));\n    }\n    a\n}\n\n".repeat(2_000);
        assert!(bound(&file) < 60, "{}", bound(&file));
        let lines = "const a = f(1)\nconst b = a.c\n".repeat(2_000);
        assert!(bound(&lines) < 30, "{}", bound(&lines));
        for open in ["(", "a = ", "!", "a +\n", "if (a) b; else ", "if a {} else ", "a ? b : ", "x => "] {
            assert!(bound(&open.repeat(5_000)) >= 5_000, "{open}: {}", bound(&open.repeat(5_000)));
        }
    }
}
