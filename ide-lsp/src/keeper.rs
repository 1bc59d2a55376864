//! A server's process: started when it is wanted, watched, ended when nobody asks any more.

use std::collections::HashSet;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ide_model::{FilePath, Standing};
use serde_json::Value;

use crate::convert::uri_of;
use crate::session::{Message, Session, Setup};
use crate::table::ServerSpec;

/// The pipes of a program: its input, its output, its messages for people.
pub type Streams = (Box<dyn Write + Send>, Box<dyn Read + Send>, Box<dyn Read + Send>);

/// A running program. Dropping it ends it and everything that it started.
pub trait RunningProgram: Send {
    fn has_ended(&mut self) -> bool;
    /// Bytes that it and what it started hold.
    fn memory(&self) -> Option<u64>;
    /// Ends it, and everything that it started, now.
    fn end(&mut self);
}

/// Starts programs: see to it that they end with us, whatever way we end.
pub trait Launcher: Send + Sync {
    /// # Errors
    /// When the program cannot be started.
    fn start(&self, spec: &ServerSpec, folder: &Path) -> io::Result<(Box<dyn RunningProgram>, Streams)>;
}

/// The surroundings of a server, beside its own row.
#[derive(Clone)]
pub struct Options {
    /// The real path of the project.
    pub root: PathBuf,
    /// How long an answer is waited for.
    pub patience: Duration,
    /// How long a start may take.
    pub start: Duration,
    /// It is ended when nobody asked for so long.
    pub idle: Duration,
    /// Bytes beyond which it is ended.
    pub memory: u64,
    /// Whether the user lets code of the project run; asked again before each start.
    pub allowed: Arc<dyn Fn() -> bool + Send + Sync>,
    pub launcher: Arc<dyn Launcher>,
    pub client_version: String,
}

/// The state that all threads of a server share.
pub(crate) struct Shared {
    pub(crate) spec: ServerSpec,
    pub(crate) options: Options,
    /// Why it can never run here.
    pub(crate) lacks: Option<String>,
    pub(crate) state: Mutex<State>,
    pub(crate) news: Condvar,
}

pub(crate) struct State {
    pub(crate) life: ProcessState,
    /// Counts starts, so that threads of an old process are told apart.
    run: u64,
    failures: u32,
    pub(crate) used: Instant,
    pub(crate) memory: Option<u64>,
    /// The last that the server said to people.
    said: String,
    /// Files of the project as the server knows them.
    pub(crate) files: HashSet<FilePath>,
    /// The state of the disk that documents were compared with.
    pub(crate) compared: Option<u64>,
    /// Tells the keeper of the running process to end it.
    control: Option<Sender<()>>,
}

pub(crate) enum ProcessState {
    Idle,
    /// The process is being started, or was and is not yet spoken with.
    Launching,
    Up(Box<Up>),
    Down {
        because: String,
        until: Instant,
    },
}

pub(crate) struct Up {
    pub(crate) session: Session,
    writer: Sender<Message>,
    since: Instant,
}

impl Up {
    /// Sends what the session has to say.
    pub(crate) fn flush(&mut self) {
        for message in self.session.take_output() {
            // A writer that is gone means a server that is gone, which its reader finds.
            drop(self.writer.send(message));
        }
    }
}

/// How often a process is looked at.
const LOOK: Duration = Duration::from_secs(2);
/// How long a server may take to say good-bye.
const FAREWELL: Duration = Duration::from_millis(400);
/// Pauses between starts after failures.
const BACK_OFF: [u64; 5] = [1, 5, 30, 120, 600];
/// Bytes that are kept of what a server says to people.
const SAID: usize = 2048;

impl Shared {
    pub(crate) fn new(spec: ServerSpec, options: Options, lacks: Option<String>) -> Arc<Self> {
        let state = State {
            life: ProcessState::Idle,
            run: 0,
            failures: 0,
            used: Instant::now(),
            memory: None,
            said: String::new(),
            files: HashSet::new(),
            compared: None,
            control: None,
        };
        Arc::new(Self { spec, options, lacks, state: Mutex::new(state), news: Condvar::new() })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it is now; starts it when it is wanted and may run.
    pub(crate) fn standing(self: &Arc<Self>, wanted: bool) -> Standing {
        if self.lacks.is_some() || !(self.options.allowed)() {
            return Standing::Absent;
        }
        let mut state = self.state();
        if wanted {
            state.used = Instant::now();
        }
        match &state.life {
            ProcessState::Up(up) if up.session.is_ready() => Standing::Ready,
            ProcessState::Up(_) | ProcessState::Launching => Standing::Starting,
            ProcessState::Down { because, until } if Instant::now() < *until => {
                Standing::Failed { because: because.clone() }
            }
            ProcessState::Idle | ProcessState::Down { .. } => {
                if wanted {
                    self.launch(&mut state);
                }
                Standing::Starting
            }
        }
    }

    fn launch(self: &Arc<Self>, state: &mut State) {
        state.life = ProcessState::Launching;
        state.run += 1;
        state.said.clear();
        state.compared = None;
        let (control, orders) = channel();
        state.control = Some(control);
        let (shared, run) = (Arc::clone(self), state.run);
        let keeper = thread::Builder::new().name(format!("{}-keeper", self.spec.name));
        if let Err(error) = keeper.spawn(move || shared.keep(run, &orders)) {
            self.fail(state, format!("there is no thread for it: {error}"));
        }
    }

    /// Has the process end, when there is one.
    pub(crate) fn end(&self) {
        // The keeper ends the process when nobody can give it orders any more.
        self.state().control = None;
    }

    fn fail(&self, state: &mut State, because: String) {
        let said = state.said.lines().map(str::trim).filter(|line| !line.is_empty());
        let told =
            said.clone().find(|line| line.to_lowercase().contains("error")).or(said.clone().next_back());
        let because = told.map_or_else(|| because.clone(), |told| format!("{because} ({})", brief(told)));
        let pause = BACK_OFF[(state.failures as usize).min(BACK_OFF.len() - 1)];
        state.failures += 1;
        state.life = ProcessState::Down { because, until: Instant::now() + Duration::from_secs(pause) };
        state.memory = None;
        state.control = None;
        self.news.notify_all();
    }

    /// The life of one process, from its start to its end.
    fn keep(self: &Arc<Self>, run: u64, orders: &Receiver<()>) {
        let (mut process, (stdin, stdout, stderr)) =
            match self.options.launcher.start(&self.spec, &self.options.root) {
                Ok(started) => started,
                Err(error) => {
                    let because = format!("`{}` cannot be started: {error}", self.spec.program.display());
                    return self.fail(&mut self.state(), because);
                }
            };
        let (writer, outgoing) = channel();
        let threads = [
            thread::Builder::new()
                .name(format!("{}-writer", self.spec.name))
                .spawn(move || write(stdin, &outgoing)),
            {
                let shared = Arc::clone(self);
                thread::Builder::new()
                    .name(format!("{}-reader", self.spec.name))
                    .spawn(move || shared.read(run, stdout))
            },
            {
                let shared = Arc::clone(self);
                thread::Builder::new()
                    .name(format!("{}-said", self.spec.name))
                    .spawn(move || shared.listen(run, stderr))
            },
        ];
        if let Some(error) = threads.into_iter().find_map(Result::err) {
            process.end();
            return self.fail(&mut self.state(), format!("there is no thread for it: {error}"));
        }
        {
            let mut state = self.state();
            let mut up = Box::new(Up { session: Session::new(self.setup()), writer, since: Instant::now() });
            up.flush();
            state.life = ProcessState::Up(up);
            self.news.notify_all();
        }
        let (because, is_fault) = self.watch(&mut *process, orders);
        if is_fault {
            let mut state = self.state();
            // Its reader may have found out first.
            if state.run == run && matches!(state.life, ProcessState::Up(_)) {
                self.fail(&mut state, because);
            }
        } else {
            self.say_farewell(run, &mut *process);
        }
        process.end();
    }

    fn setup(&self) -> Setup {
        Setup {
            root_uri: uri_of(&self.options.root, &FilePath::new(""))
                .unwrap_or_default()
                .trim_end_matches('/')
                .to_owned(),
            client_version: self.options.client_version.clone(),
            process_id: std::process::id(),
            initialization_options: self.spec.initialization_options.clone(),
            settings: self.spec.settings.clone(),
            ready: self.spec.ready.clone(),
        }
    }

    /// Looks after a process until it has to end; says why, and whether that is a fault.
    fn watch(&self, process: &mut dyn RunningProgram, orders: &Receiver<()>) -> (String, bool) {
        loop {
            match orders.recv_timeout(LOOK) {
                Err(RecvTimeoutError::Disconnected) => return (String::new(), false),
                Ok(()) => return ("it ended".to_owned(), true),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if process.has_ended() {
                return ("it ended".to_owned(), true);
            }
            let memory = process.memory();
            let mut state = self.state();
            state.memory = memory;
            if memory.is_some_and(|bytes| bytes > self.options.memory) {
                let limit = self.options.memory >> 20;
                return (
                    format!("it held more than {limit} MiB; `language_server_memory_mib` is the limit"),
                    true,
                );
            }
            let ProcessState::Up(up) = &state.life else { return (String::new(), false) };
            if up.session.is_ready() {
                state.failures = 0;
                if state.used.elapsed() > self.options.idle {
                    return (String::new(), false);
                }
            } else if up.since.elapsed() > self.options.start {
                return (format!("it was not ready after {} s", self.options.start.as_secs()), true);
            }
        }
    }

    /// Lets a server that works say good-bye, for a moment.
    fn say_farewell(&self, run: u64, process: &mut dyn RunningProgram) {
        let mut state = self.state();
        if state.run != run {
            return;
        }
        state.memory = None;
        state.control = None;
        let ProcessState::Up(mut up) = std::mem::replace(&mut state.life, ProcessState::Idle) else { return };
        up.session.shut_down();
        up.flush();
        self.news.notify_all();
        let until = Instant::now() + FAREWELL;
        while !process.has_ended() && Instant::now() < until {
            let left = until.saturating_duration_since(Instant::now()).min(Duration::from_millis(20));
            state = self.news.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn read(&self, run: u64, stdout: Box<dyn Read + Send>) {
        let mut reader = BufReader::new(stdout);
        let because = loop {
            match Message::read(&mut reader) {
                Ok(Some(message)) => {
                    let mut state = self.state();
                    if state.run != run {
                        return;
                    }
                    // The answer to our first message cannot come before the session is there.
                    while matches!(state.life, ProcessState::Launching) && state.run == run {
                        state = self.news.wait(state).unwrap_or_else(PoisonError::into_inner);
                    }
                    let ProcessState::Up(up) = &mut state.life else { return };
                    up.session.receive(message);
                    up.flush();
                    self.news.notify_all();
                }
                Ok(None) => break "it ended".to_owned(),
                Err(error) => break format!("it said what is no message: {}", brief(&error.to_string())),
            }
        };
        let mut state = self.state();
        if state.run == run && matches!(state.life, ProcessState::Up(_)) {
            // Questions get their answer now, the keeper cleans up behind it.
            let control = state.control.take();
            self.fail(&mut state, because);
            if let Some(control) = control {
                // A keeper that is gone has cleaned up.
                let _ = control.send(());
            }
        }
    }

    /// Keeps the end of what the server says to people.
    fn listen(&self, run: u64, mut stderr: Box<dyn Read + Send>) {
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut buffer) {
            let text = String::from_utf8_lossy(&buffer[..read]).into_owned();
            let mut state = self.state();
            if state.run != run {
                return;
            }
            state.said.push_str(&text);
            if state.said.len() > SAID {
                let cut = state.said.ceil_char_boundary(state.said.len() - SAID);
                state.said.drain(..cut);
            }
        }
    }
}

fn write(mut stdin: Box<dyn Write + Send>, outgoing: &Receiver<Message>) {
    while let Ok(message) = outgoing.recv() {
        if message.write(&mut stdin).is_err() {
            return;
        }
    }
}

/// The first line of a text, cut.
pub(crate) fn brief(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    line.chars().take(200).collect()
}

/// A value as its type; `None` when it is another one.
pub(crate) fn read_as<T: serde::de::DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}
