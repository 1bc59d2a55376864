//! The order of declarations: those that can be reached from outside of functions stand first, then those inside of functions
//! that matter outside of them, so that the numbers of both do not depend on what else stands inside of functions.

use ide_model::SymbolKind;

use super::{Def, DefFlags, DefId, Expectation, Expr, FileFacts, GuardTest, ScopeKind, TypeExpr};

impl FileFacts {
    /// Puts the declarations that are local to a function behind all others, those first that matter outside of it; those
    /// that are alike keep their order.
    pub(crate) fn put_locals_last(&mut self) {
        let places: Vec<u8> = self.defs.iter().map(|def| self.place(def)).collect();
        if places.is_sorted() {
            return;
        }
        let mut next = [0, 1, 2].map(|end| places.iter().filter(|place| **place < end).count() as u32);
        let number = |place: &u8| {
            let next = &mut next[usize::from(*place)];
            *next += 1;
            DefId(*next - 1)
        };
        let becomes: Vec<DefId> = places.iter().map(number).collect();
        let mut groups = [Vec::with_capacity(self.defs.len()), Vec::new(), Vec::new()];
        for (def, place) in self.defs.drain(..).zip(places) {
            groups[usize::from(place)].push(def);
        }
        let [mut all, mut telling, mut rest] = groups;
        all.append(&mut telling);
        all.append(&mut rest);
        self.defs = all;
        self.renumber(&becomes);
    }

    fn place(&self, def: &Def) -> u8 {
        if !def.flags.has(DefFlags::LOCAL) {
            return 0;
        }
        let tells = matches!(
            def.kind,
            SymbolKind::Impl | SymbolKind::Trait | SymbolKind::Module | SymbolKind::TypeAlias
        ) || self.block_around(def).is_some();
        if tells { 1 } else { 2 }
    }

    /// The implementation or trait that something is declared in directly.
    pub(crate) fn block_around(&self, def: &Def) -> Option<DefId> {
        let scope = self.scope(def.scope);
        let owner = scope.owner.filter(|_| scope.kind == ScopeKind::Class)?;
        let is_block = matches!(self.def(owner).kind, SymbolKind::Impl | SymbolKind::Trait);
        (is_block && def.kind != SymbolKind::TypeParameter).then_some(owner)
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
        for guard in &mut self.guards {
            if let GuardTest::Binds(def) = &mut guard.test {
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
