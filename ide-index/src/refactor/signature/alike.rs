//! The declarations whose signatures change along with a function.

use ide_model::{QueryError, SourceKind, SymbolKind, TextRange};

use super::super::RefactorContext;
use super::super::family::{Family, family};
use super::super::scene::{Scene, trait_around};
use super::super::shapes::Shapes;
use crate::facts::{DefId, Expr};
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// The family of a function with the members of other types that a value of its type goes for, and the texts that may name
/// one of them.
pub(super) fn with_alike(
    ctx: &RefactorContext<'_>,
    def: GlobalDef,
) -> Result<(Family, Vec<(FileId, TextRange)>), QueryError> {
    let name = ctx.pool.with(|rx| rx.shared_name(def));
    let (mut start, mut shapes) = (vec![def], Shapes::default());
    loop {
        let found = ctx.pool.with(|rx| family(rx, ctx.cx, &start, true))?;
        let more = shapes.alike(ctx, &found, &name)?;
        if more.is_empty() {
            let texts = shapes.texts(ctx, &found, &name)?;
            return Ok((found, texts));
        }
        start.extend(more);
    }
}

/// Whether a declaration is that of a function, or of a name for one that is written there.
pub(super) fn is_written_out(rx: &Resolver, def: GlobalDef) -> bool {
    rx.def(def).kind.is_callable() || rx.policy_of(def).held_function(rx.file(def.file), def.def).is_some()
}

/// The function that is written where a name for it is declared.
pub(super) fn held_function(scene: &Scene<'_>, def: GlobalDef) -> Option<DefId> {
    let held = scene.ctx.pool.with(|rx| rx.policy_of(def).held_function(rx.file(def.file), def.def));
    let d = scene.view.def(def.def);
    let is_variable = matches!(d.kind, SymbolKind::Constant | SymbolKind::Variable);
    let is_field = d.ty.is_none() && matches!(d.kind, SymbolKind::Field | SymbolKind::Property);
    // The name that a function is given out by has no parameters of its own: `exports.f = function () {}`.
    let given = d.init.map(|value| scene.view.expr(value));
    let given = given.filter(|_| d.kind.is_callable() && d.params.len == 0);
    held.filter(|_| is_variable || is_field).or(match given {
        Some(Expr::Function(function)) => Some(function),
        _ => None,
    })
}

/// Whether a member is not declared as a function, and what it holds may be one.
pub(super) fn holds_function(rx: &Resolver, def: GlobalDef) -> bool {
    let is_untyped = rx.def(def).ty.is_none();
    let is_written = || rx.policy_of(def).held_function(rx.file(def.file), def.def).is_some();
    matches!(rx.def(def).kind, SymbolKind::Field | SymbolKind::Property)
        && rx.policy_of(def).has_shapes()
        && !(is_untyped && is_written())
}

/// The functions that carry out the same one of a trait, with that, for one that stands in a trait or an implementation of
/// it: these may be for any type, of the library too. `None` when the trait is not in the project.
pub(super) fn of_trait(
    ctx: &RefactorContext<'_>,
    scene: &Scene<'_>,
    def: GlobalDef,
) -> Result<Option<Vec<GlobalDef>>, QueryError> {
    let Some((of, mut is_declared)) = trait_around(scene, def) else { return Ok(Some(Vec::new())) };
    let name = scene.view.def_name(def.def);
    let mut found = Vec::new();
    for site in ctx.pool.world().declarations(name) {
        let is_library = ctx.pool.world().file(site.at.file).source == SourceKind::Library;
        let is_alike = ctx.pool.with(|rx| rx.shared_file(site.at.file)).language() == scene.view.language();
        if is_library || !is_alike {
            continue;
        }
        let other = Scene::open(ctx, site.at.file)?;
        if let Some((_, declares)) = trait_around(&other, site.at).filter(|(name, _)| *name == of) {
            is_declared |= declares;
            found.push(site.at);
        }
    }
    Ok(is_declared.then_some(found))
}
