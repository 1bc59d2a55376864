//! One opened project: its root, its content roots and its modules.

use std::io;

use crate::contain::Root;
use crate::exclude::Exclusions;
use crate::fs::Fs;
use crate::model::{Classifier, ModelProblem, Module, read_model};
use crate::path::AbsPath;
use crate::projects::checkout_of;

/// A project as found on disk. Keyed by its real root path, never by its name: two checkouts or
/// worktrees of one repository are two projects.
#[derive(Clone, Debug)]
pub struct Project {
    root: Root,
    content_roots: Vec<Root>,
    trusted: Vec<Root>,
    checkout: AbsPath,
    modules: Vec<Module>,
    missing: Vec<String>,
    problems: Vec<ModelProblem>,
    exclusions: Exclusions,
    classifier: Classifier,
}

impl Project {
    /// Reads the project at a directory: build files, workspace members, source roots.
    ///
    /// `trusted` are directories outside of the project that its build files may name modules in.
    ///
    /// Build files that cannot be read or understood do not stop it; they are listed in
    /// [`Project::problems`].
    ///
    /// # Errors
    /// When the directory does not exist.
    pub fn open(
        fs: &dyn Fs,
        spelling: &str,
        trusted: &[Root],
        exclusions: Exclusions,
    ) -> io::Result<Project> {
        let root = Root::open(fs, spelling)?;
        let model = read_model(fs, &root, trusted, &exclusions);
        let mut content_roots: Vec<Root> = Vec::new();
        for module in &model.modules {
            match root.below(&module.root) {
                Some(same) if same.same(root.canonical()) => {}
                Some(below) => content_roots.push(below),
                None => content_roots.push(Root::open(fs, module.root.as_str())?),
            }
        }
        content_roots.sort_by(|a, b| a.canonical().cmp(b.canonical()));
        content_roots.dedup_by(|a, b| a.same(b.canonical()));
        let classifier = Classifier::new(&root, &model.modules);
        let checkout = checkout_of(fs, root.canonical()).unwrap_or_else(|| root.canonical().clone());
        Ok(Project {
            root,
            content_roots,
            trusted: trusted.to_vec(),
            checkout,
            modules: model.modules,
            missing: model.missing,
            problems: model.problems,
            exclusions,
            classifier,
        })
    }

    /// The display name: the directory's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        let spelled = self.root.spelling().rsplit('/').next().unwrap_or_default();
        if spelled.is_empty() || spelled == ".." { self.root.canonical().name() } else { spelled }
    }

    /// The project root.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The real path of the checkout that the project lies in, which may be larger; the project root where there is none.
    #[must_use]
    pub fn checkout(&self) -> &AbsPath {
        &self.checkout
    }

    /// The content roots other than the project root, sorted by real path.
    #[must_use]
    pub fn content_roots(&self) -> &[Root] {
        &self.content_roots
    }

    /// The content roots outside of the project root that lie in no other one, by real path.
    pub fn outer_roots(&self) -> impl Iterator<Item = &AbsPath> {
        let outer =
            || self.content_roots.iter().filter(|root| self.root.relative(root.canonical()).is_none());
        let is_inner =
            move |path: &AbsPath| outer().any(|root| !root.same(path) && root.relative(path).is_some());
        outer().map(Root::canonical).filter(move |path| !is_inner(path))
    }

    /// The directories outside of the project that its build files may name modules in.
    #[must_use]
    pub fn trusted(&self) -> &[Root] {
        &self.trusted
    }

    /// The modules, the root's own first if it has one, then by path.
    #[must_use]
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Modules that build files name although they are not there, as absolute paths that may hold `..`.
    #[must_use]
    pub fn missing_modules(&self) -> &[String] {
        &self.missing
    }

    /// Build files that could not be read or understood.
    #[must_use]
    pub fn problems(&self) -> &[ModelProblem] {
        &self.problems
    }

    /// The directories that are never enumerated.
    #[must_use]
    pub fn exclusions(&self) -> &Exclusions {
        &self.exclusions
    }

    /// Tells production, test and generated files apart.
    #[must_use]
    pub fn classifier(&self) -> &Classifier {
        &self.classifier
    }

    /// The longest content root that holds a real path, as an index into [`Project::content_roots`].
    #[must_use]
    pub fn content_root_of(&self, path: &AbsPath) -> Option<usize> {
        self.content_roots
            .iter()
            .enumerate()
            .filter_map(|(index, root)| Some((index, root.relative(path)?.len())))
            .min_by_key(|(_, rest)| *rest)
            .map(|(index, _)| index)
    }
}
