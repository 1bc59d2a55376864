//! An editor over a few texts, a client before it, and the clock of both.

use std::sync::{Arc, Mutex};

use ide_companion::{Dialect, Session, Speaker};
use ide_model::{
    EditorSurface as _, Finding, HostedSurface, LineColumn, Selection, Severity, SurfaceError, SurfaceHost,
};
use serde_json::{Value, json};

pub(crate) struct Files(Mutex<Vec<(String, String)>>);

impl SurfaceHost for Files {
    fn workspaces(&self) -> Vec<String> {
        vec!["/p".to_owned()]
    }
    fn read(&self, path: &str) -> Result<Arc<str>, SurfaceError> {
        let files = self.0.lock().unwrap();
        let found = files.iter().find(|(name, _)| name == path);
        found.map(|(_, text)| text.as_str().into()).ok_or_else(|| SurfaceError::NoFile(path.to_owned()))
    }
    fn is_inside(&self, path: &str) -> bool {
        path.starts_with("/p/")
    }
    fn findings(&self, path: &str) -> Vec<Finding> {
        let Ok(text) = self.read(path) else { return Vec::new() };
        let at = |line| Selection::caret(LineColumn { line, column: 1 });
        let bad = text.lines().zip(1..).filter(|(line, _)| line.contains("BAD"));
        bad.map(|(_, line)| Finding {
            severity: Severity::Error,
            range: at(line),
            message: "it is bad".to_owned(),
            source: Some("syntax".to_owned()),
        })
        .collect()
    }
    fn reformat(&self, _: &str) -> Result<(), SurfaceError> {
        Err(SurfaceError::Failed("no formatter".to_owned()))
    }
    fn now(&self) -> u64 {
        1
    }
    fn changed(&self) {}
}

pub(crate) fn surface() -> Arc<HostedSurface> {
    let files = [
        ("/p/a.rs", "fn a() {}\nfn b() {}\n"),
        ("/p/win.txt", "\u{feff}one\r\ntwo\r\n"),
        ("/p/bad.py", "x\nBAD\n"),
        ("/home/notes.md", "secret\n"),
    ];
    let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).to_vec();
    let surface = Arc::new(HostedSurface::new(Arc::new(Files(Mutex::new(files)))));
    surface.attach();
    surface
}

/// A client that is connected.
pub(crate) struct Client {
    pub(crate) session: Session,
    pub(crate) now: u64,
    last: u64,
}

impl Client {
    pub(crate) fn new(surface: &Arc<HostedSurface>, dialect: Dialect) -> Self {
        let speaker = Speaker { name: "ide-index".to_owned(), version: "1.0".to_owned() };
        Self { session: Session::new(dialect, surface.clone(), speaker, || {}), now: 0, last: 0 }
    }

    /// Says something and gives everything that comes back.
    pub(crate) fn say(&mut self, message: &Value) -> Vec<Value> {
        self.session.receive(self.now, &message.to_string());
        self.heard()
    }

    pub(crate) fn heard(&mut self) -> Vec<Value> {
        self.session.take_jobs().into_iter().for_each(ide_companion::Job::run);
        self.session.poll(self.now);
        std::iter::from_fn(|| self.session.next_output())
            .map(|text| serde_json::from_str(&text).unwrap())
            .collect()
    }

    /// Time passes.
    pub(crate) fn after(&mut self, millis: u64) -> Vec<Value> {
        self.now += millis;
        self.heard()
    }

    /// Asks for something that is answered at once.
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let heard = self.heard();
        heard
            .into_iter()
            .find(|message| message["id"] == id)
            .unwrap_or_else(|| panic!("{method} is not answered"))
    }

    /// Asks, and says under which number.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.last += 1;
        let request = json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params});
        self.session.receive(self.now, &request.to_string());
        self.last
    }

    pub(crate) fn call(&mut self, tool: &str, args: Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": args}))
    }

    /// The text of a tool that succeeds.
    pub(crate) fn text(&mut self, tool: &str, args: Value) -> String {
        let answer = self.call(tool, args);
        assert_ne!(answer["result"]["isError"], json!(true), "{tool}: {answer}");
        answer["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{tool}: {answer}"))
            .to_owned()
    }

    pub(crate) fn json(&mut self, tool: &str, args: Value) -> Value {
        serde_json::from_str(&self.text(tool, args)).unwrap()
    }
}

pub(crate) fn select(surface: &HostedSurface, path: &str, start: (u32, u32), end: (u32, u32)) {
    let at = |(line, column)| LineColumn { line, column };
    surface.person_selects(path, Selection { start: at(start), end: at(end) }, false).unwrap();
}

pub(crate) fn open_paths(surface: &HostedSurface) -> Vec<String> {
    surface.open_editors().iter().map(|editor| editor.path.to_string()).collect()
}
