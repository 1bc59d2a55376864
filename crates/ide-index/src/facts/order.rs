//! The order of declarations: those that can be reached from outside of functions stand first, so that their numbers do
//! not depend on what stands inside of functions.

use super::{DefFlags, DefId, Expectation, Expr, FileFacts, TypeExpr};

impl FileFacts {
    /// Puts the declarations that are local to a function behind all others; each of both keep their order.
    pub(crate) fn put_locals_last(&mut self) {
        let is_local = |id: usize| self.defs[id].flags.has(DefFlags::LOCAL);
        let outer = (0..self.defs.len()).filter(|id| !is_local(*id)).count();
        if (0..outer).all(|id| !is_local(id)) {
            return;
        }
        let (mut next_outer, mut next_local) = (0, outer as u32);
        let becomes: Vec<DefId> = (0..self.defs.len())
            .map(|id| {
                let next = if is_local(id) { &mut next_local } else { &mut next_outer };
                *next += 1;
                DefId(*next - 1)
            })
            .collect();
        let (mut first, mut last) = (Vec::with_capacity(self.defs.len()), Vec::new());
        for def in self.defs.drain(..) {
            if def.flags.has(DefFlags::LOCAL) { last.push(def) } else { first.push(def) }
        }
        first.append(&mut last);
        self.defs = first;
        self.renumber(&becomes);
    }

    fn renumber(&mut self, becomes: &[DefId]) {
        let put = |def: &mut DefId| *def = becomes[def.index()];
        // Several declarations may share a list.
        let mut is_done = vec![false; self.lists.len()];
        for def in &self.defs {
            for list in [def.params, def.type_params] {
                for at in list.start as usize..(list.start + list.len) as usize {
                    if !std::mem::replace(&mut is_done[at], true) {
                        self.lists[at] = becomes[self.lists[at] as usize].0;
                    }
                }
            }
        }
        self.scopes.iter_mut().filter_map(|scope| scope.owner.as_mut()).for_each(put);
        self.imports.iter_mut().filter_map(|import| import.def.as_mut()).for_each(put);
        for expr in &mut self.exprs {
            if let Expr::Function(def) | Expr::Class(def) | Expr::Value(def) = expr {
                put(def);
            }
        }
        for ty in &mut self.types {
            if let TypeExpr::Object(def) | TypeExpr::Mapped { parameter: def, .. } | TypeExpr::Infer(def) = ty
            {
                put(def);
            }
        }
        for (_, expectation) in &mut self.expectations {
            if let Expectation::Init(def) | Expectation::Return(def) = expectation {
                put(def);
            }
        }
    }
}
