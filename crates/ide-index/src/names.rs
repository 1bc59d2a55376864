//! The names of a file: one text, so that reading facts does not allocate for each of them.

use std::sync::OnceLock;

use crate::codec::Corrupt;
use crate::facts::NameId;

/// Names by [`NameId`], in the order in which they were added. Equal when they are the same names in the same order.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// One behind the other.
    text: String,
    /// Where each ends in `text`.
    ends: Vec<u32>,
    /// Of each name, a number that orders it among the others as its text does; empty when nobody knew them.
    ranks: Vec<u32>,
    /// The ids ordered by text, once somebody asked.
    sorted: OnceLock<Box<[NameId]>>,
}

impl Names {
    /// Names that are known by their ranks: one for each rank, in their order, with the text that `name_of` gives it.
    ///
    /// # Errors
    /// Those of `name_of`, and [`Corrupt`] when a name is no text.
    pub(crate) fn ranked<'n>(
        ranks: Vec<u32>,
        name_of: impl Fn(u32) -> Result<&'n [u8], Corrupt>,
    ) -> Result<Self, Corrupt> {
        let mut bytes = Vec::with_capacity(ranks.len() * 12);
        let mut ends = Vec::with_capacity(ranks.len());
        for rank in &ranks {
            bytes.extend_from_slice(name_of(*rank)?);
            ends.push(bytes.len() as u32);
        }
        // The whole may be text though a name ends within a character.
        match String::from_utf8(bytes) {
            Ok(text) if ends.iter().all(|end| text.is_char_boundary(*end as usize)) => {
                Ok(Self { text, ends, ranks, sorted: OnceLock::new() })
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
        self.ends.push(self.text.len() as u32);
        self.ranks.clear();
        self.sorted.take();
        id
    }

    /// The ids ordered by text.
    pub(crate) fn sorted(&self) -> &[NameId] {
        self.sorted.get_or_init(|| {
            if self.ranks.is_empty() {
                let mut ids: Vec<NameId> = self.ids().collect();
                ids.sort_by(|a, b| self.get(*a).cmp(self.get(*b)));
                return ids.into();
            }
            let mut ranked: Vec<(u32, NameId)> = self.ranks.iter().copied().zip(self.ids()).collect();
            ranked.sort_unstable();
            ranked.into_iter().map(|(_, id)| id).collect()
        })
    }

    /// About how many bytes they take.
    pub(crate) fn weight(&self) -> usize {
        self.text.len() + 12 * self.ends.len()
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
