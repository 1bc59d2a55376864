//! Variable-length integers: seven bits a byte, least significant first.

use super::Corrupt;

/// One direction of the codec: a value is written, or overwritten by what is read.
pub(super) trait Io {
    const READING: bool;

    fn raw(&mut self, value: &mut u64) -> Result<(), Corrupt>;

    /// How many items may still follow: a bound for counts that were read.
    fn room(&self) -> usize;
}

/// Appends to bytes in memory.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// With room for about so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes) }
    }

    #[inline]
    pub(crate) fn put(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    /// [`Self::put`] over the first of `bytes`; how many those were.
    #[inline]
    pub(crate) fn put_at(bytes: &mut [u8], mut value: u64) -> usize {
        let mut at = 0;
        while value >= 0x80 {
            bytes[at] = value as u8 | 0x80;
            value >>= 7;
            at += 1;
        }
        bytes[at] = value as u8;
        at + 1
    }

    /// How many bytes [`Self::put`] takes for a value.
    pub(crate) fn size(value: u64) -> usize {
        (u64::BITS - (value | 1).leading_zeros()).div_ceil(7) as usize
    }

    /// Numbers of `width` bits each, at most 32, without gaps between them. See [`Reader::packed`].
    pub(crate) fn pack(&mut self, numbers: impl Iterator<Item = u32>, width: u32) {
        let (mut bits, mut count) = (0_u64, 0);
        for number in numbers {
            bits |= u64::from(number) << count;
            count += width;
            while count >= 8 {
                self.bytes.push(bits as u8);
                bits >>= 8;
                count -= 8;
            }
        }
        if count > 0 {
            self.bytes.push(bits as u8);
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.put(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    pub(crate) fn raw_bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl Io for Writer {
    const READING: bool = false;

    fn raw(&mut self, value: &mut u64) -> Result<(), Corrupt> {
        self.put(*value);
        Ok(())
    }

    fn room(&self) -> usize {
        usize::MAX
    }
}

/// How many bytes [`Writer::pack`] takes for so many numbers.
pub(crate) fn packed_size(count: usize, width: u32) -> usize {
    count.saturating_mul(width as usize).div_ceil(8)
}

/// The bits that a number up to `most` takes, one at least.
pub(crate) fn width_of(most: u32) -> u32 {
    u32::BITS - (most | 1).leading_zeros()
}

/// Reads from a byte slice.
#[derive(Clone, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    #[inline]
    pub(crate) fn take(&mut self) -> Result<u64, Corrupt> {
        match self.bytes.get(self.at) {
            Some(byte) if *byte < 0x80 => {
                self.at += 1;
                Ok(u64::from(*byte))
            }
            _ => self.take_long(),
        }
    }

    fn take_long(&mut self) -> Result<u64, Corrupt> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or(Corrupt)?;
            self.at += 1;
            if shift == 63 && byte > 1 {
                return Err(Corrupt);
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Corrupt)
    }

    pub(crate) fn take_u32(&mut self) -> Result<u32, Corrupt> {
        u32::try_from(self.take()?).map_err(|_| Corrupt)
    }

    /// A number of items of at least one byte each.
    pub(crate) fn count(&mut self) -> Result<usize, Corrupt> {
        let count = usize::try_from(self.take()?).map_err(|_| Corrupt)?;
        if count <= self.room() { Ok(count) } else { Err(Corrupt) }
    }

    pub(crate) fn take_bytes(&mut self, len: usize) -> Result<&'a [u8], Corrupt> {
        let end = self.at.checked_add(len).ok_or(Corrupt)?;
        let slice = self.bytes.get(self.at..end).ok_or(Corrupt)?;
        self.at = end;
        Ok(slice)
    }

    /// So many numbers of `width` bits, which [`Writer::pack`] wrote.
    pub(crate) fn packed(
        &mut self,
        count: usize,
        width: u32,
    ) -> Result<impl ExactSizeIterator<Item = u32> + use<'a>, Corrupt> {
        let mut bytes = self.take_bytes(packed_size(count, width))?.iter();
        let (mut bits, mut held) = (0_u64, 0);
        Ok((0..count).map(move |_| {
            while held < width {
                bits |= u64::from(bytes.next().copied().unwrap_or_default()) << held;
                held += 8;
            }
            let number = bits as u32 & (u64::MAX >> (u64::BITS - width)) as u32;
            bits >>= width;
            held -= width;
            number
        }))
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, Corrupt> {
        let len = self.count()?;
        std::str::from_utf8(self.take_bytes(len)?).map_err(|_| Corrupt)
    }

    /// Everything not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }
}

impl Io for Reader<'_> {
    const READING: bool = true;

    #[inline]
    fn raw(&mut self, value: &mut u64) -> Result<(), Corrupt> {
        *value = self.take()?;
        Ok(())
    }

    fn room(&self) -> usize {
        self.bytes.len() - self.at
    }
}
