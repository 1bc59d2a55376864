//! The record of a step: its changes, whole and checksummed, as bytes.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use ide_model::{FilePath, STAGED_PREFIX};
use xxhash_rust::xxh3::xxh3_64;

use crate::disk::{Mode, State, Step};

const MAGIC: &[u8; 8] = b"ideedit1";

/// One file of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The real path.
    pub(crate) path: PathBuf,
    /// As results name it.
    pub(crate) shown: FilePath,
    pub(crate) before: State,
    pub(crate) after: State,
}

/// A step of the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) title: String,
    /// Part of the names of staged files: no other step uses them.
    pub(crate) tag: String,
    pub(crate) entries: Vec<Entry>,
    /// Directories that the step makes, the outermost first.
    pub(crate) directories: Vec<PathBuf>,
}

/// Which way a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Forward,
    Back,
}

impl Record {
    /// The operations on each file.
    pub(crate) fn steps(&self, way: Direction) -> Vec<Step<'_>> {
        self.entries
            .iter()
            .enumerate()
            .map(|(i, entry)| {
                let (from, to) = match way {
                    Direction::Forward => (&entry.before, &entry.after),
                    Direction::Back => (&entry.after, &entry.before),
                };
                let staged = entry.path.with_file_name(format!("{STAGED_PREFIX}{}-{i}.tmp", self.tag));
                Step { path: &entry.path, from, to, staged }
            })
            .collect()
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        out.text(&self.title);
        out.text(&self.tag);
        out.number(self.entries.len() as u64);
        for entry in &self.entries {
            out.path(&entry.path);
            out.text(entry.shown.as_str());
            out.state(&entry.before);
            out.state(&entry.after);
        }
        out.number(self.directories.len() as u64);
        self.directories.iter().for_each(|directory| out.path(directory));
        let sum = xxh3_64(&out.0);
        out.number(sum);
        out.0
    }

    /// # Errors
    /// [`io::ErrorKind::InvalidData`] for bytes that [`Self::encode`] did not make.
    pub(crate) fn decode(bytes: &[u8]) -> io::Result<Self> {
        let damaged = || io::Error::new(io::ErrorKind::InvalidData, "the record of an edit is damaged");
        let (body, sum) = bytes.split_last_chunk::<8>().ok_or_else(damaged)?;
        let body = body.strip_prefix(MAGIC).filter(|_| u64::from_le_bytes(*sum) == xxh3_64(body));
        Reader(body.ok_or_else(damaged)?).record().ok_or_else(damaged)
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn number(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn path(&mut self, path: &Path) {
        self.bytes(path.as_os_str().as_encoded_bytes());
    }

    fn state(&mut self, state: &State) {
        let State::File { bytes, mode } = state else { return self.number(0) };
        self.number(1);
        self.number(mode.bits.map_or(u64::MAX, u64::from));
        let owner = mode.owner.map_or(u64::MAX, |(user, group)| u64::from(user) << 32 | u64::from(group));
        self.number(owner);
        self.bytes(bytes);
    }
}

struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn record(&mut self) -> Option<Record> {
        let (title, tag) = (self.text()?, self.text()?);
        let mut entries = Vec::new();
        for _ in 0..self.number()? {
            let (path, shown) = (self.path()?, FilePath::new(self.text()?));
            entries.push(Entry { path, shown, before: self.state()?, after: self.state()? });
        }
        let mut directories = Vec::new();
        for _ in 0..self.number()? {
            directories.push(self.path()?);
        }
        self.0.is_empty().then_some(Record { title, tag, entries, directories })
    }

    fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&'b [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    #[cfg(unix)]
    fn path(&mut self) -> Option<PathBuf> {
        use std::os::unix::ffi::OsStringExt as _;
        Some(OsString::from_vec(self.bytes()?.to_vec()).into())
    }

    /// Real paths of projects are text everywhere: see `ide_project_resolver::AbsPath`.
    #[cfg(not(unix))]
    fn path(&mut self) -> Option<PathBuf> {
        Some(OsString::from(self.text()?).into())
    }

    fn state(&mut self) -> Option<State> {
        match self.number()? {
            0 => Some(State::Absent),
            1 => {
                let bits = self.number()?;
                let bits = if bits == u64::MAX { None } else { Some(u32::try_from(bits).ok()?) };
                let owner = self.number()?;
                let owner = (owner != u64::MAX).then_some(((owner >> 32) as u32, owner as u32));
                Some(State::File { mode: Mode { bits, owner }, bytes: self.bytes()?.into() })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn state() -> impl Strategy<Value = State> {
        prop_oneof![
            Just(State::Absent),
            (any::<Vec<u8>>(), proptest::option::of(0u32..0o10000), proptest::option::of((0u32..9, 0u32..9)))
                .prop_map(|(bytes, bits, owner)| State::File {
                    bytes: bytes.into(),
                    mode: Mode { bits, owner }
                }),
        ]
    }

    proptest! {
        #[test]
        fn records_survive_and_damage_shows(states in proptest::collection::vec((state(), state()), 0..4), at in any::<usize>()) {
            let entry = |(i, (before, after))| Entry {
                path: format!("/p/{i}").into(),
                shown: FilePath::new(format!("{i}")),
                before,
                after,
            };
            let entries = states.into_iter().enumerate().map(entry).collect();
            let record = Record { title: "t".into(), tag: "x-1".into(), entries, directories: vec!["/p/d".into()] };
            let mut bytes = record.encode();
            prop_assert_eq!(&Record::decode(&bytes).unwrap(), &record);
            let at = at % bytes.len();
            prop_assert!(Record::decode(&bytes[..at]).is_err());
            bytes[at] ^= 1;
            prop_assert!(Record::decode(&bytes).is_err());
        }
    }
}
