//! The declarations named after another by convention: the accessors of a field, the tests of a type or
//! function, the parameters at one place of a family of methods.

use std::collections::BTreeSet;

use ide_model::{Cx, QueryError, Related, SourceKind, SymbolKind};

use super::family::family;
use crate::facts::DefFlags;
use crate::resolve::{Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// The prefixes of the names of accessors.
const ACCESSORS: [&str; 5] = ["get", "set", "is", "has", "with"];
/// The words before or behind the name of the tested declaration.
const BEFORE_TESTED: [&str; 4] = ["Test", "Benchmark", "Fuzz", "Example"];
const BEHIND_TESTED: [&str; 5] = ["Test", "Tests", "TestCase", "IT", "Spec"];

/// A symbol that gets another name, and who uses it.
pub(super) struct Renamed<'a> {
    pub(super) defs: &'a [GlobalDef],
    pub(super) used_in: &'a BTreeSet<FileId>,
    pub(super) old: &'a str,
    pub(super) new: &'a str,
}

/// The declarations that are called after a symbol, with the names that they get.
///
/// # Errors
/// The errors of a search that was stopped.
pub(super) fn related(
    rx: &Resolver,
    cx: Cx<'_>,
    of: &Renamed<'_>,
    what: Related,
) -> Result<BTreeSet<(GlobalDef, String)>, QueryError> {
    let mut found = BTreeSet::new();
    for def in of.defs {
        let kind = rx.def(*def).kind;
        let is_field = matches!(kind, SymbolKind::Field | SymbolKind::Property);
        if is_field && let Some(owner) = rx.member_owner(*def) {
            if what.accessors {
                found.extend(accessors(rx, *def, owner, of));
            }
            if what.parameters {
                found.extend(parameters_of_field(rx, *def, owner, of));
            }
        }
        if what.parameters && kind == SymbolKind::Parameter {
            found.extend(parameters(rx, cx, *def, of)?);
        }
        let is_tested = kind.is_type() || kind.is_callable();
        if what.tests && is_tested && !rx.def(*def).flags.has(DefFlags::LOCAL) {
            found.extend(tests(rx, *def, of));
        }
    }
    found.retain(|(def, _)| of.defs.binary_search(def).is_err());
    Ok(found)
}

/// A name without the marks of what is private or a variable.
fn bare(name: &str) -> &str {
    name.trim_start_matches(['$', '#', '_'])
}

fn capital(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

/// Both names behind a prefix, as each style of names joins them.
fn prefixed(prefix: &str, old: &str, new: &str) -> [(String, String); 2] {
    let lower = prefix.to_lowercase();
    [
        (format!("{prefix}{}", capital(old)), format!("{prefix}{}", capital(new))),
        (format!("{lower}_{old}"), format!("{lower}_{new}")),
    ]
}

/// The methods of the type of a field that use it and are called after it.
fn accessors(
    rx: &Resolver,
    field: GlobalDef,
    owner: GlobalDef,
    of: &Renamed<'_>,
) -> Vec<(GlobalDef, String)> {
    let (old, new) = (bare(of.old), bare(of.new));
    let mut names: Vec<(String, String)> =
        ACCESSORS.iter().flat_map(|prefix| prefixed(prefix, old, new)).collect();
    names.push((old.to_owned(), new.to_owned()));
    names.push((capital(old), capital(new)));
    let methods = names.into_iter().flat_map(|(old, new)| {
        let named = rx.declared_members(owner, &old).into_iter();
        named.map(move |method| (method, new.clone()))
    });
    methods.filter(|(method, _)| rx.def(*method).kind.is_callable() && uses(rx, *method, field)).collect()
}

/// Whether a field is used, or first named, inside a method.
fn uses(rx: &Resolver, method: GlobalDef, field: GlobalDef) -> bool {
    let view = rx.file(method.file);
    let range = view.def(method.def).range;
    let name = rx.shared_name(field);
    let mut declared = rx.policy_of(field).same_symbol(rx, field).into_iter();
    let is_inside = |d: GlobalDef| d.file == method.file && range.encloses(rx.def(d).name_range);
    declared.any(is_inside)
        || view.ref_ids().any(|r| {
            range.encloses(view.reference(r).range)
                && view.ref_name(r) == bare_sigil(&name)
                && rx.resolve(view.global_ref(r)).resolution.targets.contains(&Target::Def(field))
        })
}

/// A name as it is written behind an object.
fn bare_sigil(name: &str) -> &str {
    name.trim_start_matches('$')
}

/// The parameters of constructors and methods of a field's type that use it and are called like it.
fn parameters_of_field(
    rx: &Resolver,
    field: GlobalDef,
    owner: GlobalDef,
    of: &Renamed<'_>,
) -> Vec<(GlobalDef, String)> {
    let view = rx.file(owner.file);
    let callable = view.def_ids().filter(|def| {
        let at = view.global(*def);
        view.def(*def).kind.is_callable() && rx.member_owner(at) == Some(owner) && uses(rx, at, field)
    });
    let parameters = callable.flat_map(|def| view.list(view.def(def).params).collect::<Vec<_>>());
    let alike = parameters.filter(|parameter| {
        bare_sigil(view.def_name(*parameter)) == bare(of.old) && view.global(*parameter) != field
    });
    alike
        .map(|parameter| {
            let sigil = if view.def_name(parameter).starts_with('$') { "$" } else { "" };
            (view.global(parameter), format!("{sigil}{}", bare(of.new)))
        })
        .collect()
}

/// The parameters at the place of one, in the methods above and below its own.
fn parameters(
    rx: &Resolver,
    cx: Cx<'_>,
    parameter: GlobalDef,
    of: &Renamed<'_>,
) -> Result<Vec<(GlobalDef, String)>, QueryError> {
    let view = rx.file(parameter.file);
    let place = view.def_ids().find_map(|method| {
        let mut all = view.list(view.def(method).params);
        Some((view.global(method), all.position(|p: crate::facts::DefId| p == parameter.def)?))
    });
    let Some((method, at)) = place else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for twin in family(rx, cx, &[method], true)?.defs {
        let file = rx.file(twin.file);
        let same = file.list(file.def(twin.def).params).nth(at);
        if let Some(same) = same.filter(|same| file.def_name(*same) == of.old) {
            found.push((file.global(same), of.new.to_owned()));
        }
    }
    Ok(found)
}

/// Declarations that have the name of a symbol between the marks of a test, where it is used.
fn tests(rx: &Resolver, def: GlobalDef, of: &Renamed<'_>) -> Vec<(GlobalDef, String)> {
    let (old, new) = (bare(of.old), bare(of.new));
    let mut names: Vec<(String, String)> =
        BEFORE_TESTED.iter().flat_map(|prefix| prefixed(prefix, old, new)).collect();
    names.extend(BEHIND_TESTED.iter().map(|suffix| (format!("{old}{suffix}"), format!("{new}{suffix}"))));
    let family = rx.language_of(def).family();
    let sites = names.into_iter().flat_map(|(old, new)| {
        rx.world().declarations(&old).into_iter().map(move |site| (site, new.clone()))
    });
    let is_test = |site: &crate::world::DeclarationSite| {
        (site.kind.is_type() || site.kind.is_callable())
            && of.used_in.contains(&site.at.file)
            && rx.language_of(site.at).family() == family
            && rx.world().file(site.at.file).source != SourceKind::Library
    };
    sites.filter(|(site, _)| is_test(site)).map(|(site, new)| (site.at, new)).collect()
}
