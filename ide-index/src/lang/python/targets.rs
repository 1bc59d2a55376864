//! Places that values go to: names, attributes, items, tuples of them.

use crate::facts::{Expr, ExprId, RefFlags, Role};

use super::lexer::T;
use super::parser::{MAX_DEPTH, Parser, Target};

impl Parser<'_> {
    /// A target list: one target, or several that make a tuple.
    pub(super) fn targets(&mut self) -> Target {
        let first = self.target();
        if self.kind() != T::Comma {
            return first;
        }
        let mut items = vec![first];
        while self.eat(T::Comma) {
            if !self.at_target() {
                break;
            }
            items.push(self.target());
        }
        Target::Tuple(items)
    }

    fn at_target(&self) -> bool {
        matches!(self.kind(), T::Name | T::Star | T::LParen | T::LBrack | T::Str)
    }

    pub(super) fn target(&mut self) -> Target {
        match self.kind() {
            T::Star => {
                self.bump();
                Target::Star(Box::new(self.target_atom()))
            }
            _ => self.target_atom(),
        }
    }

    fn target_atom(&mut self) -> Target {
        match self.kind() {
            T::Name if !matches!(self.ahead(1), T::Dot | T::LParen | T::LBrack) => {
                let tok = self.bump();
                self.bind(tok, false)
            }
            T::LParen | T::LBrack if !self.bracket_has_trailer() => self.bracketed_targets(),
            T::Name | T::Str | T::LParen | T::LBrack | T::LBrace => self.place(),
            _ => {
                self.expr();
                Target::Nothing
            }
        }
    }

    /// True when the bracket here is a value that something is taken from: `(a or b).c = 1`.
    fn bracket_has_trailer(&self) -> bool {
        let close = self.partner(self.pos);
        matches!(self.toks.get(close + 1).map(|t| t.kind), Some(T::Dot | T::LBrack | T::LParen))
    }

    fn bracketed_targets(&mut self) -> Target {
        let close = self.partner(self.pos);
        if self.depth >= MAX_DEPTH {
            self.flat_until(close);
            self.leave_bracket(close);
            return Target::Nothing;
        }
        let is_list = self.kind() == T::LBrack;
        self.depth += 1;
        self.bump();
        let inner = if self.pos < close { self.targets() } else { Target::Tuple(Vec::new()) };
        self.depth -= 1;
        self.leave_bracket(close);
        match inner {
            inner if is_list && !matches!(inner, Target::Tuple(_)) => Target::Tuple(vec![inner]),
            inner => inner,
        }
    }

    /// An attribute or item of a value.
    fn place(&mut self) -> Target {
        let head = (self.kind() == T::Name).then(|| self.text(self.tok()));
        let mut value = self.atom(Role::Read);
        let mut is_head = true;
        loop {
            match self.kind() {
                T::Dot if self.ahead(1) == T::Name => {
                    self.bump();
                    let tok = self.bump();
                    if matches!(self.kind(), T::Dot | T::LParen | T::LBrack) {
                        let role = if self.kind() == T::LParen { Role::Call } else { Role::Read };
                        let member = self.member(tok, role, value);
                        value = self.b.expr(Expr::Ref(member));
                    } else {
                        return self.bind_attribute(tok, value, head.filter(|_| is_head));
                    }
                }
                T::LParen => value = self.call(value, None),
                T::LBrack => value = self.index(value),
                _ => return Target::Place(value),
            }
            is_head = false;
        }
    }

    /// `del a, b.c, d[0]`.
    pub(super) fn deletion(&mut self) {
        self.bump();
        let places = self.deleted();
        self.mark_deleted(&places);
    }

    fn deleted(&mut self) -> Vec<ExprId> {
        let mut places = Vec::new();
        loop {
            match self.kind() {
                T::Comma => {
                    self.bump();
                }
                T::LParen | T::LBrack if !self.bracket_has_trailer() && self.depth < MAX_DEPTH => {
                    let close = self.partner(self.pos);
                    self.bump();
                    self.depth += 1;
                    if self.pos < close {
                        places.extend(self.deleted());
                    }
                    self.depth -= 1;
                    self.leave_bracket(close);
                }
                T::Newline | T::Semi | T::Eof | T::RParen | T::RBrack => return places,
                _ => {
                    let at = self.pos;
                    places.push(self.expr());
                    if self.pos == at {
                        self.stray_token();
                    }
                }
            }
        }
    }

    fn mark_deleted(&mut self, places: &[ExprId]) {
        for place in places {
            if let Expr::Ref(reference) = self.b.facts().expr(*place) {
                let reference = self.b.ref_mut(reference);
                reference.role = Role::Write;
                reference.flags.set(RefFlags::DELETE);
            }
        }
    }
}
