//! Declarations of one name that contradict each other.

use ide_model::{QueryError, SymbolKind};

use super::{Check, Finding};
use crate::facts::{DefFlags, DefId, ScopeId, ScopeKind};

/// Declarations without text or condition of their own say nothing.
const PASSED_OVER: [DefFlags; 7] = [
    DefFlags::SYNTHETIC,
    DefFlags::ANONYMOUS,
    DefFlags::PROMOTED,
    DefFlags::ATTRIBUTE,
    DefFlags::HOISTED,
    DefFlags::NOT_BUILT,
    DefFlags::EXPECT,
];

/// A declaration is held against so many of its name before it: thousands of overloads are not compared with each other.
const COMPARED: usize = 64;

/// The second and further declarations of a name in a scope, where the language takes but one.
pub(super) fn duplicates(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let file = check.file;
    for scope in (0..file.scopes.len() as u32).map(ScopeId) {
        let all = file.all_in_scope(scope);
        for group in all.chunk_by(|a, b| file.def(*a).name == file.def(*b).name) {
            let counts = |id: &&DefId| {
                let def = file.def(**id);
                let is_named = !def.name_range.is_empty() && def.attach.is_none();
                let is_declaration = !matches!(def.kind, SymbolKind::Import | SymbolKind::Impl);
                is_named && is_declaration && !PASSED_OVER.iter().any(|flag| def.flags.has(*flag))
            };
            let mut group: Vec<DefId> = group.iter().filter(counts).copied().collect();
            group.sort_by_key(|id| file.def(*id).name_range.start);
            for (at, second) in group.iter().enumerate().skip(1) {
                let is_label = |id: DefId| file.def(id).kind == SymbolKind::Label;
                let clashes = |first: &&DefId| {
                    // Labels have names of their own.
                    is_label(**first) == is_label(*second)
                        && check.judge.is_twice(check.rx, (file, check.text), **first, *second)
                        && file.def(**first).name_range != file.def(*second).name_range
                };
                if group[at.saturating_sub(COMPARED)..at].iter().any(|first| clashes(&first)) {
                    let message = format!("`{}` is declared twice", file.def_name(*second));
                    found.push(Finding::new(file.def(*second).name_range, message));
                }
            }
        }
    }
    shadowing(check, found);
    check.cx.check()
}

/// Local variables under the name of one of their function that is in sight, where the language takes but one.
fn shadowing(check: &Check<'_>, found: &mut Vec<Finding>) {
    let file = check.file;
    let is_local = |id: DefId| {
        let def = file.def(id);
        matches!(def.kind, SymbolKind::Variable | SymbolKind::Parameter)
            && def.flags.has(DefFlags::LOCAL)
            && !def.name_range.is_empty()
            && !PASSED_OVER.iter().any(|flag| def.flags.has(*flag))
            && !matches!(file.def_name(id), "" | "_")
    };
    for id in file.def_ids().filter(|id| is_local(*id)) {
        let def = file.def(id);
        let mut around =
            file.scope_chain(def.scope).take_while(|scope| file.scope(*scope).kind != ScopeKind::Class);
        let clashes = |outer: &DefId| {
            is_local(*outer)
                && file.def(*outer).name_range.start < def.name_range.start
                && check.judge.may_not_shadow(file, *outer, id)
        };
        if around.any(|scope| file.in_scope(scope, def.name).iter().take(COMPARED).any(clashes)) {
            let message = format!("`{}` is declared twice", file.def_name(id));
            found.push(Finding::new(def.name_range, message));
        }
    }
}
