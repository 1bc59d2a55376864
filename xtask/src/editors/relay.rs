//! Stands between an editor and its language server and writes down what both say, and how files change meanwhile.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use crate::repo;

/// The recording, in which the project's folder is called `{root}`.
struct Log {
    out: fs::File,
    root: PathBuf,
    files: BTreeMap<PathBuf, String>,
}

impl Log {
    fn line(&mut self, entry: &Value) -> Result<()> {
        let text = entry.to_string().replace(&*self.root.to_string_lossy(), "{root}");
        writeln!(self.out, "{text}").context("cannot write the recording")
    }

    /// Files that changed since the last look.
    fn look(&mut self) -> Result<()> {
        let mut now = BTreeMap::new();
        for file in repo::walk(&self.root, |_| false)? {
            now.insert(file.clone(), fs::read_to_string(self.root.join(&file))?);
        }
        for (file, text) in &now {
            if self.files.get(file) != Some(text) {
                self.line(&json!({ "from": "disk", "file": file, "text": text }))?;
            }
        }
        self.files = now;
        Ok(())
    }
}

/// `relay LOG ROOT PROGRAM ARGUMENTS…`
pub(crate) fn run(words: &[PathBuf]) -> Result<()> {
    let [log, root, program, arguments @ ..] = words else { bail!("LOG ROOT PROGRAM ARGUMENTS…") };
    let out = fs::File::create(log)?;
    let log = Arc::new(Mutex::new(Log { out, root: root.clone(), files: BTreeMap::new() }));
    let mut server =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let to_server = server.stdin.take().context("stdin was piped")?;
    let from_server = BufReader::new(server.stdout.take().context("stdout was piped")?);
    let copy = {
        let log = log.clone();
        std::thread::spawn(move || pass(from_server, io::stdout(), "server", &log))
    };
    pass(BufReader::new(io::stdin()), to_server, "client", &log)?;
    copy.join().map_err(|_| anyhow::anyhow!("the thread for the server failed"))??;
    let status = server.wait()?;
    ensure!(status.success(), "the server ended with {status}");
    Ok(())
}

fn pass(mut from: impl BufRead, mut to: impl Write, who: &str, log: &Mutex<Log>) -> Result<()> {
    while let Some(body) = body(&mut from)? {
        let mut message: Value = serde_json::from_slice(&body)?;
        if message["params"].get("processId").is_some() {
            message["params"]["processId"] = Value::Null;
        }
        {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            if who == "client" {
                log.look()?;
            }
            log.line(&json!({ "from": who, "message": message }))?;
        }
        write!(to, "Content-Length: {}\r\n\r\n", body.len())?;
        to.write_all(&body)?;
        to.flush()?;
        // Some clients wait for our end before they close their side.
        if who == "client" && message["method"] == "exit" {
            return Ok(());
        }
    }
    Ok(())
}

/// The body of the next message; `None` at the end.
pub(crate) fn body(from: &mut impl BufRead) -> Result<Option<Vec<u8>>> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim().split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = Some(value.trim().parse()?);
            }
            _ if line.trim().is_empty() => break,
            _ => {}
        }
    }
    let mut body = vec![0; length.context("a message without a length")?];
    from.read_exact(&mut body)?;
    Ok(Some(body))
}
