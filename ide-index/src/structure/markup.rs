//! Elements of HTML and XML.

use std::ops::Range;

use ide_model::{SymbolKind, TextRange};

use super::Reader;

/// Elements of HTML that have no end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// Elements of HTML whose content is not markup.
const RAW: [&str; 4] = ["script", "style", "textarea", "title"];

/// Attributes that name an XML element, the best first.
const NAMING: [&str; 4] = ["id", "name", "key", "ref"];

/// How far the end of a heading is looked for, in bytes, and how many levels up the start of an end tag: text that is
/// not well-formed must not take more than linear time.
const REACH: usize = 4096;
const LEVELS: usize = 256;

/// A start tag, an end tag, or nothing that an outline shows.
enum Tag {
    Start { name: Range<usize>, attributes: Vec<(Range<usize>, Range<usize>)>, is_empty: bool },
    End { name: Range<usize> },
    Other,
}

impl Reader<'_> {
    /// Headings and the title by their text, and elements with an `id` by that.
    pub(super) fn html(&mut self) {
        self.elements(true, |reader, at, name, attributes, level| {
            let text = reader.text;
            let tag = &text[name.clone()];
            let is_heading = matches!(tag.as_bytes(), [b'h' | b'H', b'1'..=b'6']);
            if is_heading || tag.eq_ignore_ascii_case("title") {
                let (from, shown) = inner_text(text, at.end, tag);
                if !shown.is_empty() {
                    let kind = if is_heading { SymbolKind::Heading } else { SymbolKind::Key };
                    reader.enter(&shown, range(from), at.start, kind, level);
                    return;
                }
            }
            if let Some(id) = attribute(text, attributes, "id") {
                reader.enter(&text[id.clone()], range(id), at.start, SymbolKind::Key, level);
            }
        });
    }

    /// Every element: by the attribute that names it, else by its tag.
    pub(super) fn xml(&mut self) {
        self.elements(false, |reader, at, name, attributes, level| {
            let text = reader.text;
            let named = NAMING.iter().find_map(|wanted| attribute(text, attributes, wanted)).unwrap_or(name);
            reader.enter(&text[named.clone()], range(named), at.start, SymbolKind::Key, level);
        });
    }

    /// Walks the tags, with the freedoms of HTML or without; `element` is told of each element where it begins.
    fn elements(
        &mut self,
        is_html: bool,
        element: impl Fn(&mut Self, Range<usize>, Range<usize>, &[(Range<usize>, Range<usize>)], usize),
    ) {
        let text = self.text;
        let same = |a: &str, b: &str| if is_html { a.eq_ignore_ascii_case(b) } else { a == b };
        let mut open: Vec<&str> = Vec::new();
        let mut at = 0;
        while let Some(found) = text[at..].find('<') {
            let start = at + found;
            let (tag, end) = tag(text, start);
            at = end;
            match tag {
                Tag::Other => {}
                Tag::Start { name, attributes, is_empty } => {
                    let called = &text[name.clone()];
                    element(self, start..end, name, &attributes, open.len() + 1);
                    let is_void = is_html && VOID.iter().any(|void| same(void, called));
                    if is_empty || is_void {
                        self.close_to(open.len() + 1, end);
                    } else {
                        open.push(called);
                        if is_html && RAW.iter().any(|raw| same(raw, called)) {
                            at = end_tag(text, end, called);
                        }
                    }
                }
                Tag::End { name } => {
                    // An end without a start closes nothing.
                    let called = &text[name];
                    let above = open.iter().enumerate().rev().take(LEVELS);
                    if let Some((level, _)) = above.into_iter().find(|(_, start)| same(start, called)) {
                        self.close_to(level + 1, end);
                        open.truncate(level);
                    }
                }
            }
        }
    }
}

fn range(of: Range<usize>) -> TextRange {
    TextRange::new(of.start as u32, of.end as u32)
}

fn attribute(text: &str, attributes: &[(Range<usize>, Range<usize>)], wanted: &str) -> Option<Range<usize>> {
    // `android:id` names as `id` does.
    let local = |name: &str| name.rsplit(':').next().unwrap_or(name).eq_ignore_ascii_case(wanted);
    let found = attributes.iter().find(|(name, value)| local(&text[name.clone()]) && !value.is_empty());
    found.map(|(_, value)| value.clone())
}

/// The text up to the end tag, without the tags in it: where it stands, and on one line.
fn inner_text(text: &str, from: usize, tag: &str) -> (Range<usize>, String) {
    let end = end_tag(&text[..text.floor_char_boundary(from + REACH)], from, tag);
    let inner = &text[from..end];
    let mut shown = String::new();
    let mut in_tag = false;
    for c in inner.chars() {
        in_tag = (in_tag || c == '<') && c != '>';
        if !in_tag && c != '>' {
            shown.push(c);
        }
    }
    let lead = inner.len() - inner.trim_start().len();
    let words: Vec<&str> = shown.split_whitespace().collect();
    (from + lead..from + lead.max(inner.trim_end().len()), words.join(" "))
}

/// The start of the end tag of an element whose content is not looked into; the end of the text if there is none.
fn end_tag(text: &str, from: usize, tag: &str) -> usize {
    let mut at = from;
    while let Some(found) = text[at..].find("</") {
        let name = &text[at + found + 2..];
        if name.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag)) {
            return at + found;
        }
        at += found + 2;
    }
    text.len()
}

/// The tag that begins at `<`, and where it ends.
fn tag(text: &str, start: usize) -> (Tag, usize) {
    let rest = &text[start..];
    let until = |mark: &str| rest.find(mark).map_or(text.len(), |end| start + end + mark.len());
    for (open, close) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
        if rest.starts_with(open) {
            return (Tag::Other, until(close));
        }
    }
    if rest.starts_with("<!") {
        return (Tag::Other, declaration_end(text, start));
    }
    let is_end = rest.starts_with("</");
    let from = start + 1 + usize::from(is_end);
    let name_end = text[from..].find(|c: char| !is_name(c)).map_or(text.len(), |end| from + end);
    if !text[from..].starts_with(|c: char| c.is_alphabetic() || c == '_') {
        return (Tag::Other, start + 1);
    }
    let mut attributes = Vec::new();
    let bytes = text.as_bytes();
    let mut at = name_end;
    while at < bytes.len() && bytes[at] != b'>' {
        if is_end || !text[at..].starts_with(is_name) {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
            continue;
        }
        let key_end = text[at..].find(|c: char| !is_name(c)).map_or(text.len(), |end| at + end);
        let key = at..key_end;
        at = key_end;
        let after = &text[at..];
        let Some(value) = after.trim_start().strip_prefix('=') else { continue };
        let value = value.trim_start();
        let from = text.len() - value.len();
        let (from, end) = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let end = value[1..].find(quote).map_or(text.len(), |end| from + 1 + end);
                (from + 1, end)
            }
            _ => {
                let is_over = |c: char| c.is_whitespace() || c == '>';
                (from, value.find(is_over).map_or(text.len(), |end| from + end))
            }
        };
        attributes.push((key, from..end));
        at = if bytes.get(end).is_some_and(|b| matches!(b, b'"' | b'\'')) { end + 1 } else { end };
    }
    let end = (at + 1).min(text.len());
    let name = from..name_end;
    if is_end {
        return (Tag::End { name }, end);
    }
    (Tag::Start { name, attributes, is_empty: text[..at].ends_with('/') }, end)
}

/// The end of `<!DOCTYPE …>`, whose brackets may hold declarations.
fn declaration_end(text: &str, start: usize) -> usize {
    let mut depth = 0usize;
    for (i, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'<' | b'[' => depth += 1,
            b'>' if depth <= 1 => return i + 1,
            b'>' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '@')
}
