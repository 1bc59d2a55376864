//! Orders of parameters that a language does not take.

use super::super::scene::Refused;
use super::given::is_plain_literal;
use super::written::{Parameter, Written};
use super::{Job, Slot};
use crate::world::FileId;

impl Job<'_> {
    /// Refuses a required parameter behind one that its `?` lets calls leave out, and a default value before the parameter
    /// that it names: `(b = a, a)`.
    pub(super) fn check_order(
        &self,
        file: FileId,
        written: &Written,
        slots: &[Slot<'_>],
    ) -> Result<(), Refused> {
        let scene = self.scene(file);
        let syntax = &scene.syntax;
        let at = syntax.range(written.list);
        let has_values = self.takes_defaults(syntax, written);
        let mut optional: Option<&str> = None;
        for (place, slot) in slots.iter().enumerate() {
            let (is_optional, is_required) = match slot.old {
                Some(old) => {
                    let param = &written.params[old];
                    let is_optional = syntax.kind(param.node) == "optional_parameter";
                    (is_optional, !is_optional && !param.has_default && !param.is_vararg)
                }
                None => (slot.new.default.is_some() && !has_values, slot.new.default.is_none()),
            };
            let name = &slot.new.name;
            if let Some(before) = optional.filter(|_| is_required) {
                let message = format!("`{name}` is required and cannot follow `{before}`, which is optional");
                return scene.form(message, at);
            }
            if is_optional {
                optional = Some(name);
            }
            if let Some(later) = self.named_too_early(file, written, slots, place) {
                let message = format!("the default value of `{name}` names `{later}`, which would follow it");
                return scene.form(message, at);
            }
        }
        Ok(())
    }

    /// The parameter that the default value at a place names, and that would come to stand behind it.
    fn named_too_early(
        &self,
        file: FileId,
        written: &Written,
        slots: &[Slot<'_>],
        place: usize,
    ) -> Option<String> {
        let scene = self.scene(file);
        let (slot, later) = (&slots[place], &slots[place + 1..]);
        let Some(old) = slot.old else {
            // A default value of Python is read outside of the function.
            let default = slot.new.default.as_deref().filter(|text| !is_plain_literal(text))?;
            let names_it = |slot: &&Slot<'_>| mentions(default, slot.new.name.trim_start_matches('$'));
            return later
                .iter()
                .filter(|_| !scene.syntax.shape.by_indent)
                .find(names_it)
                .map(|slot| slot.new.name.clone());
        };
        let passed = later.iter().filter_map(|slot| slot.old).filter(|other| *other < old);
        let passed: Vec<&Parameter> = passed.map(|other| &written.params[other]).collect();
        let whole = written.params[old].whole;
        let view = &scene.view;
        let mut inside =
            view.ref_ids().filter(|r| !passed.is_empty() && whole.encloses(view.reference(*r).range));
        self.ctx.pool.with(|rx| {
            inside.find_map(|r| {
                let meant = rx.resolve(view.global_ref(r)).resolution;
                let of = |param: &&&Parameter| {
                    meant
                        .defs()
                        .any(|def| def.file == file && param.whole.encloses(view.def(def.def).name_range))
                };
                passed.iter().find(of).map(|param| param.name.clone())
            })
        })
    }
}

/// Whether a text has a word that is no member of something.
fn mentions(text: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(|c| in_word(c) || c == '.') && !after.is_some_and(in_word)
    })
}
