//! Constructors that run without being named: by `this(…)`, `super(…)`, where neither is written, for enum constants.

use ide_model::SymbolKind;

use super::{constructor, constructors, overloads};
use crate::facts::{DefId, Expr, ExprId, SuperKind, TypeExpr};
use crate::resolve::{FileView, Member, Resolution, Resolver};
use crate::world::GlobalDef;

/// The constructors that run in a class without `new`: pairs of the caller (a constructor, an enum constant)
/// and the constructor that it runs.
pub(super) fn calls(rx: &Resolver, class: GlobalDef) -> Vec<(GlobalDef, GlobalDef)> {
    let file = rx.file(class.file);
    let Some(body) = file.def(class.def).body else { return Vec::new() };
    let mut found = Vec::new();
    for caller in constructors(rx, class).iter().filter_map(Member::def) {
        let run = match written(file, caller.def) {
            Some((target, call)) => {
                let class = rx.expr_type(file, target).def();
                class.and_then(|class| constructor(rx, file, class, &overloads::arguments(rx, file, call)))
            }
            None => superclass(rx, file, class).and_then(|above| constructor(rx, file, above, &[])),
        };
        found.extend(run.as_ref().and_then(first).map(|callee| (caller, callee)));
    }
    for constant in file.all_in_scope(body) {
        let d = file.def(*constant);
        let made = d.init.filter(|_| d.kind == SymbolKind::EnumCase);
        let Some((init, Expr::New { ty, .. })) = made.map(|init| (init, file.expr(init))) else { continue };
        if matches!(file.ty(ty), TypeExpr::This) {
            let run = constructor(rx, file, class, &overloads::arguments(rx, file, init));
            found.extend(run.as_ref().and_then(first).map(|callee| (file.global(*constant), callee)));
        }
    }
    found
}

fn first(resolution: &Resolution) -> Option<GlobalDef> {
    resolution.defs().next().filter(|_| resolution.confidence.is_certain())
}

/// `this` or `super`, and its call, in a constructor.
fn written(file: &FileView, constructor: DefId) -> Option<(ExprId, ExprId)> {
    (0..file.exprs.len() as u32).map(ExprId).find_map(|call| {
        let Expr::Call { callee, .. } = file.expr(call) else { return None };
        let (Expr::This(scope) | Expr::Super(scope)) = file.expr(callee) else { return None };
        (file.enclosing_function(scope) == Some(constructor)).then_some((callee, call))
    })
}

fn superclass(rx: &Resolver, file: &FileView, class: GlobalDef) -> Option<GlobalDef> {
    let d = file.def(class.def);
    let above = file
        .list(d.supers)
        .find(|edge| edge.kind == SuperKind::Extends && d.kind != SymbolKind::Interface)?;
    rx.type_of(file, above.ty).def()
}
