//! Whether methods have one signature: types are compared whole, as they are written, with what their names mean.

use std::sync::Arc;

use ide_model::{SymbolKind, paths};
use rustc_hash::FxHashMap;

use super::policy::is_exported;
use crate::facts::{DefFlags, DefId, RefId, TypeExpr, TypeId};
use crate::resolve::{Resolver, Target};
use crate::world::{FileId, GlobalDef};

/// A type where it is written.
type Site = (FileId, TypeId);

/// More types than these are not compared: they count as the same.
const MAX_STEPS: u32 = 1024;
/// Chains of aliases and type parameters beyond this length are not followed.
const MAX_CHAIN: usize = 16;

/// The structure of a type, behind aliases and bound type parameters.
enum Head {
    /// Nothing is known of it, so it may be any type.
    Unknown,
    /// A type parameter that stands for nothing yet.
    Parameter(GlobalDef, Site),
    Declared(GlobalDef, Vec<Site>),
    /// By its qualified name: what the language has, or a library that is not in the world.
    Outside(Arc<str>),
    Literal(FileId, TypeExpr),
}

/// Compares the methods of one type with those that one interface asks for.
pub(super) struct Sameness<'r> {
    rx: &'r Resolver,
    /// The types bound to type parameters: a parameter has one binding in all methods.
    bound: FxHashMap<GlobalDef, Site>,
    steps: u32,
}

impl<'r> Sameness<'r> {
    pub(super) fn new(rx: &'r Resolver) -> Self {
        Self { rx, bound: FxHashMap::default(), steps: 0 }
    }

    /// Whether a method may be the one that an interface asks for: nothing shows that their signatures differ.
    pub(super) fn methods(&mut self, have: GlobalDef, wanted: GlobalDef) -> bool {
        let rx = self.rx;
        let (file, asking) = (rx.file(have.file), rx.file(wanted.file));
        let same_package = || paths::directory(&file.path) == paths::directory(&asking.path);
        if !is_exported(file.def_name(have.def)) && !same_package() {
            return false;
        }
        let params = |of: GlobalDef| {
            let view = rx.file(of.file);
            let all: Vec<DefId> = view.list(view.def(of.def).params).collect();
            let is_variadic = all.last().is_some_and(|last| view.has_flag(*last, DefFlags::VARARG));
            let types: Vec<Option<Site>> =
                all.iter().map(|param| Some((of.file, view.def(*param).ty?))).collect();
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
        let result = match self.results(have)[..] {
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

    fn results(&self, of: GlobalDef) -> Vec<Site> {
        let view = self.rx.file(of.file);
        let Some(ty) = view.def(of.def).ty else { return Vec::new() };
        match view.ty(ty) {
            TypeExpr::Tuple(items) => view.list(items).map(|item| (of.file, item)).collect(),
            _ => vec![(of.file, ty)],
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
            (Head::Parameter(p, _), Head::Parameter(_, site)) => {
                self.bound.insert(p, site);
                true
            }
            (Head::Parameter(p, _), _) => {
                self.bound.insert(p, b);
                true
            }
            (_, Head::Parameter(q, _)) => {
                self.bound.insert(q, a);
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

    fn literals(&mut self, (x, a): (FileId, TypeExpr), (y, b): (FileId, TypeExpr)) -> bool {
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
            (TypeExpr::Object(a), TypeExpr::Object(b)) => {
                let (d, e) = (self.rx.file(x).def(a), self.rx.file(y).def(b));
                let members = |file: FileId, body: Option<crate::facts::ScopeId>| {
                    body.map_or(0, |body| self.rx.file(file).all_in_scope(body).len())
                };
                d.kind == e.kind && members(x, d.body) == members(y, e.body)
            }
            _ => false,
        }
    }

    fn items(&self, file: FileId, list: crate::facts::List<TypeId>) -> Vec<TypeId> {
        self.rx.file(file).list(list).collect()
    }

    fn all(&mut self, (x, a): (FileId, Vec<TypeId>), (y, b): (FileId, Vec<TypeId>)) -> bool {
        a.len() == b.len() && a.into_iter().zip(b).all(|(a, b)| self.types((x, a), (y, b)))
    }

    /// Lengths that are numbers differ as numbers; those that are computed are not known.
    fn lengths(&self, (x, a): Site, (y, b): Site) -> bool {
        let number = |file: FileId, ty: TypeId| match self.rx.file(file).ty(ty) {
            TypeExpr::Literal(text) => value_of(self.rx.file(file).name(text)),
            _ => None,
        };
        number(x, a).zip(number(y, b)).is_none_or(|(a, b)| a == b)
    }

    fn is_empty_interface(&self, file: FileId, ty: TypeExpr) -> bool {
        let TypeExpr::Object(def) = ty else { return false };
        let view = self.rx.file(file);
        let d = view.def(def);
        let is_empty = || d.body.is_none_or(|body| view.all_in_scope(body).is_empty());
        d.kind == SymbolKind::Interface && d.supers.is_empty() && is_empty()
    }

    fn head(&self, site: Site) -> Head {
        let (mut file, mut ty) = site;
        for _ in 0..MAX_CHAIN {
            let view = self.rx.file(file);
            let (name, args) = match view.ty(ty) {
                TypeExpr::Unknown => return Head::Unknown,
                TypeExpr::Named { name, args } => (name, args),
                literal => return Head::Literal(file, literal),
            };
            let def = match self.meaning(file, name) {
                Some(Target::Def(def)) => def,
                Some(Target::External(name)) => return Head::Outside(name),
                _ => return Head::Unknown,
            };
            let d = self.rx.def(def);
            (file, ty) = match d.kind {
                SymbolKind::TypeParameter => match self.bound.get(&def) {
                    Some(site) => *site,
                    None => return Head::Parameter(def, (file, ty)),
                },
                SymbolKind::TypeAlias if d.type_params.is_empty() => match d.ty {
                    Some(ty) => (def.file, ty),
                    None => return Head::Unknown,
                },
                SymbolKind::Class | SymbolKind::Struct | SymbolKind::Interface => {
                    return Head::Declared(def, view.list(args).map(|arg| (file, arg)).collect());
                }
                _ => return Head::Unknown,
            };
        }
        Head::Unknown
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
fn basic(name: &str) -> &str {
    match name {
        "builtin.byte" => "builtin.uint8",
        "builtin.rune" => "builtin.int32",
        other => other,
    }
}
