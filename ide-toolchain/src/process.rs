//! A program that runs beside us.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use crate::group::{Group, new_mark};

/// The program to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The file itself: no shell and no search path is asked.
    pub file: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The working directory.
    pub folder: PathBuf,
    /// Environment variables beside our own; `None` takes one away.
    pub env: Vec<(OsString, Option<OsString>)>,
}

impl Program {
    /// A program without arguments, run in a folder with our environment.
    pub fn new(file: &Path, folder: &Path) -> Self {
        Self { file: file.to_owned(), args: Vec::new(), folder: folder.to_owned(), env: Vec::new() }
    }

    /// The same with further arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
}

/// A running program with pipes to its three standard streams. Dropping it ends it and everything that it started.
#[derive(Debug)]
pub struct Process {
    /// Its standard input; drop it to say that there is no more.
    pub stdin: Option<ChildStdin>,
    /// Its standard output.
    pub stdout: Option<ChildStdout>,
    /// Its standard error. One that nobody reads blocks the program when the pipe is full.
    pub stderr: Option<ChildStderr>,
    child: Child,
    group: Group,
    status: Option<ExitStatus>,
}

impl Process {
    /// Starts a program.
    ///
    /// # Errors
    /// When it is missing, not executable, or the system has no room for it.
    pub fn start(program: &Program) -> io::Result<Self> {
        let mut command = Command::new(&program.file);
        command.args(&program.args).current_dir(&program.folder);
        for (name, value) in &program.env {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let (mut child, group) = Group::start(&mut command, &new_mark())?;
        let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        Ok(Self { stdin, stdout, stderr, child, group, status: None })
    }

    /// The number of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether the program itself has ended; what it started may still run.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.status.is_some() || self.group.has_ended(&mut self.child)?)
    }

    /// Ends the program and everything that it started, and says how the program itself ended. Does nothing further when
    /// called again.
    ///
    /// # Errors
    /// When the system does not say.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        self.group.kill(&mut self.child);
        let status = self.child.wait()?;
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // There is nobody to tell.
        drop(self.end());
    }
}
