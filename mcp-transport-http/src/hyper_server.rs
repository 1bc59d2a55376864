//! A listener on hyper and tokio, for programs that have nothing else to listen with.

use std::{convert::Infallible, future::Future, io, sync::Arc, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use mcp_protocol::server::{BoxFuture, Runtime};
use tokio::net::TcpListener;

/// tokio as the [`Runtime`]. Use it inside a tokio runtime.
///
/// Spec: none.
#[derive(Clone, Debug)]
pub struct Tokio(tokio::runtime::Handle);

impl Tokio {
    /// The runtime this is called in.
    ///
    /// # Panics
    /// Outside a tokio runtime.
    #[must_use]
    pub fn current() -> Self {
        Self(tokio::runtime::Handle::current())
    }

    /// The runtime of that handle.
    #[must_use]
    pub fn of(handle: tokio::runtime::Handle) -> Self {
        Self(handle)
    }
}

impl Runtime for Tokio {
    fn spawn(&self, task: BoxFuture<()>) {
        drop(self.0.spawn(task));
    }
    fn spawn_blocking(&self, job: Box<dyn FnOnce() + Send + 'static>) {
        drop(self.0.spawn_blocking(job));
    }
    fn sleep(&self, duration: Duration) -> Option<BoxFuture<()>> {
        Some(Box::pin(tokio::time::sleep(duration)))
    }
}

const AFTER_FAILED_ACCEPT: Duration = Duration::from_millis(100);

/// Accepts connections and answers their requests with `service` until `shutdown` is ready. Then it accepts no more and
/// lets every connection finish the request it is in; end streams with
/// [`StreamableHttp::shut_down`](crate::StreamableHttp::shut_down) first.
///
/// The service decides by path what answers, so several transports can share the listener; responses may upgrade their
/// connection. TCP_NODELAY is set.
///
/// A connection that fails is dropped; it concerns nobody but its client.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
pub async fn serve<S, Fut, B>(listener: TcpListener, service: S, shutdown: impl Future<Output = ()>)
where
    S: Fn(Request<Incoming>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Response<B>> + Send + 'static,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let service = Arc::new(service);
    // every connection holds a receiver: told once, gone when it is done
    let (ending, _) = tokio::sync::watch::channel(());
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        let stream = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(e) => {
                    if !is_of_one_connection(&e) {
                        // out of descriptors or memory: it may pass, and spinning does not help
                        tokio::time::sleep(AFTER_FAILED_ACCEPT).await;
                    }
                    continue;
                }
            },
        };
        if stream.set_nodelay(true).is_err() {
            // the peer is already gone
            continue;
        }
        let service = Arc::clone(&service);
        let connection = http1::Builder::new().serve_connection(
            TokioIo::new(stream),
            service_fn(move |request| {
                let response = service(request);
                async move { Ok::<_, Infallible>(response.await) }
            }),
        );
        let mut told = ending.subscribe();
        drop(tokio::spawn(async move {
            let mut connection = std::pin::pin!(connection.with_upgrades());
            // how it ends concerns nobody but its client
            tokio::select! {
                done = connection.as_mut() => return drop(done),
                told = told.changed() => drop(told),
            }
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }));
    }
    ending.send_replace(());
    ending.closed().await;
}

/// Errors that say something about one client, or will pass, and none about the listener.
fn is_of_one_connection(e: &io::Error) -> bool {
    matches!(
        e.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::Interrupted
    )
}
