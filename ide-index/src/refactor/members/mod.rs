//! Code written at places that syntax names: in the stead of a declaration or of its body, or beside one.
//!
//! The caller's code is indented as its place is, tried in every way in which it may be meant, and refused when the
//! file could be read less well with it than without. Trees of grammars say where declarations begin and end; facts
//! say what the new code declares.

mod drafts;
mod extent;
mod layout;
mod place;
mod syntax;

use std::collections::BTreeMap;
use std::ops::Range;

use ide_model::{
    Conflict, ConflictKind, FilePath, FileText, Landmark, MemberEdit, MemberPlace, Owner, QueryError,
    Refactored, SourceKind, Symbol, SymbolKind, TextEdit, TextRange, edited, moved_offset,
};

pub(super) use self::extent::{Declarations, Inside, Outermost};

use self::drafts::{Draft, Refusal, Side};
use self::place::{After, Problem, Source};
use super::verify::Effect;
use super::{RefactorContext, conflict, write_up};
use crate::facts::{Def, DefFlags, FileFacts};
use crate::lang;
use crate::query::{file_id, symbol as symbol_of};
use crate::world::FileId;

/// Plans edits of members; see [`ide_model::Refactoring::Members`].
///
/// # Errors
/// [`QueryError::Unsupported`] for languages whose declarations are not written to, [`QueryError::Ambiguous`] when a
/// type has its members in several places.
pub(super) fn members(ctx: &RefactorContext<'_>, edits: &[MemberEdit<'_>]) -> Result<Refactored, QueryError> {
    let mut by_file: BTreeMap<FileId, Vec<&MemberEdit<'_>>> = BTreeMap::new();
    for edit in edits {
        by_file.entry(file_id(&**ctx.pool.world(), file_of(edit))?).or_default().push(edit);
    }
    let mut out = Refactored::default();
    let mut effect = Effect::default();
    for (file, edits) in by_file {
        ctx.cx.check()?;
        let found = Writer { ctx, file }.edits(&edits, &mut out)?;
        effect.edits.insert(file, found);
    }
    let title = match edits {
        [only] => title(only),
        several => format!("{} changes of members", several.len()),
    };
    let mut conflicts = Vec::new();
    out.plan = write_up(ctx, title, &effect, &mut conflicts)?.0;
    out.conflicts.extend(conflicts);
    Ok(out)
}

fn file_of<'e>(edit: &MemberEdit<'e>) -> &'e FilePath {
    match edit.place {
        MemberPlace::First(Owner::File(file)) | MemberPlace::Last(Owner::File(file)) => file,
        MemberPlace::Whole(symbol)
        | MemberPlace::Body(symbol)
        | MemberPlace::Before(symbol)
        | MemberPlace::After(symbol)
        | MemberPlace::First(Owner::Symbol(symbol))
        | MemberPlace::Last(Owner::Symbol(symbol)) => &symbol.file,
    }
}

fn title(edit: &MemberEdit<'_>) -> String {
    let owner = |owner: &Owner<'_>| match owner {
        Owner::Symbol(symbol) => symbol.name.to_string(),
        Owner::File(file) => file.to_string(),
    };
    match &edit.place {
        MemberPlace::Whole(symbol) => format!("edit {}", symbol.name),
        MemberPlace::Body(symbol) => format!("edit the body of {}", symbol.name),
        MemberPlace::Before(symbol) => format!("insert before {}", symbol.name),
        MemberPlace::After(symbol) => format!("insert after {}", symbol.name),
        MemberPlace::First(of) | MemberPlace::Last(of) => format!("insert into {}", owner(of)),
    }
}

/// One file that is written to.
struct Writer<'s> {
    ctx: &'s RefactorContext<'s>,
    file: FileId,
}

/// An edit in the way that was chosen for it.
struct Chosen<'e> {
    edit: &'e MemberEdit<'e>,
    draft: Draft,
}

impl Writer<'_> {
    fn edits(&self, edits: &[&MemberEdit<'_>], out: &mut Refactored) -> Result<Vec<TextEdit>, QueryError> {
        let entry = self.ctx.pool.world().file(self.file).clone();
        let language = entry.language;
        let syntax = language.and_then(syntax::syntax_of);
        let front_end = language.and_then(lang::front_end);
        let text = (self.ctx.text)(self.file)?;
        let source = match (language, syntax, front_end) {
            (Some(language), Some(syntax), Some(front_end)) => {
                Source::new(&entry.path, syntax, language, front_end, &text.text)
            }
            _ => None,
        };
        let Some(source) = source else {
            return Err(QueryError::Unsupported {
                query: "editing members",
                language,
                supported: syntax::supported(),
            });
        };
        if entry.source == SourceKind::Library {
            let message = format!("{} belongs to a library", entry.path);
            out.conflicts.push(conflict(ConflictKind::Outside, message, None));
            return Ok(Vec::new());
        }
        let mut chosen = Vec::new();
        for edit in edits {
            if let MemberPlace::Body(symbol) = edit.place
                && is_whole(&source, symbol, edit.text)
            {
                let message = format!(
                    "the new code is the whole declaration of `{}`: a body is wanted (ide_edit_member replaces the whole)",
                    symbol.name
                );
                out.conflicts.push(conflict(ConflictKind::Form, message, None));
                continue;
            }
            if let Some(draft) = self.choose(&source, edit, &mut out.conflicts)? {
                chosen.push(Chosen { edit, draft });
            }
        }
        if !out.conflicts.is_empty() {
            return Ok(Vec::new());
        }
        self.settle(&source, &text, &chosen, out)
    }

    /// The first way to write an edit that can be read; the reason why there is none.
    fn choose(
        &self,
        source: &Source<'_>,
        edit: &MemberEdit<'_>,
        conflicts: &mut Vec<Conflict>,
    ) -> Result<Option<Draft>, QueryError> {
        let drafts = match self.drafts(source, edit) {
            Ok(drafts) => drafts,
            Err(Refusal::Form(message)) => {
                conflicts.push(conflict(ConflictKind::Form, message, None));
                return Ok(None);
            }
            Err(Refusal::Ambiguous(places)) => return Err(self.ambiguous(edit, &places)),
        };
        let mut best: Option<(usize, Draft, Vec<Problem>, String)> = None;
        for draft in drafts {
            let edits = text_edits([&draft]);
            let Some(text) = edited(source.text, &edits) else { continue };
            let new = code_range(&edits, &draft);
            let Some(after) = source.after(&text, &edits, std::slice::from_ref(&new)) else { continue };
            let mut problems = after.problems.clone();
            let list = draft.list.as_ref().map(|(at, kind)| (moved(&edits, *at), kind.as_str()));
            if problems.is_empty() && list.is_some_and(|list| !new.is_empty() && !after.is_within(list, &new))
            {
                let message = "the new code closes or opens brackets around it".to_owned();
                problems.push(Problem { at: new.start as u32, message, is_doubt: false });
            }
            if problems.is_empty() {
                return Ok(Some(draft));
            }
            // The way that can be read furthest is the one that was meant.
            let read = (problems[0].at as usize).saturating_sub(new.start);
            if best.as_ref().is_none_or(|(most, ..)| read >= *most) {
                best = Some((read, draft, problems, text));
            }
        }
        let Some((_, draft, problems, text)) = best else { return Ok(None) };
        self.tell(source, &draft, &problems, &text, conflicts);
        let is_sure = problems.iter().any(|problem| !problem.is_doubt);
        Ok((!is_sure).then_some(draft))
    }

    fn drafts(&self, source: &Source<'_>, edit: &MemberEdit<'_>) -> Result<Vec<Draft>, Refusal> {
        if let MemberPlace::Whole(symbol)
        | MemberPlace::Body(symbol)
        | MemberPlace::Before(symbol)
        | MemberPlace::After(symbol) = edit.place
            && let Some(word) = no_member(symbol)
        {
            return Err(format!("`{}` is {word}, not a member", symbol.name).into());
        }
        if edit.text.trim().is_empty() && !matches!(edit.place, MemberPlace::Body(_)) {
            return Err("there is no code to write".to_owned().into());
        }
        match edit.place {
            MemberPlace::Whole(symbol) => source.whole(symbol, edit.text),
            MemberPlace::Body(symbol) => source.inner(symbol, edit.text),
            MemberPlace::Before(symbol) => source.beside(symbol, Side::Before, edit.text),
            MemberPlace::After(symbol) => source.beside(symbol, Side::After, edit.text),
            MemberPlace::First(owner) => source.within(owner, Side::Before, edit.text),
            MemberPlace::Last(owner) => source.within(owner, Side::After, edit.text),
        }
    }

    fn ambiguous(&self, edit: &MemberEdit<'_>, places: &[Range<usize>]) -> QueryError {
        let candidates = self.ctx.pool.with(|rx| {
            let view = rx.file(self.file);
            let is_place = |def: &Def| places.iter().any(|place| place.start == def.range.start as usize);
            let found = view
                .def_ids()
                .filter(|def| is_place(view.def(*def)) && view.def(*def).kind == SymbolKind::Impl);
            found.map(|def| symbol_of(rx, view.global(def))).collect()
        });
        let what = match edit.place {
            MemberPlace::First(Owner::Symbol(symbol)) | MemberPlace::Last(Owner::Symbol(symbol)) => {
                symbol.name.to_string()
            }
            _ => "the place".to_owned(),
        };
        QueryError::Ambiguous { what, candidates }
    }

    /// The error for code that cannot be read, with its line in the file and in the new code.
    fn tell(
        &self,
        source: &Source<'_>,
        draft: &Draft,
        problems: &[Problem],
        text: &str,
        conflicts: &mut Vec<Conflict>,
    ) {
        let lines = FileText::new(text);
        let new = code_range(&text_edits([draft]), draft);
        let is_sure = problems.iter().any(|problem| !problem.is_doubt);
        for problem in problems.iter().filter(|problem| problem.is_doubt != is_sure) {
            let line = lines.position(problem.at).line;
            let first = lines.position(new.start as u32).line;
            let inside = (new.start..=new.end).contains(&(problem.at as usize));
            let own =
                if inside { format!(" (line {} of the new code)", line - first + 1) } else { String::new() };
            let kind = if problem.is_doubt { ConflictKind::Unread } else { ConflictKind::Syntax };
            let message = format!("{} line {line}{own}: {}", source.path, problem.message);
            conflicts.push(conflict(kind, message, None));
        }
    }

    /// All edits of the file together, and what they declare.
    fn settle(
        &self,
        source: &Source<'_>,
        old: &FileText,
        chosen: &[Chosen<'_>],
        out: &mut Refactored,
    ) -> Result<Vec<TextEdit>, QueryError> {
        let edits = text_edits(chosen.iter().map(|chosen| &chosen.draft));
        let overlap = edits.windows(2).any(|pair| pair[1].range.start < pair[0].range.end);
        let text = if overlap { None } else { edited(&old.text, &edits) };
        let Some(text) = text else {
            let message = format!("two edits of {} concern the same code", source.path);
            out.conflicts.push(conflict(ConflictKind::Form, message, None));
            return Ok(Vec::new());
        };
        let new: Vec<Range<usize>> = chosen.iter().map(|chosen| code_range(&edits, &chosen.draft)).collect();
        let Some(after) = source.after(&text, &edits, &new) else {
            return Err(QueryError::Failed { message: format!("{} cannot be read", source.path) });
        };
        if chosen.len() > 1 && !after.problems.is_empty() {
            self.tell(source, &chosen[0].draft, &after.problems, &text, &mut out.conflicts);
            return Ok(edits);
        }
        for (chosen, new) in chosen.iter().zip(&new) {
            if let Some(message) = nothing_declared(source, chosen, new, &after) {
                out.conflicts.push(conflict(ConflictKind::Form, message, None));
                continue;
            }
            self.report(source, chosen, &edits, new, &after, out);
        }
        Ok(edits)
    }

    /// A report of the declarations in an edit, and of those that a caller may not have meant.
    fn report(
        &self,
        source: &Source<'_>,
        chosen: &Chosen<'_>,
        edits: &[TextEdit],
        new: &Range<usize>,
        after: &After,
        out: &mut Refactored,
    ) {
        let landmark =
            |offset: u32, name: &str| Landmark { file: source.path.clone(), offset, name: name.to_owned() };
        if let MemberPlace::Body(symbol) = chosen.edit.place {
            if !symbol.name_range.is_empty() {
                out.landmarks.push(landmark(moved_offset(edits, symbol.name_range.start), &symbol.name));
            }
            return;
        }
        let declared = declared(&after.facts, new);
        let names: Vec<&str> = declared.iter().map(|def| after.facts.name(def.name)).collect();
        let found = declared.iter().zip(&names);
        out.landmarks.extend(found.map(|(def, name)| landmark(def.name_range.start, name)));
        if let MemberPlace::Whole(symbol) = chosen.edit.place {
            if !names.contains(&&*symbol.name) && !symbol.name_range.is_empty() {
                let now = if names.is_empty() {
                    "is gone".to_owned()
                } else {
                    format!("is now `{}`", names.join("`, `"))
                };
                out.warnings.push(format!(
                    "`{}` {now}: its uses stay as they are (ide_refactor_rename changes them too)",
                    symbol.name
                ));
            }
            out.warnings.extend(lost(source, chosen));
            return;
        }
        for def in &declared {
            let is_twin = |other: &&Def| {
                other.scope == def.scope
                    && other.name == def.name
                    && other.kind == def.kind
                    && other.params.len == def.params.len
                    && other.name_range != def.name_range
                    && !other.flags.has(DefFlags::SIGNATURE)
                    && !other.flags.has(DefFlags::ATTRIBUTE)
            };
            let name = after.facts.name(def.name);
            if !def.flags.has(DefFlags::SIGNATURE) && after.facts.defs.iter().any(|other| is_twin(&other)) {
                out.warnings.push(format!("`{name}` was declared there already"));
            }
        }
    }
}

/// Why code is no member: a declaration would be gone, or statements would stand where only declarations are wanted.
fn nothing_declared(
    source: &Source<'_>,
    chosen: &Chosen<'_>,
    new: &Range<usize>,
    after: &After,
) -> Option<String> {
    let is_comment = || chosen.edit.text.lines().all(|line| line.trim_start().starts_with('#'));
    let symbol = match chosen.edit.place {
        MemberPlace::Whole(symbol) if !symbol.name_range.is_empty() => symbol,
        MemberPlace::First(Owner::Symbol(symbol)) | MemberPlace::Last(Owner::Symbol(symbol))
            if source.syntax.is_indented && symbol.kind.is_type() && !is_comment() =>
        {
            symbol
        }
        _ => return None,
    };
    let is_replaced = matches!(chosen.edit.place, MemberPlace::Whole(_));
    let hint = if is_replaced {
        "ide_replace_member replaces its body alone, and ide_refactor_safe_delete removes it"
    } else {
        "a member is a declaration"
    };
    let what = if is_replaced { "in the place of" } else { "into" };
    declared(&after.facts, new)
        .is_empty()
        .then(|| format!("the new code declares nothing {what} `{}`: {hint}", symbol.name))
}

/// Whether code that is meant as the body of a declaration is the declaration itself. In many languages it could stand
/// inside of its own body, where nobody calls it.
fn is_whole(source: &Source<'_>, symbol: &Symbol, text: &str) -> bool {
    let Ok(drafts) = source.whole(symbol, text) else { return false };
    drafts.iter().any(|draft| {
        let edits = text_edits([draft]);
        let new = code_range(&edits, draft);
        let after = edited(source.text, &edits)
            .and_then(|text| source.after(&text, &edits, std::slice::from_ref(&new)))
            .filter(|after| after.problems.is_empty());
        after.is_some_and(|after| match declared(&after.facts, &new)[..] {
            [def] => after.facts.name(def.name) == &*symbol.name && !def.flags.has(DefFlags::SIGNATURE),
            _ => false,
        })
    })
}

/// Kinds of declarations that are no members, in words.
fn no_member(symbol: &Symbol) -> Option<&'static str> {
    match symbol.kind {
        SymbolKind::Parameter => Some("a parameter"),
        SymbolKind::TypeParameter => Some("a type parameter"),
        SymbolKind::Import => Some("an import"),
        SymbolKind::Label => Some("a label"),
        SymbolKind::Package => Some("a package"),
        SymbolKind::Module if symbol.name_range.is_empty() => Some("a file"),
        _ => None,
    }
}

/// A comment that the replaced code had above it, and the new code has not.
fn lost(source: &Source<'_>, chosen: &Chosen<'_>) -> Option<String> {
    let is_comment = |text: &str| {
        let text = text.trim_start();
        text.starts_with("//") || text.starts_with("/*") || text.starts_with('#') && !text.starts_with("#[")
    };
    let MemberPlace::Whole(symbol) = chosen.edit.place else { return None };
    let had = is_comment(&source.text[chosen.draft.range.clone()]);
    let has = chosen.draft.text.lines().any(is_comment);
    (had && !has).then(|| format!("the comment above `{}` went with it: the new code has none", symbol.name))
}

/// The declarations of new code that are not within one another.
fn declared<'f>(facts: &'f FileFacts, new: &Range<usize>) -> Vec<&'f Def> {
    let range = TextRange::new(new.start as u32, new.end as u32);
    let mut found: Vec<&Def> = facts
        .defs
        .iter()
        .filter(|def| {
            let is_plain = !matches!(
                def.kind,
                SymbolKind::Parameter | SymbolKind::TypeParameter | SymbolKind::Import | SymbolKind::Label
            );
            let is_written = !def.name_range.is_empty() && range.encloses(def.name_range);
            let is_own = !def.flags.has(DefFlags::SYNTHETIC) && !def.flags.has(DefFlags::ATTRIBUTE);
            is_plain && is_written && is_own
        })
        .collect();
    found.sort_by_key(|def| def.name_range.start);
    found.dedup_by_key(|def| def.name_range);
    let outer: Vec<TextRange> = found.iter().map(|def| def.range).collect();
    found.retain(|def| {
        !outer.iter().any(|range| *range != def.range && range.encloses(def.range) && !def.range.is_empty())
    });
    found
}

/// The edits of drafts, ordered; what is put in at one place stands in the order of the drafts.
fn text_edits<'d>(drafts: impl IntoIterator<Item = &'d Draft>) -> Vec<TextEdit> {
    let mut parts: Vec<(Range<usize>, String)> = Vec::new();
    for draft in drafts {
        if let Some((at, mark)) = draft.separator
            && !parts.contains(&(at..at, mark.to_owned()))
        {
            parts.push((at..at, mark.to_owned()));
        }
        parts.push((draft.range.clone(), draft.text.clone()));
    }
    parts.sort_by_key(|(range, _)| (range.start, range.end));
    let mut edits: Vec<TextEdit> = Vec::new();
    for (range, text) in parts {
        let range = TextRange::new(range.start as u32, range.end as u32);
        match edits.last_mut() {
            Some(last) if last.range == range && range.is_empty() => {
                last.text = format!("{}{text}", last.text).into()
            }
            _ => edits.push(TextEdit::new(range, text)),
        }
    }
    edits
}

/// The range of a draft's code after edits that have it among them.
fn code_range(edits: &[TextEdit], draft: &Draft) -> Range<usize> {
    let mut shift = 0_i64;
    for edit in edits {
        if edit.range.start as usize == draft.range.start && edit.range.end as usize == draft.range.end {
            let inside = edit.text.find(draft.text.as_str()).unwrap_or(0);
            let start = (i64::from(edit.range.start) + shift) as usize + inside;
            return start + draft.code.start..start + draft.code.end;
        }
        shift += edit.text.len() as i64 - i64::from(edit.range.len());
    }
    0..0
}

/// The offset after edits of an offset before or around them.
fn moved(edits: &[TextEdit], at: usize) -> usize {
    moved_offset(edits, at as u32) as usize
}
