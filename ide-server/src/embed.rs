//! A server inside of a process that has other things to do, such as an IDE: it runs on threads of its own, tells where it
//! listens, and can be stopped and started again.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use history::{Filter, Page};
use ide_edit::Carrier;
use ide_model::EditorSurface;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::app_state::AppState;
use crate::companion::{self, CompanionPlaces};
use crate::config::Config;
use crate::serve::{Listening, ServeError, serve, workers};

/// How long a call may go on that does not heed its flag, when nobody says otherwise.
const GRACE: Duration = Duration::from_millis(200);
/// Most calls in one answer.
const MOST_CALLS: u64 = 1000;

/// The IDE in whose process a server runs.
pub trait Ide: Send + Sync {
    /// The editor that agents are shown and may drive.
    fn surface(&self) -> Arc<dyn EditorSurface>;

    /// The writer of a project's files, so that the person can undo it there.
    fn carrier(&self, root: &str) -> Arc<dyn Carrier>;
}

/// The text of a file on disk; `None` for what is not there, too large or not text.
pub fn text_on_disk(path: &Path) -> Option<String> {
    let bytes = ide_store::read_regular(path, ide_store::MAX_TEXT_BYTES).ok()?;
    Some(ide_store::decode(&bytes)?.into_owned())
}

/// Serves the state on a runtime that lives as long, all transports and the companion. `ready` is told where before the first
/// request is taken; it ends when `shutdown` is ready, which says how long calls may go on.
///
/// # Errors
/// See [`serve`].
pub(crate) fn run(
    app: Arc<AppState>,
    places: &CompanionPlaces,
    ready: impl FnOnce(&Listening),
    shutdown: impl Future<Output = Option<Duration>>,
) -> Result<(), ServeError> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("ide-http")
        .max_blocking_threads(workers(&app.config()))
        .enable_all()
        .build()?;
    let mut grace = None;
    let served = runtime.block_on(async {
        // its lock files go with it
        let _companion = companion::start(&app, places).await;
        serve(app, ready, async { grace = shutdown.await }).await
    });
    // A call that does not heed its flag must not keep the process alive.
    runtime.shutdown_timeout(grace.unwrap_or(GRACE));
    served
}

/// A server that runs.
pub struct Serving {
    app: Arc<AppState>,
    listening: Listening,
    end: Option<oneshot::Sender<Duration>>,
    thread: Option<JoinHandle<()>>,
}

impl Serving {
    /// Starts to serve, and returns when it listens.
    ///
    /// # Errors
    /// When the port is taken or a setting does not do.
    pub fn start(app: Arc<AppState>, places: CompanionPlaces) -> Result<Self, ServeError> {
        let (told, ready) = channel();
        let (end, ended) = oneshot::channel();
        let of_thread = app.clone();
        let thread = std::thread::Builder::new().name("ide-main".to_owned()).spawn(move || {
            let listens = told.clone();
            let ready = move |listening: &Listening| drop(listens.send(Ok(listening.clone())));
            if let Err(error) = run(of_thread, &places, ready, async { ended.await.ok() }) {
                drop(told.send(Err(error)));
            }
        })?;
        match ready.recv() {
            Ok(Ok(listening)) => Ok(Self { app, listening, end: Some(end), thread: Some(thread) }),
            Ok(Err(error)) => {
                drop(thread.join());
                Err(error)
            }
            Err(_) => {
                drop(thread.join());
                Err(ServeError::Setting("the server's log says why it does not run".to_owned()))
            }
        }
    }

    pub fn app(&self) -> &Arc<AppState> {
        &self.app
    }

    /// The addresses where it listens.
    pub fn listening(&self) -> &Listening {
        &self.listening
    }

    /// Answers what the process around the server asks: `status`, `dashboard`, `history`, `settings`, `settings.set`.
    ///
    /// # Errors
    /// A sentence for the person.
    pub fn request(&self, request: &Value) -> Result<Value, String> {
        match request["op"].as_str().unwrap_or_default() {
            "status" => Ok(self.status()),
            "dashboard" => {
                let link = self.listening.dashboard_link().map_err(|error| error.to_string())?;
                link.map(|url| json!({"url": url})).ok_or_else(|| "no dashboard is served".to_owned())
            }
            "history" => Ok(self.history(request["limit"].as_u64().unwrap_or(20))),
            "settings" => Ok(self.settings()),
            "settings.set" => self.set(request),
            other => Err(format!("there is no request `{other}`")),
        }
    }

    fn status(&self) -> Value {
        let listening = &self.listening;
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "url": listening.url(),
            "sseUrl": listening.sse_url(),
            "webSocketUrl": listening.web_socket_url(),
            "dashboardUrl": listening.dashboard_url(),
            "port": listening.address().port(),
            "serverName": crate::Product::of(&self.app.config().product).map(|product| product.server),
            "projects": self.app.project_states(),
        })
    }

    fn history(&self, limit: u64) -> Value {
        let most = usize::try_from(limit.min(MOST_CALLS)).unwrap_or(0);
        let page = Page { before: None, limit: most, with_results: false };
        let calls = self.app.records().list(Filter::default(), page);
        let call = |call: &history::Entry| {
            json!({
                "id": call.id,
                "tool": call.tool_name,
                "project": call.project_path,
                "startedAt": call.timestamp,
                "durationMs": call.duration_ms,
                "status": call.status.as_str(),
            })
        };
        json!({"calls": calls.iter().map(call).collect::<Vec<_>>()})
    }

    /// The settings that hold now, and those that hold from the next start on.
    fn settings(&self) -> Value {
        let config = self.app.config();
        let next = config.file.as_deref().filter(|file| file.exists()).map(Config::read);
        let next = match next {
            Some(Ok(config)) => config.values(),
            Some(Err(error)) => json!({"error": error.to_string()}),
            None => config.values(),
        };
        json!({"file": config.file, "settings": config.values(), "next": next})
    }

    /// Changes one setting as the dashboard does: what can hold at once does.
    fn set(&self, request: &Value) -> Result<Value, String> {
        let key = Config::key(request["key"].as_str().ok_or("`key` is missing")?)?;
        let value = match &request["value"] {
            Value::Null => None,
            Value::Array(words) => Some(words.iter().map(word).collect()),
            one => Some(vec![word(one)]),
        };
        self.app.set(&[(&key, value)])?;
        let config = self.app.config();
        let file = config.file.as_ref().ok_or("there is no settings file")?;
        let written = Config::read(file).map_err(|error| error.to_string())?;
        Ok(json!({"key": key, "value": written.values()[&key], "holds": Config::is_live(&key)}))
    }

    /// Ends the server and waits for all its threads. False when some did not end within the deadline.
    pub fn stop(mut self, deadline: Duration) -> bool {
        self.end(deadline)
    }

    fn end(&mut self, deadline: Duration) -> bool {
        let until = Instant::now() + deadline;
        let Some(end) = self.end.take() else { return true };
        let _ = end.send(deadline);
        if let Some(thread) = self.thread.take() {
            // it only panics with what the log says already
            drop(thread.join());
        }
        // Calls that did not end hold the state, and with it threads of indexes.
        while Arc::strong_count(&self.app) > 1 {
            if Instant::now() >= until {
                return false;
            }
            self.app.watchdog().sweep();
            std::thread::sleep(Duration::from_millis(1));
        }
        ide_index::parallel::end();
        true
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.end(GRACE);
    }
}

/// A value as it stands on the command line.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
