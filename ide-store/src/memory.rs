//! Memory of the system: segment files are mapped, and what is free is given back. The one place of this crate that needs
//! `unsafe`.

#![expect(unsafe_code, reason = "mapping and foreign functions are unsafe by nature; see the safety notes")]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// The bytes of a finished segment file, mapped. An empty file cannot be mapped and is an error.
pub(crate) fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: The bytes of a mapping must not change. Segment files lie in our own cache directory, are complete before
    // they get their name, and are never written afterwards: a new segment is a new file that takes the name over, and
    // the old one lives on, nameless, as long as it is mapped. A person who truncates files of this directory by hand
    // breaks the process, as with any mapped file.
    unsafe { Mmap::map(file) }
}

/// Gives the system back what the allocator has free: glibc keeps pages below the last one in use. Takes milliseconds.
/// Allocators that give back by themselves (jemalloc) are not asked.
pub(crate) fn give_back_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: The function takes a number, may be called by any thread at any time, and touches free memory only.
    unsafe {
        libc::malloc_trim(0);
    }
}
