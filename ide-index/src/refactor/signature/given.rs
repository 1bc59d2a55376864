//! The arguments of a call, and which parameter takes each.

use ide_model::TextRange;

use super::super::calls::{lambda_behind, split_argument};
use super::super::draft::Piece;
use super::super::scene::Refused;
use super::super::tree::{NodeId, Syntax, has};
use super::Job;
use super::constructors::list_of;
use super::written::{Form, Written};
use crate::world::FileId;

/// The arguments of a call.
pub(super) struct Given {
    /// Between the brackets; where they would stand when there are none.
    pub(super) range: TextRange,
    /// The call has nothing but a lambda behind it.
    pub(super) is_bare: bool,
    /// The object of a method that is called by its type: `T::run(object, 1)`.
    pub(super) object: Option<NodeId>,
    /// The parameter that a lambda behind the call is for.
    pub(super) behind: Option<usize>,
    /// The arguments for each parameter, with whether they are named.
    pub(super) values: Vec<Vec<(bool, NodeId)>>,
}

/// One new argument of a call, or one that the call leaves out.
pub(super) struct Argument<'c> {
    pub(super) name: &'c str,
    pub(super) is_named: bool,
    pub(super) form: Form,
    pub(super) value: Option<Piece>,
    /// The text that stands for one that is left out.
    pub(super) said: Option<&'c str>,
    /// Arguments behind it are named.
    pub(super) ends_list: bool,
}

/// The sign between the name of an argument and its value.
pub(super) fn mark_of(syntax: &Syntax) -> &'static str {
    match syntax.shape {
        shape if shape.by_indent => "=",
        shape if shape.sigil == "$" => ": ",
        _ => " = ",
    }
}

/// Arguments as a call may have them: none without a name behind one with a name or behind one that is left out. `None` where
/// that cannot be written.
pub(super) fn in_order(
    mut all: Vec<Argument<'_>>,
    (can_name, is_alone): (bool, bool),
    mark: &str,
) -> Option<Vec<Vec<Piece>>> {
    // The names of others that override it may be other ones.
    let says_names = is_alone && all.iter().any(|argument| argument.is_named);
    let is_plain = |argument: &Argument<'_>| argument.value.is_some() && !argument.is_named;
    let closes = |argument: &Argument<'_>| argument.is_named || argument.value.is_none();
    let first = all.iter().position(|argument| closes(argument) || argument.ends_list);
    let last = all.iter().rposition(is_plain);
    if let (Some(first), Some(last)) = (first, last)
        && first < last
        && all[first..last].iter().any(closes)
    {
        let can_leave =
            all[first..last].iter().all(|argument| argument.value.is_some() || argument.said.is_some());
        if !can_name && can_leave {
            for argument in &mut all[first..last] {
                argument.is_named = false;
                argument.value = argument.value.take().or_else(|| argument.said.map(Piece::new));
            }
        } else if !can_name && !says_names {
            return None;
        }
    }
    let (mut items, mut by_name) = (Vec::new(), false);
    for argument in all {
        let Some(value) = argument.value else {
            by_name = true;
            continue;
        };
        by_name |= argument.is_named;
        if by_name && argument.form == Form::ByPlace {
            return None;
        }
        let lead = by_name.then(|| Piece::new(format!("{}{mark}", argument.name)));
        items.push(lead.into_iter().chain([value]).collect());
        by_name |= argument.ends_list;
    }
    Some(items)
}

/// Whether a text means the same value in every language and at every place: `1`, `true`, `null`, `"a"`.
pub(super) fn is_plain_literal(text: &str) -> bool {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_number = text.starts_with(|c: char| c.is_ascii_digit())
        && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    is_number
        || matches!(text, "true" | "false" | "null")
        || inner.is_some_and(|inner| !inner.contains(['"', '\\', '$', '\n']))
}

impl Job<'_> {
    /// Reads the arguments of a call.
    pub(super) fn given(&self, file: FileId, call: NodeId, old: &Written) -> Result<Given, Refused> {
        let scene = &self.scenes[&file];
        let syntax = &scene.syntax;
        let at = syntax.range(call);
        let list = list_of(syntax, call).filter(|id| syntax.text_of(*id).starts_with('('));
        let lambda = lambda_behind(syntax, call);
        let behind = lambda.and_then(|_| old.params.len().checked_sub(1));
        let callee = || syntax.named(call).take_while(|id| Some(*id) != lambda).last();
        let range = match (list, behind.and_then(|_| callee())) {
            (Some(list), _) => TextRange::new(syntax.range(list).start + 1, syntax.range(list).end - 1),
            (None, Some(callee)) => TextRange::new(syntax.range(callee).end, syntax.range(callee).end),
            (None, None) => return scene.form("the call has no list of arguments", at),
        };
        let vararg = old.params.iter().position(|param| param.is_vararg);
        let mut values: Vec<Vec<(bool, NodeId)>> = vec![Vec::new(); old.params.len()];
        let (mut next, mut is_past) = (0, false);
        let by_type = syntax.field(call, "function").is_some_and(|id| syntax.kind(id) == "scoped_identifier");
        let all: Vec<NodeId> = list.map_or(Vec::new(), |list| syntax.named(list).collect());
        let object = all.first().copied().filter(|_| by_type && !old.fixed.is_empty());
        for argument in all.into_iter().filter(|id| Some(*id) != object) {
            let (name, value) = split_argument(syntax, argument);
            if has(
                "spread_element list_splat dictionary_splat variadic_unpacking variadic_argument spread_expression",
                syntax.kind(value),
            ) {
                return scene.form(
                    "its arguments are spread from a list, so their places are not known",
                    syntax.range(value),
                );
            }
            let place = match &name {
                Some(name) => old.params.iter().position(|param| param.name == *name),
                None if is_past => Some(next),
                None => Some(vararg.map_or(next, |vararg| next.min(vararg))),
            };
            let Some(place) = place.filter(|place| *place < values.len() && Some(*place) != behind) else {
                return scene.form("this argument has no parameter", syntax.range(value));
            };
            values[place].push((name.is_some(), value));
            next = place + 1;
            is_past |= name.is_some() && vararg.is_some_and(|vararg| place >= vararg);
        }
        let start = object.map_or(range.start, |object| syntax.range(object).end);
        Ok(Given { range: TextRange::new(start, range.end), is_bare: list.is_none(), object, behind, values })
    }
}
