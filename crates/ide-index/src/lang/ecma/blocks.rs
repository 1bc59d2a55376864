//! `declare module "m" { }` of several files: they are one module, with each other and with the file that is named (the
//! handbook of TypeScript, "Declaration Merging", "Module Augmentation").

use ide_model::{Family, SymbolKind};
use rustc_hash::FxHashMap;

use super::policy::EcmaPolicy;
use crate::facts::{DefFlags, DefId, RefId, ScopeId};
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target};
use crate::world::{BLOCKS_OF_MODULES, FileId, GlobalDef};

/// The blocks of modules, by the file that the specifier leads to: for one that no file is named by, the first file with
/// such a block.
#[derive(Default)]
pub(super) struct Blocks {
    of: FxHashMap<FileId, Vec<GlobalDef>>,
    module: FxHashMap<GlobalDef, FileId>,
}

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

    /// The module of the block around a scope.
    fn around(&self, file: &FileView, scope: ScopeId) -> Option<FileId> {
        if self.module.is_empty() {
            return None;
        }
        file.scope_chain(scope).find_map(|scope| {
            let owner = file.scope(scope).owner?;
            self.module.get(&file.global(owner)).copied()
        })
    }

    /// What the blocks of a module declare under a name.
    pub(super) fn declared(&self, rx: &Resolver, module: FileId, name: &str) -> Vec<GlobalDef> {
        let blocks = self.of.get(&module).map_or(&[][..], Vec::as_slice);
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
    pub(super) fn beside(rx: &Resolver, file: &FileView, def: GlobalDef) -> Vec<GlobalDef> {
        let (d, name) = (file.def(def.def), file.def_name(def.def));
        let module = if d.scope == ScopeId(0) {
            let is_given_out =
                d.flags.has(DefFlags::EXPORTED) || !file.exports.is_empty() || EcmaPolicy::is_ambient(file);
            let is_added_to = || Self::of(rx).of.contains_key(&file.id);
            (is_given_out && d.kind != SymbolKind::Module && is_added_to()).then_some(file.id)
        } else {
            let is_block = |owner: &DefId| file.def(*owner).kind == SymbolKind::Module;
            let block = file.scope(d.scope).owner.filter(is_block);
            block.and_then(|block| Self::of(rx).module.get(&file.global(block)).copied())
        };
        let Some(module) = module else { return Vec::new() };
        let home = rx.file(module);
        let named = home.named_in_scope(ScopeId(0), name).iter();
        let named =
            named.filter(|def| home.def(**def).kind != SymbolKind::Import).map(|def| home.global(*def));
        let declared = Self::of(rx).declared(rx, module, name);
        let mut all: Vec<GlobalDef> = named.chain(declared).collect();
        all.retain(|other| *other != def);
        all
    }

    /// What a name inside of a block means that nothing in its file declares.
    pub(super) fn meant(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolution> {
        let blocks = Self::of(rx);
        let module = blocks.around(file, file.reference(reference).scope)?;
        let name = file.ref_name(reference);
        let declared = blocks.declared(rx, module, name);
        let found = match declared.is_empty() {
            true => EcmaPolicy::exported(rx, module, name, super::policy::MAX_HOPS),
            false => Resolution {
                targets: declared.into_iter().map(Target::Def).collect(),
                confidence: ide_model::Confidence::Exact,
                reason: Reason::None,
            },
        };
        (!found.is_unknown() && found.reason != Reason::Library).then_some(found)
    }
}
