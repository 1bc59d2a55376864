//! Places in a project that could not be read. It is not absent: answers that may miss something because of it say
//! so, and no change of code is planned without it.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Files and directories with the reason, by their paths as the project knows them.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    /// Files are noted by the threads that read them, and nearly all can be read: this costs them nothing.
    has_files: AtomicBool,
    places: Mutex<Places>,
}

#[derive(Debug, Default)]
struct Places {
    files: BTreeMap<Arc<str>, String>,
    directories: BTreeMap<Arc<str>, String>,
}

/// A place that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnreadPlace {
    pub(crate) path: Arc<str>,
    pub(crate) why: String,
    pub(crate) is_directory: bool,
}

impl Unread {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file was read, or could not be.
    pub(crate) fn note_file(&self, path: &Arc<str>, error: Option<&io::Error>) {
        match error {
            Some(error) => {
                self.places().files.insert(path.clone(), reason(error));
                self.has_files.store(true, Ordering::Release);
            }
            None if self.has_files.load(Ordering::Acquire) => {
                self.places().files.remove(path);
            }
            None => {}
        }
    }

    /// The directories in and below a directory (`""` is everything) were listed, but for these.
    pub(crate) fn note_directories(&self, below: &str, found: &[(String, String)]) {
        let mut places = self.places();
        let is_below = |path: &str| {
            below.is_empty()
                || path.strip_prefix(below).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        places.directories.retain(|path, _| !is_below(path));
        places.directories.extend(found.iter().map(|(path, why)| (path.as_str().into(), why.clone())));
    }

    /// All of them, without files that the project does not have any more.
    pub(crate) fn all(&self, is_there: impl Fn(&str) -> bool) -> Vec<UnreadPlace> {
        let mut places = self.places();
        places.files.retain(|path, _| is_there(path));
        self.has_files.store(!places.files.is_empty(), Ordering::Release);
        let place = |is_directory: bool| {
            move |(path, why): (&Arc<str>, &String)| UnreadPlace {
                path: path.clone(),
                why: why.clone(),
                is_directory,
            }
        };
        places.directories.iter().map(place(true)).chain(places.files.iter().map(place(false))).collect()
    }
}

/// An error without the number of the system.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// Completes an answer's "at least, because …".
pub(crate) fn because(unread: &[UnreadPlace]) -> Option<String> {
    let first = unread.first()?;
    let path = if first.path.is_empty() { "." } else { &*first.path };
    let more = match unread.len() - 1 {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    Some(format!(
        "{} of the project's files and folders cannot be read: `{path}` ({}){more}",
        unread.len(),
        first.why
    ))
}
