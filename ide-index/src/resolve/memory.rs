//! The memory of a resolver, and its bound: a resolver forgets all its answers about the files that were not asked
//! for longest.

use std::cell::{Cell, RefCell};
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::lines::LastLine;
use super::{Held, Resolver, Ty};
use crate::world::FileId;

#[derive(Clone)]
pub(super) enum Slot<V> {
    /// Being answered, at this depth.
    Open(u32),
    Done(V),
}

/// Answers by what was asked.
pub(super) trait Memory<V> {
    type Key;

    fn get(&self, key: &Self::Key) -> Option<Slot<V>>;

    fn set(&self, key: &Self::Key, slot: Option<Slot<V>>);
}

pub(super) struct Memo<K, V>(RefCell<FxHashMap<K, Slot<V>>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<K: Hash + Eq + Clone, V: Clone> Memory<V> for Memo<K, V> {
    type Key = K;

    fn get(&self, key: &K) -> Option<Slot<V>> {
        self.0.borrow().get(key).cloned()
    }

    fn set(&self, key: &K, slot: Option<Slot<V>>) {
        match slot {
            Some(slot) => self.0.borrow_mut().insert(key.clone(), slot),
            None => self.0.borrow_mut().remove(key),
        };
    }
}

/// Answers to the questions asked last. Each has one place, which the next question that would have it takes over, so that
/// they take as much memory as at the beginning however much is asked.
pub(crate) struct Recent<K, V>(Mutex<Kept<K, V>>);

type Kept<K, V> = Box<[Option<(K, V)>]>;

impl<K: Hash + Eq, V: Clone> Recent<K, V> {
    /// For so many answers, a power of two.
    pub(crate) fn new(most: usize) -> Self {
        Self(Mutex::new(std::iter::repeat_with(|| None).take(most).collect()))
    }

    /// The last answer, or a new one, which is kept if no question was cut for it. Asking may ask for others.
    pub(crate) fn answer(&self, rx: &Resolver, key: K, answer: impl FnOnce() -> V) -> V {
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        let place = hasher.finish() as usize;
        {
            let places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, value)) = places[place % places.len()].as_ref().filter(|(of, _)| *of == key) {
                return value.clone();
            }
        }
        let (value, is_whole) = rx.wholly(answer);
        if is_whole {
            let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let place = place % places.len();
            places[place] = Some((key, value.clone()));
        }
        value
    }
}

/// Answers about what files hold, by the number that it has among its like.
pub(super) struct ByFile<V> {
    files: RefCell<FxHashMap<FileId, Answers<V>>>,
    len: Cell<usize>,
}

/// Answers about what one file holds.
struct Answers<V> {
    places: Places,
    all: Pile<V>,
}

/// Of each number the place behind that of its answer, or [`OPEN`] with the depth at which it is being answered; zero for
/// those that have none.
#[derive(Default)]
struct Places {
    first: Vec<u32>,
    /// The places behind the first [`Self::FIRST`], by layers: for large files few answers are asked for.
    layers: Vec<Vec<u32>>,
}

impl Places {
    const FIRST: usize = 4096;
    const LAYER: usize = 1024;

    fn get(&self, number: usize) -> u32 {
        let place = match number.checked_sub(Self::FIRST) {
            None => self.first.get(number),
            Some(behind) => self.layers.get(behind / Self::LAYER).and_then(|l| l.get(behind % Self::LAYER)),
        };
        place.copied().unwrap_or(0)
    }

    fn set(&mut self, number: usize, place: u32) {
        let (places, number) = match number.checked_sub(Self::FIRST) {
            None => (&mut self.first, number),
            Some(behind) => {
                let layer = behind / Self::LAYER;
                if self.layers.len() <= layer {
                    self.layers.resize_with(layer + 1, Vec::new);
                }
                (&mut self.layers[layer], behind % Self::LAYER)
            }
        };
        if places.len() <= number {
            places.resize(number + 1, 0);
        }
        places[number] = place;
    }
}

/// Answers one upon another. Piles for large files need not be moved when there is no more room.
struct Pile<V>(Vec<Vec<V>>);

impl<V> Pile<V> {
    /// How many lie beside each other.
    const LAYER: usize = 256;

    fn len(&self) -> usize {
        self.0.last().map_or(0, |top| (self.0.len() - 1) * Self::LAYER + top.len())
    }

    fn get(&self, place: usize) -> &V {
        &self.0[place / Self::LAYER][place % Self::LAYER]
    }

    fn push(&mut self, answer: V) {
        match self.0.last_mut().filter(|top| top.len() < Self::LAYER) {
            Some(top) => top.push(answer),
            None => {
                // The first layer is all that most files need.
                let room = if self.0.is_empty() { 0 } else { Self::LAYER };
                let mut layer = Vec::with_capacity(room);
                layer.push(answer);
                self.0.push(layer);
            }
        }
    }
}

/// Marks what is being answered.
const OPEN: u32 = 1 << 31;

impl<V> Default for ByFile<V> {
    fn default() -> Self {
        Self { files: RefCell::default(), len: Cell::new(0) }
    }
}

impl<V: Clone> Memory<V> for ByFile<V> {
    type Key = (FileId, u32);

    fn get(&self, (file, number): &Self::Key) -> Option<Slot<V>> {
        let files = self.files.borrow();
        let answers = files.get(file)?;
        match answers.places.get(*number as usize) {
            0 => None,
            open if open & OPEN != 0 => Some(Slot::Open(open & !OPEN)),
            place => Some(Slot::Done(answers.all.get(place as usize - 1).clone())),
        }
    }

    fn set(&self, (file, number): &Self::Key, slot: Option<Slot<V>>) {
        let mut files = self.files.borrow_mut();
        let Answers { places, all } = files.entry(*file).or_default();
        let place = match slot {
            Some(Slot::Open(depth)) => OPEN | depth,
            Some(Slot::Done(answer)) => {
                all.push(answer);
                self.len.set(self.len.get() + 1);
                all.len() as u32
            }
            None => 0,
        };
        places.set(*number as usize, place);
    }
}

impl<V> Default for Answers<V> {
    fn default() -> Self {
        Self { places: Places::default(), all: Pile(Vec::new()) }
    }
}

impl<V> ByFile<V> {
    pub(super) fn len(&self) -> usize {
        self.len.get()
    }

    fn of(&self, file: FileId) -> usize {
        self.files.borrow().get(&file).map_or(0, |answers| answers.all.len())
    }

    fn retain(&mut self, kept: &FxHashSet<FileId>) {
        let files = self.files.get_mut();
        files.retain(|file, _| kept.contains(file));
        self.len.set(files.values().map(|answers| answers.all.len()).sum());
    }
}

impl Held {
    /// The size of the facts, in answers: they take 30 to 60 bytes a record, an answer about 100.
    pub(super) fn weight(&self) -> usize {
        let facts = &self.view;
        (facts.refs.len() + facts.exprs.len() + facts.scopes.len() + 4 * facts.defs.len()) / 2
    }
}

impl Resolver {
    /// Begins another turn: what is asked for from now on was asked for later than everything before.
    pub(crate) fn begin_turn(&self) {
        self.turn.set(self.turn.get().wrapping_add(1));
    }

    /// How many answers are remembered, the facts that they were made from counted in answers too.
    pub fn remembered(&self) -> usize {
        self.weight.get() + self.refs.len() + self.exprs.len() + self.types.len() + self.defs.len()
    }

    /// Forgets files until no more than `most` answers are remembered.
    pub(crate) fn forget_down_to(&mut self, most: usize) {
        let now = self.turn.get();
        let answers =
            |file| self.refs.of(file) + self.exprs.of(file) + self.types.of(file) + self.defs.of(file);
        let mut by_age: Vec<(u32, usize, FileId)> = (self.files.as_mut().iter())
            .map(|(file, held)| (now.wrapping_sub(held.turn.get()), held.weight() + answers(*file), *file))
            .collect();
        by_age.sort_unstable();
        let mut left = most;
        let fits = |(_, weight, _): &(u32, usize, FileId)| {
            let rest = left.checked_sub(*weight);
            left = rest.unwrap_or(0);
            rest.is_some()
        };
        let kept: FxHashSet<FileId> = by_age.into_iter().take_while(fits).map(|(.., file)| file).collect();
        let files = self.files.as_mut();
        files.retain(|file, _| kept.contains(file));
        self.weight.set(files.values().map(|held| held.weight()).sum());
        self.refs.retain(&kept);
        self.exprs.retain(&kept);
        self.types.retain(&kept);
        self.defs.retain(&kept);
        self.returns.retain(&kept);
        self.supers.retain(&kept);
        self.imports.retain(&kept);
        let lines = self.lines.0.get_mut();
        lines.retain(|ty, _| Ty::def(ty).is_some_and(|def| kept.contains(&def.file)));
        self.last_line = LastLine::default();
        self.extensions.as_mut().clear();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::lang;
    use crate::world::{GlobalRef, MemoryWorld};

    /// The answers to everything that a file asks.
    fn ask(rx: &Resolver, path: &str) -> Vec<crate::resolve::Resolution> {
        rx.begin_turn();
        let file = rx.world().file_by_path(path).unwrap();
        let refs: Vec<GlobalRef> = rx.file(file).ref_ids().map(|r| rx.file(file).global_ref(r)).collect();
        refs.into_iter().map(|at| rx.resolve(at).resolution).collect()
    }

    #[test]
    fn what_was_asked_for_last_is_kept_and_what_is_forgotten_is_answered_alike() {
        let files = [
            ("A.java", "class A { A m() { return this; } }"),
            ("B.java", "class B { A x = new A().m(); A y = x.m().m(); }"),
            ("C.java", "class C { C f() { return f(); } }"),
        ];
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned()));
        let world = MemoryWorld::new(files, lang::front_end);
        let mut rx = Resolver::new(Arc::new(world));
        let before = ask(&rx, "B.java");
        assert!(before.iter().all(|resolution| !resolution.is_unknown()));
        ask(&rx, "C.java");
        let all = rx.remembered();
        rx.forget_down_to(all - 1);
        assert!((1..all).contains(&rx.remembered()));
        assert!(rx.refs.of(rx.world().file_by_path("C.java").unwrap()) > 0);
        assert_eq!(ask(&rx, "B.java"), before);
        rx.forget_down_to(0);
        assert_eq!(rx.remembered(), 0);
        assert_eq!(ask(&rx, "B.java"), before);
    }
}
