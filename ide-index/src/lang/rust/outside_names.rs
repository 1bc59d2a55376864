//! The meaning of names in code that lead beside the world, for the asking place: of several declarations of a path
//! the one that fits, macros by whatever way they are passed on, what star imports bring; and what declarations there
//! are called.

use std::sync::{Arc, Mutex};

use ide_model::{SymbolKind, Visibility};
use rustc_hash::{FxHashMap, FxHashSet};

use super::conditions::active_first;
use super::crates::STANDARD;
use super::derives;
use super::implementations::{remembered_as, written};
use super::library;
use super::names::{Space, is_in, space_of};
use super::outside::{
    Place, Walker, declarations, files_of, imports_for, included, inner_module, is_at_hand, listed,
    module_of, place_of, root_of, says,
};
use super::outside_types::by_trait;
use crate::facts::{Def, DefFlags, DefId, Import, ImportFlags, ImportKind, RefId, ScopeId, TypeExpr, TypeId};
use crate::library::Listed;
use crate::resolve::{FileView, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// So many modules are looked into for one name.
const MAX_TRIED: usize = 64;

/// The targets of a path from a crate's name: for a crate or a module its file, among several declarations of a name
/// the macro, or the one that is none, as asked.
pub(super) fn targets(rx: &Resolver, path: &str, asking: Option<(&FileView, RefId)>) -> Vec<Target> {
    let is_macro =
        asking.is_some_and(|(file, r)| derives::is_derived(file, r) || space_of(file, r) == Space::Macro);
    if let Some(root) = root_of(rx, path).filter(|_| !is_macro) {
        return vec![Target::Module(root.file)];
    }
    let mut all = declarations(rx, path);
    if all.is_empty()
        && let Some((file, _)) = asking
        && let Some(path) = path.rsplit_once("::").and_then(|(of, name)| by_trait(rx, file, of, name))
    {
        all = declarations(rx, &path);
    }
    let is_fitting = |def: &&GlobalDef| is_in(rx.file(def.file), def.def, Space::Macro) == is_macro;
    let mut fitting: Vec<GlobalDef> = all.iter().filter(is_fitting).copied().collect();
    if is_macro && fitting.is_empty() {
        let by_derive = || asking.and_then(|(file, r)| reader_of_attribute(rx, file, r));
        fitting.extend(macro_at(rx, path).or_else(by_derive));
    }
    let is_other = |def: &&GlobalDef| !is_macro || rx.kind(**def) != SymbolKind::Module;
    let mut chosen =
        if fitting.is_empty() { all.iter().filter(is_other).copied().collect() } else { fitting };
    active_first(rx, &mut chosen);
    if chosen.is_empty() && !is_macro {
        let module = place_of(rx, path).filter(|place| place.scope == ScopeId(0));
        let by_macro = || macro_at(rx, path).map(Target::Def);
        return module.map(|place| Target::Module(place.file)).or_else(by_macro).into_iter().collect();
    }
    chosen.into_iter().map(|def| through_module(rx, def)).collect()
}

/// The derive macro that reads an attribute of a type or inside of it.
fn reader_of_attribute(rx: &Resolver, file: &FileView, attribute: RefId) -> Option<GlobalDef> {
    let at = file.reference(attribute).range.start;
    let types = file.def_ids().map(|def| file.def(def)).filter(|d| d.kind.is_type() && !d.supers.is_empty());
    let of =
        types.filter(|d| d.range.end > at).min_by_key(|d| (d.range.start.max(at) - at, d.range.len()))?;
    let name = file.ref_name(attribute);
    file.list(of.supers).find_map(|edge| {
        let TypeExpr::Named { name: derive, .. } = file.ty(edge.ty) else { return None };
        let resolved = rx.resolve(file.global_ref(derive)).resolution;
        let found = match resolved.targets.first()? {
            Target::Def(def) => *def,
            Target::External(path) => macro_at(rx, path)?,
            Target::Module(_) | Target::Package(_) => return None,
        };
        derives::reads_attribute(rx.file(found.file), found.def, name).then_some(found)
    })
}

/// `mod name;` stands for its file.
fn through_module(rx: &Resolver, def: GlobalDef) -> Target {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    let is_file = d.kind == SymbolKind::Module && d.body.is_none();
    let place = is_file.then(|| inner_module(rx, &module_of(rx, file, d.scope)?, file, def.def)).flatten();
    place.map_or(Target::Def(def), |place| Target::Module(place.file))
}

/// The macro that a path from a crate's name means, where something else has the name too.
fn macro_at(rx: &Resolver, path: &str) -> Option<GlobalDef> {
    let (module, name) = path.rsplit_once("::")?;
    let found = exported_from(rx, &place_of(rx, module)?, name, &mut Tried::default());
    found.or_else(|| STANDARD.contains(&module).then(|| standard_macro(rx, name)).flatten())
}

/// Modules that were looked into. Star imports lead to the same ones in many ways, and in circles.
type Tried = FxHashSet<(FileId, ScopeId)>;

/// A macro of a module or that it passes on; of a crate one that is exported anywhere in it.
fn exported_from(rx: &Resolver, place: &Place, name: &str, tried: &mut Tried) -> Option<GlobalDef> {
    if tried.len() > MAX_TRIED || !tried.insert((place.file, place.scope)) {
        return None;
    }
    let file = rx.file(place.file);
    let mut own = file.named_in_scope(place.scope, name).iter();
    let declared = own.find(|def| file.def(**def).kind == SymbolKind::Macro).map(|def| file.global(*def));
    let exported = || match place.parent {
        Some(_) => None,
        None if STANDARD.contains(&place.krate()) => macro_of_standard(rx, name),
        None => exported_macro(rx, place, name),
    };
    let passed_on = || {
        imports_for(file, place.scope, name).into_iter().find_map(|import| {
            let name = if import.kind == ImportKind::Star { name } else { file.ref_name(import.member?) };
            let target = Walker::new(rx).target(place, file, import)?;
            exported_from(rx, &target, name, tried)
        })
    };
    declared.or_else(exported).or_else(passed_on)
}

/// The path under which a star import of a module brings a name, if it does.
pub(super) fn by_glob(rx: &Resolver, module: &str, name: &str, space: Space) -> Option<Arc<str>> {
    if !is_at_hand(rx, module) {
        return None;
    }
    let place = place_of(rx, module)?;
    let found = if space == Space::Macro {
        exported_from(rx, &place, name, &mut Tried::default()).is_some()
    } else {
        gives_out(rx, &place, name, space, &mut Tried::default())
    };
    found.then(|| format!("{module}::{name}").into())
}

/// Whether others see a name in a module.
fn gives_out(rx: &Resolver, place: &Place, name: &str, space: Space, tried: &mut Tried) -> bool {
    if tried.len() > MAX_TRIED || !tried.insert((place.file, place.scope)) {
        return false;
    }
    let file = rx.file(place.file);
    let is_seen = |def: &DefId| {
        let d = file.def(*def);
        match d.import {
            Some(import) => file.import(import).flags.has(ImportFlags::EXPORTED),
            None => d.visibility == Some(Visibility::Public) && is_in(file, *def, space),
        }
    };
    let is_passed_on =
        |import: &&Import| import.scope == place.scope && import.flags.has(ImportFlags::EXPORTED);
    file.named_in_scope(place.scope, name).iter().any(is_seen)
        || included(rx, place, file).any(|included| gives_out(rx, &included, name, space, tried))
        || file.stars().filter(is_passed_on).any(|import| {
            let target = Walker::new(rx).target(place, file, import);
            target.is_some_and(|target| gives_out(rx, &target, name, space, tried))
        })
}

/// The path of a declaration beside the world, from its crate's name to the innermost module that others see: mostly they get
/// it from there. Names of the standard library are seen in `std`.
pub(super) fn qualified_name(rx: &Resolver, def: GlobalDef) -> Option<String> {
    let file = rx.file(def.file);
    let place = module_of(rx, file, file.def(def.def).scope)?;
    let public = &public_part(rx, &place).path;
    let module = match place.krate() {
        krate @ ("core" | "alloc") => format!("std{}", &public[krate.len()..]),
        _ => public.clone(),
    };
    let name = file.def_name(def.def);
    let Some(owner) = rx.owner_class(def) else { return Some(format!("{module}::{name}")) };
    let of = rx.def(owner);
    if of.kind != SymbolKind::Impl {
        return Some(format!("{module}::{}::{name}", file.def_name(owner.def)));
    }
    let class = head_of(file, of.ty?);
    let Some(edge) = file.list(of.supers).next() else { return Some(format!("{module}::{class}::{name}")) };
    Some(format!("<{module}::{class} as {}>::{name}", head_of(file, edge.ty)))
}

/// A type as written, without its arguments.
fn head_of(file: &FileView, ty: TypeId) -> String {
    match file.ty(ty) {
        TypeExpr::Named { name, .. } => file.ref_name(name).to_owned(),
        _ => written(file, ty),
    }
}

/// The innermost module around a place to which public modules lead.
fn public_part<'p>(rx: &Resolver, place: &'p Place) -> &'p Place {
    let Some(parent) = place.parent.as_deref() else { return place };
    let outer = public_part(rx, parent);
    let file = rx.file(parent.file);
    let mut named =
        file.named_in_scope(parent.scope, library::last(&place.path)).iter().map(|def| file.def(*def));
    let is_public = |d: &Def| d.kind == SymbolKind::Module && d.visibility == Some(Visibility::Public);
    if std::ptr::eq(outer, parent) && named.any(is_public) { place } else { outer }
}

/// Macros that crates give out, by crate and name.
#[derive(Default)]
struct Macros(Mutex<FxHashMap<Box<str>, Option<GlobalDef>>>);

/// The macro that a crate gives out under a name, wherever it is written.
pub(super) fn exported_macro(rx: &Resolver, root: &Place, name: &str) -> Option<GlobalDef> {
    let memory = rx.of_world(|_| Macros::default());
    let key = format!("{}::{name}", root.path);
    remembered_as(&memory.0, &*key, || key.as_str().into(), || find_exported_macro(rx, root, name))
}

fn find_exported_macro(rx: &Resolver, root: &Place, name: &str) -> Option<GlobalDef> {
    let mut found: Vec<GlobalDef> = files_with_macro(rx, root, name)
        .into_iter()
        .flat_map(|file| {
            let file = rx.file(file);
            let is_it = move |d: &DefId| match file.def(*d).kind {
                SymbolKind::Macro => file.def_name(*d) == name,
                SymbolKind::Function => derives::derived_by(file, *d) == Some(name),
                _ => false,
            };
            file.def_ids().filter(is_it).map(|def| file.global(def))
        })
        .collect();
    found.sort_by_key(|def| !rx.def(*def).flags.has(DefFlags::EXPORTED));
    found.first().copied()
}

/// The files of a crate that may declare a macro.
fn files_with_macro(rx: &Resolver, root: &Place, name: &str) -> Vec<FileId> {
    let of_crate = files_of(rx, &root.directory);
    let listed = STANDARD.contains(&root.krate()).then(|| listed(rx, name, Listed::Declaring)).flatten();
    if let Some(listed) = listed {
        return listed.into_iter().filter(|file| of_crate.contains(file)).collect();
    }
    let written = [format!("macro_rules! {name}"), format!("proc_macro_derive({name}")];
    let is_said = |file: &FileId| written.iter().any(|written| says(rx, *file, &[written]));
    of_crate.iter().copied().filter(is_said).collect()
}

/// A macro that the standard library gives out from its file for macros.
pub(super) fn macro_of_standard(rx: &Resolver, name: &str) -> Option<GlobalDef> {
    CRATES.into_iter().find_map(|krate| {
        let root = root_of(rx, krate)?;
        let macros = ["macros.rs", "macros/mod.rs"];
        let file = macros.iter().find_map(|m| rx.world().file_by_path(&format!("{}/{m}", root.directory)))?;
        let file = rx.file(file);
        let name = file.name_id(name)?;
        let mut all = file.def_ids();
        all.find(|d| file.def(*d).name == name && file.def(*d).kind == SymbolKind::Macro)
            .map(|d| file.global(d))
    })
}

/// The same from anywhere.
fn standard_macro(rx: &Resolver, name: &str) -> Option<GlobalDef> {
    let anywhere = |krate: &str| root_of(rx, krate).and_then(|root| exported_macro(rx, &root, name));
    macro_of_standard(rx, name).or_else(|| CRATES.into_iter().find_map(anywhere))
}

/// The crates that macros of the standard library are in.
const CRATES: [&str; 3] = ["std", "core", "alloc"];
