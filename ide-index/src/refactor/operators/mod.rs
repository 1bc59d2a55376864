//! Uses of methods by operators, statements and built-in functions, where the name of the method is not written.
//!
//! Facts do not know where an operator stands. So the files that hold one of the tokens in question are read into trees when
//! somebody asks, and the types of the operands say which method a token calls.

mod sites;
mod table;
mod values;

use std::collections::BTreeMap;

use ide_model::{
    Access, CallEdge, Confidence, FileFilter, QueryError, Reference, ReferenceKind, ReferenceSet, SourceKind,
    Symbol, TextRange,
};
use rustc_hash::FxHashSet;

use self::sites::{Site, sites};
use self::table::{Operators, Side, Way};
use self::values::Values;
use super::RefactorContext;
use crate::facts::{DefFlags, Expr};
use crate::parallel::each;
use crate::query::calls::{Reach, all_overridden, edge, reach};
use crate::query::definition::definition_of;
use crate::query::file_meta;
use crate::query::references::{CALLED_WITHOUT_NAME, is_operator};
use crate::query::symbol::enclosing_defs;
use crate::resolve::{FileView, Member, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Bytes of code that are read into trees for one question.
const MOST_READ: usize = 12 << 20;

/// More places at which nothing is known of the object are counted and not listed.
const MOST_POSSIBLE: usize = 200;

/// Files that are looked at together.
const CHUNK: usize = 64;

const BY_LIBRARY: &str = "is also called by the library, where its name is not written";
const NOT_ALL_READ: &str = "is also called by operators, and not all code could be searched for them";
const MANY_POSSIBLE: &str = "is also called by operators, many of them on values of types that are not known";

/// A place at which a method is called without its name.
pub(super) struct OperatorUse {
    pub(super) file: FileId,
    pub(super) range: TextRange,
    pub(super) confidence: Confidence,
}

/// The uses of some methods by operators.
#[derive(Default)]
pub(super) struct OperatorUses {
    /// By file and place.
    pub(super) uses: Vec<OperatorUse>,
    /// Places that are possible uses and that are not listed.
    pub(super) unlisted: usize,
    /// Whether code was left out that could not be read, or that was too much.
    pub(super) is_cut: bool,
    /// Why these are not all; completes "`x` …".
    pub(super) unseen: Option<&'static str>,
}

/// The methods that are looked for.
struct Sought {
    row: &'static Operators,
    own: FxHashSet<GlobalDef>,
    /// Methods that the own ones override, through which they may be called, and the types of objects of which that is true.
    base: Option<(FxHashSet<GlobalDef>, Reach)>,
    ways: Vec<Way>,
    name: String,
}

/// Adds the uses by operators of a symbol to those by name.
///
/// # Errors
/// The errors of [`crate::query::references`].
pub fn add_operator_uses(
    ctx: &RefactorContext<'_>,
    symbol: &Symbol,
    filter: FileFilter<'_>,
    set: &mut ReferenceSet,
) -> Result<(), QueryError> {
    let Some(def) = ctx.pool.with(|rx| definition_of(rx, symbol))?.1 else { return Ok(()) };
    let same = ctx.pool.with(|rx| rx.policy_of(def).same_symbol(rx, def));
    let Some(found) = operator_uses(ctx, &same, false, filter)? else { return Ok(()) };
    set.unresolved_same_name += found.unlisted;
    if set.unseen.is_none_or(|why| why == CALLED_WITHOUT_NAME) {
        set.unseen = found.unseen;
    }
    ctx.pool.with(|rx| {
        set.references.extend(found.uses.into_iter().map(|found| {
            let file = rx.file(found.file);
            let around = enclosing_defs(file, found.range.start);
            Reference {
                file: rx.world().file(found.file).path.clone(),
                range: found.range,
                kind: ReferenceKind::Operator,
                access: Access::Call,
                confidence: found.confidence,
                enclosing: around.into_iter().map(|def| file.def_name(def).into()).collect(),
            }
        }));
    });
    set.references.sort_by(|a, b| (&a.file, a.range).cmp(&(&b.file, b.range)));
    Ok(())
}

/// Adds the callers by operators of a symbol to those by name. Returns why these are not all, where the operators of the
/// language are known; completes "`x` …".
///
/// # Errors
/// The errors of [`crate::query::callers`].
pub fn add_operator_callers(
    ctx: &RefactorContext<'_>,
    symbol: &Symbol,
    filter: FileFilter<'_>,
    edges: &mut Vec<CallEdge>,
) -> Result<Option<Option<&'static str>>, QueryError> {
    let Some(def) = ctx.pool.with(|rx| definition_of(rx, symbol))?.1 else { return Ok(None) };
    let Some(found) = operator_uses(ctx, &[def], true, filter)? else { return Ok(None) };
    ctx.pool.with(|rx| {
        let mut callers: BTreeMap<(FileId, Option<GlobalDef>), (Vec<TextRange>, Confidence)> =
            BTreeMap::new();
        for found in found.uses {
            let file = rx.file(found.file);
            let caller = enclosing_defs(file, found.range.start).last().map(|def| file.global(*def));
            let place = callers.entry((found.file, caller)).or_insert((Vec::new(), found.confidence));
            place.0.push(found.range);
            place.1 = place.1.min(found.confidence);
        }
        for ((file, caller), (sites, confidence)) in callers {
            let new = edge(rx, rx.file(file), caller, sites, confidence);
            let key = |edge: &CallEdge| edge.symbol.as_ref().map(|symbol| symbol.name_range);
            match edges.iter_mut().find(|edge| edge.file == new.file && key(edge) == key(&new)) {
                Some(known) => {
                    known.sites.extend(new.sites);
                    known.sites.sort_unstable();
                    known.sites.dedup();
                    known.confidence = known.confidence.min(new.confidence);
                }
                None => edges.push(new),
            }
        }
    });
    edges.sort_by_cached_key(|edge| (edge.file.clone(), edge.sites.first().map(|site| site.start)));
    Ok(Some(found.unseen.or((found.unlisted > 0).then_some(MANY_POSSIBLE))))
}

/// The uses by operators of declarations that are one symbol; with `through_base` also those that call a method which it
/// overrides. `None` where no operator that the table knows calls it.
pub(super) fn operator_uses(
    ctx: &RefactorContext<'_>,
    defs: &[GlobalDef],
    through_base: bool,
    filter: FileFilter<'_>,
) -> Result<Option<OperatorUses>, QueryError> {
    let Some(sought) = ctx.pool.with(|rx| sought(ctx, rx, defs, through_base))? else { return Ok(None) };
    let files = ctx.pool.with(|rx| candidates(rx, defs, filter));
    let mut found = OperatorUses::default();
    let mut read = 0;
    for chunk in files.chunks(CHUNK) {
        if read > MOST_READ {
            found.is_cut = true;
            break;
        }
        let look = |file: &FileId| uses_in(ctx, &sought, *file);
        for part in each(chunk, look) {
            let part = part?;
            found.uses.extend(part.uses);
            read += part.size;
            found.is_cut |= part.is_damaged;
        }
    }
    let is_possible = |one: &OperatorUse| one.confidence == Confidence::NameOnly;
    let possible = found.uses.iter().filter(|one| is_possible(one)).count();
    if possible > MOST_POSSIBLE {
        found.uses.retain(|one| !is_possible(one));
        found.unlisted = possible;
    }
    found.uses.sort_by_key(|one| (one.file, one.range, one.confidence));
    found.uses.dedup_by_key(|one| (one.file, one.range));
    let is_complete = ctx.pool.with(|rx| defs.iter().all(|def| is_complete(rx, &sought, *def)));
    found.unseen = if found.is_cut { Some(NOT_ALL_READ) } else { (!is_complete).then_some(BY_LIBRARY) };
    Ok(Some(found))
}

fn sought(
    ctx: &RefactorContext<'_>,
    rx: &Resolver,
    defs: &[GlobalDef],
    through_base: bool,
) -> Result<Option<Sought>, QueryError> {
    let Some(first) = defs.iter().copied().find(|def| is_operator(rx, *def)) else { return Ok(None) };
    let Some(row) = table::of(rx.language_of(first)) else { return Ok(None) };
    let name = rx.shared_name(first).to_string();
    let ways = row.ways(&name);
    if ways.is_empty() && row.part(&name).is_none() || rx.policy_of(first).runs_when_made(rx, first) {
        return Ok(None);
    }
    let base = match through_base {
        true => {
            let base: FxHashSet<GlobalDef> = all_overridden(rx, first).into_iter().collect();
            if base.is_empty() { None } else { Some((base, reach(rx, ctx.cx, first)?)) }
        }
        false => None,
    };
    Ok(Some(Sought { row, own: defs.iter().copied().collect(), base, ways, name }))
}

/// Whether no library calls a method by itself, and no object stands for it unseen.
fn is_complete(rx: &Resolver, sought: &Sought, def: GlobalDef) -> bool {
    let is_member = rx.member_owner(def).is_some();
    let is_extension = rx.def(def).flags.has(DefFlags::EXTENSION);
    sought.row.is_complete(&sought.name)
        // The object of such an extension and the one that has it are two.
        && !(is_member && is_extension)
        && !(is_member && rx.policy_of(def).may_override_unseen(rx, def))
}

/// The files that may hold operators for a method: those that name its type or the method first.
fn candidates(rx: &Resolver, defs: &[GlobalDef], filter: FileFilter<'_>) -> Vec<FileId> {
    let world = rx.world();
    let Some(first) = defs.first().copied() else { return Vec::new() };
    let language = rx.language_of(first);
    let owner = rx.member_owner(first).unwrap_or(first);
    let naming: FxHashSet<FileId> = world.files_mentioning(&rx.shared_name(owner)).into_iter().collect();
    let mut files: Vec<FileId> = (0..world.file_count()).map(FileId).collect();
    files.retain(|id| {
        let file = world.file(*id);
        file.language == Some(language) && file.source != SourceKind::Library && filter(&file_meta(file))
    });
    files.sort_by_key(|id| (!naming.contains(id), *id));
    files
}

/// One file.
struct Searched {
    uses: Vec<OperatorUse>,
    /// How many bytes were read into a tree.
    size: usize,
    /// The tree is not that of the whole code.
    is_damaged: bool,
}

fn uses_in(ctx: &RefactorContext<'_>, sought: &Sought, file: FileId) -> Result<Searched, QueryError> {
    ctx.cx.check()?;
    let view = ctx.pool.with(|rx| rx.shared_file(file));
    let uses = ctx.pool.with(|rx| parts_in(rx, sought, &view));
    let text = (ctx.text)(file)?.text;
    let mut found = Searched { uses, size: 0, is_damaged: false };
    if !sought.ways.iter().any(|way| may_be_in(way, &text)) {
        return Ok(found);
    }
    let syntax = match ctx.syntax(&view, text) {
        Ok(syntax) => syntax,
        Err(QueryError::Unsupported { .. } | QueryError::NotRead { .. }) => {
            found.is_damaged = true;
            return Ok(found);
        }
        Err(error) => return Err(error),
    };
    found.size = syntax.text.len();
    found.is_damaged = syntax.is_damaged;
    let all = sites(&syntax, &sought.ways);
    ctx.pool.with(|rx| {
        let values = Values::new(rx, &view, &syntax, sought.row);
        for site in &all {
            ctx.cx.check()?;
            let confidence = confidence(&values, sought, site);
            let found_use = |confidence| OperatorUse { file, range: site.mark, confidence };
            found.uses.extend(confidence.map(found_use));
        }
        Ok(found)
    })
}

/// Whether a text has what a way needs.
fn may_be_in(way: &Way, text: &str) -> bool {
    way.token.split('_').all(|word| text.contains(word))
        || way.side == Side::Argument && text.contains(way.token)
}

/// Values that are taken apart into the part that the method gives.
fn parts_in(rx: &Resolver, sought: &Sought, file: &FileView) -> Vec<OperatorUse> {
    let Some(part) = sought.row.part(&sought.name) else { return Vec::new() };
    let values = file.def_ids().filter_map(|def| {
        let d = file.def(def);
        match file.expr(d.init?) {
            Expr::Item { base, index } if index == part => Some((d.name_range, base)),
            _ => None,
        }
    });
    let found = values.filter_map(|(range, base)| {
        let confidence = of_object(rx, file, sought, &rx.expr_type(file, base), None)?;
        Some(OperatorUse { file: file.id, range, confidence })
    });
    found.collect()
}

/// How certain it is that a place calls what is sought; `None` where it does not.
fn confidence(values: &Values<'_>, sought: &Sought, site: &Site<'_>) -> Option<Confidence> {
    let (rx, file) = (values.rx, values.file);
    let targets_at = |range| {
        let name = values.name_at(range)?;
        Some(rx.resolve(file.global_ref(name)).resolution)
    };
    if let Some(function) = site.function {
        let of_project = |target: &Target| matches!(target, Target::Def(def) if is_of_project(rx, *def));
        if targets_at(function).is_some_and(|found| found.targets.iter().any(of_project)) {
            return None;
        }
    }
    if let Some(missing) = site.missing
        && targets_at(missing).is_none_or(|found| !found.is_unknown() && found.confidence.is_certain())
    {
        return None;
    }
    if site.way.side == Side::Callee
        && let Some(found) = targets_at(values.syntax.range(site.object))
        && found.defs().any(|def| sought.own.contains(&def))
    {
        return Some(found.confidence);
    }
    let mut object = values.of(site.object);
    if let Some(first) = site.way.first {
        if object.is_unknown() {
            return Some(Confidence::NameOnly);
        }
        object = values.given(&object, first);
    }
    let other = site.other.map(|other| values.of(other));
    let takes = |def: GlobalDef| other.as_ref().is_none_or(|other| takes(values, def, other));
    let instead = |part: &Ty| site.way.instead.iter().any(|method| has_own(rx, file, part, method));
    let checks = Checks { takes: &takes, instead: &instead };
    let found = of_object(rx, file, sought, &object, Some(&checks))?;
    let is_certain = site.way.is_certain && !is_second(values, sought, site, other.as_ref());
    Some(if is_certain { found } else { found.max(Confidence::Ambiguous) })
}

/// Whether the left operand may do by itself what the right one is asked for otherwise.
fn is_second(values: &Values<'_>, sought: &Sought, site: &Site<'_>, left: Option<&Ty>) -> bool {
    let (Side::Behind, Some(left)) = (site.way.side, left) else { return false };
    let is_own = |method: &str| {
        let members = values.rx.policy(values.file).operators(values.rx, values.file, left, method);
        members.iter().filter_map(Member::def).any(|def| is_of_project(values.rx, def))
    };
    let mut first = sought.row.called(site.way.kinds, "<", site.way.token).peekable();
    let is_asked = first.peek().is_some();
    is_asked && (left.is_unknown() || first.any(|method| method != sought.name && is_own(method)))
}

fn is_of_project(rx: &Resolver, def: GlobalDef) -> bool {
    rx.world().file(def.file).source != SourceKind::Library
}

/// The conditions of a place beyond the type of its object.
struct Checks<'a> {
    /// Whether a method takes the other operand.
    takes: &'a dyn Fn(GlobalDef) -> bool,
    /// Whether a type has a method that is called instead.
    instead: &'a dyn Fn(&Ty) -> bool,
}

/// How certain it is that an object of a type is asked for what is sought.
fn of_object(
    rx: &Resolver,
    file: &FileView,
    sought: &Sought,
    ty: &Ty,
    checks: Option<&Checks<'_>>,
) -> Option<Confidence> {
    let of_part = |part: &Ty| {
        let mut part = part;
        while let Ty::Pointer(to) = part {
            part = to;
        }
        if part.is_unknown() {
            return Some(Confidence::NameOnly);
        }
        if matches!(part, Ty::Nothing) || checks.is_some_and(|checks| (checks.instead)(part)) {
            return None;
        }
        let all = rx.policy(file).operators(rx, file, part, &sought.name);
        let mut fitting: Vec<&Member> = all.iter().collect();
        if fitting.len() > 1
            && let Some(checks) = checks
        {
            fitting.retain(|member| member.def().is_none_or(|def| (checks.takes)(def)));
        }
        let means = |member: &&&Member, defs: &FxHashSet<GlobalDef>| {
            member.def().is_some_and(|def| defs.contains(&def))
        };
        let doubt = if fitting.len() > 1 { Confidence::Ambiguous } else { Confidence::Exact };
        if let Some(member) = fitting.iter().find(|member| means(member, &sought.own)) {
            return Some(member.confidence.max(doubt));
        }
        let (base, (all, _)) = sought.base.as_ref()?;
        let member = fitting.iter().find(|member| means(member, base))?;
        let is_reached = part.def().is_none_or(|def| all.contains(&def) || matches!(part, Ty::Param(_)));
        is_reached.then_some(member.confidence.max(Confidence::Inferred).max(doubt))
    };
    ty.parts().iter().filter_map(of_part).min()
}

/// Whether a type has a method of its own, or inherits it from something that says more than every object can.
fn has_own(rx: &Resolver, file: &FileView, ty: &Ty, method: &str) -> bool {
    let members = rx.policy(file).operators(rx, file, ty, method);
    let mut owners = members.iter().filter_map(|member| rx.member_owner(member.def()?));
    owners.any(|owner| is_of_project(rx, owner) || !matches!(&*rx.shared_name(owner), "object" | "Any"))
}

/// Whether a method takes an argument, as far as types of declarations tell.
fn takes(values: &Values<'_>, def: GlobalDef, argument: &Ty) -> bool {
    let rx = values.rx;
    let home = rx.file(def.file);
    let mut params = home.list(home.def(def.def).params).filter(|param| home.def_name(*param) != "self");
    let Some(param) = params.next() else { return true };
    let mut wanted = &rx.def_type(home.global(param));
    let mut argument = argument;
    while let Ty::Pointer(to) = wanted {
        wanted = to;
    }
    while let Ty::Pointer(to) = argument {
        argument = to;
    }
    match (wanted, argument) {
        (Ty::Instance(wanted, _), Ty::Instance(..)) => values.is_a(argument, *wanted),
        (Ty::Instance(wanted, _), Ty::Primitive(_) | Ty::Literal(_)) => !is_of_project(rx, *wanted),
        (Ty::Primitive(_), Ty::Instance(def, _)) => !is_of_project(rx, *def),
        _ => true,
    }
}
