//! A small project on disk and the server on it.

use std::path::Path;
use std::sync::Arc;

use ide_server::{AppState, Config, Places, Session, embedded};
use serde_json::Value;
use tempfile::TempDir;

pub(crate) const GREETER: &str = "class Greeter:\n    \"\"\"Says hello.\"\"\"\n\n    def greet(self, name: str) -> str:\n        return hello(name)\n\n\ndef hello(name: str) -> str:\n    return \"hello \" + name\n";
pub(crate) const MAIN: &str = "from greeter import Greeter, hello\n\n\ndef main() -> None:\n    greeter = Greeter()\n    greeter.greet(\"you\")\n    hello(\"you\")\n";

/// A project of two Python files and a README, with its server.
pub(crate) struct Home {
    pub(crate) dir: TempDir,
    pub(crate) app: Arc<AppState>,
    /// Outside of the project.
    _state: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self::with(|config| config)
    }

    pub(crate) fn with(change: impl FnOnce(Config) -> Config) -> Self {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "greeter.py", GREETER);
        write(dir.path(), "main.py", MAIN);
        write(dir.path(), "README.md", "# Sample\n\nSays hello.\n");
        let state = tempfile::tempdir().unwrap();
        let config = Config {
            projects: vec![dir.path().to_owned()],
            port: 0,
            state_dir: Some(state.path().to_owned()),
            ..Config::default()
        };
        let app = AppState::new(change(config), &Places::default(), Box::new(embedded)).unwrap();
        Self { dir, app, _state: state }
    }

    pub(crate) fn session(&self) -> Session {
        self.app.session("test", Vec::new())
    }

    /// The result of a tool, and whether it is an error.
    pub(crate) fn call(&self, tool: &str, args: Value) -> (Value, bool) {
        let reply = self.session().call(ide_tools::find(tool).unwrap(), args, None);
        (serde_json::from_str(&reply.json).unwrap(), reply.is_error)
    }

    /// A server in which every tool is on.
    pub(crate) fn writing(files: &[(&str, &str)]) -> Self {
        let every = || ide_tools::all().iter().map(|tool| tool.name.to_owned()).collect();
        let home = Self::with(|config| Config { enabled_tools: every(), ..config });
        for name in ["greeter.py", "main.py", "README.md"] {
            std::fs::remove_file(home.dir.path().join(name)).unwrap();
        }
        for (path, text) in files {
            write(home.dir.path(), path, text);
        }
        home
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.dir.path().join(path)).unwrap()
    }

    #[track_caller]
    pub(crate) fn err(&self, tool: &str, args: Value) -> Value {
        let (value, is_error) = self.call(tool, args);
        assert!(is_error, "{tool}: {value}");
        value
    }

    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, args: Value) -> Value {
        let (value, is_error) = self.call(tool, args);
        assert!(!is_error, "{tool}: {value}");
        value
    }
}

pub(crate) fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
