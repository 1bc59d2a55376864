//! The values that a call gives to the body: arguments that take the place of parameters, and new variables for those
//! that could not.

use std::collections::BTreeSet;

use ide_model::TextRange;

use super::super::calls::{lambda_behind, split_argument};
use super::super::draft::Piece;
use super::super::flow::{Flow, Mention};
use super::super::scene::{MADE, Refused, Scene};
use super::super::tree::{NodeId, has};
use super::site::{Site, is_steady};
use super::{Function, Param};
use crate::facts::DefFlags;
use crate::world::FileId;

/// Names that earlier calls brought into a function, by its file and where it begins.
pub(super) type Taken = BTreeSet<(FileId, u32, String)>;

/// The value of a parameter.
#[derive(Clone, Debug)]
pub(super) enum Given {
    /// The argument.
    Value(NodeId),
    /// The function's default value, where the call gives none.
    Default(NodeId),
    /// A new variable.
    Name(String),
    /// The type of a static member.
    Type(String),
}

/// The values that a call gives to the body.
#[derive(Default)]
pub(super) struct Substitution {
    /// In the order of the parameters, without the object of a method.
    pub(super) arguments: Vec<Given>,
    pub(super) object: Option<Given>,
    /// The statements that make the new variables, in order.
    pub(super) bindings: Vec<Vec<Piece>>,
    /// Names of variables of the body that get another word.
    pub(super) renamed: Vec<(TextRange, String)>,
}

/// An argument, and why it cannot take the place of its parameter.
struct Listed {
    param: usize,
    value: Option<NodeId>,
    given: Given,
    why: Option<Refused>,
}

impl Function<'_> {
    /// The values that a call gives.
    pub(super) fn substitution(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        taken: &mut Taken,
    ) -> Result<Substitution, Refused> {
        let mut listed = self.listed(scene, call)?;
        let object = self.receiver(scene, call)?;
        let at = scene.syntax.range(call);
        let values = listed.iter().filter_map(|l| l.value).chain(object.as_ref().map(|(id, _)| *id));
        if values.filter(|value| scene.is_once(*value)).count() > 1 {
            let message = "several arguments have side effects, and their order would change";
            let refusal = scene.form::<()>(message, at).err();
            if let Some(first) = listed.iter_mut().find(|l| l.value.is_some_and(|v| scene.is_once(v))) {
                first.why = first.why.take().or(refusal);
            }
        }
        let mut substitution = Substitution::default();
        let why = object.as_ref().and_then(|(_, why)| why.clone());
        let why = why.or_else(|| listed.iter().find_map(|l| l.why.clone()));
        substitution.object = object.as_ref().map(|(id, _)| Given::Value(*id));
        if let Some(why) = why {
            if !scene.syntax.shape.block_value && Site::of(scene, call, self.body.gives()).is_none() {
                return Err(why);
            }
            self.bind(scene, call, object, &mut listed, &mut substitution, taken)?;
        }
        listed.sort_by_key(|l| l.param);
        substitution.arguments = listed.into_iter().map(|l| l.given).collect();
        Ok(substitution)
    }

    /// Gives names to what cannot take the place of a parameter, and to what would be made in another order then.
    fn bind(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        object: Option<(NodeId, Option<Refused>)>,
        listed: &mut [Listed],
        substitution: &mut Substitution,
        taken: &mut Taken,
    ) -> Result<(), Refused> {
        let flow = scene.ctx.pool.with(|rx| Flow::of(rx, &scene.view));
        let range = scene.syntax.range(call);
        let stays = |value: NodeId| {
            let at = scene.syntax.range(value);
            // With its sign, where it has one.
            let is_name =
                |m: &&Mention| at.encloses(m.range) && at.len() <= m.range.len() + 1 && at.end == m.range.end;
            let name = flow.mentions.iter().find(is_name);
            scene.syntax.is_in(value, scene.syntax.shape.literals)
                || name.is_some_and(|m| is_steady(scene, &flow, m.variable, range))
        };
        if let Some((id, why)) = object
            && !(why.is_none() && (stays(id) || super::super::calls::is_this(&scene.syntax, id)))
        {
            let Some(word) = self.object_name() else {
                return match why {
                    Some(why) => Err(why),
                    None => scene.form("the object of the call is no simple value", range),
                };
            };
            let name = self.fresh_name(scene, call, &word, "", taken)?;
            substitution.bindings.push(self.object_binding(scene, id, &name, why)?);
            substitution.object = Some(Given::Name(name));
        }
        for one in listed {
            let Some(value) = one.value.filter(|value| one.why.is_some() || !stays(*value)) else { continue };
            let param = &self.params[one.param];
            if param.uses.is_empty() && scene.syntax.has_effects(value) {
                substitution.bindings.push(run_only(scene, value)?);
                continue;
            }
            let name = self.fresh_name(scene, call, &param.name, &param.name, taken)?;
            substitution.bindings.push(self.binding(scene, one.param, value, &name, one.why.as_ref())?);
            one.given = Given::Name(name);
        }
        Ok(())
    }

    /// The arguments in the order of the call, and what the call leaves out.
    fn listed(&self, scene: &Scene<'_>, call: NodeId) -> Result<Vec<Listed>, Refused> {
        let syntax = &scene.syntax;
        let list = syntax
            .field(call, "arguments")
            .or_else(|| syntax.named(call).find(|id| syntax.kind(*id) == "value_arguments"));
        let at = syntax.range(call);
        let Some(list) = list else { return scene.form("the call has no list of arguments", at) };
        if lambda_behind(syntax, call).is_some() {
            return scene.form("an argument stands behind the call", at);
        }
        let offset = usize::from(self.has_self_parameter());
        let mut found: Vec<Listed> = Vec::new();
        let mut next = offset;
        for argument in syntax.named(list) {
            let (name, value) = split_argument(syntax, argument);
            if has(SPREAD, syntax.kind(value))
                || syntax.kind(argument) == "generator_expression"
                    && syntax.kind(list) == "generator_expression"
            {
                return scene.form("its arguments are spread from a list", syntax.range(value));
            }
            let place = match &name {
                Some(name) => self.params.iter().position(|param| param.name == *name),
                None => Some(next),
            };
            let is_new =
                |place: &usize| *place < self.params.len() && !found.iter().any(|l| l.param == *place);
            let Some(param) = place.filter(is_new) else {
                return scene.form("this argument has no parameter", syntax.range(value));
            };
            next = param + 1;
            found.push(Listed { param, value: Some(value), given: Given::Value(value), why: None });
        }
        for (param, declared) in self.params.iter().enumerate().skip(offset) {
            if declared.is_list {
                return scene.form("its arguments are spread from a list", at);
            }
            match found.iter_mut().find(|l| l.param == param) {
                Some(one) => {
                    let value = one.value.unwrap_or(call);
                    self.check_conversion(scene, declared, value)?;
                    one.why = self.check_argument(scene, declared, value).err();
                }
                None => {
                    let Some(value) =
                        declared.default.filter(|_| !declared.is_written && !self.is_in_text(declared))
                    else {
                        let message = format!("the call leaves `{}` to its default value", declared.name);
                        return scene.form(message, at);
                    };
                    found.push(Listed { param, value: None, given: Given::Default(value), why: None });
                }
            }
        }
        Ok(found)
    }

    /// Where names have a sign of their own, a parameter may make another value of what it is given.
    fn check_conversion(&self, scene: &Scene<'_>, param: &Param, value: NodeId) -> Result<(), Refused> {
        let ty = param.ty.map_or("", |ty| self.home.syntax.slice(ty));
        let is_strict = scene.syntax.text.contains("strict_types=1") && ty != "float";
        let converts = !scene.syntax.shape.sigil.is_empty() && has("int float string bool", ty) && !is_strict;
        if converts && scene.type_of(value).as_deref() != Some(ty) {
            let message = format!("the argument is converted to the type of `{}`", param.name);
            return scene.form(message, scene.syntax.range(value));
        }
        Ok(())
    }

    /// The statement that makes a variable for a parameter.
    fn binding(
        &self,
        scene: &Scene<'_>,
        param: usize,
        value: NodeId,
        name: &str,
        why: Option<&Refused>,
    ) -> Result<Vec<Piece>, Refused> {
        let (home, shape) = (&self.home.syntax, scene.syntax.shape);
        let param = &self.params[param];
        let template =
            if param.is_written && !shape.bind_written.is_empty() { shape.bind_written } else { shape.bind };
        let refuse = || match why {
            Some(why) => Err(why.clone()),
            None => scene.form("the type of an argument is not known", scene.syntax.range(value)),
        };
        if param.is_reference || template.is_empty() {
            return refuse();
        }
        let said = param.ty.filter(|_| template.contains("{type}"));
        let text = said.map_or("", |ty| home.slice(ty));
        let is_open = said.is_some_and(|ty| self.has_type_parameter(ty)) || text.contains("impl ");
        let adapts = scene.syntax.is_in(value, shape.adaptable)
            || scene.syntax.below(value).into_iter().any(|id| has(MADE, scene.syntax.kind(id)));
        if is_open && (adapts || shape.declare.contains("{type}")) || text.contains('\'') {
            return refuse();
        }
        let needs_type = !template.contains("{name}{type}");
        if said.is_none() && template.contains("{type}") && needs_type {
            return refuse();
        }
        // The value's own type need not be written.
        let is_same =
            said.is_some() && scene.type_of(value).as_deref() == Some(text) && shape.declare.contains(":=");
        let template = if is_same || is_open { shape.declare } else { template };
        let mut pieces = Vec::new();
        for part in template.split_inclusive('}') {
            let (before, hole) = part.split_once('{').unwrap_or((part, ""));
            pieces.push(Piece::new(before));
            match hole {
                "name}" => pieces.push(Piece::Name(name.to_owned())),
                "type}" => pieces.extend(said.map(|ty| Piece::Old(self.home.file, ty))),
                "value}" => pieces.push(Piece::Old(scene.file, scene.syntax.range(value))),
                _ => {}
            }
        }
        pieces.retain(|piece| !matches!(piece, Piece::New(text) if text.is_empty()));
        Ok(pieces)
    }

    /// The statement that makes a variable for the object of a method.
    fn object_binding(
        &self,
        scene: &Scene<'_>,
        object: NodeId,
        name: &str,
        why: Option<Refused>,
    ) -> Result<Vec<Piece>, Refused> {
        let (home, shape) = (&self.home.syntax, scene.syntax.shape);
        let refuse = |why: Option<Refused>| match why {
            Some(why) => Err(why),
            None => scene.form("the object of the call is no simple value", scene.syntax.range(object)),
        };
        let mut declare = shape.declare.to_owned();
        if shape.block_value {
            return refuse(why);
        }
        if declare.contains("{type}") {
            let Some(ty) = scene.type_of(object) else { return refuse(why) };
            declare = declare.replace("{type}", &ty);
        }
        // Where a method says what its object is, a pointer or what it points to, the new variable must be that.
        if let Some(list) = home.field(self.node, "receiver") {
            let said = home.below(list).into_iter().find(|id| home.node(*id).field == "type");
            let said = said.map(|id| home.text_of(id));
            if said.is_none() || scene.type_of(object).as_deref() != said {
                return refuse(why);
            }
        }
        let (before, rest) = declare.split_once("{name}").unwrap_or((&declare, ""));
        let (between, after) = rest.split_once("{value}").unwrap_or((rest, ""));
        let mut pieces = vec![
            Piece::new(before),
            Piece::Name(name.to_owned()),
            Piece::new(between),
            Piece::Old(scene.file, scene.syntax.range(object)),
            Piece::new(after),
        ];
        pieces.retain(|piece| !matches!(piece, Piece::New(text) if text.is_empty()));
        Ok(pieces)
    }

    /// A word for the object of a method: that of its receiver, or of its type.
    fn object_name(&self) -> Option<String> {
        let home = &self.home.syntax;
        if let Some(list) = home.field(self.node, "receiver") {
            let name = home.below(list).into_iter().find(|id| home.node(*id).field == "name")?;
            return Some(home.text_of(name).to_owned());
        }
        let owner =
            self.home.ctx.pool.with(|rx| rx.member_owner(self.def).map(|owner| rx.shared_name(owner)));
        let owner = owner.filter(|_| !self.home.view.def(self.def.def).flags.has(DefFlags::EXTENSION))?;
        let mut letters = owner.chars();
        let first = letters.next().filter(char::is_ascii_alphabetic)?;
        let word = format!("{}{}", first.to_ascii_lowercase(), letters.as_str());
        Some(if word == *owner || has(RESERVED, &word) { "object".to_owned() } else { word })
    }

    /// A name that nothing in the caller has, nor anything in the body but `own`.
    pub(super) fn fresh_name(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        wanted: &str,
        own: &str,
        taken: &mut Taken,
    ) -> Result<String, Refused> {
        let Some(member) =
            scene.syntax.member_of(call).or(Some(call).filter(|_| scene.syntax.shape.block_value))
        else {
            return scene.form("its variables would be seen outside of a function", scene.syntax.range(call));
        };
        let start = scene.syntax.range(member).start;
        let used = self.words(scene, scene.syntax.range(member));
        let body = words_of(self.home.syntax.text_of(self.node));
        let is_free = |name: &String| {
            !used.contains(name.as_str())
                && (name == own || !body.contains(name.as_str()))
                && !taken.contains(&(scene.file, start, name.clone()))
        };
        let numbered = (1..100).map(|n| format!("{wanted}{n}"));
        let Some(name) = std::iter::once(wanted.to_owned()).chain(numbered).find(is_free) else {
            return scene.form("no name is free for a new variable", scene.syntax.range(call));
        };
        taken.insert((scene.file, start, name.clone()));
        Ok(name)
    }

    /// The words of a range of a file, without those of the function that goes away.
    fn words<'t>(&self, scene: &'t Scene<'_>, range: TextRange) -> BTreeSet<&'t str> {
        let gone = self.home.syntax.range(self.node);
        let text = &scene.syntax;
        if scene.file != self.home.file || !range.encloses(gone) {
            return words_of(text.slice(range));
        }
        let mut words = words_of(text.slice(TextRange::new(range.start, gone.start)));
        words.extend(words_of(text.slice(TextRange::new(gone.end, range.end))));
        words
    }

    /// Variables of the body whose names the caller has too get others.
    pub(super) fn rename_locals(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
        substitution: &mut Substitution,
        taken: &mut Taken,
    ) -> Result<(), Refused> {
        let part = self.body.part;
        let flow = self.home.ctx.pool.with(|rx| Flow::of(rx, &self.home.view));
        let own: BTreeSet<usize> = flow.within(part).filter(|m| m.declares).map(|m| m.variable).collect();
        let params = |variable: &&usize| {
            !flow.variables[**variable].defs.iter().any(|def| {
                let range = self.home.view.def(*def).name_range;
                self.params.iter().any(|param| param.declared == range)
            })
        };
        for variable in own.iter().filter(params) {
            let word = flow.variables[*variable].name.to_string();
            let name = self.fresh_name(scene, call, &word, &word, taken)?;
            if name != word {
                let mentions = flow.of_variable(*variable).filter(|m| part_of(self, m.range));
                substitution.renamed.extend(mentions.map(|m| (m.range, name.clone())));
            }
        }
        Ok(())
    }
}

fn part_of(function: &Function<'_>, range: TextRange) -> bool {
    function.body.range(&function.home.syntax).encloses(range)
}

/// A value that nobody asks for.
fn run_only(scene: &Scene<'_>, value: NodeId) -> Result<Vec<Piece>, Refused> {
    let shape = scene.syntax.shape;
    let old = Piece::Old(scene.file, scene.syntax.range(value));
    if shape.declare.contains(":=") {
        return Ok(vec![Piece::new("_ = "), old]);
    }
    if scene.syntax.is_in(value, shape.effects) {
        return Ok(vec![old, Piece::new(shape.end)]
            .into_iter()
            .filter(|p| !matches!(p, Piece::New(t) if t.is_empty()))
            .collect());
    }
    scene.form("an argument has side effects, and no parameter takes it", scene.syntax.range(value))
}

fn words_of(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect()
}

/// Kinds of arguments that are several, or may be.
const SPREAD: &str =
    "spread_element list_splat dictionary_splat variadic_unpacking variadic_argument spread_expression";

/// Words that are no names in some languages.
const RESERVED: &str = "class enum interface package module object function default switch case type map string error \
    list dict set int float str self this super true false null none in is as new var val fun def for while do if else \
    return break continue import try catch throw with yield async await print range match static final public private";
