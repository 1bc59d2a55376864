//! MCP inside an axum application, beside routes of its own.

use axum::{
    Router,
    extract::Request,
    routing::{any, get},
};
use mcp_protocol::{RpcError, Server, model::Implementation};
use mcp_transport_http::{Config, StreamableHttp, Tokio};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// The message to repeat.
    message: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder(Implementation::new("echo", "1.0"))
        .runtime(Tokio::current())
        .typed("echo", "Says it again.", |_, echo: Echo| async move { Ok::<_, RpcError>(echo.message) })
        .build()?;
    let mcp = StreamableHttp::new(server.clone(), Config::default());
    let events = StreamableHttp::new(server, Config::default().prefer_events(true));
    let app = Router::new()
        .route("/", get(async || "An application with MCP at /mcp"))
        .route("/mcp", any(move |request: Request| mcp.handle(request)))
        // the same server again, answering with event streams throughout
        .route("/mcp-events", any(move |request: Request| events.handle(request)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    #[expect(clippy::print_stderr, reason = "says where it listens")]
    {
        eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    }
    axum::serve(listener, app).await?;
    Ok(())
}
