//! What is known of the standard library without its sources: where the names of the prelude live, and the shapes of
//! very common methods. Data, looked up by the policy.

use std::sync::{Arc, LazyLock};

use rustc_hash::{FxHashMap, FxHashSet};

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
    ("", "u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 bool char str"),
];

const MACROS: &str = "assert assert_eq assert_ne cfg column compile_error concat concat_idents dbg debug_assert \
    debug_assert_eq debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str \
    line macro_rules matches module_path option_env panic print println stringify thread_local todo try \
    unimplemented unreachable vec write writeln is_x86_feature_detected assert_matches addr_of addr_of_mut global_asm \
    asm ready pin";

const DERIVES: &str = "Debug Clone Copy PartialEq Eq PartialOrd Ord Hash Default";

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

/// A macro that comes with the compiler.
pub(super) fn is_macro(name: &str) -> bool {
    MACRO_NAMES.contains(name)
}

/// A trait that the compiler derives.
pub(super) fn is_derive(name: &str) -> bool {
    DERIVES.split_ascii_whitespace().any(|derive| derive == name)
}

/// What a glob of a library module is known to bring.
pub(super) fn glob(path: &str, name: &str) -> Option<Arc<str>> {
    let known = match last(path) {
        "prelude" | "v1" => return None,
        "fmt" => "Debug Display Formatter Write Arguments Result Error",
        "io" => {
            "Read Write BufRead Seek Error ErrorKind Result BufReader BufWriter Cursor stdin stdout stderr"
        }
        "collections" => "HashMap HashSet BTreeMap BTreeSet VecDeque BinaryHeap LinkedList",
        _ => return None,
    };
    known.split_ascii_whitespace().any(|n| n == name).then(|| format!("{path}::{name}").into())
}

/// What a method gives, and what it gives to a closure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Parameters of a closure among the arguments.
    pub(super) closure: Vec<Term>,
    pub(super) result: Term,
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
    /// What the closure in an argument gives.
    Result(usize),
    /// What an inner term yields as an iterator.
    Element(Box<Term>),
    /// What an inner term points to.
    Target(Box<Term>),
    /// The first type argument of the method.
    Turbofish,
    Tuple(Vec<Term>),
    Named(&'static str, Vec<Term>),
}

/// Methods, parameters of their closure, result.
type Row = (&'static str, &'static str, &'static str);

/// By type: methods, parameters of their closure (or nothing), result. `$0` is a type argument of the receiver, `A0` an
/// argument, `R0` what the closure in an argument gives, `*x` what `x` points to, `@x` what it yields, `T` the type
/// argument of the method, `Self` the receiver.
const SHAPES: &[(&str, &[Row])] = &[
    (
        "Option",
        &[
            ("unwrap expect unwrap_or unwrap_or_default insert get_or_insert unwrap_unchecked", "", "$0"),
            ("unwrap_or_else get_or_insert_with", "", "$0"),
            ("as_ref as_mut take replace or or_else xor cloned copied as_pin_mut", "", "Self"),
            ("filter inspect", "$0", "Self"),
            ("as_deref as_deref_mut", "", "Option<*$0>"),
            ("map", "$0", "Option<R0>"),
            ("and_then", "$0", "R0"),
            ("and", "", "A0"),
            ("map_or", "$0", "A0"),
            ("map_or_else", "$0", "R1"),
            ("is_some_and is_none_or", "$0", "bool"),
            ("is_some is_none", "", "bool"),
            ("ok_or", "", "Result<$0,A0>"),
            ("ok_or_else", "", "Result<$0,R0>"),
            ("iter iter_mut into_iter", "", "Iter<$0>"),
            ("zip", "", "Option<($0,@A0)>"),
            ("flatten", "", "$0"),
            ("transpose", "", "?"),
        ],
    ),
    (
        "Result",
        &[
            ("unwrap expect unwrap_or unwrap_or_default unwrap_unchecked", "", "$0"),
            ("unwrap_or_else", "$1", "$0"),
            ("unwrap_err expect_err", "", "$1"),
            ("as_ref as_mut cloned copied", "", "Self"),
            ("as_deref as_deref_mut", "", "Result<*$0,$1>"),
            ("inspect", "$0", "Self"),
            ("inspect_err", "$1", "Self"),
            ("map", "$0", "Result<R0,$1>"),
            ("map_err", "$1", "Result<$0,R0>"),
            ("and_then", "$0", "R0"),
            ("or_else", "$1", "R0"),
            ("map_or", "$0", "A0"),
            ("ok", "", "Option<$0>"),
            ("err", "", "Option<$1>"),
            ("is_ok is_err", "", "bool"),
            ("is_ok_and", "$0", "bool"),
            ("is_err_and", "$1", "bool"),
            ("iter iter_mut into_iter", "", "Iter<$0>"),
        ],
    ),
    (
        "Iter",
        &[
            ("next next_back last max min nth peek peek_mut", "", "Option<$0>"),
            ("next_if", "$0", "Option<$0>"),
            ("find", "$0", "Option<$0>"),
            ("max_by_key min_by_key", "$0", "Option<$0>"),
            ("max_by min_by reduce", "$0 $0", "Option<$0>"),
            ("position rposition", "$0", "Option<usize>"),
            ("find_map", "$0", "R0"),
            ("map", "$0", "Iter<R0>"),
            ("map_while filter_map", "$0", "Iter<@R0>"),
            ("flat_map", "$0", "Iter<@R0>"),
            ("flatten", "", "Iter<@$0>"),
            ("filter skip_while take_while inspect", "$0", "Self"),
            (
                "rev skip take step_by chain cycle fuse by_ref cloned copied peekable into_iter iter",
                "",
                "Iter<$0>",
            ),
            ("as_ref as_mut", "", "Self"),
            ("enumerate", "", "Iter<(usize,$0)>"),
            ("zip", "", "Iter<($0,@A0)>"),
            ("scan", "? $0", "Iter<?>"),
            ("for_each", "$0", "()"),
            ("try_for_each", "$0", "R0"),
            ("all any", "$0", "bool"),
            ("count len", "", "usize"),
            ("fold", "A0 $0", "A0"),
            ("try_fold", "A0 $0", "R1"),
            ("sum product", "", "T"),
            ("collect", "", "T"),
            ("unzip partition", "$0", "?"),
            ("size_hint", "", "(usize,Option<usize>)"),
        ],
    ),
    (
        "Vec",
        &[
            ("pop swap_remove_opt", "", "Option<$0>"),
            ("remove swap_remove", "", "$0"),
            ("drain splice into_iter", "", "Iter<$0>"),
            ("as_slice as_mut_slice", "", "[$0]"),
            ("retain retain_mut dedup_by_key", "$0", "()"),
            ("into_boxed_slice leak", "", "[$0]"),
            ("split_off", "", "Self"),
            ("capacity", "", "usize"),
            ("push insert extend append clear truncate resize reserve shrink_to_fit dedup", "", "()"),
        ],
    ),
    (
        "slice",
        &[
            ("iter iter_mut into_iter", "", "Iter<$0>"),
            ("first last first_mut last_mut", "", "Option<$0>"),
            ("get get_mut", "", "Option<$0>"),
            ("get_unchecked get_unchecked_mut", "", "$0"),
            ("split_first split_last split_first_mut split_last_mut", "", "Option<($0,[$0])>"),
            ("split_at split_at_mut", "", "([$0],[$0])"),
            (
                "chunks chunks_mut chunks_exact chunks_exact_mut windows rchunks rchunks_mut rchunks_exact",
                "",
                "Iter<[$0]>",
            ),
            ("split split_mut splitn rsplit split_inclusive split_inclusive_mut", "$0", "Iter<[$0]>"),
            ("chunk_by chunk_by_mut", "$0 $0", "Iter<[$0]>"),
            ("to_vec into_vec to_owned", "", "Vec<$0>"),
            ("concat", "", "$0"),
            ("repeat", "", "Vec<$0>"),
            ("len", "", "usize"),
            ("is_empty contains starts_with ends_with", "", "bool"),
            ("binary_search", "", "Result<usize,usize>"),
            ("binary_search_by binary_search_by_key", "$0", "Result<usize,usize>"),
            ("partition_point", "$0", "usize"),
            ("sort_by sort_unstable_by", "$0 $0", "()"),
            ("sort_by_key sort_unstable_by_key sort_by_cached_key", "$0", "()"),
            ("sort sort_unstable reverse fill swap copy_from_slice clone_from_slice rotate_left", "", "()"),
            ("map", "$0", "[R0]"),
            ("as_ref as_mut as_slice borrow", "", "[$0]"),
            ("as_ptr as_mut_ptr", "", "pointer<$0>"),
        ],
    ),
    (
        "VecDeque",
        &[
            ("pop_front pop_back front back front_mut back_mut get get_mut remove pop", "", "Option<$0>"),
            ("iter iter_mut into_iter drain", "", "Iter<$0>"),
            ("retain", "$0", "()"),
            ("len", "", "usize"),
            ("is_empty contains", "", "bool"),
            ("peek peek_mut", "", "Option<$0>"),
            ("into_sorted_vec into_vec", "", "Vec<$0>"),
            ("push push_back push_front clear extend", "", "()"),
        ],
    ),
    (
        "HashMap",
        &[
            ("get get_mut remove insert", "", "Option<$1>"),
            (
                "get_key_value remove_entry first_key_value last_key_value pop_first pop_last",
                "",
                "Option<($0,$1)>",
            ),
            ("entry", "", "Entry<$0,$1>"),
            ("first_entry last_entry", "", "Option<Entry<$0,$1>>"),
            ("keys into_keys", "", "Iter<$0>"),
            ("values values_mut into_values", "", "Iter<$1>"),
            ("iter iter_mut into_iter drain range range_mut", "", "Iter<($0,$1)>"),
            ("retain", "$0 $1", "()"),
            ("contains_key is_empty", "", "bool"),
            ("len", "", "usize"),
            ("extend clear reserve", "", "()"),
        ],
    ),
    (
        "Entry",
        &[
            ("or_insert or_default or_insert_entry", "", "$1"),
            ("or_insert_with", "", "$1"),
            ("or_insert_with_key", "$0", "$1"),
            ("and_modify", "$1", "Self"),
            ("key", "", "$0"),
            ("get get_mut into_mut remove insert", "", "$1"),
            ("remove_entry", "", "($0,$1)"),
        ],
    ),
    (
        "HashSet",
        &[
            ("get take replace first last pop_first pop_last", "", "Option<$0>"),
            ("iter into_iter drain union intersection difference symmetric_difference range", "", "Iter<$0>"),
            ("retain", "$0", "()"),
            ("contains insert remove is_empty is_subset is_superset is_disjoint", "", "bool"),
            ("len", "", "usize"),
        ],
    ),
    (
        "str",
        &[
            ("chars", "", "Iter<char>"),
            ("bytes", "", "Iter<u8>"),
            ("char_indices", "", "Iter<(usize,char)>"),
            ("lines split_whitespace split_ascii_whitespace", "", "Iter<str>"),
            ("split splitn rsplit rsplitn split_terminator split_inclusive matches", "", "Iter<str>"),
            ("match_indices", "", "Iter<(usize,str)>"),
            ("split_once rsplit_once", "", "Option<(str,str)>"),
            ("split_at", "", "(str,str)"),
            ("strip_prefix strip_suffix get", "", "Option<str>"),
            (
                "trim trim_start trim_end trim_matches trim_start_matches trim_end_matches as_str as_mut_str",
                "",
                "str",
            ),
            ("find rfind", "", "Option<usize>"),
            ("len", "", "usize"),
            (
                "is_empty starts_with ends_with contains is_char_boundary eq_ignore_ascii_case is_ascii",
                "",
                "bool",
            ),
            ("as_bytes into_bytes as_bytes_mut", "", "[u8]"),
            (
                "to_string to_owned to_lowercase to_uppercase replace replacen repeat into_string to_ascii_lowercase",
                "",
                "String",
            ),
            ("parse", "", "Result<T,?>"),
            ("as_ref borrow deref", "", "str"),
        ],
    ),
    (
        "String",
        &[
            ("pop", "", "Option<char>"),
            ("remove", "", "char"),
            ("drain", "", "Iter<char>"),
            ("push push_str insert insert_str clear truncate reserve extend", "", "()"),
            ("into_boxed_str as_str", "", "str"),
        ],
    ),
    // `with` is what a static of `thread_local!` has.
    ("Cell", &[("get take into_inner replace get_mut", "", "$0"), ("set", "", "()"), ("with", "Self", "R0")]),
    (
        "RefCell",
        &[
            ("borrow borrow_mut get_mut into_inner take replace", "", "$0"),
            ("with", "Self", "R0"),
            ("with_borrow with_borrow_mut", "$0", "R0"),
        ],
    ),
    (
        "OnceCell",
        &[
            ("get get_mut take into_inner", "", "Option<$0>"),
            ("get_or_init", "", "$0"),
            ("with", "Self", "R0"),
        ],
    ),
    // What maps types to values of them.
    ("Extensions", &[("get get_mut remove", "", "Option<T>"), ("insert replace", "", "Option<A0>")]),
    ("pointer", &[("add sub offset cast_mut cast_const", "", "Self"), ("read", "", "$0")]),
    (
        "Poll",
        &[
            ("map", "$0", "Poll<R0>"),
            ("map_ok", "@$0", "Poll<Result<R0,?>>"),
            ("map_err", "?", "Poll<Result<@$0,?>>"),
            ("is_ready is_pending", "", "bool"),
        ],
    ),
    ("Mutex", &[("lock try_lock read write into_inner get_mut", "", "Result<$0,?>")]),
    ("Rc", &[("as_ref", "", "$0"), ("downgrade", "", "Weak<$0>"), ("clone", "", "Self")]),
    ("Weak", &[("upgrade", "", "Option<Rc<$0>>"), ("clone", "", "Self")]),
    ("Box", &[("as_ref as_mut", "", "$0")]),
    ("Pin", &[("as_ref as_mut", "", "Self"), ("get_mut get_ref into_inner get_unchecked_mut", "", "$0")]),
    ("Cow", &[("into_owned to_mut", "", "$0"), ("as_ref", "", "$0")]),
    ("LocalKey", &[("with with_borrow with_borrow_mut", "$0", "R0")]),
    ("Scope", &[("spawn", "", "JoinHandle<R0>")]),
    ("JoinHandle", &[("join", "", "Result<$0,?>")]),
    ("Sender", &[("send", "", "Result<(),?>"), ("clone", "", "Self")]),
    ("Receiver", &[("recv try_recv", "", "Result<$0,?>"), ("iter into_iter try_iter", "", "Iter<$0>")]),
    ("Range", &[("contains is_empty", "", "bool"), ("start end", "", "$0")]),
    ("bool", &[("then", "", "Option<R0>"), ("then_some", "", "Option<A0>")]),
    (
        "Path",
        &[
            ("parent", "", "Option<Path>"),
            ("file_name extension file_stem", "", "Option<OsStr>"),
            ("to_str", "", "Option<str>"),
            ("join with_extension with_file_name to_path_buf canonicalize", "", "PathBuf"),
            ("display", "", "Display"),
        ],
    ),
    (
        "Formatter",
        &[
            ("debug_struct", "", "DebugStruct"),
            ("debug_tuple", "", "DebugTuple"),
            ("debug_list", "", "DebugList"),
            ("debug_map", "", "DebugMap"),
            ("write_str write_fmt pad", "", "Result<(),Error>"),
        ],
    ),
    ("DebugStruct", &[("field finish_non_exhaustive", "", "Self"), ("finish", "", "Result<(),Error>")]),
    ("DebugTuple", &[("field", "", "Self"), ("finish", "", "Result<(),Error>")]),
    ("DebugList", &[("entry entries", "", "Self"), ("finish", "", "Result<(),Error>")]),
    ("DebugMap", &[("entry entries key value", "", "Self"), ("finish", "", "Result<(),Error>")]),
    (
        // Methods of traits that nearly everything has.
        "*",
        &[
            ("clone to_owned by_ref borrow borrow_mut", "", "Self"),
            ("to_string", "", "String"),
            ("cmp", "", "Ordering"),
            ("partial_cmp", "", "Option<Ordering>"),
            ("eq ne lt gt le ge", "", "bool"),
            ("max min clamp", "", "Self"),
            ("into_iter", "", "Iter<@Self>"),
            (
                "into try_into try_from from as_ref as_mut hash fmt type_id deref deref_mut drop index index_mut \
                 default serialize deserialize from_str next",
                "",
                "?",
            ),
        ],
    ),
];

/// Types that have the methods of another.
const ALIKE: &[(&str, &str)] = &[
    ("BTreeMap", "HashMap"),
    ("IndexMap", "HashMap"),
    ("FxHashMap", "HashMap"),
    ("OccupiedEntry", "Entry"),
    ("VacantEntry", "Entry"),
    ("BTreeSet", "HashSet"),
    ("IndexSet", "HashSet"),
    ("FxHashSet", "HashSet"),
    ("BinaryHeap", "VecDeque"),
    ("LinkedList", "VecDeque"),
    ("RwLock", "Mutex"),
    ("OnceLock", "OnceCell"),
    ("LazyLock", "Box"),
    ("LazyCell", "Box"),
    ("Arc", "Rc"),
    ("PathBuf", "Path"),
    ("Iterator", "Iter"),
    ("DoubleEndedIterator", "Iter"),
    ("ExactSizeIterator", "Iter"),
    ("FusedIterator", "Iter"),
    ("IntoIterator", "Iter"),
    ("Peekable", "Iter"),
    ("IntoIter", "Iter"),
    ("IterMut", "Iter"),
    ("Drain", "Iter"),
    ("Rev", "Iter"),
    ("Chars", "Iter"),
    ("Range", "Iter"),
    ("RangeInclusive", "Range"),
    ("Vec", "slice"),
    ("SmallVec", "Vec"),
    ("ArrayVec", "Vec"),
    ("String", "str"),
    ("SyncSender", "Sender"),
    ("OsString", "str"),
    ("OsStr", "str"),
];

/// Shapes by type and method.
type Table = FxHashMap<&'static str, FxHashMap<&'static str, Shape>>;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for (ty, rows) in SHAPES {
        for (methods, closure, result) in *rows {
            let closure: Vec<Term> = closure.split_ascii_whitespace().map(|t| Reader(t).term()).collect();
            let shape = Shape { closure, result: Reader(result).term() };
            for method in methods.split_ascii_whitespace() {
                table.entry(*ty).or_default().insert(method, shape.clone());
            }
        }
    }
    table
});

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

/// The shape that a method has for nearly every type.
pub(super) fn common_shape(method: &str) -> Option<&'static Shape> {
    TABLE.get("*").and_then(|methods| methods.get(method))
}

/// Some type of the standard library has a method of this name.
pub(super) fn is_method(name: &str) -> bool {
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
pub(super) fn may_declare(of_trait: &str, member: &str) -> bool {
    let name = last(of_trait);
    let known = TRAITS.iter().find(|(_, known, _)| *known == name);
    known.is_none_or(|(.., members)| members.split(' ').any(|m| m == member))
}

/// The traits of the standard library that declare a member, as module and name.
pub(super) fn traits_with(member: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let found = TRAITS.iter().filter(move |(.., members)| members.split(' ').any(|m| m == member));
    found.map(|(module, name, _)| (*module, *name))
}

/// Iterators, of whatever adapter.
pub(super) fn is_iterator(ty: &str) -> bool {
    let mut ty = ty;
    while let Some((_, other)) = ALIKE.iter().find(|(name, _)| *name == ty) {
        ty = other;
    }
    ty == "Iter"
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

/// What a function or constructor of the library gives: `Box::new`, `Some`, `mem::take`.
pub(super) fn function(path: &str) -> Option<Term> {
    let mut segments = path.rsplit("::");
    let (name, owner) = (segments.next()?, segments.next().unwrap_or(""));
    let text = match (owner, name) {
        (_, "Some") => "Option<A0>",
        (_, "Ok") => "Result<A0,?>",
        (_, "Err") => "Result<?,A0>",
        ("Poll", "Ready") => "Poll<A0>",
        (
            "Box" | "Rc" | "Arc" | "Cell" | "RefCell" | "Mutex" | "RwLock" | "Pin" | "Reverse"
            | "ManuallyDrop",
            "new" | "pin" | "from",
        ) => {
            return Some(Term::Named(static_name(owner)?, vec![Term::Argument(0)]));
        }
        ("Rc" | "Arc", "clone") => "A0",
        ("Rc" | "Arc", "make_mut" | "unwrap_or_clone") => "*A0",
        ("Rc" | "Arc", "get_mut" | "into_inner") => "Option<*A0>",
        ("Rc" | "Arc", "try_unwrap") => "Result<*A0,?>",
        ("Rc" | "Arc", "downgrade") => "Weak<*A0>",
        ("mem", "take" | "replace") | ("ptr", "read") | ("", "identity") => "A0",
        ("iter", "once" | "repeat") => "Iter<A0>",
        ("iter", "from_fn") => "Iter<@R0>",
        ("iter", "successors") => "Iter<@A0>",
        ("iter", "repeat_with") => "Iter<R0>",
        ("iter", "empty") => "Iter<?>",
        ("cmp", "max" | "min") => "A0",
        ("String", _) => "String",
        ("Ok" | "str", "from_utf8") => "Result<str,?>",
        ("Clone", "clone") => "A0",
        ("mpsc", "channel" | "sync_channel") => "(Sender<T>,Receiver<T>)",
        ("thread", "spawn") => "JoinHandle<R0>",
        ("Cow", "Borrowed" | "Owned") => "A0",
        _ => return None,
    };
    Some(Reader(text).term())
}

/// A constructor of something that has its argument for its first type argument: `Box::new`, `Some`.
pub(super) fn wraps_argument(path: &str) -> bool {
    matches!(function(path), Some(Term::Named(_, inner)) if inner.first() == Some(&Term::Argument(0)))
}

fn static_name(name: &str) -> Option<&'static str> {
    ["Box", "Rc", "Arc", "Cell", "RefCell", "Mutex", "RwLock", "Pin", "Reverse", "ManuallyDrop"]
        .into_iter()
        .find(|n| *n == name)
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
        assert_eq!(map.closure, [Term::Parameter(0)]);
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
            for term in shape.closure.iter().chain([&shape.result]) {
                assert!(!matches!(term, Term::Named("", _)), "{shape:?}");
            }
        }
    }
}
