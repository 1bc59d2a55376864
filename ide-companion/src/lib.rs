//! The protocols by which coding agents on the command line discover and drive an editor.
//!
//! Claude Code finds an editor by its lock file ([`LockFiles`]) and speaks JSON-RPC over a WebSocket with it; who is let in
//! decides [`Admission`], what is said decides [`Session`]. Codex asks over a local socket that editors share ([`Router`]).
//! Gemini CLI and Qwen Code speak MCP with it over HTTP ([`Discovery`], [`context_update`]).
//! All of it shows and asks through
//! [`ide_model::EditorSurface`], whether that is an IDE or a web page. Nothing here opens a socket or reads a clock: texts
//! and times are arguments. Only [`LockFiles`] touches the disk.

mod claude;
mod codex;
mod gemini;
mod lock;
mod text;

pub use claude::{
    Admission, Budget, Dialect, Head, Job, Secret, Session, SleepWatch, Speaker, keyed_hash, same_secret,
};
pub use codex::{
    Frames, MAX_FRAME, Router, RouterReply, answer as codex_answer, context as codex_context,
    introduction as codex_introduction,
};
pub use gemini::{Discovery, DiscoveryFolder, GEMINI_DEBOUNCE_MS, GeminiFlavour, context_update};
pub use lock::{Lock, LockFiles, LockPlaces, write_private};
