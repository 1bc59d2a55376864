//! The parts that the clients of HTTP transports share: the sender of requests, and the reading of bodies. Feature
//! `http-client`.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt as _, combinators::UnsyncBoxBody};

use super::{BoxError, ClientError};
use crate::server::BoxFuture;

/// The body of a response, as a [`SendHttp`] gives it.
///
/// Spec: none.
pub type ResponseBody = UnsyncBoxBody<Bytes, BoxError>;

/// Sends one HTTP request. Redirects to other origins must not be followed.
///
/// Spec: 2026-07-28 basic/transports/streamable-http.
pub trait SendHttp: Send + Sync + 'static {
    /// Sends it and gives the response when its head is there. Dropping the body closes the stream.
    fn send(&self, request: Request<Bytes>) -> BoxFuture<Result<Response<ResponseBody>, BoxError>>;
}

impl<S: SendHttp + ?Sized> SendHttp for Arc<S> {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<Result<Response<ResponseBody>, BoxError>> {
        (**self).send(request)
    }
}

/// The body of a response with the status 200.
///
/// Spec: none.
///
/// # Errors
/// When there is no response, or it has another status.
pub fn body_of(response: Result<Response<ResponseBody>, BoxError>) -> Result<ResponseBody, ClientError> {
    let response = response.map_err(ClientError::Transport)?;
    match response.status() {
        StatusCode::OK => Ok(response.into_body()),
        status => Err(ClientError::Status { status: status.as_u16(), error: None }),
    }
}

/// A body as a whole, of at most `limit` bytes.
///
/// Spec: none.
///
/// # Errors
/// When the body breaks off, or is longer.
pub async fn read_body(mut body: ResponseBody, limit: usize) -> Result<Bytes, ClientError> {
    let mut read = Vec::new();
    while let Some(frame) = body.frame().await {
        // frames without data are trailers
        let Ok(data) = frame.map_err(ClientError::Transport)?.into_data() else { continue };
        if read.len() + data.len() > limit {
            return Err(ClientError::TooLong { limit });
        }
        read.extend_from_slice(&data);
    }
    Ok(read.into())
}
