//! Merging segments.

use std::sync::Arc;

use super::build::{Assembled, FilePart, PartDecl, SegmentBuilder, TooLarge, mention};
use super::read::{NameIn, Segment};
use super::{ImplRow, Posting, kind_byte};
use crate::codec::Corrupt;
use crate::impl_sites::FileImplSite;

/// Why an index could not be changed or merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexError {
    TooLarge,
    /// Damaged data: to be rebuilt.
    Corrupt,
}

impl From<TooLarge> for IndexError {
    fn from(_: TooLarge) -> Self {
        Self::TooLarge
    }
}

impl From<Corrupt> for IndexError {
    fn from(_: Corrupt) -> Self {
        Self::Corrupt
    }
}

impl std::fmt::Display for IndexError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLarge => TooLarge.fmt(f),
            Self::Corrupt => Corrupt.fmt(f),
        }
    }
}

impl std::error::Error for IndexError {}

/// One segment with the live files of several: byte for byte what building those files afresh gives. `is_live` is asked
/// with the number of the layer and of the file in it. A path may be live in one layer only.
///
/// # Errors
/// See [`IndexError`].
pub(crate) fn merge(
    layers: &[Arc<Segment>],
    is_live: impl Fn(usize, u32) -> bool,
    removed: &[Arc<str>],
    build_id: u64,
) -> Result<Assembled, IndexError> {
    let builder = SegmentBuilder::new();
    let mut parts = Vec::new();
    for (number, layer) in layers.iter().enumerate() {
        take_layer(&builder, layer, |file| is_live(number, file), &mut parts)?;
    }
    Ok(builder.finish(parts, removed, build_id)?)
}

fn take_layer(
    builder: &SegmentBuilder,
    layer: &Segment,
    is_live: impl Fn(u32) -> bool,
    parts: &mut Vec<FilePart>,
) -> Result<(), Corrupt> {
    // The places of the parts that are taken.
    let mut place: Vec<Option<usize>> = vec![None; layer.rows().len()];
    let place_of = |place: &[Option<usize>], file: u32| place.get(file as usize).copied().ok_or(Corrupt);
    let mut numbers: Vec<Option<u32>> = vec![None; layer.name_count() as usize];
    let mut number = |name: NameIn<'_>| -> Result<u32, Corrupt> {
        let rank = match name {
            NameIn::Segment(rank) => rank,
            NameIn::Text(text) => return Ok(builder.names.intern(text)),
        };
        let known = numbers.get_mut(rank as usize).ok_or(Corrupt)?;
        match *known {
            Some(number) => Ok(number),
            None => Ok(*known.insert(builder.names.intern(layer.name(rank)?))),
        }
    };
    for (file, row) in layer.rows().iter().enumerate().filter(|(file, _)| is_live(*file as u32)) {
        place[file] = Some(parts.len());
        let mut part = FilePart::from(row.clone());
        if let Some(item) = layer.fact_item(file as u32)? {
            let (names, body) = layer.encoded(&item)?;
            part.row.is_sketch = false;
            part.body = Some(body.into());
            part.names = names.into_iter().map(&mut number).collect::<Result<_, _>>()?;
        }
        parts.push(part);
    }
    for (file, text) in layer.configurations() {
        if let Some(at) = place_of(&place, *file)? {
            parts[at].configuration = Some(text.clone());
        }
    }
    for rank in 0..layer.name_count() {
        for posting in layer.postings(rank)? {
            let Posting { file, declares, renames } = posting?;
            if let Some(at) = place_of(&place, file)? {
                let (number, part) = (number(NameIn::Segment(rank))?, &mut parts[at]);
                part.mentions.push(mention(number, declares, renames));
                if part.row.is_sketch {
                    part.names.push(number);
                }
            }
        }
        for row in layer.declarations(rank)? {
            let row = row?;
            let Some(at) = place_of(&place, row.file)? else { continue };
            let container = row.container.map(NameIn::Segment).map(&mut number).transpose()?;
            parts[at].decls.push(PartDecl {
                name: number(NameIn::Segment(rank))?,
                def: row.def,
                kind: kind_byte(row.kind, row.is_member),
                flags: row.flags.0,
                container,
            });
        }
        for row in layer.impl_sites(rank)? {
            let ImplRow { file, def, role } = row?;
            let Some(at) = place_of(&place, file)? else { continue };
            let name = number(NameIn::Segment(rank))?;
            let role = role.try_map(|rank| number(NameIn::Segment(rank)))?;
            parts[at].impl_sites.push(FileImplSite { name, def, role });
        }
    }
    Ok(())
}
