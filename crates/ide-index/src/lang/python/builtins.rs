//! What is known of the standard library without its sources: names of modules and builtins, and the results of very
//! common functions and methods. Data, looked up by the policy.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// A set of words, written as one text.
type Words = LazyLock<FxHashSet<&'static str>>;

macro_rules! words {
    ($($(#[$meta:meta])* $name:ident = $text:literal;)*) => {
        $($(#[$meta])* static $name: Words = LazyLock::new(|| $text.split_ascii_whitespace().collect());)*
    };
}

words! {
    /// Top-level modules of the standard library.
    STANDARD_MODULES = "\
        __future__ _thread abc aifc argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb \
        binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop \
        collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt \
        csv ctypes curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings \
        ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib functools gc \
        getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr \
        imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma \
        mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis \
        nntplib ntpath numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes \
        pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr \
        pydoc queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select \
        selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd sqlite3 ssl \
        stat statistics string stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny \
        tarfile telnetlib tempfile termios textwrap threading time timeit tkinter token tokenize tomllib \
        trace traceback tracemalloc tty turtle types typing typing_extensions unicodedata unittest urllib uu \
        uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile \
        zipimport zlib zoneinfo";
}

words! {
    /// Names of `builtins` and the attributes that every module has.
    BUILTINS = "\
        ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError \
        BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError \
        ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning \
        EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError FloatingPointError \
        FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError \
        InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError \
        ModuleNotFoundError NameError NotADirectoryError NotImplemented NotImplementedError OSError \
        OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError \
        ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration \
        SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError \
        UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning \
        ValueError Warning WindowsError ZeroDivisionError __build_class__ __builtins__ __debug__ __dict__ \
        __doc__ __file__ __import__ __loader__ __name__ __package__ __path__ __spec__ abs aiter all anext \
        any ascii basestring bin bool breakpoint bytearray bytes callable chr classmethod cmp compile \
        complex copyright credits delattr dict dir divmod enumerate eval exec execfile exit filter float \
        format frozenset getattr globals hasattr hash help hex id input int isinstance issubclass iter len \
        license list locals long map max memoryview min next object oct open ord pow print property quit \
        range raw_input reduce reload repr reveal_type reversed round set setattr slice sorted staticmethod \
        str sum super tuple type unichr unicode vars xrange zip";
}

pub(super) fn is_standard_module(name: &str) -> bool {
    STANDARD_MODULES.contains(name)
}

pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(name)
}

/// Attributes that every object or class has.
pub(super) fn is_object_member(name: &str) -> bool {
    matches!(
        name,
        "__annotations__"
            | "__bases__"
            | "__class__"
            | "__class_getitem__"
            | "__delattr__"
            | "__dict__"
            | "__dir__"
            | "__doc__"
            | "__eq__"
            | "__format__"
            | "__getattribute__"
            | "__getstate__"
            | "__hash__"
            | "__init__"
            | "__init_subclass__"
            | "__instancecheck__"
            | "__module__"
            | "__mro__"
            | "__name__"
            | "__ne__"
            | "__new__"
            | "__qualname__"
            | "__reduce__"
            | "__reduce_ex__"
            | "__repr__"
            | "__setattr__"
            | "__sizeof__"
            | "__slots__"
            | "__str__"
            | "__subclasses__"
            | "__subclasshook__"
            | "__weakref__"
            | "mro"
    )
}

/// Attributes of functions.
pub(super) fn is_function_member(name: &str) -> bool {
    matches!(
        name,
        "__closure__"
            | "__code__"
            | "__defaults__"
            | "__func__"
            | "__globals__"
            | "__kwdefaults__"
            | "__self__"
            | "__wrapped__"
            | "__call__"
    ) || is_object_member(name)
}

/// The one name under which a type of the standard library is known here: `typing.List` is `builtins.list`.
pub(super) fn canonical(name: &str) -> &str {
    let name = name.strip_prefix("typing_extensions.").map_or(name, |_| name);
    match name {
        "typing.List" => "builtins.list",
        "typing.Dict" => "builtins.dict",
        "typing.Set" => "builtins.set",
        "typing.FrozenSet" => "builtins.frozenset",
        "typing.Tuple" => "builtins.tuple",
        "typing.Type" => "builtins.type",
        "typing.Text" | "typing.LiteralString" | "typing_extensions.LiteralString" | "builtins.unicode" => {
            "builtins.str"
        }
        "typing.DefaultDict" => "collections.defaultdict",
        "typing.OrderedDict" => "collections.OrderedDict",
        "typing.Deque" => "collections.deque",
        "typing.Counter" => "collections.Counter",
        "typing.ChainMap" => "collections.ChainMap",
        _ => name,
    }
}

/// The last segment of a qualified name.
pub(super) fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Which type argument iterating over an external type yields.
pub(super) fn element_argument(name: &str) -> Option<usize> {
    match last(canonical(name)) {
        "list"
        | "set"
        | "frozenset"
        | "tuple"
        | "deque"
        | "Iterable"
        | "Iterator"
        | "Sequence"
        | "MutableSequence"
        | "Collection"
        | "Container"
        | "Reversible"
        | "AbstractSet"
        | "Set"
        | "MutableSet"
        | "Generator"
        | "AsyncIterable"
        | "AsyncIterator"
        | "AsyncGenerator"
        | "KeysView"
        | "ValuesView"
        | "dict"
        | "Mapping"
        | "MutableMapping"
        | "defaultdict"
        | "OrderedDict"
        | "Counter"
        | "ChainMap"
        | "reversed"
        | "filter"
        | "map"
        | "zip"
        | "enumerate"
        | "range"
        | "WeakSet"
        | "WeakValueDictionary"
        | "WeakKeyDictionary"
        | "chain" => Some(0),
        _ => None,
    }
}

/// Whether an external type maps keys to values.
pub(super) fn is_mapping(name: &str) -> bool {
    matches!(
        last(canonical(name)),
        "dict"
            | "Mapping"
            | "MutableMapping"
            | "defaultdict"
            | "OrderedDict"
            | "ChainMap"
            | "WeakValueDictionary"
            | "WeakKeyDictionary"
    )
}

/// What a method of an external type gives, in terms of the type's arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gives {
    /// The receiver's own type.
    Same,
    /// The type argument with this number.
    Argument(usize),
    /// An iterable of an argument.
    Each(usize),
    /// An iterable of pairs of the first two arguments.
    Pairs,
    /// An external type by name.
    Type(&'static str),
    /// A list of an external type.
    ListOf(&'static str),
    /// `None`.
    Nothing,
}

words! {
    STR_TO_STR = "\
        capitalize casefold center expandtabs format format_map join ljust lower lstrip removeprefix \
        removesuffix replace rjust rstrip strip swapcase title translate upper zfill";
}

/// The result of a method of a builtin or common type.
pub(super) fn method_result(receiver: &str, method: &str) -> Option<Gives> {
    let kind = last(canonical(receiver));
    Some(match (kind, method) {
        ("str" | "bytes", m) if STR_TO_STR.contains(m) => Gives::Same,
        ("str", "encode") => Gives::Type("builtins.bytes"),
        ("bytes", "decode") => Gives::Type("builtins.str"),
        ("str", "split" | "rsplit" | "splitlines") => Gives::ListOf("builtins.str"),
        ("bytes", "split" | "rsplit" | "splitlines") => Gives::ListOf("builtins.bytes"),
        ("str" | "bytes", "partition" | "rpartition") => Gives::ListOf("builtins.str"),
        ("list" | "set" | "frozenset" | "dict" | "deque" | "OrderedDict" | "defaultdict", "copy") => {
            Gives::Same
        }
        ("set" | "frozenset", "union" | "intersection" | "difference" | "symmetric_difference") => {
            Gives::Same
        }
        ("list" | "set" | "deque", "pop" | "popleft") => Gives::Argument(0),
        (_, "get" | "pop" | "setdefault" | "__getitem__") if is_mapping(receiver) => Gives::Argument(1),
        (_, "values") if is_mapping(receiver) => Gives::Each(1),
        (_, "keys") if is_mapping(receiver) => Gives::Each(0),
        (_, "items") if is_mapping(receiver) => Gives::Pairs,
        (_, "popitem") if is_mapping(receiver) => Gives::Pairs,
        (
            "list" | "set" | "dict" | "deque",
            "append" | "extend" | "insert" | "remove" | "add" | "update" | "clear" | "sort" | "reverse"
            | "discard",
        ) => Gives::Nothing,
        _ => return None,
    })
}

words! {
    /// Methods of the builtin containers, strings, files and iterators: on a value of unknown type they say nothing about
    /// the project.
    COMMON_METHODS = "\
        add append appendleft as_integer_ratio bit_length cancel capitalize casefold center clear close copy \
        count day decode difference difference_update discard encode endswith exists expandtabs extend \
        fileno find flush format format_map fromkeys get group groups index insert intersection \
        intersection_update is_alive isalnum isalpha isascii isatty isdecimal isdigit isdisjoint \
        isidentifier islower isnumeric isprintable isspace issubset issuperset istitle isupper items join \
        keys ljust lower lstrip maketrans match month move_to_end name now open partition pop popitem \
        popleft put read readable readall readinto readline readlines release remove removeprefix \
        removesuffix replace result reverse rfind rindex rjust rotate rpartition rsplit rstrip run search \
        seek seekable send setdefault sort span split splitlines start startswith strip sub swapcase \
        symmetric_difference symmetric_difference_update tell throw title tobytes tolist translate truncate \
        union update upper values wait writable write writelines year zfill";
}

pub(super) fn is_common_method(name: &str) -> bool {
    COMMON_METHODS.contains(name)
}

/// The type that calling an external function gives, where that is the same for all arguments.
pub(super) fn function_result(name: &str) -> Option<&'static str> {
    Some(match name {
        "builtins.open" | "io.open" | "codecs.open" => "io.TextIOWrapper",
        "builtins.len" | "builtins.hash" | "builtins.id" | "builtins.ord" => "builtins.int",
        "builtins.repr" | "builtins.input" | "builtins.chr" | "builtins.hex" | "builtins.format"
        | "builtins.ascii" => "builtins.str",
        "builtins.isinstance"
        | "builtins.hasattr"
        | "builtins.callable"
        | "builtins.issubclass"
        | "builtins.any"
        | "builtins.all" => "builtins.bool",
        _ => return None,
    })
}

/// What an external function does to the types of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passes {
    /// The first argument's type comes out.
    Same,
    /// Iterating gives the first argument's elements; the container's name.
    Container(&'static str),
    /// The first argument's element.
    Element,
    /// Pairs of a number and the first argument's element.
    Enumerated,
    /// Tuples of the arguments' elements.
    Zipped,
    /// The union of the arguments, or the element of a single one.
    AnyOf,
    /// What the second argument (a function) does not change: the second argument's elements.
    Second,
    /// The result of calling the first argument.
    Mapped,
}

pub(super) fn passes(name: &str) -> Option<Passes> {
    Some(match name {
        "copy.copy"
        | "copy.deepcopy"
        | "functools.wraps"
        | "functools.update_wrapper"
        | "contextlib.closing"
        | "contextlib.nullcontext"
        | "weakref.proxy"
        | "typing.final"
        | "functools.lru_cache"
        | "functools.cache" => Passes::Same,
        "builtins.list" | "builtins.sorted" => Passes::Container("builtins.list"),
        "builtins.set" => Passes::Container("builtins.set"),
        "builtins.frozenset" => Passes::Container("builtins.frozenset"),
        "builtins.tuple" => Passes::Container("builtins.tuple"),
        "builtins.iter" | "builtins.reversed" | "itertools.islice" | "itertools.chain"
        | "collections.deque" => Passes::Container("typing.Iterator"),
        "builtins.next" => Passes::Element,
        "builtins.enumerate" => Passes::Enumerated,
        "builtins.zip" => Passes::Zipped,
        "builtins.max" | "builtins.min" => Passes::AnyOf,
        "builtins.filter" => Passes::Second,
        "builtins.map" => Passes::Mapped,
        _ => return None,
    })
}
