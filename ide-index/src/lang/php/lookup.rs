//! Declarations by their names and namespaces: of classes and functions whatever the case of the letters.

use std::sync::Arc;

use ide_model::{Family, SymbolKind};

use super::composer::Composer;
use super::policy::PhpPolicy;
use crate::facts::{
    DefFlags, Expr, Import, ImportFlags, ImportId, Ref, RefFlags, RefId, Role, ScopeId, ScopeKind,
};
use crate::resolve::{FileView, Policy, Resolution, Resolver, Target};
use crate::world::GlobalDef;

/// The meaning that a name is used with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Class,
    Function,
    Constant,
    Variable,
    Namespace,
}

impl Meaning {
    pub(super) fn of(reference: &Ref) -> Self {
        match reference.role {
            Role::Package => Self::Namespace,
            Role::Type | Role::New | Role::Extends | Role::Implements | Role::Annotation => Self::Class,
            Role::Call => Self::Function,
            _ if reference.flags.has(RefFlags::GLOBAL_FALLBACK)
                || reference.flags.has(RefFlags::ABSOLUTE) =>
            {
                Self::Constant
            }
            _ => Self::Variable,
        }
    }

    pub(super) fn of_import(flags: ImportFlags) -> Self {
        if flags.has(ImportFlags::FUNCTION) {
            Self::Function
        } else if flags.has(ImportFlags::CONSTANT) {
            Self::Constant
        } else {
            Self::Class
        }
    }

    pub(super) fn ignores_case(self) -> bool {
        matches!(self, Self::Class | Self::Function)
    }

    pub(super) fn admits(self, kind: SymbolKind) -> bool {
        match self {
            Self::Class => kind.is_type(),
            Self::Function => kind == SymbolKind::Function,
            Self::Constant => kind == SymbolKind::Constant,
            Self::Variable => matches!(kind, SymbolKind::Variable | SymbolKind::Parameter),
            Self::Namespace => false,
        }
    }
}

impl PhpPolicy {
    /// The namespace around a scope, empty for the global one.
    pub(super) fn namespace(file: &FileView, scope: ScopeId) -> &str {
        let module = file.scope_chain(scope).find_map(|id| {
            let scope = file.scope(id);
            (scope.kind == ScopeKind::Module).then_some(scope.owner?)
        });
        match module {
            Some(def) => file.def_name(def),
            None => file.package.map_or("", |package| file.name(package)),
        }
    }

    /// Declarations of a namespace by name.
    pub(super) fn find(rx: &Resolver, namespace: &str, name: &str, meaning: Meaning) -> Option<GlobalDef> {
        let world = rx.world();
        // A declaration of the language never stands for one that the project has.
        let of_project = world.declarations(name).into_iter();
        let of_library = std::iter::once_with(|| world.library_declarations(Family::Php, name)).flatten();
        let is_it = |at: GlobalDef| {
            let file = rx.file(at.file);
            let d = file.def(at.def);
            let is_top = !matches!(file.scope(d.scope).kind, ScopeKind::Class);
            file.family() == Family::Php
                && is_top
                && meaning.admits(d.kind)
                && match d.kind {
                    // By `define`.
                    SymbolKind::Constant if !d.flags.has(DefFlags::STATIC) => namespace.is_empty(),
                    _ => Self::namespace(file, d.scope).eq_ignore_ascii_case(namespace),
                }
        };
        let known = of_project.chain(of_library).filter(|site| meaning.admits(site.kind)).map(|site| site.at);
        { known }.find(|at| is_it(*at)).or_else(|| Self::find_installed(rx, namespace, name, meaning, &is_it))
    }

    /// A declaration of a package that is installed.
    pub(super) fn find_installed(
        rx: &Resolver,
        namespace: &str,
        name: &str,
        meaning: Meaning,
        is_it: &dyn Fn(GlobalDef) -> bool,
    ) -> Option<GlobalDef> {
        let composer = Composer::of(rx);
        let files = match meaning {
            Meaning::Class => composer.class_files(rx, &Self::qualified(namespace, name)).to_vec(),
            Meaning::Function | Meaning::Constant => composer.files_with(rx, name),
            Meaning::Variable | Meaning::Namespace => Vec::new(),
        };
        files.into_iter().find_map(|id| {
            let file = rx.file(id);
            let named = file.name_id(name)?;
            file.def_ids()
                .filter(|d| file.def(*d).name == named)
                .map(|d| file.global(d))
                .find(|at| is_it(*at))
        })
    }

    /// [`Self::find`] without regard to the case of letters, for what has no declaration in that case.
    pub(super) fn find_in_any_case(
        rx: &Resolver,
        namespace: &str,
        name: &str,
        meaning: Meaning,
    ) -> Option<GlobalDef> {
        let spellings = rx.world().spellings(name);
        spellings.into_iter().find_map(|name| Self::find(rx, namespace, &name, meaning))
    }

    pub(super) fn find_somehow(
        rx: &Resolver,
        namespace: &str,
        name: &str,
        meaning: Meaning,
    ) -> Option<GlobalDef> {
        Self::find(rx, namespace, name, meaning).or_else(|| {
            meaning.ignores_case().then(|| Self::find_in_any_case(rx, namespace, name, meaning)).flatten()
        })
    }

    pub(super) fn find_qualified(rx: &Resolver, name: &str, meaning: Meaning) -> Option<GlobalDef> {
        let (namespace, last) = name.rsplit_once('\\').unwrap_or(("", name));
        Self::find_somehow(rx, namespace, last, meaning)
    }

    /// The function, class or constant whose qualified name is a text.
    pub(super) fn named_in_text(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let name = Self::chain(file, reference);
        let all = [Meaning::Function, Meaning::Class, Meaning::Constant];
        match all.into_iter().find_map(|meaning| Self::find_qualified(rx, &name, meaning)) {
            Some(def) => Resolution::def(def),
            None => Resolution::external(name),
        }
    }

    /// Whether any file declares the namespace or one below it.
    pub(super) fn has_namespace(rx: &Resolver, namespace: &str) -> bool {
        if !rx.world().files_of_package(Family::Php, namespace).is_empty() {
            return true;
        }
        let known = rx.of_world(Namespaces::read);
        known.0.iter().any(|n| n.strip_prefix(namespace).is_some_and(|rest| rest.starts_with('\\')))
    }

    /// Whether the file has names behind the one that an import binds: else it is that of a class.
    pub(super) fn is_qualifier(file: &FileView, import: &Import) -> bool {
        let alias = import.def.map(|def| file.def(def).name);
        file.refs.iter().any(|r| {
            let mut head = *r;
            while let Some(Expr::Ref(before)) = head.receiver.map(|e| file.expr(e)) {
                head = *file.reference(before);
            }
            r.receiver.is_some()
                && !matches!(r.role, Role::Package | Role::Import)
                && head.role == Role::Package
                && Some(head.name) == alias
                && !head.flags.has(RefFlags::ABSOLUTE)
        })
    }

    pub(super) fn qualified(namespace: &str, name: &str) -> String {
        if namespace.is_empty() { name.to_owned() } else { format!("{namespace}\\{name}") }
    }

    /// The full text of a chain of references up to one.
    pub(super) fn chain(file: &FileView, reference: RefId) -> String {
        let mut parts = vec![file.ref_name(reference)];
        let mut receiver = file.reference(reference).receiver;
        while let Some(Expr::Ref(before)) = receiver.map(|e| file.expr(e)) {
            parts.push(file.ref_name(before));
            receiver = file.reference(before).receiver;
        }
        parts.reverse();
        parts.join("\\")
    }

    /// The import that binds a name with a meaning, whatever the case of its letters; a first segment of a longer name is
    /// bound as classes are.
    pub(super) fn imported_in_any_case(
        rx: &Resolver,
        file: &FileView,
        name: &str,
        meaning: Meaning,
    ) -> Option<Resolution> {
        let import = file.imports.iter().position(|import| {
            Meaning::of_import(import.flags) == meaning
                && import.def.is_some_and(|def| file.def_name(def).eq_ignore_ascii_case(name))
        })?;
        Some(PhpPolicy.import(rx, file, ImportId(import as u32)))
    }

    /// The namespace that a resolved alias stands for as the head of a longer name.
    pub(super) fn as_namespace(rx: &Resolver, resolution: &Resolution) -> Option<Resolution> {
        let name = match resolution.targets.first()? {
            Target::Def(def) => PhpPolicy.qualified_name(rx, *def)?,
            Target::Package(name) | Target::External(name) => name.to_string(),
            Target::Module(_) => return None,
        };
        Some(Resolution::exact(Target::Package(name.into())))
    }
}

/// All namespaces of the world.
struct Namespaces(Vec<Arc<str>>);

impl Namespaces {
    fn read(rx: &Resolver) -> Self {
        let world = rx.world();
        let mut all: Vec<Arc<str>> = (0..world.file_count())
            .map(crate::world::FileId)
            .filter(|id| world.file(*id).language.is_some_and(|l| l.family() == Family::Php))
            .filter_map(|id| world.package(id))
            .collect();
        all.sort_unstable();
        all.dedup();
        Self(all)
    }
}
