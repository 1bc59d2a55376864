//! Languages that tell functions apart by the types of their parameters: no two may have the same.

use ide_model::{ConflictKind, Family, TextRange};

use super::super::scene::Refused;
use super::super::tree::Syntax;
use super::{Job, Parameter, Slot, Written};
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

impl Job<'_> {
    /// Refuses parameters that another function of the name has already where types tell functions apart.
    pub(super) fn check_overloads(
        &self,
        def: GlobalDef,
        slots: &[Slot<'_>],
        old: &Written,
    ) -> Result<(), Refused> {
        let of = |file: FileId, param: &Parameter| written_type(&self.scene(file).syntax, param);
        let new: Vec<String> = slots
            .iter()
            .filter_map(|slot| match &slot.new.ty {
                Some(ty) => Some(erased(ty)),
                None => Some(of(def.file, old.params.get(slot.old?)?)),
            })
            .collect();
        for member in &self.members {
            for other in self.ctx.pool.with(|rx| overloads_of(rx, *member)) {
                if self.members.contains(&other) || !self.scenes.contains_key(&other.file) {
                    continue;
                }
                let Ok(written) = self.written(other) else { continue };
                let types: Vec<String> = written.params.iter().map(|param| of(other.file, param)).collect();
                if types == new {
                    let scene = self.scene(other.file);
                    let name = scene.view.def_name(other.def);
                    let message = format!("another `{name}` has these parameters already");
                    return Err(scene.refusal(
                        ConflictKind::Collision,
                        message,
                        scene.view.def(other.def).name_range,
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Other functions of the same name in the same place, in languages that tell them apart by their parameters.
fn overloads_of(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let file = rx.file(def.file);
    if file.family() != Family::Jvm {
        return Vec::new();
    }
    let d = file.def(def.def);
    let all: Vec<GlobalDef> = match rx.member_owner(def) {
        Some(owner) => rx.declared_members(owner, file.name(d.name)),
        None => file.in_scope(d.scope, d.name).iter().map(|other| file.global(*other)).collect(),
    };
    all.into_iter().filter(|other| *other != def && rx.def(*other).kind.is_callable()).collect()
}

/// The type of a parameter as it is written, behind the name or before it.
fn written_type(syntax: &Syntax, param: &Parameter) -> String {
    let behind = syntax.slice(TextRange::new(param.name_range.end, param.whole.end)).trim_start();
    match behind.strip_prefix(':') {
        Some(ty) => erased(ty.split('=').next().unwrap_or(ty)),
        None => erased(syntax.slice(TextRange::new(param.whole.start, param.name_range.start))),
    }
}

/// A written type as it tells functions apart: without its arguments, its package, its modifiers.
fn erased(ty: &str) -> String {
    let mut depth = 0;
    let plain: String = ty
        .chars()
        .filter(|c| {
            depth += i32::from(*c == '<');
            let is_outside = depth == 0;
            depth -= i32::from(*c == '>');
            is_outside
        })
        .collect();
    let plain = plain.replace("...", "[]");
    let words = plain.split_whitespace().filter(|word| !word.starts_with('@') && *word != "final");
    let whole: String = words.collect();
    whole.rsplit('.').next().unwrap_or_default().to_owned()
}
