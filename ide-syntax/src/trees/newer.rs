//! Forms of newer releases of a language that its grammar does not know: they are parsed as older ones of the same length.

use std::borrow::Cow;
use std::ops::Range;

use ide_model::Language;
use ide_model::newer::{new_of_values, when_names};

/// The text as a grammar can read it; every byte keeps its place.
pub(super) fn as_older(language: Language, text: &str) -> Cow<'_, str> {
    match language {
        Language::Go => {
            replaced(text, &new_of_values(text).into_iter().map(|at| (at, "neW")).collect::<Vec<_>>())
        }
        Language::Java => java(text),
        Language::Php => php(text),
        Language::Python => python(text),
        _ => Cow::Borrowed(text),
    }
}

/// `import module m;` becomes `import m;`, `super(…)` behind other statements a call of a method, and so does `A.super::m`,
/// which refers to one; for patterns see [`patterns`].
fn java(text: &str) -> Cow<'_, str> {
    let mut edits = Vec::new();
    for (at, _) in text.match_indices("import") {
        let behind = &text[at + "import".len()..];
        let word = behind.trim_start();
        let name = word.strip_prefix("module").filter(|rest| rest.starts_with(char::is_whitespace));
        if name.is_some_and(|rest| rest.trim_start().starts_with(|c: char| c.is_alphabetic() || c == '_')) {
            edits.push((at + "import".len() + behind.len() - word.len(), "      "));
        }
    }
    for (word, other) in [("super", "supe_"), ("this", "thi_")] {
        for (at, _) in text.match_indices(word) {
            let behind = text[at + word.len()..].trim_start();
            let before = text[..at].trim_end();
            let is_late = behind.starts_with('(') && before.ends_with([';', '}']);
            if is_late || word == "super" && behind.starts_with("::") && before.ends_with('.') {
                edits.push((at, other));
            }
        }
    }
    edits.extend(when_names(text).into_iter().map(|at| (at, "wheN")));
    let older = replaced(text, &edits);
    let mut marks = patterns(text);
    marks.extend(annotations_of_varargs(text));
    if marks.is_empty() {
        return older;
    }
    let mut bytes = older.into_owned().into_bytes();
    for (range, byte) in marks {
        bytes[range].fill(byte);
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Bytes to write into patterns behind `case` and `instanceof`: the name in `Outer.Inner(…)` becomes a single word, modifiers
/// of what they bind are left out, and so are all but the first of several, which bind nothing.
fn patterns(text: &str) -> Vec<(Range<usize>, u8)> {
    let mut marks = Vec::new();
    let mut done = 0;
    for (at, _) in text.match_indices(['c', 'i']) {
        let word = ["case", "instanceof"].into_iter().find(|word| text[at..].starts_with(word));
        let line = text[..at].rsplit('\n').next().unwrap_or("");
        let is_comment = line.contains("//") || line.trim_start().starts_with(['*', '/']);
        let is_start = at >= done && !text[..at].ends_with(is_part) && !is_comment;
        let ends = |word: &&str| !text[at + word.len()..].starts_with(is_part);
        let Some(word) = word.filter(|word| is_start && ends(word)) else { continue };
        let (mut depth, mut i, mut second) = (0_u32, at + word.len(), None);
        let mut is_pattern = false;
        loop {
            let rest = text[i..].trim_start();
            i = text.len() - rest.len();
            let name = qualified_name(rest);
            let is_call = rest[name.len()..].trim_start().starts_with('(');
            let mut len = name.len();
            match rest.chars().next() {
                _ if matches!(name, "when" | "default") && depth == 0 => break,
                _ if name == "final" => marks.push((i..i + len, b' ')),
                Some(_) if len > 0 => {
                    // The end of a line may be that of a comment.
                    let is_one = is_call && !name.contains('\n');
                    let dots = name.char_indices().filter(|(_, c)| is_one && !is_part(*c));
                    marks.extend(dots.map(|(dot, c)| (i + dot..i + dot + c.len_utf8(), b'_')));
                }
                Some('@') => {
                    len = 1 + qualified_name(&rest[1..]).len();
                    marks.push((i..i + len, b' '));
                }
                Some('(') if i > at + word.len() => (depth, len, is_pattern) = (depth + 1, 1, true),
                Some('<' | '>' | '?' | '[' | ']') => len = 1,
                Some(',') if depth > 0 => len = 1,
                Some(',') if word == "case" => {
                    len = 1;
                    second = second.or(Some(i).filter(|_| is_pattern));
                }
                Some(')') if depth > 1 || depth == 1 && word == "case" => (depth, len) = (depth - 1, 1),
                _ => break,
            }
            i += len;
        }
        let behind = text[..i].trim_end().len();
        marks.extend(second.filter(|_| depth == 0).map(|start| (start..behind, b' ')));
        done = i;
    }
    marks
}

/// The annotations in `A @NotNull ... all`.
fn annotations_of_varargs(text: &str) -> Vec<(Range<usize>, u8)> {
    let mut marks = Vec::new();
    for (at, _) in text.match_indices("...") {
        let mut end = text[..at].trim_end().len();
        loop {
            let start = text[..end].trim_end_matches(|c: char| is_part(c) || c == '.').len();
            match text[..start].strip_suffix('@') {
                Some(before) if start < end => {
                    marks.push((start - 1..end, b' '));
                    end = before.trim_end().len();
                }
                _ => break,
            }
        }
    }
    marks
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The name with dots that a text begins with; blanks may stand around the dots.
fn qualified_name(text: &str) -> &str {
    let mut end = 0;
    loop {
        let word = text[end..].trim_start();
        let rest = word.trim_start_matches(is_part);
        if rest.len() == word.len() || end == 0 && word.len() < text.len() {
            return text[..end].trim_end_matches(['.', ' ']);
        }
        end = text.len() - rest.len();
        match rest.trim_start().strip_prefix('.') {
            Some(behind) => end = text.len() - behind.len(),
            None => return &text[..end],
        }
    }
}

/// Behind `__halt_compiler();` stands no code.
fn php(text: &str) -> Cow<'_, str> {
    const HALT: &str = "__halt_compiler";
    // Elsewhere it is a word of a comment or a text.
    let end_of = |at: usize| {
        let before = text[..at].rsplit('\n').next().unwrap_or("").trim();
        let behind = text[at + HALT.len()..].trim_start().strip_prefix('(')?.trim_start();
        let rest = behind.strip_prefix(')')?.trim_start().strip_prefix(';')?;
        let is_statement = before.is_empty() || before.ends_with([';', '}']) || before.ends_with("<?php");
        is_statement.then_some(text.len() - rest.len())
    };
    let text = match text.match_indices(HALT).find_map(|(at, _)| end_of(at)) {
        Some(end) => &text[..end],
        None => text,
    };
    // A function may have the name that is a modifier elsewhere.
    const MODIFIER: &str = "readonly";
    let is_name = |at: &usize| {
        text[..*at].trim_end().ends_with("function")
            && text[at + MODIFIER.len()..].trim_start().starts_with('(')
    };
    let names = text.match_indices(MODIFIER).map(|(at, _)| at).filter(is_name);
    let edits: Vec<_> = names.map(|at| (at, "readonl_")).collect();
    replaced(text, &edits)
}

/// The defaults of type parameters are left out: `def f[T = int]()`.
fn python(text: &str) -> Cow<'_, str> {
    let mut blank = Vec::new();
    for keyword in ["def ", "class ", "type "] {
        for (at, _) in text.match_indices(keyword) {
            let before = text[..at].rsplit(['\n', ';']).next().unwrap_or("").trim();
            if !matches!(before, "" | "async") {
                continue;
            }
            let name = text[at + keyword.len()..].trim_start();
            let behind = name.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
            if behind.len() < name.len() && behind.starts_with('[') {
                defaults(text, text.len() - behind.len(), &mut blank);
            }
        }
    }
    let mut bytes = text.as_bytes().to_vec();
    for at in blank {
        bytes[at] = b' ';
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// The places of the bytes of all defaults in the type parameters whose `[` stands at `open`.
fn defaults(text: &str, open: usize, blank: &mut Vec<usize>) {
    let (mut depth, mut in_default) = (0_u32, false);
    let before = blank.len();
    for (at, byte) in text.as_bytes().iter().enumerate().skip(open) {
        match byte {
            b'[' | b'(' | b'{' => depth += 1,
            b']' | b')' | b'}' => depth -= 1,
            b',' if depth == 1 => in_default = false,
            b'=' if depth == 1 => in_default = true,
            // Not what a list of type parameters looks like, or more than it is worth.
            b'#' | b';' => return blank.truncate(before),
            _ => {}
        }
        if depth == 0 {
            return;
        }
        if in_default && !byte.is_ascii_whitespace() {
            blank.push(at);
        }
    }
    blank.truncate(before);
}

fn replaced<'t>(text: &'t str, edits: &[(usize, &str)]) -> Cow<'t, str> {
    if edits.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut all = text.to_owned();
    for (at, other) in edits {
        all.replace_range(*at..at + other.len(), other);
    }
    Cow::Owned(all)
}

#[cfg(test)]
mod tests {
    use ide_model::Language;

    fn errors(language: Language, text: &str) -> usize {
        super::super::check(ide_model::Cx::new(&ide_model::Stop::new()), language, text)
            .expect("the language has a grammar")
            .errors
            .len()
    }

    #[test]
    fn newer_forms_are_read() {
        for (language, text) in [
            (Language::Java, "import module java.base;\nclass A { A() { int x = 1; super(x); } }\n"),
            (
                Language::Java,
                "class A { A(int x) { if (x > 1) { f(); } this(); } Runnable r = A.super::hashCode; }\n",
            ),
            (
                Language::Java,
                "class A { void f(Object o) { switch (o) {\ncase I.Sq(double s, String n) -> g();\n\
                 case a . b.Sq(final var x, B.C<D>(@X E y), G.H(_)), I.K(_) when o.f(1) -> g();\n\
                 case P.Q<R.S[]>(T.U(var x), var y) -> g();\ncase final String s -> g();\ncase B.C -> x.f(y.z(1));\n} } }\n",
            ),
            (
                Language::Java,
                "class A { boolean f(Object o) { return o instanceof I.Sq(var a, J.K(_)) && a.g(b.c(1)) || o\n\
                 instanceof A.B b && b.c(); }\n// in the case of a.b(c\nint case_ = a.b(\"case e.f(\", g.h()); }\n",
            ),
            (
                Language::Java,
                "class A { int f(Object o) { // in that case we raise an exception.\nif (g() && (o == null || h())) return 1;\n\
                 /* in this case\n we raise an exception.\nif (g()) */ return 1; }\n\
                 int g(Object o) { return switch (o) { case U(Short s) -> s; case null, default -> throw new E(); }; } }\n",
            ),
            (
                Language::Java,
                "class A { void f(A this, @X B @Y ... all) { var caseOf = b(); c.d(caseOf.e(), \"f\", G.h(caseOf.e())); }\n\
                 void g(@X A this) { } }\n",
            ),
            (
                Language::Java,
                "class A { void f(B when) { for (B b = when; when != null; b = when.c) g(when, b); }\n\
                 int g(Object o) { return switch (o) { case U u when u.a() -> 1; default -> 2; }; } }\n",
            ),
            (
                Language::Go,
                "package a\nvar p, q = new(uint64(3)), new(f(1) + 2)\nvar r = new(T{a: 1}).a + *new(int)\n",
            ),
            (Language::Php, "<?php\nf();\n__halt_compiler(); any {{ thing\n"),
            (
                Language::Php,
                "<?php\nclass A {\n// keep it for __halt_compiler() handling\nfunction f() {}\n}\n",
            ),
            (
                Language::Php,
                "<?php\nfunction f() {\n/*\n * __halt_compiler();\n */ g('__halt_compiler();');\n}\n",
            ),
            (
                Language::Python,
                "def f[T: int = str, *A = *tuple[int, ...], **P = [int]](x: T): pass\nclass A[T = é]: pass\n",
            ),
            (Language::Python, "print('def f[', x['='], \"type a[b=\")\nasync def f[T = int](): pass\n"),
            (Language::Python, "type A[T = list[int], U = \"A\"] = T\n"),
        ] {
            assert_eq!(errors(language, text), 0, "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_them_is_not() {
        for (language, text) in [
            (Language::Java, "import module;;x class A {}\nimport module . ;\n"),
            (Language::Java, "class A { A() { f(); super(; } }\n"),
            (Language::Php, "<?php\nf(;\n__halt_compiler(); any\n"),
            (Language::Python, "def f[T = int(x): pass\n"),
        ] {
            assert_ne!(errors(language, text), 0, "{text}");
        }
    }
}
