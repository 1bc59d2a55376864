//! Properties of types and members that no declaration of them states.

use ide_model::SymbolKind;

use super::judges::is_own;
use crate::facts::{Expr, RefId, Role, SuperKind, SuperType, TypeExpr};
use crate::resolve::{Resolver, Ty};
use crate::world::GlobalDef;

/// Whether every object of the JVM has this member, announced again by a supertype or not.
pub(super) fn is_of_every_object(rx: &Resolver, member: GlobalDef) -> bool {
    matches!((rx.def_name(member), rx.def(member).params.len), ("equals", 1) | ("hashCode" | "toString", 0))
}

/// Whether a class, or its metaclass, gives its objects members whose names are values: by `setattr`, `__dict__` and the like.
pub(super) fn has_open_members(rx: &Resolver, class: GlobalDef) -> bool {
    const BY_NAME: [&str; 5] = ["setattr", "__dict__", "vars", "locals", "__setattr__"];
    if !is_own(rx, class) {
        return false;
    }
    let (file, def) = (rx.file(class.file), rx.def(class));
    let is_by_name =
        |id: RefId| def.range.encloses(file.reference(id).range) && BY_NAME.contains(&file.ref_name(id));
    let answers = |meta: GlobalDef| {
        let found = rx.inherited_members(&Ty::instance(meta), "__getattr__");
        found.iter().any(|member| member.def().is_none_or(|def| is_own(rx, def)))
    };
    let mut metaclasses = file.list(def.supers).filter(|edge| edge.kind == SuperKind::Other);
    file.written_refs().any(is_by_name)
        || metaclasses.any(|edge| rx.type_of(file, edge.ty).def().is_none_or(answers))
}

/// Whether the supertypes of a class are named, rather than computed by a function (`extends Mixed(Base)`) or from other types
/// (`implements Pick<Named, "id">`).
pub(super) fn names_supers(rx: &Resolver, class: GlobalDef) -> bool {
    let file = rx.file(class.file);
    let is_named = |edge: SuperType| {
        let name = match file.ty(edge.ty) {
            TypeExpr::TypeOf(value) => match file.expr(value) {
                Expr::InstanceOf(class) => rx.expr_ref(file, class),
                _ => None,
            },
            _ => rx.named_type_ref(file, edge.ty),
        };
        name.is_some_and(|name| {
            let meant = rx.through_imports(rx.resolve(file.global_ref(name)).resolution);
            let is_computed = |def| {
                let computed = [SymbolKind::TypeAlias, SymbolKind::Variable, SymbolKind::Constant];
                computed.contains(&rx.kind(def))
            };
            let is_call = file.reference(name).role == Role::Call;
            !is_call && (meant.defs().next().is_none() || !meant.defs().all(is_computed))
        })
    };
    rx.kind(class) != SymbolKind::Class || file.list(file.def(class.def).supers).all(is_named)
}
