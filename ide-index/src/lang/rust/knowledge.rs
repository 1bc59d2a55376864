//! How much a type says.

use crate::resolve::Ty;

/// Of several values of one type the one that says most.
pub(super) fn best(values: impl IntoIterator<Item = Ty>) -> Ty {
    let mut best = Ty::Unknown;
    for ty in values {
        if knowledge(&ty) > knowledge(&best) {
            best = ty;
        }
    }
    best
}

/// The parts of a type that are looked at to tell how much it says: of types in which each turn names the last one
/// twice there is no end.
const MOST_WEIGHED: usize = 10_000;

fn knowledge(ty: &Ty) -> usize {
    let (mut known, mut seen) = (0, 0);
    let mut left = vec![ty];
    while let Some(ty) = left.pop() {
        seen += 1;
        if seen > MOST_WEIGHED {
            break;
        }
        match ty {
            Ty::Unknown => {}
            Ty::Primitive(name) if &**name == "!" => {}
            Ty::Tuple(items) if items.is_empty() => known += 1,
            Ty::Tuple(items) => {
                known += 2;
                left.extend(items.iter());
            }
            Ty::Array(item) => {
                known += 2;
                left.push(item);
            }
            _ => {
                known += 2;
                left.extend(ty.args());
            }
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A type that names the one before it twice, sixty times: looked at in whole, it has no end.
    #[test]
    fn the_best_of_types_that_double_is_found() {
        let mut ty = Ty::Primitive("i32".into());
        for _ in 0..60 {
            ty = Ty::Tuple([ty.clone(), ty].into());
        }
        assert!(knowledge(&ty) > 1_000);
        assert!(!best([Ty::Unknown, ty]).is_unknown());
    }
}
