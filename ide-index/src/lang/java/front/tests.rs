//! The facts of code in every form, and of damaged code.

use ide_model::SymbolKind;

use super::Java;
use crate::facts::{DefFlags, Expr, FileFacts, Literal, RefFlags, Role};
use crate::{FrontEnd, Quality};

fn facts(text: &str) -> FileFacts {
    let facts = Java.facts("T.java", text);
    let len = text.len() as u32;
    let inside = |start: u32, end: u32| {
        assert!(start <= end && end <= len, "{start}..{end} lies outside of\n{text}");
        assert!(text.is_char_boundary(start as usize) && text.is_char_boundary(end as usize));
    };
    for def in &facts.defs {
        inside(def.name_range.start, def.name_range.end);
        inside(def.range.start, def.range.end);
    }
    for reference in &facts.refs {
        inside(reference.range.start, reference.range.end);
        if reference.flags.has(RefFlags::IMPLICIT) {
            continue;
        }
        assert_eq!(
            &text[reference.range.start as usize..reference.range.end as usize],
            facts.name(reference.name)
        );
    }
    for scope in &facts.scopes {
        inside(scope.range.start, scope.range.end);
    }
    facts
}

fn declared(facts: &FileFacts) -> Vec<(SymbolKind, &str)> {
    let mut defs: Vec<_> = facts.defs.iter().collect();
    defs.sort_by_key(|d| d.name_range.start);
    defs.into_iter().map(|d| (d.kind, facts.name(d.name))).collect()
}

/// `name/role`, with `.` before names that have a receiver.
fn used(facts: &FileFacts) -> Vec<String> {
    let show = |r: &crate::Ref| {
        let dot = if r.receiver.is_some() { "." } else { "" };
        format!("{dot}{}/{:?}", facts.name(r.name), r.role)
    };
    facts.refs.iter().filter(|r| !r.flags.has(RefFlags::IMPLICIT)).map(show).collect()
}

fn body(statements: &str) -> FileFacts {
    let facts = facts(&format!("class T {{ void m() {{ {statements} }} }}"));
    assert_eq!(facts.quality, Quality::Full, "{:?} in {statements}", facts.errors);
    facts
}

#[test]
fn declarations_of_every_form() {
    use SymbolKind::*;
    let text = "package p; import a.B; import static a.B.c; import q.*;
        abstract class A<T extends B> { int x, y[]; static { int z; } A(T... t) {} <U> void m(U u) throws E; }
        interface I { int K = 1; default void d() {} } @interface N { int v() default 1; }
        enum E { ONE, TWO { void f() {} }; } record R(int c) { R { } } sealed interface S permits R {}";
    let got = facts(text);
    assert_eq!(got.quality, Quality::Full, "{:?}", got.errors);
    assert_eq!(
        declared(&got),
        [
            (Import, "B"),
            (Import, "c"),
            (AbstractClass, "A"),
            (TypeParameter, "T"),
            (Field, "x"),
            (Field, "y"),
            (Variable, "z"),
            (Constructor, "A"),
            (Parameter, "t"),
            (TypeParameter, "U"),
            (Method, "m"),
            (Parameter, "u"),
            (Interface, "I"),
            (Field, "K"),
            (Method, "d"),
            (Annotation, "N"),
            (Method, "v"),
            (Enum, "E"),
            (EnumCase, "ONE"),
            (EnumCase, "TWO"),
            (Class, ""),
            (Method, "f"),
            (Record, "R"),
            (Field, "c"),
            (Constructor, "R"),
            (Interface, "S"),
        ]
    );
    let k = got.defs.iter().find(|d| got.name(d.name) == "K").unwrap();
    assert!(k.flags.has(DefFlags::STATIC | DefFlags::FINAL), "fields of interfaces are constants");
    assert_eq!(got.package.map(|p| got.name(p)), Some("p"));
}

#[test]
fn names_have_roles_and_receivers() {
    assert_eq!(
        used(&body("a.b.c(d); x.y = z; i++;")),
        ["a/Read", ".b/Read", ".c/Call", "d/Read", "x/Read", ".y/Write", "z/Read", "i/ReadWrite"]
    );
    assert_eq!(
        used(&body("new p.Q<R>(s) {}; f = Q::new; g = h::k; Object o = a.B.class;")),
        [
            "p/Type",
            ".Q/New",
            "R/Type",
            "s/Read",
            "f/Write",
            "Q/New",
            "g/Write",
            "h/Read",
            ".k/Call",
            "Object/Type",
            "a/Type",
            ".B/Type"
        ]
        .map(String::from)
        .to_vec()
    );
}

#[test]
fn casts_lambdas_generics_and_comparisons_are_told_apart() {
    assert_eq!(used(&body("f((A) b);")), ["f/Call", "A/Type", "b/Read"]);
    assert_eq!(used(&body("f((a) + b, (int) -c);")), ["f/Call", "a/Read", "b/Read", "c/Read"]);
    assert_eq!(used(&body("f(a < b, c > d);")), ["f/Call", "a/Read", "b/Read", "c/Read", "d/Read"]);
    assert_eq!(used(&body("A<B, C<D>> e = null;")), ["A/Type", "B/Type", "C/Type", "D/Type"]);
    assert_eq!(used(&body("f(A<B>::g);")), ["f/Call", "A/Type", "B/Type", ".g/Call"]);
    assert_eq!(
        declared(&body("f((a, b) -> a, c -> { });"))[2..],
        [
            (SymbolKind::Function, ""),
            (SymbolKind::Parameter, "a"),
            (SymbolKind::Parameter, "b"),
            (SymbolKind::Function, ""),
            (SymbolKind::Parameter, "c"),
        ]
    );
}

#[test]
fn keywords_of_some_places_are_names_in_others() {
    let got =
        body("var var = 1; int record = var; yield(); sealed.when(); permits: break permits; module = to;");
    let names: Vec<&str> = declared(&got)[2..].iter().map(|(_, name)| *name).collect();
    assert_eq!(names, ["var", "record", "permits"]);
}

#[test]
fn old_and_new_switches_give_their_values() {
    let got =
        body("int a = switch (s) { case X, Y -> 1; case Z z when z.ok() -> { yield 2; } default -> 3; };");
    let values = got.exprs.iter().find_map(|e| match e {
        Expr::Choice(values) => Some(got.list(*values).map(|v| got.expr(v)).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(values, Some(vec![Expr::Literal(Literal::Int); 3]));
    assert_eq!(got.expectations.len(), 2, "labels without a dot expect the selector's type");
}

#[test]
fn documentation_is_read_as_seen_from_what_it_documents() {
    let got =
        facts("/** {@link #m(int, B)} @see x.Y#z */ class A { /** @param p it */ void m(int p, B b) {} }");
    let in_doc: Vec<&str> =
        got.refs.iter().filter(|r| r.flags.has(RefFlags::IN_DOC)).map(|r| got.name(r.name)).collect();
    assert_eq!(in_doc, ["m", "B", "x", "Y", "z", "p"]);
    let p = got.refs.iter().find(|r| got.name(r.name) == "p").unwrap();
    assert_eq!((p.role, got.enclosing_def(p.scope).map(|d| got.def_name(d))), (Role::Read, Some("m")));
}

#[test]
fn documentation_in_markdown_links_by_brackets() {
    let text = "/// Like [Part#go] but for [Doc].
        ///
        /// See [the other][#other(int)] and [a page](https://example.org/Doc), not `[Code]`
        /// ```
        /// [Fenced]
        /// ```
        /// nor \\[Escaped].
        /// @see Part
        class Doc {
            //// [Doc] is no documentation.
            int n;
            /// Takes {@link Doc} and [A#b(char\\[\\])].
            void other(int n) { }
        }";
    let got = facts(text);
    let in_doc = got.refs.iter().filter(|r| r.flags.has(RefFlags::IN_DOC));
    let in_doc: Vec<&str> = in_doc.map(|r| got.name(r.name)).collect();
    assert_eq!(in_doc, ["Part", "go", "Doc", "other", "Part", "Doc", "A", "b"]);
    assert_eq!(got.quality, Quality::Full);
}

const DAMAGED: &str = "class A {
    int first;
    void a(int p) {
        if (p > 1) {
            call(p, first);
        }
    }
    void b(String s) {
        other(s);
    }
}
";

#[test]
fn a_missing_bracket_costs_little() {
    let whole = facts(DAMAGED);
    let brackets = DAMAGED.char_indices().filter(|(_, c)| "(){};,".contains(*c));
    for (at, c) in brackets {
        let mut text = DAMAGED.to_owned();
        text.remove(at);
        let got = facts(&text);
        let missing_defs = declared(&whole).iter().filter(|d| !declared(&got).contains(d)).count();
        let missing_refs = used(&whole).iter().filter(|r| !used(&got).contains(r)).count();
        let line = DAMAGED[..at].lines().count();
        assert!(missing_defs <= 3 && missing_refs <= 2, "without `{c}` of line {line}: {:?}", declared(&got));
    }
}

#[test]
fn depth_is_no_danger() {
    for open in
        ["(", "[", "{", "f(", "new A() {", "x -> (", "class A {", "if (a) ", "a ? ", "!", "A<", "(A) ", "@A("]
    {
        let deep = open.repeat(if open.len() == 1 { 100_000 } else { 5_000 });
        facts(&format!("class T {{ void m() {{ {deep}"));
        facts(&format!("class T {{ int f = {deep}"));
        facts(&deep);
    }
}

#[test]
fn any_mix_of_tokens_is_read() {
    const PIECES: [&str; 46] = [
        "class ",
        "A ",
        "x ",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        ";",
        ",",
        ".",
        "->",
        "::",
        "=",
        "@",
        "?",
        ":",
        "case ",
        "switch ",
        "new ",
        "if ",
        "else ",
        "for ",
        "try ",
        "catch ",
        "return ",
        "record ",
        "enum ",
        "int ",
        "\"s\"",
        "'c'",
        "1",
        "/** {@link A#b(",
        "*/",
        "instanceof ",
        "import ",
        "static ",
        "yield ",
        "\n",
        "é",
        "...",
        "super",
        "default ",
    ];
    let mut seed: u64 = 1;
    for _ in 0..400 {
        let mut text = String::new();
        for _ in 0..80 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(PIECES[(seed >> 33) as usize % PIECES.len()]);
        }
        facts(&text);
    }
}

/// The steps that a condition of `n` patterns and its facts take grow with `n`, not with its square.
#[test]
fn what_patterns_bind_is_noted_once_for_a_row_of_operands() {
    let guards = |n: usize| {
        let tests: String = (0..n).map(|i| format!(" && a instanceof A b{i} && b{i}.c()")).collect();
        let facts = facts(&format!("class T {{ boolean f(Object a) {{ return d{tests} || e; }} }}"));
        facts.guards.iter().map(|guard| (guard.range.start, guard.range.end)).collect::<Vec<_>>()
    };
    assert_eq!(guards(500).len(), 500);
    let text = "class T { boolean f(Object a) { return d && a instanceof A b0 && b0.c() || e; } }";
    let known = guards(1)[0];
    assert_eq!(&text[known.0 as usize..known.1 as usize], " b0.c()", "up to the last operand of the row");
}
