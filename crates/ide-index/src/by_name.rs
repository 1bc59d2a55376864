//! The references of a file by their names: a table that is kept with the facts.

use std::sync::OnceLock;

use crate::facts::{FileFacts, NameId, RefId};

/// Worked out when it is asked for the first time. All that it holds follows from the facts beside it, so any two are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct ByName(OnceLock<Tables>);

#[derive(Clone, Debug)]
struct Tables {
    /// Where the references of each name begin, and where those of the last one end.
    starts: Box<[u32]>,
    refs: Box<[RefId]>,
}

impl PartialEq for ByName {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for ByName {}

impl FileFacts {
    /// The references of a name, in order. The facts must not change after the first call.
    pub(crate) fn refs_named(&self, name: NameId) -> &[RefId] {
        let Tables { starts, refs } = self.by_name.0.get_or_init(|| self.refs_by_name());
        &refs[starts[name.index()] as usize..starts[name.index() + 1] as usize]
    }

    fn refs_by_name(&self) -> Tables {
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
        Tables { starts: starts.into(), refs: refs.into() }
    }
}
