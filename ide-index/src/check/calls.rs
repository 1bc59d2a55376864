//! Calls with more or fewer arguments than the function takes.

use ide_model::{QueryError, counted};
use rustc_hash::FxHashSet;

use super::judge::Arity;
use super::{Check, Finding};
use crate::facts::{DefFlags, Expr, ExprId, RefId};
use crate::resolve::{Resolver, Target};
use crate::world::GlobalDef;

/// Calls of which it is certain which functions they may mean, none of which takes that many arguments.
pub(super) fn argument_count(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in (0..file.exprs.len() as u32).map(ExprId) {
        let (callee, args) = match file.expr(id) {
            Expr::Call { callee, args, .. } => (rx.expr_ref(file, callee), args),
            Expr::New { ty, args } => (rx.named_type_ref(file, ty), args),
            _ => continue,
        };
        let Some(callee) = callee.filter(|callee| is_call(check, *callee, id)) else { continue };
        let args: Vec<ExprId> = file.list(args).collect();
        if args
            .iter()
            .any(|arg| matches!(file.expr(*arg), Expr::Spread(_) | Expr::Named { .. } | Expr::Unknown))
        {
            continue;
        }
        let resolved = rx.resolve(file.global_ref(callee)).resolution;
        let meant: Option<Vec<GlobalDef>> = resolved.targets.iter().map(callable(check)).collect();
        let Some(meant) = meant.filter(|meant| !meant.is_empty() && resolved.confidence.is_certain()) else {
            continue;
        };
        let mut first = None;
        let may_take = meant.iter().any(|function| {
            let arity = check.judge.arity(rx, file, id, *function);
            first = first.or(arity);
            arity.is_none_or(|arity| arity.takes(args.len()))
        });
        let Some(first) = first.filter(|_| !may_take) else { continue };
        let message = format!("`{}` takes {}, not {}", file.ref_name(callee), wanted(first), args.len());
        found.push(Finding::new(file.reference(callee).range, message));
    }
    check.cx.check()
}

/// Arguments under names that no parameter has, and parameters that get no argument beside named ones.
pub(super) fn argument_names(check: &Check<'_>, found: &mut Vec<Finding>) -> Result<(), QueryError> {
    let (rx, file) = (check.rx, check.file);
    for id in (0..file.exprs.len() as u32).map(ExprId) {
        let (callee, args) = match file.expr(id) {
            Expr::Call { callee, args, .. } => (rx.expr_ref(file, callee), args),
            Expr::New { ty, args } => (rx.named_type_ref(file, ty), args),
            _ => continue,
        };
        let Some(callee) = callee.filter(|callee| is_call(check, *callee, id)) else { continue };
        let (mut keys, mut unnamed) = (Vec::new(), Vec::new());
        let mut is_plain = true;
        for (at, arg) in file.list(args).enumerate() {
            match file.expr(arg) {
                Expr::Named { key, .. } => keys.push(key),
                Expr::Spread(_) | Expr::Unknown => is_plain = false,
                _ => unnamed.push(at),
            }
        }
        if keys.is_empty() || !is_plain {
            continue;
        }
        let resolved = rx.resolve(file.global_ref(callee)).resolution;
        let meant: Option<Vec<GlobalDef>> = resolved.targets.iter().map(callable(check)).collect();
        let Some(meant) = meant.filter(|meant| !meant.is_empty() && resolved.confidence.is_certain()) else {
            continue;
        };
        let named: Option<Vec<Vec<GlobalDef>>> =
            meant.iter().map(|function| check.judge.named_parameters(rx, file, id, *function)).collect();
        let Some(named) = named else { continue };
        let has = |key: &RefId| {
            named.iter().flatten().any(|parameter| rx.def_name(*parameter) == file.ref_name(*key))
        };
        for key in keys.iter().filter(|key| check.is_plain(**key) && !has(key)) {
            let message = format!("`{}` has no parameter `{}`", file.ref_name(callee), file.ref_name(*key));
            found.push(Finding::new(file.reference(*key).range, message));
        }
        let mut seen = FxHashSet::default();
        for key in keys.iter().filter(|key| check.is_plain(**key)) {
            let is_it = |parameter: &GlobalDef| rx.def_name(*parameter) == file.ref_name(*key);
            let is_filled = |all: &Vec<GlobalDef>| {
                all.iter().position(is_it).is_some_and(|place| unnamed.contains(&place))
            };
            let is_again = !seen.insert(file.ref_name(*key));
            if named.iter().all(is_filled) || is_again {
                let message = format!(
                    "`{}` gets more than one value for its parameter `{}`",
                    file.ref_name(callee),
                    file.ref_name(*key)
                );
                found.push(Finding::new(file.reference(*key).range, message));
            }
        }
        if let [parameters] = &named[..]
            && let Some((_, lacking)) = parameters.iter().enumerate().find(|(at, parameter)| {
                !unnamed.contains(at)
                    && is_needed(rx, **parameter)
                    && !keys.iter().any(|key| file.ref_name(*key) == rx.def_name(**parameter))
            })
        {
            let message =
                format!("`{}` needs an argument for `{}`", file.ref_name(callee), rx.def_name(*lacking));
            found.push(Finding::new(file.reference(callee).range, message));
        }
    }
    check.cx.check()
}

/// Whether a parameter has no value but that of an argument.
fn is_needed(rx: &Resolver, parameter: GlobalDef) -> bool {
    let def = rx.def(parameter);
    let odd = [DefFlags::VARARG, DefFlags::KEYWORD_VARARG, DefFlags::OPTIONAL];
    def.init.is_none() && !odd.iter().any(|flag| def.flags.has(*flag))
}

/// Whether a reference is the name that this call is written with.
fn is_call(check: &Check<'_>, callee: RefId, call: ExprId) -> bool {
    let reference = check.file.reference(callee);
    !reference.range.is_empty() && check.is_plain(callee) && reference.call == Some(call)
}

fn callable<'c>(check: &'c Check<'_>) -> impl Fn(&Target) -> Option<GlobalDef> + 'c {
    |target| match target {
        Target::Def(def) if check.rx.kind(*def).is_callable() => Some(*def),
        Target::Def(def) if check.rx.kind(*def).is_type() => check.judge.initializer(check.rx, *def),
        _ => None,
    }
}

fn wanted(arity: Arity) -> String {
    match arity {
        Arity { least, most: Some(most) } if least == most => counted(least, "argument"),
        Arity { least, most: Some(most) } => format!("{least} to {most} arguments"),
        Arity { least, most: None } => format!("at least {}", counted(least, "argument")),
    }
}
