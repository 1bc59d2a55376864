//! Merging segments.

use std::sync::Arc;

use super::FileRow;
use super::build::{Assembled, FilePart, PartDecl, SegmentBuilder, TooLarge};
use super::read::Segment;
use crate::codec::Corrupt;

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
/// with the number of the layer and of the file in it. A path may be live in one layer only. `fill` reads the facts of files
/// that stand there as sketches.
///
/// # Errors
/// See [`IndexError`].
pub(crate) fn merge(
    layers: &[Arc<Segment>],
    is_live: impl Fn(usize, u32) -> bool,
    removed: &[Arc<str>],
    build_id: u64,
    fill: &Fill<'_>,
) -> Result<Assembled, IndexError> {
    let builder = SegmentBuilder::new();
    let mut parts = Vec::new();
    for (number, layer) in layers.iter().enumerate() {
        take_layer(&builder, layer, |file| is_live(number, file), fill, &mut parts)?;
    }
    Ok(builder.finish(parts, removed, build_id)?)
}

/// Makes a file of which there is a sketch a file with facts; `None` leaves it as it is.
pub(crate) type Fill<'f> = dyn Fn(&FileRow, &SegmentBuilder) -> Option<FilePart> + 'f;

fn take_layer(
    builder: &SegmentBuilder,
    layer: &Segment,
    is_live: impl Fn(u32) -> bool,
    fill: &Fill<'_>,
    parts: &mut Vec<FilePart>,
) -> Result<(), Corrupt> {
    /// Marks files of which nothing is taken.
    const GONE: u32 = u32::MAX;
    let mut place = vec![GONE; layer.rows().len()];
    let mut numbers: Vec<Option<u32>> = vec![None; layer.name_count() as usize];
    let mut number = |rank: u32| -> Result<u32, Corrupt> {
        let known = numbers.get_mut(rank as usize).ok_or(Corrupt)?;
        match *known {
            Some(number) => Ok(number),
            None => Ok(*known.insert(builder.names.intern(layer.name(rank)?))),
        }
    };
    for (file, row) in layer.rows().iter().enumerate().filter(|(file, _)| is_live(*file as u32)) {
        if row.is_sketch
            && let Some(filled) = fill(row, builder)
        {
            parts.push(filled);
            continue;
        }
        place[file] = parts.len() as u32;
        let mut part = FilePart::from(row.clone());
        if let Some((ranks, body)) = layer.encoded(file as u32)? {
            part.body = Some(body.into());
            part.names = ranks;
            for name in &mut part.names {
                *name = number(*name)?;
            }
        }
        parts.push(part);
    }
    for (file, text) in layer.configurations() {
        if place[*file as usize] != GONE {
            parts[place[*file as usize] as usize].configuration = Some(text.clone());
        }
    }
    for rank in 0..layer.name_count() {
        for posting in layer.postings(rank)? {
            let (file, declares) = posting?;
            if place[file as usize] != GONE {
                let (number, part) = (number(rank)?, &mut parts[place[file as usize] as usize]);
                part.mentions.push(number << 1 | u32::from(declares));
                if part.row.is_sketch {
                    part.names.push(number);
                }
            }
        }
        for row in layer.declarations(rank)? {
            let row = row?;
            if place[row.file as usize] == GONE {
                continue;
            }
            let container = row.container.map_or(Ok(PartDecl::NONE), &mut number)?;
            parts[place[row.file as usize] as usize].decls.push(PartDecl {
                name: number(rank)?,
                def: row.def,
                kind: row.kind as u8,
                flags: row.flags.0,
                container,
            });
        }
    }
    Ok(())
}
