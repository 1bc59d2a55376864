//! The certainty of Kotlin.

use std::sync::OnceLock;

use ide_model::{Language, SourceKind, SymbolKind};

use super::super::{certainty, java};
use super::{
    MOST_NAMESAKES, fixed, head, is_nowhere, is_own, is_private_elsewhere, is_same_local, is_same_signature,
    is_split, knows_classes_around, knows_stars, knows_supers, libraries, may_be_unread, overriding,
    statements, widest_arity,
};
use crate::check::{Arity, Judge, Refused, declared_arity, is_slip_of};
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, Import, RefFlags, RefId, Role, ScopeId, ScopeKind, TypeExpr,
};
use crate::refactor::tree::{Syntax, has};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::{DeclarationSite, GlobalDef};

/// The constructors of a class of Kotlin; none where something else may be called by its name: a function, a value, or its
/// companion.
fn constructors(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
    let view = rx.file(class.file);
    let own = view.def(class.def);
    let sites = rx.world().declarations(rx.def_name(class));
    let is_only = |site: &DeclarationSite| {
        site.at == class || site.kind == SymbolKind::Constructor && rx.owner_class(site.at) == Some(class)
    };
    let odd = [DefFlags::EXPECT, DefFlags::ACTUAL, DefFlags::SYNTHETIC];
    let has_companion = || {
        let members = own.body.map_or(&[][..], |body| view.all_in_scope(body));
        members.iter().any(|id| view.has_flag(*id, DefFlags::COMPANION))
    };
    let is_plain = own.kind == SymbolKind::Class
        && is_own(rx, class)
        && !odd.iter().any(|flag| own.flags.has(*flag))
        && rx.language_of(class) == Language::Kotlin
        && sites.len() <= MOST_NAMESAKES
        && sites.iter().all(is_only)
        && !has_companion();
    let all = if is_plain { rx.own_members(class, rx.def_name(class)) } else { Vec::new() };
    all.into_iter().filter(|def| rx.kind(*def) == SymbolKind::Constructor).collect()
}

/// The arguments that the constructors of a class of Kotlin take together.
fn constructor_arity(rx: &Resolver, constructor: GlobalDef) -> Option<Arity> {
    let all = constructors(rx, rx.owner_class(constructor)?);
    all.into_iter()
        .map(|constructor| declared_arity(rx, constructor, 0))
        .reduce(|a, b| Arity { least: a.least.min(b.least), most: a.most.zip(b.most).map(|(a, b)| a.max(b)) })
}

/// Whether the types that the functions around a place extend are known with all that is above them.
fn knows_receivers_around(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let mut owners = file
        .scope_chain(file.reference(reference).scope)
        .filter_map(|scope| file.def(file.scope(scope).owner?).receiver);
    owners.all(|ty| knows_supers(rx, &rx.type_of(file, ty)))
}

/// Whether two functions take the same types, their arguments included: those alone are told apart by what they return.
fn takes_same_types(rx: &Resolver, file: &FileView, first: DefId, second: DefId) -> bool {
    let types = |id: DefId| -> Vec<Option<Ty>> {
        file.list(file.def(id).params).map(|param| Some(rx.type_of(file, file.def(param).ty?))).collect()
    };
    types(first) == types(second)
}

/// Whether a name is only that of classes and objects that stand in no other: no value has it as a member.
fn is_class_alone(rx: &Resolver, name: &str) -> bool {
    let sites = rx.world().declarations(name);
    let is_class = |site: &DeclarationSite| {
        site.kind.is_type() && !site.is_nested && site.kind != SymbolKind::TypeParameter
            || site.kind == SymbolKind::Constructor
    };
    let is_here = sites.iter().any(|site| is_own(rx, site.at) && rx.language_of(site.at) == Language::Kotlin);
    name.starts_with(char::is_uppercase)
        && is_here
        && sites.len() <= MOST_NAMESAKES
        && sites.iter().all(is_class)
}

/// Classes of Java and Kotlin that need no import.
const PLATFORM: &str = "AbstractList AbstractMap AbstractSet Annotation Any Appendable ArithmeticException Array ArrayDeque \
    ArrayList AssertionError AutoCloseable Boolean Byte ByteArray Char CharSequence Character Class ClassLoader Cloneable \
    Closeable Collection Comparable Comparator ConcurrentModificationException Deprecated DeprecationLevel Double Enum Error \
    Exception ExperimentalStdlibApi Float Function Grouping HashMap HashSet Integer Int IllegalArgumentException \
    IllegalStateException IndexOutOfBoundsException InterruptedException Iterable Iterator JvmField JvmStatic KotlinVersion Lazy \
    LinkedHashMap LinkedHashSet List ListIterator Long Map Math Metadata Module MutableCollection MutableIterable \
    MutableIterator MutableList MutableMap MutableSet NoSuchElementException Nothing NullPointerException Number \
    NumberFormatException Object OptIn Override Package Pair Process ProcessBuilder RandomAccess Readable Record Regex \
    ReplaceWith Result Runnable Runtime RuntimeException Sequence Set Short StackTraceElement String StringBuffer \
    StringBuilder Suppress System Target Thread ThreadGroup ThreadLocal Throwable Throws Triple Typography UByte UInt ULong \
    UShort Unit UnsupportedOperationException Void Volatile Synchronized Compiler Iterable Error Terminator Exception";

/// Functions of Kotlin that need no import.
const GIVEN_FUNCTIONS: &str = "TODO also apply arrayOf arrayListOf assert buildList buildMap buildSet buildString byteArrayOf \
    check checkNotNull compareBy compareValues emptyArray emptyList emptyMap emptySequence emptySet enumValueOf enumValues error \
    generateSequence hashMapOf hashSetOf intArrayOf iterator lazy lazyOf let linkedMapOf linkedSetOf listOf listOfNotNull \
    longArrayOf mapOf maxOf minOf mutableListOf mutableMapOf mutableSetOf print println readLine readln repeat require \
    requireNotNull run runCatching sequence sequenceOf setOf sortedMapOf sortedSetOf suspend synchronized takeIf to with";

/// Whether a type is no interface and no abstract class, so that a condition or the contract of a function hardly narrows it.
fn is_concrete(rx: &Resolver, of: &Ty) -> bool {
    let (Ty::Instance(class, _) | Ty::Class(class, _)) = of else { return false };
    let is_open = [DefFlags::ABSTRACT, DefFlags::SEALED].iter().any(|flag| rx.has_flag(*class, *flag));
    rx.kind(*class) != SymbolKind::Interface && !is_open
}

/// Whether no declaration of a name extends a type, so that a value has it only by its own type.
fn extends_nothing(rx: &Resolver, name: &str) -> bool {
    let sites = rx.world().declarations(name);
    let is_plain = |site: &DeclarationSite| {
        let is_kotlin = rx.language_of(site.at) == Language::Kotlin;
        is_kotlin
            && is_own(rx, site.at)
            && !site.flags.has(DefFlags::EXTENSION)
            && rx.def(site.at).receiver.is_none()
    };
    !sites.is_empty() && sites.len() <= MOST_NAMESAKES && sites.iter().all(is_plain)
}

/// Whether all that has a name are functions of the project that extend nothing, in other packages than that of a file: a call of it
/// lacks an import.
fn is_function_of_other_package(rx: &Resolver, file: &FileView, name: &str) -> bool {
    let sites = rx.world().declarations(name);
    let package = |of: &FileView| of.package.map(|package| of.name(package).to_owned());
    let is_elsewhere = |site: &DeclarationSite| {
        site.kind == SymbolKind::Function
            && !site.is_member
            && !site.is_nested
            && package(rx.file(site.at.file)) != package(file)
    };
    extends_nothing(rx, name) && sites.iter().all(is_elsewhere)
}

/// Whether code at a place has no other receivers than the objects of the classes around it: it stands in no lambda, and in
/// nothing that extends a type.
fn has_plain_receivers(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let is_plain = |owner: DefId| {
        let def = file.def(owner);
        let odd = [DefFlags::ANONYMOUS, DefFlags::EXTENSION, DefFlags::EXPECT, DefFlags::ACTUAL];
        def.receiver.is_none() && !odd.iter().any(|flag| def.flags.has(*flag))
    };
    let is_read = |owner: DefId| {
        let class = file.global(owner);
        !file.def(owner).kind.is_type()
            || rx.linearization(&Ty::instance(class)).iter().filter_map(Ty::def).all(|of| {
                rx.language_of(of) == Language::Kotlin
                    && rx.world().file(of.file).source != SourceKind::Library
                    || matches!(rx.def_name(of), "Any" | "Enum")
            })
    };
    let mut owners =
        file.scope_chain(file.reference(reference).scope).filter_map(|scope| file.scope(scope).owner);
    owners.all(|owner| is_plain(owner) && is_read(owner))
}

/// Whether a name is read as a value that the packages of the language, which are seen without an import, do not have.
fn is_plain_value(file: &FileView, reference: RefId) -> bool {
    const GIVEN: [&str; 9] =
        ["javaClass", "field", "it", "this", "super", "coroutineContext", "value", "dynamic", "context"];
    let own = file.reference(reference);
    let name = file.ref_name(reference);
    let in_enum = || {
        let mut owners = file.scope_chain(own.scope).filter_map(|scope| file.scope(scope).owner);
        owners.any(|owner| matches!(file.def(owner).kind, SymbolKind::Enum | SymbolKind::EnumCase))
    };
    own.role == Role::Read
        && !own.flags.has(RefFlags::METHOD_REF)
        && name.starts_with(char::is_lowercase)
        && !GIVEN.contains(&name)
        && !in_enum()
}

/// Whether the JDK and the standard library of Kotlin are in a world: a file sees names of both without an import.
#[derive(Default)]
struct KnownRoots(OnceLock<bool>);

impl KnownRoots {
    fn of(rx: &Resolver) -> bool {
        const ROOTS: [(Language, &str); 2] =
            [(Language::Java, "java.lang.Object"), (Language::Kotlin, "kotlin.Any")];
        let is_there =
            |(language, name)| java::find_qualified(rx, language, name).is_ok_and(|found| !found.is_empty());
        *rx.of_world(|_| Self::default()).0.get_or_init(|| ROOTS.into_iter().all(is_there))
    }
}

/// `Function3`, `SuspendFunction0`: the compiler makes as many of them as code names.
fn is_function_type(name: &str) -> bool {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with("Function")
}

pub(super) struct Kotlin;

impl Judge for Kotlin {
    fn lets_libraries_extend(&self) -> bool {
        true
    }

    fn lacks_member(&self, rx: &Resolver, file: &FileView, import: &Import, _text: &str) -> bool {
        libraries::lacks_class(rx, file, import)
    }

    fn override_word(&self) -> Option<(&'static [&'static str], &'static str)> {
        Some((&["fun ", "val ", "var "], "override "))
    }

    fn freeing(&self) -> &'static [(&'static str, &'static str)] {
        &[("val ", "var ")]
    }

    fn writes_make_members(&self, _file: &FileView) -> bool {
        false
    }

    fn refused_statements(&self, _file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::kotlin(tree, found);
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // A function may be called through a receiver or a parameter that is not seen.
        let is_type = matches!(file.reference(reference).role, Role::Type | Role::Extends | Role::Annotation);
        let name = file.ref_name(reference);
        let is_somewhere = || file.def_ids().any(|def| file.def_name(def) == name) || !is_nowhere(rx, name);
        let knows_roots = || KnownRoots::of(rx);
        let is_plain = has_plain_receivers(rx, file, reference);
        // A library may have a part of a package that is seen without naming what it has.
        let are_packages_whole = || {
            let own = file.package.map_or("", |package| file.name(package));
            let stars = file.stars().map(|import| file.name(import.module));
            std::iter::once(own).chain(stars).all(|package| !is_split(rx, package))
        };
        let is_call = file.reference(reference).role == Role::Call;
        let is_meant = |site: &DeclarationSite| {
            site.kind.is_type() || is_call && site.kind == SymbolKind::Function && !site.is_member
        };
        let is_known = match is_class_alone(rx, name) {
            true => knows_roots() || !has(PLATFORM, name),
            false if is_plain && is_plain_value(file, reference) => true,
            false if is_plain && is_call && is_function_of_other_package(rx, file, name) => {
                knows_roots() || !has(GIVEN_FUNCTIONS, name)
            }
            false => {
                (is_type || is_plain)
                    && !is_function_type(name)
                    && !is_somewhere()
                    && knows_roots()
                    && (are_packages_whole() || is_slip_of(rx, file, reference, &is_meant))
            }
        };
        is_known
            && knows_stars(rx, file)
            && knows_classes_around(rx, file, reference)
            && !may_be_unread(rx, file.family(), name, "")
    }

    fn is_announced(&self, rx: &Resolver, member: GlobalDef) -> bool {
        // Collections of Kotlin have other members than the Java types that they are.
        let of_library = rx.world().file(member.file).source == SourceKind::Library;
        rx.has_flag(member, DefFlags::ABSTRACT) && !of_library && !certainty::is_of_every_object(rx, member)
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        // Types of libraries have members of Kotlin besides those of their classes. Extensions may come from anywhere, and a package may be called like one.
        let receiver = file.reference(reference).receiver.and_then(|receiver| rx.expr_ref(file, receiver));
        let is_package = receiver.is_some_and(|receiver| {
            let name = file.ref_name(receiver);
            file.imports.iter().any(|import| file.name(import.module).split('.').next() == Some(name))
                || matches!(name, "kotlin" | "kotlinx" | "java" | "javax")
        });
        // A type that each platform declares anew has other members on each.
        let is_of_platforms =
            |class: GlobalDef| rx.has_flag(class, DefFlags::EXPECT) || rx.has_flag(class, DefFlags::ACTUAL);
        // A name behind `::` is an object of reflection, whatever the type of what it names.
        let is_callable_reference =
            receiver.is_some_and(|receiver| file.reference(receiver).flags.has(RefFlags::METHOD_REF));
        // A local function may extend the type, and so may the value of a variable: `block?.let { x.it() }`.
        let name = file.ref_name(reference);
        let is_local = name == "it" || file.def_ids().any(|def| file.def_name(def) == name);
        // The function that takes a lambda may give it a `this` of its own.
        let is_given = |scope: ScopeId| {
            let owner = file.scope(scope).owner.filter(|owner| file.has_flag(*owner, DefFlags::ANONYMOUS));
            owner.is_some_and(|owner| {
                file.def(owner).kind.is_callable()
                    && !matches!(rx.def_type(file.global(owner)), Ty::Callable { .. })
            })
        };
        let is_this = matches!(
            file.reference(reference).receiver.map(|receiver| file.expr(receiver)),
            Some(Expr::This(_) | Expr::OuterThis(_))
        );
        let mut around = file
            .scope_chain(file.reference(reference).scope)
            .take_while(|scope| file.scope(*scope).kind != ScopeKind::Class);
        !is_package
            && !is_local
            && (!is_this || !around.any(is_given))
            && !is_callable_reference
            && matches!(of, Ty::Instance(class, _) | Ty::Class(class, _) if is_own(rx, *class) && !is_of_platforms(*class))
            && knows_supers(rx, of)
            && knows_stars(rx, file)
            && (is_nowhere(rx, name)
                || is_private_elsewhere(rx, file, reference)
                || is_concrete(rx, of) && extends_nothing(rx, name))
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        let callee = match file.expr(call) {
            Expr::Call { callee, .. } => rx.expr_ref(file, callee)?,
            _ => return None,
        };
        if rx.has_flag(function, DefFlags::LOCAL) && rx.kind(function) == SymbolKind::Function {
            return Some(declared_arity(rx, function, 0));
        }
        // A lambda may have a receiver of its own, and an extension others beside it.
        let reference = file.reference(callee);
        let in_lambda = file.scope_chain(reference.scope).filter_map(|scope| file.scope(scope).owner);
        let in_lambda = in_lambda.into_iter().any(|owner| file.has_flag(owner, DefFlags::ANONYMOUS));
        let is_known = match reference.receiver {
            Some(receiver) => knows_supers(rx, &rx.expr_type(file, receiver)),
            None => knows_classes_around(rx, file, callee) && knows_receivers_around(rx, file, callee),
        };
        if rx.kind(function) == SymbolKind::Constructor {
            return constructor_arity(rx, function).filter(|_| reference.receiver.is_none());
        }
        (is_known && is_own(rx, function) && (reference.receiver.is_some() || !in_lambda))
            .then(|| widest_arity(rx, rx.def_name(function)))
            .flatten()
    }

    fn initializer(&self, rx: &Resolver, class: GlobalDef) -> Option<GlobalDef> {
        constructors(rx, class).into_iter().next()
    }

    fn is_fixed(&self, rx: &Resolver, within: (&FileView, &str), reference: RefId, def: GlobalDef) -> bool {
        fixed::kotlin(rx, within, reference, def)
    }

    fn is_unset(&self, rx: &Resolver, (file, text): (&FileView, &str), def: DefId) -> bool {
        fixed::is_unset_kotlin(rx, file, text, def)
    }

    fn overrides_nothing(&self, rx: &Resolver, file: &FileView, def: DefId) -> bool {
        overriding::kotlin(rx, file, def)
    }

    fn lacks_override(&self, rx: &Resolver, file: &FileView, def: DefId) -> bool {
        overriding::lacks_override(rx, file, def)
    }

    fn class_made(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<GlobalDef> {
        if file.reference(reference).role != Role::Call {
            return None;
        }
        let found = rx.resolve(file.global_ref(reference)).resolution;
        let def =
            found.defs().next().filter(|_| found.targets.len() == 1 && found.confidence.is_certain())?;
        if rx.kind(def) == SymbolKind::Constructor { rx.owner_class(def) } else { Some(def) }
    }

    fn has_no_objects(&self, rx: &Resolver, class: GlobalDef) -> bool {
        // A function may have its name, and an object beside it be called.
        let view = rx.file(class.file);
        let is_companion = |id: &DefId| view.has_flag(*id, DefFlags::COMPANION);
        let has_companion =
            || rx.def(class).body.is_some_and(|body| view.all_in_scope(body).iter().any(is_companion));
        let is_class =
            matches!(rx.kind(class), SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Enum);
        let is_closed = rx.has_flag(class, DefFlags::ABSTRACT)
            || rx.has_flag(class, DefFlags::SEALED)
            || rx.kind(class) == SymbolKind::Enum;
        is_class
            && is_closed
            && is_own(rx, class)
            && rx.language_of(class) == Language::Kotlin
            && !has_companion()
            && rx
                .world()
                .declarations(rx.def_name(class))
                .iter()
                .all(|site| matches!(site.kind, SymbolKind::Constructor) || site.at == class)
    }

    fn is_hidden(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        rx.language_of(def) == Language::Kotlin
            && (fixed::is_hidden_by_class(rx, file, reference, def)
                || fixed::is_protected_from(rx, file, reference, def))
    }

    fn is_behind_nothing(
        &self,
        rx: &Resolver,
        (file, text): (&FileView, &str),
        reference: RefId,
        def: GlobalDef,
    ) -> bool {
        let own = file.reference(reference);
        let before = text.get(..own.range.start as usize).unwrap_or("");
        let is_plain = before.ends_with('.') && !before.ends_with("?.") && !before.ends_with("..");
        let Some(Expr::Call { callee, .. }) = own.receiver.map(|receiver| file.expr(receiver)) else {
            return false;
        };
        let Some(callee) = rx.expr_ref(file, callee).filter(|_| is_plain) else { return false };
        let found = rx.resolve(file.global_ref(callee)).resolution;
        let mut called = found.defs();
        let (Some(function), None) = (called.next(), called.next()) else { return false };
        let view = rx.file(function.file);
        let gives_nothing =
            rx.def(function).ty.is_some_and(|ty| matches!(view.ty(ty), TypeExpr::Nullable(_)));
        gives_nothing
            && found.targets.len() == 1
            && found.confidence.is_certain()
            && rx.kind(function).is_callable()
            && rx.language_of(function) == Language::Kotlin
            && is_own(rx, function)
            && rx.owner_class(def).is_some()
            && is_own(rx, def)
            && extends_nothing(rx, file.ref_name(reference))
            && !matches!(file.ref_name(reference), "toString" | "equals" | "hashCode")
    }

    fn takes_type_arguments(&self, count: usize, parameters: usize) -> bool {
        count == parameters
    }

    fn named_parameters(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
    ) -> Option<Vec<GlobalDef>> {
        self.arity(rx, file, call, function)?;
        let params_of = |function: GlobalDef| -> Vec<GlobalDef> {
            let view = rx.file(function.file);
            view.list(view.def(function.def).params).map(|param| view.global(param)).collect()
        };
        if rx.kind(function) == SymbolKind::Constructor {
            let all = constructors(rx, rx.owner_class(function)?);
            return if let [only] = all[..] { Some(params_of(only)) } else { None };
        }
        // A lambda behind the parentheses is the last argument, wherever it stands among them.
        let Expr::Call { args, .. } = file.expr(call) else { return None };
        if file.list(args).last().is_some_and(|last| matches!(file.expr(last), Expr::Function(_))) {
            return None;
        }
        let sites = rx.world().declarations(rx.def_name(function));
        // A lambda behind the call is an argument that has no name.
        let [site] = &sites[..] else { return None };
        let view = rx.file(site.at.file);
        let params: Vec<DefId> = view.list(view.def(site.at.def).params).collect();
        let takes_function = params
            .last()
            .and_then(|last| view.def(*last).ty)
            .is_some_and(|ty| !matches!(view.ty(ty), TypeExpr::Named { .. } | TypeExpr::Primitive(_)));
        (!takes_function).then(|| params.into_iter().map(|param| view.global(param)).collect())
    }

    fn is_twice(&self, rx: &Resolver, (file, _): (&FileView, &str), first: DefId, second: DefId) -> bool {
        is_same_signature(rx, file, first, second) && takes_same_types(rx, file, first, second)
            || is_same_local(file, first, second)
    }

    fn must_implement(&self, rx: &Resolver, class: GlobalDef, head: &str) -> bool {
        let def = rx.def(class);
        let is_delegated = head.split_whitespace().any(|word| word == "by");
        matches!(def.kind, SymbolKind::Class | SymbolKind::Object)
            && !is_delegated
            && !def.flags.has(DefFlags::EXPECT)
            && !def.flags.has(DefFlags::ABSTRACT)
            && !def.flags.has(DefFlags::SEALED)
            && knows_supers(rx, &Ty::instance(class))
    }

    fn import_line(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<String> {
        let name = rx.policy(file).qualified_name(rx, def)?;
        Some(format!("import {}", name.replace('#', ".")))
    }

    fn stub(&self, rx: &Resolver, member: GlobalDef, text: &str) -> Option<String> {
        let head = head(rx, member, text)?;
        let over = if head.contains("override ") { "" } else { "override " };
        Some(match rx.kind(member) {
            SymbolKind::Property => format!("{over}{head}\n\tget() = TODO()"),
            _ => format!("{over}{head} {{\n\tTODO()\n}}"),
        })
    }

    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        true
    }
}
