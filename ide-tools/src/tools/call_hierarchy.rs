//! `ide_call_hierarchy`: callers or callees over several levels.

use std::cell::RefCell;

use ide_model::{CallEdge, FileMeta, FilePath, QueryError, SourceKind, Symbol, SymbolKind, TextRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{json, to_value};

use crate::ToolError;
use crate::args::{ProjectArg, ScopeArgs, TargetArgs};
use crate::filter::Filter;
use crate::hierarchy::{Edges, Node, NodeArgs, NodePage, OpenHierarchy, nest, take_page, write_tree};
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Tool, missing};
use crate::walk::{Direction, Edge, Visit, Walk};

/// Most call sites shown per node, and most unresolved calls shown per page.
const MAX_SITES: usize = 20;
const MAX_UNRESOLVED: usize = 100;

pub(crate) struct CallHierarchy;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    /// Required
    #[schemars(extend("enum" = ["callers", "callees"]))]
    direction: Option<String>,
    /// 1-5, default 3
    depth: Option<i64>,
    #[serde(flatten)]
    scope: ScopeArgs,
    #[serde(flatten)]
    nodes: NodeArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    element: ResolvedSymbol,
    direction: String,
    depth: u32,
    /// {name, file, line, column, kind, callSites, nodeId, parentId, depth, children}
    calls: Vec<Node>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unresolved: Vec<Unresolved>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unresolved_total: Option<usize>,
    #[serde(flatten)]
    page: NodePage,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Unresolved {
    name: String,
    file: String,
    line: u32,
    column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<u32>,
}

/// The search that later pages continue.
#[derive(Clone)]
struct Query {
    direction: Direction,
    depth: u32,
    scope: Option<String>,
    include_generated: Option<bool>,
    element: ResolvedSymbol,
}

impl Tool for CallHierarchy {
    const NAME: &'static str = "ide_call_hierarchy";
    const ABOUT: &'static str = "Callers of a function, or the functions that it calls (callees), as a tree; calls \
        through interfaces count. Use it to judge the reach of a change.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let kept = match &args.nodes.cursor {
            Some(token) => OpenHierarchy::find(&session, Self::NAME, token)?,
            None => start(&session, &args)?.into(),
        };
        let query = &kept.query;
        let scope = ScopeArgs { scope: query.scope.clone(), include_generated: query.include_generated };
        let filter = Filter::new(&session, &scope, true, None)?;
        let unresolved = RefCell::new(Vec::new());
        let left_out = RefCell::new(0);
        let (nodes, page) = take_page(
            &session,
            Self::NAME,
            &kept,
            &args.nodes,
            |symbol, direction, id| edges(&session, &filter, symbol, direction, id, &unresolved, &left_out),
            |visit| node(&session, visit),
        )?;
        if let n @ 1.. = left_out.into_inner() {
            session.told.note(format!(
                "{n} functions of libraries are left out; `scope` project_and_libraries shows them"
            ));
        }
        let mut unresolved = unresolved.into_inner();
        let n_unresolved = unresolved.len();
        unresolved.truncate(MAX_UNRESOLVED);
        Ok(Output {
            element: query.element.clone(),
            direction: word(query.direction).to_owned(),
            depth: query.depth,
            calls: nest(nodes, "children"),
            unresolved,
            unresolved_total: (n_unresolved > MAX_UNRESOLVED).then_some(n_unresolved),
            page,
        })
    }

    fn text(output: &Output) -> Option<String> {
        let name = output.element.qualified_name.as_ref().unwrap_or(&output.element.name);
        let mut text = format!("{} of {name}, depth {}\n", output.direction, output.depth);
        write_tree(&output.calls, "children", 0, &mut text);
        if !output.unresolved.is_empty() {
            let n = output.unresolved_total.unwrap_or(output.unresolved.len());
            text.push_str(&format!("{n} unresolved calls:"));
            output.unresolved.iter().for_each(|call| text.push_str(&format!(" {}:{}", call.name, call.line)));
            text.push('\n');
        }
        output.page.write_end(&mut text);
        Some(text)
    }
}

fn start(session: &Session<'_>, args: &Args) -> Result<OpenHierarchy<Query>, ToolError> {
    let direction = match args.direction.as_deref() {
        Some("callers") => Direction::Up,
        Some(_) => Direction::Down,
        None => return Err(missing("direction").hint("use callers or callees")),
    };
    let target = args.target.resolve(session)?;
    let root = target.symbol;
    // A type stands for its constructors, a property for its getter; anything else that is not callable has no calls.
    let has_calls = root.kind.is_callable() || root.kind.is_type() || root.kind == SymbolKind::Property;
    if !has_calls && direction == Direction::Down {
        let name = &root.name;
        return Err(ToolError::argument(format!("`{name}` is a {}, not a function", root.kind.as_str())));
    }
    let depth = args.depth.unwrap_or(3).clamp(1, 5) as u32;
    let query = Query {
        direction,
        depth,
        scope: args.scope.scope.clone(),
        include_generated: args.scope.include_generated,
        element: session.resolved_symbol(&root, target.confidence)?,
    };
    let walk = Walk::new(&root, &[direction], depth);
    Ok(OpenHierarchy::new(session, root, query, walk))
}

fn edges(
    session: &Session<'_>,
    filter: &Filter,
    symbol: &Symbol,
    direction: Direction,
    id: Option<u32>,
    unresolved: &RefCell<Vec<Unresolved>>,
    left_out: &RefCell<usize>,
) -> Result<Edges, ToolError> {
    let admits = |file: &FileMeta| filter.admits(file);
    if direction == Direction::Up {
        let answer = session.snapshot.callers(session.cx, symbol, &admits)?;
        return Ok((answer.value.into_iter().map(edge).collect(), answer.completeness));
    }
    let answer = session.snapshot.callees(session.cx, symbol)?;
    let mut edges = Vec::new();
    for call in answer.value {
        let Some(callee) = &call.symbol else {
            for site in &call.sites {
                let place = session.place(&call.file, site.start)?;
                unresolved.borrow_mut().push(Unresolved {
                    name: call.name.to_string(),
                    file: place.file,
                    line: place.line,
                    column: place.column,
                    parent_id: id,
                });
            }
            continue;
        };
        if callee.is_library && !filter.scope().admits(SourceKind::Library) {
            *left_out.borrow_mut() += 1;
            continue;
        }
        if session.snapshot.file(&callee.file).is_none_or(|file| admits(&file)) {
            edges.push(edge(call));
        }
    }
    Ok((edges, answer.completeness))
}

fn edge(call: CallEdge) -> Edge {
    let CallEdge { name, symbol, file, sites, confidence } = call;
    Edge { name, symbol, file: Some(file), sites, confidence }
}

fn node(session: &Session<'_>, visit: &Visit) -> Result<Node, ToolError> {
    let edge = &visit.edge;
    let mut node = Node::new();
    match &edge.symbol {
        Some(symbol) => {
            node.insert("name".to_owned(), json!(call_name(session, symbol)?));
            node.insert("kind".to_owned(), json!(symbol.kind.as_str()));
            node.insert("file".to_owned(), json!(symbol.file.as_str()));
            if let Some(place) = session.place_if_readable(symbol)? {
                node.insert("line".to_owned(), json!(place.line));
                node.insert("column".to_owned(), json!(place.column));
            }
            node.insert("language".to_owned(), json!(symbol.language.name()));
            node.insert("symbolId".to_owned(), json!(session.symbol_id(symbol)));
        }
        None => {
            // The top level of a file calls too.
            let file = edge.file.as_ref().map_or("", FilePath::as_str);
            let first = edge.sites.first().copied().unwrap_or_default();
            node.insert("name".to_owned(), json!(&*edge.name));
            node.insert("file".to_owned(), json!(file));
            if let Some(file) = &edge.file {
                let place = session.place(file, first.start)?;
                node.insert("line".to_owned(), json!(place.line));
                node.insert("column".to_owned(), json!(place.column));
            }
        }
    }
    if let Some(file) = &edge.file {
        node.insert("callSites".to_owned(), json!(sites(session, file, &edge.sites)?));
        if edge.sites.len() > MAX_SITES {
            node.insert("callSitesTotal".to_owned(), to_value(edge.sites.len()).expect("a number is JSON"));
        }
    }
    Ok(node)
}

fn sites(
    session: &Session<'_>,
    file: &FilePath,
    sites: &[TextRange],
) -> Result<Vec<serde_json::Value>, ToolError> {
    let mut shown = Vec::new();
    for site in sites.iter().take(MAX_SITES) {
        let place = session.place(file, site.start)?;
        shown.push(json!({"line": place.line, "column": place.column}));
    }
    Ok(shown)
}

/// `Container.name(T1, T2)`, as far as the engine knows the types.
fn call_name(session: &Session<'_>, symbol: &Symbol) -> Result<String, ToolError> {
    let name = match &symbol.container {
        Some(container) => format!("{container}.{}", symbol.name),
        None => symbol.name.to_string(),
    };
    match session.snapshot.describe(session.cx, symbol) {
        Ok(answer) if symbol.kind.is_callable() => {
            let parameters = answer.value.parameters.iter();
            let types = parameters.map(|p| p.type_text.as_deref().or(p.name.as_deref()).unwrap_or("?"));
            Ok(format!("{name}({})", types.collect::<Vec<_>>().join(", ")))
        }
        Ok(_)
        | Err(QueryError::Unsupported { .. } | QueryError::NoFile { .. } | QueryError::NotRead { .. }) => {
            Ok(name)
        }
        Err(error) => Err(error.into()),
    }
}

fn word(direction: Direction) -> &'static str {
    match direction {
        Direction::Up => "callers",
        Direction::Down => "callees",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::TestServer;

    const SOURCE: &str = "
//- a.py
def leaf(n: int): pass
#   ^^^^ def leaf
def middle():
#   ^^^^^^ def middle
    leaf(1); leaf(2)
    # <- call leaf
    #        ^^^^ call leaf
    missing()
    # <- call missing
def top():
#   ^^^ def top
    middle(); top()
    # <- call middle
    #         ^^^ call top
//- test/b.py
leaf(3)
# <- call leaf
";

    fn run(server: &TestServer, extra: Value) -> Value {
        let mut args = json!({"language": "Python", "symbol": "leaf", "direction": "callers"});
        args.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        server.ok("ide_call_hierarchy", args)
    }

    #[test]
    fn callers_are_a_tree_with_sites_and_cycles_marked() {
        let result = run(&TestServer::new(SOURCE), json!({}));
        assert_eq!(result["element"]["name"], "leaf");
        let middle = &result["calls"][0];
        assert_eq!((&middle["name"], &middle["depth"]), (&json!("middle()"), &json!(1)));
        assert_eq!(middle["callSites"], json!([{"line": 3, "column": 5}, {"line": 3, "column": 14}]));
        let file = &result["calls"][1];
        assert_eq!(
            (&file["name"], &file["line"]),
            (&json!("test/b.py"), &json!(1)),
            "the top level calls too"
        );
        let top = &middle["children"][0];
        assert_eq!((&top["name"], &top["parentId"]), (&json!("top()"), &middle["nodeId"]));
        assert_eq!(top["children"][0]["recursive"], true);
        assert_eq!((&result["returnedNodes"], &result["hasMore"]), (&json!(4), &json!(false)));
    }

    #[test]
    fn callees_keep_unresolved_calls_apart() {
        let result = run(&TestServer::new(SOURCE), json!({"symbol": "middle", "direction": "callees"}));
        assert_eq!(result["calls"][0]["name"], "leaf(int)");
        assert_eq!(result["calls"][1]["alreadyShown"], true);
        assert_eq!(
            result["unresolved"],
            json!([{"name": "missing", "file": "a.py", "line": 4, "column": 5}])
        );
    }

    #[test]
    fn depth_scope_and_direction_matter() {
        let server = TestServer::new(SOURCE);
        assert_eq!(run(&server, json!({"depth": 1}))["returnedNodes"], 2);
        assert_eq!(run(&server, json!({"depth": 99}))["depth"], 5);
        assert_eq!(run(&server, json!({"depth": 1, "scope": "project_test_files"}))["returnedNodes"], 1);
        let error = server.err("ide_call_hierarchy", json!({"language": "Python", "symbol": "leaf"}));
        assert!(error["message"].as_str().unwrap().contains("`direction`"));
    }

    #[test]
    fn pages_give_every_node_once() {
        let server = TestServer::new(SOURCE);
        let mut ids = Vec::new();
        let mut page = run(&server, json!({"maxNodes": 1}));
        assert_eq!(page["calls"][0]["childrenTruncated"], true);
        loop {
            assert_eq!(page["returnedNodes"], 1);
            ids.push((page["calls"][0]["nodeId"].clone(), page["calls"][0]["parentId"].clone()));
            let Some(cursor) = page.get("nextCursor").cloned() else { break };
            assert_eq!(page["truncationReason"], "maxNodes");
            page = server.ok("ide_call_hierarchy", json!({"cursor": cursor, "maxNodes": 1}));
        }
        assert_eq!(ids.len(), 4);
        assert_eq!(ids[2].1, ids[0].0, "nodes of later pages name their parent");
    }
}
