//! Errors that the grammar of Go accepts and the compiler does not.

use tree_sitter::Node;

use super::{children, text_of};

/// Nodes that stand outside of functions.
const DECLARATIONS: &[&str] = &[
    "const_declaration",
    "function_declaration",
    "import_declaration",
    "method_declaration",
    "package_clause",
    "type_declaration",
    "var_declaration",
];

/// Lists in which a comma stands before the end of a line.
const LISTS: &[&str] =
    &["argument_list", "literal_value", "parameter_list", "type_arguments", "type_parameter_list"];

/// Declarations and statements whose block stands on the line on which their head ends.
const HEADS: &[&str] =
    &["if_statement", "for_statement", "function_declaration", "method_declaration", "func_literal"];

pub(super) fn refused<'t>(node: Node<'t>, around: &[Node<'t>], text: &str) -> Option<String> {
    match node.kind() {
        "source_file" => {
            let first = children(node).into_iter().find(Node::is_named)?;
            (first.kind() != "package_clause").then(|| "a file begins with its package clause".to_owned())
        }
        kind if node.is_named() && around.last().is_some_and(|parent| parent.kind() == "source_file") => {
            let is_declaration = DECLARATIONS.contains(&kind) || node.is_extra() || node.is_error();
            (!is_declaration).then(|| "a statement stands outside of a function".to_owned())
        }
        "binary_expression" => {
            // `a -- b` is read as one sign.
            let (operator, right) =
                (node.child_by_field_name("operator")?, node.child_by_field_name("right")?);
            let is_joined = operator.end_byte() == right.start_byte() && right.kind() == "unary_expression";
            let sign = text_of(operator, text);
            (is_joined && matches!(sign, "+" | "-" | "&") && text_of(right, text).starts_with(sign))
                .then(|| format!("`{sign}{sign}` is one sign"))
        }
        // A block may be a statement, too.
        "block" => {
            let parent = around.last().filter(|parent| HEADS.contains(&parent.kind()))?;
            opens_a_line(*parent, |child| *child == node, text)
        }
        "expression_switch_statement" | "type_switch_statement" => {
            opens_a_line(node, |child| child.kind() == "{", text)
        }
        "expression_case" | "default_case" | "type_case" | "communication_case" => begins_a_line(node, text),
        "parameter_list" => mixed(node).or_else(|| open_at_line_end(node, text)),
        kind if LISTS.contains(&kind) => open_at_line_end(node, text),
        _ => None,
    }
}

/// A `{` behind a line whose end is that of a statement: `if ok` and `{` on the next line. A node finds what stands before it
/// from the root only, the parent finds it at once.
fn opens_a_line(parent: Node<'_>, is_open: impl Fn(&Node<'_>) -> bool, text: &str) -> Option<String> {
    let mut cursor = parent.walk();
    let mut before = None;
    let open = parent.children(&mut cursor).find(|child| {
        let is_open = is_open(child);
        if !is_open {
            before = Some(*child);
        }
        is_open
    })?;
    let before = before.filter(|before| before.is_named() && !before.is_extra())?;
    let between = text.get(before.end_byte()..open.start_byte())?;
    let ends =
        |last: char| last.is_alphanumeric() || matches!(last, '_' | ')' | ']' | '}' | '"' | '\'' | '`');
    (between.contains('\n') && text_of(before, text).ends_with(ends))
        .then(|| "`{` stands on the line before".to_owned())
}

/// A case behind a statement that nothing ends.
fn begins_a_line(node: Node<'_>, text: &str) -> Option<String> {
    let before = text[..node.start_byte()].trim_end_matches([' ', '\t']);
    let is_free = before.is_empty() || before.ends_with(['\n', '\r', ';', '{', ':', '}', '/']);
    (!is_free).then(|| "a statement ends before a case".to_owned())
}

/// Parameters of which some have a name and some have none.
fn mixed(node: Node<'_>) -> Option<String> {
    let parameters: Vec<Node<'_>> = children(node)
        .into_iter()
        .filter(|child| matches!(child.kind(), "parameter_declaration" | "variadic_parameter_declaration"))
        .collect();
    let is_named = |parameter: &Node<'_>| parameter.child_by_field_name("name").is_some();
    // The grammar reads the first of many names before one type as types: `(a, b, c int)`.
    let is_word = |parameter: &Node<'_>| {
        parameter.child_by_field_name("type").is_some_and(|ty| ty.kind() == "type_identifier")
    };
    let is_last_named = parameters.last().is_some_and(is_named);
    let fits = |parameter: &Node<'_>| is_named(parameter) || is_last_named && is_word(parameter);
    let some = parameters.iter().any(is_named) && !parameters.iter().all(fits);
    some.then(|| "some parameters have a name and some have none".to_owned())
}

/// A list whose last item ends its line, without a comma.
fn open_at_line_end(node: Node<'_>, text: &str) -> Option<String> {
    let parts = children(node);
    let [.., last, end] = &parts[..] else { return None };
    let is_item = last.is_named() && matches!(end.kind(), ")" | "}" | "]");
    let between = text.get(last.end_byte()..end.start_byte()).unwrap_or("");
    (is_item && between.contains('\n')).then(|| "a comma is missing at the end of the line".to_owned())
}
