//! PHP's statements.

use ide_model::{SymbolKind, TextRange};

use super::front::Parser;
use super::lexer::{
    ABSTRACT, AS, BREAK, CASE, CATCH, CLASS, CONST, CONTINUE, DECLARE, DEFAULT, DO, ECHO, ELSE, ELSEIF,
    ENDDECLARE, ENDFOR, ENDFOREACH, ENDIF, ENDSWITCH, ENDWHILE, ENUM, FINAL, FINALLY, FOR, FOREACH, FUNCTION,
    GLOBAL, GOTO, IF, INTERFACE, NAMESPACE, READONLY, RETURN, STATIC, SWITCH, THROW, TRAIT, TRY, USE,
    VARIABLE, WHILE,
};
use super::names::Segment;
use crate::facts::{
    DefFlags, Expectation, Expr, ExprId, Import, ImportFlags, ImportKind, RefId, Role, ScopeKind, TypeExpr,
    TypeId,
};
use crate::kit::{Kind, Token};

impl Parser<'_> {
    /// True when control never leaves it at the end.
    pub(super) fn statement(&mut self) -> bool {
        if !self.c.deeper() {
            self.c.skip();
            return false;
        }
        let exits = self.statement_inner();
        self.c.shallower();
        exits
    }

    fn statement_inner(&mut self) -> bool {
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Open, b'{') => return self.block(),
            (Kind::Punct, b';') => {
                self.c.bump();
            }
            // Attributes stand before a declaration.
            (Kind::Punct, b'#') => self.class_declaration(),
            (Kind::Word, IF | ELSEIF) => return self.if_statement(true),
            (Kind::Word, TRY) => return self.try_statement(),
            (Kind::Word, VARIABLE) => self.expression_statement(),
            (Kind::Word, 0) => {
                let word = self.c.str(token);
                let exits = word.eq_ignore_ascii_case("exit") || word.eq_ignore_ascii_case("die");
                self.expression_statement();
                return exits;
            }
            (Kind::Word, word) => {
                let (doc, statement) = (self.c.tokens.doc_before(self.c.at), self.c.at);
                self.keyword_statement(word);
                if let Some(doc) = doc.filter(|_| matches!(word, ECHO | GLOBAL | RETURN | STATIC | THROW)) {
                    let nothing = self.b.expr(Expr::Unknown);
                    self.variable_doc(doc, nothing, statement);
                }
                return matches!(word, RETURN | THROW | BREAK | CONTINUE | GOTO);
            }
            _ => self.expression_statement(),
        }
        false
    }

    fn keyword_statement(&mut self, word: u8) {
        match word {
            NAMESPACE if !self.c.nth(1).is(b'\\') => self.namespace(),
            USE => self.use_statement(),
            CONST => self.constants(None),
            FUNCTION if self.is_function_declaration() => self.function_declaration(),
            ABSTRACT | FINAL | CLASS | INTERFACE | TRAIT => self.class_declaration(),
            READONLY
                if self.c.nth(1).kind == Kind::Word
                    && matches!(self.c.nth(1).sub, CLASS | FINAL | ABSTRACT) =>
            {
                self.class_declaration();
            }
            ENUM if Self::is_word_token(self.c.nth(1)) && matches!(self.c.nth(1).sub, 0) => {
                self.class_declaration()
            }
            WHILE => {
                self.c.bump();
                let condition = self.head();
                let from = self.c.last_end();
                self.branch();
                if let Some(condition) = condition {
                    self.narrow(condition, self.c.since(from), false);
                }
            }
            SWITCH => self.switch_statement(),
            ELSE | DO | FINALLY | CATCH => {
                self.c.bump();
                self.branch();
            }
            FOR => {
                self.c.bump();
                self.head();
                self.branch();
            }
            DECLARE => {
                self.c.bump();
                // Directives are no names.
                self.c.skip();
                self.body();
            }
            FOREACH => self.foreach(),
            CASE => {
                self.c.bump();
                self.expr();
                self.label_end();
            }
            DEFAULT => {
                self.c.bump();
                self.label_end();
            }
            RETURN => self.return_statement(),
            ECHO | THROW => {
                self.c.bump();
                self.expr_list();
                self.end();
            }
            GLOBAL => self.global(),
            STATIC if self.c.nth(1).kind == Kind::Word && self.c.nth(1).sub == VARIABLE => {
                self.static_variables()
            }
            BREAK | CONTINUE => {
                self.c.bump();
                if !self.c.is(b';') {
                    self.expr();
                }
                self.end();
            }
            GOTO => {
                self.c.bump();
                let label = self.c.bump();
                self.b.reference(self.c.str(label), label.range(), Role::Label);
                self.end();
            }
            ENDIF | ENDFOR | ENDFOREACH | ENDWHILE | ENDSWITCH | ENDDECLARE => {
                self.c.bump();
                self.end();
            }
            _ => self.expression_statement(),
        }
    }

    pub(super) fn label_end(&mut self) {
        if !self.c.eat(b':') {
            self.c.eat(b';');
        }
    }

    pub(super) fn end(&mut self) {
        self.c.eat(b';');
    }

    /// True when control never leaves it at the end.
    pub(super) fn block(&mut self) -> bool {
        let end = self.c.group_end(self.c.at);
        let outer = std::mem::replace(&mut self.block_end, self.c.token(end).start);
        let mut exits = false;
        self.c.bump();
        while self.c.at < end {
            let before = self.c.at;
            exits = self.statement();
            if self.c.at == before {
                self.b.error(self.c.peek().range(), "unexpected here");
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b'}');
        self.block_end = outer;
        exits
    }

    /// One statement, or the colon of the alternative syntax, whose statements follow as they are.
    pub(super) fn body(&mut self) -> bool {
        !self.c.eat(b':') && !self.c.is_end() && self.c.peek().kind != Kind::Close && self.statement()
    }

    /// `( … )` with expressions, `;` and `,` between them: the last one.
    pub(super) fn head(&mut self) -> Option<ExprId> {
        if !self.c.is(b'(') {
            return None;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut last = None;
        while self.c.at < end {
            let before = self.c.at;
            if !self.c.eat(b';') && !self.c.eat(b',') {
                last = Some(self.expr());
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b')');
        last
    }

    fn expression_statement(&mut self) {
        if self.c.peek().sub == 0
            && Self::is_word_token(self.c.peek())
            && self.c.nth(1).is(b':')
            && !self.c.nth(2).is(b':')
        {
            let label = self.c.bump();
            self.b.def(self.c.str(label), label.range(), SymbolKind::Label);
            self.c.bump();
            return;
        }
        let doc = self.c.tokens.doc_before(self.c.at);
        let mark = self.pending.mark();
        let statement = self.c.at;
        let value = self.expr();
        self.pending.forget(mark);
        if let Some(doc) = doc {
            self.variable_doc(doc, value, statement);
        }
        self.end();
        self.narrow_asserted(value);
    }

    fn namespace(&mut self) {
        self.c.bump();
        let (segments, _) = self.segments();
        let name = self.joined(&segments);
        let braced = self.c.is(b'{');
        let is_first = self.b.facts().package.is_none() && self.modules == 0 && !self.has_global_block;
        self.name_of(&segments, true, Role::Package);
        if is_first && name.is_empty() {
            self.has_global_block = true;
        } else if is_first {
            self.b.set_package(&name);
        } else {
            let range = segments
                .first()
                .zip(segments.last())
                .map_or(self.c.peek().range(), |(a, b)| TextRange::new(a.start, b.end));
            if self.modules > 0 {
                self.b.close(range.start);
            }
            let def = self.b.def(&name, range, SymbolKind::Namespace);
            self.b.open(ScopeKind::Module, range.end, Some(def));
            self.modules = 1;
        }
        if braced {
            self.block();
        } else {
            self.end();
        }
    }

    pub(super) fn joined(&self, segments: &[Segment]) -> String {
        segments.iter().map(|s| self.text(*s)).collect::<Vec<_>>().join("\\")
    }

    /// `use A\B as C, D\{E, function f};` at the top of a file or namespace.
    fn use_statement(&mut self) {
        self.c.bump();
        let flags = self.use_kind();
        loop {
            let (segments, _) = self.segments();
            if segments.is_empty() {
                break;
            }
            if self.c.is(b'\\') && self.c.nth(1).is(b'{') {
                self.c.bump();
                let end = self.c.group_end(self.c.at);
                self.c.bump();
                while self.c.at < end {
                    let before = self.c.at;
                    let own = self.use_kind();
                    let (inner, _) = self.segments();
                    let all: Vec<Segment> = segments.iter().chain(&inner).copied().collect();
                    if !inner.is_empty() {
                        self.use_name(&all, flags | own);
                    }
                    self.c.eat(b',');
                    if self.c.at == before {
                        self.c.skip();
                    }
                }
                self.c.at = end;
                self.c.eat(b'}');
            } else {
                self.use_name(&segments, flags);
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.end();
    }

    fn use_kind(&mut self) -> ImportFlags {
        if self.c.eat_word(FUNCTION) {
            ImportFlags::FUNCTION
        } else if self.c.eat_word(CONST) {
            ImportFlags::CONSTANT
        } else {
            ImportFlags::NONE
        }
    }

    fn use_name(&mut self, segments: &[Segment], flags: ImportFlags) {
        let Some((last, before)) = segments.split_last() else { return };
        let mut path: Vec<RefId> = Vec::new();
        let mut receiver: Option<ExprId> = None;
        for segment in before {
            let text = self.text(*segment);
            let reference = self.b.reference(text, *segment, Role::Import);
            self.b.ref_mut(reference).receiver = receiver;
            receiver = Some(self.b.expr(Expr::Ref(reference)));
            path.push(reference);
        }
        let text = self.text(*last);
        let member = self.b.reference(text, *last, Role::Import);
        self.b.ref_mut(member).receiver = receiver;
        let bound = match self.c.eat_word(AS) {
            true if Self::is_word_token(self.c.peek()) => self.c.bump().range(),
            _ => *last,
        };
        let name = self.text(bound);
        let def = self.b.def(name, bound, SymbolKind::Import);
        let module = self.joined(before);
        let module = self.b.name(&module);
        let path = self.b.list(path);
        let scope = self.b.scope();
        self.b.import(Import {
            kind: ImportKind::Member,
            flags,
            scope,
            module,
            level: 0,
            path,
            member: Some(member),
            exported_as: None,
            def: Some(def),
        });
    }

    /// `foreach ($list as $key => $value)`.
    fn foreach(&mut self) {
        self.c.bump();
        if !self.c.is(b'(') {
            return;
        }
        let end = self.c.group_end(self.c.at);
        let doc = self.c.tokens.doc_before(self.c.at - 1);
        let statement = self.c.at;
        self.c.bump();
        let base = self.expr();
        if self.c.eat_word(AS) {
            let has_key =
                (self.c.at..end).any(|i| self.c.joined_at(i, b"=>") && !self.inside_group(self.c.at, i));
            if has_key {
                let ranged = self.b.expr(Expr::Spread(base));
                let key = self.b.expr(Expr::Item { base: ranged, index: 0 });
                self.assign_target(Some(key), self.c.peek().start);
                self.c.eat_joined(b"=>");
            }
            self.c.eat(b'&');
            let element = self.b.expr(Expr::Element(base));
            self.assign_target(Some(element), self.c.peek().start);
        }
        self.c.at = end;
        self.c.eat(b')');
        if let Some(doc) = doc {
            self.variable_doc(doc, base, statement);
        }
        self.branch();
    }

    /// Whether a token lies in a bracket that opens behind `from`.
    fn inside_group(&self, from: usize, at: usize) -> bool {
        let mut i = from;
        while i < at {
            i = self.c.over(i).max(i + 1);
        }
        i > at
    }

    pub(super) fn catch(&mut self) -> bool {
        self.c.bump();
        if !self.c.is(b'(') {
            return false;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut types: Vec<TypeId> = Vec::new();
        while let Some(ty) = self.ty() {
            types.push(ty);
            if !self.c.eat(b'|') {
                break;
            }
        }
        let token = self.c.peek();
        if token.kind == Kind::Word && token.sub == VARIABLE {
            self.c.bump();
            let (name, range) = self.variable(token);
            let list = self.b.list(types);
            let ty = self.b.ty(TypeExpr::Union(list));
            if self.has_variable(name) {
                let reference = self.b.reference(name, range, Role::Write);
                let target = self.b.expr(Expr::Ref(reference));
                let value = self.b.expr(Expr::Cast { ty, value: target });
                self.b.assign(crate::facts::Assign { target, value, at: token.start });
            } else {
                let def = self.declare_variable(name, range, SymbolKind::Variable);
                self.b.def_mut(def).ty = Some(ty);
            }
        }
        self.c.at = end;
        self.c.eat(b')');
        self.branch()
    }

    fn return_statement(&mut self) {
        self.c.bump();
        if !self.c.is(b';') && !self.c.is_end() && self.c.peek().kind != Kind::Close {
            let mark = self.pending.mark();
            let value = self.expr();
            match self.function().def {
                Some(def) => self.pending.settle(&mut self.b, mark, Expectation::Return(def)),
                None => self.pending.forget(mark),
            }
            self.function().returns.push(value);
        }
        self.end();
    }

    fn global(&mut self) {
        self.c.bump();
        while let Some(token) = self.variable_token() {
            let (name, range) = self.variable(token);
            if !self.has_variable(name) {
                let def = self.declare_variable(name, range, SymbolKind::Variable);
                self.b.def_mut(def).flags.set(DefFlags::HOISTED);
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.end();
    }

    fn static_variables(&mut self) {
        self.c.bump();
        while let Some(token) = self.variable_token() {
            let (name, range) = self.variable(token);
            let def = self.declare_variable(name, range, SymbolKind::Variable);
            self.b.def_mut(def).flags.set(DefFlags::STATIC);
            if self.c.eat(b'=') {
                let value = self.expr();
                self.b.def_mut(def).init = Some(value);
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.end();
    }

    pub(super) fn variable_token(&mut self) -> Option<Token> {
        let token = self.c.peek();
        (token.kind == Kind::Word && token.sub == VARIABLE).then(|| self.c.bump())
    }
}
