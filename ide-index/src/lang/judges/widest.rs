//! The arguments that the functions of a name take together, asked for at each call of one.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::SymbolKind;
use rustc_hash::FxHashMap;

use crate::check::{Arity, declared_arity};
use crate::resolve::Resolver;
use crate::world::DeclarationSite;

/// Declarations of one name that are looked at.
pub(super) const MOST_NAMESAKES: usize = 64;

/// The arguments that the functions of names take, as far as they were asked for.
#[derive(Default)]
struct Widest(Mutex<FxHashMap<Arc<str>, Option<Arity>>>);

/// The arguments that all functions of a name take together; `None` where one is a value that may be called.
pub(super) fn widest_arity(rx: &Resolver, name: &str) -> Option<Arity> {
    let known = rx.extension(|_| Widest::default());
    let locked = || known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(widest) = locked().get(name) {
        return *widest;
    }
    let widest = find_widest_arity(rx, name);
    locked().insert(name.into(), widest);
    widest
}

fn find_widest_arity(rx: &Resolver, name: &str) -> Option<Arity> {
    let sites = rx.world().declarations(name);
    let is_function = |site: &DeclarationSite| matches!(site.kind, SymbolKind::Function | SymbolKind::Method);
    if sites.len() > MOST_NAMESAKES || !sites.iter().all(is_function) {
        return None;
    }
    sites
        .iter()
        .map(|site| declared_arity(rx, site.at, 0))
        .reduce(|a, b| Arity { least: a.least.min(b.least), most: a.most.zip(b.most).map(|(a, b)| a.max(b)) })
}
