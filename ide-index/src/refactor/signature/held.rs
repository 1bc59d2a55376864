//! Names that stand for functions, whose signatures are written where these are.

use ide_model::SymbolKind;

use crate::facts::DefId;
use crate::refactor::scene::Scene;
use crate::resolve::Resolver;
use crate::world::GlobalDef;

/// Whether a declaration is that of a function, or of a name for one that is written there.
pub(super) fn is_written_out(rx: &Resolver, def: GlobalDef) -> bool {
    rx.def(def).kind.is_callable() || rx.policy_of(def).held_function(rx.file(def.file), def.def).is_some()
}

/// The function that is written where a name for it is declared.
pub(super) fn held_function(scene: &Scene<'_>, def: GlobalDef) -> Option<DefId> {
    let held = scene.shop.pool.with(|rx| rx.policy_of(def).held_function(rx.file(def.file), def.def));
    held.filter(|_| matches!(scene.view.def(def.def).kind, SymbolKind::Constant | SymbolKind::Variable))
}

/// Whether a member is not declared as a function, and what it holds may be one.
pub(super) fn holds_function(rx: &Resolver, def: GlobalDef) -> bool {
    matches!(rx.def(def).kind, SymbolKind::Field | SymbolKind::Property) && rx.policy_of(def).has_shapes()
}
