//! What changing Rust by meaning needs to know.

use ide_model::SymbolKind;

use super::crates::{Crates, ModuleId};
use crate::facts::{ImportId, Role};
use crate::resolve::{FileView, Resolver, Target};
use crate::world::{FileId, GlobalDef};

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

/// The path of a module from the root of the crate that the importer is part of too.
///
/// # Errors
/// Where the two have no crate in common.
pub(super) fn module_name(rx: &Resolver, importer: &str, module: &str) -> Result<String, String> {
    let crates = Crates::of(rx);
    let of = |path: &str| -> Result<ModuleId, String> {
        let file = rx.world().file_by_path(path);
        let found = file.and_then(|file| crates.of_file(file));
        found.ok_or_else(|| format!("no `mod` leads to {path}: declare the module first"))
    };
    let (from, to) = (of(importer)?, of(module)?);
    if !crates.same_crate(from, to) {
        return Err(format!("{importer} and {module} belong to different crates"));
    }
    let path = crates.path(rx, to);
    let below = path.iter().skip(1).map(|name| format!("::{name}"));
    Ok(format!("crate{}", below.collect::<String>()))
}

/// Whether a file is the module of another one, or lies below it.
pub(super) fn sees_private_of(rx: &Resolver, file: FileId, home: FileId) -> bool {
    let crates = Crates::of(rx);
    match (crates.of_file(file), crates.of_file(home)) {
        (Some(file), Some(home)) => crates.is_inside(file, home),
        _ => false,
    }
}

/// The `impl` blocks of a type that stand in its own file, outside of other declarations.
pub(super) fn implementations_beside(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let view = rx.file(class.file);
    let home = view.def(class.def).scope;
    let is_beside = |def: &GlobalDef| {
        let d = view.def(def.def);
        d.kind == SymbolKind::Impl
            && d.scope == home
            && rx.policy(&view).implemented_type(rx, *def) == Some(class)
    };
    view.def_ids().map(|def| view.global(def)).filter(is_beside).collect()
}
