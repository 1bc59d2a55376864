//! The parts of a function around its parameters: its result type, and its visibility.

use ide_model::TextRange;

use super::super::calls::paragraph;
use super::super::draft::Piece;
use super::super::scene::Refused;
use super::super::tree::{NodeId, has};
use super::written::is_bare;
use super::{Job, Parameter, WITHOUT_BRACKETS, Written};
use crate::facts::RefFlags;
use crate::world::{FileId, GlobalDef};

impl Job<'_> {
    pub(super) fn result_type(&mut self, member: GlobalDef, written: &Written) -> Result<(), Refused> {
        let Some(wanted) = &self.change.return_type else { return Ok(()) };
        let scene = self.scene(member.file);
        let syntax = &scene.syntax;
        let function = syntax.parent(written.list).unwrap_or(written.list);
        let by_field =
            ["return_type", "result", "type"].iter().find_map(|field| syntax.field(function, field));
        let by_kind = || {
            let after =
                syntax.named(function).filter(|id| syntax.range(*id).start >= syntax.range(written.list).end);
            after.into_iter().find(|id| has("user_type nullable_type function_type", syntax.kind(*id)))
        };
        match by_field.or_else(by_kind) {
            Some(ty) => {
                let range = syntax.range(ty);
                let colon = if syntax.text_of(ty).starts_with(':') { ": " } else { "" };
                let text = format!("{colon}{wanted}");
                self.draft.replace(member.file, range, vec![Piece::new(text)]);
            }
            None if is_bare(syntax, written.list) => {
                return scene.form(WITHOUT_BRACKETS, syntax.range(written.list));
            }
            None => {
                let mark = match (self.writing.result, self.writing.open) {
                    ("", ":") => " -> ",
                    ("", _) => ": ",
                    (result, _) => result.split("{type}").next().unwrap_or(""),
                };
                let at = syntax.range(written.list).end;
                self.draft.insert(member.file, at, vec![Piece::new(format!("{mark}{wanted}"))]);
            }
        }
        Ok(())
    }

    pub(super) fn visibility(&mut self, member: GlobalDef) -> Result<(), Refused> {
        let Some(wanted) = &self.change.visibility else { return Ok(()) };
        let scene = self.scene(member.file);
        let syntax = &scene.syntax;
        let at = scene.view.def(member.def).name_range;
        let function = syntax.parent(syntax.around(at)).unwrap_or(syntax.root());
        let words = self.writing.visibility;
        if !wanted.split(['(', ' ']).next().is_some_and(|word| has(words, word)) {
            return scene.form(format!("`{wanted}` is no visibility that can be written there"), at);
        }
        let head = |id: &NodeId| syntax.range(*id).end <= at.start;
        let found = syntax.below(function).into_iter().filter(head).find(|id| {
            let text = syntax.text_of(*id);
            has(words, text) || syntax.kind(*id) == "visibility_modifier"
        });
        match found {
            Some(id) => self.draft.replace(member.file, syntax.range(id), vec![Piece::new(&**wanted)]),
            None => {
                let modifiers = syntax.children(function).first().copied().unwrap_or(function);
                let first = syntax.named(modifiers).rfind(|id| syntax.kind(*id).contains("annotation"));
                let start = match first.filter(|_| syntax.kind(modifiers) == "modifiers") {
                    Some(annotation) => syntax.range(annotation).end,
                    None => syntax.range(function).start,
                };
                let text = if start == syntax.range(function).start {
                    format!("{wanted} ")
                } else {
                    format!(" {wanted}")
                };
                self.draft.insert(member.file, start, vec![Piece::new(text)]);
            }
        }
        Ok(())
    }

    /// The documentation of a parameter follows its name, or goes away with it.
    pub(super) fn documented(
        &mut self,
        file: FileId,
        doc: Option<TextRange>,
        param: &Parameter,
        new: Option<&str>,
    ) {
        let Some(doc) = doc else { return };
        let view = self.scene(file).view.clone();
        let named = view.ref_ids().filter(|r| {
            let r = (view.reference(*r), view.ref_name(*r));
            r.0.flags.has(RefFlags::IN_DOC) && doc.encloses(r.0.range) && r.1 == param.name
        });
        let places: Vec<TextRange> = named.map(|r| view.reference(r).range).collect();
        for place in places {
            match (new, paragraph(&self.scene(file).syntax, doc, place)) {
                (Some(new), _) => self.draft.rename(file, place, new),
                (None, Some(lines)) if !self.draft.touches(file, lines) => {
                    self.draft.replace(file, lines, Vec::new());
                }
                (None, _) => {}
            }
        }
    }
}
