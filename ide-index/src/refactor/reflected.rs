//! Texts by which a program asks for a member while it runs: `A.class.getMethod("run")`, `$o->{'run'}()`.

use ide_model::SymbolKind;

use super::callable_texts::called_around;
use super::shapes::is_looked_up;
use crate::lang::names;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// So much of the text before is looked at.
const NEAR: usize = 600;

/// Whether a text that is the name of these members may be how code asks for one of them: a constant by its class, or any
/// member while the program runs.
pub(crate) fn is_asked_for(
    rx: &Resolver,
    file: &FileView,
    members: &[GlobalDef],
    around: (&str, &str),
) -> bool {
    let is_constant = |def: &GlobalDef| rx.kind(*def) == SymbolKind::EnumCase;
    members.iter().any(is_constant) && is_looked_up(rx, file, members, around.0)
        || is_reflected(rx, file, members, around)
}

/// Whether a text that is the name of these members may be how code asks for one of them.
fn is_reflected(
    rx: &Resolver,
    file: &FileView,
    members: &[GlobalDef],
    (before, after): (&str, &str),
) -> bool {
    let Some(words) = names::reflections(file.language()) else { return false };
    let statement = statement_of(before);
    let called = called_around(before).is_some_and(|called| has(words.functions, called));
    let compared = ["==", ".equals("].iter().any(|mark| before.trim_end().ends_with(mark))
        && statement.split(|c| !is_in_name(c)).any(|word| has(words.lists, word));
    if called || compared {
        return fits(rx, members, statement);
    }
    words.has_dynamic_members && (is_dynamic(statement, before, after) || is_pair(rx, members, before))
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn has(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|other| other == word)
}

/// The code before a place from the beginning of its statement, as far as that is near.
fn statement_of(before: &str) -> &str {
    let mut start = before.len().saturating_sub(NEAR);
    while !before.is_char_boundary(start) {
        start += 1;
    }
    let near = &before[start..];
    let end = near.rfind(';').map_or(0, |at| at + 1).max(near.rfind("\n\n").map_or(0, |at| at + 2));
    &near[end..]
}

/// Whether no type is named that is asked, or one that has these members.
fn fits(rx: &Resolver, members: &[GlobalDef], statement: &str) -> bool {
    let owners: Vec<GlobalDef> = members.iter().filter_map(|member| rx.member_owner(*member)).collect();
    let ends = |mark: &'static str| {
        statement.match_indices(mark).map(|(at, _)| {
            let head = &statement[..at];
            &head[head.trim_end_matches(is_in_name).len()..]
        })
    };
    let named: Vec<&str> =
        [".class", "::class"].into_iter().flat_map(ends).filter(|name| !name.is_empty()).collect();
    // The one that is asked is the last.
    let Some(name) = named.last() else { return true };
    let is_related = |owner: &GlobalDef| {
        let is_above = |below: GlobalDef, above: GlobalDef| {
            rx.linearization(&Ty::instance(below)).iter().any(|ty| ty.def() == Some(above))
        };
        let types = rx.world().declarations(name).into_iter().filter(|site| site.kind.is_type());
        types.into_iter().any(|site| is_above(site.at, *owner) || is_above(*owner, site.at))
    };
    has("self static", name) || owners.iter().any(is_related)
}

/// Whether a text, or a variable that has it, stands in the place of the name of a member: `$o->{'run'}`, `$m = 'run'; $o->$m()`.
fn is_dynamic(statement: &str, before: &str, after: &str) -> bool {
    let head = before.trim_end();
    if ["->{", "::{"].iter().any(|mark| head.ends_with(mark)) {
        return true;
    }
    let variable = |text: &str| {
        let name: String = text.chars().take_while(|c| is_in_name(*c)).collect();
        (!name.is_empty()).then_some(name)
    };
    let start = statement.rfind(['{', '}']).map_or(0, |at| at + 1);
    let assigned = statement[start..].trim_start().strip_prefix('$').and_then(|rest| {
        let name = variable(rest)?;
        let rest = rest[name.len()..].trim_start();
        let rest = rest.strip_prefix("??").unwrap_or(rest);
        (rest.starts_with('=') && !rest.starts_with("=>") && !rest.starts_with("==")).then_some(name)
    });
    let listed = || {
        let rest = after.split([';', '{']).next()?;
        let at = rest.find(" as $")?;
        let name = variable(&rest[at + 5..])?;
        Some(match rest[at..].find("=> $") {
            Some(value) => variable(&rest[at + value + 4..])?,
            None => name,
        })
    };
    let Some(name) = assigned.or_else(listed) else { return false };
    let asks = ["->$", "::$", "->{$"].map(|mark| format!("{mark}{name}"));
    let asks_in = |text: &str| {
        asks.iter().any(|ask| {
            text.match_indices(ask.as_str()).any(|(at, _)| !text[at + ask.len()..].starts_with(is_in_name))
        })
    };
    asks_in(before) || asks_in(after)
}

/// Whether a text is the second of two, the first of which names a type of the members: `['A', 'run']`.
fn is_pair(rx: &Resolver, members: &[GlobalDef], before: &str) -> bool {
    let Some(head) = before.trim_end().strip_suffix(',') else { return false };
    let head = head.trim_end();
    let Some(quote) = head.chars().next_back().filter(|c| matches!(c, '"' | '\'')) else { return false };
    let inner = &head[..head.len() - 1];
    let Some(start) = inner.rfind(quote) else { return false };
    let name = inner[start + 1..].rsplit('\\').next().unwrap_or("");
    let opens = ["[", "array("].iter().any(|mark| inner[..start].trim_end().ends_with(mark));
    let owners = members.iter().filter_map(|member| rx.member_owner(*member));
    opens && owners.into_iter().any(|owner| rx.shared_name(owner).eq_ignore_ascii_case(name))
}
