//! Languages of which a grammar tree says what cannot be read, and a table of rules what the grammar lets pass.

mod go;
mod java;
mod newer;
mod php;

use std::ops::ControlFlow;

use ide_model::{Cx, Language, TextRange};
use tree_sitter::{Node, ParseOptions, ParseState, Parser, TreeCursor};

use crate::{Checked, SyntaxError};

/// The check of a node: `None`, or the reason why the compiler refuses it. The nodes around it come with it, the outermost
/// first: a tree finds the parent of a node from its root only.
type Rules = for<'t> fn(Node<'t>, &[Node<'t>], &str) -> Option<String>;

/// The errors of a file; `None` for languages without a grammar here, and when nobody waits any more.
pub(crate) fn check(cx: Cx<'_>, language: Language, text: &str) -> Option<Checked> {
    let none: Rules = |_, _, _| None;
    let (grammar, rules) = match language {
        Language::Go => (tree_sitter_go::LANGUAGE, go::refused as Rules),
        Language::Java => (tree_sitter_java::LANGUAGE, java::refused as Rules),
        Language::Php => (tree_sitter_php::LANGUAGE_PHP, php::refused as Rules),
        Language::Python => (tree_sitter_python::LANGUAGE, none),
        _ => return None,
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar.into()).ok()?;
    let readable = newer::as_older(language, text);
    let text = &*readable;
    let mut look = |_: &ParseState| match cx.check() {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut look);
    let bytes = text.as_bytes();
    let read = &mut |at: usize, _| bytes.get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(read, None, Some(options))?;
    let mut errors = Vec::new();
    let mut cursor = tree.walk();
    let mut around = Vec::new();
    loop {
        let node = cursor.node();
        let refused = broken(node, text).or_else(|| rules(node, &around, text));
        let is_read = !node.is_error();
        errors.extend(refused.map(|message| SyntaxError { range: range(node), message }));
        // Nodes inside an unreadable node belong to the one error.
        if is_read && cursor.goto_first_child() {
            around.push(node);
        } else if !next(&mut cursor, &mut around) {
            break;
        }
    }
    Some(Checked { errors, is_final: false })
}

/// Goes on behind a node, or behind what it stands in.
fn next(cursor: &mut TreeCursor<'_>, around: &mut Vec<Node<'_>>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
        around.pop();
    }
}

/// A node that the grammar has no place for, or that it misses.
fn broken(node: Node<'_>, text: &str) -> Option<String> {
    if node.is_missing() {
        return Some(format!("`{}` is missing", node.kind()));
    }
    node.is_error().then(|| {
        let line = text_of(node, text).lines().next().unwrap_or("").trim();
        format!("`{}` cannot be read", line.chars().take(40).collect::<String>())
    })
}

fn range(node: Node<'_>) -> TextRange {
    TextRange::new(node.start_byte() as u32, node.end_byte() as u32)
}

fn text_of<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or("")
}

/// The children of a node that are no comments.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let all: Vec<Node<'_>> = node.children(&mut cursor).collect();
    all.into_iter().filter(|child| !child.is_extra()).collect()
}
