//! Several plans, one after the other, each on the world that those before it leave; and the one plan that they come to.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide_model::{
    Conflict, ContentHash, EditPlan, FileChange, FilePath, FileText, Landmark, QueryError, Refactored,
    TextEdit, TextRange, edited,
};

use super::{RootName, roots_again, told};
use crate::query::{Resolvers, file_id};
use crate::refactor::{RefactorContext, Rewrite, Trees};
use crate::world::{FileId, GlobalDef};

/// The files after the plans so far: the text of each changed one, `None` where it is gone.
pub(super) struct Overlay<'s, 'a> {
    ctx: &'s RefactorContext<'a>,
    texts: BTreeMap<FilePath, Option<Arc<str>>>,
}

impl<'s, 'a> Overlay<'s, 'a> {
    pub(super) fn new(ctx: &'s RefactorContext<'a>) -> Self {
        Self { ctx, texts: BTreeMap::new() }
    }

    fn before(&self, path: &FilePath) -> Result<Option<FileText>, QueryError> {
        let id = self.ctx.pool.world().file_by_path(path.as_str());
        id.map(|id| (self.ctx.text)(id)).transpose()
    }

    fn text(&self, path: &FilePath) -> Result<Arc<str>, QueryError> {
        match self.texts.get(path) {
            Some(Some(text)) => Ok(text.clone()),
            Some(None) => Err(QueryError::NoFile { path: path.to_string() }),
            None => match self.before(path)? {
                Some(text) => Ok(text.text.clone()),
                None => Err(QueryError::NoFile { path: path.to_string() }),
            },
        }
    }

    /// Takes in what a plan changes.
    pub(super) fn take(&mut self, plan: &EditPlan) -> Result<(), QueryError> {
        for change in &plan.changes {
            let after = |text: &str, edits: &[TextEdit]| {
                let broken = || QueryError::Failed { message: "a plan has edits that overlap".to_owned() };
                edited(text, edits).map(Arc::<str>::from).ok_or_else(broken)
            };
            match change {
                FileChange::Create { file, text } => {
                    drop(self.texts.insert(file.clone(), Some(text.clone())))
                }
                FileChange::Delete { file, .. } => drop(self.texts.insert(file.clone(), None)),
                FileChange::Edit { file, edits, .. } => {
                    let new = after(&self.text(file)?, edits)?;
                    self.texts.insert(file.clone(), Some(new));
                }
                FileChange::Move { from, to, edits, .. } => {
                    let new = after(&self.text(from)?, edits)?;
                    self.texts.insert(from.clone(), None);
                    self.texts.insert(to.clone(), Some(new));
                }
            }
        }
        Ok(())
    }

    fn rewrites(&self, texts: &BTreeMap<FilePath, Option<Arc<str>>>) -> Vec<Rewrite> {
        let rewrite = |(path, text): (&FilePath, &Option<Arc<str>>)| {
            let was_there = self.ctx.pool.world().file_by_path(path.as_str()).is_some();
            let becomes = text.as_ref().map(|text| (path.clone(), text.clone()));
            (was_there || becomes.is_some()).then(|| Rewrite { path: path.clone(), becomes })
        };
        texts.iter().filter_map(rewrite).collect()
    }

    /// Plans on the world of now.
    pub(super) fn with<T>(
        &self,
        plan: impl FnOnce(&RefactorContext<'_>) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        let pool: Resolvers = (self.ctx.scratch)(&self.rewrites(&self.texts))?;
        let text = |id: FileId| {
            let path = pool.world().file(id).path.clone();
            match self.texts.get(&path) {
                Some(Some(text)) => Ok(FileText::new(text.clone())),
                Some(None) => Err(QueryError::NoFile { path: path.to_string() }),
                None => (self.ctx.text)(file_id(&**self.ctx.pool.world(), &path)?),
            }
        };
        let scratch = |more: &[Rewrite]| {
            let mut texts = self.texts.clone();
            for rewrite in more {
                texts.insert(rewrite.path.clone(), None);
            }
            for (path, text) in more.iter().filter_map(|rewrite| rewrite.becomes.as_ref()) {
                texts.insert(path.clone(), Some(text.clone()));
            }
            (self.ctx.scratch)(&self.rewrites(&texts))
        };
        plan(&RefactorContext {
            pool: &pool,
            cx: self.ctx.cx,
            text: &text,
            scratch: &scratch,
            trees: Trees::default(),
        })
    }

    /// The offset of the first of some declarations of a file.
    pub(super) fn landmarks(&self, path: &FilePath, names: &[RootName]) -> Result<Vec<Landmark>, QueryError> {
        self.with(|ctx| {
            let found = roots_again(ctx, path, names)?;
            let landmark = |def: &GlobalDef| {
                let (d, name) = ctx.pool.with(|rx| (rx.def(*def).clone(), rx.shared_name(*def)));
                let is_it = Some(&*name) == names.first().map(|(name, _)| name.as_str());
                is_it.then(|| Landmark {
                    file: path.clone(),
                    offset: d.name_range.start,
                    name: name.to_string(),
                })
            };
            Ok(found.iter().find_map(landmark).into_iter().collect())
        })
    }

    /// Conflicts of a step, without places in texts that nobody has.
    pub(super) fn told(&self, mut conflicts: Vec<Conflict>, title: &str) -> Refactored {
        for found in &mut conflicts {
            found.at = found.at.take().filter(|at| !self.texts.contains_key(&at.file));
        }
        conflicts.dedup();
        told(conflicts, title)
    }

    /// All plans as one.
    pub(super) fn plan(&self, title: &str) -> Result<EditPlan, QueryError> {
        let mut plan = EditPlan::new(title);
        let hash = |path: &FilePath| -> Result<ContentHash, QueryError> {
            let world = self.ctx.pool.world();
            Ok(ContentHash(world.file(file_id(&**world, path)?).content_hash))
        };
        for (path, text) in &self.texts {
            plan.changes.extend(match (self.before(path)?, text) {
                (None, None) => None,
                (None, Some(text)) => Some(FileChange::Create { file: path.clone(), text: text.clone() }),
                (Some(_), None) => Some(FileChange::Delete { file: path.clone(), before: hash(path)? }),
                (Some(old), Some(new)) => {
                    let edits = difference(&old.text, new);
                    (!edits.is_empty()).then_some(FileChange::Edit {
                        file: path.clone(),
                        before: hash(path)?,
                        edits,
                    })
                }
            });
        }
        Ok(plan)
    }
}

/// The difference of two texts: whole lines, without the common ones at both ends.
fn difference(old: &str, new: &str) -> Vec<TextEdit> {
    if old == new {
        return Vec::new();
    }
    let same = |a: &[&str], b: &[&str]| a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (mut a, mut b): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let head = same(&a, &b);
    let start: usize = a[..head].iter().map(|line| line.len()).sum();
    a.drain(..head);
    b.drain(..head);
    a.reverse();
    b.reverse();
    let tail = same(&a, &b);
    let kept: usize = a[..tail].iter().map(|line| line.len()).sum();
    let range = TextRange::new(start as u32, (old.len() - kept) as u32);
    vec![TextEdit::new(range, &new[start..new.len() - kept])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_lines_that_differ_are_edited() {
        let (old, new) = ("a\nb\nc\nd\n", "a\nB\nX\nd\n");
        let edits = difference(old, new);
        assert_eq!(edits, [TextEdit::new(TextRange::new(2, 6), "B\nX\n")]);
        assert_eq!(edited(old, &edits).as_deref(), Some(new));
        assert_eq!(difference(old, old), []);
        assert_eq!(edited("a\na\n", &difference("a\na\n", "a\n")).as_deref(), Some("a\n"));
    }
}
