//! The facts of one file with the look-up tables that resolution needs.

use std::any::{Any, TypeId as RustTypeId};
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use rustc_hash::FxHashMap;

use ide_model::{Family, Language, TextRange};

use super::by_place::ByPlace;
use crate::facts::{DefFlags, DefId, ExprId, FileFacts, ImportId, NameId, RefId, ScopeId, ScopeKind};
use crate::world::{FileId, GlobalDef, GlobalRef, World};

/// A file as the resolver holds it. Dereferences to its facts.
pub struct FileView {
    pub id: FileId,
    pub path: Arc<str>,
    facts: Arc<FileFacts>,
    /// See [`Self::derived`].
    derived: OnceLock<Box<dyn Any + Send + Sync>>,
    by_place: OnceLock<Box<ByPlace>>,
    imports: OnceLock<Box<ImportsByRef>>,
    /// Declarations by their first values, the first where there are several.
    inits: OnceLock<Box<FxHashMap<ExprId, DefId>>>,
}

/// Imports by the references that they consist of, the first where there are several.
#[derive(Default)]
struct ImportsByRef {
    members: FxHashMap<RefId, ImportId>,
    /// Members and the segments of paths.
    segments: FxHashMap<RefId, ImportId>,
}

/// The files that resolvers on one world hold at the moment.
#[derive(Default)]
pub(crate) struct Views {
    held: Mutex<FxHashMap<FileId, Weak<FileView>>>,
    /// Facts that need not be decoded the first time.
    fresh: Mutex<FxHashMap<FileId, FileFacts>>,
    /// Data that policies derive from the whole world, by type.
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
            derived: OnceLock::new(),
            by_place: OnceLock::new(),
            imports: OnceLock::new(),
            inits: OnceLock::new(),
        }
    }

    /// Data that a policy derives from this file alone, made at its first use. There is one type of it for the files
    /// of a family.
    pub(crate) fn derived<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> &T {
        let made = self.derived.get_or_init(|| Box::new(make(self)));
        made.downcast_ref().expect("all that is derived from files of a family has one type")
    }

    /// The names in the file by places, made at its first use.
    pub(crate) fn by_place(&self) -> &ByPlace {
        self.by_place.get_or_init(|| Box::new(ByPlace::new(self)))
    }

    fn imports_by_ref(&self) -> &ImportsByRef {
        self.imports.get_or_init(|| {
            let mut all = Box::<ImportsByRef>::default();
            for (import, id) in self.facts.imports.iter().zip((0..).map(ImportId)) {
                if let Some(member) = import.member {
                    all.members.entry(member).or_insert(id);
                    all.segments.entry(member).or_insert(id);
                }
                for segment in self.list(import.path) {
                    all.segments.entry(segment).or_insert(id);
                }
            }
            all
        })
    }

    /// The declaration whose first value an expression is.
    pub fn initialized_by(&self, value: ExprId) -> Option<DefId> {
        let inits = self.inits.get_or_init(|| {
            let mut all = Box::<FxHashMap<ExprId, DefId>>::default();
            for def in self.def_ids() {
                if let Some(init) = self.def(def).init {
                    all.entry(init).or_insert(def);
                }
            }
            all
        });
        inits.get(&value).copied()
    }

    /// The import of which a reference is the member.
    pub fn import_by_member(&self, reference: RefId) -> Option<ImportId> {
        self.imports_by_ref().members.get(&reference).copied()
    }

    /// The import of which a reference is the member or a segment of the path.
    pub fn import_by_segment(&self, reference: RefId) -> Option<ImportId> {
        self.imports_by_ref().segments.get(&reference).copied()
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
        let more = names[from..].partition_point(|other| *other == name);
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

    /// The declarations directly in the body of a declaration, in order.
    pub fn own_in_order(&self, def: DefId) -> Vec<DefId> {
        let mut own = self.facts.def(def).body.map_or_else(Vec::new, |body| self.all_in_scope(body).to_vec());
        own.sort_unstable();
        own
    }

    /// The declaration of the innermost class scope around a scope (the scope itself included), with that class scope.
    pub fn enclosing_class(&self, scope: ScopeId) -> Option<(ScopeId, DefId)> {
        self.scope_chain(scope).find_map(|id| {
            let scope = self.facts.scope(id);
            (scope.kind == ScopeKind::Class).then_some((id, scope.owner?))
        })
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
