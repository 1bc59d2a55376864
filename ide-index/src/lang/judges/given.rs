//! Values of types of the project where another type of it is wanted.

use super::statements::{LITERAL_FIELDS, TYPE_MISMATCH, refuse};
use super::{MOST_NAMESAKES, NamedTree, has_fields, has_known_fields, is_own, knows_supers};
use crate::check::{Refused, declared_arity, is_certain_value};
use crate::facts::{DefFlags, DefId, Expr, ExprId, TypeId, UnaryOp};
use crate::refactor::tree::NodeId;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;
use ide_model::{Language, SymbolKind};

/// Reports the values of a file that are of another type than their places.
pub(super) fn report(names: NamedTree<'_>, found: &mut Vec<Refused>) {
    let NamedTree { rx, file, tree, .. } = names;
    if !matches!(file.language(), Language::Java | Language::Kotlin | Language::Go) {
        return;
    }
    for call in (0..file.exprs.len() as u32).map(ExprId) {
        let (Expr::Call { args, .. } | Expr::New { args, .. }) = file.expr(call) else { continue };
        if args.is_empty() {
            continue;
        }
        let Some(all) = parameters(rx, file, call) else { continue };
        for (at, value) in file.list(args).enumerate() {
            let wanted = all.iter().map(|params| params[at].map(|(view, ty)| rx.type_of(view, ty)));
            if let Some(wanted) = wanted.collect::<Option<Vec<Ty>>>() {
                mismatch(rx, file, value, &wanted.iter().collect::<Vec<&Ty>>(), found);
            }
        }
    }
    for id in file.def_ids() {
        let def = file.def(id);
        if let (Some(ty), Some(init)) = (def.ty, def.init)
            && !def.kind.is_callable()
            && !def.flags.has(DefFlags::DELEGATED)
        {
            mismatch(rx, file, init, &[&rx.type_of(file, ty)], found);
        }
    }
    if file.language() == Language::Go {
        for node in tree.all().filter(|id| tree.kind(*id) == "composite_literal") {
            literal(names, node, found);
        }
    }
}

fn mismatch(
    rx: &Resolver,
    file: &FileView,
    value: ExprId,
    wanted: &[&Ty],
    found: &mut Vec<Refused>,
) -> Option<()> {
    let at = match file.expr(value) {
        // `&T{}` of Go.
        Expr::Unary { op: UnaryOp::AddressOf, value } => value,
        // `(*T)(nil)`.
        Expr::Call { callee, .. } => match file.expr(callee) {
            Expr::Deref(of) => of,
            _ => callee,
        },
        _ => value,
    };
    let name = match file.expr(at) {
        Expr::New { ty, .. } => rx.named_type_ref(file, ty)?,
        _ => rx.expr_ref(file, at)?,
    };
    let range = file.reference(name).range;
    let differs = |wanted: &&Ty| match file.language() {
        _ if range.is_empty() || wanted.def().is_none() && !matches!(wanted, Ty::Pointer(_)) => None,
        Language::Go => go(rx, wanted, &rx.expr_type(file, value)),
        _ => nominal(rx, file, wanted, &rx.expr_type(file, value)),
    };
    let message = wanted.iter().map(differs).collect::<Option<Vec<String>>>()?.into_iter().next()?;
    if is_certain_value(rx, file, value) {
        refuse(found, TYPE_MISMATCH, range, message);
    }
    Some(())
}

/// The parameters of a function, by their types.
type Parameters<'r> = Vec<Option<(&'r FileView, TypeId)>>;

/// The types of the parameters that the arguments of a call fill, of each function that may be meant by its name.
fn parameters<'r>(rx: &'r Resolver, file: &FileView, call: ExprId) -> Option<Vec<Parameters<'r>>> {
    let (callee, args) = match file.expr(call) {
        Expr::Call { callee, args, .. } => (rx.expr_ref(file, callee)?, args),
        Expr::New { ty, args } => (rx.named_type_ref(file, ty)?, args),
        _ => return None,
    };
    let is_odd = |arg| matches!(file.expr(arg), Expr::Named { .. } | Expr::Spread(_) | Expr::Function(_));
    if file.reference(callee).call != Some(call) || file.list(args).any(is_odd) {
        return None;
    }
    let function = rx.resolve(file.global_ref(callee)).resolution.certain_def()?;
    let sites = rx.world().declarations(rx.def_name(function));
    // A method of an anonymous class is not among them.
    let is_listed = sites.len() <= MOST_NAMESAKES && sites.iter().any(|site| site.at == function);
    if !is_listed || !rx.kind(function).is_callable() || !is_own(rx, function) {
        return None;
    }
    let takes = |other: GlobalDef| declared_arity(rx, other, 0).takes(args.len as usize);
    let all = sites.iter().map(|site| site.at).filter(|other| rx.kind(*other).is_callable());
    // A call of Go means just the function of its name.
    let is_meant = |other: &GlobalDef| *other == function || file.language() != Language::Go && takes(*other);
    all.filter(is_meant).map(|function| parameters_of(rx, file, function, args.len as usize)).collect()
}

fn parameters_of<'r>(
    rx: &'r Resolver,
    file: &FileView,
    function: GlobalDef,
    count: usize,
) -> Option<Parameters<'r>> {
    let view = rx.file(function.file);
    let own = view.def(function.def);
    let params: Vec<DefId> = view.list(own.params).collect();
    let is_plain = is_own(rx, function)
        && view.language() == file.language()
        && own.type_params.is_empty()
        && (own.receiver.is_none() || file.language() == Language::Go)
        && !params.iter().any(|param| view.has_flag(*param, DefFlags::VARARG))
        && params.len() == count;
    is_plain.then(|| params.into_iter().map(|param| Some((view, view.def(param).ty?))).collect())
}

/// A class of the project without parameters, by a type.
fn class_of(rx: &Resolver, file: &FileView, ty: &Ty) -> Option<GlobalDef> {
    let Ty::Instance(def, args) = ty else { return None };
    let is_class = matches!(
        rx.kind(*def),
        SymbolKind::Class
            | SymbolKind::AbstractClass
            | SymbolKind::Interface
            | SymbolKind::Enum
            | SymbolKind::Record
    );
    let odd = [DefFlags::EXPECT, DefFlags::ACTUAL, DefFlags::FUN_INTERFACE, DefFlags::ANONYMOUS];
    let is_plain = is_class
        && args.is_empty()
        && is_own(rx, *def)
        && rx.language_of(*def) == file.language()
        && rx.def(*def).type_params.is_empty()
        && !odd.iter().any(|flag| rx.has_flag(*def, *flag));
    is_plain.then_some(*def)
}

fn nominal(rx: &Resolver, file: &FileView, wanted: &Ty, given: &Ty) -> Option<String> {
    let (to, from) = (class_of(rx, file, wanted)?, class_of(rx, file, given)?);
    let is_other = to != from
        && knows_supers(rx, given)
        && knows_supers(rx, wanted)
        && rx
            .linearization(given)
            .iter()
            .all(|part| part.def().is_some() && part.def() != Some(to) || matches!(part, Ty::External(..)));
    is_other.then(|| format!("`{}` is not a `{}`", rx.def_name(from), rx.def_name(to)))
}

fn go(rx: &Resolver, wanted: &Ty, given: &Ty) -> Option<String> {
    let is_known = |ty: &Ty| match ty {
        Ty::Instance(def, args) => args.is_empty() && is_own(rx, *def) && rx.def(*def).type_params.is_empty(),
        _ => false,
    };
    let (from, is_pointer) = match given {
        Ty::Pointer(of) => (&**of, true),
        of => (of, false),
    };
    let struct_of =
        |ty: &Ty| ty.def().filter(|def| rx.kind(*def) == SymbolKind::Struct && has_fields(rx, *def));
    let own = struct_of(from).filter(|_| is_known(from) && knows_supers(rx, from))?;
    let (to, wants_pointer) = match wanted {
        Ty::Pointer(of) => (&**of, true),
        of => (of, false),
    };
    let other = to.def().filter(|_| is_known(to))?;
    if rx.kind(other) == SymbolKind::Interface && !wants_pointer {
        let is_whole = knows_supers(rx, to) && has_known_fields(rx, own);
        let mut parts = rx.linearization(to).to_vec();
        parts.retain(|part| part.def().is_some());
        let mut lacking = parts.iter().filter_map(Ty::def).filter(|_| is_whole).flat_map(|part| {
            let view = rx.file(part.file);
            let members = view.def(part.def).body.map_or(&[][..], |body| view.all_in_scope(body));
            let methods = members.iter().filter(|id| view.def(**id).kind == SymbolKind::Method);
            methods.map(|id| view.def_name(*id).to_owned()).collect::<Vec<_>>()
        });
        let lacks = |name: &String| {
            rx.inherited_members(from, name).is_empty() && !super::is_method_of_alias(rx, own, name)
        };
        let missing = lacking.find(lacks)?;
        return Some(format!("`{}` lacks `{missing}` of `{}`", rx.def_name(own), rx.def_name(other)));
    }
    let is_other = struct_of(to).is_some() && own != other;
    let star = |is: bool| if is { "*" } else { "" };
    is_other.then(|| {
        let (a, b) = (rx.def_name(own), rx.def_name(other));
        format!("`{}{a}` is not a `{}{b}`", star(is_pointer), star(wants_pointer))
    })
}

/// The literals of structures in one of a list of Go, whose items are of another type.
fn items(names: NamedTree<'_>, of: NodeId, body: NodeId, found: &mut Vec<Refused>) -> Option<()> {
    let NamedTree { rx, file, tree, .. } = names;
    let type_at = |node: NodeId| {
        let pointer = tree.kind(node) == "pointer_type";
        let node = if pointer { tree.named(node).next()? } else { node };
        let named = if tree.kind(node) == "qualified_type" { tree.field(node, "name")? } else { node };
        let name = names.at(named).filter(|_| tree.kind(named) == "type_identifier")?;
        let ty = Ty::instance(rx.resolve(file.global_ref(name)).resolution.certain_def()?);
        Some(if pointer { Ty::Pointer(ty.into()) } else { ty })
    };
    let wanted = type_at(of)?;
    for element in tree.named(body).filter(|id| tree.kind(*id) == "literal_element") {
        let Some(value) = tree.named(element).next() else { continue };
        let is_address = tree.kind(value) == "unary_expression" && tree.operator(value) == Some("&");
        let made = if is_address { tree.field(value, "operand") } else { Some(value) };
        let ty = made
            .filter(|made| tree.kind(*made) == "composite_literal")
            .and_then(|made| tree.field(made, "type"));
        let Some(given) = ty.and_then(type_at) else { continue };
        let given = if is_address { Ty::Pointer(given.into()) } else { given };
        if let Some(message) = go(rx, &wanted, &given) {
            refuse(found, TYPE_MISMATCH, tree.range(value), message);
        }
    }
    Some(())
}

/// A literal of a structure of Go that names some of its values and not others, or gives too few or too many.
fn literal(names: NamedTree<'_>, node: NodeId, found: &mut Vec<Refused>) -> Option<()> {
    let NamedTree { rx, file, tree, .. } = names;
    let ty = tree.field(node, "type")?;
    if tree.is_in(ty, "slice_type array_type implicit_length_array_type") {
        return items(names, tree.field(ty, "element")?, tree.field(node, "body")?, found);
    }
    let named = if tree.kind(ty) == "qualified_type" { tree.field(ty, "name")? } else { ty };
    let name = names.at(named).filter(|_| tree.kind(named) == "type_identifier")?;
    let of = rx.resolve(file.global_ref(name)).resolution.certain_def()?;
    let view = rx.file(of.file);
    let own = view.def(of.def);
    let is_plain =
        has_fields(rx, of) && is_own(rx, of) && own.supers.is_empty() && own.type_params.is_empty();
    let all: Vec<NodeId> = tree.named(tree.field(node, "body")?).collect();
    let keyed = all.iter().filter(|id| tree.kind(**id) == "keyed_element").count();
    let fields = view.all_in_scope(own.body.filter(|_| is_plain)?);
    let fields = fields.iter().filter(|id| view.def(**id).kind == SymbolKind::Field).count();
    if keyed > 0 && keyed < all.len() {
        let message = "some values of the literal have names and some have none";
        refuse(found, LITERAL_FIELDS, tree.range(ty), message);
    } else if keyed == 0 && !all.is_empty() && all.len() != fields {
        let message = format!("`{}` has {fields} fields, not {}", file.ref_name(name), all.len());
        refuse(found, LITERAL_FIELDS, tree.range(ty), message);
    }
    Some(())
}
