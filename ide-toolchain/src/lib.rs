//! Runs programs of the machine: within a deadline, with bounded output, and with no process left behind.
//!
//! [`run`] is for programs that end: formatters, builds, tests. [`Process`] is for those that stay, such as language
//! servers. Both hold the same promise: when they return or are dropped, the program and everything that it started are
//! gone, and that holds also when our own process is killed. How it is kept is said in the module `group`.
//!
//! Whether a program may be run at all is decided by the caller. A program that lies in a project, or that loads
//! configuration or plugins from there, is code of whoever wrote the project.

#![expect(clippy::disallowed_methods, reason = "this crate starts processes and watches their deadlines")]

mod build;
mod capture;
mod check;
mod group;
mod jobs;
mod messages;
mod process;
mod run;
mod runners;
mod site;
mod systems;
mod text;

pub use build::{build, build_systems, system_names};
pub use capture::Captured;
pub use check::{CheckMeans, check, checker_names};
pub use jobs::{JobBoard, JobError, Work};
pub use process::{Process, Program};
pub use run::{Execution, Finished, Limits, OutputSink, Overflow, RunError, run, run_heard};
pub use runners::run_tests;
pub use site::Site;
