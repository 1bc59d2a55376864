//! From a position, a name or a handle to declarations.

use ide_model::{
    Confidence, Cx, Family, FilePath, Language, NameAt, QueryError, SourceKind, Symbol, SymbolKind,
    Target as Asked,
};

use super::symbol::{declaration, enclosing_defs, module_symbol, package_key, package_of, symbol};
use super::{Resolvers, file_id};
use crate::facts::{DefFlags, DefId, RefFlags, RefId};
use crate::lang;
use crate::resolve::{FileView, Reason, Resolution, Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// At most this many near misses are named in an error.
const MAX_SIMILAR: usize = 5;

/// The meaning of a target; see `Snapshot::resolve`.
pub fn resolve(pool: &Resolvers, cx: Cx<'_>, asked: &Asked) -> Result<Vec<(Symbol, Confidence)>, QueryError> {
    cx.check()?;
    pool.with(|rx| match asked {
        Asked::Position { file, offset } => {
            let id = file_id(rx.world(), file)?;
            let view = rx.file(id);
            symbols_of(rx, view, &definition_at(rx, id, *offset)?, target_at(view, *offset))
        }
        Asked::Variable { file, offset } | Asked::Name { file, offset } => {
            let id = file_id(rx.world(), file)?;
            let view = rx.file(id);
            let at = target_at(view, *offset);
            let found = match at {
                Some(At::Def(def)) if rx.policy(view).declares_variable(rx, view.global(def)) => {
                    vec![(symbol(rx, view.global(def)), Confidence::Exact)]
                }
                at => symbols_of(rx, view, &definition_at(rx, id, *offset)?, at)?,
            };
            let (Some(At::Ref(reference)), Asked::Name { .. }) = (at, asked) else { return Ok(found) };
            let name = view.ref_name(reference);
            Ok(found.into_iter().map(|(of, sure)| (bearer(rx, name, of), sure)).collect())
        }
        Asked::File(file) => {
            let id = file_id(rx.world(), file)?;
            Ok(vec![(module_symbol(rx.world(), id), Confidence::Exact)])
        }
        Asked::Named { language, symbol } => named(rx, *language, symbol),
        Asked::Key(key) => {
            let found = package_of(key).and_then(|(file, package)| {
                package_symbol(rx, Language::of_path(file).map(Language::family), package)
            });
            if let Some(symbol) = found {
                return Ok(vec![(symbol, Confidence::Exact)]);
            }
            let (file, def) = declaration(rx, key)?;
            let symbol = def.map_or_else(|| module_symbol(rx.world(), file), |def| symbol(rx, def));
            Ok(vec![(symbol, Confidence::Exact)])
        }
    })
}

/// The declaration that a name is the name of: where it runs a constructor that is called otherwise, or has no name in the
/// text, the class.
fn bearer(rx: &Resolver, name: &str, of: Symbol) -> Symbol {
    if of.kind != SymbolKind::Constructor || *of.name == *name && !of.name_range.is_empty() {
        return of;
    }
    let class = definition_of(rx, &of).ok().and_then(|(_, def)| rx.member_owner(def?));
    class.filter(|class| rx.def_name(*class) == name).map_or(of, |class| symbol(rx, class))
}

/// The item at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Def(DefId),
    Ref(RefId),
}

/// The name at an offset: one that holds the offset before one that ends there, a declaration before a reference,
/// except that a written reference wins over a declaration without text of its own, and the property that a parameter
/// declares over the parameter.
pub fn target_at(file: &FileView, offset: u32) -> Option<At> {
    let defs = file.def_ids().filter(|d| {
        let d = file.def(*d);
        d.name_range.touches(offset) && !d.name_range.is_empty()
    });
    let refs = file.written_refs().filter(|r| file.reference(*r).range.touches(offset));
    defs.map(At::Def).chain(refs.map(At::Ref)).min_by_key(|at| match at {
        At::Def(def) => {
            let d = file.def(*def);
            let secondary = d.flags.has(DefFlags::SYNTHETIC) || d.kind == SymbolKind::Import;
            let is_promoted = d.flags.has(DefFlags::PROMOTED);
            (!d.name_range.contains(offset), 2 * u8::from(secondary), d.name_range.len(), !is_promoted, def.0)
        }
        At::Ref(reference) => {
            let r = file.reference(*reference);
            (
                !r.range.contains(offset),
                1 + 2 * u8::from(r.flags.has(RefFlags::IMPLICIT)),
                r.range.len(),
                true,
                reference.0,
            )
        }
    })
}

/// The name at an offset; see `Snapshot::name_at`.
///
/// # Errors
/// For a file that the index does not have.
pub fn name_at(pool: &Resolvers, path: &FilePath, offset: u32) -> Result<Option<NameAt>, QueryError> {
    pool.with(|rx| {
        let file = rx.file(file_id(rx.world(), path)?);
        let at = target_at(file, offset).or_else(|| behind_sigil(rx, file, offset));
        Ok(at.map(|at| match at {
            At::Def(def) => NameAt { range: file.def(def).name_range, is_declaration: true },
            At::Ref(reference) => NameAt { range: file.reference(reference).range, is_declaration: false },
        }))
    })
}

/// The declarations meant at an offset: of the name there, else of the nearest enclosing named declaration.
///
/// # Errors
/// [`QueryError::NothingHere`] outside every declaration.
pub fn definition_at(rx: &Resolver, id: FileId, offset: u32) -> Result<Resolution, QueryError> {
    let file = rx.file(id);
    match target_at(file, offset).or_else(|| behind_sigil(rx, file, offset)) {
        Some(At::Def(def)) => {
            let declared = rx.policy(file).declared_as(rx, file.global(def));
            if declared.is_unknown() {
                let what = format!("`{}` (nothing that takes it is known)", file.def_name(def));
                return Err(QueryError::NotFound { what, similar: Vec::new() });
            }
            let resolution = rx.through_imports(declared);
            Ok(if resolution.is_unknown() { Resolution::def(file.global(def)) } else { resolution })
        }
        Some(At::Ref(reference)) => {
            let resolved = rx.resolve(file.global_ref(reference));
            if resolved.resolution.is_unknown() {
                return Err(unresolved(rx, file, reference, resolved.resolution.reason));
            }
            Ok(as_written(rx, file, reference).unwrap_or(resolved.resolution))
        }
        None => match enclosing_defs(file, offset).last() {
            Some(def) => Ok(Resolution::def(file.global(*def))),
            None => Err(QueryError::NothingHere {
                what: format!("this position of `{}`", rx.world().file(id).path),
            }),
        },
    }
}

/// The class whose name stands for its companion.
fn as_written(rx: &Resolver, file: &FileView, reference: RefId) -> Option<Resolution> {
    let meant = rx.resolve(file.global_ref(reference)).resolution;
    let companion = meant.defs().next().filter(|def| rx.has_flag(*def, DefFlags::COMPANION))?;
    let class = rx.member_owner(companion)?;
    let is_said = *rx.shared_name(companion) == *file.ref_name(reference);
    (!is_said).then(|| Resolution::of(Target::Def(class), meant.confidence))
}

/// The name behind an offset where a sign stands that belongs to it.
fn behind_sigil(rx: &Resolver, file: &FileView, offset: u32) -> Option<At> {
    let policy = rx.policy(file);
    target_at(file, offset + 1).filter(|at| match *at {
        At::Def(def) => {
            file.def(def).name_range.start == offset + 1 && policy.has_sigil(rx, Some(file.global(def)), None)
        }
        At::Ref(reference) => {
            let r = file.reference(reference);
            let def = rx.resolve(file.global_ref(reference)).resolution.defs().next();
            r.range.start == offset + 1 && policy.has_sigil(rx, def, Some(r))
        }
    })
}

fn unresolved(rx: &Resolver, file: &FileView, reference: RefId, reason: Reason) -> QueryError {
    let name = file.ref_name(reference);
    let why = match reason {
        Reason::UnknownReceiver => "the type of the expression before it is not known",
        Reason::SeveralCandidates => "too many declarations could be meant",
        Reason::Dynamic => "it is decided at run time",
        Reason::Macro => "it stands in a macro that cannot be seen through",
        _ => "no declaration of it is known",
    };
    let similar = qualified_names(rx, file.language(), name);
    QueryError::NotFound { what: format!("`{name}` ({why})"), similar }
}

/// Declarations of this name that the language could use.
fn qualified_names(rx: &Resolver, language: Language, name: &str) -> Vec<String> {
    let sites = rx.world().declarations(name);
    sites
        .iter()
        .filter(|site| rx.language_of(site.at).family() == language.family())
        .filter_map(|site| rx.policy_of(site.at).qualified_name(rx, site.at))
        .take(MAX_SIMILAR)
        .collect()
}

fn symbols_of(
    rx: &Resolver,
    from: &FileView,
    resolution: &Resolution,
    at: Option<At>,
) -> Result<Vec<(Symbol, Confidence)>, QueryError> {
    let policy = rx.policy(from);
    let asking = match at {
        Some(At::Ref(reference)) => Some((from, reference)),
        _ => None,
    };
    let (mut external, mut package) = (None, None);
    let mut found = Vec::new();
    for target in &resolution.targets {
        match target {
            Target::Def(def) => found.push((symbol(rx, *def), resolution.confidence)),
            Target::Module(file) => found.push((module_symbol(rx.world(), *file), resolution.confidence)),
            Target::Package(name) => {
                let symbols = package_symbol(rx, Some(from.family()), name);
                found.extend(symbols.map(|symbol| (symbol, resolution.confidence)));
                package = Some(name);
            }
            Target::External(name) => {
                let outside = policy.outside(rx, name, asking);
                let symbols = outside.into_iter().filter_map(|target| match target {
                    Target::Def(def) => Some(symbol(rx, def)),
                    Target::Module(file) => {
                        Some(Symbol { qualified_name: Some(name.clone()), ..module_symbol(rx.world(), file) })
                    }
                    Target::Package(_) | Target::External(_) => None,
                });
                found.extend(symbols.map(|symbol| (symbol, resolution.confidence)));
                external = Some(name.to_string());
            }
        }
    }
    match (found.is_empty(), external) {
        (false, _) => Ok(found),
        (true, Some(qualified_name)) => {
            let from = policy.makers(rx, &qualified_name);
            let from: Vec<Symbol> = from.into_iter().map(|def| symbol(rx, def)).collect();
            Err(if from.is_empty() {
                QueryError::OutsideIndex { qualified_name }
            } else {
                QueryError::Made { qualified_name, from }
            })
        }
        (true, None) => {
            let Some(name) = package else {
                return Err(QueryError::NothingHere { what: "this position".to_owned() });
            };
            let what = format!("`{name}` itself (files declare only packages or namespaces inside of it)");
            Err(QueryError::NotFound { what, similar: Vec::new() })
        }
    }
}

/// A package or namespace, shown by the first file of its directory.
fn package_symbol(rx: &Resolver, family: Option<Family>, name: &str) -> Option<Symbol> {
    let directory = name.replace(['.', '\\'], "/");
    let is_test = |file: &FileId| rx.world().file(*file).source == SourceKind::Test;
    let of_package = |family| rx.world().files_of_package(family, name);
    let by_package = family.and_then(|f| of_package(f).into_iter().min_by_key(|file| (is_test(file), *file)));
    let in_directory = || {
        let files = rx.world().directory(&directory)?.files;
        let is_code = |file: &&FileId| rx.world().file(**file).language.is_some_and(lang::has_policy);
        files.iter().filter(is_code).min_by_key(|file| is_test(file)).or(files.first()).copied()
    };
    let file = by_package.or_else(in_directory)?;
    let last = name.rsplit(['.', '\\', '/']).next().unwrap_or(name);
    let module = module_symbol(rx.world(), file);
    Some(Symbol {
        key: package_key(&module.file, name),
        name: last.into(),
        kind: SymbolKind::Package,
        qualified_name: Some(name.into()),
        ..module
    })
}

fn named(rx: &Resolver, language: Language, text: &str) -> Result<Vec<(Symbol, Confidence)>, QueryError> {
    let found = lang::policy(language)
        .by_qualified_name(rx, text)
        .map_err(|examples| QueryError::Grammar { what: text.to_owned(), examples })?;
    if found.is_empty() {
        let last = text.rsplit(['.', '#', ':', '\\', '/']).next().unwrap_or(text);
        let last = last.split('(').next().unwrap_or(last);
        let similar = qualified_names(rx, language, last);
        return Err(QueryError::NotFound { what: format!("`{text}`"), similar });
    }
    let canonical = canonical(rx, found);
    if canonical.len() > 1 {
        let candidates = canonical.into_iter().map(|def| symbol(rx, def)).collect();
        return Err(QueryError::Ambiguous { what: text.to_owned(), candidates });
    }
    Ok(canonical.into_iter().map(|def| (symbol(rx, def), Confidence::Exact)).collect())
}

/// One declaration per symbol.
fn canonical(rx: &Resolver, defs: Vec<GlobalDef>) -> Vec<GlobalDef> {
    let mut out: Vec<GlobalDef> = Vec::new();
    for def in defs {
        let first = rx.policy_of(def).same_symbol(rx, def).first().copied().unwrap_or(def);
        if !out.contains(&first) {
            out.push(first);
        }
    }
    out
}

/// The declaration of a symbol of this world.
pub(crate) fn definition_of(
    rx: &Resolver,
    symbol: &Symbol,
) -> Result<(FileId, Option<GlobalDef>), QueryError> {
    declaration(rx, &symbol.key)
}
