//! Fixtures of pytest: a test's parameter is what the function of that name makes, in the file or in a `conftest.py`
//! above it. Nothing in the language says so, hence what follows from it is possible, never certain.

use ide_model::{SymbolKind, paths};

use crate::facts::{DefFlags, DefId, Expr, ExprId, RefId};
use crate::guard;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

use super::modules;
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
    let own = file.named_in_scope(crate::facts::ScopeId(0), name);
    if let Some(def) = own.iter().find(|d| **d != except && is_fixture(file, **d)) {
        return Some(file.global(*def));
    }
    let mut dir = paths::directory(&file.path);
    loop {
        let path = if dir.is_empty() { "conftest.py".to_owned() } else { format!("{dir}/conftest.py") };
        if let Some(id) = rx.world().file_by_path(&path).filter(|id| *id != file.id) {
            let view = rx.file(id);
            let found = modules::top_level(rx, id, name, None);
            if let Some(def) = found.into_iter().find(|d| is_fixture(view, d.def)) {
                return Some(def);
            }
        }
        if dir.is_empty() {
            return None;
        }
        dir = paths::directory(dir);
    }
}

pub(super) fn is_fixture(file: &FileView, def: DefId) -> bool {
    fn names_fixture(file: &FileView, decorator: ExprId) -> bool {
        match file.expr(decorator) {
            Expr::Ref(name) => file.ref_name(name) == "fixture",
            Expr::Call { callee, .. } => guard::deeper(|| names_fixture(file, callee)).unwrap_or(false),
            _ => false,
        }
    }
    file.list(file.def(def).decorators).any(|decorator| names_fixture(file, decorator))
}
