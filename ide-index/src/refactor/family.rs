//! The declarations that must carry one name: overriding and overridden methods, twins at one place,
//! constructors of a class.

use std::collections::BTreeMap;

use ide_model::{Cx, QueryError, SourceKind, SymbolKind, TextRange, Visibility};
use rustc_hash::FxHashSet;

use super::RefactorContext;
use super::literal_keys::is_literal_key;
use super::rename::Occurrence;
use crate::facts::{DefFlags, DefId, RefId, Role, ScopeKind, SuperKind, TypeExpr};
use crate::lang::names;
use crate::query::definition::At;
use crate::query::hierarchy::related_methods;
use crate::query::references::CROWD;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// The declarations that get a new name together, ordered, and those among them that no one can rename.
pub(super) struct Family {
    pub(super) defs: Vec<GlobalDef>,
    pub(super) libraries: Vec<GlobalDef>,
}

/// Everything that must carry the name of `start`.
pub(super) fn family(
    rx: &Resolver,
    cx: Cx<'_>,
    start: &[GlobalDef],
    with_overrides: bool,
) -> Result<Family, QueryError> {
    let mut seen: FxHashSet<GlobalDef> = FxHashSet::default();
    let mut todo: Vec<GlobalDef> = start.iter().copied().filter(|def| seen.insert(*def)).collect();
    let mut found = Family { defs: Vec::new(), libraries: Vec::new() };
    // Of very many declarations of one symbol each has all of them.
    let mut crowd: FxHashSet<GlobalDef> = FxHashSet::default();
    while let Some(def) = todo.pop() {
        cx.check()?;
        if rx.world().file(def.file).source == SourceKind::Library {
            found.libraries.push(def);
            continue;
        }
        found.defs.push(def);
        let mut more = rx.policy_of(def).renamed_with(rx, def);
        if !crowd.contains(&def) {
            let same = rx.policy_of(def).same_symbol(rx, def);
            if same.len() > CROWD {
                crowd.extend(&same);
            }
            more.extend(same);
        }
        if with_overrides && is_member(rx, def) {
            more.extend(related_methods(rx, cx, def)?);
        }
        todo.extend(more.into_iter().filter(|def| seen.insert(*def)));
    }
    found.defs.sort_unstable();
    Ok(found)
}

/// Members that uses of a family in a file mean as well, because their object is of one type or another.
pub(super) fn other_parts(
    rx: &Resolver,
    family: &Family,
    id: FileId,
    uses: impl Iterator<Item = RefId>,
) -> Vec<GlobalDef> {
    let file = rx.file(id);
    let mut all: Vec<GlobalDef> = Vec::new();
    for use_ in uses.filter(|use_| file.reference(*use_).receiver.is_some()) {
        let resolved = rx.resolve(file.global_ref(use_));
        all.extend(resolved.resolution.defs().filter(|def| {
            is_member(rx, *def)
                && family.defs.binary_search(def).is_err()
                && !family.libraries.contains(def)
                && *rx.shared_name(*def) == *file.ref_name(use_)
        }));
    }
    all
}

/// Declarations that stand where the family is used in a file and have no other word for their name: an embedded field is
/// called like its type.
pub(super) fn twins_of_uses(
    rx: &Resolver,
    family: &Family,
    id: FileId,
    occurrences: &[Occurrence],
) -> Vec<GlobalDef> {
    let file = rx.file(id);
    let uses: BTreeMap<TextRange, RefId> = occurrences
        .iter()
        .filter(|o| o.is_certain)
        .map(|use_| (file.reference(use_.reference).range, use_.reference))
        .collect();
    let keys: FxHashSet<TextRange> =
        file.ref_ids().map(|r| file.reference(r)).filter(|r| r.role == Role::Key).map(|r| r.range).collect();
    let is_twin = |def: &DefId| {
        let d = file.def(*def);
        let Some(use_) = uses.get(&d.name_range) else { return false };
        let r = file.reference(*use_);
        d.name == r.name
            && r.role != Role::Key
            && d.kind != SymbolKind::Import
            && !is_literal_key(file, *def)
            && !d.flags.has(DefFlags::ATTRIBUTE)
            && family.defs.binary_search(&file.global(*def)).is_err()
            && !keys.contains(&r.range)
            && rx.policy(file).given_name(rx, file, At::Def(*def)).is_none()
    };
    file.def_ids().filter(is_twin).map(|def| file.global(def)).collect()
}

/// Whether a declaration can override, or be overridden. A member that implements a trait's member does so whatever
/// its kind and visibility.
pub(super) fn is_member(rx: &Resolver, def: GlobalDef) -> bool {
    let d = rx.def(def);
    let of_trait = || {
        let owner = rx.owner_class(def).map(|owner| rx.def(owner).kind);
        matches!(owner, Some(SymbolKind::Impl | SymbolKind::Trait))
    };
    let is_kind = matches!(d.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field);
    // The accessors made for a private field may be public.
    let is_seen = || d.visibility != Some(Visibility::Private) || has_accessors(rx, def);
    (is_kind && is_seen() || of_trait()) && rx.member_owner(def).is_some()
}

/// Whether the language or its library would call a declaration, with its signature, if it had this name.
pub(super) fn is_called_by_name(rx: &Resolver, def: GlobalDef, name: &str) -> bool {
    let d = rx.def(def);
    let language = rx.language_of(def);
    let has_results = |wanted: usize| {
        let file = rx.file(def.file);
        let results = match d.ty.map(|ty| file.ty(ty)) {
            None => 0,
            Some(TypeExpr::Tuple(items)) => file.list(items).len(),
            Some(_) => 1,
        };
        results == wanted
    };
    names::is_called_by_name(language, name, d.kind)
        && names::called_results(language, name).is_none_or(has_results)
}

/// Whether a type of a library, or one that is not known, may read members of a type by their names.
pub(super) fn is_read_by_supertype(rx: &Resolver, owner: GlobalDef) -> bool {
    rx.linearization(&Ty::instance(owner)).iter().any(|ty| {
        let Some(class) = ty.def() else { return true };
        let file = rx.file(class.file);
        if rx.world().file(class.file).source == SourceKind::Library {
            return !names::reads_no_member(file.language(), rx.def_name(class));
        }
        file.list(file.def(class.def).supers).any(|edge| {
            let is_silent = rx
                .named_type_ref(file, edge.ty)
                .is_some_and(|name| names::reads_no_member(file.language(), file.ref_name(name)));
            rx.type_of(file, edge.ty).def().is_none() && !is_silent
        })
    })
}

/// Why what carries the name of a function cannot get its new signature.
pub(super) fn written_otherwise(
    ctx: &RefactorContext<'_>,
    function: GlobalDef,
    other: GlobalDef,
) -> Option<&'static str> {
    ctx.pool.with(|rx| {
        if rx.language_of(function) != rx.language_of(other) {
            return Some("this one belongs to it and is written in another language");
        }
        has_accessors(rx, other).then_some("this one has a method made for it that belongs to it")
    })
}

/// Whether a declaration has methods that are not written.
pub(super) fn has_accessors(rx: &Resolver, def: GlobalDef) -> bool {
    !rx.policy_of(def).accessors(rx, def).is_empty()
}

impl Resolver {
    /// The meaning of [`Policy::renamed_with`](crate::resolve::Policy::renamed_with) where a language does not decide
    /// otherwise.
    pub(crate) fn default_renamed_with(&self, def: GlobalDef) -> Vec<GlobalDef> {
        let file = self.file(def.file);
        let d = file.def(def.def);
        let policy = self.policy_of(def);
        let mut all = vec![def];
        if d.name_range.is_empty() || d.flags.has(DefFlags::ANONYMOUS) {
            return all;
        }
        let is_function = matches!(file.scope(d.scope).kind, ScopeKind::Function | ScopeKind::Block);
        let is_again = is_function && d.flags.has(DefFlags::LOCAL) && d.kind != SymbolKind::Import;
        let named = if is_again { file.in_scope(d.scope, d.name) } else { &[] };
        // Of very many those beside it, which lead on to the others.
        let near = named.binary_search(&def.def).ok().filter(|_| named.len() > CROWD);
        let near = near.map(|at| &named[at.saturating_sub(1)..named.len().min(at + 2)]);
        let named = near.unwrap_or(named);
        let declared_again =
            named.iter().copied().filter(|other| file.def(*other).kind != SymbolKind::Import);
        let is_literal_key = |d: &crate::facts::Def| {
            let owner = file.scope(d.scope).owner;
            owner.is_some_and(|owner| file.def(owner).kind == SymbolKind::Object)
        };
        // `{ name }` in an object literal declares a key and reads a variable: two things.
        let twins = file.by_place().names.at(d.name_range).filter(|other| {
            let o = file.def(*other);
            o.name == d.name && is_literal_key(o) == is_literal_key(d)
        });
        all.extend(declared_again.chain(twins).map(|other| file.global(other)));
        if d.kind == SymbolKind::Parameter {
            all.extend(self.in_overloads(file, def));
        }
        let named_after = policy
            .used_through(self, def)
            .into_iter()
            .chain((d.kind == SymbolKind::Constructor).then(|| self.owner_class(def)).flatten());
        all.extend(named_after.filter(|other| *self.def_name(*other) == *file.name(d.name)));
        all
    }

    /// The parameters of the same name in other declarations of the same function.
    fn in_overloads(&self, file: &FileView, parameter: GlobalDef) -> Vec<GlobalDef> {
        let name = file.def_name(parameter.def);
        let has_it = |def: &DefId| file.list(file.def(*def).params).any(|p: DefId| p == parameter.def);
        let Some(function) = file.def_ids().find(has_it) else { return Vec::new() };
        let mut found = Vec::new();
        for other in self.policy_of(parameter).same_symbol(self, file.global(function)) {
            let view = self.file(other.file);
            let same = view.list(view.def(other.def).params).filter(|p: &DefId| view.def_name(*p) == name);
            found.extend(same.map(|p| view.global(p)));
        }
        found
    }

    /// Whether a type above the one that declares a member is not in the world, and the member could be seen from there.
    pub(crate) fn has_unseen_supertype(&self, def: GlobalDef) -> bool {
        let d = self.def(def);
        let is_own = matches!(d.kind, SymbolKind::Constructor | SymbolKind::EnumCase);
        if d.visibility == Some(Visibility::Private) || is_own {
            return false;
        }
        let Some(owner) = self.member_owner(def) else { return false };
        self.linearization(&Ty::instance(owner)).iter().filter_map(Ty::def).any(|class| {
            let file = self.file(class.file);
            let mut written =
                file.list(file.def(class.def).supers).filter(|edge| edge.kind != SuperKind::Other);
            written.any(|edge| {
                let is_plain = self
                    .named_type_ref(file, edge.ty)
                    .is_some_and(|name| names::is_plain_base(file.language(), file.ref_name(name)));
                // The body of an entry of an enumeration.
                if file.ty(edge.ty) == TypeExpr::This {
                    return false;
                }
                let ty = self.type_of(file, edge.ty);
                if matches!(ty, Ty::Module(_)) {
                    return !self.policy_of(def).members(self, file, &ty, self.def_name(def)).is_empty();
                }
                // A function type requires only that it is called.
                let is_function = matches!(ty, Ty::Function(..) | Ty::Callable { .. });
                let is_free = is_function && self.def_name(def) != "invoke";
                ty.def().is_none() && !is_plain && !is_free
            })
        })
    }
}
