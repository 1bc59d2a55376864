//! Local variables that a language refuses for how they are used: by nobody, or by a function that outlives their value.

use std::collections::BTreeMap;

use ide_model::{QueryError, SymbolKind, TextRange};

use super::{Check, Finding};
use crate::facts::{DefFlags, DefId, Ref, RefId, Role, ScopeId, ScopeKind};

/// Variables that are never read, where that is an error.
pub(super) fn unused(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    if !check.judge.refuses_unused() {
        return Ok(());
    }
    let file = check.file;
    // Each clause of a switch declares a variable of its own at the same place.
    let mut twins: BTreeMap<TextRange, Vec<DefId>> = BTreeMap::new();
    for id in file.def_ids() {
        twins.entry(file.def(id).name_range).or_default().push(id);
    }
    for id in file.def_ids() {
        check.cx.check()?;
        let def = file.def(id);
        let is_variable = def.kind == SymbolKind::Variable
            && def.flags.has(DefFlags::LOCAL)
            && !def.flags.has(DefFlags::SYNTHETIC)
            && !matches!(file.def_name(id), "_" | "");
        if is_variable
            && check.judge.is_for_use((file, check.text), id)
            && !is_read(check, id, &twins[&def.name_range])
        {
            let message = format!("`{}` is declared and not used", file.def_name(id));
            found.push(Finding::new(def.name_range, message));
        }
    }
    check.cx.check()
}

/// Whether something reads a variable, or one of its twins, which are declared at the same place.
fn is_read(check: &Check<'_>, id: DefId, twins: &[DefId]) -> bool {
    let (rx, file) = (check.rx, check.file);
    let def = file.def(id);
    let is_in_sight = |reference: &Ref| {
        let mut around = file.scope_chain(reference.scope);
        around.any(|scope| twins.iter().any(|twin| file.def(*twin).scope == scope))
    };
    file.refs_named(def.name).iter().any(|id| {
        let reference = file.reference(*id);
        if matches!(reference.role, Role::Write | Role::Label) || !is_in_sight(reference) {
            return false;
        }
        // A key may be a variable, too.
        if reference.role == Role::Key {
            return true;
        }
        if reference.receiver.is_some() {
            return false;
        }
        let resolved = rx.resolve(file.global_ref(*id)).resolution;
        let mut defs = resolved.defs().peekable();
        defs.peek().is_none() || defs.any(|def| def.file == file.id && twins.contains(&def.def))
    })
}

/// Uses in functions and classes inside of a function, of variables that are written more than once.
pub(super) fn captured(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    if !check.judge.keeps_captured() {
        return Ok(());
    }
    let (rx, file) = (check.rx, check.file);
    for id in file.def_ids() {
        check.cx.check()?;
        let def = file.def(id);
        let has_value =
            def.kind == SymbolKind::Variable && def.init.is_some() || def.kind == SymbolKind::Parameter;
        if !has_value || !def.flags.has(DefFlags::LOCAL) || def.flags.has(DefFlags::FINAL) {
            continue;
        }
        let uses: Vec<RefId> = file
            .refs_named(def.name)
            .iter()
            .copied()
            .filter(|r| {
                let reference = file.reference(*r);
                let found = rx.resolve(file.global_ref(*r)).resolution;
                reference.receiver.is_none()
                    && check.is_plain(*r)
                    && found.targets.len() == 1
                    && found.defs().next() == Some(file.global(id))
            })
            .collect();
        let is_written = |r: &RefId| {
            let reference = file.reference(*r);
            matches!(reference.role, Role::Write | Role::ReadWrite)
                && !is_behind_label(check.text, def.range.end, reference.range.start)
        };
        if !uses.iter().any(is_written) {
            continue;
        }
        for r in uses {
            if is_inside(check, file.reference(r).scope, def.scope) {
                let message =
                    format!("`{}` is written to, so that nothing inside can use it", file.ref_name(r));
                found.push(Finding::new(file.reference(r).range, message));
            }
        }
    }
    check.cx.check()
}

/// Whether a label of the same `switch` stands between two places: what one group declares has no value yet in the others.
fn is_behind_label(text: &str, from: u32, to: u32) -> bool {
    let mut depth = 0_i32;
    let between = text.get(from as usize..to as usize).unwrap_or_default();
    let ends_word = |c: char| !c.is_alphanumeric() && c != '_';
    between.split_inclusive(ends_word).any(|part| {
        let word = part.trim_end_matches(ends_word);
        let is_label = depth == 0 && matches!(word, "case" | "default");
        depth += i32::from(part.ends_with('{')) - i32::from(part.ends_with('}'));
        is_label
    })
}

/// Whether another function or class stands between two scopes.
fn is_inside(check: &Check<'_>, inner: ScopeId, outer: ScopeId) -> bool {
    let file = check.file;
    let mut between = file.scope_chain(inner).take_while(|scope| *scope != outer);
    between.any(|scope| matches!(file.scope(scope).kind, ScopeKind::Function | ScopeKind::Class))
}
