//! Merging segments.

use std::sync::Arc;

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
    /// Marks files that are not taken.
    const GONE: u32 = u32::MAX;
    let mut place = vec![GONE; layer.rows().len()];
    let mut numbers: Vec<Option<u32>> = vec![None; layer.name_count() as usize];
    for (file, row) in layer.rows().iter().enumerate().filter(|(file, _)| is_live(*file as u32)) {
        place[file] = parts.len() as u32;
        let mut part = FilePart {
            macros: None,
            row: row.clone(),
            names: Vec::new(),
            mentions: Vec::new(),
            decls: Vec::new(),
            body: None,
            configuration: None,
        };
        if let Some((ranks, body)) = layer.encoded(file as u32)? {
            part.body = Some(body.into());
            part.names = ranks;
            for name in &mut part.names {
                let number = &mut numbers[*name as usize];
                *name = match *number {
                    Some(known) => known,
                    None => *number.insert(builder.names.intern(layer.name(*name)?)),
                };
            }
        }
        parts.push(part);
    }
    for (file, text) in layer.configurations() {
        if place[*file as usize] != GONE {
            parts[place[*file as usize] as usize].configuration = Some(text.clone());
        }
    }
    for (rank, number) in numbers.iter().enumerate() {
        // A name that no live file uses has no live postings and declarations either.
        let Some(number) = *number else { continue };
        for posting in layer.postings(rank as u32)? {
            let (file, declares) = posting?;
            if place[file as usize] != GONE {
                parts[place[file as usize] as usize].mentions.push(number << 1 | u32::from(declares));
            }
        }
        for row in layer.declarations(rank as u32)? {
            let row = row?;
            if place[row.file as usize] == GONE {
                continue;
            }
            let container = match row.container {
                Some(rank) => numbers.get(rank as usize).copied().flatten().ok_or(Corrupt)?,
                None => PartDecl::NONE,
            };
            parts[place[row.file as usize] as usize].decls.push(PartDecl {
                name: number,
                def: row.def,
                kind: row.kind as u8,
                flags: row.flags.0,
                container,
            });
        }
    }
    Ok(())
}
