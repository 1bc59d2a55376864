//! Declarations that other modules must see, and modules that need each other.

use std::sync::Arc;

use ide_model::ConflictKind;

use super::shift::Shift;
use crate::facts::{Expr, RefId};
use crate::refactor::tree::{NodeId, has};
use crate::resolve::{FileView, ModulePath, Resolver, Target};
use crate::world::GlobalDef;

impl Shift<'_> {
    /// Visibilities of Rust that name a module which may not contain the new place: `pub(in crate::store)`, `pub(super)`.
    pub(super) fn restricted_visibilities(&mut self) {
        let (syntax, view) = (&self.scene.syntax, &self.scene.view);
        let words = syntax
            .below(syntax.root())
            .into_iter()
            .filter(|id| syntax.kind(*id) == "visibility_modifier" && self.goes(view.id, syntax.range(*id)));
        let words: Vec<NodeId> = words.collect();
        if words.is_empty() {
            return;
        }
        let module = |path: &str| {
            self.ctx.pool.with(|rx| rx.policy(view).module_name(rx, view, path, path)).unwrap_or_default()
        };
        let above =
            |path: &str| module(path).rsplit_once("::").map_or(String::new(), |(up, _)| up.to_owned());
        let (old, new) = (above(&view.path), above(self.to.path.as_str()));
        let is_narrower =
            !new.is_empty() && old != new && !format!("{old}::").starts_with(&format!("{new}::"));
        let is_bound = |id: &NodeId| {
            let text: String = syntax.text_of(*id).split_whitespace().collect();
            text.starts_with("pub(in") || text == "pub(super)" && is_narrower
        };
        if let Some(word) = words.into_iter().find(is_bound) {
            let (range, text) = (syntax.range(word), syntax.text_of(word).to_owned());
            let message = format!("`{text}` says a module around its old place");
            self.refuse(ConflictKind::Meaning, message, self.scene.file, range);
        }
    }

    /// [`Self::show`] for all declarations that are one symbol: parts of an interface, overloads.
    pub(super) fn show_all(&mut self, def: GlobalDef) -> bool {
        let mut all = self.ctx.pool.with(|rx| rx.policy_of(def).same_symbol(rx, def));
        all.retain(|other| *other != def && other.file == def.file);
        let is_shown = self.show(def);
        if is_shown {
            for other in all {
                self.show(other);
            }
        }
        is_shown
    }

    /// Lets other modules have a declaration of the old file; false where it needs no word for that, or cannot get one.
    pub(super) fn show(&mut self, def: GlobalDef) -> bool {
        let pool = self.ctx.pool;
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
        self.ctx.pool.with(|rx| {
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
