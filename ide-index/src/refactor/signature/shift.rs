//! One parameter goes to another place, or away.

use ide_model::{NewParameter, ParameterShift, QueryError, Refactored, SignatureChange, Symbol};

use super::{Draft, Job, RefactorContext, Scene, change_signature, finish, held_function, writing_of};
use crate::query::definition::definition_of;
use crate::query::symbol;
use crate::world::GlobalDef;

/// Plans that a parameter moves; see [`ide_model::Refactoring::Parameter`].
///
/// # Errors
/// [`QueryError::NothingHere`] when it is no parameter of a function, or has no place to go to.
pub(in crate::refactor) fn shift_parameter(
    ctx: &RefactorContext<'_>,
    parameter: &Symbol,
    shift: ParameterShift,
) -> Result<Refactored, QueryError> {
    let nothing = || QueryError::NothingHere { what: format!("`{}`", parameter.name) };
    let (_, def) = ctx.pool.with(|rx| definition_of(rx, parameter))?;
    let def = def.ok_or_else(nothing)?;
    let scene = Scene::open(ctx, def.file)?;
    let function = function_of(&scene, def).ok_or_else(nothing)?;
    let writing = writing_of(scene.view.language()).ok_or_else(nothing)?;
    let name_range = scene.view.def(def.def).name_range;
    let none = SignatureChange::default();
    let mut job = Job::new(ctx, function, &none, writing, Vec::new());
    job.open(def.file)?;
    let written = match job.written(function) {
        Ok(written) => written,
        Err(refused) => {
            let refused: Result<(Draft, Vec<String>), _> = Err(refused);
            return finish(ctx, String::new(), refused, &[]);
        }
    };
    let at = written.params.iter().position(|param| param.name_range == name_range).ok_or_else(nothing)?;
    let mut names: Vec<&str> = written.params.iter().map(|param| &*param.name).collect();
    match shift {
        ParameterShift::Left if at > 0 => names.swap(at - 1, at),
        ParameterShift::Right if at + 1 < names.len() => names.swap(at, at + 1),
        ParameterShift::Away => {
            names.remove(at);
        }
        _ => return Err(nothing()),
    }
    let kept = |name: &str| NewParameter { name: name.to_owned(), ..NewParameter::default() };
    let parameters = Some(names.into_iter().map(kept).collect());
    let change = SignatureChange { parameters, ..SignatureChange::default() };
    let function = ctx.pool.with(|rx| symbol(rx, function));
    change_signature(ctx, &function, &change)
}

/// The function that has a declaration as a parameter, by the name under which code knows it.
fn function_of(scene: &Scene<'_>, parameter: GlobalDef) -> Option<GlobalDef> {
    let view = &scene.view;
    let takes =
        |id: &crate::facts::DefId| view.list(view.def(*id).params).any(|param| param == parameter.def);
    let function = view.def_ids().find(takes)?;
    if !view.def_name(function).is_empty() {
        return Some(view.global(function));
    }
    let mut all = view.def_ids().map(|id| view.global(id));
    all.find(|def| held_function(scene, *def) == Some(function))
}
