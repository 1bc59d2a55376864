//! The certainty of JavaScript and TypeScript.

use ide_model::{Family, Language, SourceKind, SymbolKind, paths};

use super::super::certainty;
use super::{head, is_nowhere, is_own, knows_supers};
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
const MOST_IMPORTERS: usize = 64;

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

fn is_ambient(rx: &Resolver, file: FileId) -> bool {
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
fn is_closed(rx: &Resolver, def: GlobalDef) -> bool {
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
const ENDINGS: [&str; 8] = [".js", ".jsx", ".ts", ".tsx", ".mjs", ".cjs", ".mts", ".cts"];

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

impl Judge for Ecma {
    fn is_built(&self, file: &FileView) -> bool {
        !is_bundle(file)
    }

    fn freeing(&self) -> &'static [(&'static str, &'static str)] {
        &[("const ", "let ")]
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
        let is_open = |target: &Target| match target {
            Target::Module(module) => is_script && is_ambient(rx, *module) || passes_on_unknown(rx, *module),
            _ => false,
        };
        if is_ambient(rx, file.id) || found.targets.iter().any(is_open) {
            return false;
        }
        written.starts_with('.')
            || found.targets.iter().all(|target| match target {
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
                    || is_imported_elsewhere(rx, file, name))
        };
        name.len() > 1
            && !is_given_by_hosts(name)
            && !is_put_into_global_scope(rx, name)
            && !is_tested
            && (is_module_error() || is_slip_in_scope(rx, file, reference))
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        let is_typed = file.language() == Language::TypeScript;
        is_nowhere(rx, file.ref_name(reference))
            && match of {
                // Others may add to a namespace, and every host to the types of the language.
                Ty::Instance(def, _) | Ty::Class(def, _) => {
                    is_typed
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
        // `<Part />` calls a component with its attributes, also one that takes none.
        let is_element = |arg: ExprId| matches!(file.expr(arg), Expr::Class(object) if file.has_flag(object, DefFlags::MARKUP));
        if matches!(file.expr(call), Expr::Call { args, .. } if file.list(args).any(is_element)) {
            return None;
        }
        let is_typed = |language| language == Language::TypeScript;
        if !is_typed(file.language()) || !is_typed(rx.language_of(function)) || !is_own(rx, function) {
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
            && super::fixed::is_hidden_by_class(rx, file, reference, def)
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

/// Names of the global scope that come from a host, a module system or a test runner whose declarations are packages.
fn is_given_by_hosts(name: &str) -> bool {
    const HOSTS: [&str; 68] = [
        // Types of the language.
        "never",
        "unknown",
        "any",
        "object",
        "string",
        "number",
        "boolean",
        "symbol",
        "bigint",
        "void",
        "process",
        "global",
        "globalThis",
        "Buffer",
        "__dirname",
        "__filename",
        "require",
        "module",
        "exports",
        "define",
        "setImmediate",
        "clearImmediate",
        "describe",
        "it",
        "test",
        "expect",
        "before",
        "after",
        "beforeEach",
        "afterEach",
        "beforeAll",
        "afterAll",
        "suite",
        "specify",
        "context",
        "jest",
        "vi",
        "cy",
        "Cypress",
        "assert",
        "sinon",
        "chai",
        "QUnit",
        "jasmine",
        "spyOn",
        "jQuery",
        "$",
        "_",
        "angular",
        "React",
        "JSX",
        "Vue",
        "Deno",
        "Bun",
        "chrome",
        "browser",
        "google",
        "importScripts",
        "WebAssembly",
        "gtag",
        "ga",
        "arguments",
        "undefined",
        "NodeJS",
        "NaN",
        "Infinity",
        "fail",
        "xit",
    ];
    HOSTS.contains(&name)
}
