//! The top-level declarations of the files of a package, found by name: a name is looked for in many packages, and
//! most have nothing of it.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError, RwLock};

use ide_model::{Family, Language, SourceKind, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{DefFlags, NameId};
use crate::resolve::{FileView, Recent, Resolver};
use crate::world::{DeclarationSite, FileId, GlobalDef};

/// The kind of top-level declaration that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::lang) enum Top {
    /// Types of Java and Kotlin.
    Types,
    /// Functions and properties of Kotlin.
    Members,
}

/// Declarations of one name by package.
#[derive(Default)]
pub(in crate::lang) struct Tops {
    types: ByPackage,
    members: ByPackage,
    /// Packages of libraries that have more than these: see [`World::package_declarations`](crate::world::World).
    declaring: Arc<FxHashSet<Arc<str>>>,
}

type ByPackage = FxHashMap<Arc<str>, Vec<GlobalDef>>;

/// As they were asked for.
struct Table {
    known: RwLock<FxHashMap<Arc<str>, Arc<Tops>>>,
    /// The shared entry of names without declarations.
    nothing: Arc<Tops>,
}

/// The last answers for names, by the asking file.
struct Named(Recent<(FileId, NameId), Arc<Tops>>);

impl Tops {
    /// The top-level declarations under a name of a file.
    pub(in crate::lang) fn named(rx: &Resolver, file: &FileView, name: NameId) -> Arc<Self> {
        let known = rx.extension(|_| Named(Recent::new(4096)));
        known.0.answer(rx, (file.id, name), || Self::of(rx, file.name(name)))
    }

    pub(in crate::lang) fn of(rx: &Resolver, name: &str) -> Arc<Self> {
        let table = rx.of_world(|rx| {
            let declaring = rx.world().declaring_packages(Family::Jvm).into_iter().collect();
            let nothing = Tops { declaring: Arc::new(declaring), ..Tops::default() };
            Table { known: RwLock::default(), nothing: Arc::new(nothing) }
        });
        let known = table.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(name) {
            return known.clone();
        }
        drop(known);
        let found = Self { declaring: table.nothing.declaring.clone(), ..Self::read(rx, name) };
        let is_empty = found.types.is_empty() && found.members.is_empty();
        let found = if is_empty { table.nothing.clone() } else { Arc::new(found) };
        let mut known = table.known.write().unwrap_or_else(PoisonError::into_inner);
        known.insert(name.into(), found.clone());
        found
    }

    fn read(rx: &Resolver, name: &str) -> Self {
        let world = rx.world();
        let what = |site: &DeclarationSite| {
            let language = world.file(site.at.file).language;
            if site.is_nested {
                None
            } else if site.kind.is_type() {
                language.is_some_and(|l| l.family() == Family::Jvm).then_some(Top::Types)
            } else {
                let is_member = matches!(site.kind, SymbolKind::Function | SymbolKind::Property);
                (is_member && language == Some(Language::Kotlin)).then_some(Top::Members)
            }
        };
        let mut sites: [FxHashMap<Arc<str>, Vec<DeclarationSite>>; 2] = Default::default();
        let libraries = world.library_declarations(Family::Jvm, name);
        for site in world.declarations(name).into_iter().chain(libraries) {
            if let Some(what) = what(&site) {
                let package = world.package(site.at.file).unwrap_or_default();
                sites[what as usize].entry(package).or_default().push(site);
            }
        }
        // A declaration that Kotlin's library expects in common code is declared for the JVM too.
        let is_expected = |site: &DeclarationSite| {
            site.flags.has(DefFlags::EXPECT) && world.file(site.at.file).source == SourceKind::Library
        };
        let places = |sites: Vec<DeclarationSite>| -> Vec<GlobalDef> {
            let has_others = !sites.iter().all(is_expected);
            sites.iter().filter(|site| !(has_others && is_expected(site))).map(|site| site.at).collect()
        };
        let [types, members] = sites.map(|by_package| {
            by_package.into_iter().map(|(package, sites)| (package, places(sites))).collect()
        });
        Self { types, members, ..Self::default() }
    }

    /// The types of some packages.
    pub(super) fn types_of_packages(&self, is_meant: impl Fn(&str) -> bool) -> Vec<GlobalDef> {
        let meant = self.types.iter().filter(|(package, _)| is_meant(package));
        let mut all: Vec<GlobalDef> = meant.flat_map(|(_, types)| types.iter().copied()).collect();
        all.sort_unstable();
        all
    }

    /// The declarations in a package. `name` is theirs.
    pub(in crate::lang) fn in_package(
        &self,
        rx: &Resolver,
        name: &str,
        what: Top,
        package: &str,
    ) -> Cow<'_, [GlobalDef]> {
        let by_package = match what {
            Top::Types => &self.types,
            Top::Members => &self.members,
        };
        let own = by_package.get(package).map_or(&[][..], Vec::as_slice);
        if !self.declaring.contains(package) {
            return Cow::Borrowed(own);
        }
        let facades = rx.world().package_declarations(Family::Jvm, package, name);
        let found = facades.into_iter().filter(|site| site.kind.is_type() == (what == Top::Types));
        let found: Vec<GlobalDef> = found.map(|site| site.at).collect();
        if found.is_empty() { Cow::Borrowed(own) } else { Cow::Owned([own, &found].concat()) }
    }
}
