//! `ide_find_super_methods`: what a method overrides, at every level.

use std::collections::{HashSet, VecDeque};

use ide_model::{Answer, QueryError, Symbol, SymbolKind};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::session::Session;
use crate::symbols::reason;
use crate::tool::{Call, Tool};

/// Most methods in one answer.
const MAX_METHODS: usize = 500;

pub(crate) struct FindSuperMethods;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    method: Method,
    hierarchy: Vec<Ancestor>,
    total_count: usize,
    truncated: bool,
    /// Why there may be more
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete_because: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Method {
    name: String,
    signature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    containing_class: Option<String>,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    language: &'static str,
    symbol_id: String,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Ancestor {
    #[serde(flatten)]
    method: Method,
    #[serde(skip_serializing_if = "Option::is_none")]
    containing_class_kind: Option<&'static str>,
    is_interface: bool,
    /// 1 = direct parent
    depth: u32,
}

impl Tool for FindSuperMethods {
    const NAME: &'static str = "ide_find_super_methods";
    const ABOUT: &'static str = "The methods that a method overrides or implements, up to the first declaration. A \
        position anywhere inside the method will do.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let start = method(&session, &args.target)?;
        let mut because = None;
        let mut seen = HashSet::from([start.key.clone()]);
        let mut queue = VecDeque::from([(start.clone(), 0)]);
        let mut hierarchy = Vec::new();
        let mut truncated = false;
        while let Some((method, depth)) = queue.pop_front() {
            session.cx.check()?;
            let Answer { value, completeness, .. } = session.snapshot.super_methods(session.cx, &method)?;
            because = because.or(reason(completeness));
            for parent in value {
                if !seen.insert(parent.key.clone()) {
                    continue;
                }
                if hierarchy.len() == MAX_METHODS {
                    truncated = true;
                    break;
                }
                hierarchy.push(ancestor(&session, &parent, depth + 1)?);
                queue.push_back((parent, depth + 1));
            }
        }
        Ok(Output {
            method: describe(&session, &start)?,
            total_count: hierarchy.len(),
            hierarchy,
            truncated,
            incomplete_because: because,
        })
    }
}

/// The method whose name the position is on, the one around the position, else what the selectors resolve to.
fn method(session: &Session<'_>, target: &TargetArgs) -> Result<Symbol, ToolError> {
    let by_position = target.symbol_id.is_none() && !(target.language.is_some() && target.symbol.is_some());
    if let (true, Some(file), Some(line), Some(column)) =
        (by_position, &target.file, target.line, target.column)
    {
        let file = session.indexed(file)?;
        let offset = session.offset(&file, line, column)?;
        let named = target.resolve(session).map(|resolved| resolved.symbol);
        if let Ok(symbol) = named
            && symbol.kind.is_overridable()
            && symbol.file == file
            && symbol.name_range.touches(offset)
        {
            return Ok(symbol);
        }
        let around = session.snapshot.enclosing(&file, offset)?;
        if let Some(method) = around.into_iter().rev().find(|symbol| symbol.kind.is_overridable()) {
            return Ok(method);
        }
    }
    let symbol = target.resolve(session)?.symbol;
    if symbol.kind.is_overridable() {
        return Ok(symbol);
    }
    Err(ToolError::argument(format!("`{}` is a {}, not a method", symbol.name, symbol.kind.as_str())))
}

fn ancestor(session: &Session<'_>, symbol: &Symbol, depth: u32) -> Result<Ancestor, ToolError> {
    let class = match session.snapshot.enclosing(&symbol.file, symbol.name_range.start) {
        Ok(around) => around.into_iter().rev().find(|around| around.kind.is_type()),
        Err(QueryError::NoFile { .. }) if symbol.is_library => None,
        Err(error) => return Err(error.into()),
    };
    let kind = class.map(|class| class.kind);
    Ok(Ancestor {
        method: describe(session, symbol)?,
        containing_class_kind: kind.map(SymbolKind::as_str),
        is_interface: matches!(kind, Some(SymbolKind::Interface | SymbolKind::Trait)),
        depth,
    })
}

fn describe(session: &Session<'_>, symbol: &Symbol) -> Result<Method, ToolError> {
    let signature = match session.snapshot.describe(session.cx, symbol) {
        Ok(answer) => answer.value.signature.to_string(),
        Err(QueryError::Unsupported { .. } | QueryError::NoFile { .. } | QueryError::NotRead { .. }) => {
            symbol.name.to_string()
        }
        Err(error) => return Err(error.into()),
    };
    let place = session.place_if_readable(symbol)?;
    Ok(Method {
        name: symbol.name.to_string(),
        signature,
        containing_class: symbol.container.as_deref().map(str::to_owned),
        file: symbol.file.to_string(),
        line: place.as_ref().map(|place| place.line),
        column: place.map(|place| place.column),
        language: symbol.language.name(),
        symbol_id: session.symbol_id(symbol),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::{TestServer, names};

    const SOURCE: &str = "
//- a.ts
interface Shape {
    void area()
    //   ^^^^ def Shape.area, super Base.area
}
class Base {
    void area()
    //   ^^^^ def Base.area, super Circle.area
}
class Circle {
    void area() {
    //   ^^^^ def Circle.area
        return 1
    }
}
";

    #[test]
    fn every_level_from_anywhere_inside() {
        let server = TestServer::new(SOURCE);
        let result = server.ok("ide_find_super_methods", json!({"file": "a.ts", "line": 9, "column": 12}));
        assert_eq!(result["method"]["name"], "area");
        assert_eq!(result["method"]["signature"], "void area()");
        assert_eq!(names(&result["hierarchy"], "containingClass"), ["Base", "Shape"]);
        assert_eq!((&result["hierarchy"][1]["depth"], &result["totalCount"]), (&json!(2), &json!(2)));
        let top =
            server.ok("ide_find_super_methods", json!({"language": "TypeScript", "symbol": "Shape.area"}));
        assert_eq!((&top["hierarchy"], &top["truncated"]), (&json!([]), &json!(false)));
    }
}
