//! Names that a class gives to the methods of its traits: `use T { m as n; }`.

use ide_model::SymbolKind;

use crate::facts::Expr;
use crate::query::definition::At;
use crate::resolve::{FileView, GivenName, Resolver};
use crate::world::GlobalDef;

/// The rule of a `use` that gives a method the name by which it is written at a place.
pub(super) fn given_name(rx: &Resolver, file: &FileView, at: At) -> Option<GivenName> {
    let def = match at {
        At::Def(def) => file.global(def),
        At::Ref(reference) => {
            let ty = rx.expr_type(file, file.reference(reference).receiver?).instantiate();
            let name = file.ref_name(reference);
            ty.parts().iter().find_map(|part| nearest(rx, part, name))?
        }
    };
    let view = rx.file(def.file);
    let d = view.def(def.def);
    let method = d.init.filter(|_| d.kind == SymbolKind::Method)?;
    matches!(view.expr(method), Expr::Ref(_)).then_some(GivenName { file: def.file, range: d.name_range })
}

/// The member of a name that a type has first.
fn nearest(rx: &Resolver, ty: &crate::resolve::Ty, name: &str) -> Option<GlobalDef> {
    rx.linearization(ty).iter().find_map(|owner| {
        let own = rx.own_members(owner.def()?, name).into_iter();
        own.into_iter().find(|def| rx.def(*def).kind.is_callable())
    })
}
