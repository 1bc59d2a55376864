//! Classes: the order in which their bases are searched, and their members.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Confidence, SourceKind, SymbolKind};
use rustc_hash::FxHashMap;

use crate::facts::{DefFlags, DefId, Expr, ExprId, List, Literal, SuperKind, TypeExpr, TypeId};
use crate::guard;
use crate::resolve::{FileView, Member, Reason, Resolution, Resolver, Target, Ty, Types, lines};
use crate::world::GlobalDef;

use super::modules::{self, Module};
use super::{annotations, library, values};
use library::known;

/// The value of `super()`: the bases of a class, seen from its instance (or the class itself). Python has no pointers,
/// so their place among the types is free.
pub(super) fn super_value(this: Ty) -> Ty {
    if this.is_unknown() { this } else { Ty::Pointer(Arc::new(this)) }
}

/// The direct bases of a class.
pub(super) fn supers(rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
    let file = rx.file(class.file);
    let edges: Vec<_> =
        file.list(file.def(class.def).supers).filter(|e| e.kind == SuperKind::Extends).collect();
    edges
        .into_iter()
        .map(|edge| match rx.type_of(file, edge.ty) {
            _ if is_made_tuple(rx, file, edge.ty) => fields(rx, file, class),
            class @ Ty::Class(..) => class.instantiate(),
            Ty::ExternalName(name) => Ty::External(name, Types::default()),
            other => other,
        })
        .filter(|ty| !is_type_level(ty))
        .collect()
}

/// The base `NamedTuple`.
fn is_made_tuple(rx: &Resolver, file: &FileView, base: TypeId) -> bool {
    let TypeExpr::Named { name, .. } = file.ty(base) else { return false };
    let made_by = rx.resolve(file.global_ref(name)).resolution.defs().next();
    made_by.is_some_and(|def| library::special(rx, def) == Some(library::Special::MadeTuple))
}

/// The tuple of what the annotated names in a class's body declare.
fn fields(rx: &Resolver, file: &FileView, class: GlobalDef) -> Ty {
    let own = file.own_in_order(class.def).into_iter();
    let is_value = |d: &DefId| matches!(file.def(*d).kind, SymbolKind::Field | SymbolKind::Variable);
    Ty::Tuple(own.filter(is_value).filter_map(|d| Some(rx.type_of(file, file.def(d).ty?))).collect())
}

/// Bases that have no members: they only list type parameters, or ask for a shape.
fn is_type_level(ty: &Ty) -> bool {
    matches!(ty, Ty::External(name, _) if matches!(library::last(name), "Generic" | "Protocol"))
}

/// A value as an instance of the class that has its members.
pub(in crate::lang) fn as_class(rx: &Resolver, ty: &Ty) -> Ty {
    let known = known(rx);
    match ty {
        Ty::Tuple(items) => known.tuple_of(Ty::union(items.iter().cloned())),
        Ty::Literal(_) => Ty::instance(known.str),
        Ty::Function(..) | Ty::Callable { .. } => Ty::instance(known.function),
        Ty::Module(_) | Ty::Package(_) => Ty::instance(known.module),
        Ty::Class(..) => Ty::instance(known.type_),
        other => other.clone(),
    }
}

/// The metaclass that a class names itself.
fn metaclass(rx: &Resolver, class: GlobalDef) -> Option<Ty> {
    let file = rx.file(class.file);
    let edge = file.list(file.def(class.def).supers).find(|e| e.kind == SuperKind::Other)?;
    let TypeExpr::TypeOf(value) = file.ty(edge.ty) else { return None };
    match rx.expr_type(file, value) {
        class @ Ty::Class(..) => Some(class.instantiate()),
        _ => None,
    }
}

/// C3; where the bases contradict each other, depth first.
pub(super) fn linearization(rx: &Resolver, ty: &Ty) -> Vec<Ty> {
    let Some(def) = ty.def() else { return vec![ty.clone()] };
    let substitution = rx.arguments_of(ty);
    let as_class = matches!(ty, Ty::Class(..));
    let parents: Vec<Ty> = rx
        .supers(def)
        .iter()
        .map(|parent| match parent.substitute(&substitution) {
            Ty::Instance(def, args) if as_class => Ty::Class(def, args),
            other => other,
        })
        .collect();
    let same = |a: &Ty, b: &Ty| match (a.def(), b.def()) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a == b,
        _ => false,
    };
    if let [parent] = &parents[..] {
        let above = rx.linearization(parent);
        let mut line = vec![ty.clone()];
        line.extend(above.iter().filter(|above| !same(above, ty)).cloned());
        lines::cut(&mut line);
        return line;
    }
    let mut lines: Vec<Vec<Ty>> = parents.iter().map(|p| rx.linearization(p).to_vec()).collect();
    lines.push(parents);
    let mut merged = vec![ty.clone()];
    loop {
        lines.retain(|line| !line.is_empty());
        if lines.is_empty() || !guard::spend(lines.len() as u32) {
            lines::cut(&mut merged);
            return merged;
        }
        let head = lines
            .iter()
            .map(|line| &line[0])
            .find(|head| !lines.iter().any(|line| line[1..].iter().any(|ty| same(ty, head))));
        let Some(head) = head.cloned() else { return rx.depth_first_linearization(ty) };
        for line in &mut lines {
            line.retain(|ty| !same(ty, &head));
        }
        if !merged.iter().any(|ty| same(ty, &head)) {
            merged.push(head);
        }
    }
}

/// Type parameters of a class: its own, else those that its bases mention; `Generic` and `Protocol` say their order.
pub(super) fn type_params(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    #[derive(Default)]
    struct ParamsOfClasses(Mutex<FxHashMap<GlobalDef, Arc<[GlobalDef]>>>);
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if !d.type_params.is_empty() {
        return file.list(d.type_params).map(|p| file.global(p)).collect();
    }
    if !d.kind.is_type() || d.supers.is_empty() {
        return Vec::new();
    }
    let known = rx.extension(|_| ParamsOfClasses::default());
    if let Some(found) = known.0.lock().unwrap_or_else(PoisonError::into_inner).get(&def) {
        return found.to_vec();
    }
    let mut params = Vec::new();
    for edge in file.list(d.supers).filter(|e| e.kind == SuperKind::Extends) {
        if !matches!(file.ty(edge.ty), TypeExpr::Named { args, .. } if !args.is_empty()) {
            continue;
        }
        let ty = rx.type_of(file, edge.ty);
        let is_generic = is_type_level(&ty);
        let mut found = Vec::new();
        annotations::parameters_in(&ty, &mut found);
        if is_generic {
            params = found;
            break;
        }
        params.extend(found.into_iter().filter(|p| !params.contains(p)).collect::<Vec<_>>());
    }
    known.0.lock().unwrap_or_else(PoisonError::into_inner).insert(def, params.as_slice().into());
    params
}

/// Members of a value or namespace. Bounds, and the classes of classes, ask again.
pub(super) fn members(rx: &Resolver, ty: &Ty, name: &str) -> Vec<Member> {
    guard::deeper(|| members_inside(rx, ty, name)).unwrap_or_default()
}

fn members_inside(rx: &Resolver, ty: &Ty, name: &str) -> Vec<Member> {
    let found = known_members(rx, ty, name);
    if !found.is_empty() {
        return found;
    }
    // The bases that are not written: the class of functions, of classes, of modules, and `object`.
    match ty {
        Ty::Function(def, _) => match members(rx, &as_class(rx, ty), name) {
            // The library's wrappers are called like what they wrap, and have members of their own.
            none if none.is_empty() => {
                values::wrapper(rx, *def).map_or(none, |made| members(rx, &made, name))
            }
            found => found,
        },
        Ty::Tuple(_) | Ty::Literal(_) | Ty::Callable { .. } | Ty::Module(_) | Ty::Package(_) => {
            members(rx, &as_class(rx, ty), name)
        }
        Ty::Class(class, _) => {
            let own = of_object(rx, ty, name);
            let of_class = metaclass_members(rx, ty, *class, name);
            let is_property =
                of_class.iter().any(|m| m.def().is_some_and(|d| rx.def(d).kind == SymbolKind::Property));
            if own.is_empty() || is_property { of_class } else { own }
        }
        Ty::Instance(..) | Ty::Pointer(_) => of_object(rx, ty, name),
        _ => Vec::new(),
    }
}

/// The members that every object has, unless an unknown base may have them as well.
fn of_object(rx: &Resolver, ty: &Ty, name: &str) -> Vec<Member> {
    let value = if let Ty::Pointer(this) = ty { this } else { ty };
    let line = rx.linearization(value);
    let is_closed = line.iter().all(|t| matches!(t, Ty::Instance(..) | Ty::Class(..) | Ty::Tuple(_)));
    let is_named_tuple = line.iter().any(|t| matches!(t, Ty::Tuple(_)));
    let common = [known(rx).named_tuple, known(rx).object].map(Ty::instance);
    let common = if is_named_tuple { &common[..] } else { &common[1..] };
    if is_closed { class_member(rx, common, name).into_iter().collect() } else { Vec::new() }
}

/// The members of a class's class: its metaclass, or `type`.
fn metaclass_members(rx: &Resolver, ty: &Ty, class: GlobalDef, name: &str) -> Vec<Member> {
    let line = rx.linearization(ty);
    let meta = line.iter().filter_map(Ty::def).find_map(|c| metaclass(rx, c));
    let found = meta
        .filter(|m| m.def() != Some(class))
        .and_then(|meta| class_member(rx, &rx.linearization(&meta), name));
    match found {
        Some(member) => vec![member],
        None => known_members(rx, &as_class(rx, ty), name),
    }
}

fn known_members(rx: &Resolver, ty: &Ty, name: &str) -> Vec<Member> {
    match ty {
        Ty::Instance(..) | Ty::Class(..) => {
            class_member(rx, &rx.linearization(ty), name).into_iter().collect()
        }
        Ty::Pointer(this) => {
            let line = rx.linearization(this);
            class_member(rx, line.get(1..).unwrap_or_default(), name).into_iter().collect()
        }
        Ty::Module(file) => namespace_member(rx, &Module::File(*file), name),
        Ty::Package(dir) => namespace_member(rx, &Module::Directory(dir.clone()), name),
        Ty::Param(def) => {
            let bound = annotations::bound_of(rx, *def);
            if bound == *ty {
                Vec::new()
            } else {
                bound.parts().iter().flat_map(|b| members(rx, b, name)).collect()
            }
        }
        // `type[T]` of a type variable.
        Ty::Callable { params, result } if params.is_empty() => {
            let bound = match &**result {
                Ty::Param(def) => annotations::bound_of(rx, *def),
                made => made.clone(),
            };
            bound.parts().iter().flat_map(|made| class_members(rx, made, name)).collect()
        }
        _ => Vec::new(),
    }
}

/// Members of the class of an instance.
fn class_members(rx: &Resolver, instance: &Ty, name: &str) -> Vec<Member> {
    match instance {
        Ty::Instance(def, args) => members(rx, &Ty::Class(*def, args.clone()), name),
        _ => Vec::new(),
    }
}

fn namespace_member(rx: &Resolver, module: &Module, name: &str) -> Vec<Member> {
    modules::module_member(rx, module, name, None).map(Member::of).into_iter().collect()
}

/// The declaration of a member along a line of classes. One that states its type wins over a mere assignment, or one in
/// a branch that does not run, in a class nearer by; within a class, what stands in its body wins over what methods assign.
fn class_member(rx: &Resolver, line: &[Ty], name: &str) -> Option<Member> {
    let mut untyped = None;
    for owner in line {
        let owner = &if let Ty::Tuple(_) = owner { as_class(rx, owner) } else { owner.clone() };
        let Some(class) = owner.def().filter(|_| !matches!(owner, Ty::Param(_))) else {
            // The bases of a library's class are unknown, but the members found before it are known.
            continue;
        };
        let file = rx.file(class.file);
        let Some(body) = file.def(class.def).body else { continue };
        let defs = file.named_in_scope(body, name);
        let is_typed = |d: &&DefId| {
            let def = file.def(**d);
            def.ty.is_some()
                || !matches!(def.kind, SymbolKind::Field | SymbolKind::Variable | SymbolKind::EnumCase)
        };
        let runs = |d: &&DefId| !file.has_flag(**d, DefFlags::NOT_BUILT);
        if let Some(def) = defs.iter().filter(runs).find(is_typed) {
            return Some(Member { owner: owner.clone(), ..Member::plain(file.global(*def)) });
        }
        let weak = |d: &&DefId| (!runs(d), file.has_flag(**d, DefFlags::ATTRIBUTE));
        if untyped.is_none()
            && let Some(def) = defs.iter().min_by_key(weak)
        {
            untyped = Some(Member { owner: owner.clone(), ..Member::plain(file.global(*def)) });
        }
    }
    untyped
}

/// The meaning of a member that the receiver's known part does not have.
pub(super) fn fallback(rx: &Resolver, name: &str, receiver: &Ty) -> Resolution {
    for part in receiver.parts() {
        let external = match part {
            Ty::External(base, _) | Ty::ExternalName(base) => Some(format!("{base}.{name}")),
            Ty::Instance(..) | Ty::Class(..) => inherited_external(rx, part, name),
            Ty::Pointer(this) => inherited_external(rx, this, name),
            Ty::Param(def) => match annotations::bound_of(rx, *def) {
                bound if bound.is_unknown() || bound == *part => None,
                bound => {
                    let found = guard::deeper(|| fallback(rx, name, &bound));
                    return found.unwrap_or_else(|| Resolution::unknown(Reason::Cut));
                }
            },
            _ => None,
        };
        if let Some(external) = external {
            return Resolution::external(external);
        }
    }
    let is_open = receiver.parts().iter().all(|part| match part {
        Ty::Unknown | Ty::Nothing => true,
        Ty::Instance(..) | Ty::Class(..) => rx.linearization(part).iter().any(Ty::is_unknown),
        _ => false,
    });
    if !is_open {
        return Resolution::unknown(Reason::NotFound);
    }
    if library::is_common_method(rx, name) {
        return Resolution::unknown(Reason::UnknownReceiver);
    }
    let table = rx.extension(|_| ByName::default());
    let known = table.0.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
    known.unwrap_or_else(|| {
        let found = by_name(rx, name);
        table.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.into(), found.clone());
        found
    })
}

/// The members that a name could mean, as far as they were asked for.
#[derive(Default)]
struct ByName(Mutex<FxHashMap<Box<str>, Resolution>>);

fn inherited_external(rx: &Resolver, ty: &Ty, name: &str) -> Option<String> {
    let line = rx.linearization(ty);
    line.iter().find_map(|ty| match ty {
        Ty::External(base, _) | Ty::ExternalName(base) => Some(format!("{base}.{name}")),
        _ => None,
    })
}

/// The only member of that name in the project: one class has it, or one class and what derives from it.
fn by_name(rx: &Resolver, name: &str) -> Resolution {
    let mut owners: Vec<(GlobalDef, GlobalDef)> = Vec::new();
    for site in rx.world().declarations(name) {
        if site.flags.has(DefFlags::HOISTED) || rx.language_of(site.at) != ide_model::Language::Python {
            continue;
        }
        let Some(class) = rx.owner_class(site.at) else { continue };
        if owners.iter().all(|(c, _)| *c != class) {
            owners.push((class, site.at));
        }
        if owners.len() > 12 {
            return Resolution::unknown(Reason::SeveralCandidates);
        }
    }
    let root = owners
        .iter()
        .find(|(root, _)| owners.iter().all(|(class, _)| rx.descends(&Ty::instance(*class), *root)));
    match root {
        Some((_, def)) => Resolution {
            reason: Reason::ByNameOnly,
            ..Resolution::of(Target::Def(*def), Confidence::NameOnly)
        },
        None => Resolution::unknown(Reason::UnknownReceiver),
    }
}

/// The target of a keyword in a call: a parameter, or a field where the class makes its own initialiser.
pub(super) fn keyword(rx: &Resolver, file: &FileView, call: ExprId, name: &str) -> Resolution {
    let Expr::Call { callee, args, .. } = file.expr(call) else {
        return Resolution::unknown(Reason::NotFound);
    };
    let called = callee;
    let mut callee = rx.expr_type(file, called);
    if callee.def() == Some(known(rx).partial)
        && let Some(function) = file.list(args).next()
    {
        callee = rx.expr_type(file, function);
    }
    for part in callee.parts() {
        let found = keyword_of(rx, part, name);
        if !found.is_unknown() {
            return found;
        }
    }
    if let Some(Ty::Instance(class, own)) = replaced(rx, file, called, args) {
        return constructor_keyword(rx, &Ty::Class(class, own), class, name);
    }
    let reason = if callee.is_unknown() { Reason::UnknownReceiver } else { Reason::NotFound };
    Resolution::unknown(reason)
}

/// The value that `replace(value, …)` and `value._replace(…)` copy with changes.
fn replaced(rx: &Resolver, file: &FileView, callee: ExprId, args: List<ExprId>) -> Option<Ty> {
    let Expr::Ref(function) = file.expr(callee) else { return None };
    let value = match file.ref_name(function) {
        "_replace" => file.reference(function).receiver,
        "replace" => file.list(args).next(),
        _ => None,
    };
    value.map(|value| rx.expr_type(file, value))
}

fn keyword_of(rx: &Resolver, callee: &Ty, name: &str) -> Resolution {
    let function = match callee {
        Ty::Function(def, _) => Some(*def),
        Ty::Class(class, _) => return constructor_keyword(rx, callee, *class, name),
        Ty::Instance(..) => members(rx, callee, "__call__").first().and_then(Member::def),
        Ty::ExternalName(base) | Ty::External(base, _) => {
            return Resolution::external(format!("{base}.{name}"));
        }
        _ => None,
    };
    function
        .and_then(|def| parameter(rx, def, name).or_else(|| unpacked(rx, def, name)))
        .map_or(Resolution::unknown(Reason::NotFound), Resolution::def)
}

/// The key of the typed dictionary that `**kwargs: Unpack[…]` of a function stands for.
fn unpacked(rx: &Resolver, def: GlobalDef, name: &str) -> Option<GlobalDef> {
    let file = rx.file(def.file);
    let mut params = file.list(file.def(def.def).params);
    let rest = params.find(|p| file.def(*p).flags.has(DefFlags::KEYWORD_VARARG))?;
    let ty = rx.type_of(file, file.def(rest).ty?);
    members(rx, &ty, name).first().and_then(Member::def).filter(|_| rx.descends(&ty, known(rx).typed_dict))
}

/// The parameter of a function with a name; overloads are searched one after the other.
fn parameter(rx: &Resolver, def: GlobalDef, name: &str) -> Option<GlobalDef> {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let variadic = DefFlags::VARARG.0 | DefFlags::KEYWORD_VARARG.0;
    let of = |id: DefId| {
        file.list(file.def(id).params)
            .find(|p| file.def_name(*p) == name && file.def(*p).flags.0 & variadic == 0)
            .map(|p| file.global(p))
    };
    of(def.def).or_else(|| {
        let siblings = file.in_scope(d.scope, d.name);
        siblings.iter().filter(|s| **s != def.def).find_map(|s| of(*s))
    })
}

fn constructor_keyword(rx: &Resolver, ty: &Ty, class: GlobalDef, name: &str) -> Resolution {
    let line = rx.linearization(ty);
    let is_record = line.iter().any(|t| match t {
        Ty::External(base, _) | Ty::ExternalName(base) => {
            matches!(library::last(base), "NamedTuple" | "TypedDict" | "BaseModel")
        }
        Ty::Tuple(_) => true,
        other => other.def().is_some_and(|base| {
            [known(rx).tuple, known(rx).typed_dict].contains(&base) || is_generated(rx, base)
        }),
    });
    for init in ["__init__", "__new__"] {
        if let Some(def) = members(rx, ty, init).first().and_then(Member::def) {
            let owner_is_record =
                rx.owner_class(def).is_none_or(|owner| owner != class) && gets_initialiser(rx, class);
            if owner_is_record {
                continue;
            }
            if let Some(found) = parameter(rx, def, name).or_else(|| unpacked(rx, def, name)) {
                return Resolution::def(found);
            }
            if !is_record {
                return Resolution::unknown(Reason::NotFound);
            }
        }
    }
    if is_record && let Some(field) = members(rx, ty, name).first().and_then(Member::def) {
        return Resolution::def(field);
    }
    match inherited_external(rx, ty, name) {
        Some(external) => Resolution::external(external),
        None => Resolution::unknown(Reason::NotFound),
    }
}

/// A class whose decorator, base or metaclass writes `__init__` from the fields.
pub(super) fn is_generated(rx: &Resolver, class: GlobalDef) -> bool {
    let file = rx.file(class.file);
    let mut decorators = file.list(file.def(class.def).decorators);
    if decorators.any(|e| is_dataclass_decorator(file, e) || is_transforming(rx, file, e)) {
        return true;
    }
    let line = rx.linearization(&Ty::instance(class));
    let is_marked = |ty: &Ty| ty.def().is_some_and(|base| has_transform(rx.file(base.file), base.def));
    line.iter().skip(1).any(is_marked)
        || line.iter().filter_map(Ty::def).find_map(|base| metaclass(rx, base)).is_some_and(|meta| {
            let above = rx.linearization(&meta);
            above.iter().any(is_marked)
        })
}

/// Whether such a decorator or base writes `__init__`, which `init=False` forbids.
pub(super) fn gets_initialiser(rx: &Resolver, class: GlobalDef) -> bool {
    let file = rx.file(class.file);
    let forbids = |e: ExprId| {
        let Expr::Call { args, .. } = file.expr(e) else { return false };
        file.list(args).any(|arg| {
            matches!(file.expr(arg), Expr::Named { key, value } if file.ref_name(key) == "init"
                && matches!(file.expr(value), Expr::Literal(Literal::Bool)))
        })
    };
    is_generated(rx, class) && !file.list(file.def(class.def).decorators).any(forbids)
}

/// A class whose fields are the items of a tuple.
pub(super) fn is_named_tuple(rx: &Resolver, class: GlobalDef) -> bool {
    rx.world().file(class.file).source != SourceKind::Library
        && rx.linearization(&Ty::instance(class)).iter().any(|ty| match ty {
            Ty::External(base, _) | Ty::ExternalName(base) => library::last(base) == "NamedTuple",
            Ty::Tuple(_) => true,
            other => other.def() == Some(known(rx).named_tuple),
        })
}

/// Whether a function or class is marked as one that makes data classes (PEP 681).
fn has_transform(file: &FileView, def: DefId) -> bool {
    file.list(file.def(def).decorators).any(|e| match file.expr(e) {
        Expr::Call { callee, .. } => {
            matches!(file.expr(callee), Expr::Ref(name) if file.ref_name(name) == "dataclass_transform")
        }
        _ => false,
    })
}

/// A decorator that is a function with such a mark.
fn is_transforming(rx: &Resolver, file: &FileView, decorator: ExprId) -> bool {
    let function = match file.expr(decorator) {
        Expr::Call { callee, .. } => file.expr(callee),
        other => other,
    };
    let Expr::Ref(name) = function else { return false };
    rx.resolve(file.global_ref(name)).resolution.defs().any(|def| {
        let home = rx.file(def.file);
        let d = home.def(def.def);
        // Of overloads any one may have it.
        d.kind.is_callable() && home.in_scope(d.scope, d.name).iter().any(|part| has_transform(home, *part))
    })
}

/// The fields that such an initialiser takes, those of bases first, with their types.
pub(super) fn initialised_fields(rx: &Resolver, ty: &Ty) -> Vec<(Arc<str>, Ty)> {
    let mut fields: Vec<(Arc<str>, Ty)> = Vec::new();
    for owner in rx.linearization(ty).iter().rev() {
        let takes = |class: &GlobalDef| is_generated(rx, *class) || is_named_tuple(rx, *class);
        let Some(class) = owner.def().filter(takes) else { continue };
        let file = rx.file(class.file);
        for id in file.own_in_order(class.def) {
            let d = file.def(id);
            let Some(written) = d.ty.filter(|_| !d.kind.is_callable()) else { continue };
            let is_shared = matches!(file.ty(written), TypeExpr::Named { name, .. }
                if matches!(file.ref_name(name), "ClassVar" | "KW_ONLY"));
            if is_shared || d.flags.has(DefFlags::ATTRIBUTE) {
                continue;
            }
            let made = rx.type_of(file, written).substitute(&rx.arguments_of(owner));
            match fields.iter_mut().find(|(name, _)| **name == *file.name(d.name)) {
                Some(field) => field.1 = made,
                None => fields.push((file.name(d.name).into(), made)),
            }
        }
    }
    fields
}

/// A decorator that writes `__init__` from the fields.
fn is_dataclass_decorator(file: &FileView, decorator: ExprId) -> bool {
    match file.expr(decorator) {
        Expr::Ref(name) => {
            matches!(file.ref_name(name), "dataclass" | "define" | "frozen" | "mutable" | "attrs")
                || (file.ref_name(name) == "s" && file.reference(name).receiver.is_some())
        }
        Expr::Call { callee, .. } => guard::deeper(|| is_dataclass_decorator(file, callee)).unwrap_or(false),
        _ => false,
    }
}
