//! The client: requests of any revision over whatever sends HTTP requests.

use std::{
    future::poll_fn,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::Poll,
    time::Duration,
};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response, Uri, header};
use http_body_util::BodyExt as _;
use mcp_protocol::{
    Json, RpcError, Version,
    client::{
        self, BoxError, Client, ClientError, ClientHandler, ClientOptions, Inbound, Probe, ResponseBody,
        SendHttp, Session, ToolDirectory, Transport, body_of, read_body, with_input,
    },
    framing::{Events, TooLong},
    model::{LogLevel, Tool},
    server::{BoxFuture, Runtime, encode_header_value, mirrored_arguments},
};

use crate::news::{Stop, follow};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// How often a stream is resumed, and how often a server may ask for more input, within one call.
const ATTEMPTS: usize = 16;
/// The wait before a resumption when the server named none.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// No request has this id.
const NO_CALL: i64 = 0;

/// How long the standalone stream may take to open before calls are made.
const OPENING: Duration = Duration::from_secs(2);
/// A GET under way.
pub(crate) type Opening = BoxFuture<Result<Response<ResponseBody>, BoxError>>;

/// A client of one server. Clones share the session.
///
/// Dropping a call's future takes the request back: by closing its stream, or by a notification in revisions with a
/// handshake.
///
/// Spec: 2026-07-28 basic/transports/streamable-http; 2025-11-25 basic/transports.
#[derive(Clone)]
pub struct HttpClient(Arc<Inner>);

/// The way to a server over Streamable HTTP.
///
/// [`ClientBuilder::connect`](mcp_protocol::client::ClientBuilder::connect) takes it.
///
/// Spec: 2026-07-28 basic/transports/streamable-http; 2025-11-25 basic/transports.
#[derive(Clone)]
pub struct HttpTransport {
    http: Arc<dyn SendHttp>,
    uri: Uri,
    runtime: Arc<dyn Runtime>,
}

impl HttpTransport {
    /// The server at `uri`; `http` sends the requests, and `runtime` runs what lasts longer than a call.
    pub fn new(http: impl SendHttp, uri: Uri, runtime: impl Runtime) -> Self {
        Self { http: Arc::new(http), uri, runtime: Arc::new(runtime) }
    }
}

impl Transport for HttpTransport {
    type Client = HttpClient;

    async fn connect(self, options: ClientOptions) -> Result<HttpClient, ClientError> {
        let client = HttpClient(Arc::new(Inner {
            http: self.http,
            uri: self.uri,
            answers: options.handler,
            runtime: self.runtime,
            session: Mutex::new(options.session),
            session_id: Mutex::default(),
            tools: Mutex::default(),
            handshake: options.handshake,
            max_message_size: options.max_message_size,
            stop: Arc::default(),
        }));
        client.negotiate().await?;
        Ok(client)
    }
}

pub(crate) struct Inner {
    http: Arc<dyn SendHttp>,
    uri: Uri,
    answers: Arc<dyn ClientHandler>,
    pub(crate) runtime: Arc<dyn Runtime>,
    session: Mutex<Session>,
    session_id: Mutex<Option<HeaderValue>>,
    tools: Mutex<ToolDirectory>,
    handshake: Option<Version>,
    max_message_size: usize,
    stop: Arc<Stop>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl HttpClient {
    fn version(&self) -> Version {
        lock(&self.0.session).version()
    }

    async fn negotiate(&self) -> Result<(), ClientError> {
        if self.0.handshake.is_some() {
            return self.shake_hands().await;
        }
        let mut request = lock(&self.0.session).probe();
        for _ in 0..ATTEMPTS {
            let outcome = match self.exchange(&request, &[]).await {
                Ok(result) => Ok(result),
                Err(ClientError::Rpc(e) | ClientError::Status { error: Some(e), .. }) => Err(e),
                // no MCP of this era is spoken here: 404, 405, 400 without a reason
                Err(ClientError::Status { status, error: None }) if !matches!(status, 401 | 403) => {
                    Err(RpcError::internal("refused"))
                }
                Err(e) => return Err(e),
            };
            let probe = lock(&self.0.session).judge_probe(&outcome);
            match probe {
                Probe::Modern => return Ok(()),
                Probe::Again => {
                    request = lock(&self.0.session).request("server/discover", &Json::empty_object(), None);
                }
                Probe::Handshake => return self.shake_hands().await,
            }
        }
        Err(ClientError::Protocol("The server offers revisions that it then refuses".into()))
    }

    async fn shake_hands(&self) -> Result<(), ClientError> {
        *lock(&self.0.session_id) = None;
        let request = lock(&self.0.session).initialize(self.0.handshake);
        let result = self.exchange(&request, &[]).await?;
        let initialized = lock(&self.0.session).initialized(&result)?;
        self.say(initialized).await?;
        if lock(&self.0.session_id).is_some() {
            self.follow_news().await?;
        }
        Ok(())
    }

    /// Opens the standalone stream before anything is called, because servers drop what they would say on it; but does
    /// not wait long, because some answer only when they have something to say.
    async fn follow_news(&self) -> Result<(), ClientError> {
        let mut opening = self.0.http.send(self.build(Method::GET, Bytes::new(), &[])?);
        let mut patience = self.0.runtime.sleep(OPENING);
        let opened = poll_fn(|cx| match opening.as_mut().poll(cx) {
            Poll::Ready(opened) => Poll::Ready(Some(opened)),
            Poll::Pending if patience.as_mut().is_some_and(|p| p.as_mut().poll(cx).is_ready()) => {
                Poll::Ready(None)
            }
            Poll::Pending => Poll::Pending,
        })
        .await;
        let first: Opening = match opened {
            Some(opened) => Box::pin(std::future::ready(opened)),
            None => opening,
        };
        let (client, stop) = (Arc::downgrade(&self.0), Arc::clone(&self.0.stop));
        self.0.runtime.spawn(Box::pin(follow(client, stop, first)));
        Ok(())
    }

    pub(crate) fn of(inner: Arc<Inner>) -> Self {
        Self(inner)
    }

    /// Opens the session's standalone stream, or the rest of another.
    pub(crate) async fn open_news(&self, last_id: Option<&str>) -> Result<ResponseBody, ClientError> {
        let resumed = last_id.map(|id| ("last-event-id", id));
        let request = self.build(Method::GET, Bytes::new(), resumed.as_slice())?;
        body_of(self.0.http.send(request).await)
    }

    /// A reader of one stream.
    pub(crate) fn events(&self) -> Events {
        Events::new(self.0.max_message_size)
    }

    /// A message that is too long came on a stream that belongs to no call.
    pub(crate) fn refuse_oversized(&self, error: &TooLong) {
        self.0.answers.handle_malformed(&RpcError::new(RpcError::INVALID_REQUEST, error.to_string()));
    }

    /// Takes in what came on a stream that belongs to no call.
    pub(crate) async fn take_in_event(&self, data: String) -> Result<(), ClientError> {
        if data.is_empty() {
            return Ok(());
        }
        let messages = lock(&self.0.session).receive(&Bytes::from(data))?;
        for message in messages {
            self.take_in(message, NO_CALL).await?;
        }
        Ok(())
    }

    /// One request and its outcome, with what has to be corrected on the way.
    async fn once(&self, method: &str, params: &Json, meta: Option<&Json>) -> Result<Json, ClientError> {
        let mut corrected = false;
        loop {
            let headers = self.mirrored(method, params);
            let request = lock(&self.0.session).request(method, params, meta);
            match self.exchange(&request, &headers).await {
                Ok(result) => {
                    if method == "tools/list" {
                        self.learn_tools(params, &result)?;
                    }
                    return Ok(result);
                }
                Err(e) if !corrected && self.correct(&e, method).await? => corrected = true,
                Err(e) => return Err(e),
            }
        }
    }

    /// Remembers which headers the calls of listed tools carry; the first page begins anew.
    fn learn_tools(&self, params: &Json, page: &Json) -> Result<(), ClientError> {
        let mut tools = lock(&self.0.tools);
        if params.get("cursor").is_none() {
            *tools = ToolDirectory::default();
        }
        let learned = tools.add_page(page);
        let malformed = |e| ClientError::Protocol(format!("The server's list of tools is malformed: {e}"));
        learned.map(drop).map_err(malformed)
    }

    /// Whether the request is worth repeating: with another revision, the tools' current headers, or a new session.
    async fn correct(&self, error: &ClientError, method: &str) -> Result<bool, ClientError> {
        let (status, rpc) = match error {
            ClientError::Rpc(e) => (200, Some(e)),
            ClientError::Status { status, error } => (*status, error.as_ref()),
            _ => return Ok(false),
        };
        match rpc.map(|e| e.code) {
            Some(RpcError::UNSUPPORTED_VERSION) => {
                let outcome = Err(rpc.cloned().unwrap_or_else(|| RpcError::internal("refused")));
                let probe = lock(&self.0.session).judge_probe(&outcome);
                if probe == Probe::Handshake {
                    self.shake_hands().await?;
                }
                Ok(true)
            }
            Some(RpcError::HEADER_MISMATCH) if method == "tools/call" => {
                // the headers that its tools want have changed
                Box::pin(client::ClientExt::list_tools(self)).await?;
                Ok(true)
            }
            _ if status == 404 && lock(&self.0.session_id).is_some() => {
                self.shake_hands().await?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn mirrored(&self, method: &str, params: &Json) -> Vec<(String, String)> {
        let name = params.get("name");
        match name.as_ref().and_then(Json::as_text) {
            Some(name) if method == "tools/call" => {
                let arguments = params.get("arguments").unwrap_or_else(Json::empty_object);
                lock(&self.0.tools).headers(&name, &arguments)
            }
            _ => Vec::new(),
        }
    }

    fn build(
        &self,
        method: Method,
        body: Bytes,
        extra: &[(&str, &str)],
    ) -> Result<Request<Bytes>, ClientError> {
        let (version, agreed) = {
            let session = lock(&self.0.session);
            (session.version(), session.is_negotiated())
        };
        let mut request = Request::builder().method(&method).uri(&self.0.uri);
        if method == Method::POST {
            request = request
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::ACCEPT, "application/json, text/event-stream");
        } else {
            request = request.header(header::ACCEPT, "text/event-stream");
        }
        // the header exists since 2025-06-18, and follows the agreement
        if version.is_stateless() || (agreed && version >= Version::V2025_06_18) {
            request = request.header("mcp-protocol-version", version.as_str());
        }
        if let Some(id) = lock(&self.0.session_id).clone() {
            request = request.header(SESSION_ID, id);
        }
        for (name, value) in extra {
            request = request.header(*name, *value);
        }
        request.body(body).map_err(|e| ClientError::Transport(e.into()))
    }

    /// Sends one request and waits for its outcome, however it comes.
    async fn exchange(
        &self,
        request: &client::Request,
        mirrored: &[(String, String)],
    ) -> Result<Json, ClientError> {
        let stateless = self.version().is_stateless();
        let name = request.name.as_deref().map(encode_header_value);
        let mut extra: Vec<(&str, &str)> = Vec::new();
        if stateless {
            extra.push(("mcp-method", &request.method));
            extra.extend(name.as_deref().map(|name| ("mcp-name", name)));
            extra.extend(mirrored.iter().map(|(n, v)| (n.as_str(), v.as_str())));
        }
        let http = self.build(Method::POST, Bytes::from(request.bytes.clone()), &extra)?;
        let mut guard =
            TakeBack { client: self, id: request.id, armed: !stateless && request.method != "initialize" };
        let response = self.0.http.send(http).await.map_err(ClientError::Transport)?;
        if request.method == "initialize" {
            *lock(&self.0.session_id) = response.headers().get(SESSION_ID).cloned();
        }
        let outcome = self.outcome(response, request.id).await;
        guard.armed = false;
        outcome
    }

    async fn outcome(&self, response: Response<ResponseBody>, id: i64) -> Result<Json, ClientError> {
        let status = response.status();
        let content_type =
            response.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok()).unwrap_or("");
        let events = content_type
            .split(';')
            .next()
            .is_some_and(|t| t.trim().eq_ignore_ascii_case("text/event-stream"));
        if events && status.is_success() {
            return self.read_events(response.into_body(), id).await;
        }
        let body = read_body(response.into_body(), self.0.max_message_size).await?;
        if !status.is_success() {
            let said = lock(&self.0.session).receive(&body);
            let error = match said {
                Err(e) if !body.is_empty() && e.code != RpcError::PARSE => Some(e),
                Ok(messages) => messages.into_iter().find_map(|m| match m {
                    Inbound::Response { outcome: Err(e), .. } => Some(e),
                    _ => None,
                }),
                Err(_) => None,
            };
            return Err(ClientError::Status { status: status.as_u16(), error });
        }
        let messages = lock(&self.0.session).receive(&body)?;
        for message in messages {
            if let Some(outcome) = self.take_in(message, id).await? {
                return Ok(outcome?);
            }
        }
        Err(ClientError::Protocol(format!(
            "The server took the request with status {status} and did not answer it"
        )))
    }

    /// The outcome, if the message is the response that is waited for.
    async fn take_in(
        &self,
        message: Inbound,
        id: i64,
    ) -> Result<Option<Result<Json, RpcError>>, ClientError> {
        match message {
            Inbound::Response { id: got, outcome } if got == id => return Ok(Some(outcome)),
            Inbound::Response { .. } => {}
            Inbound::Notification { method, params } => self.0.answers.handle_notification(&method, params),
            Inbound::Request { .. } if self.version().is_stateless() => {
                return Err(ClientError::Protocol(
                    "The server sent a request, which this revision does not have".into(),
                ));
            }
            Inbound::Request { id, method, params } => {
                let outcome = match method.as_str() {
                    "ping" => Ok(Json::empty_object()),
                    _ => self.0.answers.handle_request(&method, params).await,
                };
                let answer = lock(&self.0.session).answer(&id, &outcome);
                self.say(answer).await?;
            }
        }
        Ok(None)
    }

    async fn read_events(&self, body: ResponseBody, id: i64) -> Result<Json, ClientError> {
        let mut body = body;
        let mut last_id: Option<String> = None;
        let mut retry = RETRY_DELAY;
        for _ in 0..ATTEMPTS {
            let mut events = self.events();
            while let Some(frame) = body.frame().await {
                // a connection that breaks is one that ended
                let Ok(frame) = frame else { break };
                let Ok(data) = frame.into_data() else { continue };
                for event in events.push(&data) {
                    // the event may have been the answer
                    let event = event.map_err(|TooLong { limit, .. }| ClientError::TooLong { limit })?;
                    retry = event.retry.unwrap_or(retry);
                    last_id = event.id.or(last_id);
                    if event.data.is_empty() || !matches!(event.name.as_str(), "" | "message") {
                        continue;
                    }
                    let messages = lock(&self.0.session).receive(&Bytes::from(event.data))?;
                    for message in messages {
                        if let Some(outcome) = self.take_in(message, id).await? {
                            return Ok(outcome?);
                        }
                    }
                }
            }
            let Some(from) = last_id.as_deref().filter(|_| !self.version().is_stateless()) else { break };
            body = self.resume(from, retry).await?;
        }
        Err(ClientError::Protocol("The stream ended before the answer".into()))
    }

    async fn resume(&self, last_id: &str, retry_delay: Duration) -> Result<ResponseBody, ClientError> {
        if let Some(sleep) = self.0.runtime.sleep(retry_delay) {
            sleep.await;
        }
        self.open_news(Some(last_id)).await
    }

    /// Sends what is not answered.
    async fn say(&self, message: Vec<u8>) -> Result<(), ClientError> {
        let request = self.build(Method::POST, message.into(), &[])?;
        let response = self.0.http.send(request).await.map_err(ClientError::Transport)?;
        if response.status().is_success() {
            Ok(())
        } else {
            Err(ClientError::Status { status: response.status().as_u16(), error: None })
        }
    }
}

impl Client for HttpClient {
    fn session(&self) -> Session {
        lock(&self.0.session).clone()
    }

    fn set_log_level(&self, level: Option<LogLevel>) {
        lock(&self.0.session).set_log_level(level);
    }

    fn call(&self, method: &str, params: Json, meta: Option<Json>) -> BoxFuture<Result<Json, ClientError>> {
        let (this, method) = (self.clone(), method.to_owned());
        Box::pin(async move {
            let answers = Arc::clone(&this.0.answers);
            with_input(answers.as_ref(), &params, |params| {
                let (this, method, meta) = (this.clone(), method.clone(), meta.clone());
                Box::pin(async move { this.once(&method, &params, meta.as_ref()).await })
            })
            .await
        })
    }

    fn notify(&self, method: &str, params: &Json) -> BoxFuture<Result<(), ClientError>> {
        let message = lock(&self.0.session).notification(method, params);
        let this = self.clone();
        Box::pin(async move { this.say(message).await })
    }

    /// A tool whose header annotations are invalid must not be called ("Custom Headers from Tool Parameters").
    fn can_call(&self, tool: &Tool) -> bool {
        mirrored_arguments(tool).is_ok()
    }
}

/// Tells the server that nobody waits any more, when a call is dropped.
struct TakeBack<'c> {
    client: &'c HttpClient,
    id: i64,
    armed: bool,
}

impl Drop for TakeBack<'_> {
    fn drop(&mut self) {
        if self.armed {
            let client = self.client.clone();
            let message = lock(&client.0.session).cancellation(self.id, "The caller no longer waits");
            let runtime = Arc::clone(&client.0.runtime);
            runtime.spawn(Box::pin(async move {
                // the server may be gone as well, and then there is nothing to take back
                drop(client.say(message).await);
            }));
        }
    }
}
