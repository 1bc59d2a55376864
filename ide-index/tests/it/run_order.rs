//! Modules run in an order: what moves between them is there when it is needed, and keeps the form of its imports.

use crate::relocate::{moves, refuses};

#[test]
fn an_import_of_types_stays_one() {
    moves(
        "//- a.ts\nimport type { Shape, Size } from './types';\nexport const s: Shape = 1;\nexport const si<caret>ze: Size = 2;\n//- b.ts\nexport const b = 1;\n//- types.ts\nexport type Shape = number;\nexport type Size = number;\n",
        "b.ts",
        &[
            ("a.ts", "import type { Shape } from './types';\nexport const s: Shape = 1;\n"),
            (
                "b.ts",
                "import type { Size } from './types';\n\nexport const b = 1;\nexport const size: Size = 2;\n",
            ),
        ],
    );
    moves(
        "//- a.ts\nimport { type Shape, size } from './types';\nexport const s: Shape = 1;\nexport const d<caret>eep: Shape = size;\n//- types.ts\nexport type Shape = number;\nexport const size = 1;\n",
        "b.ts",
        &[
            ("a.ts", "import { type Shape } from './types';\nexport const s: Shape = 1;\n"),
            (
                "b.ts",
                "import { size } from './types';\nimport { type Shape } from './types';\n\nexport const deep: Shape = size;\n",
            ),
        ],
    );
}

#[test]
fn who_writes_endings_names_the_file_of_a_directory() {
    let source = |ending: &str| {
        format!(
            "//- src/a.ts\nimport {{ x }} from './x{ending}';\nexport const l<caret>imit = 3;\nexport const y = x + limit;\n//- src/x.ts\nexport const x = 1;\n//- src/lib/index.ts\nexport const b = 1;\n"
        )
    };
    for (ending, module) in [(".js", "./lib/index.js"), ("", "./lib")] {
        let text = format!(
            "import {{ limit }} from '{module}';\nimport {{ x }} from './x{ending}';\nexport const y = x + limit;\n"
        );
        moves(
            &source(ending),
            "src/lib/index.ts",
            &[("src/a.ts", &text), ("src/lib/index.ts", "export const b = 1;\nexport const limit = 3;\n")],
        );
    }
}

#[test]
fn a_barrel_passes_overloads_on_once() {
    moves(
        "//- a.ts\nexport function f<caret>it(x: string): string;\nexport function fit(x: number): string;\nexport function fit(x: unknown): string { return String(x); }\nexport const other = 1;\n//- b.ts\nexport const b = 1;\n//- index.ts\nexport * from './a';\n",
        "b.ts",
        &[
            ("a.ts", "export const other = 1;\n"),
            (
                "b.ts",
                "export const b = 1;\nexport function fit(x: string): string;\nexport function fit(x: number): string;\nexport function fit(x: unknown): string { return String(x); }\n",
            ),
            ("index.ts", "export { fit } from './b';\nexport * from './a';\n"),
        ],
    );
}

#[test]
fn a_file_imports_nothing_that_arrives_in_it() {
    moves(
        "//- a.ts\nexport interface Sh<caret>ape { x: number }\nexport const other = 1;\n//- index.ts\nexport { Shape, other } from './a';\n//- use.ts\nimport { other, type Shape } from './index';\nexport const s: Shape = { x: other };\n",
        "use.ts",
        &[
            ("a.ts", "export const other = 1;\n"),
            ("index.ts", "export { other } from './a';\nexport { Shape } from './use';\n"),
            (
                "use.ts",
                "import { other } from './index';\nexport interface Shape { x: number }\n\nexport const s: Shape = { x: other };\n",
            ),
        ],
    );
}

#[test]
fn what_runs_stands_behind_what_it_needs() {
    moves(
        "//- a.ts\nimport { Box } from './b';\nexport const b<caret>ox = new Box('a');\nexport const y = 1;\n//- b.ts\nexport const z = 'box';\nexport class Box { constructor(readonly box: string) {} }\n",
        "b.ts",
        &[
            ("a.ts", "export const y = 1;\n"),
            (
                "b.ts",
                "export const z = 'box';\nexport class Box { constructor(readonly box: string) {} }\nexport const box = new Box('a');\n",
            ),
        ],
    );
}

#[test]
fn what_others_need_early_stands_first() {
    // `main` runs `store`, which asks `main` for the limit from then on.
    moves(
        "//- consts.ts\nexport const L<caret>IMIT = 50;\nexport const other = 1;\n//- store.ts\nimport { LIMIT } from './consts';\nexport function full(n: number) { return n > LIMIT; }\n//- main.ts\nimport { full } from './store';\nconsole.log(full(3));\n",
        "main.ts",
        &[
            ("consts.ts", "export const other = 1;\n"),
            (
                "main.ts",
                "import { full } from './store';\nexport const LIMIT = 50;\n\nconsole.log(full(3));\n",
            ),
            (
                "store.ts",
                "import { LIMIT } from './main';\nexport function full(n: number) { return n > LIMIT; }\n",
            ),
        ],
    );
}

#[test]
fn a_module_does_not_wait_for_one_that_waits_for_it() {
    let source = |code: &str| {
        format!(
            "//- state.ts\nexport class Store {{}}\n//- cart.ts\nimport {{ Store }} from './state';\nexport class Cart extends Store {{}}\n//- main.ts\nimport {{ Cart }} from './cart';\n{code}\n"
        )
    };
    refuses(&source("export const ca<caret>rt = new Cart();"), "state.ts", "one that waits for it");
    moves(
        &source("export const ca<caret>rt = () => new Cart();"),
        "state.ts",
        &[
            ("main.ts", ""),
            (
                "state.ts",
                "import { Cart } from './cart';\n\nexport class Store {}\nexport const cart = () => new Cart();\n",
            ),
        ],
    );
    // Nobody waits for a module that is asked for types only.
    moves(
        &source("export const ca<caret>rt = new Cart();").replace(
            "import { Store } from './state';\nexport class Cart extends Store {}",
            "import { type Store } from './state';\nexport class Cart { s?: Store }",
        ),
        "state.ts",
        &[
            ("main.ts", ""),
            (
                "state.ts",
                "import { Cart } from './cart';\n\nexport class Store {}\nexport const cart = new Cart();\n",
            ),
        ],
    );
}

#[test]
fn elements_take_along_how_they_are_made() {
    moves(
        "//- tsconfig.json\n{ \"compilerOptions\": { \"jsx\": \"react\", \"jsxFactory\": \"h\" } }\n//- a.tsx\nimport { h } from './h';\nexport const A<caret>a = () => <b>x</b>;\nexport const y = <i />;\n//- h.ts\nexport function h(...x: unknown[]) { return x; }\n",
        "b.tsx",
        &[
            ("a.tsx", "import { h } from './h';\nexport const y = <i />;\n"),
            ("b.tsx", "import { h } from './h';\n\nexport const Aa = () => <b>x</b>;\n"),
        ],
    );
}

#[test]
fn another_name_for_a_member_of_a_namespace_keeps_it() {
    let source = |line: &str| {
        format!(
            "//- lists.ts\nexport const fi<caret>rst = (x: number[]) => x[0];\nexport const y = 1;\n//- main.ts\nimport * as lists from './lists';\n{line}\n"
        )
    };
    refuses(&source("import fmt = lists.first;\nfmt([]);"), "b.ts", "import … =");
    moves(
        &source("lists.first([]);"),
        "b.ts",
        &[
            ("b.ts", "export const first = (x: number[]) => x[0];\n"),
            ("lists.ts", "export const y = 1;\n"),
            ("main.ts", "import { first } from './b';\nimport * as lists from './lists';\nfirst([]);\n"),
        ],
    );
}

#[test]
fn all_parts_of_what_is_shown_are_exported() {
    moves(
        "//- a.ts\ninterface Entry { x: number }\ninterface Entry { y?: number }\nexport type R<caret>ow = Entry[];\nexport const e: Entry = { x: 1 };\n//- b.ts\nexport const b = 1;\n",
        "b.ts",
        &[
            (
                "a.ts",
                "export interface Entry { x: number }\nexport interface Entry { y?: number }\nexport const e: Entry = { x: 1 };\n",
            ),
            (
                "b.ts",
                "import type { Entry } from './a';\n\nexport const b = 1;\nexport type Row = Entry[];\n",
            ),
        ],
    );
    moves(
        "//- a.ts\ninterface En<caret>try { x: number }\ninterface Entry { y?: number }\nexport const e: Entry = { x: 1 };\n//- b.ts\nexport const b = 1;\n",
        "b.ts",
        &[
            ("a.ts", "import type { Entry } from './b';\n\nexport const e: Entry = { x: 1 };\n"),
            (
                "b.ts",
                "export const b = 1;\nexport interface Entry { x: number }\nexport interface Entry { y?: number }\n",
            ),
        ],
    );
}

#[test]
fn a_barrel_binds_nothing_that_it_passes_on() {
    let source = |line: &str| {
        format!(
            "//- lib/index.ts\nexport {{ Money }} from './money';\nexport * as text from './text';\n//- lib/money.ts\nexport class Money {{}}\n//- lib/text.ts\nexport const sep = '.';\n//- main.ts\nimport {{ Money, text }} from './lib';\nimport {{ sep }} from './lib/text';\n{line}\nconsole.log(Money, text, sep);\n"
        )
    };
    refuses(&source("export const pa<caret>rt = text.sep;"), "lib/index.ts", "only passed on");
    refuses(&source("export const pa<caret>rt = new Money();"), "lib/index.ts", "only passed on");
    moves(
        &source("export const pa<caret>rt = sep;"),
        "lib/index.ts",
        &[
            (
                "lib/index.ts",
                "export { Money } from './money';\nimport { sep } from './text';\n\nexport * as text from './text';\nexport const part = sep;\n",
            ),
            (
                "main.ts",
                "import { Money, text } from './lib';\nimport { sep } from './lib/text';\nconsole.log(Money, text, sep);\n",
            ),
        ],
    );
}
