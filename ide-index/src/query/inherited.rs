//! Inherited declarations of some names, asked for many heirs one after the other: each type is gone through once, not once
//! for each below it.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use ide_model::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::hierarchy::{Above, declared, parents};
use crate::facts::DefFlags;
use crate::guard::{self, Limit};
use crate::resolve::{Resolver, Ty};
use crate::world::GlobalDef;

/// A type inherits no more declarations under the names than this, where each type has a list of its own.
const MOST: usize = 400;

/// The declarations that are nearest above a type.
enum Nearest {
    Known(Arc<[GlobalDef]>),
    /// First that of this type has to be known.
    Waits(GlobalDef),
    /// The order in which supertypes are looked up decides.
    ByOrder,
}

/// See the head of this file.
pub(super) struct Inherited<'n> {
    names: &'n [Arc<str>],
    /// The declarations above a type.
    above: FxHashMap<Above, Arc<[GlobalDef]>>,
    /// The declarations that are nearest above a type.
    nearest: FxHashMap<GlobalDef, Arc<[GlobalDef]>>,
    /// Whether types are below others.
    below: FxHashMap<(Above, GlobalDef), bool>,
}

impl<'n> Inherited<'n> {
    pub(super) fn of(names: &'n [Arc<str>]) -> Self {
        Self {
            names,
            above: FxHashMap::default(),
            nearest: FxHashMap::default(),
            below: FxHashMap::default(),
        }
    }

    /// The declarations of all supertypes of a type, itself excluded. In a circle of types, which is an error, those of
    /// some of them.
    pub(super) fn above(&mut self, rx: &Resolver, class: GlobalDef) -> Arc<[GlobalDef]> {
        // Supertypes first; a type that waits for its own has nothing above it until then.
        let class = (class, false);
        let mut todo = vec![(class, false)];
        while let Some((next, is_ready)) = todo.pop() {
            if !guard::spend(1) {
                break;
            }
            if is_ready {
                let above = self.joined(rx, next);
                self.above.insert(next, above);
            } else if let Entry::Vacant(place) = self.above.entry(next) {
                place.insert(Arc::default());
                todo.push((next, true));
                todo.extend(parents(rx, next).map(|parent| (parent, false)));
            }
        }
        self.above.get(&class).cloned().unwrap_or_default()
    }

    /// Whether a type is below another one. Each type is gone through once for all that are asked about one above.
    pub(super) fn is_below(&mut self, rx: &Resolver, class: GlobalDef, above: GlobalDef) -> bool {
        if class == above {
            return false;
        }
        let start = (class, false);
        if let Some(known) = self.below.get(&(start, above)) {
            return *known;
        }
        // The types that were reached, with the ones below by which they were.
        let mut reached: FxHashMap<Above, Above> = FxHashMap::default();
        let mut todo = vec![start];
        while let Some(next) = todo.pop() {
            for parent in parents(rx, next).filter(|parent| parent.0 != class) {
                let known = self.below.get(&(parent, above)).copied();
                if parent.0 == above || known == Some(true) {
                    let mut way = Some(next);
                    while let Some(at) = way {
                        self.below.insert((at, above), true);
                        way = reached.get(&at).copied();
                    }
                    return true;
                }
                if let Entry::Vacant(place) = reached.entry(parent)
                    && known.is_none()
                {
                    place.insert(next);
                    todo.push(parent);
                }
            }
        }
        self.below.extend(reached.into_keys().chain([start]).map(|at| ((at, above), false)));
        false
    }

    fn joined(&self, rx: &Resolver, class: Above) -> Arc<[GlobalDef]> {
        let mut all: Arc<[GlobalDef]> = Arc::default();
        for parent in parents(rx, class).filter(|(parent, _)| *parent != class.0) {
            let further = self.above.get(&parent).cloned().unwrap_or_default();
            let here = declared(rx, parent.0, self.names);
            if all.is_empty() && here.is_empty() {
                all = further;
                continue;
            }
            let new: Vec<GlobalDef> =
                here.into_iter().chain(further.iter().copied()).filter(|def| !all.contains(def)).collect();
            if all.len() + new.len() > MOST {
                guard::note(Limit::Work);
                return all;
            }
            all = all.iter().copied().chain(new).collect();
        }
        all
    }

    /// The inherited member with a body, for a type that declares nothing under the names.
    pub(super) fn body(&mut self, rx: &Resolver, heir: GlobalDef) -> Option<GlobalDef> {
        let mut found = self.nearest(rx, heir).to_vec();
        found.retain(|def| {
            let d = rx.def(*def);
            let owner = rx.member_owner(*def).map(|owner| rx.kind(owner));
            !(d.flags.has(DefFlags::ABSTRACT) || d.flags.has(DefFlags::SIGNATURE))
                && owner != Some(SymbolKind::Interface)
        });
        match found[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The declarations of the first supertype in look-up order that has any.
    fn nearest(&mut self, rx: &Resolver, heir: GlobalDef) -> Arc<[GlobalDef]> {
        let mut todo = vec![heir];
        // Types that wait for one above: a circle is left to the order of look-up.
        let mut waiting = FxHashSet::default();
        while let Some(class) = todo.pop() {
            if !guard::spend(1) {
                return Arc::default();
            }
            if self.nearest.contains_key(&class) {
                continue;
            }
            let nearest = match self.nearest_of_parents(rx, class) {
                Nearest::Known(nearest) => nearest,
                Nearest::Waits(above) => {
                    waiting.insert(class);
                    if !waiting.contains(&above) {
                        todo.extend([class, above]);
                        continue;
                    }
                    self.nearest_in_line(rx, class)
                }
                Nearest::ByOrder => self.nearest_in_line(rx, class),
            };
            self.nearest.insert(class, nearest);
        }
        self.nearest.get(&heir).cloned().unwrap_or_default()
    }

    /// From what is nearest above each supertype: where they agree, their order does not matter.
    fn nearest_of_parents(&self, rx: &Resolver, class: GlobalDef) -> Nearest {
        let supers = rx.supers(class);
        if supers.is_empty() || !rx.policy_of(class).merged_elsewhere(rx, class).is_empty() {
            return Nearest::ByOrder;
        }
        let mut nearest: Arc<[GlobalDef]> = Arc::default();
        for parent in &*supers {
            let parent = match parent {
                Ty::Instance(parent, _) => parent,
                // Nothing is declared there that anybody sees.
                Ty::External(name, _) if !name.starts_with('#') => continue,
                Ty::ExternalName(_) | Ty::Unknown => continue,
                _ => return Nearest::ByOrder,
            };
            let mut above: Arc<[GlobalDef]> = declared(rx, *parent, self.names).into();
            if above.is_empty() {
                match self.nearest.get(parent) {
                    Some(known) => above = known.clone(),
                    None => return Nearest::Waits(*parent),
                }
            }
            match () {
                () if nearest.is_empty() => nearest = above,
                () if above.is_empty() || above == nearest => {}
                () => return Nearest::ByOrder,
            }
        }
        Nearest::Known(nearest)
    }

    fn nearest_in_line(&self, rx: &Resolver, heir: GlobalDef) -> Arc<[GlobalDef]> {
        let line = rx.linearization(&rx.self_type(heir));
        let above = line.iter().filter_map(Ty::def).skip_while(|class| *class == heir);
        let mut here = above.map(|class| declared(rx, class, self.names));
        here.find(|here| !here.is_empty()).unwrap_or_default().into()
    }
}
