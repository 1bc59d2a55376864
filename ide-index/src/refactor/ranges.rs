//! Sets of text ranges that are asked for every name of a file.

use std::collections::BTreeMap;

use ide_model::TextRange;

/// Ranges by their starts. None is inside of another, so that the ends are in order too.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranges(BTreeMap<u32, u32>);

impl Ranges {
    pub(super) fn push(&mut self, range: TextRange) {
        if self.encloses(range) {
            return;
        }
        while let Some((&start, &end)) = self.0.range(range.start..).next()
            && end <= range.end
        {
            self.0.remove(&start);
        }
        self.0.insert(range.start, range.end);
    }

    /// The end of the last range that begins at an offset or before it: none of these ends later.
    fn end_before(&self, offset: u32) -> Option<u32> {
        self.0.range(..=offset).next_back().map(|(_, end)| *end)
    }

    /// Whether one of the ranges has all of another one.
    pub(super) fn encloses(&self, range: TextRange) -> bool {
        self.end_before(range.start).is_some_and(|end| range.end <= end)
    }

    /// Whether one of the ranges has the character at an offset.
    pub(super) fn contains(&self, offset: u32) -> bool {
        self.end_before(offset).is_some_and(|end| offset < end)
    }
}

impl FromIterator<TextRange> for Ranges {
    fn from_iter<T: IntoIterator<Item = TextRange>>(all: T) -> Self {
        let mut ranges = Self::default();
        all.into_iter().for_each(|range| ranges.push(range));
        ranges
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_of_ranges_answers_as_a_list_of_them_does() {
        let lists: [&[(u32, u32)]; 5] = [
            &[],
            &[(3, 5), (1, 4), (3, 3), (7, 9), (6, 10)],
            &[(0, 9), (2, 3), (9, 9)],
            &[(4, 4), (4, 6), (2, 6), (2, 8)],
            &[(1, 2), (2, 3), (3, 4)],
        ];
        for list in lists {
            let list: Vec<TextRange> = list.iter().map(|(a, b)| TextRange::new(*a, *b)).collect();
            let set: Ranges = list.iter().copied().collect();
            for start in 0..12 {
                assert_eq!(
                    set.contains(start),
                    list.iter().any(|r| r.contains(start)),
                    "{start} in {list:?}"
                );
                for range in (start..12).map(|end| TextRange::new(start, end)) {
                    let is_enclosed = list.iter().any(|r| r.encloses(range));
                    assert_eq!(set.encloses(range), is_enclosed, "{range:?} in {list:?}");
                }
            }
        }
    }
}
