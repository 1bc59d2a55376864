//! What changing Rust by meaning needs to know.

use ide_model::SymbolKind;

use crate::facts::{ImportId, Role};
use crate::resolve::{FileView, Resolver, Target};

/// Macros of the standard library that call no method of a trait that must be imported.
const PLAIN_MACROS: &[&str] = &[
    "println",
    "print",
    "eprintln",
    "eprint",
    "format",
    "vec",
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "panic",
    "unreachable",
    "todo",
    "unimplemented",
    "matches",
    "env",
    "concat",
    "stringify",
    "include_str",
    "include_bytes",
    "cfg",
    "line",
    "file",
    "column",
    "module_path",
    "dbg",
    "format_args",
];

/// A trait lends its methods without being named.
pub(super) fn import_works_unnamed(rx: &Resolver, file: &FileView, id: ImportId) -> bool {
    let found = rx.through_imports(rx.policy(file).import(rx, file, id));
    let name = file.import(id).def.map_or("", |def| file.def_name(def));
    let may_be_trait = name.starts_with(char::is_uppercase);
    if found.is_unknown() {
        return may_be_trait;
    }
    found.targets.iter().any(|target| match target {
        Target::Def(def) => {
            let declared = rx.def(*def);
            if declared.kind != SymbolKind::Trait {
                return false;
            }
            let view = rx.file(def.file);
            let lends = |name: &str| file.ref_ids().any(|r| file.ref_name(r) == name);
            let calls_unseen = file
                .ref_ids()
                .any(|r| file.reference(r).role == Role::Macro && !PLAIN_MACROS.contains(&file.ref_name(r)));
            let body = declared.body;
            let mut members =
                body.into_iter().flat_map(|body| view.all_in_scope(body)).map(|m| view.def_name(*m));
            body.is_none() || calls_unseen || members.any(lends)
        }
        Target::External(_) => may_be_trait,
        Target::Module(_) | Target::Package(_) => false,
    })
}
