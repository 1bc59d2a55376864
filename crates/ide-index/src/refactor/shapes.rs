//! Types that are told by their members: what goes from one to another must have members of the same names in both.

use std::collections::BTreeSet;
use std::sync::Arc;

use ide_model::{QueryError, SourceKind, SymbolKind, TextContext, TextRange};

use rustc_hash::FxHashSet;

use super::Workshop;
use super::family::Family;
use crate::classify::contexts_at;
use crate::facts::{DefFlags, DefId, Expr, ExprId, List};
use crate::query::hierarchy::descendants;
use crate::resolve::{FileView, Member, Resolver, Target, Ty};
use crate::world::{DeclarationSite, FileId, GlobalDef};

/// How deep types are compared: the items of lists, what functions take and give.
const MAX_DEPTH: u32 = 4;

/// Where values of the types that have the members of a family may be at hand.
#[derive(Default)]
pub(super) struct Near {
    /// Files of the project that name the types, or what is declared with them.
    pub(super) files: Vec<FileId>,
    /// Types in whose declarations they are named.
    holders: FxHashSet<GlobalDef>,
}

/// Where values of the types are that have the members of a family.
pub(super) fn near(shop: &Workshop<'_>, family: &Family) -> Result<Near, QueryError> {
    shop.pool.with(|rx| {
        let homes: BTreeSet<GlobalDef> = family.defs.iter().filter_map(|def| home(rx, *def)).collect();
        let mut all = homes.clone();
        for home in homes.iter().filter(|home| rx.def(**home).kind.is_type()) {
            all.extend(descendants(rx, shop.cx, *home)?.into_iter().map(|(heir, _)| heir));
        }
        let is_ours = |file: &FileId| rx.world().file(*file).source != SourceKind::Library;
        let mut names: BTreeSet<Arc<str>> = BTreeSet::new();
        let mut near: BTreeSet<FileId> = BTreeSet::new();
        let mut holders = FxHashSet::default();
        for def in &all {
            near.insert(def.file);
            names.insert(rx.def_name(*def));
            let (file, range) = (rx.file(def.file), rx.def(*def).range);
            names.extend(declared_around(&file, &[range]).map(|def| file.def_name(def).into()));
        }
        for _ in 0..2 {
            let found: BTreeSet<FileId> =
                names.iter().flat_map(|name| rx.world().files_mentioning(name)).filter(is_ours).collect();
            let mut typed = BTreeSet::new();
            for id in &found {
                shop.cx.check()?;
                let file = rx.file(*id);
                let is_named = |r: &_| names.contains(file.ref_name(*r));
                let uses: Vec<TextRange> =
                    file.ref_ids().filter(is_named).map(|r| file.reference(r).range).collect();
                for def in declared_around(&file, &uses) {
                    typed.insert(file.def_name(def).into());
                    if file.def(def).kind.is_type() {
                        holders.insert(file.global(def));
                    }
                }
            }
            near.extend(found);
            names = typed;
        }
        near.retain(is_ours);
        Ok(Near { files: near.into_iter().collect(), holders })
    })
}

/// The type of a member, the function of a parameter that the members of a type may be handed to.
fn home(rx: &Resolver, def: GlobalDef) -> Option<GlobalDef> {
    let (d, policy) = (rx.def(def), rx.policy_of(def));
    if !policy.has_shapes() {
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

/// What a file declares for others around some places.
fn declared_around(file: &FileView, places: &[TextRange]) -> impl Iterator<Item = DefId> {
    let is_around = |def: &DefId| {
        let d = file.def(*def);
        !d.flags.has(DefFlags::LOCAL)
            && !d.flags.has(DefFlags::ANONYMOUS)
            && d.kind != SymbolKind::Import
            && places.iter().any(|place| d.range.encloses(*place))
    };
    file.def_ids().filter(is_around)
}

/// Members outside of the family that values of a file need under the name of the family: they go from a type that has the
/// one to where a type with the other is expected, or the other way round.
pub(super) fn alike(rx: &Resolver, family: &Family, near: &Near, name: &str, id: FileId) -> Vec<GlobalDef> {
    let file = rx.file(id);
    let (met, found) = (FxHashSet::default(), Vec::new());
    let mut flows = Flows { rx, file: &file, family, holders: &near.holders, name, met, found };
    flows.declarations();
    for assign in &file.assigns {
        flows.goes(assign.value, || rx.expr_type(&file, assign.target));
    }
    for (i, expr) in file.exprs.iter().enumerate() {
        match *expr {
            Expr::Call { args, .. } | Expr::New { args, .. } => flows.call(ExprId(i as u32), args),
            Expr::Cast { ty, value } => flows.goes(value, || rx.type_of(&file, ty)),
            _ => {}
        }
    }
    flows.found
}

struct Flows<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    family: &'a Family,
    holders: &'a FxHashSet<GlobalDef>,
    name: &'a str,
    /// Types with others in their declarations that were compared.
    met: FxHashSet<(GlobalDef, GlobalDef)>,
    found: Vec<GlobalDef>,
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
            let Some(value) = d.init else { continue };
            match d.ty {
                Some(ty) => self.goes(value, || rx.type_of(file, ty)),
                None if super::rename::is_literal_key(file, def) => self.goes(value, || {
                    let declared = rx.policy(file).declared_as(rx, file.global(def));
                    Ty::union(declared.defs().filter(|d| *d != file.global(def)).map(|d| rx.def_type(d)))
                }),
                None => {}
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
                    // What the argument makes of a type parameter says nothing of what is asked of it.
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
        let is_shape = |part: &Ty| self.is_shape(part);
        if self.concerns(&value, 0) || value.parts().iter().any(is_shape) {
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
            _ => {
                ty.args().iter().any(inner)
                    || ty.def().is_some_and(|class| self.holders.contains(&class))
                    || !self.members(ty).is_empty()
            }
        }
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

    /// What the members of one type hold goes to those of the other.
    fn pair_members(&mut self, value: &Ty, expected: &Ty, depth: u32) {
        let (rx, file) = (self.rx, self.file);
        let (Some(from), Some(to)) = (value.def(), expected.def()) else { return };
        let holds = [from, to].iter().any(|class| self.holders.contains(class));
        if !holds || !self.met.insert((from, to)) {
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
        if ones.is_empty() || others.is_empty() {
            return;
        }
        let is_ours = |def: &GlobalDef| self.family.defs.binary_search(def).is_ok();
        if ones.iter().chain(others).any(is_ours) {
            let is_new = |def: &GlobalDef| !is_ours(def) && !self.family.libraries.contains(def);
            let new: Vec<GlobalDef> = ones.iter().chain(others).copied().filter(is_new).collect();
            self.found.extend(new);
        }
    }

    fn members(&self, ty: &Ty) -> Vec<GlobalDef> {
        let members = self.rx.policy(self.file).members(self.rx, self.file, ty, self.name);
        let named = |def: &GlobalDef| *self.rx.def_name(*def) == *self.name;
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

/// Texts in a file that consist of the name of the family and may stand for it.
pub(super) fn texts(
    shop: &Workshop<'_>,
    rx: &Resolver,
    family: &Family,
    name: &str,
    id: FileId,
) -> Result<Vec<(FileId, TextRange)>, QueryError> {
    let file = rx.file(id);
    let members: Vec<GlobalDef> = family
        .defs
        .iter()
        .copied()
        .filter(|def| rx.member_owner(*def).is_some() && *rx.def_name(*def) == *name)
        .collect();
    if members.is_empty() || !rx.policy(&file).has_shapes() {
        return Ok(Vec::new());
    }
    let text = (shop.text)(id)?;
    let quoted = ['"', '\''].map(|quote| format!("{quote}{name}{quote}"));
    let mut found = Vec::new();
    for (at, _) in quoted.iter().flat_map(|quoted| text.text.match_indices(quoted.as_str())) {
        let range = TextRange::new(at as u32 + 1, (at + 1 + name.len()) as u32);
        let around = (&text.text[..at], &text.text[at + name.len() + 2..]);
        let is_known = file.ref_ids().any(|r| file.reference(r).range.encloses(range));
        let is_declared = file.def_ids().any(|def| file.def(def).name_range.encloses(range));
        if !is_known
            && !is_declared
            && contexts_at(file.language(), &text.text, &[range.start]) == [TextContext::StringLiteral]
            && rx.policy(&file).named_by_text(rx, &file, &members, name, around)
        {
            found.push((id, range));
        }
    }
    Ok(found)
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
