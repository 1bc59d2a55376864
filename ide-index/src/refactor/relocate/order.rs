//! The order in which modules run: a value that moves must be initialized before it is used.

use std::collections::BTreeSet;

use ide_model::{ConflictKind, QueryError, SymbolKind};

use super::shift::Shift;
use crate::facts::{ImportFlags, ImportId, RefFlags, RefId, Role};
use crate::guard;
use crate::refactor::imports::ImportChange;
use crate::refactor::members::Declarations;
use crate::refactor::move_file::target_of;
use crate::refactor::tree::{NodeId, has};
use crate::resolve::{Resolution, Resolver};
use crate::world::{FileId, GlobalDef};

/// Functions, which are hoisted, and types, which do not exist at run time.
const READY: &str =
    "function_declaration generator_function_declaration interface_declaration type_alias_declaration";

/// The place in its new module at which a declaration may stand.
#[derive(Clone, Copy, Default)]
pub(super) struct Moment {
    /// The end of the last declaration that it uses while the module runs.
    pub(super) behind: u32,
    /// Whether other modules may use it before the rest of the module has run.
    pub(super) is_first: bool,
}

impl Shift<'_> {
    /// Modules that import each other are run one after the other: the new one, which is run first, must not need a value of the
    /// old one for that. Functions are there from the beginning.
    pub(super) fn order_of_modules(&mut self) {
        let is_asked = |change: &ImportChange| !change.add.is_empty();
        if !self.row.makes_module || !self.imports.get(&self.scene.file).is_some_and(is_asked) {
            return;
        }
        let (syntax, view) = (&self.scene.syntax, &self.scene.view);
        let item_of = |def: GlobalDef| {
            let name = syntax.around(view.def(def.def).name_range);
            let is_kind =
                |id: &NodeId| has("function_declaration generator_function_declaration", syntax.kind(*id));
            syntax.parent(name).is_some_and(|id| is_kind(&id))
        };
        let at_once =
            self.left.iter().find(|(def, reference)| !item_of(*def) && self.is_needed_at_once(*reference));
        if let Some((_, reference)) = at_once.copied() {
            let message = format!(
                "`{}` would be needed here before its module, which imports this one, has made it",
                view.ref_name(reference)
            );
            let range = view.reference(reference).range;
            self.refuse(ConflictKind::Meaning, message, self.scene.file, range);
        }
    }

    /// Whether a name in the text that goes is needed when its module runs.
    fn is_needed_at_once(&self, reference: RefId) -> bool {
        let (syntax, r) = (&self.scene.syntax, self.scene.view.reference(reference));
        let runs_later = |id: NodeId| {
            let is_field = has("public_field_definition field_definition", syntax.kind(id));
            syntax.is_in(id, syntax.shape.functions)
                || is_field && !syntax.children(id).iter().any(|child| syntax.text_of(*child) == "static")
        };
        let is_type = matches!(r.role, Role::Type | Role::Implements) || r.flags.has(RefFlags::TYPE_ONLY);
        !is_type && !syntax.ancestors(syntax.around(r.range)).any(runs_later)
    }

    /// Finds where the declarations may stand in their new module. Refuses the move where that module and one that it imports would each
    /// have to run before the other.
    ///
    /// # Errors
    /// The errors of reading files.
    pub(super) fn moment(&mut self) -> Result<Moment, QueryError> {
        let mut moment = Moment::default();
        if !self.row.makes_module {
            return Ok(moment);
        }
        let (pool, to, old) = (self.ctx.pool, self.to.id, self.scene.file);
        let view = self.scene.view.clone();
        let asking = self.imports.iter().filter(|(_, change)| !change.add.is_empty()).map(|(file, _)| *file);
        let users: BTreeSet<FileId> =
            self.importers.iter().copied().chain(asking).filter(|file| *file != to).collect();
        let others: BTreeSet<FileId> =
            users.iter().copied().filter(|file| *file != old).chain([to]).collect();
        let parts = match &self.to.text {
            Some(text) => Declarations::read(self.ctx, to, &text.text)?.outermost().all,
            None => Vec::new(),
        };
        let is_at_once = |reference: &RefId| {
            let r = view.reference(*reference);
            self.goes(view.id, r.range)
                && !r.flags.has(RefFlags::IN_DOC)
                && self.is_needed_at_once(*reference)
        };
        let mut waiting = None;
        for reference in view.ref_ids().filter(is_at_once) {
            pool.with(|rx| {
                let meant = rx.resolve(view.global_ref(reference)).resolution;
                let own = rx.through_imports(meant).defs().filter(|def| def.file == to).collect::<Vec<_>>();
                for def in own {
                    let name = rx.def(def).name_range;
                    let part = parts.iter().find(|part| part.encloses(name));
                    moment.behind = moment.behind.max(part.map_or(0, |part| part.end));
                }
                let import = self.bound_by(&view, reference);
                let module = import.and_then(|import| target_of(rx, &view, import));
                let module = module.filter(|(module, _)| *module != to && *module != old);
                if module.is_some_and(|(module, _)| reaches(rx, module, &others)) {
                    waiting = waiting.or(Some(reference));
                }
            });
        }
        if let Some(reference) = waiting {
            let message = format!(
                "`{}` is used while the new module runs, and comes from one that waits for it",
                view.ref_name(reference)
            );
            self.refuse(ConflictKind::Meaning, message, view.id, view.reference(reference).range);
        }
        let is_ready = |root: &GlobalDef| {
            let syntax = &self.scene.syntax;
            let item = syntax.parent(syntax.around(view.def(root.def).name_range));
            item.is_some_and(|item| has(READY, syntax.kind(item)))
        };
        moment.is_first = moment.behind == 0
            && self.to.view.is_some()
            && !self.roots.iter().all(is_ready)
            && pool.with(|rx| reaches(rx, to, &users));
        Ok(moment)
    }
}

/// Whether a module imports one of some others, directly or through other modules, so that they run first.
fn reaches(rx: &Resolver, from: FileId, goals: &BTreeSet<FileId>) -> bool {
    let (mut seen, mut open) = (BTreeSet::from([from]), vec![from]);
    while let Some(file) = open.pop() {
        guard::tick();
        let view = rx.file(file);
        for id in (0..view.imports.len() as u32).map(ImportId) {
            let import = view.import(id);
            let is_type = |def| {
                let meant = rx.through_imports(Resolution::def(view.global(def)));
                let mut kinds = meant.defs().map(|of| rx.kind(of)).peekable();
                kinds.peek().is_some()
                    && kinds.all(|kind| matches!(kind, SymbolKind::Interface | SymbolKind::TypeAlias))
            };
            let is_left_out = import.flags.has(ImportFlags::TYPE_ONLY)
                || import.flags.has(ImportFlags::DYNAMIC)
                || import.def.is_some_and(is_type);
            let Some((next, _)) = target_of(rx, view, id).filter(|_| !is_left_out) else { continue };
            if goals.contains(&next) {
                return true;
            }
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}
