//! Classes that configuration names by their qualified names: lists of services, descriptors, manifests. They follow what is
//! renamed or moved, and keep from being deleted what they name.

use std::collections::BTreeSet;

use ide_model::{
    ContentHash, FileChange, FilePath, FileText, Language, QueryError, Refactored, TextRange, paths,
};

use super::RefactorContext;
use super::heirs::{Heir, Heirs, edits_of, follow_calls, heirs};
use crate::guard;
use crate::lang;
use crate::world::{FileId, is_list_of_classes};

/// The directory whose files are named after the interfaces that they list classes of.
const SERVICES: &str = "META-INF/services";

/// Adds to a plan what configuration must say then.
///
/// # Errors
/// The errors of reading files.
pub(super) fn follow(
    ctx: &RefactorContext<'_>,
    in_spite: bool,
    mut done: Refactored,
) -> Result<Refactored, QueryError> {
    let renamed = heirs(ctx, &done, lang::is_configured_by_name, &|path, facts| {
        let whole = |name: String| match name.rsplit_once('.') {
            Some((package, inner)) => (package.to_owned(), inner.to_owned()),
            None => (String::new(), name),
        };
        lang::class_names(path, facts).into_iter().map(whole).collect()
    })?;
    if renamed.is_empty() {
        return Ok(done);
    }
    let said = |name: &str| (!in_spite).then(|| format!("`{name}` is loaded by its name here"));
    follow_calls(ctx, &renamed, &mut done, loaders, &said)?;
    let world = ctx.pool.world();
    let changed: BTreeSet<FilePath> = done.plan.changes.iter().map(|change| change.file().clone()).collect();
    for file in (0..world.file_count()).map(FileId) {
        ctx.cx.check()?;
        let entry = world.file(file);
        let path = entry.path.clone();
        if !may_name_classes(path.as_str()) || changed.contains(&path) {
            continue;
        }
        let text = match world.configuration(path.as_str()) {
            Some(text) => FileText::new(text),
            None => match (ctx.text)(file) {
                Ok(text) => text,
                // A file that is no text names no class.
                Err(_) => continue,
            },
        };
        let package = package_of_manifest(ctx, &path, &text.text);
        let found = mentions(&text.text, package.as_deref(), &renamed);
        let to = service_path(&path, &renamed);
        let said = |name: &str| (!in_spite).then(|| format!("configuration names `{name}` here"));
        let edits = edits_of(ctx, file, &text, found, &mut done, &said);
        if edits.is_empty() && to.is_none() {
            continue;
        }
        // Of what nothing is read it is not known whether it is still the same.
        if entry.language.is_none() && world.configuration(path.as_str()).is_none() {
            done.warnings.push(format!("{path} names a class that is renamed or moved, and is not changed"));
            continue;
        }
        let before = ContentHash(entry.content_hash);
        done.plan.changes.push(match to {
            Some(to) => FileChange::Move { from: path, to, before, edits },
            None => FileChange::Edit { file: path, before, edits },
        });
    }
    Ok(done)
}

/// Methods that take the qualified name of a class.
const LOADERS: &[&str] = &["forName", "loadClass"];

fn loaders(language: Language) -> &'static [&'static str] {
    if lang::is_configured_by_name(language) { LOADERS } else { &[] }
}

/// Whether a file is one of those in which classes are named.
fn may_name_classes(path: &str) -> bool {
    is_list_of_classes(path) || path.ends_with(".xml") || path.ends_with(".properties")
}

/// The places where a text names classes, with the new texts.
fn mentions(text: &str, package: Option<&str>, renamed: &Heirs) -> Vec<(TextRange, Heir)> {
    let mut forms: Vec<(String, Heir)> = Vec::new();
    for (old, new) in renamed {
        forms.push((old.clone(), new.clone()));
        if old.contains('$') {
            forms.push((old.replace('$', "."), new.map(|new| new.replace('$', "."))));
        }
        // `.Main` is below the package of the manifest.
        let short =
            package.and_then(|package| old.strip_prefix(package)).filter(|rest| rest.starts_with('.'));
        if let Some(short) = short {
            let inside = |name: &str| {
                let rest = package.and_then(|package| name.strip_prefix(package));
                rest.filter(|rest| rest.starts_with('.')).unwrap_or(name).to_owned()
            };
            forms.push((format!("\"{short}\""), new.map(|new| format!("\"{}\"", inside(new)))));
        }
    }
    // Longer names first: a nested class is none of the one around it.
    forms.sort_by_key(|(old, _)| std::cmp::Reverse(old.len()));
    let mut found: Vec<(TextRange, Heir)> = Vec::new();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    for (old, new) in forms {
        guard::tick();
        for (at, _) in text.match_indices(&*old) {
            let range = TextRange::new(at as u32, (at + old.len()) as u32);
            let is_whole = old.starts_with('"')
                || !text[..at].ends_with(|c: char| is_part(c) || c == '.' || c == '-')
                    && !text[at + old.len()..].starts_with(|c: char| is_part(c) || c == '-');
            let is_new = !found.iter().any(|(other, _)| other.start < range.end && range.start < other.end);
            if is_whole && is_new {
                found.push((range, new.clone()));
            }
        }
    }
    found.sort_by_key(|(range, _)| *range);
    found
}

/// The new path of a list of services that is named after an interface.
fn service_path(path: &FilePath, renamed: &Heirs) -> Option<FilePath> {
    let is_list = path.directory() == SERVICES || path.directory().ends_with(&format!("/{SERVICES}"));
    match renamed.get(path.file_name()).filter(|_| is_list)? {
        Heir::Name(new) => Some(path.with_file_name(new)),
        Heir::Gone | Heir::Unclear => None,
    }
}

/// The package to which names in a manifest of Android belong: as it says itself, or the build beside it.
fn package_of_manifest(ctx: &RefactorContext<'_>, path: &FilePath, text: &str) -> Option<String> {
    if path.file_name() != "AndroidManifest.xml" {
        return None;
    }
    let value = |text: &str, key: &str| {
        let at = text.match_indices(key).map(|(at, _)| &text[at + key.len()..]).find_map(|rest| {
            let rest = rest.trim_start().trim_start_matches(['=', '(']).trim_start();
            rest.starts_with(['"', '\'']).then_some(rest)
        })?;
        at[1..].split(['"', '\'']).next().map(str::to_owned)
    };
    if let Some(package) = value(text, " package").or_else(|| value(text, "\npackage")) {
        return Some(package);
    }
    let world = ctx.pool.world();
    let mut directory = path.directory();
    loop {
        for name in ["build.gradle.kts", "build.gradle"] {
            let build = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
            if let Some(namespace) = world.configuration(&build).and_then(|text| value(&text, "namespace")) {
                return Some(namespace);
            }
        }
        if directory.is_empty() {
            return None;
        }
        directory = paths::directory(directory);
    }
}
