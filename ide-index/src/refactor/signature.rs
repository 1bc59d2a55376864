//! Another signature for a function: its declaration, what overrides it, and every call.

mod alike;
mod constructors;
mod given;
mod head;
mod lambdas;
mod order;
mod overloads;
mod packages;
mod shift;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    Conflict, ConflictKind, Family, NewParameter, QueryError, Refactored, SignatureChange, Symbol,
    SymbolKind, TextRange,
};

use self::alike::{held_function, holds_function, is_written_out, of_trait, with_alike};
pub(super) use self::constructors::unnamed_calls;
use self::constructors::{constructor, constructor_of};
use self::given::{Argument, Given, in_order, is_plain_literal, mark_of};
pub(super) use self::lambdas::lambdas;
pub(super) use self::shift::shift_parameter;
use self::written::{Form, Parameter, Written, forms, is_bare};
use super::RefactorContext;
use super::calls::{callee_name, is_callable_value, split_argument};
use super::doubt::{could_mean, unseen_uses};
use super::draft::{Draft, Piece};
use super::family::{is_called_by_name, written_otherwise};
use super::flow::Flow;
use super::in_macros::named_in_macros;
use super::method_text::{Writing, writing_of};
use super::rename::{Occurrence, occurrences, only_file};
use super::scene::{Outcome, Refused, Scene, finish};
use super::tree::{NodeId, Syntax, has};
use crate::facts::{DefFlags, NameId, RefFlags, Role};
use crate::lang::names;
use crate::query::definition::definition_of;
use crate::query::references::sought_of;
use crate::resolve::FileView;
use crate::world::{FileId, GlobalDef};

/// Plans another signature; see [`ide_model::Refactoring::ChangeSignature`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a table.
pub(super) fn change_signature(
    ctx: &RefactorContext<'_>,
    symbol: &Symbol,
    change: &SignatureChange,
) -> Result<Refactored, QueryError> {
    let (_, def) = ctx.pool.with(|rx| definition_of(rx, symbol))?;
    let def = def.ok_or_else(|| QueryError::NothingHere { what: format!("`{}` is a file", symbol.name) })?;
    let planned = plan(ctx, def, change)?;
    let mut names: Vec<&str> = Vec::new();
    names.extend(change.new_name.as_deref());
    let mut doubts = Vec::new();
    let planned = planned.map(|(draft, warnings, found)| {
        doubts = found;
        (draft, warnings)
    });
    let mut out = finish(ctx, format!("change signature of {}", symbol.name), planned, &names)?;
    out.conflicts.extend(doubts);
    Ok(out)
}

const CALLED_BY_ITSELF: &str = "the language or its library calls a function of this name by itself";

const WITHOUT_BRACKETS: &str = "its parameter has no parentheses; add them first";

type Planned = (Draft, Vec<String>, Vec<Conflict>);

fn plan(ctx: &RefactorContext<'_>, def: GlobalDef, change: &SignatureChange) -> Outcome<Planned> {
    let maker = ctx.pool.with(|rx| constructor_of(rx, def));
    let def = maker.unwrap_or(def);
    let scene = Scene::open(ctx, def.file)?;
    let d = scene.view.def(def.def);
    let held = held_function(&scene, def);
    let (at, is_function) = (d.name_range, d.kind.is_callable() || held.is_some());
    let is_function = is_function && d.kind != SymbolKind::Macro;
    if held.is_some() && d.ty.is_some() {
        return Ok(scene.form("its declared type determines its signature", at));
    }
    if held.is_some() && is_written(ctx, &scene.view, def)? {
        return Ok(scene.form("it may be given another function", at));
    }
    if d.kind == SymbolKind::Record {
        let why = "the header of a record is its constructor, and its components are parts of the record";
        return Ok(scene.form(why, at));
    }
    if !is_function {
        return Ok(scene.form("only functions and methods have a signature that can be changed", at));
    }
    let Some(writing) = writing_of(scene.view.language()) else {
        return Ok(scene.form("functions cannot be written in this language", at));
    };
    let name = change.new_name.as_deref().unwrap_or("");
    let spelled = (!name.is_empty()).then(|| names::spelling_problem(scene.view.language(), name)).flatten();
    if let Some(problem) = spelled {
        return Ok(Err(scene.refusal(ConflictKind::InvalidName, format!("the name `{name}` {problem}"), at)));
    }
    if maker.is_some() {
        return constructor(ctx, scene, def, change, writing);
    }
    let is_fixed = d.flags.has(DefFlags::OPERATOR)
        || ctx.pool.with(|rx| is_called_by_name(rx, def, scene.view.def_name(def.def)));
    if is_fixed && !says_names_only(change) {
        return Ok(scene.form(CALLED_BY_ITSELF, at));
    }
    if d.flags.has(DefFlags::TEST) && change.parameters.is_some() {
        return Ok(scene.form("the test runner calls it", at));
    }
    let (family, texts) = with_alike(ctx, def)?;
    let is_other = |other: &&GlobalDef| ctx.pool.with(|rx| holds_function(rx, **other));
    if let Some(other) = family.defs.iter().find(is_other) {
        let mut refusal = scene.refusal(ConflictKind::Form, "its signature is the type of this one too", at);
        refusal.at = Some(ctx.at(other.file, ctx.pool.with(|rx| rx.def(*other).name_range)));
        return Ok(Err(refusal));
    }
    let unseen =
        ctx.pool.with(|rx| rx.member_owner(def).is_some() && rx.policy_of(def).may_override_unseen(rx, def));
    if !family.libraries.is_empty() || unseen {
        return Ok(Err(scene.refusal(
            ConflictKind::Outside,
            "it stands for a declaration that is not in the project",
            at,
        )));
    }
    let Some(implementations) = of_trait(ctx, &scene, def)? else {
        let message = "it stands for a declaration that is not in the project";
        return Ok(Err(scene.refusal(ConflictKind::Outside, message, at)));
    };
    let all: BTreeSet<GlobalDef> = family.defs.into_iter().chain(implementations).collect();
    if let Some((other, why)) =
        all.iter().find_map(|other| Some((*other, written_otherwise(ctx, def, *other)?)))
    {
        let mut refusal = scene.refusal(ConflictKind::Form, why, at);
        refusal.at = Some(ctx.at(other.file, ctx.pool.with(|rx| rx.def(other).name_range)));
        return Ok(Err(refusal));
    }
    let members: Vec<GlobalDef> =
        all.into_iter().filter(|other| ctx.pool.with(|rx| is_written_out(rx, *other))).collect();
    let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &members))?;
    let only_in = ctx.pool.with(|rx| only_file(rx, &members));
    let uses = occurrences(ctx, &sought, only_in)?;
    let mut job = Job::new(ctx, def, change, writing, members);
    job.is_fixed = is_fixed;
    if change.parameters.is_some() {
        job.doubts.extend(lambdas(ctx, &job.members)?);
    }
    for (file, range) in named_in_macros(ctx, &job.members, only_in)? {
        let message = format!("this `{}` in a macro may be a call of it", scene.view.def_name(def.def));
        job.doubts.push(super::conflict(ConflictKind::Unresolved, message, Some(ctx.at(file, range))));
    }
    for (file, range) in texts {
        let message = format!("the text `{}` may stand for it", scene.view.def_name(def.def));
        job.doubts.push(super::conflict(ConflictKind::Unresolved, message, Some(ctx.at(file, range))));
    }
    if let Some(why) = ctx.pool.with(|rx| unseen_uses(ctx, rx, def, &[rx.def_name(def)])) {
        let message = format!("`{}` {why}", scene.view.def_name(def.def));
        job.doubts.push(super::conflict(ConflictKind::Unresolved, message, Some(ctx.at(def.file, at))));
    }
    for use_ in &uses {
        job.open(use_.file)?;
    }
    for member in job.members.clone() {
        job.open(member.file)?;
    }
    Ok(job.run(def, &uses, only_in))
}

/// Whether nothing but names of parameters may change: a language that calls a function by itself says none of them.
fn says_names_only(change: &SignatureChange) -> bool {
    let is_plain = |new: &NewParameter| new.ty.is_none() && new.default.is_none() && new.value.is_none();
    change.new_name.is_none()
        && change.return_type.is_none()
        && change.visibility.is_none()
        && change.parameters.as_ref().is_some_and(|all| all.iter().all(is_plain))
}

/// Whether a variable gets other values than its first one: in its file, or as a member wherever one of its name does.
fn is_written(ctx: &RefactorContext<'_>, view: &FileView, def: GlobalDef) -> Result<bool, QueryError> {
    let d = view.def(def.def);
    let writes = |view: &FileView, name: NameId, is_member: bool| {
        let mut named = view.refs_named(name).iter().map(|r| view.reference(*r));
        named.any(|r| {
            matches!(r.role, Role::Write | Role::ReadWrite)
                && r.receiver.is_some() == is_member
                && !(view.id == def.file && r.range == d.name_range)
        })
    };
    let is_member = d.attach.is_some() || ctx.pool.with(|rx| rx.member_owner(def).is_some());
    if !is_member {
        return Ok(writes(view, d.name, false));
    }
    for file in ctx.pool.world().files_mentioning(view.def_name(def.def)) {
        ctx.cx.check()?;
        let other = ctx.pool.with(|rx| rx.shared_file(file));
        let name = other.name_id(view.def_name(def.def));
        if name.is_some_and(|name| writes(&other, name, true)) {
            return Ok(true);
        }
    }
    Ok(false)
}

struct Job<'a> {
    ctx: &'a RefactorContext<'a>,
    declared: GlobalDef,
    change: &'a SignatureChange,
    writing: &'static Writing,
    scenes: BTreeMap<FileId, Scene<'a>>,
    draft: Draft,
    members: Vec<GlobalDef>,
    doubts: Vec<Conflict>,
    warnings: Vec<String>,
    /// The language calls it by itself: nothing but the names of its parameters may change.
    is_fixed: bool,
}

/// Whether the parameters stay as many and in their order.
fn is_kept(slots: &[Slot<'_>], old: &Written) -> bool {
    slots.len() == old.params.len() && slots.iter().enumerate().all(|(i, slot)| slot.old == Some(i))
}

/// One new parameter: an old one by its number, or something new.
struct Slot<'c> {
    old: Option<usize>,
    new: &'c NewParameter,
}

impl<'a> Job<'a> {
    /// The change of these declarations before anything is read.
    fn new(
        ctx: &'a RefactorContext<'a>,
        declared: GlobalDef,
        change: &'a SignatureChange,
        writing: &'static Writing,
        members: Vec<GlobalDef>,
    ) -> Self {
        Self {
            ctx,
            declared,
            change,
            writing,
            scenes: BTreeMap::new(),
            draft: Draft::default(),
            members,
            doubts: Vec::new(),
            warnings: Vec::new(),
            is_fixed: false,
        }
    }

    fn open(&mut self, file: FileId) -> Result<(), QueryError> {
        if !self.scenes.contains_key(&file) {
            self.scenes.insert(file, Scene::open(self.ctx, file)?);
        }
        Ok(())
    }

    fn scene(&self, file: FileId) -> &Scene<'a> {
        &self.scenes[&file]
    }

    fn run(
        mut self,
        def: GlobalDef,
        uses: &[Occurrence],
        only_in: Option<FileId>,
    ) -> Result<Planned, Refused> {
        let old = self.written(def)?;
        let slots = self.slots(def, &old)?;
        if let Some(slots) = &slots {
            self.check_overloads(def, slots, &old)?;
            if self.is_fixed && !is_kept(slots, &old) {
                let scene = self.scene(def.file);
                return scene.form(CALLED_BY_ITSELF, scene.view.def(def.def).name_range);
            }
        }
        for member in self.members.clone() {
            self.declaration(member, slots.as_deref(), old.params.len())?;
        }
        for use_ in uses {
            self.at_use(use_, slots.as_deref(), &old, only_in)?;
        }
        if let Some(slots) = &slots {
            self.import_packages(slots, uses)?;
        }
        Ok((self.draft, self.warnings, self.doubts))
    }

    /// The new parameters, where they change.
    fn slots(&self, def: GlobalDef, old: &Written) -> Result<Option<Vec<Slot<'a>>>, Refused> {
        let change: &'a SignatureChange = self.change;
        let Some(wanted) = &change.parameters else { return Ok(None) };
        let scene = self.scene(def.file);
        let at = scene.view.def(def.def).name_range;
        let mut slots: Vec<Slot<'a>> = Vec::new();
        for new in wanted {
            let was = new.was.as_deref().unwrap_or(&new.name).trim_start_matches('$');
            let is_pattern = was.starts_with(['{', '[']);
            let was = if is_pattern { &*was.split_whitespace().collect::<Vec<_>>().join(" ") } else { was };
            let place = old.params.iter().position(|param| param.name == was);
            if place.is_none() && new.was.is_some() {
                return scene.form(format!("it has no parameter `{was}`"), at);
            }
            if place.is_some_and(|place| slots.iter().any(|slot| slot.old == Some(place))) {
                return scene.form(format!("`{was}` is named twice"), at);
            }
            let spelled = new.name.trim_start_matches('$');
            if let Some(problem) = names::spelling_problem(scene.view.language(), spelled)
                .filter(|_| place.is_none() || !is_pattern || new.was.is_some())
            {
                return Err(scene.refusal(
                    ConflictKind::InvalidName,
                    format!("the name `{}` {problem}", new.name),
                    at,
                ));
            }
            if new.default.is_some() && !self.writing.has_defaults {
                let message = format!(
                    "parameters have no default values in {}: say what calls pass for `{}` by `callValue`",
                    scene.view.language().name(),
                    new.name
                );
                return scene.form(message, at);
            }
            if place.is_none() && self.writing.types_params && new.ty.is_none() {
                return scene.form(format!("the new parameter `{}` needs a type", new.name), at);
            }
            slots.push(Slot { old: place, new });
        }
        let is_kept = |place: usize| slots.iter().any(|slot| slot.old == Some(place));
        let patterns = old.params.iter().enumerate().filter(|(_, param)| param.name.starts_with(['{', '[']));
        if let Some((_, lost)) = patterns.into_iter().find(|(place, _)| !is_kept(*place)) {
            let message =
                format!("a parameter without a name of its own is kept by its pattern: `{}`", lost.name);
            return scene.form(message, lost.whole);
        }
        if forms(&slots, old).is_none() {
            return scene.form("a parameter would come to stand on the other side of `/` or `*`", at);
        }
        let vararg = old.params.iter().position(|param| param.is_vararg);
        let is_last = |vararg: usize| vararg + 1 == old.params.len();
        if vararg
            .is_some_and(|vararg| is_last(vararg) && slots.last().and_then(|slot| slot.old) != Some(vararg))
        {
            return scene.form("the parameter that takes any number of arguments must stay the last one", at);
        }
        // Arguments behind it are named in calls, and arguments before it are not.
        let stays =
            |vararg: usize| (0..=vararg).all(|i| slots.get(i).is_some_and(|slot| slot.old == Some(i)));
        if vararg.is_some_and(|vararg| !is_last(vararg) && !stays(vararg)) {
            return scene.form("the parameter that takes any number of arguments must stay where it is", at);
        }
        let is_same = slots.len() == old.params.len()
            && slots.iter().enumerate().all(|(i, slot)| {
                slot.old == Some(i)
                    && slot.new.ty.is_none()
                    && slot.new.name.trim_start_matches('$') == old.params[i].name
            });
        Ok((!is_same).then_some(slots))
    }

    fn declaration(
        &mut self,
        member: GlobalDef,
        slots: Option<&[Slot<'a>]>,
        count: usize,
    ) -> Result<(), Refused> {
        let written = self.written(member)?;
        let file = member.file;
        let scene = self.scene(file);
        let view = scene.view.clone();
        let d = view.def(member.def);
        if let Some(name) = &self.change.new_name {
            self.draft.rename(file, d.name_range, name);
        }
        self.result_type(member, &written)?;
        self.visibility(member)?;
        let Some(slots) = slots else { return Ok(()) };
        let scene = self.scene(file);
        if is_bare(&scene.syntax, written.list) {
            return scene.form(WITHOUT_BRACKETS, scene.syntax.range(written.list));
        }
        if written.params.len() != count {
            let is_beside = member.file == self.declared.file && view.def(self.declared.def).scope == d.scope;
            let message = if is_beside {
                "its overloads have other parameters, so their change is not known"
            } else {
                "it has another number of parameters than the function it overrides"
            };
            return scene.form(message, d.name_range);
        }
        let flow = self.ctx.pool.with(|rx| Flow::of(rx, &view));
        let body = d.range;
        for (i, param) in written.params.iter().enumerate() {
            let variable = flow.mentions.iter().find(|m| m.range == param.name_range).map(|m| m.variable);
            let mentions = || {
                flow.mentions.iter().filter(|m| {
                    Some(m.variable) == variable && m.range != param.name_range && body.encloses(m.range)
                })
            };
            match slots.iter().find(|slot| slot.old == Some(i)) {
                None => {
                    if let Some(used) = mentions().next() {
                        let message = format!("`{}` is used here and cannot be removed", param.name);
                        return Err(self.scene(file).refusal(ConflictKind::InUse, message, used.range));
                    }
                    self.documented(file, d.doc, param, None);
                }
                // In an override it may have another name, and keeps that.
                Some(slot) => {
                    let new = slot.new.name.trim_start_matches('$');
                    let is_renamed =
                        slot.new.was.as_deref().is_some_and(|was| was.trim_start_matches('$') == param.name)
                            && new != param.name;
                    if is_renamed {
                        let in_docs = view.ref_ids().filter(|r| {
                            let reference = view.reference(*r);
                            reference.flags.has(RefFlags::IN_DOC)
                                && body.encloses(reference.range)
                                && view.ref_name(*r) == param.name
                                && self.ctx.pool.with(|rx| {
                                    let resolved = rx.resolve(view.global_ref(*r));
                                    let mut defs = resolved.resolution.defs();
                                    defs.any(|def| def.file == file && flow.variable_of(def.def) == variable)
                                })
                        });
                        let in_docs = in_docs.map(|r| view.reference(r).range);
                        let places: BTreeSet<TextRange> =
                            mentions().map(|m| m.range).chain(in_docs).collect();
                        for place in places {
                            self.draft.rename(file, place, new);
                        }
                        self.documented(file, d.doc, param, Some(new));
                    }
                }
            }
        }
        let has_own = d.flags.has(DefFlags::INFIX) || d.flags.has(DefFlags::OPERATOR);
        if has_own && self.writing.only_base_defaults && slots.len() != count {
            return self
                .scene(file)
                .form("the parameters of an operator or infix function are fixed", d.name_range);
        }
        let says_defaults = !(self.writing.only_base_defaults && d.flags.has(DefFlags::OVERRIDE));
        let pieces = self.list(file, &written, slots, says_defaults)?;
        let list = self.scene(file).syntax.range(written.list);
        self.draft.replace(file, TextRange::new(list.start + 1, list.end - 1), pieces);
        Ok(())
    }

    /// The new list of parameters without its brackets.
    fn list(
        &self,
        file: FileId,
        written: &Written,
        slots: &[Slot<'a>],
        says_defaults: bool,
    ) -> Result<Vec<Piece>, Refused> {
        self.check_order(file, written, slots)?;
        let scene = self.scene(file);
        let syntax = &scene.syntax;
        let mut items: Vec<Vec<Piece>> =
            written.fixed.iter().map(|id| vec![Piece::Old(file, syntax.range(*id))]).collect();
        let (mut has_default, mut before) = (false, None);
        let forms = forms(slots, written).unwrap_or_default();
        for (slot, form) in slots.iter().zip(forms) {
            items.extend(written.mark(before, Some(form)).map(|mark| vec![Piece::new(mark)]));
            before = Some(form);
            let defaults = match slot.old {
                Some(old) => written.params[old].has_default || written.params[old].is_vararg,
                None => slot.new.default.is_some(),
            };
            let needs_default = syntax.shape.by_indent && form != Form::ByName || syntax.shape.sigil == "$";
            if has_default && !defaults && needs_default {
                return scene.form(
                    format!("`{}` follows a parameter with a default value and has none", slot.new.name),
                    syntax.range(written.list),
                );
            }
            has_default |= defaults;
            items.push(match slot.old {
                Some(old) => self.kept(file, &written.params[old], slot),
                None => {
                    let takes_default = self.takes_defaults(&scene.syntax, written);
                    let default = slot.new.default.as_deref().filter(|_| says_defaults);
                    vec![Piece::new(self.added(slot, default, takes_default))]
                }
            });
        }
        items.extend(written.mark(before, None).map(|mark| vec![Piece::new(mark)]));
        let mut pieces = Vec::new();
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                pieces.push(Piece::new(", "));
            }
            pieces.extend(item);
        }
        Ok(pieces)
    }

    /// An old parameter with its new name and type.
    fn kept(&self, file: FileId, param: &Parameter, slot: &Slot<'_>) -> Vec<Piece> {
        let syntax = &self.scene(file).syntax;
        if let Some(ty) = &param.shared {
            let is_renamed = slot.new.was.as_deref() == Some(&*param.name);
            let name = if is_renamed { &slot.new.name } else { &param.name };
            return vec![Piece::new(format!("{name} {}", slot.new.ty.as_ref().unwrap_or(ty)))];
        }
        let whole = param.whole;
        let mut changes: Vec<(TextRange, String)> = Vec::new();
        let new = slot.new.name.trim_start_matches('$');
        let is_renamed = slot.new.was.as_deref().is_some_and(|was| was.trim_start_matches('$') == param.name);
        if is_renamed && new != param.name {
            changes.push((param.name_range, new.to_owned()));
        }
        let ty = syntax.field(param.node, "type").or_else(|| {
            syntax.named(param.node).find(|id| has("user_type nullable_type function_type", syntax.kind(*id)))
        });
        if let (Some(ty), Some(wanted)) = (ty, &slot.new.ty) {
            let range = syntax.range(ty);
            let colon = if syntax.text_of(ty).starts_with(':') { ": " } else { "" };
            let has_dots = syntax.text[range.end as usize..].trim_start().starts_with("...");
            let wanted = if has_dots { wanted.trim_end_matches("...").trim_end() } else { wanted };
            changes.push((range, format!("{colon}{wanted}")));
        }
        changes.sort_by_key(|(range, _)| range.start);
        let mut pieces = Vec::new();
        let mut at = whole.start;
        for (range, text) in changes {
            pieces.push(Piece::Old(file, TextRange::new(at, range.start)));
            pieces.push(Piece::new(text));
            at = range.end;
        }
        pieces.push(Piece::Old(file, TextRange::new(at, whole.end)));
        pieces.retain(|piece| !matches!(piece, Piece::Old(_, range) if range.is_empty()));
        pieces
    }

    /// Whether a declaration may give a parameter a value: one without a body may say only that it may be left out.
    fn takes_defaults(&self, syntax: &Syntax, written: &Written) -> bool {
        let function = syntax.parent(written.list).unwrap_or(written.list);
        let writing = self.writing;
        writing.only_base_defaults
            || writing.type_arguments.is_empty()
            || syntax.field(function, "body").is_some()
    }

    fn added(&self, slot: &Slot<'_>, default: Option<&str>, takes_default: bool) -> String {
        let name = slot.new.name.trim_start_matches('$');
        let text = self.writing.param.replace("{name}", name);
        let mut text = match &slot.new.ty {
            Some(ty) if text.contains("{type}") => text.replace("{type}", ty),
            Some(ty) if self.writing.param.starts_with('$') => format!("{ty} {text}"),
            Some(ty) if self.writing.open == ":" => format!("{text}: {ty}"),
            _ => text,
        };
        if !takes_default && default.is_some() {
            return text.replacen(':', "?:", 1);
        }
        if let Some(default) = default {
            let space = if self.writing.open == ":" && slot.new.ty.is_none() { "=" } else { " = " };
            text = format!("{text}{space}{default}");
        }
        text
    }

    /// Whether a call, if it is one of the function, stays as it is: only names of parameters change that it does not say.
    fn keeps_call(&self, use_: &Occurrence, slots: Option<&[Slot<'a>]>, old: &Written) -> bool {
        if self.change.new_name.is_some() || !slots.is_none_or(|slots| is_kept(slots, old)) {
            return false;
        }
        let scene = self.scene(use_.file);
        let syntax = &scene.syntax;
        let at = scene.view.reference(use_.reference).range;
        let call = syntax.ancestors(syntax.around(at)).find(|id| syntax.is_in(*id, syntax.shape.calls));
        let list = call.and_then(|call| syntax.field(call, "arguments"));
        let Some(list) = list else { return slots.is_none() };
        let names_old = |argument: NodeId| {
            let (name, _) = split_argument(syntax, argument);
            name.is_some_and(|name| old.params.iter().any(|param| param.name == name))
        };
        !syntax.named(list).any(names_old)
    }

    fn at_use(
        &mut self,
        use_: &Occurrence,
        slots: Option<&[Slot<'a>]>,
        old: &Written,
        only_in: Option<FileId>,
    ) -> Result<(), Refused> {
        let view = self.scene(use_.file).view.clone();
        let r = view.reference(use_.reference);
        let members = &self.members;
        if members.iter().any(|def| def.file == use_.file && view.def(def.def).name_range == r.range) {
            return Ok(());
        }
        if !use_.is_certain {
            if self.keeps_call(use_, slots, old) {
                return Ok(());
            }
            if self.ctx.pool.with(|rx| could_mean(rx, members, only_in, use_)) {
                let message = format!(
                    "this `{}` may be a call of it; its meaning is not known",
                    view.ref_name(use_.reference)
                );
                let at = self.ctx.at(use_.file, r.range);
                self.doubts.push(super::conflict(ConflictKind::Unresolved, message, Some(at)));
            }
            return Ok(());
        }
        if let Some(name) = &self.change.new_name {
            let scene = self.scene(use_.file);
            if scene.syntax.kind(scene.syntax.around(r.range)).starts_with("shorthand_") {
                let message = "it is the key of an object here too; ide_refactor_rename writes both";
                return scene.form(message, r.range);
            }
            let written = scene.syntax.slice(r.range);
            if written == view.ref_name(use_.reference) {
                self.draft.rename(use_.file, r.range, name);
            }
        }
        let Some(slots) = slots else { return Ok(()) };
        if r.flags.has(RefFlags::IN_DOC) || r.role == Role::Import {
            return Ok(());
        }
        let scene = self.scene(use_.file);
        let syntax = &scene.syntax;
        let named = syntax.around(r.range);
        let call = syntax.ancestors(named).take(4).find(|id| syntax.is_in(*id, syntax.shape.calls));
        let Some(call) = call.filter(|call| callee_name(syntax, *call) == Some(r.range)) else {
            if syntax.ancestors(named).any(|id| syntax.kind(id) == "token_tree") {
                return scene.form("it is used in a macro, so its calls are not known", r.range);
            }
            // A value that is no call says no names of parameters, unless it is called by its own name elsewhere.
            let may_be_named = matches!(view.family(), Family::Python | Family::Php);
            if !may_be_named && is_kept(slots, old) && slots.iter().all(|slot| slot.new.ty.is_none()) {
                return Ok(());
            }
            return scene.form("it is used here without being called, so its calls are not known", r.range);
        };
        if is_callable_value(syntax, call) {
            return scene.form("it is used here without being called, so its calls are not known", r.range);
        }
        self.edit_call(use_.file, call, slots, old)
    }

    fn edit_call(
        &mut self,
        file: FileId,
        call: NodeId,
        slots: &[Slot<'a>],
        old: &Written,
    ) -> Result<(), Refused> {
        let (range, pieces) = self.arguments(file, call, slots, old)?;
        let Some((range, pieces)) = self.shortened(file, range, pieces) else { return Ok(()) };
        if self.draft.touches(file, range) {
            return self.scene(file).form("a call is the argument of another one", range);
        }
        self.draft.replace(file, range, pieces);
        Ok(())
    }

    /// An edit without what stays as it is: nothing, or what is put behind the rest.
    fn shortened(
        &self,
        file: FileId,
        range: TextRange,
        pieces: Vec<Piece>,
    ) -> Option<(TextRange, Vec<Piece>)> {
        let syntax = &self.scene(file).syntax;
        let before = syntax.slice(range).trim_end();
        let text: String = pieces
            .iter()
            .map(|piece| match piece {
                Piece::New(text) | Piece::Name(text) | Piece::Word(text) => text,
                Piece::Old(_, range) => syntax.slice(*range),
            })
            .collect();
        match text.strip_prefix(before) {
            Some("") => None,
            Some(more) if !before.is_empty() => {
                let end = range.start + before.len() as u32;
                Some((TextRange::new(end, end), vec![Piece::new(more)]))
            }
            _ => Some((range, pieces)),
        }
    }

    /// The new arguments of a call, and what they take the place of.
    fn arguments(
        &mut self,
        file: FileId,
        call: NodeId,
        slots: &[Slot<'a>],
        old: &Written,
    ) -> Result<(TextRange, Vec<Piece>), Refused> {
        let Given { range, is_bare, object, behind, values: given } = self.given(file, call, old)?;
        let scene = &self.scenes[&file];
        let syntax = &scene.syntax;
        let at = syntax.range(call);
        let mut all: Vec<Argument<'_>> = Vec::new();
        let (can_name, is_foreign) = self.ctx.pool.with(|rx| {
            let (caller, def) = (rx.file(file), self.members.first());
            let is_foreign = def.is_some_and(|def| rx.language_of(*def) != caller.language());
            (rx.policy(caller).keywords_name_parameters(), is_foreign)
        });
        // Kotlin lets no call of what is overridden leave an argument out.
        let says_all = self.writing.only_base_defaults && syntax.text_of(call).starts_with("super");
        let mut order = Vec::new();
        let last = slots.last().and_then(|slot| slot.old);
        if behind.is_some() && behind != last {
            return scene.form("an argument stands behind the call", at);
        }
        let forms = forms(slots, old).unwrap_or_default();
        let formed = slots.iter().zip(forms);
        for (slot, form) in formed.filter(|(slot, _)| slot.old.is_none() || slot.old != behind) {
            let name = slot.new.name.trim_start_matches('$');
            let values: Vec<(bool, Piece)> = match slot.old {
                Some(old) => given[old]
                    .iter()
                    .map(|(named, id)| (*named, Piece::Old(file, syntax.range(*id))))
                    .collect(),
                // A caller in another language gives a value to every parameter.
                None => {
                    let default = slot
                        .new
                        .default
                        .as_ref()
                        .filter(|text| (is_foreign || says_all) && is_plain_literal(text));
                    let value = slot.new.value.as_ref().or(default);
                    value.into_iter().map(|value| (form == Form::ByName, Piece::new(&**value))).collect()
                }
            };
            if let Some(old) = slot.old {
                order.extend(given[old].iter().map(|(_, id)| *id));
            }
            let ends_list = slot.old.is_some_and(|place| old.params[place].is_vararg);
            if values.is_empty() {
                // An argument that a call leaves out may be left out by this overload of the function or by
                // another one.
                if slot.old.is_none() && (is_foreign || says_all || slot.new.default.is_none()) {
                    return scene
                        .form(format!("no value is known for the parameter `{name}` of this call"), at);
                }
                let said = match slot.old {
                    Some(place) => old.params[place].left_out.as_deref(),
                    None => slot.new.default.as_deref().filter(|text| is_plain_literal(text)),
                };
                all.push(Argument { name, is_named: false, form, value: None, said, ends_list });
                continue;
            }
            let count = values.len();
            all.extend(values.into_iter().enumerate().map(|(i, (is_named, piece))| Argument {
                name,
                is_named,
                form,
                value: Some(piece),
                said: None,
                ends_list: ends_list && i + 1 == count,
            }));
        }
        let Some(items) = in_order(all, (can_name, self.members.len() == 1), mark_of(syntax)) else {
            return scene.form("an argument would take the place of one that is left out", at);
        };
        let moved = order.windows(2).any(|pair| syntax.range(pair[0]).start > syntax.range(pair[1]).start);
        if moved && order.iter().filter(|id| syntax.has_effects(**id)).count() > 1 {
            let line = syntax.text_of(call).lines().next().unwrap_or("").to_owned();
            let message = format!("the arguments of `{line}` are made in another order");
            let at = Some(self.ctx.at(file, at));
            self.doubts.push(super::conflict(ConflictKind::Unresolved, message, at));
        }
        let mut pieces = Vec::new();
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 || object.is_some() {
                pieces.push(Piece::new(", "));
            }
            pieces.extend(item);
        }
        if is_bare && !pieces.is_empty() {
            pieces.insert(0, Piece::new("("));
            pieces.push(Piece::new(")"));
        }
        Ok((range, pieces))
    }
}
