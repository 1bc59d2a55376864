//! Knowing what changed on disk, with proof.
//!
//! On Linux every directory of the project is watched by an inotify instance of our own, and **nothing waits**: the
//! kernel puts an event into the queue before the call that caused it returns, so whoever empties the queue has seen
//! every change that happened before. No cookie file is needed, and no thread has to keep up. A directory is watched
//! before it is listed, so what is created in it meanwhile is either listed or reported.
//!
//! Two ways of writing are not reported by the kernel: through a shared mapping, and through a hard link that lies outside
//! the project. A text is therefore compared with the hash of what was indexed whenever it is read.
//!
//! Where this cannot work (other systems, file systems that others may change behind the kernel's back, too few watches
//! allowed), there is no watcher and every question is preceded by a walk that compares sizes and times.

#[cfg(target_os = "linux")]
mod inotify;
#[cfg(not(target_os = "linux"))]
mod none;

#[cfg(target_os = "linux")]
pub(crate) use inotify::Watcher;
#[cfg(not(target_os = "linux"))]
pub(crate) use none::Watcher;
