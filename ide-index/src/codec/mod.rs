//! Facts to bytes and back.
//!
//! A hand-written format: variable-length integers, most of them distances to the value of the same kind before. One
//! description of each record serves both directions, so writing and reading cannot drift apart. Lists are written
//! where they are used; decoding gives facts that mean the same and are laid out canonically.
//!
//! Every read is checked: ids lie inside their tables, scopes form a tree, counts are covered by bytes that are there.
//! Damaged bytes give [`Corrupt`], never a panic and never an endless loop.

mod record;
mod tables;
mod values;
mod wire;

pub(crate) use wire::{Reader, Writer, packed_size, width_of};

use crate::facts::FileFacts;
use crate::names::Names;

/// Version of everything this crate writes; bytes of another version are not read but rebuilt.
pub const SCHEMA: u32 = 15;

/// The bytes are not what this crate wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Corrupt;

impl std::fmt::Display for Corrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("damaged index data")
    }
}

impl std::error::Error for Corrupt {}

/// Facts as self-contained bytes, names included.
pub fn encode(facts: &FileFacts) -> Vec<u8> {
    let mut out = Writer::new();
    out.put(u64::from(SCHEMA));
    out.put(facts.names.len() as u64);
    for name in facts.names.iter() {
        out.text(name);
    }
    encode_body(facts, &mut out);
    out.into_bytes()
}

/// The facts that [`encode`] was given, lists laid out anew.
///
/// # Errors
/// [`Corrupt`] when the bytes are damaged or of another schema.
pub fn decode(bytes: &[u8]) -> Result<FileFacts, Corrupt> {
    let mut reader = Reader::new(bytes);
    if reader.take()? != u64::from(SCHEMA) {
        return Err(Corrupt);
    }
    let count = reader.count()?;
    let names = (0..count).map(|_| reader.text()).collect::<Result<Names, _>>()?;
    decode_body(reader.rest(), names)
}

/// Writes everything but the names.
pub(crate) fn encode_body(facts: &FileFacts, out: &mut Writer) {
    // Writing into memory has no way to fail; the result type belongs to reading.
    tables::write(facts, out).expect("writing cannot meet damaged bytes");
}

/// Reads what [`encode_body`] wrote; `names` are those of the file in their order.
pub(crate) fn decode_body(bytes: &[u8], names: Names) -> Result<FileFacts, Corrupt> {
    tables::read(bytes, names)
}

#[cfg(test)]
pub(crate) mod tests;
