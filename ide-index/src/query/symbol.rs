//! Declarations as symbols, and stable keys for them.

use std::sync::Arc;

use ide_model::{FilePath, Language, QueryError, SourceKind, Symbol, SymbolKey, SymbolKind, TextRange};

use super::file_id;
use crate::facts::{DefFlags, DefId};
use crate::lang;
use crate::resolve::{FileView, Resolver};
use crate::world::{FileId, GlobalDef, World};

/// Between the parts of a key; occurs in no path and no name.
const SEPARATOR: char = '\u{1f}';

/// The symbol of a declaration.
pub fn symbol(rx: &Resolver, def: GlobalDef) -> Symbol {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let entry = rx.world().file(def.file);
    let name = display_name(file, def.def);
    Symbol {
        key: key(rx, file, def.def),
        name,
        kind: kind_shown(file, def.def),
        language: file.language(),
        qualified_name: lang::policy(file.language()).qualified_name(rx, def).map(Into::into),
        container: container(file, def.def)
            .or_else(|| rx.member_owner(def).map(|owner| rx.shared_name(owner))),
        file: entry.path.clone(),
        name_range: d.name_range,
        full_range: d.range,
        is_library: entry.source == SourceKind::Library,
    }
}

/// The kind of a declaration as people see it: a variable that holds a function is a function.
pub(super) fn kind_shown(file: &FileView, def: DefId) -> SymbolKind {
    let kind = file.def(def).kind;
    match lang::policy(file.language()).held_function(file, def) {
        None => kind,
        Some(_) if matches!(kind, SymbolKind::Property | SymbolKind::Field) => SymbolKind::Method,
        Some(_) => SymbolKind::Function,
    }
}

/// The file as a module.
pub(crate) fn module_symbol(world: &dyn World, id: FileId) -> Symbol {
    let entry = world.file(id);
    let stem = entry.path.file_name().rsplit_once('.').map_or(entry.path.file_name(), |(stem, _)| stem);
    Symbol {
        key: SymbolKey(format!("{}{SEPARATOR}", entry.path).into()),
        name: stem.into(),
        kind: SymbolKind::Module,
        language: entry.language.unwrap_or(Language::PlainText),
        qualified_name: None,
        container: None,
        file: entry.path.clone(),
        name_range: TextRange::new(0, 0),
        full_range: TextRange::new(0, entry.size as u32),
        is_library: entry.source == SourceKind::Library,
    }
}

fn display_name(file: &FileView, def: DefId) -> Arc<str> {
    let d = file.def(def);
    if let Some(head) = lang::policy(file.language()).implementation_head(file, def) {
        return head.into();
    }
    if !d.flags.has(DefFlags::ANONYMOUS) || d.flags.has(DefFlags::COMPANION) {
        return file.def_name(def).into();
    }
    if d.kind.is_callable() { "<lambda>".into() } else { "<anonymous>".into() }
}

fn container(file: &FileView, def: DefId) -> Option<Arc<str>> {
    file.enclosing_def(file.def(def).scope).map(|owner| file.def_name(owner).into())
}

/// Names of the enclosing declarations and the declaration's own, outermost first.
fn chain(file: &FileView, def: DefId) -> String {
    let mut parts = vec![file.def_name(def)];
    let mut scope = file.def(def).scope;
    while let Some(owner) = file.enclosing_def(scope) {
        parts.push(file.def_name(owner));
        scope = file.def(owner).scope;
    }
    parts.reverse();
    parts.join(".")
}

/// Path, chain of names, kind, number of parameters, and the position among those that are alike in all that: an edit
/// elsewhere changes none of them. Last the language, where others see another file at the path.
fn key(rx: &Resolver, file: &FileView, def: DefId) -> SymbolKey {
    let d = file.def(def);
    let chain_text = chain(file, def);
    let ordinal = file.ordinal(def);
    let s = SEPARATOR;
    let of_language = match rx.world().file_by_path(&file.path) {
        Some(shown) if shown != file.id => format!("{s}{}", file.language() as u8),
        _ => String::new(),
    };
    SymbolKey(
        format!(
            "{}{s}{chain_text}{s}{}{s}{}{s}{ordinal}{of_language}",
            file.path, d.kind as u8, d.params.len
        )
        .into(),
    )
}

fn alike<'f>(
    file: &'f FileView,
    kind: SymbolKind,
    arity: u32,
    chain_text: &'f str,
) -> impl Iterator<Item = DefId> + 'f {
    with_chain(file, kind, chain_text).filter(move |d| file.def(*d).params.len == arity)
}

fn with_chain<'f>(
    file: &'f FileView,
    kind: SymbolKind,
    chain_text: &'f str,
) -> impl Iterator<Item = DefId> + 'f {
    // Names may hold dots (keys of object literals), so the text behind the last dot cannot serve as the name.
    file.def_ids().filter(move |d| {
        file.def(*d).kind == kind && chain_text.ends_with(file.def_name(*d)) && chain(file, *d) == chain_text
    })
}

/// The key of a package that is shown by a file.
pub(super) fn package_key(file: &FilePath, package: &str) -> SymbolKey {
    SymbolKey(format!("{file}{SEPARATOR}{package}").into())
}

/// The package that a key stands for, behind the file by which it is shown.
pub(super) fn package_of(key: &SymbolKey) -> Option<(&str, &str)> {
    let (file, package) = key.0.split_once(SEPARATOR)?;
    (!package.is_empty() && !package.contains(SEPARATOR)).then_some((file, package))
}

/// The declaration that a symbol of an earlier answer stands for; `None` for a file as a module, and for a package.
///
/// # Errors
/// [`QueryError::NotFound`] when it is gone or can no longer be told from others.
pub fn declaration(rx: &Resolver, key: &SymbolKey) -> Result<(FileId, Option<GlobalDef>), QueryError> {
    let parts: Vec<&str> = key.0.split(SEPARATOR).collect();
    let gone = || {
        let name = parts.get(1).filter(|name| !name.is_empty()).or(parts.first()).unwrap_or(&"");
        let what =
            format!("`{name}` any more where an earlier answer found it (ask for it by name or place)");
        QueryError::NotFound { what, similar: Vec::new() }
    };
    let id = file_id(rx.world(), &FilePath::new(*parts.first().ok_or_else(gone)?))?;
    let (id, [_, chain_text, kind, arity, ordinal]) = match parts[..] {
        [path, chain_text, kind, arity, ordinal, language] => {
            let language = language.parse().ok().and_then(Language::from_u8).ok_or_else(gone)?;
            (rx.world().seen_by(id, language).unwrap_or(id), [path, chain_text, kind, arity, ordinal])
        }
        [path, chain_text, kind, arity, ordinal] => (id, [path, chain_text, kind, arity, ordinal]),
        [_, _] => return Ok((id, None)),
        _ => return Err(gone()),
    };
    let file = rx.file(id);
    let kind = kind.parse().ok().and_then(SymbolKind::from_u8).ok_or_else(gone)?;
    let (arity, ordinal): (u32, usize) =
        (arity.parse().map_err(|_| gone())?, ordinal.parse().map_err(|_| gone())?);
    let exact = alike(file, kind, arity, chain_text).nth(ordinal);
    let found = exact.or_else(|| {
        let mut any = with_chain(file, kind, chain_text);
        any.next().filter(|_| any.next().is_none())
    });
    found.map(|def| (id, Some(file.global(def)))).ok_or_else(gone)
}

/// Named declarations around an offset, outermost first. Parameters and variables do not enclose.
pub fn enclosing(rx: &Resolver, file: &FilePath, offset: u32) -> Result<Vec<Symbol>, QueryError> {
    let id = file_id(rx.world(), file)?;
    let view = rx.file(id);
    Ok(enclosing_defs(view, offset).into_iter().map(|def| symbol(rx, view.global(def))).collect())
}

pub(crate) fn enclosing_defs(file: &FileView, offset: u32) -> Vec<DefId> {
    let is_apart = |id: &DefId| !file.def(*id).name_range.touches(offset);
    let mut found: Vec<DefId> = file.enclosing_chain(offset).filter(is_apart).collect();
    found.reverse();
    // A field that a method assigns to its object is declared by the class, but in the method.
    let functions: Vec<DefId> = found.iter().copied().filter(|id| file.def(*id).kind.is_callable()).collect();
    found.retain(|id| {
        let d = file.def(*id);
        let outside = |function: &DefId| {
            let range = file.def(*function).range;
            range.encloses(d.range) && file.scope(d.scope).range.encloses(range)
        };
        d.kind.is_type() || d.kind.is_callable() || !functions.iter().any(outside)
    });
    found
}
