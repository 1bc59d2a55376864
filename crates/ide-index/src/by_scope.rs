//! The declarations of a file by the scope in which they stand: a table that is kept with the facts.

use std::sync::OnceLock;

use crate::facts::{DefId, FileFacts, NameId, ScopeId};

/// Worked out when it is asked for the first time. All that it holds follows from the facts beside it, so any two are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByScope(OnceLock<Tables>);

/// Scope and name of each declaration, and the declarations.
type Tables = (Vec<(ScopeId, NameId)>, Vec<DefId>);

impl PartialEq for ByScope {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ByScope {}

impl FileFacts {
    /// Declarations ordered by scope, name and position, with scope and name of each before them; not those that are attached
    /// to some object. The facts must not change afterwards.
    pub(crate) fn defs_by_scope(&self) -> (&[(ScopeId, NameId)], &[DefId]) {
        let (keys, defs) = self.by_scope.0.get_or_init(|| {
            let own = self.def_ids().zip(&self.defs).filter(|(_, def)| def.attach.is_none());
            let mut order: Vec<(ScopeId, NameId, u32, DefId)> =
                own.map(|(id, def)| (def.scope, def.name, def.name_range.start, id)).collect();
            order.sort_unstable();
            order.into_iter().map(|(scope, name, _, id)| ((scope, name), id)).unzip()
        });
        (keys, defs)
    }
}
