//! What the files of a package declare at their top, found by name: a name is looked for in many packages, and most have
//! nothing of it.

use std::sync::{Arc, PoisonError, RwLock};

use ide_model::{Family, Language, SourceKind, SymbolKind};
use rustc_hash::FxHashMap;

use crate::facts::DefFlags;
use crate::resolve::Resolver;
use crate::world::{DeclarationSite, GlobalDef};

/// What is looked for at the top of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lang) enum Top {
    /// Types of Java and Kotlin.
    Types,
    /// Functions and properties of Kotlin.
    Members,
}

/// Declarations of one name by package.
#[derive(Default)]
pub(in crate::lang) struct Tops(FxHashMap<Arc<str>, Vec<GlobalDef>>);

type ByName = FxHashMap<Arc<str>, Arc<Tops>>;

/// As they were asked for.
#[derive(Default)]
struct Table {
    known: RwLock<[ByName; 2]>,
    /// What most names have.
    nothing: Arc<Tops>,
}

impl Tops {
    pub(in crate::lang) fn of(rx: &Resolver, what: Top, name: &str) -> Arc<Self> {
        let table = rx.of_world(|_| Table::default());
        let known = table.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known[what as usize].get(name) {
            return known.clone();
        }
        drop(known);
        let found = Self::read(rx, what, name);
        let found = if found.0.is_empty() { table.nothing.clone() } else { Arc::new(found) };
        let mut known = table.known.write().unwrap_or_else(PoisonError::into_inner);
        known[what as usize].insert(name.into(), found.clone());
        found
    }

    fn read(rx: &Resolver, what: Top, name: &str) -> Self {
        let world = rx.world();
        let is_wanted = |site: &DeclarationSite| {
            let language = world.file(site.at.file).language;
            !site.is_nested
                && match what {
                    Top::Types => site.kind.is_type() && language.is_some_and(|l| l.family() == Family::Jvm),
                    Top::Members => {
                        matches!(site.kind, SymbolKind::Function | SymbolKind::Property)
                            && language == Some(Language::Kotlin)
                    }
                }
        };
        let mut by_package: FxHashMap<Arc<str>, Vec<DeclarationSite>> = FxHashMap::default();
        let libraries = world.library_declarations(Family::Jvm, name);
        for site in world.declarations(name).into_iter().chain(libraries).filter(is_wanted) {
            let package = world.package(site.at.file).unwrap_or_default();
            by_package.entry(package).or_default().push(site);
        }
        // What Kotlin's library expects in common code it declares for the JVM too.
        let is_expected = |site: &DeclarationSite| {
            site.flags.has(DefFlags::EXPECT) && world.file(site.at.file).source == SourceKind::Library
        };
        let places = |sites: Vec<DeclarationSite>| -> Vec<GlobalDef> {
            let has_others = !sites.iter().all(is_expected);
            sites.iter().filter(|site| !(has_others && is_expected(site))).map(|site| site.at).collect()
        };
        Self(by_package.into_iter().map(|(package, sites)| (package, places(sites))).collect())
    }

    /// Those of a package.
    pub(in crate::lang) fn in_package(&self, package: &str) -> &[GlobalDef] {
        self.0.get(package).map_or(&[], Vec::as_slice)
    }
}
