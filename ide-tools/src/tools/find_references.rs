//! `ide_find_references`: the uses of a declaration.

use std::collections::HashSet;

use ide_model::{Access, Completeness, FileMeta, Reference, counted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{PageArgs, ProjectArg, ScopeArgs, TargetArgs};
use crate::filter::Filter;
use crate::page::{HARD_CAP, Page, ResultSet, paged};
use crate::session::Session;
use crate::symbols::{ResolvedSymbol, doubt, reason};
use crate::tool::{Call, Tool};

/// Usages on a page where nothing else is asked for.
const PAGE: usize = 100;

pub(crate) struct FindReferences;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(flatten)]
    scope: ScopeArgs,
    /// Globs below the project, ! excludes
    paths: Option<Vec<String>>,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    usages: Vec<Usage>,
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    head: Head,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Head {
    resolved_symbol: ResolvedSymbol,
    certain: usize,
    possible: usize,
    unresolved_same_name: usize,
    /// Why there may be more
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_because: Option<String>,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Usage {
    file: String,
    line: u32,
    column: u32,
    context: String,
    r#type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    access: Option<&'static str>,
    ast_path: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
}

impl Tool for FindReferences {
    const NAME: &'static str = "ide_find_references";
    const ABOUT: &'static str = "All uses of a symbol, resolved, not matched by text: before changing or deleting \
        it, or to see its use. Uncertain uses carry \
        `confidence` (`conditional`: in some builds only).";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let Args { project: _, target, scope, paths, page } = args;
        let query = Query { target, scope, paths };
        let enough = page.size(PAGE) + 1;
        let cut = paged(&session, Self::NAME, &page, PAGE, || first(&session, query, enough))?;
        Ok(Output { usages: cut.items, page: cut.page, head: cut.head })
    }

    fn text(output: &Output) -> Option<String> {
        let Head { resolved_symbol: symbol, possible, unresolved_same_name, incomplete_because, .. } =
            &output.head;
        let page = &output.page;
        let at_least = if page.total_is_exact { "" } else { "at least " };
        let mut text = format!("{at_least}{} of {}", counted(page.total_count, "usage"), symbol.text());
        if *possible > 0 {
            text.push_str(&format!(", {possible} of them possible"));
        }
        if *unresolved_same_name > 0 {
            text.push_str(&format!(", {unresolved_same_name} same-name uses unresolved"));
        }
        if let Some(reason) = incomplete_because {
            text.push_str(&format!("; incomplete: {reason}"));
        }
        text.push('\n');
        let (mut file, mut before): (&str, &[String]) = ("", &[]);
        for usage in &output.usages {
            if usage.file != file {
                (file, before) = (&usage.file, &[]);
                text.push_str(&format!("{file}\n"));
            }
            let enclosing = enclosing(&usage.ast_path, before);
            before = &usage.ast_path;
            let doubt = usage.confidence.map_or_else(String::new, |word| format!(" [{word}]"));
            text.push_str(&format!(
                " {}:{} {enclosing}: {}{doubt}\n",
                usage.line, usage.column, usage.context
            ));
        }
        page.write_end(&mut text);
        Some(text)
    }
}

/// The name of what encloses a use, as short as it can be after that of the use before it in the same file: `"` where it is the
/// same, `.name` where only the last name is another.
fn enclosing(path: &[String], before: &[String]) -> String {
    match path {
        [_, ..] if path == before => "\"".to_owned(),
        [outer @ .., last] if !outer.is_empty() && before.split_last().is_some_and(|(_, b)| b == outer) => {
            format!(".{last}")
        }
        _ => path.join("."),
    }
}

/// The search: its target and its scope.
struct Query {
    target: TargetArgs,
    scope: ScopeArgs,
    paths: Option<Vec<String>>,
}

/// The first uses, or all where there are not many.
fn first(session: &Session<'_>, query: Query, enough: usize) -> Result<ResultSet<Head, Usage>, ToolError> {
    let (held, is_partial) = search(session, &query, enough, &[])?;
    if !is_partial {
        return Ok(held);
    }
    Ok(held.first(move |session, before| Ok(search(session, &query, usize::MAX, before)?.0)))
}

/// The uses, those that are known `before` in front; true where the search ended when it had enough.
fn search(
    session: &Session<'_>,
    query: &Query,
    enough: usize,
    before: &[Usage],
) -> Result<(ResultSet<Head, Usage>, bool), ToolError> {
    let filter = Filter::new(session, &query.scope, true, query.paths.as_deref())?;
    let target = query.target.variable(session)?;
    let admits = |file: &FileMeta| filter.admits(file);
    let answer = session.snapshot.references(session.cx, &target.symbol, &admits, enough)?;
    let mut references = answer.value.references;
    references.sort_by(|a, b| (&a.file, a.range).cmp(&(&b.file, b.range)));
    references.dedup_by(|a, b| (&a.file, a.range.start) == (&b.file, b.range.start));
    let certain = references.iter().filter(|reference| reference.confidence.is_certain()).count();
    let is_exact = answer.completeness == Completeness::Exact && answer.value.unresolved_same_name == 0;
    let head = Head {
        resolved_symbol: session.resolved_symbol(&target.symbol, target.confidence)?,
        certain,
        possible: references.len() - certain,
        unresolved_same_name: answer.value.unresolved_same_name,
        incomplete_because: reason(answer.completeness),
    };
    // One more than is held shows that there are more.
    references.truncate(HARD_CAP + 1);
    let mut usages = before.to_vec();
    let known: HashSet<(&str, u32, u32)> = before.iter().map(Usage::place).collect();
    for reference in &references {
        session.cx.check()?;
        let usage = usage(session, reference)?;
        if !known.contains(&usage.place()) {
            usages.push(usage);
        }
    }
    Ok((ResultSet::new(session, head, usages, is_exact), answer.value.is_partial))
}

impl Usage {
    fn place(&self) -> (&str, u32, u32) {
        (&self.file, self.line, self.column)
    }
}

fn usage(session: &Session<'_>, reference: &Reference) -> Result<Usage, ToolError> {
    let Reference { file, range, kind, access, confidence, enclosing } = reference;
    let place = session.place(file, range.start)?;
    Ok(Usage {
        file: place.file,
        line: place.line,
        column: place.column,
        context: session.context(file, range.start)?,
        r#type: kind.as_str(),
        access: telling(*access),
        ast_path: enclosing.iter().map(|name| name.to_string()).collect(),
        confidence: doubt(*confidence),
    })
}

/// The access, when it says more than the reference type.
fn telling(access: Access) -> Option<&'static str> {
    let is_plain = matches!(access, Access::Read | Access::Call | Access::Import);
    (!is_plain).then(|| access.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::{TestServer, names};

    const SHOP: &str = r#"
//- src/shop/cart.py
class Cart:
#     ^^^^ def Cart
    def add(self, item):
    #   ^^^ def Cart.add
        self.items = item
        #    ^^^^^ write Cart.items
    items = None
    # <- def Cart.items
//- src/app/main.py
from shop.cart import Cart
#                     ^^^^ ref Cart
def main(cart: Cart):
#   ^^^^ def main
#              ^^^^ ref Cart
    cart.add("apple")
    #    ^^^ call Cart.add
    thing.add("pear"); other.add(1)
    #     ^^^ wrong: call Cart.add
    #                        ^^^ not Cart.add
//- src/test/cart_test.py
Cart().add(2)
# <- call Cart
#      ^^^ call Cart.add
//- gen/stub.py
Cart().add(3)
#      ^^^ call Cart.add
"#;

    fn add(extra: Value) -> Value {
        let mut args = json!({"language": "python", "symbol": "Cart.add"});
        args.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        args
    }

    #[test]
    fn usages_are_ordered_told_apart_and_placed() {
        let result = TestServer::new(SHOP).ok("ide_find_references", add(json!({})));
        let places: Vec<String> = result["usages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|u| {
                format!("{}:{}:{} {}", u["file"].as_str().unwrap(), u["line"], u["column"], u["confidence"])
            })
            .collect();
        assert_eq!(
            places,
            [
                "gen/stub.py:1:8 null",
                "src/app/main.py:3:10 null",
                "src/app/main.py:4:11 \"name_only\"",
                "src/test/cart_test.py:1:8 null",
            ]
        );
        let main = &result["usages"][1];
        assert_eq!(main["context"], "cart.add(\"apple\")");
        assert_eq!(main["type"], "METHOD_CALL");
        assert_eq!(main["astPath"], json!(["main"]));
        assert_eq!(result["resolvedSymbol"]["qualifiedName"], "Cart.add");
        assert_eq!(result["resolvedSymbol"]["file"], "src/shop/cart.py");
        assert_eq!(result["resolvedSymbol"]["line"], 2);
        assert_eq!((&result["certain"], &result["possible"]), (&json!(3), &json!(1)));
        assert_eq!(result["unresolvedSameName"], 1);
        assert_eq!(result["totalIsExact"], false, "one use of the name is not resolved");
        assert_eq!((&result["totalCount"], &result["hasMore"]), (&json!(4), &json!(false)));
        assert!(result.get("nextCursor").is_none());
    }

    #[test]
    fn every_way_to_point_at_it_means_the_same() {
        let server = TestServer::new(SHOP);
        let by_name = server.ok("ide_find_references", add(json!({})));
        let id = by_name["resolvedSymbol"]["symbolId"].as_str().unwrap();
        let ways = [
            json!({"file": "src/shop/cart.py", "line": 2, "column": 9}),
            json!({"file": "/projects/sample/src/app/main.py", "line": "3", "column": "11"}),
            json!({"symbolId": id}),
            json!({"target": {"symbolId": id}}),
            json!({"target": {"qualifiedName": "Cart.add", "language": "Python"}}),
            json!({"file": "src/shop/cart.py", "line": 2, "column": 9, "language": "Python", "symbol": ""}),
        ];
        for way in ways {
            assert_eq!(server.ok("ide_find_references", way.clone()), by_name, "{way}");
        }
    }

    #[test]
    fn each_filter_changes_the_answer() {
        let server = TestServer::new(SHOP);
        let files = |extra: Value| names(&server.ok("ide_find_references", add(extra))["usages"], "file");
        let production = ["gen/stub.py", "src/app/main.py", "src/app/main.py"];
        assert_eq!(files(json!({"scope": "project_production_files"})), production);
        assert_eq!(files(json!({"includeTests": false})), production);
        assert_eq!(files(json!({"scope": "project_test_files"})), ["src/test/cart_test.py"]);
        assert_eq!(files(json!({"includeGenerated": false})).len(), 3);
        assert_eq!(files(json!({"paths": ["src/test/**"]})), ["src/test/cart_test.py"]);
        let error = server.err("ide_find_references", add(json!({"paths": ["nowhere/**"]})));
        assert!(error["message"].as_str().unwrap().contains("nowhere"));
    }

    #[test]
    fn pages_join_to_the_whole() {
        let server = TestServer::new(SHOP);
        let whole = server.ok("ide_find_references", add(json!({})));
        let mut page = server.ok("ide_find_references", add(json!({"maxResults": 3})));
        assert_eq!(
            (&page["pageSize"], &page["hasMore"], &page["truncated"]),
            (&json!(3), &json!(true), &json!(true))
        );
        let mut joined = page["usages"].as_array().unwrap().clone();
        let first_cursor = page["nextCursor"].clone();
        let again = server.ok("ide_find_references", json!({"cursor": first_cursor}));
        while let Some(cursor) = page.get("nextCursor").cloned() {
            page = server.ok("ide_find_references", json!({"cursor": cursor}));
            joined.extend(page["usages"].as_array().unwrap().clone());
        }
        assert_eq!(Value::from(joined), whole["usages"]);
        assert_eq!(page["offset"], 3);
        assert_eq!(page["resolvedSymbol"], whole["resolvedSymbol"], "every page says what it is about");
        assert_eq!(again, page, "the same token gives the same page");
    }

    #[test]
    fn a_search_that_ended_early_goes_on_behind_its_first_pages() {
        let mut source = String::from("//- a.py\nclass Cart:\n#     ^^^^ def Cart\n    pass\n");
        for (file, uses) in [("b.py", 300), ("c.py", 300), ("d.py", 7)] {
            source.push_str(&format!("//- {file}\n{}", "Cart()\n# <- call Cart\n".repeat(uses)));
        }
        let server = TestServer::new(&source);
        let ask = |args: Value| server.ok("ide_find_references", args);
        let mut page = ask(json!({"language": "python", "symbol": "Cart", "pageSize": 290}));
        assert_eq!((&page["totalCount"], &page["totalIsExact"]), (&json!(300), &json!(false)));
        let mut places = Vec::new();
        loop {
            for usage in page["usages"].as_array().unwrap() {
                places.push(format!("{}:{}", usage["file"].as_str().unwrap(), usage["line"]));
            }
            let Some(cursor) = page.get("nextCursor") else { break };
            assert_eq!(page["hasMore"], true);
            page = ask(json!({"cursor": cursor}));
        }
        assert_eq!((&page["totalCount"], &page["totalIsExact"]), (&json!(607), &json!(true)));
        let told: std::collections::BTreeSet<&String> = places.iter().collect();
        assert_eq!((places.len(), told.len()), (607, 607));
        assert_eq!(places.last().unwrap(), "d.py:7");
    }

    #[test]
    fn cursors_of_elsewhere_are_refused() {
        let server = TestServer::new(SHOP);
        let page = server.ok("ide_find_references", add(json!({"pageSize": 1})));
        let error = server.err("ide_find_class", json!({"cursor": page["nextCursor"]}));
        assert_eq!(error["error"], "cursor_other_tool");
        assert_eq!(server.err("ide_find_references", json!({"cursor": "junk"}))["error"], "cursor_malformed");
        assert_eq!(
            server.err("ide_find_references", json!({"cursor": "9:0:5"}))["error"],
            "cursor_not_found"
        );
    }

    #[test]
    fn a_position_on_no_name_takes_what_is_around_it_and_says_so() {
        let source = "//- a.py\ndef outer(n):\n#   ^^^^^ def outer\n    # note: n\n    return 1\nouter(1)\n# ^^^ ref outer\n";
        let server = TestServer::new(source);
        let at = json!({"file": "a.py", "line": 2, "column": 10});
        let found = server.ok("ide_find_references", at.clone());
        assert_eq!(found["resolvedSymbol"]["name"], "outer");
        let note = found["notes"][0].as_str().unwrap();
        assert!(note.starts_with("no name stands at a.py:2:10") && note.contains("outer"), "{note}");
        let text = server.call("ide_find_references", at.clone()).text.unwrap();
        assert!(text.contains("note: no name stands"), "{text}");
        for tool in
            ["ide_find_definition", "ide_refactor_safe_delete", "ide_refactor_rename", "ide_refactor_inline"]
        {
            let mut args = at.clone();
            if tool.ends_with("rename") {
                args["newName"] = "x1".into();
            }
            let error = server.err(tool, args);
            assert_eq!(error["error"], "symbol_not_found", "{tool}: {error}");
            assert_eq!(error["enclosing"]["symbol"], "outer", "{tool}");
        }
    }

    #[test]
    fn a_name_finds_its_place_and_is_checked() {
        let source = "//- a.py\ndef one(n):\n#   ^^^ def one\n    return n\nx = '𝒳𝒳' + one(1)\n#          ^^^ ref one\ndef two(): pass\n#   ^^^ def two\n";
        let server = TestServer::new(source);
        let of = |args: Value| server.ok("ide_find_references", args)["resolvedSymbol"]["name"].clone();
        assert_eq!(of(json!({"file": "a.py", "name": "one"})), "one");
        assert_eq!(of(json!({"file": "a.py", "line": 3, "name": "one"})), "one");
        assert_eq!(of(json!({"file": "a.py:1:5", "name": "one"})), "one");
        let found =
            server.ok("ide_find_references", json!({"file": "a.py", "line": 3, "column": 1, "name": "one"}));
        assert!(found["notes"][0].as_str().unwrap().contains("stands at column 14"), "{found}");
        let wrong = server.err("ide_find_references", json!({"file": "a.py", "line": 1, "name": "two"}));
        assert_eq!((&wrong["error"], &wrong["lines"]), (&json!("symbol_not_found"), &json!([4])));
        // Counted in characters the name stands two columns before its column in UTF-16 units.
        let error = server
            .err("ide_refactor_rename", json!({"file": "a.py", "line": 3, "column": 12, "newName": "y"}));
        assert!(error["message"].as_str().unwrap().contains("`one` stands at column 14"), "{error}");
    }

    #[test]
    fn unclear_targets_are_refused_with_the_missing_part() {
        let server = TestServer::new(SHOP);
        let error = |args: Value| {
            let error = server.err("ide_find_references", args);
            format!("{} {}", error["error"].as_str().unwrap(), error["message"].as_str().unwrap())
        };
        assert!(error(json!({})).starts_with("invalid_argument no target"));
        assert!(error(json!({"file": "src/app/main.py", "line": 1})).contains("`column` is missing"));
        assert!(error(json!({"language": "Python"})).contains("`symbol` is missing"));
        let both = json!({"file": "a", "line": 1, "column": 1, "language": "Python", "symbol": "Cart"});
        assert!(error(both).starts_with("conflicting_target"));
        assert!(error(json!({"file": "no.py", "line": 1, "column": 1})).starts_with("file_not_found"));
        assert!(error(json!({"file": "src/app/main.py", "line": 99, "column": 1})).contains("has 4 lines"));
        assert!(error(json!({"file": "src/app/main.py", "line": 0, "column": 1})).contains("counts from 1"));
        assert!(error(json!({"language": "Markdown", "symbol": "x"})).starts_with("unsupported_language"));
        assert!(error(json!({"symbolId": "junk"})).starts_with("symbol_id_expired"));
        let gone = format!("{}.Gone", crate::project_tag("/projects/sample"));
        assert!(error(json!({"symbolId": gone})).starts_with("symbol_id_expired"));
        let unknown = server.err("ide_find_references", json!({"language": "Python", "symbol": "Cort"}));
        assert_eq!(unknown["error"], "symbol_not_found");
        assert!(unknown["similar"].as_array().unwrap().contains(&json!("Cart")));
        assert!(unknown.to_string().len() / 4 <= 120);
    }

    #[test]
    fn sixty_three_usages_cost_at_most_1600_tokens_to_read() {
        let mut source = String::from(
            "//- src/requests/adapters.py\nclass HTTPAdapter:\n#     ^^^^^^^^^^^ def HTTPAdapter\n    def close(self):\n    #   ^^^^^ def HTTPAdapter.close\n        pass\n",
        );
        for n in 0..9 {
            source.push_str(&format!("//- src/requests/session_{n}.py\n"));
            for m in 0..7 {
                source.push_str(&format!("def handle_request_{n}_{m}(adapter):\n#   ^^^^^^^^^^^^^^^^^^ def handle_request_{n}_{m}\n    adapter.close(timeout={m})\n    #       ^^^^^ call HTTPAdapter.close\n"));
            }
        }
        let server = TestServer::new(&source);
        let reply =
            server.call("ide_find_references", json!({"language": "python", "symbol": "HTTPAdapter.close"}));
        let text = reply.text.unwrap();
        for part in [
            "session_8.py",
            "handle_request_8_6: adapter.close(timeout=6)",
            "63 usages of METHOD HTTPAdapter.close",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(text.len() / 4 <= 1_600, "{} tokens", text.len() / 4);
    }

    #[test]
    fn a_page_shrinks_to_the_response_budget_and_says_so() {
        let mut server = TestServer::new(SHOP);
        server.budget = 2_200;
        let page = server.ok("ide_find_references", add(json!({})));
        assert_eq!((&page["pageSize"], &page["hasMore"]), (&json!(1), &json!(true)));
        assert_eq!(page["totalCount"], 4);
    }
}
