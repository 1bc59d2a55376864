//! The body of a function takes the place of a call.

use ide_model::TextRange;

use super::super::calls::reindent;
use super::super::draft::{Draft, Piece};
use super::super::flow::Flow;
use super::super::scene::{Refused, Scene};
use super::super::tree::{NodeId, PROLONGED, QUOTES, SPELLED_OUT, Syntax, has};
use super::Function;
use super::branches::Run;
use super::leaving::result_of;
use super::site::{Site, Takes};
use super::substitution::{Given, Substitution, Taken};

/// Whether a place in a text takes a name as it is, and other values in brackets: `"$name"`.
pub(super) fn takes_name_only(syntax: &Syntax, place: TextRange) -> bool {
    let node = syntax.around(place);
    let in_text =
        syntax.ancestors(node).take(2).any(|id| has("interpolation string_content", syntax.kind(id)));
    in_text && syntax.text[..place.start as usize].ends_with('$')
}

/// The switch whose value a call is, in a rule by itself: `case 1 -> call();`.
fn switch_of_rule(syntax: &Syntax, call: NodeId) -> Option<NodeId> {
    let statement = syntax.parent(call).filter(|id| syntax.kind(*id) == syntax.shape.expression_statement)?;
    let rule = syntax.parent(statement).filter(|id| syntax.kind(*id) == "switch_rule")?;
    let switch = syntax.ancestors(rule).find(|id| syntax.kind(*id) == "switch_expression")?;
    let is_run = syntax.is_statement(switch)
        || syntax.shape.wraps.iter().any(|wrap| syntax.stands_in(switch, wrap.place))
        || syntax
            .parent(switch)
            .is_some_and(|up| has("expression_statement labeled_statement", syntax.kind(up)));
    (!is_run).then_some(switch)
}

/// The type to which the value of a call is converted in its place, as it is written: that of the function which returns it or
/// of the variable which it is the first value of.
fn converted_to<'s>(scene: &'s Scene<'_>, call: NodeId) -> Option<&'s str> {
    let syntax = &scene.syntax;
    let mut value = call;
    while let Some(switch) = switch_of_rule(syntax, value) {
        value = switch;
    }
    let up = syntax.parent(value)?;
    match syntax.kind(up) {
        "return_statement" => Some(syntax.slice(result_of(scene, syntax.function_of(value)?)?)),
        "variable_declarator" => Some(syntax.text_of(syntax.field(syntax.parent(up)?, "type")?)),
        _ => None,
    }
}

impl Function<'_> {
    /// Puts the body in the place of a call.
    pub(super) fn put(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        mut substitution: Substitution,
        draft: &mut Draft,
        taken: &mut Taken,
    ) -> Result<(), Refused> {
        let (syntax, home) = (&scene.syntax, &self.home.syntax);
        self.check_chains(scene, call, &substitution)?;
        let is_value = self.body.statements.is_empty() && substitution.bindings.is_empty();
        // Where values that are only run are marked, a bare one at the end of a block is what the block gives.
        let is_run = syntax.is_statement(call) && !syntax.shape.block_value
            || syntax.parent(call).is_some_and(|p| syntax.kind(p) == syntax.shape.expression_statement);
        let is_run = is_run && switch_of_rule(syntax, call).is_none();
        match self.body.value.filter(|value| is_value && (!is_run || home.is_in(*value, home.shape.effects)))
        {
            Some(value) => {
                self.check_result(scene, call, value)?;
                if syntax.is_in_quotes(call) && home.text_of(value).contains(QUOTES) {
                    return scene.form("its value cannot stand inside of a text", syntax.range(call));
                }
                if syntax.is_spelled_out(call) {
                    return scene.form(SPELLED_OUT, syntax.range(call));
                }
                let pieces = self.value_pieces(scene, call, value, &substitution, is_run);
                self.replace(scene, syntax.range(call), pieces, draft)
            }
            None => self.put_statements(scene, call, &mut substitution, draft, taken),
        }
    }

    /// Refuses a chain that may end early where more would be reached through it.
    fn check_chains(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        substitution: &Substitution,
    ) -> Result<(), Refused> {
        let home = &self.home.syntax;
        let offset = usize::from(self.has_self_parameter());
        let arguments = self.params[offset..].iter().map(|param| &param.uses).zip(&substitution.arguments);
        let object = if offset == 1 { &self.params[0].uses } else { &self.this };
        for (uses, given) in arguments.chain(substitution.object.iter().map(|given| (object, given))) {
            let (of, value) = match given {
                Given::Value(id) => (&scene.syntax, *id),
                Given::Default(id) => (home, *id),
                Given::Name(_) | Given::Type(_) => continue,
            };
            let place = |range: &TextRange| {
                let node = home.around(*range);
                home.parent(node).filter(|up| home.kind(*up) == "variable_name").unwrap_or(node)
            };
            if uses.iter().any(|range| home.prolongs_chain(place(range), of, value)) {
                return scene.form(PROLONGED, of.range(value));
            }
        }
        match self.body.value {
            Some(value) if scene.syntax.prolongs_chain(call, home, value) => {
                scene.form(PROLONGED, scene.syntax.range(call))
            }
            _ => Ok(()),
        }
    }

    /// The value of the body at a call.
    fn value_pieces(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        value: NodeId,
        substitution: &Substitution,
        is_run: bool,
    ) -> Vec<Piece> {
        let home = &self.home.syntax;
        let mut pieces = self.substituted(scene, home.range(value), substitution);
        // A body that only gives back a parameter is the argument.
        let offset = usize::from(self.has_self_parameter());
        let is_all = |uses: &Vec<TextRange>| uses.contains(&home.range(value));
        let param = self.params[offset..].iter().position(|param| is_all(&param.uses));
        let (of, value) = match param.and_then(|at| substitution.arguments.get(at)) {
            Some(Given::Value(id)) => (&scene.syntax, *id),
            Some(Given::Default(id)) => (home, *id),
            _ => (home, value),
        };
        if scene.syntax.needs_brackets(call, of, value) && !is_run {
            pieces.insert(0, Piece::new("("));
            pieces.push(Piece::new(")"));
        }
        pieces
    }

    fn replace(
        &self,
        scene: &Scene<'_>,
        range: TextRange,
        pieces: Vec<Piece>,
        draft: &mut Draft,
    ) -> Result<(), Refused> {
        if draft.touches(scene.file, range) {
            return scene
                .form("a call is the argument of another one; inline them one after the other", range);
        }
        draft.replace(scene.file, range, pieces);
        Ok(())
    }

    /// The pieces of a part of the body with what the call gives in the place of parameters.
    pub(super) fn substituted(
        &self,
        scene: &Scene<'_>,
        part: TextRange,
        substitution: &Substitution,
    ) -> Vec<Piece> {
        let syntax = &self.home.syntax;
        let offset = usize::from(self.has_self_parameter());
        let mut places: Vec<(TextRange, Given)> = Vec::new();
        if let Some(object) = &substitution.object {
            let own = if offset == 1 { &self.params[0].uses } else { &self.this };
            let named = self.receiver_parameter().unwrap_or_default();
            places.extend(own.iter().chain(&named).map(|range| (*range, object.clone())));
            let implied = self.implied_places(scene, object).into_iter();
            places.extend(implied.map(|range| (TextRange::new(range.start, range.start), object.clone())));
        }
        for (param, given) in self.params[offset..].iter().zip(&substitution.arguments) {
            places.extend(param.uses.iter().map(|range| (*range, given.clone())));
        }
        places.extend(substitution.renamed.iter().map(|(range, name)| (*range, Given::Name(name.clone()))));
        places.extend(self.owners(scene).into_iter().map(|(range, owner)| (range, Given::Type(owner))));
        places.retain(|(range, _)| part.encloses(*range));
        places.sort_by_key(|(range, _)| (range.start, range.end));
        places.dedup_by_key(|(range, _)| *range);
        let mut pieces = Vec::new();
        let mut at = part.start;
        for (range, given) in places {
            if range.is_empty() {
                pieces.push(Piece::Old(self.home.file, TextRange::new(at, range.start)));
                pieces.push(self.piece_of(scene, &given));
                pieces.push(Piece::new("."));
                at = range.start;
                continue;
            }
            let mut node = syntax.around(range);
            if syntax.parent(node).is_some_and(|parent| syntax.kind(parent) == "variable_name") {
                node = syntax.parent(node).unwrap_or(node);
            }
            // A name in the text of a literal, as in `"{total}"`, is no node of its own.
            let in_text = syntax.is_in(node, syntax.shape.strings) || syntax.kind(node) == "string_content";
            let place = if in_text { range } else { syntax.range(node) };
            pieces.push(Piece::Old(self.home.file, TextRange::new(at, place.start)));
            let (open, close) = self.brackets(scene, node, &given);
            pieces.push(Piece::new(open));
            pieces.push(self.piece_of(scene, &given));
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

    fn piece_of(&self, scene: &Scene<'_>, given: &Given) -> Piece {
        match given {
            Given::Value(id) => Piece::Old(scene.file, scene.syntax.range(*id)),
            Given::Default(id) => Piece::Old(self.home.file, self.home.syntax.range(*id)),
            Given::Name(name) => Piece::New(format!("{}{name}", scene.syntax.shape.sigil)),
            Given::Type(name) => Piece::new(name),
        }
    }

    /// The brackets around the text that takes the place of a name.
    fn brackets(&self, scene: &Scene<'_>, place: NodeId, given: &Given) -> (String, String) {
        let syntax = &self.home.syntax;
        let around = |open: &str, close: &str| (open.to_owned(), close.to_owned());
        let (of, value) = match given {
            Given::Value(id) => (&scene.syntax, Some(*id)),
            Given::Default(id) => (syntax, Some(*id)),
            Given::Name(_) | Given::Type(_) => (&scene.syntax, None),
        };
        if has(SHORTHAND, syntax.kind(place))
            || has("shorthand_field_initializer", syntax.parent(place).map_or("", |up| syntax.kind(up)))
        {
            return (format!("{}: ", syntax.text_of(place)), String::new());
        }
        if takes_name_only(syntax, syntax.range(place)) {
            let is_name = value.is_none_or(|value| of.kind(value) == "identifier");
            return if is_name { around("", "") } else { around("{", "}") };
        }
        match value {
            Some(value) if syntax.needs_brackets(place, of, value) => around("(", ")"),
            _ => around("", ""),
        }
    }

    /// The places of the named object of a method that is written beside its type.
    pub(super) fn receiver_parameter(&self) -> Option<Vec<TextRange>> {
        let syntax = &self.home.syntax;
        let list = syntax.field(self.node, "receiver")?;
        let name = syntax.below(list).into_iter().find(|id| syntax.node(*id).field == "name")?;
        let view = &self.home.view;
        let flow = self.home.ctx.pool.with(|rx| Flow::of(rx, view));
        let variable = flow.mentions.iter().find(|m| m.range == syntax.range(name))?.variable;
        Some(flow.of_variable(variable).filter(|m| !m.declares).map(|m| m.range).collect())
    }

    /// The value must have the type that the function said.
    fn check_result(&self, scene: &Scene<'_>, call: NodeId, value: NodeId) -> Result<(), Refused> {
        let home = &self.home.syntax;
        let Some(ty) = self.result_type().filter(|_| !home.shape.by_indent) else { return Ok(()) };
        if converted_to(scene, call).is_some_and(|converted| converted == ty) {
            return Ok(());
        }
        let own = self.home.type_of(value);
        let numbers = "byte short char int long float double Long Float Double float32 float64 int64 uint";
        let literal = home.is_in(value, home.shape.literals);
        let adapts = has(
            "lambda_expression method_reference null_literal arrow_function object array array_initializer null",
            home.kind(value),
        ) || home.text_of(value).contains("<>");
        if (has(numbers, ty) && own.as_deref() != Some(ty) && (own.is_some() || literal)) || adapts {
            return scene.form("its result is converted to its declared type", scene.syntax.range(call));
        }
        Ok(())
    }

    /// The statements of the body go before the statement of the call.
    fn put_statements(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        substitution: &mut Substitution,
        draft: &mut Draft,
        taken: &mut Taken,
    ) -> Result<(), Refused> {
        let (syntax, home) = (&scene.syntax, &self.home.syntax);
        let (at, part) = (syntax.range(call), self.body.part);
        let site = Site::of(scene, call, self.body.gives());
        let branches = site.as_ref().filter(|site| !self.ends_with_caller(scene, call, site));
        let branches = branches.and_then(|site| self.branches(site));
        let is_flat = branches.is_some()
            || site.as_ref().is_some_and(|site| self.stands_flat(scene, site, substitution));
        if syntax.shape.block_value && !is_flat {
            return self.put_block(scene, call, substitution, draft, taken);
        }
        let Some(site) = site else {
            let message = "its body has several statements, and the call is neither a statement by itself nor all that \
                one assigns or returns";
            return scene.form(message, at);
        };
        let range = syntax.range(site.statement);
        let value = self.body.value.filter(|value| !site.is_run || home.has_effects(*value));
        if self.body.statements.is_empty()
            && value.is_none()
            && substitution.bindings.is_empty()
            && site.wrap.is_none()
        {
            draft.replace(scene.file, scene.lines(range), Vec::new());
            return Ok(());
        }
        let line = TextRange::new(syntax.line_start(range.start), range.start);
        if value.is_some() && site.wrap.is_none() && !syntax.slice(line).trim().is_empty() {
            return scene.form("the call shares its lines with other code", at);
        }
        self.rename_locals(scene, call, substitution, taken)?;
        self.check_rounds(scene, call)?;
        let outer = syntax.indent_at(match site.wrap {
            Some(_) => syntax.parent(site.statement).map_or(range.start, |up| syntax.range(up).start),
            None => range.start,
        });
        let to =
            if site.wrap.is_some() { format!("{outer}{}", syntax.indent_unit()) } else { outer.to_owned() };
        self.check_branches(scene, call, &site, branches.as_ref())?;
        let mut pieces = match &branches {
            Some(run) => {
                let mut pieces = Self::new_variables(substitution, &to);
                if !pieces.is_empty() {
                    pieces.push(Piece::new(format!("\n{to}")));
                }
                pieces.extend(self.branch_pieces(scene, call, &site, (run, &*substitution), &to));
                pieces
            }
            None => self.before(scene, substitution, &to),
        };
        if let Some(value) = value {
            self.check_result(scene, call, value)?;
            if !site.is_typed {
                self.check_type(scene, call, value)?;
            }
            // Behind `return` any value may stand.
            let is_returned =
                site.wrap.is_some_and(|wrap| wrap.lead == "return " && syntax.stands_in(call, wrap.place));
            let made = self.value_pieces(scene, call, value, substitution, site.is_run || is_returned);
            let Some(wrap) = site.wrap else {
                pieces.push(Piece::new(format!("\n{to}")));
                draft.insert(scene.file, range.start, pieces);
                return self.replace(scene, at, made, draft);
            };
            pieces.push(Piece::new(format!("\n{to}{}", wrap.lead)));
            pieces.push(Piece::Old(scene.file, TextRange::new(range.start, at.start)));
            pieces.extend(made);
            pieces.push(Piece::Old(scene.file, TextRange::new(at.end, range.end)));
            pieces.push(Piece::new(wrap.tail));
        }
        let is_last = !part.is_empty() && value.is_none() && branches.is_none();
        let rest = syntax.text[range.end as usize..].lines().next().unwrap_or("");
        if let Some(remark) =
            self.body.remark.filter(|_| is_last && (site.wrap.is_some() || rest.trim().is_empty()))
        {
            pieces.push(Piece::Old(self.home.file, remark));
        }
        let ends = home.slice(part).ends_with([';', '}']) || pieces.is_empty();
        let is_ended = ends && syntax.text[range.end as usize..].starts_with(';') && value.is_none();
        let mut from = range.start;
        if let Some(wrap) = site.wrap {
            pieces.insert(0, Piece::new(format!("{{\n{to}")));
            pieces.push(Piece::new(format!("\n{outer}}}")));
            if !wrap.instead_of.is_empty() {
                let before = syntax.text[..from as usize].trim_end();
                from = before.strip_suffix(wrap.instead_of).unwrap_or(before).len() as u32;
            }
        }
        pieces.retain(|piece| !is_nothing(piece));
        self.replace(scene, TextRange::new(from, range.end + u32::from(is_ended)), pieces, draft)
    }

    /// Whether the values of all branches may stand where the call does.
    fn check_branches(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        site: &Site,
        branches: Option<&Run>,
    ) -> Result<(), Refused> {
        for value in branches.into_iter().flat_map(Run::values) {
            self.check_result(scene, call, value)?;
            if matches!(site.takes, Takes::Other) && !site.is_typed {
                self.check_type(scene, call, value)?;
            }
        }
        Ok(())
    }

    /// The new variables and the statements of the body, at an indentation.
    fn before(&self, scene: &Scene<'_>, substitution: &Substitution, to: &str) -> Vec<Piece> {
        let home = &self.home.syntax;
        let mut pieces = Self::new_variables(substitution, to);
        let part = self.body.part;
        if !part.is_empty() {
            if !pieces.is_empty() {
                pieces.push(Piece::new(format!("\n{to}")));
            }
            let from = home.indent_at(part.start).to_owned();
            pieces.extend(reindent(
                home,
                self.substituted(scene, part, substitution),
                self.home.file,
                &from,
                to,
            ));
        }
        pieces
    }

    fn new_variables(substitution: &Substitution, to: &str) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for binding in &substitution.bindings {
            if !pieces.is_empty() {
                pieces.push(Piece::new(format!("\n{to}")));
            }
            pieces.extend(binding.iter().cloned());
        }
        pieces
    }

    /// Whether the body may stand among the statements of the caller although a block could hold it: nothing that it
    /// makes ends with it.
    fn stands_flat(&self, scene: &Scene<'_>, site: &Site, substitution: &Substitution) -> bool {
        let syntax = &scene.syntax;
        if !syntax.shape.block_value {
            return true;
        }
        let flow = self.home.ctx.pool.with(|rx| Flow::of(rx, &self.home.view));
        let own: Vec<_> = flow.within(self.body.part).filter(|m| m.declares).collect();
        let is_plain = |range: TextRange| {
            let ty = self.home.type_of_variable(range);
            ty.is_some_and(|ty| {
                has("u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char", &ty)
            })
        };
        let is_last =
            syntax.parent(site.statement).and_then(|up| syntax.named(up).last()) == Some(site.statement);
        let member = syntax.member_of(site.statement).map(|id| syntax.range(id));
        let clashes = |name: &str| {
            let view = &scene.view;
            member.is_none_or(|around| {
                view.def_ids()
                    .any(|def| around.encloses(view.def(def).name_range) && view.def_name(def) == name)
            })
        };
        substitution.bindings.is_empty()
            && own
                .iter()
                .all(|m| (is_last || is_plain(m.range)) && !clashes(&flow.variables[m.variable].name))
    }

    /// The body takes the place of the call as a block that is a value.
    fn put_block(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        substitution: &mut Substitution,
        draft: &mut Draft,
        taken: &mut Taken,
    ) -> Result<(), Refused> {
        let (syntax, home) = (&scene.syntax, &self.home.syntax);
        let range = syntax.range(call);
        self.rename_locals(scene, call, substitution, taken)?;
        let outer = syntax.indent_at(range.start).to_owned();
        let to = format!("{outer}{}", syntax.indent_unit());
        let mut pieces = vec![Piece::new(format!("{{\n{to}"))];
        let before = self.before(scene, substitution, &to);
        let is_first = before.is_empty();
        pieces.extend(before);
        if let Some(value) = self.body.value {
            self.check_result(scene, call, value)?;
            let made = self.substituted(scene, home.range(value), substitution);
            let from = home.indent_at(home.range(value).start).to_owned();
            if !is_first {
                pieces.push(Piece::new(format!("\n{to}")));
            }
            pieces.extend(reindent(home, made, self.home.file, &from, &to));
        }
        pieces.push(Piece::new(format!("\n{outer}}}")));
        // A block at the beginning of a statement is one by itself.
        let statement = syntax.ancestors(call).find(|id| syntax.is_statement(*id));
        let begins = statement.is_some_and(|id| syntax.range(id).start == range.start && id != call);
        let is_whole =
            syntax.parent(call).is_some_and(|p| syntax.kind(p) == syntax.shape.expression_statement);
        if begins && !is_whole
            || !syntax.stands_in(call, syntax.shape.free) && !is_whole && statement != Some(call)
        {
            pieces.insert(0, Piece::new("("));
            pieces.push(Piece::new(")"));
        }
        self.replace(scene, range, pieces, draft)
    }

    /// Where the variables of a block live as long as the function, a body in a loop finds those of the round before.
    fn check_rounds(&self, scene: &Scene<'_>, call: NodeId) -> Result<(), Refused> {
        let (syntax, home) = (&scene.syntax, &self.home.syntax);
        let function = syntax.function_of(call);
        let mut around = syntax.ancestors(call).take_while(|id| Some(*id) != function);
        let is_repeated = around.any(|id| syntax.is_in(id, syntax.shape.loops));
        let lasts = syntax.shape.by_indent || !syntax.shape.sigil.is_empty();
        let inside = self.body.range(home);
        let all = home.below(self.node).into_iter().filter(|id| inside.encloses(home.range(*id)));
        let mut all = all.filter(|id| {
            let keeps = home.is_in(*id, home.shape.functions) && lasts;
            let is_bare = home.kind(*id) == "variable_declaration"
                && home.named(*id).any(|one| home.field(one, "value").is_none());
            keeps || is_bare
        });
        if is_repeated && let Some(found) = all.next() {
            let text = home.text_of(found).lines().next().unwrap_or("");
            let message =
                format!("the call stands in a loop, and `{text}` would see variables of other rounds");
            return scene.form(message, syntax.range(call));
        }
        if is_repeated
            && !syntax.shape.sigil.is_empty()
            && let Some(name) = self.unset_variable()
        {
            let message =
                format!("the call stands in a loop, and `{name}` would keep its value from round to round");
            return scene.form(message, syntax.range(call));
        }
        Ok(())
    }

    /// A variable of the body that may be read before it is written.
    fn unset_variable(&self) -> Option<String> {
        let home = &self.home.syntax;
        let flow = self.home.ctx.pool.with(|rx| Flow::of(rx, &self.home.view));
        let part = self.body.part;
        let own: Vec<usize> = flow.within(part).filter(|m| m.declares).map(|m| m.variable).collect();
        let is_sure = |variable: usize| {
            let first = flow.of_variable(variable).find(|m| part.encloses(m.range));
            first.is_some_and(|m| {
                let statement = home.ancestors(home.around(m.range)).find(|id| home.is_statement(*id));
                let is_top = statement.is_some_and(|id| self.body.statements.contains(&id));
                let heads_loop = statement.is_some_and(|id| home.is_in(id, home.shape.loops));
                m.writes && !m.reads && (is_top || heads_loop)
            })
        };
        let unsure = own.into_iter().find(|variable| !is_sure(*variable))?;
        Some(flow.variables[unsure].name.to_string())
    }

    /// Where the place of a call takes its type from the value, that must be what the function says.
    fn check_type(&self, scene: &Scene<'_>, call: NodeId, value: NodeId) -> Result<(), Refused> {
        let home = &self.home.syntax;
        let Some(ty) = self.result_type().filter(|_| !home.shape.by_indent) else { return Ok(()) };
        // Names with a sign of their own have no fixed types.
        if !home.shape.sigil.is_empty() || self.home.type_of(value).as_deref() == Some(ty) {
            return Ok(());
        }
        scene.form("its result is converted to its declared type", scene.syntax.range(call))
    }

    /// The type that the function says it gives.
    fn result_type(&self) -> Option<&str> {
        let home = &self.home.syntax;
        let ty = ["return_type", "result", "type"].iter().find_map(|field| home.field(self.node, field))?;
        Some(home.text_of(ty).trim_start_matches(':').trim())
    }
}

fn is_nothing(piece: &Piece) -> bool {
    match piece {
        Piece::New(text) => text.is_empty(),
        Piece::Old(_, range) => range.is_empty(),
        Piece::Name(_) | Piece::Word(_) => false,
    }
}

/// Names that stand for a key and its value.
const SHORTHAND: &str =
    "shorthand_property_identifier shorthand_property_identifier_pattern shorthand_field_identifier";
