//! Another name for what an import calls something in its own file: the alias and its uses, not what is imported.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{ConflictKind, EditPlan, FilePath, QueryError, Refactored, SymbolKind, TextEdit};

use super::rename::is_literal_key;
use super::verify::{Effect, Verification};
use super::{Workshop, conflict, write_up};
use crate::facts::{DefId, RefFlags, RefId, Role};
use crate::lang::{self, names};
use crate::query::definition::{At, target_at};
use crate::query::file_id;
use crate::resolve::{FileView, Resolution, Resolver};

/// Plans that an alias gets another name; see [`ide_model::Refactoring::RenameAlias`].
///
/// # Errors
/// [`QueryError::NothingHere`] where no alias stands.
pub(super) fn rename_alias(
    shop: &Workshop<'_>,
    path: &FilePath,
    offset: u32,
    new: &str,
) -> Result<Refactored, QueryError> {
    let file = file_id(&**shop.pool.world(), path)?;
    let view = shop.pool.with(|rx| rx.shared_file(file));
    if !lang::has_policy(view.language()) {
        return Err(QueryError::Unsupported {
            query: "renaming by meaning",
            language: Some(view.language()),
            supported: lang::with_policy(),
        });
    }
    let Some(def) = shop.pool.with(|rx| alias_at(rx, &view, offset)) else {
        return Err(QueryError::NothingHere { what: "an alias of an import".to_owned() });
    };
    let old = view.def_name(def).to_owned();
    let title = format!("rename {old} to {new}");
    let at = Some(shop.at(file, view.def(def).name_range));
    let refused = |kind, message: String| {
        let conflicts = vec![conflict(kind, message, at.clone())];
        Ok(Refactored { plan: EditPlan::new(title.clone()), conflicts, ..Refactored::default() })
    };
    if old == new {
        return refused(ConflictKind::InvalidName, format!("`{old}` is the name that it has"));
    }
    if let Some(problem) = names::spelling_problem(view.language(), new) {
        return refused(ConflictKind::InvalidName, format!("the name `{new}` {problem}"));
    }
    if view.exports.iter().any(|export| view.name(export.name) == old) {
        return refused(ConflictKind::Outside, format!("`{old}` is exported under this name"));
    }
    if !view.named_in_scope(view.def(def).scope, new).is_empty() {
        return refused(ConflictKind::Collision, format!("`{new}` is declared here already"));
    }
    let mut effect = Effect::default();
    let mut places = BTreeSet::new();
    let name_range = view.def(def).name_range;
    if is_path(&view, def) {
        effect.edits.entry(file).or_default().push(TextEdit::insert(name_range.start, format!("{new} ")));
        effect.imports.insert(file);
    } else {
        places.insert(name_range);
    }
    shop.pool.with(|rx| {
        let uses = view.ref_ids().filter(|r| binding(rx, &view, *r) == Some(def));
        places.extend(uses.map(|r| view.reference(r).range));
    });
    let text = (shop.text)(file)?;
    for range in places {
        if !text.slice(range).is_some_and(|written| written.eq_ignore_ascii_case(&old)) {
            continue;
        }
        let edits = effect.edits.entry(file).or_default();
        let is_key = |r: &RefId| {
            let r = view.reference(*r);
            r.range == range && r.role == Role::Key && r.flags.has(RefFlags::IMPLICIT)
        };
        let declares_key = |d: &DefId| view.def(*d).name_range == range && is_literal_key(&view, *d);
        // `{ name }` is a key and a value at once; the key stays.
        if view.ref_ids().any(|r| is_key(&r)) || view.def_ids().any(|d| declares_key(&d)) {
            edits.push(TextEdit::insert(range.start, format!("{old}: ")));
        }
        edits.push(TextEdit::new(range, new));
    }
    for edits in effect.edits.values_mut() {
        edits.sort();
    }
    let mut conflicts = Vec::new();
    let (plan, rewrites) = write_up(shop, title, &effect, &mut conflicts)?;
    let check = Verification::new(shop, (shop.scratch)(&rewrites)?, &effect);
    let names: BTreeSet<Arc<str>> = BTreeSet::from([old.as_str().into(), new.into()]);
    conflicts.extend(check.run(&names, &BTreeSet::new(), &[])?);
    Ok(Refactored { plan, conflicts, ..Refactored::default() })
}

/// The import whose alias stands, or is used, at an offset.
fn alias_at(rx: &Resolver, view: &FileView, offset: u32) -> Option<DefId> {
    let def = match target_at(view, offset)? {
        At::Def(def) => def,
        At::Ref(reference) => binding(rx, view, reference)?,
    };
    is_alias(rx, view, def).then_some(def)
}

/// Whether an import has no name of its own but that of its path, which an alias before the path would replace.
fn is_path(view: &FileView, def: DefId) -> bool {
    let d = view.def(def);
    let mut path = d.import.into_iter().flat_map(|import| view.list(view.import(import).path));
    path.any(|r: RefId| {
        let range = view.reference(r).range;
        d.name_range != range && d.name_range.encloses(range)
    })
}

/// Whether an import calls what it imports by a name of its own, or could.
fn is_alias(rx: &Resolver, view: &FileView, def: DefId) -> bool {
    let d = view.def(def);
    if rx.policy(view).import_is_declaration(rx, view.global(def)) {
        return d.import.is_some();
    }
    let is_written = |r: RefId| view.reference(r).range.encloses(d.name_range);
    let meant = rx.through_imports(Resolution::def(view.global(def)));
    d.kind == SymbolKind::Import
        && d.import.is_some()
        && !d.name_range.is_empty()
        && !["_", "."].contains(&view.def_name(def))
        && !view.ref_ids().any(|r| view.reference(r).role == Role::Import && is_written(r))
        && !meant.defs().any(|other| {
            other != view.global(def) && rx.shared_name(other).eq_ignore_ascii_case(view.def_name(def))
        })
}

/// The import by which a plain name is bound: nothing nearer declares it.
fn binding(rx: &Resolver, view: &FileView, reference: RefId) -> Option<DefId> {
    let r = view.reference(reference);
    if r.receiver.is_some() || r.flags.has(RefFlags::ABSOLUTE) || matches!(r.role, Role::Key | Role::Label) {
        return None;
    }
    let policy = rx.policy(view);
    let name = view.ref_name(reference);
    let mut scopes = view.scope_chain(r.scope).filter(|scope| policy.enters_scope(view, r, *scope, false));
    let bound = scopes.find_map(|scope| {
        let mut visible = view.named_in_scope(scope, name).iter().copied();
        visible.find(|def| policy.sees(rx, view, r, *def))
    })?;
    let import = view.import(view.def(bound).import?);
    let is_own = import.member == Some(reference) || view.list(import.path).any(|r: RefId| r == reference);
    (!is_own).then_some(bound)
}
