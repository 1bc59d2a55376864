//! Calls of constructors: `new`, `super(…)`, `this(…)`, enum constants, and what stands for them in other languages.

use std::collections::BTreeSet;

use ide_model::{
    Conflict, ConflictKind, Family, QueryError, SignatureChange, SourceKind, SymbolKind, TextRange,
};

use super::super::RefactorContext;
use super::super::calls::{callee_name, is_callable_value, object_of};
use super::super::doubt::could_mean;
use super::super::method_text::Writing;
use super::super::rename::occurrences;
use super::super::scene::{Outcome, Refused, Scene};
use super::super::tree::{NodeId, Syntax, has};
use super::{Job, Planned, Slot, Written};
use crate::facts::{DefFlags, RefFlags, RefId, Role};
use crate::query::hierarchy::{ancestors, descendants};
use crate::query::references::sought_of;
use crate::resolve::{Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// The calls that a change of a constructor concerns.
#[derive(Default)]
struct Calls {
    /// Each by its file and range.
    certain: BTreeSet<(FileId, TextRange)>,
    /// Places that may be calls.
    doubts: Vec<(FileId, TextRange)>,
}

/// Plans another signature of a constructor.
pub(super) fn constructor<'a>(
    ctx: &'a RefactorContext<'a>,
    scene: Scene<'a>,
    def: GlobalDef,
    change: &'a SignatureChange,
    writing: &'static Writing,
) -> Outcome<Planned> {
    let at = scene.view.def(def.def).name_range;
    if change.new_name.is_some() || change.return_type.is_some() {
        return Ok(scene.form("a constructor has the name of its class, and no result", at));
    }
    let mut job = Job::new(ctx, def, change, writing, vec![def]);
    job.open(def.file)?;
    let old = match job.written(def) {
        Ok(old) => old,
        Err(refused) => return Ok(Err(refused)),
    };
    let is_bare = old.params.iter().all(|param| param.is_vararg || param.has_default);
    let found = match calls_of(ctx, &scene, def, is_bare)? {
        Ok(found) => found,
        Err(refused) => return Ok(Err(refused)),
    };
    for (file, range) in found.doubts {
        let message = "this may be a call of the constructor; its meaning is not known".to_owned();
        job.doubts.push(super::super::conflict(ConflictKind::Unresolved, message, Some(ctx.at(file, range))));
    }
    for (file, _) in &found.certain {
        job.open(*file)?;
    }
    Ok(job.run_constructor(def, &old, &found.certain))
}

/// The constructor that a declaration is, or the only one of a class.
pub(super) fn constructor_of(rx: &Resolver, def: GlobalDef) -> Option<GlobalDef> {
    let is_constructor = |def: GlobalDef| {
        rx.def(def).kind == SymbolKind::Constructor
            || rx.member_owner(def).is_some() && matches!(&*rx.shared_name(def), "__init__" | "__construct")
    };
    if is_constructor(def) {
        return Some(def);
    }
    // The header of a record is a constructor too, whatever others it declares.
    let kind = rx.def(def).kind;
    if !kind.is_type() || kind == SymbolKind::Record {
        return None;
    }
    // The one in the head of a class, without a word of its own, is meant by the name of the class.
    let own = constructors(rx, def);
    let in_head = own.iter().copied().find(|own| rx.has_flag(*own, DefFlags::SYNTHETIC));
    let mut own = own.into_iter();
    in_head.or_else(|| own.next().filter(|_| own.next().is_none()))
}

/// The constructors that a class declares.
fn constructors(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let file = rx.file(class.file);
    let Some(body) = file.def(class.def).body else { return Vec::new() };
    let is_constructor = |def: &GlobalDef| {
        rx.def(*def).kind == SymbolKind::Constructor
            || matches!(&*rx.shared_name(*def), "__init__" | "__construct")
    };
    file.all_in_scope(body).iter().map(|def| file.global(*def)).filter(is_constructor).collect()
}

struct Search<'s, 'a> {
    ctx: &'s RefactorContext<'a>,
    constructor: GlobalDef,
    class: GlobalDef,
    /// Whether it can be called without arguments.
    is_bare: bool,
    /// Classes whose objects are made by it.
    makers: BTreeSet<GlobalDef>,
    /// Classes below whose constructors call it.
    below: BTreeSet<GlobalDef>,
    /// All that are above or below.
    related: BTreeSet<GlobalDef>,
    found: Calls,
}

/// Finds the calls of a constructor. `is_bare` says that it can be called without arguments.
fn calls_of(
    ctx: &RefactorContext<'_>,
    scene: &Scene<'_>,
    constructor: GlobalDef,
    is_bare: bool,
) -> Outcome<Calls> {
    let at = scene.view.def(constructor.def).name_range;
    let owner = ctx.pool.with(|rx| rx.member_owner(constructor).or_else(|| rx.owner_class(constructor)));
    let Some(class) = owner else { return Ok(scene.form("its class is not known", at)) };
    let inherits = scene.view.language().family() != Family::Jvm;
    let heirs = ctx.pool.with(|rx| descendants(rx, ctx.cx, class))?;
    let (mut makers, mut below) = (BTreeSet::from([class]), BTreeSet::new());
    let above = ctx.pool.with(|rx| ancestors(rx, class));
    ctx.pool.with(|rx| {
        for (heir, _) in &heirs {
            let has_own = !constructors(rx, *heir).is_empty();
            if inherits && !has_own {
                makers.insert(*heir);
            } else {
                below.insert(*heir);
            }
        }
    });
    let of_others = ctx.pool.with(|rx| {
        let is_fixed = |def: &GlobalDef| rx.has_flag(*def, DefFlags::ABSTRACT);
        let is_said_above = above.iter().any(|class| constructors(rx, *class).iter().any(is_fixed));
        is_said_above
            || is_fixed(&constructor)
            || inherits && constructors(rx, class).len() > 1
            || rx.def(class).kind == SymbolKind::Trait
    });
    if of_others {
        return Ok(scene.form("other declarations of the constructor must have the same parameters", at));
    }
    let related = heirs.iter().map(|(heir, _)| *heir).chain(above).chain([class]).collect();
    let mut search =
        Search { ctx, constructor, class, is_bare, makers, below, related, found: Calls::default() };
    if let Err(refused) = search.named()? {
        return Ok(Err(refused));
    }
    if let Err(refused) = search.unnamed()? {
        return Ok(Err(refused));
    }
    Ok(Ok(search.found))
}

/// The calls of a constructor that do not name its class; for one that is to go away.
pub(in crate::refactor) fn unnamed_calls(
    ctx: &RefactorContext<'_>,
    def: GlobalDef,
) -> Result<Vec<Conflict>, QueryError> {
    if ctx.pool.with(|rx| rx.def(def).kind != SymbolKind::Constructor) {
        return Ok(Vec::new());
    }
    let class = ctx.pool.with(|rx| rx.member_owner(def).or_else(|| rx.owner_class(def)));
    let Some(class) = class else { return Ok(Vec::new()) };
    let heirs = ctx.pool.with(|rx| descendants(rx, ctx.cx, class))?;
    let related = heirs.iter().map(|(heir, _)| *heir).chain([class]).collect();
    // Without any constructor a class has one that takes nothing.
    let is_bare = ctx.pool.with(|rx| {
        rx.file(def.file).list(rx.def(def).params).next().is_none() && constructors(rx, class).len() > 1
    });
    let mut search = Search {
        ctx,
        constructor: def,
        class,
        is_bare,
        makers: BTreeSet::from([class]),
        below: heirs.into_iter().map(|(heir, _)| heir).collect(),
        related,
        found: Calls::default(),
    };
    let conflict = |kind, message, at| super::super::conflict(kind, message, at);
    if let Err(refused) = search.unnamed()? {
        return Ok(vec![conflict(ConflictKind::Unresolved, refused.message, refused.at)]);
    }
    let own = ctx.pool.with(|rx| rx.def(def).range);
    let found = search.found.certain.into_iter().filter(|(file, at)| *file != def.file || !own.encloses(*at));
    let message = "the constructor is called here without the name of its class";
    Ok(found
        .map(|(file, at)| conflict(ConflictKind::InUse, message.to_owned(), Some(ctx.at(file, at))))
        .collect())
}

impl Search<'_, '_> {
    /// Calls with the name of the class, or of the constructor.
    fn named(&mut self) -> Outcome<()> {
        let ctx = self.ctx;
        let classes: Vec<GlobalDef> = self.makers.iter().copied().collect();
        for (of, is_class) in [(classes, true), (vec![self.constructor], false)] {
            let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &of))?;
            for use_ in occurrences(ctx, &sought, None)? {
                ctx.cx.check()?;
                let scene = Scene::open(ctx, use_.file)?;
                let r = *scene.view.reference(use_.reference);
                let is_said = r.flags.has(RefFlags::IN_DOC) || matches!(r.role, Role::Import | Role::Package);
                if is_said || scene.view.by_place().names.at(r.range).next().is_some() {
                    continue;
                }
                if !use_.is_certain {
                    let may_be = match is_class {
                        true => ctx.pool.with(|rx| could_mean(rx, &of, None, &use_)),
                        false => self.is_inside(&scene, r.range),
                    };
                    if may_be {
                        self.found.doubts.push((use_.file, r.range));
                    }
                    continue;
                }
                let call = made_at(&scene.syntax, r.range);
                let is_ours = ctx.pool.with(|rx| self.is_meant(rx, &scene, use_.reference, call));
                let outcome = match (call, is_ours) {
                    (_, Some(false)) => Ok(()),
                    (Some(_), None) => {
                        scene.form("which of the constructors is called here is not known", r.range)
                    }
                    (Some(call), _) => self.take(&scene, call, r.range),
                    (None, _) => is_no_value(&scene.syntax, r.range, r.role).then_some(()).map_or_else(
                        || {
                            let message =
                                "the class is a value here, so the calls of its constructor are not known";
                            scene.form(message, r.range)
                        },
                        Ok,
                    ),
                };
                if let Err(refused) = outcome {
                    return Ok(Err(refused));
                }
            }
        }
        Ok(Ok(()))
    }

    /// Whether a place is inside of a class that is related.
    fn is_inside(&self, scene: &Scene<'_>, range: TextRange) -> bool {
        let mut around = scene.view.by_place().types_around(range.start);
        around.any(|ty| self.related.contains(&scene.view.global(ty)))
    }

    fn take(&mut self, scene: &Scene<'_>, call: NodeId, at: TextRange) -> Result<(), Refused> {
        let syntax = &scene.syntax;
        let with_object = syntax.shape.by_indent
            && syntax.slice(at) == "__init__"
            && object_of(syntax, call).is_none_or(|object| !syntax.text_of(object).starts_with("super("));
        if is_callable_value(syntax, call) || with_object {
            return scene.form("it is used here without being called, or with its object", at);
        }
        self.found.certain.insert((scene.file, syntax.range(call)));
        Ok(())
    }

    /// Whether a reference means the constructor; `None` where it may mean another one of the class.
    fn is_meant(
        &self,
        rx: &Resolver,
        scene: &Scene<'_>,
        reference: RefId,
        call: Option<NodeId>,
    ) -> Option<bool> {
        let resolved = rx.resolve(scene.view.global_ref(reference));
        let mut defs = resolved.resolution.defs().filter(|def| !rx.def(*def).kind.is_type()).peekable();
        if defs.peek().is_some() {
            return Some(defs.any(|def| def == self.constructor));
        }
        let call = call?;
        self.by_count(rx, scene.file, &scene.syntax, call)
    }

    /// Whether a call of some constructor of the class is one of this, by the number of its arguments.
    fn by_count(&self, rx: &Resolver, from: FileId, syntax: &Syntax, call: NodeId) -> Option<bool> {
        let all = constructors(rx, self.class);
        if all.len() == 1 {
            return Some(true);
        }
        let given = list_of(syntax, call).map_or(0, |list| syntax.named(list).count());
        let is_list = |def: &GlobalDef| {
            let file = rx.file(def.file);
            file.list(rx.def(*def).params).any(|param| file.has_flag(param, DefFlags::VARARG))
        };
        // A constructor does not call itself.
        let call = syntax.range(call);
        let takes = |def: &GlobalDef| {
            let file = rx.file(def.file);
            let params = || file.list(rx.def(*def).params);
            let required = params().filter(|param| file.def(*param).init.is_none()).count();
            (required..=params().count()).contains(&given)
        };
        if all.iter().any(is_list) {
            return None;
        }
        let all = all.into_iter().filter(|def| def.file != from || !rx.def(*def).range.encloses(call));
        let all: Vec<GlobalDef> = all.collect();
        let fits: Vec<&GlobalDef> = all.iter().filter(|def| takes(def)).collect();
        match fits[..] {
            [only] => Some(*only == self.constructor),
            _ if !fits.contains(&&self.constructor) && !fits.is_empty() => Some(false),
            _ => None,
        }
    }

    /// Calls without the name: `super(…)`, `this(…)`, `new self`, `cls(…)`, constants of an enum.
    fn unnamed(&mut self) -> Outcome<()> {
        let classes: Vec<GlobalDef> = self.related.iter().copied().collect();
        for class in classes {
            self.ctx.cx.check()?;
            if self.ctx.pool.world().file(class.file).source == SourceKind::Library {
                continue;
            }
            let scene = Scene::open(self.ctx, class.file)?;
            if let Err(refused) = self.in_class(&scene, class) {
                return Ok(Err(refused));
            }
        }
        Ok(Ok(()))
    }

    fn in_class(&mut self, scene: &Scene<'_>, class: GlobalDef) -> Result<(), Refused> {
        let (syntax, d) = (&scene.syntax, scene.view.def(class.def));
        let is_below = self.ctx.pool.with(|rx| {
            let supers = rx.policy_of(class).supers(rx, class);
            supers.iter().filter_map(Ty::def).any(|def| self.makers.contains(&def))
        });
        let is_maker = self.makers.contains(&class);
        let by_place = scene.view.by_place();
        let own = |range: TextRange| by_place.types_around(range.start).next() == Some(class.def);
        if is_maker && d.flags.has(DefFlags::ANONYMOUS) {
            // `new class(1) { … }` has the arguments behind the word.
            let around = syntax.around(TextRange::new(d.range.start, d.range.start));
            let anonymous = syntax.ancestors(around).chain(syntax.named(around));
            let anonymous = anonymous.take(8).find(|id| syntax.kind(*id) == "anonymous_class");
            match anonymous.filter(|id| list_of(syntax, *id).is_some()) {
                Some(call) => drop(self.found.certain.insert((scene.file, syntax.range(call)))),
                None => {
                    return scene.form(
                        "the class has no name, so the calls of its constructor are not known",
                        d.range,
                    );
                }
            }
        }
        let (mut calls, mut declared, mut has_head) = (0, 0, false);
        for id in syntax.below(syntax.root()).into_iter().filter(|id| own(syntax.range(*id))) {
            let head = callee_text(syntax, id);
            let is_super = head == "super" && is_below;
            let is_this = head == "this" && is_maker;
            let runs = match syntax.kind(id) {
                "explicit_constructor_invocation" | "constructor_delegation_call" => {
                    calls += 1;
                    is_super || is_this
                }
                "constructor_declaration" | "secondary_constructor" => {
                    declared += 1;
                    false
                }
                "constructor_invocation" => {
                    has_head = true;
                    false
                }
                "call_expression" => is_super && class != self.class,
                "enum_constant" | "enum_entry" => is_maker,
                "object_creation_expression" if head == "self" => is_maker,
                "object_creation_expression" if head == "parent" => is_below,
                "object_creation_expression" | "call" if matches!(head, "static" | "cls") => {
                    let all_make =
                        self.makers.is_superset(&self.related) || is_maker && self.below.is_empty();
                    if !all_make {
                        return scene.form("this may make objects of several classes", syntax.range(id));
                    }
                    true
                }
                "call" if matches!(head, "type(self)" | "self.__class__") => {
                    return scene.form("this may make objects of several classes", syntax.range(id));
                }
                "new_expression" if head.starts_with("this") || head.starts_with("(this") => {
                    return scene.form("this may make objects of several classes", syntax.range(id));
                }
                _ => false,
            };
            if !runs {
                continue;
            }
            match self.ctx.pool.with(|rx| self.by_count(rx, scene.file, syntax, id)) {
                Some(true) => {
                    self.found.certain.insert((scene.file, syntax.range(id)));
                }
                Some(false) => {}
                None => {
                    let message = "which of the constructors is called here is not known";
                    return scene.form(message, syntax.range(id));
                }
            }
        }
        let is_silent = !has_head && (calls < declared || declared == 0 && syntax.shape.end == ";");
        let is_jvm = scene.view.language().family() == Family::Jvm;
        if is_jvm && is_below && is_silent && self.is_bare && class != self.class {
            return scene.form("its constructor calls this one without saying so", d.name_range);
        }
        Ok(())
    }
}

/// The arguments of a call.
pub(super) fn list_of(syntax: &Syntax, call: NodeId) -> Option<NodeId> {
    let is_list = |id: &NodeId| has("value_arguments arguments argument_list", syntax.kind(*id));
    syntax.field(call, "arguments").or_else(|| syntax.named(call).find(is_list))
}

/// The text before the arguments of a call.
fn callee_text(syntax: &Syntax, call: NodeId) -> &str {
    let first = ["constructor", "function"].iter().find_map(|field| syntax.field(call, field));
    let first =
        first.or_else(|| syntax.children(call).iter().copied().find(|id| syntax.text_of(*id) != "new"));
    first.map_or("", |id| syntax.text_of(id))
}

/// The call that makes an object of the class whose name stands at a place, or runs the constructor that is named there.
fn made_at(syntax: &Syntax, name: TextRange) -> Option<NodeId> {
    // The attributes of other languages are members.
    let is_attribute = |id: NodeId| syntax.kind(id) == "attribute" && syntax.shape.sigil == "$";
    let is_call = |id: &NodeId| {
        syntax.is_in(*id, syntax.shape.calls)
            || syntax.kind(*id) == "constructor_invocation"
            || is_attribute(*id)
    };
    let call = syntax.ancestors(syntax.around(name)).take(6).find(is_call)?;
    if callee_name(syntax, call) == Some(name) {
        return Some(call);
    }
    let list = list_of(syntax, call)?;
    let callee = TextRange::new(syntax.range(call).start, syntax.range(list).start);
    let behind = syntax.slice(TextRange::new(name.end, callee.end.max(name.end))).trim();
    let is_callee = callee.encloses(name) && !has("call", syntax.kind(call));
    (is_callee && (behind.is_empty() || behind.starts_with('<') && behind.ends_with('>'))).then_some(call)
}

/// Whether the name of a class at a place says nothing of values of it: a type, the object of an access, a test.
fn is_no_value(syntax: &Syntax, name: TextRange, role: Role) -> bool {
    if matches!(role, Role::Type | Role::Extends | Role::Implements) {
        return true;
    }
    let behind = syntax.text[name.end as usize..].trim_start();
    if let Some(member) = behind.strip_prefix("::") {
        return !member.trim_start().starts_with("new");
    }
    if behind.starts_with(['.', '?']) {
        return true;
    }
    let node = syntax.around(name);
    let mut around = syntax.ancestors(node).skip(1).take(3);
    around.any(|id| {
        let is_test = || syntax.operator(id) == Some("instanceof");
        let is_asked = || {
            let function = syntax.field(id, "function").map_or("", |function| syntax.text_of(function));
            has("isinstance issubclass", function)
        };
        match syntax.kind(id) {
            "binary_expression" => is_test(),
            "call" => is_asked(),
            "except_clause" | "export_specifier" | "export_statement" | "class_heritage" | "type" => true,
            _ => false,
        }
    })
}

/// The parameters in the head of a Kotlin class, from a node in the head.
pub(super) fn head_list(syntax: &Syntax, node: NodeId) -> Option<NodeId> {
    let is_head = |id: &NodeId| has("class_declaration primary_constructor", syntax.kind(*id));
    let head = syntax.ancestors(node).take(3).find(is_head)?;
    let of = |id: NodeId, kind: &str| syntax.named(id).find(|child| syntax.kind(*child) == kind);
    let constructor =
        if syntax.kind(head) == "primary_constructor" { head } else { of(head, "primary_constructor")? };
    of(constructor, "class_parameters")
}

impl Job<'_> {
    fn run_constructor(
        mut self,
        def: GlobalDef,
        old: &Written,
        calls: &BTreeSet<(FileId, TextRange)>,
    ) -> Result<Planned, Refused> {
        let slots = self.slots(def, old)?;
        if let Some(slots) = &slots {
            self.check_overloads(def, slots, old)?;
            self.check_parts(def, slots, old)?;
        }
        self.declaration(def, slots.as_deref(), old.params.len())?;
        for (file, range) in calls {
            let Some(slots) = &slots else { break };
            let syntax = &self.scene(*file).syntax;
            let is_call = |id: &NodeId| syntax.range(*id) == *range && list_of(syntax, *id).is_some();
            let inner = syntax.around(*range);
            let call = syntax.ancestors(inner).take_while(|id| syntax.range(*id) == *range).find(is_call);
            let Some(call) = call else {
                return self.scene(*file).form("the call has no list of arguments", *range);
            };
            self.edit_call(*file, call, slots, old)?;
        }
        Ok((self.draft, self.warnings, self.doubts))
    }

    /// Parameters that are properties, fields or parts of their class too are used by their names and places elsewhere.
    pub(super) fn check_parts(
        &self,
        def: GlobalDef,
        slots: &[Slot<'_>],
        old: &Written,
    ) -> Result<(), Refused> {
        let scene = self.scene(def.file);
        let syntax = &scene.syntax;
        let is_part = |node: NodeId| {
            syntax.kind(node) == "property_promotion_parameter"
                || syntax.children(node).iter().any(|id| {
                    has("val var readonly", syntax.text_of(*id))
                        || syntax.kind(*id) == "accessibility_modifier"
                })
        };
        let mut last = None;
        let class = syntax
            .ancestors(old.list)
            .find(|id| has("class_declaration record_declaration", syntax.kind(*id)));
        let is_data = class.is_some_and(|class| {
            let head = TextRange::new(syntax.range(class).start, syntax.range(old.list).start);
            syntax.kind(class) == "record_declaration"
                || syntax.slice(head).split_whitespace().any(|word| word == "data")
        });
        if is_data && slots.iter().any(|slot| slot.old.is_none()) {
            return scene.form("a new parameter of it is a part of its class too", syntax.range(old.list));
        }
        for (place, param) in old.params.iter().enumerate() {
            if !is_part(param.node) && !is_data {
                continue;
            }
            let at = slots.iter().position(|slot| slot.old == Some(place));
            let is_kept = at.is_some_and(|at| slots[at].new.name.trim_start_matches('$') == param.name);
            if !is_kept {
                let message =
                    format!("`{}` is a part of the class too, which is used by its name", param.name);
                return scene.form(message, param.name_range);
            }
            if is_data && (at != Some(place) || last.is_some_and(|last| at < Some(last))) {
                let message = format!("values of the class are taken apart by the place of `{}`", param.name);
                return scene.form(message, param.name_range);
            }
            last = at;
        }
        Ok(())
    }
}
