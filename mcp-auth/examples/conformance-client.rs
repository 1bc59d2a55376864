//! The client that the official conformance suite drives: the server's address is the last argument, the scenario and
//! the revision are in the environment.

use bytes::Bytes;
use http::{Request, header};
use mcp_auth::{AssertionRequest, AuthError, ClientRegistration, Es256, IdentityProvider, OAuth, UserAgent};
use mcp_protocol::client::BoxError;
use mcp_protocol::{
    Json, RpcError, Version,
    client::{Client as _, ClientBuilder, ClientExt as _, ClientHandler, with_form_defaults},
    model::{ClientCapabilities, Implementation},
    server::BoxFuture,
};
use mcp_transport_http::{HttpClient, HttpTransport, Hyper, SendHttp, Tokio};

type Failed = Box<dyn std::error::Error>;

/// Accepts every form with its defaults, answers every other question with something plain.
struct Agreeable;

impl ClientHandler for Agreeable {
    fn handle_request(&self, method: &str, params: Json) -> BoxFuture<Result<Json, RpcError>> {
        let answer = match method {
            "elicitation/create" => {
                let schema = params.get("requestedSchema").unwrap_or_else(Json::empty_object);
                let mut content = with_form_defaults(&schema, &Json::empty_object());
                if content.as_str() == "{}" {
                    content = filled_in(&schema);
                }
                Json::parse(&format!(r#"{{"action":"accept","content":{}}}"#, content.as_str()))
            }
            "sampling/createMessage" => Json::parse(
                r#"{"role":"assistant","content":{"type":"text","text":"Paris"},"model":"test","stopReason":"endTurn"}"#,
            ),
            "roots/list" => Json::parse(r#"{"roots":[{"uri":"file:///workspace","name":"workspace"}]}"#),
            _ => {
                return Box::pin(std::future::ready(Err(RpcError::new(
                    RpcError::METHOD_NOT_FOUND,
                    "unknown",
                ))));
            }
        };
        Box::pin(std::future::ready(answer.map_err(|e| RpcError::internal(e.to_string()))))
    }
}

/// Something of the right type for every field of a form.
fn filled_in(schema: &Json) -> Json {
    let value = |field: &serde_json::Value| match field.get("type").and_then(serde_json::Value::as_str) {
        Some("boolean") => serde_json::json!(true),
        Some("integer" | "number") => serde_json::json!(1),
        _ => serde_json::json!("test"),
    };
    let properties = schema.get("properties").unwrap_or_else(Json::empty_object);
    let fields: serde_json::Map<String, serde_json::Value> =
        properties.to().expect("the suite's schemas are well-formed");
    let content: serde_json::Map<_, _> =
        fields.iter().map(|(name, field)| (name.clone(), value(field))).collect();
    Json::from(&content).expect("a map of strings can be written")
}

#[expect(clippy::disallowed_methods, reason = "this is the binary")]
fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn json(text: &str) -> Result<Json, RpcError> {
    Ok(Json::parse(text)?)
}

/// The suite's authorization server consents at once: it redirects, and that is where the user comes back to.
struct Consenting;

impl UserAgent for Consenting {
    fn redirect_uri(&self) -> String {
        "http://localhost:3000/callback".to_owned()
    }

    fn authorize(&self, url: String) -> BoxFuture<Result<String, BoxError>> {
        Box::pin(async move {
            let response = Hyper::default().send(Request::get(url).body(Bytes::new())?).await?;
            let location = response.headers().get(header::LOCATION).ok_or("no redirect")?;
            Ok(location.to_str()?.to_owned())
        })
    }
}

/// The address that the suite takes for the client's metadata document.
const METADATA_URL: &str = "https://conformance-test.local/client-metadata.json";

/// How the scenario wants the client to authorize itself.
fn authorization(scenario: &str, server: &str, context: &Json) -> Result<OAuth, AuthError> {
    let text = |key: &str| context.get(key).and_then(|v| Some(v.as_text()?.into_owned())).unwrap_or_default();
    let public = || ClientRegistration::public(text("client_id"));
    let confidential = || ClientRegistration::confidential(text("client_id"), text("client_secret"));
    Ok(match scenario {
        "auth/client-credentials-basic" => {
            OAuth::with_client_credentials(server)?.registration(None, confidential())
        }
        "auth/client-credentials-jwt" => OAuth::with_client_credentials(server)?
            .registration(None, public())
            .client_key(Es256::from_pem(&text("private_key_pem"))?),
        "auth/wif-jwt-bearer" => {
            let workload = text("valid_jwt");
            let assertions = move |_: AssertionRequest| -> BoxFuture<Result<String, BoxError>> {
                Box::pin(std::future::ready(Ok(workload.clone())))
            };
            OAuth::with_assertions(server, assertions)?.registration(None, public())
        }
        "auth/enterprise-managed-authorization" => {
            let client = ClientRegistration::public(text("idp_client_id"));
            let (endpoint, id_token) = (text("idp_token_endpoint"), text("idp_id_token"));
            let provider = IdentityProvider::new(endpoint, client, id_token, Hyper::default());
            OAuth::with_assertions(server, provider)?.registration(None, confidential())
        }
        "auth/pre-registration" => OAuth::with_user(server, Consenting)?.registration(None, confidential()),
        "auth/dpop" | "auth/dpop-nonce" => OAuth::with_user(server, Consenting)?.dpop_key(Es256::generate()?),
        _ => OAuth::with_user(server, Consenting)?.metadata_url(METADATA_URL),
    })
}

fn context() -> Result<Json, RpcError> {
    json(&setting("MCP_CONFORMANCE_CONTEXT").unwrap_or_else(|| "{}".into()))
}

async fn connect(scenario: &str) -> Result<HttpClient, Failed> {
    let server = std::env::args().next_back().ok_or("the address is the last argument")?;
    let capabilities: ClientCapabilities =
        json(r#"{"roots":{},"sampling":{},"elicitation":{"form":{"applyDefaults":true}}}"#)?.to()?;
    let version = setting("MCP_CONFORMANCE_PROTOCOL_VERSION").and_then(|v| Version::parse(&v));
    let handshake = version.filter(|v| !v.is_stateless());
    let builder = ClientBuilder::new(Implementation::new("conformance-client", "1.0"))
        .handler(capabilities, Agreeable)
        .handshake(handshake);
    let (uri, runtime) = (server.parse()?, Tokio::current());
    let transport = if scenario.starts_with("auth/") {
        let http = authorization(scenario, &server, &context()?)?.wrap(Hyper::default());
        HttpTransport::new(http, uri, runtime)
    } else {
        HttpTransport::new(Hyper::default(), uri, runtime)
    };
    Ok(builder.connect(transport).await?)
}

/// Arguments that fit a tool's schema: a number for numbers, text for text.
fn arguments_for(schema: &Json) -> Json {
    filled_in(schema)
}

/// Calls every tool once, and reads and gets what is listed if the server lists any.
async fn everything(client: &HttpClient) -> Result<(), Failed> {
    for tool in client.list_tools().await? {
        client.call_tool(&tool.name, &arguments_for(&tool.input_schema)).await?;
    }
    for (list, key, get, id) in [
        ("resources/list", "resources", "resources/read", "uri"),
        ("prompts/list", "prompts", "prompts/get", "name"),
    ] {
        // a server without them says so, which is not what is tested
        let Ok(listed) = client.call(list, json("{}")?, None).await else { continue };
        let items: Vec<Json> = listed.get(key).map_or(Ok(Vec::new()), |l| l.to())?;
        for item in items {
            let name = item.get(id).ok_or("an entry without a name")?;
            client.call(get, json(&format!(r#"{{"{id}":{}}}"#, name.as_str()))?, None).await?;
        }
    }
    Ok(())
}

/// The calls that the scenario's context lists, exactly.
async fn listed_calls(client: &HttpClient) -> Result<(), Failed> {
    client.list_tools().await?;
    let calls: Vec<Json> = context()?.get("toolCalls").ok_or("no toolCalls in the context")?.to()?;
    for call in calls {
        let name = call.get("name").ok_or("a call without a name")?;
        let arguments = call.get("arguments").unwrap_or_else(Json::empty_object);
        client.call_tool(&name.as_text().unwrap_or_default(), &arguments).await?;
    }
    Ok(())
}

/// A schema, sent back as it was seen.
async fn echo_schema(client: &HttpClient) -> Result<(), Failed> {
    let tools = client.list_tools().await?;
    for tool in tools.iter().filter(|t| t.name != "json_schema_echo") {
        let arguments = json(&format!(r#"{{"schema":{}}}"#, tool.input_schema.as_str()))?;
        client.call_tool("json_schema_echo", &arguments).await?;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let scenario = setting("MCP_CONFORMANCE_SCENARIO").unwrap_or_default();
    let client = connect(&scenario).await?;
    match scenario.as_str() {
        "initialize" | "json-schema-ref-no-deref" => drop(client.list_tools().await?),
        "http-custom-headers" => listed_calls(&client).await?,
        "json-schema-2020-12-preservation" => echo_schema(&client).await?,
        _ => everything(&client).await?,
    }
    Ok(())
}
