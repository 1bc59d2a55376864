//! The value of a name or attribute at a place: assignments that reach it, and type tests that hold there.

use std::sync::OnceLock;

use ide_model::SymbolKind;
use rustc_hash::FxHashMap;

use crate::facts::{
    DefFlags, DefId, Expr, ExprId, GuardTest, Import, ImportId, Literal, Ref, RefId, ScopeKind,
};
use crate::resolve::flow::{Point, Value, execution_scope, is_same_place, reaching};
use crate::resolve::{FileView, Resolution, Resolved, Resolver, Target, Ty};
use crate::world::GlobalDef;

use super::library::known;
use super::members;
use super::values::join;

/// Data derived from one file and its place, which only Python needs; each computed at its first use.
#[derive(Default)]
pub(super) struct FileIndex {
    /// By reference, the import that it belongs to, and which segment of its path it is; `None` for the member.
    segments: OnceLock<Vec<(RefId, ImportId, Option<usize>)>>,
    /// The function that an expression with `yield` belongs to.
    yields: OnceLock<FxHashMap<ExprId, DefId>>,
    /// The target of each import.
    imported: OnceLock<Box<[OnceLock<Resolution>]>>,
    puts_types_off: OnceLock<bool>,
}

pub(super) fn index(file: &FileView) -> &FileIndex {
    file.derived(|_| FileIndex::default())
}

impl FileIndex {
    /// The import that a reference belongs to, and which segment of its path it is; `None` for the member.
    pub(super) fn segment(&self, file: &FileView, reference: RefId) -> Option<(ImportId, Option<usize>)> {
        let segments = self.segments.get_or_init(|| segments(file));
        let found = segments.binary_search_by_key(&reference, |(of, ..)| *of).ok()?;
        let (_, import, segment) = segments[found];
        Some((import, segment))
    }

    pub(super) fn generator_of(&self, file: &FileView, id: ExprId) -> Option<DefId> {
        let yields = self.yields.get_or_init(|| {
            let generators = file.def_ids().filter(|def| file.has_flag(*def, DefFlags::GENERATOR));
            generators.flat_map(|def| file.list(file.def(def).returns).map(move |e| (e, def))).collect()
        });
        yields.get(&id).copied()
    }

    /// The target of an import, which depends on no other question.
    pub(super) fn imported(
        &self,
        file: &FileView,
        import: ImportId,
        answer: impl FnOnce() -> Resolution,
    ) -> Resolution {
        let all = self.imported.get_or_init(|| file.imports.iter().map(|_| OnceLock::new()).collect());
        let place = &all[import.index()];
        if let Some(known) = place.get() {
            return known.clone();
        }
        // Imports may lead to each other in a circle, so no place is held while its answer is made.
        let answer = answer();
        place.get_or_init(|| answer).clone()
    }

    /// Whether the file asks that types are not looked up while its code runs.
    pub(super) fn puts_types_off(&self, file: &FileView) -> bool {
        let is_it = |import: &Import| {
            file.name(import.module) == "__future__"
                && import.member.is_some_and(|member| file.ref_name(member) == "annotations")
        };
        *self.puts_types_off.get_or_init(|| file.imports.iter().any(is_it))
    }
}

fn segments(file: &FileView) -> Vec<(RefId, ImportId, Option<usize>)> {
    let mut segments = Vec::with_capacity(file.imports.len() * 2);
    let mut path_before = None;
    for (import, id) in file.imports.iter().zip((0..).map(ImportId)) {
        // The imports of one statement share a path.
        let first = file.list(import.path).next();
        if first != path_before {
            segments.extend(file.list(import.path).enumerate().map(|(n, segment)| (segment, id, Some(n))));
        }
        path_before = first;
        segments.extend(import.member.map(|member| (member, id, None)));
    }
    // As they stand in the text they are in order already.
    segments.sort_by_key(|(reference, ..)| *reference);
    segments
}

/// The value of a reference where it stands.
pub(super) fn value_at(rx: &Resolver, file: &FileView, id: RefId, resolved: &Resolved) -> Ty {
    let reference = *file.reference(id);
    let target = match resolved.resolution.targets.first() {
        Some(Target::Def(def)) if def.file == file.id => Some(*def),
        _ => None,
    };
    let value = match (target, reference.receiver) {
        (Some(def), None) => local_value(rx, file, &reference, def),
        (Some(def), Some(_)) => attribute_value(rx, file, &reference, def),
        _ => None,
    };
    let value = value.unwrap_or_else(|| rx.value_of(resolved));
    narrowed(rx, file, id, value)
}

/// The last of several definitions in a function that certainly ran before a reference in it.
pub(super) fn latest(file: &FileView, reference: &Ref, defs: &[DefId]) -> Option<DefId> {
    let home = execution_scope(file, reference.scope);
    if file.scope(home).kind != ScopeKind::Function || file.def(defs[0]).scope != home {
        return None;
    }
    let flow = file.flow();
    let at = reference.range.start;
    let before = defs.iter().rev().filter(|d| file.def(**d).name_range.start <= at);
    let mut certain = before.filter(|d| {
        let block = flow.block_at(file, file.def(**d).name_range.start, home);
        block == home || file.scope(block).range.contains(at)
    });
    certain.next().copied()
}

fn local_value(rx: &Resolver, file: &FileView, reference: &Ref, def: GlobalDef) -> Option<Ty> {
    use SymbolKind::{Parameter, Variable};
    let d = file.def(def.def);
    // A variable of a comprehension has one value, which may stand behind its uses.
    if !matches!(d.kind, Parameter | Variable) || file.scope(d.scope).kind == ScopeKind::Comprehension {
        return None;
    }
    let flow = file.flow();
    let has_one_value = d.ty.is_none() || d.init.is_none();
    if d.kind == Variable && has_one_value && !flow.assigns.has(d.name) {
        return None;
    }
    let home = execution_scope(file, reference.scope);
    if home != execution_scope(file, d.scope) {
        return None;
    }
    let mut points = Vec::new();
    let block = flow.block_at(file, d.name_range.start, home);
    match (d.kind, d.init) {
        (Parameter, _) => points.push(Point { at: d.name_range.end, scope: home, value: Value::Declared }),
        (_, Some(init)) => points.push(Point { at: d.range.end, scope: block, value: Value::Expr(init) }),
        _ => {}
    }
    points.extend(flow.assigned_to(rx, file, def, home));
    if points.len() < 2 && d.kind == Parameter {
        return None;
    }
    let (reaching, _) = reaching(file, &points, reference.range.start);
    if d.ty.is_some() && reaching.is_empty() {
        return None;
    }
    let value = join(reaching.iter().map(|point| match point.value {
        Value::Declared => rx.def_type(def),
        Value::Expr(e) if d.ty.is_some() => assigned(rx, rx.def_type(def), &rx.expr_type(file, e)),
        Value::Expr(e) => rx.expr_type(file, e),
    }));
    Some(value)
}

/// The type of a declared variable after an assignment: the value's class, where that is more than declared.
fn assigned(rx: &Resolver, declared: Ty, value: &Ty) -> Ty {
    if declared.is_unknown() {
        return value.clone();
    }
    let is_shape = |part: &Ty| part.def().is_some_and(|class| rx.def(class).kind == SymbolKind::Interface);
    let mut kept = Vec::new();
    for part in value.parts() {
        let (Ty::Instance(class, _) | Ty::Class(class, _)) = part else { return declared };
        let parts = declared.parts();
        let is_class = |ty: &Ty| matches!(ty, Ty::Class(..));
        match parts.iter().find(|d| d.def() == Some(*class) && is_class(d) == is_class(part)) {
            Some(same) => kept.push(same.clone()),
            // The arguments of a type are mostly said by the declaration alone.
            None if rx.type_params(*class).is_empty()
                && parts.iter().any(|d| is_shape(d) || descends(rx, part, d)) =>
            {
                kept.push(part.clone());
            }
            None => return declared,
        }
    }
    if kept.is_empty() { declared } else { join(kept) }
}

/// The value that an attribute got earlier in the same function.
fn attribute_value(rx: &Resolver, file: &FileView, reference: &Ref, def: GlobalDef) -> Option<Ty> {
    let d = file.def(def.def);
    if d.kind.is_callable() || d.kind.is_type() || d.flags.has(DefFlags::PROPERTY) {
        return None;
    }
    let flow = file.flow();
    let home = execution_scope(file, reference.scope);
    let mut points = Vec::new();
    if let (Some(init), true) = (d.init, d.flags.has(DefFlags::ATTRIBUTE)) {
        let place = flow.block_at(file, d.name_range.start, home);
        if file.scope(home).range.contains(d.name_range.start) && file.scope(home).kind == ScopeKind::Function
        {
            points.push(Point { at: d.range.end, scope: place, value: Value::Expr(init) });
        }
    }
    for i in flow.assigns.of(reference.name) {
        let assign = file.assigns[i];
        let Expr::Ref(target) = file.expr(assign.target) else { continue };
        let written = file.reference(target);
        if execution_scope(file, written.scope) == home && is_same_place(file, written, reference) {
            points.push(Point { at: assign.at, scope: written.scope, value: Value::Expr(assign.value) });
        }
    }
    if points.is_empty() {
        return None;
    }
    let (reaching, is_certain) = reaching(file, &points, reference.range.start);
    if !is_certain {
        return None;
    }
    let value = join(reaching.iter().map(|point| match point.value {
        Value::Expr(e) => rx.expr_type(file, e),
        Value::Declared => Ty::Unknown,
    }));
    let value = if d.ty.is_some() { assigned(rx, rx.def_type(def), &value) } else { value };
    (!matches!(value, Ty::Unknown | Ty::Nothing)).then_some(value)
}

/// All values that assignments outside its declaration give to a variable or attribute, in this file.
pub(super) fn assigned_values(rx: &Resolver, file: &FileView, def: GlobalDef) -> Vec<Ty> {
    let d = file.def(def.def);
    let flow = file.flow();
    let mut values = Vec::new();
    for i in flow.assigns.of(d.name) {
        let assign = file.assigns[i];
        let Expr::Ref(target) = file.expr(assign.target) else { continue };
        let is_attribute = file.reference(target).receiver.is_some();
        let in_class = file.scope(d.scope).kind == ScopeKind::Class;
        if is_attribute && !in_class {
            continue;
        }
        if rx.resolve(file.global_ref(target)).resolution.defs().next() == Some(def) {
            values.push(rx.expr_type(file, assign.value));
        }
    }
    values
}

fn narrowed(rx: &Resolver, file: &FileView, id: RefId, mut value: Ty) -> Ty {
    let flow = file.flow();
    for guard in
        flow.tests(file, id, |subject| is_same_place(file, file.reference(subject), file.reference(id)))
    {
        let tested = match guard.test {
            GuardTest::Class(class) => instances(rx, file, class),
            GuardTest::Type(ty) => rx.type_of(file, ty),
            GuardTest::Item(..) | GuardTest::Build(_) | GuardTest::Binds(_) => continue,
        };
        value = if guard.negated { without(rx, &value, &tested) } else { only(rx, value, &tested) };
    }
    value
}

/// Instances of the class or classes that an expression is; the classes themselves where those are tested.
fn instances(rx: &Resolver, file: &FileView, class: ExprId) -> Ty {
    let (class, is_itself) = match file.expr(class) {
        Expr::Deref(function) => return promised(rx, &rx.expr_type(file, function)),
        Expr::Spread(class) => (class, true),
        _ => (class, false),
    };
    instances_of(&rx.expr_type(file, class), is_itself)
}

fn instances_of(classes: &Ty, is_itself: bool) -> Ty {
    join(classes.parts().iter().map(|part| match part {
        Ty::Tuple(items) => join(items.iter().map(|item| instances_of(item, is_itself))),
        Ty::Class(..) | Ty::ExternalName(_) if is_itself => part.clone(),
        Ty::Class(..) | Ty::ExternalName(_) => part.clone().instantiate(),
        _ => Ty::Unknown,
    }))
}

/// The type that a guard function proves of its argument: the `A` of `TypeGuard[A]`.
fn promised(rx: &Resolver, function: &Ty) -> Ty {
    let result = function.def().filter(|def| {
        let view = rx.file(def.file);
        view.def(def.def).kind.is_callable() && view.def(def.def).ty.is_some()
    });
    match result.map(|def| rx.return_type(def)) {
        Some(Ty::Instance(class, args)) if class == known(rx).bool => {
            args.first().cloned().filter(|ty| !matches!(ty, Ty::Param(_))).unwrap_or(Ty::Unknown)
        }
        _ => Ty::Unknown,
    }
}

/// The value that was put under a key of a collection earlier in the same function: `d["k"] = C()`.
pub(super) fn item_put(rx: &Resolver, file: &FileView, base: ExprId, index: ExprId) -> Ty {
    let Expr::Ref(base) = file.expr(base) else { return Ty::Unknown };
    let reference = file.reference(base);
    let flow = file.flow();
    if !flow.items.has(reference.name) {
        return Ty::Unknown;
    }
    let home = execution_scope(file, reference.scope);
    let mut points = Vec::new();
    for i in flow.items.of(reference.name) {
        let assign = file.assigns[i];
        let Expr::Index { base: of, index: key } = file.expr(assign.target) else { continue };
        let Expr::Ref(of) = file.expr(of) else { continue };
        let written = file.reference(of);
        if execution_scope(file, written.scope) == home
            && is_same_place(file, written, reference)
            && is_same_key(file, key, index)
        {
            points.push(Point { at: assign.at, scope: written.scope, value: Value::Expr(assign.value) });
        }
    }
    let (reaching, is_certain) = reaching(file, &points, reference.range.start);
    let new_since = |point: &&Point| {
        let all = flow.assigns.of(reference.name);
        !all.map(|i| file.assigns[i].at).any(|at| point.at < at && at <= reference.range.start)
    };
    if !is_certain || !reaching.iter().all(new_since) {
        return Ty::Unknown;
    }
    join(reaching.iter().map(|point| match point.value {
        Value::Expr(value) => rx.expr_type(file, value),
        Value::Declared => Ty::Unknown,
    }))
}

/// Whether two subscripts are the same text or number.
fn is_same_key(file: &FileView, a: ExprId, b: ExprId) -> bool {
    match (file.expr(a), file.expr(b)) {
        (Expr::Text(a), Expr::Text(b)) => a == b,
        (Expr::Item { base: x, index: a }, Expr::Item { base: y, index: b }) => {
            let is_number = |e| matches!(file.expr(e), Expr::Literal(Literal::Int));
            a == b && is_number(x) && is_number(y)
        }
        _ => false,
    }
}

fn descends(rx: &Resolver, ty: &Ty, from: &Ty) -> bool {
    match (ty, from) {
        (Ty::External(a, _), Ty::External(b, _)) => a == b,
        (Ty::Tuple(_) | Ty::Literal(_), Ty::Instance(class, _)) => {
            rx.descends(&members::as_class(rx, ty), *class)
        }
        // Functions are no instances of classes, but for the type of functions.
        (ty, Ty::Instance(class, _)) => rx.descends(ty, *class),
        (Ty::Class(..), Ty::Class(class, _)) => rx.descends(ty, *class),
        (ty @ Ty::Instance(..), Ty::External(b, _)) => {
            rx.linearization(ty).iter().any(|t| matches!(t, Ty::External(a, _) if a == b))
        }
        _ => false,
    }
}

fn only(rx: &Resolver, value: Ty, tested: &Ty) -> Ty {
    if tested.is_unknown() {
        return value;
    }
    let mut kept = Vec::new();
    for test in tested.parts() {
        let before = kept.len();
        kept.extend(value.parts().iter().filter(|part| descends(rx, part, test)).cloned());
        if kept.len() == before {
            kept.push(test.clone());
        }
    }
    join(kept)
}

fn without(rx: &Resolver, value: &Ty, tested: &Ty) -> Ty {
    let kept: Vec<Ty> = value
        .parts()
        .iter()
        .filter(|part| !tested.parts().iter().any(|test| descends(rx, part, test)))
        .cloned()
        .collect();
    if kept.is_empty() { value.clone() } else { join(kept) }
}
