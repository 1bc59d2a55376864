//! Mapping of segment files: the one place of this crate that needs `unsafe`.

#![expect(unsafe_code, reason = "mapping a file is unsafe by its nature; see the safety note")]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// The bytes of a finished segment file, mapped. An empty file cannot be mapped and is an error.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: The bytes of a mapping must not change. Segment files lie in our own cache directory, are complete before
    // they get their name, and are never written afterwards: a new segment is a new file that takes the name over, and
    // the old one lives on, nameless, as long as it is mapped. Whoever truncates files of this directory by hand breaks
    // the process, as with any mapped file.
    unsafe { Mmap::map(file) }
}
