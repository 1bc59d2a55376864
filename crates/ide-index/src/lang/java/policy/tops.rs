//! What the files of a package declare at their top, found by name: a name is looked for in many packages, and most have
//! nothing of it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ide_model::{Family, Language, SourceKind, SymbolKind};
use rustc_hash::FxHashMap;

use crate::facts::{DefFlags, ScopeId};
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
pub(in crate::lang) struct Tops(FxHashMap<Arc<str>, Sites>);

#[derive(Default)]
struct Sites {
    /// Some may stand inside of others.
    all: Vec<GlobalDef>,
    at_top: OnceLock<Box<[GlobalDef]>>,
}

type ByName = FxHashMap<Arc<str>, Arc<Tops>>;

/// As they were asked for.
#[derive(Default)]
struct Table(Mutex<[ByName; 2]>);

impl Tops {
    pub(in crate::lang) fn of(rx: &Resolver, what: Top, name: &str) -> Arc<Self> {
        let table = rx.extension(|_| Table::default());
        let lock = || table.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock()[what as usize].get(name) {
            return known.clone();
        }
        let found = Arc::new(Self::read(rx, what, name));
        lock()[what as usize].insert(name.into(), found.clone());
        found
    }

    fn read(rx: &Resolver, what: Top, name: &str) -> Self {
        let world = rx.world();
        let is_wanted = |site: &DeclarationSite| {
            let language = world.file(site.at.file).language;
            match what {
                Top::Types => site.kind.is_type() && language.is_some_and(|l| l.family() == Family::Jvm),
                Top::Members => {
                    matches!(site.kind, SymbolKind::Function | SymbolKind::Property)
                        && language == Some(Language::Kotlin)
                }
            }
        };
        let mut by_package: FxHashMap<Arc<str>, Sites> = FxHashMap::default();
        let libraries = world.library_declarations(Family::Jvm, name);
        for site in world.declarations(name).into_iter().chain(libraries).filter(is_wanted) {
            let package = world.package(site.at.file).unwrap_or_default();
            by_package.entry(package).or_default().all.push(site.at);
        }
        Self(by_package)
    }

    /// Those of a package. What Kotlin's library expects in common code it declares for the JVM too.
    pub(in crate::lang) fn in_package(&self, rx: &Resolver, package: &str) -> &[GlobalDef] {
        let Some(sites) = self.0.get(package) else { return &[] };
        sites.at_top.get_or_init(|| {
            let is_expected = |at: &GlobalDef| {
                rx.world().file(at.file).source == SourceKind::Library
                    && rx.file(at.file).has_flag(at.def, DefFlags::EXPECT)
            };
            let mut found = sites.all.clone();
            found.retain(|at| rx.file(at.file).def(at.def).scope == ScopeId(0));
            if !found.iter().all(is_expected) {
                found.retain(|at| !is_expected(at));
            }
            found.into()
        })
    }
}
