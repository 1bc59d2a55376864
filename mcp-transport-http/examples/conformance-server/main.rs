//! The server that the official conformance suite is run against: every feature once, on one endpoint, in every
//! revision. The first argument, or `PORT` in the environment, is the port on 127.0.0.1; without, it picks one.

mod inputs;
mod prompts;
mod resources;
mod tasks;
mod tools;

use mcp_protocol::{Json, Server, model::Implementation, server::ServerBuilder};
use mcp_transport_http::{Config, StreamableHttp, Tokio, serve};

/// A JSON literal of this program.
fn json(text: &str) -> Json {
    Json::parse(text).expect("a literal")
}

fn server() -> Result<Server, Box<dyn std::error::Error>> {
    let mut key = [0u8; 32];
    getrandom::fill(&mut key)?;
    let builder = Server::builder(Implementation::new("conformance-server", env!("CARGO_PKG_VERSION")))
        .instructions("Fixtures for the conformance suite.")
        .runtime(Tokio::current())
        .state_key(key)
        .logging();
    let steps: [fn(ServerBuilder) -> ServerBuilder; 5] =
        [tools::add, inputs::add, tasks::add, resources::add, prompts::add];
    Ok(steps.into_iter().fold(builder, |builder, step| step(builder)).build()?)
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    #[expect(clippy::disallowed_methods, reason = "this is the binary")]
    let port = std::env::args().nth(1).or_else(|| std::env::var("PORT").ok()).unwrap_or_else(|| "0".into());
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port.parse::<u16>()?)).await?;
    #[expect(clippy::print_stderr, reason = "says where it listens when the port was 0")]
    {
        eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    }
    let service = StreamableHttp::new(server()?, Config::default());
    serve(listener, move |request| service.handle(request), std::future::pending()).await;
    Ok(())
}
