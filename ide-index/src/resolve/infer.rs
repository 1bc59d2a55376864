//! Expressions and declarations to types.

use std::sync::Arc;

use ide_model::SymbolKind;
use rustc_hash::FxHashSet;

use super::{Args, FileView, Member, Resolved, Resolver, Substitution, Target, Ty, Types, unify};
use crate::facts::{Collection, DefFlags, DefId, Expectation, Expr, ExprId, List, ScopeId, TypeExpr, TypeId};
use crate::world::GlobalDef;

/// Types of more parts than this are not taken over from the place of a call.
const MAX_ASKED: usize = 500;

/// Of defaults of more parts than this nothing is known: each may stand many times in the next one.
const MAX_DEFAULT: usize = 10_000;

fn limited(ty: Ty) -> Ty {
    if ty.is_larger_than(MAX_DEFAULT) { Ty::Unknown } else { ty }
}

/// The callee, as far as its type parameters depend on it.
pub(crate) struct Generic<'a> {
    pub params: &'a [GlobalDef],
    /// The declared type of what receives the argument at an index, and whether that takes all further ones too.
    pub declared: &'a dyn Fn(usize) -> Option<(Ty, bool)>,
    pub result: &'a dyn Fn() -> Ty,
}

impl Resolver {
    /// The type of an expression's value.
    pub fn expr_type(&self, file: &FileView, expr: ExprId) -> Ty {
        self.remember(
            &self.exprs,
            &(file.id, expr.0),
            || Ty::Unknown,
            || {
                let e = file.expr(expr);
                self.policy(file).expr(self, file, expr, e).unwrap_or_else(|| self.expr_fresh(file, expr, e))
            },
        )
    }

    fn expr_fresh(&self, file: &FileView, id: ExprId, expr: Expr) -> Ty {
        let policy = self.policy(file);
        let of = |e: ExprId| self.expr_type(file, e);
        match expr {
            Expr::Unknown | Expr::Yield(_) | Expr::Macro { .. } => Ty::Unknown,
            Expr::Ref(reference) => self.value_of(&self.resolve(file.global_ref(reference))),
            Expr::Call { callee, .. } => self.call_type(file, id, callee),
            Expr::New { ty, .. } => self.type_of(file, ty),
            Expr::This(scope) => policy.this(self, file, scope),
            Expr::OuterThis(reference) => {
                let outer = self.resolve(file.global_ref(reference));
                outer.resolution.defs().next().map_or(Ty::Unknown, |class| self.self_type(class))
            }
            Expr::Super(scope) => policy.super_of(self, file, scope),
            Expr::Literal(literal) => policy.literal(self, file, literal),
            Expr::Text(_) => policy.literal(self, file, crate::facts::Literal::String),
            Expr::Type(ty) => match self.type_of(file, ty) {
                Ty::Instance(def, args) => Ty::Class(def, args),
                Ty::External(name, _) => Ty::ExternalName(name),
                other => other,
            },
            Expr::Cast { ty, .. } => self.type_of(file, ty),
            Expr::Index { base, index } => policy.index(self, file, &of(base), &of(index)),
            Expr::Element(base) => {
                Ty::union(of(base).parts().iter().map(|part| policy.element(self, file, part)))
            }
            Expr::Item { base, index } => {
                Ty::union(of(base).parts().iter().map(|part| self.item_type(file, part, index as usize)))
            }
            Expr::Await(value) => policy.awaited(self, &of(value)),
            Expr::Try(value) => policy.tried(self, &of(value)),
            Expr::Deref(value) => policy.deref(self, &of(value)),
            Expr::NonNull(value) | Expr::Slice(value) | Expr::Spread(value) => of(value),
            Expr::Enter(value) => policy.entered(self, file, &of(value)),
            Expr::InstanceOf(value) => match of(value) {
                Ty::Tuple(classes) => Ty::union(classes.iter().map(|c| c.clone().instantiate())),
                other => other.instantiate(),
            },
            Expr::Value(def) => self.def_type(file.global(def)),
            Expr::Function(def) => Ty::Function(file.global(def), None),
            Expr::Class(def) => Ty::instance(file.global(def)),
            Expr::Collection { kind, items } => self.collection_type(file, kind, items),
            Expr::Named { value, .. } | Expr::Assign { value, .. } | Expr::Block { value, .. } => of(value),
            Expr::Binary { op, left, right } => policy.binary(self, file, op, &of(left), &of(right)),
            Expr::Unary { op, value } => policy.unary(self, file, op, &of(value)),
            Expr::Choice(parts) => Ty::union(file.list(parts).map(of)),
        }
    }

    /// The item of a tuple at an index; of anything else what it holds.
    fn item_type(&self, file: &FileView, ty: &Ty, index: usize) -> Ty {
        let tuple = match ty {
            Ty::Tuple(items) => Some(items),
            Ty::Intersection(parts) => parts.iter().find_map(|part| match part {
                Ty::Tuple(items) => Some(items),
                _ => None,
            }),
            _ => None,
        };
        match tuple {
            Some(items) => items.get(index).cloned().unwrap_or(Ty::Unknown),
            None => self.policy(file).element(self, file, ty),
        }
    }

    /// The value that a resolved name has.
    pub fn value_of(&self, resolved: &Resolved) -> Ty {
        let substitution = self.arguments_of(&resolved.owner);
        let targets = &resolved.resolution.targets;
        // Each part of a namespace has what all of them have.
        let mut parts = FxHashSet::default();
        let mut is_new = |def: GlobalDef| {
            let is_new = !parts.contains(&def);
            if is_new {
                parts.extend(self.policy_of(def).merged_elsewhere(self, def));
            }
            is_new
        };
        let targets = targets.iter().filter(|target| match target {
            Target::Def(def) => targets.len() < 2 || self.kind(*def) != SymbolKind::Namespace || is_new(*def),
            _ => true,
        });
        Ty::union(targets.map(|target| {
            let ty = match target {
                Target::Def(def) => {
                    let policy = self.policy_of(*def);
                    if !resolved.owner.is_unknown()
                        && let Some(ty) = policy.type_on(&resolved.owner, self.def_name(*def))
                    {
                        return ty;
                    }
                    policy.target_type(self, target)
                }
                _ => self.default_target_type(target),
            };
            match ty {
                Ty::Function(def, None) if !resolved.owner.is_unknown() => {
                    Ty::Function(def, Some(Arc::new(resolved.owner.clone())))
                }
                other => other.substitute(&substitution),
            }
        }))
    }

    /// Types for classes, functions as values, the declared or inferred type for everything else.
    pub fn default_target_type(&self, target: &Target) -> Ty {
        match target {
            Target::Def(def) => self.def_type(*def),
            Target::Module(file) => Ty::Module(*file),
            Target::Package(name) => Ty::Package(name.clone()),
            Target::External(name) => Ty::ExternalName(name.clone()),
        }
    }

    /// The type of a declaration's value.
    pub fn def_type(&self, def: GlobalDef) -> Ty {
        self.remember(
            &self.defs,
            &(def.file, def.def.0),
            || Ty::Unknown,
            || self.policy_of(def).def_type(self, def),
        )
    }

    pub fn default_def_type(&self, def: GlobalDef) -> Ty {
        let file = self.file(def.file);
        let d = file.def(def.def);
        match d.kind {
            SymbolKind::TypeAlias => d.ty.map_or(Ty::Unknown, |ty| match self.type_of(file, ty) {
                Ty::Instance(def, args) => Ty::Class(def, args),
                Ty::External(name, _) => Ty::ExternalName(name),
                other => other,
            }),
            kind if kind.is_type() => Ty::class(def),
            SymbolKind::TypeParameter => Ty::Param(def),
            kind if kind.is_callable() => Ty::Function(def, None),
            _ => match (d.ty, d.init) {
                (Some(ty), _) => self.type_of(file, ty),
                (None, Some(init)) => self.expr_type(file, init),
                (None, None) if d.kind == SymbolKind::Parameter => self.lambda_parameter(file, def.def),
                (None, None) => Ty::Unknown,
            },
        }
    }

    /// The type of a lambda's parameter: from the type that is expected of the lambda.
    pub fn lambda_parameter(&self, file: &FileView, parameter: DefId) -> Ty {
        let Some(function) = file.enclosing_function(file.def(parameter).scope) else { return Ty::Unknown };
        let Some(index) = file.list(file.def(function).params).position(|p| p == parameter) else {
            return Ty::Unknown;
        };
        let Some(expr) = file.function_expr(function) else { return Ty::Unknown };
        let expected = self.policy(file).expected(self, file, expr);
        match self.signature(file, &expected) {
            Some((params, _)) => params.get(index).cloned().unwrap_or(Ty::Unknown),
            None => Ty::Unknown,
        }
    }

    /// Parameter and result types of a function type.
    pub fn signature(&self, file: &FileView, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        self.policy(file).signature(self, ty)
    }

    pub fn default_signature(&self, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        match ty {
            Ty::Callable { params, result } => Some((params.to_vec(), (**result).clone())),
            Ty::Function(def, receiver) => {
                let substitution = receiver.as_deref().map(|r| self.arguments_of(r)).unwrap_or_default();
                let file = self.file(def.file);
                let params = file
                    .list(file.def(def.def).params)
                    .map(|p| self.def_type(file.global(p)).substitute(&substitution))
                    .collect();
                Some((params, self.return_type(*def).substitute(&substitution)))
            }
            Ty::Union(parts) => parts.iter().find_map(|part| self.default_signature(part)),
            _ => None,
        }
    }

    /// The type that the place of an expression asks for.
    pub fn default_expected(&self, file: &FileView, expr: ExprId) -> Ty {
        match file.expectation(expr) {
            None => Ty::Unknown,
            Some(Expectation::Type(ty)) => self.type_of(file, ty),
            Some(Expectation::Init(def)) => file.def(def).ty.map_or(Ty::Unknown, |ty| self.type_of(file, ty)),
            Some(Expectation::Return(def)) => match file.def(def).ty {
                Some(ty) => self.type_of(file, ty),
                None if file.has_flag(def, DefFlags::ANONYMOUS) => match file.function_expr(def) {
                    Some(outer) => {
                        let expected = self.policy(file).expected(self, file, outer);
                        self.signature(file, &expected).map_or(Ty::Unknown, |(_, result)| result)
                    }
                    None => Ty::Unknown,
                },
                None => Ty::Unknown,
            },
            Some(Expectation::Assigned(target)) => self.expr_type(file, target),
            Some(Expectation::Argument { call, index }) => {
                self.policy(file).argument_type(self, file, call, index, expr)
            }
            Some(Expectation::Named { key, .. }) => self.value_of(&self.resolve(file.global_ref(key))),
        }
    }

    /// The declared type of the parameter that receives an argument, with what the other arguments say about the
    /// callee's type parameters.
    pub(crate) fn default_argument_type(
        &self,
        file: &FileView,
        call: ExprId,
        index: u32,
        argument: ExprId,
    ) -> Ty {
        let Some(callee) = self.callee_of(file, call) else { return Ty::Unknown };
        // A name may mean a type and a function.
        let function = callee.parts().iter().find(|part| matches!(part, Ty::Function(..)));
        let Some(Ty::Function(def, receiver)) = function.cloned() else {
            return match self.signature(file, &callee) {
                Some((params, _)) => params.get(index as usize).cloned().unwrap_or(Ty::Unknown),
                None => Ty::Unknown,
            };
        };
        self.argument_of(file, call, def, receiver.as_deref(), index, argument)
    }

    /// The type that a called function expects in the place of an argument.
    pub(crate) fn argument_of(
        &self,
        file: &FileView,
        call: ExprId,
        def: GlobalDef,
        receiver: Option<&Ty>,
        index: u32,
        argument: ExprId,
    ) -> Ty {
        let Some(parameter) = self.parameter_at(def, index as usize) else { return Ty::Unknown };
        let is_variable = self.file(parameter.file).has_flag(parameter.def, DefFlags::VARARG);
        let declared = match self.def_type(parameter) {
            // One of those that the parameter takes, unless all are handed over at once.
            Ty::Array(item) if is_variable && !matches!(file.expr(argument), Expr::Spread(_)) => {
                (*item).clone()
            }
            declared => declared,
        };
        let mut substitution = receiver.map(|r| self.arguments_of(r)).unwrap_or_default();
        self.infer_type_arguments(file, call, def, Some(argument), &mut substitution);
        declared.substitute(&substitution)
    }

    /// The parameter that receives the argument at an index; a variadic one takes all further.
    pub fn parameter_at(&self, def: GlobalDef, index: usize) -> Option<GlobalDef> {
        let file = self.file(def.file);
        let params: Vec<DefId> = file.list(file.def(def.def).params).collect();
        let id = params
            .get(index)
            .or_else(|| params.last().filter(|last| file.has_flag(**last, DefFlags::VARARG)))?;
        Some(file.global(*id))
    }

    /// The callee's value: a function with its bound receiver, mostly.
    pub fn callee_of(&self, file: &FileView, call: ExprId) -> Option<Ty> {
        match file.expr(call) {
            Expr::Call { callee, .. } => Some(self.expr_type(file, callee)),
            Expr::New { ty, .. } => {
                let name = self.named_type_ref(file, ty)?;
                let resolved = self.resolve(file.global_ref(name));
                let def = resolved.resolution.defs().next()?;
                if !self.kind(def).is_callable() {
                    return None;
                }
                Some(Ty::Function(def, Some(Arc::new(self.type_of(file, ty)))))
            }
            _ => None,
        }
    }

    fn call_type(&self, file: &FileView, call: ExprId, callee: ExprId) -> Ty {
        let policy = self.policy(file);
        let callee = self.expr_type(file, callee);
        Ty::union(callee.parts().iter().map(|part| match part {
            Ty::Function(def, receiver) => self.result_of(file, call, *def, receiver.as_deref()),
            other => policy.call(self, file, other, call),
        }))
    }

    /// The result type of a function call.
    pub(crate) fn result_of(
        &self,
        file: &FileView,
        call: ExprId,
        def: GlobalDef,
        receiver: Option<&Ty>,
    ) -> Ty {
        let mut substitution = receiver.map(|r| self.arguments_of(r)).unwrap_or_default();
        self.infer_type_arguments(file, call, def, None, &mut substitution);
        let own: Vec<GlobalDef> = self.type_params(def);
        self.return_type(def).substitute(&substitution).forget(&own)
    }

    /// The bindings that the arguments of a call give to the type parameters of the callee. `except` is left out:
    /// the argument whose expectation is being computed. Lambdas are looked at last, through what they return.
    pub fn infer_type_arguments(
        &self,
        file: &FileView,
        call: ExprId,
        def: GlobalDef,
        except: Option<ExprId>,
        into: &mut Substitution,
    ) {
        let params = self.type_params(def);
        if params.is_empty() {
            return;
        }
        let declared = |index: usize| {
            let parameter = self.parameter_at(def, index)?;
            let is_variable = self.file(parameter.file).has_flag(parameter.def, DefFlags::VARARG);
            Some((self.def_type(parameter), is_variable))
        };
        let result = || self.return_type(def);
        self.infer_by(
            file,
            call,
            &Generic { params: &params, declared: &declared, result: &result },
            except,
            into,
        );
        self.policy_of(def).infer_more(self, file, call, def, into);
        self.fill_defaults(&params, into);
    }

    /// The types that parameters stand for of which nothing is said.
    pub(crate) fn fill_defaults(&self, params: &[GlobalDef], into: &mut Substitution) {
        for param in params {
            if !into.contains_key(param)
                && let Some(default) = self.type_default(*param)
            {
                into.insert(*param, limited(default.substitute(into)));
            }
        }
    }

    /// [`Self::infer_type_arguments`] of whatever is called.
    pub(crate) fn infer_by(
        &self,
        file: &FileView,
        call: ExprId,
        callee: &Generic<'_>,
        except: Option<ExprId>,
        into: &mut Substitution,
    ) {
        let params = callee.params;
        let (type_args, args) = match file.expr(call) {
            Expr::Call { type_args, args, .. } => (type_args, args),
            Expr::New { args, .. } => (List::EMPTY, args),
            _ => return,
        };
        for (param, arg) in params.iter().zip(file.list(type_args)) {
            into.insert(*param, self.type_of(file, arg));
        }
        if params.iter().all(|p| into.contains_key(p)) {
            return;
        }
        let is_call = |arg: ExprId| matches!(file.expr(arg), Expr::Call { .. });
        for lambdas in [false, true] {
            // The parameters of lambdas may follow from the expected type of the call; their results tell
            // more than that.
            if lambdas && except.is_some() {
                self.infer_from_place(file, call, callee, into);
            }
            let mut is_behind = false;
            for (i, arg) in file.list(args).enumerate() {
                is_behind |= Some(arg) == except && is_call(arg);
                // Calls that wait for what is expected of them are looked at from left to right.
                if Some(arg) == except
                    || is_behind && is_call(arg)
                    || matches!(file.expr(arg), Expr::Function(_)) != lambdas
                {
                    continue;
                }
                let Some((declared, is_variable)) = (callee.declared)(i) else { continue };
                if lambdas {
                    self.infer_from_lambda(file, arg, &declared, params, into);
                    continue;
                }
                let actual = self.expr_type(file, arg);
                // One of several variable arguments, or all of them as an array.
                let declared = match declared {
                    Ty::Array(item) if is_variable && !matches!(actual, Ty::Array(_)) => (*item).clone(),
                    declared => declared,
                };
                let is_parameter = matches!(declared, Ty::Param(param) if params.contains(&param));
                if !is_parameter
                    && let Some(result) = self.function_result(&actual)
                    && let Some((_, wanted)) = self.signature(file, &declared)
                {
                    unify(&wanted, &result, params, into);
                } else {
                    unify(&declared, &self.widened(&actual, &declared), params, into);
                }
            }
        }
        self.infer_from_place(file, call, callee, into);
    }

    /// Binds the type parameters that nothing else determines by the expected type of the call.
    fn infer_from_place(&self, file: &FileView, call: ExprId, callee: &Generic<'_>, into: &mut Substitution) {
        if file.expectation(call).is_none() || callee.params.iter().all(|p| into.contains_key(p)) {
            return;
        }
        let expected = self.expected_of_call(file, call);
        let mut asked = Substitution::default();
        unify(&self.widened(&(callee.result)(), &expected), &expected, callee.params, &mut asked);
        for param in callee.params {
            if let Some(ty) = asked.remove(param).filter(|ty| ty.is_known_to(MAX_ASKED)) {
                into.entry(*param).or_insert(ty);
            }
        }
    }

    /// The type that the place of a call asks for. Type parameters of the function that receives the call are not
    /// bound yet.
    fn expected_of_call(&self, file: &FileView, call: ExprId) -> Ty {
        let expected = self.policy(file).expected(self, file, call);
        let Some(Expectation::Argument { call: outer, .. }) = file.expectation(call) else { return expected };
        let callee = self.callee_of(file, outer).unwrap_or(Ty::Unknown);
        callee.parts().iter().fold(expected, |expected, part| match part {
            Ty::Function(def, _) => expected.forget(&self.type_params(*def)),
            _ => expected,
        })
    }

    /// The result type of a named function or class that is passed as a value.
    fn function_result(&self, value: &Ty) -> Option<Ty> {
        match value {
            Ty::Function(def, receiver) => {
                let substitution = receiver.as_deref().map(|r| self.arguments_of(r)).unwrap_or_default();
                let own = self.type_params(*def);
                Some(self.return_type(*def).substitute(&substitution).forget(&own))
            }
            Ty::Class(..) => Some(value.clone().instantiate()),
            Ty::Callable { result, .. } => Some(Ty::clone(result)),
            _ => None,
        }
    }

    /// A lambda binds the result type of the function type that its parameter has.
    fn infer_from_lambda(
        &self,
        file: &FileView,
        lambda: ExprId,
        declared: &Ty,
        params: &[GlobalDef],
        into: &mut Substitution,
    ) {
        let Expr::Function(def) = file.expr(lambda) else { return };
        if let Some((_, result)) = self.signature(file, declared) {
            unify(&result, &self.return_type(file.global(def)), params, into);
        }
    }

    /// The supertype of an actual type that has the declared type's declaration, so that arguments line up.
    pub fn widened(&self, actual: &Ty, declared: &Ty) -> Ty {
        let shaped =
            |def: GlobalDef| self.policy_of(def).shaped_like(self, actual, declared).unwrap_or(Ty::Unknown);
        match (actual, declared) {
            (Ty::Instance(a, _), Ty::Instance(d, _)) if a != d => {
                let line = self.linearization(actual);
                line.iter().find(|ty| ty.def() == Some(*d)).cloned().unwrap_or_else(|| shaped(*d))
            }
            (Ty::Array(_) | Ty::Tuple(_) | Ty::Primitive(_) | Ty::External(..), Ty::Instance(d, _)) => {
                match shaped(*d) {
                    Ty::Unknown => actual.clone(),
                    shaped => shaped,
                }
            }
            (Ty::Instance(def, _), Ty::Array(_) | Ty::External(..) | Ty::Callable { .. }) => {
                self.policy_of(*def).core(self, actual).unwrap_or_else(|| actual.clone())
            }
            (Ty::Instance(..) | Ty::Array(_) | Ty::Tuple(_) | Ty::External(..), Ty::Union(parts)) => {
                let fitting = parts.iter().filter(|part| matches!(part, Ty::Instance(..)));
                let mut widened = fitting.map(|part| self.widened(actual, part));
                widened.find(|ty| !ty.is_unknown() && ty != actual).unwrap_or_else(|| actual.clone())
            }
            _ => actual.clone(),
        }
    }

    /// The result type of calling a function.
    pub fn return_type(&self, def: GlobalDef) -> Ty {
        self.remember(
            &self.returns,
            &(def.file, def.def.0),
            || Ty::Unknown,
            || self.policy_of(def).return_type(self, def),
        )
    }

    pub fn default_return_type(&self, def: GlobalDef) -> Ty {
        let file = self.file(def.file);
        let d = file.def(def.def);
        if d.kind == SymbolKind::Constructor {
            return self.owner_class(def).map_or(Ty::Unknown, |class| self.self_type(class));
        }
        match d.ty {
            Some(ty) => self.type_of(file, ty),
            None => Ty::union(file.list(d.returns).map(|e| self.expr_type(file, e))),
        }
    }

    fn collection_type(&self, file: &FileView, kind: Collection, items: List<ExprId>) -> Ty {
        let of = |e: ExprId| self.expr_type(file, e);
        match kind {
            Collection::Tuple => Ty::Tuple(file.list(items).map(of).collect()),
            Collection::Map => Ty::Unknown,
            Collection::List | Collection::Set | Collection::Array => {
                Ty::Array(Arc::new(Ty::union(file.list(items).map(of))))
            }
        }
    }

    /// A type as written.
    pub fn type_of(&self, file: &FileView, ty: TypeId) -> Ty {
        self.remember(
            &self.types,
            &(file.id, ty.0),
            || Ty::Unknown,
            || {
                let written = file.ty(ty);
                self.policy(file)
                    .type_expr(self, file, written)
                    .unwrap_or_else(|| self.type_fresh(file, written))
            },
        )
    }

    fn type_fresh(&self, file: &FileView, ty: TypeExpr) -> Ty {
        let of = |t: TypeId| self.type_of(file, t);
        let all = |list: List<TypeId>| file.list(list).map(of).collect();
        match ty {
            TypeExpr::Named { name, args } => self.named_type(file, name, all(args)),
            TypeExpr::Primitive(name) => Ty::Primitive(file.name(name).into()),
            TypeExpr::Array(item) | TypeExpr::Slice(item) | TypeExpr::Varargs(item) => {
                Ty::Array(Arc::new(of(item)))
            }
            TypeExpr::Nullable(inner) | TypeExpr::Reference(inner) | TypeExpr::Predicate(inner) => of(inner),
            TypeExpr::Pointer(inner) => Ty::Pointer(Arc::new(of(inner))),
            TypeExpr::Tuple(items) => Ty::Tuple(all(items)),
            TypeExpr::Union(parts) => Ty::union(file.list(parts).map(of)),
            TypeExpr::Intersection(parts) | TypeExpr::Bounds(parts) => match &*all(parts) {
                [one] => one.clone(),
                parts => Ty::Intersection(parts.into()),
            },
            TypeExpr::Function { params, result, .. } => {
                Ty::Callable { params: all(params), result: Arc::new(result.map_or(Ty::Nothing, of)) }
            }
            TypeExpr::Object(def) => Ty::instance(file.global(def)),
            TypeExpr::Literal(text) => Ty::Literal(file.name(text).into()),
            TypeExpr::Wildcard(bound) => bound.map_or(Ty::Unknown, of),
            TypeExpr::TypeOf(value) => self.expr_type(file, value),
            _ => Ty::Unknown,
        }
    }

    /// A named type with its arguments: a class, an alias that is followed, a type parameter, something external.
    pub fn named_type(&self, file: &FileView, name: crate::facts::RefId, args: Types) -> Ty {
        let resolved = self.resolve(file.global_ref(name));
        let Some(target) = resolved.resolution.targets.first() else { return Ty::Unknown };
        match target {
            Target::External(name) => Ty::External(name.clone(), args),
            Target::Def(def) => self.type_of_def(*def, args),
            Target::Module(_) | Target::Package(_) => Ty::Unknown,
        }
    }

    /// The type that a declaration means in a type position.
    pub fn type_of_def(&self, def: GlobalDef, args: Types) -> Ty {
        let d = self.def(def);
        match d.kind {
            SymbolKind::TypeParameter => Ty::Param(def),
            SymbolKind::TypeAlias => {
                let file = self.file(def.file);
                let target = d.ty.map_or(Ty::Unknown, |ty| self.type_of(file, ty));
                let args = self.with_defaults(def, args);
                let substitution = self.type_params(def).into_iter().zip(args.iter().cloned()).collect();
                target.substitute(&substitution)
            }
            // A constructor stands for its class where `adjust` chose it.
            SymbolKind::Constructor => {
                self.owner_class(def).map_or(Ty::Unknown, |class| Ty::Instance(class, args))
            }
            kind if kind.is_type() => Ty::Instance(def, self.with_defaults(def, args)),
            _ => Ty::Unknown,
        }
    }

    /// Type arguments, with the defaults of further parameters as far as they have any.
    fn with_defaults(&self, def: GlobalDef, args: Args) -> Args {
        let params = self.type_params(def);
        if params.len() <= args.len() {
            return args;
        }
        let mut all = args.to_vec();
        for param in &params[args.len()..] {
            let Some(default) = self.type_default(*param) else { break };
            let known: Substitution = params.iter().copied().zip(all.iter().cloned()).collect();
            all.push(limited(default.substitute(&known)));
        }
        all.into()
    }

    /// The type that a type parameter stands for where nothing is said.
    pub(crate) fn type_default(&self, param: GlobalDef) -> Option<Ty> {
        let file = self.file(param.file);
        match file.expr(file.def(param.def).init?) {
            Expr::Type(ty) => Some(self.type_of(file, ty)),
            _ => None,
        }
    }

    /// The type parameters of a declaration, by the rules of its language.
    pub fn type_params(&self, def: GlobalDef) -> Vec<GlobalDef> {
        self.policy_of(def).type_params(self, def)
    }

    /// The type parameters that a declaration lists.
    pub fn declared_type_params(&self, def: GlobalDef) -> Vec<GlobalDef> {
        let file = self.file(def.file);
        file.list(file.def(def.def).type_params).map(|p| file.global(p)).collect()
    }

    /// A class applied to its own type parameters: the type of `this` inside it.
    pub fn self_type(&self, class: GlobalDef) -> Ty {
        Ty::Instance(class, self.type_params(class).into_iter().map(Ty::Param).collect())
    }

    /// The type parameters of a type's declaration with what the type puts in their place.
    pub fn arguments_of(&self, ty: &Ty) -> Substitution {
        match ty {
            Ty::Instance(def, args) | Ty::Class(def, args) if !args.is_empty() => {
                self.type_params(*def).into_iter().zip(args.iter().cloned()).collect()
            }
            _ => Substitution::default(),
        }
    }

    /// An instance of the innermost class around a scope.
    pub fn enclosing_instance(&self, file: &FileView, scope: ScopeId) -> Ty {
        file.enclosing_class(scope).map_or(Ty::Unknown, |(_, class)| self.self_type(file.global(class)))
    }

    /// The value of calling something that is not a declared function, in most languages.
    pub(crate) fn default_call(&self, callee: &Ty) -> Ty {
        match callee {
            Ty::Callable { result, .. } => (**result).clone(),
            Ty::Class(..) => callee.clone().instantiate(),
            // The result of a function outside the world is mostly outside too.
            Ty::ExternalName(name) => Ty::external(name.clone()),
            _ => Ty::Unknown,
        }
    }

    /// The functions that an operator may call on a value, in most languages.
    pub(crate) fn default_operators(&self, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        match ty {
            // The members of instances do not work on the class itself.
            Ty::Class(..) | Ty::Function(..) | Ty::Module(_) | Ty::Package(_) => Vec::new(),
            _ => self.policy(from).members(self, from, ty, name),
        }
    }

    /// The item type of an array or a tuple.
    pub fn default_element(&self, _file: &FileView, ty: &Ty) -> Ty {
        match ty {
            Ty::Array(item) => (**item).clone(),
            Ty::Tuple(items) => Ty::union(items.iter().cloned()),
            _ => Ty::Unknown,
        }
    }
}
