//! A server on standard input and output in thirty lines. It starts no thread for a handler that is ready at once.

use mcp_protocol::{
    Json, RpcError, Server,
    model::{CallToolResult, Implementation, Tool},
};
use mcp_transport_stdio::{Options, Threads, serve_stdio};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let schema = r#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}"#;
    let server = Server::builder(Implementation::new("echo", "1.0"))
        .runtime(Threads::new(2))
        .tool(Tool::new("echo", "Says it again.", Json::parse(schema)?), |_, arguments| async move {
            let message = arguments.get("message");
            let text = message.as_ref().and_then(Json::as_text);
            text.map(CallToolResult::text).ok_or_else(|| RpcError::invalid_params("message must be a string"))
        })
        .build()?;
    serve_stdio(&server, &Options::default())?;
    Ok(())
}
