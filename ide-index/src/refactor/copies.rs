//! Values that are copied when they get a name, where the place that they stand for is meant.

use ide_model::Family;

use super::calls::{callee_name, split_argument};
use super::no_value::PARTS;
use super::tree::{NodeId, Syntax, has};
use crate::facts::RefId;
use crate::lang::{AddressedPlaces, takes_reference};
use crate::resolve::{FileView, Resolver};

/// Whether a value is used as a place, so that a variable with a copy of it would be changed in its stead.
pub(super) fn copied_place(rx: &Resolver, view: &FileView, syntax: &Syntax, id: NodeId) -> bool {
    match view.family() {
        Family::Go => is_lent(rx, view, syntax, id),
        Family::Php => is_referred_to(rx, view, syntax, id),
        _ => false,
    }
}

fn is_lent(rx: &Resolver, view: &FileView, syntax: &Syntax, id: NodeId) -> bool {
    let last = |node: NodeId| -> Option<RefId> {
        let name = syntax.field(node, "field").unwrap_or(node);
        view.by_place().refs.at(syntax.range(name)).next()
    };
    let addressed = AddressedPlaces::of(rx, view);
    let inner = syntax.named(id).next().filter(|_| syntax.kind(id) == "parenthesized_expression");
    let member = syntax.parent(id).filter(|up| syntax.kind(*up) == "selector_expression").and_then(last);
    last(inner.unwrap_or(id)).is_some_and(|name| addressed.refs.contains(&name))
        || member.is_some_and(|member| addressed.has_object_of(view, member))
}

/// Whether something refers to an element of an array or to the array as a whole, which are copied otherwise.
fn is_referred_to(rx: &Resolver, view: &FileView, syntax: &Syntax, id: NodeId) -> bool {
    let mut at = id;
    while let Some(up) = syntax
        .parent(at)
        .filter(|up| syntax.kind(*up) == "subscript_expression" && syntax.named(*up).next() == Some(at))
    {
        at = up;
    }
    let is_source = |up: NodeId| {
        let mut named = syntax.named(up);
        named.next() == Some(at) && syntax.children(up).iter().any(|child| syntax.kind(*child) == "by_ref")
    };
    syntax.stands_in(at, "by_ref reference_assignment_expression.right")
        || syntax.parent(at).is_some_and(|up| has("foreach_statement", syntax.kind(up)) && is_source(up))
        || syntax.is_in(at, PARTS) && is_given_by_reference(rx, view, syntax, at)
}

/// Whether a call takes an argument of PHP by reference.
fn is_given_by_reference(rx: &Resolver, view: &FileView, syntax: &Syntax, value: NodeId) -> bool {
    let given = || {
        let argument = syntax.parent(value).filter(|up| syntax.kind(*up) == "argument")?;
        let list = syntax.parent(argument)?;
        let place = syntax.named(list).position(|id| id == argument)?;
        let name = split_argument(syntax, argument).0;
        let called = callee_name(syntax, syntax.parent(list)?)?;
        let callee = view.by_place().refs.within(called).last()?;
        Some(takes_reference(rx, view, callee, place, name.as_deref()))
    };
    given().unwrap_or(false)
}
