//! Packages of Java and Kotlin of which a part is not in the world.

use std::sync::{Mutex, PoisonError};

use ide_model::Family;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::{Import, ImportKind};
use crate::resolve::{Resolver, Target};
use crate::world::FileId;

/// Packages of the project of which it is known whether a library that is not in the world has a part of them: others import types
/// of them that nothing declares.
#[derive(Default)]
struct SplitPackages(Mutex<FxHashMap<Box<str>, bool>>);

/// Files that are asked what they import of a package.
const MOST_IMPORTERS: usize = 1_000;

/// Whether a package may have types that are not in the world. So it is where too many files could import them.
pub(super) fn is_split(rx: &Resolver, package: &str) -> bool {
    let known = rx.of_world(|_| SplitPackages::default());
    let locked = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = locked().get(package) {
        return *known;
    }
    let mut segments = package.split('.');
    let mut importers = segments.next().map_or_else(Vec::new, |name| rx.world().files_mentioning(name));
    for name in segments {
        let others: FxHashSet<FileId> = rx.world().files_mentioning(name).into_iter().collect();
        importers.retain(|id| others.contains(id));
    }
    importers
        .retain(|id| rx.world().file(*id).language.is_some_and(|language| language.family() == Family::Jvm));
    let mut asked: FxHashSet<Box<str>> = FxHashSet::default();
    let is_split = importers.len() > MOST_IMPORTERS
        || importers.into_iter().any(|id| {
            let view = rx.file(id);
            let of_package =
                |import: &&Import| import.kind == ImportKind::Member && view.name(import.module) == package;
            let mut members = view.imports.iter().filter(of_package).filter_map(|import| import.member);
            members.any(|member| {
                asked.insert(view.ref_name(member).into())
                    && rx
                        .resolve(view.global_ref(member))
                        .resolution
                        .targets
                        .iter()
                        .any(|target| matches!(target, Target::External(_)))
            })
        });
    locked().insert(package.into(), is_split);
    is_split
}
