//! Changes that take a finding away, each proved on the text that it would leave.

use std::collections::{BTreeMap, BTreeSet};

use ide_model::{
    ContentHash, Diagnostic, EditPlan, FilePath, Fix, QueryError, SymbolKind, TextEdit, TextRange, counted,
    edited,
};

use super::{abstracts, imports};
use crate::facts::{DefFlags, Expr, RefId, ScopeId};
use crate::lang;
use crate::query::{self, file_id};
use crate::refactor::{Habit, ImportChange, RefactorContext, Rewrite, import_edits};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// Places from which a name may be imported that are tried.
const MAX_IMPORTS: usize = 8;
/// Names like the one that is not there that are tried.
const MAX_NEAR: usize = 3;

/// An idea, not yet proved.
struct Idea {
    title: String,
    edits: Vec<TextEdit>,
    is_preferred: bool,
}

/// The fixes of the findings that touch a range: after each of these the finding is gone and the file has no other that it
/// had not before. The surest come first.
///
/// # Errors
/// [`QueryError::NoFile`].
pub fn fixes(ctx: &RefactorContext<'_>, path: &FilePath, range: TextRange) -> Result<Vec<Fix>, QueryError> {
    let id = file_id(&**ctx.pool.world(), path)?;
    let text = (ctx.text)(id)?.text;
    let before = query::diagnostics(ctx.pool, ctx.cx, path, &text)?;
    let hash = ContentHash(ctx.pool.world().file(id).content_hash);
    let mut all = Vec::new();
    let touches =
        |problem: &&Diagnostic| problem.range.start <= range.end && range.start <= problem.range.end;
    for problem in before.iter().filter(touches) {
        ctx.cx.check()?;
        for idea in ideas(ctx, id, &text, problem)? {
            let Some(after) = edited(&text, &idea.edits).filter(|after| **after != *text) else { continue };
            if !mends(ctx, path, &after, problem, &before)? {
                continue;
            }
            let mut plan = EditPlan::new(idea.title.clone());
            let edit = plan.edit(path, hash, idea.edits).and_then(|()| plan.tidy());
            if edit.is_ok() {
                let Idea { title, is_preferred, .. } = idea;
                all.push(Fix { code: problem.code, range: problem.range, title, is_preferred, plan });
            }
        }
    }
    // One of several is no better than the others.
    let mut preferred: BTreeMap<(TextRange, &str), usize> = BTreeMap::new();
    all.iter()
        .filter(|fix| fix.is_preferred)
        .for_each(|fix| *preferred.entry((fix.range, fix.code)).or_default() += 1);
    for fix in &mut all {
        fix.is_preferred &= preferred.get(&(fix.range, fix.code)) == Some(&1);
    }
    all.sort_by_key(|fix| !fix.is_preferred);
    Ok(all)
}

/// Whether a text has a problem no more, and none that is new.
fn mends(
    ctx: &RefactorContext<'_>,
    path: &FilePath,
    text: &str,
    problem: &Diagnostic,
    before: &[Diagnostic],
) -> Result<bool, QueryError> {
    let rewrite = Rewrite { path: path.clone(), becomes: Some((path.clone(), text.into())) };
    let pool = (ctx.scratch)(&[rewrite])?;
    let after = query::diagnostics(&pool, ctx.cx, path, text)?;
    let count = |all: &[Diagnostic], of: &Diagnostic| {
        all.iter().filter(|one| one.code == of.code && one.message == of.message).count()
    };
    let is_gone = count(&after, problem) < count(before, problem);
    Ok(is_gone && after.iter().all(|one| count(&after, one) <= count(before, one)))
}

fn ideas(
    ctx: &RefactorContext<'_>,
    id: FileId,
    text: &str,
    problem: &Diagnostic,
) -> Result<Vec<Idea>, QueryError> {
    let file = ctx.pool.with(|rx| rx.shared_file(id));
    let reference = file.written_refs().find(|r| {
        let r = file.reference(*r);
        r.range == problem.range && r.role != crate::facts::Role::Import
    });
    match (problem.code, reference) {
        ("unused-import", _) => unneeded(ctx, &file, text, problem),
        ("unresolved-name", Some(name)) => {
            let mut all = imported(ctx, &file, name)?;
            let known = file.def_ids().map(|def| file.def_name(def).to_owned()).collect();
            all.extend(renamed(&file, name, known));
            Ok(all)
        }
        ("unresolved-member", Some(name)) => {
            Ok(renamed(&file, name, ctx.pool.with(|rx| members_before(rx, &file, name))))
        }
        ("missing-implementation", _) => implemented(ctx, &file, text, problem),
        ("argument-name" | "literal-fields", Some(name)) => {
            Ok(renamed(&file, name, ctx.pool.with(|rx| keys_of_call(rx, &file, name))))
        }
        ("constant-assignment", Some(name)) => {
            let def = ctx.pool.with(|rx| rx.resolve(file.global_ref(name)).resolution.defs().next());
            let own = def.filter(|def| def.file == id).map(|def| file.def(def.def).name_range.start);
            Ok(own.and_then(|at| freed(&file, text, at)).into_iter().collect())
        }
        ("missing-override", _) => Ok(said(&file, text, problem.range.start).into_iter().collect()),
        ("duplicate-declaration", _) => Ok(assigned(text, problem.range).into_iter().collect()),
        _ => Ok(Vec::new()),
    }
}

/// An import that nothing uses goes, or all of them.
fn unneeded(
    ctx: &RefactorContext<'_>,
    file: &FileView,
    text: &str,
    problem: &Diagnostic,
) -> Result<Vec<Idea>, QueryError> {
    let all = ctx.pool.with(|rx| {
        let check = super::check_of(rx, ctx.cx, file, text);
        imports::unneeded(&check)
    });
    let at = |import: &crate::facts::ImportId| file.import(*import).def.map(|def| file.def(def));
    let own =
        all.iter().copied().find(|import| at(import).is_some_and(|def| def.name_range == problem.range));
    let Some(own) = own else { return Ok(Vec::new()) };
    let mut ideas = Vec::new();
    let name = at(&own).map_or("", |def| file.name(def.name));
    let change = ImportChange { drop: BTreeSet::from([own]), add: BTreeSet::new() };
    let edits = import_edits(ctx, file.id, &change)?;
    ideas.push(Idea { title: format!("Remove the unused import `{name}`"), edits, is_preferred: true });
    if all.len() > 1 {
        let change = ImportChange { drop: all.into_iter().collect(), add: BTreeSet::new() };
        let edits = import_edits(ctx, file.id, &change)?;
        ideas.push(Idea { title: "Remove all unused imports".to_owned(), edits, is_preferred: false });
    }
    Ok(ideas)
}

/// Every way to import a name that nothing declares.
fn imported(ctx: &RefactorContext<'_>, file: &FileView, name: RefId) -> Result<Vec<Idea>, QueryError> {
    let judge = lang::judge(file.language());
    let lines: BTreeSet<String> = ctx.pool.with(|rx| {
        let word = file.ref_name(name);
        let is_meant = |def: &GlobalDef| {
            let d = rx.def(*def);
            rx.language_of(*def).family() == file.family()
                && def.file != file.id
                && !d.flags.has(DefFlags::LOCAL)
                && rx.owner_class(*def).is_none()
                && !matches!(d.kind, SymbolKind::Import | SymbolKind::Parameter | SymbolKind::TypeParameter)
        };
        let sites = rx.world().declarations(word).into_iter().map(|site| site.at).filter(is_meant);
        let ways = sites.filter_map(|def| judge.import_line(rx, file, def));
        ways.chain(judge.package_imports(rx, file, word)).take(MAX_IMPORTS).collect()
    });
    let text = (ctx.text)(file.id)?.text;
    let mut ideas = Vec::new();
    for line in lines.into_iter().map(|line| Habit::of(&text).styled(file, &line)) {
        let change = ImportChange { drop: BTreeSet::new(), add: BTreeSet::from([line.clone()]) };
        let edits = import_edits(ctx, file.id, &change)?;
        ideas.push(Idea { title: format!("Add `{line}`"), edits, is_preferred: true });
    }
    Ok(ideas)
}

/// The names most like one that is not there.
fn renamed(file: &FileView, name: RefId, known: BTreeSet<String>) -> Vec<Idea> {
    let written = file.ref_name(name);
    let allowed = (written.chars().count() / 4).clamp(1, 3);
    let distance = |other: &String| (distance_of(written, other), other.clone());
    let mut near: Vec<(usize, String)> = known.iter().map(distance).collect();
    near.retain(|(distance, other)| (1..=allowed).contains(distance) && !other.is_empty());
    near.sort();
    let best = near.first().map_or(0, |(distance, _)| *distance);
    let idea = |(distance, other): (usize, String)| Idea {
        title: format!("Change to `{other}`"),
        edits: vec![TextEdit::new(file.reference(name).range, other)],
        is_preferred: distance == best,
    };
    near.into_iter().take(MAX_NEAR).map(idea).collect()
}

/// The parameters or fields that a call or literal may name.
fn keys_of_call(rx: &Resolver, file: &FileView, key: RefId) -> BTreeSet<String> {
    let name = file.reference(key).call.and_then(|call| match file.expr(call) {
        Expr::Call { callee, .. } => rx.expr_ref(file, callee),
        Expr::New { ty, .. } => rx.named_type_ref(file, ty),
        _ => None,
    });
    let Some(name) = name else { return BTreeSet::new() };
    let mut names = BTreeSet::new();
    for def in rx.resolve(file.global_ref(name)).resolution.defs() {
        let view = rx.file(def.file);
        let own = view.def(def.def);
        let fields =
            own.body.filter(|_| !own.kind.is_callable()).map_or(&[][..], |body| view.all_in_scope(body));
        let all = view.list(own.params).chain(fields.iter().copied());
        names.extend(all.map(|id| view.def_name(id).to_owned()));
    }
    names
}

/// The text of a line before a place in it, and where the line begins.
fn line_before(text: &str, at: u32) -> Option<(&str, usize)> {
    let before = text.get(..at as usize)?;
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    Some((&before[start..], start))
}

/// A declaration whose value may change: with another word before its name, or with one more.
fn freed(file: &FileView, text: &str, name: u32) -> Option<Idea> {
    let (line, start) = line_before(text, name)?;
    let edit = lang::judge(file.language()).freeing().iter().find_map(|(word, other)| {
        let at = if word.is_empty() { line.len() } else { line.rfind(word)? };
        let range = TextRange::new((start + at) as u32, (start + at + word.len()) as u32);
        Some(TextEdit::new(range, *other))
    })?;
    Some(Idea { title: "Let the value change".to_owned(), edits: vec![edit], is_preferred: false })
}

/// The word that says that a member overrides one.
fn said(file: &FileView, text: &str, name: u32) -> Option<Idea> {
    let (line, start) = line_before(text, name)?;
    let (words, said) = lang::judge(file.language()).override_word()?;
    let at = words.iter().find_map(|word| line.rfind(word))? + start;
    let edit = TextEdit::new(TextRange::new(at as u32, at as u32), said);
    Some(Idea { title: format!("Add `{}`", said.trim_end()), edits: vec![edit], is_preferred: true })
}

/// `:=` with nothing new on its left is an assignment.
fn assigned(text: &str, left: TextRange) -> Option<Idea> {
    let behind = text.get(left.end as usize..)?;
    let blanks = behind.len() - behind.trim_start_matches([' ', '\t']).len();
    let at = left.end + blanks as u32;
    let edit = TextEdit::new(TextRange::new(at, at + 2), "=");
    behind[blanks..].starts_with(":=").then(|| Idea {
        title: "Assign instead of declaring".to_owned(),
        edits: vec![edit],
        is_preferred: true,
    })
}

/// The number of letters that must be put in, left out, changed or swapped with the next.
fn distance_of(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > 3 {
        return usize::MAX;
    }
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// The names of what the value before a name has.
fn members_before(rx: &Resolver, file: &FileView, name: RefId) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut take = |view: &FileView, scope: ScopeId| {
        names.extend(view.all_in_scope(scope).iter().map(|def| view.def_name(*def).to_owned()));
    };
    let Some(receiver) = file.reference(name).receiver else { return names };
    for part in rx.expr_type(file, receiver).parts() {
        match part {
            Ty::Module(module) => take(rx.file(*module), ScopeId(0)),
            Ty::Package(directory) => {
                let files = rx.world().directory(directory).map(|found| found.files).unwrap_or_default();
                files.into_iter().for_each(|id| take(rx.file(id), ScopeId(0)));
            }
            part => {
                let line = rx.linearization(part);
                for class in line.iter().filter_map(Ty::def) {
                    let view = rx.file(class.file);
                    if let Some(body) = view.def(class.def).body {
                        take(view, body);
                    }
                    for member in rx.policy_of(class).belongs_to(rx, class) {
                        let home = rx.file(member.file);
                        let def = home.def(member.def);
                        take(home, def.body.filter(|_| def.kind == SymbolKind::Impl).unwrap_or(def.scope));
                    }
                }
            }
        }
    }
    names
}

/// A body for every member that is announced and missing, behind the last of the class.
fn implemented(
    ctx: &RefactorContext<'_>,
    file: &FileView,
    text: &str,
    problem: &Diagnostic,
) -> Result<Vec<Idea>, QueryError> {
    let judge = lang::judge(file.language());
    let lacking = ctx.pool.with(|rx| {
        let check = super::check_of(rx, ctx.cx, file, text);
        abstracts::lacking_at(&check, problem.range)
    });
    let Some((class, lacking)) = lacking else { return Ok(Vec::new()) };
    let Some(body) = file.def(class).body.map(|body| file.scope(body).range) else { return Ok(Vec::new()) };
    let Some(close) = text.get(..body.end as usize).and_then(|before| before.rfind('}')) else {
        return Ok(Vec::new());
    };
    let line = text[..file.def(class).range.start as usize].rfind('\n').map_or(0, |at| at + 1);
    let outer: String = text[line..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
    let unit = if text.contains("\n\t") { "\t" } else { "    " };
    let mut stubs = String::new();
    for member in &lacking {
        let home = (ctx.text)(member.file)?;
        let stub = ctx.pool.with(|rx| judge.stub(rx, *member, &home.text));
        let Some(stub) = stub else { return Ok(Vec::new()) };
        for line in stub.lines() {
            stubs.push_str(&format!("{outer}{unit}{}\n", line.replace('\t', unit)));
        }
    }
    let inside = &text[..close];
    let at = inside.trim_end_matches([' ', '\t']).len();
    let breaks = if inside[..at].ends_with('\n') { "" } else { "\n" };
    let range = TextRange::new(at as u32, close as u32);
    let edits = vec![TextEdit::new(range, format!("{breaks}{stubs}{outer}"))];
    let count = lacking.len();
    let title = format!("Implement {}", counted(count, "missing member"));
    Ok(vec![Idea { title, edits, is_preferred: true }])
}

#[cfg(test)]
mod tests {
    use super::distance_of;

    #[test]
    fn swapped_letters_are_one_step() {
        assert_eq!(distance_of("valeu", "value"), 1);
        assert_eq!(distance_of("gives", "give"), 1);
        assert_eq!(distance_of("a", "abcdef"), usize::MAX);
    }
}
