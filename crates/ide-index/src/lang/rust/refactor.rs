//! What changing Rust by meaning needs to know.

use ide_model::SymbolKind;

use crate::facts::{ImportId, Role};
use crate::resolve::{FileView, Resolver, Target};
use crate::world::GlobalDef;

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

/// Whether a word in the body of a macro stands where a declaration of its name could be named: a member behind its owner
/// or at the head of an item, a field in a literal, a macro before its mark, anything else behind no dot.
pub(super) fn could_mean_in_macro(rx: &Resolver, def: GlobalDef, (before, behind): (&str, &str)) -> bool {
    let (before, behind) = (before.trim_end(), behind.trim_start());
    if before.ends_with('$') {
        return false;
    }
    let is_dotted = before.ends_with('.') && !before.ends_with("..");
    let last = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
    let is_item = || ["fn", "type", "const"].contains(&last);
    let is_in_literal =
        || before.ends_with(['{', ',']) || behind.starts_with(':') && !behind.starts_with("::");
    match rx.def(def).kind {
        SymbolKind::Macro => behind.starts_with('!'),
        SymbolKind::Field => is_dotted || is_in_literal(),
        _ if rx.member_owner(def).is_some() => is_dotted || before.ends_with("::") || is_item(),
        _ => !is_dotted,
    }
}
