//! Members of types beside the world: found by their names, and listed.

use std::sync::Arc;

use ide_model::{SymbolKind, Visibility};
use rustc_hash::FxHashSet;

use super::crates::STANDARD;
use super::implementations::remembered_as;
use super::library;
use super::outside::{
    OutsideCache, Place, declarations, files_of, listed, module_of, root_of, says, standard_types,
};
use super::outside_types;
use super::types::is_primitive;
use crate::facts::{DefFlags, DefId, Expr, ExprId, ScopeId, TypeExpr, TypeId};
use crate::library::Listed;
use crate::resolve::{FileView, Resolver, Ty};
use crate::world::{FileId, GlobalDef};

// ---- types that the compiler builds in --------------------------------------------------------------------------

/// The blocks with the members of a type that the compiler builds in. The rules of a macro have the members of integers.
fn built_in_blocks(rx: &Resolver, owner: &str) -> Vec<GlobalDef> {
    let files: &[&str] = match owner {
        "slice" | "Vec" | "array" => &["slice/mod.rs", "slice/ascii.rs"],
        "str" | "String" => &["str/mod.rs"],
        "char" => &["char/methods.rs"],
        "bool" => &["bool.rs"],
        "f32" => &["num/f32.rs"],
        "f64" => &["num/f64.rs"],
        _ if !is_primitive(owner) => return Vec::new(),
        _ if owner.starts_with('i') => &["num/int_macros.rs"],
        _ => &["num/uint_macros.rs"],
    };
    let file_of = |krate: &str, path: &str| {
        let root = root_of(rx, krate)?;
        let beside = if krate == "alloc" { path.replace("/mod.rs", ".rs") } else { path.to_owned() };
        Some(rx.file(rx.world().file_by_path(&format!("{}/{beside}", root.directory))?))
    };
    let all =
        ["core", "alloc", "std"].into_iter().flat_map(|krate| files.iter().map(move |file| (krate, *file)));
    let views = all.filter_map(|(krate, path)| file_of(krate, path));
    let blocks = views.flat_map(|file| file.def_ids().map(move |def| (file, def)));
    // Other types of these files have names, or are made of those that have.
    let with_members = blocks.filter(|(file, def)| {
        let d = file.def(*def);
        let is_for = || d.ty.and_then(|ty| head_name(file, ty)).is_none_or(|name| name == owner);
        d.body.is_some() && (d.kind == SymbolKind::Macro || d.kind == SymbolKind::Impl && is_for())
    });
    with_members.map(|(file, def)| file.global(def)).collect()
}

/// A member of such a type, or of what points to it.
pub(super) fn built_in_member(rx: &Resolver, owner: &str, name: &str) -> Vec<GlobalDef> {
    let member = |block: GlobalDef| {
        let file = rx.file(block.file);
        let found = file.named_in_scope(file.def(block.def).body?, name).first()?;
        Some(file.global(*found))
    };
    built_in_blocks(rx, owner).into_iter().find_map(member).into_iter().collect()
}

/// Whether values of a type are iterators, of whatever adapter.
pub(super) fn is_iterator(rx: &Resolver, path: &str) -> bool {
    library::is_iterator(library::last(path)) || given_by(rx, path, "Iterator", "Item").is_some()
}

// ---- members by name --------------------------------------------------------------------------------------------

/// Members of a type: in its own body, in the `impl` blocks for it in its file, in those of its module, and in those of its
/// crate. An alias has those of what it stands for.
pub(super) fn members(
    rx: &Resolver,
    place: &Place,
    file: &FileView,
    owner: DefId,
    rest: &[&str],
) -> Vec<GlobalDef> {
    let [name] = rest else { return Vec::new() };
    let d = file.def(owner);
    if d.kind == SymbolKind::TypeAlias {
        let target = d.ty.map(|ty| rx.type_of(file, ty));
        let target = target.as_ref().and_then(outside_types::path_of).map(|path| declarations(rx, path));
        let meant = target.iter().flat_map(|found| found.iter());
        let mut types = meant.filter(|def| rx.def(**def).kind != SymbolKind::TypeAlias);
        return types.next().map_or_else(Vec::new, |def| of_type(rx, *def, rest));
    }
    let mut own = rx.own_members(file.global(owner), name);
    // A method hides a field of the same name from others.
    let unseen = own.iter().position(|member| is_hidden_field(rx, *member)).map(|at| own.remove(at));
    if !own.is_empty() {
        return own;
    }
    let found = implemented(rx, place, file, owner, (name, None));
    if found.is_empty() { unseen.into_iter().collect() } else { found }
}

/// The member of a type that its implementation of a trait gives, by the last name of the trait.
pub(super) fn given_by(rx: &Resolver, path: &str, of: &str, name: &str) -> Option<GlobalDef> {
    let key = format!("{path} {of} {name}");
    remembered_as(
        &OutsideCache::of(rx).given,
        &*key,
        || key.as_str().into(),
        || find_given(rx, path, of, name),
    )
}

fn find_given(rx: &Resolver, path: &str, of: &str, name: &str) -> Option<GlobalDef> {
    let def = *declarations(rx, path).iter().find(|def| rx.def(**def).kind.is_type())?;
    let file = rx.file(def.file);
    let place = module_of(rx, file, file.def(def.def).scope)?;
    implemented(rx, &place, file, def.def, (name, Some(of))).first().copied()
}

/// A member that implementations give to a type, wherever in its crate: any, or those of one trait.
fn implemented(
    rx: &Resolver,
    place: &Place,
    file: &FileView,
    owner: DefId,
    wanted: (&str, Option<&str>),
) -> Vec<GlobalDef> {
    let type_name = file.def_name(owner);
    let found = in_impls(file, type_name, wanted);
    if !found.is_empty() {
        return found;
    }
    let found_in =
        |id: FileId| Some(in_impls(rx.file(id), type_name, wanted)).filter(|found| !found.is_empty());
    let words = [type_name, wanted.0, wanted.1.unwrap_or("impl")];
    implementing(rx, place, file.id, &words).find_map(found_in).unwrap_or_default()
}

/// The other files that may implement something for the type of a module, by its name and further words that such files say:
/// those beside the module, and all of its crate. The standard library has them beside.
fn implementing<'a>(
    rx: &'a Resolver,
    place: &Place,
    home: FileId,
    words: &'a [&'a str],
) -> impl Iterator<Item = FileId> + 'a {
    let mut files = rx.world().directory(&place.directory).map(|found| found.files).unwrap_or_default();
    let is_standard = STANDARD.contains(&place.krate());
    if is_standard {
        // Its files are asked for so often that reading them once is less than looking for words in them.
        if let Some(listed) = words.first().and_then(|name| listed(rx, name, Listed::Implementing)) {
            files.retain(|id| listed.contains(id));
        }
    } else if let Some(root) = root_of(rx, place.krate()) {
        files.extend(files_of(rx, &root.directory).iter());
    }
    files.into_iter().filter(move |id| *id != home && (is_standard || says(rx, *id, words)))
}

pub(super) fn of_type(rx: &Resolver, def: GlobalDef, rest: &[&str]) -> Vec<GlobalDef> {
    let file = rx.file(def.file);
    let place = module_of(rx, file, file.def(def.def).scope);
    place.map_or_else(Vec::new, |place| members(rx, &place, file, def.def, rest))
}

fn is_hidden_field(rx: &Resolver, member: GlobalDef) -> bool {
    let d = rx.def(member);
    d.kind == SymbolKind::Field && d.visibility != Some(Visibility::Public)
}

/// The blocks of a file that implement something for a type of this name.
fn blocks_for<'a>(file: &'a FileView, type_name: &'a str) -> impl Iterator<Item = DefId> + 'a {
    file.def_ids().filter(move |def| {
        let d = file.def(*def);
        d.kind == SymbolKind::Impl && d.ty.is_some_and(|ty| head_name(file, ty) == Some(type_name))
    })
}

/// The last name of a written type.
fn head_name(file: &FileView, ty: TypeId) -> Option<&str> {
    match file.ty(ty) {
        TypeExpr::Named { name, .. } => Some(file.ref_name(name)),
        _ => None,
    }
}

/// The trait that a block is of, by its last name.
fn trait_name(file: &FileView, block: DefId) -> Option<&str> {
    file.list(file.def(block).supers).find_map(|edge| head_name(file, edge.ty))
}

fn in_impls(file: &FileView, type_name: &str, (name, of): (&str, Option<&str>)) -> Vec<GlobalDef> {
    let blocks = blocks_for(file, type_name);
    let of_trait = blocks.filter(|block| of.is_none_or(|of| trait_name(file, *block) == Some(of)));
    let bodies = of_trait.filter_map(|def| file.def(def).body);
    let mut found: Vec<GlobalDef> =
        bodies.flat_map(|body| file.named_in_scope(body, name)).map(|def| file.global(*def)).collect();
    // Of methods that several blocks have one is meant, one of the type itself first; which, the path does not say.
    found.sort_by_key(|def| {
        let d = file.def(def.def);
        let is_of_trait = file.scope(d.scope).owner.is_some_and(|of| !file.def(of).supers.is_empty());
        (d.flags.has(DefFlags::NOT_BUILT), is_of_trait)
    });
    found.truncate(1);
    found
}

// ---- all members ------------------------------------------------------------------------------------------------

/// Aliases of aliases are followed this far.
const MAX_ALIASES: u32 = 8;

/// Traits that types which the compiler builds in have, and that are in scope everywhere; slices are not `Display`, and
/// numbers with a fraction have no order.
const OF_BUILT_IN: [&str; 8] =
    ["Clone", "PartialEq", "PartialOrd", "Ord", "ToOwned", "ToString", "Into", "TryInto"];

/// A member, and the trait without which code cannot name it.
#[derive(Clone)]
pub(super) struct ListedMember {
    name: Arc<str>,
    of_trait: Option<Arc<str>>,
}

/// The names of the members that a value of a type beside the world has, or a path to that type: without those of what it
/// points to, and without those of traits that the file neither names nor has without naming them.
pub(in crate::lang) fn names_of_members(rx: &Resolver, from: &FileView, ty: &Ty) -> Vec<Arc<str>> {
    let (owner, is_path): (&str, bool) = match ty {
        Ty::External(path, _) => (path, false),
        Ty::ExternalName(path) => (path, true),
        Ty::Primitive(name) => (name, false),
        Ty::Array(_) => ("slice", false),
        _ => return Vec::new(),
    };
    let key = format!("{owner}{}", if is_path { "::" } else { "" });
    let list = || {
        let mut lister = Lister { rx, is_path, found: Vec::new(), traits: FxHashSet::default() };
        lister.add(owner);
        lister.found.into()
    };
    let all: Arc<[ListedMember]> =
        remembered_as(&OutsideCache::of(rx).members, &*key, || key.as_str().into(), list);
    let is_in_scope = |name: &Arc<str>| library::prelude(name).is_some() || from.name_id(name).is_some();
    let in_scope = all.iter().filter(|member| member.of_trait.as_ref().is_none_or(is_in_scope));
    in_scope.map(|member| member.name.clone()).collect()
}

struct Lister<'a> {
    rx: &'a Resolver,
    /// Whether a path is asked about, and not a value.
    is_path: bool,
    found: Vec<ListedMember>,
    traits: FxHashSet<String>,
}

impl Lister<'_> {
    fn add(&mut self, owner: &str) {
        let rx = self.rx;
        let last = library::last(owner);
        let mut types: Vec<GlobalDef> = declarations(rx, owner).to_vec();
        if types.is_empty() && library::is_standard(owner) {
            types = standard_types(rx, last).to_vec();
        }
        for def in types.into_iter().filter(|def| rx.kind(*def).is_type()).take(1) {
            self.add_type(def, 0);
        }
        if is_iterator(rx, owner) {
            self.add_trait("Iterator");
        }
        let built_in = built_in_blocks(rx, owner);
        let has_order = !owner.starts_with('f');
        let is_shown = owner != "slice";
        let traits = OF_BUILT_IN.iter().filter(|_| !built_in.is_empty());
        for name in traits.filter(|name| (has_order || **name != "Ord") && (is_shown || **name != "ToString"))
        {
            self.add_trait(name);
        }
        for block in built_in {
            self.add_block(rx.file(block.file), block.def);
        }
    }

    fn add_type(&mut self, def: GlobalDef, steps: u32) {
        let rx = self.rx;
        let file = rx.file(def.file);
        let d = file.def(def.def);
        if d.kind == SymbolKind::TypeAlias {
            let target = d.ty.map(|ty| rx.type_of(file, ty));
            let path = target.as_ref().and_then(outside_types::path_of);
            let types = path.map(|path| declarations(rx, path));
            let meant =
                types.iter().flat_map(|found| found.iter().copied()).find(|of| rx.kind(*of).is_type());
            if let Some(meant) = meant.filter(|_| steps < MAX_ALIASES) {
                self.add_type(meant, steps + 1);
            }
            return;
        }
        let is_open = matches!(d.kind, SymbolKind::Trait | SymbolKind::Enum);
        if let Some(body) = d.body {
            self.add_scope(file, body, None, is_open);
        }
        let name = file.def_name(def.def);
        let place = module_of(rx, file, d.scope);
        let words = [name, "impl"];
        let others = place.iter().flat_map(|place| implementing(rx, place, def.file, &words));
        for id in std::iter::once(def.file).chain(others) {
            let view = rx.file(id);
            for block in blocks_for(view, name) {
                self.add_block(view, block);
            }
        }
        if d.kind != SymbolKind::Trait {
            self.add_trait("Into");
        }
    }

    fn add_block(&mut self, file: &FileView, block: DefId) {
        let of_trait = trait_name(file, block);
        match of_trait {
            Some("Clone") => self.add_trait("ToOwned"),
            Some("Display") => self.add_trait("ToString"),
            _ => {}
        }
        match (of_trait, file.def(block).body) {
            (Some(name), _) if library::prelude(name).is_some() => self.add_trait(name),
            (_, Some(body)) => self.add_scope(file, body, of_trait, of_trait.is_some()),
            (_, None) => {}
        }
    }

    /// The members of a trait of the prelude.
    fn add_trait(&mut self, name: &str) {
        let rx = self.rx;
        let Some(path) = library::prelude(name).filter(|_| self.traits.insert(name.to_owned())) else {
            return;
        };
        for def in declarations(rx, &path).iter().filter(|def| rx.kind(**def) == SymbolKind::Trait) {
            let file = rx.file(def.file);
            if let Some(body) = file.def(def.def).body {
                self.add_scope(file, body, Some(name), true);
            }
        }
    }

    /// The stable members of a body that others see.
    fn add_scope(&mut self, file: &FileView, scope: ScopeId, of_trait: Option<&str>, is_open: bool) {
        let of_trait: Option<Arc<str>> = of_trait.map(Arc::from);
        for def in file.all_in_scope(scope) {
            let d = file.def(*def);
            let is_reached = match d.kind {
                SymbolKind::Method => self.is_path || !d.flags.has(DefFlags::STATIC),
                SymbolKind::Field => !self.is_path,
                SymbolKind::EnumCase | SymbolKind::Constant => self.is_path,
                _ => false,
            };
            let is_shown = is_open || d.visibility == Some(Visibility::Public);
            if is_reached && is_shown && !is_kept_back(file, *def) {
                let name = Arc::from(file.def_name(*def));
                self.found.push(ListedMember { name, of_trait: of_trait.clone() });
            }
        }
    }
}

/// Whether a declaration is unstable, or left out of the documentation.
fn is_kept_back(file: &FileView, def: DefId) -> bool {
    let says = |value: ExprId, word: &str| matches!(file.expr(value), Expr::Ref(name) if file.ref_name(name) == word);
    file.list(file.def(def).decorators).any(|decorator| match file.expr(decorator) {
        Expr::Call { callee, args, .. } => {
            says(callee, "unstable")
                || says(callee, "doc") && file.list(args).any(|argument| says(argument, "hidden"))
        }
        _ => false,
    })
}
