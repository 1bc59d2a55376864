//! The catalogue on the wires: Streamable HTTP, HTTP+SSE and WebSocket on one port, or standard input and output.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use ide_tools::Catalogue;
use mcp_protocol::endpoint::{self, Admission, Body};
use mcp_protocol::web::{Denied, Gate};
use mcp_transport_http::{StreamableHttp, Tokio};
use mcp_transport_sse::HttpSse;
use mcp_transport_stdio::Threads;
use mcp_transport_ws::WebSockets;

use crate::app_state::AppState;
use crate::config::Config;
use crate::dashboard::{self, Dashboard};
use crate::listener::listener_of;
use crate::mcp::{ToolNews, mcp_server};

/// The paths of Streamable HTTP. The short form is for people.
pub(crate) const STREAMABLE_PATHS: [&str; 2] = ["/index-mcp/streamable-http", "/mcp"];
/// The path of the other catalogue over Streamable HTTP.
pub(crate) const INTELLIJ_PATH: &str = "/intellij/mcp";
/// The paths of the older transport: the start of its event stream, and the address of its messages.
pub(crate) const SSE_PATH: &str = "/index-mcp/sse";
const SSE_MESSAGES: &str = "/index-mcp";
/// The path of WebSockets.
pub(crate) const WEBSOCKET_PATH: &str = "/index-mcp/ws";

/// How long connections may take to end.
const GRACE: Duration = Duration::from_millis(500);

/// How often it is looked whether calls still run.
const LOOK: Duration = Duration::from_millis(10);

/// Why the server does not run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is taken, or the address is not ours.
    #[error("{}", cannot_listen(.0, .1))]
    Listen(SocketAddr, io::Error),
    /// An invalid setting.
    #[error("{0}")]
    Setting(String),
    #[error(transparent)]
    Io(#[from] io::Error),
}

fn cannot_listen(address: &SocketAddr, error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::AddrInUse {
        let port = address.port();
        let program = listener_of(port).unwrap_or_else(|| "another program".to_owned());
        format!("port {port} is taken by {program}; choose one with --port, or --port 0")
    } else {
        format!("cannot listen on {address}: {error}")
    }
}

/// The addresses where a server listens.
#[derive(Clone)]
pub struct Listening {
    address: SocketAddr,
    dashboard: Weak<Dashboard>,
}

impl Listening {
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the Streamable HTTP transport.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, STREAMABLE_PATHS[0])
    }

    /// The address of the older transport.
    pub fn sse_url(&self) -> String {
        format!("http://{}{SSE_PATH}", self.address)
    }

    /// The address of the WebSocket transport.
    pub fn web_socket_url(&self) -> String {
        format!("ws://{}{WEBSOCKET_PATH}", self.address)
    }

    /// The page for the person, which lets in browsers that came by [`Self::dashboard_link`].
    pub fn dashboard_url(&self) -> Option<String> {
        self.dashboard.upgrade().map(|_| format!("http://{}{}/", self.address, dashboard::PATH))
    }

    /// An address that lets one browser in, once; `None` where no dashboard is served.
    ///
    /// # Errors
    /// When there is no randomness.
    pub fn dashboard_link(&self) -> io::Result<Option<String>> {
        self.dashboard.upgrade().map(|dashboard| dashboard.link()).transpose()
    }
}

/// Serves HTTP until `shutdown` is ready. `ready` is told where before the first request is taken.
///
/// # Errors
/// When the port is taken or a setting does not do.
pub async fn serve(
    app: Arc<AppState>,
    ready: impl FnOnce(&Listening),
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let config = app.config();
    let address = listen_address(&config)?;
    let token = config.token_file.as_deref().map(read_token).transpose()?;
    if !address.ip().is_loopback() && token.is_none() {
        let message =
            format!("{} is not a loopback address: set `token_file`, or listen on 127.0.0.1", address.ip());
        return Err(ServeError::Setting(message));
    }
    let of = |catalogue| {
        mcp_server(&app, Tokio::current(), catalogue).map_err(|e| ServeError::Setting(e.to_string()))
    };
    let (server, other) = (of(Catalogue::Ide)?, of(Catalogue::Intellij)?);
    let _news = (ToolNews::of(&app, &server), ToolNews::of(&app, &other));
    let gate = if address.ip().is_loopback() { Gate::loopback() } else { Gate::dangerously_open() };
    let mut admission = Admission::default().gate(gate);
    if let Some(token) = token {
        admission = admission.authorize(move |head| authorize(head, &token));
    }
    let http = mcp_transport_http::Config::default()
        .admission(admission.clone())
        .sessions(config.sessions)
        .names_in_ids(!config.sessions);
    let intellij = StreamableHttp::new(other, http.clone());
    let streamable = StreamableHttp::new(server.clone(), http);
    let sse = mcp_transport_sse::Config::new(SSE_MESSAGES).admission(admission.clone());
    let legacy = HttpSse::new(server.clone(), sse);
    let sockets = WebSockets::new(server, mcp_transport_ws::Config::default().admission(admission));
    let listener =
        tokio::net::TcpListener::bind(address).await.map_err(|e| ServeError::Listen(address, e))?;
    let bound = listener.local_addr()?;
    // the page is for the person at this machine; other addresses are not loopback ones
    let dashboard =
        if bound.ip().is_loopback() { Some(Arc::new(Dashboard::new(app.clone(), bound)?)) } else { None };
    app.watchdog().admit_calls();
    ready(&Listening {
        address: bound,
        dashboard: dashboard.as_ref().map_or_else(Weak::new, Arc::downgrade),
    });

    let services = Arc::new(PortServices { streamable, intellij, legacy, sockets, dashboard });
    let serving = services.clone();
    let service = move |request: Request<Incoming>| {
        let services = serving.clone();
        async move { services.route(request).await }
    };
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let serving = mcp_transport_http::serve(listener, service, async {
        // The sender is only dropped together with this future.
        drop(ended.await);
    });
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => return Ok(()),
        () = shutdown => {}
    }
    // The answers of calls go out over the sessions that end then.
    app.watchdog().end_calls();
    app.editor().end();
    quiet(&app).await;
    services.shut_down();
    end.send(()).expect("the listener is still waiting for it");
    // Connections that do not end by themselves are cut off: the process ends within the second.
    drop(tokio::time::timeout(GRACE, serving).await);
    app.records().settle();
    Ok(())
}

/// Returns when no call has run for a moment, in which its answer is sent, or when calls do not heed that they are stopped.
async fn quiet(app: &AppState) {
    let ends = tokio::time::Instant::now() + GRACE;
    let mut looks = 0;
    while looks < 2 && tokio::time::Instant::now() < ends {
        tokio::time::sleep(LOOK).await;
        looks = if app.watchdog().has_calls() { 0 } else { looks + 1 };
    }
}

/// The services on the port, by path.
struct PortServices {
    streamable: StreamableHttp,
    intellij: StreamableHttp,
    legacy: HttpSse,
    sockets: WebSockets,
    dashboard: Option<Arc<Dashboard>>,
}

impl PortServices {
    async fn route(&self, request: Request<Incoming>) -> Response<Body> {
        match request.uri().path() {
            path if STREAMABLE_PATHS.contains(&path) => self.streamable.handle(request).await,
            INTELLIJ_PATH => self.intellij.handle(request).await,
            SSE_PATH | SSE_MESSAGES => self.legacy.handle(request).await,
            // browsers let every page open a socket and read from it, whatever its origin
            WEBSOCKET_PATH if is_of_other_page(&request) => {
                let text = "Forbidden: web pages are not served\n";
                endpoint::response(StatusCode::FORBIDDEN, "text/plain", Body::whole(text))
            }
            WEBSOCKET_PATH => self.sockets.handle(request),
            path if path
                .strip_prefix(dashboard::PATH)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) =>
            {
                match &self.dashboard {
                    Some(dashboard) => dashboard.handle(request).await,
                    None => endpoint::response(
                        StatusCode::NOT_FOUND,
                        "text/plain",
                        Body::whole("no dashboard here\n"),
                    ),
                }
            }
            _ => {
                let text = format!("MCP is served at {}\n", STREAMABLE_PATHS[0]);
                endpoint::response(StatusCode::NOT_FOUND, "text/plain", Body::whole(text))
            }
        }
    }

    fn shut_down(&self) {
        self.streamable.shut_down();
        self.intellij.shut_down();
        self.legacy.shut_down();
        self.sockets.shut_down();
    }
}

/// Whether a request comes from a page that this server did not send, be it one of this machine.
fn is_of_other_page<B>(request: &Request<B>) -> bool {
    let text = |name| request.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    let own = format!("http://{}", text(HOST).unwrap_or_default());
    text(ORIGIN).is_some_and(|origin| !origin.eq_ignore_ascii_case(&own))
}

fn authorize(head: &Parts, token: &str) -> Result<Arc<str>, Denied> {
    let sent = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let sent = sent.and_then(|value| value.strip_prefix("Bearer "));
    if sent.is_some_and(|sent| same_bytes(sent.trim().as_bytes(), token.as_bytes())) {
        return Ok("token".into());
    }
    Err(Denied::Unauthorized { challenge: "Bearer realm=\"ide-index-mcp\"".to_owned() })
}

/// Compares without telling by the time taken where the difference is.
fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (x, y)| differ | (x ^ y)) == 0
}

fn listen_address(config: &Config) -> Result<SocketAddr, ServeError> {
    let host = if config.host == "localhost" { "127.0.0.1" } else { &config.host };
    let ip = host.trim_start_matches('[').trim_end_matches(']').parse();
    let ip = ip.map_err(|_| ServeError::Setting(format!("`{host}` is not an address to listen on")))?;
    Ok(SocketAddr::new(ip, config.port))
}

/// The token in a file that only its owner can read.
fn read_token(path: &Path) -> Result<String, ServeError> {
    let setting = |what: String| ServeError::Setting(format!("token file {}: {what}", path.display()));
    let token = std::fs::read_to_string(path).map_err(|error| setting(error.to_string()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(path).map_err(|error| setting(error.to_string()))?.permissions().mode();
        if mode & 0o077 != 0 {
            return Err(setting("others can read it; chmod 600".to_owned()));
        }
    }
    let token = token.trim();
    if token.len() < 16 {
        return Err(setting("it holds fewer than 16 characters".to_owned()));
    }
    Ok(token.to_owned())
}

/// Serves one client on standard input and output until the input ends.
///
/// # Errors
/// When reading or writing fails.
pub fn stdio(app: &Arc<AppState>, served: Catalogue) -> Result<(), ServeError> {
    let server = mcp_server(app, Threads::new(workers(&app.config())), served)
        .map_err(|error| ServeError::Setting(error.to_string()))?;
    let _news = ToolNews::of(app, &server);
    // A client that pipes requests in and closes the input still wants the answers.
    let options = mcp_transport_stdio::Options::default().finish_at_end(true);
    let served = mcp_transport_stdio::serve_stdio(&server, &options);
    app.records().settle();
    match served {
        // The client went away, which is how a session ends.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Calls that run at the same time.
pub(crate) fn workers(config: &Config) -> usize {
    match config.workers {
        0 => std::thread::available_parallelism().map_or(2, usize::from) * 2,
        some => some,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_open_without_a_token() {
        let config = |host: &str| Config { host: host.to_owned(), port: 0, ..Config::default() };
        assert!(listen_address(&config("localhost")).unwrap().ip().is_loopback());
        assert!(listen_address(&config("[::1]")).unwrap().ip().is_loopback());
        assert!(!listen_address(&config("0.0.0.0")).unwrap().ip().is_loopback());
        assert!(listen_address(&config("example.org")).is_err());
    }

    #[test]
    fn tokens_are_compared_whole() {
        assert!(same_bytes(b"secret", b"secret"));
        assert!(!same_bytes(b"secret", b"secreT"));
        assert!(!same_bytes(b"secret", b"secre"));
    }

    #[cfg(unix)]
    #[test]
    fn a_token_file_is_for_its_owner() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("token");
        std::fs::write(&path, "0123456789abcdef\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(read_token(&path).unwrap_err().to_string().contains("chmod 600"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(read_token(&path).unwrap(), "0123456789abcdef");
    }
}
