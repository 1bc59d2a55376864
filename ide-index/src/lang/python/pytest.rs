//! Fixtures of pytest: a test's parameter is what the function of that name makes, in the file or in a `conftest.py`
//! above it. Nothing in the language says so, hence what follows from it is possible, never certain.

use std::sync::Arc;

use ide_model::{Confidence, Language, SymbolKind, paths};

use crate::facts::{
    DefFlags, DefId, Expr, ExprId, FileFacts, List, Ref, RefFlags, RefId, Role, ScopeId, ScopeKind,
};
use crate::guard;
use crate::query::definition::At;
use crate::resolve::{FileView, GivenName, Resolution, Resolver, Target, Ty};
use crate::world::GlobalDef;

use super::modules::{self, Module};
use super::values;

/// The type of the parameter that stands before the dot of a member access, when a fixture fills it.
pub(super) fn receiver_type(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Ty> {
    let receiver = rx.expr_ref(file, file.reference(reference).receiver?)?;
    let def = rx.resolve(file.global_ref(receiver)).resolution.defs().next()?;
    if def.file != file.id || file.def(def.def).kind != SymbolKind::Parameter {
        return None;
    }
    let function = file.enclosing_function(file.def(def.def).scope)?;
    let takes_fixtures = file.def_name(function).starts_with("test") || is_fixture(file, function);
    let name = file.def_name(def.def);
    if !takes_fixtures {
        return None;
    }
    let fixture = find(rx, file, name, function)?;
    let made = rx.return_type(fixture);
    let is_generator = rx.def(fixture).flags.has(DefFlags::GENERATOR);
    Some(if is_generator { values::element(rx, &made) } else { made })
}

fn find(rx: &Resolver, file: &FileView, name: &str, except: DefId) -> Option<GlobalDef> {
    find_from(rx, file, name, Some(except), file.def(except).scope)
}

/// The fixture of a name for who stands in a scope: of the class, of the file, of the nearest `conftest.py`.
fn find_from(
    rx: &Resolver,
    file: &FileView,
    name: &str,
    except: Option<DefId>,
    scope: ScopeId,
) -> Option<GlobalDef> {
    let is_near = |scope: &ScopeId| matches!(file.scope(*scope).kind, ScopeKind::Class | ScopeKind::File);
    for scope in file.scope_chain(scope).filter(is_near) {
        let own = file.named_in_scope(scope, name).iter().filter(|def| Some(**def) != except);
        let own = own.rev().find_map(|def| as_fixture(rx, file.global(*def), name));
        let named = || named_by_decorator(file, scope, name).filter(|def| Some(*def) != except).last();
        if let Some(def) = own.or_else(|| named().map(|def| file.global(def))) {
            return Some(def);
        }
    }
    let mut dir = paths::directory(&file.path);
    loop {
        let path = if dir.is_empty() { "conftest.py".to_owned() } else { format!("{dir}/conftest.py") };
        if let Some(id) = rx.world().file_by_path(&path).filter(|id| *id != file.id) {
            let found = modules::module_member(rx, &Module::File(id), name, None);
            let found = found.and_then(|found| match found {
                Target::Def(def) => as_fixture(rx, def, name),
                _ => None,
            });
            let conftest = rx.file(id);
            let named = || named_by_decorator(conftest, ScopeId(0), name).last();
            let found = found.or_else(|| named().map(|def| conftest.global(def)));
            if found.is_some() {
                return found;
            }
        }
        if dir.is_empty() {
            return None;
        }
        dir = paths::directory(dir);
    }
}

/// A fixture, or the one that an import brings, where its decorator gives it no other name.
fn as_fixture(rx: &Resolver, def: GlobalDef, name: &str) -> Option<GlobalDef> {
    let meant = rx.through_imports(Resolution::def(def));
    let is_it = |def: &GlobalDef| {
        let file = rx.file(def.file);
        is_fixture(file, def.def) && given_name(file, def.def).is_none_or(|given| given == name)
    };
    meant.defs().find(is_it)
}

/// The name that its decorator gives to a fixture: `@pytest.fixture(name="basket")`.
pub(super) fn given_name(file: &FileView, def: DefId) -> Option<&str> {
    let decorators = file.list(file.def(def).decorators);
    let mut arguments =
        decorators.filter(|decorator| names_fixture(file, *decorator)).flat_map(|decorator| {
            let args = match file.expr(decorator) {
                Expr::Call { args, .. } => args,
                _ => List::EMPTY,
            };
            file.list(args)
        });
    arguments.find_map(|argument| match file.expr(argument) {
        Expr::Named { key, value } if file.ref_name(key) == "name" => match file.expr(value) {
            Expr::Text(name) => Some(file.name(name)),
            _ => None,
        },
        _ => None,
    })
}

/// The fixtures of a scope to which their decorators give a name.
fn named_by_decorator<'f>(
    file: &'f FileView,
    scope: ScopeId,
    name: &str,
) -> impl Iterator<Item = DefId> + use<'f> {
    let refs = file.name_id(name).map_or(&[][..], |name| file.refs_named(name));
    let names = refs.iter().map(|r| file.reference(*r)).filter(move |r| r.scope == scope && is_naming(r));
    names.flat_map(move |r| {
        file.def_ids().filter(move |def| {
            let d = file.def(*def);
            d.scope == scope && d.range.start <= r.range.start && r.range.end <= d.name_range.start
        })
    })
}

/// Whether a string is the name that a decorator gives to a fixture.
pub(super) fn is_naming(r: &Ref) -> bool {
    r.flags.has(RefFlags::IN_STRING) && r.flags.has(RefFlags::IMPLICIT)
}

/// The place that names a fixture otherwise than its function, where a request of it is written with that name: the
/// parameter, a use of it, a string; or where the place itself is.
pub(super) fn given_place(rx: &Resolver, file: &FileView, at: At) -> Option<GivenName> {
    let fixture = match at {
        At::Ref(reference) if is_naming(file.reference(reference)) => {
            return Some(GivenName { file: file.id, range: file.reference(reference).range });
        }
        At::Ref(reference) if is_request(file.reference(reference)) => {
            requested(rx, file, reference).defs().next()?
        }
        At::Ref(reference) if file.reference(reference).receiver.is_some() => return None,
        At::Ref(reference) => of_parameter(rx, file.global(rx.bound(file, reference)?))?,
        At::Def(def) => of_parameter(rx, file.global(def))?,
    };
    let home = rx.file(fixture.file);
    let name = home.name_id(given_name(home, fixture.def)?)?;
    let d = home.def(fixture.def);
    let mut places = home.refs_named(name).iter().map(|r| home.reference(*r)).filter(|r| is_naming(r));
    let range = places.find(|r| d.range.encloses(r.range) && r.range.end <= d.name_range.start)?.range;
    Some(GivenName { file: fixture.file, range })
}

/// Functions that take names of fixtures.
pub(super) const TAKE_NAMES: &[&str] = &["usefixtures", "getfixturevalue"];

pub(super) fn is_fixture(file: &FileView, def: DefId) -> bool {
    is_fixture_in(file, def)
}

/// The same of facts that are being made.
pub(super) fn is_fixture_in(file: &FileFacts, def: DefId) -> bool {
    file.list(file.def(def).decorators).any(|decorator| names_fixture(file, decorator))
}

fn names_fixture(file: &FileFacts, decorator: ExprId) -> bool {
    match file.expr(decorator) {
        Expr::Ref(name) => file.ref_name(name) == "fixture",
        Expr::Call { callee, .. } => guard::deeper(|| names_fixture(file, callee)).unwrap_or(false),
        _ => false,
    }
}

/// Whether a name stands where pytest looks for a fixture: at a parameter, or in a string.
pub(super) fn is_request(r: &Ref) -> bool {
    r.role == Role::Read && r.receiver.is_none() && (r.flags.has(RefFlags::IMPLICIT) || is_in_list(r))
}

/// Whether a string requests a fixture: `usefixtures("db")`, `parametrize("db", …, indirect=True)`.
fn is_in_list(r: &Ref) -> bool {
    r.flags.has(RefFlags::IN_STRING) && r.flags.has(RefFlags::DYNAMIC)
}

/// The fixture that pytest finds for a name, where it looks for one.
pub(super) fn requested(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let r = file.reference(reference);
    if is_naming(r) {
        return Resolution::external("pytest.fixture");
    }
    let function = file.enclosing_function(r.scope);
    let found = match function.filter(|_| r.flags.has(RefFlags::IMPLICIT)) {
        Some(function) if is_parametrized(file, function, file.ref_name(reference)) => None,
        Some(function) => find(rx, file, file.ref_name(reference), function),
        None => find_from(rx, file, file.ref_name(reference), None, r.scope),
    };
    match found {
        Some(fixture) => Resolution::of(Target::Def(fixture), Confidence::Inferred),
        None => Resolution::external(format!("pytest.{}", file.ref_name(reference))),
    }
}

/// The fixture that fills a parameter.
pub(super) fn of_parameter(rx: &Resolver, param: GlobalDef) -> Option<GlobalDef> {
    let file = rx.file(param.file);
    let d = file.def(param.def);
    if d.kind != SymbolKind::Parameter {
        return None;
    }
    let is_it = |r: &&RefId| {
        let r = file.reference(**r);
        r.range == d.name_range && r.flags.has(RefFlags::IMPLICIT)
    };
    let request = file.refs_named(d.name).iter().find(is_it)?;
    requested(rx, file, *request).defs().next()
}

/// The parameters that a fixture fills.
pub(super) fn parameters_of(rx: &Resolver, fixture: GlobalDef) -> Vec<GlobalDef> {
    let home = rx.file(fixture.file);
    if !is_fixture(home, fixture.def) {
        return Vec::new();
    }
    let name: Arc<str> = given_name(home, fixture.def).map_or_else(|| rx.shared_name(fixture), Arc::from);
    let mut found = Vec::new();
    for id in rx.world().files_mentioning(&name) {
        if rx.world().file(id).language != Some(Language::Python) {
            continue;
        }
        let file = rx.file(id);
        let params = file
            .def_ids()
            .filter(|def| file.def(*def).kind == SymbolKind::Parameter && file.def_name(*def) == &*name);
        let is_filled = |def: &DefId| of_parameter(rx, file.global(*def)) == Some(fixture);
        found.extend(params.filter(is_filled).map(|def| file.global(def)));
    }
    found
}

/// Fixtures of the same name that a fixture overrides, or that override it: who asks for the name may get any of them.
pub(super) fn overriding(rx: &Resolver, fixture: GlobalDef) -> Vec<GlobalDef> {
    let home = rx.file(fixture.file);
    if !is_fixture(home, fixture.def) || given_name(home, fixture.def).is_some() {
        return Vec::new();
    }
    let name = rx.shared_name(fixture);
    let overridden = find(rx, home, &name, fixture.def);
    let mut found: Vec<GlobalDef> = overridden.into_iter().collect();
    for id in rx.world().files_mentioning(&name) {
        if rx.world().file(id).language != Some(Language::Python) {
            continue;
        }
        let file = rx.file(id);
        let overrides = |def: &DefId| {
            file.global(*def) != fixture
                && file.def_name(*def) == &*name
                && is_fixture(file, *def)
                && find(rx, file, &name, *def) == Some(fixture)
        };
        found.extend(file.def_ids().filter(overrides).map(|def| file.global(def)));
    }
    found.retain(|other| given_name(rx.file(other.file), other.def).is_none());
    found
}

/// `@pytest.mark.parametrize("a, b", …)` gives these parameters their values, fixture or not, unless it hands them to the
/// fixture: `indirect=["a"]`.
fn is_parametrized(file: &FileView, function: DefId, name: &str) -> bool {
    let d = file.def(function);
    let in_head = |r: &Ref| d.range.start <= r.range.start && r.range.end <= d.name_range.start;
    let refs = file.name_id(name).map_or(&[][..], |name| file.refs_named(name));
    if refs.iter().map(|r| file.reference(*r)).any(|r| is_in_list(r) && in_head(r)) {
        return false;
    }
    let has_name = |names: ExprId| matches!(file.expr(names), Expr::Text(names) if file.name(names).split(',').any(|part| part.trim() == name));
    let is_it = |decorator: ExprId| {
        let Expr::Call { callee, args, .. } = file.expr(decorator) else { return false };
        let Expr::Ref(called) = file.expr(callee) else { return false };
        let argnames = |argument: ExprId| match file.expr(argument) {
            Expr::Named { key, value } => (file.ref_name(key) == "argnames").then_some(value),
            _ => None,
        };
        let names = file.list(args).find_map(argnames).or_else(|| file.list(args).next());
        let is_named = names.is_some_and(|names| match file.expr(names) {
            Expr::Collection { items, .. } => file.list(items).any(has_name),
            _ => has_name(names),
        });
        file.ref_name(called) == "parametrize" && is_named
    };
    file.list(d.decorators).any(is_it)
}
