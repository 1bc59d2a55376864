//! Types that lack what their supertypes announce.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{QueryError, SymbolKind, TextRange};

use super::{Check, Finding};
use crate::facts::{DefFlags, DefId, SuperKind};
use crate::query::hierarchy::names_of;
use crate::resolve::{Member, Resolver, Ty};
use crate::world::GlobalDef;

/// Members that are named in a message.
const NAMED: usize = 5;

/// Declarations that must have every member of their supertypes and have not.
pub(super) fn missing(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let file = check.file;
    for id in file.def_ids() {
        check.cx.check()?;
        if let Some((range, lacking)) = lacking_of(check, id) {
            let who = match file.def_name(id) {
                "" => "this implementation".to_owned(),
                name => format!("`{name}`"),
            };
            report(check, range, &who, &lacking, found);
        }
    }
    Ok(())
}

/// The declaration that is reported at a place, with what it lacks.
pub(super) fn lacking_at(check: &Check<'_>, at: TextRange) -> Option<(DefId, Vec<GlobalDef>)> {
    check.file.def_ids().find_map(|id| {
        let (range, lacking) = lacking_of(check, id)?;
        (range == at && !lacking.is_empty()).then_some((id, lacking))
    })
}

/// Where a declaration is named, and what it lacks; `None` where it need not have anything.
fn lacking_of(check: &Check<'_>, id: DefId) -> Option<(TextRange, Vec<GlobalDef>)> {
    let file = check.file;
    if file.def(id).supers.is_empty() {
        return None;
    }
    if let Some((name, lacking)) = check.judge.lacks(check.rx, file, id) {
        return Some((file.reference(name).range, lacking));
    }
    let (class, def) = (file.global(id), file.def(id));
    let end = def.body.map_or(def.range.end, |body| file.scope(body).range.start).max(def.name_range.end);
    let head = check.text.get(def.name_range.end as usize..end as usize)?;
    check
        .judge
        .must_implement(check.rx, class, head)
        .then(|| (file.def(id).name_range, lacking(check, class)))
}

fn report(check: &Check<'_>, range: TextRange, who: &str, lacking: &[GlobalDef], found: &mut Vec<Finding>) {
    if lacking.is_empty() {
        return;
    }
    let names: Vec<String> =
        lacking.iter().take(NAMED).map(|member| format!("`{}`", check.rx.def_name(*member))).collect();
    let more =
        if lacking.len() > NAMED { format!(" and {} more", lacking.len() - NAMED) } else { String::new() };
    let message = format!("{who} does not implement {}{more}", names.join(", "));
    found.push(Finding::new(range, message));
}

/// The members that supertypes of a class announce and nobody has for it.
fn lacking(check: &Check<'_>, class: GlobalDef) -> Vec<GlobalDef> {
    let rx = check.rx;
    let line = rx.linearization(&Ty::instance(class));
    let mut lacking: Vec<GlobalDef> = Vec::new();
    let done = done_above(rx, class, &line);
    for part in line.iter().skip(1) {
        let Some(owner) = part.def().filter(|owner| !done.contains(owner)) else { continue };
        for member in announced(check, owner) {
            let name: Arc<str> = rx.shared_name(member);
            let has = |other: &Member| {
                other.def().is_none_or(|def| {
                    def != member
                        && !check.judge.is_announced(rx, def)
                        && (rx.policy_of(class).overrides(rx, class, def, member)
                            || is_vague(rx, def, member))
                })
            };
            let policy = rx.policy_of(class);
            let names = names_of(rx, member);
            let all =
                names.iter().flat_map(|name| policy.members(rx, check.file, &Ty::instance(class), name));
            let all: Vec<Member> = all.collect();
            let is_listed = lacking.iter().any(|other| rx.def_name(*other) == &*name);
            if !is_listed && !all.iter().any(has) {
                lacking.push(member);
            }
        }
    }
    lacking
}

/// Supertypes that a class above has everything of: one of which objects can be made, itself with all above it, or one that is
/// extended as a value and only described by an interface.
fn done_above(rx: &Resolver, class: GlobalDef, line: &[Ty]) -> BTreeSet<GlobalDef> {
    let mut done = BTreeSet::new();
    let owners: Vec<GlobalDef> = line.iter().filter_map(Ty::def).collect();
    for owner in &owners {
        // With it everything above it.
        if done.contains(owner) {
            continue;
        }
        let (file, def) = (rx.file(owner.file), rx.def(*owner));
        let extended = file.list(def.supers).filter(|edge| edge.kind == SuperKind::Extends);
        let described = extended.filter_map(|edge| rx.type_of(file, edge.ty).def());
        let described =
            described.filter(|of| def.kind != SymbolKind::Interface && rx.kind(*of) == SymbolKind::Interface);
        let is_made = *owner != class && def.kind == SymbolKind::Class && !def.flags.has(DefFlags::ABSTRACT);
        for top in described.chain(is_made.then_some(*owner)) {
            done.extend(rx.linearization(&Ty::instance(top)).iter().filter_map(Ty::def));
        }
    }
    done
}

/// Whether one may implement the other in a way that is not seen: of as many parameters.
fn is_vague(rx: &Resolver, method: GlobalDef, base: GlobalDef) -> bool {
    rx.def(method).params.len == rx.def(base).params.len && !rx.has_flag(method, DefFlags::STATIC)
}

fn announced(check: &Check<'_>, owner: GlobalDef) -> Vec<GlobalDef> {
    let file = check.rx.file(owner.file);
    let Some(body) = file.def(owner.def).body else { return Vec::new() };
    let is_member = |id: &DefId| {
        matches!(
            file.def(*id).kind,
            SymbolKind::Method | SymbolKind::Function | SymbolKind::Property | SymbolKind::Field
        )
    };
    let own = file.all_in_scope(body).iter().copied().filter(is_member).map(|id| file.global(id));
    own.filter(|member| check.judge.is_announced(check.rx, *member)).collect()
}
