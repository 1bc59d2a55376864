//! Language servers as a source of answers about code.
//!
//! [`Session`] is one conversation with a server, without threads, clocks and pipes: messages in, messages out.
//! [`LanguageServer`] is a [`Provider`](ide_model::Provider) over it, with a process that is started when somebody asks, kept
//! an eye on, and ended when nobody asks any more. [`KNOWN`] is the table of servers; [`ServerSpec`] may also come from the
//! settings of the user.
//!
//! Whether a server may run in a project at all is decided by the caller ([`Options::allowed`]): build files and plugins of a
//! repository are code of whoever wrote it. The program itself is looked for on the user's search path only.
#![expect(
    clippy::disallowed_methods,
    reason = "servers are waited for by the clock, and name files of libraries whose text turns lines into bytes"
)]

mod convert;
mod keeper;
mod provider;
mod requests;
mod session;
mod table;

pub use keeper::{Launcher, Options, RunningProgram, Streams};
pub use provider::LanguageServer;
pub use session::{Message, Published, Ready, Session, Setup};
pub use table::{Extras, KNOWN, KnownServer, ServerSpec, find_program};
