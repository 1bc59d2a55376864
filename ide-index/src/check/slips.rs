//! Slips of the finger: names that occur once in the project, that nothing declares, and that are nearly another name.
//!
//! Where not everything is seen that could declare a name, such a name is wrong all the same.

use ide_model::SourceKind;

use super::Check;
use crate::facts::RefId;
use crate::library::LIBRARY_SCHEME;
use crate::query::names_of_members;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::DeclarationSite;

/// Shorter names are near too many others: `form` and `from`.
const SHORTEST: usize = 5;
/// Shorter names are taken for slips only where two letters are swapped.
const SHORTEST_LONG: usize = 6;
/// Shorter names are near too many members of the types of the language itself.
const SHORTEST_MEMBER: usize = 4;
/// Uses by which a member counts as known that nothing in sight declares.
const KNOWN: usize = 2;
/// Files in which they are looked for.
const ASKED: usize = 32;

/// Whether two names differ by one letter, or by two that are swapped.
pub(crate) fn is_misspelt(a: &str, b: &str) -> bool {
    let (mut a, mut b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    while !a.is_empty() && a.last() == b.last() {
        a.pop();
        b.pop();
    }
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    match (&a[same..], &b[same..]) {
        ([x, y], [p, q]) => x == q && y == p,
        (left, right) => left.len().max(right.len()) == 1,
    }
}

/// Whether two names differ inside by one small letter, or by two that are swapped: both begin and end alike.
pub(crate) fn is_miswritten(name: &str, meant: &str) -> bool {
    let ends = |name: &str| (name.chars().next(), name.chars().next_back());
    let signs = |name: &str| name.chars().filter(|c| !c.is_lowercase()).collect::<String>();
    name.len() >= SHORTEST
        && meant.len() >= SHORTEST
        && ends(name) == ends(meant)
        && is_misspelt(name, meant)
        && signs(name) == signs(meant)
}

/// The names with one small letter of the inside more, less or other.
fn inside_edits(name: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = name.chars().collect();
    // A letter may be missing before the last one.
    let last = letters.len().saturating_sub(1);
    (1..=last).flat_map(move |at| {
        let letters = letters.clone();
        let is_small = at < last && letters[at].is_lowercase();
        let made = move |between: Option<char>, skipped: usize| -> String {
            letters[..at]
                .iter()
                .copied()
                .chain(between)
                .chain(letters[at + skipped..].iter().copied())
                .collect()
        };
        let without = is_small.then(|| made(None, 1));
        let others = ('a'..='z').flat_map(move |c| {
            [is_small.then(|| made(Some(c), 1)), Some(made(Some(c), 0))].into_iter().flatten()
        });
        without.into_iter().chain(others)
    })
}

/// Whether a name behind a value is nearly one of a member that its type has, and no other name anywhere.
pub(super) fn is_slip_of_member(check: &Check<'_>, reference: RefId, of: &Ty) -> bool {
    let (rx, file) = (check.rx, check.file);
    let name = file.ref_name(reference);
    let is_near = |part: &Ty, member: &str| {
        is_miswritten(name, member) || is_closed(check, part) && is_misspelt_member(name, member)
    };
    !of.is_unknown()
        && name.len() >= SHORTEST_MEMBER
        && occurs_once(rx, file, reference)
        && of
            .parts()
            .iter()
            .any(|part| names_of_members(rx, file, part).iter().any(|member| is_near(part, member)))
}

/// Whether a type is one of the language itself or of its standard library, where nobody adds members that are nearly others.
fn is_closed(check: &Check<'_>, of: &Ty) -> bool {
    !check.judge.lets_libraries_extend()
        && match of {
            Ty::Primitive(_) | Ty::Array(_) | Ty::Literal(_) => true,
            Ty::Instance(def, _) | Ty::Class(def, _) => {
                let home = check.rx.world().file(def.file);
                home.source == SourceKind::Library && home.path.as_str().starts_with(LIBRARY_SCHEME)
            }
            _ => false,
        }
}

/// Whether a name is a member's but for one letter, or two that are swapped. A plural is another name.
fn is_misspelt_member(name: &str, member: &str) -> bool {
    let is_plural = name.strip_suffix('s') == Some(member) || member.strip_suffix('s') == Some(name);
    !name.starts_with('_')
        && name.len() >= SHORTEST_MEMBER
        && member.len() >= SHORTEST_MEMBER - 1
        && !is_plural
        && is_misspelt(name, member)
}

/// Whether a name occurs once in all files, and no declaration has it, in any spelling by case.
fn occurs_once(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let name = file.ref_name(reference);
    let world = rx.world();
    file.refs_named(file.reference(reference).name).len() == 1
        && world.declarations(name).is_empty()
        && world.spellings(name).len() <= 1
        && world.files_mentioning(name).iter().all(|other| *other == file.id)
}

/// Whether a plain name is one that a scope around it declares, but for a slip. A letter more, less or other is none: `handlers`
/// of a class that nobody sees may stand beside `handler`, and `Context` beside `context`.
pub(crate) fn is_slip_in_scope(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let is_near = || {
        slips_of(file.ref_name(reference)).any(|near| {
            let mut scopes = file.scope_chain(file.reference(reference).scope);
            scopes.any(|scope| !file.named_in_scope(scope, &near).is_empty())
        })
    };
    let is_inside = || {
        let scopes = file.scope_chain(file.reference(reference).scope);
        let mut around = scopes.flat_map(|scope| file.all_in_scope(scope));
        around.any(|def| is_miswritten(file.ref_name(reference), file.def_name(*def)))
    };
    file.ref_name(reference).len() >= SHORTEST
        && occurs_once(rx, file, reference)
        && (is_near() || is_inside())
}

/// Whether a name is nearly one that is declared somewhere, in a library perhaps, by what is meant.
pub(crate) fn is_slip_of(
    rx: &Resolver,
    file: &FileView,
    reference: RefId,
    is_meant: &dyn Fn(&DeclarationSite) -> bool,
) -> bool {
    let (world, family) = (rx.world(), file.family());
    let is_known = |near: &str| {
        world.declarations(near).iter().chain(&world.library_declarations(family, near)).any(is_meant)
    };
    let name = file.ref_name(reference);
    name.len() >= SHORTEST
        && occurs_once(rx, file, reference)
        && !is_known(name)
        && slips_of(name).chain(inside_edits(name)).any(|near| is_known(&near))
}

/// The member that is meant by one which is nearly it: nothing is known of the value before it, but others use the member.
pub(crate) fn meant_member(rx: &Resolver, file: &FileView, reference: RefId) -> Option<String> {
    let name = file.ref_name(reference);
    if name.len() < SHORTEST || !occurs_once(rx, file, reference) {
        return None;
    }
    let world = rx.world();
    let is_declared = |near: &str| world.declarations(near).iter().any(|site| site.is_member);
    let is_member = |near: &str| {
        let mut members = 0;
        world.files_mentioning(near).into_iter().take(ASKED).any(|id| {
            let view = rx.file(id);
            let behind_values =
                |r: &RefId| view.ref_name(*r) == near && view.reference(*r).receiver.is_some();
            members += view.written_refs().filter(behind_values).count();
            members >= KNOWN
        })
    };
    let is_known = |near: &String| is_member(near) || is_declared(near);
    // `cancelled` of one library is no slip for `canceled` of another one.
    swapped(name).find(is_known)
}

/// The names of which one may be a slip: two neighbouring letters are swapped, or in a long name a pair of the same is one
/// letter or one letter a pair.
fn slips_of(name: &str) -> impl Iterator<Item = String> {
    let is_long = name.chars().count() >= SHORTEST_LONG;
    swapped(name).chain(is_long.then(|| doubled(name)).into_iter().flatten())
}

/// The names in which two neighbouring letters are swapped.
fn swapped(name: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = name.chars().collect();
    (1..letters.len()).filter_map(move |at| {
        let mut other = letters.clone();
        other.swap(at - 1, at);
        let is_word = |c: &char| c.is_alphabetic() || *c == '_';
        (letters[at - 1] != letters[at] && letters[at - 1..=at].iter().all(is_word))
            .then(|| other.into_iter().collect())
    })
}

/// The names with one letter of the inside more or less, where that makes or ends a pair of the same.
fn doubled(name: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = name.chars().collect();
    let inside =
        (1..letters.len().saturating_sub(1)).filter(|at| letters[*at].is_alphabetic()).collect::<Vec<_>>();
    inside.into_iter().flat_map(move |at| {
        let without: String = letters.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, c)| *c).collect();
        let mut twice = letters.clone();
        twice.insert(at, letters[at]);
        let is_pair = letters[at] == letters[at - 1];
        is_pair.then_some(without).into_iter().chain([twice.into_iter().collect()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_swaps_or_doubles_letters() {
        let all: Vec<String> = slips_of("handler").collect();
        assert!(all.iter().any(|name| name == "hanlder") && all.iter().any(|name| name == "handdler"));
        assert!(all.iter().all(|name| is_misspelt(name, "handler")));
        assert!(!all.iter().any(|name| name == "handlers" || name == "Handler"));
        assert!(doubled("afford").any(|name| name == "aford"));
        assert!(doubled("aford").any(|name| name == "afford"));
        assert!(inside_edits("strtouppr").any(|name| name == "strtoupper"));
        assert!(inside_edits("handler").all(|name| name.starts_with('h') && name.ends_with('r')));
        assert!(slips_of("aford").all(|name| name.len() == 5), "the name is short");
    }
}
