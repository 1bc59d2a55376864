//! The certainty of Python.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Language, SourceKind, SymbolKind};
use rustc_hash::FxHashMap;

use super::super::certainty;
use super::super::python::{self, is_bound, is_in_namespace, modules_seen};
use super::{
    directory, has_heirs, is_decorated, is_nowhere, is_of_libraries, is_own, is_set_somewhere,
    knows_classes_around, knows_stars, knows_supers,
};
use crate::check::{Arity, Judge, Refused, declared_arity, is_misspelt};
use crate::facts::{Def, DefFlags, DefId, Expr, ExprId, Import, RefId, Role, ScopeId, SuperKind, TypeExpr};
use crate::refactor::tree::Syntax;
use crate::resolve::{FileView, Member, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Whether a module makes names by its own hand: `globals()[…] = …`, `sys.modules[…] = …`.
fn has_made_names(view: &FileView) -> bool {
    const MAKERS: [&str; 6] = ["globals", "locals", "vars", "setattr", "modules", "__dict__"];
    MAKERS.iter().filter_map(|maker| view.name_id(maker)).any(|id| !view.refs_named(id).is_empty())
}

/// Whether a module that all names are imported from may have more than it declares.
pub(super) fn may_make_names(view: &FileView) -> bool {
    has_made_names(view) || !view.named_in_scope(ScopeId(0), "__getattr__").is_empty()
}

/// Whether a class and those above it get members from nobody but their bodies: no decorator, no metaclass, and nothing in their
/// files that sets attributes by name.
fn is_plain_class(rx: &Resolver, of: &Ty) -> bool {
    rx.linearization(of).iter().filter_map(Ty::def).all(|class| {
        let view = rx.file(class.file);
        let has_metaclass = view.list(view.def(class.def).supers).any(|edge| edge.kind == SuperKind::Other);
        let is_plain = !is_decorated(rx, class) || is_dataclass(rx, class);
        !is_own(rx, class) || is_plain && !has_metaclass && !has_made_names(view)
    })
}

/// Whether a receiver is just of this class: a variable of the function that was made by its constructor, the constructor's
/// value, or the class itself. A `self` may be one of a subclass, so behind it only what is nearly a member counts.
pub(super) fn is_exact(rx: &Resolver, file: &FileView, reference: RefId, class: GlobalDef) -> bool {
    let Some(receiver) = file.reference(reference).receiver else { return false };
    match file.expr(receiver) {
        Expr::Super(_) => is_near_member(rx, file, reference, class),
        Expr::This(_) => is_near_member(rx, file, reference, class) || is_last(rx, file, reference, class),
        Expr::Call { callee, .. } => {
            matches!(rx.expr_type(file, callee), Ty::Class(made, _) if made == class)
        }
        Expr::Ref(variable) => {
            let found = rx.resolve(file.global_ref(variable)).resolution;
            let mut defs = found.defs();
            let (Some(def), None) = (defs.next(), defs.next()) else { return false };
            if rx.kind(def).is_type() {
                return true;
            }
            let own = rx.def(def);
            if own.kind == SymbolKind::Parameter && matches!(rx.def_name(def), "self" | "cls") {
                return is_near_member(rx, file, reference, class) || is_last(rx, file, reference, class);
            }
            let is_made = || {
                own.init.is_some_and(|init| {
                    matches!(file.expr(init), Expr::Call { callee, .. }
                    if matches!(rx.expr_type(file, callee), Ty::Class(made, _) if made == class))
                })
            };
            def.file == file.id
                && own.flags.has(DefFlags::LOCAL)
                && own.kind == SymbolKind::Variable
                && is_made()
                && file.in_scope(own.scope, own.name).len() == 1
        }
        _ => false,
    }
}

/// Whether a method is called on an object of a class below which the project has none. A class that says that it is a part of
/// others may be below one elsewhere.
fn is_last(rx: &Resolver, file: &FileView, reference: RefId, class: GlobalDef) -> bool {
    const PARTS: [&str; 4] = ["Mixin", "Base", "Abstract", "Interface"];
    let name = rx.def_name(class);
    let role = file.reference(reference).role;
    (role == Role::Call || role == Role::Read && is_dataclass(rx, class))
        && !PARTS.iter().any(|part| name.contains(part))
        && is_of_libraries(rx, file.ref_name(reference))
        && !has_heirs(rx, class)
}

/// Whether a name is nearly one of a member of a class.
fn is_near_member(rx: &Resolver, file: &FileView, reference: RefId, class: GlobalDef) -> bool {
    let name = file.ref_name(reference);
    let line = rx.linearization(&Ty::instance(class));
    name.len() > 3
        && line.iter().filter_map(Ty::def).any(|class| {
            let view = rx.file(class.file);
            let body = view.def(class.def).body;
            view.def_ids().any(|id| {
                let def = view.def(id);
                let is_member = Some(def.scope) == body || def.flags.has(DefFlags::ATTRIBUTE);
                is_member && is_misspelt(name, view.def_name(id))
            })
        })
}

/// Whether a package of plain modules has none of this name. A module whose name says that it is compiled or generated may be
/// made by a build.
fn is_package_without(rx: &Resolver, package: &str, name: &str) -> bool {
    let world = rx.world();
    let own = world.file_by_path(package).filter(|id| world.file(*id).source != SourceKind::Library);
    let (Some(own), Some(place)) = (own, world.directory(directory(package))) else { return false };
    let view = rx.file(own);
    let is_open =
        ["__path__", "extend_path", "__getattr__"].into_iter().any(|word| view.name_id(word).is_some());
    let is_made =
        name.starts_with('_') || ["version", "pb2", "generated"].iter().any(|word| name.contains(word));
    let is_named = |id: &FileId| world.file(*id).path.file_name().split('.').next() == Some(name);
    let is_module = |id: &&FileId| world.file(**id).language == Some(Language::Python);
    let is_directory = place.directories.iter().any(|directory| directory.rsplit('/').next() == Some(name));
    !is_open
        && !is_made
        && !has_made_names(view)
        && !is_directory
        && !place.files.iter().any(is_named)
        && place.files.iter().filter(is_module).count() > 1
}

/// Whether a module starts a name in a directory that is no place for the names of a file: in a project among the fixtures of
/// its tests, which may be called like an installed package.
fn is_of_other_project(rx: &Resolver, file: &FileView, module: FileId) -> bool {
    let path = &rx.world().file(module).path;
    let path = path.as_str().strip_suffix("/__init__.py").map_or(path.as_str(), |package| package);
    let root = directory(path);
    let home = if root == "src" || root.ends_with("/src") { directory(root) } else { root };
    !home.is_empty() && !file.path.starts_with(&format!("{home}/"))
}

/// Names of the arguments of a decorator that leave the parameters of the constructor as they are.
const PLAIN_OPTIONS: [&str; 8] =
    ["eq", "frozen", "match_args", "order", "repr", "slots", "unsafe_hash", "weakref_slot"];

/// Whether a function has one decorator, which makes it static.
fn is_static_method(rx: &Resolver, function: GlobalDef) -> bool {
    let view = rx.file(function.file);
    let mut decorators = view.list(rx.def(function).decorators);
    let (Some(only), None) = (decorators.next(), decorators.next()) else { return false };
    matches!(view.expr(only), Expr::Ref(name) if view.ref_name(name) == "staticmethod")
}

/// Whether a class has one decorator, that of the standard library which makes its constructor of its fields.
pub(super) fn is_dataclass(rx: &Resolver, class: GlobalDef) -> bool {
    let view = rx.file(class.file);
    let decorators: Vec<ExprId> = view.list(view.def(class.def).decorators).collect();
    let [only] = decorators[..] else { return false };
    let (name, options) = match view.expr(only) {
        Expr::Call { callee, args, .. } => (view.expr(callee), view.list(args).collect()),
        other => (other, Vec::new()),
    };
    let is_plain = |option: &ExprId| matches!(view.expr(*option), Expr::Named { key, .. } if PLAIN_OPTIONS.contains(&view.ref_name(key)));
    let Expr::Ref(name) = name else { return false };
    let mut sources = view.imports.iter().filter(|import| view.name(import.module) == "dataclasses");
    view.ref_name(name) == "dataclass"
        && options.iter().all(is_plain)
        && sources.next().is_some()
        && rx.resolve(view.global_ref(name)).resolution.defs().all(|def| !is_own(rx, def))
}

/// Whether a class is a `typing.NamedTuple` and has no other base.
pub(super) fn is_named_tuple(rx: &Resolver, class: GlobalDef) -> bool {
    let view = rx.file(class.file);
    let supers: Vec<_> = view.list(view.def(class.def).supers).collect();
    let [only] = supers[..] else { return false };
    let is_of_typing = |name: RefId| {
        let found = rx.resolve(view.global_ref(name)).resolution;
        view.ref_name(name) == "NamedTuple" && found.defs().all(|def| !is_own(rx, def))
    };
    !is_decorated(rx, class) && rx.named_type_ref(view, only.ty).is_some_and(is_of_typing)
}

/// Whether a class is abstract: it is one of `abc`, and an abstract method of it or of a base is not overridden.
fn is_abstract(rx: &Resolver, class: GlobalDef) -> bool {
    let of = Ty::instance(class);
    let line = rx.linearization(&of);
    let is_watched = |part: GlobalDef| {
        let view = rx.file(part.file);
        view.list(view.def(part.def).supers).any(|edge| {
            let name = rx.named_type_ref(view, edge.ty).map(|name| view.ref_name(name));
            matches!(name, Some("ABC" | "ABCMeta"))
        })
    };
    let own: Vec<GlobalDef> = line.iter().filter_map(Ty::def).filter(|part| is_own(rx, *part)).collect();
    let announces = |part: &GlobalDef| {
        let view = rx.file(part.file);
        let Some(body) = view.def(part.def).body else { return false };
        view.all_in_scope(body).iter().any(|id| {
            view.has_flag(*id, DefFlags::ABSTRACT)
                && rx.inherited_members(&of, view.def_name(*id)).first().and_then(Member::def)
                    == Some(view.global(*id))
        })
    };
    // A base that is not seen may have what is announced.
    let is_seen = |part: &GlobalDef| {
        let view = rx.file(part.file);
        let mut edges = view.list(view.def(part.def).supers).filter(|edge| edge.kind != SuperKind::Other);
        edges.all(|edge| {
            let name = rx.named_type_ref(view, edge.ty).map(|name| view.ref_name(name));
            name == Some("ABC") || rx.type_of(view, edge.ty).def().is_some()
        })
    };
    is_own(rx, class)
        && !is_decorated(rx, class)
        && own.iter().all(is_seen)
        && !own.iter().any(|part| has_made_names(rx.file(part.file)))
        && own.iter().any(|part| is_watched(*part))
        && own.iter().any(announces)
}

/// The fields that the constructor of a dataclass takes; `None` where that is not certain.
fn dataclass_fields(rx: &Resolver, class: GlobalDef) -> Option<Vec<GlobalDef>> {
    let view = rx.file(class.file);
    let own = view.def(class.def);
    let has = |name: &str| own.body.is_some_and(|body| !view.named_in_scope(body, name).is_empty());
    let is_plain = is_dataclass(rx, class) && own.supers.is_empty() || is_named_tuple(rx, class);
    if !is_plain || has("__init__") || has("__new__") {
        return None;
    }
    let mut fields = Vec::new();
    for id in view.own_in_order(class.def) {
        let def = view.def(id);
        // A property of Python is a function.
        let odd = [DefFlags::ATTRIBUTE, DefFlags::PROPERTY];
        let is_field =
            !def.kind.is_callable() && def.body.is_none() && !odd.iter().any(|flag| def.flags.has(*flag));
        let Some(ty) = def.ty.filter(|_| is_field) else {
            continue;
        };
        match view.ty(ty) {
            TypeExpr::Unknown => return None,
            TypeExpr::Named { name, .. } => match view.ref_name(name) {
                "ClassVar" => continue,
                "KW_ONLY" | "Annotated" | "InitVar" => return None,
                _ => {}
            },
            _ => {}
        }
        // `field(init=False)`.
        if let Some(Expr::Call { args, .. }) = def.init.map(|init| view.expr(init))
            && view.list(args).any(|arg| {
                matches!(view.expr(arg), Expr::Named { key, .. } if matches!(view.ref_name(key), "init" | "kw_only"))
            })
        {
            return None;
        }
        fields.push(view.global(id));
    }
    Some(fields)
}

/// Whether a class is called for what its own `__init__` takes.
fn is_made_plainly(rx: &Resolver, class: GlobalDef) -> bool {
    let of = Ty::instance(class);
    let has_new = || {
        rx.inherited_members(&of, "__new__")
            .iter()
            .any(|member| member.def().is_none_or(|def| is_own(rx, def)))
    };
    is_own(rx, class)
        && !is_decorated(rx, class)
        && is_plain_class(rx, &of)
        && knows_supers(rx, &of)
        && is_bound_once(rx, class)
        && !has_new()
}

pub(super) struct Python;

/// Functions of which it is known whether nothing else has their name in their scope.
#[derive(Default)]
struct BoundOnce(Mutex<FxHashMap<GlobalDef, bool>>);

/// Whether nothing else has the name of a function in its scope, a write of it included: `f = staticmethod(f)`.
fn is_bound_once(rx: &Resolver, function: GlobalDef) -> bool {
    let known = rx.extension(|_| BoundOnce::default());
    let locked = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = locked().get(&function) {
        return *known;
    }
    let (view, def) = (rx.file(function.file), rx.def(function));
    let is_write = |id: &RefId| {
        let other = view.reference(*id);
        other.scope == def.scope && other.role == Role::Write
    };
    let is_once =
        view.in_scope(def.scope, def.name).len() == 1 && !view.refs_named(def.name).iter().any(is_write);
    locked().insert(function, is_once);
    is_once
}

/// Whether a module may have more than it declares: it answers for names itself, imports all names of one that may make some, or
/// is a stub, which stands for a compiled one and says no more than is meant for others. A stub sees the stub beside a module.
fn is_open_module(rx: &Resolver, file: &FileView, module: FileId) -> bool {
    let view = rx.file(module);
    let answers = !view.named_in_scope(ScopeId(0), "__getattr__").is_empty();
    answers || is_stub(&view.path) || is_stub(&file.path) || !knows_stars(rx, view)
}

/// Whether a class is built in, with all members known, and has no subclass in the project.
fn is_builtin(rx: &Resolver, class: GlobalDef) -> bool {
    const KNOWN: [&str; 9] = ["bool", "bytes", "dict", "float", "frozenset", "int", "list", "set", "str"];
    let view = rx.file(class.file);
    rx.world().file(class.file).source == SourceKind::Library
        && view.path.ends_with("builtins.pyi")
        && KNOWN.contains(&rx.def_name(class))
        && !has_heirs(rx, class)
}

/// Whether neither a class, its bases nor anything else in the project declares a member of this name.
fn is_nowhere_among(rx: &Resolver, class: GlobalDef, name: &str) -> bool {
    let of = Ty::instance(class);
    !name.starts_with("__")
        && knows_supers(rx, &of)
        && rx.inherited_members(&of, name).is_empty()
        && rx.world().declarations(name).iter().all(|site| !is_own(rx, site.at))
}

/// Whether the stub of a module of the standard library does not declare a public name, and nothing else does.
fn is_stub_without(rx: &Resolver, file: &FileView, module: FileId, name: &str) -> bool {
    let view = rx.file(module);
    let is_standard = is_stub(&view.path) && !view.path.contains("site-packages");
    is_standard
        && !is_stub(&file.path)
        && !name.starts_with('_')
        && view.named_in_scope(ScopeId(0), "__getattr__").is_empty()
        && knows_stars(rx, view)
        && is_nowhere(rx, name)
}

/// Whether the package that dots alone name has no more than it declares.
fn is_package_whole(rx: &Resolver, file: &FileView, import: &Import) -> bool {
    let around = (1..import.level).fold(directory(&file.path), |at, _| directory(at));
    let module = ["py", "pyi"].iter().find_map(|ending| {
        let path = if around.is_empty() {
            format!("__init__.{ending}")
        } else {
            format!("{around}/__init__.{ending}")
        };
        rx.world().file_by_path(&path)
    });
    !is_stub(&file.path)
        && module.is_none_or(|module| !is_open_module(rx, file, module) && !has_made_names(rx.file(module)))
}

fn is_stub(path: &str) -> bool {
    path.ends_with(".pyi")
}

impl Judge for Python {
    fn declared_kind(&self, rx: &Resolver, ty: &Ty) -> Option<Ty> {
        let is_built_in =
            matches!(ty, Ty::Tuple(_) | Ty::Literal(_) | Ty::Function(..) | Ty::Callable { .. });
        is_built_in.then(|| python::as_class(rx, ty))
    }

    fn lacks_member(&self, rx: &Resolver, file: &FileView, import: &Import, text: &str) -> bool {
        let is_without = |module, name: &str| is_stub_without(rx, file, module, name);
        super::libraries::lacks_name(rx, file, import, text, is_without)
    }

    fn import_roots(&self, rx: &Resolver, file: &FileView) -> Vec<(Arc<str>, bool)> {
        modules_seen(rx, file)
    }

    fn refused_statements(&self, _file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        super::statements::python(tree, found);
    }

    fn sees_all_modules(&self, rx: &Resolver, file: &FileView, import: &Import) -> bool {
        // A package of nothing but its `__init__.py` may hold compiled modules.
        let mut path = file.list(import.path);
        // `from . import name`.
        let Some(first) = path.next() else { return is_package_whole(rx, file, import) };
        let is_short = |target: &Target| match target {
            Target::Module(module) => is_in_namespace(rx, *module) || is_of_other_project(rx, file, *module),
            _ => false,
        };
        if import.level == 0 && rx.resolve(file.global_ref(first)).resolution.targets.iter().any(is_short) {
            return false;
        }
        let last = path.last().unwrap_or(first);
        let found = rx.resolve(file.global_ref(last)).resolution;
        found.targets.iter().all(|target| {
            let Target::Module(module) = target else { return true };
            if is_open_module(rx, file, *module) {
                return false;
            }
            let path = &rx.world().file(*module).path;
            let Some(place) = rx.world().directory(directory(path.as_str())) else { return true };
            let is_module = |id: &FileId| rx.world().file(*id).language == Some(Language::Python);
            let modules = place.files.iter().filter(|id| is_module(id)).count();
            !path.as_str().ends_with("/__init__.py") || modules > 1 || !place.directories.is_empty()
        })
    }

    fn lacks_module(&self, rx: &Resolver, file: &FileView, import: &Import, text: &str) -> bool {
        let path: Vec<RefId> = file.list(import.path).collect();
        let module_of = |r: RefId| {
            let found = rx.resolve(file.global_ref(r)).resolution;
            found.targets.iter().find_map(|target| match target {
                Target::Module(module) => Some(*module),
                _ => None,
            })
        };
        let is_unknown = |r: &RefId| {
            rx.resolve(file.global_ref(*r)).resolution.defs().next().is_none() && module_of(*r).is_none()
        };
        let Some(missing) = path.iter().position(is_unknown) else { return false };
        let package = match missing.checked_sub(1) {
            Some(before) => module_of(path[before]).map(|module| rx.world().file(module).path.to_string()),
            None if import.level > 0 => {
                let around = (1..import.level).fold(directory(&file.path), |at, _| directory(at));
                Some(format!("{around}/__init__.py"))
            }
            None => None,
        };
        let Some(package) = package.filter(|path| path.ends_with("/__init__.py")) else { return false };
        let name = file.ref_name(path[missing]);
        let start = file.reference(path[0]).range.start as usize;
        let line = text.get(..start).map_or("", |before| before.rsplit('\n').next().unwrap_or(before));
        line.starts_with(|c: char| c.is_alphabetic()) && is_package_without(rx, &package, name)
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // In a class body that is only written for type checkers a name may be one of a base.
        !file.ref_name(reference).starts_with("__")
            && knows_stars(rx, file)
            && knows_classes_around(rx, file, reference)
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        let name = file.ref_name(reference);
        match of {
            Ty::Module(module) if rx.world().file(*module).source == SourceKind::Library => {
                is_stub_without(rx, file, *module, name) && !is_set_somewhere(rx, name)
            }
            Ty::Module(module) => {
                let view = rx.file(*module);
                !is_in_namespace(rx, *module)
                    && knows_stars(rx, view)
                    && !has_made_names(view)
                    && !is_open_module(rx, file, *module)
                    && !is_set_somewhere(rx, name)
            }
            Ty::Instance(class, _) if is_builtin(rx, *class) => {
                is_nowhere_among(rx, *class, name) && !is_set_somewhere(rx, name)
            }
            Ty::Instance(class, _) | Ty::Class(class, _) => {
                // The members of `object` itself answer for nothing.
                let answers = |name: &&str| {
                    let found = rx.inherited_members(&Ty::instance(*class), name);
                    found.iter().any(|member| member.def().is_none_or(|def| is_own(rx, def)))
                };
                !name.starts_with("__")
                    && is_own(rx, *class)
                    && !is_stub(&rx.file(class.file).path)
                    && is_plain_class(rx, of)
                    && is_exact(rx, file, reference, *class)
                    && knows_supers(rx, of)
                    && !["__getattr__", "__getattribute__", "__setattr__", "_fields_"].iter().any(answers)
                    && (is_nowhere(rx, name) || is_of_libraries(rx, name))
                    && !is_set_somewhere(rx, name)
                    && !rx
                        .linearization(of)
                        .iter()
                        .filter_map(Ty::def)
                        .any(|part| certainty::has_open_members(rx, part))
            }
            _ => false,
        }
    }

    fn class_made(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<GlobalDef> {
        if file.reference(reference).role != Role::Call {
            return None;
        }
        let found = rx.resolve(file.global_ref(reference)).resolution;
        found.certain_def().filter(|def| rx.kind(*def).is_type() && is_bound_once(rx, *def))
    }

    fn has_no_objects(&self, rx: &Resolver, class: GlobalDef) -> bool {
        is_abstract(rx, class)
    }

    fn initializer(&self, rx: &Resolver, class: GlobalDef) -> Option<GlobalDef> {
        if dataclass_fields(rx, class).is_some() {
            return Some(class);
        }
        let members = rx.inherited_members(&Ty::instance(class), "__init__");
        let own = members.first()?.def().filter(|def| is_own(rx, *def) && rx.kind(*def).is_callable())?;
        is_made_plainly(rx, class).then_some(own)
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        if rx.kind(function).is_type() {
            let fields = dataclass_fields(rx, function)?;
            let least = fields.iter().filter(|field| rx.def(**field).init.is_none()).count();
            return is_bound_once(rx, function).then_some(Arity { least, most: Some(fields.len()) });
        }
        let is_static = is_static_method(rx, function);
        if is_decorated(rx, function) && !is_static {
            return None;
        }
        if rx.def_name(function) == "__init__"
            && let Some(Ty::Class(class, _)) = rx.callee_of(file, call)
        {
            let is_meant = self.initializer(rx, class) == Some(function) && is_bound_once(rx, function);
            return is_meant.then(|| declared_arity(rx, function, 1));
        }
        let Some(Ty::Function(called, receiver)) = rx.callee_of(file, call) else { return None };
        let given = match receiver.as_deref() {
            _ if is_static => 0,
            None if rx.kind(function) == SymbolKind::Function => 0,
            Some(Ty::Instance(..)) if rx.kind(function) == SymbolKind::Method => 1,
            _ => return None,
        };
        // A method below may take more.
        let is_alone = given == 0 && !is_static || rx.world().declarations(rx.def_name(function)).len() == 1;
        (called == function && is_bound_once(rx, function) && is_alone && is_own(rx, function))
            .then(|| declared_arity(rx, function, given))
    }

    fn named_parameters(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
    ) -> Option<Vec<GlobalDef>> {
        self.arity(rx, file, call, function)?;
        if rx.kind(function).is_type() {
            return dataclass_fields(rx, function);
        }
        let view = rx.file(function.file);
        let given = usize::from(rx.kind(function) == SymbolKind::Method && !is_static_method(rx, function));
        let params: Vec<DefId> = view.list(view.def(function.def).params).skip(given).collect();
        let takes_any = |id: &DefId| {
            let odd = [DefFlags::KEYWORD_VARARG, DefFlags::VARARG, DefFlags::POSITIONAL_ONLY];
            odd.iter().any(|flag| view.has_flag(*id, *flag))
        };
        (!params.iter().any(takes_any)).then(|| params.into_iter().map(|id| view.global(id)).collect())
    }

    fn imports_are_passed_on(&self) -> bool {
        true
    }

    fn filled_parameters(&self, def: &Def) -> usize {
        usize::from(is_bound(def))
    }

    fn import_line(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<String> {
        let module = &rx.world().file(def.file).path;
        let module = rx.policy(file).module_name(rx, file, &file.path, module.as_str()).ok()?;
        Some(format!("from {module} import {}", rx.def_name(def)))
    }

    fn reports_unused_imports(&self, _rx: &Resolver, file: &FileView) -> bool {
        !file.path.ends_with("__init__.py")
    }
}
