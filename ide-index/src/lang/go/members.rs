//! The meaning of a selector: members by the depth of embedding.

use ide_model::{Confidence, SymbolKind, paths};
use rustc_hash::{FxHashMap, FxHashSet};

use super::policy::{GoPolicy, MAX_EMBEDDING, is_exported};
use crate::resolve::{Member, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// The members of a name at the shallowest depth that has any.
#[derive(Default)]
pub(super) struct Selected {
    pub(super) members: Vec<Member>,
    /// More than one way of the same length leads to a member, so that a selector would mean none.
    pub(super) is_ambiguous: bool,
}

/// A type of one depth, and whether more than one way leads to it.
type Way = (Ty, bool);

impl GoPolicy {
    /// The members of a name that a file sees. A member that another package keeps to itself is shown only where there
    /// is no other.
    pub(super) fn visible(rx: &Resolver, ty: &Ty, name: &str, path: &str) -> Vec<Member> {
        let found = Self::select(rx, ty, name, Some(paths::directory(path))).members;
        if found.is_empty() && !is_exported(name) {
            return Self::select(rx, ty, name, None).members;
        }
        found
    }

    /// The members of a name, by the depth of embedding. `from` is the directory whose names without a capital are meant.
    pub(super) fn select(rx: &Resolver, ty: &Ty, name: &str, from: Option<&str>) -> Selected {
        let mut level: Vec<Way> = vec![(Self::through(ty), false)];
        let mut seen: FxHashSet<GlobalDef> = FxHashSet::default();
        for _ in 0..MAX_EMBEDDING {
            let mut deeper = Vec::new();
            let mut found = Selected::default();
            for (owner, is_repeated) in merged(level) {
                if owner.def().is_some_and(|class| !seen.insert(class)) {
                    continue;
                }
                let members =
                    Self::members_at(rx, owner, name, from, &mut |ty| deeper.push((ty, is_repeated)));
                found.is_ambiguous |= !members.is_empty() && (is_repeated || !found.members.is_empty());
                found.members.extend(members);
            }
            if !found.members.is_empty() {
                return found;
            }
            level = deeper;
        }
        Selected::default()
    }

    /// The members of a name that a type has without embedding. An interface has those of the interfaces that it embeds,
    /// a type that is defined by another has the fields of that, and its methods when it is an interface.
    fn members_at(
        rx: &Resolver,
        owner: Ty,
        name: &str,
        from: Option<&str>,
        embeds: &mut dyn FnMut(Ty),
    ) -> Vec<Member> {
        let is_hidden = |def: &GlobalDef| {
            let home = &rx.world().file(def.file).path;
            from.is_some_and(|from| !is_exported(name) && paths::directory(home.as_str()) != from)
        };
        let mut found = Vec::new();
        let mut seen: FxHashSet<GlobalDef> = FxHashSet::default();
        let mut parts = vec![(owner, false)];
        while let Some((part, is_underlying)) = parts.pop() {
            let Some(class) = part.def() else {
                if name == "Error" && is_error(&part) {
                    let target = Target::External("builtin.error.Error".into());
                    found.push(Member { target, owner: Ty::Unknown, confidence: Confidence::Inferred });
                }
                continue;
            };
            if !seen.insert(class) {
                continue;
            }
            let mut members = if is_underlying {
                rx.own_members(class, name)
            } else {
                Self::direct_members(rx, class, name)
            };
            members.retain(|def| !is_hidden(def));
            let is_found = !members.is_empty();
            found.extend(members.into_iter().map(|def| Member {
                target: Target::Def(def),
                owner: part.clone(),
                confidence: Confidence::Exact,
            }));
            let with = rx.arguments_of(&part);
            let is_interface = rx.kind(class) == SymbolKind::Interface;
            for parent in rx.supers(class).iter().map(|parent| Self::through(parent).substitute(&with)) {
                if !is_interface {
                    embeds(parent);
                } else if !is_found {
                    parts.push((parent, false));
                }
            }
            let underlying = Self::underlying(rx, class);
            parts.extend(underlying.map(|ty| (Self::through(&ty).substitute(&with), true)));
        }
        found
    }
}

/// Each type of a level once.
fn merged(level: Vec<Way>) -> Vec<Way> {
    let mut all: Vec<Way> = Vec::with_capacity(level.len());
    let mut places: FxHashMap<GlobalDef, usize> = FxHashMap::default();
    for (ty, is_repeated) in level {
        let place = ty.def().map(|class| *places.entry(class).or_insert(all.len()));
        match place.and_then(|place| all.get_mut(place)) {
            Some(way) => way.1 = true,
            None => all.push((ty, is_repeated)),
        }
    }
    all
}

pub(in crate::lang) fn is_error(ty: &Ty) -> bool {
    matches!(ty, Ty::External(name, _) if &**name == "builtin.error")
}
