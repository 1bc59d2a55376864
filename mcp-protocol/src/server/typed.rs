//! Tools from a struct and a function: the schema follows from the arguments' type, decoding from the schema. Feature
//! `schemars`.

use std::future::Future;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde::{Serialize, de::DeserializeOwned};

use super::{Context, ServerBuilder};
use crate::{
    error::RpcError,
    json::Json,
    model::{CallToolResult, Tool},
};

/// A result that a typed tool may return.
///
/// Spec: 2026-07-28 server/tools.
pub trait ToolOutput {
    /// The schema of its structured content, if it has any.
    fn schema() -> Option<Json> {
        None
    }

    /// The result as it is sent.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    fn into_result(self) -> Result<CallToolResult, RpcError>;
}

impl ToolOutput for CallToolResult {
    fn into_result(self) -> Result<CallToolResult, RpcError> {
        Ok(self)
    }
}

impl ToolOutput for String {
    fn into_result(self) -> Result<CallToolResult, RpcError> {
        Ok(CallToolResult::text(self))
    }
}

/// A value as structured content, with its type's schema in `tools/list` and its JSON as text beside it.
///
/// Spec: 2026-07-28 server/tools.
#[derive(Clone, Copy, Debug)]
pub struct Structured<T>(pub T);

impl<T: Serialize + JsonSchema> ToolOutput for Structured<T> {
    fn schema() -> Option<Json> {
        Some(schema_of::<T>(SchemaGenerator::new(SchemaSettings::draft2020_12().for_serialize())))
    }

    fn into_result(self) -> Result<CallToolResult, RpcError> {
        let value = Json::from(&self.0).map_err(|e| RpcError::internal(e.to_string()))?;
        Ok(CallToolResult::structured(value))
    }
}

fn schema_of<T: JsonSchema>(generator: SchemaGenerator) -> Json {
    Json::from(&generator.into_root_schema_for::<T>()).expect("a schema is JSON")
}

/// The tool whose arguments are an `A`: its schema is derived, descriptions are the doc comments of the fields.
///
/// Spec: 2026-07-28 server/tools.
#[must_use]
pub fn typed_tool<A: JsonSchema>(name: impl Into<String>, description: impl Into<String>) -> Tool {
    let generator = SchemaGenerator::new(SchemaSettings::draft2020_12());
    Tool::new(name, description, schema_of::<A>(generator))
}

impl ServerBuilder {
    /// Adds a tool from a function of a struct, which derives `Deserialize` and `JsonSchema`. Arguments that do not fit
    /// it are answered with a result that says so, which the model reads.
    ///
    /// For title, annotations and the like register [`typed_tool`] with [`ServerBuilder::tool`] instead.
    ///
    /// Spec: 2026-07-28 server/tools.
    #[must_use]
    pub fn typed<A, F, Fut, R>(
        self,
        name: impl Into<String>,
        description: impl Into<String>,
        handler: F,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(Context, A) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<R, RpcError>> + Send + 'static,
        R: ToolOutput,
    {
        let tool = typed_tool::<A>(name, description);
        let tool = match R::schema() {
            Some(schema) => tool.with_output_schema(schema),
            None => tool,
        };
        self.tool(tool, move |cx, arguments| {
            let handler = handler.clone();
            async move {
                match arguments.to::<A>() {
                    Ok(arguments) => handler(cx, arguments).await?.into_result(),
                    Err(e) => Ok(CallToolResult::error(format!("The arguments do not fit: {e}"))),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::{
        UnixMillis,
        model::Implementation,
        server::{Connection, Server},
    };

    #[derive(Deserialize, JsonSchema)]
    struct Sum {
        /// The numbers to add.
        numbers: Vec<i64>,
    }

    #[derive(Serialize, JsonSchema)]
    struct Total {
        total: i64,
    }

    fn answer(params: &str) -> String {
        let server = Server::builder(Implementation::new("s", "1"))
            .typed("sum", "Adds.", |_, sum: Sum| async move {
                Ok(Structured(Total { total: sum.numbers.iter().sum() }))
            })
            .build()
            .expect("valid");
        let mut connection = Connection::new(server);
        let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
        let request = format!(r#"{{"jsonrpc":"2.0","id":1,{params},{meta}}}}}"#);
        connection.receive(UnixMillis(0), &Bytes::from(request));
        String::from_utf8(std::mem::take(connection.output())).expect("text")
    }

    #[test]
    fn schemas_follow_from_the_types() {
        let listed = answer(r#""method":"tools/list","params":{"x":0"#);
        assert!(listed.contains(r#""description":"The numbers to add.""#), "{listed}");
        assert!(
            listed.contains(r#""required":["numbers"]"#) && listed.contains(r#""outputSchema""#),
            "{listed}"
        );
    }

    #[test]
    fn arguments_are_decoded_and_what_does_not_fit_is_told_to_the_model() {
        let good = answer(r#""method":"tools/call","params":{"name":"sum","arguments":{"numbers":[1,2]}"#);
        assert!(good.contains(r#""structuredContent":{"total":3}"#), "{good}");
        let bad = answer(r#""method":"tools/call","params":{"name":"sum","arguments":{"numbers":"1"}"#);
        assert!(bad.contains(r#""isError":true"#) && bad.contains("The arguments do not fit"), "{bad}");
    }
}
