//! The standard library: where its declarations lie (typeshed, bundled), the classes that the rules themselves make
//! values of, and the constructs of `typing` that the declarations only name.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use crate::library::bundled;
use crate::resolve::{Resolver, Ty};
use crate::world::{FileId, GlobalDef};

use super::modules;

/// The directory of its modules.
pub(in crate::lang) const ROOT: &str = "lib://python!/typeshed/stdlib";

/// Classes of which the rules make values.
pub(super) struct BuiltinClasses {
    builtins: FileId,
    pub(super) bool: GlobalDef,
    pub(super) bytes: GlobalDef,
    pub(super) dict: GlobalDef,
    pub(super) float: GlobalDef,
    pub(super) int: GlobalDef,
    pub(super) list: GlobalDef,
    pub(super) object: GlobalDef,
    pub(super) set: GlobalDef,
    pub(super) str: GlobalDef,
    pub(super) tuple: GlobalDef,
    pub(super) typed_dict: GlobalDef,
    pub(super) type_: GlobalDef,
    pub(super) function: GlobalDef,
    pub(super) module: GlobalDef,
    pub(super) named_tuple: GlobalDef,
    pub(super) partial: GlobalDef,
    pub(super) coroutine: GlobalDef,
    pub(super) generator: GlobalDef,
    pub(super) async_generator: GlobalDef,
    pub(super) context_manager: GlobalDef,
    pub(super) async_context_manager: GlobalDef,
    common_methods: OnceLock<FxHashSet<Arc<str>>>,
}

pub(super) fn known(rx: &Resolver) -> &BuiltinClasses {
    rx.of_world(|rx| {
        let class = |module, name| declared(rx, module, name).expect("the bundled library declares it");
        let builtin = |name| class("builtins", name);
        BuiltinClasses {
            builtins: builtin("object").file,
            bool: builtin("bool"),
            bytes: builtin("bytes"),
            dict: builtin("dict"),
            float: builtin("float"),
            int: builtin("int"),
            list: builtin("list"),
            object: builtin("object"),
            set: builtin("set"),
            str: builtin("str"),
            tuple: builtin("tuple"),
            typed_dict: class("typing", "_TypedDict"),
            type_: builtin("type"),
            function: class("types", "FunctionType"),
            module: class("types", "ModuleType"),
            named_tuple: class("typing", "NamedTuple"),
            partial: class("functools", "partial"),
            coroutine: class("typing", "Coroutine"),
            generator: class("typing", "Generator"),
            async_generator: class("typing", "AsyncGenerator"),
            context_manager: class("contextlib", "AbstractContextManager"),
            async_context_manager: class("contextlib", "AbstractAsyncContextManager"),
            common_methods: OnceLock::new(),
        }
    })
}

impl BuiltinClasses {
    pub(super) fn of(&self, class: GlobalDef, args: impl IntoIterator<Item = Ty>) -> Ty {
        Ty::Instance(class, args.into_iter().collect())
    }

    pub(super) fn list_of(&self, item: Ty) -> Ty {
        self.of(self.list, [item])
    }

    /// A tuple whose items are not told apart.
    pub(super) fn tuple_of(&self, item: Ty) -> Ty {
        self.of(self.tuple, [item])
    }

    pub(super) fn generator_of(&self, item: Ty) -> Ty {
        self.of(self.generator, [item, Ty::Unknown, Ty::Unknown])
    }
}

fn declared(rx: &Resolver, module: &str, name: &str) -> Option<GlobalDef> {
    let file = rx.world().file_by_path(&format!("{ROOT}/{module}.pyi"))?;
    modules::top_level(rx, file, name, None).first().copied()
}

/// The declaration of `builtins` under a name.
pub(super) fn builtin(rx: &Resolver, name: &str) -> Option<GlobalDef> {
    modules::top_level(rx, known(rx).builtins, name, None).first().copied()
}

/// Builtins that only Python 2 has, and names that only checkers know.
pub(super) fn is_former_builtin(name: &str) -> bool {
    matches!(
        name,
        "WindowsError"
            | "__builtins__"
            | "basestring"
            | "cmp"
            | "execfile"
            | "long"
            | "raw_input"
            | "reduce"
            | "reload"
            | "reveal_type"
            | "unichr"
            | "unicode"
            | "xrange"
    )
}

pub(super) fn is_standard_module(rx: &Resolver, first: &str) -> bool {
    let is_file = |path: String| rx.world().file_by_path(&path).is_some();
    is_file(format!("{ROOT}/{first}.pyi")) || is_file(format!("{ROOT}/{first}/__init__.pyi"))
}

/// The dotted name of a module of the standard library, by its path.
fn module_of(path: &str) -> Option<&str> {
    bundled::path_in("python", path)?.strip_prefix("typeshed/stdlib/")?.strip_suffix(".pyi")
}

/// Whether a declaration is one of the standard library.
pub(super) fn is_bundled(rx: &Resolver, def: GlobalDef) -> bool {
    bundled::path_in("python", &rx.file(def.file).path).is_some()
}

/// Constructs that the library's declarations name but do not describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    Any,
    /// One of its arguments.
    Union,
    /// Its first argument, with something said about it.
    First,
    Never,
    /// `bool`.
    Guard,
    /// The class around.
    SelfType,
    /// The class itself: `type[C]`.
    TypeOf,
    Callable,
    Tuple,
    /// A base that only lists type parameters or asks for a shape.
    Base(&'static str),
    /// A class under another name.
    Alias(&'static str, &'static str),
    TypeVariable,
    NewType,
    /// A class that is made by a call.
    MadeTuple,
}

/// The special meaning of a declaration of the standard library.
pub(super) fn special(rx: &Resolver, def: GlobalDef) -> Option<Special> {
    use Special::{
        Alias, Any, Base, Callable, First, Guard, MadeTuple, Never, NewType, SelfType, Tuple, TypeOf,
        TypeVariable, Union,
    };
    let file = rx.file(def.file);
    let module = module_of(&file.path)?;
    if file.def(def.def).scope != crate::facts::ScopeId(0) {
        return None;
    }
    Some(match (module, file.def_name(def.def)) {
        ("typing" | "typing_extensions", name) => match name {
            "Any" | "TypeAlias" => Any,
            "Optional" | "Union" | "Literal" => Union,
            "Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired" | "ReadOnly" | "Unpack" => First,
            "NoReturn" | "Never" => Never,
            "TypeGuard" | "TypeIs" => Guard,
            "Self" => SelfType,
            "Type" => TypeOf,
            "Callable" => Callable,
            "Tuple" => Tuple,
            "Generic" => Base("Generic"),
            "Protocol" => Base("Protocol"),
            "TypedDict" => Alias("typing", "_TypedDict"),
            "List" => Alias("builtins", "list"),
            "Dict" => Alias("builtins", "dict"),
            "Set" => Alias("builtins", "set"),
            "FrozenSet" => Alias("builtins", "frozenset"),
            "Text" | "LiteralString" => Alias("builtins", "str"),
            "DefaultDict" => Alias("collections", "defaultdict"),
            "OrderedDict" => Alias("collections", "OrderedDict"),
            "Deque" => Alias("collections", "deque"),
            "Counter" => Alias("collections", "Counter"),
            "ChainMap" => Alias("collections", "ChainMap"),
            "TypeVar" | "ParamSpec" | "TypeVarTuple" => TypeVariable,
            "NewType" => NewType,
            "NamedTuple" => MadeTuple,
            _ => return None,
        },
        ("builtins", "type") => TypeOf,
        ("builtins", "tuple") => Tuple,
        ("builtins", "object") => Any,
        ("collections/__init__", "namedtuple") => MadeTuple,
        ("dataclasses", "InitVar") => First,
        _ => return None,
    })
}

/// The class that an alias stands for.
pub(super) fn aliased(rx: &Resolver, module: &str, name: &str) -> Option<GlobalDef> {
    let is_package = module == "collections";
    declared(rx, if is_package { "collections/__init__" } else { module }, name)
}

/// Classes whose methods occur everywhere: on a value of unknown type their names say nothing about the project.
const COMMON_CLASSES: &[(&str, &str)] = &[
    ("builtins", "str"),
    ("builtins", "bytes"),
    ("builtins", "int"),
    ("builtins", "float"),
    ("builtins", "list"),
    ("builtins", "dict"),
    ("builtins", "set"),
    ("builtins", "tuple"),
    ("builtins", "type"),
    ("builtins", "function"),
    ("builtins", "BaseException"),
    ("typing", "IO"),
    ("typing", "Generator"),
    ("re", "Pattern"),
    ("re", "Match"),
    ("datetime", "datetime"),
    ("queue", "Queue"),
    ("threading", "Thread"),
    ("threading", "Event"),
    ("threading", "Condition"),
    ("asyncio/futures", "Future"),
    ("concurrent/futures/_base", "Future"),
];

/// Whether a common class of the library has a member of that name.
pub(super) fn is_common_method(rx: &Resolver, name: &str) -> bool {
    let known = known(rx);
    let names = known.common_methods.get_or_init(|| {
        let mut names = FxHashSet::default();
        for (module, class) in COMMON_CLASSES {
            let Some(class) = declared(rx, module, class) else { continue };
            let line = rx.linearization(&Ty::instance(class));
            for class in line.iter().filter_map(Ty::def).chain([known.object]) {
                let file = rx.file(class.file);
                let body = file.def(class.def).body;
                let members = file.def_ids().filter(|d| Some(file.def(*d).scope) == body);
                names.extend(members.map(|d| Arc::from(file.def_name(d))));
            }
        }
        names
    });
    names.contains(name)
}

/// The last segment of a qualified name.
pub(super) fn last(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Whether a class is a typed dictionary.
pub(super) fn is_typed_dict(rx: &Resolver, class: GlobalDef) -> bool {
    rx.descends(&Ty::instance(class), known(rx).typed_dict)
}
