//! Calls with more or fewer arguments than the function takes.

use ide_model::QueryError;

use super::judge::Arity;
use super::{Check, Found};
use crate::facts::{Expr, ExprId, RefId};
use crate::resolve::Target;
use crate::world::GlobalDef;

/// Calls of which it is certain which functions they may mean, none of which takes that many arguments.
pub(super) fn argument_count(check: &Check<'_>, found: &mut Vec<Found>) -> Result<(), QueryError> {
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
        let arities: Option<Vec<Arity>> =
            meant.iter().map(|function| check.judge.arity(rx, file, id, *function)).collect();
        let Some(arities) = arities.filter(|all| !all.iter().any(|arity| arity.takes(args.len()))) else {
            continue;
        };
        let message = format!("`{}` takes {}, not {}", file.ref_name(callee), wanted(arities[0]), args.len());
        found.push(Found { range: file.reference(callee).range, message });
    }
    check.cx.check()
}

/// Whether a reference is the name that this call is written with.
fn is_call(check: &Check<'_>, callee: RefId, call: ExprId) -> bool {
    let reference = check.file.reference(callee);
    !reference.range.is_empty() && check.is_plain(callee) && reference.call == Some(call)
}

fn callable<'c>(check: &'c Check<'_>) -> impl Fn(&Target) -> Option<GlobalDef> + 'c {
    |target| match target {
        Target::Def(def) if check.rx.kind(*def).is_callable() => Some(*def),
        _ => None,
    }
}

fn wanted(arity: Arity) -> String {
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    match arity {
        Arity { least, most: Some(most) } if least == most => format!("{least} argument{}", plural(least)),
        Arity { least, most: Some(most) } => format!("{least} to {most} arguments"),
        Arity { least, most: None } => format!("at least {least} argument{}", plural(least)),
    }
}
