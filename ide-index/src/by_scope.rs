//! The declarations of a file by the scope in which they stand: a table that is kept with the facts.

use crate::facts::{DefFlags, DefId, FileFacts, NameId, ScopeId, ScopeKind};

/// Declarations by scope, name and position.
#[derive(Clone, Debug)]
pub(crate) struct ByScope {
    /// The starts of the declarations of each scope, and the end of those of the last one.
    starts: Vec<u32>,
    names: Vec<NameId>,
    defs: Vec<DefId>,
}

impl FileFacts {
    /// The declarations of a scope, ordered by name and position, behind their names; not those that are attached to some
    /// object.
    pub(crate) fn defs_in(&self, scope: ScopeId) -> (&[NameId], &[DefId]) {
        let ByScope { starts, names, defs } = self.lookups.by_scope.get(|| self.tables());
        let range = starts[scope.index()] as usize..starts[scope.index() + 1] as usize;
        (&names[range.clone()], &defs[range])
    }

    /// The member that a parameter declares too, by standing in a constructor.
    pub(crate) fn promoted(&self, parameter: DefId) -> Option<DefId> {
        let parameter = self.def(parameter);
        let class = self.scope_chain(parameter.scope).find(|id| self.scope(*id).kind == ScopeKind::Class)?;
        let is_it = |id: &&DefId| {
            let def = self.def(**id);
            def.flags.has(DefFlags::PROMOTED) && def.name_range == parameter.name_range
        };
        self.defs_in(class).1.iter().find(is_it).copied()
    }

    fn tables(&self) -> ByScope {
        let ids = (0..self.defs.len() as u32).map(DefId);
        let own = || ids.clone().zip(&self.defs).filter(|(_, def)| def.attach.is_none());
        // First where those of each scope end, then, as they are put there from the last one on, where they begin.
        let mut starts = vec![0; self.scopes.len() + 1];
        own().for_each(|(_, def)| starts[def.scope.index()] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut defs = vec![DefId(0); end as usize];
        for (id, def) in own().rev() {
            let start = &mut starts[def.scope.index()];
            *start -= 1;
            defs[*start as usize] = id;
        }
        for range in starts.windows(2).filter(|range| range[1] - range[0] > 1) {
            defs[range[0] as usize..range[1] as usize].sort_by_key(|id| {
                let def = self.def(*id);
                (def.name, def.name_range.start)
            });
        }
        let names = defs.iter().map(|id| self.def(*id).name).collect();
        ByScope { starts, names, defs }
    }
}
