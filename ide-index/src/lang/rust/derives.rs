//! Names in `derive`: macros, and the traits that they implement.

use ide_model::SymbolKind;
use rustc_hash::FxHashMap;

use super::library;
use super::names::{Space, in_space};
use crate::facts::{DefId, Expr, ExprId, FileFacts, RefFlags, RefId};
use crate::resolve::{FileView, Resolution, Resolver};
use crate::world::GlobalDef;

/// Functions that are derive macros, by the names under which they are derived.
#[derive(Default)]
struct Derives {
    by_name: FxHashMap<Box<str>, GlobalDef>,
}

impl Derives {
    fn of(rx: &Resolver) -> &Self {
        rx.of_world(Self::read)
    }

    fn read(rx: &Resolver) -> Self {
        let mut derives = Self::default();
        let world = rx.world();
        for file in world.files_mentioning(DECLARED) {
            let facts = world.facts(file);
            for def in facts.def_ids() {
                if let Some(name) = derived_by(&facts, def) {
                    derives.by_name.insert(name.into(), GlobalDef { file, def });
                }
            }
        }
        derives
    }
}

/// The attribute of derive macros.
const DECLARED: &str = "proc_macro_derive";

/// `#[proc_macro_derive(Name)]`.
pub(super) fn derived_by(facts: &FileFacts, def: DefId) -> Option<&str> {
    match facts.expr(said_of_derive(facts, def).next()?) {
        Expr::Ref(name) => Some(facts.ref_name(name)),
        _ => None,
    }
}

/// `#[proc_macro_derive(…, attributes(name))]`.
pub(super) fn reads_attribute(facts: &FileFacts, def: DefId, name: &str) -> bool {
    let mut said = said_of_derive(facts, def).skip(1);
    said.any(|word| matches!(facts.expr(word), Expr::Ref(word) if facts.ref_name(word) == name))
}

/// The words in the brackets of the attribute.
fn said_of_derive(facts: &FileFacts, def: DefId) -> impl Iterator<Item = ExprId> + '_ {
    let d = facts.def(def);
    let decorators = facts.list(d.decorators).filter(|_| d.kind == SymbolKind::Function);
    decorators
        .filter_map(|decorator| match facts.expr(decorator) {
            Expr::Call { callee, args, .. } => {
                let is_it = matches!(facts.expr(callee), Expr::Ref(name) if facts.ref_name(name) == DECLARED);
                is_it.then(|| facts.list(args))
            }
            _ => None,
        })
        .flatten()
}

/// A plain name in a `derive`.
pub(super) fn is_derived(facts: &FileFacts, reference: RefId) -> bool {
    let r = facts.reference(reference);
    let is_word = r.flags.has(RefFlags::DYNAMIC) && r.flags.has(RefFlags::TYPE_ONLY) && r.receiver.is_none();
    is_word && !begins_path(facts, reference)
}

fn begins_path(facts: &FileFacts, reference: RefId) -> bool {
    let next = facts.refs.get(reference.index() + 1).and_then(|r| r.receiver);
    next.is_some_and(|receiver| facts.expr(receiver) == Expr::Ref(reference))
}

/// The macro that a name in a `derive` is.
pub(super) fn named(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let name = file.ref_name(reference);
    if let Some(found) = in_space(rx, file, reference, Space::Macro) {
        return found;
    }
    if let Some(def) = Derives::of(rx).by_name.get(name) {
        return Resolution::def(*def);
    }
    // An import from elsewhere may be a trait and its macro.
    let imported = in_space(rx, file, reference, Space::Type);
    imported.filter(|found| found.defs().next().is_none()).unwrap_or_else(|| Resolution::external(name))
}

/// The trait that a name in a `derive` implements.
pub(super) fn trait_named(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let name = file.ref_name(reference);
    match library::prelude(name).filter(|_| library::is_derive(name)) {
        Some(path) => Resolution::external(path),
        None => in_space(rx, file, reference, Space::Type).unwrap_or_else(|| Resolution::external(name)),
    }
}
