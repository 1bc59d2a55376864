//! Names to declarations: local scopes, implicit receivers, extensions, the top of the package, imports.
//!
//! Each step gives its candidates, and the first step with one that can take the arguments decides.

use std::sync::Arc;

use ide_model::{Confidence, Language, SourceKind, SymbolKind};

use super::calls::{self, Fitting};
use super::extensions::Extensions;
use super::given;
use super::infer;
use super::members::{
    Candidate, companion, in_companions_above, members_named, members_of, static_members,
    static_members_named,
};
use super::names::{self, defaults, imports_of, package_of, type_at_top};
use super::receivers::{Implicit, property_of, receivers, this_as_tested};
use super::types::{Fit, fit, from_java, is_lambda};
use crate::facts::{DefFlags, DefId, Expr, ExprId, NameId, RefFlags, RefId, Role, ScopeId, ScopeKind};
use crate::lang::java::names::{is_type_like, is_value_like, member_type, package_head, type_in_package};
use crate::lang::java::tops::{Top, Tops};
use crate::resolve::{FileView, Reason, Recent, Resolution, Resolved, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

pub(super) fn unknown(reason: Reason) -> Resolved {
    Resolved { resolution: Resolution::unknown(reason), owner: Ty::Unknown }
}

pub(super) fn known(resolution: Resolution) -> Resolved {
    Resolved { resolution, owner: Ty::Unknown }
}

/// The meaning of a reference outside of imports.
pub(super) fn resolve(rx: &Resolver, file: &FileView, id: RefId) -> Resolved {
    let r = file.reference(id);
    match r.role {
        Role::Label => known(label(rx, file, id)),
        Role::Key => known(key(rx, file, id)),
        Role::Extends => known(constructed(rx, file, id)),
        Role::Type | Role::Implements | Role::Annotation => known(type_name(rx, file, id)),
        _ => through_companion(rx, file, id, value(rx, file, id)),
    }
}

fn value(rx: &Resolver, file: &FileView, id: RefId) -> Resolved {
    let r = file.reference(id);
    match r.receiver {
        Some(receiver) => {
            let ty = match file.expr(receiver) {
                Expr::This(scope) => this_as_tested(rx, file, scope, id),
                _ => rx.expr_type(file, receiver),
            };
            let found = member(rx, file, id, &ty);
            if found.resolution.is_unknown() && r.flags.has(RefFlags::METHOD_REF) {
                return unbound_reference(rx, file, id, &ty);
            }
            found
        }
        None => plain(rx, file, id),
    }
}

/// The name of a class as a value is its companion, unless what follows it belongs to the class.
fn through_companion(rx: &Resolver, file: &FileView, id: RefId, found: Resolved) -> Resolved {
    let r = file.reference(id);
    let is_value = !matches!(r.role, Role::Call | Role::New)
        && !r.flags.has(RefFlags::TYPE_ONLY)
        && !r.flags.has(RefFlags::METHOD_REF)
        && !r.flags.has(RefFlags::IN_DOC);
    let class = match found.resolution.targets.first() {
        Some(Target::Def(def)) if is_value && found.resolution.targets.len() == 1 => *def,
        _ => return found,
    };
    let kind = rx.kind(class);
    if !kind.is_type() || matches!(kind, SymbolKind::Object | SymbolKind::TypeAlias) {
        return found;
    }
    let Some(companion) = companion(rx, class) else { return found };
    if let Some(next) = qualified_by(file, id) {
        let name = file.ref_name(next);
        let members = members_of(rx, file, &Ty::instance(companion), name);
        let own = static_members(rx, class, name);
        let is_own = own.iter().any(|c| !members.iter().any(|m| m.target == c.target));
        if is_own || name == "Companion" || file.reference(next).flags.has(RefFlags::METHOD_REF) {
            return found;
        }
        if members.is_empty() && !members_of(rx, file, &Ty::class(class), name).is_empty() {
            return found;
        }
    }
    Resolved {
        resolution: Resolution::of(Target::Def(companion), found.resolution.confidence),
        owner: Ty::Unknown,
    }
}

/// The name right behind the dot that follows a name.
fn qualified_by(file: &FileView, id: RefId) -> Option<RefId> {
    let near = id.0 + 1..(id.0 + 9).min(file.refs.len() as u32);
    near.map(RefId).find(|next| {
        let receiver = file.reference(*next).receiver;
        receiver.is_some_and(|e| file.expr(e) == Expr::Ref(id))
    })
}

// ---- types ----------------------------------------------------------------------------------------------------------

/// The superclass by the constructor that the arguments call, unless that is the one in its head.
fn constructed(rx: &Resolver, file: &FileView, id: RefId) -> Resolution {
    let class = type_name(rx, file, id);
    let Some(call) = file.reference(id).call else { return class };
    match class.targets.first() {
        Some(Target::Def(def)) => calls::construction_by(rx, file, call, *def).unwrap_or(class),
        _ => class,
    }
}

pub(super) fn type_name(rx: &Resolver, file: &FileView, id: RefId) -> Resolution {
    let r = file.reference(id);
    let name = file.name(r.name);
    let Some(receiver) = r.receiver else {
        let found = lexical_type(rx, file, id);
        return if found.is_unknown() { package_head(rx, file, name) } else { found };
    };
    match rx.expr_type(file, receiver) {
        Ty::Instance(class, _) | Ty::Class(class, _) => match member_type(rx, class, name) {
            Some(def) => Resolution::def(def),
            None => Resolution::unknown(Reason::NotFound),
        },
        Ty::Package(package) => match type_in_package(rx, file, &package, name) {
            Some(def) => Resolution::def(def),
            None if is_type_like(name) => Resolution::external(format!("{package}.{name}")),
            None => Resolution::exact(Target::Package(format!("{package}.{name}").into())),
        },
        Ty::External(of, _) | Ty::ExternalName(of) => Resolution::external(format!("{of}.{name}")),
        _ => Resolution::unknown(Reason::UnknownReceiver),
    }
}

/// A type by its simple name: enclosing scopes, then imports, package, stars, defaults.
fn lexical_type(rx: &Resolver, file: &FileView, id: RefId) -> Resolution {
    let r = *file.reference(id);
    for scope in file.scope_chain(r.scope) {
        let s = file.scope(scope);
        if s.kind == ScopeKind::File {
            break;
        }
        let in_head = in_head(file, id, scope) && matches!(r.role, Role::Extends | Role::Implements);
        let own = file.in_scope(scope, r.name).iter().copied().find(|def| {
            let kind = file.def(*def).kind;
            kind == SymbolKind::TypeParameter || kind.is_type() && !in_head
        });
        if let Some(def) = own {
            return Resolution::def(file.global(def));
        }
        let owner = s.owner.filter(|_| s.kind == ScopeKind::Class && !in_head);
        if let Some(found) = owner.and_then(|owner| nested_type(rx, file, owner, r.name)) {
            return Resolution::def(found);
        }
    }
    type_at_top(rx, file, r.name)
}

/// The types nested in classes that were asked for last, inside of them.
struct Nested(Recent<(FileId, DefId, NameId), Option<GlobalDef>>);

/// A type that a class of a file or its companion has, its own or inherited.
fn nested_type(rx: &Resolver, file: &FileView, class: DefId, name: NameId) -> Option<GlobalDef> {
    let known = rx.extension(|_| Nested(Recent::new(1024)));
    known.0.answer(rx, (file.id, class, name), || {
        let nested = |class| member_type(rx, class, file.name(name));
        let class = file.global(class);
        nested(class).or_else(|| companion(rx, class).and_then(nested))
    })
}

/// The reference stands in the head of the class whose scope this is.
pub(super) fn in_head(file: &FileView, id: RefId, scope: ScopeId) -> bool {
    let (r, s) = (file.reference(id), file.scope(scope));
    s.kind == ScopeKind::Class && r.range.start < s.range.start && !r.flags.has(RefFlags::IN_DOC)
}

// ---- labels and named arguments -------------------------------------------------------------------------------------

fn label(rx: &Resolver, file: &FileView, id: RefId) -> Resolution {
    let r = file.reference(id);
    let name = file.name(r.name);
    for scope in file.scope_chain(r.scope) {
        let own = file.in_scope(scope, r.name).iter().find(|d| file.def(**d).kind == SymbolKind::Label);
        if let Some(def) = own {
            return Resolution::def(file.global(*def));
        }
        let Some(owner) = file.scope(scope).owner else { continue };
        if file.def_name(owner) == name && !name.is_empty() && file.def(owner).kind != SymbolKind::Constructor
        {
            return Resolution::def(file.global(owner));
        }
        let callee = is_lambda(file, owner).then(|| callee_of_lambda(file, owner)).flatten();
        if let Some(callee) = callee.filter(|callee| file.ref_name(*callee) == name) {
            return rx.resolve(file.global_ref(callee)).resolution;
        }
    }
    Resolution::unknown(Reason::NotFound)
}

/// The name of the function that a lambda is passed to.
pub(super) fn callee_of_lambda(file: &FileView, lambda: DefId) -> Option<RefId> {
    let expr = file.function_expr(lambda)?;
    let Some(crate::facts::Expectation::Argument { call, .. }) = file.expectation(expr) else { return None };
    let Expr::Call { callee, .. } = file.expr(call) else { return None };
    match file.expr(callee) {
        Expr::Ref(name) => Some(name),
        _ => None,
    }
}

fn key(rx: &Resolver, file: &FileView, id: RefId) -> Resolution {
    let r = file.reference(id);
    let Some(call) = r.call else { return Resolution::unknown(Reason::NotFound) };
    let name = file.name(r.name);
    let (targets, confidence) = infer::callees(rx, file, call);
    let mut found = Vec::new();
    for target in &targets {
        match target {
            Target::Def(def) => {
                found.extend(calls::parameters(rx, *def).into_iter().find(|p| *rx.def_name(*p) == *name));
                // The elements of an annotation of Java are its methods.
                if found.is_empty() && rx.kind(*def) == SymbolKind::Annotation {
                    let own = rx.own_members(*def, name).into_iter();
                    found.extend(own.filter(|member| rx.kind(*member) == SymbolKind::Method));
                }
            }
            Target::External(of) => {
                let Some(class) = copied_by(rx, file, call) else {
                    return Resolution::external(format!("{of}.{name}"));
                };
                found.extend(calls::parameters(rx, class).into_iter().find(|p| *rx.def_name(*p) == *name));
            }
            _ => {}
        }
    }
    match found.first() {
        Some(def) if found.len() == 1 => Resolution::of(Target::Def(*def), confidence),
        Some(_) => Resolution {
            targets: found.into_iter().map(Target::Def).collect(),
            confidence: Confidence::Ambiguous,
            reason: Reason::SeveralCandidates,
        },
        None => Resolution::unknown(Reason::NotFound),
    }
}

fn copied_by(rx: &Resolver, file: &FileView, call: ExprId) -> Option<GlobalDef> {
    let Expr::Call { callee, .. } = file.expr(call) else { return None };
    let Expr::Ref(name) = file.expr(callee) else { return None };
    given::copied(rx, file, name)
}

// ---- plain names ----------------------------------------------------------------------------------------------------

/// The search for one name.
struct Search<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
    id: RefId,
    name: &'a str,
    /// Candidates that could not take the arguments, of the first step that had any.
    unfit: Vec<Candidate>,
    receivers: Arc<[Implicit]>,
    /// The nearest value that might be callable.
    doubtful: Option<Resolved>,
    /// The meaning of the name if a receiver with unknown members has it.
    open: Option<Resolved>,
}

fn plain(rx: &Resolver, file: &FileView, id: RefId) -> Resolved {
    let r = file.reference(id);
    let mut search = Search {
        rx,
        file,
        id,
        name: file.name(r.name),
        unfit: Vec::new(),
        receivers: receivers(rx, file, r.scope, Some(id)),
        doubtful: None,
        open: None,
    };
    let found = search.scopes().or_else(|| search.top());
    let found = match search.doubtful.take() {
        Some(value) => Some(found.filter(|found| search.is_of_project(found)).unwrap_or(value)),
        None => found,
    };
    match (found, search.open.take()) {
        (Some(found), None) => found,
        (Some(found), Some(open)) => search.doubted(found, open),
        (None, Some(open)) => open,
        (None, None) => search.rest(),
    }
}

impl Search<'_> {
    /// Chooses among the candidates of a step; `None` when none of them can be meant.
    fn choose(&mut self, candidates: Vec<Candidate>) -> Option<Resolved> {
        if candidates.is_empty() {
            return None;
        }
        match calls::choose(self.rx, self.file, self.id, &candidates) {
            Fitting::Chosen(resolved) => Some(resolved),
            Fitting::Doubtful(resolved) => {
                self.doubtful.get_or_insert(resolved);
                None
            }
            Fitting::Unfit => {
                if self.unfit.is_empty() {
                    self.unfit = candidates;
                }
                None
            }
        }
    }

    fn scopes(&mut self) -> Option<Resolved> {
        let (rx, file) = (self.rx, self.file);
        let r = *file.reference(self.id);
        let receivers = self.receivers.clone();
        let mut next = receivers.iter().peekable();
        // Local declarations come before all members.
        for scope in file.scope_chain(r.scope) {
            if !matches!(file.scope(scope).kind, ScopeKind::Class | ScopeKind::File) {
                let locals = self.locals(scope);
                let is_property = locals.iter().any(|local| self.is_promoted(local));
                if is_property && let Some(found) = self.inside_of(scope) {
                    return Some(found);
                }
                if let Some(found) = self.choose(locals) {
                    return Some(found);
                }
            }
        }
        for scope in file.scope_chain(r.scope) {
            let kind = file.scope(scope).kind;
            if kind == ScopeKind::Class
                && let Some(found) = self.type_parameter(scope)
            {
                return Some(found);
            }
            while let Some(receiver) = next.next_if(|receiver| receiver.scope == scope) {
                let members = if receiver.is_static {
                    match receiver.ty.def() {
                        Some(class) => static_members_named(rx, file, class, r.name),
                        None => Vec::new(),
                    }
                } else {
                    members_named(rx, file, &receiver.ty, r.name)
                };
                let members = self.on_implicit(members);
                let tried = !members.is_empty();
                if let Some(found) = self.choose(members) {
                    return Some(found);
                }
                if let Some(class) = receiver.ty.def().filter(|_| receiver.is_static && tried) {
                    for members in in_companions_above(rx, class, self.name) {
                        let members = self.on_implicit(members);
                        if let Some(found) = self.choose(members) {
                            return Some(found);
                        }
                    }
                }
                if !receiver.is_static && self.open.is_none() {
                    self.open = self.open_receiver(&receiver.ty);
                }
            }
        }
        None
    }

    fn is_of_project(&self, found: &Resolved) -> bool {
        let source = |def: GlobalDef| self.rx.world().file(def.file).source;
        found.resolution.defs().next().is_some_and(|def| source(def) != SourceKind::Library)
    }

    /// A declaration found further out than a receiver that may have the name too: a possible one if it is of
    /// the project.
    fn doubted(&self, found: Resolved, open: Resolved) -> Resolved {
        if !self.is_of_project(&found) {
            return open;
        }
        let confidence = found.resolution.confidence.max(Confidence::Ambiguous);
        let resolution = Resolution { confidence, reason: Reason::UnknownReceiver, ..found.resolution };
        Resolved { resolution, ..found }
    }

    /// Whether a parameter of a constructor is a property too, which is not local.
    fn is_promoted(&self, candidate: &Candidate) -> bool {
        let Some(def) = candidate.def().filter(|def| def.file == self.file.id) else { return false };
        self.file.promoted(def.def).is_some()
    }

    /// A member of what lambdas inside of a scope bring.
    fn inside_of(&mut self, scope: ScopeId) -> Option<Resolved> {
        let file = self.file;
        let chain = file.scope_chain(file.reference(self.id).scope);
        let inner: Vec<ScopeId> =
            chain.take_while(|s| *s != scope && file.scope(*s).kind != ScopeKind::Class).collect();
        let receivers = self.receivers.clone();
        receivers.iter().filter(|receiver| inner.contains(&receiver.scope) && !receiver.is_static).find_map(
            |receiver| {
                let members = members_named(self.rx, file, &receiver.ty, file.reference(self.id).name);
                let members = self.on_implicit(members);
                self.choose(members)
            },
        )
    }

    /// A receiver of which nothing is known but that it is a library's might have the name.
    fn open_receiver(&self, ty: &Ty) -> Option<Resolved> {
        let Ty::External(of, _) = ty else { return None };
        let is_elsewhere = is_type_like(self.name) || self.known_at_top();
        (!is_elsewhere).then(|| known(Resolution::external(format!("{of}.{}", self.name))))
    }

    fn tops(&self) -> Arc<Tops> {
        Tops::named(self.rx, self.file, self.file.reference(self.id).name)
    }

    fn known_at_top(&self) -> bool {
        imports_of(self.file, self.name).next().is_some()
            || !self.tops().in_package(self.rx, self.name, Top::Members, package_of(self.file)).is_empty()
    }

    fn type_parameter(&self, scope: ScopeId) -> Option<Resolved> {
        let wanted = self.file.in_scope(scope, self.file.reference(self.id).name);
        let def = wanted.iter().find(|d| self.file.def(**d).kind == SymbolKind::TypeParameter)?;
        Some(known(Resolution::def(self.file.global(*def))))
    }

    /// Declarations of a local scope: the nearest variable before the use, or all functions.
    fn locals(&self, scope: ScopeId) -> Vec<Candidate> {
        let file = self.file;
        let r = file.reference(self.id);
        let visible = |d: &&DefId| {
            let def = file.def(**d);
            let is_variable = matches!(def.kind, SymbolKind::Variable | SymbolKind::Property);
            def.kind != SymbolKind::Label
                && def.kind != SymbolKind::Constructor
                && (!is_variable
                    || r.flags.has(RefFlags::IN_DOC)
                    || def.name_range.start <= r.range.start && !self.in_own_init(**d))
        };
        let all: Vec<DefId> = file.in_scope(scope, r.name).iter().filter(visible).copied().collect();
        let functions = all.iter().filter(|d| file.def(**d).kind.is_callable());
        let mut found: Vec<Candidate> =
            functions.map(|d| Candidate::of(file.global(*d), Ty::Unknown)).collect();
        found = self.on_implicit(found);
        let value = all.iter().rev().find(|d| !file.def(**d).kind.is_callable());
        if let Some(own) = value {
            if file.def_name(*own) == "it" && self.is_elsewhere_it(*own) {
                return found;
            }
            found.push(Candidate::of(file.global(*own), Ty::Unknown));
        } else if let Some(field) = self.backing_field(scope) {
            found.push(Candidate::of(field, Ty::Unknown));
        }
        found
    }

    /// A variable is not visible in its own initial value.
    fn in_own_init(&self, def: DefId) -> bool {
        let d = self.file.def(def);
        let r = self.file.reference(self.id);
        d.init.is_some()
            && d.flags.has(DefFlags::LOCAL)
            && d.range.encloses(r.range)
            && d.name_range != r.range
    }

    /// The lambda takes no parameter, so that `it` belongs to one further out.
    fn is_elsewhere_it(&self, it: DefId) -> bool {
        let file = self.file;
        if !file.has_flag(it, DefFlags::SYNTHETIC) {
            return false;
        }
        let Some(lambda) = file.scope(file.def(it).scope).owner else { return false };
        match self.rx.def_type(file.global(lambda)) {
            Ty::Callable { params, .. } => {
                params.iter().filter(|p| !matches!(p, Ty::Pointer(_))).count() == 0
            }
            _ => false,
        }
    }

    fn backing_field(&self, scope: ScopeId) -> Option<GlobalDef> {
        let file = self.file;
        let owner = file.scope(scope).owner.filter(|_| self.name == "field")?;
        let d = file.def(owner);
        let is_accessor = d.flags.has(DefFlags::GETTER) || d.flags.has(DefFlags::SETTER);
        (is_accessor && d.flags.has(DefFlags::ANONYMOUS))
            .then(|| property_of(file, owner))
            .flatten()
            .map(|p| file.global(p))
    }

    /// Extensions among members and functions are called on some implicit receiver; those that fit none are left
    /// out.
    fn on_implicit(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let with_receiver = |c: Candidate| match c.def().and_then(|def| declared_receiver(self.rx, def)) {
            None => Some(c),
            Some(wanted) => {
                let fits = |r: &&Implicit| !r.is_static && fit(self.rx, self.file, &r.ty, &wanted) != Fit::No;
                let receiver = self.receivers.iter().find(fits)?;
                Some(Candidate { receiver: receiver.ty.clone(), ..c })
            }
        };
        candidates.into_iter().filter_map(with_receiver).collect()
    }

    /// Imports, package, stars, defaults.
    fn top(&mut self) -> Option<Resolved> {
        let (rx, file) = (self.rx, self.file);
        let imported: Vec<Candidate> = imports_of(file, self.name)
            .flat_map(|import| names::imported(rx, file, import).to_vec())
            .map(Candidate::plain)
            .collect();
        let imported = self.on_implicit(imported);
        if let Some(found) = self.choose(imported) {
            return Some(found);
        }
        let tops = self.tops();
        let own = self.of_package(&tops, package_of(file));
        if let Some(found) = self.choose(own) {
            return Some(found);
        }
        let starred = names::starred(rx, file, &tops, self.name);
        let starred = self.on_implicit(starred.into_iter().map(Candidate::plain).collect());
        if let Some(found) = self.choose(starred) {
            return Some(found);
        }
        for package in defaults() {
            let found = self.of_package(&tops, package);
            if let Some(found) = self.choose(found) {
                return Some(found);
            }
        }
        None
    }

    fn of_package(&self, tops: &Tops, package: &str) -> Vec<Candidate> {
        let found = names::in_package(self.rx, self.file, tops, self.name, package);
        self.on_implicit(found.into_iter().map(Candidate::plain).collect())
    }

    /// Nothing that is declared fits.
    fn rest(self) -> Resolved {
        let (rx, file) = (self.rx, self.file);
        let r = file.reference(self.id);
        if !self.unfit.is_empty() {
            return calls::uncertain(rx, file, self.id, &self.unfit);
        }
        for receiver in &*self.receivers {
            if let Some(open) = open_super(rx, &receiver.ty) {
                return known(Resolution::external(format!("{open}.{}", self.name)));
            }
            if receiver.is_static
                && let Some(class) = receiver.ty.def()
                && let Some(first) = members_of(rx, file, &Ty::class(class), self.name).first()
            {
                return known(Resolution::exact(first.target.clone()));
            }
        }
        if r.role != Role::Call {
            let found = package_head(self.rx, file, self.name);
            if !found.is_unknown() {
                return known(found);
            }
        }
        let is_open_lambda = |scope: ScopeId| {
            let lambda = file.scope(scope).owner.filter(|owner| is_lambda(file, *owner));
            lambda.is_some_and(|lambda| rx.def_type(file.global(lambda)).is_unknown())
        };
        if !is_type_like(self.name)
            && file.scope_chain(r.scope).any(is_open_lambda)
            && let Some(found) = possible_extension(rx, file, self.id)
        {
            return found;
        }
        let unknown_star = names::unknown_stars(rx, file).next();
        match unknown_star {
            Some(module) => known(Resolution::external(format!("{module}.{}", self.name))),
            None if !names::knows_library(rx, file) => {
                known(Resolution::external(format!("kotlin.{}", self.name)))
            }
            None => unknown(Reason::NotFound),
        }
    }
}

/// The declared receiver type of an extension.
pub(super) fn declared_receiver(rx: &Resolver, def: GlobalDef) -> Option<Ty> {
    let file = rx.file(def.file);
    let receiver = file.def(def.def).receiver?;
    (file.language() == Language::Kotlin).then(|| rx.type_of(file, receiver))
}

/// A supertype that is not indexed, so that the name might be inherited from it.
pub(super) fn open_super(rx: &Resolver, ty: &Ty) -> Option<Arc<str>> {
    rx.linearization(ty).iter().find_map(|ty| match ty {
        Ty::External(base, _)
            if !matches!(
                &**base,
                "kotlin.Any" | "kotlin.Enum" | "java.lang.Object" | "java.io.Serializable"
            ) =>
        {
            Some(base.clone())
        }
        _ => None,
    })
}

// ---- names behind a dot ---------------------------------------------------------------------------------------------

fn member(rx: &Resolver, file: &FileView, id: RefId, receiver: &Ty) -> Resolved {
    let r = file.reference(id);
    let receiver = from_java(rx, file, receiver);
    let mut unfit: Vec<Candidate> = Vec::new();
    let mut doubtful = None;
    let own: Vec<Candidate> = members_named(rx, file, &receiver, r.name)
        .into_iter()
        .filter(|c| {
            matches!(receiver, Ty::Class(..) | Ty::Package(_)) && !r.flags.has(RefFlags::METHOD_REF)
                || c.def().is_none_or(|d| declared_receiver(rx, d).is_none())
        })
        .collect();
    let steps = std::iter::once(own).chain(Extensions::new(rx, file, id, &receiver));
    for candidates in steps {
        if candidates.is_empty() {
            continue;
        }
        match calls::choose(rx, file, id, &candidates) {
            Fitting::Chosen(found) => {
                let in_library = |def: GlobalDef| rx.world().file(def.file).source == SourceKind::Library;
                let is_better = !found.resolution.defs().any(in_library);
                return doubtful.filter(|_| !is_better).unwrap_or(found);
            }
            Fitting::Doubtful(found) => {
                doubtful.get_or_insert(found);
            }
            Fitting::Unfit if unfit.is_empty() => unfit = candidates,
            Fitting::Unfit => {}
        }
    }
    if let Some(found) = doubtful {
        return found;
    }
    if !unfit.is_empty() {
        return calls::uncertain(rx, file, id, &unfit);
    }
    let found = behind(rx, file, id, &receiver);
    let is_value = match &receiver {
        Ty::ExternalName(of) => !is_type_like(of.rsplit('.').next().unwrap_or(of)),
        other => other.is_unknown(),
    };
    if is_value && found.defs().next().is_none() {
        return possible_extension(rx, file, id).unwrap_or(known(found));
    }
    known(found)
}

/// An extension of the project that a value may have whose type is not known: mostly it is a library's, so that
/// extensions of the project's classes are not meant.
fn possible_extension(rx: &Resolver, file: &FileView, id: RefId) -> Option<Resolved> {
    let in_project = |def: GlobalDef| rx.world().file(def.file).source != SourceKind::Library;
    let may_be = |c: &Candidate| {
        let Some(def) = c.def().filter(|def| in_project(*def)) else { return false };
        let wanted =
            declared_receiver(rx, def).and_then(|ty| ty.def().filter(|_| !matches!(ty, Ty::Param(_))));
        !wanted.is_some_and(in_project)
    };
    Extensions::possible(rx, file, id).find_map(|mut candidates| {
        candidates.retain(may_be);
        if candidates.is_empty() {
            return None;
        }
        match calls::choose(rx, file, id, &candidates) {
            Fitting::Chosen(mut found) => {
                found.resolution.confidence = found.resolution.confidence.max(Confidence::Ambiguous);
                found.resolution.reason = Reason::UnknownReceiver;
                Some(found)
            }
            Fitting::Doubtful(_) | Fitting::Unfit => None,
        }
    })
}

/// The meaning of a name behind a value that has no such member and no extension for it.
fn behind(rx: &Resolver, file: &FileView, id: RefId, receiver: &Ty) -> Resolution {
    let name = file.ref_name(id);
    for part in receiver.parts() {
        match part {
            Ty::ExternalName(of) if is_value_like(of) => return calls::by_name(rx, file, id),
            Ty::External(of, _) | Ty::ExternalName(of) => {
                return Resolution::external(format!("{of}.{name}"));
            }
            Ty::Package(of) => {
                let full = format!("{of}.{name}");
                let is_value = is_type_like(name) || file.reference(id).role == Role::Call;
                return if is_value {
                    Resolution::external(full)
                } else {
                    Resolution::exact(Target::Package(full.into()))
                };
            }
            Ty::Callable { .. } | Ty::Function(..) => {
                return Resolution::external(format!("kotlin.Function.{name}"));
            }
            Ty::Instance(..) | Ty::Class(..) => {
                if let Some(open) = open_super(rx, part) {
                    return Resolution::external(format!("{open}.{name}"));
                }
                if !names::knows_library(rx, file) && generic_name(name) {
                    return Resolution::external(format!("kotlin.{name}"));
                }
            }
            _ => {}
        }
    }
    if receiver.is_unknown() { calls::by_name(rx, file, id) } else { Resolution::unknown(Reason::NotFound) }
}

/// Functions that every value has.
fn generic_name(name: &str) -> bool {
    const NAMES: [&str; 14] = [
        "let",
        "run",
        "apply",
        "also",
        "with",
        "takeIf",
        "takeUnless",
        "to",
        "toString",
        "hashCode",
        "equals",
        "javaClass",
        "use",
        "lazy",
    ];
    NAMES.contains(&name)
}

/// `X::name` where `X` is a class and `name` a member of its instances.
fn unbound_reference(rx: &Resolver, file: &FileView, id: RefId, receiver: &Ty) -> Resolved {
    match receiver {
        Ty::Class(def, args) => {
            let args = if args.is_empty() { rx.self_type(*def) } else { Ty::Instance(*def, args.clone()) };
            member(rx, file, id, &args)
        }
        Ty::ExternalName(name) => member(rx, file, id, &Ty::external(name.clone())),
        _ => unknown(Reason::NotFound),
    }
}
