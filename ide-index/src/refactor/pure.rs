//! Values that are the same whenever they are made, and whose making does nothing.

use super::flow::{Flow, Mention};
use super::scene::{MADE, Scene};
use super::tree::{NodeId, has};
use crate::facts::{DefFlags, Role};
use crate::resolve::{Resolver, Target};
use crate::world::GlobalDef;

/// How many functions of the project may be looked through.
const DEPTH: usize = 3;

/// Whether a value only depends on variables of types whose values nobody can change, and making it does nothing. Whether
/// the variables are written is another question.
pub(super) fn is_pure(scene: &Scene<'_>, value: NodeId) -> bool {
    Look { scene, flow: &scene.ctx.pool.with(|rx| Flow::of(rx, &scene.view)), depth: DEPTH }.is_pure(value)
}

/// Whether making a value does nothing, and reads nothing but variables: a function, or a list or an object of such values.
/// Whether the variables are written is another question.
pub(super) fn is_inert(scene: &Scene<'_>, value: NodeId) -> bool {
    let (syntax, shape) = (&scene.syntax, scene.syntax.shape);
    if syntax.is_in(value, shape.lambdas) || syntax.is_constant(value) {
        return true;
    }
    let is_leaf = syntax.named(value).next().is_none();
    let is_holder = has(shape.holders, syntax.kind(value)) || syntax.kind(value).contains("parenthesized");
    if is_leaf {
        return is_holder
            || !shape.holders.is_empty()
                && has(
                    "identifier property_identifier shorthand_property_identifier this",
                    syntax.kind(value),
                );
    }
    is_holder && syntax.named(value).all(|part| is_inert(scene, part))
}

struct Look<'a> {
    scene: &'a Scene<'a>,
    flow: &'a Flow,
    depth: usize,
}

impl Look<'_> {
    fn is_pure(&self, id: NodeId) -> bool {
        let (syntax, shape) = (&self.scene.syntax, self.scene.syntax.shape);
        let node = syntax.node(id);
        if !node.is_named || node.is_extra {
            return true;
        }
        if syntax.is_in(id, shape.literals) {
            let mut codes = syntax.codes_in_text(id);
            return codes.all(|code| syntax.named(code).all(|part| self.is_pure(part)));
        }
        if syntax.is_in(id, shape.calls) {
            return self.is_pure_call(id);
        }
        if has(MADE, node.kind) || syntax.is_in(id, shape.effects) || syntax.is_in(id, shape.functions) {
            return false;
        }
        if syntax.named(id).next().is_none() {
            return self.is_steady_name(id);
        }
        let is_form = [shape.binary, shape.unary].iter().any(|kinds| syntax.is_in(id, kinds))
            || node.kind.contains("parenthesized")
            || has("ternary_expression conditional_expression type_cast_expression variable_name", node.kind);
        is_form && syntax.named(id).all(|part| self.is_pure(part))
    }

    /// A variable of a type whose values do not change.
    fn is_steady_name(&self, id: NodeId) -> bool {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let range = syntax.range(id);
        let at = |m: &&Mention| m.range == range;
        let Some(mention) = self.flow.mentions.iter().find(at) else {
            return syntax.is_in(id, "primitive_type") || syntax.stands_in(id, "type_cast_expression.type");
        };
        let declared = self.flow.of_variable(mention.variable).find(|m| m.declares);
        let said = |at| super::inline_function::said_type(syntax, at).map(str::to_owned);
        let ty = declared.and_then(|m| said(m.range).or_else(|| scene.type_of_variable(m.range)));
        ty.is_some_and(|ty| has(syntax.shape.steady, &ty))
    }

    fn is_pure_call(&self, call: NodeId) -> bool {
        let (scene, syntax) = (self.scene, &self.scene.syntax);
        let view = &scene.view;
        let Some(name) = super::calls::callee_name(syntax, call) else { return false };
        let Some(list) = syntax.field(call, "arguments") else { return false };
        let plain = |id: NodeId| {
            if syntax.kind(id) == "argument" { syntax.named(id).last().unwrap_or(id) } else { id }
        };
        if !syntax.named(list).all(|argument| self.is_pure(plain(argument))) {
            return false;
        }
        let called = view
            .ref_ids()
            .find(|r| view.reference(*r).range == name && view.reference(*r).role == Role::Call);
        let Some(called) = called else { return false };
        let object = super::calls::object_of(syntax, call);
        let is_value = object.is_some_and(|object| self.is_pure(object));
        let target = scene.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(called));
            let is_sure = resolved.resolution.confidence.is_certain();
            match &resolved.resolution.targets[..] {
                targets if targets.iter().any(|t| is_library(rx, t)) => {
                    let known = |t: &Target| is_known(rx, t, syntax.shape.pure, is_value);
                    if !targets.is_empty() && targets.iter().all(known) { Some(None) } else { None }
                }
                [Target::Def(def)] if is_sure => Some(Some(*def)),
                _ => None,
            }
        });
        match target {
            Some(None) => true,
            Some(Some(def)) => !is_value && self.depth > 0 && self.is_pure_function(def),
            None => false,
        }
    }

    /// A function of the project that gives a pure value of its parameters.
    fn is_pure_function(&self, def: GlobalDef) -> bool {
        let ctx = self.scene.ctx;
        let Ok(home) = Scene::open(ctx, def.file) else { return false };
        let d = home.view.def(def.def);
        let is_plain = ctx.pool.with(|rx| {
            let is_free = rx.member_owner(def).is_none() || d.flags.has(DefFlags::STATIC);
            let odd = [
                DefFlags::ASYNC,
                DefFlags::GENERATOR,
                DefFlags::ABSTRACT,
                DefFlags::SUSPEND,
                DefFlags::SYNCHRONIZED,
            ];
            is_free && d.decorators.is_empty() && !odd.iter().any(|flag| d.flags.has(*flag))
        });
        let (syntax, flow) = (&home.syntax, ctx.pool.with(|rx| Flow::of(rx, &home.view)));
        let name = syntax.around(d.name_range);
        let Some(node) =
            syntax.parent(name).filter(|id| is_plain && syntax.is_in(*id, syntax.shape.functions))
        else {
            return false;
        };
        let Some(value) = super::inline_function::only_value(&home, node) else { return false };
        let said = super::inline_function::result_of(&home, node);
        let said = said.map(|ty| syntax.slice(ty).trim_start_matches(':').trim().to_owned());
        let gives_steady =
            said.or_else(|| home.type_of(value)).is_some_and(|ty| has(syntax.shape.steady, &ty));
        let inner = Look { scene: &home, flow: &flow, depth: self.depth - 1 };
        gives_steady && inner.is_pure(value)
    }
}

fn is_library(rx: &Resolver, target: &Target) -> bool {
    match target {
        Target::Def(def) => rx.world().file(def.file).source == ide_model::SourceKind::Library,
        Target::External(_) => true,
        _ => false,
    }
}

/// Whether a function of a library is in a list; `on_value` whether it is called on one.
fn is_known(rx: &Resolver, target: &Target, list: &str, on_value: bool) -> bool {
    let full = match target {
        Target::External(full) => full.replace("::", "."),
        Target::Def(def) => {
            let name = rx.shared_name(*def);
            let owner = rx.member_owner(*def).map(|owner| rx.shared_name(owner));
            let file = rx.file(def.file);
            let package = || file.package.map(|package| file.name(package).to_owned());
            match owner.map(|owner| owner.to_string()).or_else(package) {
                Some(owner) => format!("{owner}.{name}"),
                None => name.to_string(),
            }
        }
        _ => return false,
    };
    let mut words = full.rsplit('.');
    let (name, owner) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let with_owner = format!("{owner}.{name}");
    has(list, &with_owner) || !on_value && has(list, name)
}
