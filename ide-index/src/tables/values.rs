//! The results of nodes: values and types, and the frames that they are handed to.

use super::rules::{Act, Slot};
use super::walk::{Frame, Value, Walker, is_type};
use crate::builder::FactBuilder;
use crate::facts::{DefFlags, Expr, ExprId, List, SuperKind, SuperType, TypeExpr, TypeId};

impl<'t> Walker<'t> {
    pub(super) fn as_expr(&mut self, value: Value) -> Option<ExprId> {
        match value {
            Value::None => None,
            Value::Expr(id) => Some(id),
            Value::Ref(id) => Some(self.b.expr(Expr::Ref(id))),
            Value::Type(ty) => Some(match self.b.facts().ty(ty) {
                TypeExpr::Named { name, .. } => self.b.expr(Expr::Ref(name)),
                _ => self.b.expr(Expr::Type(ty)),
            }),
        }
    }

    pub(super) fn as_type(&mut self, value: Value) -> Option<TypeId> {
        match value {
            Value::None => None,
            Value::Type(id) => Some(id),
            Value::Ref(name) => Some(self.b.ty(TypeExpr::Named { name, args: List::EMPTY })),
            Value::Expr(id) => Some(match self.b.facts().expr(id) {
                Expr::Ref(name) => self.b.ty(TypeExpr::Named { name, args: List::EMPTY }),
                Expr::New { ty, .. } => ty,
                _ => self.b.ty(TypeExpr::Unknown),
            }),
        }
    }

    /// Hands a value to the frame that the node's parent stands for.
    pub(super) fn deliver(&mut self, parent: usize, slot: Slot, value: Value) {
        let target = if self.frames[parent].through { self.frames[parent].target as usize } else { parent };
        match slot {
            Slot::None => self.deliver_plain(target, value),
            Slot::Receiver => {
                let receiver = self.as_expr(value).unwrap_or_else(|| self.b.expr(Expr::Unknown));
                self.frames[target].receiver = Some(receiver);
            }
            Slot::Callee => self.frames[target].callee = value,
            Slot::Type => {
                let Some(ty) = self.as_type(value) else { return };
                self.frames[target].ty = Some(ty);
                if let Some(def) = self.frames[target].def {
                    self.b.def_mut(def).ty = Some(ty);
                }
            }
            Slot::Init => {
                let Some(init) = self.as_expr(value) else { return };
                self.frames[target].init = Some(init);
                if let Some(def) = self.frames[target].def {
                    self.b.def_mut(def).init = Some(init);
                }
            }
            Slot::Super(kind) => {
                if let (Some(ty), Some(owner)) = (self.as_type(value), self.opened.last_mut()) {
                    owner.supers.push(SuperType { kind, ty });
                }
            }
            Slot::Throws => {
                if let (Some(ty), Some(owner)) = (self.as_type(value), self.opened.last_mut()) {
                    owner.throws.push(ty);
                }
            }
            Slot::Decorator => {
                if let Some(decorator) = self.as_expr(value) {
                    self.decorators.push(decorator);
                }
            }
            Slot::TypeArgument => {
                if is_type(self.frames[target].ctx)
                    && let Some(ty) = self.as_type(value)
                {
                    self.types.push(ty);
                }
            }
            Slot::FieldType => self.field_type(target, value),
            Slot::SelfParameter => {
                let ty = self.as_type(value);
                if let Some(def) = self.frames[target].def {
                    self.b.def_mut(def).receiver = ty;
                }
            }
            Slot::ExtensionType => {
                let ty = self.as_type(value);
                self.frames[target].extension = ty;
                if let Some(def) = self.frames[target].def {
                    self.b.def_mut(def).receiver = ty;
                    self.b.def_mut(def).flags.set(DefFlags::EXTENSION);
                }
            }
        }
    }

    fn field_type(&mut self, target: usize, value: Value) {
        let Some(ty) = self.as_type(value) else { return };
        if self.bound.len() > self.frames[target].bound {
            self.frames[target].ty = Some(ty);
            return;
        }
        let ty = match self.b.facts().ty(ty) {
            TypeExpr::Pointer(inner) => inner,
            _ => ty,
        };
        if let Some(owner) = self.opened.last_mut() {
            owner.supers.push(SuperType { kind: SuperKind::Mixes, ty });
        }
    }

    fn deliver_plain(&mut self, target: usize, value: Value) {
        match self.frames[target].rule.act {
            Act::Args => {
                let value = self.as_expr(value).unwrap_or_else(|| self.b.expr(Expr::Unknown));
                self.values.push(value);
            }
            Act::TypeArgs | Act::Union | Act::Intersection | Act::Tuple => {
                let ty = self.as_type(value).unwrap_or_else(|| self.b.ty(TypeExpr::Unknown));
                self.types.push(ty);
            }
            _ => {
                if !matches!(value, Value::None) {
                    self.frames[target].value = value;
                }
            }
        }
    }

    /// The result of a finished node.
    pub(super) fn value(&mut self, frame: &Frame<'t>) -> Value {
        if frame.slot == Slot::SelfParameter {
            return frame.ty.map_or(frame.value, Value::Type);
        }
        let expr = match frame.rule.act {
            Act::Nothing | Act::Args | Act::TypeArgs => return Value::None,
            Act::Value => return frame.value,
            Act::Call => self.call(frame),
            Act::Annotation if !frame.has_arguments => {
                return if matches!(frame.callee, Value::None) { frame.value } else { frame.callee };
            }
            Act::Annotation => self.call(frame),
            Act::New => {
                let ty = match frame.ty {
                    Some(ty) => ty,
                    None => {
                        let callee = frame.callee;
                        self.as_type(callee).unwrap_or_else(|| self.b.ty(TypeExpr::Unknown))
                    }
                };
                let args = self.b.list(self.values[frame.values..].iter().copied());
                Expr::New { ty, args }
            }
            Act::Named => {
                let value = frame.value;
                let value = self.as_expr(value).unwrap_or_else(|| self.b.expr(Expr::Unknown));
                match frame.callee {
                    Value::Ref(key) => Expr::Named { key, value },
                    _ => return Value::Expr(value),
                }
            }
            Act::Lambda => match frame.def {
                Some(def) => Expr::Function(def),
                None => Expr::Unknown,
            },
            Act::ClassValue => match frame.def {
                Some(def) => Expr::Class(def),
                None => Expr::Unknown,
            },
            Act::Subscript if !is_type(frame.ctx) => {
                let base = frame.value;
                let base = self.as_expr(base).unwrap_or_else(|| self.b.expr(Expr::Unknown));
                let index = self.b.expr(Expr::Unknown);
                Expr::Index { base, index }
            }
            Act::Literal(literal) => Expr::Literal(literal),
            Act::This => Expr::This(self.b.scope()),
            Act::Super => Expr::Super(self.b.scope()),
            _ => return self.type_value(frame),
        };
        Value::Expr(self.b.expr(expr))
    }

    fn call(&mut self, frame: &Frame<'t>) -> Expr {
        let callee = if matches!(frame.callee, Value::None) { frame.value } else { frame.callee };
        let callee = self.as_expr(callee).unwrap_or_else(|| self.b.expr(Expr::Unknown));
        let args = self.b.list(self.values[frame.values..].iter().copied());
        let type_args = self.b.list(self.types[frame.types..].iter().copied());
        Expr::Call { callee, type_args, args }
    }

    fn type_value(&mut self, frame: &Frame<'t>) -> Value {
        let inner = match frame.ty {
            Some(ty) => Some(ty),
            None => self.as_type(frame.value),
        };
        let inner_or_unknown = |b: &mut FactBuilder| inner.unwrap_or_else(|| b.ty(TypeExpr::Unknown));
        let ty = match frame.rule.act {
            Act::Generic | Act::Subscript => {
                let args = self.b.list(self.types[frame.types..].iter().copied());
                match inner.map(|ty| self.b.facts().ty(ty)) {
                    Some(TypeExpr::Named { name, .. }) => TypeExpr::Named { name, args },
                    _ => TypeExpr::Unknown,
                }
            }
            Act::Array => TypeExpr::Array(inner_or_unknown(&mut self.b)),
            Act::Nullable => TypeExpr::Nullable(inner_or_unknown(&mut self.b)),
            Act::Pointer => TypeExpr::Pointer(inner_or_unknown(&mut self.b)),
            Act::Reference => TypeExpr::Reference(inner_or_unknown(&mut self.b)),
            Act::Union => TypeExpr::Union(self.b.list(self.types[frame.types..].iter().copied())),
            Act::Intersection => {
                TypeExpr::Intersection(self.b.list(self.types[frame.types..].iter().copied()))
            }
            Act::Tuple => TypeExpr::Tuple(self.b.list(self.types[frame.types..].iter().copied())),
            Act::PrimitiveType => {
                let name = self.b.name(self.slice(frame.range));
                TypeExpr::Primitive(name)
            }
            _ => TypeExpr::Unknown,
        };
        Value::Type(self.b.ty(ty))
    }
}
