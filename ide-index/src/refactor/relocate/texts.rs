//! Texts that name what goes, in calls that ask its module for it: `getattr(module, "name")`.

use std::collections::BTreeSet;

use ide_model::{ConflictKind, QueryError, SourceKind, TextContext, TextRange};

use super::shift::Shift;
use crate::classify::contexts_at;
use crate::world::{FileId, GlobalDef};

impl Shift<'_> {
    pub(super) fn named_by_texts(&mut self) -> Result<(), QueryError> {
        if !self.row.copies_values {
            return Ok(());
        }
        let (ctx, from) = (self.ctx, self.scene.file);
        let files: BTreeSet<FileId> = ctx.pool.with(|rx| {
            let names = rx.policy(&self.scene.view).names_of_module(rx, from);
            let files = names.iter().flat_map(|name| rx.world().files_mentioning(name));
            files.filter(|file| rx.world().file(*file).source != SourceKind::Library).collect()
        });
        for file in files {
            ctx.cx.check()?;
            let text = (ctx.text)(file)?;
            for (root, at) in self.quoted(&text.text) {
                let name = ctx.pool.with(|rx| rx.shared_name(root));
                let range = TextRange::new(at, at + name.len() as u32);
                let around = (&text.text[..at as usize - 1], &text.text[range.end as usize + 1..]);
                let is_meant = ctx.pool.with(|rx| {
                    let view = rx.file(file);
                    contexts_at(view.language(), &text.text, &[at]) == [TextContext::StringLiteral]
                        && rx.policy(view).named_by_text(rx, view, &[root], &name, around)
                });
                if is_meant {
                    let message = format!("the text `{name}` may stand for the declaration that moves");
                    self.refuse(ConflictKind::Unresolved, message, file, range);
                }
            }
        }
        Ok(())
    }

    /// The places of texts that consist of the name of something that goes.
    fn quoted(&self, text: &str) -> Vec<(GlobalDef, u32)> {
        let mut found = Vec::new();
        for root in &self.roots {
            let name = self.ctx.pool.with(|rx| rx.shared_name(*root));
            for quote in ['"', '\''] {
                let quoted = format!("{quote}{name}{quote}");
                let places = text.match_indices(&quoted).map(|(at, _)| at as u32 + 1);
                found.extend(places.map(|at| (*root, at)));
            }
        }
        found
    }
}
