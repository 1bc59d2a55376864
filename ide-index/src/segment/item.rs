//! Items: what is kept of the facts of one file, packed.

use std::borrow::Cow;

use lz4_flex::block;
use xxhash_rust::xxh3::xxh3_64;

use crate::codec::{Corrupt, Reader, Writer};

/// How much longer than the item what [`packed`] makes can be.
pub(super) const OVERHEAD: usize = 10;

/// The largest growth of a block of LZ4, in its own lengths.
const MOST: usize = 255;

/// The length of the item, then a block of LZ4, or the item itself where that is not longer. Nothing for nothing.
pub(super) fn packed(item: &[u8]) -> Vec<u8> {
    if item.is_empty() {
        return Vec::new();
    }
    let block = block::compress(item);
    let bytes = if block.len() < item.len() { &block } else { item };
    let mut out = Writer::with_capacity(bytes.len() + OVERHEAD);
    out.put(item.len() as u64);
    out.raw_bytes(bytes);
    out.into_bytes()
}

/// The input of [`packed`].
pub(super) fn unpacked(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Corrupt> {
    if bytes.is_empty() {
        return Ok(Cow::Borrowed(bytes));
    }
    let mut reader = Reader::new(bytes);
    let len = usize::try_from(reader.take()?).map_err(|_| Corrupt)?;
    let block = reader.rest();
    if block.len() == len {
        return Ok(Cow::Borrowed(block));
    }
    if len / MOST > block.len() {
        return Err(Corrupt);
    }
    let item = block::decompress(block, len).map_err(|_| Corrupt)?;
    if item.len() == len { Ok(Cow::Owned(item)) } else { Err(Corrupt) }
}

/// The checksum that shows damage of packed bytes.
pub(super) fn checksum(packed: &[u8]) -> u32 {
    xxh3_64(packed) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_back() {
        let noise: Vec<u8> = (0..2000u32).map(|i| xxh3_64(&i.to_le_bytes()) as u8).collect();
        for item in [&b""[..], b"a", b"abcabcabcabcabcabcabcabcabcabcabcabcabc", &[7; 100_000], &noise] {
            let packed = packed(item);
            assert!(packed.len() <= item.len() + OVERHEAD, "{} of {}", packed.len(), item.len());
            assert_eq!(unpacked(&packed).as_deref(), Ok(item));
        }
        assert!(packed(&[7; 100_000]).len() < 1000);
    }

    #[test]
    fn damage_is_told() {
        let good = packed(&[7; 1000]);
        assert_eq!(unpacked(&good[..good.len() - 1]), Err(Corrupt));
        let mut huge = Writer::new();
        huge.put(1 << 60);
        huge.raw_bytes(&good);
        assert_eq!(unpacked(huge.as_slice()), Err(Corrupt));
        let mut longer = Writer::new();
        longer.put(1001);
        longer.raw_bytes(&good[2..]);
        assert_eq!(unpacked(longer.as_slice()), Err(Corrupt));
    }
}
