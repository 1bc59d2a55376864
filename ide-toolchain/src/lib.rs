//! Runs programs of the machine: within a deadline, with bounded output, and with no process left behind.
//!
//! [`run`] is for programs that end: formatters, builds, tests. [`Process`] is for those that stay, such as language
//! servers. Both hold the same promise: when they return or are dropped, the program and everything that it started are
//! gone, and that holds also when our own process is killed. How it is kept is said in the module `group`.
//!
//! Whether a program may be run at all is decided by the caller. A program that lies in a project, or that loads
//! configuration or plugins from there, is code of whoever wrote the project.

#![expect(clippy::disallowed_methods, reason = "this crate starts processes and watches their deadlines")]

mod capture;
mod group;
mod process;
mod run;

pub use capture::Captured;
pub use process::{Process, Program};
pub use run::{Finished, Limits, Overflow, RunError, run};
