//! Whether what a body uses may be used where it goes.

use ide_model::{Family, TextRange, Visibility};

use super::super::scene::{Refused, Scene};
use super::super::tree::NodeId;
use super::Function;
use crate::facts::{DefFlags, Role};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

impl Function<'_> {
    /// Refuses a body whose names may not be used at its new place.
    pub(super) fn check_reach(&self, scene: &Scene<'_>, at: TextRange) -> Result<(), Refused> {
        let view = &self.home.view;
        let inside = self.body.range(&self.home.syntax);
        let (home, user) = (types_around(view, inside.start), types_around(&scene.view, at.start));
        let modules = || scene.syntax.member_of(scene.syntax.around(at)).map(|id| modules_around(scene, id));
        let own = self.home.syntax.member_of(self.node).map(|id| modules_around(self.home, id));
        let in_module = scene.file == self.home.file && modules() == own;
        if home == user && scene.file == self.home.file && (in_module || !scene.syntax.shape.block_value) {
            return Ok(());
        }
        for r in view.by_place().refs.within(inside) {
            let name = view.ref_name(r);
            let is_mangled = scene.syntax.shape.by_indent && name.starts_with("__") && !name.ends_with("__");
            let is_private_name = name.starts_with('#');
            let writes = matches!(view.reference(r).role, Role::Write | Role::ReadWrite);
            let hidden = self.home.ctx.pool.with(|rx| {
                let resolved = rx.resolve(view.global_ref(r));
                let mut defs = resolved.resolution.defs();
                (is_mangled || is_private_name) && home.first() != user.first()
                    || defs.any(|def| !self.is_visible(rx, scene, (def, writes), &user, in_module))
            });
            if hidden {
                return scene.form(format!("its body uses `{name}`, which is not visible here"), at);
            }
        }
        match self.hidden_part(inside).filter(|_| scene.syntax.shape.block_value && !in_module) {
            Some(part) => {
                let name = self.home.syntax.slice(part);
                scene.form(format!("its body uses the part `{name}`, which may not be visible here"), at)
            }
            None => Ok(()),
        }
    }

    /// A part of a tuple in the body that may be private: `self.0`.
    fn hidden_part(&self, inside: TextRange) -> Option<TextRange> {
        let syntax = &self.home.syntax;
        let is_private = |index: NodeId| {
            let object = syntax.parent(index).and_then(|up| syntax.field(up, "value"));
            match object.map(|object| (object, syntax.text_of(object))) {
                Some((_, "self")) => self.home.ctx.pool.with(|rx| {
                    let view = &self.home.view;
                    let of = rx.member_owner(self.def).map_or(Ty::Unknown, Ty::instance);
                    let parts = rx.policy(view).members(rx, view, &of, syntax.text_of(index));
                    let is_seen = |part: GlobalDef| rx.def(part).visibility != Some(Visibility::Private);
                    !parts.iter().any(|part| part.def().is_some_and(is_seen))
                }),
                Some((object, _)) => !self.home.type_of(object).is_some_and(|ty| ty.starts_with('(')),
                None => false,
            }
        };
        let parts = syntax.below(self.node).into_iter().filter(|id| {
            let range = syntax.range(*id);
            let is_field = syntax.parent(*id).is_some_and(|up| syntax.kind(up) == "field_expression");
            syntax.kind(*id) == "integer_literal" && is_field && inside.encloses(range)
        });
        parts.into_iter().find(|id| is_private(*id)).map(|id| syntax.range(id))
    }

    /// Whether a declaration may be used inside of some types of a file.
    fn is_visible(
        &self,
        rx: &Resolver,
        scene: &Scene<'_>,
        (def, writes): (GlobalDef, bool),
        user: &[GlobalDef],
        in_module: bool,
    ) -> bool {
        let d = rx.def(def);
        let is_open = d.flags.has(DefFlags::LOCAL) || scene.syntax.shape.by_indent;
        if is_open || scene.syntax.shape.block_value && rx.is_of_trait(def) {
            return true;
        }
        let (view, home) = (&scene.view, rx.file(def.file));
        let package = |view: &FileView| view.package.map_or("", |package| view.name(package)).to_owned();
        let folder = |view: &FileView| view.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        let is_jvm = view.family() == Family::Jvm;
        let is_beside = || {
            def.file == scene.file
                || package(view) == package(home) && (is_jvm || folder(view) == folder(home))
        };
        let owner = rx.member_owner(def);
        let is_below = |base: GlobalDef| {
            let bases = |class: &GlobalDef| rx.linearization(&Ty::instance(*class));
            user.iter().any(|class| bases(class).iter().filter_map(Ty::def).any(|above| above == base))
        };
        // `var count = 0; private set`.
        let setter = home.def_ids().map(|id| home.def(id)).find(|accessor| {
            accessor.flags.has(DefFlags::SETTER) && writes && d.range.encloses(accessor.range)
        });
        match setter.and_then(|setter| setter.visibility).or(d.visibility) {
            Some(Visibility::Package) => is_beside(),
            Some(Visibility::Protected) => {
                is_jvm && is_beside() || owner.is_some_and(|owner| user.contains(&owner) || is_below(owner))
            }
            None if scene.syntax.shape.block_value && owner.is_none() && d.kind.is_callable() => {
                in_module
                    || def.file != scene.file && rx.policy(view).sees_private_of(rx, scene.file, def.file)
            }
            // A private name of one module in a file of several modules.
            Some(Visibility::Private) if scene.syntax.shape.block_value => {
                in_module
                    || rx.policy(view).sees_private_of(rx, scene.file, def.file) && def.file != scene.file
            }
            Some(Visibility::Private) => match owner {
                _ if def.file != scene.file => false,
                None => true,
                Some(owner) if scene.syntax.shape.declare.contains("{type}") => {
                    let outer = types_around(home, rx.def(owner).name_range.start);
                    outer.last() == user.last()
                }
                Some(owner) => user.contains(&owner),
            },
            _ => true,
        }
    }
}

/// The types around a place, innermost first.
fn types_around(view: &FileView, offset: u32) -> Vec<GlobalDef> {
    view.by_place().types_around(offset).map(|def| view.global(def)).collect()
}

/// The starts of the modules that are written around a function.
fn modules_around(scene: &Scene<'_>, id: NodeId) -> Vec<u32> {
    let syntax = &scene.syntax;
    syntax
        .ancestors(id)
        .filter(|id| syntax.kind(*id) == "mod_item")
        .map(|id| syntax.range(id).start)
        .collect()
}
