//! A bounded command history and the cursor store for pagination, time passed in.
//!
//! Two small stores that a server needs and that know nothing about what they hold:
//!
//! - [`Slots`] keeps the results of searches so that later pages are cheap, stable and repeatable
//!   (section 7.4).
//! - [`History`] keeps the last tool calls for the window, the dashboard and exports (7.7).
//!
//! Neither clock nor randomness is read: both are arguments.

mod export;
mod history;
mod mask;
mod slots;
mod time;
mod token;

pub use export::{csv, export_name, json};
pub use history::{Client, Entry, Event, Filter, History, NewCall, Outcome, Status};
pub use slots::{Binding, CursorError, EntryId, Hit, Slots};
