//! Names of arguments and members that get values, with the mark that stands behind them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use ide_model::{FilePath, Language, QueryError};

use super::{Candidate, Names, Probed, Sign, Signs, members_of};
use crate::facts::Role;
use crate::lang;
use crate::refactor::RefactorContext;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::FileId;

/// The text that makes a name in a list the name of what gets a value, with a value behind it, and without. In other languages a
/// member that gets a value is found as any name is.
const MARKS: &[(Language, &str, &str)] = &[
    (Language::Python, "=0", "="),
    (Language::Kotlin, " = 0", " = "),
    (Language::Java, " = 0", " = "),
    (Language::Php, ": 0", ": "),
    (Language::Go, ": 0", ": "),
];
/// Characters before a place in a list.
const BEFORE: [char; 3] = ['(', ',', '{'];

/// The names that could stand in a place with a value behind them, but those that are given already.
pub(super) fn keys(
    ctx: &RefactorContext<'_>,
    id: FileId,
    path: &FilePath,
    text: &str,
    place: Range<usize>,
) -> Result<Vec<Candidate>, QueryError> {
    let language = ctx.pool.world().file(id).language;
    let row = MARKS.iter().find(|(of, ..)| Some(*of) == language);
    let Some((_, tail, mark)) = row.filter(|_| text[..place.start].trim_end().ends_with(BEFORE)) else {
        return Ok(Vec::new());
    };
    let probed = Probed::read(ctx, path, text, place, &[tail])?;
    let Some(probed) = probed.filter(|p| p.facts.reference(p.reference).role == Role::Key) else {
        return Ok(Vec::new());
    };
    let names: Vec<Arc<str>> = probed.pool.with(|rx| key_names(rx, &probed)).into_iter().collect();
    let mut found = probed.resolve(ctx, &names, &BTreeSet::new(), &|_| 0)?;
    found.retain(|found| found.completion.symbol.is_some());
    for one in &mut found {
        one.completion.mark = mark;
        one.completion.takes_arguments = None;
        // A value is more usual.
        one.signs = Signs::of(&[Sign::Declared, Sign::Uncalled]);
    }
    Ok(found)
}

/// Parameters of what is called, and members of what is made.
fn key_names(rx: &Resolver, probed: &Probed) -> BTreeSet<Arc<str>> {
    let view = rx.file(probed.id);
    let mut names = Names::default();
    for part in probed.receiver.iter().flat_map(|receiver| receiver.parts()) {
        members_of(rx, view, part, &mut names);
    }
    let call = view.reference(probed.reference).call;
    let callee = call.and_then(|call| rx.callee_of(view, call));
    for part in callee.iter().flat_map(|callee| callee.parts()) {
        match part {
            Ty::Function(def, _) => parameters(rx.file(def.file), def.def, &mut names.all),
            part => {
                members_of(rx, view, part, &mut names);
                let Some(class) = part.def() else { continue };
                let home = rx.file(class.file);
                parameters(home, class.def, &mut names.all);
                let body = home.def(class.def).body;
                for member in body.iter().flat_map(|body| home.all_in_scope(*body)) {
                    parameters(home, *member, &mut names.all);
                }
            }
        }
    }
    let probe = view.reference(probed.reference);
    for other in view.written_refs().filter(|other| *other != probed.reference) {
        let reference = view.reference(other);
        let is_beside = reference.call == probe.call && reference.receiver == probe.receiver;
        if reference.role == Role::Key && is_beside && (call.is_some() || probe.receiver.is_some()) {
            names.all.remove(view.ref_name(other));
        }
    }
    names.all
}

fn parameters(file: &FileView, of: crate::facts::DefId, names: &mut BTreeSet<Arc<str>>) {
    let filled = lang::judge(file.language()).filled_parameters(file.def(of));
    let all = file
        .list(file.def(of).params)
        .skip(filled)
        .map(|id| file.def_name(id))
        .filter(|name| !name.is_empty());
    names.extend(all.map(Arc::from));
}
