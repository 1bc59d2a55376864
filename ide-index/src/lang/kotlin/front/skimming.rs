//! Skimming: the parts of a file that a sketch steps over.

use ide_model::TextRange;

use crate::facts::Expr;
use crate::kit::{Cursor, Kind, Token};

use super::lexer::words as w;
use super::{Parser, Value};

/// A companion without a name has one that is no word of the text.
pub(super) fn tells(all: &[Token], at: usize) -> bool {
    let is_word = |at: usize, word| all[at].kind == Kind::Word && all[at].sub == word;
    is_word(at, w::COMPANION) && is_word(at + 1, w::OBJECT)
}

impl Parser<'_> {
    /// For a sketch: steps over the group at the cursor, which declares nothing that is not local. False, and nothing is
    /// done, when it must be read.
    pub(super) fn skims(&mut self) -> bool {
        self.skim.as_ref().is_some_and(|skim| skim.over_names(&mut self.c, &mut self.b, name))
    }

    /// As [`Self::skims`], of a group that declares what is local where it stands in a function.
    pub(super) fn skims_in_function(&mut self) -> bool {
        self.skim.is_some() && self.b.is_local(self.b.scope()) && self.skims()
    }

    /// Tests of `this` that were stepped over have a name for it, as those that are read.
    pub(super) fn tested_word(&mut self, subject: Option<Value>) {
        if subject.is_some_and(|subject| matches!(self.b.facts().expr(subject.expr), Expr::This(_))) {
            self.b.word("this");
        }
    }
}

/// The name that the word at an index is, or may be.
fn name(c: &Cursor<'_>, at: usize) -> Option<TextRange> {
    let token = c.token(at);
    let before = c.token(at.saturating_sub(1));
    let is_name = match token.sub {
        _ if Parser::is_name(token) || before.is(b'@') => true,
        w::THIS => is_tested(c, at),
        // In a template a keyword is one.
        _ => before.is(b'$'),
    };
    is_name.then(|| token.range())
}

/// Whether a type may be asked of the `this` at an index.
fn is_tested(c: &Cursor<'_>, at: usize) -> bool {
    let mut behind = at + 1;
    while [b')', b'.', b'?'].iter().any(|byte| c.token(behind).is(*byte)) {
        behind += 1;
    }
    let next = c.token(behind);
    next.is(b'!') || next.is(b'{') || next.kind == Kind::Word && next.sub == w::IS
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Kotlin;
    use crate::front::FrontEnd;

    /// The names that are read of a declaration; all that it mentions are there in any case.
    fn read(declaration: &str) -> Vec<String> {
        let text = format!("class A {{ {declaration} }}");
        let sketch = Kotlin.sketch("a.kt", &text).expect("its brackets match");
        assert_eq!(sketch.agrees_with(&Arc::from("a.kt"), &Kotlin.facts("a.kt", &text)), Ok(()));
        let refs = sketch.facts().ref_ids();
        refs.map(|name| sketch.facts().ref_name(name).to_owned()).collect()
    }

    #[test]
    fn bodies_and_what_stands_in_brackets_within_functions_is_not_read() {
        assert_eq!(read("fun f(x: X = y()): R { a(b) }"), ["R"]);
        assert_eq!(read("fun f() = a(b)[c].let { d }"), ["a", "let"]);
        assert_eq!(read("fun f() = when (a) { is B -> c }"), ["a"]);
        assert_eq!(read("fun f() = object : B { val c = d }"), ["B"]);
        assert_eq!(read("val x = a(b) { c }; init { d() }; constructor(e: E) : this(f) { g }"), ["a", "b"]);
        assert_eq!(read("val x: X get() { return a }\n set(value) { b }"), ["X"]);
    }

    #[test]
    fn names_that_are_no_words_are_there() {
        assert_eq!(read("fun f() { class B { companion object } }"), [""; 0]);
        assert_eq!(read("fun f() { \"$if ${a}\"; return@for }"), [""; 0]);
        assert_eq!(read("fun f() { if (this is B) c }"), [""; 0]);
        assert_eq!(read("fun f() = when (this) { is B -> c }"), [""; 0]);
        assert_eq!(read("fun f() { /** [A] */ fun g() { b } }"), ["A"]);
    }

    #[test]
    fn members_of_objects_outside_of_functions_are_declared() {
        assert_eq!(read("val x = object : B { val c = d }"), ["B", "d"]);
        assert_eq!(read("val x = a(object : B { fun c() { d } })"), ["a", "B"]);
        assert_eq!(read("val x = (a()) { b }"), ["a"]);
        assert_eq!(read("fun f() = (a(b)) { c }"), ["a"]);
    }
}
