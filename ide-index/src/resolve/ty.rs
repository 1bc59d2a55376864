//! Types as the resolver handles them, and substitution of type arguments.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::guard::{self, Limit};
use crate::world::{FileId, GlobalDef};

/// A type, or the little that is known of it. Cheap to clone.
#[derive(Clone, Debug, Eq)]
pub enum Ty {
    /// Nothing is known. Member access on it resolves to nothing (or by name only).
    Unknown,
    /// A value of a declared type, with the type's arguments in declaration order; missing ones are unknown.
    Instance(GlobalDef, Args),
    /// The declared type itself as a value: static access, construction.
    Class(GlobalDef, Args),
    /// The namespace that a file is (a Python, JavaScript, Rust module).
    Module(FileId),
    /// A namespace without a file of its own: a Java or PHP package, a Go package, a namespace directory.
    Package(Arc<str>),
    /// A function or method as a value, with the receiver it is bound to.
    Function(GlobalDef, Option<Arc<Ty>>),
    /// A function type without declaration.
    Callable {
        params: Types,
        result: Arc<Ty>,
    },
    Tuple(Types),
    Array(Arc<Ty>),
    Pointer(Arc<Ty>),
    /// One of several.
    Union(Types),
    /// All of several.
    Intersection(Types),
    /// A type parameter that is not bound here.
    Param(GlobalDef),
    /// A keyword type: `int`, `string`; a literal's type under the language's name for it.
    Primitive(Arc<str>),
    /// A string, number or boolean literal type with its text.
    Literal(Arc<str>),
    /// A value of a library type of which only the qualified name is known. A name that begins with `#` is an operator
    /// on types that the language's policy works out.
    External(Arc<str>, Args),
    /// A library type, function or module itself.
    ExternalName(Arc<str>),
    /// No value: `void`, `never`, `None` where it matters.
    Nothing,
}

/// Types in order, shared: those of most types are none, which take no memory and are not counted.
#[derive(Clone, Default)]
pub struct Types(Option<Arc<List>>);

/// Types with their hash, which is asked for far more often than lists are made. Deep types whose first parts agree would
/// otherwise have to be compared to their end.
struct List {
    hash: u64,
    types: Box<[Ty]>,
}

/// Type arguments.
pub type Args = Types;

impl Deref for Types {
    type Target = [Ty];

    fn deref(&self) -> &[Ty] {
        self.0.as_deref().map_or(&[], |list| &list.types)
    }
}

impl PartialEq for Types {
    fn eq(&self, other: &Self) -> bool {
        // Shared lists are not compared: large types are mostly made of the same parts.
        self.is_like(other, &mut MOST_COMPARED.clone())
    }
}

impl Eq for Types {}

impl Hash for Types {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.as_deref().map_or(0, |list| list.hash).hash(state);
    }
}

/// Arrays of arrays, pointers to pointers and results of results that go into the hash of a type.
const MOST_HASHED: usize = 64;

/// Parts that are compared with each other before two types count as different.
const MOST_COMPARED: usize = 100_000;
/// The parts of a union that are compared one by one.
const FEW_PARTS: usize = 32;

impl Types {
    fn is_like(&self, other: &Self, left: &mut usize) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                Arc::ptr_eq(a, b)
                    || a.hash == b.hash
                        && a.types.len() == b.types.len()
                        && a.types.iter().zip(&b.types).all(|(a, b)| a.is_like(b, left))
            }
            _ => false,
        }
    }
}

impl fmt::Debug for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl From<Box<[Ty]>> for Types {
    fn from(types: Box<[Ty]>) -> Self {
        if types.is_empty() {
            return Self::default();
        }
        let mut hasher = FxHasher::default();
        types.hash(&mut hasher);
        Self(Some(Arc::new(List { hash: hasher.finish(), types })))
    }
}

impl From<Vec<Ty>> for Types {
    fn from(types: Vec<Ty>) -> Self {
        types.into_boxed_slice().into()
    }
}

impl<const N: usize> From<[Ty; N]> for Types {
    fn from(types: [Ty; N]) -> Self {
        (Box::new(types) as Box<[Ty]>).into()
    }
}

impl From<&[Ty]> for Types {
    fn from(types: &[Ty]) -> Self {
        Box::<[Ty]>::from(types).into()
    }
}

impl FromIterator<Ty> for Types {
    fn from_iter<I: IntoIterator<Item = Ty>>(types: I) -> Self {
        types.into_iter().collect::<Box<[_]>>().into()
    }
}

/// The type bound to each type parameter.
pub type Substitution = FxHashMap<GlobalDef, Ty>;

impl PartialEq for Ty {
    fn eq(&self, other: &Self) -> bool {
        self.is_like(other, &mut MOST_COMPARED.clone())
    }
}

impl Hash for Ty {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash_some(state, MOST_HASHED);
    }
}

impl Ty {
    /// Whether two types are equal, as far as so many parts say.
    fn is_like(&self, other: &Self, left: &mut usize) -> bool {
        if *left == 0 {
            return false;
        }
        *left -= 1;
        let one = |a: &Arc<Self>, b: &Arc<Self>, left: &mut usize| Arc::ptr_eq(a, b) || a.is_like(b, left);
        match (self, other) {
            (Self::Unknown, Self::Unknown) | (Self::Nothing, Self::Nothing) => true,
            (Self::Instance(a, x), Self::Instance(b, y)) | (Self::Class(a, x), Self::Class(b, y)) => {
                a == b && x.is_like(y, left)
            }
            (Self::External(a, x), Self::External(b, y)) => a == b && x.is_like(y, left),
            (Self::Function(a, x), Self::Function(b, y)) => {
                a == b
                    && match (x, y) {
                        (Some(x), Some(y)) => one(x, y, left),
                        (x, y) => x.is_none() && y.is_none(),
                    }
            }
            (Self::Callable { params: a, result: x }, Self::Callable { params: b, result: y }) => {
                a.is_like(b, left) && one(x, y, left)
            }
            (Self::Tuple(a), Self::Tuple(b))
            | (Self::Union(a), Self::Union(b))
            | (Self::Intersection(a), Self::Intersection(b)) => a.is_like(b, left),
            (Self::Array(a), Self::Array(b)) | (Self::Pointer(a), Self::Pointer(b)) => one(a, b, left),
            (Self::Param(a), Self::Param(b)) => a == b,
            (Self::Module(a), Self::Module(b)) => a == b,
            (Self::Package(a), Self::Package(b))
            | (Self::Primitive(a), Self::Primitive(b))
            | (Self::Literal(a), Self::Literal(b))
            | (Self::ExternalName(a), Self::ExternalName(b)) => a == b,
            _ => false,
        }
    }

    /// Hashes a type, and what it points to as far as so many levels.
    fn hash_some<H: Hasher>(&self, state: &mut H, levels: usize) {
        std::mem::discriminant(self).hash(state);
        let Some(levels) = levels.checked_sub(1) else { return };
        match self {
            Self::Unknown | Self::Nothing => {}
            Self::Instance(def, args) | Self::Class(def, args) => {
                def.hash(state);
                args.hash(state);
            }
            Self::Function(def, receiver) => {
                def.hash(state);
                receiver.iter().for_each(|ty| ty.hash_some(state, levels));
            }
            Self::Callable { params, result } => {
                params.hash(state);
                result.hash_some(state, levels);
            }
            Self::Tuple(types) | Self::Union(types) | Self::Intersection(types) => types.hash(state),
            Self::Array(ty) | Self::Pointer(ty) => ty.hash_some(state, levels),
            Self::Param(def) => def.hash(state),
            Self::Module(file) => file.hash(state),
            Self::External(name, args) => {
                name.hash(state);
                args.hash(state);
            }
            Self::Package(name) | Self::Primitive(name) | Self::Literal(name) | Self::ExternalName(name) => {
                name.hash(state);
            }
        }
    }
}

impl Ty {
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// A type without arguments.
    pub fn instance(def: GlobalDef) -> Self {
        Self::Instance(def, Args::default())
    }

    pub fn class(def: GlobalDef) -> Self {
        Self::Class(def, Args::default())
    }

    pub fn external(name: impl Into<Arc<str>>) -> Self {
        Self::External(name.into(), Args::default())
    }

    /// The union of several types: unknown parts and duplicates dropped, nested unions flattened. Unknown when nothing
    /// is left.
    pub fn union(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut parts = parts.into_iter().filter(|part| !matches!(part, Self::Unknown));
        let Some(first) = parts.next() else { return Self::Unknown };
        let other = parts.find(|part| *part != first);
        // Mostly there is but one.
        if other.is_none() && !matches!(first, Self::Union(_)) {
            return first;
        }
        let (mut flat, mut seen) = (Vec::<Self>::new(), FxHashSet::default());
        let mut add = |ty: Self| {
            guard::tick();
            let is_new = match flat.len() {
                ..FEW_PARTS => !flat.contains(&ty),
                FEW_PARTS => {
                    seen.extend(flat.iter().cloned());
                    seen.insert(ty.clone())
                }
                _ => seen.insert(ty.clone()),
            };
            if is_new {
                flat.push(ty);
            }
        };
        for part in std::iter::once(first).chain(other).chain(parts) {
            match part {
                Self::Union(inner) => inner.iter().for_each(|ty| add(ty.clone())),
                other => add(other),
            }
        }
        match flat.len() {
            0 => Self::Unknown,
            1 => flat.swap_remove(0),
            _ => Self::Union(flat.into()),
        }
    }

    /// Whether a type consists of more than so many types.
    pub(crate) fn is_larger_than(&self, limit: usize) -> bool {
        !self.has_each(limit, |_| true)
    }

    /// Whether a type nests deeper than so many levels. Types of few parts are not looked at: they do not.
    fn is_deeper_than(&self, limit: usize) -> bool {
        fn down<'t>(ty: &'t Ty, left: usize, seen: &mut FxHashMap<*const Ty, usize>) -> bool {
            let Some(left) = left.checked_sub(1) else { return true };
            let mut any = |types: &'t [Ty]| {
                let before = (!types.is_empty()).then(|| seen.insert(types.as_ptr(), left)).flatten();
                // Looked at with as many levels left, or fewer.
                if before.is_some_and(|before| before <= left) {
                    seen.insert(types.as_ptr(), before.unwrap_or(left));
                    return false;
                }
                types.iter().any(|ty| down(ty, left, seen))
            };
            match ty {
                Ty::Instance(_, types)
                | Ty::Class(_, types)
                | Ty::External(_, types)
                | Ty::Tuple(types)
                | Ty::Union(types)
                | Ty::Intersection(types) => any(types),
                Ty::Array(one) | Ty::Pointer(one) | Ty::Function(_, Some(one)) => down(one, left, seen),
                Ty::Callable { params, result } => any(params) || down(result, left, seen),
                _ => false,
            }
        }
        self.is_larger_than(limit) && down(self, limit, &mut FxHashMap::default())
    }

    /// Whether a type consists of up to so many types, none of them unknown.
    pub(crate) fn is_known_to(&self, limit: usize) -> bool {
        self.has_each(limit, |ty| !ty.is_unknown())
    }

    /// Whether something holds for all types that a type consists of, which are not more than so many.
    fn has_each(&self, limit: usize, holds: fn(&Self) -> bool) -> bool {
        fn take(ty: &Ty, left: &mut usize, holds: fn(&Ty) -> bool) -> bool {
            if *left == 0 || !holds(ty) {
                return false;
            }
            *left -= 1;
            let mut all = |types: &[Ty]| types.iter().all(|ty| take(ty, left, holds));
            match ty {
                Ty::Instance(_, types)
                | Ty::Class(_, types)
                | Ty::External(_, types)
                | Ty::Tuple(types)
                | Ty::Union(types)
                | Ty::Intersection(types) => all(types),
                Ty::Array(one) | Ty::Pointer(one) | Ty::Function(_, Some(one)) => take(one, left, holds),
                Ty::Callable { params, result } => all(params) && take(result, left, holds),
                _ => true,
            }
        }
        take(self, &mut limit.clone(), holds)
    }

    /// The parts of a union, or the type itself.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Union(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// The declaration behind an instance or a class.
    pub fn def(&self) -> Option<GlobalDef> {
        match self {
            Self::Instance(def, _) | Self::Class(def, _) | Self::Function(def, _) | Self::Param(def) => {
                Some(*def)
            }
            _ => None,
        }
    }

    /// Type arguments, empty for what has none.
    pub fn args(&self) -> &[Self] {
        match self {
            Self::Instance(_, args) | Self::Class(_, args) | Self::External(_, args) => args,
            _ => &[],
        }
    }

    /// The value that a class makes: an instance of it.
    pub fn instantiate(self) -> Self {
        match self {
            Self::Class(def, args) => Self::Instance(def, args),
            Self::ExternalName(name) => Self::External(name, Args::default()),
            other => other,
        }
    }

    /// Replaces type parameters. Parameters that the substitution does not know stay.
    #[must_use]
    pub fn substitute(&self, with: &Substitution) -> Self {
        if with.is_empty() {
            return self.clone();
        }
        let mut replacing = Replacing { with, level: 0, seen: 0, done: FxHashMap::default() };
        replacing.one(self).unwrap_or_else(|| self.clone())
    }

    /// Replaces parameters that are still unbound by unknown: what is left of an inference.
    #[must_use]
    pub fn forget(&self, params: &[GlobalDef]) -> Self {
        let unknown: Substitution = params.iter().map(|def| (*def, Self::Unknown)).collect();
        self.substitute(&unknown)
    }
}

/// No substitution makes a type that nests deeper: everything that goes through a type, also what compares and drops it,
/// recurses.
const MAX_LEVELS: usize = 200;

/// One substitution. Types that nothing changes stay shared, and large types whose parts are shared are gone through once
/// for each part: there may be more ways to a part than anybody could go.
struct Replacing<'s> {
    with: &'s Substitution,
    /// How deep the part lies that is looked at.
    level: usize,
    /// Lists of types met so far.
    seen: usize,
    /// The results for lists that were met after the first few, by their place in memory.
    done: FxHashMap<*const Ty, Option<Args>>,
}

impl Replacing<'_> {
    /// Smaller types are gone through faster than their parts could be remembered.
    const FEW: usize = 64;

    /// The result for a type; `None` when that is the type itself.
    fn one(&mut self, ty: &Ty) -> Option<Ty> {
        self.level += 1;
        let new = self.inside(ty);
        self.level -= 1;
        new
    }

    fn inside(&mut self, ty: &Ty) -> Option<Ty> {
        Some(match ty {
            Ty::Param(def) => {
                let new = self.with.get(def)?;
                // Types that grow at each turn would fill memory and stack.
                if new.is_deeper_than(MAX_LEVELS.saturating_sub(self.level)) {
                    guard::note(Limit::Nesting);
                    return Some(Ty::Unknown);
                }
                new.clone()
            }
            Ty::Instance(def, args) => Ty::Instance(*def, self.all(args)?),
            Ty::Class(def, args) => Ty::Class(*def, self.all(args)?),
            Ty::External(name, args) => Ty::External(name.clone(), self.all(args)?),
            Ty::Callable { params, result } => {
                let (new_params, new_result) = (self.all(params), self.boxed(result));
                if new_params.is_none() && new_result.is_none() {
                    return None;
                }
                Ty::Callable {
                    params: new_params.unwrap_or_else(|| params.clone()),
                    result: new_result.unwrap_or_else(|| result.clone()),
                }
            }
            Ty::Tuple(items) => Ty::Tuple(self.all(items)?),
            Ty::Array(item) => Ty::Array(self.boxed(item)?),
            Ty::Pointer(item) => Ty::Pointer(self.boxed(item)?),
            Ty::Union(parts) => Ty::union(self.all(parts)?.iter().cloned()),
            Ty::Intersection(parts) => Ty::Intersection(self.all(parts)?),
            Ty::Function(def, Some(receiver)) => Ty::Function(*def, Some(self.boxed(receiver)?)),
            _ => return None,
        })
    }

    fn boxed(&mut self, ty: &Arc<Ty>) -> Option<Arc<Ty>> {
        self.one(ty).map(Arc::new)
    }

    fn all(&mut self, types: &Args) -> Option<Args> {
        if types.is_empty() {
            return None;
        }
        self.seen += 1;
        if self.seen <= Self::FEW {
            return self.list(types);
        }
        if let Some(done) = self.done.get(&types.as_ptr()) {
            return done.clone();
        }
        let new = self.list(types);
        self.done.insert(types.as_ptr(), new.clone());
        new
    }

    fn list(&mut self, types: &[Ty]) -> Option<Args> {
        let (at, first) = types.iter().enumerate().find_map(|(i, ty)| Some((i, self.one(ty)?)))?;
        let mut all = types[..at].to_vec();
        all.push(first);
        for ty in &types[at + 1..] {
            all.push(self.one(ty).unwrap_or_else(|| ty.clone()));
        }
        Some(all.into())
    }
}

/// Unifies a declared type with an actual one and notes what the type parameters among `params` stand for. The first
/// binding of a parameter stays.
pub fn unify(declared: &Ty, actual: &Ty, params: &[GlobalDef], into: &mut Substitution) {
    match (declared, actual) {
        (_, Ty::Unknown) => {}
        (Ty::Param(def), _) if params.contains(def) => {
            into.entry(*def).or_insert_with(|| actual.clone());
        }
        (Ty::Instance(a, x), Ty::Instance(b, y)) | (Ty::Class(a, x), Ty::Class(b, y)) if a == b => {
            unify_all(x, y, params, into);
        }
        (Ty::External(a, x), Ty::External(b, y)) if a == b => unify_all(x, y, params, into),
        (Ty::Array(a), Ty::Array(b)) | (Ty::Pointer(a), Ty::Pointer(b)) => unify(a, b, params, into),
        (Ty::Tuple(a), Ty::Tuple(b)) => unify_all(a, b, params, into),
        (Ty::Callable { params: p, result: r }, Ty::Callable { params: q, result: s }) => {
            unify_all(p, q, params, into);
            unify(r, s, params, into);
        }
        // Of `T | T[]` an array says what it holds.
        (Ty::Union(parts), _) => {
            let known = into.len();
            let is_bare = |part: &&Ty| matches!(part, Ty::Param(def) if params.contains(def));
            for part in parts.iter().filter(|part| !is_bare(part)) {
                unify(part, actual, params, into);
            }
            if into.len() == known {
                for part in parts.iter().filter(is_bare) {
                    unify(part, actual, params, into);
                }
            }
        }
        (Ty::Intersection(parts), _) => {
            for part in parts.iter() {
                unify(part, actual, params, into);
            }
        }
        // A list that stands for a pair may hold either in either place.
        (Ty::Tuple(items), Ty::Array(held)) => {
            for item in items.iter() {
                unify(item, held, params, into);
            }
        }
        (_, Ty::Union(parts)) => {
            for part in parts.iter() {
                unify(declared, part, params, into);
            }
        }
        _ => {}
    }
}

fn unify_all(declared: &[Ty], actual: &[Ty], params: &[GlobalDef], into: &mut Substitution) {
    for (d, a) in declared.iter().zip(actual) {
        unify(d, a, params, into);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_of_many_types_keeps_each_once_and_their_order() {
        let many: Vec<Ty> = (0..40).map(|i| Ty::external(format!("t{i}"))).collect();
        let twice = many.iter().chain(&many).cloned();
        assert_eq!(Ty::union(twice), Ty::Union(many.into()));
    }

    #[test]
    fn the_parts_of_a_type_are_replaced_once_however_many_ways_lead_to_them() {
        let param = GlobalDef { file: FileId(0), def: crate::facts::DefId(0) };
        let doubled = |leaf| (0..60).fold(leaf, |ty: Ty, _| Ty::Tuple(Types::from([ty.clone(), ty])));
        let with = Substitution::from_iter([(param, Ty::external("a"))]);
        let mut inside = doubled(Ty::Param(param)).substitute(&with);
        while let Ty::Tuple(items) = &inside {
            inside = items[1].clone();
        }
        assert_eq!(inside, Ty::external("a"));
    }

    #[test]
    fn large_types_are_hashed_and_compared_in_part() {
        let doubled =
            || (0..60).fold(Ty::external("a"), |ty: Ty, _| Ty::Tuple(Types::from([ty.clone(), ty])));
        let (one, two) = (doubled(), doubled());
        let known = FxHashMap::from_iter([(one.clone(), 1)]);
        assert_eq!(known.get(&one), Some(&1));
        assert_ne!(one, two, "not known to be equal");
    }

    #[test]
    fn types_are_told_apart_and_shared_parts_are_not_compared() {
        let def = |n| GlobalDef { file: FileId(0), def: crate::facts::DefId(n) };
        let leaf = Ty::external("a");
        let one = Arc::new(leaf.clone());
        let list: Args = Types::from([leaf.clone()]);
        let all = [
            Ty::Unknown,
            Ty::Nothing,
            Ty::instance(def(0)),
            Ty::instance(def(1)),
            Ty::Instance(def(0), list.clone()),
            Ty::class(def(0)),
            Ty::Class(def(0), list.clone()),
            Ty::Module(FileId(0)),
            Ty::Module(FileId(1)),
            Ty::Package("a".into()),
            Ty::Package("b".into()),
            Ty::Function(def(0), None),
            Ty::Function(def(0), Some(one.clone())),
            Ty::Function(def(0), Some(Arc::new(Ty::Unknown))),
            Ty::Callable { params: list.clone(), result: one.clone() },
            Ty::Callable { params: list.clone(), result: Arc::new(Ty::Unknown) },
            Ty::Callable { params: Types::default(), result: one.clone() },
            Ty::Tuple(list.clone()),
            Ty::Union(list.clone()),
            Ty::Intersection(list.clone()),
            Ty::Array(one.clone()),
            Ty::Pointer(one),
            Ty::Param(def(0)),
            Ty::Param(def(1)),
            Ty::Primitive("a".into()),
            Ty::Literal("a".into()),
            leaf.clone(),
            Ty::External("a".into(), list),
            Ty::ExternalName("a".into()),
        ];
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                assert_eq!(a == b, i == j, "{a:?} {b:?}");
            }
        }
        // Doubled sixty times: nobody could compare it part by part.
        let huge = (0..60).fold(leaf, |ty, _| Ty::Tuple(Types::from([ty.clone(), ty])));
        assert!(huge == huge.clone());
    }

    #[test]
    fn the_size_of_a_type_counts_every_part_of_it() {
        let leaf = Ty::external("a");
        let pair = Ty::Tuple(Types::from([leaf.clone(), Ty::Array(Arc::new(leaf.clone()))]));
        assert!(leaf.is_larger_than(0) && !leaf.is_larger_than(1));
        assert!(pair.is_larger_than(3) && !pair.is_larger_than(4));
        // Doubled sixty times: nobody could count it.
        let huge = (0..60).fold(leaf, |ty, _| Ty::Tuple(Types::from([ty.clone(), ty])));
        assert!(huge.is_larger_than(5_000));
    }
}
