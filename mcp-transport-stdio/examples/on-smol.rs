//! A server on another executor than tokio: smol, one client per TCP connection, one message per line.

use mcp_protocol::{
    RpcError, Server,
    model::Implementation,
    server::{BoxFuture, Runtime},
};
use mcp_transport_stdio::{Options, serve_streams};
use schemars::JsonSchema;
use serde::Deserialize;

/// smol as the runtime of handlers.
struct Smol;

impl Runtime for Smol {
    fn spawn(&self, task: BoxFuture<()>) {
        smol::spawn(task).detach();
    }
    fn spawn_blocking(&self, job: Box<dyn FnOnce() + Send + 'static>) {
        smol::unblock(job).detach();
    }
    fn sleep(&self, duration: std::time::Duration) -> Option<BoxFuture<()>> {
        Some(Box::pin(async move {
            smol::Timer::after(duration).await;
        }))
    }
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// The message to repeat.
    message: String,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder(Implementation::new("echo", "1.0"))
        .runtime(Smol)
        .typed("echo", "Says it again.", |_, echo: Echo| async move { Ok::<_, RpcError>(echo.message) })
        .build()?;
    smol::block_on(async {
        let listener = smol::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        #[expect(clippy::print_stderr, reason = "says where it listens")]
        {
            eprintln!("listening on {}", listener.local_addr()?);
        }
        loop {
            let (stream, _) = listener.accept().await?;
            let server = server.clone();
            smol::spawn(async move {
                // how a connection ends concerns nobody but its client
                drop(serve_streams(&server, &Options::default(), stream.clone(), stream).await);
            })
            .detach();
        }
    })
}
