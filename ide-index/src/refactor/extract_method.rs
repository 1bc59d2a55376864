//! Statements, or an expression, become a function of their own.

use ide_model::{ConflictKind, FilePath, QueryError, Refactored, TextRange, paths};

use super::RefactorContext;
use super::calls::{is_this, reindent};
use super::data_flow::{Crossing, Crossings, crossings};
use super::draft::{Draft, Piece};
use super::flow::Flow;
use super::inference::{said_by_place, takes_type_from_place, widens};
use super::method_site::{CONSTRUCTORS, Exit, Part, Receiver, Site, never_ends, says_results};
use super::method_text::{Writing, writing_of};
use super::narrowing::{told_before, told_inside};
use super::own_words::{can_leave, is_super_call};
use super::scene::{Refused, Scene, finish};
use super::tree::{NodeId, has};
use super::types::TypeWriter;
use crate::facts::{DefFlags, RefFlags, Role};
use crate::lang::names;
use crate::query::file_id;
use crate::world::GlobalDef;

/// Plans that a part of a function becomes a function; see [`ide_model::Refactoring::ExtractMethod`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a table.
pub(super) fn extract_method(
    ctx: &RefactorContext<'_>,
    path: &FilePath,
    range: TextRange,
    name: &str,
) -> Result<Refactored, QueryError> {
    let file = file_id(&**ctx.pool.world(), path)?;
    let scene = Scene::open(ctx, file)?;
    let planned = match writing_of(scene.view.language()) {
        Some(writing) => plan(&scene, writing, range, name),
        None => scene.form("functions cannot be written in this language", range),
    };
    finish(ctx, format!("extract method {name}"), planned, &[name])
}

fn plan(
    scene: &Scene<'_>,
    writing: &Writing,
    range: TextRange,
    name: &str,
) -> Result<(Draft, Vec<String>), Refused> {
    if let Some(problem) = names::spelling_problem(scene.view.language(), name) {
        return Err(scene.refusal(ConflictKind::InvalidName, format!("the name `{name}` {problem}"), range));
    }
    let part = Part::select(scene, range)?;
    let site = Site::of(scene, &part)?;
    let flow = scene.ctx.pool.with(|rx| Flow::of(rx, &scene.view));
    let whole = scene.syntax.range(site.node);
    let crossing = crossings(scene, &flow, part.range, whole, part.function, &part.nodes)?;
    let mut job = Job { scene, writing, part, site, flow, crossing, name };
    job.leave_out_self();
    job.control()?;
    job.is_new_name()?;
    if let Some(place) = job.types(|types| told_inside(types, job.part.range, job.part.function)) {
        return scene.form(
            "a test in it tells of what this relies on, and would be hidden in the new function",
            place,
        );
    }
    // A variable that cannot be passed to a function elsewhere is visible to a function inside.
    job.write().or_else(|refused| job.write_inner().ok_or(refused))
}

pub(super) struct Job<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) writing: &'a Writing,
    pub(super) part: Part,
    pub(super) site: Site,
    pub(super) flow: Flow,
    pub(super) crossing: Crossings,
    pub(super) name: &'a str,
}

impl Job<'_> {
    /// The object of a method that is a parameter by name is no parameter of the new one: it becomes its object too.
    fn leave_out_self(&mut self) {
        let Some(own) = self.self_name() else { return };
        self.crossing.inputs.retain(|input| *input.name != *own);
    }

    /// The name of the object of a method, where it is declared like a parameter.
    fn self_name(&self) -> Option<String> {
        let syntax = &self.scene.syntax;
        let member = self.site.member?;
        if let Some(list) = syntax.field(member, "receiver") {
            let name = syntax.below(list).into_iter().find(|id| syntax.node(*id).field == "name")?;
            return Some(syntax.text_of(name).to_owned());
        }
        if !syntax.shape.by_indent || self.site.owner.is_none() {
            return None;
        }
        let first = syntax.named(syntax.field(member, "parameters")?).next()?;
        (syntax.kind(first) == "identifier").then(|| syntax.text_of(first).to_owned())
    }

    pub(super) fn refuse<T>(&self, message: impl Into<String>) -> Result<T, Refused> {
        self.scene.form(message, self.part.range)
    }

    fn run_nodes(&self) -> Vec<NodeId> {
        let syntax = &self.scene.syntax;
        self.part.nodes.iter().flat_map(|id| syntax.run_by(*id)).collect()
    }

    /// Refuses code that only a constructor may contain: calls of another constructor, and first values of
    /// fields.
    fn construction(&self, inside: &[NodeId]) -> Result<(), Refused> {
        let syntax = &self.scene.syntax;
        let delegates = |id: NodeId| {
            has("explicit_constructor_invocation constructor_delegation_call", syntax.kind(id))
                || syntax.field(id, "function").is_some_and(|callee| syntax.kind(callee) == "super")
        };
        if let Some(found) = inside.iter().find(|id| delegates(**id)) {
            return self.scene.form("only a constructor may call another one", syntax.range(*found));
        }
        let constructs = self.site.member.is_some_and(|member| {
            let name = syntax.field(member, "name").map_or("", |name| syntax.text_of(name));
            has(CONSTRUCTORS, syntax.kind(member)) || name == "constructor"
        });
        if !constructs {
            return Ok(());
        }
        let view = &self.scene.view;
        let is_first = |def: GlobalDef| {
            self.scene.ctx.pool.with(|rx| {
                let d = rx.def(def);
                let is_kept = [DefFlags::FINAL, DefFlags::READONLY].iter().any(|flag| d.flags.has(*flag));
                rx.member_owner(def).is_some() && (is_kept || self.writing.checks_fields)
            })
        };
        let mut writes = view.ref_ids().filter(|r| {
            view.reference(*r).role == Role::Write && self.part.range.encloses(view.reference(*r).range)
        });
        let first = writes.find(|r| {
            let resolved = self.scene.ctx.pool.with(|rx| rx.resolve(view.global_ref(*r)));
            resolved.resolution.defs().any(is_first)
        });
        match first {
            Some(r) => {
                self.scene.form("only a constructor may give this field its value", view.reference(r).range)
            }
            None => Ok(()),
        }
    }

    /// Ways out of the part other than its end.
    fn control(&self) -> Result<(), Refused> {
        let (syntax, shape) = (&self.scene.syntax, self.scene.syntax.shape);
        let inside = self.run_nodes();
        let at = |id: NodeId| syntax.range(id);
        self.construction(&inside)?;
        self.outer_variables()?;
        for id in &inside {
            if syntax.is_in(*id, shape.yields) {
                return self.scene.form("it yields a value to the caller of the generator", at(*id));
            }
            if syntax.is_in(*id, shape.escapes) {
                return self.scene.form("it leaves the function early", at(*id));
            }
            if has("defer_statement", syntax.kind(*id)) {
                return self.scene.form("deferred calls would run at the end of the new function", at(*id));
            }
            let is_break = syntax.is_in(*id, shape.breaks);
            if is_break || syntax.is_in(*id, shape.continues) {
                let targets = if is_break { shape.breakable } else { shape.loops };
                let has_label = syntax.named(*id).next().is_some();
                let is_caught = syntax
                    .ancestors(*id)
                    .take_while(|up| self.part.range.encloses(at(*up)))
                    .any(|up| syntax.is_in(up, targets));
                if has_label || !is_caught {
                    return self.scene.form("it leaves a loop that is not selected", at(*id));
                }
            }
        }
        can_leave(self.scene, &self.part, &inside)?;
        // A lambda may give back for the function around it.
        let non_local = |id: NodeId| {
            shape.returns == "return_expression" && syntax.is_in(id, shape.returns) && shape.this != "self"
        };
        let deep = self.part.nodes.iter().flat_map(|id| syntax.below(*id));
        if let Some(found) = deep.into_iter().find(|id| non_local(*id) && !inside.contains(id)) {
            return self.scene.form("it returns from inside of a lambda", at(found));
        }
        Ok(())
    }

    pub(super) fn exit(&self) -> Result<Exit, Refused> {
        let (syntax, shape) = (&self.scene.syntax, self.scene.syntax.shape);
        if self.part.is_value {
            let value = self.part.nodes[0];
            if syntax.is_place(value) && !syntax.stands_in(value, "reference_expression.value") {
                return self.refuse("this is written to or names a place; a copy of its value is not enough");
            }
            let is_owned = shape.this == "self"
                && has("field_expression index_expression", syntax.kind(value))
                && !syntax.parent(value).is_some_and(|up| syntax.is_in(up, shape.binary));
            let is_copied =
                || self.types(|types| types.of_value(value)).is_some_and(|ty| has(shape.steady, &ty));
            if is_owned && !is_copied() {
                return self.refuse("it would move the value out of its place; choose a reference to it");
            }
            return Ok(Exit::Value(value));
        }
        let last = self.part.nodes[self.part.nodes.len() - 1];
        if !self.is_tail(last) && self.gives_value_of_block(last) {
            return match self.part.nodes[..] {
                [only] if syntax.is_expression(only) => Ok(Exit::Value(only)),
                _ => self.refuse("it gives the value of the block that it ends, and that has no type here"),
            };
        }
        let inside = self.run_nodes();
        let returns: Vec<NodeId> = inside.into_iter().filter(|id| syntax.is_in(*id, shape.returns)).collect();
        if !returns.is_empty() || self.is_tail(last) {
            let block = syntax.parent(last);
            let ends_list = block.is_some_and(|block| syntax.named(block).last() == Some(last));
            let of_body = block.is_some_and(|block| {
                syntax.ancestors(block).skip(1).take(2).any(|id| id == self.part.function)
            });
            let always = syntax.is_in(last, shape.returns)
                || syntax.is_in(last, shape.throws)
                || syntax.named(last).next().is_some_and(|id| syntax.is_in(id, shape.returns));
            if !(always || ends_list && of_body) {
                return self.refuse("it returns on some paths only");
            }
            if !(self.crossing.results.is_empty() || ends_list && of_body) {
                return self.refuse("it returns from the function and assigns a variable");
            }
            says_results(self.scene, self.part.function, &returns)?;
            let has_value = self.is_tail(last) || returns.iter().any(|id| syntax.named(*id).next().is_some());
            return Ok(Exit::Return { has_value });
        }
        if self.writing.types_params && never_ends(syntax, last) {
            return self.refuse("it always throws, and the compiler would not know that of a call");
        }
        Ok(if self.crossing.results.is_empty() { Exit::Nothing } else { Exit::Results })
    }

    /// Whether the last statement is the value of the function by itself.
    fn is_tail(&self, last: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let block = syntax.parent(last);
        syntax.shape.this == "self"
            && (syntax.is_expression(last) || has("block expression_statement", syntax.kind(last)))
            && block.is_some_and(|block| syntax.named(block).last() == Some(last))
            && !syntax.text_of(last).ends_with(';')
            && self.result_of(self.part.function).is_some()
            && block.is_some_and(|block| syntax.parent(block) == Some(self.part.function))
    }

    fn is_new_name(&self) -> Result<(), Refused> {
        let view = &self.scene.view;
        let scope = self.scene.syntax.range(self.site.node);
        let taken = view.def_ids().find(|def| {
            let d = view.def(*def);
            view.def_name(*def) == self.name
                && (!d.flags.has(DefFlags::LOCAL) || scope.encloses(d.name_range))
        });
        let beside = self.scene.ctx.pool.with(|rx| {
            let has_packages = view.package.is_some() && self.site.owner.is_none();
            has_packages
                && rx.world().declarations(self.name).into_iter().any(|site| {
                    let other = rx.file(site.at.file);
                    other.family() == view.family()
                        && paths::directory(&other.path) == paths::directory(&view.path)
                        && rx.member_owner(site.at).is_none()
                })
        });
        match taken {
            Some(def) => {
                let message = format!("`{}` is declared already", self.name);
                Err(self.scene.refusal(ConflictKind::Collision, message, view.def(def).name_range))
            }
            None if beside => {
                let message = format!("`{}` is declared in this package already", self.name);
                Err(self.scene.refusal(ConflictKind::Collision, message, self.part.range))
            }
            None => Ok(()),
        }
    }

    /// Whether the part works on the object of its method.
    fn uses_this(&self) -> Result<bool, Refused> {
        let syntax = &self.scene.syntax;
        if let Some(at) = self.on_inner_object() {
            return self.scene.form("it works on an object that the new function would not have", at);
        }
        let below = || self.part.nodes.iter().flat_map(|id| syntax.below(*id));
        if let Some(found) = below().find(|id| has("super super_expression", syntax.kind(*id))) {
            if self.site.member.is_none_or(|member| member != self.part.function) {
                return self.scene.form("it uses `super` inside a lambda", syntax.range(found));
            }
            return Ok(true);
        }
        let has_self = self.self_name().is_some();
        if below().any(|id| is_this(syntax, id) || has_self && is_super_call(syntax, id)) {
            return Ok(true);
        }
        if let Some(own) = self.self_name() {
            let view = &self.scene.view;
            return Ok(view.ref_ids().any(|r| {
                view.ref_name(r) == own
                    && self.part.range.encloses(view.reference(r).range)
                    && view.reference(r).receiver.is_none()
            }));
        }
        Ok(false)
    }

    fn receiver(&self) -> Result<Receiver, Refused> {
        let (syntax, writing) = (&self.scene.syntax, self.writing);
        let uses_this = self.uses_this()?;
        let plain = Receiver { call: String::new(), parameter: None, is_member: false, is_static: false };
        let is_static = self.site.member.is_some_and(|member| {
            let head = syntax.field(member, "name").map_or(0, |name| syntax.range(name).start);
            let before = syntax.children(member).iter().filter(|id| syntax.range(**id).end <= head);
            before.into_iter().any(|id| has(syntax.text_of(*id), "static"))
        });
        if let Some(member) = self.site.member
            && let Some(list) = syntax.field(member, "receiver")
        {
            // Only a method knows the type parameters that its receiver names.
            if !uses_this && !self.names_one_of(list) {
                return Ok(plain);
            }
            let own = self.self_name().unwrap_or_default();
            let parameter = Some(syntax.text_of(list).to_owned());
            return Ok(Receiver {
                call: writing.on_this.replace("{self}", &own),
                parameter,
                is_member: true,
                is_static,
            });
        }
        let Some(owner) = self.site.owner else {
            return if uses_this {
                self.refuse("it works on an object that the new function would not have")
            } else {
                Ok(plain)
            };
        };
        if syntax.shape.this == "self" {
            return self.rust_receiver(owner, uses_this);
        }
        if syntax.shape.by_indent {
            return self.python_receiver();
        }
        let crosses = syntax
            .ancestors(self.part.nodes[0])
            .take_while(|id| Some(*id) != self.site.member && *id != self.site.node)
            .any(|id| has("function_expression function_declaration generator_function", syntax.kind(id)));
        if crosses && writing.on_this == "this." {
            return self.refuse("it stands in a function that has an object of its own");
        }
        let is_early = self.is_before_object();
        let is_free = writing.method.contains("{static}") && writing.on_type.is_empty();
        if is_early && (uses_this || !is_free) {
            return self
                .refuse("there is no object yet where it runs, before the other constructor is called");
        }
        let is_static = is_static || is_early;
        let call = if is_static { writing.on_type } else { writing.on_this };
        Ok(Receiver { call: call.to_owned(), parameter: None, is_member: true, is_static })
    }

    /// Whether the part runs before the call of another constructor has made the object.
    fn is_before_object(&self) -> bool {
        let syntax = &self.scene.syntax;
        let Some(member) = self.site.member else { return false };
        let ends = |id: &NodeId| syntax.range(*id).end >= self.part.range.end;
        syntax.below(member).into_iter().filter(ends).any(|id| match syntax.kind(id) {
            "explicit_constructor_invocation" | "constructor_delegation_call" => true,
            "call_expression" => {
                syntax.field(id, "function").is_some_and(|callee| syntax.kind(callee) == "super")
            }
            _ => false,
        })
    }

    fn python_receiver(&self) -> Result<Receiver, Refused> {
        let syntax = &self.scene.syntax;
        let decorators: Vec<&str> = syntax
            .named(self.site.node)
            .filter(|id| syntax.kind(*id) == "decorator")
            .map(|id| syntax.text_of(id))
            .collect();
        let owner = self.site.owner.filter(|_| decorators.contains(&"@staticmethod"));
        let class = owner.filter(|owner| syntax.member_of(*owner).is_none());
        if let Some(name) = class.and_then(|class| syntax.field(class, "name")) {
            let call = format!("{}.", syntax.text_of(name));
            return Ok(Receiver { call, parameter: None, is_member: true, is_static: true });
        }
        if owner.is_some() || self.self_name().is_none() {
            return self.refuse("the method has no object, so the new one could not be reached by a name");
        }
        let own = self.self_name().unwrap_or_default();
        let is_static = decorators.contains(&"@classmethod");
        Ok(Receiver { call: format!("{own}."), parameter: Some(own), is_member: true, is_static })
    }

    fn rust_receiver(&self, owner: NodeId, uses_this: bool) -> Result<Receiver, Refused> {
        let (syntax, writing) = (&self.scene.syntax, self.writing);
        let plain = Receiver { call: String::new(), parameter: None, is_member: false, is_static: false };
        if syntax.parent(owner).is_none_or(|holder| syntax.kind(holder) == "mod_item") {
            return Ok(plain);
        }
        let parameter = self.site.member.and_then(|member| {
            let list = syntax.field(member, "parameters")?;
            syntax.named(list).find(|id| syntax.kind(*id) == "self_parameter")
        });
        if !uses_this {
            return Ok(Receiver {
                call: writing.on_type.to_owned(),
                parameter: None,
                is_member: true,
                is_static: true,
            });
        }
        let text = parameter.map_or("", |id| syntax.text_of(id));
        if !text.starts_with('&') && !self.is_last_of_object() {
            return self.refuse("the method owns its object, and the new one would take it away");
        }
        Ok(Receiver {
            call: writing.on_this.to_owned(),
            parameter: Some(text.to_owned()),
            is_member: true,
            is_static: false,
        })
    }

    /// Whether nothing but the part works on the object, and that once.
    fn is_last_of_object(&self) -> bool {
        let (syntax, part) = (&self.scene.syntax, self.part.range);
        let Some(body) = self.site.member.and_then(|member| syntax.field(member, "body")) else {
            return false;
        };
        let is_elsewhere = |id: NodeId| is_this(syntax, id) && !part.encloses(syntax.range(id));
        let mut around = syntax.ancestors(self.part.nodes[0]).take_while(|id| *id != body);
        let repeats =
            |id: NodeId| syntax.is_in(id, syntax.shape.loops) || syntax.is_in(id, syntax.shape.functions);
        !syntax.below(body).into_iter().any(is_elsewhere) && !around.any(repeats)
    }

    fn write(&self) -> Result<(Draft, Vec<String>), Refused> {
        let (scene, syntax, writing) = (self.scene, &self.scene.syntax, self.writing);
        let exit = self.exit()?;
        self.stands_alone(&exit)?;
        let receiver = self.receiver()?;
        let mut params: Vec<String> = Vec::new();
        let mut arguments: Vec<Vec<Piece>> = Vec::new();
        if syntax.shape.by_indent || syntax.shape.this == "self" {
            params.extend(receiver.parameter.clone());
        }
        let mut types = String::new();
        for input in &self.crossing.inputs {
            let (param, lead) = self.parameter(input, &mut types)?;
            params.push(param);
            arguments.push(self.argument(input, lead));
        }
        let of_params = types.clone();
        let result = self.result_type(&exit, &mut types)?;
        self.is_lent_from_one(&params, &result)?;
        let is_async = self.waits();
        let generics = self.generics(&types, &of_params)?;
        let head = self.head(&receiver, &params, &result, is_async, &generics);
        let outer = syntax.indent_at(syntax.range(self.site.node).start).to_owned();
        let indent = match &self.site.block {
            Some(_) => format!("{outer}{}", syntax.indent_unit()),
            None => outer.clone(),
        };
        let block = self.site.block.as_ref().map(|head| format!("{outer}{head} {{\n")).unwrap_or_default();
        let conditions = self.conditions(&indent);
        let mut function = vec![Piece::new(format!(
            "\n\n{}{block}{conditions}{indent}",
            if syntax.shape.by_indent && self.site.owner.is_none() { "\n" } else { "" }
        ))];
        if syntax.shape.by_indent && receiver.is_static {
            let decorator = if receiver.parameter.is_some() { "@classmethod" } else { "@staticmethod" };
            function.push(Piece::new(format!("{decorator}\n{indent}")));
        }
        let (before, after) = head.split_once("\u{0}").unwrap_or((&head, ""));
        function.push(Piece::new(before));
        function.push(Piece::Name(self.name.to_owned()));
        if matches!(exit, Exit::Value(_)) && result.is_empty() && !writing.infers.is_empty() {
            function.push(Piece::new(format!("{after}{}", writing.infers)));
            let part = vec![Piece::Old(scene.file, self.part.range)];
            let from = syntax.indent_at(self.part.range.start).to_owned();
            function.extend(reindent(syntax, part, scene.file, &from, &indent));
        } else {
            function.push(Piece::new(format!("{after}{}\n", writing.open)));
            function.extend(self.body(&exit, &indent));
            if !writing.close.is_empty() {
                function.push(Piece::new(format!("\n{indent}{}", writing.close)));
            }
        }
        if self.site.block.is_some() {
            function.push(Piece::new(format!("\n{outer}}}")));
        }
        let mut draft = Draft::default();
        draft.is_untyped = !writing.types_params;
        let mut end = syntax.range(self.site.node).end;
        if syntax.text[end as usize..].starts_with(';') {
            end += 1;
        }
        draft.insert(scene.file, end, function);
        let call = self.call(&exit, &receiver, arguments, is_async, &generics.arguments)?;
        draft.replace(scene.file, self.part.range, call);
        Ok((draft, Vec::new()))
    }

    fn types<T>(&self, ask: impl FnOnce(&TypeWriter<'_>) -> T) -> T {
        let (scene, pool) = (self.scene, self.scene.ctx.pool);
        pool.with(|rx| ask(&TypeWriter { ctx: scene.ctx, rx, file: &scene.view, syntax: &scene.syntax }))
    }

    /// In a place that gives the part its types: the part must need nothing of that.
    fn stands_alone(&self, exit: &Exit) -> Result<(), Refused> {
        if self.scene.syntax.shape.declare_typed.is_empty() {
            return Ok(());
        }
        if let Exit::Value(value) = exit
            && (self.types(|types| takes_type_from_place(types, *value))
                || widens(&self.scene.syntax, *value))
            && self.said_result(exit).is_empty()
        {
            return self.refuse("its type comes from the place where it stands");
        }
        match self.types(|types| told_before(types, self.part.range, self.part.function)) {
            Some(place) => {
                self.scene.form("it relies on a test before it, which the new function would not know", place)
            }
            None => Ok(()),
        }
    }

    fn argument(&self, input: &Crossing, lead: &str) -> Vec<Piece> {
        let view = &self.scene.view;
        let plain = input.read.filter(|range| {
            view.ref_ids().any(|r| {
                let reference = view.reference(r);
                reference.range == *range
                    && reference.role == Role::Read
                    && !reference.flags.has(RefFlags::IN_STRING)
            }) && view.by_place().refs.at(*range).count() == 1
        });
        let name = plain.map_or_else(|| Piece::new(&*input.name), |range| Piece::Old(self.scene.file, range));
        let before = format!(
            "{}{lead}",
            if plain.is_none_or(|range| !self.scene.syntax.slice(range).starts_with('$')) {
                self.scene.syntax.shape.sigil
            } else {
                ""
            }
        );
        let mut pieces = vec![Piece::new(before), name];
        pieces.retain(|piece| !matches!(piece, Piece::New(text) if text.is_empty()));
        pieces
    }

    /// The result type as it is written, with what goes around it.
    fn result_type(&self, exit: &Exit, types: &mut String) -> Result<String, Refused> {
        let (scene, writing) = (self.scene, self.writing);
        if !writing.types_result {
            let said = self.said_result(exit);
            types.push_str(&said);
            return Ok(if said.is_empty() { said } else { writing.result.replace("{type}", &said) });
        }
        let unknown = |what: &str| self.refuse(format!("the type of {what} is not known"));
        let ty = match exit {
            Exit::Nothing | Exit::Return { has_value: false } => return Ok(writing.void.to_owned()),
            Exit::Value(value) => match self.several_of(*value).or_else(|| scene.type_of(*value)) {
                Some(ty) => ty,
                None if self.is_whole_body(*value)
                    && let Some(ty) = self.result_of(self.part.function) =>
                {
                    ty
                }
                None if !writing.infers.is_empty() => return Ok(String::new()),
                None if self.is_split(*value) => return self.refuse("this call gives several values"),
                None => return unknown("the expression"),
            },
            Exit::Return { .. } => match self.result_of(self.part.function) {
                Some(ty) => ty,
                None => return unknown("the result"),
            },
            Exit::Results => {
                let mut all = Vec::new();
                for result in &self.crossing.results {
                    match scene.type_of_variable(result.declared) {
                        Some(ty) => all.push(ty),
                        None => return unknown(&format!("`{}`", result.name)),
                    }
                }
                match &all[..] {
                    [one] => one.clone(),
                    _ if writing.several_types.is_empty() => {
                        return self
                            .refuse("it gives several variables a value, and a function gives one here");
                    }
                    many => {
                        let (open, close) = writing.several_types.split_at(1);
                        format!("{open}{}{close}", many.join(", "))
                    }
                }
            }
        };
        let ty = self.outside_block(&ty);
        types.push_str(&ty);
        Ok(writing.result.replace("{type}", &ty))
    }

    /// The type that the function says of what it gives, where a new one may say it too: what is given may need it.
    pub(super) fn said_result(&self, exit: &Exit) -> String {
        let (syntax, function) = (&self.scene.syntax, self.part.function);
        if let Exit::Value(value) = exit {
            let place = |types: &TypeWriter<'_>| {
                takes_type_from_place(types, *value).then(|| said_by_place(types, *value))
            };
            return self.types(place).flatten().unwrap_or_default();
        }
        let is_plain = matches!(exit, Exit::Return { has_value: true })
            && !self.writing.result.is_empty()
            && (syntax.shape.by_indent
                || !syntax.children(function).iter().any(|id| has("async *", syntax.text_of(*id))));
        let ty =
            syntax.field(function, "return_type").filter(|ty| has("type_annotation type", syntax.kind(*ty)));
        match ty.filter(|_| is_plain) {
            Some(ty) => syntax.text_of(ty).trim_start_matches(':').trim().to_owned(),
            None => String::new(),
        }
    }

    pub(super) fn waits(&self) -> bool {
        let syntax = &self.scene.syntax;
        let view = &self.scene.view;
        let calls_suspending = || {
            self.scene.ctx.pool.with(|rx| {
                view.by_place().refs.within(self.part.range).any(|r| {
                    rx.resolve(view.global_ref(r))
                        .resolution
                        .defs()
                        .any(|def| rx.def(def).flags.has(DefFlags::SUSPEND))
                })
            })
        };
        // `async with`, `for await`.
        let says_so = |id: NodeId| {
            let is_word = |id: &NodeId| has("async await", syntax.text_of(*id));
            has("with_statement for_statement for_in_statement for_in_clause", syntax.kind(id))
                && syntax.children(id).iter().any(is_word)
        };
        self.run_nodes().into_iter().any(|id| syntax.is_in(id, syntax.shape.awaits) || says_so(id))
            || self.writing.async_word == "suspend " && calls_suspending()
    }

    pub(super) fn body(&self, exit: &Exit, indent: &str) -> Vec<Piece> {
        let (scene, syntax, writing) = (self.scene, &self.scene.syntax, self.writing);
        let inner = format!("{indent}{}", syntax.indent_unit());
        let from = syntax.indent_at(self.part.range.start).to_owned();
        let part = vec![Piece::Old(scene.file, self.part.range)];
        let moved = reindent(syntax, part, scene.file, &from, &inner);
        let mut pieces = vec![Piece::new(inner.clone())];
        match exit {
            Exit::Value(_) => {
                let (before, after) = writing.give.split_once("{value}").unwrap_or(("", ""));
                pieces.push(Piece::new(before));
                pieces.extend(moved);
                pieces.push(Piece::new(after));
            }
            _ => pieces.extend(moved),
        }
        if let Exit::Results = exit {
            let names: Vec<String> =
                self.crossing.results.iter().map(|r| format!("{}{}", syntax.shape.sigil, r.name)).collect();
            let kept = if names.len() > 1 { writing.several_kept } else { "" };
            let value = self.joined(&names) + kept;
            pieces.push(Piece::new(format!("\n{inner}{}", writing.give.replace("{value}", &value))));
        }
        pieces.retain(|piece| !matches!(piece, Piece::New(text) if text.is_empty()));
        pieces
    }

    fn joined(&self, names: &[String]) -> String {
        let (open, close) = if names.len() > 1 { self.writing.several.split_at(1) } else { ("", "") };
        format!("{}{}{}", open.trim(), names.join(", "), close.trim())
    }

    /// The code that takes the place of the part.
    pub(super) fn call(
        &self,
        exit: &Exit,
        receiver: &Receiver,
        arguments: Vec<Vec<Piece>>,
        is_async: bool,
        type_arguments: &str,
    ) -> Result<Vec<Piece>, Refused> {
        let (syntax, writing) = (&self.scene.syntax, self.writing);
        let (wait, waited) =
            if is_async { writing.wait.split_once("{value}").unwrap_or(("", "")) } else { ("", "") };
        let mut pieces = Vec::new();
        let end = syntax.shape.end;
        let mut after = format!("){waited}");
        match exit {
            Exit::Nothing | Exit::Return { has_value: false } => {
                after.push_str(end);
                let last = self.part.nodes[self.part.nodes.len() - 1];
                let leaves = syntax.is_in(last, syntax.shape.returns) && !self.ends_body(last);
                if leaves {
                    after.push_str(&format!("\n{}return{end}", syntax.indent_at(self.part.range.start)));
                }
            }
            Exit::Value(value) if syntax.is_markup(*value) => {
                pieces.push(Piece::new("{"));
                after.push('}');
            }
            Exit::Value(_) => {}
            Exit::Return { has_value: true } => {
                let last = self.part.nodes[self.part.nodes.len() - 1];
                if !self.is_tail(last) {
                    pieces.push(Piece::new("return "));
                    after.push_str(end);
                }
            }
            Exit::Results => {
                let (before, behind) = self.results()?;
                pieces.push(Piece::new(before));
                after.push_str(&behind);
            }
        }
        pieces.push(Piece::new(format!("{wait}{}", receiver.call)));
        pieces.push(Piece::new(format!("{}{type_arguments}(", self.name)));
        for (i, argument) in arguments.into_iter().enumerate() {
            if i > 0 {
                pieces.push(Piece::new(", "));
            }
            pieces.extend(argument);
        }
        pieces.push(Piece::new(after));
        pieces.retain(|piece| !matches!(piece, Piece::New(text) if text.is_empty()));
        Ok(pieces)
    }

    fn ends_body(&self, last: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let block = syntax.parent(last);
        block.is_some_and(|block| {
            syntax.named(block).last() == Some(last)
                && syntax.ancestors(block).skip(1).take(2).any(|id| id == self.part.function)
        })
    }

    /// The text around the call that gives variables their values.
    fn results(&self) -> Result<(String, String), Refused> {
        let (syntax, writing) = (&self.scene.syntax, self.writing);
        let results = &self.crossing.results;
        if results.len() > 1 && writing.several.is_empty() {
            return self.refuse("it gives several variables a value, and a function gives one here");
        }
        let inner = results.iter().filter(|result| result.is_inner).count();
        let has_own_words = !syntax.shape.by_indent && syntax.shape.sigil.is_empty();
        if inner > 0 && inner < results.len() && has_own_words {
            return self.refuse("it gives both new and old variables a value");
        }
        let mut template = if inner == 0 { writing.assign.to_owned() } else { writing.declare.to_owned() };
        let mut names: Vec<String> =
            results.iter().map(|r| format!("{}{}", syntax.shape.sigil, r.name)).collect();
        if inner > 0 {
            let changes = |r: &Crossing| r.is_written_after;
            if syntax.shape.this == "self" {
                for (name, result) in names.iter_mut().zip(results) {
                    let node = syntax.around(result.declared);
                    let is_mutable = syntax.parent(node).is_some_and(|up| {
                        syntax.children(up).iter().any(|id| syntax.kind(*id) == "mutable_specifier")
                    });
                    if is_mutable {
                        name.insert_str(0, "mut ");
                    }
                }
            } else if results.iter().any(changes) {
                template = template.replacen("const ", "let ", 1).replacen("val ", "var ", 1);
            }
            if let Some(ty) = template
                .contains("{type}")
                .then(|| self.scene.type_of_variable(results[0].declared))
                .flatten()
            {
                template = template.replace("{type}", &ty);
            }
        }
        let text = template.replace("{names}", &self.joined(&names));
        let (before, after) = text.split_once("{value}").unwrap_or((&text, ""));
        Ok((before.to_owned(), after.to_owned()))
    }
}
