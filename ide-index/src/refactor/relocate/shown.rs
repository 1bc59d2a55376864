//! Declarations that other modules must see, and modules that need each other.

use std::sync::Arc;

use ide_model::ConflictKind;

use super::shift::Shift;
use crate::facts::{Expr, RefFlags, RefId, Role};
use crate::refactor::imports::ImportChange;
use crate::refactor::tree::{NodeId, has};
use crate::resolve::{FileView, ModulePath, Resolver, Target};
use crate::world::GlobalDef;

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
        let runs_later = |id: NodeId| {
            let is_field = has("public_field_definition field_definition", syntax.kind(id));
            syntax.is_in(id, syntax.shape.functions)
                || is_field && !syntax.children(id).iter().any(|child| syntax.text_of(*child) == "static")
        };
        let at_once = self.left.iter().find(|(def, reference)| {
            let r = view.reference(*reference);
            let is_type = matches!(r.role, Role::Type | Role::Implements) || r.flags.has(RefFlags::TYPE_ONLY);
            !is_type && !item_of(*def) && !syntax.ancestors(syntax.around(r.range)).any(runs_later)
        });
        if let Some((_, reference)) = at_once.copied() {
            let message = format!(
                "`{}` would be needed here before its module, which imports this one, has made it",
                view.ref_name(reference)
            );
            let range = view.reference(reference).range;
            self.refuse(ConflictKind::Meaning, message, self.scene.file, range);
        }
    }

    /// Lets other modules have a declaration of the old file; false where it needs no word for that, or cannot get one.
    pub(super) fn show(&mut self, def: GlobalDef) -> bool {
        let pool = self.shop.pool;
        let word = pool.with(|rx| (self.row.word_of_export)(rx, def));
        let Some(word) = word.filter(|_| def.file == self.scene.file) else { return false };
        let (syntax, name) = (&self.scene.syntax, self.scene.view.def(def.def).name_range);
        let is_list = |id: NodeId| syntax.kind(id) == "export_specifier";
        let is_told = |id: &NodeId| {
            is_list(*id)
                && syntax.field(*id, "name").is_some_and(|of| syntax.text_of(of) == syntax.slice(name))
        };
        let is_item = |id: &NodeId| {
            let parent = syntax.parent(*id);
            parent.is_some_and(|parent| {
                parent == syntax.root()
                    || has("declaration_list source_file field_declaration_list", syntax.kind(parent))
            })
        };
        let Some(item) = syntax.ancestors(syntax.around(name)).find(is_item).filter(|_| !name.is_empty())
        else {
            return false;
        };
        let says = |id: &NodeId| !has("decorator visibility_modifier", syntax.kind(*id));
        let first = syntax.children(item).iter().copied().find(says);
        let at = first.map_or(syntax.range(item).start, |id| syntax.range(id).start);
        let is_said = syntax.named(item).any(|id| syntax.kind(id) == "visibility_modifier");
        if is_said || syntax.below(syntax.root()).iter().any(is_told) {
            return false;
        }
        self.shown.insert(at, word);
        true
    }

    /// The module that keeps a use from saying where something goes.
    pub(super) fn hidden_by(
        &self,
        ways: &[(Arc<str>, ModulePath)],
        view: &FileView,
        reference: RefId,
    ) -> Option<Arc<str>> {
        if ways.is_empty() {
            return None;
        }
        self.shop.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(reference));
            // A member is reached through its owner.
            let is_meant =
                resolved.resolution.defs().any(|def| self.is_carried(def) && rx.member_owner(def).is_none());
            if is_meant && self.is_passed_on(rx, view, reference) {
                return None;
            }
            let scope = view.reference(reference).scope;
            let user = rx.policy(view).module_at(rx, view, scope).filter(|_| is_meant)?;
            let hides = |(_, seen): &&(Arc<str>, ModulePath)| !user.path.starts_with(seen);
            ways.iter().find(hides).map(|(name, _)| name.clone())
        })
    }

    /// Whether a use gets what goes from an import of its file, or from a module that passes it on.
    fn is_passed_on(&self, rx: &Resolver, view: &FileView, reference: RefId) -> bool {
        let member = view.import_by_member(reference);
        let import = rx.bound(view, reference).and_then(|def| view.def(def).import);
        if member.is_none() && import.is_some() {
            return true;
        }
        let before = match member {
            Some(import) => view.list(view.import(import).path).last(),
            None => view.reference(reference).receiver.and_then(|object| match view.expr(object) {
                Expr::Ref(module) => Some(module),
                _ => None,
            }),
        };
        let targets = before.map(|module| rx.resolve(view.global_ref(module)).resolution.targets);
        targets
            .into_iter()
            .flatten()
            .any(|target| matches!(target, Target::Module(file) if file != self.scene.file))
    }
}
