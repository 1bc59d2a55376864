//! Texts that give an argument its parameter where a call unpacks it: `f(**{"order": 1})`, `f(...['order' => 1])`,
//! `Thread(target=f, kwargs={"order": 1})`, `call_user_func_array('f', ['order' => 1])`.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{Family as Languages, QueryError, SourceKind, SymbolKind, TextRange};

use super::RefactorContext;
use super::callable_texts::{called_around, texts_in};
use super::family::Family;
use super::rename::each_file;
use crate::resolve::Resolver;
use crate::world::{FileId, GlobalDef};

/// Functions of PHP that take the arguments of another one as an array.
const CALLERS: [&str; 3] = ["call_user_func_array", "invokeArgs", "newInstanceArgs"];

/// Words by which a class makes values of itself. Nearly every file has them.
const OWN_CLASS: [&str; 3] = ["cls", "self", "static"];

/// Keys that may stand for a parameter of the family, or for a field that a constructor takes by its name.
pub(super) fn unpacked_keys(
    ctx: &RefactorContext<'_>,
    family: &Family,
    name: &str,
) -> Result<Vec<(FileId, TextRange)>, QueryError> {
    let (languages, called) = ctx.pool.with(|rx| {
        let languages = family.defs.first().map(|def| rx.file(def.file).family());
        (languages, family.defs.iter().flat_map(|def| called_as(rx, *def)).collect::<BTreeSet<_>>())
    });
    let Some(languages) = languages.filter(|_| !called.is_empty()) else { return Ok(Vec::new()) };
    let world = ctx.pool.world();
    let callers = CALLERS.iter().filter(|_| languages == Languages::Php).copied();
    let names = called.iter().map(|word| &**word).filter(|word| !OWN_CLASS.contains(word));
    let mut files: BTreeSet<FileId> =
        names.chain(callers).flat_map(|word| world.files_mentioning(word)).collect();
    files.extend(family.defs.iter().map(|def| def.file));
    files.retain(|id| world.file(*id).source != SourceKind::Library);
    let files: Vec<FileId> = files.into_iter().collect();
    let found = each_file(ctx, &files, |rx, id| {
        if rx.file(id).family() != languages {
            return Ok(Vec::new());
        }
        let text = (ctx.text)(id)?;
        let text = &*text.text;
        let mut keys = texts_in(rx, id, text, name);
        keys.retain(|key| is_key(&text[key.end as usize + 1..]));
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let is_anywhere = called.iter().any(|word| unpacks(text, word));
        let stands = |key: &TextRange| {
            let before = &text[..key.start as usize - 1];
            is_anywhere
                || is_unpacked(before)
                || called_around(before).is_some_and(|function| CALLERS.contains(&function))
        };
        Ok(keys.into_iter().filter(stands).map(|key| (id, key)).collect())
    })?;
    Ok(found.concat())
}

/// The names by which a function with this parameter is called, or a class with this field is made.
fn called_as(rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
    let (file, d) = (rx.file(def.file), rx.def(def));
    let is_python = file.family() == Languages::Python;
    let made = |class: GlobalDef| OWN_CLASS.map(Arc::from).into_iter().chain([rx.shared_name(class)]);
    if d.kind == SymbolKind::Parameter && (is_python || file.family() == Languages::Php) {
        let Some(function) = file.scope(d.scope).owner.map(|owner| file.global(owner)) else {
            return Vec::new();
        };
        let name = rx.shared_name(function);
        let is_constructor = matches!(&*name, "__init__" | "__new__" | "__construct");
        let class = rx.owner_class(function).filter(|_| is_constructor);
        return class.into_iter().flat_map(made).chain([name]).collect();
    }
    let is_field =
        is_python && matches!(d.kind, SymbolKind::Field | SymbolKind::Property | SymbolKind::Variable);
    rx.owner_class(def).filter(|_| is_field).into_iter().flat_map(made).collect()
}

/// Whether a text is a key by what stands behind it.
fn is_key(behind: &str) -> bool {
    let behind = behind.trim_start();
    behind.starts_with(':') || behind.starts_with("=>")
}

/// Whether the arguments of a call of a function have some that are unpacked.
fn unpacks(text: &str, function: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(function).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + function.len()..]);
        let Some(arguments) = behind.trim_start().strip_prefix('(') else { return false };
        let is_declared = ["def", "function", "fn"].iter().any(|word| before.trim_end().ends_with(word));
        !before.ends_with(is_word) && !is_declared && has_unpacked(arguments)
    })
}

/// Whether one of the arguments up to the closing bracket begins with `**` or `...`; `f(...)` makes a closure.
fn has_unpacked(arguments: &str) -> bool {
    let (mut depth, mut begins) = (0_usize, true);
    for (at, c) in arguments.char_indices() {
        let rest = &arguments[at..];
        match c {
            _ if begins && depth == 0 && rest.starts_with("**") => return true,
            _ if begins && depth == 0 && rest.starts_with("...") => {
                return !rest[3..].trim_start().starts_with(')');
            }
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return false,
            ')' | ']' | '}' => depth -= 1,
            _ => {}
        }
        begins = c == ',' && depth == 0 || begins && c.is_whitespace();
    }
    false
}

/// Whether the dictionary or array that a text ends in is unpacked, or given as the arguments of a call.
fn is_unpacked(before: &str) -> bool {
    let mut depth = 0_usize;
    for (at, c) in before.char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '(' | '[' | '{' => {
                let head = before[..at].trim_end();
                let head = head.strip_suffix("array").filter(|_| c == '(').unwrap_or(head).trim_end();
                let is_given = |head: &str| head.trim_end().ends_with("kwargs");
                return head.ends_with("**")
                    || head.ends_with("...")
                    || head.strip_suffix('=').is_some_and(is_given);
            }
            ';' => return false,
            _ => {}
        }
    }
    false
}
