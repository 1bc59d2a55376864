//! A bounded command history and the cursor store for pagination, time passed in.
//!
//! Three small stores that a server needs and that know nothing about what they hold:
//!
//! - [`Cursors`] keeps the results of searches so that later pages are cheap, stable and repeatable
//!   (section 7.4); [`Slots`] is its lower half, for callers that hold whole results.
//! - [`History`] keeps the last tool calls for the window, the dashboard and exports (7.7).
//! - [`Handles`] gives opaque names to things that a client may want to come back to (`symbolId`,
//!   section 9).
//!
//! Neither clock nor randomness is read: both are arguments.

mod cursors;
mod export;
mod handles;
mod history;
mod mask;
mod slots;
mod time;
mod token;

pub use cursors::{
    Batch, Cursors, FIRST_COLLECTION, MAX_HELD, Page, PageError, PageRequest, ResumeError, Search, Step,
};
pub use export::{csv, export_name, json};
pub use handles::{HandleExpired, Handles};
pub use history::{Client, Entry, Event, Filter, History, NewCall, Outcome, Status};
pub use slots::{Binding, CursorError, EntryId, Hit, Slots};
pub use token::{MAX_PAGE_SIZE, page_size};
