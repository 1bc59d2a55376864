//! The problems that a change brings and those that it takes away, found before anything is written.
//!
//! The changed texts are laid over the snapshot in memory, and the files that change are analysed on both sides, with some of
//! the files that name what changed. A problem before is the same as one after when code and message are equal and its place
//! moved along with the text.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use ide_model::{
    Cx, Diagnostic, EditPlan, Family, FileChange, FileDiff, FilePath, MovedOffsets, OutlineNode, QueryError,
    Snapshot, TextEdit, TextQuery, TextRange, counted, edited,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::ToolError;
use crate::problems::Problem;
use crate::session::Session;

/// Changed files that are analysed.
const MAX_CHANGED: usize = 100;
/// Files that name what changed and are analysed.
const MAX_USERS: usize = 40;
/// Bytes of them, all together.
const MAX_USER_BYTES: u64 = 2 << 20;
/// Names of changed declarations that are looked for.
const MAX_NAMES: usize = 60;
/// Occurrences of them that are looked at.
const MAX_OCCURRENCES: usize = 4_000;
/// Problems that a result lists.
const MAX_LISTED: usize = 50;

/// The effect of a change on the problems of a project.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Foresight {
    /// Absent when it was not found out
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) new_problems: Option<Vec<Problem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gone_problems: Option<Vec<Problem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unchanged_problems: Option<usize>,
    /// Whether one of the lists is cut
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    problems_truncated: bool,
    /// Which files were analysed for this
    #[serde(skip_serializing_if = "Option::is_none")]
    problems_checked: Option<String>,
}

impl Foresight {
    /// Nothing is known, for a reason.
    fn unknown(because: &str) -> Self {
        Self { problems_checked: Some(format!("not checked: {because}")), ..Self::default() }
    }

    /// The result of a change that was made: the problems that it introduced.
    pub(crate) fn made(self) -> Self {
        Self { gone_problems: None, unchanged_problems: None, ..self }
    }

    /// For reading, a line each.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let new = self.new_problems.iter().flatten().map(|problem| ("new", problem));
        for (word, problem) in new.chain(self.gone_problems.iter().flatten().map(|problem| ("gone", problem)))
        {
            text.push_str(&format!("{word}: {}\n", problem.text()));
        }
        if let Some(count) = self.unchanged_problems {
            text.push_str(&format!("unchanged problems: {count}\n"));
        }
        if let Some(checked) = &self.problems_checked {
            text.push_str(&format!("problems checked: {checked}\n"));
        }
        text
    }
}

/// One file before and after.
struct FileComparison {
    before: Option<FilePath>,
    after: Option<(FilePath, Arc<str>)>,
    /// How the text moved.
    edits: Vec<TextEdit>,
}

impl FileComparison {
    fn files(&self) -> impl Iterator<Item = &FilePath> {
        self.before.iter().chain(self.after.iter().map(|(file, _)| file))
    }
}

/// The fate of each file that a plan changes; `None` when its edits do not fit the text.
fn planned(snapshot: &dyn Snapshot, plan: &EditPlan) -> Result<Option<Vec<FileComparison>>, QueryError> {
    let mut fates = Vec::new();
    for change in &plan.changes {
        let after = |from: &FilePath, to: &FilePath, edits: &[TextEdit]| {
            // A file that the index does not read has no problems that it could know.
            let Ok(old) = snapshot.text(from) else { return Some(None) };
            Some(Some((to.clone(), Arc::from(edited(&old.text, edits)?))))
        };
        let (before, after, edits) = match change {
            FileChange::Create { file, text } => (None, Some((file.clone(), text.clone())), Vec::new()),
            FileChange::Delete { file, .. } => (Some(file), None, Vec::new()),
            FileChange::Edit { file, edits, .. } => {
                let Some(after) = after(file, file, edits) else { return Ok(None) };
                (Some(file), after, edits.clone())
            }
            FileChange::Move { from, to, edits, .. } => {
                let Some(after) = after(from, to, edits) else { return Ok(None) };
                (Some(from), after, edits.clone())
            }
        };
        let before = before.filter(|file| snapshot.file(file).is_some()).cloned();
        fates.push(FileComparison { before, after, edits });
    }
    Ok(Some(fates))
}

/// The fate of files in a step through the history of changes; `None` where one is not text.
fn stepped(snapshot: &dyn Snapshot, files: &[FileDiff]) -> Option<Vec<FileComparison>> {
    let fate = |diff: &FileDiff| {
        let file = &diff.file;
        let before = snapshot.file(file).map(|_| file.clone());
        let after = match diff.kind {
            ide_model::ChangeKind::Deleted => None,
            _ => Some((file.clone(), diff.text_after()?)),
        };
        let old = snapshot.text(file).ok();
        let edits = match (&old, &after) {
            (Some(old), Some((_, new))) => vec![middle(&old.text, new)],
            _ => Vec::new(),
        };
        Some(FileComparison { before, after, edits })
    };
    files.iter().map(fate).collect()
}

/// The one edit that makes a text of another: what differs between their common start and end.
fn middle(old: &str, new: &str) -> TextEdit {
    let mut start = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while !old.is_char_boundary(start) || !new.is_char_boundary(start) {
        start -= 1;
    }
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let mut end = old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b).count();
    while !old_rest.is_char_boundary(old_rest.len() - end) || !new_rest.is_char_boundary(new_rest.len() - end)
    {
        end -= 1;
    }
    let range = TextRange::new(start as u32, (old.len() - end) as u32);
    TextEdit::new(range, &new_rest[..new_rest.len() - end])
}

impl Session<'_> {
    /// The effect of a plan on the problems of the files that it changes and of those that use its
    /// declarations.
    pub(crate) fn foresee(&self, plan: &EditPlan) -> Result<Foresight, ToolError> {
        match planned(&*self.snapshot, plan)? {
            Some(fates) => self.foresee_fates(&fates),
            None => Ok(Foresight::unknown("the edits do not fit the text")),
        }
    }

    /// [`Self::foresee`], of a step through the history of changes.
    pub(crate) fn foresee_step(&self, files: &[FileDiff]) -> Result<Foresight, ToolError> {
        match stepped(&*self.snapshot, files) {
            Some(fates) => self.foresee_fates(&fates),
            None => Ok(Foresight::unknown("a file is not text, or too large")),
        }
    }

    fn foresee_fates(&self, fates: &[FileComparison]) -> Result<Foresight, ToolError> {
        let mut texts: BTreeMap<FilePath, Option<Arc<str>>> = BTreeMap::new();
        for fate in fates {
            if let Some(before) = &fate.before {
                texts.entry(before.clone()).or_insert(None);
            }
            if let Some((file, text)) = &fate.after {
                texts.insert(file.clone(), Some(text.clone()));
            }
        }
        let texts: Vec<_> = texts.into_iter().collect();
        let found = self.snapshot.with_texts(self.cx, &texts).and_then(|after| {
            let comparison = Comparison { cx: self.cx, before: &*self.snapshot, after: &*after };
            comparison.run(fates)
        });
        match found {
            Ok(foresight) => Ok(foresight),
            Err(error @ (QueryError::Cancelled | QueryError::DeadlineExceeded)) => Err(error.into()),
            Err(error) => Ok(Foresight::unknown(&ToolError::from(error).message)),
        }
    }
}

/// Two states of a project.
struct Comparison<'a> {
    cx: Cx<'a>,
    before: &'a dyn Snapshot,
    after: &'a dyn Snapshot,
}

/// The problems of one file on both sides.
#[derive(Default)]
struct Pairing {
    new: Vec<Problem>,
    gone: Vec<Problem>,
    unchanged: usize,
}

impl Comparison<'_> {
    fn run(&self, fates: &[FileComparison]) -> Result<Foresight, QueryError> {
        let mut all = Pairing::default();
        let mut unread = 0;
        for fate in fates.iter().take(MAX_CHANGED) {
            let to = fate.after.as_ref().map(|(file, _)| file);
            unread += usize::from(!self.compare(fate.before.as_ref(), to, &fate.edits, &mut all)?);
        }
        let (users, more) = self.users(fates)?;
        for user in &users {
            unread += usize::from(!self.compare(Some(user), Some(user), &[], &mut all)?);
        }
        let changed = fates.len().min(MAX_CHANGED);
        let mut checked = counted(changed, "changed file");
        if changed < fates.len() {
            checked.push_str(&format!(" of {}", fates.len()));
        }
        checked.push_str(&format!(", {} that may use what changed", counted(users.len(), "file")));
        if more > 0 {
            checked.push_str(&format!("; {more} more of them were not looked at"));
        }
        if unread > 0 {
            checked.push_str(&format!("; {} of these cannot be analysed", counted(unread, "file")));
        }
        let problems_truncated = all.new.len().max(all.gone.len()) > MAX_LISTED;
        all.new.sort_by_key(|problem| problem.severity != "ERROR");
        all.new.truncate(MAX_LISTED);
        all.gone.truncate(MAX_LISTED);
        Ok(Foresight {
            new_problems: Some(all.new),
            gone_problems: Some(all.gone),
            unchanged_problems: Some(all.unchanged),
            problems_truncated,
            problems_checked: Some(checked),
        })
    }

    /// Adds what becomes of the problems of a file; `false` when one side cannot be analysed.
    fn compare(
        &self,
        from: Option<&FilePath>,
        to: Option<&FilePath>,
        edits: &[TextEdit],
        all: &mut Pairing,
    ) -> Result<bool, QueryError> {
        let (Some(before), Some(after)) = (self.problems(self.before, from)?, self.problems(self.after, to)?)
        else {
            return Ok(false);
        };
        let (gone, new) = unpaired(before, &after, edits);
        all.unchanged += gone.1;
        if let (Some(file), false) = (from, gone.0.is_empty()) {
            let text = self.before.text(file)?;
            all.gone.extend(gone.0.iter().map(|problem| Problem::of(file, &text, problem)));
        }
        if let (Some(file), false) = (to, new.is_empty()) {
            let text = self.after.text(file)?;
            all.new.extend(new.iter().map(|problem| Problem::of(file, &text, problem)));
        }
        Ok(true)
    }

    /// The problems of a file; none of one that is not there, `None` of one that is not analysed.
    fn problems(
        &self,
        snapshot: &dyn Snapshot,
        file: Option<&FilePath>,
    ) -> Result<Option<Vec<Diagnostic>>, QueryError> {
        let Some(file) = file else { return Ok(Some(Vec::new())) };
        match snapshot.diagnostics(self.cx, file) {
            Ok(answer) => Ok(Some(answer.value)),
            Err(QueryError::Unsupported { .. } | QueryError::NotRead { .. } | QueryError::NoFile { .. }) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Files that name a declaration which is another one, or gone, or new: the nearest first, and how many more there are.
    fn users(&self, fates: &[FileComparison]) -> Result<(Vec<FilePath>, usize), QueryError> {
        let mut names: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut families: BTreeSet<Family> = BTreeSet::new();
        for fate in fates.iter().take(MAX_CHANGED) {
            self.cx.check()?;
            let (before, after) = (fate.before.as_ref(), fate.after.as_ref().map(|(file, _)| file));
            let files = [(self.before, before), (self.after, after)];
            let metas = files.iter().filter_map(|(snapshot, file)| snapshot.file((*file)?));
            let languages: Vec<_> = metas.filter_map(|meta| meta.language).collect();
            if languages.is_empty() {
                continue;
            }
            families.extend(languages.into_iter().map(ide_model::Language::family));
            let [was, is] = files.map(|(snapshot, file)| declared(self.cx, snapshot, file));
            let (was, is) = (was?, is?);
            for declaration in was.symmetric_difference(&is) {
                names.insert(declaration.name.clone());
                names.extend(declaration.owner.clone());
            }
            if before != after {
                names.extend(fate.files().map(|file| Arc::from(file.stem())));
            }
        }
        names.retain(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$')
        });
        let words: Vec<String> = names.iter().take(MAX_NAMES).map(|name| name.replace('$', "\\$")).collect();
        if words.is_empty() {
            return Ok((Vec::new(), 0));
        }
        let changed: BTreeSet<&FilePath> = fates.iter().flat_map(FileComparison::files).collect();
        let query = TextQuery {
            pattern: &words.join("|"),
            is_regex: true,
            case_sensitive: true,
            whole_word: true,
            context: None,
            filter: &|meta| {
                let is_family = meta.language.is_some_and(|language| families.contains(&language.family()));
                is_family && !changed.contains(&meta.path)
            },
            beside: &[],
            limit: MAX_OCCURRENCES,
        };
        let found = self.before.search_text(self.cx, &query)?.value.matches;
        let mut files: Vec<FilePath> = found.items.into_iter().map(|hit| hit.file).collect();
        files.dedup();
        let near: BTreeSet<&str> = changed.iter().map(|file| file.directory()).collect();
        files.sort_by_key(|file| !near.contains(file.directory()));
        let count = files.len();
        let mut bytes = 0;
        files.truncate(MAX_USERS);
        files.retain(|file| {
            bytes += self.before.file(file).map_or(0, |meta| meta.size);
            bytes <= MAX_USER_BYTES
        });
        let more = count - files.len();
        Ok((files, more))
    }
}

/// A declaration as others see it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Declared {
    name: Arc<str>,
    owner: Option<Arc<str>>,
    head: (ide_model::SymbolKind, Arc<str>, String),
}

fn declared(
    cx: Cx<'_>,
    snapshot: &dyn Snapshot,
    file: Option<&FilePath>,
) -> Result<BTreeSet<Declared>, QueryError> {
    let mut found = BTreeSet::new();
    let mut open: Vec<(OutlineNode, Option<Arc<str>>)> = Vec::new();
    let outline = file.and_then(|file| snapshot.outline(cx, file).ok());
    cx.check()?;
    open.extend(outline.into_iter().flat_map(|answer| answer.value).map(|node| (node, None)));
    while let Some((node, owner)) = open.pop() {
        let name = node.symbol.name.clone();
        open.extend(node.children.into_iter().map(|child| (child, Some(name.clone()))));
        let head = (node.symbol.kind, node.signature, format!("{:?}", node.modifiers));
        found.insert(Declared { name, owner, head });
    }
    Ok(found)
}

/// The places of problems, each with its number among them, by what they say.
type ByMessage<'d> = HashMap<&'d str, BTreeSet<(u32, usize)>>;

/// Takes a new problem that says the same in a range of places; whether there was one.
fn take_within(left: &mut HashMap<&str, ByMessage<'_>>, old: &Diagnostic, first: u32, last: u32) -> bool {
    let alike = left.get_mut(old.code).and_then(|all| all.get_mut(&*old.message));
    alike.is_some_and(|alike| {
        let found = alike.range((first, 0)..=(last, usize::MAX)).next().copied();
        found.is_some_and(|found| alike.remove(&found))
    })
}

/// Whether two messages are equal but for the names in backticks.
fn is_same_but_names(a: &str, b: &str) -> bool {
    a.split('`').step_by(2).eq(b.split('`').step_by(2))
}

/// The problems that are gone with the number of those that stay, and the new ones.
fn unpaired(
    before: Vec<Diagnostic>,
    after: &[Diagnostic],
    edits: &[TextEdit],
) -> ((Vec<Diagnostic>, usize), Vec<Diagnostic>) {
    let (count, offsets) = (before.len(), MovedOffsets::by(edits));
    // The new problems that are not taken yet, by what they say and where.
    let mut left: HashMap<&str, ByMessage<'_>> = HashMap::new();
    for (n, new) in after.iter().enumerate() {
        let alike = left.entry(new.code).or_default().entry(&*new.message).or_default();
        alike.insert((new.range.start, n));
    }
    let mut gone = before;
    gone.retain(|old| {
        let at = offsets.moved(old.range.start);
        !take_within(&mut left, old, at, at)
    });
    // A rename changes the names in messages: `Router` has no `mtch` becomes `Routes` has no `mtch`, at a place that was not edited.
    let mut take_renamed = |old: &Diagnostic| {
        let at = offsets.moved(old.range.start);
        let is_edited =
            edits.iter().any(|edit| edit.range.start < old.range.end && old.range.start < edit.range.end);
        let alike = left.get_mut(old.code).filter(|_| !is_edited);
        alike.into_iter().flatten().filter(|(message, _)| is_same_but_names(message, &old.message)).any(
            |(_, places)| {
                let found = places.range((at, 0)..=(at, usize::MAX)).next().copied();
                found.is_some_and(|found| places.remove(&found))
            },
        )
    };
    gone.retain(|old| !take_renamed(old));
    let mut take = |old: &Diagnostic, first: u32, last: u32| take_within(&mut left, old, first, last);
    // Text that is written anew has no place to come from.
    gone.retain(|old| {
        let before = edits.partition_point(|edit| edit.range.end < old.range.start);
        let mut near = edits[before..].iter().take_while(|edit| edit.range.start <= old.range.end);
        let around = near.find(|edit| {
            edit.range.start < old.range.end && old.range.start < edit.range.end
                || edit.range.encloses(old.range)
        });
        !around.is_some_and(|edit| {
            let start = offsets.moved(edit.range.start);
            take(old, start, start + edit.text.len() as u32)
        })
    });
    let left: BTreeSet<usize> =
        left.into_values().flat_map(HashMap::into_values).flatten().map(|(_, n)| n).collect();
    let after =
        after.iter().enumerate().filter(|(n, _)| left.contains(n)).map(|(_, new)| new.clone()).collect();
    let stay = count - gone.len();
    ((gone, stay), after)
}

#[cfg(test)]
mod tests {
    use ide_model::Severity;

    use super::*;

    fn problem(start: u32, message: &str) -> Diagnostic {
        let range = TextRange::new(start, start + 2);
        Diagnostic { range, severity: Severity::Error, code: "syntax", message: message.to_owned() }
    }

    #[test]
    fn problems_move_with_the_text() {
        let edits = [TextEdit::insert(0, "12345"), TextEdit::new(TextRange::new(10, 20), "abcdef")];
        let before = vec![problem(2, "a"), problem(11, "b"), problem(15, "c"), problem(30, "d")];
        let after = vec![problem(7, "a"), problem(18, "b"), problem(30, "d"), problem(31, "d")];
        let ((gone, stay), new) = unpaired(before, &after, &edits);
        assert_eq!(gone, [problem(15, "c")]);
        assert_eq!((stay, new), (3, vec![problem(30, "d")]), "the other one stands where it moved to");
    }

    #[test]
    fn a_problem_whose_owner_is_renamed_stays() {
        let edits = [TextEdit::new(TextRange::new(0, 3), "Routes")];
        let before = vec![problem(5, "`Map` has no `mtch`"), problem(1, "`Map` is not declared")];
        let after = vec![problem(8, "`Routes` has no `mtch`"), problem(0, "`Routes` is not declared")];
        let ((gone, stay), new) = unpaired(before.clone(), &after, &edits);
        assert_eq!((gone, stay), (vec![before[1].clone()], 1), "the text of the other one was written anew");
        assert_eq!(new, [after[1].clone()]);
    }

    #[test]
    fn the_middle_is_what_differs() {
        let edit = middle("aüb c", "aöb b c");
        assert_eq!((edit.range, &*edit.text), (TextRange::new(1, 3), "öb "));
    }
}
