//! The references of a file by their names: a table that is kept with the facts.

use crate::facts::{FileFacts, NameId, RefId};

#[derive(Clone, Debug)]
pub(crate) struct RefsByName {
    /// The starts of the references of each name, and the end of those of the last one.
    starts: Box<[u32]>,
    refs: Box<[RefId]>,
}

impl FileFacts {
    /// The references of a name, in order.
    pub(crate) fn refs_named(&self, name: NameId) -> &[RefId] {
        let RefsByName { starts, refs } = self.lookups.refs_by_name.get(|| self.group_refs());
        &refs[starts[name.index()] as usize..starts[name.index() + 1] as usize]
    }

    fn group_refs(&self) -> RefsByName {
        // First where those of each name end, then, as they are put there from the last one on, where they begin.
        let mut starts = vec![0; self.names.len() + 1];
        self.refs.iter().for_each(|r| starts[r.name.index()] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut refs = vec![RefId(0); end as usize];
        for (id, r) in (0..self.refs.len() as u32).map(RefId).zip(&self.refs).rev() {
            let start = &mut starts[r.name.index()];
            *start -= 1;
            refs[*start as usize] = id;
        }
        RefsByName { starts: starts.into(), refs: refs.into() }
    }
}
