//! Packages, imports, and what needs no import.

use std::sync::{Arc, LazyLock};

use ide_model::{Confidence, Visibility};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::lookup::declared_receiver;
use super::multiplatform::seen_from;
use crate::facts::{Expr, Import, ImportId, NameId, RefId, Role, ScopeId};
use crate::lang::java::builds::seen_by_module;
use crate::lang::java::names::{
    dotted, is_type_like, library_type, member_type, nearest, qualified_type, type_in_package,
};
use crate::lang::java::tops::{Top, Tops};
use crate::resolve::{FileView, Reason, Recent, Resolution, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Packages that every Kotlin file imports, the first ones before the others.
pub(super) const DEFAULT_IMPORTS: [&str; 10] = [
    "kotlin",
    "kotlin.annotation",
    "kotlin.collections",
    "kotlin.comparisons",
    "kotlin.io",
    "kotlin.ranges",
    "kotlin.sequences",
    "kotlin.text",
    "kotlin.jvm",
    "java.lang",
];

/// The last answers for functions and properties, by the asking file and the first declaration of a name in a
/// package.
struct VisibleMembers(Recent<(FileId, GlobalDef), Arc<[GlobalDef]>>);

/// Functions and properties of a package, as a file sees them: not what is private to another file.
fn of_package(
    rx: &Resolver,
    from: &FileView,
    named: &Tops,
    name: &str,
    package: &str,
) -> SmallVec<[GlobalDef; 4]> {
    let is_seen = |def: &GlobalDef| {
        def.file == from.id || rx.file(def.file).def(def.def).visibility != Some(Visibility::Private)
    };
    match &*named.in_package(rx, name, Top::Members, package) {
        [] => SmallVec::new(),
        all @ [_] => seen_from(rx, from, all).into_iter().filter(is_seen).collect(),
        all => {
            let known = rx.extension(|_| VisibleMembers(Recent::new(1024)));
            let seen = known.0.answer(rx, (from.id, all[0]), || {
                let mut seen: Vec<GlobalDef> = seen_from(rx, from, all).into_iter().filter(is_seen).collect();
                seen_by_module(rx, from, &mut seen, |def| def.file);
                seen.into()
            });
            SmallVec::from_slice(&seen)
        }
    }
}

/// Functions and properties with the types that they extend.
pub(super) type Extending = Arc<[(GlobalDef, Option<Ty>)]>;

/// The last answers for extensions, by the asking file and the first declaration of a name in a package.
struct SeenExtending(Recent<(FileId, GlobalDef), Extending>);

/// [`of_package`] with the types that are extended; `None` when the package has nothing of the name.
pub(super) fn extending(
    rx: &Resolver,
    from: &FileView,
    named: &Tops,
    name: &str,
    package: &str,
) -> Option<Extending> {
    let first = *named.in_package(rx, name, Top::Members, package).first()?;
    let known = rx.extension(|_| SeenExtending(Recent::new(1024)));
    Some(known.0.answer(rx, (from.id, first), || {
        let seen = of_package(rx, from, named, name, package).into_iter();
        seen.map(|def| (def, declared_receiver(rx, def))).collect()
    }))
}

pub(super) fn package_of(file: &FileView) -> &str {
    file.package.map_or("", |p| file.name(p))
}

/// A type of the standard library, or its name when it is not indexed.
pub(super) fn library(rx: &Resolver, from: &FileView, package: &str, name: &str, args: Vec<Ty>) -> Ty {
    library_type(rx, from, package, name, args.into())
}

pub(super) fn kotlin(rx: &Resolver, from: &FileView, name: &str) -> Ty {
    library(rx, from, "kotlin", name, Vec::new())
}

/// Whether the declarations of the standard library are indexed.
pub(super) fn knows_library(rx: &Resolver, from: &FileView) -> bool {
    type_in_package(rx, from, "kotlin", "Any").is_some()
}

/// A type, or functions and properties, that the files of a package declare at their top.
pub(super) fn in_package(
    rx: &Resolver,
    from: &FileView,
    named: &Tops,
    name: &str,
    package: &str,
) -> Vec<Target> {
    let ty = nearest(rx, from, &named.in_package(rx, name, Top::Types, package));
    let members = of_package(rx, from, named, name, package);
    ty.into_iter().chain(members).map(Target::Def).collect()
}

/// The declarations of a class or an object under a name.
fn in_class(rx: &Resolver, class: GlobalDef, name: &str) -> Vec<Target> {
    match member_type(rx, class, name) {
        Some(nested) => vec![Target::Def(nested)],
        None => super::members::static_members(rx, class, name).into_iter().map(|c| c.target).collect(),
    }
}

/// The targets that star imports bring under a name.
pub(super) fn starred(rx: &Resolver, file: &FileView, named: &Tops, name: &str) -> Vec<Target> {
    let of_star = |import: &Import| {
        let found = in_package(rx, file, named, name, file.name(import.module));
        if !found.is_empty() {
            return found;
        }
        star(rx, file, import.module).class.map_or(Vec::new(), |class| in_class(rx, class, name))
    };
    file.stars().flat_map(of_star).collect()
}

/// The source of a star import's names, beside the files of a package.
#[derive(Clone, Copy)]
struct Star {
    class: Option<GlobalDef>,
    is_package: bool,
}

/// The last answers for star imports.
struct Stars(Recent<(FileId, NameId), Star>);

fn star(rx: &Resolver, file: &FileView, module: NameId) -> Star {
    let known = rx.extension(|_| Stars(Recent::new(256)));
    known.0.answer(rx, (file.id, module), || {
        let module = file.name(module);
        Star {
            class: qualified_type(rx, file, module),
            is_package: !rx.world().files_of_package(file.family(), module).is_empty(),
        }
    })
}

/// The last answers for single imports.
struct Imported(Recent<(FileId, ImportId), Arc<[Target]>>);

/// The targets that a single import binds, all declarations of a package, else of a type or an object; its qualified
/// name when it is not indexed.
pub(super) fn imported(rx: &Resolver, file: &FileView, import: ImportId) -> Arc<[Target]> {
    let known = rx.extension(|_| Imported(Recent::new(1024)));
    known.0.answer(rx, (file.id, import), || {
        let import = file.import(import);
        let Some(member) = import.member else { return Arc::from([]) };
        let (module, name) = (file.name(import.module), file.ref_name(member));
        let mut found = in_package(rx, file, &Tops::of(rx, name), name, module);
        if found.is_empty()
            && let Some(class) = qualified_type(rx, file, module)
        {
            found = in_class(rx, class, name);
        }
        if found.is_empty() {
            let full = if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") };
            found.push(Target::External(full.into()));
        }
        found.into()
    })
}

pub(super) fn import_target(rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
    Resolution {
        targets: imported(rx, file, import).iter().cloned().collect(),
        confidence: Confidence::Exact,
        reason: Reason::None,
    }
}

/// The meaning of a segment of an import or package declaration.
pub(super) fn segment(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let name = dotted(file, reference);
    if file.reference(reference).role == Role::Package {
        return Resolution::exact(Target::Package(name.into()));
    }
    if let Some(import) = file.import_by_member(reference) {
        return import_target(rx, file, import);
    }
    let found = match outside(rx, file, reference) {
        // Where no type begins the name, only the last segment can be one.
        Some(package) => type_in_package(rx, file, &package, file.ref_name(reference)),
        None => qualified_type(rx, file, &name),
    };
    match found {
        Some(def) => Resolution::def(def),
        None if is_type_like(file.ref_name(reference)) => Resolution::external(name),
        None => Resolution::exact(Target::Package(name.into())),
    }
}

/// The qualifier of a segment, where it is no type.
fn outside(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Arc<str>> {
    let Expr::Ref(before) = file.expr(file.reference(reference).receiver?) else { return None };
    match rx.resolve(file.global_ref(before)).resolution.targets.pop()? {
        Target::Package(name) | Target::External(name) => Some(name),
        _ => None,
    }
}

/// Single imports that bind a name.
pub(super) fn imports_of<'f>(file: &'f FileView, name: &str) -> impl Iterator<Item = ImportId> + use<'f> {
    file.named_in_scope(ScopeId(0), name).iter().filter_map(|def| file.def(*def).import)
}

/// The packages that star imports and default imports bring, in the order in which they are asked: modules as
/// written.
pub(super) fn stars(file: &FileView) -> impl Iterator<Item = &str> + use<'_> {
    file.stars().map(|i| file.name(i.module))
}

/// Star imports of what is not indexed.
pub(super) fn unknown_stars<'f>(rx: &'f Resolver, file: &'f FileView) -> impl Iterator<Item = &'f str> {
    let is_unknown = |import: &&Import| {
        let star = star(rx, file, import.module);
        !star.is_package && star.class.is_none()
    };
    file.stars().filter(is_unknown).map(|import| file.name(import.module))
}

pub(super) fn has_unknown_star(rx: &Resolver, file: &FileView) -> bool {
    unknown_stars(rx, file).next().is_some()
}

pub(super) fn defaults<'a>() -> impl Iterator<Item = &'a str> {
    DEFAULT_IMPORTS.iter().copied()
}

/// Classes that belong to the language. Compilers for the JVM import each of them by its name into every file (see
/// `JvmPlatform` of kotlinc, and its scopes of a file), so that no star import hides them: after `import java.util.*` a
/// `List` is Kotlin's.
const BUILT_IN: [(&str, &str); 4] = [
    (
        "kotlin",
        "Annotation Any Array Boolean BooleanArray Byte ByteArray Char CharArray CharSequence Cloneable Comparable \
        ContextFunctionTypeParams Deprecated DeprecatedSinceKotlin DeprecationLevel Double DoubleArray DslMarker Enum \
        ExtensionFunctionType Float FloatArray Function Int IntArray Long LongArray Nothing Number OptIn ParameterName \
        PublishedApi ReplaceWith RequiresOptIn Short ShortArray SinceKotlin String Suppress Throwable Unit UnsafeVariance",
    ),
    (
        "kotlin.annotation",
        "AnnotationRetention AnnotationTarget MustBeDocumented Repeatable Retention Target",
    ),
    (
        "kotlin.collections",
        "BooleanIterator ByteIterator CharIterator Collection DoubleIterator FloatIterator IntIterator Iterable Iterator \
        List ListIterator LongIterator Map MutableCollection MutableIterable MutableIterator MutableList \
        MutableListIterator MutableMap MutableSet Set ShortIterator",
    ),
    (
        "kotlin.ranges",
        "CharProgression CharRange ClosedRange IntProgression IntRange LongProgression LongRange OpenEndRange",
    ),
];

/// The package of a class that belongs to the language.
fn built_in(name: &str) -> Option<&'static str> {
    static PACKAGES: LazyLock<FxHashMap<&str, &str>> = LazyLock::new(|| {
        let of_package = |(package, names): &(&'static str, &'static str)| {
            let package = *package;
            names.split(' ').map(move |name| (name, package))
        };
        BUILT_IN.iter().flat_map(of_package).collect()
    });
    PACKAGES.get(name).copied()
}

/// The last answers for names of types at the top of files.
struct TypesAtTop(Recent<(FileId, NameId), Resolution>);

/// A type by its simple name, from the top of a file: imports, package, classes of the language, stars, defaults.
pub(super) fn type_at_top(rx: &Resolver, file: &FileView, name: NameId) -> Resolution {
    let known = rx.extension(|_| TypesAtTop(Recent::new(1024)));
    known.0.answer(rx, (file.id, name), || find_type_at_top(rx, file, file.name(name)))
}

pub(super) fn find_type_at_top(rx: &Resolver, file: &FileView, name: &str) -> Resolution {
    for import in imports_of(file, name) {
        for target in &*imported(rx, file, import) {
            match target {
                Target::Def(def) if rx.kind(*def).is_type() => return Resolution::def(*def),
                Target::External(full) if is_type_like(name) => return Resolution::external(full.clone()),
                _ => {}
            }
        }
    }
    let named = Tops::of(rx, name);
    let in_package = |package: &str| nearest(rx, file, &named.in_package(rx, name, Top::Types, package));
    if let Some(def) = in_package(package_of(file)) {
        return Resolution::def(def);
    }
    if let Some(def) = built_in(name).and_then(in_package) {
        return Resolution::def(def);
    }
    let mut unknown = None;
    for import in file.stars() {
        let module = file.name(import.module);
        let star = || star(rx, file, import.module);
        let nested = || star().class.and_then(|class| member_type(rx, class, name));
        if let Some(def) = in_package(module).or_else(nested) {
            return Resolution::def(def);
        }
        if unknown.is_none() && !star().is_package {
            unknown = Some(module);
        }
    }
    for package in defaults() {
        if let Some(def) = in_package(package) {
            return Resolution::def(def);
        }
    }
    if !is_type_like(name) {
        return Resolution::unknown(Reason::NotFound);
    }
    match unknown {
        Some(module) if knows_library(rx, file) => Resolution::external(format!("{module}.{name}")),
        _ if !knows_library(rx, file) => Resolution::external(builtin(name)),
        _ => Resolution::unknown(Reason::NotFound),
    }
}

/// The qualified name that a type of the standard library has, as far as it can be told without its declarations.
fn builtin(name: &str) -> String {
    let is_listed = ["ArrayList", "HashMap"].contains(&name);
    let package = built_in(name).unwrap_or(if is_listed { "kotlin.collections" } else { "kotlin" });
    format!("{package}.{name}")
}

/// Functions that operators, loops, delegation and destructuring call.
const CONVENTIONS: &str = "plus minus times div rem mod unaryPlus unaryMinus not inc dec rangeTo rangeUntil plusAssign \
    minusAssign timesAssign divAssign remAssign compareTo equals invoke get set iterator hasNext next contains getValue \
    setValue provideDelegate";

/// Whether an import works without being named: operators call it.
pub(super) fn import_works_unnamed(file: &FileView, id: ImportId) -> bool {
    let import = file.import(id);
    let name = import.member.map_or("", |member| file.ref_name(member));
    let is_component = name.strip_prefix("component").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
    is_component || CONVENTIONS.split_whitespace().any(|word| word == name)
}
