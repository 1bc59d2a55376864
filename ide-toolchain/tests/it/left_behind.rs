//! No process outlives the run that started it.
//!
//! Descendants hold the writing end of a named pipe: its end is read only when all of them are gone.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use ide_toolchain::{Limits, Process, RunError};
use tempfile::TempDir;

use crate::runs::{LIMITS, finished, shell};

/// A child in the group, and on Linux one that left it: both hold the pipe, and neither listens to signals that ask.
fn family(pipe: &Path) -> String {
    let away = if cfg!(target_os = "linux") { "setsid" } else { "" };
    let deaf = "trap '' TERM HUP INT";
    format!("exec 3> {}; {deaf}; (sleep 600) & {away} sh -c \"{deaf}; sleep 600\" &", pipe.display())
}

struct Pipe {
    _dir: TempDir,
    path: PathBuf,
}

impl Pipe {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        Self { _dir: dir, path }
    }

    /// Opens the pipe for reading; waits until somebody writes, so it is begun before the family is started.
    fn reader(&self) -> std::thread::JoinHandle<File> {
        let path = self.path.clone();
        std::thread::spawn(move || File::open(path).unwrap())
    }
}

/// Reads to the end of the pipe, which comes when nobody holds it any more.
fn wait_for_end(mut pipe: File) {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        sender.send(()).unwrap();
    });
    receiver.recv_timeout(Duration::from_secs(20)).expect("a process was left behind");
}

#[test]
fn after_a_good_end() {
    let pipe = Pipe::new();
    let reader = pipe.reader();
    let done = finished(&format!("{} echo done", family(&pipe.path)), b"", LIMITS).unwrap();
    assert_eq!(done.out.text(), "done\n");
    wait_for_end(reader.join().unwrap());
}

#[test]
fn after_a_timeout() {
    let pipe = Pipe::new();
    let reader = pipe.reader();
    let limits = Limits { time: Duration::from_millis(300), ..LIMITS };
    let script = format!("{} sleep 600", family(&pipe.path));
    assert!(matches!(finished(&script, b"", limits), Err(RunError::Late(_))));
    wait_for_end(reader.join().unwrap());
}

#[test]
fn after_a_process_was_dropped() {
    let pipe = Pipe::new();
    let reader = pipe.reader();
    let mut process = Process::start(&shell(&format!("{} echo ready; cat", family(&pipe.path)))).unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    assert!(!process.has_ended().unwrap());
    drop(process);
    wait_for_end(reader.join().unwrap());
}

const HOST: &str = "IDE_TOOLCHAIN_TEST_HOST";

/// Not a test of its own: what [`after_our_own_end`] starts and kills.
#[test]
fn host_that_is_killed() {
    let Some(pipe) = std::env::var_os(HOST) else { return };
    let script = format!("{} sleep 600", family(Path::new(&pipe)));
    let ended = finished(&script, b"", LIMITS);
    panic!("the host was to be killed: {ended:?}");
}

#[test]
fn after_our_own_end() {
    let pipe = Pipe::new();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "left_behind::host_that_is_killed", "--nocapture"]).env(HOST, &pipe.path);
    let mut host = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    // Open once the family holds the pipe.
    let reader = OpenOptions::new().read(true).open(&pipe.path).unwrap();
    host.kill().unwrap();
    host.wait().unwrap();
    wait_for_end(reader);
}
