//! Uses of which it is not known what they mean.

use ide_model::{SourceKind, SymbolKind, TextRange};

use super::RefactorContext;
use super::in_macros::words_in;
use super::rename::Occurrence;
use crate::facts::{DefFlags, Expr, ExprId, NameId, Ref, RefId, Role};
use crate::lang::places;
use crate::resolve::{ANOTHER_BUILD, FileView, Resolver};
use crate::world::{FileId, GlobalDef};

/// Why a declaration with one of these names may be used where nobody looks.
pub(super) fn unseen_uses(
    ctx: &RefactorContext<'_>,
    rx: &Resolver,
    def: GlobalDef,
    names: &[&str],
) -> Option<&'static str> {
    let why = rx.policy_of(def).has_unseen_uses(rx, def)?;
    let files = places::unread_files(rx, def.file).filter(|_| why != ANOTHER_BUILD);
    let mentions = |file: &FileId| {
        (ctx.text)(*file).map_or(true, |text| {
            let whole = TextRange::new(0, text.text.len() as u32);
            names.iter().any(|name| !words_in(&text, whole, name).is_empty())
        })
    };
    files.is_none_or(|files| files.iter().any(mentions)).then_some(why)
}

/// Functions of a library that look at all keywords and hand none of them on.
const READERS: &str = "print len sorted list set repr str bool";

/// Methods of the same kind.
const READING_METHODS: &str = "get pop setdefault keys";

/// Whether a keyword ends up among those that a function of the project takes under any name, and that one hands none of them
/// on: `f(a=1)` with `def f(**options): options.get("a")`.
fn is_kept(rx: &Resolver, file: &FileView, keyword: &Ref) -> bool {
    let Some(Expr::Call { callee, .. }) = keyword.call.map(|call| file.expr(call)) else { return false };
    let Expr::Ref(name) = file.expr(callee) else { return false };
    let resolution = &rx.resolve(file.global_ref(name)).resolution;
    let is_function = |def: GlobalDef| {
        let home = rx.file(def.file);
        let d = home.def(def.def);
        let rest = home.list(d.params).find(|param| home.has_flag(*param, DefFlags::KEYWORD_VARARG));
        matches!(d.kind, SymbolKind::Function | SymbolKind::Method)
            && d.decorators.is_empty()
            && rest.is_some_and(|rest| !is_handed_on(rx, home, d.range, home.def(rest).name))
    };
    resolution.confidence.is_certain()
        && resolution.defs().next().is_some()
        && resolution.defs().all(is_function)
}

/// Whether a variable of a function is used otherwise than by looking at its parts.
fn is_handed_on(rx: &Resolver, file: &FileView, function: TextRange, name: NameId) -> bool {
    let has = |list: &str, word: &str| list.split(' ').any(|other| other == word);
    let uses = file.refs_named(name).iter().filter(|r| function.encloses(file.reference(**r).range));
    let looks = |used: RefId| {
        let values = file.exprs.iter().zip((0..).map(ExprId)).filter(|(expr, _)| **expr == Expr::Ref(used));
        values.map(|(_, value)| value).any(|value| {
            let is_base = |expr: &Expr| matches!(expr, Expr::Index { base, .. } if *base == value);
            let reads = |r: &Ref| r.receiver == Some(value) && has(READING_METHODS, file.name(r.name));
            let is_read = |expr: &Expr| {
                let Expr::Call { callee, args, .. } = *expr else { return false };
                let Expr::Ref(callee) = file.expr(callee) else { return false };
                let is_library = |def: GlobalDef| rx.world().file(def.file).source == SourceKind::Library;
                has(READERS, file.ref_name(callee))
                    && file.list(args).any(|arg| arg == value)
                    && rx.resolve(file.global_ref(callee)).resolution.defs().all(is_library)
            };
            file.exprs.iter().any(|expr| is_base(expr) || is_read(expr)) || file.refs.iter().any(reads)
        })
    };
    !uses.copied().all(looks)
}

/// Whether an occurrence of which nothing certain is known could mean one of some declarations at all.
pub(in crate::refactor) fn could_mean(
    rx: &Resolver,
    defs: &[GlobalDef],
    only_in: Option<FileId>,
    doubt: &Occurrence,
) -> bool {
    let file = rx.file(doubt.file);
    let r = file.reference(doubt.reference);
    let (is_key, has_receiver) = (r.role == Role::Key, r.receiver.is_some());
    let is_imported = matches!(r.role, Role::Import | Role::Package);
    defs.iter().any(|def| {
        let d = rx.def(*def);
        let name = file.ref_name(doubt.reference);
        let policy = rx.policy_of(*def);
        let is_accessor = || policy.accessors(rx, *def).iter().any(|accessor| **accessor == *name);
        if rx.language_of(*def).family() != file.family() {
            return false;
        }
        if has_receiver && r.role == Role::Call && is_accessor() {
            return true;
        }
        if *rx.shared_name(*def) != *name {
            // A getter that another language reads as a property.
            let is_other = !policy.calls_fields() && rx.language_of(*def) != file.language();
            return is_other
                && has_receiver
                && policy.other_names(rx, *def).iter().any(|other| **other == *name);
        }
        if d.flags.has(DefFlags::LOCAL) {
            return match d.kind {
                // The part of a value that is taken apart has the name by which the value knows it.
                SymbolKind::Parameter => {
                    !has_receiver && (is_key && !is_kept(rx, file, r) || !is_key && only_in.is_some())
                }
                _ => !has_receiver && !is_key,
            };
        }
        // The name of an argument is that of a parameter, or of a field that a constructor is made for.
        let is_argument = is_key && !has_receiver && rx.policy_of(*def).keywords_name_parameters();
        let is_no_parameter = || {
            d.kind.is_callable()
                || d.kind.is_type()
                || rx.member_owner(*def).is_none()
                // A member that a method makes, or computes.
                || d.flags.has(DefFlags::ATTRIBUTE)
                || d.flags.has(DefFlags::PROPERTY)
        };
        if is_argument && is_no_parameter() {
            return false;
        }
        let is_field = matches!(d.kind, SymbolKind::Field | SymbolKind::Property);
        if is_field && has_receiver && r.role == Role::Call && !rx.policy_of(*def).calls_fields() {
            return false;
        }
        if has_receiver && !is_key && !rx.policy_of(*def).may_be_member(rx, *def) {
            return false;
        }
        has_receiver || is_key || is_imported || rx.member_owner(*def).is_none() || def.file == doubt.file
    })
}
