//! The journal of a segment: segments of later changes, each behind its length and its checksum. A damaged end was
//! being written when a process died.

use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_64;

use super::{Segment, TooLarge};

/// Length and checksum before each record.
const HEAD: usize = 12;

/// The record of a change, to be appended.
///
/// # Errors
/// [`TooLarge`].
pub fn journal_record(change: &Segment) -> Result<Vec<u8>, TooLarge> {
    let bytes = change.bytes();
    let len = u32::try_from(bytes.len()).map_err(|_| TooLarge)?;
    let mut record = Vec::with_capacity(HEAD + bytes.len());
    record.extend_from_slice(&len.to_le_bytes());
    record.extend_from_slice(&xxh3_64(bytes).to_le_bytes());
    record.extend_from_slice(bytes);
    Ok(record)
}

/// The changes of every record before the first that is not whole, and the length of those records in bytes.
pub fn journal_records(bytes: &[u8], build_id: u64) -> (Vec<Arc<Segment>>, usize) {
    let mut changes = Vec::new();
    let mut at = 0;
    while let Some(head) = bytes.get(at..at + HEAD) {
        let (len, sum) = head.split_at(4);
        let len = u32::from_le_bytes(len.try_into().expect("four bytes")) as usize;
        let start = at + HEAD;
        let Some(record) = bytes.get(start..start + len) else { break };
        if xxh3_64(record).to_le_bytes() != sum {
            break;
        }
        let Ok(segment) = Segment::open(Arc::new(record.to_vec()), build_id) else { break };
        changes.push(Arc::new(segment));
        at = start + len;
    }
    (changes, at)
}
