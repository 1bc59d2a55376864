//! The conditions of `cfg`: by the text alone, and with the features of a package.

use std::sync::Arc;

use ide_model::{SymbolKind, TextRange};
use smallvec::SmallVec;

use super::crates::{Crates, ModuleId};
use crate::facts::{DefId, Expr, ExprId, FileFacts, GuardTest};
use crate::guard;
use crate::resolve::{FileView, Recent, Resolver};
use crate::world::{FileId, GlobalDef};

/// Whether a condition holds on 64-bit Linux in a test. `features` knows which features are on; where it does not,
/// nothing is known of what depends on them.
pub(super) fn holds(
    facts: &FileFacts,
    condition: ExprId,
    features: &dyn Fn(&str) -> Option<bool>,
) -> Option<bool> {
    evaluate(facts, condition, &|key, value| match value {
        None => Some(word_holds(key)),
        Some(name) if key == "feature" => features(name),
        Some(value) => Some(value_holds(key, value)),
    })
}

/// The same where features and words that build scripts set (`linux_raw`) may hold.
pub(super) fn may_hold(facts: &FileFacts, condition: ExprId) -> Option<bool> {
    const KNOWN: [&str; 10] =
        ["unix", "windows", "test", "doc", "doctest", "docsrs", "miri", "debug_assertions", "true", "false"];
    evaluate(facts, condition, &|key, value| match value {
        None => KNOWN.contains(&key).then(|| word_holds(key)),
        Some(_) if key == "feature" => None,
        Some(value) => Some(value_holds(key, value)),
    })
}

/// The value of a condition by the known words (`unix`) and of keys with their values (`feature = "x"`).
fn evaluate(
    facts: &FileFacts,
    condition: ExprId,
    known: &dyn Fn(&str, Option<&str>) -> Option<bool>,
) -> Option<bool> {
    match facts.expr(condition) {
        Expr::Ref(word) => known(facts.ref_name(word), None),
        Expr::Call { callee, args, .. } => {
            let Expr::Ref(word) = facts.expr(callee) else { return None };
            let parts: Vec<Option<bool>> =
                facts.list(args).map(|part| evaluate(facts, part, known)).collect();
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
            known(facts.ref_name(key), Some(facts.name(text)))
        }
        _ => None,
    }
}

/// The words that builds set by themselves; anything else is set by hand, or not at all.
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
    conditions_of(file, def.def).all(|condition| holds(file, condition, &features) != Some(false))
}

/// Whether the default build lacks a declaration.
pub(super) fn is_not_built(rx: &Resolver, file: &FileView, def: DefId) -> bool {
    !file.def(def).decorators.is_empty() && !is_active(rx, file.global(def))
}

/// Whether something that the default build lacks hides another meaning of a name in a module: an import that of an item,
/// or anything that of a glob. Alternatives of one item hide nothing.
pub(super) fn is_hidden_in_part(rx: &Resolver, module: ModuleId, name: &str) -> bool {
    let bodies = Crates::of(rx).bodies(rx, module);
    let all = bodies.iter();
    let all =
        all.flat_map(|(file, scope)| file.named_in_scope(*scope, name).iter().map(move |def| (*file, *def)));
    let all: SmallVec<[(&FileView, DefId); 4]> = all.collect();
    let is_import = |(file, def): &(&FileView, DefId)| file.def(*def).kind == SymbolKind::Import;
    let built = || all.iter().filter(|(file, def)| !is_not_built(rx, file, *def));
    let has_item = built().any(|at| !is_import(at));
    let lacks_import = || all.iter().any(|at| is_import(at) && is_not_built(rx, at.0, at.1));
    !all.is_empty() && built().next().is_none() || has_item && lacks_import()
}

/// The last answers for files.
struct LeftOut(Recent<FileId, Arc<[TextRange]>>);

/// The parts of a file that are there only if somebody asks for a feature that is off by default, and no package at hand does:
/// ordered, none in another.
pub(super) fn left_out(rx: &Resolver, file: &FileView) -> Arc<[TextRange]> {
    let known = rx.extension(|_| LeftOut(Recent::new(1024)));
    known.0.answer(rx, file.id, || {
        if is_left_out(rx, file.id) {
            return Arc::from([TextRange::new(0, u32::MAX)]);
        }
        let crates = Crates::of(rx);
        let module = crates.of_file(file.id);
        // Nothing else is certain of the builds that somebody may make.
        let known = |key: &str, value: Option<&str>| {
            let is_off =
                |name| module.is_some_and(|m| !crates.has_feature(m, name) && !crates.is_asked(m, name));
            (key == "feature" && value.is_some_and(is_off)).then_some(false)
        };
        let is_out = |condition: ExprId| match file.expr(condition) {
            Expr::Call { args, .. } => {
                file.list(args).any(|condition| evaluate(file, condition, &known) == Some(false))
            }
            _ => false,
        };
        let mut parts: Vec<TextRange> = (file.guards.iter())
            .filter(|guard| matches!(guard.test, GuardTest::Build(condition) if is_out(condition)))
            .map(|guard| guard.range)
            .collect();
        parts.sort_unstable_by_key(|part| (part.start, std::cmp::Reverse(part.end)));
        parts.dedup_by(|part, before| part.end <= before.end);
        parts.into()
    })
}

/// Whether the module that the file belongs to is left out.
fn is_left_out(rx: &Resolver, file: FileId) -> bool {
    let crates = Crates::of(rx);
    let Some(module) = crates.of_file(file) else { return false };
    let own = crates.module(module).file;
    if own != file {
        return guard::deeper(|| is_left_out(rx, own)).unwrap_or(false);
    }
    let Some(parent) = crates.parent(module) else { return false };
    let home = rx.file(crates.module(parent).file);
    let declaration = home.def_ids().find(|def| crates.of_declaration(home.global(*def)) == Some(module));
    declaration.is_some_and(|def| {
        let at = home.def(def).name_range.start;
        home.id != file && left_out(rx, home).iter().any(|part| part.contains(at))
    })
}

/// Whether a declaration is there under a condition.
pub(super) fn has_conditions(rx: &Resolver, def: GlobalDef) -> bool {
    conditions_of(rx.file(def.file), def.def).next().is_some()
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

/// Sorts the declarations of the default build first.
pub(super) fn active_first(rx: &Resolver, defs: &mut [GlobalDef]) {
    if defs.len() > 1 {
        defs.sort_by_key(|def| !is_active(rx, *def));
    }
}

/// Declarations of one name in one place that the same code means, under different conditions; those of the default
/// build first.
pub(super) fn alternatives(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let same = |other: &&DefId| file.def(**other).kind == d.kind && !file.def(**other).decorators.is_empty();
    let twins = file.in_scope(d.scope, d.name);
    if twins.len() < 2 || !twins.iter().all(|other| same(&other)) {
        return vec![def];
    }
    let mut all: Vec<GlobalDef> = twins.iter().map(|other| file.global(*other)).collect();
    active_first(rx, &mut all);
    all
}

/// Features that are on where some are asked for, by what the table of features says; sorted.
pub(super) fn features_with(table: &toml::Table, asked: &[String]) -> Option<Arc<[String]>> {
    let features = table.get("features")?.as_table()?;
    let mut on: Vec<String> = Vec::new();
    let mut todo = asked.to_vec();
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
    on.sort_unstable();
    Some(on.into())
}
