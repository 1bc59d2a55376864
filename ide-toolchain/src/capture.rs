//! Captures the output of a program up to a limit.

use std::borrow::Cow;
use std::collections::VecDeque;

/// The captured output of a program: all of it, or its beginning and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Captured {
    /// Takes more bytes and keeps at most `limit` of all: the first half stays, the second one is that of the end.
    pub(crate) fn push(&mut self, mut bytes: &[u8], limit: usize) {
        let (front, back) = (limit - limit / 2, limit / 2);
        if self.tail.is_empty() && self.left_out == 0 {
            let fits = bytes.len().min(front - self.head.len().min(front));
            self.head.extend_from_slice(&bytes[..fits]);
            bytes = &bytes[fits..];
        }
        let skipped = bytes.len().saturating_sub(back);
        let bytes = &bytes[skipped..];
        let over = (self.tail.len() + bytes.len()).saturating_sub(back);
        self.tail.drain(..over);
        self.tail.extend(bytes);
        self.left_out += (skipped + over) as u64;
    }

    /// Bytes that were written between the beginning and the end and are not kept.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Bytes that are kept.
    pub fn len(&self) -> usize {
        self.head.len() + self.tail.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes as they were written; `None` when some are left out.
    pub fn whole(self) -> Option<Vec<u8>> {
        let Self { mut head, tail, left_out } = self;
        head.extend(tail);
        (left_out == 0).then_some(head)
    }

    /// The text for a reader, with a line in the place of what is left out. Bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.left_out == 0 {
            return String::from_utf8_lossy(&[&*self.head, &*tail].concat()).into_owned();
        }
        let (head, tail): (Cow<'_, str>, Cow<'_, str>) =
            (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&tail));
        format!("{head}\n[{} bytes left out]\n{tail}", self.left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        for chunk in [1, 2, 3, 7, 100] {
            let mut kept = Captured::default();
            let all: Vec<u8> = (b'a'..=b'z').collect();
            all.chunks(chunk).for_each(|bytes| kept.push(bytes, 9));
            assert_eq!((kept.len(), kept.left_out()), (9, 17), "{chunk}");
            assert_eq!(kept.text(), "abcde\n[17 bytes left out]\nwxyz", "{chunk}");
            assert_eq!(kept.whole(), None);
        }
        let mut kept = Captured::default();
        b"abcdefghi".chunks(4).for_each(|bytes| kept.push(bytes, 9));
        assert_eq!((kept.left_out(), &*kept.text()), (0, "abcdefghi"));
        assert_eq!(kept.whole().as_deref(), Some(&b"abcdefghi"[..]));
    }
}
