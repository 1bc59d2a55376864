//! Conditions whose outcome is known before the program runs: the language's version, the platform, type checking.

use super::lexer::{T, Tok};
use super::parser::Parser;

/// Programs are read for versions between these two; a condition on which they differ has no known outcome.
const VERSIONS: [[u32; 3]; 2] = [[3, 11, 0], [3, 14, 99]];
const PLATFORM: &str = "linux";

impl Parser<'_> {
    /// The outcome of the condition that starts here and ends at a colon.
    pub(super) fn known_outcome(&self) -> Option<bool> {
        let mut at = self.pos;
        let outcome = self.known_choice(&mut at);
        outcome.filter(|_| self.toks[at].kind == T::Colon)
    }

    fn known_choice(&self, at: &mut usize) -> Option<bool> {
        self.known_of_all(at, T::Or, |at| self.known_of_all(at, T::And, |at| self.known_test(at)))
    }

    /// The outcome of parts with `word` between them: `or` holds when one does, `and` fails when one does.
    fn known_of_all(
        &self,
        at: &mut usize,
        word: T,
        part: impl Fn(&mut usize) -> Option<bool>,
    ) -> Option<bool> {
        let deciding = Some(word == T::Or);
        let mut outcome = part(at);
        while self.toks[*at].kind == word {
            *at += 1;
            let next = part(at);
            outcome = match (outcome, next) {
                (one, other) if one == deciding || other == deciding => deciding,
                (Some(_), Some(_)) => outcome,
                _ => None,
            };
        }
        outcome
    }

    /// One part of a condition; leaves `at` behind it, whatever it is.
    fn known_test(&self, at: &mut usize) -> Option<bool> {
        let mut is_negated = false;
        while self.toks[*at].kind == T::Not {
            is_negated = !is_negated;
            *at += 1;
        }
        let start = *at;
        loop {
            match self.toks[*at].kind {
                T::LParen | T::LBrack | T::LBrace | T::FStart => {
                    *at = self.partner(*at).max(*at);
                    if self.toks[*at].kind.is_layout() {
                        return None;
                    }
                }
                T::And | T::Or | T::Colon | T::RParen => break,
                kind if kind.is_layout() => break,
                _ => {}
            }
            *at += 1;
        }
        self.outcome_of(start, *at).map(|outcome| outcome != is_negated)
    }

    fn outcome_of(&self, start: usize, end: usize) -> Option<bool> {
        let text = |i: usize| self.text(self.toks[i]);
        match &self.toks[start..end] {
            [one] => match one.kind {
                T::True => return Some(true),
                T::False => return Some(false),
                T::Number => return text(start).parse().ok().map(|number: u32| number != 0),
                _ => {}
            },
            [open, .., close] if open.kind == T::LParen && close.kind == T::RParen => {
                let mut at = start + 1;
                let outcome = self.known_choice(&mut at);
                return outcome.filter(|_| at + 1 == end);
            }
            _ => {}
        }
        let mut words = Vec::new();
        let mut next = start;
        while next < end && self.toks[next].kind == T::Name {
            words.push(text(next));
            next += 1 + usize::from(next + 1 < end && self.toks[next + 1].kind == T::Dot);
        }
        let rest = &self.toks[next..end];
        match (&words[..], rest) {
            ([.., "TYPE_CHECKING"], []) => Some(true),
            (["sys", "version_info"], [compare, ..]) if compare.kind == T::Compare => {
                version_test(text(next), 3, &self.numbers(next + 1, end)?)
            }
            (["sys", "version_info"], [open, first, close, compare, number])
                if open.kind == T::LBrack
                    && close.kind == T::RBrack
                    && compare.kind == T::Compare
                    && self.text(*first) == "0" =>
            {
                version_test(self.text(*compare), 1, &[self.text(*number).parse().ok()?])
            }
            (["sys", "platform"], [compare, name]) => self.name_test(text(next), PLATFORM, *compare, *name),
            (["os", "name"], [compare, name]) => self.name_test(text(next), "posix", *compare, *name),
            (["sys", "platform", "startswith"], [_, name, _]) if name.kind == T::Str => {
                let range = Self::string_content(*name);
                Some(PLATFORM.starts_with(&self.src[range.start as usize..range.end as usize]))
            }
            _ => None,
        }
    }

    fn name_test(&self, operator: &str, own: &str, compare: Tok, name: Tok) -> Option<bool> {
        if compare.kind != T::Compare || name.kind != T::Str {
            return None;
        }
        let range = Self::string_content(name);
        let is_equal = &self.src[range.start as usize..range.end as usize] == own;
        match operator {
            "==" => Some(is_equal),
            "!=" => Some(!is_equal),
            _ => None,
        }
    }

    /// The numbers of a tuple.
    fn numbers(&self, start: usize, end: usize) -> Option<Vec<u32>> {
        if self.toks.get(start)?.kind != T::LParen || self.partner(start) + 1 != end {
            return None;
        }
        let items = self.toks[start + 1..end - 1].iter().filter(|t| t.kind != T::Comma);
        items.map(|t| self.text(*t).parse().ok()).collect()
    }
}

/// The comparison of the running version's first `count` numbers, where all versions agree.
fn version_test(operator: &str, count: usize, wanted: &[u32]) -> Option<bool> {
    let [oldest, newest] = VERSIONS.each_ref().map(|version| {
        let own = &version[..count];
        match operator {
            ">=" => Some(own >= wanted),
            ">" => Some(own > wanted),
            "<=" => Some(own <= wanted),
            "<" => Some(own < wanted),
            "==" => Some(own == wanted),
            "!=" => Some(own != wanted),
            _ => None,
        }
    });
    oldest.filter(|_| oldest == newest)
}
