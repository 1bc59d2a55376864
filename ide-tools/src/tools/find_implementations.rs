//! `ide_find_implementations`: implementations of a type or method.

use ide_model::{Completeness, FileMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{PageArgs, ProjectArg, ScopeArgs, TargetArgs};
use crate::filter::Filter;
use crate::page::{Page, ResultSet, paged};
use crate::session::Session;
use crate::symbols::{ResolvedSymbol, SymbolRow, lines, reason};
use crate::tool::{Call, Tool};

pub(crate) struct FindImplementations;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    #[serde(flatten)]
    scope: ScopeArgs,
    #[serde(flatten)]
    page: PageArgs,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    implementations: Vec<SymbolRow>,
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    head: Head,
}

#[derive(Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Head {
    resolved_symbol: ResolvedSymbol,
    /// Why there may be more
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_because: Option<String>,
}

impl Tool for FindImplementations {
    const NAME: &'static str = "ide_find_implementations";
    const ABOUT: &'static str = "All classes that implement or extend a type, or all methods that override one, at \
        every level.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let cut = paged(&session, Self::NAME, &args.page, 100, || search(&session, &args))?;
        Ok(Output { implementations: cut.items, page: cut.page, head: cut.head })
    }

    fn text(output: &Output) -> Option<String> {
        let symbol = &output.head.resolved_symbol;
        let name = symbol.qualified_name.as_ref().unwrap_or(&symbol.name);
        let mut text = format!("{} implementations of {} {name}\n", output.page.total_count, symbol.kind);
        text.push_str(&lines(&output.implementations));
        if let Some(reason) = &output.head.incomplete_because {
            text.push_str(&format!("incomplete: {reason}\n"));
        }
        output.page.write_end(&mut text);
        Some(text)
    }
}

fn search(session: &Session<'_>, args: &Args) -> Result<ResultSet<Head, SymbolRow>, ToolError> {
    let filter = Filter::new(session, &args.scope, false, None)?;
    let target = args.target.resolve(session)?;
    let symbol = &target.symbol;
    if !symbol.kind.is_type() && !symbol.kind.is_overridable() {
        return Err(ToolError::argument(format!(
            "`{}` is a {}, neither a type nor a method",
            symbol.name,
            symbol.kind.as_str()
        )));
    }
    let admits = |file: &FileMeta| filter.admits(file);
    let answer = session.snapshot.implementations(session.cx, symbol, &admits)?;
    let is_exact = answer.completeness == Completeness::Exact;
    let head = Head {
        resolved_symbol: session.resolved_symbol(symbol, target.confidence)?,
        incomplete_because: reason(answer.completeness),
    };
    let mut found = answer.value;
    found.sort_by(|(a, _), (b, _)| (&a.file, a.name_range).cmp(&(&b.file, b.name_range)));
    let mut rows = Vec::with_capacity(found.len());
    for (symbol, confidence) in &found {
        session.cx.check()?;
        rows.push(session.symbol_row(symbol, *confidence, false)?);
    }
    Ok(ResultSet::new(session, head, rows, is_exact))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{TestServer, names};

    const SOURCE: &str = "
//- a.ts
interface Shape {
//        ^^^^^ def Shape
    void area()
    //   ^^^^ def Shape.area
}
var count = 1
//  ^^^^^ def count
//- b.ts
class Circle {
//    ^^^^^^ def Circle, impl Shape
    void area()
    //   ^^^^ def Circle.area, impl Shape.area
}
//- gen/c.ts
class Square {
//    ^^^^^^ def Square, impl Shape
}
";

    #[test]
    fn types_and_methods() {
        let server = TestServer::new(SOURCE);
        let shape =
            server.ok("ide_find_implementations", json!({"language": "TypeScript", "symbol": "Shape"}));
        assert_eq!(names(&shape["implementations"], "name"), ["Circle"]);
        assert_eq!(
            (&shape["totalIsExact"], &shape["resolvedSymbol"]["name"]),
            (&json!(true), &json!("Shape"))
        );
        let all = json!({"language": "TypeScript", "symbol": "Shape", "includeGenerated": true});
        assert_eq!(server.ok("ide_find_implementations", all)["totalCount"], 2);
        let area = server.ok("ide_find_implementations", json!({"file": "a.ts", "line": 2, "column": 10}));
        assert_eq!(names(&area["implementations"], "qualifiedName"), ["Circle.area"]);
        let error =
            server.err("ide_find_implementations", json!({"language": "TypeScript", "symbol": "count"}));
        assert!(error["message"].as_str().unwrap().contains("neither a type nor a method"));
    }
}
