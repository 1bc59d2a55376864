//! The patterns of `match`.

use crate::facts::{Expr, ExprId, Role};

use super::lexer::T;
use super::parser::{MAX_DEPTH, Parser};

/// The test of a pattern that says something about the type.
#[derive(Clone, Copy)]
enum Matched {
    Class(ExprId),
    /// The subject equals it.
    Value(ExprId),
}

impl Parser<'_> {
    /// The patterns of one case, matched against `subject`; the class when it is one class pattern.
    pub(super) fn patterns(&mut self, subject: ExprId) -> Option<ExprId> {
        let class = self.pattern(Some(subject));
        let is_tuple = self.kind() == T::Comma;
        while self.eat(T::Comma) {
            if !matches!(self.kind(), T::Colon | T::If) {
                self.pattern(None);
            }
        }
        class.filter(|_| !is_tuple)
    }

    /// A pattern with its alternatives and the name that it is bound to.
    fn pattern(&mut self, subject: Option<ExprId>) -> Option<ExprId> {
        let mut matched = vec![self.closed_pattern(subject)];
        while self.eat(T::Pipe) {
            matched.push(self.closed_pattern(None));
        }
        let class = match matched[..] {
            [Some(Matched::Class(class))] => Some(class),
            _ => None,
        };
        if self.eat(T::As) && self.kind() == T::Name {
            let tok = self.bump();
            let target = self.bind(tok, false);
            if let Some(value) = self.matched_value(subject, &matched) {
                self.give(&target, value);
            }
        }
        class
    }

    /// The value that one of some patterns has matched.
    fn matched_value(&mut self, subject: Option<ExprId>, matched: &[Option<Matched>]) -> Option<ExprId> {
        let Some(all) = matched.iter().copied().collect::<Option<Vec<Matched>>>() else { return subject };
        let has_value = all.iter().any(|one| matches!(one, Matched::Value(_)));
        let values = all.into_iter().map(|one| match one {
            Matched::Class(class) => self.b.expr(Expr::InstanceOf(class)),
            Matched::Value(value) => value,
        });
        let values: Vec<ExprId> = values.collect();
        // The subject mostly has the type of a value that it equals, or the one that is known of it.
        let values: Vec<ExprId> = subject.filter(|_| has_value).into_iter().chain(values).collect();
        if let [one] = values[..] {
            return Some(one);
        }
        let values = self.b.list(values);
        Some(self.b.expr(Expr::Choice(values)))
    }

    fn closed_pattern(&mut self, subject: Option<ExprId>) -> Option<Matched> {
        match self.kind() {
            T::Name if matches!(self.ahead(1), T::Dot | T::LParen) => return self.value_or_class_pattern(),
            T::Name => {
                let tok = self.bump();
                if self.text(tok) != "_" {
                    let target = self.bind(tok, false);
                    if let Some(value) = subject {
                        self.give(&target, value);
                    }
                }
            }
            T::Star => {
                self.bump();
                self.closed_pattern(None);
            }
            T::LParen | T::LBrack | T::LBrace => self.bracketed_patterns(subject),
            _ => {
                let at = self.pos;
                self.arithmetic_without_pipe();
                if self.pos == at && !matches!(self.kind(), T::Colon | T::If) && !self.kind().is_layout() {
                    self.stray_token();
                }
            }
        }
        None
    }

    /// A literal, maybe signed or complex.
    fn arithmetic_without_pipe(&mut self) {
        while matches!(self.kind(), T::Minus | T::Plus) {
            self.bump();
        }
        self.atom(Role::Read);
        while matches!(self.kind(), T::Minus | T::Plus) {
            self.bump();
            self.atom(Role::Read);
        }
    }

    /// `a.B` or `a.B(pattern, key=pattern)`.
    fn value_or_class_pattern(&mut self) -> Option<Matched> {
        let tok = self.bump();
        let role = |p: &Self| if p.kind() == T::LParen { Role::Type } else { Role::Read };
        let mut name = self.reference(tok, role(self));
        while self.kind() == T::Dot && self.ahead(1) == T::Name {
            self.bump();
            let tok = self.bump();
            let receiver = self.b.expr(Expr::Ref(name));
            name = self.member(tok, role(self), receiver);
        }
        let class = self.b.expr(Expr::Ref(name));
        if self.kind() != T::LParen {
            return Some(Matched::Value(class));
        }
        let close = self.partner(self.pos);
        self.bump();
        while self.pos < close {
            let at = self.pos;
            if self.kind() == T::Name && self.ahead(1) == T::Assign {
                let key = self.bump();
                self.bump();
                let receiver = self.b.expr(Expr::InstanceOf(class));
                self.member(key, Role::Key, receiver);
            }
            self.nested_pattern();
            if !self.eat(T::Comma) && self.pos == at {
                self.stray_token();
            }
        }
        self.leave_bracket(close);
        Some(Matched::Class(class))
    }

    fn nested_pattern(&mut self) {
        if self.depth >= MAX_DEPTH {
            self.stray_token();
            return;
        }
        self.depth += 1;
        self.pattern(None);
        self.depth -= 1;
    }

    fn bracketed_patterns(&mut self, subject: Option<ExprId>) {
        let open = self.kind();
        let close = self.partner(self.pos);
        self.bump();
        let is_group = open == T::LParen && self.is_single(close);
        while self.pos < close && self.depth < MAX_DEPTH {
            let at = self.pos;
            self.eat(T::DoubleStar);
            self.depth += 1;
            self.pattern(subject.filter(|_| is_group));
            self.depth -= 1;
            let is_separated = self.eat(T::Colon) || self.eat(T::Comma);
            if !is_separated && self.pos == at {
                self.stray_token();
            }
        }
        self.leave_bracket(close);
    }

    /// True when no comma stands directly in the bracket that ends at `close`.
    fn is_single(&self, close: usize) -> bool {
        let mut i = self.pos;
        while i < close {
            match self.toks[i].kind {
                T::Comma => return false,
                T::LParen | T::LBrack | T::LBrace => i = self.partner(i),
                _ => i += 1,
            }
        }
        true
    }
}
