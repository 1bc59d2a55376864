//! The 2024-11-05 HTTP+SSE pair of endpoints for MCP.
