//! Names with so many declarations that they are not compared one by one: the answers are those that few of them have.

use test_fixture::scaled;

use crate::refactor::{delete, refuses, renames};

/// `line` so often, with the caret in the middle one.
fn lines(line: &str, count: usize) -> String {
    let plain = line.replace('|', "").repeat(count / 2);
    format!("{plain}{}{plain}", line.replace('|', "<caret>"))
}

fn rename_all(path: &str, head: &str, line: &str, tail: &str) {
    let source = format!("{head}{}{tail}", lines(line, 600));
    let wanted = source.replace("<caret>", "").replace("run", "went");
    renames(&format!("//- {path}\n{source}"), "went", &[(path, &wanted)]);
}

#[test]
fn locals_that_are_declared_again_are_renamed_together() {
    rename_all("src/lib.rs", "fn f(run: u8) -> u8 {\n", "let |run = run + 1;\n", "run\n}\n");
}

#[test]
fn functions_that_are_defined_again_are_renamed_together() {
    rename_all("a.py", "", "def |run(): pass\n", "run()\n");
}

#[test]
fn macros_are_found_by_the_words_in_their_bodies() {
    let macros: String =
        (0..100).map(|i| format!("macro_rules! m{i} {{ () => {{ m{}!() }} }}\n", i + 1)).collect();
    let source = format!("fn <caret>run() {{}}\n{macros}macro_rules! m100 {{ () => {{ crate::run() }} }}\n");
    // It is not known what a word means in a macro that others name.
    refuses(&format!("//- src/lib.rs\n{source}"), "went", &["unresolved_use"]);
}

#[test]
fn values_that_are_assigned_again_are_renamed_together() {
    let source = |name: &str| format!("{}b = {name}\n", format!("{name} = {name}\n").repeat(4_000));
    let with_caret = source("run").replacen("run", "<caret>run", 1);
    renames(&format!("//- a.py\n{with_caret}"), "went", &[("a.py", &source("went"))]);
}

/// Types that embed each other are no deeper than a selector looks.
#[test]
fn methods_of_a_circle_of_embedded_types_are_renamed_together() {
    let types: String = (0..600).map(|i| format!("type A{i} struct{{ A{} }}\n", (i + 1) % 600)).collect();
    let source = |name: &str| {
        format!(
            "package a\n{types}func (a A0) {name}() {{}}\ntype I interface{{ {name}() }}\nfunc f(a A0) {{ a.{name}() }}\n"
        )
    };
    let with_caret = source("run").replacen("run()", "<caret>run()", 1);
    renames(&format!("//- a.go\n{with_caret}"), "went", &[("a.go", &source("went"))]);
}

/// The tree of the file is read once, not once for each: with that, this takes minutes.
#[test]
fn functions_that_are_declared_again_are_deleted_together() {
    for source in [
        format!("//- a.py\n{}b = 1\n", lines("def |run(): pass\n", scaled(500, 2_000))),
        format!(
            "//- a.ts\n{}function run(a: any): any {{}}\nconst b = 1;\n",
            lines("function |run(a: 1): 2;\n", scaled(500, 2_000))
        ),
    ] {
        let outcome = delete(&source);
        assert_eq!(outcome.conflicts, [] as [&str; 0], "{:#?}", outcome.refactored.conflicts);
    }
}

/// Each part has its members: they are compared by look-up, with the others only in its own part.
#[test]
fn members_of_unions_of_many_parts_are_renamed_together() {
    let source = |name: &str| {
        let items: String = (0..scaled(700, 3_000)).map(|i| format!("{{ {name}: {i} }},\n")).collect();
        format!("const all = [\n{items}];\nconst b = all[0].{name};\n")
    };
    let with_caret = source("run").replacen("all[0].run", "all[0].<caret>run", 1);
    renames(&format!("//- a.js\n{with_caret}"), "went", &[("a.js", &source("went"))]);
}

/// Each test of one value holds where it stands, among very many.
#[test]
fn a_use_means_the_type_that_is_tested_where_it_stands() {
    let languages: [(&str, &str, &str, &str, &str); 5] = [
        (
            "T.java",
            "class T { void f(Object a) {\n",
            "if (a instanceof A% b) { b.run(); return; }\n",
            "} }\n",
            "class A% { void run() {} }\n",
        ),
        (
            "a.kt",
            "fun f(a: Any) {\n",
            "if (a is A%) { a.run(); return }\n",
            "}\n",
            "class A% { fun run() {} }\n",
        ),
        (
            "a.ts",
            "function f(a: unknown) {\n",
            "if (a instanceof A%) { a.run(); return; }\n",
            "}\n",
            "class A% { a% = 1; run() {} }\n",
        ),
        (
            "a.php",
            "<?php\nfunction f($a) {\n",
            "if ($a instanceof A%) { $a->run(); return; }\n",
            "}\n",
            "class A% { function run() {} }\n",
        ),
        (
            "a.py",
            "def f(a):\n",
            "    if isinstance(a, A%): return a.run()\n",
            "    return 1\n",
            "class A%:\n    def run(self): pass\n",
        ),
    ];
    for (path, head, test, tail, class) in languages {
        let repeated = |text: &str, name: &str| -> String {
            let with = |i: usize| if i == 150 { text.replace("run", name) } else { text.to_owned() };
            (0..300).map(|i| with(i).replace('%', &i.to_string())).collect()
        };
        let source = |declared: &str, used: &str| {
            format!("{head}{}{tail}{}", repeated(test, used), repeated(class, declared))
        };
        renames(
            &format!("//- {path}\n{}", source("<caret>run", "run")),
            "went",
            &[(path, &source("went", "went"))],
        );
    }
}
