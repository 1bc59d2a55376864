//! What the standard library's containers pass on of what they hold.

use std::sync::Arc;

use super::policy::EcmaPolicy;
use crate::facts::{Expr, ExprId};
use crate::resolve::{FileView, Resolver, Ty};

impl EcmaPolicy {
    /// What the built-in methods of arrays and promises give, for those that pass on what is inside.
    pub(super) fn builtin_call(
        rx: &Resolver,
        file: &FileView,
        receiver: &Ty,
        method: &str,
        call: ExprId,
    ) -> Option<Ty> {
        let Expr::Call { args, .. } = file.expr(call) else { return None };
        let callback = || {
            let first = file.list(args).next()?;
            Some(match rx.expr_type(file, first) {
                Ty::Function(def, _) => rx.return_type(def),
                Ty::Callable { result, .. } => (*result).clone(),
                _ => return None,
            })
        };
        match receiver {
            Ty::Array(item) => match method {
                "filter" | "slice" | "concat" | "reverse" | "sort" | "flat" | "splice" | "toSorted"
                | "toReversed" | "with" | "fill" | "values" => Some(receiver.clone()),
                "find" | "findLast" | "pop" | "shift" | "at" | "get" | "next" => Some((**item).clone()),
                "map" => Some(Ty::Array(Arc::new(callback()?))),
                "flatMap" => match callback()? {
                    Ty::Array(inner) => Some(Ty::Array(inner)),
                    other => Some(Ty::Array(Arc::new(other))),
                },
                "reduce" | "reduceRight" => file.list(args).nth(1).map(|initial| rx.expr_type(file, initial)),
                _ => None,
            },
            Ty::External(name, inner) if name.ends_with("Promise") => match method {
                "then" => Some(Ty::External(name.clone(), Arc::from([callback()?]))),
                "catch" | "finally" => Some(Ty::External(name.clone(), inner.clone())),
                _ => None,
            },
            Ty::ExternalName(name) if &**name == "Object" => match method {
                "assign" | "freeze" | "seal" | "create" | "setPrototypeOf" => {
                    Some(rx.expr_type(file, file.list(args).next()?))
                }
                _ => None,
            },
            Ty::ExternalName(name) if &**name == "Array" && method == "from" => {
                Some(rx.expr_type(file, file.list(args).next()?))
            }
            _ => None,
        }
    }

    /// The parameter types that a built-in method gives to its callback.
    pub(super) fn builtin_callback(receiver: &Ty, method: &str) -> Option<Ty> {
        let (params, result) = match receiver {
            Ty::Array(item) => match method {
                "map" | "forEach" | "filter" | "find" | "findIndex" | "findLast" | "some" | "every"
                | "flatMap" => (vec![(**item).clone(), Ty::Unknown, receiver.clone()], Ty::Unknown),
                "sort" | "toSorted" => (vec![(**item).clone(), (**item).clone()], Ty::Unknown),
                "reduce" | "reduceRight" => (vec![Ty::Unknown, (**item).clone()], Ty::Unknown),
                _ => return None,
            },
            Ty::External(name, args) if name.ends_with("Promise") && method == "then" => {
                (vec![args.first().cloned().unwrap_or(Ty::Unknown)], Ty::Unknown)
            }
            _ => return None,
        };
        Some(Ty::Callable { params: params.into(), result: Arc::new(result) })
    }

    /// A type of the standard library by what it holds.
    pub(super) fn library_type(name: &str, args: &[Ty]) -> Option<Ty> {
        if let Some(operator) = Self::utility(name, args) {
            return Some(operator);
        }
        let first = || args.first().cloned().unwrap_or(Ty::Unknown);
        match name {
            "Array"
            | "ReadonlyArray"
            | "Iterable"
            | "IterableIterator"
            | "Iterator"
            | "Set"
            | "ReadonlySet"
            | "Generator"
            | "AsyncIterable"
            | "AsyncGenerator"
            | "ArrayLike"
            | "AsyncIterableIterator" => Some(Ty::Array(Arc::new(first()))),
            "Map" | "ReadonlyMap" | "WeakMap" if args.len() == 2 => {
                Some(Ty::Array(Arc::new(args[1].clone())))
            }
            "Partial" | "Required" | "Readonly" | "NonNullable" | "Pick" | "Omit" | "Exclude"
            | "DeepPartial" | "NoInfer" => Some(first()),
            _ => None,
        }
    }
}
