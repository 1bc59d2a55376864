//! The facts that refactorings of Rust need.

use std::sync::Arc;

use ide_model::{SourceKind, SymbolKind, Visibility};

use super::conditions::is_active;
use super::crates::{Crates, Extern, ModuleId};
use crate::facts::{DefFlags, DefId, ImportId, RefId, Role};
use crate::resolve::{FileView, MacroWord, Resolution, Resolver, Target};
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

/// See [`MacroWord`]. The only macro of its name is meant by every call, and `self` is what the macro is used for.
pub(super) fn means_in_macro(rx: &Resolver, def: GlobalDef, word: &MacroWord<'_>) -> Option<bool> {
    if rx.def_name(def).starts_with('\'') {
        return lifetime_in_macro(rx, def, word);
    }
    if !could_mean_in_macro(rx, def, word.around) {
        return Some(false);
    }
    if rx.def(def).kind == SymbolKind::Macro {
        // A macro's call of its own name is looked up where the macro itself was found.
        let is_own = rx.def_name(word.of) == rx.def_name(def);
        if is_own && !rx.def(word.of).flags.has(DefFlags::EXPORTED) {
            return Some(word.of == def);
        }
        let named = rx.world().declarations(rx.def_name(def)).into_iter();
        return (named.filter(|site| site.kind == SymbolKind::Macro).count() == 1).then_some(true);
    }
    if path_from_crate(rx, word).is_some_and(|path| {
        let name = format!("{path}{}", rx.def_name(def));
        rx.policy_of(def).qualified_name(rx, def) == Some(name)
    }) {
        return Some(true);
    }
    let before = word.around.0.trim_end().strip_suffix('.')?.trim_end().strip_suffix("self")?;
    if word.is_nested || before.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.') {
        return None;
    }
    let name = rx.def_name(def);
    let wanted = rx.def(def).kind;
    let mut answers = users_of_macro(rx, word.of)?.into_iter().map(|class| {
        let own =
            rx.declared_members(class, name).into_iter().filter(|member| rx.def(*member).kind == wanted);
        let own: Vec<GlobalDef> = own.collect();
        (!own.is_empty()).then(|| own.contains(&def))
    });
    let first = answers.next()??;
    answers.all(|answer| answer == Some(first)).then_some(first)
}

/// Lifetimes are not hygienic: `'de` in the body of a macro is that of the `impl<'de>` in which the macro is called.
fn lifetime_in_macro(rx: &Resolver, def: GlobalDef, word: &MacroWord<'_>) -> Option<bool> {
    let home = rx.file(def.file);
    let scope = home.scope(rx.def(def).scope).range;
    let is_inside = |r: &RefId| scope.encloses(home.reference(*r).range);
    let mut called =
        home.ref_ids().filter(|r| home.reference(*r).role == Role::Macro && is_inside(r)).peekable();
    if called.peek().is_none() {
        return Some(false);
    }
    let calls = calls_of_macro(rx, word.of);
    let is_here = |call: &MacroCall| call.file == def.file && is_inside(&call.reference);
    if calls.iter().any(is_here) {
        let (before, behind) = (word.around.0.trim_end(), word.around.1.trim_start());
        let may_be_label =
            before.ends_with("break") || before.ends_with("continue") || behind.starts_with(':');
        let is_clear = calls.iter().all(|call| call.is_certain && is_here(call));
        return (is_clear && !may_be_label && !word.is_nested).then_some(true);
    }
    let is_of_project = |r: RefId| {
        let named = rx.world().declarations(home.ref_name(r)).into_iter();
        named
            .filter(|site| site.kind == SymbolKind::Macro)
            .any(|site| rx.world().file(site.at.file).source != SourceKind::Library)
    };
    (!word.is_nested || !called.any(is_of_project)).then_some(false)
}

/// The path before a word, from the root of the macro's crate: `$crate::a::T::`.
fn path_from_crate(rx: &Resolver, word: &MacroWord<'_>) -> Option<String> {
    let before = word.around.0;
    let start = before.rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))?;
    let path =
        before[start..].strip_prefix("$crate::").filter(|path| path.is_empty() || path.ends_with("::"))?;
    let crates = Crates::of(rx);
    let root = crates.root(crates.of_file(word.of.file)?);
    Some(format!("{}::{path}", crates.path(rx, root).join("::")))
}

/// A call that means a macro, or may.
struct MacroCall {
    file: FileId,
    reference: RefId,
    is_certain: bool,
}

/// The calls of a macro, without those that certainly mean another one of its name.
fn calls_of_macro(rx: &Resolver, of: GlobalDef) -> Vec<MacroCall> {
    let name = rx.def_name(of);
    let mut calls = Vec::new();
    for id in rx.world().files_mentioning(name) {
        let file = rx.file(id);
        let is_call = |r: &RefId| file.ref_name(*r) == name && file.reference(*r).role == Role::Macro;
        for r in file.ref_ids().filter(is_call) {
            let meant = rx.resolve(file.global_ref(r)).resolution;
            let (first, is_certain) = (meant.defs().next(), meant.confidence.is_certain());
            if !is_certain || first.is_none_or(|first| first == of) {
                calls.push(MacroCall { file: id, reference: r, is_certain: is_certain && first == Some(of) });
            }
        }
    }
    calls
}

/// The types in whose implementations a macro is used; `None` where it is used elsewhere too.
fn users_of_macro(rx: &Resolver, of: GlobalDef) -> Option<Vec<GlobalDef>> {
    let user = |call: MacroCall| {
        let file = rx.file(call.file);
        let (_, owner) = file.enclosing_class(file.reference(call.reference).scope)?;
        rx.policy(file).implemented_type(rx, file.global(owner))
    };
    calls_of_macro(rx, of).into_iter().map(user).collect()
}

/// Whether a word in the body of a macro stands where a declaration of its name could be named: a member behind its owner
/// or at the head of an item, a field in a literal, a macro before its mark, anything else behind no dot.
fn could_mean_in_macro(rx: &Resolver, def: GlobalDef, (before, behind): (&str, &str)) -> bool {
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
        _ if rx.member_owner(def).is_some() => {
            is_dotted || before.ends_with("::") && !is_of_another_type(rx, def, before) || is_item()
        }
        SymbolKind::EnumCase => !is_dotted,
        _ => !is_dotted && !is_of_a_type(rx, before),
    }
}

/// The name before `::` that looks like that of a type, and is not handed to the macro.
fn type_before(before: &str) -> Option<&str> {
    let path = before.strip_suffix("::")?.trim_end();
    let name = path.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
    let is_given = path[..path.len() - name.len()].ends_with('$');
    (!is_given && name.starts_with(char::is_uppercase) && name != "Self").then_some(name)
}

/// Whether what stands before a word is a name and `::`, and that name means other types than the one that has a member by
/// itself, wherever it is said.
fn is_of_another_type(rx: &Resolver, member: GlobalDef, before: &str) -> bool {
    let (Some(name), Some(owner)) = (type_before(before), rx.member_owner(member)) else { return false };
    let is_own = rx.owner_class(member).is_some_and(|block| {
        let d = rx.def(block);
        d.kind == SymbolKind::Enum || d.kind == SymbolKind::Impl && d.supers.is_empty()
    });
    let is_another = |target: &Target| {
        matches!(target, Target::Def(def) if *def != owner
            && matches!(rx.def(*def).kind, SymbolKind::Struct | SymbolKind::Enum))
    };
    let may_be_it = |view: &FileView, def: DefId| {
        let found = rx.through_imports(Resolution::def(view.global(def)));
        view.def(def).kind != SymbolKind::EnumCase
            && (found.is_unknown() || !found.targets.iter().all(is_another))
    };
    is_own
        && !rx.world().files_mentioning(name).into_iter().any(|id| {
            let view = rx.file(id);
            view.def_ids().any(|def| view.def_name(def) == name && may_be_it(view, def))
        })
}

/// Whether what stands before a word is a name and `::`, and that name is no module's wherever it is said: the word is
/// something of a type then.
fn is_of_a_type(rx: &Resolver, before: &str) -> bool {
    let Some(name) = type_before(before) else { return false };
    let leads_to_module = |view: &FileView, def: DefId| {
        let found = rx.through_imports(Resolution::def(view.global(def)));
        view.def(def).kind == SymbolKind::Module
            || view.def(def).kind == SymbolKind::Import
                && (found.is_unknown() || found.targets.iter().any(|target| is_module(rx, target)))
    };
    !rx.world().files_mentioning(name).into_iter().any(|id| {
        let view = rx.file(id);
        view.def_ids().any(|def| view.def_name(def) == name && leads_to_module(view, def))
    })
}

fn is_module(rx: &Resolver, target: &Target) -> bool {
    match target {
        Target::Module(_) | Target::Package(_) => true,
        Target::Def(def) => rx.def(*def).kind == SymbolKind::Module,
        Target::External(_) => false,
    }
}

/// The path of a module as an importer may write it: from the root of their crate, or by the name of a crate on which that
/// of the importer depends.
///
/// # Errors
/// When the importer cannot name the crate of the module.
pub(super) fn module_name(rx: &Resolver, importer: &str, module: &str) -> Result<String, String> {
    let crates = Crates::of(rx);
    let of = |path: &str| -> Result<ModuleId, String> {
        let file = rx.world().file_by_path(path);
        let found = file.and_then(|file| crates.of_file(file));
        found.ok_or_else(|| format!("no `mod` leads to {path}: declare the module first"))
    };
    let (from, to) = (of(importer)?, of(module)?);
    let name: Arc<str> = if crates.same_crate(from, to) {
        "crate".into()
    } else {
        let root = crates.root(to);
        let is_it = |external: Extern| matches!(external, Extern::Local(found) if found == root);
        let mut names = crates.seen(Some(from)).into_iter();
        let named = names.find(|name| crates.external(from, name).is_some_and(is_it));
        named.ok_or_else(|| format!("the crate of {importer} does not depend on the crate of {module}"))?
    };
    let path = crates.path(rx, to);
    let below = path.iter().skip(1).map(|name| format!("::{name}"));
    Ok(format!("{name}{}", below.collect::<String>()))
}

/// The declarations of the module that a file is or belongs to, and of those around it, innermost first.
pub(super) fn modules_of(rx: &Resolver, file: FileId) -> Vec<GlobalDef> {
    let mut found: Vec<GlobalDef> = Vec::new();
    let crates = Crates::of(rx);
    let mut at = crates.of_file(file).map_or(file, |module| crates.module(module).file);
    loop {
        let view = rx.file(at);
        let new = rx.policy(view).declarations_of_module(rx, at);
        let Some(first) = new.first().filter(|def| !found.contains(def)) else { return found };
        at = first.file;
        found.extend(&new);
    }
}

/// Whether a file is part of a module that is not built here, because something else has its name.
pub(super) fn is_alternative(rx: &Resolver, file: FileId) -> bool {
    let modules = modules_of(rx, file);
    modules.iter().any(|module| {
        let view = rx.file(module.file);
        let d = view.def(module.def);
        // One file may be declared under several conditions.
        let is_other = |def: &DefId| !modules.contains(&view.global(*def));
        view.in_scope(d.scope, d.name).iter().any(is_other) && !is_active(rx, *module)
    })
}

/// `pub(crate)`, where an item or member says nothing and is private by that.
pub(in crate::lang) fn word_of_export(rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
    let d = rx.def(def);
    let may_say_it = matches!(
        d.kind,
        SymbolKind::Function
            | SymbolKind::Method
            | SymbolKind::Struct
            | SymbolKind::Union
            | SymbolKind::Enum
            | SymbolKind::Trait
            | SymbolKind::TypeAlias
            | SymbolKind::Constant
            | SymbolKind::Variable
            | SymbolKind::Field
    );
    (may_say_it && !rx.is_of_trait(def) && d.visibility == Some(Visibility::Private)).then_some("pub(crate) ")
}

/// Whether a file is the module of another one, or lies below it.
pub(super) fn sees_private_of(rx: &Resolver, file: FileId, home: FileId) -> bool {
    let crates = Crates::of(rx);
    match (crates.of_file(file), crates.of_file(home)) {
        (Some(file), Some(home)) => crates.is_inside(file, home),
        _ => false,
    }
}

/// Whether a file is neither the home of something nor inside of that module.
pub(in crate::lang) fn is_outside(rx: &Resolver, file: FileId, home: FileId) -> bool {
    let crates = Crates::of(rx);
    match (crates.of_file(file), crates.of_file(home)) {
        (Some(place), Some(inside)) => file != home && !crates.is_inside(place, inside),
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
            && rx.policy(view).implemented_type(rx, *def) == Some(class)
    };
    view.def_ids().map(|def| view.global(def)).filter(is_beside).collect()
}
