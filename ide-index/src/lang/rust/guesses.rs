//! The possible meanings of a member behind an unknown receiver.

use std::sync::{Mutex, PoisonError};

use ide_model::{Confidence, Language, SymbolKind};
use rustc_hash::FxHashMap;

use super::crates::{Crates, Home};
use super::library;
use super::members::trait_of;
use crate::facts::{DefFlags, RefFlags, RefId, Role};
use crate::impl_sites::ImplRole;
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target};
use crate::world::GlobalDef;

/// Families of declarations that an unknown receiver may mean: more say nothing.
const MAX_FAMILIES: usize = 2;
/// Declarations of them that are named.
const MAX_BY_NAME: usize = 40;

type Question = (Option<Home>, Box<str>, SymbolKind);

/// The meanings of methods and fields by name, as a package sees them.
#[derive(Default)]
struct Guesses {
    known: Mutex<FxHashMap<Question, Resolution>>,
}

/// Declarations that a member of an unknown receiver may mean: all of one name that the package sees, if they are few families.
pub(super) fn by_name(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let r = file.reference(reference);
    let name = file.ref_name(reference);
    if library::is_method(name) || r.flags.has(RefFlags::TYPE_ONLY) {
        return Resolution::unknown(Reason::UnknownReceiver);
    }
    let wanted = if r.role == Role::Call { SymbolKind::Method } else { SymbolKind::Field };
    let memory = rx.extension(|_| Guesses::default());
    let known = || memory.known.lock().unwrap_or_else(PoisonError::into_inner);
    let question: Question = (Crates::of(rx).home(file.id), name.into(), wanted);
    if let Some(known) = known().get(&question) {
        return known.clone();
    }
    let (guess, is_whole) = rx.wholly(|| guess(rx, &question));
    if is_whole {
        known().insert(question, guess.clone());
    }
    guess
}

fn guess(rx: &Resolver, (from, name, wanted): &Question) -> Resolution {
    let crates = Crates::of(rx);
    let sites = rx.world().declarations(name).into_iter();
    let mut found: Vec<GlobalDef> = sites
        .filter(|site| site.kind == *wanted && rx.language_of(site.at) == Language::Rust)
        .filter(|site| *wanted == SymbolKind::Field || !site.flags.has(DefFlags::STATIC))
        .map(|site| site.at)
        .filter(|def| crates.sees(*from, crates.home(def.file)))
        .take(MAX_BY_NAME + 1)
        .collect();
    if found.is_empty() {
        return Resolution::unknown(Reason::NotFound);
    }
    if found.len() > MAX_BY_NAME {
        return Resolution::unknown(Reason::SeveralCandidates);
    }
    // Fields stand in no implementation.
    let sites = if *wanted == SymbolKind::Method { rx.world().impl_sites(name) } else { Vec::new() };
    let members = sites.into_iter().filter(|site| site.role.is_member());
    let roles: FxHashMap<GlobalDef, ImplRole<_>> = members.map(|site| (site.at, site.role)).collect();
    let mut families: Vec<GlobalDef> = Vec::new();
    let mut add = |family| {
        if !families.contains(&family) {
            families.push(family);
        }
        families.len() <= MAX_FAMILIES
    };
    // Files are read last: mostly it is clear before that there are too many families.
    let mut of_traits = Vec::new();
    let are_few = found.iter().all(|def| {
        let owner = |owner| GlobalDef { file: def.file, def: owner };
        match roles.get(def) {
            Some(ImplRole::Member(of, _) | ImplRole::TraitMember(of, _)) => {
                of_traits.push(owner(*of));
                true
            }
            Some(ImplRole::Inherent(of, _)) => add(owner(*of)),
            _ => add(*def),
        }
    });
    let mut of_traits = of_traits.into_iter();
    if !are_few || !of_traits.all(|of| add(trait_of(rx, of).and_then(|of| of.def()).unwrap_or(of))) {
        return Resolution::unknown(Reason::SeveralCandidates);
    }
    // A trait's declaration comes first.
    found.sort_by_key(|def| !matches!(roles.get(def), Some(ImplRole::TraitMember(..))));
    Resolution {
        targets: found.into_iter().map(Target::Def).collect(),
        confidence: Confidence::NameOnly,
        reason: Reason::ByNameOnly,
    }
}
