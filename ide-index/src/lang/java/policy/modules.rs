//! `import module`: the packages that modules export (JLS 7.5.5 and 7.7).

use ide_model::SymbolKind;
use rustc_hash::FxHashSet;

use super::tops::Tops;
use crate::facts::{ImportFlags, ImportKind, ScopeId};
use crate::resolve::{FileView, Resolver};
use crate::world::GlobalDef;

/// The modules of Java SE with how the packages of each begin; the longest beginning says to which a package belongs.
const STANDARD: [(&str, &[&str]); 18] = [
    (
        "java.base",
        &[
            "java.io",
            "java.lang",
            "java.math",
            "java.net",
            "java.nio",
            "java.security",
            "java.text",
            "java.time",
            "java.util",
            "javax.crypto",
            "javax.net",
            "javax.security.auth",
            "javax.security.cert",
        ],
    ),
    ("java.compiler", &["javax.annotation.processing", "javax.lang.model", "javax.tools"]),
    ("java.datatransfer", &["java.awt.datatransfer", "sun.datatransfer"]),
    (
        "java.desktop",
        &[
            "java.applet",
            "java.awt",
            "java.beans",
            "javax.accessibility",
            "javax.imageio",
            "javax.print",
            "javax.sound",
            "javax.swing",
        ],
    ),
    ("java.instrument", &["java.lang.instrument"]),
    ("java.logging", &["java.util.logging"]),
    ("java.management", &["java.lang.management", "javax.management"]),
    ("java.management.rmi", &["javax.management.remote.rmi"]),
    ("java.naming", &["javax.naming"]),
    ("java.net.http", &["java.net.http"]),
    ("java.prefs", &["java.util.prefs"]),
    ("java.rmi", &["java.rmi", "javax.rmi"]),
    ("java.scripting", &["javax.script"]),
    ("java.security.jgss", &["javax.security.auth.kerberos", "org.ietf.jgss"]),
    ("java.security.sasl", &["javax.security.sasl"]),
    ("java.sql", &["java.sql", "javax.sql"]),
    ("java.transaction.xa", &["javax.transaction.xa"]),
    ("java.xml", &["javax.xml", "org.w3c.dom", "org.xml.sax"]),
];

/// The transitive requirements of modules of Java SE.
const TRANSITIVE: [(&str, &[&str]); 4] = [
    ("java.desktop", &["java.datatransfer", "java.prefs", "java.xml"]),
    ("java.management.rmi", &["java.management", "java.rmi"]),
    ("java.sql", &["java.logging", "java.transaction.xa", "java.xml"]),
    ("java.sql.rowset", &["java.logging", "java.naming", "java.sql"]),
];

/// The packages of some modules and of those that they require for their importers.
#[derive(Default)]
struct Exports {
    /// Modules of Java SE, which have the packages that begin like theirs.
    standard: FxHashSet<&'static str>,
    packages: FxHashSet<String>,
    /// The first module of which nothing is known.
    unknown: Option<String>,
}

/// Types of a name that the modules which a file imports export, and a module of which nothing is known that may have it. A
/// file that declares methods outside of classes takes everything from `java.base`.
pub(super) fn imported(rx: &Resolver, file: &FileView, name: &str) -> (Vec<GlobalDef>, Option<String>) {
    let modules = file.imports.iter().filter(|import| import.kind == ImportKind::Module);
    let mut modules: Vec<String> = modules.map(|import| file.name(import.module).to_owned()).collect();
    let is_compact =
        file.all_in_scope(ScopeId(0)).iter().any(|def| file.def(*def).kind == SymbolKind::Method);
    modules.extend(is_compact.then(|| "java.base".to_owned()));
    if modules.is_empty() {
        return (Vec::new(), None);
    }
    let exports = exports(rx, modules);
    let is_exported = |package: &str| {
        let standard = || standard_module(package).is_some_and(|module| exports.standard.contains(module));
        exports.packages.contains(package) || standard()
    };
    (Tops::of(rx, name).types_of_packages(is_exported), exports.unknown)
}

fn exports(rx: &Resolver, mut todo: Vec<String>) -> Exports {
    let mut found = Exports::default();
    let mut seen = FxHashSet::default();
    while let Some(module) = todo.pop() {
        if !seen.insert(module.clone()) {
            continue;
        }
        let standard = STANDARD.iter().find(|(name, _)| *name == module);
        found.standard.extend(standard.map(|(name, _)| *name));
        let required = TRANSITIVE.iter().find(|(name, _)| *name == module);
        todo.extend(required.iter().flat_map(|(_, all)| all.iter().map(|name| (*name).to_owned())));
        if module == "java.se" {
            found.standard.extend(STANDARD.iter().map(|(name, _)| *name));
            continue;
        }
        let sites = rx.world().declarations(&module);
        let declared: Vec<_> = sites.iter().filter(|site| site.kind == SymbolKind::Module).collect();
        if declared.is_empty() && standard.is_none() && required.is_none() {
            found.unknown.get_or_insert(module);
            continue;
        }
        for site in declared {
            let file = rx.file(site.at.file);
            for import in &file.imports {
                let name = file.name(import.module).to_owned();
                match import.kind {
                    ImportKind::ReExportStar => {
                        found.packages.insert(name);
                    }
                    ImportKind::SideEffect if import.flags.has(ImportFlags::EXPORTED) => todo.push(name),
                    _ => {}
                }
            }
        }
    }
    found
}

/// The module of Java SE that has a package.
fn standard_module(package: &str) -> Option<&'static str> {
    let begins = |beginning: &str| {
        package.strip_prefix(beginning).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let all = STANDARD.iter().flat_map(|(module, packages)| packages.iter().map(move |p| (*module, *p)));
    all.filter(|(_, beginning)| begins(beginning)).max_by_key(|(_, b)| b.len()).map(|(module, _)| module)
}
