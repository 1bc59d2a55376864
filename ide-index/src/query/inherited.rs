//! Inherited declarations of some names, asked for many heirs one after the other: each type is gone through once, not once
//! for each below it.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use ide_model::SymbolKind;
use rustc_hash::FxHashMap;

use super::hierarchy::{Above, ancestors, declared, parents};
use crate::facts::DefFlags;
use crate::guard::{self, Limit};
use crate::resolve::{Resolver, Ty};
use crate::world::GlobalDef;

/// A type inherits no more declarations under the names than this, where each type has a list of its own.
const MOST: usize = 400;

/// See the head of this file.
pub(super) struct Inherited<'n> {
    names: &'n [Arc<str>],
    /// The declarations above a type.
    above: FxHashMap<Above, Arc<[GlobalDef]>>,
    /// The declarations that are nearest above a type with one supertype.
    nearest: FxHashMap<GlobalDef, Arc<[GlobalDef]>>,
    /// Whether types are below others.
    below: FxHashMap<(GlobalDef, GlobalDef), bool>,
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

    /// Whether a type is below another one.
    pub(super) fn is_below(&mut self, rx: &Resolver, class: GlobalDef, above: GlobalDef) -> bool {
        let find = || ancestors(rx, class).contains(&above);
        *self.below.entry((class, above)).or_insert_with(find)
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
        let mut waiting = Vec::new();
        let mut class = heir;
        let nearest = loop {
            if let Some(nearest) = self.nearest.get(&class) {
                break nearest.clone();
            }
            let supers = rx.supers(class);
            let above = match &*supers {
                [Ty::Instance(above, _)] if waiting.len() < MOST => *above,
                _ => break self.nearest_in_line(rx, class),
            };
            if !rx.policy_of(class).merged_elsewhere(rx, class).is_empty() {
                break self.nearest_in_line(rx, class);
            }
            waiting.push(class);
            let here = declared(rx, above, self.names);
            if !here.is_empty() || waiting.contains(&above) {
                break here.into();
            }
            class = above;
        };
        for below in waiting {
            self.nearest.insert(below, nearest.clone());
        }
        nearest
    }

    fn nearest_in_line(&self, rx: &Resolver, heir: GlobalDef) -> Arc<[GlobalDef]> {
        let line = rx.linearization(&rx.self_type(heir));
        let above = line.iter().filter_map(Ty::def).skip_while(|class| *class == heir);
        let mut here = above.map(|class| declared(rx, class, self.names));
        here.find(|here| !here.is_empty()).unwrap_or_default().into()
    }
}
