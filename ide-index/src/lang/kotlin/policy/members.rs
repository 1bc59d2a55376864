//! Members of types: declared, inherited, of companions; properties that Java's accessors are.

use std::sync::Arc;

use ide_model::{Confidence, Language, SymbolKind, Visibility};

use super::given::{as_java, given};
use super::jvm::accessor_endings;
use super::lookup::declared_receiver;
use super::names::{kotlin, library};
use super::types::from_java;
use crate::facts::{DefFlags, NameId, Role, TypeExpr};
use crate::guard;
use crate::lang::java::members::{functional_method, same_signature};
use crate::lang::java::names::member_type;
use crate::lang::java::tops::Tops;
use crate::resolve::{Args, FileView, Recent, Resolution, Resolved, Resolver, Target, Ty, Types};
use crate::world::{FileId, GlobalDef};

/// A declaration that a name could mean.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) target: Target,
    /// The supertype (with arguments) that declares it.
    pub(super) owner: Ty,
    /// The value that an extension is called on.
    pub(super) receiver: Ty,
    pub(super) confidence: Confidence,
}

impl Candidate {
    pub(super) fn of(def: GlobalDef, owner: Ty) -> Self {
        Self { target: Target::Def(def), owner, receiver: Ty::Unknown, confidence: Confidence::Exact }
    }

    pub(super) fn plain(target: Target) -> Self {
        Self { target, owner: Ty::Unknown, receiver: Ty::Unknown, confidence: Confidence::Exact }
    }

    pub(super) fn def(&self) -> Option<GlobalDef> {
        match self.target {
            Target::Def(def) => Some(def),
            _ => None,
        }
    }

    /// The owner that the resolver passes on beside the target: for an extension both receivers.
    pub(super) fn owner(&self) -> Ty {
        if self.receiver.is_unknown() {
            self.owner.clone()
        } else {
            Ty::Tuple(Types::from([self.owner.clone(), self.receiver.clone()]))
        }
    }
}

/// Direct supertypes: those written, and those the language adds.
pub(super) fn supers(rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
    let file = rx.file(class.file);
    let d = file.def(class.def);
    // The body of an enum entry.
    if d.flags.has(DefFlags::ANONYMOUS)
        && matches!(file.list(d.supers).next().map(|s| file.ty(s.ty)), Some(TypeExpr::This))
    {
        let owner = file.enclosing_class(d.scope).map(|(_, owner)| Ty::instance(file.global(owner)));
        return owner.into_iter().collect();
    }
    let mut all = rx.declared_supers(class);
    all.retain(|ty| !ty.is_unknown());
    if d.kind == SymbolKind::Enum {
        all.insert(0, library(rx, file, "kotlin", "Enum", vec![Ty::instance(class)]));
    }
    let is_any = file.def_name(class.def) == "Any" && super::names::package_of(file) == "kotlin";
    if all.is_empty() && !is_any {
        all.push(kotlin(rx, file, "Any"));
    }
    all
}

/// The companion object of a class, or of the nearest superclass with one that has the member.
pub(super) fn companion(rx: &Resolver, class: GlobalDef) -> Option<GlobalDef> {
    let file = rx.file(class.file);
    let body = file.def(class.def).body?;
    let companion = file
        .all_in_scope(body)
        .iter()
        .find(|d| file.def(**d).kind == SymbolKind::Object && file.has_flag(**d, DefFlags::COMPANION))?;
    Some(file.global(*companion))
}

/// The members that are reached through the name of a class: nested types, enum entries, Java's statics, and the
/// members of the companion.
pub(super) fn static_members(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<Candidate> {
    let file = rx.file(class.file);
    let kind = file.def(class.def).kind;
    if kind == SymbolKind::TypeAlias {
        let aliased = rx.type_of_def(class, Args::default()).def();
        return aliased.filter(|d| *d != class).map_or(Vec::new(), |d| static_members(rx, d, name));
    }
    let mut found = Vec::new();
    if kind == SymbolKind::Object {
        found = members_of(rx, file, &Ty::instance(class), name);
    }
    found.extend(own_static_members(rx, class, name));
    if found.is_empty() {
        let is_enum = kind == SymbolKind::Enum;
        for owner in rx.linearization(&Ty::instance(class)).iter().filter_map(Ty::def) {
            // Members of Java's root of all enums are not Kotlin's.
            if is_enum && in_java_lang(rx, owner) {
                continue;
            }
            let in_java = || owner != class && rx.language_of(owner) == Language::Java;
            let inherited =
                rx.own_members(owner, name).into_iter().filter(|d| in_java() && is_static(rx, *d));
            found.extend(inherited.map(|def| Candidate::of(def, Ty::class(owner))));
            if let Some(companion) = inherited_companion(rx, class, owner) {
                found.extend(members_of(rx, file, &Ty::instance(companion), name));
            }
            if !found.is_empty() {
                break;
            }
        }
    }
    if found.is_empty() {
        found.extend(member_type(rx, class, name).map(|def| Candidate::plain(Target::Def(def))));
    }
    found
}

/// The companion of a class or of one above it: those of interfaces are not in scope below.
fn inherited_companion(rx: &Resolver, class: GlobalDef, above: GlobalDef) -> Option<GlobalDef> {
    let is_in_scope = above == class || rx.kind(above) != SymbolKind::Interface;
    is_in_scope.then(|| companion(rx, above)).flatten()
}

/// The members of superclasses' companions under a name, nearest first.
pub(super) fn in_companions_above(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<Vec<Candidate>> {
    let file = rx.file(class.file);
    let line = rx.linearization(&Ty::instance(class));
    let above = line.iter().skip(1).filter_map(Ty::def);
    let companions = above.filter_map(|above| inherited_companion(rx, class, above));
    companions.map(|companion| members_of(rx, file, &Ty::instance(companion), name)).collect()
}

fn own_static_members(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<Candidate> {
    let own = rx.own_members(class, name).into_iter().filter(|def| is_static(rx, *def));
    own.map(|def| Candidate::of(def, Ty::class(class))).collect()
}

fn is_static(rx: &Resolver, def: GlobalDef) -> bool {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    match d.kind {
        SymbolKind::EnumCase => true,
        SymbolKind::TypeParameter | SymbolKind::Constructor => false,
        kind if kind.is_type() => true,
        _ => file.language() == Language::Java && d.flags.has(DefFlags::STATIC),
    }
}

/// The members that files asked for last.
struct Named(Recent<(FileId, NameId, Ty), Arc<[Candidate]>>);

/// [`members_of`] for a name that a file has.
pub(super) fn members_named(rx: &Resolver, from: &FileView, ty: &Ty, name: NameId) -> Vec<Candidate> {
    if !matches!(ty, Ty::Instance(..)) {
        return members_of(rx, from, ty, from.name(name));
    }
    let known = rx.extension(|_| Named(Recent::new(2048)));
    let found =
        known.0.answer(rx, (from.id, name, ty.clone()), || members_of(rx, from, ty, from.name(name)).into());
    found.to_vec()
}

/// The static members that files asked for last.
struct Statics(Recent<(FileId, NameId, GlobalDef), Arc<[Candidate]>>);

/// [`static_members`] for a name that a file has.
pub(super) fn static_members_named(
    rx: &Resolver,
    from: &FileView,
    class: GlobalDef,
    name: NameId,
) -> Vec<Candidate> {
    let known = rx.extension(|_| Statics(Recent::new(2048)));
    let found =
        known.0.answer(rx, (from.id, name, class), || static_members(rx, class, from.name(name)).into());
    found.to_vec()
}

/// Members of that name that a value of a type has; overridden ones are left out, extensions among them are in.
pub(super) fn members_of(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Candidate> {
    match ty {
        Ty::Instance(def, _) => {
            let found = class_members(rx, from, ty, name);
            if !found.is_empty() {
                return found;
            }
            if rx.kind(*def) == SymbolKind::Object {
                return own_static_members(rx, *def, name);
            }
            match as_java(rx, from, ty, name) {
                Some(java) => class_members(rx, from, &java, name),
                None => given(rx, ty, name),
            }
        }
        Ty::Class(def, _) => {
            let found = static_members(rx, *def, name);
            if found.is_empty() { given(rx, ty, name) } else { found }
        }
        Ty::Param(def) => guard::deeper(|| members_of(rx, from, &bound(rx, *def), name)).unwrap_or_default(),
        Ty::Intersection(parts) | Ty::Union(parts) => {
            let mut all: Vec<Candidate> = Vec::new();
            for part in parts.iter() {
                for member in members_of(rx, from, part, name) {
                    if !all.iter().any(|m| m.target == member.target) {
                        all.push(member);
                    }
                }
                // The first part of an intersection is the more special one.
                if matches!(ty, Ty::Intersection(_)) && !all.is_empty() {
                    break;
                }
            }
            all
        }
        Ty::Package(package) => {
            let found = super::names::in_package(rx, from, &Tops::of(rx, name), name, package);
            found.into_iter().map(Candidate::plain).collect()
        }
        Ty::Array(_) | Ty::Primitive(_) => {
            let mapped = from_java(rx, from, ty);
            if mapped == *ty { Vec::new() } else { members_of(rx, from, &mapped, name) }
        }
        _ => Vec::new(),
    }
}

/// The bound of a type parameter.
pub(super) fn bound(rx: &Resolver, param: GlobalDef) -> Ty {
    let file = rx.file(param.file);
    let ty = file.def(param.def).ty.map(|ty| rx.type_of(file, ty));
    match ty {
        Some(Ty::Param(def)) if def == param => Ty::Unknown,
        Some(other) => from_java(rx, file, &other),
        None => kotlin(rx, file, "Any"),
    }
}

fn class_members(rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let line = rx.linearization(ty);
    for (at, owner) in line.iter().enumerate() {
        let Some(class) = owner.def() else { continue };
        let file = rx.file(class.file);
        let in_java = file.language() == Language::Java;
        let mut here = rx.own_members(class, name);
        // Kotlin's own root class has not what Java's has.
        let is_root = in_java && file.def_name(class.def) == "Object" && in_java_lang(rx, class);
        if is_root && !matches!(name, "equals" | "hashCode" | "toString") {
            continue;
        }
        here.retain(|def| {
            let d = file.def(def.def);
            let is_inner = d.kind.is_type() && d.flags.has(DefFlags::INNER);
            is_inner
                || !is_static(rx, *def)
                    && !matches!(
                        d.kind,
                        SymbolKind::Constructor | SymbolKind::TypeParameter | SymbolKind::Import
                    )
                    && !d.kind.is_type()
                    && can_touch(rx, from, *def, Some(class) != ty.def())
        });
        // A method of the property's name may stand beside its getter: `limit(4).limit`.
        if here.iter().all(|def| rx.kind(*def).is_callable())
            && in_java
            && let Some(getter) = accessor(rx, class, name).filter(|getter| !here.contains(getter))
        {
            let own = |ty: &Ty| getter_of(rx, ty.def()?, rx.def_name(getter));
            here.push(line[..at].iter().find_map(own).unwrap_or(getter));
        }
        for def in here {
            if !is_hidden(rx, &found, owner, def) {
                found.push(Candidate::of(def, owner.clone()));
            }
        }
    }
    found
}

fn in_java_lang(rx: &Resolver, class: GlobalDef) -> bool {
    super::names::package_of(rx.file(class.file)) == "java.lang"
}

/// The getter that Kotlin reads as a property.
fn accessor(rx: &Resolver, class: GlobalDef, property: &str) -> Option<GlobalDef> {
    if property.starts_with(char::is_uppercase) {
        return None;
    }
    let is_form = property.strip_prefix("is").filter(|rest| rest.starts_with(|c: char| !c.is_lowercase()));
    let getters = accessor_endings(property).into_iter().map(|ending| format!("get{ending}"));
    let names = getters.chain(is_form.map(|_| property.to_owned()));
    names.into_iter().find_map(|name| getter_of(rx, class, &name))
}

/// The meaning of a name that is written to: instead of a getter of Java, or along with it, the setter beside
/// it.
pub(super) fn as_written(rx: &Resolver, role: Role, found: Resolved) -> Resolved {
    let Some(Target::Def(getter)) = found.resolution.targets.first().cloned() else { return found };
    let Some(setter) = setter_beside(rx, getter, &found.owner) else { return found };
    let targets = match role {
        Role::ReadWrite => [getter, setter].into_iter().map(Target::Def).collect(),
        _ => std::iter::once(Target::Def(setter)).collect(),
    };
    Resolved { resolution: Resolution { targets, ..found.resolution }, ..found }
}

/// The setter by which Kotlin writes the property that a getter of Java is read as.
fn setter_beside(rx: &Resolver, getter: GlobalDef, owner: &Ty) -> Option<GlobalDef> {
    if rx.kind(getter) != SymbolKind::Method || !is_read(rx, getter) {
        return None;
    }
    let name = rx.def_name(getter);
    let setter = format!("set{}", name.strip_prefix("get").or_else(|| name.strip_prefix("is"))?);
    let (dispatch, _) = super::infer::unpack(owner);
    let class = dispatch.def().or_else(|| rx.owner_class(getter))?;
    let line = rx.linearization(&rx.self_type(class));
    let all = line.iter().filter_map(Ty::def).flat_map(|class| rx.own_members(class, &setter));
    all.into_iter().find(|def| {
        let d = rx.def(*def);
        d.kind == SymbolKind::Method && d.params.len == 1 && !d.flags.has(DefFlags::STATIC)
    })
}

/// The type of what is written by a setter of Java alone.
pub(super) fn written_type(rx: &Resolver, file: &FileView, written: &Resolved) -> Option<Ty> {
    let setter = written.resolution.defs().next().filter(|def| {
        let name = rx.def_name(*def);
        rx.kind(*def) == SymbolKind::Method && rx.def(*def).params.len == 1 && name.starts_with("set")
    })?;
    let (dispatch, _) = super::infer::unpack(&written.owner);
    let ty = rx.def_type(rx.parameter_at(setter, 0)?);
    Some(from_java(rx, file, &ty).substitute(&rx.arguments_of(&dispatch)))
}

/// The method of a class that takes nothing.
fn getter_of(rx: &Resolver, class: GlobalDef, name: &str) -> Option<GlobalDef> {
    rx.own_members(class, name).into_iter().find(|def| {
        let d = rx.def(*def);
        d.kind == SymbolKind::Method && d.params.is_empty() && !d.flags.has(DefFlags::STATIC)
    })
}

/// Whether a method is read as a property: a getter of Java, or what overrides one under the same name.
pub(super) fn is_read(rx: &Resolver, method: GlobalDef) -> bool {
    let name = rx.def_name(method);
    let d = rx.def(method);
    if !(name.starts_with("get") || name.starts_with("is")) || !d.params.is_empty() {
        return false;
    }
    let in_java = |class| rx.language_of(class) == Language::Java;
    in_java(method)
        || d.flags.has(DefFlags::OVERRIDE)
            && rx.owner_class(method).is_some_and(|owner| {
                let line = rx.linearization(&rx.self_type(owner));
                line.iter().filter_map(Ty::def).any(|c| in_java(c) && getter_of(rx, c, name).is_some())
            })
}

/// A component of a record of Java, which its accessor has no declaration beside.
pub(super) fn is_component(rx: &Resolver, def: GlobalDef) -> bool {
    rx.language_of(def) == Language::Java && rx.has_flag(def, DefFlags::PROMOTED)
}

/// Whether a member is visible: private ones in their file only.
fn can_touch(rx: &Resolver, from: &FileView, def: GlobalDef, inherited: bool) -> bool {
    if def.file == from.id {
        return true;
    }
    let file = rx.file(def.file);
    let d = file.def(def.def);
    match d.visibility {
        Some(Visibility::Private) => is_component(rx, def),
        Some(Visibility::Package) => {
            !inherited || file.package.map(|p| file.name(p)) == from.package.map(|p| from.name(p))
        }
        _ => true,
    }
}

fn is_hidden(rx: &Resolver, found: &[Candidate], owner: &Ty, later: GlobalDef) -> bool {
    let file = rx.file(later.file);
    let b = file.def(later.def);
    found.iter().any(|member| {
        let Some(earlier) = member.def() else { return false };
        let earlier_file = rx.file(earlier.file);
        let a = earlier_file.def(earlier.def);
        if a.scope == b.scope && earlier.file == later.file {
            return false;
        }
        if a.kind.is_callable() != b.kind.is_callable() || a.receiver.is_some() != b.receiver.is_some() {
            return false;
        }
        !a.kind.is_callable() || same_signature(rx, (earlier, &member.owner), (later, owner))
    })
}

/// The method by which a lambda implements an interface, with the supertype that declares it.
pub(super) fn single_method(rx: &Resolver, ty: &Ty) -> Option<(GlobalDef, Ty)> {
    let class = ty.def().filter(|_| matches!(ty, Ty::Instance(..)))?;
    let file = rx.file(class.file);
    let d = file.def(class.def);
    let is_functional = d.kind == SymbolKind::Interface
        && (file.language() == Language::Java || d.flags.has(DefFlags::FUN_INTERFACE));
    is_functional.then(|| functional_method(rx, ty)).flatten()
}

/// The function type that a functional interface takes over without a method of its own.
pub(super) fn inherited_function(rx: &Resolver, ty: &Ty) -> Option<Ty> {
    let class = ty.def().filter(|_| matches!(ty, Ty::Instance(..)))?;
    let is_functional = rx.has_flag(class, DefFlags::FUN_INTERFACE);
    let line = is_functional.then(|| rx.linearization(ty))?;
    line.iter().find(|ty| matches!(ty, Ty::Callable { .. })).cloned()
}

/// Whether a lambda can be a value of the type, which is no function type.
pub(super) fn is_functional(rx: &Resolver, ty: &Ty) -> bool {
    single_method(rx, ty).is_some() || inherited_function(rx, ty).is_some()
}

/// Whether `method` overrides or implements `base`, seen from the class that has both.
pub(super) fn overrides(rx: &Resolver, of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
    let (file, base_file) = (rx.file(method.file), rx.file(base.file));
    let (m, b) = (file.def(method.def), base_file.def(base.def));
    let in_java = base_file.language() == Language::Java;
    if b.visibility == Some(Visibility::Private)
        || m.kind.is_callable() != b.kind.is_callable()
        || matches!(m.kind, SymbolKind::Constructor | SymbolKind::TypeParameter)
        || m.kind.is_type()
        || in_java && b.flags.has(DefFlags::STATIC)
        || m.receiver.is_some() != b.receiver.is_some()
        || m.params.len != b.params.len
    {
        return false;
    }
    let line = rx.linearization(&rx.self_type(of));
    let seen = |member| {
        let owner = rx.owner_class(member)?;
        line.iter().find(|ty| ty.def() == Some(owner))
    };
    let (Some(class), Some(base_class)) = (seen(method), seen(base)) else { return false };
    if !m.kind.is_callable() {
        return true;
    }
    let (own, inherited) = (rx.arguments_of(class), rx.arguments_of(base_class));
    if let (Some(p), Some(q)) = (declared_receiver(rx, method), declared_receiver(rx, base))
        && !super::types::same_receiver(rx, file, &p.substitute(&own), &q.substitute(&inherited))
    {
        return false;
    }
    file.list(m.params).zip(base_file.list(b.params)).all(|(p, q)| {
        let p = rx.def_type(file.global(p)).substitute(&own);
        let q = rx.def_type(base_file.global(q)).substitute(&inherited);
        super::types::same_type(rx, file, &p, &q)
    })
}
