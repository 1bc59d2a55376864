//! Declarations of other files that could stand at a place if they were imported.
//!
//! Candidates come from the name tables of the index and of libraries, by what is typed already. A language says by which
//! statement a file gets each; all statements are then written into the file together, in a scratch world, and a candidate
//! stays when its own leads to it there.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{
    Capped, FileMeta, FilePath, Importable, MatchMode, NameMatcher, NameScore, QueryError, SearchKind,
    SourceKind, SymbolKind, SymbolQuery, TextRange, Visibility, edited,
};

use super::{Probed, VALUE, is_guess, start_of_word};
use crate::check::is_read;
use crate::facts::{DefFlags, Import, RefId, ScopeId};
use crate::lang;
use crate::library::search_libraries;
use crate::query::describe::visibility;
use crate::query::{Resolvers, file_id, symbol};
use crate::refactor::{Habit, ImportChange, RefactorContext, Rewrite, import_edits, module_of};
use crate::resolve::{FileView, Resolver, Target};
use crate::search::SearchHit;
use crate::world::{FileId, GlobalDef, GlobalRef};

/// Declarations that a search of each kind gives: types, all of the project, all of libraries.
const MOST_FOUND: [usize; 3] = [200, 600, 60];
/// Candidates whose statements are tried.
const MOST_TRIED: usize = 80;
/// Marks before a name that make it the name of something that no import binds.
const MARKS: [&str; 5] = ["$", "#", "'", "\\", "::"];

/// Searches the declarations of the project.
pub(super) type Search<'s> = dyn Fn(&SymbolQuery<'_>) -> Result<Capped<SearchHit>, QueryError> + 's;

struct Candidate {
    name: Arc<str>,
    written: String,
    statement: String,
    /// `None` for a package.
    def: Option<GlobalDef>,
    rank: (Option<NameScore>, bool, FilePath),
}

/// See `Snapshot::importable`.
///
/// # Errors
/// [`QueryError::NoFile`] for files that the project does not have.
pub fn importable(
    ctx: &RefactorContext<'_>,
    search: &Search<'_>,
    path: &FilePath,
    offset: u32,
    limit: usize,
) -> Result<Capped<Importable>, QueryError> {
    ctx.cx.check()?;
    let id = file_id(&**ctx.pool.world(), path)?;
    let text = (ctx.text)(id)?.text;
    let at = text.floor_char_boundary(offset as usize);
    let Some(language) = ctx.pool.world().file(id).language else { return Ok(Capped::whole(Vec::new())) };
    let start = start_of_word(language, &text[..at]);
    if MARKS.iter().any(|mark| text[..start].ends_with(mark)) {
        return Ok(Capped::whole(Vec::new()));
    }
    let Some(place) = Probed::read(ctx, path, &text, start..at, &VALUE)?.filter(Probed::takes_plain_name)
    else {
        return Ok(Capped::whole(Vec::new()));
    };
    let prefix = &text[start..at];
    if prefix.is_empty() {
        return Ok(Capped { items: Vec::new(), cut: true });
    }
    let (found, mut cut) = found(ctx, search, id, prefix)?;
    let mut candidates = ctx.pool.with(|rx| candidates(rx, id, prefix, &found));
    let packages: Vec<Candidate> = ctx.pool.with(|rx| packages(rx, id, prefix));
    candidates.extend(packages);
    candidates.sort_by(|a, b| (&a.rank, &a.statement).cmp(&(&b.rank, &b.statement)));
    candidates.dedup_by(|a, b| a.statement == b.statement && a.written == b.written);
    let names: Vec<Arc<str>> = candidates.iter().map(|candidate| candidate.name.clone()).collect();
    let taken = place.meaningful(ctx, &names)?;
    candidates.retain(|candidate| !taken.contains(&candidate.name));
    cut |= candidates.len() > MOST_TRIED.min(limit);
    candidates.truncate(MOST_TRIED);
    let habit = Habit::of(&text);
    let file = ctx.pool.with(|rx| rx.shared_file(id));
    for candidate in &mut candidates {
        candidate.statement = habit.styled(&file, &candidate.statement);
    }
    let reached = Reached::by(ctx, id, &text, &candidates)?;
    candidates.retain(|candidate| reached.has(ctx, candidate));
    candidates.truncate(limit);
    let items = ctx.pool.with(|rx| candidates.into_iter().map(|c| c.shown(rx, &file, &place)).collect());
    Ok(Capped { items, cut })
}

impl Candidate {
    fn shown(self, rx: &Resolver, file: &FileView, place: &Probed) -> Importable {
        let module = module_of(file.language(), &self.statement, &self.name);
        Importable {
            module: module.unwrap_or_default().into(),
            written: self.written.into(),
            name: self.name,
            takes_arguments: self.def.and_then(|def| place.takes_arguments(rx, def)),
            symbol: self.def.map(|def| symbol(rx, def)),
            statement: self.statement.into(),
        }
    }
}

impl Probed {
    /// Whether a name without anything before it stands in the place, as code uses what imports bind.
    fn takes_plain_name(&self) -> bool {
        let probe = self.facts.reference(self.reference);
        is_read(probe.role) && probe.receiver.is_none()
    }

    /// The names that mean something in the place already.
    fn meaningful(
        &self,
        ctx: &RefactorContext<'_>,
        names: &[Arc<str>],
    ) -> Result<BTreeSet<Arc<str>>, QueryError> {
        let (pool, first) = self.naming(names);
        pool.with(|rx| {
            let mut meant = BTreeSet::new();
            for (number, name) in (first..).zip(names) {
                ctx.cx.check()?;
                let resolved = rx.resolve(GlobalRef { file: self.id, reference: RefId(number) });
                if !is_guess(&resolved.resolution) {
                    meant.insert(name.clone());
                }
            }
            Ok(meant)
        })
    }
}

/// Declarations of the family's other files whose names begin as a text does; true when there are more.
fn found(
    ctx: &RefactorContext<'_>,
    search: &Search<'_>,
    id: FileId,
    prefix: &str,
) -> Result<(Vec<SearchHit>, bool), QueryError> {
    let world = &**ctx.pool.world();
    let entry = world.file(id);
    let Some(family) = entry.language.map(ide_model::Language::family) else {
        return Ok((Vec::new(), false));
    };
    let filter = |meta: &FileMeta| {
        meta.path != entry.path
            && meta.language.is_some_and(|language| language.family() == family)
            // Shipped code does not use its tests.
            && (meta.source != SourceKind::Test || entry.source == SourceKind::Test)
    };
    let query = |kind, limit| SymbolQuery {
        pattern: prefix,
        mode: MatchMode::Prefix,
        kind,
        language: None,
        filter: &filter,
        with_libraries: true,
        limit,
    };
    let own =
        [search(&query(SearchKind::Types, MOST_FOUND[0]))?, search(&query(SearchKind::All, MOST_FOUND[1]))?];
    let outer = search_libraries(world, ctx.cx, &query(SearchKind::All, MOST_FOUND[2]))?;
    let cut = own.iter().any(|found| found.cut) || outer.cut;
    let mut all: Vec<SearchHit> = own.into_iter().chain([outer]).flat_map(|found| found.items).collect();
    // Of libraries, whose names are many, only those that begin as they are typed.
    let begins = |hit: &SearchHit| {
        let file = world.facts(hit.at.file);
        let name = file.def_name(hit.at.def);
        name.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
    };
    let is_library = |hit: &SearchHit| world.file(hit.at.file).source == SourceKind::Library;
    all.retain(|hit| !hit.score.is_approximate() && (!is_library(hit) || begins(hit)));
    all.sort_by_key(|hit| (hit.score, hit.at));
    all.dedup_by_key(|hit| hit.at);
    Ok((all, cut))
}

fn candidates(rx: &Resolver, id: FileId, prefix: &str, found: &[SearchHit]) -> Vec<Candidate> {
    let view = rx.file(id);
    let judge = lang::judge(view.language());
    let hides = |name: &str| name.starts_with('_') && !prefix.starts_with('_');
    let of = |hit: &SearchHit| {
        let name = rx.shared_name(hit.at);
        if hides(&name) || !may_be_imported(rx, view, hit.at) {
            return None;
        }
        let (statement, written) = judge.way_to(rx, view, hit.at)?;
        let entry = rx.world().file(hit.at.file);
        let is_library = entry.source == SourceKind::Library;
        // Modules with such a name are the library's own business.
        if is_library && entry.path.as_str().split('/').any(&hides) {
            return None;
        }
        let rank = (Some(hit.score), is_library, entry.path.clone());
        Some(Candidate { name, written, statement, def: Some(hit.at), rank })
    };
    found.iter().filter_map(of).collect()
}

/// Whether a declaration stands at the top of its file, for others to see.
fn may_be_imported(rx: &Resolver, view: &FileView, def: GlobalDef) -> bool {
    let home = rx.file(def.file);
    let d = home.def(def.def);
    let is_item = !matches!(
        d.kind,
        SymbolKind::Import
            | SymbolKind::Parameter
            | SymbolKind::TypeParameter
            | SymbolKind::Impl
            | SymbolKind::Label
            | SymbolKind::Package
            | SymbolKind::Heading
            | SymbolKind::Key
    );
    let is_shown = match visibility(home, d) {
        Some(Visibility::Private) => rx.policy_of(def).sees_private_of(rx, view.id, def.file),
        Some(Visibility::Package) => false,
        _ => true,
    };
    is_item
        && is_shown
        && d.receiver.is_none()
        && d.attach.is_none()
        && !d.flags.has(DefFlags::LOCAL)
        && !d.flags.has(DefFlags::ANONYMOUS)
        && rx.owner_class(def).is_none()
}

fn packages(rx: &Resolver, id: FileId, prefix: &str) -> Vec<Candidate> {
    let view = rx.file(id);
    let matcher = NameMatcher::plain(prefix, MatchMode::Prefix);
    let all = lang::judge(view.language()).packages(rx, &|name| matcher.matches(name));
    let of = |(name, statement): (String, String)| Candidate {
        rank: (matcher.score(&name), false, FilePath::new(statement.clone())),
        written: name.clone(),
        name: name.into(),
        statement,
        def: None,
    };
    all.into_iter().map(of).collect()
}

/// The targets of a file's imports: declarations, and modules by their names.
#[derive(Default)]
struct Reached {
    declarations: BTreeSet<(FilePath, TextRange)>,
    modules: BTreeSet<String>,
}

impl Reached {
    /// The targets of the statements of all candidates that a file does not reach without them.
    fn by(
        ctx: &RefactorContext<'_>,
        id: FileId,
        text: &str,
        candidates: &[Candidate],
    ) -> Result<Self, QueryError> {
        let add: BTreeSet<String> = candidates.iter().map(|candidate| candidate.statement.clone()).collect();
        let edits = import_edits(ctx, id, &ImportChange { drop: BTreeSet::new(), add })?;
        let Some(after) = edited(text, &edits) else { return Ok(Self::default()) };
        let path = ctx.pool.world().file(id).path.clone();
        let pool =
            (ctx.scratch)(&[Rewrite { path: path.clone(), becomes: Some((path.clone(), after.into())) }])?;
        let is_everywhere = |import: &Import| import.scope == ScopeId(0);
        let before = Self::of(ctx.pool, id, &is_everywhere);
        let after = Self::of(&pool, file_id(&**pool.world(), &path)?, &|_| true);
        Ok(Self {
            declarations: after.declarations.difference(&before.declarations).cloned().collect(),
            modules: after.modules.difference(&before.modules).cloned().collect(),
        })
    }

    fn of(pool: &Resolvers, id: FileId, counts: &dyn Fn(&Import) -> bool) -> Self {
        pool.with(|rx| {
            let view = rx.file(id);
            let mut reached = Self::default();
            for import in view.imports.iter().filter(|import| counts(import)) {
                let Some(last) = import.member.or_else(|| view.list(import.path).last()) else { continue };
                for target in &rx.resolve(view.global_ref(last)).resolution.targets {
                    match target {
                        Target::Def(def) => {
                            let path = rx.world().file(def.file).path.clone();
                            reached.declarations.insert((path, rx.def(*def).name_range));
                        }
                        Target::Module(_) | Target::Package(_) => {
                            reached.modules.insert(view.name(import.module).to_owned());
                        }
                        Target::External(_) => {}
                    }
                }
            }
            reached
        })
    }

    fn has(&self, ctx: &RefactorContext<'_>, candidate: &Candidate) -> bool {
        ctx.pool.with(|rx| {
            let by_name = candidate.def.is_some_and(|def| {
                let path = rx.world().file(def.file).path.clone();
                self.declarations.contains(&(path, rx.def(def).name_range))
            });
            let quoted = candidate.statement.split(['"', '\'']).nth(1);
            by_name || quoted.is_some_and(|path| self.modules.contains(path))
        })
    }
}
