//! The facts of one file with the look-up tables that resolution needs.

use std::any::{Any, TypeId as RustTypeId};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use rustc_hash::FxHashMap;

use ide_model::{Family, Language, SymbolKind, TextRange};

use crate::facts::{
    Def, DefFlags, DefId, Expr, ExprId, FileFacts, Guard, Import, ImportId, ImportKind, NameId, RefId,
    ScopeId, ScopeKind, TypeExpr,
};
use crate::world::{FileId, GlobalDef, GlobalRef, World};

use super::flow::Flow;

/// A file as the resolver holds it. Dereferences to its facts.
pub struct FileView {
    pub id: FileId,
    pub path: Arc<str>,
    facts: Arc<FileFacts>,
    /// Members attached by assignment to some object.
    attached: OnceLock<Vec<DefId>>,
    /// Imports of everything that a module gives out.
    stars: OnceLock<Vec<ImportId>>,
    /// Function expressions ordered by their declaration.
    functions: OnceLock<Vec<(DefId, ExprId)>>,
    /// Guards by the name of what they test.
    guards_by_name: OnceLock<Vec<(NameId, Guard)>>,
    /// References of whose value something is expected, in order.
    expected_refs: OnceLock<Vec<(RefId, ExprId)>>,
    flow: OnceLock<Flow>,
    /// Declarations that may be around others, by where they start, outer ones first, each with the place of the nearest
    /// one before it that ends behind its start.
    enclosing: OnceLock<Vec<(DefId, Option<u32>)>>,
    /// See [`Self::derived`].
    derived: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// The files that resolvers on one world hold at the moment.
#[derive(Default)]
pub(crate) struct Views {
    held: Mutex<FxHashMap<FileId, Weak<FileView>>>,
    /// Facts that need not be decoded the first time.
    fresh: Mutex<FxHashMap<FileId, FileFacts>>,
    /// What policies derive from the whole world, by type.
    tables: Mutex<FxHashMap<RustTypeId, Arc<OnceLock<Table>>>>,
}

/// Something of the type that it is kept under.
pub(super) type Table = Arc<dyn Any + Send + Sync>;

impl Views {
    pub(crate) fn knowing(fresh: impl IntoIterator<Item = (FileId, FileFacts)>) -> Self {
        Self { fresh: Mutex::new(fresh.into_iter().collect()), ..Self::default() }
    }

    /// A table, made by the first that asks while others wait for it. Making one may ask for others, but not in a circle.
    pub(super) fn table(&self, key: RustTypeId, make: impl FnOnce() -> Table) -> Table {
        let place =
            self.tables.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default().clone();
        place.get_or_init(make).clone()
    }

    /// A file that some resolver holds, or one that is made.
    pub(crate) fn get(&self, id: FileId, world: &dyn World) -> Arc<FileView> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner).get(&id).and_then(Weak::upgrade);
        held.unwrap_or_else(|| {
            // Made outside the locks: at worst two threads do it.
            let fresh = self.fresh.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            let facts = fresh.map_or_else(|| world.facts(id), Arc::new);
            let made = Arc::new(FileView::new(id, world.file(id).path.0.clone(), facts));
            self.held.lock().unwrap_or_else(PoisonError::into_inner).insert(id, Arc::downgrade(&made));
            made
        })
    }

    /// Gives back the memory of what no resolver holds any more.
    pub(crate) fn forget_unheld(&self) {
        let mut views = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        views.retain(|_, view| view.strong_count() > 0);
    }
}

impl Deref for FileView {
    type Target = FileFacts;

    fn deref(&self) -> &FileFacts {
        &self.facts
    }
}

impl FileView {
    /// References that stand somewhere: not what a macro has of its own, which has an empty range where it is called.
    pub fn written_refs(&self) -> impl Iterator<Item = RefId> + '_ {
        self.ref_ids().filter(|r| !self.reference(*r).range.is_empty())
    }

    pub fn new(id: FileId, path: Arc<str>, facts: Arc<FileFacts>) -> Self {
        Self {
            id,
            path,
            facts,
            attached: OnceLock::new(),
            stars: OnceLock::new(),
            functions: OnceLock::new(),
            guards_by_name: OnceLock::new(),
            expected_refs: OnceLock::new(),
            flow: OnceLock::new(),
            enclosing: OnceLock::new(),
            derived: OnceLock::new(),
        }
    }

    /// The assignments and tests of the file by what they are about.
    pub(crate) fn flow(&self) -> &Flow {
        self.flow.get_or_init(|| Flow::new(self))
    }

    /// What a policy derives from this file alone, made at its first use. There is one type of it for the files of a family.
    pub(crate) fn derived<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> &T {
        let made = self.derived.get_or_init(|| Box::new(make(self)));
        made.downcast_ref().expect("all that is derived from files of a family has one type")
    }

    pub(super) fn facts(&self) -> &Arc<FileFacts> {
        &self.facts
    }

    pub fn family(&self) -> Family {
        self.facts.language.family()
    }

    pub fn language(&self) -> Language {
        self.facts.language
    }

    /// The id of a name in this file, if the file has it at all.
    pub fn name_id(&self, text: &str) -> Option<NameId> {
        self.facts.names.find(text)
    }

    /// Declarations of a name directly in a scope, in source order.
    pub fn in_scope(&self, scope: ScopeId, name: NameId) -> &[DefId] {
        let (names, defs) = self.facts.defs_in(scope);
        let from = names.partition_point(|other| *other < name);
        let more = names[from..].iter().take_while(|other| **other == name).count();
        &defs[from..from + more]
    }

    /// [`Self::in_scope`] by text.
    pub fn named_in_scope(&self, scope: ScopeId, name: &str) -> &[DefId] {
        self.name_id(name).map_or(&[], |id| self.in_scope(scope, id))
    }

    /// All declarations directly in a scope, grouped by name.
    pub fn all_in_scope(&self, scope: ScopeId) -> &[DefId] {
        self.facts.defs_in(scope).1
    }

    /// What stands directly in the body of a declaration, in order.
    pub fn own_in_order(&self, def: DefId) -> Vec<DefId> {
        let mut own = self.facts.def(def).body.map_or_else(Vec::new, |body| self.all_in_scope(body).to_vec());
        own.sort_unstable();
        own
    }

    /// Declarations that are assigned to some object ([`crate::Def::attach`]), by name.
    pub fn attached(&self) -> &[DefId] {
        let facts = &self.facts;
        self.attached.get_or_init(|| {
            let mut all: Vec<DefId> = facts.def_ids().filter(|d| facts.def(*d).attach.is_some()).collect();
            all.sort_by_key(|d| facts.def(*d).name);
            all
        })
    }

    /// Those of a name.
    pub fn attached_as(&self, name: NameId) -> &[DefId] {
        let all = self.attached();
        let start = all.partition_point(|d| self.facts.def(*d).name < name);
        let len = all[start..].partition_point(|d| self.facts.def(*d).name == name);
        &all[start..start + len]
    }

    /// The imports of everything that a module gives out ([`ImportKind::Star`]), in order.
    pub fn stars(&self) -> impl Iterator<Item = &Import> + use<'_> {
        let all = self.facts.imports.iter().zip(0..);
        let stars = self.stars.get_or_init(|| {
            all.filter(|(import, _)| import.kind == ImportKind::Star).map(|(_, id)| ImportId(id)).collect()
        });
        stars.iter().map(|id| self.facts.import(*id))
    }

    /// The declaration of the innermost class scope around a scope (the scope itself included), with that class scope.
    pub fn enclosing_class(&self, scope: ScopeId) -> Option<(ScopeId, DefId)> {
        self.scope_chain(scope).find_map(|id| {
            let scope = self.facts.scope(id);
            (scope.kind == ScopeKind::Class).then_some((id, scope.owner?))
        })
    }

    /// The declarations around an offset, innermost first. Parameters and variables of functions are not around anything.
    pub(crate) fn enclosing_chain(&self, offset: u32) -> impl Iterator<Item = DefId> {
        let all = self.enclosing.get_or_init(|| {
            let range = |id: &DefId| self.facts.def(*id).range;
            let mut ids: Vec<DefId> =
                self.facts.def_ids().filter(|id| may_enclose(self.facts.def(*id))).collect();
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
        let before = all.partition_point(|(id, _)| self.facts.def(*id).range.start <= offset) as u32;
        let chain = std::iter::successors(before.checked_sub(1), |at| all[*at as usize].1);
        chain.map(|at| all[at as usize].0).filter(move |id| self.facts.def(*id).range.contains(offset))
    }

    /// The innermost scope that holds all of a range.
    pub fn scope_around(&self, range: TextRange) -> Option<ScopeId> {
        let all = (0..self.scopes.len() as u32).map(ScopeId);
        let around = all.filter(|id| self.scope(*id).range.encloses(range));
        around.min_by_key(|id| self.scope(*id).range.len())
    }

    /// The innermost function-like declaration around a scope, lambdas included.
    pub fn enclosing_function(&self, scope: ScopeId) -> Option<DefId> {
        self.scope_chain(scope).find_map(|id| {
            let scope = self.facts.scope(id);
            (scope.kind == ScopeKind::Function).then_some(scope.owner?)
        })
    }

    /// The expression that a lambda or an anonymous class is.
    pub fn function_expr(&self, def: DefId) -> Option<ExprId> {
        let all = self.functions.get_or_init(|| {
            let mut all: Vec<(DefId, ExprId)> = self
                .facts
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

    /// The guards about values that end in a name, outer ones first.
    pub fn guards_of(&self, name: NameId) -> impl Iterator<Item = &Guard> {
        let all = self.guards_by_name.get_or_init(|| {
            let named = |guard: &Guard| (self.facts.reference(guard.subject).name, *guard);
            let mut all: Vec<(NameId, Guard)> = self.facts.guards.iter().map(named).collect();
            all.sort_by_key(|(name, guard)| (*name, guard.range.start, std::cmp::Reverse(guard.range.end)));
            all
        });
        let from = all.partition_point(|(n, _)| *n < name);
        let to = from + all[from..].partition_point(|(n, _)| *n == name);
        all[from..to].iter().map(|(_, guard)| guard)
    }

    /// The value of a reference, where something is expected of it.
    pub fn expected_ref(&self, reference: RefId) -> Option<ExprId> {
        let facts = &self.facts;
        let all = self.expected_refs.get_or_init(|| {
            let mut all: Vec<(RefId, ExprId)> = facts
                .expectations
                .iter()
                .filter_map(|(id, _)| match facts.expr(*id) {
                    Expr::Ref(reference) => Some((reference, *id)),
                    Expr::Type(ty) => match facts.ty(ty) {
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

    pub fn global(&self, def: DefId) -> GlobalDef {
        GlobalDef { file: self.id, def }
    }

    pub fn global_ref(&self, reference: RefId) -> GlobalRef {
        GlobalRef { file: self.id, reference }
    }

    pub fn has_flag(&self, def: DefId, flag: DefFlags) -> bool {
        self.facts.def(def).flags.has(flag)
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
