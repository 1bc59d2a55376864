//! Data about the standard library without its sources: where the names of the prelude live, and the shapes of very
//! common methods. Data, looked up by the policy.

use std::sync::{Arc, LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};

use super::shapes::{ALIKE, SHAPES};

/// The last segment of a path.
pub(super) fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

/// Names that every module has, by the modules that they come from.
const PRELUDE: &[(&str, &str)] = &[
    ("std::option", "Option"),
    ("std::option::Option", "Some None"),
    ("std::result", "Result"),
    ("std::result::Result", "Ok Err"),
    ("std::vec", "Vec"),
    ("std::string", "String ToString"),
    ("std::boxed", "Box"),
    ("std::borrow", "ToOwned"),
    ("std::clone", "Clone"),
    ("std::marker", "Copy Send Sync Sized Unpin"),
    ("std::ops", "Drop Fn FnMut FnOnce AsyncFn AsyncFnMut AsyncFnOnce"),
    ("std::iter", "Iterator IntoIterator Extend DoubleEndedIterator ExactSizeIterator FromIterator"),
    ("std::default", "Default"),
    ("std::cmp", "PartialEq PartialOrd Eq Ord"),
    ("std::convert", "AsRef AsMut Into From TryFrom TryInto"),
    ("std::mem", "drop size_of size_of_val align_of align_of_val"),
    ("std::fmt", "Debug"),
    ("std::hash", "Hash"),
    ("std::future", "Future IntoFuture"),
    ("", "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char str"),
];

const MACROS: &str = "assert assert_eq assert_ne cfg column compile_error concat concat_idents dbg debug_assert \
    debug_assert_eq debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str \
    line macro_rules matches module_path option_env panic print println stringify thread_local todo try \
    unimplemented unreachable vec write writeln is_x86_feature_detected assert_matches addr_of addr_of_mut global_asm \
    asm ready pin";

/// Macros of the prelude that are used as attributes.
const ATTRIBUTE_MACROS: &str =
    "derive test bench test_case global_allocator cfg_accessible cfg_eval derive_const alloc_error_handler";

const DERIVES: &str = "Debug Clone Copy PartialEq Eq PartialOrd Ord Hash Default";

/// Attributes of the language itself; those that are macros of the prelude are not among them.
const ATTRIBUTES: &str = "allow automatically_derived cfg cfg_attr cold crate_name crate_type debugger_visualizer deny \
    deprecated doc expect export_name feature forbid ignore inline instruction_set link link_name link_ordinal \
    link_section macro_export macro_use must_use no_implicit_prelude no_link no_main no_mangle no_std non_exhaustive \
    panic_handler path proc_macro proc_macro_attribute proc_macro_derive recursion_limit repr should_panic \
    target_feature track_caller type_length_limit used warn windows_subsystem";

static NAMES: LazyLock<FxHashMap<&'static str, Arc<str>>> = LazyLock::new(|| {
    PRELUDE
        .iter()
        .flat_map(|(module, names)| names.split_ascii_whitespace().map(move |name| (module, name)))
        .map(|(module, name)| {
            let path = if module.is_empty() { name.to_owned() } else { format!("{module}::{name}") };
            (name, path.into())
        })
        .collect()
});

static MACRO_NAMES: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| MACROS.split_ascii_whitespace().collect());

static ATTRIBUTE_PATHS: LazyLock<FxHashMap<&'static str, Arc<str>>> = LazyLock::new(|| {
    ATTRIBUTES.split_ascii_whitespace().map(|name| (name, format!("std::{name}").into())).collect()
});

/// The path of a macro of the prelude that is an attribute.
pub(super) fn attribute_macro(name: &str) -> Option<Arc<str>> {
    let is_known = ATTRIBUTE_MACROS.split_ascii_whitespace().any(|known| known == name);
    is_known.then(|| format!("std::{name}").into())
}

/// The path of an attribute of the language. Other attributes of the name cannot be used.
pub(super) fn attribute(name: &str) -> Option<Arc<str>> {
    ATTRIBUTE_PATHS.get(name).cloned()
}

/// The path of a name of the prelude.
pub(super) fn prelude(name: &str) -> Option<Arc<str>> {
    NAMES.get(name).cloned()
}

/// A function or variant of the prelude.
pub(super) fn is_prelude_value(name: &str) -> bool {
    matches!(name, "Some" | "None" | "Ok" | "Err")
        || prelude(name).is_some_and(|path| path.starts_with("std::mem::"))
}

/// A crate whose name says that it holds macros: a name of it is in no other space.
pub(super) fn is_of_macro_crate(path: &str) -> bool {
    let root = path.split("::").next().unwrap_or(path);
    ["_macros", "_macro", "_derive", "_derives"].iter().any(|end| root.ends_with(end)) && path != root
}

/// An alias of the standard library for a `Result`, by its last name.
pub(super) fn is_result_alias(name: &str) -> bool {
    matches!(name, "LockResult" | "TryLockResult")
}

/// A macro that comes with the compiler.
pub(super) fn is_macro(name: &str) -> bool {
    MACRO_NAMES.contains(name)
}

/// A trait that the compiler derives.
pub(super) fn is_derive(name: &str) -> bool {
    DERIVES.split_ascii_whitespace().any(|derive| derive == name)
}

/// The known name that a glob of a library module brings.
pub(super) fn glob(path: &str, name: &str) -> Option<Arc<str>> {
    let known = match last(path) {
        "prelude" | "v1" => return None,
        "fmt" => "Debug Display Formatter Write Arguments Result Error",
        "io" => {
            "Read Write BufRead Seek Error ErrorKind Result BufReader BufWriter Cursor stdin stdout stderr"
        }
        "collections" => "HashMap HashSet BTreeMap BTreeSet VecDeque BinaryHeap LinkedList",
        "cell" => "Cell RefCell OnceCell LazyCell UnsafeCell Ref RefMut",
        "sync" => {
            "Arc Weak Mutex MutexGuard RwLock RwLockReadGuard RwLockWriteGuard Once OnceLock LazyLock Condvar Barrier \
             PoisonError LockResult TryLockError atomic mpsc"
        }
        "atomic" => {
            "AtomicBool AtomicUsize AtomicIsize AtomicU8 AtomicU16 AtomicU32 AtomicU64 AtomicI8 AtomicI16 AtomicI32 \
             AtomicI64 AtomicPtr Ordering fence"
        }
        "rc" => "Rc Weak",
        "ops" => {
            "Add Sub Mul Div Rem Neg Not BitAnd BitOr BitXor Shl Shr AddAssign SubAssign MulAssign DivAssign RemAssign \
             BitAndAssign BitOrAssign BitXorAssign ShlAssign ShrAssign Index IndexMut Deref DerefMut Drop Fn FnMut \
             FnOnce Range RangeFrom RangeFull RangeInclusive RangeTo RangeToInclusive RangeBounds Bound ControlFlow"
        }
        "cmp" => "Ordering Reverse Eq Ord PartialEq PartialOrd min max",
        "time" => "Duration Instant SystemTime UNIX_EPOCH",
        "path" => "Path PathBuf Component Components",
        "ptr" => "NonNull null null_mut",
        _ => return None,
    };
    known.split_ascii_whitespace().any(|n| n == name).then(|| format!("{path}::{name}").into())
}

/// The result of a method, and the parameters of its closures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Parameters of the closures among the arguments; of one closure whichever argument it is.
    closures: Vec<Vec<Term>>,
    pub(super) result: Term,
}

impl Shape {
    /// Parameters of a closure in the argument of this number.
    pub(super) fn closure(&self, index: usize) -> &[Term] {
        match &self.closures[..] {
            [one] => one,
            several => several.get(index).map_or(&[], Vec::as_slice),
        }
    }
}

/// A type in terms of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Unknown,
    /// The receiver.
    Receiver,
    /// A type argument of the receiver.
    Parameter(usize),
    /// The type of an argument.
    Argument(usize),
    /// The result of the closure in an argument.
    Result(usize),
    /// The item type of an inner term as an iterator.
    Element(Box<Term>),
    /// The type that an inner term points to.
    Target(Box<Term>),
    /// The first type argument of the method.
    Turbofish,
    Tuple(Vec<Term>),
    Named(&'static str, Vec<Term>),
    /// The one that says most.
    Best(Vec<Term>),
}

/// Shapes by type and method.
type Table = FxHashMap<&'static str, FxHashMap<&'static str, Shape>>;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for (ty, rows) in SHAPES {
        for (methods, closure, result) in *rows {
            let shape =
                Shape { closures: closure.split('/').map(terms).collect(), result: Reader(result).term() };
            for method in methods.split_ascii_whitespace() {
                table.entry(*ty).or_default().insert(method, shape.clone());
            }
        }
    }
    table
});

/// Terms between spaces.
fn terms(written: &'static str) -> Vec<Term> {
    written.split_ascii_whitespace().map(|term| Reader(term).term()).collect()
}

static METHODS: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| TABLE.values().flat_map(|methods| methods.keys().copied()).collect());

/// The shape of a method of a type (its last name): its own, or of what it is like.
pub(super) fn shape(ty: &str, method: &str) -> Option<&'static Shape> {
    let mut ty = ty;
    for _ in 0..4 {
        if let Some(shape) = TABLE.get(ty).and_then(|methods| methods.get(method)) {
            return Some(shape);
        }
        match ALIKE.iter().find(|(name, _)| *name == ty) {
            Some((_, other)) => ty = other,
            None => return None,
        }
    }
    None
}

/// Inherent methods of raw pointers that have no shape.
const OF_POINTERS: &str = "addr align_offset byte_add byte_offset byte_offset_from byte_sub cast copy_from \
    copy_from_nonoverlapping copy_to copy_to_nonoverlapping drop_in_place expose_provenance is_aligned map_addr \
    offset_from offset_from_unsigned replace swap with_addr wrapping_byte_add wrapping_byte_offset wrapping_byte_sub \
    wrapping_offset write write_bytes write_unaligned write_volatile";

static OF_POINTER_NAMES: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| OF_POINTERS.split_ascii_whitespace().collect());

/// An inherent method of raw pointers.
pub(super) fn is_of_pointers(name: &str) -> bool {
    shape("pointer", name).is_some() || OF_POINTER_NAMES.contains(name)
}

/// The shape that a method has for nearly every type.
pub(super) fn common_shape(method: &str) -> Option<&'static Shape> {
    TABLE.get("*").and_then(|methods| methods.get(method))
}

/// Some type of the standard library has a method of this name.
pub(in crate::lang) fn is_method(name: &str) -> bool {
    METHODS.contains(name)
}

/// Traits of the standard library that say all they have, with their modules; those of the prelude without members too.
const TRAITS: &[(&str, &str, &str)] = &[
    ("marker", "Sized", ""),
    ("marker", "Copy", ""),
    ("marker", "Send", ""),
    ("marker", "Sync", ""),
    ("marker", "Unpin", ""),
    ("cmp", "Eq", ""),
    ("cmp", "PartialEq", "eq ne"),
    ("cmp", "Ord", "cmp max min clamp"),
    ("cmp", "PartialOrd", "partial_cmp lt le gt ge"),
    ("clone", "Clone", "clone clone_from"),
    ("borrow", "ToOwned", "to_owned clone_into"),
    ("borrow", "Borrow", "borrow"),
    ("borrow", "BorrowMut", "borrow_mut"),
    ("string", "ToString", "to_string"),
    ("str", "FromStr", "from_str"),
    ("convert", "From", "from"),
    ("convert", "Into", "into"),
    ("convert", "TryFrom", "try_from"),
    ("convert", "TryInto", "try_into"),
    ("convert", "AsRef", "as_ref"),
    ("convert", "AsMut", "as_mut"),
    ("default", "Default", "default"),
    ("hash", "Hash", "hash hash_slice"),
    ("fmt", "Debug", "fmt"),
    ("fmt", "Display", "fmt"),
    ("ops", "Deref", "deref"),
    ("ops", "DerefMut", "deref_mut"),
    ("ops", "Drop", "drop"),
    ("iter", "IntoIterator", "into_iter"),
    ("iter", "FromIterator", "from_iter"),
    ("any", "Any", "type_id"),
];

/// Whether a trait of the world or of a library may declare a member.
pub(in crate::lang) fn may_declare(of_trait: &str, member: &str) -> bool {
    let name = last(of_trait);
    let known = TRAITS.iter().find(|(_, known, _)| *known == name);
    known.is_none_or(|(.., members)| members.split(' ').any(|m| m == member))
}

/// The traits of the standard library that declare a member, as module and name.
pub(super) fn traits_with(member: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let found = TRAITS.iter().filter(move |(.., members)| members.split(' ').any(|m| m == member));
    found.map(|(module, name, _)| (*module, *name))
}

/// A path into the standard library.
pub(in crate::lang) fn is_standard(path: &str) -> bool {
    ["std::", "core::", "alloc::"].iter().any(|root| path.starts_with(root))
}

/// Iterators, of whatever adapter.
pub(super) fn is_iterator(ty: &str) -> bool {
    let mut ty = ty;
    while let Some((_, other)) = ALIKE.iter().find(|(name, _)| *name == ty) {
        ty = other;
    }
    ty == "Iter"
}

/// Tuple structs of the library with one public field.
pub(super) fn is_wrapper(ty: &str) -> bool {
    matches!(ty, "Reverse" | "Wrapping" | "Saturating" | "AssertUnwindSafe")
}

/// Types that are used as what they point to.
pub(super) fn is_pointer(ty: &str) -> bool {
    matches!(
        ty,
        "Box"
            | "Rc"
            | "Arc"
            | "Pin"
            | "Ref"
            | "RefMut"
            | "MutexGuard"
            | "RwLockReadGuard"
            | "RwLockWriteGuard"
            | "Cow"
            | "ManuallyDrop"
            | "LazyLock"
            | "LazyCell"
            | "Lazy"
            | "Reverse"
            | "AssertUnwindSafe"
            | "CachePadded"
    )
}

/// The result of a function or constructor of the library: `Box::new`, `Some`, `mem::take`.
pub(super) fn function(path: &str) -> Option<Term> {
    let mut segments = path.rsplit("::");
    let (name, owner) = (segments.next()?, segments.next().unwrap_or(""));
    let text = match (owner, name) {
        (_, "Some") => "Option<A0>",
        (_, "Ok") => "Result<A0,?>",
        (_, "Err") => "Result<?,A0>",
        ("Poll", "Ready") => "Poll<A0>",
        ("ControlFlow", "Break") => "ControlFlow<A0,?>",
        ("ControlFlow", "Continue") => "ControlFlow<?,A0>",
        (_, "Reverse") => "Reverse<A0>",
        (_, "Wrapping") => "Wrapping<A0>",
        (_, "Saturating") => "Saturating<A0>",
        (_, "AssertUnwindSafe") => "AssertUnwindSafe<A0>",
        (
            "Box" | "Rc" | "Arc" | "Cell" | "RefCell" | "Mutex" | "RwLock" | "Pin" | "Reverse"
            | "ManuallyDrop" | "MaybeUninit",
            "new" | "pin" | "from",
        ) => {
            return Some(Term::Named(static_name(owner)?, vec![Term::Argument(0)]));
        }
        ("LazyLock" | "LazyCell" | "Lazy", "new") => "LazyLock<R0>",
        ("LazyLock" | "LazyCell" | "Lazy" | "ManuallyDrop", "force" | "into_inner" | "take") => "*A0",
        ("Rc" | "Arc", "clone") => "A0",
        ("Rc" | "Arc", "make_mut" | "unwrap_or_clone") => "*A0",
        ("Rc" | "Arc", "get_mut" | "into_inner") => "Option<*A0>",
        ("Rc" | "Arc", "try_unwrap") => "Result<*A0,?>",
        ("Rc" | "Arc", "downgrade") => "Weak<*A0>",
        ("Rc" | "Arc" | "Box", "into_raw" | "as_ptr") => "pointer<*A0>",
        ("Rc", "from_raw") => "Rc<*A0>",
        ("Arc", "from_raw") => "Arc<*A0>",
        ("Box", "from_raw") => "Box<*A0>",
        ("Box", "leak") => "*A0",
        ("Box", "into_pin") => "Pin<A0>",
        ("NonNull", "new") => "Option<NonNull<*A0>>",
        ("NonNull", "new_unchecked") => "NonNull<*A0>",
        ("NonNull", "from") => "NonNull<A0>",
        ("Ref" | "RefMut" | "MutexGuard" | "RwLockReadGuard" | "RwLockWriteGuard", "map") => "R1",
        ("mem", "take" | "replace") | (_, "identity" | "black_box") => "A0",
        ("ptr", "read" | "read_volatile" | "read_unaligned") => "*A0",
        ("iter", "once" | "repeat" | "repeat_n") => "Iter<A0>",
        ("iter", "from_fn") => "Iter<@R0>",
        ("iter", "successors") => "Iter<@A0>",
        ("iter", "repeat_with" | "once_with") => "Iter<R0>",
        ("iter", "empty") => "Iter<T>",
        ("iter", "zip") => "Iter<(@A0,@A1)>",
        ("array", "from_fn") => "[R0]",
        ("cmp", "max" | "min") => "A0",
        ("String", _) => "String",
        ("Ok" | "str", "from_utf8") => "Result<str,?>",
        ("Clone", "clone") => "A0",
        ("Vec", "from" | "from_iter") => "Vec<@A0>",
        ("VecDeque", "from" | "from_iter") => "VecDeque<@A0>",
        ("BinaryHeap", "from" | "from_iter") => "BinaryHeap<@A0>",
        ("HashSet", "from" | "from_iter") => "HashSet<@A0>",
        ("BTreeSet", "from" | "from_iter") => "BTreeSet<@A0>",
        ("mpsc", "channel" | "sync_channel") => "(Sender<T>,Receiver<T>)",
        ("thread", "spawn") => "JoinHandle<R0>",
        ("thread", "scope") => "R0",
        ("panic", "catch_unwind") => "Result<R0,?>",
        ("future", "ready") => "Future<A0>",
        ("future", "poll_fn") => "Future<@R0>",
        ("Cow", "Borrowed" | "Owned") => "Cow<A0>",
        _ => return None,
    };
    Some(Reader(text).term())
}

/// The parameters of the closures among the arguments of a library function or constructor.
pub(super) fn function_closure(path: &str) -> Vec<Term> {
    let mut segments = path.rsplit("::");
    let (name, owner) = (segments.next().unwrap_or(""), segments.next().unwrap_or(""));
    terms(match (owner, name) {
        ("Ref" | "RefMut" | "MutexGuard" | "RwLockReadGuard" | "RwLockWriteGuard", "map" | "filter_map") => {
            "A0"
        }
        ("iter", "successors") => "@A0",
        ("thread", "scope") => "Scope",
        ("array", "from_fn") => "usize",
        _ => "",
    })
}

/// A constructor of something that has its argument for its first type argument: `Box::new`, `Some`.
pub(super) fn wraps_argument(path: &str) -> bool {
    matches!(function(path), Some(Term::Named(_, inner)) if inner.first() == Some(&Term::Argument(0)))
}

fn static_name(name: &str) -> Option<&'static str> {
    const NAMES: [&str; 11] = [
        "Box",
        "Rc",
        "Arc",
        "Cell",
        "RefCell",
        "Mutex",
        "RwLock",
        "Pin",
        "Reverse",
        "ManuallyDrop",
        "MaybeUninit",
    ];
    NAMES.into_iter().find(|n| *n == name)
}

/// Reads a [`Term`] of the tables above.
struct Reader(&'static str);

impl Reader {
    fn eat(&mut self, c: char) -> bool {
        match self.0.strip_prefix(c) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn list(&mut self, close: char) -> Vec<Term> {
        let mut all = Vec::new();
        while !self.0.is_empty() && !self.eat(close) {
            all.push(self.term());
            self.eat(',');
        }
        all
    }

    fn term(&mut self) -> Term {
        if self.eat('?') {
            return Term::Unknown;
        }
        if self.eat('*') {
            return Term::Target(Box::new(self.term()));
        }
        if self.eat('@') {
            return Term::Element(Box::new(self.term()));
        }
        if self.eat('(') {
            return Term::Tuple(self.list(')'));
        }
        if self.eat('[') {
            return Term::Named("slice", self.list(']'));
        }
        if self.eat('{') {
            return Term::Best(self.list('}'));
        }
        if self.eat('$') {
            return Term::Parameter(self.digit());
        }
        let len = self.0.find(|c: char| !c.is_alphanumeric()).unwrap_or(self.0.len());
        let (word, rest) = self.0.split_at(len);
        self.0 = rest;
        let digit = || word[1..].parse().unwrap_or(0);
        match word {
            "Self" => Term::Receiver,
            "T" => Term::Turbofish,
            "A0" | "A1" => Term::Argument(digit()),
            "R0" | "R1" => Term::Result(digit()),
            _ => {
                let args = if self.eat('<') { self.list('>') } else { Vec::new() };
                Term::Named(word, args)
            }
        }
    }

    fn digit(&mut self) -> usize {
        let (digit, rest) = self.0.split_at(1.min(self.0.len()));
        self.0 = rest;
        digit.parse().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_and_inherited() {
        let map = shape("Option", "map").expect("a known method");
        assert_eq!(map.closure(0), [Term::Parameter(0)]);
        let either = shape("Result", "map_or_else").expect("a method with two closures");
        assert_eq!(
            (either.closure(0), either.closure(1)),
            (&[Term::Parameter(1)][..], &[Term::Parameter(0)][..])
        );
        assert_eq!(map.result, Term::Named("Option", vec![Term::Result(0)]));
        let first = shape("Vec", "split_first").expect("a method of slices");
        let slice = Term::Named("slice", vec![Term::Parameter(0)]);
        assert_eq!(first.result, Term::Named("Option", vec![Term::Tuple(vec![Term::Parameter(0), slice])]));
        assert_eq!(shape("Vec", "no_such_method"), None);
        assert!(is_iterator("Peekable") && !is_iterator("Option"));
    }

    #[test]
    fn every_row_of_the_tables_can_be_read() {
        for shape in TABLE.values().flat_map(FxHashMap::values) {
            for term in shape.closures.iter().flatten().chain([&shape.result]) {
                assert!(!matches!(term, Term::Named("", _)), "{shape:?}");
            }
        }
    }
}
