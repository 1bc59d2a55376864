//! Where implementations are: by the names that they show, and by the heads of their types.

use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Language, SymbolKind};
use rustc_hash::FxHashMap;

use super::conditions::is_active;
use super::members::{Head, head, self_type_of};
use crate::differential::render_type;
use crate::facts::{DefFlags, DefId, FileFacts, ScopeKind, TypeExpr, TypeId};
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// Where implementations and their members are, by the names that they show.
#[derive(Default)]
pub(super) struct Impls {
    by_trait: FxHashMap<Box<str>, Vec<GlobalDef>>,
    by_type: FxHashMap<Box<str>, Vec<GlobalDef>>,
    /// Names that type aliases give to types, by the names of the types.
    aliases: FxHashMap<Box<str>, Vec<Box<str>>>,
    /// Members of implementations and traits inside of functions, which the name index leaves out.
    pub(super) local_members: FxHashMap<Box<str>, Vec<GlobalDef>>,
    /// Members by name, and implementations by trait, sorted by the heads of their types once they were asked for.
    pub(super) members: Mutex<FxHashMap<Arc<str>, Arc<Grouped>>>,
    pub(super) implementations: Mutex<FxHashMap<GlobalDef, Arc<Grouped>>>,
    /// Implementations of all traits of one name.
    pub(super) named: Mutex<FxHashMap<Arc<str>, Arc<Grouped>>>,
}

/// Implementations, or members of them, by the heads of their types.
#[derive(Default)]
pub(super) struct Grouped {
    pub(super) by_head: FxHashMap<Head, Vec<GlobalDef>>,
    /// Those for type parameters.
    pub(super) blanket: Vec<GlobalDef>,
    /// Members that traits declare.
    pub(super) declared: Vec<GlobalDef>,
    /// Those for types of which nothing was known yet.
    pub(super) open: Vec<GlobalDef>,
}

impl Grouped {
    pub(super) fn add(&mut self, rx: &Resolver, def: GlobalDef, implementation: GlobalDef) {
        match head(rx, &self_type_of(rx, implementation)) {
            Some(Head::Any) => self.blanket.push(def),
            // Of a twin of what the default build takes from elsewhere.
            Some(Head::Named(_))
                if rx.def(implementation).supers.is_empty() && !is_active(rx, implementation) => {}
            Some(head) => self.by_head.entry(head).or_default().push(def),
            None => self.open.push(def),
        }
    }

    /// Those that a type of this head may have, blanket ones last.
    pub(super) fn of(&self, wanted: &Head) -> impl Iterator<Item = GlobalDef> + '_ {
        let own = self.by_head.get(wanted).map_or(&[][..], Vec::as_slice);
        own.iter().chain(&self.open).chain(&self.blanket).copied()
    }
}

pub(super) fn remembered<K: Hash + Eq>(
    memory: &Mutex<FxHashMap<K, Arc<Grouped>>>,
    key: K,
    make: impl FnOnce() -> Grouped,
) -> Arc<Grouped> {
    if let Some(known) = memory.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return known.clone();
    }
    let made = Arc::new(make());
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
            } else if def.kind == SymbolKind::TypeAlias {
                if let Some(name) = def.ty.and_then(|ty| type_name(facts, ty)) {
                    self.aliases.entry(name.into()).or_default().push(facts.name(def.name).into());
                }
            } else if def.flags.has(DefFlags::LOCAL) && is_member(facts, at.def) {
                self.local_members.entry(facts.name(def.name).into()).or_default().push(at);
            }
        }
    }

    /// Implementations of a trait with this name.
    pub(super) fn of_trait(&self, name: &str) -> &[GlobalDef] {
        self.by_trait.get(name).map_or(&[], Vec::as_slice)
    }

    /// Implementations for a type with this name, or with another that an alias gives it.
    pub(super) fn of_type<'a>(&'a self, name: &'a str) -> impl Iterator<Item = GlobalDef> + 'a {
        let aliases = self.aliases.get(name).into_iter().flatten().map(|alias| &**alias);
        let names = std::iter::once(name).chain(aliases.filter(move |alias| *alias != name));
        names.filter_map(|name| self.by_type.get(name)).flatten().copied()
    }
}

/// Declared directly in an implementation or a trait.
pub(super) fn is_member(facts: &FileFacts, def: DefId) -> bool {
    let scope = facts.scope(facts.def(def).scope);
    scope.kind == ScopeKind::Class
        && scope.owner.is_some_and(|o| matches!(facts.def(o).kind, SymbolKind::Impl | SymbolKind::Trait))
        && facts.def(def).kind != SymbolKind::TypeParameter
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
