//! Types that are told by their members: what goes from one to another must have members of the same names in both.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{QueryError, SourceKind, SymbolKind, TextContext, TextRange};

use rustc_hash::{FxHashMap, FxHashSet};

use super::RefactorContext;
use super::callable_texts::callable_texts;
use super::family::Family;
use super::keys::Keys;
use super::rename::each_file;
use super::scene::Scene;
use super::unpacked::unpacked_keys;
use crate::classify::contexts_at;
use crate::facts::{DefFlags, DefId, Expr, ExprId, List, ScopeKind};
use crate::lang::names;
use crate::query::hierarchy::descendants;
use crate::resolve::{FileView, Member, Resolver, Target, Ty};
use crate::world::{DeclarationSite, FileId, GlobalDef};

/// How deep types are compared: the items of lists, what functions take and give.
const MAX_DEPTH: u32 = 4;

/// Places of texts.
type Texts = Vec<(FileId, TextRange)>;

/// The knowledge about the members of one name, from the files that were looked at.
#[derive(Default)]
pub(super) struct Shapes {
    /// Files of the project that name the types of the family, or what is declared with them.
    files: BTreeSet<FileId>,
    /// Members that stand for each other: a value goes from a type that has the first to where a type with the second is
    /// expected.
    pairs: FxHashSet<(GlobalDef, GlobalDef)>,
    /// Of types that were looked at: whether they have a member of the name, or members that hold what has one.
    concerned: Mutex<FxHashMap<GlobalDef, bool>>,
}

impl Shapes {
    /// Members outside of the family that must have its name as well.
    pub(super) fn alike(
        &mut self,
        ctx: &RefactorContext<'_>,
        family: &Family,
        name: &str,
    ) -> Result<Vec<GlobalDef>, QueryError> {
        self.look(ctx, family, name)?;
        let mut paired: FxHashMap<GlobalDef, Vec<GlobalDef>> = FxHashMap::default();
        let ends = self.pairs.iter().flat_map(|(a, b)| [(*a, *b), (*b, *a)]);
        ends.for_each(|(of, to)| paired.entry(of).or_default().push(to));
        let mut all: FxHashSet<GlobalDef> = family.defs.iter().copied().collect();
        let mut more = Vec::new();
        let mut todo: Vec<GlobalDef> = family.defs.clone();
        while let Some(of) = todo.pop() {
            for to in paired.get(&of).into_iter().flatten() {
                if !family.libraries.contains(to) && all.insert(*to) {
                    more.push(*to);
                    todo.push(*to);
                }
            }
        }
        Ok(more)
    }

    /// Members that a value must have one of the family for, to go where their types are expected.
    pub(super) fn asking(
        &mut self,
        ctx: &RefactorContext<'_>,
        family: &Family,
        name: &str,
    ) -> Result<BTreeSet<GlobalDef>, QueryError> {
        self.look(ctx, family, name)?;
        let is_ours = |def: &GlobalDef| family.defs.binary_search(def).is_ok();
        let from_ours = self.pairs.iter().filter(|(given, asked)| is_ours(given) && !is_ours(asked));
        Ok(from_ours.map(|(_, asked)| *asked).collect())
    }

    fn look(&mut self, ctx: &RefactorContext<'_>, family: &Family, name: &str) -> Result<(), QueryError> {
        let new: Vec<FileId> = near(ctx, family)?.difference(&self.files).copied().collect();
        let found = each_file(ctx, &new, |rx, file| Ok(pairs_in(rx, &self.concerned, name, file)))?;
        self.pairs.extend(found.into_iter().flatten());
        self.files.extend(new);
        Ok(())
    }

    /// Texts that consist of the name of the family and may stand for it.
    pub(super) fn texts(
        &self,
        ctx: &RefactorContext<'_>,
        family: &Family,
        name: &str,
    ) -> Result<Vec<(FileId, TextRange)>, QueryError> {
        let near = match self.files.is_empty() {
            true => near(ctx, family)?,
            false => self.files.clone(),
        };
        let near: Vec<FileId> = near.into_iter().collect();
        let mut found = each_file(ctx, &near, |rx, file| texts_in(ctx, rx, family, name, file))?.concat();
        found.extend(callable_texts(ctx, family, name)?);
        found.extend(unpacked_keys(ctx, family, name)?);
        // A text is found in more than one way.
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }
}

/// Files of the project that name the types that have the members of a family, or what is declared with them.
pub(super) fn near(ctx: &RefactorContext<'_>, family: &Family) -> Result<BTreeSet<FileId>, QueryError> {
    ctx.pool.with(|rx| {
        let homes: BTreeSet<GlobalDef> = family.defs.iter().filter_map(|def| home(rx, *def)).collect();
        let mut all = homes.clone();
        for home in homes.iter().filter(|home| rx.def(**home).kind.is_type()) {
            all.extend(descendants(rx, ctx.cx, *home)?.into_iter().map(|(heir, _)| heir));
        }
        let mut types: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut others: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut near: BTreeSet<FileId> = BTreeSet::new();
        let mut ranges: BTreeMap<FileId, Vec<TextRange>> = BTreeMap::new();
        for def in &all {
            near.insert(def.file);
            types.insert(rx.shared_name(*def));
            ranges.entry(def.file).or_default().push(rx.def(*def).range);
        }
        let has_shapes =
            |def: &GlobalDef| rx.policy_of(*def).has_shapes() || rx.kind(*def) == SymbolKind::EnumCase;
        let follows_uses = family.defs.iter().any(has_shapes);
        let is_ours = |file: &FileId| rx.world().file(*file).source != SourceKind::Library;
        if !follows_uses {
            near.extend(types.iter().flat_map(|name| rx.world().files_mentioning(name)));
            near.retain(is_ours);
            return Ok(near);
        }
        for (file, places) in ranges {
            others.extend(declared_around(rx.file(file), places));
        }
        let using = |names: &BTreeSet<Arc<str>>| -> BTreeSet<FileId> {
            names.iter().flat_map(|name| rx.world().files_mentioning(name)).filter(is_ours).collect()
        };
        for id in using(&types) {
            ctx.cx.check()?;
            let file = rx.file(id);
            let is_named = |r: &_| types.contains(file.ref_name(*r));
            let uses = file.ref_ids().filter(is_named).map(|r| file.reference(r).range).collect();
            others.extend(declared_around(file, uses));
            near.insert(id);
        }
        near.extend(using(&others));
        near.retain(is_ours);
        Ok(near)
    })
}

/// The type of a member, the function of a parameter that the members of a type may be handed to.
pub(super) fn home(rx: &Resolver, def: GlobalDef) -> Option<GlobalDef> {
    let (d, policy) = (rx.def(def), rx.policy_of(def));
    let is_asked_for = names::reflections(rx.language_of(def)).is_some() && d.kind != SymbolKind::Parameter;
    if !policy.has_shapes() && d.kind != SymbolKind::EnumCase && !is_asked_for {
        return None;
    }
    if d.kind != SymbolKind::Parameter {
        return rx.member_owner(def);
    }
    let is_of_shape = |site: DeclarationSite| {
        let owner = rx.member_owner(site.at);
        owner.is_some_and(|owner| rx.policy_of(owner).is_shape(rx, owner))
    };
    let file = rx.file(def.file);
    let is_handed = policy.keywords_name_parameters()
        && rx.world().declarations(file.name(d.name)).into_iter().any(is_of_shape);
    file.enclosing_function(d.scope).filter(|_| is_handed).map(|function| file.global(function))
}

/// The names of what a file declares for others around places.
fn declared_around(file: &FileView, mut places: Vec<TextRange>) -> impl Iterator<Item = Arc<str>> {
    // The outer one first, so that the first that does not reach beyond a declaration is within it if any is.
    let order = |place: &TextRange| (place.start, Reverse(place.end));
    places.sort_unstable_by_key(order);
    let is_around = move |def: &DefId| {
        let d = file.def(*def);
        !d.flags.has(DefFlags::LOCAL)
            && !d.flags.has(DefFlags::ANONYMOUS)
            && d.kind != SymbolKind::Import
            && places
                .get(places.partition_point(|place| order(place) < order(&d.range)))
                .is_some_and(|place| d.range.encloses(*place))
    };
    file.def_ids().filter(is_around).map(|def| file.def_name(def).into())
}

/// See [`Shapes::pairs`].
fn pairs_in(
    rx: &Resolver,
    concerned: &Mutex<FxHashMap<GlobalDef, bool>>,
    name: &str,
    id: FileId,
) -> Vec<(GlobalDef, GlobalDef)> {
    let file = rx.file(id);
    let (met, found) = (FxHashSet::default(), Vec::new());
    let mut flows = Flows { rx, file, concerned, name, met, found };
    flows.declarations();
    for assign in &file.assigns {
        flows.goes(assign.value, || rx.expr_type(file, assign.target));
    }
    for (i, expr) in file.exprs.iter().enumerate() {
        match *expr {
            Expr::Call { args, .. } | Expr::New { args, .. } => flows.call(ExprId(i as u32), args),
            Expr::Cast { ty, value } => flows.goes(value, || rx.type_of(file, ty)),
            _ => {}
        }
    }
    flows.found
}

struct Flows<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    concerned: &'a Mutex<FxHashMap<GlobalDef, bool>>,
    name: &'a str,
    /// Types whose members were compared.
    met: FxHashSet<(GlobalDef, GlobalDef)>,
    found: Vec<(GlobalDef, GlobalDef)>,
}

impl Flows<'_> {
    /// First values, what functions return, the values of object literals.
    fn declarations(&mut self) {
        let (rx, file) = (self.rx, self.file);
        for def in file.def_ids() {
            let d = file.def(def);
            if let Some(ty) = d.ty {
                for value in file.list(d.returns).collect::<Vec<_>>() {
                    self.goes(value, || {
                        let result = rx.type_of(file, ty);
                        let awaited = rx.policy(file).awaited(rx, &result);
                        Ty::union([result, awaited])
                    });
                }
            }
            self.inherited(def);
            let Some(value) = d.init else { continue };
            match d.ty {
                Some(ty) => self.goes(value, || rx.type_of(file, ty)),
                None if super::literal_keys::is_literal_key(file, def) => self.goes(value, || {
                    let declared = rx.policy(file).declared_as(rx, file.global(def));
                    Ty::union(declared.defs().filter(|d| *d != file.global(def)).map(|d| rx.def_type(d)))
                }),
                None => {}
            }
        }
    }

    /// The value of a member goes for that of the member that it takes the place of: `state = { shown: true }` where a
    /// class above declares `state: S`.
    fn inherited(&mut self, member: DefId) {
        let (rx, file) = (self.rx, self.file);
        let scope = file.scope(file.def(member).scope);
        let owner = scope.owner.filter(|_| scope.kind == ScopeKind::Class);
        let Some(owner) = owner.filter(|owner| file.def(*owner).supers.len > 0) else { return };
        let own = rx.def_type(file.global(member));
        if !self.concerns(&own, 0) {
            return;
        }
        for above in rx.supers(file.global(owner)).iter() {
            for found in rx.policy(file).members(rx, file, above, file.def_name(member)) {
                let Some(base) = found.def() else { continue };
                let asked = rx.def_type(base).substitute(&rx.arguments_of(&found.owner));
                self.pair(&own, &asked, 0);
            }
        }
    }

    fn call(&mut self, call: ExprId, args: List<ExprId>) {
        let (rx, file) = (self.rx, self.file);
        for (index, argument) in file.list(args).collect::<Vec<_>>().into_iter().enumerate() {
            match file.expr(argument) {
                Expr::Named { key, value } => {
                    self.goes(value, || rx.value_of(&rx.resolve(file.global_ref(key))));
                }
                Expr::Spread(value) => {
                    let given = rx.expr_type(file, value);
                    if given.parts().iter().any(|part| self.is_shape(part)) {
                        let taken: Vec<GlobalDef> =
                            rx.policy(file).named_argument(rx, file, call, self.name).defs().collect();
                        given.parts().iter().for_each(|part| self.meet(&self.members(part), &taken));
                    }
                }
                _ => self.goes(argument, || {
                    // A type parameter that the argument binds tells nothing about the expected type.
                    let declared = rx.callee_of(file, call).and_then(|callee| {
                        let parameter = rx.parameter_at(callee.def()?, index)?;
                        Some(rx.def_type(parameter)).filter(|ty| matches!(ty, Ty::Param(_)))
                    });
                    let asked = rx.policy(file).argument_type(rx, file, call, index as u32, argument);
                    Ty::union(declared.into_iter().chain([asked]))
                }),
            }
        }
    }

    /// A value stands where a type is expected.
    fn goes(&mut self, value: ExprId, expected: impl FnOnce() -> Ty) {
        let value = self.rx.expr_type(self.file, value);
        if self.concerns(&value, 0) {
            self.pair(&value, &expected(), 0);
        }
    }

    /// Whether a member of the name is somewhere in a type, or may be in the types of its members.
    fn concerns(&self, ty: &Ty, depth: u32) -> bool {
        let inner = |ty: &Ty| depth < MAX_DEPTH && self.concerns(ty, depth + 1);
        match ty {
            Ty::Unknown | Ty::Nothing => false,
            Ty::Union(parts) | Ty::Tuple(parts) => parts.iter().any(inner),
            Ty::Array(item) => inner(item),
            Ty::Function(..) | Ty::Callable { .. } => {
                let signature = self.rx.signature(self.file, ty);
                signature.is_some_and(|(params, result)| params.iter().any(inner) || inner(&result))
            }
            Ty::Instance(class, _) => ty.args().iter().any(inner) || self.is_concerned(*class),
            _ => ty.args().iter().any(inner) || !self.members(ty).is_empty(),
        }
    }

    fn is_concerned(&self, class: GlobalDef) -> bool {
        let known = || self.concerned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known().get(&class) {
            return *known;
        }
        let has = |ty: &Ty| !self.members(ty).is_empty();
        let is_concerned = has(&Ty::instance(class)) || self.holds(class, &has);
        known().insert(class, is_concerned);
        is_concerned
    }

    /// Whether a type of the project says of a member that it holds something.
    fn holds(&self, class: GlobalDef, something: &dyn Fn(&Ty) -> bool) -> bool {
        let rx = self.rx;
        rx.linearization(&Ty::instance(class)).iter().filter_map(Ty::def).any(|class| {
            let home = rx.file(class.file);
            let is_ours = rx.world().file(class.file).source != SourceKind::Library;
            let body = home.def(class.def).body.filter(|_| is_ours);
            let held =
                body.into_iter().flat_map(|body| home.all_in_scope(body)).filter_map(|def| home.def(*def).ty);
            held.map(|ty| rx.type_of(home, ty))
                .any(|ty| ty.parts().iter().any(|part| something(part) || part.args().iter().any(something)))
        })
    }

    fn pair(&mut self, value: &Ty, expected: &Ty, depth: u32) {
        if depth > MAX_DEPTH {
            return;
        }
        let rx = self.rx;
        for part in value.parts() {
            let descends = |ty: &&Ty| ty.def().is_some_and(|class| rx.descends(part, class));
            let known: Vec<&Ty> = expected.parts().iter().filter(descends).collect();
            let all = if known.is_empty() { expected.parts().iter().collect() } else { known };
            all.into_iter().for_each(|expected| self.pair_parts(part, expected, depth + 1));
        }
    }

    fn pair_parts(&mut self, value: &Ty, expected: &Ty, depth: u32) {
        let rx = self.rx;
        match (value, expected) {
            (Ty::Unknown | Ty::Nothing, _) | (_, Ty::Unknown | Ty::Nothing) => {}
            (Ty::Array(from), Ty::Array(to)) => self.pair(from, to, depth),
            (Ty::Tuple(from), Ty::Array(to)) => from.iter().for_each(|from| self.pair(from, to, depth)),
            (Ty::Tuple(from), Ty::Tuple(to)) => {
                from.iter().zip(to.iter()).for_each(|(from, to)| self.pair(from, to, depth));
            }
            (Ty::Function(..) | Ty::Callable { .. }, _) => {
                let signatures = rx.signature(self.file, value).zip(rx.signature(self.file, expected));
                let Some(((takes, gives), (given, wanted))) = signatures else { return };
                given.iter().zip(&takes).for_each(|(from, to)| self.pair(from, to, depth));
                self.pair(&gives, &wanted, depth);
            }
            _ => {
                let line = rx.linearization(value);
                let same = |ty: &&Ty| expected.def().is_some() && ty.def() == expected.def();
                match line.iter().find(same) {
                    Some(same) => {
                        let both = same.args().iter().zip(expected.args());
                        both.for_each(|(from, to)| self.pair(from, to, depth));
                    }
                    None if self.is_shape(value) || self.is_shape(expected) => {
                        self.meet(&self.members(value), &self.members(expected));
                        self.pair_members(value, expected, depth);
                    }
                    None => {}
                }
            }
        }
    }

    /// Values of the members of one type go to the members of the other.
    fn pair_members(&mut self, value: &Ty, expected: &Ty, depth: u32) {
        let (rx, file) = (self.rx, self.file);
        let (Some(from), Some(to)) = (value.def(), expected.def()) else { return };
        if depth >= MAX_DEPTH || !self.met.insert((from, to)) {
            return;
        }
        let of = |ty: &Ty, name: &str| {
            let members = rx.policy(file).members(rx, file, ty, name);
            let held = |member: &Member| {
                Some(rx.def_type(member.def()?).substitute(&rx.arguments_of(&member.owner)))
            };
            Ty::union(members.iter().filter_map(held))
        };
        for class in rx.linearization(expected).iter().filter_map(Ty::def) {
            let home = rx.file(class.file);
            let Some(body) = home.def(class.def).body else { continue };
            for member in home.all_in_scope(body) {
                let name = home.def_name(*member);
                let (held, wanted) = (of(value, name), of(expected, name));
                if self.concerns(&held, depth) || self.concerns(&wanted, depth) {
                    self.pair(&held, &wanted, depth);
                }
            }
        }
    }

    /// Members that stand for each other.
    fn meet(&mut self, ones: &[GlobalDef], others: &[GlobalDef]) {
        let pairs = ones.iter().flat_map(|one| others.iter().map(|other| (*one, *other)));
        self.found.extend(pairs.filter(|(one, other)| one != other));
    }

    fn members(&self, ty: &Ty) -> Vec<GlobalDef> {
        let members = self.rx.policy(self.file).members(self.rx, self.file, ty, self.name);
        let named = |def: &GlobalDef| *self.rx.shared_name(*def) == *self.name;
        members.iter().filter_map(Member::def).filter(named).collect()
    }

    fn is_shape(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Instance(class, _) => self.rx.policy_of(*class).is_shape(self.rx, *class),
            Ty::Param(_) | Ty::Intersection(_) => self.rx.policy(self.file).has_shapes(),
            _ => false,
        }
    }
}

pub(super) fn texts_in(
    ctx: &RefactorContext<'_>,
    rx: &Resolver,
    family: &Family,
    name: &str,
    id: FileId,
) -> Result<Vec<(FileId, TextRange)>, QueryError> {
    let text = (ctx.text)(id)?;
    // The last part of a text counts as well: `constant('Suit::Hearts')`.
    let quoted = ['"', '\''].map(|quote| format!("{name}{quote}"));
    let found = quoted.iter().flat_map(|quoted| text.text.match_indices(quoted.as_str()));
    let is_whole = |at: &usize| text.text[..*at].ends_with(['"', '\'']) || text.text[..*at].ends_with("::");
    let mut starts: Vec<u32> = found.map(|(at, _)| at).filter(is_whole).map(|at| at as u32).collect();
    if starts.is_empty() {
        return Ok(Vec::new());
    }
    starts.sort_unstable();
    let file = rx.file(id);
    let members: Vec<GlobalDef> = family
        .defs
        .iter()
        .copied()
        .filter(|def| rx.member_owner(*def).is_some() && *rx.shared_name(*def) == *name)
        .collect();
    let is_asked_for = names::reflections(file.language()).is_some();
    let is_named = |def: &GlobalDef| {
        rx.policy(file).has_shapes() || rx.kind(*def) == SymbolKind::EnumCase || is_asked_for
    };
    if !members.iter().any(is_named) {
        return Ok(Vec::new());
    }
    let contexts = contexts_at(file.language(), &text.text, &starts);
    let strings =
        starts.into_iter().zip(contexts).filter(|(_, context)| *context == TextContext::StringLiteral);
    let ranges = strings.map(|(start, _)| TextRange::new(start, start + name.len() as u32));
    let may_stand = |range: &TextRange| {
        let around = (&text.text[..range.start as usize - 1], &text.text[range.end as usize + 1..]);
        !file.ref_ids().any(|r| file.reference(r).range.encloses(*range))
            && !file.def_ids().any(|def| file.def(def).name_range.encloses(*range))
            && rx.policy(file).named_by_text(rx, file, &members, name, around)
    };
    Ok(ranges.filter(may_stand).map(|range| (id, range)).collect())
}

/// Texts that stand for the name of a family, and those that may.
///
/// # Errors
/// The errors of reading files.
pub(super) fn listed(
    ctx: &RefactorContext<'_>,
    family: &Family,
    texts: Texts,
) -> Result<(Texts, Texts), QueryError> {
    let owners: Vec<(GlobalDef, Arc<str>)> = ctx.pool.with(|rx| {
        let owners = family.defs.iter().filter_map(|def| rx.member_owner(*def));
        owners.map(|owner| (owner, rx.shared_name(owner))).collect()
    });
    let (mut certain, mut others) = (Texts::new(), Texts::new());
    for of_file in texts.chunk_by(|(a, _), (b, _)| a == b) {
        let scene = match Scene::open(ctx, of_file[0].0) {
            Ok(scene) => Some(scene),
            Err(QueryError::Unsupported { .. } | QueryError::NotRead { .. }) => None,
            Err(error) => return Err(error),
        };
        let keys = scene.as_ref().map(|scene| Keys { scene, members: &family.defs, owners: &owners });
        for (file, range) in of_file {
            let is_listed = ctx.pool.with(|rx| {
                let view = rx.file(*file);
                rx.policy(view).lists_name(rx, view, &family.defs, range.start)
            });
            let is_certain = is_listed || keys.as_ref().is_some_and(|keys| keys.is_key(*range));
            if is_certain { &mut certain } else { &mut others }.push((*file, *range));
        }
    }
    Ok((certain, others))
}

/// Whether the text behind this one is the argument of a function that finds a constant of these by its name:
/// `Op.valueOf("ADD")`, `enumValueOf<Op>("ADD")`, `constant(Op::class . '::ADD')`, `valueOf("ADD")` inside of `Op`.
pub(crate) fn is_looked_up(rx: &Resolver, file: &FileView, members: &[GlobalDef], before: &str) -> bool {
    let is_in_name = |c: char| c.is_alphanumeric() || c == '_';
    let statement = &before[before.rfind([';', '{', '}']).map_or(0, |at| at + 1)..];
    let calls = names::lookups(file.language()).flat_map(|word| {
        let is_call = move |at: &usize| {
            !statement[..*at].ends_with(is_in_name) && statement[at + word.len()..].starts_with(['(', '<'])
        };
        statement.match_indices(word).map(|(at, _)| at).filter(is_call)
    });
    let Some(call) = calls.max() else { return false };
    // Behind the closing parenthesis stands the argument of something else.
    if statement[call..].contains(')') {
        return false;
    }
    let is_path = |c: char| is_in_name(c) || matches!(c, '.' | ':' | '\\');
    let mut path = statement[..call].trim_end_matches(is_path).len();
    // A chain may go on in another line.
    while statement[path..].starts_with(['.', ':']) {
        let receiver = statement[..path].trim_end();
        let start = receiver.trim_end_matches(is_path).len();
        if start == receiver.len() {
            break;
        }
        path = start;
    }
    let mut words = statement[path..].split(|c| !is_in_name(c));
    let owners: Vec<GlobalDef> = members.iter().filter_map(|member| rx.member_owner(*member)).collect();
    let is_named = |word: &str| owners.iter().any(|owner| *rx.shared_name(*owner) == *word);
    let mut around = file.by_place().types_around(before.len() as u32);
    words.clone().any(is_named)
        || around.any(|ty| owners.contains(&file.global(ty)))
            && (path == call || words.any(|word| matches!(word, "self" | "static")))
}

/// Whether a value has one of these members under their name.
pub(crate) fn has_one_of(
    rx: &Resolver,
    file: &FileView,
    value: &Ty,
    members: &[GlobalDef],
    name: &str,
) -> bool {
    value.parts().iter().any(|part| {
        let found = rx.policy(file).members(rx, file, part, name);
        found.iter().any(|member| matches!(member.target, Target::Def(def) if members.contains(&def)))
    })
}
