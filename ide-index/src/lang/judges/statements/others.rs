//! Python, PHP, Rust, Kotlin and TypeScript.

use super::jumps::{self, Jumps};
use super::{
    CONSTANT, DUPLICATE_CASE, MISPLACED, MISSING_RETURN, RETURN_VALUE, UNRESOLVED_NAME, child, children,
    end_of, refuse,
};
use crate::check::Refused;
use crate::refactor::tree::{NodeId, Syntax};

const OF_PYTHON: Jumps = Jumps {
    label: "",
    labeled: "",
    continued: "for_statement while_statement",
    bounds: "function_definition class_definition module",
    open: "",
    behind: "else_clause",
};

pub(in super::super) fn python(tree: &Syntax, found: &mut Vec<Refused>) {
    jumps::report(tree, &OF_PYTHON, found);
    for node in tree.all().filter(|node| tree.node(*node).is_named) {
        let word = match tree.kind(node) {
            "return_statement" => "return",
            "yield" => "yield",
            "await" => "await",
            _ => continue,
        };
        let around = tree.ancestors(node).skip(1).find(|up| {
            tree.is_in(*up, "function_definition class_definition module lambda generator_expression")
        });
        let Some(around) = around else { continue };
        let is_refused = match (tree.kind(around), word) {
            ("generator_expression", _) => false,
            ("function_definition", "await") => !has_word(tree, around, "async"),
            ("function_definition", _) | ("lambda", "yield") => false,
            _ => true,
        };
        // The defaults, annotations and decorators of a function belong to what is around it.
        let is_in_head = tree.kind(around) == "function_definition"
            && tree.field(around, "body").is_some_and(|body| !tree.range(body).encloses(tree.range(node)));
        if is_refused && !is_in_head {
            let outside = if word == "await" { "an asynchronous function" } else { "a function" };
            refuse(found, MISPLACED, tree.range(node), format!("`{word}` stands outside of {outside}"));
        }
    }
}

fn has_word(tree: &Syntax, node: NodeId, word: &str) -> bool {
    tree.children(node).iter().any(|child| tree.kind(*child) == word)
}

const LEAVABLE: &str = "for_statement foreach_statement while_statement do_statement switch_statement";

pub(in super::super) fn php(tree: &Syntax, found: &mut Vec<Refused>) {
    for node in tree.all().filter(|node| tree.node(*node).is_named) {
        match tree.kind(node) {
            "break_statement" | "continue_statement" => php_jump(tree, node, found),
            "return_statement" => php_returned(tree, node, found),
            "switch_block" => {
                if let Some(second) = children(tree, node, "default_statement").nth(1) {
                    refuse(found, DUPLICATE_CASE, tree.range(second), "`default` stands there twice");
                }
            }
            "variable_name" if tree.text_of(node) == "$this" => php_this(tree, node, found),
            "variable_name" => php_variable(tree, node, found),
            _ => {}
        }
    }
}

fn php_jump(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let levels = match tree.named(node).next() {
        Some(count) => match tree.text_of(count).parse::<usize>() {
            Ok(count) => count,
            Err(_) => return,
        },
        None => 1,
    };
    let around = tree
        .ancestors(node)
        .skip(1)
        .take_while(|up| !tree.is_in(*up, tree.shape.functions) && !tree.is_in(*up, tree.shape.types))
        .filter(|up| tree.is_in(*up, LEAVABLE))
        .count();
    if around < levels {
        let word = if tree.kind(node) == "break_statement" { "break" } else { "continue" };
        let message = match levels {
            1 => format!("`{word}` stands outside of a loop"),
            _ => format!("`{word} {levels}` stands in {around} loops"),
        };
        refuse(found, MISPLACED, tree.range(node), message);
    }
}

fn php_returned(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let Some(function) = tree.function_of(node) else { return };
    let Some(ty) = tree.field(function, "return_type") else { return };
    let has_value = tree.named(node).next().is_some();
    let yields = || tree.run_by(function).into_iter().any(|id| tree.kind(id) == "yield_expression");
    match (tree.text_of(ty).to_ascii_lowercase().as_str(), has_value) {
        ("void", true) => refuse(found, RETURN_VALUE, tree.range(node), "nothing can be returned here"),
        ("never", _) => refuse(found, RETURN_VALUE, tree.range(node), "this function never returns"),
        ("void", false) => {}
        (_, false) if !yields() => {
            refuse(found, RETURN_VALUE, tree.range(node), "a value must be returned here");
        }
        _ => {}
    }
}

/// `$this` in a static method, where nothing asks whether it is there.
fn php_this(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let Some(function) = tree.function_of(node).filter(|id| tree.kind(*id) == "method_declaration") else {
        return;
    };
    if child(tree, function, "static_modifier").is_some() && !tree.text_of(function).contains("isset($this") {
        refuse(found, MISPLACED, tree.range(node), "there is no `$this` in a static method");
    }
}

/// Functions of PHP that are longer are not read for each of their variables.
const LONGEST_READ: usize = 20_000;

/// A variable that is read and stands nowhere else in its function. One that is handed to a function may get its value there.
fn php_variable(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    const READ: &str = "binary_expression return_statement echo_statement unary_op_expression if_statement \
        member_call_expression member_access_expression conditional_expression parenthesized_expression encapsed_string";
    const HIDING: [&str; 10] = [
        "extract",
        "compact",
        "include",
        "require",
        "eval",
        "$$",
        "${",
        "parse_str",
        "get_defined_vars",
        "GLOBALS",
    ];
    const GIVEN: [&str; 5] = ["$this", "$argv", "$argc", "$http_response_header", "$php_errormsg"];
    let name = tree.text_of(node);
    let is_read = tree.parent(node).is_some_and(|up| {
        let is_tested = tree.kind(up) == "binary_expression" && tree.operator(up) == Some("??");
        tree.is_in(up, READ) && !is_tested && tree.node(node).field != "name"
    });
    let is_name = name.len() > 1 && !name.starts_with("$_") && !GIVEN.contains(&name);
    let tested = |up: NodeId| {
        let head = tree.text_of(up);
        tree.operator(up) == Some("??") || head.starts_with("isset") || head.starts_with("empty")
    };
    let around: Vec<NodeId> = tree.ancestors(node).collect();
    let functions =
        || around.iter().copied().filter(|up| tree.is_in(*up, "function_definition method_declaration"));
    let Some(function) = functions().next().filter(|_| is_read && is_name) else { return };
    let is_tested = around.iter().take_while(|up| **up != function).any(|up| {
        tree.is_in(
            *up,
            "binary_expression function_call_expression isset_expression error_suppression_expression",
        ) && (tested(*up) || tree.text_of(*up).starts_with('@'))
    });
    let text = tree.text_of(function);
    if text.len() > LONGEST_READ {
        return;
    }
    let is_whole = |at: usize| {
        !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || !c.is_ascii())
    };
    let count = text.match_indices(name).filter(|(at, _)| is_whole(*at)).count();
    // A text may name it, too: `compact('name')`.
    let is_hidden = HIDING.iter().any(|word| text.contains(word));
    if count == 1 && !is_hidden && !is_tested {
        refuse(found, UNRESOLVED_NAME, tree.range(node), format!("`{name}` gets no value in this function"));
    }
}

const OF_RUST: Jumps = Jumps {
    label: "label",
    labeled: "for_expression while_expression loop_expression block",
    continued: "for_expression while_expression loop_expression",
    bounds: "function_item closure_expression async_block",
    open: "token_tree macro_definition macro_arguments skipped_arguments",
    behind: "",
};

pub(in super::super) fn rust(tree: &Syntax, found: &mut Vec<Refused>) {
    jumps::report(tree, &OF_RUST, found);
    for node in tree.all().filter(|node| tree.node(*node).is_named) {
        match tree.kind(node) {
            "await_expression" => rust_await(tree, node, found),
            "try_expression" => rust_try(tree, node, found),
            "function_item" => rust_function(tree, node, found),
            "assignment_expression" | "compound_assignment_expr" => rust_field(tree, node, found),
            _ => {}
        }
    }
}

/// Whether attributes that could be macros stand before an item or before what it stands in.
pub(in super::super) fn may_be_rewritten(tree: &Syntax, item: NodeId) -> bool {
    const PLAIN: [&str; 12] = [
        "allow",
        "cfg",
        "cold",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "inline",
        "must_use",
        "track_caller",
        "warn",
        "test",
    ];
    let is_plain = |attribute: NodeId| {
        let text = tree.text_of(attribute).trim_start_matches(['#', '!', '[', ' ']);
        let word: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        PLAIN.contains(&word.as_str()) && !text.starts_with("cfg_attr")
    };
    tree.ancestors(item).filter(|up| tree.is_in(*up, "function_item impl_item trait_item mod_item")).any(
        |up| {
            let Some(parent) = tree.parent(up) else { return false };
            let siblings = tree.children(parent);
            let at = siblings.partition_point(|id| tree.range(*id).start < tree.range(up).start);
            let before = siblings[..at].iter().rev().copied();
            before
                .take_while(|id| tree.kind(*id) == "attribute_item" || tree.node(*id).is_extra)
                .any(|id| tree.kind(id) == "attribute_item" && !is_plain(id))
        },
    )
}

pub(in super::super) fn is_in_macro(tree: &Syntax, node: NodeId) -> bool {
    tree.ancestors(node).any(|up| tree.is_in(up, OF_RUST.open))
}

fn rust_await(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let around = tree.ancestors(node).skip(1).find(|up| tree.is_in(*up, OF_RUST.bounds));
    let Some(function) = around.filter(|_| !is_in_macro(tree, node)) else { return };
    let is_async = match tree.kind(function) {
        "function_item" => child(tree, function, "function_modifiers")
            .is_some_and(|words| tree.text_of(words).split_whitespace().any(|word| word == "async")),
        "closure_expression" => tree.text_of(function).trim_start_matches("static ").starts_with("async"),
        _ => true,
    };
    if !is_async && !may_be_rewritten(tree, node) {
        refuse(found, MISPLACED, tree.range(node), "`await` stands outside of an asynchronous function");
    }
}

/// `value?` in a function that returns nothing that it could return early.
fn rust_try(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    const BOUNDS: &str = "function_item closure_expression async_block try_block const_block";
    let around = tree.ancestors(node).skip(1).find(|up| tree.is_in(*up, BOUNDS));
    let Some(function) = around.filter(|up| tree.kind(*up) == "function_item") else { return };
    let is_plain = tree.field(function, "return_type").is_none_or(|ty| {
        tree.is_in(ty, "primitive_type unit_type") || matches!(tree.text_of(ty), "String" | "&str")
    });
    if is_plain && !is_in_macro(tree, node) && !may_be_rewritten(tree, node) {
        let message = "`?` stands in a function that returns neither `Result` nor `Option`";
        refuse(found, MISPLACED, tree.range(node), message);
    }
}

/// A body whose last statement has no value, where one is returned.
fn rust_function(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    const VALUES: &str = "primitive_type reference_type array_type generic_type";
    let (Some(ty), Some(body)) = (tree.field(node, "return_type"), tree.field(node, "body")) else { return };
    let is_unit = |text: &str| text.contains("()") && !text.contains("<()") && !text.contains(", ()");
    // A name of the project may stand for `()`.
    const MADE: [&str; 12] = [
        "Arc", "BTreeMap", "BTreeSet", "Box", "Cow", "HashMap", "HashSet", "Option", "Rc", "Result", "Vec",
        "VecDeque",
    ];
    let is_named = tree.kind(ty) == "generic_type"
        && tree.field(ty, "type").is_none_or(|name| !MADE.contains(&tree.text_of(name)));
    if !tree.is_in(ty, VALUES)
        || is_named
        || is_unit(tree.text_of(ty))
        || is_in_macro(tree, node)
        || may_be_rewritten(tree, node)
    {
        return;
    }
    let statements: Vec<NodeId> = tree.named(body).filter(|id| tree.kind(*id) != "attribute_item").collect();
    let is_valueless = |id: NodeId| {
        match tree.kind(id) {
        "let_declaration" => true,
        "expression_statement" => tree.named(id).next().is_some_and(|inner| {
            let is_ended = tree.text_of(id).ends_with(';');
            let is_made = tree.kind(inner) == "call_expression"
                && tree
                    .field(inner, "function")
                    .is_some_and(|name| matches!(tree.text_of(name), "Ok" | "Err" | "Some"));
            is_ended
                && (is_made
                    || tree.is_in(
                        inner,
                        "assignment_expression compound_assignment_expr identifier string_literal integer_literal \
                            boolean_literal struct_expression field_expression binary_expression",
                    ))
        }),
        _ => false,
    }
    };
    // Behind a statement that never ends, nothing need be returned.
    let stops = |id: &NodeId| {
        tree.run_by(*id).into_iter().any(|id| {
            tree.is_in(id, "loop_expression macro_invocation")
                || tree.kind(id) == "return_expression"
                    && tree.parent(id).and_then(|up| tree.parent(up)) == Some(body)
        })
    };
    let Some(last) = statements.last().copied() else {
        return refuse(found, MISSING_RETURN, tree.range(body), "the function returns nothing");
    };
    if is_valueless(last) && !statements.iter().any(stops) {
        refuse(found, MISSING_RETURN, tree.range(last), "the function returns nothing behind this");
    }
}

/// `self.field = …` in a method that only borrows its object.
fn rust_field(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let Some(left) = tree.field(node, "left").filter(|left| tree.kind(*left) == "field_expression") else {
        return;
    };
    let is_self = tree.field(left, "value").is_some_and(|value| tree.kind(value) == "self");
    let function = tree.ancestors(node).find(|up| tree.kind(*up) == "function_item");
    let Some(function) = function.filter(|_| is_self && !is_in_macro(tree, node)) else { return };
    let object = tree.field(function, "parameters").and_then(|all| child(tree, all, "self_parameter"));
    let is_shared = object.is_some_and(|object| {
        tree.text_of(object).starts_with('&') && child(tree, object, "mutable_specifier").is_none()
    });
    if is_shared && !may_be_rewritten(tree, node) {
        let message = format!("`{}` cannot be assigned: the method takes `&self`", tree.text_of(left));
        refuse(found, CONSTANT, tree.range(left), message);
    }
}

const OF_KOTLIN: Jumps = Jumps {
    label: "",
    labeled: "",
    continued: "for_statement while_statement do_while_statement",
    bounds: "function_declaration secondary_constructor getter setter anonymous_initializer",
    open: "lambda_literal anonymous_function",
    behind: "",
};

pub(in super::super) fn kotlin(tree: &Syntax, found: &mut Vec<Refused>) {
    jumps::report(tree, &OF_KOTLIN, found);
    for node in tree.all().filter(|node| tree.kind(*node) == "function_declaration") {
        let ty = tree.named(node).skip_while(|id| tree.kind(*id) != "function_value_parameters").nth(1);
        let ty = ty.filter(|id| !tree.is_in(*id, "function_body type_constraints"));
        let body = child(tree, node, "function_body").and_then(|body| child(tree, body, "block"));
        let (Some(ty), Some(body)) = (ty, body) else { continue };
        if matches!(tree.text_of(ty), "Unit" | "kotlin.Unit" | "Nothing") {
            continue;
        }
        // Calls may never come back.
        let statements: Vec<NodeId> = tree.named(body).collect();
        let is_plain = |id: &NodeId| tree.is_in(*id, "property_declaration assignment for_statement");
        let stops = |id: &NodeId| {
            tree.run_by(*id).into_iter().any(|id| {
                tree.is_in(id, "throw_expression return_expression")
                    || tree.kind(id) == "call_expression"
                        && ["TODO", "error", "fail", "exitProcess"]
                            .iter()
                            .any(|name| tree.text_of(id).starts_with(name))
            })
        };
        let is_missing = match statements.last() {
            None => true,
            Some(last) => is_plain(last) && statements.iter().all(|id| is_plain(id) && !stops(id)),
        };
        if is_missing {
            let message = "a path through the function returns nothing";
            refuse(found, MISSING_RETURN, end_of(tree, body), message);
        }
    }
}

pub(in super::super) fn typescript(tree: &Syntax, found: &mut Vec<Refused>) {
    for node in tree.all().filter(|node| tree.node(*node).is_named) {
        match tree.kind(node) {
            "object" => object_keys(tree, node, found),
            "function_declaration" | "method_definition" | "function_expression" | "arrow_function" => {
                typescript_function(tree, node, found);
            }
            _ => {}
        }
    }
}

fn object_keys(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    let is_pattern = tree
        .parent(node)
        .is_some_and(|up| tree.is_in(up, "assignment_expression") && tree.field(up, "left") == Some(node));
    if is_pattern || child(tree, node, "spread_element").is_some() {
        return;
    }
    let keys = children(tree, node, "pair shorthand_property_identifier").filter_map(|part| {
        let key = if tree.kind(part) == "pair" { tree.field(part, "key")? } else { part };
        tree.is_in(key, "property_identifier shorthand_property_identifier string").then_some(key)
    });
    let mut seen = std::collections::BTreeSet::new();
    for key in keys {
        let written = tree.text_of(key);
        let text = match written.as_bytes() {
            [b'"' | b'\'', .., _] => &written[1..written.len() - 1],
            _ => written,
        };
        if text != "__proto__" && !seen.insert(text) {
            refuse(found, DUPLICATE_CASE, tree.range(key), format!("the key `{text}` stands there twice"));
        }
    }
}

/// A function that says which value it returns, and returns none anywhere.
fn typescript_function(tree: &Syntax, node: NodeId, found: &mut Vec<Refused>) {
    const VALUES: [&str; 6] = ["string", "number", "boolean", "bigint", "symbol", "object"];
    let (Some(ty), Some(body)) = (tree.field(node, "return_type"), tree.field(node, "body")) else { return };
    let is_value = tree.named(ty).next().is_some_and(|inner| {
        VALUES.contains(&tree.text_of(inner)) || tree.is_in(inner, "array_type tuple_type")
    });
    let is_block = tree.kind(body) == "statement_block";
    if !is_value || !is_block || has_word(tree, node, "async") || has_word(tree, node, "*") {
        return;
    }
    let returns = tree.run_by(body).into_iter().any(|id| {
        tree.is_in(id, "throw_statement")
            || tree.kind(id) == "return_statement" && tree.named(id).next().is_some()
    });
    // Calls may never come back, and loops never end.
    let is_plain =
        |id: NodeId| tree.is_in(id, "lexical_declaration variable_declaration if_statement for_in_statement");
    if !returns && tree.named(body).all(is_plain) {
        refuse(found, MISSING_RETURN, tree.range(ty), "the function returns no value");
    }
}
