//! Every operator inlined into every operand of every other one: the real interpreter must give the same values as before,
//! wherever it gave one.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "interpreters are started; one that is missing is said"
)]

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use test_fixture::scaled;

use crate::inside::inline;

/// The source that a language needs, and the program that runs it.
struct Side {
    file: &'static str,
    /// Values of `v`, `w` and `o`, one a line.
    values: &'static [&'static str],
    /// Expressions with `a` in the place of a value.
    operands: &'static [&'static str],
    /// Statements with one.
    statements: &'static [&'static str],
    /// The declaration with `{value}`, then the statements `{use}`, in a function that is called `f`.
    whole: &'static str,
    /// An expression that runs another one later, and a statement that gives back a list of them.
    later: (&'static str, &'static str),
    interpreter: &'static [&'static str],
    /// Put before the list of pairs of programs, and behind it.
    runner: (&'static str, &'static str),
}

const ECMA: Side = Side {
    file: "a.js",
    values: &[
        "-v",
        "+v",
        "!v",
        "~v",
        "typeof v",
        "void v",
        "v + w",
        "v - w",
        "v * w",
        "v ** w",
        "v % w",
        "v / w",
        "v << w",
        "v & w",
        "v | w",
        "v ^ w",
        "v < w",
        "v >= w",
        "v == w",
        "v !== w",
        "v in o",
        "o instanceof Object",
        "v && w",
        "v || w",
        "v ?? w",
        "v ? w : 5",
        "o?.x",
        "o?.x.y",
        "o?.m()",
        "o.m()",
        "o.x",
        "o[v]",
        "new o.K",
        "new o.K()",
        "x => x",
        "x => ({ x })",
        "function (x) { return x; }",
        "{ x: 4, m() { return 5; } }",
        "[v, w]",
        "`t${v}`",
        "5",
        "5.5",
        "'s'",
        "/r/g",
        "class { static x = 6; }",
        "(v, w)",
        "async x => x",
        "await v",
        "o.K",
        "o.m().y",
    ],
    operands: &[
        "a ** 2",
        "2 ** a",
        "a ?? 1",
        "1 ?? a",
        "a || 1",
        "1 && a",
        "a.x",
        "a?.x",
        "a.x.y",
        "a['x']",
        "a.m()",
        "a()",
        "a?.()",
        "-a",
        "+a",
        "w-a",
        "w+a",
        "w - a - 1",
        "a - w",
        "!a",
        "typeof a",
        "a * 3",
        "w / a",
        "w % a",
        "a + w",
        "w + a + 1",
        "a << 1",
        "1 << a",
        "a < 3",
        "a == w",
        "w === a",
        "a in o",
        "a & 3",
        "a | 8",
        "8 ^ a",
        "a ? 1 : 2",
        "w ? a : 0",
        "w ? 0 : a",
        "[a, 1]",
        "[...[a]]",
        "({ k: a })",
        "({ a })",
        "`${a}!`",
        "(() => a)()",
        "(() => a.x)()",
        "String(a)",
        "(1, a)",
        "new a()",
        "new a.K()",
        "o[a]",
        "w instanceof Object || a",
        "o.m(a, ...[a].slice(1))",
    ],
    statements: &[
        "return await a;",
        "a; return 0;",
        "a.x; return 0;",
        "let k = 0; for (let i = a; k < 1; k++) return i; return 9;",
        "switch (a) { case 3: return 'three'; } return 'other';",
        "return new (class { static z = a; }) ? 1 : 2;",
        "return a\n  .x;",
        "o.z = a; return o.z;",
        "throw a;",
    ],
    whole: "//- a.js\nexport async function f(v, w, o) {\n  const <caret>a = {value};\n  {use}\n}\n",
    later: ("t(() => {})", "return [{}];"),
    interpreter: &["node", "--input-type=module", "-"],
    runner: (
        "const t = x => { try { return show(x()); } catch (e) { return e instanceof SyntaxError ? 'SyntaxError' : 'error ' + (e?.constructor?.name ?? show(e)); } };\nconst show = x => { const s = new Set(); try { return typeof x + ' ' + (typeof x === 'function' ? 'f' : Object.is(x, -0) ? '-0' : typeof x === 'object' && x && s.has(x) ? '' : JSON.stringify(x)) + String(x instanceof RegExp ? x.source : ''); } catch { return typeof x; } };\nconst run = async (text, v, w) => {\n  try { const f = new Function('t', 'return ' + text.replace('export ', ''))(t); return show(await f(v, w, { x: { y: 7 }, m() { return { x: 2, y: 8 }; }, K: class { x = 3; constructor() { this.k = 1; } }, 2: 'two' })); }\n  catch (e) { return e instanceof SyntaxError ? 'SyntaxError ' + e.message : 'error ' + (e?.constructor?.name ?? show(e)); }\n};\nconst runNone = async (text) => { try { const f = new Function('t', 'return ' + text.replace('export ', ''))(t); return show(await f(undefined, null, undefined)); } catch (e) { return e instanceof SyntaxError ? 'SyntaxError' : 'error ' + (e?.constructor?.name ?? show(e)); } };\nconst pairs = [\n",
        "];\nfor (const [before, after] of pairs) {\n  for (const [v, w] of [[3, 2], [-2, 3], [0, 1], [2, 0], ['x', 5], [null, 4], [[], 'b']]) {\n    const [x, y] = [await run(before, v, w), await run(after, v, w)];\n    if (x !== y && (!x.startsWith('error') || y.startsWith('Syntax'))) { console.log(before + '=> ' + after + x + ' / ' + y + '\\n'); break; }\n  }\n  const [x, y] = [await runNone(before), await runNone(after)];\n  if (x !== y && (!x.startsWith('error') || y.startsWith('Syntax'))) console.log(before + '=> ' + after + x + ' / ' + y + '\\n');\n}\n",
    ),
};

const PYTHON: Side = Side {
    file: "a.py",
    values: &[
        "-v",
        "+v",
        "~v",
        "not v",
        "v + w",
        "v - w",
        "v * w",
        "v ** w",
        "v // w",
        "v % w",
        "v << w",
        "v & w",
        "v | w",
        "v ^ w",
        "v < w",
        "v == w",
        "v < w < 5",
        "v is w",
        "v is not w",
        "v in o",
        "v not in o",
        "v and w",
        "v or w",
        "v if w else 5",
        "lambda x: x",
        "lambda: v",
        "(y := v)",
        "(x for x in o)",
        "[x for x in o]",
        "{x for x in o}",
        "{v: w}",
        "v, w",
        "(v, w)",
        "o.real",
        "o[0]",
        "len(o)",
        "5",
        "5.5",
        "'s' 't'",
        "f'{v}'",
        "None",
        "...",
        "*o, v",
        "await g(v)",
    ],
    operands: &[
        "a ** 2",
        "2 ** a",
        "-a",
        "not a",
        "a + 1",
        "1 - a",
        "w - a - 1",
        "a * 3",
        "w // (a or 1)",
        "w-a",
        "a % 4",
        "a < 3",
        "1 < a < 9",
        "a == w",
        "a in o",
        "a is w",
        "a and w",
        "w or a",
        "a if w else 0",
        "1 if a else 0",
        "1 if w else a",
        "a.real",
        "a[0]",
        "a()",
        "a(4)",
        "[a, 1]",
        "[a]",
        "{1: a}",
        "{a}",
        "str(a)",
        "list(a)",
        "f'{a}'",
        "f'{a!r}'",
        "f'{a:>4}'",
        "(lambda: a)()",
        "[z for z in a]",
        "[z for z in o if a]",
        "[a for z in o]",
        "(a)",
        "a",
        "o[a]",
        "a & 3",
        "a | 8",
        "a << 1",
        "max(a, 1)",
        "dict(k=a)",
        "print(*a)",
        "[z for z in o for q in [a]]",
        "a[0:1]",
        "o[a:]",
    ],
    statements: &[
        "return a, 1",
        "b = a; return b",
        "o[0] = a; return o",
        "b = 1; b += a; return b",
        "assert a, 'no'; return 1",
        "return await g(a)",
        "return (b := a)",
        "for b in a: return b",
        "if a: return 1\n    return 2",
    ],
    whole: "//- a.py\nasync def f(v, w, o):\n    <caret>a = {value}\n    {use}\n",
    later: ("t(lambda: {})", "return [{}]"),
    interpreter: &["python3", "-"],
    runner: (
        "import asyncio, re, types, warnings\nwarnings.simplefilter('ignore')\nasync def g(x): return x\nclass O(list):\n    real = 5\ndef t(x):\n    try: return show(x())\n    except Exception as e: return 'error ' + type(e).__name__\ndef show(x):\n    if isinstance(x, types.GeneratorType): return 'generator'\n    if isinstance(x, types.FunctionType): return 'function'\n    return re.sub(r'0x[0-9a-f]+', '', repr(x))\ndef run(text, v, w):\n    names = {'g': g, 't': t, 'print': lambda *x: x}\n    try:\n        exec(text, names)\n        return show(asyncio.run(names['f'](v, w, O([3, 4]))))\n    except SyntaxError as e: return 'SyntaxError ' + str(e)\n    except Exception as e: return 'error ' + type(e).__name__\npairs = [\n",
        "]\nfor before, after in pairs:\n    for v, w in [(3, 2), (-2, 3), (0, 1), (2, 0)]:\n        x, y = run(before, v, w), run(after, v, w)\n        if x != y and (not x.startswith('error') or y.startswith('Syntax')):\n            print(before + '=> ' + after + x + ' / ' + y + '\\n')\n            break\n",
    ),
};

/// The pairs of texts before and after, and how many changes were refused.
fn pairs(side: &Side) -> (Vec<(String, String)>, usize) {
    let (mut found, mut refused) = (Vec::new(), 0);
    let mut change = |value: &str, use_: &str| {
        let source = side.whole.replace("{value}", value).replace("{use}", use_);
        let outcome = inline(&source);
        let after = outcome.changed.get(side.file).filter(|_| outcome.conflicts.is_empty())?;
        let before = source.lines().skip(1).collect::<Vec<_>>().join("\n") + "\n";
        found.push((before.replace("<caret>", ""), after.clone()));
        Some(())
    };
    let later = side.operands.iter().map(|operand| side.later.0.replace("{}", operand));
    let all = side.later.1.replace("{}", &later.collect::<Vec<_>>().join(", "));
    for (at, value) in side.values.iter().enumerate().step_by(scaled(9, 1)) {
        for statement in side.statements.iter().skip(at % 2).step_by(2) {
            refused += usize::from(change(value, statement).is_none());
        }
        // A value that is made once cannot be put into several places: one after the other then.
        if change(value, &all).is_none() {
            for operand in side.operands {
                let statement = side.later.1.replace("{}", operand);
                refused += usize::from(change(value, &statement).is_none());
            }
        }
    }
    (found, refused)
}

/// Runs every pair; a machine without the interpreter cannot judge.
fn same_values(side: &Side) {
    let program = side.interpreter[0];
    if Command::new(program).arg("--version").output().is_err() {
        eprintln!("skipped: {program} is not installed");
        return;
    }
    let (pairs, refused) = pairs(side);
    assert!(pairs.len() > refused, "{} changed, {refused} refused", pairs.len());
    let mut text = side.runner.0.to_owned();
    for (before, after) in &pairs {
        writeln!(text, "[{before:?}, {after:?}],").expect("writing to a string");
    }
    text.push_str(side.runner.1);
    let mut child = Command::new(program)
        .args(&side.interpreter[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the interpreter starts");
    let mut input = child.stdin.take().expect("its input is a pipe");
    input.write_all(text.as_bytes()).expect("it reads the program");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let (shown, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && shown.is_empty(), "{shown}{errors}");
}

#[test]
fn javascript_values_stay_the_same() {
    same_values(&ECMA);
}

#[test]
fn python_values_stay_the_same() {
    same_values(&PYTHON);
}

const PHP: Side = Side {
    file: "a.php",
    values: &[
        "-$v",
        "+$v",
        "!$v",
        "~$v",
        "@$v",
        "(int) $v",
        "(string) $v",
        "(bool) $v",
        "$v + $w",
        "$v - $w",
        "$v * $w",
        "$v ** $w",
        "$v % ($w ?: 1)",
        "$v . $w",
        "$v << 1",
        "$v & $w",
        "$v | $w",
        "$v ^ $w",
        "$v < $w",
        "$v == $w",
        "$v <=> $w",
        "$o instanceof O",
        "$v && $w",
        "$v || $w",
        "$v ?? $w",
        "$v ?: $w",
        "$v ? $w : 5",
        "$v and $w",
        "$o?->x",
        "$o->x",
        "$o->m()",
        "$o?->m()",
        "new O",
        "new O()",
        "clone $o",
        "O::class",
        "fn($x) => $x",
        "function ($x) { return $x; }",
        "[$v, $w]",
        "\"t$v\"",
        "$w - 5",
        "'O'",
        "match (true) { default => $v }",
        "$o->f",
        "strlen(...)",
    ],
    operands: &[
        "$a ** 2",
        "2 ** $a",
        "-$a",
        "!$a",
        "$w-$a",
        "$w+$a",
        "$w - $a - 1",
        "$a * 3",
        "$a % 4",
        "$w.$a",
        "$a.$w",
        "$a . 'x'",
        "$w . $a . 'x'",
        "$a + 1",
        "$a << 1",
        "$a & 3",
        "$a | 8",
        "$a < 3",
        "$a == $w",
        "$a === $w",
        "$w <=> $a",
        "$a instanceof O",
        "$o instanceof $a",
        "$a && $w",
        "$w || $a",
        "$a ?? 1",
        "null ?? $a",
        "$a ?: 1",
        "$a ? 1 : 2",
        "$w ? $a : 0",
        "$w ? 0 : $a",
        "(int) $a",
        "(string) $a",
        "$a->x",
        "$a->x->y",
        "$a?->x",
        "$a->m()",
        "$a->m()->x",
        "$a()",
        "$a(4)",
        "$a[0]",
        "$a[0][1]",
        "new $a",
        "new $a()",
        "$a::K",
        "$a::s()",
        "[$a, 1]",
        "[...[$a]]",
        "['k' => $a]",
        "strval($a)",
        "match ($a) { 3 => 1, default => 0 }",
        "(fn() => $a)()",
        "clone $a",
        "$w and $a",
    ],
    statements: &[
        "return $a;",
        "$b = $a; return $b;",
        "$b = 1; $b .= $a; return $b;",
        "if ($a) return 1; return 2;",
        "foreach ([$a] as $b) return $b;",
        "switch ($a) { case 3: return 'three'; } return 'other';",
        "return $a\n->x;",
        "throw new Exception(strval($a));",
        "echo ''; return [$a];",
    ],
    whole: "//- a.php\n<?php\nfunction f($v, $w, $o) {\n    $<caret>a = {value};\n    {use}\n}\n",
    later: ("t(fn() => {})", "return [{}];"),
    interpreter: &["php"],
    runner: (
        "<?php\nerror_reporting(E_ERROR | E_COMPILE_ERROR);\nclass O { public $x = 7; public $f; const K = 4; function __construct() { $this->f = fn($q = 1) => $q; } function m() { return new P; } static function s() { return 6; } function f() { return 8; } function __toString() { return 'o'; } }\nclass P { public $x = 3; public $y = 5; function m() { return $this; } }\nfunction show($x) { return $x instanceof Closure ? 'closure' : get_debug_type($x) . json_encode($x, JSON_PARTIAL_OUTPUT_ON_ERROR); }\nfunction t($x) { try { return show($x()); } catch (Throwable $e) { return 'error ' . get_class($e); } }\nfunction run($text, $v, $w, $o) {\n    try { $f = eval(str_replace(\"<?php\\nfunction f\", 'return function ', $text) . ';'); return show($f($v, $w, $o)); }\n    catch (ParseError $e) { return 'SyntaxError ' . $e->getMessage(); } catch (Throwable $e) { return 'error ' . get_class($e); }\n}\n$pairs = json_decode('[' . rtrim(<<<'J'\n",
        "J, \",\\n\") . ']');\nforeach ($pairs as [$before, $after]) {\n    foreach ([[3, 2, new O], [-2, 3, new O], [0, 1, null], [2, 0, new O], ['2.7', 5, null], [null, 4, null], [[1], 'b', new O]] as [$v, $w, $o]) {\n        [$x, $y] = [run($before, $v, $w, $o), run($after, $v, $w, $o)];\n        if ($x !== $y && (!str_starts_with($x, 'error') || str_starts_with($y, 'Syntax'))) { echo $before, '=> ', $after, $x, ' / ', $y, \"\\n\\n\"; break; }\n    }\n}\n",
    ),
};

#[test]
fn php_values_stay_the_same() {
    same_values(&PHP);
}

/// A compiled language: every value in every operand, before and after, in one program.
struct Compiled {
    file: &'static str,
    /// Values and operands of a type, with the name of the type.
    typed: &'static [(&'static str, &'static [&'static str], &'static [&'static str])],
    /// The function `{name}` with `{value}` and `{operand}`; the parameters are `v`, `w`, `b`, `s`, `p`.
    function: &'static str,
    head: &'static str,
    /// Compares one pair: `{before}`, `{after}`.
    compare: &'static str,
    main: (&'static str, &'static str),
    /// Puts the program into a file and runs it there.
    command: (&'static str, &'static str, &'static [&'static str]),
}

const GO: Compiled = Compiled {
    file: "a.go",
    typed: &[
        (
            "int",
            &[
                "-v", "+v", "^v", "v + w", "v - w", "v * w", "v << 1", "v & w", "v | w", "v ^ w", "v &^ w",
                "*p", "int(v)", "len(s)", "s[0]", "T{v}.n", "5",
            ],
            &[
                "-a",
                "^a",
                "a * 3",
                "3*a",
                "w-a",
                "w - a - 1",
                "w+a",
                "w&a",
                "w &^ a",
                "w|a",
                "a << 1",
                "w/(a|1)",
                "100/a",
                "a & 3",
                "bool2(w<a)",
                "bool2(a<w)",
                "bool2(a == w)",
                "[]int{a, 1}[0]",
                "id(a)",
                "T{a}.n",
                "T{n: a}.n",
                "s[a&1]",
                "len(s[a&1:])",
                "int(float64(a))",
            ],
        ),
        (
            "bool",
            &["!b", "v < w", "v == w", "b && v < w", "b || v < w", "T{v} == T{w}", "v&1 == 1 && b"],
            &[
                "bool2(!a)",
                "bool2(a && b)",
                "bool2(b || a)",
                "bool2(a == b)",
                "bool2(b != a)",
                "[]int{bool2(a)}[0]",
            ],
        ),
        (
            "T",
            &["T{v}", "*q", "mk(v)"],
            &["a.n", "bool2(a == T{w})", "bool2(T{w} == a)", "[]T{a}[0].n", "when(a == T{3})", "a.get()"],
        ),
        ("*T", &["&T{v}", "q"], &["a.n", "(*a).n", "a.get()", "bool2(a == q)"]),
        ("func(int) int", &["func(x int) int { return x + v }", "id"], &["a(1)", "run(a)"]),
        ("any", &["any(v)", "any(s)"], &["bool2(a == any(3))", "when(a != nil)"]),
    ],
    function: "func {name}(v, w int, b bool, s []int, p *int, q *T) int {\n\t<caret>a := {value}\n\treturn {operand}\n}\n",
    head: "package main\n\ntype T struct{ n int }\n\nfunc (t T) get() int { return t.n }\n\nfunc mk(n int) T { return T{n} }\nfunc id(x int) int { return x }\nfunc run(f func(int) int) int { return f(2) }\nfunc when(b bool) int {\n\tif b {\n\t\treturn 1\n\t}\n\treturn 0\n}\nfunc bool2(b bool) int { return when(b) }\n",
    compare: "\tcompare(\"{before}\", {before}, {after})\n",
    main: (
        "\nfunc safe(f func(int, int, bool, []int, *int, *T) int, v, w int, b bool) (r int) {\n\tdefer func() {\n\t\tif recover() != nil {\n\t\t\tr = -999\n\t\t}\n\t}()\n\tp := 7\n\treturn f(v, w, b, []int{4, 5}, &p, &T{6})\n}\n\nfunc compare(name string, x, y func(int, int, bool, []int, *int, *T) int) {\n\tfor _, c := range [][2]int{{3, 2}, {-2, 3}, {0, 1}, {2, 0}} {\n\t\tfor _, b := range []bool{true, false} {\n\t\t\tif safe(x, c[0], c[1], b) != safe(y, c[0], c[1], b) {\n\t\t\t\tprintln(name)\n\t\t\t\treturn\n\t\t\t}\n\t\t}\n\t}\n}\n\nfunc main() {\n",
        "}\n",
    ),
    command: ("go", "a.go", &["run", "a.go"]),
};

const RUST: Compiled = Compiled {
    file: "src/lib.rs",
    typed: &[
        (
            "i64",
            &[
                "-v",
                "!v",
                "v + w",
                "v - w",
                "v * w",
                "v << 1",
                "v & w",
                "v | w",
                "v ^ w",
                "*p",
                "v as i32 as i64",
                "s[0]",
                "T { n: v }.n",
                "5i64",
                "if b { v } else { w }",
                "match b { true => v, false => w }",
                "{ v }",
            ],
            &[
                "-a",
                "!a",
                "a * 3",
                "3*a",
                "w-a",
                "w - a - 1",
                "w+a",
                "w&a",
                "w|a",
                "a << 1",
                "w/(a|1)",
                "100/a",
                "a & 3",
                "a as i32 as i64",
                "(a < w) as i64",
                "(w<a) as i64",
                "(a == w) as i64",
                "[a, 1][0]",
                "id(a)",
                "T { n: a }.n",
                "a.abs()",
                "(a..9).count() as i64",
                "(0..a).count() as i64",
                "*&a",
                "(a as u8 as i64) << 2",
                "if a < 3 { 1 } else { 0 }",
                "match a { 3 => 1, _ => 0 }",
            ],
        ),
        (
            "bool",
            &["!b", "v < w", "v == w", "b && v < w", "b || v < w", "T { n: v } == T { n: w }"],
            &[
                "!a as i64",
                "(a && b) as i64",
                "(b || a) as i64",
                "(a == b) as i64",
                "if a { 1 } else { 0 }",
                "a as i64",
                "a.then_some(4).unwrap_or(1)",
            ],
        ),
        (
            "T",
            &["T { n: v }", "*q", "mk(v)"],
            &[
                "a.n",
                "(a == T { n: 3 }) as i64",
                "if a == (T { n: 3 }) { 1 } else { 0 }",
                "match a { T { n } => n }",
                "a.get()",
                "(&a).get()",
            ],
        ),
        ("&T", &["&T { n: v }", "q"], &["a.n", "a.get()", "(*a).n", "(a == q) as i64"]),
        ("fn", &["|x: i64| x + v", "id"], &["a(1)", "run(a)"]),
        (
            "range",
            &["0..v", "v..=w"],
            &[
                "a.count() as i64",
                "a.map(|x| x + 1).sum::<i64>()",
                "{ let mut n = 0; for x in a { n += x; } n }",
            ],
        ),
    ],
    function: "fn {name}(v: i64, w: i64, b: bool, s: &[i64], p: &i64, q: &T) -> i64 {\n    let <caret>a = {value};\n    {operand}\n}\n",
    head: "#![allow(warnings)]\n#[derive(Clone, Copy, PartialEq)]\nstruct T { n: i64 }\nimpl T { fn get(&self) -> i64 { self.n } }\nfn mk(n: i64) -> T { T { n } }\nfn id(x: i64) -> i64 { x }\nfn run(f: impl Fn(i64) -> i64) -> i64 { f(2) }\n",
    compare: "    compare(\"{before}\", {before}, {after});\n",
    main: (
        "type F = fn(i64, i64, bool, &[i64], &i64, &T) -> i64;\nfn compare(name: &str, x: F, y: F) {\n    for (v, w) in [(3, 2), (-2, 3), (0, 1), (2, 0)] {\n        for b in [true, false] {\n            let run = |f: F| std::panic::catch_unwind(|| f(v, w, b, &[4, 5], &7, &T { n: 6 })).ok();\n            if run(x) != run(y) { println!(\"{name}\"); return; }\n        }\n    }\n}\nfn main() {\n    std::panic::set_hook(Box::new(|_| {}));\n",
        "}\n",
    ),
    command: ("rustc", "a.rs", &["--edition=2024", "-Copt-level=0", "-Cdebuginfo=0", "-o", "a", "a.rs"]),
};

/// Writes all pairs into one program, which says what is different.
fn compiles_to_the_same(side: &Compiled) {
    let (program, file, args) = side.command;
    if Command::new(program).arg(if program == "go" { "version" } else { "--version" }).output().is_err() {
        eprintln!("skipped: {program} is not installed");
        return;
    }
    let (mut functions, mut calls, mut refused, mut count) = (String::new(), String::new(), 0, 0);
    for (_, values, operands) in side.typed {
        for (value, operand) in values
            .iter()
            .step_by(scaled(9, 1))
            .flat_map(|value| operands.iter().map(move |operand| (value, operand)))
        {
            let write = |name: &str| {
                side.function.replace("{name}", name).replace("{value}", value).replace("{operand}", operand)
            };
            let (before, after) = (format!("f{count}"), format!("g{count}"));
            let source = format!("//- {}\n{}\n{}", side.file, side.head, write(&after));
            let outcome = inline(&source);
            let Some(text) = outcome.changed.get(side.file).filter(|_| outcome.conflicts.is_empty()) else {
                refused += 1;
                continue;
            };
            let changed = text.strip_prefix(side.head).expect("nothing else changes");
            functions.push_str(&write(&before).replace("<caret>", ""));
            functions.push_str(changed);
            calls.push_str(&side.compare.replace("{before}", &before).replace("{after}", &after));
            count += 1;
        }
    }
    assert!(count > refused, "{count} changed, {refused} refused");
    let folder = std::env::temp_dir().join(format!("ide-index-precedence-{program}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let whole = format!("{}{functions}{}{calls}{}", side.head, side.main.0, side.main.1);
    std::fs::write(folder.join(file), &whole).expect("the program is written");
    let mut output = Command::new(program).args(args).current_dir(&folder).output().expect("it starts");
    if output.status.success() && program == "rustc" {
        output = Command::new(folder.join("a")).output().expect("it runs");
    }
    let shown =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let told: Vec<String> = shown
        .lines()
        .take(40)
        .map(|line| match line.strip_prefix('f').and_then(|n| n.parse::<usize>().ok()) {
            Some(n) => format!(
                "{line}: {}",
                whole
                    .split(&format!("g{n}("))
                    .nth(1)
                    .and_then(|rest| rest.split("\n}\n").next())
                    .unwrap_or("")
            ),
            None => line.to_owned(),
        })
        .collect();
    let is_right = output.status.success() && shown.is_empty();
    if is_right {
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
    assert!(is_right, "{}", told.join("\n"));
}

#[test]
fn go_values_stay_the_same() {
    compiles_to_the_same(&GO);
}

#[test]
fn rust_values_stay_the_same() {
    compiles_to_the_same(&RUST);
}
