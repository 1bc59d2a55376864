//! Types up and down, methods that override and are overridden.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Confidence, Cx, FileFilter, QueryError, Symbol, SymbolKind, TypeLink};
use rustc_hash::{FxHashMap, FxHashSet};

use super::definition::definition_of;
use super::inherited::Inherited;
use super::references::sought_of;
use super::symbol::symbol;
use super::{Resolvers, file_meta};
use crate::facts::{DefFlags, DefId, Expr, RefId, SuperKind, TypeExpr};
use crate::guard;
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Direct supertypes of a type in declaration order; see `Snapshot::supertypes`.
pub fn supertypes(pool: &Resolvers, cx: Cx<'_>, of: &Symbol) -> Result<Vec<TypeLink>, QueryError> {
    cx.check()?;
    pool.with(|rx| {
        let class = type_of_symbol(rx, of)?;
        let file = rx.file(class.file);
        let written: Vec<_> =
            file.list(file.def(class.def).supers).filter(|e| e.kind != SuperKind::Other).collect();
        let mut links: Vec<TypeLink> = Vec::new();
        let mut known: FxHashSet<GlobalDef> = FxHashSet::from_iter([class]);
        for edge in &written {
            let name = written_name(file, edge.ty);
            let above = rx.type_of(file, edge.ty).def();
            known.extend(above);
            // `type Loop struct{ *Loop }`
            if above != Some(class) {
                links.push(link(rx, name, above, Confidence::Exact));
            }
        }
        // The supertypes that the language adds without text: structural interfaces, implementations written
        // elsewhere.
        let above = rx.policy_of(class).shown_supers(rx, class);
        let above = above.iter().filter_map(Ty::def).map(|def| (def, Confidence::Exact));
        let structural = rx.policy_of(class).structural_supers(rx, class);
        for (def, confidence) in above.chain(structural.into_iter().map(|def| (def, Confidence::Inferred))) {
            if known.insert(def) {
                links.push(link(rx, rx.shared_name(def), Some(def), confidence));
            }
        }
        if let Some(root) = rx.policy_of(class).root_type() {
            let simple = root.rsplit('.').next().unwrap_or(root);
            links.retain(|link| match &link.symbol {
                Some(symbol) => symbol.qualified_name.as_deref() != Some(root),
                None => &*link.name != simple,
            });
        }
        Ok(links)
    })
}

fn link(rx: &Resolver, name: Arc<str>, def: Option<GlobalDef>, confidence: Confidence) -> TypeLink {
    TypeLink { name, symbol: def.map(|def| symbol(rx, def)), confidence }
}

fn written_name(file: &FileView, ty: crate::facts::TypeId) -> Arc<str> {
    match file.ty(ty) {
        TypeExpr::Named { name, .. } => file.ref_name(name).into(),
        _ => "?".into(),
    }
}

/// Direct subtypes of a type; see `Snapshot::subtypes`.
pub fn subtypes(
    pool: &Resolvers,
    cx: Cx<'_>,
    of: &Symbol,
    filter: FileFilter<'_>,
) -> Result<Vec<TypeLink>, QueryError> {
    pool.with(|rx| {
        let class = type_of_symbol(rx, of)?;
        let defs = direct_subtypes(rx, cx, class)?;
        Ok(defs
            .into_iter()
            .filter(|(def, _)| filter(&file_meta(rx.world().file(def.file))))
            .map(|(def, confidence)| {
                let symbol = symbol(rx, def);
                TypeLink { name: symbol.name.clone(), symbol: Some(symbol), confidence }
            })
            .collect())
    })
}

/// Declarations whose supertypes include the class, ordered by place.
pub(crate) fn direct_subtypes(
    rx: &Resolver,
    cx: Cx<'_>,
    class: GlobalDef,
) -> Result<Vec<(GlobalDef, Confidence)>, QueryError> {
    let mut found = declared_subtypes(rx, cx, class)?.to_vec();
    if rx.def(class).kind != SymbolKind::Impl {
        let structural = rx.policy_of(class).structural_subtypes(rx, class);
        found.extend(structural.into_iter().map(|def| (def, Confidence::Inferred)));
    }
    found.sort();
    found.dedup_by_key(|(def, _)| *def);
    Ok(found)
}

type Subtypes = Arc<[(GlobalDef, Confidence)]>;

/// The direct subtypes of types, as far as they were asked for, with their number: every member of a type asks for them.
#[derive(Default)]
struct AllBelow(Mutex<(FxHashMap<GlobalDef, Subtypes>, usize)>);

/// The direct subtypes that say so.
fn declared_subtypes(rx: &Resolver, cx: Cx<'_>, class: GlobalDef) -> Result<Subtypes, QueryError> {
    let known = rx.extension(|_| AllBelow::default());
    let locked = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(below) = locked().0.get(&class) {
        return Ok(below.clone());
    }
    let (below, is_whole) = rx.wholly(|| find_declared_subtypes(rx, cx, class));
    let below: Subtypes = below?.into();
    // Not when there was no work left to look at everything.
    if is_whole && guard::spend(1) {
        let (types, size) = &mut *locked();
        if *size > MOST_WRITTEN {
            (*types, *size) = Default::default();
        }
        *size += 1 + below.len();
        types.insert(class, below.clone());
    }
    Ok(below)
}

fn find_declared_subtypes(
    rx: &Resolver,
    cx: Cx<'_>,
    class: GlobalDef,
) -> Result<Vec<(GlobalDef, Confidence)>, QueryError> {
    // An implementation that stands for a type declared elsewhere has nothing below it.
    if rx.def(class).kind == SymbolKind::Impl {
        return Ok(Vec::new());
    }
    let sought = sought_of(rx, cx, &[class])?;
    let classes: FxHashSet<GlobalDef> = sought
        .targets
        .iter()
        .filter_map(|t| match t {
            Target::Def(def) => Some(*def),
            _ => None,
        })
        .collect();
    let names = with_aliases(rx, cx, &classes, sought.names)?;
    let files: BTreeSet<_> = names.iter().flat_map(|name| rx.world().files_mentioning(name)).collect();
    let mut found = Vec::new();
    for id in files {
        cx.check()?;
        let written = Written::of(rx, id);
        let below = classes.iter().filter_map(|class| written.below.get(class)).flatten();
        found.extend(below.map(|subtype| (*subtype, Confidence::Exact)));
    }
    found.sort();
    found.dedup_by_key(|(def, _)| *def);
    Ok(found)
}

/// Types of one file by the types above them, and its other names for types.
#[derive(Default)]
struct Written {
    below: FxHashMap<GlobalDef, Vec<GlobalDef>>,
    /// Variables and aliases of types by the name that they stand for.
    aliases: FxHashMap<Arc<str>, Vec<(DefId, RefId)>>,
}

/// Results found in files, with their size: a question about every type of a file goes through it once.
#[derive(Default)]
struct AllWritten(Mutex<(FxHashMap<FileId, Arc<Written>>, usize)>);

/// So many types and names are remembered at most.
const MOST_WRITTEN: usize = 200_000;

impl Written {
    fn of(rx: &Resolver, id: FileId) -> Arc<Self> {
        let known = rx.extension(|_| AllWritten::default());
        let locked = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(written) = locked().0.get(&id) {
            return written.clone();
        }
        let (written, is_whole) = rx.wholly(|| Arc::new(Self::read(rx, rx.file(id))));
        if is_whole && guard::spend(1) {
            let (files, size) = &mut *locked();
            if *size > MOST_WRITTEN {
                (*files, *size) = Default::default();
            }
            *size += 1 + written.below.len() + written.aliases.len();
            files.insert(id, written.clone());
        }
        written
    }

    fn read(rx: &Resolver, file: &FileView) -> Self {
        let mut written = Self::default();
        for def in file.def_ids() {
            let d = file.def(def);
            // An object that copies members of another is none of its subtypes.
            let is_copy = d.kind == SymbolKind::Object && d.flags.has(DefFlags::ANONYMOUS);
            let mut supers = file.list(d.supers).filter(|edge| !(is_copy && edge.kind == SuperKind::Mixes));
            if supers.next().is_some() && (d.kind.is_type() || d.kind == SymbolKind::Impl) {
                let at = file.global(def);
                let above = rx.policy_of(at).shown_supers(rx, at);
                let subtype = rx.policy_of(at).implemented_type(rx, at).unwrap_or(at);
                for parent in above.iter().filter_map(Ty::def) {
                    written.below.entry(parent).or_default().push(subtype);
                }
            }
            let meant = match (d.kind, d.init.map(|init| file.expr(init)), d.ty.map(|ty| file.ty(ty))) {
                (SymbolKind::Variable, Some(Expr::Ref(meant)), _)
                | (SymbolKind::TypeAlias, _, Some(TypeExpr::Named { name: meant, .. })) => meant,
                _ => continue,
            };
            if !d.flags.has(DefFlags::LOCAL) {
                written.aliases.entry(file.ref_name(meant).into()).or_default().push((def, meant));
            }
        }
        written
    }
}

/// Names of classes with those that variables and aliases of types give them.
fn with_aliases(
    rx: &Resolver,
    cx: Cx<'_>,
    classes: &FxHashSet<GlobalDef>,
    mut names: BTreeSet<Arc<str>>,
) -> Result<BTreeSet<Arc<str>>, QueryError> {
    let mut todo: Vec<Arc<str>> = names.iter().cloned().collect();
    while let Some(name) = todo.pop() {
        for id in rx.world().files_mentioning(&name) {
            cx.check()?;
            let (file, written) = (rx.file(id), Written::of(rx, id));
            for (def, meant) in written.aliases.get(&name).into_iter().flatten() {
                let is_it = |def: GlobalDef| classes.contains(&def) || names.contains(&rx.shared_name(def));
                if rx.resolve(file.global_ref(*meant)).resolution.defs().any(is_it)
                    && names.insert(file.def_name(*def).into())
                {
                    todo.push(file.def_name(*def).into());
                }
            }
        }
    }
    Ok(names)
}

/// All descendants of a type, or all methods that override one; see `Snapshot::implementations`.
pub fn implementations(
    pool: &Resolvers,
    cx: Cx<'_>,
    of: &Symbol,
    filter: FileFilter<'_>,
) -> Result<Vec<(Symbol, Confidence)>, QueryError> {
    pool.with(|rx| {
        let (_, def) = definition_of(rx, of)?;
        let def = def.ok_or_else(|| not_a("type or method", of))?;
        let found =
            if rx.def(def).kind.is_type() { descendants(rx, cx, def)? } else { overriding(rx, cx, def)? };
        Ok(found
            .into_iter()
            .filter(|(below, _)| {
                rx.policy_of(*below).implements(rx, def, *below)
                    && filter(&file_meta(rx.world().file(below.file)))
            })
            .map(|(def, confidence)| (symbol(rx, def), confidence))
            .collect())
    })
}

/// Direct and indirect subtypes, ordered by place, the type itself excluded.
pub(crate) fn descendants(
    rx: &Resolver,
    cx: Cx<'_>,
    class: GlobalDef,
) -> Result<Vec<(GlobalDef, Confidence)>, QueryError> {
    let mut all: Vec<(GlobalDef, Confidence)> = Vec::new();
    let mut seen = FxHashSet::from_iter([class]);
    let mut todo = vec![(class, false)];
    while let Some((next, is_alike)) = todo.pop() {
        if !guard::spend(1) {
            break;
        }
        // A type with the members of one that has those of the class has them too.
        let declared = declared_subtypes(rx, cx, next)?;
        let structural = match is_alike || rx.def(next).kind == SymbolKind::Impl {
            true => Vec::new(),
            false => rx.policy_of(next).structural_subtypes(rx, next),
        };
        let structural = structural.into_iter().map(|def| (def, Confidence::Inferred));
        for (def, confidence) in declared.iter().copied().chain(structural) {
            if seen.insert(def) {
                all.push((def, confidence));
                todo.push((def, is_alike || confidence == Confidence::Inferred));
            }
        }
    }
    all.sort();
    Ok(all)
}

/// Methods in descendants of the owner that override or implement this one, ordered by place.
pub(crate) fn overriding(
    rx: &Resolver,
    cx: Cx<'_>,
    method: GlobalDef,
) -> Result<Vec<(GlobalDef, Confidence)>, QueryError> {
    let Some(owner) = rx.member_owner(method) else { return Ok(Vec::new()) };
    let names = names_of(rx, method);
    let mut inherited = Inherited::of(&names);
    let mut found = Vec::new();
    for (class, confidence) in descendants(rx, cx, owner)? {
        let mut own = own_overrides(rx, class, method, &names);
        if own.is_empty() {
            own = names.iter().flat_map(|name| rx.policy_of(class).taken_over(rx, class, name)).collect();
            own.retain(|own| *own != method && rx.policy_of(*own).overrides(rx, class, *own, method));
        }
        if own.is_empty() {
            let body = inherited.body(rx, class);
            own.extend(body.filter(|body| stands_for(rx, &mut inherited, class, (*body, method))));
        }
        found.extend(own.into_iter().map(|own| (own, confidence)));
    }
    found.sort();
    found.dedup_by_key(|(def, _)| *def);
    Ok(found)
}

/// The names under which others may override a member, or be overridden by it.
pub(crate) fn names_of(rx: &Resolver, member: GlobalDef) -> Vec<Arc<str>> {
    let mut names = vec![rx.shared_name(member)];
    for name in rx.policy_of(member).accessors(rx, member) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The declarations of a type itself under some names.
pub(super) fn declared(rx: &Resolver, class: GlobalDef, names: &[Arc<str>]) -> Vec<GlobalDef> {
    let mut all: Vec<GlobalDef> = Vec::new();
    for def in names.iter().flat_map(|name| rx.declared_members(class, name)) {
        if !all.contains(&def) {
            all.push(def);
        }
    }
    all
}

/// The declarations of a subtype itself that override a method.
fn own_overrides(rx: &Resolver, class: GlobalDef, method: GlobalDef, names: &[Arc<str>]) -> Vec<GlobalDef> {
    let mut own = declared(rx, class, names);
    own.retain(|own| *own != method && rx.policy_of(*own).overrides(rx, class, *own, method));
    own
}

/// Whether an heir has a method of one class for what another, which knows nothing of the first, asks for.
fn stands_for(
    rx: &Resolver,
    inherited: &mut Inherited<'_>,
    heir: GlobalDef,
    (body, method): (GlobalDef, GlobalDef),
) -> bool {
    let owners = rx.member_owner(body).zip(rx.member_owner(method));
    owners.is_some_and(|(of_body, of_method)| {
        of_body != of_method
            && !inherited.is_below(rx, of_body, of_method)
            && rx.policy_of(body).overrides(rx, heir, body, method)
    })
}

/// The methods that a method implements in types that inherit it: `class C extends B implements I {}` makes `B.m` the
/// implementation of `I.m`.
pub(crate) fn implemented_by_heirs(
    rx: &Resolver,
    cx: Cx<'_>,
    method: GlobalDef,
) -> Result<Vec<GlobalDef>, QueryError> {
    let Some(owner) = rx.member_owner(method) else { return Ok(Vec::new()) };
    let names = names_of(rx, method);
    let mut inherited = Inherited::of(&names);
    let mut known: FxHashSet<GlobalDef> = inherited.above(rx, owner).iter().copied().collect();
    known.extend(declared(rx, owner, &names));
    let mut found: Vec<GlobalDef> = Vec::new();
    for (heir, _) in descendants(rx, cx, owner)? {
        cx.check()?;
        if !declared(rx, heir, &names).is_empty() {
            continue;
        }
        let all = inherited.above(rx, heir);
        let others: Vec<GlobalDef> = all.iter().copied().filter(|base| !known.contains(base)).collect();
        if others.is_empty() || inherited.body(rx, heir) != Some(method) {
            continue;
        }
        for base in others {
            if !found.contains(&base) && stands_for(rx, &mut inherited, heir, (method, base)) {
                found.push(base);
            }
        }
    }
    Ok(found)
}

/// Methods that a subtype inherits from elsewhere and that one of them overrides or implements there the other: `class C
/// extends A implements I {}` makes `A.m` the implementation of `I.m`.
fn overridden_in(
    rx: &Resolver,
    heir: GlobalDef,
    method: GlobalDef,
    inherited: &[GlobalDef],
) -> Vec<GlobalDef> {
    if !guard::spend(inherited.len() as u32) {
        return Vec::new();
    }
    let overrides = |a, b| rx.policy_of(a).overrides(rx, heir, a, b);
    let others = inherited.iter().copied().filter(|other| *other != method);
    others.filter(|other| overrides(method, *other) || overrides(*other, method)).collect()
}

/// The methods above and below a method, and those that it implements where both are inherited: all of them must keep
/// one name.
pub(crate) fn related_methods(
    rx: &Resolver,
    cx: Cx<'_>,
    method: GlobalDef,
) -> Result<BTreeSet<GlobalDef>, QueryError> {
    let Some(owner) = rx.member_owner(method) else { return Ok(BTreeSet::new()) };
    let names = names_of(rx, method);
    let mut found: BTreeSet<GlobalDef> = overridden(rx, method).into_iter().collect();
    let mut inherited = Inherited::of(&names);
    for (heir, _) in descendants(rx, cx, owner)? {
        let mut own = own_overrides(rx, heir, method, &names);
        if own.is_empty() {
            own = overridden_in(rx, heir, method, &inherited.above(rx, heir));
        }
        found.extend(own);
    }
    found.extend(rx.policy_of(method).asked_for_inside(rx, method));
    Ok(found)
}

/// Types with all their supertypes, each gone through once.
pub(super) fn with_ancestors(rx: &Resolver, types: &BTreeSet<GlobalDef>) -> FxHashSet<GlobalDef> {
    let mut todo: Vec<Above> = types.iter().map(|class| (*class, false)).collect();
    let mut seen: FxHashSet<Above> = todo.iter().copied().collect();
    while let Some(next) = todo.pop() {
        todo.extend(parents(rx, next).filter(|parent| seen.insert(*parent)));
    }
    seen.into_iter().map(|(class, _)| class).collect()
}

/// All supertypes of a type, itself excluded.
pub(crate) fn ancestors(rx: &Resolver, class: GlobalDef) -> BTreeSet<GlobalDef> {
    let mut all = BTreeSet::new();
    let mut todo: Vec<Above> = parents(rx, (class, false)).collect();
    while let Some(next) = todo.pop() {
        if next.0 != class && all.insert(next.0) {
            todo.extend(parents(rx, next));
        }
    }
    all
}

/// The nearest overridden declaration on each way up; see `Snapshot::super_methods`.
pub fn super_methods(pool: &Resolvers, cx: Cx<'_>, of: &Symbol) -> Result<Vec<Symbol>, QueryError> {
    cx.check()?;
    pool.with(|rx| {
        let (_, def) = definition_of(rx, of)?;
        let def = def.ok_or_else(|| not_a("method", of))?;
        let mut found = overridden(rx, def);
        for base in implemented_by_heirs(rx, cx, def)? {
            if !found.contains(&base) {
                found.push(base);
            }
        }
        Ok(found.into_iter().map(|def| symbol(rx, def)).collect())
    })
}

pub(crate) fn overridden(rx: &Resolver, method: GlobalDef) -> Vec<GlobalDef> {
    let Some(owner) = rx.member_owner(method) else { return Vec::new() };
    let names = names_of(rx, method);
    let name = &names[0];
    let (mut found, mut known) = (Vec::new(), FxHashSet::default());
    let mut seen = FxHashSet::from_iter([owner]);
    let mut todo: VecDeque<Above> = parents(rx, (owner, false)).collect();
    let takers = rx.policy_of(method).takers(rx, owner).into_iter();
    let takers = takers.filter(|taker| rx.policy_of(*taker).taken_over(rx, *taker, name).contains(&method));
    todo.extend(takers.flat_map(|taker| parents(rx, (taker, false))));
    while let Some((class, is_alike)) = todo.pop_front() {
        if !seen.insert(class) {
            continue;
        }
        let here = declared(rx, class, &names);
        match here.into_iter().find(|base| rx.policy_of(method).overrides(rx, owner, method, *base)) {
            Some(base) => {
                if known.insert(base) {
                    found.push(base);
                }
            }
            None => todo.extend(parents(rx, (class, is_alike))),
        }
    }
    found
}

/// A type, and whether nothing but its members put it where it is: what it has the members of, those below it have too.
pub(super) type Above = (GlobalDef, bool);

/// The direct supertypes, those that are not declared to be some behind the others.
pub(super) fn parents(rx: &Resolver, (class, is_alike): Above) -> impl Iterator<Item = Above> {
    guard::tick();
    let above = rx.policy_of(class).shown_supers(rx, class);
    let declared: Vec<Above> = above.iter().filter_map(Ty::def).map(|def| (def, is_alike)).collect();
    let structural = match is_alike {
        true => Vec::new(),
        false => rx.policy_of(class).structural_supers(rx, class),
    };
    declared.into_iter().chain(structural.into_iter().map(|def| (def, true)))
}

fn type_of_symbol(rx: &Resolver, of: &Symbol) -> Result<GlobalDef, QueryError> {
    let (_, def) = definition_of(rx, of)?;
    let def = def.ok_or_else(|| not_a("type", of))?;
    if rx.def(def).kind.is_type() || rx.def(def).kind == SymbolKind::Impl {
        return Ok(def);
    }
    if rx.def(def).flags.has(DefFlags::ANONYMOUS) || rx.def(def).kind == SymbolKind::Constructor {
        return rx.owner_class(def).ok_or_else(|| not_a("type", of));
    }
    Err(not_a("type", of))
}

fn not_a(what: &str, symbol: &Symbol) -> QueryError {
    QueryError::NothingHere { what: format!("`{}` is a {}, not a {what}", symbol.name, symbol.kind.as_str()) }
}
