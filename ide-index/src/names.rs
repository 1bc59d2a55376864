//! The names of a file: one text, so that reading facts does not allocate for each of them.

use std::ops::Range;
use std::sync::OnceLock;

use crate::codec::Corrupt;
use crate::facts::NameId;

/// Names by [`NameId`], in the order in which they were added. Equal when they are the same names in the same order.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// One behind the other.
    text: String,
    /// The end of each in `text`.
    ends: Vec<u32>,
    /// The place of each name, once somebody asked.
    places: OnceLock<Places>,
}

impl Names {
    /// None yet, with room for so many of so many bytes in all.
    pub(crate) fn with_capacity(names: usize, bytes: usize) -> Self {
        Self { text: String::with_capacity(bytes), ends: Vec::with_capacity(names), places: OnceLock::new() }
    }

    /// Names by their texts.
    ///
    /// # Errors
    /// The errors of the texts, and [`Corrupt`] when one is no text.
    pub(crate) fn of_texts<'n>(
        texts: impl ExactSizeIterator<Item = Result<&'n [u8], Corrupt>>,
    ) -> Result<Self, Corrupt> {
        let mut bytes = Vec::with_capacity(texts.len() * 12);
        let mut ends = Vec::with_capacity(texts.len());
        for text in texts {
            bytes.extend_from_slice(text?);
            ends.push(bytes.len() as u32);
        }
        // The whole may be text though a name ends within a character.
        match String::from_utf8(bytes) {
            Ok(text) if ends.iter().all(|end| text.is_char_boundary(*end as usize)) => {
                Ok(Self { text, ends, places: OnceLock::new() })
            }
            _ => Err(Corrupt),
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// # Panics
    /// When the id is not of these names.
    #[inline]
    pub fn get(&self, id: NameId) -> &str {
        let (start, end) = self.span(id.index());
        &self.text[start..end]
    }

    /// The length of a name in bytes; zero for an id that is not of these names.
    pub(crate) fn length(&self, id: NameId) -> u32 {
        if id.index() >= self.len() {
            return 0;
        }
        let (start, end) = self.span(id.index());
        (end - start) as u32
    }

    #[inline]
    pub(crate) fn piece(&self, id: NameId) -> Piece<'_> {
        let (start, end) = self.span(id.index());
        Piece::within(&self.text, start..end)
    }

    fn span(&self, at: usize) -> (usize, usize) {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        (start as usize, self.ends[at] as usize)
    }

    pub fn ids(&self) -> impl ExactSizeIterator<Item = NameId> + use<> {
        (0..self.ends.len() as u32).map(NameId)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.ids().map(|id| self.get(id))
    }

    /// Adds a name; whether it is there already is for the caller to know.
    pub fn push(&mut self, name: &str) -> NameId {
        let id = NameId(self.ends.len() as u32);
        self.text.push_str(name);
        self.ends.push(
            u32::try_from(self.text.len()).expect("names are fewer bytes than code, which is below 4 GiB"),
        );
        self.places.take();
        id
    }

    /// The first of these names with that text.
    pub fn find(&self, text: &str) -> Option<NameId> {
        let name = Piece::of(text);
        self.places.get_or_init(|| Places::of(self)).find(self, name, name.hash())
    }

    /// About how many bytes they take.
    pub(crate) fn weight(&self) -> usize {
        self.text.len() + 16 * self.ends.len()
    }
}

/// Names by their texts: a table of places, each empty or taken by a name that would like to be here or shortly before. The
/// high bits of a place tell names apart without reading them.
#[derive(Clone, Debug)]
pub(crate) struct Places {
    /// Of each name the number behind that of its id, which zero is left out for, below bits of its hash.
    taken: Box<[u32]>,
    /// The bits in which numbers are.
    numbers: u32,
}

/// A name as it is looked for, within a text. The text behind it is read with it: that costs less than to find out
/// how few bytes it has.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'t> {
    text: &'t str,
    start: usize,
    len: usize,
    /// The first bytes, zeros behind the last.
    head: u64,
}

impl<'t> Piece<'t> {
    #[inline]
    pub(crate) fn of(name: &'t str) -> Self {
        Self::within(name, 0..name.len())
    }

    /// The part of a text, which begins and ends with characters.
    #[inline]
    pub(crate) fn within(text: &'t str, range: Range<usize>) -> Self {
        let (start, len) = (range.start, range.len());
        Self { text, start, len, head: head(text.as_bytes(), start, len) }
    }

    fn as_str(self) -> &'t str {
        &self.text[self.start..self.start + self.len]
    }

    /// The last eight bytes of more than so many.
    fn tail(self) -> u64 {
        let end = self.start + self.len;
        self.text.as_bytes()[..end].last_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
    }

    /// The hash by which [`Places`] find a name: the low bits say where, those above the 36th whether it is worth reading.
    #[inline]
    pub(crate) fn hash(self) -> u64 {
        let len = self.len as u64;
        let mut hash = match self.len {
            ..=8 => folded(self.head ^ SEEDS[0], len ^ SEEDS[1]),
            _ => folded(self.head ^ SEEDS[0], self.tail() ^ len ^ SEEDS[1]),
        };
        if self.len > 16 {
            let (middle, _) = self.text.as_bytes()[self.start + 8..self.start + self.len - 1].as_chunks();
            for eight in middle {
                hash = folded(hash ^ u64::from_le_bytes(*eight), SEEDS[1]);
            }
        }
        hash
    }

    #[inline]
    fn is(self, other: Self) -> bool {
        self.len == other.len
            && self.head == other.head
            && match self.len {
                ..=8 => true,
                9..=16 => self.tail() == other.tail(),
                _ => self.as_str() == other.as_str(),
            }
    }
}

const SEEDS: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];

/// The halves of a product, which depend on all bits of both.
#[inline]
fn folded(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The first bytes of a part of a text, with zeros behind it.
#[inline]
fn head(text: &[u8], start: usize, len: usize) -> u64 {
    let Some(eight) = text[start..].first_chunk() else { return short_head(&text[start..start + len]) };
    let behind = u64::MAX.checked_shl(8 * len as u32).unwrap_or(0);
    u64::from_le_bytes(*eight) & !behind
}

/// [`head`] of less than eight bytes.
#[inline]
fn short_head(name: &[u8]) -> u64 {
    let at = |at: usize| u64::from(name[at]) << (8 * at);
    match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => {
            let last = u64::from(u32::from_le_bytes(*last)) << (8 * (name.len() - 4));
            u64::from(u32::from_le_bytes(*first)) | last
        }
        _ if name.is_empty() => 0,
        _ => at(0) | at(name.len() / 2) | at(name.len() - 1),
    }
}

impl Default for Places {
    fn default() -> Self {
        Self::with_room(0)
    }
}

impl Places {
    /// For so many names before it grows.
    pub(crate) fn with_room(names: usize) -> Self {
        let size = (names * 2).next_power_of_two().max(16);
        Self { taken: vec![0; size].into(), numbers: (size - 1) as u32 }
    }

    fn of(names: &Names) -> Self {
        let mut places = Self::with_room(names.len());
        names.ids().for_each(|id| places.put(id, names.piece(id).hash()));
        places
    }

    /// The id of a name with its hash, which is added to `names` when it is new. These are the places of all of them.
    #[inline]
    pub(crate) fn intern(&mut self, names: &mut Names, name: Piece<'_>, hash: u64) -> NameId {
        if let Some(id) = self.find(names, name, hash) {
            return id;
        }
        let id = names.push(name.as_str());
        if names.len() * 2 > self.taken.len() {
            *self = Self::of(names);
        } else {
            self.put(id, hash);
        }
        id
    }

    /// Takes the first free place for a name.
    fn put(&mut self, id: NameId, hash: u64) {
        let (mut at, tag) = self.wish(hash);
        while self.taken[at] != 0 {
            at = self.next(at);
        }
        self.taken[at] = tag | (id.0 + 1);
    }

    #[inline]
    fn find(&self, names: &Names, name: Piece<'_>, hash: u64) -> Option<NameId> {
        let (mut at, tag) = self.wish(hash);
        loop {
            let taken = self.taken[at];
            if taken == 0 {
                return None;
            }
            let id = NameId((taken & self.numbers).wrapping_sub(1));
            if taken & !self.numbers == tag && names.piece(id).is(name) {
                return Some(id);
            }
            at = self.next(at);
        }
    }

    /// The wanted place of a name, and the bits that tell it apart.
    fn wish(&self, hash: u64) -> (usize, u32) {
        (hash as usize & (self.taken.len() - 1), (hash >> 32) as u32 & !self.numbers)
    }

    fn next(&self, at: usize) -> usize {
        (at + 1) & (self.taken.len() - 1)
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, &self.ends) == (&other.text, &other.ends)
    }
}

impl Eq for Names {}

impl<N: AsRef<str>> FromIterator<N> for Names {
    fn from_iter<I: IntoIterator<Item = N>>(names: I) -> Self {
        let mut all = Self::default();
        for name in names {
            all.push(name.as_ref());
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, Piece};

    #[test]
    fn a_name_is_the_same_wherever_it_stands() {
        let text: String = ('a'..='z').chain('A'..='Z').collect();
        for (start, len) in (0..4).flat_map(|start| (0..=text.len() - 4).map(move |len| (start, len))) {
            let (within, alone) =
                (Piece::within(&text, start..start + len), Piece::of(&text[start..start + len]));
            assert!(within.is(alone));
            assert_eq!(within.hash(), alone.hash());
            for at in start..start + len {
                let mut other = text.clone();
                other.replace_range(at..=at, "-");
                let other = Piece::within(&other, start..start + len);
                assert!(!other.is(within));
                assert_ne!(other.hash(), within.hash(), "byte {at} of {len}");
            }
        }
    }

    #[test]
    fn each_name_is_found_and_no_other() {
        let texts: Vec<String> = (0..500).map(|i| format!("name{i}")).collect();
        let names: Names = texts.iter().collect();
        for (id, text) in names.ids().zip(&texts) {
            assert_eq!(names.find(text), Some(id));
        }
        assert_eq!(names.find("name500"), None);
        assert_eq!(Names::default().find("name0"), None);
    }

    #[test]
    fn what_is_added_later_is_found_too() {
        let mut names: Names = ["a"].into_iter().collect();
        assert_eq!(names.find("b"), None);
        let id = names.push("b");
        assert_eq!(names.find("b"), Some(id));
    }
}
