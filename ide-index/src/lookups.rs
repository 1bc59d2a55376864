//! Look-up tables of a file: each is made when it is asked for first, and kept with the facts.

use ide_model::{SymbolKind, TextRange};
use rustc_hash::FxHashMap;

use crate::by_scope::ByScope;
use crate::facts::{
    Def, DefFlags, DefId, Derived, Expr, ExprId, FileFacts, Guard, GuardTest, Import, ImportId, ImportKind,
    NameId, RefId, Role, ScopeId, TypeExpr,
};
use crate::refs_by_name::RefsByName;
use crate::resolve::flow::Flow;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lookups {
    pub(crate) by_scope: Derived<ByScope>,
    pub(crate) refs_by_name: Derived<RefsByName>,
    /// Members attached by assignment to some object.
    attached: Derived<Vec<DefId>>,
    /// Type parameters by the scope in which they stand.
    type_parameters: Derived<Vec<(ScopeId, DefId)>>,
    /// Imports of everything that a module gives out.
    stars: Derived<Vec<ImportId>>,
    /// Function expressions ordered by their declaration.
    functions: Derived<Vec<(DefId, ExprId)>>,
    /// Guards about `this`, named by a label or not, in the order of the file.
    guards_of_this: Derived<Vec<Guard>>,
    /// The ranges in which variables of patterns can be named.
    bound: Derived<Vec<(DefId, TextRange)>>,
    /// References of whose value something is expected, in order.
    expected_refs: Derived<Vec<(RefId, ExprId)>>,
    flow: Derived<Flow>,
    /// Declarations that may be around others, by where they start, outer ones first, each with the place of the nearest
    /// one before it that ends behind its start.
    enclosing: Derived<Vec<(DefId, Option<u32>)>>,
    /// Of each declaration its place among those of the same kind, number of parameters and chain of names.
    ordinals: Derived<Vec<u32>>,
}

impl FileFacts {
    /// The assignments and tests of the file by what they are about.
    pub(crate) fn flow(&self) -> &Flow {
        self.lookups.flow.get(|| Flow::new(self))
    }

    /// Declarations that are assigned to some object ([`crate::Def::attach`]), by name.
    pub fn attached(&self) -> &[DefId] {
        self.lookups.attached.get(|| {
            let mut all: Vec<DefId> = self.def_ids().filter(|d| self.def(*d).attach.is_some()).collect();
            all.sort_by_key(|d| self.def(*d).name);
            all
        })
    }

    /// The attached declarations of a name.
    pub fn attached_as(&self, name: NameId) -> &[DefId] {
        let all = self.attached();
        let start = all.partition_point(|d| self.def(*d).name < name);
        let len = all[start..].partition_point(|d| self.def(*d).name == name);
        &all[start..start + len]
    }

    /// The type parameters that stand directly in a scope, ordered by name.
    pub(crate) fn type_parameters_in(&self, scope: ScopeId) -> impl Iterator<Item = DefId> {
        let all = self.lookups.type_parameters.get(|| {
            let is_it = |id: &DefId| self.def(*id).kind == SymbolKind::TypeParameter;
            let mut all: Vec<_> = self.def_ids().filter(is_it).map(|id| (self.def(id).scope, id)).collect();
            all.sort_by_key(|(scope, id)| (*scope, self.def(*id).name, self.def(*id).name_range.start));
            all
        });
        let from = all.partition_point(|(of, _)| *of < scope);
        all[from..].iter().take_while(move |(of, _)| *of == scope).map(|(_, id)| *id)
    }

    /// The imports of everything that a module gives out ([`ImportKind::Star`]), in order.
    pub fn stars(&self) -> impl Iterator<Item = &Import> + use<'_> {
        let all = self.imports.iter().zip(0..);
        let stars = self.lookups.stars.get(|| {
            all.filter(|(import, _)| import.kind == ImportKind::Star).map(|(_, id)| ImportId(id)).collect()
        });
        stars.iter().map(|id| self.import(*id))
    }

    /// The declarations around an offset, innermost first. Parameters and variables of functions are not around anything.
    pub(crate) fn enclosing_chain(&self, offset: u32) -> impl Iterator<Item = DefId> {
        let all = self.lookups.enclosing.get(|| {
            let range = |id: &DefId| self.def(*id).range;
            let mut ids: Vec<DefId> = self.def_ids().filter(|id| may_enclose(self.def(*id))).collect();
            ids.sort_by_key(|id| (range(id).start, u32::MAX - range(id).end, id.0));
            let mut all: Vec<(DefId, Option<u32>)> = Vec::with_capacity(ids.len());
            for id in ids {
                let mut outer = (all.len() as u32).checked_sub(1);
                while let Some(at) = outer
                    && range(&all[at as usize].0).end <= range(&id).start
                {
                    outer = all[at as usize].1;
                }
                all.push((id, outer));
            }
            all
        });
        let before = all.partition_point(|(id, _)| self.def(*id).range.start <= offset) as u32;
        let chain = std::iter::successors(before.checked_sub(1), |at| all[*at as usize].1);
        chain.map(|at| all[at as usize].0).filter(move |id| self.def(*id).range.contains(offset))
    }

    /// The place of a declaration among those that are alike: of its kind, with as many parameters, and with the same names of
    /// what is around it and of itself.
    pub(crate) fn ordinal(&self, def: DefId) -> u32 {
        let all = self.lookups.ordinals.get(|| {
            // A chain reads `a.b`, whichever of its parts holds the dot: so it is hashed by its bytes.
            let add = |hash: u64, text: &str| text.bytes().fold(hash, step);
            let mut chains: Vec<Option<u64>> = vec![None; self.defs.len()];
            let mut open = Vec::new();
            let mut next: FxHashMap<(u64, SymbolKind, u32), u32> = FxHashMap::default();
            let number = |id: DefId| {
                let mut at = Some(id);
                while let Some(def) = at.filter(|def| chains[def.0 as usize].is_none()) {
                    open.push(def);
                    at = self.enclosing_def(self.def(def).scope);
                }
                let around = at.and_then(|def| chains[def.0 as usize]);
                open.drain(..).rev().fold(around, |around, def| {
                    let before = around.map_or(0, |around| step(around, b'.'));
                    chains[def.0 as usize] = Some(add(before, self.def_name(def)));
                    chains[def.0 as usize]
                });
                let d = self.def(id);
                let key = (chains[id.0 as usize].unwrap_or_default(), d.kind, d.params.len);
                let place = next.entry(key).or_default();
                std::mem::replace(place, *place + 1)
            };
            self.def_ids().map(number).collect()
        });
        all[def.0 as usize]
    }

    /// The expression that a lambda or an anonymous class is.
    pub fn function_expr(&self, def: DefId) -> Option<ExprId> {
        let all = self.lookups.functions.get(|| {
            let mut all: Vec<(DefId, ExprId)> = self
                .exprs
                .iter()
                .enumerate()
                .filter_map(|(i, e)| match e {
                    Expr::Function(def) | Expr::Class(def) => Some((*def, ExprId(i as u32))),
                    _ => None,
                })
                .collect();
            all.sort_unstable();
            all
        });
        all.binary_search_by_key(&def, |(d, _)| *d).ok().map(|i| all[i].1)
    }

    /// The guards about `this` or `this@label`.
    pub(crate) fn guards_of_this(&self) -> &[Guard] {
        self.lookups.guards_of_this.get(|| {
            let is_this = |guard: &&Guard| {
                let subject = self.reference(guard.subject);
                subject.role == Role::Label || subject.range.is_empty() && self.name(subject.name) == "this"
            };
            self.guards.iter().filter(is_this).copied().collect()
        })
    }

    /// Whether a variable of a pattern can be named at an offset.
    pub(crate) fn is_bound_at(&self, variable: DefId, at: u32) -> bool {
        let all = self.lookups.bound.get(|| {
            let bound = |guard: &Guard| match guard.test {
                GuardTest::Binds(variable) => Some((variable, guard.range)),
                _ => None,
            };
            let mut all: Vec<(DefId, TextRange)> = self.guards.iter().filter_map(bound).collect();
            all.sort_by_key(|(variable, _)| *variable);
            all
        });
        let from = all.partition_point(|(of, _)| *of < variable);
        all[from..].iter().take_while(|(of, _)| *of == variable).any(|(_, range)| range.contains(at))
    }

    /// The value of a reference, where something is expected of it.
    pub fn expected_ref(&self, reference: RefId) -> Option<ExprId> {
        let all = self.lookups.expected_refs.get(|| {
            let mut all: Vec<(RefId, ExprId)> = self
                .expectations
                .iter()
                .filter_map(|(id, _)| match self.expr(*id) {
                    Expr::Ref(reference) => Some((reference, *id)),
                    Expr::Type(ty) => match self.ty(ty) {
                        TypeExpr::Named { name, .. } => Some((name, *id)),
                        _ => None,
                    },
                    _ => None,
                })
                .collect();
            all.sort_unstable();
            all
        });
        all.binary_search_by_key(&reference, |(r, _)| *r).ok().map(|i| all[i].1)
    }
}

/// Whether a declaration may be around others: parameters and variables of functions are not.
fn may_enclose(d: &Def) -> bool {
    let is_kind = d.kind.is_type()
        || d.kind.is_callable()
        || matches!(
            d.kind,
            SymbolKind::Module
                | SymbolKind::Namespace
                | SymbolKind::Field
                | SymbolKind::Property
                | SymbolKind::Constant
                | SymbolKind::EnumCase
                | SymbolKind::Heading
        )
        || (d.kind == SymbolKind::Variable && !d.flags.has(DefFlags::LOCAL));
    is_kind && !d.flags.has(DefFlags::ANONYMOUS) && !d.flags.has(DefFlags::PROMOTED)
}

/// The hash of a text that is longer by a byte.
fn step(hash: u64, byte: u8) -> u64 {
    // The multiplier of the 64-bit FNV; texts may hold zeros.
    (hash ^ (u64::from(byte) + 1)).wrapping_mul(0x100_0000_01b3)
}
