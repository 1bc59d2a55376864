//! The names that a file writes with what they mean, and the types of values as their language writes them.

use std::sync::Arc;

use ide_model::{Family, FilePath, Language, NameUse, QueryError, SymbolKind, TextRange};

use super::definition::{At, definition_at, target_at};
use super::{Resolvers, file_id};
use crate::facts::{DefFlags, DefId, RefFlags, Role};
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// Types nested deeper, or longer in text, are not shown.
const MOST_DEPTH: usize = 6;
const MOST_TEXT: usize = 200;

/// See `Snapshot::names`.
///
/// # Errors
/// [`QueryError::NoFile`].
pub fn names(
    pool: &Resolvers,
    cx: ide_model::Cx<'_>,
    path: &FilePath,
    range: TextRange,
) -> Result<Vec<NameUse>, QueryError> {
    cx.check()?;
    pool.with(|rx| {
        let file = rx.file(file_id(rx.world(), path)?);
        let inside = |at: TextRange| !at.is_empty() && at.start < range.end && range.start < at.end;
        let mut found = Vec::new();
        for id in file.def_ids().filter(|id| inside(file.def(*id).name_range)) {
            let d = file.def(id);
            if d.flags.has(DefFlags::SYNTHETIC) || d.kind == SymbolKind::Import {
                continue;
            }
            let inferred_type = lacks_type(file, id).then(|| written_type(rx, file, id)).flatten();
            found.push(NameUse { inferred_type, ..of(rx, file.global(id), d.name_range, true, false) });
        }
        for id in file.written_refs() {
            let r = *file.reference(id);
            let is_text = r.flags.has(RefFlags::IN_DOC) || r.flags.has(RefFlags::IMPLICIT);
            if !inside(r.range) || is_text {
                continue;
            }
            cx.check()?;
            let resolved = rx.resolve(file.global_ref(id));
            let is_write = matches!(r.role, Role::Write | Role::ReadWrite);
            match resolved.resolution.targets.first() {
                Some(Target::Def(def)) => found.push(of(rx, *def, r.range, false, is_write)),
                Some(Target::Module(_)) => found.push(namespace(r.range, SymbolKind::Module)),
                Some(Target::Package(_)) => found.push(namespace(r.range, SymbolKind::Package)),
                Some(Target::External(_)) | None => {}
            }
        }
        found.sort_by_key(|name| (name.range, !name.is_declaration));
        found.dedup_by_key(|name| name.range);
        Ok(found)
    })
}

fn of(rx: &Resolver, def: GlobalDef, range: TextRange, is_declaration: bool, is_write: bool) -> NameUse {
    let has = |flag| rx.has_flag(def, flag);
    NameUse {
        range,
        kind: rx.kind(def),
        is_declaration,
        is_write,
        is_library: rx.world().file(def.file).source == ide_model::SourceKind::Library,
        is_static: has(DefFlags::STATIC),
        is_readonly: has(DefFlags::READONLY) || has(DefFlags::CONST),
        is_deprecated: has(DefFlags::DEPRECATED),
        inferred_type: None,
    }
}

fn namespace(range: TextRange, kind: SymbolKind) -> NameUse {
    NameUse {
        range,
        kind,
        is_declaration: false,
        is_write: false,
        is_library: false,
        is_static: false,
        is_readonly: false,
        is_deprecated: false,
        inferred_type: None,
    }
}

fn lacks_type(file: &FileView, id: DefId) -> bool {
    let d = file.def(id);
    let is_value = matches!(
        d.kind,
        SymbolKind::Variable | SymbolKind::Constant | SymbolKind::Parameter | SymbolKind::Property
    );
    is_value && d.ty.is_none()
}

fn written_type(rx: &Resolver, file: &FileView, id: DefId) -> Option<Arc<str>> {
    rendered(rx, file.language(), &rx.def_type(file.global(id)))
}

/// See `Snapshot::value_type`.
///
/// # Errors
/// [`QueryError::NoFile`].
pub fn value_type(
    pool: &Resolvers,
    cx: ide_model::Cx<'_>,
    path: &FilePath,
    offset: u32,
) -> Result<Option<Arc<str>>, QueryError> {
    cx.check()?;
    pool.with(|rx| {
        let id = file_id(rx.world(), path)?;
        let file = rx.file(id);
        let ty = match target_at(file, offset) {
            Some(At::Def(def)) => rx.def_type(file.global(def)),
            Some(At::Ref(reference)) => {
                let resolved = rx.resolve(file.global_ref(reference));
                let narrowed = file
                    .exprs
                    .iter()
                    .position(|e| *e == crate::facts::Expr::Ref(reference))
                    .map(|at| rx.expr_type(file, crate::facts::ExprId(at as u32)));
                narrowed.filter(|ty| !ty.is_unknown()).unwrap_or_else(|| rx.value_of(&resolved))
            }
            None => return Ok(None),
        };
        let is_declared = definition_at(rx, id, offset).is_ok();
        Ok(is_declared.then(|| rendered(rx, file.language(), &ty)).flatten())
    })
}

/// How the languages of a family write types that are not names.
struct Form {
    family: Family,
    arguments: (&'static str, &'static str),
    /// `{}` stands for the item.
    array: &'static str,
    pointer: &'static str,
    tuple: (&'static str, &'static str),
}

const FORMS: &[Form] = &[
    Form { family: Family::Jvm, arguments: ("<", ">"), array: "{}[]", pointer: "{}", tuple: ("(", ")") },
    Form { family: Family::Ecma, arguments: ("<", ">"), array: "{}[]", pointer: "{}", tuple: ("[", "]") },
    Form {
        family: Family::Python,
        arguments: ("[", "]"),
        array: "list[{}]",
        pointer: "{}",
        tuple: ("tuple[", "]"),
    },
    Form { family: Family::Go, arguments: ("[", "]"), array: "[]{}", pointer: "*{}", tuple: ("(", ")") },
    Form { family: Family::Php, arguments: ("<", ">"), array: "{}[]", pointer: "{}", tuple: ("array{", "}") },
    Form { family: Family::Rust, arguments: ("<", ">"), array: "[{}]", pointer: "&{}", tuple: ("(", ")") },
];

/// A type as the language writes it; `None` when a part of it is unknown or has no name.
fn rendered(rx: &Resolver, language: Language, ty: &Ty) -> Option<Arc<str>> {
    let form = FORMS.iter().find(|form| form.family == language.family())?;
    let text = form.write(rx, ty, 0)?;
    (text.len() <= MOST_TEXT).then(|| text.into())
}

impl Form {
    fn write(&self, rx: &Resolver, ty: &Ty, depth: usize) -> Option<String> {
        if depth > MOST_DEPTH {
            return None;
        }
        let one = |ty: &Ty| self.write(rx, ty, depth + 1);
        let all = |types: &[Ty], between: &str| {
            types.iter().map(one).collect::<Option<Vec<_>>>().map(|all| all.join(between))
        };
        let named = |name: &str, args: &[Ty]| {
            if args.is_empty() {
                return Some(name.to_owned());
            }
            let (open, close) = self.arguments;
            all(args, ", ").map(|args| format!("{name}{open}{args}{close}"))
        };
        match ty {
            Ty::Instance(def, args) => {
                let name = rx.def_name(*def);
                (!name.is_empty()).then(|| named(name, args)).flatten()
            }
            Ty::External(name, args) => {
                let last = name.rsplit(['.', '\\', '/', ':']).next().unwrap_or(name);
                (!name.starts_with('#')).then(|| named(last, args)).flatten()
            }
            Ty::Param(def) => Some(rx.def_name(*def).to_owned()),
            Ty::Primitive(name) | Ty::Literal(name) => Some(name.to_string()),
            Ty::Array(item) => Some(self.array.replace("{}", &one(item)?)),
            Ty::Pointer(item) => Some(self.pointer.replace("{}", &one(item)?)),
            Ty::Union(parts) => all(parts, " | "),
            Ty::Intersection(parts) => all(parts, " & "),
            Ty::Tuple(items) => Some(format!("{}{}{}", self.tuple.0, all(items, ", ")?, self.tuple.1)),
            Ty::Callable { params, result } => Some(format!("({}) -> {}", all(params, ", ")?, one(result)?)),
            _ => None,
        }
    }
}
