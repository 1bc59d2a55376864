//! The slots of clients and what tokens mean in them, as far as it does not depend on
//! what is kept.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::token::Token;

/// How long an unused entry is kept.
const LIFETIME: Duration = Duration::from_secs(10 * 60);

/// How many entries one client may have; the least recently used goes first.
const PER_CLIENT: usize = 20;

/// How many entries all clients may have together: a client that comes back under ever new names must
/// not fill the memory.
const TOTAL: usize = 400;

/// The name of an entry: 32 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EntryId(u128);

impl EntryId {
    /// The token of a page of this entry.
    #[must_use]
    pub fn token(self, offset: usize, page_size: usize) -> String {
        Token { entry: self.0, offset, page_size: Some(page_size) }.encode()
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl FromStr for EntryId {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<EntryId, CursorError> {
        u128::from_str_radix(text, 16).map(EntryId).map_err(|_| CursorError::Malformed)
    }
}

/// To whom and to what an entry is bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding<'a> {
    /// The client whose slots the new entry takes.
    pub client: &'a str,
    /// The tool whose tokens these are; valid for no other.
    pub tool: &'a str,
    /// The project they are about; valid for no other.
    pub project: &'a str,
}

/// Why a token does not lead to a page. Each says to search again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorError {
    /// Not a token of ours, or an old one without a page size while the call gives none.
    Malformed,
    /// Not used for ten minutes.
    Expired,
    /// Unknown, dropped for newer searches, or another client's.
    NotFound,
    /// It belongs to another project.
    OtherProject,
    /// It belongs to another tool.
    OtherTool,
}

impl CursorError {
    /// The `error` word of a tool's failure.
    #[must_use]
    pub fn slug(self) -> &'static str {
        match self {
            CursorError::Malformed => "cursor_malformed",
            CursorError::Expired => "cursor_expired",
            CursorError::NotFound => "cursor_not_found",
            CursorError::OtherProject => "cursor_other_project",
            CursorError::OtherTool => "cursor_other_tool",
        }
    }
}

impl fmt::Display for CursorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CursorError::Malformed => {
                "`cursor` is not a token of this server; search again without `cursor`, and pass `nextCursor` unchanged"
            }
            CursorError::Expired => {
                "`cursor` was not used for 10 minutes and expired; search again without `cursor`"
            }
            CursorError::NotFound => {
                "`cursor` is no longer held, newer searches took its place; search again without `cursor`"
            }
            CursorError::OtherProject => {
                "`cursor` belongs to another project; pass the `project_path` of the search, or search again without `cursor`"
            }
            CursorError::OtherTool => {
                "`cursor` belongs to another tool; pass it to the tool that gave it, or search again without `cursor`"
            }
        })
    }
}

impl std::error::Error for CursorError {}

/// The entry that a token leads to.
#[derive(Debug)]
pub struct Hit<'a, P> {
    /// The entry.
    pub entry: EntryId,
    /// Index of the first item of the page.
    pub offset: usize,
    /// The page size in the token; absent in tokens of the old form, which are valid only when the
    /// call gives one.
    pub page_size: Option<usize>,
    /// The kept payload.
    pub payload: &'a mut P,
}

struct Slot<P> {
    id: EntryId,
    tool: String,
    project: String,
    last_used: Duration,
    payload: P,
}

/// Payloads kept for later pages, by client: at most twenty entries each, ten minutes since last use.
pub struct Slots<P> {
    clients: BTreeMap<String, Vec<Slot<P>>>,
}

impl<P> Default for Slots<P> {
    fn default() -> Slots<P> {
        Slots { clients: BTreeMap::new() }
    }
}

impl<P> fmt::Debug for Slots<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clients.iter().map(|(client, slots)| (client, slots.len()))).finish()
    }
}

impl<P> Slots<P> {
    /// Keeps something. `now` is any clock that only goes forward; `id` is fresh randomness.
    pub fn keep(&mut self, binding: Binding<'_>, payload: P, now: Duration, id: u128) -> EntryId {
        let oldest_use = |slots: &Vec<Slot<P>>| slots.iter().map(|slot| slot.last_used).min();
        if self.len() >= TOTAL
            && let Some(slots) =
                self.clients.values_mut().filter(|s| !s.is_empty()).min_by_key(|s| oldest_use(s))
        {
            drop_oldest(slots);
            self.clients.retain(|_, slots| !slots.is_empty());
        }
        let slots = self.clients.entry(binding.client.to_owned()).or_default();
        if slots.len() >= PER_CLIENT {
            drop_oldest(slots);
        }
        let id = EntryId(id);
        let (tool, project) = (binding.tool.to_owned(), binding.project.to_owned());
        slots.push(Slot { id, tool, project, last_used: now, payload });
        id
    }

    /// The entry that a token leads to. Changes nothing but the time of last use.
    ///
    /// # Errors
    /// See [`CursorError`].
    pub fn find(
        &mut self,
        binding: Binding<'_>,
        cursor: &str,
        now: Duration,
    ) -> Result<Hit<'_, P>, CursorError> {
        let token = Token::decode(cursor).ok_or(CursorError::Malformed)?;
        let slots = self.clients.get_mut(binding.client).ok_or(CursorError::NotFound)?;
        let at = slots.iter().position(|slot| slot.id.0 == token.entry).ok_or(CursorError::NotFound)?;
        if expired(slots[at].last_used, now) {
            slots.remove(at);
            return Err(CursorError::Expired);
        }
        let slot = &mut slots[at];
        if slot.tool != binding.tool {
            return Err(CursorError::OtherTool);
        }
        if slot.project != binding.project {
            return Err(CursorError::OtherProject);
        }
        slot.last_used = now;
        Ok(Hit {
            entry: slot.id,
            offset: token.offset,
            page_size: token.page_size,
            payload: &mut slot.payload,
        })
    }

    /// An entry by its name; this is no use of it.
    pub fn get_mut(&mut self, client: &str, entry: EntryId) -> Option<&mut P> {
        let slots = self.clients.get_mut(client)?;
        slots.iter_mut().find(|slot| slot.id == entry).map(|slot| &mut slot.payload)
    }

    /// Drops an entry.
    pub fn remove(&mut self, client: &str, entry: EntryId) {
        if let Some(slots) = self.clients.get_mut(client) {
            slots.retain(|slot| slot.id != entry);
        }
    }

    /// Drops what has not been used for ten minutes; to be called every five. Gives the number of
    /// entries dropped.
    pub fn sweep(&mut self, now: Duration) -> usize {
        let before = self.len();
        for slots in self.clients.values_mut() {
            slots.retain(|slot| !expired(slot.last_used, now));
        }
        self.clients.retain(|_, slots| !slots.is_empty());
        before - self.len()
    }

    /// Drops the entries of a closed project.
    pub fn close_project(&mut self, project: &str) {
        for slots in self.clients.values_mut() {
            slots.retain(|slot| slot.project != project);
        }
    }

    /// The number of entries kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.clients.values().map(Vec::len).sum()
    }

    /// Whether nothing is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn drop_oldest<P>(slots: &mut Vec<Slot<P>>) {
    if let Some((oldest, _)) = slots.iter().enumerate().min_by_key(|(_, slot)| slot.last_used) {
        slots.remove(oldest);
    }
}

fn expired(last_used: Duration, now: Duration) -> bool {
    now.saturating_sub(last_used) > LIFETIME
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_clients_share_a_bound() {
        let mut slots = Slots::default();
        let at = |n: u32| Duration::from_secs(u64::from(n));
        let entries = u32::try_from(TOTAL).unwrap() + 5;
        let client = |n: u32| format!("client-{n}");
        let mut cursors = Vec::new();
        for n in 0..entries {
            let client = client(n);
            let binding = Binding { client: &client, tool: "t", project: "/p" };
            cursors.push(slots.keep(binding, n, at(n), u128::from(n)).token(0, 10));
            assert!(slots.len() <= TOTAL);
        }
        for (n, cursor) in (0..entries).zip(&cursors) {
            let client = client(n);
            let binding = Binding { client: &client, tool: "t", project: "/p" };
            let found = slots.find(binding, cursor, at(entries)).map(|hit| *hit.payload);
            assert_eq!(found, if n < 5 { Err(CursorError::NotFound) } else { Ok(n) });
        }
        assert_eq!(slots.clients.len(), TOTAL, "no empty clients stay");
    }

    #[test]
    fn names_of_entries_come_back() {
        let id = EntryId(0xab);
        assert_eq!(id.to_string().len(), 32);
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!("x".parse::<EntryId>(), Err(CursorError::Malformed));
    }
}
