//! Names to declarations: scopes outwards, members along the linearisation, imports through.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Confidence, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::{FileView, Member, Reason, Resolution, Resolved, Resolver, Target, Ty, Types};
use crate::facts::{DefFlags, DefId, Expr, ImportId, RefFlags, RefId, Role, ScopeKind, SuperKind, TypeExpr};
use crate::world::{DeclarationSite, FileId, GlobalDef, GlobalRef};

/// Supertypes of types of more parts than this are those of the class.
const MAX_SIZE: usize = 5_000;

/// Import chains longer than this are taken for cycles.
const MAX_IMPORT_HOPS: usize = 16;

/// Members of one name that are compared one by one.
const FEW_MEMBERS: usize = 16;

impl Resolver {
    /// The meaning of a reference. Imports are passed through to what they import.
    pub fn resolve(&self, at: GlobalRef) -> Resolved {
        let cut = || Resolved { resolution: Resolution::unknown(Reason::Cut), owner: Ty::Unknown };
        self.remember(&self.refs, &(at.file, at.reference.0), cut, || self.resolve_fresh(at))
    }

    fn resolve_fresh(&self, at: GlobalRef) -> Resolved {
        let file = self.file(at.file);
        let policy = self.policy(file);
        let reference = *file.reference(at.reference);
        if let Some(resolved) = policy.reference(self, file, at.reference) {
            return resolved;
        }
        let resolved = if matches!(reference.role, Role::Import | Role::Package) {
            Resolved { resolution: policy.import_segment(self, file, at.reference), owner: Ty::Unknown }
        } else if let Some(receiver) = reference.receiver {
            let receiver = self.expr_type(file, receiver);
            self.resolve_member(file, at.reference, &receiver)
        } else if reference.role == Role::Key {
            Resolved { resolution: policy.keyword(self, file, at.reference), owner: Ty::Unknown }
        } else {
            let resolution = self.resolve_plain(file, at.reference);
            let owner = match resolution.targets.first() {
                Some(Target::Def(def)) => policy.lexical_owner(self, file, at.reference, *def),
                _ => Ty::Unknown,
            };
            Resolved { resolution, owner }
        };
        let resolution = self.through_imports(resolved.resolution);
        Resolved { resolution: policy.adjust(self, file, at.reference, resolution), owner: resolved.owner }
    }

    /// A name without a receiver: scopes from the inside out, then what the language adds.
    pub fn resolve_plain(&self, file: &FileView, reference: RefId) -> Resolution {
        let policy = self.policy(file);
        if let Some(resolution) = policy.before_scopes(self, file, reference) {
            return resolution;
        }
        let r = *file.reference(reference);
        let mut crossed = false;
        for scope in file.scope_chain(r.scope) {
            let kind = file.scope(scope).kind;
            if policy.enters_scope(file, &r, scope, crossed) {
                let named = policy.near(file, &r, file.in_scope(scope, r.name));
                let named = named.iter().copied();
                let visible: SmallVec<[DefId; 4]> =
                    named.filter(|def| policy.sees(self, file, &r, *def)).collect();
                if !visible.is_empty()
                    && let Some(resolution) = policy.pick_lexical(self, file, reference, &visible)
                {
                    return resolution;
                }
                if kind == ScopeKind::Class
                    && let Some(owner) = file.scope(scope).owner
                {
                    let members = policy.lexical_members(self, file, file.global(owner), reference);
                    if !members.is_empty() {
                        return self.choose(file, reference, &members);
                    }
                }
            }
            crossed |= matches!(kind, ScopeKind::Function | ScopeKind::Comprehension | ScopeKind::Class);
        }
        policy.implicit(self, file, reference)
    }

    /// The declaration in the file to which a plain name leads, imports not passed through: nothing nearer has the name.
    pub(crate) fn bound(&self, file: &FileView, reference: RefId) -> Option<DefId> {
        let r = file.reference(reference);
        if r.receiver.is_some()
            || r.flags.has(RefFlags::ABSOLUTE)
            || matches!(r.role, Role::Key | Role::Label)
        {
            return None;
        }
        let policy = self.policy(file);
        let mut crossed = false;
        file.scope_chain(r.scope).find_map(|scope| {
            let is_entered = policy.enters_scope(file, r, scope, crossed);
            let kind = file.scope(scope).kind;
            crossed |= matches!(kind, ScopeKind::Function | ScopeKind::Comprehension | ScopeKind::Class);
            let mut visible = file.in_scope(scope, r.name).iter().copied().filter(|_| is_entered);
            visible.find(|def| policy.sees(self, file, r, *def))
        })
    }

    /// A name behind a receiver of a given type.
    pub fn resolve_member(&self, file: &FileView, reference: RefId, receiver: &Ty) -> Resolved {
        let policy = self.policy(file);
        let name = file.ref_name(reference);
        let mut found: Vec<Member> = Vec::new();
        // Of very many, by look-up.
        let mut known: Option<FxHashSet<Target>> = None;
        let mut parts_without = 0;
        for part in receiver.parts() {
            let mut members = policy.members(self, file, part, name);
            if members.is_empty()
                && let Ty::External(owner, _) | Ty::ExternalName(owner) = part
                && !owner.starts_with('#')
            {
                members.push(Member {
                    target: Target::External(format!("{owner}.{name}").into()),
                    owner: Ty::Unknown,
                    confidence: if matches!(part, Ty::External(..)) {
                        Confidence::Inferred
                    } else {
                        Confidence::Exact
                    },
                });
            }
            parts_without += usize::from(members.is_empty());
            for member in members {
                let is_new = match &mut known {
                    Some(known) => known.insert(member.target.clone()),
                    None => !found.iter().any(|m| m.target == member.target),
                };
                if is_new {
                    found.push(member);
                }
                if known.is_none() && found.len() > FEW_MEMBERS {
                    known = Some(found.iter().map(|m| m.target.clone()).collect());
                }
            }
        }
        if found.is_empty() {
            return Resolved {
                resolution: policy.member_fallback(self, file, reference, receiver),
                owner: Ty::Unknown,
            };
        }
        let several = receiver.parts().len() - parts_without > 1;
        let mut resolution = policy.choose(self, file, reference, &found);
        if several && resolution.confidence == Confidence::Ambiguous {
            // A member of a union lives in each of its parts: all of them are meant.
            resolution.confidence = Confidence::Inferred;
        }
        let owner = resolution
            .targets
            .first()
            .and_then(|target| found.iter().find(|m| m.target == *target))
            .map_or(Ty::Unknown, |m| m.owner.clone());
        Resolved { resolution, owner }
    }

    pub(crate) fn choose(&self, file: &FileView, reference: RefId, members: &[Member]) -> Resolution {
        match members {
            [one] if one.def().is_none_or(|def| !self.kind(def).is_callable()) => {
                Resolution::of(one.target(), one.confidence)
            }
            _ => self.policy(file).choose(self, file, reference, members),
        }
    }

    /// Replaces names that imports bind by what they import.
    pub fn through_imports(&self, resolution: Resolution) -> Resolution {
        if !resolution.defs().any(|def| self.passed_import(def).is_some()) {
            return resolution;
        }
        let mut out = Resolution { targets: SmallVec::new(), ..resolution };
        for target in resolution.targets {
            let found = self.import_target(target, MAX_IMPORT_HOPS);
            out.confidence = out.confidence.max(found.confidence);
            if found.reason != Reason::None {
                out.reason = found.reason;
            }
            for target in found.targets {
                if !out.targets.contains(&target) {
                    out.targets.push(target);
                }
            }
        }
        out
    }

    fn import_target(&self, target: Target, hops: usize) -> Resolution {
        let Target::Def(def) = target else { return Resolution::exact(target) };
        let Some(import) = self.passed_import(def) else { return Resolution::exact(target) };
        if hops == 0 {
            return Resolution::unknown(Reason::Cut);
        }
        // The way to what an import binds may lead back to it, through other files and their rules.
        let cut = || Resolution::unknown(Reason::Cut);
        let step = self.remember(&self.imports, &(def.file, import.0), cut, || {
            let file = self.file(def.file);
            self.policy(file).import(self, file, import)
        });
        if step.targets.contains(&Target::Def(def)) {
            return Resolution::unknown(Reason::Cut);
        }
        let mut out = Resolution { targets: SmallVec::new(), ..step };
        for target in step.targets {
            let found = self.import_target(target, hops - 1);
            out.confidence = out.confidence.max(found.confidence);
            out.reason = out.reason.max(found.reason);
            out.targets.extend(found.targets);
        }
        out
    }

    /// The import that binds a declaration, where the language passes through.
    fn passed_import(&self, def: GlobalDef) -> Option<ImportId> {
        self.import_of(def).filter(|_| !self.policy_of(def).import_is_declaration(self, def))
    }

    /// The import that binds a declaration.
    pub fn import_of(&self, def: GlobalDef) -> Option<ImportId> {
        let file = self.file(def.file);
        let d = file.def(def.def);
        (d.kind == SymbolKind::Import).then_some(d.import).flatten()
    }

    /// Declarations of a name at the top of a file, imports included (not passed through).
    pub fn top_level(&self, file: FileId, name: &str) -> Vec<GlobalDef> {
        let view = self.file(file);
        view.named_in_scope(crate::facts::ScopeId(0), name).iter().map(|def| view.global(*def)).collect()
    }

    /// Members that a type declares itself.
    pub fn own_members(&self, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        let file = self.file(class.file);
        let Some(body) = file.def(class.def).body else { return Vec::new() };
        file.named_in_scope(body, name).iter().map(|def| file.global(*def)).collect()
    }

    /// Members along the linearisation; what an earlier type declares hides later ones of the same name and arity.
    pub fn inherited_members(&self, ty: &Ty, name: &str) -> Vec<Member> {
        let mut found: Vec<Member> = Vec::new();
        let line = self.linearization(ty);
        // Parts of one type may each have the members of all of them.
        let mut seen = FxHashSet::default();
        for owner in line.iter() {
            let Some(class) = owner.def() else { continue };
            for def in self.declared_members(class, name).into_iter().filter(|def| seen.insert(*def)) {
                let hidden = found.iter().filter_map(Member::def).any(|earlier| self.hides(earlier, def));
                if !hidden {
                    found.push(Member { owner: self.part_with(def, owner, &line), ..Member::plain(def) });
                }
            }
        }
        found
    }

    /// Of several parts of one type the one that declares a member: each has type parameters of its own.
    pub(crate) fn part_with(&self, member: GlobalDef, owner: &Ty, line: &[Ty]) -> Ty {
        let part = self.owner_class(member).filter(|part| owner.def() != Some(*part));
        let part = part.and_then(|part| line.iter().find(|ty| ty.def() == Some(part)));
        part.unwrap_or(owner).clone()
    }

    /// Whether a member found earlier hides an inherited one: anything but another overload does.
    fn hides(&self, earlier: GlobalDef, later: GlobalDef) -> bool {
        let (a, b) = (self.def(earlier), self.def(later));
        if a.kind.is_callable() && b.kind.is_callable() {
            let overrides = |of| self.policy_of(earlier).overrides(self, of, earlier, later);
            return a.scope != b.scope
                || earlier.file != later.file && self.member_owner(earlier).is_some_and(overrides);
        }
        a.kind.is_callable() == b.kind.is_callable()
    }

    /// The direct supertypes of a class, in terms of its own type parameters.
    pub fn supers(&self, class: GlobalDef) -> Types {
        self.remember(&self.supers, &(class.file, class.def.0), Types::default, || {
            self.policy_of(class).supers(self, class).into()
        })
    }

    /// A type with its supertypes in look-up order. Of arguments that are types of thousands of parts nothing is known.
    pub fn linearization(&self, ty: &Ty) -> Types {
        if let Ty::Instance(def, _) = ty
            && ty.is_larger_than(MAX_SIZE)
        {
            return self.linearization(&Ty::instance(*def));
        }
        self.remember(&self.lines, ty, Types::default, || match ty.def() {
            Some(def) => self.policy_of(def).linearization(self, ty).into(),
            None => Types::from([ty.clone()]),
        })
    }

    /// Supertypes as written, classes before what is mixed in or implemented, in source order.
    pub fn declared_supers(&self, class: GlobalDef) -> Vec<Ty> {
        let file = self.file(class.file);
        let mut edges: Vec<_> = file.list(file.def(class.def).supers).collect();
        edges.retain(|edge| edge.kind != SuperKind::Other);
        edges.sort_by_key(|edge| edge.kind as u8);
        edges.into_iter().map(|edge| self.type_of(file, edge.ty)).collect()
    }

    /// The ancestors of a declaration without the declaration itself, each once, nearest first.
    pub fn ancestors(&self, class: GlobalDef) -> Vec<GlobalDef> {
        self.linearization(&Ty::instance(class)).iter().skip(1).filter_map(Ty::def).collect()
    }

    /// True when the type is the class or descends from it.
    pub fn descends(&self, from: &Ty, class: GlobalDef) -> bool {
        self.linearization(from).iter().any(|ty| ty.def() == Some(class))
    }

    /// The class that declares a member, if a class does.
    pub fn owner_class(&self, member: GlobalDef) -> Option<GlobalDef> {
        let file = self.file(member.file);
        let scope = file.scope(file.def(member.def).scope);
        (scope.kind == ScopeKind::Class).then_some(file.global(scope.owner?))
    }

    /// Whether a member has the visibility of its owner, as items of traits, of implementations of traits and fields of enum
    /// variants have.
    pub fn is_of_trait(&self, member: GlobalDef) -> bool {
        self.owner_class(member).is_some_and(|owner| {
            let d = self.def(owner);
            matches!(d.kind, SymbolKind::Trait | SymbolKind::EnumCase)
                || d.kind == SymbolKind::Impl && self.file(owner.file).list(d.supers).next().is_some()
        })
    }

    /// The class that a member belongs to, by the rules of its language.
    pub fn member_owner(&self, member: GlobalDef) -> Option<GlobalDef> {
        self.policy_of(member).member_owner(self, member)
    }

    /// Members that a type itself declares, by the rules of its language.
    pub fn declared_members(&self, class: GlobalDef, name: &str) -> Vec<GlobalDef> {
        self.policy_of(class).declared_members(self, class, name)
    }

    /// Whether a type expression's last name is used with a value meaning; helps policies with `Expr::Type`.
    pub fn named_type_ref(&self, file: &FileView, ty: crate::facts::TypeId) -> Option<RefId> {
        match file.ty(ty) {
            TypeExpr::Named { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The reference that an expression is, if it is just that.
    pub fn expr_ref(&self, file: &FileView, expr: crate::facts::ExprId) -> Option<RefId> {
        match file.expr(expr) {
            Expr::Ref(reference) => Some(reference),
            _ => None,
        }
    }

    /// Members of a name anywhere in the project that a reference could mean if nothing is known of its receiver:
    /// possible targets of its language family, never certain ones. None when there are more than `limit`. Facts need
    /// be read for what `admits` asks of them only.
    pub fn by_name_only(
        &self,
        file: &FileView,
        reference: RefId,
        limit: usize,
        admits: impl Fn(&DeclarationSite) -> bool,
    ) -> Resolution {
        let mut targets = SmallVec::new();
        for site in self.declared_anywhere(file.ref_name(reference)).iter() {
            let is_member = site.kind.is_callable() || !site.kind.is_type();
            if is_member
                && !site.flags.has(DefFlags::SYNTHETIC)
                && self.language_of(site.at).family() == file.family()
                && admits(site)
            {
                if targets.len() == limit {
                    return Resolution::unknown(Reason::SeveralCandidates);
                }
                targets.push(Target::Def(site.at));
            }
        }
        if targets.is_empty() {
            return Resolution::unknown(Reason::NotFound);
        }
        Resolution { targets, confidence: Confidence::NameOnly, reason: Reason::ByNameOnly }
    }

    /// [`crate::World::declarations`], which who guesses asks for again and again.
    pub(crate) fn declared_anywhere(&self, name: &str) -> Arc<[DeclarationSite]> {
        #[derive(Default)]
        struct SitesByName(Mutex<FxHashMap<Box<str>, Arc<[DeclarationSite]>>>);
        let known = self.extension(|_| SitesByName::default());
        let mut known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sites) = known.get(name) {
            return sites.clone();
        }
        let sites: Arc<[DeclarationSite]> = self.world().declarations(name).into();
        known.insert(name.into(), sites.clone());
        sites
    }
}
