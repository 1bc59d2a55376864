//! Interfaces: what they ask for, which types have it, by themselves or by embedding one who has.

use std::collections::{BTreeSet, VecDeque};
use std::hash::Hash;
use std::mem::discriminant;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Language, SourceKind, SymbolKind, paths};
use rustc_hash::{FxHashMap, FxHashSet};

use super::members::is_error;
use super::policy::{GoPolicy, MAX_EMBEDDING};
use super::sameness::{Sameness, Side, basic};
use crate::facts::{DefFlags, DefId, ScopeId};
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
struct InterfaceCache {
    satisfied: Table,
    /// Of each file.
    embedded: Mutex<FxHashMap<FileId, Arc<Embedded>>>,
    /// The interfaces that functions declare, by their files.
    local: Mutex<FxHashMap<FileId, Arc<[GlobalDef]>>>,
}

/// Types by those that they embed or are defined by.
type Embedded = FxHashMap<GlobalDef, Vec<GlobalDef>>;

type Table = Mutex<FxHashMap<GlobalDef, Arc<[GlobalDef]>>>;

/// The entry of a table, computed at the first question.
fn known<K: Copy + Eq + Hash>(
    table: &Mutex<FxHashMap<K, Arc<[GlobalDef]>>>,
    of: K,
    find: impl FnOnce() -> Vec<GlobalDef>,
) -> Arc<[GlobalDef]> {
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
pub(super) fn interface_of(rx: &Resolver, def: GlobalDef) -> Option<GlobalDef> {
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

/// The steps that the comparison of a type with an interface takes.
const HAS_ALL: u32 = 12;

/// Whether a type has these methods, which an interface asks for.
fn has_all(rx: &Resolver, class: GlobalDef, interface: GlobalDef, methods: &[Wanted]) -> bool {
    if !guard::spend(HAS_ALL) {
        return false;
    }
    let ty = Ty::instance(class);
    let mut sameness = Sameness::new(rx);
    sameness.follow(class, Side::Have);
    sameness.follow(interface, Side::Wanted);
    methods.iter().all(|wanted| {
        let home = wanted.method.map(|method| &rx.world().file(method.file).path);
        let found = GoPolicy::select(rx, &ty, &wanted.name, home.map(|path| paths::directory(path.as_str())));
        let is_it = |have: &Member| match have.def() {
            // Nothing but the builtin `error` has a method that is not declared.
            None => true,
            Some(have) if rx.kind(have) != SymbolKind::Method => false,
            Some(have) => match wanted.method {
                Some(method) => sameness.methods(have, method),
                None => sameness.is_error(have),
            },
        };
        !found.is_ambiguous && found.members.iter().any(is_it)
    }) && is_allowed(rx, class, interface, 0)
}

/// Whether a type has what an interface asks for. One that embeds an implementation may have two of a method, or a field
/// in its place.
pub(super) fn may_implement(rx: &Resolver, of: GlobalDef, below: GlobalDef) -> bool {
    if !rx.kind(below).is_type() || interface_of(rx, of).is_none() {
        return true;
    }
    let methods = wanted(rx, of);
    methods.is_empty() || has_all(rx, below, of, &methods)
}

/// Whether a type is among those that an interface lists: `interface{ ~int; Get() int }`.
fn is_allowed(rx: &Resolver, class: GlobalDef, interface: GlobalDef, depth: usize) -> bool {
    let Some(interface) = interface_of(rx, interface).filter(|_| depth < MAX_EMBEDDING) else { return true };
    let terms = GoPolicy::terms(rx, interface);
    let own = GoPolicy::structure(rx, &Ty::instance(class));
    let is_it = |term: &Ty| match (&own, GoPolicy::underneath(rx, term)) {
        (_, Ty::Unknown | Ty::Param(_) | Ty::Pointer(_)) | (Ty::Instance(..), Ty::Instance(..)) => true,
        (Ty::External(own, _), Ty::External(term, _)) => basic(own) == basic(&term),
        (own, term) => discriminant(own) == discriminant(&term),
    };
    (terms.is_empty() || terms.iter().any(is_it))
        && rx
            .supers(interface)
            .iter()
            .filter_map(Ty::def)
            .all(|parent| is_allowed(rx, class, parent, depth + 1))
}

/// Whether a type has methods that it does not declare.
fn promotes(rx: &Resolver, class: GlobalDef) -> bool {
    let mut class = Some(class);
    for _ in 0..MAX_EMBEDDING {
        let Some(next) = class else { return false };
        if rx.kind(next) == SymbolKind::Interface || !rx.supers(next).is_empty() {
            return true;
        }
        class = GoPolicy::underlying(rx, next).and_then(|ty| ty.def());
    }
    false
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
        .filter(|class| {
            rx.def(*class).kind != SymbolKind::TypeParameter && has_all(rx, *class, interface, &methods)
        })
        .collect();
    found.sort_unstable();
    found
}

/// Interfaces that a type satisfies.
pub(super) fn satisfied(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    known(&rx.of_world(|_| InterfaceCache::default()).satisfied, class, || find_satisfied(rx, class)).to_vec()
}

/// The interfaces with a name that the functions of a file declare.
fn local_interfaces(rx: &Resolver, file: FileId) -> Arc<[GlobalDef]> {
    known(&rx.of_world(|_| InterfaceCache::default()).local, file, || {
        let view = rx.file(file);
        let is_local = |id: &DefId| {
            let d = view.def(*id);
            d.kind == SymbolKind::Interface
                && d.flags.has(DefFlags::LOCAL)
                && !d.flags.has(DefFlags::ANONYMOUS)
        };
        view.def_ids().filter(is_local).map(|id| view.global(id)).collect()
    })
}

fn find_satisfied(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let mut candidates: FxHashSet<GlobalDef> = FxHashSet::default();
    let names = method_names(rx, class);
    if rx.world().file(class.file).source != SourceKind::Library && !names.is_empty() {
        // No index has them: those of the package are gone through.
        let files = GoPolicy::siblings(rx, rx.file(class.file));
        let local = files.into_iter().flat_map(|file| local_interfaces(rx, file).to_vec());
        candidates.extend(local.filter(|interface| {
            let wanted = wanted(rx, *interface);
            !wanted.is_empty() && wanted.iter().all(|wanted| names.contains(&wanted.name))
        }));
    }
    for name in names {
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
    let mut found: Vec<GlobalDef> = candidates
        .into_iter()
        .filter(|interface| has_all(rx, class, *interface, &wanted(rx, *interface)))
        .collect();
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
            rx.owner_class(*asked).is_some_and(|interface| {
                let methods = wanted(rx, interface);
                types.iter().any(|ty| has_all(rx, *ty, interface, &methods))
            })
        }));
    }
    found
}

/// Types that have the methods of a type by embedding it, at whatever depth.
pub(super) fn takers(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let direct = |of: GlobalDef| {
        let mut all = embedders(rx, of);
        all.extend(embedding(rx, of));
        all
    };
    let mut seen = FxHashSet::default();
    let mut found = direct(class);
    found.retain(|def| seen.insert(*def));
    let mut next = 0;
    while let Some(taker) = found.get(next).copied() {
        guard::tick();
        let further = direct(taker);
        found.extend(further.into_iter().filter(|def| *def != class && seen.insert(*def)));
        next += 1;
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

/// Interfaces that embed an interface, and types that are defined by a type that has methods without declaring them: those
/// of its package, where it is no interface.
fn embedding(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let is_library = || rx.world().file(class.file).source == SourceKind::Library;
    let files = if interface_of(rx, class).is_some() {
        rx.world().files_mentioning(rx.def_name(class))
    } else if !is_library() && promotes(rx, class) {
        GoPolicy::siblings(rx, rx.file(class.file))
    } else {
        return Vec::new();
    };
    files.into_iter().flat_map(|id| embedded_in(rx, id).get(&class).cloned().unwrap_or_default()).collect()
}

/// The types of a file that may be interfaces by what they embed or are defined by.
fn embedded_in(rx: &Resolver, id: FileId) -> Arc<Embedded> {
    let known = rx.of_world(|_| InterfaceCache::default());
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

/// Names of the methods of a file by the types that they are declared for.
type ByReceiver = FxHashMap<GlobalDef, Vec<Arc<str>>>;

/// The tables of the files that were asked for.
#[derive(Default)]
struct Receivers(Mutex<FxHashMap<FileId, Arc<ByReceiver>>>);

impl Receivers {
    fn of(rx: &Resolver, id: FileId) -> Arc<ByReceiver> {
        let known = rx.extension(|_| Self::default());
        let locked = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(methods) = locked().get(&id) {
            return methods.clone();
        }
        let (methods, is_whole) = rx.wholly(|| {
            let mut methods = ByReceiver::default();
            let file = rx.file(id);
            for def in file.all_in_scope(ScopeId(0)).iter().filter(|def| file.def(**def).receiver.is_some()) {
                if let Some(class) = GoPolicy::receiver_type(rx, file.global(*def)) {
                    methods.entry(class).or_default().push(file.def_name(*def).into());
                }
            }
            Arc::new(methods)
        });
        if is_whole && guard::spend(1) {
            locked().insert(id, methods.clone());
        }
        methods
    }
}

/// A type is gone through so far, as embedding and definitions by other types may alternate.
const MOST_PARTS: usize = 2 * MAX_EMBEDDING;

/// Names of the methods that a type has, as far as it or what it embeds is declared here.
fn method_names(rx: &Resolver, class: GlobalDef) -> BTreeSet<Arc<str>> {
    let mut names: BTreeSet<Arc<str>> = BTreeSet::new();
    let mut seen = FxHashSet::default();
    let mut todo = VecDeque::from([(class, false, 0)]);
    while let Some((part, is_underlying, depth)) = todo.pop_front() {
        if depth > MOST_PARTS || !seen.insert((part, is_underlying)) {
            continue;
        }
        guard::tick();
        let is_library = rx.world().file(part.file).source == SourceKind::Library;
        let is_interface = interface_of(rx, part).is_some();
        if is_interface && (part == class || !is_library) {
            names.extend(wanted(rx, part).into_iter().map(|wanted| wanted.name));
        }
        if is_interface {
            continue;
        }
        let supers = rx.supers(part);
        let embedded = supers.iter().filter_map(|ty| GoPolicy::through(ty).def());
        todo.extend(embedded.map(|def| (def, false, depth + 1)));
        let underlying = GoPolicy::underlying(rx, part).and_then(|ty| ty.def());
        todo.extend(underlying.map(|def| (def, true, depth + 1)));
        // The methods that are declared for a type are not those of the types that it defines.
        if is_library || is_underlying {
            continue;
        }
        for id in GoPolicy::siblings(rx, rx.file(part.file)) {
            names.extend(Receivers::of(rx, id).get(&part).into_iter().flatten().cloned());
        }
    }
    names
}
