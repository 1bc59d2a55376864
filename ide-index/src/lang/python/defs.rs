//! Functions, classes, parameters, type parameters, decorators.

use ide_model::{SymbolKind, TextRange};

use crate::facts::{
    DefFlags, DefId, Expr, ExprId, List, RefFlags, Role, ScopeId, ScopeKind, SuperKind, SuperType, TypeExpr,
    TypeId,
};

use super::lexer::{T, Tok};
use super::parser::{Frame, FrameKind, Parser};

/// The effect of the decorators of a definition.
#[derive(Default)]
pub(super) struct Decorators {
    values: Vec<ExprId>,
    flags: DefFlags,
    start: Option<u32>,
}

/// A parameter is held against so many before it.
const MAX_COMPARED: usize = 255;

const ENUMS: &[&str] = &["Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"];

impl<'a> Parser<'a> {
    /// `@a.b(…)` lines.
    pub(super) fn decorators(&mut self) -> Decorators {
        let mut found = Decorators { start: Some(self.tok().start), ..Decorators::default() };
        while self.kind() == T::At {
            self.bump();
            let start = self.pos;
            let value = self.named_expr_with(Role::Annotation);
            // `@d if enabled else other`.
            if self.eat(T::If) {
                self.expr();
                if self.eat(T::Else) {
                    self.expr();
                }
            }
            found.values.push(value);
            found.flags = found.flags | self.decorator_flags(start);
            self.decorator_strings(start);
            while !self.kind().is_layout() {
                self.complain("not understood");
                self.stray_token();
            }
            while self.eat(T::Newline) {}
        }
        found
    }

    /// An expression whose last name has a role of its own, where it is a plain chain.
    fn named_expr_with(&mut self, role: Role) -> ExprId {
        if self.kind() == T::Name && self.ahead(1) != T::Walrus {
            self.primary(role)
        } else {
            self.named_expr()
        }
    }

    fn decorator_flags(&self, start: usize) -> DefFlags {
        let mut last = start;
        while self.toks[last + 1].kind == T::Dot && self.toks[last + 2].kind == T::Name {
            last += 2;
        }
        let is_member = last > start;
        match self.text(self.toks[last]) {
            "property" | "cached_property" | "abstractproperty" => DefFlags::PROPERTY | DefFlags::GETTER,
            "getter" if is_member => DefFlags::PROPERTY | DefFlags::GETTER,
            "setter" if is_member => DefFlags::PROPERTY | DefFlags::SETTER,
            "deleter" if is_member => DefFlags::PROPERTY,
            "staticmethod" => DefFlags::STATIC,
            "classmethod" => DefFlags::CLASS_METHOD | DefFlags::STATIC,
            "overload" => DefFlags::SIGNATURE,
            "abstractmethod" => DefFlags::ABSTRACT,
            "final" => DefFlags::FINAL,
            "override" => DefFlags::OVERRIDE,
            "deprecated" => DefFlags::DEPRECATED,
            _ => DefFlags::NONE,
        }
    }

    /// `def` or `async def`, with what was written before it.
    pub(super) fn function(&mut self, decorators: Decorators) {
        let start = decorators.start.unwrap_or(self.tok().start);
        let is_async = self.eat(T::Async);
        self.bump();
        if self.kind() != T::Name {
            self.complain("the function's name is missing");
            self.skip_statement();
            return;
        }
        let name = self.bump();
        let frame = self.frame();
        let in_class = frame.kind == FrameKind::Class;
        let (frame_scope, frame_kind) = (frame.scope, frame.kind);
        let flags = decorators.flags;
        let kind = match in_class {
            true if flags.has(DefFlags::PROPERTY) => SymbolKind::Property,
            true => SymbolKind::Method,
            false => SymbolKind::Function,
        };
        let def = self.declare(frame_scope, name, kind);
        self.b.def_mut(def).flags.0 |= flags.0;
        let is_test =
            self.is_test_file && self.text(name).starts_with("test") && frame_kind != FrameKind::Function;
        let made = self.b.def_mut(def);
        if is_async {
            made.flags.set(DefFlags::ASYNC);
        }
        if is_test {
            made.flags.set(DefFlags::TEST);
        }
        let values = self.list(&decorators.values);
        self.b.def_mut(def).decorators = values;
        let takes_fixtures = is_test || super::pytest::is_fixture_in(self.b.facts(), def);

        let outer = self.b.scope();
        let header_end = self.tok().start;
        let scope = self.b.open(ScopeKind::Function, header_end, Some(def));
        let type_params = self.type_parameters(scope);
        self.b.enter(if type_params.is_empty() { outer } else { scope });
        let mut params = Vec::new();
        if self.kind() == T::LParen {
            let close = self.partner(self.pos);
            self.bump();
            params = self.parameters(scope, Some(close));
            self.leave_bracket(close);
        } else {
            self.complain("parameters are missing");
        }
        let ty = if self.eat(T::Arrow) { Some(self.annotation()) } else { None };
        self.signature_comment(&params, def);
        self.b.leave();

        let mut body = Frame::new(FrameKind::Function, scope);
        let text = self.src;
        body.receiver = params
            .first()
            .filter(|_| in_class && (flags.0 & DefFlags::STATIC.0 == 0 || flags.has(DefFlags::CLASS_METHOD)))
            .map(|p| {
                let range = self.b.facts().def(*p).name_range;
                (&text[range.start as usize..range.end as usize], frame_scope)
            });
        body.is_class_receiver = flags.has(DefFlags::CLASS_METHOD);
        if takes_fixtures {
            let is_receiver = usize::from(body.receiver.is_some());
            self.request_fixtures(&params[is_receiver.min(params.len())..]);
        }
        self.frames.push(body);
        let around = std::mem::take(&mut self.branch);
        self.body(def);
        self.branch = around;
        let frame = self.frames.pop().expect("pushed above");
        self.b.close(self.last_end);
        self.finish_function(def, start, &frame, &params, type_params, ty);
    }

    /// Parameters that pytest fills by what their names mean.
    fn request_fixtures(&mut self, params: &[DefId]) {
        let variadic = DefFlags::VARARG.0 | DefFlags::KEYWORD_VARARG.0;
        for param in params {
            let d = self.b.facts().def(*param);
            let (range, is_filled) = (d.name_range, d.init.is_none() && d.flags.0 & variadic == 0);
            if is_filled {
                let name = &self.src[range.start as usize..range.end as usize];
                let request = self.b.reference(name, range, Role::Read);
                self.b.ref_mut(request).flags.set(RefFlags::IMPLICIT);
            }
        }
    }

    fn finish_function(
        &mut self,
        def: DefId,
        start: u32,
        frame: &Frame<'a>,
        params: &[DefId],
        type_params: List<DefId>,
        ty: Option<TypeId>,
    ) {
        let end = self.last_end.max(start);
        let params = self.list(params);
        let returns = self.list(&frame.returns);
        let made = self.b.def_mut(def);
        made.params = params;
        made.type_params = type_params;
        made.returns = returns;
        made.ty = made.ty.or(ty);
        made.range = TextRange::new(start, end);
        if frame.is_generator {
            made.flags.set(DefFlags::GENERATOR);
        }
        if frame.returns.is_empty() {
            made.flags.set(DefFlags::VOID);
        }
    }

    /// The suite of a function or class, its docstring noted.
    fn body(&mut self, def: DefId) {
        self.colon();
        let mut first = self.pos;
        if self.kind() == T::Newline {
            while self.toks[first].kind == T::Newline {
                first += 1;
            }
            if self.toks[first].kind == T::Indent {
                first += 1;
            } else {
                self.complain("an indented block is missing");
                return;
            }
        }
        if self.toks[first].kind == T::Str && self.toks[first + 1].kind.is_layout() {
            let range = Self::range(self.toks[first]);
            self.b.def_mut(def).doc = Some(range);
        }
        self.suite();
    }

    /// Parameters up to `close`, or to the colon of a lambda.
    pub(super) fn parameters(&mut self, scope: ScopeId, close: Option<usize>) -> Vec<DefId> {
        let mut params: Vec<DefId> = Vec::new();
        let (mut is_keyword_only, mut needs_default) = (false, false);
        let at_end = |p: &Self| match close {
            Some(close) => p.pos >= close,
            None => p.kind() == T::Colon || p.kind().is_layout(),
        };
        while !at_end(self) {
            let at = self.pos;
            let mut flags = DefFlags::NONE;
            match self.kind() {
                T::Star => {
                    self.bump();
                    flags = DefFlags::VARARG;
                }
                T::DoubleStar => {
                    self.bump();
                    flags = DefFlags::KEYWORD_VARARG;
                }
                T::Mul => {
                    self.bump();
                    for param in &params {
                        self.b.def_mut(*param).flags.set(DefFlags::POSITIONAL_ONLY);
                    }
                }
                _ => {}
            }
            if self.kind() == T::Name {
                if is_keyword_only && flags == DefFlags::NONE {
                    flags = DefFlags::KEYWORD_ONLY;
                }
                let (name, at) = (self.text(self.tok()), self.pos);
                let is_twice = params
                    .iter()
                    .rev()
                    .take(MAX_COMPARED)
                    .any(|param| self.b.facts().def_name(*param) == name);
                let param = self.parameter(scope, flags, close.is_some());
                let has_default = self.b.facts().def(param).init.is_some();
                if is_twice {
                    self.complain_at(at, "the parameter is declared twice");
                } else if flags == DefFlags::NONE && !has_default && needs_default {
                    self.complain_at(at, "a parameter without default stands behind one with a default");
                }
                needs_default |= flags == DefFlags::NONE && has_default;
                params.push(param);
            } else if self.kind() == T::LParen {
                self.unpacked_parameter(scope);
            }
            is_keyword_only |= flags == DefFlags::VARARG;
            if !self.eat(T::Comma) && !at_end(self) {
                self.complain("a comma is missing");
                if self.pos == at {
                    self.stray_token();
                }
            }
        }
        params
    }

    fn parameter(&mut self, scope: ScopeId, flags: DefFlags, may_have_type: bool) -> DefId {
        let name = self.bump();
        let def = self.declare(scope, name, SymbolKind::Parameter);
        let ty = if may_have_type && self.eat(T::Colon) { Some(self.annotation()) } else { None };
        let init = if self.eat(T::Assign) { Some(self.expr()) } else { None };
        let ty = ty.or_else(|| may_have_type.then(|| self.parameter_comment()).flatten());
        let end = self.last_end.max(name.end);
        let made = self.b.def_mut(def);
        made.flags.0 |= flags.0;
        made.ty = ty;
        made.init = init;
        made.range = TextRange::new(name.start, end);
        def
    }

    /// The tuple parameters of Python 2.
    fn unpacked_parameter(&mut self, scope: ScopeId) {
        let close = self.partner(self.pos);
        while self.pos < close {
            let tok = self.bump();
            if tok.kind == T::Name {
                self.declare(scope, tok, SymbolKind::Parameter);
            }
        }
        self.leave_bracket(close);
    }

    /// `[T: bound = default, *Ts, **P]`, declared in `scope`.
    pub(super) fn type_parameters(&mut self, scope: ScopeId) -> List<DefId> {
        if self.kind() != T::LBrack {
            return List::EMPTY;
        }
        let close = self.partner(self.pos);
        self.bump();
        let mut params = Vec::new();
        while self.pos < close {
            let at = self.pos;
            let flags = match self.kind() {
                T::Star => DefFlags::VARARG,
                T::DoubleStar => DefFlags::KEYWORD_VARARG,
                _ => DefFlags::NONE,
            };
            if flags != DefFlags::NONE {
                self.bump();
            }
            if self.kind() == T::Name {
                let name = self.bump();
                let def = self.declare(scope, name, SymbolKind::TypeParameter);
                let ty = if self.eat(T::Colon) { Some(self.annotation()) } else { None };
                let init = if self.eat(T::Assign) { Some(self.type_value()) } else { None };
                let made = self.b.def_mut(def);
                made.flags.0 |= flags.0;
                made.ty = ty;
                made.init = init;
                params.push(def);
            }
            if !self.eat(T::Comma) && self.pos == at {
                self.stray_token();
            }
        }
        self.leave_bracket(close);
        self.list(&params)
    }

    pub(super) fn class(&mut self, decorators: Decorators) {
        let start = decorators.start.unwrap_or(self.tok().start);
        self.bump();
        if self.kind() != T::Name {
            self.complain("the class's name is missing");
            self.skip_statement();
            return;
        }
        let name = self.bump();
        let frame_scope = self.frame().scope;
        let def = self.declare(frame_scope, name, SymbolKind::Class);
        let values = self.list(&decorators.values);
        let made = self.b.def_mut(def);
        made.decorators = values;
        made.flags.0 |= decorators.flags.0;
        let outer = self.b.scope();
        let scope = self.b.open(ScopeKind::Class, self.tok().start, Some(def));
        let type_params = self.type_parameters(scope);
        self.b.enter(if type_params.is_empty() { outer } else { scope });
        let mut supers = Vec::new();
        let mut listed = Vec::new();
        let mut kind = SymbolKind::Class;
        if self.kind() == T::LParen {
            let close = self.partner(self.pos);
            self.bump();
            kind = self.bases(close, &mut supers, &mut listed);
            self.leave_bracket(close);
        }
        self.b.leave();
        let supers = self.list(&supers);
        let made = self.b.def_mut(def);
        made.supers = supers;
        made.type_params = type_params;
        made.kind = kind;

        let mut frame = Frame::new(FrameKind::Class, scope);
        frame.is_enum = kind == SymbolKind::Enum;
        self.frames.push(frame);
        let around = std::mem::take(&mut self.branch);
        self.body(def);
        self.branch = around;
        listed.extend(self.frames.pop().map(|frame| frame.slots).unwrap_or_default());
        self.declare_listed(scope, &listed);
        self.b.close(self.last_end);
        let end = self.last_end.max(start);
        self.b.def_mut(def).range = TextRange::new(start, end);
    }

    /// The bases and keywords of a class; says what kind of class they make, and adds the strings that name its fields.
    fn bases(&mut self, close: usize, supers: &mut Vec<SuperType>, listed: &mut Vec<Tok>) -> SymbolKind {
        let mut kind = SymbolKind::Class;
        while self.pos < close {
            let at = self.pos;
            if self.kind() == T::Name && self.ahead(1) == T::Assign {
                let tok = self.bump();
                self.reference(tok, Role::Key);
                self.bump();
                let value = self.expr();
                if self.text(tok) == "metaclass" {
                    let ty = self.b.ty(TypeExpr::TypeOf(value));
                    supers.push(SuperType { kind: SuperKind::Other, ty });
                }
                if self.value_name(value) == Some("ABCMeta") {
                    kind = SymbolKind::AbstractClass;
                }
            } else if matches!(self.kind(), T::Star | T::DoubleStar) {
                self.bump();
                self.expr();
            } else {
                let ty = self.type_expr(Role::Extends);
                supers.push(SuperType { kind: SuperKind::Extends, ty });
                if let TypeExpr::TypeOf(value) = self.b.facts().ty(ty)
                    && let Some((_, fields)) = self.made_tuple.take_if(|(call, _)| *call == value)
                {
                    listed.extend(fields);
                }
                match self.type_name(ty) {
                    Some("Protocol") => kind = SymbolKind::Interface,
                    Some("ABC") => kind = SymbolKind::AbstractClass,
                    Some(name) if ENUMS.contains(&name) => kind = SymbolKind::Enum,
                    _ => {}
                }
            }
            if !self.eat(T::Comma) && self.pos < close {
                self.complain("a comma is missing");
                if self.pos == at {
                    self.stray_token();
                } else {
                    self.named_expr();
                }
            }
        }
        kind
    }

    fn value_name(&self, value: ExprId) -> Option<&str> {
        match self.b.facts().expr(value) {
            Expr::Ref(name) => Some(self.b.facts().ref_name(name)),
            _ => None,
        }
    }

    fn type_name(&self, ty: TypeId) -> Option<&str> {
        match self.b.facts().ty(ty) {
            TypeExpr::Named { name, .. } => Some(self.b.facts().ref_name(name)),
            _ => None,
        }
    }
}
