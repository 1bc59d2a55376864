//! Uses of methods by operators, statements and built-in functions.

use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::refactor::{self, RefactorContext, Rewrite, Trees};
use ide_index::{FileId, MemoryWorld, lang};
use ide_model::{Cx, FilePath, FileText, LineIndex, QueryError, ReferenceKind, Stop, Symbol, Target};
use test_fixture::Fixture;

use crate::refactor::delete;

fn with_context<T>(source: &str, ask: impl FnOnce(&RefactorContext<'_>, &Symbol) -> T) -> T {
    let fixture = Fixture::parse(source);
    let files = fixture.files().iter().map(|f| (f.path.clone(), f.text.clone()));
    let world = Arc::new(MemoryWorld::new(files, lang::front_end));
    let pool = Resolvers::new(world.clone());
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let caret = fixture.caret();
    let at = Target::Position { file: FilePath::new(caret.path.as_str()), offset: caret.start };
    let symbol = query::resolve(&pool, cx, &at).expect("it is known").remove(0).0;
    let text = |file: FileId| Ok::<_, QueryError>(FileText::new(world.text(file).clone()));
    let scratch = |_: &[Rewrite]| panic!("nothing is changed");
    ask(
        &RefactorContext { pool: &pool, cx, text: &text, scratch: &scratch, trees: Trees::default() },
        &symbol,
    )
}

/// `line:text` of each use by an operator, `?` behind those that are only possible; and why there may be more.
fn found(source: &str) -> (Vec<String>, Option<&'static str>) {
    with_context(source, |ctx, symbol| {
        let mut set = query::references(ctx.pool, ctx.cx, symbol, &|_| true, usize::MAX).expect("an answer");
        refactor::add_operator_uses(ctx, symbol, &|_| true, &mut set).expect("an answer");
        let world = ctx.pool.world();
        let operators = set.references.iter().filter(|r| r.kind == ReferenceKind::Operator);
        let rows = operators.map(|r| {
            let text = (ctx.text)(world.file_by_path(r.file.as_str()).expect("it is a file of the world"))
                .expect("it has a text")
                .text;
            let line = LineIndex::new(&text).position(&text, r.range.start).line;
            let doubt = if r.confidence.is_certain() { "" } else { "?" };
            format!("{line}:{}{doubt}", &text[r.range.start as usize..r.range.end as usize])
        });
        (rows.collect(), set.unseen)
    })
}

/// The uses of declarations of a file, by what stands before their names.
#[track_caller]
fn uses(source: &str, wanted: &[(&str, &str)]) {
    let rows: Vec<(&str, String)> =
        wanted.iter().map(|(what, _)| (*what, found(&at(source, what)).0.join(" "))).collect();
    let wanted: Vec<(&str, String)> = wanted.iter().map(|(what, rows)| (*what, (*rows).to_owned())).collect();
    assert_eq!(rows, wanted);
}

/// A file with the caret behind the first `what`.
fn at(source: &str, what: &str) -> String {
    assert!(source.contains(what), "{what}");
    source.replacen(what, &format!("{what}<caret>"), 1)
}

const KOTLIN: &str = "//- a.kt
class V(val n: Int) {
    operator fun plus(o: V) = V(n + o.n)
    operator fun times(k: Int) = V(n * k)
    operator fun unaryMinus() = V(-n)
    operator fun not() = false
    operator fun inc() = V(n + 1)
    operator fun get(i: Int) = V(i)
    operator fun set(i: Int, v: V) {}
    operator fun invoke(k: Int) = this
    operator fun contains(k: Int) = true
    operator fun compareTo(o: V) = 0
    operator fun component1() = n
    operator fun component2() = n
    operator fun iterator() = It()
    operator fun rangeTo(o: V) = listOf(this)
    operator fun minusAssign(o: V) {}
    override fun equals(other: Any?) = true
}
class It { operator fun next() = V(1); operator fun hasNext() = false }
class D { operator fun getValue(a: Any?, p: Any?) = 1; operator fun setValue(a: Any?, p: Any?, v: Int) {} }
operator fun V.div(o: V) = this
object O { operator fun get(k: String) = k }
fun f(a: V, l: List<V>) {
    var b = a + a * 2 + V(3)
    !b; b++; ++b; -b
    b[1] = b[2]; b[3] += b; l[0]
    b(1); (a + b)(2); 1 in b; 1 !in b
    b < a; b == a; 1 + 2; 1 < 2
    val (p, q) = b
    for (x in b) {}
    l.map { (r, _) -> r }
    b..a; a / b; a -= b; O[\"x\"]
    when (1) { in b -> {} }
    val z by D()
    var y by D()
    println(\"${b}\" == \"$a\")
}
";

#[test]
fn operators_of_kotlin() {
    let wanted = [
        ("fun plus", "24:+ 24:+ 26:+= 27:+"),
        ("fun times", "24:*"),
        ("fun unaryMinus", "25:-"),
        ("fun not", "25:!"),
        ("fun inc", "25:++ 25:++"),
        ("fun get", "26:[ 26:["),
        ("fun set", "26:[ 26:["),
        ("fun invoke", "27:( 27:("),
        ("fun contains", "27:in 27:!in 33:in"),
        ("fun compareTo", "28:<"),
        ("fun equals", "28:=="),
        ("fun component1", "29:p 31:r"),
        ("fun component2", "29:q"),
        ("fun iterator", "30:in"),
        ("fun next", "30:in"),
        ("fun rangeTo", "32:.."),
        ("fun V.div", "32:/"),
        ("fun minusAssign", "32:-="),
        ("O { operator fun get", "32:["),
        ("fun getValue", "34:by 35:by"),
        ("fun setValue", "35:by"),
    ];
    uses(KOTLIN, &wanted);
    assert_eq!(found(&at(KOTLIN, "fun plus")).1, None, "nothing else calls it");
    assert!(found(&at(KOTLIN, "fun compareTo")).1.is_some(), "the library sorts");
}

const PYTHON: &str = "//- a.py
class V:
    def __add__(self, o): return V()
    def __radd__(self, o): return V()
    def __iadd__(self, o): return self
    def __mul__(self, o): return V()
    def __eq__(self, o): return True
    def __lt__(self, o): return True
    def __neg__(self): return self
    def __getitem__(self, i) -> 'V': return V()
    def __setitem__(self, i, v): pass
    def __delitem__(self, i): pass
    def __call__(self, k): return self
    def __contains__(self, k): return True
    def __iter__(self): return It()
    def __enter__(self): return self
    def __exit__(self, *a): pass
    def __len__(self): return 1
    def __str__(self): return ''
    def __repr__(self): return ''
    def __getattr__(self, n): return n
class It:
    def __next__(self): return V()
class W(V):
    def __bool__(self): return True
def f(a: V, w: W, n: int, u):
    b = a + w * 2; 1 + a; u + 1
    b += a; b * a; b *= a
    a == b; a != b; a < b; n == 1; -a
    b[1] = b[2]; b[3] += 1; del b[4]
    b(1); a(1)(2); V(); 1 in b; 1 not in b
    for x in b: pass
    [y for y in b]
    with b as c: c[5]
    len(b); str(b); f'{a} {n}'; print(a); repr(a)
    if a: pass
    if w and not w: pass
    a.foo; a.__len__()
    p, q = a
";

#[test]
fn operators_of_python() {
    let wanted = [
        ("def __add__", "26:+ 26:+?"),
        ("def __radd__", "26:+? 26:+ 27:+=?"),
        ("def __iadd__", "27:+= 29:+="),
        ("def __mul__", "26:* 27:* 27:*="),
        ("def __eq__", "28:== 28:!="),
        ("def __lt__", "28:<"),
        ("def __neg__", "28:-"),
        ("def __getitem__", "29:[ 29:[ 33:["),
        ("def __setitem__", "29:[ 29:["),
        ("def __delitem__", "29:["),
        ("def __call__", "30:( 30:( 30:("),
        ("def __contains__", "30:in 30:not in"),
        ("def __iter__", "31:in 32:in 38:="),
        ("def __next__", "31:in 32:in 38:="),
        ("def __enter__", "33:b"),
        ("def __len__", "34:b 35:if"),
        ("def __str__", "34:b 34:{ 34:a"),
        ("def __repr__", "34:a"),
        ("def __bool__", "36:and 36:not"),
        ("def __getattr__", "37:."),
    ];
    uses(PYTHON, &wanted);
    assert!(found(&at(PYTHON, "def __add__")).1.is_some(), "the library adds up");
}

const RUST: &str = "//- Cargo.toml
[package]
name = \"m\"
//- src/lib.rs
use std::ops::{Add, AddAssign, Deref, Index, IndexMut, Neg};
#[derive(Clone, Copy)]
pub struct V(i32);
pub struct B(Vec<V>);
impl Add for V { type Output = V; fn add(self, o: V) -> V { o } }
impl Add<i32> for V { type Output = V; fn /*2*/ add(self, o: i32) -> V { self } }
impl AddAssign for V { fn add_assign(&mut self, o: V) {} }
impl Neg for V { type Output = V; fn neg(self) -> V { self } }
impl PartialEq for V { fn eq(&self, o: &V) -> bool { true } }
impl Index<usize> for B { type Output = V; fn index(&self, i: usize) -> &V { &self.0[i] } }
impl IndexMut<usize> for B { fn index_mut(&mut self, i: usize) -> &mut V { &mut self.0[i] } }
impl Deref for B { type Target = V; fn deref(&self) -> &V { &self.0[0] } }
impl Iterator for B { type Item = V; fn next(&mut self) -> Option<V> { None } }
pub fn f(a: V, mut b: B, n: i32) -> V {
    let mut c = a + a;
    c += a;
    if c == a && n == 1 && a != c { return -c; }
    println!(\"{}\", n + 1);
    b[0] = c; let d = b[1] + c; *b;
    for x in b {}
    assert_eq!(a, d);
    d + 1
}
";

#[test]
fn operators_of_rust() {
    let wanted = [
        ("fn add", "15:+ 19:+"),
        ("fn /*2*/ add", "22:+"),
        ("fn add_assign", "16:+="),
        ("fn neg", "17:-"),
        ("fn eq", "17:== 17:!= 21:a 21:d"),
        ("fn index", "19:["),
        ("fn index_mut", "19:[ 19:[?"),
        ("fn deref", "19:*"),
        ("fn next", "20:in"),
    ];
    uses(RUST, &wanted);
}

const PHP: &str = "//- a.php
<?php
class V implements ArrayAccess, Countable, IteratorAggregate {
    public int $known = 1;
    function __get($n) { return 1; }
    function __set($n, $v) {}
    function __isset($n) { return true; }
    function __call($n, $a) { return 1; }
    static function __callStatic($n, $a) { return 1; }
    function __invoke($k) { return $this; }
    function __toString(): string { return ''; }
    function offsetGet($o): mixed { return 1; }
    function offsetSet($o, $v): void {}
    function offsetExists($o): bool { return true; }
    function offsetUnset($o): void {}
    function count(): int { return 1; }
    function getIterator(): Iterator { return new ArrayIterator([]); }
    function __clone() {}
    function real() {}
}
function f(V $a, int $n) {
    $a->x; $a->known; $a->y = 1; isset($a->z); $a->real(); $a->odd(); V::odd();
    $a(1); f($a, 1); (new V)(2);
    echo $a, $n; echo \"is $a {$a}\"; $s = 'x' . $a; $t = (string) $a;
    $a[0]; $a[1] = 2; isset($a[3]); unset($a[4]); $a[] = 5;
    count($a); foreach ($a as $k => $v) {} clone $a;
}
";

#[test]
fn operators_of_php() {
    let wanted = [
        ("function __get", "21:->"),
        ("function __set", "21:->"),
        ("function __isset", "21:->"),
        ("function __call", "21:->"),
        ("function __callStatic", "21:::"),
        ("function __invoke", "22:( 22:("),
        ("function __toString", "23:$a 23:$a 23:$a 23:. 23:)"),
        ("function offsetGet", "24:["),
        ("function offsetSet", "24:[ 24:["),
        ("function offsetExists", "24:["),
        ("function offsetUnset", "24:["),
        ("function count", "25:$a"),
        ("function getIterator", "25:as"),
        ("function __clone", "25:clone"),
    ];
    uses(PHP, &wanted);
}

#[test]
fn callers_by_operators_and_through_base_types() {
    let callers = |source: &str| {
        with_context(source, |ctx, symbol| {
            let mut edges = query::callers(ctx.pool, ctx.cx, symbol, &|_| true).expect("an answer");
            refactor::add_operator_callers(ctx, symbol, &|_| true, &mut edges).expect("an answer");
            let row = |edge: &ide_model::CallEdge| {
                let doubt = if edge.confidence.is_certain() { "" } else { "?" };
                format!("{} {}{doubt}", edge.name, edge.sites.len())
            };
            edges.iter().map(row).collect::<Vec<_>>()
        })
    };
    let kotlin = "//- a.kt
open class A { open operator fun plus(o: A) = o }
class B : A() { override fun plus(o: A) = o }
fun f(a: A) = a + a
fun g(b: B) = b + b + b.plus(b)
";
    assert_eq!(callers(&at(kotlin, "override fun plus")), ["f 1", "g 3"]);
    assert_eq!(callers(&at(kotlin, "open operator fun plus")), ["f 1", "g 1"]);
}

#[test]
fn operators_keep_what_they_call() {
    let used = |source: &str| {
        let outcome = delete(source);
        let found = outcome.refactored.conflicts.iter();
        found.filter(|c| c.message.contains("is called here without its name")).count()
    };
    assert_eq!(used(&at(KOTLIN, "fun plus")), 4);
    assert_eq!(used(&at(PYTHON, "def __neg__")), 1);
    assert_eq!(used(&at(RUST, "fn neg")), 1);
    assert_eq!(used(&at(PHP, "function __clone")), 1);
}

#[test]
fn texts_that_name_a_member_are_uses_of_it() {
    let uses = |source: &str| {
        with_context(source, |ctx, symbol| {
            let world = ctx.pool.world();
            let quoting =
                |_: &str| Ok((0..world.file_count()).map(|id| world.file(FileId(id)).path.clone()).collect());
            let mut set =
                query::references(ctx.pool, ctx.cx, symbol, &|_| true, usize::MAX).expect("an answer");
            refactor::add_text_uses(ctx, symbol, &|_| true, &quoting, &mut set).expect("an answer");
            let all = set.references.iter();
            let rows =
                all.map(|r| format!("{}{}", r.range.start, if r.confidence.is_certain() { "" } else { "?" }));
            rows.collect::<Vec<_>>().join(" ")
        })
    };
    let typescript = "//- a.ts\ninterface A { ru<caret>n: number }\ntype P = Pick<A, 'run'>;\ndeclare function g(k: keyof A, a: A): void;\ndeclare const a: A;\ng('run', a);\na.run;\n";
    assert_eq!(uses(typescript), "46 120? 132");
    let java = "//- A.java\nclass A {\n    void ru<caret>n() {}\n    void f(Class<?> c) throws Exception {\n        c.getMethod(\"run\");\n        run();\n    }\n}\n";
    assert_eq!(uses(java), "91? 106");
}

#[test]
fn a_name_for_a_function_has_the_head_of_the_function() {
    let described = |source: &str| {
        with_context(source, |ctx, symbol| {
            ctx.pool.with(|rx| {
                let def =
                    query::declaration(rx, &symbol.key).expect("it is known").1.expect("it is declared");
                let text = (ctx.text)(def.file).expect("it has a text");
                query::describe(rx, def, &text.text)
            })
        })
    };
    let generic =
        described("//- a.ts\nexport const pi<caret>ck = <T, K extends keyof T>(o: T, k: K): T[K] => o[k];\n");
    assert_eq!(&*generic.signature, "export const pick = <T, K extends keyof T>(o: T, k: K): T[K]");
    assert_eq!(generic.type_parameters, ["T".into(), "K".into()]);
    assert_eq!(generic.parameters.len(), 2);
    assert_eq!(generic.return_type.as_deref(), Some("T[K]"));
    let method = described("//- a.js\nfunction Foo() {}\nFoo.prototype.ba<caret>r = function () {};\n");
    assert_eq!(method.symbol.qualified_name.as_deref(), Some("a#Foo.bar"));
}
