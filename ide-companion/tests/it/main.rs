//! Scripted conversations with Claude Code's protocol, against an editor in memory.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene has failed")]

mod codex;
mod conversation;
mod diffs;
mod editor;
mod gemini;
mod selection;
