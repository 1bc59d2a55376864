//! Elements of the platform in JSX: `<div title="…">`.

use super::paths::Paths;
use super::policy::{EcmaPolicy, MAX_HOPS};
use crate::facts::{Expr, ExprId, RefFlags, RefId, Role};
use crate::resolve::{FileView, Member, Resolution, Resolver, Ty};
use crate::world::GlobalDef;

impl EcmaPolicy {
    /// The declaration of an element of the platform, in `IntrinsicElements`.
    pub(super) fn element(rx: &Resolver, file: &FileView, element: RefId) -> Resolution {
        let name = file.ref_name(element);
        let declared = Self::elements_named(rx, file, name);
        let first = declared.first();
        first.map_or_else(|| Resolution::external(name), |m| Resolution::of(m.target(), m.confidence))
    }

    /// The attribute type of an element of the platform; `None` for other calls.
    pub(super) fn attributes_of(rx: &Resolver, file: &FileView, call: ExprId) -> Option<Ty> {
        let Expr::Call { callee, .. } = file.expr(call) else { return None };
        let Expr::Ref(element) = file.expr(callee) else { return None };
        let r = file.reference(element);
        if r.role != Role::Key || !r.flags.has(RefFlags::STATIC) {
            return None;
        }
        let declared = Self::elements_named(rx, file, file.ref_name(element)).into_iter().next();
        let ty = declared.map(|member| {
            let of = member.def().map_or(Ty::Unknown, |def| rx.def_type(def));
            of.substitute(&rx.arguments_of(&member.owner))
        });
        Some(ty.unwrap_or(Ty::Unknown))
    }

    fn elements_named(rx: &Resolver, file: &FileView, name: &str) -> Vec<Member> {
        let elements = Self::namespace_of_elements(rx, file).and_then(|namespace| {
            let home = rx.file(namespace.file);
            let body = home.def(namespace.def).body?;
            let found = home.named_in_scope(body, "IntrinsicElements").iter().copied();
            found.map(|def| home.global(def)).next()
        });
        elements.map_or_else(Vec::new, |elements| rx.inherited_members(&Ty::instance(elements), name))
    }

    /// The namespace `JSX`: of the module that the compiler imports, else the global one.
    fn namespace_of_elements(rx: &Resolver, file: &FileView) -> Option<GlobalDef> {
        let paths = Paths::of(rx);
        let source = paths.jsx_source(&file.path);
        let module = Self::module_of(rx, file, &format!("{source}/jsx-runtime"));
        let exported = module.and_then(|module| Self::exported(rx, module, "JSX", MAX_HOPS).defs().next());
        exported.or_else(|| Self::globals(rx, "JSX").first().copied())
    }
}
