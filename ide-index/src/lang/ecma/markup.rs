//! The markup of Vue and Svelte components: which parts of it are code, and what they declare for which elements.

use super::components::{Part, Piece};
use crate::kit::MAX_DEPTH;

/// Elements that have no end tag.
pub(super) const WITHOUT_END: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// Reads the markup of a component from the outside in and lists its code in the order in which it is to be read.
pub(super) struct Markup<'t> {
    pub(super) text: &'t str,
    pub(super) pieces: &'t mut Vec<Piece>,
    pub(super) is_vue: bool,
    /// The elements and blocks around, innermost last.
    around: Vec<Around<'t>>,
    /// The indexes of the blocks among them.
    blocks: Vec<usize>,
    /// How many scopes are open.
    depth: usize,
}

struct Around<'t> {
    /// Empty for a block of Svelte.
    name: &'t str,
    scopes: usize,
}

/// An attribute: its name, and its value without quotes.
#[derive(Clone, Copy)]
struct Attribute {
    name: (usize, usize),
    value: Option<(usize, usize)>,
    is_quoted: bool,
}

impl<'t> Markup<'t> {
    pub(super) fn new(text: &'t str, pieces: &'t mut Vec<Piece>, is_vue: bool) -> Self {
        Self { text, pieces, is_vue, around: Vec::new(), blocks: Vec::new(), depth: 0 }
    }

    /// Lists a stretch without the space around it, if there is more than space.
    fn push(&mut self, part: Part, from: usize, to: usize) {
        let kept = &self.text[from..to.max(from)];
        let blank = kept.len() - kept.trim_start().len();
        let (from, to) = (from + blank, from + blank + kept.trim().len());
        if to > from {
            self.pieces.push(Piece { part, from, to });
        }
    }

    /// Opens a scope and gives the number of those that it opened: none when there are [`MAX_DEPTH`] already, and what is
    /// declared then belongs to the innermost.
    fn open(&mut self, at: usize) -> usize {
        let fits = usize::from(self.depth < MAX_DEPTH as usize);
        if fits > 0 {
            self.pieces.push(Piece { part: Part::Open, from: at, to: at });
        }
        self.depth += fits;
        fits
    }

    fn close(&mut self, scopes: usize, at: usize) {
        self.depth -= scopes;
        for _ in 0..scopes {
            self.pieces.push(Piece { part: Part::Close, from: at, to: at });
        }
    }

    /// Reads a stretch; elements that stand open at its end stay so.
    pub(super) fn read(&mut self, from: usize, to: usize) {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < to {
            let rest = &self.text[at..to];
            if rest.starts_with("<!--") {
                at += rest.find("-->").map_or(rest.len(), |end| end + 3);
            } else if rest.starts_with("</") {
                at = self.end_tag(at, to);
            } else if bytes[at] == b'<' && rest[1..].starts_with(|c: char| c.is_ascii_alphabetic()) {
                at = self.tag(at, to);
            } else if self.is_vue && rest.starts_with("{{") {
                let end = rest.find("}}").map_or(to, |end| at + end);
                self.push(Part::Value, at + 2, end);
                at = (end + 2).min(to);
            } else if !self.is_vue && bytes[at] == b'{' {
                at = self.braces(at, to);
            } else {
                at += rest.chars().next().map_or(1, char::len_utf8);
            }
        }
    }

    /// Ends what is open.
    pub(super) fn finish(mut self, at: usize) {
        let scopes = self.around.iter().map(|around| around.scopes).sum();
        self.close(scopes, at);
    }

    /// The end of the name that begins at a place.
    fn name_end(&self, from: usize, to: usize) -> usize {
        let bytes = self.text.as_bytes();
        let ends =
            |i: &usize| matches!(bytes[*i], b'>' | b'/' | b'=' | b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'"');
        (from..to).find(ends).unwrap_or(to)
    }

    fn end_tag(&mut self, start: usize, to: usize) -> usize {
        let end = self.name_end(start + 2, to);
        let name = &self.text[start + 2..end];
        let behind = self.text[end..to].find('>').map_or(to, |at| end + at + 1);
        // An element of that name which is open in the innermost block, not too far outside.
        let block = self.blocks.last().map_or(0, |block| block + 1);
        let first = block.max(self.around.len().saturating_sub(MAX_DEPTH as usize));
        let open = self.around[first..].iter().rposition(|around| around.name == name);
        if let Some(at) = open {
            let scopes = self.around.drain(first + at..).map(|around| around.scopes).sum();
            self.close(scopes, start);
            self.push(Part::Tag, start + 2, end);
        }
        behind
    }

    /// A start tag; gives what follows it.
    fn tag(&mut self, start: usize, to: usize) -> usize {
        let name_end = self.name_end(start + 1, to);
        let name = &self.text[start + 1..name_end];
        let mut attributes = Vec::new();
        let (mut inserted, mut keys) = (Vec::new(), Vec::new());
        let (behind, is_closed) = self.attributes(name_end, to, &mut attributes, &mut inserted, &mut keys);
        let mut scopes = 0;
        self.push(Part::Tag, start + 1, name_end);
        if self.is_vue {
            if let Some(value) = self.vue_loop(&attributes) {
                scopes += self.vue_for(value);
            }
        } else if name.contains(':')
            || name.starts_with(|c: char| c.is_uppercase())
            || self.binds(&attributes)
        {
            scopes += self.open(start);
        }
        for (from, to) in inserted {
            self.push(Part::Value, from, to);
        }
        for (from, to) in keys {
            self.push(Part::Key, from, to);
        }
        for attribute in &attributes {
            if self.is_vue { self.vue_attribute(*attribute) } else { self.svelte_attribute(*attribute) }
        }
        if self.is_vue
            && let Some(value) = self.vue_slot(&attributes)
        {
            scopes += self.open(start);
            self.push(Part::Names, value.0, value.1);
        }
        if is_closed || WITHOUT_END.contains(&name) {
            self.close(scopes, behind);
        } else {
            self.around.push(Around { name, scopes });
        }
        behind
    }

    /// The attributes up to and with the end of the tag: where it ends, and whether it has no content.
    fn attributes(
        &self,
        from: usize,
        to: usize,
        all: &mut Vec<Attribute>,
        inserted: &mut Vec<(usize, usize)>,
        keys: &mut Vec<(usize, usize)>,
    ) -> (usize, bool) {
        let bytes = self.text.as_bytes();
        let mut at = from;
        while at < to {
            match bytes[at] {
                b'>' => return (at + 1, false),
                b'/' if self.text[at..to].starts_with("/>") => return (at + 2, true),
                // A comment between attributes.
                b'/' if !self.is_vue && self.text[at..to].starts_with("//") => {
                    at = self.text[at..to].find('\n').map_or(to, |end| at + end);
                }
                b'/' if !self.is_vue && self.text[at..to].starts_with("/*") => {
                    at = self.text[at..to].find("*/").map_or(to, |end| at + end + 2);
                }
                b'{' if !self.is_vue => {
                    let end = self.group_end(at, to);
                    let inner = &self.text[at + 1..end];
                    let skipped = if inner.starts_with("...") {
                        3
                    } else if inner.starts_with('@') {
                        inner.find(' ').unwrap_or(inner.len())
                    } else {
                        0
                    };
                    inserted.push((at + 1 + skipped, end));
                    if skipped == 0 && is_name(inner) {
                        keys.push((at + 1, end));
                    }
                    at = (end + 1).min(to);
                }
                b' ' | b'\t' | b'\r' | b'\n' | b'/' | b'"' | b'=' | b'{' => at += 1,
                _ => {
                    let mut name_end = self.name_end(at, to);
                    // `v-slot:[name]`, `:[key]`.
                    if self.is_vue
                        && self.text[at..name_end].contains('[')
                        && !self.text[at..name_end].contains(']')
                    {
                        let close =
                            self.text[name_end..to].find(']').map_or(name_end, |close| name_end + close);
                        name_end = self.name_end(close, to);
                    }
                    let name = (at, name_end);
                    at = name_end;
                    let rest = &self.text[at..to];
                    let blank = rest.len() - rest.trim_start().len();
                    if !rest.trim_start().starts_with('=') {
                        all.push(Attribute { name, value: None, is_quoted: false });
                        continue;
                    }
                    at += blank + 1;
                    let rest = &self.text[at..to];
                    at += rest.len() - rest.trim_start().len();
                    let (value, behind, is_quoted) = self.attribute_value(at, to);
                    all.push(Attribute { name, value: Some(value), is_quoted });
                    at = behind;
                }
            }
        }
        (to, false)
    }

    /// The value that begins at a place, what is behind it, and whether it stands in quotes.
    fn attribute_value(&self, at: usize, to: usize) -> ((usize, usize), usize, bool) {
        let bytes = self.text.as_bytes();
        match bytes.get(at).filter(|_| at < to) {
            Some(quote @ (b'"' | b'\'')) => {
                let mut end = at + 1;
                while end < to && bytes[end] != *quote {
                    end = if bytes[end] == b'{' && !self.is_vue {
                        self.group_end(end, to) + 1
                    } else {
                        end + 1
                    };
                }
                let end = end.min(to);
                ((at + 1, end), (end + 1).min(to), true)
            }
            Some(b'{') if !self.is_vue => {
                let end = self.group_end(at, to);
                ((at, (end + 1).min(to)), (end + 1).min(to), false)
            }
            _ => {
                let ends = |i: &usize| matches!(bytes[*i], b'>' | b' ' | b'\t' | b'\r' | b'\n');
                let mut end = (at..to).find(ends).unwrap_or(to);
                if self.text[at..end].ends_with('/') && bytes.get(end) == Some(&b'>') {
                    end -= 1;
                }
                ((at, end), end, false)
            }
        }
    }

    /// The brace that closes the one at a place; strings and templates are stepped over.
    fn group_end(&self, open: usize, to: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mut depth = 0usize;
        // Templates that a `${` was opened in, by depth.
        let mut templates: Vec<usize> = Vec::new();
        let mut i = open;
        while i < to {
            match bytes[i] {
                b'{' => depth += 1,
                b'}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return i;
                    }
                    if templates.last() == Some(&depth) {
                        templates.pop();
                        i = template_part(bytes, i + 1, to, depth, &mut templates);
                        depth += usize::from(templates.last() == Some(&depth));
                    }
                }
                b'`' => {
                    i = template_part(bytes, i + 1, to, depth, &mut templates);
                    depth += usize::from(templates.last() == Some(&depth));
                }
                quote @ (b'"' | b'\'') => {
                    let mut end = i + 1;
                    while end < to && bytes[end] != quote && bytes[end] != b'\n' {
                        end += if bytes[end] == b'\\' { 2 } else { 1 };
                    }
                    i = if end < to && bytes[end] == quote { end } else { i };
                }
                b'/' if bytes.get(i + 1) == Some(&b'*') => {
                    i = self.text[i..to].find("*/").map_or(to, |end| i + end + 1);
                }
                _ => {}
            }
            i += 1;
        }
        to
    }

    fn vue_loop(&self, attributes: &[Attribute]) -> Option<(usize, usize)> {
        let is_it = |a: &&Attribute| &self.text[a.name.0..a.name.1] == "v-for";
        attributes.iter().find(is_it)?.value
    }

    fn vue_slot(&self, attributes: &[Attribute]) -> Option<(usize, usize)> {
        let is_it = |a: &&Attribute| {
            let name = &self.text[a.name.0..a.name.1];
            name.starts_with('#')
                || name == "slot-scope"
                || name
                    .strip_prefix("v-slot")
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '.']))
        };
        attributes.iter().find(is_it)?.value
    }

    /// `(item, index) in list`; gives the number of scopes that it opened.
    fn vue_for(&mut self, (from, to): (usize, usize)) -> usize {
        let value = &self.text[from..to];
        let names_end = if value.trim_start().starts_with('(') { value.find(')').unwrap_or(0) } else { 0 };
        let word = value[names_end..]
            .match_indices(['i', 'o'])
            .map(|(at, _)| names_end + at)
            .find(|at| {
                let rest = &value[*at..];
                (rest.starts_with("in") || rest.starts_with("of"))
                    && rest[2..].starts_with(char::is_whitespace)
                    && value[..*at].ends_with(|c: char| c.is_whitespace() || c == ')' || c == '}')
            })
            .unwrap_or(value.len());
        self.push(Part::Iterated, from + (word + 2).min(value.len()), to);
        let scopes = self.open(from);
        let names = &value[..word];
        let inner = names.trim().strip_prefix('(').and_then(|names| names.strip_suffix(')'));
        let skipped = if inner.is_some() { names.find('(').map_or(0, |at| at + 1) } else { 0 };
        let inner = inner.unwrap_or(names);
        self.push(Part::Items, from + skipped, from + skipped + inner.len());
        scopes
    }

    fn vue_attribute(&mut self, attribute: Attribute) {
        let (from, to) = attribute.name;
        let name = &self.text[from..to];
        let directive = match name.as_bytes().first() {
            Some(b':' | b'@') => &name[..1],
            Some(b'.') if name.len() > 1 => ":",
            _ if name.starts_with("v-") => {
                let end = name.find([':', '.']).unwrap_or(name.len());
                &name[..end]
            }
            _ => "",
        };
        let property = match directive {
            ":" | "v-bind" | "v-model" => {
                name.find(':').map(|at| at + 1).or((name.starts_with('.')).then_some(1))
            }
            "" if !name.starts_with('#') => Some(0),
            _ => None,
        };
        if let Some(at) = property.filter(|at| is_property(&name[*at..])) {
            self.push(if directive.is_empty() { Part::Property } else { Part::Key }, from + at, to);
        }
        // A name that is computed.
        if let (Some(open), Some(close)) = (name.find('['), name.find(']'))
            && open < close
            && (!directive.is_empty() || name.starts_with('#'))
        {
            self.push(Part::Value, from + open + 1, from + close);
        }
        match (directive, attribute.value) {
            ("v-for" | "v-slot", _) => {}
            ("@" | "v-on", Some((from, to))) => self.push(Part::Handler, from, to),
            ("", Some((from, to))) if name == "ref" => self.push(Part::Declared, from, to),
            ("", _) => {}
            ("v-model", Some((from, to))) => self.push(Part::Written, from, to),
            (_, Some((from, to))) => self.push(Part::Value, from, to),
            // `:name` is short for `:name="name"`.
            (":", None) => self.push(Part::Camel, from + 1, to),
            ("v-bind", None) if name.starts_with("v-bind:") => self.push(Part::Camel, from + 7, to),
            _ => {}
        }
        if directive.starts_with("v-") {
            self.push(Part::Directive, from + 2, from + directive.len());
        }
    }

    /// Whether an element of Svelte declares names for its content.
    fn binds(&self, attributes: &[Attribute]) -> bool {
        attributes.iter().any(|a| self.text[a.name.0..a.name.1].starts_with("let:"))
    }

    fn svelte_attribute(&mut self, attribute: Attribute) {
        let (from, to) = attribute.name;
        let name = &self.text[from..to];
        let (directive, rest) = name.split_once(':').unwrap_or(("", name));
        let argument = (to - rest.len(), to - rest.len() + rest.find('|').unwrap_or(rest.len()));
        match directive {
            "let" => {
                let (from, to) = attribute.value.map_or(argument, |value| self.unbraced(value));
                self.push(Part::Names, from, to);
                if attribute.value.is_none() {
                    self.push(Part::Key, from, to);
                }
                return;
            }
            "use" | "transition" | "in" | "out" | "animate" => self.push(Part::Value, argument.0, argument.1),
            "bind" if attribute.value.is_none() => self.push(Part::Written, argument.0, argument.1),
            "class" | "style" if attribute.value.is_none() => self.push(Part::Value, argument.0, argument.1),
            _ => {}
        }
        let is_code = || attribute.value.is_some_and(|(from, _)| self.text[from..].starts_with('{'));
        if matches!(directive, "bind" | "class" | "style") && rest != "this"
            || directive.is_empty() && is_code()
        {
            self.push(Part::Key, argument.0, argument.1);
        } else if directive.is_empty() && is_property(rest) {
            self.push(Part::Property, argument.0, argument.1);
        }
        let Some((from, to)) = attribute.value else { return };
        if !attribute.is_quoted && self.text[from..to].starts_with('{') {
            let (from, to) = self.unbraced((from, to));
            self.push(if directive == "bind" { Part::Written } else { Part::Value }, from, to);
            return;
        }
        let mut at = from;
        while let Some(open) = self.text[at..to].find('{').map(|open| at + open) {
            let end = self.group_end(open, to);
            self.push(Part::Value, open + 1, end);
            at = (end + 1).min(to);
        }
    }

    fn unbraced(&self, (from, to): (usize, usize)) -> (usize, usize) {
        let inner = self.text[from..to].strip_prefix('{');
        match inner {
            Some(inner) => (from + 1, from + 1 + inner.strip_suffix('}').unwrap_or(inner).len()),
            None => (from, to),
        }
    }

    fn open_block(&mut self, at: usize) {
        let scopes = self.open(at);
        self.enter_block(scopes);
    }

    fn enter_block(&mut self, scopes: usize) {
        self.blocks.push(self.around.len());
        self.around.push(Around { name: "", scopes });
    }

    /// Ends the innermost block and the elements in it.
    fn close_block(&mut self, at: usize) {
        let Some(block) = self.blocks.pop() else { return };
        let scopes = self.around.drain(block..).map(|around| around.scopes).sum();
        self.close(scopes, at);
    }

    /// Svelte's `{expression}` and blocks; gives what follows.
    fn braces(&mut self, start: usize, to: usize) -> usize {
        let end = self.group_end(start, to);
        let behind = (end + 1).min(to);
        let inner = &self.text[start + 1..end];
        let from = start + 1 + inner.len() - inner.trim_start().len();
        let inner = inner.trim_start();
        let word_end = inner.find(|c: char| c.is_whitespace() || c == '(').unwrap_or(inner.len());
        let (word, rest) = inner.split_at(word_end);
        let at = from + word_end;
        match word {
            "#each" => self.each(start, at, end),
            "#await" => {
                let of = find_word(rest, "then").or_else(|| find_word(rest, "catch"));
                self.push(Part::Awaited, at, of.map_or(end, |of| at + of));
                self.open_block(start);
                if let Some(of) = of {
                    let names = at + of + if rest[of..].starts_with("then") { 4 } else { 5 };
                    self.push(Part::Items, names, end);
                }
            }
            ":then" | ":catch" => {
                self.close_block(start);
                self.open_block(start);
                self.push(if word == ":then" { Part::Items } else { Part::Names }, at, end);
            }
            "#snippet" => {
                // Its name belongs to the scope around: the reader opens its own.
                let before = self.pieces.len();
                if self.depth < MAX_DEPTH as usize {
                    self.push(Part::Snippet, at, end);
                }
                let scopes = self.pieces.len() - before;
                self.depth += scopes;
                self.enter_block(scopes);
            }
            ":else" => {
                self.close_block(start);
                self.open_block(start);
                let condition = find_word(rest, "if").map_or(end, |word| at + word + 2);
                self.push(Part::Value, condition, end);
            }
            "@const" => self.push(Part::Constant, at, end),
            _ if word.starts_with('#') => {
                self.push(Part::Value, at, end);
                self.open_block(start);
            }
            _ if word.starts_with('/') => self.close_block(start),
            _ if word.starts_with('@') => self.push(Part::Value, at, end),
            _ => self.push(Part::Value, from, end),
        }
        behind
    }

    /// `list as item, index (key)`.
    fn each(&mut self, start: usize, at: usize, end: usize) {
        let rest = &self.text[at..end];
        // The last one: those before it are casts.
        let of =
            outside(rest).map(|(of, _)| of).filter(|of| rest.as_bytes()[*of..].starts_with(b" as ")).last();
        let list_end = of.unwrap_or_else(|| top_level(rest, b',').unwrap_or(rest.len()));
        self.push(Part::Iterated, at, at + list_end);
        self.open_block(start);
        let names_start = at + of.map_or(list_end, |of| of + 4);
        let names = &self.text[names_start..end];
        let key = top_level(names, b'(').unwrap_or(names.len());
        let names = names[..key].trim_end().trim_start_matches(',');
        if of.is_some() {
            self.push(Part::Items, names_start, names_start + names.len());
        } else {
            self.push(
                Part::Names,
                end - self.text[names_start..end].trim_start_matches(',').len(),
                names_start + key,
            );
        }
        self.push(Part::Value, names_start + key, end);
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Whether an attribute with this name may be a property that a component declares.
fn is_property(name: &str) -> bool {
    !matches!(name, "class" | "style" | "key" | "ref" | "slot" | "is") && !name.contains('[')
}

/// From the inside of a template to its end, or to a `${`, which is noted with the depth around it; gives the last byte.
fn template_part(bytes: &[u8], from: usize, to: usize, depth: usize, templates: &mut Vec<usize>) -> usize {
    let mut i = from;
    while i < to {
        match bytes[i] {
            b'\\' => i += 1,
            b'`' => return i,
            b'$' if bytes.get(i + 1) == Some(&b'{') => {
                templates.push(depth);
                return i + 1;
            }
            _ => {}
        }
        i += 1;
    }
    to
}

/// A word of its own outside of brackets and strings.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    outside(text).map(|(at, _)| at).find(|at| {
        text.as_bytes()[*at..].starts_with(word.as_bytes())
            && !text[..*at].ends_with(is_part)
            && !text[at + word.len()..].starts_with(is_part)
    })
}

/// The bytes that lie in no bracket and no string, with their places.
fn outside(text: &str) -> impl Iterator<Item = (usize, u8)> + '_ {
    let (mut depth, mut quote) = (0i32, None);
    text.bytes().enumerate().filter(move |(_, c)| {
        let is_outside = depth == 0 && quote.is_none();
        match (quote, *c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, c @ (b'"' | b'\'' | b'`')) => quote = Some(c),
            (None, b'(' | b'[' | b'{') => depth += 1,
            (None, b')' | b']' | b'}') => depth -= 1,
            _ => {}
        }
        is_outside
    })
}

/// The first place of a byte outside of brackets and strings.
fn top_level(text: &str, byte: u8) -> Option<usize> {
    outside(text).find(|(_, b)| *b == byte).map(|(at, _)| at)
}
