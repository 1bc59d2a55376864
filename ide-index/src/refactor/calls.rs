//! Calls as the grammars have them, and pieces of code at another depth.

use ide_model::TextRange;

use super::draft::Piece;
use super::tree::{NodeId, Syntax};
use crate::world::FileId;

/// Whether a node is the object of the method that it stands in.
pub(super) fn is_this(syntax: &Syntax, id: NodeId) -> bool {
    let this = syntax.shape.this;
    if this == "$this" {
        return syntax.kind(id) == "variable_name" && syntax.text_of(id) == this;
    }
    syntax.is_in(id, this)
}

/// The range of the callee's name.
pub(super) fn callee_name(syntax: &Syntax, call: NodeId) -> Option<TextRange> {
    let callee = ["name", "function", "constructor", "type"]
        .iter()
        .find_map(|field| syntax.field(call, field))
        .or_else(|| syntax.named(call).next())?;
    let callee = match syntax.kind(callee) {
        "generic_function" => syntax.field(callee, "function")?,
        _ => callee,
    };
    let member =
        ["property", "field", "attribute", "name"].iter().find_map(|field| syntax.field(callee, field));
    let member = member.or_else(|| {
        (syntax.kind(callee) == "navigation_expression").then(|| syntax.named(callee).last()).flatten()
    });
    Some(syntax.range(member.unwrap_or(callee)))
}

/// Whether what is written like a call makes a value of the function and does not call it: `f(...)` in PHP.
pub(super) fn is_callable_value(syntax: &Syntax, call: NodeId) -> bool {
    let list = syntax.field(call, "arguments");
    list.is_some_and(|list| {
        syntax.below(list).into_iter().take(3).any(|id| syntax.kind(id) == "variadic_placeholder")
    })
}

/// The expression before the dot of a call.
pub(super) fn object_of(syntax: &Syntax, call: NodeId) -> Option<NodeId> {
    let direct = ["object", "scope"].iter().find_map(|field| syntax.field(call, field));
    let callee = || syntax.field(call, "function").or_else(|| syntax.named(call).next());
    direct.or_else(|| {
        let callee = callee()?;
        let inner = ["object", "operand", "value"].iter().find_map(|field| syntax.field(callee, field));
        inner.or_else(|| {
            (syntax.kind(callee) == "navigation_expression").then(|| syntax.named(callee).next()).flatten()
        })
    })
}

/// The lambda that stands behind a call and is its last argument. Behind brackets grammars read it as another call.
pub(super) fn lambda_behind(syntax: &Syntax, call: NodeId) -> Option<NodeId> {
    let lambda = |of| syntax.named(of).find(|id| syntax.kind(*id) == "annotated_lambda");
    let around = || syntax.parent(call).filter(|id| syntax.named(*id).next() == Some(call));
    lambda(call).or_else(|| around().filter(|id| syntax.named(*id).count() == 2).and_then(lambda))
}

/// An argument without its name.
pub(super) fn split_argument(syntax: &Syntax, argument: NodeId) -> (Option<String>, NodeId) {
    let kind = syntax.kind(argument);
    if kind == "keyword_argument" || kind == "argument" || kind == "value_argument" {
        let named: Vec<NodeId> = syntax.named(argument).collect();
        let value = *named.last().unwrap_or(&argument);
        let name =
            named.first().filter(|first| **first != value).map(|name| syntax.text_of(*name).to_owned());
        return (name, value);
    }
    (None, argument)
}

/// Moves the lines of pieces from one indentation to another.
pub(super) fn reindent(
    syntax: &Syntax,
    pieces: Vec<Piece>,
    file: FileId,
    from: &str,
    to: &str,
) -> Vec<Piece> {
    let mut out = Vec::new();
    for piece in pieces {
        let Piece::Old(of, range) = piece else {
            out.push(piece);
            continue;
        };
        if of != file || from == to {
            out.push(piece);
            continue;
        }
        let mut at = range.start;
        while let Some(found) = syntax.slice(TextRange::new(at, range.end)).find('\n') {
            let line = at + found as u32 + 1;
            let in_text = syntax.ancestors(syntax.around(TextRange::new(line, line))).any(|id| {
                syntax.is_in(id, syntax.shape.strings)
                    && syntax.range(id).start < line
                    && line < syntax.range(id).end
            });
            let rest = syntax.slice(TextRange::new(line, range.end));
            let is_blank = rest.starts_with('\n') || rest.starts_with("\r\n");
            out.push(Piece::Old(file, TextRange::new(at, line)));
            at = line;
            if !in_text && !is_blank && rest.starts_with(from) {
                out.push(Piece::new(to));
                at += from.len() as u32;
            }
        }
        out.push(Piece::Old(file, TextRange::new(at, range.end)));
    }
    out.retain(|piece| match piece {
        Piece::New(text) => !text.is_empty(),
        Piece::Old(_, range) => !range.is_empty(),
        Piece::Name(_) | Piece::Word(_) => true,
    });
    out
}

/// The lines of a comment from the tag at a name up to the next one, where it stands on lines of its own.
pub(super) fn paragraph(syntax: &Syntax, doc: TextRange, name: TextRange) -> Option<TextRange> {
    let start = syntax.line_start(name.start);
    let says = |line: &str| line.trim_start_matches([' ', '\t', '*']).trim().to_owned();
    let mut lines = syntax.slice(TextRange::new(start, doc.end)).split_inclusive('\n');
    let first = lines.next().filter(|line| says(line).starts_with('@') && line.ends_with('\n'))?;
    let more = lines.take_while(|line| {
        line.ends_with('\n') && !says(line).is_empty() && !says(line).starts_with(['@', '/'])
    });
    let length = first.len() + more.map(str::len).sum::<usize>();
    let range = TextRange::new(start, start + length as u32);
    (!syntax.slice(range).contains("/*") && !syntax.slice(range).contains("*/")).then_some(range)
}

/// The argument for a parameter that a call does not care for: a literal that means the same everywhere.
pub(super) fn said_for_default(syntax: &Syntax, param: NodeId) -> Option<String> {
    let said = syntax.shape.left_out;
    if !said.is_empty() {
        return Some(said.to_owned());
    }
    let value = syntax.field(param, "default_value")?;
    let is_literal =
        syntax.is_in(value, syntax.shape.literals) && !syntax.text_of(value).contains(['$', '{']);
    let is_empty = ["[]", "array()"].contains(&syntax.text_of(value));
    (is_literal || is_empty).then(|| syntax.text_of(value).to_owned())
}
