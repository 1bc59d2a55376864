//! The names that every module sees without importing them: the standard library, and what declaration scripts put
//! into the global scope. Values of built-in kinds (text, arrays, functions) have the members of the library's
//! interfaces.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ide_model::{Confidence, Family, SourceKind, SymbolKind};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::ambient::Ambient;
use super::front::is_declaration_file;
use super::policy::EcmaPolicy;
use super::types::INDEX;
use crate::facts::{
    DefFlags, DefId, Export, Expr, ExprId, Import, ImportKind, RefId, Role, ScopeId, TypeExpr,
};
use crate::library::bundled::path_in;
use crate::resolve::{
    Args, FileView, Member, Policy, Reason, Resolution, Resolver, Substitution, Target, Ty, Types, unify,
};
use crate::world::{DeclarationSite, FileId, GlobalDef};

/// Properties of an object that are looked at for what all of them hold.
const MAX_PROPERTIES: usize = 32;

/// Candidates of an unknown receiver: more say nothing.
const MAX_BY_NAME: usize = 3;

/// Promises inside promises, taken out this deep.
const MAX_AWAITED: usize = 8;

/// Declarations of global names, as far as they were asked for.
#[derive(Default)]
struct Globals {
    by_name: Mutex<FxHashMap<Box<str>, Arc<[GlobalDef]>>>,
    /// See [`EcmaPolicy::files_with_global`].
    files: OnceLock<Arc<[FileId]>>,
}

/// Which of several files of the library names a thing first: the language's editions in their order, then the browser's.
/// Files for workers alone count where nothing else declares the name.
fn rank(path: &str) -> (u8, &str) {
    let name = path_in("typescript", path).and_then(|path| path.strip_prefix("lib/lib.")).unwrap_or(path);
    let rank = match name.split('.').next().unwrap_or(name) {
        "es5" => 0,
        "dom" => 3,
        "webworker" | "scripthost" => 4,
        "esnext" | "decorators" => 2,
        _ => 1,
    };
    (rank, name)
}

/// The rank of files for workers alone.
const OTHER_HOSTS: u8 = 4;

/// Whether a member is only supposed to be in a part of a union that does not have it: no value, or one of a built-in kind,
/// whose members are those of its interface.
fn lacks_it(member: &Member) -> bool {
    const BUILT_IN: &[&str] = &[
        "undefined",
        "null",
        "void",
        "Function",
        "number",
        "string",
        "boolean",
        "bigint",
        "symbol",
        "String",
        "Array",
    ];
    let is_of = |name: &str| name.split_once('.').is_some_and(|(owner, _)| BUILT_IN.contains(&owner));
    matches!(&member.target, Target::External(name) if is_of(name))
}

impl EcmaPolicy {
    /// The meaning of a name in the global scope: declarations of the project, those of the library, the oldest
    /// edition first, and those of installed packages.
    pub(super) fn globals(rx: &Resolver, name: &str) -> Arc<[GlobalDef]> {
        let globals = rx.extension(|_| Globals::default());
        let known = globals.by_name.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned();
        known.unwrap_or_else(|| {
            let mut found = Self::project_globals(rx, name);
            found.extend(Self::library_globals(rx, name));
            found.extend_from_slice(Ambient::of(rx).globals(name));
            let found: Arc<[GlobalDef]> = found.into();
            let mut by_name = globals.by_name.lock().unwrap_or_else(PoisonError::into_inner);
            by_name.insert(name.into(), found.clone());
            found
        })
    }

    /// A script's declarations are global, and so is what stands in `declare global`.
    fn project_globals(rx: &Resolver, name: &str) -> Vec<GlobalDef> {
        let world = rx.world();
        let may_be = |site: &DeclarationSite| {
            let home = world.file(site.at.file);
            let may_be_global = if site.is_nested {
                Self::files_with_global(rx).binary_search(&site.at.file).is_ok()
            } else {
                is_declaration_file(home.path.as_str()) && !site.flags.has(DefFlags::EXPORTED)
            };
            may_be_global
                && site.kind != SymbolKind::Module
                && home.language.is_some_and(|language| language.family() == Family::Ecma)
        };
        let is_it = |at: &GlobalDef| Self::is_global(rx.file(at.file), at.def);
        world.declarations(name).into_iter().filter(may_be).map(|site| site.at).filter(is_it).collect()
    }

    /// The files that may hold `declare global`, in order.
    fn files_with_global(rx: &Resolver) -> Arc<[FileId]> {
        let globals = rx.extension(|_| Globals::default());
        let files = || {
            let is_block = |site: &DeclarationSite| site.kind == SymbolKind::Namespace;
            let sites = rx.world().declarations("global").into_iter().filter(is_block);
            let mut files: Vec<FileId> = sites.map(|site| site.at.file).collect();
            files.dedup();
            files.into()
        };
        globals.files.get_or_init(files).clone()
    }

    /// Whether a declaration is seen everywhere: in `declare global`, or at the top of a declaration file that is a script.
    fn is_global(home: &FileView, def: DefId) -> bool {
        let d = home.def(def);
        let in_global = home.scope(d.scope).owner.is_some_and(|o| home.def_name(o) == "global");
        in_global
            || d.scope == ScopeId(0)
                && Self::is_ambient(home)
                && !d.flags.has(DefFlags::EXPORTED)
                && Self::is_script(home)
    }

    /// Whether a file neither imports nor exports at its top. Imports and exports inside `declare module "…" { }`
    /// belong to that module.
    pub(super) fn is_script(home: &FileView) -> bool {
        let is_import = |import: &Import| {
            let is_expression = import.def.is_some_and(|def| home.has_flag(def, DefFlags::ANONYMOUS));
            import.scope == ScopeId(0) && import.kind != ImportKind::Directive && !is_expression
        };
        let is_export = |export: &Export| match home.expr(export.value) {
            Expr::Ref(name) => home.reference(name).scope == ScopeId(0),
            Expr::Value(def) | Expr::Function(def) | Expr::Class(def) => home.def(def).scope == ScopeId(0),
            _ => true,
        };
        !home.imports.iter().any(is_import)
            && !home.exports.iter().any(is_export)
            && !Self::augments_global_scope(home)
    }

    /// Whether a file has `declare global` at its top, as only modules may.
    fn augments_global_scope(home: &FileView) -> bool {
        let blocks = home.named_in_scope(ScopeId(0), "global");
        blocks.iter().any(|def| home.def(*def).kind == SymbolKind::Namespace)
    }

    fn library_globals(rx: &Resolver, name: &str) -> Vec<GlobalDef> {
        let mut found: Vec<((u8, String), GlobalDef)> = rx
            .world()
            .library_declarations(Family::Ecma, name)
            .into_iter()
            .filter(|site| site.is_nested || !Self::augments_global_scope(rx.file(site.at.file)))
            .map(|site| {
                let path = &rx.world().file(site.at.file).path;
                let (rank, name) = rank(path.as_str());
                ((rank, name.to_owned()), site.at)
            })
            .collect();
        found.sort();
        if found.first().is_some_and(|((rank, _), _)| *rank < OTHER_HOSTS) {
            found.retain(|((rank, _), _)| *rank < OTHER_HOSTS);
        }
        found.into_iter().map(|(_, def)| def).collect()
    }

    /// A global name as the answer for a reference.
    pub(super) fn global(rx: &Resolver, name: &str) -> Resolution {
        let found = Self::globals(rx, name);
        if found.is_empty() {
            let umd = Ambient::of(rx).umd(name);
            return umd.map_or_else(|| Resolution::external(name), |module| Self::given_as_whole(rx, module));
        }
        Resolution {
            targets: found.iter().copied().map(Target::Def).collect(),
            confidence: Confidence::Exact,
            reason: Reason::None,
        }
    }

    /// All other declarations that are one type or namespace with this one, beside it and in the global scope.
    pub(super) fn other_parts(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        let (mut all, mut seen) = (vec![class], FxHashSet::from_iter([class]));
        // Thousands of declarations may be one: a scope and a kind of global declarations have the same parts for each.
        let (mut scopes, mut kinds) = (FxHashSet::default(), Vec::new());
        let mut next = 0;
        while let Some(part) = all.get(next).copied() {
            next += 1;
            let (scope, kind) = (rx.file(part.file).def(part.def).scope, rx.kind(part));
            if !scopes.contains(&(part.file, scope)) {
                let beside = Self::parts_beside(rx, part);
                if !beside.is_empty() {
                    scopes.insert((part.file, scope));
                }
                all.extend(beside.into_iter().filter(|part| seen.insert(*part)));
            }
            if !kinds.contains(&kind) {
                let others = Self::global_parts(rx, part);
                if !others.is_empty() {
                    kinds.push(kind);
                }
                all.extend(others.into_iter().filter(|part| seen.insert(*part)));
            }
        }
        all.split_off(1)
    }

    /// The declarations that get a new name with one.
    pub(super) fn renamed_together(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let mut all = rx.default_renamed_with(def);
        all.extend(Self::of_other_parts(rx, def));
        all
    }

    /// The same in the other declarations of a type: their names, and their type parameters at the same place.
    fn of_other_parts(rx: &Resolver, def: GlobalDef) -> Vec<GlobalDef> {
        let home = rx.file(def.file);
        let d = home.def(def.def);
        if matches!(d.kind, SymbolKind::Interface | SymbolKind::Namespace) {
            return if Self::is_global(home, def.def) { Self::other_parts(rx, def) } else { Vec::new() };
        }
        let lists = |of: &DefId| home.list(home.def(*of).type_params).any(|param: DefId| param == def.def);
        let owner = home.def_ids().filter(|_| d.kind == SymbolKind::TypeParameter).find(lists);
        let Some(owner) = owner.map(|owner| home.global(owner)) else { return Vec::new() };
        let Some(place) = rx.declared_type_params(owner).iter().position(|other| *other == def) else {
            return Vec::new();
        };
        let merges = |kind: SymbolKind| matches!(kind, SymbolKind::Interface | SymbolKind::Class);
        let parts = Self::merged(rx, owner).into_iter().chain(Self::other_parts(rx, owner));
        let parts = parts.filter(|part| merges(rx.kind(owner)) && merges(rx.kind(*part)));
        parts.filter_map(|part| rx.declared_type_params(part).get(place).copied()).collect()
    }

    /// The other declarations of a type or namespace of the global scope.
    fn global_parts(rx: &Resolver, class: GlobalDef) -> Vec<GlobalDef> {
        let home = rx.file(class.file);
        let d = home.def(class.def);
        let merges = |kind: SymbolKind| matches!(kind, SymbolKind::Interface | SymbolKind::Namespace);
        if !Self::is_global(home, class.def) || !merges(d.kind) {
            return Vec::new();
        }
        let all = Self::globals(rx, home.def_name(class.def));
        let others = all.iter().copied().filter(|other| *other != class && rx.kind(*other) == d.kind);
        others.collect()
    }

    /// The meaning of a name inside of a namespace that another part of the namespace declares.
    pub(super) fn in_other_namespaces(
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
    ) -> Option<Resolution> {
        let name = file.ref_name(reference);
        let is_namespace = |owner: &DefId| file.def(*owner).kind == SymbolKind::Namespace;
        let around = file.scope_chain(file.reference(reference).scope);
        around.filter_map(|scope| file.scope(scope).owner.filter(is_namespace)).find_map(|owner| {
            let d = file.def(owner);
            let beside =
                file.in_scope(d.scope, d.name).iter().filter(|other| **other != owner && is_namespace(other));
            let parts =
                beside.map(|other| file.global(*other)).chain(Self::global_parts(rx, file.global(owner)));
            let found: SmallVec<[Target; 1]> = parts
                .flat_map(|part| rx.own_members(part, name))
                .filter(|def| {
                    rx.def(*def).flags.has(DefFlags::EXPORTED) || Self::is_ambient(rx.file(def.file))
                })
                .map(Target::Def)
                .collect();
            let found = Resolution { targets: found, confidence: Confidence::Exact, reason: Reason::None };
            Some(found).filter(|found| !found.targets.is_empty())
        })
    }

    /// The name of a declaration of the standard library.
    pub(super) fn library_name(rx: &Resolver, def: GlobalDef) -> Option<&str> {
        let entry = rx.world().file(def.file);
        let is_standard =
            entry.source == SourceKind::Library && path_in("typescript", entry.path.as_str()).is_some();
        is_standard.then(|| rx.def_name(def))
    }

    /// A type of the global scope by its name.
    pub(super) fn global_type(rx: &Resolver, name: &str, args: impl Into<Args>) -> Option<Ty> {
        let found = Self::globals(rx, name).iter().copied().find(|def| rx.def(*def).kind.is_type())?;
        Some(rx.type_of_def(found, args.into()))
    }

    /// The interface that says which members a value of a built-in kind has.
    pub(in crate::lang) fn apparent(rx: &Resolver, ty: &Ty) -> Option<Ty> {
        let none: Args = Types::default();
        match ty {
            Ty::Array(item) => Self::array_interface(rx, (**item).clone()),
            Ty::Tuple(items) => Self::array_interface(rx, Ty::union(items.iter().cloned())),
            Ty::Function(..) | Ty::Callable { .. } => Self::global_type(rx, "CallableFunction", none),
            Ty::Class(..) => Self::global_type(rx, "Function", none),
            Ty::Literal(text) => {
                let name = match &**text {
                    "true" | "false" => "Boolean",
                    text if text.parse::<f64>().is_ok() => "Number",
                    _ => "String",
                };
                Self::global_type(rx, name, none)
            }
            Ty::Primitive(name) => {
                let name = match &**name {
                    "string" => "String",
                    "number" => "Number",
                    "boolean" => "Boolean",
                    "bigint" => "BigInt",
                    "symbol" => "Symbol",
                    "object" => "Object",
                    _ => return None,
                };
                Self::global_type(rx, name, none)
            }
            Ty::Instance(..) => Self::global_type(rx, "Object", none),
            _ => None,
        }
    }

    /// `Array<T>` as the interface that it is; elsewhere it is an array.
    fn array_interface(rx: &Resolver, item: Ty) -> Option<Ty> {
        let interface = |def: &GlobalDef| rx.def(*def).kind == SymbolKind::Interface;
        let found = Self::globals(rx, "Array").iter().copied().find(interface)?;
        Some(Ty::Instance(found, Types::from([item])))
    }

    /// Members of the interface behind a value of a built-in kind; what every object has for others.
    pub(super) fn apparent_members(rx: &Resolver, ty: &Ty, name: &str) -> Vec<Member> {
        let mut at = ty.clone();
        // A function is an object, an array too.
        for _ in 0..3 {
            let Some(interface) = Self::apparent(rx, &at) else { break };
            let found = rx.inherited_members(&interface, name);
            if !found.is_empty() {
                return found;
            }
            at = interface;
        }
        Vec::new()
    }

    /// The members of a name that could be meant where nothing is known of the receiver.
    pub(super) fn guessed_member(
        rx: &Resolver,
        file: &FileView,
        reference: RefId,
        receiver: &Ty,
    ) -> Resolution {
        if !receiver.is_unknown() && !matches!(receiver, Ty::Primitive(_)) {
            return Resolution::unknown(Reason::NotFound);
        }
        // A member that every object has tells nothing of its owner.
        if !Self::apparent_members(rx, &Ty::Primitive("object".into()), file.ref_name(reference)).is_empty() {
            return Resolution::unknown(Reason::UnknownReceiver);
        }
        let is_call = file.reference(reference).role == Role::Call;
        let mut found = rx.by_name_only(file, reference, MAX_BY_NAME, |site| {
            site.is_member && (!is_call || site.kind != SymbolKind::EnumCase)
        });
        if !found.is_unknown() {
            let common = Self::common_member(rx, file.ref_name(reference));
            found.targets.insert_many(0, common.map(|member| member.target));
        }
        found
    }

    /// The member of a name that lists, text, functions or promises have: what nobody knows the type of is one of these
    /// rather than a class that happens to have such a name.
    fn common_member(rx: &Resolver, name: &str) -> Option<Member> {
        const COMMON: [&str; 4] = ["Array", "String", "Function", "Promise"];
        COMMON.iter().find_map(|kind| {
            let kind = Self::global_type(rx, kind, Types::default())?;
            rx.inherited_members(&kind, name).into_iter().find(|member| member.def().is_some())
        })
    }

    /// Members of a value of a built-in kind. A member that the interface lacks came from elsewhere, if it is
    /// there at all.
    pub(super) fn members_of_builtin(rx: &Resolver, ty: &Ty, name: &str) -> Vec<Member> {
        let owner = match ty {
            Ty::Primitive(name) if matches!(&**name, "any" | "unknown" | "never") => return Vec::new(),
            Ty::Primitive(name) => name,
            Ty::Array(_) | Ty::Tuple(_) => "Array",
            Ty::Callable { .. } => "Function",
            _ => "String",
        };
        let found = Self::apparent_members(rx, ty, name);
        if !found.is_empty() || matches!(ty, Ty::Primitive(name) if &**name == "object") {
            return found;
        }
        let target = Target::External(format!("{owner}.{name}").into());
        vec![Member { target, owner: Ty::Unknown, confidence: Confidence::Inferred }]
    }

    /// The members of a union without those that are only supposed to be in a part of it, where another part declares one.
    pub(super) fn declared_first(members: &[Member]) -> Cow<'_, [Member]> {
        if !members.iter().any(lacks_it) || members.iter().all(|member| member.def().is_none()) {
            return Cow::Borrowed(members);
        }
        Cow::Owned(members.iter().filter(|member| !lacks_it(member)).cloned().collect())
    }

    /// The type inside promises, nested promises included.
    pub(super) fn awaited_value(rx: &Resolver, ty: &Ty) -> Ty {
        let mut ty = ty.clone();
        for _ in 0..MAX_AWAITED {
            let inner = match &ty {
                Ty::Union(parts) => Some(Ty::union(parts.iter().map(|part| Self::awaited_value(rx, part)))),
                Ty::Intersection(parts) => {
                    let mut handed = parts.iter().map(|part| (part, Self::awaited_value(rx, part)));
                    handed.find(|(part, handed)| *part != handed).map(|(_, handed)| handed)
                }
                other => Self::held_by(rx, other, &["Promise", "PromiseLike"])
                    .or_else(|| Self::handed_on(rx, other)),
            };
            match inner {
                Some(inner) if inner != ty => ty = inner,
                _ => return ty,
            }
        }
        ty
    }

    /// The type that a value that is no promise passes on through its method `then`.
    fn handed_on(rx: &Resolver, ty: &Ty) -> Option<Ty> {
        let Ty::Instance(def, _) = ty else { return None };
        let then = rx.inherited_members(ty, "then").into_iter().next()?;
        let home = rx.file(def.file);
        let then = Self::evaluated(rx, home, &super::operators::member_type(rx, &then));
        let (params, _) = rx.signature(home, &then)?;
        let (given, _) = rx.signature(home, params.first()?)?;
        Some(Self::taken_at(rx, home, &given, 0))
    }

    /// A promise that was made from a promise is that promise.
    pub(super) fn flat_promise(rx: &Resolver, ty: &Ty) -> Ty {
        match ty {
            Ty::Instance(def, args)
                if args.len() == 1
                    && args.first().is_some_and(|inner| {
                        inner.parts().iter().any(|part| matches!(part, Ty::Instance(..)))
                    })
                    && Self::library_name(rx, *def).is_some_and(|name| name == "Promise") =>
            {
                Ty::Instance(*def, Types::from([Self::awaited_value(rx, &args[0])]))
            }
            other => other.clone(),
        }
    }

    /// The promise of a value.
    pub(super) fn promise_of(rx: &Resolver, value: &Ty) -> Option<Ty> {
        Self::global_type(rx, "Promise", [Self::awaited_value(rx, value)])
    }

    /// The first type argument of a type as one of some types of the library.
    fn held_by(rx: &Resolver, ty: &Ty, names: &[&str]) -> Option<Ty> {
        let Ty::Instance(..) = ty else { return None };
        rx.linearization(ty).iter().find_map(|part| {
            let name = Self::library_name(rx, part.def()?)?;
            names.contains(&name).then(|| part.args().first().cloned().unwrap_or(Ty::Unknown))
        })
    }

    /// The item type of a value that declares how it is iterated.
    pub(super) fn yielded(rx: &Resolver, ty: &Ty) -> Option<Ty> {
        const YIELDING: &[&str] = &[
            "Iterable",
            "Iterator",
            "IteratorObject",
            "AsyncIterable",
            "AsyncIterator",
            "AsyncIteratorObject",
            "ArrayLike",
        ];
        if let Some(held) = Self::held_by(rx, ty, YIELDING) {
            return Some(held);
        }
        ["[Symbol.iterator]", "[Symbol.asyncIterator]"].iter().find_map(|name| {
            let member = rx.inherited_members(ty, name).into_iter().next()?;
            let iterator = rx.return_type(member.def()?).substitute(&rx.arguments_of(&member.owner));
            Self::held_by(rx, &iterator, YIELDING)
        })
    }

    /// An iterable or a thenable as the interface that a parameter asks for.
    pub(super) fn as_shape(rx: &Resolver, actual: &Ty, declared: &Ty) -> Option<Ty> {
        let wanted = declared.def()?;
        if let Some(shape) = Self::as_table(rx, actual, wanted) {
            return Some(shape);
        }
        let held = match Self::library_name(rx, wanted)? {
            "Iterable" | "AsyncIterable" | "ArrayLike" | "Iterator" | "AsyncIterator" => match actual {
                Ty::Array(item) => (**item).clone(),
                Ty::Tuple(items) => Ty::union(items.iter().cloned()),
                Ty::Primitive(name) if &**name == "string" => actual.clone(),
                other => Self::yielded(rx, other)?,
            },
            "PromiseLike" | "Promise" => Self::held_by(rx, actual, &["Promise", "PromiseLike"])?,
            _ => return None,
        };
        Some(Ty::Instance(wanted, Types::from([held])))
    }

    /// An object as the `{ [key: string]: T }` that a parameter asks for: all that its properties hold.
    fn as_table(rx: &Resolver, actual: &Ty, wanted: GlobalDef) -> Option<Ty> {
        let index = rx.own_members(wanted, INDEX).into_iter().next()?;
        let params = rx.type_params(wanted);
        let held = match actual {
            _ if params.is_empty() => return None,
            Ty::External(..) => Self::mapped_value(actual)?,
            Ty::Instance(def, _) => match rx.inherited_members(actual, INDEX).first() {
                Some(member) => super::operators::member_type(rx, member),
                None => {
                    let home = rx.file(def.file);
                    let all = home.all_in_scope(home.def(def.def).body?);
                    let held = all.iter().take(MAX_PROPERTIES).map(|d| rx.def_type(home.global(*d)));
                    Ty::union(held).substitute(&rx.arguments_of(actual))
                }
            },
            _ => return None,
        };
        let mut found = Substitution::default();
        unify(&rx.def_type(index), &held, &params, &mut found);
        let args = params.iter().map(|param| found.get(param).cloned().unwrap_or(Ty::Param(*param)));
        (!found.is_empty()).then(|| Ty::Instance(wanted, args.collect()))
    }

    /// The type that `new` makes of a value with construct signatures.
    pub(super) fn made_by(rx: &Resolver, file: &FileView, call: ExprId) -> Option<Ty> {
        let Some((signature, mut substitution)) = Self::construct_signature(rx, file, call) else {
            let Ty::Callable { result, .. } = Self::value_behind_new(rx, file, call)? else { return None };
            return Some(Ty::clone(&result));
        };
        let params = rx.type_params(signature);
        if !params.iter().any(|param| substitution.contains_key(param)) {
            rx.infer_type_arguments(file, call, signature, None, &mut substitution);
        }
        Some(rx.return_type(signature).substitute(&substitution).forget(&params))
    }

    /// The type of the value, neither class nor function, whose name stands behind `new`.
    fn value_behind_new(rx: &Resolver, file: &FileView, call: ExprId) -> Option<Ty> {
        let Expr::New { ty, .. } = file.expr(call) else { return None };
        let TypeExpr::Named { name, .. } = file.ty(ty) else { return None };
        let is_value = |def: &GlobalDef| {
            let kind = rx.def(*def).kind;
            !kind.is_type() && !kind.is_callable()
        };
        rx.resolve(file.global_ref(name)).resolution.defs().find(is_value).map(|value| rx.def_type(value))
    }

    /// The parameter type of a value's construct signature in the place of an argument of `new`.
    pub(super) fn taken_by(rx: &Resolver, file: &FileView, call: ExprId, index: u32) -> Option<Ty> {
        let (signature, substitution) = Self::construct_signature(rx, file, call)?;
        let wanted = rx.parameter_at(signature, index as usize).map(|param| rx.def_type(param));
        Some(wanted.unwrap_or(Ty::Unknown).substitute(&substitution).forget(&rx.type_params(signature)))
    }

    /// The construct signature that `new` calls: the one that takes its type arguments and arguments, with what the type
    /// arguments say.
    fn construct_signature(
        rx: &Resolver,
        file: &FileView,
        call: ExprId,
    ) -> Option<(GlobalDef, Substitution)> {
        let Expr::New { ty, args } = file.expr(call) else { return None };
        let TypeExpr::Named { args: given, .. } = file.ty(ty) else { return None };
        let value = Self::value_behind_new(rx, file, call)?;
        let given: Vec<Ty> = file.list(given).map(|arg| rx.type_of(file, arg)).collect();
        let takes = |def: GlobalDef| {
            let home = rx.file(def.file);
            let d = home.def(def.def);
            let open = home.list(d.params).last().is_some_and(|p| home.has_flag(p, DefFlags::VARARG));
            let needed = home
                .list(d.params)
                .filter(|p| !home.has_flag(*p, DefFlags::OPTIONAL) && !home.has_flag(*p, DefFlags::VARARG));
            (given.is_empty() || d.type_params.len as usize == given.len())
                && needed.count() <= args.len as usize
                && (open || args.len <= d.params.len)
        };
        let mut signatures: Vec<(GlobalDef, Ty)> = Self::construct_signatures(rx, &value).collect();
        // Prefer signatures whose parameters take the argument, then generic ones.
        signatures.sort_by_key(|(def, _)| (!takes(*def), rx.def(*def).type_params.is_empty()));
        let (signature, owner) = signatures.into_iter().next()?;
        let mut substitution: Substitution = rx.arguments_of(&owner);
        substitution.extend(rx.type_params(signature).into_iter().zip(given));
        Some((signature, substitution))
    }

    /// Functions of the library whose declared result says less than what they do: they give back the object that is
    /// handed to them.
    pub(super) fn handed_back(rx: &Resolver, file: &FileView, call: ExprId) -> Option<Ty> {
        let Expr::Call { callee, args, .. } = file.expr(call) else { return None };
        let Expr::Ref(method) = file.expr(callee) else { return None };
        if !matches!(file.ref_name(method), "create" | "setPrototypeOf" | "assign" | "defineProperties") {
            return None;
        }
        let target = rx.resolve(file.global_ref(method)).resolution.defs().next()?;
        let owner = rx.owner_class(target)?;
        let is_object = Self::library_name(rx, owner).is_some_and(|name| name == "ObjectConstructor");
        let first = file.list(args).next().filter(|_| is_object)?;
        // A new object has what all others have.
        if file.ref_name(method) == "assign"
            && let Expr::Class(literal) = file.expr(first)
            && file.def(literal).kind == SymbolKind::Object
        {
            let mut parts: Vec<Ty> = file.list(args).map(|arg| rx.expr_type(file, arg)).collect();
            parts.reverse();
            return Some(Ty::Intersection(parts.into()));
        }
        match EcmaPolicy.awaited(rx, &rx.expr_type(file, first)) {
            Ty::Unknown | Ty::Primitive(_) => None,
            known => Some(known),
        }
    }
}
