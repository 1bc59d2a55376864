//! hyper as what sends a client's requests: plain HTTP with kept-alive connections, redirects not followed.

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use mcp_protocol::{
    client::{BoxError, ResponseBody, SendHttp},
    server::BoxFuture,
};

/// A pool of connections. Use it inside a tokio runtime.
///
/// Spec: none.
#[derive(Clone, Debug)]
pub struct Hyper(Client<HttpConnector, Full<Bytes>>);

impl Default for Hyper {
    fn default() -> Self {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        Self(Client::builder(TokioExecutor::new()).build(connector))
    }
}

impl SendHttp for Hyper {
    fn send(&self, request: Request<Bytes>) -> BoxFuture<Result<Response<ResponseBody>, BoxError>> {
        let response = self.0.request(request.map(Full::new));
        Box::pin(async move { Ok(response.await?.map(|body| body.map_err(BoxError::from).boxed_unsync())) })
    }
}
