//! Declarations that matter by their place among others: constants that count or repeat, fields that literals fill in order.

use std::collections::BTreeSet;

use ide_model::{Conflict, ConflictKind, Family, QueryError, SourceKind, SymbolKind, TextRange};

use super::RefactorContext;
use super::conflict;
use super::rename::occurrences;
use super::scene::Scene;
use super::tree::{NodeId, Syntax};
use crate::lang;
use crate::query::hierarchy::descendants;
use crate::query::references::sought_of;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

/// Literals inside of so many are not looked into.
const MAX_DEPTH: u32 = 64;

/// The places whose meaning depends on a declaration that they do not name.
pub(super) fn uses_of_place(ctx: &RefactorContext<'_>, def: GlobalDef) -> Result<Vec<Conflict>, QueryError> {
    let (kind, filled) = ctx.pool.with(|rx| {
        let owner = rx.member_owner(def).filter(|_| rx.file(def.file).family() == Family::Python);
        (rx.def(def).kind, owner.filter(|owner| lang::takes_fields_by_place(rx, *owner)))
    });
    match kind {
        _ if let Some(class) = filled => given_by_place(ctx, def, class),
        SymbolKind::Constant => constants(ctx, def),
        SymbolKind::Field => literals(ctx, def),
        _ => Ok(Vec::new()),
    }
}

/// The syntax of a file, where its language is read into trees.
fn scene<'a>(ctx: &'a RefactorContext<'a>, file: FileId) -> Result<Option<Scene<'a>>, QueryError> {
    match Scene::open(ctx, file) {
        Ok(scene) => Ok(Some(scene)),
        Err(QueryError::Unsupported { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Constants of the same block that repeat the value of one, or are numbered behind it.
fn constants(ctx: &RefactorContext<'_>, def: GlobalDef) -> Result<Vec<Conflict>, QueryError> {
    let Some(scene) = scene(ctx, def.file)? else { return Ok(Vec::new()) };
    let (syntax, name) = (&scene.syntax, scene.view.def(def.def).name_range);
    let spec = syntax.ancestors(syntax.around(name)).find(|id| syntax.kind(*id) == "const_spec");
    let Some((spec, block)) = spec.and_then(|spec| Some((spec, syntax.parent(spec)?))) else {
        return Ok(Vec::new());
    };
    let specs = syntax.named(block).filter(|id| syntax.kind(*id) == "const_spec");
    let (mut found, mut value) = (Vec::new(), None);
    let mut is_behind = false;
    let counts = |value: NodeId| {
        syntax
            .below(value)
            .into_iter()
            .any(|id| syntax.text_of(id) == "iota" && matches!(syntax.kind(id), "identifier" | "iota"))
    };
    for other in specs {
        let own = syntax.field(other, "value");
        let repeats = own.is_none() && value.is_some_and(|(of, _)| of == spec);
        value = own.map(|value| (other, value)).or(value);
        if other == spec {
            is_behind = true;
            continue;
        }
        let is_numbered = value.is_some_and(|(_, value)| counts(value));
        if is_behind && (repeats || is_numbered) {
            let at = syntax.named(other).next().unwrap_or(other);
            let why = if repeats { "repeats its value" } else { "is numbered by the constants before it" };
            let message = format!("`{}` {why}", syntax.text_of(at));
            found.push(conflict(ConflictKind::InUse, message, Some(ctx.at(def.file, syntax.range(at)))));
        }
    }
    Ok(found)
}

/// Calls and patterns that give or take the fields of a class of Python by their order.
fn given_by_place(
    ctx: &RefactorContext<'_>,
    field: GlobalDef,
    class: GlobalDef,
) -> Result<Vec<Conflict>, QueryError> {
    let heirs = ctx.pool.with(|rx| descendants(rx, ctx.cx, class))?;
    let classes: Vec<GlobalDef> = heirs.into_iter().map(|(heir, _)| heir).chain([class]).collect();
    let name = ctx.pool.with(|rx| rx.shared_name(field));
    let mut found = Vec::new();
    if ctx.pool.with(|rx| lang::is_named_tuple(rx, class)) {
        let at = ctx.pool.with(|rx| rx.def(class).name_range);
        let message = "values of the class may be taken apart by the places of its fields".to_owned();
        found.push(conflict(ConflictKind::Unresolved, message, Some(ctx.at(class.file, at))));
    }
    for of in classes {
        let place = ctx.pool.with(|rx| {
            let fields = lang::initialised_fields(rx, of);
            fields.iter().position(|other| **other == *name)
        });
        let Some(place) = place else { continue };
        let sought = ctx.pool.with(|rx| sought_of(rx, ctx.cx, &[of]))?;
        for use_ in occurrences(ctx, &sought, None)?.into_iter().filter(|use_| use_.is_certain) {
            let Some(scene) = scene(ctx, use_.file)? else { continue };
            let at = scene.view.reference(use_.reference).range;
            let Some((list, count, is_open)) = values_of(&scene.syntax, at) else { continue };
            let place_of = Some(ctx.at(use_.file, list));
            if count > place {
                let message = format!("`{name}` gets its value by its place here");
                found.push(conflict(ConflictKind::InUse, message, place_of));
            } else if is_open {
                let message = format!("`{name}` may get its value by its place here");
                found.push(conflict(ConflictKind::Unresolved, message, place_of));
            }
        }
    }
    Ok(found)
}

/// The values that stand by their place behind the name of a class, and whether there may be more.
fn values_of(syntax: &Syntax, name: TextRange) -> Option<(TextRange, usize, bool)> {
    let node = syntax.around(name);
    let mut around = syntax.ancestors(node).skip(1).take(3);
    let of = around.find(|id| matches!(syntax.kind(*id), "call" | "class_pattern"))?;
    let values: Vec<NodeId> = match syntax.field(of, "arguments") {
        Some(list) if syntax.field(of, "function").is_some_and(|f| syntax.range(f).end == name.end) => {
            syntax.named(list).collect()
        }
        None => syntax.named(of).skip(1).collect(),
        Some(_) => return None,
    };
    let is_named = |id: NodeId| {
        let inner = syntax.named(id).next();
        [Some(id), inner]
            .into_iter()
            .flatten()
            .any(|id| matches!(syntax.kind(id), "keyword_argument" | "keyword_pattern" | "dictionary_splat"))
    };
    let is_open = values.iter().any(|id| syntax.kind(*id) == "list_splat");
    Some((syntax.range(of), values.iter().filter(|id| !is_named(**id)).count(), is_open))
}

/// Literals that give the fields of a struct values by their order.
fn literals(ctx: &RefactorContext<'_>, field: GlobalDef) -> Result<Vec<Conflict>, QueryError> {
    let home = ctx.pool.with(|rx| rx.shared_file(field.file));
    let Some(owner) = ctx.pool.with(|rx| rx.owner_class(field)) else { return Ok(Vec::new()) };
    // Other languages say the names of fields, or call a constructor.
    if home.def(owner.def).kind != SymbolKind::Struct
        || scene(ctx, field.file)?.is_none_or(|s| !is_ordered(&s))
    {
        return Ok(Vec::new());
    }
    let world = ctx.pool.world();
    let name = ctx.pool.with(|rx| rx.shared_name(owner));
    let mut files: BTreeSet<FileId> = world.files_mentioning(&name).into_iter().collect();
    // A type that is made of it has literals of its own.
    let beside = world.directory(world.file(field.file).path.directory());
    files.extend(beside.map(|entries| entries.files).unwrap_or_default());
    let mut found = Vec::new();
    for file in files {
        ctx.cx.check()?;
        let entry = world.file(file);
        if entry.source == SourceKind::Library || entry.language != Some(home.language()) {
            continue;
        }
        let Some(scene) = scene(ctx, file)? else { continue };
        let places =
            ctx.pool.with(|rx| Literals { rx, view: &scene.view, syntax: &scene.syntax, of: owner }.all());
        found.extend(places.into_iter().map(|range| {
            let message = format!("this literal gives the fields of `{name}` values by their order");
            conflict(ConflictKind::InUse, message, Some(ctx.at(file, range)))
        }));
    }
    Ok(found)
}

/// Whether literals of a language may leave out the names of fields.
fn is_ordered(scene: &Scene<'_>) -> bool {
    scene.syntax.shape.expressions.split_ascii_whitespace().any(|kind| kind == "composite_literal")
}

struct Literals<'a> {
    rx: &'a Resolver,
    view: &'a FileView,
    syntax: &'a Syntax,
    of: GlobalDef,
}

impl Literals<'_> {
    fn all(&self) -> Vec<TextRange> {
        let syntax = self.syntax;
        let mut found = Vec::new();
        for id in syntax.below(syntax.root()) {
            if syntax.kind(id) != "composite_literal" {
                continue;
            }
            if let (Some(ty), Some(body)) = (syntax.field(id, "type"), syntax.field(id, "body")) {
                self.body(body, &self.type_of(ty, 0), 0, &mut found);
            }
        }
        found
    }

    /// The type that is written somewhere, as far as it decides what literals are of.
    fn type_of(&self, node: NodeId, depth: u32) -> Ty {
        let syntax = self.syntax;
        if depth > MAX_DEPTH {
            return Ty::Unknown;
        }
        let part =
            |field: &str| syntax.field(node, field).map_or(Ty::Unknown, |part| self.type_of(part, depth + 1));
        match syntax.kind(node) {
            "slice_type" | "array_type" | "implicit_length_array_type" => Ty::Array(part("element").into()),
            "map_type" => Ty::External("#map".into(), [part("key"), part("value")].into()),
            "pointer_type" => match syntax.named(node).next() {
                Some(inner) => Ty::Pointer(self.type_of(inner, depth + 1).into()),
                None => Ty::Unknown,
            },
            "generic_type" => part("type"),
            "qualified_type" => part("name"),
            _ => {
                let at = syntax.range(node);
                let named = self.view.by_place().refs.at(at).next();
                let meant = named.map(|r| self.rx.resolve(self.view.global_ref(r)).resolution);
                let Some(def) = meant.and_then(|meant| meant.defs().next()) else { return Ty::Unknown };
                let d = self.rx.def(def);
                match d.ty.filter(|_| d.kind == SymbolKind::TypeAlias) {
                    Some(ty) => self.rx.type_of(self.rx.file(def.file), ty),
                    None => Ty::instance(def),
                }
            }
        }
    }

    /// The braces of a literal of a type, with the literals in it that leave their type out.
    fn body(&self, node: NodeId, ty: &Ty, depth: u32, found: &mut Vec<TextRange>) {
        let (syntax, policy) = (self.syntax, self.rx.policy(self.view));
        if depth > MAX_DEPTH || *ty == Ty::Unknown {
            return;
        }
        let inner = match ty {
            Ty::Pointer(inner) => inner,
            other => other,
        };
        let is_it = |ty: &Ty| ty.def().is_some_and(|def| policy.same_symbol(self.rx, def).contains(&self.of));
        let core = policy.core(self.rx, inner).unwrap_or_else(|| inner.clone());
        let is_named = |id: &NodeId| syntax.kind(*id) == "keyed_element";
        if (is_it(inner) || is_it(&core)) && syntax.named(node).next().is_some_and(|first| !is_named(&first))
        {
            found.push(syntax.range(node));
        }
        let element = policy.element(self.rx, self.view, inner);
        for item in syntax.named(node) {
            let values = if is_named(&item) { syntax.named(item).skip(1).collect() } else { vec![item] };
            for value in values {
                let value = syntax
                    .named(value)
                    .next()
                    .filter(|_| syntax.kind(value) == "literal_element")
                    .unwrap_or(value);
                if syntax.kind(value) == "literal_value" {
                    self.body(value, &element, depth + 1, found);
                }
            }
        }
    }
}
