//! Names that exports give to what has another name.

use ide_model::SymbolKind;

use super::exports::has_type_meaning;
use super::policy::{EcmaPolicy, MAX_HOPS};
use crate::facts::{DefFlags, DefId, Expr, ImportKind, RefFlags, RefId, Role, ScopeId};
use crate::query::definition::At;
use crate::resolve::{FileView, GivenName, Resolver, Ty};
use crate::world::FileId;

impl EcmaPolicy {
    /// See [`crate::resolve::Policy::given_name`].
    pub(super) fn name_given(rx: &Resolver, file: &FileView, at: At, hops: usize) -> Option<GivenName> {
        match at {
            _ if hops == 0 => None,
            At::Def(def) => Self::given_to(rx, file, def, hops),
            At::Ref(reference) => {
                let r = file.reference(reference);
                if r.role == Role::Import {
                    return Self::given_in_import(rx, file, reference, hops);
                }
                if let Some(receiver) = r.receiver {
                    let ty = rx.expr_type(file, receiver);
                    return Self::given_by(rx, &ty, file.ref_name(reference), hops);
                }
                Self::given_to(rx, file, rx.bound(file, reference)?, hops)
            }
        }
    }

    /// The name of a declaration, if it is another one for something.
    fn given_to(rx: &Resolver, file: &FileView, def: DefId, hops: usize) -> Option<GivenName> {
        let d = file.def(def);
        let own = Some(GivenName { file: file.id, range: d.name_range });
        if let Some(import) = d.import.filter(|_| d.kind == SymbolKind::Import) {
            let import = file.import(import);
            // `export * as name from './a'`, or `import * as name` that is exported.
            let is_exported = || file.exports.iter().any(|export| export.name == d.name);
            if import.kind == ImportKind::Module && is_exported() {
                return own;
            }
            let member = import.member?;
            if import.kind == ImportKind::Default && file.reference(member).flags.has(RefFlags::IMPLICIT) {
                return None;
            }
            if file.reference(member).range != d.name_range {
                return own;
            }
            let module = Self::module_of(rx, file, file.name(import.module))?;
            return Self::given_out(rx, module, file.ref_name(member), hops - 1);
        }
        // `import name = Outer.name`.
        let is_ref = |value| matches!(file.expr(value), Expr::Ref(_));
        let is_equated = d.kind == SymbolKind::TypeAlias && d.init.is_some_and(is_ref);
        (is_equated || Self::is_given_out_again(file, def)).then_some(own).flatten()
    }

    /// `exports.plus = add`.
    fn is_given_out_again(file: &FileView, def: DefId) -> bool {
        let d = file.def(def);
        let is_named = |export: &crate::facts::Export| matches!(file.expr(export.value), Expr::Ref(of) if file.reference(of).range == d.name_range);
        let is_another = |value| match super::assign::assigned(file, value) {
            Expr::Ref(of) => file.reference(of).name != d.name && file.reference(of).receiver.is_none(),
            _ => false,
        };
        d.attach.is_some() && d.init.is_some_and(is_another) && file.exports.iter().any(is_named)
    }

    fn given_in_import(rx: &Resolver, file: &FileView, reference: RefId, hops: usize) -> Option<GivenName> {
        let r = file.reference(reference);
        match file.import_by_member(reference).map(|import| file.import(import)) {
            Some(import) if import.kind == ImportKind::Default => None,
            Some(import) => {
                let module = Self::module_of(rx, file, file.name(import.module))?;
                Self::given_out(rx, module, file.ref_name(reference), hops - 1)
            }
            // The name behind `as`.
            None if r.flags.has(RefFlags::IMPLICIT) => Self::alias_behind(file, reference.0.checked_sub(1)?),
            None => None,
        }
    }

    /// `outer` of `inner as outer` in a list of exports, by the number of the reference `inner`.
    fn alias_behind(file: &FileView, inner: u32) -> Option<GivenName> {
        let alias = RefId(inner + 1);
        let r = file.refs.get(alias.index())?;
        let is_alias = r.role == Role::Import && r.flags.has(RefFlags::IMPLICIT);
        let is_bound = || file.import_by_member(alias).is_some();
        (is_alias && r.name != file.reference(RefId(inner)).name && !is_bound())
            .then_some(GivenName { file: file.id, range: r.range })
    }

    /// The name that a member of a module or namespace is given.
    fn given_by(rx: &Resolver, ty: &Ty, name: &str, hops: usize) -> Option<GivenName> {
        match ty {
            Ty::Module(module) => Self::given_out(rx, *module, name, hops - 1),
            Ty::Class(of, _) if rx.def(*of).kind == SymbolKind::Namespace => {
                let members = rx.own_members(*of, name);
                members.into_iter().find_map(|def| Self::given_to(rx, rx.file(def.file), def.def, hops - 1))
            }
            _ => None,
        }
    }

    /// The name that a module gives to what it gives out under a name.
    fn given_out(rx: &Resolver, module: FileId, name: &str, hops: usize) -> Option<GivenName> {
        if hops == 0 || name.is_empty() {
            return None;
        }
        let file = rx.file(module);
        if let Some(export) = file.exports.iter().find(|export| file.name(export.name) == name) {
            let value = match file.expr(export.value) {
                Expr::Ref(value) => value,
                Expr::Value(def) => return Self::given_to(rx, file, def, hops - 1),
                _ => return None,
            };
            let attached = file.attached().iter().copied();
            let mut attached =
                attached.filter(|def| file.def(*def).name_range == file.reference(value).range);
            if let Some(def) = attached.next() {
                return Self::given_to(rx, file, def, hops - 1);
            }
            return match file.reference(value).name == export.name {
                true => Self::name_given(rx, file, At::Ref(value), hops - 1),
                false => Self::alias_behind(file, value.0),
            };
        }
        let mut declared = file.named_in_scope(ScopeId(0), name).iter().copied();
        let is_exported = |def: &DefId| {
            file.has_flag(*def, DefFlags::EXPORTED) && has_type_meaning(file.def(*def).kind)
                || file.def(*def).kind != SymbolKind::Import && file.has_flag(*def, DefFlags::EXPORTED)
        };
        if let Some(def) = declared.find(is_exported) {
            return Self::given_to(rx, file, def, hops - 1);
        }
        for import in file.imports.iter().filter(|import| import.kind == ImportKind::ReExport) {
            let Some(member) = import.member else { continue };
            let passed = import.exported_as.unwrap_or(file.reference(member).name);
            if file.name(passed) != name {
                continue;
            }
            if passed != file.reference(member).name {
                return Self::alias_behind(file, member.0);
            }
            let module = Self::module_of(rx, file, file.name(import.module))?;
            return Self::given_out(rx, module, name, hops - 1);
        }
        let stars = file.imports.iter().filter(|import| import.kind == ImportKind::ReExportStar);
        stars.filter(|_| name != "default").find_map(|import| {
            let module = Self::module_of(rx, file, file.name(import.module))?;
            let found = Self::exported(rx, module, name, MAX_HOPS.min(hops));
            (!found.is_unknown()).then(|| Self::given_out(rx, module, name, hops - 1)).flatten()
        })
    }
}
