//! The object of a method, and of a function that extends a type: where its body speaks of it, and what stands there
//! after the call is gone.

use ide_model::TextRange;

use super::super::calls::{is_this, object_of};
use super::super::scene::{Refused, Scene};
use super::super::tree::{NodeId, has};
use super::substitution::Given;
use super::{Function, Param};
use crate::facts::{DefFlags, RefId, Role};
use crate::resolve::{Resolver, Target, Ty};

/// The ranges in which a body uses members of its object by their names alone.
#[derive(Default)]
struct Implied {
    /// The names.
    places: Vec<TextRange>,
    /// A name that cannot be put behind an object, or may belong to another one.
    unclear: bool,
}

impl Function<'_> {
    /// The object of a call of a method, where the body needs it, and why it cannot stand where the body speaks of it.
    pub(super) fn receiver(
        &self,
        scene: &Scene<'_>,
        call: NodeId,
    ) -> Result<Option<(NodeId, Option<Refused>)>, Refused> {
        let syntax = &scene.syntax;
        let at = syntax.range(call);
        let is_method = self.home.ctx.pool.with(|rx| rx.member_owner(self.def).is_some());
        let d = self.home.view.def(self.def.def);
        let is_extension = d.flags.has(DefFlags::EXTENSION);
        let Some(object) = object_of(syntax, call) else {
            if is_extension {
                return scene.form("it is called without naming its object", at);
            }
            return Ok(None);
        };
        let between = TextRange::new(syntax.range(object).end, self.name_in(scene, call).start);
        if syntax.slice(between).contains('?') {
            return scene.form("it is called only where its object is there", at);
        }
        if d.flags.has(DefFlags::STATIC) || !is_method && !is_extension {
            return if scene.is_once(object) {
                scene.form("the expression before the call has side effects", at)
            } else {
                Ok(None)
            };
        }
        if is_this(syntax, object) || syntax.shape.by_indent && has("self cls", syntax.text_of(object)) {
            return Ok(Some((object, None)));
        }
        let implied = self.implied();
        if implied.unclear {
            return scene.form("its body uses members of its object without naming it", at);
        }
        self.check_apart(scene, object)?;
        let why = self.check_object(scene, object, implied.places).err();
        Ok(Some((object, why)))
    }

    /// Functions that say what they see of others see their own object always, and no other by itself.
    fn check_apart(&self, scene: &Scene<'_>, object: NodeId) -> Result<(), Refused> {
        let home = &self.home.syntax;
        let is_apart = |used: &TextRange| {
            home.ancestors(home.around(*used)).any(|id| home.kind(id) == "anonymous_function")
        };
        if !home.shape.sigil.is_empty() && self.this.iter().any(is_apart) {
            let message = "a function in its body has the object without naming it";
            return scene.form(message, scene.syntax.range(object));
        }
        Ok(())
    }

    fn check_object(
        &self,
        scene: &Scene<'_>,
        object: NodeId,
        implied: Vec<TextRange>,
    ) -> Result<(), Refused> {
        let (syntax, at) = (&scene.syntax, scene.syntax.range(object));
        let mut uses =
            if self.has_self_parameter() { self.params[0].uses.clone() } else { self.this.clone() };
        uses.extend(implied);
        uses.extend(self.receiver_parameter().unwrap_or_default());
        if scene.is_once(object) && uses.len() != 1 {
            return scene.form("the object of the call is made there, and would be made more often", at);
        }
        if syntax.named(object).next().is_some() && !syntax.is_in(object, syntax.shape.atoms) {
            return scene.form("the object of the call is no simple value", at);
        }
        if scene.is_once(object) {
            uses.sort_unstable();
            return self.check_argument(
                scene,
                &Param { name: "this".to_owned(), uses, ..Param::default() },
                object,
            );
        }
        Ok(())
    }

    fn name_in(&self, scene: &Scene<'_>, call: NodeId) -> TextRange {
        let range = scene.syntax.range(call);
        super::super::calls::callee_name(&scene.syntax, call).unwrap_or(range)
    }

    /// The names before which the object of a call is written.
    pub(super) fn implied_places(&self, scene: &Scene<'_>, object: &Given) -> Vec<TextRange> {
        let is_own = matches!(object, Given::Value(id) if is_this(&scene.syntax, *id));
        if is_own { Vec::new() } else { self.implied().places }
    }

    fn implied(&self) -> Implied {
        let (view, syntax) = (&self.home.view, &self.home.syntax);
        let inside = self.body.range(syntax);
        let mut found = Implied::default();
        self.home.ctx.pool.with(|rx| {
            let own = self.this_at(rx, inside);
            for id in view.ref_ids() {
                let r = view.reference(id);
                let is_plain = inside.encloses(r.range) && r.receiver.is_none();
                if !is_plain
                    || matches!(r.role, Role::Key | Role::Type | Role::Label)
                    || !self.may_be_member(rx, id, &own)
                {
                    continue;
                }
                let in_text =
                    syntax.ancestors(syntax.around(r.range)).any(|n| syntax.is_in(n, syntax.shape.strings));
                let is_name = syntax.text_of(syntax.around(r.range)) == view.ref_name(id);
                if in_text || !is_name || !self.is_own(rx, id, &own) {
                    found.unclear = true;
                }
                found.places.push(r.range);
            }
        });
        found
    }

    /// The object that `this` is at a place; the type of it.
    fn this_at(&self, rx: &Resolver, at: TextRange) -> Ty {
        let view = &self.home.view;
        view.scope_around(at).map_or(Ty::Unknown, |scope| rx.policy(view).this(rx, view, scope))
    }

    /// Whether a name by itself may be one of an object.
    fn may_be_member(&self, rx: &Resolver, name: RefId, own: &Ty) -> bool {
        let resolved = rx.resolve(self.home.view.global_ref(name));
        resolved.resolution.targets.iter().any(|target| match target {
            Target::Def(def) => {
                let d = rx.def(*def);
                let is_member = rx.member_owner(*def).is_some() || d.flags.has(DefFlags::EXTENSION);
                is_member
                    && !d.flags.has(DefFlags::STATIC)
                    && !d.flags.has(DefFlags::LOCAL)
                    && !d.kind.is_type()
            }
            Target::External(full) => {
                let of = |of: &str| full.strip_prefix(of).is_some_and(|rest| rest.starts_with('.'));
                matches!(own, Ty::External(owner, _) if of(owner))
            }
            Target::Module(_) | Target::Package(_) => false,
        })
    }

    /// Whether it is one of the object of the function, and of no other.
    fn is_own(&self, rx: &Resolver, name: RefId, own: &Ty) -> bool {
        let view = &self.home.view;
        if rx.policy(view).this(rx, view, view.reference(name).scope) != *own {
            return false;
        }
        let resolved = rx.resolve(view.global_ref(name));
        let line = rx.linearization(own);
        let is_of = |owner| line.iter().any(|ty| ty.def() == Some(owner));
        // A function in a type has the object of that too.
        let is_alone = rx.owner_class(self.def).is_none();
        !resolved.resolution.targets.is_empty()
            && resolved.resolution.targets.iter().all(|target| match target {
                Target::Def(def) => match rx.member_owner(*def) {
                    Some(owner) => is_of(owner) && !rx.def(*def).flags.has(DefFlags::EXTENSION),
                    None => is_alone,
                },
                _ => is_alone,
            })
    }

    /// The ranges in which the body uses the object of the function, and not of that of a lambda or a type
    /// inside of it.
    pub(super) fn of_own_object(&self) -> Vec<TextRange> {
        self.home.ctx.pool.with(|rx| {
            let own = self.this_at(rx, self.body.range(&self.home.syntax));
            self.this.iter().copied().filter(|at| self.this_at(rx, *at) == own).collect()
        })
    }
}
