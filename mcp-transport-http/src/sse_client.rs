//! The client's side of the pair of endpoints of 2024-11-05 ("HTTP with SSE"): a stream on which the server speaks, and
//! an address to which the client posts. It is here beside the newer client because clients find out by trying which
//! one a server wants.

use std::{future::poll_fn, sync::Arc};

use bytes::Bytes;
use http::{Method, Request, StatusCode, Uri, header, uri::Parts};
use http_body_util::BodyExt as _;
use mcp_protocol::{
    Version,
    client::{Client, ClientError, ClientHandler, Connection, Session, Wire},
    framing::{Event, Events},
    server::Runtime,
};

use crate::client::{HttpClient, ResponseBody, SendHttp, stream_of};

/// Connects to the stream at `uri` and shakes hands, offering the newest revision that has a handshake.
///
/// Spec: 2024-11-05 basic/transports.
///
/// # Errors
/// When there is no such stream, its endpoint lies on another origin, or nothing can be agreed on.
pub async fn connect_sse(
    http: Arc<dyn SendHttp>,
    uri: Uri,
    session: Session,
    answers: impl ClientHandler,
    runtime: Arc<dyn Runtime>,
) -> Result<Connection, ClientError> {
    let request = Request::builder()
        .method(Method::GET)
        .uri(&uri)
        .header(header::ACCEPT, "text/event-stream")
        .body(Bytes::new())
        .map_err(|e| ClientError::Transport(e.into()))?;
    let mut stream =
        Stream { body: stream_of(http.send(request).await)?, events: Events::default(), ready: Vec::new() };
    let endpoint = loop {
        match stream.next().await {
            Some(event) if event.name == "endpoint" => break resolve(&uri, &event.data)?,
            Some(_) => {}
            None => {
                return Err(ClientError::Protocol("The stream ended before it named its endpoint".into()));
            }
        }
    };
    let (connection, wire) = Connection::new(session, answers);
    let wire = Arc::new(wire);
    runtime.spawn(Box::pin(post_all(http, endpoint, Arc::clone(&wire))));
    runtime.spawn(Box::pin(read_all(stream, wire)));
    connection.negotiate(Some(Version::LATEST_HANDSHAKE), None).await?;
    Ok(connection)
}

/// Connects to an address of which nothing is known, by the newest way that its server takes: Streamable HTTP of any
/// revision, or else the pair of endpoints of 2024-11-05 ("Backwards Compatibility" of the transports).
///
/// Spec: 2026-07-28 basic/versioning; 2025-11-25 basic/transports.
///
/// # Errors
/// When no way leads in; then the error of the newest.
pub async fn connect_any(
    http: Arc<dyn SendHttp>,
    uri: Uri,
    session: Session,
    answers: Arc<dyn ClientHandler>,
    runtime: Arc<dyn Runtime>,
) -> Result<Arc<dyn Client>, ClientError> {
    let newest = HttpClient::connect(
        Arc::clone(&http),
        uri.clone(),
        session.clone(),
        Arc::clone(&answers),
        Arc::clone(&runtime),
        None,
    )
    .await;
    match newest {
        Ok(client) => Ok(Arc::new(client)),
        Err(refused @ ClientError::Status { status: 400 | 404 | 405, .. }) => {
            match connect_sse(http, uri, session, answers, runtime).await {
                Ok(client) => Ok(Arc::new(client)),
                Err(_) => Err(refused),
            }
        }
        Err(e) => Err(e),
    }
}

/// The endpoint's address; it must be on the stream's own origin, because messages go there.
fn resolve(stream: &Uri, endpoint: &str) -> Result<Uri, ClientError> {
    let malformed = || ClientError::Protocol(format!("The endpoint {endpoint:?} is no address"));
    let given: Uri = match endpoint.parse() {
        // such a reference names a host
        Ok(_) if endpoint.starts_with("//") => return Err(malformed()),
        Ok(uri) if endpoint.starts_with('/') || endpoint.contains("://") => uri,
        // relative to the stream's folder
        _ => {
            let folder = stream.path().rsplit_once('/').map_or("", |(folder, _)| folder);
            format!("{folder}/{endpoint}").parse().map_err(|_| malformed())?
        }
    };
    let mut parts = Parts::default();
    parts.path_and_query = given.path_and_query().cloned();
    parts.scheme = stream.scheme().cloned();
    parts.authority = stream.authority().cloned();
    let is_same = given.authority().is_none_or(|a| Some(a) == stream.authority())
        && given.scheme().is_none_or(|s| Some(s) == stream.scheme());
    if !is_same {
        return Err(ClientError::Protocol(format!("The endpoint {endpoint} lies on another origin")));
    }
    Uri::from_parts(parts).map_err(|_| malformed())
}

struct Stream {
    body: ResponseBody,
    events: Events,
    ready: Vec<Event>,
}

impl Stream {
    /// The next event; `None` when the stream ends or breaks.
    async fn next(&mut self) -> Option<Event> {
        while self.ready.is_empty() {
            let data = self.body.frame().await?.ok()?.into_data();
            self.ready = data.map(|data| self.events.push(&data)).unwrap_or_default();
        }
        Some(self.ready.remove(0))
    }
}

async fn read_all(mut stream: Stream, wire: Arc<Wire>) {
    while let Some(event) = stream.next().await {
        if matches!(event.name.as_str(), "" | "message") {
            wire.receive(&Bytes::from(event.data));
        }
    }
    wire.close("The server closed the stream");
}

async fn post_all(http: Arc<dyn SendHttp>, endpoint: Uri, wire: Arc<Wire>) {
    while let Some(messages) = poll_fn(|cx| wire.poll_output(cx)).await {
        let lines = messages.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        for line in lines.map(Bytes::copy_from_slice) {
            if let Err(why) = post(http.as_ref(), &endpoint, line).await {
                return wire.close(&why);
            }
        }
    }
}

async fn post(http: &dyn SendHttp, endpoint: &Uri, message: Bytes) -> Result<(), String> {
    let request = Request::builder()
        .method(Method::POST)
        .uri(endpoint)
        .header(header::CONTENT_TYPE, "application/json")
        .body(message)
        .map_err(|e| e.to_string())?;
    let response = http.send(request).await.map_err(|e| format!("A message cannot be sent: {e}"))?;
    match response.status() {
        StatusCode::OK | StatusCode::ACCEPTED | StatusCode::NO_CONTENT => Ok(()),
        status => Err(format!("The server refused a message with status {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_resolved_and_stays_on_its_origin() {
        let stream: Uri = "http://a.example:1/mcp/sse?x=1".parse().expect("a literal");
        let resolved = |endpoint: &str| resolve(&stream, endpoint).map(|u| u.to_string()).ok();
        assert_eq!(resolved("/m?s=1").as_deref(), Some("http://a.example:1/m?s=1"));
        assert_eq!(resolved("m?s=1").as_deref(), Some("http://a.example:1/mcp/m?s=1"));
        assert_eq!(resolved("http://a.example:1/m").as_deref(), Some("http://a.example:1/m"));
        for other in ["http://b.example:1/m", "http://a.example/m", "https://a.example:1/m", "//b.example/m"]
        {
            assert_eq!(resolved(other), None, "{other}");
        }
    }
}
