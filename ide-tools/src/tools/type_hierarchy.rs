//! `ide_type_hierarchy`: supertypes as a tree, all subtypes as a list.

use ide_model::{Confidence, FileMeta, MatchMode, QueryError, SearchKind, Symbol, SymbolQuery, TypeLink};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::ToolError;
use crate::args::{ProjectArg, ScopeArgs, TargetArgs};
use crate::filter::Filter;
use crate::hierarchy::{Edges, Node, NodeArgs, NodePage, OpenHierarchy, nest, take_page, write_tree};
use crate::session::Session;
use crate::symbols::ResolvedSymbol;
use crate::tool::{Call, Tool};
use crate::walk::{Direction, Edge, Visit, Walk};

pub(crate) struct TypeHierarchy;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    /// Qualified or unique simple name
    class_name: Option<String>,
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(flatten)]
    scope: ScopeArgs,
    #[serde(flatten)]
    nodes: NodeArgs,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    element: ResolvedSymbol,
    /// {name, kind, file, line, column, nodeId, depth, supertypes}
    supertypes: Vec<Node>,
    /// All descendants, flat
    subtypes: Vec<Node>,
    #[serde(flatten)]
    page: NodePage,
}

/// The search that later pages continue.
#[derive(Clone)]
struct Query {
    scope: Option<String>,
    include_generated: Option<bool>,
    element: ResolvedSymbol,
}

impl Tool for TypeHierarchy {
    const NAME: &'static str = "ide_type_hierarchy";
    const ABOUT: &'static str = "Supertypes (tree) and all subtypes (list) of a type.";
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
        let (nodes, page) = take_page(
            &session,
            Self::NAME,
            &kept,
            &args.nodes,
            |symbol, direction, _| edges(&session, &filter, symbol, direction),
            |visit| node(&session, visit),
        )?;
        let (up, down): (Vec<_>, Vec<_>) =
            nodes.into_iter().partition(|(visit, _)| visit.direction == Direction::Up);
        Ok(Output {
            element: query.element.clone(),
            supertypes: nest(up, "supertypes"),
            subtypes: down.into_iter().map(|(_, node)| node).collect(),
            page,
        })
    }

    fn text(output: &Output) -> Option<String> {
        let name = output.element.qualified_name.as_ref().unwrap_or(&output.element.name);
        let mut text = format!("{} {name}\nsupertypes:\n", output.element.kind);
        write_tree(&output.supertypes, "supertypes", 1, &mut text);
        text.push_str("subtypes:\n");
        write_tree(&output.subtypes, "subtypes", 1, &mut text);
        output.page.write_end(&mut text);
        Some(text)
    }
}

fn start(session: &Session<'_>, args: &Args) -> Result<OpenHierarchy<Query>, ToolError> {
    let (root, confidence) = match &args.class_name {
        Some(name) => (class_named(session, name, args.target.language.as_deref())?, Confidence::Exact),
        None if args.target.is_empty() => {
            return Err(ToolError::argument("no target: which type is meant?")
                .hint("give className, or file, line and column, or symbolId"));
        }
        None => {
            let target = args.target.resolve(session)?;
            (target.symbol, target.confidence)
        }
    };
    let root = type_of(session, root)?;
    let element = session.resolved_symbol(&root, confidence)?;
    let query =
        Query { scope: args.scope.scope.clone(), include_generated: args.scope.include_generated, element };
    let walk = Walk::new(&root, &[Direction::Up, Direction::Down], u32::MAX).each_once();
    Ok(OpenHierarchy::new(session, root, query, walk))
}

/// The symbol if it is a type, else the type around it (a position inside a class means that class).
fn type_of(session: &Session<'_>, symbol: Symbol) -> Result<Symbol, ToolError> {
    if symbol.kind.is_type() {
        return Ok(symbol);
    }
    let around = session.snapshot.enclosing(&symbol.file, symbol.name_range.start)?;
    around.into_iter().rev().find(|symbol| symbol.kind.is_type()).ok_or_else(|| {
        ToolError::new(
            "symbol_not_found",
            format!("`{}` is a {} and not inside a type", symbol.name, symbol.kind.as_str()),
        )
    })
}

/// The one type with this simple or qualified name.
pub(crate) fn class_named(
    session: &Session<'_>,
    name: &str,
    language: Option<&str>,
) -> Result<Symbol, ToolError> {
    let name = name.trim();
    let language = language.map(super::symbol_search::language).transpose()?;
    let everywhere = |_: &FileMeta| true;
    let search = |pattern, mode, limit| {
        let query = SymbolQuery {
            pattern,
            mode,
            kind: SearchKind::Types,
            language,
            filter: &everywhere,
            with_libraries: false,
            limit,
        };
        session.snapshot.search(session.cx, &query)
    };
    let exact = |pattern| -> Result<Vec<Symbol>, ToolError> {
        Ok(search(pattern, MatchMode::Exact, 50)?.value.items.into_iter().map(|m| m.symbol).collect())
    };
    let bare = name.trim_start_matches('\\');
    let is_whole = |symbol: &Symbol| symbol.qualified_name.as_deref().is_some_and(|q| q == name || q == bare);
    let mut found = exact(name)?;
    if found.is_empty() {
        // The separators of a qualified name differ by language: its last part is found in all of them.
        let last = name.rsplit(['.', '#', ':', '/', '\\']).next().unwrap_or(name);
        found = exact(last)?;
        found.retain(is_whole);
    }
    if found.iter().any(is_whole) {
        found.retain(is_whole);
    } else if found.iter().any(|symbol| !symbol.is_library) {
        found.retain(|symbol| !symbol.is_library);
    }
    match &found[..] {
        [only] => Ok(only.clone()),
        [] => {
            let by_end = session.resolve_name(language.map(ide_model::Language::name), name);
            match by_end {
                Ok(found) if found.symbol.kind.is_type() => return Ok(found.symbol),
                Err(error) if error.slug == "ambiguous_match" => return Err(error),
                _ => {}
            }
            let similar = session.near_misses(name, SearchKind::Types, language)?;
            Err(QueryError::NotFound {
                what: format!("`{name}` in project `{}`", session.project.name()),
                similar,
            }
            .into())
        }
        _ => Err(session.told_apart(QueryError::Ambiguous { what: name.to_owned(), candidates: found })),
    }
}

fn edges(
    session: &Session<'_>,
    filter: &Filter,
    symbol: &Symbol,
    direction: Direction,
) -> Result<Edges, ToolError> {
    let answer = match direction {
        Direction::Up => session.snapshot.supertypes(session.cx, symbol)?,
        Direction::Down => {
            session.snapshot.subtypes(session.cx, symbol, &|file: &FileMeta| filter.admits(file))?
        }
    };
    let edge = |link: TypeLink| Edge {
        name: link.name,
        symbol: link.symbol,
        file: None,
        sites: Vec::new(),
        confidence: link.confidence,
    };
    Ok((answer.value.into_iter().map(edge).collect(), answer.completeness))
}

fn node(session: &Session<'_>, visit: &Visit) -> Result<Node, ToolError> {
    let mut node = Node::new();
    let Some(symbol) = &visit.edge.symbol else {
        node.insert("name".to_owned(), json!(&*visit.edge.name));
        return Ok(node);
    };
    let name = symbol.qualified_name.as_ref().unwrap_or(&symbol.name);
    node.insert("name".to_owned(), json!(&**name));
    node.insert("kind".to_owned(), json!(symbol.kind.as_str()));
    node.insert("file".to_owned(), json!(symbol.file.as_str()));
    if let Some(place) = session.place_if_readable(symbol)? {
        node.insert("line".to_owned(), json!(place.line));
        node.insert("column".to_owned(), json!(place.column));
    }
    node.insert("language".to_owned(), json!(symbol.language.name()));
    node.insert("symbolId".to_owned(), json!(session.symbol_id(symbol)));
    Ok(node)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{TestServer, names};

    const SOURCE: &str = "
//- a.py
class Base: pass
#     ^^^^ def a.Base, super a.Middle
class Middle(Base): pass
#     ^^^^^^ def a.Middle, super a.Leaf, super a.Other
class Leaf(Middle):
#     ^^^^ def a.Leaf
    def run(self): pass
    #   ^^^ def a.Leaf.run
//- b.py
class Other(Middle): pass
#     ^^^^^ def a.Other
class Leaf: pass
#     ^^^^ def b.Leaf
";

    #[test]
    fn both_directions() {
        let server = TestServer::new(SOURCE);
        let result = server.ok("ide_type_hierarchy", json!({"className": "Middle"}));
        assert_eq!(names(&result["supertypes"], "name"), ["a.Base"]);
        assert_eq!(names(&result["subtypes"], "name"), ["a.Leaf", "a.Other"]);
        let base = server.ok("ide_type_hierarchy", json!({"className": "a.Base"}));
        assert_eq!(names(&base["subtypes"], "name"), ["a.Middle", "a.Leaf", "a.Other"], "all descendants");
        let leaf = server.ok("ide_type_hierarchy", json!({"language": "Python", "symbol": "a.Leaf"}));
        assert_eq!(leaf["supertypes"][0]["supertypes"][0]["name"], "a.Base");
        let inside = server.ok("ide_type_hierarchy", json!({"file": "a.py", "line": 4, "column": 9}));
        assert_eq!(inside["element"]["qualifiedName"], "a.Leaf", "a member means its class");
    }

    #[test]
    fn pages_and_errors() {
        let server = TestServer::new(SOURCE);
        let page = server.ok("ide_type_hierarchy", json!({"className": "a.Base", "maxNodes": 2}));
        assert_eq!((&page["returnedNodes"], &page["hasMore"]), (&json!(2), &json!(true)));
        let rest = server.ok("ide_type_hierarchy", json!({"cursor": page["nextCursor"]}));
        assert_eq!(names(&rest["subtypes"], "name"), ["a.Other"]);
        assert_eq!(
            server.err("ide_type_hierarchy", json!({"className": "Leaf"}))["error"],
            "ambiguous_match"
        );
        let unknown = server.err("ide_type_hierarchy", json!({"className": "Midle"}));
        assert_eq!(unknown["similar"], json!(["a.Middle"]));
        assert!(unknown["message"].as_str().unwrap().contains("project `sample`"));
        assert!(
            server.err("ide_type_hierarchy", json!({}))["message"].as_str().unwrap().contains("no target")
        );
    }
}
