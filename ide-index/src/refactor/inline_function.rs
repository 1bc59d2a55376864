//! A function or method goes away: its body stands where it was called.

mod body;
mod branches;
pub(super) mod carry;
mod leaving;
mod object;
mod put;
mod reach;
pub(super) mod site;
mod substitution;

use std::collections::BTreeMap;

use ide_model::{QueryError, Refactored, SymbolKind, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

use self::body::Body;
pub(super) use self::leaving::result_of;
use self::substitution::Taken;
use super::RefactorContext;
use super::calls::{callee_name, is_callable_value, is_this};
use super::doubt::could_mean;
use super::draft::Draft;
use super::family::{Family, is_called_by_name};
use super::flow::{Flow, Mention};
use super::imports::{ImportChange, edits};
use super::in_macros::named_in_macros;
use super::own_words::own_word;
use super::rename::{Occurrence, occurrences, only_file};
use super::scene::{Outcome, Refused, Scene, finish, is_remark};
use super::shapes::Shapes;
use super::tree::{NodeId, QUOTES, SPELLED_OUT, Syntax, has};
use super::types::initial_value;
use crate::facts::{DefFlags, DefId, Expr, ImportId, ImportKind, RefFlags, RefId, Role};
use crate::query::hierarchy::related_methods;
use crate::query::references::sought_of;
use crate::resolve::FileView;
use crate::world::{FileId, GlobalDef};

/// Plans that a function goes away; see [`ide_model::Refactoring::Inline`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages without a table.
pub(super) fn inline_function(ctx: &RefactorContext<'_>, def: GlobalDef) -> Result<Refactored, QueryError> {
    let name = ctx.pool.with(|rx| rx.shared_name(def));
    let planned = plan(ctx, def)?;
    finish(ctx, format!("inline {name}"), planned, &[&*name])
}

/// The type that the declaration of a parameter or variable says.
pub(super) fn said_type(syntax: &Syntax, declared: TextRange) -> Option<&str> {
    Param::read(syntax, declared, &mut Around::default())
        .ty
        .map(|ty| syntax.slice(ty).trim_start_matches(':').trim())
}

/// The value that a function gives and does nothing beside.
pub(super) fn only_value(home: &Scene<'_>, node: NodeId) -> Option<NodeId> {
    Body::of(home, node).ok().filter(|body| body.statements.is_empty())?.value
}

/// The function that goes away.
struct Function<'a> {
    home: &'a Scene<'a>,
    def: GlobalDef,
    /// The declaration of its parameters: itself, or the function that a name holds.
    code: DefId,
    node: NodeId,
    /// All that declares it.
    whole: NodeId,
    body: Body,
    /// Names of the parameters in order, with their places in the body.
    params: Vec<Param>,
    /// The ranges in which the body uses the object of the method.
    this: Vec<TextRange>,
}

#[derive(Default)]
struct Param {
    name: String,
    declared: TextRange,
    uses: Vec<TextRange>,
    is_written: bool,
    /// Its type, as it is declared.
    ty: Option<TextRange>,
    /// The default value, if it means the same everywhere.
    default: Option<NodeId>,
    /// It takes any number of arguments.
    is_list: bool,
    /// The caller sees writes to it.
    is_reference: bool,
}

fn plan(ctx: &RefactorContext<'_>, def: GlobalDef) -> Outcome<(Draft, Vec<String>)> {
    let home = Scene::open(ctx, def.file)?;
    let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &[def]))?;
    let only_in = ctx.pool.with(|rx| only_file(rx, &[def]));
    let found = occurrences(ctx, &sought, only_in)?;
    if let Some(refusal) = relatives(ctx, &home, def)? {
        return Ok(Err(refusal));
    }
    let function = match Function::read(&home, def) {
        Ok(function) => function,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let holder = home.syntax.ancestors(function.whole).skip(1).take(2);
    if { holder }.any(|id| home.syntax.kind(id) == "object") {
        let message = "it is a part of an object, which would not have it any more";
        return Ok(home.form(message, home.view.def(def.def).name_range));
    }
    let (mut draft, mut taken) = (Draft::default(), Taken::new());
    let mut warnings = Vec::new();
    let mut scenes: BTreeMap<FileId, Scene<'_>> = BTreeMap::new();
    let mut drops: BTreeMap<FileId, ImportChange> = BTreeMap::new();
    let mut calls = 0;
    let mut later: Option<Refused> = None;
    let mut seen: FxHashSet<(FileId, TextRange)> = FxHashSet::default();
    for use_ in &found {
        ctx.cx.check()?;
        let view = ctx.pool.with(|rx| rx.shared_file(use_.file));
        let range = view.reference(use_.reference).range;
        if use_.file == def.file && home.view.def(def.def).name_range == range {
            continue;
        }
        if !use_.is_certain {
            if ctx.pool.with(|rx| could_mean(rx, &[def], only_in, use_)) {
                let message = "this may be a call of it; its meaning is not known";
                later = later.or_else(|| {
                    home.form::<()>(message, range).err().map(|mut refusal| {
                        refusal.at = Some(ctx.at(use_.file, range));
                        refusal
                    })
                });
            }
            continue;
        }
        if view.reference(use_.reference).flags.has(RefFlags::IN_DOC) {
            warnings.push(format!("a comment of {} mentions it", ctx.path(use_.file)));
            continue;
        }
        if !seen.insert((use_.file, range)) {
            continue;
        }
        let scene = match scenes.entry(use_.file) {
            std::collections::btree_map::Entry::Occupied(scene) => scene.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => place.insert(Scene::open(ctx, use_.file)?),
        };
        if let Some(import) = import_of(&view, use_.reference) {
            drops.entry(use_.file).or_default().drop.insert(import);
            continue;
        }
        if let Err(refusal) = function.inline_at(scene, use_, range, &mut draft, &mut taken) {
            return Ok(Err(refusal));
        }
        function.carried(scene, drops.entry(use_.file).or_default());
        calls += 1;
    }
    if let Some(refusal) = later {
        return Ok(Err(refusal));
    }
    if let Some((file, range)) = named_in_macros(ctx, &[def], only_in)?.first() {
        let scene = Scene::open(ctx, *file)?;
        return Ok(scene.form("it is called in a macro, or may be", *range));
    }
    if calls == 0 {
        return Ok(home.form(
            "nothing calls it; ide_refactor_safe_delete removes it",
            home.view.def(def.def).name_range,
        ));
    }
    drops.retain(|_, change| !change.drop.is_empty() || !change.add.is_empty());
    for (file, change) in &drops {
        draft.imports(*file, edits(ctx, *file, change)?);
    }
    let d = home.view.def(def.def);
    let exported =
        home.syntax.parent(function.whole).filter(|id| home.syntax.kind(*id) == "export_statement");
    let whole = home.syntax.range(exported.unwrap_or(function.whole));
    // Attributes are no part of the node that they stand before.
    let head = whole.start.min(d.range.start);
    let start = d.doc.filter(|doc| doc.end <= head).map_or(head, |doc| doc.start);
    draft.replace(def.file, home.paragraph(TextRange::new(start, whole.end)), Vec::new());
    Ok(Ok((draft, warnings)))
}

/// The import that binds a name in a file and does nothing else.
pub(super) fn import_of(view: &FileView, reference: RefId) -> Option<ImportId> {
    view.import_by_member(reference).filter(|id| {
        let import = view.import(*id);
        import.kind == ImportKind::Member && import.def.is_some()
    })
}

/// A method that others replace, or that replaces another, has no one body.
fn relatives(
    ctx: &RefactorContext<'_>,
    home: &Scene<'_>,
    def: GlobalDef,
) -> Result<Option<Refused>, QueryError> {
    let d = home.view.def(def.def);
    let name = home.view.def_name(def.def);
    let at = d.name_range;
    let refuse = |message: &str| Ok(home.form::<()>(message, at).err());
    let (related, unseen) = ctx.pool.with(|rx| {
        let unseen = rx.policy_of(def).may_override_unseen(rx, def);
        Ok::<_, QueryError>((related_methods(rx, ctx.cx, def)?, unseen))
    })?;
    if !related.is_empty() {
        return refuse("another declaration overrides it, or is overridden by it");
    }
    let is_method = ctx.pool.with(|rx| rx.member_owner(def).is_some());
    if is_method && unseen && d.kind != SymbolKind::Constructor {
        return refuse("it may stand for a method of a supertype that is not in the project");
    }
    let family = Family { defs: vec![def], libraries: Vec::new() };
    let mut shapes = Shapes::default();
    if !shapes.asking(ctx, &family, name)?.is_empty() {
        return refuse("a value that has it is passed where a type requires a member of this name");
    }
    if !shapes.texts(ctx, &family, name)?.is_empty() {
        return refuse("a string with its name may refer to it");
    }
    if ctx.pool.with(|rx| is_called_by_name(rx, def, name)) {
        return refuse("the language or its library calls a function of this name by itself");
    }
    Ok(None)
}

/// The parts of nodes around parameters: a list of very many is gone through once.
#[derive(Default)]
struct Around(FxHashMap<NodeId, Parts>);

/// The first child in each field, and the kinds of all children.
#[derive(Default)]
struct Parts {
    fields: FxHashMap<&'static str, NodeId>,
    kinds: FxHashSet<&'static str>,
}

impl Around {
    fn note(&mut self, syntax: &Syntax, id: NodeId) {
        self.0.entry(id).or_insert_with(|| {
            let mut parts = Parts::default();
            for child in syntax.children(id) {
                parts.fields.entry(syntax.node(*child).field).or_insert(*child);
                parts.kinds.insert(syntax.kind(*child));
            }
            parts
        });
    }
}

impl Param {
    /// Reads the declaration of a parameter.
    fn read(syntax: &Syntax, declared: TextRange, known: &mut Around) -> Self {
        let up = syntax.ancestors(syntax.around(declared)).take(4);
        let up = up.take_while(|id| !syntax.is_in(*id, syntax.shape.functions));
        let around: Vec<NodeId> = up.inspect(|id| known.note(syntax, *id)).collect();
        let parts = || around.iter().filter_map(|id| known.0.get(id));
        let of = |field: &str| parts().find_map(|parts| parts.fields.get(field).copied());
        let named = around.iter().find(|id| syntax.kind(**id) == "parameter");
        let plain = || {
            syntax.named(*named?).find(|id| has("user_type nullable_type function_type", syntax.kind(*id)))
        };
        let default = of("default_value").or_else(|| of("value"));
        let is_plain = |id: &NodeId| {
            syntax.is_in(*id, syntax.shape.literals) && !syntax.text_of(*id).contains(['$', '{'])
        };
        let has_kind = |kinds: &str| around.iter().any(|id| syntax.is_in(*id, kinds));
        let holds = |kind: &str| parts().any(|parts| parts.kinds.contains(kind));
        Self {
            ty: of("type").or_else(plain).map(|id| syntax.range(id)),
            default: default.filter(is_plain),
            is_list: has_kind(
                "variadic_parameter_declaration variadic_parameter spread_parameter rest_pattern list_splat_pattern \
                dictionary_splat_pattern",
            ) || holds("parameter_modifiers"),
            is_reference: holds("reference_modifier"),
            ..Self::default()
        }
    }
}

impl<'a> Function<'a> {
    fn read(home: &'a Scene<'a>, def: GlobalDef) -> Result<Self, Refused> {
        let syntax = &home.syntax;
        let held = held_function(&home.view, def.def);
        let code = held.unwrap_or(def.def);
        let d = home.view.def(code);
        let at = home.view.def(def.def).name_range;
        if d.kind == SymbolKind::Constructor {
            return home.form("a constructor cannot be inlined", at);
        }
        for (flag, what) in REFUSED {
            if d.flags.has(*flag) {
                return home.form(format!("{what} cannot be inlined"), at);
            }
        }
        if !d.decorators.is_empty() && !home.view.list(d.decorators).all(|e| is_remark(home, e)) {
            return home.form(
                if syntax.shape.by_indent {
                    "a decorator stands above it, and calls go through that"
                } else {
                    "its annotation or decorator would be lost"
                },
                at,
            );
        }
        let name = syntax.around(at);
        let node = syntax.ancestors(name).find(|id| syntax.is_in(*id, syntax.shape.functions));
        if syntax.parent(name).is_some_and(|id| has("function_signature method_signature", syntax.kind(id))) {
            return home.form("a function with overloads cannot be inlined", at);
        }
        let declared = match held {
            Some(_) => holder(syntax, name),
            None => node.filter(|node| syntax.parent(name) == Some(*node)).map(|node| (node, node)),
        };
        let Some((node, outer)) = declared else {
            return home.form("it is not declared as a function", at);
        };
        let whole = syntax.range(node);
        let takes_others = home.view.def_ids().any(|other| {
            let other = home.view.def(other);
            other.scope == d.scope && whole.encloses(other.range) && !d.range.encloses(other.range)
        });
        // A grammar may read a language wrongly and not say so.
        if takes_others || d.range.end > whole.end {
            return home.form("its beginning and end are not known", at);
        }
        let result = syntax.field(node, "return_type").map_or("", |id| syntax.kind(id));
        if has("type_predicate_annotation asserts_annotation", result) {
            return home
                .form("the compiler narrows types by its declaration, which its body would not do", at);
        }
        let body = Body::of(home, node)?;
        let flow = home.ctx.pool.with(|rx| Flow::of(rx, &home.view));
        let inside = body.range(syntax);
        let mut mentions: FxHashMap<usize, Vec<&Mention>> = FxHashMap::default();
        flow.within(inside).for_each(|m| mentions.entry(m.variable).or_default().push(m));
        let mut around = Around::default();
        let params: Vec<Param> = home
            .view
            .list(d.params)
            .filter(|param| !home.view.def(*param).name_range.is_empty())
            .map(|param| {
                let declared = home.view.def(param).name_range;
                let variable = flow.variable_of(param);
                let mentions = variable.and_then(|v| mentions.get(&v)).map_or(&[][..], |all| all);
                Param {
                    name: home.view.def_name(param).to_owned(),
                    declared,
                    uses: mentions.iter().map(|m| m.range).collect(),
                    is_written: mentions.iter().any(|m| m.writes),
                    ..Param::read(syntax, declared, &mut around)
                }
            })
            .collect();
        if let Some(param) = params.iter().find(|param| param.is_written && param.is_reference) {
            return home.form(format!("it writes its parameter `{}`", param.name), param.declared);
        }
        let this: Vec<TextRange> = syntax
            .below(node)
            .into_iter()
            .filter(|id| inside.encloses(syntax.range(*id)) && is_this(syntax, *id))
            .map(|id| syntax.range(id))
            .collect();
        if held.is_some() && !this.is_empty() {
            return home.form("its body uses `this`", this[0]);
        }
        let mut found = Self { home, def, code, node, whole: outer, body, params, this };
        found.this = found.of_own_object();
        found.check_body(inside)?;
        Ok(found)
    }

    fn check_body(&self, inside: TextRange) -> Result<(), Refused> {
        let (home, syntax) = (self.home, &self.home.syntax);
        let view = &home.view;
        let type_params: Vec<_> = view.list(view.def(self.code).type_params).collect();
        for r in view.by_place().refs.within(inside) {
            let resolved = home.ctx.pool.with(|rx| rx.resolve(view.global_ref(r)));
            let mut defs = resolved.resolution.defs();
            if defs.any(|def| def == self.def) {
                return home.form("it calls itself", view.reference(r).range);
            }
            if resolved.resolution.defs().any(|def| def.file == home.file && type_params.contains(&def.def)) {
                return home.form("its body uses a type parameter of its own", view.reference(r).range);
            }
        }
        let mut own: Vec<NodeId> = self.body.statements.clone();
        own.extend(self.body.value);
        if let Some(word) = own_word(syntax, &own) {
            let message = format!("`{}` means this function", syntax.text_of(word));
            return home.form(message, syntax.range(word));
        }
        for id in syntax.below(self.node).into_iter().filter(|id| inside.encloses(syntax.range(*id))) {
            let is_own = syntax.function_of(id) == Some(self.node);
            let goes = syntax.is_in(id, syntax.shape.escapes)
                && !(is_own && self.body.leaves.is_some() && has(LEAVES, syntax.kind(id)));
            if goes || syntax.is_in(id, syntax.shape.yields) || syntax.is_in(id, syntax.shape.awaits) {
                return home.form("its body waits, yields, or leaves early", syntax.range(id));
            }
            if has(KEEPS, syntax.kind(id)) {
                let message = format!("`{}` means this function", syntax.text_of(id));
                return home.form(message, syntax.range(id));
            }
            if has("super super_expression", syntax.kind(id)) {
                return home.form("its body uses `super`", syntax.range(id));
            }
        }
        Ok(())
    }

    /// Puts the body in the place of one call.
    fn inline_at(
        &self,
        scene: &Scene<'_>,
        use_: &Occurrence,
        name: TextRange,
        draft: &mut Draft,
        taken: &mut Taken,
    ) -> Result<(), Refused> {
        let (syntax, view) = (&scene.syntax, &scene.view);
        let r = view.reference(use_.reference);
        let is_import = r.role == Role::Import
            || view
                .import_by_member(use_.reference)
                .is_some_and(|i| view.import(i).kind == ImportKind::Member);
        let exports = syntax.ancestors(syntax.around(name)).any(|id| syntax.kind(id) == "export_statement");
        if is_import && exports {
            return scene.form("it is exported again here, and others would miss it", name);
        }
        if is_import {
            return scene.form("it is imported here, and the import would be left over", name);
        }
        let named = syntax.around(name);
        let call = syntax.ancestors(named).take(4).find(|id| syntax.is_in(*id, syntax.shape.calls));
        if syntax.ancestors(named).any(|id| syntax.kind(id) == "token_tree") {
            return scene.form("it is used in a macro, so its calls are not known", name);
        }
        let Some(call) = call.filter(|call| r.role == Role::Call && callee_name(syntax, *call) == Some(name))
        else {
            return scene.form("it is used here without being called", name);
        };
        let whole = syntax.parent(call).filter(|parent| has("await_expression await", syntax.kind(*parent)));
        if whole.is_some() {
            return scene.form("its result is waited for", name);
        }
        if has("new_expression", syntax.kind(call)) || is_callable_value(syntax, call) {
            return scene.form("it is used here without being called", name);
        }
        if syntax.parent(call).is_some_and(|up| has("defer_statement go_statement", syntax.kind(up))) {
            return scene.form("it is called here at another time", name);
        }
        self.check_reach(scene, name)?;
        self.check_shadows(scene, call)?;
        if self.body.leaves.is_some() {
            self.check_leaving(scene, call)?;
        }
        let substitution = self.substitution(scene, call, taken)?;
        self.put(scene, call, substitution, draft, taken)
    }

    /// An argument takes the place of a parameter: it must be made as often as before, and mean the same.
    fn check_argument(&self, scene: &Scene<'_>, param: &Param, value: NodeId) -> Result<(), Refused> {
        let (home, syntax) = (self.home, &self.home.syntax);
        let at = scene.syntax.range(value);
        let inside = self.body.range(syntax);
        if param.is_written || self.changes_copy(param) {
            return scene.form(format!("it writes its parameter `{}`", param.name), at);
        }
        self.check_narrowing(scene, param, value)?;
        if scene.is_once(value) {
            let Some(only) = param.uses.first().filter(|_| param.uses.len() == 1) else {
                let message = format!(
                    "the argument of `{}` has side effects, and is used {} times",
                    param.name,
                    param.uses.len()
                );
                return scene.form(message, at);
            };
            let path = syntax.ancestors(syntax.around(*only)).take_while(|id| *id != self.node);
            let mut path = path.filter(|id| inside.encloses(syntax.range(*id)));
            let sometimes = path.any(|id| {
                syntax.shape.barriers.iter().any(|(places, _)| syntax.stands_in(id, places))
                    || syntax.is_in(id, syntax.shape.loops)
                    || syntax.is_in(id, syntax.shape.functions)
                    || syntax.is_in(id, syntax.shape.blocks)
            });
            let before = TextRange::new(inside.start, only.start);
            let runs =
                |id: NodeId| syntax.is_in(id, syntax.shape.effects) && before.encloses(syntax.range(id));
            if sometimes || syntax.below(self.node).into_iter().any(runs) {
                return scene.form(
                    format!("the argument of `{}` would be evaluated at another time", param.name),
                    at,
                );
            }
        }
        let is_literal = scene.syntax.is_in(value, scene.syntax.shape.literals);
        let is_plain = is_literal || scene.syntax.named(value).next().is_none();
        let within = |range: TextRange, kinds: &str| {
            let fits = |id: &NodeId| range.encloses(syntax.range(*id)) && syntax.is_in(*id, kinds);
            syntax.below(self.node).iter().any(fits)
        };
        if !is_plain && within(inside, syntax.shape.assignments) {
            return scene.form(format!("the body writes something before it uses `{}`", param.name), at);
        }
        let any_use =
            |is_so: &dyn Fn(NodeId) -> bool| param.uses.iter().any(|used| is_so(syntax.around(*used)));
        if any_use(&|used| syntax.is_in_quotes(used)) && scene.syntax.text_of(value).contains(QUOTES) {
            return scene.form("its value cannot stand inside of a text", at);
        }
        if any_use(&|used| syntax.is_spelled_out(used)) {
            return scene.form(SPELLED_OUT, at);
        }
        if any_use(&|used| syntax.is_tested(used))
            && scene.type_of(value) != home.type_of_variable(param.declared)
        {
            let message =
                format!("the types of `{}` are told apart, and the argument has another one", param.name);
            return scene.form(message, at);
        }
        let sigil = syntax.shape.sigil;
        let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_variable = scene.syntax.text_of(value).strip_prefix(sigil).is_some_and(is_name);
        if !sigil.is_empty() && !is_variable && self.is_in_text(param) {
            return scene.form("it is used in a place that takes a name only", at);
        }
        let last = param.uses.last().map_or(inside.start, |last| last.start);
        let before = TextRange::new(inside.start, last);
        // Rust lends what it gives, and knows of nobody who could change it.
        let is_lent = syntax.shape.this == "self";
        if !is_plain && !is_lent && within(before, syntax.shape.effects) {
            return scene.form(format!("the body does something before it uses `{}`", param.name), at);
        }
        let is_kept = |used: &TextRange| {
            let mut around = syntax.ancestors(syntax.around(*used)).take_while(|id| *id != self.node);
            around.any(|id| syntax.is_in(id, syntax.shape.functions))
        };
        if !is_literal && param.uses.iter().any(is_kept) {
            return scene
                .form(format!("the argument of `{}` would be evaluated at another time", param.name), at);
        }
        if !syntax.shape.by_indent && !param.uses.is_empty() {
            let declared = home.type_of_variable(param.declared);
            let given = scene.type_of(value);
            let numbers = "byte short char int long float double Byte Short Long Float Double float32 float64 int8 int16 int32 \
                int64 uint uint8 uint16 uint32 uint64 u8 u16 u32 u64 usize i8 i16 i32 i64 isize f32 f64";
            let is_number = declared.as_deref().is_some_and(|ty| has(numbers, ty));
            if is_number
                && given != declared
                && scene.syntax.is_in(value, scene.syntax.shape.literals)
                && declared.as_deref() != Some("int")
            {
                return scene.form(format!("the number has another type than `{}`", param.name), at);
            }
            if is_number && given.is_some() && given != declared {
                return scene.form(format!("the argument is converted to the type of `{}`", param.name), at);
            }
        }
        Ok(())
    }

    /// Whether a parameter is used inside of a text.
    fn is_in_text(&self, param: &Param) -> bool {
        let syntax = &self.home.syntax;
        let in_text = |used: &TextRange| {
            syntax.ancestors(syntax.around(*used)).any(|id| syntax.is_in(id, syntax.shape.strings))
        };
        param.uses.iter().any(in_text)
    }

    /// A compiler narrows a parameter by tests, but may not narrow the expression that replaces it: a variable that
    /// changes, or a reference to something that has other members.
    fn check_narrowing(&self, scene: &Scene<'_>, param: &Param, value: NodeId) -> Result<(), Refused> {
        let (syntax, at) = (&scene.syntax, scene.syntax.range(value));
        let shape = syntax.shape;
        let learns = shape.by_indent || !shape.declare_typed.is_empty();
        let message =
            format!("the compiler narrows `{}`, which it would not do with the argument", param.name);
        if learns && param.ty.is_some() && param.uses.len() > 1 {
            let flow = scene.ctx.pool.with(|rx| Flow::of(rx, &scene.view));
            let named = flow.mentions.iter().find(|m| m.range == at);
            if named.is_some_and(|m| flow.of_variable(m.variable).any(|m| m.writes && !m.declares)) {
                return scene.form(message, at);
            }
        }
        let home = &self.home.syntax;
        let reached = |used: &TextRange| home.text[used.end as usize..].starts_with('.');
        if shape.block_value && syntax.kind(value) == "reference_expression" && param.uses.iter().any(reached)
        {
            return scene.form(message, at);
        }
        Ok(())
    }

    /// Whether the body changes a part of a parameter that is a copy of what the call gives.
    fn changes_copy(&self, param: &Param) -> bool {
        let syntax = &self.home.syntax;
        let ty = param.ty.map_or("", |ty| syntax.slice(ty));
        let copies =
            syntax.shape.declare.contains(":=") && !ty.starts_with(['*', '[']) && !ty.starts_with("map");
        let is_array = !syntax.shape.sigil.is_empty();
        let is_part = |used: &TextRange| {
            let up = syntax.ancestors(syntax.around(*used)).take_while(|id| *id != self.node);
            let mut up =
                up.skip_while(|id| syntax.range(*id).start + 1 >= used.start && !syntax.is_place(*id));
            up.next().is_some_and(|id| {
                let is_first = syntax.range(id).start + 1 >= used.start;
                is_first && (copies || is_array && syntax.kind(id) == "subscript_expression")
            })
        };
        param.uses.iter().any(is_part)
    }

    /// Whether a part of the function names one of its type parameters.
    fn has_type_parameter(&self, part: TextRange) -> bool {
        let view = &self.home.view;
        let own: Vec<_> = view.list(view.def(self.code).type_params).collect();
        view.by_place().refs.within(part).any(|r| {
            let resolved = self.home.ctx.pool.with(|rx| rx.resolve(view.global_ref(r)));
            resolved.resolution.defs().any(|def| def.file == self.home.file && own.contains(&def.def))
        })
    }

    fn has_self_parameter(&self) -> bool {
        let d = self.home.view.def(self.def.def);
        let is_member = self.home.ctx.pool.with(|rx| rx.member_owner(self.def).is_some());
        self.home.syntax.shape.by_indent
            && is_member
            && !d.flags.has(DefFlags::STATIC)
            && !self.params.is_empty()
    }
}

/// The function that a name is declared with and nothing else.
pub(super) fn held_function(view: &FileView, def: DefId) -> Option<DefId> {
    let d = view.def(def);
    let value =
        d.init.filter(|_| !d.kind.is_callable() && !d.flags.has(DefFlags::LOCAL) && d.ty.is_none())?;
    match view.expr(value) {
        Expr::Function(function) => Some(function),
        _ => None,
    }
}

/// The function in the declaration of a name, and the declaration, if that declares nothing else.
fn holder(syntax: &Syntax, name: NodeId) -> Option<(NodeId, NodeId)> {
    let declarator = syntax.ancestors(name).take(3).find(|id| syntax.is_in(*id, syntax.shape.declarators))?;
    let function = initial_value(syntax, declarator, name)?;
    let is_named = syntax.field(function, "name").is_some();
    let whole = syntax.parent(declarator).filter(|up| has(HOLDERS, syntax.kind(*up)))?;
    let is_alone = syntax.named(whole).count() == 1;
    (syntax.is_in(function, syntax.shape.lambdas) && !is_named && is_alone).then_some((function, whole))
}

/// Kinds of declarations that hold what they declare.
const HOLDERS: &str = "lexical_declaration variable_declaration var_declaration expression_statement";

/// Kinds that leave a function early where the end of it is that of the caller too.
const LEAVES: &str = "try_expression defer_statement";

/// Kinds that say how a name is meant in the function that they stand in.
const KEEPS: &str = "global_statement nonlocal_statement global_declaration function_static_declaration";

const REFUSED: &[(DefFlags, &str)] = &[
    (DefFlags::ABSTRACT, "a function without a body"),
    (DefFlags::ASYNC, "an asynchronous function"),
    (DefFlags::SUSPEND, "a suspending function"),
    (DefFlags::GENERATOR, "a generator"),
    (DefFlags::OPERATOR, "an operator"),
    (DefFlags::PROPERTY, "a property"),
    (DefFlags::GETTER, "a property"),
    (DefFlags::SETTER, "a property"),
    (DefFlags::CLASS_METHOD, "a method of the class itself"),
    (DefFlags::SYNCHRONIZED, "a synchronized method"),
];
