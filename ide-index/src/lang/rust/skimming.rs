//! Skimming: sketches step over bodies of functions that say nothing but words.
//!
//! A body is read when it declares macros or calls one of the file, imports under another name, or has names that are no
//! words. Which macros of others a file calls is told by reading: of the bodies that call one, the first is read.

use std::ops::Range;

use rustc_hash::FxHashSet;

use super::expr::number_type;
use super::front::Parser;
use super::lexer::{
    AS, CRATE, ENUM, EXTERN, IMPL, LIFETIME, MOD, SELF, STRING, STRUCT, SUPER, TRAIT, TYPE, USE,
};
use super::macros::captures;
use super::rules::Source;
use super::{library, sharing};
use crate::builder::FactBuilder;
use crate::facts::{FileFacts, NameId, RefId, Role};
use crate::kit::{Kind, Token};

/// Attributes of more tokens are read.
const MAX_ATTRIBUTE: usize = 200;

/// The knowledge about a file that is not read in full.
#[derive(Default)]
pub(super) struct Skimmed {
    /// A word that declares and is no keyword stands somewhere: others need not be read for it.
    has_soft_words: bool,
    /// The file may declare macros. Then all its names are mentioned, also those that are only parts of values and types.
    has_macros: bool,
    /// Macros that are called somewhere and named in imports.
    imported: FxHashSet<Box<str>>,
    /// All imports may name macros.
    imports_any: bool,
    /// References so far among which calls of macros were looked for.
    seen: usize,
    /// Macros that were called by their names alone.
    called: FxHashSet<NameId>,
    /// Macros that were called by paths, with their crates.
    called_by_path: Vec<(Option<Box<str>>, Box<str>)>,
}

impl Skimmed {
    /// `None` for a file whose brackets do not match.
    pub(super) fn new(file: Source<'_>, b: &mut FactBuilder) -> Option<Self> {
        if !file.tokens.unmatched.is_empty() {
            return None;
        }
        let mut skim = Self { has_soft_words: has_soft_words(file.text), ..Self::default() };
        let (mut called, mut imports) = (FxHashSet::default(), Vec::new());
        for (at, token) in file.tokens.list.iter().enumerate() {
            match (token.kind, token.sub) {
                (Kind::Punct, b'!') if at > 0 => {
                    called.insert(file.str(at - 1));
                }
                (Kind::Word, USE) => imports.push(at),
                (Kind::Word, 0) if skim.has_soft_words => {
                    skim.has_macros |= is_macro_definition(file, at);
                }
                _ => {}
            }
        }
        for at in imports.into_iter().flat_map(|at| import(file, at)) {
            skim.imports_any |= is_parameter(file, at);
            let name = file.str(at);
            if called.contains(name) || library::is_macro(name) {
                skim.imported.insert(name.into());
            }
        }
        if skim.has_macros {
            ["::", "!"].into_iter().for_each(|name| b.word(name));
        }
        Some(skim)
    }

    /// Whether the macro call at a name makes a difference to what the file is known to call.
    fn is_new_call(&self, file: Source<'_>, at: usize, b: &mut FactBuilder) -> bool {
        let name = file.str(at);
        let mut first = at;
        while first > 2 && is_path(file, first - 2) {
            first -= 3;
        }
        if first == at {
            let is_library = library::is_macro(name) && !self.imports_any && !self.imported.contains(name);
            return !is_library && !self.called.contains(&b.name(name));
        }
        let root = file.token(first);
        let krate = match (root.kind, root.sub) {
            (Kind::Word, 0) => Some(file.str(first)),
            (Kind::Word, CRATE | SELF | SUPER) => None,
            _ => return true,
        };
        !self.called_by_path.iter().any(|(known, called)| known.as_deref() == krate && **called == *name)
    }

    fn look_at_calls(&mut self, facts: &FileFacts) {
        for reference in (self.seen..facts.refs.len()).map(|at| RefId(at as u32)) {
            let r = facts.reference(reference);
            if r.role == Role::Macro && r.receiver.is_none() {
                self.called.insert(r.name);
            } else if r.role == Role::Macro {
                let names = sharing::called(facts, reference).into_iter();
                self.called_by_path.extend(names.map(|(krate, name)| (krate.map(Box::from), name.into())));
            }
        }
        self.seen = facts.refs.len();
    }

    /// The token says something that is not only its word.
    fn is_telling(&self, file: Source<'_>, at: usize, token: Token) -> bool {
        let is_word = |at, words: &[u8]| file.is_word(at) && words.contains(&file.token(at).sub);
        // Fields without names are called by their numbers.
        let has_fields = || file.is_word(at + 1) && !file.is(at + 2, b';') && !file.is(at + 2, b'{');
        match (token.kind, token.sub) {
            (Kind::Word, 0) => match token.end - token.start {
                _ if !self.has_soft_words => false,
                5 if file.str(at) == "union" => has_fields(),
                5 | 11 => is_macro_definition(file, at),
                _ => false,
            },
            (Kind::Word, STRUCT) => has_fields(),
            (Kind::Word, ENUM | IMPL | MOD | TRAIT | TYPE) => true,
            (Kind::Word, EXTERN) => is_word(at + 1, &[CRATE]),
            // `super::super` is a name.
            (Kind::Word, CRATE | SELF | SUPER) => {
                self.has_macros && is_path(file, at + 1) && is_word(at + 3, &[CRATE, SELF, SUPER])
            }
            (Kind::Word, USE) => {
                self.has_macros || import(file, at).any(|at| self.is_telling_import(file, at))
            }
            (Kind::Number, _) => file.is(at + 1, b':') && !is_path(file, at + 1),
            (Kind::Punct, b'#') => self.is_telling_attribute(file, at),
            _ => false,
        }
    }

    fn is_telling_import(&self, file: Source<'_>, at: usize) -> bool {
        let token = file.token(at);
        token.is(b'$') || token.kind == Kind::Word && token.sub == AS || self.imported.contains(file.str(at))
    }

    /// An attribute that calls a macro, gives a type other names, or has a text where that is a name.
    fn is_telling_attribute(&self, file: Source<'_>, at: usize) -> bool {
        let open = at + 1 + usize::from(file.is(at + 1, b'!'));
        let inside = if file.is(open, b'[') { open..file.token(open).mate as usize } else { open..open };
        let is_long = inside.len() > MAX_ATTRIBUTE;
        let mut inside = inside.map(|at| (file.token(at), file.str(at)));
        let tells = |(token, text): (Token, &str)| {
            token.is(b'!') || self.has_macros && token.kind == Kind::Text || text.starts_with("project")
        };
        is_long || inside.any(tells)
    }
}

/// `macro`, `macro_rules` and `union` may stand in the text.
fn has_soft_words(text: &str) -> bool {
    ["macro", "union"].iter().any(|word| memchr::memmem::find(text.as_bytes(), word.as_bytes()).is_some())
}

/// `macro_rules!`, `macro name`.
fn is_macro_definition(file: Source<'_>, at: usize) -> bool {
    match file.str(at) {
        "macro_rules" => file.is(at + 1, b'!'),
        "macro" => file.is_word(at + 1),
        _ => false,
    }
}

/// `$name`, but not `$crate`.
fn is_parameter(file: Source<'_>, at: usize) -> bool {
    file.is(at, b'$') && file.token(at + 1).sub != CRATE
}

fn is_path(file: Source<'_>, at: usize) -> bool {
    file.is(at, b':') && file.is(at + 1, b':') && file.token(at).end == file.token(at + 1).start
}

/// The tokens of the import whose keyword stands at a place.
fn import(file: Source<'_>, at: usize) -> Range<usize> {
    let mut end = at + 1;
    while !matches!(
        (file.token(end).kind, file.token(end).sub),
        (Kind::Close | Kind::End, _) | (Kind::Punct, b';') | (Kind::Word, USE)
    ) {
        end = file.over(end);
    }
    at + 1..end
}

/// `name!(…)`, or `name! other {…}`.
fn is_call(file: Source<'_>, at: usize) -> bool {
    file.is_word(at)
        && (file.token(at).sub == 0 || at > 0 && file.is(at - 1, b':'))
        && matches!(file.token(at + 2).kind, Kind::Open | Kind::Word)
}

impl Parser<'_> {
    /// Steps over the group at the cursor where declarations are local; false, and nothing is done, when it must be read.
    pub(super) fn over_group(&mut self) -> bool {
        if self.skim.is_none() || self.c.peek().kind != Kind::Open || !self.b.is_local(self.b.scope()) {
            return false;
        }
        // Of two uses of a token the first counts.
        if self.nested > 0 && self.macros > 0 {
            return false;
        }
        let group = self.c.at..self.c.group_end(self.c.at);
        if !self.free.contains(&group.start) {
            self.look(group.clone());
        }
        let is_free = group.end <= self.free.end;
        if is_free {
            self.c.skip();
        }
        is_free
    }

    /// Takes the words of a group for names of the file, up to a token that says more.
    fn look(&mut self, group: Range<usize>) {
        let Some(skim) = &mut self.skim else { return };
        // Of what a call stands for it is not known yet whether it stays.
        if self.nested == 0 {
            skim.look_at_calls(self.b.facts());
        }
        let file = Source { text: self.c.text, tokens: self.c.tokens };
        let b = &mut self.b;
        self.free = group.clone();
        // The end of the macro calls around.
        let mut call_end = if self.macros > 0 { group.end } else { 0 };
        for at in group {
            let token = file.tokens.list[at];
            let says_nothing = matches!(token.kind, Kind::Open | Kind::Close | Kind::Text);
            if !says_nothing && skim.is_telling(file, at, token) {
                self.free.end = at;
                return;
            }
            match (token.kind, token.sub) {
                (Kind::Word, _) | (Kind::Text, LIFETIME) => {
                    b.word_in(file.text, token.start as usize..token.end as usize);
                }
                (Kind::Text, STRING) if at < call_end => captures(file.str(at), |name, _| b.word(name)),
                (Kind::Number, _) if skim.has_macros => {
                    number_type(file.str(at)).into_iter().for_each(|name| b.word(name));
                }
                (Kind::Punct, b'!') if is_call(file, at - 1) => {
                    if self.rules.contains_key(file.str(at - 1)) || skim.is_new_call(file, at - 1, b) {
                        self.free.end = at - 1;
                        return;
                    }
                    call_end = call_end.max(file.over(file.over(at + 1)));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Rust;
    use crate::front::FrontEnd;

    /// The names that are read of a file; all that it mentions are there in any case.
    fn read(text: &str) -> Vec<String> {
        let sketch = Rust.sketch("src/a.rs", text).expect("its brackets match");
        assert_eq!(
            sketch.agrees_with(&Arc::from("src/a.rs"), &Rust.facts("src/a.rs", text)),
            Ok(()),
            "{text}"
        );
        let refs = sketch.facts().ref_ids();
        refs.map(|name| sketch.facts().ref_name(name).to_owned()).collect()
    }

    fn is_read(body: &str) -> bool {
        read(&format!("use x::{{named, other}}; fn f() {{ own; {body} }}")).contains(&"own".to_owned())
    }

    #[test]
    fn bodies_are_not_read() {
        assert_eq!(read("fn f(x: X) -> R { a(b)[c].d(|e| f { g }); match h { I(j) => k } }"), ["X", "R"]);
        assert_eq!(
            read("impl A { fn f() { struct B; impl C { fn c() { d } } e } fn g() { h } }"),
            ["A", "C", "e"]
        );
        assert_eq!(read("const A: B = c(d); static E: F = { g };"), ["B", "c", "F"]);
    }

    #[test]
    fn all_that_says_no_more_than_its_words_is_stepped_over() {
        for body in [
            "vec![a, b]; println!(\"{a} {b:c$} {{d}}\", e); assert_eq!(format!(\"{f}\"), g);",
            "'a: loop { break 'a; } let r#type = 1u8; x.0.1; S { a, ..b }",
            "use b::c; use d::{e, f::*}; extern \"C\" { fn g(); } struct U { v: u8 } union W { x: u8 }",
            "#[inline] fn g<'b>() -> &'b str { super::super::h() } let union = 1; union.a;",
        ] {
            assert!(!is_read(body), "{body}");
        }
    }

    #[test]
    fn bodies_are_read_that_say_something_about_what_is_outside() {
        for body in [
            "macro_rules! m { () => { a } } m!();",
            "macro m() { a }",
            "use b::c as d;",
            "use b::named; named!();",
            "extern crate b as c;",
            "struct A(u8); enum B { C = 1 }",
            "impl A {}",
            "trait A {}",
            "type A = B;",
            "#[pin_project(project = A)] struct B {}",
            "mod a {}",
            "S { 0: a };",
            "other!(a);",
            "b::c!(a); crate::d!(a);",
        ] {
            assert!(is_read(body), "{body}");
        }
    }

    #[test]
    fn of_the_calls_of_a_macro_one_is_read() {
        let text =
            "fn f() { a; m!(b); } fn g() { c; m!(d); } fn h() { e; p::m!(f); } fn i() { j; p::m!(k); }";
        assert_eq!(read(text), ["a", "m", "e", "p", "m"]);
        // Calls of macros of the file are read as what they stand for.
        assert_eq!(
            read("macro_rules! m { ($a:expr) => { b($a) } } fn f() { m!(c); m!(d); }"),
            ["m", "b", "m", "b"]
        );
    }
}
