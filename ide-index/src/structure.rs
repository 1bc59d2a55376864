//! Structure of documents and data files: headings, keys, selectors, elements, tables. Small readers without a grammar,
//! one function a format; each takes linear time and accepts anything.

mod markup;
mod sql;

use ide_model::{Language, SymbolKind, TextRange};

use crate::builder::FactBuilder;
use crate::facts::{DefId, FileFacts, Quality, ScopeKind};
use crate::front::FrontEnd;
use crate::sketch::Sketch;

/// The reader of one format.
pub(crate) struct Structure {
    language: Language,
    read: fn(&mut Reader<'_>),
}

pub(crate) static MARKDOWN: Structure =
    Structure { language: Language::Markdown, read: |reader| reader.markdown() };
pub(crate) static JSON: Structure = Structure { language: Language::Json, read: |reader| reader.json() };
pub(crate) static YAML: Structure = Structure { language: Language::Yaml, read: |reader| reader.yaml() };
pub(crate) static TOML: Structure = Structure { language: Language::Toml, read: |reader| reader.toml() };
pub(crate) static CSS: Structure = Structure { language: Language::Css, read: |reader| reader.css() };
pub(crate) static HTML: Structure = Structure { language: Language::Html, read: |reader| reader.html() };
pub(crate) static XML: Structure = Structure { language: Language::Xml, read: |reader| reader.xml() };
pub(crate) static SQL: Structure = Structure { language: Language::Sql, read: |reader| reader.sql() };

impl FrontEnd for Structure {
    fn facts(&self, _path: &str, text: &str) -> FileFacts {
        self.read(text).finish()
    }

    /// All declarations: what is left out is their ranges.
    fn sketch(&self, _path: &str, text: &str) -> Option<Sketch> {
        Some(self.read(text).finish_sketch())
    }
}

impl Structure {
    fn read(&self, text: &str) -> FactBuilder {
        let builder = FactBuilder::declarations(self.language, text.len() as u32);
        let mut reader = Reader { b: builder, text, open: Vec::new() };
        (self.read)(&mut reader);
        reader.close_to(0, text.len());
        reader.b.set_quality(Quality::Names);
        reader.b
    }
}

struct Reader<'t> {
    b: FactBuilder,
    text: &'t str,
    /// Entries that are open, each with its level.
    open: Vec<(DefId, usize)>,
}

impl<'t> Reader<'t> {
    /// Declares a name that holds what follows until its level ends.
    fn enter(&mut self, name: &str, at: TextRange, start: usize, kind: SymbolKind, level: usize) {
        let def = self.b.def(name, at, kind);
        self.b.def_mut(def).range = TextRange::new(start as u32, at.end.max(start as u32));
        self.b.open(ScopeKind::Class, at.end, Some(def));
        self.open.push((def, level));
    }

    /// Ends the entries of this level and of deeper ones.
    fn close_to(&mut self, level: usize, end: usize) {
        while let Some((def, of)) = self.open.last().copied() {
            if of < level {
                return;
            }
            self.open.pop();
            self.b.close(end as u32);
            let trimmed = self.text[..end].trim_end().len() as u32;
            let range = &mut self.b.def_mut(def).range;
            range.end = trimmed.max(range.end);
        }
    }

    /// Lines with their offsets.
    fn lines(&self) -> impl Iterator<Item = (usize, &'t str)> + use<'t> {
        let mut at = 0;
        self.text.split_inclusive('\n').map(move |line| {
            let start = at;
            at += line.len();
            (start, line.trim_end_matches(['\n', '\r']))
        })
    }

    fn markdown(&mut self) {
        let mut fence: Option<&str> = None;
        for (start, line) in self.lines() {
            let body = line.trim_start();
            if let Some(mark) = ["```", "~~~"].into_iter().find(|mark| body.starts_with(mark)) {
                match fence {
                    None => fence = Some(mark),
                    Some(open) if open == mark => fence = None,
                    Some(_) => {}
                }
                continue;
            }
            let level = line.len() - line.trim_start_matches('#').len();
            let is_heading = (1..=6).contains(&level) && line[level..].starts_with([' ', '\t']);
            if fence.is_some() || !is_heading {
                continue;
            }
            let name = line[level..].trim().trim_end_matches('#').trim_end();
            if name.is_empty() {
                continue;
            }
            self.close_to(level, start);
            let from = start + line.find(name).unwrap_or(level);
            let at = TextRange::new(from as u32, (from + name.len()) as u32);
            self.enter(name, at, start, SymbolKind::Heading, level);
        }
    }

    fn json(&mut self) {
        let bytes = self.text.as_bytes();
        let (mut i, mut depth) = (0, 0usize);
        while i < bytes.len() {
            match bytes[i] {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    self.close_to(depth, i);
                    depth = depth.saturating_sub(1);
                }
                b',' => self.close_to(depth, i),
                b'/' if bytes.get(i + 1) == Some(&b'/') => {
                    i += memchr::memchr(b'\n', &bytes[i..]).unwrap_or(bytes.len() - i);
                    continue;
                }
                b'"' => {
                    let end = json_string(bytes, i + 1);
                    let is_key =
                        self.text.get(end + 1..).is_some_and(|rest| rest.trim_start().starts_with(':'));
                    if let Some(name) = self.text.get(i + 1..end).filter(|name| is_key && !name.is_empty()) {
                        let at = TextRange::new(i as u32 + 1, end as u32);
                        self.enter(name, at, i, SymbolKind::Key, depth);
                    }
                    i = end;
                }
                _ => {}
            }
            i += 1;
        }
    }

    fn yaml(&mut self) {
        // Lines deeper than this belong to a block of text.
        let mut text_block: Option<usize> = None;
        for (start, line) in self.lines() {
            let indent = line.len() - line.trim_start_matches(' ').len();
            let mut body = &line[indent..];
            if body.is_empty() || body.starts_with('#') {
                continue;
            }
            if text_block.is_some_and(|of| indent > of) {
                continue;
            }
            text_block = None;
            let mut column = indent;
            while let Some(rest) = body.strip_prefix("- ") {
                let skipped = 2 + rest.len() - rest.trim_start().len();
                self.close_to(column + 1, start);
                column += skipped;
                body = rest.trim_start();
            }
            let Some(colon) = yaml_colon(body) else { continue };
            let name = body[..colon].trim().trim_matches(['"', '\'']);
            if name.is_empty() || name.starts_with(['{', '[', '|', '>']) {
                continue;
            }
            self.close_to(column + 1, start);
            let from = start + column + body.find(name).unwrap_or(0);
            let at = TextRange::new(from as u32, (from + name.len()) as u32);
            self.enter(name, at, start + column, SymbolKind::Key, column + 1);
            if body[colon + 1..].trim_start().starts_with(['|', '>']) {
                text_block = Some(indent);
            }
        }
    }

    fn toml(&mut self) {
        let mut long: Option<&str> = None;
        for (start, line) in self.lines() {
            if let Some(quote) = long {
                if line.contains(quote) {
                    long = None;
                }
                continue;
            }
            let body = line.trim_start();
            let lead = line.len() - body.len();
            if let Some(head) = body.strip_prefix('[') {
                let name = head.split(']').next().unwrap_or(head).trim_start_matches('[').trim();
                if !name.is_empty() {
                    self.close_to(1, start);
                    let from = start + line.find(name).unwrap_or(0);
                    let at = TextRange::new(from as u32, (from + name.len()) as u32);
                    self.enter(name, at, start + lead, SymbolKind::Key, 1);
                }
                continue;
            }
            let Some((key, value)) = body.split_once('=') else { continue };
            let name = key.trim().trim_matches(['"', '\'']);
            let is_key =
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_. \"'".contains(c));
            if is_key {
                self.close_to(2, start);
                let from = start + line.find(name).unwrap_or(0);
                let at = TextRange::new(from as u32, (from + name.len()) as u32);
                self.enter(name, at, start + lead, SymbolKind::Key, 2);
            }
            long = ["\"\"\"", "'''"].into_iter().find(|quote| value.matches(quote).count() == 1);
        }
    }

    fn css(&mut self) {
        let bytes = self.text.as_bytes();
        let (mut i, mut from, mut depth) = (0, 0, 0usize);
        while i < bytes.len() {
            match bytes[i] {
                b'/' if bytes.get(i + 1) == Some(&b'*') => {
                    let end = self.text[i..].find("*/").map_or(bytes.len(), |end| i + end + 2);
                    if self.text[from..i].trim().is_empty() {
                        from = end;
                    }
                    i = end;
                    continue;
                }
                b'{' => {
                    depth += 1;
                    let raw = &self.text[from..i];
                    let name = raw.trim();
                    let start = from + raw.len() - raw.trim_start().len();
                    let at = TextRange::new(start as u32, (start + name.len()) as u32);
                    let line: Vec<&str> = name.split_whitespace().collect();
                    if !line.is_empty() {
                        self.enter(&line.join(" "), at, start, SymbolKind::Symbol, depth);
                    }
                    from = i + 1;
                }
                b'}' => {
                    self.close_to(depth, i + 1);
                    depth = depth.saturating_sub(1);
                    from = i + 1;
                }
                b';' => from = i + 1,
                _ => {}
            }
            i += 1;
        }
    }
}

/// The end of the string whose content begins at `at`: its quote, or the end of the line or text.
fn json_string(bytes: &[u8], mut at: usize) -> usize {
    while let Some(len) = bytes.get(at..).and_then(|rest| memchr::memchr3(b'"', b'\n', b'\\', rest)) {
        at += len;
        if bytes[at] != b'\\' {
            return at;
        }
        at += 2;
    }
    bytes.len()
}

/// The offset of the colon behind a key.
fn yaml_colon(body: &str) -> Option<usize> {
    if let Some(quote) = body.chars().next().filter(|c| matches!(c, '"' | '\'')) {
        let end = body[1..].find(quote)? + 2;
        return body[end..].starts_with(':').then_some(end);
    }
    body.char_indices().find_map(|(i, c)| {
        let is_end = c == ':' && (i + 1 == body.len() || body[i + 1..].starts_with(' '));
        is_end.then_some(i)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rendered(structure: &Structure, text: &str) -> String {
        crate::render(&structure.facts("", text))
    }

    #[test]
    fn headings_nest_and_fences_hide() {
        let text = "# A\ntext\n## B\n```\n# no\n```\n### C #\n## D\n# E\n#no\n";
        assert_eq!(
            rendered(&MARKDOWN, text),
            "HEADING A\n  HEADING B\n    HEADING C\n  HEADING D\nHEADING E\n"
        );
        let facts = MARKDOWN.facts("", text);
        let a = &facts.defs[0];
        assert_eq!(
            &text[a.range.start as usize..a.range.end as usize],
            "# A\ntext\n## B\n```\n# no\n```\n### C #\n## D"
        );
    }

    #[test]
    fn keys_of_data_nest() {
        assert_eq!(
            rendered(&JSON, "{\"a\": {\"b\": [1, {\"c\": \"x: {\"}], \"d\": 2}, // {\n\"e\": \"\\\"\"}"),
            "KEY a\n  KEY b\n    KEY c\n  KEY d\nKEY e\n"
        );
        assert_eq!(
            rendered(
                &YAML,
                "a:\n  b: 1\n  c:\n    - d: x\n      e: http://y\n    - d: z\nf: |\n  g: no\n\"h i\": 2\n"
            ),
            "KEY a\n  KEY b\n  KEY c\n    KEY d\n    KEY e\n    KEY d\nKEY f\nKEY h i\n"
        );
        assert_eq!(
            rendered(&TOML, "x = 1\n[a.b]\nc = \"d = 1\"\ne = '''\nno = 1\n'''\n[[f]]\ng.h = []\n"),
            "KEY x\nKEY a.b\n  KEY c\n  KEY e\nKEY f\n  KEY g.h\n"
        );
        assert_eq!(
            rendered(&CSS, "/* x { */ .a, b > c { color: red; &:hover { d: e } }\n@media print { h1 {} }"),
            "SYMBOL .a, b > c\n  SYMBOL &:hover\nSYMBOL @media print\n  SYMBOL h1\n"
        );
    }

    #[test]
    fn elements_of_markup_nest_and_what_is_no_markup_is_skipped() {
        let page = "<!DOCTYPE html><html><head><title>The <b>page</title><script>if (a<b) \"<h1>\"</script></head>\n\
            <body><!-- <h2 id=no> --><div id=main class='x'><img id=\"logo\"><H1 id=top>Hi <em>you</em></H1><br/>\n\
            <p id=''>text</p></div></span><h2>Next</h2></body></html>";
        assert_eq!(
            rendered(&HTML, page),
            "KEY The page\nKEY main\n  KEY logo\n  HEADING Hi you\nHEADING Next\n"
        );
        let main = &HTML.facts("", page).defs[1];
        let whole = &page[main.range.start as usize..main.range.end as usize];
        assert!(whole.starts_with("<div") && whole.ends_with("</div>"), "{whole}");
        let config = "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a '>'>]><beans><bean id=\"a\" class=\"B\">\
            <property name='p' value='>'/><list/></bean><![CDATA[<no>]]><v android:id='@+id/z'></v></beans>";
        assert_eq!(rendered(&XML, config), "KEY beans\n  KEY a\n    KEY p\n    KEY list\n  KEY @+id/z\n");
    }

    #[test]
    fn statements_of_sql_make_things() {
        let schema = "-- create table no (x int);\nCREATE TABLE IF NOT EXISTS shop.\"Order Line\" (\n  id BIGINT PRIMARY KEY,\n\
            `price` DECIMAL(10, 2) DEFAULT 'a, (b',\n  PRIMARY KEY (id), CONSTRAINT c CHECK (x > 0)\n);\n\
            create or replace function f(a int) returns int as $body$ create table no2 (y int); $body$ language sql;\n\
            CREATE UNIQUE INDEX i ON t (a); CREATE MATERIALIZED VIEW [dbo].[v] AS SELECT 1; DROP TABLE t; CREATE";
        assert_eq!(
            rendered(&SQL, schema),
            "STRUCT Order Line\n  FIELD id\n  FIELD price\nFUNCTION f\nSYMBOL i\nSTRUCT v\n"
        );
        assert_eq!(rendered(&SQL, "create table \"ü"), "", "a quote that nobody closes");
        let table = &SQL.facts("", schema).defs[0];
        let whole = &schema[table.range.start as usize..table.range.end as usize];
        assert!(whole.starts_with("CREATE TABLE") && whole.ends_with(");"), "{whole}");
    }

    proptest! {
        #[test]
        fn any_text_gives_sound_facts(text in "(<h1|</h1>|<!|create table |[a-z#{}\\[\\]:;,\"'`|/*=é \n$()<>!-]){0,80}") {
            for structure in [&MARKDOWN, &JSON, &YAML, &TOML, &CSS, &HTML, &XML, &SQL] {
                for def in structure.facts("", &text).defs {
                    prop_assert!(text.get(def.name_range.start as usize..def.name_range.end as usize).is_some());
                    prop_assert!(text.get(def.range.start as usize..def.range.end as usize).is_some());
                }
            }
        }
    }
}
