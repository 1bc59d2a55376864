//! Systems on which events do not prove freshness: there is no watcher, the walk decides.

use std::path::Path;

use crate::pending::Pending;

/// Cannot be made.
#[derive(Debug)]
pub(crate) enum Watcher {}

impl Watcher {
    pub(crate) fn new(_root: &Path, _beside: Vec<String>) -> Result<Self, String> {
        Err("changes are found by walking the project on this system".to_owned())
    }

    pub(crate) fn add(&self, _directory: &str) {
        match *self {}
    }

    pub(crate) fn watches(&self, _directory: &str) -> bool {
        match *self {}
    }

    pub(crate) fn reset(&self) {
        match *self {}
    }

    pub(crate) fn failure(&self) -> Option<String> {
        match *self {}
    }

    pub(crate) fn drain(&self, _pending: &mut Pending) {
        match *self {}
    }
}
