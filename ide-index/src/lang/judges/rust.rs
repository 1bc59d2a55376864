//! The certainty of Rust.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use ide_model::{SourceKind, SymbolKind, TextRange, Visibility};

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::rust::{self, is_outside};
use super::{
    fixed, head, is_conditional, is_nowhere, is_own, is_same_parameter, knows_stars, overriding, statements,
    through_stars, widest_arity,
};
use crate::check::{Arity, Judge, Refused, declared_arity};
use crate::facts::{
    DefFlags, DefId, Expr, ExprId, Import, ImportKind, RefFlags, RefId, Role, ScopeId, ScopeKind, SuperKind,
    SuperType,
};
use crate::refactor::tree::Syntax;
use crate::resolve::{FileView, Resolution, Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// Whether the attributes of an item leave it as it is.
fn is_decorated_plainly(file: &FileView, id: DefId) -> bool {
    const PLAIN: [&str; 18] = [
        "allow",
        "cold",
        "deny",
        "deprecated",
        "derive",
        "doc",
        "expect",
        "forbid",
        "ignore",
        "inline",
        "must_use",
        "no_mangle",
        "repr",
        "should_panic",
        "target_feature",
        "test",
        "track_caller",
        "warn",
    ];
    file.list(file.def(id).decorators).all(|decorator| {
        let name = match file.expr(decorator) {
            Expr::Call { callee, .. } => file.expr(callee),
            other => other,
        };
        matches!(name, Expr::Ref(name) if PLAIN.contains(&file.ref_name(name)))
    })
}

/// Whether two fields or two variants of a type have one name.
fn is_same_part(file: &FileView, first: DefId, second: DefId) -> bool {
    let is_part = |id: DefId| {
        let def = file.def(id);
        matches!(def.kind, SymbolKind::Field | SymbolKind::EnumCase)
            && !is_conditional(file, id)
            && !def.name_range.is_empty()
    };
    file.def(first).kind == file.def(second).kind && is_part(first) && is_part(second)
}

/// Whether parameters of a function have attributes: `#[cfg(feature = "f")] one: T`.
fn has_conditional_parameters(rx: &Resolver, function: GlobalDef) -> bool {
    let view = rx.file(function.file);
    let is_odd = |id: DefId| !view.def(id).decorators.is_empty() || is_conditional(view, id);
    view.list(view.def(function.def).params).any(is_odd)
}

pub(super) struct Rust;

/// Whether a file may hold what another one declares that a build writes: `include!(concat!(env!("OUT_DIR"), "/x.rs"))`.
fn includes_others(file: &FileView) -> bool {
    file.name_id("include").is_some()
}

/// Whether a macro may make an item of this name: it stands among the arguments of one between items, begins with that of a type
/// that has attributes, or the place is under an attribute that may rewrite it.
fn may_be_made(rx: &Resolver, file: &FileView, reference: RefId) -> bool {
    let name = file.ref_name(reference);
    // Where a macro of this file makes the item, the name stands twice: as the macro's argument and at this use.
    let is_between_items = |id: FileId| {
        let view = rx.file(id);
        let named = view.name_id(name).map_or(&[][..], |name| view.refs_named(name));
        let is_argument = named.iter().map(|id| view.reference(*id)).any(|reference| {
            let odd = [RefFlags::IN_MACRO, RefFlags::DYNAMIC];
            let kind = view.scope(reference.scope).kind;
            odd.iter().any(|flag| reference.flags.has(*flag))
                && matches!(kind, ScopeKind::File | ScopeKind::Module | ScopeKind::Class)
        });
        is_argument
            || match id == file.id {
                true => named.len() > 1 && calls_macros(view),
                false => has_items_of_macros(rx, view),
            }
    };
    let is_begun = |id: DefId| {
        let def = file.def(id);
        let begins = name.strip_prefix(file.def_name(id)).is_some_and(|rest| !rest.is_empty());
        begins && def.kind.is_type() && !def.decorators.is_empty()
    };
    let is_rewritten = || {
        let mut around = file.scope_chain(file.reference(reference).scope);
        around.any(|scope| file.scope(scope).owner.is_some_and(|owner| !is_decorated_plainly(file, owner)))
    };
    is_rewritten()
        || file.def_ids().any(is_begun)
        || rx.world().files_mentioning(name).into_iter().take(MOST_MENTIONING).any(is_between_items)
}

/// Answers about files that were found once.
type ByFile<T> = Mutex<FxHashMap<FileId, T>>;

/// Whether macros make items of a file.
#[derive(Default)]
struct MadeItems(ByFile<bool>);

/// Whether macros are called between the items of a file.
#[derive(Default)]
struct MacrosBetween(ByFile<bool>);

/// The items of a file that may be arguments of macros.
#[derive(Default)]
struct MacroArguments(ByFile<Arc<FxHashSet<DefId>>>);

fn found_once<T: Clone>(known: &ByFile<T>, file: FileId, find: impl FnOnce() -> T) -> T {
    let locked = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = locked().get(&file) {
        return known.clone();
    }
    let found = find();
    locked().insert(file, found.clone());
    found
}

/// Whether macros that are not read stand between the items of a file: they may make any.
fn has_items_of_macros(rx: &Resolver, view: &FileView) -> bool {
    found_once(&rx.extension(|_| MadeItems::default()).0, view.id, || {
        view.exprs.iter().any(|expr| match *expr {
            Expr::Macro { callee, args } => is_maker(rx, view, callee, args.is_empty()),
            _ => false,
        })
    })
}

/// Whether a macro call between items may make any: no value of an item, and no call of a macro whose items are read in its place.
fn is_maker(rx: &Resolver, view: &FileView, callee: RefId, is_bare: bool) -> bool {
    // Their items stand among their arguments.
    const READ: [&str; 6] =
        ["bitflags", "cfg_if", "compile_error", "lazy_static", "pin_project", "thread_local"];
    let reference = view.reference(callee);
    let name = view.ref_name(callee);
    let is_between_items =
        matches!(view.scope(reference.scope).kind, ScopeKind::File | ScopeKind::Module | ScopeKind::Class);
    let is_in_item = || {
        let mut items = view.all_in_scope(reference.scope).iter().map(|id| view.def(*id));
        !reference.range.is_empty()
            && items.any(|item| {
                item.range.encloses(reference.range)
                    && item.name_range.start < reference.range.start
                    && item.body.is_none()
            })
    };
    let is_read = || {
        let found = rx.resolve(view.global_ref(callee)).resolution;
        is_bare && found.confidence.is_certain() && found.defs().next().is_some_and(|def| is_own(rx, def))
    };
    is_between_items && !READ.contains(&name) && !is_value_macro(name) && !is_in_item() && !is_read()
}

/// Whether a file calls macros that may declare something.
fn calls_macros(view: &FileView) -> bool {
    view.ref_ids().any(|id| view.reference(id).role == Role::Macro && !is_value_macro(view.ref_name(id)))
}

/// Whether a macro stands for a value or does something, and declares nothing.
fn is_value_macro(name: &str) -> bool {
    const VALUES: [&str; 40] = [
        "anyhow",
        "bail",
        "assert",
        "assert_eq",
        "assert_ne",
        "cfg",
        "column",
        "concat",
        "dbg",
        "debug",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "ensure",
        "env",
        "error",
        "eprintln",
        "file",
        "format",
        "format_args",
        "include_bytes",
        "include_str",
        "info",
        "json",
        "line",
        "matches",
        "module_path",
        "option_env",
        "panic",
        "print",
        "println",
        "stringify",
        "todo",
        "trace",
        "unimplemented",
        "unreachable",
        "vec",
        "warn",
        "write",
        "writeln",
    ];
    VALUES.contains(&name.trim_end_matches('!'))
}

/// Whether `#[derive(…)]` names something that may give a type more than the traits of the language.
fn derives_members(view: &FileView, decorator: ExprId) -> bool {
    const TRAITS: [&str; 11] = [
        "Clone",
        "Copy",
        "Debug",
        "Default",
        "Deserialize",
        "Eq",
        "Hash",
        "Ord",
        "PartialEq",
        "PartialOrd",
        "Serialize",
    ];
    let Expr::Call { callee, args, .. } = view.expr(decorator) else { return false };
    let is_derive = matches!(view.expr(callee), Expr::Ref(name) if view.ref_name(name) == "derive");
    is_derive
        && view
            .list(args)
            .any(|arg| !matches!(view.expr(arg), Expr::Ref(name) if TRAITS.contains(&view.ref_name(name))))
}

/// Files that are asked whether a macro of theirs makes a name.
const MOST_MENTIONING: usize = 256;

/// Whether a type is one that a macro declares, or stands for one that a trait leaves open.
fn is_open(rx: &Resolver, of: GlobalDef) -> bool {
    let view = rx.file(of.file);
    let own = view.def(of.def);
    let is_derived = || view.list(own.decorators).any(|decorator| derives_members(view, decorator));
    own.kind == SymbolKind::TypeAlias
        || !is_decorated_plainly(view, of.def)
        || is_derived()
        || may_be_argument_of_macro(rx, view, of.def)
}

/// Whether an item may be an argument of a macro (`bitflags! { struct Flags … }`): no other item stands between the two.
pub(super) fn may_be_argument_of_macro(rx: &Resolver, view: &FileView, of: DefId) -> bool {
    found_once(&rx.extension(|_| MacroArguments::default()).0, view.id, || {
        Arc::new(arguments_of_macros(view))
    })
    .contains(&of)
}

fn arguments_of_macros(view: &FileView) -> FxHashSet<DefId> {
    let mut macros: BTreeMap<ScopeId, Vec<u32>> = BTreeMap::new();
    for reference in view.ref_ids().map(|id| view.reference(id)).filter(|it| it.role == Role::Macro) {
        macros.entry(reference.scope).or_default().push(reference.range.start);
    }
    let mut arguments = FxHashSet::default();
    for (scope, mut starts) in macros {
        starts.sort_unstable();
        let mut items = view.all_in_scope(scope).to_vec();
        items.sort_by_key(|id| view.def(*id).range.start);
        let mut starts = starts.into_iter().peekable();
        // The items since the last macro, each around the next one.
        let mut around: Option<Vec<TextRange>> = None;
        for item in items {
            let own = view.def(item).range;
            while starts.next_if(|start| *start < own.start).is_some() {
                around = Some(Vec::new());
            }
            if let Some(around) = &mut around {
                // Where an item is passed, the next ones are passed, too.
                if around.iter().all(|range| range.encloses(own) || range.start == own.start) {
                    arguments.insert(item);
                    around.push(own);
                }
            }
        }
    }
    arguments
}

/// Whether macros between items may add to a type: its file has some, or another one names it among the arguments of one.
fn is_given_to_macros(rx: &Resolver, class: GlobalDef) -> bool {
    const READ: [&str; 3] = ["compile_error", "lazy_static", "thread_local"];
    let in_items = |view: &FileView, reference: RefId| {
        let kind = view.scope(view.reference(reference).scope).kind;
        matches!(kind, ScopeKind::File | ScopeKind::Module | ScopeKind::Class)
    };
    let has_macros = |view: &FileView| {
        view.exprs.iter().any(|expr| match *expr {
            Expr::Macro { callee, .. } => {
                let name = view.ref_name(callee);
                in_items(view, callee) && !is_value_macro(name) && !READ.contains(&name)
            }
            _ => false,
        }) || view.ref_ids().any(|id| {
            let is_macro = view.reference(id).role == Role::Macro && !is_value_macro(view.ref_name(id));
            is_macro && in_items(view, id) && !READ.contains(&view.ref_name(id))
        })
    };
    let names_it = |view: &FileView| {
        let named = view.name_id(rx.def_name(class)).map_or(&[][..], |name| view.refs_named(name));
        named.iter().any(|id| {
            let odd = [RefFlags::IN_MACRO, RefFlags::DYNAMIC];
            odd.iter().any(|flag| view.reference(*id).flags.has(*flag)) && in_items(view, *id)
        })
    };
    let files = rx.world().files_mentioning(rx.def_name(class));
    files.len() > MOST_MENTIONING
        || found_once(&rx.extension(|_| MacrosBetween::default()).0, class.file, || {
            has_macros(rx.file(class.file))
        })
        || files.into_iter().any(|id| names_it(rx.file(id)))
}

/// Whether no trait that is not seen gives a type a member of this name.
fn knows_traits(rx: &Resolver, of: &Ty, name: &str) -> bool {
    // Types that such a trait leaves open are members, too.
    const OPEN: [&str; 6] = ["Err", "Error", "IntoIter", "Item", "Output", "Target"];
    const OF_SERDE: [&str; 2] = ["Deserialize", "Serialize"];
    let is_quiet = |path: &str| {
        let of_serde = OF_SERDE.iter().any(|known| path.ends_with(known)) && !name.contains("serialize");
        !OPEN.contains(&name)
            && !path.ends_with("Deref")
            && !path.ends_with("DerefMut")
            && (of_serde || !rust::may_declare(path, name))
    };
    let is_silent = |part: &Ty| match part {
        Ty::External(path, _) | Ty::ExternalName(path) => is_quiet(path),
        _ => false,
    };
    // The names in a `derive` are those of macros, which have no type.
    let is_derived = |view: &FileView, edge: SuperType| {
        rx.named_type_ref(view, edge.ty).is_some_and(|name| {
            view.reference(name).flags.has(RefFlags::DYNAMIC) && is_quiet(view.ref_name(name))
        })
    };
    let has_known = |class: GlobalDef| {
        let view = rx.file(class.file);
        let mut written = view.list(view.def(class.def).supers).filter(|edge| edge.kind != SuperKind::Other);
        written.all(|edge| {
            let ty = rx.type_of(view, edge.ty);
            ty.def().is_some() || is_silent(&ty) || is_derived(view, edge)
        })
    };
    let line = rx.linearization(of);
    let is_known = |part: &Ty| part.is_unknown() || is_silent(part) || part.def().is_some_and(has_known);
    // The library gives such a method to many types at once.
    !rust::is_method(name) && !line.is_empty() && line.iter().all(is_known)
}

/// Whether a file imports something of a package that is not seen and never names it: a trait is used by the methods that it
/// gives to any type.
fn may_be_of_unseen_trait(rx: &Resolver, file: &FileView) -> bool {
    file.imports.iter().any(|import| {
        let Some(member) = import.member else {
            return import.kind == ImportKind::Star && !knows_stars(rx, file);
        };
        let name = import.def.map_or("_", |def| file.def_name(def));
        let is_foreign = || {
            let found = rx.resolve(file.global_ref(member)).resolution;
            found.targets.iter().any(|target| match target {
                Target::External(path) => !rust::is_standard(path),
                _ => false,
            }) || found.is_unknown()
        };
        let is_named = || {
            let all = file.name_id(name).map_or(&[][..], |name| file.refs_named(name));
            all.iter().any(|other| file.reference(*other).role != Role::Import)
        };
        let may_be_trait = name == "_" || name.starts_with(char::is_uppercase);
        may_be_trait && is_foreign() && (name == "_" || !is_named())
    })
}

impl Judge for Rust {
    fn outside_members(&self, rx: &Resolver, from: &FileView, ty: &Ty) -> Vec<Arc<str>> {
        rust::names_of_members(rx, from, ty)
    }

    fn pointees(&self, rx: &Resolver, ty: &Ty) -> Vec<Ty> {
        rust::pointees(rx, ty)
    }

    fn lets_libraries_extend(&self) -> bool {
        true
    }

    fn lacks_member(&self, rx: &Resolver, file: &FileView, import: &Import, _text: &str) -> bool {
        super::libraries::lacks_item(rx, file, import, &["std", "core", "alloc"])
    }

    fn import_roots(&self, rx: &Resolver, file: &FileView) -> Vec<(Arc<str>, bool)> {
        let words = ["crate", "self", "super"].map(|word| (word.into(), false));
        words.into_iter().chain(rust::crates_seen(rx, file.id).into_iter().map(|name| (name, true))).collect()
    }

    fn freeing(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "mut ")]
    }

    fn writes_make_members(&self, _file: &FileView) -> bool {
        false
    }

    fn refused_statements(&self, _file: &FileView, tree: &Syntax, found: &mut Vec<Refused>) {
        statements::rust(tree, found);
    }

    fn sees_all_modules(&self, rx: &Resolver, file: &FileView, import: &Import) -> bool {
        let mut homes: Vec<FileId> = Vec::new();
        if let Some(last) = file.list(import.path).last() {
            let found = rx.resolve(file.global_ref(last)).resolution;
            homes.extend(found.targets.iter().filter_map(|target| match target {
                Target::Module(file) | Target::Def(GlobalDef { file, .. }) => Some(*file),
                _ => None,
            }));
        }
        // `crate`, `self` and `super` are words, and no names.
        let root = import.member.and_then(|member| file.reference(member).receiver);
        homes.extend(root.and_then(|root| match rx.expr_type(file, root) {
            Ty::Module(file) | Ty::Class(GlobalDef { file, .. }, _) => Some(file),
            _ => None,
        }));
        let is_whole =
            |home: &FileId| !includes_others(rx.file(*home)) && !has_items_of_macros(rx, rx.file(*home));
        let passed_on = |home: &FileId| through_stars(rx, rx.file(*home));
        !import.member.is_some_and(|member| may_be_made(rx, file, member))
            && homes.iter().all(|home| passed_on(home).is_some_and(|all| all.iter().all(is_whole)))
    }

    fn sees_all_names(&self, rx: &Resolver, file: &FileView, reference: RefId) -> bool {
        knows_stars(rx, file) && !includes_others(file) && !may_be_made(rx, file, reference)
    }

    fn is_supposed(&self, rx: &Resolver, of: &Ty, found: &Resolution) -> bool {
        // A trait of the language may have any member, for all that names know.
        let is_outside = |target: &Target| matches!(target, Target::External(_));
        let (Ty::Instance(class, _) | Ty::Class(class, _)) = of else { return false };
        !found.targets.is_empty()
            && found.targets.iter().all(is_outside)
            && matches!(rx.kind(*class), SymbolKind::Struct | SymbolKind::Enum)
            && !is_given_to_macros(rx, *class)
    }

    fn sees_all_members(&self, rx: &Resolver, file: &FileView, reference: RefId, of: &Ty) -> bool {
        if let Ty::Module(module) = of {
            let is_whole =
                |home: &FileId| !includes_others(rx.file(*home)) && !has_items_of_macros(rx, rx.file(*home));
            // Attributes make items beside functions: `#[tracked] fn one` and `one::accumulated()`.
            return rx.world().file(*module).source != SourceKind::Library
                && is_nowhere(rx, file.ref_name(reference))
                && !may_be_made(rx, file, reference)
                && through_stars(rx, rx.file(*module)).is_some_and(|all| all.iter().all(is_whole));
        }
        matches!(of, Ty::Instance(class, _) | Ty::Class(class, _) if !is_open(rx, *class))
            && knows_traits(rx, of, file.ref_name(reference))
            && !may_be_made(rx, file, reference)
            && !may_be_of_unseen_trait(rx, file)
    }

    fn takes_type_arguments(&self, count: usize, parameters: usize) -> bool {
        count <= parameters
    }

    fn arity(&self, rx: &Resolver, file: &FileView, call: ExprId, function: GlobalDef) -> Option<Arity> {
        // By its path a method takes its object first.
        let Expr::Call { callee, .. } = file.expr(call) else { return None };
        let receiver = rx.expr_ref(file, callee).and_then(|name| file.reference(name).receiver);
        let is_by_path =
            receiver.is_some_and(|receiver| !matches!(rx.expr_type(file, receiver), Ty::Instance(..)));
        let takes_object =
            rx.kind(function) == SymbolKind::Method && !rx.has_flag(function, DefFlags::STATIC);
        // `value.f()` calls no associated function without `self`: a trait that is not seen may have a method `f`.
        let is_static = receiver.is_some() && !is_by_path && !takes_object;
        let is_whole = !has_conditional_parameters(rx, function) && !is_static;
        // Traits may have others of the name.
        let is_known = is_own(rx, function) && is_whole && !(is_by_path && takes_object);
        let arity = || match takes_object {
            true => widest_arity(rx, rx.def_name(function)),
            false => Some(declared_arity(rx, function, 0)),
        };
        is_known.then(arity).flatten()
    }

    fn lacks(&self, rx: &Resolver, file: &FileView, block: DefId) -> Option<(RefId, Vec<GlobalDef>)> {
        let def = file.def(block);
        let edge = file.list(def.supers).find(|edge| edge.kind == SuperKind::Implements)?;
        let name = rx.named_type_ref(file, edge.ty)?;
        let announcing = rx.type_of(file, edge.ty).def()?;
        let body = def.body?;
        let is_plain = def.kind == SymbolKind::Impl && !is_conditional(file, block);
        if !is_plain || !is_own(rx, announcing) || rx.kind(announcing) != SymbolKind::Trait {
            return None;
        }
        let view = rx.file(announcing.file);
        let asked = view.all_in_scope(view.def(announcing.def).body?).iter().copied().filter(|id| {
            let item = view.def(*id);
            item.decorators.is_empty()
                && !is_conditional(view, *id)
                && match item.kind {
                    SymbolKind::Method | SymbolKind::Function => item.flags.has(DefFlags::SIGNATURE),
                    SymbolKind::TypeAlias => item.ty.is_none() && item.init.is_none(),
                    SymbolKind::Constant => item.init.is_none(),
                    _ => false,
                }
        });
        let lacking = asked.filter(|id| file.named_in_scope(body, view.def_name(*id)).is_empty());
        let lacking: Vec<GlobalDef> = lacking.map(|id| view.global(id)).collect();
        // Macros may make items, and conditions leave them out.
        let is_made = || {
            file.ref_ids().any(|id| {
                let reference = file.reference(id);
                reference.scope == body && reference.role == Role::Macro
            })
        };
        (lacking.is_empty() || !is_made()).then_some((name, lacking))
    }

    fn is_twice(&self, rx: &Resolver, (file, _): (&FileView, &str), first: DefId, second: DefId) -> bool {
        // Variables may be shadowed, and items made for different builds.
        let is_odd = |id: DefId| !file.def(id).decorators.is_empty() || is_conditional(file, id);
        // Fields among the arguments of a macro may be written in a way of its own.
        let in_macro = || {
            let owner = file.scope(file.def(first).scope).owner;
            owner.is_some_and(|owner| may_be_argument_of_macro(rx, file, owner))
        };
        if is_same_parameter(file, first, second) && !is_odd(first) && !is_odd(second)
            || is_same_part(file, first, second) && !in_macro()
        {
            return true;
        }
        let is_item = |id: DefId| {
            let def = file.def(id);
            let is_kind = matches!(
                def.kind,
                SymbolKind::Struct
                    | SymbolKind::Enum
                    | SymbolKind::Trait
                    | SymbolKind::Function
                    | SymbolKind::Constant
            );
            let scope = file.scope(def.scope);
            let in_module = matches!(scope.kind, ScopeKind::File | ScopeKind::Module);
            let in_impl = scope.owner.is_some_and(|owner| file.def(owner).kind == SymbolKind::Impl);
            let is_method = def.kind == SymbolKind::Method;
            (is_kind && (in_module || in_impl) || is_method && in_impl)
                && is_decorated_plainly(file, id)
                && !is_conditional(file, id)
        };
        is_item(first)
            && is_item(second)
            && file.def(first).kind == file.def(second).kind
            && rx.policy(file).collides(rx, file.global(first), file.global(second))
    }

    fn is_fixed(&self, rx: &Resolver, within: (&FileView, &str), reference: RefId, def: GlobalDef) -> bool {
        fixed::rust(rx, within, reference, def)
    }

    fn is_lent_to_change(&self, (file, text): (&FileView, &str), reference: RefId) -> bool {
        let own = file.reference(reference);
        let before = text.get(..own.range.start as usize).unwrap_or("");
        let behind = text.get(own.range.end as usize..).unwrap_or("");
        let is_plain = own.role == Role::Read && own.receiver.is_none();
        // A field or an item may belong to what the name refers to.
        is_plain && before.ends_with("&mut ") && behind.trim_start().starts_with([',', ')', ';', '}', ']'])
    }

    fn overrides_nothing(&self, rx: &Resolver, file: &FileView, def: DefId) -> bool {
        overriding::rust(rx, file, def)
    }

    fn literal_fields(&self, rx: &Resolver, of: GlobalDef) -> Option<Vec<GlobalDef>> {
        let view = rx.file(of.file);
        let body = view.def(of.def).body?;
        let is_kind = matches!(rx.kind(of), SymbolKind::Struct | SymbolKind::EnumCase);
        let is_parameter = |id: &DefId| view.def(*id).kind == SymbolKind::TypeParameter;
        let fields: Vec<DefId> =
            view.all_in_scope(body).iter().copied().filter(|id| !is_parameter(id)).collect();
        let is_plain = |id: &DefId| {
            view.def(*id).kind == SymbolKind::Field
                && !is_conditional(view, *id)
                && !view.def_name(*id).starts_with(|c: char| c.is_ascii_digit())
        };
        let is_whole = is_kind && is_own(rx, of) && is_decorated_plainly(view, of.def) && !fields.is_empty();
        (is_whole && fields.iter().all(is_plain))
            .then(|| fields.into_iter().map(|id| view.global(id)).collect())
    }

    fn is_hidden(&self, rx: &Resolver, file: &FileView, reference: RefId, def: GlobalDef) -> bool {
        let (own, view) = (rx.def(def), rx.file(def.file));
        // `value.name()` calls no field.
        if own.kind == SymbolKind::Field && file.reference(reference).role == Role::Call {
            return false;
        }
        let owner = view.scope(own.scope).owner.map(|owner| view.def(owner));
        let is_part = owner.is_some_and(|owner| match own.kind {
            SymbolKind::Field => owner.kind == SymbolKind::Struct,
            SymbolKind::Method | SymbolKind::Function => {
                owner.kind == SymbolKind::Impl && owner.supers.is_empty()
            }
            _ => false,
        });
        is_part
            && own.visibility == Some(Visibility::Private)
            && !own.flags.has(DefFlags::SYNTHETIC)
            && is_own(rx, def)
            && !is_conditional(view, def.def)
            && is_outside(rx, file.id, def.file)
    }

    fn import_line(&self, rx: &Resolver, file: &FileView, def: GlobalDef) -> Option<String> {
        let module = &rx.world().file(def.file).path;
        let module = rx.policy(file).module_name(rx, file, &file.path, module.as_str()).ok()?;
        Some(format!("use {module}::{};", rx.def_name(def)))
    }

    fn stub(&self, rx: &Resolver, member: GlobalDef, text: &str) -> Option<String> {
        let head = head(rx, member, text).filter(|_| rx.kind(member).is_callable())?;
        Some(format!("{head} {{\n\ttodo!()\n}}"))
    }

    fn imports_are_passed_on(&self) -> bool {
        true
    }

    fn reports_unused_imports(&self, _rx: &Resolver, _file: &FileView) -> bool {
        true
    }
}
