//! The callers and callees of a function.

use std::sync::Arc;

use ide_index::query::{self, Resolvers};
use ide_index::{MemoryWorld, guard, lang};
use ide_model::{CallEdge, Cx, FilePath, Stop, Symbol, Target};
use test_fixture::{Fixture, scaled};

fn ask(source: &str, question: impl FnOnce(&Resolvers, Cx<'_>, &Symbol) -> Vec<CallEdge>) -> Vec<String> {
    let fixture = Fixture::parse(source);
    let files = fixture.files().iter().map(|f| (f.path.clone(), f.text.clone()));
    let pool = Resolvers::new(Arc::new(MemoryWorld::new(files, lang::front_end)));
    let stop = Stop::new();
    let cx = Cx::new(&stop);
    let caret = fixture.caret();
    let at = Target::Position { file: FilePath::new(caret.path.as_str()), offset: caret.start };
    let symbol = query::resolve(&pool, cx, &at).expect("it is known").remove(0).0;
    let mut rows: Vec<String> = Vec::new();
    for edge in question(&pool, cx, &symbol) {
        let name = match &edge.symbol {
            Some(symbol) => {
                let container = symbol.container.as_ref().map(|c| format!("{c}.")).unwrap_or_default();
                format!("{container}{}", symbol.name)
            }
            None => format!("? {}", edge.name),
        };
        rows.push(format!("{name} {}", edge.sites.len()));
    }
    rows
}

#[track_caller]
fn callers(source: &str, wanted: &[&str]) {
    let found = ask(source, |pool, cx, of| query::callers(pool, cx, of, &|_| true).expect("an answer"));
    assert_eq!(found, wanted);
}

#[track_caller]
fn callees(source: &str, wanted: &[&str]) {
    let found = ask(source, |pool, cx, of| query::callees(pool, cx, of).expect("an answer"));
    assert_eq!(found, wanted);
}

#[test]
fn functions_that_operators_call_have_callers_that_are_not_listed() {
    let unlisted = |source: &str| {
        let mut why = None;
        ask(source, |pool, _, of| {
            why = query::unlisted_callers(pool, of).expect("an answer");
            Vec::new()
        });
        why.is_some()
    };
    for source in [
        "//- a.kt\nclass A { operator fun pl<caret>us(o: A) = o }\nfun f(a: A) = a + a\n",
        "//- a.py\nclass A:\n    def __a<caret>dd__(self, o): return 1\n",
        "//- a.rs\nstruct A;\nimpl std::ops::Add for A { type Output = A; fn a<caret>dd(self, o: A) -> A { o } }\n",
        "//- a.php\n<?php\nclass A { function __inv<caret>oke() {} }\n",
        "//- A.java\nclass A { public String toSt<caret>ring() { return \"\"; } }\n",
    ] {
        assert!(unlisted(source), "{source}");
    }
    for source in [
        "//- a.kt\nclass A { fun pl<caret>us(o: A) = o }\n",
        "//- a.rs\nstruct A;\nimpl A { fn a<caret>dd(self) {} }\n",
        "//- a.py\nclass A:\n    def __in<caret>it__(self): pass\n",
    ] {
        assert!(!unlisted(source), "{source}");
    }
}

#[test]
fn documentation_calls_nothing() {
    let java = "
        //- Pot.java
        class Pot {
          /** Stirs; see {@link #boil()} and {@link Pot#boil}. */
          void stir() { boil(); }
          void bo<caret>il() {}
        }
    ";
    callers(java, &["Pot.stir 1"]);
}

#[test]
fn annotations_of_a_function_are_no_calls_of_it() {
    let java = "
        //- Pot.java
        @interface Hot { Class<?> by(); }
        class Pot {
          @Hot(by = Pot.class) void st<caret>ir(@Hot(by = Pot.class) Pot p) { @Hot(by = Pot.class) int n = p.boil(); }
          int boil() { return 1; }
        }
    ";
    callees(java, &["Pot.boil 1"]);
    let python = "
        //- pot.py
        def hot(by):
            return lambda f: f
        @hot(by=1)
        def st<caret>ir():
            @hot(by=2)
            def inner():
                pass
            inner()
    ";
    callees(python, &["hot 1", "stir.inner 1"]);
}

#[test]
fn calls_of_an_overridden_method_count_where_they_may_get_here() {
    let java = "
        //- Pot.java
        interface Pot { void boil(); }
        abstract class Base implements Pot {
          void run() { boil(); }
        }
        class Iron extends Base { public void bo<caret>il() {} }
        class Steel extends Iron {
          public void boil() { super.boil(); }
        }
        class Glass extends Base {
          public void boil() {}
          void own() { boil(); }
        }
        class Lid implements Pot { public void boil() {} }
        class Clay extends Base {
          void clay(Clay other) { other.boil(); boil(); }
        }
        class User {
          void any(Pot p) { p.boil(); }
          void base(Base p) { p.boil(); }
          void iron(Iron p) { p.boil(); }
          void steel(Steel p) { p.boil(); }
          void clay(Clay p) { p.boil(); }
        }
    ";
    callers(java, &["Base.run 1", "Steel.boil 1", "User.any 1", "User.base 1", "User.iron 1"]);
    let python = "
        //- pot.py
        class Pot:
            def boil(self): pass
        class Iron(Pot):
            def bo<caret>il(self):
                super().boil()
        class Glass(Pot):
            def run(self):
                self.boil()
        def cook(pot: Pot):
            pot.boil()
    ";
    callers(python, &["cook 1"]);
    let rust = "
        //- src/lib.rs
        trait Boil { fn boil(&self); }
        struct Iron;
        impl Boil for Iron { fn bo<caret>il(&self) {} }
        struct Glass;
        impl Boil for Glass { fn boil(&self) {} }
        fn any(pot: &dyn Boil) { pot.boil(); }
        fn boxed(pot: Box<dyn Boil>) { pot.boil(); }
        fn generic<T: Boil>(pot: T) { pot.boil(); }
        fn glass(pot: Glass) { pot.boil(); }
    ";
    callers(rust, &["any 1", "boxed 1", "generic 1"]);
}

#[test]
fn what_runs_when_an_object_is_made() {
    let python = "
        //- pot.py
        class Pot:
            def __in<caret>it__(self, size): pass
        class Iron(Pot): pass
        class Glass(Pot):
            def __init__(self):
                super().__init__(1)
        def cook():
            return Pot(1), Iron(2), Glass()
        big: Pot = Pot(9)
    ";
    callers(python, &["Glass.__init__ 1", "cook 2", "big 1"]);
}

#[test]
fn what_a_method_assigns_is_done_by_it() {
    let python = "
        //- pot.py
        def make(): pass
        class Pot:
            lid = mak<caret>e()
            def __init__(self):
                self.handle = make()
    ";
    callers(python, &["Pot.lid 1", "Pot.__init__ 1"]);
}

#[test]
fn what_a_variable_holds_is_not_known() {
    let python = "
        //- pot.py
        def cook(f):
            g = f
            g()
            f()
            cook(f)
        def ru<caret>n(f):
            f()
            cook(f)
    ";
    callees(python, &["? f 1", "cook 1"]);
    let typescript = "
        //- pot.ts
        export function co<caret>ok(f: () => void) {
          const stir = () => f();
          stir();
        }
    ";
    callees(typescript, &["? f 1", "cook.stir 1"]);
}

#[test]
fn types_of_go_are_not_called() {
    let go = "
        //- go.mod
        module example.com/pot
        //- pot.go
        package pot

        type Size int
        type Pot struct{ n Size }

        func Make[T any](n int) T { panic(n) }
        func size() int { return 1 }

        func Co<caret>ok() *Pot {
            Make[Pot](size())
            return &Pot{n: Size(size())}
        }
    ";
    callees(go, &["Make 1", "size 2"]);
    let callers_of = go.replace("Co<caret>ok", "Cook").replace("func Make", "func Ma<caret>ke");
    callers(&callers_of, &["Cook 1"]);
}

#[test]
fn constructors_that_no_name_stands_for() {
    let java = "
        //- Pot.java
        class Pot {
          Pot() { this(1); }
          P<caret>ot(int size) {}
          Pot(String name) { this(); }
        }
        class Iron extends Pot {
          Iron() { super(2); }
          Iron(int n) { }
        }
        enum Lid {
          FLAT(1), ROUND;
          Lid() {}
          Lid(int size) { stir(size); }
          void stir(int n) { new Pot(n); }
        }
    ";
    callers(java, &["Pot.Pot 0", "Iron.Iron 0", "Lid.stir 1"]);
    let other = |from: &str, to: &str| java.replace("P<caret>ot(", "Pot(").replace(from, to);
    callers(&other(" Pot() {", " P<caret>ot() {"), &["Pot.Pot 0", "Iron.Iron 0"]);
    callers(&other("Lid(int", "L<caret>id(int"), &["Lid.FLAT 0"]);
    callees(&other("Iron()", "I<caret>ron()"), &["Pot.Pot 0"]);
    callees(&other("Lid(int", "L<caret>id(int"), &["Lid.stir 1"]);
}

#[test]
fn a_class_by_its_name_has_the_method_that_it_has() {
    let python = "
        //- pot.py
        class Pot:
            @classmethod
            def make(cls): return cls
            @classmethod
            def both(cls): return cls.make()
        class Iron(Pot):
            @classmethod
            def ma<caret>ke(cls): return Pot.make()
        def cook():
            return Pot.make(), Iron.make()
    ";
    callers(python, &["Pot.both 1", "cook 1"]);
}

#[test]
fn object_literals_make_no_interface() {
    let java = "
        //- Pot.java
        interface Pot { void boil(); }
        class User {
          Pot ma<caret>ke() { return new Pot() { public void boil() { cool(); } }; }
          void cool() {}
        }
    ";
    callees(java, &["User.cool 1"]);
}

/// No compiler accepts a circle of classes. Each is gone through once, not once for every other: with that, this takes minutes.
#[test]
fn methods_of_a_large_circle_of_classes_have_callers() {
    let count = scaled(600, 3_000);
    let circle = |path: &str, class: &str, caller: &str| {
        let classes: String = (0..count)
            .map(|i| class.replace('¤', &i.to_string()).replace('¢', &((i + 1) % count).to_string()) + "\n")
            .collect();
        let source = format!("//- {path}\n{classes}{caller}\n");
        let source = source.replacen("brew", "br<caret>ew", 1);
        ask(&source, |pool, cx, of| {
            let above = query::super_methods(pool, cx, of).expect("an answer");
            assert!(!above.is_empty(), "{path}");
            query::implementations(pool, cx, of, &|_| true).expect("an answer");
            query::callers(pool, cx, of, &|_| true).expect("an answer")
        })
    };
    let java =
        circle("A.java", "class A¤ extends A¢ { void brew() {} }", "class B { void f(A0 a) { a.brew(); } }");
    assert_eq!(java, ["B.f 1"]);
    let python = circle("a.py", "class A¤(A¢):\n    def brew(self): pass", "def f(a: A0): a.brew()");
    assert_eq!(python, ["f 1"]);
    let typescript = circle("a.ts", "class A¤ extends A¢ { brew() {} }", "function f(a: A0) { a.brew(); }");
    assert_eq!(typescript, ["f 1"]);
}

/// The nearest declarations are taken from the parents of a type, not looked for on every way up: nothing is left out.
#[test]
fn members_that_are_inherited_on_two_ways_at_each_level_are_followed() {
    let below = |path: &str, top: &str, level: &str| {
        let levels: String = (0..scaled(400, 1_500))
            .map(|i| level.replace('¤', &i.to_string()).replace('¢', &(i + 1).to_string()) + "\n")
            .collect();
        let source = format!("//- {path}\n{top}\n{levels}").replacen("brew", "br<caret>ew", 1);
        ask(&source, |pool, cx, of| {
            let ask = || query::implementations(pool, cx, of, &|_| true);
            let (found, limit) = guard::question(cx, ask);
            assert_eq!((found.expect("an answer").len(), limit), (0, None), "{path}");
            Vec::new()
        });
    };
    below(
        "A.java",
        "interface A0 { void brew(); }\ninterface B0 extends A0 {}",
        "interface A¢ extends A¤, B¤ {} interface B¢ extends A¤, B¤ {}",
    );
    below(
        "a.ts",
        "interface A0 { brew(): void }\ninterface B0 extends A0 {}",
        "interface A¢ extends A¤, B¤ {}\ninterface B¢ extends A¤, B¤ {}",
    );
    below(
        "a.php",
        "<?php\ninterface A0 { function brew(); }\ninterface B0 extends A0 {}",
        "interface A¢ extends A¤, B¤ {}\ninterface B¢ extends A¤, B¤ {}",
    );
}
