//! Fixtures of pytest: a test's parameter is what the function of that name makes, in the file or in a `conftest.py`
//! above it. Nothing in the language says so, hence what follows from it is possible, never certain.

use ide_model::{Confidence, Language, SymbolKind, paths};

use crate::facts::{
    DefFlags, DefId, Expr, ExprId, FileFacts, Ref, RefFlags, RefId, Role, ScopeId, ScopeKind,
};
use crate::guard;
use crate::resolve::{FileView, Resolution, Resolver, Target, Ty};
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
        if let Some(def) = own.rev().find_map(|def| as_fixture(rx, file.global(*def))) {
            return Some(def);
        }
    }
    let mut dir = paths::directory(&file.path);
    loop {
        let path = if dir.is_empty() { "conftest.py".to_owned() } else { format!("{dir}/conftest.py") };
        if let Some(id) = rx.world().file_by_path(&path).filter(|id| *id != file.id) {
            let found = modules::module_member(rx, &Module::File(id), name, None);
            let found = found.and_then(|found| match found {
                Target::Def(def) => as_fixture(rx, def),
                _ => None,
            });
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

/// A fixture, or the one that an import brings.
fn as_fixture(rx: &Resolver, def: GlobalDef) -> Option<GlobalDef> {
    let meant = rx.through_imports(Resolution::def(def));
    meant.defs().find(|def| is_fixture(rx.file(def.file), def.def))
}

/// Functions that take names of fixtures.
pub(super) const TAKE_NAMES: &[&str] = &["usefixtures", "getfixturevalue"];

pub(super) fn is_fixture(file: &FileView, def: DefId) -> bool {
    is_fixture_in(file, def)
}

/// The same of facts that are being made.
pub(super) fn is_fixture_in(file: &FileFacts, def: DefId) -> bool {
    fn names_fixture(file: &FileFacts, decorator: ExprId) -> bool {
        match file.expr(decorator) {
            Expr::Ref(name) => file.ref_name(name) == "fixture",
            Expr::Call { callee, .. } => guard::deeper(|| names_fixture(file, callee)).unwrap_or(false),
            _ => false,
        }
    }
    file.list(file.def(def).decorators).any(|decorator| names_fixture(file, decorator))
}

/// Whether a name stands where pytest looks for a fixture: at a parameter, or in a string.
pub(super) fn is_request(r: &Ref) -> bool {
    r.role == Role::Read
        && r.receiver.is_none()
        && (r.flags.has(RefFlags::IMPLICIT)
            || r.flags.has(RefFlags::IN_STRING) && r.flags.has(RefFlags::DYNAMIC))
}

/// The fixture that pytest finds for a name, where it looks for one.
pub(super) fn requested(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let r = file.reference(reference);
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
    let is_it = |r: &&RefId| {
        let r = file.reference(**r);
        r.range == d.name_range && r.flags.has(RefFlags::IMPLICIT)
    };
    let request = file.refs_named(d.name).iter().find(is_it).filter(|_| d.kind == SymbolKind::Parameter)?;
    requested(rx, file, *request).defs().next()
}

/// The parameters that a fixture fills.
pub(super) fn parameters_of(rx: &Resolver, fixture: GlobalDef) -> Vec<GlobalDef> {
    let home = rx.file(fixture.file);
    if !is_fixture(home, fixture.def) {
        return Vec::new();
    }
    let name = rx.shared_name(fixture);
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

/// `@pytest.mark.parametrize("a, b", …)` gives these parameters their values, fixture or not.
fn is_parametrized(file: &FileView, function: DefId, name: &str) -> bool {
    let is_it = |decorator: ExprId| {
        let Expr::Call { callee, args, .. } = file.expr(decorator) else { return false };
        let Expr::Ref(called) = file.expr(callee) else { return false };
        let Some(Expr::Text(names)) = file.list(args).next().map(|names| file.expr(names)) else {
            return false;
        };
        file.ref_name(called) == "parametrize" && file.name(names).split(',').any(|part| part.trim() == name)
    };
    file.list(file.def(function).decorators).any(is_it)
}
