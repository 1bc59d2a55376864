//! The smallest useful server, and the one that is measured: one tool, `/mcp`, tokio and hyper.
//!
//! `echo [--port N] [--mode json|sse|stateful] [--threads N]`: a JSON object per answer without sessions, the same as
//! event streams, or with sessions.

use mcp_protocol::{
    Json, RpcError, Server,
    model::{CallToolResult, Implementation, Tool},
};
use mcp_transport_http::{Config, StreamableHttp, Tokio, serve};

fn argument(name: &str) -> Option<String> {
    let all: Vec<String> = std::env::args().collect();
    all.iter().position(|a| a == name).and_then(|n| all.get(n + 1).cloned())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let port: u16 = argument("--port").unwrap_or_else(|| "0".into()).parse()?;
    let config = match argument("--mode").as_deref() {
        None | Some("json") => Config::default().sessions(false),
        Some("sse") => Config::default().sessions(false).prefer_events(true),
        Some("stateful") => Config::default(),
        Some(other) => return Err(format!("unknown mode: {other}").into()),
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    if let Some(threads) = argument("--threads") {
        runtime.worker_threads(threads.parse()?);
    }
    runtime.enable_all().build()?.block_on(run(port, config))
}

async fn run(port: u16, config: Config) -> Result<(), Box<dyn std::error::Error>> {
    let schema = r#"{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}"#;
    let server = Server::builder(Implementation::new("echo", "1.0"))
        .runtime(Tokio::current())
        .tool(Tool::new("echo", "Says it again.", Json::parse(schema)?), |_, arguments| async move {
            let message = arguments.get("message");
            let text = message.as_ref().and_then(Json::as_text);
            text.map(CallToolResult::text).ok_or_else(|| RpcError::invalid_params("message must be a string"))
        })
        .build()?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    #[expect(clippy::print_stderr, reason = "says where it listens when the port was 0")]
    {
        eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    }
    let service = StreamableHttp::new(server, config);
    serve(listener, move |request| service.handle(request), std::future::pending()).await;
    Ok(())
}
