//! Another name for an alias: what an import or an export calls something that has a name of its own. The alias and its
//! uses change, not what is meant.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{
    ConflictKind, EditPlan, FilePath, QueryError, Refactored, SourceKind, SymbolKind, TextEdit, TextRange,
    Visibility,
};

use super::literal_keys::is_literal_key;
use super::rename::each_file;
use super::verify::{Effect, Verification};
use super::{RefactorContext, conflict, write_up};
use crate::facts::{DefId, Import, ImportId, ImportKind, RefFlags, RefId, Role};
use crate::lang::{self, names, scoping};
use crate::query::definition::{At, target_at};
use crate::query::file_id;
use crate::query::references::Sought;
use crate::resolve::{FileView, GivenName, Resolution, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// Plans that an alias gets another name; see [`ide_model::Refactoring::RenameAlias`].
///
/// # Errors
/// [`QueryError::NothingHere`] where no alias stands.
pub(super) fn rename_alias(
    ctx: &RefactorContext<'_>,
    path: &FilePath,
    offset: u32,
    new: &str,
) -> Result<Refactored, QueryError> {
    let file = file_id(&**ctx.pool.world(), path)?;
    let view = ctx.pool.with(|rx| rx.shared_file(file));
    if !lang::has_policy(view.language()) {
        return Err(QueryError::Unsupported {
            query: "renaming by meaning",
            language: Some(view.language()),
            supported: lang::with_policy(),
        });
    }
    if let Some((given, old)) = ctx.pool.with(|rx| given_at(rx, &view, offset)) {
        return rename_given(ctx, given, &old, new);
    }
    let Some(def) = ctx.pool.with(|rx| alias_at(rx, &view, offset)) else {
        return Err(QueryError::NothingHere { what: "an alias of an import".to_owned() });
    };
    let old = view.def_name(def).to_owned();
    let title = format!("rename {old} to {new}");
    let at = Some(ctx.at(file, view.def(def).name_range));
    let refused = |kind, message: String| {
        let conflicts = vec![conflict(kind, message, at.clone())];
        Ok(Refactored { plan: EditPlan::new(title.clone()), conflicts, ..Refactored::default() })
    };
    if old == new {
        return refused(ConflictKind::InvalidName, format!("`{old}` is its present name"));
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
    if let Some(why) = ctx.pool.with(|rx| rx.policy(&view).has_unseen_uses(rx, view.global(def))) {
        return refused(ConflictKind::Unresolved, format!("`{old}` {why}"));
    }
    if let Some(message) = ctx.pool.with(|rx| scoping::bound_anew(rx, &view, def, new)) {
        return refused(ConflictKind::Collision, message);
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
    ctx.pool.with(|rx| {
        let in_any_case = |r: RefId| {
            let reference = view.reference(r);
            rx.policy(&view).is_written_in_any_case(reference)
                && rx.policy(&view).sees(rx, &view, reference, def)
                && reference.receiver.is_none()
                && reference.role != Role::Import
                && view.ref_name(r) != old
                && view.ref_name(r).eq_ignore_ascii_case(&old)
        };
        let uses = view.ref_ids().filter(|r| binding(rx, &view, *r) == Some(def) || in_any_case(*r));
        places.extend(uses.map(|r| view.reference(r).range));
    });
    let text = (ctx.text)(file)?;
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
    let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
    let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
    let names: BTreeSet<Arc<str>> = BTreeSet::from([old.as_str().into(), new.into()]);
    conflicts.extend(check.run(&names, &BTreeSet::new(), &[])?);
    Ok(Refactored { plan, conflicts, ..Refactored::default() })
}

/// The alias at an offset that other files may use, and how it is written.
fn given_at(rx: &Resolver, view: &FileView, offset: u32) -> Option<(GivenName, String)> {
    let at = target_at(view, offset)?;
    let given = rx.policy(view).given_name(rx, view, at)?;
    let name = match at {
        At::Def(def) => view.def_name(def),
        At::Ref(reference) => view.ref_name(reference),
    };
    (rx.world().file(given.file).source != SourceKind::Library).then(|| (given, name.to_owned()))
}

/// Plans that an alias gets another name wherever it is used.
fn rename_given(
    ctx: &RefactorContext<'_>,
    given: GivenName,
    old: &str,
    new: &str,
) -> Result<Refactored, QueryError> {
    let title = format!("rename {old} to {new}");
    let home = ctx.pool.with(|rx| rx.shared_file(given.file));
    let mut conflicts = Vec::new();
    let mut refuse = |kind, message: String, at| conflicts.push(conflict(kind, message, Some(at)));
    let here = ctx.at(given.file, given.range);
    if old == new {
        refuse(ConflictKind::InvalidName, format!("`{old}` is its present name"), here.clone());
    } else if let Some(problem) = names::spelling_problem(home.language(), new) {
        refuse(ConflictKind::InvalidName, format!("the name `{new}` {problem}"), here.clone());
    }
    if home.exports.iter().any(|export| home.name(export.name) == new) {
        refuse(ConflictKind::Collision, format!("`{new}` is exported here already"), here);
    }
    let mut effect = Effect::default();
    let files = ctx.pool.world().files_mentioning(old).into_iter();
    let is_ours = |file: &FileId| ctx.pool.world().file(*file).source != SourceKind::Library;
    let files: Vec<FileId> = files.filter(is_ours).collect();
    let found = each_file(ctx, &files, |rx, file| {
        let view = rx.file(file);
        let places = places_of(rx, view, given, old);
        let doubtful = doubtful_use(rx, view, given, old, &places);
        Ok((file, places, doubtful))
    })?;
    for (file, places, doubtful) in found {
        if let Some(range) = doubtful {
            let message = format!("this `{old}` may be the one that is renamed; its meaning is not known");
            refuse(ConflictKind::Unresolved, message, ctx.at(file, range));
        }
        let view = ctx.pool.with(|rx| rx.shared_file(file));
        let text = (ctx.text)(file)?;
        for (range, is_key) in places {
            let written = text.slice(range).unwrap_or("");
            let Some(inner) = written.find(old).filter(|_| written.trim_matches(['"', '\'', '`']) == old)
            else {
                continue;
            };
            let start = range.start + inner as u32;
            let range = TextRange::new(start, start + old.len() as u32);
            effect.edits.entry(file).or_default().extend(edits_of(&view, range, is_key, old, new));
            let binds = |def: &DefId| view.def(*def).name_range == range;
            for def in view.def_ids().filter(binds) {
                if !is_key && !view.named_in_scope(view.def(def).scope, new).is_empty() {
                    let message = format!("`{new}` is declared here already");
                    refuse(ConflictKind::Collision, message, ctx.at(file, range));
                }
                if let Some(why) = ctx.pool.with(|rx| rx.policy(&view).has_unseen_uses(rx, view.global(def)))
                {
                    refuse(ConflictKind::Unresolved, format!("`{old}` {why}"), ctx.at(file, range));
                }
                let anew = ctx.pool.with(|rx| {
                    scoping::bound_anew(rx, &view, def, new).or_else(|| has_member(rx, view.global(def), new))
                });
                if let Some(message) = anew {
                    refuse(ConflictKind::Collision, message, ctx.at(file, range));
                }
            }
        }
    }
    for edits in effect.edits.values_mut() {
        edits.sort();
        edits.dedup();
    }
    if !conflicts.is_empty() {
        return Ok(Refactored { plan: EditPlan::new(title), conflicts, ..Refactored::default() });
    }
    let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
    let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
    let names: BTreeSet<Arc<str>> = BTreeSet::from([old.into(), new.into()]);
    conflicts.extend(check.run(&names, &BTreeSet::new(), &[])?);
    Ok(Refactored { plan, conflicts, ..Refactored::default() })
}

/// Whether the class that an alias of a member belongs to has a member of a name already: its own, or one that it inherits.
fn has_member(rx: &Resolver, alias: GlobalDef, name: &str) -> Option<String> {
    let owner = rx.member_owner(alias)?;
    let found = rx.inherited_members(&rx.self_type(owner), name);
    let is_seen = |def: GlobalDef| {
        rx.member_owner(def) == Some(owner) || rx.def(def).visibility != Some(Visibility::Private)
    };
    let other = found.iter().filter_map(|member| member.def()).find(|def| is_seen(*def))?;
    let of = rx.member_owner(other).map_or_else(|| "its type".into(), |of| rx.shared_name(of));
    Some(format!("`{of}` has a member `{name}`, which the alias would meet"))
}

/// The places where a file writes an alias, and whether it is a key there that a variable of the same name is
/// bound to.
fn places_of(rx: &Resolver, view: &FileView, given: GivenName, name: &str) -> BTreeSet<(TextRange, bool)> {
    let Some(id) = view.name_id(name) else { return BTreeSet::new() };
    let policy = rx.policy(view);
    let mut places = BTreeSet::new();
    if view.id == given.file {
        places.insert((given.range, false));
    }
    for reference in view.refs_named(id) {
        let r = view.reference(*reference);
        if !r.range.is_empty() && policy.given_name(rx, view, At::Ref(*reference)) == Some(given) {
            places.insert((r.range, r.role == Role::Key && r.flags.has(RefFlags::IMPLICIT)));
        }
    }
    places
}

/// A use of the name of an alias that is not known, in a file that takes the module of the alias as a whole.
fn doubtful_use(
    rx: &Resolver,
    view: &FileView,
    given: GivenName,
    name: &str,
    places: &BTreeSet<(TextRange, bool)>,
) -> Option<TextRange> {
    let policy = rx.policy(view);
    let takes_module = |index: usize| {
        let import = ImportId(index as u32);
        view.import(import).member.is_none()
            && policy.import(rx, view, import).targets.contains(&Target::Module(given.file))
    };
    if view.id == given.file || !(0..view.imports.len()).any(takes_module) {
        return None;
    }
    let is_doubtful = |r: &RefId| {
        let at = view.reference(*r);
        (at.receiver.is_some() || at.role == Role::Key)
            && places.iter().all(|(place, _)| *place != at.range)
            && rx.resolve(view.global_ref(*r)).resolution.is_unknown()
    };
    let named = view.name_id(name).into_iter().flat_map(|id| view.refs_named(id));
    named.copied().find(is_doubtful).map(|r| view.reference(r).range)
}

/// The new name at one place; of `{ name }` the part that keeps its name is written out.
fn edits_of(view: &FileView, range: TextRange, is_key: bool, old: &str, new: &str) -> Vec<TextEdit> {
    if is_key {
        return vec![TextEdit::insert(range.start, format!("{new}: "))];
    }
    let is_other_key = |r: RefId| {
        let r = view.reference(r);
        r.range == range && r.role == Role::Key && r.flags.has(RefFlags::IMPLICIT)
    };
    let declares_key = |d: DefId| view.def(d).name_range == range && is_literal_key(view, d);
    let mut edits = Vec::new();
    if view.ref_ids().any(is_other_key) || view.def_ids().any(declares_key) {
        edits.push(TextEdit::insert(range.start, format!("{old}: ")));
    }
    edits.push(TextEdit::new(range, new));
    edits
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
    // An import of what a module gives by default may call it as it likes, and does not write its name.
    let unsaid =
        d.import.map(|import| view.import(import)).filter(|import| import.kind == ImportKind::Default);
    let unsaid =
        unsaid.and_then(|import| import.member).filter(|r| view.reference(*r).flags.has(RefFlags::IMPLICIT));
    // Nor does `const name = require('./a')`.
    let is_whole = d.import.is_some_and(|import| view.import(import).member.is_none());
    let names_whole = |r: RefId| {
        let r = view.reference(r);
        is_whole && r.flags.has(RefFlags::IMPLICIT) && r.range == d.name_range
    };
    let is_written =
        |r: RefId| Some(r) != unsaid && !names_whole(r) && view.reference(r).range.encloses(d.name_range);
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

/// A warning about uses that keep the names that they have.
pub(super) fn under_other_names(mut places: Vec<String>) -> Option<String> {
    places.sort();
    places.dedup();
    let count = places.len();
    places.truncate(3);
    let shown = places.join(", ");
    match count {
        0 => None,
        1 => Some(format!("1 use under another name stays as it is: {shown}")),
        _ => Some(format!("{count} uses under other names stay as they are, e.g. {shown}")),
    }
}

/// When something is renamed: the names of imports of its default export that are called like it and can be called anew,
/// and the uses that keep their name, since an alias gives it to them.
pub(super) fn kept_names(
    rx: &Resolver,
    view: &FileView,
    sought: &Sought,
    (old, new): (&str, &str),
    uses: &[RefId],
) -> (Vec<TextRange>, Vec<RefId>) {
    let is_unsaid = |member: RefId| view.reference(member).flags.has(RefFlags::IMPLICIT);
    // A whole module may stand for what it gives out: `const A = require("./a")`.
    let is_whole = |import: &&Import| match import.kind {
        ImportKind::Default => import.member.is_some_and(is_unsaid),
        ImportKind::Module => import.member.is_none(),
        _ => false,
    };
    let defaults = view.imports.iter().filter(is_whole);
    let named = defaults.filter_map(|import| import.def).filter(|def| view.def_name(*def) == old);
    let is_ours = |def: &DefId| {
        let meant = rx.through_imports(Resolution::def(view.global(*def)));
        !meant.targets.is_empty() && meant.targets.iter().all(|target| sought.targets.contains(target))
    };
    let is_free = |def: &DefId| view.named_in_scope(view.def(*def).scope, new).is_empty();
    let (free, taken): (Vec<DefId>, Vec<DefId>) = named.filter(is_ours).partition(is_free);
    let policy = rx.policy(view);
    let is_kept = |use_: &RefId| {
        policy.given_name(rx, view, At::Ref(*use_)).is_some()
            || !taken.is_empty() && binding(rx, view, *use_).is_some_and(|def| taken.contains(&def))
    };
    let kept = uses.iter().copied().filter(is_kept).collect();
    (free.into_iter().map(|def| view.def(def).name_range).collect(), kept)
}

/// The import by which a plain name is bound: nothing nearer declares it.
fn binding(rx: &Resolver, view: &FileView, reference: RefId) -> Option<DefId> {
    let bound = rx.bound(view, reference)?;
    let import = view.import(view.def(bound).import?);
    let is_own = import.member == Some(reference) || view.list(import.path).any(|r: RefId| r == reference);
    (!is_own).then_some(bound)
}
