//! The head of a declaration as text: cutting it out, and taking it apart, by rules that are columns of a table.

use ide_model::{Language, SymbolKind, TextRange};

use crate::facts::{Def, DefFlags, FileFacts};

/// How a language writes declarations.
pub(super) struct Style {
    pub(super) language: Language,
    /// The type stands before the name.
    pub(super) types_first: bool,
    /// A colon ends the head.
    pub(super) colon_ends: bool,
    /// The end of the line ends the head.
    pub(super) line_ends: bool,
    /// The receiver of a method is written before its name.
    receiver_first: bool,
    /// The words of kinds, where they differ from [`WORDS`].
    words: &'static [(SymbolKind, &'static str)],
}

const fn style(language: Language) -> Style {
    Style {
        language,
        types_first: false,
        colon_ends: false,
        line_ends: false,
        receiver_first: false,
        words: &[],
    }
}

use SymbolKind::{
    AbstractClass, Annotation, Class, Constant, Constructor, Enum, EnumCase, Field, Function, Heading, Impl,
    Interface, Key, Macro, Method, Module, Namespace, Object, Package, Property, Record, Struct, Trait,
    TypeAlias, Union, Variable,
};

const STYLES: &[Style] = &[
    Style { types_first: true, words: &[(Annotation, "@interface")], ..style(Language::Java) },
    Style {
        line_ends: true,
        words: &[
            (Function, "fun"),
            (Method, "fun"),
            (Property, "val"),
            (Variable, "val"),
            (Constant, "const val"),
            (Annotation, "annotation class"),
            (Enum, "enum class"),
            (TypeAlias, "typealias"),
        ],
        ..style(Language::Kotlin)
    },
    Style {
        colon_ends: true,
        line_ends: true,
        words: &[
            (Function, "def"),
            (Method, "def"),
            (Constructor, "def"),
            (Property, "def"),
            (Interface, "class"),
        ],
        ..style(Language::Python)
    },
    Style { words: &[(Function, "function"), (Variable, "var")], ..style(Language::JavaScript) },
    Style { words: &[(Function, "function"), (Variable, "var")], ..style(Language::TypeScript) },
    Style {
        line_ends: true,
        receiver_first: true,
        words: &[(Function, "func"), (Method, "func"), (Variable, "var"), (Constant, "const")],
        ..style(Language::Go)
    },
    Style {
        types_first: true,
        words: &[
            (Function, "function"),
            (Method, "function"),
            (Constructor, "function"),
            (Constant, "const"),
        ],
        ..style(Language::Php)
    },
    Style {
        words: &[
            (Function, "fn"),
            (Method, "fn"),
            (Module, "mod"),
            (Constant, "const"),
            (Macro, "macro_rules!"),
        ],
        ..style(Language::Rust)
    },
    Style { types_first: true, ..style(Language::C) },
    Style { types_first: true, ..style(Language::Cpp) },
    Style { types_first: true, ..style(Language::CSharp) },
    Style {
        line_ends: true,
        words: &[(Function, "def"), (Method, "def"), (Constructor, "def")],
        ..style(Language::Ruby)
    },
    Style { words: &[(Function, "func"), (Method, "func"), (Constructor, "init")], ..style(Language::Swift) },
    Style {
        line_ends: true,
        words: &[(Function, "def"), (Method, "def"), (Trait, "trait")],
        ..style(Language::Scala)
    },
];

static OTHER: Style = style(Language::PlainText);

/// The words of kinds, where a language has no other. Members without a word of their own have none.
const WORDS: &[(SymbolKind, &str)] = &[
    (Class, "class"),
    (AbstractClass, "class"),
    (Interface, "interface"),
    (Enum, "enum"),
    (Annotation, "annotation"),
    (Record, "record"),
    (Struct, "struct"),
    (Union, "union"),
    (Trait, "trait"),
    (Object, "object"),
    (TypeAlias, "type"),
    (Module, "module"),
    (Namespace, "namespace"),
    (Package, "package"),
    (Impl, "impl"),
    (Constant, "const"),
    (Macro, "macro"),
    (Function, ""),
    (Method, ""),
    (Constructor, ""),
    (Field, ""),
    (Property, ""),
    (EnumCase, ""),
    (Variable, ""),
    (Heading, "heading"),
    (Key, "key"),
];

pub(super) fn style_of(language: Language) -> &'static Style {
    STYLES.iter().find(|s| s.language == language).unwrap_or(&OTHER)
}

/// The word that introduces such a declaration.
pub(super) fn keyword(style: &Style, def: &Def) -> &'static str {
    // The table has the word of the constant form.
    if def.flags.has(DefFlags::VAR) && matches!(def.kind, Property | Variable) {
        return "var";
    }
    let of = |words: &[(SymbolKind, &'static str)]| {
        words.iter().find(|(k, _)| *k == def.kind).map(|(_, word)| *word)
    };
    of(style.words).or_else(|| of(WORDS)).unwrap_or("")
}

/// Modifier words of any language, as they are shown.
const MODIFIERS: &[&str] = &[
    "public(set)",
    "protected(set)",
    "private(set)",
    "public",
    "protected",
    "private",
    "internal",
    "fileprivate",
    "open",
    "export",
    "default",
    "declare",
    "static",
    "abstract",
    "final",
    "sealed",
    "non-sealed",
    "virtual",
    "override",
    "readonly",
    "const",
    "constexpr",
    "async",
    "suspend",
    "inline",
    "infix",
    "operator",
    "tailrec",
    "external",
    "extern",
    "lateinit",
    "inner",
    "data",
    "value",
    "companion",
    "expect",
    "actual",
    "vararg",
    "native",
    "synchronized",
    "transient",
    "volatile",
    "strictfp",
    "unsafe",
    "partial",
    "mutating",
    "lazy",
    "implicit",
    "pub",
    "mut",
    "get",
    "set",
    "accessor",
    "enum",
    "annotation",
    "fun",
    "noinline",
    "crossinline",
    "reified",
    "var",
    "let",
];

/// Words that are modifiers before some kinds and the declaration's own word before others.
const OWN_WORDS: &[&str] = &["enum", "annotation", "fun", "var", "let", "const", "value", "data"];

/// The modifiers of a declaration in source order, and those that decorators stand for.
pub(super) fn modifiers(style: &Style, text: &str, def: &Def) -> Vec<&'static str> {
    let (head, keyword) = (leading(text, def), keyword(style, def));
    // Where decorators say it, the flags know; elsewhere the flags know what is only implied, too.
    let mut found: Vec<&'static str> = Vec::new();
    if style.colon_ends {
        const DECORATED: &[(DefFlags, &str)] =
            &[(DefFlags::STATIC, "static"), (DefFlags::ABSTRACT, "abstract")];
        found.extend(DECORATED.iter().filter(|(flag, _)| def.flags.has(*flag)).map(|(_, word)| *word));
    }
    let is_set = |at: usize| {
        head.get(..at + 1).is_some_and(|head| head.ends_with("(set)")) || head[at..].starts_with("(set)")
    };
    let mut at = 0;
    let ends =
        head.char_indices().filter(|(at, c)| !(c.is_alphanumeric() || "_-".contains(*c) || is_set(*at)));
    for end in ends.map(|(at, c)| (at, c.len_utf8())).chain([(head.len(), 0)]) {
        let word = &head[at..end.0];
        at = end.0 + end.1;
        let Some(known) = MODIFIERS.iter().find(|m| **m == word) else { continue };
        let is_own = OWN_WORDS.contains(known)
            && (keyword.split(' ').any(|w| w == *known) || !followed_by_word(head, known));
        if !is_own && !found.contains(known) {
            found.push(known);
        }
    }
    found
}

/// True when something but the name follows the word.
fn followed_by_word(head: &str, word: &str) -> bool {
    head.rsplit(word).next().is_some_and(|rest| rest.trim().starts_with(char::is_alphabetic))
}

/// The introduction of a method that is declared outside of its type: the word, and the receiver that names the
/// type.
pub(super) fn receiver(style: &Style, text: &str, def: &Def) -> Option<String> {
    let is_outside = style.receiver_first && def.kind == Method;
    let lead = leading(text, def).trim();
    (is_outside && lead.ends_with(')')).then(|| one_line(lead))
}

/// The text from the first modifier to the name, without annotations.
fn leading<'t>(text: &'t str, def: &Def) -> &'t str {
    let end = if def.name_range.is_empty() { def.range.end } else { def.name_range.start };
    let head = text.get(def.range.start as usize..end.max(def.range.start) as usize).unwrap_or("");
    let end =
        if def.name_range.is_empty() { head.find(['{', '(', '=']).unwrap_or(head.len()) } else { head.len() };
    without_annotations(&head[..end])
}

/// The rest of a head behind its leading annotations, decorators and attributes, and the comments between them.
fn without_annotations(head: &str) -> &str {
    let mut rest = head.trim_start();
    loop {
        if rest.starts_with("//")
            && let Some((_, next)) = rest.split_once('\n')
        {
            rest = next.trim_start();
            continue;
        }
        let is_attribute = rest.starts_with("#[") || rest.starts_with("[") || rest.starts_with("<<");
        if rest.starts_with("@interface") || !(rest.starts_with('@') || is_attribute) {
            return rest;
        }
        let mut depth = 0u32;
        let mut end = rest.len();
        for (i, c) in rest.char_indices().skip(1) {
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        end = i + 1;
                        break;
                    }
                }
                c if c.is_whitespace() && depth == 0 => {
                    // `@A (…)` is rare; a space before a parenthesis belongs to what follows.
                    end = i;
                    break;
                }
                _ => {}
            }
        }
        rest = rest[end..].trim_start();
    }
}

/// The head: from the first modifier to the body, without annotations and initial value, on one line.
pub(super) fn signature(style: &Style, text: &str, def: &Def) -> String {
    let lead = leading(text, def);
    if def.name_range.is_empty() {
        return one_line(lead);
    }
    let name = slice(text, def.name_range);
    // A sign in front of the name belongs to it: `$name`, `*name`.
    let glue = if lead.ends_with(char::is_whitespace) { " " } else { "" };
    format!("{}{glue}{name}{}", one_line(lead), tail_with_space(text, style, def)).trim_start().to_owned()
}

fn tail_with_space(text: &str, style: &Style, def: &Def) -> String {
    let raw = tail(style, text, def);
    let line = one_line(raw);
    let spaced = raw.starts_with(char::is_whitespace) && !line.is_empty();
    if spaced { format!(" {line}") } else { line }
}

/// The text between the name and the body.
pub(super) fn tail<'t>(style: &Style, text: &'t str, def: &Def) -> &'t str {
    let from = def.name_range.end as usize;
    let rest = text.get(from..def.range.end.max(def.name_range.end) as usize).unwrap_or("");
    let is_callable = def.kind.is_callable();
    let keeps_value = def.kind == TypeAlias;
    let bytes = rest.as_bytes();
    let (mut depth, mut i) = (0u32, 0);
    while i < bytes.len() {
        let next = bytes.get(i + 1).copied().unwrap_or(0);
        match bytes[i] {
            b'{' if depth == 0 && !expects_type(&rest[..i]) => break,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' if depth == 0 => break,
            b')' | b']' | b'}' => depth -= 1,
            b';' if depth == 0 => break,
            b',' if depth == 0 && !is_callable && !def.kind.is_type() && !in_angles(&rest[..i]) => break,
            b'"' | b'\'' | b'`' => i = skip_string(bytes, i),
            b'/' if next == b'/' => i = line_end(bytes, i),
            b'=' if next == b'>' => {
                if depth == 0 && is_callable {
                    break;
                }
                i += 1;
            }
            b'=' if depth == 0 && !keeps_value && next != b'=' => break,
            b':' if next == b':' => i += 1,
            b':' if depth == 0
                && style.colon_ends
                && (is_callable || def.kind.is_type() || def.kind == Property) =>
            {
                break;
            }
            b'\n' if depth == 0 && style.line_ends && !continues(&rest[i..]) => break,
            _ => {}
        }
        i += 1;
    }
    rest.get(..i.min(rest.len())).unwrap_or(rest).trim_end()
}

/// True when a brace here opens a type, not a body.
fn expects_type(before: &str) -> bool {
    matches!(before.trim_end().chars().next_back(), Some(':' | '|' | '&' | ',' | '<'))
}

fn in_angles(before: &str) -> bool {
    before.matches('<').count() > before.replace("->", "").replace("=>", "").matches('>').count()
}

/// True when the next line goes on with the head.
fn continues(rest: &str) -> bool {
    let next = rest.trim_start();
    next.starts_with([':', '.'])
        || next.starts_with("where")
        || next.starts_with("extends")
        || next.starts_with("with")
}

fn skip_string(bytes: &[u8], at: usize) -> usize {
    let mut i = at + 1;
    while i < bytes.len() && bytes[i] != bytes[at] {
        if bytes[i] == b'\n' {
            // No string after all: a lifetime, an apostrophe.
            return at;
        }
        i += 1 + usize::from(bytes[i] == b'\\');
    }
    if i >= bytes.len() { at } else { i }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n - 1)
}

/// The text with every run of white space as one space, without line comments at line ends.
pub(super) fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let code = match line.find("//") {
            Some(at) if !line[..at].ends_with(':') => &line[..at],
            _ => line,
        };
        for word in code.split_whitespace() {
            let is_broken_bracket =
                text.contains('\n') && (out.ends_with(['(', '[']) || word.starts_with([')', ']']));
            if !out.is_empty() && !is_broken_bracket {
                out.push(' ');
            }
            out += word;
        }
    }
    out
}

fn slice(text: &str, range: TextRange) -> &str {
    text.get(range.start as usize..range.end as usize).unwrap_or("")
}

/// The declared type of a variable, field, parameter, or the result of a callable, as written.
pub(super) fn type_text(style: &Style, facts: &FileFacts, text: &str, def: &Def) -> Option<String> {
    let tail = tail(style, text, def);
    let behind = if def.kind.is_callable() { behind_parameters(tail) } else { tail };
    let behind = behind.trim();
    let behind = behind.strip_prefix("->").or_else(|| behind.strip_prefix(':')).unwrap_or(behind).trim();
    let behind =
        behind.split(" where ").next().unwrap_or(behind).split("\nwhere").next().unwrap_or(behind).trim();
    let is_clause =
        behind.starts_with("throws") || behind.starts_with("const") || behind.starts_with("noexcept");
    if !behind.is_empty() && !is_clause && behind != "?" && !behind.starts_with([',', '.', '{', '=']) {
        return Some(one_line(behind));
    }
    if style.types_first && def.kind != Constructor {
        let before = type_before(leading(text, def));
        if !before.is_empty() {
            return Some(before);
        }
    }
    // The range of a declaration may leave its type out: `a, b int`, two fields of one statement.
    let ty = def.ty.filter(|_| def.kind != EnumCase)?;
    let written = crate::differential::render_type(facts, ty);
    // A question mark that follows nothing stands for a type that could not be read.
    let is_whole = written.match_indices('?').all(|(i, _)| {
        written[..i].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '>' || c == ']')
    });
    is_whole.then_some(written)
}

fn behind_parameters(tail: &str) -> &str {
    let bytes = tail.as_bytes();
    let Some(open) = tail.find('(') else { return tail };
    let mut depth = 0u32;
    for (i, byte) in bytes.iter().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return &tail[i + 1..];
                }
            }
            _ => {}
        }
    }
    ""
}

/// The type before a name: the text without modifiers and type parameters.
fn type_before(lead: &str) -> String {
    let mut rest = lead.trim();
    loop {
        let word_end =
            rest.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).unwrap_or(rest.len());
        let word_end =
            if rest[word_end..].starts_with("(set)") { word_end + "(set)".len() } else { word_end };
        let word = &rest[..word_end];
        if MODIFIERS.contains(&word) || matches!(word, "function" | "struct" | "class") {
            rest = rest[word_end..].trim_start();
        } else if rest.starts_with('<') {
            let mut depth = 0i32;
            let end = rest.char_indices().find(|(_, c)| {
                depth += i32::from(*c == '<') - i32::from(*c == '>');
                depth == 0
            });
            rest = end.map_or("", |(i, _)| rest[i + 1..].trim_start());
        } else if rest.starts_with('@') {
            let next = without_annotations(rest);
            if next.len() == rest.len() {
                break;
            }
            rest = next;
        } else {
            break;
        }
    }
    one_line(rest.trim_end_matches(['$', '&']))
}

#[cfg(test)]
mod tests {
    use super::without_annotations;

    #[test]
    fn comments_between_attributes_are_no_part_of_a_head() {
        assert_eq!(without_annotations("#[doc = \"a\"]\n/// b\n#[must_use = \"c\"] pub fn "), "pub fn ");
        assert_eq!(without_annotations("@A(1) // c\n@B public "), "public ");
    }
}
