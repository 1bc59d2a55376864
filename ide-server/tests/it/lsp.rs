//! The binary as a language server: an editor's conversation in every language.

mod folders;
mod libraries;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use url::Url;

use crate::support::write;

/// An editor that is connected to the server.
struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: TempDir,
    home: TempDir,
    next: u64,
    /// Notifications of the server that came meanwhile.
    told: Vec<Value>,
    capabilities: Value,
}

impl Editor {
    fn new(files: &[(&str, &str)], client: Value) -> Self {
        Self::greeting(files, |root| {
            let uri = Url::from_file_path(root).unwrap();
            json!({
                "processId": null,
                "rootUri": uri,
                "workspaceFolders": [{ "uri": uri, "name": "sample" }],
                "capabilities": client,
            })
        })
    }

    /// An editor that says what is given about the folder.
    fn greeting(files: &[(&str, &str)], hello: impl FnOnce(&Path) -> Value) -> Self {
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for (path, text) in files {
            write(folder.path(), path, text);
        }
        let mut server = Command::new(env!("CARGO_BIN_EXE_ide-index-mcp"))
            .args(["lsp", "--stdio"])
            .env("HOME", home.path())
            .env("XDG_CACHE_HOME", home.path().join("cache"))
            .env("XDG_STATE_HOME", home.path().join("state"))
            .env("XDG_CONFIG_HOME", home.path().join("config"))
            .current_dir(home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let mut editor = Self {
            server,
            input,
            output,
            folder,
            home,
            next: 0,
            told: Vec::new(),
            capabilities: Value::Null,
        };
        let hello = hello(&editor.root());
        editor.capabilities = editor.ask("initialize", hello)["capabilities"].take();
        editor.tell("initialized", json!({}));
        editor
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    fn uri(&self, path: &str) -> Url {
        Url::from_file_path(self.root().join(path)).unwrap()
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server went away");
            match line.trim().split_once(": ") {
                Some(("Content-Length", n)) => length = n.parse().unwrap(),
                _ if line.trim().is_empty() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The whole answer to a request.
    fn reply(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.told.push(message);
        }
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut reply = self.reply(method, params);
        assert!(reply.get("error").is_none(), "{method}: {reply}");
        reply["result"].take()
    }

    fn open(&mut self, path: &str, text: &str) {
        let uri = self.uri(path);
        let document = json!({ "uri": uri, "languageId": "x", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Line and character of the first occurrence of `text` in a file on disk, plus `shift` characters.
    fn at(&self, path: &str, text: &str, shift: usize) -> Value {
        let whole = std::fs::read_to_string(self.root().join(path)).unwrap();
        let (line, column) = place(&whole, text);
        json!({ "textDocument": { "uri": self.uri(path) }, "position": { "line": line, "character": column + shift } })
    }

    /// Files and lines of locations, relative and sorted.
    fn places(&self, locations: &Value) -> Vec<String> {
        let root = self.root();
        let mut places: Vec<String> = locations
            .as_array()
            .unwrap()
            .iter()
            .map(|location| {
                let uri = Url::parse(location["uri"].as_str().unwrap()).unwrap();
                let path = uri.to_file_path().unwrap();
                let path = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
                format!("{path}:{}", location["range"]["start"]["line"].as_u64().unwrap() + 1)
            })
            .collect();
        places.sort();
        places
    }

    fn end(mut self) {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        self.server.kill().ok();
        self.server.wait().ok();
    }
}

fn place(text: &str, wanted: &str) -> (usize, usize) {
    let at = text.find(wanted).unwrap_or_else(|| panic!("no {wanted} in {text}"));
    let line = text[..at].matches('\n').count();
    let column = at - text[..at].rfind('\n').map_or(0, |n| n + 1);
    (line, column)
}

/// A type with a method in one file and its use in another, in one language.
struct Sample {
    files: &'static [(&'static str, &'static str)],
    /// The declaration and the uses of `greet`.
    declaration: (&'static str, usize),
    usage: (&'static str, usize),
    /// The receiver and operator before the member in the using file, e.g. `g.`.
    receiver: &'static str,
}

const SAMPLES: [Sample; 8] = [
    Sample {
        files: &[
            ("greeter.py", "class Greeter:\n    def greet(self, name: str) -> str:\n        return name\n"),
            (
                "main.py",
                "from greeter import Greeter\n\ndef run(g: Greeter) -> str:\n    return g.greet('x')\n",
            ),
        ],
        declaration: ("greeter.py", 2),
        usage: ("main.py", 4),
        receiver: "g.",
    },
    Sample {
        files: &[
            (
                "src/a/Greeter.java",
                "package a;\n\npublic class Greeter {\n    public String greet(String name) {\n        return name;\n    }\n}\n",
            ),
            (
                "src/a/Main.java",
                "package a;\n\nclass Main {\n    String run(Greeter g) {\n        return g.greet(\"x\");\n    }\n}\n",
            ),
        ],
        declaration: ("src/a/Greeter.java", 4),
        usage: ("src/a/Main.java", 5),
        receiver: "g.",
    },
    Sample {
        files: &[
            (
                "src/Greeter.kt",
                "package a\n\nclass Greeter {\n    fun greet(name: String): String = name\n}\n",
            ),
            ("src/Main.kt", "package a\n\nfun run(g: Greeter): String {\n    return g.greet(\"x\")\n}\n"),
        ],
        declaration: ("src/Greeter.kt", 4),
        usage: ("src/Main.kt", 4),
        receiver: "g.",
    },
    Sample {
        files: &[
            (
                "greeter.ts",
                "export class Greeter {\n    greet(name: string): string {\n        return name;\n    }\n}\n",
            ),
            (
                "main.ts",
                "import { Greeter } from './greeter';\n\nexport function run(g: Greeter): string {\n    return g.greet('x');\n}\n",
            ),
        ],
        declaration: ("greeter.ts", 2),
        usage: ("main.ts", 4),
        receiver: "g.",
    },
    Sample {
        files: &[
            ("greeter.js", "export class Greeter {\n    greet(name) {\n        return name;\n    }\n}\n"),
            (
                "main.js",
                "import { Greeter } from './greeter.js';\n\nconst g = new Greeter();\nexport const text = g.greet('x');\n",
            ),
        ],
        declaration: ("greeter.js", 2),
        usage: ("main.js", 4),
        receiver: "g.",
    },
    Sample {
        files: &[
            ("go.mod", "module sample\n\ngo 1.22\n"),
            (
                "greeter.go",
                "package sample\n\ntype Greeter struct{}\n\nfunc (g Greeter) greet(name string) string {\n\treturn name\n}\n",
            ),
            ("main.go", "package sample\n\nfunc run(g Greeter) string {\n\treturn g.greet(\"x\")\n}\n"),
        ],
        declaration: ("greeter.go", 5),
        usage: ("main.go", 4),
        receiver: "g.",
    },
    Sample {
        files: &[
            (
                "src/Greeter.php",
                "<?php\nnamespace A;\n\nclass Greeter {\n    public function greet(string $name): string {\n        return $name;\n    }\n}\n",
            ),
            (
                "src/main.php",
                "<?php\nnamespace A;\n\nfunction run(Greeter $g): string {\n    return $g->greet('x');\n}\n",
            ),
        ],
        declaration: ("src/Greeter.php", 5),
        usage: ("src/main.php", 5),
        receiver: "g->",
    },
    Sample {
        files: &[
            ("Cargo.toml", "[package]\nname = \"sample\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            (
                "src/lib.rs",
                "mod greeter;\n\npub fn run(g: &greeter::Greeter) -> String {\n    g.greet(\"x\")\n}\n",
            ),
            (
                "src/greeter.rs",
                "pub struct Greeter;\n\nimpl Greeter {\n    pub fn greet(&self, name: &str) -> String {\n        name.to_owned()\n    }\n}\n",
            ),
        ],
        declaration: ("src/greeter.rs", 4),
        usage: ("src/lib.rs", 4),
        receiver: "g.",
    },
];

#[test]
fn every_language_is_served() {
    for sample in &SAMPLES {
        let mut editor = Editor::new(sample.files, json!({}));
        let (usage, line) = sample.usage;
        let declaration = format!("{}:{}", sample.declaration.0, sample.declaration.1);
        let call = editor.at(usage, "greet(", 2);

        let found = editor.ask("textDocument/definition", call.clone());
        assert_eq!(editor.places(&found), [&*declaration], "{usage}");

        let hover = editor.ask("textDocument/hover", call.clone());
        assert!(hover["contents"]["value"].as_str().unwrap().contains("greet"), "{usage}: {hover}");

        let mut search = call.clone();
        search["context"] = json!({ "includeDeclaration": true });
        let uses = editor.ask("textDocument/references", search);
        let mut wanted = [declaration.clone(), format!("{usage}:{line}")];
        wanted.sort();
        assert_eq!(editor.places(&uses), wanted);

        // An unfinished line that is on no disk yet.
        let text = std::fs::read_to_string(editor.root().join(usage)).unwrap();
        let typed = text.replace("greet(", "gr(");
        editor.open(usage, &typed);
        let (line, column) = place(&typed, &format!("{}gr", sample.receiver));
        let caret = json!({
            "textDocument": { "uri": editor.uri(usage) },
            "position": { "line": line, "character": column + sample.receiver.len() + 2 },
        });
        let list = editor.ask("textDocument/completion", caret);
        let first = &list["items"][0];
        assert_eq!(first["label"], "greet", "{usage}: {list}");
        let full = editor.ask("completionItem/resolve", first.clone());
        assert!(full["detail"].as_str().unwrap().contains("name"), "{usage}: {full}");
        editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": editor.uri(usage) } }));

        let rename = editor.at(sample.declaration.0, "greet(", 1);
        let mut params = rename.clone();
        params["newName"] = json!("welcome");
        let edit = editor.ask("textDocument/rename", params);
        let changes = edit["changes"].as_object().unwrap();
        assert_eq!(changes.len(), 2, "{usage}: {edit}");
        assert!(changes.values().all(|edits| edits[0]["newText"] == "welcome"));

        let outline = editor.ask(
            "textDocument/documentSymbol",
            json!({ "textDocument": { "uri": editor.uri(sample.declaration.0) } }),
        );
        assert!(outline.to_string().contains("\"greet\""), "{outline}");
        let tokens = editor
            .ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": editor.uri(usage) } }));
        assert!(tokens["data"].as_array().unwrap().len() >= 10, "{usage}: {tokens}");
        let signature = editor.at(usage, "greet(", "greet(".len());
        let help = editor.ask("textDocument/signatureHelp", signature);
        assert!(help["signatures"][0]["label"].as_str().unwrap().contains("name"), "{usage}: {help}");
        editor.end();
    }
}

const PYTHON: [(&str, &str); 2] = [
    (
        "shapes.py",
        "class Shape:\n    def area(self) -> float:\n        return 0.0\n\n\nclass Square(Shape):\n    def __init__(self, side: float) -> None:\n        self.side = side\n\n    def area(self) -> float:\n        return self.side * self.side\n",
    ),
    (
        "use.py",
        "import os\nfrom shapes import Shape, Square\n\n\ndef total(shapes: list[Shape]) -> float:\n    first = Square(2.0)\n    return sum(s.area() for s in shapes) + first.area()\n\n\ndef double(n: float) -> float:\n    twice = n * 2\n    return twice\n",
    ),
];

#[test]
fn hierarchies_lead_up_and_down() {
    let mut editor = Editor::new(&PYTHON, json!({}));
    let shape = editor.at("shapes.py", "Shape:", 1);
    let item = editor.ask("textDocument/prepareTypeHierarchy", shape.clone())[0].take();
    let below = editor.ask("typeHierarchy/subtypes", json!({ "item": item }));
    assert_eq!(below[0]["name"], "Square");
    let above = editor.ask("typeHierarchy/supertypes", json!({ "item": below[0] }));
    assert_eq!(above[0]["name"], "Shape");
    let area = editor.at("shapes.py", "area", 1);
    let found = editor.ask("textDocument/implementation", area.clone());
    assert_eq!(editor.places(&found), ["shapes.py:10"]);
    let item = editor.ask("textDocument/prepareCallHierarchy", area)[0].take();
    let calls = editor.ask("callHierarchy/incomingCalls", json!({ "item": item }));
    assert_eq!(calls[0]["from"]["name"], "total");
    let calls = editor.ask("callHierarchy/outgoingCalls", json!({ "item": calls[0]["from"] }));
    let mut names: Vec<&str> =
        calls.as_array().unwrap().iter().map(|call| call["to"]["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert!(names.contains(&"area"), "{calls}");
    editor.end();
}

#[test]
fn buffers_lie_above_the_disk_and_problems_are_pushed_or_pulled() {
    let mut editor = Editor::new(&PYTHON, json!({}));
    editor.open("use.py", "from shapes import Square\n\nsquare = Square(1.0)\nprint(square.ar\n");
    let uri = editor.uri("use.py");
    let shown = loop {
        let message = match editor.told.pop() {
            Some(message) => message,
            None => editor.receive(),
        };
        if message["method"] == "textDocument/publishDiagnostics" {
            break message;
        }
    };
    assert_eq!(shown["params"]["uri"], json!(uri));
    assert!(!shown["params"]["diagnostics"].as_array().unwrap().is_empty(), "{shown}");
    let change = json!({
        "textDocument": { "uri": uri, "version": 2 },
        "contentChanges": [{
            "range": { "start": { "line": 3, "character": 15 }, "end": { "line": 3, "character": 15 } },
            "text": "ea())",
        }],
    });
    editor.tell("textDocument/didChange", change);
    let place = json!({ "textDocument": { "uri": uri }, "position": { "line": 3, "character": 14 } });
    let found = editor.ask("textDocument/definition", place);
    assert_eq!(editor.places(&found), ["shapes.py:10"]);
    let hints = editor.ask(
        "textDocument/inlayHint",
        json!({ "textDocument": { "uri": uri }, "range": {
            "start": { "line": 0, "character": 0 }, "end": { "line": 4, "character": 0 } } }),
    );
    assert_eq!(hints[0]["label"], ": Square");
    let report = editor.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    assert_eq!((&report["kind"], &report["items"]), (&json!("full"), &json!([])));
    editor.end();
}

#[test]
fn actions_change_code_and_moves_change_imports() {
    let client = json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } });
    let mut editor = Editor::new(&PYTHON, client);
    let uri = editor.uri("use.py");
    let whole = json!({ "start": { "line": 5, "character": 4 }, "end": { "line": 5, "character": 4 } });
    let organize = json!({
        "textDocument": { "uri": uri }, "range": whole,
        "context": { "diagnostics": [], "only": ["source.organizeImports"] },
    });
    let actions = editor.ask("textDocument/codeAction", organize);
    let text = actions[0]["edit"].to_string();
    assert!(text.contains("documentChanges") && actions.as_array().unwrap().len() == 1, "{actions}");
    let twice = json!({ "start": { "line": 10, "character": 4 }, "end": { "line": 10, "character": 4 } });
    let inline = json!({
        "textDocument": { "uri": uri }, "range": twice,
        "context": { "diagnostics": [], "only": ["refactor.inline"] },
    });
    let actions = editor.ask("textDocument/codeAction", inline);
    assert_eq!(actions[0]["title"], "Inline `twice`");
    let moved =
        json!({ "files": [{ "oldUri": editor.uri("shapes.py"), "newUri": editor.uri("figures.py") }] });
    let edit = editor.ask("workspace/willRenameFiles", moved);
    assert!(edit.to_string().contains("figures"), "{edit}");
    let ranges = editor.ask("textDocument/foldingRange", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(ranges[0]["startLine"], 4);
    let selection = json!({ "textDocument": { "uri": uri }, "positions": [{ "line": 6, "character": 16 }] });
    let ranges = editor.ask("textDocument/selectionRange", selection);
    assert_eq!(ranges[0]["range"]["start"]["line"], 6);
    assert!(ranges[0]["parent"]["range"].is_object());
    let found = editor.ask("workspace/symbol", json!({ "query": "Squ" }));
    assert_eq!(found[0]["name"], "Square");
    editor.end();
}

#[test]
fn bad_requests_are_told_what_is_wrong() {
    let mut editor = Editor::new(&PYTHON, json!({ "general": { "positionEncodings": ["utf-8", "utf-16"] } }));
    assert_eq!(editor.capabilities["positionEncoding"], "utf-8");
    let unknown = editor.reply("textDocument/unheardOf", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    let wrong = editor.reply("textDocument/hover", json!({ "textDocument": 7 }));
    assert_eq!(wrong["error"]["code"], -32602);
    let nowhere =
        json!({ "textDocument": { "uri": "untitled:1" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.reply("textDocument/hover", nowhere)["error"]["code"], -32602);
    let outside = Url::from_file_path(Path::new("/nowhere/at/all.py")).unwrap();
    let outside = json!({ "textDocument": { "uri": outside }, "position": { "line": 0, "character": 0 } });
    assert!(editor.reply("textDocument/hover", outside)["error"]["message"].is_string());
    let far = json!({ "textDocument": { "uri": editor.uri("use.py") }, "position": { "line": 9_999, "character": 9_999 } });
    assert_eq!(editor.ask("textDocument/hover", far), Value::Null);
    let mut keyword = editor.at("use.py", "return", 2);
    assert_eq!(editor.ask("textDocument/definition", keyword.clone()), json!([]));
    keyword["newName"] = json!("x");
    assert!(editor.reply("textDocument/rename", keyword)["error"]["message"].is_string());
    editor.end();
}

/// A client that takes what editors of today take.
fn able() -> Value {
    json!({
        "textDocument": {
            "completion": { "completionItem": {
                "snippetSupport": true, "insertReplaceSupport": true,
                "resolveSupport": { "properties": ["documentation", "detail", "additionalTextEdits"] },
            } },
            "codeAction": { "disabledSupport": true, "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } },
        },
        "workspace": { "workspaceEdit": { "documentChanges": true } },
    })
}

/// Completions at `|` in the text of a buffer.
fn completions(editor: &mut Editor, path: &str, text: &str) -> Value {
    let (before, behind) = text.split_once('|').unwrap();
    editor.open(path, &format!("{before}{behind}"));
    let position = json!({
        "line": before.matches('\n').count(), "character": before.rsplit('\n').next().unwrap().encode_utf16().count(),
    });
    let params = json!({ "textDocument": { "uri": editor.uri(path) }, "position": position });
    editor.ask("textDocument/completion", params)
}

fn item<'l>(list: &'l Value, label: &str) -> &'l Value {
    let found = list["items"].as_array().unwrap().iter().find(|item| item["label"] == label);
    found.unwrap_or_else(|| panic!("no {label} in {list}"))
}

#[test]
fn completions_bring_their_imports() {
    let text = "import os\n\nprint(os)\nx = Squ|\n";
    // When they are chosen, for clients that can wait for it.
    let mut editor = Editor::new(&PYTHON, able());
    let list = completions(&mut editor, "use.py", text);
    assert_eq!(list["isIncomplete"], false);
    let square = item(&list, "Square").clone();
    assert_eq!(square["labelDetails"]["description"], "shapes");
    assert!(square.get("additionalTextEdits").is_none(), "{square}");
    let full = editor.ask("completionItem/resolve", square);
    let edit = &full["additionalTextEdits"][0];
    assert_eq!(edit["newText"], "from shapes import Square\n");
    assert_eq!(edit["range"]["start"], json!({ "line": 1, "character": 0 }));
    assert!(full["detail"].as_str().unwrap().contains("class Square"), "{full}");
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": editor.uri("use.py") } }));
    let list = completions(&mut editor, "use.py", "x = |\n");
    assert_eq!(list["isIncomplete"], true, "a letter would bring more");
    editor.end();
    // At once, for all others.
    let mut editor = Editor::new(&PYTHON, json!({}));
    let list = completions(&mut editor, "use.py", text);
    assert_eq!(item(&list, "Square")["additionalTextEdits"][0]["newText"], "from shapes import Square\n");
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": editor.uri("use.py") } }));
    let list = completions(&mut editor, "use.py", "from shapes import Square\nx = Squ|\n");
    let named = list["items"].as_array().unwrap().iter().filter(|item| item["label"] == "Square");
    assert_eq!(named.count(), 1, "{list}");
    editor.end();
}

#[test]
fn completions_of_functions_have_places_for_arguments() {
    let mut editor = Editor::new(&PYTHON, able());
    let list = completions(
        &mut editor,
        "use.py",
        "from shapes import Square\nsquare = Square(1.0)\nsquare.ar|abc\n",
    );
    let area = item(&list, "area");
    assert_eq!((&area["insertTextFormat"], &area["textEdit"]["newText"]), (&json!(2), &json!("area()$0")));
    let ends = ["insert", "replace"].map(|range| area["textEdit"][range]["end"]["character"].clone());
    assert_eq!(ends, [json!(9), json!(12)]);
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": editor.uri("use.py") } }));
    let list = completions(&mut editor, "use.py", "def double(n): ...\n\ndou|\n");
    assert_eq!(item(&list, "double")["textEdit"]["newText"], "double($0)");
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": editor.uri("use.py") } }));
    let list = completions(&mut editor, "use.py", "def double(n): ...\n\ndou|(2)\n");
    assert_eq!(item(&list, "double")["textEdit"]["newText"], "double");
    editor.end();
}

/// A path with the text of the file.
type File = (&'static str, &'static str);

/// A function with two parameters, an override where there are any, and a call in another file.
const CALLS: [(&str, &[File], &str, &str, &str); 7] = [
    (
        "price.py",
        &[
            ("price.py", "def price(count, gross):\n    return count\n"),
            ("use.py", "from price import price\nprint(price(1, 2))\n"),
        ],
        "gross",
        "price(2, 1)",
        "price(1)",
    ),
    (
        "price.ts",
        &[
            (
                "price.ts",
                "export function price(count: number, gross: number): number {\n  return count;\n}\n",
            ),
            ("use.ts", "import { price } from './price';\nconsole.log(price(1, 2));\n"),
        ],
        "gross",
        "price(2, 1)",
        "price(1)",
    ),
    (
        "price.go",
        &[
            ("go.mod", "module m\n\ngo 1.22\n"),
            ("price.go", "package m\n\nfunc price(count int, gross int) int {\n\treturn count\n}\n"),
            ("use.go", "package m\n\nvar x = price(1, 2)\n"),
        ],
        "gross",
        "price(2, 1)",
        "price(1)",
    ),
    (
        "src/Price.java",
        &[
            (
                "src/Price.java",
                "class Price {\n    int price(int count, int gross) {\n        return count;\n    }\n}\n",
            ),
            (
                "src/Half.java",
                "class Half extends Price {\n    @Override\n    int price(int count, int gross) {\n        return count;\n    }\n}\n",
            ),
            ("src/Use.java", "class Use {\n    int x = new Price().price(1, 2);\n}\n"),
        ],
        "gross",
        "price(2, 1)",
        "price(1)",
    ),
    (
        "src/Price.kt",
        &[
            ("src/Price.kt", "fun price(count: Int, gross: Int): Int = count\n"),
            ("src/Use.kt", "val x = price(1, 2)\n"),
        ],
        "gross",
        "price(2, 1)",
        "price(1)",
    ),
    (
        "src/price.php",
        &[
            (
                "src/price.php",
                "<?php\nfunction price(int $count, int $gross): int {\n    return $count;\n}\n",
            ),
            ("src/use.php", "<?php\necho price(1, 2);\n"),
        ],
        "gross",
        "price(2, 1)",
        "price(1)",
    ),
    (
        "src/price.rs",
        &[
            ("Cargo.toml", "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
            ("src/price.rs", "pub(crate) fn price(count: i32, gross: i32) -> i32 {\n    count\n}\n"),
            ("src/main.rs", "mod price;\n\nfn main() {\n    println!(\"{}\", price::price(1, 2));\n}\n"),
        ],
        "gross",
        "price(2, 1)",
        "price(1)",
    ),
];

/// The text of every file after an edit.
fn applied(edit: &Value) -> String {
    let mut all = String::new();
    for change in edit["documentChanges"].as_array().unwrap() {
        let path =
            Url::parse(change["textDocument"]["uri"].as_str().unwrap()).unwrap().to_file_path().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let offset = |at: &Value| {
            let (line, character) =
                (at["line"].as_u64().unwrap() as usize, at["character"].as_u64().unwrap() as usize);
            text.split_inclusive('\n').take(line).map(str::len).sum::<usize>() + character
        };
        let mut edits: Vec<(usize, usize, &str)> = change["edits"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edit| {
                let range = &edit["range"];
                (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap())
            })
            .collect();
        edits.sort_unstable();
        let mut new = text.clone();
        edits.iter().rev().for_each(|(start, end, text)| new.replace_range(start..end, text));
        all.push_str(&new);
    }
    all
}

#[test]
fn parameters_move_and_go_with_every_call() {
    for (path, files, parameter, moved, removed) in CALLS {
        let mut editor = Editor::new(files, able());
        let mut actions = |parameter: &str| {
            let at = editor.at(path, parameter, 1)["position"].take();
            let params = json!({
                "textDocument": { "uri": editor.uri(path) }, "range": { "start": at, "end": at },
                "context": { "diagnostics": [], "only": ["refactor.rewrite"] },
            });
            editor.ask("textDocument/codeAction", params)
        };
        let found = actions(parameter);
        let first = actions("count");
        let titled = |actions: &Value, title: &str| {
            let mut all = actions.as_array().unwrap().iter();
            all.find(|action| action["title"].as_str().unwrap().starts_with(title)).cloned()
        };
        let left = titled(&found, "Move parameter `gross` left")
            .or_else(|| titled(&found, "Move parameter `$gross` left"));
        let left = left.unwrap_or_else(|| panic!("{path}: {found}"));
        assert!(applied(&left["edit"]).contains(moved), "{path}: {left}");
        assert!(titled(&found, "Move parameter `gross` right").is_none(), "it is the last");
        let gone = titled(&found, "Remove").unwrap_or_else(|| panic!("{path}: {found}"));
        let text = applied(&gone["edit"]);
        assert!(text.contains(removed) && !text.contains("gross"), "{path}: {text}");
        let used = titled(&first, "Remove").unwrap_or_else(|| panic!("{path}: {first}"));
        assert!(used["disabled"]["reason"].is_string() && used.get("edit").is_none(), "{path}: {used}");
        editor.end();
    }
}

#[test]
fn directories_move_with_their_importers() {
    let files = [
        ("shop/__init__.py", ""),
        ("shop/cart.py", "class Cart: ...\n"),
        ("main.py", "from shop.cart import Cart\n\nCart()\n"),
    ];
    let mut editor = Editor::new(&files, able());
    let moved = json!({ "files": [{ "oldUri": editor.uri("shop"), "newUri": editor.uri("store") }] });
    let edit = editor.ask("workspace/willRenameFiles", moved);
    assert!(applied(&edit).contains("from store.cart import Cart"), "{edit}");
    editor.end();
}

#[test]
fn tokens_come_as_differences() {
    let mut editor = Editor::new(&PYTHON, json!({}));
    let uri = editor.uri("use.py");
    editor.open("use.py", PYTHON[1].1);
    let before = editor.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } }));
    let change = json!({
        "textDocument": { "uri": uri, "version": 2 },
        "contentChanges": [{
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }, "text": "\n",
        }],
    });
    editor.tell("textDocument/didChange", change);
    let ask = json!({ "textDocument": { "uri": uri }, "previousResultId": before["resultId"] });
    let delta = editor.ask("textDocument/semanticTokens/full/delta", ask.clone());
    let edit = &delta["edits"][0];
    assert_eq!((&edit["start"], &edit["deleteCount"]), (&json!(0), &json!(5)), "{delta}");
    assert!(
        editor.ask("textDocument/semanticTokens/full/delta", ask)["data"].is_array(),
        "the id is an old one"
    );
    editor.end();
}

#[test]
fn a_session_survives_what_is_no_request_and_ends_as_the_protocol_says() {
    let mut editor = Editor::new(&PYTHON, json!({}));
    write!(editor.input, "Content-Length: 6\r\n\r\n{{\"a\": ").unwrap();
    let answer = editor.receive();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)));
    editor.send(&json!([{ "jsonrpc": "2.0", "id": 1, "method": "shutdown" }]));
    assert_eq!(editor.receive()["error"]["code"], -32600);
    assert_eq!(editor.reply("initialize", json!({ "capabilities": {} }))["error"]["code"], -32600);
    editor.ask("shutdown", Value::Null);
    let late = editor.at("use.py", "Square", 1);
    assert_eq!(editor.reply("textDocument/hover", late)["error"]["code"], -32600);
    editor.tell("exit", Value::Null);
    assert!(editor.server.wait().unwrap().success());
    let mut editor = Editor::new(&PYTHON, json!({}));
    editor.tell("exit", Value::Null);
    assert_eq!(editor.server.wait().unwrap().code(), Some(1), "it was not shut down");
}
