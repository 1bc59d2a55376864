//! The rules of a `macro_rules!`, as far as they are read: items that its calls declare under a name that they are
//! given, and whether its value is a part of its argument.

use ide_model::{SymbolKind, Visibility};

use super::front::Parser;
use super::lexer::{CONST, ENUM, FN, SELF, STATIC, STRUCT, TRAIT, TYPE};
use crate::facts::DefFlags;
use crate::kit::Kind;

/// An item that a macro makes: which of its arguments is the name, and what it is.
#[derive(Clone, Copy)]
pub(super) struct Made {
    argument: usize,
    kind: SymbolKind,
    has_self: bool,
}

impl Parser<'_> {
    /// The items that the rules in the group at `body` make, other than by calling macros.
    pub(super) fn made_by_rules(&self, body: usize) -> Vec<Made> {
        let end = self.c.group_end(body);
        let mut made = Vec::new();
        let mut at = body + 1;
        while at < end {
            let rule = self.c.over(at);
            let is_rule = self.c.token(at).kind == Kind::Open
                && self.c.joined_at(rule, b"=>")
                && self.c.token(rule + 2).kind == Kind::Open;
            if !is_rule {
                break;
            }
            for (argument, from) in self.arguments_of(at).into_iter().enumerate() {
                if let Some(name) = self.named_argument(from) {
                    made.extend(self.made_of(rule + 2, name, argument));
                }
            }
            at = self.c.over(rule + 2);
            at += usize::from(self.c.token(at).is(b';'));
        }
        made
    }

    /// The starts of the parts between commas of the group at `open`.
    fn arguments_of(&self, open: usize) -> Vec<usize> {
        let end = self.c.group_end(open);
        let mut all = vec![open + 1];
        let mut at = open + 1;
        while at < end {
            let is_comma = self.c.token(at).is(b',');
            at = self.c.over(at);
            if is_comma {
                all.push(at);
            }
        }
        all
    }

    /// The token of `$name` in `$name:ident`, attributes before it left out.
    fn named_argument(&self, mut at: usize) -> Option<usize> {
        while self.c.token(at).is(b'$') && self.c.token(at + 1).is(b'(') && self.c.token(at + 2).is(b'#') {
            at = self.c.over(at + 1) + 1;
        }
        let is_name = self.c.token(at).is(b'$')
            && self.c.token(at + 1).kind == Kind::Word
            && self.c.token(at + 2).is(b':')
            && self.text(self.c.token(at + 3)) == "ident";
        is_name.then_some(at + 1)
    }

    /// The item that the group at `open` declares by a name, outside of inner groups.
    fn made_of(&self, open: usize, name: usize, argument: usize) -> Option<Made> {
        let name = self.text(self.c.token(name));
        let end = self.c.group_end(open);
        let mut at = open + 1;
        while at < end {
            let token = self.c.token(at);
            let is_it = token.kind == Kind::Word
                && self.c.token(at + 1).is(b'$')
                && self.text(self.c.token(at + 2)) == name;
            let kind = match token.sub {
                _ if !is_it => None,
                FN => Some(SymbolKind::Function),
                STRUCT => Some(SymbolKind::Struct),
                ENUM => Some(SymbolKind::Enum),
                TRAIT => Some(SymbolKind::Trait),
                TYPE => Some(SymbolKind::TypeAlias),
                CONST | STATIC => Some(SymbolKind::Constant),
                _ => None,
            };
            if let Some(kind) = kind {
                let parameters = (at + 3..end).find(|i| self.c.token(*i).is(b'('));
                let has_self = parameters.is_some_and(|open| {
                    let first = open..self.c.group_end(open);
                    first.take_while(|i| !self.c.token(*i).is(b',')).any(|i| self.is_word_at(i, SELF))
                });
                return Some(Made { argument, kind, has_self });
            }
            at = self.c.over(at);
        }
        None
    }

    /// Declares what the macro call whose arguments are the group that is next makes.
    pub(super) fn declare_made(&mut self, makes: &[Made]) {
        let arguments = self.arguments_of(self.c.at);
        let in_class = self.in_class();
        let mut declared: Vec<usize> = Vec::new();
        for made in makes {
            let Some(mut at) = arguments.get(made.argument).copied() else { continue };
            while self.c.token(at).is(b'#') {
                at = self.c.over(at + 1);
            }
            let is_alone = self.c.token(at + 1).is(b',') || self.c.token(at + 1).kind == Kind::Close;
            if !self.is_name_at(at) || !is_alone || declared.contains(&at) {
                continue;
            }
            declared.push(at);
            let token = self.c.token(at);
            let is_method = in_class && made.kind == SymbolKind::Function;
            let kind = if is_method { SymbolKind::Method } else { made.kind };
            let def = self.b.def(self.text(token), token.range(), kind);
            let d = self.b.def_mut(def);
            d.visibility = Some(Visibility::Public);
            d.flags.set(DefFlags::EXPORTED);
            if is_method && !made.has_self {
                d.flags.set(DefFlags::STATIC);
            }
            self.made.insert(token.start);
        }
    }

    /// The next brace that opens a group, at most a few words on.
    fn next_brace(&self, at: usize) -> usize {
        (at..at + 8).find(|i| self.c.token(*i).is(b'{')).unwrap_or(at)
    }

    /// A macro before the cursor whose one value is what a good variant of its one argument holds:
    /// `match $e { Ok(v) => v, … }`.
    pub(super) fn takes_apart(&self, body: usize) -> bool {
        let text = |at: usize| self.text(self.c.token(at));
        let bare = |at: usize| at + usize::from(self.c.token(at).is(b'$'));
        let is_good = |at: usize| {
            let name = bare(at + 2);
            let is_pattern = matches!(text(at), "Some" | "Ok" | "Ready")
                && self.c.token(at + 1).is(b'(')
                && self.c.token(name).kind == Kind::Word
                && self.c.token(name + 1).is(b')');
            let value = match () {
                () if self.c.joined_at(name + 2, b"=>") => bare(name + 4),
                // `if let Ok(v) = $e { v } else { … }`.
                () if self.c.token(name + 2).is(b'=') => bare(self.next_brace(name + 3) + 1),
                () => return false,
            };
            is_pattern
                && text(value) == text(name)
                && (self.c.token(value + 1).is(b',') || self.c.token(value + 1).is(b'}'))
        };
        let mut words = (body..self.c.at).filter(|at| self.c.token(*at).kind == Kind::Word);
        words.any(is_good)
    }
}
