//! Members that a program finds by names which it makes while it runs: `Color[name]`, `Color.valueOf(name)`, `$o->$name()`,
//! `getattr(o, "on_" + name)`.

mod patterns;

use std::collections::BTreeSet;

use ide_model::{Conflict, ConflictKind, Family, QueryError, SourceKind, SymbolKind, TextRange};

use self::patterns::{Pattern, argument};
use super::scene::Scene;
use super::tree::{NodeId, has};
use super::{RefactorContext, conflict};
use crate::facts::{Expr, ExprId};
use crate::guard;
use crate::lang::names;
use crate::query::symbol::enclosing_defs;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// Most places that are told.
const MOST: usize = 5;

/// A place at which a member is asked for by a name that is made there.
struct Asked {
    file: FileId,
    offset: u32,
    /// Parts of the name are written down, and the members have them.
    is_said: bool,
}

/// A remark on the places at which types are asked for members by computed names, for some members of them.
///
/// # Errors
/// The errors of reading files, and when the question is stopped.
pub(super) fn computed(
    ctx: &RefactorContext<'_>,
    members: &[GlobalDef],
) -> Result<Option<String>, QueryError> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for asked in asked(ctx, members)? {
        let line = (ctx.text)(asked.file)?.position(asked.offset).line;
        if seen.insert((asked.file, line)) {
            found.push(format!("{}:{line}", ctx.path(asked.file)));
        }
    }
    let rest = found.len().saturating_sub(MOST);
    let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    found.truncate(MOST);
    let places = found.join(", ");
    Ok((!found.is_empty()).then(|| {
        format!(
            "members of its type are found by names that are made while the program runs, see {places}{more}"
        )
    }))
}

/// Doubts about members that go away: places that write down a part of their names.
///
/// # Errors
/// The errors of reading files, and when the question is stopped.
pub(super) fn doubts(ctx: &RefactorContext<'_>, members: &[GlobalDef]) -> Result<Vec<Conflict>, QueryError> {
    let said = asked(ctx, members)?.into_iter().filter(|asked| asked.is_said);
    let doubt = |asked: Asked| {
        let message = "a name that is computed here may be the name of the deleted member";
        let at = TextRange::new(asked.offset, asked.offset);
        conflict(ConflictKind::Unresolved, message.to_owned(), Some(ctx.at(asked.file, at)))
    };
    Ok(said.map(doubt).collect())
}

/// The owners of some members, and the files that may ask them.
#[derive(Default)]
struct Search {
    owners: BTreeSet<GlobalDef>,
    names: BTreeSet<String>,
    /// Files that name an owner.
    near: BTreeSet<FileId>,
    /// Files that name a function that reads members.
    reading: BTreeSet<FileId>,
}

impl Search {
    fn of(ctx: &RefactorContext<'_>, members: &[GlobalDef]) -> Self {
        let world = ctx.pool.world();
        let mut search = Self::default();
        ctx.pool.with(|rx| {
            for member in members {
                let Some(owner) = rx.member_owner(*member) else { continue };
                let language = rx.language_of(owner);
                let asking: BTreeSet<FileId> =
                    names::readers(language).flat_map(|name| world.files_mentioning(name)).collect();
                let mut near: BTreeSet<FileId> =
                    world.files_mentioning(&rx.shared_name(owner)).into_iter().collect();
                near.insert(owner.file);
                let is_indexed = rx.kind(*member) == SymbolKind::EnumCase
                    || matches!(language.family(), Family::Ecma | Family::Php);
                if !is_indexed {
                    near.retain(|file| asking.contains(file));
                }
                search.owners.insert(owner);
                search.names.insert(rx.shared_name(*member).trim_start_matches('$').to_owned());
                search.near.extend(near);
                search.reading.extend(asking);
            }
        });
        let is_own = |file: &FileId| world.file(*file).source != SourceKind::Library;
        search.near.retain(is_own);
        search.reading.retain(is_own);
        search
    }

    /// Whether the object at a place may be of one of the owners; `None` where nothing is known of it.
    fn is_asked(&self, rx: &Resolver, ty: &Ty) -> Option<bool> {
        let is_plain = match ty {
            Ty::Primitive(name) => !matches!(&**name, "any" | "unknown" | "object" | "mixed"),
            ty => matches!(ty, Ty::Array(_) | Ty::Tuple(_) | Ty::Literal(_)),
        };
        if is_plain {
            return Some(false);
        }
        let of = ty.def()?;
        let is_above = |below: GlobalDef, above: GlobalDef| {
            rx.linearization(&Ty::instance(below)).iter().any(|ty| ty.def() == Some(above))
        };
        Some(self.owners.iter().any(|owner| of == *owner || is_above(of, *owner) || is_above(*owner, of)))
    }

    /// Whether a key may be one of the names, at an object of which this is known.
    fn may_be(&self, key: &Pattern, is_owner: Option<bool>) -> Option<bool> {
        let fits = self.names.iter().any(|name| key.fits(name));
        (is_owner.unwrap_or_else(|| key.is_said()) && fits).then(|| key.is_said())
    }
}

/// The places at which members of the owners of some members may be asked for by computed names.
fn asked(ctx: &RefactorContext<'_>, members: &[GlobalDef]) -> Result<Vec<Asked>, QueryError> {
    let search = Search::of(ctx, members);
    let mut found = Vec::new();
    for file in search.near.union(&search.reading).copied() {
        ctx.cx.check()?;
        let text = (ctx.text)(file)?;
        let family = ctx.pool.with(|rx| rx.file(file).family());
        let mut places = ctx.pool.with(|rx| in_file(rx, rx.file(file), &search, &text.text));
        let has_mark = || ["->$", "->{", "::$", "::{"].iter().any(|mark| text.text.contains(mark));
        if family == Family::Php && has_mark() {
            places.extend(in_php(ctx, file, &search)?);
        }
        found.extend(places.into_iter().map(|(offset, is_said)| Asked { file, offset, is_said }));
    }
    Ok(found)
}

/// The places in a file at which one of some types is asked for a member by a computed name, and whether a part of that is
/// written there.
fn in_file(rx: &Resolver, view: &FileView, search: &Search, text: &str) -> Vec<(u32, bool)> {
    let family = view.family();
    let is_said = |value: ExprId| matches!(view.expr(value), Expr::Text(_));
    // A text may have something put in, which is seen in its words only.
    let is_literal = |value: ExprId| matches!(view.expr(value), Expr::Literal(_));
    let called = |value: ExprId| rx.expr_ref(view, value);
    let is_one = |value: ExprId, as_type: bool| {
        let ty = rx.expr_type(view, value);
        let found = search.is_asked(rx, &ty);
        if as_type { found.map(|is_it| is_it && matches!(ty, Ty::Class(..))) } else { found }
    };
    let (lookups, readers): (Vec<_>, Vec<_>) =
        (names::lookups(view.language()).collect(), names::readers(view.language()).collect());
    let mut found = Vec::new();
    for id in (0..view.exprs.len() as u32).map(ExprId) {
        guard::tick();
        let (name, of, (key, number)) = match view.expr(id) {
            Expr::Index { base, index }
                if matches!(family, Family::Ecma | Family::Python) && !is_said(index) =>
            {
                let Some(name) = called(base) else { continue };
                let is_owner = is_one(base, family == Family::Python);
                // A list of something that is not known is asked for its items everywhere.
                (name, is_owner.or((family == Family::Python).then_some(false)), (index, Some(0)))
            }
            Expr::Call { callee, args, .. } => {
                let Some(name) = called(callee) else { continue };
                let written = view.ref_name(name);
                let args: Vec<ExprId> = view.list(args).collect();
                match args[..] {
                    [key] if lookups.contains(&written) && !is_said(key) && !is_literal(key) => {
                        let receiver = view.reference(name).receiver;
                        (name, Some(receiver.is_none_or(|of| is_one(of, true) == Some(true))), (key, None))
                    }
                    [of, key, ..] if readers.contains(&written) && !is_said(key) => {
                        (name, is_one(of, false), (key, Some(1)))
                    }
                    _ => continue,
                }
            }
            _ => continue,
        };
        let range = view.reference(name).range;
        let written = number.and_then(|number| argument(&text[range.end as usize..], number));
        let pattern = written.map_or_else(Pattern::default, Pattern::of);
        if is_literal(key) && !pattern.is_said() {
            continue;
        }
        found.extend(search.may_be(&pattern, of).map(|is_said| (range.start, is_said)));
    }
    found
}

/// The same in PHP: `$o->$name`, `$o->{$name}()`, `A::$name()`, `$class::$name()`.
fn in_php(ctx: &RefactorContext<'_>, file: FileId, search: &Search) -> Result<Vec<(u32, bool)>, QueryError> {
    const MEMBERS: &str = "member_call_expression member_access_expression nullsafe_member_call_expression \
        nullsafe_member_access_expression scoped_call_expression";
    let scene = Scene::open(ctx, file)?;
    let syntax = &scene.syntax;
    let mut found = Vec::new();
    for id in syntax.all().filter(|id| has(MEMBERS, syntax.kind(*id))) {
        guard::tick();
        let object = ["object", "scope"].iter().find_map(|field| syntax.field(id, field));
        let (Some(object), Some(name)) = (object, syntax.field(id, "name")) else { continue };
        if syntax.kind(name) == "name" {
            continue;
        }
        let is_owner = ctx.pool.with(|rx| search.is_asked(rx, &type_of(rx, &scene, object)));
        let key = Pattern::of(syntax.text_of(name).trim_matches(['{', '}']).trim());
        // Few places ask so, and each of them may mean anything of its file.
        let may_be = search.may_be(&key, is_owner.or((!key.is_said()).then_some(true)));
        found.extend(may_be.map(|is_said| (syntax.range(id).start, is_said)));
    }
    Ok(found)
}

/// The type of the object of a member in PHP, or the class that is named before it.
fn type_of(rx: &Resolver, scene: &Scene<'_>, object: NodeId) -> Ty {
    let (syntax, view) = (&scene.syntax, &scene.view);
    let range = syntax.range(object);
    if has("$this self static", syntax.text_of(object)) {
        let around = enclosing_defs(view, range.start);
        let class = around.into_iter().rev().find(|def| view.def(*def).kind.is_type());
        return class.map_or(Ty::Unknown, |class| rx.self_type(view.global(class)));
    }
    let Some(reference) = view.by_place().refs.within(range).last() else { return Ty::Unknown };
    let value = view.exprs.iter().position(|expr| *expr == Expr::Ref(reference));
    if let Some(value) = value {
        return rx.expr_type(view, ExprId(value as u32));
    }
    let meant = rx.resolve(view.global_ref(reference)).resolution;
    let class = meant.defs().find(|def| rx.kind(*def).is_type());
    class.map_or(Ty::Unknown, |class| rx.self_type(class))
}
