//! Go: statements that end a function, counts of returned values, declarations of nothing new.

use super::jumps::{self, Jumps};
use super::{
    DUPLICATE_CASE, MISPLACED, MISSING_RETURN, RETURN_VALUE, child, children, end_of, refuse, report_twins,
};
use crate::check::Refused;
use crate::facts::Role;
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::FileView;

const JUMPS: Jumps = Jumps {
    label: "label_name",
    labeled: "labeled_statement",
    continued: "for_statement",
    bounds: "function_declaration method_declaration func_literal",
    open: "",
    behind: "",
};

const FUNCTIONS: &str = "function_declaration method_declaration func_literal";

pub(in super::super) fn go(file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
    jumps::report(tree, &JUMPS, found);
    for node in tree.all() {
        match tree.kind(node) {
            "function_declaration" | "method_declaration" | "func_literal" => function(tree, node, found),
            "return_statement" => returned(tree, node, found),
            "expression_switch_statement" => cases(tree, node, found),
            "composite_literal" => keys(tree, node, found),
            "short_var_declaration" => nothing_new(file, tree, node, found),
            "labeled_statement" => unused_label(tree, node, found),
            _ => {}
        }
    }
}

fn function(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let (Some(body), true) = (tree.field(node, "body"), results(tree, node).0 > 0) else { return };
    if !is_list_terminating(tree, body) {
        let message = "a path through the function returns nothing";
        refuse(found, MISSING_RETURN, end_of(tree, body), message);
    }
}

/// How many results a function has, and whether they have names.
fn results(tree: &Syntax, function: NodeId) -> (usize, bool) {
    let Some(result) = tree.field(function, "result") else { return (0, false) };
    if tree.kind(result) != "parameter_list" {
        return (1, false);
    }
    let mut all = (0, false);
    for parameter in tree.named(result) {
        let names = tree.children(parameter).iter().filter(|id| tree.node(**id).field == "name").count();
        all = (all.0 + names.max(1), all.1 || names > 0);
    }
    all
}

fn returned(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let Some(function) = tree.ancestors(node).skip(1).find(|up| tree.is_in(*up, FUNCTIONS)) else { return };
    let (wanted, is_named) = results(tree, function);
    let values: Vec<NodeId> =
        child(tree, node, "expression_list").map_or_else(Vec::new, |list| tree.named(list).collect());
    // `f[A, B](x)` may be read as a conversion.
    let is_call =
        matches!(&values[..], [only] if tree.is_in(*only, "call_expression type_conversion_expression"));
    let fits = match values.len() {
        0 => wanted == 0 || is_named,
        1 if is_call => wanted > 0,
        count => count == wanted,
    };
    if !fits {
        let message = format!("{} returned, and the function has {wanted} results", values.len());
        refuse(found, RETURN_VALUE, tree.range(node), message);
    }
}

fn cases(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    // Without a value the cases are conditions.
    if tree.field(node, "value").is_some() {
        let values = children(tree, node, "expression_case")
            .filter_map(|case| tree.field(case, "value"))
            .flat_map(|list| tree.named(list).collect::<Vec<_>>())
            .filter(|value| tree.is_in(*value, tree.shape.literals));
        report_twins(tree, values, "the case", found);
    }
    if let Some(second) = children(tree, node, "default_case").nth(1) {
        refuse(found, DUPLICATE_CASE, tree.range(second), "`default` stands there twice");
    }
}

fn keys(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let Some(body) = tree.field(node, "body") else { return };
    let keys = children(tree, body, "keyed_element")
        .filter_map(|element| tree.field(element, "key"))
        .filter_map(|key| tree.named(key).next())
        .filter(|key| {
            tree.is_in(*key, "interpreted_string_literal raw_string_literal int_literal rune_literal")
        });
    report_twins(tree, keys, "the key", found);
}

/// `a, b := …` with no name that is new in its scope.
fn nothing_new(file: &FileView, tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let Some(left) = tree.field(node, "left") else { return };
    let is_old = |name: NodeId| {
        let range = tree.range(name);
        tree.text_of(name) == "_"
            || file.name_id(tree.text_of(name)).is_some_and(|id| {
                file.refs_named(id).iter().any(|r| {
                    let reference = file.reference(*r);
                    reference.range == range && reference.role == Role::Write
                })
            })
    };
    let names: Vec<NodeId> = tree.named(left).collect();
    if !names.is_empty() && names.iter().all(|name| tree.kind(*name) == "identifier" && is_old(*name)) {
        refuse(found, "duplicate-declaration", tree.range(left), "nothing on the left of `:=` is new");
    }
}

fn unused_label(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let Some(label) = tree.field(node, "label") else { return };
    let Some(function) = tree.ancestors(node).skip(1).find(|up| tree.is_in(*up, FUNCTIONS)) else { return };
    let name = tree.text_of(label);
    let is_used = tree.below(function).into_iter().any(|id| {
        tree.is_in(id, "break_statement continue_statement goto_statement")
            && tree.named(id).any(|to| tree.text_of(to) == name)
    });
    if !is_used && name != "_" {
        refuse(found, MISPLACED, tree.range(label), format!("the label `{name}` is not used"));
    }
}

/// Whether a list of statements ends with a terminating one.
fn is_list_terminating(tree: &Syntax, block: NodeId) -> bool {
    let list = match tree.kind(block) {
        "statement_list" => Some(block),
        _ => child(tree, block, "statement_list"),
    };
    let last = list.and_then(|list| tree.named(list).rfind(|id| tree.kind(*id) != "empty_statement"));
    last.is_some_and(|last| crate::guard::deeper(|| is_terminating(tree, last)).unwrap_or(true))
}

fn is_terminating(tree: &Syntax, node: NodeId) -> bool {
    match tree.kind(node) {
        "return_statement" | "goto_statement" => true,
        "expression_statement" => tree.named(node).next().is_some_and(|call| {
            let function = tree.field(call, "function");
            tree.kind(call) == "call_expression" && function.is_some_and(|f| tree.text_of(f) == "panic")
        }),
        "block" => is_list_terminating(tree, node),
        "labeled_statement" => tree
            .named(node)
            .next_back()
            .is_none_or(|inner| crate::guard::deeper(|| is_terminating(tree, inner)).unwrap_or(true)),
        "if_statement" => {
            let (yes, no) = (tree.field(node, "consequence"), tree.field(node, "alternative"));
            let ends = |id: NodeId| crate::guard::deeper(|| is_terminating(tree, id)).unwrap_or(true);
            yes.is_some_and(ends) && no.is_some_and(ends)
        }
        "for_statement" => {
            let head = tree.named(node).find(|id| tree.kind(*id) != "block");
            let is_endless = head.is_none_or(|head| {
                tree.kind(head) == "for_clause" && tree.field(head, "condition").is_none()
            });
            is_endless && !is_left(tree, node)
        }
        "expression_switch_statement" | "type_switch_statement" | "select_statement" => {
            let clauses: Vec<NodeId> = tree
                .named(node)
                .filter(|id| tree.is_in(*id, "expression_case default_case type_case communication_case"))
                .collect();
            let has_default = clauses.iter().any(|clause| tree.kind(*clause) == "default_case");
            (has_default || tree.kind(node) == "select_statement")
                && !is_left(tree, node)
                && clauses.iter().all(|clause| is_clause_terminating(tree, *clause))
        }
        _ => false,
    }
}

fn is_clause_terminating(tree: &Syntax, clause: NodeId) -> bool {
    let Some(list) = child(tree, clause, "statement_list") else { return false };
    let last = tree.named(list).rfind(|id| tree.kind(*id) != "empty_statement");
    last.is_some_and(|last| tree.kind(last) == "fallthrough_statement") || is_list_terminating(tree, list)
}

/// Whether a `break` leaves a statement.
fn is_left(tree: &Syntax, node: NodeId) -> bool {
    let label = tree.parent(node).filter(|up| tree.kind(*up) == "labeled_statement");
    let label = label.and_then(|up| tree.field(up, "label")).map(|label| tree.text_of(label));
    tree.run_by(node).into_iter().filter(|id| tree.kind(*id) == "break_statement").any(|id| {
        match tree.named(id).next() {
            Some(to) => Some(tree.text_of(to)) == label,
            None => tree.ancestors(id).skip(1).find(|up| tree.is_in(*up, tree.shape.breakable)) == Some(node),
        }
    })
}
