//! The generic resolver: names to declarations, expressions to types, by demand and with memory.
//!
//! A [`Resolver`] lives on one world and one thread. Every question is answered at most once; questions that ask for
//! themselves are cut by a mark, and what was computed under a cut is not remembered unless the cut lies inside it.

mod by_place;
mod file;
pub(crate) mod flow;
mod infer;
pub(crate) mod lines;
mod memory;
mod names;
mod places;
mod policy;
mod ty;

use std::any::{Any, TypeId as RustTypeId};
use std::cell::Cell;
use std::sync::Arc;

use elsa::FrozenMap;
use ide_model::{Confidence, Language, SymbolKind};
use rustc_hash::FxBuildHasher;
use smallvec::{SmallVec, smallvec};

use crate::facts::{Def, DefFlags, FileFacts};
use crate::guard::{self, Limit};
use crate::lang;
use crate::world::{FileId, GlobalDef, World};

pub use file::FileView;
use file::Table;
pub(crate) use file::Views;
pub(crate) use infer::Generic;
pub(crate) use memory::Recent;
use memory::{ByFile, Memo, Memory, Slot};
pub(crate) use places::ANOTHER_BUILD;
pub use places::{GivenName, MacroWord, ModuleMove, ModulePath, ModulePlace, NewModule, PackagePlace, Place};
pub use policy::Policy;
pub use ty::{Args, Substitution, Ty, Types, unify};

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    Def(GlobalDef),
    /// The file as a module.
    Module(FileId),
    /// A package or namespace that is no file.
    Package(Arc<str>),
    /// Something outside the world, by its qualified name.
    External(Arc<str>),
}

/// Why a resolution is worth no more than it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    None,
    NotFound,
    UnknownReceiver,
    SeveralCandidates,
    ByNameOnly,
    /// The question depends on itself, or took too many steps.
    Cut,
    Dynamic,
    Macro,
    /// Belongs to a library that is not indexed.
    Library,
}

/// The outcome of resolving a name: no targets means that nothing is known.
#[derive(Debug, PartialEq, Eq)]
pub struct Resolution {
    /// Best first. More than one is either a legitimate plural ([`Confidence::Exact`], merged declarations) or an
    /// ambiguity.
    pub targets: SmallVec<[Target; 1]>,
    pub confidence: Confidence,
    pub reason: Reason,
}

impl Clone for Resolution {
    fn clone(&self) -> Self {
        // Nearly all have one target, which need not be gone through as a list.
        let targets = match &*self.targets {
            [] => SmallVec::new(),
            [target] => smallvec![target.clone()],
            _ => self.targets.clone(),
        };
        Self { targets, confidence: self.confidence, reason: self.reason }
    }
}

impl Resolution {
    pub fn of(target: Target, confidence: Confidence) -> Self {
        Self { targets: smallvec![target], confidence, reason: Reason::None }
    }

    pub fn exact(target: Target) -> Self {
        Self::of(target, Confidence::Exact)
    }

    pub fn def(def: GlobalDef) -> Self {
        Self::exact(Target::Def(def))
    }

    /// Something of a library that is not indexed.
    pub fn external(name: impl Into<Arc<str>>) -> Self {
        Self {
            targets: smallvec![Target::External(name.into())],
            confidence: Confidence::Exact,
            reason: Reason::Library,
        }
    }

    pub fn unknown(reason: Reason) -> Self {
        Self { targets: SmallVec::new(), confidence: Confidence::NameOnly, reason }
    }

    pub fn is_unknown(&self) -> bool {
        self.targets.is_empty()
    }

    /// The declaration that is meant for certain; `None` where there are several, or something besides it.
    pub fn certain_def(&self) -> Option<GlobalDef> {
        match self.targets[..] {
            [Target::Def(def)] if self.confidence.is_certain() => Some(def),
            _ => None,
        }
    }

    pub fn defs(&self) -> impl Iterator<Item = GlobalDef> + '_ {
        self.targets.iter().filter_map(|target| match target {
            Target::Def(def) => Some(*def),
            _ => None,
        })
    }
}

/// A member found on a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub target: Target,
    /// The supertype (with arguments) that declares it; for substitution.
    pub owner: Ty,
    pub confidence: Confidence,
}

impl Member {
    pub fn plain(def: GlobalDef) -> Self {
        Self::of(Target::Def(def))
    }

    /// Something that is not found by way of a type: of a module, a package.
    pub fn of(target: Target) -> Self {
        Self { target, owner: Ty::Unknown, confidence: Confidence::Exact }
    }

    pub fn target(&self) -> Target {
        self.target.clone()
    }

    pub fn def(&self) -> Option<GlobalDef> {
        match self.target {
            Target::Def(def) => Some(def),
            _ => None,
        }
    }
}

/// A resolved name together with what the access adds: the type arguments of the receiver.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub resolution: Resolution,
    /// The receiver's type as the supertype that declares the (first) target.
    pub owner: Ty,
}

/// Resolves names and types on one world. Not shared between threads, but it may move: keep some and lend them out.
pub struct Resolver {
    world: Arc<dyn World>,
    files: FrozenMap<FileId, Box<Held>, FxBuildHasher>,
    /// The files that other resolvers on this world hold.
    views: Arc<Views>,
    /// The size of these files' facts, in answers.
    weight: Cell<usize>,
    /// How often it was handed out.
    turn: Cell<u32>,
    refs: ByFile<Resolved>,
    exprs: ByFile<Ty>,
    types: ByFile<Ty>,
    defs: ByFile<Ty>,
    returns: ByFile<Ty>,
    supers: ByFile<Types>,
    /// The next step of each import.
    imports: ByFile<Resolution>,
    lines: Memo<Ty, Types>,
    last_line: lines::LastLine,
    extensions: FrozenMap<RustTypeId, Table, FxBuildHasher>,
    depth: Cell<u32>,
    /// The smallest depth at which a question was cut because it is still open.
    lowest_cut: Cell<u32>,
    steps: Cell<u32>,
}

/// Deeper questions are cut.
const MAX_DEPTH: u32 = 120;
/// Steps that one question from outside may take, with all that it asks in turn.
const MAX_WORK: u64 = 2_000_000;
/// Steps after which answers under a cut are remembered anyway, so that knots of mutual questions stay cheap.
const PATIENCE: u32 = 20_000;

/// A file of which something is remembered.
struct Held {
    view: Arc<FileView>,
    /// The last turn in which it was asked for.
    turn: Cell<u32>,
}

impl Resolver {
    pub fn new(world: Arc<dyn World>) -> Self {
        Self::sharing(world, Arc::default())
    }

    /// A resolver that takes files from others on the same world.
    pub(crate) fn sharing(world: Arc<dyn World>, views: Arc<Views>) -> Self {
        Self {
            world,
            views,
            files: FrozenMap::default(),
            weight: Cell::new(0),
            turn: Cell::new(0),
            refs: ByFile::default(),
            exprs: ByFile::default(),
            types: ByFile::default(),
            defs: ByFile::default(),
            returns: ByFile::default(),
            supers: ByFile::default(),
            imports: ByFile::default(),
            lines: Memo::default(),
            last_line: lines::LastLine::default(),
            extensions: FrozenMap::default(),
            depth: Cell::new(0),
            lowest_cut: Cell::new(u32::MAX),
            steps: Cell::new(0),
        }
    }

    pub fn world(&self) -> &dyn World {
        &*self.world
    }

    /// The facts of a file with look-up tables.
    pub fn file(&self, id: FileId) -> &FileView {
        &self.held(id).view
    }

    /// [`Self::file`] for those who keep it longer than this resolver.
    pub(crate) fn shared_file(&self, id: FileId) -> Arc<FileView> {
        self.held(id).view.clone()
    }

    /// The facts of a file, for a look that leaves no memory of it.
    pub(crate) fn facts(&self, id: FileId) -> Arc<FileFacts> {
        let held = self.files.get(&id).map(|held| held.view.facts().clone());
        held.unwrap_or_else(|| self.world().facts(id))
    }

    fn held(&self, id: FileId) -> &Held {
        let held = self.files.get(&id).unwrap_or_else(|| {
            let held = Held { view: self.views.get(id, self.world()), turn: self.turn.clone() };
            self.weight.set(self.weight.get() + held.weight());
            self.files.insert(id, Box::new(held))
        });
        held.turn.set(self.turn.get());
        guard::tick();
        held
    }

    /// A declaration's facts.
    pub fn def(&self, def: GlobalDef) -> &Def {
        self.file(def.file).def(def.def)
    }

    pub fn kind(&self, def: GlobalDef) -> SymbolKind {
        self.file(def.file).def(def.def).kind
    }

    pub fn has_flag(&self, def: GlobalDef, flag: DefFlags) -> bool {
        self.file(def.file).has_flag(def.def, flag)
    }

    pub fn def_name(&self, def: GlobalDef) -> &str {
        self.file(def.file).def_name(def.def)
    }

    /// [`Self::def_name`] for those who keep it.
    pub fn shared_name(&self, def: GlobalDef) -> Arc<str> {
        self.def_name(def).into()
    }

    /// The rules of a file's language.
    pub fn policy(&self, file: &FileView) -> &'static dyn Policy {
        lang::policy(file.language())
    }

    pub(crate) fn policy_of(&self, def: GlobalDef) -> &'static dyn Policy {
        lang::policy(self.language_of(def))
    }

    pub fn language_of(&self, def: GlobalDef) -> Language {
        // Without reading its facts.
        self.world().file(def.file).language.unwrap_or_else(|| self.file(def.file).language())
    }

    /// Data that a policy derives from the world alone, made at its first use and the same for all resolvers on this
    /// world. One per type `T`. Making it may take long: it goes through every file.
    pub fn of_world<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> &T {
        self.shared_by_worlds(|rx| Arc::new(make(rx)))
    }

    /// [`Self::of_world`] of something that other worlds may have too.
    pub(crate) fn shared_by_worlds<T: Any + Send + Sync>(&self, find: impl FnOnce(&Self) -> Arc<T>) -> &T {
        self.kept(|key| self.views.table(key, || find(self)))
    }

    /// The memory of a policy, empty at its first use. One per type `T`; forgotten with this resolver.
    pub fn extension<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> &T {
        self.kept(|_| Arc::new(make(self)))
    }

    fn kept<T: Any + Send + Sync>(&self, make: impl FnOnce(RustTypeId) -> Table) -> &T {
        let key = RustTypeId::of::<T>();
        let any = self.extensions.get(&key).unwrap_or_else(|| self.extensions.insert(key, make(key)));
        any.downcast_ref().expect("extensions are keyed by their type")
    }

    /// An answer, and whether it is whole: no question that it needed was cut.
    pub(crate) fn wholly<V>(&self, answer: impl FnOnce() -> V) -> (V, bool) {
        let outer_cut = self.lowest_cut.replace(u32::MAX);
        let value = answer();
        let inner_cut = self.lowest_cut.get();
        self.lowest_cut.set(outer_cut.min(inner_cut));
        (value, inner_cut == u32::MAX)
    }

    /// Answers a question once. `cut` is given when the question is open already or too deep.
    fn remember<M: Memory<V>, V: Clone>(
        &self,
        memo: &M,
        key: &M::Key,
        cut: impl FnOnce() -> V,
        answer: impl FnOnce() -> V,
    ) -> V {
        let depth = self.depth.get();
        match memo.get(key) {
            Some(Slot::Done(value)) => return value,
            Some(Slot::Open(at)) => {
                self.lowest_cut.set(self.lowest_cut.get().min(at));
                return cut();
            }
            None => {}
        }
        if depth >= MAX_DEPTH {
            guard::note(Limit::Nesting);
            self.lowest_cut.set(0);
            return cut();
        }
        if depth == 0 {
            self.steps.set(0);
            self.lowest_cut.set(u32::MAX);
            return guard::with_work(MAX_WORK, || self.look(memo, key, cut, answer));
        }
        self.look(memo, key, cut, answer)
    }

    /// Answers a question that nobody has answered yet.
    fn look<M: Memory<V>, V: Clone>(
        &self,
        memo: &M,
        key: &M::Key,
        cut: impl FnOnce() -> V,
        answer: impl FnOnce() -> V,
    ) -> V {
        let depth = self.depth.get();
        self.steps.set(self.steps.get() + 1);
        memo.set(key, Some(Slot::Open(depth)));
        let outer_cut = self.lowest_cut.replace(u32::MAX);
        self.depth.set(depth + 1);
        let answered = guard::deeper(answer);
        self.depth.set(depth);
        let Some(value) = answered else {
            memo.set(key, None);
            self.lowest_cut.set(0);
            return cut();
        };
        let inner_cut = self.lowest_cut.get();
        // A cut at this very question is inside it; one further out makes the answer provisional.
        let provisional = inner_cut < depth && self.steps.get() < PATIENCE;
        memo.set(key, (!provisional).then(|| Slot::Done(value.clone())));
        self.lowest_cut.set(if inner_cut < depth { outer_cut.min(inner_cut) } else { outer_cut });
        value
    }
}

#[cfg(test)]
mod tests {
    use super::Resolver;

    #[test]
    fn a_resolver_may_move_to_another_thread() {
        fn assert_send<T: Send>() {}
        assert_send::<Resolver>();
    }
}
