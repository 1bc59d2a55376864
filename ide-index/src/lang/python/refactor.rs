//! The facts that refactorings of Python need.

use std::collections::BTreeSet;

use ide_model::{TextRange, paths};

use super::library;
use super::modules::{self, Module, SOURCES, modules};
use super::pytest::is_fixture;
use crate::facts::{Expr, ExprId, Import, ImportFlags, ImportId, ImportKind, RefFlags, RefId, Role, ScopeId};
use crate::guard;
use crate::refactor::has_one_of;
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef};

/// Files whose imports are there for others: the face of a package, what the test runner reads, stubs.
const FACES: &[&str] = &["__init__.py", "conftest.py", "__init__.pyi"];

/// Imports of packages' faces, names given again on purpose (`a as a`), fixtures, switches of the language.
pub(super) fn import_works_unnamed(rx: &Resolver, file: &FileView, id: ImportId) -> bool {
    let import = file.import(id);
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    if FACES.contains(&name) || file.name(import.module) == "__future__" {
        return true;
    }
    let imported = import.member.or_else(|| file.list(import.path).last());
    let is_given_again = import.def.zip(imported).is_some_and(|(def, imported)| {
        let (def, imported) = (file.def(def), file.reference(imported));
        def.name == imported.name
            && def.name_range != imported.range
            && def.name_range.start > imported.range.end
            && (import.member.is_some() || file.list(import.path).len() == 1)
    });
    let found = rx.policy(file).import(rx, file, id);
    is_given_again || found.defs().any(|def| is_fixture(rx.file(def.file), def.def))
}

/// The name of a module: with dots where the importer's package is its own and the habit there is dots.
///
/// # Errors
/// Why it cannot be imported: what lies in `src` is installed without what lies beside.
pub(super) fn module_name(
    rx: &Resolver,
    like: &FileView,
    importer: &str,
    module: &str,
) -> Result<String, String> {
    let all = modules(rx);
    if all.is_in_sources(importer) && !all.is_in_sources(module) {
        return Err(format!("{importer} is installed without {module}, which lies outside of `{SOURCES}`"));
    }
    let absolute = all.name_of(module);
    let uses_dots = like.imports.iter().any(|import| import.level > 0);
    let top = |path: &str| path.split('/').next().unwrap_or(path).to_owned();
    let is_near = paths::directory(importer) == paths::directory(module) || top(importer) == top(module);
    let by_dots = || modules::moved(".", importer, (module, module));
    if uses_dots
        && is_near
        && let Some(name) = by_dots()
    {
        Ok(name)
    } else {
        Ok(absolute)
    }
}

/// Whether a module waits for what an import gives while it is being read.
fn is_at_once(import: &Import) -> bool {
    let later = [ImportFlags::CONDITIONAL, ImportFlags::DYNAMIC];
    import.scope == ScopeId(0) && !later.iter().any(|flag| import.flags.has(*flag))
}

/// The import that leaves annotations unread until somebody asks for them.
const LATE_ANNOTATIONS: &str = "from __future__ import annotations";

/// Whether a file leaves its annotations unread.
fn reads_annotations_late(file: &FileView) -> bool {
    file.imports.iter().any(|import| {
        file.name(import.module) == "__future__"
            && import.member.is_some_and(|member| file.ref_name(member) == "annotations")
    })
}

/// The import that annotations need which a file leaves unread: a new file gets it, one that is there must know their names
/// when it comes to them.
pub(in crate::lang) fn switches_for(
    rx: &Resolver,
    file: &FileView,
    ranges: &[TextRange],
    there: Option<&FileView>,
) -> Result<Vec<String>, (String, TextRange)> {
    if !reads_annotations_late(file) || there.is_some_and(reads_annotations_late) {
        return Ok(Vec::new());
    }
    let goes = |range: TextRange| ranges.iter().any(|other| other.encloses(range));
    let types = file.written_refs().filter(|r| {
        let r = file.reference(*r);
        r.role == Role::Type && !r.flags.has(RefFlags::IN_STRING) && !r.flags.has(RefFlags::IN_DOC)
    });
    let mut types = types.filter(|r| goes(file.reference(*r).range)).peekable();
    if types.peek().is_none() {
        return Ok(Vec::new());
    }
    if there.is_none() {
        return Ok(vec![LATE_ANNOTATIONS.to_owned()]);
    }
    let is_late = |r: &RefId| {
        let reference = file.reference(*r);
        let bound = rx.bound(file, *r).map(|def| file.def(def));
        bound.is_some_and(|d| match d.import {
            Some(import) => file.import(import).flags.has(ImportFlags::CONDITIONAL),
            None => goes(d.name_range) && d.range.end > reference.range.start,
        })
    };
    match types.find(is_late) {
        Some(r) => {
            let name = file.ref_name(r);
            let message = format!("the annotation `{name}` needs `{LATE_ANNOTATIONS}` where it goes");
            Err((message, file.reference(r).range))
        }
        None => Ok(Vec::new()),
    }
}

/// The modules of the project that a module takes names from while it is read, each with the name. A module below a package
/// is no name of the package: it is there once it is imported.
fn taken_at_once(rx: &Resolver, from: FileId) -> Vec<(FileId, String)> {
    let (all, view) = (modules(rx), rx.file(from));
    let takes = |import: &&Import| matches!(import.kind, ImportKind::Member | ImportKind::Star);
    let imports = view.imports.iter().filter(takes).filter(|import| is_at_once(import));
    let found = imports.filter_map(|import| {
        let module = all.resolve(rx, view, view.name(import.module), import.level);
        let name = import.member.map_or("*", |member| view.ref_name(member));
        let below = import.member.and_then(|_| all.submodule(rx, &module, name));
        let Module::File(file) = below.unwrap_or(module) else { return None };
        let is_ours = rx.world().file(file).source != ide_model::SourceKind::Library;
        is_ours.then(|| (file, name.to_owned()))
    });
    found.collect()
}

/// The names that a module takes from another one which waits for it.
pub(super) fn import_problems(rx: &Resolver, file: FileId) -> Vec<String> {
    let waits = |from: FileId| {
        let mut seen: BTreeSet<FileId> = BTreeSet::from([from]);
        let mut todo = vec![from];
        while let Some(next) = todo.pop() {
            guard::tick();
            if next == file {
                return true;
            }
            let leads = taken_at_once(rx, next).into_iter().map(|(module, _)| module);
            todo.extend(leads.filter(|module| seen.insert(*module)));
        }
        false
    };
    let path = |file: FileId| rx.world().file(file).path.clone();
    let taken = taken_at_once(rx, file).into_iter().filter(|(module, _)| waits(*module));
    let problem = |(module, name): (FileId, String)| {
        let (own, other) = (path(file), path(module));
        format!("{own} would import `{name}` from {other}, which imports it while it is read")
    };
    taken.map(problem).collect()
}

/// Functions that take an object, or a class, and the name of an attribute; the last one is `patch.object`.
const ATTRIBUTE_FUNCTIONS: &[&str] = &["getattr", "setattr", "hasattr", "delattr", "object"];
/// Functions that take the name of an attribute of what they are called with later.
const GETTERS: &[&str] = &["attrgetter(", "methodcaller("];
/// Methods of dictionaries that take a key.
const KEY_METHODS: &[&str] = &["get", "pop", "setdefault"];
/// Variables of a class that name its attributes.
const LISTS_OF_NAMES: &[&str] = &["__match_args__", "__slots__"];

/// Keys of typed dictionaries wherever a key may stand whose dictionary is of this kind or not known; names of attributes
/// that are handed over with an object that has them.
pub(super) fn named_by_text(
    rx: &Resolver,
    file: &FileView,
    members: &[GlobalDef],
    name: &str,
    (before, after): (&str, &str),
) -> bool {
    let at = before.len() as u32;
    let (before, after) = (before.trim_end(), after.trim_start());
    let owners: Vec<GlobalDef> = members.iter().filter_map(|member| rx.owner_class(*member)).collect();
    let has = |value: ExprId| has_one_of(rx, file, &rx.expr_type(file, value), members, name);
    // The first argument of a call of one of these functions, or the object of a method.
    let of_calls = |names: &[&str], is_method: bool| -> Vec<ExprId> {
        let of = |expr: &Expr| {
            let Expr::Call { callee, args, .. } = expr else { return None };
            let Expr::Ref(function) = file.expr(*callee) else { return None };
            let receiver = file.reference(function).receiver;
            let value = if is_method { receiver } else { file.list(*args).next() };
            value.filter(|_| names.contains(&file.ref_name(function)))
        };
        file.exprs.iter().filter_map(of).collect()
    };
    if owners.iter().any(|owner| library::is_typed_dict(rx, *owner)) {
        let may_have = |value: ExprId| rx.expr_type(file, value).is_unknown() || has(value);
        let item_of = |expr: &Expr| match *expr {
            Expr::Index { base, index } => {
                matches!(file.expr(index), Expr::Text(text) if file.name(text) == name).then_some(base)
            }
            _ => None,
        };
        return if before.ends_with('[') && after.starts_with(']') {
            file.exprs.iter().filter_map(item_of).any(may_have)
        } else if KEY_METHODS.iter().any(|method| before.ends_with(&format!(".{method}("))) {
            of_calls(KEY_METHODS, true).into_iter().any(may_have)
        } else {
            after.starts_with(':') || after.starts_with("in ") || after.starts_with("not in ")
        };
    }
    let is_item = || {
        let is_of = |expr: &Expr| match *expr {
            Expr::Index { base, index } => {
                matches!(file.expr(index), Expr::Text(text) if file.name(text) == name) && has(base)
            }
            _ => false,
        };
        before.ends_with('[') && after.starts_with(']') && file.exprs.iter().any(is_of)
    };
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    GETTERS.iter().any(|function| line.ends_with(function))
        || ATTRIBUTE_FUNCTIONS.iter().any(|function| line.contains(function))
            && of_calls(ATTRIBUTE_FUNCTIONS, false).into_iter().any(has)
        || is_item()
        || is_listed(rx, file, members, at)
}

/// Whether a place is in a list of the names of attributes of the class of these members.
pub(super) fn is_listed(rx: &Resolver, file: &FileView, members: &[GlobalDef], at: u32) -> bool {
    let owners: Vec<GlobalDef> = members.iter().filter_map(|member| rx.owner_class(*member)).collect();
    file.def_ids().any(|def| {
        let is_of = |owner| owners.contains(&owner);
        LISTS_OF_NAMES.contains(&file.def_name(def))
            && file.def(def).range.contains(at)
            && rx.owner_class(file.global(def)).is_some_and(is_of)
    })
}
