//! Declarations that other modules must see, and modules that need each other.

use ide_model::ConflictKind;

use super::shift::Shift;
use crate::facts::{RefFlags, Role};
use crate::refactor::imports::ImportChange;
use crate::refactor::tree::{NodeId, has};
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
}
