//! A WebSocket server on a loopback port, and a client of it: `cargo run -p ideindex-mcp-transport-ws --example loopback
//! --features hyper-server`. The server runs on tokio and hyper; the client's stream belongs to another runtime, to which
//! only the traits of `futures-io` matter.

use std::error::Error;

use mcp_protocol::{
    Context, Json, RpcError, Server,
    client::{ClientBuilder, ClientExt as _},
    model::{CallToolResult, Implementation, Tool},
};
use mcp_transport_http::{Tokio, serve};
use mcp_transport_ws::{Config, WebSocketTransport, WebSockets};

async fn add(_: Context, arguments: Json) -> Result<CallToolResult, RpcError> {
    let number = |key| arguments.get(key).and_then(|n| n.to::<f64>().ok()).unwrap_or_default();
    Ok(CallToolResult::text((number("a") + number("b")).to_string()))
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let numbers = r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}}}"#;
    let server = Server::builder(Implementation::new("calculator", "1.0"))
        .runtime(Tokio::current())
        .tool(Tool::new("add", "Adds two numbers.", Json::parse(numbers)?), add)
        .build()?;
    let sockets = WebSockets::new(server, Config::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(serve(
        listener,
        move |request| std::future::ready(sockets.handle(request)),
        std::future::pending(),
    ));

    let stream = smol::net::TcpStream::connect(address).await?;
    let request = http::Request::get(format!("ws://{address}/")).body(())?;
    let client = ClientBuilder::new(Implementation::new("agent", "1.0"))
        .connect(WebSocketTransport::new(stream, request, Tokio::current()))
        .await?;
    assert_eq!(client.list_tools().await?.len(), 1);
    let sum = client.call_tool("add", &Json::parse(r#"{"a":1.5,"b":2}"#)?).await?.into_result()?;
    assert_eq!(sum.content[0].as_text(), Some("3.5"));
    Ok(())
}
