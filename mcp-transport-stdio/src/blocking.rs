//! The blocking driver: the thread that reads also answers whatever is ready at once, and one more thread waits for
//! what is not. A pipe full of requests costs one read and one write.

use std::{
    io::{self, Read, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    task::{Context, Wake, Waker},
    thread,
    time::SystemTime,
};

use mcp_protocol::{
    Server, UnixMillis,
    framing::{Line, Lines},
    server::Connection,
};

/// How the driver behaves.
///
/// Spec: 2026-07-28 basic/transports/stdio.
#[derive(Clone, Debug)]
pub struct Options {
    /// The longest line, in bytes; longer ones are answered with an error and skipped. Default: 16 MiB.
    pub(crate) max_line_size: usize,
    /// Whether requests still under way when the input ends are finished instead of cancelled. Default: no, as the
    /// protocol has it; useful for `echo … | server`.
    pub(crate) finish_at_end: bool,
    /// The source of the time. Default: the system's clock.
    pub(crate) clock: fn() -> UnixMillis,
}

impl Default for Options {
    fn default() -> Self {
        Self { max_line_size: Lines::LIMIT, finish_at_end: false, clock: system_time }
    }
}

impl Options {
    /// Sets the longest line, in bytes.
    #[must_use]
    pub fn max_line_size(mut self, bytes: usize) -> Self {
        self.max_line_size = bytes;
        self
    }

    /// Sets whether requests still under way when the input ends are finished.
    #[must_use]
    pub fn finish_at_end(mut self, finish: bool) -> Self {
        self.finish_at_end = finish;
        self
    }

    /// Replaces the system's clock.
    #[must_use]
    pub fn clock(mut self, clock: fn() -> UnixMillis) -> Self {
        self.clock = clock;
        self
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the rim is where the clock is read; Options::clock replaces it"
)]
fn system_time() -> UnixMillis {
    SystemTime::now().into()
}

/// Serves one client on this process's standard input and output until the input ends. Nothing else may use them.
///
/// Spec: 2026-07-28 basic/transports/stdio.
///
/// # Errors
/// When reading or writing fails. A client that closed its end of the output is an error of the kind `BrokenPipe`.
pub fn serve_stdio(server: &Server, options: &Options) -> io::Result<()> {
    serve(server, options, io::stdin(), io::stdout())
}

/// Serves one client on a pair of blocking streams until the input ends.
///
/// Spec: 2026-07-28 basic/transports/stdio.
///
/// # Errors
/// When reading or writing fails.
pub fn serve(
    server: &Server,
    options: &Options,
    mut input: impl Read,
    output: impl Write + Send,
) -> io::Result<()> {
    let shared = Shared {
        wire: Mutex::new(Wire { connection: Connection::new(server.clone()), output, failed: None }),
        signal: Arc::new(WakeSignal::default()),
    };
    thread::scope(|scope| {
        scope.spawn(|| shared.attend());
        let read = shared.read(options, &mut input);
        if options.finish_at_end && read.is_ok() {
            shared.wire().connection.input_ended();
            shared.signal.wait_until_idle(|| shared.wire().is_idle());
        }
        shared.wire().connection.close();
        shared.signal.close();
        read
    })?;
    let failed = shared.wire().failed.take();
    failed.map_or(Ok(()), Err)
}

struct Shared<W> {
    wire: Mutex<Wire<W>>,
    signal: Arc<WakeSignal>,
}

struct Wire<W> {
    connection: Connection,
    output: W,
    failed: Option<io::Error>,
}

impl<W: Write> Wire<W> {
    /// Writes everything there is, in one go.
    fn flush(&mut self) {
        let bytes = self.connection.output();
        if bytes.is_empty() {
            return;
        }
        let written = self.output.write_all(bytes).and_then(|()| self.output.flush());
        bytes.clear();
        if let Err(e) = written {
            self.failed.get_or_insert(e);
        }
    }

    fn is_idle(&self) -> bool {
        self.connection.unanswered() == 0 || self.failed.is_some()
    }
}

impl<W: Write + Send> Shared<W> {
    fn wire(&self) -> MutexGuard<'_, Wire<W>> {
        self.wire.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, options: &Options, input: &mut impl Read) -> io::Result<()> {
        let mut lines = Lines::new(options.max_line_size);
        let mut chunk = vec![0; 64 << 10];
        loop {
            let n = match input.read(&mut chunk) {
                Ok(n) => n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(e),
            };
            let mut wire = self.wire();
            lines.push(&chunk[..n]);
            take_in(&mut wire.connection, &mut lines, options, n == 0);
            wire.flush();
            if n == 0 || wire.failed.is_some() {
                return Ok(());
            }
            if wire.connection.pending() > 0 {
                drop(wire);
                self.signal.ring();
            }
        }
    }

    /// Advances what could not be answered at once, whenever something woke it.
    fn attend(&self) {
        let waker = Waker::from(Arc::clone(&self.signal));
        let mut cx = Context::from_waker(&waker);
        loop {
            {
                let mut wire = self.wire();
                // its readiness says that there is output or the end, and both are looked at anyway
                if wire.connection.poll(&mut cx).is_ready() {
                    wire.flush();
                }
            }
            self.signal.advanced();
            if !self.signal.wait() {
                return;
            }
        }
    }
}

/// Gives the connection every line that has come; at the end of the input also a last one without a line feed.
pub(crate) fn take_in(connection: &mut Connection, lines: &mut Lines, options: &Options, is_over: bool) {
    let now = (options.clock)();
    let mut take = |line| match line {
        Line::Text(text) => connection.receive(now, &text),
        Line::TooLong(_) => connection.refuse_oversized(options.max_line_size),
    };
    while let Some(line) = lines.next_line() {
        take(line);
    }
    if is_over && let Some(line) = lines.finish() {
        take(line);
    }
}

/// Wakes the attending thread.
#[derive(Default)]
struct WakeSignal {
    state: Mutex<BellState>,
    changed: Condvar,
}

#[derive(Default)]
struct BellState {
    rung: bool,
    closed: bool,
    /// How often the attending thread has been through.
    rounds: u64,
}

impl WakeSignal {
    fn state(&self) -> MutexGuard<'_, BellState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        self.state().rung = true;
        self.changed.notify_all();
    }

    fn close(&self) {
        self.state().closed = true;
        self.changed.notify_all();
    }

    /// Tells a waiting reader that everything woken so far has been advanced.
    fn advanced(&self) {
        self.state().rounds += 1;
        self.changed.notify_all();
    }

    /// Until the bell rings; false when it was closed.
    fn wait(&self) -> bool {
        let mut state = self.state();
        while !state.rung && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.rung = false;
        !state.closed
    }

    fn wait_until_idle(&self, is_idle: impl Fn() -> bool) {
        loop {
            let seen = self.state().rounds;
            if is_idle() {
                return;
            }
            let mut state = self.state();
            while state.rounds == seen {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl Wake for WakeSignal {
    fn wake(self: Arc<Self>) {
        self.ring();
    }
    fn wake_by_ref(self: &Arc<Self>) {
        self.ring();
    }
}
