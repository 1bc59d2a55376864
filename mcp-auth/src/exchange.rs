//! Requests of the authorization itself: sent by whatever sends the client's other requests, read whole, bounded.

use std::time::SystemTime;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, header};
use http_body_util::BodyExt as _;
use mcp_protocol::UnixMillis;
use mcp_transport_http::SendHttp;
use oauth2::url::{Host, Url};
use serde::de::DeserializeOwned;

use crate::error::AuthError;

/// No document of an authorization server is as long as this.
const BODY_LIMIT: usize = 1 << 20;

/// A response that was read to its end.
pub(crate) struct FullResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl FullResponse {
    pub(crate) fn json<T: DeserializeOwned>(&self, what: &str) -> Result<T, AuthError> {
        serde_json::from_slice(&self.body)
            .map_err(|e| AuthError::Malformed(format!("{what} is malformed: {e}")))
    }
}

pub(crate) async fn send(http: &dyn SendHttp, request: Request<Bytes>) -> Result<FullResponse, AuthError> {
    let response = http.send(request).await.map_err(AuthError::Http)?;
    let (parts, mut stream) = response.into_parts();
    let mut body = Vec::new();
    while let Some(frame) = stream.frame().await {
        // frames without data are trailers
        let Ok(data) = frame.map_err(AuthError::Http)?.into_data() else { continue };
        if body.len() + data.len() > BODY_LIMIT {
            return Err(AuthError::Malformed(format!("An answer is longer than {BODY_LIMIT} bytes")));
        }
        body.extend_from_slice(&data);
    }
    Ok(FullResponse { status: parts.status, headers: parts.headers, body: body.into() })
}

/// The document at `url`; `None` when there is none (4xx).
pub(crate) async fn document<T: DeserializeOwned>(
    http: &dyn SendHttp,
    url: &Url,
    what: &str,
) -> Result<Option<T>, AuthError> {
    let request = Request::builder()
        .method(Method::GET)
        .uri(url.as_str())
        .header(header::ACCEPT, "application/json")
        .body(Bytes::new())
        .map_err(|e| AuthError::Http(e.into()))?;
    let response = send(http, request).await?;
    match response.status {
        StatusCode::OK => response.json(what).map(Some),
        status if status.is_client_error() => Ok(None),
        status => Err(AuthError::Discovery(format!("{url} answered with status {status}"))),
    }
}

pub(crate) fn parse_url(text: &str) -> Result<Url, AuthError> {
    Url::parse(text).map_err(|e| AuthError::Malformed(format!("{text:?} is no address: {e}")))
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

/// Addresses that secrets go to, or that lead there, are `https:` (OAuth 2.1 section 1.5). Development on one machine
/// is exempt: `http:` on a loopback host, while `server` is on one too.
pub(crate) fn require_secure(url: &Url, server: &Url) -> Result<(), AuthError> {
    let is_local = url.scheme() == "http" && is_loopback(url) && is_loopback(server);
    if url.scheme() == "https" || is_local { Ok(()) } else { Err(AuthError::Insecure(url.to_string())) }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the rim is where the clock is read; both sides let it be replaced"
)]
pub(crate) fn system_time() -> UnixMillis {
    SystemTime::now().into()
}
