//! Texts that may stand for a member, among its uses: keys, and names by which code asks for it while it runs.

use std::collections::BTreeSet;

use ide_model::{
    Access, Confidence, FileFilter, FilePath, QueryError, Reference, ReferenceKind, ReferenceSet, Symbol,
};
use rustc_hash::FxHashSet;

use super::RefactorContext;
use super::family::Family;
use super::rename::each_file;
use super::shapes::{home, listed, near, texts_in};
use crate::query::definition::definition_of;
use crate::query::symbol::enclosing_defs;
use crate::query::{file_id, file_meta};
use crate::world::FileId;

/// Texts are not looked at in more files than this.
const MOST_READ: usize = 2_000;

/// The files that hold a name before a quotation mark.
pub type Quoting<'a> = &'a dyn Fn(&str) -> Result<BTreeSet<FilePath>, QueryError>;

/// Adds the texts that may stand for a member to its uses by name. Past the limit of files, the set says so.
///
/// # Errors
/// The errors of [`crate::query::references`] and of `quoting`.
pub fn add_text_uses(
    ctx: &RefactorContext<'_>,
    symbol: &Symbol,
    filter: FileFilter<'_>,
    quoting: Quoting<'_>,
    set: &mut ReferenceSet,
) -> Result<(), QueryError> {
    let Some(def) = ctx.pool.with(|rx| definition_of(rx, symbol))?.1 else { return Ok(()) };
    let family = ctx.pool.with(|rx| {
        rx.member_owner(def)?;
        let family = Family { defs: rx.policy_of(def).same_symbol(rx, def), libraries: Vec::new() };
        family.defs.iter().any(|def| home(rx, *def).is_some()).then_some(family)
    });
    let Some(family) = family else { return Ok(()) };
    let world = ctx.pool.world();
    let name = ctx.pool.with(|rx| rx.shared_name(def));
    let quoting = quoting(&name)?;
    let mut files: Vec<FileId> = quoting.iter().filter_map(|path| file_id(&**world, path).ok()).collect();
    files.retain(|file| filter(&file_meta(world.file(*file))));
    let mut nearby: Option<BTreeSet<FileId>> = None;
    if files.len() > MOST_READ {
        let near = nearby.insert(near(ctx, &family)?);
        files.retain(|file| near.contains(file));
    }
    if files.len() > MOST_READ {
        files.truncate(MOST_READ);
        set.unseen.get_or_insert("may stand in texts of more files than are read");
    }
    let mut found = each_file(ctx, &files, |rx, file| texts_in(ctx, rx, &family, &name, file))?.concat();
    if found.is_empty() {
        return Ok(());
    }
    let nearby = nearby.map_or_else(|| near(ctx, &family), Ok)?;
    found.retain(|(file, _)| nearby.contains(file));
    let certain: FxHashSet<_> = listed(ctx, &family, found.clone())?.0.into_iter().collect();
    ctx.pool.with(|rx| {
        for (id, range) in found {
            let (file, path) = (rx.file(id), &world.file(id).path);
            if set.references.iter().any(|known| known.file == *path && known.range == range) {
                continue;
            }
            let is_certain = certain.contains(&(id, range));
            set.references.push(Reference {
                file: path.clone(),
                range,
                kind: ReferenceKind::Reference,
                access: Access::Read,
                confidence: if is_certain { Confidence::Exact } else { Confidence::NameOnly },
                enclosing: enclosing_defs(file, range.start)
                    .into_iter()
                    .map(|def| file.def_name(def).into())
                    .collect(),
            });
        }
    });
    set.references.sort_by(|a, b| (&a.file, a.range).cmp(&(&b.file, b.range)));
    Ok(())
}
