//! Files that others include by a path from their own directory: `require __DIR__ . '/x.php'`. The path follows a file that
//! moves, and so does the list of files in `composer.json` that are always loaded.

use std::collections::BTreeMap;

use ide_model::{
    ConflictKind, ContentHash, FileChange, FilePath, Language, QueryError, Refactored, SourceKind,
    TextContext, TextEdit, TextRange, paths,
};

use super::{RefactorContext, conflict};
use crate::classify::contexts_at;
use crate::lang::imports::imports;
use crate::world::FileId;

/// The description of a package of PHP, and its keys with lists of paths.
const PACKAGE: &str = "composer.json";
const LISTS: &[&str] = &["\"files\"", "\"classmap\"", "\"bin\""];

/// Levels that a path may go up.
const MAX_UP: usize = 32;

type Moves = BTreeMap<String, String>;

/// Adds to a plan that moves files the paths that lead to them.
///
/// # Errors
/// The errors of reading files.
pub(super) fn follow(ctx: &RefactorContext<'_>, mut done: Refactored) -> Result<Refactored, QueryError> {
    let words =
        |language: Option<Language>| language.and_then(imports).map_or(&[][..], |row| row.directory_words);
    let moves: Moves = done
        .plan
        .changes
        .iter()
        .filter_map(|change| match change {
            FileChange::Move { from, to, .. } => Some((from.as_str().to_owned(), to.as_str().to_owned())),
            _ => None,
        })
        .collect();
    if !moves.keys().any(|from| !words(Language::of_path(from)).is_empty()) {
        return Ok(done);
    }
    let world = ctx.pool.world();
    for file in (0..world.file_count()).map(FileId) {
        ctx.cx.check()?;
        let entry = world.file(file);
        let path = entry.path.clone();
        let words = words(entry.language);
        if entry.source == SourceKind::Library {
            continue;
        }
        let edits = if path.file_name() == PACKAGE {
            let Some(text) = world.configuration(path.as_str()) else { continue };
            listed(&text, path.directory(), &moves)
        } else if let (Some(language), false) = (entry.language, words.is_empty()) {
            let text = (ctx.text)(file)?;
            let mut edits = included(&text.text, path.as_str(), words, &moves);
            let row = imports(language).map_or(&[][..], |row| row.including_words);
            let is_there = |path: &str| world.file_by_path(path).is_some();
            for (range, new) in plain(&text.text, path.as_str(), row, &moves, &is_there) {
                match new {
                    Some(new) => edits.push(TextEdit::new(range, new)),
                    None => {
                        let message =
                            "it depends on where the program is started whether this is the file that moves";
                        done.conflicts.push(conflict(ConflictKind::Form, message, Some(ctx.at(file, range))));
                    }
                }
            }
            let is_code = |edit: &TextEdit| {
                contexts_at(language, &text.text, &[edit.range.start]) == [TextContext::StringLiteral]
            };
            edits.retain(is_code);
            edits
        } else {
            continue;
        };
        if edits.is_empty() {
            continue;
        }
        if path.file_name() == PACKAGE {
            done.warnings.push(format!("{path} has new paths: run `composer dump-autoload`"));
        }
        add(&mut done, path, ContentHash(entry.content_hash), edits);
    }
    Ok(done)
}

/// Whether a file of the project includes another one by its path.
///
/// # Errors
/// The errors of reading files.
#[cfg(feature = "tree-sitter")]
pub(super) fn is_included(ctx: &RefactorContext<'_>, path: &FilePath) -> Result<bool, QueryError> {
    let world = ctx.pool.world();
    let moves = Moves::from([(path.to_string(), format!("{path}x"))]);
    for file in (0..world.file_count()).map(FileId) {
        ctx.cx.check()?;
        let entry = world.file(file);
        let Some(row) = entry.language.and_then(imports).filter(|_| entry.source != SourceKind::Library)
        else {
            continue;
        };
        if row.directory_words.is_empty() {
            continue;
        }
        let (text, own) = ((ctx.text)(file)?.text, entry.path.as_str());
        let is_there = |path: &str| world.file_by_path(path).is_some();
        if !included(&text, own, row.directory_words, &moves).is_empty()
            || !plain(&text, own, row.including_words, &moves, &is_there).is_empty()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Adds edits of a file to what a plan does with it.
pub(super) fn add(done: &mut Refactored, path: FilePath, before: ContentHash, more: Vec<TextEdit>) {
    let of_file = done.plan.changes.iter_mut().find(|change| *change.file() == path);
    match of_file {
        Some(FileChange::Edit { edits, .. } | FileChange::Move { edits, .. }) => {
            for edit in more {
                let meets = |other: &TextEdit| {
                    other.range.start < edit.range.end && edit.range.start < other.range.end
                };
                if !edits.iter().any(meets) {
                    edits.push(edit);
                }
            }
            edits.sort();
        }
        Some(_) => {}
        None => done.plan.changes.push(FileChange::Edit { file: path, before, edits: more }),
    }
}

/// The directory so many levels above one.
fn above(directory: &str, levels: usize) -> Option<&str> {
    let mut at = directory;
    for _ in 0..levels {
        if at.is_empty() {
            return None;
        }
        at = paths::directory(at);
    }
    Some(at)
}

/// The path from a directory to a file.
fn relative(base: &str, target: &str) -> String {
    let parts = |path| str::split(path, '/').filter(|part| !part.is_empty()).collect::<Vec<_>>();
    let (base, target): (Vec<&str>, Vec<&str>) = (parts(base), parts(target));
    let same = base.iter().zip(&target).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", base.len() - same);
    up.chain(target[same..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// The new paths in the text of a file.
fn included(text: &str, path: &str, words: &[&str], moves: &Moves) -> Vec<TextEdit> {
    let after = |path: &str| moves.get(path).map_or_else(|| path.to_owned(), Clone::clone);
    let new_path = after(path);
    let (old, new) = (paths::directory(path), paths::directory(&new_path));
    let mut edits = Vec::new();
    for word in words {
        for (at, _) in text.match_indices(word) {
            let Some((up, rest)) = levels(text, at, word) else { continue };
            let Some(range) = literal_behind(text, rest) else { continue };
            let written = &text[range.start as usize..range.end as usize];
            let (Some(from), Some(to)) = (above(old, up), above(new, up)) else { continue };
            let target = paths::normal(&paths::join(from, written.trim_start_matches('/')));
            if !moves.contains_key(&target) {
                continue;
            }
            let anew = format!("/{}", relative(to, &after(&target)));
            if anew != written {
                edits.push(TextEdit::new(range, anew));
            }
        }
    }
    edits.sort();
    edits
}

/// The paths without a directory behind words that include: `require 'src/a.php'`. They are looked for from where the
/// program was started, which is taken for the directory of a package, and from the file. `None` where both are files.
fn plain(
    text: &str,
    path: &str,
    words: &[&str],
    moves: &Moves,
    is_there: &dyn Fn(&str) -> bool,
) -> Vec<(TextRange, Option<String>)> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '>' | ':' | '\\');
    let mut found = Vec::new();
    for word in words {
        for (at, _) in text.match_indices(word) {
            let rest = &text[at + word.len()..];
            let rest = rest.trim_start();
            let rest = rest.strip_prefix('(').map_or(rest, str::trim_start);
            let Some(quote) = rest.chars().next().filter(|c| ['\'', '"'].contains(c)) else { continue };
            let start = text.len() - rest.len() + 1;
            let Some(length) = text[start..].find(quote) else { continue };
            let written = &text[start..start + length];
            let behind = text[start + length + 1..].trim_start();
            let is_whole = !written.starts_with('/') && !written.contains(['$', '{', '\\', '\n']);
            if text[..at].ends_with(is_part) || !is_whole || behind.starts_with('.') {
                continue;
            }
            let range = TextRange::new(start as u32, (start + length) as u32);
            let bases =
                ["", paths::directory(path)].map(|base| (base, paths::normal(&paths::join(base, written))));
            let of = |moved: bool| {
                bases.iter().find(|(_, target)| is_there(target) && moves.contains_key(target) == moved)
            };
            let Some((base, target)) = of(true) else { continue };
            let dot = if written.starts_with("./") { "./" } else { "" };
            let new = of(false).is_none().then(|| format!("{dot}{}", relative(base, &moves[target])));
            found.push((range, new));
        }
    }
    found
}

/// How many levels above the directory of the file an expression with a word for it means, and where the expression ends:
/// `__DIR__`, `dirname(__FILE__)`, `dirname(__DIR__, 2)`.
fn levels(text: &str, at: usize, word: &str) -> Option<(usize, usize)> {
    let (mut up, mut start, mut end) = (0, at, at + word.len());
    while up <= MAX_UP
        && let Some(before) = text[..start].trim_end().strip_suffix('(')
        && let Some(before) = before.trim_end().strip_suffix("dirname")
    {
        let rest = text[end..].trim_start();
        let (count, rest) = match rest.strip_prefix(',') {
            Some(rest) => {
                let rest = rest.trim_start();
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                (rest[..digits].parse().ok().filter(|count| *count <= MAX_UP)?, rest[digits..].trim_start())
            }
            None => (1, rest),
        };
        let rest = rest.strip_prefix(')')?;
        (up, start, end) = (up + count, before.len(), text.len() - rest.len());
    }
    // The first step from the file leads to its directory.
    let up = if word == "__FILE__" { up.checked_sub(1)? } else { up };
    Some((up, end))
}

/// The content of the text that is put behind an expression, where it is a whole path.
fn literal_behind(text: &str, end: usize) -> Option<TextRange> {
    let rest = text[end..].trim_start().strip_prefix('.')?.trim_start();
    let quote = rest.chars().next().filter(|c| ['\'', '"'].contains(c))?;
    let start = text.len() - rest.len() + 1;
    let length = text[start..].find(quote)?;
    let content = &text[start..start + length];
    let behind = text[start + length + 1..].trim_start();
    let is_whole =
        content.starts_with('/') && !content.contains(['$', '{', '\\', '\n']) && !behind.starts_with('.');
    is_whole.then(|| TextRange::new(start as u32, (start + length) as u32))
}

/// The new paths in the lists of a package's description.
fn listed(text: &str, directory: &str, moves: &Moves) -> Vec<TextEdit> {
    let mut edits = Vec::new();
    for key in LISTS {
        for (at, _) in text.match_indices(key) {
            let open = at + key.len();
            let value = text[open..].trim_start().strip_prefix(':').map(str::trim_start);
            let Some(list) = value.and_then(|value| value.strip_prefix('[')) else { continue };
            let start = text.len() - list.len();
            let end = list.find(']').map_or(text.len(), |end| start + end);
            let mut quotes = text[start..end].match_indices('"').map(|(at, _)| start + at);
            while let (Some(open), Some(close)) = (quotes.next(), quotes.next()) {
                let written = &text[open + 1..close];
                let plain = written.replace("\\/", "/");
                let target = paths::normal(&paths::join(directory, &plain));
                let Some(new) = moves.get(&target) else { continue };
                let mut new = relative(directory, new);
                if plain.starts_with("./") {
                    new = format!("./{new}");
                }
                if written.contains("\\/") {
                    new = new.replace('/', "\\/");
                }
                edits.push(TextEdit::new(TextRange::new(open as u32 + 1, close as u32), new));
            }
        }
    }
    edits.sort();
    edits
}

#[cfg(test)]
mod tests {
    use super::{included, listed, relative};

    #[test]
    fn paths_follow_whatever_says_the_directory() {
        let moves = [("src/a.php".to_owned(), "src/lib/b.php".to_owned())].into();
        let new = |path: &str, text: &str| {
            let edits = included(text, path, &["__DIR__", "__FILE__"], &moves);
            edits.into_iter().map(|edit| edit.text.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(new("m.php", "require __DIR__ . '/src/a.php';"), ["/src/lib/b.php"]);
        assert_eq!(new("m.php", "require(__DIR__.\"/src/../src/a.php\");"), ["/src/lib/b.php"]);
        assert_eq!(new("t/m.php", "require dirname(__DIR__) . '/src/a.php';"), ["/src/lib/b.php"]);
        assert_eq!(new("t/u/m.php", "require dirname(__DIR__, 2) . '/src/a.php';"), ["/src/lib/b.php"]);
        assert_eq!(new("t/u/m.php", "require dirname(dirname(__DIR__)) . '/src/a.php';"), ["/src/lib/b.php"]);
        assert_eq!(new("src/m.php", "require dirname(__FILE__) . '/a.php';"), ["/lib/b.php"]);
        assert_eq!(new("t/m.php", "require __DIR__ . '/../src/a.php';"), ["/../src/lib/b.php"]);
        let plain = |path: &str, text: &str, there: &[&str]| {
            let words = ["require", "require_once"];
            let found = super::plain(text, path, &words, &moves, &|path| there.contains(&path));
            found.into_iter().map(|(_, new)| new).collect::<Vec<_>>()
        };
        let to = |path: &str| vec![Some(path.to_owned())];
        assert_eq!(plain("m.php", "require_once 'src/a.php';", &["src/a.php"]), to("src/lib/b.php"));
        assert_eq!(plain("t/m.php", "require('./src/a.php');", &["src/a.php"]), to("./src/lib/b.php"));
        assert_eq!(plain("src/m.php", "require 'a.php';", &["src/a.php"]), to("lib/b.php"));
        assert_eq!(plain("src/m.php", "require 'a.php';", &["src/a.php", "a.php"]), [None]);
        assert_eq!(plain("m.php", "$require 'src/a.php'; require 'c.php';", &["src/a.php"]), []);
        for other in [
            "require __DIR__ . '/a.php';",
            "require __DIR__ . '/src/a.php' . $x;",
            "require __DIR__ . \"/$src/a.php\";",
            "require dirname(__DIR__) . '/src/a.php';",
            "require __FILE__ . '/src/a.php';",
            "require 'src/a.php';",
        ] {
            assert_eq!(new("m.php", other), [""; 0], "{other}");
        }
    }

    #[test]
    fn lists_of_files_follow() {
        let moves = [("p/src/a.php".to_owned(), "p/src/lib/b.php".to_owned())].into();
        let new = |text: &str| {
            let edits = listed(text, "p", &moves);
            edits.into_iter().map(|edit| edit.text.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(new("{\"autoload\": {\"files\": [\"src/c.php\", \"src/a.php\"]}}"), ["src/lib/b.php"]);
        assert_eq!(new("{\"files\":[\"./src\\/a.php\"]}"), [".\\/src\\/lib\\/b.php"]);
        assert_eq!(new("{\"exclude\":[\"src/a.php\"], \"files\":[]}"), [""; 0]);
    }

    #[test]
    fn paths_between_directories() {
        assert_eq!(relative("a/b", "a/c/d.php"), "../c/d.php");
        assert_eq!(relative("", "c.php"), "c.php");
        assert_eq!(relative("a", "a/c.php"), "c.php");
    }
}
