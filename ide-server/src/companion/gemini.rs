//! Gemini CLI and Qwen Code: an MCP server of its own over Streamable HTTP, and the files by which it is found.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{Request, Response, StatusCode};
use hyper::body::Incoming;
use ide_companion::{
    Discovery, DiscoveryFolder, GEMINI_DEBOUNCE_MS, GeminiFlavour, Secret, context_update, same_secret,
    write_private,
};
use ide_model::{DiffId, DiffRequest, SurfaceEvent, SurfaceListener, Verdict};
use mcp_protocol::endpoint::{self, Admission, Body};
use mcp_protocol::model::{CallToolResult, Implementation, Tool};
use mcp_protocol::server::{Answer, Peer, Reply, ToolProvider};
use mcp_protocol::web::{Denied, Gate};
use mcp_protocol::{Context, Json, RpcError, Server};
use mcp_transport_http::{Config, StreamableHttp, Tokio};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use super::{LOCK_CHECK, NAME};
use crate::app_state::AppState;

/// Bytes of a request.
const LONGEST: usize = 16 << 20;
/// Most clients that are told of the editor.
const MOST_PEERS: usize = 16;

/// Everything that is served, until it is dropped.
pub(super) struct Gemini {
    serving: tokio::task::JoinHandle<()>,
    telling: tokio::task::JoinHandle<()>,
    keeping: tokio::task::JoinHandle<()>,
    files: Arc<Mutex<Files>>,
    _news: Arc<dyn SurfaceListener>,
}

impl Drop for Gemini {
    fn drop(&mut self) {
        self.serving.abort();
        self.telling.abort();
        self.keeping.abort();
        self.files.lock().unwrap_or_else(PoisonError::into_inner).remove();
    }
}

struct Shared {
    app: Arc<AppState>,
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    peers: Vec<Peer>,
    diffs: BTreeMap<String, Open>,
}

/// A diff that waits for its verdict.
struct Open {
    diff: DiffId,
    proposal: Arc<str>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A client that is told of the editor from now on.
    fn meet(&self, peer: &Peer) {
        let mut state = self.state();
        state.peers.retain(|known| !known.is_closed());
        if !state.peers.iter().any(|known| known == peer) {
            if state.peers.len() >= MOST_PEERS {
                state.peers.remove(0);
            }
            state.peers.push(peer.clone());
        }
        drop(state);
        self.changed.notify_one();
    }

    fn tell(&self) {
        let update = Json::from(&context_update(&*self.app.surface())).expect("a value is JSON");
        let peers = self.state().peers.clone();
        // a client that does not read is told the next time
        peers.iter().for_each(|peer| drop(peer.notify("ide/contextUpdate", &update)));
    }

    fn open_diff(
        self: &Arc<Self>,
        peer: &Peer,
        flavour: GeminiFlavour,
        path: &str,
        content: &str,
    ) -> CallToolResult {
        self.withdraw(path);
        let proposal: Arc<str> = content.into();
        let request = DiffRequest {
            old_path: path.to_owned(),
            new_path: path.to_owned(),
            proposal: proposal.clone(),
            proposed_by: flavour.name().to_owned(),
        };
        let (shared, peer, of) = (Arc::downgrade(self), peer.clone(), path.to_owned());
        let decided = Box::new(move |verdict| {
            if let Some(shared) = shared.upgrade() {
                shared.decided(&peer, flavour, &of, verdict);
            }
        });
        match self.app.surface().show_diff(request, decided) {
            Ok(diff) => {
                self.state().diffs.insert(path.to_owned(), Open { diff, proposal });
                CallToolResult::default()
            }
            Err(error) => failed(&error.to_string()),
        }
    }

    fn decided(&self, peer: &Peer, flavour: GeminiFlavour, path: &str, verdict: Verdict) {
        // one that is gone was closed by its client
        let known = self.state().diffs.remove(path);
        let (method, params) = match verdict {
            Verdict::Accepted { content } => {
                ("ide/diffAccepted", json!({"filePath": path, "content": &*content}))
            }
            Verdict::Rejected => ("ide/diffRejected", json!({"filePath": path})),
            Verdict::Withdrawn if known.is_some() => (flavour.closed(), json!({"filePath": path})),
            Verdict::Withdrawn => return,
        };
        drop(peer.notify(method, &Json::from(&params).expect("a value is JSON")));
    }

    /// Takes a diff off the screen; its proposal when it was there.
    fn withdraw(&self, path: &str) -> Option<Arc<str>> {
        let open = self.state().diffs.remove(path)?;
        self.app.surface().withdraw_diff(open.diff);
        Some(open.proposal)
    }

    fn close_diff(&self, peer: &Peer, flavour: GeminiFlavour, path: &str, quiet: bool) -> CallToolResult {
        let content = self.withdraw(path);
        if let Some(content) = content.as_ref().filter(|_| !quiet) {
            let params = json!({"filePath": path, "content": &**content});
            drop(peer.notify(flavour.closed(), &Json::from(&params).expect("a value is JSON")));
        }
        let text = content.map_or_else(|| json!({}), |content| json!({"content": &*content}));
        said(&text.to_string(), false)
    }
}

fn said(text: &str, is_error: bool) -> CallToolResult {
    if is_error { CallToolResult::error(text) } else { CallToolResult::text(text) }
}

fn failed(why: &str) -> CallToolResult {
    said(why, true)
}

impl SurfaceListener for Shared {
    fn on_event(&self, event: &SurfaceEvent) {
        if matches!(event, SurfaceEvent::SelectionChanged { .. } | SurfaceEvent::WorkspacesChanged) {
            self.changed.notify_one();
        }
    }
}

/// The two tools. A client that lists them is told of the editor from then on.
struct Tools {
    shared: Arc<Shared>,
    listed: Vec<Arc<Tool>>,
}

impl Tools {
    fn new(shared: Arc<Shared>) -> Self {
        let schema = |properties: Value, required: Value| {
            let schema = json!({"type": "object", "properties": properties, "required": required});
            Json::from(&schema).expect("a value is JSON")
        };
        let text = || json!({"type": "string"});
        let open = Tool::new(
            "openDiff",
            "Shows a change of a file. The verdict comes as a notification.",
            schema(json!({"filePath": text(), "newContent": text()}), json!(["filePath", "newContent"])),
        );
        let close = Tool::new(
            "closeDiff",
            "Takes a change off the screen.",
            schema(
                json!({"filePath": text(), "suppressNotification": {"type": "boolean"}}),
                json!(["filePath"]),
            ),
        );
        Self { shared, listed: vec![Arc::new(open), Arc::new(close)] }
    }
}

impl ToolProvider for Tools {
    fn list(&self, cx: &Context) -> Vec<Arc<Tool>> {
        self.shared.meet(cx.peer());
        self.listed.clone()
    }

    fn find(&self, _: &Context, name: &str) -> Option<Arc<Tool>> {
        self.listed.iter().find(|tool| tool.name == name).cloned()
    }

    fn call(&self, cx: Context, name: &str, arguments: Json) -> Option<Reply<Answer<CallToolResult>>> {
        let opens = match name {
            "openDiff" => true,
            "closeDiff" => false,
            _ => return None,
        };
        let shared = self.shared.clone();
        Some(Reply::Blocking(Box::new(move || {
            let args: Value = arguments.to().unwrap_or_default();
            shared.meet(cx.peer());
            let needed = |name: &str| {
                args[name]
                    .as_str()
                    .ok_or_else(|| RpcError::invalid_params(format!("`{name}` must be a string")))
            };
            let path = needed("filePath")?;
            let is_of = |flavour: &GeminiFlavour| cx.principal() == Some(flavour.name());
            let flavour = GeminiFlavour::ALL.into_iter().find(is_of).unwrap_or(GeminiFlavour::Gemini);
            let result = if opens {
                shared.open_diff(cx.peer(), flavour, path, needed("newContent")?)
            } else {
                let quiet = args["suppressNotification"] == true;
                shared.close_diff(cx.peer(), flavour, path, quiet)
            };
            Ok(result.into())
        })))
    }
}

/// Files by which clients find the server; ours alone, since their names hold our port.
struct Files {
    discovery: Discovery,
    home: PathBuf,
    temporary: PathBuf,
    written: Vec<PathBuf>,
}

impl Files {
    fn write(discovery: Discovery, home: &Path, temporary: &Path) -> Self {
        let mut files =
            Self { discovery, home: home.to_owned(), temporary: temporary.to_owned(), written: Vec::new() };
        files.rewrite();
        files
    }

    fn rewrite(&mut self) {
        let separator = if cfg!(windows) { ';' } else { ':' };
        let written = self.discovery.files(separator).into_iter().filter_map(|(below, name, content)| {
            let folder = match below {
                DiscoveryFolder::Home => &self.home,
                DiscoveryFolder::Temporary => &self.temporary,
            };
            let path = folder.join(name);
            // a client whose folder cannot be written to does not find us
            write_private(&path, content.to_string().as_bytes()).ok().map(|()| path)
        });
        self.written = written.collect();
    }

    /// Tells of other folders, and again where somebody removed a file.
    fn follow(&mut self, folders: Vec<String>) {
        if folders != self.discovery.workspace_folders || self.written.iter().any(|path| !path.exists()) {
            self.discovery.workspace_folders = folders;
            self.rewrite();
        }
    }

    fn remove(&mut self) {
        self.written.drain(..).for_each(|path| drop(std::fs::remove_file(path)));
    }
}

/// Starts the server, and writes where it is.
///
/// # Errors
/// When there is no port or no randomness.
pub(super) async fn start(app: &Arc<AppState>, home: &Path, temporary: &Path) -> io::Result<Gemini> {
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    let port = listener.local_addr()?.port();
    let [gemini, qwen, salt] = [random()?, random()?, random()?];
    let secrets = [Secret::new(gemini), Secret::new(qwen)];
    let shared = Arc::new(Shared { app: app.clone(), state: Mutex::default(), changed: Notify::new() });
    let news: Arc<dyn SurfaceListener> = shared.clone();
    app.surface().subscribe(Arc::downgrade(&news));
    let server = Server::builder(Implementation::new(NAME, env!("CARGO_PKG_VERSION")))
        .tools(Tools::new(shared.clone()))
        .runtime(Tokio::current())
        .build()
        .map_err(|error| io::Error::other(error.to_string()))?;
    let known = secrets.clone();
    let admission = Admission::default()
        .gate(Gate::loopback().allow_host("host.docker.internal"))
        .max_body_size(LONGEST)
        .authorize(move |head| {
            let sent = head.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
            let sent = sent.and_then(|value| value.strip_prefix("Bearer "));
            let is_of = |secret: &Secret| sent.is_some_and(|sent| same_secret(sent, secret.reveal(), &salt));
            let flavour = GeminiFlavour::ALL.into_iter().zip(&known).find(|(_, secret)| is_of(secret));
            flavour
                .map(|(flavour, _)| flavour.name().into())
                .ok_or(Denied::Unauthorized { challenge: "Bearer".to_owned() })
        });
    let http = StreamableHttp::new(server, Config::default().admission(admission).sessions(true));
    let service = move |request: Request<Incoming>| {
        let http = http.clone();
        async move { answer(&http, port, request).await }
    };
    let serving = tokio::spawn(mcp_transport_http::serve(listener, service, std::future::pending()));
    let teller = shared.clone();
    let telling = tokio::spawn(async move {
        loop {
            teller.changed.notified().await;
            tokio::time::sleep(Duration::from_millis(GEMINI_DEBOUNCE_MS)).await;
            teller.tell();
        }
    });
    let discovery =
        Discovery { port, pid: std::process::id(), workspace_folders: app.surface().workspaces(), secrets };
    let files = Arc::new(Mutex::new(Files::write(discovery, home, temporary)));
    let (kept, app) = (files.clone(), app.clone());
    let keeping = tokio::spawn(async move {
        loop {
            tokio::time::sleep(LOCK_CHECK).await;
            let folders = app.surface().workspaces();
            kept.lock().unwrap_or_else(PoisonError::into_inner).follow(folders);
        }
    });
    Ok(Gemini { serving, telling, keeping, files, _news: news })
}

fn random() -> io::Result<[u8; 32]> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

/// Web pages are not served, whatever they know; nor is any other path.
async fn answer(http: &StreamableHttp, port: u16, request: Request<Incoming>) -> Response<Body> {
    let refuse = |status, why: &'static str| endpoint::response(status, "text/plain", Body::whole(why));
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let own =
        [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("host.docker.internal:{port}")];
    if request.headers().contains_key(ORIGIN) || !host.is_some_and(|host| own.iter().any(|own| own == host)) {
        return refuse(StatusCode::FORBIDDEN, "web pages are not served\n");
    }
    if request.uri().path() != "/mcp" {
        return refuse(StatusCode::NOT_FOUND, "nothing is served at this path\n");
    }
    http.handle(request).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_follow_the_folders_come_back_and_go() {
        let (home, temporary) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let secrets = [1, 2].map(|n| Secret::new([n; 32]));
        let discovery = Discovery { port: 9, pid: 7, workspace_folders: Vec::new(), secrets };
        let mut files = Files::write(discovery, home.path(), temporary.path());
        let written = files.written.clone();
        let says =
            |path: &PathBuf| -> Value { serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap() };
        assert_eq!(written.len(), 3);
        assert!(written.iter().all(|path| says(path)["workspacePath"] == ""));
        files.follow(vec!["/a".to_owned()]);
        assert!(written.iter().all(|path| says(path)["workspacePath"] == "/a"));
        std::fs::remove_file(&written[0]).unwrap();
        files.follow(vec!["/a".to_owned()]);
        assert_eq!(says(&written[0])["workspacePath"], "/a");
        files.remove();
        assert!(!written.iter().any(|path| path.exists()));
    }
}
