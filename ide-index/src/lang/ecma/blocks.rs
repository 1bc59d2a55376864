//! `declare module "m" { }` of several files: they are one module, with each other and with the file that is named (the
//! handbook of TypeScript, "Declaration Merging", "Module Augmentation").

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Family, SourceKind, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::ambient::Ambient;
use super::front::is_declaration_file;
use super::paths::Paths;
use super::policy::EcmaPolicy;
use crate::facts::{DefFlags, DefId, Expr, ImportKind, RefId, ScopeId};
use crate::guard;
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target};
use crate::world::{BLOCKS_OF_MODULES, FileId, GlobalDef};

/// Files that an installed module names as parts of itself, followed up to this many.
const MAX_PARTS: usize = 500;

/// The blocks of installed modules, as far as they were asked for.
type Installed = Mutex<FxHashMap<FileId, Arc<[GlobalDef]>>>;

/// The blocks of modules of the project, by the file that the specifier leads to: for one that no file is named by, the first
/// file with such a block.
#[derive(Default)]
pub(super) struct Blocks {
    of: FxHashMap<FileId, Vec<GlobalDef>>,
    module: FxHashMap<GlobalDef, FileId>,
}

/// The exports of modules that were asked for, by module and name.
#[derive(Default)]
struct Exported(Mutex<FxHashMap<(FileId, Arc<str>), Resolution>>);

/// So many exports are remembered at most.
const MOST_EXPORTED: usize = 50_000;

impl Blocks {
    pub(super) fn of(rx: &Resolver) -> &Self {
        rx.of_world(Self::read)
    }

    fn read(rx: &Resolver) -> Self {
        let mut all = Self::default();
        for id in rx.world().files_mentioning(BLOCKS_OF_MODULES) {
            if rx.world().file(id).language.map(|language| language.family()) != Some(Family::Ecma) {
                continue;
            }
            let file = rx.file(id);
            let defs = file.all_in_scope(ScopeId(0)).iter();
            for def in defs.filter(|def| file.def(**def).kind == SymbolKind::Module) {
                if let Some(module) = EcmaPolicy::module_of(rx, file, file.def_name(*def)) {
                    all.of.entry(module).or_default().push(file.global(*def));
                    all.module.insert(file.global(*def), module);
                }
            }
        }
        all
    }

    /// The module that a block of a file is about.
    fn module_of_block(rx: &Resolver, file: &FileView, block: DefId) -> Option<FileId> {
        if file.def(block).kind != SymbolKind::Module {
            return None;
        }
        let known = || Self::of(rx).module.get(&file.global(block)).copied();
        known().or_else(|| EcmaPolicy::module_of(rx, file, file.def_name(block)))
    }

    /// The module of the block around a scope.
    fn around(rx: &Resolver, file: &FileView, scope: ScopeId) -> Option<FileId> {
        file.scope_chain(scope).find_map(|scope| Self::module_of_block(rx, file, file.scope(scope).owner?))
    }

    /// The blocks of a module: those of the project, and those in files that an installed module names as parts of itself,
    /// by `/// <reference path="…" />` or an import that binds nothing.
    fn of_module(rx: &Resolver, module: FileId) -> Vec<GlobalDef> {
        let mut all = Self::of(rx).of.get(&module).cloned().unwrap_or_default();
        let entry = rx.world().file(module);
        if entry.source == SourceKind::Library && is_declaration_file(entry.path.as_str()) {
            let installed = rx.extension(|_| Installed::default());
            let known = installed.lock().unwrap_or_else(PoisonError::into_inner).get(&module).cloned();
            let found = known.unwrap_or_else(|| {
                let found = Self::of_installed(rx, module);
                installed.lock().unwrap_or_else(PoisonError::into_inner).insert(module, found.clone());
                found
            });
            all.extend_from_slice(&found);
        }
        all
    }

    fn of_installed(rx: &Resolver, module: FileId) -> Arc<[GlobalDef]> {
        let paths = Paths::of(rx);
        let (mut seen, mut queue) = (FxHashSet::default(), VecDeque::from([module]));
        let mut found = Vec::new();
        while let Some(id) = queue.pop_front().filter(|_| seen.len() < MAX_PARTS) {
            let entry = rx.world().file(id);
            let declares = is_declaration_file(entry.path.as_str());
            if !declares || entry.source != SourceKind::Library || !seen.insert(id) {
                continue;
            }
            let file = rx.file(id);
            let blocks = file.all_in_scope(ScopeId(0)).iter();
            let blocks = blocks.filter(|def| Self::module_of_block(rx, file, **def) == Some(module));
            found.extend(blocks.map(|def| file.global(*def)));
            let parts = file.imports.iter().filter(|import| {
                let specifier = file.name(import.module);
                matches!(import.kind, ImportKind::Directive | ImportKind::SideEffect)
                    && specifier.starts_with('.')
            });
            queue.extend(
                parts.filter_map(|part| paths.resolve(rx.world(), &file.path, file.name(part.module))),
            );
        }
        // A module that is no file has blocks elsewhere.
        let home = rx.file(module);
        let named = home.all_in_scope(ScopeId(0)).iter().map(|def| home.def_name(*def));
        let elsewhere: Vec<GlobalDef> = named
            .filter(|name| Ambient::of(rx).module(name) == Some(module))
            .flat_map(|name| Ambient::of(rx).blocks(name).to_vec())
            .filter(|block| !seen.contains(&block.file))
            .collect();
        found.extend(elsewhere);
        found.into()
    }

    /// The namespaces that a module gives out as a whole: blocks of the module add to them.
    fn given_namespaces(file: &FileView) -> impl Iterator<Item = DefId> {
        let whole = file.exports.iter().find(|export| file.name(export.name).is_empty());
        let name = whole.and_then(|whole| match file.expr(whole.value) {
            Expr::Ref(name) => Some(file.reference(name).name),
            _ => None,
        });
        let named = name.map_or(&[][..], |name| file.in_scope(ScopeId(0), name)).iter().copied();
        named.filter(|def| file.def(*def).kind == SymbolKind::Namespace)
    }

    /// The declarations under a name in the blocks of a module.
    pub(super) fn declared(rx: &Resolver, module: FileId, name: &str) -> Vec<GlobalDef> {
        let blocks = Self::of_module(rx, module);
        let in_block = |block: &GlobalDef| {
            let home = rx.file(block.file);
            let body = home.def(block.def).body;
            let found = body.map_or(&[][..], |body| home.named_in_scope(body, name));
            let declared = found.iter().filter(|def| home.def(**def).kind != SymbolKind::Import);
            declared.map(|def| home.global(*def)).collect::<Vec<_>>()
        };
        blocks.iter().flat_map(in_block).collect()
    }

    /// The declarations of the same name in other files of the same module; those of the file that is named come first.
    /// With a namespace that is given out as a whole go the blocks themselves.
    pub(super) fn beside(rx: &Resolver, file: &FileView, def: GlobalDef) -> Vec<GlobalDef> {
        let (d, name) = (file.def(def.def), file.def_name(def.def));
        let owner = file.scope(d.scope).owner;
        let is_given = |def: DefId| Self::given_namespaces(file).any(|given| given == def);
        let module = if d.scope == ScopeId(0) {
            let is_given_out =
                d.flags.has(DefFlags::EXPORTED) || !file.exports.is_empty() || EcmaPolicy::is_ambient(file);
            (is_given_out && d.kind != SymbolKind::Module).then_some(file.id)
        } else if owner.is_some_and(|owner| file.def(owner).kind == SymbolKind::Namespace && is_given(owner))
        {
            Some(file.id)
        } else {
            owner.and_then(|owner| Self::module_of_block(rx, file, owner))
        };
        let Some(module) = module else { return Vec::new() };
        let blocks = Self::of_module(rx, module);
        if blocks.is_empty() {
            return blocks;
        }
        if module == file.id && d.kind == SymbolKind::Namespace && is_given(def.def) {
            return blocks;
        }
        let home = rx.file(module);
        let given = Self::given_namespaces(home).filter_map(|given| home.def(given).body);
        let named = given.chain([ScopeId(0)]).flat_map(|scope| home.named_in_scope(scope, name));
        let named =
            named.filter(|def| home.def(**def).kind != SymbolKind::Import).map(|def| home.global(*def));
        let declared = Self::declared(rx, module, name);
        let mut all: Vec<GlobalDef> = named.chain(declared).collect();
        all.retain(|other| *other != def);
        all
    }

    /// The export of the module around a block: blocks of very many files use the same few names.
    fn exported(rx: &Resolver, module: FileId, name: &str) -> Resolution {
        let known = rx.extension(|_| Exported::default());
        let locked = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (module, Arc::from(name));
        if let Some(found) = locked().get(&key) {
            return found.clone();
        }
        let (found, is_whole) = rx.wholly(|| EcmaPolicy::exported(rx, module, name, super::policy::MAX_HOPS));
        if is_whole && guard::spend(1) {
            let mut all = locked();
            if all.len() > MOST_EXPORTED {
                all.clear();
            }
            all.insert(key, found.clone());
        }
        found
    }

    /// The meaning of a name inside of a block that nothing in its file declares.
    pub(super) fn meant(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolution> {
        let module = Self::around(rx, file, file.reference(reference).scope)?;
        let name = file.ref_name(reference);
        let declared = Self::declared(rx, module, name);
        let found = match declared.is_empty() {
            true => Self::exported(rx, module, name),
            false => Resolution {
                targets: declared.into_iter().map(Target::Def).collect(),
                confidence: ide_model::Confidence::Exact,
                reason: Reason::None,
            },
        };
        (!found.is_unknown() && found.reason != Reason::Library).then_some(found)
    }
}
