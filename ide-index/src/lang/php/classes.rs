//! PHP's declarations: functions, classes and what is in them.

use ide_model::{SymbolKind, TextRange, Visibility};
use rustc_hash::FxHashSet;

use super::front::{Function, Parser, ScopeId0};
use super::lexer::{
    ABSTRACT, AS, CASE, CLASS, CONST, ENUM, EXTENDS, FINAL, FUNCTION, IMPLEMENTS, INSTEADOF, INTERFACE,
    PRIVATE, PROTECTED, PUBLIC, READONLY, STATIC, TRAIT, USE, VAR, VARIABLE,
};
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, List, NameId, RefFlags, Role, ScopeId, ScopeKind, SuperKind, SuperType,
    TypeExpr, TypeId,
};
use crate::kit::Kind;

/// Words before a declaration.
#[derive(Clone, Copy, Default)]
pub(super) struct Modifiers {
    pub(super) flags: DefFlags,
    pub(super) visibility: Option<Visibility>,
    pub(super) decorators: List<ExprId>,
    pub(super) any: bool,
}

impl Parser<'_> {
    /// Attributes and modifier words.
    pub(super) fn modifiers(&mut self) -> Modifiers {
        let mut m = Modifiers { decorators: self.attributes(), ..Modifiers::default() };
        loop {
            let token = self.c.peek();
            if token.kind != Kind::Word {
                return m;
            }
            let (flag, visibility) = match token.sub {
                ABSTRACT => (DefFlags::ABSTRACT, None),
                FINAL => (DefFlags::FINAL, None),
                STATIC => (DefFlags::STATIC, None),
                READONLY => (DefFlags::READONLY, None),
                VAR => (DefFlags::VAR, Some(Visibility::Public)),
                PUBLIC => (DefFlags::NONE, Some(Visibility::Public)),
                PROTECTED => (DefFlags::NONE, Some(Visibility::Protected)),
                PRIVATE => (DefFlags::NONE, Some(Visibility::Private)),
                _ => return m,
            };
            self.c.bump();
            // Asymmetric visibility: `private(set)`.
            if self.c.is(b'(') && self.c.nth(1).kind == Kind::Word && self.c.str(self.c.nth(1)) == "set" {
                self.c.skip();
            } else {
                m.visibility = m.visibility.or(visibility);
            }
            m.flags.set(flag);
            m.any = true;
        }
    }

    /// `#[A, B(1)]` groups.
    pub(super) fn attributes(&mut self) -> List<ExprId> {
        let mut all = Vec::new();
        while self.c.is(b'#') && self.c.nth(1).is(b'[') {
            self.c.bump();
            let end = self.c.group_end(self.c.at);
            self.c.bump();
            while self.c.at < end {
                let before = self.c.at;
                if let Some((reference, value)) = self.name(Role::Annotation) {
                    let ty = self.b.ty(TypeExpr::Named { name: reference, args: List::EMPTY });
                    let args = if self.c.is(b'(') { self.arguments().0 } else { Vec::new() };
                    let args = self.b.list(args);
                    all.push(if args.is_empty() { value } else { self.b.expr(Expr::New { ty, args }) });
                }
                self.c.eat(b',');
                if self.c.at == before {
                    self.c.skip();
                }
            }
            self.c.at = end;
            self.c.eat(b']');
        }
        self.b.list(all)
    }

    pub(super) fn is_function_declaration(&self) -> bool {
        let next = self.c.nth(if self.c.nth(1).is(b'&') { 2 } else { 1 });
        Self::is_word_token(next)
    }

    pub(super) fn function_declaration(&mut self) {
        let start = self.c.at;
        self.function_like(SymbolKind::Function, Modifiers::default(), start);
    }

    /// From `function` to the end of the body.
    fn function_like(&mut self, kind: SymbolKind, m: Modifiers, start: usize) {
        self.c.bump();
        self.c.eat(b'&');
        if !Self::is_word_token(self.c.peek()) {
            return;
        }
        let name = self.c.bump();
        let text = self.c.str(name);
        let is_constructor = kind == SymbolKind::Method && text.eq_ignore_ascii_case("__construct");
        let kind = if is_constructor { SymbolKind::Constructor } else { kind };
        let def = self.b.def(text, name.range(), kind);
        let doc = self.c.tokens.doc_before(start);
        self.apply(def, m, doc);
        self.callable(def, name.end);
        if let Some(doc) = doc {
            self.function_doc(doc, def);
        }
        self.finish_range(def, start);
    }

    pub(super) fn apply(&mut self, def: DefId, m: Modifiers, doc: Option<TextRange>) {
        let is_member = self.b.facts().scope(self.b.facts().def(def).scope).kind == ScopeKind::Class;
        let d = self.b.def_mut(def);
        d.flags = d.flags | m.flags;
        d.visibility = m.visibility.or(is_member.then_some(Visibility::Public));
        d.decorators = m.decorators;
        d.doc = doc;
    }

    pub(super) fn finish_range(&mut self, def: DefId, start: usize) {
        let start = self.c.token(start).start;
        let range = self.c.since(start);
        self.b.def_mut(def).range = range;
    }

    /// Parameters, captured variables, result type and body of a function, from its parenthesis on.
    pub(super) fn callable(&mut self, def: DefId, from: u32) {
        let scope = self.b.open(ScopeKind::Function, from, Some(def));
        self.functions.push(Function { def: Some(def), scope: ScopeId0(scope), ..Function::default() });
        if self.c.is(b'(') {
            self.parameters(def);
        }
        if self.c.eat_word(USE) {
            self.captures();
        }
        if self.c.eat(b':') {
            let ty = self.ty();
            self.b.def_mut(def).ty = ty;
        }
        if self.c.is(b'{') {
            if !self.skims_body() {
                self.block();
            }
        } else if self.c.is_joined(b"=>") {
            self.c.at += 2;
            self.function().is_arrow = true;
            let value = self.expr();
            self.function().returns.push(value);
        } else {
            self.c.eat(b';');
        }
        self.b.close(self.c.last_end());
        let function = self.functions.pop().unwrap_or_default();
        let returns = self.b.list(function.returns);
        let d = self.b.def_mut(def);
        d.returns = returns;
        if function.yields {
            d.flags.set(DefFlags::GENERATOR);
        }
    }

    /// `use ($a, &$b)`: the same variables inside.
    fn captures(&mut self) {
        if !self.c.is(b'(') {
            return;
        }
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let inner = self.functions.pop();
        let mut names = Vec::new();
        while self.c.at < end {
            let Some(token) = self.variable_token() else {
                self.c.skip();
                continue;
            };
            let (name, range) = self.variable(token);
            // A capture by reference may be the first that is heard of a variable.
            if self.has_variable(name) {
                self.b.reference(name, range, Role::Read);
            } else {
                self.declare_variable(name, range, SymbolKind::Variable);
            }
            names.push(self.b.name(name));
        }
        if let Some(mut inner) = inner {
            inner.variables.extend(names);
            self.functions.push(inner);
        }
        self.c.at = end;
        self.c.eat(b')');
    }

    fn parameters(&mut self, function: DefId) {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        let mut params = Vec::new();
        while self.c.at < end {
            let before = self.c.at;
            let start = self.c.at;
            let m = self.modifiers();
            let ty = self.ty();
            let is_reference = self.c.eat(b'&');
            let is_variadic = self.c.eat_joined(b"...");
            if let Some(token) = self.variable_token() {
                let param = self.parameter(token, m, ty, is_variadic, start);
                if is_reference {
                    self.b.def_mut(param).flags.set(DefFlags::MUT);
                }
                params.push(param);
            }
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b')');
        let params = self.b.list(params);
        self.b.def_mut(function).params = params;
    }

    fn parameter(
        &mut self,
        token: crate::kit::Token,
        m: Modifiers,
        ty: Option<TypeId>,
        is_variadic: bool,
        start: usize,
    ) -> DefId {
        let (name, range) = self.variable(token);
        let def = self.declare_variable(name, range, SymbolKind::Parameter);
        let init = self.c.eat(b'=').then(|| self.expr());
        if self.c.is(b'{') {
            self.c.skip();
        }
        let whole = self.c.since(self.c.token(start).start);
        let d = self.b.def_mut(def);
        d.ty = ty;
        d.init = init;
        d.range = whole;
        d.decorators = m.decorators;
        if is_variadic {
            d.flags.set(DefFlags::VARARG);
        }
        if init.is_some() {
            d.flags.set(DefFlags::OPTIONAL);
        }
        if m.any {
            // The promoted property lives in the class around the function.
            let scope = self.b.facts().scope(self.b.scope()).parent;
            if let Some(scope) = scope {
                let property = self.b.def_in(scope, name, range, SymbolKind::Property);
                let d = self.b.def_mut(property);
                d.ty = ty;
                d.range = whole;
                d.flags = m.flags | DefFlags::PROMOTED;
                d.visibility = m.visibility.or(Some(Visibility::Public));
            }
        }
        def
    }

    /// `abstract final readonly class A extends B implements C { … }` and its like.
    pub(super) fn class_declaration(&mut self) {
        let start = self.c.at;
        let m = self.modifiers();
        let kind = match self.c.peek().sub {
            CLASS if m.flags.has(DefFlags::ABSTRACT) => SymbolKind::AbstractClass,
            CLASS => SymbolKind::Class,
            INTERFACE => SymbolKind::Interface,
            TRAIT => SymbolKind::Trait,
            ENUM => SymbolKind::Enum,
            FUNCTION if self.is_function_declaration() => {
                self.function_like(SymbolKind::Function, m, start);
                return;
            }
            _ => return,
        };
        self.c.bump();
        if !Self::is_word_token(self.c.peek()) {
            return;
        }
        let name = self.c.bump();
        let def = self.b.def(self.c.str(name), name.range(), kind);
        let doc = self.c.tokens.doc_before(start);
        self.apply(def, m, doc);
        self.b.def_mut(def).visibility = None;
        let assigns = self.b.facts().assigns.len();
        self.class_body(def);
        if let Some(doc) = doc {
            self.class_doc(doc, def);
        }
        if kind != SymbolKind::Trait {
            self.assigned_properties(def, assigns);
        }
        self.finish_range(def, start);
    }

    /// Supertypes and members.
    pub(super) fn class_body(&mut self, def: DefId) {
        let mut supers = Vec::new();
        let is_interface = self.b.facts().def(def).kind == SymbolKind::Interface;
        if self.c.eat(b':') {
            self.ty();
        }
        loop {
            let (kind, role) = match self.c.peek().sub {
                EXTENDS => (SuperKind::Extends, Role::Extends),
                IMPLEMENTS => (SuperKind::Implements, Role::Implements),
                _ => break,
            };
            if self.c.peek().kind != Kind::Word {
                break;
            }
            self.c.bump();
            while let Some((name, _)) = self.name(role) {
                let ty = self.b.ty(TypeExpr::Named { name, args: List::EMPTY });
                supers.push(SuperType { kind: if is_interface { SuperKind::Extends } else { kind }, ty });
                if !self.c.eat(b',') {
                    break;
                }
            }
        }
        if !self.c.is(b'{') {
            return;
        }
        let end = self.c.group_end(self.c.at);
        self.tell_properties(def, end);
        self.b.open(ScopeKind::Class, self.c.peek().start, Some(def));
        self.c.bump();
        while self.c.at < end {
            let before = self.c.at;
            self.member(&mut supers);
            if self.c.at == before {
                self.b.error(self.c.peek().range(), "expected a member");
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b'}');
        self.b.close(self.c.last_end());
        let supers = self.b.list(supers);
        self.b.def_mut(def).supers = supers;
    }

    /// Properties that methods of the class make by `$this->x = …`, where it declares none: by assignments from `first` on.
    fn assigned_properties(&mut self, class: DefId, first: usize) {
        let facts = self.b.facts();
        let Some(body) = facts.def(class).body else { return };
        let mut known: FxHashSet<NameId> = FxHashSet::default();
        let properties = facts.defs[class.index()..].iter().filter(|d| d.kind == SymbolKind::Property);
        known.extend(properties.filter(|d| d.scope == body).map(|d| d.name));
        let mut made = Vec::new();
        for assign in &facts.assigns[first..] {
            let Expr::Ref(target) = facts.expr(assign.target) else { continue };
            let target = facts.reference(target);
            let is_own = target.receiver.is_some_and(|receiver| match facts.expr(receiver) {
                Expr::This(scope) => {
                    let is_class = |id: &ScopeId| facts.scope(*id).kind == ScopeKind::Class;
                    !target.flags.has(RefFlags::STATIC)
                        && facts.scope_chain(scope).find(is_class) == Some(body)
                }
                _ => false,
            });
            if is_own && target.role == Role::Write && known.insert(target.name) {
                made.push((target.name, target.range, assign.value, assign.at));
            }
        }
        for (name, range, value, end) in made {
            let name = self.b.facts().name(name).to_owned();
            let property = self.b.def_in(body, &name, range, SymbolKind::Property);
            let d = self.b.def_mut(property);
            d.flags.set(DefFlags::ATTRIBUTE);
            d.visibility = Some(Visibility::Public);
            d.range = TextRange::new(range.start, end.max(range.end));
            d.init = Some(value);
        }
    }

    fn member(&mut self, supers: &mut Vec<SuperType>) {
        let start = self.c.at;
        let m = self.modifiers();
        let token = self.c.peek();
        match (token.kind, token.sub) {
            (Kind::Punct, b';') => {
                self.c.bump();
            }
            (Kind::Word, USE) => self.trait_use(supers),
            (Kind::Word, CONST) => self.constants(Some((m, start))),
            (Kind::Word, CASE) => self.enum_case(m, start),
            (Kind::Word, FUNCTION) => self.function_like(SymbolKind::Method, m, start),
            _ => self.properties(m, start),
        }
    }

    fn trait_use(&mut self, supers: &mut Vec<SuperType>) {
        self.c.bump();
        let mut used = Vec::new();
        while let Some((name, _)) = self.name(Role::Implements) {
            let ty = self.b.ty(TypeExpr::Named { name, args: List::EMPTY });
            supers.push(SuperType { kind: SuperKind::Mixes, ty });
            used.push(ty);
            if !self.c.eat(b',') {
                break;
            }
        }
        if !self.c.is(b'{') {
            self.end();
            return;
        }
        let used = self.b.list(used);
        let used = self.b.ty(TypeExpr::Union(used));
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        while self.c.at < end {
            let before = self.c.at;
            self.trait_rule(used);
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = end;
        self.c.eat(b'}');
    }

    /// `A::m insteadof B;`, `A::m as protected n;`, among the traits of one `use`.
    fn trait_rule(&mut self, used: TypeId) {
        let (segments, absolute) = self.segments();
        if segments.is_empty() {
            return;
        }
        let mut method = None;
        if self.c.eat_joined(b"::") {
            if let Some((name, _)) = self.name_of(&segments, absolute, Role::Type)
                && Self::is_word_token(self.c.peek())
            {
                let token = self.c.bump();
                let reference = self.b.reference(self.c.str(token), token.range(), Role::Read);
                let owner = self.b.ty(TypeExpr::Named { name, args: List::EMPTY });
                let owner = self.b.expr(Expr::Type(owner));
                let r = self.b.ref_mut(reference);
                r.receiver = Some(owner);
                method = Some(self.b.expr(Expr::Ref(reference)));
            }
        } else if let Some(last) = segments.last() {
            let text = self.text(*last);
            let owner = self.b.expr(Expr::Type(used));
            let reference = self.b.reference(text, *last, Role::Read);
            self.b.ref_mut(reference).receiver = Some(owner);
            method = Some(self.b.expr(Expr::Ref(reference)));
        }
        if self.c.eat_word(INSTEADOF) {
            while self.name(Role::Type).is_some() && self.c.eat(b',') {}
        } else if self.c.eat_word(AS) {
            let visibility = self.modifiers().visibility;
            if Self::is_word_token(self.c.peek()) {
                let name = self.c.bump();
                let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Method);
                let d = self.b.def_mut(def);
                d.visibility = visibility.or(Some(Visibility::Public));
                d.init = method;
            }
        }
        self.end();
    }

    /// `const A = 1, B = 2;` at the top or in a class.
    pub(super) fn constants(&mut self, member: Option<(Modifiers, usize)>) {
        let start = member.map_or(self.c.at, |(_, start)| start);
        self.c.bump();
        // A typed constant: two names before the sign.
        let mut ty = None;
        if !self.c.nth(1).is(b'=') && self.at_type() {
            ty = self.ty();
        }
        while Self::is_word_token(self.c.peek()) {
            let name = self.c.bump();
            let def = self.b.def(self.c.str(name), name.range(), SymbolKind::Constant);
            let doc = self.c.tokens.doc_before(start);
            self.apply(def, member.map_or(Modifiers::default(), |(m, _)| m), doc);
            self.b.def_mut(def).flags.set(DefFlags::STATIC);
            let init = self.c.eat(b'=').then(|| self.expr());
            let d = self.b.def_mut(def);
            d.ty = ty;
            d.init = init;
            self.finish_range(def, start);
            if !self.c.eat(b',') {
                break;
            }
        }
        self.end();
    }

    fn enum_case(&mut self, m: Modifiers, start: usize) {
        self.c.bump();
        if Self::is_word_token(self.c.peek()) {
            let name = self.c.bump();
            let def = self.b.def(self.c.str(name), name.range(), SymbolKind::EnumCase);
            let doc = self.c.tokens.doc_before(start);
            self.apply(def, m, doc);
            let init = self.c.eat(b'=').then(|| self.expr());
            let d = self.b.def_mut(def);
            d.init = init;
            d.flags.set(DefFlags::STATIC);
            self.finish_range(def, start);
        }
        self.end();
    }

    fn properties(&mut self, m: Modifiers, start: usize) {
        let ty = self.ty();
        while let Some(token) = self.variable_token() {
            let (name, range) = self.variable(token);
            let def = self.b.def(name, range, SymbolKind::Property);
            let doc = self.c.tokens.doc_before(start);
            self.apply(def, m, doc);
            let init = self.c.eat(b'=').then(|| self.expr());
            let d = self.b.def_mut(def);
            d.ty = ty;
            d.init = init;
            self.finish_range(def, start);
            if let Some(doc) = doc {
                self.property_doc(doc, def);
            }
            if self.c.is(b'{') {
                self.property_hooks(def);
            }
            if !self.c.eat(b',') {
                break;
            }
        }
        self.end();
    }

    /// `{ get => …; set { … } }`.
    fn property_hooks(&mut self, property: DefId) {
        let end = self.c.group_end(self.c.at);
        self.c.bump();
        while self.c.at < end {
            let hook = self.c.bump();
            if hook.kind == Kind::Word
                && hook.sub != VARIABLE
                && (self.c.is(b'{') || self.c.is(b'(') || self.c.is_joined(b"=>"))
            {
                let def = self.anonymous(SymbolKind::Method);
                let ty = self.b.facts().def(property).ty;
                self.b.def_mut(def).ty = ty;
                self.callable(def, hook.end);
            }
        }
        self.c.at = end;
        self.c.eat(b'}');
    }
}
