//! A bounded command history and the cursor store for pagination, time passed in.
//!
//! Two small stores that a server needs and that know nothing about what they hold:
//!
//! - [`Slots`] keeps the results of searches so that later pages are cheap, stable and repeatable.
//! - [`History`] keeps the last tool calls for the window, the dashboard and exports; with the feature `sqlite`
//!   a database keeps many more of them and finds them by their text.
//!
//! Neither clock nor randomness is read: both are arguments.

#[cfg(feature = "sqlite")]
mod database;
mod entry;
mod export;
mod history;
mod mask;
mod slots;
mod statistics;
mod time;
mod token;
mod tokens;

#[cfg(feature = "sqlite")]
pub use database::{Database, Error as DatabaseError, Page};
pub use entry::{Client, Entry, NewCall, Outcome, Received, Status};
pub use export::{csv, export_name, json};
pub use history::{Event, Filter, History};
pub use slots::{Binding, CursorError, EntryId, Hit, Slots};
pub use statistics::{Group, Statistics};
pub use time::iso;
pub use tokens::estimated_tokens;
