//! Signatures and descriptors of class files (JVMS 4.3, 4.7.9.1) to types.

use ide_model::SymbolKind;

use super::classfile::NOWHERE;
use crate::builder::FactBuilder;
use crate::facts::{DefId, List, RefFlags, Role, TypeExpr, TypeId};

/// Deeper nesting of type arguments is cut; it guards the stack against damaged files.
const MAX_DEPTH: u32 = 64;

/// A method's parts.
pub(super) struct Method {
    pub(super) type_params: List<DefId>,
    pub(super) params: Vec<TypeId>,
    pub(super) result: TypeId,
}

/// Reads one signature and writes its types into the open scope.
pub(super) struct Signatures<'b, 't> {
    b: &'b mut FactBuilder,
    text: &'t str,
    depth: u32,
}

impl<'b, 't> Signatures<'b, 't> {
    pub(super) fn new(b: &'b mut FactBuilder, text: &'t str) -> Self {
        Self { b, text, depth: 0 }
    }

    /// A class by its internal name: `java/util/Map$Entry`.
    pub(super) fn named(b: &mut FactBuilder, internal: &str) -> TypeId {
        let name = b.reference(&internal.replace(['/', '$'], "."), NOWHERE, Role::Type);
        b.ref_mut(name).flags.set(RefFlags::ABSOLUTE);
        b.ty(TypeExpr::Named { name, args: List::EMPTY })
    }

    /// Type parameters, then the superclass and the interfaces. `None` when it is empty.
    pub(super) fn class(mut self) -> Option<(List<DefId>, Vec<TypeId>)> {
        let type_params = self.type_params();
        let mut supers = Vec::new();
        while !self.text.is_empty() {
            supers.push(self.one());
        }
        (!supers.is_empty()).then_some((type_params, supers))
    }

    pub(super) fn method(mut self) -> Method {
        let type_params = self.type_params();
        let mut params = Vec::new();
        if self.eat('(') {
            while !self.text.is_empty() && !self.eat(')') {
                params.push(self.one());
            }
        }
        Method { type_params, params, result: self.one() }
    }

    pub(super) fn ty(mut self) -> TypeId {
        self.one()
    }

    fn eat(&mut self, c: char) -> bool {
        match self.text.strip_prefix(c) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    /// Up to one of the stop characters, which stays.
    fn until(&mut self, stops: &[char]) -> &'t str {
        let end = self.text.find(stops).unwrap_or(self.text.len());
        let (head, rest) = self.text.split_at(end);
        self.text = rest;
        head
    }

    fn type_params(&mut self) -> List<DefId> {
        let mut all = Vec::new();
        if self.eat('<') {
            while !self.text.is_empty() && !self.eat('>') {
                let name = self.until(&[':']);
                let def = self.b.def(name, NOWHERE, SymbolKind::TypeParameter);
                let mut bounds = Vec::new();
                while self.eat(':') {
                    // The class bound may be empty, before interface bounds.
                    if !self.text.starts_with(':') {
                        bounds.push(self.one());
                    }
                }
                let bound = match bounds[..] {
                    [] => None,
                    [one] => Some(one),
                    _ => {
                        let bounds = self.b.list(bounds);
                        Some(self.b.ty(TypeExpr::Intersection(bounds)))
                    }
                };
                self.b.def_mut(def).ty = bound;
                all.push(def);
            }
        }
        self.b.list(all)
    }

    /// One type; always goes forward.
    fn one(&mut self) -> TypeId {
        let Some(first) = self.text.chars().next() else { return self.b.ty(TypeExpr::Unknown) };
        self.text = &self.text[first.len_utf8()..];
        if self.depth == MAX_DEPTH {
            self.text = "";
            return self.b.ty(TypeExpr::Unknown);
        }
        self.depth += 1;
        let ty = match first {
            '[' => {
                let item = self.one();
                self.b.ty(TypeExpr::Array(item))
            }
            'L' => self.class_type(),
            'T' => {
                let name = self.until(&[';']);
                self.eat(';');
                let name = self.b.reference(name, NOWHERE, Role::Type);
                self.b.ty(TypeExpr::Named { name, args: List::EMPTY })
            }
            '*' => self.b.ty(TypeExpr::Wildcard(None)),
            '+' | '-' => {
                let bound = self.one();
                self.b.ty(TypeExpr::Wildcard(Some(bound)))
            }
            '^' => self.one(),
            letter => match primitive(letter) {
                Some(name) => {
                    let name = self.b.name(name);
                    self.b.ty(TypeExpr::Primitive(name))
                }
                None => self.b.ty(TypeExpr::Unknown),
            },
        };
        self.depth -= 1;
        ty
    }

    /// Behind the `L`: `java/util/Map<TK;TV;>.Entry<…>;`. The arguments of the last class count.
    fn class_type(&mut self) -> TypeId {
        let mut name = String::new();
        let mut args = Vec::new();
        loop {
            name.push_str(&self.until(&['<', ';', '.']).replace(['/', '$'], "."));
            args.clear();
            if self.eat('<') {
                while !self.text.is_empty() && !self.eat('>') {
                    args.push(self.one());
                }
            }
            if !self.eat('.') {
                break;
            }
            name.push('.');
        }
        self.eat(';');
        let reference = self.b.reference(&name, NOWHERE, Role::Type);
        self.b.ref_mut(reference).flags.set(RefFlags::ABSOLUTE);
        let args = self.b.list(args);
        self.b.ty(TypeExpr::Named { name: reference, args })
    }
}

/// The primitive type of a letter of a descriptor, `void` too.
pub(super) fn primitive(letter: char) -> Option<&'static str> {
    Some(match letter {
        'B' => "byte",
        'C' => "char",
        'D' => "double",
        'F' => "float",
        'I' => "int",
        'J' => "long",
        'S' => "short",
        'Z' => "boolean",
        'V' => "void",
        _ => return None,
    })
}
