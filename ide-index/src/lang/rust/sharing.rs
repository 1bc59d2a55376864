//! Macros that files share: what a file gives and calls, and which of several macros of a name a file means.
//!
//! Files are read one by one, so this goes by their paths alone: the directories of a package that Cargo knows.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::library;
use super::rules::Source;
use crate::builder::FactBuilder;
use crate::facts::{Export, Expr, FileFacts, ImportId, RefId, Role};
use crate::kit::{Kind, Tokens};
use crate::macros::{FileMacros, Shared};

/// Begins the rules of macros that other crates see.
const EXPORTED: &str = "pub ";

/// Says which macros other files may call, each with its rules: those that are written outside of functions, and of
/// nothing else than the text, so that it does not depend on other files itself.
pub(super) fn share(builder: &mut FactBuilder, text: &str, tokens: &Tokens) {
    let all = Source { text, tokens };
    let end = tokens.list.len() - 1;
    let mut at = 0;
    let mut is_exported = false;
    while at < end {
        let token = all.token(at);
        if token.kind == Kind::Open {
            let holds_items = at > 0 && all.is(at - 1, b'!') || at > 1 && all.str(at - 2) == "mod";
            at = if holds_items && token.is(b'{') { at + 1 } else { all.over(at).max(at + 1) };
            continue;
        }
        if token.is(b'#') && all.is(at + 1, b'[') {
            let behind = all.over(at + 1).max(at + 2);
            is_exported |= (at + 2..behind).any(|i| all.str(i) == "macro_export");
            at = behind;
            continue;
        }
        let body = at + 3;
        if token.kind == Kind::Word
            && all.str(at) == "macro_rules"
            && all.is(at + 1, b'!')
            && all.is_word(at + 2)
            && all.token(body).kind == Kind::Open
        {
            let close = all.token(all.token(body).mate as usize);
            let rules = &text[all.token(body).start as usize..close.end as usize];
            if rules.len() <= MAX_RULES {
                let rules = builder.name(&format!("{}{rules}", if is_exported { EXPORTED } else { "" }));
                let (name, value) = (builder.name(all.str(at + 2)), builder.expr(Expr::Text(rules)));
                builder.export(Export { name, value });
            }
            is_exported = false;
            at = all.over(body).max(body + 1);
            continue;
        }
        is_exported &= token.kind == Kind::Word && all.str(at) == "pub";
        at += 1;
    }
}

/// Macros with longer rules are not shared.
const MAX_RULES: usize = 64 << 10;

/// The macros of a file that other files use, and its uses of theirs; `None` for files that neither have nor
/// call any.
pub(crate) fn macros_of(path: &Arc<str>, facts: &FileFacts) -> Option<Box<FileMacros>> {
    let mut all = FileMacros::default();
    let mut own = FxHashSet::default();
    for export in &facts.exports {
        let Expr::Text(rules) = facts.expr(export.value) else { continue };
        let rules = facts.name(rules);
        let shared = Shared {
            path: path.clone(),
            rules: rules.trim_start_matches(EXPORTED).into(),
            is_exported: rules.starts_with(EXPORTED),
        };
        own.insert(export.name);
        all.given.push((facts.name(export.name).into(), shared));
    }
    let mut seen = FxHashSet::default();
    for reference in facts.ref_ids().filter(|r| facts.reference(*r).role == Role::Macro) {
        let r = facts.reference(reference);
        if own.contains(&r.name) || r.receiver.is_none() && !seen.insert(r.name) {
            continue;
        }
        for (krate, name) in called(facts, reference) {
            let call = (krate.map(Box::from), name.into());
            if !all.called.contains(&call) {
                all.called.push(call);
            }
        }
    }
    (!all.given.is_empty() || !all.called.is_empty()).then(|| Box::new(all))
}

/// The package that a file belongs to and the part of it: `src`, or a directory of other targets.
fn place(path: &str) -> (&str, &str) {
    let directories =
        || path.match_indices('/').map(|(end, _)| (path[..end].rfind('/').map_or(0, |at| at + 1), end));
    let is_other = |name: &str| matches!(name, "tests" | "benches" | "examples");
    let source = directories().rfind(|(from, to)| &path[*from..*to] == "src");
    let found = source.or_else(|| directories().find(|(from, to)| is_other(&path[*from..*to])));
    found.map_or(("", ""), |(from, to)| (path[..from].trim_end_matches('/'), &path[from..to]))
}

/// How many directories two files have in common.
fn nearness(a: &str, b: &str) -> usize {
    let directories = |path: &str| path.rfind('/').map_or(0, |end| end);
    let (a, b) = (&a[..directories(a)], &b[..directories(b)]);
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

/// The macro that a file means by the name that all of these have; `krate` is the crate that is said to have it, where it
/// is not the own one.
pub(crate) fn meant<'s>(from: &str, krate: Option<&str>, all: &'s [Shared]) -> Option<&'s Shared> {
    let (package, target) = place(from);
    let is_seen = |shared: &&Shared| {
        let (other, other_target) = place(&shared.path);
        match krate {
            None => other == package && other_target == target,
            Some(name) => {
                let directory = other.rsplit('/').next().unwrap_or_default();
                let is_named = directory.replace('-', "_") == name;
                shared.is_exported
                    && other_target == "src"
                    && (is_named || other == package && target != "src")
            }
        }
    };
    if all.iter().any(|shared| &*shared.path == from) {
        return None;
    }
    let best = all.iter().filter(is_seen).map(|shared| nearness(from, &shared.path)).max()?;
    let mut nearest = all.iter().filter(is_seen).filter(|shared| nearness(from, &shared.path) == best);
    let first = nearest.next()?;
    // Under different conditions one file may have several.
    nearest.all(|other| other.path == first.path || other.rules == first.rules).then_some(first)
}

/// The crates and names by which a macro may be called where it is, the likeliest last; no crate is the own one.
pub(super) fn called(facts: &FileFacts, callee: RefId) -> SmallVec<[(Option<&str>, &str); 2]> {
    let name = facts.ref_name(callee);
    let Some(mut at) = facts.reference(callee).receiver else {
        let own = (!library::is_macro(name)).then_some((None, name));
        return own.into_iter().chain(imported(facts, name)).collect();
    };
    loop {
        match facts.expr(at) {
            Expr::Block { value, .. } => {
                let is_own = matches!(facts.expr(value), Expr::Text(root) if facts.name(root) != "::");
                return is_own.then_some((None, name)).into_iter().collect();
            }
            Expr::Ref(segment) => match facts.reference(segment).receiver {
                Some(outer) => at = outer,
                None => return smallvec![(Some(facts.ref_name(segment)), name)],
            },
            _ => return SmallVec::new(),
        }
    }
}

fn imported<'f>(facts: &'f FileFacts, name: &str) -> Option<(Option<&'f str>, &'f str)> {
    let mut all = (0..facts.imports.len() as u32).map(|id| facts.import(ImportId(id)));
    let import = all.find(|import| import.def.is_some_and(|def| facts.def_name(def) == name))?;
    let member = facts.ref_name(import.member?);
    let root = facts.name(import.module).trim_start_matches("::").split("::").next()?;
    Some((Some(root).filter(|root| !matches!(*root, "crate" | "self" | "super" | "")), member))
}
