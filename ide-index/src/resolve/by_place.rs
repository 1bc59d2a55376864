//! The names of a file by their places, for those who ask about every place: going through the file for each would take the
//! square of its length.

use ide_model::TextRange;

use super::FileView;
use crate::facts::{DefId, ImportId, RefId};

/// Things by their ranges.
pub(crate) struct Places<T> {
    /// In the order of the ranges.
    all: Vec<(TextRange, T)>,
    /// The length of the longest range.
    longest: u32,
}

impl<T: Copy + Ord> Places<T> {
    fn new(all: impl Iterator<Item = (TextRange, T)>) -> Self {
        let mut all: Vec<(TextRange, T)> = all.collect();
        all.sort_unstable();
        let longest = all.iter().map(|(range, _)| range.len()).max().unwrap_or(0);
        Self { all, longest }
    }

    /// Items that begin somewhere from one offset to another, both included.
    fn beginning(&self, first: u32, last: u32) -> &[(TextRange, T)] {
        let from = self.all.partition_point(|(range, _)| range.start < first);
        let to = self.all.partition_point(|(range, _)| range.start <= last);
        self.all.get(from..to).unwrap_or(&[])
    }

    /// Items that begin at an offset.
    pub(crate) fn starting_at(&self, offset: u32) -> impl Iterator<Item = T> + '_ {
        self.beginning(offset, offset).iter().map(|(_, thing)| *thing)
    }

    /// Items with this range.
    pub(crate) fn at(&self, range: TextRange) -> impl Iterator<Item = T> + '_ {
        let here = self.beginning(range.start, range.start).iter();
        here.filter(move |(other, _)| *other == range).map(|(_, thing)| *thing)
    }

    /// Items inside of a range.
    pub(crate) fn within(&self, range: TextRange) -> impl Iterator<Item = T> + '_ {
        let here = self.beginning(range.start, range.end).iter();
        here.filter(move |(other, _)| range.encloses(*other)).map(|(_, thing)| *thing)
    }

    /// Items with a range inside of them.
    pub(crate) fn around(&self, range: TextRange) -> impl Iterator<Item = T> + '_ {
        let here = self.beginning(range.end.saturating_sub(self.longest), range.start).iter();
        here.filter(move |(other, _)| other.encloses(range)).map(|(_, thing)| *thing)
    }
}

/// See [`FileView::by_place`].
pub(crate) struct ByPlace {
    pub(crate) refs: Places<RefId>,
    /// Declarations by their names.
    pub(crate) names: Places<DefId>,
    /// Imports by the names that they bind.
    pub(crate) imports: Places<ImportId>,
    /// Types in the order in which they begin, the outer one first, each with the place of the one around it.
    types: Vec<(TextRange, DefId, Option<usize>)>,
}

impl ByPlace {
    pub(super) fn new(file: &FileView) -> Self {
        let bound = |id: ImportId| {
            let import = file.import(id);
            let path = file.list(import.path).last();
            let at = import.def.map(|def| file.def(def).name_range);
            Some((at.or_else(|| Some(file.reference(import.member.or(path)?).range))?, id))
        };
        Self {
            refs: Places::new(file.ref_ids().map(|id| (file.reference(id).range, id))),
            names: Places::new(file.def_ids().map(|id| (file.def(id).name_range, id))),
            imports: Places::new((0..file.imports.len() as u32).map(ImportId).filter_map(bound)),
            types: types(file),
        }
    }

    /// The types around an offset, innermost first.
    pub(crate) fn types_around(&self, offset: u32) -> impl Iterator<Item = DefId> + '_ {
        let last = self.types.partition_point(|(range, ..)| range.start <= offset).checked_sub(1);
        std::iter::successors(last, |at| self.types[*at].2)
            .filter(move |at| self.types[*at].0.contains(offset))
            .map(|at| self.types[at].1)
    }
}

fn types(file: &FileView) -> Vec<(TextRange, DefId, Option<usize>)> {
    let types = file.def_ids().filter(|id| file.def(*id).kind.is_type());
    let mut types: Vec<_> = types.map(|id| (file.def(id).range, id, None)).collect();
    types.sort_by_key(|(range, ..)| (range.start, std::cmp::Reverse(range.end)));
    let mut open: Vec<usize> = Vec::new();
    for at in 0..types.len() {
        let start = types[at].0.start;
        while open.last().is_some_and(|outer| types[*outer].0.end <= start) {
            open.pop();
        }
        types[at].2 = open.last().copied();
        open.push(at);
    }
    types
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_found_as_by_going_through_all_of_them() {
        let ranges: Vec<TextRange> =
            (0..6).flat_map(|start| (start..8).map(move |end| TextRange::new(start, end))).collect();
        let places = Places::new(ranges.iter().copied().enumerate().map(|(n, range)| (range, n)));
        for asked in &ranges {
            let all = |holds: &dyn Fn(&TextRange) -> bool| -> Vec<usize> {
                (0..ranges.len()).filter(|n| holds(&ranges[*n])).collect()
            };
            let sorted = |found: &mut dyn Iterator<Item = usize>| -> Vec<usize> {
                let mut found: Vec<usize> = found.collect();
                found.sort_unstable();
                found
            };
            assert_eq!(sorted(&mut places.at(*asked)), all(&|range| range == asked));
            assert_eq!(sorted(&mut places.within(*asked)), all(&|range| asked.encloses(*range)));
            assert_eq!(sorted(&mut places.around(*asked)), all(&|range| range.encloses(*asked)));
        }
    }
}
