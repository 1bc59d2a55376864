//! `get_call_hierarchy`: the callers of a method, over several levels.

use ide_model::{CallEdge, FileMeta, Symbol};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::words::{InProject, qualified};
use crate::ToolError;
use crate::session::Session;
use crate::tool::{Call, Tool};
use crate::walk::{Direction, Edge, Mark, Visit, Walk};

const DEPTH: i64 = 3;
const MAX_DEPTH: i64 = 10;
/// Most methods of one result.
const MOST: usize = 500;

pub(crate) struct GetCallHierarchy;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: InProject,
    /// Qualified
    class_name: String,
    /// add(int) for one overload
    member_name: String,
    /// 1-10, default 3
    depth: Option<i64>,
    /// Default callers
    #[schemars(extend("enum" = ["callers", "callees"]))]
    direction: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// {name, className, filePath, signature, lineRange, callers}, callers of the same shape
    method: Map<String, Value>,
    truncated: bool,
}

impl Tool for GetCallHierarchy {
    const NAME: &'static str = "get_call_hierarchy";
    const ABOUT: &'static str = "The callers of a method as a tree; calls through interfaces count.";
    const SAME_AS: Option<&'static str> = Some("ide_call_hierarchy");
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = args.project.open(call)?;
        let found = session.named(&args.class_name, Some(&args.member_name))?;
        let root = found.first().clone();
        let is_up = args.direction.as_deref() != Some("callees");
        if !root.kind.is_callable() && !is_up {
            let message = format!("`{}` is a {}, not a method", root.name, root.kind.as_str());
            return Err(ToolError::argument(message).with("parameter", "memberName"));
        }
        session.note_overloads(&found, &root.name);
        let depth = args.depth.unwrap_or(DEPTH).clamp(1, MAX_DEPTH) as u32;
        let direction = if is_up { Direction::Up } else { Direction::Down };
        let (mut truncated, mut tree) = (false, Vec::new());
        for symbol in &found.all {
            let (visits, is_cut) = session.walk_calls(symbol, direction, depth)?;
            truncated |= is_cut;
            tree.extend(nested(&session, &visits, if is_up { "callers" } else { "callees" })?);
        }
        let mut method = session.method_node(&root)?;
        method.insert(if is_up { "callers" } else { "callees" }.to_owned(), Value::from(tree));
        Ok(Output { method, truncated })
    }
}

impl Session<'_> {
    fn walk_calls(
        &self,
        root: &Symbol,
        direction: Direction,
        depth: u32,
    ) -> Result<(Vec<Visit>, bool), ToolError> {
        let everywhere = |_: &FileMeta| true;
        let edge = |call: CallEdge| Edge {
            name: call.name,
            symbol: call.symbol,
            file: Some(call.file),
            sites: call.sites,
            confidence: call.confidence,
        };
        let expand = |symbol: &Symbol, direction: Direction, _: Option<u32>| {
            self.cx.check()?;
            let answer = match direction {
                Direction::Up => self.snapshot.callers(self.cx, symbol, &everywhere)?,
                Direction::Down => self.snapshot.callees(self.cx, symbol)?,
            };
            if let Some(because) = crate::symbols::reason(answer.completeness) {
                self.told.note(format!("there may be more: {because}"));
            }
            let wanted = answer.value.into_iter().filter(|call| {
                direction == Direction::Up || call.symbol.as_ref().is_some_and(|symbol| !symbol.is_library)
            });
            Ok(wanted.map(edge).collect())
        };
        let mut walk = Walk::new(root, &[direction], depth);
        let mut visits = Vec::new();
        while visits.len() < MOST {
            let Some(visit) = walk.next(expand)? else { return Ok((visits, false)) };
            visits.push(visit);
        }
        let is_done = walk.is_done(expand)?;
        Ok((visits, !is_done))
    }

    fn method_node(&self, symbol: &Symbol) -> Result<Map<String, Value>, ToolError> {
        let mut node = Map::new();
        let class =
            if symbol.kind.is_type() { Some(qualified(symbol)) } else { self.containing_class(symbol)? };
        node.insert("name".to_owned(), json!(&*symbol.name));
        node.insert("className".to_owned(), json!(class));
        node.insert("filePath".to_owned(), json!(self.absolute_path(&symbol.file)));
        node.insert("signature".to_owned(), json!(self.signature(symbol)?));
        node.insert("lineRange".to_owned(), json!(self.lines_of_symbol(symbol)?));
        Ok(node)
    }
}

/// The nodes of a walk as a tree.
fn nested(session: &Session<'_>, visits: &[Visit], word: &str) -> Result<Vec<Value>, ToolError> {
    let mut nodes: Vec<(u32, Option<u32>, Map<String, Value>)> = Vec::with_capacity(visits.len());
    for visit in visits {
        let mut node = match &visit.edge.symbol {
            Some(symbol) => session.method_node(symbol)?,
            None => session.outside_node(visit)?,
        };
        match visit.mark {
            Mark::New => {}
            Mark::Recursive => drop(node.insert("recursive".to_owned(), true.into())),
            Mark::AlreadyShown => drop(node.insert("alreadyShown".to_owned(), true.into())),
        }
        node.insert(word.to_owned(), Value::Array(Vec::new()));
        nodes.push((visit.id, visit.parent, node));
    }
    // Parents come before their children, so the last node has none.
    let mut roots = Vec::new();
    while let Some((_, parent, node)) = nodes.pop() {
        let above = parent.and_then(|parent| nodes.iter_mut().find(|(id, ..)| *id == parent));
        match above.and_then(|(_, _, above)| above.get_mut(word)).and_then(Value::as_array_mut) {
            Some(children) => children.insert(0, node.into()),
            None => roots.insert(0, node.into()),
        }
    }
    Ok(roots)
}

impl Session<'_> {
    /// Calls that stand in no method: the top level of a file.
    fn outside_node(&self, visit: &Visit) -> Result<Map<String, Value>, ToolError> {
        let mut node = Map::new();
        let (file, site) = (visit.edge.file.as_ref(), visit.edge.sites.first());
        let lines = match (file, site) {
            (Some(file), Some(site)) => self.lines_of(file, *site)?,
            _ => None,
        };
        node.insert("name".to_owned(), json!(&*visit.edge.name));
        node.insert("className".to_owned(), Value::Null);
        node.insert("filePath".to_owned(), json!(file.map(|file| self.absolute_path(file))));
        node.insert("signature".to_owned(), Value::Null);
        node.insert("lineRange".to_owned(), json!(lines));
        Ok(node)
    }
}
