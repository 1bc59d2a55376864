//! Iterators of the standard library by their written names: what they yield, from what they are made of.

use std::sync::Arc;

use super::infer::named;
use super::library;
use super::members::item;
use crate::resolve::{Resolver, Ty, Types};

/// The item type of a type that wraps an iterator, or looks into a map or a list; `None` for other types.
pub(super) fn item_of_adapter(rx: &Resolver, ty: &str, args: &[Ty]) -> Option<Ty> {
    let pair = |a: Ty, b: Ty| Ty::Tuple(Types::from([a, b]));
    let number = || Ty::Primitive("usize".into());
    Some(match (ty, args) {
        (
            "Peekable" | "Rev" | "Skip" | "Take" | "StepBy" | "Fuse" | "Cycle" | "Cloned" | "Copied",
            [inner],
        ) => item(rx, inner)?,
        ("Chain", [inner, _]) => item(rx, inner)?,
        ("Enumerate", [inner]) => pair(number(), item(rx, inner)?),
        ("Zip", [a, b]) => pair(item(rx, a)?, item(rx, b)?),
        ("Iter" | "IterMut" | "IntoIter" | "Drain" | "Range", [key, value]) => {
            pair(key.clone(), value.clone())
        }
        ("Values" | "ValuesMut" | "IntoValues", [_, value]) => value.clone(),
        ("Chunks" | "Windows", [inner]) => Ty::Array(Arc::new(inner.clone())),
        ("Chars", []) => Ty::Primitive("char".into()),
        ("CharIndices", []) => pair(number(), Ty::Primitive("char".into())),
        ("Bytes", []) => Ty::Primitive("u8".into()),
        ("Lines", []) => Ty::Primitive("str".into()),
        _ => return None,
    })
}

/// An iterator as the tables know it: by what it yields.
pub(super) fn as_iterator(rx: &Resolver, ty: Ty) -> Ty {
    let yields = match &ty {
        Ty::External(name, args) => item_of_adapter(rx, library::last(name), args),
        _ => None,
    };
    yields.map_or(ty, |item| named("Iter", vec![item]))
}

/// The type that an owning type dereferences to, whose methods it has: `Vec<T>` those of `[T]`.
pub(super) fn deref_target(ty: &Ty) -> Option<Ty> {
    let Ty::External(name, args) = ty else { return None };
    match library::last(name) {
        "Vec" => Some(Ty::Array(Arc::new(args.first().cloned().unwrap_or(Ty::Unknown)))),
        "String" => Some(Ty::Primitive("str".into())),
        "PathBuf" => Some(named("Path", Vec::new())),
        _ => None,
    }
}
