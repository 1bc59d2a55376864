//! Names that imports give to what has another name, which other modules see.

use ide_model::SymbolKind;

use super::modules::{self, Module};
use super::pytest;
use crate::facts::{DefId, ImportId, Role};
use crate::query::definition::At;
use crate::resolve::{FileView, GivenName, Resolver, Target, Ty};

/// Names are passed on by no more modules than this.
const MAX_HOPS: usize = 12;

/// See [`Policy::given_name`](crate::resolve::Policy::given_name).
pub(super) fn given_name(rx: &Resolver, file: &FileView, at: At) -> Option<GivenName> {
    pytest::given_place(rx, file, at).or_else(|| given(rx, file, at, MAX_HOPS))
}

fn given(rx: &Resolver, file: &FileView, at: At, hops: usize) -> Option<GivenName> {
    let reference = match at {
        _ if hops == 0 => return None,
        At::Def(def) => return given_to(rx, file, def, hops),
        At::Ref(reference) => reference,
    };
    let r = file.reference(reference);
    if r.role == Role::Import {
        return passed_on(rx, file, file.import_by_member(reference)?, hops);
    }
    match r.receiver {
        Some(receiver) => match rx.expr_type(file, receiver) {
            Ty::Module(module) => of_module(rx, &Module::File(module), file.ref_name(reference), hops),
            _ => None,
        },
        None => given_to(rx, file, rx.bound(file, reference)?, hops),
    }
}

/// The name of a declaration, if an import gives it to something.
fn given_to(rx: &Resolver, file: &FileView, def: DefId, hops: usize) -> Option<GivenName> {
    let d = file.def(def);
    let import = d.import.filter(|_| d.kind == SymbolKind::Import)?;
    let i = file.import(import);
    let written = i.member.or_else(|| file.list(i.path).next())?;
    if file.reference(written).range != d.name_range {
        return Some(GivenName { file: file.id, range: d.name_range });
    }
    i.member.and_then(|_| passed_on(rx, file, import, hops))
}

/// The name that the module of an import gives to what it imports.
fn passed_on(rx: &Resolver, file: &FileView, import: ImportId, hops: usize) -> Option<GivenName> {
    let (module, _) = modules::imported_module(rx, file, import, None);
    let name = file.ref_name(file.import(import).member?);
    if module == Module::File(file.id) {
        return None;
    }
    of_module(rx, &module, name, hops - 1)
}

fn of_module(rx: &Resolver, module: &Module, name: &str, hops: usize) -> Option<GivenName> {
    let Some(Target::Def(def)) = modules::module_member(rx, module, name, None) else { return None };
    given(rx, rx.file(def.file), At::Def(def.def), hops)
}
