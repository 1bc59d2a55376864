//! Sight: whether the build lets a file use what another one declares.

use crate::lang::places::is_in_sight;
use crate::resolve::{FileView, Resolver, Target};
use crate::world::FileId;

/// Why a reference cannot mean what it means any more: its file saw the declaration before, and the module or source set
/// of one of both is another one now.
pub(super) fn lost_sight(
    (before, old, was): (&Resolver, &FileView, &[Target]),
    (after, new, is): (&Resolver, &FileView, &[Target]),
) -> Option<String> {
    let home = |target: &Target| -> Option<FileId> {
        match target {
            Target::Def(def) => Some(def.file),
            _ => None,
        }
    };
    let sees = |rx: &Resolver, from: &FileView, targets: &[Target]| {
        targets.iter().filter_map(home).any(|file| is_in_sight(rx, from, file))
    };
    let hidden = is.iter().find_map(home)?;
    let is_lost = !sees(after, new, is) && sees(before, old, was);
    is_lost.then(|| format!("the build does not let {} use {}", new.path, after.world().file(hidden).path))
}
