//! Patterns: of types and of records, behind `instanceof` and `case`.

use ide_model::SymbolKind;

use crate::facts::{BinaryOp, DefFlags, Expr, ExprId, Role, ScopeKind, TypeExpr};
use crate::kit::Kind;

use super::Parser;
use super::declarations::Modifiers;
use super::flow::Bound;
use super::lexer::words as w;

/// How deep the look-ahead goes into record patterns.
const MAX_PATTERN_DEPTH: u32 = 32;

impl Parser<'_> {
    /// A type and then a name or a parenthesis stand at the cursor.
    pub(super) fn at_pattern(&self) -> bool {
        if self.c.is(b'@') || self.c.is_word(w::FINAL) {
            return true;
        }
        self.skip_type(self.c.at).is_some_and(|i| {
            let next = self.c.token(i);
            let is_type = i > self.c.at + 1 || !next.is(b'(') || self.record_pattern_follows(i, 0);
            (Self::is_name(next) && next.sub != w::WHEN
                || Self::is_name(next) && !self.expression_follows(i + 1)
                || next.is(b'(') && self.record_pattern_follows(i, 0))
                && is_type
        })
    }

    /// `when` at `i - 1` is a guard.
    fn expression_follows(&self, i: usize) -> bool {
        let next = self.c.token(i);
        !(next.is(b':') || next.is(b',') || next.is(b')') || next.is(b'&') || self.c.joined_at(i, b"->"))
            && !(next.kind == Kind::Word && next.sub == w::WHEN)
    }

    /// The parentheses at `i` hold patterns rather than arguments: they are empty or begin with one.
    fn record_pattern_follows(&self, i: usize, depth: u32) -> bool {
        let first = i + 1;
        if first == self.c.group_end(i) {
            return true;
        }
        self.c.token(first).is(b'@')
            || self.is_unnamed(first)
            || self.skip_type(first).is_some_and(|j| {
                Self::is_name(self.c.token(j))
                    || self.c.token(j).is(b'(')
                        && depth < MAX_PATTERN_DEPTH
                        && self.record_pattern_follows(j, depth + 1)
            })
    }

    /// `_` stands at `i` for a component that nobody wants.
    fn is_unnamed(&self, i: usize) -> bool {
        let next = self.c.token(i + 1);
        self.c.str(self.c.token(i)) == "_" && (next.is(b',') || next.is(b')'))
    }

    /// A type pattern or a record pattern.
    pub(super) fn pattern(&mut self) {
        if self.is_unnamed(self.c.at) {
            self.c.at += 1;
            return;
        }
        let modifiers = self.modifiers();
        let is_var = self.c.is_word(w::VAR) && Self::is_name(self.c.nth(1));
        let ty = if is_var {
            self.c.at += 1;
            None
        } else {
            Some(self.ty(Role::Type))
        };
        if self.c.is(b'(') && self.c.deeper() {
            let open = self.c.at;
            self.c.at += 1;
            let end = self.c.group_end(open);
            let mut index = 0;
            while self.c.at < end {
                let before = self.c.at;
                self.component_pattern(ty, index);
                index += 1;
                if !self.c.eat(b',') || self.c.at == before {
                    break;
                }
            }
            self.leave_group(open);
            self.c.shallower();
        }
        let is_guard = self.c.is_word(w::WHEN) && self.in_label && self.expression_follows(self.c.at + 1);
        if self.at_name() && !is_guard {
            self.pattern_variable(modifiers, ty, is_var);
        }
    }

    /// A pattern inside a record pattern; a variable without a type takes that of the component.
    fn component_pattern(&mut self, record: Option<crate::TypeId>, index: u32) {
        let defs = self.b.facts().defs.len();
        let is_var = self.c.is_word(w::VAR) && Self::is_name(self.c.nth(1));
        self.pattern();
        if let (true, Some(record)) = (is_var && self.b.facts().defs.len() > defs, record) {
            let unknown = self.b.expr(Expr::Unknown);
            let base = self.b.expr(Expr::Cast { ty: record, value: unknown });
            let item = self.b.expr(Expr::Item { base, index });
            self.b.def_mut(crate::DefId(defs as u32)).init = Some(item);
        }
    }

    fn pattern_variable(&mut self, modifiers: Modifiers, ty: Option<crate::TypeId>, is_var: bool) {
        let name = self.c.bump();
        if self.flow.scope.is_none() && self.b.facts().scope(self.b.scope()).kind == ScopeKind::Class {
            self.b.open(ScopeKind::Block, name.start, None);
        }
        let flags = modifiers.flags | DefFlags::MATCHED;
        let flags = if is_var { flags | DefFlags::VAR } else { flags };
        self.b.enter(self.flow.scope.unwrap_or(self.b.scope()));
        let def = self.variable(name, SymbolKind::Variable, Modifiers { flags, ..modifiers }, ty);
        self.b.leave();
        self.flow.bound.if_true.push(def);
    }

    /// `instanceof` was read: the type or pattern behind it.
    pub(super) fn type_test(&mut self, left: ExprId) -> ExprId {
        self.flow.bound = Bound::default();
        let start = if self.c.is(b'@') || self.c.is_word(w::FINAL) {
            self.pattern();
            None
        } else {
            let behind = self.skip_type(self.c.at);
            let is_pattern = behind.is_some_and(|i| {
                let next = self.c.token(i);
                Self::is_name(next) || next.is(b'(') && i > self.c.at
            });
            if is_pattern {
                self.pattern();
                None
            } else {
                Some(self.ty(Role::Type))
            }
        };
        let ty = start.unwrap_or_else(|| self.b.ty(TypeExpr::Unknown));
        let right = self.b.expr(Expr::Type(ty));
        self.b.expr(Expr::Binary { op: BinaryOp::TypeTest, left, right })
    }
}
