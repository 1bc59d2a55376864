//! Qualified names as people and agents write them: `pkg.Outer.Inner`, `pkg.Type#member`, `Type.member(int)`.

use ide_model::{Family, FilePath, Language, SymbolKind};

use crate::facts::{DefFlags, DefId, FileFacts, ScopeId, TypeExpr};
use crate::lang::kotlin;
use crate::resolve::{FileView, Resolver};
use crate::world::{DeclarationSite, GlobalDef};

/// Declarations of a language whose qualified name ends in what is asked for.
///
/// # Errors
/// Examples of what is understood, when the text is not in the grammar.
pub(in crate::lang) fn find(
    rx: &Resolver,
    language: Language,
    text: &str,
) -> Result<Vec<GlobalDef>, Vec<String>> {
    let text = text.trim();
    let (path, signature) = match text.split_once('(') {
        Some((path, rest)) => (path, Some(rest.strip_suffix(')').ok_or_else(examples)?)),
        None => (text, None),
    };
    let parts: Vec<&str> = path.split(['.', '#', '$']).map(str::trim).collect();
    let is_name = |p: &&str| !p.is_empty() && p.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !parts.iter().all(is_name) || path.matches('#').count() > 1 {
        return Err(examples());
    }
    let last = parts[parts.len() - 1];
    let member_only = path.contains('#') || signature.is_some();
    let mut found: Vec<GlobalDef> = Vec::new();
    let package = parts[..parts.len() - 1].join(".");
    let of_libraries = rx.world().library_declarations(Family::Jvm, last).into_iter();
    let of_package = rx.world().package_declarations(Family::Jvm, &package, last);
    let seen = of_libraries.map(|site| match rx.world().seen_by(site.at.file, language) {
        Some(file) => DeclarationSite { at: GlobalDef { file, ..site.at }, ..site },
        None => site,
    });
    for site in rx.world().declarations(last).into_iter().chain(seen).chain(of_package) {
        let is_of_it = rx.world().file(site.at.file).language == Some(language);
        if !is_of_it || member_only && site.kind.is_type() {
            continue;
        }
        let file = rx.file(site.at.file);
        let have = full_path(file, site.at);
        let ends = have.len() >= parts.len() && have[have.len() - parts.len()..] == parts[..];
        if ends && signature.is_none_or(|s| has_signature(file, site.at, s)) {
            found.push(site.at);
        }
    }
    // The type rather than its constructors, unless a signature asks for one.
    let types: Vec<GlobalDef> = found.iter().copied().filter(|d| rx.kind(*d).is_type()).collect();
    if !types.is_empty() {
        found.retain(|d| rx.kind(*d) != SymbolKind::Constructor);
    }
    // A complete name wins over the end of a longer one.
    let complete: Vec<GlobalDef> =
        found.iter().copied().filter(|d| full_path(rx.file(d.file), *d) == parts).collect();
    Ok(if complete.is_empty() { found } else { complete })
}

fn examples() -> Vec<String> {
    ["com.example.Outer.Inner", "com.example.Type#method", "Type#method(int, String)"]
        .map(String::from)
        .to_vec()
}

/// Package segments, enclosing types, name.
fn full_path(file: &FileView, def: GlobalDef) -> Vec<&str> {
    let d = file.def(def.def);
    let mut parts = vec![file.name(d.name)];
    let mut scope: ScopeId = d.scope;
    while let Some(owner) = file.enclosing_def(scope) {
        parts.push(file.def_name(owner));
        scope = file.def(owner).scope;
    }
    if let Some(package) = file.package {
        parts.extend(file.name(package).rsplit('.'));
    }
    parts.reverse();
    parts
}

/// The parameter types are those, by their simple names.
fn has_signature(file: &FileView, def: GlobalDef, signature: &str) -> bool {
    let asked: Vec<String> = split_types(signature);
    let have: Vec<String> = file
        .list(file.def(def.def).params)
        .map(|p| file.def(p).ty.map_or_else(String::new, |ty| simple_text(file, file.ty(ty))))
        .collect();
    asked == have
}

/// Simple names of a parameter list, without type arguments, packages and parameter names.
fn split_types(text: &str) -> Vec<String> {
    let mut depth = 0;
    let mut parts: Vec<String> = vec![String::new()];
    for c in text.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ',' if depth == 0 => parts.push(String::new()),
            c if depth == 0 => parts.last_mut().expect("never empty").push(c),
            _ => {}
        }
    }
    let simple = |part: &String| {
        let word = part.replace("...", "[]");
        let word = word.split_whitespace().next().unwrap_or_default().to_owned();
        word.rsplit('.').next().unwrap_or_default().to_owned()
    };
    let all: Vec<String> = parts.iter().map(simple).collect();
    if all == [""] { Vec::new() } else { all }
}

fn simple_text(file: &FileView, ty: TypeExpr) -> String {
    match ty {
        TypeExpr::Named { name, .. } => file.ref_name(name).to_owned(),
        TypeExpr::Primitive(name) => file.name(name).to_owned(),
        TypeExpr::Array(item) => format!("{}[]", simple_text(file, file.ty(item))),
        _ => String::new(),
    }
}

/// The classes that a file makes by their names in class files: `a.Outer$Inner`; of Kotlin also the class of the file.
pub(in crate::lang) fn class_names(path: &FilePath, facts: &FileFacts) -> Vec<String> {
    let package = facts.package.map_or("", |package| facts.name(package));
    let within = |name: &str| if package.is_empty() { name.to_owned() } else { format!("{package}.{name}") };
    let is_class = |def: &DefId| {
        let d = facts.def(*def);
        let is_named = !d.flags.has(DefFlags::LOCAL) && !d.flags.has(DefFlags::ANONYMOUS);
        d.kind.is_type() && is_named && d.kind != SymbolKind::TypeAlias
    };
    let binary = |def: DefId| {
        let mut name = facts.def_name(def).to_owned();
        let mut scope = facts.def(def).scope;
        while let Some(owner) = facts.enclosing_def(scope) {
            name = format!("{}${name}", facts.def_name(owner));
            scope = facts.def(owner).scope;
        }
        within(&name)
    };
    let mut all: Vec<DefId> = facts.def_ids().filter(is_class).collect();
    all.sort_by_key(|def| facts.def(*def).name_range);
    let mut names: Vec<String> = all.into_iter().map(binary).collect();
    let is_function = |def: &DefId| facts.def(*def).kind == SymbolKind::Function;
    if facts.language == Language::Kotlin && facts.def_ids().any(|def| is_function(&def)) {
        let facade = facts.exports.first().map(|export| facts.name(export.name).to_owned());
        let facade = facade.unwrap_or_else(|| format!("{}Kt", kotlin::capitalized(path.stem())));
        names.push(within(&facade));
    }
    names
}
