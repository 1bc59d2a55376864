//! A server and a client of the 2024-11-05 pair of endpoints in one process: the client's requests are calls of the
//! service. `cargo run -p ideindex-mcp-transport-sse --example in-process`.

use std::error::Error;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use mcp_protocol::{
    Json, Server, Version,
    client::{BoxError, Client as _, ClientBuilder, ClientExt as _, ResponseBody, SendHttp},
    model::{CallToolResult, Implementation, Tool},
    server::{BoxFuture, Runtime},
};
use mcp_transport_sse::{Config, HttpSse, SseTransport};

/// Sends requests to a service instead of an address.
struct Direct(HttpSse);

impl SendHttp for Direct {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<Result<Response<ResponseBody>, BoxError>> {
        let response = self.0.handle(request.map(Full::new));
        Box::pin(async move { Ok(response.await.map(|body| body.map_err(BoxError::from).boxed_unsync())) })
    }
}

struct Tokio;

impl Runtime for Tokio {
    fn spawn(&self, task: BoxFuture<()>) {
        drop(tokio::spawn(task));
    }
    fn spawn_blocking(&self, job: Box<dyn FnOnce() + Send>) {
        drop(tokio::task::spawn_blocking(job));
    }
}

#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let schema = Json::parse(r#"{"type":"object","properties":{"name":{"type":"string"}}}"#)?;
    let server = Server::builder(Implementation::new("greeter", "1.0"))
        .tool_inline(Tool::new("greet", "Says hello.", schema), |_, arguments| {
            let name = arguments.get("name");
            let name = name.as_ref().and_then(Json::as_text).unwrap_or_default();
            Ok(CallToolResult::text(format!("Hello, {name}!")))
        })
        .build()?;
    let service = HttpSse::new(server, Config::new("/messages"));

    let uri = http::Uri::from_static("http://localhost/sse");
    let client = ClientBuilder::new(Implementation::new("agent", "1.0"))
        .connect(SseTransport::new(Direct(service.clone()), uri, Tokio))
        .await?;
    // the endpoints are old, the revision need not be
    assert_eq!(client.session().version(), Version::LATEST_HANDSHAKE);
    let said = client.call_tool("greet", &Json::parse(r#"{"name":"Ann"}"#)?).await?.into_result()?;
    assert_eq!(said.content[0].as_text(), Some("Hello, Ann!"));
    assert_eq!(service.session_count(), 1);
    Ok(())
}
