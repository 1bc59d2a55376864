//! The common parts of the call and the type hierarchy: pages of a walk, kept walks, trees from nodes.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ide_model::{Completeness, Symbol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::ToolError;
use crate::page::cursor_error;
use crate::session::Session;
use crate::symbols::{doubt, reason};
use crate::walk::{Direction, Edge, Mark, Visit, Walk};
use crate::{CursorHit, CursorProblem};

/// Paging of hierarchies.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeArgs {
    /// Default 100
    pub(crate) max_nodes: Option<i64>,
    pub(crate) cursor: Option<String>,
}

/// The page fields of a hierarchy.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodePage {
    pub(crate) returned_nodes: usize,
    pub(crate) has_more: bool,
    pub(crate) truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) truncation_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) next_cursor: Option<String>,
    pub(crate) stale: bool,
    /// Why there may be more
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) incomplete_because: Option<String>,
}

/// A node as JSON; `children` are put in when the tree is built.
pub(crate) type Node = Map<String, Value>;

/// A hierarchy that goes on: everything the next page needs. `Q` is what the call asked for.
pub(crate) struct OpenHierarchy<Q> {
    pub(crate) root: Symbol,
    pub(crate) query: Q,
    walk: Walk,
    generation: u64,
}

impl<Q: Clone + Send + Sync + 'static> OpenHierarchy<Q> {
    pub(crate) fn new(session: &Session<'_>, root: Symbol, query: Q, walk: Walk) -> Self {
        Self { root, query, walk, generation: session.snapshot.generation() }
    }

    /// The walk that a cursor stands for.
    pub(crate) fn find(session: &Session<'_>, tool: &str, token: &str) -> Result<Arc<Self>, ToolError> {
        let hit = session.services.cursors().find(token.trim(), tool, session.project.root());
        let CursorHit { payload, .. } = hit.map_err(|problem| cursor_error(problem, tool))?;
        payload.downcast().map_err(|_| cursor_error(CursorProblem::OtherTool, tool))
    }
}

/// Edges of a declaration and whether that is all of them.
pub(crate) type Edges = (Vec<Edge>, Completeness);

/// Takes one page of nodes off a walk. `render` makes a node without its place in the tree.
pub(crate) fn take_page<Q: Clone + Send + Sync + 'static>(
    session: &Session<'_>,
    tool: &'static str,
    kept: &OpenHierarchy<Q>,
    args: &NodeArgs,
    expand: impl Fn(&Symbol, Direction, Option<u32>) -> Result<Edges, ToolError>,
    render: impl Fn(&Visit) -> Result<Node, ToolError>,
) -> Result<(Vec<(Visit, Node)>, NodePage), ToolError> {
    let max = args.max_nodes.unwrap_or(100).clamp(1, 500) as usize;
    let mut walk = kept.walk.clone();
    let because = RefCell::new(None);
    let expand = |symbol: &Symbol, direction: Direction, id: Option<u32>| {
        session.cx.check()?;
        let (edges, completeness) = expand(symbol, direction, id)?;
        if let Some(reason) = reason(completeness) {
            because.borrow_mut().get_or_insert(reason);
        }
        Ok(edges)
    };
    let mut nodes = Vec::new();
    let mut left = session.services.response_budget().saturating_sub(4_000);
    let mut why = None;
    while nodes.len() < max {
        let Some(visit) = walk.next(expand)? else { break };
        let node = render(&visit)?;
        // Room for ids, braces and the flags that are added later.
        left = left.saturating_sub(Value::Object(node.clone()).to_string().chars().count() + 60);
        nodes.push((visit, node));
        if left == 0 {
            why = Some("response size");
            break;
        }
    }
    let has_more = !walk.is_done(expand)?;
    let unfinished = walk.unfinished();
    for (visit, node) in &mut nodes {
        place_in_tree(visit, node, &unfinished);
    }
    let next_cursor = has_more.then(|| {
        let next = OpenHierarchy {
            root: kept.root.clone(),
            query: kept.query.clone(),
            walk,
            generation: kept.generation,
        };
        let store = session.services.cursors();
        let entry = store.keep(tool, session.project.root(), Arc::new(next));
        store.token(&entry, 0, max)
    });
    let page = NodePage {
        returned_nodes: nodes.len(),
        has_more,
        truncated: has_more,
        truncation_reason: has_more.then(|| why.unwrap_or("maxNodes").to_owned()),
        next_cursor,
        stale: kept.generation != session.snapshot.generation(),
        incomplete_because: because.into_inner(),
    };
    Ok((nodes, page))
}

fn place_in_tree(visit: &Visit, node: &mut Node, unfinished: &HashSet<u32>) {
    node.insert("nodeId".to_owned(), json!(visit.id));
    if let Some(parent) = visit.parent {
        node.insert("parentId".to_owned(), json!(parent));
    }
    node.insert("depth".to_owned(), json!(visit.depth));
    match visit.mark {
        Mark::New => {}
        Mark::Recursive => drop(node.insert("recursive".to_owned(), json!(true))),
        Mark::AlreadyShown => drop(node.insert("alreadyShown".to_owned(), json!(true))),
    }
    if let Some(word) = doubt(visit.edge.confidence) {
        node.insert("confidence".to_owned(), json!(word));
    }
    if unfinished.contains(&visit.id) {
        node.insert("childrenTruncated".to_owned(), json!(true));
    }
}

/// Nests nodes below their parents under `word`. A node whose parent is on another page stays at the top.
pub(crate) fn nest(nodes: Vec<(Visit, Node)>, word: &str) -> Vec<Node> {
    let on_page: HashSet<u32> = nodes.iter().map(|(visit, _)| visit.id).collect();
    let mut children: HashMap<u32, Vec<Node>> = HashMap::new();
    let mut top = Vec::new();
    // Children come after their parents, so from the end every node is complete when it is reached.
    for (visit, mut node) in nodes.into_iter().rev() {
        if let Some(mut own) = children.remove(&visit.id) {
            own.reverse();
            node.insert(word.to_owned(), json!(own));
        }
        match visit.parent.filter(|parent| on_page.contains(parent)) {
            Some(parent) => children.entry(parent).or_default().push(node),
            None => top.push(node),
        }
    }
    top.reverse();
    top
}

/// Nested nodes as indented lines for reading.
pub(crate) fn write_tree(nodes: &[Node], word: &str, level: usize, out: &mut String) {
    let text = |node: &Node, field: &str| {
        node.get(field).map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    };
    for node in nodes {
        out.push_str(&format!("{:1$}{2}", "", level * 2, text(node, "name").unwrap_or_default()));
        if let (Some(file), Some(line)) = (text(node, "file"), text(node, "line")) {
            out.push_str(&format!(" {file}:{line}"));
        }
        if let Some(Value::Array(sites)) = node.get("callSites")
            && !sites.is_empty()
        {
            let mut lines: Vec<String> = sites.iter().map(|site| site["line"].to_string()).collect();
            lines.dedup();
            out.push_str(&format!(", called at {}", lines.join(", ")));
        }
        for flag in ["recursive", "alreadyShown", "childrenTruncated"] {
            if node.contains_key(flag) {
                out.push_str(&format!(" ({flag})"));
            }
        }
        if let Some(confidence) = text(node, "confidence") {
            out.push_str(&format!(" [{confidence}]"));
        }
        out.push('\n');
        if let Some(Value::Array(children)) = node.get(word) {
            let children: Vec<Node> =
                children.iter().filter_map(|child| child.as_object().cloned()).collect();
            write_tree(&children, word, level + 1, out);
        }
    }
}

impl NodePage {
    /// The last lines of a text rendering.
    pub(crate) fn write_end(&self, out: &mut String) {
        if let Some(cursor) = &self.next_cursor {
            out.push_str(&format!("more: cursor={cursor}\n"));
        }
        if let Some(reason) = &self.incomplete_because {
            out.push_str(&format!("incomplete: {reason}\n"));
        }
        if self.stale {
            out.push_str("stale: the project has changed since this search\n");
        }
    }
}
