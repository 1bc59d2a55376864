//! Declarations and modules that texts in calls name by their dotted names: `patch("pkg.mod.f")`, `import_module("pkg.mod")`.
//! They follow what is renamed or moved, and keep from being deleted what they name.

use ide_model::{FilePath, QueryError, Refactored, SymbolKind};

use super::RefactorContext;
use super::heirs::{Whole, follow_calls, heirs};
use crate::facts::{DefFlags, FileFacts};
use crate::lang;

/// Adds to a plan what such texts must say then.
///
/// # Errors
/// The errors of reading files.
pub(super) fn follow(
    ctx: &RefactorContext<'_>,
    in_spite: bool,
    mut done: Refactored,
) -> Result<Refactored, QueryError> {
    let counts = |language| !lang::takers_of_dotted_names(language).is_empty();
    let heirs = heirs(ctx, &done, counts, &|path, facts| names(ctx, path, facts))?;
    if !heirs.is_empty() {
        let said = |name: &str| (!in_spite).then(|| format!("`{name}` is named in a text here"));
        follow_calls(ctx, &heirs, &mut done, lang::takers_of_dotted_names, &said)?;
    }
    Ok(done)
}

/// The dotted names of a module and of what it declares, in the order of its declarations.
fn names(ctx: &RefactorContext<'_>, path: &FilePath, facts: &FileFacts) -> Vec<Whole> {
    let Some(module) = ctx.pool.with(|rx| lang::dotted_name_of(rx, path.as_str())) else {
        return Vec::new();
    };
    let mut all = vec![(module.clone(), String::new())];
    for def in &facts.defs {
        let is_inner =
            matches!(def.kind, SymbolKind::Parameter | SymbolKind::TypeParameter | SymbolKind::Import);
        let mut parts = vec![facts.name(def.name)];
        let mut is_local = def.flags.has(DefFlags::LOCAL);
        let mut scope = def.scope;
        while let Some(outer) = facts.enclosing_def(scope).filter(|_| parts.len() < facts.defs.len()) {
            parts.push(facts.def_name(outer));
            is_local |= facts.def(outer).flags.has(DefFlags::LOCAL);
            scope = facts.def(outer).scope;
        }
        if !is_inner && !is_local {
            parts.reverse();
            all.push((module.clone(), parts.join(".")));
        }
    }
    all
}
