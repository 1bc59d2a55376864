//! IDE-grade code intelligence for coding agents over MCP.
