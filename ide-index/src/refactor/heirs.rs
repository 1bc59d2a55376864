//! The names that a plan gives to what has a name as a whole, `pkg.mod.f` or `a.b.Outer$Inner`, and the texts in calls that
//! say such names.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    ConflictKind, ContentHash, FileChange, FilePath, FileText, Language, QueryError, Refactored, SourceKind,
    TextContext, TextEdit, TextRange, edited,
};

use super::{RefactorContext, conflict, included};
use crate::classify::contexts_at;
use crate::facts::FileFacts;
use crate::lang;
use crate::world::FileId;

/// A name as a whole: the module or package, and the name in it.
pub(super) type Whole = (String, String);

/// The whole names of what a file declares, in the order of its declarations.
pub(super) type NamesOf<'n> = dyn Fn(&FilePath, &FileFacts) -> Vec<Whole> + 'n;

/// The fate of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Heir {
    Name(String),
    Gone,
    /// Several declarations could be it.
    Unclear,
}

impl Heir {
    /// The heir with its name written in another way.
    pub(super) fn map(&self, write: impl FnOnce(&str) -> String) -> Self {
        match self {
            Self::Name(name) => Self::Name(write(name)),
            other => other.clone(),
        }
    }
}

pub(super) type Heirs = BTreeMap<String, Heir>;

/// The fates of the names that a plan takes away in the languages that count.
///
/// # Errors
/// The errors of reading files.
pub(super) fn heirs(
    ctx: &RefactorContext<'_>,
    done: &Refactored,
    counts: fn(Language) -> bool,
    names: &NamesOf<'_>,
) -> Result<Heirs, QueryError> {
    let (mut heirs, mut lost, mut made) = (Heirs::new(), Vec::new(), Vec::new());
    for change in &done.plan.changes {
        let [was, is] = before_and_after(ctx, change, counts, names)?;
        let (gone, new) = (missing(&was, &is), missing(&is, &was));
        if gone.len() == new.len() && gone.iter().zip(&new).all(|(old, new)| is_renamed(old, new)) {
            heirs.extend(gone.iter().zip(&new).map(|(old, new)| (whole(old), Heir::Name(whole(new)))));
        } else {
            lost.extend(gone);
            made.extend(new);
        }
    }
    // A declaration that is gone from one file may be in another.
    heirs.extend(lost.iter().map(|old| (whole(old), heir(old, &made))));
    Ok(heirs)
}

/// The view of a file that a plan changes, as it is and as it will be; empty where there is none.
///
/// # Errors
/// The errors of reading files.
pub(super) fn before_and_after<T: Default>(
    ctx: &RefactorContext<'_>,
    change: &FileChange,
    counts: fn(Language) -> bool,
    view: &dyn Fn(&FilePath, &FileFacts) -> T,
) -> Result<[T; 2], QueryError> {
    let world = ctx.pool.world();
    let path = change.file();
    let language = Language::of_path(path.as_str()).filter(|language| counts(*language));
    let Some(front_end) = language.and_then(lang::front_end) else { return Ok(Default::default()) };
    let is_made = matches!(change, FileChange::Create { .. });
    let old = world.file_by_path(path.as_str()).filter(|_| !is_made);
    let was = old.map(|file| view(path, &world.facts(file))).unwrap_or_default();
    let (to, text) = match change {
        FileChange::Delete { .. } => (path, None),
        FileChange::Create { file, text } => (file, Some(text.to_string())),
        FileChange::Edit { file: to, edits, .. } | FileChange::Move { to, edits, .. } => {
            let old = old.map(ctx.text).transpose()?;
            (to, old.and_then(|old| edited(&old.text, edits)))
        }
    };
    let is = text.map(|text| view(to, &front_end.facts(to.as_str(), &text)));
    Ok([was, is.unwrap_or_default()])
}

/// The names that are not among others, each once.
fn missing(names: &[Whole], others: &[Whole]) -> Vec<Whole> {
    let others: BTreeSet<&Whole> = others.iter().collect();
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| !others.contains(name) && seen.insert(*name)).cloned().collect()
}

/// Whether a name differs from another of its file in one word at most, or only in the module.
fn is_renamed(old: &Whole, new: &Whole) -> bool {
    let words = |name: &Whole| name.1.split(['.', '$']).map(str::to_owned).collect::<Vec<_>>();
    let (old_words, new_words) = (words(old), words(new));
    let differ = old_words.iter().zip(&new_words).filter(|(old, new)| old != new).count();
    old_words.len() == new_words.len() && differ <= 1
}

fn whole((module, inner): &Whole) -> String {
    [module.as_str(), inner].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".")
}

/// The heir of a name among those that other files get: called like it in its module, else by its last word.
fn heir(old: &Whole, made: &[Whole]) -> Heir {
    let last = |name: &Whole| whole(name).rsplit(['.', '$']).next().unwrap_or_default().to_owned();
    let is_module = old.1.is_empty();
    let ways: [&dyn Fn(&Whole) -> bool; 2] =
        [&|new| new.1 == old.1 && (!is_module || last(new) == last(old)), &|new| {
            !is_module && !new.1.is_empty() && last(new) == last(old)
        }];
    for is_alike in ways {
        let alike: BTreeSet<String> = made.iter().filter(|new| is_alike(new)).map(whole).collect();
        match alike.len() {
            0 => {}
            1 => return alike.into_iter().next().map_or(Heir::Gone, Heir::Name),
            _ => return Heir::Unclear,
        }
    }
    Heir::Gone
}

/// Writes the heirs of names into the texts that say them, as far as they are sure.
pub(super) fn edits_of(
    ctx: &RefactorContext<'_>,
    file: FileId,
    text: &FileText,
    found: Vec<(TextRange, Heir)>,
    done: &mut Refactored,
    said: &dyn Fn(&str) -> Option<String>,
) -> Vec<TextEdit> {
    let path = &ctx.pool.world().file(file).path;
    let mut edits = Vec::new();
    for (range, heir) in found {
        let name = text.slice(range).unwrap_or("");
        match heir {
            Heir::Name(new) => edits.push(TextEdit::new(range, new)),
            Heir::Gone => {
                let message = said(name);
                done.conflicts.extend(
                    message.map(|said| conflict(ConflictKind::InUse, said, Some(ctx.at(file, range)))),
                );
            }
            Heir::Unclear => done.warnings.push(format!(
                "`{name}` stays in a text in {path}: several declarations could be what it names then"
            )),
        }
    }
    edits
}

/// Adds to a plan the names in texts that are the first argument of one of the functions that a language has for that;
/// `said` tells what is said of a name that is gone.
///
/// # Errors
/// The errors of reading files.
pub(super) fn follow_calls(
    ctx: &RefactorContext<'_>,
    heirs: &Heirs,
    done: &mut Refactored,
    takers_in: fn(Language) -> &'static [&'static str],
    said: &dyn Fn(&str) -> Option<String>,
) -> Result<(), QueryError> {
    let world = ctx.pool.world();
    let takers: BTreeSet<&str> =
        ide_model::LANGUAGES.iter().flat_map(|row| takers_in(row.language)).copied().collect();
    let files: BTreeSet<FileId> = takers.iter().flat_map(|name| world.files_mentioning(name)).collect();
    for file in files {
        ctx.cx.check()?;
        let entry = world.file(file);
        let Some(language) = entry.language.filter(|_| entry.source != SourceKind::Library) else { continue };
        let text = (ctx.text)(file)?;
        let mut found = given(&text.text, takers_in(language), heirs);
        found.retain(|(range, _)| {
            contexts_at(language, &text.text, &[range.start]) == [TextContext::StringLiteral]
        });
        let edits = edits_of(ctx, file, &text, found, done, said);
        if !edits.is_empty() {
            included::add(done, entry.path.clone(), ContentHash(entry.content_hash), edits);
        }
    }
    Ok(())
}

/// The texts that are the first argument of one of these functions and name something that has another name then.
fn given(text: &str, takers: &[&str], heirs: &Heirs) -> Vec<(TextRange, Heir)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for taker in takers {
        for (at, _) in text.match_indices(taker) {
            let rest = text[at + taker.len()..].trim_start().strip_prefix('(').map(str::trim_start);
            let Some(rest) = rest.filter(|rest| rest.starts_with(['"', '\''])) else { continue };
            let (quote, inner) = rest.split_at(1);
            let Some((written, _)) = inner.split_once(quote) else { continue };
            let heir = heirs.get(&written.replace("\\$", "$"));
            let Some(heir) = heir.filter(|_| !text[..at].ends_with(is_part)) else { continue };
            let start = text.len() - inner.len();
            // A dollar begins an expression in a text of Kotlin.
            let is_escaped = written.contains("\\$");
            let heir = heir.map(|new| if is_escaped { new.replace('$', "\\$") } else { new.to_owned() });
            found.push((TextRange::new(start as u32, (start + written.len()) as u32), heir));
        }
    }
    found.sort_by_key(|(range, _)| *range);
    found
}

#[cfg(test)]
mod tests {
    use super::{Heir, Whole, heir, is_renamed};

    fn name(module: &str, inner: &str) -> Whole {
        (module.to_owned(), inner.to_owned())
    }

    #[test]
    fn an_heir_is_sure_or_none() {
        let made = [name("b", "put"), name("b", "Box"), name("b", "Box.put"), name("c", "Box.size")];
        assert_eq!(heir(&name("a", "put"), &made), Heir::Name("b.put".to_owned()));
        assert_eq!(heir(&name("a", "Box.put"), &made), Heir::Name("b.Box.put".to_owned()));
        assert_eq!(heir(&name("a", "Bag.size"), &made), Heir::Name("c.Box.size".to_owned()));
        assert_eq!(heir(&name("a", "Bag.put"), &made), Heir::Unclear);
        assert_eq!(heir(&name("a", "other"), &made), Heir::Gone);
        let twice = [name("b", "put"), name("c", "put")];
        assert_eq!(heir(&name("a", "put"), &twice), Heir::Unclear);
    }

    #[test]
    fn a_module_is_no_heir_of_another_called_differently() {
        assert_eq!(heir(&name("p.a", ""), &[name("q.b", ""), name("q.b", "f")]), Heir::Gone);
        assert_eq!(heir(&name("p.a", ""), &[name("q.a", "")]), Heir::Name("q.a".to_owned()));
    }

    #[test]
    fn names_that_differ_in_more_than_a_word_are_not_renamed() {
        assert!(is_renamed(&name("a", "Box.put"), &name("a", "Bag.put")));
        assert!(is_renamed(&name("a", "Box$Inner"), &name("b", "Box$Inner")));
        assert!(!is_renamed(&name("a", "Box.put"), &name("a", "Bag.size")));
        assert!(!is_renamed(&name("a", "put"), &name("a", "Box.put")));
    }
}
