//! Rust's paths, types, type parameters and bounds.

use ide_model::SymbolKind;

use super::front::Parser;
use super::lexer::{
    AS, CONST, CRATE, DYN, EXTERN, FN, FOR, IMPL, LIFETIME, MUT, SELF, SELF_TYPE, SUPER, UNSAFE, WHERE,
};
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, List, RefFlags, RefId, Role, ScopeKind, SuperKind, SuperType, TypeExpr,
    TypeId,
};
use crate::guard;
use crate::kit::{Kind, Token};

/// A path as it was read.
pub(super) struct Path {
    /// The last segment, unless the path is nothing but `self`, `Self` and the like.
    pub(super) last: Option<RefId>,
    /// Arguments of the last segment.
    pub(super) args: List<TypeId>,
    /// The path before the last segment, or the whole path.
    pub(super) root: Option<ExprId>,
    /// `F(A) -> B`.
    function: Option<TypeExpr>,
    /// Names of associated types among the arguments of the last segment.
    keys: Vec<RefId>,
    /// The keyword that the whole path is.
    pub(super) keyword: u8,
}

/// The context of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Type,
    Value,
}

impl Parser<'_> {
    /// `crate`, `self`, `super` (or `::`) at the start of a path, as it is meant in the innermost scope.
    pub(super) fn path_root(&mut self, token: Token) -> ExprId {
        self.text_value(self.c.str(token), token)
    }

    /// `Self`, as it is meant in the innermost scope.
    pub(super) fn self_type(&mut self) -> TypeId {
        let scope = self.b.scope();
        let this = self.b.expr(Expr::This(scope));
        self.b.ty(TypeExpr::TypeOf(this))
    }

    pub(super) fn text_value(&mut self, written: &str, _at: Token) -> ExprId {
        let name = self.b.name(written);
        let value = self.b.expr(Expr::Text(name));
        let scope = self.b.scope();
        self.b.expr(Expr::Block { scope, value })
    }

    /// A path; the last segment has the role. Reads nothing where none begins.
    pub(super) fn path(&mut self, place: Place, role: Role) -> Path {
        let mut path =
            Path { last: None, args: List::EMPTY, root: None, function: None, keys: Vec::new(), keyword: 0 };
        let mut roots = String::new();
        if self.c.is_joined(b"::") {
            path.root = Some(self.text_value("::", self.c.peek()));
            self.c.at += 2;
        } else if self.c.is(b'<') {
            path.root = Some(self.qualified_self());
            if !self.c.eat_joined(b"::") {
                return path;
            }
        }
        loop {
            if self.c.is(b'$') && self.is_word_at(self.c.at + 1, CRATE) {
                self.c.bump();
            }
            let token = self.c.peek();
            if token.kind != Kind::Word {
                return path;
            }
            self.c.bump();
            self.shift(&mut path, place);
            match token.sub {
                CRATE | SELF | SUPER => {
                    if !roots.is_empty() {
                        roots.push_str("::");
                    }
                    roots.push_str(self.text(token));
                    path.keyword = token.sub;
                    if token.sub != SELF || self.c.is_joined(b"::") {
                        path.root = Some(self.text_value(&roots, token));
                    }
                }
                SELF_TYPE => {
                    path.keyword = SELF_TYPE;
                    let ty = self.self_type();
                    path.root = Some(self.b.expr(Expr::Type(ty)));
                }
                _ => {
                    path.keyword = 0;
                    path.last = Some(self.reference(token, role, path.root));
                }
            }
            self.segment_arguments(&mut path, place);
            let more = self.c.is_joined(b"::") && self.c.nth(2).kind == Kind::Word;
            if !more {
                return path;
            }
            self.c.at += 2;
        }
    }

    /// Moves the last segment so far in front of another one.
    fn shift(&mut self, path: &mut Path, place: Place) {
        let Some(last) = path.last.take() else { return };
        let r = self.b.ref_mut(last);
        r.flags.set(RefFlags::TYPE_ONLY);
        let args = std::mem::take(&mut path.args);
        r.role = if place == Place::Type || !args.is_empty() { Role::Type } else { Role::Read };
        path.root = Some(if args.is_empty() {
            self.b.expr(Expr::Ref(last))
        } else {
            let ty = self.b.ty(TypeExpr::Named { name: last, args });
            let value = self.b.expr(Expr::Type(ty));
            self.own_keys(path, value);
            value
        });
    }

    /// The path names a type: a literal or a pattern with fields follows.
    pub(super) fn names_a_type(&mut self, last: RefId, role: Role) {
        self.b.ref_mut(last).role = role;
        let mut at = last;
        while let Some(Expr::Ref(before)) =
            self.b.facts().reference(at).receiver.map(|r| self.b.facts().expr(r))
        {
            self.b.ref_mut(before).role = Role::Type;
            at = before;
        }
    }

    fn own_keys(&mut self, path: &mut Path, of: ExprId) {
        for key in path.keys.drain(..) {
            self.b.ref_mut(key).call = Some(of);
        }
    }

    fn segment_arguments(&mut self, path: &mut Path, place: Place) {
        if self.c.is_joined(b"::<") {
            self.c.at += 2;
            path.args = self.type_arguments(&mut path.keys);
        } else if place == Place::Type && self.c.is(b'<') {
            path.args = self.type_arguments(&mut path.keys);
        } else if place == Place::Type && self.c.is(b'(') && path.last.is_some() {
            let mut params = Vec::new();
            self.group(|p, _| {
                params.push(p.ty());
                p.c.eat(b',');
            });
            let params = self.b.list(params);
            let result = self.c.eat_joined(b"->").then(|| self.ty_plain());
            path.function = Some(TypeExpr::Function { receiver: None, params, result });
        }
    }

    /// `<T as Trait>`: members of `T`, then of the trait.
    fn qualified_self(&mut self) -> ExprId {
        self.c.bump();
        let base = self.ty();
        let ty = if self.c.eat_word(AS) {
            let of = self.ty();
            let parts = self.b.list([base, of]);
            self.b.ty(TypeExpr::Intersection(parts))
        } else {
            base
        };
        self.c.eat(b'>');
        self.b.expr(Expr::Type(ty))
    }

    /// `::<A>` behind the name of a method.
    pub(super) fn turbofish(&mut self) -> List<TypeId> {
        self.c.at += 2;
        self.type_arguments(&mut Vec::new())
    }

    /// `<A, 'b, 3, Item = C>`; the cursor is on `<`.
    fn type_arguments(&mut self, keys: &mut Vec<RefId>) -> List<TypeId> {
        self.c.bump();
        let mut args = Vec::new();
        while !self.c.is(b'>') && !matches!(self.c.peek().kind, Kind::Close | Kind::End) && !self.c.is(b';') {
            let before = self.c.at;
            if self.is_text(LIFETIME) {
                self.lifetime(Role::Type);
            } else {
                args.push(self.type_argument(keys));
            }
            if !self.c.eat(b',') && !self.c.is(b'>') && self.c.at == before {
                break;
            }
        }
        self.c.eat(b'>');
        self.b.list(args)
    }

    fn type_argument(&mut self, keys: &mut Vec<RefId>) -> TypeId {
        let token = self.c.peek();
        let is_value = matches!(token.kind, Kind::Number | Kind::Text)
            || token.is(b'{')
            || token.is(b'-')
            || token.kind == Kind::Word && matches!(token.sub, super::lexer::TRUE | super::lexer::FALSE);
        if is_value {
            self.prefix();
            return self.b.ty(TypeExpr::Unknown);
        }
        let is_key = self.is_name();
        let ty = self.ty();
        let TypeExpr::Named { name, .. } = self.b.facts().ty(ty) else { return ty };
        let is_binding = self.c.is(b'=') || self.c.is(b':') && !self.c.is_joined(b"::");
        if !is_key || !is_binding || self.b.facts().reference(name).receiver.is_some() {
            return ty;
        }
        self.b.ref_mut(name).role = Role::Key;
        keys.push(name);
        let bound = if self.c.eat(b'=') {
            self.ty()
        } else {
            self.c.bump();
            let bounds = self.bounds(Role::Type);
            let bounds = self.b.list(bounds);
            self.b.ty(TypeExpr::Bounds(bounds))
        };
        self.b.ty(TypeExpr::Indexed { base: bound, index: ty })
    }

    // ---- types --------------------------------------------------------------------------------------------------

    pub(super) fn unit_type(&mut self) -> TypeId {
        self.b.ty(TypeExpr::Tuple(List::EMPTY))
    }

    /// A type, with `A + B` where it may stand.
    pub(super) fn ty(&mut self) -> TypeId {
        let first = self.ty_plain();
        if !self.c.is(b'+') || self.c.is_joined(b"+=") {
            return first;
        }
        let mut bounds = vec![first];
        while self.c.eat(b'+') {
            bounds.extend(self.bound(Role::Type));
        }
        let bounds = self.b.list(bounds);
        self.b.ty(TypeExpr::Bounds(bounds))
    }

    /// A type without `+` behind it: of a cast, of a result.
    pub(super) fn ty_plain(&mut self) -> TypeId {
        self.ty_with(Role::Type)
    }

    /// A type whose name has the role.
    pub(super) fn ty_with(&mut self, role: Role) -> TypeId {
        if !self.c.deeper() {
            self.c.skip();
            return self.b.ty(TypeExpr::Unknown);
        }
        let ty = self.ty_inner(role);
        self.c.shallower();
        ty
    }

    fn ty_inner(&mut self, role: Role) -> TypeId {
        let token = self.c.peek();
        let ty = match (token.kind, token.sub) {
            (Kind::Punct, b'&') => {
                self.c.bump();
                if self.is_text(LIFETIME) {
                    self.lifetime(Role::Type);
                }
                self.c.eat_word(MUT);
                TypeExpr::Reference(self.ty_plain())
            }
            (Kind::Punct, b'*') => {
                self.c.bump();
                let _is_mut = self.c.eat_word(MUT) || self.c.eat_word(CONST);
                TypeExpr::Pointer(self.ty_plain())
            }
            (Kind::Punct, b'!') => {
                self.c.bump();
                TypeExpr::Primitive(self.b.name("!"))
            }
            (Kind::Punct, b'?' | b'~') => {
                self.c.bump();
                self.c.eat_word(CONST);
                return self.ty_with(role);
            }
            (Kind::Punct, b'<') | (Kind::Punct, b':') | (Kind::Punct, b'$') => return self.path_type(role),
            (Kind::Open, b'(') => self.tuple_type(),
            (Kind::Open, b'[') => self.array_type(),
            (Kind::Word, DYN | IMPL) => {
                self.c.bump();
                let bounds = self.bounds(Role::Type);
                TypeExpr::Bounds(self.b.list(bounds))
            }
            (Kind::Word, FOR) => {
                self.c.bump();
                self.higher_ranked();
                return self.ty_with(role);
            }
            (Kind::Word, FN | UNSAFE | EXTERN) => self.function_type(),
            (Kind::Word, 0) if self.text(token) == "_" => {
                self.c.bump();
                TypeExpr::Unknown
            }
            (Kind::Word, 0 | CRATE | SELF | SUPER | SELF_TYPE) => return self.path_type(role),
            _ => TypeExpr::Unknown,
        };
        self.b.ty(ty)
    }

    fn path_type(&mut self, role: Role) -> TypeId {
        let token = self.c.peek();
        if token.kind == Kind::Word
            && is_primitive(self.text(token))
            && !self.c.joined_at(self.c.at + 1, b"::")
            && !self.c.nth(1).is(b'!')
        {
            self.c.bump();
            let name = self.b.name(self.c.str(token));
            return self.b.ty(TypeExpr::Primitive(name));
        }
        if token.kind == Kind::Word && self.text(token) == "dyn" && self.is_name_at(self.c.at + 1) {
            self.c.bump();
        }
        let mut path = self.path(Place::Type, role);
        if self.c.is(b'!') && path.last.is_some() && self.c.nth(1).kind == Kind::Open {
            if let Some(last) = path.last {
                self.macro_call(last);
            }
            return self.b.ty(TypeExpr::Unknown);
        }
        let ty = match (path.function.take(), path.last, path.keyword) {
            (Some(function), ..) => self.b.ty(function),
            (None, Some(name), _) => self.b.ty(TypeExpr::Named { name, args: path.args }),
            (None, None, SELF_TYPE) => self.self_type(),
            // `<T>` alone, or an unfinished path.
            (None, None, _) => match path.root.map(|root| self.b.facts().expr(root)) {
                Some(Expr::Type(ty)) => ty,
                _ => self.b.ty(TypeExpr::Unknown),
            },
        };
        if !path.keys.is_empty() {
            let of = self.b.expr(Expr::Type(ty));
            self.own_keys(&mut path, of);
        }
        ty
    }

    fn tuple_type(&mut self) -> TypeExpr {
        let mut items = Vec::new();
        let mut is_tuple = self.c.nth(1).is(b')');
        self.group(|p, _| {
            items.push(p.ty());
            is_tuple |= p.c.eat(b',');
        });
        match items[..] {
            [one] if !is_tuple => self.b.facts().ty(one),
            _ => TypeExpr::Tuple(self.b.list(items)),
        }
    }

    fn array_type(&mut self) -> TypeExpr {
        let mut item = None;
        self.group(|p, _| {
            if item.is_none() {
                item = Some(p.ty());
                p.c.eat(b';');
            } else {
                p.expr();
            }
        });
        let item = item.unwrap_or_else(|| self.b.ty(TypeExpr::Unknown));
        TypeExpr::Array(item)
    }

    /// `unsafe extern "C" fn(a: A, B) -> C`.
    fn function_type(&mut self) -> TypeExpr {
        while !self.c.is_word(FN) {
            let token = self.c.peek();
            if !matches!(token.kind, Kind::Word | Kind::Text) {
                return TypeExpr::Unknown;
            }
            self.c.bump();
        }
        self.c.bump();
        let mut params = Vec::new();
        // The names of parameters are declared in a scope of their own: nothing may refer to them.
        self.b.open(ScopeKind::Function, self.c.peek().start, None);
        self.group(|p, end| {
            p.attributes();
            if p.c.peek().kind == Kind::Word && p.c.nth(1).is(b':') && !p.c.joined_at(p.c.at + 1, b"::") {
                let parameter = p.parameter(end);
                params.extend(p.b.facts().def(parameter).ty);
            } else if p.c.is_joined(b"...") {
                p.c.at += 3;
            } else {
                params.push(p.ty());
            }
            p.c.eat(b',');
        });
        self.b.close(self.c.last_end());
        let params = self.b.list(params);
        let result = if self.c.eat_joined(b"->") { self.ty_plain() } else { self.unit_type() };
        TypeExpr::Function { receiver: None, params, result: Some(result) }
    }

    /// `<'a, 'b>` behind `for`.
    pub(super) fn higher_ranked(&mut self) {
        if !self.c.eat(b'<') {
            return;
        }
        while !self.c.is(b'>') && !matches!(self.c.peek().kind, Kind::Close | Kind::End) {
            let before = self.c.at;
            self.lifetime_parameter();
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.eat(b'>');
    }

    fn lifetime_parameter(&mut self) {
        if !self.is_text(LIFETIME) {
            return;
        }
        let token = self.c.bump();
        self.b.def(self.c.str(token), token.range(), SymbolKind::TypeParameter);
        if self.c.eat(b':') {
            self.bounds(Role::Type);
        }
    }

    // ---- parameters and bounds ----------------------------------------------------------------------------------

    /// `A + 'b + ?Sized + for<'c> F(&'c T)`: the types among them.
    pub(super) fn bounds(&mut self, role: Role) -> Vec<TypeId> {
        let mut all = Vec::new();
        loop {
            let before = self.c.at;
            all.extend(self.bound(role));
            if !self.c.eat(b'+') || self.c.at == before {
                return all;
            }
        }
    }

    fn bound(&mut self, role: Role) -> Option<TypeId> {
        if self.is_text(LIFETIME) {
            self.lifetime(Role::Type);
            return None;
        }
        // `use<'a, T>`: what an opaque type captures.
        if self.c.is_word(super::lexer::USE) && self.c.nth(1).is(b'<') {
            self.c.bump();
            self.type_arguments(&mut Vec::new());
            return None;
        }
        let token = self.c.peek();
        let begins = token.kind == Kind::Word && token.sub != WHERE && !self.is_item_word(token.sub)
            || matches!(token.sub, b'?' | b'~' | b':' | b'<' | b'$') && token.kind == Kind::Punct
            || token.is(b'(')
            || token.is(b'[');
        if token.is(b'[') {
            // `[const] Trait`.
            self.c.skip();
        }
        begins.then(|| guard::deeper(|| self.ty_with(role))).flatten()
    }

    fn is_item_word(&self, word: u8) -> bool {
        !matches!(word, 0 | CRATE | SELF | SUPER | SELF_TYPE | FOR | DYN | IMPL | FN | UNSAFE | EXTERN)
    }

    /// `<'a, T: Bound = Default, const N: usize>`, declared in the innermost scope.
    pub(super) fn type_parameters(&mut self, owner: DefId) {
        if !self.c.eat(b'<') {
            return;
        }
        let mut params = Vec::new();
        while !self.c.is(b'>') && !matches!(self.c.peek().kind, Kind::Close | Kind::End) {
            let before = self.c.at;
            self.attributes();
            if self.is_text(LIFETIME) {
                self.lifetime_parameter();
            } else {
                // One that is declared under several conditions is one parameter.
                let facts = |p: &Self, def: DefId| p.b.facts().def(def).name;
                let new = self.type_parameter();
                params.extend(new.filter(|new| params.iter().all(|p| facts(self, *p) != facts(self, *new))));
            }
            self.c.eat(b',');
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.eat(b'>');
        let params = self.b.list(params);
        self.b.def_mut(owner).type_params = params;
    }

    fn type_parameter(&mut self) -> Option<DefId> {
        let start = self.c.at;
        let is_const = self.c.eat_word(CONST);
        if !self.is_name() {
            return None;
        }
        let token = self.c.bump();
        let def = self.b.def(self.c.str(token), token.range(), SymbolKind::TypeParameter);
        if is_const {
            self.b.def_mut(def).flags.set(DefFlags::CONST);
        }
        if self.c.eat(b':') {
            if is_const {
                let ty = self.ty();
                self.b.def_mut(def).ty = Some(ty);
            } else {
                let bounds = self.bounds(Role::Type);
                self.add_bounds(def, bounds);
            }
        }
        if self.c.eat(b'=') {
            if is_const {
                self.prefix();
            } else {
                let default = self.ty();
                let default = self.b.expr(Expr::Type(default));
                self.b.def_mut(def).init = Some(default);
            }
        }
        self.finish_range(def, start);
        Some(def)
    }

    fn add_bounds(&mut self, parameter: DefId, bounds: Vec<TypeId>) {
        if bounds.is_empty() {
            return;
        }
        let mut all = match self.b.facts().def(parameter).ty.map(|ty| self.b.facts().ty(ty)) {
            Some(TypeExpr::Bounds(before)) => self.b.facts().list(before).collect(),
            _ => Vec::new(),
        };
        all.extend(bounds);
        let all = self.b.list(all);
        let ty = self.b.ty(TypeExpr::Bounds(all));
        self.b.def_mut(parameter).ty = Some(ty);
    }

    /// `where T: A, for<'a> U: B<'a>, 'a: 'b`. Bounds of a parameter are added to its own.
    pub(super) fn where_clause(&mut self, owner: DefId) {
        if !self.c.eat_word(WHERE) {
            return;
        }
        loop {
            let token = self.c.peek();
            let ends = token.is(b'{') || token.is(b';') || token.is(b'=');
            if ends || matches!(token.kind, Kind::Close | Kind::End) {
                return;
            }
            let before = self.c.at;
            if self.is_text(LIFETIME) {
                self.lifetime(Role::Type);
                self.c.eat(b':');
                self.bounds(Role::Type);
            } else {
                if self.c.eat_word(FOR) {
                    self.higher_ranked();
                }
                let subject = self.ty_plain();
                if self.c.eat(b':') {
                    let bounds = self.bounds(Role::Type);
                    self.predicate(subject, owner, bounds);
                }
            }
            if !self.c.eat(b',') && self.c.at == before {
                return;
            }
        }
    }

    /// The bounds that a `where` clause adds to `T`, `&T`, `T::Item` or `<T as Trait>::Item`.
    fn predicate(&mut self, subject: TypeId, owner: DefId, bounds: Vec<TypeId>) {
        if let Some(parameter) = self.parameter_named_by(subject, owner) {
            self.add_bounds(parameter, bounds);
            return;
        }
        if matches!(self.b.facts().ty(subject), TypeExpr::TypeOf(_)) {
            self.add_supertraits(owner, bounds);
            return;
        }
        let facts = self.b.facts();
        let TypeExpr::Named { name, .. } = facts.ty(subject) else { return };
        let Some(base) = facts.reference(name).receiver else { return };
        let parameter = match facts.expr(base) {
            Expr::Ref(base) => self.parameter_called(base, owner),
            Expr::Type(ty) => match facts.ty(ty) {
                TypeExpr::Intersection(parts) => {
                    facts.list(parts).next().and_then(|base| self.parameter_named_by(base, owner))
                }
                _ => None,
            },
            _ => None,
        };
        if let Some(parameter) = parameter {
            let bounds = self.b.list(bounds);
            let base = self.b.ty(TypeExpr::Bounds(bounds));
            let said = self.b.ty(TypeExpr::Indexed { base, index: subject });
            self.add_bounds(parameter, vec![said]);
        }
    }

    /// `trait Tr where Self: Other`.
    fn add_supertraits(&mut self, owner: DefId, bounds: Vec<TypeId>) {
        let def = self.b.facts().def(owner);
        if def.kind != SymbolKind::Trait {
            return;
        }
        let mut supers: Vec<SuperType> = self.b.facts().list(def.supers).collect();
        supers.extend(bounds.into_iter().map(|ty| SuperType { kind: SuperKind::Extends, ty }));
        let supers = self.b.list(supers);
        self.b.def_mut(owner).supers = supers;
    }

    /// The type parameter of the owner, or of what is around it, that a type just names.
    fn parameter_named_by(&self, ty: TypeId, owner: DefId) -> Option<DefId> {
        match self.b.facts().ty(ty) {
            TypeExpr::Named { name, .. } => self.parameter_called(name, owner),
            TypeExpr::Reference(inner) => self.parameter_named_by(inner, owner),
            _ => None,
        }
    }

    fn parameter_called(&self, name: RefId, owner: DefId) -> Option<DefId> {
        let facts = self.b.facts();
        let r = facts.reference(name);
        if r.receiver.is_some() {
            return None;
        }
        let around = facts.scope_chain(facts.def(owner).scope).filter_map(|s| facts.scope(s).owner);
        std::iter::once(owner)
            .chain(around)
            .find_map(|def| facts.list(facts.def(def).type_params).find(|p| facts.def(*p).name == r.name))
    }
}

/// Types that keywords of other languages would be.
pub(super) fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "u8" | "u16"
            | "u32"
            | "u64"
            | "u128"
            | "usize"
            | "i8"
            | "i16"
            | "i32"
            | "i64"
            | "i128"
            | "isize"
            | "f32"
            | "f64"
            | "bool"
            | "char"
            | "str"
    )
}
