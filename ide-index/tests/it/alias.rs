//! A local name that an import gives gets another name; the imported declaration keeps its own.

use std::collections::BTreeMap;

use ide_model::{FilePath, Refactoring};

use crate::refactor::{Outcome, change_spot};

fn rename(source: &str, new_name: &str) -> Outcome {
    change_spot(source, |at, plan| {
        let file = FilePath::new(at.path.as_str());
        plan(&Refactoring::RenameAlias { file: &file, offset: at.start, new_name })
    })
}

/// The text of the only file that is different afterwards.
#[track_caller]
fn renames(source: &str, file: &str, wanted: &str) {
    let outcome = rename(source, "other");
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    assert_eq!(outcome.changed, BTreeMap::from([(file.to_owned(), wanted.to_owned())]));
}

#[track_caller]
fn refuses(source: &str, new_name: &str, kinds: &[&str]) {
    let outcome = rename(source, new_name);
    assert_eq!(outcome.conflicts, kinds, "{:#?}\n{:#?}", outcome.refactored.conflicts, outcome.changed);
}

#[test]
fn aliases_in_each_language() {
    renames(
        "//- m.py\nclass A: pass\n//- u.py\nimport os.path as pa\nfrom m import A as Al<caret>ias\n\ndef f(x: Alias) -> 'Alias':\n    return Alias() or pa.join(x.Alias)\n",
        "u.py",
        "import os.path as pa\nfrom m import A as other\n\ndef f(x: other) -> 'other':\n    return other() or pa.join(x.Alias)\n",
    );
    renames(
        "//- u.py\nimport numpy as np\nx = n<caret>p.array([np.pi])\ny = dict(np=1)\n",
        "u.py",
        "import numpy as other\nx = other.array([other.pi])\ny = dict(np=1)\n",
    );
    renames(
        "//- a.ts\nexport const a = 1;\nexport interface T { x: number }\n//- b.ts\nimport { a as b, T as B } from './a';\nimport * as ns from './a';\nconst o = { b };\nfunction f(b: number) { return b; }\nexport const c: B = { x: <caret>b + ns.a };\n",
        "b.ts",
        "import { a as other, T as B } from './a';\nimport * as ns from './a';\nconst o = { b: other };\nfunction f(b: number) { return b; }\nexport const c: B = { x: other + ns.a };\n",
    );
    renames(
        "//- a.ts\nexport const a = 1;\n//- b.ts\nimport * as <caret>ns from './a';\nexport const c = ns.a + typeof ns.a;\n",
        "b.ts",
        "import * as other from './a';\nexport const c = other.a + typeof other.a;\n",
    );
    renames(
        "//- go.mod\nmodule m\n//- main.go\npackage main\n\nimport (\n\ts<caret>tr \"strings\"\n)\n\nfunc main() { str.ToUpper(\"\"); f := str.Split; f(\"str\", \"\") }\n",
        "main.go",
        "package main\n\nimport (\n\tother \"strings\"\n)\n\nfunc main() { other.ToUpper(\"\"); f := other.Split; f(\"str\", \"\") }\n",
    );
    renames(
        "//- go.mod\nmodule m\n//- main.go\npackage main\n\nimport \"strings\"\n\nfunc main() { <caret>strings.ToUpper(\"strings\") }\n",
        "main.go",
        "package main\n\nimport other \"strings\"\n\nfunc main() { other.ToUpper(\"strings\") }\n",
    );
    renames(
        "//- a.php\n<?php\nnamespace N;\nclass A { const X = 1; }\n//- b.php\n<?php\nnamespace M;\nuse N\\A as B;\nfunction f(<caret>B $B): B { return new B(B::X); }\n",
        "b.php",
        "<?php\nnamespace M;\nuse N\\A as other;\nfunction f(other $B): other { return new other(other::X); }\n",
    );
    renames(
        "//- src/lib.rs\nmod a;\nmod b;\n//- src/a.rs\npub struct A;\n//- src/b.rs\nuse crate::a::{A as B, self as mo};\nuse B as C;\nfn f(x: B) -> mo::A { let _: <caret>B = x; B }\n",
        "src/b.rs",
        "use crate::a::{A as other, self as mo};\nuse other as C;\nfn f(x: other) -> mo::A { let _: other = x; other }\n",
    );
    renames(
        "//- a/A.kt\npackage a\nclass A\nfun make() = A()\n//- b/B.kt\npackage b\nimport a.A as B\nimport a.make as mk\nfun f(x: B): B = if (x == B()) m<caret>k() else mk()\n",
        "b/B.kt",
        "package b\nimport a.A as B\nimport a.make as other\nfun f(x: B): B = if (x == B()) other() else other()\n",
    );
}

#[test]
fn what_is_no_alias_or_must_not_change_is_refused() {
    refuses(
        "//- m.py\nclass A: pass\n//- u.py\nfrom m import A as <caret>B\nC = 1\nB()\n",
        "C",
        &["collision"],
    );
    refuses("//- m.py\nclass A: pass\n//- u.py\nfrom m import A as <caret>B\nB()\n", "is", &["invalid_name"]);
    refuses(
        "//- m.py\nclass A: pass\n//- u.py\nfrom m import A as <caret>B\ndef f(C): return B()\n",
        "C",
        &["meaning_changes"],
    );
}

#[test]
fn an_import_of_a_default_export_may_have_any_name() {
    for given in [
        "export class A {}\nexport { A as default };\n",
        "export default class A {}\n",
        "export default class {}\n",
        "const a = 1;\nexport default a;\n",
        "export default () => 4;\n",
    ] {
        let source =
            format!("//- a.js\n{given}//- b.js\nimport <caret>B from './a.js';\nconsole.log(B, {{ B }});\n");
        renames(&source, "b.js", "import other from './a.js';\nconsole.log(other, { B: other });\n");
        let at_use = source.replace("<caret>", "").replace("log(B", "log(<caret>B");
        renames(&at_use, "b.js", "import other from './a.js';\nconsole.log(other, { B: other });\n");
    }
}

#[track_caller]
fn is_now(outcome: &Outcome, wanted: &str) {
    assert_eq!(outcome.refactored.conflicts, [], "{:#?}", outcome.changed);
    assert_eq!(outcome.changed.values().collect::<Vec<_>>(), [wanted]);
}

#[test]
fn an_alias_of_a_namespace_is_renamed_where_names_begin_with_it() {
    let outcome = rename(
        "//- src/Order.php\n<?php\nnamespace App\\Model;\nclass Order { public string $name = ''; }\n//- main.php\n<?php\nnamespace M\\Main;\nuse App\\Model as <caret>M;\nfunction f(M\\Order $o): string { return m\\Order::class . $o->name . namespace\\M\\x(); }\n",
        "Mod",
    );
    is_now(
        &outcome,
        "<?php\nnamespace M\\Main;\nuse App\\Model as Mod;\nfunction f(Mod\\Order $o): string { return Mod\\Order::class . $o->name . namespace\\M\\x(); }\n",
    );
}

#[test]
fn an_import_of_a_namespace_under_its_own_name_is_a_name_of_its_own() {
    let code = "namespace Tools { export namespace Deep { export interface Opt { a: number } } }\nimport Deep = Tools.Deep;\nexport const opt: Deep.Opt = { a: 1 };\n";
    let outcome =
        rename(&format!("//- a.ts\n{}", code.replacen("import Deep", "import <caret>Deep", 1)), "Low");
    is_now(&outcome, &code.replacen("import Deep", "import Low", 1).replace("opt: Deep", "opt: Low"));
    crate::refactor::renames(
        &format!("//- a.ts\n{}", code.replacen("namespace Deep", "namespace <caret>Deep", 1)),
        "Low",
        &[("a.ts", &code.replacen("namespace Deep", "namespace Low", 1).replace("Tools.Deep", "Tools.Low"))],
    );
}

#[test]
fn an_alias_of_a_member_meets_no_inherited_member() {
    let code = "<?php\nabstract class A { public function shown() {} private function own() {} }\ntrait Logs { private function log() {} }\nclass B extends A { use Logs { log as protected write<caret>Log; } function f() { $this->writeLog(); } }\n";
    let source = format!("//- a.php\n{code}");
    refuses(&source, "shown", &["collision"]);
    refuses(&source, "own", &[]);
}

#[test]
fn a_required_module_is_called_as_its_user_likes() {
    let modules = "//- m.js\nexports.add = 1;\n//- f.js\nmodule.exports = function () {};\n";
    for (module, used) in [("m", ".add"), ("f", "()")] {
        for (name, user) in [("na<caret>me", "name"), ("name", "na<caret>me")] {
            renames(
                &format!("{modules}//- b.js\nconst {name} = require('./{module}');\n{user}{used};\n"),
                "b.js",
                &format!("const other = require('./{module}');\nother{used};\n"),
            );
        }
    }
}

#[test]
fn a_namespace_that_is_exported_may_be_taken_apart() {
    let modules = "//- a.mjs\nexport const x = 1;\n//- b.mjs\nimport * as <caret>ns from './a.mjs';\nexport { ns };\n//- c.mjs\n";
    refuses(&format!("{modules}import('./b.mjs').then(({{ ns }}) => ns.x);\n"), "other", &["unresolved_use"]);
    let outcome = rename(&format!("{modules}import {{ ns }} from './b.mjs';\nns.x;\n"), "other");
    assert_eq!(outcome.refactored.conflicts, []);
    assert_eq!(outcome.changed["c.mjs"], "import { other } from './b.mjs';\nother.x;\n");
}

#[test]
fn the_factory_of_elements_keeps_its_name() {
    let user = "//- u.tsx\nimport { h<caret> as h } from './jsx';\nexport const e = <a />;\n";
    let user = user.replace("h<caret> as h", "make as h<caret>");
    refuses(&format!("{user}//- jsx.ts\nexport function make() {{}}\n"), "other", &["unresolved_use"]);
    renames(
        "//- u.tsx\nimport { make as h<caret> } from './jsx';\nexport const e = h();\n//- jsx.ts\nexport function make() {}\n",
        "u.tsx",
        "import { make as other } from './jsx';\nexport const e = other();\n",
    );
}
