//! Connections that hyper has upgraded.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use futures_io::{AsyncRead, AsyncWrite};
use http::{Request, Response, StatusCode};
use hyper::rt::{Read as _, ReadBuf, Write as _};
use mcp_protocol::endpoint::{Body, refusal};

use crate::service::WebSockets;

impl WebSockets {
    /// Answers a request for an upgrade and serves the connection on the server's runtime, which it must have.
    pub fn handle<B>(&self, mut request: Request<B>) -> Response<Body> {
        let upgrade = hyper::upgrade::on(&mut request);
        let (parts, _) = request.into_parts();
        let Some(runtime) = self.server().runtime() else {
            return refusal(StatusCode::NOT_IMPLEMENTED, "The server has no runtime to serve connections on");
        };
        match self.upgrade(&parts) {
            Err(response) => *response,
            Ok((response, upgraded)) => {
                runtime.spawn(Box::pin(async move {
                    // a client that went away before the switch needs nothing
                    if let Ok(stream) = upgrade.await {
                        upgraded.serve(Stream(stream)).await;
                    }
                }));
                response
            }
        }
    }
}

/// hyper's stream in the traits of `futures-io`.
///
/// Spec: none.
pub struct Stream(hyper::upgrade::Upgraded);

impl Stream {
    /// Wraps a connection that was upgraded.
    #[must_use]
    pub fn new(upgraded: hyper::upgrade::Upgraded) -> Self {
        Self(upgraded)
    }
}

impl AsyncRead for Stream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::new(buf);
        ready!(Pin::new(&mut self.0).poll_read(cx, buf.unfilled()))?;
        Poll::Ready(Ok(buf.filled().len()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, buf)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }
    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
