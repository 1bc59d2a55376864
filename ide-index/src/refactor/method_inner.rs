//! A function inside of the one that it is taken out of: it sees all variables there, and is told nothing.

use super::draft::{Draft, Piece};
use super::extract_method::Job;
use super::inference::{takes_type_from_place, widens};
use super::method_site::{Exit, Receiver};
use super::narrowing::told_before;
use super::types::TypeWriter;

impl Job<'_> {
    /// The change, where the part may stand in a function right before its statement.
    pub(super) fn write_inner(&self) -> Option<(Draft, Vec<String>)> {
        let (scene, syntax, writing) = (self.scene, &self.scene.syntax, self.writing);
        let first = self.part.nodes[0];
        let anchor = syntax
            .ancestors(first)
            .take_while(|id| *id != self.part.function)
            .find(|id| syntax.is_statement(*id))?;
        let exit = self.exit().ok()?;
        let anchored = syntax.range(anchor);
        let gives_one = match &self.crossing.results[..] {
            [] => true,
            [one] => one.is_inner && !one.is_written_after,
            _ => false,
        };
        let is_plain = gives_one
            && self.crossing.inputs.iter().all(|input| {
                let is_constant = !self.flow.of_variable(input.variable).any(|m| m.writes && !m.declares);
                is_constant && !anchored.encloses(input.declared)
            });
        let said = self.said_result(&exit);
        let is_literal = |value| !syntax.shape.declare_typed.is_empty() && widens(syntax, value);
        let tells = scene.ctx.pool.with(|rx| {
            let types = TypeWriter { ctx: scene.ctx, rx, file: &scene.view, syntax };
            let gives_untyped = match &exit {
                Exit::Value(value) => takes_type_from_place(&types, *value) || is_literal(*value),
                Exit::Return { has_value: true } if said.is_empty() => {
                    let inside = self.part.nodes.iter().flat_map(|id| syntax.run_by(*id));
                    let given = inside.filter(|id| syntax.is_in(*id, syntax.shape.returns));
                    given.flat_map(|id| syntax.named(id)).any(|value| takes_type_from_place(&types, value))
                }
                _ => false,
            };
            gives_untyped || told_before(&types, self.part.range, self.part.function).is_some()
        });
        if writing.inner.is_empty() || !is_plain || tells {
            return None;
        }
        let is_async = self.waits();
        let indent = syntax.indent_at(anchored.start).to_owned();
        let result = if said.is_empty() { said } else { writing.result.replace("{type}", &said) };
        let head = writing
            .inner
            .replace("{async}", if is_async { writing.async_word } else { "" })
            .replace("{result}", &result);
        let (before, after) = head.split_once("{name}")?;
        let mut pieces = vec![
            Piece::new(before),
            Piece::Name(self.name.to_owned()),
            Piece::new(format!("{after}{}\n", writing.open)),
        ];
        pieces.extend(self.body(&exit, &indent));
        pieces.push(Piece::new(format!("\n{indent}{}{}\n{indent}", writing.close, syntax.shape.end)));
        let nobody = Receiver { call: String::new(), parameter: None, is_member: false, is_static: false };
        let call = self.call(&exit, &nobody, Vec::new(), is_async, "").ok()?;
        let mut draft = Draft::default();
        if anchored.start == self.part.range.start {
            pieces.extend(call);
            draft.replace(scene.file, self.part.range, pieces);
        } else {
            draft.insert(scene.file, anchored.start, pieces);
            draft.replace(scene.file, self.part.range, call);
        }
        let name = self.name;
        Some((
            draft,
            vec![format!(
                "`{name}` is declared where it is called: elsewhere it could not be told all that it needs"
            )],
        ))
    }
}
