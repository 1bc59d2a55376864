//! Types that documentation says elsewhere: in what a method overrides, and as names that a class gives to types.

use ide_model::{SymbolKind, Visibility};

use crate::facts::{RefId, TypeExpr, TypeId};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// Whether a type leaves open what it is, or what it holds.
pub(super) fn says_little(ty: &Ty) -> bool {
    ty.is_unknown() || matches!(ty, Ty::Array(item) if item.is_unknown())
}

/// Whether a declared type leaves it to the documentation what is meant: none at all, `array`, `mixed`.
pub(super) fn is_open(file: &FileView, ty: Option<TypeId>) -> bool {
    ty.is_none_or(|ty| match file.ty(ty) {
        TypeExpr::Nullable(inner) => is_open(file, Some(inner)),
        TypeExpr::Array(item) => is_open(file, Some(item)),
        TypeExpr::Primitive(name) => {
            matches!(file.name(name), "array" | "callable" | "iterable" | "mixed" | "object")
        }
        _ => false,
    })
}

/// The documented type from the nearest overridden method: documentation is inherited.
pub(super) fn inherited(rx: &Resolver, method: GlobalDef, say: &dyn Fn(GlobalDef) -> Ty) -> Ty {
    let file = rx.file(method.file);
    let d = file.def(method.def);
    if d.kind != SymbolKind::Method || d.visibility == Some(Visibility::Private) {
        return Ty::Unknown;
    }
    let Some(class) = rx.owner_class(method) else { return Ty::Unknown };
    let name = file.def_name(method.def);
    let line = rx.linearization(&Ty::instance(class));
    let above = line.iter().skip(1).flat_map(|ancestor| {
        let own = ancestor.def().map(|class| rx.own_members(class, name)).unwrap_or_default();
        own.into_iter().map(move |base| (ancestor, base))
    });
    let overridden = above.filter(|(_, base)| *base != method && rx.def(*base).kind == SymbolKind::Method);
    let said = overridden.map(|(ancestor, base)| say(base).substitute(&rx.arguments_of(ancestor)));
    said.into_iter().find(|ty| !says_little(ty)).unwrap_or(Ty::Unknown)
}

/// The type that a parameter has in what its method overrides.
pub(super) fn of_parameter(rx: &Resolver, parameter: GlobalDef) -> Ty {
    let file = rx.file(parameter.file);
    let Some(method) = file.enclosing_function(file.def(parameter.def).scope) else { return Ty::Unknown };
    let mut params = file.list(file.def(method).params);
    let Some(index) = params.position(|p| p == parameter.def) else { return Ty::Unknown };
    inherited(rx, file.global(method), &|base| {
        let home = rx.file(base.file);
        let same = home.list(home.def(base.def).params).nth(index);
        same.map_or(Ty::Unknown, |p| rx.def_type(home.global(p)))
    })
}

/// The alias that a class declares: `@phpstan-type Name …`.
pub(super) fn of_class(rx: &Resolver, file: &FileView, class: TypeId, name: RefId) -> Ty {
    let Some(class) = rx.type_of(file, class).def() else { return Ty::Unknown };
    let own = rx.own_members(class, file.ref_name(name)).into_iter();
    let alias = own.into_iter().find(|def| rx.def(*def).kind == SymbolKind::TypeAlias);
    alias.map_or(Ty::Unknown, |alias| rx.type_of_def(alias, [].into()))
}
