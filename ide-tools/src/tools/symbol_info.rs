//! `ide_symbol_info`: signature and documentation of a declaration.

use ide_model::{Answer, Engine, QueryError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ToolError;
use crate::args::{ProjectArg, TargetArgs};
use crate::session::Session;
use crate::symbols::doubt;
use crate::tool::{Call, Tool};

pub(crate) struct SymbolInfo;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Args {
    #[serde(flatten)]
    project: ProjectArg,
    #[serde(flatten)]
    target: TargetArgs,
    /// Default true
    include_doc: Option<bool>,
    /// Default 4000
    max_doc_length: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Output {
    name: String,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    qualified_name: Option<String>,
    signature: String,
    signature_source: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    return_type: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    type_parameters: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    thrown_types: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modifiers: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    visibility: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    containing_declaration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    documentation: Option<String>,
    documentation_truncated: bool,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    language: &'static str,
    symbol_id: String,
    /// Only when it is a guess
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct Parameter {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
}

impl Tool for SymbolInfo {
    const NAME: &'static str = "ide_symbol_info";
    const ABOUT: &'static str = "Signature, types and documentation of a symbol without reading its file.";
    type Args = Args;
    type Output = Output;

    fn run(call: &Call<'_>, args: Args) -> Result<Output, ToolError> {
        let session = Session::open(call, &args.project, args.target.symbol_id.as_deref())?;
        let target = args.target.resolve(&session)?;
        let described = session.snapshot.describe(session.cx, &target.symbol);
        let Answer { value: info, by, .. } = described.map_err(|error| match error {
            QueryError::Unsupported { .. } if target.symbol.is_library => {
                let name = target.symbol.qualified_name.as_ref().unwrap_or(&target.symbol.name);
                QueryError::OutsideIndex { qualified_name: name.to_string() }
            }
            other => other,
        })?;
        let symbol = &info.symbol;
        let place = session.place_if_readable(symbol)?;
        let owned = |text: std::sync::Arc<str>| text.to_string();
        let documentation = info.documentation.filter(|_| args.include_doc.unwrap_or(true)).map(owned);
        let max = args.max_doc_length.unwrap_or(4000).clamp(1, 20_000) as usize;
        let documentation_truncated = documentation.as_ref().is_some_and(|doc| doc.chars().count() > max);
        Ok(Output {
            name: symbol.name.to_string(),
            kind: symbol.kind.as_str(),
            qualified_name: symbol.qualified_name.clone().map(owned),
            signature: info.signature.to_string(),
            signature_source: signature_source(by),
            parameters: info
                .parameters
                .into_iter()
                .map(|p| Parameter { name: p.name.map(owned), r#type: p.type_text.map(owned) })
                .collect(),
            return_type: info.return_type.map(owned),
            type_parameters: info.type_parameters.into_iter().map(owned).collect(),
            thrown_types: info.thrown_types.into_iter().map(owned).collect(),
            modifiers: info.modifiers,
            visibility: info.visibility.map(ide_model::Visibility::as_str),
            containing_declaration: symbol.container.clone().map(owned),
            documentation: documentation.map(|doc| doc.chars().take(max).collect()),
            documentation_truncated,
            file: symbol.file.to_string(),
            line: place.as_ref().map(|place| place.line),
            column: place.map(|place| place.column),
            language: symbol.language.name(),
            symbol_id: session.symbol_id(symbol),
            confidence: doubt(target.confidence),
        })
    }
}

/// The engine that made the signature, and its source.
fn signature_source(by: Engine) -> String {
    let from = if by == Engine::Embedded { "source_text" } else { "rendered" };
    format!("{}:{from}", by.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::testing::TestServer;

    const SOURCE: &str = "
//- a.py
def send(what: str, to):
#   ^^^^ def a.send
    pass
";

    #[test]
    fn signature_parts_and_documentation() {
        let server = TestServer::new(SOURCE);
        let info = server.ok("ide_symbol_info", json!({"language": "Python", "symbol": "a.send"}));
        assert_eq!(info["signature"], "def send(what: str, to)");
        assert_eq!(info["parameters"], json!([{"name": "what", "type": "str"}, {"name": "to"}]));
        assert_eq!(info["documentation"], "Says what it does.");
        assert_eq!(
            (&info["documentationTruncated"], &info["signatureSource"]),
            (&json!(false), &json!("embedded:source_text"))
        );
        let old = server
            .ok("ide_inspect_symbol", json!({"file": "a.py", "line": 1, "column": 5, "maxDocLength": 4}));
        assert_eq!((&old["documentation"], &old["documentationTruncated"]), (&json!("Says"), &json!(true)));
        let bare = server
            .ok("ide_symbol_info", json!({"file": "a.py", "line": 1, "column": 5, "includeDoc": false}));
        assert!(bare.get("documentation").is_none());
    }
}
