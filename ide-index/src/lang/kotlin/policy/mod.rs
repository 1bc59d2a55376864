//! How Kotlin resolves names (Kotlin specification: overload resolution, linked scopes, type inference, as far as an
//! index goes).
//!
//! A name that the index does not declare resolves to its qualified name, never to a declaration of the project
//! that happens to have the same name. Extension function types are [`Ty::Callable`] whose first parameter is a
//! [`Ty::Pointer`] of the receiver; an extension's [`crate::resolve::Resolved::owner`] is a pair of the dispatch
//! receiver and the value that it is called on. Nullability is not part of a type here.

mod calls;
mod extensions;
mod given;
mod infer;
mod java;
mod jvm;
mod lookup;
mod members;
mod multiplatform;
mod names;
mod overriding;
mod receivers;
mod types;

use std::sync::Arc;

use ide_model::{FilePath, Language, SymbolKind};

use crate::facts::{
    BinaryOp, DefFlags, Expectation, Expr, ExprId, GuardTest, ImportId, List, Literal, Ref, RefFlags, RefId,
    Role, ScopeId, TypeExpr, UnaryOp,
};
use crate::guard;
use crate::lang::java::names::writing_package;
use crate::lang::java::{JavaPolicy, find_qualified, variants};
use crate::lang::places::namespace_by_directories;
use crate::resolve::{FileView, Member, Place, Policy, Resolution, Resolved, Resolver, Target, Ty, Types};
use crate::world::{FileId, GlobalDef};
pub(in crate::lang) use given::{made_by_data_class, made_member, makers};
pub(in crate::lang) use infer::extension_call_type;
pub(in crate::lang) use java::{
    capitalized, class_of_file, facade, facade_members, other_views, property_names,
};
pub(in crate::lang) use jvm::{clashes, getter_after, is_static_field, or_by_accessor, respelled};
use members::Candidate;
pub(in crate::lang) use overriding::overrides_as_method;
use types::from_java;

/// Kotlin's rules.
pub(crate) struct KotlinPolicy;

impl Policy for KotlinPolicy {
    fn implied_packages(&self) -> &'static [&'static str] {
        &names::DEFAULT_IMPORTS
    }

    fn package_only_in(&self, rx: &Resolver, package: &str) -> Option<Vec<FileId>> {
        Some(writing_package(rx, package))
    }

    fn place(&self) -> Place {
        Place::Namespace
    }

    fn namespace_at(&self, rx: &Resolver, file: &FileView, to: &FilePath) -> Result<String, String> {
        namespace_by_directories(rx, file, to, ".")
    }

    fn import_works_unnamed(&self, _rx: &Resolver, file: &FileView, import: ImportId) -> bool {
        names::import_works_unnamed(file, import)
    }

    fn reference(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolved> {
        match file.reference(reference).role {
            Role::Import | Role::Package => None,
            role @ (Role::Write | Role::ReadWrite) => {
                Some(members::as_written(rx, role, lookup::resolve(rx, file, reference)))
            }
            _ => Some(lookup::resolve(rx, file, reference)),
        }
    }

    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        names::type_at_top(rx, file, file.reference(reference).name)
    }

    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
        names::import_target(rx, file, import)
    }

    fn type_at_top(&self, rx: &Resolver, file: &FileView, name: &str) -> Option<Resolution> {
        Some(names::find_type_at_top(rx, file, name))
    }

    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        names::segment(rx, file, reference)
    }

    fn members(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        members::members_of(rx, from, ty, name)
            .into_iter()
            .map(|c: Candidate| Member { target: c.target, owner: c.owner, confidence: c.confidence })
            .collect()
    }

    fn linearization(&self, rx: &Resolver, ty: &Ty) -> Vec<Ty> {
        crate::lang::java::members::linearization(rx, ty)
    }

    fn supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        members::supers(rx, class)
    }

    fn member_fallback(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        _receiver: &Ty,
    ) -> Resolution {
        lookup::resolve(rx, file, reference).resolution
    }

    fn def_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        match d.kind {
            SymbolKind::EnumCase => rx.owner_class(def).map_or(Ty::Unknown, Ty::instance),
            SymbolKind::Object => Ty::instance(def),
            SymbolKind::Function if types::is_lambda(file, def.def) => lambda_shape(rx, file, def),
            SymbolKind::Property | SymbolKind::Variable => variable_type(rx, file, def),
            SymbolKind::Parameter if d.flags.has(DefFlags::VARARG) => {
                d.ty.map_or(Ty::Unknown, |ty| rx.type_of(file, ty))
            }
            SymbolKind::Parameter if d.ty.is_none() => lambda_parameter(rx, file, def),
            SymbolKind::Parameter => d.ty.map_or(Ty::Unknown, |ty| rx.type_of(file, ty)),
            _ => rx.default_def_type(def),
        }
    }

    fn return_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.kind == SymbolKind::Constructor {
            return rx.default_return_type(def);
        }
        match d.ty {
            Some(ty) => rx.type_of(file, ty),
            None if d.flags.has(DefFlags::VOID) => names::kotlin(rx, file, "Unit"),
            None => types::common(rx, file.list(d.returns).map(|e| value_type(rx, file, e))),
        }
    }

    fn type_expr(&self, rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
        match ty {
            TypeExpr::Function { receiver, params, result } => {
                let receiver = receiver.map(|ty| Ty::Pointer(Arc::new(rx.type_of(file, ty))));
                let params = receiver.into_iter().chain(file.list(params).map(|ty| rx.type_of(file, ty)));
                let result = result.map_or(Ty::Unknown, |ty| rx.type_of(file, ty));
                Some(Ty::Callable { params: params.collect(), result: Arc::new(result) })
            }
            // Whichever constructor is called, which depends on types.
            TypeExpr::Named { name, args } if file.reference(name).role == Role::Extends => {
                let args = file.list(args).map(|ty| rx.type_of(file, ty)).collect();
                Some(match lookup::type_name(rx, file, name).targets.first() {
                    Some(Target::Def(class)) => rx.type_of_def(*class, args),
                    Some(Target::External(class)) => Ty::External(class.clone(), args),
                    _ => Ty::Unknown,
                })
            }
            _ => None,
        }
    }

    fn expr(&self, rx: &Resolver, file: &FileView, id: ExprId, expr: Expr) -> Option<Ty> {
        Some(match expr {
            Expr::Ref(name) => reference_type(rx, file, name),
            Expr::Call { .. } => infer::call_type(rx, file, id),
            Expr::OuterThis(label) => receivers::labelled_this(rx, file, label),
            Expr::Enter(outer) => {
                let outer = rx.expr_type(file, outer);
                outer.def().map_or(Ty::Unknown, |class| super_type(rx, class))
            }
            Expr::Item { base, index } => component(rx, file, &rx.expr_type(file, base), index),
            Expr::Choice(parts) => choice_type(rx, file, parts),
            Expr::Binary { op, left, right } => {
                let (l, r) = (value_type(rx, file, left), value_type(rx, file, right));
                self.binary(rx, file, op, &l, &r)
            }
            Expr::Collection { .. } => names::kotlin(rx, file, "Array"),
            _ => return None,
        })
    }

    fn literal(&self, rx: &Resolver, file: &FileView, literal: Literal) -> Ty {
        names::kotlin(
            rx,
            file,
            match literal {
                Literal::String | Literal::Bytes => "String",
                Literal::Int => "Int",
                Literal::Long => "Long",
                Literal::Float => "Double",
                Literal::SmallFloat => "Float",
                Literal::Char => "Char",
                Literal::Bool => "Boolean",
                Literal::Null => return Ty::Primitive(types::NULL.into()),
                Literal::Regex | Literal::Other => return Ty::Unknown,
            },
        )
    }

    fn this(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        let all = receivers::receivers(rx, file, scope, None);
        all.first().map_or(Ty::Unknown, |receiver| receiver.ty.clone().instantiate())
    }

    fn super_of(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        let Some((_, class)) = file.enclosing_class(scope) else { return Ty::Unknown };
        super_type(rx, file.global(class))
    }

    fn element(&self, rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
        element(rx, file, ty)
    }

    fn operators(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        let value = from_java(rx, from, &as_value(rx, ty.clone()));
        let found = infer::operators(rx, from, &value, name).into_iter();
        let member = |c: Candidate| Member { target: c.target, owner: c.owner, confidence: c.confidence };
        found.map(member).collect()
    }

    fn index(&self, rx: &Resolver, file: &FileView, base: &Ty, index: &Ty) -> Ty {
        infer::operator_type_for(rx, file, base, "get", Some(&as_value(rx, index.clone())))
    }

    fn binary(&self, rx: &Resolver, file: &FileView, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
        if let Some(known) = types::builtin_operator(rx, file, op, left, right) {
            return known;
        }
        let names: &[&str] = match op {
            BinaryOp::Plus => &["plus"],
            BinaryOp::Arithmetic => &["minus", "times", "div", "rem"],
            BinaryOp::Range => &["rangeTo"],
            _ => return Ty::Unknown,
        };
        let all = names.iter().map(|name| infer::operator_type_for(rx, file, left, name, Some(right)));
        types::common(rx, all)
    }

    fn unary(&self, rx: &Resolver, file: &FileView, op: UnaryOp, value: &Ty) -> Ty {
        let own = |names: &[&str]| {
            let known = !matches!(value, Ty::Instance(..)) || types::in_library(rx, value);
            let all = names.iter().map(|name| infer::operator_type(rx, file, value, name));
            Some(if known { Ty::Unknown } else { types::common(rx, all) }).filter(|ty| !ty.is_unknown())
        };
        match op {
            UnaryOp::Not => own(&["not"]).unwrap_or_else(|| names::kotlin(rx, file, "Boolean")),
            UnaryOp::Arithmetic => own(&["unaryMinus", "unaryPlus"]).unwrap_or_else(|| value.clone()),
            UnaryOp::TypeOf => {
                names::library(rx, file, "kotlin.reflect", "KClass", vec![value.clone().instantiate()])
            }
            _ => value.clone(),
        }
    }

    fn expected(&self, rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        match file.expectation(expr) {
            Some(Expectation::Argument { call, index }) => infer::argument_type(rx, file, call, index, expr),
            Some(Expectation::Init(def)) if file.def(def).kind == SymbolKind::Parameter => {
                rx.def_type(file.global(def))
            }
            _ => rx.default_expected(file, expr),
        }
    }

    fn signature(&self, rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        match ty {
            Ty::Callable { params, result } => {
                let plain = params.iter().filter(|p| !matches!(p, Ty::Pointer(_))).cloned().collect();
                Some((plain, (**result).clone()))
            }
            Ty::Instance(..) => {
                if let Some(function) = members::inherited_function(rx, ty) {
                    return self.signature(rx, &function);
                }
                let (method, owner) = members::single_method(rx, ty)?;
                let known = rx.arguments_of(&owner);
                let file = rx.file(method.file);
                let params = file.list(file.def(method.def).params);
                let params =
                    params.map(|p| from_java(rx, file, &rx.def_type(file.global(p))).substitute(&known));
                let result = from_java(rx, file, &rx.return_type(method)).substitute(&known);
                Some((params.collect(), result))
            }
            _ => rx.default_signature(ty),
        }
    }

    fn same_symbol(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        // A property in a constructor is a parameter at the same place.
        let is_twin = matches!(d.kind, SymbolKind::Parameter | SymbolKind::Property);
        let here = is_twin && !d.name_range.is_empty();
        let here = here.then(|| file.by_place().names.at(d.name_range)).into_iter().flatten();
        let twin = here.filter(|other| {
            *other != def.def && matches!(file.def(*other).kind, SymbolKind::Parameter | SymbolKind::Property)
        });
        let own = std::iter::once(def).chain(twin.map(|d| file.global(d)));
        let mut all: Vec<GlobalDef> =
            own.flat_map(|def| multiplatform::counterparts(rx, def).to_vec()).collect();
        if all == [def] {
            all = variants::variants(rx, def);
        }
        all.sort_by_key(|d| rx.kind(*d) == SymbolKind::Parameter);
        all.extend(other_views(rx, def));
        all
    }

    fn used_through(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(def.file);
        if !file.def(def.def).kind.is_type() {
            return Vec::new();
        }
        let own = rx.own_members(def, file.def_name(def.def));
        own.into_iter().filter(|d| file.def(d.def).kind == SymbolKind::Constructor).collect()
    }

    /// Through the name of a class its companion is meant, which is no use of the class by the language.
    fn used_indirectly(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let is_type = rx.kind(def).is_type();
        is_type.then(|| members::companion(rx, def)).flatten().into_iter().collect()
    }

    fn other_names(&self, rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
        java::other_names(rx, def)
    }

    /// The backtick before a name that is none without it.
    fn has_sigil(&self, rx: &Resolver, def: Option<GlobalDef>, _reference: Option<&Ref>) -> bool {
        def.is_some_and(|def| super::front::needs_backticks(rx.def_name(def)))
    }

    fn keywords_name_parameters(&self) -> bool {
        true
    }

    /// Of lambdas and accessors no call names the parameters.
    fn only_in(&self, rx: &Resolver, def: GlobalDef) -> Option<Vec<FileId>> {
        self.default_only_in(rx, def).or_else(|| {
            let file = rx.file(def.file);
            let d = file.def(def.def);
            let function = file.enclosing_function(d.scope)?;
            let is_inside = d.kind == SymbolKind::Parameter && d.flags.has(DefFlags::LOCAL);
            (is_inside && file.has_flag(function, DefFlags::ANONYMOUS)).then(|| vec![def.file])
        })
    }

    fn root_type(&self) -> Option<&'static str> {
        Some("kotlin.Any")
    }

    fn overrides(&self, rx: &Resolver, of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
        if rx.language_of(base) == Language::Kotlin {
            return members::overrides(rx, of, method, base);
        }
        overrides_as_method(rx, of, method, base)
    }

    fn accessors(&self, rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
        let file = rx.file(def.file);
        let is_member =
            file.def(def.def).kind == SymbolKind::Property && !file.has_flag(def.def, DefFlags::LOCAL);
        let names = if is_member { jvm::accessors(file, def.def) } else { Vec::new() };
        names.into_iter().map(Arc::from).collect()
    }

    fn respelled(&self, written: &str, old: &str, new: &str) -> Option<String> {
        respelled(written, old, new)
    }

    fn respelled_from(&self, rx: &Resolver, other: GlobalDef, new: &str) -> Option<String> {
        let is_read = rx.kind(other) == SymbolKind::Method;
        is_read.then(|| jvm::property_after(&rx.shared_name(other), new)).flatten()
    }

    fn declared_members(&self, rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        java::declared_members(rx, class, name)
    }

    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        JavaPolicy.qualified_name(rx, def)
    }

    fn makers(&self, rx: &Resolver, name: &str) -> Vec<GlobalDef> {
        makers(rx, name)
    }

    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        find_qualified(rx, Language::Kotlin, name)
    }
}

/// The type of an expression as a value: the name of a class means its companion.
fn value_type(rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
    as_value(rx, rx.expr_type(file, expr))
}

fn as_value(rx: &Resolver, ty: Ty) -> Ty {
    match ty {
        Ty::Class(def, _) => members::companion(rx, def).map_or(Ty::Unknown, Ty::instance),
        other => other,
    }
}

/// The common type of all branches; integer literals are of the type that other branches have.
fn choice_type(rx: &Resolver, file: &FileView, parts: List<ExprId>) -> Ty {
    let (literals, others): (Vec<ExprId>, Vec<ExprId>) =
        file.list(parts).partition(|part| calls::is_whole(file, *part));
    let others: Vec<Ty> = others.into_iter().map(|part| value_type(rx, file, part)).collect();
    let adapt = others.iter().any(|ty| calls::takes_whole(rx, ty));
    let literals = literals.into_iter().filter(|_| !adapt).map(|part| value_type(rx, file, part));
    types::common(rx, others.iter().cloned().chain(literals))
}

/// The function type that a lambda is asked to be, with the receiver that it gets.
fn lambda_shape(rx: &Resolver, file: &FileView, lambda: GlobalDef) -> Ty {
    let Some(expr) = file.function_expr(lambda.def) else { return Ty::Unknown };
    let expected = rx.policy(file).expected(rx, file, expr);
    for part in expected.parts() {
        match part {
            Ty::Callable { .. } => return part.clone(),
            Ty::Instance(..) => {
                if let Some((params, result)) = rx.signature(file, part) {
                    let receiver = members::single_method(rx, part).and_then(|(method, owner)| {
                        let ty = lookup::declared_receiver(rx, method)?;
                        Some(Ty::Pointer(Arc::new(ty.substitute(&rx.arguments_of(&owner)))))
                    });
                    let params = receiver.into_iter().chain(params).collect();
                    return Ty::Callable { params, result: Arc::new(result) };
                }
            }
            _ => {}
        }
    }
    Ty::Unknown
}

/// The type of a lambda's parameter without a written one.
fn lambda_parameter(rx: &Resolver, file: &FileView, parameter: GlobalDef) -> Ty {
    let Some(function) = file.enclosing_function(file.def(parameter.def).scope) else { return Ty::Unknown };
    let Some(index) = file.list(file.def(function).params).position(|p| p == parameter.def) else {
        return Ty::Unknown;
    };
    let Ty::Callable { params, .. } = rx.def_type(file.global(function)) else { return Ty::Unknown };
    let own = file.def(function).params.len as usize;
    // A receiver may be named as the first parameter.
    let names_receiver = own == params.len();
    let mut plain = params.iter().filter(|p| names_receiver || !matches!(p, Ty::Pointer(_)));
    match plain.nth(index) {
        Some(Ty::Pointer(receiver)) => (**receiver).clone(),
        Some(ty) => ty.clone(),
        None => Ty::Unknown,
    }
}

/// A property or local variable: declared, initialised, delegated, or computed.
fn variable_type(rx: &Resolver, file: &FileView, def: GlobalDef) -> Ty {
    let d = file.def(def.def);
    if let Some(ty) = d.ty {
        let ty = rx.type_of(file, ty);
        return if d.flags.has(DefFlags::VARARG) { types::array_of(rx, file, &ty) } else { ty };
    }
    match d.init {
        Some(init) if d.flags.has(DefFlags::DELEGATED) => {
            let delegate = rx.expr_type(file, init);
            if types::is_named(rx, &delegate, "kotlin.Lazy") {
                return delegate.args().first().cloned().unwrap_or(Ty::Unknown);
            }
            let found = infer::operator_type(rx, file, &delegate, "getValue");
            match file.enclosing_class(d.scope).filter(|_| found.is_unknown()) {
                Some((_, class)) => {
                    let class = rx.self_type(file.global(class));
                    infer::operator_type_in(rx, file, &class, &delegate, "getValue")
                }
                None => found,
            }
        }
        Some(init) => match value_type(rx, file, init) {
            Ty::Primitive(null) if &*null == types::NULL => Ty::Unknown,
            other => other,
        },
        None => types::common(rx, file.list(d.returns).map(|e| value_type(rx, file, e))),
    }
}

/// The type of what a name means, as smart casts have it.
fn reference_type(rx: &Resolver, file: &FileView, name: RefId) -> Ty {
    let mut resolved = rx.resolve(file.global_ref(name));
    let r = file.reference(name);
    if matches!(r.role, Role::Write | Role::ReadWrite) {
        if let Some(ty) = members::written_type(rx, file, &resolved) {
            return ty;
        }
        // Behind the getter stands the setter.
        resolved.resolution.targets.truncate(1);
    }
    let plain = types::common(
        rx,
        resolved.resolution.targets.iter().map(|target| target_type(rx, file, name, target, &resolved.owner)),
    );
    if let Ty::Class(def, _) = &plain
        && r.flags.has(RefFlags::METHOD_REF)
    {
        let params = calls::parameters(rx, *def).into_iter().map(|p| rx.def_type(p));
        return Ty::Callable { params: params.collect(), result: Arc::new(rx.self_type(*def)) };
    }
    if let Some(Target::External(_)) = resolved.resolution.targets.first()
        && let Some(ty) = given::given_type(rx, file, name)
    {
        return ty;
    }
    if file.guards.is_empty() || !matches!(resolved.resolution.targets.first(), Some(Target::Def(_))) {
        return plain;
    }
    let mut tested: Vec<Ty> = Vec::new();
    for guard in file.flow().guards_at(file, r.name, r.range.start) {
        let GuardTest::Type(ty) = guard.test else { continue };
        let applies = guard.subject != name && same_path(rx, file, guard.subject, name);
        if applies {
            tested.push(types::completed(rx, rx.type_of(file, ty), &plain));
        }
    }
    let most_special = |a: Ty, b: Ty| if types::fit(rx, file, &a, &b) == types::Fit::Yes { a } else { b };
    let Some(last) = tested.into_iter().reduce(most_special) else { return plain };
    if plain.is_unknown() || types::fit(rx, file, &last, &plain) == types::Fit::Yes {
        return last;
    }
    if types::fit(rx, file, &plain, &last) == types::Fit::Yes {
        return plain;
    }
    Ty::Intersection(Types::from([last, plain]))
}

/// Whether two chains of names mean the same value.
fn same_path(rx: &Resolver, file: &FileView, a: RefId, b: RefId) -> bool {
    let (p, q) = (file.reference(a), file.reference(b));
    let receiver = |of: Option<ExprId>| of.map(|e| file.expr(e));
    let same_receiver = match (receiver(p.receiver), receiver(q.receiver)) {
        (None, None) => true,
        (Some(Expr::Ref(x)), Some(Expr::Ref(y))) => {
            file.reference(x).name == file.reference(y).name
                && guard::deeper(|| same_path(rx, file, x, y)).unwrap_or(false)
        }
        (Some(Expr::This(_)), Some(Expr::This(_)) | None) | (None, Some(Expr::This(_))) => true,
        _ => false,
    };
    same_receiver
        && rx.resolve(file.global_ref(a)).resolution.targets.first()
            == rx.resolve(file.global_ref(b)).resolution.targets.first()
}

fn target_type(rx: &Resolver, file: &FileView, name: RefId, target: &Target, owner: &Ty) -> Ty {
    let Target::Def(def) = target else {
        return match target {
            Target::External(full) => external_type(file, name, full),
            _ => rx.default_target_type(target),
        };
    };
    let (dispatch, receiver) = infer::unpack(owner);
    let view = rx.file(def.file);
    let d = view.def(def.def);
    let in_java = view.language() == Language::Java;
    let ty = match rx.policy_of(*def).target_type(rx, target) {
        Ty::Function(function, None) => {
            let r = file.reference(name);
            if r.role == Role::Call || r.flags.has(RefFlags::METHOD_REF) {
                let owner = if in_java { dispatch } else { owner.clone() };
                return Ty::Function(function, Some(Arc::new(owner)));
            }
            // A getter, read as a property.
            let ty = rx.return_type(function);
            if in_java { from_java(rx, file, &ty) } else { ty }
        }
        other if in_java => from_java(rx, file, &other),
        other => other,
    };
    let mut known = rx.arguments_of(&dispatch);
    if let Some(declared) = lookup::declared_receiver(rx, *def) {
        let params = rx.type_params(*def);
        crate::resolve::unify(&declared, &rx.widened(&receiver, &declared), &params, &mut known);
    }
    if d.kind == SymbolKind::Parameter && d.flags.has(DefFlags::VARARG) && view.language() == Language::Kotlin
    {
        return types::array_of(rx, file, &ty);
    }
    ty.substitute(&known)
}

/// The type of a name that is not indexed: a class by name, or the entries of an enum.
fn external_type(file: &FileView, name: RefId, full: &Arc<str>) -> Ty {
    let _place = (file, name);
    Ty::ExternalName(full.clone())
}

/// The type of `super`: all direct supertypes.
fn super_type(rx: &Resolver, class: GlobalDef) -> Ty {
    let all = rx.supers(class);
    match &*all {
        [] => Ty::Unknown,
        [one] => one.clone(),
        many => Ty::Intersection(many.into()),
    }
}

/// The type that iterating yields.
fn element(rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
    let ty = from_java(rx, file, ty);
    const ITERABLES: [&str; 4] =
        ["kotlin.collections.Iterable", "java.lang.Iterable", "kotlin.sequences.Sequence", "kotlin.Array"];
    for seen in rx.linearization(&ty).iter() {
        let seen = from_java(rx, file, seen);
        if ITERABLES.iter().any(|name| types::is_named(rx, &seen, name)) {
            return seen.args().first().cloned().unwrap_or(Ty::Unknown);
        }
        let above = rx.linearization(&seen);
        if let Some(found) = above.iter().find(|t| ITERABLES.iter().any(|name| types::is_named(rx, t, name)))
        {
            return found.args().first().cloned().unwrap_or(Ty::Unknown);
        }
    }
    if let Ty::Param(def) = ty {
        return element(rx, file, &members::bound(rx, def));
    }
    if let Ty::External(_, args) = &ty
        && args.len() == 1
    {
        return args[0].clone();
    }
    let iterator = infer::operator_type(rx, file, &ty, "iterator");
    if iterator.is_unknown() { iterator } else { infer::operator_type(rx, file, &iterator, "next") }
}

/// The type that destructuring takes at a position.
fn component(rx: &Resolver, file: &FileView, ty: &Ty, index: u32) -> Ty {
    let found = infer::operator_type(rx, file, ty, &format!("component{}", index + 1));
    if !found.is_unknown() {
        return found;
    }
    let Some(class) = ty.def().filter(|def| rx.has_flag(*def, DefFlags::DATA)) else {
        return Ty::Unknown;
    };
    let param = calls::parameters(rx, class).get(index as usize).copied();
    param.map_or(Ty::Unknown, |p| rx.def_type(p).substitute(&rx.arguments_of(ty)))
}
