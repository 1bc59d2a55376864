//! Object literals: what is expected of them, what their keys declare, what `this` is in their methods.

use ide_model::SymbolKind;

use super::operators::member_type;
use super::policy::{EcmaPolicy, MAX_HOPS};
use super::types::INDEX;
use crate::facts::{DefFlags, DefId, Expectation, Expr, ExprId, RefId, ScopeId, ScopeKind};
use crate::resolve::{FileView, Member, Policy, Resolution, Resolver, Target, Ty, Types};
use crate::world::GlobalDef;

impl EcmaPolicy {
    /// The type that the place of an expression expects.
    pub(super) fn expected_of(rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        // An item of an array literal.
        if let Some(Expectation::Assigned(item)) = file.expectation(expr)
            && let Expr::Element(array) = file.expr(item)
            && matches!(file.expr(array), Expr::Collection { .. })
        {
            return EcmaPolicy.element(rx, file, &Self::expected_of(rx, file, array));
        }
        if let Some(Expectation::Init(def)) = file.expectation(expr)
            && file.def(def).ty.is_none()
            && let Some(expected) = Self::expected_of_property(rx, file, def)
        {
            return expected;
        }
        let expected = rx.default_expected(file, expr);
        match file.expectation(expr) {
            Some(Expectation::Return(function)) => Self::expected_return(rx, file, function, expr, expected),
            _ => expected,
        }
    }

    /// The expected return type of a function: that of a method of an object literal by the method that is expected
    /// there. For an asynchronous function it is the type inside its promise, for a generator the item type of its
    /// declared type; the type that a generator returns in the end is unknown.
    fn expected_return(rx: &Resolver, file: &FileView, function: DefId, value: ExprId, said: Ty) -> Ty {
        let d = file.def(function);
        let of_method = || {
            let is_literal = |owner: &DefId| file.def(*owner).kind == SymbolKind::Object;
            file.scope(d.scope).owner.filter(is_literal)?;
            let expected = Self::expected_of_property(rx, file, function)?;
            rx.signature(file, &expected).map(|(_, result)| result)
        };
        let is_open = said.is_unknown() && d.kind == SymbolKind::Method && d.ty.is_none();
        let expected = if is_open { of_method().unwrap_or(said) } else { said };
        if d.flags.has(DefFlags::GENERATOR) {
            let is_last = file.list(d.returns).any(|returned| returned == value);
            return Self::yielded(rx, &expected).filter(|_| !is_last).unwrap_or(Ty::Unknown);
        }
        if d.flags.has(DefFlags::ASYNC) { Self::awaited_value(rx, &expected) } else { expected }
    }

    /// The type that a constructor expects in the place of an argument; `None` where no constructor is
    /// called.
    pub(super) fn constructor_argument(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        index: u32,
    ) -> Option<Ty> {
        let (class, args) = match file.expr(call) {
            Expr::New { ty, args, .. } => {
                if let Some(wanted) = Self::taken_by(rx, file, call, index) {
                    return Some(wanted);
                }
                (rx.type_of(file, ty), args)
            }
            Expr::Call { callee, args, .. } if matches!(file.expr(callee), Expr::Super(_)) => {
                (rx.expr_type(file, callee), args)
            }
            _ => return None,
        };
        let constructors = rx.inherited_members(&class, "constructor");
        let mut chosen = 0;
        if constructors.len() > 1 {
            let args: Vec<ExprId> = file.list(args).collect();
            let takes = |c: &Member| c.def().is_some_and(|def| Self::may_take(rx, file, def, &args));
            chosen = constructors.iter().position(takes).unwrap_or(0);
        }
        let constructor = constructors.into_iter().nth(chosen);
        let parameter = constructor.and_then(|c| Some((rx.parameter_at(c.def()?, index as usize)?, c.owner)));
        let of = |(p, owner): (GlobalDef, Ty)| rx.def_type(p).substitute(&rx.arguments_of(&owner));
        Some(parameter.map_or(Ty::Unknown, of))
    }

    /// The parts of the type that is expected of an object literal: of a union those whose members can be the literals
    /// that it has.
    pub(super) fn expected_parts(rx: &Resolver, file: &FileView, object: ExprId, literal: DefId) -> Vec<Ty> {
        let expected = EcmaPolicy.expected(rx, file, object);
        let parts: Vec<Ty> =
            Self::alternatives(rx, file, &expected).into_iter().flat_map(distributed).collect();
        if parts.len() < 2 {
            return parts;
        }
        let Some(body) = file.def(literal).body else { return parts };
        let tags: Vec<(&str, String)> = file
            .all_in_scope(body)
            .iter()
            .filter_map(|d| Some((file.def_name(*d), Self::tag_of(rx, file, file.def(*d).init?)?)))
            .collect();
        let fits = |part: &&Ty| {
            tags.iter().all(|(name, tag)| {
                Self::member_literals(rx, file, part, name).is_none_or(|all| all.contains(tag))
            })
        };
        let fitting: Vec<Ty> = parts.iter().filter(fits).cloned().collect();
        if fitting.is_empty() { parts } else { fitting }
    }

    fn tag_of(rx: &Resolver, file: &FileView, value: ExprId) -> Option<String> {
        match file.expr(value) {
            Expr::Text(_) | Expr::Ref(_) => Self::literal_of(rx, file, value),
            _ => None,
        }
    }

    /// The type that the place of a property of an object literal asks for.
    pub(super) fn expected_of_property(rx: &Resolver, file: &FileView, property: DefId) -> Option<Ty> {
        let scope = file.scope(file.def(property).scope);
        let owner = scope
            .owner
            .filter(|owner| scope.kind == ScopeKind::Class && file.has_flag(*owner, DefFlags::ANONYMOUS))?;
        let object = file.function_expr(owner)?;
        let parts = Self::expected_parts(rx, file, object, owner);
        let name = file.def_name(property);
        Some(Ty::union(parts.iter().map(|part| Self::property_type(rx, file, part, name))))
    }

    /// The type of a parameter of a method of an object literal, by the method that is expected there.
    pub(super) fn method_parameter(rx: &Resolver, file: &FileView, parameter: DefId) -> Option<Ty> {
        let method = file.enclosing_function(file.def(parameter).scope)?;
        if file.has_flag(method, DefFlags::SETTER) {
            return Self::got(rx, file, method);
        }
        if file.has_flag(method, DefFlags::ANONYMOUS) || file.def(method).kind != SymbolKind::Method {
            return None;
        }
        let index = file.list(file.def(method).params).position(|p| p == parameter)?;
        let expected = Self::expected_of_property(rx, file, method)?;
        let (params, _) = rx.signature(file, &expected)?;
        Some(Self::taken_at(rx, file, &params, index))
    }

    /// The member of the expected type that a member stands for, when it is declared by its assignment or by a
    /// key of an object literal.
    pub(super) fn declared_member(rx: &Resolver, def: GlobalDef) -> Resolution {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let is_export =
            |attach: ExprId| matches!(file.expr(attach), Expr::Ref(r) if file.ref_name(r) == "exports");
        let name = file.def_name(def.def);
        let members: Vec<Member> = match d.attach {
            Some(attach) if is_export(attach) => return Self::assigned_export(rx, file, def.def),
            Some(attach) => {
                let owner = rx.expr_type(file, attach);
                owner.parts().iter().flat_map(|part| EcmaPolicy.members(rx, file, part, name)).collect()
            }
            None if d.flags.has(DefFlags::ATTRIBUTE) => {
                let Some(class) = file.scope(d.scope).owner else { return Resolution::def(def) };
                let this = rx.self_type(file.global(class));
                EcmaPolicy.members(rx, file, &this, name)
            }
            None => {
                let literal = file.scope(d.scope).owner.filter(|o| file.def(*o).kind == SymbolKind::Object);
                let Some((literal, object)) = literal.and_then(|o| Some((o, file.function_expr(o)?))) else {
                    return Resolution::def(def);
                };
                let mut parts = Self::expected_parts(rx, file, object, literal);
                // A literal is no value of a built-in kind.
                parts.retain(|part| {
                    !matches!(
                        part,
                        Ty::Primitive(_)
                            | Ty::Literal(_)
                            | Ty::Array(_)
                            | Ty::Callable { .. }
                            | Ty::Function(..)
                    )
                });
                parts.iter().flat_map(|part| EcmaPolicy.members(rx, file, part, name)).collect()
            }
        };
        let members = Self::declared_first(&members);
        let is_named = |member: &&Member| member.def().is_none_or(|m| rx.def_name(m) == name);
        match members.iter().find(is_named) {
            Some(member) if d.attach.is_some() && member.def().is_none_or(|m| rx.def(m).attach.is_some()) => {
                Resolution::def(def)
            }
            Some(member) if member.target != Target::Def(def) => {
                Resolution::of(member.target.clone(), member.confidence)
            }
            _ => Resolution::def(def),
        }
    }

    /// Whether a class is declared inside a function.
    pub(super) fn is_inner_class(file: &FileView, class: DefId) -> bool {
        let d = file.def(class);
        matches!(d.kind, SymbolKind::Class | SymbolKind::AbstractClass)
            && d.scope != ScopeId(0)
            && file.enclosing_function(d.scope).is_some()
    }

    /// The type of `this` in a scope.
    pub(super) fn this_in(rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        let mut in_method = false;
        for id in file.scope_chain(scope) {
            let s = file.scope(id);
            let Some(owner) = s.owner else { continue };
            match s.kind {
                // The values in an object literal stand outside of it; its methods do not.
                ScopeKind::Class if file.def(owner).kind == SymbolKind::Object && !in_method => {}
                ScopeKind::Class if file.def(owner).kind == SymbolKind::Object => {
                    return Self::this_of_literal(rx, file, owner);
                }
                ScopeKind::Class => return rx.self_type(file.global(owner)),
                ScopeKind::Function => {
                    let d = file.def(owner);
                    let is_arrow = d.flags.has(DefFlags::ARROW);
                    if let Some(this) = d.receiver.filter(|_| !is_arrow) {
                        return rx.type_of(file, this);
                    }
                    let is_member = file.scope(d.scope).kind == ScopeKind::Class;
                    if d.flags.has(DefFlags::STATIC) && is_member {
                        return file.scope(d.scope).owner.map_or(Ty::Unknown, |c| Ty::class(file.global(c)));
                    }
                    in_method |= !is_arrow;
                    if !is_arrow && !is_member {
                        return Self::this_of_function(rx, file, owner);
                    }
                }
                _ => {}
            }
        }
        Ty::Unknown
    }

    fn this_of_literal(rx: &Resolver, file: &FileView, literal: DefId) -> Ty {
        let own = rx.self_type(file.global(literal));
        let Some(object) = file.function_expr(literal) else { return own };
        // The prototype of a function: what the function makes.
        if let Some(Expectation::Assigned(target)) = file.expectation(object)
            && let Expr::Ref(prototype) = file.expr(target)
            && file.ref_name(prototype) == "prototype"
            && let Some(function) = file.reference(prototype).receiver
            && let Some(function) = rx.expr_type(file, function).def()
        {
            return Ty::instance(function);
        }
        Self::marked_this(&EcmaPolicy.expected(rx, file, object))
            .or_else(|| Self::component_this(rx, file, literal))
            .or_else(|| match file.expectation(object) {
                Some(Expectation::Argument { call, index: 0 }) => Self::extended(rx, file, call, MAX_HOPS),
                _ => None,
            })
            .unwrap_or(own)
    }

    /// The type that `Base.extend({ … })` makes: it has the members of the literal and of what the base
    /// makes.
    fn extended(rx: &Resolver, file: &FileView, call: ExprId, hops: usize) -> Option<Ty> {
        let Expr::Call { callee, args, .. } = file.expr(call) else { return None };
        let (Expr::Ref(extend), Expr::Class(literal)) =
            (file.expr(callee), file.expr(file.list(args).next()?))
        else {
            return None;
        };
        let base = file.reference(extend).receiver.filter(|_| file.ref_name(extend) == "extend")?;
        let Expr::Ref(name) = file.expr(base) else { return None };
        let held = rx.resolve(file.global_ref(name)).resolution.defs().next().and_then(|def| {
            let home = rx.file(def.file);
            let init = home.def(def.def).init?;
            Self::extended(rx, home, init, hops.checked_sub(1)?)
        });
        let base = held.or_else(|| match rx.expr_type(file, base) {
            Ty::Function(function, _) => Some(Ty::instance(function)),
            base @ Ty::Class(..) => Some(base.instantiate()),
            _ => None,
        })?;
        Some(Ty::Intersection(Types::from([rx.self_type(file.global(literal)), base])))
    }

    /// `C.prototype` has the members of what the class or function makes.
    pub(super) fn prototype_of(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Ty> {
        match rx.expr_type(file, file.reference(reference).receiver?) {
            Ty::Class(class, args) => Some(Ty::Instance(class, args)),
            Ty::Function(function, _) => Some(Ty::instance(function)),
            _ => None,
        }
    }

    /// The class that `x.constructor` is, of which the library says `Function`.
    pub(super) fn constructor_of(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Ty> {
        let receiver =
            file.reference(reference).receiver.filter(|_| file.ref_name(reference) == "constructor")?;
        match rx.expr_type(file, receiver) {
            Ty::Instance(class, args) if rx.def(class).kind == SymbolKind::Class => {
                Some(Ty::Class(class, args))
            }
            _ => None,
        }
    }

    /// `base[key]` where a member of the base is declared under the same computed name, `[key]: T`.
    pub(super) fn computed_member(rx: &Resolver, file: &FileView, base: ExprId, key: ExprId) -> Option<Ty> {
        let Expr::Ref(key) = file.expr(key) else { return None };
        let name = match file.reference(key).receiver.map(|e| file.expr(e)) {
            None => format!("[{}]", file.ref_name(key)),
            Some(Expr::Ref(space)) if file.reference(space).receiver.is_none() => {
                format!("[{}.{}]", file.ref_name(space), file.ref_name(key))
            }
            _ => return None,
        };
        let base = rx.expr_type(file, base);
        let members = base.parts().iter().flat_map(|part| EcmaPolicy.members(rx, file, part, &name));
        let types: Vec<Ty> = members
            .filter(|m| m.def().is_some_and(|m| *rx.def_name(m) == *name))
            .map(|member| member_type(rx, &member))
            .collect();
        (!types.is_empty()).then(|| Ty::union(types))
    }

    /// The value of `base.name` where every key of the base leads to the same type and none is declared.
    pub(super) fn value_of_any_key(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Ty> {
        let receiver = file.reference(reference).receiver?;
        let base = rx.expr_type(file, receiver);
        let found: Vec<Ty> = base.parts().iter().filter_map(Self::mapped_value).collect();
        let is_declared = || rx.resolve(file.global_ref(reference)).resolution.defs().next().is_some();
        (!found.is_empty() && !is_declared()).then(|| Ty::union(found))
    }

    /// The index signature of a type that says what its members of any name are.
    pub(super) fn of_any_name(rx: &Resolver, ty: &Ty) -> Option<Member> {
        rx.inherited_members(ty, INDEX).into_iter().find(|member| {
            let Some(def) = member.def() else { return false };
            let home = rx.file(def.file);
            let key = home.list(home.def(def.def).params).next().and_then(|key| home.def(key).ty);
            key.is_some_and(|key| matches!(rx.type_of(home, key), Ty::Primitive(key) if &*key == "string"))
        })
    }
}

/// An intersection with a union in it as a union of intersections.
fn distributed(ty: Ty) -> Vec<Ty> {
    let Ty::Intersection(parts) = &ty else { return vec![ty] };
    let Some(at) = parts.iter().position(|part| matches!(part, Ty::Union(_))) else { return vec![ty] };
    let with = |part: &Ty| {
        let mut all = parts.to_vec();
        all[at] = part.clone();
        Ty::Intersection(all.into())
    };
    parts[at].parts().iter().map(with).collect()
}
