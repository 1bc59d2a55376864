//! Errors that the grammar of PHP accepts and the compiler does not.

use tree_sitter::Node;

use super::{children, text_of};

/// Expressions that can be assigned to.
const PLACES: &[&str] = &[
    "variable_name",
    "dynamic_variable_name",
    "member_access_expression",
    "nullsafe_member_access_expression",
    "scoped_property_access_expression",
    "subscript_expression",
    "list_literal",
    "array_creation_expression",
    "by_ref",
    "pair",
];

/// Statements that end with a semicolon, or with the end of the code.
const ENDED: &[&str] = &[
    "break_statement",
    "const_declaration",
    "continue_statement",
    "echo_statement",
    "expression_statement",
    "function_static_declaration",
    "global_declaration",
    "goto_statement",
    "namespace_use_declaration",
    "property_declaration",
    "return_statement",
    "unset_statement",
];

/// Nodes that constant expressions must not contain.
const NOT_CONSTANT: &[&str] = &[
    "variable_name",
    "function_call_expression",
    "member_call_expression",
    "scoped_call_expression",
    "assignment_expression",
];

pub(super) fn refused<'t>(node: Node<'t>, around: &[Node<'t>], text: &str) -> Option<String> {
    match node.kind() {
        "namespace_definition" => unended(node, text).or_else(|| not_first(node, *around.last()?, text)),
        "declare_statement" => declaration(node, *around.last()?, text),
        kind if ENDED.contains(&kind) => unended(node, text),
        "class_declaration" => {
            let modifier = children(node).into_iter().find(|child| child.kind() == "visibility_modifier")?;
            Some(format!("`{}` is no modifier of a class", text_of(modifier, text)))
        }
        "function_call_expression" => {
            let function = node.child_by_field_name("function")?;
            let arguments = node.child_by_field_name("arguments")?;
            let is_isset = text_of(function, text).eq_ignore_ascii_case("isset");
            let is_asked_for = |argument: Node<'_>| {
                let value = children(argument).into_iter().next_back();
                value.is_none_or(|value| {
                    PLACES.contains(&value.kind()) && value.kind() != "array_creation_expression"
                })
            };
            let wrong =
                children(arguments).into_iter().filter(|a| a.kind() == "argument").any(|a| !is_asked_for(a));
            (is_isset && wrong).then(|| "only variables can be asked for".to_owned())
        }
        "assignment_expression" | "augmented_assignment_expression" => {
            let left = node.child_by_field_name("left")?;
            let is_call = left.kind().ends_with("call_expression");
            is_call.then(|| "a call cannot be written to".to_owned())
        }
        "foreach_statement" => {
            let parts = children(node);
            let at = parts.iter().position(|part| part.kind() == "as")?;
            let value = parts.get(at + 1)?;
            (!value.is_error() && !PLACES.contains(&value.kind()) && value.kind() != "foreach_pair")
                .then(|| "each value needs a variable".to_owned())
        }
        "simple_parameter" | "property_promotion_parameter" => {
            not_constant(node.child_by_field_name("default_value")?)
        }
        "property_element" => not_constant(node.child_by_field_name("default_value")?),
        "const_element" => not_constant(children(node).into_iter().next_back()?),
        "name" => {
            // Any other name may be a word of the language.
            let (word, parent) = (text_of(node, text), around.last()?);
            let is_value = matches!(
                parent.kind(),
                "array_element_initializer"
                    | "expression_statement"
                    | "binary_expression"
                    | "return_statement"
                    | "assignment_expression"
            );
            (is_value && RESERVED.iter().any(|reserved| word.eq_ignore_ascii_case(reserved)))
                .then(|| format!("`{word}` is a reserved word"))
        }
        _ => None,
    }
}

const RESERVED: &[&str] = &[
    "abstract",
    "as",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "declare",
    "default",
    "do",
    "else",
    "elseif",
    "extends",
    "final",
    "finally",
    "for",
    "foreach",
    "function",
    "global",
    "goto",
    "if",
    "implements",
    "instanceof",
    "insteadof",
    "interface",
    "namespace",
    "private",
    "protected",
    "public",
    "return",
    "switch",
    "throw",
    "trait",
    "try",
    "use",
    "var",
    "while",
];

/// A statement without its semicolon.
fn unended(node: Node<'_>, text: &str) -> Option<String> {
    let own = text_of(node, text).trim_end();
    let is_ended = own.ends_with([';', '}', '>']) || node.has_error();
    let rest = text.get(node.start_byte() + own.len()..).unwrap_or("").trim_start();
    let is_at_end = rest.starts_with("?>") || rest.starts_with(';') || rest.is_empty();
    // The name of a namespace is not written from the root.
    let is_rooted = node.kind() == "namespace_definition"
        || own.get(..9).is_some_and(|w| w.eq_ignore_ascii_case("namespace"));
    let is_rooted =
        is_rooted && own[9..].starts_with(char::is_whitespace) && own[9..].trim_start().starts_with('\\');
    if is_rooted {
        return Some("the name of a namespace begins with a name".to_owned());
    }
    (!is_ended && !is_at_end).then(|| "`;` is missing".to_owned())
}

/// A namespace behind something else than declarations for the whole file and other namespaces.
fn not_first(node: Node<'_>, parent: Node<'_>, text: &str) -> Option<String> {
    if parent.kind() != "program" {
        return Some("a namespace stands on the level of the file".to_owned());
    }
    let is_first = !children(parent)
        .into_iter()
        .take_while(|other| other.id() != node.id())
        .any(|other| other.kind() == "namespace_definition");
    (is_first && has_text_before(parent, text))
        .then(|| "a namespace is the first statement of a file".to_owned())
}

/// Whether a file begins with something else than the tag; a line for the shell may stand there.
fn has_text_before(program: Node<'_>, text: &str) -> bool {
    let tag = children(program).into_iter().find(|child| child.kind() == "php_tag");
    let before =
        tag.and_then(|tag| text.get(..tag.start_byte())).unwrap_or("").trim_start_matches('\u{feff}');
    !(before.is_empty() || before.starts_with("#!") && before.trim_end().lines().count() == 1)
}

/// `declare(strict_types=1)` is the first statement, and a statement of its own.
fn declaration(node: Node<'_>, parent: Node<'_>, text: &str) -> Option<String> {
    let own = text_of(node, text);
    if !own.contains("strict_types") || node.has_error() {
        return None;
    }
    let is_alone = own
        .find(')')
        .is_some_and(|end| own[end + 1..].trim_start().starts_with(';') || own[end + 1..].trim().is_empty());
    if !is_alone {
        return Some("`;` is missing".to_owned());
    }
    has_text_before(parent, text).then(|| "`strict_types` is declared first in a file".to_owned())
}

/// A value that is computed when the program runs, where it must be known before.
fn not_constant(value: Node<'_>) -> Option<String> {
    let mut todo = vec![value];
    while let Some(node) = todo.pop() {
        if NOT_CONSTANT.contains(&node.kind()) {
            return Some("this value is not constant".to_owned());
        }
        if !matches!(
            node.kind(),
            "anonymous_function"
                | "anonymous_function_creation_expression"
                | "arrow_function"
                | "scoped_property_access_expression"
        ) {
            todo.extend(children(node));
        }
    }
    None
}
