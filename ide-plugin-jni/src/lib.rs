//! The native half of the JetBrains plugin: a server in the process of an IDE, which asks the IDE over JNI.
//!
//! `ide-plugin/HOST.md` is the contract with the JVM side. `ffi` holds the native methods and every unsafe line; what it
//! hands over is a `host::Host` and bytes. `calls` asks the IDE on a few threads that are attached to the JVM: no
//! other thread touches Java. `plugin` keeps the running servers by number.
#![expect(
    clippy::disallowed_methods,
    reason = "the host: here the clock and the settings are read, and threads wait"
)]

mod calls;
mod carrier;
mod ffi;
mod host;
mod ide;
mod places;
mod plugin;
mod queue;
mod surface;
