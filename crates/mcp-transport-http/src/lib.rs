//! Streamable HTTP for MCP as a runtime-agnostic service.
