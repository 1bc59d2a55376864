//! Fields of Protocol Buffers messages, as far as they are whole.

/// The value of a field. Numbers of fixed length are passed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Value<'b> {
    Int(u64),
    Bytes(&'b [u8]),
}

impl<'b> Value<'b> {
    pub(super) fn int(self) -> u32 {
        match self {
            Self::Int(n) => n as u32,
            Self::Bytes(_) => 0,
        }
    }

    pub(super) fn bytes(self) -> &'b [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Int(_) => &[],
        }
    }

    /// The numbers of a repeated field, packed or not.
    pub(super) fn ints(self) -> impl Iterator<Item = u32> + use<'b> {
        let (one, mut rest) = match self {
            Self::Int(n) => (Some(n as u32), &[][..]),
            Self::Bytes(bytes) => (None, bytes),
        };
        one.into_iter().chain(std::iter::from_fn(move || varint(&mut rest).map(|n| n as u32)))
    }
}

/// The number with which bytes begin, and what follows it.
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for (i, byte) in bytes.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            *bytes = &bytes[i + 1..];
            return Some(value);
        }
    }
    None
}

/// The message with which bytes begin, its length before it.
pub(super) fn delimited<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let len = usize::try_from(varint(bytes)?).ok()?;
    let (message, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(message)
}

/// The fields of a message by their numbers. A damaged message ends there.
pub(super) fn fields(mut bytes: &[u8]) -> impl Iterator<Item = (u32, Value<'_>)> {
    std::iter::from_fn(move || {
        loop {
            let key = varint(&mut bytes)?;
            let value = match key & 7 {
                0 => Some(Value::Int(varint(&mut bytes)?)),
                2 => Some(Value::Bytes(delimited(&mut bytes)?)),
                fixed @ (1 | 5) => {
                    bytes = bytes.get(if fixed == 1 { 8 } else { 4 }..)?;
                    None
                }
                _ => return None,
            };
            if let Some(value) = value {
                return Some(((key >> 3) as u32, value));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_every_form_are_told_apart() {
        // 1: 300, 2: "ab", 3 (fixed, four bytes), 4: packed 1, 2.
        let bytes = [0x08, 0xac, 0x02, 0x12, 2, b'a', b'b', 0x1d, 9, 9, 9, 9, 0x22, 2, 1, 2];
        let all: Vec<_> = fields(&bytes).collect();
        assert_eq!(all[..2], [(1, Value::Int(300)), (2, Value::Bytes(b"ab"))]);
        assert_eq!(all[2].1.ints().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(all[0].1.ints().collect::<Vec<_>>(), [300]);
        for len in 0..bytes.len() {
            assert!(fields(&bytes[..len]).count() <= 3, "cut at {len}");
        }
    }
}
