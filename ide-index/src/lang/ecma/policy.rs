//! The rules of JavaScript and TypeScript: modules of both systems, types and values apart, objects by their literals.

use std::sync::Arc;

use ide_model::{Confidence, SymbolKind, TextRange};

use super::blocks::Blocks;
use super::exports::{cannot_be_meant, external, has_type_meaning, has_value_meaning, is_meant};
use super::keys;
use super::members::by_owner;
use super::paths::Paths;
use super::types::INDEX;
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, ImportFlags, ImportId, ImportKind, Literal, Ref, RefFlags, RefId, Role,
    ScopeId, ScopeKind, TypeExpr,
};
use crate::guard;
use crate::query::definition::At;
use crate::resolve::{
    FileView, GivenName, Member, Place, Policy, Reason, Resolution, Resolver, Substitution, Target, Ty, Types,
};
use crate::world::{FileId, GlobalDef};

pub(crate) struct EcmaPolicy;

/// Chains of re-exports longer than this are cycles.
pub(super) const MAX_HOPS: usize = 12;

impl Policy for EcmaPolicy {
    fn annotations_run(&self) -> bool {
        true
    }

    /// An import from a package that is not in the world is known by its import only.
    fn import_is_declaration(&self, rx: &Resolver, def: GlobalDef) -> bool {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let Some(import) = d.import.filter(|_| !d.flags.has(DefFlags::ANONYMOUS)) else { return false };
        match Self::module_of(rx, file, file.name(file.import(import).module)) {
            None => true,
            Some(module) => Self::required_object(rx, file.import(import), module).is_some(),
        }
    }

    fn declares_variable(&self, rx: &Resolver, def: GlobalDef) -> bool {
        Self::is_required_variable(rx, def)
    }

    fn enters_scope(&self, file: &FileView, _reference: &Ref, scope: ScopeId, _crossed: bool) -> bool {
        let scope = file.scope(scope);
        scope.kind != ScopeKind::Class
            || scope.owner.is_none_or(|owner| file.def(owner).kind == SymbolKind::Enum)
    }

    fn sees(&self, _rx: &Resolver, file: &FileView, reference: &Ref, def: DefId) -> bool {
        let d = file.def(def);
        if d.kind == SymbolKind::Label || reference.role == Role::Label {
            return d.kind == SymbolKind::Label && reference.role == Role::Label;
        }
        match reference.role {
            // `declare module "m"` declares no name.
            _ if d.kind == SymbolKind::Module => false,
            _ if reference.flags.has(RefFlags::TYPE_ONLY) || d.kind == SymbolKind::Import => true,
            // A namespace is no type; it has some.
            Role::Type if !reference.flags.has(RefFlags::STATIC) && d.kind == SymbolKind::Namespace => false,
            Role::Type | Role::Implements => has_type_meaning(d.kind),
            Role::Extends => true,
            // `import name = N.M` may be about a value.
            _ if d.kind == SymbolKind::TypeAlias && d.init.is_some() => true,
            _ => has_value_meaning(d.kind),
        }
    }

    fn choose(&self, rx: &Resolver, file: &FileView, reference: RefId, members: &[Member]) -> Resolution {
        let members = &*Self::declared_first(members);
        let r = file.reference(reference);
        let meant = |m: &&Member| m.def().is_none_or(|def| is_meant(r, rx.def(def).kind));
        let members = &*match members {
            [_, _, ..] if members.iter().any(|m| meant(&m)) => {
                members.iter().filter(meant).cloned().collect()
            }
            _ => members.to_vec(),
        };
        let Some(first) = members.first() else { return Resolution::unknown(Reason::NotFound) };
        if r.flags.has(RefFlags::TYPE_ONLY) {
            let all = members.iter().map(Member::target).collect();
            return Resolution { targets: all, confidence: first.confidence, reason: Reason::None };
        }
        let called = r.call.and_then(|call| Self::arguments(file, call));
        // Of overloads the first that takes as many arguments, of types and values; of a getter and a setter the first.
        let fits = |m: &&Member| {
            let def = m.def().filter(|def| rx.def(*def).kind.is_callable());
            called.as_ref().zip(def).is_some_and(|((types, args), def)| {
                Self::takes(rx, file, def, *types, args, members.len() > 1)
            })
        };
        // The parts of a union each have theirs.
        let chosen = by_owner(members).into_iter().filter_map(|own| {
            // The namespace beside a value is reached through the value.
            let is_value = |m: &&Member| m.def().is_none_or(|def| rx.kind(def) != SymbolKind::Namespace);
            let all = || own.iter().copied();
            let first = all().find(fits).or_else(|| all().find(is_value));
            first.or(own.first().copied()).map(Member::target)
        });
        Resolution { targets: chosen.collect(), confidence: first.confidence, reason: Reason::None }
    }

    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let name = file.ref_name(reference);
        if name.starts_with('#') {
            return Self::private_name(file, reference);
        }
        if name == "exports" && file.reference(reference).role != Role::Type {
            return Resolution::exact(Target::Module(file.id));
        }
        // The module system gives these names to every file.
        if matches!(name, "module" | "require") && !Self::is_ambient(file) {
            return Resolution::external(name);
        }
        Blocks::meant(rx, file, reference)
            .or_else(|| Self::in_other_namespaces(rx, file, reference))
            .unwrap_or_else(|| Self::global(rx, name))
    }

    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
        let import = file.import(import);
        let specifier = file.name(import.module);
        let Some(module) = Self::module_of(rx, file, specifier) else {
            let member = import.member.map_or("", |m| file.ref_name(m));
            return Resolution::external(format!("{specifier}#{member}"));
        };
        match (import.kind, import.member) {
            (ImportKind::Default, _) => {
                let found = Self::imported(rx, module, specifier, "default");
                if found.is_unknown() { Resolution::exact(Target::Module(module)) } else { found }
            }
            (_, Some(member)) => Self::imported(rx, module, specifier, file.ref_name(member)),
            (ImportKind::Module, None) if import.flags.has(ImportFlags::DYNAMIC) => {
                Self::given_as_whole(rx, module)
            }
            _ => Resolution::exact(Target::Module(module)),
        }
    }

    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let r = file.reference(reference);
        let Some(id) = file.import_by_segment(reference) else {
            let binds = |i: &crate::facts::Import| i.def.is_some_and(|d| file.def(d).name_range == r.range);
            if r.flags.has(RefFlags::IMPLICIT)
                && let Some(index) = file.imports.iter().position(binds)
            {
                // The name of what a whole module is required as: a use of what the module gives out, if that has a name.
                let whole = self.import(rx, file, ImportId(index as u32));
                let is_named = whole.defs().any(|def| !rx.def(def).flags.has(DefFlags::ANONYMOUS));
                return if is_named { whole } else { Resolution::unknown(Reason::NotFound) };
            }
            // The name under which something is given out.
            return Self::exported(rx, file.id, file.ref_name(reference), MAX_HOPS);
        };
        let import = file.import(id);
        if import.member == Some(reference) {
            return self.import(rx, file, id);
        }
        let specifier = file.name(import.module);
        match Self::module_of(rx, file, specifier) {
            Some(module) => Resolution::exact(Target::Module(module)),
            None => Resolution::external(specifier),
        }
    }

    fn keyword(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        keys::meaning(rx, file, reference)
    }

    /// Bounds, parts and the outcomes of operators ask again, and may grow at each turn.
    fn members(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        guard::deeper(|| self.members_inside(rx, from, ty, name)).unwrap_or_default()
    }

    fn member_owner(&self, rx: &Resolver, member: GlobalDef) -> Option<GlobalDef> {
        rx.owner_class(member).or_else(|| Self::attached_owner(rx, member))
    }

    fn overrides(&self, rx: &Resolver, _of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
        [method, base].iter().all(|at| !rx.def(*at).flags.has(DefFlags::STATIC))
    }

    /// A type or object literal, or a class in a function, depends on the type parameters around it.
    fn type_params(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let is_literal =
            d.flags.has(DefFlags::ANONYMOUS) && matches!(d.kind, SymbolKind::Interface | SymbolKind::Object);
        let declared = rx.declared_type_params(def);
        if !is_literal && !Self::is_inner_class(file, def.def) {
            return declared;
        }
        let around = file.scope_chain(d.scope).filter(|scope| *scope != ScopeId(0));
        let around = around.flat_map(|scope| file.type_parameters_in(scope)).map(|d| file.global(d));
        declared.into_iter().chain(around).collect()
    }

    fn declared_members(&self, rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        Self::of_both(rx, class, name)
    }

    fn member_fallback(&self, rx: &Resolver, file: &FileView, reference: RefId, receiver: &Ty) -> Resolution {
        if file.ref_name(reference).starts_with('#') {
            return Self::private_name(file, reference);
        }
        Self::guessed_member(rx, file, reference, receiver)
    }

    fn type_expr(&self, rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
        match ty {
            TypeExpr::Named { name, args } => {
                let args: Types = file.list(args).map(|a| rx.type_of(file, a)).collect();
                let resolved = rx.resolve(file.global_ref(name));
                let role = file.reference(name).role;
                let is_type = |target: &&Target| match target {
                    Target::Def(def) => has_type_meaning(rx.def(*def).kind),
                    _ => true,
                };
                if let Some(holder) = Self::holding_type(rx, file, name, &args) {
                    return Some(holder);
                }
                if let (Role::New, Some(class)) = (role, Self::constructor_of(rx, file, name)) {
                    return Some(class.instantiate());
                }
                let targets = &resolved.resolution.targets;
                let by_type = (role != Role::New).then(|| targets.iter().find(is_type)).flatten();
                // A namespace beside a class makes nothing.
                let is_space = |target: &&Target| matches!(target, Target::Def(def) if rx.def(*def).kind == SymbolKind::Namespace);
                let made = || targets.iter().rev().find(|target| !is_space(target)).or(targets.last());
                match by_type.or_else(made)? {
                    Target::External(library) => Some(Ty::External(library.clone(), args)),
                    Target::Def(def) => {
                        let kind = rx.def(*def).kind;
                        let of_library = Self::library_name(rx, *def).filter(|_| role != Role::New);
                        if let Some(built) = of_library.and_then(|name| Self::utility(name, &args)) {
                            return Some(built);
                        }
                        if kind.is_type()
                            || matches!(kind, SymbolKind::TypeParameter | SymbolKind::Constructor)
                        {
                            return Some(rx.type_of_def(*def, args));
                        }
                        // A class held by a variable, a constructor function.
                        Some(match rx.def_type(*def) {
                            Ty::Function(f, _) => Ty::instance(f),
                            other => match Self::constructed(rx, file, &other) {
                                Some(made) if matches!(role, Role::New | Role::Extends) => made,
                                _ => other.instantiate(),
                            },
                        })
                    }
                    _ => None,
                }
            }
            TypeExpr::Object(def) => Some(rx.self_type(file.global(def))),
            other => Self::operator_type(rx, file, other),
        }
    }

    fn type_on(&self, owner: &Ty, name: &str) -> Option<Ty> {
        Self::mapped_at(owner, Some(name))
    }

    fn target_type(&self, rx: &Resolver, target: &Target) -> Ty {
        if let Target::Def(def) = target
            && matches!(rx.def(*def).kind, SymbolKind::Namespace | SymbolKind::Module | SymbolKind::Enum)
        {
            return Ty::class(*def);
        }
        rx.default_target_type(target)
    }

    fn def_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let d = rx.def(def);
        match d.kind {
            SymbolKind::Import => {
                let through = rx.through_imports(Resolution::def(def));
                if through.targets.contains(&Target::Def(def)) {
                    let file = rx.file(def.file);
                    let import = d.import.map(|i| *file.import(i));
                    let object = import.and_then(|i| {
                        let module = Self::module_of(rx, file, file.name(i.module))?;
                        Some((module, Self::required_object(rx, &i, module)?))
                    });
                    if let Some((module, value)) = object {
                        return rx.expr_type(rx.file(module), value);
                    }
                    return import.map_or(Ty::Unknown, |i| Ty::ExternalName(file.name(i.module).into()));
                }
                Ty::union(through.targets.iter().map(|t| self.target_type(rx, t)))
            }
            SymbolKind::EnumCase => rx.owner_class(def).map_or(Ty::Unknown, Ty::instance),
            SymbolKind::Property | SymbolKind::Method | SymbolKind::Function
                if let Some(declared) = Self::option_type(rx, def) =>
            {
                declared
            }
            SymbolKind::Parameter if d.flags.has(DefFlags::VARARG) && d.ty.is_none() => {
                Ty::Array(Arc::new(Ty::Unknown))
            }
            SymbolKind::Property if d.flags.has(DefFlags::GETTER) => rx.return_type(def),
            SymbolKind::Property if d.flags.has(DefFlags::SETTER) && d.ty.is_none() && d.init.is_none() => {
                let file = rx.file(def.file);
                let taken = || file.list(d.params).next().map(|param| rx.def_type(file.global(param)));
                Self::got(rx, file, def.def).or_else(taken).unwrap_or(Ty::Unknown)
            }
            SymbolKind::Object => Ty::instance(def),
            // A class that a function makes, of what it is given.
            SymbolKind::Class | SymbolKind::AbstractClass
                if Self::is_inner_class(rx.file(def.file), def.def) =>
            {
                match rx.self_type(def) {
                    Ty::Instance(def, args) => Ty::Class(def, args),
                    other => other,
                }
            }
            SymbolKind::Constant
                if d.ty.is_none()
                    && let Some(Expr::Text(text)) = d.init.map(|init| rx.file(def.file).expr(init)) =>
            {
                Ty::Literal(rx.file(def.file).name(text).into())
            }
            // A class assigned to a name, a function held by a constant: what it holds.
            SymbolKind::Function | SymbolKind::Method if d.body.is_none() && d.init.is_some() => {
                let file = rx.file(def.file);
                d.init.map_or(Ty::Unknown, |init| rx.expr_type(file, init))
            }
            SymbolKind::Parameter if d.ty.is_none() => {
                let file = rx.file(def.file);
                let expected = Self::method_parameter(rx, file, def.def)
                    .or_else(|| Self::handed_parameter(rx, file, def.def))
                    .unwrap_or(Ty::Unknown);
                if expected.is_unknown() {
                    d.init.map_or(Ty::Unknown, |init| rx.expr_type(file, init))
                } else {
                    expected
                }
            }
            _ => rx.default_def_type(def),
        }
    }

    fn expr(&self, rx: &Resolver, file: &FileView, id: ExprId, expr: Expr) -> Option<Ty> {
        match expr {
            Expr::Ref(reference) => {
                let name = file.ref_name(reference);
                // `module.exports` is what the module gives out.
                if name == "exports" {
                    let receiver = file.reference(reference).receiver.map(|e| file.expr(e));
                    if let Some(Expr::Ref(module)) = receiver
                        && file.ref_name(module) == "module"
                    {
                        return Some(Ty::Module(file.id));
                    }
                    if receiver.is_none() && Self::declares_export(rx, file, id) {
                        return Some(Ty::Module(file.id));
                    }
                }
                if name == "prototype"
                    && let Some(made) = Self::prototype_of(rx, file, reference)
                {
                    return Some(made);
                }
                Self::constructor_of(rx, file, reference)
                    .or_else(|| Self::narrowed(rx, file, reference))
                    .or_else(|| Self::value_of_any_key(rx, file, reference))
                    .or_else(|| Self::reactive_value(rx, file, reference))
                    .or_else(|| Self::given_this(rx, file, reference, false))
            }
            Expr::Call { callee, .. } => {
                let Expr::Ref(name) = file.expr(callee) else { return None };
                Self::handed_back(rx, file, id)
                    .or_else(|| Self::reactive_call(rx, file, id))
                    .or_else(|| Self::given_this(rx, file, name, true))
            }
            Expr::InstanceOf(value) => Self::component_value(rx, file, value)
                .or_else(|| Self::made_of(rx, file, &rx.expr_type(file, value))),
            Expr::Deref(store) => Some(Self::store_value(rx, file, store)),
            Expr::New { .. } => Self::made_by(rx, file, id),
            Expr::Class(def) => Some(rx.self_type(file.global(def))),
            Expr::Index { base, index } => Self::computed_member(rx, file, base, index),
            _ => None,
        }
    }

    fn literal(&self, rx: &Resolver, _file: &FileView, literal: Literal) -> Ty {
        Ty::Primitive(
            match literal {
                Literal::String => "string",
                Literal::Int | Literal::Float | Literal::Long | Literal::SmallFloat => "number",
                Literal::Bool => "boolean",
                Literal::Regex => {
                    let none = Types::default();
                    return Self::global_type(rx, "RegExp", none).unwrap_or(Ty::Unknown);
                }
                _ => return Ty::Unknown,
            }
            .into(),
        )
    }

    fn this(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        Self::this_in(rx, file, scope)
    }

    fn element(&self, rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
        self.element_of(rx, file, ty)
    }

    /// `base[key]`: what the keys of an object lead to is no item of what it yields.
    fn index(&self, rx: &Resolver, file: &FileView, base: &Ty, index: &Ty) -> Ty {
        Ty::union(base.parts().iter().map(|part| {
            match part {
                Ty::Instance(..) => {
                    let of_keys = rx.inherited_members(part, INDEX).into_iter().next();
                    of_keys.map_or(Ty::Unknown, |member| super::operators::member_type(rx, &member))
                }
                Ty::Tuple(items) => match index {
                    Ty::Literal(at) => at.parse::<usize>().ok().and_then(|at| items.get(at).cloned()),
                    _ => None,
                }
                .unwrap_or_else(|| self.element(rx, file, part)),
                _ => self.element(rx, file, part),
            }
        }))
    }

    fn awaited(&self, rx: &Resolver, ty: &Ty) -> Ty {
        Self::awaited_value(rx, ty)
    }

    /// An `async` function returns a promise without saying so.
    fn return_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let given = rx.default_return_type(def);
        let d = rx.def(def);
        let is_promised = d.ty.is_none() && d.flags.has(DefFlags::ASYNC) && !d.flags.has(DefFlags::GENERATOR);
        let promise = is_promised.then(|| Self::promise_of(rx, &given)).flatten();
        promise.unwrap_or(given)
    }

    fn supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        Self::supers_of(rx, class)
    }

    fn infer_more(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
        into: &mut Substitution,
    ) {
        Self::bind_literals(rx, file, call, function, into);
    }

    fn merged_elsewhere(&self, rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        Self::other_parts(rx, class)
    }

    fn shaped_like(&self, rx: &Resolver, actual: &Ty, declared: &Ty) -> Option<Ty> {
        Self::as_shape(rx, actual, declared)
    }

    fn expected(&self, rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        Self::expected_of(rx, file, expr)
    }

    fn argument_type(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        index: u32,
        argument: ExprId,
    ) -> Ty {
        Self::taken(rx, file, call, (index, argument))
    }

    fn names_of_module(&self, rx: &Resolver, file: FileId) -> Vec<Arc<str>> {
        Paths::of(rx).specifiers(rx.world().file(file).path.as_str())
    }

    fn has_shapes(&self) -> bool {
        true
    }

    fn has_unseen_uses(&self, rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
        keys::unseen_uses(rx, def)
    }

    fn renamed_with(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        Self::renamed_together(rx, def)
    }

    fn may_stand_for(&self, rx: &Resolver, key: GlobalDef, members: &[GlobalDef]) -> bool {
        keys::may_stand_for(rx, key, members)
    }

    fn named_by_text(
        &self,
        rx: &Resolver,
        file: &FileView,
        members: &[GlobalDef],
        name: &str,
        _around: (&str, &str),
    ) -> bool {
        keys::is_key(rx, file, members, name)
    }

    fn signature(&self, rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        match ty {
            Ty::Instance(..) => {
                let member = rx.inherited_members(ty, "()").into_iter().next()?;
                Self::signature_of(rx, member.def()?, Some(&member.owner))
            }
            Ty::Function(def, receiver) => Self::signature_of(rx, *def, receiver.as_deref()),
            Ty::Union(parts) | Ty::Intersection(parts) => {
                parts.iter().find_map(|part| self.signature(rx, part))
            }
            // A component of JSX that is a class.
            Ty::Class(..) => {
                let made = ty.clone().instantiate();
                let constructor = rx.inherited_members(&made, "constructor").into_iter().next()?;
                rx.default_signature(&Ty::Function(constructor.def()?, Some(Arc::new(constructor.owner))))
            }
            Ty::Param(param) => {
                let file = rx.file(param.file);
                self.signature(rx, &rx.type_of(file, file.def(param.def).ty?))
            }
            _ => rx.default_signature(ty),
        }
    }

    fn call(&self, rx: &Resolver, file: &FileView, callee: &Ty, call: ExprId) -> Ty {
        match callee {
            Ty::Class(..) => callee.clone().instantiate(),
            Ty::ExternalName(name) => Ty::external(name.clone()),
            _ => Self::called(rx, file, callee, call).unwrap_or(Ty::Unknown),
        }
    }

    fn same_symbol(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        Self::one_symbol(rx, def)
    }

    /// An import of a default export does not say its name, and a constructor's own name is never said.
    fn other_names(&self, rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
        let file = rx.file(def.file);
        if file.def(def.def).kind == SymbolKind::Constructor {
            // A construction names the class.
            return rx.owner_class(def).map(|class| rx.shared_name(class)).into_iter().collect();
        }
        // A `require` of a module that is exported as a whole says the module's name alone.
        let [is_whole, is_default] = ["", "default"].map(|name| Self::is_exported_as(rx, file, name, def));
        let mut names = if is_whole { self.names_of_module(rx, def.file) } else { Vec::new() };
        names.extend((is_whole || is_default).then(|| "default".into()));
        names
    }

    fn held_function(&self, file: &FileView, def: DefId) -> Option<DefId> {
        super::arrows::held_function(file, def)
    }

    fn given_name(&self, rx: &Resolver, file: &FileView, at: At) -> Option<GivenName> {
        Self::name_given(rx, file, at, MAX_HOPS)
    }

    /// A declaration at the top of a file is a member of its module if it is exported.
    fn may_be_member(&self, rx: &Resolver, def: GlobalDef) -> bool {
        let (file, d) = (rx.file(def.file), rx.def(def));
        let is_top = d.scope == ScopeId(0) && d.attach.is_none();
        !is_top
            || d.flags.has(DefFlags::EXPORTED)
            || file.exports.iter().any(|export| file.name(export.name) == file.name(d.name))
    }

    /// An attribute of JSX that nothing is known to take declares nothing.
    fn declared_as(&self, rx: &Resolver, def: GlobalDef) -> Resolution {
        keys::declared(rx, def)
    }

    /// `new C` means the constructor, and the class; a property written `{ name }` means what the name is.
    fn adjust(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        mut resolution: Resolution,
    ) -> Resolution {
        let written = std::mem::take(&mut resolution.targets).into_iter();
        resolution.targets = written.flat_map(|target| Self::passed_on(rx, target)).collect();
        // The place tells whether a type or a value of one name is meant.
        let r = file.reference(reference);
        let fits = |target: &Target| match target {
            Target::Def(def) => is_meant(r, rx.def(*def).kind),
            _ => true,
        };
        if resolution.targets.len() > 1 && resolution.targets.iter().any(fits) {
            resolution.targets.retain(|target| fits(target));
        }
        // A value hides no type of the library, and a type no value.
        let is_other = |target: &Target| match target {
            Target::Def(def) => cannot_be_meant(r, rx.def(*def).kind),
            // A namespace import is no type; it has some.
            Target::Module(_) => r.role == Role::Type && !r.flags.has(RefFlags::STATIC),
            _ => false,
        };
        if r.receiver.is_none() && !resolution.targets.is_empty() && resolution.targets.iter().all(is_other) {
            let global = Self::global(rx, file.ref_name(reference));
            if global.defs().any(|def| is_meant(r, rx.def(def).kind)) {
                return global;
            }
        }
        // `module.exports = value` names the value.
        if file.reference(reference).role == Role::Write
            && file.ref_name(reference) == "exports"
            && resolution.targets[..] == [Target::Module(file.id)]
            && let Some(export) = file.exports.iter().find(|e| file.name(e.name).is_empty())
        {
            let value = Self::export_value(rx, file, export.value);
            if value.defs().next().is_some() {
                resolution = value;
            }
        }
        // `exports.name = value` is about the name alone.
        if file.ref_name(reference) == "exports"
            && let Some(def) = file
                .attached()
                .iter()
                .find(|d| file.def(**d).attach.is_some_and(|base| file.expr(base) == Expr::Ref(reference)))
        {
            return Self::assigned_export(rx, file, *def);
        }
        if file.reference(reference).role == Role::New {
            let class = resolution.defs().next();
            let constructors = class.map_or_else(Vec::new, |c| rx.own_members(c, "constructor"));
            let constructors: Vec<Member> = constructors.into_iter().map(Member::plain).collect();
            if !constructors.is_empty() {
                let chosen = self.choose(rx, file, reference, &constructors);
                resolution.targets.insert_many(0, chosen.targets);
            }
        }
        Self::choose_overload(rx, file, reference, &mut resolution);
        resolution
    }

    fn import_works_unnamed(&self, rx: &Resolver, file: &FileView, import: ImportId) -> bool {
        super::paths::import_works_unnamed(rx, file, import)
    }

    /// A member of what a function gives back is named wherever that goes.
    fn only_in(&self, rx: &Resolver, def: GlobalDef) -> Option<Vec<FileId>> {
        if Self::is_required_variable(rx, def) && !self.import_is_declaration(rx, def) {
            return Some(vec![def.file]);
        }
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let is_member = d.kind != SymbolKind::TypeParameter && file.scope(d.scope).kind == ScopeKind::Class;
        let is_own_name = d.kind == SymbolKind::Function && d.init.is_some();
        let is_given_out = || ["", "default"].iter().any(|name| Self::is_exported_as(rx, file, name, def));
        self.default_only_in(rx, def).filter(|_| !(is_member || is_own_name && is_given_out()))
    }

    fn respelled(&self, written: &str, old: &str, new: &str) -> Option<String> {
        super::components::respelled(written, old, new)
    }

    fn written_out(&self, file: &FileView, range: TextRange, before: &str) -> (&'static str, &'static str) {
        super::components::written_out(file, range, before).unwrap_or((": ", ""))
    }

    fn place(&self) -> Place {
        Place::Path
    }

    fn module_name(
        &self,
        rx: &Resolver,
        like: &FileView,
        from: &str,
        module: &str,
    ) -> Result<String, String> {
        super::paths::specifier(rx, like, from, module)
    }

    fn not_importable(&self, rx: &Resolver, def: GlobalDef) -> Option<&'static str> {
        Self::not_exported(rx, def)
    }

    fn module_path(
        &self,
        rx: &Resolver,
        written: &str,
        importer: (&str, &str),
        target: (&str, &str),
    ) -> Option<String> {
        super::manifests::moved(rx, written, importer, target)
    }

    fn module_path_anew(
        &self,
        rx: &Resolver,
        file: &FileView,
        importer: &str,
        target: (&str, &str),
    ) -> Option<String> {
        super::paths::anew(rx, file, importer, target)
    }

    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        Self::full_name(rx, def)
    }

    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        Self::named_in_full(rx, name)
    }
}

impl EcmaPolicy {
    fn members_inside(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        match ty {
            Ty::Module(module) => {
                let found = Self::exported(rx, *module, name, MAX_HOPS);
                let found = rx.through_imports(found);
                found
                    .targets
                    .iter()
                    .map(|t| Member { target: t.clone(), owner: Ty::Unknown, confidence: found.confidence })
                    .collect()
            }
            Ty::Instance(def, _) | Ty::Class(def, _) if rx.def(*def).kind == SymbolKind::TypeParameter => {
                Vec::new()
            }
            Ty::Instance(..) | Ty::Class(..) => {
                let ty = &Self::flat_promise(rx, ty);
                let mut found = Self::members_along(rx, ty, name);
                // `x.constructor` is what every object has; a class declares it for no one to name.
                if name == "constructor" {
                    let is_own = |def| rx.def(def).kind == SymbolKind::Constructor;
                    found.retain(|member| !member.def().is_some_and(is_own));
                }
                if let (Ty::Class(def, _), true) = (ty, found.is_empty()) {
                    found = Self::given_out_with(rx, *def, name);
                }
                let outside = rx.linearization(ty).iter().find_map(|part| match part {
                    Ty::External(n, _) | Ty::ExternalName(n) => Some(n.clone()),
                    _ => None,
                });
                match outside {
                    Some(outside) if found.is_empty() => vec![external(format!("{outside}.{name}"))],
                    None if found.is_empty() => {
                        let apparent = Self::apparent_members(rx, ty, name);
                        let of_any_name = || Self::of_any_name(rx, ty).into_iter().collect();
                        if apparent.is_empty() { of_any_name() } else { apparent }
                    }
                    _ => found,
                }
            }
            Ty::Function(def, _) => {
                let found = Self::of_class(rx, ty, *def, name);
                let found: Vec<Member> = found.into_iter().map(Member::plain).collect();
                let found = if found.is_empty() { Self::given_out_with(rx, *def, name) } else { found };
                if found.is_empty() { Self::apparent_members(rx, ty, name) } else { found }
            }
            Ty::ExternalName(own) if &**own == "arguments" => {
                let arguments = Self::global_type(rx, "IArguments", Types::default());
                arguments.map_or_else(Vec::new, |arguments| rx.inherited_members(&arguments, name))
            }
            Ty::ExternalName(global) if matches!(&**global, "globalThis" | "global") => {
                Self::globals(rx, name).iter().copied().map(Member::plain).collect()
            }
            Ty::ExternalName(module) if &**module == "module" && name == "exports" => {
                vec![Member {
                    target: Target::Module(from.id),
                    owner: Ty::Unknown,
                    confidence: Confidence::Exact,
                }]
            }
            Ty::External(..) if Self::is_operator(ty) => Self::members_of_operator(rx, from, ty, name),
            Ty::Callable { .. } | Ty::Array(_) | Ty::Tuple(_) | Ty::Literal(_) | Ty::Primitive(_) => {
                Self::members_of_builtin(rx, ty, name)
            }
            Ty::Param(param) => {
                let file = rx.file(param.file);
                let bound = file.def(param.def).ty.map(|b| rx.type_of(file, b));
                bound.map_or_else(Vec::new, |bound| {
                    bound.parts().iter().flat_map(|b| self.members(rx, from, b, name)).collect()
                })
            }
            Ty::Intersection(parts) => {
                let of = |part: &Ty| -> Vec<Member> {
                    let found = part.parts().iter().flat_map(|part| self.members(rx, from, part, name));
                    found.filter(|member| member.def().is_some()).collect()
                };
                parts.iter().map(of).find(|found| !found.is_empty()).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}
