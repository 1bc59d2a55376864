//! Parts of values of PHP that are asked for and may not be there get no variable.

use crate::inside::{extracts, refuses_to_extract};

fn source(body: &str) -> String {
    format!(
        "//- a.php\n<?php\nclass A {{\n  public $items = [];\n  function f($k) {{\n    {body}\n  }}\n}}\n"
    )
}

fn text(body: &str) -> String {
    source(body).split_once('\n').map_or_else(String::new, |(_, text)| text.to_owned())
}

#[test]
fn what_is_only_asked_for_gets_no_variable() {
    for (body, select) in [
        ("return isset(<caret>$this->items[$k]);", "$this->items[$k]"),
        ("return isset(<caret>$this->items[$k][1]);", "$this->items[$k]"),
        ("return empty(<caret>$this->items[$k]);", "$this->items[$k]"),
        ("return isset(<caret>$this->items->one);", "$this->items"),
        ("unset(<caret>$this->items[$k]);", "$this->items"),
    ] {
        refuses_to_extract(&source(body), select, "may not be there");
    }
}

#[test]
fn what_is_read_gets_a_variable() {
    extracts(
        &source("return <caret>$this->items[$k] + 1;"),
        "$this->items[$k]",
        "value",
        &text("$value = $this->items[$k];\n    return $value + 1;"),
    );
}
