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
