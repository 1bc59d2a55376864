//! The content of a lock file: packages, and the packages that each needs in turn.

use std::collections::{BTreeMap, VecDeque};

use super::{Declared, DependencyScope};

/// A package of a lock file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Indices of what it needs.
    pub(crate) needs: Vec<usize>,
    /// Whether it is a module of the project.
    pub(crate) is_module: bool,
}

/// Everything that a lock file names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Graph {
    pub(crate) packages: Vec<Package>,
    /// The package that a requirement of the module leads to, by the name that is asked for.
    pub(crate) direct: BTreeMap<String, usize>,
    /// Packages of which the file does not say who needs them, each with its scope.
    pub(crate) others: Vec<(usize, DependencyScope)>,
}

/// The packages that a module reaches in a graph.
pub(crate) struct Reached {
    /// Of each requirement, in their order.
    pub(crate) direct: Vec<Option<usize>>,
    pub(crate) in_turn: Vec<(usize, DependencyScope)>,
}

impl Graph {
    /// The index of a package that is added.
    pub(crate) fn add(&mut self, name: impl Into<String>, version: impl Into<String>) -> usize {
        let package = Package { name: name.into(), version: version.into(), ..Package::default() };
        self.packages.push(package);
        self.packages.len() - 1
    }

    /// Follows the requirements of a module.
    pub(crate) fn reached(&self, declared: &[Declared]) -> Reached {
        let direct: Vec<Option<usize>> =
            declared.iter().map(|declared| self.direct.get(&declared.name).copied()).collect();
        let mut scopes: BTreeMap<usize, DependencyScope> = BTreeMap::new();
        let starts = declared.iter().zip(&direct).filter_map(|(declared, at)| Some(((*at)?, declared.scope)));
        let mut todo: VecDeque<(usize, DependencyScope)> = starts
            .flat_map(|(at, scope)| self.packages[at].needs.iter().map(move |next| (*next, scope)))
            .chain(self.others.iter().copied())
            .collect();
        while let Some((at, scope)) = todo.pop_front() {
            // Wider scopes are told again to everything that is needed in turn; each package is met once a scope.
            if scopes.get(&at).is_some_and(|known| *known <= scope) {
                continue;
            }
            scopes.insert(at, scope);
            todo.extend(self.packages[at].needs.iter().map(|next| (*next, scope)));
        }
        Reached { direct, in_turn: scopes.into_iter().collect() }
    }
}
