//! The types inside arrays: shapes with their keys, and the functions of the language over arrays.
//!
//! A shape (`array{id: A, 1: B}`) is a tuple of pairs, each the key and the type of its value.

use std::sync::Arc;

use crate::facts::{Expectation, Expr, ExprId, List, RefId};
use crate::resolve::{FileView, Resolver, Ty};

/// The key and the type of each value of a shape.
fn parts(shape: &Ty) -> Option<impl Iterator<Item = (&str, &Ty)>> {
    let Ty::Tuple(pairs) = shape else { return None };
    Some(pairs.iter().filter_map(|pair| match pair {
        Ty::Tuple(pair) => match &**pair {
            [Ty::Literal(key), value] => Some((&**key, value)),
            _ => None,
        },
        _ => None,
    }))
}

/// The type under a key, where the type or a part of it is a shape; `None` where none is.
pub(super) fn part(array: &Ty, key: &str) -> Option<Ty> {
    let mut shapes = array.parts().iter().filter_map(parts).peekable();
    shapes.peek()?;
    Some(Ty::union(shapes.flatten().filter(|(of, _)| *of == key).map(|(_, value)| value.clone())))
}

/// Any item of an array.
pub(super) fn item(rx: &Resolver, file: &FileView, array: &Ty) -> Ty {
    Ty::union(array.parts().iter().map(|part| match parts(part) {
        Some(parts) => Ty::union(parts.map(|(_, value)| value.clone())),
        None => rx.default_element(file, part),
    }))
}

/// The item type of an object, as its class implements the language's interfaces: `@implements Iterator<K, T>`.
pub(super) fn iterated(rx: &Resolver, object: &Ty) -> Option<Ty> {
    rx.linearization(object).iter().find_map(|part| match part {
        Ty::Instance(class, args) => {
            let is_iterated =
                matches!(rx.def_name(*class), "Generator" | "Iterator" | "IteratorAggregate" | "Traversable");
            args.last().filter(|item| is_iterated && !item.is_unknown()).cloned()
        }
        _ => None,
    })
}

/// The relation between an array argument of a function of the language and its result.
enum Gives {
    Item,
    /// The array, or a part of it.
    Array,
    /// The results of the function that is the first argument.
    Results,
}

/// The result type of a function of the language that passes on an array, or items of one: its declaration says only
/// `array` or `mixed`.
pub(super) fn call(rx: &Resolver, file: &FileView, function: RefId, args: List<ExprId>) -> Option<Ty> {
    let gives = match file.ref_name(function) {
        "array_find" | "array_pop" | "array_shift" | "current" | "end" | "next" | "pos" | "prev"
        | "reset" => Gives::Item,
        "array_diff"
        | "array_diff_key"
        | "array_filter"
        | "array_intersect"
        | "array_intersect_key"
        | "array_merge"
        | "array_replace"
        | "array_reverse"
        | "array_slice"
        | "array_splice"
        | "array_unique"
        | "array_values" => Gives::Array,
        "array_map" => Gives::Results,
        _ => return None,
    };
    if !of_language(rx, file, function) {
        return None;
    }
    let first = rx.expr_type(file, file.list(args).next()?);
    let given = match (gives, first) {
        (Gives::Item, array) => item(rx, file, &array),
        (Gives::Array, array) => array,
        (Gives::Results, Ty::Function(def, _)) => {
            let result = rx.return_type(def);
            (!result.is_unknown()).then(|| Ty::Array(Arc::new(result)))?
        }
        (Gives::Results, _) => return None,
    };
    (!given.is_unknown()).then_some(given)
}

fn of_language(rx: &Resolver, file: &FileView, function: RefId) -> bool {
    let def = rx.resolve(file.global_ref(function)).resolution.defs().next();
    def.is_some_and(|def| rx.world().file(def.file).source == ide_model::SourceKind::Library)
}

/// The types that a function of the language passes to a closure argument: items of the arrays beside it.
pub(super) fn callback(rx: &Resolver, file: &FileView, closure: ExprId) -> Option<Ty> {
    let Some(Expectation::Argument { call, index }) = file.expectation(closure) else { return None };
    let Expr::Call { callee, args, .. } = file.expr(call) else { return None };
    let Expr::Ref(function) = file.expr(callee) else { return None };
    if file.reference(function).receiver.is_some() {
        return None;
    }
    let args: Vec<ExprId> = file.list(args).collect();
    let items = |at: usize| args.get(at).map_or(Ty::Unknown, |a| item(rx, file, &rx.expr_type(file, *a)));
    let params = match (file.ref_name(function), index) {
        ("array_map", 0) => (1..args.len()).map(items).collect(),
        // A third argument asks for keys.
        ("array_filter", 1) if args.len() == 2 => vec![items(0)],
        ("array_walk" | "array_find" | "array_find_key" | "array_any" | "array_all", 1) => vec![items(0)],
        ("array_reduce", 1) => vec![Ty::Unknown, items(0)],
        ("usort" | "uasort", 1) => vec![items(0); 2],
        _ => return None,
    };
    of_language(rx, file, function)
        .then(|| Ty::Callable { params: params.into(), result: Arc::new(Ty::Unknown) })
}
