//! The uses of a declaration: candidates by name, each confirmed by resolving it.

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{
    Access, Confidence, Cx, Family, FileFilter, FilePath, Language, QueryError, Reference, ReferenceKind,
    ReferenceSet, Symbol, SymbolKind, TextRange,
};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::calls::all_overridden;
use super::definition::definition_of;
use super::hierarchy::overridden;
use super::in_order::in_order;
use super::symbol::{enclosing_defs, package_of};
use super::{Resolvers, file_meta};
use crate::facts::{
    DefFlags, DefId, Export, Expr, FileFacts, Import, ImportKind, NameId, RefFlags, RefId, Role,
};
use crate::lang::{self, names};
use crate::resolve::{FileView, Policy, Resolution, Resolver, Target};
use crate::world::{FileId, GlobalDef, World};

/// So many files a thread takes at once, first and last: neighbours mention the same things, but those behind the last use
/// that is wanted are looked at in vain.
const FEWEST: usize = 4;
const MOST: usize = 64;

/// The symbol as a search looks for it: the targets that count as the symbol, and the names that may stand
/// for it.
pub(crate) struct Sought {
    pub(crate) targets: FxHashSet<Target>,
    pub(crate) names: BTreeSet<Arc<str>>,
    /// The same names in other case, where that makes no difference.
    spellings: BTreeSet<Arc<str>>,
    /// Targets whose uses are possible uses of the symbol.
    pub(crate) indirect: FxHashSet<Target>,
    /// The only files in which it can be used, in order.
    only_in: Option<Vec<FileId>>,
    /// The only languages that can name it; `None` for any.
    family: Option<Family>,
    /// The only files that can name it or what gives it another name, in order; `None` for any.
    seen_in: Option<Vec<FileId>>,
    /// It is named by imports, by itself, and in documentation, and nowhere else.
    is_bound: bool,
}

impl Sought {
    /// The names that may stand for the symbol, in whatever case.
    pub(crate) fn all_names(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.union(&self.spellings)
    }

    /// The references of a file, in order, that stand somewhere and have one of the names, of all or some of them.
    pub(crate) fn occurrences<'n>(
        &self,
        policy: &dyn Policy,
        file: &FileView,
        names: impl Iterator<Item = &'n str>,
    ) -> Vec<RefId> {
        let mut found = Vec::new();
        for (name, id) in names.filter_map(|name| Some((name, file.name_id(name)?))) {
            let is_exact = self.names.contains(name);
            found.extend(file.refs_named(id).iter().copied().filter(|r| {
                let r = file.reference(*r);
                !r.range.is_empty() && (is_exact || policy.is_written_in_any_case(r))
            }));
        }
        found.sort_unstable();
        found
    }

    /// Whether a file can name it, by where it is and its language.
    fn may_be_in(&self, world: &dyn World, file: FileId) -> bool {
        let language = world.file(file).language;
        self.family.is_none_or(|family| language.is_some_and(|language| language.family() == family))
            && self.seen_in.as_ref().is_none_or(|files| files.binary_search(&file).is_ok())
    }

    fn declarations(&self) -> impl Iterator<Item = GlobalDef> + '_ {
        self.targets.iter().filter_map(|target| match target {
            Target::Def(def) => Some(*def),
            _ => None,
        })
    }

    /// Other files name parameters where they pass arguments, and nowhere else.
    fn is_parameter(&self, rx: &Resolver) -> bool {
        let is_parameter = |def: GlobalDef| {
            let file = rx.file(def.file);
            file.def(def.def).kind == SymbolKind::Parameter && file.has_flag(def.def, DefFlags::LOCAL)
        };
        self.indirect.is_empty()
            && self.declarations().count() == self.targets.len()
            && self.declarations().all(is_parameter)
    }
}

/// One confirmed or possible use.
pub(crate) struct Use {
    pub(crate) file: FileId,
    pub(crate) reference: RefId,
    pub(crate) confidence: Confidence,
    /// A feature that is off leaves it out, though not what is used.
    is_left_out: bool,
}

/// The uses of a symbol in files that pass the filter; see [`ide_model::Snapshot::references`].
pub fn references(
    pool: &Resolvers,
    cx: Cx<'_>,
    symbol: &Symbol,
    filter: FileFilter<'_>,
    enough: usize,
) -> Result<ReferenceSet, QueryError> {
    let sought = pool.with(|rx| match (definition_of(rx, symbol)?, package_of(&symbol.key)) {
        ((_, Some(def)), _) => sought_of(rx, cx, &[def]),
        ((_, None), Some((_, package))) => sought_package(rx, cx, symbol.language, package),
        ((file, None), None) => sought_module(rx, cx, file),
    })?;
    let kind = use_kind(symbol.kind);
    let reference = |file: &FileView, found: Use| {
        let r = file.reference(found.reference);
        let around = enclosing_defs(file, r.range.start);
        Reference {
            file: FilePath(file.path.clone()),
            range: r.range,
            kind: kind_of(r.role, kind),
            access: access_of(r.role, r.flags),
            // A compiler that takes the code as it comes does not find it.
            confidence: if found.is_left_out {
                found.confidence.max(Confidence::Conditional)
            } else {
                found.confidence
            },
            enclosing: around.into_iter().map(|def| file.def_name(def).into()).collect(),
        }
    };
    let found = each_use(pool, cx, &sought, filter, enough, reference)?;
    let unseen = pool.with(|rx| {
        let policy = |def: GlobalDef| rx.policy_of(def).has_unseen_uses(rx, def);
        sought
            .declarations()
            .find_map(policy)
            .or_else(|| sought.declarations().find_map(|def| implicit_use(rx, def)))
    });
    Ok(ReferenceSet {
        references: found.uses,
        unresolved_same_name: found.unresolved,
        is_partial: found.is_partial,
        unseen,
    })
}

/// Why a function runs where nothing writes its name; completes "`x` …".
pub(crate) const CALLED_WITHOUT_NAME: &str =
    "is also called by operators, statements or the library, where its name is not written";

fn implicit_use(rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
    is_operator(rx, def).then_some(CALLED_WITHOUT_NAME)
}

/// Whether operators, statements or the library call a function without its name.
pub(crate) fn is_operator(rx: &Resolver, def: GlobalDef) -> bool {
    let d = rx.def(def);
    let (language, name) = (rx.language_of(def), rx.shared_name(def));
    let is_method =
        d.kind != SymbolKind::Constructor && d.kind.is_callable() && rx.member_owner(def).is_some();
    let is_of_trait = || !overridden(rx, def).is_empty() || rx.policy_of(def).may_override_unseen(rx, def);
    // An overriding function need not say that it is an operator.
    let overrides_operator =
        || all_overridden(rx, def).into_iter().any(|base| rx.def(base).flags.has(DefFlags::OPERATOR));
    d.flags.has(DefFlags::OPERATOR)
        || is_method
            && names::is_called_by_name(language, &name, d.kind)
            && !rx.policy_of(def).runs_when_made(rx, def)
        || is_method && names::is_trait_operator(language, &name) && is_of_trait()
        || is_method && d.flags.has(DefFlags::OVERRIDE) && overrides_operator()
}

/// The reason why not all callers of a function can be listed; completes "`x` …". `None` where they can.
///
/// # Errors
/// The errors of [`references`].
pub fn unlisted_callers(pool: &Resolvers, symbol: &Symbol) -> Result<Option<&'static str>, QueryError> {
    pool.with(|rx| Ok(definition_of(rx, symbol)?.1.and_then(|def| implicit_use(rx, def))))
}

/// Declarations of one symbol beyond which they are not compared one by one.
pub(crate) const CROWD: usize = 64;

/// The search for the uses of some declarations.
pub(crate) fn sought_of(rx: &Resolver, cx: Cx<'_>, defs: &[GlobalDef]) -> Result<Sought, QueryError> {
    let mut targets = FxHashSet::default();
    let mut names = BTreeSet::new();
    let mut spellings = BTreeSet::new();
    let mut indirect = FxHashSet::default();
    let mut only_in = Some(Vec::new());
    // Of very many declarations of one symbol each has all of them.
    let mut crowd: FxHashSet<GlobalDef> = FxHashSet::default();
    for def in defs {
        let policy = rx.policy_of(*def);
        if policy.declares_variable(rx, *def) {
            // Its uses mean what is imported.
            targets.extend(rx.through_imports(Resolution::def(*def)).targets);
        }
        let all = if crowd.contains(def) { Vec::new() } else { policy.same_symbol(rx, *def) };
        if all.len() > CROWD {
            crowd.extend(&all);
        }
        for same in all {
            targets.insert(Target::Def(same));
            names.insert(rx.shared_name(same));
            only_in = only_in.zip(policy.only_in(rx, same)).map(|(mut all, files)| {
                all.extend(files);
                all
            });
        }
        targets.extend(policy.used_through(rx, *def).into_iter().map(Target::Def));
        indirect.extend(policy.used_indirectly(rx, *def).into_iter().map(Target::Def));
        names.extend(policy.other_names(rx, *def));
        if policy.ignores_case(rx, *def) {
            spellings.extend(rx.world().spellings(&rx.shared_name(*def)));
        }
    }
    if let Some(files) = &mut only_in {
        files.sort_unstable();
        files.dedup();
    }
    let mut families = defs.iter().map(|def| rx.language_of(*def).family());
    let family = families.next().filter(|one| *one != Family::None && families.all(|other| other == *one));
    let homes = targets.iter().chain(&indirect).map(|target| match target {
        Target::Def(def) => Some(def.file),
        Target::Module(file) => Some(*file),
        _ => None,
    });
    let homes: Option<Vec<FileId>> = homes.collect();
    let policy = defs.first().filter(|_| family.is_some()).map(|def| rx.policy_of(*def));
    let seen_in = policy.zip(homes).and_then(|(policy, homes)| policy.files_seeing(rx, &homes));
    let mut sought =
        Sought { targets, names, spellings, indirect, only_in, family, seen_in, is_bound: false };
    let may_be_renamed = |def: &GlobalDef| rx.policy_of(*def).may_be_renamed(rx, *def);
    if sought.only_in.is_none() && defs.iter().any(may_be_renamed) {
        add_aliases(rx, cx, &mut sought)?;
    }
    Ok(sought)
}

fn sought_module(rx: &Resolver, cx: Cx<'_>, file: FileId) -> Result<Sought, QueryError> {
    let view = rx.file(file);
    let policy = rx.policy(view);
    let names = policy.names_of_module(rx, file).into_iter().collect();
    let seen_in = policy.files_seeing(rx, &[file]);
    let targets = FxHashSet::from_iter([Target::Module(file)]);
    let (spellings, indirect) = (BTreeSet::new(), FxHashSet::default());
    let (only_in, family) = (None, None);
    let mut sought =
        Sought { targets, names, spellings, indirect, only_in, family, seen_in, is_bound: false };
    add_aliases(rx, cx, &mut sought)?;
    Ok(sought)
}

fn sought_package(
    rx: &Resolver,
    cx: Cx<'_>,
    language: Language,
    package: &str,
) -> Result<Sought, QueryError> {
    let policy = lang::policy(language);
    let names = policy.names_of_package(rx, package).into_iter().collect();
    let targets = FxHashSet::from_iter([Target::Package(package.into())]);
    let only_in = policy.package_only_in(rx, package);
    let (spellings, indirect) = (BTreeSet::new(), FxHashSet::default());
    let is_bound = policy.packages_are_bound();
    let (family, seen_in) = (None, None);
    let mut sought = Sought { targets, names, spellings, indirect, only_in, family, seen_in, is_bound };
    if sought.only_in.is_none() && !is_bound {
        add_aliases(rx, cx, &mut sought)?;
    }
    Ok(sought)
}

/// Adds the names that imports and exports give to what is sought, until there are no further ones.
fn add_aliases(rx: &Resolver, cx: Cx<'_>, sought: &mut Sought) -> Result<(), QueryError> {
    let mut todo: Vec<Arc<str>> = sought.names.iter().cloned().collect();
    while let Some(name) = todo.pop() {
        let files = rx.world().files_renaming(&name).into_iter();
        for file in files.filter(|file| sought.may_be_in(rx.world(), *file)).collect::<Vec<_>>() {
            cx.check()?;
            let file = rx.file(file);
            let Some(id) = file.names.find(&name) else { continue };
            for alias in aliases(rx, file, id, sought) {
                if sought.names.insert(alias.clone()) {
                    todo.push(alias);
                }
            }
        }
    }
    Ok(())
}

/// The other names that an import gives to what it takes by a name.
fn other_names(facts: &FileFacts, import: &Import, name: NameId) -> SmallVec<[NameId; 2]> {
    let at = import.member.or_else(|| facts.list(import.path).last());
    let is_candidate =
        import.kind == ImportKind::Default || at.is_some_and(|at| facts.reference(at).name == name);
    let bound = import.def.map(|def| facts.def(def).name);
    let others = [bound, import.exported_as].into_iter().flatten();
    others.filter(|other| is_candidate && *other != name).collect()
}

/// The reference that an export gives another name to, where it has the name.
fn exported_otherwise(facts: &FileFacts, export: &Export, name: NameId) -> Option<RefId> {
    let Expr::Ref(reference) = facts.expr(export.value) else { return None };
    let is_renamed = export.name != name && !facts.name(export.name).is_empty();
    (is_renamed && facts.reference(reference).name == name).then_some(reference)
}

/// The names that a file gives to what is sought besides one.
fn aliases(rx: &Resolver, file: &FileView, name: NameId, sought: &Sought) -> Vec<Arc<str>> {
    let mut found: Vec<NameId> = Vec::new();
    let means_it = |r: Resolution| r.targets.iter().any(|t| sought.targets.contains(t));
    let by_ref = |at: RefId| means_it(rx.resolve(file.global_ref(at)).resolution);
    for import in &file.imports {
        let others = other_names(file, import, name);
        if others.is_empty() {
            continue;
        }
        let by_def = |def: DefId| means_it(rx.through_imports(Resolution::def(file.global(def))));
        let (first, last) = (file.list(import.path).next(), file.list(import.path).last());
        // `import a.b` binds `a`, which is something else.
        let binds_part = import.member.is_none()
            && first != last
            && import
                .def
                .zip(first)
                .is_some_and(|(def, first)| file.def(def).name_range == file.reference(first).range);
        let at = import.member.or(last).filter(|_| !binds_part);
        if import.def.is_some_and(by_def) || at.is_some_and(by_ref) {
            found.extend(others);
        }
    }
    let exports = file.exports.iter();
    let renamed = exports.filter(|e| exported_otherwise(file, e, name).is_some_and(by_ref));
    found.extend(renamed.map(|export| export.name));
    found.into_iter().map(|name| file.name(name).into()).collect()
}

/// Resolves every occurrence of the sought names. Returns the uses in order, and how many occurrences say nothing.
pub(crate) fn uses(
    pool: &Resolvers,
    cx: Cx<'_>,
    sought: &Sought,
    filter: FileFilter<'_>,
) -> Result<(Vec<Use>, usize), QueryError> {
    let found = each_use(pool, cx, sought, filter, usize::MAX, |_, found| found)?;
    Ok((found.uses, found.unresolved))
}

/// The results of a search so far, in the order of paths.
struct SearchResults<T> {
    uses: Vec<T>,
    /// Occurrences that say nothing.
    unresolved: usize,
    is_partial: bool,
}

/// [`uses`], each made into something while its file is at hand, until there are `enough`.
fn each_use<T: Send>(
    pool: &Resolvers,
    cx: Cx<'_>,
    sought: &Sought,
    filter: FileFilter<'_>,
    enough: usize,
    make: impl Fn(&FileView, Use) -> T + Sync,
) -> Result<SearchResults<T>, QueryError> {
    let files = files_of(&**pool.world(), sought, filter);
    let look = |files: &[Mentions<'_>]| {
        pool.with(|rx| {
            let mut out = (Vec::new(), 0);
            let is_parameter = sought.is_parameter(rx);
            for (id, names) in files {
                cx.check()?;
                let only_keys = is_parameter && !sought.declarations().any(|def| def.file == *id);
                if only_keys && !has_keys(&rx.facts(*id), names) {
                    continue;
                }
                let file = rx.file(*id);
                let (uses, unresolved) = uses_in_file(rx, cx, file, sought, (names, only_keys))?;
                out.0.extend(uses.into_iter().map(|found| make(file, found)));
                out.1 += unresolved;
            }
            Ok(out)
        })
    };
    let chunks = chunks(&files);
    let weigh =
        |part: &Result<(Vec<T>, usize), QueryError>| part.as_ref().map_or(enough, |(uses, _)| uses.len());
    let parts = in_order(&chunks, enough, |chunk| look(chunk), weigh);
    let is_partial = parts.len() < chunks.len();
    let mut found = SearchResults { uses: Vec::new(), unresolved: 0, is_partial };
    for part in parts {
        let (uses, unresolved) = part?;
        found.uses.extend(uses);
        found.unresolved += unresolved;
    }
    Ok(found)
}

/// Files in parts that grow from [`FEWEST`] to [`MOST`].
fn chunks<T>(mut files: &[T]) -> Vec<&[T]> {
    let mut chunks = Vec::new();
    while !files.is_empty() {
        let size = (FEWEST + chunks.len()).min(MOST).min(files.len());
        let (chunk, rest) = files.split_at(size);
        chunks.push(chunk);
        files = rest;
    }
    chunks
}

/// A file and those of the sought names that it mentions.
type Mentions<'s> = (FileId, Vec<&'s str>);

/// The files to look at, by path.
fn files_of<'s>(world: &dyn World, sought: &'s Sought, filter: FileFilter<'_>) -> Vec<Mentions<'s>> {
    let files_of = |name: &str| match &sought.only_in {
        Some(only) if only.len() == 1 => only.clone(),
        Some(only) => {
            let mut files = world.files_mentioning(name);
            files.retain(|file| only.binary_search(file).is_ok());
            files
        }
        None => world.files_mentioning(name),
    };
    let names = sought.all_names().map(|name| &**name);
    let mut all: Vec<(FileId, &str)> =
        names.flat_map(|name| files_of(name).into_iter().map(move |file| (file, name))).collect();
    all.sort_unstable();
    let of_file = all.chunk_by(|(a, _), (b, _)| a == b);
    let is_meant =
        |of: &&[(FileId, &str)]| sought.may_be_in(world, of[0].0) && filter(&file_meta(world.file(of[0].0)));
    of_file.filter(is_meant).map(|of| (of[0].0, of.iter().map(|(_, name)| *name).collect())).collect()
}

/// Whether arguments or keys are called by one of some names.
fn has_keys(facts: &FileFacts, names: &[&str]) -> bool {
    let named = names.iter().filter_map(|name| facts.names.find(name));
    named.flat_map(|name| facts.refs_named(name)).any(|r| facts.reference(*r).role == Role::Key)
}

fn uses_in_file(
    rx: &Resolver,
    cx: Cx<'_>,
    file: &FileView,
    sought: &Sought,
    (names, only_keys): (&[&str], bool),
) -> Result<(Vec<Use>, usize), QueryError> {
    cx.check()?;
    let id = file.id;
    let (mut found, mut unresolved) = (Vec::new(), 0);
    let is_in = |parts: &[TextRange], at: u32| {
        let next = parts.partition_point(|part| part.start <= at);
        next > 0 && parts[next - 1].contains(at)
    };
    let left_out = LazyCell::new(|| {
        let is_left_out = |def: GlobalDef| {
            let home = rx.file(def.file);
            is_in(&rx.policy(home).left_out(rx, home), home.def(def.def).name_range.start)
        };
        if sought.declarations().any(is_left_out) {
            Arc::default()
        } else {
            rx.policy(file).left_out(rx, file)
        }
    });
    let own = sought.declarations().filter(|def| def.file == id);
    let declared: FxHashSet<TextRange> = own.map(|def| file.def(def.def).name_range).collect();
    for reference in sought.occurrences(rx.policy(file), file, names.iter().copied()) {
        let r = file.reference(reference);
        if only_keys && r.role != Role::Key {
            continue;
        }
        let is_named = matches!(r.role, Role::Import | Role::Package) || r.flags.has(RefFlags::IN_DOC);
        if sought.is_bound && !is_named {
            continue;
        }
        // One file may hold a hundred thousand of them.
        cx.check()?;
        let resolved = rx.resolve(file.global_ref(reference));
        let resolution = &resolved.resolution;
        if resolution.targets.iter().any(|t| sought.targets.contains(t)) {
            // A name that is assigned to, or stands for a use by a rule, may be the declaration itself.
            let range = file.reference(reference).range;
            if declared.contains(&range) {
                continue;
            }
            let is_left_out = is_in(&left_out, range.start);
            found.push(Use { file: id, reference, confidence: resolution.confidence, is_left_out });
        } else if resolution.targets.iter().any(|t| sought.indirect.contains(t)) {
            let confidence = resolution.confidence.max(Confidence::Ambiguous);
            found.push(Use { file: id, reference, confidence, is_left_out: false });
        } else if resolution.is_unknown() {
            unresolved += 1;
        }
    }
    found.sort_by_key(|u: &Use| (file.reference(u.reference).range, u.confidence));
    found.dedup_by_key(|u| file.reference(u.reference).range);
    Ok((found, unresolved))
}

/// How uses of a symbol of this kind are called when their own role says nothing.
fn use_kind(kind: SymbolKind) -> ReferenceKind {
    match kind {
        SymbolKind::Field | SymbolKind::Property | SymbolKind::Constant | SymbolKind::EnumCase => {
            ReferenceKind::FieldAccess
        }
        SymbolKind::Parameter => ReferenceKind::Parameter,
        SymbolKind::Variable => ReferenceKind::Variable,
        _ => ReferenceKind::Reference,
    }
}

fn kind_of(role: Role, otherwise: ReferenceKind) -> ReferenceKind {
    match role {
        Role::Call | Role::New | Role::Macro => ReferenceKind::MethodCall,
        Role::Import | Role::Package => ReferenceKind::Import,
        Role::Read | Role::Write | Role::ReadWrite | Role::Key | Role::Label => otherwise,
        Role::Type | Role::Extends | Role::Implements | Role::Annotation => ReferenceKind::Reference,
    }
}

fn access_of(role: Role, flags: RefFlags) -> Access {
    if flags.has(RefFlags::IN_DOC) {
        return Access::Doc;
    }
    match role {
        Role::Read | Role::Label => Access::Read,
        Role::Write => Access::Write,
        Role::ReadWrite => Access::ReadWrite,
        Role::Call | Role::Macro => Access::Call,
        Role::Type => Access::TypeUse,
        Role::Extends | Role::Implements => Access::Inheritance,
        Role::New => Access::Instantiation,
        Role::Annotation => Access::Annotation,
        Role::Import | Role::Package => Access::Import,
        Role::Key => Access::Key,
    }
}
