//! Tools over the real index on a real disk.

use ide_server::Config;
use serde_json::{Value, json};

use crate::support::{Home, write};

fn places(rows: &Value) -> Vec<String> {
    let rows = rows.as_array().unwrap();
    rows.iter().map(|row| format!("{}:{}", row["file"].as_str().unwrap(), row["line"])).collect()
}

#[test]
fn names_resolve_across_files() {
    let home = Home::new();
    let found = home.ok("ide_find_definition", json!({"file": "main.py", "line": 6, "column": 13}));
    assert_eq!(
        (&found["file"], &found["line"], &found["symbolName"]),
        (&json!("greeter.py"), &json!(4), &json!("greet"))
    );
    let uses = home.ok("ide_find_references", json!({"file": "greeter.py", "line": 8, "column": 5}));
    assert_eq!(places(&uses["usages"]), ["greeter.py:5", "main.py:1", "main.py:7"]);
    assert_eq!(uses["usages"][2]["astPath"], json!(["main"]));
    let symbols = home.ok("ide_find_symbol", json!({"query": "gre"}));
    assert_eq!(symbols["symbols"][0]["name"], "greet");
    let text = home.ok("ide_search_text", json!({"query": "Says hello"}));
    assert_eq!(places(&text["matches"]), ["README.md:3", "greeter.py:2"]);
    let comments = home.ok("ide_search_text", json!({"query": "hello", "context": "strings"}));
    assert_eq!(places(&comments["matches"]), ["greeter.py:2", "greeter.py:9"]);
    let all =
        home.ok("ide_search_text", json!({"query": "def|hello", "regex": true, "filePattern": "greeter.py"}));
    let contexts: Vec<_> = all["matches"].as_array().unwrap().iter().map(|row| &row["contextType"]).collect();
    assert_eq!(contexts, ["STRING_LITERAL", "CODE", "CODE", "CODE", "STRING_LITERAL"]);
    let outline = home.ok("ide_file_structure", json!({"file": "greeter.py"}));
    let lines = ["class Greeter (lines 1-5)", "  def greet(self, name: str) -> str (lines 4-5)"];
    for line in lines {
        assert!(outline["structure"].as_str().unwrap().contains(line), "{outline}");
    }
    let info = home.ok("ide_symbol_info", json!({"language": "Python", "symbol": "greeter.Greeter"}));
    assert_eq!(info["documentation"], "Says hello.");
    let calls = json!({"file": "greeter.py", "line": 8, "column": 5, "direction": "callers"});
    let calls = home.ok("ide_call_hierarchy", calls);
    let callers: Vec<_> = calls["calls"].as_array().unwrap().iter().map(|call| &call["name"]).collect();
    assert_eq!(callers, ["Greeter.greet(self, str)", "main()"]);
    assert_eq!(calls["calls"][0]["children"][0]["name"], "main()");
}

#[test]
fn a_file_that_is_left_out_is_said_to_be_with_the_rule() {
    let home = Home::new();
    let library = ".venv/lib/python3.12/site-packages/pad.py";
    let files =
        [(".gitignore", "gen/\n"), ("gen/late.py", "x = 1\n"), ("dist/a.js", "f();\n"), (library, "y = 1\n")];
    for (path, text) in
        files.into_iter().chain([(".venv/pyvenv.cfg", "home = /usr/bin\n"), ("use.py", "import pad\n")])
    {
        write(home.dir.path(), path, text);
    }
    let asked = |tool: &str, file: &str| home.call(tool, json!({"file": file, "line": 1, "column": 1})).0;
    for (file, rule) in
        [("gen/late.py", "`gen/` of `.gitignore`"), ("dist/a.js", "the exclusion /dist (build output)")]
    {
        for tool in
            ["ide_file_structure", "ide_diagnostics", "ide_find_definition", "ide_refactor_safe_delete"]
        {
            let error = asked(tool, file).to_string();
            assert!(error.contains("file_excluded") && error.contains(rule), "{tool} {file}: {error}");
        }
    }
    let known = asked("ide_file_structure", library).to_string();
    assert!(!known.contains("file_excluded") && known.contains('y'), "{known}");
}

#[test]
fn text_in_a_place_that_is_left_out_is_found_when_paths_name_it() {
    let home = Home::new();
    for (path, text) in [
        (".gitignore", "gen/\n"),
        ("gen/api/late.py", "# needle\nx = 'needle'\n"),
        ("node_modules/pad/index.js", "// one needle\nneedle()\n"),
        ("web/node_modules/pad/index.js", "needle\n"),
        ("seen.txt", "needle\n"),
    ] {
        write(home.dir.path(), path, text);
    }
    let found = |extra: Value| {
        let mut args = json!({"query": "needle"});
        args.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        places(&home.ok("ide_search_text", args)["matches"])
    };
    assert_eq!(found(json!({})), ["seen.txt:1"]);
    assert_eq!(found(json!({"paths": ["gen"]})), ["gen/api/late.py:1", "gen/api/late.py:2"]);
    assert_eq!(found(json!({"paths": ["gen/**/*.py"], "context": "strings"})), ["gen/api/late.py:2"]);
    assert_eq!(found(json!({"paths": ["gen", "seen.txt"], "filePattern": "*.txt"})), ["seen.txt:1"]);
    let both =
        ["node_modules/pad/index.js:1", "node_modules/pad/index.js:2", "web/node_modules/pad/index.js:1"];
    assert_eq!(found(json!({"paths": ["**/node_modules/pad/*.js"]})), both);
    assert_eq!(found(json!({"paths": ["node_modules"]})), both[..2]);
    assert_eq!(found(json!({"paths": ["web"]})), [""; 0], "what lies further down is not named");
}

#[test]
fn every_answer_describes_the_bytes_on_disk() {
    let home = Home::new();
    home.ok("ide_find_symbol", json!({"query": "hello"}));
    for n in 0..10 {
        write(home.dir.path(), "late.py", &format!("{}def late_{n}() -> None:\n    pass\n", "\n".repeat(n)));
        let found = home.ok("ide_find_symbol", json!({"query": format!("late_{n}"), "matchMode": "exact"}));
        assert_eq!(found["symbols"][0]["line"], n + 1, "written a moment ago");
    }
    std::fs::remove_file(home.dir.path().join("late.py")).unwrap();
    let gone = home.ok("ide_find_symbol", json!({"query": "late_9", "matchMode": "exact"}));
    assert_eq!(gone["totalCount"], 0);
    let synced = home.ok("ide_sync_files", json!({"paths": ["late.py", "main.py"]}));
    assert_eq!(synced["deletedPaths"], json!(["late.py"]));
}

#[test]
fn what_is_returned_is_accepted_back() {
    let home = Home::new();
    let class = &home.ok("ide_find_class", json!({"query": "Greeter"}))["classes"][0];
    let by_handle = home.ok("ide_find_definition", json!({"symbolId": class["symbolId"]}));
    let by_place = home.ok(
        "ide_find_definition",
        json!({"file": class["file"], "line": class["line"], "column": class["column"]}),
    );
    let by_name = home
        .ok("ide_find_definition", json!({"language": class["language"], "symbol": class["qualifiedName"]}));
    assert_eq!(by_handle, by_place);
    assert_eq!(by_handle, by_name);
    let read = home.ok("ide_read_file", json!({"file": class["file"], "startLine": class["line"]}));
    assert!(read["content"].as_str().unwrap().contains("class Greeter"));
}

/// Every parameter that is a path, in every tool, found by the schemas.
#[test]
fn no_path_parameter_leads_outside() {
    let every = || ide_tools::all().iter().map(|tool| tool.name.to_owned()).collect();
    let home = Home::with(|config| Config { enabled_tools: every(), ..config });
    let outside = tempfile::tempdir().unwrap();
    write(outside.path(), "secret.py", "def secret() -> None:\n    pass\n");
    let secret = outside.path().join("secret.py");
    let name = outside.path().file_name().unwrap().to_str().unwrap();
    let mut tricks = vec![
        secret.to_str().unwrap().to_owned(),
        format!("../{name}/secret.py"),
        format!("./../{name}/secret.py"),
        format!("x/../../{name}/secret.py"),
        format!("..\\{name}\\secret.py"),
        format!("file://{}", secret.display()),
        "/etc/passwd".to_owned(),
    ];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(outside.path(), home.dir.path().join("link")).unwrap();
        tricks.push("link/secret.py".to_owned());
    }
    let mut asked = 0;
    for tool in ide_tools::all() {
        for (parameter, schema) in tool.properties() {
            let is_list = parameter == "files";
            if !["file", "destination"].contains(&parameter) && !is_list {
                continue;
            }
            assert!(schema["type"].is_string());
            for trick in &tricks {
                let mut args = plausible(tool);
                args[parameter] = if is_list { json!([trick]) } else { json!(trick) };
                let (value, is_error) = home.call(tool.name, args);
                assert!(is_error && value["error"] == "file_not_found", "{} {trick}: {value}", tool.name);
                assert!(!value.to_string().contains("def secret"), "{}", tool.name);
                asked += 1;
            }
        }
    }
    assert!(asked >= 9 * tricks.len(), "{asked} questions");
    let left: Vec<_> = std::fs::read_dir(outside.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["secret.py"], "nothing was written outside");
}

/// Arguments with which a call would do something, but for its paths.
fn plausible(tool: &ide_tools::ToolSpec) -> Value {
    let mut args = json!({});
    let required = tool.input_schema()["required"].as_array().cloned().unwrap_or_default();
    for (name, schema) in tool.properties() {
        let is_needed =
            required.contains(&json!(name)) || ["line", "column", "search", "direction"].contains(&name);
        let is_file = ["file", "files"].contains(&name);
        if is_needed && !is_file {
            args[name] = match (schema["enum"].get(0), schema["type"].as_str()) {
                (Some(first), _) => first.clone(),
                (None, Some("integer")) => 1.into(),
                _ => "x".into(),
            };
        } else if name == "file" && required.contains(&json!("destination")) {
            args[name] = "main.py".into();
        }
    }
    args
}

#[test]
fn switched_off_tools_and_unknown_projects_are_errors_that_say_what_to_do() {
    let home = Home::with(|mut config| {
        config.disabled_tools.push("ide_search_text".to_owned());
        config
    });
    let (off, is_error) = home.call("ide_search_text", json!({"query": "x"}));
    assert!(is_error && off["error"] == "tool_disabled", "{off}");
    let (unknown, is_error) =
        home.call("ide_find_symbol", json!({"query": "x", "project_path": "/no/such/dir"}));
    assert!(is_error && unknown["error"] == "project_not_found", "{unknown}");
    assert_eq!(unknown["available_projects"][0]["path"], json!(home.dir.path()));
}

#[test]
fn overloads_are_told_apart_by_the_error() {
    let home = Home::new();
    write(
        home.dir.path(),
        "x/Q.java",
        "package x;\nclass Q {\n  void m(int a) {}\n  void m(String s) {}\n}\n",
    );
    let (error, is_error) = home.call("ide_find_definition", json!({"language": "Java", "symbol": "x.Q#m"}));
    assert!(is_error && error["error"] == "ambiguous_match", "{error}");
    for (candidate, line) in error["candidates"].as_array().unwrap().iter().zip([3, 4]) {
        assert_eq!(candidate["line"], line, "{error}");
        let found = home.ok("ide_find_definition", json!({"symbolId": candidate["symbolId"]}));
        assert_eq!(found["line"], line);
    }
    assert_eq!(error["candidates"][1]["signature"], "void m(String s)");
}

#[test]
fn a_printed_type_name_is_accepted_back() {
    let home = Home::new();
    write(home.dir.path(), "go.mod", "module ex.com/m\n");
    write(home.dir.path(), "sub/a.go", "package sub\n\ntype S struct{}\n");
    let by_short = home.ok("ide_type_hierarchy", json!({"className": "S"}));
    let name = &by_short["element"]["qualifiedName"];
    assert_eq!(name, "ex.com/m/sub.S");
    assert_eq!(home.ok("ide_type_hierarchy", json!({"className": name}))["element"], by_short["element"]);
}

#[test]
fn files_that_are_not_read_never_look_clean() {
    let home = Home::new();
    let root = home.dir.path();
    std::fs::write(root.join("binary.py"), b"def f\0()").unwrap();
    write(root, "long.py", &format!("x = '{}'\n", "y".repeat(30_000)));
    write(root, "large.py", &"def f(): pass\n".repeat(620_000));
    write(root, "large.rb", &"def f; end\n".repeat(100_000));
    write(
        root,
        "big.py",
        &format!("{}data = '{}'\ndef last(): pass\n", "# just a word\n".repeat(100_000), "y".repeat(30_000)),
    );
    write(root, "notes.txt", "nothing here\n");
    let reasons = [
        ("binary.py", "is not a text file", "file_not_indexed"),
        ("long.py", "lines of more than", "file_not_indexed"),
        ("large.py", "is larger than 8 MiB", "file_not_indexed"),
        ("large.rb", "is larger than 1 MiB", "file_not_indexed"),
        ("notes.txt", "not available for", "unsupported_language"),
    ];
    for (file, reason, slug) in reasons {
        let (error, _) = home.call("ide_file_structure", json!({"file": file}));
        assert_eq!(error["error"], slug, "{error}");
        assert!(error["message"].as_str().unwrap().contains(reason), "{error}");
        let problems = home.ok("ide_diagnostics", json!({"file": file}));
        assert_eq!(problems["analysisFresh"], false, "{problems}");
        assert!(problems["analysisMessage"].as_str().unwrap().contains(reason), "{problems}");
        let (error, _) = home.call("ide_find_references", json!({"file": file, "line": 1, "column": 1}));
        assert_eq!(error["error"], slug, "{error}");
    }
    assert!(home.ok("ide_file_structure", json!({"file": "big.py"})).to_string().contains("last"));
    let checked = home.ok("ide_diagnostics", json!({"file": "main.py"}));
    assert_eq!(checked["analysisFresh"], true);
    assert!(
        checked["analysisMessage"].as_str().unwrap().starts_with("checked is what is certain"),
        "{checked}"
    );
}

#[cfg(unix)]
#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let home = Home::new();
    let made = std::process::Command::new("mkfifo").arg(home.dir.path().join("pipe.py")).status().unwrap();
    assert!(made.success());
    let (error, _) = home.call("ide_read_file", json!({"file": "pipe.py"}));
    assert_eq!(error["message"], "`pipe.py` is a pipe, socket or device");
}

#[test]
fn naming_another_project_leaves_the_default_alone() {
    let other = tempfile::tempdir().unwrap();
    write(other.path(), "pyproject.toml", "");
    write(other.path(), "other.py", "def elsewhere(): pass\n");
    let home = Home::with(|config| Config { allowed_roots: Some(vec![other.path().to_owned()]), ..config });
    let asked = json!({"query": "elsewhere", "project_path": other.path()});
    assert_eq!(home.ok("ide_find_symbol", asked)["totalCount"], 1);
    assert_eq!(home.ok("ide_find_symbol", json!({"query": "hello"}))["symbols"][0]["file"], "greeter.py");
}

#[test]
fn an_entry_of_an_archive_is_told_from_a_missing_file() {
    let (error, _) = Home::new().call("ide_read_file", json!({"file": "jar:///lib/a.jar!/A.class"}));
    assert_eq!(error["error"], "engine_unavailable", "{error}");
}

/// A jar with `class K` of the package `p`, as the Kotlin compiler writes it.
const KOTLIN_JAR: &[u8] = b"PK\x03\x04\x14\0\0\0\0\0\0\0!\0\x13\xec\xd0L\xae\0\0\0\xae\0\0\0\x09\0\0\0p/K.class\xca\xfe\xba\xbe\0\0\0\
    4\0\x0d\x01\0\x03p/K\x07\0\x01\x01\0\x10java/lang/Object\x07\0\x03\x01\0\x19RuntimeVisibleAnnotations\x01\
    \0\x11Lkotlin/Metadata;\x01\0\x01k\x03\0\0\0\x01\x01\0\x02d1\x01\0\x0a\xc0\x80\x04\x0a\x02\x08\x01\x18\
    \xc0\x80\x01\0\x02d2\x01\0\x03p/K\0\x01\0\x02\0\x04\0\0\0\0\0\0\0\x01\0\x05\0\0\0\x1b\0\x01\0\x06\0\x03\0\
    \x07I\0\x08\0\x09[\0\x01s\0\x0a\0\x0b[\0\x01s\0\x0cPK\x01\x02\x14\0\x14\0\0\0\0\0\0\0!\0\x13\xec\xd0L\xae\
    \0\0\0\xae\0\0\0\x09\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0p/K.classPK\x05\x06\0\0\0\0\x01\0\x01\x007\0\0\0\xd5\
    \0\0\0\0\0";

#[test]
fn a_class_of_a_jar_that_was_written_in_kotlin_can_be_read() {
    let home = Home::new();
    write(home.dir.path(), "libs/none.txt", "");
    std::fs::write(home.dir.path().join("libs/k.jar"), KOTLIN_JAR).unwrap();
    write(home.dir.path(), "F.kt", "import p.K\nval k: K? = null\n");
    let found = home.ok("ide_find_definition", json!({"file": "F.kt", "line": 2, "column": 8}));
    let read = home.ok("ide_read_file", json!({"file": found["file"]}));
    assert_eq!(read["content"], "package p\n\nclass K {\n}\n", "{found}");
}

#[test]
fn definitions_lead_into_the_sources_of_jars() {
    let home = Home::new();
    write(home.dir.path(), "libs/none.txt", "");
    std::fs::write(home.dir.path().join("libs/stack.jar"), include_bytes!("../data/stack.jar")).unwrap();
    let text = "import p.Stack;\nclass Use {\n    void f(Stack<String> s, Stack.Entry e) {\n        s.push(1);\n        \
                s.push(\"a\");\n        e.name();\n        new Stack<Integer>(Stack.MAX);\n    }\n}\n";
    write(home.dir.path(), "Use.java", text);
    let find = |line: u32, column: u32| {
        home.ok("ide_find_definition", json!({"file": "Use.java", "line": line, "column": column}))
    };
    let preview = |found: &Value| found["preview"].as_str().unwrap_or_default().to_owned();
    let number = find(4, 12);
    assert!(preview(&number).contains("public void push(int"), "{number}");
    let sources = include_bytes!("../data/stack-sources.jar");
    std::fs::write(home.dir.path().join("libs/stack-sources.jar"), sources).unwrap();
    let at = [(4, 12, 12), (5, 12, 10), (6, 12, 15), (7, 14, 7), (7, 34, 5), (3, 15, 4), (3, 36, 14)];
    for (line, column, declared) in at {
        let found = find(line, column);
        assert_eq!(found["line"], declared, "{line}:{column} {found}");
        let file = found["file"].as_str().unwrap_or_default();
        assert!(file.ends_with("libs/stack-sources.jar!/p/Stack.java"), "{found}");
        let read =
            home.ok("ide_read_file", json!({"file": file, "startLine": declared, "endLine": declared}));
        let shown = read["content"].as_str().unwrap_or_default().trim_end();
        assert!(preview(&found).contains(shown), "{found} {shown}");
    }
}

#[test]
fn a_declaration_of_the_standard_library_is_found_and_can_be_read() {
    let home = Home::new();
    write(home.dir.path(), "paths.py", "import os.path\nos.path.join('a', 'b').upper()\n");
    let found = home.ok("ide_find_definition", json!({"file": "paths.py", "line": 2, "column": 24}));
    let file = found["file"].as_str().unwrap_or_else(|| panic!("{found}")).to_owned();
    assert_eq!(file, "lib://python!/typeshed/stdlib/builtins.pyi", "{found}");
    let read = home.ok("ide_read_file", json!({"file": file, "startLine": found["line"]}));
    assert_eq!(read["isLibraryFile"], true);
    assert!(read["content"].as_str().expect("text").contains("def upper(self"), "{read}");
    let (error, _) = home.call("ide_read_file", json!({"file": "lib://python!/none.pyi"}));
    assert_eq!(error["error"], "file_not_found", "{error}");
}

#[test]
fn what_nothing_is_known_of_is_a_list_rather_than_a_class_with_such_a_name() {
    let home = Home::new();
    write(home.dir.path(), "each.js", "class Track { map() {} }\nfunction each(all) { all.map(1); }\n");
    let found = home.ok("ide_find_definition", json!({"file": "each.js", "line": 2, "column": 26}));
    assert_eq!(found["file"], "lib://typescript!/lib/lib.es5.d.ts", "{found}");
    assert_eq!(found["confidence"], "name_only");
    assert_eq!(found["alternatives"][0]["file"], "each.js");
}

#[test]
fn a_place_without_a_name_is_named_once() {
    let home = Home::new();
    let (error, _) = home.call("ide_find_definition", json!({"file": "main.py", "line": 2, "column": 1}));
    assert_eq!(error["message"], "no name stands at main.py:2:1");
}

#[test]
fn a_typing_error_in_a_name_is_answered_with_what_was_meant() {
    let home = Home::new();
    let (error, is_error) =
        home.call("ide_find_references", json!({"language": "python", "symbol": "greeter.Greter"}));
    assert!(is_error);
    assert_eq!(
        (&error["error"], &error["similar"]),
        (&json!("symbol_not_found"), &json!(["greeter.Greeter"]))
    );
}

#[test]
fn a_method_of_an_anonymous_class_has_super_methods_of_its_own() {
    let home = Home::new();
    let source = "interface Visitor { void head(); }\nclass E {\n    void text() {\n        run(new Visitor() {\n            public void head() {}\n        });\n    }\n    void run(Visitor v) {}\n}\n";
    write(home.dir.path(), "E.java", source);
    let found = home.ok("ide_find_super_methods", json!({"file": "E.java", "line": 5, "column": 26}));
    assert_eq!((&found["method"]["name"], &found["method"]["line"]), (&json!("head"), &json!(5)));
    assert_eq!(places(&found["hierarchy"]), ["E.java:1"]);
}

#[test]
fn the_root_of_all_classes_is_no_part_of_a_hierarchy() {
    let home = Home::new();
    write(
        home.dir.path(),
        "a.py",
        "class Left(dict): ...\nclass Right(dict): ...\nclass Both(Left, Right, object): ...\n",
    );
    let found = home.ok("ide_type_hierarchy", json!({"file": "a.py", "line": 3, "column": 7}));
    let left = &found["supertypes"][0];
    assert_eq!((&left["name"], &found["supertypes"][1]["name"]), (&json!("a.Left"), &json!("a.Right")));
    assert_eq!(found["supertypes"].as_array().unwrap().len(), 2, "{found}");
    assert!(!found.to_string().contains("builtins.object"), "{found}");
    assert_eq!(left["supertypes"][0]["name"], "builtins.dict");
    assert!(found["supertypes"][1].get("supertypes").is_none(), "each once: {found}");
}

#[test]
fn implementations_for_types_of_the_language_itself_say_what_they_are() {
    let home = Home::new();
    let source = "pub trait Width { fn width(&self) -> usize; }\nimpl Width for u8 { fn width(&self) -> usize { 1 } }\n\
                  impl<'a, T> Width for &'a [T] { fn width(&self) -> usize { self.len() } }\n\
                  pub struct Table;\nimpl Width for &Table { fn width(&self) -> usize { 2 } }\n";
    write(home.dir.path(), "Cargo.toml", "[package]\nname = 'm'\n");
    write(home.dir.path(), "src/lib.rs", source);
    let names = |rows: &Value| -> Vec<String> {
        rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    let found = home.ok("ide_type_hierarchy", json!({"className": "Width"}));
    assert_eq!(
        names(&found["subtypes"]),
        ["impl Width for u8", "impl Width for &[T]", "impl Width for &Table"],
        "{found}"
    );
    assert_eq!(home.ok("ide_type_hierarchy", json!({"className": "Table"}))["supertypes"], json!([]));
    let found = home.ok("ide_find_implementations", json!({"language": "Rust", "symbol": "m::Width::width"}));
    let method = &found["implementations"][0];
    assert_eq!(method["qualifiedName"], "<u8 as Width>::width", "{found}");
    let again = json!({"language": "Rust", "symbol": method["qualifiedName"]});
    assert_eq!(home.ok("ide_find_definition", again)["line"], 2);
}

#[test]
fn companions_and_properties_of_constructors_are_part_of_a_hierarchy() {
    let home = Home::new();
    let source = "interface Named { val label: String }\nopen class Tag(override val label: String) : Named {\n  \
                  companion object : Named { override val label = \"tag\" }\n}\n";
    write(home.dir.path(), "Tag.kt", source);
    let found = home.ok("ide_type_hierarchy", json!({"className": "Named"}));
    assert_eq!(found["supertypes"], json!([]), "{found}");
    let names: Vec<&Value> = found["subtypes"].as_array().unwrap().iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["Tag", "Tag.Companion"], "{found}");
    let found = home.ok("ide_find_super_methods", json!({"file": "Tag.kt", "line": 2, "column": 30}));
    assert_eq!(places(&found["hierarchy"]), ["Tag.kt:1"]);
    let found = home.ok("ide_find_implementations", json!({"file": "Tag.kt", "line": 1, "column": 23}));
    assert_eq!(places(&found["implementations"]), ["Tag.kt:2", "Tag.kt:3"]);
}

#[test]
fn a_symbol_with_a_declaration_for_each_platform_is_one_without_the_language_too() {
    let home = Home::with(|config| config);
    let root = home.dir.path();
    write(
        root,
        "src/commonMain/kotlin/a/Box.kt",
        "package a\nexpect class Box() {\n    fun open(key: Int): Int\n}\n",
    );
    for platform in ["jvm", "js"] {
        write(
            root,
            &format!("src/{platform}Main/kotlin/a/Box.kt"),
            "package a\nactual class Box {\n    actual fun open(key: Int): Int = key\n}\n",
        );
    }
    for symbol in ["a.Box", "Box", "Box.open", "a.Box#open(Int)"] {
        let found = home.ok("ide_find_definition", json!({"symbol": symbol}));
        assert_eq!(found["file"], "src/commonMain/kotlin/a/Box.kt", "{symbol}: {found}");
    }
}
