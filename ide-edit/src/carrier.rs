//! The writer of a step's files in place of us: an IDE, which has its own copy of them and can take the step back.

use std::path::{Path, PathBuf};

use ide_model::Cx;

use crate::disk::{self, Halt, State, Step};
use crate::record::Direction;

/// A file of a step; `None` where there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CarriedFile<'s> {
    /// The real path.
    pub path: &'s Path,
    pub before: Option<&'s str>,
    pub after: Option<&'s str>,
}

/// Which way a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryWay {
    /// For the first time, or again.
    Forward,
    /// The step is taken back: `before` is what the step left.
    Back,
}

/// Why files were not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CarryError {
    /// It cannot write these; the disk is written to directly.
    #[error("these files cannot be written")]
    Unable,
    /// A file is not as it was before; nothing was written.
    #[error("{} was changed by someone else", .0.display())]
    Changed(PathBuf),
    /// The text is for people.
    #[error("{0}")]
    Failed(String),
}

/// Writes the files of a step, all of them or none, and on disk when it returns.
pub trait Carrier: Send + Sync {
    /// # Errors
    /// See [`CarryError`].
    fn carry(
        &self,
        cx: Cx<'_>,
        way: CarryWay,
        title: &str,
        files: &[CarriedFile<'_>],
    ) -> Result<(), CarryError>;
}

/// Has the steps carried; false when the carrier cannot.
pub(crate) fn carry(
    carrier: &dyn Carrier,
    cx: Cx<'_>,
    way: Direction,
    title: &str,
    steps: &[Step<'_>],
) -> Result<bool, Halt> {
    let Some(files) = steps.iter().map(carried).collect::<Option<Vec<_>>>() else { return Ok(false) };
    let way = match way {
        Direction::Forward => CarryWay::Forward,
        Direction::Back => CarryWay::Back,
    };
    cx.check().map_err(|_| Halt::Stopped)?;
    let first = || steps.first().map_or_else(PathBuf::new, |step| step.path.to_owned());
    match carrier.carry(cx, way, title, &files) {
        Ok(()) => {}
        Err(CarryError::Unable) => return Ok(false),
        Err(CarryError::Changed(path)) => return Err(Halt::Changed(path)),
        Err(CarryError::Failed(why)) => return Err(Halt::Disk(first(), std::io::Error::other(why))),
    }
    for step in steps {
        let now = disk::look(step.path).map_err(|error| Halt::Disk(step.path.to_owned(), error))?;
        if !now.is_same_content(step.to) {
            let error = std::io::Error::other("something else was written than was asked for");
            return Err(Halt::Disk(step.path.to_owned(), error));
        }
    }
    Ok(true)
}

fn carried<'s>(step: &Step<'s>) -> Option<CarriedFile<'s>> {
    let text = |state: &'s State| match state.bytes() {
        None => Some(None),
        // A mark at the beginning is no part of the text that others see.
        Some([0xef, 0xbb, 0xbf, ..]) => None,
        Some(bytes) => std::str::from_utf8(bytes).ok().map(Some),
    };
    Some(CarriedFile { path: step.path, before: text(step.from)?, after: text(step.to)? })
}
