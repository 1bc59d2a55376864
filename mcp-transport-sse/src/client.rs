//! The client's end: a stream on which the server speaks, and an address to which the client posts.

use std::{collections::VecDeque, future::poll_fn, sync::Arc};

use bytes::Bytes;
use http::{Method, Request, StatusCode, Uri, header, uri::Parts};
use http_body_util::BodyExt as _;
use mcp_protocol::{
    Version,
    client::{ClientError, ClientOptions, Connection, ResponseBody, SendHttp, Transport, Wire, body_of},
    framing::{Event, Events, TooLong},
    server::Runtime,
};

/// The way to a server over its stream at an address.
///
/// [`ClientBuilder::connect`](mcp_protocol::client::ClientBuilder::connect) takes it: it opens the stream and shakes hands,
/// offering the newest revision that has a handshake unless the builder says another. An endpoint on another origin than
/// the stream's is refused.
///
/// Spec: 2024-11-05 basic/transports.
#[derive(Clone)]
pub struct SseTransport {
    http: Arc<dyn SendHttp>,
    uri: Uri,
    runtime: Arc<dyn Runtime>,
}

impl SseTransport {
    /// The server whose stream is at `uri`; `http` sends the requests, and `runtime` moves the messages.
    pub fn new(http: impl SendHttp, uri: Uri, runtime: impl Runtime) -> Self {
        Self { http: Arc::new(http), uri, runtime: Arc::new(runtime) }
    }
}

impl Transport for SseTransport {
    type Client = Connection;

    async fn connect(self, mut options: ClientOptions) -> Result<Connection, ClientError> {
        let Self { http, uri, runtime } = self;
        options.handshake.get_or_insert(Version::LATEST_HANDSHAKE);
        let (stream, endpoint) = open(http.as_ref(), &uri, options.max_message_size).await?;
        let (connection, wire) = Connection::new(options);
        let wire = Arc::new(wire);
        runtime.spawn(Box::pin(post_all(http, endpoint, Arc::clone(&wire))));
        runtime.spawn(Box::pin(read_all(stream, wire)));
        connection.negotiate(None).await?;
        Ok(connection)
    }
}

/// Opens the stream, and waits for the address that it names.
async fn open(http: &dyn SendHttp, uri: &Uri, max_size: usize) -> Result<(Stream, Uri), ClientError> {
    let request = Request::builder()
        .method(Method::GET)
        .uri(uri)
        .header(header::ACCEPT, "text/event-stream")
        .body(Bytes::new())
        .map_err(|e| ClientError::Transport(e.into()))?;
    let body = body_of(http.send(request).await)?;
    let mut stream = Stream { body, events: Events::new(max_size), ready: VecDeque::new() };
    loop {
        match stream.next().await {
            Some(Ok(event)) if event.name == "endpoint" => {
                let endpoint = resolve(uri, &event.data)?;
                return Ok((stream, endpoint));
            }
            Some(Ok(_)) => {}
            Some(Err(TooLong { limit, .. })) => return Err(ClientError::TooLong { limit }),
            None => {
                return Err(ClientError::Protocol("The stream ended before it named its endpoint".into()));
            }
        }
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
    ready: VecDeque<Result<Event, TooLong>>,
}

impl Stream {
    /// The next event; `None` when the stream ends or breaks.
    async fn next(&mut self) -> Option<Result<Event, TooLong>> {
        while self.ready.is_empty() {
            let data = self.body.frame().await?.ok()?.into_data();
            self.ready = data.map(|data| self.events.push(&data)).unwrap_or_default().into();
        }
        self.ready.pop_front()
    }
}

async fn read_all(mut stream: Stream, wire: Arc<Wire>) {
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) if matches!(event.name.as_str(), "" | "message") => {
                wire.receive(&Bytes::from(event.data));
            }
            Ok(_) => {}
            Err(error) => wire.refuse_oversized(&error.head),
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
