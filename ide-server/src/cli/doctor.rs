//! `doctor`: is everything there that the server needs?

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ide_model::{Cx, Stop, counted};
use ide_tools::{ProjectSelector, Services};
use serde_json::json;

use super::{Common, Failure, app, exit, print, settings};
use crate::config::Config;

/// The result of one check.
struct Finding {
    what: &'static str,
    /// The problem, or the fact that was found.
    told: Result<String, String>,
}

/// Runs every check; fails when one does.
pub(super) fn run(common: &Common, as_json: bool) -> Result<ExitCode, Failure> {
    let loaded = settings(common);
    let mut findings = vec![Finding {
        what: "settings",
        told: loaded.as_ref().map(|(config, _)| source(config)).map_err(|failure| failure.message.clone()),
    }];
    if let Ok((config, _)) = &loaded {
        let directory = |path: &Option<PathBuf>, key| writable(path.as_deref(), key);
        findings.push(Finding { what: "cache directory", told: directory(&config.cache_dir, "cache_dir") });
        findings.push(Finding { what: "state directory", told: directory(&config.state_dir, "state_dir") });
        findings.push(Finding { what: "port", told: port(config) });
        findings.push(Finding { what: "file watching", told: watches() });
        let index = index(common);
        // The other checks need the projects as well, and would only say the same again.
        let is_open = index.is_ok();
        findings.push(Finding { what: "index", told: index });
        if is_open && crate::language_servers::are_wanted(config) {
            findings.push(Finding { what: "language servers", told: servers(common) });
        }
        if is_open {
            findings.push(Finding { what: "protocol", told: protocol(common) });
        }
    }
    let broken = findings.iter().any(|finding| finding.told.is_err());
    if as_json {
        let row = |finding: &Finding| {
            let (ok, text) = match &finding.told {
                Ok(text) => (true, text),
                Err(text) => (false, text),
            };
            json!({"check": finding.what, "ok": ok, "message": text})
        };
        print(&format!(
            "{:#}",
            json!({"ok": !broken, "checks": findings.iter().map(row).collect::<Vec<_>>()})
        ));
    } else {
        for finding in &findings {
            match &finding.told {
                Ok(text) => print(&format!("ok      {:<16} {text}", finding.what)),
                Err(text) => print(&format!("BROKEN  {:<16} {text}", finding.what)),
            }
        }
    }
    Ok(if broken { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

/// The file of the settings, or that there is none.
fn source(config: &Config) -> String {
    match &config.file {
        Some(file) if file.exists() => format!("read from {}", file.display()),
        Some(file) => format!("the defaults: there is no {}", file.display()),
        None => "the defaults".to_owned(),
    }
}

fn writable(dir: Option<&Path>, key: &str) -> Result<String, String> {
    let dir = dir.ok_or_else(|| format!("no home directory: set `{key}`"))?;
    let told = |error: std::io::Error| format!("{}: {error}", dir.display());
    std::fs::create_dir_all(dir).map_err(told)?;
    let probe = dir.join(format!(".probe-{}", std::process::id()));
    std::fs::write(&probe, "x").map_err(told)?;
    std::fs::remove_file(&probe).map_err(told)?;
    Ok(format!("{} can be written", dir.display()))
}

fn port(config: &Config) -> Result<String, String> {
    let address = format!("{}:{}", config.host, config.port);
    match TcpListener::bind(&address) {
        Ok(_) => Ok(format!("{address} is free")),
        Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {
            Ok(format!("{address} is in use: a server of ours, or another program"))
        }
        Err(error) => Err(format!("{address}: {error}")),
    }
}

/// Large projects need more watches than some systems grant.
fn watches() -> Result<String, String> {
    let path = "/proc/sys/fs/inotify/max_user_watches";
    match std::fs::read_to_string(path) {
        Err(_) => Ok("not limited here".to_owned()),
        Ok(text) => match text.trim().parse::<u64>() {
            Ok(n) if n < 8_192 => {
                Err(format!("only {n} directories can be watched: raise fs.inotify.max_user_watches"))
            }
            Ok(n) => Ok(format!("{n} directories can be watched")),
            Err(_) => Err(format!("{path} is not a number")),
        },
    }
}

fn index(common: &Common) -> Result<String, String> {
    let app = app(common).map_err(|failure| failure.message)?;
    let session = app.session("doctor", Vec::new());
    let stop = Stop::new();
    let mut told = Vec::new();
    for row in session.projects() {
        let project = session
            .project(Cx::new(&stop), ProjectSelector::Path(&row.path))
            .map_err(|error| error.message)?;
        project.backend().snapshot(Cx::new(&stop)).map_err(|error| format!("{}: {error:?}", row.path))?;
        let status = project.backend().status();
        let rebuilt = status.rebuilt.map_or_else(String::new, |why| format!(" ({why})"));
        told.push(format!(
            "{}: {}, {}{rebuilt}",
            row.path,
            counted(status.files_total, "file"),
            counted(status.symbols, "symbol")
        ));
    }
    Ok(told.join("; "))
}

/// How each language server of each project is. One that was named and cannot run is a problem.
fn servers(common: &Common) -> Result<String, String> {
    let app = app(common).map_err(|failure| failure.message)?;
    let (mut told, mut is_broken) = (Vec::new(), false);
    for project in app.open_projects() {
        let providers = project.backend().providers();
        for state in providers.iter().flat_map(|provider| provider.states()) {
            let is_absent = state.standing == ide_model::Standing::Absent;
            is_broken |= is_absent;
            let can = if is_absent { "cannot run" } else { "is installed" };
            let note = state.note.map_or_else(String::new, |note| format!(" ({note})"));
            told.push(format!("{} {can}{note}", state.name));
        }
    }
    let told = if told.is_empty() { "none is installed".to_owned() } else { told.join("; ") };
    if is_broken { Err(told) } else { Ok(told) }
}

/// Shakes hands with ourselves.
fn protocol(common: &Common) -> Result<String, String> {
    let app = app(common).map_err(|failure| failure.message)?;
    let runtime = mcp_transport_stdio::Threads::new(1);
    let server = crate::mcp::mcp_server(&app, runtime, ide_tools::Catalogue::Ide)
        .map_err(|error| error.to_string())?;
    let versions = server.versions();
    let input = versions
        .iter()
        .rfind(|version| !version.is_stateless())
        .map(|version| {
            let params = json!({"protocolVersion": version.as_str(), "capabilities": {}, "clientInfo": {"name": "doctor", "version": "0"}});
            format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}))
        })
        .ok_or("no revision with a handshake is served")?;
    let mut output = Vec::new();
    let options = mcp_transport_stdio::Options::default().finish_at_end(true);
    mcp_transport_stdio::serve(&server, &options, input.as_bytes(), &mut output)
        .map_err(|e| e.to_string())?;
    let answer = String::from_utf8_lossy(&output);
    if !answer.contains("\"serverInfo\"") {
        return Err(format!("the handshake failed: {answer}"));
    }
    let names: Vec<&str> = versions.iter().map(|version| version.as_str()).collect();
    Ok(format!("speaks {}", names.join(", ")))
}
