//! Where implementations are: by the names that they show, and by the heads of their types.

use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Language, SymbolKind};
use rustc_hash::FxHashMap;

use super::conditions::is_active;
use super::crates::{Crates, Home};
use super::members::{Head, head, self_type_of};
use crate::differential::render_type;
use crate::facts::{DefId, FileFacts, ScopeKind, TypeExpr, TypeId};
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// Where implementations and their members are, by the names that they show.
#[derive(Default)]
pub(super) struct Impls {
    by_trait: FxHashMap<Box<str>, Vec<GlobalDef>>,
    by_type: FxHashMap<Box<str>, Vec<GlobalDef>>,
    /// Names that type aliases give to types, by the names of the types.
    aliases: FxHashMap<Box<str>, Vec<Box<str>>>,
    /// Members of implementations and traits.
    named_members: FxHashMap<Box<str>, Vec<Site>>,
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
        rx.of_world(Self::read)
    }

    fn read(rx: &Resolver) -> Self {
        let mut impls = Self::default();
        let world = rx.world();
        for id in (0..world.file_count()).map(FileId) {
            if world.file(id).language == Some(Language::Rust) {
                impls.read_file(id, &world.facts(id));
            }
        }
        impls
    }

    fn read_file(&mut self, file: FileId, facts: &FileFacts) {
        for (i, def) in facts.defs.iter().enumerate() {
            let at = GlobalDef { file, def: DefId(i as u32) };
            if def.kind == SymbolKind::Impl {
                let of = facts.list(def.supers).next().and_then(|edge| type_name(facts, edge.ty));
                if let Some(name) = of {
                    self.by_trait.entry(name.into()).or_default().push(at);
                }
                if let Some(name) = def.ty.and_then(|ty| type_name(facts, ty)) {
                    self.by_type.entry(name.into()).or_default().push(at);
                }
            } else if def.kind == SymbolKind::TypeAlias
                && let Some(name) = def.ty.and_then(|ty| type_name(facts, ty))
            {
                self.aliases.entry(name.into()).or_default().push(facts.name(def.name).into());
            }
            if let Some((owner, is_of_trait)) = owner(facts, at.def) {
                let site = Site { def: at, owner: GlobalDef { file, def: owner }, is_of_trait };
                match self.named_members.get_mut(facts.name(def.name)) {
                    Some(known) => known.push(site),
                    None => drop(self.named_members.insert(facts.name(def.name).into(), vec![site])),
                }
            }
        }
    }

    /// Members with this name of implementations and traits.
    pub(super) fn members_named(&self, name: &str) -> &[Site] {
        self.named_members.get(name).map_or(&[], Vec::as_slice)
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

    /// Implementations of a trait with this name.
    pub(super) fn of_trait(&self, name: &str) -> &[GlobalDef] {
        self.by_trait.get(name).map_or(&[], Vec::as_slice)
    }

    /// What may be implementations for a type: those that show its name, or another that an alias gives it, in packages that see
    /// it.
    pub(super) fn of_type(&self, rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        let name = &*rx.def_name(class);
        let crates = Crates::of(rx);
        let home = crates.home(class.file);
        let aliases = self.aliases.get(name).into_iter().flatten().map(|alias| &**alias);
        let names = std::iter::once(name).chain(aliases.filter(|alias| *alias != name));
        let shown = names.filter_map(|name| self.by_type.get(name)).flatten().copied();
        shown.filter(|def| crates.sees(crates.home(def.file), home)).collect()
    }
}

/// The implementation or trait that something is declared in directly, and whether it is a trait.
fn owner(facts: &FileFacts, def: DefId) -> Option<(DefId, bool)> {
    let d = facts.def(def);
    let scope = facts.scope(d.scope);
    let owner = scope.owner.filter(|_| scope.kind == ScopeKind::Class)?;
    let kind = facts.def(owner).kind;
    let is_member =
        matches!(kind, SymbolKind::Impl | SymbolKind::Trait) && d.kind != SymbolKind::TypeParameter;
    is_member.then_some((owner, kind == SymbolKind::Trait))
}

/// The last name of a type, references and pointers stripped.
fn type_name(facts: &FileFacts, mut ty: TypeId) -> Option<&str> {
    loop {
        match facts.ty(ty) {
            TypeExpr::Named { name, .. } => return Some(facts.ref_name(name)),
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
