//! The body of a function takes the place of a call.

use ide_model::TextRange;

use super::super::calls::reindent;
use super::super::draft::{Draft, Piece};
use super::super::flow::Flow;
use super::super::scene::{Refused, Scene};
use super::super::tree::{NodeId, Syntax, has};
use super::Function;

/// The statement that a call is, or is the only value of.
struct Site {
    statement: NodeId,
    /// Whether nobody asks for the value.
    is_run: bool,
    /// Whether the place of the value has a type of its own.
    is_typed: bool,
}

impl Site {
    /// Where the call stands, when nothing is done in its statement before it is called.
    fn of(syntax: &Syntax, call: NodeId, gives_value: bool) -> Option<Self> {
        let statement = syntax.ancestors(call).find(|id| syntax.is_statement(*id))?;
        let (is_run, is_typed) = (true, true);
        if statement == call {
            // Without a mark a value may be what its block gives.
            return Some(Self { statement, is_run: false, is_typed });
        }
        let mut parent = syntax.parent(call)?;
        if parent == statement && syntax.kind(parent) == syntax.shape.expression_statement {
            return Some(Self { statement, is_run, is_typed });
        }
        let mut value = call;
        if syntax.kind(parent) == "expression_list" && syntax.named(parent).count() == 1 {
            (value, parent) = (parent, syntax.parent(parent)?);
        }
        let of_kind = |kind| syntax.named(statement).filter(|id| syntax.kind(*id) == kind).count();
        let holds = |kind: &str| kind == syntax.shape.expression_statement || kind.ends_with("_declaration");
        let is_held = syntax.parent(parent) == Some(statement) && holds(syntax.kind(statement));
        let is_whole = statement == parent || is_held && of_kind(syntax.kind(parent)) == 1;
        if !is_whole || !gives_value {
            return None;
        }
        let is_run = false;
        if syntax.is_in(parent, syntax.shape.returns) {
            return Some(Self { statement, is_run, is_typed });
        }
        let before = syntax.children(parent).iter().take_while(|id| **id != value);
        let before: Vec<NodeId> = before.copied().filter(|id| !syntax.node(*id).is_extra).collect();
        let mark = syntax.text_of(*before.last()?);
        // PHP writes a new variable like an assignment, and so the table names one for both.
        let is_assigned = syntax.is_in(parent, syntax.shape.assignments);
        let first = before.iter().find(|id| syntax.node(**id).is_named)?;
        if is_assigned && mark == "=" && is_plain_place(syntax.text_of(*first)) {
            return Some(Self { statement, is_run, is_typed });
        }
        let is_declared = !is_assigned && syntax.is_in(parent, syntax.shape.declarators);
        let says_type = |id: NodeId| ["type", "type_annotation"].contains(&syntax.node(id).field);
        let named = || syntax.children(parent).iter().chain(syntax.children(statement)).copied();
        let is_typed = named().any(|id| says_type(id) && syntax.text_of(id) != "var");
        (is_declared && ["=", ":="].contains(&mark)).then_some(Self { statement, is_run, is_typed })
    }
}

/// Whether what is assigned to is a variable, or a member of one: nothing that is worked out first.
fn is_plain_place(text: &str) -> bool {
    let words = text.replace("->", ".").replace("::", ".");
    words.matches('.').count() < 2 && words.chars().all(|c| c.is_alphanumeric() || "_$.".contains(c))
}

/// Whether a place in a text takes a name as it is, and other values in brackets: `"$name"`.
pub(super) fn takes_name_only(syntax: &Syntax, place: TextRange) -> bool {
    let node = syntax.around(place);
    let in_text =
        syntax.ancestors(node).take(2).any(|id| has("interpolation string_content", syntax.kind(id)));
    in_text && syntax.text[..place.start as usize].ends_with('$')
}

impl Function<'_> {
    /// Puts the body in the place of a call.
    pub(super) fn put(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        arguments: &[NodeId],
        receiver: Option<NodeId>,
        draft: &mut Draft,
    ) -> Result<(), Refused> {
        match self.body.value.filter(|_| self.body.statements.is_empty()) {
            Some(value) => self.put_value(scene, call, value, arguments, receiver, draft),
            None => self.put_statements(scene, call, arguments, receiver, draft),
        }
    }

    /// The pieces of a part of the body with arguments in the place of parameters.
    fn substituted(
        &self,
        scene: &Scene<'_>,
        part: TextRange,
        arguments: &[NodeId],
        receiver: Option<NodeId>,
    ) -> Vec<Piece> {
        let syntax = &self.home.syntax;
        let offset = usize::from(self.has_self_parameter());
        let mut places: Vec<(TextRange, NodeId)> = Vec::new();
        if let Some(receiver) = receiver {
            let own = if offset == 1 { &self.params[0].uses } else { &self.this };
            places.extend(own.iter().map(|range| (*range, receiver)));
            let implied = self.implied_places(scene, receiver).into_iter();
            places.extend(implied.map(|range| (TextRange::new(range.start, range.start), receiver)));
            if let Some(name) = self.receiver_parameter() {
                places.extend(name.into_iter().map(|range| (range, receiver)));
            }
        }
        for (param, value) in self.params[offset..].iter().zip(arguments) {
            places.extend(param.uses.iter().map(|range| (*range, *value)));
        }
        places.retain(|(range, _)| part.encloses(*range));
        places.sort_by_key(|(range, _)| range.start);
        let mut pieces = Vec::new();
        let mut at = part.start;
        for (range, value) in places {
            if range.is_empty() {
                pieces.push(Piece::Old(self.home.file, TextRange::new(at, range.start)));
                pieces.push(Piece::Old(scene.file, scene.syntax.range(value)));
                pieces.push(Piece::new("."));
                at = range.start;
                continue;
            }
            let mut node = syntax.around(range);
            if syntax.parent(node).is_some_and(|parent| syntax.kind(parent) == "variable_name") {
                node = syntax.parent(node).unwrap_or(node);
            }
            let place = syntax.range(node);
            pieces.push(Piece::Old(self.home.file, TextRange::new(at, place.start)));
            let (open, close) = match takes_name_only(syntax, place) {
                true if scene.syntax.kind(value) == "identifier" => ("", ""),
                true => ("{", "}"),
                false if syntax.needs_brackets(node, &scene.syntax, value) => ("(", ")"),
                false => ("", ""),
            };
            pieces.push(Piece::new(open));
            pieces.push(Piece::Old(scene.file, scene.syntax.range(value)));
            pieces.push(Piece::new(close));
            at = place.end;
        }
        pieces.push(Piece::Old(self.home.file, TextRange::new(at, part.end)));
        pieces.retain(|piece| match piece {
            Piece::New(text) => !text.is_empty(),
            Piece::Old(_, range) => !range.is_empty(),
            Piece::Name(_) | Piece::Word(_) => true,
        });
        pieces
    }

    /// The places of the named object of a method that is written beside its type.
    fn receiver_parameter(&self) -> Option<Vec<TextRange>> {
        let syntax = &self.home.syntax;
        let list = syntax.field(self.node, "receiver")?;
        let name = syntax.below(list).into_iter().find(|id| syntax.node(*id).field == "name")?;
        let view = &self.home.view;
        let flow = self.home.shop.pool.with(|rx| Flow::of(rx, view));
        let variable = flow.mentions.iter().find(|m| m.range == syntax.range(name))?.variable;
        Some(flow.of_variable(variable).filter(|m| !m.declares).map(|m| m.range).collect())
    }

    /// The value of the body takes the place of the call.
    fn put_value(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        value: NodeId,
        arguments: &[NodeId],
        receiver: Option<NodeId>,
        draft: &mut Draft,
    ) -> Result<(), Refused> {
        let syntax = &scene.syntax;
        let home = &self.home.syntax;
        // Where values that are only run are marked, a bare one at the end of a block is what the block gives.
        let is_run = |id| syntax.is_statement(id) && syntax.shape.this != "self";
        let is_statement = is_run(call)
            || syntax.parent(call).is_some_and(|p| syntax.kind(p) == syntax.shape.expression_statement);
        if is_statement && !home.is_in(value, home.shape.effects) {
            return scene
                .form("its value is not used here, and could not stand as a statement", syntax.range(call));
        }
        self.check_result(scene, call, value)?;
        let mut pieces = self.substituted(scene, home.range(value), arguments, receiver);
        if syntax.needs_brackets(call, home, value) && !is_statement {
            pieces.insert(0, Piece::new("("));
            pieces.push(Piece::new(")"));
        }
        let range = syntax.range(call);
        if draft.touches(scene.file, range) {
            return scene
                .form("a call is the argument of another one; inline them one after the other", range);
        }
        draft.replace(scene.file, range, pieces);
        Ok(())
    }

    /// The value must have the type that the function said.
    fn check_result(&self, scene: &Scene<'_>, call: NodeId, value: NodeId) -> Result<(), Refused> {
        let home = &self.home.syntax;
        let Some(ty) = self.result_type().filter(|_| !home.shape.by_indent) else { return Ok(()) };
        let own = self.home.type_of(value);
        let numbers = "byte short char int long float double Long Float Double float32 float64 int64 uint";
        let literal = home.is_in(value, home.shape.literals);
        let adapts = has(
            "lambda_expression method_reference null_literal arrow_function object array array_initializer null",
            home.kind(value),
        ) || home.text_of(value).contains("<>");
        if (has(numbers, ty) && own.as_deref() != Some(ty) && (own.is_some() || literal)) || adapts {
            return scene.form("its result is converted to the type that it says", scene.syntax.range(call));
        }
        Ok(())
    }

    /// The statements of the body go before the statement that the call is the only value of.
    fn put_statements(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        arguments: &[NodeId],
        receiver: Option<NodeId>,
        draft: &mut Draft,
    ) -> Result<(), Refused> {
        let (syntax, home) = (&scene.syntax, &self.home.syntax);
        let (at, part) = (syntax.range(call), self.body.part);
        let Some(site) = Site::of(syntax, call, self.body.value.is_some()) else {
            let message = "its body has several statements, and the call is neither a statement by itself nor all that \
                one assigns or returns";
            return scene.form(message, at);
        };
        let range = syntax.range(site.statement);
        let value = self.body.value.filter(|value| !site.is_run || home.has_effects(*value));
        if self.body.statements.is_empty() && value.is_none() {
            draft.replace(scene.file, scene.lines(range), Vec::new());
            return Ok(());
        }
        let line = TextRange::new(syntax.line_start(range.start), range.start);
        if value.is_some() && !syntax.slice(line).trim().is_empty() {
            return scene.form("the call shares its lines with other code", at);
        }
        self.check_locals(scene, call, part)?;
        let from = home.indent_at(part.start).to_owned();
        let to = syntax.indent_at(range.start).to_owned();
        let pieces = self.substituted(scene, part, arguments, receiver);
        let mut pieces = reindent(&self.home.syntax, pieces, self.home.file, &from, &to);
        if let Some(value) = value {
            if !site.is_typed {
                self.check_type(scene, call, value)?;
            }
            pieces.push(Piece::new(format!("\n{to}")));
            draft.insert(scene.file, range.start, pieces);
            return self.put_value(scene, call, value, arguments, receiver, draft);
        }
        let ends = home.slice(part).ends_with([';', '}']);
        let is_ended = ends && syntax.text[range.end as usize..].starts_with(';');
        draft.replace(scene.file, TextRange::new(range.start, range.end + u32::from(is_ended)), pieces);
        Ok(())
    }

    /// Where the place of a call takes its type from the value, that must be what the function says.
    fn check_type(&self, scene: &Scene<'_>, call: NodeId, value: NodeId) -> Result<(), Refused> {
        let home = &self.home.syntax;
        let Some(ty) = self.result_type().filter(|_| !home.shape.by_indent) else { return Ok(()) };
        // Where names have a sign of their own their types are not fixed.
        if !home.shape.sigil.is_empty() || self.home.type_of(value).as_deref() == Some(ty) {
            return Ok(());
        }
        scene.form("its result is converted to the type that it says", scene.syntax.range(call))
    }

    /// The type that the function says it gives.
    fn result_type(&self) -> Option<&str> {
        let home = &self.home.syntax;
        let ty = ["return_type", "result", "type"].iter().find_map(|field| home.field(self.node, field))?;
        Some(home.text_of(ty).trim_start_matches(':').trim())
    }

    /// Variables of the body must not meet those of the caller.
    fn check_locals(&self, scene: &Scene<'_>, call: NodeId, part: TextRange) -> Result<(), Refused> {
        let flow = self.home.shop.pool.with(|rx| Flow::of(rx, &self.home.view));
        let own: Vec<&str> =
            flow.within(part).filter(|m| m.declares).map(|m| &*flow.variables[m.variable].name).collect();
        if own.is_empty() {
            return Ok(());
        }
        let Some(member) = scene.syntax.member_of(call) else {
            return scene.form("its variables would be seen outside of a function", scene.syntax.range(call));
        };
        let around = scene.syntax.range(member);
        let view = &scene.view;
        let clash = view
            .def_ids()
            .find(|def| around.encloses(view.def(*def).name_range) && own.contains(&view.def_name(*def)));
        if let Some(clash) = clash {
            let message = format!("both it and the caller have a variable `{}`", view.def_name(clash));
            return scene.form(message, scene.syntax.range(call));
        }
        let name = self.home.view.def_name(self.def.def);
        let again = view
            .ref_ids()
            .filter(|r| view.ref_name(*r) == name && around.encloses(view.reference(*r).range))
            .count();
        if again > 1 {
            return scene
                .form("its variables would be declared twice in this function", scene.syntax.range(call));
        }
        Ok(())
    }
}
