//! The certainty of each language: what its checks may rely on.

mod ecma;
mod fixed;
mod overriding;
mod python;
mod statements;

use std::sync::Arc;

pub(crate) use self::statements::CODES;

use ide_model::{Family, Language, SourceKind, SymbolKind, Visibility};

use self::ecma::Ecma;
use self::python::Python;
use super::imports::imports;
use super::rust::is_outside;
use super::{certainty, go};
use crate::check::{Arity, Judge, Refused, Silent, declared_arity, is_slip_of};
use crate::facts::{
    Def, DefFlags, DefId, Expectation, Expr, ExprId, GuardTest, Import, ImportKind, Quality, RefFlags, RefId,
    Role, ScopeKind, SuperKind, TypeExpr,
};
use crate::refactor::tree::Syntax;
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target, Ty};
use crate::world::{DeclarationSite, FileId, GlobalDef};

/// The judge of a language.
pub(crate) fn judge(language: Language) -> &'static dyn Judge {
    JUDGES.iter().find(|(l, _)| *l == language).map_or(&Silent, |(_, judge)| *judge)
}

const JUDGES: &[(Language, &dyn Judge)] = &[
    (Language::Go, &Go),
    (Language::Java, &Java),
    (Language::JavaScript, &Ecma),
    (Language::Kotlin, &Kotlin),
    (Language::TypeScript, &Ecma),
    (Language::Php, &Php),
    (Language::Python, &Python),
    (Language::Rust, &Rust),
];

/// Whether every import of all names of a place leads to a place that is known.
fn knows_stars(rx: &Resolver, file: &FileView) -> bool {
    file.imports.iter().filter(|import| import.kind == ImportKind::Star).all(|import| {
        let Some(last) = import.member.or_else(|| file.list(import.path).last()) else { return false };
        let found = rx.resolve(file.global_ref(last)).resolution;
        !found.is_unknown() && found.targets.iter().all(|target| !matches!(target, Target::External(_)))
    })
}

/// Whether the supertypes of a type are all declared in the world, with the type itself.
fn knows_supers(rx: &Resolver, ty: &Ty) -> bool {
    let line = rx.linearization(ty);
    let is_known = |part: &Ty| match part {
        Ty::External(name, _) => &**name == "java.lang.Object",
        part => part.def().is_some_and(|def| has_known_supers(rx, def)),
    };
    // The last of a line that is cut is not known.
    !line.is_empty() && line.iter().rev().all(is_known)
}

fn has_known_supers(rx: &Resolver, class: GlobalDef) -> bool {
    let file = rx.file(class.file);
    let mut written = file.list(file.def(class.def).supers).filter(|edge| edge.kind != SuperKind::Other);
    written.all(|edge| rx.type_of(file, edge.ty).def().is_some())
}

/// Whether nothing in the world has a member of this name, in any spelling by case: types may be narrowed, or say less than
/// the value is, but no value has this.
fn is_nowhere(rx: &Resolver, name: &str) -> bool {
    rx.world().declarations(name).is_empty() && rx.world().spellings(name).len() <= 1
}

/// Whether all that has a name is private in other files.
fn is_private_elsewhere(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let sites = rx.world().declarations(file.ref_name(reference));
    let is_hidden = |site: &DeclarationSite| {
        site.at.file != file.id
            && rx.def(site.at).visibility == Some(Visibility::Private)
            && is_own(rx, site.at)
    };
    !sites.is_empty() && sites.len() <= MOST_NAMESAKES && sites.iter().all(is_hidden)
}

/// Whether a function is one of the project: stubs of libraries do not tell all that may be left out.
pub(super) fn is_own(rx: &Resolver, def: GlobalDef) -> bool {
    rx.world().file(def.file).source != SourceKind::Library && !rx.has_flag(def, DefFlags::SYNTHETIC)
}

/// Whether two declarations are of one kind and, where they have parameters, of the same types, all of them known.
fn is_same_signature(rx: &Resolver, file: &FileView, first: DefId, second: DefId) -> bool {
    let (a, b) = (file.def(first), file.def(second));
    let is_plain = |def: &Def| {
        let odd = [DefFlags::EXTENSION, DefFlags::SIGNATURE, DefFlags::ACTUAL, DefFlags::LOCAL];
        !odd.iter().any(|flag| def.flags.has(*flag)) && def.type_params.is_empty()
    };
    let types = |def: &Def| -> Option<Vec<(Ty, bool)>> {
        let one = |param: DefId| {
            let ty = erased(&rx.type_of(file, file.def(param).ty?))?;
            Some((ty, file.has_flag(param, DefFlags::VARARG)))
        };
        file.list(def.params).map(one).collect()
    };
    a.kind == b.kind
        && is_plain(a)
        && is_plain(b)
        && a.params.len == b.params.len
        && types(a).is_some_and(|types_of_a| types(b) == Some(types_of_a))
}

/// A type without its arguments; `None` where it is not known wholly.
fn erased(ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Instance(def, _) => Some(Ty::instance(*def)),
        Ty::Array(item) => Some(Ty::Array(Arc::new(erased(item)?))),
        Ty::Primitive(_) => Some(ty.clone()),
        _ => None,
    }
}

/// Whether a place is compiled under a condition only.
fn is_conditional(file: &FileView, def: DefId) -> bool {
    let range = file.def(def).range;
    file.guards.iter().any(|guard| matches!(guard.test, GuardTest::Build(_)) && guard.range.encloses(range))
}

/// Whether the classes around a place have no supertypes that are not known.
fn knows_classes_around(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    file.scope_chain(file.reference(reference).scope)
        .filter(|scope| file.scope(*scope).kind == ScopeKind::Class)
        .all(|scope| {
            file.scope(scope).owner.is_none_or(|owner| knows_supers(rx, &Ty::instance(file.global(owner))))
        })
}

fn is_decorated(rx: &Resolver, def: GlobalDef) -> bool {
    !rx.def(def).decorators.is_empty()
}

/// The head of an announced member as it is written, without what says that it is only announced.
fn head(rx: &Resolver, member: GlobalDef, text: &str) -> Option<String> {
    let range = rx.def(member).range;
    let written = text.get(range.start as usize..range.end as usize)?.trim_end().trim_end_matches([';', ',']);
    let words: Vec<&str> = written.split_whitespace().filter(|word| *word != "abstract").collect();
    let head = words.join(" ");
    (!head.is_empty() && !head.ends_with('}') && !head.contains("//")).then_some(head)
}

/// Whether a file that was not read may declare a name: one that is called so, or one beside a place.
fn may_be_unread(rx: &Resolver, family: Family, name: &str, directory: &str) -> bool {
    let world = rx.world();
    (0..world.file_count()).map(FileId).any(|id| {
        let entry = world.file(id);
        let path = entry.path.as_str();
        let (place, file_name) = path.rsplit_once('/').unwrap_or(("", path));
        let is_meant = || place == directory || file_name.split('.').next() == Some(name);
        entry.language.is_some_and(|language| language.family() == family)
            && entry.source != SourceKind::Library
            && is_meant()
            && world.facts(id).quality == Quality::Skipped
    })
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Whether the name of a member is given to something from outside: `x.name = …`.
fn is_set_somewhere(rx: &Resolver, name: &str) -> bool {
    rx.world().files_mentioning(name).into_iter().any(|id| {
        let view = rx.file(id);
        let named = view.name_id(name).map_or(&[][..], |name| view.refs_named(name));
        named.iter().map(|id| view.reference(*id)).any(|reference| {
            reference.receiver.is_some() && matches!(reference.role, Role::Write | Role::ReadWrite)
        })
    })
}

/// Whether a type is a struct with fields of its own.
fn has_fields(rx: &Resolver, class: GlobalDef) -> bool {
    let view = rx.file(class.file);
    let is_field = |id: &DefId| view.def(*id).kind == SymbolKind::Field;
    rx.kind(class) == SymbolKind::Struct
        && view.def(class.def).body.is_some_and(|body| view.all_in_scope(body).iter().any(is_field))
}

struct Go;

impl Judge for Go {
    fn writes_make_members(&self, _file: &FileView) -> bool {
        false
    }

    fn refused_statements(&self, file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::go(file, tree, found);
    }

    fn is_built(&self, file: &FileView) -> bool {
        // `./...` passes over these folders.
        let folders = file.path.split('/').rev().skip(1);
        !folders.into_iter().any(|part| part == "testdata" || part.starts_with(['_', '.']))
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, _reference: RefId) -> bool {
        knows_stars(rx, file) && !may_be_unread(rx, file.family(), "", directory(&file.path))
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        match of {
            Ty::Package(place) => !may_be_unread(rx, file.family(), "", place),
            // The keys of a literal may be values, but those of a struct.
            Ty::Instance(class, _) if file.reference(reference).role == Role::Key => {
                has_fields(rx, *class) && knows_supers(rx, of)
            }
            Ty::Instance(..) => knows_supers(rx, of),
            _ => false,
        }
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        let Expr::Call { args, callee, .. } = file.expr(call) else { return None };
        // The values of one call may be all the arguments, and a method of a type takes its object first.
        let args: Vec<ExprId> = file.list(args).collect();
        let is_several = matches!(&args[..], [only] if matches!(file.expr(*only), Expr::Call { .. }));
        let receiver = rx.expr_ref(file, callee).and_then(|name| file.reference(name).receiver);
        let is_of_type =
            receiver.is_some_and(|receiver| matches!(rx.expr_type(file, receiver), Ty::Class(..)));
        (!is_several && !is_of_type && is_own(rx, function)).then(|| declared_arity(rx, function, 0))
    }

    fn is_twice(&self, rx: &Resolver, (file, _): (&FileView, &str), first: DefId, second: DefId) -> bool {
        let (a, b) = (file.def(first), file.def(second));
        let is_word = |id| matches!(file.def_name(id), "_" | "init" | "");
        !is_word(first)
            && rx.policy(file).collides(rx, file.global(first), file.global(second))
            && a.receiver.is_none()
            && b.receiver.is_none()
    }

    fn is_fixed(
        &self,
        rx: &Resolver,
        (file, _): (&FileView, &str),
        reference: RefId,
        def: GlobalDef,
    ) -> bool {
        fixed::go(rx, file, reference, def)
    }

    fn refuses_unused(&self) -> bool {
        true
    }

    fn is_for_use(&self, (file, text): (&FileView, &str), id: DefId) -> bool {
        // Results with a name are variables that need no use.
        let def = file.def(id);
        let behind = text.get(def.name_range.end as usize..).unwrap_or("").trim_start();
        let written = text.get(def.range.start as usize..def.range.end as usize).unwrap_or("");
        let before =
            text.get(..def.name_range.start as usize).unwrap_or("").rsplit('\n').next().unwrap_or("");
        let is_short = behind.starts_with(":=") || written.contains(":=");
        is_short || before.trim_start().starts_with("var ") && !before.contains("func")
    }

    fn keys_are_fields(&self) -> bool {
        true
    }

    fn way_to(&self, rx: &Resolver, _file: &FileView, def: GlobalDef) -> Option<(String, String)> {
        let (name, path) = go::package_at(rx, def.file)?;
        Some((format!("import \"{path}\""), format!("{name}.{}", rx.def_name(def))))
    }

    fn packages(&self, rx: &Resolver, wanted: &dyn Fn(&str) -> bool) -> Vec<(String, String)> {
        let found = go::packages_like(rx, wanted).into_iter();
        found.map(|(name, path)| (name, format!("import \"{path}\""))).collect()
    }

    fn package_imports(&self, rx: &Resolver, _file: &FileView, name: &str) -> Vec<String> {
        go::packages_called(rx, name).into_iter().map(|path| format!("import \"{path}\"")).collect()
    }

    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        true
    }
}

struct Java;

impl Judge for Java {
    fn writes_make_members(&self, _file: &FileView) -> bool {
        false
    }

    fn refused_statements(&self, file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::java(file, tree, found);
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // A label of `switch (e)` is a constant of the type of `e`, whatever that is.
        let mut expected = file
            .expectations
            .iter()
            .filter(|(value, _)| matches!(file.expr(*value), Expr::Ref(r) if r == reference));
        let is_of_unknown = expected.any(|(_, expectation)| {
            matches!(expectation, Expectation::Assigned(of) if rx.expr_type(file, *of).def().is_none())
        });
        !is_of_unknown
            && knows_stars(rx, file)
            && knows_classes_around(rx, file, reference)
            && !may_be_unread(rx, file.family(), file.ref_name(reference), "")
    }

    fn is_announced(&self, rx: &Resolver, member: GlobalDef) -> bool {
        rx.has_flag(member, DefFlags::ABSTRACT) && !certainty::is_of_every_object(rx, member)
    }

    fn sees_all_members(&self, rx: &Resolver, _file: &FileView, _reference: RefId, of: &Ty) -> bool {
        // Kotlin gives its members other names for Java, in annotations and in other source sets.
        let is_java = |part: &Ty| part.def().is_none_or(|def| rx.language_of(def) == Language::Java);
        matches!(of, Ty::Instance(..) | Ty::Class(..))
            && knows_supers(rx, of)
            && rx.linearization(of).iter().all(is_java)
    }

    fn arity(&self, rx: &Resolver, _file: &FileView, _call: ExprId, function: GlobalDef) -> Option<Arity> {
        // Kotlin's receivers, default values and coroutines are parameters of another number in Java.
        if rx.language_of(function) != Language::Java {
            return None;
        }
        // A compact constructor takes the components of its record.
        let is_compact =
            rx.kind(function) == SymbolKind::Constructor && rx.has_flag(function, DefFlags::VALUE);
        let declared = if is_compact { rx.owner_class(function)? } else { function };
        is_own(rx, function).then(|| declared_arity(rx, declared, 0))
    }

    fn is_fixed(
        &self,
        rx: &Resolver,
        (file, _): (&FileView, &str),
        reference: RefId,
        def: GlobalDef,
    ) -> bool {
        fixed::java(rx, file, reference, def)
    }

    fn is_unset(&self, rx: &Resolver, (file, _): (&FileView, &str), def: DefId) -> bool {
        fixed::is_unset_java(rx, file, def)
    }

    fn keeps_captured(&self) -> bool {
        true
    }

    fn overrides_nothing(&self, rx: &Resolver, file: &FileView, def: DefId) -> bool {
        overriding::java(rx, file, def)
    }

    fn has_no_objects(&self, rx: &Resolver, class: GlobalDef) -> bool {
        is_abstract(rx, class) && rx.language_of(class) == Language::Java
    }

    fn is_hidden(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        rx.language_of(def) == Language::Java && fixed::is_hidden_by_class(rx, file, reference, def)
    }

    fn needs_object(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        overriding::needs_object(rx, file, reference, def)
    }

    fn may_not_shadow(&self, file: &FileView, outer: DefId, inner: DefId) -> bool {
        let is_flowing = |id| file.has_flag(id, DefFlags::MATCHED);
        !is_flowing(outer) && !is_flowing(inner)
    }

    fn is_twice(&self, rx: &Resolver, (file, _): (&FileView, &str), first: DefId, second: DefId) -> bool {
        // A compact constructor has the parameters of its record.
        let is_compact =
            |id| file.has_flag(id, DefFlags::VALUE) && file.def(id).kind == SymbolKind::Constructor;
        is_compact(first) == is_compact(second) && is_same_signature(rx, file, first, second)
    }

    fn must_implement(&self, rx: &Resolver, class: GlobalDef, _head: &str) -> bool {
        let def = rx.def(class);
        matches!(def.kind, SymbolKind::Class | SymbolKind::Record)
            && !def.flags.has(DefFlags::ABSTRACT)
            && knows_supers(rx, &Ty::instance(class))
    }

    fn import_line(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<String> {
        let name = rx.policy(file).qualified_name(rx, def).filter(|_| rx.kind(def).is_type())?;
        Some(format!("import {name};"))
    }

    fn stub(&self, rx: &Resolver, member: GlobalDef, text: &str) -> Option<String> {
        let head = head(rx, member, text)?;
        let of_interface =
            rx.owner_class(member).is_some_and(|owner| rx.kind(owner) == SymbolKind::Interface);
        let public = if of_interface && !head.starts_with("public ") { "public " } else { "" };
        Some(format!("@Override\n{public}{head} {{\n\tthrow new UnsupportedOperationException();\n}}"))
    }

    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        true
    }
}

/// Whether a class or interface has objects only of the types below it.
fn is_abstract(rx: &Resolver, class: GlobalDef) -> bool {
    let is_interface = || rx.kind(class) == SymbolKind::Interface;
    let is_class = matches!(rx.kind(class), SymbolKind::Class | SymbolKind::AbstractClass);
    is_own(rx, class) && (is_class && rx.has_flag(class, DefFlags::ABSTRACT) || is_interface())
}

/// Declarations of one name that are looked at.
const MOST_NAMESAKES: usize = 64;

/// The arguments that all functions of a name take together; `None` where one is a value that may be called.
fn widest_arity(rx: &Resolver, name: &str) -> Option<Arity> {
    let sites = rx.world().declarations(name);
    let is_function = |site: &DeclarationSite| matches!(site.kind, SymbolKind::Function | SymbolKind::Method);
    if sites.len() > MOST_NAMESAKES || !sites.iter().all(is_function) {
        return None;
    }
    sites
        .iter()
        .map(|site| declared_arity(rx, site.at, 0))
        .reduce(|a, b| Arity { least: a.least.min(b.least), most: a.most.zip(b.most).map(|(a, b)| a.max(b)) })
}

/// Whether two variables or two parameters stand in one scope.
fn is_same_local(file: &FileView, first: DefId, second: DefId) -> bool {
    let (a, b) = (file.def(first), file.def(second));
    let is_plain = |def: &Def| {
        let odd = [DefFlags::MATCHED, DefFlags::PROMOTED, DefFlags::SYNTHETIC, DefFlags::EXTENSION];
        def.flags.has(DefFlags::LOCAL) && !odd.iter().any(|flag| def.flags.has(*flag))
    };
    a.kind == b.kind
        && matches!(a.kind, SymbolKind::Variable | SymbolKind::Parameter)
        && is_plain(a)
        && is_plain(b)
        && !matches!(file.def_name(first), "_" | "")
}

struct Kotlin;

impl Judge for Kotlin {
    fn writes_make_members(&self, _file: &FileView) -> bool {
        false
    }

    fn refused_statements(&self, _file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::kotlin(tree, found);
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // The names that are imported without being asked for stand in the standard library and the JDK.
        let knows_root =
            |name| rx.policy(file).by_qualified_name(rx, name).is_ok_and(|found| !found.is_empty());
        // A function may be called through a receiver or a parameter that is not seen.
        let is_type = matches!(file.reference(reference).role, Role::Type | Role::Extends | Role::Annotation);
        let name = file.ref_name(reference);
        let is_somewhere = || file.def_ids().any(|def| file.def_name(def) == name) || !is_nowhere(rx, name);
        (is_type || !is_somewhere())
            && knows_root("java.lang.Object")
            && knows_root("kotlin.Any")
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
        !is_package
            && !is_callable_reference
            && matches!(of, Ty::Instance(class, _) | Ty::Class(class, _) if is_own(rx, *class) && !is_of_platforms(*class))
            && knows_supers(rx, of)
            && knows_stars(rx, file)
            && (is_nowhere(rx, file.ref_name(reference)) || is_private_elsewhere(rx, file, reference))
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        let callee = match file.expr(call) {
            Expr::Call { callee, .. } => rx.expr_ref(file, callee)?,
            _ => return None,
        };
        if rx.has_flag(function, DefFlags::LOCAL) {
            return Some(declared_arity(rx, function, 0));
        }
        // A lambda may have a receiver of its own, and an extension others beside it.
        let reference = file.reference(callee);
        let in_lambda = file.scope_chain(reference.scope).filter_map(|scope| file.scope(scope).owner);
        let in_lambda = in_lambda.into_iter().any(|owner| file.has_flag(owner, DefFlags::ANONYMOUS));
        let is_known = match reference.receiver {
            Some(receiver) => knows_supers(rx, &rx.expr_type(file, receiver)),
            None => knows_classes_around(rx, file, callee),
        };
        (is_known && is_own(rx, function) && (reference.receiver.is_some() || !in_lambda))
            .then(|| widest_arity(rx, rx.def_name(function)))
            .flatten()
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
        let is_class = matches!(rx.kind(class), SymbolKind::Class | SymbolKind::AbstractClass);
        let is_closed = rx.has_flag(class, DefFlags::ABSTRACT) || rx.has_flag(class, DefFlags::SEALED);
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
        rx.language_of(def) == Language::Kotlin && fixed::is_hidden_by_class(rx, file, reference, def)
    }

    fn named_parameters(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
    ) -> Option<Vec<GlobalDef>> {
        self.arity(rx, file, call, function)?;
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
        is_same_signature(rx, file, first, second) || is_same_local(file, first, second)
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

/// Whether a class of PHP's own above a type hands calls on to the object inside of it.
fn hands_on_calls(rx: &Resolver, of: &Ty) -> bool {
    rx.linearization(of).iter().filter_map(Ty::def).any(|class| rx.def_name(class) == "IteratorIterator")
}

/// Whether everything above a type that may have members with bodies is known: all but its interfaces.
fn knows_bodies(rx: &Resolver, ty: &Ty) -> bool {
    let is_known = |class: GlobalDef| {
        let file = rx.file(class.file);
        let has_bodies = |kind| matches!(kind, SuperKind::Extends | SuperKind::Mixes);
        let mut written = file.list(file.def(class.def).supers).filter(|edge| has_bodies(edge.kind));
        written.all(|edge| rx.type_of(file, edge.ty).def().is_some())
    };
    rx.linearization(ty).iter().filter_map(Ty::def).all(is_known)
}

/// Whether a function has two parameters of one name.
fn is_same_parameter(file: &FileView, first: DefId, second: DefId) -> bool {
    is_same_local(file, first, second) && file.def(first).kind == SymbolKind::Parameter
}

/// Whether two functions or classes of one name are declared in any case: at the beginning of their lines.
fn is_same_item(file: &FileView, text: &str, first: DefId, second: DefId) -> bool {
    let is_item = |id: DefId| {
        let def = file.def(id);
        let start = def.range.start as usize;
        let is_top = text.get(..start).is_some_and(|before| before.is_empty() || before.ends_with('\n'));
        let is_kind =
            def.kind == SymbolKind::Function || def.kind.is_type() && def.kind != SymbolKind::TypeAlias;
        is_top && is_kind && !def.flags.has(DefFlags::SYNTHETIC) && def.body.is_some()
    };
    let (a, b) = (file.def(first), file.def(second));
    let is_function = |def: &Def| def.kind == SymbolKind::Function;
    a.scope == b.scope && is_item(first) && is_item(second) && is_function(a) == is_function(b)
}

struct Php;

impl Judge for Php {
    fn refused_statements(&self, _file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::php(tree, found);
    }

    fn is_undeclared(&self, _rx: &Resolver, file: &FileView, reference: RefId, found: &Resolution) -> bool {
        let role = file.reference(reference).role;
        let is_type = matches!(role, Role::New | Role::Extends | Role::Implements | Role::Type);
        if role == Role::Call {
            return found.defs().next().is_none() && found.reason != Reason::Cut;
        }
        let name = file.ref_name(reference);
        let is_qualified = |full: &str| full.strip_suffix(name).is_some_and(|space| space.ends_with('\\'));
        is_type && matches!(&found.targets[..], [Target::External(full)] if is_qualified(full))
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // A class that the project has in another namespace, and in this one nobody: what is in no namespace of the project
        // may be loaded from anywhere.
        let name = file.ref_name(reference);
        let is_call = file.reference(reference).role == Role::Call;
        let is_meant = |site: &DeclarationSite| match is_call {
            true => site.kind == SymbolKind::Function && !site.is_member,
            false => site.kind.is_type(),
        };
        if is_slip_of(rx, file, reference, &is_meant) {
            return true;
        }
        if is_call {
            return false;
        }
        let space = file.package.map_or("", |space| file.name(space));
        let mut sites = rx.world().declarations(name).into_iter();
        let is_of_php = |at: GlobalDef| {
            rx.world().file(at.file).source == SourceKind::Library && rx.file(at.file).package.is_none()
        };
        let is_own_space = || {
            let mut files = rx.world().files_of_package(file.family(), space).into_iter();
            files.any(|other| other != file.id && rx.world().file(other).source != SourceKind::Library)
        };
        !space.is_empty()
            && sites.any(|site| {
                site.kind.is_type() && !site.is_nested && (is_own(rx, site.at) || is_of_php(site.at))
            })
            && is_own_space()
    }

    fn import_line(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<String> {
        let kind = rx.kind(def);
        let is_given = kind.is_type() || matches!(kind, SymbolKind::Function | SymbolKind::Constant);
        let name = rx.policy(file).qualified_name(rx, def).filter(|_| is_given)?;
        Some(imports(file.language())?.statement_of(kind, name.trim_start_matches('\\')))
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        let (Ty::Instance(class, _) | Ty::Class(class, _)) = of else { return false };
        let receiver = file.reference(reference).receiver.map(|receiver| file.expr(receiver));
        // Declared types may say less than the value is.
        let is_exact =
            matches!(receiver, Some(Expr::This(_) | Expr::Super(_) | Expr::Type(_) | Expr::New { .. }))
                || matches!(of, Ty::Class(..));
        let answers = |name: &&str| !rx.inherited_members(&Ty::instance(*class), name).is_empty();
        is_exact
            && is_own(rx, *class)
            && matches!(rx.kind(*class), SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Enum)
            && knows_supers(rx, of)
            && !["__call", "__callStatic", "__get"].iter().any(answers)
            && !hands_on_calls(rx, of)
            && is_nowhere(rx, file.ref_name(reference))
    }

    fn arity(&self, rx: &Resolver, _file: &FileView, _call: ExprId, function: GlobalDef) -> Option<Arity> {
        // More arguments than parameters are legal.
        is_own(rx, function).then(|| Arity { most: None, ..declared_arity(rx, function, 0) })
    }

    fn is_fixed(
        &self,
        rx: &Resolver,
        (file, _): (&FileView, &str),
        reference: RefId,
        def: GlobalDef,
    ) -> bool {
        fixed::php(rx, file, reference, def)
    }

    fn has_no_objects(&self, rx: &Resolver, class: GlobalDef) -> bool {
        is_abstract(rx, class) || is_own(rx, class) && rx.kind(class) == SymbolKind::Trait
    }

    fn named_parameters(
        &self,
        rx: &Resolver,
        _file: &FileView,
        _call: ExprId,
        function: GlobalDef,
    ) -> Option<Vec<GlobalDef>> {
        let view = rx.file(function.file);
        let params: Vec<DefId> = view.list(view.def(function.def).params).collect();
        // A method below may call its parameters otherwise.
        let is_alone = rx.world().declarations(rx.def_name(function)).len() == 1;
        let takes_any = params.iter().any(|param| view.has_flag(*param, DefFlags::VARARG));
        (is_own(rx, function) && is_alone && !takes_any)
            .then(|| params.into_iter().map(|param| view.global(param)).collect())
    }

    fn is_twice(&self, rx: &Resolver, (file, text): (&FileView, &str), first: DefId, second: DefId) -> bool {
        if is_same_parameter(file, first, second) || is_same_item(file, text, first, second) {
            return true;
        }
        let is_member = |id: DefId| file.scope(file.def(id).scope).kind == ScopeKind::Class;
        is_member(first)
            && file.def(first).kind == file.def(second).kind
            && rx.policy(file).collides(rx, file.global(first), file.global(second))
    }

    fn must_implement(&self, rx: &Resolver, class: GlobalDef, _head: &str) -> bool {
        let def = rx.def(class);
        def.kind == SymbolKind::Class
            && !def.flags.has(DefFlags::ABSTRACT)
            && knows_bodies(rx, &Ty::instance(class))
    }

    fn is_announced(&self, rx: &Resolver, member: GlobalDef) -> bool {
        let of_interface =
            || rx.owner_class(member).is_some_and(|owner| rx.kind(owner) == SymbolKind::Interface);
        rx.has_flag(member, DefFlags::ABSTRACT) || rx.kind(member).is_callable() && of_interface()
    }

    fn stub(&self, rx: &Resolver, member: GlobalDef, text: &str) -> Option<String> {
        let head = head(rx, member, text)?;
        Some(format!("{head}\n{{\n\tthrow new \\LogicException('not implemented');\n}}"))
    }

    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        true
    }
}

/// Whether the attributes of an item leave it as it is.
fn is_decorated_plainly(file: &FileView, id: DefId) -> bool {
    const PLAIN: [&str; 9] =
        ["allow", "cold", "derive", "doc", "expect", "ignore", "inline", "must_use", "test"];
    file.list(file.def(id).decorators).all(|decorator| {
        let name = match file.expr(decorator) {
            Expr::Call { callee, .. } => file.expr(callee),
            other => other,
        };
        matches!(name, Expr::Ref(name) if PLAIN.contains(&file.ref_name(name)))
    })
}

/// Whether two fields or two variants of a type have one name.
fn is_same_part(file: &FileView, first: DefId, second: DefId) -> bool {
    let is_part = |id: DefId| {
        let def = file.def(id);
        matches!(def.kind, SymbolKind::Field | SymbolKind::EnumCase)
            && !is_conditional(file, id)
            && !def.name_range.is_empty()
    };
    file.def(first).kind == file.def(second).kind && is_part(first) && is_part(second)
}

struct Rust;

/// Whether a file may hold what another one declares that a build writes: `include!(concat!(env!("OUT_DIR"), "/x.rs"))`.
fn includes_others(file: &FileView) -> bool {
    file.name_id("include").is_some()
}

impl Judge for Rust {
    fn writes_make_members(&self, _file: &FileView) -> bool {
        false
    }

    fn refused_statements(&self, _file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::rust(tree, found);
    }

    fn sees_all_modules(&self, rx: &Resolver, file: &FileView, import: &Import) -> bool {
        let Some(last) = file.list(import.path).last() else { return true };
        let found = rx.resolve(file.global_ref(last)).resolution;
        found.targets.iter().all(|target| match target {
            Target::Module(module) => !includes_others(rx.file(*module)),
            _ => true,
        })
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, _reference: RefId) -> bool {
        knows_stars(rx, file) && !includes_others(file)
    }

    fn sees_all_members(&self, rx: &Resolver, _file: &FileView, _reference: RefId, of: &Ty) -> bool {
        matches!(of, Ty::Instance(..) | Ty::Class(..)) && knows_supers(rx, of)
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        // By its path a method takes its object first.
        let Expr::Call { callee, .. } = file.expr(call) else { return None };
        let receiver = rx.expr_ref(file, callee).and_then(|name| file.reference(name).receiver);
        let is_by_path =
            receiver.is_some_and(|receiver| !matches!(rx.expr_type(file, receiver), Ty::Instance(..)));
        let takes_object =
            rx.kind(function) == SymbolKind::Method && !rx.has_flag(function, DefFlags::STATIC);
        (is_own(rx, function) && !(is_by_path && takes_object)).then(|| declared_arity(rx, function, 0))
    }

    fn lacks(&self, rx: &Resolver, file: &FileView, block: DefId) -> Option<(RefId, Vec<GlobalDef>)> {
        let def = file.def(block);
        let edge = file.list(def.supers).find(|edge| edge.kind == SuperKind::Implements)?;
        let name = rx.named_type_ref(file, edge.ty)?;
        let announcing = rx.type_of(file, edge.ty).def()?;
        let body = def.body?;
        let is_plain = def.kind == SymbolKind::Impl && !is_conditional(file, block);
        if !is_plain || !is_own(rx, announcing) || rx.kind(announcing) != SymbolKind::Trait {
            return None;
        }
        let view = rx.file(announcing.file);
        let asked = view.all_in_scope(view.def(announcing.def).body?).iter().copied().filter(|id| {
            let item = view.def(*id);
            item.decorators.is_empty()
                && !is_conditional(view, *id)
                && match item.kind {
                    SymbolKind::Method | SymbolKind::Function => item.flags.has(DefFlags::SIGNATURE),
                    SymbolKind::TypeAlias => item.ty.is_none() && item.init.is_none(),
                    SymbolKind::Constant => item.init.is_none(),
                    _ => false,
                }
        });
        let lacking = asked.filter(|id| file.named_in_scope(body, view.def_name(*id)).is_empty());
        let lacking: Vec<GlobalDef> = lacking.map(|id| view.global(id)).collect();
        // Macros may make items, and conditions leave them out.
        let is_made = || {
            file.ref_ids().any(|id| {
                let reference = file.reference(id);
                reference.scope == body && reference.role == Role::Macro
            })
        };
        (lacking.is_empty() || !is_made()).then_some((name, lacking))
    }

    fn is_twice(&self, rx: &Resolver, (file, _): (&FileView, &str), first: DefId, second: DefId) -> bool {
        // Variables may be shadowed, and items made for different builds.
        if is_same_parameter(file, first, second) || is_same_part(file, first, second) {
            return true;
        }
        let is_item = |id: DefId| {
            let def = file.def(id);
            let is_kind = matches!(
                def.kind,
                SymbolKind::Struct
                    | SymbolKind::Enum
                    | SymbolKind::Trait
                    | SymbolKind::Function
                    | SymbolKind::Constant
            );
            let scope = file.scope(def.scope);
            let in_module = matches!(scope.kind, ScopeKind::File | ScopeKind::Module);
            let in_impl = scope.owner.is_some_and(|owner| file.def(owner).kind == SymbolKind::Impl);
            let is_method = def.kind == SymbolKind::Method;
            (is_kind && (in_module || in_impl) || is_method && in_impl)
                && is_decorated_plainly(file, id)
                && !is_conditional(file, id)
        };
        is_item(first)
            && is_item(second)
            && file.def(first).kind == file.def(second).kind
            && rx.policy(file).collides(rx, file.global(first), file.global(second))
    }

    fn is_fixed(&self, rx: &Resolver, within: (&FileView, &str), reference: RefId, def: GlobalDef) -> bool {
        fixed::rust(rx, within, reference, def)
    }

    fn overrides_nothing(&self, rx: &Resolver, file: &FileView, def: DefId) -> bool {
        overriding::rust(rx, file, def)
    }

    fn literal_fields(&self, rx: &Resolver, of: GlobalDef) -> Option<Vec<GlobalDef>> {
        let view = rx.file(of.file);
        let body = view.def(of.def).body?;
        let is_kind = matches!(rx.kind(of), SymbolKind::Struct | SymbolKind::EnumCase);
        let fields: Vec<DefId> = view.all_in_scope(body).to_vec();
        let is_plain = |id: &DefId| {
            view.def(*id).kind == SymbolKind::Field
                && !is_conditional(view, *id)
                && !view.def_name(*id).starts_with(|c: char| c.is_ascii_digit())
        };
        let is_whole = is_kind && is_own(rx, of) && is_decorated_plainly(view, of.def) && !fields.is_empty();
        (is_whole && fields.iter().all(is_plain))
            .then(|| fields.into_iter().map(|id| view.global(id)).collect())
    }

    fn is_hidden(&self, rx: &Resolver, file: &FileView, _reference: RefId, def: GlobalDef) -> bool {
        let (own, view) = (rx.def(def), rx.file(def.file));
        let owner = view.scope(own.scope).owner.map(|owner| view.def(owner));
        let is_part = owner.is_some_and(|owner| match own.kind {
            SymbolKind::Field => owner.kind == SymbolKind::Struct,
            SymbolKind::Method | SymbolKind::Function => {
                owner.kind == SymbolKind::Impl && owner.supers.is_empty()
            }
            _ => false,
        });
        is_part
            && own.visibility == Some(Visibility::Private)
            && !own.flags.has(DefFlags::SYNTHETIC)
            && is_own(rx, def)
            && !is_conditional(view, def.def)
            && is_outside(rx, file.id, def.file)
    }

    fn import_line(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<String> {
        let module = &rx.world().file(def.file).path;
        let module = rx.policy(file).module_name(rx, file, &file.path, module.as_str()).ok()?;
        Some(format!("use {module}::{};", rx.def_name(def)))
    }

    fn stub(&self, rx: &Resolver, member: GlobalDef, text: &str) -> Option<String> {
        let head = head(rx, member, text).filter(|_| rx.kind(member).is_callable())?;
        Some(format!("{head} {{\n\ttodo!()\n}}"))
    }

    fn imports_are_passed_on(&self) -> bool {
        true
    }

    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        true
    }
}
