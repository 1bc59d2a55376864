//! Objects that cannot be made: of types without objects, or with other fields than their type has.

use std::collections::BTreeSet;

use ide_model::QueryError;
use rustc_hash::FxHashSet;

use super::{Check, Finding};
use crate::facts::{Expr, ExprId, RefId, Role};
use crate::world::GlobalDef;

/// Fields that are named in a message.
const NAMED: usize = 5;

/// Constructions of abstract types.
pub(super) fn abstract_types(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    // A class without a name extends what it seems to make.
    let extended: BTreeSet<RefId> = file
        .def_ids()
        .flat_map(|id| file.list(file.def(id).supers))
        .filter_map(|edge| rx.named_type_ref(file, edge.ty))
        .collect();
    for id in file.written_refs() {
        let reference = file.reference(id);
        let is_use = matches!(reference.role, Role::New | Role::Call) && !extended.contains(&id);
        if !is_use || !check.is_plain(id) {
            continue;
        }
        if check.judge.class_made(rx, file, id).is_some_and(|class| check.judge.has_no_objects(rx, class)) {
            let message = format!("`{}` cannot be instantiated", file.ref_name(id));
            found.push(Finding::new(reference.range, message));
        }
    }
    check.cx.check()
}

/// Literals of types whose fields are all known, that lack some or have others.
pub(super) fn fields(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in (0..file.exprs.len() as u32).map(ExprId) {
        let Expr::New { ty, args } = file.expr(id) else { continue };
        let Some(name) = rx.named_type_ref(file, ty) else { continue };
        if !check.is_plain(name) || file.reference(name).range.is_empty() {
            continue;
        }
        let resolved = rx.resolve(file.global_ref(name)).resolution;
        let of = resolved
            .defs()
            .next()
            .filter(|_| resolved.targets.len() == 1 && resolved.confidence.is_certain());
        let Some(wanted) = of.and_then(|of| check.judge.literal_fields(rx, of)) else { continue };
        let (mut given, mut is_whole): (Vec<RefId>, bool) = (Vec::new(), true);
        for arg in file.list(args) {
            match file.expr(arg) {
                Expr::Named { key, .. } => given.push(key),
                _ => is_whole = false,
            }
        }
        let mut seen = FxHashSet::default();
        for key in &given {
            if !seen.insert(file.ref_name(*key)) {
                let message = format!("the field `{}` has a value already", file.ref_name(*key));
                found.push(Finding::new(file.reference(*key).range, message));
            }
        }
        let is_wanted = |key: &RefId| wanted.iter().any(|field| rx.def_name(*field) == file.ref_name(*key));
        let is_name = |key: &RefId| !file.ref_name(*key).starts_with(|c: char| c.is_ascii_digit());
        for key in given.iter().filter(|key| !is_wanted(key) && is_name(key)) {
            let message = format!("`{}` has no field `{}`", file.ref_name(name), file.ref_name(*key));
            found.push(Finding::new(file.reference(*key).range, message));
        }
        let lacking: Vec<GlobalDef> = wanted
            .iter()
            .copied()
            .filter(|field| !given.iter().any(|key| file.ref_name(*key) == rx.def_name(*field)))
            .collect();
        let has_rest = || is_with_rest(check, name);
        if is_whole && !lacking.is_empty() && !has_rest() {
            let names: Vec<String> =
                lacking.iter().take(NAMED).map(|field| format!("`{}`", rx.def_name(*field))).collect();
            let message = format!("`{}` lacks {}", file.ref_name(name), names.join(", "));
            found.push(Finding::new(file.reference(name).range, message));
        }
    }
    check.cx.check()
}

/// Whether the braces behind a name hold `..`, also in what is nested in them: too much is silence.
fn is_with_rest(check: &Check<'_>, name: RefId) -> bool {
    let from = check.file.reference(name).range.end as usize;
    let Some(behind) = check.text.get(from..) else { return true };
    let Some(open) = behind.find('{') else { return true };
    let mut depth = 0_u32;
    for (at, c) in behind[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            let inside = &behind[open..open + at];
            return inside.contains("..") || inside.contains("#[") || inside.contains('!');
        }
    }
    true
}
