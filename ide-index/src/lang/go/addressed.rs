//! Variables, fields and elements of Go that are used as places, where a copy of their values would not do.

use rustc_hash::FxHashSet;

use super::GoPolicy;
use super::policy::{CHANNEL, MAP};
use crate::facts::{DefId, Expr, ExprId, RefId, Role, TypeExpr, TypeId, UnaryOp};
use crate::guard;
use crate::resolve::{FileView, Resolver, Target, Ty};
use crate::world::GlobalDef;

/// The places of a file.
#[derive(Default)]
pub(crate) struct AddressedPlaces {
    /// The last names of places that are written to or addressed, and of the values that those are parts of.
    pub(crate) refs: FxHashSet<RefId>,
    /// The names of places that may be kept: by a pointer, a slice or a bound method.
    pub(crate) kept: FxHashSet<RefId>,
    exprs: FxHashSet<ExprId>,
}

impl AddressedPlaces {
    pub(crate) fn of(rx: &Resolver, file: &FileView) -> Self {
        let mut found = Self::default();
        let look = Look { rx, file };
        for r in file.ref_ids() {
            let written = file.reference(r);
            let Some(object) = written.receiver else { continue };
            if matches!(written.role, Role::Write | Role::ReadWrite) {
                found.add(&look, object, false);
            } else if look.changes_object(r, object) {
                found.add(&look, object, written.call.is_none());
            }
        }
        for expr in &*file.exprs {
            match *expr {
                Expr::Unary { op: UnaryOp::AddressOf, value } => found.add(&look, value, true),
                Expr::Slice(base) if look.is_sized(base, 0) => found.add(&look, base, true),
                Expr::Assign { target, .. } if matches!(file.expr(target), Expr::Index { .. }) => {
                    found.add(&look, target, false);
                }
                _ => {}
            }
        }
        found
    }

    /// Whether a name is that of such a place, or a member is one of a value that is.
    pub(crate) fn has_object_of(&self, file: &FileView, member: RefId) -> bool {
        file.reference(member).receiver.is_some_and(|object| self.exprs.contains(&object))
    }

    fn add(&mut self, look: &Look<'_>, place: ExprId, is_kept: bool) {
        let mut at = place;
        loop {
            guard::tick();
            let next = match look.file.expr(at) {
                Expr::Ref(r) if look.is_value(at) => {
                    self.refs.insert(r);
                    if is_kept {
                        self.kept.insert(r);
                    }
                    look.file.reference(r).receiver
                }
                Expr::Index { base, .. } if look.is_value(at) || at == place => {
                    Some(base).filter(|base| look.is_sized(*base, 0))
                }
                Expr::Deref(_) => None,
                _ => return,
            };
            let is_new = self.exprs.insert(at);
            match next {
                Some(next) if is_new || is_kept => at = next,
                _ => return,
            }
        }
    }
}

struct Look<'a> {
    rx: &'a Resolver,
    file: &'a FileView,
}

/// Types of the library whose methods change their object, where their source is not at hand.
const CHANGED: &[&str] = &["sync.", "bytes.Buffer", "strings.Builder", "atomic."];

impl Look<'_> {
    /// Whether a method takes its object by its place.
    fn changes_object(&self, method: RefId, object: ExprId) -> bool {
        let resolved = self.rx.resolve(self.file.global_ref(method)).resolution;
        let by_place = |def: &GlobalDef| {
            let home = self.rx.file(def.file);
            home.def(def.def).receiver.is_some_and(|ty| matches!(home.ty(ty), TypeExpr::Pointer(_)))
        };
        let is_outside = || resolved.targets.iter().all(|target| matches!(target, Target::External(_)));
        resolved.defs().any(|def| by_place(&def))
            || is_outside()
                && matches!(self.rx.expr_type(self.file, object), Ty::External(name, _)
                    if CHANGED.iter().any(|of| name.starts_with(of)))
    }

    /// Whether a value is copied as a whole.
    fn is_value(&self, expr: ExprId) -> bool {
        let ty = self.rx.expr_type(self.file, expr);
        let is_interface = ty.def().is_some_and(|of| self.rx.kind(of) == ide_model::SymbolKind::Interface);
        match GoPolicy::underneath(self.rx, &ty) {
            Ty::Pointer(_)
            | Ty::Callable { .. }
            | Ty::Function(..)
            | Ty::Package(_)
            | Ty::Class(..)
            | Ty::ExternalName(_) => false,
            Ty::Array(_) => self.is_sized(expr, 0),
            Ty::External(name, _) => !is_interface && !["error", "any", MAP, CHANNEL].contains(&&*name),
            _ => !is_interface,
        }
    }

    /// Whether a value is an array, which is copied, and no slice.
    fn is_sized(&self, expr: ExprId, depth: u32) -> bool {
        if depth > 8 {
            return false;
        }
        match self.file.expr(expr) {
            Expr::Ref(r) => {
                let resolved = self.rx.resolve(self.file.global_ref(r)).resolution;
                resolved.defs().any(|def| self.declares_sized(self.rx.file(def.file), def.def, depth))
            }
            Expr::Index { base, .. } => self.is_sized(base, depth + 1),
            _ => false,
        }
    }

    fn declares_sized(&self, home: &FileView, def: DefId, depth: u32) -> bool {
        let d = home.def(def);
        match (d.ty, d.init.map(|init| home.expr(init))) {
            (Some(ty), _) => self.is_sized_type(home, ty, depth),
            (None, Some(Expr::New { ty, .. })) => self.is_sized_type(home, ty, depth),
            (None, Some(Expr::Ref(_))) if home.id == self.file.id => {
                d.init.is_some_and(|init| self.is_sized(init, depth + 1))
            }
            _ => false,
        }
    }

    fn is_sized_type(&self, home: &FileView, ty: TypeId, depth: u32) -> bool {
        match home.ty(ty) {
            TypeExpr::Sized { .. } => true,
            TypeExpr::Named { name, .. } if depth <= 8 => {
                let resolved = self.rx.resolve(home.global_ref(name)).resolution;
                resolved.defs().any(|def| {
                    let home = self.rx.file(def.file);
                    let written = home.def(def.def).ty;
                    written.is_some_and(|ty| self.is_sized_type(home, ty, depth + 1))
                })
            }
            _ => false,
        }
    }
}
