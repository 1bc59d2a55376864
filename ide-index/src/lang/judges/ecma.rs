//! The certainty of JavaScript and TypeScript.

use ide_model::{Family, Language, SourceKind, SymbolKind, paths};

use rustc_hash::FxHashSet;

use super::super::certainty;
use super::super::ecma::EcmaPolicy;
use super::ecma_known::{
    is_given_by_hosts, is_node_module, is_of_other_language, is_on_one_side, is_typed_class,
};
use super::{head, is_nowhere, is_own, is_set_somewhere, knows_supers};
use crate::check::{Arity, Judge, Refused, declared_arity, is_miswritten, is_slip_in_scope};
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, Import, ImportFlags, ImportKind, NameId, Quality, RefId, Role, ScopeId,
    ScopeKind, UnaryOp,
};
use crate::refactor::tree::Syntax;
use crate::resolve::{FileView, Resolution, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

pub(super) struct Ecma;

/// Files that are asked whether they import a name.
pub(super) const MOST_IMPORTERS: usize = 64;

/// Whether other files get a name by an import or `require`, and none uses it without.
fn is_imported_elsewhere(rx: &Resolver, file: &FileView, name: &str) -> bool {
    let users: Vec<FileId> =
        rx.world().files_mentioning(name).into_iter().filter(|id| *id != file.id).collect();
    let is_import = |view: &FileView, def: DefId| {
        let def = view.def(def);
        let is_required = || {
            def.init.is_some_and(|init| {
                matches!(view.expr(init), Expr::Call { callee, .. }
                    if matches!(view.expr(callee), Expr::Ref(name) if view.ref_name(name) == "require"))
            })
        };
        def.kind == SymbolKind::Import || is_required()
    };
    let own = |id: &FileId| rx.world().file(*id).source != SourceKind::Library;
    let mut importers = 0;
    users.len() <= MOST_IMPORTERS
        && users.iter().filter(|id| own(id)).all(|id| {
            let view = rx.file(*id);
            let defs = view.named_in_scope(ScopeId(0), name);
            let is_plain = |r: RefId| {
                let reference = view.reference(r);
                view.ref_name(r) == name && reference.receiver.is_none() && reference.role != Role::Key
            };
            let is_importer = defs.iter().any(|def| is_import(view, *def));
            importers += usize::from(is_importer);
            is_importer || !defs.is_empty() || !view.written_refs().any(is_plain)
        })
        && importers > 0
}

/// Whether a module is spelled by no prefix that stands for a folder, or by one that a configuration of the project knows.
fn is_alias_known(rx: &Resolver, written: &str) -> bool {
    let Some(prefix) = ["@/", "~/"].into_iter().find(|prefix| written.starts_with(prefix)) else {
        return true;
    };
    let world = rx.world();
    let mut texts = world.configurations().into_iter().filter_map(|path| world.configuration(&path));
    texts.any(|text| text.contains(&format!("\"{prefix}")))
}

/// Words that are read as names only where the head of a class could not be read.
const MODIFIERS: [&str; 9] = [
    "abstract",
    "accessor",
    "constructor",
    "declare",
    "override",
    "private",
    "protected",
    "readonly",
    "static",
];

/// Whether no other file takes a name from the global scope, so that no host, no script and no build seems to put it there. Names
/// of types, of constants and of what is said to be hidden are left alone: packages and builds declare those.
fn is_of_nobody(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let name = file.ref_name(reference);
    let is_plain = name.len() > 2
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && !MODIFIERS.contains(&name)
        && matches!(file.reference(reference).role, Role::Read | Role::Call);
    let is_loose = |view: &FileView, id: RefId| {
        let other = view.reference(id);
        other.receiver.is_none() && other.role != Role::Key && {
            let found = rx.resolve(view.global_ref(id)).resolution;
            found.targets.iter().all(|target| matches!(target, Target::External(of) if &**of == name))
        }
    };
    let is_used = |id: FileId| {
        let view = rx.file(id);
        let named = view.name_id(name).map_or(&[][..], |name| view.refs_named(name));
        named.iter().any(|other| is_loose(view, *other))
    };
    // An assignment makes a global variable, outside of strict code.
    let written = file.refs_named(file.reference(reference).name).iter().map(|other| file.reference(*other));
    let is_written = written
        .into_iter()
        .any(|other| matches!(other.role, Role::Write | Role::ReadWrite) && other.receiver.is_none());
    if !is_plain || is_written || is_ambient(rx, file.id) || is_object(file, reference) {
        return false;
    }
    let users = rx.world().files_mentioning(name);
    users.len() <= MOST_IMPORTERS && !users.into_iter().any(|id| id != file.id && is_used(id))
}

/// The names of a file behind which members are named.
struct Objects(FxHashSet<NameId>);

/// Whether members of a name are used: it is an object, which a host may give.
fn is_object(file: &FileView, reference: RefId) -> bool {
    let Objects(all) = file.derived(|view| {
        let receivers = view.refs.iter().filter_map(|other| other.receiver);
        let names = receivers.filter_map(|receiver| match view.expr(receiver) {
            Expr::Ref(object) => Some(view.reference(object).name),
            _ => None,
        });
        Objects(names.collect())
    });
    all.contains(&file.reference(reference).name)
}

/// Whether some file has a name as one of the global object: `window.name = …`, `const host = global; host.name = …`.
fn is_put_into_global_scope(rx: &Resolver, name: &str) -> bool {
    const GLOBAL: [&str; 4] = ["window", "globalThis", "self", "global"];
    rx.world().files_mentioning(name).into_iter().take(MOST_IMPORTERS).any(|id| {
        let view = rx.file(id);
        let named = view.name_id(name).map_or(&[][..], |name| view.refs_named(name));
        let is_global = |name: &str| GLOBAL.contains(&name);
        let holds_global = |object: RefId| {
            let mut defs = view.in_scope(ScopeId(0), view.reference(object).name).iter();
            defs.any(|def| {
                let held = view.def(*def).init.map(|init| match view.expr(init) {
                    Expr::Cast { value, .. } => view.expr(value),
                    held => held,
                });
                matches!(held, Some(Expr::Ref(held)) if is_global(view.ref_name(held)))
            })
        };
        named.iter().filter_map(|id| view.reference(*id).receiver).any(|receiver| {
            matches!(view.expr(receiver), Expr::Ref(object)
                if is_global(view.ref_name(object)) || holds_global(object))
        })
    })
}

/// Members of objects and functions, which every value may have.
const OF_ALL_VALUES: [&str; 16] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "apply",
    "call",
    "bind",
    "prototype",
    "length",
    "arguments",
    "caller",
    "name",
    "__proto__",
];

pub(super) fn is_ambient(rx: &Resolver, file: FileId) -> bool {
    let path = &rx.world().file(file).path;
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.as_str().ends_with(ending))
}

/// Whether a module gives its exports to a function that may add to them, or sets them by computed names, under whatever name it
/// has them: `add(exports, …)`, `exports[name] = …`, `const all = module.exports = { … }; add(all)`.
fn hands_out_exports(view: &FileView) -> bool {
    if view.name_id("exports").is_none() {
        return false;
    }
    let names_exports =
        |value: ExprId| matches!(view.expr(value), Expr::Ref(name) if view.ref_name(name) == "exports");
    let holds_exports = |value: ExprId| match view.expr(value) {
        Expr::Assign { target, .. } => names_exports(target),
        _ => names_exports(value),
    };
    let holders = view.defs.iter().filter(|def| def.init.is_some_and(holds_exports)).map(|def| def.name);
    let whole = view.exports.iter().filter(|export| view.name(export.name).is_empty());
    let given = whole.filter_map(|export| match view.expr(export.value) {
        Expr::Ref(name) => Some(view.reference(name).name),
        _ => None,
    });
    let aliases: Vec<NameId> = holders.chain(given).collect();
    let is_exports = |value: ExprId| {
        names_exports(value)
            || matches!(view.expr(value), Expr::Ref(name)
                if view.reference(name).receiver.is_none() && aliases.contains(&view.reference(name).name))
    };
    view.exprs.iter().any(|expr| match *expr {
        Expr::Call { args, .. } => view.list(args).any(is_exports),
        Expr::Index { base, .. } => is_exports(base),
        _ => false,
    })
}

/// Modules that are gone through for what they pass on.
const MOST_PASSED_ON: usize = 64;

/// Whether a module, or one that it passes on as a whole, may export more than is seen there.
fn passes_on_unknown(rx: &Resolver, module: FileId) -> bool {
    let mut seen = vec![module];
    let mut at = 0;
    while let Some(id) = seen.get(at).copied() {
        let view = rx.file(id);
        if view.quality != Quality::Full || hands_out_exports(view) || seen.len() > MOST_PASSED_ON {
            return true;
        }
        // `module.exports = require("./one")`.
        let gives_whole = view.exports.iter().any(|export| view.name(export.name).is_empty());
        for import in &view.imports {
            let is_whole = import.kind == ImportKind::ReExportStar
                || gives_whole && import.flags.has(ImportFlags::DYNAMIC);
            let Some(last) = view.list(import.path).last().filter(|_| is_whole) else { continue };
            let mut is_known = false;
            for target in &rx.resolve(view.global_ref(last)).resolution.targets {
                if let Target::Module(next) = target {
                    is_known = true;
                    if !seen.contains(next) {
                        seen.push(*next);
                    }
                }
            }
            // A module that is built later, or not installed, has names that nobody sees.
            if !is_known {
                return true;
            }
        }
        at += 1;
    }
    false
}

/// Whether a type has no other members than those that its declaration names. A literal may be made for what reads it, a
/// computed key may be any, and a package that is not installed may declare the same global interface.
pub(super) fn is_closed(rx: &Resolver, def: GlobalDef) -> bool {
    let view = rx.file(def.file);
    let own = view.def(def.def);
    let is_nested = own.scope != ScopeId(0);
    let is_open_interface = own.kind == SymbolKind::Interface && (is_nested || is_ambient(rx, def.file));
    let Some(body) = own.body else { return !own.name_range.is_empty() && !is_open_interface };
    let has_computed = || {
        let is_key = |r: RefId| {
            let r = view.reference(r);
            r.scope == body && !matches!(r.role, Role::Type | Role::Key)
        };
        view.all_in_scope(body).iter().any(|member| view.def_name(*member).starts_with('['))
            || own.kind == SymbolKind::Interface && view.written_refs().any(is_key)
    };
    !own.name_range.is_empty() && !own.flags.has(DefFlags::ANONYMOUS) && !is_open_interface && !has_computed()
}

/// The endings that an import may leave out or replace.
const ENDINGS: [&str; 11] =
    [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".astro"];

/// Words in the paths of files that are made by builds, or are no code of the project.
const GENERATED: [&str; 11] = [
    "gen",
    "dist",
    "build",
    "out",
    "auto",
    "fixture",
    "fixtures",
    "template",
    "templates",
    "testdata",
    "codegen",
];

/// Whether a directory of plain sources has no file of this name, with whatever ending. A name that says so may be generated.
fn is_directory_without(rx: &Resolver, directory: &str, name: &str) -> bool {
    let world = rx.world();
    let Some(place) = world.directory(directory) else { return false };
    let stem = ENDINGS.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let is_plain = !stem.is_empty() && stem.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    let lower = format!("{directory}/{stem}").to_lowercase();
    let is_made = lower
        .split(|c: char| !c.is_alphanumeric())
        .any(|word| GENERATED.contains(&word) || word.contains("generated"));
    let is_named = |id: &FileId| {
        let rest = world.file(*id).path.file_name().strip_prefix(stem);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let is_directory = place.directories.iter().any(|inner| inner.rsplit('/').next() == Some(stem));
    let is_source = |id: &FileId| {
        let file = world.file(*id);
        file.source != SourceKind::Library && file.language.is_some_and(|l| l.family() == Family::Ecma)
    };
    is_plain
        && !is_made
        && !is_directory
        && !place.files.iter().any(is_named)
        && place.files.iter().any(is_source)
}

/// Whether a program put a file together of others, or wrote it from another one.
fn is_bundle(file: &FileView) -> bool {
    const HELPERS: [&str; 5] =
        ["__webpack_require__", "__webpack_modules__", "__toCommonJS", "__toESM", "__commonJS"];
    HELPERS.iter().any(|helper| file.name_id(helper).is_some())
}

/// Whether a name calls a member of an object that is just of a class: one that a constant was made as, or the one around.
fn is_call_of_made(rx: &Resolver, file: &FileView, reference: RefId, class: GlobalDef) -> bool {
    let own = file.reference(reference);
    let is_made = match own.receiver.map(|receiver| file.expr(receiver)) {
        Some(Expr::This(_)) => true,
        Some(Expr::Ref(variable)) => {
            let found = rx.resolve(file.global_ref(variable)).resolution;
            let mut defs = found.defs().filter(|def| def.file == file.id);
            let (Some(def), None) = (defs.next(), defs.next()) else { return false };
            rx.kind(def) == SymbolKind::Constant
                && rx.def(def).init.is_some_and(|init| matches!(file.expr(init), Expr::New { .. }))
        }
        _ => false,
    };
    let is_alone = || rx.world().files_mentioning(file.ref_name(reference)).iter().all(|id| *id == file.id);
    is_made && own.role == Role::Call && rx.kind(class) == SymbolKind::Class && is_alone()
}

/// Whether a name is one behind a constant that holds just an object literal with all its keys. In JavaScript others may be added,
/// and what is not there can be read.
fn is_member_of_constant(rx: &Resolver, file: &FileView, reference: RefId, object: GlobalDef) -> bool {
    let own = file.reference(reference);
    let Some(Expr::Ref(variable)) = own.receiver.map(|receiver| file.expr(receiver)) else { return false };
    let Some(def) = rx.resolve(file.global_ref(variable)).resolution.certain_def() else { return false };
    let (view, constant) = (rx.file(def.file), rx.def(def));
    let holds = |value: ExprId| match view.expr(value) {
        Expr::Class(held) => held == object.def,
        Expr::Call { args, .. } => {
            let mut args = view.list(args);
            matches!((args.next(), args.next()), (Some(only), None) if matches!(view.expr(only), Expr::Class(held) if held == object.def))
        }
        _ => false,
    };
    let is_whole = || {
        let body = view.def(object.def).body;
        view.def(object.def).supers.is_empty()
            && body.is_some_and(|body| {
                view.all_in_scope(body).iter().all(|key| !view.def_name(*key).starts_with('['))
            })
    };
    let is_certain = match file.language() {
        Language::TypeScript => {
            view.language() == Language::TypeScript && matches!(own.role, Role::Read | Role::Call)
        }
        _ => own.role == Role::Call,
    };
    is_certain
        && def.file == object.file
        && constant.kind == SymbolKind::Constant
        && constant.ty.is_none()
        && is_own(rx, def)
        && constant.init.is_some_and(holds)
        && is_whole()
        && !is_set_somewhere(rx, file.ref_name(reference))
}

impl Ecma {
    /// The arguments that a function takes of a typed caller.
    pub(super) fn typed_arity(
        &self,
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
        function: GlobalDef,
    ) -> Option<Arity> {
        // `<Part />` calls a component with its attributes, also one that takes none.
        let is_element = |arg: ExprId| matches!(file.expr(arg), Expr::Class(object) if file.has_flag(object, DefFlags::MARKUP));
        if matches!(file.expr(call), Expr::Call { args, .. } if file.list(args).any(is_element)) {
            return None;
        }
        if rx.language_of(function) != Language::TypeScript || !is_own(rx, function) {
            return None;
        }
        // An argument whose type may be `void` may be left out.
        let view = rx.file(function.file);
        let may_be_void = |param: DefId| {
            let ty = view.def(param).ty.map(|ty| rx.type_of(view, ty));
            ty.is_none_or(|ty| {
                !ty.parts().iter().all(|part| match part {
                    Ty::Instance(..) | Ty::Array(_) | Ty::Literal(_) | Ty::Callable { .. } => true,
                    Ty::Primitive(name) => {
                        matches!(&**name, "string" | "number" | "boolean" | "bigint" | "symbol" | "object")
                    }
                    _ => false,
                })
            })
        };
        let params = || view.list(view.def(function.def).params);
        let own = view.def(function.def);
        if own.body.is_none() && !own.flags.has(DefFlags::SIGNATURE) {
            return None;
        }
        let has_this = params().next().is_some_and(|param| view.def_name(param) == "this");
        let arity = declared_arity(rx, function, usize::from(has_this));
        let least = if params().any(may_be_void) { 0 } else { arity.least };
        Some(Arity { least, ..arity })
    }
}

impl Judge for Ecma {
    fn is_built(&self, file: &FileView) -> bool {
        !is_bundle(file)
    }

    fn freeing(&self) -> &'static [(&'static str, &'static str)] {
        &[("const ", "let ")]
    }

    fn declared_kind(&self, rx: &Resolver, ty: &Ty) -> Option<Ty> {
        let is_declared = matches!(ty, Ty::Instance(..) | Ty::Class(..));
        (!is_declared).then(|| EcmaPolicy::apparent(rx, ty)).flatten()
    }

    fn writes_make_members(&self, file: &FileView) -> bool {
        file.language() == Language::JavaScript
    }

    fn refused_statements(&self, file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        if file.language() == Language::TypeScript {
            super::statements::typescript(tree, found);
        }
    }

    fn lacks_module(&self, rx: &Resolver, file: &FileView, import: &Import, _text: &str) -> bool {
        let written = file.name(import.module);
        let has_roots = || {
            let world = rx.world();
            let configurations = world.configurations();
            configurations
                .iter()
                .any(|path| world.configuration(path).is_some_and(|text| text.contains("rootDirs")))
        };
        let Some(last) = file.list(import.path).last() else { return false };
        let is_known = || {
            let found = rx.resolve(file.global_ref(last)).resolution;
            found.targets.iter().any(|target| !matches!(target, Target::External(_)))
        };
        if !written.starts_with("./") && !written.starts_with("../")
            || import.scope != ScopeId(0)
            || matches!(import.kind, ImportKind::SideEffect | ImportKind::Directive | ImportKind::UmdGlobal)
        {
            return false;
        }
        let path = paths::normal(&paths::join(paths::directory(&file.path), written));
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", &path));
        !written.ends_with('/') && is_directory_without(rx, directory, name) && !is_known() && !has_roots()
    }

    fn sees_all_modules(&self, rx: &Resolver, file: &FileView, import: &Import) -> bool {
        // `declare module "m"` adds to a package that is not installed.
        let Some(last) = file.list(import.path).last() else { return true };
        let found = rx.resolve(file.global_ref(last)).resolution;
        let written = file.name(import.module);
        let adds_to_it = |module: FileId| {
            let view = rx.file(module);
            let is_block = |def: DefId| {
                matches!(view.def(def).kind, SymbolKind::Module | SymbolKind::Namespace)
                    && view.def_name(def).trim_matches(['"', '\'']) == written
            };
            view.def_ids().any(is_block)
        };
        // A declaration file sees those beside the modules that it names, and not every module is read as a whole. In JavaScript
        // the module that runs may export more than its declarations say.
        let is_script = file.language() == Language::JavaScript;
        let may_be_untyped = file.language() != Language::TypeScript;
        let is_open = |target: &Target| match target {
            Target::Module(module) => {
                may_be_untyped && is_ambient(rx, *module) || passes_on_unknown(rx, *module)
            }
            _ => false,
        };
        // Packages are published without the types that their sources have.
        let is_untyped = |target: &Target| match target {
            Target::Module(module) => rx.file(*module).language() != Language::TypeScript,
            _ => false,
        };
        let is_type =
            import.member.is_some_and(|member| file.ref_name(member).starts_with(char::is_uppercase));
        let lacks_types = is_type && !is_script && found.targets.iter().any(is_untyped);
        if is_ambient(rx, file.id) || lacks_types || found.targets.iter().any(is_open) {
            return false;
        }
        written.starts_with('.')
            || is_alias_known(rx, written)
                && found.targets.iter().all(|target| match target {
                    Target::Module(module) => !is_ambient(rx, *module) && !adds_to_it(*module),
                    _ => false,
                })
    }

    fn is_undeclared(&self, _rx: &Resolver, file: &FileView, reference: RefId, found: &Resolution) -> bool {
        let name = file.ref_name(reference);
        matches!(&found.targets[..], [Target::External(external)] if &**external == name)
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        // The host, a bundler or a test runner may put anything into the global scope; but a module that exports the name means
        // that an import is missing, and a name that is nearly one of the file is that one.
        let name = file.ref_name(reference);
        let is_tested = file.exprs.iter().any(|expr| {
            let Expr::Unary { op: UnaryOp::TypeOf, value } = expr else { return false };
            matches!(file.expr(*value), Expr::Ref(tested) if file.ref_name(tested) == name)
        });
        let is_exported = |site: &crate::world::DeclarationSite| {
            site.flags.has(DefFlags::EXPORTED) && is_own(rx, site.at) && !site.is_nested
        };
        let is_module = !file.imports.is_empty() || !file.exports.is_empty();
        let mut sites = rx.world().declarations(name).into_iter();
        let is_near = || {
            let mut known = file.def_ids().filter(|def| !file.has_flag(*def, DefFlags::LOCAL));
            known.any(|def| is_miswritten(name, file.def_name(def)))
        };
        let mut is_module_error = || {
            is_module
                && (sites.any(|site| is_exported(&site))
                    || is_near()
                    || is_imported_elsewhere(rx, file, name)
                    || is_node_module(rx, file, reference)
                    || is_of_nobody(rx, file, reference))
        };
        name.len() > 1
            && !is_given_by_hosts(name)
            && !is_put_into_global_scope(rx, name)
            && !is_tested
            && (is_module_error() || is_slip_in_scope(rx, file, reference))
    }

    fn is_supposed(&self, _rx: &Resolver, of: &Ty, found: &Resolution) -> bool {
        let is_outside = |target: &Target| matches!(target, Target::External(_));
        matches!(of, Ty::Primitive(_) | Ty::Array(_)) && found.targets.iter().all(is_outside)
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        let is_typed = file.language() == Language::TypeScript;
        if is_typed && matches!(of, Ty::Primitive(_) | Ty::Array(_)) {
            return is_of_other_language(rx, of, file.ref_name(reference));
        }
        is_nowhere(rx, file.ref_name(reference))
            && match of {
                Ty::Instance(def, _) if rx.kind(*def) == SymbolKind::Object => {
                    is_member_of_constant(rx, file, reference, *def)
                        && !OF_ALL_VALUES.contains(&file.ref_name(reference))
                }
                // Others may add to a namespace, and every host to the types of the language.
                Ty::Instance(def, _) | Ty::Class(def, _) => {
                    (is_typed || is_call_of_made(rx, file, reference, *def))
                        && is_own(rx, *def)
                        && rx.kind(*def).is_type()
                        && knows_supers(rx, of)
                        && !OF_ALL_VALUES.contains(&file.ref_name(reference))
                        && rx.linearization(of).iter().filter_map(Ty::def).all(|part| is_closed(rx, part))
                }
                // `import("./m")` is a promise of the module, and a file that adds to another module is no module of that name.
                Ty::Module(module) => {
                    let view = rx.file(*module);
                    let adds = view.def_ids().any(|id| {
                        let is_block =
                            matches!(rx.kind(view.global(id)), SymbolKind::Module | SymbolKind::Namespace);
                        let added = view.def_name(id).trim_matches(['"', '\'']);
                        is_block && file.imports.iter().any(|import| file.name(import.module) == added)
                    });
                    // Code that runs may add to its exports, and export more than declarations say.
                    let is_fixed = || {
                        is_typed
                            || view.name_id("exports").is_none()
                                && (!view.exports.is_empty()
                                    || view.def_ids().any(|id| view.has_flag(id, DefFlags::EXPORTED)))
                                && !is_ambient(rx, view.id)
                                && !is_bundle(view)
                    };
                    let is_whole = !passes_on_unknown(rx, *module);
                    let module = rx.world().file(*module);
                    !adds
                        && is_whole
                        && is_fixed()
                        && module.language.is_some_and(|language| language.family() == Family::Ecma)
                        && !matches!(file.ref_name(reference), "then" | "catch" | "finally")
                }
                _ => false,
            }
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        if file.language() != Language::TypeScript {
            return None;
        }
        self.typed_arity(rx, file, call, function)
    }

    fn takes_type_arguments(&self, count: usize, parameters: usize) -> bool {
        count <= parameters
    }

    fn keeps_to_itself(&self, rx: &Resolver, module: FileId, name: &str) -> bool {
        let view = rx.file(module);
        let is_kept = |def: &DefId| {
            let def = view.def(*def);
            let odd = [DefFlags::EXPORTED, DefFlags::DEFAULT_EXPORT, DefFlags::EXTERNAL, DefFlags::SIGNATURE];
            !odd.iter().any(|flag| def.flags.has(*flag)) && def.kind != SymbolKind::Import
        };
        let exports = view.exports.iter().any(|export| view.name(export.name) == name);
        let is_passed_on =
            |import: &Import| matches!(import.kind, ImportKind::ReExport | ImportKind::ReExportStar);
        let has_modern = view.def_ids().any(|def| view.has_flag(def, DefFlags::EXPORTED));
        !is_ambient(rx, module)
            && view.quality == Quality::Full
            && view.family() == Family::Ecma
            && view.language().is_resolved()
            && has_modern
            && !exports
            && view.name_id("exports").is_none()
            && !view.imports.iter().any(is_passed_on)
            && view.named_in_scope(ScopeId(0), name).iter().all(is_kept)
    }

    fn is_twice(&self, _rx: &Resolver, (file, text): (&FileView, &str), first: DefId, second: DefId) -> bool {
        // `var` and functions may be declared again, interfaces and namespaces are merged.
        let is_once = |id: DefId| {
            let def = file.def(id);
            let before = text.get(..def.name_range.start as usize).unwrap_or("");
            let line = before.rsplit('\n').next().unwrap_or("").trim_start();
            let line = line.strip_prefix("export ").unwrap_or(line);
            let is_variable = matches!(def.kind, SymbolKind::Variable | SymbolKind::Constant);
            is_variable && matches!(line, "const " | "let ") || def.kind == SymbolKind::Class
        };
        let is_in_class = file.scope(file.def(first).scope).kind == ScopeKind::Class;
        // TypeScript takes a second signature, and no second body.
        let has_body = |id: DefId| {
            let def = file.def(id);
            let is_kind = match is_in_class {
                true => def.kind == SymbolKind::Method,
                false => def.kind == SymbolKind::Function,
            };
            is_kind
                && def.body.is_some()
                && ![DefFlags::SIGNATURE, DefFlags::EXTERNAL].iter().any(|flag| file.has_flag(id, *flag))
        };
        if file.language() == Language::TypeScript && has_body(first) && has_body(second) {
            let is_static = |id| file.has_flag(id, DefFlags::STATIC);
            return is_static(first) == is_static(second) && !file.def_name(first).starts_with('[');
        }
        let is_ambient = |id| {
            [DefFlags::SIGNATURE, DefFlags::EXTERNAL, DefFlags::TYPE_ONLY]
                .iter()
                .any(|f| file.has_flag(id, *f))
        };
        !is_in_class
            && [first, second].into_iter().all(|id| is_once(id) && !is_ambient(id))
            && file.def(first).kind == file.def(second).kind
    }

    fn is_fixed(
        &self,
        rx: &Resolver,
        (file, _): (&FileView, &str),
        reference: RefId,
        def: GlobalDef,
    ) -> bool {
        super::fixed::ecma(rx, file, reference, def)
    }

    fn has_no_objects(&self, rx: &Resolver, class: GlobalDef) -> bool {
        rx.kind(class) == SymbolKind::Class && rx.has_flag(class, DefFlags::ABSTRACT) && is_own(rx, class)
            || rx.kind(class) == SymbolKind::AbstractClass && is_own(rx, class)
    }

    fn is_hidden(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        file.language() == Language::TypeScript
            && rx.language_of(def) == Language::TypeScript
            && file.reference(reference).receiver.is_some()
            && (super::fixed::is_hidden_by_class(rx, file, reference, def)
                || super::fixed::is_protected_from(rx, file, reference, def))
    }

    fn needs_object(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        let of_class = |receiver| match file.expr(receiver) {
            Expr::Ref(name) if file.reference(name).receiver.is_none() => {
                match rx.expr_type(file, receiver) {
                    Ty::Class(class, _) => Some(class),
                    _ => None,
                }
            }
            _ => None,
        };
        let class = file.reference(reference).receiver.and_then(of_class);
        class.is_some_and(|class| !rx.has_flag(def, DefFlags::STATIC) && is_on_one_side(rx, file, class, def))
    }

    fn needs_class(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        let of_object = |receiver| match rx.expr_type(file, receiver) {
            Ty::Instance(class, _) => Some(class),
            _ => None,
        };
        let class = file.reference(reference).receiver.and_then(of_object);
        class.is_some_and(|class| rx.has_flag(def, DefFlags::STATIC) && is_on_one_side(rx, file, class, def))
    }

    fn initializer(&self, rx: &Resolver, class: GlobalDef) -> Option<GlobalDef> {
        let ty = Ty::instance(class);
        let is_known = is_typed_class(rx, class) && knows_supers(rx, &ty);
        let line = is_known.then(|| rx.linearization(&ty))?;
        let classes = line.iter().filter_map(Ty::def).filter(|of| rx.kind(*of) != SymbolKind::Interface);
        let constructors = |of: GlobalDef| {
            let view = rx.file(of.file);
            let body = view.def(of.def).body.map_or(&[][..], |body| view.named_in_scope(body, "constructor"));
            (is_typed_class(rx, of)).then(|| body.iter().map(|id| view.global(*id)).collect::<Vec<_>>())
        };
        for of in classes {
            match &constructors(of)?[..] {
                [] => {}
                [only] => return Some(*only),
                _ => return None,
            }
        }
        None
    }

    fn must_implement(&self, rx: &Resolver, class: GlobalDef, _head: &str) -> bool {
        let def = rx.def(class);
        rx.language_of(class) == Language::TypeScript
            && def.kind == SymbolKind::Class
            && !def.flags.has(DefFlags::ABSTRACT)
            && !def.flags.has(DefFlags::SIGNATURE)
            && knows_supers(rx, &Ty::instance(class))
            && rx
                .linearization(&Ty::instance(class))
                .iter()
                .filter_map(Ty::def)
                .all(|part| certainty::names_supers(rx, part))
    }

    fn is_announced(&self, rx: &Resolver, member: GlobalDef) -> bool {
        let def = rx.def(member);
        let of_interface =
            || rx.owner_class(member).is_some_and(|owner| rx.kind(owner) == SymbolKind::Interface);
        let is_member = matches!(def.kind, SymbolKind::Method | SymbolKind::Property | SymbolKind::Field);
        let is_named = !def.name_range.is_empty() && rx.def_name(member) != "constructor";
        // The members of the language's own types depend on the version that is built for.
        is_member
            && is_named
            && !OF_ALL_VALUES.contains(&rx.def_name(member))
            && is_own(rx, member)
            && !def.flags.has(DefFlags::OPTIONAL)
            && (def.flags.has(DefFlags::ABSTRACT) || of_interface())
    }

    fn import_line(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<String> {
        let policy = rx.policy(file);
        let is_default = rx.has_flag(def, DefFlags::DEFAULT_EXPORT);
        let is_given =
            is_default || rx.has_flag(def, DefFlags::EXPORTED) && policy.not_importable(rx, def).is_none();
        let module = &rx.world().file(def.file).path;
        let module = policy.module_name(rx, file, &file.path, module.as_str()).ok().filter(|_| is_given)?;
        Some(match is_default {
            true => format!("import {} from \"{module}\";", rx.def_name(def)),
            false => format!("import {{ {} }} from \"{module}\";", rx.def_name(def)),
        })
    }

    fn stub(&self, rx: &Resolver, member: GlobalDef, text: &str) -> Option<String> {
        let head = head(rx, member, text)?;
        let is_method = rx.kind(member).is_callable();
        Some(match is_method {
            true => format!("{head} {{\n\tthrow new Error(\"not implemented\");\n}}"),
            false => format!("{};", head.replacen(':', "!:", 1)),
        })
    }

    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        true
    }
}
