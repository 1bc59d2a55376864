//! Layers of segments that act as one: every lookup is the lowest layer, less what is hidden by those above it, plus
//! what they add.
//!
//! A file lives in the topmost layer that has it. Files are numbered in path order over all layers; each layer keeps the
//! number of each of its files, or a mark that the file is hidden. Layers never change: adding one makes a new value that
//! shares the others.

use std::ops::Range;
use std::sync::Arc;

use crate::segment::{Assembled, IndexError, Segment, merge};
use crate::world::FileId;

const HIDDEN: u32 = u32::MAX;

/// The place of a file's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) layer: u32,
    /// Number of the file in the layer.
    pub(crate) local: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) segment: Arc<Segment>,
    /// Per file of the segment its number in the whole, or [`HIDDEN`].
    numbers: Arc<[u32]>,
}

impl Layer {
    /// The number of a file of this layer; `None` when a higher layer hides it.
    pub(crate) fn number(&self, local: u32) -> Option<FileId> {
        let number = self.numbers[local as usize];
        (number != HIDDEN).then_some(FileId(number))
    }
}

/// Segments on top of one another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layers {
    layers: Vec<Layer>,
    slots: Arc<[Slot]>,
}

impl Layers {
    /// The lowest first.
    pub(crate) fn of(segments: impl IntoIterator<Item = Arc<Segment>>) -> Self {
        segments.into_iter().fold(Self::default(), |below, segment| below.with(segment))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Layer> {
        self.layers.iter()
    }

    pub(crate) fn segments(&self) -> impl ExactSizeIterator<Item = &Arc<Segment>> {
        self.layers.iter().map(|layer| &layer.segment)
    }

    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(crate) fn segment(&self, slot: Slot) -> &Arc<Segment> {
        &self.layers[slot.layer as usize].segment
    }

    pub(crate) fn path(&self, slot: Slot) -> &str {
        self.segment(slot).rows()[slot.local as usize].entry.path.as_str()
    }

    /// The place of a path, or the place where it would stand.
    pub(crate) fn find(&self, path: &str) -> Result<usize, usize> {
        self.slots.binary_search_by(|slot| self.path(*slot).cmp(path))
    }

    /// These layers with one more on top.
    pub(crate) fn with(&self, segment: Arc<Segment>) -> Self {
        let layer = self.layers.len() as u32;
        let rows = segment.rows();
        // Old slots are copied in runs between the places that the new segment touches.
        let mut slots = Vec::with_capacity(self.slots.len() + rows.len());
        let mut copied = 0;
        let mut removed = segment.removed().iter().map(|path| &**path).peekable();
        let mut added = rows.iter().enumerate().peekable();
        loop {
            let next_added = added.peek().map(|(_, row)| row.entry.path.as_str());
            let is_removal = match (removed.peek(), next_added) {
                (None, None) => break,
                (Some(gone), Some(new)) => *gone < new,
                (gone, _) => gone.is_some(),
            };
            let path = if is_removal { removed.next() } else { next_added };
            let place = self.find(path.expect("one of both was there"));
            let (Ok(at) | Err(at)) = place;
            slots.extend_from_slice(self.slots.get(copied..at).unwrap_or_default());
            copied = copied.max(at + usize::from(place.is_ok()));
            if !is_removal && let Some((local, _)) = added.next() {
                slots.push(Slot { layer, local: local as u32 });
            }
        }
        slots.extend_from_slice(&self.slots[copied..]);
        let segments = self.segments().cloned().chain([segment]).collect();
        Self::numbered(segments, slots)
    }

    fn numbered(segments: Vec<Arc<Segment>>, slots: Vec<Slot>) -> Self {
        let mut numbers: Vec<Vec<u32>> =
            segments.iter().map(|segment| vec![HIDDEN; segment.rows().len()]).collect();
        for (number, slot) in slots.iter().enumerate() {
            numbers[slot.layer as usize][slot.local as usize] = number as u32;
        }
        let layers = segments
            .into_iter()
            .zip(numbers)
            .map(|(segment, numbers)| Layer { segment, numbers: numbers.into() })
            .collect();
        Self { layers, slots: slots.into() }
    }

    /// One segment that stands for the layers from `from` on. Removals are kept unless it becomes the
    /// lowest one.
    pub(crate) fn merged(&self, from: usize, build_id: u64) -> Result<Assembled, IndexError> {
        let layers = &self.layers[from..];
        let segments: Vec<Arc<Segment>> = layers.iter().map(|layer| layer.segment.clone()).collect();
        let mut removed: Vec<Arc<str>> = Vec::new();
        if from > 0 {
            removed.extend(segments.iter().flat_map(|segment| segment.removed().iter().cloned()));
            removed.sort_unstable();
            removed.dedup();
            removed.retain(|path| self.find(path).is_err());
        }
        let is_live = |layer: usize, local| layers[layer].number(local).is_some();
        merge(&segments, is_live, &removed, build_id)
    }

    /// These layers with some replaced by one that [`Self::merged`] made of them when nothing stood above them: it has the
    /// files that lived there then, in the order of their paths.
    pub(crate) fn replaced(&self, old: Range<usize>, merged: Arc<Segment>) -> Self {
        let (from, end) = (old.start as u32, old.end as u32);
        let mut rows = (0..).zip(merged.rows());
        let mut slots = self.slots.to_vec();
        for slot in slots.iter_mut().filter(|slot| slot.layer >= from) {
            if slot.layer >= end {
                slot.layer -= end - from - 1;
                continue;
            }
            let path = self.path(*slot);
            let (local, _) =
                rows.find(|(_, row)| row.entry.path.as_str() == path).expect("it lived there already then");
            *slot = Slot { layer: from, local };
        }
        let (below, above) = (self.segments().take(old.start), self.segments().skip(old.end));
        Self::numbered(below.cloned().chain([merged.clone()]).chain(above.cloned()).collect(), slots)
    }

    /// The first of the layers that should be merged: one that is at most half of all that stand above it, in bytes, so that
    /// three of a size become one and a change is merged again only a few times. The number of layers when none should.
    pub(crate) fn due(&self) -> usize {
        let mut above = 0;
        let mut due = self.layers.len();
        for (i, layer) in self.layers.iter().enumerate().skip(1).rev() {
            let size = layer.segment.bytes().len();
            if 2 * size <= above {
                due = i;
            }
            above += size;
        }
        due
    }

    /// How many files and removals stand above the lowest layer.
    pub(crate) fn overlay_size(&self) -> usize {
        self.segments().skip(1).map(|segment| segment.rows().len() + segment.removed().len()).sum()
    }
}
