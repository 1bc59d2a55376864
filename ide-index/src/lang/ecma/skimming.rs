//! Skimming: a sketch steps over the bodies of functions.

use rustc_hash::FxHashSet;

use super::front::Parser;
use super::jsx::CONTENT;
use super::lexer::{
    AS, ASYNC, CLASS, CONST, ENUM, EXPORT, EXTENDS, FALSE, FUNCTION, GET, IMPORT, INTERFACE, IS, JSX_CLOSE,
    JSX_END, JSX_OPEN, JSX_SELF, MODULE, NAMESPACE, NEW, NULL, READONLY, SATISFIES, SET, STRING, THIS, TRUE,
    TYPEOF, VOID,
};
use super::modules::MODULE_CALLS;
use crate::kit::{Kind, Skim, Token, Tokens};

/// Which bodies of functions say nothing but words.
pub(super) struct Bodies {
    skim: Skim,
    /// Tokens, in order, that may be names although they are no ordinary words.
    names: Vec<u32>,
}

impl Bodies {
    /// `None` for a file whose brackets do not match.
    pub(super) fn new(text: &str, tokens: &Tokens, typed: bool) -> Option<Self> {
        let mut state = SkimState {
            text,
            typed,
            tokens,
            comments: 0,
            around: Vec::new(),
            in_tag: false,
            functions: FxHashSet::default(),
            data: None,
            names: Vec::new(),
        };
        let skim = Skim::new(tokens, |all, at| state.tells(all, at))?;
        Some(Self { skim, names: state.names })
    }
}

/// The tokens before the present one.
struct SkimState<'a> {
    text: &'a str,
    typed: bool,
    tokens: &'a Tokens,
    /// How many comments lie behind.
    comments: usize,
    /// For the brackets around, innermost last: whether they are braces, and whether they stand in a tag.
    around: Vec<(bool, bool)>,
    /// Between the brackets of a tag.
    in_tag: bool,
    /// TypeScript: what may be the name of a function.
    functions: FxHashSet<&'a str>,
    /// The start of the function `data` of a component.
    data: Option<usize>,
    names: Vec<u32>,
}

impl<'a> SkimState<'a> {
    /// A body is read that declares classes, imports something, or may declare a member of something by assigning to it, and
    /// one in which documentation says what something is.
    fn tells(&mut self, all: &[Token], at: usize) -> bool {
        let token = all[at];
        let is_documented = self.is_documented(at);
        is_documented
            | match token.kind {
                Kind::Word if Parser::names(token) => self.tells_word(all, at),
                Kind::Word => self.tells_reserved(all, at),
                Kind::Text | Kind::Number => self.tells_literal(all, at),
                Kind::Punct => match token.sub {
                    b'=' => self.assigns_member(all, at),
                    b',' if self.typed => self.note_function(all, at + 1),
                    // Names of attributes that are more than one token.
                    b':' | b'-' | b'<' => self.in_tag,
                    _ => false,
                },
                Kind::Open => {
                    let is_braces = token.is(b'{');
                    let is_computed = token.is(b'[') && self.in_braces() && begins_member(all, at);
                    self.around.push((is_braces, std::mem::take(&mut self.in_tag)));
                    is_computed || self.data == Some(at)
                }
                Kind::Close => {
                    self.in_tag = self.around.pop().is_some_and(|(_, in_tag)| in_tag);
                    false
                }
                Kind::End => false,
            }
    }

    fn str(&self, token: Token) -> &'a str {
        &self.text[token.start as usize..token.end as usize]
    }

    fn in_braces(&self) -> bool {
        self.around.last().is_some_and(|(is_braces, _)| *is_braces)
    }

    /// Documentation with tags stands before a token: in JavaScript these name types.
    fn is_documented(&mut self, at: usize) -> bool {
        let mut found = false;
        while let Some(comment) = self.tokens.comments.get(self.comments).filter(|c| c.next as usize <= at) {
            let text = &self.text[comment.range.start as usize..comment.range.end as usize];
            found |= !self.typed && comment.is_doc && text.contains('@');
            self.comments += 1;
        }
        found
    }

    fn tells_literal(&mut self, all: &[Token], at: usize) -> bool {
        let token = all[at];
        match token.sub {
            _ if token.kind == Kind::Number => {}
            STRING => {}
            JSX_OPEN | JSX_CLOSE => self.in_tag = true,
            JSX_SELF => self.in_tag = false,
            JSX_END => {
                self.in_tag = false;
                // The content of an element is handed over as an attribute.
                self.names.push(at as u32);
                return false;
            }
            _ => return false,
        }
        let is_index = || token.kind == Kind::Text && all[at - 1].is(b'[') && all[at + 1].is(b']');
        if self.in_braces() && begins_member(all, at) || at > 0 && is_index() {
            self.names.push(at as u32);
            return self.tells_key(all, at);
        }
        false
    }

    /// A name that says what a call declares, or begins what a component declares.
    fn tells_key(&mut self, all: &[Token], at: usize) -> bool {
        if self.typed {
            return false;
        }
        match self.str(all[at]).trim_matches(['"', '\'', '`']) {
            "defineProperty" => true,
            "data" => {
                self.data = body_behind(all, at).or(self.data);
                false
            }
            _ => false,
        }
    }

    fn tells_word(&mut self, all: &[Token], at: usize) -> bool {
        let (token, next) = (all[at], all[at + 1]);
        match token.sub {
            INTERFACE => Parser::names(next) && !next.after_newline,
            NAMESPACE | MODULE => (Parser::names(next) || next.kind == Kind::Text) && !next.after_newline,
            _ if next.is(b'(')
                && all[(at + 2).min(all.len() - 1)].kind == Kind::Text
                && is_accessed(all, at) =>
            {
                MODULE_CALLS.contains(&self.str(token)) || self.tells_key(all, at)
            }
            _ => match token.end - token.start {
                4 | 14 => self.tells_key(all, at),
                7 => self.str(token) == "require" && !is_accessed(all, at),
                _ => false,
            },
        }
    }

    fn tells_reserved(&mut self, all: &[Token], at: usize) -> bool {
        let (token, next) = (all[at], all[at + 1]);
        let is_accessed = is_accessed(all, at);
        let is_key = || self.in_braces() && begins_member(all, at);
        if is_accessed || is_key() || self.typed && is_type(all, at) {
            self.names.push(at as u32);
        }
        match token.sub {
            _ if is_accessed => false,
            IMPORT | EXPORT | ENUM => true,
            CLASS => !next.is(b':'),
            FUNCTION | CONST if self.typed => self.note_function(all, at + 1 + usize::from(next.is(b'*'))),
            _ => false,
        }
    }

    /// `function name`, `const name = (`: in TypeScript these may be given members. Tells nothing by itself.
    fn note_function(&mut self, all: &[Token], name: usize) -> bool {
        let token = |n: usize| all[(name + n).min(all.len() - 1)];
        let value = token(2);
        let is_made = || match value.kind {
            Kind::Word => matches!(value.sub, FUNCTION | ASYNC) || token(3).is(b'='),
            _ => value.is(b'(') || value.is(b'<'),
        };
        let next = token(1);
        if next.is(b'(') || next.is(b'<') || next.is(b':') || next.is(b'=') && is_made() {
            self.functions.insert(self.str(token(0)));
        }
        false
    }

    /// Whether an assignment may declare the member that it is made to: see [`Parser::declare_by_assignment`].
    fn assigns_member(&self, all: &[Token], at: usize) -> bool {
        let (token, next) = (all[at], all[at + 1]);
        if at < 3 || (next.is(b'=') || next.is(b'>')) && next.start == token.end {
            return false;
        }
        let (before, last) = (all[at - 1], all[at - 2]);
        match before.kind {
            Kind::Word => last.is(b'.') && self.takes_members(all, at - 2),
            Kind::Close if before.is(b')') => true,
            Kind::Close if before.is(b']') => {
                last.kind == Kind::Text && all[at - 3].is(b'[') && self.takes_members(all, at - 3)
            }
            // A missing operand leaves these behind.
            Kind::Punct => match before.sub {
                b'.' => true,
                b'+' | b'-' => last.is(before.sub),
                b'>' => self.typed && token.after_newline,
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether assigning to a member may declare it, by what stands before its dot.
    fn takes_members(&self, all: &[Token], dot: usize) -> bool {
        let Some(at) = dot.checked_sub(1) else { return true };
        let owner = all[at];
        match owner.kind {
            Kind::Word if is_accessed(all, at) => {
                let is_known = matches!(self.str(owner), "prototype" | "exports");
                !self.typed && (is_known || !self.is_value(all, at.saturating_sub(2)))
            }
            Kind::Word if self.typed => self.functions.contains(self.str(owner)),
            // The result of a call has no name.
            Kind::Close if owner.is(b')') => {
                !(owner.mate as usize).checked_sub(1).is_some_and(|at| Parser::names(all[at]))
            }
            Kind::Close if owner.is(b']') => all[at - 1].kind == Kind::Text && !self.typed,
            Kind::Close | Kind::Text | Kind::Number => false,
            _ => true,
        }
    }

    /// Whether a word is a name that is read.
    fn is_value(&self, all: &[Token], at: usize) -> bool {
        let (token, before) = (all[at], all[at.saturating_sub(1)]);
        if is_accessed(all, at) {
            let base = all[at.saturating_sub(2)];
            return token.kind == Kind::Word && !(base.kind == Kind::Word && base.sub == NEW);
        }
        Parser::names(token) && before.kind != Kind::Word && self.str(token) != "undefined"
    }
}

/// `a.name`, `@name`: any word is a name there.
fn is_accessed(all: &[Token], at: usize) -> bool {
    let before = |n: usize| at.checked_sub(n).map(|at| all[at]);
    let is_dot = |n: usize| before(n).is_some_and(|token| token.is(b'.'));
    is_dot(1) && !(is_dot(2) && is_dot(3)) || before(1).is_some_and(|token| token.is(b'@'))
}

/// Whether a type may be expected where a reserved word stands that is none.
fn is_type(all: &[Token], at: usize) -> bool {
    const TYPES: &[u8] = &[CONST, FALSE, IMPORT, NEW, NULL, THIS, TRUE, TYPEOF, VOID];
    let before = all[at.saturating_sub(1)];
    !TYPES.contains(&all[at].sub)
        && match before.kind {
            Kind::Word => matches!(before.sub, AS | SATISFIES | IS | EXTENDS),
            _ => before.is(b'<'),
        }
}

/// The braces of the function behind a key.
fn body_behind(all: &[Token], key: usize) -> Option<usize> {
    let mut at = key + 1;
    for _ in 0..16 {
        let token = all[at];
        match token.kind {
            Kind::Open if token.is(b'{') => return Some(at),
            Kind::Open => at = token.mate as usize,
            Kind::Close if token.is(b']') => {}
            Kind::Close | Kind::End => return None,
            _ if token.is(b',') || token.is(b';') => return None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a member of a literal, a pattern or a type may begin with a token between braces: what is no ordinary word is
/// only taken for one where something says so.
pub(super) fn begins_member(all: &[Token], at: usize) -> bool {
    let token = all[at];
    let behind = if token.kind == Kind::Open { token.mate as usize + 1 } else { at + 1 };
    let next = all[behind.min(all.len() - 1)];
    let goes_on = [b':', b'(', b'?', b'<'].into_iter().any(|byte| next.is(byte));
    match token.kind {
        Kind::Open if token.is(b'[') => {
            let before = all[at.saturating_sub(1)];
            let begins = match before.kind {
                Kind::Word => matches!(before.sub, GET | SET | ASYNC | READONLY),
                _ => [b'{', b'}', b',', b';', b'*'].into_iter().any(|byte| before.is(byte)),
            };
            goes_on && (begins || token.after_newline)
        }
        _ => goes_on || Parser::names(token),
    }
}

impl Parser<'_> {
    /// For a sketch: steps over the body at the cursor. False, and nothing is done, when it must be read.
    pub(super) fn skims_body(&mut self) -> bool {
        let Some(bodies) = self.bodies else { return false };
        let open = self.c.at;
        if !bodies.skim.over(&mut self.c, &mut self.b, Self::names) {
            return false;
        }
        let from = bodies.names.partition_point(|at| (*at as usize) < open);
        for at in bodies.names[from..].iter().take_while(|at| (**at as usize) < self.c.at) {
            let token = self.c.token(*at as usize);
            if token.kind == Kind::Text && token.sub == JSX_END {
                if self.has_content(token.end, self.c.token(*at as usize + 1)) {
                    self.b.word(CONTENT);
                }
                continue;
            }
            let range = if token.kind == Kind::Text { self.inner(token) } else { token.range() };
            if !range.is_empty() {
                self.b.word(self.text(range));
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Ecma;
    use crate::front::FrontEnd;

    /// Whether the body of a function is read.
    fn is_read(path: &str, body: &str) -> bool {
        let text = format!("class A {{ f(x) {{ const own = 1;\n{body} }} }}");
        let sketch = Ecma.sketch(path, &text).expect("its brackets match");
        assert_eq!(sketch.agrees_with(&Arc::from(path), &Ecma.facts(path, &text)), Ok(()));
        sketch.facts().defs.iter().any(|def| sketch.facts().name(def.name) == "own")
    }

    #[test]
    fn bodies_are_read_that_say_something_about_what_is_outside() {
        for body in [
            "this.made = 1;",
            "made.by = 1;",
            "made.prototype.by = function () {};",
            "made['by'] = 1;",
            "this.a.b = 1;",
            "module.exports.a = 1;",
            "(made).by = 1;",
            "made.by++ = 1;",
            "undefined.a.b = 1;",
            "new.target.a.b = 1;",
            "Object.defineProperty(made, 'by', {});",
            "Object['defineProperty'](made, 'by', {});",
            "const { a: b } = require('c');",
            "import('b');",
            "class B {}",
            "/** @type {B} */ let b;",
            "return { [a]: 1 };",
        ] {
            assert!(is_read("a.js", body), "{body}");
        }
        for body in [
            "function g() {} g.made = 1;",
            "const g = () => 1; g.made = 1;",
            "const a = 1, g = async () => 1; g['made'] = 1;",
            "enum B { C }",
            "interface B { 'c': string }",
            "namespace B {}",
            "let b: { [k: string]: B };",
            "return <a:b>{c}</a:b>;",
            "return <A<B> c:d={e} />;",
        ] {
            assert!(is_read("a.tsx", body), "{body}");
        }
    }

    #[test]
    fn all_other_bodies_are_stepped_over() {
        for body in [
            "a.b.c = 1; a[0].b = 1; g(1).b = 1; a.b == 1; a.b += 1; a.b === c; (a => a.b >= 1)();",
            "return { 'a': 1, 2: b, get default() { return x.delete; }, catch(e) {}, class: 'c' };",
            "const { 'a': b, if: c } = x; b['d']; x.import(); x.require('c'); x.class;",
            "/** A text. */ if (a) { return `${b ? 'a' : 'b'}`; } for (const c of d) { continue; }",
            "return <a for='b' data-c={d}>e <F.G {...x} /></a>;",
        ] {
            assert!(!is_read("a.js", body), "{body}");
        }
        for body in [
            "this.made = 1; a.b = 1; const c = new C(); c.d = 1; a['b'] = 1;",
            "let a: { 'b': C; default?: D; new (e): F; (g): H; if(): void }; a as B; <C<D>>e;",
            "type A = B extends C ? D : E; const f = g<H>; f satisfies I;",
        ] {
            assert!(!is_read("a.ts", body), "{body}");
        }
    }

    #[test]
    fn what_the_data_of_a_component_gives_is_read() {
        for data in ["data() {", "data: function () {", "'data': async () => {", "['data']() {"] {
            let text = format!(
                "export default {{ {data} return {{ a: 1 }}; }}, methods: {{ m() {{ this.a = 2; this.b = 3; }} }} }};"
            );
            let sketch = Ecma.sketch("a.js", &text).expect("its brackets match");
            assert_eq!(sketch.agrees_with(&Arc::from("a.js"), &Ecma.facts("a.js", &text)), Ok(()), "{data}");
        }
    }
}
