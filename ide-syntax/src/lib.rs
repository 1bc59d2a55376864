//! Strict syntax checks: the syntax errors that a compiler reports. The front ends of the index read on behind every
//! mistake, and grammars for editors forgive what compilers do not; the parsers here are as strict as the compilers.
//!
//! Parsers of others call themselves for what stands inside of something. Text that is nested too deep for them is not
//! given to them: how deep is counted first, on the tokens.

mod depth;
mod ecma;
mod rust;
mod trees;

use depth::Quotes;
use ide_model::{Cx, Language, TextRange};

/// A place that a compiler refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    pub range: TextRange,
    pub message: String,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// In the order of their places.
    pub errors: Vec<SyntaxError>,
    /// Whether this is all that the compiler of the language refuses, so that nobody else has to be asked.
    pub is_final: bool,
}

/// Largest text that is checked, in bytes.
const MAX_BYTES: usize = 4 << 20;

/// Most errors that are given back.
const MAX_ERRORS: usize = 200;

/// The syntax errors of a text; `None` for languages without a check, and for text that is too large or too deeply nested
/// for it, or that nobody waits for any more.
#[must_use]
pub fn check(cx: Cx<'_>, language: Language, path: &str, text: &str) -> Option<Checked> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut checked = match language {
        Language::JavaScript | Language::TypeScript => {
            deep(Quotes::Ecma, text, || ecma::check(language, path, text))??
        }
        Language::Rust => deep(Quotes::Rust, text, || rust::check(text))?,
        other => trees::check(cx, other, text)?,
    };
    checked.errors.sort_by_key(|error| (error.range.start, error.range.end));
    checked.errors.dedup_by_key(|error| error.range.start);
    checked.errors.truncate(MAX_ERRORS);
    Some(checked)
}

/// Deepest nesting that parsers are called for.
const MAX_DEPTH: usize = 3_000;

/// So often what may be type arguments is read once more.
const MAX_AGAIN: usize = 2_000_000;

/// Bytes of stack that they have: more than that depth takes in a build that is not optimized.
const STACK: usize = 256 << 20;

/// Runs a parser that calls itself, on a stack of its own; `None` for text that could be too deep for that, or would be read
/// too often.
fn deep<T>(quotes: Quotes, text: &str, parse: impl FnOnce() -> T) -> Option<T> {
    let bounds = depth::bounds(quotes, text);
    (bounds.depth <= MAX_DEPTH && bounds.again <= MAX_AGAIN).then(|| stacker::grow(STACK, parse))
}

#[cfg(test)]
mod tests {
    use ide_model::{Stop, StopReason};

    use super::*;

    fn check(language: Language, path: &str, text: &str) -> Option<Checked> {
        super::check(Cx::new(&Stop::new()), language, path, text)
    }

    fn first(language: Language, path: &str, text: &str) -> Option<(u32, String)> {
        let checked = check(language, path, text).expect("the language is checked");
        checked.errors.into_iter().next().map(|error| (error.range.start, error.message))
    }

    /// Nothing goes through all that stands around a node: with that, this takes minutes.
    #[test]
    fn code_that_nests_deeply_is_checked_in_one_walk() {
        let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(30_000), close.repeat(30_000));
        for (language, path, text) in [
            (
                Language::Go,
                "a.go",
                format!("package a\n\nvar f = {}\n", nested("func() any { return ", " }")),
            ),
            (Language::Go, "a.go", format!("package a\n\nfunc f() {{ {} }}\n", nested("if a { ", " }"))),
            (Language::Go, "a.go", format!("package a\n\nvar a = {}\n", nested("f(", ")"))),
            (
                Language::Java,
                "A.java",
                format!("class A {{ Object a = {}; }}\n", nested("a -> { return ", "; }")),
            ),
            (Language::Php, "a.php", format!("<?php\n$a = {};\n", nested("function () { return ", "; }"))),
            (Language::Python, "a.py", format!("a = {}\n", nested("f(", ")"))),
        ] {
            assert_eq!(first(language, path, &text), None, "{path}");
        }
    }

    #[test]
    fn sound_code_has_no_errors() {
        for (language, path, text) in [
            (
                Language::TypeScript,
                "a.ts",
                "export type A<T> = { [K in keyof T]?: T[K] };\nexport const f = <T,>(x: T) => x satisfies T;\n",
            ),
            (
                Language::TypeScript,
                "b.ts",
                "interface A {}\nnamespace A {}\nclass B {}\ninterface B {}\nfunction g(a: string): void;\n\
                 function g(a: any) {}\nnamespace g { export const x = 1; }\nenum E { X }\nenum E { Y = 1 }\n\
                 type T = 1;\nconst T = 1;\nvar v = 1;\nvar v = 2;\nouter: for (;;) { continue outer; }\n",
            ),
            (Language::TypeScript, "a.tsx", "export const C = () => <div a={1}>{x}</div>;\n"),
            (Language::TypeScript, "a.d.ts", "declare module 'x' { export const a: number; }\n"),
            (Language::JavaScript, "a.js", "with (o) { f(); }\nreturn 1;\n"),
            (Language::JavaScript, "b.js", "import a from 'a';\nawait a();\nexport { a };\n"),
            (Language::JavaScript, "c.js", "module.exports = () => <p/>;\n"),
            (
                Language::Rust,
                "a.rs",
                "#![feature(x)]\nmacro_rules! m { ($($t:tt)*) => { $($t)* } }\nasync fn f<'a>(x: &'a str) -> impl Fn() + use<'a> { m!(? ? ?); || () }\n",
            ),
            (
                Language::Java,
                "A.java",
                "class A<T> {\n    A<T> a = new A<>();\n    Object b = new A<T>.@X B<>() {};\n    class B<U> {}\n}\n",
            ),
            (
                Language::Go,
                "a.go",
                "package a\n\nfunc f[T any](x ...T) (n int) { for range x { n++ }; return }\nfunc g() {\n\tfor\n\t{\n\t}\n\tif h(\n\t\t1,\n\t) {\n\t}\n\tif a &&\n\t\tb {\n\t}\n\tselect\n\t{\n\t}\n\th()\n\t{\n\t\th()\n\t}\n}\nfunc m(fn, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10 uintptr) (r1, r2, err uintptr) { return }\n",
            ),
            (
                Language::Php,
                "a.php",
                "<p><?= $x ?></p>\n<?php\nenum A: string { case B = 'b'; }\nfn() => match(true) { default => 1 };\n",
            ),
        ] {
            assert_eq!(first(language, path, text), None, "{path}");
        }
    }

    #[test]
    fn what_compilers_refuse_is_found_at_its_place() {
        for (language, path, text, at) in [
            (Language::TypeScript, "a.ts", "const a = ;\n", 10),
            (Language::TypeScript, "a.ts", "let a = 1 let b = 2;\n", 10),
            (Language::TypeScript, "a.ts", "export function f() { break; }\n", 22),
            (Language::TypeScript, "a.ts", "for (;;) { continue other; }\n", 20),
            (Language::TypeScript, "a.ts", "function f(a: number, b: string) { let a = 1; }\n", 11),
            (Language::JavaScript, "a.js", "const a;\n", 6),
            (Language::JavaScript, "a.js", "let a = 1;\nlet a = 2;\n", 4),
            (Language::JavaScript, "a.js", "f(1, 2;\n", 6),
            (Language::Rust, "a.rs", "fn f() { let a = ; }\n", 17),
            (Language::Rust, "a.rs", "fn f() { let a = 1 let b = 2; }\n", 19),
            (Language::Go, "a.go", "package a\nfunc f() { a := }\n", 21),
            (Language::Php, "a.php", "<?php\n$a = ;\n", 8),
            (Language::Go, "a.go", "package a\nfunc f()\n{\n}\n", 19),
            (Language::Go, "a.go", "package a\nfunc f(a int, b) {}\n", 16),
            (Language::Go, "a.go", "package a\nfunc f(a, *b, c int) {}\n", 16),
            (Language::Go, "a.go", "package a\nfunc f() {\n\tif x == 1\n\t{\n\t}\n}\n", 33),
            (Language::Go, "a.go", "package a\nfunc f() {\n\tfor _, x := range y\n\t{\n\t}\n}\n", 43),
            (Language::Go, "a.go", "package a\nfunc f() {\n\tswitch x\n\t{\n\tcase 1:\n\t}\n}\n", 22),
            (Language::Java, "A.java", "class A { B< > f() { return null; } }\n", 11),
            (Language::Java, "A.java", "class A { B b = new C(x = (B<>) y); }\n", 28),
            (Language::Java, "A.java", "class A { void f() { a + b; } }\n", 21),
            (Language::Java, "A.java", "class A { f() { } }\n", 10),
        ] {
            let found = first(language, path, text).unwrap_or_else(|| panic!("{path}: {text}"));
            assert!(found.0.abs_diff(at) <= 6, "{path}: {text}: {found:?}");
        }
    }

    #[test]
    fn a_check_that_nobody_waits_for_ends() {
        let stop = Stop::new();
        stop.stop(StopReason::Late);
        let text = format!("package a\n{}", "var a = f(1, 2)\n".repeat(10_000));
        assert_eq!(super::check(Cx::new(&stop), Language::Go, "a.go", &text), None);
    }

    #[test]
    fn text_that_is_nested_too_deep_is_not_given_to_parsers() {
        for (language, path, open) in [
            (Language::TypeScript, "a.ts", "["),
            (Language::JavaScript, "a.js", "!"),
            (Language::JavaScript, "a.js", "a = "),
            (Language::JavaScript, "a.js", "a => "),
            (Language::TypeScript, "a.ts", "a ? b : "),
            (Language::JavaScript, "a.js", "if (a) b; else "),
            (Language::JavaScript, "a.js", "a +\n"),
            (Language::JavaScript, "a.js", "`${"),
            (Language::JavaScript, "a.jsx", "<a>"),
            (Language::JavaScript, "a.js", "f(')',\n"),
            (Language::TypeScript, "a.ts", "a<b,\n"),
            (Language::Rust, "a.rs", "&"),
            (Language::Rust, "a.rs", "a::<"),
            (Language::Rust, "a.rs", "|a| "),
            (Language::Rust, "a.rs", "if a {} else "),
        ] {
            let text = format!("{}a", open.repeat(100_000));
            assert!(check(language, path, &text).is_none_or(|checked| !checked.errors.is_empty()), "{open}");
            let text = format!("{}a", open.repeat(700));
            drop(check(language, path, &text));
        }
    }
}
