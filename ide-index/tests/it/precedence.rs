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
    for (at, value) in side.values.iter().enumerate() {
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
