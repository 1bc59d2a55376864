//! Classes that configuration names by their qualified names: lists of services, descriptors, manifests. They follow what is
//! renamed or moved, and keep from being deleted what they name.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    ConflictKind, ContentHash, FileChange, FilePath, FileText, Language, QueryError, Refactored, TextEdit,
    TextRange, edited, paths,
};

use super::{Workshop, conflict};
use crate::guard;
use crate::lang;
use crate::world::{FileId, is_list_of_classes};

/// The directory whose files are named after the interfaces that they list classes of.
const SERVICES: &str = "META-INF/services";

/// The new names of the classes of the files that a plan changes, by their old names; `None` for removed
/// classes.
type Renamed = BTreeMap<String, Option<String>>;

/// Adds to a plan what configuration must say then.
///
/// # Errors
/// The errors of reading files.
pub(super) fn follow(
    shop: &Workshop<'_>,
    in_spite: bool,
    mut done: Refactored,
) -> Result<Refactored, QueryError> {
    let renamed = renamed(shop, &done)?;
    if renamed.is_empty() {
        return Ok(done);
    }
    let world = shop.pool.world();
    let changed: BTreeSet<FilePath> = done.plan.changes.iter().map(|change| change.file().clone()).collect();
    for file in (0..world.file_count()).map(FileId) {
        shop.cx.check()?;
        let entry = world.file(file);
        let path = entry.path.clone();
        if !may_name_classes(path.as_str()) || changed.contains(&path) {
            continue;
        }
        let text = match world.configuration(path.as_str()) {
            Some(text) => FileText::new(text),
            None => match (shop.text)(file) {
                Ok(text) => text,
                // A file that is no text names no class.
                Err(_) => continue,
            },
        };
        let package = package_of_manifest(shop, &path, &text.text);
        let found = mentions(&text.text, package.as_deref(), &renamed);
        let to = service_path(&path, &renamed);
        let mut edits = Vec::new();
        for (range, new) in found {
            match new {
                Some(new) => edits.push(TextEdit::new(range, new)),
                None if in_spite => {}
                None => {
                    let name = text.slice(range).unwrap_or("");
                    let message = format!("configuration names `{name}` here");
                    done.conflicts.push(conflict(ConflictKind::InUse, message, Some(shop.at(file, range))));
                }
            }
        }
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

/// Whether a file is one of those in which classes are named.
fn may_name_classes(path: &str) -> bool {
    is_list_of_classes(path) || path.ends_with(".xml") || path.ends_with(".properties")
}

fn renamed(shop: &Workshop<'_>, done: &Refactored) -> Result<Renamed, QueryError> {
    let world = shop.pool.world();
    let (mut renamed, mut made) = (Renamed::new(), BTreeSet::new());
    for change in &done.plan.changes {
        let path = change.file();
        let Some(language) = Language::of_path(path.as_str()) else { continue };
        if !lang::is_configured_by_name(language) {
            continue;
        }
        let Some(front_end) = lang::front_end(language) else { continue };
        let was = match world.file_by_path(path.as_str()) {
            Some(file) if !matches!(change, FileChange::Create { .. }) => {
                lang::class_names(path, &world.facts(file))
            }
            _ => Vec::new(),
        };
        let (to, text) = match change {
            FileChange::Delete { .. } => (path, None),
            FileChange::Create { file, text } => (file, Some(text.to_string())),
            FileChange::Edit { file: to, edits, .. } | FileChange::Move { to, edits, .. } => {
                let file = world.file_by_path(path.as_str());
                let old = file.map(shop.text).transpose()?;
                (to, old.and_then(|old| edited(&old.text, edits)))
            }
        };
        let is = text.map(|text| lang::class_names(to, &front_end.facts(to.as_str(), &text)));
        let is = is.unwrap_or_default();
        if was.len() == is.len() {
            let pairs = was.into_iter().zip(is).filter(|(old, new)| old != new);
            renamed.extend(pairs.map(|(old, new)| (old, Some(new))));
            continue;
        }
        let (was, is): (BTreeSet<_>, BTreeSet<_>) = (was.into_iter().collect(), is.into_iter().collect());
        made.extend(is.difference(&was).cloned());
        renamed.extend(was.difference(&is).cloned().map(|name| (name, None)));
    }
    // A class that is gone from one file may be in another.
    let simple = |name: &str| name.rsplit(['.', '$']).next().unwrap_or(name).to_owned();
    // The first of them in order wins.
    let by_simple: BTreeMap<String, String> =
        made.into_iter().rev().map(|name| (simple(&name), name)).collect();
    for (old, new) in renamed.iter_mut().filter(|(_, new)| new.is_none()) {
        *new = by_simple.get(&simple(old)).cloned();
    }
    Ok(renamed)
}

/// The places where a text names classes, with the new texts.
fn mentions(text: &str, package: Option<&str>, renamed: &Renamed) -> Vec<(TextRange, Option<String>)> {
    let mut forms: Vec<(String, Option<String>)> = Vec::new();
    for (old, new) in renamed {
        forms.push((old.clone(), new.clone()));
        if old.contains('$') {
            forms.push((old.replace('$', "."), new.as_ref().map(|new| new.replace('$', "."))));
        }
        // `.Main` is below the package of the manifest.
        let short =
            package.and_then(|package| old.strip_prefix(package)).filter(|rest| rest.starts_with('.'));
        if let Some(short) = short {
            let inside = |name: &String| {
                let rest = package.and_then(|package| name.strip_prefix(package));
                rest.filter(|rest| rest.starts_with('.')).map_or_else(|| name.clone(), str::to_owned)
            };
            forms.push((format!("\"{short}\""), new.as_ref().map(|new| format!("\"{}\"", inside(new)))));
        }
    }
    // Longer names first: a nested class is none of the one around it.
    forms.sort_by_key(|(old, _)| std::cmp::Reverse(old.len()));
    let mut found: Vec<(TextRange, Option<String>)> = Vec::new();
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
fn service_path(path: &FilePath, renamed: &Renamed) -> Option<FilePath> {
    let is_list = path.directory() == SERVICES || path.directory().ends_with(&format!("/{SERVICES}"));
    let new = renamed.get(path.file_name()).filter(|_| is_list)?.as_ref()?;
    Some(path.with_file_name(new))
}

/// The package to which names in a manifest of Android belong: as it says itself, or the build beside it.
fn package_of_manifest(shop: &Workshop<'_>, path: &FilePath, text: &str) -> Option<String> {
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
    let world = shop.pool.world();
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
