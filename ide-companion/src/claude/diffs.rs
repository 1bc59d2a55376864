//! The diffs of one connection. They are known by the name of their view, which is the client's.

use std::collections::BTreeMap;

use ide_model::DiffId;

use super::rpc::Requester;

/// Most diffs that a connection may have open at once, and accepted ones that it has not closed.
const MOST: usize = 256;

/// A diff that waits for its verdict.
pub(crate) struct Pending {
    pub(crate) serial: u64,
    pub(crate) asker: Requester,
    /// `None` while it is being shown.
    pub(crate) diff: Option<DiffId>,
    pub(crate) path: String,
}

#[derive(Default)]
pub(crate) struct Diffs {
    last: u64,
    pending: BTreeMap<String, Pending>,
    /// Paths of accepted ones, which the client writes and then closes.
    accepted: BTreeMap<String, String>,
}

impl Diffs {
    /// Whether there is no room for another.
    pub(crate) fn is_full(&self) -> bool {
        self.pending.len() >= MOST
    }

    /// Begins to wait, and says under which number.
    pub(crate) fn begin(&mut self, tab: &str, asker: Requester, path: String) -> u64 {
        self.last += 1;
        let pending = Pending { serial: self.last, asker, diff: None, path };
        self.pending.insert(tab.to_owned(), pending);
        self.last
    }

    /// The diff is on the screen.
    pub(crate) fn shown(&mut self, serial: u64, diff: DiffId) {
        if let Some(pending) = self.pending.values_mut().find(|pending| pending.serial == serial) {
            pending.diff = Some(diff);
        }
    }

    /// Takes the diff with a name.
    pub(crate) fn take(&mut self, tab: &str) -> Option<Pending> {
        self.pending.remove(tab)
    }

    /// Takes the diff with a number, and its name.
    pub(crate) fn take_serial(&mut self, serial: u64) -> Option<(String, Pending)> {
        let tab = self.pending.iter().find(|(_, pending)| pending.serial == serial)?.0.clone();
        let pending = self.pending.remove(&tab)?;
        Some((tab, pending))
    }

    /// Takes the diff that a request asked for.
    pub(crate) fn take_request(&mut self, id: &serde_json::Value) -> Option<Pending> {
        let tab = self.pending.iter().find(|(_, pending)| pending.asker.id == *id)?.0.clone();
        self.pending.remove(&tab)
    }

    /// Takes all of them.
    pub(crate) fn take_all(&mut self) -> Vec<(String, Pending)> {
        std::mem::take(&mut self.pending).into_iter().collect()
    }

    /// Remembers that the client is about to write a file.
    pub(crate) fn accept(&mut self, tab: String, path: String) {
        if self.accepted.len() >= MOST {
            self.accepted.pop_first();
        }
        self.accepted.insert(tab, path);
    }

    /// The path of an accepted diff, whose file the client has written by now.
    pub(crate) fn written(&mut self, tab: &str) -> Option<String> {
        self.accepted.remove(tab)
    }

    /// The paths of all accepted diffs.
    pub(crate) fn all_written(&mut self) -> Vec<String> {
        std::mem::take(&mut self.accepted).into_values().collect()
    }
}
