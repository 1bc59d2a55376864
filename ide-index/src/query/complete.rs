//! Names that could stand at a place.
//!
//! The file is read once more with a name in that place that occurs nowhere else. Each candidate then takes the place of
//! that name in the facts and is resolved as any reference is, so that every rule of the language holds for it. Candidates
//! come from the scopes around the place or the type before the dot, and from the names that the file and those beside it
//! use. The text that stood behind the same words before decides on the order.

mod importable;
mod keys;
mod rank;
mod segments;
mod sigils;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use ide_model::{
    Capped, Completion, Confidence, FilePath, Language, MatchMode, NameMatcher, QueryError, SourceKind,
    SymbolKind,
};
use rustc_hash::FxHashSet;

pub use self::importable::importable;
use self::rank::{Habits, Sign, Signs, Slot, Words};
use super::{Resolvers, file_id, symbol};
use crate::facts::{DefFlags, DefId, Expectation, Expr, ExprId, FileFacts, Ref, RefId, Role, ScopeId};
use crate::lang;
use crate::lookups::Lookups;
use crate::refactor::{RefactorContext, Rewrite};
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target, Ty, Types};
use crate::world::{FileId, GlobalDef, GlobalRef};

/// Stands for the name that is asked for. It begins with a small letter, as values do.
const PROBE: &str = "completionProbe7f3a";

/// Files beside the one that is asked about whose names and habits count.
const MOST_NEIGHBOURS: usize = 32;
/// Directories in which they are looked for.
const MOST_DIRECTORIES: usize = 64;
/// Bytes of a neighbour beyond which it is not read.
const LARGEST_NEIGHBOUR: u64 = 256 << 10;
/// Endings with which the place is read, until one makes a use of the name: the statement may lack its end, and behind a
/// type may stand a name that is declared.
const VALUE: [&str; 5] = ["", ";", "()", ": 0", " x;"];
const CALL: [&str; 2] = ["()", "();"];
/// Candidates that are resolved.
const MOST_CANDIDATES: usize = 4_000;
/// Types in which they are looked up, all together: a candidate is looked up in every type that the receiver may be or descends
/// from.
const MOST_LOOKUPS: usize = 100_000;

/// Words with a meaning of their own that may stand where a name may. Languages without a row have none.
const KEYWORDS: &[(Language, &str)] = &[
    (
        Language::Java,
        "abstract assert boolean break byte case catch char class continue default do double else enum extends false \
         final finally float for if implements import instanceof int interface long new null package private \
         protected public record return short static super switch synchronized this throw throws true try var void \
         volatile while yield",
    ),
    (
        Language::Kotlin,
        "abstract as break by catch class companion const continue data do else enum false final finally for fun if \
         import in inline interface internal is lateinit null object open override package private protected public \
         return sealed super suspend this throw true try typealias val var when while",
    ),
    (
        Language::Python,
        "and as assert async await break class continue def del elif else except False finally for from global if \
         import in is lambda None nonlocal not or pass raise return True try while with yield",
    ),
    (
        Language::Go,
        "break case chan const continue default defer else fallthrough for func go if import interface map package \
         range return select struct switch type var",
    ),
    (
        Language::Php,
        "abstract array as bool break callable case catch class clone const continue declare default do echo else \
         elseif empty enum extends false final finally float fn for foreach function if implements instanceof int \
         interface isset list match mixed namespace new null private protected public readonly return self static \
         string switch throw trait true try unset use void while yield",
    ),
    (
        Language::Rust,
        "as async await bool break char const continue crate dyn else enum extern f64 false fn for i32 i64 if impl in \
         let loop match mod move mut pub ref return self Self static str struct super trait true type u8 u32 u64 \
         unsafe use usize where while",
    ),
    (Language::JavaScript, ECMA),
    (Language::TypeScript, TYPESCRIPT),
];
const ECMA: &str = "async await break case catch class const continue default delete do else export extends false \
    finally for from function if import in instanceof let new null of return static super switch this throw true try \
    typeof undefined var void while yield";
const TYPESCRIPT: &str = "abstract any as async await boolean break case catch class const continue declare default \
    delete do else enum export extends false finally for from function if implements import in instanceof interface \
    is keyof let namespace never new null number object of private protected public readonly return satisfies static \
    string super switch this throw true try type typeof undefined unknown var void while yield";

fn keywords(language: Language) -> impl Iterator<Item = &'static str> {
    KEYWORDS.iter().filter(move |(of, _)| *of == language).flat_map(|(_, words)| words.split_whitespace())
}

/// See `Snapshot::complete`.
///
/// # Errors
/// [`QueryError::NoFile`] for files that the project does not have.
pub fn complete(
    ctx: &RefactorContext<'_>,
    path: &FilePath,
    offset: u32,
    limit: usize,
) -> Result<Capped<Completion>, QueryError> {
    ctx.cx.check()?;
    let id = file_id(&**ctx.pool.world(), path)?;
    let text = (ctx.text)(id)?.text;
    let at = text.floor_char_boundary(offset as usize);
    let Some(language) = ctx.pool.world().file(id).language else { return Ok(Capped::whole(Vec::new())) };
    let start = start_of_word(language, &text[..at]);
    let prefix = &text[start..at];
    // In Java, PHP and Rust `a.b` and `a.b()` name members of different kinds.
    let is_called = text[at..].trim_start().starts_with('(');
    let ways: &[&[&str]] = if is_called { &[&VALUE] } else { &[&VALUE, &CALL] };
    let neighbours = neighbours(ctx, id)?;
    let sigil = sigils::sigil(language, &text[..start]);
    let habits = Habits::of(&text, start..at, &neighbours, Words { language, sigil });
    let matcher = (!prefix.is_empty()).then(|| NameMatcher::plain(prefix, MatchMode::Substring));
    let wanted = |name: &str| {
        let first = name.chars().next().is_some_and(|c| !c.is_ascii_digit());
        first
            && name.chars().all(|c| language.has_in_names(c))
            && matcher.as_ref().is_none_or(|m| m.matches(name))
    };
    let (mut first, mut cut, mut found) = (None, false, Vec::<Candidate>::new());
    for tails in ways {
        let Some(probed) = Probed::read(ctx, path, &text, start..at, tails)? else { continue };
        // A declaration is more than a guess.
        let certain = names_of(found.iter().filter(|f| f.completion.symbol.is_some()));
        let Names { all: mut names, outside, .. } = probed.candidates();
        names.extend(outside.iter().cloned());
        names.extend(habits.names.keys().map(|name| (*name).into()));
        names.retain(|name| wanted(name) && !certain.contains(name));
        let mut candidates: Vec<Arc<str>> = names.into_iter().collect();
        let score = |name: &str| habits.signs(name).score();
        candidates.sort_by_cached_key(|name| (std::cmp::Reverse(Score(score(name))), name.clone()));
        let most = probed.most_candidates();
        cut |= candidates.len() > most;
        candidates.truncate(most);
        ctx.cx.check()?;
        let more = probed.resolve(ctx, &candidates, &outside, &|name| habits.behind(name))?;
        first.get_or_insert(probed);
        let certain = names_of(more.iter().filter(|f| f.completion.symbol.is_some()));
        found.retain(|f| !certain.contains(&f.completion.name));
        let known = names_of(&found);
        found.extend(more.into_iter().filter(|f| !known.contains(&f.completion.name)));
    }
    if !is_called {
        found.extend(
            keys::keys(ctx, id, path, &text, start..at)?.into_iter().filter(|f| wanted(&f.completion.name)),
        );
    }
    let Some(probed) = first else { return Ok(Capped::whole(Vec::new())) };
    if let Some(sigil) = sigil.filter(|_| probed.takes_value()) {
        let variables = sigils::variables(ctx, path, &text, &(start..at), sigil)?;
        // The scopes around the place have these names without their sign, which would be constants that nobody knows.
        let names: FxHashSet<&str> =
            variables.iter().map(|f| sigils::without_sigil(&f.completion.name)).collect();
        found.retain(|f| f.completion.symbol.is_some() || !names.contains(&*f.completion.name));
        found.extend(variables.into_iter().filter(|f| wanted(sigils::without_sigil(&f.completion.name))));
    }
    let known = names_of(found.iter().filter(|f| f.completion.symbol.is_some()));
    let mut imported = probed.parts_of_imports();
    if !imported.is_empty() {
        // All parts of the path are known, so no guess is needed.
        found.retain(|f| f.completion.symbol.is_some());
    }
    imported.retain(|f| wanted(&f.completion.name) && !known.contains(&f.completion.name));
    found.extend(imported);
    if probed.receiver.is_none() && !probed.is_in_import() {
        let taken = names_of(&found);
        let words = keywords(probed.language).filter(|word| wanted(word) && !taken.contains(*word));
        found.extend(
            words.map(|word| Candidate { completion: keyword(word), signs: Signs::of(&[Sign::Keyword]) }),
        );
    }
    let begins = |name: &str| {
        let head = sigils::without_sigil(name).get(..prefix.len());
        f64::from(u8::from(head.is_some_and(|head| head.eq_ignore_ascii_case(prefix))))
            + f64::from(u8::from(!prefix.is_empty() && head == Some(prefix)))
    };
    let mut scored: Vec<(f64, Completion)> = found
        .into_iter()
        .map(|Candidate { completion, signs }| {
            let name = &completion.name;
            let all = habits.signs(name) + signs + probed.slot.signs(name);
            (all.score() + 6.0 * begins(name), completion)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    // Names that differ by case only may be the same declaration.
    let mut taken = FxHashSet::default();
    scored.retain(|(_, completion)| taken.insert((completion.name.clone(), completion.mark)));
    let mut all = Capped::cut_at(scored.into_iter().map(|(_, completion)| completion).collect(), limit);
    all.cut |= cut;
    Ok(all)
}

/// The place where the word begins with which a text ends.
fn start_of_word(language: Language, text: &str) -> usize {
    text.trim_end_matches(|c| language.has_in_names(c)).len()
}

/// Whether nothing but the name itself speaks for a meaning.
fn is_guess(resolution: &Resolution) -> bool {
    resolution.is_unknown()
        || resolution.confidence >= Confidence::NameOnly
        || matches!(resolution.reason, Reason::ByNameOnly | Reason::Library)
}

fn keyword(word: &str) -> Completion {
    Completion { is_keyword: true, ..undeclared(&word.into(), Confidence::Exact) }
}

/// A name whose declaration is not at hand.
fn undeclared(name: &Arc<str>, confidence: Confidence) -> Completion {
    Completion {
        name: name.clone(),
        symbol: None,
        is_keyword: false,
        confidence,
        takes_arguments: None,
        mark: "",
    }
}

fn names_of<'f>(found: impl IntoIterator<Item = &'f Candidate>) -> FxHashSet<Arc<str>> {
    found.into_iter().map(|f| f.completion.name.clone()).collect()
}

struct Candidate {
    completion: Completion,
    signs: Signs,
}

/// A score that can be sorted by.
#[derive(PartialEq)]
struct Score(f64);

impl Eq for Score {}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// The file with the probe in its place.
struct Probed {
    pool: Resolvers,
    id: FileId,
    language: Language,
    facts: FileFacts,
    reference: RefId,
    /// The type of what stands before the dot.
    receiver: Option<Ty>,
    /// The type that the place expects of a value.
    expected: Ty,
    /// The name of the parameter, variable or field that receives the value.
    slot: Slot,
    /// Whether a call's arguments follow; `None` at the end of a line, where they may be still to come.
    is_called: Option<bool>,
}

impl Probed {
    /// `None` where no name is used: inside a literal, in a comment, where a new name is declared.
    fn read(
        ctx: &RefactorContext<'_>,
        path: &FilePath,
        text: &str,
        place: std::ops::Range<usize>,
        tails: &[&str],
    ) -> Result<Option<Self>, QueryError> {
        for tail in tails {
            let becomes = [&text[..place.start], PROBE, tail, &text[place.end..]].concat();
            let rewrite = Rewrite { path: path.clone(), becomes: Some((path.clone(), becomes.into())) };
            let pool = (ctx.scratch)(&[rewrite])?;
            let id = file_id(&**pool.world(), path)?;
            let found = pool.with(|rx| {
                let view = rx.file(id);
                let reference = view.written_refs().find(|r| {
                    view.ref_name(*r) == PROBE && view.reference(*r).range.start == place.start as u32
                })?;
                let receiver = view.reference(reference).receiver.map(|value| rx.expr_type(view, value));
                let value = view.expected_ref(reference);
                let expected = value.map_or(Ty::Unknown, |value| rx.policy(view).expected(rx, view, value));
                let slot = Slot::new(value.and_then(|value| slot(rx, view, value)).as_deref());
                Some((view.language(), (**view).clone(), reference, receiver, expected, slot))
            });
            if let Some((language, facts, reference, receiver, expected, slot)) = found {
                let behind = text[place.end..].trim_start_matches([' ', '\t']);
                let is_called = (!behind.is_empty() && !behind.starts_with(['\r', '\n']))
                    .then(|| behind.starts_with('('));
                return Ok(Some(Self {
                    pool,
                    id,
                    language,
                    facts,
                    reference,
                    receiver,
                    expected,
                    slot,
                    is_called,
                }));
            }
        }
        Ok(None)
    }

    /// So many candidates are resolved: fewer where each has to be looked up in many types.
    fn most_candidates(&self) -> usize {
        let types: usize = self.pool.with(|rx| {
            let parts = self.receiver.iter().flat_map(Ty::parts);
            parts.map(|part| rx.linearization(part).len()).sum()
        });
        (MOST_LOOKUPS / types.max(1)).clamp(1, MOST_CANDIDATES)
    }

    /// Names that the scopes around the place declare, or the type of the receiver.
    fn candidates(&self) -> Names {
        self.pool.with(|rx| {
            let mut names = Names::default();
            let view = rx.file(self.id);
            match &self.receiver {
                Some(receiver) => {
                    for part in receiver.parts() {
                        members_of(rx, view, part, &mut names);
                    }
                }
                None => self.in_scope(rx, view, &mut names),
            }
            self.imported(rx, view, &mut names);
            names.all.remove(PROBE);
            names
        })
    }

    /// Names that the module has of which an import names a member in the place.
    fn imported(&self, rx: &Resolver, view: &FileView, names: &mut Names) {
        for import in &view.imports {
            let path: Vec<RefId> = view.list(import.path).collect();
            let before = match path.iter().position(|at| *at == self.reference) {
                Some(at) => at.checked_sub(1).map(|before| path[before]),
                None if import.member == Some(self.reference) => path.last().copied(),
                None => continue,
            };
            let Some(before) = before else { continue };
            for target in &rx.resolve(view.global_ref(before)).resolution.targets {
                members_of(rx, view, &rx.default_target_type(target), names);
                if let Target::Module(file) = target {
                    beside(rx, *file, &mut names.all);
                }
            }
        }
    }

    fn in_scope(&self, rx: &Resolver, view: &FileView, names: &mut Names) {
        for scope in view.scope_chain(view.reference(self.reference).scope) {
            declared_in(view, scope, &mut names.all);
            if let Some((class, owner)) = view.enclosing_class(scope)
                && class == scope
            {
                members_of(rx, view, &Ty::instance(view.global(owner)), names);
            }
        }
        if let Some(package) = view.package {
            for file in rx.world().files_of_package(view.family(), view.name(package)) {
                declared_in(rx.file(file), ScopeId(0), &mut names.all);
            }
        }
        for import in view.stars() {
            let module = view.list(import.path).last().map(|at| rx.resolve(view.global_ref(at)));
            for target in module.iter().flat_map(|m| &m.resolution.targets) {
                members_of(rx, view, &rx.default_target_type(target), names);
            }
        }
    }

    /// Whether a value without anything before it stands in the place.
    fn takes_value(&self) -> bool {
        let role = self.facts.reference(self.reference).role;
        self.receiver.is_none() && matches!(role, Role::Read | Role::Write | Role::ReadWrite | Role::Call)
    }

    fn is_in_import(&self) -> bool {
        self.pool.with(|rx| rx.file(self.id).import_by_segment(self.reference).is_some())
    }

    /// The declarations of the module of which an import names a member in the place.
    fn imported_members(&self) -> Vec<Candidate> {
        self.pool.with(|rx| {
            let view = rx.file(self.id);
            let mut found = Vec::new();
            for import in view.imports.iter().filter(|import| import.member == Some(self.reference)) {
                let Some(module) = view.list(import.path).last() else { continue };
                for target in &rx.resolve(view.global_ref(module)).resolution.targets {
                    let Target::Module(file) = target else { continue };
                    let home = rx.file(*file);
                    let is_own = |def: &&DefId| {
                        home.def(**def).kind != SymbolKind::Import && !home.def_name(**def).is_empty()
                    };
                    let all = home.all_in_scope(ScopeId(0)).iter().filter(is_own);
                    found.extend(all.map(|def| Candidate {
                        completion: Completion {
                            name: home.def_name(*def).into(),
                            symbol: Some(symbol(rx, home.global(*def))),
                            is_keyword: false,
                            confidence: Confidence::Exact,
                            takes_arguments: None,
                            mark: "",
                        },
                        signs: Signs::of(&[Sign::Declared]),
                    }));
                }
            }
            let mut names = FxHashSet::default();
            found.retain(|f| names.insert(f.completion.name.clone()));
            found
        })
    }

    /// The file with more references in the place, one for each name, and the number of the first.
    fn naming(&self, names: &[Arc<str>]) -> (Resolvers, u32) {
        let mut facts = self.facts.clone();
        facts.lookups = Lookups::default();
        let probe: Ref = *facts.reference(self.reference);
        let first = facts.refs.len() as u32;
        for name in names {
            let name = facts.names.find(name).unwrap_or_else(|| facts.names.push(name));
            facts.refs.push(Ref { name, ..probe });
        }
        (self.pool.with_facts(self.id, facts), first)
    }

    /// The candidates that have a meaning in the place.
    fn resolve(
        &self,
        ctx: &RefactorContext<'_>,
        candidates: &[Arc<str>],
        outside: &BTreeSet<Arc<str>>,
        behind: &dyn Fn(&str) -> usize,
    ) -> Result<Vec<Candidate>, QueryError> {
        let (pool, first) = self.naming(candidates);
        let mut found = Vec::new();
        pool.with(|rx| {
            let is_open = self.is_open(rx);
            for (number, candidate) in (first..).zip(candidates) {
                ctx.cx.check()?;
                let is_listed = outside.contains(candidate);
                let at = (RefId(number), candidate);
                found.extend(self.meaning(rx, at, (is_open, is_listed), behind(candidate)));
            }
            Ok(found)
        })
    }

    /// Whether the place may name what the index does not have: in an import, or as a member of a library.
    fn is_open(&self, rx: &Resolver) -> bool {
        let view = rx.file(self.id);
        let is_library = |file: FileId| rx.world().file(file).source == SourceKind::Library;
        match &self.receiver {
            Some(receiver) => receiver.parts().iter().any(|part| match part {
                Ty::Module(file) => is_library(*file),
                part => part.def().is_some_and(|def| is_library(def.file)),
            }),
            None => view.import_by_segment(self.reference).is_some(),
        }
    }

    /// `is_listed` says that the type of the receiver is known to have the member, though by its path only; `behind` tells
    /// behind how many of the tokens before the place the name stands elsewhere.
    fn meaning(
        &self,
        rx: &Resolver,
        (reference, name): (RefId, &Arc<str>),
        (is_open, is_listed): (bool, bool),
        behind: usize,
    ) -> Option<Candidate> {
        let resolved = rx.resolve(GlobalRef { file: self.id, reference });
        let resolution = &resolved.resolution;
        // A library that nobody has read may have any member.
        let is_outside = self.receiver.is_some()
            && resolution.targets.iter().all(|target| matches!(target, Target::External(_)));
        let listed = (is_outside && is_listed).then(|| self.declared_outside(rx, resolution)).flatten();
        if is_outside && is_listed && listed.is_none() {
            let signs = Signs::of(&[Sign::Declared, Sign::Library]);
            return Some(Candidate { completion: undeclared(name, Confidence::Inferred), signs });
        }
        if listed.is_none() && (is_guess(resolution) || is_outside) {
            let may_be = is_outside && !resolution.is_unknown()
                || self.receiver.as_ref().is_some_and(|ty| {
                    ty.parts().iter().any(|part| {
                        matches!(part, Ty::Unknown | Ty::External(..) | Ty::ExternalName(_) | Ty::Param(_))
                    })
                });
            let is_external = resolution.reason == Reason::Library && self.receiver.is_none();
            let completion = undeclared(name, Confidence::NameOnly);
            // Nobody wrote `a.import` or `a.def`: a guess has stood behind a dot before.
            return (may_be && behind >= 1 || is_external || is_open && behind >= 2).then_some(Candidate {
                completion,
                signs: Signs::of(&[if is_external { Sign::Outside } else { Sign::Guess }]),
            });
        }
        let def = listed.or_else(|| resolution.targets.iter().find_map(declaration));
        let mut signs = vec![Sign::Declared];
        if let Some(def) = def {
            let kind = rx.kind(def);
            let is_callable = kind.is_callable();
            let held = [
                (rx.has_flag(def, DefFlags::DEPRECATED), Sign::Deprecated),
                (rx.has_flag(def, DefFlags::LOCAL), Sign::Local),
                (def.file == self.id, Sign::Own),
                (rx.world().file(def.file).source == SourceKind::Library, Sign::Library),
                (is_callable && self.is_called == Some(true), Sign::Called),
                (is_callable && self.is_called == Some(false), Sign::Uncalled),
                (kind.is_type(), Sign::Type),
            ];
            signs.extend(held.into_iter().filter(|(is_so, _)| *is_so).map(|(_, sign)| sign));
        }
        if !self.expected.is_unknown() && rx.value_of(&resolved) == self.expected {
            signs.push(Sign::Fits);
        }
        let mut signs = Signs::of(&signs);
        if let Some(def) = def.filter(|def| def.file == self.id && rx.has_flag(*def, DefFlags::LOCAL)) {
            let from = rx.def(def).name_range.start;
            let place = self.facts.reference(self.reference).range.start;
            signs.set(Sign::Near, rank::nearness(place.saturating_sub(from) as usize / 6));
        }
        let name = match def {
            Some(def)
                if rx.policy_of(def).ignores_case(rx, def) && rx.def_name(def).eq_ignore_ascii_case(name) =>
            {
                rx.shared_name(def)
            }
            _ => name.clone(),
        };
        let symbol = def.map(|def| symbol(rx, def));
        let confidence = resolution.confidence;
        let takes_arguments = def.and_then(|def| self.takes_arguments(rx, def));
        let completion =
            Completion { name, symbol, is_keyword: false, confidence, takes_arguments, mark: "" };
        Some(Candidate { completion, signs })
    }
}

impl Probed {
    /// The declaration that a path outside the world means.
    fn declared_outside(&self, rx: &Resolver, resolution: &Resolution) -> Option<GlobalDef> {
        let policy = rx.policy(rx.file(self.id));
        resolution.targets.iter().find_map(|target| match target {
            Target::External(path) => policy.outside(rx, path, None).iter().find_map(declaration),
            _ => None,
        })
    }

    /// Whether a function takes arguments, where its name alone is not enough for a call of it.
    fn takes_arguments(&self, rx: &Resolver, def: GlobalDef) -> Option<bool> {
        let is_value = matches!(self.facts.reference(self.reference).role, Role::Read | Role::Call);
        let kind = rx.kind(def);
        let is_function =
            kind.is_callable() && kind != SymbolKind::Macro && !rx.has_flag(def, DefFlags::PROPERTY);
        let filled = lang::judge(rx.language_of(def)).filled_parameters(rx.def(def));
        (is_value && is_function && self.is_called != Some(true))
            .then(|| rx.parameter_at(def, filled).is_some())
    }
}

fn declaration(target: &Target) -> Option<GlobalDef> {
    match target {
        Target::Def(def) => Some(*def),
        _ => None,
    }
}

/// The name of the parameter, variable or field that receives a value.
fn slot(rx: &Resolver, view: &FileView, value: ExprId) -> Option<String> {
    match view.expectation(value)? {
        Expectation::Argument { call, index } => {
            let callee = rx.callee_of(view, call)?;
            let function = callee.parts().iter().find_map(|part| match part {
                Ty::Function(def, _) => Some(*def),
                _ => None,
            })?;
            let parameter = rx.parameter_at(function, index as usize)?;
            Some(rx.def_name(parameter).to_owned())
        }
        Expectation::Named { key, .. } => Some(view.ref_name(key).to_owned()),
        Expectation::Init(def) | Expectation::Return(def) => Some(view.def_name(def).to_owned()),
        Expectation::Assigned(target) => match view.expr(target) {
            Expr::Ref(reference) => Some(view.ref_name(reference).to_owned()),
            _ => None,
        },
        Expectation::Type(_) => None,
    }
}

/// Names that were found, with the types and the files that were gone through for them: many types may have those in common.
#[derive(Default)]
struct Names {
    all: BTreeSet<Arc<str>>,
    /// The members of types that are known by their paths only.
    outside: BTreeSet<Arc<str>>,
    types: FxHashSet<GlobalDef>,
    homes: FxHashSet<FileId>,
}

impl Names {
    /// The names that a type declares itself or by its implementations.
    fn add_type(&mut self, rx: &Resolver, def: GlobalDef) {
        let home = rx.file(def.file);
        for part in [def].into_iter().chain(rx.policy(home).merged_elsewhere(rx, def)) {
            let home = rx.file(part.file);
            if self.types.insert(part)
                && let Some(body) = home.def(part.def).body
            {
                declared_in(home, body, &mut self.all);
            }
        }
        for site in rx.world().impl_sites(rx.def_name(def)) {
            let place = rx.file(site.at.file);
            if let Some(body) = place.def(site.at.def).body {
                declared_in(place, body, &mut self.all);
            }
        }
    }

    /// The names that the file of a type, and the files of its package, declare for types that stand elsewhere.
    fn add_home(&mut self, rx: &Resolver, home: FileId) {
        if !self.homes.insert(home) {
            return;
        }
        let home = rx.file(home);
        self.all.extend(home.attached().iter().map(|def| home.def_name(*def).into()));
        let declared = home.def_ids().filter(|d| home.def(*d).receiver.is_some());
        self.all.extend(declared.map(|d| home.def_name(d).into()));
        if let Some(package) = home.package {
            for file in rx.world().files_of_package(home.family(), home.name(package)) {
                let beside = rx.file(file);
                let methods = beside.def_ids().filter(|d| beside.def(*d).receiver.is_some());
                self.all.extend(methods.map(|d| beside.def_name(d).into()));
            }
        }
    }
}

/// Names that a value or a namespace of a type may have, for one type.
pub(crate) fn names_of_members(rx: &Resolver, from: &FileView, ty: &Ty) -> BTreeSet<Arc<str>> {
    let mut names = Names::default();
    members_of(rx, from, ty, &mut names);
    names.all.append(&mut names.outside);
    names.all
}

/// Names that a value or a namespace of a type may have.
fn members_of(rx: &Resolver, from: &FileView, ty: &Ty, names: &mut Names) {
    match ty {
        Ty::Module(file) => {
            let module = rx.file(*file);
            declared_in(module, ScopeId(0), &mut names.all);
            names.all.extend(module.exports.iter().map(|export| module.name(export.name).into()));
        }
        Ty::Package(package) => {
            for file in rx.world().files_of_package(from.family(), package) {
                declared_in(rx.file(file), ScopeId(0), &mut names.all);
            }
        }
        _ => {
            members_of_value(rx, from, ty, names);
            for pointee in lang::judge(from.language()).pointees(rx, ty) {
                members_of_value(rx, from, &pointee, names);
            }
        }
    }
}

fn members_of_value(rx: &Resolver, from: &FileView, ty: &Ty, names: &mut Names) {
    let judge = lang::judge(from.language());
    let kind = judge.declared_kind(rx, ty);
    let lines = [rx.linearization(ty), kind.map_or_else(Types::default, |kind| rx.linearization(&kind))];
    let core = rx.policy(from).core(rx, ty);
    for part in lines.iter().flat_map(|line| line.iter()).chain(core.iter()).chain([ty]) {
        let Some(def) = part.def() else {
            names.outside.extend(judge.outside_members(rx, from, part));
            continue;
        };
        if !names.types.contains(&def) {
            names.add_type(rx, def);
        }
        names.add_home(rx, def.file);
    }
}

/// The modules that lie in the directory of one.
fn beside(rx: &Resolver, module: FileId, names: &mut BTreeSet<Arc<str>>) {
    let directory = rx.world().directory(rx.world().file(module).path.directory());
    for entry in directory.iter().flat_map(|directory| &directory.files) {
        names.insert(rx.world().file(*entry).path.stem().into());
    }
    names.extend(directory.into_iter().flat_map(|directory| directory.directories));
}

fn declared_in(file: &FileView, scope: ScopeId, names: &mut BTreeSet<Arc<str>>) {
    let defs = file.all_in_scope(scope).iter();
    names.extend(defs.map(|def| file.def_name(*def)).filter(|name| !name.is_empty()).map(Arc::from));
}

/// Texts of other files of the same language, with how much each counts: of the same directory, the smaller first, then of
/// those around it.
fn neighbours(ctx: &RefactorContext<'_>, id: FileId) -> Result<Vec<(Arc<str>, f64)>, QueryError> {
    let world = &**ctx.pool.world();
    let entry = world.file(id);
    let home = entry.path.directory();
    let mut open: VecDeque<String> = VecDeque::from([home.to_owned()]);
    let mut above = (!home.is_empty()).then_some(home);
    let (mut visited, mut texts) = (FxHashSet::default(), Vec::new());
    while texts.len() < MOST_NEIGHBOURS && visited.len() < MOST_DIRECTORIES {
        let Some(at) = open.pop_front() else {
            let Some(below) = above else { break };
            let parent = below.rfind('/').map_or("", |end| &below[..end]);
            above = (!parent.is_empty()).then_some(parent);
            open.push_back(parent.to_owned());
            continue;
        };
        if !visited.insert(at.clone()) {
            continue;
        }
        let Some(directory) = world.directory(&at) else { continue };
        let inside = |name: &Arc<str>| if at.is_empty() { name.to_string() } else { format!("{at}/{name}") };
        open.extend(directory.directories.iter().map(inside));
        let alike = |other: &FileId| {
            let other_entry = world.file(*other);
            *other != id
                && other_entry.language == entry.language
                && other_entry.size <= LARGEST_NEIGHBOUR
                && other_entry.source != SourceKind::Library
        };
        let mut files: Vec<FileId> = directory.files.into_iter().filter(alike).collect();
        files.sort_by_key(|file| world.file(*file).size);
        files.truncate(MOST_NEIGHBOURS - texts.len());
        let weight = if at == home { 0.3 } else { 0.15 };
        for file in files {
            ctx.cx.check()?;
            texts.extend((ctx.text)(file).ok().map(|text| (text.text, weight)));
        }
    }
    Ok(texts)
}
