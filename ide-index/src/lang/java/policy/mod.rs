//! How Java resolves names (JLS 6, 8, 15).
//!
//! A name that the index does not declare resolves to its qualified name, never to a declaration of the project
//! that happens to have the same name. Without the library's classes the types that flow through library calls
//! are unknown; a name behind such a value is matched by name alone, and only when one declaration fits.

pub(in crate::lang) mod builds;
mod chained;
mod lombok;
pub(in crate::lang) mod members;
mod method_refs;
mod modules;
pub(in crate::lang) mod names;
mod overloads;
mod qualified;
mod records;
pub(in crate::lang) mod tops;
mod types;
pub(in crate::lang) mod unseen;
pub(in crate::lang) mod variants;

use std::{borrow::Cow, sync::Arc};

use ide_model::{Confidence, FilePath, Language, SymbolKind};

use crate::facts::{
    BinaryOp, DefFlags, DefId, Expectation, Expr, ExprId, ImportFlags, ImportId, Literal, Ref, RefFlags,
    RefId, Role, ScopeId, ScopeKind, TypeExpr, UnaryOp,
};
use crate::lang::{kotlin, places::namespace_by_directories};
use crate::resolve::{
    FileView, Member, Place, Policy, Reason, Resolution, Resolver, Substitution, Target, Ty,
};
use crate::world::{FileId, GlobalDef};
use names::{Meaning, meaning, writing_package};
pub(in crate::lang) use qualified::{class_names, find as find_qualified};
use unseen::{by_name, open_member, open_super};

/// Java's rules.
pub(crate) struct JavaPolicy;

impl Policy for JavaPolicy {
    fn before_scopes(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolution> {
        if file.reference(reference).flags.has(RefFlags::ABSOLUTE) {
            // Class files say the whole name.
            let name = file.ref_name(reference);
            let found = names::qualified_type(rx, file, name);
            return Some(found.map_or_else(|| Resolution::external(name), Resolution::def));
        }
        let expr = file.expected_ref(reference)?;
        let Some(Expectation::Assigned(selector)) = file.expectation(expr) else { return None };
        if file.reference(reference).role != Role::Read {
            return None;
        }
        let class = rx.expr_type(file, selector).def()?;
        let view = rx.file(class.file);
        let constant = rx
            .own_members(class, file.ref_name(reference))
            .into_iter()
            .find(|def| view.def(def.def).kind == SymbolKind::EnumCase)?;
        Some(Resolution::def(constant))
    }

    fn near<'f>(&self, file: &FileView, reference: &Ref, named: &'f [DefId]) -> Cow<'f, [DefId]> {
        names::near(file, reference, named)
    }

    fn sees(&self, _rx: &Resolver, file: &FileView, reference: &Ref, def: DefId) -> bool {
        let d = file.def(def);
        let scope = file.scope(d.scope);
        let in_doc = reference.flags.has(RefFlags::IN_DOC);
        let wanted = meaning(reference.role);
        if d.kind == SymbolKind::Import {
            let is_static = d.import.is_some_and(|import| file.import(import).flags.has(ImportFlags::STATIC));
            return wanted == Meaning::Type || is_static;
        }
        if !(in_doc && d.kind == SymbolKind::TypeParameter || names::has_meaning(d.kind, wanted)) {
            return false;
        }
        let hidden_by_head = scope.kind == ScopeKind::Class
            && reference.range.start < scope.range.start
            && !in_doc
            && d.kind != SymbolKind::TypeParameter;
        if hidden_by_head {
            let is_record = scope.owner.is_some_and(|owner| file.def(owner).kind == SymbolKind::Record);
            return is_record && matches!(reference.role, Role::Type | Role::Annotation);
        }
        // The head of a loop does not see its variable: `for (var x : x.all())`.
        if reference.range.start >= d.name_range.end
            && d.range.contains(reference.range.start)
            && d.init.is_some_and(|value| matches!(file.expr(value), Expr::Element(_)))
        {
            return false;
        }
        if d.flags.has(DefFlags::MATCHED) && !in_doc {
            return file.is_bound_at(def, reference.range.start);
        }
        let in_code = matches!(scope.kind, ScopeKind::Block | ScopeKind::Function);
        let everywhere = d.kind.is_type() || d.kind == SymbolKind::TypeParameter;
        !in_code || in_doc || everywhere || d.name_range.start <= reference.range.start
    }

    fn pick_lexical(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        candidates: &[DefId],
    ) -> Option<Resolution> {
        let r = file.reference(reference);
        let scope = file.def(candidates[0]).scope;
        let owner = file.scope(scope).owner;
        match (meaning(r.role), file.scope(scope).kind) {
            (Meaning::Method, ScopeKind::Class) => {
                let this = rx.self_type(file.global(owner?));
                let members = members::members_of(rx, file, &this, file.name(r.name));
                Some(self.choose(rx, file, reference, &members))
            }
            (wanted, ScopeKind::File) => {
                let own: Vec<DefId> =
                    candidates.iter().copied().filter(|d| file.def(*d).import.is_none()).collect();
                if let Some(first) = own.first() {
                    return Some(Resolution::def(file.global(*first)));
                }
                self.pick_imported(rx, file, reference, candidates, wanted)
            }
            // The nearest declaration before the use: pattern variables may share a block.
            (Meaning::Value, _) => Some(Resolution::def(file.global(*candidates.last()?))),
            _ => Some(Resolution::def(file.global(candidates[0]))),
        }
    }

    fn lexical_members(
        &self,
        rx: &Resolver,
        file: &FileView,
        class: GlobalDef,
        reference: RefId,
    ) -> Vec<Member> {
        let Some(body) = file.def(class.def).body else { return Vec::new() };
        if names::in_head(file, reference, body) {
            return Vec::new();
        }
        let r = file.reference(reference);
        let wanted = meaning(r.role);
        let mut all = members::members_of(rx, file, &rx.self_type(class), file.name(r.name));
        all.retain(|m| {
            m.def().is_some_and(|d| names::has_meaning(rx.kind(d), wanted))
                || wanted == Meaning::Method && records::is_read_by(rx, m, file.name(r.name))
        });
        all
    }

    fn lexical_owner(&self, rx: &Resolver, file: &FileView, reference: RefId, target: GlobalDef) -> Ty {
        let Some(class) = rx.owner_class(target) else { return Ty::Unknown };
        file.scope_chain(file.reference(reference).scope)
            .filter(|scope| file.scope(*scope).kind == ScopeKind::Class)
            .filter_map(|scope| file.scope(scope).owner)
            .find_map(|owner| {
                let line = rx.linearization(&rx.self_type(file.global(owner)));
                line.iter().find(|ty| ty.def() == Some(class)).cloned()
            })
            .unwrap_or(Ty::Unknown)
    }

    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let r = file.reference(reference);
        let name = file.name(r.name);
        match meaning(r.role) {
            Meaning::Label => Resolution::unknown(Reason::NotFound),
            Meaning::Type => {
                let found = names::type_without_import(rx, file, name);
                if found.is_unknown() { names::package_head(rx, file, name) } else { found }
            }
            Meaning::Method => {
                let members = names::statically_imported(rx, file, name, true);
                if !members.is_empty() {
                    return self.choose(rx, file, reference, &members);
                }
                open_member(rx, file, r.scope, name)
            }
            Meaning::Value => {
                let mut members = names::statically_imported(rx, file, name, true);
                members.retain(|m| m.def().is_some_and(|d| names::is_variable(rx.kind(d))));
                if let Some(first) = members.first() {
                    return Resolution::exact(first.target());
                }
                if names::is_type_like(name)
                    && rx.of_world(HasKotlin::find).0
                    && let Some(facade) = names::facade_in_reach(rx, file, name)
                {
                    return Resolution::exact(Target::Module(facade));
                }
                let ty = names::lexical_type(rx, file, reference);
                if !ty.is_unknown() {
                    return ty;
                }
                let known = names::package_head(rx, file, name);
                if known.is_unknown() { open_member(rx, file, r.scope, name) } else { known }
            }
        }
    }

    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
        names::import_target(rx, file, import)
    }

    fn type_at_top(&self, rx: &Resolver, file: &FileView, name: &str) -> Option<Resolution> {
        Some(names::type_at_top(rx, file, name))
    }

    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        names::segment(rx, file, reference)
    }

    fn members(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        members::members_of(rx, from, ty, name)
    }

    fn declared_members(&self, rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let own = rx.own_members(class, name);
        if own.is_empty() { lombok::declared_members(rx, class, name) } else { own }
    }

    fn supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        members::supers(rx, class)
    }

    fn linearization(&self, rx: &Resolver, ty: &Ty) -> Vec<Ty> {
        members::linearization(rx, ty)
    }

    fn member_fallback(&self, rx: &Resolver, file: &FileView, reference: RefId, receiver: &Ty) -> Resolution {
        let name = file.ref_name(reference);
        let role = file.reference(reference).role;
        for part in receiver.parts() {
            match part {
                // The type of a field outside of the world is unknown.
                Ty::ExternalName(of) if names::is_value_like(of) => return by_name(rx, file, reference),
                Ty::External(of, _) | Ty::ExternalName(of) => {
                    return Resolution::external(format!("{of}.{name}"));
                }
                Ty::Package(of) => {
                    if let Some(facade) = kotlin::facade(rx, file, of, name) {
                        return Resolution::exact(Target::Module(facade));
                    }
                    let full = format!("{of}.{name}");
                    let is_type = names::is_type_like(name) || matches!(role, Role::New | Role::Annotation);
                    return if is_type {
                        Resolution::external(full)
                    } else {
                        Resolution::exact(Target::Package(full.into()))
                    };
                }
                Ty::Array(_) => return Resolution::external(format!("java.lang.Object.{name}")),
                Ty::Instance(..) | Ty::Class(..) => {
                    if let Some(open) = open_super(rx, part, name) {
                        return Resolution::external(format!("{open}.{name}"));
                    }
                    if let Some(implied) = part.def().and_then(|class| kotlin::made_member(rx, class, name)) {
                        return Resolution::external(implied);
                    }
                }
                Ty::Param(def) => {
                    let bound = members::bound(rx, *def);
                    if !matches!(bound, Ty::Param(_)) {
                        return self.member_fallback(rx, file, reference, &bound);
                    }
                }
                Ty::Primitive(of) => return Resolution::external(format!("{of}.{name}")),
                _ => {}
            }
        }
        if receiver.is_unknown() {
            by_name(rx, file, reference)
        } else {
            Resolution::unknown(Reason::NotFound)
        }
    }

    fn choose(&self, rx: &Resolver, file: &FileView, reference: RefId, members: &[Member]) -> Resolution {
        let r = file.reference(reference);
        let kind = |m: &Member| m.def().map(|d| rx.kind(d));
        let of = |meaning: Meaning| -> Vec<Member> {
            let fits = |m: &&Member| kind(m).is_none_or(|kind| names::has_meaning(kind, meaning));
            members.iter().filter(fits).cloned().collect()
        };
        let first = |found: &[Member]| found.first().map(|m| Resolution::of(m.target(), m.confidence));
        match meaning(r.role) {
            Meaning::Method => {
                let methods = of(Meaning::Method);
                if methods.is_empty() {
                    let found = records::component(rx, members, file.name(r.name));
                    return found.unwrap_or(Resolution::unknown(Reason::NotFound));
                }
                // A method beside an accessor takes other arguments.
                let takes_none = |m: &Member| m.def().is_none_or(|def| rx.def(def).params.is_empty());
                if r.call.is_some_and(|call| overloads::arguments(rx, file, call).is_empty())
                    && !methods.iter().any(takes_none)
                    && let Some(accessor) = records::component(rx, members, file.name(r.name))
                {
                    return accessor;
                }
                if r.flags.has(RefFlags::METHOD_REF) {
                    return self.choose_referenced(rx, file, reference, &methods);
                }
                match r.call {
                    Some(call) => {
                        overloads::choose(rx, file, &methods, &overloads::arguments(rx, file, call))
                    }
                    None => overloads::choose_any(rx, &methods),
                }
            }
            Meaning::Type => first(&of(Meaning::Type)).unwrap_or(Resolution::unknown(Reason::NotFound)),
            // Annotations of Kotlin have properties.
            Meaning::Value if r.role == Role::Key => first(&of(Meaning::Method))
                .or_else(|| first(&of(Meaning::Value)))
                .unwrap_or(Resolution::unknown(Reason::NotFound)),
            _ => first(&of(Meaning::Value))
                .or_else(|| r.flags.has(RefFlags::IN_DOC).then(|| first(&of(Meaning::Method))).flatten())
                .or_else(|| first(&of(Meaning::Type)))
                .unwrap_or(Resolution::unknown(Reason::NotFound)),
        }
    }

    fn adjust(&self, rx: &Resolver, file: &FileView, reference: RefId, resolution: Resolution) -> Resolution {
        let r = file.reference(reference);
        if r.role != Role::New {
            return resolution;
        }
        let Some(class) = resolution.defs().next() else { return resolution };
        let args = match (r.call, r.flags.has(RefFlags::METHOD_REF)) {
            (Some(call), false) => overloads::arguments(rx, file, call),
            (_, true) => match self.expected_of(rx, file, reference) {
                Some((params, _)) => params.into_iter().map(overloads::Arg::Value).collect(),
                None => {
                    return constructors(rx, class)
                        .first()
                        .map_or(resolution, |m| Resolution::of(m.target(), Confidence::Inferred));
                }
            },
            _ => return resolution,
        };
        constructor(rx, file, class, &args).unwrap_or(resolution)
    }

    fn def_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.kind == SymbolKind::EnumCase {
            return rx.owner_class(def).map_or(Ty::Unknown, Ty::instance);
        }
        match d.init.filter(|_| lombok::is_inferred(rx, file, def.def)) {
            Some(value) => rx.expr_type(file, value),
            None => rx.default_def_type(def),
        }
    }

    fn type_expr(&self, rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
        match ty {
            TypeExpr::Wildcard(None) => Some(names::lang_type(rx, file, "Object")),
            TypeExpr::Named { name, args } => types::with_open_arguments(rx, file, name, args),
            _ => None,
        }
    }

    fn expr(&self, rx: &Resolver, file: &FileView, id: ExprId, expr: Expr) -> Option<Ty> {
        match expr {
            Expr::Ref(name) if file.reference(name).flags.has(RefFlags::METHOD_REF) => {
                let result =
                    self.referenced_result(rx, file, name).or_else(|| accessed_type(rx, file, name))?;
                Some(Ty::Callable { params: crate::resolve::Types::default(), result: Arc::new(result) })
            }
            Expr::Ref(name) => {
                let r = file.reference(name);
                let receiver =
                    r.receiver.filter(|_| file.name(r.name) == "length" && r.role == Role::Read)?;
                matches!(rx.expr_type(file, receiver), Ty::Array(_)).then(|| types::primitive("int"))
            }
            Expr::Call { callee, .. } => self.special_call(rx, file, id, callee),
            Expr::New { ty, args } => types::made(rx, file, id, ty, args),
            Expr::Type(ty) => Self::array_maker(rx, file, id, ty),
            // `Outer.super` is the superclass of a class around, `Interface.super` an interface.
            Expr::Cast { ty, value } => {
                let Expr::Super(scope) = file.expr(value) else { return None };
                let class = rx.type_of(file, ty).def()?;
                let mut around = file.scope_chain(scope).filter_map(|id| file.scope(id).owner);
                around.any(|def| file.global(def) == class).then(|| members::super_class(rx, class))
            }
            Expr::Item { base, index } => {
                let record = rx.expr_type(file, base);
                let def = record.def()?;
                let view = rx.file(def.file);
                let component = view.list(view.def(def.def).params).nth(index as usize)?;
                Some(rx.def_type(view.global(component)).substitute(&rx.arguments_of(&record)))
            }
            _ => None,
        }
    }

    fn literal(&self, rx: &Resolver, file: &FileView, literal: Literal) -> Ty {
        types::primitive(match literal {
            Literal::String | Literal::Bytes => return names::lang_type(rx, file, "String"),
            Literal::Int => "int",
            Literal::Long => "long",
            Literal::Float => "double",
            Literal::SmallFloat => "float",
            Literal::Char => "char",
            Literal::Bool => "boolean",
            Literal::Null => types::NULL,
            Literal::Regex | Literal::Other => return Ty::Unknown,
        })
    }

    fn super_of(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        let Some((_, class)) = file.enclosing_class(scope) else { return Ty::Unknown };
        members::super_class(rx, file.global(class))
    }

    fn element(&self, rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
        types::element(rx, file, ty)
    }

    fn index(&self, _rx: &Resolver, _file: &FileView, base: &Ty, _index: &Ty) -> Ty {
        match base {
            Ty::Array(item) => (**item).clone(),
            _ => Ty::Unknown,
        }
    }

    fn binary(&self, rx: &Resolver, file: &FileView, op: BinaryOp, left: &Ty, right: &Ty) -> Ty {
        types::binary(rx, file, op, left, right)
    }

    fn unary(&self, rx: &Resolver, file: &FileView, op: UnaryOp, value: &Ty) -> Ty {
        match op {
            UnaryOp::Not => types::primitive("boolean"),
            UnaryOp::TypeOf => types::class_of(rx, file, value.clone().instantiate()),
            _ => types::promoted(rx, value),
        }
    }

    fn expected(&self, rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        let Some(Expectation::Argument { call, index }) = file.expectation(expr) else {
            return rx.default_expected(file, expr);
        };
        // Constructors that no name stands for: `this(…)`, `super(…)`, an enum constant.
        let class = match file.expr(call) {
            Expr::Call { callee, .. } if matches!(file.expr(callee), Expr::This(_) | Expr::Super(_)) => {
                rx.expr_type(file, callee)
            }
            Expr::New { ty, .. } if matches!(file.ty(ty), TypeExpr::This) => {
                let owner = file.initialized_by(call);
                owner.map_or(Ty::Unknown, |d| rx.def_type(file.global(d)))
            }
            _ => return rx.default_expected(file, expr),
        };
        let args = overloads::arguments(rx, file, call);
        let chosen = class.def().and_then(|def| constructor(rx, file, def, &args));
        let Some(def) = chosen.and_then(|r| r.defs().next()) else { return Ty::Unknown };
        let parameter = rx.parameter_at(def, index as usize);
        parameter.map_or(Ty::Unknown, |p| rx.def_type(p).substitute(&rx.arguments_of(&class)))
    }

    /// A call that is passed on infers its own type parameters: what the outer one has not found yet says nothing.
    fn argument_type(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        index: u32,
        argument: ExprId,
    ) -> Ty {
        let ty = rx.default_argument_type(file, call, index, argument);
        if !matches!(file.expr(argument), Expr::Call { .. } | Expr::New { .. }) {
            return ty;
        }
        let callee = rx.callee_of(file, call).unwrap_or(Ty::Unknown);
        let open = callee.parts().iter().filter_map(|part| match part {
            Ty::Function(def, _) => Some(rx.type_params(*def)),
            _ => None,
        });
        ty.forget(&open.flatten().collect::<Vec<_>>())
    }

    fn infer_more(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
        into: &mut Substitution,
    ) {
        Self::infer_from_references(rx, file, call, function, into);
    }

    /// Of what a method outside of the world gives nothing is known.
    fn call(&self, _rx: &Resolver, _file: &FileView, callee: &Ty, _call: ExprId) -> Ty {
        match callee {
            Ty::Callable { result, .. } => (**result).clone(),
            Ty::Class(..) => callee.clone().instantiate(),
            _ => Ty::Unknown,
        }
    }

    fn signature(&self, rx: &Resolver, ty: &Ty) -> Option<(Vec<Ty>, Ty)> {
        members::functional_signature(rx, ty).or_else(|| rx.default_signature(ty))
    }

    fn root_type(&self) -> Option<&'static str> {
        Some("java.lang.Object")
    }

    fn unnamed_calls(&self, rx: &Resolver, class: GlobalDef) -> Vec<(GlobalDef, GlobalDef)> {
        chained::calls(rx, class)
    }

    fn overrides(&self, rx: &Resolver, of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
        let is_written = |def| rx.language_of(def) == Language::Java && rx.kind(def) == SymbolKind::Method;
        if is_written(method) && is_written(base) {
            return members::overrides(rx, of, method, base);
        }
        kotlin::overrides_as_method(rx, of, method, base)
    }

    fn accessors(&self, rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
        accessors_of_field(rx, def).into_iter().map(Arc::from).collect()
    }

    fn same_symbol(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        variants::variants(rx, def).into_iter().chain(kotlin::other_views(rx, def)).collect()
    }

    fn renamed_with(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let mut all = rx.default_renamed_with(def);
        all.extend(records::of_component(rx, def));
        all
    }

    fn other_names(&self, rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.kind != SymbolKind::Method {
            return lombok::other_names(rx, def);
        }
        if !rx.of_world(HasKotlin::find).0 {
            return Vec::new();
        }
        kotlin::property_names(file.name(d.name)).into_iter().map(Arc::from).collect()
    }

    fn respelled(&self, written: &str, old: &str, new: &str) -> Option<String> {
        lombok::respelled(written, old, new).or_else(|| kotlin::respelled(written, old, new))
    }

    fn respelled_from(&self, rx: &Resolver, other: GlobalDef, new: &str) -> Option<String> {
        (rx.kind(other) == SymbolKind::Property)
            .then(|| kotlin::getter_after(&rx.shared_name(other), new))
            .flatten()
    }

    fn used_through(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        if !rx.kind(def).is_type() {
            return Vec::new();
        }
        constructors(rx, def).iter().filter_map(Member::def).collect()
    }

    fn collides(&self, rx: &Resolver, a: GlobalDef, b: GlobalDef) -> bool {
        let (a, b) = (rx.def(a), rx.def(b));
        // Types, methods and fields have names of their own; overloads of another arity are told apart.
        let space = |d: &crate::facts::Def| (d.kind.is_type(), d.kind.is_callable());
        space(a) == space(b) && !(a.kind.is_callable() && a.params.len != b.params.len)
    }

    fn implied_packages(&self) -> &'static [&'static str] {
        &["java.lang"]
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

    fn names_its_file(&self, rx: &Resolver, def: GlobalDef) -> bool {
        let d = rx.def(def);
        d.scope.0 == 0 && d.kind.is_type()
    }

    fn calls_fields(&self) -> bool {
        false
    }

    fn may_override_unseen(&self, rx: &Resolver, def: GlobalDef) -> bool {
        let d = rx.def(def);
        let is_overriding = d.kind == SymbolKind::Method && !d.flags.has(DefFlags::STATIC);
        is_overriding && rx.has_unseen_supertype(def)
    }

    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        let is_nameless = d.flags.has(DefFlags::ANONYMOUS) && !d.flags.has(DefFlags::COMPANION);
        if d.flags.has(DefFlags::LOCAL) || is_nameless {
            return None;
        }
        let mut path = String::from(file.name(d.name));
        let mut is_member = !d.kind.is_type();
        let mut scope = d.scope;
        while let Some(owner) = file.enclosing_def(scope) {
            let separator = if is_member { '#' } else { '.' };
            path = format!("{}{separator}{path}", file.def_name(owner));
            is_member = false;
            scope = file.def(owner).scope;
        }
        let package = file.package.map(|p| file.name(p)).filter(|p| !p.is_empty());
        Some(package.map_or(path.clone(), |package| format!("{package}.{path}")))
    }

    fn makers(&self, rx: &Resolver, name: &str) -> Vec<GlobalDef> {
        kotlin::makers(rx, name)
    }

    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        qualified::find(rx, Language::Java, name)
    }
}

impl JavaPolicy {
    fn pick_imported(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        imports: &[DefId],
        wanted: Meaning,
    ) -> Option<Resolution> {
        if wanted == Meaning::Type {
            let def = imports.iter().map(|d| Resolution::def(file.global(*d)));
            let types = def.map(|r| rx.through_imports(r)).find(|r| {
                r.targets.iter().any(|t| match t {
                    Target::Def(d) => rx.kind(*d).is_type(),
                    _ => true,
                })
            });
            return types.map(|mut r| {
                r.targets.retain(|t| match t {
                    Target::Def(d) => rx.kind(*d).is_type(),
                    _ => true,
                });
                r
            });
        }
        let name = file.ref_name(reference);
        let mut members = names::statically_imported(rx, file, name, false);
        members.retain(|m| records::is_imported_as(rx, m, wanted, name));
        if members.is_empty() { None } else { Some(self.choose(rx, file, reference, &members)) }
    }

    /// Parameters and result that are expected of a method or constructor reference.
    fn expected_of(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<(Vec<Ty>, Ty)> {
        let expr = file.expected_ref(reference)?;
        rx.signature(file, &self.expected(rx, file, expr))
    }

    fn choose_referenced(
        &self,
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        methods: &[Member],
    ) -> Resolution {
        if methods.len() == 1 {
            return Resolution::of(methods[0].target(), methods[0].confidence);
        }
        let receiver = file.reference(reference).receiver.map_or(Ty::Unknown, |e| rx.expr_type(file, e));
        let expected = self.expected_of(rx, file, reference);
        overloads::choose_referenced(rx, file, methods, &receiver, expected)
    }

    /// Calls whose value the declaration alone does not tell.
    fn special_call(&self, rx: &Resolver, file: &FileView, call: ExprId, callee: ExprId) -> Option<Ty> {
        let name = rx.expr_ref(file, callee)?;
        let r = file.reference(name);
        let receiver = || r.receiver.map(|e| rx.expr_type(file, e));
        match file.name(r.name) {
            "getClass" if types::is_bare(file, call) => {
                let this = receiver().unwrap_or_else(|| rx.enclosing_instance(file, r.scope));
                return Some(types::class_of(rx, file, this));
            }
            "clone" => {
                if let Some(array @ Ty::Array(_)) = receiver() {
                    return Some(array);
                }
            }
            "values" | "valueOf" => {
                let class = match receiver() {
                    Some(Ty::Class(def, _)) => Some(def),
                    Some(_) => None,
                    None => file.enclosing_class(r.scope).map(|(_, class)| file.global(class)),
                };
                let class = class.filter(|c| rx.kind(*c) == SymbolKind::Enum);
                if let Some(class) = class.filter(|c| rx.own_members(*c, file.name(r.name)).is_empty()) {
                    let constant = Ty::instance(class);
                    let is_array = file.name(r.name) == "values";
                    return Some(if is_array { Ty::Array(Arc::new(constant)) } else { constant });
                }
            }
            _ => {}
        }
        let Expr::Call { .. } = file.expr(call) else { return None };
        accessed_type(rx, file, name)
    }
}

/// The type of a method that is not written, but stands for a record component, a property of Kotlin, or a member
/// that Lombok generates.
fn accessed_type(rx: &Resolver, file: &FileView, method: RefId) -> Option<Ty> {
    let resolved = rx.resolve(file.global_ref(method));
    let Some(def) = resolved.resolution.defs().next() else {
        let receiver = rx.expr_type(file, file.reference(method).receiver?);
        return kotlin::made_by_data_class(rx, file, &receiver, file.ref_name(method));
    };
    if let Some(ty) = kotlin::extension_call_type(rx, file, method, def) {
        return Some(ty);
    }
    if let Some(ty) = lombok::call_type(rx, file.ref_name(method), &resolved) {
        return Some(ty);
    }
    let view = rx.file(def.file);
    let is_component =
        view.def(def.def).flags.has(DefFlags::PROMOTED) || view.def(def.def).kind == SymbolKind::Property;
    is_component.then(|| rx.def_type(def).substitute(&rx.arguments_of(&resolved.owner)))
}

/// The methods that a component of a record or a field of Lombok has made for it.
pub(in crate::lang) fn accessors_of_field(rx: &Resolver, def: GlobalDef) -> Vec<String> {
    let file = rx.file(def.file);
    if file.def(def.def).kind != SymbolKind::Field || file.language() != Language::Java {
        return Vec::new();
    }
    if file.has_flag(def.def, DefFlags::PROMOTED) {
        return vec![file.def_name(def.def).to_owned()];
    }
    lombok::accessors(rx, file, def.def)
}

/// The constructors that a class declares.
fn constructors(rx: &Resolver, class: GlobalDef) -> Vec<Member> {
    let file = rx.file(class.file);
    let owner = rx.self_type(class);
    rx.own_members(class, file.def_name(class.def))
        .into_iter()
        .filter(|def| file.def(def.def).kind == SymbolKind::Constructor)
        .map(|def| Member { target: Target::Def(def), owner: owner.clone(), confidence: Confidence::Exact })
        .collect()
}

/// The constructor that takes some arguments; `None` when the class declares none that could.
fn constructor(
    rx: &Resolver,
    file: &FileView,
    class: GlobalDef,
    args: &[overloads::Arg],
) -> Option<Resolution> {
    let mut all = constructors(rx, class);
    let view = rx.file(class.file);
    if view.def(class.def).kind == SymbolKind::Record {
        let canonical = view.def(class.def).params.len as usize;
        let takes = |m: &Member| m.def().is_some_and(|d| view.def(d.def).params.len as usize == args.len());
        // A compact constructor has the components for parameters.
        let compact =
            all.iter().find(|m| m.def().is_some_and(|d| view.has_flag(d.def, DefFlags::VALUE))).cloned();
        if args.len() == canonical && compact.is_some() {
            return compact.map(|m| Resolution::exact(m.target()));
        }
        if args.len() == canonical && !all.iter().any(takes) {
            return None;
        }
        all.retain(|m| m.def().is_some_and(|d| !view.has_flag(d.def, DefFlags::VALUE)));
    }
    (!all.is_empty()).then(|| overloads::choose(rx, file, &all, args))
}

/// Whether anything in the project reads Java's accessors as properties.
struct HasKotlin(bool);

impl HasKotlin {
    fn find(rx: &Resolver) -> Self {
        let mut files = (0..rx.world().file_count()).map(|id| rx.world().file(FileId(id)).language);
        Self(files.any(|language| language == Some(Language::Kotlin)))
    }
}
