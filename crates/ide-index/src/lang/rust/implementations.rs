//! Where implementations are: by the names that they show, and by the heads of their types.

use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::SymbolKind;
use rustc_hash::FxHashMap;

use super::conditions::is_active;
use super::crates::{Crates, Home};
use super::members::{Head, head, self_type_of};
use crate::differential::render_type;
use crate::facts::{DefId, FileFacts, NameId, TypeExpr, TypeId};
use crate::impl_sites::{FileImplSite, ImplRole, ImplSite};
use crate::resolve::Resolver;
use crate::world::GlobalDef;

/// What was asked for of implementations and their members. Where they are is known by the names that they show.
#[derive(Default)]
pub(super) struct Impls {
    /// What implementations are for, as far as it was asked for.
    subjects: Mutex<FxHashMap<GlobalDef, Subject>>,
    /// Members by name, and implementations by trait, once they were asked for.
    pub(super) members: Mutex<FxHashMap<Arc<str>, Arc<[Realm]>>>,
    pub(super) implementations: Mutex<FxHashMap<GlobalDef, Arc<[Realm]>>>,
    /// Implementations of all traits of one name.
    pub(super) named: Mutex<FxHashMap<Arc<str>, Arc<[Realm]>>>,
}

/// An implementation, or a member of one or of a trait.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) def: GlobalDef,
    /// The implementation or trait that it stands in; an implementation itself.
    pub(super) owner: GlobalDef,
    pub(super) is_of_trait: bool,
}

impl Site {
    pub(super) fn implementation(def: GlobalDef) -> Self {
        Self { def, owner: def, is_of_trait: false }
    }
}

/// Implementations, or members of them, of one package: of those that cannot matter nothing is read.
pub(super) struct Realm {
    pub(super) home: Option<Home>,
    found: Vec<Site>,
    /// The same by the heads of their types, once asked for.
    grouped: Mutex<Option<Arc<Grouped>>>,
}

impl Realm {
    /// Sorts declarations by their packages.
    pub(super) fn all(rx: &Resolver, found: impl IntoIterator<Item = Site>) -> Arc<[Self]> {
        let crates = Crates::of(rx);
        let mut numbers: FxHashMap<Option<Home>, usize> = FxHashMap::default();
        let mut all: Vec<Self> = Vec::new();
        for site in found {
            let home = crates.home(site.def.file);
            let number = *numbers.entry(home).or_insert(all.len());
            if number == all.len() {
                all.push(Self { home, found: Vec::new(), grouped: Mutex::default() });
            }
            all[number].found.push(site);
        }
        all.into()
    }

    /// The same by the heads of their types.
    pub(super) fn grouped(&self, rx: &Resolver) -> Arc<Grouped> {
        if let Some(known) = &*self.grouped.lock().unwrap_or_else(PoisonError::into_inner) {
            return known.clone();
        }
        // Outside of the lock: heads are found by asking for types, and that may ask for these.
        let mut made = Grouped::default();
        let impls = Impls::of(rx);
        self.found.iter().for_each(|site| made.add(rx, &impls, *site));
        let made = Arc::new(made);
        *self.grouped.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        made
    }
}

/// Implementations, or members of them, by the heads of their types.
#[derive(Default)]
pub(super) struct Grouped {
    pub(super) by_head: FxHashMap<Head, Vec<Site>>,
    /// Those for type parameters.
    pub(super) blanket: Vec<Site>,
    /// Members that traits declare.
    pub(super) declared: Vec<Site>,
    /// Those for types of which nothing was known yet.
    pub(super) open: Vec<Site>,
}

impl Grouped {
    fn add(&mut self, rx: &Resolver, impls: &Impls, site: Site) {
        if site.is_of_trait {
            self.declared.push(site);
            return;
        }
        match impls.subject_of(rx, site.owner) {
            Subject::Of(Head::Any) => self.blanket.push(site),
            Subject::Of(head) => self.by_head.entry(head).or_default().push(site),
            Subject::Nothing => {}
            Subject::NotYet => self.open.push(site),
        }
    }
}

/// What an implementation is for.
#[derive(Clone)]
enum Subject {
    Of(Head),
    /// Nothing that anybody has, or nothing that is known.
    Nothing,
    /// It cannot be told while that is being found out.
    NotYet,
}

/// What is known under a key, made by the first that asks. Whoever makes it may ask for others, and for the same.
pub(super) fn remembered<K: Hash + Eq, V: Clone>(
    memory: &Mutex<FxHashMap<K, V>>,
    key: K,
    make: impl FnOnce() -> V,
) -> V {
    if let Some(known) = memory.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return known.clone();
    }
    let made = make();
    memory.lock().unwrap_or_else(PoisonError::into_inner).insert(key, made.clone());
    made
}

impl Impls {
    pub(super) fn of(rx: &Resolver) -> Arc<Self> {
        rx.of_world(|_| Self::default())
    }

    fn subject_of(&self, rx: &Resolver, implementation: GlobalDef) -> Subject {
        let subjects = || self.subjects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = subjects().get(&implementation) {
            return known.clone();
        }
        let (subject, is_whole) = rx.wholly(|| {
            let head = head(rx, &self_type_of(rx, implementation));
            // Of a twin of what the default build takes from elsewhere.
            let is_twin = matches!(head, Some(Head::Named(_)))
                && rx.def(implementation).supers.is_empty()
                && !is_active(rx, implementation);
            if is_twin { Subject::Nothing } else { head.map_or(Subject::NotYet, Subject::Of) }
        });
        if !is_whole {
            return subject;
        }
        // What is not known now will not be known later.
        let subject = if matches!(subject, Subject::NotYet) { Subject::Nothing } else { subject };
        subjects().insert(implementation, subject.clone());
        subject
    }
}

/// Members with this name of implementations and traits.
pub(super) fn members_named(rx: &Resolver, name: &str) -> impl Iterator<Item = Site> {
    rx.world().impl_sites(name).into_iter().filter_map(|ImplSite { at, role }| {
        let (owner, is_of_trait) = match role {
            ImplRole::Member(owner) => (owner, false),
            ImplRole::TraitMember(owner) => (owner, true),
            _ => return None,
        };
        Some(Site { def: at, owner: GlobalDef { file: at.file, def: owner }, is_of_trait })
    })
}

/// Implementations of traits with this name.
pub(super) fn of_traits_named(rx: &Resolver, name: &str) -> impl Iterator<Item = GlobalDef> {
    let all = rx.world().impl_sites(name).into_iter();
    all.filter(|site| matches!(site.role, ImplRole::Trait)).map(|site| site.at)
}

/// What may be implementations for a type: those that show its name, or another that an alias gives it, in packages that see
/// it.
pub(super) fn of_type(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let name = &*rx.def_name(class);
    let crates = Crates::of(rx);
    let home = crates.home(class.file);
    let (mut shown, mut aliases) = (Vec::new(), Vec::new());
    for ImplSite { at, role } in rx.world().impl_sites(name) {
        match role {
            ImplRole::SelfType => shown.push(at),
            ImplRole::Alias(alias) if *alias != *name => aliases.push(alias),
            _ => {}
        }
    }
    for alias in aliases {
        let all = rx.world().impl_sites(&alias).into_iter();
        shown.extend(all.filter(|site| matches!(site.role, ImplRole::SelfType)).map(|site| site.at));
    }
    shown.retain(|def| crates.sees(crates.home(def.file), home));
    shown
}

/// What a file says of implementations, in the order of the declarations.
pub(in crate::lang) fn impl_sites(facts: &FileFacts) -> Vec<FileImplSite<NameId>> {
    let mut sites = Vec::new();
    for def in facts.def_ids() {
        let d = facts.def(def);
        let mut add = |name: NameId, role| sites.push(FileImplSite { name, def, role });
        let shown = || d.ty.and_then(|ty| type_name(facts, ty));
        if d.kind == SymbolKind::Impl {
            let of = facts.list(d.supers).next().and_then(|edge| type_name(facts, edge.ty));
            of.into_iter().for_each(|name| add(name, ImplRole::Trait));
            shown().into_iter().for_each(|name| add(name, ImplRole::SelfType));
        } else if d.kind == SymbolKind::TypeAlias {
            shown().into_iter().for_each(|name| add(name, ImplRole::Alias(d.name)));
        }
        if let Some(owner) = facts.block_around(d) {
            let is_of_trait = facts.def(owner).kind == SymbolKind::Trait;
            let role = if is_of_trait { ImplRole::TraitMember(owner) } else { ImplRole::Member(owner) };
            add(d.name, role);
        }
    }
    sites
}

/// The last name of a type, references and pointers stripped.
fn type_name(facts: &FileFacts, mut ty: TypeId) -> Option<NameId> {
    loop {
        match facts.ty(ty) {
            TypeExpr::Named { name, .. } => return Some(facts.reference(name).name),
            TypeExpr::Reference(inner) | TypeExpr::Pointer(inner) => ty = inner,
            TypeExpr::Bounds(parts) => ty = facts.list(parts).next()?,
            _ => return None,
        }
    }
}

/// A type as it is written, without lifetimes.
pub(super) fn written(facts: &FileFacts, ty: TypeId) -> String {
    match facts.ty(ty) {
        TypeExpr::Reference(inner) => format!("&{}", written(facts, inner)),
        TypeExpr::Array(inner) | TypeExpr::Slice(inner) => format!("[{}]", written(facts, inner)),
        TypeExpr::Bounds(parts) => {
            facts.list(parts).map(|part| written(facts, part)).collect::<Vec<_>>().join(" + ")
        }
        _ => render_type(facts, ty),
    }
}

/// `impl Trait for Type`, `impl Type`.
pub(super) fn block_head(facts: &FileFacts, def: DefId) -> Option<String> {
    let d = facts.def(def);
    let of = written(facts, d.ty.filter(|_| d.kind == SymbolKind::Impl)?);
    Some(match facts.list(d.supers).next() {
        Some(edge) => format!("impl {} for {of}", written(facts, edge.ty)),
        None => format!("impl {of}"),
    })
}
