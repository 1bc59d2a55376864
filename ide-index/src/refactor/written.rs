//! Variables that functions write from outside: what a call may change.

use ide_model::{SourceKind, SymbolKind, TextRange};

use crate::facts::{DefFlags, RefId, Role, ScopeKind};
use crate::lang::names;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// A variable or field that a range reads and that some function of the project writes, other than one that makes its object.
pub(super) fn written_by_functions(rx: &Resolver, view: &FileView, range: TextRange) -> Option<String> {
    let reads = view.by_place().refs.within(range).filter(|r| view.reference(*r).role == Role::Read);
    let read = reads.flat_map(|r| {
        let resolved = rx.resolve(view.global_ref(r)).resolution;
        resolved.defs().collect::<Vec<GlobalDef>>()
    });
    let mut outer = read.filter(|def| {
        let d = rx.def(*def);
        let is_variable = matches!(d.kind, SymbolKind::Variable | SymbolKind::Field | SymbolKind::Property);
        is_variable && !d.flags.has(DefFlags::LOCAL)
    });
    outer.find(|def| is_written(rx, *def)).map(|def| rx.def_name(def).to_owned())
}

fn is_written(rx: &Resolver, def: GlobalDef) -> bool {
    let name = rx.shared_name(def);
    // An assignment to a variable of the file inside of a function may declare it.
    let is_hoisted = |other: &GlobalDef| rx.has_flag(*other, DefFlags::HOISTED);
    if rx.owner_class(def).is_none() && rx.top_level(def.file, &name).iter().any(is_hoisted) {
        return true;
    }
    is_written_where(rx, &name, &|view, r| {
        rx.resolve(view.global_ref(r)).resolution.defs().any(|other| other == def)
    })
}

/// Whether some function of the project writes something by this name.
pub(super) fn is_written_as(rx: &Resolver, name: &str) -> bool {
    is_written_where(rx, name, &|_, _| true)
}

fn is_written_where(rx: &Resolver, name: &str, is_meant: &dyn Fn(&FileView, RefId) -> bool) -> bool {
    let world = rx.world();
    let files = world.files_mentioning(name).into_iter();
    let mut files = files.filter(|file| world.file(*file).source != SourceKind::Library);
    files.any(|file| {
        let view = rx.file(file);
        let writes = |r: &RefId| {
            let reference = view.reference(*r);
            matches!(reference.role, Role::Write | Role::ReadWrite) && is_later(rx, view, *r)
        };
        let named = view.name_id(name).map_or(&[][..], |name| view.refs_named(name));
        named.iter().copied().filter(writes).any(|r| is_meant(view, r))
    })
}

/// Whether something stands in a function and does not belong to the object that the function makes.
fn is_later(rx: &Resolver, view: &FileView, r: RefId) -> bool {
    let reference = view.reference(r);
    let scopes = view.scope_chain(reference.scope);
    let mut functions = scopes.filter(|scope| view.scope(*scope).kind == ScopeKind::Function);
    let Some(function) = functions.next() else { return false };
    let owner = view.scope(function).owner;
    let is_shared = || {
        let of_class = reference.receiver.is_some_and(|of| matches!(rx.expr_type(view, of), Ty::Class(..)));
        let mut defs = rx.resolve(view.global_ref(r)).resolution.defs().collect::<Vec<_>>().into_iter();
        of_class || defs.any(|def| rx.has_flag(def, DefFlags::STATIC))
    };
    owner.is_none_or(|owner| {
        let kind = view.def(owner).kind;
        kind != SymbolKind::Constructor
            && !names::is_called_by_name(view.language(), view.def_name(owner), SymbolKind::Constructor)
            && view.def_name(owner) != "__init__"
            || is_shared()
    })
}
