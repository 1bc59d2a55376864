//! Errors that the grammar of Java accepts and the compiler does not.

use tree_sitter::Node;

use super::{children, text_of};

/// Expressions that are statements.
const STATEMENTS: &[&str] = &[
    "assignment_expression",
    "method_invocation",
    "object_creation_expression",
    "update_expression",
    // The value of a switch is not used as a statement, and the grammar makes no difference.
    "switch_expression",
];

const RESERVED: &[&str] = &[
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
];

pub(super) fn refused<'t>(node: Node<'t>, around: &[Node<'t>], text: &str) -> Option<String> {
    match node.kind() {
        "expression_statement" => {
            let expression = children(node).into_iter().next()?;
            // `case A -> 1;` is a value where the switch is one.
            let is_value = around.last().is_some_and(|parent| parent.kind() == "switch_rule");
            (!is_value
                && expression.is_named()
                && !expression.is_error()
                && !STATEMENTS.contains(&expression.kind()))
            .then(|| "this expression is no statement".to_owned())
        }
        "modifiers" => {
            let words: Vec<&str> = children(node)
                .into_iter()
                .filter(|word| !word.is_named())
                .map(|word| text_of(word, text))
                .collect();
            let twice =
                words.iter().enumerate().find(|(n, word)| words[..*n].contains(word)).map(|(_, word)| *word);
            if let Some(word) = twice {
                return Some(format!("`{word}` stands twice"));
            }
            let of = around.last()?.kind();
            let is_local = matches!(
                of,
                "formal_parameter"
                    | "spread_parameter"
                    | "local_variable_declaration"
                    | "catch_formal_parameter"
                    | "resource"
            ) && around.iter().nth_back(1).is_none_or(|outer| outer.kind() != "program");
            let other = words.iter().find(|word| **word != "final").filter(|_| is_local)?;
            Some(format!("`{other}` is no modifier of a variable in a method"))
        }
        "constructor_declaration" => {
            let name = node.child_by_field_name("name")?;
            let outer = |n: usize| around.iter().nth_back(n)?.child_by_field_name("name");
            let of = outer(1).or_else(|| outer(2))?;
            (text_of(name, text) != text_of(of, text)).then(|| "the method has no result type".to_owned())
        }
        // The arguments are inferred in `new A<>()` alone.
        "type_arguments" if node.named_child_count() == 0 => {
            let made = around.iter().nth_back(1).map(Node::kind);
            (made != Some("object_creation_expression")).then(|| "type arguments are missing here".to_owned())
        }
        "identifier" | "type_identifier" => {
            let word = text_of(node, text);
            // `case null, default`
            let is_label = word == "default" && around.last().is_some_and(|of| of.kind() == "switch_label");
            // `void f(@Initialized A this)`
            let is_receiver =
                word == "this" && around.last().is_some_and(|of| of.kind() == "formal_parameter");
            (!is_label && !is_receiver && RESERVED.contains(&word))
                .then(|| format!("`{word}` is a reserved word"))
        }
        _ => None,
    }
}
