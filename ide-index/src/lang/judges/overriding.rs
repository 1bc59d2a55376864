//! Members that override others, and whether they say so.

use ide_model::{Language, SymbolKind, Visibility};

use super::fixed::generates_members;
use super::{erased, is_conditional, is_own, knows_supers};
use crate::facts::{Def, DefFlags, DefId, Expr, RefFlags, Role, ScopeKind, SuperKind};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// The class that a member stands in directly.
fn class_of(file: &FileView, def: &Def) -> Option<DefId> {
    let scope = file.scope(def.scope);
    scope.owner.filter(|_| scope.kind == ScopeKind::Class)
}

/// The types above a class; `None` where one of them is not known wholly.
pub(super) fn known_above(rx: &Resolver, class: GlobalDef, language: Language) -> Option<Vec<GlobalDef>> {
    let ty = Ty::instance(class);
    if !knows_supers(rx, &ty) {
        return None;
    }
    let line = rx.linearization(&ty);
    let above: Vec<GlobalDef> = line.iter().skip(1).filter_map(Ty::def).collect();
    let is_read = |of: &GlobalDef| rx.language_of(*of) == language && !generates_members(rx.file(of.file));
    above.iter().all(is_read).then_some(above)
}

/// Whether a class says at least one supertype, where it must to override anything.
fn has_supers(file: &FileView, class: DefId) -> bool {
    !file.def(class).supers.is_empty()
}

pub(super) fn members_named(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
    let view = rx.file(class.file);
    let Some(body) = view.def(class.def).body else { return Vec::new() };
    view.named_in_scope(body, name).iter().map(|id| view.global(*id)).collect()
}

fn is_annotated(file: &FileView, def: &Def, with: &str) -> bool {
    file.list(def.decorators).any(|decorator| {
        let name = match file.expr(decorator) {
            Expr::Call { callee, .. } => file.expr(callee),
            other => other,
        };
        match name {
            Expr::Ref(name) => file.ref_name(name) == with,
            Expr::New { ty, .. } => {
                matches!(file.ty(ty), crate::facts::TypeExpr::Named { name, .. } if file.ref_name(name) == with)
            }
            _ => false,
        }
    })
}

pub(super) fn java(rx: &Resolver, file: &FileView, id: DefId) -> bool {
    const OF_OBJECTS: [&str; 5] = ["equals", "hashCode", "toString", "clone", "finalize"];
    let def = file.def(id);
    if def.kind != SymbolKind::Method
        || def.flags.has(DefFlags::SYNTHETIC)
        || !is_annotated(file, def, "Override")
    {
        return false;
    }
    let name = file.def_name(id);
    let Some(class) = class_of(file, def).filter(|_| !OF_OBJECTS.contains(&name)) else { return false };
    let own = file.def(class);
    let is_nameless = own.flags.has(DefFlags::ANONYMOUS) && !has_supers(file, class);
    let is_kind = matches!(
        own.kind,
        SymbolKind::Class
            | SymbolKind::AbstractClass
            | SymbolKind::Enum
            | SymbolKind::Interface
            | SymbolKind::Record
    );
    // The accessor of a component.
    let is_accessor = own.kind == SymbolKind::Record && def.params.is_empty();
    if is_nameless || !is_kind || is_accessor || generates_members(file) {
        return false;
    }
    let count = def.params.len;
    known_above(rx, file.global(class), Language::Java).is_some_and(|above| {
        let is_base =
            |member: &GlobalDef| rx.kind(*member).is_callable() && rx.def(*member).params.len == count;
        !above.iter().any(|of| members_named(rx, *of, name).iter().any(is_base))
    })
}

/// The classes above a class of Kotlin that are all the project's own.
fn own_above(rx: &Resolver, class: GlobalDef) -> Option<Vec<GlobalDef>> {
    let above = known_above(rx, class, Language::Kotlin)?;
    let is_any = |of: &GlobalDef| rx.def_name(*of) == "Any";
    let is_plain = |of: &GlobalDef| {
        let odd = [DefFlags::EXPECT, DefFlags::ACTUAL];
        is_any(of) || is_own(rx, *of) && !odd.iter().any(|flag| rx.has_flag(*of, *flag))
    };
    above.iter().all(is_plain).then_some(above)
}

fn kotlin_class(file: &FileView, def: &Def) -> Option<GlobalDef> {
    let class = class_of(file, def)?;
    let own = file.def(class);
    let is_plain = !own.flags.has(DefFlags::ANONYMOUS)
        && !own.flags.has(DefFlags::EXPECT)
        && !own.flags.has(DefFlags::ACTUAL)
        && !own.name_range.is_empty()
        && matches!(
            own.kind,
            SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Object | SymbolKind::Interface
        );
    is_plain.then(|| file.global(class))
}

pub(super) fn kotlin(rx: &Resolver, file: &FileView, id: DefId) -> bool {
    let def = file.def(id);
    let name = file.def_name(id);
    let is_member = matches!(def.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Function);
    if !is_member
        || !def.flags.has(DefFlags::OVERRIDE)
        || def.flags.has(DefFlags::SYNTHETIC)
        || matches!(name, "equals" | "hashCode" | "toString")
    {
        return false;
    }
    let above = kotlin_class(file, def).and_then(|class| own_above(rx, class));
    above.is_some_and(|above| {
        let is_base = |member: &GlobalDef| {
            let kind = rx.kind(*member);
            kind.is_callable() == def.kind.is_callable()
                && (!kind.is_callable() || rx.def(*member).params.len == def.params.len)
        };
        !above.iter().any(|of| members_named(rx, *of, name).iter().any(is_base))
    })
}

/// A member of Kotlin that has the signature of one above it and not the word `override`.
pub(super) fn lacks_override(rx: &Resolver, file: &FileView, id: DefId) -> bool {
    let def = file.def(id);
    let odd = [
        DefFlags::OVERRIDE,
        DefFlags::SYNTHETIC,
        DefFlags::EXTENSION,
        DefFlags::ACTUAL,
        DefFlags::EXPECT,
        DefFlags::LOCAL,
        DefFlags::ANONYMOUS,
    ];
    let is_member = matches!(def.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Function);
    if !is_member
        || odd.iter().any(|flag| def.flags.has(*flag))
        || def.visibility == Some(Visibility::Private)
    {
        return false;
    }
    let Some(class) = kotlin_class(file, def).filter(|class| !rx.def(*class).supers.is_empty()) else {
        return false;
    };
    let is_same = |member: &GlobalDef| {
        let (base, view) = (rx.def(*member), rx.file(member.file));
        let hidden = [DefFlags::EXTENSION, DefFlags::SYNTHETIC];
        let types = |view: &FileView, of: &Def| -> Option<Vec<Ty>> {
            view.list(of.params).map(|param| erased(&rx.type_of(view, view.def(param).ty?))).collect()
        };
        base.kind.is_callable() == def.kind.is_callable()
            && !hidden.iter().any(|flag| base.flags.has(*flag))
            && base.visibility != Some(Visibility::Private)
            && base.type_params.len == def.type_params.len
            && base.params.len == def.params.len
            && types(file, def).is_some_and(|own| types(view, base) == Some(own))
    };
    own_above(rx, class).is_some_and(|above| {
        let name = file.def_name(id);
        above.iter().filter(|of| is_own(rx, **of)).any(|of| members_named(rx, *of, name).iter().any(is_same))
    })
}

/// A member of an implementation that the trait does not have.
pub(super) fn rust(rx: &Resolver, file: &FileView, id: DefId) -> bool {
    let def = file.def(id);
    let is_item = matches!(
        def.kind,
        SymbolKind::Method | SymbolKind::Function | SymbolKind::TypeAlias | SymbolKind::Constant
    );
    if !is_item || def.name_range.is_empty() || def.flags.has(DefFlags::SYNTHETIC) || is_conditional(file, id)
    {
        return false;
    }
    let Some(block) = class_of(file, def).filter(|block| file.def(*block).kind == SymbolKind::Impl) else {
        return false;
    };
    let Some(edge) = file.list(file.def(block).supers).find(|edge| edge.kind == SuperKind::Implements) else {
        return false;
    };
    let Some(of) = rx.type_of(file, edge.ty).def() else { return false };
    let view = rx.file(of.file);
    let Some(body) = view.def(of.def).body.filter(|_| is_own(rx, of) && rx.kind(of) == SymbolKind::Trait)
    else {
        return false;
    };
    let is_made = |view: &FileView, scope| {
        view.ref_ids().any(|id| {
            let reference = view.reference(id);
            reference.scope == scope && reference.role == Role::Macro
        })
    };
    let in_macro = view.named_in_scope(crate::facts::ScopeId(0), rx.def_name(of)).is_empty()
        && view.def(of.def).scope == crate::facts::ScopeId(0);
    view.def(of.def).decorators.is_empty()
        && file.def(block).decorators.is_empty()
        && def.decorators.is_empty()
        && !in_macro
        && !is_made(view, body)
        && !is_made(file, def.scope)
        && view.named_in_scope(body, file.def_name(id)).is_empty()
}

/// Whether a name that needs an object stands in a static method of its class.
pub(super) fn needs_object(
    rx: &Resolver,
    file: &FileView,
    reference: crate::facts::RefId,
    def: GlobalDef,
) -> bool {
    let (named, own) = (file.reference(reference), rx.def(def));
    let is_of_objects = matches!(own.kind, SymbolKind::Method | SymbolKind::Field)
        && ![DefFlags::STATIC, DefFlags::SYNTHETIC, DefFlags::LOCAL].iter().any(|flag| own.flags.has(*flag))
        && rx.language_of(def) == Language::Java;
    if !is_of_objects || named.flags.has(RefFlags::METHOD_REF) {
        return false;
    }
    if let Some(receiver) = named.receiver {
        // `Outer.this` and `Outer.super` are objects.
        return matches!(file.expr(receiver), Expr::Ref(_))
            && matches!(rx.expr_type(file, receiver), Ty::Class(..))
            && own.kind == SymbolKind::Method
            && is_own(rx, def);
    }
    let Some(owner) = rx.owner_class(def) else { return false };
    let mut member = None;
    for scope in file.scope_chain(named.scope).map(|scope| file.scope(scope)) {
        match (scope.kind, scope.owner) {
            (ScopeKind::Function, Some(function)) => member = Some(function),
            (ScopeKind::Class, Some(class)) => {
                let class = file.global(class);
                let is_here = || {
                    class == owner
                        || rx.linearization(&Ty::instance(class)).iter().any(|of| of.def() == Some(owner))
                };
                let is_static = |id: DefId| {
                    let def = file.def(id);
                    def.kind == SymbolKind::Method
                        && def.flags.has(DefFlags::STATIC)
                        && !def.flags.has(DefFlags::ANONYMOUS)
                };
                return member.is_some_and(is_static) && is_here();
            }
            (ScopeKind::Class, None) => return false,
            _ => {}
        }
    }
    false
}
