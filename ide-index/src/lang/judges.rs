//! The certainty of each language: what its checks may rely on.

mod cases;
mod component;
mod ecma;
mod ecma_known;
mod ecma_rules;
mod fixed;
mod given;
mod heirs;
mod java_rules;
mod kotlin;
mod kotlin_rules;
mod libraries;
mod operands;
mod overriding;
mod php;
mod python;
mod python_rules;
mod rust;
mod rust_moves;
mod rust_rules;
mod split;
mod statements;
mod values;
mod widest;

use std::sync::Arc;

pub(crate) use self::statements::CODES;

use ide_model::{Family, Language, SourceKind, SymbolKind, Visibility};
use rustc_hash::FxHashMap;

use self::component::Component;
use self::ecma::Ecma;
use self::kotlin::Kotlin;
use self::php::Php;
use self::python::Python;
use self::rust::Rust;
use self::split::is_split;
use self::widest::{MOST_NAMESAKES, widest_arity};
use super::{certainty, go, java};
use crate::check::{Arity, Judge, Refused, Silent, declared_arity};
use crate::facts::{
    Def, DefFlags, DefId, Expectation, Expr, ExprId, GuardTest, Import, ImportKind, Quality, RefId, Role,
    ScopeKind, SuperKind, TypeExpr,
};
use crate::refactor::tree::{NodeId, Syntax};
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::{DeclarationSite, FileId, GlobalDef};

/// The judge of a language.
pub(crate) fn judge(language: Language) -> &'static dyn Judge {
    JUDGES.iter().find(|(l, _)| *l == language).map_or(&Silent, |(_, judge)| *judge)
}

/// Reports what a compiler refuses on the tree of a file for the types that it knows.
pub(crate) fn refused_by_types(rx: &Resolver, file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
    // The library of Kotlin itself declares the types of literals.
    if file.language() == Language::Kotlin
        && rx.world().declarations("Int").iter().any(|site| {
            let view = rx.file(site.at.file);
            is_own(rx, site.at) && view.package.is_some_and(|package| view.name(package) == "kotlin")
        })
    {
        return;
    }
    let refs = &file.written_refs().map(|id| (file.reference(id).range.start, id)).collect();
    let named = file.def_ids().filter(|id| !file.def(*id).name_range.is_empty());
    let defs = &named.map(|id| (file.def(id).name_range.start, id)).collect();
    let is_name = |id: &NodeId| tree.node(*id).is_named && tree.children(*id).is_empty();
    let starts = &tree.all().filter(is_name).map(|id| (tree.range(id).start, id)).collect();
    let names = NamedTree { rx, file, tree, refs, defs, starts };
    values::report(names, judge(file.language()), found);
    cases::report(names, found);
    heirs::report(rx, file, found);
    given::report(names, found);
    match file.language() {
        Language::Java => java_rules::report(names, found),
        Language::JavaScript | Language::TypeScript => ecma_rules::report(names, found),
        Language::Kotlin => kotlin_rules::report(names, found),
        Language::Python => python_rules::report(names, found),
        Language::Rust => rust_rules::report(names, found),
        _ => {}
    }
}

/// A file and its tree, with the names that it writes by the offsets where they start.
#[derive(Clone, Copy)]
struct NamedTree<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    tree: &'a Syntax,
    refs: &'a FxHashMap<u32, RefId>,
    /// The declarations with a name, by the offsets where that starts.
    defs: &'a FxHashMap<u32, DefId>,
    /// The leaves of the tree, by the offsets where they start.
    starts: &'a FxHashMap<u32, NodeId>,
}

impl NamedTree<'_> {
    /// The name that a node begins with.
    fn at(&self, node: NodeId) -> Option<RefId> {
        self.refs.get(&self.tree.range(node).start).copied()
    }
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
    (Language::Vue, &Component),
    (Language::Svelte, &Component),
    (Language::Astro, &Component),
];

/// Whether every import of all names of a place leads to a place that is known.
fn knows_stars(rx: &Resolver, file: &FileView) -> bool {
    through_stars(rx, file).is_some()
}

/// The files whose names are those of a place, by imports of all names; `None` where one leads to a place that is not known.
fn through_stars(rx: &Resolver, file: &FileView) -> Option<Vec<FileId>> {
    let mut seen = vec![file.id];
    let mut at = 0;
    while let Some(id) = seen.get(at).copied() {
        let view = rx.file(id);
        // In some languages what an import brings is passed on.
        let is_passed_on = matches!(view.language(), Language::Python | Language::Rust);
        let is_known = view.imports.iter().filter(|import| import.kind == ImportKind::Star).all(|import| {
            let Some(last) = import.member.or_else(|| view.list(import.path).last()) else { return false };
            let found = rx.resolve(view.global_ref(last)).resolution;
            for target in found.targets.iter().filter(|_| is_passed_on) {
                let next = match target {
                    Target::Module(module) => *module,
                    Target::Def(def) => def.file,
                    _ => continue,
                };
                if !seen.contains(&next) && rx.world().file(next).source != SourceKind::Library {
                    seen.push(next);
                }
            }
            !found.is_unknown() && found.targets.iter().all(|target| !matches!(target, Target::External(_)))
        });
        let is_made = at > 0 && view.language() == Language::Python && python::may_make_names(view);
        if !is_known || is_made || seen.len() > MOST_STARS {
            return None;
        }
        at += 1;
    }
    Some(seen)
}

/// Files that are gone through for what their imports of all names pass on.
const MOST_STARS: usize = 256;

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

/// Whether a type has its fields from no type that is not known: `type Source elsewhere.Module`.
fn has_known_fields(rx: &Resolver, class: GlobalDef) -> bool {
    let (view, def) = (rx.file(class.file), rx.def(class));
    def.ty.is_none_or(|ty| {
        !matches!(view.ty(ty), TypeExpr::Named { .. } | TypeExpr::Unknown)
            || !matches!(rx.type_of(view, ty), Ty::Unknown | Ty::External(..))
    })
}

/// Whether a method may be declared for another name of a type in its package: `type Other = Source; func (Other) method()`.
fn is_method_of_alias(rx: &Resolver, class: GlobalDef, name: &str) -> bool {
    let home = rx.world().file(class.file).path.directory();
    let is_beside = |file: FileId| rx.world().file(file).path.directory() == home;
    let beside = rx.world().declarations(name).into_iter().filter(|site| is_beside(site.at.file));
    let sites: Vec<DeclarationSite> = beside.take(MOST_NAMESAKES + 1).collect();
    // Of very many, one may be of an alias.
    sites.len() > MOST_NAMESAKES
        || sites.iter().any(|site| {
            let (view, def) = (rx.file(site.at.file), rx.def(site.at));
            let receiver = def.receiver.map(|ty| match view.ty(ty) {
                TypeExpr::Pointer(ty) => ty,
                _ => ty,
            });
            let named = receiver.and_then(|ty| rx.named_type_ref(view, ty));
            let found = named.map(|name| rx.resolve(view.global_ref(name)).resolution);
            found.is_some_and(|found| found.defs().any(|of| rx.kind(of) == SymbolKind::TypeAlias))
        })
}

struct Go;

impl Judge for Go {
    fn outside_members(&self, _rx: &Resolver, _from: &FileView, ty: &Ty) -> Vec<Arc<str>> {
        if go::is_error(ty) { vec!["Error".into()] } else { Vec::new() }
    }

    fn lacks_member(&self, rx: &Resolver, file: &FileView, import: &Import, _text: &str) -> bool {
        go::is_misspelt_package(rx, file.name(import.module))
    }

    fn writes_make_members(&self, _file: &FileView) -> bool {
        false
    }

    fn refused_statements(&self, file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::go(file, tree, found);
    }

    fn is_built(&self, file: &FileView) -> bool {
        // `./...` passes over these folders.
        let folders = file.path.split('/').rev().skip(1);
        let is_left_out = || file.def_ids().any(|id| file.has_flag(id, DefFlags::NOT_BUILT));
        !folders.into_iter().any(|part| part == "testdata" || part.starts_with(['_', '.'])) && !is_left_out()
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // A test from outside sees what the tests of a package declare for it.
        let is_test = file.path.ends_with("_test.go");
        let has_star = || file.imports.iter().any(|import| import.kind == ImportKind::Star);
        // A package that is not in the world may be called by any part of its path: `k8s.io/api/core/v1`.
        let name = file.ref_name(reference);
        let may_be_package = file
            .imports
            .iter()
            .any(|import| file.name(import.module).split(['/', '.', '-']).any(|part| part == name));
        knows_stars(rx, file)
            && !may_be_package
            && (!is_test || !has_star())
            && !may_be_unread(rx, file.family(), "", directory(&file.path))
    }

    fn is_hidden(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        let is_small = file.ref_name(reference).starts_with(|c: char| c.is_lowercase());
        let is_member = matches!(rx.kind(def), SymbolKind::Field | SymbolKind::Method);
        let place = |id: FileId| directory(rx.world().file(id).path.as_str()).to_owned();
        is_small
            && is_member
            && file.reference(reference).receiver.is_some()
            && is_own(rx, def)
            && rx.language_of(def) == Language::Go
            && place(def.file) != place(file.id)
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        match of {
            Ty::Pointer(of) if matches!(&**of, Ty::Instance(class, _) if rx.kind(*class) == SymbolKind::Struct) => {
                self.sees_all_members(rx, file, reference, of)
            }
            Ty::Package(place) => !may_be_unread(rx, file.family(), "", place),
            // The keys of a literal may be values, but those of a struct.
            Ty::Instance(class, _) if file.reference(reference).role == Role::Key => {
                has_fields(rx, *class) && knows_supers(rx, of)
            }
            Ty::Instance(class, _) => {
                knows_supers(rx, of)
                    && has_known_fields(rx, *class)
                    && !is_method_of_alias(rx, *class, file.ref_name(reference))
            }
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
            && match (a.receiver, b.receiver) {
                (None, None) => rx.policy(file).collides(rx, file.global(first), file.global(second)),
                (Some(a), Some(b)) => {
                    let of = |ty| match rx.type_of(file, ty) {
                        Ty::Pointer(of) => of.def(),
                        of => of.def(),
                    };
                    of(a).is_some() && of(a) == of(b)
                }
                _ => false,
            }
    }

    fn takes_type_arguments(&self, count: usize, parameters: usize) -> bool {
        count == parameters
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
    fn outside_members(&self, _rx: &Resolver, _from: &FileView, ty: &Ty) -> Vec<Arc<str>> {
        if matches!(ty, Ty::Array(_)) { vec!["length".into()] } else { Vec::new() }
    }

    fn lacks_member(&self, rx: &Resolver, file: &FileView, import: &Import, _text: &str) -> bool {
        libraries::lacks_class(rx, file, import)
    }

    fn freeing(&self) -> &'static [(&'static str, &'static str)] {
        &[("final ", "")]
    }

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
        let may_be_elsewhere = || {
            let package = file.package.map_or("", |package| file.name(package));
            let name = file.ref_name(reference);
            file.reference(reference).role != Role::Call
                && java::names::is_type_like(name)
                && is_nowhere(rx, name)
                && is_split(rx, package)
        };
        !is_of_unknown
            && knows_stars(rx, file)
            && knows_classes_around(rx, file, reference)
            && !may_be_elsewhere()
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

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        // Kotlin's receivers, default values and coroutines are parameters of another number in Java.
        if rx.language_of(function) != Language::Java {
            return None;
        }
        // A compact constructor takes the components of its record.
        let is_compact =
            rx.kind(function) == SymbolKind::Constructor && rx.has_flag(function, DefFlags::VALUE);
        let declared = if is_compact { rx.owner_class(function)? } else { function };
        // An unknown supertype may have an overload, and so may `Object`.
        let knows_overloads = match file.expr(call) {
            Expr::Call { .. } if java::OBJECT.contains(&rx.def_name(function)) => false,
            Expr::Call { callee, .. } if rx.kind(function) == SymbolKind::Method => {
                let callee = rx.expr_ref(file, callee)?;
                match file.reference(callee).receiver {
                    Some(receiver) => knows_supers(rx, &rx.expr_type(file, receiver)),
                    None => knows_classes_around(rx, file, callee),
                }
            }
            _ => true,
        };
        (knows_overloads && is_own(rx, function)).then(|| declared_arity(rx, declared, 0))
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
        (is_abstract(rx, class) || is_own(rx, class) && rx.kind(class) == SymbolKind::Enum)
            && rx.language_of(class) == Language::Java
    }

    fn is_hidden(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        rx.language_of(def) == Language::Java
            && (fixed::is_hidden_by_class(rx, file, reference, def)
                || fixed::is_protected_from(rx, file, reference, def))
    }

    fn needs_object(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        overriding::needs_object(rx, file, reference, def)
    }

    fn may_not_shadow(&self, file: &FileView, outer: DefId, inner: DefId) -> bool {
        let is_flowing = |id| file.has_flag(id, DefFlags::MATCHED);
        // The head of a loop does not see its variable: `for (var s : find(s -> s.fits()))`.
        let is_of_loop =
            file.def(outer).init.is_some_and(|value| matches!(file.expr(value), Expr::Element(_)));
        let is_passed = is_of_loop && file.def(inner).kind == SymbolKind::Parameter;
        !is_flowing(outer) && !is_flowing(inner) && !is_passed
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

    fn takes_type_arguments(&self, count: usize, parameters: usize) -> bool {
        count == parameters
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

/// Whether a type of the project is below a class.
fn has_heirs(rx: &Resolver, class: GlobalDef) -> bool {
    let files = rx.world().files_mentioning(rx.def_name(class));
    files.len() > MOST_NAMESAKES
        || files.into_iter().any(|id| {
            let view = rx.file(id);
            view.def_ids().any(|def| {
                let mut supers = view.list(view.def(def).supers);
                supers.any(|edge| rx.type_of(view, edge.ty).def() == Some(class))
            })
        })
}

/// Whether nothing in the project has a member of this name.
fn is_of_libraries(rx: &Resolver, name: &str) -> bool {
    let sites = rx.world().declarations(name);
    let of_library = |site: &DeclarationSite| rx.world().file(site.at.file).source == SourceKind::Library;
    sites.len() <= MOST_NAMESAKES && sites.iter().all(of_library)
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

/// Whether a function has two parameters of one name.
fn is_same_parameter(file: &FileView, first: DefId, second: DefId) -> bool {
    is_same_local(file, first, second) && file.def(first).kind == SymbolKind::Parameter
}
