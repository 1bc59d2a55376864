//! Values of Rust that borrow a place which is borrowed already where they would stand: `self.list.push(self.next())`.

use super::scene::Scene;
use super::tree::{NodeId, Syntax};
use crate::world::FileId;

/// The borrow around a place that a value, which works on the same object, cannot stand inside of.
pub(super) fn borrowed_around(scene: &Scene<'_>, value: NodeId, at: NodeId) -> Option<NodeId> {
    let syntax = &scene.syntax;
    if !syntax.shape.block_value || syntax.shape.this != "self" {
        return None;
    }
    let worked_on: Vec<&str> = syntax
        .below(value)
        .into_iter()
        .chain([value])
        .filter_map(|call| object_of_call(syntax, call).filter(|_| may_change(scene, call)))
        .filter_map(|object| place_of(syntax, object))
        .collect();
    if worked_on.is_empty() {
        return None;
    }
    let is_same = |borrowed: NodeId| {
        place_of(syntax, borrowed).is_some_and(|place| worked_on.iter().any(|other| overlap(place, other)))
    };
    let path = syntax.ancestors(at).take_while(|id| !syntax.is_statement(*id));
    path.collect::<Vec<_>>().windows(2).find_map(|pair| {
        let (inner, outer) = (pair[0], pair[1]);
        if syntax.kind(outer) == "arguments" {
            let before = syntax.named(outer).take_while(|id| *id != inner);
            let mut references = before.filter(|id| syntax.kind(*id) == "reference_expression");
            return references.find(|id| syntax.field(*id, "value").is_some_and(is_same));
        }
        let object = object_of_call(syntax, outer)?;
        let is_argument = !syntax.range(object).encloses(syntax.range(inner));
        (is_argument && is_same(object)).then_some(object)
    })
}

/// The object that a call runs a method of.
fn object_of_call(syntax: &Syntax, call: NodeId) -> Option<NodeId> {
    let method = syntax.field(call, "function").filter(|_| syntax.kind(call) == "call_expression")?;
    syntax.field(method, "value").filter(|_| syntax.kind(method) == "field_expression")
}

/// Whether a call of a method may need its object for itself alone: one that is not known to look at it only.
fn may_change(scene: &Scene<'_>, call: NodeId) -> bool {
    let (syntax, view) = (&scene.syntax, &scene.view);
    let name = syntax.field(call, "function").and_then(|method| syntax.field(method, "field"));
    let Some(name) = name.map(|name| syntax.range(name)) else { return true };
    let meant: Vec<(FileId, u32)> = scene.ctx.pool.with(|rx| {
        let named = view.by_place().refs.within(name);
        let defs = named.flat_map(|r| rx.resolve(view.global_ref(r)).resolution.defs().collect::<Vec<_>>());
        defs.map(|def| (def.file, rx.def(def).name_range.end)).collect()
    });
    let looks_only = |(file, at): &(FileId, u32)| {
        (scene.ctx.text)(*file).is_ok_and(|text| takes_reference(text.text.get(*at as usize..).unwrap_or("")))
    };
    meant.is_empty() || !meant.iter().all(looks_only)
}

/// Whether a method takes its object as `&self` or `&'a self`, by the text behind its name.
fn takes_reference(text: &str) -> bool {
    let head = text.split(['{', ';']).next().unwrap_or("");
    let named = |rest: &str| rest.split_once(' ').is_some_and(|(_, object)| object.starts_with("self"));
    head.contains("&self") || head.split("&'").skip(1).any(named)
}

/// The variable and the fields that an expression begins with: `self.list` of `self.list.iter()[0]`.
fn place_of(syntax: &Syntax, object: NodeId) -> Option<&str> {
    let mut at = object;
    loop {
        let is_place =
            |id: NodeId| syntax.text_of(id).chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '.'));
        if is_place(at) {
            return Some(syntax.text_of(at));
        }
        at = syntax.named(at).next()?;
    }
}

/// Whether one place is the other one, or a part of it.
fn overlap(a: &str, b: &str) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
