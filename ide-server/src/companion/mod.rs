//! The editor for coding agents on the command line: a WebSocket listener of its own, and the files by which it is found.

#[cfg(unix)]
mod codex;
mod gemini;

use std::future::poll_fn;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::header::{CONNECTION, HOST, ORIGIN, RETRY_AFTER};
use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ide_companion::{
    Admission, Budget, Dialect, Head, Job, Lock, LockFiles, LockPlaces, Secret, Session, SleepWatch, Speaker,
};
use mcp_protocol::endpoint::{self, Body};
use mcp_transport_ws::{End, Socket, Stream, switch};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::time::{Instant, timeout};

use crate::app_state::AppState;
use crate::calls::log;
use crate::config::{Config, Places};

/// Our name among editors.
const NAME: &str = "ide-index";
/// Header in which clients send the token.
const TOKEN: &str = "x-claude-code-ide-authorization";
const MOST_SOCKETS: usize = 64;
const MOST_CLIENTS: usize = 16;
/// Bytes of the head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// Time in which the head must have come.
const HANDSHAKE: Duration = Duration::from_secs(5);
/// Bytes of a message.
const LONGEST_MESSAGE: usize = 16 << 20;
const PING: Duration = Duration::from_secs(30);
/// Pings that may stay unanswered.
const PATIENCE: u32 = 2;
/// How often the lock files are looked after.
const LOCK_CHECK: Duration = Duration::from_secs(5);
/// How long last words may take.
const GRACE: Duration = Duration::from_secs(1);

/// The directories of lock files, and the file that remembers which are ours.
#[derive(Clone, Debug, Default)]
pub struct CompanionPlaces {
    /// The user's home directory; without one there is no companion.
    pub home: Option<PathBuf>,
    /// The directory in `CLAUDE_CONFIG_DIR`.
    pub claude_config_dir: Option<PathBuf>,
    pub state_dir: Option<PathBuf>,
    /// The folder for temporary files, below which Codex, Gemini CLI and Qwen Code look; without one they find nothing.
    pub temporary: Option<PathBuf>,
}

impl CompanionPlaces {
    /// The places where coding agents of this user look; none when the settings say so.
    pub fn from_environment(config: &Config, places: &Places) -> Self {
        Self {
            home: places.home.clone().filter(|_| config.companion),
            claude_config_dir: std::env::var_os("CLAUDE_CONFIG_DIR").map(PathBuf::from),
            state_dir: config.state_dir.clone(),
            temporary: Some(std::env::temp_dir()),
        }
    }
}

/// A listener for coding agents. It ends, and its lock files go, when it is dropped.
pub struct Companion {
    shared: Arc<Shared>,
    accepting: tokio::task::JoinHandle<()>,
    keeping: tokio::task::JoinHandle<()>,
    codex: Option<tokio::task::JoinHandle<()>>,
    _gemini: Option<gemini::Gemini>,
    locks: Arc<Mutex<Option<LockFiles>>>,
    port: u16,
}

struct Shared {
    app: Arc<AppState>,
    port: u16,
    secret: Secret,
    salt: [u8; 32],
    budget: Mutex<Budget>,
    started: Instant,
    sockets: Arc<Semaphore>,
    clients: AtomicUsize,
    end: Notify,
}

impl Companion {
    /// Listens on a free port of the loopback address, then tells clients where. `None` without a home directory.
    ///
    /// # Errors
    /// When there is no port, no randomness, or no place for the lock file.
    pub async fn start(app: &Arc<AppState>, places: &CompanionPlaces) -> io::Result<Option<Self>> {
        let Some(home) = &places.home else { return Ok(None) };
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let port = listener.local_addr()?.port();
        let (mut secret, mut salt) = ([0; 32], [0; 32]);
        getrandom::fill(&mut secret).and_then(|()| getrandom::fill(&mut salt)).map_err(io::Error::other)?;
        let secret = Secret::new(secret);
        let lock = Lock {
            port,
            pid: std::process::id(),
            workspace_folders: app.surface().workspaces(),
            ide_name: "IDE index".to_owned(),
            secret: secret.clone(),
        };
        let lock_places =
            LockPlaces::new(home, places.claude_config_dir.as_deref(), places.state_dir.as_deref());
        let locks = Arc::new(Mutex::new(Some(LockFiles::publish(lock_places, lock, is_alive)?)));
        let shared = Arc::new(Shared {
            app: app.clone(),
            port,
            secret,
            salt,
            budget: Mutex::default(),
            started: Instant::now(),
            sockets: Arc::new(Semaphore::new(MOST_SOCKETS)),
            clients: AtomicUsize::new(0),
            end: Notify::new(),
        });
        let accepting = tokio::spawn(accept(listener, shared.clone()));
        let keeping = tokio::spawn(keep(locks.clone(), app.clone()));
        #[cfg(unix)]
        let codex =
            places.temporary.clone().map(|temporary| tokio::spawn(codex::keep(app.clone(), temporary)));
        #[cfg(not(unix))]
        let codex = None;
        let gemini = match &places.temporary {
            Some(temporary) => Some(gemini::start(app, home, temporary).await?),
            None => None,
        };
        Ok(Some(Self { shared, accepting, keeping, codex, _gemini: gemini, locks, port }))
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many clients are connected.
    pub fn client_count(&self) -> usize {
        self.shared.clients.load(Ordering::Relaxed)
    }
}

impl Drop for Companion {
    fn drop(&mut self) {
        self.accepting.abort();
        self.keeping.abort();
        self.codex.iter().for_each(tokio::task::JoinHandle::abort);
        self.shared.end.notify_waiters();
        drop(self.locks.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Whether a process lives; true where that cannot be known.
fn is_alive(pid: u32) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(pid.to_string()).exists()
}

/// Milliseconds by the clock on the wall, which goes on while the machine sleeps.
fn wall() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Keeps the lock files where clients look for them, with the folders that are open.
async fn keep(locks: Arc<Mutex<Option<LockFiles>>>, app: Arc<AppState>) {
    loop {
        tokio::time::sleep(LOCK_CHECK).await;
        let folders = app.surface().workspaces();
        let mut locks = locks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(locks) = locks.as_mut() {
            locks.set_workspaces(folders);
            locks.restore();
        }
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            // out of descriptors: it may pass, and spinning does not help
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        // a socket too many is closed at once
        let Ok(permit) = shared.sockets.clone().try_acquire_owned() else { continue };
        let shared = shared.clone();
        drop(tokio::spawn(async move {
            let _permit = permit;
            shared.connection(stream).await;
        }));
    }
}

/// One authenticated client; counted while it lives.
struct ClientGuard(Arc<Shared>);

impl Drop for ClientGuard {
    fn drop(&mut self) {
        self.0.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Shared {
    async fn connection(self: Arc<Self>, stream: TcpStream) {
        drop(stream.set_nodelay(true));
        let (done, finished) = tokio::sync::oneshot::channel::<()>();
        let done = Arc::new(Mutex::new(Some(done)));
        let service = {
            let shared = self.clone();
            let done = done.clone();
            service_fn(move |request| {
                let response = shared.clone().answer(request, &done);
                async move { Ok::<_, std::convert::Infallible>(response) }
            })
        };
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HANDSHAKE)
            .max_buf_size(LONGEST_HEAD)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        // how it ends concerns nobody but its client
        drop(connection.await);
        // the socket counts for as long as its conversation lasts
        drop(done.lock().unwrap_or_else(PoisonError::into_inner).take());
        drop(finished.await);
    }

    fn answer(
        self: Arc<Self>,
        mut request: Request<Incoming>,
        done: &Mutex<Option<tokio::sync::oneshot::Sender<()>>>,
    ) -> Response<Body> {
        let admission = {
            let text = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
            let tokens: Vec<&str> =
                request.headers().get_all(TOKEN).iter().map(|value| value.to_str().unwrap_or("")).collect();
            let head = Head {
                path: request.uri().path(),
                host: text(HOST.as_str()),
                has_origin: request.headers().contains_key(ORIGIN),
                tokens: &tokens,
            };
            let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
            Admission::decide(&head, self.port, &self.secret, &self.salt, &mut budget, self.now())
        };
        let refuse = |status: u16, why: &str| {
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::FORBIDDEN);
            let mut response = endpoint::response(status, "text/plain", Body::whole(format!("{why}\n")));
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            response
        };
        let dialect = match admission {
            Admission::Refuse(status, why) => {
                let mut response = refuse(status, why);
                if status == 429 {
                    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(Budget::RETRY_AFTER));
                }
                return response;
            }
            Admission::Close => None,
            Admission::Serve(dialect) => Some(dialect),
        };
        let seat = match dialect {
            None => None,
            Some(_) if self.clients.fetch_add(1, Ordering::Relaxed) >= MOST_CLIENTS => {
                drop(ClientGuard(self));
                return refuse(503, "too many clients are connected");
            }
            Some(_) => Some(ClientGuard(self.clone())),
        };
        let upgrade = hyper::upgrade::on(&mut request);
        let (parts, _) = request.into_parts();
        let response = match switch(&parts) {
            Ok(response) => response,
            Err(refused) => return *refused,
        };
        let done = done.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(tokio::spawn(async move {
            let _done = done;
            // a client that went away before the switch needs nothing
            let Ok(upgraded) = upgrade.await else { return };
            let socket = Socket::server(Stream::new(upgraded), LONGEST_MESSAGE);
            match dialect.zip(seat) {
                None => close(socket, 1008, Admission::CLOSE_REASON).await,
                Some((dialect, seat)) => seat.0.clone().converse(dialect, socket).await,
            }
        }));
        response
    }

    /// Milliseconds since the start, by a clock that does not go back.
    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    async fn converse(self: Arc<Self>, dialect: Dialect, mut socket: Socket<Stream>) {
        let wake = Arc::new(Notify::new());
        let waker = wake.clone();
        let speaker = Speaker { name: NAME.to_owned(), version: env!("CARGO_PKG_VERSION").to_owned() };
        let mut session = Session::new(dialect, self.app.surface(), speaker, move || waker.notify_one());
        let mut liveness = Liveness::new();
        let end = self.end.notified();
        tokio::pin!(end);
        loop {
            for job in session.take_jobs() {
                drop(tokio::task::spawn_blocking(move || Job::run(job)));
            }
            if session.is_overrun() {
                return close(socket, 1013, "messages are not taken").await;
            }
            if socket.unsent_size() == 0
                && let Some(text) = session.next_output()
            {
                socket.send(&text);
            }
            let due = session.next_time().map(|time| self.started + Duration::from_millis(time));
            let timer = due.map_or(liveness.due, |due| due.min(liveness.due));
            let step = tokio::select! {
                step = exchange(&mut socket) => step,
                () = wake.notified() => Step::Poll,
                () = tokio::time::sleep_until(timer) => Step::Poll,
                () = &mut end => return close(socket, 1001, "the server ends").await,
            };
            match step {
                Step::Poll => {
                    session.poll(self.now());
                    if liveness.is_due() && !liveness.look(&mut socket) {
                        return;
                    }
                }
                Step::Sent => {}
                Step::Message(text) => session.receive(self.now(), &text),
                Step::End(End::Broken(_)) => return,
                Step::End(End::Closed(_) | End::Refused(_)) => {
                    drop(session);
                    return finish(socket).await;
                }
            }
        }
    }
}

enum Step {
    Poll,
    Sent,
    Message(String),
    End(End),
}

/// Reads a message, or sends what waits.
async fn exchange(socket: &mut Socket<Stream>) -> Step {
    let mut waited = socket.unsent_size() > 0;
    poll_fn(|cx| {
        match socket.poll_receive(cx) {
            Poll::Ready(Ok(message)) => {
                // text frames are UTF-8, which was checked when they came
                return Poll::Ready(Step::Message(String::from_utf8_lossy(&message).into_owned()));
            }
            Poll::Ready(Err(end)) => return Poll::Ready(Step::End(end)),
            Poll::Pending => {}
        }
        waited |= socket.unsent_size() > 0;
        match socket.poll_flush(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(Step::End(End::Broken(error))),
            Poll::Ready(Ok(())) if waited => Poll::Ready(Step::Sent),
            Poll::Ready(Ok(())) | Poll::Pending => Poll::Pending,
        }
    })
    .await
}

async fn close(mut socket: Socket<Stream>, code: u16, reason: &str) {
    socket.close(code, reason);
    finish(socket).await;
}

/// Sends the last words.
async fn finish(mut socket: Socket<Stream>) {
    drop(timeout(GRACE, poll_fn(|cx| socket.poll_end(cx))).await);
}

/// Pings, and gives a client up that does not answer; not when it was the machine that slept.
struct Liveness {
    due: Instant,
    silent: u32,
    sleep: SleepWatch,
}

impl Liveness {
    fn new() -> Self {
        let every = u64::try_from(PING.as_millis()).unwrap_or(u64::MAX);
        Self { due: Instant::now() + PING, silent: 0, sleep: SleepWatch::new(every, wall()) }
    }

    fn is_due(&self) -> bool {
        self.due <= Instant::now()
    }

    /// False when the client is gone.
    fn look(&mut self, socket: &mut Socket<Stream>) -> bool {
        let slept = self.sleep.fired(wall());
        self.silent = if slept || socket.take_heard() { 0 } else { self.silent + 1 };
        self.due = Instant::now() + PING;
        socket.ping();
        self.silent < PATIENCE
    }
}

/// Starts the companion, or says why there is none.
pub(crate) async fn start(app: &Arc<AppState>, places: &CompanionPlaces) -> Option<Companion> {
    match Companion::start(app, places).await {
        Ok(companion) => companion,
        Err(error) => {
            log(&format!("coding agents will not find an editor here: {error}"));
            None
        }
    }
}
