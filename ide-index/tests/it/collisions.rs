//! New names that would meet others: of those who import what is renamed, of lambdas, of star imports, of what a compiler
//! makes.

use ide_model::{Cx, FilePath, Refactoring, Stop, Target};
use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::{MemoryWorld, lang};

use crate::refactor::{change_spot, refuses, renames, renames_together};

const POINT: &str = "from a import Point\n\n\ndef f():\n    return Point.__name__\n";

#[test]
fn a_new_name_must_be_free_where_an_import_binds_it() {
    refuses(
        &format!("//- a.py\nclass Po<caret>int: pass\n//- b.py\n{POINT}class Plugin: pass\n"),
        "Plugin",
        &["collision"],
    );
    refuses(
        "//- m.ts\nexport let cou<caret>nter = 1;\n//- main.ts\nimport { counter } from './m';\nconsole.log(counter);\nfunction overload() {}\noverload();\n",
        "overload",
        &["collision"],
    );
    refuses(
        "//- m.js\nexports.ru<caret>n = () => 1;\n//- main.js\nconst { run } = require('./m');\nconst go = 2;\nconsole.log(run());\n",
        "go",
        &["collision"],
    );
    refuses(
        "//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\nmod a { pub struct Po<caret>int; }\nuse a::Point;\nstruct Plugin;\nfn f(_: Point, _: Plugin) {}\n",
        "Plugin",
        &["collision", "meaning_changes"],
    );
    refuses(
        "//- a/Point.java\npackage a;\npublic class Po<caret>int {}\n//- b/Main.java\npackage b;\nimport a.Point;\nclass Main { Point p; }\nclass Plugin {}\n",
        "Plugin",
        &["collision", "meaning_changes"],
    );
    refuses(
        "//- a.php\n<?php\nnamespace A;\nclass Po<caret>int {}\n//- b.php\n<?php\nnamespace B;\nuse A\\Point;\nclass Plugin {}\nfunction f(Point $p) {}\n",
        "Plugin",
        &["collision"],
    );
    refuses(
        "//- a.kt\npackage a\nclass Po<caret>int\n//- b.kt\npackage b\nimport a.Point\nclass Plugin\nfun f(p: Point) {}\n",
        "Plugin",
        &["collision"],
    );
}

#[test]
fn two_imports_may_bind_one_name_to_one_thing_or_to_things_of_other_kinds() {
    renames(
        "//- a.py\nclass Po<caret>int: pass\n//- b.py\nfrom a import Point\nfrom a import Point as Plugin\n\nprint(Point, Plugin)\n",
        "Plugin",
        &[
            ("a.py", "class Plugin: pass\n"),
            ("b.py", "from a import Plugin\nfrom a import Plugin as Plugin\n\nprint(Plugin, Plugin)\n"),
        ],
    );
    renames(
        "//- a.py\nclass Po<caret>int: pass\n//- b.py\nimport a\n\nclass Plugin: pass\n\nprint(a.Point)\n",
        "Plugin",
        &[("a.py", "class Plugin: pass\n"), ("b.py", "import a\n\nclass Plugin: pass\n\nprint(a.Plugin)\n")],
    );
    renames(
        "//- a.php\n<?php\nnamespace A;\nclass Po<caret>int {}\n//- b.php\n<?php\nnamespace B;\nuse A\\Point;\nfunction plugin(Point $p) {}\n",
        "Plugin",
        &[
            ("a.php", "<?php\nnamespace A;\nclass Plugin {}\n"),
            ("b.php", "<?php\nnamespace B;\nuse A\\Plugin;\nfunction plugin(Plugin $p) {}\n"),
        ],
    );
}

const SHOP: &str = "//- services.py\nclass Point: pass\nLAST = 0\n";

#[test]
fn a_later_star_import_takes_the_name() {
    let main = "from models import Item\nfrom services import *\n\nprint(Item)\n";
    refuses(
        &format!("{SHOP}//- models.py\nclass It<caret>em: pass\n//- main.py\n{main}"),
        "Point",
        &["collision"],
    );
    let services = SHOP.replace("LAST", "LA<caret>ST");
    refuses(
        &format!("{services}//- models.py\nclass Item: pass\n//- main.py\n{main}"),
        "Item",
        &["invalid_name"],
    );
    refuses(
        &format!("{SHOP}//- main.py\ndef he<caret>lp(): pass\n\nfrom services import *\nhelp()\n"),
        "Point",
        &["collision"],
    );
}

#[test]
fn an_earlier_star_import_takes_no_name() {
    renames(
        &format!(
            "{SHOP}//- models.py\nclass It<caret>em: pass\n//- main.py\nfrom services import *\nfrom models import Item\n\nprint(Item, LAST)\n"
        ),
        "Point",
        &[
            ("models.py", "class Point: pass\n"),
            ("main.py", "from services import *\nfrom models import Point\n\nprint(Point, LAST)\n"),
        ],
    );
    renames(
        &format!(
            "{SHOP}//- models.py\nclass It<caret>em: pass\n//- main.py\nfrom models import Item\nfrom services import *\n\nprint(Item, LAST)\n"
        ),
        "Thing",
        &[
            ("models.py", "class Thing: pass\n"),
            ("main.py", "from models import Thing\nfrom services import *\n\nprint(Thing, LAST)\n"),
        ],
    );
}

fn java(body: &str) -> String {
    format!(
        "//- A.java\nimport java.util.function.*;\nclass A {{ int field; void m(int args, Object o) {{ {body} }} }}\n"
    )
}

#[test]
fn a_lambda_of_java_has_no_local_of_the_method_around_it() {
    let f = "IntUnaryOperator f = <caret>x -> x + 1; f.applyAsInt(main);";
    refuses(&java(&format!("int main = 1; {f}")), "main", &["collision"]);
    refuses(&java(&format!("int main = 1; {f}")), "args", &["collision"]);
    refuses(&java("if (o instanceof String s) { IntUnaryOperator f = <caret>x -> x; }"), "s", &["collision"]);
    refuses(
        &java("try { m(1, o); } catch (RuntimeException e) { Runnable r = () -> { int <caret>x = 1; }; }"),
        "e",
        &["collision"],
    );
}

#[test]
fn a_lambda_of_java_may_have_what_is_not_known_there() {
    let wanted = |body: &str| java(body).trim_start_matches("//- A.java\n").to_owned();
    for (name, before, after) in [
        ("field", "IntUnaryOperator f = <caret>x -> x;", "IntUnaryOperator f = field -> field;"),
        (
            "late",
            "IntUnaryOperator f = <caret>x -> x; int late = 1;",
            "IntUnaryOperator f = late -> late; int late = 1;",
        ),
        (
            "s",
            "if (!(o instanceof String s)) { IntUnaryOperator f = <caret>x -> x; }",
            "if (!(o instanceof String s)) { IntUnaryOperator f = s -> s; }",
        ),
        (
            "args",
            "new Object() { int n(int <caret>x) { return x; } };",
            "new Object() { int n(int args) { return args; } };",
        ),
    ] {
        renames(&java(before), name, &[("A.java", &wanted(after))]);
    }
}

#[test]
fn a_component_of_a_record_its_accessor_and_its_parameter_are_one() {
    renames_together(
        "R.java",
        "interface Named { String «run»(); }\nrecord R(double side, String «run») implements Named {\n  R(double side, String «run») { this.side = side; this.«run» = «run»; }\n  R(String run) { this(1, run); }\n  public String «run»() { return «run».trim(); }\n  String run(int n) { return «run»; }\n  static String f(Object o) { return o instanceof R(double s, String run) ? run : new R(\"\").«run»(); }\n}\n",
    );
    renames_together(
        "C.java",
        "class C { String run; String «run»() { return run; } String f() { return «run»(); } }\n",
    );
}

#[test]
fn what_is_made_of_a_type_goes_along_with_it() {
    renames(
        "//- Shape.java\npublic interface Sha<caret>pe { enum Kind { A, B; static int total() { return values().length + valueOf(\"A\").ordinal(); } } record P(int x) { int y() { return x() + hashCode(); } } }\n",
        "Form",
        &[(
            "Form.java",
            "public interface Form { enum Kind { A, B; static int total() { return values().length + valueOf(\"A\").ordinal(); } } record P(int x) { int y() { return x() + hashCode(); } } }\n",
        )],
    );
    renames(
        "//- Shape.kt\nclass Sha<caret>pe { enum class Kind { A, B; companion object { fun total() = values().size + entries.size + Kind.valueOf(\"A\").ordinal } }\n    data class P(val x: Int) { fun y() = copy(x = 2).component1() } }\n",
        "Form",
        &[(
            "Shape.kt",
            "class Form { enum class Kind { A, B; companion object { fun total() = values().size + entries.size + Kind.valueOf(\"A\").ordinal } }\n    data class P(val x: Int) { fun y() = copy(x = 2).component1() } }\n",
        )],
    );
    renames(
        "//- Kind.php\n<?php\nenum Ki<caret>nd: string { case A = 'a'; public static function total(): int { return count(self::cases()) + count(Kind::cases()) + strlen(self::from('a')->name); } }\n",
        "Sort",
        &[(
            "Sort.php",
            "<?php\nenum Sort: string { case A = 'a'; public static function total(): int { return count(self::cases()) + count(Sort::cases()) + strlen(self::from('a')->name); } }\n",
        )],
    );
}

/// The names of what a construction is a use of, asked for as a name.
fn bearer(source: &str) -> String {
    let fixture = test_fixture::Fixture::parse(source);
    let files = fixture.files().iter().map(|f| (f.path.clone(), f.text.clone()));
    let pool = Resolvers::new(Arc::new(MemoryWorld::new(files, lang::front_end)));
    let at = fixture.caret();
    let target = Target::Name { file: FilePath::new(at.path.as_str()), offset: at.start };
    let stop = Stop::new();
    let found = query::resolve(&pool, Cx::new(&stop), &target);
    let name = |symbol: &ide_model::Symbol| {
        assert!(!symbol.name_range.is_empty(), "{symbol:?}");
        symbol.name.to_string()
    };
    found.map_or_else(|error| format!("{error:?}"), |found| name(&found[0].0))
}

#[test]
fn a_construction_names_its_class() {
    assert_eq!(
        bearer("//- a.ts\nclass Matrix { constructor(readonly rows: number) {} }\nnew Mat<caret>rix(2);\n"),
        "Matrix"
    );
    assert_eq!(bearer("//- a.js\nclass Matrix { constructor(rows) {} }\nnew Mat<caret>rix(2);\n"), "Matrix");
    assert_eq!(
        bearer(
            "//- a.php\n<?php\nclass Matrix { function __construct(int $rows) {} }\nnew Mat<caret>rix(2);\n"
        ),
        "Matrix"
    );
    assert_eq!(
        bearer("//- a.py\nclass Matrix:\n    def __init__(self, rows): pass\n\nMat<caret>rix(2)\n"),
        "Matrix"
    );
    assert_eq!(
        bearer(
            "//- a.kt\nclass Matrix(val rows: Int)\n//- B.java\nclass B { Object of() { return new Mat<caret>rix(2); } }\n"
        ),
        "Matrix"
    );
    assert_eq!(
        bearer("//- a.kt\nclass Matrix { constructor(rows: Int) }\nfun f() = Mat<caret>rix(2)\n"),
        "Matrix"
    );
    assert_eq!(
        bearer("//- a.ts\nclass Matrix { con<caret>structor(readonly rows: number) {} }\n"),
        "constructor"
    );
    assert_eq!(
        bearer("//- a.ts\nclass A { constructor() {} }\nclass B extends A {}\nnew <caret>B();\n"),
        "B"
    );
}

#[test]
fn an_alias_must_be_free_of_later_star_imports() {
    let renamed = |source: &str, new_name: &str| {
        change_spot(source, |at, plan| {
            let file = FilePath::new(at.path.as_str());
            plan(&Refactoring::RenameAlias { file: &file, offset: at.start, new_name })
        })
    };
    let shop = format!("{SHOP}//- models.py\nclass LineItem: pass\n//- main.py\n");
    let source = format!(
        "{shop}from models import LineItem as It<caret>em\nfrom services import *\n\nprint(Item, LAST)\n"
    );
    assert_eq!(renamed(&source, "Point").conflicts, ["collision"]);
    assert_eq!(renamed(&source, "Thing").conflicts, [""; 0]);
}

#[test]
fn lifetimes_in_macros_are_those_of_the_caller() {
    let source = |calls: &str| {
        format!(
            "//- src/lib.rs\nmacro_rules! get {{ () => {{ fn get(self) -> &'a str {{ self.0 }} }} }}\n\
             macro_rules! outer {{ () => {{ get!(); }} }}\n\
             struct S<'a>(&'a str);\nimpl<'<caret>a> S<'a> {{ {calls} }}\nstruct T<'a>(&'a str);\nimpl<'a> T<'a> {{}}\n"
        )
    };
    let after = |calls: &str, of_macro: &str| {
        let text = source(calls).split_once('\n').unwrap().1.replace("<caret>", "");
        let text = text.replace("impl<'a> S<'a>", "impl<'b> S<'b>");
        text.replace("-> &'a str", &format!("-> &'{of_macro} str"))
    };
    let none = source("fn f() {}").replace("macro_rules! outer { () => { get!(); } }\n", "");
    let none_after = after("fn f() {}", "a").replace("macro_rules! outer { () => { get!(); } }\n", "");
    renames(&none, "b", &[("src/lib.rs", &none_after)]);
    let only_here = source("get!();").replace("macro_rules! outer { () => { get!(); } }\n", "");
    let only_after = after("get!();", "b").replace("macro_rules! outer { () => { get!(); } }\n", "");
    renames(&only_here, "b", &[("src/lib.rs", &only_after)]);
    let also_there = only_here.replace("T<'a> {}", "T<'a> { get!(); }");
    refuses(&also_there, "b", &["unresolved_use"]);
    let of_another = only_here.replace(
        "struct S",
        "mod m {\n    macro_rules! get { () => { fn got(self) -> &'a u8 { self.0 } } }\n}\nstruct S",
    );
    let another_after = only_after.replace(
        "struct S",
        "mod m {\n    macro_rules! get { () => { fn got(self) -> &'a u8 { self.0 } } }\n}\nstruct S",
    );
    renames(&of_another, "b", &[("src/lib.rs", &another_after)]);
    refuses(&source("outer!();"), "b", &["unresolved_use"]);
    renames(&source("fn f() {}"), "b", &[("src/lib.rs", &after("fn f() {}", "a"))]);
}
