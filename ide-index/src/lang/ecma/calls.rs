//! Values that are called: which of their call signatures a call means, and what a function that is handed over is given.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::operators::{REST, parameters};
use super::policy::EcmaPolicy;
use crate::facts::{DefFlags, DefId, Expr, ExprId, RefId, ScopeKind, TypeExpr};
use crate::resolve::{FileView, Generic, Resolver, Substitution, Ty, Types};
use crate::world::GlobalDef;

/// Parameter types and the result.
pub(super) type Signature = (Vec<Ty>, Ty);

/// Signatures of a value that are looked at.
const MAX_SIGNATURES: usize = 64;

impl EcmaPolicy {
    /// The function that a call of a value without a name of its own runs: of its call signatures the first that takes
    /// the arguments, else the first.
    pub(super) fn call_signature(rx: &Resolver, file: &FileView, callee: &Ty, call: ExprId) -> Option<Ty> {
        let mut all = Vec::new();
        Self::call_signatures(rx, file, callee, &mut all);
        let (types, args) = Self::arguments(file, call)?;
        let takes = |signature: &&Ty| match signature {
            Ty::Function(def, _) => Self::takes(rx, file, *def, types, &args, all.len() > 1),
            Ty::Callable { params, .. } => {
                types == 0 && (args.len() <= params.len() || params.last().is_some_and(is_rest))
            }
            _ => false,
        };
        all.iter().find(takes).or(all.first()).cloned()
    }

    fn call_signatures(rx: &Resolver, file: &FileView, callee: &Ty, into: &mut Vec<Ty>) {
        if into.len() > MAX_SIGNATURES {
            return;
        }
        match callee {
            Ty::Function(..) | Ty::Callable { .. } => into.push(callee.clone()),
            Ty::Instance(..) => {
                let members = rx.inherited_members(callee, "()").into_iter();
                into.extend(members.filter_map(|m| Some(Ty::Function(m.def()?, Some(Arc::new(m.owner))))));
            }
            Ty::Intersection(parts) => {
                parts.iter().for_each(|part| Self::call_signatures(rx, file, part, into));
            }
            Ty::Param(param) => {
                let home = rx.file(param.file);
                let bound = home.def(param.def).ty.map(|bound| rx.type_of(home, bound));
                if let Some(bound @ (Ty::Instance(..) | Ty::Callable { .. })) = bound {
                    Self::call_signatures(rx, file, &bound, into);
                }
            }
            _ if Self::is_operator(callee) => {
                let evaluated = Self::evaluated(rx, file, callee);
                if evaluated != *callee {
                    evaluated.parts().iter().for_each(|part| Self::call_signatures(rx, file, part, into));
                }
            }
            _ => {}
        }
    }

    /// The parameter type of a value with call signatures in the place of an argument; `None` where a function
    /// is called.
    pub(super) fn taken_by_value(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        index: u32,
        argument: ExprId,
    ) -> Option<Ty> {
        let callee = rx.callee_of(file, call)?;
        if callee.parts().iter().any(|part| matches!(part, Ty::Function(..))) {
            return None;
        }
        let signature = callee.parts().iter().find_map(|part| Self::call_signature(rx, file, part, call))?;
        Some(match &signature {
            Ty::Callable { params, result } => {
                let known = Self::bound_by(rx, file, call, (params, result), Some(argument));
                Self::taken_at(rx, file, params, index as usize).substitute(&known)
            }
            Ty::Function(def, receiver) => {
                rx.argument_of(file, call, *def, receiver.as_deref(), index, argument)
            }
            _ => Ty::Unknown,
        })
    }

    /// The type that the place of an argument expects.
    pub(super) fn taken(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        (index, argument): (u32, ExprId),
    ) -> Ty {
        Self::constructor_argument(rx, file, call, index)
            .or_else(|| Self::stand_in(rx, file, call, index))
            .or_else(|| Self::attributes_of(rx, file, call))
            .or_else(|| Self::handed_object(rx, file, call, index))
            .or_else(|| Self::taken_by_value(rx, file, call, index, argument))
            .unwrap_or_else(|| rx.default_argument_type(file, call, index, argument))
    }

    /// The function that makes what stands in for a module: `jest.mock("./m", () => ({ … }))`.
    fn stand_in(rx: &Resolver, file: &FileView, call: ExprId, index: u32) -> Option<Ty> {
        let Expr::Call { callee, args, .. } = file.expr(call) else { return None };
        let Expr::Ref(member) = file.expr(callee) else { return None };
        if index != 1 || !matches!(file.ref_name(member), "mock" | "doMock" | "unstable_mockModule") {
            return None;
        }
        let Expr::Ref(runner) = file.expr(file.reference(member).receiver?) else { return None };
        if !matches!(file.ref_name(runner), "jest" | "vi" | "vitest") {
            return None;
        }
        let named = file.list(args).next()?;
        let module = match file.expr(named) {
            Expr::Text(specifier) => Self::module_of(rx, file, file.name(specifier))?,
            // `vi.mock(import("./m"), …)`
            _ => match Self::awaited_value(rx, &rx.expr_type(file, named)) {
                Ty::Module(module) => module,
                _ => return None,
            },
        };
        let whole = Self::given_as_whole(rx, module);
        let made = Ty::union(whole.targets.iter().map(|target| rx.default_target_type(target)));
        Some(Ty::Callable { params: Types::default(), result: Arc::new(made) })
    }

    /// The type that a function says of its object, where a call hands one over: `f.call({ … })`.
    pub(super) fn handed_object(rx: &Resolver, file: &FileView, call: ExprId, index: u32) -> Option<Ty> {
        let Expr::Call { callee, .. } = file.expr(call) else { return None };
        let Expr::Ref(member) = file.expr(callee) else { return None };
        if index > 0 || !matches!(file.ref_name(member), "call" | "apply" | "bind") {
            return None;
        }
        let function = rx.expr_type(file, file.reference(member).receiver?);
        function.parts().iter().find_map(|part| match part {
            Ty::Function(def, _) => {
                let home = rx.file(def.file);
                home.def(def.def).receiver.map(|object| rx.type_of(home, object))
            }
            _ => None,
        })
    }

    /// The result type of calling a value with call signatures.
    pub(super) fn called(rx: &Resolver, file: &FileView, callee: &Ty, call: ExprId) -> Option<Ty> {
        match Self::call_signature(rx, file, callee, call)? {
            Ty::Function(def, receiver) => Some(rx.result_of(file, call, def, receiver.as_deref())),
            Ty::Callable { params, result } => {
                let known = Self::bound_by(rx, file, call, (&params, &result), None);
                Some(result.substitute(&known).forget(&own_parameters(rx, &params)))
            }
            _ => None,
        }
    }

    /// The bindings that a call gives to the type parameters that a function type declares itself.
    fn bound_by(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        (params, result): (&Types, &Ty),
        except: Option<ExprId>,
    ) -> Substitution {
        let own = own_parameters(rx, params);
        let mut known = Substitution::default();
        if own.is_empty() {
            return known;
        }
        let declared = |index: usize| Some((Self::taken_at(rx, file, params, index), false));
        let result = || result.clone();
        rx.infer_by(
            file,
            call,
            &Generic { params: &own, declared: &declared, result: &result },
            except,
            &mut known,
        );
        rx.fill_defaults(&own, &mut known);
        known
    }

    /// The value that a member is asked of, where the type of the member or of what its call gives is `this`.
    pub(super) fn given_this(rx: &Resolver, file: &FileView, name: RefId, is_called: bool) -> Option<Ty> {
        let receiver = file.reference(name).receiver?;
        let member = rx.resolve(file.global_ref(name)).resolution.defs().next()?;
        let home = rx.file(member.file);
        let d = home.def(member.def);
        let TypeExpr::TypeOf(value) = home.ty(d.ty.filter(|_| d.kind.is_callable() == is_called)?) else {
            return None;
        };
        let is_this =
            matches!(home.expr(value), Expr::This(_)) && !matches!(file.expr(receiver), Expr::Super(_));
        Some(rx.expr_type(file, receiver)).filter(|ty| is_this && !ty.is_unknown())
    }

    /// The parameters and the result of a declared function, what takes all further arguments marked as such.
    pub(super) fn signature_of(rx: &Resolver, def: GlobalDef, receiver: Option<&Ty>) -> Option<Signature> {
        let (mut params, result) =
            rx.default_signature(&Ty::Function(def, receiver.cloned().map(Arc::new)))?;
        let home = rx.file(def.file);
        let is_rest =
            home.list(home.def(def.def).params).last().is_some_and(|p| home.has_flag(p, DefFlags::VARARG));
        if let Some(last) = params.last_mut().filter(|_| is_rest) {
            *last = Ty::External(REST.into(), Types::from([last.clone()]));
        }
        Some((params, result))
    }

    /// The type of a function type's parameter at an index.
    pub(super) fn taken_at(rx: &Resolver, file: &FileView, params: &[Ty], index: usize) -> Ty {
        let Some(rest) = params.last().filter(|last| is_rest(last) && index + 1 >= params.len()) else {
            return params.get(index).cloned().unwrap_or(Ty::Unknown);
        };
        let all = Self::evaluated(rx, file, &rest.args()[0]);
        Ty::union(all.parts().iter().map(|part| match part {
            Ty::Tuple(items) => items.get(index + 1 - params.len()).cloned().unwrap_or(Ty::Unknown),
            Ty::Array(item) => Ty::clone(item),
            _ => Ty::Unknown,
        }))
    }

    /// The type of a parameter of a function that is handed over: of several function types that are expected, the first
    /// with as many parameters says it.
    pub(super) fn handed_parameter(rx: &Resolver, file: &FileView, parameter: DefId) -> Option<Ty> {
        let function = file.enclosing_function(file.def(parameter).scope)?;
        let params = file.list(file.def(function).params);
        let count = params.len();
        let index = file.list(file.def(function).params).position(|p| p == parameter)?;
        let expected = Self::expected_of(rx, file, file.function_expr(function)?);
        let mut signatures = expected.parts().iter().filter_map(|part| rx.signature(file, part));
        let first = signatures.next()?;
        let is_enough = |params: &[Ty]| params.len() >= count || params.last().is_some_and(is_rest);
        let (params, _) =
            if is_enough(&first.0) { first } else { signatures.find(|s| is_enough(&s.0)).unwrap_or(first) };
        Some(Self::taken_at(rx, file, &params, index))
    }
}

/// The type parameters that a function type with these parameters declares itself.
fn own_parameters(rx: &Resolver, params: &Types) -> Vec<GlobalDef> {
    let mut all = Vec::new();
    params.iter().for_each(|ty| parameters(ty, &mut all));
    let scopes: BTreeSet<_> = all.iter().map(|param| (param.file, rx.def(*param).scope)).collect();
    let mut own: Vec<GlobalDef> = Vec::new();
    for (id, scope) in scopes {
        let home = rx.file(id);
        let s = home.scope(scope);
        if s.kind == ScopeKind::Function && s.owner.is_none() {
            own.extend(home.type_parameters_in(scope).map(|param| home.global(param)));
        }
    }
    own.sort_unstable();
    own
}

pub(super) fn is_rest(ty: &Ty) -> bool {
    matches!(ty, Ty::External(name, _) if &**name == REST)
}
