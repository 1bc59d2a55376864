//! Macros that files of a project share: files that call one are read once more, with its rules.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::SymbolKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{FileFacts, Role};
use crate::front::{FrontEnd, Others};
use crate::lang;
use crate::world::{FileId, World};

/// A macro that other files may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shared {
    pub(crate) path: Arc<str>,
    /// Its rules as they are written.
    pub(crate) rules: Arc<str>,
    /// Files of other crates may call it.
    pub(crate) is_exported: bool,
}

/// The macros that a file declares, and those that it calls and does not declare, by their crates and names.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileMacros {
    pub(crate) given: Vec<(Box<str>, Shared)>,
    pub(crate) called: Vec<(Option<Box<str>>, Box<str>)>,
}

impl FileMacros {
    /// The names of the macros that the file gives to others, each once, ordered.
    pub(crate) fn given_names(&self) -> BTreeSet<Arc<str>> {
        self.given.iter().map(|(name, _)| Arc::from(&**name)).collect()
    }

    /// The same in an order that does not depend on where in the file they stand.
    pub(crate) fn sorted(mut self: Box<Self>) -> Box<Self> {
        self.given.sort_by(|a, b| (&a.0, &a.1.rules).cmp(&(&b.0, &b.1.rules)));
        self.called.sort();
        self
    }
}

/// The macros of a project after a change.
pub struct Macros<'w> {
    /// The project before the change.
    before: Option<&'w dyn World>,
    /// Paths that changed or are gone.
    touched: FxHashSet<Arc<str>>,
    /// The macros of the files that changed.
    new: FxHashMap<Box<str>, Vec<Shared>>,
    /// All of a name, by path.
    known: Mutex<FxHashMap<Box<str>, Arc<[Shared]>>>,
}

impl<'w> Macros<'w> {
    /// After files were read alone, and others are gone.
    pub(crate) fn after<'p>(
        before: Option<&'w dyn World>,
        read: impl Iterator<Item = (&'p Arc<str>, Option<&'p FileMacros>)>,
        gone: &[Arc<str>],
    ) -> Self {
        let mut all = Self {
            before,
            touched: gone.iter().cloned().collect(),
            new: FxHashMap::default(),
            known: Mutex::default(),
        };
        for (path, macros) in read {
            if before.is_some() {
                all.touched.insert(path.clone());
            }
            for (name, shared) in macros.iter().flat_map(|macros| &macros.given) {
                all.new.entry(name.clone()).or_default().push(shared.clone());
            }
        }
        all
    }

    fn named(&self, name: &str) -> Arc<[Shared]> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = known.get(name) {
            return all.clone();
        }
        let mut all = self.new.get(name).cloned().unwrap_or_default();
        let mut last = None;
        for site in self.before.iter().flat_map(|before| before.declarations(name)) {
            if site.kind == SymbolKind::Macro && last.replace(site.at.file) != Some(site.at.file) {
                all.extend(
                    self.before_in(site.at.file).filter(|(n, _)| **n == *name).map(|(_, shared)| shared),
                );
            }
        }
        // Macros of one file stay in their order.
        all.sort_by(|a, b| a.path.cmp(&b.path));
        let all: Arc<[Shared]> = all.into();
        known.insert(name.into(), all.clone());
        all
    }

    /// The macros that a file gives which did not change.
    fn before_in(&self, file: FileId) -> impl Iterator<Item = (Box<str>, Shared)> + use<> {
        let path = |before: &&dyn World| before.file(file).path.0.clone();
        let before = self.before.filter(|before| !self.touched.contains(&path(before)));
        let macros = before.and_then(|before| lang::macros_of(&path(&before), &before.facts(file)));
        macros.into_iter().flat_map(|macros| macros.given)
    }

    /// Names whose macros are others than before the change.
    fn changed_names(&self) -> FxHashSet<Box<str>> {
        let Some(before) = self.before else { return FxHashSet::default() };
        let mut old: FxHashMap<Box<str>, Vec<Shared>> = FxHashMap::default();
        // Names whose rules are not known any more.
        let mut changed: FxHashSet<Box<str>> = FxHashSet::default();
        for file in self.touched.iter().filter_map(|path| before.file_by_path(path)) {
            let given = before.given_macros(file);
            if given.is_empty() {
                continue;
            }
            match before.kept_facts(file) {
                Some(facts) => {
                    let path = &before.file(file).path.0;
                    for (name, shared) in lang::macros_of(path, &facts).into_iter().flat_map(|all| all.given)
                    {
                        old.entry(name).or_default().push(shared);
                    }
                }
                None => changed.extend(given.iter().map(|name| Box::from(&**name))),
            }
        }
        let by_path = |all: Option<&Vec<Shared>>| {
            let mut all: Vec<Shared> = all.into_iter().flatten().cloned().collect();
            all.sort_by(|a, b| a.path.cmp(&b.path));
            all
        };
        let names = old.keys().chain(self.new.keys());
        changed.extend(names.filter(|name| by_path(old.get(*name)) != by_path(self.new.get(*name))).cloned());
        changed
    }

    /// The files that are to be read again: of those that were `read` the ones that may call macros of others, and those
    /// beside them that call what changed; ordered.
    pub(crate) fn readers<'p>(
        &self,
        read: impl Iterator<Item = (&'p Arc<str>, Option<&'p FileMacros>)>,
    ) -> Vec<Arc<str>> {
        let changed = self.changed_names();
        if self.before.is_none() && self.new.is_empty() {
            return Vec::new();
        }
        let mut all: Vec<Arc<str>> = read
            .filter(|(path, macros)| {
                let mut called = macros.iter().flat_map(|macros| &macros.called);
                called.any(|(krate, name)| {
                    changed.contains(name)
                        || lang::meant_macro(path, krate.as_deref(), &self.named(name)).is_some()
                })
            })
            .map(|(path, _)| path.clone())
            .collect();
        all.extend(changed.iter().flat_map(|name| self.callers_beside(name)));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The files that did not change and call a macro of that name.
    fn callers_beside<'s>(&'s self, name: &'s str) -> impl Iterator<Item = Arc<str>> + 's {
        let calls = move |facts: &FileFacts| {
            facts.refs.iter().any(|r| r.role == Role::Macro && facts.name(r.name) == name)
        };
        self.before.into_iter().flat_map(move |before| {
            let mentioning = before.files_mentioning(name).into_iter().filter(move |file| {
                let entry = before.file(*file);
                entry.language.is_some_and(lang::shares_macros)
                    && !self.touched.contains(&entry.path.0)
                    && calls(&before.facts(*file))
            });
            mentioning.map(move |file| before.file(file).path.0.clone())
        })
    }

    /// The facts of a file: alone, or with what these macros make of it.
    pub fn facts(macros: Option<&Self>, front_end: &dyn FrontEnd, path: &str, text: &str) -> FileFacts {
        match macros {
            Some(macros) => front_end.facts_among(path, text, &Given { macros, path }),
            None => front_end.facts(path, text),
        }
    }
}

struct Given<'m> {
    macros: &'m Macros<'m>,
    path: &'m str,
}

impl Others for Given<'_> {
    fn macro_rules(&self, krate: Option<&str>, name: &str) -> Option<Arc<str>> {
        let all = self.macros.named(name);
        lang::meant_macro(self.path, krate, &all).map(|shared| shared.rules.clone())
    }
}
