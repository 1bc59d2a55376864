//! Places for statements that must run right before a call.

use ide_model::{SourceKind, TextRange};

use super::super::calls::is_this;
use super::super::flow::{Flow, Mention};
use super::super::scene::Scene;
use super::super::tree::{NodeId, Syntax, Wrap, has};
use super::leaving::result_of;
use crate::facts::{DefFlags, Role};
use crate::resolve::Target;

/// The code that takes the value of a call.
#[derive(Clone, Copy)]
pub(super) enum Takes {
    /// A variable or a member that there is.
    Place,
    /// The new variable of this name.
    New(NodeId),
    Other,
}

/// The statement that a call belongs to.
pub(super) struct Site {
    pub(super) statement: NodeId,
    /// Whether nobody asks for the value.
    pub(super) is_run: bool,
    /// Whether the place of the value has a type of its own.
    pub(super) is_typed: bool,
    /// How it becomes a block, where it stands in none.
    pub(super) wrap: Option<&'static Wrap>,
    pub(super) takes: Takes,
}

impl Site {
    /// The place of the call, when nothing is done in its statement before it is called.
    pub(super) fn of(scene: &Scene<'_>, call: NodeId, gives_value: bool) -> Option<Self> {
        let syntax = &scene.syntax;
        let (statement, wrap) = statement_of(syntax, call)?;
        // Without a type the value said what the function gives.
        let is_said = |function| result_of(scene, function).is_some();
        if wrap.is_some_and(|wrap| !wrap.instead_of.is_empty())
            && !syntax.function_of(call).is_some_and(is_said)
        {
            return None;
        }
        let takes = Takes::Other;
        let of = |is_run, is_typed| Some(Self { statement, is_run, is_typed, wrap, takes });
        if statement == call {
            // Without a mark a value may be what its block gives.
            let block = syntax.parent(statement)?;
            let is_body = syntax.parent(block).is_some_and(|up| syntax.kind(up) == "function_body");
            let is_last = syntax.named(block).last() == Some(statement);
            return of(syntax.shape.expression_statement.is_empty() && (is_body || !is_last), true);
        }
        let mut parent = syntax.parent(call)?;
        if parent == statement && syntax.kind(parent) == syntax.shape.expression_statement {
            return of(true, true);
        }
        if !gives_value {
            return None;
        }
        let mut value = call;
        if syntax.kind(parent) == "expression_list" && syntax.named(parent).count() == 1 {
            (value, parent) = (parent, syntax.parent(parent)?);
        }
        let of_kind = |kind| syntax.named(statement).filter(|id| syntax.kind(*id) == kind).count();
        let holds = |kind: &str| kind == syntax.shape.expression_statement || kind.ends_with("_declaration");
        let is_held = syntax.parent(parent) == Some(statement) && holds(syntax.kind(statement));
        if statement == parent || is_held && of_kind(syntax.kind(parent)) == 1 {
            if syntax.is_in(parent, syntax.shape.returns) {
                return of(false, true);
            }
            if let Some((is_typed, takes)) = assigned(syntax, parent, statement, value) {
                return Some(Self { statement, is_run: false, is_typed, wrap, takes });
            }
        }
        (!syntax.shape.block_value && runs_first(scene, call, statement)).then(|| of(false, false))?
    }
}

/// The statement that a call is part of: one of a list, or one that could be a block.
fn statement_of(syntax: &Syntax, call: NodeId) -> Option<(NodeId, Option<&'static Wrap>)> {
    for id in syntax.ancestors(call) {
        if syntax.is_statement(id) {
            return Some((id, None));
        }
        let wrap = syntax.shape.wraps.iter().find(|wrap| syntax.stands_in(id, wrap.place));
        if wrap.is_some() && !syntax.shape.block_value {
            return Some((id, wrap));
        }
    }
    None
}

/// For the value of an assignment or a declaration: whether what takes it has a type of its own.
fn assigned(syntax: &Syntax, parent: NodeId, statement: NodeId, value: NodeId) -> Option<(bool, Takes)> {
    let before = syntax.children(parent).iter().take_while(|id| **id != value);
    let before: Vec<NodeId> = before.copied().filter(|id| !syntax.node(*id).is_extra).collect();
    let mark = syntax.text_of(*before.last()?);
    // PHP writes a new variable like an assignment, and so the table names one for both.
    let is_assigned = syntax.is_in(parent, syntax.shape.assignments);
    let first = before.iter().find(|id| syntax.node(**id).is_named)?;
    if is_assigned && mark == "=" && is_plain_place(syntax.text_of(*first)) {
        return Some((true, Takes::Place));
    }
    let is_declared = !is_assigned && syntax.is_in(parent, syntax.shape.declarators);
    let says_type = |id: NodeId| ["type", "type_annotation"].contains(&syntax.node(id).field);
    let mut named = syntax.children(parent).iter().chain(syntax.children(statement)).copied();
    let is_typed = named.any(|id| says_type(id) && syntax.text_of(id) != "var");
    let name =
        Some(*first).filter(|id| syntax.kind(*id) != "expression_list" || syntax.named(*id).count() == 1);
    let is_name = |id: &NodeId| syntax.text_of(*id).chars().all(|c| c.is_alphanumeric() || "_$".contains(c));
    let takes = name.filter(is_name).map_or(Takes::Other, Takes::New);
    (is_declared && ["=", ":="].contains(&mark)).then_some((is_typed, takes))
}

/// Whether what is assigned to is a variable, or a member of one: nothing that is worked out first.
fn is_plain_place(text: &str) -> bool {
    let words = text.replace("->", ".").replace("::", ".");
    words.matches('.').count() < 2 && words.chars().all(|c| c.is_alphanumeric() || "_$.".contains(c))
}

/// Whether a call is made whenever its statement runs, once, and nothing before it in the statement does something or
/// reads what the call could change.
pub(in crate::refactor) fn runs_first(scene: &Scene<'_>, call: NodeId, statement: NodeId) -> bool {
    let (syntax, shape) = (&scene.syntax, scene.syntax.shape);
    let flow = scene.ctx.pool.with(|rx| Flow::of(rx, &scene.view));
    let (whole, own) = (syntax.range(statement), syntax.range(call));
    let is_new = |m: &&Mention| m.declares && whole.encloses(m.range);
    let new: Vec<usize> = flow.mentions.iter().filter(is_new).map(|m| m.variable).collect();
    if flow.within(own).any(|m| !m.declares && new.contains(&m.variable)) {
        return false;
    }
    let mut at = call;
    while at != statement {
        let Some(parent) = syntax.parent(at) else { return false };
        let is_list = has("value right", syntax.node(at).field);
        let crosses = syntax.is_in(parent, shape.functions)
            || syntax.is_in(parent, shape.types)
            || syntax.is_in(parent, shape.blocks)
            || syntax.is_in(parent, shape.loops) && !is_list
            || syntax.is_in(parent, "defer_statement go_statement range_clause for_clause")
            || syntax.kind(parent).starts_with("nullsafe")
            || shape.barriers.iter().any(|(places, _)| syntax.stands_in(at, places));
        // A target that is assigned to by an operator is read before.
        let is_update = syntax.is_in(parent, shape.assignments) && syntax.kind(parent).contains("augmented");
        if crosses || is_update {
            return false;
        }
        let before = syntax.children(parent).iter().copied().take_while(|id| *id != at);
        let look = Look { scene, flow: &flow, call: syntax.range(call) };
        let is_target = |id: &NodeId| {
            let is_left = syntax.is_place(*id)
                || syntax.node(*id).field == "left" && !syntax.is_in(parent, shape.binary);
            let is_bare = !syntax.text_of(*id).contains(['.', '>', ':']);
            let of = syntax.named(*id).next();
            is_left
                && is_plain_place(syntax.text_of(*id))
                && (is_bare || of.is_some_and(|of| look.is_inert(of)))
        };
        if !before.filter(|id| !is_target(id)).all(|id| look.is_inert(id)) {
            return false;
        }
        at = parent;
    }
    true
}

/// The code before a call in its statement.
struct Look<'a> {
    scene: &'a Scene<'a>,
    flow: &'a Flow,
    call: TextRange,
}

impl Look<'_> {
    /// Whether it gives the same before and after the call, and does nothing.
    fn is_inert(&self, id: NodeId) -> bool {
        let (syntax, shape) = (&self.scene.syntax, self.scene.syntax.shape);
        let node = syntax.node(id);
        if node.is_extra || syntax.is_in(id, shape.literals) || is_this(syntax, id) {
            return true;
        }
        if !node.is_named {
            return !["?.", "?->", "+=", "-=", "*="].contains(&syntax.text_of(id));
        }
        if syntax.is_in(id, shape.functions) || node.kind.ends_with("_type") || node.field == "type" {
            return true;
        }
        let reaches = syntax.kind(id) == "unary_expression" && syntax.text_of(id).starts_with('*');
        if reaches || syntax.is_in(id, shape.effects) || has(READS, node.kind) && !self.is_callee(id) {
            return false;
        }
        if syntax.named(id).next().is_none() {
            return self.is_steady_name(id);
        }
        syntax.children(id).iter().all(|child| self.is_inert(*child))
    }

    /// Whether it is what the call, or one around it, is made on.
    fn is_callee(&self, id: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        let around = syntax.parent(id).is_some_and(|parent| {
            syntax.is_in(parent, syntax.shape.calls) && syntax.range(parent).encloses(self.call)
        });
        let is_first = syntax.parent(id).is_some_and(|parent| syntax.named(parent).next() == Some(id));
        around && (syntax.node(id).field == "function" || is_first)
    }

    fn in_callee(&self, id: NodeId) -> bool {
        self.scene.syntax.ancestors(id).take(3).any(|up| self.is_callee(up))
    }

    fn is_steady_name(&self, id: NodeId) -> bool {
        let (view, range) = (&self.scene.view, self.scene.syntax.range(id));
        if let Some(mention) = self.flow.mentions.iter().find(|m| m.range == range) {
            return self.is_steady(mention.variable);
        }
        let Some(r) = view.by_place().refs.at(range).next() else {
            return has("string_content string_fragment escape_sequence", self.scene.syntax.kind(id));
        };
        if matches!(view.reference(r).role, Role::Call | Role::Type | Role::New | Role::Key | Role::Label) {
            return true;
        }
        let is_called_on = self.in_callee(id);
        self.scene.ctx.pool.with(|rx| {
            let resolved = rx.resolve(view.global_ref(r));
            let targets = &resolved.resolution.targets;
            !targets.is_empty()
                && targets.iter().all(|target| match target {
                    Target::Def(def) => {
                        let d = rx.def(*def);
                        let fixed = [DefFlags::FINAL, DefFlags::READONLY, DefFlags::CONST];
                        d.kind.is_type()
                            || d.kind.is_callable()
                            || d.kind == ide_model::SymbolKind::Import
                            || fixed.iter().any(|flag| d.flags.has(*flag))
                            || is_called_on && rx.world().file(def.file).source == SourceKind::Library
                    }
                    Target::Module(_) | Target::Package(_) => true,
                    Target::External(_) => is_called_on,
                })
        })
    }

    /// Whether neither the call nor a function that sees it writes a variable.
    fn is_steady(&self, variable: usize) -> bool {
        is_steady(self.scene, self.flow, variable, self.call)
    }
}

/// Whether a variable has one value while a call runs: it is not written in it, nor by a function that sees it.
pub(super) fn is_steady(scene: &Scene<'_>, flow: &Flow, variable: usize, call: TextRange) -> bool {
    let syntax = &scene.syntax;
    let home = |range: TextRange| syntax.function_of(syntax.around(range));
    let declared = flow.of_variable(variable).find(|m| m.declares).map(|m| home(m.range));
    !flow.of_variable(variable).any(|m| {
        m.writes
            && !m.declares
            && (call.encloses(m.range) || declared.is_some_and(|own| home(m.range) != own))
    })
}

/// Kinds that read something which others may write.
const READS: &str = "field_access member_expression attribute selector_expression field_expression \
    member_access_expression navigation_expression array_access subscript_expression subscript index_expression \
    scoped_property_access_expression slice_expression";
