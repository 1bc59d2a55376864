//! New names that a language forbids in one place and allows in another.

use crate::refactor::{may_become, refuses, rename as renamed};

#[test]
fn a_name_may_be_forbidden_where_it_stands() {
    let cases = [
        ("a.py", "from typing import NamedTuple\nclass P(NamedTuple):\n    si<caret>ze: int\n", "_size"),
        ("a.py", "import enum\nclass C(enum.Enum):\n    RE<caret>D = 1\n", "_red_"),
        ("a.py", "import enum\nclass C(enum.Enum):\n    RE<caret>D = 1\n", "mro"),
        ("a.py", "def he<caret>lp(): return 1\nclass C:\n    def m(self): return help()\n", "__help"),
        ("a.py", "class C:\n    def m(self, a<caret>rg): return arg\nC().m(arg=1)\n", "__arg"),
        ("a.js", "class C { static si<caret>ze = 1; }\n", "prototype"),
        ("a.js", "class C { static si<caret>ze = 1; }\n", "name"),
        ("a.js", "class C {}\nC.si<caret>ze = 1;\n", "name"),
        ("a.js", "function f() {}\nf.si<caret>ze = 1;\n", "length"),
        ("a.ts", "export class C { static si<caret>ze(): void {} }\n", "length"),
        ("a.js", "class C { si<caret>ze = 1; }\n", "constructor"),
        ("a.js", "class C { get si<caret>ze() { return 1; } }\n", "constructor"),
        ("a.js", "class C { #si<caret>ze = 1; }\n", "#constructor"),
        ("a.js", "const o = { si<caret>ze: 1 };\no.size;\n", "__proto__"),
        ("a.ts", "export enum E { A<caret>a }\n", "NaN"),
        ("A.java", "enum A { X; static int si<caret>ze() { return 1; } }\n", "values"),
        ("a.kt", "enum class A { X; fun si<caret>ze() = 1 }\n", "values"),
        ("a.kt", "class A { val si<caret>ze = 1 }\n", "__"),
        ("a.kt", "class A { val si<caret>ze = 1; fun getX() = 2 }\n", "x"),
        ("a.kt", "class A(val si<caret>ze: Int) { fun getX() = 2 }\n", "x"),
        ("a.kt", "class A { var si<caret>ze = 1; fun setX(a: Int) {} }\n", "x"),
        ("a.kt", "val x = 1\nfun si<caret>ze() = 2\n", "getX"),
        ("a.kt", "class A { private val si<caret>ze get() = 1; fun getX() = 2 }\n", "x"),
        ("a.kt", "open class B { val si<caret>ze = 1 }\nclass A : B() { fun getX() = 2 }\n", "x"),
        ("a.kt", "val si<caret>ze = 1\nfun getX() = 1\n", "x"),
        ("a.go", "package a\n\nvar si<caret>ze = 1\n", "init"),
        ("a.php", "<?php\nfunction f($si<caret>ze) { return $size; }\n", "_GET"),
        ("a.php", "<?php\nnamespace A;\nclass Si<caret>ze {}\n", "INT"),
    ];
    for (file, text, new) in cases {
        refuses(&format!("//- {file}\n{text}"), new, &["invalid_name"]);
    }
}

#[test]
fn it_may_be_allowed_elsewhere() {
    let cases = [
        ("a.py", "class P:\n    si<caret>ze: int = 1\n", "_size"),
        (
            "a.py",
            "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    def si<caret>ze(self): return 1\n",
            "_size",
        ),
        ("a.py", "import enum\nclass C(enum.Enum):\n    RE<caret>D = 1\n", "_red"),
        ("a.py", "def he<caret>lp(): return 1\nhelp()\n", "__help"),
        ("a.js", "class C { si<caret>ze = 1; }\n", "name"),
        ("a.js", "const o = { si<caret>ze: 1 };\no.size;\n", "length"),
        ("a.js", "class C { static si<caret>ze = 1; }\n", "title"),
        ("a.ts", "export enum E { A<caret>a }\n", "Nan"),
        ("A.java", "class A { static int si<caret>ze() { return 1; } }\n", "values"),
        ("a.kt", "enum class A { X; fun si<caret>ze(n: Int) = n }\n", "values"),
        ("a.kt", "class A { val si<caret>ze = 1; fun getX() = \"a\" }\n", "x"),
        ("a.kt", "class A { private val si<caret>ze = 1; fun getX() = 2 }\n", "x"),
        ("a.kt", "class A { @JvmField val si<caret>ze = 1; fun getX() = 2 }\n", "x"),
        ("a.kt", "class A { var si<caret>ze = 1; fun setX(a: String) {} }\n", "x"),
        ("a.kt", "class A { val si<caret>ze = 1; fun getX(a: Int) = a }\n", "x"),
        ("a.kt", "open class B { private fun getX() = 4 }\nclass A : B() { val si<caret>ze = 1 }\n", "x"),
        ("a.kt", "val String.si<caret>ze get() = 1\nfun getX() = 1\n", "x"),
        ("a.go", "package a\n\ntype T struct{ si<caret>ze int }\n", "init"),
        ("a.php", "<?php\nclass A { const SI<caret>ZE = 1; }\n", "INT"),
        ("a.php", "<?php\nfunction f($si<caret>ze) { return $size; }\n", "get"),
    ];
    for (file, text, new) in cases {
        may_become(&format!("//- {file}\n{text}"), new);
    }
}

#[test]
fn reserved_words_may_name_members_and_variables() {
    let cases = [
        ("a.js", "class C { si<caret>ze() { return 1; } }\nnew C().size();\n", "delete"),
        ("a.js", "const o = { si<caret>ze: 1 };\nconst { size } = o;\nsize;\n", "default"),
        ("a.js", "class C { #si<caret>ze = 1; m() { return this.#size; } }\n", "#delete"),
        ("a.ts", "interface I { si<caret>ze: number }\nexport const f = (i: I) => i.size;\n", "new"),
        ("a.ts", "export function f(si<caret>ze: string) { return size; }\n", "string"),
        ("A.java", "class A { int f(int si<caret>ze) { return size; } }\n", "record"),
        ("a.php", "<?php\nfunction f($si<caret>ze) { return $size; }\n", "list"),
        ("a.php", "<?php\nfunction f($si<caret>ze) { return $size; }\n", "class"),
        (
            "a.php",
            "<?php\nclass A { private $si<caret>ze; function f() { return $this->size; } }\n",
            "default",
        ),
        ("a.php", "<?php\nclass A { function si<caret>ze() {} }\n(new A)->size();\n", "list"),
        ("a.php", "<?php\nclass A { const SI<caret>ZE = 1; }\necho A::SIZE;\n", "DEFAULT"),
        (
            "a.go",
            "package a\n\ntype T struct{ si<caret>ze int }\n\nfunc f(t T) int { return t.size }\n",
            "len",
        ),
        ("a.go", "package a\n\ntype T int\n\nfunc (t T) si<caret>ze() {}\n", "close"),
    ];
    for (file, text, new) in cases {
        may_become(&format!("//- {file}\n{text}"), new);
    }
}

#[test]
fn reserved_words_stay_reserved_elsewhere() {
    let cases = [
        ("a.js", "export function si<caret>ze() {}\n", "delete"),
        ("a.js", "class C { #si<caret>ze = 1; }\n", "delete"),
        ("a.ts", "export class Si<caret>ze {}\n", "string"),
        ("a.ts", "enum E { si<caret>ze = 1, b = size }\n", "delete"),
        ("a.ts", "namespace N { export const si<caret>ze = 1; size; }\n", "delete"),
        ("A.java", "class A {}\nclass Si<caret>ze {}\n", "record"),
        ("A.java", "class A { int si<caret>ze = 1; }\n", "int"),
        ("a.php", "<?php\nfunction si<caret>ze() {}\n", "list"),
        ("a.php", "<?php\nconst SI<caret>ZE = 1;\n", "DEFAULT"),
        ("a.php", "<?php\nfunction f($si<caret>ze) { return $size; }\n", "this"),
        ("a.go", "package a\n\ntype T struct{ si<caret>ze int }\n", "func"),
        ("a.go", "package a\n\ntype si<caret>ze int\n", "len"),
        ("a.py", "class C:\n    si<caret>ze = 1\n", "class"),
        ("a.vue", "<script>\nexport default { data() { return { si<caret>ze: 1 } } }\n</script>\n", "delete"),
    ];
    for (file, text, new) in cases {
        refuses(&format!("//- {file}\n{text}"), new, &["invalid_name"]);
    }
    // The property of a parameter may have the name, the parameter may not.
    refuses(
        "//- a.ts\nexport class C { constructor(private si<caret>ze: number) {} }\n",
        "delete",
        &["syntax"],
    );
}

#[test]
fn members_that_computed_names_find_are_told() {
    let told = |file: &str, text: &str| renamed(&format!("//- {file}\n{text}"), "other").refactored.warnings;
    let cases = [
        ("a.py", "import enum\nclass C(enum.Enum):\n    RE<caret>D = 1\ndef f(n): return C[n.upper()]\n", 4),
        ("a.py", "class C:\n    def ru<caret>n(self): return 1\ndef f(n): return getattr(C(), 'r' + n)\n", 3),
        ("A.java", "enum A { RE<caret>D;\n  static A f(String s) { return valueOf(s); } }\n", 2),
        ("a.kt", "enum class A { RE<caret>D }\nfun f(s: String) = A.valueOf(s)\n", 2),
        ("a.php", "<?php\nenum A { case Re<caret>d; }\nfunction f($n) { return constant('A::' . $n); }\n", 3),
        ("a.js", "const E = { R<caret>ED: 1 };\nfunction f(k) { return E[k]; }\nE.RED;\n", 2),
        ("a.ts", "enum E { R<caret>ED }\nexport function f(k: any) { return E[k]; }\n", 2),
    ];
    for (file, text, line) in cases {
        let warnings = told(file, text);
        assert!(warnings.iter().any(|w| w.contains(&format!("{file}:{line}"))), "{text}\n{warnings:?}");
    }
    let silent = [
        ("a.py", "import enum\nclass C(enum.Enum):\n    RE<caret>D = 1\ndef f(n): return n[0], [1][n]\n"),
        (
            "a.py",
            "class C:\n    def ru<caret>n(self): return 1\n    def __getitem__(self, i): return i\ndef f(n): return C()[n]\n",
        ),
        ("a.js", "const E = { R<caret>ED: 1 };\nfunction f(k) { return k[E.RED]; }\n"),
    ];
    for (file, text) in silent {
        assert_eq!(told(file, text), Vec::<String>::new(), "{text}");
    }
}
