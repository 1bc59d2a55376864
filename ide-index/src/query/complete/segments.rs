//! Parts of the paths of imports: where a path begins, modules and crates; behind that, parts of the names of packages.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_model::{Completion, Confidence};

use super::{Candidate, Probed, Sign, Signs, names_of};
use crate::lang;
use crate::resolve::{FileView, Resolver};
use crate::world::FileId;

/// Marks between the parts of a package's name.
const MARKS: [char; 2] = ['.', '\\'];

impl Probed {
    /// Names for the place as a part of an import: all of them are there, so none has to be resolved.
    pub(super) fn parts_of_imports(&self) -> Vec<Candidate> {
        let mut found = self.imported_members();
        let known = names_of(&found);
        found.extend(self.segments().into_iter().filter(|f| !known.contains(&f.completion.name)));
        found
    }

    fn segments(&self) -> Vec<Candidate> {
        let names = self.pool.with(|rx| {
            let view = rx.file(self.id);
            let Some(before) = self.path_before(view) else { return BTreeMap::new() };
            let mut all = packages_behind(rx, view, &before);
            if before.is_empty() {
                all.extend(lang::judge(view.language()).import_roots(rx, view));
            }
            let mut names = BTreeMap::new();
            for (name, is_library) in all {
                let known = names.entry(name).or_insert(is_library);
                *known &= is_library;
            }
            names
        });
        let found = |(name, is_library)| Candidate {
            completion: Completion {
                name,
                symbol: None,
                is_keyword: false,
                confidence: Confidence::Exact,
                takes_arguments: None,
                mark: "",
            },
            signs: Signs::of(&[Sign::Declared, if is_library { Sign::Library } else { Sign::Own }]),
        };
        names.into_iter().map(found).collect()
    }

    /// The parts of an import's path before the place, where the place is part of one.
    fn path_before<'v>(&self, view: &'v FileView) -> Option<Vec<&'v str>> {
        view.imports.iter().find_map(|import| {
            let path: Vec<_> = view.list(import.path).collect();
            let at = path.iter().position(|part| *part == self.reference);
            // A name behind `from .` is one of a module, not a package.
            let is_last = import.member == Some(self.reference) && import.level == 0;
            let before = at.or_else(|| is_last.then_some(path.len()))?;
            Some(path[..before].iter().map(|part| view.ref_name(*part)).collect())
        })
    }
}

/// The parts that follow a beginning in the names of packages of the project and of libraries, and whether it is those of libraries.
fn packages_behind(rx: &Resolver, view: &FileView, before: &[&str]) -> Vec<(Arc<str>, bool)> {
    let world = rx.world();
    let of_project = (0..world.file_count()).map(FileId).filter(|id| {
        let language = world.file(*id).language;
        *id != view.id && language.is_some_and(|language| language.family() == view.family())
    });
    let own = of_project.filter_map(|id| world.package(id)).map(|package| (package, false));
    let all = own.chain(world.library_packages(view.family()).into_iter().map(|package| (package, true)));
    let next = |(package, is_library): (Arc<str>, bool)| {
        let mut parts = package.split(MARKS);
        let is_behind = before.iter().all(|part| parts.next() == Some(*part));
        let part = parts.next().filter(|part| is_behind && !part.is_empty())?;
        Some((Arc::from(part), is_library))
    };
    all.filter_map(next).collect()
}
