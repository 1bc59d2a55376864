//! Strings in decorators of pytest that name fixtures.

use ide_model::TextRange;

use crate::facts::{RefFlags, Role};

use super::lexer::{T, Tok};
use super::parser::Parser;

/// An argument of a call: its keyword, its place among the arguments without one, its tokens.
struct Argument {
    keyword: Option<usize>,
    place: usize,
    tokens: std::ops::Range<usize>,
}

impl Parser<'_> {
    /// Notes the names of fixtures in the decorator that begins at a token: `@pytest.fixture(name="db")`, and
    /// `@pytest.mark.parametrize("db, n", …, indirect=["db"])`.
    pub(super) fn decorator_strings(&mut self, start: usize) {
        let mut last = start;
        while self.toks[last + 1].kind == T::Dot && self.toks[last + 2].kind == T::Name {
            last += 2;
        }
        if self.toks[last + 1].kind != T::LParen {
            return;
        }
        match self.text(self.toks[last]) {
            "fixture" => {
                let arguments = self.arguments_of(last + 1);
                let name = arguments.iter().find(|argument| self.is_called(argument, "name"));
                if let Some(name) = name.filter(|name| name.tokens.len() == 1) {
                    let string = self.toks[name.tokens.start];
                    if string.kind == T::Str {
                        self.string_reference(string, RefFlags::IMPLICIT);
                    }
                }
            }
            "parametrize" => self.indirect_fixtures(last + 1),
            _ => {}
        }
    }

    /// The parameters of `parametrize` whose values go to fixtures.
    fn indirect_fixtures(&mut self, open: usize) {
        let arguments = self.arguments_of(open);
        let of = |name: &str, place: usize| {
            let is_it = |argument: &&Argument| {
                self.is_called(argument, name) || argument.keyword.is_none() && argument.place == place
            };
            arguments.iter().find(is_it).map(|argument| argument.tokens.clone())
        };
        let (Some(names), Some(indirect)) = (of("argnames", 0), of("indirect", 2)) else { return };
        let strings = |tokens: &std::ops::Range<usize>| -> Vec<Tok> {
            self.toks[tokens.clone()].iter().filter(|tok| tok.kind == T::Str).copied().collect()
        };
        let (named, chosen) = (strings(&names), strings(&indirect));
        let is_all = indirect.len() == 1 && self.text(self.toks[indirect.start]) == "True";
        let text = |range: TextRange| &self.src[range.start as usize..range.end as usize];
        let chosen_names: Vec<&str> = chosen.iter().map(|tok| text(Self::string_content(*tok))).collect();
        let mut words: Vec<TextRange> = Vec::new();
        for string in named {
            let content = Self::string_content(string);
            let mut at = content.start;
            for part in text(content).split(',') {
                let start = at + (part.len() - part.trim_start().len()) as u32;
                let range = TextRange::new(start, start + part.trim().len() as u32);
                at += part.len() as u32 + 1;
                if is_all || chosen_names.contains(&part.trim()) {
                    words.push(range);
                }
            }
        }
        words.extend(chosen.iter().map(|tok| Self::string_content(*tok)));
        for range in words.into_iter().filter(|range| !range.is_empty()) {
            let name = &self.src[range.start as usize..range.end as usize];
            let reference = self.b.reference(name, range, Role::Read);
            self.b.ref_mut(reference).flags = RefFlags::IN_STRING | RefFlags::DYNAMIC;
        }
    }

    fn is_called(&self, argument: &Argument, name: &str) -> bool {
        argument.keyword.is_some_and(|keyword| self.text(self.toks[keyword]) == name)
    }

    /// The arguments in a bracket.
    fn arguments_of(&self, open: usize) -> Vec<Argument> {
        let close = self.partner(open);
        let (mut found, mut at, mut place) = (Vec::new(), open + 1, 0);
        while at < close {
            let is_keyword = self.toks[at].kind == T::Name && self.toks[at + 1].kind == T::Assign;
            let start = if is_keyword { at + 2 } else { at };
            let mut end = start;
            while end < close && self.toks[end].kind != T::Comma {
                let is_bracket = matches!(self.toks[end].kind, T::LParen | T::LBrack | T::LBrace);
                end = if is_bracket { self.partner(end).max(end) + 1 } else { end + 1 };
            }
            let end = end.min(close);
            found.push(Argument { keyword: is_keyword.then_some(at), place, tokens: start.min(end)..end });
            place += usize::from(!is_keyword);
            at = end + 1;
        }
        found
    }
}
