//! Names of JavaScript and TypeScript that hosts provide, names that only other languages have, and classes whose members are all
//! known.

use ide_model::{Language, SourceKind, SymbolKind};

use super::ecma::{MOST_IMPORTERS, is_ambient, is_closed};
use super::{is_own, knows_supers};
use crate::facts::{DefFlags, Expr, RefId, Role, ScopeId};
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::GlobalDef;

/// Whether strings or lists of other languages have a member of this name, and no declaration adds it: `text.upper()`.
pub(super) fn is_of_other_language(rx: &Resolver, of: &Ty, name: &str) -> bool {
    const OF_TEXTS: [&str; 14] = [
        "capitalize",
        "contains",
        "endswith",
        "equals",
        "isEmpty",
        "lower",
        "lstrip",
        "replace_all",
        "rstrip",
        "startswith",
        "strip",
        "toLower",
        "toUpper",
        "upper",
    ];
    const OF_LISTS: [&str; 12] = [
        "add", "append", "contains", "count", "extend", "first", "isEmpty", "last", "len", "remove",
        "removeAt", "size",
    ];
    let is_odd = match of {
        Ty::Primitive(name_of_type) => &**name_of_type == "string" && OF_TEXTS.contains(&name),
        _ => OF_LISTS.contains(&name),
    };
    let may_be_added = |site: &crate::world::DeclarationSite| {
        let owner = rx.owner_class(site.at).map(|owner| rx.def_name(owner));
        matches!(owner, Some("String" | "Array" | "ReadonlyArray" | "Object"))
    };
    is_odd && !rx.world().declarations(name).iter().any(may_be_added)
}

/// Modules of Node that code calls by their names. None of the names is global.
const NODE_MODULES: [&str; 14] = [
    "child_process",
    "cluster",
    "dns",
    "fs",
    "http",
    "https",
    "net",
    "os",
    "path",
    "readline",
    "tls",
    "util",
    "vm",
    "zlib",
];

/// Members of these modules.
const OF_NODE_MODULES: &str = "basename createInterface createReadStream createServer createWriteStream cpus dirname exec \
    execFile execSync existsSync extname fork get gunzip gzip homedir hostname inspect isAbsolute join mkdir mkdirSync normalize \
    platform promisify readFile readFileSync readdir readdirSync relative request resolve rm rmSync spawn spawnSync stat statSync \
    tmpdir unlink unlinkSync writeFile writeFileSync";

/// Whether a name is that of a module of Node whose members are called, and nothing imports it.
pub(super) fn is_node_module(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let name = file.ref_name(reference);
    let is_called = || {
        let mut calls = file.refs.iter().filter(|other| {
            other.role == Role::Call
                && other.receiver.is_some_and(|receiver| file.expr(receiver) == Expr::Ref(reference))
        });
        calls.any(|call| OF_NODE_MODULES.split_whitespace().any(|known| known == file.name(call.name)))
    };
    let is_bound = || file.def_ids().any(|id| file.def_name(id) == name);
    let is_global = || {
        rx.world().files_mentioning(name).into_iter().take(MOST_IMPORTERS).any(|id| {
            let view = rx.file(id);
            is_ambient(rx, id)
                && rx.world().file(id).source != SourceKind::Library
                && !view.named_in_scope(ScopeId(0), name).is_empty()
        })
    };
    NODE_MODULES.contains(&name) && is_called() && !is_bound() && !is_global()
}

/// Names of the global scope that come from a host, a module system or a test runner whose declarations are packages.
pub(super) fn is_given_by_hosts(name: &str) -> bool {
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

/// Whether a class of TypeScript is declared in the project with all its members.
pub(super) fn is_typed_class(rx: &Resolver, class: GlobalDef) -> bool {
    matches!(rx.kind(class), SymbolKind::Class | SymbolKind::AbstractClass)
        && rx.language_of(class) == Language::TypeScript
        && is_own(rx, class)
        && is_closed(rx, class)
}

/// Whether a class of TypeScript and its superclasses declare the name of a member only as static, or only as not static, as the
/// member is.
pub(super) fn is_on_one_side(rx: &Resolver, file: &FileView, class: GlobalDef, member: GlobalDef) -> bool {
    let ty = Ty::instance(class);
    let own = rx.def(member);
    let is_member = matches!(own.kind, SymbolKind::Method | SymbolKind::Field | SymbolKind::Property);
    let line = || rx.linearization(&ty);
    let is_only = |of: &GlobalDef| {
        let view = rx.file(of.file);
        let body =
            view.def(of.def).body.map_or(&[][..], |body| view.named_in_scope(body, rx.def_name(member)));
        is_typed_class(rx, *of)
            && body.iter().all(|id| view.has_flag(*id, DefFlags::STATIC) == own.flags.has(DefFlags::STATIC))
    };
    // A namespace or an interface of the name adds to the class.
    let is_alone = |of: &GlobalDef| rx.world().declarations(rx.def_name(*of)).len() == 1;
    file.language() == Language::TypeScript
        && is_member
        && !own.flags.has(DefFlags::SYNTHETIC)
        && knows_supers(rx, &ty)
        && line().iter().filter_map(Ty::def).all(|of| is_only(&of) && is_alone(&of))
        && line().iter().any(|of| of.def() == rx.owner_class(member))
}
