//! Imports from standard libraries. Everything that those declare is known, so an import of a name that one lacks is an error.

use ide_model::SourceKind;

use super::{is_nowhere, is_set_somewhere};
use crate::facts::{Import, ImportFlags, ImportKind, RefId};
use crate::lang::python;
use crate::resolve::{FileView, Resolver, Target};
use crate::world::FileId;

/// The member that an import binds without a condition; none where it resolves.
fn unresolved(rx: &Resolver, file: &FileView, import: &Import) -> Option<RefId> {
    let odd = [ImportFlags::STATIC, ImportFlags::CONDITIONAL];
    let member = import
        .member
        .filter(|_| import.kind == ImportKind::Member && !odd.iter().any(|flag| import.flags.has(*flag)))?;
    let found = rx.resolve(file.global_ref(member)).resolution;
    let is_open = |target: &Target| matches!(target, Target::Module(_) | Target::Def(_));
    (!found.targets.iter().any(is_open)).then_some(member)
}

/// Whether an import of Java or Kotlin names a class that its package of the JDK lacks: `java.util.Lisst`.
pub(super) fn lacks_class(rx: &Resolver, file: &FileView, import: &Import) -> bool {
    let Some(member) = unresolved(rx, file, import) else { return false };
    let package = file.name(import.module);
    package.starts_with("java.")
        && !rx.world().files_of_package(file.family(), package).is_empty()
        && rx
            .policy(file)
            .by_qualified_name(rx, &format!("{package}.{}", file.ref_name(member)))
            .is_ok_and(|found| found.is_empty())
}

/// Whether an import of Rust names an item that its module of the standard library lacks: `std::collections::HashMapp`.
pub(super) fn lacks_item(rx: &Resolver, file: &FileView, import: &Import, standard: &[&str]) -> bool {
    let Some(member) = unresolved(rx, file, import) else { return false };
    let first = file.name(import.module).split("::").find(|segment| !segment.is_empty());
    let is_there =
        |path: &str| rx.policy(file).by_qualified_name(rx, path).is_ok_and(|found| !found.is_empty());
    let (module, name) = (file.name(import.module), file.ref_name(member));
    first.is_some_and(|first| standard.contains(&first))
        && is_nowhere(rx, name)
        && is_there(module)
        && !is_there(&format!("{module}::{name}"))
}

/// Whether an import of Python names something that its module of the standard library lacks, by the stub of that:
/// `from os import getcwdd`. An indented import is not judged: it may stand in a `try`.
pub(super) fn lacks_name(
    rx: &Resolver,
    file: &FileView,
    import: &Import,
    text: &str,
    is_stub_without: impl Fn(FileId, &str) -> bool,
) -> bool {
    let Some(member) = unresolved(rx, file, import) else { return false };
    let (Some(first), Some(last)) = (file.list(import.path).next(), file.list(import.path).last()) else {
        return false;
    };
    let before = text.get(..file.reference(first).range.start as usize).unwrap_or("");
    let line = before.rsplit('\n').next().unwrap_or(before);
    let name = file.ref_name(member);
    let targets = rx.resolve(file.global_ref(last)).resolution.targets;
    // A module has those that it imports too, which its stub need not say: `from os import sys`.
    let is_module = |directory: &str| {
        let ends = ["", "/__init__"].map(|end| format!("{directory}/{name}{end}.pyi"));
        ends.iter().any(|path| rx.world().file_by_path(path).is_some())
    };
    let lacks = |target: &Target| match target {
        Target::Module(module) => {
            !is_module(python::STANDARD)
                && !is_module(rx.world().file(*module).path.directory())
                && rx.world().file(*module).source == SourceKind::Library
                && is_stub_without(*module, name)
        }
        _ => false,
    };
    line.starts_with(char::is_alphabetic)
        && !targets.is_empty()
        && targets.iter().all(lacks)
        && !is_set_somewhere(rx, name)
}
