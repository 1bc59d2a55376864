//! Interfaces: what they ask for, which types have it, by themselves or by embedding one who has.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Language, SourceKind, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::policy::{GoPolicy, MAX_EMBEDDING};
use super::sameness::Sameness;
use crate::facts::{DefFlags, ScopeId};
use crate::guard;
use crate::resolve::{Member, Policy as _, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// A method that an interface asks for; of that of the builtin `error` nothing but the name is declared.
struct Wanted {
    name: Arc<str>,
    method: Option<GlobalDef>,
}

/// The answers found so far about a world's types.
#[derive(Default)]
struct Known {
    satisfied: Table,
    /// Of each file.
    embedded: Mutex<FxHashMap<FileId, Arc<Embedded>>>,
}

/// Types by those that they embed or are defined by.
type Embedded = FxHashMap<GlobalDef, Vec<GlobalDef>>;

type Table = Mutex<FxHashMap<GlobalDef, Arc<[GlobalDef]>>>;

/// The entry of a table for a type, computed at the first question.
fn known(table: &Table, of: GlobalDef, find: impl FnOnce() -> Vec<GlobalDef>) -> Arc<[GlobalDef]> {
    let held = table.lock().unwrap_or_else(PoisonError::into_inner).get(&of).cloned();
    held.unwrap_or_else(|| {
        let found: Arc<[GlobalDef]> = find().into();
        // Not when there was no time to look at everything.
        if !guard::spend(1) {
            return found;
        }
        table.lock().unwrap_or_else(PoisonError::into_inner).insert(of, found.clone());
        found
    })
}

/// The interface that a declaration is, or is defined by.
fn interface_of(rx: &Resolver, def: GlobalDef) -> Option<GlobalDef> {
    let mut def = def;
    for _ in 0..MAX_EMBEDDING {
        if rx.def(def).kind == SymbolKind::Interface {
            return Some(def);
        }
        def = GoPolicy::underlying(rx, def)?.def()?;
    }
    None
}

fn wanted(rx: &Resolver, interface: GlobalDef) -> Vec<Wanted> {
    let mut all = Vec::new();
    let Some(interface) = interface_of(rx, interface) else { return all };
    for ty in rx.linearization(&Ty::instance(interface)).iter() {
        if is_error(ty) {
            all.push(Wanted { name: "Error".into(), method: None });
        }
        let Some(class) = ty.def() else { continue };
        let file = rx.file(class.file);
        let Some(body) = file.def(class.def).body else { continue };
        let methods = file.all_in_scope(body).iter().filter(|d| file.def(**d).kind == SymbolKind::Method);
        all.extend(methods.map(|d| Wanted { name: file.def_name(*d).into(), method: Some(file.global(*d)) }));
    }
    all
}

fn is_error(ty: &Ty) -> bool {
    matches!(ty, Ty::External(name, _) if &**name == "builtin.error")
}

/// The steps that the comparison of a type with an interface takes.
const HAS_ALL: u32 = 12;

/// Whether a type has these methods.
fn has_all(rx: &Resolver, class: GlobalDef, methods: &[Wanted]) -> bool {
    if !guard::spend(HAS_ALL) {
        return false;
    }
    let ty = Ty::instance(class);
    let owners = method_owners(rx, class);
    let is_own = |method| GoPolicy.member_owner(rx, method).is_some_and(|owner| owners.contains(&owner));
    let has_error = owners.iter().any(|owner| rx.supers(*owner).iter().any(is_error));
    let mut sameness = Sameness::new(rx);
    methods.iter().all(|wanted| {
        has_error && &*wanted.name == "Error"
            || GoPolicy::promoted(rx, &ty, &wanted.name).iter().filter_map(Member::def).any(|have| {
                rx.def(have).kind == SymbolKind::Method
                    && is_own(have)
                    && match wanted.method {
                        Some(method) => sameness.methods(have, method),
                        None => sameness.is_error(have),
                    }
            })
    })
}

/// A type and those whose methods it has by embedding. Its defining type gives it methods only when that is an
/// interface.
fn method_owners(rx: &Resolver, class: GlobalDef) -> FxHashSet<GlobalDef> {
    let mut owners = FxHashSet::default();
    let mut todo = vec![class];
    while let Some(next) = todo.pop() {
        if !owners.insert(next) {
            continue;
        }
        let embedded = |of: GlobalDef| {
            rx.supers(of).iter().filter_map(|ty| GoPolicy::through(ty).def()).collect::<Vec<_>>()
        };
        todo.extend(embedded(next));
        match GoPolicy::underlying(rx, next).and_then(|ty| ty.def()) {
            Some(by) if interface_of(rx, by).is_some() => todo.push(by),
            Some(by) => todo.extend(embedded(by)),
            None => {}
        }
    }
    owners
}

/// Types that satisfy an interface.
pub(super) fn satisfying(rx: &Resolver, interface: GlobalDef) -> Vec<GlobalDef> {
    let methods = wanted(rx, interface);
    // A type that satisfies it has its rarest method, directly or by embedding; the builtin `error` declares none.
    let declared = methods
        .iter()
        .map(|wanted| (&*wanted.name == "Error", rx.world().declarations(&wanted.name)))
        .min_by_key(|(is_error, sites)| (*is_error, sites.len()));
    // An empty interface is satisfied by everything, which tells nobody anything.
    let Some((_, rarest)) = declared else { return Vec::new() };
    let mut candidates: FxHashSet<GlobalDef> = FxHashSet::default();
    for site in rarest {
        let Some(owner) = GoPolicy.member_owner(rx, site.at) else { continue };
        let mut todo = vec![owner];
        while let Some(owner) = todo.pop() {
            if candidates.insert(owner) {
                todo.extend(embedders(rx, owner));
                todo.extend(embedding(rx, owner));
            }
        }
    }
    candidates.remove(&interface);
    let mut found: Vec<GlobalDef> = candidates
        .into_iter()
        .filter(|class| rx.def(*class).kind != SymbolKind::TypeParameter && has_all(rx, *class, &methods))
        .collect();
    found.sort_unstable();
    found
}

/// Interfaces that a type satisfies.
pub(super) fn satisfied(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    known(&rx.of_world(|_| Known::default()).satisfied, class, || find_satisfied(rx, class)).to_vec()
}

fn find_satisfied(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let mut candidates: FxHashSet<GlobalDef> = FxHashSet::default();
    for name in method_names(rx, class) {
        for site in rx.world().declarations(&name) {
            let is_asked = site.kind == SymbolKind::Method && site.flags.has(DefFlags::ABSTRACT);
            let mut todo: Vec<GlobalDef> = rx.owner_class(site.at).filter(|_| is_asked).into_iter().collect();
            while let Some(interface) = todo.pop() {
                if candidates.insert(interface) {
                    todo.extend(embedding(rx, interface));
                }
            }
        }
    }
    candidates.remove(&class);
    let mut found: Vec<GlobalDef> =
        candidates.into_iter().filter(|interface| has_all(rx, class, &wanted(rx, *interface))).collect();
    found.sort_unstable();
    found
}

/// The methods of interfaces inside of functions that a method is for: `x.(interface{ Close() error })`.
pub(super) fn inside_functions(rx: &Resolver, method: GlobalDef) -> Vec<GlobalDef> {
    let owner = GoPolicy.member_owner(rx, method).filter(|_| rx.kind(method) == SymbolKind::Method);
    let Some(owner) = owner else { return Vec::new() };
    let mut types = takers(rx, owner);
    types.push(owner);
    let mut found = Vec::new();
    let name = rx.shared_name(method);
    for id in rx.world().files_mentioning(&name) {
        let file = rx.file(id);
        let is_ours = rx.world().file(id).source != SourceKind::Library;
        let Some(name) = file.name_id(&name).filter(|_| is_ours && file.language() == Language::Go) else {
            continue;
        };
        let asked = file.def_ids().filter(|def| {
            let d = file.def(*def);
            d.name == name
                && d.kind == SymbolKind::Method
                && d.flags.has(DefFlags::ABSTRACT)
                && file.global(*def) != method
                && file.enclosing_function(file.scope(d.scope).parent.unwrap_or(d.scope)).is_some()
        });
        found.extend(asked.map(|def| file.global(def)).filter(|asked| {
            let methods = rx.owner_class(*asked).map(|interface| wanted(rx, interface));
            methods.is_some_and(|methods| types.iter().any(|ty| has_all(rx, *ty, &methods)))
        }));
    }
    found
}

/// Types that have the methods of a type by embedding it, at whatever depth.
pub(super) fn takers(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let mut found = embedders(rx, class);
    let mut next = 0;
    while let Some(taker) = found.get(next).copied() {
        let further = embedders(rx, taker);
        found.extend(further.into_iter().filter(|def| *def != class));
        next += 1;
        let mut seen = FxHashSet::default();
        found.retain(|def| seen.insert(*def));
    }
    found
}

/// Structs that embed a type.
fn embedders(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let name = rx.def_name(class);
    let mut found = Vec::new();
    for site in rx.world().declarations(name) {
        // An embedded type is a synthetic field of its name.
        if site.kind == SymbolKind::Field
            && site.flags.has(DefFlags::SYNTHETIC)
            && let Some(owner) = rx.owner_class(site.at)
            && rx.supers(owner).iter().any(|ty| GoPolicy::through(ty).def() == Some(class))
        {
            found.push(owner);
        }
    }
    found
}

/// Interfaces that embed an interface, or are defined by it.
fn embedding(rx: &Resolver, interface: GlobalDef) -> Vec<GlobalDef> {
    if interface_of(rx, interface).is_none() {
        return Vec::new();
    }
    let files = rx.world().files_mentioning(rx.def_name(interface));
    files
        .into_iter()
        .flat_map(|id| embedded_in(rx, id).get(&interface).cloned().unwrap_or_default())
        .collect()
}

/// The types of a file that may be interfaces by what they embed or are defined by.
fn embedded_in(rx: &Resolver, id: FileId) -> Arc<Embedded> {
    let known = rx.of_world(|_| Known::default());
    let locked = || known.embedded.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(embedded) = locked().get(&id) {
        return embedded.clone();
    }
    let file = rx.file(id);
    let mut embedded = Embedded::default();
    for id in file.def_ids() {
        let d = file.def(id);
        let is_defined = d.kind == SymbolKind::Class && d.ty.is_some();
        if !(d.kind == SymbolKind::Interface && d.supers.len > 0 || is_defined) {
            continue;
        }
        let def = file.global(id);
        let supers = rx.supers(def);
        let by = GoPolicy::underlying(rx, def);
        let above: BTreeSet<GlobalDef> = supers.iter().chain(&by).filter_map(Ty::def).collect();
        above.into_iter().for_each(|above| embedded.entry(above).or_default().push(def));
    }
    let embedded = Arc::new(embedded);
    locked().insert(id, embedded.clone());
    embedded
}

/// Names of the methods that a type has, as far as it or what it embeds is declared here.
fn method_names(rx: &Resolver, class: GlobalDef) -> BTreeSet<Arc<str>> {
    let mut names: BTreeSet<Arc<str>> = BTreeSet::new();
    if interface_of(rx, class).is_some() {
        names.extend(wanted(rx, class).into_iter().map(|wanted| wanted.name));
        return names;
    }
    for ty in rx.linearization(&Ty::instance(class)).iter() {
        let Some(part) = GoPolicy::through(ty).def() else { continue };
        if rx.world().file(part.file).source == SourceKind::Library {
            continue;
        }
        if rx.def(part).kind == SymbolKind::Interface {
            names.extend(wanted(rx, part).into_iter().map(|wanted| wanted.name));
            continue;
        }
        for id in GoPolicy::siblings(rx, rx.file(part.file)) {
            let file = rx.file(id);
            for def in file.all_in_scope(ScopeId(0)) {
                if file.def(*def).receiver.is_some()
                    && GoPolicy::receiver_type(rx, file.global(*def)) == Some(part)
                {
                    names.insert(file.def_name(*def).into());
                }
            }
        }
    }
    names
}
