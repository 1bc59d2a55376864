//! IDE-grade code intelligence for coding agents over MCP: the assembly.
//!
//! [`AppState`] holds the open projects and their indexes and answers what the tool catalogue asks of its
//! surroundings; [`mcp_server`] puts the catalogue on an MCP server; [`serve`] and [`stdio`] put that on a wire.
//! The command line in [`cli`] is the binary.
#![expect(
    clippy::disallowed_methods,
    reason = "the host: here the clock, the environment and the disk are read"
)]

pub mod agents;
mod app_state;
mod apps;
mod calls;
#[cfg(feature = "cli")]
pub mod cli;
mod companion;
mod config;
mod cursors;
mod dashboard;
mod embed;
mod engine;
mod format;
mod git;
mod jobs;
mod keys;
mod language_servers;
mod layered;
mod layout;
mod listener;
#[cfg(feature = "cli")]
mod lsp;
mod mcp;
mod products;
mod project;
mod project_errors;
mod readers;
mod records;
mod review;
mod serve;
mod steps;
mod switches;
mod trust;
mod views;

pub use app_state::{AppState, OpenBackend, Session};
pub use calls::{Cancelled, log};
pub use companion::{Companion, CompanionPlaces};
pub use config::{ClientSettings, Config, ConfigError, LanguageServerCommand, Places, ResponseFormat};
pub use embed::{Ide, Serving, text_on_disk};
pub use engine::{Engine, embedded};
pub use ide_edit::{CarriedFile, Carrier, CarryError, CarryWay};
pub use ide_index::BundledLibraries;
pub use ide_project_resolver::Project as Layout;
pub use layered::Layered;
pub use mcp::mcp_server;
pub use products::{PRODUCTS, Product};
pub use records::{Records, Running};
pub use serve::{Listening, ServeError, serve, stdio};
