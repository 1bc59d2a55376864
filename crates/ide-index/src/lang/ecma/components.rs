//! Vue and Svelte components: what of their text is JavaScript or TypeScript.
//!
//! Everything else is blanked, so that every name keeps its place. Expressions of the markup stay and end in semicolons:
//! they are statements at the top of the file, where the names of the script are in scope. A tag that is written like a
//! class is a use of that name.

use ide_model::Language;

/// The script of a component with the expressions of its markup, and whether it is TypeScript; `None` for other files.
pub(super) fn script_of(language: Language, text: &str) -> Option<(String, bool)> {
    let is_vue = match language {
        Language::Vue => true,
        Language::Svelte => false,
        _ => return None,
    };
    let mut out: Vec<u8> = text.bytes().map(|b| if matches!(b, b'\n' | b'\r') { b } else { b' ' }).collect();
    let mut typed = false;
    let mut at = 0;
    let mut markup = Vec::new();
    while let Some(block) = next_block(text, at) {
        markup.push((at, block.start));
        if block.is_script {
            typed |= block.typed;
            out[block.inner.0..block.inner.1].copy_from_slice(&text.as_bytes()[block.inner.0..block.inner.1]);
            // What stands before and behind is no part of its first and last statement.
            separate(&mut out, block.inner.0.saturating_sub(1));
            separate(&mut out, block.inner.1);
        }
        at = block.end;
    }
    markup.push((at, text.len()));
    for (from, to) in markup {
        Markup { text, out: &mut out, is_vue }.read(from, to);
    }
    Some((String::from_utf8(out).ok()?, typed))
}

/// `<script …>…</script>` or `<style …>…</style>`.
struct Block {
    start: usize,
    inner: (usize, usize),
    end: usize,
    is_script: bool,
    typed: bool,
}

fn next_block(text: &str, from: usize) -> Option<Block> {
    let find = |name: &str| {
        let opening = format!("<{name}");
        let mut at = from;
        loop {
            let start = at + text[at..].find(&opening)?;
            let behind = start + opening.len();
            if text[behind..].starts_with(|c: char| c == '>' || c.is_whitespace()) {
                return Some((start, behind));
            }
            at = behind;
        }
    };
    let (script, style) = (find("script"), find("style"));
    let is_script = script.is_some_and(|(at, _)| style.is_none_or(|(other, _)| at < other));
    let (start, behind) = if is_script { script? } else { style? };
    let inner = behind + text[behind..].find('>')? + 1;
    let attributes = &text[behind..inner];
    let closing = if is_script { "</script" } else { "</style" };
    let inner_end = text[inner..].find(closing).map_or(text.len(), |at| inner + at);
    let end = text[inner_end..].find('>').map_or(text.len(), |at| inner_end + at + 1);
    let typed = ["\"ts\"", "'ts'", "=ts", "\"tsx\"", "'tsx'"].iter().any(|lang| attributes.contains(lang));
    Some(Block { start, inner: (inner, inner_end), end, is_script, typed })
}

/// Ends a statement in a blank; a line end does as well.
fn separate(out: &mut [u8], at: usize) {
    if let Some(byte) = out.get_mut(at).filter(|byte| **byte == b' ') {
        *byte = b';';
    }
}

/// What stands outside of scripts and styles.
struct Markup<'t> {
    text: &'t str,
    out: &'t mut [u8],
    is_vue: bool,
}

impl Markup<'_> {
    fn read(&mut self, from: usize, to: usize) {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < to {
            let rest = &self.text[at..to];
            if rest.starts_with("<!--") {
                at += rest.find("-->").map_or(rest.len(), |end| end + 3);
            } else if bytes[at] == b'<' && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                at = self.tag(at, to);
            } else if self.is_vue && rest.starts_with("{{") {
                let end = rest.find("}}").map_or(to, |end| at + end);
                self.keep(at + 2, end);
                at = end + 2;
            } else if !self.is_vue && bytes[at] == b'{' {
                at = self.braces(at, to);
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    /// A start tag; gives what follows it.
    fn tag(&mut self, start: usize, to: usize) -> usize {
        let bytes = self.text.as_bytes();
        let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
        let name_end = (start + 1..to).find(|i| !is_name(bytes[*i])).unwrap_or(to);
        if bytes[start + 1].is_ascii_uppercase() {
            self.keep(start + 1, name_end);
        }
        let mut at = name_end;
        let mut attribute = at;
        while at < to {
            match bytes[at] {
                b'>' => return at + 1,
                b'{' if !self.is_vue => {
                    at = self.braces(at, to);
                    continue;
                }
                quote @ (b'"' | b'\'') => {
                    let end = self.text[at + 1..to].find(quote as char).map_or(to, |end| at + 1 + end);
                    self.attribute(attribute, at, end);
                    at = end;
                }
                b' ' | b'\n' | b'\t' | b'\r' => attribute = at + 1,
                _ => {}
            }
            at += 1;
        }
        to
    }

    /// An attribute from its name to its closing quote.
    fn attribute(&mut self, name: usize, quote: usize, end: usize) {
        if !self.is_vue {
            return;
        }
        let name = &self.text[name..quote];
        let value = &self.text[quote + 1..end];
        if name.starts_with("v-for") {
            // What is gone through; the names before it belong to the element.
            let at = [" in ", " of "].iter().filter_map(|word| Some(value.find(word)? + word.len())).min();
            if let Some(at) = at {
                self.keep(quote + 1 + at, end);
            }
        } else if name.starts_with([':', '@']) || name.starts_with("v-") && !name.starts_with("v-slot") {
            self.keep(quote + 1, end);
        }
    }

    /// Svelte's `{expression}`, `{#if expression}`, `{#each list as item}`; gives what follows.
    fn braces(&mut self, start: usize, to: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        let end = (start..to).find(|i| {
            match bytes[*i] {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        let Some(end) = end else { return start + 1 };
        let inner = &self.text[start + 1..end];
        let skipped = match inner.as_bytes().first() {
            Some(b'/') => inner.len(),
            Some(b'#' | b':' | b'@') => inner.find(' ').map_or(inner.len(), |at| at + 1),
            _ => 0,
        };
        let kept = match inner[skipped..].find(" as ") {
            Some(at) if inner.starts_with("#each") => skipped + at,
            _ => inner.len(),
        };
        self.keep(start + 1 + skipped, start + 1 + kept);
        end + 1
    }

    /// Keeps a range as a statement, if its brackets belong together.
    fn keep(&mut self, from: usize, to: usize) {
        let kept = &self.text[from..to];
        let count = |c: char| kept.matches(c).count();
        let is_whole = [('(', ')'), ('[', ']'), ('{', '}')].iter().all(|(a, b)| count(*a) == count(*b));
        if kept.trim().is_empty() || !is_whole || count('`') % 2 == 1 || kept.trim_start().starts_with('{') {
            return;
        }
        self.out[from..to].copy_from_slice(kept.as_bytes());
        separate(self.out, from.saturating_sub(1));
        separate(self.out, to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_and_expressions_keep_their_places() {
        let text = "<template><Box :a=\"x + é\" @b='go(1)' c=\"no\">{{ one }} ü <i v-for=\"i in all\"/></Box></template>\n\
                    <script setup lang=\"ts\">\nconst x = 1\n</script>\n<style>a { b: c }</style>";
        let (script, typed) = script_of(Language::Vue, text).unwrap();
        assert!(typed);
        assert_eq!(script.len(), text.len());
        for kept in ["Box", "x + é", "go(1)", "one", "all", "const x = 1"] {
            assert_eq!(script.find(kept), text.find(kept), "{kept}: {script}");
        }
        assert!(
            !script.contains("no") && !script.contains("template") && !script.contains("b: c"),
            "{script}"
        );
        let text = "<script>let n = 1;</script>\n{#if n > 0}<B on:x={() => n}/>{:else}{n}{/if}{#each list as one}{one}{/each}";
        let (script, typed) = script_of(Language::Svelte, text).unwrap();
        assert!(!typed);
        for kept in ["let n = 1;", "n > 0", "B ", "() => n", "list"] {
            assert_eq!(script.find(kept.trim()), text.find(kept.trim()), "{kept}: {script}");
        }
        assert!(!script.contains("each") && !script.contains(" as "), "{script}");
    }

    #[test]
    fn what_is_not_closed_ends_with_the_file() {
        for text in ["<script>let a", "<script", "<A b=\"", "{{ a", "{a", "<!-- a", "<style>"] {
            for language in [Language::Vue, Language::Svelte] {
                assert_eq!(script_of(language, text).unwrap().0.len(), text.len(), "{text}");
            }
        }
        assert_eq!(script_of(Language::TypeScript, "a"), None);
    }
}
