//! Statements and blocks.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{DefId, Expr, ExprId, Role, ScopeKind, TypeId};

use super::defs::Decorators;
use super::lexer::{T, Tok, TypeComment};
use super::parser::{FrameKind, MAX_DEPTH, OF_EVERY_OBJECT, Parser, Target, Test};

impl Parser<'_> {
    pub(super) fn file(&mut self) {
        let mark = self.holding.len();
        while self.kind() != T::Eof {
            self.statement();
        }
        self.end_block(mark);
    }

    /// Statements up to the end of the block; true when control never leaves it at the end.
    fn statements(&mut self) -> bool {
        let mut exits = false;
        while !matches!(self.kind(), T::Dedent | T::Eof) {
            if self.kind() == T::Newline {
                self.bump();
                continue;
            }
            exits = self.statement();
        }
        exits
    }

    /// The suite behind a colon: an indented block, or statements on the same line.
    pub(super) fn suite(&mut self) -> bool {
        let mark = self.holding.len();
        self.depth += 1;
        let exits = if self.kind() != T::Newline {
            self.inline_suite()
        } else {
            while self.eat(T::Newline) {}
            if self.depth >= MAX_DEPTH {
                self.flat_block();
                false
            } else if self.over_block() {
                false
            } else if self.eat(T::Indent) {
                let exits = self.statements();
                self.eat(T::Dedent);
                exits
            } else {
                self.complain("an indented block is missing");
                false
            }
        };
        self.depth -= 1;
        self.end_block(mark);
        exits
    }

    fn inline_suite(&mut self) -> bool {
        let mut exits = false;
        while !self.kind().is_layout() {
            let at = self.pos;
            if self.depth >= MAX_DEPTH {
                self.stray_token();
            } else {
                exits = self.statement();
            }
            // A compound statement has taken the end of the line with it.
            if self.toks[self.pos.saturating_sub(1)].kind.is_layout() || self.pos == at {
                break;
            }
        }
        exits
    }

    /// Takes a block that is nested too deeply as bare names.
    fn flat_block(&mut self) {
        let mut level = 0;
        while self.kind() != T::Eof {
            match self.kind() {
                T::Indent => level += 1,
                T::Dedent => level -= 1,
                _ if level == 0 => return,
                _ => {}
            }
            self.stray_token();
            if level <= 0 {
                return;
            }
        }
    }

    /// A block of its own inside a function; elsewhere blocks make no scope.
    fn block(&mut self) -> bool {
        let is_local = matches!(self.frame().kind, FrameKind::Function);
        if is_local {
            let start = self.tok().start;
            self.b.open(ScopeKind::Block, start, None);
        }
        let exits = self.suite();
        if is_local {
            self.b.close(self.last_end);
        }
        exits
    }

    /// `: block`, in which the tests came out as given.
    fn guarded_block(&mut self, known: &[(&[Test], bool)]) -> bool {
        self.colon();
        let start = self.last_end;
        let exits = self.block();
        let range = TextRange::new(start, self.last_end.max(start));
        for (tests, outcome) in known {
            self.emit_guards(tests, *outcome, range);
        }
        exits
    }

    /// The colon before a block, over whatever stands in its place.
    pub(super) fn colon(&mut self) {
        if !self.eat(T::Colon) {
            self.complain("`:` is missing");
            while !self.kind().is_layout() && self.kind() != T::Colon {
                self.stray_token();
            }
            self.eat(T::Colon);
        }
    }

    fn condition(&mut self) -> Vec<Test> {
        let mark = self.tests.len();
        self.named_expr();
        self.tests.split_off(mark)
    }

    fn hold(&mut self, tests: &[Test], outcome: bool) {
        let from = self.last_end;
        self.holding.extend(tests.iter().map(|test| (from, *test, outcome)));
    }

    /// One statement; true when control does not go on to the next.
    pub(super) fn statement(&mut self) -> bool {
        self.tests.clear();
        match self.kind() {
            T::Newline | T::Semi | T::Dedent => {
                self.bump();
                false
            }
            T::Indent if self.depth >= MAX_DEPTH => {
                self.flat_block();
                false
            }
            T::Indent => {
                self.complain("unexpected indentation");
                self.bump();
                self.depth += 1;
                let exits = self.statements();
                self.depth -= 1;
                self.eat(T::Dedent);
                exits
            }
            T::At => self.decorated(),
            T::Async => match self.ahead(1) {
                T::Def => self.decorated(),
                T::With => {
                    self.bump();
                    self.with_statement(true)
                }
                T::For => {
                    self.bump();
                    self.for_statement(true)
                }
                _ => {
                    self.bump();
                    false
                }
            },
            T::Def | T::Class => self.decorated(),
            T::If => self.if_statement(),
            T::While => self.while_statement(),
            T::For => self.for_statement(false),
            T::Try => self.try_statement(),
            T::With => self.with_statement(false),
            T::Name if self.is_match() => self.match_statement(),
            _ if self.over_line() => false,
            _ => {
                let exits = self.simple_statement();
                self.end_statement();
                exits
            }
        }
    }

    fn decorated(&mut self) -> bool {
        let decorators = if self.kind() == T::At { self.decorators() } else { Decorators::default() };
        match (self.kind(), self.ahead(1)) {
            (T::Def, _) | (T::Async, T::Def) => self.function(decorators),
            (T::Class, _) => self.class(decorators),
            _ => self.complain("a function or class is missing after the decorator"),
        }
        false
    }

    fn simple_statement(&mut self) -> bool {
        match self.kind() {
            T::Return => {
                self.bump();
                if !self.kind().is_layout() && self.kind() != T::Semi {
                    let value = self.expr_or_yield();
                    let is_function = |kind| kind == FrameKind::Function;
                    if let Some(frame) = self.frames.iter_mut().rfind(|f| is_function(f.kind)) {
                        frame.returns.push(value);
                    }
                }
                return true;
            }
            T::Raise => {
                self.bump();
                if !self.kind().is_layout() {
                    self.expr_list();
                    if self.eat(T::From) {
                        self.expr();
                    }
                }
                return true;
            }
            T::Break | T::Continue => {
                self.bump();
                return true;
            }
            T::Pass => {
                self.bump();
            }
            T::Del => self.deletion(),
            T::Global | T::Nonlocal => self.outer_names(),
            T::Import => self.import_statement(),
            T::From => self.member_imports(),
            T::Assert => {
                self.bump();
                let tests = self.condition();
                self.hold(&tests, true);
                if self.eat(T::Comma) {
                    self.expr();
                }
            }
            T::Name if self.is_type_alias() => self.type_alias(),
            T::Name if self.is_old_print() => {
                self.bump();
                self.expr_list();
            }
            _ => self.expression_statement(),
        }
        false
    }

    /// Goes to the end of a simple statement over whatever was not understood.
    fn end_statement(&mut self) {
        while !self.kind().is_layout() && self.kind() != T::Semi {
            let at = self.pos;
            self.complain("not understood");
            if matches!(self.kind(), T::Assign | T::Colon | T::Comma | T::AugAssign) {
                self.bump();
            } else {
                self.expr_list();
            }
            if self.pos == at {
                self.stray_token();
            }
        }
        if matches!(self.kind(), T::Newline | T::Semi) {
            self.bump();
        }
    }

    pub(super) fn skip_statement(&mut self) {
        self.end_statement();
    }

    fn outer_names(&mut self) {
        let is_global = self.bump().kind == T::Global;
        while self.kind() == T::Name {
            let tok = self.bump();
            self.reference(tok, Role::Read);
            let name = self.b.name(self.text(tok));
            self.frame().outer_names.push((name, is_global));
            if !self.eat(T::Comma) {
                break;
            }
        }
    }

    // --- assignments ---

    /// The sign that makes the statement here an assignment: the first `=`, `+=` or `:` outside brackets.
    fn assignment(&self) -> Option<T> {
        let mut i = self.pos;
        loop {
            match self.toks[i].kind {
                T::LParen | T::LBrack | T::LBrace | T::FStart => {
                    let close = self.partner(i);
                    i = close + usize::from(!self.toks[close].kind.is_layout());
                }
                kind @ (T::Assign | T::AugAssign | T::Colon) => return Some(kind),
                T::Semi | T::Lambda => return None,
                kind if kind.is_layout() => return None,
                _ => i += 1,
            }
        }
    }

    fn expression_statement(&mut self) {
        let start = self.tok();
        let is_exports = self.frames.len() == 1 && start.kind == T::Name && self.text(start) == "__all__";
        let is_slots =
            self.frame().kind == FrameKind::Class && start.kind == T::Name && self.text(start) == "__slots__";
        let first = self.pos;
        match self.assignment() {
            Some(T::Assign) => self.plain_assignment(),
            Some(T::AugAssign) => {
                let target = self.targets();
                if let Target::Place(place) = target
                    && let Expr::Ref(reference) = self.b.facts().expr(place)
                {
                    self.b.ref_mut(reference).role = Role::ReadWrite;
                }
                self.eat(T::AugAssign);
                self.expr_or_yield();
                self.extend_range(&target, start.start);
            }
            Some(_) => self.annotated_assignment(),
            None => {
                self.expr_or_yield();
            }
        }
        if is_slots {
            let strings = self.toks[first..self.pos].iter().filter(|t| t.kind == T::Str).copied();
            let is_own = |t: &Tok| {
                let name = Self::string_content(*t);
                !OF_EVERY_OBJECT.contains(&&self.src[name.start as usize..name.end as usize])
            };
            let names = strings.filter(is_own).collect();
            self.frame().slots = names;
        }
        if is_exports {
            for i in first..self.pos {
                if matches!(self.toks[i].kind, T::LBrack | T::LParen) {
                    self.export_strings(i);
                }
            }
        }
    }

    fn plain_assignment(&mut self) {
        let start = self.tok().start;
        let mut groups = Vec::new();
        let value = loop {
            groups.push(self.targets());
            if !self.eat(T::Assign) {
                break self.unknown();
            }
            if self.assignment() != Some(T::Assign) {
                break self.expr_or_yield();
            }
        };
        let ty = self.comment_type();
        for group in &groups {
            self.give(group, value);
            self.extend_range(group, start);
            self.declare_tuple(group, value);
            if let Some(ty) = ty {
                self.give_type(group, ty);
            }
        }
    }

    /// `target: type`, maybe with a value.
    fn annotated_assignment(&mut self) {
        let start = self.tok().start;
        let place = self.pos;
        self.is_annotated = true;
        let target = self.targets();
        self.is_annotated = false;
        if !self.eat(T::Colon) {
            return;
        }
        let ty = self.annotation();
        self.give_type(&target, ty);
        if let Target::Place(_) = target {
            match self.toks[place..].first_chunk() {
                Some([name, colon]) if name.kind == T::Name && colon.kind == T::Colon => {
                    self.type_known(*name, ty);
                }
                _ => {}
            }
            if let Some([receiver, dot, name, colon]) = self.toks[place..].first_chunk().copied()
                && (receiver.kind, dot.kind, name.kind, colon.kind) == (T::Name, T::Dot, T::Name, T::Colon)
            {
                self.type_known_attribute(receiver, name, ty);
            }
        }
        if self.eat(T::Assign) {
            let value = if self.is_alias_of_type(ty) { self.type_value() } else { self.expr_or_yield() };
            self.give(&target, value);
        }
        self.extend_range(&target, start);
    }

    fn give_type(&mut self, target: &Target, ty: TypeId) {
        if let Target::New(def) = target {
            self.b.def_mut(*def).ty = Some(ty);
        }
    }

    fn extend_range(&mut self, target: &Target, start: u32) {
        if let Target::New(def) = target {
            let end = self.last_end;
            let range = &mut self.b.def_mut(*def).range;
            *range = TextRange::new(start.min(range.start), end.max(range.end));
        }
    }

    /// The type in a comment at the end of the statement.
    fn comment_type(&mut self) -> Option<TypeId> {
        let comment = self.type_comment(self.pos)?;
        Some(self.type_fragment(TextRange::new(comment.start, comment.end), Role::Type))
    }

    fn type_comment(&self, before: usize) -> Option<TypeComment> {
        if self.in_string {
            return None;
        }
        let i = self.type_comments.binary_search_by_key(&(before as u32), |c| c.before).ok()?;
        Some(self.type_comments[i])
    }

    /// `a,  # type: T` among parameters.
    pub(super) fn parameter_comment(&mut self) -> Option<TypeId> {
        let comment = self.type_comment(self.pos + usize::from(self.kind() == T::Comma))?;
        (!self.src[comment.start as usize..].starts_with('('))
            .then(|| self.type_fragment(TextRange::new(comment.start, comment.end), Role::Type))
    }

    /// `# type: (A, B) -> C` behind the header of a function.
    pub(super) fn signature_comment(&mut self, params: &[DefId], def: DefId) {
        let comment = (1..=3).find_map(|i| self.type_comment(self.pos + i));
        let Some(comment) = comment.filter(|c| self.src[c.start as usize..].starts_with('(')) else { return };
        let (types, result) = self.fragment(comment.start, comment.end, |p| {
            let types = p.type_list("");
            let result = if p.eat(T::Arrow) { Some(p.annotation()) } else { None };
            while p.kind() != T::Eof {
                p.stray_token();
            }
            (types, result)
        });
        let types: Vec<TypeId> = self.b.facts().list(types).collect();
        // The receiver is left out of such comments.
        let skipped = params.len().saturating_sub(types.len()).min(1);
        for (param, ty) in params[skipped..].iter().zip(types) {
            let param = self.b.def_mut(*param);
            param.ty = param.ty.or(Some(ty));
        }
        self.b.def_mut(def).ty = result;
    }

    // --- compound statements ---

    fn if_statement(&mut self) -> bool {
        let around = self.branch;
        self.branch.is_conditional = true;
        let mut is_decided = around.is_left_out;
        let mut failed: Vec<Test> = Vec::new();
        let mut branches = 0;
        let mut all_exit = true;
        let exits = loop {
            self.bump();
            let outcome = self.known_outcome();
            let tests = self.condition();
            self.branch.is_left_out = is_decided || outcome == Some(false);
            all_exit &= self.guarded_block(&[(&failed, false), (&tests, true)]);
            is_decided |= outcome == Some(true);
            failed.extend(&tests);
            branches += 1;
            self.skip_blank();
            match self.kind() {
                T::Elif => {}
                T::Else => {
                    self.bump();
                    self.branch.is_left_out = is_decided;
                    let else_exits = self.guarded_block(&[(&failed, false)]);
                    if all_exit && !else_exits {
                        self.hold(&failed, false);
                    } else if else_exits && !all_exit && branches == 1 {
                        self.hold(&tests, true);
                    }
                    break all_exit && else_exits;
                }
                _ => {
                    if all_exit {
                        self.hold(&failed, false);
                    }
                    break false;
                }
            }
        };
        self.branch = around;
        exits
    }

    /// Line ends between the parts of a compound statement, after a part on one line.
    fn skip_blank(&mut self) {
        let mut next = self.pos;
        while self.toks[next].kind == T::Newline {
            next += 1;
        }
        if matches!(self.toks[next].kind, T::Elif | T::Else | T::Except | T::Finally) {
            self.pos = next;
        }
    }

    fn while_statement(&mut self) -> bool {
        self.bump();
        let tests = self.condition();
        self.guarded_block(&[(&tests, true)]);
        self.else_block();
        false
    }

    fn else_block(&mut self) -> bool {
        self.skip_blank();
        if self.eat(T::Else) { self.guarded_block(&[]) } else { false }
    }

    fn for_statement(&mut self, is_async: bool) -> bool {
        self.bump();
        let target = self.targets();
        if self.eat(T::In) {
            let source = self.expr_list();
            let value = self.element_of(source, is_async);
            self.give(&target, value);
        } else {
            self.complain("`in` is missing");
        }
        self.guarded_block(&[]);
        self.else_block();
        false
    }

    /// The value that a loop takes from another.
    pub(super) fn element_of(&mut self, source: ExprId, is_async: bool) -> ExprId {
        let element = self.b.expr(Expr::Element(source));
        if is_async { self.b.expr(Expr::Await(element)) } else { element }
    }

    fn with_statement(&mut self, is_async: bool) -> bool {
        self.bump();
        let close = self.partner(self.pos);
        let is_group = self.kind() == T::LParen
            && self.toks.get(close + 1).is_some_and(|t| t.kind == T::Colon)
            && self.has_as(close);
        if is_group {
            self.bump();
            self.with_items(is_async);
            self.leave_bracket(close);
        } else {
            self.with_items(is_async);
        }
        self.colon();
        self.suite()
    }

    /// True when an `as` stands directly in the bracket that starts here.
    fn has_as(&self, close: usize) -> bool {
        let mut i = self.pos + 1;
        while i < close {
            match self.toks[i].kind {
                T::As => return true,
                T::LParen | T::LBrack | T::LBrace | T::FStart => i = self.partner(i),
                _ => i += 1,
            }
        }
        false
    }

    fn with_items(&mut self, is_async: bool) {
        loop {
            let manager = self.expr();
            if self.eat(T::As) {
                let target = self.target();
                let entered = self.b.expr(Expr::Enter(manager));
                let value = if is_async { self.b.expr(Expr::Await(entered)) } else { entered };
                self.give(&target, value);
            }
            if !self.eat(T::Comma) || matches!(self.kind(), T::RParen | T::Colon) {
                return;
            }
        }
    }

    fn try_statement(&mut self) -> bool {
        let around = self.branch;
        self.branch.is_conditional = true;
        self.bump();
        let mut exits = self.guarded_block(&[]);
        self.skip_blank();
        while self.kind() == T::Except {
            self.bump();
            self.handler();
            self.branch.is_fallback = true;
            exits &= self.guarded_block(&[]);
            self.branch.is_fallback = around.is_fallback;
            self.skip_blank();
        }
        exits |= self.else_block() && exits;
        self.skip_blank();
        if self.eat(T::Finally) {
            exits |= self.guarded_block(&[]);
        }
        self.branch = around;
        exits
    }

    /// The classes that `except` catches, and the name that it binds.
    fn handler(&mut self) {
        self.eat(T::Star);
        if self.kind() == T::Colon {
            return;
        }
        let class = self.expr();
        // Python 2 wrote `except E, e`; Python 3.14 may write `except E, F`.
        let is_old = self.kind() == T::Comma
            && self.ahead(1) == T::Name
            && self.ahead(2) == T::Colon
            && self.text(self.toks[self.pos + 1]).starts_with(|c: char| c.is_lowercase());
        if self.kind() == T::As || is_old {
            self.bump();
            let target = self.target();
            let value = self.b.expr(Expr::InstanceOf(class));
            self.give(&target, value);
        }
        while self.eat(T::Comma) {
            self.expr();
        }
    }

    // --- soft keywords ---

    fn is_old_print(&self) -> bool {
        matches!(self.text(self.tok()), "print" | "exec")
            && matches!(self.ahead(1), T::Str | T::Name | T::Number | T::FStart | T::Backtick)
    }

    fn is_type_alias(&self) -> bool {
        self.ahead(1) == T::Name
            && matches!(self.ahead(2), T::Assign | T::LBrack)
            && self.text(self.tok()) == "type"
    }

    fn type_alias(&mut self) {
        let start = self.bump().start;
        let name = self.bump();
        let scope = self.frame().scope;
        let def = self.declare(scope, name, SymbolKind::TypeAlias);
        let inner = self.b.open(ScopeKind::Block, name.end, None);
        let type_params = self.type_parameters(inner);
        let ty = if self.eat(T::Assign) { Some(self.annotation()) } else { None };
        self.b.close(self.last_end);
        let end = self.last_end;
        let made = self.b.def_mut(def);
        made.type_params = type_params;
        made.ty = ty;
        made.range = TextRange::new(start, end);
    }

    /// `match` starts a statement when its line ends in a colon and a `case` stands below.
    fn is_match(&self) -> bool {
        if self.text(self.tok()) != "match" || matches!(self.ahead(1), T::Assign | T::Dot | T::Colon) {
            return false;
        }
        let mut i = self.pos + 1;
        while !self.toks[i].kind.is_layout() {
            i = match self.toks[i].kind {
                T::LParen | T::LBrack | T::LBrace | T::FStart => self.partner(i).max(i + 1),
                _ => i + 1,
            };
        }
        let kind = |n: usize| self.toks.get(i + n).map(|t| t.kind);
        self.toks[i - 1].kind == T::Colon
            && kind(0) == Some(T::Newline)
            && kind(1) == Some(T::Indent)
            && kind(2) == Some(T::Name)
            && self.text(self.toks[i + 2]) == "case"
    }

    fn match_statement(&mut self) -> bool {
        self.bump();
        let subject = self.expr_list();
        self.eat(T::Colon);
        while self.eat(T::Newline) {}
        if self.eat(T::Indent) {
            while self.kind() == T::Name && self.text(self.tok()) == "case" {
                self.case(subject);
                while self.eat(T::Newline) {}
            }
            self.statements();
            self.eat(T::Dedent);
        }
        false
    }

    fn case(&mut self, subject: ExprId) {
        self.bump();
        let mut tests = Vec::new();
        let class = self.patterns(subject);
        if let (Some(class), Expr::Ref(subject)) = (class, self.b.facts().expr(subject)) {
            tests.push(Test { subject, class, when_true: Some(false), when_false: None });
        }
        if self.eat(T::If) {
            tests.extend(self.condition());
        }
        self.guarded_block(&[(&tests, true)]);
    }
}
