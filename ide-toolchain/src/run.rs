//! Running a program to its end.

use std::convert::Infallible;
use std::io::{self, Read, Write as _};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ide_model::{Cx, QueryError};

use crate::capture::Captured;
use crate::process::{Process, Program};

/// How often is looked whether the call was taken back, at most.
const LOOK: Duration = Duration::from_millis(20);
/// How long is waited for the rest of an output that a process keeps open although it should be gone.
const GRACE: Duration = Duration::from_millis(500);

/// The behaviour when a program writes more than is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The program is ended: half of its output is worth nothing.
    Fail,
    /// It goes on; the beginning and the end of its output are kept.
    Shorten,
}

/// How long a program may run and how much of each of its outputs is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub time: Duration,
    /// Bytes.
    pub output: usize,
    pub overflow: Overflow,
}

/// A program that came to its end.
#[derive(Clone, Debug)]
pub struct Finished {
    pub status: ExitStatus,
    pub out: Captured,
    pub err: Captured,
    pub took: Duration,
}

/// Why a program did not come to its end. By then everything that it started is gone.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(io::Error),
    /// The system failed while it ran.
    #[error("failed: {0}")]
    Failed(io::Error),
    /// It did not end in this time.
    #[error("was ended after {:.0} s", .0.as_secs_f64())]
    Late(Duration),
    /// It wrote more than so many bytes.
    #[error("was ended because it wrote more than {0} bytes")]
    TooMuch(usize),
    /// The call was taken back, or ran out of its own time.
    #[error("was ended because the call was")]
    Stopped(QueryError),
}

/// A program that ran, to its end or not.
#[derive(Debug)]
pub struct Execution {
    /// How it ended, or why it was ended.
    pub end: Result<ExitStatus, RunError>,
    pub out: Captured,
    pub err: Captured,
    pub took: Duration,
}

/// Hears what a program writes, as it does; of both of its outputs.
pub type OutputSink = Arc<dyn Fn(&[u8]) + Send + Sync>;

/// Runs a program with `input` on its standard input, until it ends. Programs that it started in the background are ended with it.
///
/// # Errors
/// See [`RunError`].
pub fn run(cx: Cx<'_>, program: &Program, input: &[u8], limits: Limits) -> Result<Finished, RunError> {
    let Execution { end, out, err, took } = run_heard(cx, program, input, limits, None)?;
    Ok(Finished { status: end?, out, err, took })
}

/// Runs a program as [`run`] does, and gives back what it wrote also when it was ended before its time.
///
/// # Errors
/// When it could not be started.
pub fn run_heard(
    cx: Cx<'_>,
    program: &Program,
    input: &[u8],
    limits: Limits,
    hear: Option<&OutputSink>,
) -> Result<Execution, RunError> {
    cx.check().map_err(RunError::Stopped)?;
    let begun = Instant::now();
    let mut process = Process::start(program).map_err(RunError::Start)?;
    let mut stdin = process.stdin.take().expect("every process has one");
    let input = input.to_owned();
    // A program that ends without reading all of it closes its end, which is its own affair.
    thread::spawn(move || drop(stdin.write_all(&input)));
    let (sender, news) = channel();
    let is_full = Arc::new(AtomicBool::new(false));
    let out = collect(process.stdout.take(), limits, &is_full, &sender, hear.cloned());
    let err = collect(process.stderr.take(), limits, &is_full, &sender, hear.cloned());
    drop(sender);

    let watched = watch(cx, &mut process, &news, begun, limits, &is_full);
    let ended = process.end().map_err(RunError::Failed);
    // Everything is killed, so the pipes are closed, unless a process got away.
    let _ = news.recv_timeout(GRACE);
    let is_too_much = limits.overflow == Overflow::Fail && is_full.load(Ordering::Acquire);
    let end = match watched.and(ended) {
        Ok(_) if is_too_much => Err(RunError::TooMuch(limits.output)),
        end => end,
    };
    let take =
        |kept: &Mutex<Captured>| std::mem::take(&mut *kept.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Execution { end, out: take(&out), err: take(&err), took: begun.elapsed() })
}

/// Waits until the program has ended. On an error the caller ends it.
fn watch(
    cx: Cx<'_>,
    process: &mut Process,
    news: &Receiver<Infallible>,
    begun: Instant,
    limits: Limits,
    is_full: &AtomicBool,
) -> Result<(), RunError> {
    // Most programs are short: the first looks come quickly.
    let mut pause = Duration::from_millis(1);
    loop {
        if process.has_ended().map_err(RunError::Failed)? {
            return Ok(());
        }
        cx.check().map_err(RunError::Stopped)?;
        if begun.elapsed() >= limits.time {
            return Err(RunError::Late(limits.time));
        }
        if limits.overflow == Overflow::Fail && is_full.load(Ordering::Acquire) {
            return Err(RunError::TooMuch(limits.output));
        }
        // When both outputs are closed, the program is about to end.
        if news.recv_timeout(pause) == Err(RecvTimeoutError::Disconnected) {
            thread::sleep(pause);
        }
        pause = (pause * 2).min(LOOK);
    }
}

/// Reads an output in a thread of its own. The sender is dropped at its end.
fn collect(
    from: Option<impl Read + Send + 'static>,
    limits: Limits,
    is_full: &Arc<AtomicBool>,
    sender: &Sender<Infallible>,
    hear: Option<OutputSink>,
) -> Arc<Mutex<Captured>> {
    let kept: Arc<Mutex<Captured>> = Arc::default();
    let (shared, is_full, sender) = (kept.clone(), is_full.clone(), sender.clone());
    let mut from = from.expect("every process has one");
    thread::spawn(move || {
        let mut buffer = [0; 16 << 10];
        loop {
            let bytes = match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => &buffer[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            if let Some(hear) = &hear {
                hear(bytes);
            }
            let mut kept = shared.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push(bytes, limits.output);
            if kept.left_out() > 0 {
                is_full.store(true, Ordering::Release);
                if limits.overflow == Overflow::Fail {
                    break;
                }
            }
        }
        drop(sender);
    });
    kept
}
