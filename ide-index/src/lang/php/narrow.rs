//! Narrowing: the tests of values in conditions, and the ranges where they hold; the statements that make them
//! hold.

use ide_model::TextRange;

use super::front::Parser;
use super::lexer::{CASE, CATCH, DEFAULT, ELSE, ELSEIF, FINALLY, IF};
use crate::facts::{
    BinaryOp, Expr, ExprId, FileFacts, Guard, GuardTest, RefId, ScopeKind, TypeExpr, TypeId, UnaryOp,
};
use crate::guard;
use crate::kit::Kind;
use crate::kit::conditions::holding;

impl Parser<'_> {
    /// Notes what holds in a range where a condition is true, or `negated` false.
    pub(super) fn narrow(&mut self, condition: ExprId, range: TextRange, negated: bool) {
        if range.is_empty() {
            return;
        }
        for (part, negated) in holding(self.b.facts(), condition, negated) {
            if let Some((subject, negated, ty)) = self.test(part, negated) {
                let (subject, test) = match self.b.facts().expr(subject) {
                    Expr::Ref(subject) => (subject, GuardTest::Type(ty)),
                    _ => match item_of(self.b.facts(), subject) {
                        Some(of) => (of, GuardTest::Item(subject, ty)),
                        None => continue,
                    },
                };
                self.b.guard(Guard { range, subject, test, negated });
            }
        }
    }

    /// A type test: what is tested, whether it is denied, the type; of `$x instanceof A || $x instanceof B` either type.
    fn test(&mut self, condition: ExprId, negated: bool) -> Option<(ExprId, bool, TypeId)> {
        let facts = self.b.facts();
        if negated || !matches!(facts.expr(condition), Expr::Binary { op: BinaryOp::Or, .. }) {
            return self.type_test(condition, negated);
        }
        // The alternatives are the conditions that would all be denied together.
        let alternatives = holding(facts, condition, true);
        let (subject, ..) = self.type_test(alternatives.first()?.0, false)?;
        let mut types = Vec::new();
        for (alternative, is_asked) in alternatives {
            let (of, is_not, ty) = self.type_test(alternative, !is_asked)?;
            if is_not || !is_written_alike(self.b.facts(), subject, of) {
                return None;
            }
            types.push(ty);
        }
        let types = self.b.list(types);
        Some((subject, false, self.b.ty(TypeExpr::Union(types))))
    }

    fn type_test(&self, condition: ExprId, mut negated: bool) -> Option<(ExprId, bool, TypeId)> {
        let facts = self.b.facts();
        let Expr::Binary { op: BinaryOp::TypeTest, left: mut subject, right } = facts.expr(condition) else {
            return None;
        };
        // `!$x instanceof T` is read from left to right.
        while let Expr::Unary { op: UnaryOp::Not, value } = facts.expr(subject) {
            (subject, negated) = (value, !negated);
        }
        if let Expr::Assign { target, .. } = facts.expr(subject) {
            subject = target;
        }
        match (facts.expr(subject), facts.expr(right)) {
            (Expr::Ref(_) | Expr::Index { .. }, Expr::Type(ty)) => Some((subject, negated, ty)),
            _ => None,
        }
    }

    /// `assert($x instanceof T)` holds for the rest of the block.
    pub(super) fn narrow_asserted(&mut self, statement: ExprId) {
        let facts = self.b.facts();
        let Expr::Call { callee, args, .. } = facts.expr(statement) else { return };
        let Expr::Ref(function) = facts.expr(callee) else { return };
        let is_assert = facts.reference(function).receiver.is_none()
            && facts.ref_name(function).eq_ignore_ascii_case("assert");
        let asserted = facts.list(args).next().filter(|_| is_assert);
        if let Some(condition) = asserted {
            self.narrow(condition, self.rest_of_block(), false);
        }
    }

    fn rest_of_block(&self) -> TextRange {
        let from = self.c.last_end();
        TextRange::new(from, self.block_end.max(from))
    }

    /// `if`, or `elseif`; `is_reached` tells that what follows all the branches is reached through this one or one behind
    /// it only. True when control never leaves it at the end.
    pub(super) fn if_statement(&mut self, is_reached: bool) -> bool {
        self.c.bump();
        let condition = self.head();
        if self.c.is(b':') {
            self.body();
            return false;
        }
        let from = self.c.last_end();
        let exits = self.branch();
        if let Some(condition) = condition {
            self.narrow(condition, self.c.since(from), false);
        }
        let from = self.c.last_end();
        let token = self.c.peek();
        let is_else = token.kind == Kind::Word && token.sub == ELSE;
        let next = self.c.nth(1);
        let is_else_if = is_else && next.kind == Kind::Word && next.sub == IF;
        let otherwise = if is_else_if || token.kind == Kind::Word && token.sub == ELSEIF {
            self.c.at += usize::from(is_else_if);
            self.else_if(is_reached && exits)
        } else if is_else {
            self.c.bump();
            if self.c.is(b':') {
                self.body();
                return false;
            }
            self.branch()
        } else {
            false
        };
        let Some(condition) = condition else { return false };
        self.narrow(condition, self.c.since(from), true);
        if is_reached && exits != otherwise {
            self.narrow(condition, self.rest_of_block(), exits);
        }
        exits && otherwise
    }

    /// Behind the branches of a chain that is too long nothing is narrowed.
    fn else_if(&mut self, is_reached: bool) -> bool {
        if self.c.deeper() {
            let exits = self.if_statement(is_reached);
            self.c.shallower();
            return exits;
        }
        loop {
            self.c.bump();
            self.head();
            self.branch();
            if self.c.eat_word(ELSE) {
                if !self.c.is_word(IF) {
                    self.branch();
                    return false;
                }
            } else if !self.c.is_word(ELSEIF) {
                return false;
            }
        }
    }

    /// Statements that may not run.
    pub(super) fn branch(&mut self) -> bool {
        let is_local = self.functions.len() > 1;
        if is_local {
            self.b.open(ScopeKind::Block, self.c.peek().start, None);
        }
        let exits = self.body();
        if is_local {
            self.b.close(self.c.last_end());
        }
        exits
    }

    pub(super) fn try_statement(&mut self) -> bool {
        self.c.bump();
        let mut exits = self.branch();
        while self.c.is_word(CATCH) {
            exits &= self.catch();
        }
        if self.c.eat_word(FINALLY) {
            exits |= self.branch();
        }
        exits
    }

    pub(super) fn switch_statement(&mut self) {
        self.c.bump();
        let is_of_conditions =
            self.c.nth(2).is(b')') && self.c.str(self.c.nth(1)).eq_ignore_ascii_case("true");
        self.head();
        if !self.c.is(b'{') {
            self.body();
            return;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut conditions = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            if is_of_conditions && self.is_label() && self.c.eat_word(CASE) {
                conditions.push(self.expr());
                self.label_end();
            } else if self.is_label() {
                conditions.clear();
                self.statement();
            } else {
                let from = self.c.last_end();
                self.clause(end);
                if let [condition] = conditions[..] {
                    self.narrow(condition, self.c.since(from), false);
                }
                conditions.clear();
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b'}');
    }

    /// The statements between two labels.
    fn clause(&mut self, end: usize) {
        let is_local = self.functions.len() > 1;
        let mut next = self.c.at;
        while next < end && !self.is_label_at(next) {
            next = self.c.over(next).max(next + 1);
        }
        let outer = std::mem::replace(&mut self.block_end, self.c.token(next.min(end)).start);
        if is_local {
            self.b.open(ScopeKind::Block, self.c.peek().start, None);
        }
        while self.c.at < end && !self.is_label() {
            let before = self.c.at;
            self.statement();
            if self.c.at == before {
                self.c.skip();
            }
        }
        if is_local {
            self.b.close(self.c.last_end());
        }
        self.block_end = outer;
    }

    fn is_label(&self) -> bool {
        self.is_label_at(self.c.at)
    }

    /// `case` or `default` where a statement begins.
    fn is_label_at(&self, at: usize) -> bool {
        let token = self.c.token(at);
        let before = self.c.token(at.saturating_sub(1));
        token.kind == Kind::Word
            && matches!(token.sub, CASE | DEFAULT)
            && !before.is(b'>')
            && !(at > 1 && self.c.joined_at(at - 2, b"::"))
    }
}

/// The last name before the keys that lead to an item: `b` of `$a->b['c'][0]`.
pub(super) fn item_of(facts: &FileFacts, mut item: ExprId) -> Option<RefId> {
    while let Expr::Index { base, .. } = facts.expr(item) {
        item = base;
    }
    match facts.expr(item) {
        Expr::Ref(name) => Some(name),
        _ => None,
    }
}

/// Whether two values are the same names behind the same names, with the same keys.
pub(super) fn is_written_alike(facts: &FileFacts, a: ExprId, b: ExprId) -> bool {
    match (facts.expr(a), facts.expr(b)) {
        (Expr::This(_), Expr::This(_)) => true,
        (Expr::Text(a), Expr::Text(b)) => a == b,
        (Expr::Index { base: a, index: i }, Expr::Index { base: b, index: j }) => {
            guard::deeper(|| is_written_alike(facts, a, b) && is_written_alike(facts, i, j)).unwrap_or(false)
        }
        (Expr::Ref(a), Expr::Ref(b)) => {
            let (a, b) = (facts.reference(a), facts.reference(b));
            a.name == b.name
                && match (a.receiver, b.receiver) {
                    (None, None) => true,
                    (Some(a), Some(b)) => guard::deeper(|| is_written_alike(facts, a, b)).unwrap_or(false),
                    _ => false,
                }
        }
        _ => false,
    }
}
