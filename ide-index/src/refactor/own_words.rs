//! Words that mean the function in which they stand, its arguments, its variables or its place among the callers: elsewhere
//! they mean another one.

use ide_model::{Family, Language};

use super::method_site::Part;
use super::scene::{Refused, Scene};
use super::tree::{NodeId, Syntax, has};
use crate::facts::{RefId, Role};
use crate::world::GlobalDef;

/// Functions that work on the one that calls them.
const GO: &str = "recover runtime.Caller runtime.Callers";
const PHP: &str = "func_get_args func_get_arg func_num_args compact extract get_defined_vars parse_str";
const PYTHON: &str =
    "locals vars dir eval exec inspect.currentframe inspect.stack sys._getframe currentframe _getframe";

/// The first of these words that runs with some nodes.
pub(super) fn own_word(syntax: &Syntax, nodes: &[NodeId]) -> Option<NodeId> {
    let language = syntax.shape.language;
    let is_ecma = language.family() == Family::Ecma;
    let mut todo: Vec<NodeId> = nodes.iter().rev().copied().collect();
    while let Some(id) = todo.pop() {
        if means_function(syntax, language, id) {
            return Some(id);
        }
        // An arrow function has the arguments of the function around it.
        let is_other = syntax.is_in(id, syntax.shape.functions)
            && !nodes.contains(&id)
            && !(is_ecma && syntax.kind(id) == "arrow_function");
        if !is_other {
            todo.extend(syntax.children(id).iter().rev());
        }
    }
    None
}

fn means_function(syntax: &Syntax, language: Language, id: NodeId) -> bool {
    let called = || {
        let callee = syntax.field(id, "function").map_or("", |callee| syntax.text_of(callee));
        let list = syntax.field(id, "arguments");
        (callee, list.map_or(0, |list| syntax.named(list).count()))
    };
    match (language.family(), syntax.kind(id)) {
        (Family::Ecma, "identifier") => syntax.text_of(id) == "arguments",
        (Family::Ecma, "meta_property") => syntax.text_of(id).ends_with("target"),
        (Family::Ecma, "call_expression") => called().0 == "eval",
        (Family::Go, "call_expression") => has(GO, called().0),
        (Family::Php, "function_call_expression") => {
            let (callee, count) = called();
            let name = callee.trim_start_matches('\\').to_ascii_lowercase();
            has(PHP, &name) && !(name == "parse_str" && count > 1)
        }
        (Family::Php, "dynamic_variable_name") => true,
        (Family::Php, "name") => has("__FUNCTION__ __METHOD__", &syntax.text_of(id).to_ascii_uppercase()),
        (Family::Python, "call") => {
            let (callee, count) = called();
            // With an argument they ask something else, or are told the variables.
            let is_told = has("vars dir", callee) && count > 0 || has("eval exec", callee) && count > 1;
            has(PYTHON, callee) && !is_told
        }
        _ => false,
    }
}

/// Whether a call takes its object from the first parameter of its method.
pub(super) fn is_super_call(syntax: &Syntax, id: NodeId) -> bool {
    syntax.shape.by_indent && syntax.kind(id) == "call" && syntax.text_of(id) == "super()"
}

/// Refuses code that means something else in another function.
pub(super) fn can_leave(scene: &Scene<'_>, part: &Part, inside: &[NodeId]) -> Result<(), Refused> {
    if let Some(word) = own_word(&scene.syntax, &part.nodes) {
        let message = format!("`{}` means the function that it stands in", scene.syntax.text_of(word));
        return scene.form(message, scene.syntax.range(word));
    }
    macros_declare(scene, part, inside)
}

/// Refuses a macro that may declare a variable which is used behind the part.
fn macros_declare(scene: &Scene<'_>, part: &Part, inside: &[NodeId]) -> Result<(), Refused> {
    let (syntax, view) = (&scene.syntax, &scene.view);
    let whole = syntax.range(part.function);
    for id in inside.iter().filter(|id| syntax.kind(**id) == "macro_invocation") {
        let words: Vec<&str> = syntax
            .below(*id)
            .into_iter()
            .filter(|id| syntax.kind(*id) == "identifier")
            .map(|id| syntax.text_of(id))
            .collect();
        let declared = |r: &RefId| {
            let at = view.reference(*r);
            let is_variable = matches!(at.role, Role::Read | Role::Write | Role::ReadWrite)
                && at.receiver.is_none()
                && at.range.start >= part.range.end
                && whole.encloses(at.range)
                && words.contains(&view.ref_name(*r));
            is_variable
                && scene.ctx.pool.with(|rx| {
                    let meant = rx.resolve(view.global_ref(*r)).resolution;
                    let of_macro = |def: GlobalDef| {
                        def.file == scene.file && syntax.range(*id).encloses(view.def(def.def).name_range)
                    };
                    meant.is_unknown() || meant.defs().any(of_macro)
                })
        };
        if let Some(used) = view.ref_ids().find(declared) {
            let message = format!("a macro may declare `{}`, which is used behind it", view.ref_name(used));
            return scene.form(message, syntax.range(*id));
        }
    }
    Ok(())
}

/// The first place in a function, or outside of all, that finds local variables by their names.
pub(super) fn finds_by_name(syntax: &Syntax, function: NodeId, names: &[&str]) -> Option<NodeId> {
    let family = syntax.shape.language.family();
    let mut todo = vec![function];
    while let Some(id) = todo.pop() {
        let callee = syntax.field(id, "function").map_or("", |callee| syntax.text_of(callee));
        let list = syntax.field(id, "arguments");
        let given = || list.into_iter().flat_map(|list| syntax.named(list));
        let finds = match (family, syntax.kind(id)) {
            (Family::Php, "dynamic_variable_name") => true,
            (Family::Php, "function_call_expression") => {
                let is_other = |id: NodeId| {
                    let text = syntax.text_of(id);
                    let inner = text.trim_matches(['"', '\'']);
                    text.starts_with(['"', '\'']) && !text.contains('$') && !names.contains(&inner)
                };
                match &*callee.trim_start_matches('\\').to_ascii_lowercase() {
                    "extract" | "get_defined_vars" => true,
                    "parse_str" => given().count() < 2,
                    "compact" => !given().all(is_other),
                    _ => false,
                }
            }
            (Family::Python, "call") => match callee {
                "locals" | "vars" => given().next().is_none(),
                "eval" | "exec" => given().count() < 2,
                _ => false,
            },
            _ => false,
        };
        if finds {
            return Some(id);
        }
        if id == function || !syntax.is_in(id, syntax.shape.functions) {
            todo.extend(syntax.children(id).iter().rev());
        }
    }
    None
}
