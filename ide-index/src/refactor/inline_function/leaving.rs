//! Bodies that leave their function early: they can stand where the caller ends too.

use ide_model::TextRange;

use super::super::scene::{Refused, Scene};
use super::super::tree::{NodeId, Syntax, has};
use super::Function;
use super::site::Site;
use crate::facts::DefFlags;
use crate::resolve::Target;

impl Function<'_> {
    /// Whether what leaves the body early may stand at a call: as it is, or as branches.
    ///
    /// # Errors
    /// Neither is possible.
    pub(super) fn check_leaving(&self, scene: &Scene<'_>, call: NodeId) -> Result<(), Refused> {
        let Some(found) = self.body.leaves else { return Ok(()) };
        let home = &self.home.syntax;
        let part = home.slice(self.body.part);
        let is_own = part.contains("return@") || part.contains("recover()") || self.has_named_results();
        let site = Site::of(scene, call, true).filter(|_| !is_own);
        let fits = site.is_some_and(|site| {
            self.ends_with_caller(scene, call, &site)
                || !home.below(self.node).iter().any(|id| home.is_in(*id, home.shape.escapes))
                    && self.branches(&site).is_some()
        });
        if fits { Ok(()) } else { self.home.form("its body waits, yields, or leaves early", found) }
    }

    /// Whether the end of the body is the end of the caller, so that what leaves one may leave the other.
    pub(super) fn ends_with_caller(&self, scene: &Scene<'_>, call: NodeId, site: &Site) -> bool {
        let (syntax, home) = (&scene.syntax, &self.home.syntax);
        let named = |id: &NodeId| !syntax.is_in(*id, syntax.shape.lambdas);
        let Some(caller) = syntax.function_of(call).filter(named) else { return false };
        if site.wrap.is_some_and(|wrap| !wrap.lead.is_empty()) || waits(scene, caller) {
            return false;
        }
        let is_end = ends(syntax, site.statement, caller);
        let holds = |up: NodeId| syntax.is_in(up, syntax.shape.returns) && syntax.named(up).count() == 1;
        let parent = syntax.parent(call);
        let is_listed =
            parent.filter(|up| syntax.kind(*up) == "expression_list" && syntax.named(*up).count() == 1);
        let is_returned = is_listed.and_then(|list| syntax.parent(list)).or(parent).is_some_and(holds);
        let (own, other) = (result_of(self.home, self.node), result_of(scene, caller));
        let gives_nothing = |ty: Option<TextRange>, of: &Syntax| {
            ty.is_none_or(|ty| has("void None Unit ()", of.slice(ty).trim_start_matches(':').trim()))
        };
        let is_tail = site.statement == call && is_end && syntax.shape.block_value;
        if !is_returned {
            let is_silent = gives_nothing(own, home) && gives_nothing(other, syntax);
            return is_end && is_silent && site.is_run || is_tail && self.same_results(scene, own, other);
        }
        let completes = self.body.statements.last().is_none_or(|last| completes(home, *last));
        let may_fall = own.is_none() || syntax.shape.by_indent || !syntax.shape.sigil.is_empty();
        (!completes || !may_fall || is_end) && self.same_results(scene, own, other)
    }

    /// Whether the caller says of its result what the function says of its own.
    fn same_results(&self, scene: &Scene<'_>, own: Option<TextRange>, other: Option<TextRange>) -> bool {
        let (syntax, home) = (&scene.syntax, &self.home.syntax);
        if syntax.shape.by_indent {
            return true;
        }
        let words = |syntax: &Syntax, ty: TextRange| syntax.slice(ty).split_whitespace().collect::<String>();
        match (own, other) {
            (None, None) => true,
            (None, Some(_)) => !syntax.shape.sigil.is_empty(),
            (Some(_), None) => false,
            (Some(own), Some(other)) => {
                words(home, own) == words(syntax, other) && targets(self.home, own) == targets(scene, other)
            }
        }
    }

    fn has_named_results(&self) -> bool {
        let home = &self.home.syntax;
        let result = home.field(self.node, "result");
        result.is_some_and(|id| {
            home.below(id)
                .into_iter()
                .any(|id| home.node(id).field == "name" && home.kind(id) == "identifier")
        })
    }
}

/// Whether a function gives something else than its `return`s say.
fn waits(scene: &Scene<'_>, node: NodeId) -> bool {
    let syntax = &scene.syntax;
    let name = syntax.field(node, "name").map(|id| syntax.range(id));
    let def = name.and_then(|name| scene.view.by_place().names.at(name).next());
    def.is_none_or(|def| {
        let flags = scene.view.def(def).flags;
        flags.has(DefFlags::GENERATOR) || flags.has(DefFlags::ASYNC) && !syntax.shape.by_indent
    })
}

/// The targets of the names in a type.
fn targets(scene: &Scene<'_>, ty: TextRange) -> Vec<Vec<Target>> {
    let view = &scene.view;
    scene.ctx.pool.with(|rx| {
        let inside = view.by_place().refs.within(ty);
        inside.map(|r| rx.resolve(view.global_ref(r)).resolution.targets.to_vec()).collect()
    })
}

/// The type that a function says it gives.
pub(in crate::refactor) fn result_of(scene: &Scene<'_>, node: NodeId) -> Option<TextRange> {
    let syntax = &scene.syntax;
    let field = ["return_type", "result", "type"].iter().find_map(|field| syntax.field(node, field));
    let plain =
        || syntax.named(node).find(|id| has("user_type nullable_type function_type", syntax.kind(*id)));
    let open = || syntax.shape.value_field.is_empty().then(plain).flatten();
    field.or_else(open).map(|id| syntax.range(id))
}

/// Whether nothing of a function runs after a statement.
fn ends(syntax: &Syntax, statement: NodeId, function: NodeId) -> bool {
    let mut at = statement;
    while let Some(parent) = syntax.parent(at) {
        if parent == function {
            return true;
        }
        if syntax.is_in(parent, syntax.shape.blocks) {
            let is_case =
                !has("block statement_block compound_statement statement_list", syntax.kind(parent));
            if is_case || syntax.named(parent).last() != Some(at) {
                return false;
            }
        } else if !has(CHOICES, syntax.kind(parent)) {
            return false;
        }
        at = parent;
    }
    false
}

/// Whether a statement may come to its end.
fn completes(syntax: &Syntax, statement: NodeId) -> bool {
    let run = Some(statement).filter(|id| syntax.kind(*id) == syntax.shape.expression_statement);
    let run = run.and_then(|id| syntax.named(id).next()).unwrap_or(statement);
    !syntax.is_in(run, syntax.shape.returns) && !syntax.is_in(run, syntax.shape.throws)
}

/// Kinds whose parts end with the whole.
const CHOICES: &str = "if_statement else_clause elif_clause else_if_clause if_expression expression_statement block \
    function_body control_structure_body";
