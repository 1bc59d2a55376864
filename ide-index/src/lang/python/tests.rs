//! The facts of Python code, broken code included.

use ide_model::SymbolKind;
use proptest::prelude::*;

use crate::facts::{Def, DefFlags, Expr, FileFacts, ImportKind, Quality, RefFlags, ScopeKind};
use crate::front::FrontEnd;

use super::PythonFrontEnd;

fn facts(text: &str) -> FileFacts {
    let facts = PythonFrontEnd.facts("m.py", text);
    check(text, &facts);
    facts
}

/// The rules that hold for the facts of any text.
fn check(text: &str, facts: &FileFacts) {
    let inside = |start: u32, end: u32| text.get(start as usize..end as usize);
    for def in &facts.defs {
        let name = inside(def.name_range.start, def.name_range.end);
        assert_eq!(name, Some(facts.name(def.name)), "a declaration's name is the text at its place");
        assert!(inside(def.range.start, def.range.end).is_some());
    }
    for (i, reference) in facts.refs.iter().enumerate() {
        assert_eq!(inside(reference.range.start, reference.range.end), Some(facts.name(reference.name)));
        if let Some(Expr::Ref(receiver)) = reference.receiver.map(|e| facts.expr(e)) {
            assert!(receiver.index() < i, "receivers come first");
        }
    }
    for scope in &facts.scopes {
        assert!(inside(scope.range.start, scope.range.end).is_some());
    }
    for guard in &facts.guards {
        assert!(inside(guard.range.start, guard.range.end).is_some());
    }
    if let Some(sketch) = PythonFrontEnd.sketch("m.py", text) {
        assert_eq!(sketch.agrees_with(&"m.py".into(), facts), Ok(()), "{text}");
    }
}

fn clean(text: &str) -> FileFacts {
    let facts = facts(text);
    assert_eq!(facts.errors, [], "{text}");
    facts
}

/// Declarations as `kind name`.
fn defs(facts: &FileFacts) -> Vec<String> {
    let mut defs: Vec<_> = facts.defs.iter().collect();
    defs.sort_by_key(|d| d.name_range.start);
    let show = |d: &Def| format!("{} {}", d.kind.as_str().to_lowercase(), facts.name(d.name));
    defs.into_iter().map(show).collect()
}

/// References as `role name`, in order of their place.
fn refs(facts: &FileFacts) -> Vec<String> {
    let mut refs: Vec<_> = facts.refs.iter().collect();
    refs.sort_by_key(|r| r.range.start);
    refs.iter().map(|r| format!("{:?} {}", r.role, facts.name(r.name))).collect()
}

#[test]
fn declarations_of_every_form() {
    let f = clean(
        "import os, a.b as ab\nfrom ..p import (q as r,\n    s)\nfrom x import *\n\
         X: int = 1\nY, *Z = f()\n\
         @dec(1)\nasync def fn(a, /, b: int = 2, *args, c, **kw) -> str: return a\n\
         class C[T: int](Base, metaclass=M):\n    attr = 1\n    def m(self): self.x = 1; self.x = 2\n\
         type Alias[K] = dict[K, int]\n",
    );
    assert_eq!(
        defs(&f),
        [
            "import os",
            "import ab",
            "import r",
            "import s",
            "variable X",
            "variable Y",
            "variable Z",
            "function fn",
            "parameter a",
            "parameter b",
            "parameter args",
            "parameter c",
            "parameter kw",
            "class C",
            "type_parameter T",
            "field attr",
            "method m",
            "parameter self",
            "field x",
            "type_alias Alias",
            "type_parameter K",
        ]
    );
    let flags = |name: &str| f.defs.iter().find(|d| f.name(d.name) == name).unwrap().flags;
    assert!(flags("a").has(DefFlags::POSITIONAL_ONLY) && !flags("b").has(DefFlags::POSITIONAL_ONLY));
    assert!(flags("args").has(DefFlags::VARARG) && flags("kw").has(DefFlags::KEYWORD_VARARG));
    assert!(flags("c").has(DefFlags::KEYWORD_ONLY) && flags("fn").has(DefFlags::ASYNC));
    assert!(flags("x").has(DefFlags::ATTRIBUTE) && !flags("attr").has(DefFlags::ATTRIBUTE));
    assert_eq!(
        f.imports.iter().map(|i| (f.name(i.module), i.level, i.kind)).collect::<Vec<_>>(),
        [
            ("os", 0, ImportKind::Module),
            ("a.b", 0, ImportKind::Module),
            ("p", 2, ImportKind::Member),
            ("p", 2, ImportKind::Member),
            ("x", 0, ImportKind::Star),
        ]
    );
}

#[test]
fn an_annotation_may_be_any_expression() {
    let f = clean(
        "def f(a: A if B else C, b: (not D), c: E or F = 1, *, d: G[int][str][H]) -> lambda: I: pass\n",
    );
    for name in ["A", "B", "C", "D", "E", "F", "G", "H", "I"] {
        assert!(f.refs.iter().any(|r| f.name(r.name) == name), "{name}");
    }
}

#[test]
fn the_first_binding_declares_and_later_ones_write() {
    let f =
        clean("def f(p):\n    x = 1\n    x = 2\n    p = x\n    for x in p: pass\n    global g\n    g = 1\n");
    assert_eq!(defs(&f), ["function f", "parameter p", "variable x", "variable g"]);
    assert_eq!(refs(&f), ["Write x", "Write p", "Read x", "Write x", "Read p", "Read g"]);
    let g = f.defs.iter().find(|d| f.name(d.name) == "g").unwrap();
    assert_eq!(f.scope(g.scope).kind, ScopeKind::File);
    assert!(g.flags.has(DefFlags::HOISTED) && !g.flags.has(DefFlags::LOCAL));
}

#[test]
fn strings_hold_code_where_python_says_so() {
    let f = clean(
        "from typing import Optional, cast, Literal\n\
         def f(a: \"A.B[C]\") -> 'D': return f'{g(x)!r:>{width}} {{no}} {y=}'\n\
         v = cast('E', w)\nW = Optional['F']\nL: Literal['no']\n__all__ = ['f']\n# type: int\nz = []  # type: List[G]\n",
    );
    let in_string: Vec<&str> =
        f.refs.iter().filter(|r| r.flags.has(RefFlags::IN_STRING)).map(|r| f.name(r.name)).collect();
    assert_eq!(in_string, ["A", "B", "C", "D", "E", "F", "f", "List", "G"]);
    for name in ["g", "x", "width", "y"] {
        assert!(f.refs.iter().any(|r| f.name(r.name) == name), "{name} stands in an f-string");
    }
    assert!(!f.refs.iter().any(|r| f.name(r.name) == "no"));
}

#[test]
fn nested_quotes_in_fields_and_fields_in_specifications() {
    let f = clean("f\"{d[\"a\"]} {f'{b}'} {c:{w}.{p}}\"\nrf'\\{e}'\nf'''{\n  g  # {\n}'''\nh\n");
    let names: Vec<&str> = f.refs.iter().map(|r| f.name(r.name)).collect();
    assert_eq!(names, ["d", "b", "c", "w", "p", "e", "g", "h"]);
}

#[test]
fn comprehensions_have_scopes_and_their_first_source_is_outside() {
    let f = clean("def f(xs):\n    return [x.y for x in xs if isinstance(x, C) for z in x.zs]\n");
    let scope_of = |name: &str| {
        let r = f.refs.iter().find(|r| f.name(r.name) == name).unwrap();
        f.scope(r.scope).kind
    };
    assert_eq!(scope_of("xs"), ScopeKind::Function);
    assert_eq!(scope_of("zs"), ScopeKind::Comprehension);
    assert_eq!(f.guards.len(), 1);
}

#[test]
fn tests_hold_where_control_says_so() {
    let f = clean(
        "def f(a, b, c):\n    if isinstance(a, A) and a.x: a.y\n    else: a.z\n\
         \x20   if not isinstance(b, B):\n        return\n    b.x\n    assert isinstance(c, C)\n    c.x\n",
    );
    let known: Vec<(String, bool)> = f
        .refs
        .iter()
        .filter(|r| matches!(f.name(r.name), "x" | "y" | "z"))
        .map(|r| {
            let guards = f.guards.iter().filter(|g| g.range.contains(r.range.start));
            let Some(Expr::Ref(base)) = r.receiver.map(|e| f.expr(e)) else { panic!("{r:?}") };
            let says: Vec<_> =
                guards.filter(|g| f.ref_name(g.subject) == f.ref_name(base) && !g.negated).collect();
            (f.name(r.name).to_owned(), !says.is_empty())
        })
        .collect();
    assert_eq!(
        known,
        [
            ("x".to_owned(), true),
            ("y".to_owned(), true),
            ("z".to_owned(), false),
            ("x".to_owned(), true),
            ("x".to_owned(), true),
        ]
    );
}

#[test]
fn patterns_bind_and_name_classes_and_attributes() {
    let f = clean(
        "match command.split():\n    case [Point(x=0, y=Yy), *rest] if rest: pass\n    case {'k': v, **others} | A.B: pass\n\
         \x20   case str() as s: s\n    case _: pass\nmatch = 1\nmatch.x\nmatch(y)\n",
    );
    assert_eq!(
        defs(&f),
        ["variable Yy", "variable rest", "variable v", "variable others", "variable s", "variable match"]
    );
    assert!(refs(&f).contains(&"Type Point".to_owned()) && refs(&f).contains(&"Key x".to_owned()));
}

#[test]
fn python_2_is_read() {
    let f = facts("print 'a', b\nexec code\ntry: pass\nexcept E, e: raise X, 'm'\nx = `y` <> 0777L\n");
    for name in ["b", "code", "E", "X", "y"] {
        assert!(f.refs.iter().any(|r| f.name(r.name) == name), "{name}");
    }
    assert!(defs(&f).contains(&"variable e".to_owned()));
}

#[test]
fn properties_and_other_decorators_leave_their_marks() {
    let f = clean(
        "class A:\n    @property\n    def p(self): return 1\n    @p.setter\n    def p(self, v): self._p = v\n\
         \x20   @classmethod\n    def c(cls): cls.made = 1\n    @staticmethod\n    def s(x): x.no = 1\n\
         \x20   @typing.overload\n    def o(self): ...\n",
    );
    let flags: Vec<(String, DefFlags)> = f
        .defs
        .iter()
        .filter(|d| matches!(d.kind, SymbolKind::Property | SymbolKind::Method))
        .map(|d| (f.name(d.name).to_owned(), d.flags))
        .collect();
    assert_eq!(
        flags,
        [
            ("p".to_owned(), DefFlags::PROPERTY | DefFlags::GETTER),
            ("p".to_owned(), DefFlags::PROPERTY | DefFlags::SETTER | DefFlags::VOID),
            ("c".to_owned(), DefFlags::CLASS_METHOD | DefFlags::STATIC | DefFlags::VOID),
            ("s".to_owned(), DefFlags::STATIC | DefFlags::VOID),
            ("o".to_owned(), DefFlags::SIGNATURE | DefFlags::VOID),
        ]
    );
    let fields: Vec<&str> =
        f.defs.iter().filter(|d| d.kind == SymbolKind::Field).map(|d| f.name(d.name)).collect();
    assert_eq!(fields, ["_p", "made"]);
}

#[test]
fn damage_stays_where_it_is() {
    for broken in [
        "x = foo(a, b\ndef after(): pass\n",
        "x = [1, 2\nclass after: pass\n",
        "x = a)\ndef after(): pass\n",
        "x = 'abc\ndef after(): pass\n",
        "x = f'{a\ndef after(): pass\n",
        "x = f'{a' + b\ndef after(): pass\n",
        "def (x): pass\ndef after(): pass\n",
        "if x\n    y\ndef after(): pass\n",
        "class A(\n    def m(self): pass\ndef after(): pass\n",
        "a.\ndef after(): pass\n",
        "import\nfrom\nfrom x import\ndef after(): pass\n",
        "def f(a, b:\n    pass\ndef after(): pass\n",
    ] {
        let f = facts(broken);
        assert_eq!(f.quality, Quality::Damaged, "{broken}");
        let after = f.defs.iter().find(|d| f.name(d.name) == "after");
        let scope = after.map(|d| f.scope(d.scope).kind);
        assert_eq!(scope, Some(ScopeKind::File), "{broken}");
    }
}

#[test]
fn depth_is_no_danger_and_deep_names_are_kept() {
    let n = 20_000;
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("f(", ")"),
        ("a[", "]"),
        ("lambda: ", ""),
        ("not ", ""),
        ("-", ""),
        ("f'{", "}'"),
        ("a if b else ", ""),
        ("await ", ""),
        ("x.", "y"),
    ] {
        let text = format!("v = {}deep{}\n", open.repeat(n), close.repeat(n));
        let f = facts(&text);
        assert!(f.names.iter().any(|name| name == "deep" || name.starts_with("deepy")), "{open}");
    }
    for head in ["if x:", "class A:", "def f():", "with a:", "try:"] {
        let mut text = String::new();
        for i in 0..300 {
            text.push_str(&" ".repeat(i));
            text.push_str(head);
            text.push('\n');
        }
        text.push_str(&" ".repeat(300));
        text.push_str("deep\nend\n");
        let f = facts(&text);
        assert!(f.refs.iter().any(|r| f.name(r.name) == "deep"), "{head}");
    }
    facts(&format!("{} = 1\n", "(".repeat(n)));
    facts(&format!("match x:\n case {}\n", "[".repeat(n)));
    facts(&format!("x: {}int\n", "List[".repeat(n)));
    facts(&format!("del {}a\n", "(".repeat(n)));
}

const SAMPLE: &str = "\
import a.b\nfrom .c import d as e\n\n@dec(x=1)\nclass C(Base[int], metaclass=M):\n    \"\"\"Doc.\"\"\"\n    y: 'T' = {1: [2, (3,)]}\n\n\
\x20   async def m(self, p: int = 0, *a, **k) -> None:\n        with open(f'{p!r:>{w}}') as fh, b():\n            self.z = [i for i in fh if i]\n\
\x20       if not isinstance(p, C): return\n        try:\n            x = await p.q(lambda v: v + 1)\n        except (E, F) as err:\n            raise G from err\n\
\x20       else:\n            yield x\n\n\ndef after(n):\n    global g\n    g = n if n else after(n)[1:2].k\n    return g\n";

#[test]
fn deleting_a_character_loses_little() {
    let whole = facts(SAMPLE);
    let total = (whole.defs.len() + whole.refs.len()) as f64;
    let (mut lost, mut runs) = (0.0, 0.0);
    for (i, c) in SAMPLE.char_indices().filter(|(_, c)| c.is_ascii_punctuation() && *c != '_') {
        let mut text = SAMPLE.to_owned();
        text.replace_range(i..i + c.len_utf8(), "");
        let f = facts(&text);
        lost += (total - (f.defs.len() + f.refs.len()) as f64).max(0.0) / total;
        runs += 1.0;
    }
    assert!(lost / runs < 0.06, "{:.3} of the facts lost on average", lost / runs);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        facts(&text);
    }

    #[test]
    fn any_mix_of_python_is_read(parts in prop::collection::vec(prop::sample::select(vec![
        "def ", "class ", "f", "x", "(", ")", "[", "]", "{", "}", ":", "\n", "\n    ", "\n        ", "=", ",", ".", "'",
        "\"", "'''", "f'", "f\"\"\"", "lambda ", "if ", "else ", "for ", " in ", "import ", "from ", "as ", "@", "*",
        "**", "->", "match ", "case ", "#", "# type: ", "\\\n", "\t", "yield ", "await ", "async ", "return ", "try:",
        "except ", "with ", "del ", "global ", "type ", "é", "1", "!r", "{{", ":=", "|", "isinstance(", "__all__", "not ",
        "self", "self.a", "class C:\n    def m(self, x):\n        ", "\n        self.b", "namedtuple(", "cast(", "from typing import cast\n",
    ]), 0..60)) {
        facts(&parts.concat());
    }

    #[test]
    fn cuts_of_python_are_read(from in 0usize..900, len in 0usize..900) {
        let from = from.min(SAMPLE.len());
        let to = (from + len).min(SAMPLE.len());
        if let Some(text) = SAMPLE.get(from..to) {
            facts(text);
        }
    }
}

#[test]
fn branches_that_never_run_are_left_out() {
    let is_left_out = |condition: &str| {
        let f = facts(&format!("if {condition}:\n    def a(): pass\nelse:\n    def b(): pass\n"));
        let flags = |name: &str| f.defs.iter().find(|d| f.name(d.name) == name).unwrap().flags;
        [flags("a").has(DefFlags::NOT_BUILT), flags("b").has(DefFlags::NOT_BUILT)]
    };
    for known in [
        "TYPE_CHECKING",
        "t.TYPE_CHECKING or x(a, (b))",
        "sys.version_info >= (3, 8)",
        "sys.version_info[0] == 3",
        "not (sys.platform == 'win32' or False)",
        "os.name != 'nt'",
        "not sys.platform.startswith('darwin') and 1",
    ] {
        assert_eq!(is_left_out(known), [false, true], "{known}");
        assert_eq!(is_left_out(&format!("not ({known})")), [true, false], "{known}");
    }
    for open in [
        "sys.version_info >= (3, 13)",
        "x",
        "x and True",
        "TYPE_CHECKING and x",
        "sys.platform == x",
        "(",
        "",
    ] {
        assert_eq!(is_left_out(open), [false, false], "{open}");
    }
}

#[test]
fn sketches_read_what_says_something_of_the_outside() {
    let text = include_str!("fixtures/sketches.txt").trim_start_matches("//- m.py\n");
    facts(text);
    for line in text.split_inclusive('\n') {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        facts(&format!("{}{}", &text[..start], &text[start + line.len()..]));
    }
    let sketch = |text| PythonFrontEnd.sketch("m.py", text).unwrap();
    let read = |text| refs(sketch(text).facts());
    let method =
        "class C:\n    def m(self):\n        a(b, self.c)\n        self.d = e(f)\n        return g\n";
    assert_eq!(read(method), ["Read self", "Call e"]);
    assert_eq!(read("def f():\n    if a:\n        b = [c]\n    return d.e\n"), [""; 0]);
    assert_eq!(read("x = [a, b(c)]\ny = d(e, *f)[g]\n"), ["Call d", "Read g"]);
    assert!(PythonFrontEnd.sketch("m.py", "def f():\n    a(\n").is_none());
}

#[test]
fn errors_that_only_the_order_of_words_makes() {
    for text in [
        "def f():\nreturn 1\n",
        "class A:\n",
        "class A:\n    def f(self):\n    def g(self): ...\n",
        "f(b=1, 2)\n",
        "f(**a, b)\n",
        "f(**a, *b)\n",
        "def f(a, a): ...\n",
        "def f(a=1, b): ...\n",
        "def f(a, *, b, b): ...\n",
        "x = lambda a=1, b: a\n",
    ] {
        assert_eq!(facts(text).errors.len(), 1, "{text}: {:?}", facts(text).errors);
    }
    for text in [
        "f(a, *b, c, d=1, *e, **f, g=2)\n",
        "f(b=1, *c)\n",
        "def f(a, b=1, /, c=2, *args, d, e=3, **rest): ...\n",
        "def f(a=1, *, b): ...\n",
        "class A(B, metaclass=C): ...\n",
        "x = lambda a, b=1: a\n",
        "def f():\n\n    # nothing\n    pass\n",
    ] {
        clean(text);
    }
}
