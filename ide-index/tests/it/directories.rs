//! Directories moved as a whole: their files keep what they say of one another, and all others follow.

use crate::moves::{moves, refuses};

#[test]
fn typescript_directories() {
    moves(
        "//- src/old/a.ts\nimport { b } from './b';\nimport { main } from '../main';\nexport const a = b + main;\n\
         //- src/old/b.ts\nexport const b = 1;\n\
         //- src/old/deep/c.ts\nimport { a } from '../a';\nexport const c = a;\n\
         //- src/main.ts\nimport { a } from './old/a';\nimport { c } from \"./old/deep/c.js\";\nexport const main = a + c;\n",
        "src/old",
        "lib/new",
        &[
            (
                "lib/new/a.ts",
                "import { b } from './b';\nimport { main } from '../../src/main';\nexport const a = b + main;\n",
            ),
            ("lib/new/b.ts", "export const b = 1;\n"),
            ("lib/new/deep/c.ts", "import { a } from '../a';\nexport const c = a;\n"),
            (
                "src/main.ts",
                "import { a } from '../lib/new/a';\nimport { c } from \"../lib/new/deep/c.js\";\nexport const main = a + c;\n",
            ),
        ],
    );
}

#[test]
fn python_packages() {
    moves(
        "//- shop/__init__.py\n\
         //- shop/old/__init__.py\nfrom .core import f\nfrom shop.old import core\n\
         //- shop/old/core.py\nfrom ..util import u\ndef f():\n    return u\n\
         //- shop/util.py\nu = 1\n\
         //- main.py\nfrom shop.old.core import f\nfrom shop.old import core as c\nprint(f(), c.f())\n",
        "shop/old",
        "shop/parts/new",
        &[
            ("shop/parts/new/__init__.py", "from .core import f\nfrom shop.parts.new import core\n"),
            ("shop/parts/new/core.py", "from ...util import u\ndef f():\n    return u\n"),
            (
                "main.py",
                "from shop.parts.new.core import f\nfrom shop.parts.new import core as c\nprint(f(), c.f())\n",
            ),
        ],
    );
}

#[test]
fn java_packages() {
    moves(
        "//- src/main/java/com/a/old/A.java\npackage com.a.old;\n\nimport com.a.old.sub.B;\n\npublic class A { int x; B b = new B(); }\n\
         //- src/main/java/com/a/old/sub/B.java\npackage com.a.old.sub;\n\npublic class B { com.a.old.A a; }\n\
         //- src/test/java/com/a/old/ATest.java\npackage com.a.old;\n\nclass ATest { int y = new A().x; }\n\
         //- src/main/java/com/a/Use.java\npackage com.a;\n\nimport com.a.old.*;\nimport static com.a.old.sub.B.*;\n\nclass Use { A a; com.a.old.sub.B b; }\n",
        "src/main/java/com/a/old",
        "src/main/java/com/a/fresh",
        &[
            (
                "src/main/java/com/a/fresh/A.java",
                "package com.a.fresh;\n\nimport com.a.fresh.sub.B;\n\npublic class A { int x; B b = new B(); }\n",
            ),
            (
                "src/main/java/com/a/fresh/sub/B.java",
                "package com.a.fresh.sub;\n\npublic class B { com.a.fresh.A a; }\n",
            ),
            (
                "src/test/java/com/a/fresh/ATest.java",
                "package com.a.fresh;\n\nclass ATest { int y = new A().x; }\n",
            ),
            (
                "src/main/java/com/a/Use.java",
                "package com.a;\n\nimport com.a.fresh.*;\nimport static com.a.fresh.sub.B.*;\n\nclass Use { A a; com.a.fresh.sub.B b; }\n",
            ),
        ],
    );
}

#[test]
fn kotlin_packages() {
    moves(
        "//- src/a/old/A.kt\npackage a.old\n\nclass A { internal fun f() = helper() }\n\
         //- src/a/old/Util.kt\npackage a.old\n\nfun helper() = 1\n\
         //- src/a/Use.kt\npackage a\n\nimport a.old.A\nimport a.old.helper as h\n\nfun use(x: A) = x.f() + h()\n\
         //- src/a/J.java\npackage a;\n\nimport a.old.A;\n\nclass J { A a; }\n",
        "src/a/old",
        "src/a/b/fresh",
        &[
            ("src/a/b/fresh/A.kt", "package a.b.fresh\n\nclass A { internal fun f() = helper() }\n"),
            ("src/a/b/fresh/Util.kt", "package a.b.fresh\n\nfun helper() = 1\n"),
            (
                "src/a/Use.kt",
                "package a\n\nimport a.b.fresh.A\nimport a.b.fresh.helper as h\n\nfun use(x: A) = x.f() + h()\n",
            ),
            ("src/a/J.java", "package a;\n\nimport a.b.fresh.A;\n\nclass J { A a; }\n"),
        ],
    );
}

#[test]
fn php_namespaces() {
    moves(
        "//- composer.json\n{\"autoload\": {\"psr-4\": {\"App\\\\\": \"src/\"}}}\n\
         //- src/Old/A.php\n<?php\nnamespace App\\Old;\n\nclass A { public function f(): Sub\\B { return new Sub\\B(); } }\n\
         //- src/Old/Sub/B.php\n<?php\nnamespace App\\Old\\Sub;\n\nuse App\\Old\\A;\n\nclass B { public ?A $a; }\n\
         //- src/Use.php\n<?php\nnamespace App;\n\nuse App\\Old\\A;\n\nfunction g(A $a, Old\\Sub\\B $b, \\App\\Old\\A $c) {}\n",
        "src/Old",
        "src/Fresh",
        &[
            (
                "src/Fresh/A.php",
                "<?php\nnamespace App\\Fresh;\n\nclass A { public function f(): Sub\\B { return new Sub\\B(); } }\n",
            ),
            (
                "src/Fresh/Sub/B.php",
                "<?php\nnamespace App\\Fresh\\Sub;\n\nuse App\\Fresh\\A;\n\nclass B { public ?A $a; }\n",
            ),
            (
                "src/Use.php",
                "<?php\nnamespace App;\n\nuse App\\Fresh\\A;\n\nfunction g(A $a, \\App\\Fresh\\Sub\\B $b, \\App\\Fresh\\A $c) {}\n",
            ),
        ],
    );
}

#[test]
fn go_packages() {
    moves(
        "//- go.mod\nmodule m\n\
         //- old/a.go\npackage old\n\nimport \"m/old/sub\"\n\nfunc F() int { return sub.G() + h }\n\
         //- old/b.go\npackage old\n\nvar h = 1\n\
         //- old/a_test.go\npackage old_test\n\nimport \"m/old\"\n\nvar x = old.F()\n\
         //- old/sub/s.go\npackage sub\n\nfunc G() int { return 2 }\n\
         //- main.go\npackage main\n\nimport (\n\to \"m/old\"\n\t\"m/old/sub\"\n)\n\nfunc main() { println(o.F(), sub.G()) }\n\
         //- other/o.go\npackage other\n\nimport \"m/old\"\n\nvar y = old.F()\n",
        "old",
        "lib/fresh",
        &[
            (
                "lib/fresh/a.go",
                "package fresh\n\nimport \"m/lib/fresh/sub\"\n\nfunc F() int { return sub.G() + h }\n",
            ),
            ("lib/fresh/b.go", "package fresh\n\nvar h = 1\n"),
            ("lib/fresh/a_test.go", "package fresh_test\n\nimport \"m/lib/fresh\"\n\nvar x = fresh.F()\n"),
            ("lib/fresh/sub/s.go", "package sub\n\nfunc G() int { return 2 }\n"),
            (
                "main.go",
                "package main\n\nimport (\n\to \"m/lib/fresh\"\n\t\"m/lib/fresh/sub\"\n)\n\nfunc main() { println(o.F(), sub.G()) }\n",
            ),
            ("other/o.go", "package other\n\nimport \"m/lib/fresh\"\n\nvar y = fresh.F()\n"),
        ],
    );
}

#[test]
fn rust_modules() {
    moves(
        "//- Cargo.toml\n[package]\nname = \"k\"\n\
         //- src/lib.rs\nmod old;\nmod other;\npub use old::inner::f;\n\
         //- src/old/mod.rs\npub mod inner;\n\
         //- src/old/inner.rs\npub fn f() {}\n\
         //- src/other.rs\nfn g() { crate::old::inner::f() }\n",
        "src/old",
        "src/fresh",
        &[
            ("src/lib.rs", "mod fresh;\nmod other;\npub use fresh::inner::f;\n"),
            ("src/fresh/mod.rs", "pub mod inner;\n"),
            ("src/fresh/inner.rs", "pub fn f() {}\n"),
            ("src/other.rs", "fn g() { crate::fresh::inner::f() }\n"),
        ],
    );
}

#[test]
fn what_describes_a_package_stays() {
    let npm = "//- packages/a/package.json\n{\"name\": \"a\"}\n//- packages/a/i.ts\nexport const a = 1;\n";
    refuses(npm, "packages/a", "packages/b", &["unsupported_form"]);
    let java = "//- a/b/A.java\npackage a.b;\nclass A {}\n//- a/c/B.java\npackage a.c;\nclass B {}\n";
    refuses(java, "a/b", "a/c", &["unsupported_form"]);
    refuses(java, "a", "a/b", &["unsupported_form"]);
    let hidden = "//- p/A.java\npackage p;\nclass A {}\n//- q/B.java\npackage p;\nclass B { A a; }\n";
    refuses(hidden, "p", "r/s", &["meaning_changes"]);
}

#[test]
fn a_hidden_method_of_another_package_is_not_overridden() {
    moves(
        "//- p/Base.java\npackage p;\npublic class Base { String at() { return \"\"; } }\n\
         //- q/Sub.java\npackage q;\npublic class Sub extends p.Base { private String at() { return \"1\"; } }\n",
        "q",
        "r",
        &[(
            "r/Sub.java",
            "package r;\npublic class Sub extends p.Base { private String at() { return \"1\"; } }\n",
        )],
    );
}

#[test]
fn paths_that_lead_out_of_the_directory_tie_files_to_it() {
    let php = |code: &str| {
        format!(
            "//- composer.json\n{{\"autoload\": {{\"psr-4\": {{\"App\\\\\": \"src/\"}}}}}}\n\
             //- src/Old/A.php\n<?php\nnamespace App\\Old;\n\nclass A {{ function f() {{ {code} }} }}\n"
        )
    };
    let local = php("return [__DIR__ . '/a.txt', __DIR__ . '/b.txt'];");
    let wanted = "<?php\nnamespace App\\Fresh;\n\nclass A { function f() { return [__DIR__ . '/a.txt', __DIR__ . '/b.txt']; } }\n";
    moves(&local, "src/Old", "src/Fresh", &[("src/Fresh/A.php", wanted)]);
    for outside in
        ["$a = __DIR__ . '/a.txt';\n$b = __DIR__ . '/../b.txt';", "return dirname(__DIR__) . '/b.txt';"]
    {
        refuses(&php(outside), "src/Old", "src/Fresh", &["unsupported_form"]);
    }
}

#[test]
fn a_module_below_may_be_called_like_the_directory() {
    moves(
        "//- Cargo.toml\n[package]\nname = \"k\"\n\
         //- src/lib.rs\nmod a;\npub use a::a::f;\n\
         //- src/a/mod.rs\npub mod a;\n\
         //- src/a/a.rs\npub fn f() {}\n",
        "src/a",
        "src/b",
        &[
            ("src/lib.rs", "mod b;\npub use b::a::f;\n"),
            ("src/b/mod.rs", "pub mod a;\n"),
            ("src/b/a.rs", "pub fn f() {}\n"),
        ],
    );
}
