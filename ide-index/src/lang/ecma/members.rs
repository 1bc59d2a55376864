//! The members of a type: merged declarations, members that are assigned from outside, `this`.

use ide_model::SymbolKind;
use rustc_hash::FxHashMap;

use super::assign::assigned;
use super::blocks::Blocks;
use super::policy::EcmaPolicy;
use super::types::INDEX;
use crate::facts::{DefFlags, DefId, Expectation, Expr, ExprId, RefId, ScopeId, ScopeKind};
use crate::resolve::{FileView, Member, Policy, Reason, Resolution, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// Types of which one is spread into an object: of more nothing is known.
const MAX_PARTS: usize = 16;

/// Members by their owners, both in their order.
pub(super) fn by_owner(members: &[Member]) -> Vec<Vec<&Member>> {
    if let [one] = members {
        return vec![vec![one]];
    }
    let mut all: Vec<Vec<&Member>> = Vec::new();
    let mut places: FxHashMap<&Ty, usize> = FxHashMap::default();
    for member in members {
        let place = *places.entry(&member.owner).or_insert(all.len());
        match all.get_mut(place) {
            Some(own) => own.push(member),
            None => all.push(vec![member]),
        }
    }
    all
}

impl EcmaPolicy {
    /// The type that iterating yields.
    pub(super) fn element_of(&self, rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
        match ty {
            Ty::Array(item) => (**item).clone(),
            Ty::Tuple(items) => Ty::union(items.iter().cloned()),
            Ty::Instance(class, _) => {
                let index = rx.own_members(*class, INDEX).first().map(|def| rx.def_type(*def));
                let index = index.map(|index| index.substitute(&rx.arguments_of(ty)));
                index.or_else(|| Self::yielded(rx, ty)).unwrap_or(Ty::Unknown)
            }
            Ty::Primitive(name) if &**name == "string" => ty.clone(),
            Ty::Union(parts) => Ty::union(parts.iter().map(|part| self.element(rx, file, part))),
            Ty::Intersection(parts) => {
                let mut held = parts.iter().map(|part| self.element(rx, file, part));
                held.find(|held| !held.is_unknown()).unwrap_or(Ty::Unknown)
            }
            Ty::External(..) if Self::is_operator(ty) => match Self::mapped_value(ty) {
                Some(value) => value,
                None => match Self::evaluated(rx, file, ty) {
                    evaluated if evaluated == *ty => Ty::Unknown,
                    evaluated => Ty::union(evaluated.parts().iter().map(|part| self.element(rx, file, part))),
                },
            },
            _ => rx.default_element(file, ty),
        }
    }

    /// `#name` of `#name in value`: the member of the nearest class around that declares it.
    pub(super) fn private_name(file: &FileView, reference: RefId) -> Resolution {
        let r = file.reference(reference);
        let classes = file.scope_chain(r.scope).filter(|scope| file.scope(*scope).kind == ScopeKind::Class);
        let mut declared = classes.filter_map(|class| file.in_scope(class, r.name).first());
        match declared.next() {
            Some(def) => Resolution::def(file.global(*def)),
            None => Resolution::unknown(Reason::NotFound),
        }
    }

    /// Declarations that count as one type: interfaces, classes, enums and namespaces of one name and scope.
    pub(super) fn merged(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(class.file);
        let d = file.def(class.def);
        if d.flags.has(DefFlags::ANONYMOUS) {
            return vec![class];
        }
        let merges = |k: SymbolKind| {
            k.is_type() && k != SymbolKind::TypeAlias
                || matches!(k, SymbolKind::Namespace | SymbolKind::Module | SymbolKind::Function)
        };
        let mut all = vec![class];
        for other in file.in_scope(d.scope, d.name) {
            if *other != class.def && merges(file.def(*other).kind) && merges(d.kind) {
                all.push(file.global(*other));
            }
        }
        let beside = Blocks::beside(rx, file, class);
        all.extend(beside.into_iter().filter(|other| merges(rx.def(*other).kind) && merges(d.kind)));
        all
    }

    /// Members that are assigned to a function or variable from outside: `F.m = …`, `F.prototype.m = …`, `this.m = …`.
    pub(super) fn attached(rx: &Resolver, owner: GlobalDef, name: &str, instance: bool) -> Vec<GlobalDef> {
        let file = rx.file(owner.file);
        let Some(name) = file.name_id(name) else { return Vec::new() };
        let owner_name = file.def(owner.def).name;
        // A value without a name goes by the variable that holds it.
        let is_held = file.has_flag(owner.def, DefFlags::ANONYMOUS)
            && match file.def(owner.def).kind {
                SymbolKind::Function => file.function_expr(owner.def).is_some(),
                SymbolKind::Object => true,
                _ => false,
            };
        let is_owner = |r: RefId| {
            let reference = file.reference(r);
            if is_held {
                let holder = rx.resolve(file.global_ref(r)).resolution.defs().next();
                return reference.receiver.is_none()
                    && holder.filter(|holder| holder.file == owner.file).is_some_and(|holder| {
                        let init = file.def(holder.def).init;
                        init.is_some_and(|value| Self::is_made_there(file, value, owner.def))
                    });
            }
            reference.name == owner_name && Self::is_declared_by(rx, file, r, owner)
        };
        file.attached_as(name)
            .iter()
            .copied()
            .filter(|d| {
                let Some(attach) = file.def(*d).attach else { return false };
                match file.expr(attach) {
                    Expr::This(scope) => {
                        let function = file.scope(scope).owner.filter(|_| instance);
                        function.is_some_and(|function| {
                            function == owner.def
                                || file.has_flag(function, DefFlags::ANONYMOUS)
                                    && Self::this_of_function(rx, file, function).def() == Some(owner)
                        })
                    }
                    Expr::Ref(r) => match file.reference(r).receiver.map(|e| file.expr(e)) {
                        None => is_owner(r),
                        Some(Expr::Ref(base)) => file.ref_name(r) == "prototype" && is_owner(base),
                        _ => false,
                    },
                    _ => false,
                }
            })
            .map(|d| file.global(d))
            .collect()
    }

    /// The function or class whose instances have a member that is assigned from outside; see [`Self::attached`].
    pub(super) fn attached_owner(rx: &Resolver, member: GlobalDef) -> Option<GlobalDef> {
        let file = rx.file(member.file);
        let owner = match file.expr(file.def(member.def).attach?) {
            Expr::This(scope) => file.global(file.scope(scope).owner?),
            Expr::Ref(r) if file.ref_name(r) == "prototype" => {
                let Expr::Ref(base) = file.expr(file.reference(r).receiver?) else { return None };
                rx.resolve(file.global_ref(base)).resolution.defs().next()?
            }
            _ => return None,
        };
        matches!(rx.kind(owner), SymbolKind::Function | SymbolKind::Class).then_some(owner)
    }

    /// Whether a value is a function or an object literal that stands there, perhaps behind assignments: `module.exports = {}`.
    pub(super) fn is_made_there(file: &FileView, value: ExprId, made: DefId) -> bool {
        matches!(assigned(file, value), Expr::Function(held) | Expr::Class(held) if held == made)
    }

    pub(super) fn is_declared_by(rx: &Resolver, file: &FileView, reference: RefId, owner: GlobalDef) -> bool {
        let resolved = rx.resolve(file.global_ref(reference));
        resolved.resolution.targets.contains(&Target::Def(owner))
    }

    pub(super) fn of_class(rx: &Resolver, ty: &Ty, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let as_value = matches!(ty, Ty::Class(..) | Ty::Function(..));
        Self::of_parts(rx, &Self::parts_with(rx, class, name), as_value, name)
    }

    /// Members of instances, then those of the class as a value.
    pub(super) fn of_both(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let parts = Self::parts_with(rx, class, name);
        let mut all = Self::of_parts(rx, &parts, false, name);
        all.extend(Self::of_parts(rx, &parts, true, name));
        all.dedup();
        all
    }

    /// The declarations that count as one type with a class, itself first; empty when none of their files has a
    /// member of this name.
    fn parts_with(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let file = rx.file(class.file);
        let is_alone =
            || file.has_flag(class.def, DefFlags::ANONYMOUS) || Blocks::beside(rx, file, class).is_empty();
        if file.name_id(name).is_none() && is_alone() { Vec::new() } else { Self::merged(rx, class) }
    }

    fn of_parts(rx: &Resolver, parts: &[GlobalDef], as_value: bool, name: &str) -> Vec<GlobalDef> {
        let Some(class) = parts.first().copied() else { return Vec::new() };
        let kind = rx.def(class).kind;
        let is_type = matches!(kind, SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Interface);
        let mut found = Vec::new();
        for part in parts.iter().copied() {
            let of_namespace = matches!(rx.def(part).kind, SymbolKind::Namespace | SymbolKind::Module);
            // The scope of a function holds its parameters, not its members.
            let members =
                if rx.def(part).kind.is_callable() { Vec::new() } else { rx.own_members(part, name) };
            for member in members {
                let d = rx.def(member);
                let is_static = d.flags.has(DefFlags::STATIC);
                let fits = if of_namespace {
                    // A value of a type has nothing of the namespace beside that.
                    (as_value || !is_type)
                        && (d.flags.has(DefFlags::EXPORTED) || Self::is_ambient(rx.file(part.file)))
                } else {
                    kind == SymbolKind::Object || kind == SymbolKind::Interface || is_static == as_value
                };
                if fits && d.kind != SymbolKind::TypeParameter {
                    found.push(member);
                }
            }
        }
        // An assignment through `this` declares nothing where a declaration stands.
        if found.iter().any(|m| !rx.def(*m).flags.has(DefFlags::ATTRIBUTE)) {
            found.retain(|m| !rx.def(*m).flags.has(DefFlags::ATTRIBUTE));
        }
        if found.is_empty() {
            found = Self::attached(rx, class, name, !as_value);
        }
        found
    }

    /// Members of the type or its nearest supertype that has one, of instances or of the class as a value; the other
    /// ones where there are none.
    pub(super) fn members_along(rx: &Resolver, ty: &Ty, name: &str) -> Vec<Member> {
        let line = rx.linearization(ty);
        for owner in line.iter() {
            let Some(class) = owner.def() else { continue };
            let found = Self::of_class(rx, owner, class, name);
            if !found.is_empty() {
                let member = |def| Member { owner: rx.part_with(def, owner, &line), ..Member::plain(def) };
                return found.into_iter().map(member).collect();
            }
        }
        rx.inherited_members(ty, name)
    }

    /// A value that is spread into an object literal may be one of several things; the last spread wins.
    pub(super) fn supers_of(rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        let file = rx.file(class.file);
        let mut parts = Vec::new();
        for ty in rx.declared_supers(class) {
            match Self::evaluated(rx, file, &ty) {
                Ty::Union(all) | Ty::Intersection(all) if all.len() <= MAX_PARTS => {
                    parts.extend(all.iter().cloned())
                }
                evaluated => parts.push(evaluated),
            }
        }
        if rx.def(class).kind == SymbolKind::Object {
            parts.reverse();
        }
        parts
    }

    /// The return type of the getter beside a setter.
    pub(super) fn got(rx: &Resolver, file: &FileView, setter: DefId) -> Option<Ty> {
        let s = file.def(setter);
        let is_static = s.flags.has(DefFlags::STATIC);
        let is_getter = |d: &&DefId| {
            file.has_flag(**d, DefFlags::GETTER) && file.has_flag(**d, DefFlags::STATIC) == is_static
        };
        let getter = file.in_scope(s.scope, s.name).iter().find(is_getter)?;
        Some(rx.return_type(file.global(*getter)))
    }

    /// The declarations that are one symbol with this one: a type and a value of one name, a parameter and its property.
    pub(super) fn one_symbol(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.flags.has(DefFlags::ANONYMOUS) || d.attach.is_some() {
            return vec![def];
        }
        if d.scope == ScopeId(0) && Self::library_name(rx, def).is_some() {
            return Self::globals(rx, file.def_name(def.def)).to_vec();
        }
        let is_member = file.scope(d.scope).kind == ScopeKind::Class;
        let same = |other: &DefId| {
            let o = file.def(*other);
            // A type and a value of one name in one scope are one symbol.
            let one_symbol = !is_member || o.flags.has(DefFlags::STATIC) == d.flags.has(DefFlags::STATIC);
            one_symbol && o.kind != SymbolKind::Import
        };
        let mut all: Vec<GlobalDef> =
            file.in_scope(d.scope, d.name).iter().copied().filter(same).map(|o| file.global(o)).collect();
        // A promoted parameter and its property stand at one place.
        let here = file.by_place().names.at(d.name_range).filter(|o| file.def(*o).name == d.name);
        all.extend(here.filter(|o| *o != def.def).map(|o| file.global(o)));
        all.sort_unstable();
        all.dedup();
        let mut all = if all.contains(&def) { all } else { vec![def] };
        let beside = Blocks::beside(rx, file, def);
        if let Some(first) = beside.first() {
            // The file that is named has what others add to.
            let at = if rx.def(*first).scope == ScopeId(0) { 0 } else { all.len() };
            all.splice(at..at, beside);
        }
        all
    }

    /// The other declarations of a class or interface in its scope.
    pub(super) fn parts_beside(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        let has_supers = |k: SymbolKind| {
            matches!(k, SymbolKind::Interface | SymbolKind::Class | SymbolKind::AbstractClass)
        };
        if !has_supers(rx.def(class).kind) {
            return Vec::new();
        }
        let parts = Self::merged(rx, class).into_iter();
        parts.filter(|part| *part != class && has_supers(rx.def(*part).kind)).collect()
    }

    /// The construct signatures of a value, with the types that have them.
    pub(super) fn construct_signatures(rx: &Resolver, value: &Ty) -> impl Iterator<Item = (GlobalDef, Ty)> {
        let instances = value.parts().iter().filter(|part| matches!(part, Ty::Instance(..)));
        let named = instances.flat_map(|part| rx.inherited_members(part, "new"));
        let all = named.filter_map(|member| Some((member.def()?, member.owner)));
        all.filter(|(def, _)| rx.def(*def).flags.has(DefFlags::SYNTHETIC))
    }

    /// The result of the first construct signature of a value.
    pub(super) fn constructed(rx: &Resolver, file: &FileView, value: &Ty) -> Option<Ty> {
        let (signature, owner) = Self::construct_signatures(rx, value).next()?;
        let (_, result) = rx.signature(file, &Ty::Function(signature, None))?;
        Some(result.substitute(&rx.arguments_of(&owner)))
    }

    /// The type that `new` makes of a value of this type. `new () => T` is written down as a function's type.
    pub(super) fn made_of(rx: &Resolver, file: &FileView, value: &Ty) -> Option<Ty> {
        match value {
            Ty::Class(..) | Ty::ExternalName(_) => Some(value.clone().instantiate()),
            Ty::Callable { result, .. } => Some(Ty::clone(result)),
            Ty::Instance(..) => Self::constructed(rx, file, value),
            Ty::Intersection(parts) => {
                let made: Vec<Ty> = parts.iter().filter_map(|part| Self::made_of(rx, file, part)).collect();
                (!made.is_empty()).then(|| Ty::Intersection(made.into()))
            }
            _ => None,
        }
    }

    /// The type of `this` in a function that is no method: the object that the function is assigned to.
    pub(super) fn this_of_function(rx: &Resolver, file: &FileView, function: DefId) -> Ty {
        let d = file.def(function);
        if !d.flags.has(DefFlags::ANONYMOUS) {
            return Ty::instance(file.global(function));
        }
        let Some(value) = file.function_expr(function) else { return Ty::Unknown };
        // A property of an object literal that holds the function.
        if let Some(Expectation::Init(property)) = file.expectation(value)
            && let Some(object) = file.scope(file.def(property).scope).owner
            && file.scope(file.def(property).scope).kind == ScopeKind::Class
        {
            return Ty::instance(file.global(object));
        }
        let assigned = file.attached().iter().filter(|def| file.def(**def).init == Some(value)).min();
        let Some(attach) = assigned.and_then(|def| file.def(*def).attach) else { return Ty::Unknown };
        if let Expr::Ref(r) = file.expr(attach)
            && file.ref_name(r) == "prototype"
            && let Some(base) = file.reference(r).receiver
        {
            return rx.expr_type(file, base).def().map_or(Ty::Unknown, Ty::instance);
        }
        rx.expr_type(file, attach)
    }
}
