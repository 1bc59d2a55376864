//! The upgrade, as HTTP heads: what a request must say, and what is answered.

use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Version, header, request::Parts,
};
use mcp_protocol::endpoint::{Body, Refused, method_not_allowed, refusal};
use tungstenite::handshake::derive_accept_key;

/// The subprotocol that is answered when it is offered.
///
/// Spec: 2025-11-25 basic/transports; RFC 6455 section 1.9.
pub const SUBPROTOCOL: &str = "mcp";

/// Whether a comma-separated header has the token, in any case.
fn has_token(headers: &HeaderMap, name: HeaderName, token: &str) -> bool {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|part| part.trim().eq_ignore_ascii_case(token))
}

/// The 101 for a request that asks for an upgrade as RFC 6455 (4.2.1) wants it: for services with a protocol of their own.
/// `mcp` is answered as the subprotocol when it is offered. The request's origin and credentials are not checked
/// here.
///
/// Spec: RFC 6455 section 4.2.
///
/// # Errors
/// The response to a request that is no such upgrade.
pub fn switch(parts: &Parts) -> Result<Response<Body>, Refused> {
    let refuse = |status, why| Err(Box::new(refusal(status, why)));
    if parts.method != Method::GET {
        return Err(method_not_allowed("GET"));
    }
    let headers = &parts.headers;
    let asks = parts.version >= Version::HTTP_11
        && has_token(headers, header::CONNECTION, "upgrade")
        && has_token(headers, header::UPGRADE, "websocket");
    let is_known = headers.get(header::SEC_WEBSOCKET_VERSION).is_some_and(|version| version == "13");
    if !asks || !is_known {
        let mut response = refusal(StatusCode::UPGRADE_REQUIRED, "This address speaks WebSocket, version 13");
        let headers = response.headers_mut();
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return Err(Box::new(response));
    }
    // sixteen bytes in base64
    let key = headers.get(header::SEC_WEBSOCKET_KEY).map(HeaderValue::as_bytes);
    let Some(key) = key.filter(|key| key.len() == 24 && key.ends_with(b"==")) else {
        return refuse(StatusCode::BAD_REQUEST, "Sec-WebSocket-Key is missing or malformed");
    };
    let Ok(accept) = HeaderValue::try_from(derive_accept_key(key)) else {
        return refuse(StatusCode::BAD_REQUEST, "Sec-WebSocket-Key is missing or malformed");
    };
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let answer = response.headers_mut();
    answer.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    answer.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    answer.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    if has_token(headers, header::SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL) {
        answer.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    }
    Ok(response)
}
