//! Changes many files at once or not at all, and takes it back on request.
//!
//! [`DiskEditor`] carries out an [`ide_model::EditPlan`]. Every step is first written down whole, what each file was and
//! what it becomes, in a record of its own in the user's state directory; then the new contents are staged beside their
//! files and made durable; then they are renamed into place. The next process that opens the editor, after a crash at
//! any point, finds the unfinished record and puts every file of it back. The records are the undo history too.
//!
//! A project has one writer, across threads and processes: whoever holds a [`Writer`], from the plan to the last byte.
//! Readers hold a [`Looking`] while they take in the tree, and see it as it was before a step or after it.
//!
//! A [`Carrier`] can write the files in place of us, such as the IDE that has them open; everything else stays as it is.
//!
//! Nothing is ever written into the project but the files of the plan and, for a moment, their staged contents.
//! Preserved are bytes outside the edits, encoding, marks, line endings, permissions, owner and links to a file; extended
//! attributes are not, and a hard link to a changed file keeps the old content.

mod bytes;
mod carrier;
mod diff;
mod disk;
mod editor;
mod gate;
mod journal;
mod place;
mod record;

pub use bytes::content_hash;
pub use carrier::{CarriedFile, Carrier, CarryError, CarryWay};
pub use diff::{LineChange, line_changes, unified};
pub use editor::{DiskEditor, Looking, WholeFile, Writer};

use std::io;
use std::path::Path;

/// Directories further down than this are not removed.
const MAX_DEPTH: usize = 200;

/// Makes a directory, and those above it that are missing. Undo knows nothing of it: an empty directory holds nothing to lose.
///
/// # Errors
/// Where a link is met on the way, or something else has the name; failures of the disk.
pub fn make_directory(path: &Path) -> io::Result<()> {
    place::create_directories(path)
}

/// Removes a directory in which no files are, with the directories in it.
///
/// # Errors
/// Where a link is met on the way, or a file is found; failures of the disk.
pub fn remove_directories(path: &Path) -> io::Result<()> {
    place::remove_directories(path, MAX_DEPTH)
}
