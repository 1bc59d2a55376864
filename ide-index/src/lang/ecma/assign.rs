//! Assignments, and the declarations that JavaScript makes by them.

use ide_model::{SymbolKind, TextRange};
use rustc_hash::FxHashMap;

use super::front::{Function, Parser};
use crate::facts::{
    Assign, Def, DefFlags, DefId, Expectation, Export, Expr, ExprId, FileFacts, List, Literal, NameId,
    RefFlags, RefId, Role, ScopeId, ScopeKind, SuperKind, SuperType, TypeExpr, UnaryOp,
};
use crate::kit::{Kind, value};

impl Parser<'_> {
    /// `[a, b] = …`, `({a} = …)`: existing names are written.
    pub(super) fn destructuring_assignment(&mut self) -> Option<ExprId> {
        let open = self.c.at;
        let token = self.c.token(open);
        if token.kind != Kind::Open || !(token.is(b'[') || token.is(b'{')) {
            return None;
        }
        let behind = self.c.behind_group(open);
        if !self.c.token(behind).is(b'=')
            || self.c.joined_at(behind, b"==")
            || self.c.joined_at(behind, b"=>")
        {
            return None;
        }
        self.c.at = behind + 1;
        let value = self.assignment_expr();
        let end = self.c.at;
        self.c.at = open;
        self.write_pattern(value);
        self.c.at = end;
        Some(value)
    }

    pub(super) fn write_pattern(&mut self, from: ExprId) {
        let is_object = self.c.is(b'{');
        let mut index = 0;
        let end = self.c.group_end(self.c.at);
        let behind = self.c.behind_group(self.c.at);
        self.c.bump();
        while self.c.at < end {
            let before = self.c.at;
            if self.c.eat(b',') {
                index += 1;
                continue;
            }
            self.c.eat_joined(b"...");
            let mut part = self.b.expr(Expr::Item { base: from, index });
            if is_object && self.c.peek().kind == Kind::Word {
                let token = self.c.peek();
                if self.c.nth(1).is(b':') {
                    self.c.bump();
                    part =
                        value::name(&mut self.b, Some(from), self.c.str(token), token.range(), Role::Key).1;
                    self.c.bump();
                } else {
                    let (key, read) =
                        value::name(&mut self.b, Some(from), self.c.str(token), token.range(), Role::Key);
                    self.b.ref_mut(key).flags.set(RefFlags::IMPLICIT);
                    part = read;
                }
            }
            let next = self.c.peek();
            if (next.is(b'[') || next.is(b'{')) && self.c.deeper() {
                self.write_pattern(part);
                self.c.shallower();
            } else {
                let target = self.unary();
                self.mark_written(target, Role::Write);
                self.b.assign(Assign { target, value: part, at: next.start });
            }
            if self.c.eat(b'=') {
                self.assignment_expr();
            }
            if self.c.at == before {
                self.c.skip();
            }
        }
        self.c.at = behind;
    }

    pub(super) fn mark_written(&mut self, mut target: ExprId, role: Role) {
        while let Expr::NonNull(inner) = self.b.facts().expr(target) {
            target = inner;
        }
        if let Expr::Ref(reference) = self.b.facts().expr(target) {
            self.b.ref_mut(reference).role = role;
        }
    }

    pub(super) fn assignment_operator(&self) -> Option<usize> {
        const COMPOUND: [&[u8]; 15] = [
            b">>>=", b"&&=", b"||=", b"??=", b"**=", b"<<=", b">>=", b"+=", b"-=", b"*=", b"/=", b"%=",
            b"&=", b"|=", b"^=",
        ];
        let first = self.c.peek();
        if first.kind != Kind::Punct {
            return None;
        }
        if first.is(b'=') {
            return (!self.c.is_joined(b"==") && !self.c.is_joined(b"=>")).then_some(1);
        }
        COMPOUND.iter().find(|op| op[0] == first.sub && self.c.is_joined(op)).map(|op| op.len())
    }

    pub(super) fn assignment(&mut self, target: ExprId, width: usize) -> ExprId {
        let statement = self.statement;
        let at = self.c.peek().start;
        self.c.at += width;
        let mark = self.pending.mark();
        let is_plain = width == 1;
        let value = self.assignment_expr();
        self.mark_written(target, if is_plain { Role::Write } else { Role::ReadWrite });
        // Statements inside the value have come and gone.
        self.statement = statement;
        if is_plain {
            self.declare_by_assignment(target, value);
        }
        self.pending.settle(&mut self.b, mark, Expectation::Assigned(target));
        self.b.assign(Assign { target, value, at });
        self.b.expr(Expr::Assign { target, value })
    }

    /// `this.x = v`, `exports.x = v`, `module.exports = v`, `F.prototype.m = v`, `F.s = v`.
    pub(super) fn declare_by_assignment(&mut self, target: ExprId, value: ExprId) {
        let Expr::Ref(reference) = self.b.facts().expr(target) else { return };
        let r = *self.b.facts().reference(reference);
        let Some(base) = r.receiver else { return };
        let name = self.b.facts().name(r.name).to_owned();
        match self.b.facts().expr(base) {
            Expr::This(_) if !self.typed => self.declare_field(&name, reference, value),
            // TypeScript: of a function that is declared right here.
            Expr::Ref(owner) if self.typed => {
                let o = *self.b.facts().reference(owner);
                if o.receiver.is_none() && self.function_here(o.name) {
                    self.attach(&name, reference, base, value);
                }
            }
            Expr::Ref(owner) if !self.is_void(value) => {
                let o = *self.b.facts().reference(owner);
                let owner_name = self.b.facts().name(o.name).to_owned();
                let before = o.receiver.and_then(|e| match self.b.facts().expr(e) {
                    Expr::Ref(r) => Some(self.b.facts().ref_name(r).to_owned()),
                    _ => None,
                });
                if before.is_none()
                    && let Some(scope) = self.held_this(o.name)
                {
                    self.declare_field_in(scope, &name, reference, value);
                    return;
                }
                match (before.as_deref(), &*owner_name) {
                    (None, "module") if name == "exports" => {
                        self.documented_value(value);
                        let name = self.b.name("");
                        self.b.export(Export { name, value });
                    }
                    (None, "exports") | (Some("module"), "exports") => {
                        self.attach_export(&name, reference, base, value);
                    }
                    (None, _) if self.is_exports(o.name) => {
                        self.attach_export(&name, reference, base, value);
                    }
                    (Some(_), "prototype") => self.attach(&name, reference, base, value),
                    (None, _) if name == "prototype" => self.prototype(o.name, reference, base, value),
                    (None, _) if self.takes_members(o.name, value) => {
                        self.attach(&name, reference, base, value);
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// `void 0`, which compilers write before they give something out.
    fn is_void(&self, value: ExprId) -> bool {
        matches!(assigned(self.b.facts(), value), Expr::Unary { op: UnaryOp::Void, .. })
    }

    /// Whether a name is that of a function in the innermost scope.
    fn function_here(&self, name: NameId) -> bool {
        let facts = self.b.facts();
        let scope = self.b.scope();
        facts.defs.iter().any(|d| {
            let holds_function = || matches!(d.init.map(|e| facts.expr(e)), Some(Expr::Function(_)));
            d.scope == scope
                && d.name == name
                && (d.kind == SymbolKind::Function || d.kind == SymbolKind::Constant && holds_function())
        })
    }

    /// `Object.defineProperty(F, "name", …)`, `Object.assign(F.prototype, { … })`: members that a call declares. `open` is
    /// the bracket of its arguments.
    pub(super) fn declare_by_call(&mut self, callee: ExprId, args: &[ExprId], open: usize) {
        let facts = self.b.facts();
        let (Expr::Ref(function), [target, given @ ..]) = (facts.expr(callee), args) else { return };
        let (name, receiver) = (facts.ref_name(function), facts.reference(function).receiver);
        let is_known = matches!(name, "defineProperty" | "defineProperties" | "assign")
            && receiver.is_some_and(|object| is_object(facts, object));
        let Expr::Ref(owner) = facts.expr(*target) else { return };
        if self.typed || !is_known {
            return;
        }
        let o = *facts.reference(owner);
        if name != "defineProperty" {
            if let ("prototype", Some(Expr::Ref(function))) =
                (facts.name(o.name), o.receiver.map(|e| facts.expr(e)))
            {
                let function = facts.reference(function).name;
                for literal in given {
                    self.mix_into(function, *literal);
                }
            }
            return;
        }
        let Some(Expr::Text(name)) = given.first().map(|key| facts.expr(*key)) else { return };
        let name = facts.name(name).to_owned();
        let value = given.get(1).and_then(|descriptor| self.described_value(*descriptor));
        let mut at = open + 1;
        while !self.c.token(at).is(b',') && self.c.token(at).kind != Kind::End {
            at = self.c.over(at).max(at + 1);
        }
        let range = self.inner(self.c.token(at + 1));
        let value = value.unwrap_or_else(|| self.b.expr(Expr::Unknown));
        let (reference, member) = value::name(&mut self.b, Some(*target), &name, range, Role::Write);
        self.b.ref_mut(reference).flags.set(RefFlags::IN_STRING);
        self.declare_by_assignment(member, value);
    }

    /// The value that a descriptor gives to a property: `{ value: v }`, `{ get() { … } }`.
    fn described_value(&mut self, descriptor: ExprId) -> Option<ExprId> {
        let facts = self.b.facts();
        let Expr::Class(literal) = facts.expr(descriptor) else { return None };
        let body = facts.def(literal).body?;
        let member = |name: &str| {
            let is_it = |d: &DefId| facts.def(*d).scope == body && facts.def_name(*d) == name;
            facts.def_ids().skip(literal.index()).find(is_it)
        };
        if let Some(value) = member("value") {
            return facts.def(value).init;
        }
        let get = member("get")?;
        let getter = facts.def(get).init;
        let getter = getter.unwrap_or_else(|| self.b.expr(Expr::Value(get)));
        Some(value::call(&mut self.b, getter, List::EMPTY, &[]))
    }

    /// `F.prototype = …`: what the function makes has the members of an object literal that stands there.
    fn prototype(&mut self, function: NameId, reference: RefId, base: ExprId, value: ExprId) {
        self.attach("prototype", reference, base, value);
        self.mix_into(function, value);
    }

    /// An instance that a function makes, or a class, has the members of an object literal as well.
    fn mix_into(&mut self, function: NameId, value: ExprId) {
        let facts = self.b.facts();
        if !matches!(facts.expr(value), Expr::Class(_)) {
            return;
        }
        let found = facts.scope_chain(self.b.scope()).find_map(|scope| {
            facts.def_ids().find(|d| facts.def(*d).scope == scope && facts.def(*d).name == function)
        });
        let Some(found) = found else { return };
        let made_by = match (facts.def(found).kind, facts.def(found).init.map(|e| facts.expr(e))) {
            (SymbolKind::Function | SymbolKind::Class, _) => found,
            (_, Some(Expr::Function(held))) => held,
            _ => return,
        };
        let mut supers: Vec<SuperType> = facts.list(facts.def(made_by).supers).collect();
        let ty = self.b.ty(TypeExpr::TypeOf(value));
        supers.push(SuperType { kind: SuperKind::Mixes, ty });
        let supers = self.b.list(supers);
        self.b.def_mut(made_by).supers = supers;
    }

    /// `exports.name = value`.
    fn attach_export(&mut self, name: &str, reference: RefId, owner: ExprId, value: ExprId) {
        self.attach(name, reference, owner, value);
        let name = self.b.name(name);
        let value = self.b.expr(Expr::Ref(reference));
        self.b.export(Export { name, value });
    }

    fn declared_here(&mut self, name: NameId) -> Option<&Def> {
        let facts = self.b.facts();
        self.declared.add(facts);
        let def = facts.scope_chain(self.b.scope()).find_map(|scope| self.declared.first(scope, name));
        def.map(|def| facts.def(def))
    }

    /// The scope whose `this` a name stands for: `var self = this`.
    fn held_this(&mut self, name: NameId) -> Option<ScopeId> {
        let init = self.declared_here(name).filter(|d| d.kind != SymbolKind::Parameter)?.init?;
        match assigned(self.b.facts(), init) {
            Expr::This(scope) => Some(scope),
            _ => None,
        }
    }

    /// Whether a name is another one for what the module gives out: `const Tools = module.exports`.
    fn is_exports(&mut self, name: NameId) -> bool {
        let def = self.declared_here(name).filter(|d| d.kind != SymbolKind::Parameter);
        let init = def.and_then(|d| d.init);
        let facts = self.b.facts();
        let Some(Expr::Ref(held)) = init.map(|e| facts.expr(e)) else { return false };
        facts.ref_name(held) == "exports"
            && facts.reference(held).receiver.is_none_or(
                |e| matches!(facts.expr(e), Expr::Ref(module) if facts.ref_name(module) == "module"),
            )
    }

    /// Whether assigning to a property of the name declares it: not where the name holds a value that was made and
    /// typed elsewhere, such as a parameter, `this` or a new object. Prototypes take functions.
    fn takes_members(&mut self, name: NameId, given: ExprId) -> bool {
        let Some(def) = self.declared_here(name) else { return true };
        if def.kind == SymbolKind::Parameter {
            return false;
        }
        let init = def.init;
        let facts = self.b.facts();
        let is_function = matches!(assigned(facts, given), Expr::Function(_));
        match init.map(|value| assigned(facts, value)) {
            Some(Expr::Call { callee, .. }) => is_function && is_create(facts, callee),
            Some(Expr::Ref(held)) => is_function && facts.ref_name(held) == "prototype",
            Some(Expr::This(_) | Expr::New { .. } | Expr::Await(_) | Expr::Index { .. }) => false,
            _ => true,
        }
    }

    /// `/** @type {T} */` before the statement says what is expected of the value.
    fn documented_value(&mut self, value: ExprId) {
        let Some(doc) = self.c.tokens.doc_before(self.statement) else { return };
        if let Expr::Function(function) = self.b.facts().expr(value) {
            self.b.def_mut(function).doc = Some(doc);
        }
        if let Some(ty) = self.documented_type(doc) {
            self.b.expect(value, Expectation::Type(ty));
        }
    }

    /// A member declared by assigning to it, unless it was so before.
    pub(super) fn attach(&mut self, name: &str, reference: RefId, owner: ExprId, value: ExprId) {
        let range = self.b.facts().reference(reference).range;
        let is_function = matches!(self.b.facts().expr(value), Expr::Function(_));
        let id = self.b.name(name);
        if let Expr::Ref(of) = self.b.facts().expr(owner) {
            let of = self.b.facts().reference(of);
            if !self.attached.insert((of.name, of.receiver.is_some(), id)) {
                return;
            }
        }
        let kind = if is_function { SymbolKind::Method } else { SymbolKind::Property };
        let def = self.b.def_in(ScopeId(0), name, range, kind);
        let doc = self.c.tokens.doc_before(self.statement);
        let d = self.b.def_mut(def);
        d.doc = doc;
        d.attach = Some(owner);
        d.init = Some(value);
    }

    /// `this.name = value` in a method: a field of the class around, when it has none of that name.
    pub(super) fn declare_field(&mut self, name: &str, reference: RefId, value: ExprId) {
        self.declare_field_in(self.b.scope(), name, reference, value);
    }

    /// The same for the `this` of a scope.
    fn declare_field_in(&mut self, scope: ScopeId, name: &str, reference: RefId, value: ExprId) {
        let facts = self.b.facts();
        let class = facts.scope_chain(scope).find(|id| {
            let scope = facts.scope(*id);
            scope.kind == ScopeKind::Class && scope.owner.is_some()
        });
        let range = facts.reference(reference).range;
        let id = self.b.name(name);
        let Some(class) = class else {
            let is_around = |f: &Function| self.b.facts().scope_chain(scope).any(|id| id == f.scope);
            let around = self.functions.iter().rposition(|f| !f.is_arrow && is_around(f));
            if let Some(around) = around {
                self.attach_to_this(around, name, range, value);
            }
            return;
        };
        let facts = self.b.facts();
        self.declared.add(facts);
        let is_static = |def: DefId| facts.def(def).flags.has(DefFlags::STATIC);
        let is_it = |d: &DefId| facts.def(*d).scope == class && facts.def(*d).name == id && !is_static(*d);
        let known = match self.declared.first(class, id) {
            Some(first) if is_static(first) => facts.def_ids().find(is_it),
            first => first,
        };
        if let Some(known) = known {
            self.fill(known, value);
            return;
        }
        let def = self.b.def_in(class, name, range, SymbolKind::Property);
        let doc = self.c.tokens.doc_before(self.statement);
        let d = self.b.def_mut(def);
        d.flags.set(DefFlags::ATTRIBUTE);
        d.doc = doc;
        d.init = Some(value);
    }

    /// Gives a value to a field that was declared without one.
    fn fill(&mut self, field: DefId, value: ExprId) {
        let facts = self.b.facts();
        let d = facts.def(field);
        let is_empty = match d.init.map(|e| facts.expr(e)) {
            Some(Expr::Literal(Literal::Null)) => d.flags.has(DefFlags::ATTRIBUTE),
            None => d.ty.is_none() && matches!(d.kind, SymbolKind::Field | SymbolKind::Property),
            Some(_) => false,
        };
        if is_empty {
            self.b.def_mut(field).init = Some(value);
        }
    }

    /// In a constructor function the field is attached to what `this` is there.
    fn attach_to_this(&mut self, around: usize, name: &str, range: TextRange, value: ExprId) {
        let function = &self.functions[around];
        let scope = function.scope;
        let is_held = function.is_held || !self.b.facts().def(function.def).flags.has(DefFlags::ANONYMOUS);
        if self.typed || !is_held {
            return;
        }
        let this = self.b.expr(Expr::This(scope));
        let def = self.b.def_in(ScopeId(0), name, range, SymbolKind::Property);
        let d = self.b.def_mut(def);
        d.attach = Some(this);
        d.init = Some(value);
        d.flags.set(DefFlags::ATTRIBUTE);
    }
}

/// The first declarations of names, among the declarations so far.
#[derive(Default)]
pub(super) struct Declared {
    first: FxHashMap<(ScopeId, NameId), DefId>,
    until: usize,
}

impl Declared {
    /// Takes in what was declared since.
    fn add(&mut self, facts: &FileFacts) {
        for (at, d) in facts.defs.iter().enumerate().skip(self.until).filter(|(_, d)| d.attach.is_none()) {
            self.first.entry((d.scope, d.name)).or_insert(DefId(at as u32));
        }
        self.until = facts.defs.len();
    }

    fn first(&self, scope: ScopeId, name: NameId) -> Option<DefId> {
        self.first.get(&(scope, name)).copied()
    }
}

/// The value that is assigned in the end: of `module.exports = exports = {}` the object.
pub(super) fn assigned(facts: &FileFacts, value: ExprId) -> Expr {
    let mut held = facts.expr(value);
    while let Expr::Assign { value, .. } = held {
        held = facts.expr(value);
    }
    held
}

/// `Object.create`.
fn is_create(facts: &FileFacts, callee: ExprId) -> bool {
    matches!(facts.expr(callee), Expr::Ref(function)
        if facts.ref_name(function) == "create"
            && facts.reference(function).receiver.is_some_and(|object| is_object(facts, object)))
}

fn is_object(facts: &FileFacts, value: ExprId) -> bool {
    matches!(facts.expr(value), Expr::Ref(name)
        if matches!(facts.ref_name(name), "Object" | "Reflect") && facts.reference(name).receiver.is_none())
}
