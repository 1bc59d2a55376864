//! The watcher of Linux.

use std::collections::BTreeMap;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;
use rustix::fs::inotify::{self, CreateFlags, ReadFlags, WatchFlags};
use rustix::io::Errno;

use crate::pending::Pending;

/// Watches the directories of one project.
#[derive(Debug)]
pub(crate) struct Watcher {
    fd: OwnedFd,
    root: PathBuf,
    /// The device of the root; a directory on another one is a mount of its own.
    device: u64,
    /// File names that decide whether a directory beside them belongs to the project.
    beside: Vec<String>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    by_watch: FxHashMap<i32, String>,
    by_path: BTreeMap<String, i32>,
    /// Why watching is incomplete, which makes it worthless.
    failure: Option<String>,
}

/// Reports for the same directory beyond this are not told apart any more.
const MANY: usize = 50_000;

/// The directory of git's ignore rules that are not in the tree; watched for `exclude` only.
const GIT_INFO: &str = ".git/info";

/// File systems on which every change passes through this kernel (magic numbers of `statfs(2)`).
const LOCAL: &[u64] = &[
    0xef53,      // ext2, ext3, ext4
    0x9123_683e, // btrfs
    0x5846_5342, // xfs
    0x0102_1994, // tmpfs
    0x794c_7630, // overlayfs
    0xf2f5_2010, // f2fs
    0x2fc1_2fc1, // zfs
    0xca45_1a4e, // bcachefs
    0x8584_58f6, // ramfs
];

impl Watcher {
    /// # Errors
    /// In words, when changes below `root` cannot be watched reliably.
    pub(crate) fn new(root: &Path, beside: Vec<String>) -> Result<Self, String> {
        let device = rustix::fs::stat(root).map_err(|e| format!("the project cannot be read: {e}"))?.st_dev;
        check_local(root)?;
        let fd = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)
            .map_err(|e| format!("cannot watch: {e}"))?;
        Ok(Self { fd, root: root.to_owned(), device, beside, state: Mutex::default() })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Watches a directory; to be called before it is listed, by several threads if wished, and not beside
    /// [`Self::drain`], which would not know what new events are about.
    pub(crate) fn add(&self, directory: &str) {
        self.add_one(directory);
        if directory.is_empty() && self.root.join(GIT_INFO).is_dir() {
            self.add_one(GIT_INFO);
        }
    }

    fn add_one(&self, directory: &str) {
        let flags = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MODIFY
            | WatchFlags::MOVED_FROM
            | WatchFlags::MOVED_TO
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR
            | WatchFlags::DONT_FOLLOW;
        let path = if directory.is_empty() { self.root.clone() } else { self.root.join(directory) };
        match inotify::add_watch(&self.fd, &path, flags) {
            Ok(watch) => {
                let is_mount = rustix::fs::stat(&path).is_ok_and(|meta| meta.st_dev != self.device);
                let mut state = self.state();
                if let Some(old) = state.by_watch.insert(watch, directory.to_owned()) {
                    state.by_path.remove(&old);
                }
                state.by_path.insert(directory.to_owned(), watch);
                if is_mount && let Err(why) = check_local(&path) {
                    state.failure = Some(why);
                }
            }
            // Gone already: its own event, or that of its parent, tells. Without permission to list it there is nothing
            // in it that we know.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::ACCESS) => {}
            Err(error) => {
                let why = if error == Errno::NOSPC { " (fs.inotify.max_user_watches)" } else { "" };
                self.state().failure = Some(format!("cannot watch {}: {error}{why}", path.display()));
            }
        }
    }

    pub(crate) fn watches(&self, directory: &str) -> bool {
        self.state().by_path.contains_key(directory)
    }

    /// Watches nothing any more.
    pub(crate) fn reset(&self) {
        let mut state = self.state();
        for watch in std::mem::take(&mut state.by_watch).into_keys() {
            self.remove(watch);
        }
        *state = State::default();
    }

    /// Why watching is incomplete.
    pub(crate) fn failure(&self) -> Option<String> {
        self.state().failure.clone()
    }

    fn remove(&self, watch: i32) {
        // Fails only when the directory is gone, and its watch with it.
        let _ = inotify::remove_watch(&self.fd, watch);
    }

    /// Moves every event that is queued into `pending`.
    pub(crate) fn drain(&self, pending: &mut Pending) {
        let mut state = self.state();
        let mut buffer = [MaybeUninit::uninit(); 32 * 1024];
        let mut reader = inotify::Reader::new(&self.fd, &mut buffer);
        loop {
            match reader.next() {
                Ok(event) => {
                    let name = event.file_name().map(|name| name.to_str());
                    match name {
                        Some(Err(_)) => {}
                        Some(Ok(name)) => {
                            self.event(&mut state, event.wd(), event.events(), Some(name), pending)
                        }
                        None => self.event(&mut state, event.wd(), event.events(), None, pending),
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(error) => {
                    state.failure = Some(format!("cannot read changes: {error}"));
                    break;
                }
            }
            if pending.len() > MANY {
                *pending = Pending { all: true, ..Pending::default() };
                // Other queued events are covered by the walk over everything, which watches anew.
                break;
            }
        }
    }

    fn event(
        &self,
        state: &mut State,
        watch: i32,
        what: ReadFlags,
        name: Option<&str>,
        pending: &mut Pending,
    ) {
        if what.contains(ReadFlags::QUEUE_OVERFLOW) {
            pending.all = true;
            return;
        }
        if what.contains(ReadFlags::IGNORED) {
            if let Some(path) = state.by_watch.remove(&watch)
                && state.by_path.get(&path) == Some(&watch)
            {
                state.by_path.remove(&path);
            }
            return;
        }
        let Some(directory) = state.by_watch.get(&watch).cloned() else { return };
        if directory == GIT_INFO {
            pending.all |= name == Some("exclude");
            return;
        }
        let Some(name) = name else {
            if directory.is_empty() {
                pending.all = true;
            } else {
                pending.tree(directory);
            }
            return;
        };
        let path = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
        if what.contains(ReadFlags::ISDIR) {
            self.forget(state, &path);
            pending.tree(path);
            return;
        }
        let comes_or_goes = what
            .intersects(ReadFlags::CREATE | ReadFlags::DELETE | ReadFlags::MOVED_FROM | ReadFlags::MOVED_TO);
        let is_rule = matches!(name, ".gitignore" | ".ignore");
        if is_rule || comes_or_goes && self.beside.iter().any(|file| file == name) {
            pending.all = true;
        }
        pending.files.insert(path);
    }

    /// Stops watching a directory and all below it: what is there, under whatever name, is watched anew.
    fn forget(&self, state: &mut State, directory: &str) {
        let inside = format!("{directory}/");
        let below = state.by_path.range(inside.clone()..).take_while(|(path, _)| path.starts_with(&inside));
        let mut gone: Vec<String> = below.map(|(path, _)| path.clone()).collect();
        gone.push(directory.to_owned());
        for path in gone {
            if let Some(watch) = state.by_path.remove(&path) {
                state.by_watch.remove(&watch);
                self.remove(watch);
            }
        }
    }
}

/// Refuses file systems that others may change behind this kernel's back.
fn check_local(path: &Path) -> Result<(), String> {
    let kind = rustix::fs::statfs(path).map_err(|e| format!("the file system is unknown: {e}"))?.f_type;
    if LOCAL.contains(&(kind as u64)) {
        return Ok(());
    }
    Err(format!("the file system of {} (type {kind:#x}) may change without notice", path.display()))
}

impl AsFd for Watcher {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}
