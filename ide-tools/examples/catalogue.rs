//! The tools that read, over a project in memory that knows texts only, as an MCP server on standard input and output:
//! `cargo run -p ideindex-tools --example catalogue`.

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::time::Duration;

use ide_model::{Cx, FilePath, Stop, StopReason};
use ide_tools::{Call, ReadOnlyHost, TextBackend, Texts};
use mcp_protocol::model::{CallToolResult, Implementation, Tool};
use mcp_protocol::server::Connection;
use mcp_protocol::{Json, Server, UnixMillis};

/// A project of its own kind: here a map, elsewhere an archive or a database.
struct InMemory(BTreeMap<&'static str, &'static str>);

impl Texts for InMemory {
    fn files(&self) -> Vec<FilePath> {
        self.0.keys().map(|path| FilePath::new(*path)).collect()
    }
    fn text(&self, file: &FilePath) -> Option<Arc<str>> {
        self.0.get(file.as_str()).map(|text| Arc::from(*text))
    }
}

#[expect(clippy::disallowed_methods, reason = "the host has the clock")]
fn stop_after(seconds: u64) -> Arc<Stop> {
    let stop = Arc::new(Stop::new());
    let late = Arc::clone(&stop);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(seconds));
        late.stop(StopReason::Late);
    });
    stop
}

#[expect(clippy::disallowed_methods, reason = "the host has the clock")]
pub(crate) fn serve(input: impl BufRead, mut output: impl Write) -> Result<(), Box<dyn Error>> {
    let texts =
        InMemory(BTreeMap::from([("a.py", "def greet():\n    pass\n"), ("b/notes.txt", "greet Ann\n")]));
    let host = Arc::new(ReadOnlyHost::new("notes", "/notes", Arc::new(TextBackend::new(texts)), stop_after));
    let mut server = Server::builder(Implementation::new("notes", "1.0"));
    for spec in ide_tools::all().iter().filter(|spec| spec.hints.read_only) {
        let host = Arc::clone(&host);
        let tool = Tool::new(spec.name, spec.about, Json::from(&spec.input_schema())?);
        server = server.tool_inline(tool, move |_, arguments| {
            let stop = Stop::new();
            let reply = spec.call(&Call::new(Cx::new(&stop), host.as_ref()), arguments.to()?);
            Ok(if reply.is_error {
                CallToolResult::error(reply.json)
            } else {
                CallToolResult::text(reply.json)
            })
        });
    }
    let mut connection = Connection::new(server.build()?);
    for line in input.lines() {
        connection.receive(UnixMillis::from(std::time::SystemTime::now()), &line?.into());
        output.write_all(&std::mem::take(connection.output()))?;
    }
    Ok(())
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    serve(io::stdin().lock(), io::stdout())
}
