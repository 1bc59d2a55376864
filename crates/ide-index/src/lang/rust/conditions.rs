//! What `cfg` says: by the text alone, and with the features of a package.

use std::sync::Arc;

use super::crates::Crates;
use crate::facts::{DefId, Expr, ExprId, FileFacts};
use crate::resolve::Resolver;
use crate::world::GlobalDef;

/// Whether a condition holds on 64-bit Linux in a test. `features` knows which features are on; where it does not,
/// nothing is known of what depends on them.
pub(super) fn holds(
    facts: &FileFacts,
    condition: ExprId,
    features: &dyn Fn(&str) -> Option<bool>,
) -> Option<bool> {
    match facts.expr(condition) {
        Expr::Ref(word) => Some(word_holds(facts.ref_name(word))),
        Expr::Call { callee, args, .. } => {
            let Expr::Ref(word) = facts.expr(callee) else { return None };
            let parts: Vec<Option<bool>> =
                facts.list(args).map(|part| holds(facts, part, features)).collect();
            match facts.ref_name(word) {
                "not" => parts.first().copied().flatten().map(|v| !v),
                "any" if parts.contains(&Some(true)) => Some(true),
                "any" if parts.contains(&None) => None,
                "any" => Some(false),
                _ if parts.contains(&Some(false)) => Some(false),
                _ if parts.contains(&None) => None,
                _ => Some(true),
            }
        }
        Expr::Binary { left, right, .. } => {
            let (Expr::Ref(key), Expr::Text(text)) = (facts.expr(left), facts.expr(right)) else {
                return None;
            };
            let value = facts.name(text);
            match facts.ref_name(key) {
                "feature" => features(value),
                key => Some(value_holds(key, value)),
            }
        }
        _ => None,
    }
}

/// What builds set by themselves; anything else is set by hand, or not at all.
fn word_holds(word: &str) -> bool {
    matches!(
        word,
        "unix" | "test" | "debug_assertions" | "overflow_checks" | "target_thread_local" | "true" | "std"
    )
}

fn value_holds(key: &str, value: &str) -> bool {
    match key {
        "target_os" => value == "linux",
        "target_family" => value == "unix",
        "target_arch" => value == "x86_64",
        "target_endian" => value == "little",
        "target_env" => value == "gnu",
        "target_vendor" => value == "unknown",
        "panic" => value == "unwind",
        // The width of pointers, and what build scripts derive from it.
        _ => !matches!(value, "16" | "32"),
    }
}

/// Whether the default build has a declaration, as far as its own conditions tell.
pub(super) fn is_active(rx: &Resolver, def: GlobalDef) -> bool {
    let file = rx.file(def.file);
    let crates = Crates::of(rx);
    let module = crates.of_file(def.file);
    let features = |name: &str| Some(module.is_none_or(|m| crates.has_feature(m, name)));
    conditions_of(&file, def.def).all(|condition| holds(&file, condition, &features) != Some(false))
}

/// Whether a declaration is there under a condition.
pub(super) fn has_conditions(rx: &Resolver, def: GlobalDef) -> bool {
    conditions_of(&rx.file(def.file), def.def).next().is_some()
}

fn conditions_of(facts: &FileFacts, def: DefId) -> impl Iterator<Item = ExprId> + '_ {
    facts.list(facts.def(def).decorators).flat_map(move |decorator| {
        let args = match facts.expr(decorator) {
            Expr::Call { callee, args, .. }
                if matches!(facts.expr(callee), Expr::Ref(name) if facts.ref_name(name) == "cfg") =>
            {
                Some(args)
            }
            _ => None,
        };
        args.into_iter().flat_map(move |args| facts.list(args))
    })
}

/// Those that the default build has first.
pub(super) fn active_first(rx: &Resolver, defs: &mut [GlobalDef]) {
    if defs.len() > 1 {
        defs.sort_by_key(|def| !is_active(rx, *def));
    }
}

/// Features that are on by default, by what the table of features says.
pub(super) fn default_features(table: &toml::Table) -> Option<Arc<[String]>> {
    let features = table.get("features")?.as_table()?;
    let mut on: Vec<String> = Vec::new();
    let mut todo = vec!["default".to_owned()];
    while let Some(name) = todo.pop() {
        if on.contains(&name) {
            continue;
        }
        for entry in features.get(&name).and_then(toml::Value::as_array).into_iter().flatten() {
            let entry = entry.as_str().unwrap_or_default();
            let entry = entry.strip_prefix("dep:").unwrap_or(entry);
            todo.push(entry.split(['/', '?']).next().unwrap_or(entry).to_owned());
        }
        on.push(name);
    }
    Some(on.into())
}
