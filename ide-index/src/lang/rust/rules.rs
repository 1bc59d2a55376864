//! The rules of a `macro_rules!` and what they make of a call: matching, and putting together the text that a call
//! stands for.

use std::cell::Cell;
use std::rc::Rc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::fragments::fragment_end;
use super::lexer;
use crate::kit::{Kind, Token, Tokens};

/// A call whose text would be longer is not written out.
const MAX_LEN: usize = 64 << 10;

/// Repetitions and groups nest this deep.
const MAX_DEPTH: u32 = 24;

/// A macro by its rules: a text of its own, so that it can be used while others are read.
pub(super) struct MacroRules {
    text: Box<str>,
    tokens: Tokens,
}

/// Tokens of a text.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: &'a Tokens,
}

impl<'a> Source<'a> {
    pub(super) fn token(self, index: usize) -> Token {
        let list = &self.tokens.list;
        list[index.min(list.len() - 1)]
    }

    pub(super) fn str(self, index: usize) -> &'a str {
        let token = self.token(index);
        &self.text[token.start as usize..token.end as usize]
    }

    /// A token with what makes a word no keyword.
    fn whole(self, index: usize) -> (&'a str, Token) {
        let mut token = self.token(index);
        let is_raw = token.kind == Kind::Word && self.text[..token.start as usize].ends_with("r#");
        token.start -= 2 * u32::from(is_raw);
        (&self.text[token.start as usize..token.end as usize], token)
    }

    /// The index behind a token or the group that it opens.
    pub(super) fn over(self, index: usize) -> usize {
        let token = self.token(index);
        match token.kind {
            Kind::Open => token.mate as usize + 1,
            _ => index + 1,
        }
    }

    pub(super) fn is(self, index: usize, byte: u8) -> bool {
        self.token(index).is(byte)
    }

    pub(super) fn is_word(self, index: usize) -> bool {
        self.token(index).kind == Kind::Word
    }
}

/// The binding of a `$name`: tokens of the call, or something for each turn of a repetition.
#[derive(Clone)]
enum Bound<'r> {
    Tokens(usize, usize),
    Each(Rc<[Bindings<'r>]>),
}

/// By their names, of which the last counts.
type Bindings<'r> = SmallVec<[(&'r str, Bound<'r>); 2]>;

fn bound_to<'b, 'r>(bound: &'b Bindings<'r>, name: &str) -> Option<&'b Bound<'r>> {
    bound.iter().rev().find(|(bound, _)| *bound == name).map(|(_, to)| to)
}

/// The expansion of a call: a text, and where its parts stand in the call.
#[derive(Default)]
pub(super) struct Expansion {
    pub(super) text: String,
    /// By position: what was copied from the call, with its place there; `None` for what the rule has.
    pieces: Vec<(u32, Option<u32>)>,
    /// Tokens of the call that names of the rule are bound to.
    bound: Vec<(usize, usize)>,
}

impl Expansion {
    fn at(&self, position: u32, from: usize) -> Option<u32> {
        let (start, place) = *self.pieces.get(from.checked_sub(1)?)?;
        place.map(|place| place + (position - start))
    }

    /// Tokens of the call that the rule takes under a name and makes nothing of.
    pub(super) fn dropped(&self, call: Source<'_>) -> Vec<usize> {
        let copied: FxHashSet<u32> = self.pieces.iter().filter_map(|(_, place)| *place).collect();
        let all = self.bound.iter().flat_map(|(from, to)| *from..*to);
        all.filter(|c| !copied.contains(&call.whole(*c).1.start)).collect()
    }

    /// The place in the call where a thing begins that begins here.
    pub(super) fn start(&self, position: u32) -> Option<u32> {
        self.at(position, self.pieces.partition_point(|(start, _)| *start <= position))
    }

    /// The place in the call where a thing ends that ends here.
    pub(super) fn end(&self, position: u32) -> Option<u32> {
        self.at(position, self.pieces.partition_point(|(start, _)| *start < position))
    }
}

impl MacroRules {
    /// The rules in a group, brackets included.
    pub(super) fn read(text: &str) -> Self {
        Self { text: text.into(), tokens: lexer::lex(text) }
    }

    fn source(&self) -> Source<'_> {
        Source { text: &self.text, tokens: &self.tokens }
    }

    /// The expansion by the first rule that takes the arguments in a group; `steps` are those that may be made.
    pub(super) fn expand(&self, call: Source<'_>, open: usize, steps: &Cell<usize>) -> Option<Expansion> {
        let rules = self.source();
        if !self.tokens.unmatched.is_empty() || rules.token(0).kind != Kind::Open {
            return None;
        }
        let end = rules.token(0).mate as usize;
        let mut at = 1;
        while at < end {
            let arrow = rules.over(at);
            let body = arrow + 2;
            let is_rule = rules.token(at).kind == Kind::Open
                && rules.is(arrow, b'=')
                && rules.token(body).kind == Kind::Open;
            if !is_rule {
                return None;
            }
            let matching = Matching { rules, call, steps };
            let mut bound = Bindings::default();
            let close = call.token(open).mate as usize;
            let head = rules.token(at).mate as usize;
            if matching.sequence(at + 1, head, open + 1, close, &mut bound, 0) == Some(close) {
                let mut writer = Writer {
                    rules,
                    call,
                    steps,
                    out: Expansion::default(),
                    last: None,
                    renamed: FxHashSet::default(),
                };
                writer.renamed = writer.captured(body, open)?;
                writer.write(body + 1, rules.token(body).mate as usize, &mut bound, 0)?;
                leaves(&bound, &mut FxHashSet::default(), &mut writer.out.bound);
                return Some(writer.out);
            }
            if steps.get() == 0 {
                // A rule that could not be tried to its end may be the one.
                return None;
            }
            at = rules.over(body);
            at += usize::from(rules.is(at, b';'));
        }
        None
    }
}

/// All tokens that something is bound to.
fn leaves<'r>(
    bound: &Bindings<'r>,
    seen: &mut FxHashSet<*const Bindings<'r>>,
    into: &mut Vec<(usize, usize)>,
) {
    for (_, one) in bound {
        match one {
            Bound::Tokens(from, to) => into.push((*from, *to)),
            // Names of one repetition share its turns.
            Bound::Each(turns) => {
                if seen.insert(turns.as_ptr()) {
                    turns.iter().for_each(|turn| leaves(turn, seen, into));
                }
            }
        }
    }
}

/// `$( … ) separator operator` at a token of a rule.
struct Repetition {
    inner: (usize, usize),
    separator: (usize, usize),
    operator: u8,
    behind: usize,
}

fn repetition(rules: Source<'_>, at: usize) -> Option<Repetition> {
    if !rules.is(at, b'$') || !rules.is(at + 1, b'(') {
        return None;
    }
    let close = rules.token(at + 1).mate as usize;
    let is_operator = |i: usize| [b'*', b'+', b'?'].into_iter().find(|op| rules.is(i, *op));
    let last = (close + 1..close + 4).find(|i| {
        // `$(…)+*`: a plus between the turns.
        is_operator(*i).is_some() && !(*i == close + 1 && rules.is(*i, b'+') && rules.is(i + 1, b'*'))
    })?;
    Some(Repetition {
        inner: (at + 2, close),
        separator: (close + 1, last),
        operator: is_operator(last)?,
        behind: last + 1,
    })
}

#[derive(Clone, Copy)]
struct Matching<'a> {
    rules: Source<'a>,
    call: Source<'a>,
    steps: &'a Cell<usize>,
}

/// Takes from the steps that are left; `None` where there are too few.
fn spend(left: &Cell<usize>, steps: usize) -> Option<()> {
    left.set(left.get().saturating_sub(steps));
    (left.get() > 0).then_some(())
}

impl<'a> Matching<'a> {
    /// The token of the call behind what the rule's tokens `m..end` take from `c`.
    fn sequence(
        &self,
        mut m: usize,
        end: usize,
        mut c: usize,
        close: usize,
        bound: &mut Bindings<'a>,
        depth: u32,
    ) -> Option<usize> {
        if depth > MAX_DEPTH {
            return None;
        }
        while m < end {
            spend(self.steps, 1)?;
            if let Some(repetition) = repetition(self.rules, m) {
                c = self.turns(&repetition, c, close, bound, depth)?;
                m = repetition.behind;
                continue;
            }
            if self.rules.is(m, b'$') && self.rules.is_word(m + 1) && self.rules.is(m + 2, b':') {
                let end = fragment_end(self.call, self.rules.str(m + 3), c, close);
                // Where there is none, it may have been looked for up to the end.
                spend(self.steps, end.unwrap_or(close) - c)?;
                let behind = end?;
                bound.push((self.rules.str(m + 1), Bound::Tokens(c, behind)));
                (m, c) = (m + 4, behind);
                continue;
            }
            if c >= close {
                return None;
            }
            let (wanted, given) = (self.rules.token(m), self.call.token(c));
            if wanted.kind == Kind::Open && given.kind == Kind::Open {
                let inner = given.mate as usize;
                let taken =
                    self.sequence(m + 1, wanted.mate as usize, c + 1, inner, bound, depth + 1)? == inner;
                if wanted.sub != given.sub || !taken {
                    return None;
                }
            } else if self.rules.str(m) != self.call.str(c) {
                return None;
            }
            (m, c) = (self.rules.over(m), self.call.over(c));
        }
        Some(c)
    }

    fn turns(
        &self,
        repetition: &Repetition,
        mut c: usize,
        close: usize,
        bound: &mut Bindings<'a>,
        depth: u32,
    ) -> Option<usize> {
        let (from, to) = repetition.inner;
        let mut all: Vec<Bindings<'a>> = Vec::new();
        loop {
            let mut next = c;
            if !all.is_empty() {
                let (separator, behind) = repetition.separator;
                let same = (separator..behind)
                    .enumerate()
                    .all(|(i, m)| next + i < close && self.rules.str(m) == self.call.str(next + i));
                if !same || repetition.operator == b'?' {
                    break;
                }
                next += behind - separator;
            }
            let mut turn = Bindings::default();
            match self.sequence(from, to, next, close, &mut turn, depth + 1) {
                Some(behind) if behind > next => {
                    all.push(turn);
                    c = behind;
                }
                _ => break,
            }
        }
        if all.is_empty() && repetition.operator == b'+' {
            return None;
        }
        let all: Rc<[Bindings<'a>]> = all.into();
        for m in from..to {
            if self.rules.is(m, b'$') && self.rules.is_word(m + 1) && self.rules.is(m + 2, b':') {
                bound.push((self.rules.str(m + 1), Bound::Each(all.clone())));
            }
        }
        Some(c)
    }
}

struct Writer<'a> {
    rules: Source<'a>,
    call: Source<'a>,
    out: Expansion,
    /// The end of the last token, and whether it was one of the call.
    last: Option<(u32, bool)>,
    /// Variables of the rule whose names the call has too.
    renamed: FxHashSet<&'a str>,
    steps: &'a Cell<usize>,
}

impl<'a> Writer<'a> {
    /// Variables that a rule declares for itself under a name which stands in the call.
    fn captured(&self, body: usize, open: usize) -> Option<FxHashSet<&'a str>> {
        let close = self.call.token(open).mate as usize;
        let is_bound = |i: usize| {
            // `&mut Option<T>` and `for Type` are not variables.
            let is_variable = self.rules.is_word(i)
                && self.rules.token(i).sub == 0
                && !self.rules.str(i).starts_with(char::is_uppercase);
            let before = self.rules.str(i - 1);
            is_variable
                && (matches!(before, "let" | "mut" | "ref" | "for" | "|")
                    || before == "(" && matches!(self.rules.str(i - 2), "Some" | "Ok" | "Err"))
        };
        let words = body + 2..self.rules.token(body).mate as usize;
        let mut captured = FxHashSet::default();
        for name in words.filter(|i| is_bound(*i)).map(|i| self.rules.str(i)) {
            spend(self.steps, close - open)?;
            if (open..close).any(|c| self.call.str(c) == name) {
                captured.insert(name);
            }
        }
        Some(captured)
    }

    fn push(&mut self, text: &str, token: Token, is_call: bool) -> Option<()> {
        let out = &mut self.out;
        if self.last != Some((token.start, is_call)) {
            out.text.push(if token.after_newline { '\n' } else { ' ' });
        }
        out.pieces.push((out.text.len() as u32, is_call.then_some(token.start)));
        out.text.push_str(text);
        self.last = Some((token.end, is_call));
        (out.text.len() < MAX_LEN).then_some(())
    }

    fn copy(&mut self, from: usize, to: usize) -> Option<()> {
        (from..to).try_for_each(|c| {
            let (text, token) = self.call.whole(c);
            self.push(text, token, true)
        })
    }

    /// Writes tokens of a rule's body with what their names are bound to.
    fn write(&mut self, from: usize, to: usize, bound: &mut Bindings<'a>, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut m = from;
        while m < to {
            if self.rules.tokens.comments_before(m).iter().any(|comment| comment.is_doc) {
                // Documentation is an attribute.
                self.out.pieces.push((self.out.text.len() as u32 + 1, None));
                self.out.text.push_str(" #[doc = \"\"]");
                self.last = None;
            }
            if let Some(repetition) = repetition(self.rules, m) {
                self.write_turns(&repetition, bound, depth)?;
                m = repetition.behind;
                continue;
            }
            let token = self.rules.token(m);
            if token.is(b'$') && self.rules.is_word(m + 1) {
                spend(self.steps, bound.len())?;
                match bound_to(bound, self.rules.str(m + 1)) {
                    Some(Bound::Tokens(from, to)) => {
                        self.copy(*from, *to)?;
                        m += 2;
                        continue;
                    }
                    Some(Bound::Each(_)) => return None,
                    None if self.rules.str(m + 1) == "crate" => {
                        m += 1;
                        continue;
                    }
                    None => {}
                }
            } else if token.is(b'$') && self.rules.token(m + 1).kind == Kind::Open {
                return None;
            }
            let (text, token) = self.rules.whole(m);
            if token.kind == Kind::Word && self.renamed.contains(text) {
                // A letter that no one types.
                self.push(&format!("{text}\u{1c3}"), token, false)?;
            } else {
                self.push(text, token, false)?;
            }
            m += 1;
        }
        Some(())
    }

    fn write_turns(&mut self, repetition: &Repetition, bound: &mut Bindings<'a>, depth: u32) -> Option<()> {
        let (from, to) = repetition.inner;
        let names = (from..to).filter(|m| self.rules.is(*m, b'$')).map(|m| self.rules.str(m + 1));
        let mut each: SmallVec<[Rc<[Bindings<'a>]>; 2]> = SmallVec::new();
        for name in names {
            // Names of one repetition share its turns.
            if let Some(Bound::Each(turns)) = bound_to(bound, name)
                && !each.iter().any(|other| Rc::ptr_eq(other, turns))
            {
                each.push(turns.clone());
            }
        }
        let outer = bound.len();
        let count = each.iter().map(|turns| turns.len()).max()?;
        for turn in 0..count {
            for turns in &each {
                // A binding by another repetition has no more turns than this one.
                bound.extend(turns.get(turn)?.iter().cloned());
            }
            if turn > 0 {
                let (separator, behind) = repetition.separator;
                for m in separator..behind {
                    self.push(self.rules.str(m), self.rules.token(m), false)?;
                }
            }
            self.write(from, to, bound, depth + 1)?;
            bound.truncate(outer);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(rules: &str, call: &str) -> Option<String> {
        let tokens = lexer::lex(call);
        let steps = Cell::new(1_000);
        let expansion = MacroRules::read(rules).expand(Source { text: call, tokens: &tokens }, 0, &steps)?;
        Some(expansion.text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn repetitions_are_written_out() {
        let rules = "{ ($of:ident { $($name:ident = $value:expr),* $(,)? }) => { impl $of { $(const $name: u8 = $value;)* } } }";
        let made = expanded(rules, "(A { B = f(1, 2), C = 3 })");
        assert_eq!(made.as_deref(), Some("impl A { const B : u8 = f(1, 2) ; const C : u8 = 3 ; }"));
        assert_eq!(expanded(rules, "(A { B })"), None);
    }

    #[test]
    fn the_first_rule_that_fits_counts_and_inner_repetitions_are_inner_ones() {
        let rules = "{ (@one $t:ty) => { one $t }; ($($k:ident: [$($v:tt)*]);+) => { $($k($($v),*))+ } }";
        let documented = "{ ($n:ident) => { f!(\n/// Doc\n$n) } }";
        assert_eq!(expanded(documented, "(x)").as_deref(), Some("f!( #[doc = \"\"] x )"));
        let signs = "{ ($first:tt $($rest:tt)*) => { $($rest)* $first } }";
        assert_eq!(expanded(signs, "(-> fn f() -> u8)").as_deref(), Some("fn f() -> u8 ->"));
        assert_eq!(expanded(rules, "(@one Vec<A, B>)").as_deref(), Some("one Vec<A, B>"));
        assert_eq!(expanded(rules, "(a: [1 2]; b: [])").as_deref(), Some("a ( 1 , 2 ) b ( )"));
    }

    #[test]
    fn arms_that_nearly_match_take_no_more_than_they_are_given() {
        let arms = (0..50).map(|n| format!("($($a:tt)* ; b{n}) => {{ a{n} }}; ")).collect::<String>();
        let rules = format!("{{ {arms} ($($a:ident)*) => {{ taken }} }}");
        assert_eq!(expanded(&rules, "(a)").as_deref(), Some("taken"));
        assert_eq!(expanded(&rules, &format!("({})", "a ".repeat(500))), None);
    }

    #[test]
    fn places_in_the_call_are_kept_and_own_variables_are_not_those_of_the_call() {
        let call = "(x + 1)";
        let tokens = lexer::lex(call);
        let rules = MacroRules::read("{ ($e:expr) => { let x = $e; x } }");
        let call = Source { text: call, tokens: &tokens };
        let made = rules.expand(call, 0, &Cell::new(1_000)).expect("the rule takes it");
        let at = made.text.find("x +").expect("copied") as u32;
        assert_eq!((made.start(at), made.end(at + 1)), (Some(1), Some(2)));
        assert!(made.text.starts_with(" let x\u{1c3}"));
        assert_eq!(made.start(1), None);
    }
}
