//! The parameters of a function as they are written.

use ide_model::TextRange;

use super::super::calls::said_for_default;
use super::super::scene::Refused;
use super::super::tree::{NodeId, Syntax};
use super::alike::held_function;
use super::constructors::head_list;
use super::{Job, Slot};
use crate::facts::DefFlags;
use crate::world::GlobalDef;

/// The parameters of one declaration as they stand there.
pub(super) struct Written {
    pub(super) list: NodeId,
    /// Without the object of the method.
    pub(super) params: Vec<Parameter>,
    /// How many stand before those: the object of the method.
    pub(super) fixed: Vec<NodeId>,
    /// Whether a bare `*` stands before those that are passed by name.
    pub(super) has_star: bool,
}

/// How calls may pass an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Form {
    /// Without its name: before `/`.
    ByPlace,
    Any,
    /// With its name: behind `*`.
    ByName,
}

#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) node: NodeId,
    /// With what stands beside it in the list: modifiers, a default value.
    pub(super) whole: TextRange,
    pub(super) name: String,
    pub(super) name_range: TextRange,
    pub(super) is_vararg: bool,
    pub(super) has_default: bool,
    /// The argument that means the default value, where it is known.
    pub(super) left_out: Option<String>,
    /// The type that is written once for several.
    pub(super) shared: Option<String>,
    pub(super) form: Form,
}

impl Written {
    /// The mark between two parameters that calls pass in other ways, `None` standing for the ends.
    pub(super) fn mark(&self, before: Option<Form>, after: Option<Form>) -> Option<&'static str> {
        if before == Some(Form::ByPlace) && after != before {
            return Some(if after == Some(Form::ByName) && self.has_star { "/, *" } else { "/" });
        }
        (self.has_star && after == Some(Form::ByName) && after != before).then_some("*")
    }
}

/// The pattern of a parameter without its type and its default value, as a request names it: `{ a, b }`.
fn pattern_of(text: &str) -> String {
    let closing = if text.starts_with('[') { ']' } else { '}' };
    let end = text.find(closing).map_or(text.len(), |at| at + 1);
    text[..end].split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How calls may pass the arguments of new parameters: as before; something new as what stands around it. `None` where they
/// would not stand in the order of the forms.
pub(super) fn forms(slots: &[Slot<'_>], written: &Written) -> Option<Vec<Form>> {
    let mut all: Vec<Form> = Vec::new();
    for (at, slot) in slots.iter().enumerate() {
        let before = all.last().copied();
        let next = slots[at..].iter().find_map(|slot| Some(written.params.get(slot.old?)?.form));
        all.push(match slot.old.and_then(|old| written.params.get(old)) {
            Some(param) => param.form,
            None if next == Some(Form::ByPlace) => Form::ByPlace,
            None if before == Some(Form::ByName) => Form::ByName,
            None => Form::Any,
        });
    }
    all.is_sorted().then_some(all)
}

/// One of several parameters whose type is written once.
fn sharing(syntax: &Syntax, node: NodeId, name_range: TextRange, ty: &str, form: Form) -> Parameter {
    Parameter {
        node,
        whole: syntax.range(node),
        name: syntax.slice(name_range).to_owned(),
        name_range,
        is_vararg: false,
        has_default: false,
        left_out: None,
        shared: Some(ty.to_owned()),
        form,
    }
}

fn list_of(syntax: &Syntax, function: NodeId) -> Option<NodeId> {
    let by_kind = || syntax.named(function).find(|child| syntax.kind(*child) == "function_value_parameters");
    // The only parameter of an arrow function may stand without brackets.
    let bare = || syntax.field(function, "parameter").filter(|_| syntax.kind(function) == "arrow_function");
    syntax.field(function, "parameters").or_else(by_kind).or_else(bare)
}

/// Whether a list of parameters is one name without brackets: `x => x`.
pub(super) fn is_bare(syntax: &Syntax, list: NodeId) -> bool {
    syntax.kind(list) == "identifier"
}

/// A parameter without a name of its own.
fn taken_apart(syntax: &Syntax, node: NodeId, form: Form) -> Parameter {
    let range = syntax.range(node);
    Parameter {
        node,
        whole: range,
        name: pattern_of(syntax.text_of(node)),
        name_range: TextRange::new(range.start, range.start),
        is_vararg: false,
        has_default: ["value", "right"].iter().any(|field| syntax.field(node, field).is_some()),
        left_out: None,
        shared: None,
        form,
    }
}

impl Job<'_> {
    /// The list of parameters of a declaration.
    pub(super) fn written(&self, def: GlobalDef) -> Result<Written, Refused> {
        let scene = self.scene(def.file);
        let (syntax, view) = (&scene.syntax, &scene.view);
        let held = held_function(scene, def);
        let d = view.def(held.unwrap_or(def.def));
        let name = syntax.around(view.def(def.def).name_range);
        let around = |id| syntax.ancestors(id).find(|id| syntax.is_in(*id, syntax.shape.functions));
        let function = match held {
            Some(_) => around(syntax.around(d.range)),
            // The word `constructor` is no node of its own.
            None if syntax.kind(name) == "secondary_constructor" => Some(name),
            None => syntax.parent(name),
        };
        let list = function.and_then(|id| list_of(syntax, id));
        let list = list.or_else(|| head_list(syntax, name));
        let Some(list) = list else {
            return scene.form("its parameters are not written there", d.name_range);
        };
        let (mut params, mut fixed): (Vec<Parameter>, Vec<NodeId>) = (Vec::new(), Vec::new());
        let (mut lead, mut form, mut has_star) = (None, Form::Any, false);
        let params_of = view.list(d.params).map(|id| view.def(id));
        let own: Vec<(TextRange, DefFlags, bool)> =
            params_of.map(|param| (param.name_range, param.flags, param.init.is_some())).collect();
        let is_method = self.ctx.pool.with(|rx| rx.member_owner(def).is_some());
        let nodes: Vec<NodeId> =
            if is_bare(syntax, list) { vec![list] } else { syntax.named(list).collect() };
        for node in nodes {
            let mut inside =
                own.iter().filter(|(range, ..)| syntax.range(node).encloses(*range) && !range.is_empty());
            let found: Vec<_> = inside.by_ref().collect();
            if let (Some(ty), true) = (syntax.field(node, "type"), found.len() > 1) {
                let ty = syntax.text_of(ty);
                params.extend(found.iter().map(|(range, ..)| sharing(syntax, node, *range, ty, form)));
                continue;
            }
            let [(name_range, flags, has_default)] = found[..] else {
                if syntax.kind(node) == "self_parameter" {
                    fixed.push(node);
                    continue;
                }
                match syntax.kind(node) {
                    "positional_separator" if params.is_empty() => {
                        fixed.push(node);
                        continue;
                    }
                    "positional_separator" => {
                        params.iter_mut().for_each(|param| param.form = Form::ByPlace);
                        continue;
                    }
                    "keyword_separator" => {
                        (form, has_star) = (Form::ByName, true);
                        continue;
                    }
                    _ => {}
                }
                // A default value of Kotlin stands beside its parameter, and may be a lambda.
                let is_beside = syntax.kind(list) == "function_value_parameters" && !params.is_empty();
                if syntax.text_of(node).starts_with(['{', '[']) && !is_beside {
                    params.push(taken_apart(syntax, node, form));
                    continue;
                }
                match params.last_mut().filter(|_| syntax.kind(list) == "function_value_parameters") {
                    _ if syntax.kind(node) == "parameter_modifiers" => lead = Some(syntax.range(node).start),
                    Some(last) => {
                        last.whole.end = syntax.range(node).end;
                        last.has_default = true;
                    }
                    None => return scene.form("this parameter has no name of its own", syntax.range(node)),
                }
                continue;
            };
            let is_self = syntax.shape.by_indent
                && is_method
                && fixed.is_empty()
                && params.is_empty()
                && !d.flags.has(DefFlags::STATIC);
            if is_self || syntax.kind(node) == "self_parameter" {
                fixed.push(node);
                continue;
            }
            let range = syntax.range(node);
            params.push(Parameter {
                node,
                whole: TextRange::new(lead.take().unwrap_or(range.start), range.end),
                name: syntax.slice(*name_range).to_owned(),
                name_range: *name_range,
                is_vararg: flags.has(DefFlags::VARARG) || flags.has(DefFlags::KEYWORD_VARARG),
                has_default: *has_default,
                left_out: if *has_default { said_for_default(syntax, node) } else { None },
                shared: None,
                form,
            });
            if syntax.shape.by_indent && flags.has(DefFlags::VARARG) {
                form = Form::ByName;
            }
        }
        Ok(Written { list, params, fixed, has_star })
    }
}
