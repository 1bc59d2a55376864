//! Names to types and packages: qualified names, imports, what needs no import.

use std::borrow::Cow;

use ide_model::{Confidence, Family, Language, SourceKind, SymbolKind, Visibility};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use super::tops::{Top, Tops};
use crate::facts::{
    DefFlags, DefId, Expr, GuardTest, ImportFlags, ImportId, ImportKind, Ref, RefFlags, RefId, Role, ScopeId,
    ScopeKind,
};
use crate::guard;
use crate::lang::kotlin;
use crate::resolve::{FileView, Member, Reason, Recent, Resolution, Resolver, Target, Ty, Types};
use crate::world::{FileId, GlobalDef};

/// First segments of package names that need no other evidence.
const PACKAGE_ROOTS: [&str; 12] =
    ["java", "javax", "jdk", "jakarta", "org", "com", "net", "io", "sun", "kotlin", "kotlinx", "android"];

/// First segments of the package names of the project.
struct Roots(FxHashSet<Box<str>>);

impl Roots {
    fn find(rx: &Resolver) -> Self {
        let world = rx.world();
        let packages = (0..world.file_count()).map(FileId).filter_map(|id| {
            let family = world.file(id).language?.family();
            world.package(id).filter(|_| family == Family::Jvm)
        });
        let mut roots = FxHashSet::default();
        for package in packages {
            let root = package.split('.').next().unwrap_or_default();
            if !roots.contains(root) {
                roots.insert(root.into());
            }
        }
        Self(roots)
    }
}

/// A name that may begin a qualified one.
pub(in crate::lang) fn package_head(rx: &Resolver, file: &FileView, name: &str) -> Resolution {
    let begins =
        |full: &str| full.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    let is_known = PACKAGE_ROOTS.contains(&name)
        || file.package.is_some_and(|package| begins(file.name(package)))
        || file.imports.iter().any(|i| begins(file.name(i.module)))
        || rx.of_world(Roots::find).0.contains(name);
    if is_known {
        Resolution::exact(Target::Package(name.into()))
    } else {
        Resolution::unknown(Reason::NotFound)
    }
}

/// The kind of declaration that a name asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Type,
    Method,
    /// A variable, or failing that a type or package (JLS 6.5.2).
    Value,
    Label,
}

pub(super) fn meaning(role: Role) -> Meaning {
    match role {
        Role::Type | Role::Extends | Role::Implements | Role::New | Role::Annotation => Meaning::Type,
        Role::Call => Meaning::Method,
        Role::Label => Meaning::Label,
        _ => Meaning::Value,
    }
}

/// Whether a declaration of this kind can be what is asked for. Names that imports bind may be anything.
pub(super) fn has_meaning(kind: SymbolKind, meaning: Meaning) -> bool {
    match meaning {
        Meaning::Type => kind.is_type() || kind == SymbolKind::TypeParameter,
        // A function at the top of a Kotlin file is a static method.
        Meaning::Method => matches!(kind, SymbolKind::Method | SymbolKind::Function),
        Meaning::Label => kind == SymbolKind::Label,
        Meaning::Value => is_variable(kind),
    }
}

pub(super) fn is_variable(kind: SymbolKind) -> bool {
    matches!(
        kind,
        SymbolKind::Variable
            | SymbolKind::Parameter
            | SymbolKind::Field
            | SymbolKind::EnumCase
            | SymbolKind::Property
            | SymbolKind::Constant
    )
}

/// The top-level type of a package. Where several files declare it, the one nearest to `from`.
pub(in crate::lang) fn type_in_package(
    rx: &Resolver,
    from: &FileView,
    package: &str,
    name: &str,
) -> Option<GlobalDef> {
    nearest(rx, from, &Tops::of(rx, name).in_package(rx, name, Top::Types, package))
}

/// The last answers for types that several files declare, by the asking file and the first of the types.
struct Nearest(Recent<(FileId, GlobalDef), Option<GlobalDef>>);

/// The nearest of several types of one name in one package, seen from `from`, as code of its language sees it.
pub(in crate::lang) fn nearest(rx: &Resolver, from: &FileView, found: &[GlobalDef]) -> Option<GlobalDef> {
    let seen = |def: GlobalDef| seen_by(rx, from.language(), def).unwrap_or(def);
    let (first, many) = match found {
        [] => return None,
        [one] => return Some(seen(*one)),
        many => (many[0], many),
    };
    let known = rx.extension(|_| Nearest(Recent::new(1024)));
    known.0.answer(rx, (from.id, first), || {
        let nearest = many.iter().copied().max_by_key(|def| {
            let entry = rx.world().file(def.file);
            let is_expected = rx.has_flag(*def, DefFlags::EXPECT);
            // Kotlin's library comes in sources, and compiled for Java.
            let is_own = entry.source != SourceKind::Library || entry.language == Some(from.language());
            let distance = std::cmp::Reverse(super::builds::distance(rx, from, def.file));
            (is_own, distance, nearness(&entry.path.0, &from.path), is_expected, std::cmp::Reverse(def.file))
        });
        nearest.map(seen)
    })
}

/// A class of a library as code of a language sees it, where that is another declaration.
pub(in crate::lang) fn seen_by(rx: &Resolver, language: Language, class: GlobalDef) -> Option<GlobalDef> {
    let file = rx.world().seen_by(class.file, language)?;
    match rx.owner_class(class) {
        // The first that the file declares, unless that only holds what is in no class.
        None => {
            let first = rx.file(file).def_ids().next().map(|def| GlobalDef { file, def })?;
            (rx.kind(first).is_type() && rx.def_name(first) == rx.def_name(class)).then_some(first)
        }
        Some(owner) => own_type(rx, seen_by(rx, language, owner)?, rx.def_name(class)),
    }
}

/// How many directories two files share from the top. The tests of a source set are in it: `jvmMain` and `jvmTest`.
pub(in crate::lang) fn nearness(a: &str, b: &str) -> usize {
    fn set(name: &str) -> &str {
        name.strip_suffix("Main").or_else(|| name.strip_suffix("Test")).unwrap_or(name)
    }
    a.split('/').zip(b.split('/')).take_while(|(x, y)| set(x) == set(y)).count()
}

/// The type that a dotted name means: the longest package that has its next segment as a type, then nested types.
pub(in crate::lang) fn qualified_type(rx: &Resolver, from: &FileView, name: &str) -> Option<GlobalDef> {
    let mut cut = name.len();
    loop {
        let (package, class) = match name[..cut].rfind('.') {
            Some(dot) => (&name[..dot], &name[dot + 1..cut]),
            None => ("", &name[..cut]),
        };
        if let Some(top) = type_in_package(rx, from, package, class) {
            let nested = name[cut..].split('.').filter(|s| !s.is_empty());
            return nested.into_iter().try_fold(top, |outer, inner| member_type(rx, outer, inner));
        }
        if package.is_empty() {
            return None;
        }
        cut = package.len();
    }
}

/// A type of the library that the language itself knows: its declaration, or its name when it is not indexed.
pub(in crate::lang) fn library_type(
    rx: &Resolver,
    from: &FileView,
    package: &str,
    name: &str,
    args: Types,
) -> Ty {
    match type_in_package(rx, from, package, name) {
        Some(def) => Ty::Instance(def, args),
        None => Ty::External(format!("{package}.{name}").into(), args),
    }
}

pub(super) fn lang_type(rx: &Resolver, from: &FileView, name: &str) -> Ty {
    library_type(rx, from, "java.lang", name, Types::default())
}

/// Whether the language's own classes are indexed.
pub(super) fn knows_library(rx: &Resolver, from: &FileView) -> bool {
    type_in_package(rx, from, "java.lang", "Object").is_some()
}

/// A type that a class declares or inherits (JLS 8.5).
pub(in crate::lang) fn member_type(rx: &Resolver, class: GlobalDef, name: &str) -> Option<GlobalDef> {
    let line = rx.linearization(&Ty::instance(class));
    let of = |owner| own_type(rx, owner, name).map(|found| (owner, found));
    let (owner, found) = line.iter().filter_map(Ty::def).find_map(of)?;
    if owner == class || is_inherited(rx, class, found) {
        return Some(found);
    }
    // The nearest type is private or of another package, and hides the types of that name above its class. Another supertype may
    // still bring one.
    inherited_type(rx, class, name, &mut Vec::new())
}

fn inherited_type(
    rx: &Resolver,
    class: GlobalDef,
    name: &str,
    seen: &mut Vec<GlobalDef>,
) -> Option<GlobalDef> {
    if seen.contains(&class) {
        return None;
    }
    seen.push(class);
    let supers = rx.supers(class);
    supers.iter().filter_map(Ty::def).find_map(|above| match own_type(rx, above, name) {
        Some(found) => is_inherited(rx, class, found).then_some(found),
        None => guard::deeper(|| inherited_type(rx, above, name, seen)).flatten(),
    })
}

/// Whether a class inherits a type that a supertype declares.
fn is_inherited(rx: &Resolver, class: GlobalDef, found: GlobalDef) -> bool {
    is_in_reach(rx, rx.file(class.file), found) && rx.def(found).visibility != Some(Visibility::Private)
}

/// Whether code outside of a type may name it, or its subclasses may.
fn is_in_reach(rx: &Resolver, from: &FileView, def: GlobalDef) -> bool {
    let package = |file: &FileView| file.package.map_or_else(String::new, |name| file.name(name).to_owned());
    match rx.def(def).visibility {
        Some(Visibility::Private) => from.id == def.file,
        Some(Visibility::Package) => from.id == def.file || package(from) == package(rx.file(def.file)),
        _ => true,
    }
}

fn own_type(rx: &Resolver, class: GlobalDef, name: &str) -> Option<GlobalDef> {
    let file = rx.file(class.file);
    rx.own_members(class, name).into_iter().find(|def| file.def(def.def).kind.is_type())
}

/// The reference stands in the head of the class whose scope this is: there its members cannot be seen.
pub(super) fn in_head(file: &FileView, reference: RefId, scope: ScopeId) -> bool {
    let r = file.reference(reference);
    let s = file.scope(scope);
    s.kind == ScopeKind::Class
        && r.range.start < s.range.start
        && !r.flags.has(RefFlags::IN_DOC)
        && !(matches!(r.role, Role::Type | Role::Annotation)
            && s.owner.is_some_and(|owner| file.def(owner).kind == SymbolKind::Record))
}

/// A type by its simple name, as seen from a reference: enclosing scopes, then imports, package, stars.
pub(super) fn lexical_type(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let r = *file.reference(reference);
    for scope in file.scope_chain(r.scope) {
        let hidden = in_head(file, reference, scope);
        let own = file.in_scope(scope, r.name).iter().copied().find(|def| {
            let kind = file.def(*def).kind;
            kind == SymbolKind::TypeParameter || kind.is_type() && !hidden
        });
        if let Some(def) = own {
            return Resolution::def(file.global(def));
        }
        if let Some(owner) =
            file.scope(scope).owner.filter(|_| file.scope(scope).kind == ScopeKind::Class && !hidden)
            && let Some(inherited) = member_type(rx, file.global(owner), file.name(r.name))
        {
            return Resolution::def(inherited);
        }
        let imported =
            file.in_scope(scope, r.name).iter().copied().find_map(|def| imported_type(rx, file, def));
        if let Some(found) = imported {
            return found;
        }
    }
    type_without_import(rx, file, file.name(r.name))
}

/// A type by its simple name, from the top of a file.
pub(super) fn type_at_top(rx: &Resolver, file: &FileView, name: &str) -> Resolution {
    let defs = file.named_in_scope(ScopeId(0), name);
    let own = defs.iter().copied().find(|def| file.def(*def).kind.is_type());
    let own = own.map(|def| Resolution::def(file.global(def)));
    own.or_else(|| defs.iter().copied().find_map(|def| imported_type(rx, file, def)))
        .unwrap_or_else(|| type_without_import(rx, file, name))
}

/// The type that an import declaration binds, if that is one.
fn imported_type(rx: &Resolver, file: &FileView, def: DefId) -> Option<Resolution> {
    let import = file.def(def).import?;
    let found = import_target(rx, file, import);
    let is_type = |t: &Target| match t {
        Target::Def(def) => rx.kind(*def).is_type(),
        _ => !file.import(import).flags.has(ImportFlags::STATIC),
    };
    let mut found = found;
    found.targets.retain(|t| is_type(t));
    (!found.is_unknown()).then_some(found)
}

/// The file of Kotlin whose functions are in a class of this name, in the same package or one of a star import.
pub(super) fn facade_in_reach(rx: &Resolver, file: &FileView, name: &str) -> Option<FileId> {
    let own = file.package.map_or("", |package| file.name(package));
    let stars = file.stars().filter(|import| !import.flags.has(ImportFlags::STATIC));
    let packages = std::iter::once(own).chain(stars.map(|import| file.name(import.module)));
    packages.into_iter().find_map(|package| kotlin::facade(rx, file, package, name))
}

/// Types of the same package, of star imports, of `java.lang`.
pub(super) fn type_without_import(rx: &Resolver, file: &FileView, name: &str) -> Resolution {
    let package = file.package.map_or("", |p| file.name(p));
    let types = Tops::of(rx, name);
    let in_package = |package: &str| nearest(rx, file, &types.in_package(rx, name, Top::Types, package));
    if let Some(def) = in_package(package) {
        return Resolution::def(def);
    }
    let mut unknown = None;
    for import in file.stars() {
        let module = file.name(import.module);
        let is_static = import.flags.has(ImportFlags::STATIC);
        let top = if is_static { None } else { in_package(module) };
        // Inherited types only come with static imports.
        let of = if is_static { member_type } else { own_type };
        let found = top.or_else(|| qualified_type(rx, file, module).and_then(|class| of(rx, class, name)));
        if let Some(def) = found.filter(|def| is_in_reach(rx, file, *def)) {
            return Resolution::def(def);
        }
        if !is_static && unknown.is_none() && rx.world().files_of_package(file.family(), module).is_empty() {
            unknown = Some(module);
        }
    }
    if let Some(def) = in_package("java.lang") {
        return Resolution::def(def);
    }
    let (exported, unknown_module) = super::modules::imported(rx, file, name);
    if let Some(def) = nearest(rx, file, &exported) {
        return Resolution::def(def);
    }
    let unknown = unknown.or(unknown_module.as_deref());
    match unknown {
        // A name of a type begins with a capital letter, so a segment of a package is not taken for one.
        Some(module) if is_type_like(name) => Resolution::external(format!("{module}.{name}")),
        _ if is_type_like(name) && !knows_library(rx, file) => {
            Resolution::external(format!("java.lang.{name}"))
        }
        _ => Resolution::unknown(Reason::NotFound),
    }
}

/// The last part of a qualified name is that of a field or method: a small letter begins it, or it has no other.
pub(in crate::lang) fn is_value_like(full: &str) -> bool {
    let name = full.rsplit('.').next().unwrap_or(full);
    let is_constant =
        name.len() > 1 && !name.contains(char::is_lowercase) && name.contains(char::is_uppercase);
    full.contains('.') && (is_constant || !is_type_like(name))
}

pub(in crate::lang) fn is_type_like(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}

/// The targets that an import binds: a type, or all static members of a name.
pub(super) fn import_target(rx: &Resolver, file: &FileView, import: ImportId) -> Resolution {
    let import = file.import(import);
    let Some(member) = import.member else { return Resolution::unknown(Reason::NotFound) };
    let (module, name) = (file.name(import.module), file.ref_name(member));
    let full = || if module.is_empty() { name.to_owned() } else { format!("{module}.{name}") };
    if !import.flags.has(ImportFlags::STATIC) {
        return match qualified_type(rx, file, &full()) {
            Some(def) => Resolution::def(def),
            None => match kotlin::facade(rx, file, module, name) {
                Some(file) => Resolution::exact(Target::Module(file)),
                None => Resolution::external(full()),
            },
        };
    }
    let (package, class) = module.rsplit_once('.').unwrap_or(("", module));
    if let Some(facade) =
        kotlin::facade(rx, file, package, class).filter(|_| qualified_type(rx, file, module).is_none())
    {
        return Resolution {
            targets: kotlin::facade_members(rx, facade, name).into_iter().map(Target::Def).collect(),
            confidence: Confidence::Exact,
            reason: Reason::None,
        };
    }
    let Some(class) = qualified_type(rx, file, module) else { return Resolution::external(full()) };
    let members = static_members(rx, file, class, name);
    if members.is_empty() {
        return Resolution::external(full());
    }
    Resolution {
        targets: members.into_iter().map(|m| m.target).collect(),
        confidence: Confidence::Exact,
        reason: Reason::None,
    }
}

/// Static members and member types of a class by name.
pub(super) fn static_members(rx: &Resolver, from: &FileView, class: GlobalDef, name: &str) -> Vec<Member> {
    let mut all = super::members::members_of(rx, from, &Ty::class(class), name);
    all.retain(|m| {
        m.def().is_none_or(|def| {
            let file = rx.file(def.file);
            let d = file.def(def.def);
            // Constants of Kotlin's objects are static without a word.
            d.kind.is_type()
                || d.flags.has(DefFlags::STATIC)
                || d.flags.has(DefFlags::CONST)
                || kotlin::is_static_field(rx, def)
        })
    });
    all
}

/// Members of a name that imports bring into the file: single static imports that bind it, or static stars.
pub(super) fn statically_imported(rx: &Resolver, file: &FileView, name: &str, star: bool) -> Vec<Member> {
    let mut found: Vec<Member> = Vec::new();
    for import in file.imports.iter().filter(|i| i.flags.has(ImportFlags::STATIC)) {
        let binds = match import.member {
            Some(member) => !star && file.ref_name(member) == name,
            None => star && import.kind == ImportKind::Star,
        };
        if !binds {
            continue;
        }
        let module = file.name(import.module);
        let facade = || {
            let (package, class) = module.rsplit_once('.').unwrap_or(("", module));
            kotlin::facade(rx, file, package, class)
        };
        match qualified_type(rx, file, module) {
            Some(class) => found.extend(static_members(rx, file, class, name)),
            None if let Some(facade) = facade() => {
                let members = kotlin::facade_members(rx, facade, name);
                found.extend(members.into_iter().map(Member::plain));
            }
            None if !star => found.push(Member {
                target: Target::External(format!("{module}.{name}").into()),
                owner: Ty::Unknown,
                confidence: Confidence::Exact,
            }),
            None => {}
        }
    }
    found
}

/// A static star import of a class that is not indexed may bring any name.
pub(super) fn unknown_static_star<'f>(rx: &Resolver, file: &'f FileView) -> Option<&'f str> {
    file.stars().filter(|i| i.flags.has(ImportFlags::STATIC)).map(|i| file.name(i.module)).find(|module| {
        let (package, class) = module.rsplit_once('.').unwrap_or(("", module));
        qualified_type(rx, file, module).is_none() && kotlin::facade(rx, file, package, class).is_none()
    })
}

/// The dotted name that ends in a reference: its receivers and itself.
pub(in crate::lang) fn dotted(file: &FileView, reference: RefId) -> String {
    let mut parts: SmallVec<[&str; 12]> = smallvec![file.ref_name(reference)];
    let mut at = file.reference(reference).receiver;
    while let Some(Expr::Ref(before)) = at.map(|expr| file.expr(expr)) {
        parts.push(file.ref_name(before));
        at = file.reference(before).receiver;
    }
    parts.reverse();
    parts.join(".")
}

/// The files that write all segments of a package: where it is used, its name is written in full.
pub(in crate::lang) fn writing_package(rx: &Resolver, package: &str) -> Vec<FileId> {
    let segments = package.split('.').map(|segment| rx.world().files_mentioning(segment));
    let mut segments: Vec<Vec<FileId>> = segments.collect();
    // The rarest first: few are left to be looked for among the others.
    segments.sort_by_key(Vec::len);
    let both = |mut files: Vec<FileId>, others: Vec<FileId>| {
        files.retain(|file| others.binary_search(file).is_ok());
        files
    };
    segments.into_iter().reduce(both).unwrap_or_default()
}

/// The meaning of a segment of an import or package declaration.
pub(super) fn segment(rx: &Resolver, file: &FileView, reference: RefId) -> Resolution {
    let name = dotted(file, reference);
    if file.reference(reference).role == Role::Package {
        return Resolution::exact(Target::Package(name.into()));
    }
    if let Some(import) = file.import_by_member(reference) {
        return import_target(rx, file, import);
    }
    let import = file.import_by_segment(reference).map(|import| file.import(import).kind);
    if matches!(import, Some(ImportKind::Module | ImportKind::SideEffect)) {
        let sites = rx.world().declarations(&name);
        let module = sites.iter().find(|site| site.kind == SymbolKind::Module);
        return module.map_or_else(|| Resolution::external(name), |site| Resolution::def(site.at));
    }
    match qualified_type(rx, file, &name) {
        Some(def) => Resolution::def(def),
        None if is_type_like(file.ref_name(reference)) => Resolution::external(name),
        None => Resolution::exact(Target::Package(name.into())),
    }
}

/// Whether a local of a lambda may not have the name that one around it has: locals are known from their declaration on, and
/// what a pattern binds where it has matched.
pub(in crate::lang) fn hides_wrongly(file: &FileView, inner: DefId, outer: DefId) -> bool {
    let (at, o) = (file.def(inner).name_range.start, file.def(outer));
    matches!(o.kind, SymbolKind::Variable | SymbolKind::Parameter | SymbolKind::Constant)
        && o.name_range.start < at
        && (!o.flags.has(DefFlags::MATCHED) || file.is_bound_at(outer, at))
}

/// Locals of one name in one block; of more, which are errors or patterns, those around a use are looked at.
const FEW: usize = 16;
/// So far back plain locals are looked for among them.
const MANY: usize = 512;

/// The declarations of a name in one block that a use may mean.
pub(super) fn near<'f>(file: &FileView, reference: &Ref, named: &'f [DefId]) -> Cow<'f, [DefId]> {
    let is_code =
        |def: &DefId| matches!(file.scope(file.def(*def).scope).kind, ScopeKind::Block | ScopeKind::Function);
    if named.len() <= FEW || meaning(reference.role) != Meaning::Value || !is_code(&named[0]) {
        return Cow::Borrowed(named);
    }
    let at = reference.range.start;
    let here = named.partition_point(|def| file.def(*def).name_range.start <= at);
    let is_plain = |def: &DefId| !file.def(*def).flags.has(DefFlags::MATCHED);
    let plain = named[..here].iter().rev().take(MANY).copied().filter(is_plain).take(FEW);
    let bound = file.flow().guards_at(file, reference.name, at).into_iter();
    let bound = bound.filter_map(|guard| match guard.test {
        GuardTest::Binds(def) => named.binary_search(&def).is_ok().then_some(def),
        _ => None,
    });
    let mut near: Vec<DefId> = plain.chain(bound).collect();
    near.sort_unstable();
    Cow::Owned(near)
}
