//! The context that a function gives to its code: the type of its result, and the object that the code works on
//! without naming it; in a lambda with an object of its own it is that one, not the method's.

use ide_model::TextRange;

use super::calls::is_this;
use super::extract_method::Job;
use super::tree::{NodeId, has};
use crate::facts::{DefFlags, RefFlags, RefId, Role};
use crate::resolve::{Resolver, Target, Ty};

impl Job<'_> {
    /// The result type that a function says.
    pub(super) fn result_of(&self, function: NodeId) -> Option<String> {
        let syntax = &self.scene.syntax;
        let by_field =
            ["return_type", "result", "type"].iter().find_map(|field| syntax.field(function, field));
        let by_kind = || {
            let behind = syntax
                .named(function)
                .skip_while(|id| syntax.kind(*id) != "function_value_parameters")
                .skip(1);
            behind.into_iter().find(|id| has("user_type nullable_type function_type", syntax.kind(*id)))
        };
        let ty = by_field.or_else(by_kind)?;
        let text = syntax.text_of(ty).trim_start_matches(':').trim();
        (text != "void").then(|| text.to_owned())
    }

    /// Whether an expression is all that a function consists of, so that its type is the one that the function says.
    pub(super) fn is_whole_body(&self, value: NodeId) -> bool {
        let syntax = &self.scene.syntax;
        syntax.parent(value).is_some_and(|body| {
            syntax.kind(body) == "function_body" && syntax.parent(body) == Some(self.part.function)
        })
    }

    /// Code that relies on the object of a lambda around the part, which a function outside of that would not
    /// have.
    pub(super) fn on_inner_object(&self) -> Option<TextRange> {
        let (scene, syntax, part) = (self.scene, &self.scene.syntax, self.part.range);
        let view = &scene.view;
        let around = syntax.range(self.site.member?);
        let inner = view.scope_around(part)?;
        let inside = view.scope_chain(inner).take_while(|scope| around.encloses(view.scope(*scope).range));
        let outer = inside.last()?;
        scene.ctx.pool.with(|rx| {
            let policy = rx.policy(view);
            let (here, there) = (policy.this(rx, view, inner), policy.this(rx, view, outer));
            if here == there {
                return None;
            }
            let nodes = self.part.nodes.iter().flat_map(|id| syntax.below(*id));
            let this = nodes.into_iter().find(|id| is_this(syntax, *id)).map(|id| syntax.range(id));
            this.or_else(|| {
                let mut inside = view.by_place().refs.within(part);
                let found = inside.find(|r| self.is_of(rx, *r, &here, &there));
                found.map(|r| view.reference(r).range).or_else(|| self.operator_of(rx, &here))
            })
        })
    }

    /// An operator in the part, where the type of the object gives operators to others: `+"text"` in a builder.
    fn operator_of(&self, rx: &Resolver, ty: &Ty) -> Option<TextRange> {
        let syntax = &self.scene.syntax;
        let gives_operators = rx.linearization(ty).iter().filter_map(Ty::def).any(|class| {
            let home = rx.file(class.file);
            home.def_ids().any(|def| {
                let d = home.def(def);
                let is_given = d.receiver.is_some() && d.flags.has(DefFlags::OPERATOR);
                is_given && rx.owner_class(home.global(def)) == Some(class)
            })
        });
        let nodes = self.part.nodes.iter().filter(|_| gives_operators).flat_map(|id| syntax.below(*id));
        let is_operator =
            |id: &NodeId| has("unary_expression binary_expression index_expression", syntax.kind(*id));
        nodes.into_iter().find(is_operator).map(|id| syntax.range(id))
    }

    /// Whether a name by itself is one of an object of the first type, and not of the second.
    fn is_of(&self, rx: &Resolver, reference: RefId, here: &Ty, there: &Ty) -> bool {
        let view = &self.scene.view;
        let r = view.reference(reference);
        let says_nothing = matches!(r.role, Role::Type | Role::Import | Role::Label | Role::Key);
        if r.receiver.is_some() || says_nothing || r.flags.has(RefFlags::IN_DOC) {
            return false;
        }
        let holds = |ty: &Ty, owner| rx.linearization(ty).iter().any(|part| part.def() == Some(owner));
        let resolved = rx.resolve(view.global_ref(reference));
        resolved.resolution.targets.iter().any(|target| match target {
            Target::Def(def) => {
                let owner = rx.member_owner(*def);
                rx.def(*def).flags.has(DefFlags::EXTENSION)
                    || owner.is_some_and(|owner| holds(here, owner) && !holds(there, owner))
            }
            Target::External(name) => {
                let of = |of: &str| name.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'));
                matches!(here, Ty::External(owner, _) if of(owner))
            }
            Target::Module(_) | Target::Package(_) => false,
        })
    }
}
