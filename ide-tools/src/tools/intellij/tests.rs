//! The catalogue as a whole: names, parameters, and results on a fixture.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{MODULES, all, in_its_words};
use crate::testing::TestServer;

/// Every tool with its parameters but for `projectPath`, those that must be given first.
const PARAMETERS: [(&str, &[&str], &[&str]); 25] = [
    ("list_projects", &[], &[]),
    ("find_file", &["fileName"], &["includeLibraries", "maxResults"]),
    ("open_file", &["filePath"], &[]),
    ("read_file", &["filePath"], &["startLine", "endLine"]),
    ("get_project_modules", &[], &[]),
    ("get_project_dependencies", &[], &["moduleName"]),
    ("find_class", &["className"], &["includeLibraries"]),
    ("search_symbol", &["query"], &["symbolType"]),
    ("search_text", &["searchText"], &["useRegex", "caseSensitive", "filePattern", "maxResults"]),
    ("find_usages", &["className"], &["memberName"]),
    ("get_class_structure", &["className"], &["includeInherited"]),
    ("get_definition", &["className"], &["memberName"]),
    ("get_source_code", &["className"], &["memberName"]),
    ("get_call_hierarchy", &["className", "memberName"], &["depth", "direction"]),
    ("get_type_hierarchy", &["className"], &["includeSubclasses"]),
    ("get_implementations", &["className"], &["includeAbstract"]),
    ("get_documentation", &["symbolName"], &[]),
    ("get_diagnostics", &[], &["errorsOnly"]),
    ("run_inspection", &[], &["filePath", "inspectionNames", "minSeverity", "maxProblems", "timeout"]),
    ("rename_symbol", &["className", "newName"], &["memberName", "dryRun"]),
    ("extract_method", &["filePath", "startLine", "endLine", "methodName"], &["dryRun"]),
    ("optimize_imports", &["filePath"], &["dryRun"]),
    ("add_inline_comment", &["filePath", "line", "comment"], &[]),
    ("create_file_or_directory", &["path", "isDirectory"], &["content", "createParents", "overwrite"]),
    ("delete_file_or_directory", &["path"], &["recursive"]),
];

#[test]
fn names_and_parameters_are_those_of_the_other_server() {
    let names: Vec<&str> = all().iter().map(|tool| tool.name).collect();
    assert_eq!(names, PARAMETERS.map(|(name, ..)| name));
    for (tool, (name, required, optional)) in all().iter().zip(PARAMETERS) {
        let mut wanted: BTreeSet<&str> = required.iter().copied().collect();
        if !["list_projects", "read_file"].contains(&name) {
            wanted.insert("projectPath");
        }
        let schema = tool.input_schema();
        let own = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        assert_eq!(own.collect::<BTreeSet<_>>(), wanted, "{name}");
        wanted.extend(optional);
        let own: BTreeSet<&str> = tool.properties().map(|(name, _)| name).collect();
        assert_eq!(own, wanted, "{name}");
    }
}

#[test]
fn every_file_is_a_tool() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/tools/intellij");
    let beside = ["mod", "tests", "described", "named", "sweep", "words"];
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().trim_end_matches(".rs").to_owned())
        .filter(|name| !beside.contains(&name.as_str()))
        .collect();
    assert_eq!(files, MODULES.iter().map(|module| (*module).to_owned()).collect());
}

#[test]
fn switches_name_tools_that_there_are() {
    for tool in all() {
        let base = tool.same_as.unwrap();
        assert_eq!(crate::find(base).unwrap().name, base, "{}", tool.name);
        assert!(
            tool.about.ends_with('.') && tool.about.len() <= 200 && tool.about.is_ascii(),
            "{}",
            tool.name
        );
        for (name, schema) in tool.properties() {
            assert!(schema["type"].is_string(), "{} {name} has one type: {schema}", tool.name);
        }
        for schema in [tool.input_schema(), tool.output_schema()] {
            for word in ["anyOf", "oneOf", "allOf", "$ref", "$defs"] {
                assert!(
                    !schema.to_string().contains(&format!("\"{word}\"")),
                    "{}: {word} in {schema}",
                    tool.name
                );
            }
        }
    }
    assert_eq!(
        in_its_words("find it with ide_find_symbol, pass `project_path`"),
        "find it with search_symbol, pass `projectPath`"
    );
}

const SOURCE: &str = "
//- src/a.py
class Shop:
#     ^^^^ def a.Shop
    def add(self):
    #   ^^^ def a.Shop.add
        pass
def main():
#   ^^^^ def a.main
    Shop().add(); x = 1
    # <- call a.Shop
    #      ^^^ call a.Shop.add
";

fn with_project(args: Value) -> Value {
    let mut args = args;
    args["projectPath"] = "/projects/sample".into();
    args
}

#[test]
fn projects_files_and_text() {
    let server = TestServer::new(SOURCE);
    let found = server.ok("find_file", with_project(json!({"fileName": "?.p*"})));
    let row = json!({"path": "/projects/sample/src/a.py", "relativePath": "src/a.py", "name": "a.py", "extension": "py",
        "size": 93, "fileType": "Python"});
    assert!(found["files"][0]["size"].as_u64().unwrap() > 50);
    let mut own = found["files"][0].clone();
    own["size"] = 93.into();
    assert_eq!(own, row);
    assert_eq!(
        (&found["pattern"], &found["totalResults"], &found["truncated"]),
        (&json!("?.p*"), &json!(1), &json!(false))
    );
    assert_eq!(
        server.ok("find_file", with_project(json!({"fileName": "a"})))["totalResults"],
        0,
        "the whole name"
    );
    let modules = server.ok("get_project_modules", with_project(json!({})));
    let module = json!({"name": "app", "path": ".", "type": "maven", "sourceFolders": ["gen", "src"],
        "resourceFolders": ["res"], "testSourceFolders": ["test"], "testResourceFolders": ["test-res"]});
    assert_eq!(modules["modules"], json!([module]));
    let dependencies = server.ok("get_project_dependencies", with_project(json!({})));
    assert_eq!(dependencies["dependencies"][0], json!({"name": "g:a", "version": "1.0", "scope": "COMPILE"}));
    let missing = server.err("find_file", json!({"projectPath": "/projects/sample"}));
    assert_eq!((&missing["error"], &missing["parameter"]), (&json!("invalid_argument"), &json!("fileName")));
    let elsewhere = server.err("find_class", json!({"projectPath": "/other", "className": "A"}));
    assert_eq!(elsewhere["error"], "project_not_found");
    let wrong = server.err("search_symbol", with_project(json!({"query": "a", "symbolType": "package"})));
    assert_eq!(wrong["supportedValues"], json!(["all", "class", "method", "field"]));
    let wrong = server.err("find_file", with_project(json!({"fileName": "a", "maxResults": "many"})));
    assert_eq!(wrong["parameter"], "maxResults");
}
