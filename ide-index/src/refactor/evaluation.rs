//! Values that are made before calls which run before them now: whether they may be others then.

use std::collections::BTreeSet;

use ide_model::{SourceKind, SymbolKind, TextRange};

use super::flow::{Flow, Mention};
use super::pure::{is_inert, is_pure};
use super::scene::Scene;
use super::tree::{NodeId, has};
use super::written::{is_written_as, written_by_functions};
use crate::facts::{DefFlags, RefId, Role};
use crate::resolve::Resolver;
use crate::world::GlobalDef;

/// Kinds that look into what a variable holds, and forms of them.
const LOOKS_INSIDE: &str = "subscript subscript_expression index_expression array_access indexing_expression \
    slice_expression spread_element list_splat variadic_unpacking list_comprehension set_comprehension \
    dictionary_comprehension generator_expression in_expression template_string interpolation template_substitution \
    template_expression encapsed_string dereference_expression pointer_expression";

/// Operators that look into both sides.
const LOOKING_WORDS: &str = "in not of";

/// The operator that gives the place of a variable away, as it is written before the name.
const GIVES_PLACE: [&str; 3] = ["&", "&mut ", "&raw mut "];

/// Why a value may be another one when it is made before some calls and writes; `None` where it is the same for certain.
pub(super) fn changed_by(scene: &Scene<'_>, value: NodeId, before: &[NodeId]) -> Option<String> {
    let syntax = &scene.syntax;
    let runs: Vec<NodeId> = before.iter().copied().filter(|id| !is_pure(scene, *id)).collect();
    let first = *runs.first()?;
    let text = syntax.text_of(first).lines().next().unwrap_or("");
    let look = Look { scene, value, runs: &runs, flow: scene.ctx.pool.with(|rx| Flow::of(rx, &scene.view)) };
    if let Some(name) = look.local_in_reach() {
        return Some(format!("`{text}` runs before it and may write `{name}`"));
    }
    if is_pure(scene, value) || is_inert(scene, value) {
        return None;
    }
    let range = syntax.range(value);
    if syntax.has_effects(value) {
        return Some(format!("`{text}` runs before it; name that first"));
    }
    if let Some(name) = scene.ctx.pool.with(|rx| written_by_functions(rx, &scene.view, range)) {
        return Some(format!("`{text}` runs before it and may write `{name}`"));
    }
    look.may_differ().then(|| format!("`{text}` runs before it and may change what it reads"))
}

struct Look<'a> {
    scene: &'a Scene<'a>,
    value: NodeId,
    runs: &'a [NodeId],
    flow: Flow,
}

impl Look<'_> {
    /// A local variable of the value that the calls may write themselves: through its place, as their receiver where a
    /// variable is the object and no reference to it, or because a function around writes it.
    fn local_in_reach(&self) -> Option<&str> {
        let syntax = &self.scene.syntax;
        let holds_objects = syntax.shape.this == "self" && !syntax.shape.escapes.is_empty()
            || syntax.shape.declare.contains(":=");
        let is_reached = |variable: usize| {
            self.flow.of_variable(variable).any(|m| {
                let home = |range: TextRange| syntax.function_of(syntax.around(range));
                let is_run = self.runs.iter().any(|run| syntax.range(*run).encloses(m.range));
                let before = &syntax.text[..m.range.start as usize];
                let gives_place = holds_objects && GIVES_PLACE.iter().any(|sign| before.ends_with(sign));
                let is_object = |run: &NodeId| {
                    let object = super::calls::object_of(syntax, *run);
                    object.is_some_and(|object| syntax.range(object).start == m.range.start)
                };
                m.writes && is_run
                    || gives_place
                    || holds_objects && self.runs.iter().any(is_object)
                    || m.writes && !m.declares && home(m.range) != home(syntax.range(self.value))
            })
        };
        let read = self.flow.within(syntax.range(self.value)).find(|m| is_reached(m.variable))?;
        Some(&self.flow.variables[read.variable].name)
    }

    /// Whether something in the value that calls nothing may read otherwise after the calls.
    fn may_differ(&self) -> bool {
        let syntax = &self.scene.syntax;
        let below = syntax.below(self.value);
        let parts = below.iter().copied().filter(|id| !self.is_steady_part(*id));
        let looks = parts.into_iter().any(|id| {
            has(LOOKS_INSIDE, syntax.kind(id))
                || !syntax.node(id).is_named && has(LOOKING_WORDS, syntax.kind(id))
        });
        looks || self.scene.ctx.pool.with(|rx| self.reads_open_member(rx)) || self.meets_unknown()
    }

    /// A part of a value that cannot change, whatever is called.
    fn is_steady_part(&self, id: NodeId) -> bool {
        let mut around = self.scene.syntax.ancestors(id).take_while(|up| *up != self.value);
        is_pure(self.scene, id) || around.any(|up| is_pure(self.scene, up))
    }

    /// Whether a member of it is computed, or is written by some function as far as its name tells, or belongs to what the
    /// calls work on.
    fn reads_open_member(&self, rx: &Resolver) -> bool {
        let (view, syntax) = (&self.scene.view, &self.scene.syntax);
        let members = view.by_place().refs.within(syntax.range(self.value));
        let members: Vec<RefId> = members
            .filter(|r| view.reference(*r).role == Role::Read && view.reference(*r).receiver.is_some())
            .collect();
        members.into_iter().any(|r| {
            let resolution = rx.resolve(view.global_ref(r)).resolution;
            let defs: Vec<GlobalDef> = resolution.defs().collect();
            // `System.out` stays what it is, a static field that can be written does not.
            let is_fixed = |kind: SymbolKind, flags: DefFlags| {
                let is_kept = flags.has(DefFlags::FINAL) || flags.has(DefFlags::READONLY);
                kind.is_type()
                    || matches!(kind, SymbolKind::Constant | SymbolKind::EnumCase)
                    || flags.has(DefFlags::STATIC) && (is_kept || kind.is_callable())
            };
            let is_library = |file| rx.world().file(file).source == SourceKind::Library;
            let (known, open): (Vec<GlobalDef>, Vec<GlobalDef>) =
                defs.iter().partition(|def| !is_library(def.file));
            let is_computed = known.iter().any(|def: &GlobalDef| {
                rx.has_flag(*def, DefFlags::PROPERTY)
                    || rx.def(*def).body.is_some() && rx.kind(*def) == SymbolKind::Property
            });
            let is_constant = |def: &GlobalDef| is_fixed(rx.kind(*def), rx.def(*def).flags);
            let is_unknown = defs.is_empty() && resolution.targets.is_empty();
            is_computed
                || is_unknown && (is_written_as(rx, view.ref_name(r)) || self.meets_runs())
                || !open.is_empty() && !open.iter().all(is_constant) && self.meets_runs()
        })
    }

    /// Whether an operator of it works on a variable of unknown type that the calls work on too.
    fn meets_unknown(&self) -> bool {
        let syntax = &self.scene.syntax;
        let is_operator = |id: &NodeId| syntax.is_in(*id, syntax.shape.binary);
        syntax.below(self.value).iter().any(is_operator) && self.meets_runs()
    }

    /// Whether the calls mention a variable of the value whose contents may change.
    fn meets_runs(&self) -> bool {
        let syntax = &self.scene.syntax;
        let is_open = |m: &&Mention| !is_pure(self.scene, syntax.around(m.range));
        let read = self.flow.within(syntax.range(self.value)).filter(is_open);
        let variables: BTreeSet<usize> = read.map(|m| m.variable).collect();
        let mut runs = self.runs.iter().map(|run| syntax.range(*run));
        runs.any(|run| self.flow.within(run).any(|m| variables.contains(&m.variable)))
    }
}
