//! Texts that may stand for a member, among its uses: keys, and names by which code asks for it while it runs.

use std::collections::BTreeSet;

use ide_model::{
    Access, Confidence, FileFilter, FilePath, QueryError, Reference, ReferenceKind, ReferenceSet, Symbol,
};
use rustc_hash::FxHashSet;

use super::Workshop;
use super::family::Family;
use super::rename::each_file;
use super::shapes::{listed, near, texts_in};
use crate::query::definition::definition_of;
use crate::query::symbol::enclosing_defs;
use crate::query::{file_id, file_meta};
use crate::world::FileId;

/// Texts are not looked for in more files than this.
const MOST_NEAR: usize = 2_000;

/// Adds the texts that may stand for a member to its uses by name. `quoting` lists the files that may hold the name before
/// a quotation mark; without it, all files near the member are read. Past the limit of files, the set says so.
///
/// # Errors
/// The errors of [`crate::query::references`].
pub fn add_text_uses(
    shop: &Workshop<'_>,
    symbol: &Symbol,
    filter: FileFilter<'_>,
    quoting: Option<Vec<FilePath>>,
    set: &mut ReferenceSet,
) -> Result<(), QueryError> {
    let Some(def) = shop.pool.with(|rx| definition_of(rx, symbol))?.1 else { return Ok(()) };
    let family = shop.pool.with(|rx| {
        let is_member = rx.member_owner(def).is_some();
        is_member.then(|| Family { defs: rx.policy_of(def).same_symbol(rx, def), libraries: Vec::new() })
    });
    let Some(family) = family else { return Ok(()) };
    let world = shop.pool.world();
    let name = shop.pool.with(|rx| rx.shared_name(def));
    let reads_near = quoting.is_none();
    let mut files: Vec<FileId> = match quoting {
        Some(paths) => paths.iter().filter_map(|path| file_id(&**world, path).ok()).collect(),
        None => near(shop, &family)?.into_iter().collect(),
    };
    files.retain(|file| filter(&file_meta(world.file(*file))));
    if files.len() > MOST_NEAR {
        files.truncate(MOST_NEAR);
        set.unseen.get_or_insert("may stand in texts of more files than are read");
    }
    let mut found = each_file(shop, &files, |rx, file| texts_in(shop, rx, &family, &name, file))?.concat();
    if found.is_empty() {
        return Ok(());
    }
    if !reads_near {
        let near: BTreeSet<FileId> = near(shop, &family)?;
        found.retain(|(file, _)| near.contains(file));
    }
    let certain: FxHashSet<_> = listed(shop, &family, found.clone())?.0.into_iter().collect();
    shop.pool.with(|rx| {
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
