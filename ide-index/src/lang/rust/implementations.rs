//! Tables of implementations: by the names that they show, and by the heads of their types.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::conditions::is_active;
use super::crates::{Crates, Home, lasting};
use super::library;
use super::members::{Head, head, self_type_of, trait_of};
use crate::differential::render_type;
use crate::facts::{Def, DefId, Expr, FileFacts, Import, NameId, RefId, TypeExpr, TypeId};
use crate::guard;
use crate::impl_sites::{FileImplSite, ImplRole, ImplSite, OtherName, Shown};
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef, World};

/// The implementations and their members, as far as they were asked for. Their places are known by the names
/// that they show.
#[derive(Default)]
pub(super) struct Impls {
    /// The subjects of implementations, as far as they were asked for.
    subjects: Mutex<FxHashMap<GlobalDef, Subject>>,
    /// Members by name, and implementations by trait, once they were asked for.
    members: Mutex<FxHashMap<Arc<str>, Arc<Sites>>>,
    implementations: Mutex<FxHashMap<GlobalDef, Arc<Sites>>>,
    /// Implementations of all traits of one name.
    named: Mutex<FxHashMap<Arc<str>, Arc<Sites>>>,
    /// The possible implementations for types.
    of_types: Mutex<FxHashMap<GlobalDef, Arc<[GlobalDef]>>>,
    /// The further names that types with other names may show.
    shown: Mutex<FxHashMap<Shown, Arc<[Given]>>>,
}

/// A name that types may show, in packages that see the one that gives it to them.
type Given = (Shown, Option<Home>);

/// The names that types may show beside their own.
#[derive(Default)]
struct OtherNames {
    known: FxHashMap<Shown, FxHashSet<Given>>,
    /// The names that any type may show.
    any: Vec<Given>,
}

impl OtherNames {
    fn of(rx: &Resolver) -> &Self {
        lasting(rx, |_| {}, |world| Self::read(world, Crates::of(rx)))
    }

    fn read(world: &dyn World, crates: &Crates) -> Self {
        let mut all = Self::default();
        for id in (0..world.file_count()).map(FileId) {
            let home = crates.home(id);
            for (name, other) in world.other_names(id).iter() {
                all.known.entry(*name).or_default().insert((*other, home));
            }
        }
        all.any = all.beginning_with(Shown::ANY);
        all
    }

    /// The names that types which show this one may show, ordered by it.
    fn beginning_with(&self, name: Shown) -> Vec<Given> {
        let mut found = FxHashSet::default();
        let (mut seen, mut todo) = (FxHashSet::from_iter([name]), vec![name]);
        while let Some(shown) = todo.pop() {
            for given in self.known.get(&shown).into_iter().flatten() {
                found.insert(*given);
                if seen.insert(given.0) {
                    todo.push(given.0);
                }
            }
        }
        // Its own name is given by nobody.
        found.insert((name, None));
        let mut found: Vec<Given> = found.into_iter().collect();
        found.sort_unstable_by_key(|given| given.0);
        found
    }
}

/// Whether a type that shows one of some names may be meant where this is shown.
fn may_be_shown(crates: &Crates, names: &[Given], shown: Shown, home: Option<Home>) -> bool {
    let from = names.partition_point(|given| given.0 < shown);
    names[from..].iter().take_while(|given| given.0 == shown).any(|given| crates.sees(home, given.1))
}

/// An implementation, or a member of one or of a trait.
#[derive(Clone, Copy)]
pub(super) struct Site {
    pub(super) def: GlobalDef,
    /// The implementation or trait that it stands in; an implementation itself.
    pub(super) owner: GlobalDef,
}

/// Implementations, or members of them, under one name, by their packages and by what their types show: of those that cannot
/// matter nothing is read.
#[derive(Default)]
pub(super) struct Sites {
    /// Implementations of other traits are left out.
    of: Option<GlobalDef>,
    /// Members that traits declare, with the names of the traits.
    declared: Vec<(Site, Arc<str>)>,
    /// The sites, those of a package one after the other.
    groups: Vec<Group>,
    /// The numbers of groups by what types in them show.
    by_shown: FxHashMap<Shown, Vec<usize>>,
    /// The groups whose implementations any type may have.
    any: Vec<usize>,
    /// The answers for questions that many groups were searched for.
    found: Mutex<FxHashMap<Wanted, Arc<ImplSites>>>,
}

type Wanted = (Head, Among);

/// The packages whose implementations matter for a type.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Among {
    All,
    /// The sites that a package sees.
    SeenFrom(Option<Home>),
    /// The sites that may implement a trait, if it is one of the world: who does it for a type sees the type, who
    /// does it for everything declares the trait.
    Implementing(Option<GlobalDef>),
}

impl Among {
    fn has(self, crates: &Crates, head: &Head, home: Option<Home>) -> bool {
        match (self, head) {
            (Self::SeenFrom(from), _) => crates.sees(from, home),
            (Self::Implementing(of), Head::Def(def)) => {
                crates.sees(home, crates.home(def.file)) || of.is_some_and(|of| crates.home(of.file) == home)
            }
            (Self::All | Self::Implementing(_), _) => true,
        }
    }
}

/// The sites that may be for a type.
#[derive(Default)]
pub(super) struct ImplSites {
    /// Members that traits declare which the type may have.
    pub(super) declared: Vec<Site>,
    /// The sites of the type, then those with a yet unknown subject, then those for type parameters.
    pub(super) all: Vec<Site>,
    blanket: usize,
}

impl ImplSites {
    /// All but those for type parameters, and those.
    pub(super) fn apart(&self) -> (&[Site], &[Site]) {
        self.all.split_at(self.blanket)
    }
}

/// Of so many groups what was found is remembered.
const MANY: usize = 4;

struct Group {
    home: Option<Home>,
    found: Vec<Site>,
    /// The same by the heads of their types, once asked for.
    grouped: Mutex<Option<Arc<Grouped>>>,
}

impl Sites {
    /// Of implementations those of one trait if there is one; each with what its type shows.
    fn new(rx: &Resolver, of: Option<GlobalDef>, found: impl IntoIterator<Item = (Site, Shown)>) -> Self {
        let crates = Crates::of(rx);
        let names = OtherNames::of(rx);
        let mut homes: FxHashMap<Option<Home>, usize> = FxHashMap::default();
        let mut sorted: BTreeMap<(usize, Shown), Vec<Site>> = BTreeMap::new();
        for (site, shown) in found {
            let next = homes.len();
            let realm = *homes.entry(crates.home(site.def.file)).or_insert(next);
            sorted.entry((realm, shown)).or_default().push(site);
        }
        let mut sites = Self { of, ..Self::default() };
        for ((_, shown), found) in sorted {
            let number = sites.groups.len();
            let home = found.first().and_then(|site| crates.home(site.def.file));
            if may_be_shown(crates, &names.any, shown, home) {
                sites.any.push(number);
            } else {
                sites.by_shown.entry(shown).or_default().push(number);
            }
            sites.groups.push(Group { home, found, grouped: Mutex::default() });
        }
        sites
    }

    /// The numbers of the groups that may have some for types with a head.
    fn numbers(&self, rx: &Resolver, impls: &Impls, head: &Head) -> SmallVec<[usize; 16]> {
        let crates = Crates::of(rx);
        let mut numbers = SmallVec::from_slice(&self.any);
        impls.shown(rx, head, |names| {
            let mut add = |shown: Shown, groups: &[usize]| {
                let may_be = |number: &usize| may_be_shown(crates, names, shown, self.groups[*number].home);
                numbers.extend(groups.iter().copied().filter(may_be));
            };
            if names.len() <= self.by_shown.len() {
                for same in names.chunk_by(|a, b| a.0 == b.0) {
                    self.by_shown.get(&same[0].0).into_iter().for_each(|groups| add(same[0].0, groups));
                }
            } else {
                self.by_shown.iter().for_each(|(shown, groups)| add(*shown, groups));
            }
        });
        numbers.sort_unstable();
        numbers
    }

    /// The sites that may be for a type with this head.
    pub(super) fn of_head(&self, rx: &Resolver, head: &Head, among: Among) -> Arc<ImplSites> {
        let impls = Impls::of(rx);
        let find = || {
            let crates = Crates::of(rx);
            let mut found = ImplSites::default();
            let (mut open, mut blanket): (Vec<Site>, Vec<Site>) = Default::default();
            let mut last = (None, 0);
            for number in self.numbers(rx, impls, head) {
                let group = &self.groups[number];
                if !among.has(crates, head, group.home) {
                    continue;
                }
                let grouped = group.grouped(rx, impls, self.of);
                if last.0 != Some(group.home) {
                    last = (Some(group.home), found.all.len());
                }
                if let Some(own) = grouped.by_head.get(head) {
                    found.all.extend(own);
                    found.all[last.1..].sort_by_key(|site| site.def);
                }
                open.extend(&grouped.open);
                blanket.extend(&grouped.blanket);
            }
            found.all.extend(open);
            found.blanket = found.all.len();
            found.all.extend(blanket);
            let is_had = |(site, of): &&(Site, Arc<str>)| {
                among.has(crates, head, crates.home(site.def.file))
                    && of_traits_named(rx, of).may_have(rx, impls, head)
            };
            found.declared = self.declared.iter().filter(is_had).map(|(site, _)| *site).collect();
            Arc::new(found)
        };
        if self.groups.len() + self.declared.len() <= MANY {
            return find();
        }
        remembered(&self.found, &(head.clone(), among), find)
    }

    /// Whether any may be for a type with this head, wherever.
    fn may_have(&self, rx: &Resolver, impls: &Impls, head: &Head) -> bool {
        !self.groups.is_empty() && !self.numbers(rx, impls, head).is_empty()
    }
}

impl Group {
    fn grouped(&self, rx: &Resolver, impls: &Impls, of: Option<GlobalDef>) -> Arc<Grouped> {
        if let Some(known) = &*self.grouped.lock().unwrap_or_else(PoisonError::into_inner) {
            return known.clone();
        }
        // Outside of the lock: heads are found by asking for types, and that may ask for these.
        let mut made = Grouped::default();
        let is_wanted = |site: &&Site| {
            of.is_none_or(|of| trait_of(rx, site.owner).and_then(|other| other.def()) == Some(of))
        };
        self.found.iter().filter(is_wanted).for_each(|site| made.add(rx, impls, *site));
        let made = Arc::new(made);
        *self.grouped.lock().unwrap_or_else(PoisonError::into_inner) = Some(made.clone());
        made
    }
}

/// Implementations, or members of them, by the heads of their types.
#[derive(Default)]
struct Grouped {
    by_head: FxHashMap<Head, Vec<Site>>,
    /// The sites for type parameters.
    blanket: Vec<Site>,
    /// The sites with a yet unknown subject.
    open: Vec<Site>,
}

impl Grouped {
    fn add(&mut self, rx: &Resolver, impls: &Impls, site: Site) {
        match impls.subject_of(rx, site.owner) {
            Subject::Of(Head::Any) => self.blanket.push(site),
            Subject::Of(head) => self.by_head.entry(head).or_default().push(site),
            Subject::Nothing => {}
            Subject::NotYet => self.open.push(site),
        }
    }
}

/// The type that an implementation is for.
#[derive(Clone)]
enum Subject {
    Of(Head),
    /// Nothing that anybody has, or nothing that is known.
    Nothing,
    /// It cannot be told while that is being found out.
    NotYet,
}

/// The value under a key, computed by the first question for it. The computation may ask for other values, and
/// for the same.
pub(super) fn remembered<K: Hash + Eq + Clone, V: Clone>(
    memory: &Mutex<FxHashMap<K, V>>,
    key: &K,
    make: impl FnOnce() -> V,
) -> V {
    remembered_as(memory, key, || key.clone(), make)
}

/// [`remembered`] under a key that is made of another.
pub(super) fn remembered_as<Q: Hash + Eq + ?Sized, K: Hash + Eq + Borrow<Q>, V: Clone>(
    memory: &Mutex<FxHashMap<K, V>>,
    key: &Q,
    own: impl FnOnce() -> K,
    make: impl FnOnce() -> V,
) -> V {
    if let Some(known) = memory.lock().unwrap_or_else(PoisonError::into_inner).get(key) {
        return known.clone();
    }
    let made = make();
    memory.lock().unwrap_or_else(PoisonError::into_inner).insert(own(), made.clone());
    made
}

impl Impls {
    pub(super) fn of(rx: &Resolver) -> &Self {
        rx.of_world(|_| Self::default())
    }

    /// Tells what the types may show that have this head, ordered by that.
    fn shown(&self, rx: &Resolver, head: &Head, tell: impl FnOnce(&[Given])) {
        let name = match head {
            Head::Def(def) => Shown::name(rx.file(def.file).def_name(def.def)),
            Head::Named(name) => Shown::name(name),
            Head::Any => return,
        };
        let names = OtherNames::of(rx);
        if !names.known.contains_key(&name) {
            return tell(&[(name, None)]);
        }
        tell(&remembered(&self.shown, &name, || names.beginning_with(name).into()));
    }

    fn subject_of(&self, rx: &Resolver, implementation: GlobalDef) -> Subject {
        let subjects = || self.subjects.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = subjects().get(&implementation) {
            return known.clone();
        }
        let (subject, is_whole) = rx.wholly(|| {
            let head = head(rx, &self_type_of(rx, implementation));
            // The twin of an implementation for a type that the default build takes from elsewhere.
            let is_twin = matches!(head, Some(Head::Named(_)))
                && rx.def(implementation).supers.is_empty()
                && !is_active(rx, implementation);
            if is_twin { Subject::Nothing } else { head.map_or(Subject::NotYet, Subject::Of) }
        });
        if !is_whole {
            return subject;
        }
        // A subject that is unknown now stays unknown.
        let subject = if matches!(subject, Subject::NotYet) { Subject::Nothing } else { subject };
        subjects().insert(implementation, subject.clone());
        subject
    }
}

/// Members with this name of implementations and traits.
pub(super) fn members_named(rx: &Resolver, name: &str) -> Arc<Sites> {
    let members = || {
        let (mut declared, mut found) = (Vec::new(), Vec::new());
        for ImplSite { at, role } in rx.world().impl_sites(name) {
            let owner = |def| GlobalDef { file: at.file, def };
            match role {
                ImplRole::Member(of, shown) | ImplRole::Inherent(of, shown) => {
                    found.push((Site { def: at, owner: owner(of) }, shown))
                }
                ImplRole::TraitMember(of, name) => declared.push((Site { def: at, owner: owner(of) }, name)),
                _ => {}
            }
        }
        Sites { declared, ..Sites::new(rx, None, found) }.into()
    };
    remembered_as(&Impls::of(rx).members, name, || name.into(), members)
}

/// Implementations of all traits with this name.
pub(super) fn of_traits_named(rx: &Resolver, name: &str) -> Arc<Sites> {
    let of_traits = || Sites::new(rx, None, shown_traits(rx, name)).into();
    remembered_as(&Impls::of(rx).named, name, || name.into(), of_traits)
}

/// Implementations of a trait.
pub(super) fn of_trait(rx: &Resolver, of: GlobalDef) -> Arc<Sites> {
    remembered(&Impls::of(rx).implementations, &of, || {
        let crates = Crates::of(rx);
        let home = crates.home(of.file);
        // An implementation of a trait sees the trait.
        let may_be = |(site, _): &(Site, _)| crates.sees(crates.home(site.def.file), home);
        Sites::new(rx, Some(of), shown_traits(rx, rx.def_name(of)).filter(may_be)).into()
    })
}

fn shown_traits(rx: &Resolver, name: &str) -> impl Iterator<Item = (Site, Shown)> {
    rx.world().impl_sites(name).into_iter().filter_map(|ImplSite { at, role }| match role {
        ImplRole::Trait(shown) => Some((Site { def: at, owner: at }, shown)),
        _ => None,
    })
}

/// The possible implementations for a type: those that show its name, or another that an alias gives it, in packages
/// that see it.
pub(super) fn of_type(rx: &Resolver, class: GlobalDef) -> Arc<[GlobalDef]> {
    remembered(&Impls::of(rx).of_types, &class, || {
        let name = rx.def_name(class);
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
        aliases.sort_unstable();
        aliases.dedup();
        for alias in aliases {
            let all = rx.world().impl_sites(&alias).into_iter();
            shown.extend(all.filter(|site| matches!(site.role, ImplRole::SelfType)).map(|site| site.at));
        }
        shown.retain(|def| crates.sees(crates.home(def.file), home));
        shown.into()
    })
}

/// The implementation sites of a file, in the order of the declarations.
pub(in crate::lang) fn impl_sites(facts: &FileFacts) -> Vec<FileImplSite<NameId>> {
    let mut sites = Vec::new();
    // The last implementation and the name its type shows; its members follow one after the other.
    let mut last = (DefId(u32::MAX), Shown::ANY);
    for def in facts.def_ids() {
        let d = facts.def(def);
        let mut add = |name: NameId, role| sites.push(FileImplSite { name, def, role });
        let name = || d.ty.and_then(|ty| type_name(facts, ty));
        if d.kind == SymbolKind::Impl {
            let of = facts.list(d.supers).next().and_then(|edge| type_name(facts, edge.ty));
            last = (def, shown_by(facts, d));
            of.into_iter().for_each(|name| add(name, ImplRole::Trait(last.1)));
            name().into_iter().for_each(|name| add(name, ImplRole::SelfType));
        } else if is_free_alias(facts, d) {
            name().into_iter().for_each(|name| add(name, ImplRole::Alias(d.name)));
        }
        let Some(owner) = facts.block_around(d) else { continue };
        let o = facts.def(owner);
        let role = match o.kind {
            SymbolKind::Trait => ImplRole::TraitMember(owner, o.name),
            _ => {
                if last.0 != owner {
                    last = (owner, shown_by(facts, o));
                }
                let is_inherent = facts.list(o.supers).next().is_none();
                if is_inherent { ImplRole::Inherent(owner, last.1) } else { ImplRole::Member(owner, last.1) }
            }
        };
        add(d.name, role);
    }
    sites
}

/// An alias that is no member.
fn is_free_alias(facts: &FileFacts, def: &Def) -> bool {
    def.kind == SymbolKind::TypeAlias && facts.block_around(def).is_none()
}

/// The name that the type of an implementation shows.
fn shown_by(facts: &FileFacts, implementation: &Def) -> Shown {
    implementation.ty.map_or(Shown::ANY, |ty| shown(facts, ty, implementation))
}

/// The name that a type shows, as heads are called; `owner` may have type parameters.
fn shown(facts: &FileFacts, mut ty: TypeId, owner: &Def) -> Shown {
    let name = loop {
        break match facts.ty(ty) {
            TypeExpr::Reference(inner) => {
                ty = inner;
                continue;
            }
            TypeExpr::Named { name, .. } => {
                let id = facts.reference(name).name;
                let is_own = facts.list(owner.type_params).any(|own| facts.def(own).name == id);
                (!is_own && is_said(facts, name)).then(|| facts.name(id))
            }
            TypeExpr::Primitive(name) => Some(facts.name(name)),
            TypeExpr::Array(_) | TypeExpr::Slice(_) => Some("slice"),
            TypeExpr::Tuple(_) => Some("tuple"),
            TypeExpr::Function { .. } => Some("fn"),
            TypeExpr::Pointer(_) => Some("pointer"),
            TypeExpr::Bounds(parts) if parts.len == 1 => {
                ty = facts.list(parts).next().unwrap_or(ty);
                continue;
            }
            _ => None,
        };
    };
    name.map_or(Shown::ANY, Shown::name)
}

/// A name stands for what is called so, or called otherwise by an alias or an import: behind modules, not behind types.
fn is_said(facts: &FileFacts, name: RefId) -> bool {
    let r = facts.reference(name);
    match r.receiver.map(|receiver| facts.expr(receiver)) {
        None => facts.name(r.name) != "Self" && !library::is_result_alias(facts.name(r.name)),
        Some(Expr::Ref(outer)) => {
            facts.ref_name(outer).starts_with(|c: char| !c.is_uppercase())
                && guard::deeper(|| is_said(facts, outer)).unwrap_or(false)
        }
        // `crate`, `self`, `super`, or the root of all crates.
        Some(Expr::Block { value, .. }) => matches!(facts.expr(value), Expr::Text(_)),
        Some(_) => false,
    }
}

/// The further names that types may show: those of aliases that are no members, and those that imports give.
pub(in crate::lang) fn other_names(facts: &FileFacts) -> Arc<[OtherName]> {
    let named = |name: NameId| Shown::name(facts.name(name));
    let of_alias = |def: &Def| {
        let ty = def.ty.filter(|_| is_free_alias(facts, def))?;
        Some((shown(facts, ty, def), named(def.name)))
    };
    let of_import = |import: &Import| {
        let (name, bound) = (facts.reference(import.member?).name, facts.def(import.def?).name);
        (name != bound && facts.name(bound) != "_").then(|| (named(name), named(bound)))
    };
    facts.defs.iter().filter_map(of_alias).chain(facts.imports.iter().filter_map(of_import)).collect()
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
