//! Renaming: the family of declarations, every occurrence, the edits, and the proof.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ide_model::{
    Conflict, ConflictKind, EditPlan, Family as Languages, Landmark, QueryError, Refactored, Related,
    SourceKind, Symbol, SymbolKind, TextEdit, TextRange, moved_offset,
};
use rayon::prelude::*;

use super::alias::{kept_names, under_other_names};
use super::computed::computed;
use super::doubt::{could_mean, unseen_uses};
use super::draft::written_out;
use super::family::{Family, family, is_called_by_name, is_read_by_supertype, other_parts, twins_of_uses};
use super::in_macros::{InMacro, in_macros};
use super::literal_keys::{is_literal_key, is_through_shorthand, literal_keys};
use super::move_file::rename_module;
use super::own_words::finds_by_name;
use super::related::{self, Renamed};
use super::renamed_files::{place, renamed_files};
use super::scene::Scene;
use super::shapes::{Shapes, listed};
use super::verify::{Effect, Verification};
use super::{RefactorContext, conflict, write_up};
use crate::facts::{DefFlags, DefId, RefFlags, RefId, Role, ScopeKind};
use crate::guard;
use crate::lang::forbidden::forbidden;
use crate::lang::{self, names, scoping};
use crate::parallel::divided;
use crate::query::definition::definition_of;
use crate::query::references::{Sought, sought_of};
use crate::resolve::{FileView, Resolution, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// Rounds in which a family may grow through what stands at the places of its uses.
const MAX_ROUNDS: usize = 8;

/// The names and everything that carries them.
struct Renaming {
    old: Arc<str>,
    new: String,
    family: Family,
    sought: Sought,
    /// The only file in which the name can be used.
    only_in: Option<FileId>,
    /// Whether what is not known counts as a use.
    with_unresolved: bool,
    occurrences: Vec<Occurrence>,
    /// Keys of object literals that may stand for the family.
    keys_in_doubt: Vec<GlobalDef>,
    in_macros: Vec<InMacro>,
    /// Texts that may stand for the name.
    in_texts: Vec<(FileId, TextRange)>,
    /// Texts that do.
    listed: Vec<(FileId, TextRange)>,
}

/// The changes that renaming makes in a file.
struct Rewriting {
    edits: Vec<TextEdit>,
    /// Places that cannot be edited.
    wrong: Vec<Conflict>,
    /// Uses under other names, and where.
    others: Vec<String>,
}

/// A reference with a name that is looked for.
#[derive(Clone, Copy)]
pub(super) struct Occurrence {
    pub(super) file: FileId,
    pub(super) reference: RefId,
    pub(super) is_certain: bool,
}

/// Plans that a symbol and its family get a new name; see [`ide_model::Refactoring::Rename`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a resolver and for symbols that are files.
pub(super) fn rename(
    ctx: &RefactorContext<'_>,
    symbol: &Symbol,
    new_name: &str,
    with_family: bool,
    related: Related,
) -> Result<Refactored, QueryError> {
    if !lang::has_policy(symbol.language) {
        return Err(QueryError::Unsupported {
            query: "renaming by meaning",
            language: Some(symbol.language),
            supported: lang::with_policy(),
        });
    }
    let (file, def) = ctx.pool.with(|rx| definition_of(rx, symbol))?;
    let Some(def) = def else { return rename_module(ctx, file, new_name) };
    let def = ctx.pool.with(|rx| namesake(rx, def));
    let old = ctx.pool.with(|rx| rx.shared_name(def));
    // People write the sigil of a variable that the name itself does not have, or not the tick that it has.
    let new_name =
        if old.starts_with('$') { new_name } else { new_name.strip_prefix('$').unwrap_or(new_name) };
    let ticked = format!("'{new_name}");
    let lacks_tick = old.starts_with('\'') && !new_name.starts_with('\'');
    let new_name = if lacks_tick { &*ticked } else { new_name };
    let mut conflicts = ctx.pool.with(|rx| unfit(rx, def, &old, new_name));
    let title = format!("rename {old} to {new_name}");
    if !conflicts.is_empty() {
        return Ok(Refactored { plan: EditPlan::new(title), conflicts, ..Refactored::default() });
    }
    let first = gather(ctx, def, old, new_name.to_owned(), with_family, related.unresolved)?;
    let (rest, mut warnings) = with_related(ctx, &first, with_family, related)?;
    let all: Vec<Renaming> = std::iter::once(first).chain(rest).collect();
    let mut effect = Effect { is_renaming: true, ..Effect::default() };
    for found in &all {
        conflicts.extend(found.conflicts(ctx, with_family)?);
        let mut others = Vec::new();
        for (file, rewriting) in found.rewritings(ctx)? {
            if !rewriting.edits.is_empty() {
                effect.edits.entry(file).or_default().extend(rewriting.edits);
            }
            conflicts.extend(rewriting.wrong);
            others.extend(rewriting.others);
        }
        effect.moves.extend(ctx.pool.with(|rx| renamed_files(rx, &found.family, (&found.old, &found.new))));
        warnings.extend(under_other_names(others));
        warnings.extend(computed(ctx, &found.family.defs)?);
    }
    for edits in effect.edits.values_mut() {
        edits.sort();
        edits.dedup();
    }
    let (plan, rewrites) = write_up(ctx, title, &effect, &mut conflicts)?;
    let mut landmarks = Vec::new();
    if !rewrites.is_empty() {
        let check = Verification::new(ctx, (ctx.scratch)(&rewrites)?, &effect);
        let written = all.iter().flat_map(|found| [found.old.clone(), Arc::from(found.new.as_str())]);
        let names = all.iter().flat_map(|found| found.sought.names.iter().cloned()).chain(written).collect();
        let families = all.iter().flat_map(|found| found.family.defs.iter().copied());
        let family: Vec<GlobalDef> = families.filter(|_| with_family).collect();
        conflicts.extend(check.run(&names, &BTreeSet::new(), &family)?);
        landmarks = all.iter().flat_map(|found| landmarks_of(ctx, found, &effect)).collect();
    }
    conflicts.dedup();
    Ok(Refactored { plan, conflicts, warnings, landmarks })
}

/// The renames of what is called after a symbol, and what is told about them.
fn with_related(
    ctx: &RefactorContext<'_>,
    first: &Renaming,
    with_family: bool,
    what: Related,
) -> Result<(Vec<Renaming>, Vec<String>), QueryError> {
    if (Related { unresolved: false, ..what }) == Related::default() {
        return Ok((Vec::new(), Vec::new()));
    }
    let used_in = first.occurrences.iter().filter(|o| o.is_certain).map(|o| o.file).collect();
    let of =
        Renamed { defs: &first.family.defs, used_in: &used_in, old: &first.old, new: first.new.as_str() };
    let found = ctx.pool.with(|rx| related::related(rx, ctx.cx, &of, what))?;
    let (mut all, mut told): (Vec<Renaming>, Vec<String>) = (Vec::new(), Vec::new());
    for (def, new) in found {
        if all.iter().any(|other| other.family.defs.binary_search(&def).is_ok()) {
            continue;
        }
        let old = ctx.pool.with(|rx| rx.shared_name(def));
        match ctx.pool.with(|rx| unfit(rx, def, &old, &new)).first() {
            Some(problem) => told.push(format!("`{old}` keeps its name: {}", problem.message)),
            None => {
                told.push(format!("`{old}` is renamed to `{new}` along with it"));
                all.push(gather(ctx, def, old, new, with_family, what.unresolved)?);
            }
        }
    }
    Ok((all, told))
}

/// The declaration that has the name of another one: that of a whole module which is called alike, as in
/// `const Shape = require('./shape')`.
fn namesake(rx: &Resolver, def: GlobalDef) -> GlobalDef {
    let d = rx.def(def);
    if d.kind == SymbolKind::Parameter {
        // A parameter that a fixture fills has its name.
        let declared = rx.policy_of(def).declared_as(rx, def);
        return declared.defs().next().unwrap_or(def);
    }
    let import = d.import.filter(|_| d.kind == SymbolKind::Import);
    if import.is_none_or(|import| rx.file(def.file).import(import).member.is_some()) {
        return def;
    }
    let meant = rx.through_imports(Resolution::def(def));
    match meant.defs().collect::<Vec<_>>()[..] {
        [one] if rx.def_name(one) == rx.def_name(def) => one,
        _ => def,
    }
}

/// Reasons that need no search.
fn unfit(rx: &Resolver, def: GlobalDef, old: &str, new: &str) -> Vec<Conflict> {
    let d = rx.def(def);
    let language = rx.language_of(def);
    let invalid = |message: String| vec![conflict(ConflictKind::InvalidName, message, None)];
    if old == new {
        return invalid(format!("`{old}` is its present name"));
    }
    let mark = if old.starts_with('\'') { '\'' } else { '#' };
    let (bare, is_member) = (new.strip_prefix(mark).unwrap_or(new), rx.member_owner(def).is_some());
    if let Some(problem) = names::naming_problem(language, bare, d.kind, is_member) {
        return invalid(format!("the name `{new}` {problem}"));
    }
    if old.starts_with('#') != new.starts_with('#') {
        return invalid(format!("the name `{new}` would change whether it is private"));
    }
    // `__name` of Python is another attribute in every class.
    let is_own = |name: &str| name.starts_with("__") && !name.ends_with("__");
    let is_python = rx.file(def.file).family() == Languages::Python;
    if is_python && is_own(old) != is_own(new) && rx.member_owner(def).is_some() {
        return invalid(format!("the name `{new}` would change whether it is private"));
    }
    if d.kind == SymbolKind::Import {
        let message =
            format!("`{old}` is the name of something that is imported; an alias in the import renames it");
        return vec![conflict(ConflictKind::Outside, message, None)];
    }
    if d.flags.has(DefFlags::ANONYMOUS) || d.name_range.is_empty() || d.flags.has(DefFlags::SYNTHETIC) {
        return invalid(format!("`{old}` has no name in the text"));
    }
    // A field matters to a library only through a supertype that reads it.
    let has_supertype = || rx.member_owner(def).is_some_and(|owner| is_read_by_supertype(rx, owner));
    if !d.flags.has(DefFlags::LOCAL) && (d.kind.is_callable() || old.starts_with("__") || has_supertype()) {
        for name in [old, new] {
            if is_called_by_name(rx, def, name) {
                let message = format!("`{name}` is a name that the language or its library calls by itself");
                return vec![conflict(ConflictKind::Outside, message, None)];
            }
        }
    }
    Vec::new()
}

/// The family, grown until nothing at the places of its uses belongs to it that is not in it.
fn gather(
    ctx: &RefactorContext<'_>,
    def: GlobalDef,
    old: Arc<str>,
    new: String,
    with_family: bool,
    with_unresolved: bool,
) -> Result<Renaming, QueryError> {
    let (mut start, mut shapes) = (vec![def], Shapes::default());
    for _ in 0..MAX_ROUNDS {
        let family = ctx.pool.with(|rx| family(rx, ctx.cx, &start, with_family))?;
        let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &family.defs))?;
        let only_in = ctx.pool.with(|rx| only_file(rx, &family.defs));
        let found = each_file(ctx, &users(ctx, &sought, only_in), |rx, file| {
            let (mut occurrences, mut in_doubt) = (Vec::new(), Vec::new());
            in_file(rx, file, &sought, &mut occurrences);
            let mut more = twins_of_uses(rx, &family, file, &occurrences);
            let certain = occurrences.iter().filter(|o| with_family && o.is_certain).map(|o| o.reference);
            more.extend(other_parts(rx, &family, file, certain));
            if only_in.is_none() {
                let (keys, doubtful) = literal_keys(rx, &family, &sought, &old, file);
                more.extend(keys);
                if with_unresolved {
                    more.extend(doubtful);
                } else {
                    in_doubt.extend(doubtful);
                }
            }
            Ok((occurrences, more, in_doubt))
        })?;
        let mut occurrences = Vec::new();
        let (mut more, mut keys_in_doubt) = (Vec::new(), Vec::new());
        for (of_file, more_of_file, in_doubt) in found {
            occurrences.push(of_file);
            more.extend(more_of_file);
            keys_in_doubt.extend(in_doubt);
        }
        if more.is_empty() && with_family {
            more = shapes.alike(ctx, &family, &old)?;
        }
        if more.is_empty() {
            let mut occurrences = occurrences.concat();
            if with_unresolved {
                let could = |doubt: &Occurrence| {
                    doubt.is_certain || ctx.pool.with(|rx| could_mean(rx, &family.defs, only_in, doubt))
                };
                occurrences.iter_mut().for_each(|found| found.is_certain = could(found));
            }
            let (listed, in_texts) = listed(ctx, &family, shapes.texts(ctx, &family, &old)?)?;
            let in_macros = in_macros(ctx, &family, only_in, &old)?;
            return Ok(Renaming {
                old,
                new,
                family,
                sought,
                only_in,
                with_unresolved,
                occurrences,
                keys_in_doubt,
                in_macros,
                in_texts,
                listed,
            });
        }
        start.extend(more);
    }
    Err(QueryError::Failed { message: format!("too many declarations share the name `{old}`") })
}

/// The file of declarations that no other file can name.
pub(super) fn only_file(rx: &Resolver, defs: &[GlobalDef]) -> Option<FileId> {
    let first = defs.first()?.file;
    let is_inside = |def: &GlobalDef| {
        let d = rx.def(*def);
        let is_known_here = || rx.policy_of(*def).only_in(rx, *def).is_some();
        def.file == first && d.flags.has(DefFlags::LOCAL) && is_known_here()
    };
    defs.iter().all(is_inside).then_some(first)
}

/// Every reference with a sought name that means the family, may mean it, or says nothing.
pub(super) fn occurrences(
    ctx: &RefactorContext<'_>,
    sought: &Sought,
    only_in: Option<FileId>,
) -> Result<Vec<Occurrence>, QueryError> {
    let found = each_file(ctx, &users(ctx, sought, only_in), |rx, file| {
        let mut out = Vec::new();
        in_file(rx, file, sought, &mut out);
        Ok(out)
    })?;
    Ok(found.concat())
}

/// The files of the project that write one of the names that are looked for.
fn users(ctx: &RefactorContext<'_>, sought: &Sought, only_in: Option<FileId>) -> Vec<FileId> {
    let world = ctx.pool.world();
    let mut files: BTreeSet<FileId> = only_in.into_iter().collect();
    if only_in.is_none() {
        files.extend(sought.all_names().flat_map(|name| world.files_mentioning(name)));
    }
    files.into_iter().filter(|file| world.file(*file).source != SourceKind::Library).collect()
}

/// The finds in files, in their order; files are searched in parallel.
pub(super) fn each_file<T: Send>(
    ctx: &RefactorContext<'_>,
    files: &[FileId],
    look: impl Fn(&Resolver, FileId) -> Result<T, QueryError> + Sync,
) -> Result<Vec<T>, QueryError> {
    let question = guard::carried();
    let parts: Result<Vec<Vec<T>>, QueryError> = divided(|| {
        let chunk = (files.len() / (rayon::current_num_threads() * 4)).clamp(1, 64);
        let chunks = files.par_chunks(chunk).with_max_len(1);
        let found = chunks.map(|files| {
            let one = |rx: &Resolver, file: &FileId| {
                ctx.cx.check()?;
                look(rx, *file)
            };
            question.within(|| ctx.pool.with(|rx| files.iter().map(|file| one(rx, file)).collect()))
        });
        found.collect()
    });
    Ok(parts?.into_iter().flatten().collect())
}

fn in_file(rx: &Resolver, id: FileId, sought: &Sought, out: &mut Vec<Occurrence>) {
    let file = rx.file(id);
    for reference in sought.occurrences(rx.policy(file), file, sought.all_names().map(|name| &**name)) {
        let resolved = rx.resolve(file.global_ref(reference));
        let resolution = &resolved.resolution;
        // A declaration that stands for a part of the family (a companion object for its class) is written with
        // its name too.
        let is_ours = |target: &Target| sought.targets.contains(target) || sought.indirect.contains(target);
        let means_it = resolution.targets.iter().any(is_ours);
        if means_it && is_through_shorthand(rx, file, reference, sought) {
            continue;
        }
        if means_it || resolution.is_unknown() {
            let is_certain = means_it && resolution.confidence.is_certain();
            out.push(Occurrence { file: id, reference, is_certain });
        }
    }
}

impl Renaming {
    /// The conflicts that do not depend on the edits.
    fn conflicts(&self, ctx: &RefactorContext<'_>, with_family: bool) -> Result<Vec<Conflict>, QueryError> {
        let mut out = Vec::new();
        for library in &self.family.libraries {
            let name = ctx.pool.with(|rx| {
                let owner = rx.member_owner(*library).map(|owner| rx.shared_name(owner));
                owner.unwrap_or_else(|| rx.shared_name(*library))
            });
            let message = format!("`{}` also stands for a declaration of the library's `{name}`", self.old);
            out.push(conflict(ConflictKind::Outside, message, None));
        }
        let mut used_in: Vec<FileId> =
            self.occurrences.iter().filter(|o| o.is_certain).map(|o| o.file).collect();
        used_in.dedup();
        ctx.pool.with(|rx| {
            for def in &self.family.defs {
                self.conflicts_of(ctx, rx, *def, &used_in, with_family, &mut out);
            }
        });
        let doubtful = self.occurrences.iter().filter(|o| !o.is_certain);
        ctx.pool.with(|rx| {
            let could = |doubt: &&Occurrence| could_mean(rx, &self.family.defs, self.only_in, doubt);
            for doubt in doubtful.filter(could) {
                let range = rx.file(doubt.file).reference(doubt.reference).range;
                let message =
                    format!("this `{}` may be the one that is renamed; its meaning is not known", self.old);
                out.push(conflict(ConflictKind::Unresolved, message, Some(ctx.at(doubt.file, range))));
            }
        });
        ctx.pool.with(|rx| {
            for key in &self.keys_in_doubt {
                let range = rx.def(*key).name_range;
                let message =
                    format!("this `{}` may be the one that is renamed: what takes it is not known", self.old);
                out.push(conflict(ConflictKind::Unresolved, message, Some(ctx.at(key.file, range))));
            }
        });
        out.extend(self.found_by_name(ctx)?);
        out.extend(self.in_macros.iter().filter(|word| !word.is_certain).map(|word| {
            let message = format!("this `{}` in a macro may be the one that is renamed", self.old);
            conflict(ConflictKind::Unresolved, message, Some(ctx.at(word.file, word.range)))
        }));
        out.extend(self.in_texts.iter().map(|(file, range)| {
            let message = format!("the text `{}` may stand for the name that is changed", self.old);
            conflict(ConflictKind::Unresolved, message, Some(ctx.at(*file, *range)))
        }));
        Ok(out)
    }

    /// A local variable that its function may find by its name: `compact('name')`, `locals()`.
    fn found_by_name(&self, ctx: &RefactorContext<'_>) -> Result<Option<Conflict>, QueryError> {
        let local = self.family.defs.iter().find(|def| {
            ctx.pool.with(|rx| {
                let d = rx.def(**def);
                let is_variable = matches!(d.kind, SymbolKind::Variable | SymbolKind::Parameter);
                let family = rx.file(def.file).family();
                let is_bound = d.flags.has(DefFlags::LOCAL) || family == Languages::Php;
                is_variable && is_bound && matches!(family, Languages::Php | Languages::Python)
            })
        });
        let Some(local) = local else { return Ok(None) };
        let scene = match Scene::open(ctx, local.file) {
            Ok(scene) => scene,
            Err(QueryError::Unsupported { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let syntax = &scene.syntax;
        let declared = syntax.around(scene.view.def(local.def).name_range);
        let function = syntax.function_of(declared).unwrap_or(syntax.root());
        let names = [self.old.trim_start_matches('$'), self.new.trim_start_matches('$')];
        let found = finds_by_name(syntax, function, &names);
        Ok(found.map(|id| {
            let what = syntax.text_of(id).lines().next().unwrap_or("");
            let message = format!("`{what}` may find the variable by its name");
            conflict(ConflictKind::Unresolved, message, Some(ctx.at(local.file, syntax.range(id))))
        }))
    }

    fn conflicts_of(
        &self,
        ctx: &RefactorContext<'_>,
        rx: &Resolver,
        def: GlobalDef,
        used_in: &[FileId],
        with_family: bool,
        out: &mut Vec<Conflict>,
    ) {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let policy = rx.policy_of(def);
        let here = || Some(ctx.at(def.file, d.name_range));
        let forbidden = || forbidden(rx, def, &self.new, used_in);
        if let Some(problem) = policy.name_problem(rx, def, &self.new, used_in).or_else(forbidden) {
            out.push(conflict(
                ConflictKind::InvalidName,
                format!("the name `{}` {problem}", self.new),
                here(),
            ));
        }
        if d.flags.has(DefFlags::MARKUP) && d.name_range.is_empty() {
            let message = format!("the content of this element is handed over as `{}`", self.old);
            out.push(conflict(ConflictKind::Outside, message, here()));
        }
        if d.flags.has(DefFlags::OPERATOR) {
            let message = format!("`{}` stands for an operator, which calls it by this name", self.old);
            out.push(conflict(ConflictKind::Outside, message, here()));
        }
        if let Some(why) = unseen_uses(ctx, rx, def, &[&self.old, &self.new]) {
            let message = format!("`{}` {why}", self.old);
            out.push(conflict(ConflictKind::Unresolved, message, here()));
        }
        // A key is named after what is asked for in its place, whatever else its object takes over.
        let is_asked_for = || {
            let asked = || rx.policy_of(def).declared_as(rx, def);
            is_literal_key(file, def.def) && asked().defs().any(|other| other != def)
        };
        if with_family && policy.may_override_unseen(rx, def) && !is_asked_for() {
            let owner = rx.member_owner(def).map(|owner| rx.shared_name(owner));
            let owner = owner.filter(|owner| !owner.is_empty());
            let owner = owner.map_or_else(|| "its type".to_owned(), |owner| format!("`{owner}`"));
            let message = format!(
                "{owner} extends a type that is not in the project, which may require the name `{}`",
                self.old
            );
            out.push(conflict(ConflictKind::Outside, message, here()));
        }
        let is_given = file.family() == Languages::Ecma && d.flags.has(DefFlags::EXPORTED);
        if is_given && file.exports.iter().any(|export| file.name(export.name) == self.new) {
            let message = format!("the file exports `{}` already", self.new);
            out.push(conflict(ConflictKind::Collision, message, here()));
        }
        for other in self.rivals(rx, file, def) {
            if self.family.defs.binary_search(&other).is_err() && policy.collides(rx, def, other) {
                let range = rx.file(other.file).def(other.def).name_range;
                let message = format!("`{}` is declared here already", self.new);
                out.push(conflict(ConflictKind::Collision, message, Some(ctx.at(other.file, range))));
            }
        }
    }

    /// Locals with the new name that a lambda sees, where it must not have locals of the same names.
    fn around_lambda<'f>(&self, file: &'f FileView, def: DefId) -> impl Iterator<Item = DefId> + use<'f> {
        let new = file.name_id(&self.new);
        let scopes = file.scope_chain(file.def(def).scope);
        let scopes = scopes.take_while(|scope| file.scope(*scope).kind != ScopeKind::Class);
        let named = scopes.flat_map(move |scope| new.map_or(&[][..], |new| file.in_scope(scope, new)));
        named.copied().filter(move |other| {
            file.has_flag(*other, DefFlags::LOCAL) && scoping::hides_wrongly(file, def, *other)
        })
    }

    /// Declarations with the new name in the place of one with the old name.
    fn rivals(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Vec<GlobalDef> {
        let d = file.def(def.def);
        let mut rivals: Vec<GlobalDef> =
            file.named_in_scope(d.scope, &self.new).iter().map(|other| file.global(*other)).collect();
        if d.flags.has(DefFlags::MARKUP) {
            // The attributes of an element are names of something else than variables.
        } else if d.flags.has(DefFlags::LOCAL) {
            // Languages differ in whether one local may hide another; a reader is confused by it in all of them.
            let function = file.scope_chain(d.scope).find(|s| file.scope(*s).kind == ScopeKind::Function);
            let range = function.map_or(file.scope(d.scope).range, |scope| file.scope(scope).range);
            let new = file.name_id(&self.new);
            let inside = new.into_iter().flat_map(|_| file.def_ids()).filter(|other| {
                let o = file.def(*other);
                Some(o.name) == new
                    && o.flags.has(DefFlags::LOCAL)
                    && range.encloses(o.name_range)
                    && (file.scope(o.scope).range.encloses(d.name_range)
                        || file.scope(d.scope).range.encloses(o.name_range))
            });
            rivals.extend(inside.map(|other| file.global(other)));
            rivals.extend(self.around_lambda(file, def.def).map(|other| file.global(other)));
        } else if let Some(owner) = rx.member_owner(def) {
            rivals.extend(rx.declared_members(owner, &self.new));
        } else if let Some(qualified) = rx.policy_of(def).qualified_name(rx, def) {
            let policy = rx.policy_of(def);
            let same_place = |other: &GlobalDef| {
                let name = policy.qualified_name(rx, *other);
                name.is_some_and(|name| place(&name, &self.new) == place(&qualified, &self.old))
            };
            let others = rx.world().declarations(&self.new).into_iter().map(|site| site.at);
            rivals.extend(
                others.filter(|other| rx.language_of(*other).family() == file.family()).filter(same_place),
            );
        }
        rivals.retain(|other| *other != def);
        rivals.sort_unstable();
        rivals.dedup();
        rivals
    }

    /// Names of a file that imports bind, and that would be bound to something else too.
    fn taken(
        &self,
        ctx: &RefactorContext<'_>,
        rx: &Resolver,
        view: &FileView,
        written: &BTreeSet<TextRange>,
    ) -> Vec<Conflict> {
        let policy = rx.policy(view);
        let old = view.name_id(&self.old);
        let named = view.def_ids().filter(|def| Some(view.def(*def).name) == old);
        let own: Vec<DefId> = named.filter(|def| written.contains(&view.def(*def).name_range)).collect();
        let mut found = Vec::new();
        let mut collision = |at: TextRange, message: String| {
            found.push(conflict(ConflictKind::Collision, message, Some(ctx.at(view.id, at))));
        };
        for def in own {
            let d = view.def(def);
            if let Some(message) = scoping::bound_anew(rx, view, def, &self.new) {
                collision(d.name_range, message);
            }
            if d.kind != SymbolKind::Import {
                continue;
            }
            for other in view.named_in_scope(d.scope, &self.new).iter().map(|other| view.global(*other)) {
                let meant = rx.through_imports(Resolution::def(other));
                let is_ours = meant.targets.iter().any(|target| self.sought.targets.contains(target));
                let is_import = rx.kind(other) == SymbolKind::Import;
                let meets = |a: GlobalDef| {
                    let others = meant.defs().filter(|_| is_import).chain((!is_import).then_some(other));
                    let mut others = others.peekable();
                    others.peek().is_none() || others.any(|b| policy.collides(rx, a, b))
                };
                if !is_ours && self.family.defs.iter().any(|a| meets(*a)) {
                    let message = format!("`{}` is declared here already", self.new);
                    collision(rx.def(other).name_range, message);
                }
            }
        }
        found
    }

    /// The changes in each file.
    fn rewritings(&self, ctx: &RefactorContext<'_>) -> Result<BTreeMap<FileId, Rewriting>, QueryError> {
        let mut places: BTreeMap<FileId, (Vec<DefId>, Vec<RefId>)> = BTreeMap::new();
        for def in &self.family.defs {
            places.entry(def.file).or_default().0.push(def.def);
        }
        for use_ in self.occurrences.iter().filter(|o| o.is_certain) {
            places.entry(use_.file).or_default().1.push(use_.reference);
        }
        let in_macros = || self.in_macros.iter().filter(|word| word.is_certain);
        for word in in_macros() {
            places.entry(word.file).or_default();
        }
        for (file, _) in &self.listed {
            places.entry(*file).or_default();
        }
        let files: Vec<FileId> = places.keys().copied().collect();
        let found = each_file(ctx, &files, |rx, file| {
            let (view, (defs, uses)) = (rx.file(file), &places[&file]);
            let (mut edits, mut wrong, mut others) = (Vec::new(), Vec::new(), Vec::new());
            let mut ranges: BTreeSet<TextRange> =
                defs.iter().map(|def| view.def(*def).name_range).filter(|range| !range.is_empty()).collect();
            let (bindings, kept) = kept_names(rx, view, &self.sought, (&self.old, &self.new), uses);
            ranges.extend(bindings);
            for use_ in uses {
                let (name, r) = (view.ref_name(*use_), view.reference(*use_));
                let in_any_case = rx.policy(view).is_written_in_any_case(r);
                let is_respelled = || rx.policy(view).respelled(name, &self.old, &self.new).is_some();
                if kept.contains(use_) {
                    others.push(format!("`{name}` in {}", ctx.path(file)));
                } else if name == &*self.old
                    || in_any_case && name.eq_ignore_ascii_case(&self.old)
                    || is_respelled()
                {
                    ranges.insert(r.range);
                } else {
                    others.push(format!("`{name}` in {}", ctx.path(file)));
                }
            }
            wrong.extend(self.taken(ctx, rx, view, &ranges));
            ranges.extend(self.listed.iter().filter(|(of, _)| *of == file).map(|(_, range)| *range));
            ranges.extend(in_macros().filter(|word| word.file == file).map(|word| word.range));
            let text = (ctx.text)(file)?;
            let is_foreign = |def: &&GlobalDef| rx.language_of(**def) != view.language();
            let foreign = self.family.defs.iter().find(is_foreign).copied();
            let accessed = |range| foreign.and_then(|other| self.accessed(rx, view, range, other));
            for range in ranges {
                let written = text.slice(range).unwrap_or("");
                match self.spelled(written) {
                    Some(_) if let Some(name) = accessed(range) => {
                        edits.push(TextEdit::new(range, name));
                    }
                    Some(inner) => {
                        let start = range.start + inner as u32;
                        let name = TextRange::new(start, start + self.old.len() as u32);
                        edits.extend(self.edits_at(rx, file, name, &text.text[..start as usize]));
                    }
                    None if let Some(name) = rx.policy(view).respelled(written, &self.old, &self.new) => {
                        edits.push(TextEdit::new(range, name));
                    }
                    // A rule of the language puts another name in its place (`default`), or nothing is written at all.
                    None if !written.contains(&*self.old) => {}
                    None => {
                        let message = format!("`{written}` cannot be rewritten");
                        wrong.push(conflict(ConflictKind::Form, message, Some(ctx.at(file, range))));
                    }
                }
            }
            edits.sort();
            edits.dedup();
            Ok((file, Rewriting { edits, wrong, others }))
        })?;
        Ok(found.into_iter().collect())
    }

    /// The new name of an accessor that had the name of its property, or of a property that had the name of its getter;
    /// `other` is one of the family in another language.
    fn accessed(&self, rx: &Resolver, view: &FileView, range: TextRange, other: GlobalDef) -> Option<String> {
        let is_call = view.by_place().refs.at(range).any(|r| view.reference(r).role == Role::Call);
        // A property is read, or its getter called and declared.
        let is_declared = view.by_place().names.at(range).next().is_some();
        let is_accessor = rx.kind(other) == SymbolKind::Property && (is_call || is_declared);
        let is_read = rx.kind(other) == SymbolKind::Method && !is_call && !is_declared;
        (is_accessor || is_read).then(|| rx.policy(view).respelled_from(rx, other, &self.new)).flatten()
    }

    /// The offset of the name itself in the text of a name: behind a sigil or inside quotes.
    fn spelled(&self, written: &str) -> Option<usize> {
        if written == &*self.old {
            return Some(0);
        }
        let inner = written.strip_prefix(['"', '\'', '$', '`', '@'])?;
        let inner = inner.strip_suffix(['"', '\'', '`']).unwrap_or(inner);
        (inner == &*self.old).then_some(1)
    }

    /// The new name at one place, with the text before it. Where one word is a key and a value at once, and one of them is
    /// renamed, both are written out.
    fn edits_at(&self, rx: &Resolver, file: FileId, range: TextRange, before: &str) -> Vec<TextEdit> {
        let view = rx.file(file);
        let is_sought = |resolution: &Resolution| {
            resolution.targets.iter().any(|target| self.sought.targets.contains(target))
        };
        let (mut key, mut value) = (None, None);
        let or = |side: &mut Option<bool>, is_ours| *side = Some(side.unwrap_or(false) || is_ours);
        let declared: Vec<DefId> = view.by_place().names.at(range).collect();
        for def in &declared {
            let at = view.global(*def);
            let is_in_family = self.family.defs.binary_search(&at).is_ok();
            if is_literal_key(view, *def) {
                let meant = rx.policy(view).declared_as(rx, at);
                or(&mut key, is_in_family || is_sought(&meant));
            } else {
                or(&mut value, is_in_family || is_sought(&rx.through_imports(Resolution::def(at))));
            }
        }
        let has_key = key.is_some();
        for reference in view.by_place().refs.at(range) {
            let r = view.reference(reference);
            let meant = rx.resolve(view.global_ref(reference)).resolution;
            let is_ours = is_sought(&meant) || self.with_unresolved && meant.is_unknown();
            match r.role {
                Role::Key if r.flags.has(RefFlags::IMPLICIT) && !has_key => {
                    or(&mut key, is_ours && !is_through_shorthand(rx, view, reference, &self.sought));
                }
                Role::Key | Role::Import => {}
                _ => or(&mut value, is_ours),
            }
        }
        let (policy, last) = (rx.policy(view), before.chars().next_back());
        let key_at = policy.key_start(before) as u32;
        let before = &before[before.len() - last.map_or(0, char::len_utf8)..];
        let form = policy.written_out(view, range, before);
        match (key, value) {
            (Some(true), Some(false)) => written_out(range, key_at, before, &self.new, form),
            (Some(false), Some(true)) => {
                let mut edits = written_out(range, key_at, before, &self.old, form);
                edits.push(TextEdit::new(range, self.new.as_str()));
                edits
            }
            _ => vec![TextEdit::new(range, self.new.as_str())],
        }
    }
}

fn landmarks_of(ctx: &RefactorContext<'_>, found: &Renaming, effect: &Effect) -> Vec<Landmark> {
    let none = Vec::new();
    let mut all: Vec<Landmark> = ctx.pool.with(|rx| {
        let named = found.family.defs.iter().filter(|def| !rx.def(**def).name_range.is_empty());
        let landmark = |def: &GlobalDef| {
            let (edits, range) = (effect.edits.get(&def.file).unwrap_or(&none), rx.def(*def).name_range);
            let at = range.start;
            // An accessor is not called like its property.
            let written = edits.iter().find(|edit| edit.range == range).map(|edit| edit.text.to_string());
            // Of what is written out, the key stands where the word stood.
            let is_key = is_literal_key(rx.file(def.file), def.def);
            let key = edits.iter().find(|edit| is_key && edit.range == TextRange::new(at, at));
            Landmark {
                file: effect.moves.get(&def.file).cloned().unwrap_or_else(|| ctx.path(def.file)),
                offset: moved_offset(edits, at) - key.map_or(0, |edit| edit.text.len() as u32),
                name: written.unwrap_or_else(|| found.new.clone()),
            }
        };
        named.map(landmark).collect()
    });
    all.sort();
    all.dedup();
    all
}
