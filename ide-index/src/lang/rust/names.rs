//! Names to declarations: scopes, modules, imports, globs, the extern prelude, macros by textual scope.

use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{Confidence, SymbolKind, Visibility};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::conditions::{is_active, is_hidden_in_part, is_not_built};
use super::crates::{Crates, Extern, ModuleId, nearest_module};
use super::infer;
use super::library;
use super::outside_names;
use super::outside_types;
use crate::facts::{
    DefFlags, DefId, Expr, FileFacts, Import, ImportKind, RefFlags, RefId, Role, ScopeId, ScopeKind,
};
use crate::resolve::{FileView, Member, Reason, Resolution, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// In which of the three spaces of names something is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Space {
    Type,
    Value,
    Macro,
    /// All of them: what an import binds.
    Any,
}

/// Names that modules were asked for.
#[derive(Default)]
struct NameCache {
    known: Mutex<FxHashMap<Question, ByName>>,
    /// Macros that crates give out.
    macros: Mutex<FxHashMap<Box<str>, Box<[GlobalDef]>>>,
}

/// The module that is asked for a name, in which space, and whether by one that sees what is private there.
type Question = (ModuleId, Space, bool);
type ByName = FxHashMap<Box<str>, Arc<[Target]>>;

/// The space of a reference.
pub(super) fn space_of(file: &FileView, reference: RefId) -> Space {
    let r = file.reference(reference);
    if r.flags.has(RefFlags::TYPE_ONLY) && r.role != Role::Annotation {
        return Space::Type;
    }
    match r.role {
        Role::Macro | Role::Annotation => Space::Macro,
        Role::Type | Role::Extends | Role::Implements | Role::New => Space::Type,
        Role::Import | Role::Package => Space::Any,
        _ => Space::Value,
    }
}

pub(super) fn is_in(facts: &FileFacts, def: DefId, space: Space) -> bool {
    let d = facts.def(def);
    match space {
        Space::Any => !matches!(d.kind, SymbolKind::Label | SymbolKind::Field | SymbolKind::Impl),
        Space::Macro => d.kind == SymbolKind::Macro || is_procedural(facts, def),
        Space::Type => {
            d.kind.is_type()
                || matches!(d.kind, SymbolKind::Module | SymbolKind::EnumCase | SymbolKind::TypeParameter)
        }
        Space::Value => match d.kind {
            SymbolKind::Struct => !has_named_fields(facts, def),
            SymbolKind::TypeParameter => d.flags.has(DefFlags::CONST),
            SymbolKind::Function
            | SymbolKind::Method
            | SymbolKind::Constant
            | SymbolKind::EnumCase
            | SymbolKind::Variable
            | SymbolKind::Parameter => true,
            _ => false,
        },
    }
}

/// A type that is a function or value too.
pub(super) fn is_value(rx: &Resolver, def: GlobalDef) -> bool {
    is_in(rx.file(def.file), def.def, Space::Value)
}

/// A struct with braces is no value: a function may have its name.
fn has_named_fields(facts: &FileFacts, def: DefId) -> bool {
    let Some(body) = facts.def(def).body else { return false };
    facts.defs_in(body).1.iter().map(|member| facts.def(*member)).any(|member| {
        member.kind == SymbolKind::Field && !facts.name(member.name).starts_with(|c: char| c.is_ascii_digit())
    })
}

/// A function that is a macro for others.
fn is_procedural(facts: &FileFacts, def: DefId) -> bool {
    facts.def(def).kind == SymbolKind::Function
        && facts.list(facts.def(def).decorators).any(|value| match facts.expr(value) {
            Expr::Ref(name) => facts.ref_name(name).starts_with("proc_macro"),
            _ => false,
        })
}

fn target_is_in(rx: &Resolver, target: &Target, space: Space) -> bool {
    match target {
        Target::Def(def) => is_in(rx.file(def.file), def.def, space),
        Target::Module(_) | Target::Package(_) => matches!(space, Space::Type | Space::Any),
        Target::External(name) => {
            let last = library::last(name);
            // Modules and functions are lower case, types and variants are not.
            match space {
                Space::Macro | Space::Any if library::is_of_macro_crate(name) => true,
                Space::Type | Space::Value if library::is_of_macro_crate(name) => false,
                Space::Type if is_named_like_its_crate(name) => false,
                Space::Macro => !last.starts_with(char::is_uppercase) || library::is_derive(last),
                _ => true,
            }
        }
    }
}

/// `smallvec::smallvec`, `anyhow::anyhow`: a macro or a function, which leaves the crate its name.
fn is_named_like_its_crate(path: &str) -> bool {
    path.split_once("::").is_some_and(|(root, rest)| root == rest)
}

/// The module that a scope of a file lies in.
pub(super) fn module_of(rx: &Resolver, file: &FileView, scope: ScopeId) -> Option<ModuleId> {
    let crates = Crates::of(rx);
    let inner = nearest_module(file, scope);
    match file.scope(inner).owner {
        Some(def) if inner != ScopeId(0) => crates.of_declaration(file.global(def)),
        _ => crates.of_file(file.id),
    }
}

/// The type that a module is as a value.
pub(super) fn module_type(rx: &Resolver, module: ModuleId) -> Ty {
    let crates = Crates::of(rx);
    let m = crates.module(module);
    match m.inline {
        Some(def) => Ty::class(GlobalDef { file: m.file, def }),
        None => Ty::Module(m.file),
    }
}

fn module_target(rx: &Resolver, module: ModuleId) -> Target {
    let crates = Crates::of(rx);
    let m = crates.module(module);
    match m.inline {
        Some(def) => Target::Def(GlobalDef { file: m.file, def }),
        None => Target::Module(m.file),
    }
}

/// `mod name;` stands for its file.
pub(super) fn through_module(rx: &Resolver, def: GlobalDef) -> Target {
    let file = rx.file(def.file);
    let d = file.def(def.def);
    if d.kind == SymbolKind::Module
        && d.body.is_none()
        && let Some(module) = Crates::of(rx).of_declaration(def)
    {
        return Target::Module(Crates::of(rx).module(module).file);
    }
    Target::Def(def)
}

/// The type of a path's root (`crate`, `self`, `super::super`, `::`) in a scope.
pub(super) fn root_type(rx: &Resolver, file: &FileView, scope: ScopeId, written: &str) -> Ty {
    if written == "::" {
        return Ty::Package("::".into());
    }
    let Some(mut module) = module_of(rx, file, scope) else {
        return outside_types::root_type(rx, file, scope, written);
    };
    let crates = Crates::of(rx);
    for part in written.split("::") {
        module = match part {
            "crate" => crates.root(module),
            "super" => match crates.parent(module) {
                Some(parent) => parent,
                None => return Ty::Unknown,
            },
            _ => module,
        };
    }
    module_type(rx, module)
}

/// A name without a receiver.
pub(super) fn plain(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let r = *file.reference(reference);
    let name = file.ref_name(reference);
    if r.role == Role::Label || name.starts_with('\'') {
        return quoted(file, reference);
    }
    if r.flags.has(RefFlags::DYNAMIC) {
        return attribute_word(rx, file, reference);
    }
    let space = space_of(file, reference);
    if space == Space::Macro {
        return macro_named(rx, file, reference);
    }
    if let Some(found) = in_space(rx, file, reference, space) {
        return found;
    }
    // A constant among type arguments reads like a type, and a type among the tokens of a macro like a value.
    let other = match space {
        Space::Type if r.role == Role::Type => Some(Space::Value),
        Space::Value if r.flags.has(RefFlags::IN_MACRO) && !library::is_prelude_value(name) => {
            Some(Space::Type)
        }
        _ => None,
    };
    if let Some(found) = other.and_then(|space| in_space(rx, file, reference, space)) {
        return found;
    }
    match library::prelude(name) {
        Some(path) => Resolution::external(path),
        None if r.role == Role::Import
            || r.flags.has(RefFlags::TYPE_ONLY) && !name.starts_with(char::is_uppercase) =>
        {
            Resolution::external(name)
        }
        None => Resolution::unknown(Reason::NotFound),
    }
}

pub(super) fn in_space(rx: &Resolver, file: &FileView, reference: RefId, space: Space) -> Option<Resolution> {
    let r = *file.reference(reference);
    let name = file.ref_name(reference);
    let mut left_out: Vec<Target> = Vec::new();
    for scope in file.scope_chain(r.scope) {
        let kind = file.scope(scope).kind;
        if matches!(kind, ScopeKind::File | ScopeKind::Module) {
            break;
        }
        if let Some(found) = in_block(rx, file, reference, scope, space, &mut left_out) {
            return Some(or_left_out(found, left_out));
        }
    }
    let Some(module) = module_of(rx, file, r.scope) else {
        return outside_types::named(rx, file, r.scope, name);
    };
    let found = in_module(rx, module, name, space, module, Some((file.id, reference)));
    if !found.is_empty() {
        let mut found = several(&found);
        if found.targets.len() > 1 && is_hidden_in_part(rx, module, name) {
            found.confidence = Confidence::Ambiguous;
        }
        return Some(or_left_out(found, left_out));
    }
    if !left_out.is_empty() {
        return Some(several(&left_out));
    }
    let crates = Crates::of(rx);
    if matches!(space, Space::Type | Space::Any) {
        if r.role == Role::Import && crates.is_edition_2015(module) {
            let root = crates.root(module);
            let found = in_module(rx, root, name, space, module, Some((file.id, reference)));
            if !found.is_empty() {
                return Some(several(&found));
            }
        }
        return crates.external(module, name).map(|found| extern_target(rx, found));
    }
    None
}

pub(super) fn extern_target(rx: &Resolver, found: Extern) -> Resolution {
    match found {
        Extern::Local(root) => Resolution::exact(module_target(rx, root)),
        Extern::Foreign(name) => Resolution::external(name),
    }
}

/// Declarations that are all meant: alternatives of one name under different conditions.
fn several(found: &[Target]) -> Resolution {
    Resolution {
        targets: found.iter().cloned().collect(),
        confidence: Confidence::Exact,
        reason: Reason::None,
    }
}

/// A name with what it means in builds that have more imports.
fn or_left_out(mut found: Resolution, left_out: Vec<Target>) -> Resolution {
    for target in left_out {
        if !found.targets.contains(&target) {
            found.targets.push(target);
            found.confidence = found.confidence.max(Confidence::Ambiguous);
        }
    }
    found
}

/// Beyond so many locals of one name in a block they count as ordered by their places.
const MANY_LOCALS: usize = 512;

/// A scope inside a function, or of a type: locals, parameters, then items and imports. Imports that the default build
/// lacks are added to `left_out`.
fn in_block(
    rx: &Resolver,
    file: &FileView,
    reference: RefId,
    scope: ScopeId,
    space: Space,
    left_out: &mut Vec<Target>,
) -> Option<Resolution> {
    let r = *file.reference(reference);
    let candidates = file.in_scope(scope, r.name);
    let is_class = file.scope(scope).kind == ScopeKind::Class;
    let is_variable =
        |def: &DefId| matches!(file.def(*def).kind, SymbolKind::Variable | SymbolKind::Parameter);
    if space != Space::Type {
        let visible = |def: &&DefId| {
            let d = file.def(**def);
            is_variable(def)
                && (d.range.end <= r.range.start
                    || d.kind == SymbolKind::Parameter && !d.range.contains(r.range.start))
        };
        // Of variables under conditions the last that is built.
        let is_built = |def: &DefId| file.def(*def).decorators.is_empty() || is_active(rx, file.global(*def));
        let start = |def: &DefId| file.def(*def).name_range.start;
        // Of very many the last before the name, which is near it.
        let before = &candidates[..candidates.partition_point(|def| start(def) < r.range.start)];
        let are_many = candidates.len() > MANY_LOCALS;
        let mut near = before.iter().rev().take(if are_many { MANY_LOCALS } else { 0 }).filter(visible);
        let last = near
            .find(|def| is_built(def))
            .or_else(|| candidates.iter().filter(visible).max_by_key(|def| (is_built(def), start(def))));
        if let Some(last) = last {
            // Alternatives of one pattern bind one variable.
            let range = file.def(*last).range;
            let begins_before = |def: &DefId| are_many && file.def(*def).range.start < range.start;
            let from = candidates.partition_point(begins_before);
            let first =
                candidates[from..].iter().find(|def| is_variable(def) && file.def(**def).range == range);
            return Some(Resolution::def(file.global(*first.unwrap_or(last))));
        }
    }
    let mut found: Vec<Target> = Vec::new();
    for def in candidates {
        let d = file.def(*def);
        if is_variable(def) || is_class && d.kind != SymbolKind::TypeParameter {
            continue;
        }
        if d.kind == SymbolKind::Import {
            let into = if is_not_built(rx, file, *def) { &mut *left_out } else { &mut found };
            into.extend(imported(rx, file, *def, space, Some((file.id, reference))));
        } else if is_in(file, *def, space) {
            found.push(through_module(rx, file.global(*def)));
        }
    }
    if !found.is_empty() {
        return Some(several(&found));
    }
    for import in file.stars().filter(|i| i.scope == scope) {
        let module = module_of(rx, file, scope)?;
        let found = in_star(rx, file, import, file.ref_name(reference), space, module, &mut Walk::default());
        if !found.is_empty() {
            return Some(several(&found));
        }
    }
    None
}

/// The reference that asks is a part of the very import.
fn names_itself(file: &FileView, def: DefId, asking: Option<(FileId, RefId)>) -> bool {
    let (Some((id, reference)), Some(import)) = (asking, file.def(def).import) else { return false };
    let import = file.import(import);
    id == file.id && (import.member == Some(reference) || file.list(import.path).any(|r| r == reference))
}

/// The meaning of an import's name in a space. `asking` is a reference that may be a part of that very
/// import.
fn imported(
    rx: &Resolver,
    file: &FileView,
    def: DefId,
    space: Space,
    asking: Option<(FileId, RefId)>,
) -> Vec<Target> {
    if names_itself(file, def, asking) {
        return Vec::new();
    }
    let resolution = rx.through_imports(Resolution::def(file.global(def)));
    resolution.targets.into_iter().filter(|t| target_is_in(rx, t, space)).collect()
}

/// A name in a module, seen from another: its items and imports, then its globs.
pub(super) fn in_module(
    rx: &Resolver,
    module: ModuleId,
    name: &str,
    space: Space,
    from: ModuleId,
    asking: Option<(FileId, RefId)>,
) -> Arc<[Target]> {
    let sees_private = Crates::of(rx).is_inside(from, module);
    // A question of an import for itself must not be remembered: it leaves that import out.
    let is_part = |(id, r)| matches!(rx.file(id).reference(r).role, Role::Import | Role::Package);
    if asking.is_some_and(is_part) {
        return search(rx, (module, space, sees_private), name, asking, &mut Walk::default()).into();
    }
    remembered(rx, (module, space, sees_private), name, &mut Walk::default())
}

/// Modules that were asked on the way along globs.
#[derive(Default)]
struct Walk {
    visited: Vec<ModuleId>,
    /// The first of them that was come back to.
    back_to: Option<usize>,
}

/// [`search`], once for each question and name.
fn remembered(rx: &Resolver, question: Question, name: &str, walk: &mut Walk) -> Arc<[Target]> {
    let memory = rx.extension(|_| NameCache::default());
    let known = || memory.known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known().get(&question).and_then(|names| names.get(name)) {
        return found.clone();
    }
    let depth = walk.visited.len();
    let outer = walk.back_to.take();
    let (found, is_whole) = rx.wholly(|| search(rx, question, name, None, walk));
    let found: Arc<[Target]> = found.into();
    // A walk that comes back to a module further out leaves out the names found from there.
    let is_own = walk.back_to.is_none_or(|back| back >= depth);
    let inner = walk.back_to.filter(|_| !is_own);
    walk.back_to = outer.into_iter().chain(inner).min();
    if is_own && (is_whole || depth == 0 && !found.is_empty()) {
        known().entry(question).or_default().insert(name.into(), found.clone());
    }
    found
}

fn search(
    rx: &Resolver,
    (module, space, sees_private): Question,
    name: &str,
    asking: Option<(FileId, RefId)>,
    walk: &mut Walk,
) -> Vec<Target> {
    if let Some(at) = walk.visited.iter().position(|visited| *visited == module) {
        walk.back_to = walk.back_to.into_iter().chain([at]).min();
        return Vec::new();
    }
    walk.visited.push(module);
    let crates = Crates::of(rx);
    let bodies = crates.bodies(rx, module);
    let mut built: Vec<Target> = Vec::new();
    let mut other: Vec<Target> = Vec::new();
    let in_body = bodies
        .iter()
        .flat_map(|(file, scope)| file.named_in_scope(*scope, name).iter().map(move |def| (*file, *def)));
    let named: SmallVec<[(&FileView, DefId); 4]> = in_body.collect();
    let mut is_taken_here = false;
    // A declaration that only other builds have hides no glob.
    let is_left_out = !named.is_empty() && named.iter().all(|(file, def)| is_not_built(rx, file, *def));
    for (file, def) in &named {
        let d = file.def(*def);
        if !sees_private && d.visibility == Some(Visibility::Private) && d.kind != SymbolKind::Macro {
            continue;
        }
        let is_built = named.len() == 1 || is_active(rx, file.global(*def));
        is_taken_here |= is_built && names_itself(file, *def, asking);
        let into = if is_built { &mut built } else { &mut other };
        if d.kind == SymbolKind::Import {
            into.extend(imported(rx, file, *def, space, asking));
        } else if is_in(file, *def, space) {
            into.push(through_module(rx, file.global(*def)));
        }
    }
    if built.is_empty()
        && other.is_empty()
        && matches!(space, Space::Macro | Space::Any)
        && crates.parent(module).is_none()
    {
        built.extend(exported_macros(rx, module, name).into_iter().map(Target::Def));
    }
    // A name that the build imports under its own name is another than the one that other builds declare
    // here.
    if is_taken_here {
        other.clear();
    }
    let is_outside = |t: &Target| matches!(t, Target::External(_));
    // A name that the build imports from elsewhere excludes declarations that the build does not have.
    if !built.iter().any(is_outside) {
        built.append(&mut other);
    }
    let is_macro = |t: &Target| matches!(t, Target::External(path) if library::is_of_macro_crate(path));
    let macros: Vec<Target> = if space == Space::Any && built.iter().all(is_macro) {
        std::mem::take(&mut built)
    } else {
        Vec::new()
    };
    let mut left_out: Vec<Target> = Vec::new();
    if !built.is_empty() {
        let mut unique: Vec<Target> = Vec::new();
        for target in built {
            if !unique.contains(&target) {
                unique.push(target);
            }
        }
        if space == Space::Any {
            unique.sort_by_key(|target| !target_is_in(rx, target, Space::Type));
        }
        if !is_left_out {
            return unique;
        }
        left_out = unique;
    }
    let stars = bodies.iter().flat_map(|(file, scope)| {
        file.stars().filter(|import| import.scope == *scope).map(move |import| (file, import))
    });
    for (file, import) in stars {
        let is_visible = sees_private || import.flags.has(crate::facts::ImportFlags::EXPORTED);
        if is_visible {
            let mut found = in_star(rx, file, import, name, space, module, walk);
            if !found.is_empty() {
                found.extend(macros);
                left_out.retain(|target| !found.contains(target));
                found.append(&mut left_out);
                return found;
            }
        }
    }
    left_out.extend(macros);
    left_out
}

/// The targets that globs inside of functions bring under a name.
pub(super) fn block_stars(rx: &Resolver, file: &FileView, name: &str, here: ModuleId) -> Vec<Target> {
    let is_inner = |scope| matches!(file.scope(scope).kind, ScopeKind::Function | ScopeKind::Block);
    let stars = file.stars().filter(|i| is_inner(i.scope));
    stars
        .flat_map(|import| in_star(rx, file, import, name, Space::Type, here, &mut Walk::default()))
        .collect()
}

/// A name that a glob import brings into the module `here`.
fn in_star(
    rx: &Resolver,
    file: &FileView,
    import: &Import,
    name: &str,
    space: Space,
    here: ModuleId,
    walk: &mut Walk,
) -> Vec<Target> {
    // `crate::*`, `super::*` have a root without references.
    let ty = match file.list(import.path).last() {
        Some(last) => infer::first_value(rx, file, last),
        None => root_type(rx, file, import.scope, file.name(import.module)),
    };
    let crates = Crates::of(rx);
    let mut of_module = |module: Option<ModuleId>| {
        // A file that no crate has brings no names.
        let Some(module) = module else { return Vec::new() };
        remembered(rx, (module, space, crates.is_inside(here, module)), name, walk).to_vec()
    };
    match &ty {
        Ty::Module(id) => of_module(crates.of_file(*id)),
        Ty::Class(def, _) if rx.kind(*def) == SymbolKind::Module => of_module(crates.of_declaration(*def)),
        Ty::Class(def, _) if rx.kind(*def) == SymbolKind::Enum => rx
            .own_members(*def, name)
            .into_iter()
            .filter(|d| rx.def(*d).kind == SymbolKind::EnumCase)
            .map(Target::Def)
            .collect(),
        Ty::ExternalName(path) => {
            let known = library::glob(path, name).or_else(|| outside_names::by_glob(rx, path, name, space));
            known.map(Target::External).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Members of a module, for a file that asks.
pub(super) fn of_module(rx: &Resolver, from: &FileView, module: ModuleId, name: &str) -> Vec<Member> {
    let here = Crates::of(rx).of_file(from.id).unwrap_or(module);
    let here = if Crates::of(rx).is_inside(module, here) { module } else { here };
    let found = in_module(rx, module, name, Space::Any, here, None);
    found.iter().cloned().map(Member::of).collect()
}

/// Behind a leading `::`: a crate, or in the 2015 edition a name of the crate's root.
pub(super) fn of_root(rx: &Resolver, from: &FileView, name: &str) -> Vec<Member> {
    let crates = Crates::of(rx);
    let Some(module) = crates.of_file(from.id) else { return Vec::new() };
    if crates.is_edition_2015(module) {
        let found = of_module(rx, from, crates.root(module), name);
        if !found.is_empty() {
            return found;
        }
    }
    let resolution = match crates.external(module, name) {
        Some(found) => extern_target(rx, found),
        None => Resolution::external(name),
    };
    resolution.targets.into_iter().map(Member::of).collect()
}

// ---- macros -----------------------------------------------------------------------------------------------------

/// `#[macro_export]` macros of the crate that a module belongs to.
fn exported_macros(rx: &Resolver, module: ModuleId, name: &str) -> Vec<GlobalDef> {
    let memory = rx.extension(|_| NameCache::default());
    let mut known = memory.macros.lock().unwrap_or_else(PoisonError::into_inner);
    if !known.contains_key(name) {
        let all = rx.world().declarations(name).into_iter();
        let macros = all.filter(|site| site.kind == SymbolKind::Macro && site.flags.has(DefFlags::EXPORTED));
        known.insert(name.into(), macros.map(|site| site.at).collect());
    }
    let crates = Crates::of(rx);
    let is_here =
        |def: &GlobalDef| crates.of_file(def.file).is_some_and(|other| crates.same_crate(other, module));
    known[name].iter().copied().filter(is_here).collect()
}

/// A macro or attribute by its plain name: textual scope, then names of modules, then what comes with the compiler.
fn macro_named(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let r = *file.reference(reference);
    let name = file.ref_name(reference);
    if r.role == Role::Annotation
        && let Some(path) = library::attribute(name)
    {
        return Resolution::external(path);
    }
    if r.role == Role::Macro
        && let Some(def) = textual(rx, file, r.scope, name, r.range.start)
    {
        return Resolution::def(def);
    }
    if let Some(found) = in_space(rx, file, reference, Space::Macro) {
        return found;
    }
    if let Some(module) = module_of(rx, file, r.scope) {
        // An old `#[macro_use] extern crate`, or a macro that is exported to everywhere.
        let crates = Crates::of(rx);
        let exported = exported_macros(rx, crates.root(module), name);
        if r.role == Role::Macro
            && let Some(def) = exported.first()
            && !library::is_macro(name)
        {
            return Resolution::of(Target::Def(*def), Confidence::Inferred);
        }
    }
    if library::is_macro(name) {
        return Resolution::external(format!("std::{name}"));
    }
    // An attribute that no macro of this name reads is one of a derive macro.
    if r.role == Role::Annotation {
        return Resolution::external(library::attribute_macro(name).unwrap_or_else(|| name.into()));
    }
    by_macro_use(rx, file, name).unwrap_or_else(|| Resolution::unknown(Reason::NotFound))
}

/// A macro that `extern crate` brings to everywhere, of a crate of the world or some other.
fn by_macro_use(rx: &Resolver, file: &FileView, name: &str) -> Option<Resolution> {
    let crates = Crates::of(rx);
    let root = crates.root(crates.of_file(file.id)?);
    let view = rx.file(crates.module(root).file);
    let is_crate = |i: &&Import| i.member.is_none() && i.kind == ImportKind::Module && i.scope == ScopeId(0);
    let named = view.imports.iter().filter(is_crate).map(|import| view.name(import.module));
    let known = named.clone().find_map(|krate| match crates.library_named(krate) {
        Some(root) => exported_macros(rx, root, name).first().copied().map(Resolution::def),
        None => outside_names::by_glob(rx, krate, name, Space::Macro).map(Resolution::external),
    });
    known.or_else(|| named.clone().next().map(|_| Resolution::external(name)))
}

/// The last definition before an offset, in the scopes around it, then before the module in its parent.
fn textual(rx: &Resolver, file: &FileView, scope: ScopeId, name: &str, before: u32) -> Option<GlobalDef> {
    let (mut file_id, mut scope, mut before) = (file.id, scope, before);
    for _ in 0..64 {
        let view = rx.file(file_id);
        for scope in view.scope_chain(scope) {
            let mut own = view.named_in_scope(scope, name).iter().filter(|def| {
                let d = view.def(**def);
                d.kind == SymbolKind::Macro && d.name_range.start < before
            });
            let last = own.clone().next_back();
            if let Some(def) = own.rfind(|def| is_active(rx, view.global(**def))).or(last) {
                return Some(view.global(*def));
            }
            if let Some(def) = in_macro_modules(rx, view, scope, name, before, 0) {
                return Some(def);
            }
            if let Some(def) = in_included(rx, view, scope, name) {
                return Some(def);
            }
        }
        let crates = Crates::of(rx);
        let module = crates.of_file(file_id)?;
        let m = crates.module(module);
        if m.file != file_id {
            (file_id, scope, before) = (m.file, m.scope(rx.file(m.file)), u32::MAX);
            continue;
        }
        // The file is a module that is declared somewhere: what stands before that is in scope here.
        let parent = crates.module(crates.parent(module)?);
        let outer = rx.file(parent.file);
        let declaration =
            outer.def_ids().find(|d| crates.of_declaration(outer.global(*d)) == Some(module))?;
        before = outer.def(declaration).range.start.max(outer.def(declaration).name_range.start);
        scope = outer.def(declaration).scope;
        file_id = parent.file;
    }
    None
}

/// A macro of the files that a module includes, by the module's scope.
fn in_included(rx: &Resolver, view: &FileView, scope: ScopeId, name: &str) -> Option<GlobalDef> {
    if nearest_module(view, scope) != scope {
        return None;
    }
    let crates = Crates::of(rx);
    let mut included = crates.module(module_of(rx, view, scope)?).included.iter();
    included.find_map(|file| last_macro(rx.file(*file), ScopeId(0), name))
}

fn last_macro(view: &FileView, scope: ScopeId, name: &str) -> Option<GlobalDef> {
    let mut own = view.named_in_scope(scope, name).iter();
    own.rfind(|def| view.def(**def).kind == SymbolKind::Macro).map(|def| view.global(*def))
}

/// Macros of `#[macro_use] mod` declarations before an offset.
fn in_macro_modules(
    rx: &Resolver,
    view: &FileView,
    scope: ScopeId,
    name: &str,
    before: u32,
    depth: u32,
) -> Option<GlobalDef> {
    if depth > 8 {
        return None;
    }
    let crates = Crates::of(rx);
    let modules = view.all_in_scope(scope).iter().filter(|def| {
        let d = view.def(**def);
        d.kind == SymbolKind::Module && d.flags.has(super::MACRO_USE) && d.name_range.start < before
    });
    let mut found = None;
    for def in modules {
        let Some(id) = crates.of_declaration(view.global(*def)) else { continue };
        for (inner, scope) in crates.bodies(rx, id) {
            let here = last_macro(inner, scope, name);
            found = here.or_else(|| in_macro_modules(rx, inner, scope, name, u32::MAX, depth + 1)).or(found);
        }
    }
    found
}

// ---- words with quotes, words in attributes -----------------------------------------------------------------------

/// A lifetime or a label.
fn quoted(file: &FileView, reference: RefId) -> Resolution {
    let r = file.reference(reference);
    let kind = if r.role == Role::Label { SymbolKind::Label } else { SymbolKind::TypeParameter };
    for scope in file.scope_chain(r.scope) {
        let own = file.in_scope(scope, r.name).iter().filter(|def| {
            let d = file.def(**def);
            d.kind == kind && (kind != SymbolKind::Label || d.range.contains(r.range.start))
        });
        let before = own.clone().rev().find(|def| file.def(**def).name_range.start <= r.range.start);
        if let Some(def) = before.or_else(|| own.clone().next()) {
            return Resolution::def(file.global(*def));
        }
    }
    Resolution::unknown(Reason::NotFound)
}

/// A word in an attribute: a derived trait, or something that the attribute knows.
fn attribute_word(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let name = file.ref_name(reference);
    if !file.reference(reference).flags.has(RefFlags::TYPE_ONLY) {
        // Types and variants among the arguments; of one letter, and `Rust`, those of `repr`.
        let may_be_named = name.starts_with(char::is_uppercase) && name.len() > 1 && name != "Rust";
        let found = || {
            let value = in_space(rx, file, reference, Space::Value);
            value.or_else(|| in_space(rx, file, reference, Space::Type))
        };
        return may_be_named.then(found).flatten().unwrap_or_else(|| Resolution::external(name));
    }
    if library::is_derive(name) {
        return Resolution::external(library::prelude(name).unwrap_or_else(|| format!("std::{name}").into()));
    }
    if super::derives::is_derived(file, reference) {
        return super::derives::named(rx, file, reference);
    }
    let as_macro = in_space(rx, file, reference, Space::Macro);
    let found = as_macro.or_else(|| in_space(rx, file, reference, Space::Type));
    found.unwrap_or_else(|| Resolution::external(name))
}
