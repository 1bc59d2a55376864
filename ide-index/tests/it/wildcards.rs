//! Types with wildcards: what comes out of one is not written as if its bound were the argument.

use crate::inside::{extracts, method, reason};

const TYPES: &str = "class Box<T> {}\ninterface Maker<T> { T get(); Box<Maker<T>> all(); }\n";

fn source(ty: &str, body: &str) -> String {
    format!("//- A.java\n{TYPES}class A {{\n  void f(Maker<{ty}> maker) {{\n    {body}\n  }}\n}}\n")
}

fn text(ty: &str, body: &str) -> String {
    source(ty, body).split_once('\n').map_or_else(String::new, |(_, text)| text.to_owned())
}

#[test]
fn the_argument_of_a_wildcard_is_not_written_as_its_bound() {
    extracts(
        &source("Box<? super A>", "var box = <caret>maker.get();"),
        "maker.get()",
        "made",
        &text("Box<? super A>", "var made = maker.get();\n    var box = made;"),
    );
    extracts(
        &source("Box<A>", "var box = <caret>maker.get();"),
        "maker.get()",
        "made",
        &text("Box<A>", "Box<A> made = maker.get();\n    var box = made;"),
    );
    // The bound itself is a type.
    extracts(
        &source("? extends A", "var a = <caret>maker.get();"),
        "maker.get()",
        "made",
        &text("? extends A", "A made = maker.get();\n    var a = made;"),
    );
    let outcome = method(&source("Box<? super A>", "var box = <caret>maker.get();"), "maker.get()");
    assert_eq!(reason(&outcome), "the type of the expression is not known");
}
