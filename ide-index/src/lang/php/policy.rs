//! PHP's rules: namespaces and `use`, members by `::` and `->`, variables by their last assignment.

use std::sync::Arc;

use ide_model::{Confidence, Family, FilePath, SymbolKind, Visibility};

use super::arrays;
use super::autoload;
use super::doc_types;
use super::flow;
use super::lookup::Meaning;
use crate::facts::{
    Collection, DefFlags, DefId, Expr, ExprId, ImportFlags, ImportId, Literal, Ref, RefFlags, RefId, Role,
    ScopeId, ScopeKind, SuperKind, TypeExpr, TypeId,
};
use crate::query::definition::At;
use crate::resolve::{
    FileView, GivenName, Member, Place, Policy, Reason, Resolution, Resolved, Resolver, Target, Ty,
};
use crate::world::{FileId, GlobalDef};

pub(crate) struct PhpPolicy;

/// Candidates of an unknown receiver: more say nothing.
const MAX_BY_NAME: usize = 3;

/// Files that assign a global variable, of those that are asked what it holds.
const MAX_GLOBALS: usize = 8;

impl PhpPolicy {
    /// Whether a reference reads or writes a variable.
    pub(super) fn is_variable(reference: &Ref) -> bool {
        Meaning::of(reference) == Meaning::Variable
    }

    /// The type that a class assigns to a property without a declared type.
    fn assigned_property(rx: &Resolver, property: GlobalDef) -> Ty {
        let file = rx.file(property.file);
        let name = file.def(property.def).name;
        let is_it = |target: ExprId| match file.expr(target) {
            Expr::Ref(r) => {
                let r = file.reference(r);
                r.name == name && r.receiver.is_some_and(|e| matches!(file.expr(e), Expr::This(_)))
            }
            _ => false,
        };
        Ty::union(file.assigns.iter().filter_map(|assign| {
            match file.expr(assign.target) {
                Expr::Index { base, .. } if is_it(base) => {
                    Some(Ty::Array(Arc::new(rx.expr_type(file, assign.value))))
                        .filter(|ty| *ty != Ty::Array(Arc::new(Ty::Unknown)))
                }
                _ if is_it(assign.target) => Some(rx.expr_type(file, assign.value)),
                _ => None,
            }
        }))
    }

    /// The result type of a method of a value, when the method exists and declares it.
    fn call_result(rx: &Resolver, file: &FileView, ty: &Ty, method: &str) -> Option<Ty> {
        let member = PhpPolicy.members(rx, file, ty, method).into_iter().find_map(|m| {
            let def = m.def().filter(|def| rx.def(*def).kind.is_callable())?;
            Some((def, m.owner))
        })?;
        let ty = rx.return_type(member.0).substitute(&rx.arguments_of(&member.1));
        (!ty.is_unknown()).then_some(ty)
    }

    /// The result type of a method whose declared result, or a part of it, is `static`, `self` or `$this`: the
    /// receiver's own type.
    fn of_receiver(rx: &Resolver, method: GlobalDef, receiver: &Ty) -> Option<Ty> {
        let file = rx.file(method.file);
        let d = file.def(method.def);
        if let Some(ty) = d.ty {
            return Self::with_receiver(rx, file, ty, receiver);
        }
        let mut returns = file.list(d.returns).peekable();
        let is_receiver =
            returns.peek().is_some() && returns.all(|value| matches!(file.expr(value), Expr::This(_)));
        is_receiver.then(|| receiver.clone())
    }

    fn with_receiver(rx: &Resolver, file: &FileView, ty: TypeId, receiver: &Ty) -> Option<Ty> {
        match file.ty(ty) {
            TypeExpr::TypeOf(value) => matches!(file.expr(value), Expr::This(_)).then(|| receiver.clone()),
            TypeExpr::Nullable(inner) => Self::with_receiver(rx, file, inner, receiver),
            TypeExpr::Array(item) => {
                Self::with_receiver(rx, file, item, receiver).map(|item| Ty::Array(Arc::new(item)))
            }
            TypeExpr::Union(parts) => {
                let with = |part| Self::with_receiver(rx, file, part, receiver);
                file.list(parts).find_map(with)?;
                let other = |part| rx.type_of(file, part).substitute(&rx.arguments_of(receiver));
                Some(Ty::union(file.list(parts).map(|part| with(part).unwrap_or_else(|| other(part)))))
            }
            _ => None,
        }
    }

    /// A property that a class only assigns is the one that a class above it declares, or assigns first; where a class is
    /// above that is not known, nobody can tell.
    fn declared(rx: &Resolver, ty: &Ty, name: &str, found: Vec<Member>) -> Vec<Member> {
        let is_assigned = |def: GlobalDef| rx.def(def).flags.has(DefFlags::ATTRIBUTE);
        if !found.iter().filter_map(Member::def).any(is_assigned) {
            return found;
        }
        let line = rx.linearization(ty);
        let all = line.iter().filter_map(|owner| {
            let own = rx.own_members(owner.def()?, name).into_iter();
            let def = own.into_iter().find(|def| rx.def(*def).kind == SymbolKind::Property)?;
            Some(Member { target: Target::Def(def), owner: owner.clone(), confidence: Confidence::Exact })
        });
        let all: Vec<Member> = all.collect();
        let declared = all.iter().find(|m| m.def().is_some_and(|def| !is_assigned(def)));
        let property = match declared {
            None if Self::leads_outside(rx, ty).is_some() => None,
            declared => declared.or(all.last()).cloned(),
        };
        let others = found.into_iter().filter(|m| !m.def().is_some_and(is_assigned));
        others.chain(property).collect()
    }

    /// A name that a class gives to the method of a trait means that method.
    fn aliased(rx: &Resolver, mut found: Vec<Member>) -> Vec<Member> {
        for member in &mut found {
            let Some(alias) = member.def() else { continue };
            let file = rx.file(alias.file);
            let d = file.def(alias.def);
            let method = d.init.filter(|_| d.kind == SymbolKind::Method).map(|method| file.expr(method));
            if let Some(Expr::Ref(method)) = method {
                let resolved = rx.resolve(file.global_ref(method));
                if let Some(target) = resolved.resolution.targets.first() {
                    *member = Member { target: target.clone(), owner: resolved.owner, ..member.clone() };
                }
            }
        }
        found
    }

    /// A method that a trait only asks for is the one that a class above has.
    fn implemented(rx: &Resolver, ty: &Ty, name: &str, found: Vec<Member>) -> Vec<Member> {
        let is_asked_for = |def: GlobalDef| {
            rx.def(def).flags.has(DefFlags::ABSTRACT)
                && rx.owner_class(def).is_some_and(|owner| rx.def(owner).kind == SymbolKind::Trait)
        };
        if !found.first().and_then(Member::def).is_some_and(is_asked_for) {
            return found;
        }
        let above = rx.linearization(ty).iter().find_map(|owner| {
            let has_body = |def: &GlobalDef| {
                rx.def(*def).kind.is_callable() && !rx.def(*def).flags.has(DefFlags::ABSTRACT)
            };
            let class = owner.def().filter(|class| rx.def(*class).kind.is_type())?;
            let def = rx.own_members(class, name).into_iter().find(has_body)?;
            Some(Member { target: Target::Def(def), owner: owner.clone(), confidence: Confidence::Exact })
        });
        above.map_or(found, |above| vec![above])
    }

    /// The type of a global variable that a function uses: the types that files assign to it.
    fn global_variable(rx: &Resolver, name: &str) -> Ty {
        let declared = rx.world().declarations(name).into_iter();
        let outside = declared.filter(|site| {
            site.kind == SymbolKind::Variable
                && !site.flags.has(DefFlags::LOCAL)
                && rx.language_of(site.at).family() == Family::Php
        });
        Ty::union(outside.take(MAX_GLOBALS).map(|site| {
            let file = rx.file(site.at.file);
            let assigned = file.assigns.iter().filter(|assign| match file.expr(assign.target) {
                Expr::Ref(target) => {
                    let r = file.reference(target);
                    r.receiver.is_none()
                        && file.name(r.name) == name
                        && file.enclosing_function(r.scope).is_none()
                }
                _ => false,
            });
            let assigned = assigned.map(|assign| rx.expr_type(file, assign.value));
            Ty::union(std::iter::once(rx.def_type(site.at)).chain(assigned))
        }))
    }

    fn leads_outside(rx: &Resolver, ty: &Ty) -> Option<Arc<str>> {
        rx.linearization(ty).iter().find_map(|part| match part {
            Ty::External(name, _) | Ty::ExternalName(name) => Some(name.clone()),
            _ => None,
        })
    }
}

impl Policy for PhpPolicy {
    fn reference(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolved> {
        let r = file.reference(reference);
        let is_named = r.role == Role::Read && r.flags.has(RefFlags::IN_STRING | RefFlags::METHOD_REF);
        is_named
            .then(|| Resolved { resolution: Self::named_in_text(rx, file, reference), owner: Ty::Unknown })
    }

    fn calls_fields(&self) -> bool {
        false
    }

    fn enters_scope(&self, file: &FileView, reference: &Ref, scope: ScopeId, crossed: bool) -> bool {
        if reference.flags.has(RefFlags::ABSOLUTE) {
            return false;
        }
        if Meaning::of(reference) == Meaning::Variable && crossed {
            // Only closures see the variables around them.
            return file
                .scope_chain(reference.scope)
                .take_while(|id| *id != scope)
                .filter(|id| file.scope(*id).kind == ScopeKind::Function)
                .all(|id| file.scope(id).owner.is_none_or(|def| file.has_flag(def, DefFlags::ANONYMOUS)));
        }
        true
    }

    fn sees(&self, _rx: &Resolver, file: &FileView, reference: &Ref, def: DefId) -> bool {
        let d = file.def(def);
        let meaning = Meaning::of(reference);
        match d.kind {
            SymbolKind::Variable | SymbolKind::Parameter => meaning == Meaning::Variable,
            SymbolKind::TypeParameter => meaning == Meaning::Class,
            SymbolKind::TypeAlias => meaning == Meaning::Class && reference.flags.has(RefFlags::IN_DOC),
            SymbolKind::Label => reference.role == Role::Label,
            SymbolKind::Import => {
                let flags = d.import.map_or(ImportFlags::NONE, |i| file.import(i).flags);
                // The import of a class may be one of a namespace, which longer names begin with.
                let is_class = Meaning::of_import(flags) == Meaning::Class;
                let is_head = meaning == Meaning::Namespace && reference.role == Role::Package && is_class;
                (meaning == Meaning::of_import(flags) || is_head) && !reference.flags.has(RefFlags::RELATIVE)
            }
            _ => false,
        }
    }

    fn pick_lexical(
        &self,
        _rx: &Resolver,
        file: &FileView,
        _reference: RefId,
        candidates: &[DefId],
    ) -> Option<Resolution> {
        candidates.first().map(|d| Resolution::def(file.global(*d)))
    }

    /// The declaration of the parameter that a named argument names.
    /// Calls in other files may name parameters.
    fn only_in(&self, rx: &Resolver, def: GlobalDef) -> Option<Vec<FileId>> {
        if rx.def(def).kind == SymbolKind::Parameter { None } else { self.default_only_in(rx, def) }
    }

    fn keyword(&self, rx: &Resolver, file: &FileView, key: RefId) -> Resolution {
        let Some(call) = file.reference(key).call else { return Resolution::unknown(Reason::NotFound) };
        let function = match file.expr(call) {
            Expr::New { ty, .. } => {
                let ty = rx.type_of(file, ty);
                PhpPolicy.members(rx, file, &ty, "__construct").first().and_then(Member::def)
            }
            _ => rx.callee_of(file, call).and_then(|ty| ty.def()),
        };
        let Some(function) = function else { return Resolution::unknown(Reason::UnknownReceiver) };
        let home = rx.file(function.file);
        let name = file.ref_name(key);
        let param = home.list(home.def(function.def).params).find(|p| home.def_name(*p) == name);
        param.map_or(Resolution::unknown(Reason::NotFound), |p| Resolution::def(home.global(p)))
    }

    fn implicit(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let r = file.reference(reference);
        let name = file.ref_name(reference);
        let meaning = Meaning::of(r);
        if meaning == Meaning::Variable {
            return Resolution::unknown(Reason::NotFound);
        }
        let namespace = if r.flags.has(RefFlags::ABSOLUTE) { "" } else { Self::namespace(file, r.scope) };
        if let Some(def) = Self::find(rx, namespace, name, meaning) {
            return Resolution::def(def);
        }
        let is_relative = r.flags.has(RefFlags::RELATIVE);
        let falls_back = matches!(meaning, Meaning::Function | Meaning::Constant) && !is_relative;
        if falls_back && let Some(def) = Self::find(rx, "", name, meaning) {
            return Resolution::def(def);
        }
        if meaning.ignores_case() {
            let is_bare = !r.flags.has(RefFlags::ABSOLUTE) && !is_relative;
            if is_bare && let Some(imported) = Self::imported_in_any_case(rx, file, name, meaning) {
                return imported;
            }
            let of = |namespace| Self::find_in_any_case(rx, namespace, name, meaning);
            if let Some(def) = of(namespace).or_else(|| falls_back.then(|| of("")).flatten()) {
                return Resolution::def(def);
            }
        }
        Resolution::external(if falls_back { name.to_owned() } else { Self::qualified(namespace, name) })
    }

    fn import(&self, rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
        let import = file.import(import);
        let Some(member) = import.member else { return Resolution::unknown(Reason::NotFound) };
        let name = Self::qualified(file.name(import.module), file.ref_name(member));
        let meaning = Meaning::of_import(import.flags);
        if let Some(def) = Self::find_qualified(rx, &name, meaning) {
            return Resolution::def(def);
        }
        if meaning == Meaning::Class && Self::has_namespace(rx, &name) && Self::is_qualifier(file, import) {
            return Resolution::exact(Target::Package(name.into()));
        }
        Resolution::external(name)
    }

    fn import_segment(&self, rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
        let r = file.reference(reference);
        if r.role == Role::Import {
            return match file.import_by_member(reference) {
                Some(import) => self.import(rx, file, import),
                None => Resolution::exact(Target::Package(Self::chain(file, reference).into())),
            };
        }
        // A namespace at the head of a longer name.
        let name = file.ref_name(reference);
        if let Some(receiver) = r.receiver {
            return match rx.expr_type(file, receiver) {
                Ty::Package(outer) => Resolution::exact(Target::Package(format!("{outer}\\{name}").into())),
                _ => Resolution::unknown(Reason::UnknownReceiver),
            };
        }
        if r.flags.has(RefFlags::ABSOLUTE) {
            return Resolution::exact(Target::Package(name.into()));
        }
        let is_relative = r.flags.has(RefFlags::RELATIVE);
        let alias = || Self::imported_in_any_case(rx, file, name, Meaning::Class);
        if let Some(alias) = (!is_relative).then(alias).flatten().and_then(|a| Self::as_namespace(rx, &a)) {
            return alias;
        }
        let namespace = Self::namespace(file, r.scope);
        Resolution::exact(Target::Package(Self::qualified(namespace, name).into()))
    }

    fn members(&self, rx: &Resolver, _from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        if let Ty::Package(namespace) = ty {
            let found: Vec<Member> = [Meaning::Class, Meaning::Function, Meaning::Constant]
                .into_iter()
                .filter_map(|meaning| Self::find_somehow(rx, namespace, name, meaning))
                .map(Member::plain)
                .collect();
            if found.is_empty() {
                return vec![external_member(Self::qualified(namespace, name), Confidence::Exact)];
            }
            return found;
        }
        let ty = match ty {
            Ty::Param(param) => {
                let file = rx.file(param.file);
                file.def(param.def).ty.map_or(Ty::Unknown, |bound| rx.type_of(file, bound))
            }
            other => other.clone(),
        };
        let mut found = rx.inherited_members(&ty, name);
        if found.is_empty() && ty.def().is_some() {
            let is_method = |m: &Member| m.def().is_some_and(|def| rx.def(def).kind.is_callable());
            let spellings = rx.world().spellings(name).into_iter();
            found = spellings.flat_map(|name| rx.inherited_members(&ty, &name)).filter(is_method).collect();
        }
        found = Self::declared(rx, &ty, name, found);
        if found.is_empty()
            && let Some(outside) = Self::leads_outside(rx, &ty)
        {
            return vec![external_member(format!("{outside}::{name}"), Confidence::Inferred)];
        }
        Self::implemented(rx, &ty, name, Self::aliased(rx, found))
    }

    /// The parent class, which stands behind the traits in look-up.
    fn super_of(&self, rx: &Resolver, file: &FileView, scope: ScopeId) -> Ty {
        let Some((_, class)) = file.enclosing_class(scope) else { return Ty::Unknown };
        let parent = file.list(file.def(class).supers).find(|edge| edge.kind == SuperKind::Extends);
        parent.map_or(Ty::Unknown, |edge| rx.type_of(file, edge.ty))
    }

    /// Traits come before the parent class, interfaces last.
    fn supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        let file = rx.file(class.file);
        let mut edges: Vec<_> = file.list(file.def(class.def).supers).collect();
        edges.sort_by_key(|edge| match edge.kind {
            SuperKind::Mixes | SuperKind::Other => 0,
            SuperKind::Extends => 1,
            _ => 2,
        });
        let is_enum = file.def(class.def).kind == SymbolKind::Enum;
        let of_enums = is_enum.then(|| Self::find(rx, "", "BackedEnum", Meaning::Class)).flatten();
        let written = edges.into_iter().map(|edge| rx.type_of(file, edge.ty));
        written.chain(of_enums.map(Ty::instance)).collect()
    }

    fn choose(&self, rx: &Resolver, file: &FileView, reference: RefId, members: &[Member]) -> Resolution {
        let r = file.reference(reference);
        // `use A, B { m as n; }` names methods.
        let in_trait_rule = r.receiver.is_some_and(|e| matches!(file.expr(e), Expr::Type(_)));
        let kind = |m: &&Member| m.def().map(|def| rx.def(def).kind);
        let fits = |m: &&Member| match kind(m) {
            None => true,
            Some(kind) if kind.is_type() => Meaning::of(r) == Meaning::Class,
            Some(kind) => kind.is_callable() == (r.role == Role::Call || in_trait_rule),
        };
        // A declared member goes before one that may be in a library.
        let known = members.iter().find(|m| m.def().is_some() && fits(m));
        match known.or_else(|| members.iter().find(fits)) {
            Some(member) => Resolution::of(member.target(), member.confidence),
            // A property that holds a closure, a method named without being called.
            None => Resolution::unknown(Reason::NotFound),
        }
    }

    fn member_fallback(&self, rx: &Resolver, file: &FileView, reference: RefId, receiver: &Ty) -> Resolution {
        if !doc_types::says_little(receiver) {
            return Resolution::unknown(Reason::NotFound);
        }
        let is_call = file.reference(reference).role == Role::Call;
        rx.by_name_only(file, reference, MAX_BY_NAME, |site| {
            let is_private =
                || rx.file(site.at.file).def(site.at.def).visibility == Some(Visibility::Private);
            site.kind.is_callable() == is_call && !is_private() && rx.owner_class(site.at).is_some()
        })
    }

    fn type_expr(&self, rx: &Resolver, file: &FileView, ty: TypeExpr) -> Option<Ty> {
        match ty {
            TypeExpr::Projection { base, name, .. } => Some(doc_types::of_class(rx, file, base, name)),
            // The item type of a plain array is unknown; `null` adds nothing.
            TypeExpr::Primitive(_) => Some(Ty::Unknown),
            _ => None,
        }
    }

    fn expr(&self, rx: &Resolver, file: &FileView, id: ExprId, expr: Expr) -> Option<Ty> {
        match expr {
            Expr::Ref(reference) => flow::value_at(rx, file, reference),
            Expr::Call { callee, args, .. } => {
                let Expr::Ref(method) = file.expr(callee) else { return None };
                if file.reference(method).receiver.is_none() {
                    return arrays::call(rx, file, method, args);
                }
                let receiver = file.reference(method).receiver?;
                let resolved = rx.resolve(file.global_ref(method));
                let def = resolved.resolution.defs().next()?;
                Self::of_receiver(rx, def, &rx.expr_type(file, receiver).instantiate())
            }
            Expr::Collection { kind: Collection::Map, items } => {
                let values = file.list(items).skip(1).step_by(2);
                let item = Ty::union(values.map(|v| rx.expr_type(file, v)));
                Some(if item.is_unknown() { Ty::Unknown } else { Ty::Array(Arc::new(item)) })
            }
            Expr::Item { base, .. } if matches!(file.expr(base), Expr::Spread(_)) => Some(Ty::Unknown),
            Expr::Item { base, index } => arrays::part(&rx.expr_type(file, base), &index.to_string()),
            Expr::Index { base, index } => flow::item_at(rx, file, id).or_else(|| match file.expr(index) {
                Expr::Text(key) => arrays::part(&rx.expr_type(file, base), file.name(key)),
                _ => None,
            }),
            // `A::class`.
            Expr::Spread(value) => match rx.expr_type(file, value) {
                Ty::Instance(def, args) => Some(Ty::Class(def, args)),
                other => Some(other),
            },
            _ => None,
        }
    }

    /// The result of a function that is not in the world may be anything, of the project too: an object of the class
    /// that it is handed, where it is handed one (`app(X::class)`).
    fn call(&self, rx: &Resolver, file: &FileView, callee: &Ty, call: ExprId) -> Ty {
        match callee {
            Ty::Callable { result, .. } => (**result).clone(),
            Ty::Class(..) => callee.clone().instantiate(),
            Ty::ExternalName(_) => {
                let Expr::Call { args, .. } = file.expr(call) else { return Ty::Unknown };
                let mut handed = file.list(args).filter(|arg| matches!(file.expr(*arg), Expr::Spread(_)));
                let class = handed.find_map(|arg| match rx.expr_type(file, arg) {
                    class @ Ty::Class(..) => Some(class.instantiate()),
                    _ => None,
                });
                class.unwrap_or(Ty::Unknown)
            }
            _ => Ty::Unknown,
        }
    }

    fn def_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let ty = rx.default_def_type(def);
        let d = rx.def(def);
        if d.flags.has(DefFlags::VARARG) {
            return Ty::Array(Arc::new(ty));
        }
        let untyped = doc_types::says_little(&ty);
        match d.kind {
            SymbolKind::Parameter if untyped && doc_types::is_open(rx.file(def.file), d.ty) => {
                let inherited = doc_types::of_parameter(rx, def);
                if inherited.is_unknown() { ty } else { inherited }
            }
            SymbolKind::Property if untyped => {
                let assigned = Self::assigned_property(rx, def);
                if assigned.is_unknown() { ty } else { assigned }
            }
            SymbolKind::Variable if untyped && d.flags.has(DefFlags::HOISTED) => {
                Self::global_variable(rx, rx.def_name(def))
            }
            SymbolKind::EnumCase => rx.owner_class(def).map_or(Ty::Unknown, Ty::instance),
            _ => ty,
        }
    }

    fn return_type(&self, rx: &Resolver, def: GlobalDef) -> Ty {
        let ty = rx.default_return_type(def);
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.ty.is_none() && d.flags.has(DefFlags::GENERATOR) {
            return Ty::Unknown;
        }
        if doc_types::says_little(&ty) && doc_types::is_open(file, d.ty) {
            let inherited = doc_types::inherited(rx, def, &|base| rx.return_type(base));
            return if inherited.is_unknown() { ty } else { inherited };
        }
        ty
    }

    fn expected(&self, rx: &Resolver, file: &FileView, expr: ExprId) -> Ty {
        arrays::callback(rx, file, expr).unwrap_or_else(|| rx.default_expected(file, expr))
    }

    fn operators(&self, rx: &Resolver, from: &FileView, ty: &Ty, name: &str) -> Vec<Member> {
        match ty {
            Ty::Class(..) if name != "__callStatic" => Vec::new(),
            Ty::Function(..) => Vec::new(),
            _ => self.members(rx, from, ty, name),
        }
    }

    fn literal(&self, _rx: &Resolver, _file: &FileView, _literal: Literal) -> Ty {
        Ty::Unknown
    }

    fn element(&self, rx: &Resolver, file: &FileView, ty: &Ty) -> Ty {
        match ty {
            Ty::Instance(..) => arrays::iterated(rx, ty)
                .or_else(|| Self::call_result(rx, file, ty, "current"))
                .or_else(|| {
                    let iterator = Self::call_result(rx, file, ty, "getIterator")?;
                    Some(Ty::union(iterator.parts().iter().map(|part| match part {
                        Ty::Array(item) => (**item).clone(),
                        other => Self::call_result(rx, file, other, "current").unwrap_or(Ty::Unknown),
                    })))
                })
                .unwrap_or(Ty::Unknown),
            _ => arrays::item(rx, file, ty),
        }
    }

    fn index(&self, rx: &Resolver, file: &FileView, base: &Ty, _index: &Ty) -> Ty {
        Ty::union(base.parts().iter().map(|part| match part {
            Ty::Instance(..) => Self::call_result(rx, file, part, "offsetGet").unwrap_or(Ty::Unknown),
            _ => arrays::item(rx, file, part),
        }))
    }

    /// A promoted parameter is a property too.
    fn same_symbol(&self, rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if !matches!(d.kind, SymbolKind::Parameter | SymbolKind::Property) {
            return vec![def];
        }
        let twins = file
            .def_ids()
            .filter(|id| file.def(*id).name_range == d.name_range && file.def(*id).name == d.name);
        twins.map(|id| file.global(id)).collect()
    }

    fn ignores_case(&self, rx: &Resolver, def: GlobalDef) -> bool {
        let kind = rx.def(def).kind;
        kind.is_type() || kind.is_callable()
    }

    fn respelled(&self, written: &str, old: &str, new: &str) -> Option<String> {
        written.eq_ignore_ascii_case(old).then(|| new.to_owned())
    }

    fn is_written_in_any_case(&self, reference: &Ref) -> bool {
        use Role::*;
        matches!(reference.role, Call | Type | Extends | Implements | New | Annotation | Import | Package)
    }

    /// A property that is assigned here may be declared elsewhere, or by a class that is not known.
    fn declared_as(&self, rx: &Resolver, def: GlobalDef) -> Resolution {
        let class = rx.owner_class(def).filter(|_| rx.def(def).flags.has(DefFlags::ATTRIBUTE));
        let found =
            class.map(|class| self.members(rx, rx.file(def.file), &Ty::instance(class), rx.def_name(def)));
        let is_property = |def: GlobalDef| rx.def(def).kind == SymbolKind::Property;
        let declared = found.into_iter().flatten().find(|m| m.def().is_none_or(is_property));
        declared.map_or(Resolution::def(def), |m| Resolution::of(m.target(), m.confidence))
    }

    /// The names that classes give to the method of a trait.
    fn other_names(&self, rx: &Resolver, def: GlobalDef) -> Vec<Arc<str>> {
        let is_of_trait = rx.def(def).kind == SymbolKind::Method
            && rx.owner_class(def).is_some_and(|owner| rx.def(owner).kind == SymbolKind::Trait);
        if !is_of_trait {
            return Vec::new();
        }
        let name = rx.def_name(def);
        let mut names = Vec::new();
        for id in rx.world().files_mentioning(name) {
            let file = rx.file(id);
            let aliases = file.def_ids().filter(|alias| {
                let d = file.def(*alias);
                let of = d.init.filter(|_| d.kind == SymbolKind::Method).map(|method| file.expr(method));
                matches!(of, Some(Expr::Ref(of)) if file.ref_name(of) == &*name
                    && rx.resolve(file.global_ref(of)).resolution.defs().any(|d| d == def))
            });
            names.extend(aliases.map(|alias| Arc::from(file.def_name(alias))));
        }
        names
    }

    fn overrides(&self, rx: &Resolver, _of: GlobalDef, method: GlobalDef, base: GlobalDef) -> bool {
        rx.def(method).kind.is_callable() == rx.def(base).kind.is_callable()
            && rx.def(base).visibility != Some(Visibility::Private)
    }

    /// A documented mixin answers calls without being a supertype.
    fn shown_supers(&self, rx: &Resolver, class: GlobalDef) -> Vec<Ty> {
        let file = rx.file(class.file);
        let mixed = file.list(file.def(class.def).supers).filter(|edge| edge.kind == SuperKind::Other);
        let mixed: Vec<Ty> = mixed.map(|edge| rx.type_of(file, edge.ty)).collect();
        rx.supers(class).iter().filter(|ty| !mixed.contains(ty)).cloned().collect()
    }

    /// Methods are the same in whatever case they are written.
    fn declared_members(&self, rx: &Resolver, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let mut found = rx.own_members(class, name);
        for other in rx.world().spellings(name) {
            let own = rx.own_members(class, &other).into_iter();
            found.extend(own.filter(|def| rx.def(*def).kind == SymbolKind::Method));
        }
        found
    }

    fn collides(&self, rx: &Resolver, a: GlobalDef, b: GlobalDef) -> bool {
        let space =
            |d: &crate::facts::Def| (d.kind.is_type(), d.kind.is_callable(), d.kind == SymbolKind::Constant);
        space(rx.def(a)) == space(rx.def(b))
    }

    fn place(&self) -> Place {
        Place::Namespace
    }

    fn namespace_at(&self, rx: &Resolver, file: &FileView, to: &FilePath) -> Result<String, String> {
        autoload::namespace_at(rx, file, to)
    }

    fn not_loaded(&self, rx: &Resolver, def: GlobalDef, to: &FilePath) -> Option<String> {
        (!autoload::loads(rx, def, to)).then(|| {
            format!(
                "no `autoload` of a composer.json loads {to}; it must be loaded before `{}` is used",
                rx.shared_name(def)
            )
        })
    }

    fn names_its_file(&self, rx: &Resolver, def: GlobalDef) -> bool {
        rx.def(def).kind.is_type()
    }

    fn has_sigil(&self, rx: &Resolver, def: Option<GlobalDef>, reference: Option<&Ref>) -> bool {
        let is_written = reference.is_none_or(|r| {
            !matches!(r.role, Role::Key | Role::Label)
                && (r.receiver.is_none() || r.flags.has(RefFlags::STATIC))
        });
        is_written
            && match def.map(|def| rx.def(def).kind) {
                Some(SymbolKind::Property) => {
                    reference.is_some() || def.is_none_or(|def| !rx.def(def).flags.has(DefFlags::ATTRIBUTE))
                }
                Some(kind) => matches!(kind, SymbolKind::Variable | SymbolKind::Parameter),
                None => reference.is_some_and(|r| r.receiver.is_none() && Self::is_variable(r)),
            }
    }

    fn given_name(&self, rx: &Resolver, file: &FileView, at: At) -> Option<GivenName> {
        super::aliases::given_name(rx, file, at)
    }

    fn type_of_function_names(&self) -> Option<&'static str> {
        Some("callable")
    }

    fn qualified_name(&self, rx: &Resolver, def: GlobalDef) -> Option<String> {
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.flags.has(DefFlags::LOCAL)
            || matches!(d.kind, SymbolKind::Variable | SymbolKind::Parameter | SymbolKind::Import)
        {
            return None;
        }
        let name = file.def_name(def.def);
        let namespace = Self::namespace(file, d.scope);
        match rx.owner_class(def) {
            Some(owner) => {
                let class = Self::qualified(namespace, rx.def_name(owner));
                let sigil = if d.kind == SymbolKind::Property { "$" } else { "" };
                Some(format!("{class}::{sigil}{name}"))
            }
            None => Some(Self::qualified(namespace, name)),
        }
    }

    fn by_qualified_name(&self, rx: &Resolver, name: &str) -> Result<Vec<GlobalDef>, Vec<String>> {
        let name = name.trim().trim_start_matches('\\').trim_end_matches("()");
        let (class, member) = match name.split_once("::") {
            Some((class, member)) => (class, Some(member)),
            None => (name, None),
        };
        let malformed = class.is_empty()
            || class.split('\\').any(str::is_empty)
            || member.is_some_and(|m| m.trim_start_matches('$').is_empty() || m.contains("::"));
        if malformed {
            return Err(vec![
                "App\\Models\\User".into(),
                "App\\Models\\User::find".into(),
                "App\\User::$name".into(),
            ]);
        }
        let Some(member) = member else {
            let meanings = [Meaning::Class, Meaning::Function, Meaning::Constant];
            let found: Vec<_> =
                meanings.into_iter().filter_map(|m| Self::find_qualified(rx, class, m)).collect();
            return Ok(found);
        };
        let Some(owner) = Self::find_qualified(rx, class, Meaning::Class) else { return Ok(Vec::new()) };
        let wants_property = member.starts_with('$');
        let members = rx.inherited_members(&Ty::instance(owner), member.trim_start_matches('$'));
        let mut found: Vec<GlobalDef> = members.iter().filter_map(Member::def).collect();
        found.retain(|def| !wants_property || rx.def(*def).kind == SymbolKind::Property);
        found.truncate(1);
        Ok(found)
    }
}

fn external_member(name: String, confidence: Confidence) -> Member {
    Member { target: Target::External(name.into()), owner: Ty::Unknown, confidence }
}
