//! Which paths are data of version control: read by others as commands (hooks, configuration), never written by us.
//!
//! A name such as `.git` tells most of it. A `.git` may also be a link or a file that leads elsewhere, so it is followed;
//! and a directory that git would take for a repository is one, whoever leads to it.

use std::io;

use crate::fs::{Fs, Kind};
use crate::path::{AbsPath, is_absolute, normalize};
use crate::projects::CHECKOUT_MARKERS;

/// Bytes of the files that say where a repository lies.
const MAX_POINTER: u64 = 16 << 10;

/// Whether a real path is data of version control, or names some. `root` is the root that holds the path; `around` are
/// further directories in which a checkout may begin.
pub(crate) fn is_version_control<'a>(
    fs: &dyn Fs,
    path: &AbsPath,
    root: &AbsPath,
    around: impl Iterator<Item = &'a AbsPath>,
) -> bool {
    let is_marker = |name: &str| CHECKOUT_MARKERS.iter().any(|marker| name.eq_ignore_ascii_case(marker));
    // On Windows `.git` has a short name too.
    if path.as_str().split('/').any(|name| is_marker(name) || name.eq_ignore_ascii_case("git~1")) {
        return true;
    }
    let case = fs.case(root.as_str());
    let mut dirs: Vec<AbsPath> = Vec::new();
    let mut at = Some(path.clone());
    while let Some(dir) = at.filter(|dir| dir.below(root, case).is_some()) {
        if holds_as_repository(fs, &dir, path) {
            return true;
        }
        at = dir.parent();
        dirs.push(dir);
    }
    dirs.extend(around.cloned());
    dirs.sort();
    dirs.dedup();
    dirs.iter().flat_map(|dir| data_of(fs, dir)).any(|data| path.below(&data, case).is_some())
}

/// Whether git takes a directory for a repository and the path for a part of it. Checkouts may lie in it as well.
fn holds_as_repository(fs: &dyn Fs, dir: &AbsPath, path: &AbsPath) -> bool {
    let place = |name: &str| format!("{}/{name}", dir.as_str().trim_end_matches('/'));
    let has = |name: &str| fs.exists(&place(name));
    if !has("HEAD") || !(has("objects") && has("refs") || has("commondir")) {
        return false;
    }
    let rest = path.as_str()[dir.as_str().len()..].trim_start_matches('/');
    let first = rest.split('/').next().unwrap_or_default();
    first.is_empty() || !has(&format!("{first}/.git"))
}

/// The real directories of the data of the checkout that begins in a directory, as far as that is not below its
/// markers.
fn data_of(fs: &dyn Fs, dir: &AbsPath) -> Vec<AbsPath> {
    let mut found = Vec::new();
    for marker in CHECKOUT_MARKERS {
        let place = format!("{}/{marker}", dir.as_str().trim_end_matches('/'));
        let Ok(meta) = fs.symlink_metadata(&place) else { continue };
        let data = match meta.kind {
            Kind::File => pointed_to(fs, &place, dir, "gitdir:"),
            _ => fs.canonicalize(&place).ok(),
        };
        // Worktrees and shares keep a part of it elsewhere.
        let Some(data) = data else { continue };
        for pointer in ["commondir", "sharedpath", "repo"] {
            found.extend(pointed_to(fs, &format!("{data}/{pointer}"), &data, ""));
        }
        found.extend(links_in(fs, &data));
        found.push(data);
    }
    found
}

/// The path that the first line of a file names, behind a word, seen from a directory.
fn pointed_to(fs: &dyn Fs, file: &str, from: &AbsPath, word: &str) -> Option<AbsPath> {
    let real = fs.canonicalize(file).ok()?;
    if fs.metadata(real.as_str()).ok()?.kind != Kind::File {
        return None;
    }
    let text = fs.read_text(real.as_str(), MAX_POINTER).ok()?;
    let named = normalize(text.lines().next()?.strip_prefix(word)?, None);
    let absolute = if is_absolute(&named, fs.windows()) { named } else { format!("{from}/{named}") };
    match fs.canonicalize(&absolute) {
        // It may be made later.
        Err(e) if e.kind() == io::ErrorKind::NotFound => AbsPath::new(&absolute),
        real => real.ok(),
    }
}

/// The targets of links directly in a repository: its hooks may lie beside it.
fn links_in(fs: &dyn Fs, data: &AbsPath) -> Vec<AbsPath> {
    let entries = fs.read_dir(data.as_str()).unwrap_or_default();
    let links = entries.into_iter().filter(|entry| entry.kind == Kind::Symlink);
    links.filter_map(|entry| fs.canonicalize(&format!("{data}/{}", entry.name)).ok()).collect()
}
