//! The servers that run in this process, by number.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ide_model::{Cx, EditorSurface, Stop};
use ide_server::{
    AppState, BundledLibraries, Carrier, CompanionPlaces, Config, Engine, Layered, Layout, Places, Product,
    Serving, log,
};
use serde_json::{Value, json};

use crate::calls::{CallError, Calls};
use crate::carrier::IdeCarrier;
use crate::host::Host;
use crate::ide::{Ide, IdeProvider};
use crate::queue::{Queue, Slot};
use crate::surface::IdeSurface;

/// How long the IDE may take to say which projects are open.
const FIRST: Duration = Duration::from_secs(10);
/// How long an answer waits for the IDE before the index answers alone.
const PATIENCE: Duration = Duration::from_secs(8);

/// Most questions of one measurement.
const MOST_TRIPS: u64 = 100_000;

static NEXT: AtomicI64 = AtomicI64::new(1);
static RUNNING: Mutex<BTreeMap<i64, Arc<Plugin>>> = Mutex::new(BTreeMap::new());

fn running() -> MutexGuard<'static, BTreeMap<i64, Arc<Plugin>>> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

fn known(handle: i64) -> Result<Arc<Plugin>, String> {
    running().get(&handle).cloned().ok_or_else(|| format!("no server runs under the handle {handle}"))
}

/// Starts a server and gives its number.
///
/// # Errors
/// A sentence for the person.
pub(crate) fn start(host: Arc<dyn Host>, config: &[u8]) -> Result<i64, String> {
    let config: Value =
        serde_json::from_slice(config).map_err(|error| format!("the configuration is no JSON: {error}"))?;
    let plugin = Arc::new(Plugin::start(host, &config)?);
    let handle = NEXT.fetch_add(1, Ordering::Relaxed);
    running().insert(handle, plugin);
    Ok(handle)
}

/// Answers a request.
///
/// # Errors
/// A sentence for the person; the handle is of no server that runs.
pub(crate) fn request(handle: i64, request: &[u8]) -> Result<Vec<u8>, String> {
    let request =
        serde_json::from_slice(request).map_err(|error| format!("the request is no JSON: {error}"))?;
    let answer = Slot::new();
    if !known(handle)?.requests.push(Message { what: request, answer: Some(answer.clone()) }, || {}) {
        return Err("the server ends".to_owned());
    }
    answer.take().map(|value| value.to_string().into_bytes())
}

/// Tells of an event.
///
/// # Errors
/// The handle is of no server that runs, or the event cannot be read.
pub(crate) fn notify(handle: i64, event: &[u8]) -> Result<(), String> {
    let event = serde_json::from_slice(event).map_err(|error| format!("the event is no JSON: {error}"))?;
    // one that comes while the server ends concerns nobody
    known(handle)?.events.push(Message { what: event, answer: None }, || {});
    Ok(())
}

/// Stops a server and waits for its threads.
///
/// # Errors
/// The handle is of no server that runs; threads that are still at work at the deadline.
pub(crate) fn stop(handle: i64, deadline: Duration) -> Result<(), String> {
    let plugin = running().remove(&handle);
    let plugin = plugin.ok_or_else(|| format!("no server runs under the handle {handle}"))?;
    plugin.stop(deadline)
}

struct Message {
    what: Value,
    answer: Option<Slot<Result<Value, String>>>,
}

type Answering = fn(&RunningServer, &Value) -> Result<Value, String>;

/// One server.
struct Plugin {
    calls: Arc<Calls>,
    requests: Arc<Queue<Message>>,
    events: Arc<Queue<Message>>,
    rest: Mutex<Option<Rest>>,
}

/// The parts that the end takes.
struct Rest {
    served: Arc<RunningServer>,
    threads: Vec<JoinHandle<()>>,
}

impl Plugin {
    fn start(host: Arc<dyn Host>, config: &Value) -> Result<Self, String> {
        let calls = Arc::new(Calls::new(host).map_err(|error| error.to_string())?);
        let started = serve(&calls, config);
        let served = Arc::new(started.inspect_err(|_| {
            calls.end();
            calls.join(Instant::now() + FIRST);
        })?);
        let (requests, events) = (Arc::new(Queue::new()), Arc::new(Queue::new()));
        let mut threads = Vec::new();
        let of: [(_, _, Answering); 2] =
            [("ide-requests", &requests, asked), ("ide-events", &events, happen)];
        for (name, queue, answer) in of {
            let (queue, served): (Arc<Queue<Message>>, _) = (queue.clone(), served.clone());
            let work = move || {
                while let Some(message) = queue.pop() {
                    let guarded = std::panic::AssertUnwindSafe(|| answer(&served, &message.what));
                    let done = std::panic::catch_unwind(guarded);
                    let done = done.unwrap_or_else(|_| Err("the server's log says why it failed".to_owned()));
                    match (message.answer, done) {
                        (Some(slot), done) => slot.fill(done),
                        (None, Ok(_)) => {}
                        (None, Err(why)) => log(&format!("event {}: {why}", message.what)),
                    }
                }
            };
            let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
            threads.push(thread.map_err(|error| error.to_string())?);
        }
        let rest = Mutex::new(Some(Rest { served, threads }));
        Ok(Self { calls, requests, events, rest })
    }

    fn stop(&self, deadline: Duration) -> Result<(), String> {
        let until = Instant::now() + deadline;
        let rest = self.rest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Rest { served, threads }) = rest else { return Ok(()) };
        // Tools that wait for the IDE are answered now, so that clients get their answers before the port closes.
        self.calls.end();
        self.requests.close();
        self.events.close();
        for thread in threads {
            drop(thread.join());
        }
        let left = |until: Instant| until.saturating_duration_since(Instant::now());
        let around = served.around.clone();
        let serving = Arc::into_inner(served).and_then(|served| Arc::into_inner(served.serving));
        let mut ended = serving.is_none_or(|serving| serving.stop(left(until)));
        // A question that nobody waits for any more ends by itself, for the IDE is not asked any more.
        while ended && Arc::strong_count(&around.ide) > Surroundings::OWNERS {
            std::thread::sleep(Duration::from_millis(1));
            ended = Instant::now() < until;
        }
        drop(around);
        let called = self.calls.join(until);
        match (ended, called) {
            (true, true) => Ok(()),
            (false, _) => Err("calls of tools did not end in time".to_owned()),
            (_, false) => Err("the IDE did not end its answers in time".to_owned()),
        }
    }
}

/// The server's knowledge of its IDE.
struct Surroundings {
    ide: Arc<Ide>,
    surface: Arc<IdeSurface>,
}

impl Surroundings {
    /// It and the surface.
    const OWNERS: usize = 2;
}

impl ide_server::Ide for Surroundings {
    fn surface(&self) -> Arc<dyn EditorSurface> {
        self.surface.clone()
    }

    fn carrier(&self, root: &str) -> Arc<dyn Carrier> {
        Arc::new(IdeCarrier::new(self.ide.clone(), root.to_owned()))
    }
}

/// A server with the IDE around it.
struct RunningServer {
    serving: Arc<Serving>,
    around: Arc<Surroundings>,
    _libraries: Option<BundledLibraries>,
}

/// Starts the server with the projects that are open in the IDE.
fn serve(calls: &Arc<Calls>, about: &Value) -> Result<RunningServer, String> {
    let (config, places) = settings(about)?;
    let libraries = about["librariesDir"].as_str().map(|dir| libraries(Path::new(dir))).transpose()?;
    let name = |key: &str| about[key].as_str().unwrap_or_default();
    let name = format!("{} {}", name("productName"), name("version"));
    let ide = Ide::new(calls.clone(), name.trim().to_owned());
    let ide = Arc::new(ide.map_err(|error| format!("the IDE does not say what it can do: {error:?}"))?);
    let around = Arc::new(Surroundings { surface: Arc::new(IdeSurface::new(ide.clone())), ide: ide.clone() });
    let engine = Engine::default();
    let open = move |layout: &Layout, config: &Config| {
        let root = layout.root().spelling().to_owned();
        let provider = Arc::new(IdeProvider::new(ide.clone(), root));
        let index = engine.open(layout, config)?;
        Ok(Layered::over(index, layout.root().canonical().as_str().into(), vec![provider], PATIENCE))
    };
    let app = AppState::in_ide(config, &places, Box::new(open), Some(around.clone()))
        .map_err(|error| error.to_string())?;
    let never = Stop::new();
    match calls.ask(Cx::new(&never), "projects.list", json!({}), FIRST) {
        Ok(answer) => {
            for project in answer["projects"].as_array().into_iter().flatten() {
                let Some(path) = project["path"].as_str() else { continue };
                around.ide.set_dumb(path, project["dumb"] == true);
                open_project(&app, &around, path);
            }
        }
        Err(CallError::Host(error)) => log(&format!("the IDE does not say which projects are open: {error}")),
        Err(CallError::Stopped(_)) => log("the IDE does not say which projects are open"),
    }
    let found_at = CompanionPlaces::from_environment(&app.config(), &places);
    let serving = Serving::start(app, found_at).map(Arc::new).map_err(|error| error.to_string())?;
    Ok(RunningServer { serving, around, _libraries: libraries })
}

/// The declarations of standard libraries, which the plugin brings as files beside its code.
fn libraries(dir: &Path) -> Result<BundledLibraries, String> {
    BundledLibraries::from_archives(|name| {
        let file = dir.join(name).with_extension("zip");
        std::fs::read(&file).map_err(|error| format!("{}: {error}; install the plugin again", file.display()))
    })
}

fn open_project(app: &AppState, around: &Surroundings, path: &str) {
    match app.open_project(path) {
        Ok(()) => around.surface.opened(path),
        Err(error) => log(&format!("{path} cannot be opened: {error}")),
    }
}

/// The settings of the file in the directory for state, below what the IDE says.
fn settings(about: &Value) -> Result<(Config, Places), String> {
    let text = |name: &str| about[name].as_str().filter(|text| !text.is_empty());
    let path = |name: &str| text(name).map(PathBuf::from);
    let environment = Places::from_environment();
    let places = Places {
        config_file: path("stateDir").map(|dir| dir.join("settings.toml")),
        cache_dir: path("cacheDir"),
        state_dir: path("stateDir"),
        assets_dir: path("librariesDir"),
        ..environment
    };
    let mut config = Config::load(None, &places).map_err(|error| error.to_string())?;
    let product = Product::of_ide(text("product").unwrap_or_default());
    let is_default_port = config.port == Config::default().port;
    config.product = product.id.to_owned();
    match about["port"].as_u64().map(u16::try_from) {
        Some(Ok(port)) => config.port = port,
        Some(Err(_)) => return Err(format!("{} is no port", about["port"])),
        None if is_default_port => config.port = product.port,
        None => {}
    }
    if let Some(host) = text("host") {
        config.host = host.to_owned();
    }
    config.cache_dir = config.cache_dir.or_else(|| places.cache_dir.clone());
    config.state_dir = config.state_dir.or_else(|| places.state_dir.clone());
    // The projects are those that are open in the IDE.
    config.allowed_roots.get_or_insert_default();
    Ok((config, places))
}

/// A question of the JVM side.
fn asked(served: &RunningServer, what: &Value) -> Result<Value, String> {
    match what["op"].as_str() {
        Some("roundTrips") => round_trips(served, what["count"].as_u64().unwrap_or(1000)),
        _ => served.serving.request(what),
    }
}

/// How fast questions go to the IDE and come back, measured by one that costs it nothing.
fn round_trips(served: &RunningServer, count: u64) -> Result<Value, String> {
    let never = Stop::new();
    let mut times = Vec::new();
    for _ in 0..count.clamp(1, MOST_TRIPS) {
        let begun = Instant::now();
        let answer = served.around.ide.ask(Cx::new(&never), "capabilities", json!({}), FIRST);
        answer.map_err(|error| format!("the IDE does not answer: {error:?}"))?;
        times.push(begun.elapsed());
    }
    let all: Duration = times.iter().sum();
    times.sort();
    let per_second = times.len() as f64 / all.as_secs_f64().max(1e-9);
    let median = times[times.len() / 2].as_secs_f64() * 1e6;
    Ok(json!({"perSecond": per_second.round(), "medianMicros": (median * 10.0).round() / 10.0}))
}

/// An event of the IDE.
fn happen(served: &RunningServer, event: &Value) -> Result<Value, String> {
    let (app, around) = (served.serving.app(), &*served.around);
    let text = |name: &str| event[name].as_str().ok_or_else(|| format!("`{name}` is missing"));
    match event["event"].as_str().unwrap_or_default() {
        "projectOpened" => open_project(app, around, text("path")?),
        "projectClosed" => {
            let path = text("path")?;
            app.close_project(path);
            around.ide.set_dumb(path, false);
            around.surface.closed(path);
        }
        "dumb" => around.ide.set_dumb(text("project")?, true),
        "smart" => around.ide.set_dumb(text("project")?, false),
        "editors" => around.surface.editors(text("project")?, event),
        "diffVerdict" => around.surface.decided(event),
        "changed" => around.surface.changed(&event["paths"]),
        // The index sees the disk by itself; a build changes nothing that it answers from.
        _ => {}
    }
    Ok(Value::Null)
}
