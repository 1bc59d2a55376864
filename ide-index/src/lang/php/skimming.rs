//! Skimming: a sketch steps over the bodies of functions, and arrays of literals.

use ide_model::{SymbolKind, TextRange};
use rustc_hash::FxHashSet;

use super::expr::CASTS;
use super::front::Parser;
use super::lexer::{
    ABSTRACT, AS, CATCH, CLASS, CLONE, CONST, ENUM, FINAL, FN, FUNCTION, GLOBAL, GOTO, INSTANCEOF, INTERFACE,
    MATCH, NAMESPACE, NEW, PRIVATE, PROTECTED, PUBLIC, READONLY, STATIC, TRAIT, USE, VAR, VARIABLE,
};
use super::texts::{is_clone_with, may_be_name};
use crate::facts::{DefFlags, DefId};
use crate::kit::{Cursor, Kind, Skim, Token, Tokens, any_within};

/// Which bodies of functions say nothing but words.
pub(super) struct Bodies {
    skim: Skim,
    /// `$this->name = …`: the tokens before the arrow and behind it.
    writes: Vec<(u32, u32)>,
    /// The writes that may declare properties, in order.
    makes: Vec<u32>,
}

impl Bodies {
    pub(super) fn new(text: &str, tokens: &Tokens) -> Option<Self> {
        let mut state = SkimState { text, head: 0, target: None, this: 0, writes: Vec::new() };
        let skim = Skim::new(tokens, |all, at| state.tells(all, at))?;
        Some(Self { skim, writes: state.writes, makes: Vec::new() })
    }
}

/// The tokens before the present one.
struct SkimState<'a> {
    text: &'a str,
    /// The end of the head of a function or of a `catch`.
    head: usize,
    /// The word by which the variables are declared or written that follow.
    target: Option<usize>,
    /// The last `$this`.
    this: usize,
    writes: Vec<(u32, u32)>,
}

impl SkimState<'_> {
    /// A body is read that declares classes, functions with names, or constants for all, and one that makes a variable or a
    /// property of what is called `$this`, other than by a plain assignment.
    fn tells(&mut self, all: &[Token], at: usize) -> bool {
        let token = all[at];
        let next = all[(at + 1).min(all.len() - 1)];
        match (token.kind, token.sub) {
            (Kind::Word, VARIABLE) => self.tells_of_this(all, at),
            (Kind::Word, 0) => {
                let len = token.end - token.start;
                let is_call = next.is(b'(') && matches!(len, 6 | 11);
                is_call && (!is_member(all, at) || all[at - 1].is(b'\\')) && {
                    let name = &self.text[token.start as usize..token.end as usize];
                    name.eq_ignore_ascii_case("define") || name.eq_ignore_ascii_case("class_alias")
                }
            }
            (Kind::Word, word) => {
                match word {
                    FUNCTION | FN | USE | CATCH => {
                        let open = (at + 1..all.len().min(at + 4)).find(|i| all[*i].is(b'('));
                        self.head = self.head.max(open.map_or(0, |open| all[open].mate as usize));
                    }
                    AS | GLOBAL => self.target = Some(at),
                    STATIC if is_variable(next) => self.target = Some(at),
                    _ => {}
                }
                let declares = match word {
                    ABSTRACT | CLASS | CONST | FINAL | GOTO | INTERFACE | PRIVATE | PROTECTED | PUBLIC
                    | TRAIT | VAR => true,
                    READONLY | STATIC => at < self.head,
                    ENUM => next.kind == Kind::Word && next.sub == 0,
                    FUNCTION => {
                        let name = if next.is(b'&') { all[at + 2] } else { next };
                        Parser::is_word_token(name)
                    }
                    NAMESPACE => !next.is(b'\\'),
                    USE => !next.is(b'('),
                    CLONE => is_clone_with(all, at),
                    _ => false,
                };
                declares && !is_member(all, at)
            }
            (Kind::Punct, b'#') => true,
            (Kind::Text, _) => may_be_name(self.text, all, at),
            (Kind::Punct, b';') | (Kind::Open, b'{') => {
                self.target = None;
                false
            }
            (Kind::Close, b')' | b']') => {
                let open = token.mate as usize;
                self.target = self.target.filter(|target| *target < open);
                if self.this <= open {
                    return false;
                }
                self.note_write(all, at);
                is_assignment(all, at + 1) && self.is_list(all, open)
            }
            _ => false,
        }
    }

    fn tells_of_this(&mut self, all: &[Token], at: usize) -> bool {
        let token = all[at];
        if &self.text[token.start as usize + 1..token.end as usize] != "this" {
            return false;
        }
        self.this = at;
        self.note_write(all, at);
        self.target.is_some() || at < self.head || is_behind(all, at)
    }

    /// Behind `$this`, or the parentheses in which it stands.
    fn note_write(&mut self, all: &[Token], at: usize) {
        if let Some(name) = written(all, at) {
            self.writes.push((at as u32, name as u32));
        }
    }

    /// Whether what is opened at an index are the targets of an assignment, if one follows, and not an index.
    fn is_list(&self, all: &[Token], mut open: usize) -> bool {
        while all[open].is(b'[') && open > 0 && all[open - 1].is(b']') {
            open = all[open - 1].mate as usize;
        }
        let Some(before) = open.checked_sub(1) else { return true };
        let word = all[before];
        let is_value =
            word.kind == Kind::Word && (matches!(word.sub, 0 | VARIABLE) || is_member(all, before));
        if all[open].is(b'(') {
            return is_value
                && self.text[word.start as usize..word.end as usize].eq_ignore_ascii_case("list");
        }
        !is_value
    }
}

fn is_variable(token: Token) -> bool {
    token.kind == Kind::Word && token.sub == VARIABLE
}

/// The bytes stand behind each other from a token on, without space between them.
fn are_joined(all: &[Token], at: usize, [first, second]: &[u8; 2]) -> bool {
    all[at].is(*first) && all[at + 1].is(*second) && all[at + 1].start == all[at].end
}

/// The word at an index stands behind `->`, `::` or `\`.
fn is_behind(all: &[Token], at: usize) -> bool {
    at > 0 && all[at - 1].is(b'\\')
        || at > 1 && (are_joined(all, at - 2, b"->") || are_joined(all, at - 2, b"::"))
}

/// As [`is_behind`], where it cannot be anything else than a member.
fn is_member(all: &[Token], at: usize) -> bool {
    if !is_behind(all, at) || all[at - 1].is(b'\\') {
        return is_behind(all, at);
    }
    let Some(value) = at.checked_sub(3).map(|at| all[at]) else { return false };
    match value.kind {
        Kind::Word if matches!(value.sub, 0 | STATIC | VARIABLE) => true,
        // A keyword that is a member itself.
        Kind::Word => at > 3 && (all[at - 4].is(b'>') || all[at - 4].is(b':')),
        Kind::Close => !value.is(b'}'),
        Kind::Text => true,
        _ => value.is(b'?') && all[at - 1].is(b'>'),
    }
}

fn is_assignment(all: &[Token], at: usize) -> bool {
    all[at].is(b'=') && !are_joined(all, at, b"==") && !are_joined(all, at, b"=>")
}

/// The name of a property, perhaps in parentheses, that is written of the value which ends with a token.
fn written(all: &[Token], value: usize) -> Option<usize> {
    let arrow = value + 1 + usize::from(all[value + 1].is(b'?'));
    let name = arrow + 2;
    let is_access = all[arrow].is(b'-') && all[arrow + 1].is(b'>') && Parser::is_word_token(all[name]);
    let behind = || (name + 1..).find(|at| !all[*at].is(b')'));
    (is_access && behind().is_some_and(|behind| is_assignment(all, behind))).then_some(name)
}

impl Parser<'_> {
    /// For a sketch: steps over the body at the cursor. False, and nothing is done, when it must be read.
    pub(super) fn skims_body(&mut self) -> bool {
        let Some(bodies) = &self.bodies else { return false };
        let open = self.c.at;
        if any_within(&bodies.makes, open..self.c.group_end(open)) || !self.skims() {
            return false;
        }
        let comments = &self.c.tokens.comments;
        let from = comments.partition_point(|comment| comment.next as usize <= open);
        let len = comments[from..].partition_point(|comment| (comment.next as usize) < self.c.at);
        for comment in &comments[from..from + len] {
            if comment.is_doc {
                self.variable_doc_names(comment.range);
            }
        }
        true
    }

    /// For a sketch: steps over the array at the cursor when nothing can be declared in it.
    pub(super) fn skims_literals(&mut self) -> bool {
        let Some(all) = self.bodies.as_ref().map(|_| &self.c.tokens.list) else { return false };
        let inside = self.c.at..self.c.group_end(self.c.at);
        let is_literal = |at: usize| {
            let token = all[at];
            let may_declare = token.kind == Kind::Word && matches!(token.sub, VARIABLE | FUNCTION | FN);
            !may_declare && !may_be_name(self.c.text, all, at)
        };
        inside.into_iter().all(is_literal) && self.skims()
    }

    fn skims(&mut self) -> bool {
        self.bodies.as_ref().is_some_and(|bodies| bodies.skim.over_names(&mut self.c, &mut self.b, name))
    }

    /// For a sketch, at the brace of a class: methods are read that write properties which it does not declare, as they may
    /// make them.
    pub(super) fn tell_properties(&mut self, class: DefId, end: usize) {
        let Some(bodies) = &mut self.bodies else { return };
        let (c, open) = (&self.c, self.c.at);
        let def = self.b.facts().def(class);
        let is_outer = !def.flags.has(DefFlags::LOCAL) && !def.flags.has(DefFlags::ANONYMOUS);
        if !is_outer || def.kind == SymbolKind::Trait {
            return;
        }
        let from = bodies.writes.partition_point(|(at, _)| (*at as usize) < open);
        let len = bodies.writes[from..].partition_point(|(at, _)| (*at as usize) < end);
        let writes = &bodies.writes[from..from + len];
        if writes.is_empty() {
            return;
        }
        let mut declared = FxHashSet::default();
        let mut at = open + 1;
        while at < end {
            // Behind a modifier or the name of a type.
            let before = c.token(at - 1);
            let is_declared = before.kind == Kind::Word && !matches!(before.sub, NEW | VARIABLE);
            if is_variable(c.token(at)) && is_declared {
                declared.insert(&c.str(c.token(at))[1..]);
            }
            at = c.over(at).max(at + 1);
        }
        let is_new = |name: u32| !declared.contains(c.str(c.token(name as usize)));
        bodies.makes.extend(writes.iter().filter(|(_, name)| is_new(*name)).map(|(at, _)| *at));
    }
}

/// The name that the word at an index is, or may be.
fn name(c: &Cursor<'_>, at: usize) -> Option<TextRange> {
    let all = &c.tokens.list;
    let (token, before, next) = (all[at], all[at.saturating_sub(1)], all[at + 1]);
    let text = c.str(token);
    if token.sub == VARIABLE {
        return (text != "$this").then(|| TextRange::new(token.start + 1, token.end));
    }
    if is_behind(all, at) {
        return (token.sub != CLASS || !before.is(b':')).then(|| token.range());
    }
    let is_static = are_joined(all, at + 1, b"::");
    // Any word may stand where an argument is named, or where a type goes on or begins.
    let is_key = next.is(b':') && !is_static && !before.is(b'?');
    let is_name = is_key
        || in_type(all, at)
        || match token.sub {
            0 => !is_reserved(all, at, text, is_static) && !is_cast(all, at, text),
            ENUM | READONLY => true,
            MATCH => !next.is(b'(') || is_type(all, at),
            STATIC => {
                let is_function = next.kind == Kind::Word && matches!(next.sub, FUNCTION | FN);
                let is_statement = is_variable(next) && matches!(before.sub, b';' | b'{' | b'}');
                let is_reserved = is_static || is_type(all, at) && !next.is(b'\\');
                !is_reserved && !is_function && !is_statement
            }
            _ => false,
        };
    is_name.then(|| token.range())
}

/// The word at an index is behind `new` or `instanceof`.
fn is_type(all: &[Token], at: usize) -> bool {
    let before = all[at.saturating_sub(1)];
    before.kind == Kind::Word && matches!(before.sub, NEW | INSTANCEOF) && !is_member(all, at - 1)
}

/// The word at an index may be the next one of several types, or the first in a head.
fn in_type(all: &[Token], at: usize) -> bool {
    let Some(first) = at.checked_sub(2).map(|at| all[at]) else { return false };
    let before = all[at - 1];
    if before.is(b'(') {
        return first.kind == Kind::Word && matches!(first.sub, CATCH | FN | FUNCTION);
    }
    (before.is(b'|') || before.is(b'&')) && matches!(first.kind, Kind::Word | Kind::Close)
}

/// Words that the language has for itself where they stand alone, or before a bracket.
fn is_reserved(all: &[Token], at: usize, word: &str, is_static: bool) -> bool {
    let is = |words: &[&str]| words.iter().any(|reserved| word.eq_ignore_ascii_case(reserved));
    let next = all[at + 1];
    if word.len() > 6 || next.is(b'\\') {
        return false;
    }
    if is_static || is_type(all, at) {
        return is(&["self", "parent"]);
    }
    is(&["null", "true", "false", "exit", "die"])
        || next.is(b'(') && is(&["array", "isset", "empty", "list", "unset", "eval"])
}

/// `(int)` where no call can stand.
fn is_cast(all: &[Token], at: usize, word: &str) -> bool {
    const BEFORE: &[u8] = b"=,.!?;+-*/([{}";
    at > 1
        && all[at - 1].is(b'(')
        && all[at + 1].is(b')')
        && matches!(all[at - 2].kind, Kind::Punct | Kind::Open | Kind::Close)
        && BEFORE.contains(&all[at - 2].sub)
        && CASTS.contains(&&*word.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Php;
    use crate::front::FrontEnd;

    /// Whether the body of a method is read.
    fn is_read(body: &str) -> bool {
        let text = format!("<?php class A {{ private ?B $known; function f($x) {{ $own = 1; {body} }} }}");
        let sketch = Php.sketch("a.php", &text).expect("its brackets match");
        assert_eq!(sketch.agrees_with(&Arc::from("a.php"), &Php.facts("a.php", &text)), Ok(()));
        sketch.facts().defs.iter().any(|def| sketch.facts().name(def.name) == "own")
    }

    #[test]
    fn bodies_are_read_that_say_something_about_what_is_outside() {
        for body in [
            "define('A', 1);",
            "\\class_alias(A::class, 'B');",
            "new class { /** @var B */ public $x; };",
            "class B {}",
            "/** @return B */ function g() {}",
            "namespace B;",
            "$this->made = 1;",
            "($this)->made = 1;",
            "[$this->made, $y] = $x;",
            "list('k' => $this->made) = $x;",
            "foreach ($x as $this->made => $y) {}",
            "$f = function () { $this->made = 1; };",
        ] {
            assert!(is_read(body), "{body}");
        }
    }

    #[test]
    fn all_other_bodies_are_stepped_over() {
        for body in [
            "$this->known = $x; $this?->known = 1;",
            "$this->made['a'] = $this->b == 1;",
            "$x[$this->made] = 1; $x['a'][$this->made] = 2;",
            "foreach ($x as $y) $this->g($y);",
            "$f = static fn (int $y) => $this->g($y);",
            "$this->define('A', 1); $x::class_alias('A', 'B');",
            "global $y; static $z = null; yield $x; return B::class;",
            "/** @var B<C>|class-string $y */ $y = $x;",
            "$x->class->default()->list(array: (int) $y, new: 1);",
            "echo \"{$this->b} ${y} $x->class\"; include 'a.php';",
            "try { match ($x) { default => 1 }; } catch (B | C $e) { label: namespace\\g(); }",
            "return new static($x instanceof self, null, static::g(), isset($y[FOO]));",
        ] {
            assert!(!is_read(body), "{body}");
        }
    }

    #[test]
    fn arrays_of_literals_are_stepped_over_outside_of_functions_too() {
        let text = "<?php const A = ['a' => B::C, 'd' => [E]]; $x = [$y = 1];";
        let sketch = Php.sketch("a.php", text).expect("its brackets match");
        assert_eq!(sketch.agrees_with(&Arc::from("a.php"), &Php.facts("a.php", text)), Ok(()));
        assert!(sketch.facts().refs.is_empty());
    }
}
