//! `dashboard`: an address that lets a browser see the dashboard of a running server.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use serde_json::Value;

use super::{Common, Failure, print, settings};
use crate::dashboard::file_of;

/// How long the server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Port of the server [default: 29190]
    #[arg(long)]
    port: Option<u16>,
    /// Print the address instead of opening it
    #[arg(long)]
    print: bool,
}

pub(super) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let config = settings(common)?.0;
    let port = args.port.unwrap_or(config.port);
    let state_dir = config.state_dir.as_deref();
    let state_dir =
        state_dir.ok_or_else(|| Failure::setting("there is no `state_dir` to look for a server in"))?;
    let file = file_of(state_dir, port);
    let none = |_| {
        Failure::setting(format!(
            "no server of yours listens on port {port}; start one with `ide-index-mcp serve`"
        ))
    };
    let content = std::fs::read_to_string(&file).map_err(none)?;
    let secret = serde_json::from_str::<Value>(&content).ok();
    let secret = secret.as_ref().and_then(|content| content["secret"].as_str());
    let secret = secret.ok_or_else(|| Failure::internal(format!("{} cannot be read", file.display())))?;
    let url = link(port, secret)
        .map_err(|error| Failure::setting(format!("the server on port {port} does not answer: {error}")))?;
    print(&url);
    if !args.print && !open(&url) {
        print("Open it in your browser. It works once.");
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks the server for an address.
fn link(port: u16, secret: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(
        stream,
        "GET /dashboard/link HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {secret}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.take(64 << 10).read_to_string(&mut answer)?;
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    body["url"].as_str().map(str::to_owned).ok_or_else(|| std::io::Error::other("it gives no address"))
}

/// Opens an address in the browser of the desktop.
fn open(url: &str) -> bool {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    if cfg!(windows) {
        return false;
    }
    let started = Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    started.is_ok()
}
