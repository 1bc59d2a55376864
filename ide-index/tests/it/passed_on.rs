//! Declarations that leave a module by whose name others ask for them: barrels, and texts in calls.

use crate::relocate::{moves, refuses};

#[test]
fn modules_that_pass_on_all_of_a_module_pass_on_what_leaves_it() {
    moves(
        "//- a.mjs\nexport class Fo<caret>o {}\nexport const rest = 1;\n\
         //- b.mjs\nexport * from \"./a.mjs\";\n\
         //- main.mjs\nimport { Foo } from \"./b.mjs\";\nimport * as b from \"./b.mjs\";\nnew Foo();\nnew b.Foo();\n",
        "c.mjs",
        &[
            ("a.mjs", "export const rest = 1;\n"),
            ("b.mjs", "export { Foo } from \"./c.mjs\";\nexport * from \"./a.mjs\";\n"),
            ("c.mjs", "export class Foo {}\n"),
        ],
    );
    // Its new place is passed on already.
    moves(
        "//- src/a.ts\nexport interface Fo<caret>o {}\nexport const rest = 1;\n\
         //- src/c.ts\nexport const c = 1;\n\
         //- src/index.ts\nexport * from './a';\nexport * from './c';\n\
         //- src/other.ts\nexport * from './a';\n\
         //- main.ts\nimport { Foo } from './src';\nconst foo: Foo = {};\n",
        "src/c.ts",
        &[
            ("src/a.ts", "export const rest = 1;\n"),
            ("src/c.ts", "export const c = 1;\nexport interface Foo {}\n"),
            ("src/other.ts", "export type { Foo } from './c';\nexport * from './a';\n"),
        ],
    );
}

#[test]
fn what_a_text_asks_a_python_module_for_stays() {
    let source = |text: &str| {
        format!(
            "//- pkg/__init__.py\n\n//- pkg/a.py\ndef pu<caret>t(): ...\ndef stay(): ...\n\
             //- main.py\nimport pkg.a as a\ngetattr(a, \"{text}\")()\nprint(\"put\")\n"
        )
    };
    refuses(&source("put"), "pkg/b.py", "the text `put` may stand for");
    moves(
        &source("stay"),
        "pkg/b.py",
        &[("pkg/a.py", "def stay(): ...\n"), ("pkg/b.py", "def put(): ...\n")],
    );
}

#[test]
fn a_rust_module_that_passes_something_on_follows_it() {
    let files = [
        ("src/lib.rs", "mod shop;\nuse shop::Point;\npub fn f() -> Point { shop::Point { x: 1 } }\n"),
        ("src/shop/mod.rs", "mod models;\nmod geo;\npub use models::Point;\npub fn g() -> i32 { geo::X }\n"),
        ("src/shop/models.rs", "pub struct <caret>Point { pub x: i32 }\npub struct Other;\n"),
        ("src/shop/geo.rs", "pub const X: i32 = 1;\n"),
    ];
    let source: String = files.iter().map(|(path, text)| format!("//- {path}\n{text}")).collect();
    moves(
        &format!("//- Cargo.toml\n[package]\nname = \"m\"\nedition = \"2021\"\n{source}"),
        "src/shop/geo.rs",
        &[
            ("src/shop/geo.rs", "pub const X: i32 = 1;\npub struct Point { pub x: i32 }\n"),
            (
                "src/shop/mod.rs",
                "mod models;\nmod geo;\npub use crate::shop::geo::Point;\npub fn g() -> i32 { geo::X }\n",
            ),
            ("src/shop/models.rs", "pub struct Other;\n"),
        ],
    );
}
