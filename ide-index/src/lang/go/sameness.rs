//! Whether methods have one signature: types are compared whole, as they are written, with what their names mean.

use std::sync::Arc;

use ide_model::{SymbolKind, paths};
use rustc_hash::{FxHashMap, FxHashSet};

use super::policy::{GoPolicy, is_exported};
use crate::facts::{DefFlags, DefId, RefId, TypeExpr, TypeId};
use crate::resolve::{Resolver, Target, Ty};
use crate::world::{FileId, GlobalDef};

/// The type that is compared: that of the type that may have the methods, or that of the interface that asks for them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Side {
    Have,
    Wanted,
}

/// A file on the way from one side.
type Home = (FileId, Side);

/// A type where it is written.
type Site = (Home, TypeId);

/// More types than these are not compared: they count as the same.
const MAX_STEPS: u32 = 1024;
/// Chains of aliases and type parameters beyond this length are not followed.
const MAX_CHAIN: usize = 16;
/// Of types that embed more than this the arguments are not followed.
const MAX_FOLLOWED: usize = 256;

/// The structure of a type, behind aliases and bound type parameters.
enum Head {
    /// Nothing is known of it, so it may be any type.
    Unknown,
    /// A type parameter that stands for nothing yet.
    Parameter(GlobalDef, Site),
    Declared(GlobalDef, Vec<Site>),
    /// By its qualified name: what the language has, or a library that is not in the world.
    Outside(Arc<str>),
    Literal(Home, TypeExpr),
}

/// Compares the methods of one type with those that one interface asks for.
pub(super) struct Sameness<'r> {
    rx: &'r Resolver,
    /// The types bound to type parameters: a parameter has one binding in all methods.
    bound: FxHashMap<(GlobalDef, Side), Site>,
    /// The parameters of an interface that may have the methods: it has them for no type in particular.
    rigid: FxHashSet<GlobalDef>,
    steps: u32,
}

impl<'r> Sameness<'r> {
    pub(super) fn new(rx: &'r Resolver) -> Self {
        Self { rx, bound: FxHashMap::default(), rigid: FxHashSet::default(), steps: 0 }
    }

    /// Binds the type parameters of all that a type embeds, or is defined by, to what stands in their place.
    pub(super) fn follow(&mut self, class: GlobalDef, side: Side) {
        let rx = self.rx;
        if side == Side::Have && rx.kind(class) == SymbolKind::Interface {
            self.rigid.extend(rx.type_params(class));
        }
        let mut seen = FxHashSet::default();
        let mut todo = vec![class];
        while let Some(class) = todo.pop() {
            if seen.len() > MAX_FOLLOWED || !seen.insert(class) {
                continue;
            }
            let view = rx.file(class.file);
            let d = view.def(class.def);
            let by = d.ty.filter(|_| d.kind == SymbolKind::Class);
            for mut ty in view.list(d.supers).map(|edge| edge.ty).chain(by) {
                while let TypeExpr::Pointer(inner) = view.ty(ty) {
                    ty = inner;
                }
                let TypeExpr::Named { name, args } = view.ty(ty) else { continue };
                let Some(Target::Def(def)) = self.meaning(class.file, name) else { continue };
                for (param, arg) in rx.type_params(def).into_iter().zip(view.list(args)) {
                    self.bound.entry((param, side)).or_insert(((class.file, side), arg));
                }
                todo.push(def);
            }
        }
    }

    /// Whether a method may be the one that an interface asks for: nothing shows that their signatures differ.
    pub(super) fn methods(&mut self, have: GlobalDef, wanted: GlobalDef) -> bool {
        let rx = self.rx;
        let (file, asking) = (rx.file(have.file), rx.file(wanted.file));
        let same_package = || paths::directory(&file.path) == paths::directory(&asking.path);
        if !is_exported(file.def_name(have.def)) && !same_package() {
            return false;
        }
        self.signatures((have, Side::Have), (wanted, Side::Wanted))
    }

    fn signatures(&mut self, have: (GlobalDef, Side), wanted: (GlobalDef, Side)) -> bool {
        let rx = self.rx;
        let params = |(of, side): (GlobalDef, Side)| {
            let view = rx.file(of.file);
            let all: Vec<DefId> = view.list(view.def(of.def).params).collect();
            let is_variadic = all.last().is_some_and(|last| view.has_flag(*last, DefFlags::VARARG));
            let types: Vec<Option<Site>> =
                all.iter().map(|param| Some(((of.file, side), view.def(*param).ty?))).collect();
            (types, is_variadic)
        };
        let ((a, a_variadic), (b, b_variadic)) = (params(have), params(wanted));
        let (x, y) = (self.results(have), self.results(wanted));
        if a.len() != b.len() || a_variadic != b_variadic || x.len() != y.len() {
            return false;
        }
        let known = |sites: (Option<Site>, Option<Site>)| sites.0.zip(sites.1);
        let params: Vec<(Site, Site)> = a.into_iter().zip(b).filter_map(known).collect();
        params.into_iter().chain(x.into_iter().zip(y)).all(|(a, b)| self.types(a, b))
    }

    /// Whether a method may be `Error() string`, which the builtin `error` asks for.
    pub(super) fn is_error(&self, have: GlobalDef) -> bool {
        let result = match self.results((have, Side::Have))[..] {
            [one] => self.head(one),
            _ => return false,
        };
        let is_text = match result {
            Head::Outside(name) => &*name == "builtin.string",
            Head::Unknown | Head::Parameter(..) => true,
            Head::Declared(..) | Head::Literal(..) => false,
        };
        is_text && self.rx.def(have).params.is_empty()
    }

    fn results(&self, (of, side): (GlobalDef, Side)) -> Vec<Site> {
        let view = self.rx.file(of.file);
        let Some(ty) = view.def(of.def).ty else { return Vec::new() };
        match view.ty(ty) {
            TypeExpr::Tuple(items) => view.list(items).map(|item| ((of.file, side), item)).collect(),
            _ => vec![((of.file, side), ty)],
        }
    }

    /// Whether nothing shows that two types differ.
    fn types(&mut self, a: Site, b: Site) -> bool {
        self.steps += 1;
        if self.steps > MAX_STEPS || a == b {
            return true;
        }
        match (self.head(a), self.head(b)) {
            (Head::Unknown, _) | (_, Head::Unknown) => true,
            (Head::Parameter(p, _), Head::Parameter(q, _)) if p == q => true,
            (Head::Parameter(p, site), Head::Parameter(q, to)) if self.is_rigid(p, site) => {
                self.bound.insert((q, to.0.1), site);
                true
            }
            (Head::Parameter(p, at), Head::Parameter(_, site)) => {
                self.bound.insert((p, at.0.1), site);
                true
            }
            (Head::Parameter(p, at), _) => {
                let is_free = !self.is_rigid(p, at);
                if is_free {
                    self.bound.insert((p, at.0.1), b);
                }
                is_free
            }
            (_, Head::Parameter(q, at)) => {
                self.bound.insert((q, at.0.1), a);
                true
            }
            (Head::Declared(x, with), Head::Declared(y, others)) => {
                let is_one = x == y || self.rx.policy_of(x).same_symbol(self.rx, x).contains(&y);
                is_one && with.into_iter().zip(others).all(|(a, b)| self.types(a, b))
            }
            (Head::Outside(x), Head::Outside(y)) => !is_basic(&x) || !is_basic(&y) || basic(&x) == basic(&y),
            (Head::Outside(name), Head::Literal(file, ty))
            | (Head::Literal(file, ty), Head::Outside(name)) => match &*name {
                "builtin.any" => self.is_empty_interface(file, ty),
                name => !is_basic(name),
            },
            (Head::Literal(x, a), Head::Literal(y, b)) => self.literals((x, a), (y, b)),
            (Head::Declared(..), _) | (_, Head::Declared(..)) => false,
        }
    }

    fn is_rigid(&self, parameter: GlobalDef, at: Site) -> bool {
        at.0.1 == Side::Have && self.rigid.contains(&parameter)
    }

    fn literals(&mut self, (x, a): (Home, TypeExpr), (y, b): (Home, TypeExpr)) -> bool {
        match (a, b) {
            (TypeExpr::Pointer(a), TypeExpr::Pointer(b))
            | (TypeExpr::Array(a), TypeExpr::Array(b))
            | (TypeExpr::Channel(a), TypeExpr::Channel(b))
            | (TypeExpr::Sender(a), TypeExpr::Sender(b))
            | (TypeExpr::Receiver(a), TypeExpr::Receiver(b))
            | (TypeExpr::Varargs(a), TypeExpr::Varargs(b)) => self.types((x, a), (y, b)),
            (TypeExpr::Sized { item: a, length: m }, TypeExpr::Sized { item: b, length: n }) => {
                self.lengths((x, m), (y, n)) && self.types((x, a), (y, b))
            }
            (TypeExpr::Map { key: k, value: v }, TypeExpr::Map { key, value }) => {
                self.types((x, k), (y, key)) && self.types((x, v), (y, value))
            }
            (TypeExpr::Tuple(a), TypeExpr::Tuple(b)) => {
                self.all((x, self.items(x, a)), (y, self.items(y, b)))
            }
            (
                TypeExpr::Function { params: a, result: m, .. },
                TypeExpr::Function { params: b, result: n, .. },
            ) => {
                let results = match (m, n) {
                    (Some(m), Some(n)) => self.types((x, m), (y, n)),
                    (m, n) => m.is_none() && n.is_none(),
                };
                results && self.all((x, self.items(x, a)), (y, self.items(y, b)))
            }
            (TypeExpr::Object(a), TypeExpr::Object(b)) => self.objects((x, a), (y, b)),
            _ => false,
        }
    }

    /// Structs have the same fields in the same order, interfaces the same methods in any.
    fn objects(&mut self, (x, a): (Home, DefId), (y, b): (Home, DefId)) -> bool {
        let rx = self.rx;
        let (one, other) = (rx.file(x.0), rx.file(y.0));
        let kind = one.def(a).kind;
        if kind != other.def(b).kind || one.def(a).supers.len != other.def(b).supers.len {
            return false;
        }
        let (mut mine, mut theirs) = (one.own_in_order(a), other.own_in_order(b));
        if kind == SymbolKind::Interface {
            mine.sort_by_key(|def| one.def_name(*def));
            theirs.sort_by_key(|def| other.def_name(*def));
        }
        mine.len() == theirs.len()
            && mine.into_iter().zip(theirs).all(|(a, b)| {
                one.def_name(a) == other.def_name(b)
                    && match (kind, one.def(a).ty, other.def(b).ty) {
                        (SymbolKind::Interface, ..) => {
                            self.signatures((one.global(a), x.1), (other.global(b), y.1))
                        }
                        (_, Some(a), Some(b)) => self.types((x, a), (y, b)),
                        _ => true,
                    }
            })
    }

    fn items(&self, file: Home, list: crate::facts::List<TypeId>) -> Vec<TypeId> {
        self.rx.file(file.0).list(list).collect()
    }

    fn all(&mut self, (x, a): (Home, Vec<TypeId>), (y, b): (Home, Vec<TypeId>)) -> bool {
        a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| self.types((x, a), (y, b)))
    }

    /// Lengths that are numbers differ as numbers; those that are computed are not known.
    fn lengths(&self, (x, a): Site, (y, b): Site) -> bool {
        let number = |file: Home, ty: TypeId| match self.rx.file(file.0).ty(ty) {
            TypeExpr::Literal(text) => value_of(self.rx.file(file.0).name(text)),
            _ => None,
        };
        number(x, a).zip(number(y, b)).is_none_or(|(a, b)| a == b)
    }

    fn is_empty_interface(&self, file: Home, ty: TypeExpr) -> bool {
        let TypeExpr::Object(def) = ty else { return false };
        let view = self.rx.file(file.0);
        let d = view.def(def);
        let is_empty = || d.body.is_none_or(|body| view.all_in_scope(body).is_empty());
        d.kind == SymbolKind::Interface && d.supers.is_empty() && is_empty()
    }

    fn head(&self, site: Site) -> Head {
        let ((mut file, mut side), mut ty) = site;
        for _ in 0..MAX_CHAIN {
            let view = self.rx.file(file);
            let (name, args) = match view.ty(ty) {
                TypeExpr::Unknown => return Head::Unknown,
                TypeExpr::Named { name, args } => (name, args),
                literal => return Head::Literal((file, side), literal),
            };
            let def = match self.meaning(file, name) {
                Some(Target::Def(def)) => def,
                Some(Target::External(name)) => return Head::Outside(name),
                _ => return Head::Unknown,
            };
            let d = self.rx.def(def);
            ((file, side), ty) = match d.kind {
                SymbolKind::TypeParameter => {
                    let def = self.of_declaration(def);
                    match self.bound.get(&(def, side)) {
                        Some(site) => *site,
                        None => return Head::Parameter(def, ((file, side), ty)),
                    }
                }
                SymbolKind::TypeAlias if d.type_params.is_empty() => match d.ty {
                    Some(ty) => ((def.file, side), ty),
                    None => return Head::Unknown,
                },
                SymbolKind::Class | SymbolKind::Struct | SymbolKind::Interface => {
                    return Head::Declared(def, view.list(args).map(|arg| ((file, side), arg)).collect());
                }
                _ => return Head::Unknown,
            };
        }
        Head::Unknown
    }

    /// The type parameter of the declaration that a receiver names anew.
    fn of_declaration(&self, parameter: GlobalDef) -> GlobalDef {
        let file = self.rx.file(parameter.file);
        let method = file.scope(file.def(parameter.def).scope).owner.map(|method| file.global(method));
        let declared =
            method.map(|method| GoPolicy::receiver_parameters(self.rx, method)).unwrap_or_default();
        match declared.get(&parameter) {
            Some(Ty::Param(declared)) => *declared,
            _ => parameter,
        }
    }

    fn meaning(&self, file: FileId, name: RefId) -> Option<Target> {
        let resolution = self.rx.resolve(self.rx.file(file).global_ref(name)).resolution;
        resolution.targets.first().cloned()
    }
}

/// The value of a literal, in any of the language's notations.
fn value_of(text: &str) -> Option<u64> {
    let text = text.replace('_', "").to_lowercase();
    let (digits, radix) = match (text.get(..2), text.get(2..)) {
        (Some("0x"), Some(rest)) => (rest, 16),
        (Some("0b"), Some(rest)) => (rest, 2),
        (Some("0o"), Some(rest)) => (rest, 8),
        _ if text.len() > 1 && text.starts_with('0') => (&text[1..], 8),
        _ => (&*text, 10),
    };
    u64::from_str_radix(digits, radix).ok()
}

fn is_basic(name: &str) -> bool {
    name.starts_with("builtin.")
}

/// The name that two names of one type share.
pub(super) fn basic(name: &str) -> &str {
    match name {
        "builtin.byte" => "builtin.uint8",
        "builtin.rune" => "builtin.int32",
        other => other,
    }
}
