//! The catalogue of the other names: every tool and every field of its result on a project of Maven, and in other languages.

use ide_server::{Config, Session};
use ide_tools::{Catalogue, find_in, intellij};
use mcp_transport_stdio::{Options, Threads, serve};
use serde_json::{Map, Value, json};

use crate::support::{Home, write};

const POM: &str = "<project>\n  <groupId>com.shop</groupId>\n  <artifactId>shop</artifactId>\n  <version>1.0</version>\n  <dependencies>\n    <dependency>\n      <groupId>org.junit</groupId>\n      <artifactId>junit</artifactId>\n      <version>5.1</version>\n      <scope>test</scope>\n    </dependency>\n  </dependencies>\n</project>\n";

const PRICED: &str = "package com.shop;\n\n/**\n * Something with a <b>price</b>.\n * <p>See {@link Item#price()}.\n */\npublic interface Priced {\n    /** The price in cents. */\n    int price();\n}\n";

const BASE: &str = "package com.shop;\n\npublic abstract class Base implements Priced {\n    protected final String name;\n    private static int made = 0;\n\n    protected Base(String name) {\n        this.name = name;\n        made++;\n    }\n\n    public String label() {\n        return name + \" \" + price();\n    }\n\n    public int compareTo(Base other) {\n        return Integer.compare(price(), other.price());\n    }\n}\n";

const ITEM: &str = "package com.shop;\n\nimport java.util.ArrayList;\nimport java.util.List;\n\n/** A thing in the shop. */\npublic class Item extends Base {\n    private int cents;\n\n    public Item(String name, int cents) {\n        super(name);\n        this.cents = cents;\n    }\n\n    // counts up\n    @Override\n    public int price() {\n        return cents;\n    }\n\n    public void add(int cents) {\n        this.cents += cents;\n    }\n\n    public void add(Item other) {\n        add(other.price());\n    }\n\n    static class Part {\n        int size;\n    }\n\n    enum Kind { BIG, SMALL }\n}\n";

const CART: &str = "package com.shop;\n\nimport java.util.List;\n\npublic final class Cart {\n    int total(List<Item> items) {\n        int sum = 0;\n        for (Item item : items) {\n            sum += item.price();\n        }\n        return sum;\n    }\n\n    void fill(Item item) {\n        item.add(1); item.add(item);\n        total(null);\n    }\n}\n";

const CART_TEST: &str = "package com.shop;\n\nclass CartTest {\n    void totals() {\n        new Cart().fill(new Item(\"a\", 1));\n    }\n}\n";

fn shop() -> Home {
    let home = Home::with(|config| config);
    for name in ["greeter.py", "main.py", "README.md"] {
        std::fs::remove_file(home.dir.path().join(name)).unwrap();
    }
    let main = "src/main/java/com/shop";
    for (path, text) in [
        ("pom.xml".to_owned(), POM),
        (format!("{main}/Priced.java"), PRICED),
        (format!("{main}/Base.java"), BASE),
        (format!("{main}/Item.java"), ITEM),
        (format!("{main}/Cart.java"), CART),
        ("src/test/java/com/shop/CartTest.java".to_owned(), CART_TEST),
        ("src/main/resources/shop.properties".to_owned(), "currency = EUR\n"),
        (".git/HEAD".to_owned(), "ref: refs/heads/main\n"),
        (".git/config".to_owned(), "[remote \"origin\"]\n\turl = https://me:secret@example.org/shop.git\n"),
    ] {
        write(home.dir.path(), &path, text);
    }
    home
}

fn session(home: &Home) -> Session {
    home.session().serving(Catalogue::Intellij)
}

/// The result of a tool of this catalogue with `$ROOT` for the root of the project, and whether it is an error.
fn call(home: &Home, tool: &str, mut args: Value) -> (Value, bool) {
    let root = home.dir.path().canonicalize().unwrap();
    let (root, given) = (root.to_str().unwrap(), home.dir.path().to_str().unwrap());
    let tool = find_in(Catalogue::Intellij, tool).unwrap();
    if tool.properties().any(|(name, _)| name == "projectPath") {
        args["projectPath"] = given.into();
    }
    let args: Value = serde_json::from_str(&args.to_string().replace("$ROOT", given)).unwrap();
    let reply = session(home).call(tool, args, None);
    let name = root.rsplit('/').next().unwrap();
    let json = reply.json.replace(given, "$ROOT").replace(root, "$ROOT").replace(name, "$NAME");
    (serde_json::from_str(&json).unwrap(), reply.is_error)
}

#[track_caller]
fn ok(home: &Home, tool: &str, args: Value) -> Value {
    let (value, is_error) = call(home, tool, args);
    assert!(!is_error, "{tool}: {value}");
    value
}

#[track_caller]
fn err(home: &Home, tool: &str, args: Value) -> Value {
    let (value, is_error) = call(home, tool, args);
    assert!(is_error, "{tool}: {value}");
    value
}

/// Calls of every tool, those that write last, in the order in which they are made.
fn calls() -> Vec<(&'static str, Value)> {
    let item = "$ROOT/src/main/java/com/shop/Item.java";
    vec![
        ("list_projects", json!({})),
        ("find_file", json!({"fileName": "*.java", "maxResults": 2})),
        ("read_file", json!({"filePath": item, "startLine": 27})),
        ("get_project_modules", json!({})),
        ("get_project_dependencies", json!({"moduleName": "shop"})),
        ("find_class", json!({"className": "com.shop.Item"})),
        ("find_class", json!({"className": "Itm"})),
        ("search_symbol", json!({"query": "PRICE"})),
        ("search_symbol", json!({"query": "add", "symbolType": "method"})),
        ("search_text", json!({"searchText": "ITEM.A", "filePattern": "*.java"})),
        (
            "search_text",
            json!({"searchText": "\\badd\\((\\w+)\\)", "useRegex": true, "caseSensitive": true, "maxResults": 2}),
        ),
        ("find_usages", json!({"className": "com.shop.Item", "memberName": "price"})),
        ("find_usages", json!({"className": "com.shop.Item", "memberName": "add"})),
        ("find_usages", json!({"className": "com.shop.Item", "memberName": "add(int)"})),
        ("get_class_structure", json!({"className": "Item"})),
        ("get_class_structure", json!({"className": "com.shop.Item", "includeInherited": true})),
        ("get_class_structure", json!({"className": "Priced"})),
        ("get_definition", json!({"className": "com.shop.Base", "memberName": "name"})),
        ("get_definition", json!({"className": "com.shop.Item"})),
        ("get_source_code", json!({"className": "com.shop.Item", "memberName": "price"})),
        ("get_call_hierarchy", json!({"className": "com.shop.Priced", "memberName": "price", "depth": 4})),
        ("get_type_hierarchy", json!({"className": "Item"})),
        ("get_type_hierarchy", json!({"className": "com.shop.Priced"})),
        ("get_implementations", json!({"className": "Priced"})),
        ("get_implementations", json!({"className": "Priced", "includeAbstract": false})),
        ("get_documentation", json!({"symbolName": "Priced"})),
        ("get_documentation", json!({"symbolName": "com.shop.Priced.price"})),
        ("get_diagnostics", json!({})),
        ("run_inspection", json!({"filePath": item, "minSeverity": "ERROR", "timeout": 30})),
        ("add_inline_comment", json!({"filePath": item, "line": 2, "comment": "**why**?"})),
        ("optimize_imports", json!({"filePath": item})),
        ("rename_symbol", json!({"className": "com.shop.Cart", "memberName": "total", "newName": "sum"})),
        ("rename_symbol", json!({"className": "com.shop.Base", "newName": "Ware"})),
        (
            "extract_method",
            json!({"filePath": "$ROOT/src/main/java/com/shop/Cart.java", "startLine": 15, "endLine": 15, "methodName": "twice"}),
        ),
        (
            "create_file_or_directory",
            json!({"path": "a/b/New.java", "isDirectory": false, "content": "class New {}\n"}),
        ),
        ("create_file_or_directory", json!({"path": "a/c", "isDirectory": true})),
        ("delete_file_or_directory", json!({"path": "a/b/New.java"})),
        ("delete_file_or_directory", json!({"path": "a", "recursive": true})),
    ]
}

/// Held against a file, which is read before it is changed: every field of every result.
#[test]
fn every_field_of_every_result() {
    let home = shop();
    let mut results = Vec::new();
    for (tool, args) in calls() {
        let result = ok(&home, tool, args.clone());
        results.push(json!({"tool": tool, "arguments": args, "result": result}));
    }
    assert!(!home.dir.path().join("a").exists());
    assert!(home.read("src/main/java/com/shop/Ware.java").contains("abstract class Ware"));
    let called: std::collections::BTreeSet<&str> = calls().iter().map(|(tool, _)| *tool).collect();
    // One needs somebody who looks.
    assert_eq!(called.len() + 1, intellij().len());
    let text = format!("{:#}\n", Value::from(results));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/intellij.json");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let golden = std::fs::read_to_string(path).expect("the golden results exist");
    assert!(golden == text, "tests/golden/intellij.json differs: read the diff after UPDATE_GOLDEN=1");
}

#[test]
fn overloads_are_chosen_by_the_types_of_their_parameters() {
    let home = shop();
    let documented = ok(&home, "get_documentation", json!({"symbolName": "com.shop.Item.add(Item)"}));
    assert_eq!(documented["documentation"]["lineRange"]["startLine"], 25);
    let first = ok(&home, "get_documentation", json!({"symbolName": "com.shop.Item.add"}));
    assert_eq!(first["documentation"]["lineRange"]["startLine"], 21);
    assert!(first["notes"][0].as_str().unwrap().contains("2 overloads"), "{first}");
    // The other catalogue takes them too, with and without the language.
    let (tool, root) = (find_in(Catalogue::Ide, "ide_find_definition").unwrap(), home.dir.path());
    for args in [
        json!({"symbol": "Item#add(Item)"}),
        json!({"symbol": "com.shop.Item#add(Item)", "language": "Java"}),
    ] {
        let mut args = args;
        args["project_path"] = root.to_str().into();
        let reply = home.session().call(tool, args, None);
        let found: Value = serde_json::from_str(&reply.json).unwrap();
        assert_eq!(found["line"], 25, "{found}");
    }
    let none = err(&home, "get_documentation", json!({"symbolName": "com.shop.Item.add(long)"}));
    assert!(none["message"].as_str().unwrap().contains("add"), "{none}");
}

#[test]
fn what_is_wrong_is_said() {
    let home = shop();
    let item = "$ROOT/src/main/java/com/shop/Item.java";
    for (tool, args, error) in [
        ("find_class", json!({}), "invalid_argument"),
        ("find_class", json!({"className": ["a"]}), "invalid_argument"),
        ("get_call_hierarchy", json!({"className": "Item"}), "invalid_argument"),
        ("get_definition", json!({"className": "com.shop.Itm"}), "symbol_not_found"),
        ("get_definition", json!({"className": "com.shop.Item", "memberName": "prise"}), "symbol_not_found"),
        (
            "get_definition",
            json!({"className": "com.shop.Item", "memberName": "add(long)"}),
            "symbol_not_found",
        ),
        ("get_source_code", json!({"className": "com.shop.Item", "memberName": "add"}), "ambiguous_match"),
        (
            "rename_symbol",
            json!({"className": "com.shop.Item", "memberName": "add", "newName": "put"}),
            "ambiguous_match",
        ),
        (
            "rename_symbol",
            json!({"className": "com.shop.Item", "memberName": "cents", "newName": "cents"}),
            "invalid_argument",
        ),
        ("read_file", json!({"filePath": "/etc/passwd"}), "file_not_found"),
        ("read_file", json!({"filePath": "$ROOT/../x"}), "file_not_found"),
        ("read_file", json!({"filePath": item, "startLine": 0}), "invalid_argument"),
        ("get_project_dependencies", json!({"moduleName": "no"}), "invalid_argument"),
        ("search_text", json!({"searchText": "(", "useRegex": true}), "invalid_argument"),
        (
            "extract_method",
            json!({"filePath": item, "startLine": 9, "endLine": 8, "methodName": "x"}),
            "invalid_argument",
        ),
        (
            "extract_method",
            json!({"filePath": item, "startLine": 999, "endLine": 999, "methodName": "x"}),
            "invalid_argument",
        ),
        ("optimize_imports", json!({"filePath": "nowhere.java"}), "file_not_found"),
        ("open_file", json!({"filePath": item}), "no_editor"),
        ("add_inline_comment", json!({"filePath": item, "line": 999, "comment": "x"}), "invalid_argument"),
        ("create_file_or_directory", json!({"path": "pom.xml", "isDirectory": false}), "file_exists"),
        ("create_file_or_directory", json!({"path": "pom.xml", "isDirectory": true}), "file_exists"),
        ("create_file_or_directory", json!({"path": "../x", "isDirectory": true}), "file_not_found"),
        (
            "create_file_or_directory",
            json!({"path": "x/y", "isDirectory": true, "createParents": false}),
            "file_not_found",
        ),
        ("delete_file_or_directory", json!({"path": "src"}), "not_empty"),
        ("delete_file_or_directory", json!({"path": "."}), "read_only"),
        ("delete_file_or_directory", json!({"path": ".git", "recursive": true}), "file_not_found"),
        ("delete_file_or_directory", json!({"path": "nothing"}), "file_not_found"),
        ("run_inspection", json!({"minSeverity": "FATAL"}), "invalid_argument"),
    ] {
        let found = err(&home, tool, args.clone());
        assert_eq!(found["error"], error, "{tool} {args}: {found}");
        assert!(!found.to_string().contains("ide_find"), "{tool} {args}: {found}");
    }
    let near = err(&home, "get_definition", json!({"className": "com.shop.Item", "memberName": "prise"}));
    assert_eq!(near["hint"], "did you mean `price`?");
    let both = err(&home, "get_source_code", json!({"className": "com.shop.Item", "memberName": "add"}));
    assert_eq!(both["candidates"].as_array().unwrap().len(), 2);
    assert_eq!(home.read("pom.xml"), POM, "nothing was written");
    let over = json!({"path": "pom.xml", "isDirectory": false, "content": "x", "overwrite": true});
    ok(&home, "create_file_or_directory", over);
    assert_eq!(home.read("pom.xml"), "x");
}

/// A class with a method that a function calls, in a language, and the name of the class.
const LANGUAGES: [(&str, &str, &str, &str); 7] = [
    (
        "shop.py",
        "class Cart:\n    \"\"\"Holds.\"\"\"\n    def add(self, n: int) -> int:\n        return n\n\n\ndef main() -> None:\n    Cart().add(1)\n",
        "shop.Cart",
        "shop",
    ),
    (
        "shop.ts",
        "/** Holds. */\nexport class Cart {\n  add(n: number): number {\n    return n;\n  }\n}\n\nexport function main(): void {\n  new Cart().add(1);\n}\n",
        "Cart",
        "shop.ts",
    ),
    (
        "shop.js",
        "/** Holds. */\nexport class Cart {\n  add(n) {\n    return n;\n  }\n}\n\nexport function main() {\n  new Cart().add(1);\n}\n",
        "Cart",
        "shop.js",
    ),
    (
        "shop.kt",
        "package shop\n\n/** Holds. */\nclass Cart {\n    fun add(n: Int): Int = n\n}\n\nfun main() {\n    Cart().add(1)\n}\n",
        "shop.Cart",
        "shop",
    ),
    (
        "shop.go",
        "package shop\n\n// Holds.\ntype Cart struct {\n\tn int\n}\n\nfunc (c *Cart) add(n int) int {\n\treturn n\n}\n\nfunc main() {\n\tc := &Cart{}\n\tc.add(1)\n}\n",
        "Cart",
        "example.org/shop",
    ),
    (
        "shop.php",
        "<?php\nnamespace Shop;\n\n/** Holds. */\nclass Cart {\n    public function add(int $n): int {\n        return $n;\n    }\n}\n\nfunction main(): void {\n    (new Cart())->add(1);\n}\n",
        "Shop\\Cart",
        "Shop",
    ),
    (
        "src/lib.rs",
        "/// Holds.\npub struct Cart {\n    n: i32,\n}\n\nimpl Cart {\n    pub fn add(&self, n: i32) -> i32 {\n        n\n    }\n}\n\npub fn main() {\n    let cart = Cart { n: 0 };\n    cart.add(1);\n}\n",
        "Cart",
        "shop",
    ),
];

#[test]
fn classes_of_every_language_and_functions_of_modules() {
    for (file, text, class, module) in LANGUAGES {
        let home = Home::with(|config| config);
        for name in ["greeter.py", "main.py", "README.md"] {
            std::fs::remove_file(home.dir.path().join(name)).unwrap();
        }
        write(home.dir.path(), file, text);
        write(home.dir.path(), "go.mod", "module example.org/shop\n");
        write(home.dir.path(), "Cargo.toml", "[package]\nname = \"shop\"\nversion = \"0.1.0\"\n");
        let structure = &ok(&home, "get_class_structure", json!({"className": class}))["structure"];
        let methods: Vec<&str> =
            structure["methods"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
        assert_eq!(methods, ["add"], "{file}: {structure}");
        let parameters = structure["methods"][0]["parameters"].as_array().unwrap();
        assert_eq!(
            parameters.last().unwrap()["name"].as_str().unwrap().trim_start_matches('$'),
            "n",
            "{file}"
        );
        let usages = ok(&home, "find_usages", json!({"className": class, "memberName": "add"}));
        assert_eq!(usages["totalUsages"], 1, "{file}: {usages}");
        assert_eq!(
            (&usages["usages"][0]["usageType"], &usages["usages"][0]["containingMethod"]),
            (&json!("call"), &json!("main")),
            "{file}: {usages}"
        );
        let calls = ok(&home, "get_call_hierarchy", json!({"className": class, "memberName": "add"}));
        assert_eq!(calls["method"]["callers"][0]["name"], "main", "{file}: {calls}");
        let source = ok(&home, "get_source_code", json!({"className": class, "memberName": "add"}));
        assert!(source["sourceCode"].as_str().unwrap().contains("add("), "{file}: {source}");
        let documentation = ok(&home, "get_documentation", json!({"symbolName": class}));
        assert_eq!(documentation["documentation"]["documentation"], "Holds.", "{file}");
        let main = ok(&home, "get_definition", json!({"className": module, "memberName": "main"}));
        assert_eq!(main["definition"]["name"], "main", "{file}: {main}");
        let renamed = json!({"className": class, "memberName": "add", "newName": "put"});
        ok(&home, "rename_symbol", renamed);
        assert!(!home.read(file).contains("add("), "{file}: {}", home.read(file));
    }
}

#[test]
fn switches_of_the_ide_tools_hold_here_too() {
    let off = |names: &[&str]| {
        let disabled_tools = names.iter().map(|name| (*name).to_owned()).collect();
        Home::with(|config| Config { disabled_tools, ..config })
    };
    let home = off(&["ide_refactor_rename"]);
    let args = json!({"className": "Greeter", "newName": "Host"});
    let refused = err(&home, "rename_symbol", args.clone());
    assert_eq!((&refused["error"], &refused["setting"]), (&json!("tool_disabled"), &json!("disabled_tools")));
    ok(&home, "find_class", json!({"className": "Greeter"}));
    ok(&off(&[]), "rename_symbol", args);
    // Where the ide_* tools are served, the group must be asked for.
    let tool = find_in(Catalogue::Intellij, "find_class").unwrap();
    let of = |home: &Home| {
        let root = home.dir.path().to_str().unwrap();
        home.session().call(tool, json!({"projectPath": root, "className": "Greeter"}), None)
    };
    let refused = of(&off(&[]));
    assert!(
        refused.is_error && refused.json.contains("add \\\"intellij\\\" to `enabled_tools`"),
        "{}",
        refused.json
    );
    let on = Home::with(|config| Config { enabled_tools: vec!["intellij".to_owned()], ..config });
    assert!(!of(&on).is_error);
}

/// The names that a conversation on a stream lists, and the answer to a call.
fn talked(home: &Home, served: Catalogue, name: &str, args: Value) -> (Vec<String>, Value) {
    let server = ide_server::mcp_server(&home.app, Threads::new(2), served).unwrap();
    let client = json!({"name": "test", "version": "1"});
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let requests = [
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": args}}),
    ];
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let mut output = Vec::new();
    let options = Options::default().finish_at_end(true);
    serve(&server, &options, input.as_bytes(), &mut output).unwrap();
    let answers: Map<String, Value> = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|answer| answer["id"].is_number())
        .map(|answer| (answer["id"].to_string(), answer))
        .collect();
    let tools = answers["1"]["result"]["tools"].as_array().unwrap();
    (
        tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect(),
        answers["2"]["result"].clone(),
    )
}

#[test]
fn each_catalogue_is_listed_where_it_is_served() {
    let home = Home::new();
    let root = home.dir.path().to_str().unwrap();
    let greeter = json!({"projectPath": root, "className": "Greeter"});
    let (names, answer) = talked(&home, Catalogue::Intellij, "get_definition", greeter.clone());
    let quiet = intellij().iter().filter(|tool| !tool.needs_surface).map(|tool| tool.name.to_owned());
    assert_eq!(names, quiet.collect::<Vec<_>>());
    assert!(answer["isError"] != true && answer.to_string().contains("greeter.py"), "{answer}");
    let (names, answer) = talked(&home, Catalogue::Ide, "get_definition", greeter.clone());
    assert!(names.iter().all(|name| name.starts_with("ide_")), "{names:?}");
    assert_eq!(answer["isError"], true, "{answer}");
    let on = Home::with(|config| Config { enabled_tools: vec!["intellij".to_owned()], ..config });
    let greeter = json!({"projectPath": on.dir.path().to_str().unwrap(), "className": "Greeter"});
    // A name of both: of the group where it is on, else an old one.
    let (names, answer) = talked(&on, Catalogue::Ide, "find_usages", greeter.clone());
    assert!(names.contains(&"find_usages".to_owned()) && names.contains(&"ide_find_references".to_owned()));
    assert!(answer.to_string().contains("totalUsages"), "{answer}");
    let (_, answer) =
        talked(&home, Catalogue::Ide, "find_usages", json!({"file": "greeter.py", "line": 1, "column": 7}));
    assert!(answer.to_string().contains("totalCount"), "{answer}");
    let (_, unknown) = talked(&home, Catalogue::Intellij, "ide_find_class", json!({"query": "Greeter"}));
    assert!(unknown.to_string().contains("find_class"), "{unknown}");
}
