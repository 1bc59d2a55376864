//! The value of a variable or property where it is read: assignments that reach the place, and type tests that hold
//! there.

use std::sync::Arc;

use ide_model::SymbolKind;

use super::doc_types::says_little;
use super::narrow::{is_written_alike, item_of};
use super::policy::PhpPolicy;
use crate::facts::{Expr, ExprId, GuardTest, RefId};
use crate::resolve::flow::{Flow, Point, Value, execution_scope, is_same_place, reaching};
use crate::resolve::{FileView, Resolver, Target, Ty};

/// The type of a reference where it stands; `None` where its declaration says all that is known.
pub(super) fn value_at(rx: &Resolver, file: &FileView, id: RefId) -> Option<Ty> {
    let reference = file.reference(id);
    let flow = file.flow();
    let value = match reference.receiver {
        None if PhpPolicy::is_variable(reference) => {
            let value = assigned(rx, file, flow, id);
            items(rx, file, flow, id, value.as_ref()).or(value)
        }
        _ => None,
    };
    let same = |subject| is_same_value(rx, file, subject, id);
    let mut tests = flow.tests(file, id, same).peekable();
    if tests.peek().is_none() {
        return value;
    }
    let mut value = value.unwrap_or_else(|| rx.value_of(&rx.resolve(file.global_ref(id))));
    for test in tests {
        let GuardTest::Type(ty) = test.test else { continue };
        let tested = rx.type_of(file, ty);
        value = if test.negated { without(rx, &value, &tested) } else { only(rx, &value, &tested) };
    }
    Some(value).filter(|ty| !ty.is_unknown())
}

/// The item type of a variable that is filled item by item, where nothing else tells what its array holds.
fn items(rx: &Resolver, file: &FileView, flow: &Flow, id: RefId, value: Option<&Ty>) -> Option<Ty> {
    let name = file.reference(id).name;
    if !flow.items.has(name) {
        return None;
    }
    let resolved = rx.resolve(file.global_ref(id));
    if !says_little(value.unwrap_or(&rx.value_of(&resolved))) {
        return None;
    }
    let def = resolved.resolution.defs().next()?;
    Some(Ty::union(flow.items.of(name).map(|i| {
        let assign = file.assigns[i];
        let of = item_of(file, assign.target).filter(|of| file.reference(*of).receiver.is_none());
        if of.and_then(|of| rx.resolve(file.global_ref(of)).resolution.defs().next()) != Some(def) {
            return Ty::Unknown;
        }
        let mut ty = rx.expr_type(file, assign.value);
        let mut item = file.expr(assign.target);
        while let Expr::Index { base, .. } = item
            && !ty.is_unknown()
        {
            ty = Ty::Array(Arc::new(ty));
            item = file.expr(base);
        }
        ty
    })))
    .filter(|ty| !ty.is_unknown())
}

/// The type of an item where type tests of it hold; `None` where none do.
pub(super) fn item_at(rx: &Resolver, file: &FileView, item: ExprId) -> Option<Ty> {
    let of = item_of(file, item)?;
    let flow = file.flow();
    let at = file.reference(of).range.start;
    let mut value = Ty::Unknown;
    for guard in flow.tests(file, of, |subject| is_same_value(rx, file, subject, of)) {
        let GuardTest::Item(tested, ty) = guard.test else { continue };
        let is_replaced = || {
            file.assigns.iter().any(|assign| {
                guard.range.start < assign.at
                    && assign.at <= at
                    && is_written_alike(file, assign.target, item)
            })
        };
        if !guard.negated && is_written_alike(file, tested, item) && !is_replaced() {
            value = only(rx, &value, &rx.type_of(file, ty));
        }
    }
    Some(value).filter(|ty| !ty.is_unknown())
}

/// Whether two references are written alike and begin with one variable: those of different functions are not.
fn is_same_value(rx: &Resolver, file: &FileView, a: RefId, b: RefId) -> bool {
    let head = |mut id: RefId| {
        while let Some(Expr::Ref(before)) = file.reference(id).receiver.map(|e| file.expr(e)) {
            id = before;
        }
        (file.reference(id).receiver.is_none()).then_some(id)
    };
    let (x, y) = (file.reference(a), file.reference(b));
    let def = |id: RefId| head(id).and_then(|id| rx.resolve(file.global_ref(id)).resolution.defs().next());
    is_same_place(file, x, y)
        && (execution_scope(file, x.scope) == execution_scope(file, y.scope) || def(a) == def(b))
}

/// The type by the assignments that reach a variable.
fn assigned(rx: &Resolver, file: &FileView, flow: &Flow, id: RefId) -> Option<Ty> {
    let reference = file.reference(id);
    if !flow.assigns.has(reference.name) {
        return None;
    }
    let resolved = rx.resolve(file.global_ref(id));
    let def = match resolved.resolution.targets.first() {
        Some(Target::Def(def)) if def.file == file.id => *def,
        _ => return None,
    };
    let d = file.def(def.def);
    if !matches!(d.kind, SymbolKind::Variable | SymbolKind::Parameter) {
        return None;
    }
    let home = execution_scope(file, d.scope);
    let block = flow.block_at(file, d.name_range.start, home);
    let at = if d.kind == SymbolKind::Parameter { d.name_range.end } else { d.range.end };
    let mut points = vec![Point { at, scope: block, value: Value::Declared }];
    points.extend(flow.assigned_to(rx, file, def, home));
    if points.len() < 2 {
        return None;
    }
    let at = reference.range.start.saturating_sub(1);
    let (mut reaching, is_certain) = reaching(file, &points, at);
    // A certain assignment tells more than possible later ones.
    if let Some(certain) = reaching.iter().rposition(|point| point.at <= at).filter(|_| is_certain) {
        reaching[..=certain].rotate_right(1);
    }
    let value = Ty::union(reaching.iter().map(|point| match point.value {
        Value::Declared => rx.value_of(&resolved),
        Value::Expr(value) => rx.expr_type(file, value),
    }));
    (!value.is_unknown()).then_some(value)
}

fn descends(rx: &Resolver, ty: &Ty, from: &Ty) -> bool {
    match (ty, from) {
        (Ty::Instance(..), Ty::Instance(class, _)) => rx.descends(ty, *class),
        (Ty::External(a, _), Ty::External(b, _)) => a == b,
        (Ty::Instance(..), Ty::External(b, _)) => {
            rx.linearization(ty).iter().any(|t| matches!(t, Ty::External(a, _) if a == b))
        }
        _ => false,
    }
}

/// The part of a value that passes a type test: its parts of that type, or both types at once.
fn only(rx: &Resolver, value: &Ty, tested: &Ty) -> Ty {
    if tested.is_unknown() {
        return value.clone();
    }
    Ty::union(tested.parts().iter().flat_map(|test| {
        let kept: Vec<Ty> = value.parts().iter().filter(|part| descends(rx, part, test)).cloned().collect();
        // A part wider than the tested type may be anything of it, not only one of the certain parts.
        let is_wider = |part: &Ty| !descends(rx, part, test) && descends(rx, test, part);
        if kept.is_empty() || value.parts().iter().any(is_wider) { vec![test.clone()] } else { kept }
    }))
}

fn without(rx: &Resolver, value: &Ty, tested: &Ty) -> Ty {
    let is_out = |part: &&Ty| tested.parts().iter().any(|test| descends(rx, part, test));
    let kept: Vec<Ty> = value.parts().iter().filter(|part| !is_out(part)).cloned().collect();
    if kept.is_empty() { value.clone() } else { Ty::union(kept) }
}
