//! Which of several overloads is called: by what the arguments cannot be. The bindings of type parameters by
//! arguments.

use ide_model::SymbolKind;

use super::policy::EcmaPolicy;
use crate::facts::{DefFlags, DefId, Expr, ExprId, RefId, Role, TypeExpr, TypeId};
use crate::resolve::{FileView, Member, Policy, Resolution, Resolver, Substitution, Target, Ty};
use crate::world::GlobalDef;

/// Bounds of bounds, followed this deep.
const MAX_BOUNDS: u32 = 4;

impl EcmaPolicy {
    /// The overload that takes the arguments, for a function that is called by its name.
    pub(super) fn choose_overload(
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        resolution: &mut Resolution,
    ) {
        let r = file.reference(reference);
        let is_plain_call = r.role == Role::Call && r.receiver.is_none() && r.call.is_some();
        let is_overload = |target: &Target| match target {
            Target::Def(def) => rx.def(*def).kind == SymbolKind::Function,
            _ => false,
        };
        if is_plain_call && resolution.targets.len() > 1 && resolution.targets.iter().all(is_overload) {
            let members: Vec<Member> = resolution.defs().map(Member::plain).collect();
            resolution.targets = EcmaPolicy.choose(rx, file, reference, &members).targets;
        }
    }

    /// How many type arguments a call has, and its arguments.
    pub(super) fn arguments(file: &FileView, call: ExprId) -> Option<(u32, Vec<ExprId>)> {
        match file.expr(call) {
            Expr::Call { type_args, args, .. } => Some((type_args.len, file.list(args).collect())),
            Expr::New { args, .. } => Some((0, file.list(args).collect())),
            _ => None,
        }
    }

    /// Whether a function takes as many arguments and type arguments, and where it is one of several, such arguments.
    pub(super) fn takes(
        rx: &Resolver,
        file: &FileView,
        def: GlobalDef,
        types: u32,
        args: &[ExprId],
        is_one_of_several: bool,
    ) -> bool {
        let home = rx.file(def.file);
        let params: Vec<DefId> = home.list(home.def(def.def).params).collect();
        let needed = params
            .iter()
            .filter(|p| !home.has_flag(**p, DefFlags::OPTIONAL) && !home.has_flag(**p, DefFlags::VARARG))
            .count();
        let open = params.last().is_some_and(|p| home.has_flag(*p, DefFlags::VARARG));
        args.len() >= needed
            && types <= home.def(def.def).type_params.len
            && (open || args.len() <= params.len())
            && Self::tests_where_asked(rx, file, def, args)
            && (!is_one_of_several || Self::may_take(rx, file, def, args))
    }

    /// A string literal stays what it is where a type parameter is bound; a function is all that is known of a
    /// parameter that takes one.
    pub(super) fn bind_literals(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
        into: &mut Substitution,
    ) {
        let (Expr::Call { args, .. } | Expr::New { args, .. }) = file.expr(call) else { return };
        for (i, arg) in file.list(args).enumerate() {
            let given = match file.expr(arg) {
                Expr::Text(text) => Ty::Literal(file.name(text).into()),
                Expr::Function(function) => Ty::Function(file.global(function), None),
                _ => continue,
            };
            let Some(parameter) = rx.parameter_at(function, i) else { break };
            let Ty::Param(param) = rx.def_type(parameter) else { continue };
            let is_bound = param.file == function.file && rx.def(param).ty.is_some();
            let is_text = matches!(given, Ty::Literal(_));
            let known = into.get(&param);
            if is_bound && (is_text && known == Some(&Ty::Primitive("string".into())) || known.is_none()) {
                into.insert(param, given);
            }
        }
    }

    /// False where an argument is known to be of another kind than the parameter that receives it.
    pub(super) fn may_take(rx: &Resolver, file: &FileView, of: GlobalDef, args: &[ExprId]) -> bool {
        let home = rx.file(of.file);
        for (param, arg) in home.list(home.def(of.def).params).zip(args) {
            let mut arg = *arg;
            if matches!(file.expr(arg), Expr::Spread(_)) {
                break;
            }
            let Some(written) = home.def(param).ty else { continue };
            let mut wanted = rx.type_of(home, written);
            if home.has_flag(param, DefFlags::VARARG) {
                // `...all: [...T, Last]`
                let Ty::Tuple(items) = &wanted else { break };
                let [Ty::Param(_), .., last] = &items[..] else { break };
                (wanted, arg) = (last.clone(), args.last().copied().unwrap_or(arg));
            }
            let expr = file.expr(arg);
            // The result type of a call may depend on the function that is called here.
            if matches!(expr, Expr::Call { .. }) && !is_told(rx, &wanted, MAX_BOUNDS) {
                continue;
            }
            let given = match expr {
                Expr::Text(text) => Ty::Literal(file.name(text).into()),
                Expr::Function(function) => Ty::Function(file.global(function), None),
                _ => rx.expr_type(file, arg),
            };
            if given.parts().iter().all(|given| is_other(rx, given, &wanted, MAX_BOUNDS)) {
                return false;
            }
            if let Ty::Instance(literal, _) = given
                && demanded(rx, home, written, MAX_BOUNDS).any(|wanted| lacks_members(rx, literal, wanted))
            {
                return false;
            }
        }
        true
    }
}

/// The object types all of whose members a type demands, as it is written: `Partial<T>` is not `T`.
fn demanded(
    rx: &Resolver,
    home: &FileView,
    written: TypeId,
    hops: u32,
) -> impl Iterator<Item = GlobalDef> + use<> {
    let mut all = Vec::new();
    match home.ty(written) {
        TypeExpr::Object(literal) => all.push(home.global(literal)),
        TypeExpr::Intersection(parts) if hops > 0 => {
            all.extend(home.list(parts).flat_map(|part| demanded(rx, home, part, hops - 1)));
        }
        TypeExpr::Named { name, .. } if hops > 0 => {
            let named = rx.resolve(home.global_ref(name)).resolution;
            for def in named.defs().filter(|def| EcmaPolicy::library_name(rx, *def).is_none()) {
                let file = rx.file(def.file);
                match file.def(def.def).ty.filter(|_| rx.kind(def) == SymbolKind::TypeAlias) {
                    Some(ty) => all.extend(demanded(rx, file, ty, hops - 1)),
                    None => all.push(def),
                }
            }
        }
        _ => {}
    }
    all.into_iter()
}

/// Whether an object literal lacks a member that an interface demands.
fn lacks_members(rx: &Resolver, literal: GlobalDef, wanted: GlobalDef) -> bool {
    let file = rx.file(literal.file);
    let d = file.def(literal.def);
    let is_interface = |def| rx.def(def).kind == SymbolKind::Interface;
    if d.kind != SymbolKind::Object || !is_interface(wanted) || !rx.declared_supers(literal).is_empty() {
        return false;
    }
    let Some(body) = d.body else { return false };
    let given: Vec<&str> = file.all_in_scope(body).iter().map(|key| file.def_name(*key)).collect();
    let is_computed = |name: &str| name.starts_with('[');
    !given.iter().any(|name| is_computed(name))
        && EcmaPolicy::merged(rx, wanted).into_iter().filter(|part| is_interface(*part)).any(|part| {
            let home = rx.file(part.file);
            let members = home.def(part.def).body.map_or(&[][..], |body| home.all_in_scope(body));
            members.iter().any(|member| {
                let (kind, name) = (home.def(*member).kind, home.def_name(*member));
                matches!(kind, SymbolKind::Property | SymbolKind::Method)
                    && !home.has_flag(*member, DefFlags::OPTIONAL)
                    && !is_computed(name)
                    && !matches!(name, "()" | "new")
                    && !given.contains(&name)
            })
        })
}

/// The result of `typeof`, as far as it tells overloads apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind<'t> {
    Text(Option<&'t str>),
    Number(Option<&'t str>),
    Bool,
    Function,
    Items,
    /// `null` or `undefined`.
    Nothing,
    /// An instance of a class, an object literal, or an interface that cannot be called.
    Object,
}

fn kind_of<'t>(rx: &Resolver, ty: &'t Ty) -> Option<Kind<'t>> {
    Some(match ty {
        Ty::Literal(text) if matches!(&**text, "true" | "false") => Kind::Bool,
        Ty::Literal(text) if text.parse::<f64>().is_ok() => Kind::Number(Some(text)),
        Ty::Literal(text) => Kind::Text(Some(text)),
        Ty::Primitive(name) => match &**name {
            "string" => Kind::Text(None),
            "number" => Kind::Number(None),
            "boolean" => Kind::Bool,
            "null" | "undefined" | "void" => Kind::Nothing,
            _ => return None,
        },
        Ty::Callable { .. } | Ty::Function(..) => Kind::Function,
        Ty::Array(_) | Ty::Tuple(_) => Kind::Items,
        Ty::Instance(def, _) => match rx.def(*def).kind {
            SymbolKind::Class | SymbolKind::AbstractClass | SymbolKind::Object => Kind::Object,
            // An interface of the library may describe a built-in kind.
            SymbolKind::Interface if EcmaPolicy::library_name(rx, *def).is_none() => {
                let is_open = ["()", "new"].iter().any(|name| !rx.inherited_members(ty, name).is_empty());
                if is_open {
                    return None;
                }
                Kind::Object
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// Whether other values are told from those of a type.
fn is_told(rx: &Resolver, ty: &Ty, depth: u32) -> bool {
    match ty {
        Ty::Union(parts) => parts.iter().all(|part| is_told(rx, part, depth)),
        Ty::Param(param) if depth > 0 => {
            let home = rx.file(param.file);
            let bound = home.def(param.def).ty.map(|bound| rx.type_of(home, bound));
            bound.is_some_and(|bound| is_told(rx, &bound, depth - 1))
        }
        _ => kind_of(rx, ty).is_some(),
    }
}

fn is_other(rx: &Resolver, given: &Ty, wanted: &Ty, depth: u32) -> bool {
    match wanted {
        Ty::Union(parts) => parts.iter().all(|part| is_other(rx, given, part, depth)),
        Ty::Array(wanted) if depth > 0 && matches!(given, Ty::Array(_)) => {
            let Ty::Array(held) = given else { return false };
            held.parts().iter().all(|held| is_other(rx, held, wanted, depth - 1))
        }
        Ty::Param(param) if depth > 0 => {
            let home = rx.file(param.file);
            let bound = home.def(param.def).ty.map(|bound| rx.type_of(home, bound));
            bound.is_some_and(|bound| is_other(rx, given, &bound, depth - 1))
        }
        Ty::Primitive(name) if matches!(&**name, "null" | "undefined" | "void") => {
            // A value that may be nothing is passed as its other type.
            kind_of(rx, given).is_some_and(|kind| kind != Kind::Nothing)
        }
        // A function makes nothing.
        Ty::Instance(..)
            if matches!(given, Ty::Function(..)) && !rx.inherited_members(wanted, "new").is_empty() =>
        {
            true
        }
        _ => match (kind_of(rx, given), kind_of(rx, wanted)) {
            (Some(Kind::Nothing), _) => false,
            (Some(Kind::Text(Some(a))), Some(Kind::Text(Some(b))))
            | (Some(Kind::Number(Some(a))), Some(Kind::Number(Some(b)))) => a != b,
            (Some(a), Some(b)) => std::mem::discriminant(&a) != std::mem::discriminant(&b),
            _ => false,
        },
    }
}
