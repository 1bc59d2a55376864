//! The dashboard on a socket: who is let in, and what the page asks for.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use ide_model::{DiffRequest, EditorSurface as _, SurfaceEvent, SurfaceListener, Verdict};
use serde_json::{Value, json};

use crate::http::Served;
use crate::support::Home;

/// A browser that was let in.
struct Browser<'a> {
    served: &'a Served,
    cookie: String,
}

/// Status, head and body of an answer.
fn exchange(served: &Served, request: &str) -> (u16, String, String) {
    let mut stream = TcpStream::connect(served.address()).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    // one asset is compressed
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_lowercase(), body.to_owned())
}

fn get(served: &Served, path: &str, headers: &str) -> (u16, String, String) {
    let host =
        if headers.contains("Host:") { String::new() } else { format!("Host: {}\r\n", served.address()) };
    exchange(served, &format!("GET {path} HTTP/1.1\r\n{host}{headers}Connection: close\r\n\r\n"))
}

impl<'a> Browser<'a> {
    fn new(home: &Home, served: &'a Served) -> Self {
        let state = home.app.config().state_dir.clone().unwrap();
        let file = state.join(format!("dashboard-{}.json", served.address().port()));
        let known: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
        let bearer = format!("Authorization: Bearer {}\r\n", known["secret"].as_str().unwrap());
        let (status, _, body) = get(served, "/dashboard/link", &bearer);
        assert_eq!(status, 200, "{body}");
        let url: Value = serde_json::from_str(&body).unwrap();
        let path = url["url"].as_str().unwrap().split_once("/dashboard").unwrap().1;
        let (status, head, _) = get(served, &format!("/dashboard{path}"), "");
        assert_eq!(status, 200);
        assert_eq!(get(served, &format!("/dashboard{path}"), "").0, 403, "a link works once");
        let cookie = head.split("set-cookie: ").nth(1).unwrap().split(';').next().unwrap().to_owned();
        assert!(head.contains("httponly; samesite=strict"), "{head}");
        Self { served, cookie }
    }

    fn post(&self, path: &str, body: &Value, headers: &str) -> (u16, Value) {
        let address = self.served.address();
        let body = body.to_string();
        let host = if headers.contains("Host:") { String::new() } else { format!("Host: {address}\r\n") };
        let origin =
            if headers.contains("Origin:") { String::new() } else { format!("Origin: http://{address}\r\n") };
        let (status, _, answer) = exchange(
            self.served,
            &format!(
                "POST {path} HTTP/1.1\r\n{host}{origin}{headers}Cookie: {}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
                self.cookie,
                body.len()
            ),
        );
        (status, serde_json::from_str(&answer).unwrap_or_default())
    }

    #[track_caller]
    fn api(&self, name: &str, body: Value) -> Value {
        let (status, answer) = self.post(&format!("/dashboard/api/{name}"), &body, "");
        assert_eq!(status, 200, "{name}: {answer}");
        answer
    }
}

#[test]
fn only_a_browser_that_was_let_in_sees_anything() {
    let home = Home::new();
    let served = Served::new(&home);
    let browser = Browser::new(&home, &served);
    let cookie = format!("Cookie: {}\r\n", browser.cookie);
    for path in ["/dashboard/", "/dashboard/app.js", "/dashboard/events", "/dashboard/viewer.min.js"] {
        assert_eq!(get(&served, path, "").0, 401, "{path}");
        assert_eq!(get(&served, path, "Cookie: ide-index-dashboard-1=x\r\n").0, 401, "{path}");
        for hostile in [
            "Host: evil.example\r\n",
            "Origin: http://evil.example\r\n",
            "Sec-Fetch-Site: cross-site\r\n",
            "Sec-Fetch-Site: same-site\r\nSec-Fetch-Dest: iframe\r\n",
        ] {
            assert_eq!(get(&served, path, &format!("{cookie}{hostile}")).0, 403, "{path} {hostile}");
        }
    }
    let (status, head, body) = get(&served, "/dashboard/", &cookie);
    assert!(status == 200 && body.contains("<title>MCP Server</title>"), "{status}");
    assert!(head.contains("frame-ancestors 'none'") && head.contains("x-frame-options: deny"), "{head}");
    assert!(head.contains("default-src 'none'") && !head.contains("unsafe-inline"), "{head}");
    assert!(!body.contains("<script>") && !body.contains(" style=") && !body.contains(" onload="), "{body}");
    let (status, head, _) = get(&served, "/dashboard/viewer.min.js", &cookie);
    assert!(status == 200 && head.contains("content-encoding: gzip"), "{head}");
    assert_eq!(get(&served, "/dashboard/../../etc/passwd", &cookie).0, 404);
    for hostile in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://127.0.0.1:1\r\n",
        "Host: evil.example\r\nOrigin: http://evil.example\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(browser.post("/dashboard/api/overview", &json!({}), hostile).0, 403, "{hostile}");
    }
    let nobody = Browser { served: &served, cookie: "a=b".to_owned() };
    assert_eq!(nobody.post("/dashboard/api/overview", &json!({}), "").0, 401);
    assert_eq!(get(&served, "/dashboard/link", "Authorization: Bearer x\r\n").0, 401);
}

#[test]
fn the_page_sees_projects_calls_and_files() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("config.toml");
    let home = Home::with(|config| ide_server::Config { file: Some(file.clone()), ..config });
    let served = Served::new(&home);
    let browser = Browser::new(&home, &served);
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "ide_find_class", "arguments": {"query": "Greeter"}}});
    served.ask("POST", "/mcp", "MCP-Protocol-Version: 2025-06-18\r\n", &call.to_string());
    let overview = browser.api("overview", json!({}));
    assert_eq!(overview["projects"][0]["languages"][0]["language"], "Python", "{overview}");
    let history = browser.api("history", json!({"text": "greeter"}));
    let entry = &history["entries"][0];
    assert_eq!((&entry["toolName"], &entry["status"]), (&json!("ide_find_class"), &json!("SUCCESS")));
    let entry = browser.api("entry", json!({"id": entry["id"]}));
    assert!(entry["received"].as_str().unwrap().contains("greeter.py"), "{entry}");
    assert_eq!(browser.api("statistics", json!({}))["tools"][0]["calls"], 1);
    assert!(browser.api("export", json!({"format": "csv"}))["text"].as_str().unwrap().starts_with("ID,"));
    // calls that change files are confirmed first, and calls that only read leave no trace
    let write = json!({"tool": "ide_undo", "arguments": {}});
    assert_eq!(browser.post("/dashboard/api/run", &write, "").0, 400);
    assert_eq!(browser.post("/dashboard/api/ask", &write, "").0, 400);
    let found = browser.api("ask", json!({"tool": "ide_find_symbol", "arguments": {"query": "hello"}}));
    assert_eq!(found["symbols"][0]["file"], "greeter.py", "{found}");
    let again = browser
        .api("run", json!({"tool": "ide_find_class", "arguments": {"query": "x"}, "replayOf": entry["id"]}));
    assert_eq!(again["isError"], false);
    let newest = browser.api("history", json!({}))["entries"][0].clone();
    assert_eq!((&newest["replayOf"], &newest["client"]["name"]), (&entry["id"], &json!("dashboard")));
    // a change on the page is kept in the file, and holds at once
    std::fs::write(&file, "# mine\nexcludes = [\"x\"]\n").unwrap();
    browser.api("switch", json!({"tools": {"ide_find_class": false, "ide_create_file": true}}));
    let (_, body) = served.ask("POST", "/mcp", "MCP-Protocol-Version: 2025-06-18\r\n", &call.to_string());
    assert!(body.contains("tool_disabled"), "{body}");
    browser.api("set", json!({"key": "max_response_chars", "value": 7000}));
    assert_eq!(home.app.config().max_response_chars, 7000);
    let refused = browser.post("/dashboard/api/set", &json!({"key": "port", "value": "x"}), "");
    assert_eq!(refused.0, 400, "{refused:?}");
    let text = std::fs::read_to_string(&file).unwrap();
    for line in [
        "# mine",
        "disabled_tools = [\"ide_find_class\"]",
        "enabled_tools = [\"ide_create_file\"]",
        "excludes = [\"x\"]",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
    browser.api("switch", json!({"tools": {"ide_find_class": true, "ide_create_file": false}}));
    let rows = browser.api("set", json!({"key": "max_response_chars"}));
    let row = rows["settings"].as_array().unwrap().iter().find(|row| row["key"] == "max_response_chars");
    assert_eq!((&row.unwrap()["value"], &row.unwrap()["isSet"]), (&json!(10_000), &json!(false)));
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(!text.contains("_tools") && !text.contains("max_response"), "{text}");
    browser.api("clear", json!({}));
    assert_eq!(browser.api("history", json!({}))["entries"], json!([]));
}

/// Passes on which files may have other problems.
struct Told(std::sync::mpsc::Sender<String>);

impl SurfaceListener for Told {
    fn on_event(&self, event: &SurfaceEvent) {
        if let SurfaceEvent::DiagnosticsChanged { path } = event {
            self.0.send(path.to_string()).unwrap_or_default();
        }
    }
}

#[test]
fn the_page_is_an_editor_while_its_events_are_read() {
    let home = Home::new();
    let served = Served::new(&home);
    let browser = Browser::new(&home, &served);
    let surface = home.app.hosted_surface();
    let path = home.dir.path().join("main.py").display().to_string();
    let (status, answer) = browser.post("/dashboard/api/open", &json!({"path": path}), "");
    assert_eq!((status, &answer["error"]), (400, &json!("no editor surface attached")));
    let mut events = TcpStream::connect(served.address()).unwrap();
    let host = served.address();
    write!(events, "GET /dashboard/events HTTP/1.1\r\nHost: {host}\r\nCookie: {}\r\n\r\n", browser.cookie)
        .unwrap();
    let mut heard = String::new();
    let mut hear = |word: &str| {
        while !heard.contains(word) {
            let mut chunk = [0; 1024];
            let n = events.read(&mut chunk).unwrap();
            assert!(n > 0, "closed after {heard}");
            heard.push_str(&String::from_utf8_lossy(&chunk[..n]));
        }
        heard.clear();
    };
    hear("event: overview");
    assert!(surface.is_attached());
    browser.api("open", json!({"path": path}));
    hear("event: surface");
    assert_eq!(browser.api("surface", json!({}))["editors"][0]["isActive"], true);
    assert!(browser.api("file", json!({"path": path}))["text"].as_str().unwrap().contains("def main"));
    for outside in ["/etc/passwd", "main.py", &format!("{path}/../../x")] {
        for name in ["file", "open", "select"] {
            let args = json!({"path": outside, "start": {"line": 1}});
            assert_eq!(browser.post(&format!("/dashboard/api/{name}"), &args, "").0, 400, "{name} {outside}");
        }
    }
    // a file that changes on disk is read again, and whoever asks for its problems is told
    let (told, news) = std::sync::mpsc::channel();
    let listener: Arc<dyn SurfaceListener> = Arc::new(Told(told));
    surface.subscribe(Arc::downgrade(&listener));
    let stamp = || browser.api("surface", json!({}))["editors"][0]["stamp"].clone();
    for text in ["def main(:\n    pass\n", "def main():\n    pass\n"] {
        let before = stamp();
        std::fs::write(&path, text).unwrap();
        hear("event: surface");
        while news.recv().unwrap() != path || stamp() == before {}
        assert_eq!(browser.api("file", json!({"path": path}))["text"], text);
    }
    drop(listener);
    let (told, verdict) = std::sync::mpsc::channel();
    let request = DiffRequest {
        old_path: path.clone(),
        new_path: path,
        proposal: "x\r\n".into(),
        proposed_by: "t".to_owned(),
    };
    surface.show_diff(request, Box::new(move |verdict| told.send(verdict).unwrap())).unwrap();
    let shown = browser.api("surface", json!({}))["diffs"][0].clone();
    assert_eq!(shown["right"], "x\n");
    let guess = json!({"id": shown["id"], "nonce": "0", "text": "y"});
    assert_eq!(browser.post("/dashboard/api/accept", &guess, "").0, 400);
    browser.api("accept", json!({"id": shown["id"], "nonce": shown["nonce"], "text": "x\n"}));
    assert_eq!(verdict.recv().unwrap(), Verdict::Accepted { content: "x\r\n".into() });
}
