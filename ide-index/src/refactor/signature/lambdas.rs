//! Lambdas that stand for the only abstract method of an interface: they take what the method takes.

use ide_model::{Conflict, ConflictKind, Family, QueryError, SourceKind, SymbolKind};

use super::super::rename::each_file;
use super::super::{RefactorContext, conflict};
use crate::facts::{DefFlags, DefId, Expectation, Expr, ExprId};
use crate::lang;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// Types inside of so many others are not looked into.
const MAX_DEPTH: u32 = 8;

/// The lambdas that are values of methods, and those that may be.
pub(in crate::refactor) fn lambdas(
    ctx: &RefactorContext<'_>,
    members: &[GlobalDef],
) -> Result<Vec<Conflict>, QueryError> {
    let is_asked_for = |rx: &Resolver, member: &GlobalDef| {
        let owner = rx.owner_class(*member);
        rx.file(member.file).family() == Family::Jvm
            && rx.has_flag(*member, DefFlags::ABSTRACT)
            && owner.is_some_and(|owner| rx.kind(owner) == SymbolKind::Interface)
    };
    let asked: Vec<GlobalDef> =
        ctx.pool.with(|rx| members.iter().copied().filter(|member| is_asked_for(rx, member)).collect());
    let world = ctx.pool.world();
    let is_ours = |file: &FileId| {
        let entry = world.file(*file);
        entry.source != SourceKind::Library
            && entry.language.is_some_and(|language| language.family() == Family::Jvm)
    };
    let files: Vec<FileId> = match asked.is_empty() {
        true => Vec::new(),
        false => (0..world.file_count()).map(FileId).filter(is_ours).collect(),
    };
    let found = each_file(ctx, &files, |rx, id| {
        let file = rx.file(id);
        let mut found = Vec::new();
        for (number, expr) in file.exprs.iter().enumerate() {
            let Expr::Function(lambda) = *expr else { continue };
            let Some(is_certain) = stands_for(rx, file, ExprId(number as u32), lambda, &asked) else {
                continue;
            };
            let (kind, message) = match is_certain {
                true => (ConflictKind::Form, "this lambda is a value of it, and takes its parameters"),
                false => (ConflictKind::Unresolved, "this lambda may be a value of it"),
            };
            found.push(conflict(kind, message.to_owned(), Some(ctx.at(id, file.def(lambda).range))));
        }
        Ok(found)
    })?;
    Ok(found.concat())
}

/// Whether a lambda is a value of one of these methods for certain; `None` where it is not.
fn stands_for(
    rx: &Resolver,
    file: &FileView,
    expr: ExprId,
    lambda: DefId,
    asked: &[GlobalDef],
) -> Option<bool> {
    let ty = rx.policy(file).expected(rx, file, expr);
    if is_value_of(rx, &ty, asked, 0) || is_converted(rx, file, expr, asked) {
        return Some(true);
    }
    let takes = file.def(lambda).params.len;
    let may_be = ty.is_unknown()
        && asked.iter().any(|method| {
            let owner = rx.owner_class(*method).map(|owner| rx.shared_name(owner));
            rx.def(*method).params.len == takes && owner.is_some_and(|name| file.name_id(&name).is_some())
        });
    may_be.then_some(false)
}

fn is_value_of(rx: &Resolver, ty: &Ty, asked: &[GlobalDef], depth: u32) -> bool {
    let within = |inner: &Ty| depth < MAX_DEPTH && is_value_of(rx, inner, asked, depth + 1);
    match ty {
        Ty::Array(item) => within(item),
        Ty::Union(parts) | Ty::Intersection(parts) => parts.iter().any(within),
        _ => lang::functional_method(rx, ty).is_some_and(|method| asked.contains(&method)),
    }
}

/// `Visitor { leaf -> … }` of Kotlin.
fn is_converted(rx: &Resolver, file: &FileView, expr: ExprId, asked: &[GlobalDef]) -> bool {
    let Some(Expectation::Argument { call, .. }) = file.expectation(expr) else { return false };
    let Expr::Call { callee, .. } = file.expr(call) else { return false };
    let Expr::Ref(name) = file.expr(callee) else { return false };
    let meant = rx.resolve(file.global_ref(name)).resolution;
    meant.defs().any(|def| is_value_of(rx, &Ty::instance(def), asked, 0))
}
