//! Words that mean the function in which they stand, its arguments, its variables or its place among the callers: elsewhere
//! they mean another one.

use ide_model::{Family, Language};

use super::tree::{NodeId, Syntax, has};

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
