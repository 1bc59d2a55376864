//! Running a program on a text: within a time, ended with the call, without a shell.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::spawn;
use std::time::{Duration, Instant};

use ide_model::{Cx, QueryError};
use ide_tools::ToolError;

/// How often it is looked whether the call was taken back.
const LOOK: Duration = Duration::from_millis(20);

/// What a program left.
pub(super) struct Ended {
    pub(super) is_good: bool,
    pub(super) out: String,
    pub(super) err: String,
}

/// Why a program did not come to its end.
pub(super) enum RunError {
    Start(std::io::Error),
    NotText,
    Late(Duration),
    Stopped(QueryError),
}

impl RunError {
    /// The error of a tool that ran the program of this name.
    pub(super) fn told(self, name: &str) -> ToolError {
        match self {
            Self::Start(error) => {
                ToolError::new("no_formatter", format!("{name} cannot be started: {error}"))
                    .hint("see that it can be run by hand")
            }
            Self::NotText => ToolError::new("format_failed", format!("{name} wrote what is not UTF-8")),
            Self::Late(limit) => {
                ToolError::new("timeout", format!("{name} was ended after {} s", limit.as_secs())).retryable()
            }
            Self::Stopped(error) => error.into(),
        }
    }
}

/// Runs a program in a folder with a text on its standard input.
///
/// # Errors
/// When it cannot be started, or does not end in time or before the call does; it is killed then.
pub(super) fn run(
    cx: Cx<'_>,
    program: &Path,
    args: &[String],
    folder: &Path,
    text: &str,
    limit: Duration,
) -> Result<Ended, RunError> {
    cx.check().map_err(RunError::Stopped)?;
    let mut command = Command::new(program);
    command.args(args).current_dir(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(RunError::Start)?;
    let mut input = child.stdin.take().expect("it was asked for");
    let text = text.to_owned();
    // A program that ends without reading all of it closes its end, which is its own affair.
    spawn(move || drop(input.write_all(text.as_bytes())));
    let out = reader(child.stdout.take().expect("it was asked for"));
    let err = reader(child.stderr.take().expect("it was asked for"));
    let due = Instant::now() + limit;
    let read = wait(cx, &out, due, limit).and_then(|out| Ok((out, wait(cx, &err, due, limit)?)));
    let (out, err) = match read {
        Ok(read) => read,
        Err(error) => {
            end(&mut child);
            return Err(error);
        }
    };
    // Both outputs are closed: what remains is to take the program's leave.
    let status = child.wait().map_err(RunError::Start)?;
    let out = String::from_utf8(out).map_err(|_| RunError::NotText)?;
    Ok(Ended { is_good: status.success(), out, err: String::from_utf8_lossy(&err).into_owned() })
}

fn reader(mut from: impl Read + Send + 'static) -> Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = channel();
    spawn(move || {
        let mut bytes = Vec::new();
        let read = from.read_to_end(&mut bytes).map(|_| bytes);
        // Nobody waits any more when the program was killed.
        drop(sender.send(read));
    });
    receiver
}

fn wait(
    cx: Cx<'_>,
    from: &Receiver<std::io::Result<Vec<u8>>>,
    due: Instant,
    limit: Duration,
) -> Result<Vec<u8>, RunError> {
    loop {
        match from.recv_timeout(LOOK) {
            Ok(read) => return read.map_err(RunError::Start),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(RunError::NotText),
        }
        cx.check().map_err(RunError::Stopped)?;
        if Instant::now() >= due {
            return Err(RunError::Late(limit));
        }
    }
}

fn end(child: &mut Child) {
    // It may have ended by itself by now; waiting takes its entry out of the process table.
    drop(child.kill());
    drop(child.wait());
}
